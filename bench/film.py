"""The view as an animated picture: what one sees in the browser while a memory is used.

A browser is driven through one story, in which what happens to the memory really happens: a text is
remembered, found again with the path that led to it, fades, is forgotten and brought back. Frames
are pictures of the page; they last as long as it takes to read them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import graphmem
from bench.chromium import Page

if TYPE_CHECKING:
    from PIL.Image import Image

SIZE: Final = (1180, 740)  # CSS pixels
_QUALITY: Final = 62  # of WebP
_STEPS: Final = 26  # of the slider, from the first pass to the last one

_STORY: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "map": "Notes of half a year. Like lies near like, and what is used is larger",
        "speaker": "Tomasz",
        "text": "Tomasz moved the release of Millrace to May 12, after the load test.",
        "remember": "An agent remembers something, in another process",
        "cue": "Who is Amara?",
        "ask": "A question: the hits, and the path of links that led to each",
        "life": "Why it is kept, and what it would lose next",
        "time": "The slider: what is not used becomes shorter, a gist, and is forgotten",
        "forget": "Forgotten on request",
        "revive": "And brought back: the archive has it",
    },
    "zh": {
        "map": "半年的笔记：相近的挨在一起，常用的更大",
        "speaker": "苏梅",
        "text": "苏梅把发布会推迟到五月十二日，等压力测试做完。",
        "remember": "另一个进程里的智能体记下一句话",
        "cue": "谭越是谁？",
        "ask": "提问：找到的记忆，以及通向它们的联想路径",
        "life": "它为什么被保留，接下来会失去什么",
        "time": "时间滑块：不使用的内容逐渐缩短、只剩梗概，最后被遗忘",
        "forget": "按要求遗忘",
        "revive": "再恢复：归档里还有",
    },
}


class _Film:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._frames: list[Image] = []
        self._lasting: list[int] = []  # milliseconds of each frame

    @property
    def seconds(self) -> float:
        return sum(self._lasting) / 1000

    def frame(self, seconds: float) -> None:
        """Show the page as it is for so long."""
        from PIL import Image

        self._frames.append(Image.open(BytesIO(self._page.picture())).convert("RGB"))
        self._lasting.append(round(1000 * seconds))

    def caption(self, text: str) -> None:
        """Say above the map what is to be seen."""
        self._page.value(
            """(text => {
              let told = document.getElementById("caption");
              if (!told) {
                told = document.createElement("b");
                told.id = "caption";
                told.style.cssText = "flex:9;font-size:16px;color:var(--hot);text-align:center";
                document.getElementById("where").replaceWith(told);
                const where = document.createElement("span");  // for what writes there
                where.id = "where"; where.hidden = true; document.body.append(where);
              }
              told.textContent = text;
            })"""
            + f"({json.dumps(text)})"
        )

    def save(self, file: Path) -> None:
        """Write all frames, as an animated WebP that begins again at its end."""
        first, *rest = self._frames
        first.save(
            file, "WEBP", save_all=True, append_images=rest, duration=self._lasting, loop=0,
            quality=_QUALITY, method=4, minimize_size=True,
        )  # fmt: skip


def film(page: Page, address: str, memory: graphmem.Memory, language: str, file: Path) -> float:
    """Write the story of a memory that is served at an address; returns its length in seconds."""
    story, shown = _STORY[language], _Film(page)
    page.resize(SIZE)
    page.open(f"{address}#lang={language}&look=dark")
    shown.caption(story["map"])
    shown.frame(4)

    shown.caption(story["remember"])
    shown.frame(1.2)
    (new,) = (node.id for node in memory.remember(story["text"], speaker=story["speaker"]).nodes)
    page.until(f"M.place.has({new})")
    page.value(f"choose({new}, false)")
    page.until(f"open_ && open_.id === {new}")
    shown.frame(3.5)
    page.key("Escape")

    shown.caption(story["ask"])
    page.key("/")
    step = 5 if language == "en" else 2
    for end in range(0, len(story["cue"]), step):
        page.write(story["cue"][end : end + step])
        page.value("clearTimeout(wait)")  # it would search for half a question
        shown.frame(0.16)
    page.key("Enter")
    page.until("lit && lit.hits.length && last.cue === box.value")
    shown.frame(5.5)
    shown.caption(story["life"])
    page.press("#panel .card .open")
    page.until("open_ && sel === open_.id")
    shown.frame(4.5)

    page.key("Escape")
    page.key("Escape")
    page.until("!lit && sel == null")
    page.value("document.activeElement.blur()")
    shown.caption(story["time"])
    page.press("#tools button")  # colour by form
    for step in range(_STEPS + 1):
        page.value(f"seek(until() * {step} / {_STEPS})")
        shown.frame(0.3 if step < _STEPS else 2)
    page.value("seek(M.passes)")

    shown.caption(story["forget"])
    page.value(f"choose({new})")
    page.until(f"open_ && open_.id === {new}")
    shown.frame(1.2)
    page.press("#told button.bad")
    page.until("open_ && !open_.alive && !document.querySelector('#toast').hidden")
    shown.frame(3.2)
    shown.caption(story["revive"])
    page.press("#told .row button")
    page.until("open_ && open_.alive")
    shown.frame(3.5)
    shown.save(file)
    return shown.seconds
