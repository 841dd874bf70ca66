"""Text analysis for memories, and the worker process that runs it.

`text` has pure functions, without state but caches. They run in the user's process and, behind a
backend of `backends`, in a worker process (`process`). `gate` compares the text of a model with its
source.

Import the modules by name: `from graphmem_worker.text.words import words`. The package itself
loads nothing, so that a program which only splits text never loads `subprocess` or a model.
"""

__all__ = ["backends", "errors", "gate", "process", "protocol", "text"]
