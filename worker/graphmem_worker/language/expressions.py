"""Regular expressions of the tables, for what phrases cannot express, such as capitals of names.

An `[[expression]]` of a table has a meaning and its alternatives, one on each line; an indented
line continues the one before. `{part}` is a part of `[parts]`, `{list:name}` a list. A reader gets
the expressions of all languages as one. It is case-sensitive only if it is `exact`, and searched
for only in texts with one of the strings that it `needs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any, Final

from graphmem_worker.language.lists import ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import languages, simplified, tables
from graphmem_worker.text.gates import Gate
from graphmem_worker.text.patterns import late, lower

_GOES_ON: Final = re.compile(r"\n[ ]+")
_PART: Final = re.compile(r"\{(\w+:)?([a-z]\w*)\}")
_NOTHING: Final = late("(?!)")
_ROLE: Final = re.compile(r"(?<=\(\?P<)[a-z]+(?=>)")


def written(rule: Mapping[str, Any], parts: Mapping[str, str]) -> str:
    """The alternatives of a rule as one expression. Raises KeyError for an unknown part or list."""

    def joined(rows: str) -> str:
        return _PART.sub(part, "|".join(_GOES_ON.sub("", rows.strip()).splitlines()))

    def part(found: re.Match[str]) -> str:
        inner = either(ordered(found[2])) if found[1] else joined(parts[found[2]])
        return f"(?:{inner})"

    return joined(rule["find"])


def numbered(pattern: str) -> str:
    """An expression whose named groups are numbered, since several may have one role as a name."""
    number = count()
    return _ROLE.sub(lambda role: f"{role[0]}_{next(number)}", pattern)


class Expression:
    """The rules of all languages with one meaning as one expression. In ASCII text, those of
    languages without spaces are not searched for."""

    def __init__(self, rules: Sequence[tuple[Mapping[str, Any], str, bool]]) -> None:
        """rules: each with its expression and whether its language has spaces between words."""
        flags = 0 if any(rule.get("exact") for rule, _, _ in rules) else re.IGNORECASE
        every = numbered("|".join(one for _, one, _ in rules))
        latin = numbered("|".join(one for _, one, is_spaced in rules if is_spaced))
        self.source: Final = f"(?i:{every})" if flags else every
        """The expression, to be a part of another one."""
        self._every = late(every, flags)
        self._latin = late(latin, flags) if latin else _NOTHING
        self._folds = bool(flags)
        self._lower = (lower(every), lower(latin) if latin else _NOTHING)
        self._gate = _gate(rule for rule, _, _ in rules)
        self._latin_gate = _gate(rule for rule, _, is_spaced in rules if is_spaced)

    def opens(self, folded: str) -> bool:
        """Whether a text in lower case has one of the strings that the expression needs."""
        return (self._latin_gate if folded.isascii() else self._gate).opens(folded)

    def finditer(self, text: str, folded: str) -> Iterable[re.Match[str]]:
        """The matches in a text as it is read. folded: the text in lower case."""
        text = simplified(text)
        return self._for(text).finditer(text) if self.opens(folded) else ()

    def within(self, text: str, folded: str) -> bool:
        """Whether there is a match in a text. folded: the text in lower case."""
        if not self.opens(folded):
            return False
        if not self._folds:
            return self._for(text).search(simplified(text)) is not None
        return self._lower[folded.isascii()].search(folded) is not None

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in a text, without a look at the strings that it needs."""
        return self._for(text).search(simplified(text))

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The match at a place of a text."""
        return self._for(text).match(simplified(text), start)

    def cut(self, text: str) -> str:
        """A text without its matches."""
        return self._for(text).sub("", text)

    def _for(self, text: str) -> re.Pattern[str]:
        return self._latin if text.isascii() else self._every


def _gate(rules: Iterable[Mapping[str, Any]]) -> Gate:
    """The gate of some rules; always open if one of these needs no string."""
    needs = [rule.get("needs", "").split() for rule in rules]
    return Gate(word.replace("_", " ") for words in needs for word in words if all(needs))


@cache
def _rules(kind: str) -> Mapping[str, list[tuple[Mapping[str, Any], str, bool]]]:
    """Meaning → its rules, as an `Expression` takes them."""
    found: dict[str, list[tuple[Mapping[str, Any], str, bool]]] = {}
    is_spaced = {tongue.code: tongue.is_spaced for tongue in languages()}
    for code, table in tables(kind).items():
        for rule in table.get("expression", ()):
            read = written(rule, table.get("parts", {}))
            found.setdefault(rule["means"], []).append((rule, read, is_spaced[code]))
    return found


@cache
def expression(kind: str, means: str) -> Expression:
    """The expression of all languages with a meaning. Raises KeyError if no language has it."""
    return Expression(_rules(kind)[means])


def expressions(kind: str, begin: str) -> Iterator[tuple[str, Expression]]:
    """The meanings of a kind of table that begin with a string, in their order, each with its
    expression."""
    return ((means, expression(kind, means)) for means in _rules(kind) if means.startswith(begin))


def captured(found: re.Match[str], *roles: str) -> Iterator[str]:
    """The text of the groups of each role in a match; "" for a role without one."""
    by_role = {name.partition("_")[0]: text for name, text in found.groupdict().items() if text}
    return (by_role.get(role, "") for role in roles)
