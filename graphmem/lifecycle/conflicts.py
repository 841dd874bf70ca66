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
from functools import cache, lru_cache
from itertools import filterfalse, islice
from math import inf
from time import perf_counter, thread_time
from typing import Any, Final, NamedTuple

import numpy as np

from graphmem.errors import CorruptError, InvalidArgumentError
from graphmem.graph.kinds import Stated
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
from graphmem_worker.claims.statements import is_grammar, statements, states, tells_change
from graphmem_worker.claims.superseding import (
    How,
    Superseding,
    are_apart,
    differ,
    may_replace,
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
    return [said for said in _read(side.spans, side.text.speaker) if said.claims]


def _may_contradict(side: _Side) -> bool:
    """Whether a memory says anything by which it could contradict an older one."""
    return bool(_claiming(side)) or may_replace(side.said, side.text.speaker)


def claims_anything(node: Node) -> bool:
    """Whether a memory states something that another one may contradict."""
    return bool(_read(node.sentences, node.speaker))


class _Side(NamedTuple):
    node: int
    record: NodeRecord
    text: TextRecord
    spans: tuple[str, ...]
    """Its sentences; of a gist the clause that is left."""
    said: tuple[str, ...]
    """Those of them that are compared, without white space around them."""

    @classmethod
    def of(cls, node: int, record: NodeRecord, text: TextRecord) -> _Side:
        spans = text.spans or (text.phrase,)
        return cls(
            node, record, text, spans, tuple(filter(None, map(str.strip, spans[:_SENTENCES])))
        )

    @property
    def since(self) -> int:
        return self.text.valid_from if self.record.valid_from is None else self.record.valid_from

    @property
    def order(self) -> tuple[int, int]:
        """Of two, the one that holds since later is the newer."""
        begun = self.record.valid_from
        return self.text.moment if begun is None else begun, self.node

    @property
    def says_nothing(self) -> bool:
        return trivial("".join(self.spans)) is not None

    @property
    def seen(self) -> Node:
        return as_node(self.node, self.text, self.record)


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
        return cls(one, other, speakers, are_apart(one.said, other.said, speakers))

    @property
    def told(self) -> Superseding | None:
        """How the newer one concerns the older one."""
        return superseding(self.older.said, self.newer.said, self.speakers)

    @property
    def offered(self) -> Replaceable:
        """The older one, whose place the newer one may take."""
        why = _WHY["may" if self.told is None else self.told.how]
        return Replaceable(self.older.node, why, str(self.older.seen), self.newer.node)

    def spares(self) -> bool:
        """Whether the older one says nothing, or protects somebody and the newer one does not name
        from what."""
        if self.older.says_nothing:
            return True
        if not any(protects(sentence) == "protective" for sentence in self.older.said):
            return False
        told = statements(self.older.said, self.speakers[0])
        things = {t.key for one in told for t in one.content if t.role == "word"}
        newer = statements(self.newer.said, self.speakers[1])
        named = {key for one in newer for key in one.keys}
        return things.isdisjoint(named if self.told is None else named | self.told.shared)


def _days(older: _Side, newer: _Side) -> int:
    """From the one to the other, as `offering.Candidate` counts them."""
    days = min((newer.order[0] - older.order[0]) // _DAY, offering.LONG)
    is_dated = older.text.happened or newer.text.happened
    return days if is_dated else max(days, offering.UNDATED)


def _at_best(mine: _Side, older: Iterable[_Side], *, is_likely: bool) -> offering.Candidate:
    """What may speak at most for one memory's taking the place of any of these."""
    said, speaker = mine.said, mine.text.speaker
    return offering.Candidate(
        node=0,
        shared=0.0,
        words=1,
        sentences=1,
        asks=False,
        asked=said[-1].endswith(_ASKS),
        is_of_other=False,
        is_apart=False,
        is_likely=is_likely,
        tells_change=tells_change(said, speaker),
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
    told = pair.told
    is_likely = told is not None and told.is_likely
    if best is None and not is_likely:
        return None
    dates = moment(older.since), moment(newer.since)
    replaces = (
        best is not None
        and best.replaces
        and told is not None
        and (told.is_sure or not best.newer.value.startswith("not "))  # at home, of another one
        and all(one.is_all for one in statements(older.said, speakers[0]))
    )
    keep = newer.node if replaces or (told is not None and told.is_sure) else None
    if best is None:
        return Conflict("time", "", ("", ""), older.seen, newer.seen, keep, False, dates)
    realms = [Stated.unpack(side.record.kind).realm for side in (newer, older)]  # as given
    if best.kind == "version" and not replaces and realms == ["personal", "project"]:
        keep = older.node  # what somebody runs himself does not change what the project runs
    values = best.older.value, best.newer.value
    return Conflict(
        best.kind, best.newer.slot, values, older.seen, newer.seen, keep, replaces, dates
    )


def _offer(
    pair: _Pair, rarities: Mapping[str, float], contradicts: bool
) -> offering.Candidate | None:
    """What speaks for the newer one's taking the place of the older one; None where that tells of
    somebody or something else, or says the same. rarities: of the words of the newer one."""
    before, after, speaker = pair.older.said, pair.newer.said, pair.speakers[1]
    told = pair.told if may_replace(after, speaker) else None
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
        tells_change=tells_change(after, speaker),
        contradicts=contradicts,
        differs=differ(before, after, pair.speakers),
        days=_days(pair.older, pair.newer),
    )


def _shared(rarities: Mapping[str, float], other: _Side) -> float:
    """How rare the rarest words are that another memory shares. rarities: of the words of one."""
    return sum(
        sorted([rarities[word] for word in _words(other.said) if word in rarities])[-_SHARED:]
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
        if (held := view.pair(node)) is None or held[0].valid_to is not None:
            return [], iter(())
        mine = _Side.of(node, *held)
        if mine.says_nothing:
            return [], iter(())
        found: list[Conflict] = []
        offers: list[offering.Candidate] = []
        pairs: dict[int, _Pair] = {}
        near: Iterable[_Side] = self._near(view, index, mine, patience)
        is_plain = not _may_contradict(mine)
        if is_plain:
            # Only what is newer may contradict it; of the rest, what shares most is enough.
            rarities = self._rarities(mine)
            order = mine.order
            near = sorted(near, key=lambda o: (o.order < order, -_shared(rarities, o)))
            best = _at_best(mine, near, is_likely=False)
        for pair, conflict, offer in self._compares(view, near, mine, patience):
            if conflict is not None:
                found.append(conflict)
            if offer is not None:
                offers.append(offer)
                pairs[offer.node] = pair
                if is_plain and not offering.may_follow(offers, best):
                    break  # before those that share less are read
        likely = [node for node in offering.likely(offers) if not pairs[node].spares()]
        if patience.is_over():  # which one stands out is not known
            likely = [offer.node for offer in reversed(offers) if offer.is_likely]
        found.sort(key=lambda c: (-c.older.id, -c.newer.id))
        return found, (pairs[older].offered for older in likely)

    def _contradicted(self, view: View, index: WordReader, node: int) -> Iterator[Conflict]:
        """What a memory contradicts of those with a lower id, as `replaceable` finds it; without
        what speaks for its taking another one's place, which takes longest."""
        if (held := view.pair(node)) is None or held[0].valid_to is not None:
            return
        mine = _Side.of(node, *held)
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
        if (held := view.pair(node)) is None:
            return set()
        mine = _Side.of(node, *held)
        speaker = mine.text.speaker
        all_count = may_replace(mine.said, speaker)
        rarities = self._rarities(mine)
        near = sorted(
            self._near(view, index, mine, Patience()),
            key=lambda other: -_shared(rarities, other),
        )
        best = _at_best(mine, near, is_likely=may_replace(mine.said, speaker))
        offers: list[offering.Candidate] = []
        for _, _, offer in self._compares(view, near, mine, Patience()):
            if offer is not None:
                offers.append(offer)
                if not all_count and not offering.may_follow(offers, best):
                    break
        return {*offering.likely(offers)}

    def _compares(
        self, view: View, near: Iterable[_Side], mine: _Side, patience: Patience
    ) -> Iterator[tuple[_Pair, Conflict | None, offering.Candidate | None]]:
        """One memory with each of those that are `near`, how they contradict each other, and what
        speaks for its taking the other one's place; but for pairs that are to be kept."""
        rarities = self._rarities(mine)
        for other in near:
            if patience.is_over():
                return
            Patience.compared += 1
            pair = _Pair.of(mine, other)
            conflict = _compared(pair)
            if conflict is None or not self._dismissed(view.reader, *conflict.pair):
                is_older = pair.older is other
                offer = _offer(pair, rarities, conflict is not None) if is_older else None
                yield pair, conflict, offer

    def _rarities(self, side: _Side) -> dict[str, float]:
        """How rare the words of a memory are that may relate it to another one."""
        return {word: self.rarity(word) for word in _words(side.said)}

    def outdated(self, view: View, index: WordReader, node: int) -> list[int]:
        """The older memories of which one ends or changes something, in words, or may do so."""
        if (held := view.pair(node)) is None:
            return []
        mine = _Side.of(node, *held)
        if not may_replace(mine.said, mine.text.speaker) and not tells_change(mine.said):
            return []
        near = self._near(view, index, mine, Patience())
        pairs = (_Pair.of(mine, other) for other in near)
        return [pair.older.node for pair in pairs if pair.newer is mine and pair.told is not None]

    def _dismissed(self, reader: Reader, one: int, other: int) -> bool:
        kept = reader.get(_key(self.scope, max(one, other), min(one, other)))
        return kept is not None and bool(kept[0] & _DISMISSED)

    def _near(
        self, view: View, index: WordReader, mine: _Side, patience: Patience
    ) -> Iterator[_Side]:
        """The memories that may say something else of what one claims, the likeliest first."""
        told = _read(mine.spans, mine.text.speaker)
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
                if len(others := index.others(word, mine.node, _COMMON)):
                    holding.append((others, named[word]))
            slots = {word for c in sentence.claims for word in _slot_words().get(c.slot, ())}
            if holding:
                scored = _Scored(holding)
                if not scored.add(index, slots, patience):
                    return
                yield from self._best(view, scored, seen)
            if not slots:
                continue
            # A state of a person is told in other words too; of things the rare words are enough.
            holding = []
            for word in slots:
                if patience.is_over():
                    return
                holding.append((index.others(word, mine.node, _COMMON), _SLOT_WEIGHT))
            scored = _Scored(holding)
            # Of many people who say where they live, the one who says it here.
            if not scored.add(index, words(mine.text.speaker or ""), patience):
                return
            yield from self._best(view, scored, seen)

    def _best(self, view: View, scored: _Scored, seen: set[int]) -> Iterator[_Side]:
        likely = [*islice(filterfalse(seen.__contains__, scored.ordered()), _COMPARED)]
        seen.update(likely)
        for found in view.pairs(likely):
            if not isinstance(found, int) and found[1].valid_to is None:
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
                rows: list[tuple[int, int, str]] = []
                done = begun
                for node in nodes:
                    rows += [
                        (max(c.older.id, c.newer.id), min(c.older.id, c.newer.id), c.kind)
                        for c in self._contradicted(view, index, node)
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
            found = _compared(_Pair.of(_Side.of(ids[0], *pairs[0]), _Side.of(ids[1], *pairs[1])))
            if found is not None:
                yield found

    def between(self, view: View, one: int, other: int) -> Conflict:
        """The conflict of two memories; of any two, for a person may know better than the rules.
        Raises InvalidArgumentError for one that was replaced or is not there."""
        sides = []
        for node in (one, other):
            if (held := view.pair(node)) is None:
                raise InvalidArgumentError(f"there is no node {node} in this scope")
            view.require_holding(node, held[0])
            sides.append(_Side.of(node, *held))
        pair = _Pair.of(*sides)
        if (found := _compared(pair)) is not None:
            return found
        older, newer = pair.older, pair.newer
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
    found = reader.get(scope.prefix(Space.CONFLICT) + _MARK)
    return keys.number("how far conflicts were looked for", found)
