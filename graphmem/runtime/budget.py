"""The budget of a scope: what happens when its live bytes are more than `max_bytes`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Final

from graphmem.forgetting.sweep import Sweeper
from graphmem.hexastore.scopes import Scope
from graphmem.index.words.index import WordIndex
from graphmem.settings import Settings
from graphmem.values.functions import check_function
from graphmem.values.reports import SweepReport

SLACK: Final = 1.03  # of the budget; beyond it `remember` forgets as well
_OVER_BUDGET: Final = 8  # passes that one may count for while the scope is over its budget
_FEW_FRESH: Final = 64  # documents of the word index that are not worth folding for a budget
_log = logging.getLogger("graphmem.forgetting")


class Budget:
    """Keeps one scope within `max_bytes`, by folding its word index and by forgetting."""

    def __init__(
        self, scope: Scope, words: WordIndex, sweeper: Sweeper, settings: Settings
    ) -> None:
        self._scope = scope
        self._words = words
        self._sweeper = sweeper
        self._settings = settings
        self._warned = False  # that the budget cannot be kept

    def fits(self, slack: float = 1.0) -> bool:
        """True if the live bytes are at most `slack` × the budget, or if there is none."""
        most = self._settings.max_bytes
        return most is None or self._scope.state.live_bytes <= slack * most

    @property
    def met(self) -> bool:
        """True if nothing is left to do: the scope fits, or only protected nodes are left."""
        return self.fits() or self._sweeper.all_protected()

    def shrink(
        self, text_bytes: int, progress: Callable[[SweepReport], None] | None
    ) -> SweepReport:
        """Make passes until the live text fits; see `Memory.shrink`."""
        check_function("progress", progress)
        return self._sweeper.shrink(
            lambda: self._scope.state.text_bytes <= text_bytes,
            progress=progress,
            text_budget=text_bytes,
        )

    def sweep(self, seconds: float) -> SweepReport:
        """One sweep; over the budget it counts for up to 8 passes."""
        return self._sweeper.sweep(seconds, 1 if self.fits() else _OVER_BUDGET)

    def keep(self, *, slack: float = 1.0, seconds: float = inf) -> None:
        """Fold and forget until the scope fits, for at most `seconds`."""
        end = monotonic() + seconds
        while not self.fits(slack):
            if self._unfolded():
                self.fold()
            elif self._sweeper.all_protected():
                if not self._warned:
                    self._warned = True
                    _log.warning(
                        "scope %r cannot keep max_bytes = %d: %d live bytes are left, all of nodes "
                        "that are pinned or in focus; unpin some, or raise it",
                        self._scope.name, self._settings.max_bytes, self._scope.state.live_bytes,
                    )  # fmt: skip
                return
            else:
                self._sweeper.shrink(
                    lambda: self.fits(slack) or self._unfolded(),
                    stride=_OVER_BUDGET,
                    seconds=end - monotonic(),
                )
            if monotonic() >= end:
                return
        if self.fits():
            self._warned = False

    def fold_when_due(self) -> None:
        """Fold the word index if it holds `fold_documents` fresh documents."""
        if self._words.fresh >= self._settings.fold_documents:
            self.fold()

    def fold(self) -> None:
        """Merge a part of the word index; a large part if it lags behind, because the end of a
        merge reads all fresh documents that are left."""
        self._words.fold(max(self._settings.fold_documents, self._words.fresh // 4))

    def _unfolded(self) -> bool:
        """True if merging the word index frees more bytes than forgetting would."""
        return self._words.fresh > max(_FEW_FRESH, self._scope.state.nodes // 4)
