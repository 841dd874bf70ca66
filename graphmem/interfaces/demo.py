"""The demo: two journals are stored, asked, faded and asked again, and a worker is killed.

All figures printed come from the library; a failed check ends it with DemoError.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from rich.rule import Rule
from rich.text import Text

import graphmem
from graphmem.errors import GraphMemError, InvalidArgumentError, MissingError
from graphmem.interfaces.cli.printing import counted, heading, in_bytes
from graphmem.interfaces.pages import Page
from graphmem.interfaces.terminal import Progress, styled
from graphmem.settings import WorkerKind

_WIDEST: Final = 100  # columns; longer lines are hard to read
_PATIENCE: Final = 60.0  # seconds for the worker to get on with its queue
_LOOK: Final = 0.005  # seconds between looks at the queue
_LIMIT: Final = 10  # hits a question may bring back
_LAST_LOST: Final = 3  # forgotten nodes that are shown
_ALL: Final = 100_000


class DemoError(GraphMemError):
    """Raised when the library does not do what the demo shows."""


@dataclass(slots=True)
class Journal:
    """A journal, the memory that holds it, and the questions about it."""

    language: str
    name: str
    asked: tuple[str, ...]  # ids of the questions that are shown; the first one's answer is used
    entries: list[dict[str, str]]
    questions: list[dict[str, Any]]  # "evidence": ids of the entries that answer it
    memory: graphmem.Memory = field(init=False)
    source: dict[int, str] = field(default_factory=dict)  # node → entry
    ranks: dict[str, int | None] = field(default_factory=dict)  # of the evidence, before fading


def run(path: str | None = None, *, quiet: bool = False) -> dict[str, Any]:
    """Run the demo in a new folder `path`, which is kept, or in a temporary one; prints as it goes.

    Returns its figures. Raises InvalidArgumentError if `path` is there already, MissingError when
    the journals are not, and DemoError when a promise is not kept.
    """
    journals = [
        _read("en", "English", ("q09", "q25", "q35")),
        _read("zh", "Chinese", ("q18", "q22", "q39")),
    ]
    page = Page(quiet=quiet)
    page.width = min(page.width, _WIDEST)
    if path is None:
        with TemporaryDirectory(prefix="graphmem-demo-") as temporary:
            return Demo(page, os.path.join(temporary, "memory"), False, journals).run()
    if os.path.exists(path) and (not os.path.isdir(path) or os.listdir(path)):
        raise InvalidArgumentError(
            f"{path} is there already, and the demo begins with nothing: name a new folder"
        )
    return Demo(page, path, True, journals).run()


def _read(language: str, name: str, asked: tuple[str, ...]) -> Journal:
    """A journal: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    folders = (package / "data", package.parent / "data")
    folder = next((f for f in folders if (f / f"journal.{language}.jsonl").is_file()), None)
    if folder is None:
        raise MissingError(
            f"the sample journals are neither in {folders[0]} nor in {folders[1]}; "
            "install graphmem again, or run the demo in a checkout"
        )
    entries, questions = (
        list(map(json.loads, (folder / f"{kind}.{language}.jsonl").read_bytes().splitlines()))
        for kind in ("journal", "questions")
    )
    return Journal(language, name, asked, entries, questions)


@dataclass(eq=False)
class Demo:
    """One run, a chapter a method."""

    _page: Page
    _folder: str
    _kept: bool
    _journals: list[Journal]
    _figures: dict[str, Any] = field(default_factory=dict)

    def run(self) -> dict[str, Any]:
        """All chapters. Returns the figures that were printed."""
        begun = time.monotonic()
        place = f"in {self._folder}" if self._kept else "in a temporary folder"
        self._say(
            f"graphmem {graphmem.__version__}: a memory that stays bounded and forgets the least "
            f"useful words first. This takes a minute or so on two cores, 2 MB {place} and 200 MB "
            "of memory. It needs no network."
        )
        self._remember()
        with self._opened("extractive"):
            self._kill_the_worker()
            self._chapter("Ask")
            self._say(
                "Each journal comes with questions and the entries that answer them. Three of each "
                "are shown with their first hit out of such an entry, all are counted."
            )
            self._ask()
            self._fade()
            self._chapter("Ask the same again")
            self._ask()
            self._revive()
            self._check()
            self._say("admin.check() reads everything once more: all structures agree.")
        self._go_on(time.monotonic() - begun)
        return self._figures

    # -- chapters -----------------------------------------------------------------------------

    def _remember(self) -> None:
        self._chapter("Remember two journals")
        with self._opened("none"):
            for journal in self._journals:
                begun, total = time.monotonic(), len(journal.entries)
                with Progress(f"Remembering the {journal.name} journal", delay=0.2) as progress:
                    for done, entry in enumerate(journal.entries, 1):
                        nodes = journal.memory.remember(
                            entry["text"], speaker=entry["speaker"], happened=entry["date"],
                            session=entry["session"],
                        )  # fmt: skip
                        journal.source.update((node.id, entry["id"]) for node in nodes)
                        progress.update(done, total)
                stats = journal.memory.admin.stats()
                self._say(
                    f"{journal.name}: {total} entries became {stats['nodes']} nodes and "
                    f"{stats['links']:,} links, {in_bytes(stats['text_bytes'])} of text, in "
                    f"{time.monotonic() - begun:.1f} seconds."
                )
                self._figures[journal.language] = {
                    "entries": total, "nodes": stats["nodes"], "text_bytes": stats["text_bytes"],
                }  # fmt: skip
        self._say("Two scopes of one folder, now closed; nothing waited for a model.")

    def _kill_the_worker(self) -> None:
        self._chapter("Kill the worker")
        total = self._sum("queue", "waiting")
        nodes = sum(len(journal.memory) for journal in self._journals)
        self._say(
            f"Opened again. {total} texts wait in the store for the worker, a process of its own "
            "that says which sentences are worth keeping."
        )
        with Progress("The worker scores", delay=0.2) as progress:
            self._wait_until(total // 2, total, progress)
            if (killed := self._pid()) is None:
                raise DemoError("no worker runs although texts are being scored")
            os.kill(killed, signal.SIGKILL)
            waiting = self._sum("queue", "waiting")
            self._check(" after the kill")
            self._wait_until(0, total, progress)
        replaced, done = self._pid(), self._sum("worker", "enriched")
        aside = self._sum("queue", "set_aside")
        after = sum(len(journal.memory) for journal in self._journals)
        self._say(
            f"Worker {killed} got SIGKILL with {waiting} of {total} texts still waiting; a new "
            f"one, {replaced}, went on from the queue."
        )
        self._figures["worker"] = {"waiting": total, "at_kill": waiting, "scored": done}
        _promise(after == nodes, f"{nodes} nodes became {after}")
        _promise(killed != replaced, "the worker was not replaced")
        _promise(not aside and done >= total, f"{total - done} texts were lost, {aside} set aside")
        self._say("Nothing was lost.")

    def _ask(self) -> None:
        """Ask all questions, show some, and count those whose evidence is found. The first time,
        record the ranks and report one hit as used."""
        scored: list[tuple[int, graphmem.Hit] | None] = []
        is_first = "asked" not in self._figures
        for journal in self._journals:
            for question in journal.questions:
                found = journal.memory.recall(
                    question["question"], limit=_LIMIT, use=False, cut="none"
                )
                evidence = next(
                    ((rank, hit) for rank, hit in enumerate(found, 1)
                     if journal.source[hit.id] in question["evidence"]),
                    None,
                )  # fmt: skip
                if question["evidence"]:
                    scored.append(evidence)
                if is_first:
                    journal.ranks[question["id"]] = evidence and evidence[0]
                if question["id"] in journal.asked:
                    self._show(question, evidence, None if is_first else journal.ranks)
                if is_first and evidence and question["id"] == journal.asked[0]:
                    journal.memory.used(evidence[1])
                    self._say(f"An agent says that it helped: memory.used({evidence[1].id}).")
        there = [evidence for evidence in scored if evidence is not None]
        gists = sum(hit.node.form is graphmem.Form.GIST for _, hit in there)
        first = sum(rank == 1 for rank, _ in there)
        self._figures.setdefault("asked", []).append(
            {"questions": len(scored), "found": len(there), "first": first, "as_gist": gists}
        )
        faded = f", {gists} of these as a gist" if gists else ""
        self._say(
            f"All answerable questions: evidence among the first {_LIMIT} hits in {len(there)} of "
            f"{len(scored)}, the first hit of all in {first}{faded}."
        )

    def _show(
        self,
        question: dict[str, Any],
        evidence: tuple[int, graphmem.Hit] | None,
        before: dict[str, int | None] | None,
    ) -> None:
        """Print a question and its evidence; `before`: the ranks that were noted."""
        self._print("", styled(f"? {question['question']}", "bold"))
        ranks = [evidence and evidence[0]]
        if before is not None:
            ranks.insert(0, before[question["id"]])
        shown = " → ".join("–" if rank is None else str(rank) for rank in ranks)
        self._print(styled(f"  labelled answer: {question['answer']}   rank {shown}", "dim"))
        if evidence is None:
            self._print(
                styled(f"  none of {_LIMIT} hits is out of an entry that answers it", "red")
            )
            return
        _, hit = evidence
        self._print(styled(heading(hit.node), "green", 4), styled(hit.text, columns=4))
        self._print(styled(hit.why, "dim", 4))

    def _fade(self) -> None:
        self._chapter("Forget until half of the text is left")
        for journal in self._journals:
            before: int = journal.memory.admin.stats()["text_bytes"]
            report = journal.memory.admin.shrink(before // 2)
            left = report.text_bytes
            _promise(left <= before // 2, f"{journal.name}: {left} of {before} bytes are left")
            self._say(
                f"{journal.name}: {in_bytes(before)} became {in_bytes(left)}: {report.shortened} "
                f"shortened, {report.gists} reduced to a gist, {report.forgotten} forgotten."
            )
            self._figures[journal.language]["text_bytes_after"] = left
        self._say(
            "What nobody uses loses its least telling sentences first, then all but a phrase and "
            "keywords: its gist. Earlier forms go to the archive."
        )

    def _revive(self) -> None:
        self._chapter("What was forgotten")
        journal = self._journals[0]
        history = journal.memory.history
        gone = history.forgotten(_ALL)
        _promise(bool(gone), f"no node of the {journal.name} journal was forgotten")
        self._figures["forgotten"] = len(gone)
        self._print(f"{counted(len(gone), 'node')} of the {journal.name} journal. The last:")
        for item in gone[:_LAST_LOST]:
            self._print(styled(f"node {item.id}, {item.why}: {item}", "yellow", 3))
        earliest = history.of(gone[0].id)[0]
        back = history.revive(gone[0].id, earliest.version)
        _promise(back.text == earliest.node.text, f"node {gone[0].id} came back otherwise")
        self._say(
            f"The archive still has it. memory.history.revive({gone[0].id}, {earliest.version}) "
            f"brings back: {back.text}"
        )

    def _go_on(self, seconds: float) -> None:
        self._chapter("Go on from here")
        lines = [
            'import graphmem; memory = graphmem.open("agent-memory")',
            'memory.remember("Wen moved the release from May 3 to May 10.", speaker="Wen")',
            'print(memory.recall("When is the release?").text)',
        ]
        if self._kept:
            journal = self._journals[0]
            cue = next(q["question"] for q in journal.questions if q["id"] == journal.asked[0])
            lines = [
                "import graphmem",
                f"memory = graphmem.open({self._folder!r}, scope={journal.language!r})",
                f"print(memory.recall({cue!r}).text)",
            ]
        for line in lines:
            self._page.print(styled(f"    {line}", "bold"), soft_wrap=True)
        self._figures["seconds"] = round(seconds, 1)
        kept = f", the memory is kept in {self._folder}" if self._kept else ""
        self._say(f"That took {seconds:.0f} seconds{kept}.")

    # -- the memories -------------------------------------------------------------------------

    @contextmanager
    def _opened(self, worker: WorkerKind) -> Iterator[None]:
        first = self._journals[0].language
        with graphmem.open(self._folder, scope=first, worker=worker, random=Random(7)) as memory:
            for journal in self._journals:
                journal.memory = memory.scopes.open(journal.language)
            yield

    def _sum(self, part: str, name: str) -> int:
        return sum(int(journal.memory.admin.stats()[part][name]) for journal in self._journals)

    def _pid(self) -> int | None:
        pid: int | None = self._journals[0].memory.admin.stats()["worker"]["pid"]
        return pid

    def _check(self, when: str = "") -> None:
        faults = [fault for journal in self._journals for fault in journal.memory.admin.check()]
        _promise(not faults, f"admin.check() found faults{when}: {faults[:3]}")

    def _wait_until(self, waiting: int, total: int, progress: Progress) -> None:
        """Wait until at most `waiting` texts are in the worker's queue; reports progress."""
        last, since = total + 1, time.monotonic()
        while (left := self._sum("queue", "waiting")) > waiting:
            progress.update(total - left, total)
            if left < last:
                last, since = left, time.monotonic()
            errors = [j.memory.admin.stats()["worker"]["last_error"] for j in self._journals]
            _promise(
                time.monotonic() - since < _PATIENCE,
                f"the worker did nothing for {_PATIENCE:.0f} seconds; its last errors: {errors}",
            )
            time.sleep(_LOOK)

    # -- the page -----------------------------------------------------------------------------

    def _print(self, *parts: Any) -> None:
        for part in parts:
            self._page.print(part)

    def _say(self, text: str) -> None:
        self._print("", styled(text))

    def _chapter(self, title: str) -> None:
        self._print("", Rule(Text(title, "bold"), align="left", style="dim"))


def _promise(kept: bool, otherwise: str) -> None:
    if not kept:
        raise DemoError(otherwise)
