"""A clock that stands still until a test moves it."""

from datetime import datetime


class Clock:
    """What `graphmem.open(clock=…)` takes; set `now` to move it."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now
