"""Candidates: the memories that one recall weighs, and where they are read from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache

import numpy as np

from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.view import View
from graphmem.index.vectors.index import Nearest
from graphmem.index.words.index import WordReader
from graphmem.index.words.postings import Nodes
from graphmem.index.words.records import characters
from graphmem.recalling import days
from graphmem.recalling.question import Filter
from graphmem.settings import Ranking as Knobs
from graphmem.values.nodes import Node
from graphmem.values.rendering import LINE_TOKENS, TokenCounter
from graphmem_worker.text.salience import is_question
from graphmem_worker.text.salience import parts as reasons
from graphmem_worker.text.trivial import is_only_reply, trivial
from graphmem_worker.text.words import words

BELOW = 1e-6  # the difference in score of two that are put one behind the other
_REPLY_SENTENCES = 6  # at most, of a text that only replies
_LONGEST_EMPTY = 60  # characters of a text without content
_HANDED_DOWN = 16  # replaced memories that lead to their successors
_SUCCESSORS = 8  # replacements that are followed one after the other
_COMPARED = 32  # best candidates that are checked for being questions
_FIGURES = frozenset(("numbers", "date"))
_BETWEEN = re.compile(r"[\W_]+")
_ASCII_BETWEEN = "".join(_BETWEEN.findall("".join(map(chr, range(128))))).encode()


@dataclass(slots=True)
class Candidate:
    """A memory that may answer a cue, and the parts of its score."""

    node: int
    record: NodeRecord
    text: TextRecord
    parts: dict[str, float]
    own: float = 0.0  # how well it answers by itself, 0–1
    score: float = 0.0  # the sum of the parts, once all are known
    folded: tuple[int, ...] = ()  # duplicates of it that scored less
    earlier: tuple[int, ...] = ()  # nodes that it supersedes
    question: str = ""  # of another speaker, which it answers
    replaced: str = ""  # what it took the place of
    written: TextRecord = field(init=False)  # while `text` is as it is read
    content: str = field(init=False)  # its text, or after that was forgotten its phrase

    def __post_init__(self) -> None:
        self.written, self.text = self.text, self.text.simplified
        self.content = self.text.text or self.text.phrase

    @property
    def exchange(self) -> str:
        """Its text, behind the question that it answers."""
        return f"{self.question} {self.content}" if self.question else self.content

    def seen(self, view: View) -> Node:
        """The node, as a user sees it."""
        return as_node(self.node, self.written, self.record, view.zone)

    def move_to(self, score: float) -> None:
        """Set its score. The difference goes to the part "currency"."""
        self.parts["currency"] = self.parts.get("currency", 0.0) + score - self.score
        self.score = score


@dataclass(frozen=True, slots=True)
class Source:
    """What one recall reads candidates from: a snapshot with its word index and vectors."""

    view: View
    index: WordReader
    knobs: Knobs
    now: datetime
    """What "yesterday" counts from; days begin in its zone."""
    nearest: Nearest | None
    """The vectors near that of the cue; None without vectors."""
    frequency: Callable[[str], int]
    """How many nodes hold an index word."""

    def read(self, nodes: Nodes, only: Filter) -> Iterator[Candidate]:
        """Those of some nodes that `only` admits, as candidates without a score."""
        for found in self.view.pairs(nodes.tolist()):
            if only.admits(found[0], found[2], found[1]):
                yield Candidate(*found, {"words": 0.0, "vector": 0.0, "activation": 0.0})

    def nearness(self, nodes: Sequence[int]) -> dict[int, float]:
        """Node → its squared `Nearest` share: squared, since most vectors are a little near."""
        shares = {} if self.nearest is None else self.nearest.shares(nodes)
        return {node: share**2 for node, share in shares.items()}

    def day(self, text: TextRecord) -> date:
        """The day on which a text happened, or else was remembered."""
        return days.day_of(text, self.now)


def hand_down(
    source: Source, replaced: Sequence[Candidate], candidates: list[Candidate], only: Filter
) -> None:
    """Add each replaced memory's successor to `candidates`, with the replaced one's parts if these
    add up to more: "Where do I live?" finds "I moved to Lyon", which replaced "I live in
    Ghent"."""
    known = {c.node: c for c in candidates}
    for old, new in with_successors(source, replaced[:_HANDED_DOWN], only):
        if new.node not in known:
            known[new.node] = new
            candidates.append(new)
        new = known[new.node]
        new.replaced = old.content
        if sum(old.parts.values()) > sum(new.parts.values()):
            new.parts, new.own = {**old.parts}, old.own


def with_successors(
    source: Source, replaced: Iterable[Candidate], only: Filter
) -> Iterator[tuple[Candidate, Candidate]]:
    """Replaced memories, each with the one that holds in its place, if `only` admits that."""
    for old in replaced:
        if (node := _successor(source.view, old.node)) is not None:
            for new in source.read(np.array([node], np.uint64), only):
                yield old, new


def _successor(view: View, node: int) -> int | None:
    """The node that holds in the place of a replaced one; None if none does."""
    for _ in range(_SUCCESSORS):
        newer = view.over(node)
        record = view.record(newer[-1]) if newer else None
        if record is None or record.valid_to is None:
            return newer[-1] if record is not None else None
        node = newer[-1]
    return None


def is_empty(text: str) -> bool:
    """Whether a text that has not faded has no content. A status ("merged") may be an answer."""
    return 0 < len(text) <= _LONGEST_EMPTY and _is_trivial(text)


@lru_cache(1 << 13)
def _is_trivial(text: str) -> bool:
    return trivial(text) not in (None, "a status")


def has_little(c: Candidate, asked: Mapping[str, float], counter: TokenCounter) -> bool:
    """Whether a memory is short and holds no word that is asked, no number and no date: hardly one
    answers."""
    held, has_figures = _terms(c.text.spans)
    return not has_figures and held.isdisjoint(asked) and counter(c.content) < LINE_TOKENS


@lru_cache(1 << 13)
def _terms(spans: tuple[str, ...]) -> tuple[frozenset[str], bool]:
    """The index words and characters of a text, and whether it has a number or a date."""
    held = words_left(spans)
    return held.union(characters(held)), not _FIGURES.isdisjoint(reasons("".join(spans)))


@lru_cache(1 << 13)
def is_reply(spans: tuple[str, ...]) -> bool:
    """Whether a text only asks, or only acknowledges the turn before it."""
    return len(spans) <= _REPLY_SENTENCES and is_only_reply(spans)


@lru_cache(1 << 13)
def words_left(spans: tuple[str, ...]) -> frozenset[str]:
    """The index words of the sentences that a text still has."""
    return frozenset(words("".join(spans)))


def folded(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, best first, without duplicates (equal speaker, letters, figures); the best
    one has these in `folded`."""
    kept: dict[tuple[str | None, str], Candidate] = {}
    for c in candidates:
        text = c.text
        first = kept.setdefault((text.speaker, _letters_of(text.spans, text.phrase)), c)
        if first is not c:
            first.folded += (c.node,)
    return list(kept.values())


@lru_cache(1 << 14)
def _letters_of(spans: tuple[str, ...], phrase: str) -> str:
    """The `letters` of a text. The cache is keyed by spans, whose hashes are cached: to join them
    takes longer than all the rest."""
    text = "".join(spans).strip() or phrase
    return letters(text) or text


def letters(text: str) -> str:
    """The letters and figures of a text, case-folded."""
    low = text.casefold()
    if low.isascii():  # the same, several times faster
        return low.encode().translate(None, _ASCII_BETWEEN).decode()
    return _BETWEEN.sub("", low)


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
        picked, terms = left.pop(place)
        likeness.pop(place)
        chosen.append(picked)
        likeness = [
            max(like, len(terms & other) / (len(terms | other) or 1))
            for (_, other), like in zip(left, likeness, strict=True)
        ]
    return chosen + [c for c, _ in left]


def ids_of(nodes: Set[int]) -> Nodes:
    """Ids as an array."""
    return np.fromiter(nodes, np.uint64, len(nodes))


def allowed(nodes: Nodes, only: Filter) -> Nodes:
    """Those of some nodes that `only` admits by their ids."""
    if only.among is not None:
        nodes = nodes[np.isin(nodes, ids_of(only.among))]
    return nodes[~np.isin(nodes, ids_of(only.without))] if only.without else nodes


def answers(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Candidates that answer a question with which another speaker ended, each with that one."""
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
