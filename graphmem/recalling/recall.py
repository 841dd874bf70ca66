"""What a recall returns: hits with their scores and paths, the text, what it once knew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, overload

from graphmem.graph.records import Node
from graphmem.graph.view import Link, Tombstone
from graphmem.recalling import context
from graphmem.recalling.context import TokenCounter

LEAST_TOLD: Final = 0.06  # of the best hit's score; below it a hit is not in the text


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that came back."""

    node: Node
    score: float  # sum of the parts; 1.0 is the best match of words
    parts: Mapping[str, float]  # words, vector, activation, session, use, focus
    path: tuple[Link, ...]  # from an entry node to this one; empty for an entry node
    coverage: float = 0.0  # share of what the cue asks for that its words answer, 0–1

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
        reasons = [f"{name} {value:.2f}" for name, value in self.parts.items() if value >= 0.005]
        by = f"scored {self.score:.2f} ({', '.join(reasons) or 'nothing matched'})"
        if not self.path:
            return f"Node {self.id} {by}."
        steps = " → ".join(
            (
                str(self.path[0].source),
                *(f"[{p.relation} {p.strength:.2f}] {p.target}" for p in self.path),
            )
        )
        return f"Node {self.id} {by}, reached over {steps}."


class Recall(Sequence[Hit]):
    """Hits, best first. Read-only; made by `Memory.recall`."""

    def __init__(
        self,
        cue: str,
        hits: Sequence[Hit],
        further: Sequence[Node],
        dangling: Sequence[Tombstone],
        tokens: int | None,
        counter: TokenCounter,
    ) -> None:
        self.cue = cue
        self.dangling = tuple(dangling)
        self.tokens = tokens
        self.notes: tuple[str, ...] = ()
        """What was left out, and why: a sentence each, such as that the vectors were late."""
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

    @property
    def text(self) -> str:
        """The memories as lines with date and speaker, best first, within `tokens`.

        With a budget, memories ranked behind the hits fill what is left of it; of a best hit that
        does not fit, as much as does. Hits that score under 6 % of the best have little to do with
        the cue, and are left out. What has faded to nothing is named in one line at the end;
        what was corrected or forgotten on purpose is not.
        """
        lines = self._lines
        faded = [stone.phrase for stone in self.dangling if stone.why in ("faded", "slot")]
        if faded:
            lines.append(f"(once known, forgotten: {'; '.join(faded[:3])})")
        return "\n".join(lines[place] for place in self._fitting(lines))

    @property
    def included(self) -> tuple[int, ...]:
        """The ids of the nodes whose lines are in `text`, in its order."""
        return tuple(self._nodes[place].id for place in self._fitting(self._lines))

    @property
    def _nodes(self) -> list[Node]:
        least = LEAST_TOLD * self._hits[0].score if self._hits else 0.0
        nodes = [hit.node for hit in self._hits if hit.score >= least]
        return nodes if self.tokens is None else [*nodes, *self._further]

    @property
    def _lines(self) -> list[str]:
        lines = [context.line(node) for node in self._nodes]
        if self.tokens is not None and lines and self._counter(lines[0] + "\n") > self.tokens:
            lines[0] = context.shortened(self._nodes[0], self.tokens, self._counter)
        return lines

    def _fitting(self, lines: Sequence[str]) -> list[int]:
        return context.fitting(lines, self.tokens, self._counter)

    def __repr__(self) -> str:
        first = "; ".join(f"{hit.score:.2f} {hit.text[:40]!r}" for hit in self._hits[:3])
        return f"<Recall {self.cue[:40]!r}: {len(self)} hits{': ' if first else ''}{first}>"

    def __str__(self) -> str:
        return self.text
