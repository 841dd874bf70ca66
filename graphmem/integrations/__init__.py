"""Interfaces that other people's frameworks define, on a memory. Each module needs its extra."""
