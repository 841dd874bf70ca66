"""Declarations of spaces by the rooms that own them: check, repair and the JSONL export loop over
the declarations in `maintenance.spaces`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from graphmem.errors import CorruptError
from graphmem.hexastore import terms
from graphmem.hexastore.keys import ORDERS, UNCOUNTED, Space
from graphmem.hexastore.transaction import Transaction


class Salvage(Enum):
    """How a repair restores a space."""

    COPIED = "copied"  # each valid row is copied
    READ = "read"  # the repair has code for it
    MADE = "made"  # it is rebuilt from other spaces


@dataclass(frozen=True, slots=True)
class Declared:
    space: Space
    key: int | None  # bytes of a key after scope and space; None: any number
    value: tuple[int, ...] | None = None  # bytes that a value may have; None: any number
    salvage: Salvage = Salvage.READ
    counter: str = ""  # the counter of the scope for its keys
    of_node: bool = False  # the key is a node, which must exist
    check: Callable[[bytes, bytes], object] | None = None
    """Called with the key after scope and space, and the value. Raises CorruptError for a bad
    row."""
    record: str = ""  # the kind of its records in JSONL; "": written by the export's own code
    dump: Callable[[bytes, bytes], Any] | None = None
    """A row as a JSON value; key and value as in `check`."""
    load: Callable[[Any], tuple[bytes, bytes]] | None = None
    """The row of a value of `dump`. Raises ValueError, TypeError or KeyError for an invalid one."""

    def fault(self, key: bytes, value: bytes) -> str | None:
        """The fault of a row, without the key's scope and space; None if it is valid."""
        name = self.space.name.lower()
        if self.key is not None and len(key) != self.key:
            return f"a key of {name} has {len(key) + 5} bytes"
        if self.value is not None and len(value) not in self.value:
            return f"a value of {name} has {len(value)} bytes"
        try:
            if self.check is not None:
                self.check(key, value)
        except CorruptError as error:
            return str(error)
        return None

    def insert(self, tx: Transaction, key: bytes, value: bytes) -> None:
        """Write a new row, and count it; key as in `check`."""
        key = tx.scope.prefix(self.space) + key
        if self.space in UNCOUNTED:
            tx.put_uncounted(key, value)
        else:
            tx.insert(key, value)
        if self.counter:
            setattr(tx.state, self.counter, getattr(tx.state, self.counter) + 1)


SPACES: Final = (
    Declared(Space.STATE, 0),
    Declared(Space.META, 0),
    *(Declared(order, 3 * terms.TERM_BYTES, (0,)) for order in ORDERS),
    Declared(Space.DICTIONARY, terms.TERM_BYTES),
    Declared(Space.STATISTIC, terms.TERM_BYTES, (8,), Salvage.MADE),
)
