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
    """Ends a transaction when it is called, and releases the writer's lock when it is freed."""

    turn: Iterator[Any]


def _turn(block: object, hold: Callable[[], Turn]) -> Turn:
    """The generator of a `with` block, made by the first access to `__enter__` or `__exit__` (the
    latter from Python 3.14 on). The second access removes it from the block."""
    held = vars(block)
    if (turn := held.pop("_turn", None)) is None:
        turn = held["_turn"] = hold()
    return cast(Turn, turn)


class Transaction:
    """Collects the writes of one logical act; its own reads see them at once. Its `with` block
    holds the writer's lock and commits at its end unless it raises. `put`, `insert`, `replace`,
    `delete` and `remove` update `live_bytes` and `kept_bytes` of the scope; `put_uncounted` does
    not."""

    def __init__(self, store: Store, scope: Scope, *, joins: bool = False) -> None:
        """joins: it may be part of a block of the store. The caller then undoes all changes in
        memory by `on_failure`, and waits for no thread that may write."""
        self._joins = joins
        self.store = store
        self.scope = scope
        self.state = scope.state  # a copy once entered
        self.sequence = 0  # known once committed
        self.rows: dict[bytes, bytes | None] = {}
        """The batch. Triples, most of the keys of a write, are put into it directly; such callers
        update the counters, and use only spaces that are not cached."""
        self._keys = OrderedKeys(self.rows)
        # Space → nodes whose keys in the batch may be cached.
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
    # and C code ends: only the object that `__exit__` returns refers to it, and only the `with`
    # block refers to that, not even a traceback.

    @property
    def __enter__(self) -> Callable[[], Self]:
        return _turn(self, self._hold).__next__

    @property
    def __exit__(self) -> _Leave:  # noqa: PLE0302 - a property that returns a callable
        leave = _Leave(Transaction._leave, self)
        leave.turn = _turn(self, self._hold)
        return leave

    def giving(self, make: Callable[[Self], T]) -> AbstractContextManager[T]:
        """This transaction, whose `with` block gets `make(transaction)` instead."""
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
                # They refer to this transaction: breaks the cycle, so that its batch is freed now.
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
        # No other writer runs meanwhile, so values that were read stay valid.
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
        """Call `flush` before the commit, to write what it holds back; the last registered
        first."""
        self._flushes.append(flush)

    def publish(self, publisher: Callable[[int], Undo]) -> None:
        """Call `publisher(sequence)` just before the engine commits, to show an in-memory change to
        readers of that sequence; it returns a function that undoes it if the commit fails."""
        self._publishers.append(publisher)

    def after_commit(self, call: Callable[[], None]) -> None:
        """Call `call()` once, after this transaction has been committed."""
        if call not in self._after:
            self._after.append(call)

    def follow(self, call: Callable[[], None]) -> None:
        """Call `call`, which writes in transactions of its own, after this one is committed; an
        interrupt in between may skip it."""
        self._following.append(call)

    def on_failure(self, undo: Undo) -> None:
        """Call `undo()`, which undoes an in-memory change, if nothing is committed."""
        self._undo.append(undo)

    def _resolve(self) -> None:
        """Publish committed changes, or undo others. If another interrupt comes meanwhile, the
        scope stays unresolved, and the next transaction breaks the store."""
        if self.sequence and self.store.sequence == self.sequence:
            self._committed()  # the interrupt came after the write
        elif not self._taken_back:
            self._taken_back = True
            while self._undo:
                self._undo.pop()()
            self.scope.unresolved = False

    def _commit(self) -> None:
        def announce(sequence: int) -> None:
            self.sequence = sequence
            # Before the batch is written, so that an interrupt leaves no old value in a cache.
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
        """Publish committed changes; repeated after an interrupt."""
        if (block := self.store.block) is not None:
            block.undo += [partial(_set_back, self.scope, self.scope.state), *self._undo]
            self._undo.clear()
        self.scope.state = self.state
        for call in self._after:
            self.store.when_committed(call)
        self.scope.unresolved = False


class _OfClass(property):
    """A property that, accessed on the class as `contextlib.ExitStack` does, returns a function of
    the object."""

    def __get__(self, instance: Any, owner: type | None = None, /) -> Any:
        give = self.fget
        assert give is not None
        return give(instance) if instance is not None else lambda it, *rest: give(it)(*rest)


class Together(Generic[T]):
    """Merges the commits of its thread within a `with` block, which holds the writer's lock, into
    one, or none if the block raises. Transactions that do not join, and nested blocks, raise
    TransactionError."""

    def __init__(self, store: Store, given: T) -> None:
        """given: the target of `as`."""
        self._store = store
        self._given = given
        self.ended: Callable[[str | None], None] = lambda error: None
        """Called when the block has ended or was refused, with the class of the error that it or
        its commit raised."""

    # As in `Transaction`, and for the same reason.

    @_OfClass
    def __enter__(self) -> Callable[[], T]:
        return _turn(self, self._hold).__next__

    @_OfClass
    def __exit__(self) -> _Leave:  # noqa: PLE0302 - a property that returns a callable
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
            try:
                self._store.begin()
            except TransactionError as error:
                self.ended(type(error).__name__)
                raise
            try:
                yield self._given
            finally:
                self._store.end(commit=False)  # unless it has ended: an interrupt came first

    def _leave(self, turn: Callable[[], Any], kind: type[BaseException] | None, *_: object) -> None:
        error = None if kind is None else kind.__name__
        try:
            finish = self._store.end(commit=kind is None)
            turn().close()  # releases the lock: the calls may need threads that wait for it
            finish()
        except BaseException as raised:
            error = type(raised).__name__
            raise
        finally:
            self.ended(error)


def _set_back(scope: Scope, state: ScopeState) -> None:
    """Restore the counters before a block, but never reuse its node ids."""
    state.next_node = max(state.next_node, scope.state.next_node)
    scope.state = state
