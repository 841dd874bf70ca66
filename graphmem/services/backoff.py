"""Back-off: when failed texts are retried."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from time import monotonic
from typing import Final

_FIRST: Final = 0.5  # seconds until the second attempt, doubled each time
_LONGEST: Final = 30.0


def delay(failures: int) -> float:
    """Seconds to wait after a number of consecutive failures: exponential, at most 30."""
    # The maximum is reached before 10; a large exponent would overflow.
    return min(_LONGEST, _FIRST * 2.0 ** min(failures - 1, 10))


class Backoff:
    """Waiting times: of each text after its own failures, and of the whole queue after consecutive
    failures of any texts, since the server may be the cause.

    They are lost with the process: the next one retries everything at once. The number of failures
    of a text is stored in the queue itself.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._texts: dict[int, tuple[int, float]] = {}  # node: failures, time of the next attempt
        self._failures = 0
        self._resume = 0.0

    @property
    def probing(self) -> bool:
        """Whether the last attempt failed; then one text suffices to test the service."""
        return self._failures > 0

    @property
    def paused(self) -> float:
        """Seconds until any text may be tried."""
        return max(0.0, self._resume - self._clock())

    def ready(self, node: int) -> bool:
        """Whether the text of `node` may be tried now."""
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
        """Record an answer, to the text of `node` unless it is None."""
        if node is not None:
            self._texts.pop(node, None)
        self._failures = 0

    def failed(self, node: int | None) -> None:
        """Record a failure, which the text of `node` may have caused, unless it is None."""
        self._failures += 1
        self._resume = self._clock() + delay(self._failures)
        if node is not None:
            failures = self._texts.get(node, (0, 0.0))[0] + 1
            self._texts[node] = failures, self._clock() + delay(failures)

    def hurry(self) -> None:
        """Allow the queue to be tried now."""
        self._resume = 0.0
