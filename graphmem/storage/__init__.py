"""Ordered key-value engines behind one small protocol, and the ownership of the folder."""
