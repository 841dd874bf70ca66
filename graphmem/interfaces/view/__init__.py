"""A live view of a memory in the browser: one page, served on the loopback or written to a file."""
