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


def test_what_was_rung_is_heard_by_every_wait_until_it_is_cleared() -> None:
    """The second of two waits would sleep through an end that the first has heard."""
    bell = Bell()
    assert not bell.wait(0)
    bell.ring()
    assert [bell.wait(0), bell.wait(0), bell.rung] == [True, True, True]
    bell.ring()
    bell.clear()
    assert [bell.wait(0), bell.rung] == [False, False]
