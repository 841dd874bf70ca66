"""The shell: a Python prompt with a memory, opened here or attached to."""

from __future__ import annotations

import rlcompleter
import sys
from code import InteractiveConsole
from contextlib import suppress
from importlib.util import find_spec
from platform import python_version
from typing import Any, Final

import graphmem
from graphmem.api.access import open_or_attach
from graphmem.errors import GraphMemError

_HINT: Final = (
    'Try memory.recall("…"), memory.admin.stats(), help(memory.recall). '
    "Tab completes, Ctrl-D leaves."
)


def run(folder: str, scope: str, **settings: Any) -> int:
    """Read, evaluate, print until the input ends, with `memory` defined: from a terminal with
    prompts and completion, by IPython where that is installed; else line by line. settings: for
    `graphmem.open`, if nobody has it open. Returns the exit status: 1 if something piped in
    failed."""
    with open_or_attach(folder, scope=scope, create=False, **settings) as memory:
        namespace = {"memory": memory, "graphmem": graphmem, "__name__": "__console__"}
        typed = sys.stdin.isatty()
        if typed and find_spec("IPython") is not None:
            from IPython import start_ipython

            print(_greeting(memory))
            start_ipython(argv=["--no-banner"], user_ns=namespace)
            return 0
        console = Console(namespace)
        try:
            if not typed:
                for line in sys.stdin:
                    console.push(line.removesuffix("\n"))
                return int(console.failed)
            with suppress(ImportError):
                import readline

                readline.set_completer(rlcompleter.Completer(namespace).complete)
                readline.parse_and_bind("tab: complete")
            console.interact(_greeting(memory), "")
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else 0
        return 0


def _greeting(memory: graphmem.Memory | graphmem.Attached) -> str:
    if isinstance(memory, graphmem.Attached):
        state = f"process {memory.owner_pid} has it open and goes on; you are attached to it"
    else:
        state = "it is open here; others may attach to it"
    version = f"graphmem {graphmem.__version__}, Python {python_version()}"
    return f"{version}\nmemory: scope {memory.name!r} in {memory.path}; {state}.\n{_HINT}"


class Console(InteractiveConsole):
    """A Python prompt that prints graphmem's errors on one line."""

    failed = False
    """Whether anything raised an error."""

    def showtraceback(self) -> None:
        """Print the error that has just been raised."""
        self.failed = True
        error = sys.exc_info()[1]
        if isinstance(error, GraphMemError):
            self.write(f"{type(error).__name__}: {error}\n")
        else:
            super().showtraceback()

    def showsyntaxerror(self, filename: str | None = None, **more: Any) -> None:
        """Print a syntax error. more: from Python 3.13 on, the source."""
        self.failed = True
        super().showsyntaxerror(filename, **more)
