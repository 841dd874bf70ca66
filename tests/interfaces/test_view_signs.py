"""What the signs of the page mean, and that they are seen."""

import re
from itertools import pairwise

import pytest

import graphmem
from bench import chromium
from bench.chromium import Page
from bench.view import CUES, journal, served
from graphmem.interfaces.view.server import ViewServer
from tests.interfaces.test_view_clicks import says, text_of

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
def test_what_is_left_is_told_apart(page: Page, server: ViewServer, look: str) -> None:
    """Four greys stood side by side, the first two with 1.4 : 1."""
    page.open(f"{server.address}#lang=en&look={look}")
    for dyes in (page.value("tones()"), page.value("FORM()")):
        for one, two in pairwise([*bytes.fromhex(dye[1:])] for dye in dyes):
            assert contrast(one, two) >= 1.5, dyes
    full = page.value("[0, 1, 2, 3].map((f) => filled(f).style.getPropertyValue('--left'))")
    assert full == ["100%", "60%", "28%", "0%"]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_history_has_days_and_says_where_the_forecast_begins(
    page: Page, size: tuple[int, int]
) -> None:
    page.resize(size)
    with journal("en") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=en")
        page.until("$('axis').childElementCount")
        shown = page.value("""[...$("axis").children].filter((e) => e.checkVisibility()).map((e) =>
          (({ left, right }) => [e.textContent, left, right])(e.getBoundingClientRect()))""")
        assert f"2026-{shown.pop()[0][-5:]}" > "2026-05-26", "the forecast has its last day"
        assert 2 <= len(shown) - 1 <= 3
        assert all(re.fullmatch(r"2026-\d\d-\d\d", day) for day, _, _ in shown[:-1]), shown
        assert all(one[2] + 4 < two[1] for one, two in pairwise(shown)), "one lies on another"
        today, left, right = shown[-1]
        start, wide = page.value("(({ left, width }) => [left, width])($('axis')"
                                 ".getBoundingClientRect())")  # fmt: skip
        place = page.value("M.passes / until()")
        assert today == "today"
        assert abs((left + right) / 2 - start - place * wide) < 2


def test_what_has_no_name_has_no_circle(page: Page) -> None:
    """ "Other" was the second largest circle: it has but a dashed rim."""
    page.resize((1280, 800))
    with journal("en") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=en")
        page.until("M && groups().some((a) => !named(a.g))")
        rims = page.value("""(() => {
          let rims = [];
          const kept = over.arc;
          over.arc = (x, y, r) => rims.push(Math.round(r));
          const dash = over.setLineDash;
          over.setLineDash = (of) => of.length && rims.pop();
          try { marks(0); } finally { over.arc = kept; over.setLineDash = dash; }
          return [rims.length, groups().filter((a) => a.is.length > 2 && named(a.g)).length];
        })()""")
        assert rims[0] == rims[1] > 6


def test_the_numbers_of_hits_are_of_one_size(page: Page) -> None:
    """Each was as large as the dot under it."""
    page.resize((390, 844))
    with journal("zh") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=zh&q={CUES['zh']}")
        page.until("lit && hitsOn().length === 5")
        page.press("#ask button", "地图")
        page.until("boxed_ && !refits && !unknown.size")
        assert page.value("SIGN") >= page.value("Math.max(...hitsOn().map(radius)) + 1")
        drawn = page.value("""(() => {
          const found = [], kept = over.arc;
          over.arc = (x, y, r) => found.push(r);
          try { marks(0); } finally { over.arc = kept; }
          return new Set(found.slice(-15)).size;
        })()""")
        assert drawn == 3, "a ground, a rim and a middle"


def test_the_map_says_what_colour_size_and_paleness_mean(page: Page) -> None:
    """They stood in a legend that was folded away."""
    with journal("en") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=en")
        more = "\nLarger ones matter more. Circles: who said it or is named."
        form = "Each dot is a memory, in one circle; colour: what is left."
        assert page.value("hint()") == form + more
        page.press("#tools button", "Colour by circle")
        assert (
            page.value("hint()") == "Each dot is a memory, in one circle; paler: it fades." + more
        )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_stands_first_says_in_which_circle_it_lies(page: Page, language: str) -> None:
    """Whoever had said it was listed, and had no circle on the map. The circle is named unless it
    is that of whoever said it."""
    with journal(language) as memory, served(memory) as server:
        page.open(f"{server.address}#lang={language}")
        page.until("document.querySelector('.top .by').innerText")
        rows = page.value("[...document.querySelectorAll('.top .by')].map((e) => e.innerText)")
        names = {"en": "names {}", "zh": "提到{}"}[language]
        circles = [names.format(name) for name in page.value("groups().map((a) => a.name)")]
        assert len(rows) == 5
        assert any(row.split(" · ")[-1] in circles for row in rows), rows
        told_ = page.value("[...document.querySelectorAll('.top .line')].map((e) => e.innerText)")
        lie = page.value("groups().map((a) => a.name)")
        for row in told_:
            by, text = row.split("\n", 1)
            circle = by.split(" · ")[-1]
            assert circle not in circles or lie[circles.index(circle)] in text, row


def test_on_a_phone_the_history_has_its_day_and_its_counts(page: Page) -> None:
    """The counts were left out there, and "today" had no date."""
    page.resize((390, 844))
    with journal("en") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=en")
        last = max(node.happened for node in memory if node.happened)
        assert (
            text_of(page, "#day") == f"today {last:%Y-%m-%d}"
        )  # by its clock, not by the machine's
        counts = page.value("counts(at)")
        says(page, f"{counts[0]} kept whole", "#now")
        says(page, f"{counts[3]} forgotten", "#now")
        assert page.value("$('now').getBoundingClientRect().bottom <= innerHeight")


def test_people_have_their_colour_however_few_circles_have_a_name(
    page: Page, server: ViewServer, memory: graphmem.Memory
) -> None:
    """People were as grey as things where fewer than twelve circles had a name."""
    memory.remember("I watered the beans.", speaker="Noor")
    memory.remember("Noor was here.", speaker="Ada")
    page.open(f"{server.address}#lang=en&tab=people&look=light")
    page.until("spots.length")
    red, _, blue = page.value("""(() => {
      const [, x, y, , down] = spots.find(([k]) => P.names[k].person);
      const at = over.getImageData((x + 6) * dpr, (y + down) / 2 * dpr, 1, 1);
      return [...at.data].slice(0, 3);
    })()""")
    assert blue > red + 60
