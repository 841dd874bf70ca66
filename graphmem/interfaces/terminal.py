"""The terminal: text that is safe to show, pages on standard output, progress on standard error."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from threading import Lock, Timer
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

_UNWRAPPED = 100_000  # columns of a page that no terminal will fold
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """A text without the control characters that would steer a terminal: `␛` stands for ESC."""
    return _CONTROL.sub(lambda found: _picture(ord(found[0])), text)


def _picture(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\ufffd"


def said(text: str, style: str = "") -> Text:
    """A text that comes from outside, safe to show, without markup."""
    return Text(printable(text), style)


@dataclass(frozen=True, slots=True)
class Indented:
    """A text that is folded and moved to the right, without blanks behind its lines."""

    text: Text
    columns: int = 3

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """The lines, as rich asks for them."""
        margin = Text(" " * self.columns)
        for line in self.text.wrap(console, max(1, options.max_width - self.columns)):
            line.rstrip()
            yield margin + line


class Page(Console):
    """Standard output, for people: no markup, so that brackets in a text stay brackets."""

    def __init__(
        self,
        width: int | None = None,
        *,
        file: StringIO | None = None,
        stderr: bool = False,
        quiet: bool = False,
    ) -> None:
        super().__init__(
            width=width,
            file=file,
            stderr=stderr,
            quiet=quiet,
            markup=False,
            highlight=False,
            emoji=False,
        )

    def on_broken_pipe(self) -> None:
        """Leave it to the command line to end quietly; rich would exit with status 1."""
        raise BrokenPipeError


def show(*parts: RenderableType) -> None:
    """Print parts on standard output: folded and coloured in a terminal, else plain lines."""
    if sys.stdout.isatty():
        page = Page()
        for part in parts:
            page.print(part)
        return
    plain = StringIO()
    page = Page(_UNWRAPPED, file=plain)
    for part in parts:
        page.print(part)
    click.echo("\n".join(line.rstrip() for line in plain.getvalue().splitlines()))


class Progress:
    """How far long work has come; appears after `delay` seconds, in a terminal only.

    with Progress("Remembering") as progress:
        progress.update(done, total)  # as often as you like, or never
    """

    def __init__(self, label: str, *, delay: float = 1.0) -> None:
        self._label = label
        self._done = 0.0
        self._total: float | None = None
        self._lock = Lock()
        self._bars: Bars | None = None
        self._ended = False
        self._timer = Timer(delay, self._appear)
        self._timer.daemon = True

    def update(self, done: float, total: float, label: str | None = None) -> None:
        """Say that `done` of `total` is done, and of what."""
        with self._lock:
            self._done, self._total, self._label = done, total, label or self._label
            if self._bars is not None:
                self._bars.update(
                    self._bars.task_ids[0],
                    completed=done,
                    total=total,
                    description=self._label,
                )

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._bars is not None:
                self._bars.stop()

    def _appear(self) -> None:
        with self._lock:
            if self._ended:
                return
            # A twentieth of the time of a command, and most have no need of it.
            from rich.progress import (
                BarColumn,
                TaskProgressColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
            from rich.progress import Progress as Bars

            self._bars = Bars(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn("{task.percentage:>3.0f} %"),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                TextColumn("left"),
                console=Page(stderr=True),
                transient=True,
            )
            self._bars.add_task(self._label, total=self._total, completed=int(self._done))
            self._bars.start()
