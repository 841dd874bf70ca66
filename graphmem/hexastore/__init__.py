"""The hexastore: terms, the six orders, scopes, transactions."""
