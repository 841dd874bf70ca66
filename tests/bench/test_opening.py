"""The bench of opening measures a folder that the library takes for one of its own."""

from pathlib import Path

import graphmem
from bench.opening import fill


def test_what_it_writes_is_a_memory(tmp_path: Path) -> None:
    """Written past the library, it could rot into a folder that opens fast because it is empty."""
    fill(tmp_path / "m", 50)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert len(memory) == len(list(memory)) == 50
        assert memory[7].text.startswith("Memory number 7:")
        assert [link.strength for link in memory.graph.links(7)] == [1.0] * 12
        assert all(1 <= link.target <= 50 for link in memory.graph.links(7))
        assert memory.admin.stats()["links"] == 600
