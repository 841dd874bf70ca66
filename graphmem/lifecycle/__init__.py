"""Lifecycle: reviews of the stored memories, and proposals to a person."""
