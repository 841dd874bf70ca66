"""Attributes: which attribute a cue asks for, and whether a text may state it.

A near miss holds the words of the cue, often more of them than the answer does, but not the
attribute: no colour where the colour is asked for, no digits where the phone number is. The tables
`asked` have expressions for cues that ask for an attribute, and for texts that may state it.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache
from typing import Final, NamedTuple

from graphmem.recalling.synonyms import in_other_words
from graphmem_worker.claims.statements import asked_of, is_grammar, key_of, statements
from graphmem_worker.claims.vocabulary import lexicon_of
from graphmem_worker.language.expressions import Expression, captured, expression
from graphmem_worker.language.lists import listed
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import protects
from graphmem_worker.text.sentences import clauses, sentences
from graphmem_worker.text.words import script, words


class Attribute(NamedTuple):
    """An attribute that a cue may ask for, by its name in the tables `asked`."""

    name: str
    of_subject: bool = True
    """Only a text that names the cue's subject, or has it as speaker, may state it."""
    or_named: bool = False
    """A name that is not in the cue may be its value too."""
    warns: bool = False
    """Whoever asks for it wants to be warned."""
    or_called: bool = False
    """Of a relative it may be told under the name alone."""
    of_person: bool = False
    """Only a person or an animal has it, so a text about a relative does not state it."""

    def is_asked_in(self, cue: str) -> bool:
        """Whether a cue asks for it."""
        return sayings("asked", self.name).is_in(folded(cue))

    @property
    def pattern(self) -> Expression:
        """An expression that every text that may state it matches."""
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
    Attribute("home", or_called=True),
    Attribute("job", or_called=True),
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

# Inside a sentence, or as a whole sentence: elsewhere any word may be capitalised.
_NAME: Final = late(r"(?<=[\w,] )[A-Z][a-z]{2,}|(?:^|[.!?] )[A-Z][a-z]{2,}(?=[.!,])")
_ALIKE: Final = 4  # first letters by which two words may be forms of one
_PAIR: Final = late(r"(?=\b([A-Z]\w+ [A-Z]\w+))")


@lru_cache(1 << 8)
def asked_for(cue: str) -> Attribute | None:
    """The first attribute that a cue asks for of a subject that it names, or None. What it only
    describes ("the aunt with the boat") may be told in another memory than its attribute."""
    if sayings("asked", "described").is_in(folded(cue)):
        return None
    return next((each for each in _ATTRIBUTES if each.is_asked_in(cue)), None)


@lru_cache(1 << 8)
def asking_part(cue: str) -> str:
    """The clause of a cue that asks for its attribute: a turn may also greet, tell a story or name
    who is spoken to. The cue itself if it asks for none."""
    attribute = asked_for(cue)
    if attribute is None:
        return cue
    whole = cue.encode("utf-8", "replace").decode()  # half a pair of UTF-16 is no character
    asking = next(filter(attribute.is_asked_in, sentences(whole)), cue)
    return next(filter(attribute.is_asked_in, reversed(clauses(asking))), asking)


@lru_cache(1 << 8)
def subject_of(cue: str) -> frozenset[str]:
    """The index words of the subject that a cue's asking part names: in English its names, in
    German its nouns except the attribute, in Chinese what stands before the first particle; empty
    if it names nothing or asks who it is."""
    cue = asking_part(cue)
    if sayings("asked", "who").is_in(folded(cue)):
        return frozenset()
    if script(cue) == "cjk":
        named = cue.lstrip("".join(listed("before_subject")))
        behind = sayings("asked", "behind subject").search(folded(named))
        return frozenset(words(named[: behind.start()] if behind else named))
    found = re.findall(r"[\w'’]+", cue)
    names = [word.removesuffix("'s").removesuffix("’s") for word in found if word[0].isupper()]
    attribute = asked_for(cue)
    kept = [
        name
        for name in names
        if len(name) > 1
        and name.lower() not in listed("question_words") | listed("titles") | listed("capitalised")
        # "Welche Farbe hat der Schal?": the German noun for the attribute is no name.
        and (attribute is None or attribute.is_asked_in(cue.replace(name, "X")))
        and not (attribute is not None and attribute.warns and _may_state(attribute, name))
    ]
    return frozenset(words(" ".join(kept)))


def _may_state(attribute: Attribute, text: str) -> bool:
    return attribute.pattern.within(text, folded(text))


def may_be_no_name(cue: str) -> bool:
    """Whether the subject of a cue may be no name: in Chinese it may be words that no memory has,
    and whoever asks about themselves may name the one they speak to."""
    part = asking_part(cue)
    return script(cue) == "cjk" or any(key.partition("/")[0] == "self" for key in asked_of(part))


def may_answer(
    attribute: Attribute, cue: str, text: str, speaker: str | None, *, is_about: bool
) -> bool:
    """Whether a text may state an attribute that a cue asks for. is_about: it is known to be about
    the subject, though it may name it in another script."""
    subject = subject_of(cue) if attribute.of_subject else frozenset()
    if attribute.or_called and any("/" in key for key in asked_of(asking_part(cue))):
        subject = frozenset()
    if attribute.name == "name":
        thing, owner = _thing(asking_part(cue))
        if thing and not _has_thing(thing, cue, text):
            return False
        subject = owner or subject
    if subject and not is_about and not _is_about(subject, cue, text, speaker):
        return False
    if _may_state(attribute, text):
        return True
    low = cue.casefold()
    if attribute.name == "full name":
        addressed = expression("asked", "addressed").finditer(text, folded(text))
        named = (*(found[0] for found in addressed), *_name_pairs(subject, text))
        return any(name.casefold() not in low for name in named)
    if not attribute.or_named:
        return False
    names = (name.strip(" .!?").casefold() for name in _NAME.findall(text))
    return any(name not in listed("capitalised") and name not in low for name in names)


@lru_cache(1 << 8)
def _thing(part: str) -> tuple[str, frozenset[str]]:
    """What an asking part asks the name of, "Katze" in "Adas Katze", and the index words of whom it
    calls the owner by name; "" and none where that is not known."""
    found = expression("asked", "thing").search(part)
    thing, owner = captured(found, "thing", "owner") if found else ("", "")
    is_of_kin = any("/" in key for key in asked_of(owner))
    return thing, frozenset(() if is_of_kin else words(owner))


def _has_thing(thing: str, cue: str, text: str) -> bool:
    """Whether a text may name a thing, in its word or another one; or whoever has an office, if it
    names somebody by a title."""
    low, forms = folded(text), in_other_words(thing)
    if not forms.isdisjoint(words(text)) or any(form[:_ALIKE] in low for form in forms):
        return True
    is_of_kin = any("/" in key for key in asked_of(thing))
    addressed = expression("asked", "addressed").finditer(text, low)
    return not is_of_kin and any(each[0] not in cue for each in addressed)


@lru_cache(1 << 12)
def is_of_kin(cue: str, text: str, speaker: str | None) -> bool:
    """Whether a cue asks about the speaker of a text that is only about a relative of the speaker:
    what Tom said of his grandmother is not about Tom. A text that names Tom, or reports what
    somebody said, may be about him."""
    me = key_of(speaker, lexicon_of(text))
    names, whom, low = (me, *words(me)), asked_of(asking_part(cue)), folded(text)
    is_asked = any(key.startswith(names) for key in whom)
    if (
        not (is_asked or (script(me) == "cjk" and len(me) > 1 and me in cue))
        or any("/" in key for key in whom)
        or any(name in low for name in names)
        or sayings("asked", "of a family").is_in(folded(cue))
        or sayings("asked", "reported").is_in(low)
    ):
        return False
    stated = statements(tuple(sentences(text)), speaker)
    others = {key for each in stated for key in (each.persons - {me}) | each.possessions}
    if not is_asked and any(key in cue for key in others):
        return False  # the cue asks about these
    own = [each for each in stated if not (each.possessions or each.is_inherited)]
    return bool(others) and not any(me in each.keys for each in own)


def warns(text: str) -> bool:
    """Whether a sentence of a text warns of something to protect somebody."""
    return any(protects(sentence) == "protective" for sentence in sentences(text))


def is_beside_warning(cue: str, text: str) -> bool:
    """Whether a cue asks for a warning, and a text gives none and shares no other words with the
    cue: "isn't allergic to wasps" does not say what somebody is allergic to."""
    attribute = asked_for(cue)
    if attribute is None or not attribute.warns or warns(text):
        return False
    stated = statements(tuple(sentences(text)), None)
    whom = {name for each in stated for key in each.subjects for name in words(key)}
    shared = {*words(cue)} & {*words(text)} - whom
    return all(is_grammar(word) or attribute.pattern.within(word, word) for word in shared)


def may_protect(cue: str, text: str, speaker: str | None) -> bool:
    """Whether a text that seems to be about a relative may warn for the one asked about: "妈妈的虾
    吃不了，过敏" does not say who may not eat it, and "Mum" is no name. Such a text is a hit, but
    no sure answer."""
    attribute = asked_for(cue)
    return (
        attribute is not None
        and attribute.warns
        and _may_state(attribute, text)
        and (is_of_kin(cue, text, speaker) or _may_be_of_kin(cue, text, speaker))
        and warns(text)
    )


def _may_be_of_kin(cue: str, text: str, speaker: str | None) -> bool:
    """Whether a text is about unnamed relatives only, and a cue asks about somebody by name, which
    may be the name of one of them."""
    whom = asked_of(asking_part(cue))
    persons = {key for each in statements(tuple(sentences(text)), speaker) for key in each.persons}
    return (
        bool(persons and whom - {"self"})
        and not any("/" in key for key in whom)
        and all("/" in key for key in persons)
    )


def _name_pairs(subject: Set[str], text: str) -> list[str]:
    """The pairs of capitalised words in a text of which one names the subject."""
    pairs = [pair.split() for pair in _PAIR.findall(text)]
    return [
        " ".join(pair)
        for pair in pairs
        if pair[0].lower() not in listed("titles") and not subject.isdisjoint(words(" ".join(pair)))
    ]


def _names_another(subject: Set[str], text: str) -> bool:
    """Whether a text has one part of the subject's name with another part than the subject: Tom Ash
    where Tom Reed is asked about."""
    if len(subject) < 2 or subject <= {*words(text)}:
        return False
    pairs = ({*words(pair)} for pair in _PAIR.findall(text))
    return any(len(pair & subject) == 1 and len(pair) > 1 for pair in pairs)


def _is_about(subject: Set[str], cue: str, text: str, speaker: str | None) -> bool:
    if speaker and (speaker in cue or not subject.isdisjoint(words(speaker))):
        return True
    if any(len({*word}) == 1 and word[0] in text for word in subject):
        return True  # 爸 is short for 爸爸
    if not subject.isdisjoint(words(text)):
        return not _names_another(subject, text)
    # 我妈 means 妈妈, and "my mum" my mother.
    me = key_of(speaker, lexicon_of(text))
    part = asking_part(cue)
    # Whom "What do I wear when Leon marries?" names beside who asks only says when.
    is_of_asker = sayings("asked", "of asker").is_in(folded(part))
    whom = {key for key in asked_of(part) if "/" in key or (key == "self" and is_of_asker)}
    whom = {key.replace("self", me, 1) if key.startswith("self") else key for key in whom}
    stated = statements(tuple(sentences(text)), speaker) if whom else ()
    return any(not whom.isdisjoint(each.keys) for each in stated)
