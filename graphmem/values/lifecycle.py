"""Reports on a memory's state: retention, health, candidates for cleaning, status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from graphmem.values.html import Shown

State = Literal["active", "aging", "stale", "cleanup"]
Policy = Literal["automatic", "confirm", "never", "none"]
Class: TypeAlias = Literal[
    "secret", "expired", "obsolete", "conflicting", "redundant", "trivial", "uncertain"
]

STATES: Final[tuple[State, ...]] = get_args(State)
POLICIES: Final[tuple[Policy, ...]] = get_args(Policy)
CLASSES: Final[tuple[Class, ...]] = get_args(Class)


@dataclass(frozen=True, slots=True)
class Retention(Shown):
    """How much of a memory a person would retain, by Ebbinghaus's curve; see docs/validity.md.

    retention = base + boost × (1 − base), base = e^(−days / strength).

    days: days since the last use, else since it was created.
    ttl: days that it is expected to last; None: for ever.
    strength: S in days: ttl / 3 + 10 × uses + 50 if pinned; None: for ever.
    base: 0–1; what the policies test.
    boost: the sum, at most 0.5, of 0.5 if pinned, 0.3 if core (`keep`), 0.2 for a confidence over
        0.9, 0.1 for more than 5 uses.
    retention: 0–1.
    state: of `retention`: active from 0.7, aging from 0.3, stale from 0.1, cleanup below.
    policy: what OpenMemory Plus would do: "automatic" (base < 0.1, 90 days without use),
        "confirm" (base 0.1–0.3, 60 days), "never" (pinned or kept), else "none".
    """

    node: int
    days: float
    ttl: float | None
    strength: float | None
    base: float
    boost: float
    retention: float
    state: str
    policy: str

    def __str__(self) -> str:
        if self.strength is None:
            return f"node {self.node}: R 1.00, {self.state}; it is permanent"
        return (
            f"node {self.node}: R {self.retention:.2f} = {self.base:.2f} + {self.boost:.1f} × "
            f"{1 - self.base:.2f}, {self.state}; {self.days:.1f} days, S {self.strength:.1f}; "
            f"policy {self.policy}"
        )


@dataclass(frozen=True, slots=True)
class Measure(Shown):
    """One of the four parts of health.

    name: active, rot, confidence, conflicts.
    value: 0–1.
    weight: its share of the score, to which rot and conflicts add 1 − value.
    healthy: active, confidence: over the threshold; rot, conflicts: under it.
    """

    name: str
    value: float
    weight: float
    threshold: float
    healthy: bool

    def __str__(self) -> str:
        side = ">" if self.name in ("active", "confidence") else "<"
        mark = "" if self.healthy else "  !"
        return f"{self.name} {self.value:.2f} ({side} {self.threshold:g}, {self.weight:g}){mark}"


@dataclass(frozen=True, slots=True)
class Health(Shown):
    """How healthy a memory is: a score and its parts.

    score: 0–100.
    level: excellent from 80, good from 60, else needs attention.
    parts: its measures: active, rot, confidence, conflicts.
    """

    score: int
    level: str
    nodes: int
    parts: tuple[Measure, ...]

    def __str__(self) -> str:
        return f"{self.score} of 100, {self.level}\n" + "\n".join(f"  {p}" for p in self.parts)


@dataclass(frozen=True, slots=True)
class Status(Shown):
    """The contents and the state of a memory.

    realms: how many nodes are personal, project, universal, ephemeral.
    confidence: how many are explicit, inferred, uncertain, noise.
    states: how many are active, aging, stale, cleanup.
    budget: forgetting, max_bytes, max_nodes, used (0–1, None without a budget), next (the nodes
        that would go first for room), memory_bytes (which max_bytes limits), kept_bytes (facts and
        items), live_bytes (both), text_bytes, archive_bytes.
    queue: how many texts wait to be scored and to be embedded, and how many were set aside.
    notes: what the figures omit or estimate, a sentence each.
    """

    nodes: int
    realms: dict[str, int]
    confidence: dict[str, int]
    temporality: dict[str, int]
    states: dict[str, int]
    health: Health
    budget: dict[str, Any]
    queue: dict[str, int]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        def row(counts: dict[str, int]) -> str:
            return ", ".join(f"{name} {number}" for name, number in counts.items())

        return "\n".join(
            (
                f"{self.nodes} nodes",
                f"realm: {row(self.realms)}",
                f"confidence: {row(self.confidence)}",
                f"temporality: {row(self.temporality)}",
                f"state: {row(self.states)}",
                f"health: {self.health}",
                f"budget: {self.room}",
                f"bytes: {self.budget['memory_bytes']:,}, facts and items "
                f"{self.budget['kept_bytes']:,}, archive {self.budget['archive_bytes']:,}",
                f"waiting to be scored {self.queue['scored']}, embedded {self.queue['embedded']}; "
                f"set aside {self.queue['set_aside']}",
            )
        )

    @property
    def room(self) -> str:
        """How much of the budget is used and which nodes are forgotten next, in words."""
        if (used := self.budget["used"]) is None:
            return "none, so nothing is forgotten for room"
        first = self.budget["next"]
        then = f"; next to go: {', '.join(f'node {node}' for node in first)}" if first else ""
        return f"{100 * used:.0f} % used{then}"


@dataclass(frozen=True, slots=True)
class Candidate(Shown):
    """A memory that a person may want to clean away.

    node: the id of the node; 0 if no node holds it: see `place`.
    kind: secret, expired, obsolete, conflicting, redundant, trivial or uncertain; in the view
        by policy its state, stale or cleanup.
    text: the node's text, without secrets.
    lost: what is lost with it: sentences, links.
    archived: True if only an earlier form, in the archive, is concerned.
    other: the node that stays instead: the newer one or the duplicate; None if there is none.
    place: where a secret is that no node holds: "fact" or the namespace and key of an item.
        `node` is 0 then, and `graph.facts.delete` or `items.delete` removes it.
    sure: False if only the guard's tagger, and none of its rules, finds a secret:
        `graphmem review clean` then archives the node instead of erasing it.
    """

    node: int
    kind: str
    reason: str
    text: str
    lost: str
    archived: bool = False
    other: int | None = None
    place: str = ""
    sure: bool = True

    def __str__(self) -> str:
        where = self.place or f"node {self.node}"
        return f"{where}, {self.kind}: {self.text} ({self.reason}; goes: {self.lost})"


@dataclass(frozen=True, slots=True)
class Cleaning(Shown):
    """What cleaning would do; it changes nothing.

    automatic: the nodes that the policy would forget without asking.
    asked: the nodes that a person must decide on.
    """

    automatic: tuple[Candidate, ...]
    asked: tuple[Candidate, ...]

    def __len__(self) -> int:
        return len(self.automatic) + len(self.asked)

    def __str__(self) -> str:
        lines = [f"without asking: {len(self.automatic)}", *map(str, self.automatic)]
        return "\n".join([*lines, f"asked: {len(self.asked)}", *map(str, self.asked)])
