"""A working set in items, one for each turn: adding a turn writes only its item and the head."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Final, TypeAlias

from graphmem.errors import VersionConflictError
from graphmem.sharing.item_store import Deletion, Entry
from graphmem.sharing.items import Items
from graphmem.values.items import Item

NAMESPACE: Final = "graphmem:working-set"
"""The namespace of working sets: the head has the key "<session> 0", a turn or its quotations
"<session> <number>"."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the prompt.

    number: its number, from 1.
    role: system, user, assistant or tool.
    importance: 0–1.
    source: where it is stored whole, such as "node 12"; "" if nowhere.
    tokens: the length of its message.
    speaker: its speaker, if the role alone does not identify them.
    day: its date, such as "2026-01-05".
    outdated: True if later turns give another value, or if its memory is no longer valid.
    guarded: the content without the secrets that the memory cut out, which is quoted instead; "" if
        there are none.
    segments: the number of its memories, from its source on.
    """

    number: int
    role: str
    content: str
    importance: float
    pinned: bool
    source: str
    tokens: int
    speaker: str = ""
    day: str = ""
    outdated: bool = False
    guarded: str = ""
    segments: int = 1

    @property
    def nodes(self) -> range:
        """The ids of its memories."""
        return _nodes(self.source, self.segments)


@dataclass(frozen=True, slots=True)
class Fact:
    """A quotation of a turn that has left the prompt.

    quote: the exact words of the turn.
    speaker: the speaker or role of the turn.
    outdated: True if a later turn gives another value.
    answered: True for a question to which the next turn is the answer.
    newer: the number of the turn that is likely to give another value; 0 if there is none.
    part: the index of the quotation in that turn that does.
    over: the day after which it is of no more use, such as "2026-03-12"; "": never.
    segments: the number of memories of the turn, from its source on; 0 in sets of older versions.
    """

    kind: str
    quote: str
    turn: int
    source: str
    importance: float
    speaker: str = ""
    day: str = ""
    outdated: bool = False
    answered: bool = False
    newer: int = 0
    part: int = 0
    over: str = ""
    segments: int = 0


_Record: TypeAlias = Turn | tuple[Fact, ...]  # a turn in the prompt, or quotations of one that left


class SavedSet:
    """The stored working set of a session."""

    def __init__(self, items: Items, session: str) -> None:
        self._items = items
        self._session = session
        self._facts: Sequence[Fact] = ()
        self._quoted: dict[int, _Record] = {}  # the facts that were saved last, by turn
        self._written: dict[int, _Record] = {}
        self._version = 0  # of the head that was loaded or saved last
        self._is_known = True  # whether the last `save` was answered

    def load(self) -> dict[str, Any] | None:
        """The state as `WorkingSet.state` gave it; None if nobody else has saved one since."""
        while head := self._items.get(NAMESPACE, self._key(0)):
            if head.version == self._version:
                return None
            state = dict(head.value)
            standing, quoted = state.pop("standing"), state.pop("quoted")
            keys = [self._key(number) for number in (0, *standing, *quoted)]
            again, *found = self._items.get_many(NAMESPACE, keys)
            if again is None or again.version != head.version:
                continue  # saved meanwhile
            self._version = head.version
            turns, groups = found[: len(standing)], found[len(standing) :]
            state["turns"] = [item.value for item in turns if item is not None]
            state["facts"] = [fact for item in groups if item is not None for fact in item.value]
            return state
        self._version, self._written = 0, {}
        return None

    def save(self, head: dict[str, Any], turns: Sequence[Turn], facts: Sequence[Fact]) -> bool:
        """Write the changes since the last call, in one batch; False, and nothing is written, if
        somebody else has saved since. facts: in the order in which their turns left; a new list if
        its content has changed."""
        records = self._records(turns, facts)
        changed = [n for n, record in records.items() if self._written.get(n) != record]
        standing = [turn.number for turn in turns]
        values = {0: {**head, "standing": standing, "quoted": list(self._quoted)}}
        values |= {number: _value(records[number]) for number in changed}
        entries: list[dict[str, Any]] = [
            {"namespace": NAMESPACE, "key": self._key(number), "value": value}
            for number, value in values.items()
        ]
        entries[0]["expected"] = self._version
        gone = [(NAMESPACE, self._key(n)) for n in self._written if n not in records]
        self._is_known = False
        with suppress(VersionConflictError):
            self._version = self._items.put_many(entries, delete=gone)[0].version
            self._written = records
        self._is_known = True
        return self._written is records

    def loaded(
        self, turns: Sequence[Turn], facts: Sequence[Fact], own: Sequence[Turn]
    ) -> list[Turn]:
        """Record that these turns and facts are stored; returns those of `own` that are not."""
        unsaved = [turn for turn in own if turn.number not in self._written]
        self._written = self._records(turns, facts)
        # An owner that went before it answered may have stored them.
        known = () if self._is_known else (*turns,)
        self._is_known = True
        return [turn for turn in unsaved if turn not in known]

    def _records(self, turns: Sequence[Turn], facts: Sequence[Fact]) -> dict[int, _Record]:
        if facts is not self._facts:
            by_turn = groupby(facts, key=lambda fact: fact.turn)
            self._facts, self._quoted = facts, {turn: tuple(group) for turn, group in by_turn}
        return self._quoted | {turn.number: turn for turn in turns}

    def _key(self, number: int) -> str:
        return f"{self._session} {number}"


def _value(record: _Record) -> Any:
    return asdict(record) if isinstance(record, Turn) else [*map(asdict, record)]


def _nodes(source: str, segments: int) -> range:
    """The ids of the memories of a turn."""
    first = source.removeprefix("node ")
    return range(int(first), int(first) + segments) if first.isdecimal() else range(0)


def without(
    items: Iterable[Item], gone: Set[int], texts: Callable[[], Set[int]]
) -> tuple[list[Entry], list[Deletion]]:
    """What to write and delete so that nothing of the nodes in `gone` is in a stored set. items:
    those of `NAMESPACE`. texts: returns all nodes of the texts that have one in `gone`. A set in
    use takes the new head over before it is next saved."""
    sets: defaultdict[str, dict[str, Item]] = defaultdict(dict)
    for item in items:
        session, _, number = item.key.rpartition(" ")
        sets[session][number] = item
    entries, deletions = list[Entry](), list[Deletion]()
    for found in sets.values():
        lost = {number for number, item in found.items() if _is_of(item.value, gone, texts)}
        deletions += [Deletion(NAMESPACE, found[number].key) for number in lost]
        if not lost or (head := found.get("0")) is None:
            continue
        state = head.value
        # The turn of each fact, as `load` lists them.
        facts = [n for n in map(str, state["quoted"]) if n in found for _ in found[n].value]
        places = [place for place, number in enumerate(facts) if number not in lost]
        moved = {place: k for k, place in enumerate(places)}
        left = {k: [n for n in state[k] if str(n) not in lost] for k in ("standing", "quoted")}
        shown = [moved[place] for place in state["shown"] if place in moved]
        value = {**state, **left, "shown": shown}
        entries.append(Entry(NAMESPACE, head.key, value, by=head.updated_by))
    return entries, deletions


def _is_of(value: Any, gone: Set[int], texts: Callable[[], Set[int]]) -> bool:
    """Whether a turn, or the quotations of one, are of nodes in `gone`; see `without`."""
    records = value if isinstance(value, list) else [value]
    return any(
        not (gone if segments else texts()).isdisjoint(_nodes(source, segments or 1))
        for record in records
        if isinstance(record, dict) and (source := record.get("source"))
        for segments in [record.get("segments", 0)]
    )
