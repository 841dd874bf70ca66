"""A bell: wakes a background thread."""

from queue import Empty, SimpleQueue


class Bell:
    """Like `threading.Event`, for one thread that waits. An interrupt in `Event.set`, which is
    Python code, can leave its lock held for good; a SimpleQueue is written in C."""

    def __init__(self) -> None:
        self._queue = SimpleQueue[None]()
        self.rung = False
        """Whether it was rung since `clear`."""

    def ring(self) -> None:
        """Release the waiting thread, and every `wait` until `clear`. Any thread may call it."""
        # Rung with an empty queue: `wait` and `clear` came between the two lines of another call,
        # and a thread that waits now would not be woken.
        if not self.rung or self._queue.empty():
            self._queue.put(None)  # first: if interrupted here, the next call repeats it
            self.rung = True

    def clear(self) -> None:
        """Make `wait` wait again."""
        self.rung = False
        while not self._queue.empty():
            self._queue.get()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is rung, for at most `seconds`; returns whether it was."""
        if not self.rung:
            try:
                self._queue.get(timeout=seconds)
            except Empty:
                return False
        return True
