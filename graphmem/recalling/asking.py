"""What a cue asks for: the value that holds now, held before or held first, and its type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache
from typing import Final, Literal

from graphmem.values.moments import micros
from graphmem_worker.language.calendar import Mention, is_ahead
from graphmem_worker.language.expressions import captured, expression
from graphmem_worker.language.period import Period
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.words import words

Asked = Literal["now", "before", "first"]


def _asks(means: str, cue: str) -> bool:
    return sayings("cues", means).is_in(folded(cue))


@lru_cache(1 << 8)
def asked(cue: str) -> Asked:
    """Whether a cue asks for what holds now (the default), held before, or held first."""
    if _asks("first", cue):
        return "first"
    return "before" if _asks("before", cue) else "now"


@dataclass(frozen=True, slots=True)
class State:
    """The state for which a cue asks. Moments are microseconds since 1970, UTC."""

    wanted: Asked
    since: int | None  # beginning and end of the past period that the cue names
    until: int | None

    @property
    def is_now(self) -> bool:
        return self.wanted == "now" and self.until is None

    @classmethod
    def of(cls, cue: str, when: Iterable[Mention], now: datetime) -> State:
        """The state for which a cue asks. when: the periods that it names."""
        named = [_with_year(cue, mention, now.date()) for mention in when]
        begun = [period.first for period in named if period.first <= now.date()]
        ended = [period.last for period in named if period.last < now.date()]
        return cls(
            asked(cue),
            micros(datetime.combine(min(begun), time(), now.tzinfo)) if begun else None,
            micros(datetime.combine(max(ended), time(23, 59, 59), now.tzinfo)) if ended else None,
        )

    def must_hold_at(self, now: datetime, *, is_dated: bool) -> int | None:
        """The moment by which a hit must not have been replaced: now, or the beginning of the
        period. None if replaced ones count too: an earlier value, or all of a day (`is_dated`), is
        asked for."""
        if self.wanted != "now" or (is_dated and self.until is not None):
            return None
        return micros(now) if self.until is None else self.since


def _with_year(cue: str, mention: Mention, today: date) -> Period:
    """The period of a mention, with the year that the cue means."""
    ahead = is_ahead(cue, mention)
    if ahead is None:
        return mention.period.nearest(today)
    return mention.period.coming(today) if ahead else mention.period.dated(today)


def asks_why(cue: str) -> bool:
    """Whether a cue asks for a reason; what replaced the choice later does not answer it."""
    return _asks("why", cue)


def asks_how(cue: str) -> bool:
    """Whether a cue asks how something is done: "How do I load the seed data?"."""
    return _asks("how", cue)


def asks_whether(cue: str) -> bool:
    """Whether a cue asks if something is so: "Does Rui live here?"."""
    return _asks("whether", cue)


def asks_for_value(cue: str, wanted: Asked, is_dated: bool) -> bool:
    """Whether a cue asks for one value, by the form of its question: "Where does Rui live?", "Where
    did Rui live before?", "Where did Rui live in May?", but not "Where did Rui go?" or "Which two
    cities did Rui live in before?"."""
    if wanted != "now" or is_dated:
        return _asks("value", cue) and not _asks("several", cue)
    is_settled = _asks("settled", cue) and not _asks("many", cue)
    if is_settled or _asks("now", cue) or asks_whether(cue):
        return True
    return expression("cues", "state").search(cue) is not None and not _asks("event", cue)


# -- of which type -------------------------------------------------------------------------------

_TYPES: Final = (
    ("money", ("money",)),
    ("time", ("time", "date", "clock")),
    ("person", ("person",)),
    ("place", ("place",)),
    ("number", ("number",)),
)
"""(type of the value that a cue asks for, entries of the tables `asked` that ask for it); the first
that fits. The tables for texts are wide: they exclude only a text that surely has no such value."""


def asks_for_reply(cue: str) -> bool:
    """Whether a cue asks what the assistant said: "What did you suggest?"."""
    return _asks("said by you", cue)


def asks_what_was_spent(cue: str) -> bool:
    """Whether a cue asks what was spent or bought; only memories of its period answer that."""
    return _asks("spent then", cue)


@lru_cache(1 << 8)
def asked_type(cue: str) -> str:
    """The type of value that a cue asks for, such as "money"; "" if it asks for none."""
    text = folded(cue)
    return next((name for name, asks in _TYPES if sayings("asked", *asks).is_in(text)), "")


def limits() -> str:
    """The source of an expression for the beginning of a clause that limits the one before it."""
    return expression("cues", "limits").source


def may_give_value(cue: str, text: str) -> bool:
    """Whether a text may have a value of the type that a cue asks for; True if it asks for none."""
    value_type = asked_type(cue)
    return not value_type or _may_have(value_type, text)


@lru_cache(1 << 14)
def _may_have(value_type: str, text: str) -> bool:
    return expression("asked", value_type).within(text, folded(text))


@lru_cache(1 << 8)
def later_value_words(cue: str) -> frozenset[str]:
    """The index words of the later value that a cue names, as in "Where was she before Erfurt?"."""
    found = expression("cues", "told after").search(cue)
    return frozenset(words("".join(captured(found, "after", "ahead")))) if found else frozenset()
