"""Census: cached properties of every node of a scope.

Results that depend on a text alone are kept in memory, about 300 bytes a node.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from graphmem.graph.findings import Findings
from graphmem.graph.kinds import kind_of, lasts
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.values.kinds import Kind, Temporality
from graphmem.values.moments import moment
from graphmem_worker.guard import Cut, guard, guard_field
from graphmem_worker.kinds import instructs, last_relevant_day
from graphmem_worker.language.marks import marks
from graphmem_worker.text.particulars import is_particular
from graphmem_worker.text.protects import last_day, protects
from graphmem_worker.text.trivial import trivial
from graphmem_worker.text.words import nfkc

_WORDS: Final = re.compile(r"[\w+#%€$£¥°-]+")  # C++ is not C, and -5 is not 5
_FIGURE: Final = frozenset(("figures", "number"))  # marks of a sentence
_UNDATED: Final = 365  # days for which a commitment without a date binds; see forgetting.holding


class Judged(NamedTuple):
    """The properties of a text that retention needs."""

    created: int  # microseconds since 1970, UTC
    kind: Kind
    lasts: Temporality
    """How long it may be needed, if that is almost certain."""


class Secrets(NamedTuple):
    """The secrets that the guard would cut out of a text."""

    kinds: tuple[str, ...]
    sure: bool  # a rule of the guard finds one, and not its tagger alone


class Content(NamedTuple):
    """The properties of a text that cleaning needs."""

    trivial: str | None  # why it has no content; see graphmem_worker.text.trivial
    secrets: Secrets
    words_hash: int  # equal for texts of the same words by the same speaker; see `_words_hash`
    last_relevant_day: int
    """The last day (proleptic ordinal) that it names, if all of it is about days that were in the
    future; -1 if it recurs or has no end; else 0."""


class Bond(NamedTuple):
    """Why a text must be kept. Computed only for listed texts, as it takes longest."""

    protective: bool
    until: int  # the last day (proleptic ordinal) on which something binds; 0: nothing does
    lasting: bool
    """Whether age is no reason to remove the text without asking: it recurs, or has a rule, a
    commitment without an end, a particular, or a figure that belongs to no past day."""

    def holds(self, day: int) -> bool:
        """Whether the text protects somebody, or binds somebody on a day."""
        return self.protective or self.until >= day


class Census:
    """Computes and caches properties of the nodes of a scope."""

    def __init__(self, level: str) -> None:
        """level: the guard's, "secrets" or "personal"."""
        self._level: Final[Literal["secrets", "personal"]] = (
            "personal" if level == "personal" else "secrets"
        )
        self.judged: Findings[Judged] = Findings(
            lambda record, text: Judged(
                text.created,
                kind_of(record, text),
                lasts(record.kind, text.spans, text.phrase, text.speaker),
            )
        )
        self.content: Findings[Content] = Findings(self._content)
        self.forms: dict[tuple[int, int], Secrets] = {}
        """The secrets of archived forms, by node and version."""
        self.bonds: Findings[Bond] = Findings(lambda record, text: _bond(text))

    def secrets(self, text: TextRecord) -> Secrets:
        """The secrets that the guard would cut out of the fields of a record. The phrase is only
        searched within its sentence, as it may look like a code alone."""
        kinds = self._cut(text, ruled=False)
        return Secrets(kinds, bool(kinds and self._cut(text, ruled=True)))

    def _cut(self, text: TextRecord, *, ruled: bool) -> tuple[str, ...]:
        parts = ("".join(text.spans), *text.unsaid, text.derived)
        cuts = [c for part in parts if part for c in guard(part, self._level, ruled=ruled).cut]
        if text.speaker:
            cuts += _cut_of_speaker(text.speaker, self._level, ruled)
        for name, value in text.metadata:
            if isinstance(value, str):
                cuts += guard_field(name, value, self._level, ruled=ruled).cut
        return tuple(dict.fromkeys(cut.kind for cut in cuts))

    def secrets_in(self, text: str) -> tuple[str, ...]:
        """The kinds of the secrets that the guard would cut out of a text."""
        return tuple(dict.fromkeys(cut.kind for cut in guard(text, self._level).cut))

    def masked(self, text: str) -> str:
        """A text without its secrets."""
        return guard(text, self._level).text

    def _content(self, record: NodeRecord, text: TextRecord) -> Content:
        line = text.text or text.phrase
        return Content(
            trivial(line) if text.spans else None,
            self.secrets(text),
            _words_hash(text, line),
            last_relevant_day(text.spans or (line,), _date_of(text), text.speaker),
        )


@lru_cache(maxsize=256)  # a memory has few speakers
def _cut_of_speaker(
    speaker: str, level: Literal["secrets", "personal"], ruled: bool
) -> tuple[Cut, ...]:
    return guard(speaker, level, ruled=ruled).cut


def _date_of(text: TextRecord) -> date:
    return (moment(*text.happened) if text.happened else moment(text.created)).date()


def _bond(text: TextRecord) -> Bond:
    day, spans, protective, until = _date_of(text), text.spans or (text.phrase,), False, 0
    over = last_relevant_day(spans, day, text.speaker)
    lasting = over < 0
    for span in spans:
        is_value = over == 0 and not _FIGURE.isdisjoint(marks(span))
        lasting = lasting or is_value or is_particular(span) or instructs(span)
        match protects(span):
            case "protective":
                protective = True
            case "binding":
                last = last_day(span, day)
                lasting = lasting or last is None
                end = day.toordinal() + _UNDATED if last is None else last.toordinal()
                until = max(until, min(end, date.max.toordinal()))
            case None:
                pass
    return Bond(protective, until, lasting)


def _words_hash(text: TextRecord, line: str) -> int:
    """A hash of the words of a text, without case and punctuation, of its speaker and of the day on
    which it happened: running on two days is no repetition."""
    plain = nfkc(line).casefold()
    words = tuple(word for word in _WORDS.findall(plain) if word.strip("-+#°"))
    asks = plain.rstrip("\"' )").endswith("?")
    day = None if text.happened is None else moment(*text.happened).date()
    return hash((words, asks, text.speaker, day))
