"""A question: what a recall is asked, and what its hits must be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.recalling.where import Conditions
from graphmem.values.moments import micros
from graphmem.values.rendering import TokenCounter


@dataclass(frozen=True, slots=True)
class Filter:
    """What a hit must be."""

    session: str | None = None
    speaker: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: int | None = None
    """Microseconds since 1970: it held then."""
    now: int | None = None
    """Without `as_of`: it has not been replaced by then."""
    where: Conditions | None = None
    """Conditions on metadata and kind."""
    known_at: int | None = None
    """Microseconds since 1970: what was known then, see `known`."""
    shared: bool = False
    """It was remembered as shared."""
    among: frozenset[int] | None = None
    """It is one of these."""
    without: frozenset[int] = frozenset()
    """It is none of these."""

    @property
    def empty(self) -> bool:
        """True if it lets everything through that has not been replaced."""
        return self == Filter(now=self.now)

    def admits(self, node: int, text: TextRecord, record: NodeRecord) -> bool:
        """Whether a node may be a hit; one without a date is dated by when it was remembered."""
        if not self.may_be(node):
            return False
        if not self.holds(text, record) or (self.shared and not record.shared):
            return False
        if self.session is not None and text.session != self.session:
            return False
        if self.speaker is not None and (text.speaker or "").casefold() != self.speaker.casefold():
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
        """Whether a node holds at the moment that is asked for."""
        if self.as_of is None:
            return record.valid_to is None or self.now is None or self.now < record.valid_to
        begun = text.valid_from if record.valid_from is None else record.valid_from
        return begun <= self.as_of and (record.valid_to is None or self.as_of < record.valid_to)


@dataclass(frozen=True, slots=True)
class Question:
    """What a recall is asked, checked."""

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
    """All but the best is cut."""
    fill: bool = False
    """What a budget has left is filled with all that was found, however little it has to do with
    the cue. Then it is lines that are wanted: hits do not say over which links they were reached,
    and nothing is traced."""
    among: Mapping[str, frozenset[int]] | None = None
    """By the name of a parent: the nodes of it that may be hits; None: any. Those of the scope that
    is asked are in `only`."""
    without: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """The same of those that may not."""

    def of_parent(self, name: str) -> Question:
        """What a parent is asked: for what it shares."""
        among = None if self.among is None else self.among.get(name, frozenset())
        without = self.without.get(name, frozenset())
        only = replace(self.only, shared=True, among=among, without=without)
        return replace(self, only=only, trace=False)
