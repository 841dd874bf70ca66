"""Attaching: another process uses an open memory through its owner's Unix socket."""
