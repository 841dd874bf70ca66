"""What kind of memory a sentence is: of whom, how sure, for how long.

The head "kinds" (`language.heads`) judges one sentence at a time by its words and the marks of
`language.marks`, and by its vector where there is one; `python -m bench heads` fits and judges it.
Kinds guide filters, health and what is offered for cleaning; nothing is refused by them. A sentence
is read up to `LONGEST` characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final, Literal, TypeVar, get_args

from graphmem_worker.language.heads import head
from graphmem_worker.language.marks import marks
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import last_day, protects
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

TTL_DAYS: Final[dict[Temporality, int | None]] = {
    "permanent": None,
    "long": 365,
    "short": 30,
    "session": 0,
}
"""Days until a memory of a temporality is due for review; None: never; 0: the session's end."""


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
_ASKS: Final = late(r"[?？]\s*[\"'”’)）]*\s*$|吗[。！~\s]*$")
_HAN: Final = late("[\u4e00-\u9fff]")
_OF_PERSONS: Final = ("personal", "ephemeral")
_LEVELS_OF_MEMORIES: Final[tuple[Level, ...]] = ("explicit", "inferred", "uncertain")
_PASSING: Final = ("ephemeral", "noise", "session")
_SURELY: Final = 1.0
"""By how much, in nats, each of them is likelier than the others, since what passes may be cleaned
away."""
_Name = TypeVar("_Name", bound=str)


def kind(sentence: str, *, speaker: str | None = None) -> Kind:
    """Judge one sentence by its words.

    `speaker` is who says it: what an "assistant" says of persons is advice, and no memory of them.
    """
    said = _read(sentence)
    return _judged(head(_HEAD).tells(said, set(marks(said))), speaker) if said else _CHATTER


def kind_by_vector(
    sentence: str, vector: Floats, model: str, *, speaker: str | None = None
) -> Kind:
    """Judge one sentence with its vector of length 1 by `model` as well; of a model that the head
    does not know the vector tells nothing."""
    fitted, said = head(_HEAD), _read(sentence)
    if not said or model != fitted.model:
        return kind(sentence, speaker=speaker)
    told = fitted.tells(said, set(marks(said)))
    return _judged(fitted.with_vector(told, vector), speaker)


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
    if _ASKS.search(said):
        return None
    found = set(marks(said))
    if "likes" in found:
        return "preference"
    return "pattern" if "repeated" in found else None


_TAKES: Final = late(
    r"\b(?:i|i'll|i'd|i've|we)\b(?: \w{1,12}){0,2}? "
    r"(?:order|ordered|choose|chose|pick|picked|take|took"
    r"|have|had|get|got|use|used|buy|bought|drink|drank|eat|ate|play|played|wear|wore|want"
    r"|wanted|(?:go|went|going|ask|asked|asking) for)\b ?([^.,;:!?]{2,60})",
    re.I,
)
_TAKES_HAN: Final = late(
    r"(?:我|帮我|给我|咱|我们)[^，。！？；]{0,6}?(?:点|要|选|用|买|喝|吃|穿|玩|来)(?:了|的是|过)?"
    r"([^，。！？；]{2,20})"
)
_PASSED_OVER: Final = frozenset(
    "a an the some my our his her their this that these those again always usually as at by for"
    " from in instead of on or to with and it them one two another more same just please today"
    " yesterday tomorrow tonight morning evening afternoon lunch"
    " dinner breakfast time been have had got up out care place part look idea way lot bit need"
    " back".split()
)
_PASSED_OVER_HAN: Final = late(
    r"[一两三这那]?[杯份个碗瓶件次台]|今天|昨天|早上|晚上|还是|又|了|的|吧|时候"
)


def taken(sentence: str) -> tuple[str, tuple[str, ...]] | None:
    """What somebody says to have taken, chosen or used: the phrase, and its telling words in lower
    case, in Chinese its bigrams. None if the sentence tells nothing of the kind.
    """
    text = sentence.strip()[:LONGEST].replace("’", "'")
    if _ASKS.search(text):
        return None
    if _HAN.search(text):
        if (found := _TAKES_HAN.search(text)) is None:
            return None
        phrase = _PASSED_OVER_HAN.sub(" ", found[1])
        pairs = (part[at : at + 2] for part in phrase.split() for at in range(len(part) - 1))
        marks = tuple(dict.fromkeys(pairs))
        return ("".join(phrase.split()), marks) if marks else None
    if (found := _TAKES.search(text)) is None:
        return None
    told = [w for w in re.findall(r"[a-z0-9'+#-]{2,40}", found[1].lower()) if w not in _PASSED_OVER]
    return (" ".join(told[:4]), tuple(dict.fromkeys(told[:4]))) if told else None


_AGAIN: Final = late(
    r"\b(?:every|each|weekly|daily|monthly|yearly|fortnightly|annual(?:ly)?|always|usually)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\bopen(?:s|ing)?\b.{0,40}\b(?:from|at|\d)"
    r"|\buntil further notice\b|\bfor (?:\w+ ){1,2}years\b"
    r"|每|例会|周会|晨会|营业|开门|开放时间|长期|一直|[一二两三四五六七八九十\d]年(?:内|期|合同|之内)",
    re.I,
)
_FROM_ON: Final = late(
    r"\b(?:from|as of|starting|beginning|effective|since)(?: on| from)? "
    r"(?:today|tomorrow|now|next|this|the \d|\d"
    r"|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"(?!.{0,40}\b(?:to|until|till|through)\b|[^.;]{0,12}[-–—])"
    r"|[号日月天年周期](?:起|开始)(?!.{0,12}[到至])",
    re.I,
)


def _is_endless(sentence: str) -> bool:
    """Whether what a sentence tells comes again and again, or has a beginning and no end."""
    said = sentence[:LONGEST]
    return _AGAIN.search(said) is not None or _FROM_ON.search(said) is not None


def over_after(sentences: Sequence[str], told: date, speaker: str | None) -> int:
    """The last day (proleptic ordinal) that a text names, if each sentence that says something is
    about a day that was still to come on day `told`: an appointment, a deadline. 0 for all others:
    what tells of the past matters for longer. -1 if one comes again and again, or says from when on
    it holds and not until when."""
    if any(_is_endless(sentence) for sentence in sentences):
        return -1
    last = 0
    for sentence in sentences:
        if trivial(sentence) is not None:
            continue
        day = last_day(sentence, told)
        if day is None or day < told:
            return 0
        soon = kind(sentence, speaker=speaker).temporality.startswith("short")
        if not soon and protects(sentence) != "binding":
            return 0
        last = max(last, day.toordinal())
    return last
