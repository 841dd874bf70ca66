"""What wakes a background thread."""

from queue import Empty, SimpleQueue


class Bell:
    """Like `threading.Event`, for one thread that waits. An interrupt in `Event.set`, which is
    Python code, can leave its lock held for good; a SimpleQueue is written in C."""

    def __init__(self) -> None:
        self._queue = SimpleQueue[None]()
        self.rung = False
        """Whether it was rung since `clear`."""

    def ring(self) -> None:
        """Let whoever waits go on, and every `wait` until `clear`. Any thread may call it."""
        # Rung with an empty queue: `wait` and `clear` came between the two lines of another call,
        # and whoever waits by now would not hear of it.
        if not self.rung or self._queue.empty():
            self._queue.put(None)  # first: interrupted behind it, the next call does it again
            self.rung = True

    def clear(self) -> None:
        """Have `wait` wait again."""
        self.rung = False
        while not self._queue.empty():
            self._queue.get()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is rung, at most so long; returns whether it was."""
        if not self.rung:
            try:
                self._queue.get(timeout=seconds)
            except Empty:
                return False
        return True
