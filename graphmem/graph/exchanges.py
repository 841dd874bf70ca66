"""Exchanges: what somebody asked or proposed, and the short reply of somebody else to it ("ok, go
ahead"), which tells something as long as the question is there."""

from __future__ import annotations

from graphmem.graph.records import TextRecord
from graphmem.graph.view import View
from graphmem_worker.language.lists import listed
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.salience import is_question
from graphmem_worker.text.selection import is_short
from graphmem_worker.text.trivial import trivial


def is_reply(view: View, node: int) -> bool:
    """Whether a node is the short reply to the one before it."""
    reply = view.text(node) if node > 1 else None
    asked = None if reply is None or reply.session is None else view.text(node - 1)
    return asked is not None and reply is not None and is_exchange(asked, reply)


def is_in_exchange(view: View, node: int) -> bool:
    """Whether a node is such a reply, or the next one is the reply to it."""
    return is_reply(view, node) or is_reply(view, node + 1)


def is_exchange(asked: TextRecord, reply: TextRecord) -> bool:
    """Whether a text is the short reply to a question before it that says something ("How are you?"
    does not), or nothing but a yes or no to what that proposes. What an assistant says so decides
    nothing, for it does as it is told."""
    if not _follows(asked, reply) or (reply.speaker or "").casefold() in listed("assistants"):
        return False
    if any(map(is_question, asked.spans)):
        return trivial(asked.text) is None
    guess = sayings("claims", "guessed")
    return trivial(reply.text) is not None and guess.is_in(folded(asked.text))


def answers(asked: TextRecord, reply: TextRecord) -> bool:
    """Whether a text is the short reply to a question right before it."""
    return _follows(asked, reply) and any(map(is_question, asked.spans))


def _follows(asked: TextRecord, reply: TextRecord) -> bool:
    """Whether a short text is the next turn of a session, by somebody else, and no question."""
    if asked.session is None or asked.session != reply.session or asked.speaker == reply.speaker:
        return False
    return is_short(reply.text) and not all(map(is_question, reply.spans))
