"""Holding: the sentences that do not fade with links, and how many of them there may be
(docs/forgetting.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from functools import lru_cache
from heapq import heappop, heappush
from typing import Final

from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.values.moments import moment
from graphmem_worker.text.particulars import SURE, is_clearly_particular, is_particular
from graphmem_worker.text.protects import (
    PROTECTIONS,
    Protection,
    binds_in_words,
    is_surely_binding,
    last_day,
    likeliest,
    protects,
)

UNDATED: Final = timedelta(365)  # for which a commitment without a date is binding
HINTED: Final = timedelta(180)  # … and one in everyday words
SHARE: Final = 0.4  # of a budget, for sentences that only holding keeps
LASTING: Final = ("protective", "particular")  # reasons that never end
LASTING_SHARE: Final = 0.8  # of a budget, including the clauses held for `LASTING` reasons

Held = Callable[[str], str | None]
"""Why a sentence is held; None if it is not."""


def holder(text: TextRecord, record: NodeRecord, now: int, *, fades: bool) -> Held:
    """A function that returns why a sentence of a node is held at `now` (microseconds since 1970,
    UTC). fades: nodes fade by passes; fewer sentences are held then, see `reason`."""
    if record.valid_to is not None:
        return lambda sentence: None
    day, today = _days(text, now)
    by_vector = _by_vector(record)
    protected = likeliest(text.spans, by_vector) if by_vector else None

    def held(sentence: str) -> str | None:
        protection = by_vector if sentence == protected else None
        return reason(sentence, day, today, protection, fades=fades)

    return held


def stands_alone(record: NodeRecord, text: TextRecord, now: int) -> bool:
    """Whether a sentence of a node protects somebody, surely holds a particular, or names a day
    after `now`: texts that differ from it in figures alone do not replace it."""
    day, today = _days(text, now)
    return _by_vector(record) == "protective" or any(
        protects(sentence) == "protective"
        or is_particular(sentence, SURE)
        or (last_day(sentence, day) or today) > today
        for sentence in text.spans
    )


def _by_vector(record: NodeRecord) -> Protection | None:
    """The protection that was judged by the vector of a node."""
    return PROTECTIONS[record.protection - 1] if record.protection else None


def _days(text: TextRecord, now: int) -> tuple[date, date]:
    """The day on which a text was said, and the day of `now` in the same time zone."""
    if text.happened is None:
        return moment(text.created).date(), moment(now).date()
    return moment(*text.happened).date(), moment(now, text.happened[1]).date()


@lru_cache(maxsize=4096)  # a full memory asks the same of what it holds at each write
def reason(
    sentence: str,
    day: date,
    today: date,
    by_vector: Protection | None = None,
    *,
    fades: bool = False,
) -> str | None:
    """Why a sentence said on `day` is held today: "protective", "particular" or "binding until
    2026-10-31"; None if it is not, or no longer. by_vector: the protection judged by its vector.
    fades: nodes fade by passes; a particular is held only if a table lists it, a commitment only
    if its words bind."""
    protection = protects(sentence)
    if protection is None or by_vector == "protective":
        protection = by_vector
    if fades and protection == "binding" and not binds_in_words(sentence):
        protection = None
    if protection == "protective":
        return protection
    if is_clearly_particular(sentence):
        return "particular"
    until = last_day(sentence, day) if protection == "binding" else None
    if until is None:
        if not fades and is_particular(sentence):
            return "particular"
        from graphmem_worker.kinds import instructs  # loads its head

        is_rule = instructs(sentence)
        if protection is None and not is_rule:
            return None
        lasts = UNDATED if is_rule or is_surely_binding(sentence) else HINTED
        until = day + min(lasts, date.max - day)
    return f"binding until {until}" if until >= today else None


_Rank = tuple[bool, bool, bool, int, int, int, int]
"""Whether it is held without end, is down to its clauses, is protective by a pattern; uses, pass of
the last use, minus the bytes held, node. The least is released first; of two with equal use the
longer, so that more of them have room.
"""


class Holdings:
    """The nodes that are kept only because they are held, the least used first.

    In memory only: each such node is examined every few passes, and noted again.
    """

    def __init__(self) -> None:
        self.nodes: dict[int, tuple[int, _Rank]] = {}
        """Node → bytes held, rank."""
        self._order: list[_Rank] = []
        self.bytes = 0

    def note(
        self,
        node: int,
        size: int,
        record: NodeRecord,
        *,
        lasting: bool,
        tight: bool,
        by_pattern: bool = True,
        behind: Iterable[int] = (),
    ) -> None:
        """Note that `size` bytes of a node are held; 0: none are. tight: it is down to its clauses.
        by_pattern: it is protective by a pattern, not only by the sum of its words. behind: nodes
        that are released before it."""
        _, before = self.nodes.get(node, (0, None))
        self.drop(node)
        if size:
            rank = (lasting, tight, by_pattern, record.uses, record.last_use, -size, node)
            for other in filter(self.nodes.__contains__, behind):
                lasting, _, by_pattern, uses, used, *_ = self.nodes[other][1]
                rank = max(rank, (lasting, True, by_pattern, uses, used, 0, node))
            self.nodes[node] = (size, rank)
            self.bytes += size
            if rank != before:
                heappush(self._order, rank)

    def drop(self, node: int) -> None:
        if node in self.nodes:
            self.bytes -= self.nodes.pop(node)[0]

    def least(self, budget: float) -> tuple[int, bool] | None:
        """Remove and return the node to release next, and whether it is down to its clauses; None
        while the held bytes are within their shares of `budget` bytes. Order: see `_Rank`."""
        while self._order and self.bytes > SHARE * budget:
            rank = self._order[0]
            node = rank[-1]
            current = node in self.nodes and self.nodes[node][1] == rank
            lasting, tight = rank[:2]
            if current and lasting and tight and self.bytes <= LASTING_SHARE * budget:
                return None
            heappop(self._order)
            if current:
                self.drop(node)
                return node, tight
        return None
