"""The values of the public interface: frozen, without I/O and without a handle to a store."""
