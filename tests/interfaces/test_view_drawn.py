"""What the page draws: where names and lines lie, at which size, and what is left out."""

from collections.abc import Iterator

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


@pytest.fixture(scope="module")
def diary() -> Iterator[graphmem.Memory]:
    with journal("en") as memory:
        yield memory


@pytest.mark.parametrize(("size", "fewest"), [((1280, 800), 6), ((390, 844), 1)])
def test_labels_lie_on_no_dot_and_on_no_other_label(
    page: Page, size: tuple[int, int], fewest: int
) -> None:
    """Labels were written over the memories beside them, and titles over labels."""
    page.resize(size)
    with graphmem.open(None, worker="none") as memory:
        for n in range(60):
            memory.remember(f"Wen and Ada spoke of subject{n % 7} in the garden, note {n}.")
        with served(memory) as server:
            page.open(f"{server.address}#lang=en")
            page.until(LISTED)
            drawn = page.value("""(() => {
              const texts = [], kept = print_;
              print_ = (s, x, y, font) => texts.push([x, y, wide(s, font)]);
              try { marks(0); } finally { print_ = kept; }
              return texts;
            })()""")
            named = page.value("""(() => {
              const texts = [], kept = print_;
              print_ = (s, x, y, font) => { texts.push([s, x + wide(s, font) / 2, y - 5]); };
              try { marks(0); } finally { print_ = kept; }
              const off = ([, x, y], a) => Math.hypot(onto(a.x, a.y)[0] - x, onto(a.x, a.y)[1] - y)
                - a.reach * view.k, own = ([s], a) => s === a.name;
              return texts.map((t) => [
                Math.min(...groups().filter((a) => own(t, a)).map((a) => off(t, a))),
                Math.min(...groups().filter((a) => !own(t, a)).map((a) => off(t, a)))]);
            })()""")
            places = page.value("dots().of.map((i, j) => [...px(i), view.k * dots().size[j]])")
    assert len(drawn) >= fewest
    assert all(own < other for own, other in named), "a name lies nearer to another group"
    assert len(drawn) <= page.value("groups().length"), "at first sight only groups have names"
    texts = [(x, y - 11, x + wide, y + 3) for x, y, wide in drawn]
    for at, (left, top, right, bottom) in enumerate(texts):
        for other in texts[:at]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top, (
                "two labels lie over each other"
            )
    on_dots = [
        (left, top)
        for left, top, right, bottom in texts
        for x, y, radius in places
        if (max(left, min(x, right)) - x) ** 2 + (max(top, min(y, bottom)) - y) ** 2
        < (0.8 * radius) ** 2
    ]
    assert not on_dots


def test_people_are_nodes_of_their_own(
    page: Page, server: ViewServer, memory: graphmem.Memory
) -> None:
    memory.remember("I watered the beans.", speaker="Noor")
    memory.remember("Noor was here.", speaker="Ada")
    memory.graph.facts.put("ex:Noor", "ex:helps", "Ada")
    page.open(f"{server.address}#lang=en&tab=people")
    says(page, "Noor helps Ada", "#panel")
    page.until(f"spots.length === 2 && {LAID} && laid.key[3] === hh")  # beside the list as it is
    x, y = page.value(
        "(([, left, top, right, bottom]) => [$('gl').getBoundingClientRect().x + (left + right) / 2,"
        " $('gl').getBoundingClientRect().y + (top + bottom) / 2])"
        "(spots.find(s => P.names[s[0]].name === 'Noor'))"
    )
    page.click(x, y)  # on the map, not in the list
    assert not page.value("document.body.matches('.points')"), "no row lights up under it"
    page.until("who != null && P.names[who].name === 'Noor'")
    assert page.value("[...lit.set].map((id) => label(id)).sort()") == [
        "I watered the beans", "Noor was here",
    ]  # fmt: skip
    says(page, "Noor", "#panel li .by")
    says(page, "I watered the beans.", "#panel li")
    page.press("#panel .row button", "Show all 2")
    page.until("document.querySelectorAll('#rows tr').length === 2")
    page.open(f"{server.address}#lang=en&tab=search")
    assert page.value("spots.length") == 0


def test_names_beside_the_chosen_stay_legible_and_all_its_lines_are_drawn(page: Page) -> None:
    """They faded to 1.1 : 1, and lines of others ran through them; of seven who were named with
    somebody two were joined."""
    with graphmem.open(None, worker="none") as memory:
        people = ["Ada", "Bo", "Cleo", "Dries", "Elin"]
        for number, who in enumerate(people):
            for other in people[:number]:
                memory.remember(f"I met {other} at the lock.", speaker=who)
        memory.remember("I met Gust.", speaker="Fons")
        memory.remember("I met Fons.", speaker="Gust")
        with served(memory) as server:
            page.open(f"{server.address}#lang=en&tab=people")
            page.until("spots.length")
            everybody = page.value("spots.length")
            drawn = """(() => {
              const texts = [], lines = [], c = over;
              const [write, line] = [c.fillText, c.lineTo];
              c.fillText = function (s) { texts.push([s, c.globalAlpha, c.fillStyle]); };
              c.lineTo = () => lines.push(c.globalAlpha);
              try { folk(); } finally { c.fillText = write; c.lineTo = line; }
              return [texts, lines.filter((alpha) => alpha === 1).length];
            })()"""
            page.value("meet(P.names.findIndex((x) => x.name === 'Elin'))")
            says(page, "← All names", "#panel .card.on")
            texts, lines = page.value(drawn)
            texts = [text for text in texts if text[0] != "1"]  # but the numbers on lines
            assert {alpha for _, alpha, _ in texts} == {1}
            of_her = "company().pairs.filter(([a, b]) => a === who || b === who).length"
            assert lines == page.value(of_her) >= 3
            # Nobody else is drawn; a line says how many memories the two have in common.
            assert {"Elin"} < {said for said, *_ in texts} <= {"Elin", *people}
            assert len(texts) == lines + 1 < everybody
            assert {*page.value("layout().pull.map((l) => onLine(l))")} == {"1"}
            assert page.value("layout().pull.every((l) => l.at)")
            page.press("#panel button", "← All names")
            page.until(f"who == null && spots.length === {everybody}")


def test_a_persons_own_words_come_first(page: Page) -> None:
    """Relations between two memories pushed them below the fold: "Oven needs ↓" was a riddle there."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember("Elin has sold the oven.", speaker="Dries")
        for other in ("Ada", "Bo", "Dries", "Cleo"):
            memory.remember(f"I met {other} at the lock.", speaker="Elin")
        memory.graph.relate(1, "led to", 2)
        with served(memory) as server:
            page.open(f"{server.address}#lang=en&tab=people")
            page.until("spots.length")
            page.value("meet(P.names.findIndex((x) => x.name === 'Elin'))")
            says(page, "Elin has sold", "#panel .card.on li:last-child")
            says(page, "I met Cleo", "#panel .card.on li")
            assert "led to" not in page.value("$('panel').textContent")
            page.open(f"{server.address}#lang=en&node=1")
            says(page, "led to", "#memory .made")


@pytest.mark.parametrize("size", [(1024, 768), (390, 844)])
def test_hits_stay_in_their_order_around_an_open_one(
    page: Page, diary: graphmem.Memory, size: tuple[int, int]
) -> None:
    """The open one stood below the others, which said neither who nor when, cut within a word."""
    page.resize(size)
    with served(diary) as server:
        page.open(f"{server.address}#lang=en&q={CUES['en']}")
        page.until("lit")
        page.value("document.querySelector('.further').open = true")
        page.until("lit.hits.length > 2")
        for place in (1, 0):
            page.value(f"choose(lit.hits[{place}])")
            page.until(f"open_ && open_.id === lit.hits[{place}]")
            numbers = page.value("[...document.querySelectorAll('#right .pin')].map((e) =>"
                                 " +e.textContent)")  # fmt: skip
            assert numbers == [*range(1, len(numbers) + 1)]
            said = page.value("""[...document.querySelectorAll('.hits button')].map((e) =>
                [+e.querySelector('b').textContent, e.firstChild.innerText, e.lastChild.textContent,
                 e.lastChild.offsetHeight])""")
            assert len(said) == len(numbers) - 1 > 1
            for number, by, shown, high in said:
                text, when = page.value(
                    f"[lit.found[{number - 1}].text, day(lit.found[{number - 1}].when)]"
                )
                assert when in by
                assert shown
                assert high < 40
                cut = shown.removesuffix("…")
                assert text.startswith(cut)
                assert not text[len(cut) :][:1].isalnum()
        # One closes the card in its title, and all that one can do is in one row.
        tops = page.value("""[...document.querySelectorAll('#memory > .row > button')].map((e) =>
            e.offsetTop)""")
        assert len({*tops}) == 1
        by, close = page.value("""['#head > span', '#head > button'].map((e) => {
            const { top, bottom } = document.querySelector(e).getBoundingClientRect();
            return (top + bottom) / 2; })""")
        assert abs(by - close) < 3


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_names_lie_on_no_other_name(page: Page, size: tuple[int, int]) -> None:
    """Names stood in the middle of the map, over each other and over its memories."""
    page.resize(size)
    people = ["Ada", "Bo", "Cleo", "Dries", "Elin", "Fons", "Gust", "Hanne", "Ivo", "Jana", "Kees"]
    with graphmem.open(None, worker="none") as memory:
        for number, who in enumerate(people):
            for other in (people[number - 1], people[number - 4], people[number // 2]):
                memory.remember(f"I met {other} at the lock.", speaker=who)
        with served(memory) as server:
            page.open(f"{server.address}#lang=en&tab=people")
            page.until("spots.length")
            # At once: the list beside it may still change the size of the stage.
            spots, (width, height), lines, written = page.value("""(paint(performance.now()), [
                spots, [w, hh], layout().pull.map(([a, b]) => [[a.x, a.y], [b.x, b.y]]),
                layout().plates.map((e) => [e.rows.map(([s]) => s).join(" ") === e.name,
                    Math.max(...e.rows.map(([, m]) => m)) < 2 * e.across])])""")
    assert written == [[True, True]] * len(spots), "each name stands whole on its plate"
    assert len(lines) >= len(spots) - 1
    # No line runs behind a plate that is none of its ends.
    for (x, y), (u, v) in lines:
        for at in range(101):
            a, b = x + (u - x) * at / 100, y + (v - y) * at / 100
            for _, left, top, right, bottom in spots:
                middle = pytest.approx([(left + right) / 2, (top + bottom) / 2])
                if [x, y] != middle and [u, v] != middle:
                    assert not (left < a < right and top < b < bottom)
    for at, (_, left, top, right, bottom) in enumerate(spots):
        assert 0 <= left < right <= width
        assert 30 <= top < bottom <= height
        for _, x, y, u, v in spots[:at]:
            assert right <= x or u <= left or bottom <= y or v <= top


def test_the_lines_between_names_are_the_same_at_each_size(page: Page) -> None:
    """Marijke and Sofie, who are told of together most, had a line on a phone alone. And "18 of 19
    names shown" gave no reason: whoever is linked least is left out."""
    related = {
        "Ada": "Bo Bo Bo Cleo Cleo",
        "Bo": "Cleo Cleo Cleo",
        "Dries": "Ada Ada Bo",
        "Elin": "Dries",
    }
    with graphmem.open(None, worker="none") as memory:
        for who, others in related.items():
            for number, other in enumerate(others.split()):
                memory.remember(f"I met {other} at lock {number}.", speaker=who)
        for who in ("Cleo", "Fons"):
            memory.remember(f"I am alone, says {who[0]}.", speaker=who)
        with served(memory) as server:
            for size in ((1440, 900), (390, 844)):
                page.resize(size)
                page.open(f"{server.address}#lang=en&tab=people")
                page.until("spots.length")
                drawn = {
                    (*sorted((one, other)), count)
                    for one, other, count in page.value(
                        "layout().pull.map(([a, b, n]) => [a.name, b.name, n])"
                    )
                }
                # The pairs of most memories, and what joins whom they do not.
                assert drawn == {
                    ("Ada", "Bo", 3), ("Bo", "Cleo", 3), ("Ada", "Cleo", 2), ("Ada", "Dries", 2),
                    ("Dries", "Elin", 1),
                }  # fmt: skip
                says(page, "Drawn: 5 of 6 names, the most linked.", "#tip")


def test_relations_are_drawn_of_the_chosen(
    page: Page, server: ViewServer, memory: graphmem.Memory
) -> None:
    """Lines between dots said nothing: relations that somebody made alone are drawn, and what else a
    memory is linked with is shown in words where that is asked for."""
    page.resize((1280, 800))
    memory.graph.relate(1, "concerns", 3)
    page.open(f"{server.address}#lang=en&tab=search")
    says(
        page,
        "Circles: who said it or is named.",
        "#stage",
    )
    page.value("choose(1)")
    says(page, "Ring: the open memory. Green: relations.", "#stage")
    page.value("choose(2)")
    page.until("sel === 2")
    assert page.value("hint()").strip() == "Ring: the open memory."
    page.value("choose(1)")
    ends = page.value("strongest(M.place.get(1)).map((j) => M.id[j])")
    assert ends[0] == 3, "what somebody made comes first"
    assert page.value("tiesOf(M.place.get(1)).map((tie) => tie.made)") == [True] + [False] * (
        len(ends) - 1
    )
    assert len(ends) <= 4
    # What is linked is shown where it is asked for, in boxes and in order of time.
    page.press("#memory h3 button", "Show on the map")
    page.until("boxed_ && !unknown.size && !refits")
    boxes = page.value("boxed_.map(({ name, rows }) => [name, rows.map(({ i }) => M.id[i])])")
    assert dict(boxes)["Open memory"] == [1]
    assert dict(boxes)["concerns"] == [3]
    assert {*ends} <= {*page.value("[...lit.set]")}
    page.press("#tools button", "Show the whole map")
    page.until("!boxed_ && !dimmed()")


@pytest.mark.parametrize("asked", ["q=Who+paints+the+fence%3F", "node=4"])
def test_on_a_phone_what_was_asked_for_comes_before_the_map(
    page: Page, server: ViewServer, asked: str
) -> None:
    page.resize((390, 844))
    tops = "['left', 'right', 'stage'].map((e) => $(e).getBoundingClientRect()).map((r) => r.y)"
    page.open(f"{server.address}#lang=en")
    left, _, stage = page.value(tops)
    assert stage < left
    # It has the whole page, until the map is asked for.
    page.open(f"{server.address}#lang=en&{asked}")
    page.until("!!document.querySelector('#memory h2, #panel .card')")
    assert not page.value("stage.checkVisibility()")
    page.press("#ask button", "Map")
    page.until("stage.checkVisibility()")
    left, right, stage = page.value(tops)
    assert 0 < (left or right) < stage
    page.value("shut()")
    page.press("#ask input")
    page.value("box.value = ''; ask('')")
    left, _, stage = page.value(tops)
    assert stage < left


def test_what_is_perhaps_related_stands_apart(page: Page, diary: graphmem.Memory) -> None:
    page.resize((1280, 800))
    with served(diary) as server:
        page.open(f"{server.address}#lang=en&q={CUES['en']}")
        page.until("last && lit")
        page.press("#ask button", "Map")
        found = diary.recall(CUES["en"], limit=12, use=False)
        weak = [hit.id for hit in found if hit.score < 0.6 * found[0].score]
        assert 0 < len(weak) < len(found)
        # So few are all shown, else it would be folded away, on the map too.
        assert page.value("lit.hits") == [hit.id for hit in found]
        says(page, "hollow: perhaps related", "#tip")
        says(page, f"Most likely: {len(found) - len(weak)} memor", "#panel h2")
        says(page, f"{len(weak)} perhaps related", "#panel .further")
        assert page.value("document.querySelectorAll('#panel .further .card').length") == len(weak)
        assert page.value("document.querySelector('#panel .further').open")
        assert page.value("[...lit.weak]") == weak
        page.press("#panel .further > summary")
        says(page, "Numbers: best first.", "#tip")
        assert page.value("lit.hits") == [hit.id for hit in found if hit.id not in weak]
        # Where no answer is sure the best alone are on the map.
        page.value("ask('Who sold the loggers to the theatre?')")
        page.until("last.cue.startsWith('Who') && lit")
        assert not page.value("last.sure")
        hits, shown, numbered = page.value("[last.hits.length, lit.set.size, lit.hits.length]")
        assert 0 < shown == numbered < hits == 12
        # List and map agree: hollow ones; the others are folded away, and pale on the map.
        says(
            page,
            f"No sure answer. Of {hits} found, the {numbered} nearest in words are",
            "#panel h2",
        )
        says(page, "Numbers: nearest in words first.", "#tip")
        assert page.value("[...lit.weak]") == page.value("lit.hits")
        assert page.value("document.querySelectorAll('#panel .hit .pin:not(.weak)').length") == 0
        says(page, f"The other {hits - shown}", "#panel details:not(.hit *)")


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_each_group_has_a_name_above_it(
    page: Page, diary: graphmem.Memory, size: tuple[int, int]
) -> None:
    """Some groups had none on a phone, and a name went elsewhere once hits were shown."""
    page.resize(size)
    written = """(() => {
      const texts = [], kept = print_;
      print_ = (s, x, y) => texts.push([s, Math.round(x), Math.round(y)]);
      try { marks(0); } finally { print_ = kept; }
      return texts;
    })()"""
    with served(diary) as server:
        page.open(f"{server.address}#lang=en")
        page.until(LISTED)
        page.value("new Promise((done) => setTimeout(done, 500))")  # the list finds its height
        before = page.value(written)
        assert page.value("groups().length") > 6
        # Of a name in two rows the second is nearer to its group.
        tops = page.value("""groups().flatMap((a) => titled_(a).map(([said], row, rows) =>
          [said, onto(a.x, a.y)[1] - a.reach * view.k - rim() - ROW() * (rows.length - 1 - row)]))""")
        assert len(before) == len(tops)
        assert all(
            any(name == said and top - 12 <= y <= top for name, top in tops)
            for said, _, y in before
        )
        page.value("light_([M.id[0]], 'hintLit')")
        assert page.value("boxed_.map((one) => one.rows.map(({ i }) => i))") == [[0]]
        page.value("light_(null); fit()")
        assert sorted(page.value(written)) == sorted(before)


def test_more_of_a_group_is_what_says_its_name(page: Page) -> None:
    """Under an answer on the rent stood what else lay in its group: a record, a course, a bike."""
    page.resize((1280, 800))
    with graphmem.open(None, worker="none") as memory:
        for what in ("is cold", "is full", "freezes", "has fish", "is deep", "is blue"):
            for name in ("Lake Bled", "Fort Bourtange"):
                memory.remember(f"I was told that {name} {what}.")
        memory.remember("Seventeen violins arrived yesterday.")
        memory.remember("Somebody swam far out in autumn.")
        with served(memory) as server:
            page.open(f"{server.address}#lang=en&q=Who says that Lake Bled freezes?")
            says(page, "Others that name Lake Bled", "#panel")
            rows = "[...document.querySelectorAll('#panel li .line')].map((e) => e.innerText)"
            page.until(f"{rows}.length && {rows}.every((s) => s.includes('told that Lake Bled'))")
            assert page.value("document.querySelectorAll('#panel li .line mark').length") > 0
            page.value("ask('Which violins arrived?')")
            page.until("last.cue.startsWith('Which') && lit")
            assert "Others that" not in text_of(page, "#panel")


def test_a_memory_on_a_phone_leaves_the_map_in_view(
    page: Page, server: ViewServer, memory: graphmem.Memory
) -> None:
    """The map was below the screen: nobody saw where the memory is without closing it."""
    new = memory.remember(" ".join(f"Sentence {n} of a long story." for n in range(60))).nodes[0]
    page.resize((390, 844))
    page.open(f"{server.address}#lang=en&node={new.id}")
    page.until("open_")
    page.press("#ask button", "Map")
    page.until("stage.checkVisibility()")
    inner, shown = page.value("[$('memory').scrollHeight, $('memory').clientHeight]")
    assert inner > shown > 250, "it is scrolled above the map"
    bottom = "document.querySelector('#memory').getBoundingClientRect().bottom"
    assert page.value(f"{bottom} <= $('stage').getBoundingClientRect().top")
    assert page.value("$('stage').getBoundingClientRect().bottom <= innerHeight")
    page.until("roomy().bottom - roomy().top > 0.32 * innerHeight")
    page.press("#memory button", "Pin")
    says(page, "Done", "#toast")
    assert page.value(
        "(r => r.top > 0 && r.bottom < innerHeight)($('toast').getBoundingClientRect())"
    )


@pytest.mark.parametrize("high", [780, 844])
def test_more_does_not_hide_the_text_of_an_open_hit(page: Page, high: int) -> None:
    """ "More" took all of a card of 91 pixels: a phone showed a blank one."""
    page.resize((390, high))
    with journal("en") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=en")
        page.value("ask('What is Matteo allergic to?')")
        page.until("last && lit && !unknown.size")
        page.press("#panel .open")
        page.until("open_ && $('memory').classList.contains('more')")
        page.value("new Promise((done) => setTimeout(done, 500))")  # the card finds its height
        edge = "parseFloat(getComputedStyle($('memory')).getPropertyValue('--edge'))"
        low = f"$('memory').getBoundingClientRect().bottom - {edge}"
        assert page.value(
            f"$('memory').querySelector('h2').getBoundingClientRect().top + 16 < {low}"
        )


@pytest.mark.parametrize(
    ("size", "more"),
    [((1440, 900), 0), ((1024, 768), 0), ((390, 844), 0), ((1200, 800), 40), ((390, 844), 12)],
)
def test_groups_lie_apart_on_each_stage(page: Page, size: tuple[int, int], more: int) -> None:
    """Grounds lay over each other, and names on the edges of their neighbours'."""
    page.resize(size)
    places = (
        "成都高新区农业物联网示范基地",
        "the Lighthouse Project at Bourtange",
        "土耳",
        "Ferry",
    )
    with graphmem.open(None, worker="none") as memory:
        for number in range(80):
            memory.remember(f"I was told that {places[number % 4]} is in note {number}.")
        with served(memory) as server:
            page.open(f"{server.address}#lang=en")
            page.until(LISTED)
            if more:  # made-up groups, each of one of the memories that there are
                page.value(f"""(() => {{
                  const made = Array.from({{ length: {more} }}, (_, n) => ({{ ...isles()[0], isle: n,
                    is: [n], n: 1, x: (n * 37) % 60, y: (n * 23) % 40, reach: 30,
                    name: "Garden notes " + n }}));
                  made.forEach((a) => {{ M.isle[a.is[0]] = a.isle;
                    M.home.x[a.is[0]] = a.x; M.home.y[a.is[0]] = a.y; }});
                  isles_.list = made;
                  fit();
                }})()""")
            bodies = page.value("""groups().map((a) => {
              const rows = titled_(a), [x, y] = onto(a.x, a.y);
              return [x, y, a.reach * view.k + rim(), Math.max(0, ...rows.map(([, m]) => m)),
                rows.length * ROW()];
            })""")
            left, top, right, bottom = page.value(
                "(r => [r.left, r.top, r.right, r.bottom])(roomy())"
            )
            inside = page.value(
                "groups().every((a) => a.is.every((i) => "
                "Math.hypot(M.x[i] - a.x, M.y[i] - a.y) <= a.reach))"
            )
    assert len(bodies) == more if more else len(bodies) > 4
    assert inside, "a memory lies beside its ground"
    for at, (x, y, r, wide, high) in enumerate(bodies):
        assert left - 1 <= x - max(r, wide / 2)
        assert x + max(r, wide / 2) <= right + 1
        assert top - 1 <= y - r - high
        assert y + r <= bottom + 1
        for number, (u, v, other, *_) in enumerate(bodies):
            if number == at:
                continue
            assert (x - u) ** 2 + (y - v) ** 2 > (r + other) ** 2
            across = max(x - wide / 2, min(u, x + wide / 2)) - u
            down = max(y - r - high, min(v, y - r)) - v
            assert not wide or across**2 + down**2 > other**2, "a name lies on a ground"


@pytest.mark.parametrize("asked", ["", "q=Who+paints+the+fence%3F", "node=2", "tab=conflicts"])
def test_on_a_phone_a_finger_meets_each_button(page: Page, server: ViewServer, asked: str) -> None:
    page.resize((390, 844))
    page.open(f"{server.address}#lang=en&{asked}")
    low = page.value("""[...document.querySelectorAll("button, summary, select, #q")]
      .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 40)
      .map((e) => e.outerHTML)""")
    assert low == []
    assert page.value("document.documentElement.scrollWidth") == 390
    assert page.value("$('look').getBoundingClientRect().top") < 10, "one row above the tabs"


def test_what_goes_on_below_an_edge_says_so(page: Page, server: ViewServer) -> None:
    """A card that ended on a whole line looked complete, and its most important line was below."""
    page.resize((390, 500))
    page.open(f"{server.address}#lang=en&node=2")
    page.until("open_ && $('memory').scrollHeight > $('memory').clientHeight")
    below = "getComputedStyle($('memory'), '::after').visibility === 'visible'"
    for to, is_more in ((0, True), (7, True), (9999, False)):
        page.value(f"$('memory').scrollTop = {to}")
        page.until(f"({below}) === {str(is_more).lower()}")
    assert page.value("getComputedStyle($('memory'), '::after').content") == '"More ↓"'


def test_more_cuts_no_line_and_leaves_no_heading_bare(page: Page, diary: graphmem.Memory) -> None:
    """ "Just spoken of" stood above "More", as if nothing were in focus; lines were cut through."""
    page.resize((390, 620))
    with served(diary) as server:
        page.open(f"{server.address}#lang=en")
        page.until("document.querySelectorAll('#panel h2').length > 1")
        page.until("$('panel').matches('.more')")
        cut = """(async () => {
            const e = $("panel"), found = new Set(), range = document.createRange();
            for (let y = 0; y < e.scrollHeight - e.clientHeight - 8; y += 6) {
                e.scrollTop = y;
                for (let n = 2; n; n--) await new Promise(requestAnimationFrame);
                const high = parseFloat(e.style.getPropertyValue("--edge")),
                    edge = e.getBoundingClientRect().bottom - high;
                if (high > MOST_EDGE) found.add("high");
                for (const part of e.querySelectorAll("h2, .by, .clamp")) {
                    range.selectNodeContents(part);
                    const own = part.getBoundingClientRect().bottom; // lines behind it are hidden
                    for (const { top, bottom } of range.getClientRects()) {
                        if (bottom > own + 1) continue;
                        if (top < edge - 1 && bottom > edge + 1) found.add(part.innerText);
                        if (part.matches("h2") && bottom > edge - 9 && top < edge - 1)
                            found.add(`bare: ${part.innerText}`);
                    }
                }
            }
            return [...found].join("; ");
        })()"""
        assert not page.value(cut)


LIE = "groups().map((a) => onto(a.x, a.y))"
LAID = "hh === stage.getBoundingClientRect().height && w === stage.getBoundingClientRect().width"
# Once lists have told what is in them, and the map has what they leave over.
LISTED = f"!unknown.size && document.querySelector('#panel li .by').innerText && {LAID}"


def test_on_a_phone_the_map_has_the_groups_of_hits(page: Page, diary: graphmem.Memory) -> None:
    """An answer made the map lower, its dots and numbers small, and groups changed places. "Other
    circles are hidden" stood above a group called "Other"."""
    page.resize((390, 844))
    with served(diary) as server:
        page.open(f"{server.address}#lang=en")
        page.until(LISTED)
        page.value("new Promise((done) => setTimeout(done, 500))")  # the list finds its height
        before = page.value(LIE)
        page.value(f"ask({CUES['en']!r})")
        page.until("lit && document.body.classList.contains('answered')")
        assert not page.value("stage.checkVisibility()")
        page.press("#ask button", "Map")
        page.until(LAID)
        drawn = "boxed_.flatMap(({ rows }) => rows.map(({ i }) => M.id[i])).sort((a, b) => a - b)"
        assert page.value(drawn) == sorted(page.value("lit.hits"))
        says(page, "Numbers: best first; hollow: perhaps related.", "#tip")
        says(page, "\nThe rest of the map is hidden.", "#tip")
        # The history, which answers nothing, is there again where the day is not today.
        assert not page.value("$('foot').checkVisibility()")
        page.value("seek(0)")
        says(page, "History", "#span")
        list_, stage, foot = page.value(
            "['left', 'stage', 'foot'].map((e) => $(e).getBoundingClientRect().y)"
        )
        assert list_ < stage < foot < 844
        page.value("seek(M.passes)")
        page.value("choose(lit.hits[0])")
        page.until(f"open_ && {LAID}")
        assert page.value(drawn) == sorted(page.value("lit.hits"))
        page.value("shut(); ask('')")
        page.until(f"{LISTED} && groups().length === isles().length")
        page.until(f"JSON.stringify({LIE}) === JSON.stringify({before!r})")


def test_a_hit_that_is_opened_leaves_groups_in_their_order(
    page: Page, diary: graphmem.Memory
) -> None:
    """What is open beside the map took a third of its room, and its groups changed places."""
    page.resize((1440, 900))
    order = "boxed_.map(({ name, rows }) => [name, rows.map(({ i }) => i)])"
    with served(diary) as server:
        page.open(f"{server.address}#lang=en&q={CUES['en']}")
        page.until("lit && lit.hits.length")
        page.press("#ask button", "Map")
        # The history has gone, the map is higher; what was said around the best hit is known.
        page.until(f"lit && lit.hits.length && !unknown.size && !refits && {LAID}")
        before, places = page.value(order), page.value("boxed_.map(({ x, y }) => [x, y])")
        page.value("choose(lit.hits[0])")
        page.until(f"open_ && {LAID}")
        assert page.value(order) == before
        page.value("shut()")
        page.until(LAID)
        assert page.value("boxed_.map(({ x, y }) => [x, y])") == places


def test_on_a_phone_the_map_is_large_and_a_question_leaves_half_of_it(page: Page) -> None:
    """Groups changed places once hits were shown; a list that ended at a row looked complete; a
    button without a use took room of the map; the question was not to be seen above a hit."""
    page.resize((390, 844))
    high = "(roomy().bottom - roomy().top)"
    with graphmem.open(None, worker="none") as memory:
        for n in range(9):
            memory.remember(f"Ada painted gate {n} of the garden")
        with served(memory) as server:
            page.open(f"{server.address}#lang=en")
            # Of what is below the header circles have 40 % as long as nothing is asked for.
            page.until(f"{high} / (innerHeight - $('stage').offsetTop"
                       " + $('ask').offsetHeight) > 0.4")  # fmt: skip
            assert page.value("$('fit').hidden")
            page.value("zoom(2)")
            page.until("!$('fit').hidden")
            page.press("#tools button", "Fit to screen")
            assert page.value("$('fit').hidden")
            assert page.value("document.querySelector('h2:has(+ .newest)').checkVisibility()")
            page.value("ask((box.value = 'Who painted the gate of the garden?'))")
            page.until("last && lit")
            page.press("#ask button", "Map")
            page.until(f"{high} > 0.32 * innerHeight")
            assert page.value("$('panel').scrollHeight > $('panel').clientHeight")
            assert page.value("$('panel').matches('.more')")
            page.value("choose(lit.hits[0])")
            assert (
                page.value("box.checkVisibility() && box.value")
                == "Who painted the gate of the garden?"
            )


def test_on_a_tablet_the_map_has_most_of_the_page(page: Page, server: ViewServer) -> None:
    """It had 65 % of what is below the header."""
    page.resize((1024, 768))
    page.open(f"{server.address}#lang=en")
    share = "$('stage').offsetWidth / innerWidth * $('stage').offsetHeight"
    assert page.value(f"{share} / (innerHeight - $('stage').offsetTop)") > 0.7


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_hits_lie_apart_in_boxes(page: Page, diary: graphmem.Memory, size: tuple[int, int]) -> None:
    """Numbers covered the dots beside them, and touched each other."""
    page.resize(size)
    lie = "[...M.x, ...M.y]"
    with served(diary) as server:
        page.open(f"{server.address}#lang=en")
        page.until(LISTED)
        before = page.value(lie)
        page.value(f"ask({CUES['en']!r})")
        page.until("lit")
        page.press("#ask button", "Map")
        page.until(f"boxed_ && !unknown.size && !refits && {LAID}")
        gaps = page.value("""hitsOn().flatMap((i) => {
          const [x, y] = px(i);
          return hitsOn().filter((j) => j !== i).map((j) =>
            Math.hypot(px(j)[0] - x, px(j)[1] - y) - 2 * SIGN);
        })""")
        assert min(gaps) > 2
        room = page.value("(({ left, top, right, bottom }) => [left, top, right, bottom])(roomy())")
        for x, y, across, down in page.value(
            "boxed_.map(({ x, y, across, down }) => [x, y, across, down])"
        ):
            assert room[0] - 1 <= x < x + across <= room[2] + 1
            assert room[1] - 1 <= y < y + down <= room[3] + 5
        # All of a row opens its memory.
        page.value("window.row_ = boxed_[0].rows[0]")
        assert page.value("pick(boxed_[0].x + 90, boxed_[0].y + row_.y) === row_.i")
        page.press("#tools button", "Show the whole map")
        page.until(f"{LISTED} && String({lie}) === {','.join(map(repr, before))!r}")


def test_without_a_gpu_the_processor_draws_the_map(page: Page, server: ViewServer) -> None:
    """Another process was told of 10,000 dots one by one: a quarter of a second a frame."""
    page.open(f"{server.address}#lang=en&canvas=1")
    assert page.value("flat.getContextAttributes().willReadFrequently")


def test_a_panel_without_buttons_is_scrolled_by_keys(page: Page, server: ViewServer) -> None:
    """Nothing in the panel of the budget takes the focus, so no key reached what is below."""
    page.resize((390, 400))
    page.open(f"{server.address}#lang=en&tab=budget")
    page.until("$('panel').matches('.more') && $('panel').tabIndex === 0")
    page.open(f"{server.address}#lang=en&tab=list")
    page.until("document.querySelectorAll('#rows tr').length && $('panel').tabIndex === -1")
