"""`python -m bench view [--nodes N …] [--shots DIR]`: the view in a Chromium.

Prints, for memories of N nodes, what `map()` takes the first time and again, how large it is, and
how long the page takes until it is drawn, and its script for each frame while one zooms. With
--shots it builds a memory out of each journal of data/, and writes pictures of the page at three
sizes in both languages, to be looked at.

It needs Chromium: the program named by $CHROMIUM, else `chromium` or `google-chrome`. Without one
only the map is measured.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from random import Random
from threading import Thread
from typing import Final

import graphmem
from bench import chromium
from bench.chromium import Page
from bench.report import Row
from graphmem.interfaces.view.page import page
from graphmem.interfaces.view.server import ViewServer

HELP: Final = "the view: its map, its page, pictures of it"
DATA: Final = Path(__file__).parents[1] / "data"
SIZES: Final = {"desk": (1280, 800), "wide": (1920, 1080), "phone": (390, 844)}
PASSES: Final = 3  # a day of a journal
CUES: Final = {"en": "Why did we stay on TimescaleDB?", "zh": "苏梅做了什么？"}
ABSENT: Final = {"en": "Where is the xylophone?", "zh": "木琴在哪里？"}
_PATIENCE: Final = 300.0  # seconds
_FRAMES: Final = 20
_ZOOM: Final = """(async () => {
  for (let k = 0; k < %d; k++) {
    asked = true;  // no frame but this one
    zoom(k %% 2 ? 1.05 : 1 / 1.05);
    paint(performance.now());
    await new Promise(done => setTimeout(done, 0));
  }
  asked = false;
})()"""


_DRAG: Final = """(async () => {
  const took = [];
  let last = await new Promise(requestAnimationFrame);
  for (let k = 0; k < %d; k++) {
    drag(k %% 20 < 10 ? 3 : -3, 0);
    const now = await new Promise(requestAnimationFrame);
    took.push(now - last);
    last = now;
  }
  return took.sort((a, b) => a - b);
})()"""


@contextmanager
def served(memory: graphmem.Memory) -> Iterator[ViewServer]:
    """The view of a memory."""
    with ViewServer(memory) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def journal(language: str) -> graphmem.Memory:
    """A memory of a journal, remembered on its days: some nodes were used, some have faded, one
    fact has changed."""
    entries = [
        json.loads(line)
        for line in (DATA / f"journal.{language}.jsonl").read_text("utf-8").splitlines()
    ]
    today = datetime.fromisoformat(entries[0]["date"])
    memory = graphmem.open(
        None, worker="none", tuning=graphmem.Tuning(forgetting="passes"), clock=lambda: today
    )
    for entry in entries:
        day = datetime.fromisoformat(entry["date"])
        if day.date() != today.date():
            for _ in range(PASSES):
                memory.sweep()
        today = day
        memory.used([hit.id for hit in memory.recall(entry["text"], limit=1, use=False)])
        memory.remember(
            entry["text"], speaker=entry["speaker"], happened=entry["date"],
            session=entry["session"],
        )  # fmt: skip
    last_notes = {
        "en": ("I live in Lyon.", "I live in Ghent."), "zh": ("我住在成都。", "我住在重庆。")
    }[language]  # fmt: skip
    for text in (*last_notes, "ok"):
        memory.remember(text)
    memory.pin(next(iter(memory)))
    memory.review.conflicts(seconds=60)  # compared, as in a memory that is looked at again
    return memory


def faded(memory: graphmem.Memory) -> int:
    """The node with the longest history."""
    return max(memory, key=lambda node: (node.form == 1, node.version, node.uses)).id


def shots(program: str, folder: Path) -> list[Path]:
    """Pictures of the page; returns their files."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    for language in ("en", "zh"):
        with journal(language) as memory, served(memory) as server, Page(program) as page:
            whole = max(5, memory.admin.stats()["passes"] // 3)
            scenes = {
                "map": "look=dark",
                "recall": f"look=light&q={CUES[language]}",
                "life": f"look=dark&by=form&node={faded(memory)}",
                "past": f"look=light&by=form&gone=1&pass={whole}",
                "absent": f"look=dark&q={ABSENT[language]}",
                "clean": "look=light&tab=clean",
                "conflicts": "look=dark&tab=conflicts",
                "budget": "look=light&tab=budget",
                "people": "look=light&tab=people",
                "list": "look=dark&tab=list",
                "canvas": "look=light&canvas=1",
            }
            for scene, asked in scenes.items():
                for name, size in SIZES.items():
                    if name == "wide" and scene not in ("map", "recall"):
                        continue
                    made.append(folder / f"{scene}-{name}-{language}.png")
                    page.resize(size)
                    page.open(f"{server.address}#lang={language}&{asked}")
                    page.shot(made[-1])
    return made


def figures(program: str | None, counts: list[int]) -> Iterator[Row]:
    """What a map of so many nodes takes."""
    yield Row("view", "", "page", "size", len(page().encode()), "bytes")
    for count in counts:
        dataset = f"{count:,} memories"
        with graphmem.open(None, worker="none") as memory:
            random = Random(1)
            memory.remember_many(
                f"{random.choice(('Wen', 'Ada', 'Bo'))} spoke of the topic{random.randrange(99)} "
                f"and the subject{random.randrange(999)}, for the {n:,}th time."
                for n in range(count)
            )
            for metric in ("first map, CPU", "next map, CPU"):
                began = time.process_time()
                packed = memory.graph.map()
                yield Row("view", dataset, "map", metric, time.process_time() - began, "s")
            yield Row("view", dataset, "map", "size", len(packed), "bytes")
            yield Row("view", dataset, "map", "links", memory.admin.stats()["links"], "")
            if program is not None:
                with served(memory) as server, Page(program) as shown:
                    shown.open(server.address, _PATIENCE)
                    ready = float(shown.value("document.body.dataset.ready")) / 1000
                    yield Row("view", dataset, "page", "ready", ready, "s")
                    before = shown.busy()
                    yield Row("view", dataset, "page", "thread until ready, CPU", before, "s")
                    shown.value(_ZOOM % _FRAMES, _PATIENCE)
                    took = 1000 * (shown.busy() - before) / _FRAMES
                    yield Row("view", dataset, "page", "thread for a frame, CPU", took, "ms")
                    frames = shown.value(_DRAG % (5 * _FRAMES), _PATIENCE)
                    for metric, share in (("median", 0.5), ("p95", 0.95)):
                        what = f"a frame while dragging, {metric}"
                        yield Row(
                            "view", dataset, "page", what, frames[int(share * len(frames))], "ms"
                        )


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--shots", type=Path, metavar="DIR", help="write pictures of the page")
    parser.add_argument("--nodes", type=int, nargs="+", default=[341, 10_000], metavar="N")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure, and return the rows."""
    program = chromium.program()
    if arguments.shots is None:
        return list(figures(program, arguments.nodes))
    if program is None:
        raise SystemExit("there is no Chromium; name one with $CHROMIUM")
    return [
        Row("view", file.name, "picture", "size", file.stat().st_size, "bytes")
        for file in shots(program, arguments.shots)
    ]
