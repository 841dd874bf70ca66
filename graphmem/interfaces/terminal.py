"""The terminal: text that is safe to show, on standard output, and progress on standard error."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from io import StringIO
from threading import Lock, Timer
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress as Bars

_UNWRAPPED = 100_000  # columns: more than any line has
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_PICTURES |= {0x7F: 0x2421, **dict.fromkeys(range(0x80, 0xA0), 0xFFFD)}


def printable(text: str) -> str:
    """A text without the control characters that would steer a terminal: `␛` stands for ESC."""
    return text.translate(_PICTURES)


@dataclass(frozen=True, slots=True)
class Styled:
    """A text that is safe to show, without markup, in one style."""

    text: str
    style: str = ""
    columns: int = 0
    """Width of the indent of each line; trailing blanks are cut."""

    def __rich__(self) -> RenderableType:
        from rich.text import Text

        from graphmem.interfaces.pages import Indented

        text = Text(self.text, self.style)
        return Indented(text, self.columns) if self.columns else text


def styled(text: object, style: str = "", columns: int = 0) -> Styled:
    """Any text, made safe, in a style; columns: width of its indent."""
    return Styled(printable(str(text)), style, columns)


def show(*parts: RenderableType) -> None:
    """Print parts on standard output: folded and coloured in a terminal, else plain lines."""
    is_plain = not sys.stdout.isatty()
    written = StringIO()
    # Loading rich takes a twentieth of a command's time; only it expands tabs.
    texts = [part for part in parts if isinstance(part, Styled) and "\t" not in part.text]
    if is_plain and len(texts) == len(parts):
        for text in texts:
            margin = " " * text.columns
            written.writelines(f"{margin}{line}\n" for line in text.text.split("\n"))
    else:
        from graphmem.interfaces.pages import Page

        page = Page(_UNWRAPPED, file=written) if is_plain else Page()
        for part in parts:
            page.print(part)
    if is_plain:
        click.echo("\n".join(line.rstrip() for line in written.getvalue().splitlines()))


class Progress:
    """A progress bar for long work; appears after `delay` seconds, in a terminal only.

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
        """Set how much of `total` is done, and the label if one is given."""
        with self._lock:
            self._done, self._total, self._label = done, total, label or self._label
            if self._bars is not None:
                self._bars.update(
                    self._bars.task_ids[0], completed=done, total=total, description=self._label
                )

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._bars is not None:
                self._bars.stop()

    def _appear(self) -> None:
        with self._lock:
            if self._ended:
                return
            # Loaded late: it takes a twentieth of a command's time, and most do not need it.
            from rich.progress import (
                BarColumn,
                TaskProgressColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
            from rich.progress import Progress as Bars

            from graphmem.interfaces.pages import Page

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
