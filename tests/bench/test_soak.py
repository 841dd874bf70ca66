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


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_short_soak_survives_its_kills(tmp_path: Path) -> None:
    result = soak(tmp_path / "memory", texts=1200, budget=1 << 20, kills=3)
    assert len(result.kills) == 3
    assert judged(result)["nodes"] < 1000


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_a_soak_stays_within_its_bounds(tmp_path: Path) -> None:
    """A tenth of the soak of docs/memory.md, under a tenth of its budget."""
    texts = TEXTS // 10
    result = soak(tmp_path / "memory", texts=texts, budget=BUDGET // 10, kills=10)
    found = judged(result)
    assert len(result.kills) == 10
    assert found["resident_most"] <= 250
    assert found["folder_most"] <= 3 * found["budget"] + 64
    assert found["folder_compacted_of_live"] <= 1.3
