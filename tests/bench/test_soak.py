"""The soak keeps what it promises, and would tell if it did not."""

from pathlib import Path

import pytest

from bench.soak import BUDGET, TEXTS, Soak, rows, soak


def judged(result: Soak) -> dict[str, float]:
    found = {row.metric: row.value for row in rows(result)}
    assert found["acknowledged_texts_lost"] == 0
    assert result.faults == []
    assert found["live_most"] <= 1.05
    return found


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_a_soak_stays_within_its_bounds(tmp_path: Path) -> None:
    """A hundredth of the soak of docs/forgetting.md, under a hundredth of its budget."""
    texts = TEXTS // 100
    # Nothing is asked of the latencies, so one round of recalls at the end will do.
    result = soak(tmp_path / "memory", texts=texts, budget=BUDGET // 100, kills=6, rounds=1)
    found = judged(result)
    assert len(result.kills) == 6
    assert found["resident_most"] <= 250
    assert found["folder_most"] <= 3 * found["budget"] + 64
    assert found["folder_compacted_of_live"] <= 1.3
