"""The graph: nodes, links with lazy decay, focus; records and adjacency over the hexastore."""
