"""Exchanges: a question or proposal, and the short reply of somebody else to it ("ok, go ahead"),
which means something only while the question is there."""

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
