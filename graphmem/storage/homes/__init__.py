"""Homes: databases in which memories outlive their machine."""
