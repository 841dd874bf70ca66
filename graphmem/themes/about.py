"""What is known about a cue: phrases of all that it brings back, grouped by theme. A phrase takes a
fifth of the tokens of a line, so that a broad cue is answered by breadth."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from statistics import median
from types import MappingProxyType
from typing import Final

from graphmem.values.hits import Hit
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import TokenCounter, remarked
from graphmem.values.themes import Subject, Survey
from graphmem_worker.claims.statements import statements
from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.text.phrase import CUT
from graphmem_worker.text.salience import parts
from graphmem_worker.text.selection import bound
from graphmem_worker.text.words import alone, script, words

FEWEST_NAMED: Final = 3  # memories of a theme from which on its name is worth its tokens
_FOUND: Final = ("words", "speaker", "time")  # parts of a score that the cue itself gives
_NEAR: Final = 1 / 3  # of the similarity of the nearest, from which on what only it finds counts
_SHORTEST: Final = 6  # tokens of a phrase, about: more would not fit into a budget
_LONGEST: Final = 200  # characters of the sentence of a phrase that is told in its place

Core = Callable[[int], tuple[str, Collection[int]]]
"""The name of a theme, and the nodes that it is about; "" for one that is not named."""


def answering(hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hits that the cue finds by what they say, by whom or when they were told, or as near it.
    What only links lead to is beside the question; if there is nothing else, all of them."""
    near = _NEAR * max((hit.parts.get("vector", 0.0) for hit in hits), default=0.0)

    def is_found(hit: Hit) -> bool:
        by_meaning = hit.parts.get("vector", 0.0)
        return 0 < by_meaning >= near or any(hit.parts.get(name, 0.0) > 0 for name in _FOUND)

    return [*filter(is_found, hits)] or hits


_NAME: Final = re.compile(
    r"(?:[A-ZÀ-ÞĀ-ſ][\w'’.-]*)(?: [A-ZÀ-ÞĀ-ſ][\w'’.-]*){0,3}|[\u4e00-\u9fff·]{2,4}"
)
_PRONOUN: Final = re.compile(r"\b(?:she|he|her|hers|his|him)\b|[她他]", re.I)
_OTHER_NAME: Final = r"(?!['’]s)\s[A-ZÀ-ÞĀ-ſ][a-zà-ÿ]"  # Anna Lind is not Anna Berg
_SOMEBODY: Final = re.compile(r"(?<=[\w,;:] )[A-ZÀ-ÞĀ-ſ][a-zà-ÿ]+")
_BEFORE: Final = re.compile(r"([^\W\d_]+)\.?[ -]$")
_BEHIND: Final = re.compile(r"(?:['’]s?)?[ -]([^\W\d_]+)")
_GONE_BACK: Final = 3  # memories before one with a pronoun in which the name is looked for
_MOST_SENTENCES: Final = 3  # of a memory


class Person:
    """Whoever a cue that is a name means: where a text names them, what it tells of them."""

    def __init__(self, name: str) -> None:
        first, *_, last = name.split() * 2
        titles = "|".join(title.capitalize() for title in ordered("titles"))
        ways = [
            alone(name, "s?"),  # as in German "Hannas Helm"
            rf"{alone(first, 's?')}(?!{_OTHER_NAME})",
            rf"\b(?:{titles})\.?\s{alone(last, 's?')}",
        ]
        self._parts = frozenset(name.split())
        self._ways = re.compile("|".join(ways))

    @classmethod
    def of(cls, cue: str) -> Person | None:
        """None for a cue that is more than a name."""
        name = cue.strip(" \t.?!。？！")
        return None if _NAME.fullmatch(name) is None else cls(name)

    def is_named(self, said: str) -> bool:
        """Whether a text names the person, not only a place or an institution of that name."""
        return any(not _is_place(said, *way.span()) for way in self._ways.finditer(said))

    def is_part(self, said: str) -> bool:
        """Whether the name stands in a text, for the person or for another thing."""
        return self._ways.search(said) is not None

    def told(self, sentences: Sequence[str], *, before: bool = False) -> list[str]:
        """The sentences that name the person, those that go on with a pronoun directly behind one
        in which no other name is seen, and those that take back or limit what these say. before:
        the person is named before the first."""
        found: list[int] = []
        goes_on = before
        for place, sentence in enumerate(sentences):
            is_named = self.is_named(sentence)
            is_of = is_named or (goes_on and _PRONOUN.search(sentence) is not None)
            if is_of:
                found.append(place)
            if not found and before:
                continue  # "Yes. He has two of them."
            goes_on = is_of and self._parts.issuperset(_SOMEBODY.findall(sentence))
        whole = bound(tuple(sentences), found[:_MOST_SENTENCES], leans=False)
        return [sentences[place].strip() for place in sorted({*whole, *_led(sentences, whole)})]


def _led(sentences: Sequence[str], told: Collection[int]) -> Iterator[int]:
    """The sentences that tell of nobody and stand before one that is told: of "The red pallets go
    back. Oona signed for it." the first says what "it" is."""
    for place in told:
        before = tuple(sentences[max(0, place - 1) : place])
        is_of_self = any("self" in parts(each) for each in before)
        if not is_of_self and not any(each.persons for each in statements(before, None)):
            yield from range(place - len(before), place)


def _is_place(said: str, start: int, end: int) -> bool:
    """Whether a name in a text is that of a place or an institution, such as "St James's"."""
    before = _BEFORE.search(said, max(0, start - 20), start)
    if before is not None and before[1].lower() in listed("places_before"):
        return before[1][0].isupper()
    if said[end - 1 : end].isascii():
        behind = _BEHIND.match(said, end)
        is_known = behind is not None and behind[1].lower() in listed("places_after")
        return is_known and behind is not None and behind[1][0].isupper()
    return said.startswith(ordered("places_after"), end)


def of_person(
    cue: str, hits: Sequence[Hit], following: Callable[[int], tuple[str, bool] | None]
) -> tuple[Sequence[Hit], Mapping[int, str]]:
    """Of a cue that is a name, the hits that name whoever it is, were said by them, or go on about
    them with a pronoun; all hits of another cue, and if none is of such those without the name.
    And what is told of hits by id, where it is not their phrase: the sentences that are of the
    person, after who said them.

    following: of a node the text that was told before it, and whether in the same session.
    """
    person = Person.of(cue)
    if person is None:
        return hits, {}

    def is_gone_on(node: int) -> bool:
        for at in range(node, node - _GONE_BACK, -1):
            if (before := following(at)) is None or not before[1]:
                return False
            if person.is_named(before[0]):
                return True
        return False

    found: list[Hit] = []
    told: dict[int, str] = {}
    for hit in hits:
        node = hit.node
        if hit.speaker and person.is_named(hit.speaker):
            found.append(hit)  # all of it is theirs
            if own := _own(node, hit.speaker):
                told[hit.id] = own
            continue
        sentences = node.sentences or (node.text or node.phrase,)
        of = person.told(sentences)
        if not of and _PRONOUN.search(node.text or node.phrase) and is_gone_on(hit.id):
            of = person.told(sentences, before=True)
        if of:
            found.append(hit)
            told[hit.id] = _said(of, hit.speaker)
    if not found:
        return [hit for hit in hits if not person.is_part(hit.node.text or hit.node.phrase)], {}
    return found, told


def _own(node: Node, speaker: str) -> str:
    """What a memory tells of who said it, where its phrase tells of another one, or else that they
    said so; "" where the phrase will do."""
    phrase = node.phrase.removesuffix(CUT)
    told = statements((phrase,), speaker)
    if any(each.is_own for each in told) or not any(each.persons for each in told):
        return ""
    own = [
        place
        for place, sentence in enumerate(node.sentences)
        if any(each.is_own for each in statements((sentence,), speaker))
    ]
    whole = bound(node.sentences, own[:_MOST_SENTENCES], leans=False)
    return _joined([node.sentences[at].strip() for at in sorted(whole)]) or _said([phrase], speaker)


def _said(sentences: Sequence[str], speaker: str | None) -> str:
    """Sentences on one line, after who said them."""
    text = _joined(sentences)
    if not speaker:
        return text
    return f"{' '.join(speaker.split())}{'：' if script(text) == 'cjk' else ': '}{text}"


def _joined(sentences: Sequence[str]) -> str:
    text = " ".join(" ".join(sentences).split())
    return text if text.isascii() else _AFTER_MARK.sub("", text)


_AFTER_MARK: Final = re.compile(r"(?<=[。！？；，]) ")


def by_worth(
    hits: Sequence[Hit],
    salience: Callable[[int], float],
    subject: Collection[str],
    over: Collection[int],
) -> list[Node]:
    """The nodes of hits in the order in which `about` tells them: by score, for a speaker's name,
    which brings back greetings as well, weighted by the node's salience; what is over comes last.
    salience: of all that a node still says, 0 for a gist. subject: the index words that name what
    the cue is about."""
    speakers = {word for hit in hits if hit.speaker for word in words(hit.speaker)}
    weights: dict[int, float] = {}
    if subject and speakers.issuperset(subject):
        weights = {hit.id: salience(hit.id) for hit in hits}
    middle = median(filter(None, weights.values())) if any(weights.values()) else 1.0

    def worth(hit: Hit) -> float:
        return hit.score * (weights.get(hit.id) or middle)

    return [hit.node for hit in sorted(hits, key=lambda hit: (hit.id in over, -worth(hit), hit.id))]


def about(
    cue: str,
    nodes: Sequence[Node],
    theme_of: Callable[[int], int | None],
    core_of: Core,
    *,
    tokens: int,
    count: TokenCounter,
    instead: Mapping[int, str] = MappingProxyType({}),
    over: Collection[int] = (),
) -> Survey:
    """The phrases of as many of the nodes, given best first, as `tokens` hold; if they hold all, of
    as many of the first ones the sentences of their phrases. instead: what is told of nodes in
    place of their phrases. over: nodes that say what is no longer so, which is told of them. A
    theme of whose core fewer than `FEWEST_NAMED` memories are told has no line of its own."""
    said: dict[str, tuple[int, str]] = {}
    for node in nodes:
        is_over = node.id in over
        phrase, sentence = [instead[node.id]] * 2 if node.id in instead else _phrase(node)
        said.setdefault(
            remarked(phrase, is_over=is_over), (node.id, remarked(sentence, is_over=is_over))
        )
    told = [(node, phrase) for phrase, (node, _) in said.items()]
    whole = [*said.values()]
    core = cache(core_of)

    def made(phrases: int, sentences: int) -> tuple[Subject, ...]:
        return _grouped((*whole[:sentences], *told[sentences:phrases]), theme_of, core)

    def fits(phrases: int, sentences: int) -> bool:
        return count(_text(made(phrases, sentences))) <= tokens

    most = min(len(told), max(1, tokens // _SHORTEST))
    many = _most(most, lambda phrases: fits(phrases, 0))
    full = _most(many, lambda sentences: fits(many, sentences)) if many == len(told) else 0
    subjects = made(many, full)
    text = _text(subjects)
    return Survey(cue, text, count(text) if text else 0, subjects, len(told) - many)


def _most(high: int, fits: Callable[[int], bool]) -> int:
    """The greatest number up to `high` that fits, where what is less does too; 0 fits."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _phrase(node: Node) -> tuple[str, str]:
    """What is told of a node, and where there is more room: its text where that is no longer than
    its phrase; where a sentence takes back or limits what the phrase says, both sentences; and
    else its phrase, with more room the sentence of it."""
    if node.form is not Form.GIST and len(node.text) <= len(node.phrase) + 1:
        return (text := " ".join(node.text.split())), text
    said, phrase = node.sentences, node.phrase.removesuffix(CUT)
    own = {place for place, sentence in enumerate(said) if phrase in sentence}
    whole = bound(tuple(said), own, leans=False)
    phrase, sentence = " ".join(node.phrase.split()), _joined([said[at] for at in sorted(whole)])
    if len(whole) > len(own) > 0:
        return sentence, sentence
    return phrase, sentence if own and len(sentence) <= _LONGEST else phrase


def _grouped(
    told: Sequence[tuple[int, str]], theme_of: Callable[[int], int | None], core_of: Core
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
    """Each memory on its own line, those of a theme under its name and before an empty line."""
    return "\n\n".join(
        "\n".join((*([f"{subject.name}:"] if subject.name else []), *subject.phrases))
        for subject in subjects
    )
