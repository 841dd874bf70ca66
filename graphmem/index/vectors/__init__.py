"""Vectors of nodes, exact and approximate search, the cache of embeddings."""
