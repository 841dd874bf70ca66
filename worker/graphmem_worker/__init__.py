"""What is done to text on its way into memory, and the process that does it.

`text` is pure functions: the same text gives the same result, nothing is loaded, nothing is
remembered but caches. They are used in the user's process and, behind a backend of `backends`, in
a process of their own (`process`). `gate` compares what a model wrote with its source.

Import the modules by name: `from graphmem_worker.text.words import words`. The package itself
loads nothing, so that a program which only cuts text never pays for `subprocess` or a model.
"""

__all__ = ["backends", "errors", "gate", "process", "protocol", "text"]
