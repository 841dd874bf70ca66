"""Clauses that can be read alone, without changing the meaning of their sentence.

A single clause can reverse the meaning: a condition without its consequence, a negation without
what it denies, half of a list. So clauses are joined where one needs the other, and texts that end
incomplete are recognised. The words are in `clauses.toml`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import Final

from graphmem_worker.language.heads import head
from graphmem_worker.language.marks import marks
from graphmem_worker.language.sayings import Sayings, folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.sentences import clauses
from graphmem_worker.text.words import HAN, script, words

_ENDS: Final = late(r"(?:[;；]|\s[-\u2013]|[\u2014])\s*$")
_LIST_BORDER: Final = late(r"[、:：]\s*$")
_PART: Final = late(r"[,.;:!，。；：！]")
_WORDS: Final = late(r"\w+")
_CAPITAL: Final = late(r"\W*[A-Z]")
_NUMBERED: Final = late(r"\W*\d")
_HAN_CHARACTER: Final = late(f"[{HAN}]")
_ENDING: Final = 24  # characters of the end of a text
_CACHED: Final = 4096  # sentences
_LONGEST: Final = 300  # characters of a sentence that are searched for a retraction or condition
_LIMITS: Final = -0.5
"""Minimum sum of the head "limits". The head was fitted for few false positives, but one of them
only keeps a sentence too many, while a miss leaves a false statement."""
SURELY_LIMITS: Final = 3.0
"""The same where a false positive costs more and a miss less: a limit kept alone is useless, but
not false. With it forgetting keeps no fewer answers (`python -m bench forgetting`)."""
_LEAST: Final = {"latin": 3, "cjk": 5}  # words, characters of a clause
_TURNING: Final = ("puts right", "slipped", "refuses", "negation", "turns to")


def _phrases(meaning: str) -> Sayings:
    return sayings("clauses", meaning)


def standalone_clauses(sentence: str) -> list[str]:
    """The clauses of `sentence`, joined where one cannot be read without the other; their
    concatenation is exactly `sentence`."""
    parts = clauses(sentence)
    joined: list[str] = []
    for place, part in enumerate(parts):
        if place and not _is_border(joined[-1], parts[place - 1], part):
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def _is_border(before: str, last: str, after: str) -> bool:
    """Whether each of `before` and `after` can be read without the other. last: the last clause of
    `before`."""
    if _LIST_BORDER.search(before):
        return False
    # "X; if A, B" and "X, if A, B": a condition that opens a clause belongs to B.
    opens = _phrases("opens").match(folded(last)) and (
        last == before or _ENDS.search(before[: -len(last)])
    )
    if opens or _is_corrected(before, last, after):
        return False
    if _phrases("leans").match(folded(after)) and not (
        _ENDS.search(before) and _phrases("opens").match(folded(after))
    ):
        return False
    if is_open(before.rstrip(" ,;，；-\u2013\u2014")):
        return False
    return _is_clause(before) and _is_clause(after, begins=True)


def _is_corrected(before: str, last: str, after: str) -> bool:
    """Whether `after` corrects `before`, whose last clause is `last`."""
    if _phrases("corrects").match(folded(after)) or _phrases("taken back").search(folded(last)):
        return True
    if _phrases("was intended").search(folded(before)) and _phrases("turns").match(folded(after)):
        return True
    return bool(
        _phrases("denies").search(folded(last)) and _phrases("instead").match(folded(after))
    )


def _is_clause(part: str, *, begins: bool = False) -> bool:
    """Whether a part looks like a clause with a subject and a verb. begins: it opens a text, so a
    Chinese one must name its subject."""
    if script(part) == "cjk":
        if len(_HAN_CHARACTER.findall(part)) < _LEAST["cjk"]:
            return False
        return not begins or bool(_CAPITAL.match(part)) or _phrases("subject").is_in(folded(part))
    return len(_WORDS.findall(part)) >= _LEAST["latin"] and _phrases("verb").is_in(folded(part))


def is_open(text: str) -> bool:
    """Whether `text` ends where something must follow: in a negation, an article, a colon."""
    ending = folded(text[-_ENDING:])
    return text.rstrip("\n").endswith((":", "：")) or _phrases("open end").is_in(ending)


def is_dependent(clause: str) -> bool:
    """Whether a clause that follows another cannot begin a text: its subject is a pronoun, or it
    names none and takes that of the clause before."""
    lower = folded(clause)
    if _phrases("points back").is_in(lower):
        return True
    is_cjk = script(clause) == "cjk"
    if is_cjk and _phrases("stands for").is_in(lower):
        return True
    is_named = _CAPITAL.match(clause) or _phrases("named").is_in(lower)
    return not (is_named or (not is_cjk and _NUMBERED.match(clause)))


_MARKS: Final = " \t\n.,;:!?-–—…。，；：！？、~\"'”’"


def is_retraction(text: str) -> bool:
    """Whether a sentence may retract, end or limit a sentence before it."""
    return _phrases("unsays").is_in(folded(text[:_LONGEST]))


def undoes(text: str) -> bool:
    """Whether a sentence tells that what others before it told is gone, or is otherwise now."""
    return _phrases("undoes").is_in(folded(text[:_LONGEST]))


def reports(text: str) -> bool:
    """Whether a sentence tells what a source says, or what somebody finds."""
    return _phrases("reports").is_in(folded(text[:_LONGEST]))


def unsettles(text: str) -> bool:
    """Whether a sentence says that what its text tells is off, not so, not sure, a secret or bound
    to a condition."""
    return _phrases("unsettles").is_in(folded(text[:_LONGEST]))


def begins_with_condition(text: str) -> bool:
    """Whether a sentence begins with a condition of, or an exception to, the one before it."""
    return _phrases("conditions").is_in(folded(text[:_LONGEST]))


def limits(sentence: str, least: float = _LIMITS) -> bool:
    """Whether the text before a sentence misleads without it: the sentence retracts that text,
    makes it conditional, a joke, a rumour or a secret, or forbids the rest of it. Judged by the
    head "limits"; least: the minimum sum."""
    return _limiting(sentence) >= least


@lru_cache(_CACHED)  # asked for twice, with `_LIMITS` and with `SURELY_LIMITS`
def _limiting(sentence: str) -> float:
    text = sentence[:_LONGEST].strip()
    return float(head("limits").sums(text, set(marks(text)))[0])


def correction(text: str) -> str | None:
    """The rest of a sentence that begins by correcting what came before ("No, wait: 5 May"), in
    lower case, "" if nothing follows; None if it does not begin so."""
    lower = folded(text)
    found = _phrases("puts right").match(lower)
    return None if found is None else lower[found.end() :].strip(_MARKS)


def may_put_right(turn: str, *, answers: bool) -> bool:
    """Whether a turn has a word of one who corrects himself: "Thursday, sorry", "84, typo".
    answers: it may answer a question, to which "no" is no such word."""
    lower = folded(turn)
    return _phrases("slipped").is_in(lower) or (not answers and _phrases("refuses").is_in(lower))


def denies(turn: str, said: str) -> bool:
    """Whether a part of a turn denies a word of an earlier one: "40, not 25"."""
    at = negation(turn)
    if at is None or turn[:at].rstrip()[-1:].isalnum():
        return False
    denied = _PART.split(turn[at:])[0]
    return not set(words(said)).isdisjoint(words(denied))


def may_turn(text: str) -> bool:
    """Whether a text has words by which `correction`, `may_put_right`, `denies` or a change of mind
    ("make it 16 instead") begins."""
    lower = folded(text)
    return any(_phrases(kind).is_in(lower) for kind in _TURNING)


def speaks_of_another(text: str) -> bool:
    """Whether the subject of a sentence is a pronoun for what another sentence names."""
    return bool(_phrases("speaks of another").match(folded(text)))


def is_elliptic(text: str) -> bool:
    """Whether a sentence needs the one before it: its subject is a pronoun, or it has no verb."""
    return speaks_of_another(text) or not _is_clause(text)


def names_another(text: str) -> bool:
    """Whether a sentence has a pronoun of the third person, so that another may name who it is."""
    return _phrases("names another").is_in(folded(text))


def refers_back(text: str) -> bool:
    """Whether a text has a pronoun or another word whose referent may be in sentences before it."""
    return names_another(text) or _phrases("refers back").is_in(folded(text))


def turns(text: str) -> list[str]:
    """The words of `text` that negate, limit or retract what it states, in their order."""
    lower = folded(text)
    found = chain(_phrases("negation").finditer(lower), _phrases("takes back").finditer(lower))
    return [match[0].casefold() for match in sorted(found, key=lambda match: match.start())]


def negation(text: str) -> int | None:
    """Where the first word begins that negates or limits what follows; None if there is none."""
    found = _phrases("negation").search(folded(text))
    return None if found is None else found.start()


def turned_at(text: str, stop: int) -> int | None:
    """Where the clause of `text` begins that `stop` is within, if it has one of the words that
    `turns` finds; None otherwise."""
    begin = 0
    for part in clauses(text):
        if begin < stop < begin + len(part.rstrip(_MARKS)):
            return begin if turns(part) else None
        begin += len(part)
    return None
