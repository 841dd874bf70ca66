"""The survey of a cue: phrases of all hits, grouped by theme. A phrase has a fifth of the tokens of
a whole memory, so that many fit into a budget."""

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
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.phrase import CUT
from graphmem_worker.text.salience import parts
from graphmem_worker.text.selection import bound
from graphmem_worker.text.words import alone, is_cjk, script, words

FEWEST_NAMED: Final = 3  # memories of a theme from which on its name is worth its tokens
_FOUND: Final = ("words", "speaker", "time")  # parts of a score that the cue itself gives
_NEAR: Final = 1 / 3  # of the similarity of the nearest, from which on what only it finds counts
_SHORTEST: Final = 6  # tokens of a phrase, about: more would not fit into a budget
_LONGEST: Final = 200  # characters of a sentence that may stand in place of its phrase

Core = Callable[[int], tuple[str, Collection[int]]]
"""The name of a theme ("" if it has none), and the nodes of its core."""


def answering(hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hits that match the cue by words, speaker, time or vector. Those that only links lead to
    are left out, unless there are no others."""
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
_AFTER: Final = re.compile(r"(?:['’]s?)?[ -]([^\W\d_]+)")
_LOOKED_BACK: Final = 3  # memories before one with a pronoun in which the name is looked for
_MOST_SENTENCES: Final = 3  # of a memory


@cache
def _titles() -> frozenset[str]:
    """What may stand before a name, in lower case."""
    return listed("titles") | {entry.split()[0] for entry in ordered("titles_across")}


class Person:
    """The person whom a cue names, and which sentences of a text are about them."""

    def __init__(self, name: str, also: Sequence[str] = ()) -> None:
        names = [simplified(each) for each in (name, *also)]
        title = names[0].split(" ")[0].rstrip(".")
        is_titled = " " in names[0] and title.lower() in _titles()  # Mr. Pike is not Mrs. Pike
        titles = title if is_titled else "|".join(map(str.capitalize, ordered("titles")))
        forms: list[str] = []
        for each in names:
            first, *_, last = each.split() * 2
            # With "s?", since German says "Hannas Helm", and with "n?", since it says "Herrn Pohl".
            forms += [alone(each, "s?"), rf"\b(?:{titles})n?\.?\s{alone(last, 's?')}"]
            if not (is_titled and each == names[0]):
                forms.append(rf"{alone(first, 's?')}(?!{_OTHER_NAME})")
        self._parts = frozenset(" ".join(names).split())
        self._forms = re.compile("|".join(forms))

    @classmethod
    def of(cls, cue: str, also: Sequence[str] = ()) -> Person | None:
        """None for a cue that is more than a name. also: other names of the person."""
        name = cue.strip(" \t.?!。？！")
        return None if _NAME.fullmatch(name) is None else cls(name, also)

    def is_named(self, text: str) -> bool:
        """Whether a text names the person, not only a place or an institution of that name."""
        text = simplified(text)
        found = self._forms.finditer(text)
        return any(not (_is_place(text, *m.span()) or _goes_on(text, m)) for m in found)

    def has_name(self, text: str) -> bool:
        """Whether the name stands in a text, for the person or for something else."""
        return self._forms.search(simplified(text)) is not None

    def sentences_about(self, sentences: Sequence[str], *, before: bool = False) -> list[str]:
        """The sentences about the person: those that name them; those that follow one of these
        with a pronoun, if no other name stands between; those that take back or limit one.
        before: the text before the first sentence names the person."""
        found: list[int] = []
        continues = before
        for place, sentence in enumerate(sentences):
            is_named = self.is_named(sentence)
            is_about = is_named or (continues and _PRONOUN.search(sentence) is not None)
            if is_about:
                found.append(place)
            if not found and before:
                continue  # "Yes. He has two of them."
            continues = is_about and self._parts.issuperset(_SOMEBODY.findall(sentence))
        whole = bound(tuple(sentences), found[:_MOST_SENTENCES], leans=False)
        chosen = sorted({*whole, *_introducing(sentences, whole)})
        return [sentences[place].strip() for place in chosen]


def _introducing(sentences: Sequence[str], chosen: Collection[int]) -> Iterator[int]:
    """The places of sentences about nobody directly before a chosen one: in "The red pallets go
    back. Oona signed for it." the first is what "it" refers to."""
    for place in chosen:
        before = tuple(sentences[max(0, place - 1) : place])
        is_of_speaker = any("self" in parts(each) for each in before)
        if not is_of_speaker and not any(each.persons for each in statements(before, None)):
            yield from range(place - len(before), place)


def _is_place(text: str, start: int, end: int) -> bool:
    """Whether the name at [start, end) is that of a place or an institution ("St James's")."""
    before = _BEFORE.search(text, max(0, start - 20), start)
    if before is not None and before[1].lower() in listed("places_before"):
        return before[1][0].isupper()
    if text[end - 1 : end].isascii():
        after = _AFTER.match(text, end)
        if after is None:
            return False
        return after[1].lower() in listed("places_after") and after[1][0].isupper()
    return text.startswith(ordered("places_after"), end)


def _goes_on(text: str, found: re.Match[str]) -> bool:
    """Whether a Chinese name of two characters is the beginning of a longer one."""
    if len(found[0]) != 2 or not is_cjk(found[0]):
        return False
    return sayings("keywords", "name goes on").match(folded(text), found.end()) is not None


def of_person(
    cue: str,
    hits: Sequence[Hit],
    following: Callable[[int], tuple[str, bool] | None],
    also: Sequence[str] = (),
) -> tuple[Sequence[Hit], Mapping[int, str]]:
    """The hits about the person whom a cue names, and by hit id the sentences to show instead of
    the phrase, after their speaker. A hit is about the person if it names them, they said it, or it
    refers to them with a pronoun; if none is, the hits without that name are returned. For a cue
    that is no name: all hits, and no sentences.

    following: for a node, the text before it and whether that is of the same session; else None.
    also: other names of the person.
    """
    person = Person.of(cue, also)
    if person is None:
        return hits, {}

    def is_named_before(node: int) -> bool:
        for at in range(node, node - _LOOKED_BACK, -1):
            if (before := following(at)) is None or not before[1]:
                return False
            if person.is_named(before[0]):
                return True
        return False

    found: list[Hit] = []
    shown: dict[int, str] = {}
    for hit in hits:
        node = hit.node
        if hit.speaker and person.is_named(hit.speaker):
            found.append(hit)
            if own := _own(node, hit.speaker):
                shown[hit.id] = own
            continue
        sentences = node.sentences or (node.text or node.phrase,)
        about_them = person.sentences_about(sentences)
        if not about_them and _PRONOUN.search(node.text or node.phrase) and is_named_before(hit.id):
            about_them = person.sentences_about(sentences, before=True)
        if about_them:
            found.append(hit)
            shown[hit.id] = _attributed(about_them, hit.speaker)
    if not found:
        return [hit for hit in hits if not person.has_name(hit.node.text or hit.node.phrase)], {}
    return found, shown


def _own(node: Node, speaker: str) -> str:
    """The sentences of a memory about its speaker, if its phrase is about somebody else; without
    such sentences the phrase after its speaker. "" if the phrase will do."""
    phrase = node.phrase.removesuffix(CUT)
    claims = statements((phrase,), speaker)
    if any(each.is_of_speaker for each in claims) or not any(each.persons for each in claims):
        return ""
    own = [
        place
        for place, sentence in enumerate(node.sentences)
        if any(each.is_of_speaker for each in statements((sentence,), speaker))
    ]
    whole = bound(node.sentences, own[:_MOST_SENTENCES], leans=False)
    sentences = [node.sentences[at].strip() for at in sorted(whole)]
    return _joined(sentences) or _attributed([phrase], speaker)


def _attributed(sentences: Sequence[str], speaker: str | None) -> str:
    """Sentences on one line, after the name of their speaker."""
    text = _joined(sentences)
    if not speaker:
        return text
    return f"{' '.join(speaker.split())}{'：' if script(text) == 'cjk' else ': '}{text}"


def _joined(sentences: Sequence[str]) -> str:
    text = " ".join(" ".join(sentences).split())
    return text if text.isascii() else _SPACE_AFTER_MARK.sub("", text)


_SPACE_AFTER_MARK: Final = re.compile(r"(?<=[。！？；，]) ")


def by_worth(
    hits: Sequence[Hit],
    salience: Callable[[int], float],
    subject: Collection[str],
    over: Collection[int],
) -> list[Node]:
    """The nodes of hits in the order in which `about` shows them: by score, those in `over` last. A
    speaker's name brings back greetings as well, so its scores are weighted by salience.
    salience: the sum over a node's sentences, 0 for a gist. subject: the index words that name what
    the cue is about. over: nodes that no longer hold."""
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
    """The phrases of as many of the nodes, given best first, as `tokens` hold; if they hold all,
    as many of the first as possible with the whole sentences. instead: texts to show in place of
    the phrases of nodes. over: nodes that no longer hold, which are marked so. A theme has a
    heading if at least `FEWEST_NAMED` memories of its core are shown."""
    lines: dict[str, tuple[int, str]] = {}  # phrase → node, sentences
    for node in nodes:
        is_over = node.id in over
        phrase, sentence = [instead[node.id]] * 2 if node.id in instead else _phrase(node)
        lines.setdefault(
            remarked(phrase, is_over=is_over), (node.id, remarked(sentence, is_over=is_over))
        )
    short = [(node, phrase) for phrase, (node, _) in lines.items()]
    whole = [*lines.values()]
    core = cache(core_of)

    def made(phrases: int, sentences: int) -> tuple[Subject, ...]:
        return _grouped((*whole[:sentences], *short[sentences:phrases]), theme_of, core)

    def fits(phrases: int, sentences: int) -> bool:
        return count(_text(made(phrases, sentences))) <= tokens

    most = min(len(short), max(1, tokens // _SHORTEST))
    many = _most(most, lambda phrases: fits(phrases, 0))
    full = _most(many, lambda sentences: fits(many, sentences)) if many == len(short) else 0
    subjects = made(many, full)
    text = _text(subjects)
    return Survey(cue, text, count(text) if text else 0, subjects, len(short) - many)


def _most(high: int, fits: Callable[[int], bool]) -> int:
    """The greatest number in 0–`high` that fits, by bisection; 0 always fits."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _phrase(node: Node) -> tuple[str, str]:
    """The short and the long form of a node in a survey: its phrase, and the sentence of that, if
    not longer than `_LONGEST`. Both are the text if it is no longer than the phrase, and two
    sentences if one takes back or limits the other."""
    if node.form is not Form.GIST and len(node.text) <= len(node.phrase) + 1:
        return (text := " ".join(node.text.split())), text
    sentences, phrase = node.sentences, node.phrase.removesuffix(CUT)
    own = {place for place, sentence in enumerate(sentences) if phrase in sentence}
    whole = bound(sentences, own, leans=False)
    phrase = " ".join(node.phrase.split())
    sentence = _joined([sentences[at] for at in sorted(whole)])
    if len(whole) > len(own) > 0:
        return sentence, sentence
    return phrase, sentence if own and len(sentence) <= _LONGEST else phrase


def _grouped(
    lines: Sequence[tuple[int, str]], theme_of: Callable[[int], int | None], core_of: Core
) -> tuple[Subject, ...]:
    groups: dict[int | None, list[tuple[int, str]]] = {}
    for member in lines:
        groups.setdefault(theme_of(member[0]), []).append(member)
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
    """One line for each memory, those of a theme under its name; an empty line between groups."""
    return "\n\n".join(
        "\n".join((*([f"{subject.name}:"] if subject.name else []), *subject.phrases))
        for subject in subjects
    )
