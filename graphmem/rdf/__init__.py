"""RDF: the rdflib store, bulk load and export."""
