"""A ring that nobody heard left `close` waiting for the syncing thread for ever, once under load."""

from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from graphmem.storage.bell import Bell


class Slow(SimpleQueue[None]):
    """Between a ring's putting and its noting so, whoever waits hears it, and clears it."""

    def __init__(self, bell: Bell) -> None:
        self.bell = bell
        self.is_slow = True

    def put(self, item: None, *given: Any, **named: Any) -> None:
        super().put(item)
        if self.is_slow:
            self.is_slow = False
            assert self.bell.wait(1)
            self.bell.clear()


def test_a_ring_that_was_cleared_before_it_was_noted_leaves_the_next_one_heard() -> None:
    bell, heard = Bell(), Event()
    bell._queue = Slow(bell)  # no public way stops a thread between two lines
    waiting = Thread(target=lambda: (bell._queue.get(), heard.set()), daemon=True)
    bell.ring()
    waiting.start()
    bell.ring()
    assert heard.wait(5)
