"""Census: what is known of every node of a scope without reading its text again.

What depends on a text alone is kept in memory, about 300 bytes a node.
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
from graphmem_worker.kinds import instructs, over_after
from graphmem_worker.language.marks import marks
from graphmem_worker.text.particulars import is_particular
from graphmem_worker.text.protects import last_day, protects
from graphmem_worker.text.trivial import trivial
from graphmem_worker.text.words import nfkc

_WORDS: Final = re.compile(r"[\w+#%€$£¥°-]+")  # C++ is not C, and -5 is not 5
_FIGURE: Final = frozenset(("figures", "number"))  # marks of a sentence
_UNDATED: Final = 365  # days for which what binds and names no day does; see forgetting.holding


class Judged(NamedTuple):
    """What retention asks of a text."""

    created: int  # microseconds since 1970, UTC
    kind: Kind
    lasts: Temporality
    """How long it may be needed, where there is hardly a doubt."""


class Secrets(NamedTuple):
    """What the guard would cut out of a text."""

    kinds: tuple[str, ...]
    sure: bool  # a rule of the guard finds one, and not its tagger alone


class Content(NamedTuple):
    """What cleaning asks of a text."""

    trivial: str | None  # why it says nothing; see graphmem_worker.text.trivial
    secrets: Secrets
    same: int  # equal for texts of the same words by the same speaker; see `_sameness`
    over_after: int
    """The last day (proleptic ordinal) that it names, where all that it says is about days that
    were still to come; -1 if it comes again or has no end; else 0."""


class Bond(NamedTuple):
    """What of a text must not go: found only of what else would be listed, for it takes longest."""

    protective: bool
    until: int  # the last day (proleptic ordinal) on which something binds; 0: nothing does
    lasting: bool
    """Whether it comes again, or a sentence tells a rule, what binds without an end, a particular,
    or a figure of no day that is over: its age is no reason to remove it without asking."""

    def holds(self, day: int) -> bool:
        """Whether it protects somebody, or binds somebody on a day."""
        return self.protective or self.until >= day


class Census:
    """Walks over the nodes of a scope."""

    def __init__(self, level: str) -> None:
        """level: the guard's, "secrets" or "personal"."""
        self._guarded: Final[Literal["secrets", "personal"]] = (
            "personal" if level == "personal" else "secrets"
        )
        self.judged: Findings[Judged] = Findings(
            lambda record, text: Judged(
                text.created,
                kind_of(record, text),
                lasts(record.kind, text.spans, text.phrase, text.speaker),
            )
        )
        """What retention asks of a node."""
        self.content: Findings[Content] = Findings(self._content)
        """What cleaning asks of it besides."""
        self.forms: dict[tuple[int, int], Secrets] = {}
        """The secrets of archived forms, by node and version."""
        self.bonds: Findings[Bond] = Findings(lambda record, text: _bond(text))

    def secrets(self, text: TextRecord) -> Secrets:
        """The secrets that the guard would cut out of what a record holds. What stands in its
        sentences is judged there: a phrase alone may read as a code."""
        kinds = self._cut(text, ruled=False)
        return Secrets(kinds, bool(kinds and self._cut(text, ruled=True)))

    def _cut(self, text: TextRecord, *, ruled: bool) -> tuple[str, ...]:
        parts = ("".join(text.spans), *text.unsaid, text.derived)  # each told alone
        cuts = [c for part in parts if part for c in guard(part, self._guarded, ruled=ruled).cut]
        if text.speaker:
            cuts += _cut_of_speaker(text.speaker, self._guarded, ruled)
        for name, value in text.metadata:
            if isinstance(value, str):
                cuts += guard_field(name, value, self._guarded, ruled=ruled).cut
        return tuple(dict.fromkeys(cut.kind for cut in cuts))

    def secrets_in(self, text: str) -> tuple[str, ...]:
        """Kinds of the secrets that the guard would cut out of a text."""
        return tuple(dict.fromkeys(cut.kind for cut in guard(text, self._guarded).cut))

    def masked(self, text: str) -> str:
        """A text without its secrets."""
        return guard(text, self._guarded).text

    def _content(self, record: NodeRecord, text: TextRecord) -> Content:
        said = text.text or text.phrase
        return Content(
            trivial(said) if text.spans else None,
            self.secrets(text),
            _sameness(text, said),
            over_after(text.spans or (said,), _told(text), text.speaker),
        )


@lru_cache(maxsize=256)  # few speakers say all that is in a memory
def _cut_of_speaker(
    speaker: str, level: Literal["secrets", "personal"], ruled: bool
) -> tuple[Cut, ...]:
    return guard(speaker, level, ruled=ruled).cut


def _told(text: TextRecord) -> date:
    return (moment(*text.happened) if text.happened else moment(text.created)).date()


def _bond(text: TextRecord) -> Bond:
    told, spans, protective, until = _told(text), text.spans or (text.phrase,), False, 0
    over = over_after(spans, told, text.speaker)
    lasting = over < 0
    for span in spans:
        is_value = over == 0 and not _FIGURE.isdisjoint(marks(span))
        lasting = lasting or is_value or is_particular(span) or instructs(span)
        match protects(span):
            case "protective":
                protective = True
            case "binding":
                last = last_day(span, told)
                lasting = lasting or last is None
                end = told.toordinal() + _UNDATED if last is None else last.toordinal()
                until = max(until, min(end, date.max.toordinal()))
            case None:
                pass
    return Bond(protective, until, lasting)


def _sameness(text: TextRecord, said: str) -> int:
    """The hash of the words of a text and its speaker, whatever the case and the marks between
    them; of what happened on a day, with the day: running twice is no repetition."""
    plain = nfkc(said).casefold()
    words = tuple(word for word in _WORDS.findall(plain) if word.strip("-+#°"))
    asks = plain.rstrip("\"' )").endswith("?")
    day = None if text.happened is None else moment(*text.happened).date()
    return hash((words, asks, text.speaker, day))
