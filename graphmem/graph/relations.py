"""Relations: the names of links, their IRIs, and the short codes that stored links carry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from functools import partial
from typing import Final
from urllib.parse import unquote

from graphmem.errors import (
    CapacityError,
    CorruptError,
    InvalidArgumentError,
    ReservedError,
)
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import IRI
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader
from graphmem.values.checks import check_encodable, check_str

FOCUS: Final = "focus"
SEGMENT: Final = "segment"
SUPERSEDES: Final = "supersedes"
CORRECTS: Final = "corrects"
SYSTEM: Final = (FOCUS, SEGMENT, SUPERSEDES, CORRECTS)  # position + 1 is the code
FOCUS_CODE: Final = 1
SEGMENT_CODE: Final = 2
SUPERSEDES_CODE: Final = 3
_FIRST_OWN: Final = 64  # codes below are kept for relations of the system
_MOST: Final = 1 << 24  # codes
_MAX_NAME: Final = 200  # characters
PREFIX: Final = "relation:"
_ERASED: Final = "memory:erased {}"  # the space keeps it from being read as the system's IRI

_ABSOLUTE = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]+\Z')
_TO_QUOTE = re.compile(r'[\x00-\x20<>"{}|^`\\%]')


def iri(name: str) -> str:
    """The IRI of a relation: `memory:…` for the system's, an absolute IRI as it is, else
    `relation:` with the name percent-encoded where an IRI needs it."""
    if name in SYSTEM:
        return f"memory:{name}"
    if _ABSOLUTE.match(name) and not name.startswith(PREFIX):
        return name
    return named(name)


def named(name: str) -> str:
    """The IRI of a name that is neither the system's nor an absolute IRI."""
    return PREFIX + _TO_QUOTE.sub(lambda m: f"%{ord(m[0]):02X}", name)


def name_of(relation: str) -> str:
    """The name of a relation, given its IRI: the inverse of `iri`."""
    if relation.startswith("memory:"):
        return relation.removeprefix("memory:")
    if relation.startswith(PREFIX):
        return unquote(relation.removeprefix(PREFIX))
    return relation


def check_own(name: object) -> str:
    """A relation that a user may make links of. Raises ArgumentTypeError, InvalidArgumentError
    (1–200 characters, no lone surrogates), ReservedError."""
    name = check_str("a relation", name)
    if not 0 < len(name.strip()) <= _MAX_NAME:
        raise InvalidArgumentError(f"a relation has 1 to {_MAX_NAME} characters, got {name!r:.60}")
    check_encodable("a relation", name)
    if name in SYSTEM or name.startswith("memory:"):
        raise ReservedError(f"relation {name!r} is made by graphmem itself; choose another name")
    return name


class Relations:
    """The relations of one scope, held in memory; there are few. A code is never used again."""

    def __init__(self, reader: Reader, scope: Scope) -> None:
        self.scope = scope
        self._codes = {name: code for code, name in enumerate(SYSTEM, 1)}
        for key, value in reader.range(*keys.under(scope.prefix(Space.RELATION))):
            try:
                self._codes[name_of(value.decode())] = int.from_bytes(key[-4:], "big")
            except UnicodeDecodeError as error:
                raise CorruptError(
                    f"a relation of scope {scope.name!r} cannot be read ({error}): "
                    "run graphmem admin repair"
                ) from None
        self._names = {code: name for name, code in self._codes.items()}
        self._terms = {name: terms.encode(IRI(iri(name))) for name in self._codes}
        self._by_term = {self.term(name): code for name, code in self._codes.items()}

    @property
    def own(self) -> bool:
        """True if the user has made a relation."""
        return len(self._codes) > len(SYSTEM)

    def name(self, code: int) -> str:
        """The name of a code; `?` and the number if a damaged store has lost it."""
        return self._names.get(code, f"?{code}")

    def code_of(self, term: bytes) -> int | None:
        """The code of a relation's term id, None if it is no relation."""
        return self._by_term.get(term)

    def codes(self, names: Iterable[str]) -> list[int]:
        """The codes of those names that links exist of."""
        return [self._codes[name] for name in names if name in self._codes]

    def code(self, tx: Transaction, name: str) -> int:
        """The code of a relation, made in this transaction if it is new."""
        if (known := self._codes.get(name)) is not None:
            return known
        code = max(_FIRST_OWN, max(self._names) + 1)
        if code >= _MOST:
            raise CapacityError(f"a scope has up to {_MOST - 1:,} relations; {name!r} is one more")
        key = self.scope.prefix(Space.RELATION) + code.to_bytes(4, "big")
        tx.insert(key, iri(name).encode())
        # Visible at once to this transaction, taken back if it fails.
        self._call(code, name)
        tx.on_failure(partial(self._call, code, None))
        return code

    def erase_unused(self, tx: Transaction, archived: Callable[[], Set[int]]) -> None:
        """Give each relation without links a name that no user can give, "memory:erased <code>".
        archived: returns the codes of the links in the archive; only called if one may be unused.
        """
        links = self.scope.prefix(Space.RELATED)
        unused = {
            code
            for code, name in self._names.items()
            if code >= _FIRST_OWN and name != _ERASED.format(code)
            if next(tx.keys(*keys.under(links + code.to_bytes(4, "big"))), None) is None
        }
        for code in unused - archived() if unused else ():
            key = self.scope.prefix(Space.RELATION) + code.to_bytes(4, "big")
            before, now = self._names[code], _ERASED.format(code)
            tx.put(key, iri(now).encode())
            self._call(code, now)
            tx.on_failure(partial(self._call, code, before))

    def _call(self, code: int, name: str | None) -> None:
        """Give a code a name instead of the one that it has; None: none."""
        before = self._names.pop(code, None)
        if name is not None:
            self._codes[name], self._names[code] = code, name
            term = self._terms[name] = self.term(name)
            self._by_term[term] = code
        if before is not None:
            del self._codes[before]
            del self._by_term[self._terms.pop(before)]

    def known(self) -> list[tuple[bytes, int]]:
        return list(self._by_term.items())

    def form(self, term: bytes) -> bytes | None:
        """The N-Triples form of a relation's term id, None if it is no relation."""
        code = self._by_term.get(term)
        return None if code is None else IRI(iri(self._names[code])).n3().encode()

    def term(self, name: str) -> bytes:
        known = self._terms.get(name)
        return terms.encode(IRI(iri(name))) if known is None else known
