"""A hit: a memory that a recall returned, with its score and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graphmem.values.html import Shown
from graphmem.values.links import Link
from graphmem.values.nodes import Node, ScopedId
from graphmem.values.rendering import dated

_REASONS: Final = {
    "words": "shares words{named} with the cue",
    "vector": "means something near it",
    "activation": "is linked with what matches",
    "focus": "is in focus",
    "session": "is of a session that matches",
    "contrast": "is nearer to it than to what else is near it",
    "question": "answers a question that matches",
    "use": "was used before",
    "speaker": "was said by {who}, whom the cue names",
    "time": "is of {when}, a time that the cue names",
    "recency": "is recent",
    "negation": "says not, as the cue does",
    "currency": "belongs to the statements of what the cue asks for",
    "distance": "is near the focus",
    "semantic": "is of a theme near the cue",
    "episode": "is of an episode of such a theme",
    "message": "was said in such an episode",
}  # other parts are shown by their names
_WITHOUT_SESSION: Final = {"session": "matches as a whole"}


@dataclass(frozen=True, slots=True)
class Hit(Shown):
    """A memory that a recall returned.

    node: the node, as it was when the recall read it.
    score: the sum of the parts. The best match of words alone has 1.0; there is no upper limit, so
        compare hits of one recall only.
    parts: what each rule adds to the score, by name; docs/recall.md describes them.
    path: the links from a node that matches the cue, or is in focus, to this one; empty for such a
        node itself.
    coverage: share of what the cue asks for that the node's words answer, 0–1.
    folded: ids of duplicates by the same speaker, which are therefore no hits.
    earlier: ids of nodes with an outdated value of the same thing, the newest first.
    scope: name of the node's scope: the one that was asked, or a parent.
    """

    node: Node
    score: float
    parts: Mapping[str, float]
    path: tuple[Link, ...]
    coverage: float = 0.0
    folded: tuple[int, ...] = ()
    earlier: tuple[int, ...] = ()
    scope: str = ""

    def __post_init__(self) -> None:
        if scope := self.node.scope:
            for name in ("folded", "earlier"):
                ids = tuple(ScopedId.of(node, scope) for node in getattr(self, name))
                object.__setattr__(self, name, ids)

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
    def speaker(self) -> str | None:
        """The speaker, if given."""
        return self.node.speaker

    @property
    def session(self) -> str | None:
        """The session, if given."""
        return self.node.session

    @property
    def created(self) -> datetime:
        """When it was remembered, in the clock's zone."""
        return self.node.created

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The values given with it, by name."""
        return self.node.metadata

    @property
    def happened(self) -> datetime:
        """When it happened, in the offset that was given; else from when it holds or was
        remembered, in the clock's zone."""
        return dated(self.node)

    @property
    def item(self) -> tuple[str, str] | None:
        """Namespace and key of the item of which it is the text; None if it is no item's."""
        return self.node.item

    @property
    def why(self) -> str:
        """One sentence on why it was returned."""
        # The words of a node include those of its speaker's name.
        named = ", or its speaker's name," if self.parts.get("speaker", 0) > 0 else ""
        filled = {"who": self.speaker, "when": f"{self.happened:%Y-%m-%d}", "named": named}
        phrases = _REASONS if self.node.session is not None else _REASONS | _WITHOUT_SESSION
        reasons = [
            f"{phrases.get(name, f'has {name}').format(**filled)} ({value:.2f})"
            for name, value in sorted(self.parts.items(), key=lambda part: -part[1])
            if value >= 0.005
        ]
        *first, last = reasons or ["has nothing that matches"]
        summary = f"{', '.join(first)} and {last}" if first else last
        sentence = f"Node {self.id} scored {self.score:.2f}: it {summary}"
        if self.path:
            steps = ", ".join(f"{p.relation} ({p.strength:.2f}) to {p.target}" for p in self.path)
            sentence += f"; reached from node {self.path[0].source} over {steps}"
        if self.earlier:
            say = "memory says" if len(self.earlier) == 1 else "memories say"
            sentence += f"; {len(self.earlier)} earlier {say} otherwise"
        if self.folded:
            say = "says" if len(self.folded) == 1 else "say"
            sentence += f"; {len(self.folded)} more {say} the same"
        return f"{sentence}."


NodeLike = Node | Hit | int
"""Anything that names a node: the node, a hit, or its id."""
