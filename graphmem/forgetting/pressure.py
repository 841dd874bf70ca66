"""Pressure: makes room when a budget is nearly full, by shortening or forgetting nodes in one order
until there is enough (docs/forgetting.md; the due index has them in the order of
`graph.worth.rank`). It makes no pass, so no link weakens."""

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
_NEWCOMERS: Final = 1 / 8  # of the nodes, after which the order is begun again, …
_FEW: Final = 8  # … or so many in a small memory
_FAINT: Final = (1 / 16, 1 / 4)  # weights of links up to which they go, one after the other
_PAGE: Final = 64  # nodes of the order that are read at once
_AGAIN: Final = 2  # of what is told in the same words on several days, the last so many stay
_SERIES: Final = 5  # of what is told in the same words with other figures, the last so many stay


class Pressure:
    """Makes room in one scope."""

    def __init__(
        self, ground: Ground, fader: Fader, predecessors: Callable[[int], Collection[int]]
    ) -> None:
        """predecessors: the older nodes before which a node does not go."""
        self._ground = ground
        self._store, self._scope = ground.store, ground.scope
        self._fader = fader
        self._predecessors = predecessors
        self._before: dict[int, Collection[int]] = {}  # of the nodes left in this run
        self._tally = Tally()
        self._turn = Lock()  # one thread at a time; it may wait for the writer's lock
        self._going: Iterator[None] | None = None  # for live bytes: where the last call ended
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
        """Take what is next in the order until `fits()`, until nothing may go, or until `pause()`.

        `progress` is called after each node that was looked at.
        text_budget: the bytes of text to fit into; None: room is made of live bytes, of which the
        text is a part. A later call for live bytes resumes where this one stopped, because
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
                    going, goes_on = self._begin(text_budget), False  # something has come meanwhile
                if progress is not None:
                    progress(self._report(begun))
            return self._report(begun)

    def _begin(self, text_budget: int | None) -> Iterator[None]:
        going = self._acts(text_budget)
        if text_budget is None:
            self._going, self._begun = going, self._at()
        return going

    def _at(self) -> tuple[int, int]:
        """The next node and how many are pinned: while they stay, nothing more may go."""
        return self._scope.state.next_node, self._scope.state.pinned

    def _report(self, begun: float) -> SweepReport:
        return self._tally.report(self._scope.state, 0, 0, time.monotonic() - begun)

    # -- the order ------------------------------------------------------------------------------

    def order(self) -> Iterator[int]:
        """The nodes in the order in which they would go, as far as they are ranked."""
        view = self._ground.view()
        for key in self._store.keys(*keys.under(self._scope.prefix(Space.DUE))):
            node = int.from_bytes(key[-8:], "big")
            record = view.record(node)
            if record is not None and not record.pinned and node not in view.focus:
                yield node

    def _acts(self, text_budget: int | None) -> Iterator[None]:
        """Does one thing after another, from the beginning of the order."""
        self._fader.holdings = Holdings()
        self._before.clear()
        if text_budget is None:
            yield from self._drop_tombstones()
            yield from self._faint()
        later: list[tuple[int, int]] = []
        start = self._scope.prefix(Space.DUE)
        yield from self._ranked(start, worth.first_rank(worth.REPLACED), later, text_budget)
        yield from self._repeated()
        start += keys.u64(worth.first_rank(worth.REPLACED))
        yield from self._ranked(start, _MOST, later, text_budget)

    def _ranked(
        self, start: bytes, below: int, later: list[tuple[int, int]], text_budget: int | None
    ) -> Iterator[None]:
        """Take the nodes of lower rank than `below`. `later`: rank and node of those that have got
        a higher one since they were read."""
        is_live = text_budget is None
        stop = keys.after(self._scope.prefix(Space.DUE))
        page: list[bytes] = []
        read = 0  # the node that was next when the page was read: a new one may belong into it
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
            if self._store.sequence != sequence:  # most of what is looked at stays as it is
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
        """Take a node, or as much of it as is worth less than its rank says."""
        before: Collection[int] = ()
        if worth.kind_of(rank) != worth.REPLACED and hold == "sentences":
            if node not in self._before:
                if self._comes_later(node, rank, later, is_live):
                    return  # of most it need not be known what they take the place of
                self._before[node] = self._predecessors(node) or ()
            before = self._before[node]
        with self._ground.writing() as writer:
            pair = writer.view.pair(node)
            if pair is None:
                return
            record, text = pair
            if node in writer.focus or record.pinned:
                return
            state = writer.tx.state
            beside = worth.overhead(state) if is_live else 0.0
            present = worth.rank(state, text, record, beside)
            pairs = {other: writer.view.pair(other) for other in before}
            older = {  # that go some day
                other: pair
                for other, pair in pairs.items()
                if pair is not None and not pair[0].pinned and other not in writer.focus
            }
            goes = [
                max(r.due, worth.after(worth.rank(state, t, r, beside))) for r, t in older.values()
            ]
            if older:
                goes += [rank for rank, other in later if other in older]
            after = max(goes, default=0) + 1
            if max(present, after) > rank and hold == "sentences":
                heappush(later, (max(present, after), node))
                if after > present and is_live:
                    writer.set_due(node, record, after)
                else:
                    self._set_rank(writer, node, text, record)
                return
            self._tally.examined += 1
            if older:  # their turn was before this one's, and they are held: so is this
                held = holder(text, record, self._ground.now(), fades=self._scope.fades)
                self._fader.keep(node, text.size, text, record, held, tight=True, behind=older)
                return
            importance = worth.pressed(state, text, rank, beside)
            left = self._fader.fade(writer, node, text, record, importance, self._tally, hold)
            if left is None:
                self._before.pop(node, None)
            else:
                self._set_rank(writer, node, left[0], left[1])
                present = worth.rank(state, left[0], left[1], beside, left[2])
                if left[0] is text and left[2] is None:  # no gist of it is good
                    present = worth.after(rank)
                if present > rank:
                    heappush(later, (present, node))

    def _comes_later(
        self, node: int, rank: int, later: list[tuple[int, int]], is_live: bool
    ) -> bool:
        """Whether a node has by now, of itself, a higher rank than that at which it was met; then
        it is met again there."""
        view = self._ground.view()
        pair = view.pair(node)
        if pair is None or node in view.focus or pair[0].pinned:
            return True  # `_press` leaves these
        record, text = pair
        beside = worth.overhead(view.state) if is_live else 0.0
        present = worth.rank(view.state, text, record, beside)
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

    # -- what is told elsewhere -----------------------------------------------------------------

    def _drop_tombstones(self) -> Iterator[None]:
        """Cut the links to what was forgotten, and so drop its tombstones, the oldest first."""
        for node in self._nodes(Space.TOMBSTONE):
            with self._ground.writing() as writer:
                writer.cut_incoming(node)
                self._fader.removal.release_tombstones(writer, [node])
            yield

    def _faint(self) -> Iterator[None]:
        """Cut the links that the memory made by itself, those that recall weighs least first: with
        their keys they take a third of the room, and texts stored in that room answer more.
        """
        for weight in _FAINT:
            nodes = self._nodes(Space.OUT)
            while page := list(islice(nodes, _PAGE)):
                view = self._ground.view()
                is_faint = fainter(weight, view.passes, self._scope.decay)
                for node, head in zip(page, view.heads(page), strict=True):
                    if not any(map(is_faint, out_links(view.reader, self._scope, node, head))):
                        continue  # as most of them: a transaction for each takes its time
                    with self._ground.writing() as writer:
                        cut = [] if node in writer.focus else writer.cut_faint(node, weight)
                        self._fader.removal.release_tombstones(writer, cut)
                    if cut:
                        yield
                yield

    def _repeated(self) -> Iterator[None]:
        """Forget what another node says word by word: of several the pinned, the most used, the
        newest one stays; of those on several days the newest two. Of what is left and says the same
        with other figures, the newest few stay and as many of the newest texts, and what
        `stands_alone`."""
        same: defaultdict[tuple[int, ...], list[tuple[bool, int, int, int]]] = defaultdict(list)
        nodes = self._nodes(Space.NODE)
        while page := list(islice(nodes, _PAGE)):
            view = self._ground.view()
            for node, record, text in view.pairs(page):
                if not text.spans:
                    continue
                hashes = (_in_words(record, text), _but_for_figures(record, text), text.spans)
                stays = record.pinned or node in view.focus
                same[tuple(map(hash, hashes))].append((stays, record.uses, node, text.moment))
            yield
        series: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for place, ((_, shaped, said), alike) in enumerate(same.items(), 1):
            *others, (is_bound, _, last, when) = sorted(alike)
            if not is_bound:
                series[shaped].append((when, last, said))
            for stays, _, node, _ in others:
                if not stays:
                    self._forget_repeat(node, [last], _in_words)
                    yield
            if place % _PAGE == 0:
                yield
        for readings in series.values():
            kept = list[int]()
            texts: defaultdict[int, list[int]] = defaultdict(list)  # of each, those that stay
            gone = list[tuple[int, list[int], _Told]]()
            for _, node, said in sorted(readings, reverse=True):
                if len(texts[said]) == _AGAIN:
                    gone.append((node, texts[said], _on_any_day))
                elif len(kept) < _SERIES or (not texts[said] and len(texts) <= _SERIES):
                    kept.append(node)
                    texts[said].append(node)
                else:
                    gone.append((node, kept, _but_for_figures))
            for node, stay, told in reversed(gone):
                self._forget_repeat(node, stay, told)
                yield

    def _forget_repeat(self, node: int, kept: list[int], told: _Told) -> None:
        """Forget a node if each of those that stay for it still tells what it does: between two
        steps anything may have been written."""
        view, now = self._ground.view(), self._ground.now()
        pair = view.pair(node)
        if pair is None or (told is _but_for_figures and stands_alone(*pair, now)):
            return
        if is_in_exchange(view, node):
            return
        with self._ground.writing() as writer:
            if writer.view.pair(node) != pair or pair[0].pinned or node in writer.focus:
                return
            others = list(map(writer.view.pair, kept))
            if pair[1].spans and all(o is not None and told(*o) == told(*pair) for o in others):
                self._fader.removal.forget(writer, node, "room")
                self._tally.forgotten += 1


_Told: TypeAlias = Callable[[NodeRecord, TextRecord], Hashable]


def _in_words(record: NodeRecord, text: TextRecord) -> Hashable:
    return text.spans, text.happened, text.speaker, record.valid_to


def _on_any_day(record: NodeRecord, text: TextRecord) -> Hashable:
    return text.spans, text.speaker, record.valid_to


def _but_for_figures(record: NodeRecord, text: TextRecord) -> Hashable:
    return shape("".join(text.spans)), text.speaker, record.valid_to
