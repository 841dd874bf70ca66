"""Sweeps: one pass over what is due, most overdue first, a short batch for each node."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from graphmem.errors import CorruptError
from graphmem.forgetting.forms import next_form
from graphmem.forgetting.removal import Removal
from graphmem.graph import worth
from graphmem.graph.records import Form, NodeRecord, TextRecord
from graphmem.graph.relations import Relations
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter, text_hash
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.texts import TextIndex
from graphmem.storage.store import Store
from graphmem_worker.salience import salience

_ASK_AGAIN: Final = 8  # passes until a node in focus, or a pinned one, is looked at again
_PAGE: Final = 256  # due keys read at a time


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did."""

    passes: int  # the scope's pass counter now
    made: int  # passes made by this call
    examined: int  # nodes that were due
    shortened: int  # lost sentences or clauses, kept some
    gists: int  # lost their last sentence
    forgotten: int
    waiting: int  # due, but not reached in time; they wait, already decayed
    seconds: float
    text_bytes: int  # live text now, UTF-8
    live_bytes: int


@dataclass(slots=True)
class _Tally:
    examined: int = 0
    shortened: int = 0
    gists: int = 0
    forgotten: int = 0


class Sweeper:
    """Makes passes over one scope."""

    def __init__(
        self,
        store: Store,
        scope: Scope,
        relations: Relations,
        index: TextIndex,
        removal: Removal,
        *,
        grace: int,
        rarity: Callable[[str], float],
        now: Callable[[], int],
        shortened: Callable[[Transaction, int], None] | None = None,
    ) -> None:
        """`shortened` is called with each node that has got a shorter form, in its transaction."""
        self._store = store
        self._scope = scope
        self._relations = relations
        self._index = index
        self._removal = removal
        self._grace = grace
        self._rarity = rarity
        self._now = now
        self._shortened = shortened
        # No node is due before this pass. LevelDB reads slowly over what was just deleted, so the
        # beginning of the index is not looked at again.
        self._done = 0

    def sweep(self, seconds: float, passes: int = 1) -> SweepReport:
        """Add `passes` to the pass counter and take what is due, for at most `seconds`."""
        begun = time.monotonic()
        tally = _Tally()
        self._advance(passes)
        reached = self._scope.state.passes
        for node in self._due(reached):
            if time.monotonic() - begun > seconds:
                break
            started = time.monotonic()
            self._process(node, tally)
            self._store.stand_back(time.monotonic() - started)
        else:
            self._finished(reached)
        return self._report(tally, passes, begun)

    def shrink(
        self,
        fits: Callable[[], bool],
        *,
        stride: int | None = None,
        seconds: float = math.inf,
        progress: Callable[[SweepReport], None] | None = None,
    ) -> SweepReport:
        """Make passes until `fits()`, until only nodes in focus and pinned ones are left, or for
        `seconds`.

        Passes in which nothing is due are made at once, at most `stride` of them at a time;
        `progress` is called after each time.
        """
        begun = time.monotonic()
        tally, made = _Tally(), 0
        while not fits() and not self.all_protected():
            step = self._passes_to_next_due()
            step = step if stride is None else min(step, stride)
            self._advance(step)
            made += step
            reached = self._scope.state.passes
            for node in self._due(reached):
                self._process(node, tally)
                if fits() or time.monotonic() - begun > seconds:
                    return self._report(tally, made, begun)
            self._finished(reached)
            if progress is not None:
                progress(self._report(tally, made, begun))
        return self._report(tally, made, begun)

    def all_protected(self) -> bool:
        """True if every node is in focus or pinned, so that no number of passes changes one."""
        view = View(self._store, self._scope, self._relations)
        records = (view.record(node) for node in view.focus)
        unpinned = sum(1 for record in records if record is not None and not record.pinned)
        return view.state.nodes <= view.state.pinned + unpinned

    def _advance(self, passes: int) -> None:
        with Transaction(self._store, self._scope) as tx:
            tx.state.passes += passes

    def _due_start(self) -> bytes:
        return self._scope.prefix(Space.DUE) + keys.u64(self._done)

    def _passes_to_next_due(self) -> int:
        stop = keys.after(self._scope.prefix(Space.DUE))
        first = next(self._store.keys(self._due_start(), stop), None)
        if first is None:
            raise CorruptError(f"scope {self._scope.name!r} has nodes but none is due; run check()")
        return max(1, int.from_bytes(first[5:13], "big") - self._scope.state.passes)

    def _finished(self, reached: int) -> None:
        if not self._scope.state.intents:  # what is hidden stays due
            self._done = max(self._done, reached + 1)

    def _due(self, reached: int) -> Iterator[int]:
        """The nodes due by a pass, most overdue first; each once, whatever changes meanwhile."""
        start, stop = self._due_start(), self._scope.prefix(Space.DUE) + keys.u64(reached + 1)
        while True:
            page = []
            for key in self._store.keys(start, stop):
                page.append(key)
                if len(page) == _PAGE:
                    break
            for key in page:
                yield int.from_bytes(key[-8:], "big")
            if len(page) < _PAGE:
                return
            start = page[-1] + b"\x00"

    def _process(self, node: int, tally: _Tally) -> None:
        with Transaction(self._store, self._scope) as tx:
            writer = GraphWriter(tx, self._relations)
            pair = writer.view.pair(node)
            if pair is None or pair[0].due > tx.state.passes:
                return  # hidden, or changed since its key was read
            record, text = pair
            tally.examined += 1
            cut = writer.cut_broken(node)
            if node in writer.focus or record.pinned:
                writer.set_due(node, record, tx.state.passes + _ASK_AGAIN)
            elif tx.state.passes < record.born + self._grace:
                writer.set_due(node, record, record.born + self._grace)
            else:
                self._fade(writer, node, text, record, tally)
            self._removal.release_tombstones(writer, cut)

    def _fade(
        self, writer: GraphWriter, node: int, text: TextRecord, record: NodeRecord, tally: _Tally
    ) -> None:
        importance = writer.importance(node)
        form = next_form(text, importance, writer.tx.state, self._salience)
        if form is None:
            self._removal.forget(writer, node, "faded", self._now())
            tally.forgotten += 1
            return
        if form is not text:
            self._removal.archive(writer, node, text, record, "shortened", self._now())
            self._index.put(writer.tx, node, form.words, text.words)
            writer.put_text(node, text, form)
            record = record._replace(
                version=record.version + 1, text_hash=text_hash(form), enriched=True
            )
            if self._shortened is not None:
                self._shortened(writer.tx, node)
            if form.form is Form.GIST:
                tally.gists += 1
            else:
                tally.shortened += 1
        due = worth.due(self._scope, writer.tx.state, form, record, importance, self._grace)
        writer.set_due(node, record, due)

    def _salience(self, clause: str) -> float:
        return salience(clause, self._rarity)

    def _report(self, tally: _Tally, made: int, begun: float) -> SweepReport:
        state = self._scope.state
        waiting = sum(1 for _ in self._due(state.passes))
        return SweepReport(
            passes=state.passes,
            made=made,
            examined=tally.examined,
            shortened=tally.shortened,
            gists=tally.gists,
            forgotten=tally.forgotten,
            waiting=waiting,
            seconds=time.monotonic() - begun,
            text_bytes=state.text_bytes,
            live_bytes=state.live_bytes,
        )
