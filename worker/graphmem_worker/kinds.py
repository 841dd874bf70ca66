"""The kind of memory that a sentence is: its realm, confidence and temporality.

The head "kinds" (`language.heads`) judges one sentence at a time by its words and the marks of
`language.marks`, and by its vector if there is one; `python -m bench heads` fits and judges it.
Kinds guide filters and health; removal needs surer judgements (`lasts`). Of a sentence the first
`LONGEST` characters are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final, Literal, TypeVar, get_args

from graphmem_worker.claims.statements import statements, states_change
from graphmem_worker.language.calendar import Mention, is_ahead, mentions, without
from graphmem_worker.language.heads import head
from graphmem_worker.language.lists import listed
from graphmem_worker.language.marks import marks
from graphmem_worker.language.period import single_day, whole_months
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.language.tables import as_written, simplified
from graphmem_worker.text.particulars import is_particular
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import LATEST, last_day, protects
from graphmem_worker.text.salience import is_question
from graphmem_worker.text.sentences import clauses
from graphmem_worker.text.trivial import trivial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

Realm = Literal["personal", "project", "universal", "ephemeral"]
Level = Literal["explicit", "inferred", "uncertain", "noise"]
Temporality = Literal["permanent", "long", "short", "session"]
Source = Literal["rule", "caller", "pattern"]

LONGEST: Final = 400

CONFIDENCES: Final[dict[Level, float]] = {
    "explicit": 0.95,
    "inferred": 0.8,
    "uncertain": 0.55,
    "noise": 0.2,
}
"""The confidence of a level."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A judgement: realm, confidence (0–1), temporality, and who made it.

    Confidence is explicit from 0.9, inferred from 0.7, uncertain from 0.4, else noise.
    """

    realm: Realm
    confidence: float
    temporality: Temporality
    source: Source = "rule"

    @property
    def level(self) -> Level:
        """The confidence as a word: explicit, inferred, uncertain or noise."""
        if self.confidence >= 0.9:
            return "explicit"
        if self.confidence >= 0.7:
            return "inferred"
        return "uncertain" if self.confidence >= 0.4 else "noise"


_CHATTER: Final = Kind("ephemeral", CONFIDENCES["noise"], "session")
_HEAD: Final = "kinds"
_ADVISER: Final = "assistant"
_HAN: Final = late("[\u4e00-\u9fff]")
_OF_PERSONS: Final = ("personal", "ephemeral")
_OF_SOMEBODY: Final = frozenset(
    ("i", "you", "somebody", "kin", "life", "reply", "hedged", "condition", "past", "asks")
)
_LEVELS_OF_MEMORIES: Final[tuple[Level, ...]] = ("explicit", "inferred", "uncertain")
_PASSING: Final = ("ephemeral", "noise", "session")
_LASTING: Final = ("permanent", "long")
_SURELY: Final = 1.0
"""By how many nats one of `_PASSING` must be likelier than the others, since memories of these
kinds may be removed."""
PASSES: Final = 4.0
"""By how many nats "session" or "short" must be likelier than the lasting kinds to allow a removal.
Of the lasting statements of the writers R and G, each left out of the fit, 2.3 % and 0.8 % exceed
it (`python -m bench heads --only kinds`)."""
_Name = TypeVar("_Name", bound=str)


def kind(sentence: str, *, speaker: str | None = None) -> Kind:
    """Judge one sentence by its words.

    `speaker` is who wrote it: a sentence of an "assistant" about persons is advice, no memory.
    """
    text = _prepared(sentence)
    return _judged(_sums(text), speaker) if text else _CHATTER


def kind_by_vector(
    sentence: str, vector: Floats, model: str, *, speaker: str | None = None
) -> Kind:
    """Judge one sentence by its words and its vector of length 1 by `model`, which is ignored if
    the head does not know the model."""
    fitted, text = head(_HEAD), _prepared(sentence)
    if not text or model != fitted.model:
        return kind(sentence, speaker=speaker)
    return _judged(fitted.with_vector(_sums(text), vector), speaker)


@lru_cache(maxsize=1024)  # a scan of a memory judges a sentence several times
def _sums(text: str) -> Floats:
    """The sum of each label of the head, by the words of a sentence. The array is shared: callers
    must not change it."""
    return head(_HEAD).sums(text, set(marks(text)))


def _by_label(sums: Floats) -> dict[str, float]:
    return dict(zip(head(_HEAD).labels, sums.tolist(), strict=True))


@lru_cache(maxsize=4096)  # a sweep asks the same of a held sentence every few passes
def instructs(sentence: str) -> bool:
    """Whether a sentence is a rule for work: "Never push to main". It calls itself one, or it
    demands something, its realm is no person's, and it has no mark of a person. Of 4,463 sentences
    of LoCoMo 5 are taken for one."""
    text = _prepared(sentence)
    if sayings("clauses", "calls a rule").is_in(folded(text)):
        return True
    return _demands(text) and kind(text).realm not in _OF_PERSONS


def _demands(text: str) -> bool:
    """Whether a sentence states what must or must not be, and not of a person."""
    if is_question(text) or not sayings("clauses", "instructs").is_in(folded(text)):
        return False
    return _OF_SOMEBODY.isdisjoint(marks(text))


def lasts(sentences: Sequence[str]) -> Temporality:
    """The shortest temporality that a text may have, by its words: "session" or "short" only if
    that is very sure for each of its sentences, and none states a change, protects somebody,
    demands something or has a particular; else "long". A binding sentence is never "session"."""
    found: Temporality = "session"
    for sentence in sentences:
        if (one := _lasts(sentence)) == "long":
            return "long"  # the most frequent case, before the slow check of changes
        found = "short" if one == "short" else found
    return "long" if states_change(tuple(sentences)) else found


def _lasts(sentence: str) -> Temporality:
    text = _prepared(sentence)
    if trivial(text) is not None or not text:
        return "session"
    margins = _margins(text)
    if max(margins) < PASSES:
        return "long"
    named = mentions(text, LATEST)
    past = () if any(is_ahead(text, mention) for mention in named) else named
    if max(_margins(without(text, past))) < 0:
        return "long"  # "I signed the lease today": its result may last
    protection = protects(text)
    if protection == "protective" or is_particular(text) or _states_attribute(text):
        return "long"
    if _demands(text):  # "Coverage must stay above 85 %"
        return "long"
    return "session" if margins[0] >= PASSES and protection is None else "short"


def _states_attribute(text: str) -> bool:
    """Whether a sentence states an attribute of somebody it names: "Hugo wohnt in Gent"."""
    return any(
        value
        for each in statements((text,))
        if not each.persons.isdisjoint(each.subjects)
        for _, value in each.attributes
    )


def _margins(text: str) -> tuple[float, float]:
    """By how many nats "session" and "short" are likelier than the lasting kinds."""
    sums = _by_label(_sums(text))
    lasting = max(sums["permanent"], sums["long"])
    return sums["session"] - lasting, sums["short"] - lasting


def _prepared(sentence: str) -> str:
    return simplified(sentence.strip()[:LONGEST]).replace("’", "'")


def _judged(label_sums: Floats, speaker: str | None) -> Kind:
    """The likeliest realm, level and temporality, by the sums of the labels of the head."""
    sums = _by_label(label_sums)
    for name in _PASSING:
        sums[name] -= _SURELY
    realm = _likeliest(sums, get_args(Realm))
    temporality = _likeliest(sums, get_args(Temporality))
    level = _likeliest(sums, _LEVELS_OF_MEMORIES)
    passing = sum(sums[name] for name in _PASSING)
    is_chatter = passing >= sums[realm] + sums[level] + sums[temporality]
    if is_chatter or (speaker == _ADVISER and realm in _OF_PERSONS):
        return _CHATTER
    return Kind(realm, CONFIDENCES[level], temporality)


def _likeliest(sums: dict[str, float], names: tuple[_Name, ...]) -> _Name:
    return max(names, key=lambda name: sums[name])


def leaning(sentence: str) -> Literal["preference", "pattern"] | None:
    """Whether a sentence states a preference of somebody, or else something that recurs; None for
    any other, and for a question."""
    text = _prepared(sentence)
    if is_question(text):
        return None
    found = set(marks(text))
    if "likes" in found:
        return "preference"
    return "pattern" if "repeated" in found else None


_TAKEN: Final = late(r" ?([^.,;:!?]{2,60})")
_TAKEN_HAN: Final = late("([^，。！？；]{2,20})")
_LATIN_NAME: Final = late(r"\s*((?=[0-9]*[A-Za-z])[A-Za-z0-9][^\s\u4e00-\u9fff][^\u4e00-\u9fff]*)")


def taken(sentence: str) -> tuple[str, tuple[str, ...]] | None:
    """What somebody states to have taken, chosen or used: the phrase, and its content words in
    lower case, in Chinese its bigrams; of a phrase that begins with a name in Latin letters the
    name. None if the sentence states no such thing.
    """
    text = _prepared(sentence)
    if is_question(text):
        return None
    is_han = _HAN.search(text) is not None
    verb = sayings("clauses", "takes").search(folded(text))
    if verb is None or verb[0].isascii() is is_han:
        return None
    found = (_TAKEN_HAN if is_han else _TAKEN).match(text, verb.end())
    if found is None:
        return None
    if is_han and (name := _LATIN_NAME.match(found[1])) is not None:
        found = name
    elif is_han:
        phrase = sayings("clauses", "passed over").without(found[1])
        pairs = (part[at : at + 2] for part in phrase.split() for at in range(len(part) - 1))
        bigrams = tuple(dict.fromkeys(pairs))
        return (as_written("".join(phrase.split()), sentence), bigrams) if bigrams else None
    words = re.findall(r"[a-z0-9'+#-]{2,40}", found[1].lower())
    ends, passed_over = listed("taken_ends"), listed("passed_over")
    content = [w for w in takewhile(lambda word: word not in ends, words) if w not in passed_over]
    return (" ".join(content[:4]), tuple(dict.fromkeys(content[:4]))) if content else None


_STRETCH: Final = 62  # maximum days of a period that an event may last


def _has_phrase(meaning: str, sentence: str) -> bool:
    """Whether a sentence has a phrase of `ends.toml` with a meaning."""
    return sayings("ends", meaning).is_in(folded(sentence[:LONGEST]))


def _is_endless(sentence: str, named: Sequence[Mention]) -> bool:
    """Whether the event of a sentence recurs, may recur, or continues from the day that it names.
    It may recur weekly if only weekdays are named, unless it is known as an occasion ("Pilates is
    Thursday at six"), and yearly if more than two months without a year are named."""
    if _has_phrase("again", sentence) or _has_phrase("goes on", sentence):
        return True
    if any(mention.about.yearly and mention.about.length > _STRETCH for mention in named):
        return True
    days = {mention.weekday for mention in named}
    if not days or None in days:
        return False
    if len(days) > 1 or _has_phrase("weekly", sentence) or not _has_phrase("occasion", sentence):
        return True
    return instructs(sentence)  # "Rule: no releases on Friday"


def _is_stretch(mention: Mention) -> bool:
    """Whether a period of several days, at most `_STRETCH`, is named that is no month."""
    period = mention.about
    month = whole_months(None if period.yearly else period.first.year, period.first.month)
    return 1 < period.length <= _STRETCH and period != month


def _is_once(sentence: str, named: Sequence[Mention], today: date, soon: bool) -> bool:
    """Whether a sentence is about a single future appointment, event, deadline or offer: it has a
    word for one, or names a stretch of days. soon: the future tense is enough, unless the day is
    today, when it may be done already; a decision is not `soon`, since its day may be the one on
    which it was made."""
    tenses = [is_ahead(sentence, mention) for mention in named]
    if False in tenses:
        return False
    if any(map(_is_stretch, named)) or _has_phrase("occasion", sentence):
        return True
    later = (m.period != single_day(today) for m in named)
    return soon and (True, True) in zip(tenses, later, strict=True)


_IN_BRACKETS: Final = re.compile(r"[(（][^()（）\d]*\w[^()（）\d]*[)）]")  # "(a Skoda Fabia)"


def _is_lasting(clause: str, today: date, speaker: str | None) -> bool:
    """Whether a clause states something lasting: "My car is a Fabia, its MOT is due on 3 May"."""
    day = last_day(clause, today)
    is_dated = day is not None and day >= today
    return not is_dated and kind(clause, speaker=speaker).temporality in _LASTING


def last_relevant_day(sentences: Sequence[str], today: date, speaker: str | None) -> int:
    """The last day (proleptic ordinal) that a text, written on day `today`, names, if each sentence
    that is not trivial is about a single future appointment, event, deadline or offer. 0 for other
    texts: those about the past matter for longer. -1 if an event recurs, may recur, or continues
    from the day that is named."""
    today = min(today, LATEST)
    named = {sentence: mentions(sentence, today, ahead=True) for sentence in sentences}
    if any(_is_endless(sentence, found) for sentence, found in named.items()):
        return -1
    last = 0
    for sentence in sentences:
        if trivial(sentence) is not None:
            continue
        day = last_day(sentence, today)
        if day is None or day < today:
            return 0
        soon = kind(sentence, speaker=speaker).temporality.startswith("short")
        if not _is_once(sentence, named[sentence], today, soon):
            return 0
        if not soon and protects(sentence) != "binding":
            return 0
        if any(_is_lasting(clause, today, speaker) for clause in clauses(sentence)):
            return 0
        if _IN_BRACKETS.search(sentence):  # a lasting property
            return 0
        last = max(last, day.toordinal())
    return last
