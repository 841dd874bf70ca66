"""What is said of a memory's state: retention, health, candidates for cleaning, status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

State = Literal["active", "aging", "stale", "cleanup"]
Policy = Literal["automatic", "confirm", "never", "none"]
Class: TypeAlias = Literal[
    "secret", "expired", "obsolete", "conflicting", "redundant", "trivial", "uncertain"
]

STATES: Final[tuple[State, ...]] = get_args(State)
POLICIES: Final[tuple[Policy, ...]] = get_args(Policy)
CLASSES: Final[tuple[Class, ...]] = get_args(Class)


@dataclass(frozen=True, slots=True)
class Retention:
    """How much of a memory a person would still have, by Ebbinghaus's curve; see lifecycle.md.

    retention = base + boost × (1 − base), base = e^(−days / strength).
    """

    node: int
    days: float  # since the last use, else since it was created
    ttl: float | None  # days that it is meant to last; None: for ever
    strength: float | None  # S in days: ttl / 3 + 10 × uses + 50 if pinned; None: for ever
    base: float  # 0–1; what the policies test
    boost: float  # 0–0.5; pinned 0.5, core 0.3, confidence over 0.9 0.2, more than 5 uses 0.1
    retention: float  # 0–1
    state: str  # active ≥ 0.7, aging ≥ 0.3, stale ≥ 0.1, cleanup; of `retention`
    policy: str
    """What the seed's policies would do: "automatic" (base < 0.1, 90 days without use), "confirm"
    (base 0.1–0.3, 60 days), "never" (pinned or kept), else "none"."""

    def __str__(self) -> str:
        if self.strength is None:
            return f"node {self.node}: R 1.00, {self.state}; it is permanent"
        return (
            f"node {self.node}: R {self.retention:.2f} = {self.base:.2f} + {self.boost:.1f} × "
            f"{1 - self.base:.2f}, {self.state}; {self.days:.1f} days, S {self.strength:.1f}; "
            f"policy {self.policy}"
        )


@dataclass(frozen=True, slots=True)
class Measure:
    """One of the four parts of health."""

    name: str  # active, rot, confidence, conflicts
    value: float  # 0–1
    weight: float  # in the score; of rot and conflicts 1 − value counts
    threshold: float
    healthy: bool  # active, confidence: over the threshold; rot, conflicts: under it

    def __str__(self) -> str:
        side = ">" if self.name in ("active", "confidence") else "<"
        mark = "" if self.healthy else "  !"
        return f"{self.name} {self.value:.2f} ({side} {self.threshold:g}, {self.weight:g}){mark}"


@dataclass(frozen=True, slots=True)
class Health:
    """How healthy a memory is, with what the score is made of."""

    score: int  # 0–100
    level: str  # excellent ≥ 80, good ≥ 60, needs attention
    nodes: int
    parts: tuple[Measure, ...]  # active, rot, confidence, conflicts

    def __str__(self) -> str:
        return f"{self.score} of 100, {self.level}\n" + "\n".join(f"  {p}" for p in self.parts)


@dataclass(frozen=True, slots=True)
class Status:
    """What a memory holds and how it is."""

    nodes: int
    realms: dict[str, int]  # personal, project, universal, ephemeral
    confidence: dict[str, int]  # explicit, inferred, uncertain, noise
    temporality: dict[str, int]
    states: dict[str, int]  # active, aging, stale, cleanup
    health: Health
    budget: dict[str, int | None]  # live_bytes, max_bytes, max_nodes, text_bytes, archive_bytes
    queue: dict[str, int]  # texts that wait to be scored, embedded; that were set aside

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
            )
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that a person may want to clean away."""

    node: int  # 0: see `place`
    kind: str
    """secret, expired, obsolete, conflicting, redundant, trivial or uncertain; in the view of the
    policy its state, stale or cleanup."""
    reason: str
    text: str  # what it says, without secrets
    lost: str  # what goes with it
    archived: bool = False  # only an earlier form, in the archive, is meant
    other: int | None = None
    """The node that stays instead: the newer one, the one that says the same; None if there is
    none, or if a person must say which of two that contradict each other holds."""
    place: str = ""
    """Where a secret is that no node holds: "fact" or the namespace and key of an item. `node` is 0
    then, and `facts.delete` or `items.delete` removes it."""

    def __str__(self) -> str:
        where = self.place or f"node {self.node}"
        return f"{where}, {self.kind}: {self.text} ({self.reason}; goes: {self.lost})"


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What cleaning would do; nothing is done by it."""

    automatic: tuple[Candidate, ...]  # what the policy would forget without asking
    asked: tuple[Candidate, ...]  # what a person is asked about

    def __len__(self) -> int:
        return len(self.automatic) + len(self.asked)

    def __str__(self) -> str:
        lines = [f"without asking: {len(self.automatic)}", *map(str, self.automatic)]
        return "\n".join([*lines, f"asked: {len(self.asked)}", *map(str, self.asked)])
