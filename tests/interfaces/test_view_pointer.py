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
    page.value("(drawn = 0, kept_paint = paint, paint = (t) => { drawn++; kept_paint(t); })")
    left, top = page.value("(({ x, y }) => [x, y])(stage.getBoundingClientRect())")
    bottom = top + page.value("hh")
    before = page.value("px(0)")
    page.value("RESTING = setInterval(() => clearTimeout(resting), 5)")  # the hand does not rest
    page.drag(left + 20, bottom - 20, 60, -30)  # where no dot is near
    page.until("$('gl').style.translate === '60px -30px'")
    assert page.value("$('over').style.translate") == "60px -30px"
    assert page.value("drawn") == 0
    assert page.value("px(0)") == pytest.approx([before[0] + 60, before[1] - 30])
    page.value("(clearInterval(RESTING), drag(0, 0))")
    page.until("drawn === 1 && ['', '0px'].includes($('gl').style.translate)")
    assert page.value("px(0)") == pytest.approx([before[0] + 60, before[1] - 30])
    page.click(left + before[0] + 60, top + before[1] - 30)  # where it is now
    page.until("sel === M.id[0]")
