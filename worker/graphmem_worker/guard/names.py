"""Names of secrets: the kind of the value of a field, a setting or an assignment, by its name.

One table (`lists.toml`) for settings and code (`DB_PASSWORD`, `apiKey`), fields of structured data
and labels in lists and tables. Camel case, underscores, hyphens and dots split a name into words.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final, NamedTuple

from graphmem_worker.guard.spelling import respelled
from graphmem_worker.language.lists import classed, groups, listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import folded
from graphmem_worker.text.gates import Gate
from graphmem_worker.text.patterns import late

PASSWORD: Final = "password"
CODE: Final = "code"
TOKEN: Final = "token"


class Found(NamedTuple):
    """A secret in a text: its kind and its span."""

    kind: str
    start: int
    end: int


_WORDS: Final = late(
    r"[A-ZÀ-ÖØ-Þ]+(?![a-zß-öø-ÿ])|[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+|\d+[a-z]*|[\u4e00-\u9fff]+"
)
_PARENTHESIS: Final = late(r"\s*[(（][^()（）]{0,40}[)）]\s*$")
_HAN: Final = late("[\u4e00-\u9fff]")
_OF: Final = late(lambda: f" (?:{either(ordered('secret_of'))}) ")
_HAN_NAME: Final = late(
    lambda: (
        f"({either(classed('secret_names_han'))})"
        f"(?:{either(filter(_HAN.match, ordered('secret_variants')))})?$"
    )
)


def any_of(name: str) -> str:
    """An expression for any term of a list."""
    return either(ordered(name))


def is_qualified(word: str, by: str) -> bool:
    """Whether a word in lower case such as "key" names a secret if the word `by` is before it."""
    return by in groups("secret_qualifiers").get(word, ())


def has_purpose(name: str) -> bool:
    """Whether the name of a token states its purpose (`client_secret`, `accessToken`), unlike that
    of a token of a text or a page."""
    spelled = name_words(name)
    return len(spelled) > 1 and is_qualified("key", spelled[-2])


def _is_compound(word: str) -> bool:
    """Whether a word in lower case is a compound of a code and its purpose: "doorcode"."""
    return any(
        word.endswith(end) and word.removesuffix(end).endswith(by)
        for end, by in groups("secret_compounds").items()
    )


def terms_pattern(name: str) -> str:
    """An expression for any term of a list; terms in Latin letters match whole words only."""
    latin = either(filter(str.isascii, ordered(name)))
    han = either(term for term in ordered(name) if not term.isascii())
    return "|".join(filter(None, (rf"\b(?:{latin})\b" if latin else "", han)))


@cache
def _gate() -> Gate:
    """Every text that may name a secret passes this gate."""
    found = (*groups("secret_keywords").values(), groups("secret_compounds"))
    terms = (term for group in found for term in group)
    return Gate((*ordered("secret_names"), *terms, *ordered("secret_signs")))


def has_secret_name(low: str) -> bool:
    """Whether a text in lower case may name a secret."""
    return _gate().opens(low)


@lru_cache(4096)
def kind_of(name: str) -> str:
    """The kind of secret that `name` stands for: "password", "code", "token", or "" for none."""
    name = _PARENTHESIS.sub("", name.strip()).strip(" :：\"'`*")
    if len(name) > 80:
        return ""
    if han := _HAN_NAME.search(folded(name).replace(" ", "")):
        return classed("secret_names_han")[han[1]]
    spelled = [respelled(part) for word in name_words(name) for part in _parted(word)]
    if not listed("secret_harmless").isdisjoint(spelled):
        return ""
    spelled = _OF.split(" ".join(spelled))[0].split()
    while len(spelled) > 1 and (
        spelled[-1] in listed("secret_variants") or spelled[-1].isdigit() or is_neutral(spelled[-1])
    ):
        spelled.pop()
    if not spelled or " ".join(spelled[-2:]) in listed("secret_locks"):
        return ""
    for count in (1, 2, 3):
        if (kind := classed("secret_ends").get(" ".join(spelled[-count:]))) is not None:
            return kind
    if spelled[-1] in listed("secret_names"):
        return PASSWORD
    purposes = groups("secret_compounds").get(spelled[-1], ())
    if _is_compound(spelled[-1]) or (len(spelled) > 1 and spelled[-2] in purposes):
        return CODE  # "doorcode", "door_code"
    last = spelled[-1].removesuffix("s")
    is_key = len(spelled) > 1 and is_qualified(last, spelled[-2])
    return "" if not is_key else CODE if last == CODE else TOKEN


def _parted(word: str) -> tuple[str, ...]:
    """A word in lower case, split before the name of a secret at its end: `pgpassword`."""
    end = next((end for end in ordered("secret_glued") if word.endswith(end)), "")
    return tuple(filter(None, (word.removesuffix(end), end)))


def name_words(name: str) -> list[str]:
    """The words of a name in lower case: `dbPassword`, `DB_PASSWORD` are "db", "password"."""
    return [word.lower() for word in _WORDS.findall(name)]


def is_neutral(key: str) -> bool:
    """Whether the name of a field does not describe its value: `value`, `内容`."""
    return key.lower() in listed("secret_neutral")


def inner_name(outer: str, key: str) -> str:
    """The name of the field `key` in a map with the name `outer`.

    It is `outer` for a neutral key and for a key in a map of several secrets such as `passwords`.
    """
    if is_neutral(key):
        return outer
    is_plural = outer.lower().endswith("s") or _HAN.match(outer[-1:]) is not None
    if is_plural and not kind_of(key) and kind_of(outer):
        return outer
    return key


_CUT: Final = late(r"[\n.,;:!?，。；：！？|\"“”「」]")


def kind_at(text: str, end: int) -> str:
    """The kind of secret that the words before `end` stand for, or ""."""
    phrase = _phrase_before(text, end)
    return kind_of(phrase) or kind_of(_OF.split(phrase)[-1])  # "you asked for my password"


def is_code_at(text: str, end: int) -> bool:
    """Whether the words before `end` name a code of any purpose: "booking code"."""
    phrase = _phrase_before(text, end)
    if kind_at(text, end) in (CODE, ""):
        spelled = name_words(_OF.split(phrase)[0])
        return bool(spelled) and spelled[-1].endswith(ordered("secret_codes"))
    return False


def _phrase_before(text: str, end: int) -> str:
    tail = _CUT.split(text[max(0, end - 48) : end])[-1]
    return tail[-16:] if _HAN.search(tail) else tail.strip("*_~` ")
