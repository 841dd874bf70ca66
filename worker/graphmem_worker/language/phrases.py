"""Phrases of a table, compiled to expressions that take linear time.

A phrase is text in lower case with

    (a|b)       one of them
    [a|b]       one of them or nothing
    <slot>      a word of a slot, kept under its name; <slot:role> under another
    <same>      a Chinese character, the same one at each place
    {shape}     a phrase that the table names in [shapes], in brackets; so ={shape} and ~{shape}
    ~(a|b)      none of them follows here; at the beginning of a phrase: precedes it
    =(a|b)      one of them follows here; at the beginning: precedes it
    \\           the next character as it is

Only digits and the words of a number repeat, so the time is linear. The words that a text with the
phrase must contain are its gates, which are searched for first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Final

Gate = frozenset[str]
"""Strings of which a text with plain spaces must contain one; an empty gate opens for all texts."""

_SPACE: Final = r"\s"
_TOKENS: Final = re.compile(
    r"<(\w+)(?::(\w+))?>|([~=]?)\{(\w+)\}|([~=]?\()|([\[\]()|])|\\?(.)", re.DOTALL
)
LETTER: Final = "[0-9a-zß-öø-ÿ]"
"""A character of the words of a language with spaces, in lower case."""
_ROLES: Final = {"yyyy": "year", "mm": "month", "m2": "month", "dd": "day", "d2": "day"}
YEARS: Final = frozenset({"19", "20"})
"""The first two figures of a year."""
SAME: Final = "same"
"""The slot of a character that occurs in a phrase more than once."""
_SAME: Final = {"'": "['’]", "-": "[-‐–]"}


class PhraseError(ValueError):
    """Raised when a phrase of a table has a syntax error."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The words that a slot matches."""

    pattern: str
    words: Gate
    """Its gate."""
    is_kept: bool = True
    """Whether it is captured in a group even if the phrase gives it no role."""


@dataclass(slots=True)
class _Part:
    pattern: str = ""
    gates: list[Gate] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    """Its alternatives, if it is a choice."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A compiled phrase."""

    pattern: str
    gates: tuple[Gate, ...]
    """A text must contain a string of each; the first one is the rarest."""
    is_spaced: bool
    """Whether its language has spaces between words, so that it matches whole words."""


class _Parser:
    def __init__(
        self, text: str, slots: Callable[[str], Slot], shapes: Mapping[str, str], spaced: bool
    ) -> None:
        self.of_slots: set[Gate] = set()
        self._slots, self._spaced = slots, spaced
        self._tokens = [*_expanded(text, shapes)]
        self._at = 0
        self._has_begun = self._is_looking = self._has_same = False

    def whole(self) -> _Part:
        found = self._choice()
        if self._at < len(self._tokens):
            raise PhraseError("a bracket is closed that was not opened")
        return found

    def _choice(self) -> _Part:
        parts = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            parts.append(self._sequence())
        if len(parts) == 1:
            return parts[0]
        choices = [part.pattern for part in parts]
        first = [max(part.gates, key=_length, default=frozenset()) for part in parts]
        gates = [frozenset().union(*first)] if all(first) else []
        return _Part("|".join(choices), gates, choices)

    def _peek(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _sequence(self) -> _Part:
        patterns: list[str] = []
        gates: list[Gate] = []
        literal = ""
        while (token := self._peek()) is not None and token not in ("|", ")", "]"):
            self._at += 1
            if token[0] == "\0":  # a literal
                literal += token[1]
                patterns.append(_SPACE if token[1] == " " else
                                _SAME.get(token[1], re.escape(token[1])))  # fmt: skip
                self._has_begun = True
                continue
            if literal:
                gates.append(frozenset({literal}))
            literal = ""
            if token[0] == "<":
                self._has_begun = True
                name, _, role = token[1:-1].partition(":")
                if name == SAME:
                    patterns.append(self._repeated())
                    continue
                slot = self._slots(name)
                kept = "" if self._is_looking or not (slot.is_kept or role) else name
                role = role or _ROLES.get(name, name)
                patterns.append(f"(?{f'P<{kept}_{role}>' if kept else ':'}{slot.pattern})")
                gates.append(slot.words)
                self.of_slots.add(slot.words)
            elif token[0] in "~=":
                looked = self._look(token[0])
                patterns.append(looked.pattern)
                gates += looked.gates
            elif token in "([":
                inner = self._choice()
                if self._peek() != (")" if token == "(" else "]"):
                    raise PhraseError("a bracket is not closed")
                self._at += 1
                patterns.append(f"(?:{inner.pattern})" + ("?" if token == "[" else ""))
                if token == "(":
                    gates += inner.gates
            else:
                raise PhraseError(f"{token} stands where nothing is open")
        if literal:
            gates.append(frozenset({literal}))
        return _Part("".join(patterns), [gate for gate in gates if gate])

    def _repeated(self) -> str:
        """A group for a Chinese character at first, later a reference to it."""
        is_first, self._has_same = not self._has_same, True
        return f"(?P<{SAME}>[\u4e00-\u9fff])" if is_first else f"(?P={SAME})"

    def _look(self, sign: str) -> _Part:
        is_behind, begun, self._is_looking = not self._has_begun, self._has_begun, True
        inner = self._choice()
        self._has_begun, self._is_looking = begun, False
        if self._peek() != ")":
            raise PhraseError("a bracket is not closed")
        self._at += 1
        kind = {"~": "!", "=": "="}[sign]
        gates = inner.gates if sign == "=" else []
        if not is_behind:
            return _Part(f"(?{kind}{inner.pattern})", gates)
        parts = [
            rf"(?<{kind}\b{choice})"
            if self._spaced and choice[:1].isalpha()
            else f"(?<{kind}{choice})"
            for choice in inner.choices or [inner.pattern]
        ]
        return _Part("".join(parts) if sign == "~" else f"(?:{'|'.join(parts)})", gates)


def _expanded(text: str, shapes: Mapping[str, str], depth: int = 0) -> list[str]:
    """The tokens of a phrase: a bracket, a slot, or "\\0" and a character."""
    if depth > 5:
        raise PhraseError("a shape holds itself")
    found: list[str] = []
    for match in _TOKENS.finditer(text):
        slot, role, sign, shape, opening, bracket, plain = match.groups()
        if slot:
            found.append(f"<{slot}:{role}>" if role else f"<{slot}>")
        elif shape:
            if shape not in shapes:
                raise PhraseError(f"there is no shape {{{shape}}}")
            found += [sign or "(", *_expanded(shapes[shape], shapes, depth + 1), ")"]
        elif opening or bracket:
            found.append(opening[0] if opening in ("~(", "=(") else opening or bracket)
        else:
            found.append("\0" + plain)
    return found


def _length(gate: Gate) -> int:
    """The length of the shortest string; a string with Han counts three for each character."""
    return min(len(word) if word.isascii() else 3 * len(word) for word in gate)


def compiled(
    text: str,
    slots: Callable[[str], Slot],
    shapes: Mapping[str, str],
    spaced: bool,
    common: Container[str] = (),
) -> Phrase:
    """A phrase, compiled for text in lower case. spaced: its language has spaces between words.

    common: words so frequent that they make poor gates. Raises PhraseError for a syntax error,
    KeyError for an unknown slot.
    """
    parser = _Parser(text, slots, shapes, spaced)
    found = parser.whole()

    def rarity(gate: Gate) -> tuple[bool, bool, int, int]:
        is_short = _length(gate) < 3 and not gate <= YEARS
        is_rare = not is_short and not any(word.strip() in common for word in gate)
        return is_rare, gate in parser.of_slots, min(_length(gate), 5), -len(gate)

    gates = [
        frozenset(max(word.split("'"), key=len) if "'" in word else word for word in gate)
        for gate in sorted(dict.fromkeys(found.gates), key=rarity, reverse=True)
    ]
    pattern = found.pattern
    if spaced:  # a Han character beside a word is not part of it
        pattern = rf"(?<!{LETTER})(?:{pattern})(?!{LETTER})"
    return Phrase(pattern, tuple(gate for gate in gates if all(gate)), spaced)


def spelled(word: str) -> list[str]:
    """The words of an entry of a vocabulary: "letzt(e|en)" is two; "_" is a space."""
    if "(" not in word:
        return [word.replace("_", " ")]
    pieces = re.split(r"\(([^()]*)\)", word)
    choices = [piece.split("|") if n % 2 else [piece] for n, piece in enumerate(pieces)]
    return ["".join(parts).replace("_", " ") for parts in product(*choices)]
