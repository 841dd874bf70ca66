"""Back-off: when what failed is tried again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from time import monotonic
from typing import Final

_FIRST: Final = 0.5  # seconds until the second try, doubled each time
_LONGEST: Final = 30.0


def delay(failures: int) -> float:
    """Seconds to wait after so many failures in a row: exponential, 30 at most."""
    # A smaller exponent reaches 30 as well; a large one would overflow.
    return min(_LONGEST, _FIRST * 2.0 ** min(failures - 1, 10))


class Backoff:
    """What waits, and how long: each text after its own failures, and the queue after those in a
    row, whatever the text, for it may be the server that fails.

    Gone with the process: then everything is tried at once. How often a text has failed is in the
    queue itself.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._texts: dict[int, tuple[int, float]] = {}  # node: failures, when it is tried again
        self._failures = 0
        self._resume = 0.0

    @property
    def probing(self) -> bool:
        """Whether the last try failed: one text is enough to see if the next one does."""
        return self._failures > 0

    @property
    def paused(self) -> float:
        """Seconds until anything may be tried."""
        return max(0.0, self._resume - self._clock())

    def ready(self, node: int) -> bool:
        """Whether this text may be tried."""
        return node not in self._texts or self._texts[node][1] <= self._clock()

    def next(self, nodes: Iterable[int]) -> float:
        """Seconds until one of `nodes` may be tried."""
        now = self._clock()
        soonest = inf
        for node in nodes:
            soonest = min(soonest, self._texts.get(node, (0, now))[1])
            if soonest <= now:
                break
        return max(self.paused, soonest - now if soonest < inf else 0.0)

    def succeeded(self, node: int | None) -> None:
        """An answer came, to the text `node` unless it is None."""
        if node is not None:
            self._texts.pop(node, None)
        self._failures = 0

    def failed(self, node: int | None) -> None:
        """No answer came; the fault may be that of the text `node`, unless it is None."""
        self._failures += 1
        self._resume = self._clock() + delay(self._failures)
        if node is not None:
            failures = self._texts.get(node, (0, 0.0))[0] + 1
            self._texts[node] = failures, self._clock() + delay(failures)

    def hurry(self) -> None:
        """Let the queue be tried now."""
        self._resume = 0.0
