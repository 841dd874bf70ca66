"""The enrichment queue: nodes that wait for the worker, stored so that none is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from graphmem.errors import InvalidArgumentError
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.spaces import Declared, Salvage
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.engine import Reader
from graphmem.storage.store import Store

_RETRIED_AT_ONCE: Final = 1000  # nodes in a batch


def _key(scope: Scope, space: Space, node: int) -> bytes:
    return scope.prefix(space) + node.to_bytes(8, "big")


def put(tx: Transaction, node: int) -> None:
    """Add a node to the queue; does nothing if it is there already."""
    key = _key(tx.scope, Space.QUEUE, node)
    if tx.get(key) is None:
        tx.insert(key, b"\x00")
        tx.state.queued += 1


def remove(tx: Transaction, node: int) -> None:
    """Remove a node from the queue and from the dead letters."""
    if tx.delete(_key(tx.scope, Space.QUEUE, node)) is not None:
        tx.state.queued -= 1
    if tx.delete(_key(tx.scope, Space.DEAD, node)) is not None:
        tx.state.dead -= 1


def fail(tx: Transaction, node: int, reason: str, attempts: int) -> bool:
    """Count a failed attempt; after `attempts` of them move the node to the dead letters.

    Returns whether it has left the queue, also by being forgotten meanwhile.
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
    """Move a node from the queue to the dead letters; does nothing if it is not in the queue."""
    if tx.delete(_key(tx.scope, Space.QUEUE, node)) is not None:
        tx.state.queued -= 1
        key = _key(tx.scope, Space.DEAD, node)
        tx.state.dead += tx.get(key) is None  # it may be there in an earlier form
        tx.put(key, reason.encode("utf-8", "replace")[:1000])


def retry(tx: Transaction, node: int) -> bool:
    """Move a node from the dead letters back to the queue; False if it is not among them."""
    if tx.delete(_key(tx.scope, Space.DEAD, node)) is None:
        return False
    tx.state.dead -= 1
    put(tx, node)
    return True


def retry_all(store: Store, scope: Scope, named: Iterable[int]) -> int:
    """Move the `named` nodes, or all if none is named, from the dead letters back to the queue.

    Returns how many were moved. Raises InvalidArgumentError, and changes nothing, if a node is not
    among the dead letters.
    """
    known = dict(dead(store, scope))
    chosen = dict.fromkeys(named) or known
    for node in chosen:
        if node not in known:
            raise InvalidArgumentError(
                f"node {node} was not set aside; admin.failed(), or graphmem admin failed, lists "
                "those that were"
            )
    moved = 0
    rest = iter(chosen)
    while batch := list(islice(rest, _RETRIED_AT_ONCE)):
        with Transaction(store, scope) as tx:
            moved += sum(retry(tx, node) for node in batch)
    return moved


def waiting(reader: Reader, scope: Scope, first: int = 0) -> Iterator[int]:
    """The nodes in the queue with ids from `first` on, oldest first."""
    start = scope.prefix(Space.QUEUE)
    found = reader.keys(start + keys.u64(first), keys.after(start))
    return (int.from_bytes(key[-8:], "big") for key in found)


def turn(waiting: Callable[[int], Iterable[int]], first: int, count: int) -> tuple[list[int], int]:
    """The next up to `count` nodes of a queue, and the node from which the call after continues. A
    queue is processed in rounds: failed nodes wait for the next round, and LevelDB does not read
    over the entries just deleted at the front.

    waiting: returns the nodes from a given one on. first: the node to begin with.
    """
    nodes = list(islice(waiting(first), count))
    if not nodes and first:
        nodes = list(islice(waiting(0), count))
    return nodes, nodes[-1] + 1 if nodes else 0


def dead(reader: Reader, scope: Scope) -> Iterator[tuple[int, str]]:
    """The nodes among the dead letters, and why each is there."""
    start = scope.prefix(Space.DEAD)
    for key, value in reader.range(start, keys.after(start)):
        # The end may be cut inside a character.
        yield int.from_bytes(key[-8:], "big"), value.decode(errors="replace")


SPACES: Final = (
    Declared(
        Space.QUEUE, 8, (1,), Salvage.COPIED, counter="queued", of_node=True, record="queued",
        dump=lambda key, value: [int.from_bytes(key, "big"), value[0]],
        load=lambda record: (keys.u64(record[0]), bytes((record[1],))),
    ),
    Declared(
        Space.DEAD, 8, None, Salvage.COPIED, counter="dead", of_node=True, record="dead",
        dump=lambda key, value: [int.from_bytes(key, "big"), value.decode(errors="replace")],
        load=lambda record: (keys.u64(record[0]), record[1].encode()[:1000]),
    ),
)  # fmt: skip
