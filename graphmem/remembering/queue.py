"""The enrichment queue: nodes that wait for the worker, in the store, so that none is lost."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader


def _key(scope: Scope, space: Space, node: int) -> bytes:
    return scope.prefix(space) + node.to_bytes(8, "big")


def put(tx: Transaction, node: int) -> None:
    """Have a node enriched; nothing changes if it waits already."""
    key = _key(tx.scope, Space.QUEUE, node)
    if tx.get(key) is None:
        tx.insert(key, b"\x00")
        tx.state.queued += 1


def remove(tx: Transaction, node: int) -> None:
    """Take a node off the queue and out of the dead letters."""
    if tx.delete(_key(tx.scope, Space.QUEUE, node)) is not None:
        tx.state.queued -= 1
    if tx.delete(_key(tx.scope, Space.DEAD, node)) is not None:
        tx.state.dead -= 1


def fail(tx: Transaction, node: int, reason: str, attempts: int) -> bool:
    """Count a failed attempt; after `attempts` of them set the node aside.

    True if it waits no more, also because it was forgotten meanwhile.
    """
    known = tx.get(_key(tx.scope, Space.QUEUE, node))
    if known is None:
        return True
    tried = known[0] + 1
    if tried < attempts:
        tx.put(_key(tx.scope, Space.QUEUE, node), bytes((tried,)))
        return False
    set_aside(tx, node, reason)
    return True


def set_aside(tx: Transaction, node: int, reason: str) -> None:
    """Move a node from the queue to the dead letters; nothing if it does not wait."""
    if tx.delete(_key(tx.scope, Space.QUEUE, node)) is not None:
        tx.state.queued -= 1
        key = _key(tx.scope, Space.DEAD, node)
        tx.state.dead += tx.get(key) is None  # it may have been set aside in its form before
        tx.put(key, reason.encode("utf-8", "replace")[:1000])


def retry(tx: Transaction, node: int) -> bool:
    """Move a node from the dead letters back to the queue; False if it is not among them."""
    if tx.delete(_key(tx.scope, Space.DEAD, node)) is None:
        return False
    tx.state.dead -= 1
    put(tx, node)
    return True


def waiting(reader: Reader, scope: Scope, first: int = 0) -> Iterator[int]:
    """The nodes from `first` on that wait, oldest first."""
    start = scope.prefix(Space.QUEUE)
    found = reader.keys(start + keys.u64(first), keys.after(start))
    return (int.from_bytes(key[-8:], "big") for key in found)


def dead(reader: Reader, scope: Scope) -> Iterator[tuple[int, str]]:
    """The nodes that were set aside, and why."""
    start = scope.prefix(Space.DEAD)
    for key, value in reader.range(start, keys.after(start)):
        yield int.from_bytes(key[-8:], "big"), value.decode()
