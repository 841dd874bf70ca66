"""What crosses the interface: frozen values, without I/O and without a handle to a store."""
