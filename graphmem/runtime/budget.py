"""The budget of a scope: keeps its memories within `max_bytes`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from math import inf
from time import monotonic
from typing import Any, Final

from graphmem.forgetting.pressure import Pressure
from graphmem.forgetting.sweep import Sweeper
from graphmem.hexastore.scopes import Scope
from graphmem.index.words.index import WordIndex
from graphmem.settings import Settings
from graphmem.values.checks import check_function
from graphmem.values.reports import SweepReport

_BEGIN, _END = 0.90, 0.85  # of the budget: the background makes room from the one to the other
_EASED: Final = 0.97  # of the budget: a writer who has reached it makes room to here, if quick
_SLACK: Final = 1.03  # of the budget: where nodes fade by passes, writers make room above it
_GROWN: Final = 0.05  # of the budget: by how much memories may grow after it was lowered
_PATIENCE: Final = 0.25  # seconds for which a writer makes room after the budget was lowered, …
_TURN: Final = 0.05  # … else once memories are within it; the background does the rest
_OVER_BUDGET: Final = 8  # passes that one sweep counts for while the scope is over its budget
_FEW_VOID: Final = 2  # void documents of the word index that are not worth folding for a budget
_VOID: Final = 1 / 32  # of the nodes; if more are void, they are folded first
_PARTS: Final = 8  # parts in which the word index is folded under a budget
_FEW_DEAD: Final = 256  # dead documents of the word index that are not worth a rebuild
_log = logging.getLogger("graphmem.forgetting")


@dataclass(slots=True)
class Budget:
    """Keeps one scope within `max_bytes`, by folding its word index and by forgetting."""

    scope: Scope
    settings: Settings
    words: WordIndex
    sweeper: Sweeper
    pressure: Pressure
    _stuck: tuple[int, int] | None = None
    """The next node and the number of pinned ones when nothing was left that may go."""
    _warned: bool = False  # whether it was logged that the budget cannot be kept
    _reached: int = 0
    """Bytes that no writer exceeds: the budget, or after it was lowered below the present size, the
    least size since then."""

    def __post_init__(self) -> None:
        self._reached = max(self.scope.state.memory_bytes, self.settings.max_bytes or 0)

    @property
    def used(self) -> float | None:
        """The share of the budget that is used, of bytes or of nodes, whichever is greater; None
        without a budget."""
        state, settings = self.scope.state, self.settings
        shares = []
        if settings.max_bytes is not None:
            shares.append(state.memory_bytes / settings.max_bytes)
        if settings.max_nodes is not None:
            shares.append(state.nodes / settings.max_nodes)
        return max(shares, default=None)

    def next(self, count: int = 3) -> list[int]:
        """The nodes that would go next for room, in this order; none without a budget."""
        return [] if self.used is None else list(islice(self.pressure.order(), count))

    def figures(self) -> dict[str, Any]:
        """How far the budget is used, and which nodes go next; see `Memory.admin.stats`."""
        settings, state = self.settings, self.scope.state
        return {
            "forgetting": settings.forgetting,
            "max_bytes": settings.max_bytes,
            "max_nodes": settings.max_nodes,
            "used": self.used,
            "memory_bytes": state.memory_bytes,
            "kept_bytes": state.kept_bytes,
            "next": self.next(),
        }

    def fits(self, share: float = 1.0) -> bool:
        """True if memories take at most a share of the budget, or if there is none."""
        most = self.settings.max_bytes
        return most is None or self.scope.state.memory_bytes <= share * most

    @property
    def met(self) -> bool:
        """True if the background has nothing to do: there is room, or nothing left to go."""
        if self.scope.fades:
            return self.fits() or self.sweeper.all_protected()
        return not self.pressure.is_paused and (self.fits(_BEGIN) or self._is_stuck)

    def shrink(
        self, text_bytes: int, progress: Callable[[SweepReport], None] | None
    ) -> SweepReport:
        """Forget until the live text fits; see `memory.admin.shrink`."""
        check_function("progress", progress)

        def fits() -> bool:
            return self.scope.state.text_bytes <= text_bytes

        forget = self.sweeper.shrink if self.scope.fades else self.pressure.relieve
        return forget(fits, progress=progress, text_budget=text_bytes)

    def sweep(self, seconds: float) -> SweepReport:
        """One sweep; where nodes fade, over the budget it counts for up to 8 passes."""
        over = self.scope.fades and not self.fits()
        return self.sweeper.sweep(seconds, _OVER_BUDGET if over else 1)

    def relax(self, seconds: float) -> None:
        """Make room in the background, for at most `seconds`."""
        if self.scope.fades:
            self._keep(1.0, seconds)
        elif not self.met:
            self._keep(_END, seconds)

    def keep(self) -> None:
        """Make room in the thread of a writer that is faster than the background: until memories
        are within the budget, and a little more. After the budget was lowered: for a moment, unless
        memories have grown since; the background does the rest."""
        most, state = self.settings.max_bytes, self.scope.state
        if most is None or self.fits(_SLACK if self.scope.fades else 1.0):
            return
        if most < self._reached < state.memory_bytes - _GROWN * most:
            self._keep(self._reached / most, inf)
        if self.scope.fades:
            self._keep(_SLACK, _PATIENCE if self._reached > most else inf)
        elif self._reached > most:
            self._keep(_EASED, _PATIENCE)
        else:
            end = monotonic() + _TURN
            self._keep(1.0, inf)
            self._keep(_EASED, end - monotonic())

    def _keep(self, share: float, seconds: float) -> None:
        """Fold and forget until memories are within a share of the budget, for at most
        `seconds`."""
        end = monotonic() + seconds
        self._warned = self._warned and not self.fits()
        while monotonic() < end and not self.fits(share) and not self._is_stuck:
            if self._unfolded():
                self.fold(void=True)
            else:
                self._forget(share, end - monotonic())
        most = self.settings.max_bytes or 0
        self._reached = max(most, min(self._reached, self.scope.state.memory_bytes))

    def _forget(self, share: float, seconds: float) -> None:
        end = monotonic() + seconds
        if not self.scope.fades:
            self.pressure.relieve(
                lambda: self.fits(share), pause=lambda: self._unfolded() or monotonic() > end
            )
            stuck = self.pressure.exhausted
        elif not (stuck := self.sweeper.all_protected()):
            self.sweeper.shrink(
                lambda: self.fits(share) or self._unfolded(), stride=_OVER_BUDGET, seconds=seconds
            )
        if stuck and not self.fits(share):
            self._report_stuck()

    @property
    def _is_stuck(self) -> bool:
        return self._stuck == (self.scope.state.next_node, self.scope.state.pinned)

    def _report_stuck(self) -> None:
        self._stuck = self.scope.state.next_node, self.scope.state.pinned
        if not self._warned and not self.fits():
            self._warned = True
            _log.warning(
                "scope %r cannot keep max_bytes = %d: %d bytes of memories are left, all of nodes "
                "that are pinned, in focus or protective; unpin some, or raise it",
                self.scope.name, self.settings.max_bytes, self.scope.state.memory_bytes,
            )  # fmt: skip

    def fold_when_due(self) -> None:
        """Fold the word index if its delta has `fold_documents` documents; rebuild the delta if
        more than half of it is dead."""
        if self.words.pending >= self.settings.fold_documents:
            self.fold()
        elif self.words.dead > max(_FEW_DEAD, self.words.pending):
            self.words.fold(0)

    def fold(self, *, void: bool = False) -> None:
        """Fold a part of the word index; with `void` only forgotten and changed nodes. A large part
        if it lags behind, because each fold ends by copying the rest of the delta; a small one
        under a budget, because folded documents take more room."""
        if void or self.settings.max_bytes is None:
            waiting = self.words.void if void else self.words.pending
            self.words.fold(max(self.settings.fold_documents, waiting // 4), void=void)
        else:
            self.words.fold(max(1, self.words.pending // _PARTS))

    def _unfolded(self) -> bool:
        """True if the word index is to be folded before more is forgotten: until then the postings
        of forgotten nodes, most of a node's bytes, still count."""
        return self.words.void > max(_FEW_VOID, _VOID * self.scope.state.nodes)
