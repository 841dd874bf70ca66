"""What is known about a cue: phrases of all that it brings back, grouped by theme.

A phrase takes a fifth of the tokens of a line with its day and speaker, so that a broad cue is
answered by breadth: what else there is to ask about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from statistics import median
from typing import Final

from graphmem.values.hits import Hit
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import TokenCounter
from graphmem.values.themes import About, Subject
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
) -> About:
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
    return About(cue, text, count(text) if text else 0, subjects, len(told) - low)


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
        (f"{subject.name}: " if subject.name else "") + _listed(subject.phrases)
        for subject in subjects
    )


def _listed(phrases: Sequence[str]) -> str:
    """Phrases in one line. The full stop of a whole sentence gives way to the semicolon of its
    script."""
    return "".join(map(_parted, phrases[:-1])) + "".join(phrases[-1:])


def _parted(phrase: str) -> str:
    if phrase.endswith(_ENDS):
        return phrase + " "
    semicolon = "；" if any("\u4e00" <= character <= "\u9fff" for character in phrase) else "; "
    return phrase.rstrip(_STOPS) + semicolon
