"""What a hand does on the map."""

import pytest

from bench import chromium
from bench.chromium import Page
from graphmem.interfaces.view.server import ViewServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        chromium.program() is None, reason="needs a Chromium: $CHROMIUM, chromium or google-chrome"
    ),
]


def test_while_the_hand_moves_what_was_drawn_is_moved(page: Page, server: ViewServer) -> None:
    """Without a GPU each frame of ten thousand dots took 33 to 100 ms."""
    page.resize((1280, 800))
    page.open(f"{server.address}#lang=en&canvas=1")
    shift = "['gl', 'over'].map((id) => $(id).style.translate)"
    before = page.value("px(0)")
    moved, drawn = page.value(f"(asked = false, drag(30, -10), drag(30, -20), [{shift}, asked])")
    assert moved == ["60px -30px"] * 2
    assert not drawn
    page.until(f"{shift}.every((by) => by === '0px')")
    assert page.value("px(0)") == pytest.approx([before[0] + 60, before[1] - 30])
    # By hand: what is clicked then is what lies there.
    left, top = page.value("(({ x, y }) => [x, y])(stage.getBoundingClientRect())")
    page.drag(left + 20, top + page.value("hh") - 20, -90, -40)
    x, y = before[0] - 30, before[1] - 70
    page.until(f"Math.hypot(px(0)[0] - {x}, px(0)[1] - {y}) < 1")
    page.click(left + x, top + y)
    page.until("sel === M.id[0]")
