"""The in-memory engine at sizes where its sorted keys are cut into runs.

One sorted list of all keys made a commit take 50 ms in a memory of 2,000 nodes. The state machine in
`test_model.py` has too few keys to fill more than one run.
"""

from random import Random

import pytest

from graphmem.storage import in_memory
from graphmem.storage.in_memory import InMemoryEngine


@pytest.mark.parametrize("run", [1, 2, 7])
def test_ranges_agree_with_a_plain_set_when_runs_are_cut_and_emptied(
    monkeypatch: pytest.MonkeyPatch, run: int
) -> None:
    monkeypatch.setattr(in_memory, "_RUN", run)
    random = Random(run)

    def key() -> bytes:
        return bytes(random.choices(b"\0ab\xff", k=random.randrange(4)))

    engine, state = InMemoryEngine(), {}
    for step in range(500):
        batch = {key(): random.choice((None, b"", b"v")) for _ in range(random.randrange(4))}
        engine.commit(batch)
        for name, value in batch.items():
            if value is None:
                state.pop(name, None)
            else:
                state[name] = value
        if step % 5 == 0:
            start, stop = key(), key()
            expected = sorted((k, v) for k, v in state.items() if start <= k < stop)
            assert list(engine.range(start, stop)) == expected
            assert list(engine.range(start, stop, reverse=True)) == expected[::-1]
    engine.close()
