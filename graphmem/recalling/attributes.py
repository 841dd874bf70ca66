"""Attributes: what kind of thing a cue asks for, and whether a text could tell it.

A near-miss holds the words of the cue, and often more of them than the answer does. What it lacks
is the kind of thing that is asked for: no colour where the colour is asked for, no digits where the
phone number is. The tables `asked` tell which cues ask for an attribute, and what may tell it.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache
from typing import Final, NamedTuple

from graphmem_worker.claims.statements import asked_of, is_grammar, statements
from graphmem_worker.language.expressions import Expression, expression
from graphmem_worker.language.lists import listed
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import protects
from graphmem_worker.text.sentences import clauses, sentences
from graphmem_worker.text.words import script, words


class Attribute(NamedTuple):
    """Something that a cue may ask for, by its name in the tables `asked`."""

    name: str
    of_subject: bool = True
    """True if it is told only by what names, or is said by, the one that the cue names."""
    or_named: bool = False
    """True if a name that the cue does not say may tell it as well."""
    warns: bool = False
    """True if who asks for it wants to be warned."""
    of_person: bool = False
    """True if only a person or an animal has it, so that what is told of a relative tells none."""

    def is_asked_in(self, cue: str) -> bool:
        """Whether a cue asks for it."""
        return sayings("asked", self.name).is_in(folded(cue))

    @property
    def pattern(self) -> Expression:
        """What is in every text that may tell it."""
        return expression("asked", self.name)


_ATTRIBUTES: Final = (
    Attribute("colour"),
    Attribute("weight", of_subject=False),
    Attribute("height", of_person=True),
    Attribute("phone", of_person=True),
    Attribute("e-mail", of_person=True),
    Attribute("blood group", of_person=True),
    Attribute("size"),
    Attribute("plate"),
    Attribute("document", of_subject=False),
    Attribute("door"),
    Attribute("floor"),
    Attribute("street", or_named=True),
    Attribute("district", or_named=True),
    Attribute("allergy", warns=True, of_person=True),
    Attribute("birthday", of_person=True),
    Attribute("age", of_person=True),
    Attribute("partner"),
    Attribute("salary", of_person=True),
    Attribute("rate"),
    Attribute("blood pressure", of_person=True),
    Attribute("hospital", or_named=True),
    Attribute("full name", of_person=True),
    Attribute("name", or_named=True),
)

# Inside a sentence, or a sentence by itself: elsewhere any word may be capitalised.
_NAME: Final = late(r"(?<=[\w,] )[A-Z][a-z]{2,}|(?:^|[.!?] )[A-Z][a-z]{2,}(?=[.!,])")
_PAIR: Final = late(r"(?=\b([A-Z]\w+ [A-Z]\w+))")


@lru_cache(1 << 8)
def asked_for(cue: str) -> Attribute | None:
    """The first attribute that a cue asks for, or None."""
    return next((one for one in _ATTRIBUTES if one.is_asked_in(cue)), None)


@lru_cache(1 << 8)
def asking_part(cue: str) -> str:
    """The part of a cue that asks for its attribute: a turn may greet, tell a story or name who is
    spoken to besides."""
    one = asked_for(cue)
    if one is None:
        return cue
    whole = cue.encode("utf-8", "replace").decode()  # half a pair of UTF-16 is no character
    asking = next(filter(one.is_asked_in, sentences(whole)), cue)
    return next(filter(one.is_asked_in, reversed(clauses(asking))), asking)


@lru_cache(1 << 8)
def subject_of(cue: str) -> frozenset[str]:
    """The index words of whom or what the part of a cue that asks names: in English its names, in
    German its nouns but for the attribute, in Chinese what stands before the first particle; none
    if it names nothing or asks who it is."""
    cue = asking_part(cue)
    if sayings("asked", "who").is_in(folded(cue)):
        return frozenset()
    if script(cue) == "cjk":
        named = cue.lstrip("".join(listed("before_subject")))
        behind = sayings("asked", "behind subject").search(folded(named))
        return frozenset(words(named[: behind.start()] if behind else named))
    said = re.findall(r"[\w'’]+", cue)
    names = [word.removesuffix("'s").removesuffix("’s") for word in said if word[0].isupper()]
    one = asked_for(cue)
    left = [
        n
        for n in names
        if len(n) > 1
        and n.lower() not in listed("question_words") | listed("titles") | listed("capitalised")
        # "Welche Farbe hat der Schal?": who writes nouns with a capital names what is asked for.
        and (one is None or one.is_asked_in(cue.replace(n, "X")))
        and not (one is not None and one.warns and one.pattern.within(n, folded(n)))
    ]
    return frozenset(words(" ".join(left)))


def may_be_no_name(cue: str) -> bool:
    """Whether the subject of a cue may be nobody's name: a Chinese one may be said in words that no
    memory has; who asks of themselves may name whom they speak to."""
    part = asking_part(cue)
    return script(cue) == "cjk" or any(key.partition("/")[0] == "self" for key in asked_of(part))


def may_answer(one: Attribute, cue: str, text: str, speaker: str | None, *, is_about: bool) -> bool:
    """Whether a text may tell an attribute that a cue asks for. is_about: it is known to be about
    the subject, though it may name it in another script."""
    subject = subject_of(cue) if one.of_subject else frozenset()
    if subject and not is_about and not _is_about(subject, cue, text, speaker):
        return False
    if one.pattern.within(text, folded(text)):
        return True
    said = cue.casefold()
    if one.name == "full name":
        named = [*_addressed(text), *_beside(subject, text)]
        return any(name.casefold() not in said for name in named)
    if not one.or_named:
        return False
    names = (name.strip(" .!?").casefold() for name in _NAME.findall(text))
    return any(name not in listed("capitalised") and name not in said for name in names)


@lru_cache(1 << 12)
def is_of_kin(cue: str, text: str, speaker: str | None) -> bool:
    """Whether a text tells of a relative of who says it, of whom a cue asks, and nothing of them:
    what Tom said of his grandmother is nothing of Tom. What names Tom, or what somebody says, may
    be of him."""
    me = (speaker or "").strip().casefold() or "self"
    names, whom, said = (me, *words(me)), asked_of(asking_part(cue)), folded(text)
    is_read = any(one.startswith(names) for one in whom)
    if (
        not (is_read or (script(me) == "cjk" and len(me) > 1 and me in cue))
        or any("/" in one for one in whom)
        or any(name in said for name in names)
        or sayings("asked", "of a family").is_in(folded(cue))
        or sayings("asked", "reported").is_in(said)
    ):
        return False
    told = statements(tuple(sentences(text)), speaker)
    others = {one for each in told for one in (each.persons - {me}) | each.mine}
    if not is_read and any(one in cue for one in others):
        return False  # it asks of these
    own = [each for each in told if not (each.mine or each.is_inherited)]
    return bool(others) and not any(me in each.keys for each in own)


def warns(text: str) -> bool:
    """Whether a text protects somebody."""
    return any(protects(sentence) == "protective" for sentence in sentences(text))


def is_beside_warning(cue: str, text: str) -> bool:
    """Whether a text warns of nothing, where a cue asks for what warns and names nothing of what
    the text tells: "isn't allergic to wasps" says nothing of what somebody is allergic to."""
    asked = asked_for(cue)
    if asked is None or not asked.warns or warns(text):
        return False
    told = statements(tuple(sentences(text)), None)
    whom = {name for each in told for one in each.first for name in words(one)}
    shared = {*words(cue)} & {*words(text)} - whom
    return all(is_grammar(word) or asked.pattern.within(word, word) for word in shared)


def may_protect(cue: str, text: str, speaker: str | None) -> bool:
    """Whether a text that seems to tell of a relative protects somebody: in "妈妈的虾吃不了，过敏"
    nobody says who may not eat it, and "Mum" names nobody, so it is told, though it is no sure
    answer."""
    asked = asked_for(cue)
    return (
        asked is not None
        and asked.of_person
        and asked.pattern.within(text, folded(text))
        and (is_of_kin(cue, text, speaker) or _may_be_of_kin(cue, text, speaker))
        and warns(text)
    )


def _may_be_of_kin(cue: str, text: str, speaker: str | None) -> bool:
    """Whether a text tells of relatives only, by no name, and a cue asks of somebody by name: the
    mother of who says it may be called so."""
    whom = asked_of(asking_part(cue))
    persons = {one for each in statements(tuple(sentences(text)), speaker) for one in each.persons}
    return (
        bool(persons and whom - {"self"})
        and not any("/" in one for one in whom)
        and all("/" in one for one in persons)
    )


def _addressed(text: str) -> list[str]:
    return [found[0] for found in expression("asked", "addressed").finditer(text, folded(text))]


def _beside(subject: Set[str], text: str) -> list[str]:
    """The pairs of capitalised words of which one names the subject."""
    pairs = [pair.split() for pair in _PAIR.findall(text)]
    return [
        " ".join(pair)
        for pair in pairs
        if pair[0].lower() not in listed("titles") and not subject.isdisjoint(words(" ".join(pair)))
    ]


def _names_another(subject: Set[str], text: str) -> bool:
    """Whether a text that lacks a part of a name has another in its place: of Tom Reed is asked,
    and Tom Ash named."""
    if len(subject) < 2 or subject <= {*words(text)}:
        return False
    pairs = ({*words(pair)} for pair in _PAIR.findall(text))
    return any(len(pair & subject) == 1 and len(pair) > 1 for pair in pairs)


def _is_about(subject: Set[str], cue: str, text: str, speaker: str | None) -> bool:
    if speaker and (speaker in cue or not subject.isdisjoint(words(speaker))):
        return True
    if any(len({*word}) == 1 and word[0] in text for word in subject):
        return True  # 爸爸 is 爸 as well
    if not subject.isdisjoint(words(text)):
        return not _names_another(subject, text)
    # 我妈 is 妈妈 as well, "my mum" my mother.
    me = (speaker or "").strip().casefold() or "self"
    kin = {key.replace("self/", f"{me}/") for key in asked_of(asking_part(cue)) if "/" in key}
    told = statements(tuple(sentences(text)), speaker) if kin else ()
    return any(not kin.isdisjoint(each.keys) for each in told)
