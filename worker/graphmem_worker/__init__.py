"""What is done to text on its way into memory, and the process that does it.

The text functions (`sentences`, `words`, `keywords`, `phrase`, `salience`, `selection`) are pure:
the same text gives the same result, nothing is loaded, nothing is remembered but caches.  They are
used in the user's process and, behind a model backend, in a process of their own (`process`,
`server`, `protocol`, `backend`).

Import the modules by name: `from graphmem_worker.words import words`.  Importing the package itself
loads nothing, so that a program which only cuts text never pays for `subprocess` or a model.
`http` and `wire` need the extra `http`, and so are not part of `*`.
"""

__all__ = [
    "address",
    "backend",
    "chat",
    "chunks",
    "e5",
    "errors",
    "extractive",
    "gate",
    "keywords",
    "llama",
    "phrase",
    "process",
    "prompts",
    "protocol",
    "rarity",
    "reading",
    "salience",
    "selection",
    "sentences",
    "server",
    "words",
    "writing",
]
