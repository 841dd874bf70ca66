"""Conflicts: memories with different values of one thing, found without reading all of them.

The claims of a new memory are compared with the memories that the word index returns for its rarest
content words and the words of its slots. One row is stored for each pair, of the two ids and the
kind; slot and values are read from the texts again, which may have been shortened since.

The newer memory is proposed as the one that holds only if it ends or changes, in words, what the
older one states of the same subject (`superseding`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo
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
from graphmem.values.nodes import Node
from graphmem.values.progress import Progress
from graphmem.values.remembered import Replaceable
from graphmem_worker.claims import Claim, areas, claims, strongest
from graphmem_worker.claims.contrast import have_other_subjects
from graphmem_worker.claims.statements import is_grammar, statements, states, states_change
from graphmem_worker.claims.superseding import (
    How,
    Superseding,
    are_apart,
    are_of_others,
    differ,
    may_replace,
    rest_of,
    superseding,
)
from graphmem_worker.language.lists import groups
from graphmem_worker.text.frames import has_other_site
from graphmem_worker.text.protects import protects
from graphmem_worker.text.trivial import trivial
from graphmem_worker.text.words import words

FEATURE: Final = "conflicts"
_KINDS: Final = ("version", "preference", "time")
_DISMISSED: Final = 0x80
_MARK: Final = bytes(16)  # the key of the row with the last compared node
_SENTENCES: Final = 8  # of a memory that are compared
_WORDS: Final = 6  # rarest words of a sentence that other memories have too, …
_LOOKED_UP: Final = 48  # … among so many of its rarest words
_LEAST_RARITY: Final = 3.0  # more common words, in about 5 % of the memories, are not looked up
_COMMON: Final = 512  # most nodes that are read for a word, the newest
_COMPARED: Final = 12  # memories that one sentence is compared with for its words or its slots
_SLOT_BONUS: Final = 2.0  # added to a memory with a rare word for each word of the slot
_SLOT_WEIGHT: Final = 0.5  # of a word of the slot, in nats of rarity
_AT_ONCE: Final = 64  # nodes that one transaction marks as compared
_COLD: Final = 64  # first comparisons of a process, which load tables and compile expressions
_LOADING: Final = 1.0  # most seconds of that for one memory
_SHARED: Final = 2  # rarest shared words that count for two memories
_ASKS: Final = ("?", "？")
_DAY: Final = 86_400_000_000  # microseconds
_REASONS: Final[Mapping[How, str]] = {
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


def _stripped(spans: Sequence[str]) -> tuple[str, ...]:
    """The sentences of a memory that are compared, stripped."""
    return tuple(filter(None, map(str.strip, spans[:_SENTENCES])))


@lru_cache(1 << 12)
def _read(sentences: tuple[str, ...], speaker: str | None) -> tuple[_Sentence, ...]:
    """The sentences of a memory that state something."""
    pairs = ((each, claims(each, speaker=speaker)) for each in sentences)
    return tuple(_Sentence(one, found, areas(one)) for one, found in pairs if found or states(one))


def _claiming(side: _Side) -> list[_Sentence]:
    """The sentences of a memory that have claims."""
    return [sentence for sentence in _read(side.sentences, side.text.speaker) if sentence.claims]


def _may_contradict(side: _Side) -> bool:
    """Whether a memory states anything that could contradict an older one."""
    return bool(_claiming(side)) or may_replace(side.sentences, side.text.speaker)


def claims_anything(node: Node) -> bool:
    """Whether a memory states something that another one may contradict."""
    return bool(_read(_stripped(node.sentences), node.speaker))


class _Side(NamedTuple):
    node: int
    record: NodeRecord
    text: TextRecord
    sentences: tuple[str, ...]
    """The sentences that are compared; of a shortened memory the remaining phrase."""
    zone: tzinfo | None
    """Of the clock."""

    @classmethod
    def of(cls, view: View, node: int, record: NodeRecord, text: TextRecord) -> _Side:
        return cls(node, record, text, _stripped(text.spans or (text.phrase,)), view.zone)

    @property
    def order(self) -> tuple[int, int]:
        """The sort key of two memories: since when it holds, then the id."""
        begun = self.record.valid_from
        return self.text.moment if begun is None else begun, self.node

    @property
    def is_trivial(self) -> bool:
        return trivial(self.text.text or self.text.phrase) is not None

    def seen(self) -> Node:
        return as_node(self.node, self.text, self.record, self.zone)


def _side(view: View, node: int) -> _Side | None:
    """A memory for comparison; None if it does not exist."""
    held = view.pair(node)
    return None if held is None else _Side.of(view, node, *held)


class _Pair(NamedTuple):
    """Two memories."""

    older: _Side
    newer: _Side
    speakers: tuple[str | None, str | None]
    is_apart: bool
    """They are about different persons or things."""

    @classmethod
    def of(cls, one: _Side, other: _Side) -> _Pair:
        if one.order > other.order:
            one, other = other, one
        speakers = one.text.speaker, other.text.speaker
        return cls(one, other, speakers, are_apart(one.sentences, other.sentences, speakers))

    @property
    def superseding(self) -> Superseding | None:
        """How the newer memory concerns the older one."""
        return superseding(self.older.sentences, self.newer.sentences, self.speakers)

    @property
    def offered(self) -> Replaceable:
        """The older memory as one that the newer may replace."""
        why = _REASONS["may" if self.superseding is None else self.superseding.how]
        rest = rest_of(self.older.sentences, self.newer.sentences, self.speakers)
        return Replaceable(self.older.node, why, str(self.older.seen()), self.newer.node, rest)

    def is_protected(self) -> bool:
        """Whether the older memory protects somebody from something that the newer one does not
        name."""
        if not any(protects(sentence) == "protective" for sentence in self.older.sentences):
            return False
        stated = statements(self.older.sentences, self.speakers[0])
        things = {t.key for one in stated for t in one.content if t.role == "word"}
        newer = statements(self.newer.sentences, self.speakers[1])
        named = {key for one in newer for key in one.keys}
        return things.isdisjoint(
            named if self.superseding is None else named | self.superseding.shared
        )


def is_protected(view: View, over: int, kept: int) -> bool:
    """Whether `over` protects somebody from something that `kept` does not name."""
    old, new = _side(view, over), _side(view, kept)
    if old is None or new is None:
        return False
    return _Pair(old, new, (old.text.speaker, new.text.speaker), False).is_protected()


def _days(older: _Side, newer: _Side) -> int:
    """The days between two memories, as in `offering.Candidate`."""
    days = min((newer.order[0] - older.order[0]) // _DAY, offering.LONG)
    is_dated = older.text.happened or newer.text.happened
    return days if is_dated else max(days, offering.UNDATED)


def _upper_bound(side: _Side, older: Iterable[_Side]) -> offering.Candidate:
    """An upper bound of the evidence that a memory replaces any of `older`, if it ends nothing."""
    sentences, speaker = side.sentences, side.text.speaker
    return offering.Candidate(
        node=0,
        shared=0.0,
        words=1,
        sentences=1,
        asks=False,
        asked=sentences[-1].endswith(_ASKS),
        is_of_other=False,
        is_apart=False,
        is_likely=False,
        states_change=states_change(sentences, speaker),
        contradicts=bool(_claiming(side)),
        differs=any(statement.values for statement in statements(sentences, speaker)),
        days=max([0, *(_days(other, side) for other in older)]),
    )


@lru_cache(1 << 12)
def _words(spans: tuple[str, ...]) -> frozenset[str]:
    """The index words of a memory, without function words."""
    return frozenset(filterfalse(is_grammar, words(" ".join(spans))))


def _conflict_of(pair: _Pair) -> Conflict | None:
    """The conflict of two memories; None if there is none or one was replaced."""
    older, newer, speakers, is_apart = pair
    if is_apart or older.record.valid_to is not None or newer.record.valid_to is not None:
        return None
    is_short = len(older.sentences) == len(newer.sentences) == 1
    if is_short and have_other_subjects(*older.sentences, *newer.sentences):
        return None
    # With one unknown speaker, "I" may be two people.
    if not _may_contradict(newer) or (speakers[0] is None) != (speakers[1] is None):
        return None
    after = _claiming(newer)
    best = None
    for a in _claiming(older) if after else ():
        for b in after:
            if a.text == b.text or has_other_site(a.text, b.text):
                continue
            found = strongest(a.claims, b.claims, a.areas, b.areas)
            if found is not None and (best is None or (found.replaces and not best.replaces)):
                best = found
    relation = pair.superseding
    is_likely = relation is not None and relation.is_likely
    if best is None and not is_likely:
        return None
    replaces = (
        best is not None
        and best.replaces
        and relation is not None
        and (relation.is_sure or not best.newer.value.startswith("not "))
        and all(one.is_all for one in statements(older.sentences, speakers[0]))
    )
    keep = newer.node if replaces or (relation is not None and relation.is_sure) else None
    kind, slot, values = "time", "", ("", "")
    if best is not None:
        kind, slot, values = best.kind, best.newer.slot, (best.older.value, best.newer.value)
    nodes = older.seen(), newer.seen()
    dates = tuple(node.valid_from for node in nodes if node.valid_from is not None)
    return Conflict(kind, slot, values, *nodes, keep, replaces, dates)


def _offer(
    pair: _Pair, rarities: Mapping[str, float], contradicts: bool
) -> offering.Candidate | None:
    """The evidence that the newer memory replaces the older one; None if both are equal or of
    different persons, or the older one has no sentence. rarities: of the newer one's words."""
    before, after, speaker = pair.older.sentences, pair.newer.sentences, pair.speakers[1]
    relation = pair.superseding if may_replace(after, speaker) else None
    is_likely = relation is not None and relation.is_likely
    if not before or before == after:
        return None
    if pair.is_apart and not is_likely and are_of_others(before, after, pair.speakers):
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
    """The sum of the rarities of the rarest shared words. rarities: of the words of one memory."""
    return sum(
        sorted([rarities[word] for word in _words(other.sentences) if word in rarities])[-_SHARED:]
    )


@cache
def _slot_words() -> Mapping[str, list[str]]:
    """Slot of a person → the index words of all expressions for it."""
    return {slot: words(" ".join(phrases)) for slot, phrases in groups("slot_words").items()}


class _Scored:
    """Memories with the sum of the weights of the words that they have."""

    def __init__(self, holding: Sequence[tuple[Nodes, float]]) -> None:
        """holding: for each word the memories that have it, and its weight."""
        nodes = [held for held, _ in holding]
        worth = np.repeat([each for _, each in holding], [*map(len, nodes)])
        self._nodes, self._worth = summed(np.concatenate((NOTHING.nodes, *nodes)), worth)

    def add(self, index: WordReader, bonus_words: Iterable[str]) -> None:
        """Add the bonus to these memories for each of the words that they have."""
        for word in bonus_words if len(self._nodes) else ():
            holding = index.find(word).among(self._nodes).nodes
            self._worth[positions(self._nodes, holding)] += _SLOT_BONUS

    def ordered(self) -> Iterator[int]:
        """The nodes, highest sum first, of equal ones the newest."""
        order = np.argsort(-self._worth[::-1], kind="stable")
        return iter(self._nodes[::-1][order].tolist())


class Patience:
    """A time limit for finding conflicts, in CPU time of the thread, so that the result does
    not depend on the load of the machine; `ran_out`: it was too short. The time in which a process
    loads tables, at most a second, does not count."""

    compared = 0  # memories that this process has compared

    def __init__(self, seconds: float = inf) -> None:
        self._seconds, self._begun = seconds, thread_time()
        self._until = self._begun + seconds
        self.ran_out = False

    def is_over(self) -> bool:
        if self._seconds == inf:  # asked for each comparison; the clock is a call of the system
            return False
        now = thread_time()
        if Patience.compared < _COLD and now < self._begun + _LOADING:
            self._until = now + self._seconds
        self.ran_out = now > self._until
        return self.ran_out


@dataclass(slots=True)
class Conflicts:
    """Finds and stores the conflicts of one scope."""

    store: Store
    scope: Scope
    rarity: Callable[[str], float]
    """The rarity of an index word in nats; more is rarer."""

    # -- finding ------------------------------------------------------------------------------

    def replaceable(
        self, view: View, index: WordReader, node: int, patience: Patience
    ) -> tuple[list[Conflict], Iterator[Replaceable]]:
        """The conflicts of a memory, newest first, and the older memories that it may replace,
        likeliest first. When patience is over, the conflicts found by then are returned, and only
        those older memories that the new one likely supersedes."""
        side = _side(view, node)
        if side is None or side.record.valid_to is not None or side.is_trivial:
            return [], iter(())
        found: list[Conflict] = []
        offers: list[offering.Candidate] = []
        pairs: dict[int, _Pair] = {}
        near: Iterable[_Side] = self._near(view, index, side, patience)
        best = None
        if not _may_contradict(side):
            # Only newer memories may contradict it; of older ones those that share most suffice.
            rarities = self._rarities(side)
            order = side.order
            near = sorted(near, key=lambda o: (o.order < order, -_shared(rarities, o)))
            best = _upper_bound(side, near)
        for pair, conflict, offer in self._comparisons(view, near, side, patience, best):
            if conflict is not None:
                found.append(conflict)
            if offer is not None:
                offers.append(offer)
                pairs[offer.node] = pair
        likely = [
            node
            for node in offering.likely(offers)
            if not (pairs[node].older.is_trivial or pairs[node].is_protected())
        ]
        if patience.is_over():  # without all candidates their ranks are unknown
            likely = [offer.node for offer in reversed(offers) if offer.is_likely]
        found.sort(key=lambda c: (-c.older.id, -c.newer.id))
        return found, (pairs[older].offered for older in likely)

    def _contradicted(self, view: View, index: WordReader, node: int) -> Iterator[Conflict]:
        """The conflicts of a memory with those of a lower id, as in `replaceable`, without the
        evidence for replacements, which takes longest."""
        side = _side(view, node)
        if side is None or side.record.valid_to is not None:
            return
        may_contradict = _may_contradict(side)
        for other in self._near(view, index, side, Patience()):
            if other.node > node or not (
                may_contradict if other.order < side.order else _may_contradict(other)
            ):
                continue
            conflict = _conflict_of(_Pair.of(side, other))
            if conflict is not None and not self._dismissed(view.reader, *conflict.pair):
                yield conflict

    def predecessors(self, view: View, index: WordReader, node: int) -> set[int]:
        """The older memories that one replaces, certainly or probably."""
        if (side := _side(view, node)) is None:
            return set()
        rarities, order = self._rarities(side), side.order
        near = [o for o in self._near(view, index, side, Patience()) if o.order < order]
        near.sort(key=lambda o: -_shared(rarities, o))
        best = None if may_replace(side.sentences, side.text.speaker) else _upper_bound(side, near)
        compared = self._comparisons(view, near, side, Patience(), best)
        return {*offering.likely([offer for _, _, offer in compared if offer is not None])}

    def _comparisons(
        self,
        view: View,
        near: Iterable[_Side],
        side: _Side,
        patience: Patience,
        best: offering.Candidate | None,
    ) -> Iterator[tuple[_Pair, Conflict | None, offering.Candidate | None]]:
        """(pair, conflict, evidence that it replaces the other) of one memory with each of `near`,
        except dismissed pairs. best: an upper bound of that evidence; comparison stops as soon as
        no further memory can reach it."""
        rarities = self._rarities(side)
        offers: list[offering.Candidate] = []
        for other in near:
            if patience.is_over():
                return
            Patience.compared += 1
            pair = _Pair.of(side, other)
            conflict = _conflict_of(pair)
            if conflict is not None and self._dismissed(view.reader, *conflict.pair):
                continue
            offer = _offer(pair, rarities, conflict is not None) if pair.older is other else None
            yield pair, conflict, offer
            if offer is not None:
                offers.append(offer)
                if best is not None and not offering.may_follow(offers, best):
                    return

    def _rarities(self, side: _Side) -> dict[str, float]:
        """The rarities of a memory's index words, without function words."""
        return {word: self.rarity(word) for word in _words(side.sentences)}

    def outdated(self, view: View, index: WordReader, node: int) -> list[int]:
        """The older memories that one ends or changes, in words, or may do so."""
        side = _side(view, node)
        if side is None or not (
            may_replace(side.sentences, side.text.speaker) or states_change(side.sentences)
        ):
            return []
        near = self._near(view, index, side, Patience())
        pairs = (_Pair.of(side, other) for other in near)
        return [
            pair.older.node for pair in pairs if pair.newer is side and pair.superseding is not None
        ]

    def _dismissed(self, reader: Reader, one: int, other: int) -> bool:
        kept = reader.get(_key(self.scope, one, other))
        return kept is not None and bool(kept[0] & _DISMISSED)

    def _near(
        self, view: View, index: WordReader, side: _Side, patience: Patience
    ) -> Iterator[_Side]:
        """The memories that may contradict one or be replaced by it, likeliest first."""
        seen: set[int] = set()
        for sentence in _read(side.sentences, side.text.speaker):
            if patience.is_over():
                return
            named = {w: self.rarity(w) for w in dict.fromkeys(words(sentence.text))}
            rarest = sorted(named, key=lambda w: -named[w])[:_LOOKED_UP]
            holding: list[tuple[Nodes, float]] = []  # most of the rarest are in no other memory
            for word in rarest:
                if len(holding) == _WORDS or (holding and named[word] < _LEAST_RARITY):
                    break
                if len(others := index.others(word, side.node, _COMMON)):
                    holding.append((others, named[word]))
            slots = {word for c in sentence.claims for word in _slot_words().get(c.slot, ())}
            if holding:
                scored = _Scored(holding)
                scored.add(index, slots)
                yield from self._best(view, scored, seen)
            if slots:
                # The state of a person has many expressions; for things rare words suffice.
                known = (index.others(word, side.node, _COMMON) for word in slots)
                scored = _Scored([(nodes, _SLOT_WEIGHT) for nodes in known])
                # Prefer memories that name the same speaker.
                scored.add(index, words(side.text.speaker or ""))
                yield from self._best(view, scored, seen)

    def _best(self, view: View, scored: _Scored, seen: set[int]) -> Iterator[_Side]:
        likely = [*islice(filterfalse(seen.__contains__, scored.ordered()), _COMPARED)]
        seen.update(likely)
        for found in view.pairs(likely):
            if found[1].valid_to is None:
                yield _Side.of(view, *found)

    # -- keeping ------------------------------------------------------------------------------

    def catch_up(
        self,
        reading: Callable[[], AbstractContextManager[tuple[View, WordReader]]],
        seconds: float,
        progress: Progress | None = None,
    ) -> bool:
        """Compare new memories with the older ones and store their conflicts; True if all are
        compared within `seconds`. reading: opens a view with its word index. progress: called with
        the number of compared ids and that of all."""
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
        """The stored conflicts that still exist, newest first. Pairs of which one was forgotten,
        replaced or shortened until it has no claim are left out."""
        start = self.scope.prefix(Space.CONFLICT)
        for key, value in view.reader.range(start, keys.after(start), reverse=True):
            if len(value) != 1 or value[0] & _DISMISSED:
                continue
            one = _side(view, int.from_bytes(key[-16:-8], "big"))
            other = _side(view, int.from_bytes(key[-8:], "big"))
            if one is None or other is None:
                continue
            if (found := _conflict_of(_Pair.of(one, other))) is not None:
                yield found

    def between(self, view: View, one: int, other: int) -> Conflict:
        """The conflict of two memories, also if it was set aside. Raises InvalidArgumentError if
        the rules find none, or one of them was replaced or does not exist."""
        sides = []
        for node in (one, other):
            if (side := _side(view, node)) is None:
                raise InvalidArgumentError(f"there is no node {node} in this scope")
            view.require_holding(node, side.record)
            sides.append(side)
        if (found := _conflict_of(_Pair.of(*sides))) is None:
            raise InvalidArgumentError(
                f"nodes {one} and {other} do not contradict each other by any rule, and both hold. "
                "If you know that one takes the place of the other, say so: replace(old, by=new)"
            )
        return found

    def dismiss(self, one: int, other: int) -> None:
        """Record that two memories both hold, so that they are never listed as a conflict again."""
        self.store.require(FEATURE)
        with Transaction(self.store, self.scope) as tx:
            tx.put(_key(self.scope, one, other), bytes((_DISMISSED,)))


def _key(scope: Scope, one: int, other: int) -> bytes:
    """The key of a pair, with the higher id first."""
    return scope.prefix(Space.CONFLICT) + keys.u64(max(one, other)) + keys.u64(min(one, other))


def _mark(reader: Reader, scope: Scope) -> int:
    found = reader.get(scope.prefix(Space.CONFLICT) + _MARK)
    return keys.number("how far conflicts were looked for", found)
