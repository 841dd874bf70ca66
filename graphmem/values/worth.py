"""Explanations: why a node is kept, what it loses next, and what has happened to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.values.html import Shown
from graphmem.values.links import Link
from graphmem.values.moments import MACHINE
from graphmem.values.nodes import Form

_SHOWN: Final = 60  # characters of a sentence in an explanation


@dataclass(frozen=True, slots=True)
class SentenceWorth(Shown):
    """The worth of one sentence and how it is computed.

    salience: its information in nat, as it was scored.
    parts: the summands of the salience.
    density: salience / √characters.
    median: the median density of the memory's sentences in the same script.
    worth: density / median; the sentence stays while importance × worth ≥ ⅓.
    reason: why not its own worth alone decides: "protective", "particular", "binding until
        2026-10-31" (it is held), "list", "answer" (`worth` is that of the list, of question and
        answer).
    """

    text: str
    salience: float
    parts: tuple[tuple[str, float], ...]
    characters: int
    density: float
    median: float
    worth: float
    reason: str | None = None

    def __str__(self) -> str:
        made = " ".join(f"{name} {value:+.1f}" for name, value in self.parts)
        return (
            f"{self.worth:.2f} = {self.salience:.1f} / √{self.characters} / {self.median:.2f}  "
            f"{shown(self.text)}  ({made})" + (f"  {self.reason}" if self.reason else "")
        )


@dataclass(frozen=True, slots=True)
class Cut(Shown):
    """What a node loses next if none of its links is strengthened and the median does not change.

    passes: the pass at which that happens, by the scope's counter; None: when room is needed.
    form: its form from then on; None: it is forgotten.
    lost: the sentences that are dropped; of a gist, its phrase.
    kept: what replaces them: clauses, or the phrase of the gist.
    """

    passes: int | None
    form: Form | None
    lost: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def when(self) -> str:
        """When it happens, in words."""
        return "for room" if self.passes is None else f"at pass {self.passes}"

    def __str__(self) -> str:
        when = self.when
        if self.form is None:
            return f"{when} it is forgotten"
        left = f", leaving {' / '.join(map(shown, self.kept))}" if self.kept else ""
        return f"{when} goes: {' / '.join(map(shown, self.lost))}{left}"


@dataclass(frozen=True, slots=True)
class Worth(Shown):
    """Why a node is worth keeping, and what it would lose next.

    passes: the scope's pass counter.
    sentences: one entry for each sentence that is left; none for a gist.
    gist: for a gist, the worth of the best of the sentences that were dropped last.
    importance: the sum of the strengths of `links`, 0–4.
    links: its strongest links, at most four.
    kept: why nothing is dropped: "pinned", "in focus" or why it is held; None otherwise.
    next: what is dropped next; None while it is pinned, in focus or held.
    """

    node: int
    form: Form
    passes: int
    sentences: tuple[SentenceWorth, ...]
    gist: float | None
    importance: float
    links: tuple[Link, ...]
    kept: str | None
    next: Cut | None

    def __repr__(self) -> str:
        worths = ", ".join(f"{s.worth:.2f}" for s in self.sentences) or f"{self.gist:.2f}"
        then = self.kept if self.next is None else f"next cut {self.next.when}"
        return f"<Worth of node {self.node}: {self.importance:.2f} × ({worths}), {then}>"

    def __str__(self) -> str:
        made = ", ".join(f"{k.relation} → {k.target} {k.strength:.2f}" for k in self.links)
        lines = [
            f"node {self.node}, {self.form}, at pass {self.passes}",
            f"importance {self.importance:.2f}" + (f" = {made}" if made else ": no links"),
            *map(str, self.sentences),
        ]
        if self.gist is not None:
            lines.append(f"{self.gist:.2f} is the worth of the best sentence that it lost")
        lines.append(f"next: {self.next}" if self.kept is None else f"kept whole: {self.kept}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Step(Shown):
    """One event in the life of a node.

    what: remembered, used, shortened, gist, forgotten, corrected, replaced or revived.
    passes: the pass at which it happened; None if unknown.
    when: for "replaced", until when the node is valid; None if unknown.
    text: its text from then on; "" if that did not change.
    """

    what: str
    passes: int | None
    when: datetime | None
    why: str
    text: str
    version: int

    def __str__(self) -> str:
        at = "" if self.passes is None else f"pass {self.passes}: "
        return f"{at}{self.what}" + (f", {self.why}" if self.why else "")


@dataclass(frozen=True, slots=True)
class Life(Shown):
    """A node's whole life, as far as the archive reaches.

    worth: why it is worth keeping now; None once it is forgotten.
    """

    node: int
    steps: tuple[Step, ...]
    worth: Worth | None

    def __str__(self) -> str:
        lines = [f"node {self.node}"]
        for step in self.steps:
            when = (
                "" if step.when is None else f"{step.when.astimezone(MACHINE):%Y-%m-%d %H:%M %Z}  "
            )
            lines.append(f"  {when}{step}")
            if step.text:
                lines.append(f"    {step.text}")
        if self.worth is not None:
            lines.append(f"why it is worth keeping: {self.worth}")
        return "\n".join(lines)


def shown(text: str) -> str:
    """A text in quotes, on one line, cut to 60 characters."""
    bare = " ".join(text.split())
    return f"“{bare if len(bare) <= _SHOWN else bare[: _SHOWN - 1] + '…'}”"
