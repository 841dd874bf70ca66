"""Candidates: the memories that one recall weighs, and where they are read from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

import numpy as np

from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.relations import SUPERSEDES
from graphmem.graph.view import View
from graphmem.index.vectors.index import Nearest
from graphmem.index.words.index import WordReader
from graphmem.index.words.postings import Nodes
from graphmem.index.words.records import characters
from graphmem.recalling import days
from graphmem.recalling.question import Filter
from graphmem.settings import Ranking as Knobs
from graphmem.values.moments import offset_of
from graphmem.values.nodes import Node
from graphmem.values.rendering import LINE_TOKENS, TokenCounter
from graphmem_worker.text.salience import is_question
from graphmem_worker.text.salience import parts as reasons
from graphmem_worker.text.trivial import replies, trivial
from graphmem_worker.text.words import words

BELOW = 1e-6  # by which a statement that is outdated stands below the one that is not
_REPLY_SENTENCES = 6  # that a text which only replies has at most, …
_LONGEST_EMPTY = 60  # characters of a text that says nothing
_HANDED_DOWN = 16  # replaced memories that lead to what holds in their place, …
_SUCCESSORS = 8  # … one after the other at most
_COMPARED = 32  # candidates of which it is looked at whether they are questions
_FIGURES = frozenset(("numbers", "date"))
_BETWEEN = re.compile(r"[\W_]+")
_ASCII_BETWEEN = "".join(_BETWEEN.findall("".join(map(chr, range(128))))).encode()


@dataclass(slots=True)
class Candidate:
    """A memory that may answer a cue, and what speaks for it."""

    node: int
    record: NodeRecord
    text: TextRecord
    parts: dict[str, float]
    own: float = 0.0  # how well it answers by itself, 0–1
    score: float = 0.0  # the sum of the parts, once all are known
    folded: tuple[int, ...] = ()  # nodes that say the same, ranked behind
    earlier: tuple[int, ...] = ()  # nodes that say what was so before
    question: str = ""  # of somebody else, which it answers

    @property
    def content(self) -> str:
        """What is left of its text."""
        return self.text.text or self.text.phrase

    @property
    def exchange(self) -> str:
        """What it says, with the question that it answers."""
        return f"{self.question} {self.content}" if self.question else self.content

    @property
    def seen(self) -> Node:
        """The node, as a user sees it."""
        return as_node(self.node, self.text, self.record)

    def move_to(self, score: float) -> None:
        """Give it another score, for what other statements of its state say."""
        self.parts["currency"] = self.parts.get("currency", 0.0) + score - self.score
        self.score = score


@dataclass(frozen=True, slots=True)
class Source:
    """What the candidates of one recall are read from: a snapshot, its words and vectors."""

    view: View
    index: WordReader
    knobs: Knobs
    now: datetime
    """What "yesterday" counts from; its zone says when days begin."""
    nearest: Nearest | None
    """What the vectors find near the cue."""
    frequency: Callable[[str], int]
    """How many nodes hold an index word."""

    def read(self, nodes: Nodes, only: Filter) -> Iterator[Candidate]:
        """The records of some nodes that `only` admits."""
        for found in self.view.pairs(nodes.tolist()):
            if only.admits(found[0], found[2], found[1]):
                yield Candidate(*found, {"words": 0.0, "vector": 0.0, "activation": 0.0})

    def nearness(self, nodes: Sequence[int]) -> dict[int, float]:
        """The squared shares of nodes' vectors: most of a memory is a little near."""
        shares = {} if self.nearest is None else self.nearest.shares(nodes)
        return {node: share**2 for node, share in shares.items()}

    @property
    def zone(self) -> int:
        """Minutes east of UTC."""
        return offset_of(self.now)

    def day(self, text: TextRecord) -> date:
        """The day of which a text tells, or else on which it was told."""
        return days.day_of(text, self.now)


def hand_down(
    source: Source, replaced: Sequence[Candidate], candidates: list[Candidate], only: Filter
) -> None:
    """Have what was put in the place of a memory be found by all that speaks for that one, where
    more does than for itself: "Where do I live?" finds "I moved to Lyon", which replaced "I live in
    Ghent"."""
    known = {c.node: c for c in candidates}
    for old, new in in_place_of(source, replaced[:_HANDED_DOWN], only):
        if new.node not in known:
            known[new.node] = new
            candidates.append(new)
        new = known[new.node]
        if sum(old.parts.values()) > sum(new.parts.values()):
            new.parts, new.own = {**old.parts}, old.own


def in_place_of(
    source: Source, replaced: Iterable[Candidate], only: Filter
) -> Iterator[tuple[Candidate, Candidate]]:
    """Each of some replaced memories with what holds in its place, as far as `only` admits that."""
    for old in replaced:
        if (node := _in_place_of(source.view, old.node)) is not None:
            for new in source.read(np.array([node], np.uint64), only):
                yield old, new


def _in_place_of(view: View, node: int) -> int | None:
    """The memory that holds in the place of a replaced one."""
    for _ in range(_SUCCESSORS):
        over = [link.source for link in view.incoming(node) if link.relation == SUPERSEDES]
        record = view.record(over[-1]) if over else None
        if record is None or record.valid_to is None:
            return over[-1] if record is not None else None
        node = over[-1]
    return None


def is_empty(text: str) -> bool:
    """Whether a text that has not faded says nothing. A status ("merged") may be an answer."""
    return 0 < len(text) <= _LONGEST_EMPTY and _says_nothing(text)


@lru_cache(1 << 13)
def _says_nothing(text: str) -> bool:
    return trivial(text) not in (None, "a status")


def says_little(c: Candidate, asked: Mapping[str, float], counter: TokenCounter) -> bool:
    """Whether a memory is short, holds none of the words that are asked, and neither counts nor
    dates anything: hardly one answers."""
    held, has_figures = _telling(c.text.spans)
    return not has_figures and held.isdisjoint(asked) and counter(c.content) < LINE_TOKENS


@lru_cache(1 << 13)
def _telling(spans: tuple[str, ...]) -> tuple[frozenset[str], bool]:
    """The index words and characters of a text, and whether it counts or dates something."""
    held = held_words(spans)
    return held.union(characters(held)), not _FIGURES.isdisjoint(reasons("".join(spans)))


@lru_cache(1 << 13)
def is_reply(spans: tuple[str, ...]) -> bool:
    """Whether a text only asks, or says that it heard what was told before it."""
    return len(spans) <= _REPLY_SENTENCES and replies(spans)


@lru_cache(1 << 13)
def held_words(spans: tuple[str, ...]) -> frozenset[str]:
    """The index words of a text that still has sentences."""
    return frozenset(words("".join(spans)))


def folded(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of those who say the same, to the letter and the figure, only the best stands."""
    kept: dict[tuple[str | None, str], Candidate] = {}
    for c in candidates:
        text = c.text
        first = kept.setdefault((text.speaker, _said(text.spans, text.phrase)), c)
        if first is not c:
            first.folded += (c.node,)
    return list(kept.values())


@lru_cache(1 << 14)
def _said(spans: tuple[str, ...], phrase: str) -> str:
    """The letters of a text; asked for by its parts, whose hashes are known, for putting them
    together takes longer than all the rest."""
    said = "".join(spans).strip() or phrase
    return letters(said) or said


def letters(said: str) -> str:
    """The letters and figures of a text, without case and what stands between them."""
    folded = said.casefold()
    if folded.isascii():  # the same, several times faster
        return folded.encode().translate(None, _ASCII_BETWEEN).decode()
    return _BETWEEN.sub("", folded)


def diverse(candidates: list[Candidate], count: int, diversity: float) -> list[Candidate]:
    """The first `count` in an order in which each is also unlike those before it; then the rest.

    Maximal marginal relevance (Carbonell & Goldstein 1998), over shared index words (Jaccard).
    """
    left = [(c, frozenset(c.text.words)) for c in candidates]
    best = (candidates[0].score if candidates else 0.0) or 1.0  # 0: a focus of no weight
    chosen: list[Candidate] = []
    likeness = [0.0] * len(left)  # to the most alike of the chosen
    while left and len(chosen) < count:
        gains = [
            (1 - diversity) * c.score / best - diversity * like
            for (c, _), like in zip(left, likeness, strict=True)
        ]
        place = max(range(len(left)), key=gains.__getitem__)
        picked, said = left.pop(place)
        likeness.pop(place)
        chosen.append(picked)
        likeness = [
            max(like, len(said & other) / (len(said | other) or 1))
            for (_, other), like in zip(left, likeness, strict=True)
        ]
    return chosen + [c for c, _ in left]


def ids_of(nodes: Set[int]) -> Nodes:
    """Ids as an array."""
    return np.fromiter(nodes, np.uint64, len(nodes))


def allowed(nodes: Nodes, only: Filter) -> Nodes:
    """Those of some nodes that may be hits, as far as their ids say."""
    if only.among is not None:
        nodes = nodes[np.isin(nodes, ids_of(only.among))]
    return nodes[~np.isin(nodes, ids_of(only.without))] if only.without else nodes


def answers(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Candidates that answer a question with which somebody else ended, each with that one."""
    asking = {c.node: c for c in candidates[:_COMPARED] if ends_asking(c.text.spans)}
    if not asking:
        return
    for c in candidates:
        question = asking.get(c.node - 1) or asking.get(c.node - 2)
        if (
            question is not None
            and question.text.session is not None
            and question.text.session == c.text.session
            and question.text.speaker != c.text.speaker
            and not is_reply(c.text.spans)
        ):
            yield c, question


@lru_cache(1 << 13)
def ends_asking(spans: tuple[str, ...]) -> bool:
    """Whether a text ends with a question."""
    return any(map(is_question, spans[-1:]))
