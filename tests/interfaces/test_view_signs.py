"""What the signs of the page mean, and that they are seen."""

import pytest

from bench import chromium
from bench.chromium import Page
from bench.view import CUES, journal, served
from graphmem.interfaces.view.server import ViewServer
from tests.interfaces.test_view_clicks import says, told

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        chromium.program() is None, reason="needs a Chromium: $CHROMIUM, chromium or google-chrome"
    ),
]


def contrast(one: list[float], two: list[float]) -> float:
    """Of two colours, 0 to 255 of red, green and blue, as WCAG has it."""

    def luminance(colour: list[float]) -> float:
        parts = [part / 255 for part in colour]
        linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
        return sum(v * share for v, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))

    dark, light = sorted((luminance(one), luminance(two)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("look", ["light", "dark"])
def test_signs_stand_out_from_their_ground(page: Page, server: ViewServer, look: str) -> None:
    """The sign of what is forgotten had 1.6 : 1 on the footer."""
    page.open(f"{server.address}#lang=en&look={look}")
    panel = [*bytes.fromhex({"light": "ffffff", "dark": "161c26"}[look])]
    for colour in [*page.value("tones()"), *page.value("FORM()")]:
        assert contrast([*bytes.fromhex(colour[1:])], panel) >= 3, colour


@pytest.mark.parametrize("look", ["light", "dark"])
def test_dots_beside_hits_stand_out_from_their_circle(page: Page, look: str) -> None:
    """What was not found had 1.4 : 1 on the ground of its circle."""
    page.resize((1280, 800))
    with journal("en") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=en&look={look}&q={CUES['en']}")
        page.until("lit && parted.key[1] === lit")
        pairs = page.value("""(() => {
          const c = document.createElement("canvas").getContext("2d");
          [c.canvas.width, c.canvas.height] = [w, hh];
          for (const e of [$("gl"), $("over")]) c.drawImage(e, 0, 0, w, hh);
          const dye = (x, y) => [...c.getImageData(x, y, 1, 1).data].slice(0, 3);
          return dots().of.filter((i) => !lit.set.has(M.id[i]) && radius(i) > 4).map((i) => {
            const [x, y] = px(i);
            return [dye(x, y), dye(x + radius(i) + 2.5, y)];
          });
        })()""")
    assert len(pairs) > 50
    assert min(contrast(dot, ground) for dot, ground in pairs) >= 3


def test_the_map_says_what_size_and_paleness_mean(page: Page) -> None:
    """They stood in a legend that was folded away."""
    with journal("en") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=en")
        says(page, "Dot: a memory; larger: more important; paler: fading.", "#tip")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_stands_first_says_in_which_circle_it_lies(page: Page, language: str) -> None:
    """Whoever had said it was listed, and had no circle on the map."""
    with journal(language) as memory, served(memory) as server:
        page.open(f"{server.address}#lang={language}")
        page.until("document.querySelector('.top .by').innerText")
        rows = page.value("[...document.querySelectorAll('.top .by')].map((e) => e.innerText)")
        shown = page.value("groups().map((a) => a.name)")
        assert len(rows) == 5
        assert all(row.split(" · ")[-1] in shown for row in rows), rows


def test_on_a_phone_the_history_has_its_day_and_its_counts(page: Page) -> None:
    """The counts were left out there, and "today" had no date."""
    page.resize((390, 844))
    with journal("en") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=en")
        assert told(page, "#day") == page.value("`today ${S.today}`")
        counts = page.value("counts(at)")
        says(page, f"{counts[0]} whole", "#now")
        says(page, f"{counts[3]} forgotten", "#now")
        assert page.value("$('now').getBoundingClientRect().bottom <= innerHeight")
