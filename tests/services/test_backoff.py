"""Back-off: a dead server is not hammered, and one bad text does not stop the others."""

from hypothesis import given
from hypothesis import strategies as st

from graphmem.services.backoff import Backoff, delay


def test_the_wait_doubles_up_to_half_a_minute() -> None:
    """Without a bound, a server that was away over the weekend is found again on Wednesday."""
    assert [delay(n) for n in (1, 2, 3, 4, 5, 6, 7, 8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert delay(10_000) == 30


@given(st.lists(st.tuples(st.sampled_from(["text", "server", "answer"]), st.integers(1, 3))))
def test_what_waits_is_what_failed_last(events: list[tuple[str, int]]) -> None:
    """A text that once failed and then succeeded must not be held back for it."""
    now = 0.0
    backoff = Backoff(lambda: now)
    texts: dict[int, list[float]] = {}  # when each has failed since its last success
    row: list[float] = []
    for kind, node in events:
        if kind == "answer":
            backoff.succeeded(node)
            texts.pop(node, None)
            row = []
        else:
            backoff.failed(node if kind == "text" else None)
            row.append(now)
            if kind == "text":
                texts.setdefault(node, []).append(now)
        now += 0.25
        assert backoff.probing == bool(row)
        due = {n: times[-1] + delay(len(times)) for n, times in texts.items()}
        assert [n for n in (1, 2, 3) if backoff.ready(n)] == [
            n for n in (1, 2, 3) if due.get(n, now) <= now
        ]
        assert backoff.next(due) >= backoff.paused
        if backoff.next((1, 2, 3)) == 0:
            assert backoff.paused == 0


def test_by_hand_it_is_tried_at_once() -> None:
    """Who has just mended the server calls `enrich` and must not wait half a minute."""
    backoff = Backoff(lambda: 100.0)
    backoff.failed(None)
    assert backoff.paused == 0.5
    backoff.hurry()
    assert backoff.paused == 0
    assert backoff.probing
