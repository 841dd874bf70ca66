"""Expressions of the tables: what phrases cannot say, such as where a name begins with a capital.

A table of a language has `[[expression]]` with what it means, and its alternatives a line each; a
line that is indented goes on with the one before. `{part}` is a part of `[parts]`, and
`{list:name}` a list. A reader asks for the expression of all languages. Capitals tell something
only if it is `exact`; it stands only in texts with one of the strings that it `needs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any, Final

from graphmem_worker.language.lists import ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import languages, tables
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
    """An expression in which several groups say something in one role, each with its own name."""
    number = count()
    return _ROLE.sub(lambda role: f"{role[0]}_{next(number)}", pattern)


class Expression:
    """What the tables of all languages say for one thing. In plain text, what languages without
    spaces say is not looked for."""

    def __init__(self, rules: Sequence[tuple[Mapping[str, Any], str, bool]]) -> None:
        """rules: each with its expression, and whether it is one of a language with spaces."""
        flags = 0 if any(rule.get("exact") for rule, _, _ in rules) else re.IGNORECASE
        every = numbered("|".join(one for _, one, _ in rules))
        latin = numbered("|".join(one for _, one, is_spaced in rules if is_spaced))
        self.source: Final = f"(?i:{every})" if flags else every
        """The expression as a part of another one."""
        self._every = late(every, flags)
        self._latin = late(latin, flags) if latin else _NOTHING
        self._folds = bool(flags)
        self._lower = (lower(every), lower(latin) if latin else _NOTHING)
        self._gate = _gate(rule for rule, _, _ in rules)
        self._latin_gate = _gate(rule for rule, _, is_spaced in rules if is_spaced)

    def opens(self, folded: str) -> bool:
        """Whether a text in lower case may hold what the expression finds."""
        return (self._latin_gate if folded.isascii() else self._gate).opens(folded)

    def finditer(self, said: str, folded: str) -> Iterable[re.Match[str]]:
        """Where the expression stands in a text. folded: the text in lower case."""
        return self._for(said).finditer(said) if self.opens(folded) else ()

    def within(self, said: str, folded: str) -> bool:
        """Whether the expression stands in a text. folded: the text in lower case."""
        if not self.opens(folded):
            return False
        if not self._folds:
            return self._for(said).search(said) is not None
        return self._lower[folded.isascii()].search(folded) is not None

    def search(self, said: str) -> re.Match[str] | None:
        """The first place in a text where it stands, whether or not a stem of it is there."""
        return self._for(said).search(said)

    def match(self, said: str, start: int = 0) -> re.Match[str] | None:
        """What stands at a place of a text."""
        return self._for(said).match(said, start)

    def cut(self, said: str) -> str:
        """A text without it."""
        return self._for(said).sub("", said)

    def _for(self, said: str) -> re.Pattern[str]:
        return self._latin if said.isascii() else self._every


def _gate(rules: Iterable[Mapping[str, Any]]) -> Gate:
    """The gate of texts with one of some rules; open if one of these needs nothing."""
    needs = [rule.get("needs", "").split() for rule in rules]
    return Gate(word.replace("_", " ") for words in needs for word in words if all(needs))


@cache
def _rules(kind: str) -> Mapping[str, list[tuple[Mapping[str, Any], str, bool]]]:
    """What something means → its rules, as an `Expression` takes them."""
    found: dict[str, list[tuple[Mapping[str, Any], str, bool]]] = {}
    is_spaced = {tongue.code: tongue.is_spaced for tongue in languages()}
    for code, table in tables(kind).items():
        for rule in table.get("expression", ()):
            read = written(rule, table.get("parts", {}))
            found.setdefault(rule["means"], []).append((rule, read, is_spaced[code]))
    return found


@cache
def expression(kind: str, means: str) -> Expression:
    """The expression of all languages that means something. Raises KeyError if none has it."""
    return Expression(_rules(kind)[means])


def expressions(kind: str, begin: str) -> Iterator[tuple[str, Expression]]:
    """What the expressions of a table mean whose names begin so, in their order, and these."""
    return ((m, expression(kind, m)) for m in _rules(kind) if m.startswith(begin))


def captured(found: re.Match[str], *roles: str) -> Iterator[str]:
    """What stands in each of some roles; "" where none does."""
    held = {name.partition("_")[0]: text for name, text in found.groupdict().items() if text}
    return (held.get(role, "") for role in roles)
