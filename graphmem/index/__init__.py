"""Indexes over the texts of nodes."""
