"""Pressure: makes room when a budget is nearly full, by shortening or forgetting nodes in one order
until there is enough (docs/forgetting.md; the due index is ordered by `graph.worth.rank`). It
counts no pass, so no link weakens."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from heapq import heappop, heappush
from itertools import islice
from threading import Lock
from typing import Final, TypeAlias

from graphmem.forgetting.holding import Holdings, holder, stands_alone
from graphmem.forgetting.shortening import Fader, Hold, Tally
from graphmem.graph import worth
from graphmem.graph.exchanges import is_in_exchange
from graphmem.graph.ground import Ground
from graphmem.graph.links import out_links
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.writer import GraphWriter, fainter
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.values.reports import SweepReport
from graphmem_worker.text.words import shape

_MOST: Final = 1 << 64  # no rank is higher
_NEWCOMERS: Final = 1 / 8  # share of new nodes from which on the order is restarted, …
_FEW: Final = 8  # … or number of them, in a small memory
_FAINT: Final = (1 / 16, 1 / 4)  # weights under which links are cut, the lower one first
_PAGE: Final = 64  # nodes of the order that are read at once
_AGAIN: Final = 2  # repetitions of a text on several days: so many of the newest stay
_SERIES: Final = 5  # texts that differ in figures only: so many of the newest stay


class Pressure:
    """Makes room in one scope."""

    def __init__(
        self, ground: Ground, fader: Fader, predecessors: Callable[[int], Collection[int]]
    ) -> None:
        """predecessors: the older nodes that must go before a node."""
        self._ground = ground
        self._store, self._scope = ground.store, ground.scope
        self._fader = fader
        self._predecessors = predecessors
        self._predecessors_of: dict[
            int, Collection[int]
        ] = {}  # node → its predecessors, in this run
        self._tally = Tally()
        self._turn = Lock()  # one thread at a time; it may wait for the writer's lock
        self._going: Iterator[None] | None = None  # for live bytes: continues the last call
        self._begun = 0, 0  # `_at` when it began
        self.is_paused = False
        """True if a call for live bytes paused before there was room."""
        self.exhausted = False
        """True if the last call ended because nothing is left that may go."""

    def relieve(
        self,
        fits: Callable[[], bool],
        *,
        pause: Callable[[], bool] = lambda: False,
        progress: Callable[[SweepReport], None] | None = None,
        text_budget: int | None = None,
    ) -> SweepReport:
        """Shorten or forget nodes in order until `fits()`, nothing may go, or `pause()`.

        `progress` is called after each examined node.
        text_budget: the bytes of text to fit into; None: live bytes, of which text is a part, are
        freed. A later call for live bytes resumes where this one stopped, because
        starting over reads every node; it starts over once an eighth of the nodes is new.
        """
        with self._turn:
            begun = time.monotonic()
            self._tally = Tally()
            self.exhausted = self.is_paused = False
            is_live = text_budget is None
            state = self._scope.state
            new = state.next_node - self._begun[0]
            if not is_live or new > max(_FEW, _NEWCOMERS * state.nodes):
                self._going = None
            goes_on = self._going is not None
            going = self._going or self._begin(text_budget)
            while not fits():
                if pause():
                    self.is_paused = is_live
                    break
                if next(going, self) is self:
                    self._going = None
                    if not goes_on or self._begun == self._at():
                        self.exhausted = True
                        break
                    going, goes_on = self._begin(text_budget), False  # nodes were added meanwhile
                if progress is not None:
                    progress(self._report(begun))
            return self._report(begun)

    def _begin(self, text_budget: int | None) -> Iterator[None]:
        going = self._acts(text_budget)
        if text_budget is None:
            self._going, self._begun = going, self._at()
        return going

    def _at(self) -> tuple[int, int]:
        """The next node and the number of pinned ones: if neither changes, no more may go."""
        return self._scope.state.next_node, self._scope.state.pinned

    def _report(self, begun: float) -> SweepReport:
        return self._tally.report(self._scope.state, 0, 0, time.monotonic() - begun)

    # -- the order ------------------------------------------------------------------------------

    def order(self) -> Iterator[int]:
        """The ranked nodes in the order in which they would go."""
        view = self._ground.view()
        for key in self._store.keys(*keys.under(self._scope.prefix(Space.DUE))):
            node = int.from_bytes(key[-8:], "big")
            record = view.record(node)
            if record is not None and not record.pinned and node not in view.focus:
                yield node

    def _acts(self, text_budget: int | None) -> Iterator[None]:
        """Make room step by step, from the beginning of the order; yields after each step."""
        self._fader.holdings = Holdings()
        self._predecessors_of.clear()
        if text_budget is None:
            yield from self._drop_tombstones()
            yield from self._cut_faint_links()
        later: list[tuple[int, int]] = []
        start = self._scope.prefix(Space.DUE)
        yield from self._ranked(start, worth.first_rank(worth.REPLACED), later, text_budget)
        yield from self._forget_repetitions()
        start += keys.u64(worth.first_rank(worth.REPLACED))
        yield from self._ranked(start, _MOST, later, text_budget)

    def _ranked(
        self, start: bytes, below: int, later: list[tuple[int, int]], text_budget: int | None
    ) -> Iterator[None]:
        """Press the nodes of a rank under `below`. later: a heap of (rank, node) of those whose
        rank has risen since it was read."""
        is_live = text_budget is None
        stop = keys.after(self._scope.prefix(Space.DUE))
        page: list[bytes] = []
        read = 0  # the next node when the page was read: a newer one may belong in it
        spent, sequence = 0.0, self._store.sequence
        while True:
            if not page or read != self._scope.state.next_node:
                read = self._scope.state.next_node
                page = list(islice(self._store.keys(start, stop), _PAGE))[::-1]
            rank = int.from_bytes(page[-1][5:13], "big") if page else _MOST
            if later and later[0][0] <= rank:
                rank, node = heappop(later)
            elif page:
                start = page.pop()
                node, start = int.from_bytes(start[-8:], "big"), start + b"\x00"
            else:
                return
            if rank >= below:
                heappush(later, (rank, node))
                return
            started = time.monotonic()
            self._press(node, rank, later, is_live)
            while (least := self._fader.let_go(self._scope.state, text_budget)) is not None:
                self._press(least[0], rank, later, is_live, least[1])
            spent += time.monotonic() - started
            if self._store.sequence != sequence:  # most examined nodes stay unchanged
                self._store.stand_back(spent)
                spent, sequence = 0.0, self._store.sequence
            yield

    def _press(
        self,
        node: int,
        rank: int,
        later: list[tuple[int, int]],
        is_live: bool,
        hold: Hold = "sentences",
    ) -> None:
        """Forget a node, or as much of it as is worth less than its rank."""
        predecessors: Collection[int] = ()
        if worth.kind_of(rank) != worth.REPLACED and hold == "sentences":
            if node not in self._predecessors_of:
                if self._comes_later(node, rank, later, is_live):
                    return  # for most nodes the predecessors need not be read
                self._predecessors_of[node] = self._predecessors(node) or ()
            predecessors = self._predecessors_of[node]
        with self._ground.writing() as writer:
            pair = writer.view.pair(node)
            if pair is None:
                return
            record, text = pair
            if node in writer.focus or record.pinned:
                return
            state = writer.tx.state
            overhead = worth.overhead(state) if is_live else 0.0
            present = worth.rank(state, text, record, overhead)
            pairs = {other: writer.view.pair(other) for other in predecessors}
            older = {  # predecessors that may go
                other: pair
                for other, pair in pairs.items()
                if pair is not None and not pair[0].pinned and other not in writer.focus
            }
            ranks = [
                max(r.due, worth.after(worth.rank(state, t, r, overhead)))
                for r, t in older.values()
            ]
            if older:
                ranks += [rank for rank, other in later if other in older]
            after = max(ranks, default=0) + 1
            if max(present, after) > rank and hold == "sentences":
                heappush(later, (max(present, after), node))
                if after > present and is_live:
                    writer.set_due(node, record, after)
                else:
                    self._set_rank(writer, node, text, record)
                return
            self._tally.examined += 1
            if older:  # not gone in their turn, they are held: so is this node
                held = holder(text, record, self._ground.now(), fades=self._scope.fades)
                self._fader.keep(node, text.size, text, record, held, tight=True, behind=older)
                return
            importance = worth.pressed(state, text, rank, overhead)
            left = self._fader.fade(writer, node, text, record, importance, self._tally, hold)
            if left is None:
                self._predecessors_of.pop(node, None)
            else:
                self._set_rank(writer, node, left[0], left[1])
                present = worth.rank(state, left[0], left[1], overhead, left[2])
                if left[0] is text and left[2] is None:  # it has no gist
                    present = worth.after(rank)
                if present > rank:
                    heappush(later, (present, node))

    def _comes_later(
        self, node: int, rank: int, later: list[tuple[int, int]], is_live: bool
    ) -> bool:
        """Whether the present rank of a node is above `rank`; then it is put into `later`."""
        view = self._ground.view()
        pair = view.pair(node)
        if pair is None or node in view.focus or pair[0].pinned:
            return True  # `_press` skips these
        record, text = pair
        overhead = worth.overhead(view.state) if is_live else 0.0
        present = worth.rank(view.state, text, record, overhead)
        if present <= rank:
            return False
        heappush(later, (present, node))
        if record.due != worth.rank(view.state, text, record, worth.overhead(view.state)):
            with self._ground.writing() as writer:
                if (found := writer.view.pair(node)) is not None:
                    self._set_rank(writer, node, found[1], found[0])
        return True

    def _set_rank(
        self, writer: GraphWriter, node: int, text: TextRecord, record: NodeRecord
    ) -> None:
        due = worth.rank(writer.tx.state, text, record, worth.overhead(writer.tx.state))
        if due != record.due:
            writer.set_due(node, record, due)

    def _nodes(self, space: Space) -> Iterator[int]:
        """The nodes that a space has keys of, ascending."""
        return self._ground.nodes(*keys.under(self._scope.prefix(space)))

    # -- tombstones, faint links, repetitions ----------------------------------------------------

    def _drop_tombstones(self) -> Iterator[None]:
        """Cut the links to forgotten nodes, and thereby drop their tombstones, the oldest first."""
        for node in self._nodes(Space.TOMBSTONE):
            with self._ground.writing() as writer:
                writer.cut_incoming(node)
                self._fader.removal.release_tombstones(writer, [node])
            yield

    def _cut_faint_links(self) -> Iterator[None]:
        """Cut faint links that the memory made by itself, the weakest first: with their keys they
        take a third of the room, which texts use better."""
        for weight in _FAINT:
            nodes = self._nodes(Space.OUT)
            while page := list(islice(nodes, _PAGE)):
                view = self._ground.view()
                is_faint = fainter(weight, view.passes, self._scope.decay)
                for node, head in zip(page, view.heads(page), strict=True):
                    if not any(map(is_faint, out_links(view.reader, self._scope, node, head))):
                        continue  # most nodes: saves a transaction for each
                    with self._ground.writing() as writer:
                        cut = [] if node in writer.focus else writer.cut_faint(node, weight)
                        self._fader.removal.release_tombstones(writer, cut)
                    if cut:
                        yield
                yield

    def _forget_repetitions(self) -> Iterator[None]:
        """Forget repetitions. Of equal texts of one `happened`, or none, the pinned, the most used,
        else the newest stays; of several, the newest two. Of texts that differ in figures only,
        the newest five and five of the distinct texts stay, and those that `stands_alone`."""
        same: defaultdict[tuple[int, ...], list[tuple[bool, int, int, int]]] = defaultdict(list)
        nodes = self._nodes(Space.NODE)
        while page := list(islice(nodes, _PAGE)):
            view = self._ground.view()
            for node, record, text in view.pairs(page):
                if not text.spans:
                    continue
                hashes = (_at_one_time(record, text), _but_for_figures(record, text), text.spans)
                stays = record.pinned or node in view.focus
                same[tuple(map(hash, hashes))].append((stays, record.uses, node, text.moment))
            yield
        series: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for place, ((_, shape_hash, text_hash), alike) in enumerate(same.items(), 1):
            *others, (is_kept, _, last, when) = sorted(alike)
            if not is_kept:
                series[shape_hash].append((when, last, text_hash))
            for stays, _, node, _ in others:
                if not stays:
                    self._forget_repeat(node, [last], _at_one_time)
                    yield
            if place % _PAGE == 0:
                yield
        for entries in series.values():
            kept = list[int]()
            texts: defaultdict[int, list[int]] = defaultdict(list)  # text → nodes that stay
            gone = list[tuple[int, list[int], _Key]]()
            for _, node, text_hash in sorted(entries, reverse=True):
                if len(texts[text_hash]) == _AGAIN:
                    gone.append((node, texts[text_hash], _on_any_day))
                elif len(kept) < _SERIES or (not texts[text_hash] and len(texts) <= _SERIES):
                    kept.append(node)
                    texts[text_hash].append(node)
                else:
                    gone.append((node, kept, _but_for_figures))
            for node, stay, key in reversed(gone):
                self._forget_repeat(node, stay, key)
                yield

    def _forget_repeat(self, node: int, kept: list[int], key: _Key) -> None:
        """Forget a node if all in `kept` still have its key: between two steps anything may have
        been written."""
        view, now = self._ground.view(), self._ground.now()
        pair = view.pair(node)
        if pair is None or (key is _but_for_figures and stands_alone(*pair, now)):
            return
        if is_in_exchange(view, node):
            return
        with self._ground.writing() as writer:
            if writer.view.pair(node) != pair or pair[0].pinned or node in writer.focus:
                return
            others = list(map(writer.view.pair, kept))
            if pair[1].spans and all(o is not None and key(*o) == key(*pair) for o in others):
                self._fader.removal.forget(writer, node, "room")
                self._tally.forgotten += 1


_Key: TypeAlias = Callable[[NodeRecord, TextRecord], Hashable]


def _at_one_time(record: NodeRecord, text: TextRecord) -> Hashable:
    return text.spans, text.happened, text.speaker, record.valid_to


def _on_any_day(record: NodeRecord, text: TextRecord) -> Hashable:
    return text.spans, text.speaker, record.valid_to


def _but_for_figures(record: NodeRecord, text: TextRecord) -> Hashable:
    return shape("".join(text.spans)), text.speaker, record.valid_to
