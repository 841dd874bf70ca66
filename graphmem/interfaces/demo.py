"""The demo: a memory is built from two journals, asked, hurt, faded and asked again.

All that it prints comes out of the library; a promise that is not kept ends it with DemoError.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from rich.rule import Rule
from rich.table import Table
from rich.text import Text

import graphmem
from graphmem.errors import GraphMemError, InvalidArgumentError, MissingError, ModelError
from graphmem.interfaces.terminal import Indented, Page, Progress, said
from graphmem.services import models
from graphmem.settings import WorkerKind
from graphmem.values.reports import SweepReport

_WIDEST: Final = 100  # columns; longer lines are hard to read
_PATIENCE: Final = 60.0  # seconds for the worker to get on with its queue
_LOOK: Final = 0.005  # seconds between looks at the queue
_FADE_ON: Final = 0.9  # of the text, when half of it was lost without a node being forgotten
_LIMIT: Final = 10  # hits a question may bring back
_SHOWN: Final = 2  # hits that are shown beside the evidence
_COMPARED: Final = 3  # nodes that are shown before and after
_LAST_LOST: Final = 3  # forgotten nodes that are shown
_ALL: Final = 100_000
_MODELLED: Final = 24  # entries that the local model helps to score


class DemoError(GraphMemError):
    """Raised when the library does not do what the demo came to show."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a journal, as data/questions.*.jsonl has it."""

    id: str
    question: str
    answer: str
    evidence: frozenset[str]  # ids of journal entries


@dataclass(slots=True)
class Journal:
    """A journal, the memory that keeps it, and what is asked of it."""

    language: str
    name: str
    about: str
    asked: tuple[str, ...]  # ids of the questions that are shown; the first one's answer is used
    entries: list[dict[str, str]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    source: dict[int, str] = field(default_factory=dict)  # node → entry
    found: dict[str, Evidence | None] = field(default_factory=dict)  # question → before fading
    forms: dict[int, graphmem.Node] = field(default_factory=dict)  # before fading


@dataclass(frozen=True, slots=True)
class Evidence:
    """The first hit that comes out of an entry which answers the question."""

    rank: int
    hit: graphmem.Hit


def run(path: str | None = None, *, quiet: bool = False) -> dict[str, Any]:
    """Run the demo in a new folder `path`, which is kept, or in a temporary one; prints as it goes.

    Returns its figures. Raises InvalidArgumentError if `path` is there already, MissingError when
    the journals are not, and DemoError when a promise is not kept.
    """
    journals = [
        _read(Journal("en", "English", "a small hydrology firm", ("q09", "q25", "q35"))),
        _read(Journal("zh", "Chinese", "a small maker of farm sensors", ("q18", "q22", "q39"))),
    ]
    page = Page(quiet=quiet)
    page.width = min(page.width, _WIDEST)
    with _folder(path) as folder:
        return Demo(page, folder, path is not None, journals).run()


@contextmanager
def _folder(path: str | None) -> Iterator[str]:
    if path is None:
        with TemporaryDirectory(prefix="graphmem-demo-") as temporary:
            yield os.path.join(temporary, "memory")
        return
    if os.path.exists(path) and (not os.path.isdir(path) or os.listdir(path)):
        raise InvalidArgumentError(
            f"{path} is there already, and the demo begins with nothing: name a new folder"
        )
    yield path


def _read(journal: Journal) -> Journal:
    folder = _data()
    journal.entries = list(_lines(folder / f"journal.{journal.language}.jsonl"))
    journal.questions = [
        Question(q["id"], q["question"], q["answer"], frozenset(q["evidence"]))
        for q in _lines(folder / f"questions.{journal.language}.jsonl")
    ]
    return journal


def _data() -> Path:
    """The folder of the journals: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "data", package.parent / "data"):
        if (folder / "journal.en.jsonl").is_file():
            return folder
    raise MissingError(
        f"the sample journals are neither in {package / 'data'} nor in {package.parent / 'data'}; "
        "install graphmem again, or run the demo in a checkout"
    )


def _lines(file: Path) -> Iterator[Any]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


class Demo:
    """One run, a chapter a method."""

    def __init__(self, page: Page, folder: str, kept: bool, journals: list[Journal]) -> None:
        self._page = page
        self._folder = folder
        self._kept = kept
        self._journals = journals
        self._memories: dict[str, graphmem.Memory] = {}
        self._figures: dict[str, Any] = {}

    def run(self) -> dict[str, Any]:
        """All chapters. Returns the figures that were printed."""
        begun = time.monotonic()
        self._print(Text(f"graphmem {graphmem.__version__}", "bold"))
        self._say("A memory that stays bounded and forgets the least useful words first.")
        place = f"in {self._folder}" if self._kept else "in a temporary folder"
        self._say(
            f"This takes a minute or so on two cores, 2 MB {place} and 200 MB of memory, with a "
            "local model 300 MB more. It needs no network."
        )
        self._remember()
        with self._model() as modelled, self._opened("extractive"):
            self._kill_the_worker()
            self._ask()
            self._fade()
            self._ask_again()
            self._before_and_after()
            self._once_knew()
            self._check()
            self._scored_meanwhile(modelled)
        self._go_on(time.monotonic() - begun)
        return self._figures

    # -- chapters -----------------------------------------------------------------------------

    def _remember(self) -> None:
        self._chapter("Remember two journals")
        for journal in self._journals:
            dates = [entry["date"][:10] for entry in journal.entries]
            span = f"{min(dates)} to {max(dates)}"
            self._print(f"{journal.name}: {journal.about}, {len(dates)} entries, {span}.")
        rows = _columns("", "entries", "nodes", "links", "text", "seconds")
        with self._opened("none"):
            for journal in self._journals:
                memory = self._memories[journal.language]
                begun = time.monotonic()
                self._take_in(journal, memory)
                spent = time.monotonic() - begun
                stats = memory.admin.stats()
                rows.add_row(
                    journal.name,
                    str(len(journal.entries)),
                    str(stats["nodes"]),
                    f"{stats['links']:,}",
                    _kilobytes(stats["text_bytes"]),
                    f"{spent:.1f}",
                )
                self._figures[journal.language] = {
                    "entries": len(journal.entries),
                    "nodes": stats["nodes"],
                    "text_bytes": stats["text_bytes"],
                }
        self._print("", rows)
        self._say("Two scopes of one folder, now closed; nothing waited for a model.")

    def _take_in(self, journal: Journal, memory: graphmem.Memory) -> None:
        total = len(journal.entries)
        with Progress(f"Remembering, {journal.language}", delay=0.3) as progress:
            written = memory.remember_many(
                (
                    {
                        "text": entry["text"],
                        "speaker": entry["speaker"],
                        "happened": entry["date"],
                        "session": entry["session"],
                    }
                    for entry in journal.entries
                ),
                progress=lambda done: progress.update(done, total),
            )
        for entry, nodes in zip(journal.entries, written, strict=True):
            journal.source |= {node.id: entry["id"] for node in nodes}

    @contextmanager
    def _model(self) -> Iterator[graphmem.Memory | None]:
        """A third memory, which the local model scores while the demo goes on; None without one."""
        self._chapter("Let a local model score, if there is one")
        try:
            memory = graphmem.open(None, worker="llama", tuning=graphmem.Tuning(worker_share=1.0))
        except ModelError as error:
            self._say(f"There is none: {error}.")
            yield None
            return
        with memory:
            texts = [e["text"] for j in self._journals for e in j.entries[: _MODELLED // 2]]
            nodes = sum(map(len, memory.remember_many(texts)))
            self._figures["model"] = {"waiting": nodes}
            self._say(
                f"{nodes} texts of both journals are also in a memory that {_named(memory)} helps "
                "to score, in a process of its own. Nobody waits for it."
            )
            yield memory

    def _scored_meanwhile(self, memory: graphmem.Memory | None) -> None:
        if memory is None:
            return
        self._chapter("What the model has scored meanwhile")
        stats = memory.admin.stats()
        queue, worker = stats["queue"], stats["worker"]
        rows = _columns("", "at the beginning", "now")
        rows.add_row("waiting", str(self._figures["model"]["waiting"]), str(queue["waiting"]))
        rows.add_row("scored", "0", str(worker["enriched"]))
        self._print(rows)
        self._figures["model"] |= {"scored": worker["enriched"], "left": queue["waiting"]}
        _promise(not queue["set_aside"], f"texts were set aside: {worker['last_error']}")
        self._say(
            "So says memory.admin.stats(). What waits has the salience that the rules gave it, is "
            "found all the same, and in a folder would go on waiting for the next time."
        )

    def _kill_the_worker(self) -> None:
        self._chapter("Kill the worker in the middle of its work")
        total = self._waiting() + self._enriched()
        nodes = sum(len(memory) for memory in self._memories.values())
        self._say(
            f"Opened again. {total} texts wait in the store for the worker, a process of its own "
            "that says which sentences are worth keeping."
        )
        with Progress("The worker scores", delay=0.2) as progress:
            self._wait_until(total // 2, total, progress)
            killed = self._kill()
            waiting, faults = self._waiting(), self._faults()
            self._wait_until(0, total, progress)
        replaced = self._pid()
        done, aside = self._enriched(), self._set_aside()
        after = sum(len(memory) for memory in self._memories.values())
        self._say(
            f"Worker {killed} got SIGKILL with {waiting} of {total} texts still waiting; a new "
            f"one, {replaced}, went on from the queue."
        )
        rows = _columns("", "before", "at the kill", "at the end")
        rows.add_row("nodes", str(nodes), str(nodes), str(after))
        rows.add_row("waiting", str(total), str(waiting), "0")
        rows.add_row("scored", "0", str(total - waiting), str(done))
        rows.add_row(
            "faults found by admin.check()", "", str(len(faults)), str(len(self._faults()))
        )
        self._print(rows)
        self._figures["worker"] = {"waiting": total, "at_kill": waiting, "scored": done}
        _promise(not faults, f"admin.check() found faults after the kill: {faults[:3]}")
        _promise(after == nodes, f"{nodes} nodes became {after}")
        _promise(killed != replaced, "the worker was not replaced")
        _promise(not aside and done >= total, f"{total - done} texts were lost, {aside} set aside")
        self._say("Nothing was lost.")

    def _ask(self) -> None:
        self._chapter("Ask")
        scored: list[Evidence | None] = []
        self._say(
            "Each journal comes with questions and the entries that answer them. Three of each are "
            "shown, all are counted below. The tick marks the first hit out of such an entry."
        )
        for journal in self._journals:
            memory = self._memories[journal.language]
            for question in journal.questions:
                found = memory.recall(question.question, limit=_LIMIT, use=False, cut="none")
                evidence = _evidence(journal, question, found)
                journal.found[question.id] = evidence
                if question.evidence:
                    scored.append(evidence)
                if question.id in journal.asked:
                    self._show_answers(question, found, evidence)
        self._say(self._score("All answerable questions", scored))
        self._use()

    def _use(self) -> None:
        """Have the first question's answer of each journal count as used."""
        used: list[str] = []
        for journal in self._journals:
            helped = journal.found[journal.asked[0]]
            if helped is not None:
                self._memories[journal.language].used(helped.hit)
                used.append(f"{helped.hit.id} ({journal.name})")
        self._say(
            "An agent would now say which memory helped, with memory.used(hit). Here it says so "
            f"of nodes {' and '.join(used)}; all else is left to fade."
        )

    def _show_answers(
        self, question: Question, found: graphmem.Recall, evidence: Evidence | None
    ) -> None:
        self._print("", said(f"? {question.question}", "bold"))
        self._print(said(f"  labelled answer: {question.answer}", "dim"))
        for rank, hit in enumerate(found, 1):
            proves = evidence is not None and evidence.rank == rank
            if not proves and rank > _SHOWN:
                continue
            mark = "✓" if proves else " "
            head = Text.assemble(
                (f"{mark} {rank:>2}  {hit.score:.2f}  ", "green" if proves else ""),
                said(_who(hit.node), "dim"),
            )
            self._print(head)
            text = hit.text if proves else _clipped(hit.text, self._page.width - 6)
            self._print(Indented(said(text), 5))
            if proves or hit.path:
                self._print(Indented(said(hit.why, "dim"), 5))
        if evidence is None:
            self._print(said(f"  no hit among {_LIMIT} is out of an entry that answers it", "red"))

    def _fade(self) -> None:
        self._chapter("Forget until half of the text is left")
        rows = _columns("", "text", "left", "passes", "cuts", "gists", "forgotten")
        for journal in self._journals:
            memory = self._memories[journal.language]
            journal.forms = {node.id: node for node in memory}
            before = memory.admin.stats()["text_bytes"]
            report = self._shrink(journal, before // 2)
            _promise(
                report.text_bytes <= before // 2,
                f"{journal.language}: {before} bytes of text became {report.text_bytes}, not half",
            )
            rows.add_row(
                journal.name,
                _kilobytes(before),
                _kilobytes(report.text_bytes),
                str(report.made),
                str(report.shortened),
                str(report.gists),
                str(report.forgotten),
            )
            self._figures[journal.language]["text_bytes_after"] = report.text_bytes
        self._print(rows)
        self._say(
            "A pass weakens every link by 3 %. What nobody uses loses its least telling sentences "
            "first, then all but a phrase and keywords: its gist. Earlier forms go to the archive."
        )

    def _shrink(self, journal: Journal, target: int) -> SweepReport:
        memory = self._memories[journal.language]
        before = memory.admin.stats()["text_bytes"]
        with Progress("Forgetting", delay=0.3) as progress:
            return memory.admin.shrink(
                target,
                progress=lambda now: progress.update(
                    before - now.text_bytes,
                    before - target,
                    f"Forgetting, {journal.language}, pass {now.passes}",
                ),
            )

    def _ask_again(self) -> None:
        self._chapter("Ask the same again")
        scored: list[Evidence | None] = []
        for journal in self._journals:
            memory = self._memories[journal.language]
            for question in journal.questions:
                again = memory.recall(question.question, limit=_LIMIT, use=False, cut="none")
                evidence = _evidence(journal, question, again)
                if question.evidence:
                    scored.append(evidence)
                if question.id in journal.asked:
                    self._show_change(question, journal.found[question.id], evidence)
        self._say(self._score("All answerable questions", scored))

    def _show_change(
        self, question: Question, before: Evidence | None, after: Evidence | None
    ) -> None:
        form = "nothing" if after is None else after.hit.node.form.name.lower()
        self._print("", said(f"? {question.question}", "bold"))
        self._print(
            Text.assemble(
                said(f"  labelled answer: {question.answer}", "dim"),
                f"   rank {_rank(before)} → {_rank(after)}, {form}",
            )
        )
        if after is not None:
            self._print(Indented(said(after.hit.text), 5))

    def _before_and_after(self) -> None:
        self._chapter("Three nodes, before and after")
        changed = [self._changed(journal) for journal in self._journals]
        # In turn: what was shortened in each journal first, then what became a gist.
        chosen = [pair for pairs in zip_longest(*changed) for pair in pairs if pair is not None]
        _promise(len(chosen) >= _COMPARED, f"only {len(chosen)} nodes have changed")
        for before, after in chosen[:_COMPARED]:
            left = f"{after.kept:.0%} of the text" if after.text else "only the gist"
            self._print("", Text.assemble(said(_who(before), "bold"), f"  {left} is left"))
            self._print(said("   before", "dim"), Indented(said(before.text), 5))
            self._print(said("   after", "dim"), Indented(said(str(after)), 5))

    def _changed(self, journal: Journal) -> list[tuple[graphmem.Node, graphmem.Node]]:
        """Nodes before and after: the shortened one that kept most sentences, and two gists."""
        pairs = [(journal.forms[node.id], node) for node in self._memories[journal.language]]
        shorter = [pair for pair in pairs if pair[1].form is graphmem.Form.SHORTER]
        gists = [pair for pair in pairs if pair[1].form is graphmem.Form.GIST]
        shorter.sort(key=lambda pair: (len(pair[1].sentences), len(pair[0].text)), reverse=True)
        gists.sort(key=lambda pair: (len(pair[0].sentences), len(pair[0].text)), reverse=True)
        return [*shorter[:1], *gists[: _COMPARED - 1]]

    def _once_knew(self) -> None:
        self._chapter("What was forgotten")
        journal, lost, link = self._first_lost()
        memory = self._memories[journal.language]
        gone = memory.history.forgotten(_ALL)
        self._figures["forgotten"] = len(gone)
        self._print(f"{_nodes(len(gone))} of the {journal.name} journal. The last:")
        for item in gone[:_LAST_LOST]:
            self._print(Indented(said(f"node {item.id}, {item.why}: {item}", "yellow")))
        self._say(
            f"Node {link.link.source} was linked with node {lost.id}, and its link says so: "
            f"[{link.link.relation} {link.link.strength:.2f}] {link}"
        )
        earliest = memory.history.of(lost.id)[0]
        back = memory.history.revive(lost.id, earliest.version)
        _promise(back.text == earliest.node.text, f"node {lost.id} came back otherwise")
        self._say(
            f"The archive still has it. memory.history.revive({lost.id}, {earliest.version}) "
            f"brings back: {back.text}"
        )

    def _first_lost(self) -> tuple[Journal, graphmem.Forgotten, graphmem.Dangling]:
        """The node that was forgotten last and is missed; fades on until there is one."""
        while True:
            for journal in self._journals:
                memory = self._memories[journal.language]
                dangling = {
                    d.link.target: d for node in memory for d in memory.graph.links(node).dangling
                }
                for item in memory.history.forgotten(_ALL):
                    if item.id in dangling and item.revivable:
                        return journal, item, dangling[item.id]
            for journal in self._journals:
                now = self._memories[journal.language].admin.stats()["text_bytes"]
                report = self._shrink(journal, int(now * _FADE_ON))
                self._say(
                    f"Nothing is missed yet. {journal.name} fades on, to "
                    f"{_kilobytes(report.text_bytes)}."
                )
                _promise(report.text_bytes < now, "all that is left is in focus or pinned")

    def _check(self) -> None:
        faults = self._faults()
        _promise(not faults, f"admin.check() found faults: {faults[:3]}")
        self._say("admin.check() reads everything once more: all structures agree.")

    def _go_on(self, seconds: float) -> None:
        self._chapter("Go on from here")
        if self._kept:
            journal = self._journals[0]
            cue = next(q.question for q in journal.questions if q.id == journal.asked[0])
            lines = (
                "import graphmem",
                f"memory = graphmem.open({self._folder!r}, scope={journal.language!r})",
                f"print(memory.recall({cue!r}).text)",
            )
        else:
            lines = (
                'import graphmem; memory = graphmem.open("agent-memory")',
                'memory.remember("Wen moved the release from May 3 to May 10.", speaker="Wen")',
                'print(memory.recall("When is the release?").text)',
            )
        for line in lines:
            self._print(said(f"    {line}", "bold"), soft_wrap=True)
        self._figures["seconds"] = round(seconds, 1)
        kept = f", the memory is kept in {self._folder}" if self._kept else ""
        self._say(f"That took {seconds:.0f} seconds{kept}.")

    # -- the memories -------------------------------------------------------------------------

    @contextmanager
    def _opened(self, worker: WorkerKind) -> Iterator[None]:
        first, *others = (journal.language for journal in self._journals)
        with graphmem.open(self._folder, scope=first, worker=worker, random=Random(7)) as memory:
            self._memories = {first: memory, **{name: memory.scopes.open(name) for name in others}}
            yield

    def _sum(self, part: str, name: str) -> int:
        return sum(int(memory.admin.stats()[part][name]) for memory in self._memories.values())

    def _waiting(self) -> int:
        return self._sum("queue", "waiting")

    def _set_aside(self) -> int:
        return self._sum("queue", "set_aside")

    def _enriched(self) -> int:
        return self._sum("worker", "enriched")

    def _pid(self) -> int | None:
        pid: int | None = next(iter(self._memories.values())).admin.stats()["worker"]["pid"]
        return pid

    def _faults(self) -> list[str]:
        return [fault for memory in self._memories.values() for fault in memory.admin.check()]

    def _wait_until(self, waiting: int, total: int, progress: Progress) -> None:
        """Wait for the worker until at most so many texts wait."""
        last, since = total + 1, time.monotonic()
        while (left := self._waiting()) > waiting:
            progress.update(total - left, total)
            if left < last:
                last, since = left, time.monotonic()
            errors = [m.admin.stats()["worker"]["last_error"] for m in self._memories.values()]
            _promise(
                time.monotonic() - since < _PATIENCE,
                f"the worker did nothing for {_PATIENCE:.0f} seconds; its last errors: {errors}",
            )
            time.sleep(_LOOK)
        progress.update(total - left, total)

    def _kill(self) -> int:
        pid = self._pid()
        if pid is None:
            raise DemoError("no worker runs although texts are being scored")
        os.kill(pid, signal.SIGKILL)
        return pid

    def _score(self, label: str, found: list[Evidence | None]) -> str:
        there = [evidence for evidence in found if evidence is not None]
        gists = sum(1 for e in there if e.hit.node.form is graphmem.Form.GIST)
        first = sum(1 for e in there if e.rank == 1)
        self._figures.setdefault("asked", []).append(
            {"questions": len(found), "found": len(there), "first": first, "as_gist": gists}
        )
        faded = f", {gists} of these as a gist" if gists else ""
        return (
            f"{label}: evidence among the first {_LIMIT} hits in {len(there)} of {len(found)}, "
            f"the first hit of all in {first}{faded}."
        )

    # -- the page -----------------------------------------------------------------------------

    def _print(self, *parts: Any, soft_wrap: bool = False) -> None:
        for part in parts:
            self._page.print(part, soft_wrap=soft_wrap)

    def _say(self, text: str) -> None:
        self._print("", Indented(said(text), 0))

    def _chapter(self, title: str) -> None:
        self._print("", Rule(Text(title, "bold"), align="left", style="dim"))


def _evidence(journal: Journal, question: Question, found: graphmem.Recall) -> Evidence | None:
    for rank, hit in enumerate(found, 1):
        if journal.source[hit.id] in question.evidence:
            return Evidence(rank, hit)
    return None


def _promise(kept: bool, otherwise: str) -> None:
    if not kept:
        raise DemoError(otherwise)


def _rank(evidence: Evidence | None) -> str:
    return "–" if evidence is None else str(evidence.rank)


def _named(memory: graphmem.Memory) -> str:
    return Path(memory.admin.settings.model or models.PACKAGED.path).stem


def _who(node: graphmem.Node) -> str:
    when = f"{node.happened or node.created.astimezone():%Y-%m-%d}"
    return " · ".join(part for part in (f"node {node.id}", when, node.speaker) if part)


def _clipped(text: str, width: int) -> str:
    line = Text(" ".join(text.split()))
    line.truncate(width, overflow="ellipsis")
    return line.plain


def _columns(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for place, name in enumerate(names):
        table.add_column(name, justify="right" if place else "left")
    return table


def _kilobytes(number: int) -> str:
    return f"{number / 1000:.1f} kB"


def _nodes(number: int) -> str:
    return f"{number} node{'' if number == 1 else 's'}"
