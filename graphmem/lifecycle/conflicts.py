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
from datetime import datetime
from functools import cache, lru_cache
from itertools import filterfalse, islice
from math import inf
from time import perf_counter, thread_time
from typing import Any, Final, NamedTuple

import numpy as np

from graphmem.errors import CorruptError, InvalidArgumentError
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
from graphmem.values.progress import Progress
from graphmem.values.remembered import Replaceable
from graphmem_worker.claims import Claim, areas, claims, strongest
from graphmem_worker.claims.statements import is_grammar, statements, states, states_change
from graphmem_worker.claims.superseding import (
    How,
    Superseding,
    are_apart,
    differ,
    may_replace,
    rest_of,
    superseding,
)
from graphmem_worker.language.lists import groups
from graphmem_worker.text.frames import elsewhere
from graphmem_worker.text.protects import protects
from graphmem_worker.text.trivial import trivial
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
_DAY: Final = 86_400_000_000  # microseconds
_WHY: Final[Mapping[How, str]] = {
    "ends": "the new one says that this is over",
    "changes": "the new one says that this changed",
    "may": "the new one may give another value",
}


def _check(key: bytes, value: bytes) -> None:
    if key == _MARK:
        if len(value) != 8:
            raise CorruptError("how far conflicts were looked for cannot be read")
    elif len(value) != 1 or value[0] & ~_DISMISSED >= len(_KINDS):
        raise CorruptError("a conflict is of no known kind")


def _dump(key: bytes, value: bytes) -> list[int]:
    return [int.from_bytes(part, "big") for part in (key[:8], key[8:], value)]


def _load(record: Any) -> tuple[bytes, bytes]:
    newer, older, value = record
    key = keys.u64(newer) + keys.u64(older)
    return key, keys.u64(value) if key == _MARK else bytes((value,))


SPACES: Final = (
    Declared(
        Space.CONFLICT, 16, (1, 8), Salvage.COPIED, check=_check,
        record="conflict", dump=_dump, load=_load,
    ),
)  # fmt: skip


class _Sentence(NamedTuple):
    text: str
    claims: tuple[Claim, ...]
    areas: frozenset[str]


def _said(spans: Sequence[str]) -> tuple[str, ...]:
    """The sentences of a memory that are compared, without white space around them."""
    return tuple(filter(None, map(str.strip, spans[:_SENTENCES])))


@lru_cache(1 << 12)
def _read(said: tuple[str, ...], speaker: str | None) -> tuple[_Sentence, ...]:
    """Those of the sentences of a memory that state something."""
    claimed = ((each, claims(each, speaker=speaker)) for each in said)
    return tuple(_Sentence(each, its, areas(each)) for each, its in claimed if its or states(each))


def _claiming(side: _Side) -> list[_Sentence]:
    """The sentences of a memory that claim something."""
    return [sentence for sentence in _read(side.sentences, side.text.speaker) if sentence.claims]


def _may_contradict(side: _Side) -> bool:
    """Whether a memory says anything by which it could contradict an older one."""
    return bool(_claiming(side)) or may_replace(side.sentences, side.text.speaker)


def claims_anything(node: Node) -> bool:
    """Whether a memory states something that another one may contradict."""
    return bool(_read(_said(node.sentences), node.speaker))


class _Side(NamedTuple):
    node: int
    record: NodeRecord
    text: TextRecord
    sentences: tuple[str, ...]
    """The sentences that are compared; of a gist the clause that is left."""

    @classmethod
    def of(cls, node: int, record: NodeRecord, text: TextRecord) -> _Side:
        return cls(node, record, text, _said(text.spans or (text.phrase,)))

    @property
    def since(self) -> int:
        return self.text.valid_from if self.record.valid_from is None else self.record.valid_from

    @property
    def order(self) -> tuple[int, int]:
        """Of two, the one that holds since later is the newer."""
        begun = self.record.valid_from
        return self.text.moment if begun is None else begun, self.node

    @property
    def is_trivial(self) -> bool:
        return trivial(self.text.text or self.text.phrase) is not None

    @property
    def seen(self) -> Node:
        return as_node(self.node, self.text, self.record)


def _side(view: View, node: int) -> _Side | None:
    """A memory as it is compared; None if it is not there."""
    held = view.pair(node)
    return None if held is None else _Side.of(node, *held)


class _Pair(NamedTuple):
    """Two memories."""

    older: _Side
    newer: _Side
    speakers: tuple[str | None, str | None]
    is_apart: bool
    """All that they state is of different persons or things."""

    @classmethod
    def of(cls, one: _Side, other: _Side) -> _Pair:
        if one.order > other.order:
            one, other = other, one
        speakers = one.text.speaker, other.text.speaker
        return cls(one, other, speakers, are_apart(one.sentences, other.sentences, speakers))

    @property
    def superseding(self) -> Superseding | None:
        """How the newer one concerns the older one."""
        return superseding(self.older.sentences, self.newer.sentences, self.speakers)

    @property
    def dates(self) -> tuple[datetime, datetime]:
        """Since when each holds."""
        return moment(self.older.since), moment(self.newer.since)

    @property
    def offered(self) -> Replaceable:
        """The older one, whose place the newer one may take."""
        why = _WHY["may" if self.superseding is None else self.superseding.how]
        rest = rest_of(self.older.sentences, self.newer.sentences, self.speakers)
        return Replaceable(self.older.node, why, str(self.older.seen), self.newer.node, rest)

    def spares(self) -> bool:
        """Whether the older one says nothing, or protects somebody and the newer one does not name
        from what."""
        if self.older.is_trivial:
            return True
        if not any(protects(sentence) == "protective" for sentence in self.older.sentences):
            return False
        told = statements(self.older.sentences, self.speakers[0])
        things = {t.key for one in told for t in one.content if t.role == "word"}
        newer = statements(self.newer.sentences, self.speakers[1])
        named = {key for one in newer for key in one.keys}
        return things.isdisjoint(
            named if self.superseding is None else named | self.superseding.shared
        )


def _days(older: _Side, newer: _Side) -> int:
    """From the one to the other, as `offering.Candidate` counts them."""
    days = min((newer.order[0] - older.order[0]) // _DAY, offering.LONG)
    is_dated = older.text.happened or newer.text.happened
    return days if is_dated else max(days, offering.UNDATED)


def _at_best(mine: _Side, older: Iterable[_Side]) -> offering.Candidate:
    """What may speak at most for the taking of these ones' place by a memory that says of none that
    it is over."""
    said, speaker = mine.sentences, mine.text.speaker
    return offering.Candidate(
        node=0,
        shared=0.0,
        words=1,
        sentences=1,
        asks=False,
        asked=said[-1].endswith(_ASKS),
        is_of_other=False,
        is_apart=False,
        is_likely=False,
        states_change=states_change(said, speaker),
        contradicts=bool(_claiming(mine)),
        differs=any(told.values for told in statements(said, speaker)),
        days=max([0, *(_days(other, mine) for other in older)]),
    )


@lru_cache(1 << 12)
def _words(spans: tuple[str, ...]) -> frozenset[str]:
    """The index words of a memory that may relate it to another one."""
    return frozenset(filterfalse(is_grammar, words(" ".join(spans))))


def _compared(pair: _Pair) -> Conflict | None:
    """The conflict of two memories that both hold."""
    older, newer, speakers, is_apart = pair
    if is_apart or older.record.valid_to is not None or newer.record.valid_to is not None:
        return None
    if not _may_contradict(newer):
        return None  # as mostly
    after = _claiming(newer)
    if (speakers[0] is None) != (speakers[1] is None):
        return None  # "I" may be two people then
    best = None
    for a in _claiming(older) if after else ():
        for b in after:
            if a.text == b.text or elsewhere(a.text, b.text):
                continue
            found = strongest(a.claims, b.claims, a.areas, b.areas)
            if found is not None and (best is None or (found.replaces and not best.replaces)):
                best = found
    told = pair.superseding
    is_likely = told is not None and told.is_likely
    if best is None and not is_likely:
        return None
    replaces = (
        best is not None
        and best.replaces
        and told is not None
        and (told.is_sure or not best.newer.value.startswith("not "))  # at home, of another one
        and all(one.is_all for one in statements(older.sentences, speakers[0]))
    )
    keep = newer.node if replaces or (told is not None and told.is_sure) else None
    kind, slot, values = "time", "", ("", "")
    if best is not None:
        kind, slot, values = best.kind, best.newer.slot, (best.older.value, best.newer.value)
    return Conflict(kind, slot, values, older.seen, newer.seen, keep, replaces, pair.dates)


def _offer(
    pair: _Pair, rarities: Mapping[str, float], contradicts: bool
) -> offering.Candidate | None:
    """What speaks for the newer one's taking the place of the older one; None where that tells of
    somebody or something else, or says the same. rarities: of the words of the newer one."""
    before, after, speaker = pair.older.sentences, pair.newer.sentences, pair.speakers[1]
    told = pair.superseding if may_replace(after, speaker) else None
    is_likely = told is not None and told.is_likely
    if not before or before == after:
        return None
    return offering.Candidate(
        node=pair.older.node,
        shared=_shared(rarities, pair.older),
        words=len(_words(before)),
        sentences=len(before),
        asks=before[-1].endswith(_ASKS),
        asked=after[-1].endswith(_ASKS),
        is_of_other=pair.speakers[0] != speaker,
        is_apart=pair.is_apart and not is_likely,
        is_likely=is_likely,
        states_change=states_change(after, speaker),
        contradicts=contradicts,
        differs=differ(before, after, pair.speakers),
        days=_days(pair.older, pair.newer),
    )


def _shared(rarities: Mapping[str, float], other: _Side) -> float:
    """How rare the rarest words are that another memory shares. rarities: of the words of one."""
    return sum(
        sorted([rarities[word] for word in _words(other.sentences) if word in rarities])[-_SHARED:]
    )


@cache
def _slot_words() -> Mapping[str, list[str]]:
    """The index words with which other sentences tell the same slot, of which a person has one."""
    return {slot: words(" ".join(said)) for slot, said in groups("slot_words").items()}


class _Scored:
    """The memories that hold some words, each with what these are worth together."""

    def __init__(self, holding: Sequence[tuple[Nodes, float]]) -> None:
        """holding: the memories that hold a word, with what it is worth."""
        nodes = [held for held, _ in holding]
        worth = np.repeat([each for _, each in holding], [*map(len, nodes)])
        self._nodes, self._worth = summed(np.concatenate((NOTHING.nodes, *nodes)), worth)

    def add(self, index: WordReader, given: Iterable[str]) -> None:
        """Let those that hold a word gain from it."""
        for word in given if len(self._nodes) else ():
            holding = index.find(word).among(self._nodes).nodes
            self._worth[positions(self._nodes, holding)] += _TOLD_SO

    def ordered(self) -> Iterator[int]:
        """The worthiest first, of equal ones the newest."""
        order = np.argsort(-self._worth[::-1], kind="stable")
        return iter(self._nodes[::-1][order].tolist())


class Patience:
    """How long to look for what a memory contradicts, in time of the thread, so that what is found
    does not depend on what else the machine does; `ran_out` says whether that was too short. The
    time in which a process loads what comparing takes, at most a second, is not counted."""

    compared = 0  # memories, by this process

    def __init__(self, seconds: float = inf) -> None:
        self._seconds, self._begun = seconds, thread_time()
        self._until = self._begun + seconds
        self.ran_out = False

    def is_over(self) -> bool:
        now = thread_time()
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
        mine = _side(view, node)
        if mine is None or mine.record.valid_to is not None or mine.is_trivial:
            return [], iter(())
        found: list[Conflict] = []
        offers: list[offering.Candidate] = []
        pairs: dict[int, _Pair] = {}
        near: Iterable[_Side] = self._near(view, index, mine, patience)
        best = None
        if not _may_contradict(mine):
            # Only what is newer may contradict it; of the rest, what shares most is enough.
            rarities = self._rarities(mine)
            order = mine.order
            near = sorted(near, key=lambda o: (o.order < order, -_shared(rarities, o)))
            best = _at_best(mine, near)
        for pair, conflict, offer in self._compares(view, near, mine, patience, best):
            if conflict is not None:
                found.append(conflict)
            if offer is not None:
                offers.append(offer)
                pairs[offer.node] = pair
        likely = [node for node in offering.likely(offers) if not pairs[node].spares()]
        if patience.is_over():  # which one stands out is not known
            likely = [offer.node for offer in reversed(offers) if offer.is_likely]
        found.sort(key=lambda c: (-c.older.id, -c.newer.id))
        return found, (pairs[older].offered for older in likely)

    def _contradicted(self, view: View, index: WordReader, node: int) -> Iterator[Conflict]:
        """What a memory contradicts of those with a lower id, as `replaceable` finds it; without
        what speaks for its taking another one's place, which takes longest."""
        mine = _side(view, node)
        if mine is None or mine.record.valid_to is not None:
            return
        may_contradict = _may_contradict(mine)
        for other in self._near(view, index, mine, Patience()):
            if other.node > node or not (
                may_contradict if other.order < mine.order else _may_contradict(other)
            ):
                continue
            conflict = _compared(_Pair.of(mine, other))
            if conflict is not None and not self._dismissed(view.reader, *conflict.pair):
                yield conflict

    def predecessors(self, view: View, index: WordReader, node: int) -> set[int]:
        """The older memories whose place one takes, surely or probably."""
        if (mine := _side(view, node)) is None:
            return set()
        rarities, order = self._rarities(mine), mine.order
        near = [o for o in self._near(view, index, mine, Patience()) if o.order < order]
        near.sort(key=lambda o: -_shared(rarities, o))
        best = None if may_replace(mine.sentences, mine.text.speaker) else _at_best(mine, near)
        compared = self._compares(view, near, mine, Patience(), best)
        return {*offering.likely([offer for _, _, offer in compared if offer is not None])}

    def _compares(
        self,
        view: View,
        near: Iterable[_Side],
        mine: _Side,
        patience: Patience,
        best: offering.Candidate | None,
    ) -> Iterator[tuple[_Pair, Conflict | None, offering.Candidate | None]]:
        """One memory with each of those that are `near`, how they contradict each other, and what
        speaks for its taking the other one's place; but for pairs that are to be kept. best: what
        may speak for any of them at most; where that decides, the rest is not compared."""
        rarities = self._rarities(mine)
        offers: list[offering.Candidate] = []
        for other in near:
            if patience.is_over():
                return
            Patience.compared += 1
            pair = _Pair.of(mine, other)
            conflict = _compared(pair)
            if conflict is not None and self._dismissed(view.reader, *conflict.pair):
                continue
            offer = _offer(pair, rarities, conflict is not None) if pair.older is other else None
            yield pair, conflict, offer
            if offer is not None:
                offers.append(offer)
                if best is not None and not offering.may_follow(offers, best):
                    return  # before those that share less are read

    def _rarities(self, side: _Side) -> dict[str, float]:
        """How rare the words of a memory are that may relate it to another one."""
        return {word: self.rarity(word) for word in _words(side.sentences)}

    def outdated(self, view: View, index: WordReader, node: int) -> list[int]:
        """The older memories of which one ends or changes something, in words, or may do so."""
        mine = _side(view, node)
        if mine is None or not (
            may_replace(mine.sentences, mine.text.speaker) or states_change(mine.sentences)
        ):
            return []
        near = self._near(view, index, mine, Patience())
        pairs = (_Pair.of(mine, other) for other in near)
        return [
            pair.older.node for pair in pairs if pair.newer is mine and pair.superseding is not None
        ]

    def _dismissed(self, reader: Reader, one: int, other: int) -> bool:
        kept = reader.get(_key(self.scope, one, other))
        return kept is not None and bool(kept[0] & _DISMISSED)

    def _near(
        self, view: View, index: WordReader, mine: _Side, patience: Patience
    ) -> Iterator[_Side]:
        """The memories that may say something else of what one claims, the likeliest first."""
        seen: set[int] = set()
        for sentence in _read(mine.sentences, mine.text.speaker):
            if patience.is_over():
                return
            named = {w: self.rarity(w) for w in dict.fromkeys(words(sentence.text))}
            rarest = sorted(named, key=lambda w: -named[w])[:_LOOKED_UP]
            holding: list[tuple[Nodes, float]] = []  # most of the rarest stand in no other memory
            for word in rarest:
                if len(holding) == _WORDS or (holding and named[word] < _TELLING):
                    break
                if len(others := index.others(word, mine.node, _COMMON)):
                    holding.append((others, named[word]))
            slots = {word for c in sentence.claims for word in _slot_words().get(c.slot, ())}
            if holding:
                scored = _Scored(holding)
                scored.add(index, slots)
                yield from self._best(view, scored, seen)
            if slots:
                # A state of a person is told in other words too; of things rare words are enough.
                told = (index.others(word, mine.node, _COMMON) for word in slots)
                scored = _Scored([(held, _SLOT_WEIGHT) for held in told])
                # Of many people who say where they live, the one who says it here.
                scored.add(index, words(mine.text.speaker or ""))
                yield from self._best(view, scored, seen)

    def _best(self, view: View, scored: _Scored, seen: set[int]) -> Iterator[_Side]:
        likely = [*islice(filterfalse(seen.__contains__, scored.ordered()), _COMPARED)]
        seen.update(likely)
        for found in view.pairs(likely):
            if found[1].valid_to is None:
                yield _Side.of(*found)

    # -- keeping ------------------------------------------------------------------------------

    def catch_up(
        self,
        reading: Callable[[], AbstractContextManager[tuple[View, WordReader]]],
        seconds: float,
        progress: Progress | None = None,
    ) -> bool:
        """Compare the memories that were not compared yet with the older ones, and keep what is
        found; True if all are compared. reading: a view with its word index. progress: called with
        the number of ids that were looked at and that of all."""
        until = perf_counter() + seconds
        first: int | None = None
        while True:
            with reading() as (view, index):
                begun = _mark(view.reader, self.scope)
                nodes = list(islice(view.nodes(after=begun), _AT_ONCE))
                first = begun if first is None else first
                if progress is not None and nodes:
                    progress(begun - first, view.state.next_node - 1 - first)
                found: list[Conflict] = []
                done = begun
                for node in nodes:
                    found += self._contradicted(view, index, node)
                    done = node
                    if perf_counter() > until:
                        break
            if done > begun:
                self._write(found, done)
            if not nodes or (done == nodes[-1] and len(nodes) < _AT_ONCE):
                return True
            if perf_counter() > until:
                return False

    def _write(self, found: Iterable[Conflict], done: int) -> None:
        self.store.require(FEATURE)
        with Transaction(self.store, self.scope) as tx:
            for each in found:
                key = _key(self.scope, *each.pair)
                if tx.get(key) is None:
                    tx.put(key, bytes((_KINDS.index(each.kind),)))
            tx.put(self.scope.prefix(Space.CONFLICT) + _MARK, keys.u64(done))

    def listed(self, view: View) -> Iterator[Conflict]:
        """The conflicts that were found and hold still, the newest first. A pair of which one is
        gone, closed or shortened so that it claims nothing any more is passed over."""
        start = self.scope.prefix(Space.CONFLICT)
        for key, value in view.reader.range(start, keys.after(start), reverse=True):
            if len(value) != 1 or value[0] & _DISMISSED:
                continue
            one = _side(view, int.from_bytes(key[-16:-8], "big"))
            other = _side(view, int.from_bytes(key[-8:], "big"))
            if one is None or other is None:
                continue
            if (found := _compared(_Pair.of(one, other))) is not None:
                yield found

    def between(self, view: View, one: int, other: int) -> Conflict:
        """The conflict of two memories; of any two, for a person may know better than the rules.
        Raises InvalidArgumentError for one that was replaced or is not there."""
        sides = []
        for node in (one, other):
            if (side := _side(view, node)) is None:
                raise InvalidArgumentError(f"there is no node {node} in this scope")
            view.require_holding(node, side.record)
            sides.append(side)
        pair = _Pair.of(*sides)
        if (found := _compared(pair)) is not None:
            return found
        older, newer = pair.older.seen, pair.newer.seen
        return Conflict("preference", "", ("", ""), older, newer, None, False, pair.dates)

    def dismiss(self, one: int, other: int) -> None:
        """Never list two memories as a conflict again: both hold."""
        self.store.require(FEATURE)
        with Transaction(self.store, self.scope) as tx:
            tx.put(_key(self.scope, one, other), bytes((_DISMISSED,)))


def _key(scope: Scope, one: int, other: int) -> bytes:
    """The row of a pair: that which was remembered later comes first."""
    return scope.prefix(Space.CONFLICT) + keys.u64(max(one, other)) + keys.u64(min(one, other))


def _mark(reader: Reader, scope: Scope) -> int:
    found = reader.get(scope.prefix(Space.CONFLICT) + _MARK)
    return keys.number("how far conflicts were looked for", found)
