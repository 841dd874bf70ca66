"""A text that a notebook takes for HTML runs in the page of whoever looks at a memory."""

from pathlib import Path
from typing import Any

import graphmem

SCRIPT = "<script>alert(1)</script>&"


def test_what_a_notebook_shows_is_escaped(tmp_path: Path) -> None:
    with graphmem.open(None, worker="none") as memory:
        (node,) = memory.remember(f"Wen moved the release {SCRIPT}", speaker=SCRIPT)
        (other,) = memory.remember(f"The audit is late {SCRIPT}")
        memory.forget(other)
        (tmp_path / "a.md").write_text("A plan.")
        shown: list[Any] = [
            memory.recall("release"),
            memory.recall("nothing of it"),
            node,
            memory.graph.links(node),
            memory.sweep(),
            memory.files.add(tmp_path / "a.md"),
            memory.remember(f"Ada says {SCRIPT}"),
            memory.review.status(),
            memory.context("release", tokens=100),
        ]
        for city in ("Lyon", "Ghent"):
            memory.remember(f"I live in {city}. {SCRIPT}", speaker="Bo")
        (conflict,) = memory.review.conflicts(seconds=60)
        memory.items.put("a", "b", SCRIPT)
        shown += [
            conflict, memory.review.clean(), memory.history.worth(node), memory.history.life(node),
            memory.recall("release")[0], memory.items.get("a", "b"),
            memory.review.retention(node), memory.graph.relate(node, SCRIPT, conflict.newer),
        ]  # fmt: skip
        pages = [value._repr_html_() for value in shown]
        assert all(page.startswith("<table>") and "<script>" not in page for page in pages)
        escaped = "&lt;script&gt;alert(1)&lt;/script&gt;&amp;"
        assert pages[0].count(escaped) == 2
        assert escaped in pages[2]


def test_what_is_printed_can_be_read() -> None:
    with graphmem.open(None, worker="none") as memory:
        (node,) = memory.remember("Wen moved the release to May 10.")
        (other,) = memory.remember("The audit is late.")
        memory.graph.relate(other, "delays", node)
        assert str(memory.recall("xyzzy")) == "(nothing comes back)"
        assert str(memory.graph.links(other)) == "focus 1 (1.00)\ndelays 1 (1.00)"
