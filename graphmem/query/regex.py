"""Regular expressions of SPARQL, matched in linear time by RE2: queries may be untrusted, and
Python's `re` backtracks. XPath's syntax that RE2 does not have is refused by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

from graphmem.errors import QueryError, QueryLimitError, QueryRefusedError

LONGEST_PATTERN: Final = 1_000
"""Characters of a pattern."""
MOST_STEPS: Final = 100_000_000
"""Bytes of a text × instructions of a pattern: a second or two in the worst case."""

_CACHED: Final = 64
_PROGRAM_MEMORY: Final = 2 << 20  # bytes; a pattern that needs more is refused by RE2
_FLAGS: Final = frozenset("ismxq")

_ESCAPE: Final = r"\\(?:[pP]\{[^}]*\}|.)"
_OUTSIDE: Final = re.compile(rf"{_ESCAPE}|\[\^?\]?|\(\?<?[=!]|\s+|[^\\\[(\s]+|.", re.DOTALL)
_INSIDE: Final = re.compile(rf"{_ESCAPE}|\]|-\[|[^\\\[\]-]+|.", re.DOTALL)  # of brackets
_PIECES: Final = re.compile(r"\\.?|\$[0-9]*|[^\\$]+", re.DOTALL)  # of a replacement
_CLASSES: Final = {  # Unicode's, inside of brackets
    "d": r"\p{Nd}",
    "w": r"\p{L}\p{M}\p{N}_",
    "s": r"\t-\r \x{85}\p{Z}",
}
_MISSING: Final = {
    "i": r"the names of XML (\i)", "I": r"the names of XML (\I)",
    "c": r"the names of XML (\c)", "C": r"the names of XML (\C)",
    **{digit: f"a back-reference (\\{digit})" for digit in "123456789"},
}  # fmt: skip


class Pattern:
    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._size = int(compiled.programsize)

    def found_in(self, text: str) -> bool:
        """Whether any part of the text matches. Raises QueryLimitError."""
        return self._compiled.search(self._encoded(text)) is not None

    def replaced(self, text: str, replacement: str, most: int, tick: Callable[[], None]) -> str:
        r"""The text with every match replaced; `$1` in the replacement is a group, `\$` a dollar.

        most: bytes of the result. Raises QueryLimitError, QueryError for a wrong replacement, and
        what `tick` raises.
        """
        encoded = self._encoded(text)
        template = [*_template(replacement, self._compiled.groups)]
        parts: list[bytes] = []
        end = size = 0
        for match in self._compiled.finditer(encoded):
            tick()  # finding each may scan the whole text
            made = [encoded[end : match.start()]]
            made += (p if isinstance(p, bytes) else match.group(p) or b"" for p in template)
            size += sum(map(len, made))
            parts += made
            end = match.end()
            if size > most:
                raise QueryLimitError(f"REPLACE would make a text of more than {most:,} bytes")
        parts.append(encoded[end:])
        return b"".join(parts).decode(errors="replace")

    def _encoded(self, text: str) -> bytes:
        encoded = text.encode(errors="replace")
        if len(encoded) * self._size > MOST_STEPS:
            raise QueryLimitError(
                f"a regular expression of {self._size:,} instructions is too large for a text of "
                f"{len(encoded):,} bytes; together at most {MOST_STEPS:,}"
            )
        return encoded


@lru_cache(maxsize=_CACHED)
def compiled(pattern: str, flags: str = "") -> Pattern:
    """A pattern of XPath, with flags among i, s, m, x and q. Raises QueryRefusedError for syntax
    that RE2 does not have, QueryLimitError for too long or large a pattern, QueryError for an
    invalid one."""
    if unknown := set(flags) - _FLAGS:
        raise QueryError(f"a regular expression has no flag {min(unknown)!r}; i, s, m, x, q are")
    if len(pattern) > LONGEST_PATTERN:
        raise QueryLimitError(
            f"a regular expression has at most {LONGEST_PATTERN:,} characters, not {len(pattern):,}"
        )
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PROGRAM_MEMORY
    options.case_sensitive = "i" not in flags
    options.dot_nl = "s" in flags
    options.literal = "q" in flags
    if "q" not in flags:
        pattern = "".join(_translated(pattern, spaced="x" in flags))
        if "m" in flags:
            pattern = f"(?m:{pattern})"
    try:
        return Pattern(re2.compile(pattern.encode(errors="replace"), options))
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if error.args else "no reason given"
        if "too large" in reason or "repetition size" in reason:
            raise QueryLimitError(f"the regular expression is too large: {reason}") from None
        raise QueryError(f"no regular expression: {reason}") from None


def _translated(pattern: str, spaced: bool) -> Iterator[str]:
    """The pattern in RE2's syntax. spaced: white space outside of brackets is omitted."""
    inside = False
    place = 0
    while found := (_INSIDE if inside else _OUTSIDE).match(pattern, place):
        piece, place = found[0], found.end()
        if piece[0] == "\\" and len(piece) > 1:
            letter = piece[1]
            if letter in _MISSING:
                raise _refused(_MISSING[letter])
            if letter in "pP" and piece[3:5] in ("Is", "^I"):
                raise _refused(f"a block of Unicode ({piece})")
            if (members := _CLASSES.get(letter)) is not None:
                yield members if inside else f"[{members}]"
            elif (members := _CLASSES.get(letter.lower())) is not None:
                if inside and letter != "D":
                    raise _refused(f"{piece} within brackets")
                yield r"\P{Nd}" if inside else f"[^{members}]"
            else:
                yield piece
        elif inside:
            if piece == "-[":
                raise _refused("subtraction of classes ([…-[…]])")
            inside = piece != "]"
            yield r"\[" if piece == "[" else piece
        elif piece[0] == "[":
            inside = True
            yield piece
        elif piece.startswith("(?"):
            raise _refused(f"looking ahead or back ({piece})")
        elif not (spaced and piece.isspace()):
            yield piece


def _refused(what: str) -> QueryRefusedError:
    return QueryRefusedError(
        f"regular expressions here run in linear time and do not have {what}; write it otherwise"
    )


def _template(replacement: str, groups: int) -> Iterator[bytes | int]:
    r"""The parts of a replacement: text, and numbers of groups. `$12` is group 1 and a "2" where
    there are fewer than twelve."""
    plain = ""
    for piece in _PIECES.finditer(replacement):
        sign, digits = piece[0][0], piece[0][1:]
        if sign == "\\":
            if digits not in ("\\", "$"):
                raise QueryError("in a replacement a backslash stands before a $ or a backslash")
            plain += digits
        elif sign == "$":
            if not digits:
                raise QueryError(r"in a replacement a $ stands before a digit; a dollar is \$")
            end = 1
            while end < len(digits) and int(digits[: end + 1]) <= groups:
                end += 1
            yield plain.encode(errors="replace")
            plain = digits[end:]
            if (group := int(digits[:end])) <= groups:
                yield group
        else:
            plain += piece[0]
    yield plain.encode(errors="replace")
