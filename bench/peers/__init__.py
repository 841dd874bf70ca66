"""The peers of `python -m bench engine`: one module each, used as its documentation recommends."""
