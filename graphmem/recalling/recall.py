"""What a recall returns: hits with their scores and paths, the text, what it once knew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, overload

from graphmem.graph.records import Node
from graphmem.graph.view import Link, Tombstone
from graphmem.recalling import context
from graphmem.recalling.context import TokenCounter

if TYPE_CHECKING:
    from graphmem.recalling.trace import Trace

LEAST_TOLD: Final = 0.06  # of the best hit's score; below it a hit is not in the text

_REASONS: Final = {
    "words": "shares words with the cue",
    "vector": "means something near it",
    "activation": "is linked with what matches",
    "focus": "is in focus",
    "session": "is of a session that matches",
    "use": "was used before",
    "speaker": "was said by {who}, whom the cue names",
    "time": "is of {when}, a time that the cue names",
    "recency": "is recent",
    "importance": "is well linked",
    "distance": "is near the focus",
}  # a part without one is told by its name


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that came back."""

    node: Node
    score: float  # sum of the parts; 1.0 is the best match of words
    parts: Mapping[str, float]  # what it is the sum of; see docs/recall.md
    path: tuple[Link, ...]  # from an entry node to this one; empty for an entry node
    coverage: float = 0.0  # share of what the cue asks for that its words answer, 0–1
    folded: tuple[int, ...] = ()  # ids of nodes by the same speaker that say the same

    def __repr__(self) -> str:
        return f"<Hit {self.id} {self.score:.2f} {self.text[:60]!r}>"

    def __str__(self) -> str:
        return self.text

    @property
    def id(self) -> int:
        """The node's id."""
        return self.node.id

    @property
    def text(self) -> str:
        """The node's text, or its gist."""
        return str(self.node)

    @property
    def why(self) -> str:
        """One sentence on why it came back."""
        filled = {"who": self.node.speaker, "when": self._day}
        reasons = [
            f"{_REASONS.get(name, f'has {name}').format(**filled)} ({value:.2f})"
            for name, value in sorted(self.parts.items(), key=lambda part: -part[1])
            if value >= 0.005
        ]
        *first, last = reasons or ["has nothing that matches"]
        told = f"{', '.join(first)} and {last}" if first else last
        sentence = f"Node {self.id} scored {self.score:.2f}: it {told}"
        if self.path:
            steps = ", ".join(f"{p.relation} ({p.strength:.2f}) to {p.target}" for p in self.path)
            sentence += f"; reached from node {self.path[0].source} over {steps}"
        if self.folded:
            sentence += f"; {len(self.folded)} more say the same"
        return f"{sentence}."

    @property
    def _day(self) -> str:
        return f"{self.node.happened or self.node.created:%Y-%m-%d}"


class Recall(Sequence[Hit]):
    """Hits, best first. Read-only; made by `Memory.recall`."""

    def __init__(
        self,
        cue: str,
        hits: Sequence[Hit] | Callable[[], Sequence[Hit]],
        further: Sequence[Node],
        dangling: Sequence[Tombstone],
        tokens: int | None,
        counter: TokenCounter,
        trace: Trace | None = None,
    ) -> None:
        self.cue = cue
        self.trace = trace
        """What it did, if that was asked for: `str(…)` and `.svg()`."""
        self.dangling = tuple(dangling)
        self.tokens = tokens
        self.notes: tuple[str, ...] = ()
        """What was left out, and why: a sentence each, such as that the vectors were late."""
        if callable(hits):
            self._made = hits
        else:
            self._hits = tuple(hits)
        self._further = tuple(further)
        self._counter = counter

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self._hits[index]

    def __len__(self) -> int:
        return len(self._hits)

    @cached_property
    def _hits(self) -> tuple[Hit, ...]:
        """From another process they come packed, and are made when they are first looked at."""
        return tuple(self._made())

    @property
    def text(self) -> str:
        """The memories as lines with date and speaker, within `tokens`.

        What was said in one session, or remembered in one go, stands together and in order, the
        best of it first; a line of the same day as the one before leaves the date out. With a
        budget, memories ranked behind the hits, mostly neighbours of theirs, fill what is left of
        it; of a best hit that does not fit, as much as does. Hits that score under 6 % of the best
        have little to do with the cue, and are left out. What has faded to nothing is named in one
        line at the end; what was corrected or forgotten on purpose is not.
        """
        text = "\n".join(self._told[1])
        faded = [stone.phrase for stone in self.dangling if stone.why in ("faded", "slot")]
        if faded:
            closing = f"(once known, forgotten: {'; '.join(faded[:3])})"
            longer = f"{text}\n{closing}" if text else closing
            if self.tokens is None or self._counter(longer) <= self.tokens:
                return longer
        return text

    @property
    def included(self) -> tuple[int, ...]:
        """The ids of the nodes whose lines are in `text`, in its order."""
        return tuple(self._told[0])

    @cached_property
    def _told(self) -> tuple[list[int], list[str]]:
        least = LEAST_TOLD * self._hits[0].score if self._hits else 0.0
        nodes = [hit.node for hit in self._hits if hit.score >= least]
        if self.tokens is not None:
            nodes += self._further
        copies = {hit.id: len(hit.folded) for hit in self._hits if hit.folded}
        return context.told(nodes, copies, self.tokens, self._counter)

    def __repr__(self) -> str:
        first = "; ".join(f"{hit.score:.2f} {hit.text[:40]!r}" for hit in self._hits[:3])
        return f"<Recall {self.cue[:40]!r}: {len(self)} hits{': ' if first else ''}{first}>"

    def __str__(self) -> str:
        return self.text
