"""Transactions: one logical write on one scope, committed as one batch or not at all."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Generic, NoReturn, Self, TypeVar, cast
from weakref import ref

from graphmem.errors import TransactionError
from graphmem.hexastore.cache import CACHED
from graphmem.hexastore.keys import KEPT, Space
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.storage.block import OrderedKeys, merged
from graphmem.storage.engine import Pairs
from graphmem.storage.store import Store

Undo = Callable[[], None]
T = TypeVar("T")
Turn = TypeVar("Turn", bound=Iterator[Any])


class _Leave(partial[None]):
    """Ends a transaction when it is called, and lets go of the writer's lock when it goes."""

    turn: Iterator[Any]


def _turn(block: object, hold: Callable[[], Turn]) -> Turn:
    """The generator of a `with` block, made for whichever of enter and exit is asked for first:
    that is `__exit__` from Python 3.14 on. The second takes it away from the block."""
    held = vars(block)
    if (turn := held.pop("_turn", None)) is None:
        turn = held["_turn"] = hold()
    return cast(Turn, turn)


class Transaction:
    """Collects the writes of one logical act; reads see them at once. Its `with` block holds the
    writer lock and commits at its end unless it raises. `live_bytes` and `kept_bytes` of the scope
    follow from `put`, `insert`, `delete` and `remove`; `put_uncounted` is for the archive."""

    def __init__(self, store: Store, scope: Scope, *, joins: bool = False) -> None:
        """joins: it may be part of a block of the store; whoever says so keeps nothing in memory
        that `on_failure` does not take back, and waits for no thread that may want to write."""
        self._joins = joins
        self.store = store
        self.scope = scope
        self.state = scope.state  # a copy of its own once entered
        self.sequence = 0  # known once committed
        self.rows: dict[bytes, bytes | None] = {}
        """What is to be written. Triples, of which a write has most of its keys, go into it
        directly; callers who do so count the bytes, and use only spaces that are not cached."""
        self._keys = OrderedKeys(self.rows)
        # Nodes, by space, of whose keys in the batch caches may hold values.
        self._cached: dict[int, list[int]] = {}
        self._read: dict[bytes, bytes | None] = {}
        self._flushes: list[Callable[[], None]] = []
        self._publishers: list[Callable[[int], Undo]] = []
        self._undo: list[Undo] = []
        self._after: list[Callable[[], None]] = []
        self._following: list[Callable[[], None]] = []
        self._made: Callable[[Any], object] | None = None
        self._left = False
        self._taken_back = False

    # A KeyboardInterrupt may be raised wherever Python code calls, is called, or loops. Raised
    # between taking the lock and `with`, or as a method `__exit__` begins, it would leave the lock
    # held for ever. So a generator holds it, which C code starts (`__enter__` is its `__next__`)
    # and C code ends: nothing but what `__exit__` gives refers to it, and that only the `with`
    # block has, not even a traceback.

    @property
    def __enter__(self) -> Callable[[], Self]:
        return _turn(self, self._hold).__next__

    @property
    def __exit__(self) -> _Leave:  # noqa: PLE0302 - a property, which gives what is called
        leave = _Leave(Transaction._leave, self)
        leave.turn = _turn(self, self._hold)
        return leave

    def giving(self, make: Callable[[Self], T]) -> AbstractContextManager[T]:
        """The same, for a `with` block that works with `make(transaction)`."""
        self._made = make
        return cast(AbstractContextManager[T], self)

    def _hold(self) -> Iterator[Any]:
        with self.store.writing:
            self.scope.require()
            if not self._joins:
                self.store.require_no_block("this")
            if self.scope.unresolved:
                self.store.give_up()
            self.state = self.scope.state.copy()
            try:
                self.scope.unresolved = True
                yield self if self._made is None else self._made(self)
            finally:
                if not self._left:  # an interrupt came first
                    self._resolve()

    def _leave(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._commit()
            else:
                self._resolve()
        finally:
            if not self.scope.unresolved:
                self._left = True
                # They refer to this transaction, whose batch would wait for the collector.
                self._flushes.clear()
                self._publishers.clear()
                self._undo.clear()
                self._after.clear()
                self._following.clear()

    # -- reading ------------------------------------------------------------------------------

    def get(self, key: bytes) -> bytes | None:
        """The value of `key`, with this transaction's own writes."""
        if key in self.rows:
            return self.rows[key]
        # Nobody else writes meanwhile, so what was read once stays true.
        if key not in self._read:
            self._read[key] = self.store.get(key)
        return self._read[key]

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values of `keys`, with this transaction's own writes."""
        return [self.get(key) for key in keys]

    def range(self, start: bytes, stop: bytes, reverse: bool = False) -> Pairs:
        """Keys and values in [start, stop), with the writes made before the call."""
        own = [(key, self.rows[key]) for key in self._keys.between(start, stop)]
        if reverse:
            own.reverse()
        yield from merged(self.store.range(start, stop, reverse), own, reverse)

    def keys(self, start: bytes, stop: bytes, reverse: bool = False) -> Iterator[bytes]:
        if not self._keys.between(start, stop):
            return self.store.keys(start, stop, reverse)
        return (key for key, _ in self.range(start, stop, reverse))

    # -- writing ------------------------------------------------------------------------------

    def insert(self, key: bytes, value: bytes) -> None:
        """Write a key that is known to be absent."""
        self._count(key, len(key) + len(value))
        self.rows[key] = value

    def replace(self, key: bytes, value: bytes, size: int) -> None:
        """Write a key that is known to be present with a value of `size` bytes."""
        self._count(key, len(value) - size)
        self.put_uncounted(key, value)

    def put(self, key: bytes, value: bytes) -> None:
        """Write a key, present or not."""
        old = self.get(key)
        self._count(key, len(value) - len(old) if old is not None else len(key) + len(value))
        self.put_uncounted(key, value)

    def remove(self, key: bytes, size: int) -> None:
        """Delete a key that is known to be present with a value of `size` bytes."""
        self._count(key, -len(key) - size)
        self.put_uncounted(key, None)

    def delete(self, key: bytes) -> bytes | None:
        """Delete a key, present or not, and return the value that it had."""
        old = self.get(key)
        if old is not None:
            self.remove(key, len(old))
        return old

    def _count(self, key: bytes, change: int) -> None:
        self.state.live_bytes += change
        if key[4] in KEPT:
            self.state.kept_bytes += change

    def put_uncounted(self, key: bytes, value: bytes | None) -> None:
        """Write, or delete with None, a key that `live_bytes` does not count."""
        self.rows[key] = value
        if (space := key[4]) in CACHED:
            self._cached.setdefault(space, []).append(int.from_bytes(key[5:], "big"))

    # -- committing ---------------------------------------------------------------------------

    def before_commit(self, flush: Callable[[], None]) -> None:
        """Have `flush` write what it holds back; the last to register is called first."""
        self._flushes.append(flush)

    def publish(self, publisher: Callable[[int], Undo]) -> None:
        """Have `publisher(sequence)` show an in-memory change to readers of that sequence, just
        before the engine commits; what it returns takes the change back if the commit fails."""
        self._publishers.append(publisher)

    def after_commit(self, call: Callable[[], None]) -> None:
        """Have `call()` made, once, when this transaction has been committed."""
        if call not in self._after:
            self._after.append(call)

    def follow(self, call: Callable[[], None]) -> None:
        """Have `call`, which writes in transactions of its own, called once this one is committed;
        an interrupt in between may leave it out."""
        self._following.append(call)

    def on_failure(self, undo: Undo) -> None:
        """Have `undo()` take back an in-memory change made already, if nothing is committed."""
        self._undo.append(undo)

    def _resolve(self) -> None:
        """Show what was committed, or take back what is not. If another interrupt cuts that short,
        the scope stays unresolved, and the next transaction breaks the store."""
        if self.sequence and self.store.sequence == self.sequence:
            self._committed()  # an interrupt can come when the batch is written already
        elif not self._taken_back:
            self._taken_back = True
            while self._undo:
                self._undo.pop()()
            self.scope.unresolved = False

    def _commit(self) -> None:
        def announce(sequence: int) -> None:
            self.sequence = sequence
            # Said before the batch is written: an interrupt must not leave an old value behind.
            for space, nodes in self._cached.items():
                self.scope.caches[space].written(nodes, sequence)
            for publisher in self._publishers:
                self._undo.append(publisher(sequence))

        try:
            for flush in reversed(self._flushes):
                flush()
            if not self.rows and self.state == self.scope.state:
                self.scope.unresolved = False
                return
            if self.scope.kind == "rdf":  # which has no budget
                self.state.kept_bytes = 0
            self.put_uncounted(self.scope.prefix(Space.STATE), self.state.pack())
            self.store.commit(self.rows, on_sequence=announce, joins=self._joins)
            self._committed()
        except BaseException:
            self._resolve()
            raise
        for call in self._following:
            self.store.when_committed(call)

    def _committed(self) -> None:
        """Show what was committed; done again if an interrupt cut it short."""
        if (block := self.store.block) is not None:
            block.undo += [partial(_set_back, self.scope, self.scope.state), *self._undo]
            self._undo.clear()
        self.scope.state = self.state
        for call in self._after:
            self.store.when_committed(call)
        self.scope.unresolved = False


class _OfClass(property):
    """A property which, asked of the class as `contextlib.ExitStack` does, gives a function of the
    object."""

    def __get__(self, instance: Any, owner: type | None = None, /) -> Any:
        give = self.fget
        assert give is not None
        return give(instance) if instance is not None else lambda it, *rest: give(it)(*rest)


class Together(Generic[T]):
    """Makes what its thread commits in a `with` block, which holds the writer's lock, one commit,
    or none if the block raises. Transactions that do not join, and further blocks, raise
    TransactionError."""

    def __init__(self, store: Store, given: T) -> None:
        """given: what `as` names."""
        self._store = store
        self._given = given

    # As in `Transaction`, and for the same reason.

    @_OfClass
    def __enter__(self) -> Callable[[], T]:
        return _turn(self, self._hold).__next__

    @_OfClass
    def __exit__(self) -> _Leave:  # noqa: PLE0302 - a property, which gives what is called
        turn = _turn(self, self._hold)
        leave = _Leave(Together._leave, self, ref(turn))
        leave.turn = turn
        return leave

    async def __aenter__(self) -> NoReturn:
        raise TransactionError(
            "a transaction belongs to one thread and must not await: write `with`, not "
            "`async with`, in a function that asyncio.to_thread calls"
        )

    async def __aexit__(self, *_: object) -> None:
        """Never reached."""

    def _hold(self) -> Generator[T, None, None]:
        with self._store.writing:
            self._store.begin()
            try:
                yield self._given
            finally:
                self._store.end(commit=False)  # unless it has ended: an interrupt came first

    def _leave(self, turn: Callable[[], Any], kind: type[BaseException] | None, *_: object) -> None:
        finish = self._store.end(commit=kind is None)
        turn().close()  # what is called now may need threads that wait for the lock
        finish()


def _set_back(scope: Scope, state: ScopeState) -> None:
    """Let a scope forget what a block wrote. Ids that it gave away are not given again."""
    state.next_node = max(state.next_node, scope.state.next_node)
    scope.state = state
