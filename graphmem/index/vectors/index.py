"""The vector index: a vector for each node, and search for the nearest (docs/recall.md,
docs/format.md §6b).

Vectors are held in memory, each with the sequence numbers between which it is valid, so that a
reader at any snapshot sees exactly its own state. Up to `EXACT` all are compared with a cue.
Beyond, where usearch is installed, a graph is made in the background; once it holds the table it
names candidates, which are compared exactly.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from math import log, sqrt
from typing import TYPE_CHECKING, Final, TypeAlias, TypeGuard

import numpy as np
from lru import LRU

from graphmem.errors import EmbedderError
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction, Undo
from graphmem.index.vectors.hnsw import Hnsw
from graphmem.index.vectors.records import SET_ASIDE, WAITING, VectorState, packed, unpacked
from graphmem.storage.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"  # of length 1
Slots: TypeAlias = "NDArray[np.intp]"  # places of rows
Means: TypeAlias = tuple[Vector, Vector]  # of texts in other scripts, and in Han and kana

EXACT: Final = 50_000  # vectors up to which all are compared
_NEVER: Final = np.iinfo(np.uint64).max
_BLOCK: Final = 1024  # rows that are multiplied at a time: as floats they fit into the cache
_CUES: Final = 16  # cues whose cosines are kept
_BACKLOG_PAGE: Final = 256  # nodes that are queued in one batch
_DRIFT: Final = 100  # the means are recomputed once one in so many vectors was added or removed
_APART: Final = 1e-5  # the least squared distance from the mean that counts as one
_LEAST: Final = 0.02  # the least centred cosine that counts as a similarity
_LOST: Final = 1024  # dead rows from which on the table is rewritten without them
_LINKED_AT_ONCE: Final = 8  # rows added to the graph while searches wait, some milliseconds
_UNLINKED: Final = 4096  # rows that may be compared one by one beside a graph
_FEWEST: Final = 100  # the nearest that are always found; the first sets the scale of shares
_STEP: Final = 64  # rows that are compared in the time that a graph takes to find one more
_SAMPLE: Final = 4096  # rows by which the spread of cosines is estimated, if not all are known
_NONE: Final = np.zeros(0, np.intp)
_NOWHERE: Final = np.zeros(0, np.float32)
_LEANING: Final = 8  # pseudo-count of the mean of all texts in the mean of a script
_log = logging.getLogger("graphmem.vectors")


class _Table:
    """Vectors in memory: rows are added, and marked dead, but never change."""

    def __init__(self) -> None:
        self.count = 0
        self.lost = 0
        self.nodes = np.zeros(256, np.uint64)
        self.scales = np.zeros(256, np.float32)
        self.han = np.zeros(256, np.bool_)
        self.born = np.zeros(256, np.uint64)
        self.dead = np.full(256, _NEVER, np.uint64)
        self.rows = np.zeros((256, 0), np.int8)
        self.slots: dict[int, int] = {}  # node → its newest slot
        self.removed: set[int] = set()  # nodes that an older reader may still see
        self.graph: Hnsw | None = None  # of the first rows, dead ones included
        self._linked: Means = (_NOWHERE, _NOWHERE)  # subtracted from its rows
        self._cosines: LRU[bytes, Vector] = LRU(_CUES + 2)  # and the means
        self._means: tuple[int, Means] = (0, (_NOWHERE, _NOWHERE))  # after how many changes

    def __len__(self) -> int:
        """How many nodes have a vector now."""
        return len(self.slots)

    def added(self, start: int) -> tuple[list[int], int]:
        """The nodes whose newest row is at place `start` or later, and the place at which the next
        call starts."""
        stop = self.count
        found = self.nodes[start:stop].tolist()
        rows = range(start, stop)
        return [n for n, at in zip(found, rows, strict=True) if self.slots.get(n) == at], stop

    def vectors(self, nodes: Sequence[int]) -> Vector:
        """The newest vectors of nodes, of length 1 (nodes × dimensions); zeros for a node without
        one."""
        slots = np.array([self.slots.get(node, -1) for node in nodes], np.intp)
        scales = np.where(slots < 0, np.float32(0), self.scales[slots])
        rows: Vector = self.rows[slots].astype(np.float32) * scales[:, None]
        return rows

    def put(self, node: int, scale: float, row: NDArray[np.int8], sequence: int) -> Undo:
        """Make `row` the vector of `node` from `sequence` on."""
        slot = self.count
        if slot == len(self.nodes):
            for name in ("nodes", "scales", "han", "born", "dead", "rows"):
                column = getattr(self, name)
                setattr(self, name, np.concatenate([column, np.zeros_like(column)]))
        if not self.rows.shape[1]:  # the first vector sets the dimensions
            self.rows = np.zeros((len(self.nodes), len(row)), np.int8)
        undo = self.remove(node, sequence)
        self.nodes[slot], self.scales[slot], self.rows[slot] = node, abs(scale), row
        self.han[slot] = scale < 0
        self.born[slot], self.dead[slot] = sequence, _NEVER
        self.slots[node] = slot
        self.count += 1

        def take_back() -> None:
            self.dead[slot] = self.born[slot]  # never valid
            self.lost += 1
            del self.slots[node]
            undo()

        return take_back

    def remove(self, node: int, sequence: int) -> Undo:
        """Remove the vector of `node` from `sequence` on."""
        slot = self.slots.pop(node, None)
        if slot is None:
            return lambda: None
        self.dead[slot] = sequence
        self.lost += 1
        self.removed.add(node)

        def undo() -> None:
            self.dead[slot] = _NEVER
            self.lost -= 1
            self.slots[node] = slot

        return undo

    def present(self, sequence: int, count: int | None = None, step: int = 1) -> Slots:
        """The places of every `step`-th of the first `count` rows (None: of all) that a reader at
        `sequence` sees."""
        count = self.count if count is None else count
        born, dead = self.born[:count:step], self.dead[:count:step]
        (places,) = ((born <= sequence) & (sequence < dead)).nonzero()
        return places * step

    def cosines(self, cue: Vector, count: int) -> Vector:
        """The cosines of the first `count` rows with a cue. Those of the last cues are cached, so
        that a repeated cue costs only the rows added since."""
        key = cue.tobytes()
        known: Vector = self._cosines.get(key, np.zeros(0, np.float32))
        if len(known) < count:
            parts = [known]
            for at in range(len(known), count, _BLOCK):
                stop = min(at + _BLOCK, count)
                parts.append(self.rows[at:stop].astype(np.float32) @ cue * self.scales[at:stop])
            known = np.concatenate(parts)
            self._cosines[key] = known
        return known[:count]

    def means(self, count: int) -> Means:
        """The means of the vectors of Latin and other scripts, and of Han, recomputed when 1 % of
        the rows has changed: the component that the model gives all texts of a script. That of a
        script with few texts is shrunk towards the mean of all."""
        changes = count + self.lost
        then, means = self._means
        if not then or abs(changes - then) * _DRIFT > then:
            totals = np.zeros((2, self.rows.shape[1]), np.float32)
            for at in range(0, count, _BLOCK):
                some = slice(at, min(at + _BLOCK, count))
                rows = self.rows[some].astype(np.float32)
                weights = np.where(self.dead[some] == _NEVER, self.scales[some], np.float32(0))
                for which in (0, 1):
                    totals[which] += np.where(self.han[some] == which, weights, 0) @ rows
            alive = self.dead[:count] == _NEVER
            counts = [int((alive & (self.han[:count] == which)).sum()) for which in (0, 1)]
            every = totals.sum(0) / np.float32(max(1, sum(counts)))
            latin, han = (
                ((total + _LEANING * every) / np.float32(n + _LEANING)).astype(np.float32)
                for total, n in zip(totals, counts, strict=True)
            )
            means = (every, every) if 0 in counts else (latin, han)
            self._means = changes, means
        return means

    def centred(self, cue: Vector, seen: Vector, means: Means, count: int) -> Vector:
        """The cosines of the first `count` rows, centred on the mean of their script, with a cue
        centred on the mean `seen`."""
        return _centred(partial(self.cosines, count=count), self.han[:count], cue, seen, means)

    def centred_at(self, cue: Vector, seen: Vector, means: Means, slots: Slots) -> Vector:
        """The same of some rows."""
        rows, scales = self.rows[slots].astype(np.float32), self.scales[slots]
        return _centred(lambda of: rows @ of * scales, self.han[slots], cue, seen, means)

    def near(self, cue: Vector, mean: Vector, wanted: int) -> tuple[Slots, int]:
        """About `wanted` rows of the graph nearest to a cue, and how many rows the graph had."""
        if (graph := self.graph) is None:
            return _NONE, 0
        linked = graph.count
        return graph.near(cue - mean, wanted), linked

    @property
    def is_linked(self) -> bool:
        """True if the graph holds nearly all rows."""
        return self.graph is not None and self.count - self.graph.count <= _UNLINKED

    def link(self) -> bool:
        """Add some rows to the graph; True if more are left. Raises as `Hnsw` does."""
        if self.graph is None:
            if len(self.slots) <= EXACT:
                return False
            self.graph = Hnsw(self.rows.shape[1])
            self._linked = self.means(self.count)
        first, count = self.graph.count, self.count
        if first < count:
            some = slice(first, min(first + _LINKED_AT_ONCE, count))
            rows = self.rows[some].astype(np.float32) * self.scales[some, None]
            self.graph.add(rows - np.array(self._linked)[self.han[some].astype(np.intp)])
        return self.graph.count < count

    def tidied(self) -> _Table:
        """A copy without the rows that present readers do not see."""
        table = _Table()
        for node, slot in sorted(self.slots.items()):
            scale = float(-self.scales[slot] if self.han[slot] else self.scales[slot])
            table.put(node, scale, self.rows[slot], int(self.born[slot]))
        return table


def _centred(
    products: Callable[[Vector], Vector],
    han: NDArray[np.bool_],
    cue: Vector,
    seen: Vector,
    means: Means,
) -> Vector:
    """The cosines of a cue c, centred on a mean q, with vectors x, each centred on the mean m of
    its script, from the products x·c, x·q and x·m: (x − m)·(c − q) = x·c − x·q − m·c + m·q,
    and |x − m|² = 1 − 2 x·m + m·m."""
    along = [products(mean) for mean in means]
    from_cue = along[0] if seen is means[0] else along[1]
    moved = np.array([float(mean @ (seen - cue)) for mean in means], np.float32)
    squares = np.array([float(mean @ mean) for mean in means], np.float32)
    which = han.astype(np.intp)
    own = np.where(han, along[1], along[0])
    apart = (1 - 2 * own + squares[which]).clip(_APART)
    length = np.float32(max(_APART, float((cue - seen) @ (cue - seen))))
    cosines = (products(cue) - from_cue + moved[which]) / np.sqrt(apart * length)
    return np.asarray(cosines, np.float32)


def _array(slots: Collection[int]) -> Slots:
    return np.fromiter(slots, np.intp, len(slots))


def _largest(slots: Slots, cosines: Vector, count: int) -> tuple[Slots, Vector]:
    """The slots with the `count` largest cosines, and these, in no order."""
    if len(slots) <= count:
        return slots, cosines
    kept = np.argpartition(cosines, len(cosines) - count)[-count:]
    return slots[kept], cosines[kept]


class Nearest:
    """The nodes near a cue, at one snapshot.

    All vectors of a model share a large component, and those of one script another. So vectors are
    centred on the mean of the memory's vectors in their script (Mu & Viswanath, All-but-the-Top,
    2018), and cosines are returned as *shares*: 0 for an unrelated or opposed text, 1 for the one
    that stands out most from the cosines of its script.
    """

    def __init__(self, table: _Table, sequence: int, cue: Vector, is_han: bool = False) -> None:
        self._table = table
        self._sequence = sequence
        self._cue = cue
        self._count = table.count
        self._means = table.means(self._count)
        self._seen = self._means[is_han]  # on which the cue is centred
        self._every: Vector | None = None  # the cosines of all, if they are known
        self._is_han = is_han
        self._best = np.zeros(2, np.float32)  # the largest cosine of either script
        self._top = self._found(_FEWEST)

    @property
    def count(self) -> int:
        return len(self._present())

    @property
    def distinction(self) -> float:
        """The z-score of the nearest among the cosines of its script (all or a sample), divided by
        √(2 ln n), the expected maximum of n chance ones."""
        means, spreads = self._spread
        return float(((self._best - means) / spreads).max()) if self._count else 0.0

    def best(self, count: int) -> dict[int, float]:
        """The `count` nearest nodes → their shares, 0–1."""
        top = self._top if count <= len(self._top[0]) else self._found(count)
        slots, cosines = _largest(*top, count)
        nodes, shares = self._table.nodes[slots].tolist(), self._shares_of(slots, cosines)
        return {node: share for node, share in zip(nodes, shares, strict=True) if share > 0}

    def shares(self, nodes: Collection[int]) -> dict[int, float]:
        """Those of `nodes` that have a vector → their shares, 0–1."""
        slots = self._slots(nodes)
        places = _array(slots.values())
        return dict(zip(slots, self._shares_of(places, self._cosines(places)), strict=True))

    def contrasts(self, nodes: Collection[int]) -> dict[int, float]:
        """Those of `nodes` that have a vector → their cosine with the cue less the mean of their
        cosines with the hundred nearest to it. Missing ones count as 0, since among a few notes
        the nearest would mostly be compared with itself."""
        slots = self._slots(nodes)
        top, cosines = self._top
        near = self._directions(top[cosines > 0]).sum(0) / _FEWEST
        places = _array(slots.values())
        apart = self._cosines(places) - self._directions(places) @ near
        return dict(zip(slots, apart.tolist(), strict=True))

    def alike(self, node: int, others: Iterable[int]) -> dict[int, float]:
        """Those of `others` that have a vector → its cosine with that of `node`, both centred; {}
        if the node has none."""
        own = self._slot(node)
        slots = {other: slot for other in others if (slot := self._slot(other)) is not None}
        if own is None or not slots:
            return {}
        rows = self._directions(_array([own, *slots.values()]))
        return dict(zip(slots, (rows[1:] @ rows[0]).tolist(), strict=True))

    def _directions(self, slots: Slots) -> Vector:
        """The vectors of some slots, centred on the mean of their script, of length 1."""
        table = self._table
        means = np.array(self._means)[table.han[slots].astype(np.intp)]
        rows = table.rows[slots].astype(np.float32) * table.scales[slots, None] - means
        directions: Vector = rows / np.linalg.norm(rows, axis=1, keepdims=True).clip(_APART)
        return directions

    def across(self, nodes: Collection[int]) -> set[int]:
        """Those of `nodes` whose text is in Han or kana while the cue is not, or the reverse."""
        if self._means[0] is self._means[1]:  # all texts are of one script
            return set()
        newest = self._table.slots
        known = [(node, slot) for node in nodes if (slot := newest.get(node)) is not None]
        others = self._table.han[_array([slot for _, slot in known])] != self._is_han
        return {
            node for (node, _), is_other in zip(known, others.tolist(), strict=True) if is_other
        }

    def _shares_of(self, slots: Slots, cosines: Vector) -> list[float]:
        """The shares of the cosines of some slots."""
        if float(self._best.max()) <= _LEAST:
            return [0.0] * len(cosines)
        if self._means[0] is self._means[1]:  # all texts are of one script
            shares = cosines / self._best.max()
        else:
            means, spreads = self._spread
            which = self._table.han[slots].astype(np.intp)
            most = ((self._best - means) / spreads).max()
            shares = (cosines - means[which]) / (spreads[which] * max(most, 1e-6))
        clipped: list[float] = shares.clip(0, 1).tolist()
        return clipped

    @cached_property
    def _spread(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each script: the mean cosine of its texts, and about how far above it the largest is
        by chance."""
        slots = self._present(1 if self._every is not None else max(1, self._count // _SAMPLE))
        cosines, han = self._cosines(slots), self._table.han[slots]
        means, spreads = np.zeros(2), np.full(2, np.inf)
        for which in (0, 1):
            own = cosines[han == which]
            if len(own):
                # Bounded below: if all texts are alike, the nearest would stand out by chance.
                spread = max(float(cosines.std()) / 2, float(own.std()), 1e-6)
                many = self.count * len(own) / len(slots)
                means[which] = own.mean()
                spreads[which] = spread * sqrt(2 * log(max(2.0, many)))
        return means, spreads

    def _found(self, count: int) -> tuple[Slots, Vector]:
        """The slots of the `count` nearest and their cosines, in no order."""
        slots = self._candidates(count)
        cosines = self._cosines(slots)
        han = self._table.han[slots]
        best = [cosines[han == which].max(initial=0.0) for which in (False, True)]
        self._best = np.maximum(self._best, np.array(best, np.float32))
        return _largest(slots, cosines, count)

    def _candidates(self, count: int) -> Slots:
        """Slots that include the `count` nearest: from the graph while that is less work than to
        compare all, since rows that it finds may be invalid at this snapshot."""
        wanted, table = count, self._table
        while self._every is None and table.is_linked and wanted * _STEP < self._count:
            found, linked = table.near(self._cue, self._seen, wanted)
            found = self._valid(found)
            if len(found) >= count:
                if linked == self._count:
                    return found
                return np.union1d(found, self._valid(np.arange(linked, self._count)))
            wanted *= 2
        if self._every is None:
            self._every = table.centred(self._cue, self._seen, self._means, self._count)
        return self._present()

    def _present(self, step: int = 1) -> Slots:
        """The valid slots of every `step`-th row."""
        return self._table.present(self._sequence, self._count, step)

    def _valid(self, slots: Slots) -> Slots:
        """Those of `slots` that a reader of this snapshot sees."""
        born, dead = self._table.born[slots], self._table.dead[slots]
        return slots[(born <= self._sequence) & (self._sequence < dead)]

    def _cosines(self, slots: Slots) -> Vector:
        if self._every is not None:
            return self._every[slots]
        return self._table.centred_at(self._cue, self._seen, self._means, slots)

    def _slots(self, nodes: Collection[int]) -> dict[int, int]:
        newest = self._table.slots
        slots = {node: slot for node in nodes if (slot := newest.get(node)) is not None}
        if len(slots) < len(nodes) or len(self._valid(_array(slots.values()))) < len(slots):
            return {node: slot for node in nodes if (slot := self._slot(node)) is not None}
        return slots

    def _slot(self, node: int) -> int | None:
        table = self._table
        slot = table.slots.get(node)
        if slot is not None and table.born[slot] <= self._sequence < table.dead[slot]:
            return slot
        if node not in table.removed:
            return None
        # Rewritten or removed since the snapshot: an earlier row is the one to see.
        earlier = self._valid(np.flatnonzero(table.nodes[: self._count] == np.uint64(node)))
        return int(earlier[0]) if len(earlier) else None


class VectorIndex:
    """The vectors of one scope. Reading takes no lock; writing belongs to transactions.

    Without a model (`use` was not called) nothing is held in memory or searched, but the stored
    rows are kept up to date: changed nodes are queued, removed ones lose their vectors.
    """

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._table: _Table | None = None
        self._stored = VectorState.read(store, scope).generation > 0
        self._linking = True  # until that has failed

    @property
    def state(self) -> VectorState:
        return VectorState.read(self._store, self._scope)

    def use(self, model: str, dimensions: int) -> bool:
        """Search with vectors of `model` from now on; a model other than the stored one starts a
        new generation, and all nodes are queued. `dimensions` 0: not known yet.

        Returns False, and searches nothing, if the store is read-only and has another model.
        """
        state = self.state
        known = state.dimensions if dimensions == 0 else dimensions
        if state.generation == 0 or (state.model, state.dimensions or known) != (model, known):
            if self._store.read_only:
                return False
            with Transaction(self._store, self._scope) as tx:
                state._replace(
                    generation=state.generation % 0xFFFF + 1, dimensions=dimensions,
                    backlog=tx.state.next_node - 1, vectors=0, model=model,
                ).write(tx)  # fmt: skip
        self._stored = True
        table, generation = _Table(), self.state.generation
        for key, record in self._store.range(*keys.under(self._scope.prefix(Space.VECTOR))):
            made, scale, row = unpacked(record)
            if made == generation:
                table.put(int.from_bytes(key[-8:], "big"), scale, row, 0)
        self._table = table
        return True

    # -- writing ------------------------------------------------------------------------------

    def changed(self, tx: Transaction, node: int) -> None:
        """Queue a new or changed node for embedding. Its old vector, if any, is used until then."""
        if self._stored:
            self._queue(tx, node, WAITING)

    def unqueue(self, tx: Transaction, node: int) -> None:
        """Take a node off the queue."""
        self._queue(tx, node, None)

    def set_aside(self, tx: Transaction, node: int) -> None:
        """Take a node on which the embedder fails off the queue until its text changes."""
        if tx.get(self._key(Space.EMBED, node)) == WAITING:
            self._queue(tx, node, SET_ASIDE)

    def _queue(self, tx: Transaction, node: int, now: bytes | None) -> None:
        """Write the state of a node in the queue (None: not in it), and update the counters."""
        key = self._key(Space.EMBED, node)
        if (known := tx.get(key)) == now:
            return
        if now is None:
            tx.delete(key)
        else:
            tx.put(key, now)
        state = VectorState.read(tx, self._scope)
        waiting = state.waiting + (now == WAITING) - (known == WAITING)
        aside = state.set_aside + (now == SET_ASIDE) - (known == SET_ASIDE)
        state._replace(waiting=waiting, set_aside=aside).write(tx)

    def put(self, tx: Transaction, node: int, scale: float, row: NDArray[np.int8]) -> None:
        """Set the vector of a node, and take it off the queue. A negative `scale` marks a text in
        Han or kana.

        Raises EmbedderError for a vector of another length than the others.
        """
        self.unqueue(tx, node)
        state = VectorState.read(tx, self._scope)
        if state.dimensions not in (0, len(row)):
            raise EmbedderError(
                f"{state.model!r} gave a vector of {len(row)} dimensions where the others have "
                f"{state.dimensions}; give another model another name"
            )
        key = self._key(Space.VECTOR, node)
        old = tx.get(key)
        is_new = old is None or unpacked(old)[0] != state.generation
        tx.put(key, packed(state.generation, scale, row))
        state._replace(dimensions=len(row), vectors=state.vectors + is_new).write(tx)
        if (table := self._table) is not None:
            tx.publish(lambda sequence: table.put(node, scale, row, sequence))

    def remove(self, tx: Transaction, node: int) -> None:
        """Remove the vector of a node, and its place in the queue."""
        if not self._stored:
            return
        self.unqueue(tx, node)
        old = tx.delete(self._key(Space.VECTOR, node))
        if old is None:
            return
        state = VectorState.read(tx, self._scope)
        if unpacked(old)[0] == state.generation:
            state._replace(vectors=state.vectors - 1).write(tx)
            if (table := self._table) is not None:
                tx.publish(lambda sequence: table.remove(node, sequence))

    def queue_backlog(self) -> bool:
        """Queue some of the nodes left without a vector by a change of the model, newest first;
        True if there were any."""
        state = self.state
        if not state.backlog:
            return False
        start = self._scope.prefix(Space.NODE)
        stop = start + keys.u64(state.backlog) + b"\x00"
        nodes = [
            int.from_bytes(key[-8:], "big")
            for key in islice(self._store.keys(start, stop, reverse=True), _BACKLOG_PAGE)
        ]
        with Transaction(self._store, self._scope) as tx:
            for node in nodes:
                if tx.get(start + keys.u64(node)) is not None:  # not forgotten since it was read
                    self.changed(tx, node)
            left = nodes[-1] - 1 if len(nodes) == _BACKLOG_PAGE else 0
            VectorState.read(tx, self._scope)._replace(backlog=left).write(tx)
        return True

    def waiting(self, first: int = 0) -> Iterator[int]:
        """The nodes from `first` on that wait for a vector, oldest first."""
        start = self._scope.prefix(Space.EMBED)
        for key, value in self._store.range(start + keys.u64(first), keys.after(start)):
            if value == WAITING:
                yield int.from_bytes(key[-8:], "big")

    def link(self) -> bool:
        """Add some vectors to the graph, if the table is large enough for one; True if more are
        left. One thread at a time."""
        table = self._table
        if table is None or not self._linking:
            return False
        try:
            return table.link()
        except ImportError as error:
            _log.info("vectors are searched exactly, which takes longer: %s", error)
        except (MemoryError, RuntimeError, ValueError) as error:
            table.graph = None
            _log.warning("vectors are searched exactly, which takes longer: %s", error)
        self._linking = False
        return False

    @property
    def search(self) -> str:
        """How the nearest are found now: "exact" or "approximate"."""
        table = self._table
        return "approximate" if table is not None and table.is_linked else "exact"

    def tidy(self) -> None:
        """Free the memory of vectors that no present reader can see."""
        table = self._table
        if table is None or table.lost < max(_LOST, len(table.slots)):
            return
        with self._store.writing:
            if self._table is table:
                self._table = table.tidied()

    def _key(self, space: Space, node: int) -> bytes:
        return self._scope.prefix(space) + keys.u64(node)

    # -- reading ------------------------------------------------------------------------------

    def hold(self) -> _Table | None:
        """The table of vectors; another object after it was rebuilt, see `Ground.agreeing`."""
        return self._table

    def nearest(
        self, table: _Table | None, sequence: int, cue: Vector, is_han: bool = False
    ) -> Nearest | None:
        """The nodes near `cue` for a reader at `sequence`; None if there is no vector at all.
        `is_han`: the cue is written in Han or kana.

        Raises EmbedderError for a cue of another length than the vectors.
        """
        return Nearest(table, sequence, cue, is_han) if _is_searchable(table, cue) else None

    def cosines(
        self, table: _Table | None, sequence: int, cue: Vector, among: Collection[int] | None
    ) -> list[tuple[int, float]]:
        """Nodes with the cosine of their vector with `cue`, −1 to 1, for a reader at `sequence`;
        the largest first. All are compared, none is centred.

        among: these only; None: all. Raises EmbedderError as `nearest` does.
        """
        if not _is_searchable(table, cue):
            return []
        slots = table.present(sequence)
        if among is None:
            found = table.cosines(cue, table.count)[slots]
        else:
            wanted = np.fromiter(among, np.uint64, len(among))
            slots = slots[np.isin(table.nodes[slots], wanted)]
            found = table.rows[slots].astype(np.float32) @ cue * table.scales[slots]
        nodes = table.nodes[slots]
        order = np.lexsort((nodes, -found))
        return list(zip(nodes[order].tolist(), found[order].clip(-1, 1).tolist(), strict=True))


def _is_searchable(table: _Table | None, cue: Vector) -> TypeGuard[_Table]:
    """True if there is any vector. Raises EmbedderError for a cue of another length."""
    if table is None or not table.count:
        return False
    if table.rows.shape[1] != len(cue):
        raise EmbedderError(
            f"the cue's vector has {len(cue)} dimensions where the memory's have "
            f"{table.rows.shape[1]}; give another model another name"
        )
    return True
