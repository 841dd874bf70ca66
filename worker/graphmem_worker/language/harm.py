"""Words of harm, by class: illness, medicine, food, danger, defects.

The tables are `harm.toml` in the folder of each language. `health.toml` has the phrases that state
that somebody has an allergy, an intolerance or a lasting illness, or is pregnant, and those that
limit what may be done.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Final

from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.language.tables import tables
from graphmem_worker.text.lexicon import Lexicon
from graphmem_worker.text.patterns import late

_UNREAL: Final = frozenset(("idle", "topic", "deny"))
_GRAVE: Final = tuple(map(frozenset, (["cannot"], ["react"], ["severe"], ["drug", "food"])))
_LEAST: Final = 7  # letters of a medicine that is recognised by its ending
_NAME: Final = late(
    r"(?<=[a-z,;:] )[A-Z][a-z]{2,}"
    r"|^[A-Z][a-z]{2,}(?='s | (?:has|is|was|can|must|takes|needs|gets|and [A-Z]))"
)
_HAN_NAME: Final = late("[小老阿][\u4e00-\u9fff]")


def classes(sentence: str) -> tuple[str, ...]:
    """The classes of which a sentence of bounded length has words; a name counts as a person."""
    lexicon = _lexicon()
    found = lexicon.read(sentence)
    bits = found.classes
    if _NAME.search(sentence) or (found.characters and _HAN_NAME.search(sentence)):
        bits |= lexicon.bits["person"]
    return _names(bits)


def is_clear(found: Collection[str]) -> bool:
    """Whether classes of words together are those of a sentence that protects somebody."""
    return _UNREAL.isdisjoint(found) and any(each <= set(found) for each in _clear())


def forbids(found: Collection[str]) -> bool:
    """Whether classes of words are those of food or drink that somebody may not have."""
    return _UNREAL.isdisjoint(found) and {"cannot", "food"}.issubset(found)


def is_grave(found: Collection[str]) -> bool:
    """Whether classes of words are those of something that somebody may not have or reacts to."""
    return any(each <= set(found) for each in _GRAVE)


def is_protective(sentence: str, found: Collection[str]) -> bool:
    """Whether a sentence of bounded length clearly protects somebody: by the classes of its words,
    which are `found`, because somebody in it has an allergy, whatever it is against, an
    intolerance or a lasting illness, or is pregnant, or because it limits: a refused treatment, a
    load, a rule of conduct, a condition of the law. Figures of speech and illnesses that are
    denied, past or supposed do not count."""
    lower = folded(sentence)
    is_ill, limits = (sayings("health", what).is_in(lower) for what in ("ails", "limits"))
    if not is_ill and not limits and not is_clear(found):
        return False
    parts, at = [], 0  # without the phrases that only seem to state an illness
    for seeming in sayings("health", "ails not").finditer(lower):
        parts.append(sentence[at : seeming.start()])
        at = seeming.end()
    real = " ".join([*parts, sentence[at:]])
    if is_clear(found if real == sentence else classes(real)):
        return True
    is_story = sayings("health", "of a story").is_in(lower)
    return not is_story and (limits or (is_ill and sayings("health", "ails").is_in(folded(real))))


def is_unreal(sentence: str) -> bool:
    """Whether a sentence tells a story, jokes or denies, so that its dangers are not real."""
    return not _UNREAL.isdisjoint(classes(sentence))


def known() -> frozenset[str]:
    """The names of all classes."""
    return frozenset(_lexicon().bits)


@cache
def _clear() -> tuple[frozenset[str], ...]:
    rules = (rule for table in tables("harm").values() for rule in table.get("clear", ()))
    return tuple({frozenset(rule["say"].split()) for rule in rules})


@cache
def _names(bits: int) -> tuple[str, ...]:
    return tuple(name for name, bit in _lexicon().bits.items() if bits & bit)


@cache
def _lexicon() -> Lexicon:
    every = tables("harm").values()
    listed = ",".join(t["endings"]["drug"] for t in every if "endings" in t)
    endings = tuple(listed.replace(",", " ").split())

    def ending(word: str) -> int:
        is_drug = len(word) >= _LEAST and word.endswith(endings)
        return lexicon.bits["drug"] if is_drug else 0

    lexicon = Lexicon([t["terms"] for t in every], ending=ending)
    return lexicon
