"""Why a node is kept, what of it goes next, and what happened to it so far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphmem.values.links import Link
from graphmem.values.nodes import Form

_SHOWN: Final = 60  # characters of a sentence in an explanation


@dataclass(frozen=True, slots=True)
class SentenceWorth:
    """Why one sentence is worth what it is worth."""

    text: str
    salience: float  # nat; as it was scored
    parts: tuple[tuple[str, float], ...]  # what it is made of; they add up to it
    characters: int
    density: float  # salience / √characters
    median: float  # of the memory's densities, in the script of the sentence
    worth: float  # density / median; it stays while importance × worth ≥ ⅓
    reason: str | None = None
    """Why more than its own worth decides: "protective", "binding until 2026-10-31" (it is
    held), "list", "answer" (`worth` is that of the list, or of question and answer)."""

    def __str__(self) -> str:
        made = " ".join(f"{name} {value:+.1f}" for name, value in self.parts)
        return (
            f"{self.worth:.2f} = {self.salience:.1f} / √{self.characters} / {self.median:.2f}  "
            f"{shown(self.text)}  ({made})" + (f"  {self.reason}" if self.reason else "")
        )


@dataclass(frozen=True, slots=True)
class Cut:
    """What a node loses next if no link of it is made stronger and the median stays."""

    passes: int  # the pass, by the scope's counter
    form: Form | None  # what it then is; None: forgotten
    lost: tuple[str, ...]  # the sentences that go; of a gist its phrase
    kept: tuple[str, ...]  # what takes their place: clauses, or the phrase of the gist

    def __str__(self) -> str:
        if self.form is None:
            return f"at pass {self.passes} it is forgotten"
        left = f", leaving {' / '.join(map(shown, self.kept))}" if self.kept else ""
        return f"at pass {self.passes} goes: {' / '.join(map(shown, self.lost))}{left}"


@dataclass(frozen=True, slots=True)
class Worth:
    """Why a node is worth keeping, and what of it would go next."""

    node: int
    form: Form
    passes: int  # the scope's pass counter
    sentences: tuple[SentenceWorth, ...]  # of a gist, none
    gist: float | None  # of a gist: the worth of the best sentence dropped last
    importance: float  # 0–4
    links: tuple[Link, ...]  # those that make the importance: the four strongest at most
    kept: str | None  # why it is not cut: "pinned", "in focus", why it is held; None if it is
    next: Cut | None  # None while it is pinned, in focus or held

    def __repr__(self) -> str:
        worths = ", ".join(f"{s.worth:.2f}" for s in self.sentences) or f"{self.gist:.2f}"
        then = self.kept if self.next is None else f"next cut at pass {self.next.passes}"
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
class Step:
    """One thing that happened to a node."""

    what: str  # remembered, used, shortened, gist, forgotten, corrected, revived
    passes: int | None  # at which pass; None where it is not known
    when: datetime | None  # UTC
    why: str
    text: str  # what it said from then on; "" where that did not change
    version: int

    def __str__(self) -> str:
        at = "" if self.passes is None else f"pass {self.passes}: "
        return f"{at}{self.what}" + (f", {self.why}" if self.why else "")


@dataclass(frozen=True, slots=True)
class Life:
    """A node's whole life, as far as the archive reaches."""

    node: int
    steps: tuple[Step, ...]
    worth: Worth | None  # why it is worth keeping now; None once it is forgotten

    def __str__(self) -> str:
        lines = [f"node {self.node}"]
        for step in self.steps:
            lines.append(f"  {step}")
            if step.text:
                lines.append(f"    {shown(step.text)}")
        return "\n".join(lines)


def shown(text: str) -> str:
    """A text in quotes, cut to what fits a line."""
    bare = " ".join(text.split())
    return f"“{bare if len(bare) <= _SHOWN else bare[: _SHOWN - 1] + '…'}”"
