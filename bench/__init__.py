"""Benches: one command per table of the README and the docs. `python -m bench --help`."""
