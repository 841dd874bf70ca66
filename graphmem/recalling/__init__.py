"""Recalling: entry nodes, activation, ranking, context within a token budget."""
