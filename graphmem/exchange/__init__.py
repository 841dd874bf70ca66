"""Memories written to and read from other formats."""
