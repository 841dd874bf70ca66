"""Sweeps: a pass increments the pass counter, from which the strength of links is computed when
they are read, and forgets what has expired. Where nodes fade by passes it also processes the due
nodes, most overdue first, in a short batch for each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import chain

from graphmem.errors import CorruptError
from graphmem.forgetting.shortening import Fader, Hold, Tally
from graphmem.graph import worth
from graphmem.graph.ground import Ground
from graphmem.graph.view import View
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.values.reports import SweepReport


class Sweeper:
    """Makes passes over one scope."""

    def __init__(self, ground: Ground, fader: Fader) -> None:
        self._ground = ground
        self._store, self._scope = ground.store, ground.scope
        self._fader = fader
        # No node is due before this pass. LevelDB is slow over deleted keys, so the beginning of
        # the index is not read again.
        self._done = 0

    def sweep(self, seconds: float, passes: int = 1) -> SweepReport:
        """Add `passes` to the pass counter, forget what has expired, and where nodes fade process
        the due ones, for at most `seconds`."""
        begun = time.monotonic()
        tally = Tally()
        tally.forgotten += self.expire()
        self._advance(passes)
        reached = self._scope.state.passes
        for node in self._due(reached) if self._scope.fades else ():
            if time.monotonic() - begun > seconds:
                break
            started = time.monotonic()
            self._take(node, tally)
            self._store.stand_back(time.monotonic() - started)
        else:
            self._finished(reached)
        return self._report(tally, passes, begun)

    def expire(self) -> int:
        """Forget the expired nodes, into the archive; returns how many."""
        if not self._scope.state.expiring:
            return 0
        start, now = self._scope.prefix(Space.EXPIRY), self._ground.now()
        forgotten = 0
        for key in list(self._store.keys(start, start + keys.u64(now + 1))):
            node = int.from_bytes(key[-8:], "big")
            with self._ground.writing(joins=True) as writer:
                record = writer.view.record(node)
                # Another thread may have forgotten it, or changed its expiry.
                if record is not None and record.expires is not None and record.expires <= now:
                    self._fader.removal.forget(writer, node, "expired")
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

        text_budget: the bytes of text of which the shares for held text (`holding`) are computed.

        Passes in which nothing is due are made at once, at most `stride` of them at a time;
        `progress` is called after each time.
        """
        begun = time.monotonic()
        tally, made = Tally(), 0
        self._let_go(tally, text_budget)
        while not fits() and not self.all_protected():
            step = self._passes_to_next_due()
            step = step if stride is None else min(step, stride)
            self._advance(step)
            made += step
            reached = self._scope.state.passes
            for node in self._due(reached):
                self._take(node, tally, text_budget)
                if fits() or time.monotonic() - begun > seconds:
                    return self._report(tally, made, begun)
            self._finished(reached)
            if progress is not None:
                progress(self._report(tally, made, begun))
        return self._report(tally, made, begun)

    def all_protected(self) -> bool:
        """True if every node is in focus, pinned or held, so that no pass changes one."""
        view = self._ground.view()
        records = (view.record(node) for node in view.focus)
        unpinned = sum(1 for record in records if record is not None and not record.pinned)
        apart = view.state.pinned + unpinned
        if view.state.nodes > apart + len(self._fader.holdings.nodes):
            return False
        return view.state.nodes <= apart + self._count_held(view)

    def _count_held(self, view: View) -> int:
        """How many held nodes are neither pinned nor in focus; drops those that are gone."""
        count = 0
        for node in list(self._fader.holdings.nodes):
            record = view.record(node)
            if record is None:
                self._fader.holdings.drop(node)
            elif not record.pinned and node not in view.focus:
                count += 1
        return count

    def _advance(self, passes: int) -> None:
        with self._ground.transaction() as tx:
            tx.state.passes += passes

    def _due_start(self) -> bytes:
        return self._scope.prefix(Space.DUE) + keys.u64(self._done)

    def _passes_to_next_due(self) -> int:
        stop = keys.after(self._scope.prefix(Space.DUE))
        first = next(self._store.keys(self._due_start(), stop), None)
        if first is None:
            raise CorruptError(
                f"scope {self._scope.name!r} has nodes but none is due; run admin.check()"
            )
        due = int.from_bytes(first[5:13], "big")
        return 1 if worth.is_ranked(due) else max(1, due - self._scope.state.passes)

    def _finished(self, reached: int) -> None:
        if not self._scope.state.intents:  # what is hidden stays due
            self._done = max(self._done, reached + 1)

    def _due(self, reached: int) -> Iterator[int]:
        """The nodes due by a pass, most overdue first, then the ranked ones; each once, whatever
        changes meanwhile."""
        prefix = self._scope.prefix(Space.DUE)
        return chain(
            self._ground.nodes(self._due_start(), prefix + keys.u64(reached + 1)),
            self._ground.nodes(prefix + keys.u64(worth.RANKED), keys.after(prefix)),
        )

    def _take(self, node: int, tally: Tally, text_budget: int | None = None) -> None:
        self._process(node, tally)
        self._let_go(tally, text_budget)

    def _let_go(self, tally: Tally, text_budget: int | None) -> None:
        """While more than the allowed share is held, shorten or forget the least used."""
        while (least := self._fader.let_go(self._scope.state, text_budget)) is not None:
            self._process(least[0], tally, least[1])

    def _process(self, node: int, tally: Tally, hold: Hold = "sentences") -> None:
        grace = self._ground.settings.grace
        with self._ground.writing() as writer:
            pair, state = writer.view.pair(node), writer.tx.state
            if pair is None:
                return  # hidden
            record, text = pair
            is_ranked = worth.is_ranked(record.due)
            if record.due > state.passes and hold == "sentences" and not is_ranked:
                return  # changed since its key was read
            tally.examined += 1
            cut = writer.cut_broken(node)
            if node in writer.focus or record.pinned:
                writer.set_due(node, record, state.passes + worth.ASK_AGAIN)
            elif state.passes < record.born + grace:
                writer.set_due(node, record, record.born + grace)
            else:
                importance = writer.importance(node)
                left = self._fader.fade(writer, node, text, record, importance, tally, hold)
                if left is not None:
                    text, record, held = left
                    due = worth.due(self._scope, state, text, record, importance, grace, held)
                    if held is not None:  # its reason may end by then
                        due = min(due, state.passes + worth.ASK_AGAIN)
                    writer.set_due(node, record, due)
            self._fader.removal.release_tombstones(writer, cut)

    def _report(self, tally: Tally, made: int, begun: float) -> SweepReport:
        state = self._scope.state
        waiting = sum(1 for _ in self._due(state.passes)) if self._scope.fades else 0
        return tally.report(state, made, waiting, time.monotonic() - begun)
