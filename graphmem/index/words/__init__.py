"""BM25 over the words of nodes."""
