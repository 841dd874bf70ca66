"""Clauses that can be read alone: a part of a sentence that says what the sentence said.

A clause alone can turn a sentence round: a condition without its consequence, a negation without
what it denies, half of a list. So clauses are joined where one needs the other, and a text that
ends in the open is told from one that is complete. Words stand in `clauses.toml`.
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
from graphmem_worker.text.words import HAN, script

_ENDS: Final = late(r"(?:[;；]|\s[-\u2013]|[\u2014])\s*$")
_LIST_BORDER: Final = late(r"[、:：]\s*$")
_WORDS: Final = late(r"\w+")
_CAPITAL: Final = late(r"\W*[A-Z]")
_NUMBERED: Final = late(r"\W*\d")
_HAN_CHARACTER: Final = late(f"[{HAN}]")
_ENDING: Final = 24  # characters of the end of a text
_CACHED: Final = 4096  # sentences
_LONGEST: Final = 300  # characters of a sentence that may take back what was said
_LIMITS: Final = -0.5
"""Least sum of the head "limits". It was fitted for few alarms; an alarm costs a sentence more that
stays, a miss tells what is not so."""
SURELY_LIMITS: Final = 3.0
"""The same, where an alarm costs more and a miss less: a limit alone is of no use, but not wrong.
With it forgetting keeps no fewer answers (`python -m bench forgetting`)."""
_LEAST: Final[dict[str, int]] = {"latin": 3, "cjk": 5, "other": 1}  # words, characters


def _said(means: str) -> Sayings:
    return sayings("clauses", means)


def atoms(sentence: str) -> list[str]:
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
    """Whether `before` can be read without `after`, and the other way round; `last` is the last
    clause of `before`."""
    if _LIST_BORDER.search(before):
        return False
    # "X; if A, B" and "X, if A, B": the condition belongs to B where it opens what is said.
    opens = bool(_said("opens").match(folded(last))) and (
        last == before or _ENDS.search(before[: -len(last)])
    )
    if _is_turned(before, last, after):
        return False
    if opens or (
        _said("leans").match(folded(after))
        and not (_ENDS.search(before) and _said("opens").match(folded(after)))
    ):
        return False
    if is_open(before.rstrip(" ,;，；-\u2013\u2014")):
        return False
    return _is_clause(before) and _is_clause(after, begins=True)


def _is_turned(before: str, last: str, after: str) -> bool:
    """Whether `after` says what is so instead of what `before` said."""
    if _said("corrects").match(folded(after)) or _said("taken back").search(folded(last)):
        return True
    if _said("was meant").search(folded(before)) and _said("turns").match(folded(after)):
        return True
    return bool(_said("denies").search(folded(last)) and _said("instead").match(folded(after)))


def _is_clause(part: str, *, begins: bool = False) -> bool:
    """Whether a part looks like a clause with a subject and a verb."""
    if script(part) == "cjk":
        if len(_HAN_CHARACTER.findall(part)) < _LEAST["cjk"]:
            return False
        return not begins or bool(_CAPITAL.match(part)) or _said("subject").is_in(folded(part))
    return len(_WORDS.findall(part)) >= _LEAST["latin"] and _said("verb").is_in(folded(part))


def is_open(text: str) -> bool:
    """Whether `text` ends where something must follow: in a negation, an article, a colon."""
    return text.rstrip("\n").endswith((":", "：")) or _said("open end").is_in(
        folded(text[-_ENDING:])
    )


def points_back(clause: str) -> bool:
    """Whether a clause that stands behind another cannot begin a text: its subject is a pronoun, or
    is left to the clause before (whenever it does not name one)."""
    said = folded(clause)
    if _said("points back").is_in(said):
        return True
    is_cjk = script(clause) == "cjk"
    if is_cjk and _said("stands for").is_in(said):
        return True
    is_named = _CAPITAL.match(clause) or _said("named").is_in(said)
    return not (is_named or (not is_cjk and _NUMBERED.match(clause)))


_MARKS: Final = " \t\n.,;:!?-–—…。，；：！？、~\"'”’"


def unsays(text: str) -> bool:
    """Whether a sentence may take back, end or limit what one before it said."""
    return _said("unsays").is_in(folded(text[:_LONGEST]))


def begins_with_condition(text: str) -> bool:
    """Whether a sentence begins with the condition or the exception of what was said before it."""
    return _said("conditions").is_in(folded(text[:_LONGEST]))


@lru_cache(_CACHED)
def limits(sentence: str, least: float = _LIMITS) -> bool:
    """Whether what stands before a sentence misleads without it: it takes that back, makes it a
    condition, a joke, a rumour or a secret, or forbids the rest of it. By the head "limits", of
    which `least` is the least sum."""
    said = sentence[:_LONGEST].strip()
    return bool(head("limits").sums(said, set(marks(said)))[0] >= least)


def puts_right(text: str) -> str | None:
    """If a sentence takes back and puts right what was said before it, what it says besides the
    words that tell so; None if it does not."""
    said = folded(text)
    found = _said("puts right").match(said)
    return None if found is None else said[found.end() :].strip(_MARKS)


def speaks_of_another(text: str) -> bool:
    """Whether the subject of a sentence is a pronoun for what another sentence names."""
    return bool(_said("speaks of another").match(folded(text)))


def is_elliptic(text: str) -> bool:
    """Whether a sentence needs the one before it: its subject is a pronoun, or it has no verb."""
    return speaks_of_another(text) or not _is_clause(text)


def names_another(text: str) -> bool:
    """Whether a sentence has a pronoun of the third person, so that another may say who it is."""
    return _said("names another").is_in(folded(text))


def refers_back(text: str) -> bool:
    """Whether a text has a word or a pronoun for what the sentences before it may name."""
    return names_another(text) or _said("refers back").is_in(folded(text))


def turns(text: str) -> list[str]:
    """The words of `text` that turn round, limit or take back what is said, in their order."""
    found = chain(
        _said("negation").finditer(folded(text)), _said("takes back").finditer(folded(text))
    )
    return [each[0].casefold() for each in sorted(found, key=lambda each: each.start())]


def negation(text: str) -> int | None:
    """Where the first word that turns what follows round, or limits it, begins; None without."""
    found = _said("negation").search(folded(text))
    return None if found is None else found.start()


def turned_at(text: str, stop: int) -> int | None:
    """If `stop` is within a clause of `text` that has a word which turns round what is said, where
    that clause begins; None otherwise."""
    begin = 0
    for part in clauses(text):
        if begin < stop < begin + len(part.rstrip(_MARKS)):
            return begin if turns(part) else None
        begin += len(part)
    return None
