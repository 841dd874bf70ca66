"""What the page says: words of the language that was chosen, and none of the other."""

import json
import re

import pytest

import graphmem
from bench import chromium
from bench.chromium import Page
from bench.view import CUES, journal, served
from graphmem.interfaces.view.server import ViewServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        chromium.program() is None, reason="needs a Chromium: $CHROMIUM, chromium or google-chrome"
    ),
]

SAID = [
    "replaced by node 1; it held until 2026-04-07",
    "its end was 2026-04-07 08:00 UTC; it is hidden",
    "node 1 says something else of residence since then",
    "node 1 says something else of choice:drink: say which of them holds",
    "node 1 says something else of amount:money/month of the project",
    "node 1 says the same in other words",
    "it says nothing: a reply",
    "confidence 0.40: confirm it if it is so",
    "it holds a password, card",
    "version 2 in the archive may hold a passport",
    "the last day that it names, 2026-04-02, is over",
    "short-term: not used for 40 days, meant for 7",
    "1 sentence, 10 links, 1 fact, and what recall says of that time",
    "its gist, 1 link",
    "its forms in the archive",
    "the whole record",
]  # what the server says of candidates


def test_what_the_server_says_is_chinese_on_a_chinese_page(page: Page) -> None:
    """The words "and what recall says of that time" stood there, and "已被记忆 42 替换": a number that
    nobody sees elsewhere."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember("会议定在周三下午三点。")
        with served(memory) as server:
            page.open(f"{server.address}#lang=zh")
            for said in SAID:
                shown = page.value(f"inWords({json.dumps(said)})").replace("UTC", "")
                assert not re.search("[A-Za-z]", shown), shown
                assert ("会议定在周三下午三点" in shown) == ("node 1" in said)
            assert (
                page.value("asWritten('not 咖啡', '我下午不喝咖啡。', 'choice:drink')")
                == "不喝咖啡"
            )
            assert page.value("asWritten('not 蓝色', '不要蓝色。', 'choice:colour')") == "不要蓝色"


def test_a_digit_opens_a_panel_and_goes_into_it(page: Page, server: ViewServer) -> None:
    """The focus stayed on the body: 21 tabs to the button of a conflict."""
    page.open(f"{server.address}#lang=en")
    page.key("6")
    page.until("document.activeElement.id === 'panel' && tab === 'conflicts'")


@pytest.mark.parametrize("size", [(1280, 480), (1280, 520), (1024, 540), (390, 600)])
def test_hits_are_listed_whole_and_the_title_says_of_how_many(
    page: Page, size: tuple[int, int]
) -> None:
    """The list ended at the fourth hit, or within it, while the map had a fifth. A count at the lower
    edge, of what is out of sight, stood beside another one, of what is folded away. And the title,
    "5/12 条，苏梅所说", was no sentence."""
    page.resize(size)
    with journal("zh") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=zh&q={CUES['zh']}")
        page.until("lit && document.querySelectorAll('#panel .hit').length > 0")
        page.until("$('panel').dataset.more === '更多 ↓'")
        boxes = page.value("[...document.querySelectorAll('#panel .hit')].filter((e) =>"
                           " e.checkVisibility()).map((e) => (({top, bottom}) => [top, bottom])"
                           "(e.getBoundingClientRect()))")  # fmt: skip
        edge = page.value("$('panel').getBoundingClientRect().bottom - "
                          "parseFloat($('panel').style.getPropertyValue('--edge'))")  # fmt: skip
        under = sum(bottom > edge + 1 for _, bottom in boxes)
        assert under == sum(top > edge - 1 for top, _ in boxes), "one is cut"
        assert 0 < under < len(boxes) == page.value("lit.hits.length") == 5
        assert page.value("document.querySelector('#panel h2').textContent") == (
            "没有确定的答案。找到 12 条，下面是苏梅所说、最接近的 5 条。"
        )


def test_what_only_its_speaker_has_of_a_question_says_so(page: Page) -> None:
    """Five notes of one speaker, of which the question has nothing else, were "nearest in words";
    one of them lay in the circle of somebody else, and nothing said why."""
    page.resize((1280, 800))
    with journal("zh") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=zh&q={CUES['zh']}")
        page.until("document.querySelectorAll('#panel .hit').length >= 5")
        reasons = page.value("reasons(last.hits[0])")
        assert "问题提到了说话人" in reasons
        assert "用词与问题相同" not in reasons
        assert page.value("hint()").startswith("编号：苏梅所说，最接近的在前。")
        rows = page.value(
            "[...document.querySelectorAll('#panel .hit .by')].map(e => e.textContent)"
        )
        lie = page.value("last.hits.map((x) => [x.speaker, named(groupOf(M.place.get(x.id)))])")
        assert any(speaker == "苏梅" != name for speaker, name in lie)
        for row, (speaker, name) in zip(rows, lie, strict=True):
            assert row.endswith(f"提到{name}") == (name not in ("", speaker)), (row, name)


def test_a_short_memory_is_shown_whole_and_all_are_counted(page: Page) -> None:
    """Previews ended in "…" above empty space, and "More" said not how many: the button behind the
    list does. The lower edge counted what was out of sight, which was another number."""
    page.resize((1280, 800))
    with journal("en") as memory, served(memory) as server:
        page.open(f"{server.address}#lang=en")
        page.until("!unknown.size && document.querySelector('#panel .top .by').innerText")
        page.until("$('panel').matches('.more')")
        cut = page.value("[...document.querySelectorAll('#panel li .clamp')].filter((e) =>"
                         " e.scrollHeight > e.clientHeight + 2).map((e) => e.innerText)")  # fmt: skip
        assert not cut
        edge = page.value("$('panel').getBoundingClientRect().bottom - "
                          "parseFloat($('panel').style.getPropertyValue('--edge'))")  # fmt: skip
        tops = page.value("[...document.querySelectorAll('#panel .line')].map((e) =>"
                          " e.getBoundingClientRect().top)")  # fmt: skip
        below = sum(top > edge - 1 for top in tops)
        assert below
        assert page.value("$('panel').dataset.more") == "More ↓"
        assert f"Show all {len(memory)}" in page.value("$('panel').textContent")


def test_a_memory_without_a_speaker_lies_in_nobody_elses_circle(page: Page) -> None:
    """Each hit said that it names the one name that all of them name."""
    with graphmem.open(None, worker="none") as memory:
        for n in range(5):
            memory.remember(f"Ada painted gate {n} of the garden.")
        with served(memory) as server:
            page.open(f"{server.address}#lang=en&q=Ada+gate")
            page.until("lit && document.querySelectorAll('#panel .hit').length")
            assert page.value("last.hits[0].text.includes(named(groupOf(hitsOn()[0])))")
            rows = page.value("[...document.querySelectorAll('.hit .by')].map(e => e.textContent)")
            assert not any("names" in row for row in rows), rows
