"""The enrichment queue: nodes that wait for the worker, in the store, so that none is lost."""

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

_RETRIED_AT_ONCE: Final = 1000  # texts a batch


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


def retry_all(store: Store, scope: Scope, named: Iterable[int]) -> int:
    """Move nodes from the dead letters back to the queue, all of them if none is named.

    Returns how many wait again. Raises InvalidArgumentError, and changes nothing, if one was not
    set aside.
    """
    known = dict(dead(store, scope))
    chosen = dict.fromkeys(named) or known
    for node in chosen:
        if node not in known:
            raise InvalidArgumentError(
                f"node {node} was not set aside; admin.failed(), or graphmem admin failed, lists "
                "those that were"
            )
    back = 0
    rest = iter(chosen)
    while some := list(islice(rest, _RETRIED_AT_ONCE)):
        with Transaction(store, scope) as tx:
            back += sum(retry(tx, node) for node in some)
    return back


def waiting(reader: Reader, scope: Scope, first: int = 0) -> Iterator[int]:
    """The nodes from `first` on that wait, oldest first."""
    start = scope.prefix(Space.QUEUE)
    found = reader.keys(start + keys.u64(first), keys.after(start))
    return (int.from_bytes(key[-8:], "big") for key in found)


def turn(waiting: Callable[[int], Iterable[int]], first: int, count: int) -> tuple[list[int], int]:
    """Up to `count` nodes of a queue whose turn it is, and where the next turn begins. A queue is
    gone through in rounds: what failed waits for the next one, and what LevelDB has just deleted at
    the front is not read over again.

    waiting: the nodes from one on. first: where this turn begins.
    """
    nodes = list(islice(waiting(first), count))
    if not nodes and first:
        nodes = list(islice(waiting(0), count))
    return nodes, nodes[-1] + 1 if nodes else 0


def dead(reader: Reader, scope: Scope) -> Iterator[tuple[int, str]]:
    """The nodes that were set aside, and why."""
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
