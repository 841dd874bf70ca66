"""Sweeps: one pass over what is due, most overdue first, a short batch for each node."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from graphmem.errors import CorruptError
from graphmem.forgetting.forms import next_form, overdue
from graphmem.forgetting.holding import Holdings, holder
from graphmem.forgetting.removal import Removal
from graphmem.graph import kinds, worth
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import Relations
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter, text_hash
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.texts import TextIndex
from graphmem.storage.store import Store
from graphmem.values.nodes import Form
from graphmem.values.reports import SweepReport
from graphmem_worker.text.protects import is_protective_by_pattern
from graphmem_worker.text.salience import salience

_PAGE: Final = 256  # due keys read at a time

_Hold = Literal["sentences", "clauses", "nothing"]
"""What of a node is held beyond its time."""


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
        max_bytes: int | None = None,
        shortened: Callable[[Transaction, int], None] | None = None,
    ) -> None:
        """`shortened` is called with each node that has got a shorter form, in its transaction.

        Of `max_bytes` of live bytes, what is held beyond its time takes the shares of `holding`.
        """
        self._store = store
        self._scope = scope
        self._relations = relations
        self._index = index
        self._removal = removal
        self._grace = grace
        self._rarity = rarity
        self._now = now
        self._max_bytes = max_bytes
        self.shortened = shortened
        self._holdings = Holdings()
        self._text_budget: int | None = None  # of the `shrink` that is going on
        # No node is due before this pass. LevelDB reads slowly over what was just deleted, so the
        # beginning of the index is not looked at again.
        self._done = 0

    def sweep(self, seconds: float, passes: int = 1) -> SweepReport:
        """Add `passes` to the pass counter and take what is due, for at most `seconds`."""
        begun = time.monotonic()
        tally = _Tally()
        tally.forgotten += self.expire()
        self._advance(passes)
        reached = self._scope.state.passes
        for node in self._due(reached):
            if time.monotonic() - begun > seconds:
                break
            started = time.monotonic()
            self._take(node, tally)
            self._store.stand_back(time.monotonic() - started)
        else:
            self._finished(reached)
        return self._report(tally, passes, begun)

    def expire(self) -> int:
        """Forget the nodes whose time is over, into the archive; returns how many they were."""
        if not self._scope.state.expiring:
            return 0
        start, now = self._scope.prefix(Space.EXPIRY), self._now()
        forgotten = 0
        for key in list(self._store.keys(start, start + keys.u64(now + 1))):
            node = int.from_bytes(key[-8:], "big")
            with Transaction(self._store, self._scope, joins=True) as tx:
                writer = GraphWriter(tx, self._relations)
                record = writer.view.record(node)
                # Another thread may have been here, or have given it more time.
                if record is not None and record.expires is not None and record.expires <= now:
                    self._removal.forget(writer, node, "expired", now)
                    forgotten += 1
        return forgotten

    def shrink(
        self,
        fits: Callable[[], bool],
        *,
        stride: int | None = None,
        seconds: float = math.inf,
        progress: Callable[[SweepReport], None] | None = None,
        text_budget: int | None = None,
    ) -> SweepReport:
        """Make passes until `fits()`, until only nodes in focus, pinned and held ones are left, or
        for `seconds`.

        Of `text_budget` bytes of text, what is held beyond its time takes the shares of `holding`.

        Passes in which nothing is due are made at once, at most `stride` of them at a time;
        `progress` is called after each time.
        """
        self._text_budget = text_budget
        try:
            return self._shrink(fits, stride, seconds, progress)
        finally:
            self._text_budget = None

    def _shrink(
        self,
        fits: Callable[[], bool],
        stride: int | None,
        seconds: float,
        progress: Callable[[SweepReport], None] | None,
    ) -> SweepReport:
        begun = time.monotonic()
        tally, made = _Tally(), 0
        self._let_go(tally)
        while not fits() and not self.all_protected():
            step = self._passes_to_next_due()
            step = step if stride is None else min(step, stride)
            self._advance(step)
            made += step
            reached = self._scope.state.passes
            for node in self._due(reached):
                self._take(node, tally)
                if fits() or time.monotonic() - begun > seconds:
                    return self._report(tally, made, begun)
            self._finished(reached)
            if progress is not None:
                progress(self._report(tally, made, begun))
        return self._report(tally, made, begun)

    def all_protected(self) -> bool:
        """True if every node is in focus, pinned or held, so that no pass changes one."""
        view = View(self._store, self._scope, self._relations)
        records = (view.record(node) for node in view.focus)
        unpinned = sum(1 for record in records if record is not None and not record.pinned)
        apart = view.state.pinned + unpinned
        if view.state.nodes > apart + len(self._holdings):
            return False
        return view.state.nodes <= apart + self._count_held(view)

    def _count_held(self, view: View) -> int:
        """The held nodes that are there, neither pinned nor in focus; others are noted no more."""
        count = 0
        for node in list(self._holdings):
            record = view.record(node)
            if record is None:
                self._holdings.drop(node)
            elif not record.pinned and node not in view.focus:
                count += 1
        return count

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

    def _take(self, node: int, tally: _Tally) -> None:
        """Look at a node that is due."""
        self._process(node, tally)
        self._let_go(tally)

    def _let_go(self, tally: _Tally) -> None:
        """If more is held beyond its time than may be, cut down or let go the least used."""
        while (least := self._holdings.least(self._text_room())) is not None:
            node, tight = least
            self._process(node, tally, "nothing" if tight else "clauses")

    def _text_room(self) -> float:
        """Bytes of text for which there is a budget; of a budget of live bytes as much as the same
        share of them is text."""
        room = math.inf if self._text_budget is None else self._text_budget
        if self._max_bytes is not None:
            state = self._scope.state
            room = min(room, self._max_bytes * state.text_bytes / max(1, state.live_bytes))
        return room

    def _process(self, node: int, tally: _Tally, hold: _Hold = "sentences") -> None:
        with Transaction(self._store, self._scope) as tx:
            writer = GraphWriter(tx, self._relations)
            pair = writer.view.pair(node)
            if pair is None or (pair[0].due > tx.state.passes and hold == "sentences"):
                return  # hidden, or changed since its key was read
            record, text = pair
            tally.examined += 1
            cut = writer.cut_broken(node)
            if node in writer.focus or record.pinned:
                writer.set_due(node, record, tx.state.passes + worth.ASK_AGAIN)
            elif tx.state.passes < record.born + self._grace:
                writer.set_due(node, record, record.born + self._grace)
            else:
                self._fade(writer, node, text, record, tally, hold)
            self._removal.release_tombstones(writer, cut)

    def _fade(
        self,
        writer: GraphWriter,
        node: int,
        text: TextRecord,
        record: NodeRecord,
        tally: _Tally,
        hold: _Hold,
    ) -> None:
        importance = writer.importance(node)
        held = None if hold == "nothing" else holder(text, record, self._now())
        tight = hold == "clauses"
        form = next_form(text, importance, writer.tx.state, self._salience, held, tight=tight)
        beyond = 0
        if held is not None and form is not None:
            beyond = overdue(form, importance, writer.tx.state, held)
        if beyond:
            assert held is not None
            protective = [span for span in text.spans if held(span) == "protective"]
            self._holdings.note(
                node,
                beyond,
                record,
                protective=bool(protective),
                tight=tight,
                by_pattern=any(map(is_protective_by_pattern, protective)) or not protective,
            )
        else:
            self._holdings.drop(node)
        if form is None:
            self._removal.forget(writer, node, "faded", self._now())
            tally.forgotten += 1
            return
        if form is not text:
            self._removal.archive(writer, node, text, record, "shortened", self._now())
            self._index.put(writer.tx, node, form.words, text.words)
            writer.put_text(node, text, form)
            record = kinds.settled(record, text)._replace(
                version=record.version + 1, text_hash=text_hash(form), enriched=True
            )
            if self.shortened is not None:
                self.shortened(writer.tx, node)
            if form.form is Form.GIST:
                tally.gists += 1
            else:
                tally.shortened += 1
        state = writer.tx.state
        due = worth.due(
            self._scope, state, form, record, importance, self._grace, held if beyond else None
        )
        if beyond:  # the day until which it is held may have come
            due = min(due, state.passes + worth.ASK_AGAIN)
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
