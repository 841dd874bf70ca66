"""Lifecycle: what is shown and asked about the memories that are kept."""
