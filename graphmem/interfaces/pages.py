"""Pages: output by rich, in a terminal or for tables in plain text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.text import Text


@dataclass(frozen=True, slots=True)
class Indented:
    """A text that is folded and moved to the right, without blanks behind its lines."""

    text: Text
    columns: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        margin = Text(" " * self.columns)
        for line in self.text.wrap(console, max(1, options.max_width - self.columns)):
            line.rstrip()
            yield margin + line


class Page(Console):
    """Standard output, for people: no markup, so that brackets in a text stay brackets."""

    def __init__(self, width: int | None = None, **given: Any) -> None:
        """width: None is that of the terminal. given: as of rich's console."""
        super().__init__(width=width, markup=False, highlight=False, emoji=False, **given)

    def on_broken_pipe(self) -> None:
        """Raise it, so that the command line ends quietly; rich would exit with status 1."""
        raise BrokenPipeError
