"""What is known about a cue: phrases of all that it brings back, grouped by theme.

A phrase takes a fifth of the tokens of a line with its day and speaker, so that a broad cue is
answered by breadth: what else there is to ask about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from statistics import median
from typing import Final

from graphmem.values.hits import Hit
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import TokenCounter
from graphmem.values.themes import Subject, Survey
from graphmem_worker.text.words import words

FEWEST_NAMED: Final = 3  # memories of a theme from which on its name is worth its tokens
# Powers of the salience, against the median: tried on three LoCoMo conversations.
_OF_SUBJECTS: Final = 0.25
_OF_NAMES: Final = 1.0
_FOUND: Final = ("words", "vector", "speaker", "time")  # parts of a score that the cue itself gives
_ENDS: Final = ("!", "?", "！", "？")
_STOPS: Final = ".。;；"
_SHORTEST: Final = 6  # tokens of a phrase, about: more would not fit into a budget

Core = Callable[[int], tuple[str, Collection[int]]]
"""The name of a theme, and the nodes that it is about; "" for one that is not named."""


def answering(hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hits that the cue finds by what they say, mean, or by whom or when they were told. What
    only links lead to is beside the question; if there is nothing else, all of them."""
    return [hit for hit in hits if any(hit.parts.get(name, 0.0) > 0 for name in _FOUND)] or hits


_NAME: Final = re.compile(
    r"(?:[A-ZÀ-ÞĀ-ſ][\w'’.-]*)(?: [A-ZÀ-ÞĀ-ſ][\w'’.-]*){0,3}|[\u4e00-\u9fff·]{2,4}"
)
_PRONOUN: Final = re.compile(r"\b(?:she|he|her|hers|his|him)\b|[她他]", re.I)
_OTHER_NAME: Final = r"(?!['’]s)\s[A-ZÀ-ÞĀ-ſ][a-zà-ÿ]"  # Anna Lind is not Anna Berg
_GONE_BACK: Final = 3  # memories before one with a pronoun in which the name is looked for


def of_person(
    cue: str, hits: Sequence[Hit], following: Callable[[int], tuple[str, bool] | None]
) -> Sequence[Hit]:
    """Of a cue that is a name, the hits that name whoever it is, were said by them, or go on about
    them with a pronoun; all hits of another cue, and if none is of such.

    following: of a node the text that was told before it, and whether in the same session.
    """
    name = cue.strip(" \t.?!。？！")
    if _NAME.fullmatch(name) is None:
        return hits
    whole = re.compile(rf"\b{re.escape(name)}\b" if name.isascii() else re.escape(name))
    given = name.split()[0]
    alone = re.compile(rf"\b{re.escape(given)}\b(?!{_OTHER_NAME})") if name.isascii() else whole
    titled = re.compile(rf"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?\s{re.escape(name.split()[-1])}\b")

    def names(said: str) -> bool:
        return any(way.search(said) is not None for way in (whole, alone, titled))

    def is_of(hit: Hit) -> bool:
        said = hit.node.text or hit.node.phrase
        if names(said) or (hit.speaker and names(hit.speaker)):
            return True
        if _PRONOUN.search(said) is None:
            return False
        for node in range(hit.id, hit.id - _GONE_BACK, -1):
            if (before := following(node)) is None or not before[1]:
                return False
            if names(before[0]):
                return True
        return False

    return [hit for hit in hits if is_of(hit)] or hits


def by_worth(
    hits: Sequence[Hit], salience: Callable[[int], float], subject: Collection[str]
) -> list[Node]:
    """The nodes of hits in the order in which `about` tells them.

    salience: that of all that a node still says, 0 for a gist. subject: the index words that name
    what the cue is about.

    A score is weighted by the node's salience: a broad cue brings back greetings as well as what
    is known. With the name of a speaker and nothing besides, that is all that tells them apart.
    """
    said = {hit.id: salience(hit.id) for hit in hits}
    middle = median(filter(None, said.values())) if any(said.values()) else 1.0
    speakers = {word for hit in hits if hit.speaker for word in words(hit.speaker)}
    power = _OF_NAMES if subject and speakers.issuperset(subject) else _OF_SUBJECTS

    def worth(hit: Hit) -> float:
        return float(hit.score * ((said[hit.id] or middle) / middle) ** power)

    return [hit.node for hit in sorted(hits, key=lambda hit: (-worth(hit), hit.id))]


def about(
    cue: str,
    nodes: Sequence[Node],
    theme_of: Callable[[int], int | None],
    core_of: Core,
    *,
    tokens: int,
    count: TokenCounter,
) -> Survey:
    """The phrases of as many of the nodes, given best first, as `tokens` hold.

    A theme of whose core fewer than `FEWEST_NAMED` memories are told has no line of its own: its
    phrases stand together with those of no theme, at the end.
    """
    said: dict[str, Node] = {}
    for node in nodes:
        said.setdefault(_phrase(node), node)
    told = [(node.id, phrase) for phrase, node in said.items()]
    most = min(len(told), max(1, tokens // _SHORTEST))
    low = 0  # how many fit; more than `most` do not
    subjects: tuple[Subject, ...] = ()
    cores: dict[int, tuple[str, Collection[int]]] = {}

    def core(theme: int) -> tuple[str, Collection[int]]:
        if theme not in cores:
            cores[theme] = core_of(theme)
        return cores[theme]

    while low < most:
        middle = (low + most + 1) // 2
        attempt = _grouped(told[:middle], theme_of, core)
        if count(_text(attempt)) <= tokens:
            low, subjects = middle, attempt
        else:
            most = middle - 1
    text = _text(subjects)
    return Survey(cue, text, count(text) if text else 0, subjects, len(told) - low)


def _phrase(node: Node) -> str:
    """What is told of a node: its text where that is no longer than its phrase."""
    short = node.form is not Form.GIST and len(node.text) <= len(node.phrase) + 1
    return " ".join((node.text if short else node.phrase).split())


def _grouped(
    told: Sequence[tuple[int, str]],
    theme_of: Callable[[int], int | None],
    core_of: Core,
) -> tuple[Subject, ...]:
    groups: dict[int | None, list[tuple[int, str]]] = {}
    for node, phrase in told:
        groups.setdefault(theme_of(node), []).append((node, phrase))
    rest: list[tuple[int, str]] = []
    subjects: list[Subject] = []
    for theme, members in groups.items():
        name: str = ""
        core: Collection[int] = ()
        if theme is not None and len(members) >= FEWEST_NAMED:
            name, core = core_of(theme)
        fitting = [member for member in members if member[0] in core]
        if len(fitting) < FEWEST_NAMED:
            rest.extend(members)
            continue
        nodes, phrases = zip(*fitting, strict=True)
        subjects.append(Subject(theme, name, nodes, phrases))
        rest.extend(member for member in members if member[0] not in core)
    if rest:
        nodes, phrases = zip(*rest, strict=True)
        subjects.append(Subject(None, "", nodes, phrases))
    return tuple(subjects)


def _text(subjects: Sequence[Subject]) -> str:
    return "\n".join(
        (f"{subject.name}: " if subject.name else "")
        + "".join(map(_parted, subject.phrases[:-1]))
        + "".join(subject.phrases[-1:])
        for subject in subjects
    )


def _parted(phrase: str) -> str:
    """A phrase before another one: its full stop gives way to the semicolon of its script."""
    if phrase.endswith(_ENDS):
        return phrase + " "
    semicolon = "；" if any("\u4e00" <= character <= "\u9fff" for character in phrase) else "; "
    return phrase.rstrip(_STOPS) + semicolon
