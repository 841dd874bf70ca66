"""What kind of memory a sentence is: of whom, how sure, for how long.

The head "kinds" (`language.heads`) judges one sentence at a time by its words and the marks of
`language.marks`, and by its vector where there is one; `python -m bench heads` fits and judges it.
Kinds guide filters and health; what is removed by them must be surer than they are (`lasts`). A
sentence is read up to `LONGEST` characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final, Literal, TypeVar, get_args

from graphmem_worker.claims.statements import states_change
from graphmem_worker.language.calendar import Mention, is_ahead, mentions, without
from graphmem_worker.language.heads import head
from graphmem_worker.language.lists import listed
from graphmem_worker.language.marks import marks
from graphmem_worker.language.period import single_day, whole_months
from graphmem_worker.language.sayings import folded, sayings
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

    Confidence of 0.9 and more is explicit, of 0.7 inferred, of 0.4 uncertain, below noise.
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
"""By how much, in nats, each of them is likelier than the others, since what passes may be cleaned
away."""
PASSES: Final = 4.0
"""By how much, in nats, "session" or "short" must be likelier than what lasts for something to be
removed. Of the lasting statements of the writers R and G, each left out of the fit, 2.3 % and
0.8 % are beyond it (`python -m bench heads --only kinds`)."""
_Name = TypeVar("_Name", bound=str)


def kind(sentence: str, *, speaker: str | None = None) -> Kind:
    """Judge one sentence by its words.

    `speaker` is who says it: what an "assistant" says of persons is advice, and no memory of them.
    """
    said = _read(sentence)
    return _judged(_told(said), speaker) if said else _CHATTER


def kind_by_vector(
    sentence: str, vector: Floats, model: str, *, speaker: str | None = None
) -> Kind:
    """Judge one sentence with its vector of length 1 by `model` as well; of a model that the head
    does not know the vector tells nothing."""
    fitted, said = head(_HEAD), _read(sentence)
    if not said or model != fitted.model:
        return kind(sentence, speaker=speaker)
    return _judged(fitted.with_vector(_told(said), vector), speaker)


@lru_cache(maxsize=1024)  # what looks through a memory asks it for several reasons
def _told(said: str) -> Floats:
    """The sum of each label of the head, by the words of a sentence. Not to be changed."""
    return head(_HEAD).sums(said, set(marks(said)))


@lru_cache(maxsize=4096)  # a sweep asks the same of a held sentence every few passes
def instructs(sentence: str) -> bool:
    """Whether a sentence is a rule for whoever works: "Never push to main". It calls itself one, or
    demands something, the head tells that it is of the work or of all, and no mark that it is of a
    person. Of 4,463 sentences of LoCoMo 5 are taken for one."""
    said = _read(sentence)
    if sayings("clauses", "calls a rule").is_in(folded(said)):
        return True
    return _demands(said) and kind(said).realm not in _OF_PERSONS


def _demands(said: str) -> bool:
    """Whether a sentence says what must be or must not, and not of a person."""
    if is_question(said) or not sayings("clauses", "instructs").is_in(folded(said)):
        return False
    return _OF_SOMEBODY.isdisjoint(marks(said))


def lasts(sentences: Sequence[str]) -> Temporality:
    """The shortest time for which a text may be needed, by its words: "session" or "short" only
    where that is very sure of each of its sentences, and none tells that something changed,
    protects somebody, demands something or holds a particular; else "long". What binds is no
    matter of a session."""
    found: Temporality = "session"
    for sentence in sentences:
        if (one := _lasts(sentence)) == "long":
            return "long"  # as mostly, before what takes longer is asked
        found = "short" if one == "short" else found
    return "long" if states_change(tuple(sentences)) else found


def _lasts(sentence: str) -> Temporality:
    said = _read(sentence)
    if trivial(said) is not None or not said:
        return "session"
    passes = _passes(said)
    if max(passes) < PASSES:
        return "long"
    named = mentions(said, LATEST)
    told = () if any(is_ahead(said, mention) for mention in named) else named
    if max(_passes(without(said, told))) < 0:
        return "long"  # "I signed the lease today": what came of it may last
    held = protects(said)
    if held == "protective" or is_particular(said):
        return "long"
    if _demands(said):  # "Coverage must stay above 85 %"
        return "long"
    return "session" if passes[0] >= PASSES and held is None else "short"


def _passes(said: str) -> tuple[float, float]:
    """By how much "session" and "short" are likelier than what lasts, in nats."""
    sums = dict(zip(head(_HEAD).labels, _told(said).tolist(), strict=True))
    lasting = max(sums["permanent"], sums["long"])
    return sums["session"] - lasting, sums["short"] - lasting


def _read(sentence: str) -> str:
    return sentence.strip()[:LONGEST].replace("’", "'")


def _judged(told: Floats, speaker: str | None) -> Kind:
    """The likeliest of each, by the sums of the head's labels."""
    sums = dict(zip(head(_HEAD).labels, told.tolist(), strict=True))
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
    """Whether a sentence tells what somebody would rather have or do, or else what happens again
    and again; None for any other, and for a question."""
    said = _read(sentence)
    if is_question(said):
        return None
    found = set(marks(said))
    if "likes" in found:
        return "preference"
    return "pattern" if "repeated" in found else None


_TAKEN: Final = late(r" ?([^.,;:!?]{2,60})")
_TAKEN_HAN: Final = late("([^，。！？；]{2,20})")


def taken(sentence: str) -> tuple[str, tuple[str, ...]] | None:
    """What somebody says to have taken, chosen or used: the phrase, and its telling words in lower
    case, in Chinese its bigrams. None if the sentence tells nothing of the kind.
    """
    text = sentence.strip()[:LONGEST].replace("’", "'")
    if is_question(text):
        return None
    said = folded(text)
    is_han = _HAN.search(text) is not None
    verb = sayings("clauses", "takes").search(said)
    if verb is None or verb[0].isascii() is is_han:
        return None
    found = (_TAKEN_HAN if is_han else _TAKEN).match(text, verb.end())
    if found is None:
        return None
    if is_han:
        phrase = sayings("clauses", "passed over").without(found[1])
        pairs = (part[at : at + 2] for part in phrase.split() for at in range(len(part) - 1))
        marks = tuple(dict.fromkeys(pairs))
        return ("".join(phrase.split()), marks) if marks else None
    words = re.findall(r"[a-z0-9'+#-]{2,40}", found[1].lower())
    ends, passed_over = listed("taken_ends"), listed("passed_over")
    told = [w for w in takewhile(lambda word: word not in ends, words) if w not in passed_over]
    return (" ".join(told[:4]), tuple(dict.fromkeys(told[:4]))) if told else None


_STRETCH: Final = 62  # days, up to which what lasts from one day to another is over after it


def _is(means: str, sentence: str) -> bool:
    """Whether a sentence has words of `ends.toml` that mean something."""
    return sayings("ends", means).is_in(folded(sentence[:LONGEST]))


def _is_endless(sentence: str, named: Sequence[Mention]) -> bool:
    """Whether what a sentence tells comes again, or goes on from the day that it names: what names
    none but weekdays may be on those of every week, unless it is known to be an occasion ("Pilates
    is Thursday at six"), and more than two months of no year those of every year."""
    if _is("again", sentence) or _is("goes on", sentence):
        return True
    if any(mention.about.yearly and mention.about.length > _STRETCH for mention in named):
        return True
    days = {mention.weekday for mention in named}
    if not days or None in days:
        return False
    if len(days) > 1 or _is("weekly", sentence) or not _is("occasion", sentence):
        return True
    return instructs(sentence)  # "Rule: no releases on Friday"


def _is_stretch(mention: Mention) -> bool:
    """Whether a text names days from one to another, not a month."""
    period = mention.about
    month = whole_months(None if period.yearly else period.first.year, period.first.month)
    return 1 < period.length <= _STRETCH and period != month


def _is_once(sentence: str, named: Sequence[Mention], today: date, soon: bool) -> bool:
    """Whether a sentence tells of an appointment, an event, a deadline or an offer that is still to
    come: it says so, or tells from when to when something is. What is to be done today may be done
    when that is told. soon: it may be of a day to come without a word for such; of what lasts, such
    as a decision, the day may be the one on which it was taken."""
    told = [is_ahead(sentence, mention) for mention in named]
    if False in told:
        return False
    told = [one for one, m in zip(told, named, strict=True) if m.period != single_day(today)]
    return any(map(_is_stretch, named)) or (soon and True in told) or _is("occasion", sentence)


_IN_BRACKETS: Final = re.compile(r"[(（][^()（）\d]*\w[^()（）\d]*[)）]")  # "(a Skoda Fabia)"


def _is_lasting(clause: str, told: date, speaker: str | None) -> bool:
    """Whether a clause tells what lasts: "My car is a Fabia, its MOT is due on 3 May"."""
    day = last_day(clause, told)
    is_dated = day is not None and day >= told
    return not is_dated and kind(clause, speaker=speaker).temporality in _LASTING


def over_after(sentences: Sequence[str], told: date, speaker: str | None) -> int:
    """The last day (proleptic ordinal) that a text names, if each sentence that says something is
    about what happens once and was still to come on day `told`: an appointment, an event, a
    deadline, an offer. 0 for all others: what tells of the past matters for longer. -1 if one comes
    again and again, or may do so, or goes on from the day that it names."""
    told = min(told, LATEST)
    named = {sentence: mentions(sentence, told, ahead=True) for sentence in sentences}
    if any(_is_endless(sentence, found) for sentence, found in named.items()):
        return -1
    last = 0
    for sentence in sentences:
        if trivial(sentence) is not None:
            continue
        day = last_day(sentence, told)
        if day is None or day < told:
            return 0
        soon = kind(sentence, speaker=speaker).temporality.startswith("short")
        if not _is_once(sentence, named[sentence], told, soon):
            return 0
        if not soon and protects(sentence) != "binding":
            return 0
        if any(_is_lasting(clause, told, speaker) for clause in clauses(sentence)):
            return 0
        if _IN_BRACKETS.search(sentence):  # what somebody or something is
            return 0
        last = max(last, day.toordinal())
    return last
