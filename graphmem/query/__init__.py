"""Virtual triples and SPARQL over the memories of one scope."""
