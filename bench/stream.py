"""A conversation remembered turn by turn, with its questions asked at their places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import graphmem
from bench.corpora import Conversation, Question
from bench.embedded import Kept

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)  # for turns without a time


class Stream:
    """One conversation in one memory, by a clock that stands a minute after the last turn."""

    def __init__(self, conversation: Conversation, embedder: Kept | None, **tuning: Any) -> None:
        """tuning: fields of `Tuning`."""
        self.conversation = conversation
        self.place_of: dict[int, int] = {}
        """Node → place of its turn."""
        self.segments: list[tuple[str, int]] = []
        """What the memory embeds: text, place of its turn."""
        self.known = 0
        """Turns that the memory holds."""
        self._embedder = embedder
        self._now = _BEGIN
        self.memory = graphmem.open(
            None, worker="none", embedder=embedder, clock=lambda: self._now,
            tuning=graphmem.Tuning(vector_patience=60.0, worker_share=1.0, **tuning),
        )  # fmt: skip

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *raised: object) -> None:
        self.memory.close()

    def asking(self) -> Iterator[Question]:
        """The questions in the order in which they are asked, each when the turns before it are in
        the memory, with their vectors."""
        for question in sorted(self.conversation.questions, key=self.asked_at):
            self._remember(self.asked_at(question))
            yield question

    def asked_at(self, question: Question) -> int:
        """How many turns come before a question."""
        return len(self.conversation.turns) if question.after is None else question.after + 1

    def _remember(self, until: int) -> None:
        if self.known == until:
            return
        for place in range(self.known, until):
            turn = self.conversation.turns[place]
            if turn.happened:
                self._now = datetime.fromisoformat(turn.happened) + timedelta(minutes=1)
            if not turn.text.strip():
                continue
            nodes = self.memory.remember(
                turn.text,
                speaker=turn.speaker or None,
                session=turn.session,
                happened=turn.happened or None,
            )
            self.place_of |= {node.id: place for node in nodes}
            head = f"{turn.speaker}: " if turn.speaker else ""
            self.segments += [(f"{head}{node.text}", place) for node in nodes]
        self.known = until
        if self._embedder is not None and self.memory.admin.enrich():
            raise RuntimeError(
                f"not all texts were embedded: {self.memory.admin.stats()['vectors']}"
            )

    def places(self, found: Iterable[graphmem.Hit], question: Question) -> list[int]:
        """The turns of hits, each once, without those of the session in which it is asked."""
        places = dict.fromkeys(self.place_of[hit.id] for hit in found)
        return [place for place in places if self.counts(place, question)]

    def counts(self, place: int, question: Question) -> bool:
        """Whether a turn is not of the running session of a question."""
        turns, after = self.conversation.turns, question.after
        if after is None or after + 1 >= len(turns):
            return True
        return turns[place].session != turns[after + 1].session

    def unit(self, place: int, question: Question) -> str:
        """What a turn counts as where a question's evidence is compared."""
        turn = self.conversation.turns[place]
        return turn.session if question.sessions else turn.unit or turn.id

    def units(self, places: Iterable[int], question: Question) -> list[str]:
        """The units of turns, each once."""
        return list(dict.fromkeys(self.unit(place, question) for place in places))

    def gold(self, question: Question) -> frozenset[str]:
        """The units that answer a question; none if nothing does."""
        if question.sessions:
            return question.sessions
        unit_of = {turn.id: turn.unit or turn.id for turn in self.conversation.turns}
        return frozenset(unit_of[turn] for turn in question.evidence)


def sampled(conversations: Sequence[Conversation], count: int | None) -> list[Conversation]:
    """The same with `count` questions a set, drawn always alike; None: with all. Conversations of
    which none is asked are left out."""
    of_set: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, conversation in enumerate(conversations):
        pairs = ((place, number) for number in range(len(conversation.questions)))
        of_set[conversation.dataset].extend(pairs)
    chosen: set[tuple[int, int]] = set()
    for every in of_set.values():
        is_all = count is None or len(every) <= count
        chosen.update(every if is_all else Random(0).sample(every, count or 0))
    kept = [
        replace(c, questions=tuple(q for n, q in enumerate(c.questions) if (place, n) in chosen))
        for place, c in enumerate(conversations)
    ]
    return [c for c in kept if c.questions]


def shortened(conversation: Conversation, count: int | None) -> Conversation:
    """The first `count` turns, and the questions that they answer; None: the whole."""
    if count is None or len(conversation.turns) <= count:
        return conversation
    turns = conversation.turns[:count]
    ids, sessions = {t.id for t in turns}, {t.session for t in turns}
    questions = tuple(
        q
        for q in conversation.questions
        if q.evidence <= ids and q.sessions <= sessions and (q.after is None or q.after < count)
    )
    return replace(conversation, turns=turns, questions=questions)
