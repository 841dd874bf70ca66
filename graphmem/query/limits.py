"""Limits: the time and memory of one query, and the evaluation of expressions within them.

rdflib evaluates an expression by a function on its node of the parsed query. Each is replaced by
one that checks the deadline and the length of the result; functions whose single step may take
without end, or make an endless text, are implemented here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, Final, TypeVar, cast

from rdflib.namespace import XSD
from rdflib.plugins.sparql.operators import Function, default_cast, string
from rdflib.plugins.sparql.parserutils import Expr
from rdflib.plugins.sparql.sparql import SPARQLError
from rdflib.term import Literal as RdflibLiteral

from graphmem.errors import QueryLimitError, QueryTimeoutError
from graphmem.query import regex

LONGEST_TEXT: Final = 16 << 20
"""Characters of a text that an expression makes."""
MOST_TEXT: Final = 64 << 20
"""Characters of all texts that BIND, SELECT and GROUP_CONCAT make and rows keep."""
MOST_CELLS: Final = 4_000_000
"""Values in the rows that are held at once, plus four for each row: about 300 MB."""

_LONGEST_NUMBER: Final = 4_000  # digits
_LONGEST_TYPED: Final = 10_000  # characters of a literal that is read as a number, date or XML
_ROW: Final = 4  # cells
TRIPLE: Final = 16  # cells that a triple of a CONSTRUCT takes, in rdflib's three indexes
_CASTS: Final = frozenset(
    (XSD.string, XSD.dateTime, XSD.float, XSD.double, XSD.decimal, XSD.integer, XSD.boolean)
)

Row = TypeVar("Row", bound=Collection[Any])


class Limits:
    """The limits of one evaluation, and how much of them is used."""

    def __init__(self, deadline: float | None = None) -> None:
        """deadline: in `time.monotonic` seconds; None: no limit."""
        self._deadline = deadline
        self._text = 0
        self._cells = 0

    def tick(self) -> None:
        """Raise QueryTimeoutError after the deadline."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise QueryTimeoutError(
                "the query was not answered in time; give it more seconds, bind a subject or an "
                "object, or look at graph.explain() for what reads every node or link"
            )

    @property
    def left(self) -> float:
        """Seconds until the deadline, -1 without one."""
        return -1.0 if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def ticked(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows; checks the deadline at each."""
        for row in rows:
            self.tick()
            yield row

    def held(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows, each counted as held until the query has been answered."""
        for row in rows:
            self.tick()
            self.hold(len(row))
            yield row

    def hold(self, values: int) -> None:
        """Count a held row of `values` values. Raises QueryLimitError."""
        self._cells += _ROW + values
        if self._cells > MOST_CELLS:
            raise QueryLimitError(
                f"the query holds more than {MOST_CELLS:,} values at once (a row counts for "
                f"{_ROW} more); use LIMIT, fewer variables, or graph.facts.search(), which is lazy"
            )

    def keep(self, made: object) -> None:
        """Count a new text that a row holds. Raises QueryLimitError."""
        if isinstance(made, str):
            self._text += len(made)
            if self._text > MOST_TEXT:
                raise QueryLimitError(
                    f"the query makes texts of more than {MOST_TEXT:,} characters together"
                )

    def check_text(self, length: int) -> None:
        """Raise QueryLimitError for too long a text."""
        if length > LONGEST_TEXT:
            raise QueryLimitError(
                f"an expression makes a text of at most {LONGEST_TEXT:,} characters"
            )

    def check(self, value: object) -> None:
        """Raise QueryLimitError for too long a text or number as the value of an expression."""
        if isinstance(value, RdflibLiteral):
            self.check_text(len(value))
            number = value.value
            if isinstance(number, Decimal) and abs(number.adjusted()) > _LONGEST_NUMBER:
                raise QueryLimitError(f"a number has at most {_LONGEST_NUMBER:,} digits")


def watched(expression: Expr, kept_to: Callable[[], Limits]) -> Any:
    """A function that evaluates an expression within the current limits, which `kept_to`
    returns."""
    own = _OWN.get(expression.name)
    plain: Any = expression._evalfn

    def evaluated(ctx: Any) -> Any:
        limits = kept_to()
        limits.tick()
        value = plain(ctx) if own is None else own(expression, ctx, limits)
        limits.check(value)
        return value

    return evaluated


def is_unreadable(lexical: str, datatype: str) -> bool:
    """Whether a typed literal must not be converted to a value: such a number, or such an XML, may
    take any amount of time and memory."""
    if datatype == str(XSD.decimal):
        # With an exponent it is no decimal, though Python takes it for one.
        return len(lexical) > _LONGEST_NUMBER or "e" in lexical.lower()
    return datatype != str(XSD.string) and len(lexical) > _LONGEST_TYPED


# -- functions of SPARQL that need limits of their own --------------------------------------------


def _concat(expr: Expr, ctx: Any, limits: Limits) -> RdflibLiteral:
    parts = [string(part) for part in expr.arg]
    limits.check_text(sum(map(len, parts)))
    datatypes = {part.datatype for part in parts}
    languages = {part.language for part in parts}
    return RdflibLiteral(
        "".join(parts),
        datatype=datatypes.pop() if len(datatypes) == 1 else None,
        lang=languages.pop() if len(languages) == 1 else None,
    )


def _regex(expr: Expr, ctx: Any, limits: Limits) -> RdflibLiteral:
    pattern = regex.compiled(str(string(expr.pattern)), str(expr.flags or ""))
    return RdflibLiteral(pattern.found_in(str(string(expr.text))))


def _replace(expr: Expr, ctx: Any, limits: Limits) -> RdflibLiteral:
    text = string(expr.arg)
    pattern = regex.compiled(str(string(expr.pattern)), str(expr.flags or ""))
    replacement = str(string(expr.replacement))
    made = pattern.replaced(str(text), replacement, LONGEST_TEXT, limits.tick)
    return RdflibLiteral(made, datatype=text.datatype, lang=text.language)


def _strdt(expr: Expr, ctx: Any, limits: Limits) -> RdflibLiteral:
    lexical, datatype = str(expr.arg1), expr.arg2
    if is_unreadable(lexical, str(datatype)):
        raise SPARQLError(f"no value of {datatype}")
    return RdflibLiteral(lexical, datatype=datatype)


def _function(expr: Expr, ctx: Any, limits: Limits) -> Any:
    if expr.iri not in _CASTS:
        return Function(expr, ctx)
    given = expr.expr or ()  # once: each access evaluates it
    if expr.iri != XSD.string and any(len(str(value)) > _LONGEST_TYPED for value in given):
        raise SPARQLError("too long to be cast")
    return default_cast(cast(Expr, SimpleNamespace(iri=expr.iri, expr=given)), ctx)


_OWN: Final[Mapping[str, Callable[..., Any]]] = {
    "Builtin_CONCAT": _concat,
    "Builtin_REGEX": _regex,
    "Builtin_REPLACE": _replace,
    "Builtin_STRDT": _strdt,
    "Function": _function,
}


# -- aggregates -----------------------------------------------------------------------------------


class Parts(list[Any]):
    """The parts of a GROUP_CONCAT, with their length counted."""

    def __init__(self, limits: Limits, separator: str) -> None:
        super().__init__()
        self._limits = limits
        self._separator = len(separator)
        self._length = 0

    def append(self, part: Any) -> None:
        """Add a part. Raises QueryLimitError."""
        super().append(part)
        self._length += len(str(part)) + self._separator
        self._limits.check_text(self._length)
        self._limits.hold(0)


class Seen(set[Any]):
    """The values that an aggregate with DISTINCT has seen, with their number counted."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits

    def add(self, value: Any) -> None:
        """Add a value. Raises QueryLimitError."""
        super().add(value)
        self._limits.hold(0)


class Key:
    """A sort key of ORDER BY; checks the deadline at each comparison."""

    __slots__ = ("_limits", "_value")

    def __init__(self, value: Any, limits: Limits) -> None:
        self._value = value
        self._limits = limits

    def __lt__(self, other: Key) -> bool:
        self._limits.tick()
        return bool(self._value < other._value)
