"""Check and repair of a folder."""
