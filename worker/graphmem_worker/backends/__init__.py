"""Backends that do the tasks: rules, a local model, a server, an embedding model."""
