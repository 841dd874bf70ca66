"""A working set in items, one for each turn: a new turn writes only itself and the head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Final, TypeAlias

from graphmem.sharing.items import Items

NAMESPACE: Final = "graphmem:working-set"
"""Where working sets are: the head of each as "<session> 0", what there is of its turns as
"<session> <number>"."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the prompt.

    number: its number, from 1.
    role: system, user, assistant or tool.
    importance: 0–1.
    source: where the memory has it whole, such as "node 12"; "" for nothing.
    tokens: the length of its message.
    speaker: who says it, if that is not the role alone.
    day: on which it was said, such as "2026-01-05".
    outdated: True if later turns give another value, or if its memory no longer holds.
    guarded: the content without the secrets that the memory cut out, from which alone is quoted;
        "" if it cut none.
    segments: in how many memories it is there, from its source on.
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
        first = self.source.removeprefix("node ")
        return range(int(first), int(first) + self.segments) if first.isdecimal() else range(0)


@dataclass(frozen=True, slots=True)
class Fact:
    """A quotation of a turn that has left the prompt.

    quote: exactly as it stands in the turn.
    speaker: who said it, or the role.
    outdated: True if a later turn gives another value.
    answered: True for a question to which the next turn is the answer.
    newer: the number of the turn that is likely to give another value; 0 if none is known.
    part: the place of the quotation in that turn that does.
    over: the day after which it is of no more use, such as "2026-03-12"; "": never.
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


_Record: TypeAlias = Turn | tuple[Fact, ...]  # a turn that stands in the prompt, or what is quoted


class SavedSet:
    """What is stored of the working set of a session."""

    def __init__(self, items: Items, session: str) -> None:
        self._items = items
        self._session = session
        self._facts: Sequence[Fact] = ()
        self._quoted: dict[int, _Record] = {}  # of the facts that were saved last
        self._written: dict[int, _Record] = {}

    def load(self) -> dict[str, Any] | None:
        """The state as `WorkingSet.state` gave it; None if nothing is stored."""
        head = self._items.get(NAMESPACE, self._key(0))
        if head is None:
            return None
        state = dict(head.value)
        state["turns"] = list(self._values(state.pop("standing")))
        state["facts"] = [fact for facts in self._values(state.pop("quoted")) for fact in facts]
        return state

    def save(self, head: dict[str, Any], turns: Sequence[Turn], facts: Sequence[Fact]) -> None:
        """Write what has changed since the last call, in one batch. facts: in the order in which
        their turns left, a new list if anything in it is new."""
        records = self._records(turns, facts)
        changed = [n for n, record in records.items() if self._written.get(n) != record]
        standing = [turn.number for turn in turns]
        values = {0: {**head, "standing": standing, "quoted": list(self._quoted)}}
        values |= {number: _value(records[number]) for number in changed}
        self._items.put_many(
            [
                {"namespace": NAMESPACE, "key": self._key(number), "value": value}
                for number, value in values.items()
            ],
            delete=[(NAMESPACE, self._key(n)) for n in self._written if n not in records],
        )
        self._written = records

    def loaded(self, turns: Sequence[Turn], facts: Sequence[Fact]) -> None:
        """Take note that all of this is stored already."""
        self._written = self._records(turns, facts)

    def _records(self, turns: Sequence[Turn], facts: Sequence[Fact]) -> dict[int, _Record]:
        if facts is not self._facts:
            by_turn = groupby(facts, key=lambda fact: fact.turn)
            self._facts, self._quoted = facts, {turn: tuple(said) for turn, said in by_turn}
        return self._quoted | {turn.number: turn for turn in turns}

    def _values(self, numbers: Sequence[int]) -> Iterator[Any]:
        found = self._items.get_many(NAMESPACE, [self._key(number) for number in numbers])
        return (item.value for item in found if item is not None)

    def _key(self, number: int) -> str:
        return f"{self._session} {number}"


def _value(record: _Record) -> Any:
    return asdict(record) if isinstance(record, Turn) else [*map(asdict, record)]
