"""Conflicts: memories that tell different values of one thing, found without reading all of them.

What a new memory claims is compared with the memories that its rarest content words, or the words
of its slot, bring out of the word index. One row is kept for each pair, of the two ids and the
kind; slot and values are read out of the texts again, which may have been shortened since.

Which of two holds is proposed only where the newer one ends or changes, in words, what the older
one states of the same subject (`superseding`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from itertools import filterfalse, islice
from math import inf
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np

from graphmem.errors import InvalidArgumentError
from graphmem.graph.kinds import kind_of
from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.view import View
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.spaces import Declared, Salvage
from graphmem.hexastore.transaction import Transaction
from graphmem.index.words.index import WordReader
from graphmem.index.words.postings import NOTHING, Nodes, positions, summed
from graphmem.lifecycle import offering
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store
from graphmem.values.conflicts import Conflict
from graphmem.values.moments import moment
from graphmem.values.nodes import Node
from graphmem.values.remembered import Replaceable
from graphmem_worker.claims import Claim, areas, claims, strongest
from graphmem_worker.claims.statements import is_grammar, states, tells_change
from graphmem_worker.claims.superseding import (
    How,
    Superseding,
    are_apart,
    may_be_sure,
    may_replace,
    superseding,
)
from graphmem_worker.text.frames import elsewhere
from graphmem_worker.text.words import words

FEATURE: Final = "conflicts"
_KINDS: Final = ("version", "preference", "time")
_DISMISSED: Final = 0x80
_MARK: Final = bytes(16)  # the row that says up to which node all are compared
_SENTENCES: Final = 8  # of a memory that are compared
_WORDS: Final = 6  # rarest words of a sentence that another memory holds too, …
_LOOKED_UP: Final = 48  # … looked for among so many
_TELLING: Final = 3.0  # rarity of a word that about 5 % of the memories hold: such are left out
_COMMON: Final = 512  # nodes that hold a word; of a word of more, only the newest count
_COMPARED: Final = 12  # memories that one sentence is compared with for either reason
_TOLD_SO: Final = 2.0  # what such a word of the slot adds to a memory that holds a rare word too
_SLOT_WEIGHT: Final = 0.5  # of a word of the slot, in nats of rarity
_AT_ONCE: Final = 64  # nodes that one transaction marks as compared
_COLD: Final = 64  # comparisons of a process that load tables and compile expressions
_LOADING: Final = 1.0  # seconds that they may take of one memory
_SHARED: Final = 2  # rarest words that two memories are compared by
_ASKS: Final = ("?", "？")
_WHY: Final[Mapping[How, str]] = {
    "ends": "the new one says that this is over",
    "changes": "the new one says that this changed",
    "states": "the new one gives another value",
    "may": "the new one may give another value",
}
_SLOT_WORDS: Final[Mapping[str, str]] = {
    "residence": "live lives living moved moving relocated based home settled "
    "住 搬 住在 搬到 搬去 搬家 定居",
    "employer": "work works working joined hired employed job 工作 上班 入职 跳槽 加入",
    "job": "work works job promoted became engineer manager director 工作 当 升 转岗 经理 总监",
    "team": "team 组 部门 团队",
    "marital": "married single divorced engaged 结婚 离婚 单身 订婚",
    "age": "old turned years 岁",
    "called": "called named name 叫 名字",
    "choice:diet": "vegetarian vegan meat 吃素 吃肉",
    "diet": "vegetarian vegan meat 吃素 吃肉",
}
"""Words with which other sentences tell the same slot; for what a person has one of."""


def _wrong(key: bytes, value: bytes) -> str | None:
    if key == _MARK:
        return None if len(value) == 8 else "how far conflicts were looked for cannot be read"
    if len(value) != 1 or value[0] & ~_DISMISSED >= len(_KINDS):
        return "a conflict is of no known kind"
    return None


def _dump(key: bytes, value: bytes) -> list[int]:
    return [
        int.from_bytes(key[:8], "big"),
        int.from_bytes(key[8:], "big"),
        int.from_bytes(value, "big"),
    ]


def _load(record: Any) -> tuple[bytes, bytes]:
    newer, older, value = record
    key = keys.u64(newer) + keys.u64(older)
    row = keys.u64(value) if key == _MARK else bytes((value,))
    if (fault := _wrong(key, row)) is not None:
        raise ValueError(fault)
    return key, row


SPACES: Final = (
    Declared(
        Space.CONFLICT, 16, (1, 8), Salvage.COPIED, wrong=_wrong,
        record="conflict", dump=_dump, load=_load,
    ),
)  # fmt: skip


class _Sentence(NamedTuple):
    text: str
    claims: tuple[Claim, ...]
    areas: frozenset[str]


@lru_cache(1 << 12)
def _read(spans: tuple[str, ...], speaker: str | None) -> tuple[_Sentence, ...]:
    """The sentences of a memory that state something."""
    found = []
    for span in islice(spans, _SENTENCES):
        said = span.strip()
        claimed = claims(said, speaker=speaker)
        if claimed or states(said):
            found.append(_Sentence(said, claimed, areas(said)))
    return tuple(found)


def _claiming(side: _Side) -> list[_Sentence]:
    """The sentences of a memory that claim something."""
    return [said for said in _read(side.said, side.text.speaker) if said.claims]


def claims_anything(node: Node) -> bool:
    """Whether a memory states something that another one may contradict."""
    return bool(_read(node.sentences, node.speaker))


class _Side(NamedTuple):
    node: int
    record: NodeRecord
    text: TextRecord

    @property
    def since(self) -> int:
        return self.text.valid_from if self.record.valid_from is None else self.record.valid_from

    @property
    def said(self) -> tuple[str, ...]:
        """Its sentences; of a gist the clause that is left."""
        return self.text.spans or (self.text.phrase,)

    @property
    def seen(self) -> Node:
        return as_node(self.node, self.text, self.record)


def _why(older: _Side, newer: _Side) -> str:
    told = _superseding(older, newer)
    return _WHY["may" if told is None else told.how]


def _superseding(older: _Side, newer: _Side) -> Superseding | None:
    return superseding(
        _sentences(older), _sentences(newer), (older.text.speaker, newer.text.speaker)
    )


@lru_cache(1 << 12)
def _words(spans: tuple[str, ...]) -> frozenset[str]:
    """The index words of a memory that may relate it to another one."""
    return frozenset(filterfalse(is_grammar, words(" ".join(spans))))


def _sentences(side: _Side) -> tuple[str, ...]:
    return tuple(said for span in side.said[:_SENTENCES] if (said := span.strip()))


def _in_order(one: _Side, other: _Side) -> tuple[_Side, _Side]:
    """The one that holds since later is the newer."""
    older, newer = sorted((one, other), key=lambda side: (side.since, side.node))
    return older, newer


def _compared(one: _Side, other: _Side) -> Conflict | None:
    """The conflict of two memories that both hold."""
    older, newer = _in_order(one, other)
    if older.record.valid_to is not None or newer.record.valid_to is not None:
        return None
    speakers = older.text.speaker, newer.text.speaker
    said, after = _sentences(newer), _claiming(newer)
    if not after and not may_be_sure(said, speakers[1]):
        return None  # as mostly
    if _apart(*speakers) or are_apart(_sentences(older), said, speakers):
        return None
    best = None
    for a in _claiming(older) if after else ():
        for b in after:
            if a.text == b.text or elsewhere(a.text, b.text):
                continue
            found = strongest(a.claims, b.claims, a.areas, b.areas)
            if found is not None and (best is None or (found.replaces and not best.replaces)):
                best = found
    told = _superseding(older, newer)
    is_sure = told is not None and told.is_sure
    if best is None and not is_sure:
        return None
    dates = moment(older.since), moment(newer.since)
    keep = (
        newer.node if is_sure or (best is not None and best.replaces and told is not None) else None
    )
    if best is None:
        return Conflict("time", "", ("", ""), older.seen, newer.seen, keep, False, dates)
    realms = _realm(newer), _realm(older)
    if best.kind == "version" and not best.replaces and realms == ("personal", "project"):
        keep = older.node  # what somebody runs himself does not change what the project runs
    slot = best.newer.slot if best.newer.slot != "uses" else best.older.slot
    values = best.older.value, best.newer.value
    return Conflict(best.kind, slot, values, older.seen, newer.seen, keep, best.replaces, dates)


def _realm(side: _Side) -> str:
    return kind_of(side.record, side.text).realm


def _apart(one: str | None, other: str | None) -> bool:
    """Whether one of two sayers is known and the other is not: "I" may be two people then."""
    return (one is None) != (other is None)


class _Scored:
    """The memories that hold some words, each with what these are worth together."""

    def __init__(self, holding: Sequence[tuple[Nodes, float]]) -> None:
        """holding: the memories that hold a word, with what it is worth."""
        nodes = [held for held, _ in holding]
        worth = np.repeat([each for _, each in holding], [*map(len, nodes)])
        self._nodes, self._worth = summed(np.concatenate((NOTHING.nodes, *nodes)), worth)

    def add(self, index: WordReader, given: Iterable[str], patience: Patience) -> bool:
        """Let those that hold a word gain from it; False if time is over."""
        for word in given if len(self._nodes) else ():
            if patience.is_over():
                return False
            holding = index.find(word).among(self._nodes).nodes
            self._worth[positions(self._nodes, holding)] += _TOLD_SO
        return True

    def ordered(self) -> Iterator[int]:
        """The worthiest first, of equal ones the newest."""
        order = np.argsort(-self._worth[::-1], kind="stable")
        return iter(self._nodes[::-1][order].tolist())


def _others(index: WordReader, word: str, own: int) -> Nodes:
    """The newest memories that hold a word, without one."""
    newest = index.find(word).nodes[-_COMMON:]
    others: Nodes = newest[newest != own]
    return others


class Patience:
    """How long to look for what a memory contradicts; `ran_out` says whether that was too short.
    The time in which a process loads what comparing takes, at most a second, is not counted."""

    compared = 0  # memories, by this process

    def __init__(self, seconds: float = inf) -> None:
        self._seconds, self._begun = seconds, perf_counter()
        self._until = self._begun + seconds
        self.ran_out = False

    def is_over(self) -> bool:
        now = perf_counter()
        if Patience.compared < _COLD and now < self._begun + _LOADING:
            self._until = now + self._seconds
        self.ran_out = now > self._until
        return self.ran_out


@dataclass(slots=True)
class Conflicts:
    """Finds and keeps the conflicts of one scope."""

    store: Store
    scope: Scope
    rarity: Callable[[str], float]
    """How rare an index word is; more is rarer."""

    # -- finding ------------------------------------------------------------------------------

    def replaceable(
        self, view: View, index: WordReader, node: int, patience: Patience
    ) -> tuple[list[Conflict], Iterator[Replaceable]]:
        """What a memory contradicts, the newest first, and the older ones whose place it may take,
        the likeliest first. When patience is over, what was found by then is returned, and of what
        may be replaced only what surely is."""
        if (pair := view.pair(node)) is None or pair[0].valid_to is not None:
            return [], iter(())
        mine = _Side(node, *pair)
        found: list[Conflict] = []
        offers: list[offering.Candidate] = []
        sides: dict[int, _Side] = {}
        for other, conflict, offer in self._compares(
            view, self._near(view, index, mine, patience), mine, patience
        ):
            if conflict is not None:
                found.append(conflict)
            if offer is not None:
                offers.append(offer)
                sides[other.node] = other
        likely = offering.likely(offers)
        if patience.is_over():  # which one stands out is not known
            likely = [offer.node for offer in reversed(offers) if offer.is_sure]
        return (
            sorted(found, key=lambda c: (-c.older.id, -c.newer.id)),
            (Replaceable(n, _why(sides[n], mine), str(sides[n].seen), node) for n in likely),
        )

    def predecessors(self, view: View, index: WordReader, node: int) -> set[int]:
        """The older memories whose place one takes, surely or probably."""
        if (pair := view.pair(node)) is None:
            return set()
        mine = _Side(node, *pair)
        said, speaker = _sentences(mine), mine.text.speaker
        all_count = may_replace(said, speaker)
        best = may_be_sure(said, speaker), bool(_claiming(mine))
        near = sorted(
            self._near(view, index, mine, Patience()),
            key=lambda other: -self._shared(_sentences(other), said),
        )
        offers: list[offering.Candidate] = []
        for _, _, offer in self._compares(view, near, mine, Patience()):
            if offer is not None:
                offers.append(offer)
                if not all_count and not offering.may_follow(offers, *best):
                    break  # before those that share less are read
        probable = offering.likely(offers, offering.PROBABLE)
        return {*probable, *(offer.node for offer in offers if offer.is_sure)}

    def _compares(
        self, view: View, near: Iterable[_Side], mine: _Side, patience: Patience
    ) -> Iterator[tuple[_Side, Conflict | None, offering.Candidate | None]]:
        """Those of the memories that are `near`, with how one contradicts them and what speaks for
        its taking their place; but for pairs that are to be kept."""
        for other in near:
            if patience.is_over():
                return
            Patience.compared += 1
            conflict = _compared(mine, other)
            if conflict is None or not self._dismissed(view.reader, *conflict.pair):
                yield other, conflict, self._offer(other, mine, conflict)

    def _offer(
        self, older: _Side, newer: _Side, conflict: Conflict | None
    ) -> offering.Candidate | None:
        """What speaks for one's taking another's place; None where it is the older one, or tells of
        somebody or something else."""
        before, after = _sentences(older), _sentences(newer)
        speakers = older.text.speaker, newer.text.speaker
        is_later = _in_order(older, newer)[1] is newer
        if not before or not is_later:
            return None
        told = _superseding(older, newer) if may_be_sure(after, speakers[1]) else None
        is_sure = told is not None and told.is_sure
        if not is_sure and are_apart(before, after, speakers):
            return None
        return offering.Candidate(
            node=older.node,
            shared=self._shared(before, after),
            words=len(_words(before)),
            sentences=len(before),
            asks=before[-1].endswith(_ASKS),
            asked=after[-1].endswith(_ASKS),
            is_of_other=speakers[0] != speakers[1],
            is_sure=is_sure,
            tells_change=tells_change(after, speakers[1]),
            contradicts=conflict is not None,
        )

    def _shared(self, one: tuple[str, ...], other: tuple[str, ...]) -> float:
        """How rare the rarest words are that two memories share."""
        return sum(sorted(map(self.rarity, _words(one) & _words(other)))[-_SHARED:])

    def outdated(self, view: View, index: WordReader, node: int) -> list[int]:
        """The older memories of which one ends or changes something, in words, or may do so."""
        if (pair := view.pair(node)) is None:
            return []
        mine = _Side(node, *pair)
        said = _sentences(mine)
        if not may_replace(said, mine.text.speaker) and not tells_change(said):
            return []
        return [
            other.node
            for other in self._near(view, index, mine, Patience())
            if _in_order(mine, other)[1] is mine and _superseding(other, mine) is not None
        ]

    def _dismissed(self, reader: Reader, one: int, other: int) -> bool:
        kept = reader.get(_key(self.scope, max(one, other), min(one, other)))
        return kept is not None and bool(kept[0] & _DISMISSED)

    def _near(
        self, view: View, index: WordReader, mine: _Side, patience: Patience
    ) -> Iterator[_Side]:
        """The memories that may say something else of what one claims, the likeliest first."""
        told = _read(mine.said, mine.text.speaker)
        if not told:
            return
        seen: set[int] = set()
        for sentence in told:
            named = {w: self.rarity(w) for w in dict.fromkeys(words(sentence.text))}
            rarest = sorted(named, key=lambda w: -named[w])[:_LOOKED_UP]
            holding: list[tuple[Nodes, float]] = []  # most of the rarest stand in no other memory
            for word in rarest:
                if patience.is_over():
                    return
                if len(holding) == _WORDS or (holding and named[word] < _TELLING):
                    break
                if len(others := _others(index, word, mine.node)):
                    holding.append((others, named[word]))
            slots = {word for c in sentence.claims for word in words(_SLOT_WORDS.get(c.slot, ""))}
            scored = _Scored(holding)
            if not scored.add(index, slots, patience):
                return
            yield from self._best(view, scored, seen)
            # A state of a person is told in other words too; of things the rare words are enough.
            holding = []
            for word in slots:
                if patience.is_over():
                    return
                holding.append((_others(index, word, mine.node), _SLOT_WEIGHT))
            scored = _Scored(holding)
            # Of many people who say where they live, the one who says it here.
            if not scored.add(index, words(mine.text.speaker or ""), patience):
                return
            yield from self._best(view, scored, seen)

    def _best(self, view: View, scored: _Scored, seen: set[int]) -> Iterator[_Side]:
        likely = [*islice(filterfalse(seen.__contains__, scored.ordered()), _COMPARED)]
        seen.update(likely)
        for node in likely:  # one by one, for there may not be time for all
            if (pair := view.pair(node)) is not None and pair[0].valid_to is None:
                yield _Side(node, *pair)

    # -- keeping ------------------------------------------------------------------------------

    def catch_up(
        self,
        reading: Callable[[], AbstractContextManager[tuple[View, WordReader]]],
        seconds: float,
    ) -> bool:
        """Compare the memories that were not compared yet with the older ones, and keep what is
        found; True if all are compared. reading: a view with its word index."""
        until = perf_counter() + seconds
        while True:
            with reading() as (view, index):
                begun = _mark(view.reader, self.scope)
                nodes = list(islice(view.nodes(after=begun), _AT_ONCE))
                rows: list[tuple[int, int, str]] = []
                done = begun
                for node in nodes:
                    rows += [
                        (max(c.older.id, c.newer.id), min(c.older.id, c.newer.id), c.kind)
                        for c in self.replaceable(view, index, node, Patience())[0]
                        if min(c.older.id, c.newer.id) < node
                    ]
                    done = node
                    if perf_counter() > until:
                        break
            if done > begun:
                self._write(rows, done)
            if not nodes or (done == nodes[-1] and len(nodes) < _AT_ONCE):
                return True
            if perf_counter() > until:
                return False

    def _write(self, rows: Iterable[tuple[int, int, str]], done: int) -> None:
        self.store.require(FEATURE)
        with Transaction(self.store, self.scope) as tx:
            for newer, older, kind in rows:
                key = _key(self.scope, newer, older)
                if tx.get(key) is None:
                    tx.put(key, bytes((_KINDS.index(kind),)))
            tx.put(self.scope.prefix(Space.CONFLICT) + _MARK, keys.u64(done))

    def listed(self, view: View) -> Iterator[Conflict]:
        """The conflicts that were found and hold still, the newest first. A pair of which one is
        gone, closed or shortened so that it claims nothing any more is passed over."""
        start = self.scope.prefix(Space.CONFLICT)
        for key, value in view.reader.range(start, keys.after(start), reverse=True):
            if len(value) != 1 or value[0] & _DISMISSED:
                continue
            ids = int.from_bytes(key[-16:-8], "big"), int.from_bytes(key[-8:], "big")
            pairs = [view.pair(node) for node in ids]
            if pairs[0] is None or pairs[1] is None:
                continue
            found = _compared(_Side(ids[0], *pairs[0]), _Side(ids[1], *pairs[1]))
            if found is not None:
                yield found

    def between(self, view: View, one: int, other: int) -> Conflict:
        """The conflict of two memories; of any two, for a person may know better than the rules.
        Raises InvalidArgumentError for one that was replaced or is not there."""
        sides = []
        for node in (one, other):
            if (pair := view.pair(node)) is None:
                raise InvalidArgumentError(f"there is no node {node} in this scope")
            view.require_holding(node, pair[0])
            sides.append(_Side(node, *pair))
        found = _compared(*sides)
        if found is not None:
            return found
        older, newer = sorted(sides, key=lambda side: (side.since, side.node))
        dates = moment(older.since), moment(newer.since)
        return Conflict("preference", "", ("", ""), older.seen, newer.seen, None, False, dates)

    def dismiss(self, one: int, other: int) -> None:
        """Never list two memories as a conflict again: both hold."""
        self.store.require(FEATURE)
        with Transaction(self.store, self.scope) as tx:
            tx.put(_key(self.scope, max(one, other), min(one, other)), bytes((_DISMISSED,)))


def _key(scope: Scope, newer: int, older: int) -> bytes:
    return scope.prefix(Space.CONFLICT) + keys.u64(newer) + keys.u64(older)


def _mark(reader: Reader, scope: Scope) -> int:
    return int.from_bytes(reader.get(scope.prefix(Space.CONFLICT) + _MARK) or b"", "big")
