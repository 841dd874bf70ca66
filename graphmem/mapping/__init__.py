"""The map of a scope: every node and link at once, with a place for each node."""
