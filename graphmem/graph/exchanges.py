"""Exchanges: a question or proposal, and the short reply of somebody else to it ("ok, go ahead"),
which means something only while the question is there; a statement, and its speaker's correction
("Thursday, sorry") or change of mind ("make it 16 litres instead")."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from graphmem.graph.records import TextRecord
from graphmem.graph.view import View
from graphmem_worker.language.expressions import expression
from graphmem_worker.language.lists import listed
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.clauses import correction, denies, may_put_right
from graphmem_worker.text.patterns import late
from graphmem_worker.text.phatic import is_phatic
from graphmem_worker.text.salience import is_question
from graphmem_worker.text.selection import is_short
from graphmem_worker.text.trivial import trivial
from graphmem_worker.text.words import HAN, words

_VALUES: Final = ("number", "time")
_KINDS: Final = ("time", "colour")
_UNIT: Final = late(rf"[\d.,\s-]*([{HAN}]|[^\W\d_]+)")
_ROOT: Final = 5  # letters of a unit that are compared: "Liter", "Litern"


def is_reply(view: View, node: int) -> bool:
    """Whether a node is the short reply to the one before it."""
    reply = view.text(node) if node > 1 else None
    asked = None if reply is None or reply.session is None else view.text(node - 1)
    return asked is not None and reply is not None and is_exchange(asked, reply)


def is_in_exchange(view: View, node: int) -> bool:
    """Whether a node is such a reply, or the next one is the reply to it."""
    return is_reply(view, node) or is_reply(view, node + 1)


def is_exchange(asked: TextRecord, reply: TextRecord) -> bool:
    """Whether a text answers the one before it, which is not trivial ("How are you?" is). Replies
    of an assistant do not count, because they decide nothing."""
    is_of_assistant = (reply.speaker or "").casefold() in listed("assistants")
    return not is_of_assistant and answers(asked, reply) and trivial(asked.text) is None


def answers(asked: TextRecord, reply: TextRecord) -> bool:
    """Whether a text is the short reply, in the next turn of a session, to a question of somebody
    else, or a bare yes or no to their proposal."""
    if asked.session is None or asked.session != reply.session or asked.speaker == reply.speaker:
        return False
    if not is_short(reply.text) or all(map(is_question, reply.spans)):
        return False
    return any(map(is_question, asked.spans)) or (
        trivial(reply.text) is not None and sayings("claims", "guessed").is_in(folded(asked.text))
    )


def corrects(said: TextRecord, after: TextRecord, between: TextRecord | None = None) -> bool:
    """Whether a text is a short turn by which the speaker of one just before it in the session puts
    that right: "no wait, 8 pm", "Thursday, sorry", "40, not 25". between: the turn of somebody
    else that stands between them."""
    is_asked = between is not None and any(map(is_question, between.spans))
    return _may_go_on(said, after) and _is_put_right(said.text, after.text, is_asked)


def changes(said: TextRecord, after: TextRecord) -> frozenset[str]:
    """The types of value, such as "time" or the unit "litr", of which a later turn of the speaker
    of one in the session gives another in words of change: "make it 16 litres";
    "word" if they share one and it has no value of another type. Empty if it changes nothing."""
    return _changed(said.text, after.text) if _may_go_on(said, after) else frozenset()


def _may_go_on(said: TextRecord, after: TextRecord) -> bool:
    """Whether a text is a short statement by the speaker of another one in the session."""
    if said.session is None or said.session != after.session or said.speaker != after.speaker:
        return False
    asks = all(map(is_question, said.spans)) or any(map(is_question, after.spans))
    return not asks and is_short(after.text)


@lru_cache(1 << 12)
def _changed(said: str, turn: str) -> frozenset[str]:
    turning, lower = sayings("clauses", "turns to"), folded(turn)
    if not turning.is_in(lower):
        return frozenset()
    before, after = _types(folded(said)), _types(turning.without(lower))
    if "" in after:
        after |= before.difference(_KINDS)
    shared = {word for word in set(words(said)).intersection(words(turn)) if len(word) > 1}
    return (before & after) | ({"word"} if shared and after - {"colour"} <= before else set())


def _types(lower: str) -> frozenset[str]:
    """The `_KINDS` of value in a text, and the units of its numbers; "" for one without a unit."""
    found = {kind for kind in _KINDS if expression("asked", kind).within(lower, lower)}
    rest = expression("asked", "time").cut(lower)
    for number in expression("asked", "number").finditer(rest, rest):
        unit = _UNIT.match(rest, number.end())
        word = "" if unit is None else unit[1][:_ROOT]
        found.add(word if words(word) or not word.isascii() else "")
    return frozenset(found)


@lru_cache(1 << 12)
def _is_put_right(said: str, turn: str, is_asked: bool) -> bool:
    """is_asked: the turn may answer a question of somebody else."""
    has_value = _has_value(turn)
    slips = has_value and _has_value(said) and may_put_right(turn, answers=is_asked)
    if slips or (not is_asked and correction(turn) is not None):
        # "sorry, I have to run" puts nothing right.
        return _adds_little(said, turn) if has_value else not is_phatic(turn)
    return not is_asked and denies(turn, said)


def _adds_little(said: str, turn: str) -> bool:
    """Whether a turn has at most a word of content besides its value and those of an earlier one:
    "sorry, I have 3 meetings today" puts nothing right."""
    rest = sayings("clauses", "slipped", "refuses", "puts right").without(folded(turn))
    for kind in _VALUES:
        rest = expression("asked", kind).cut(rest)
    new = {*words(rest)}.difference(words(said), words(" ".join(listed("function_words"))))
    return len(new) <= 1


def _has_value(text: str) -> bool:
    """Whether a text has a number, day or time."""
    lower = folded(text)
    return any(expression("asked", kind).within(text, lower) for kind in _VALUES)
