"""Remembering: text in, nodes, links and the enrichment queue out."""
