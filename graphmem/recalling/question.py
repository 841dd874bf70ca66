"""A question: the checked arguments of a recall, and the filter of its hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.recalling.where import Conditions
from graphmem.values.moments import micros
from graphmem.values.rendering import TokenCounter
from graphmem_worker.text.words import folded


@dataclass(frozen=True, slots=True)
class Filter:
    """The conditions that a hit must meet; each field's default sets none."""

    session: str | None = None
    speaker: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: int | None = None
    """Microseconds since 1970: the moment at which a hit held."""
    now: int | None = None
    """Without `as_of`: the moment by which a hit is not replaced; None: replaced ones count."""
    where: Conditions | None = None
    """Conditions on metadata and kind."""
    known_at: int | None = None
    """Microseconds since 1970: the moment at which a hit was known, see `known`."""
    shared: bool = False
    """True: a hit was remembered as shared."""
    among: frozenset[int] | None = None
    """A hit is one of these nodes."""
    without: frozenset[int] = frozenset()
    """A hit is none of these nodes."""

    @property
    def empty(self) -> bool:
        """True if it admits every node that has not been replaced."""
        return self == Filter(now=self.now)

    def admits(self, node: int, text: TextRecord, record: NodeRecord) -> bool:
        """Whether a node may be a hit; without `happened` it is dated by when it was remembered."""
        if not self.may_be(node):
            return False
        if not self.holds(text, record) or (self.shared and not record.shared):
            return False
        if self.session is not None and text.session != self.session:
            return False
        if self.speaker is not None and folded(text.speaker or "") != folded(self.speaker):
            return False
        when = text.created if text.happened is None else text.happened[0]
        if self.since is not None and when < micros(self.since):
            return False
        if self.until is not None and when >= micros(self.until):
            return False
        return self.where is None or self.where.admits(text, record)

    def may_be(self, node: int) -> bool:
        """Whether a node may be a hit, as far as its id says."""
        return node not in self.without and (self.among is None or node in self.among)

    def holds(self, text: TextRecord, record: NodeRecord) -> bool:
        """Whether a node holds at `as_of`, or else at `now`."""
        if self.as_of is None:
            return record.valid_to is None or self.now is None or self.now < record.valid_to
        begun = text.valid_from if record.valid_from is None else record.valid_from
        return begun <= self.as_of and (record.valid_to is None or self.as_of < record.valid_to)


@dataclass(frozen=True, slots=True)
class Question:
    """The checked arguments of a recall."""

    cue: str
    relations: Sequence[str]
    depth: int
    limit: int
    tokens: int | None
    only: Filter
    mode: str
    counter: TokenCounter
    trace: bool
    cut: bool = True
    strict: bool = False
    """Only the best candidate is a hit, and none is if it is probably no answer."""
    fill: bool = False
    """The rest of a budget is filled with all that was found, however little it matches. Only the
    lines are wanted then: hits have no path, and there is no trace."""
    among: Mapping[str, frozenset[int]] | None = None
    """Name of a parent → the nodes of it that may be hits; None: any. Those of the scope itself are
    in `only`."""
    without: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Name of a parent → the nodes of it that may not be hits."""

    def of_parent(self, name: str) -> Question:
        """The question for a parent, whose shared memories may be hits."""
        among = None if self.among is None else self.among.get(name, frozenset())
        without = self.without.get(name, frozenset())
        only = replace(self.only, shared=True, among=among, without=without)
        return replace(self, only=only, trace=False)
