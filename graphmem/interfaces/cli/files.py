"""Files in and out: import, export, backup, restore, sync."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from hashlib import blake2b
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

import graphmem
from graphmem.interfaces.cli.group import Chosen, command
from graphmem.interfaces.cli.printing import LISTED, answer, counted, remark
from graphmem.interfaces.cli.reach import OR_COPY, alone, is_attached, opened
from graphmem.interfaces.terminal import Progress
from graphmem.values.checks import check_file

if TYPE_CHECKING:
    from graphmem.remembering.messages import Draftable

_FORMATS_IN: Final = ("nt", "nq", "ttl", "jsonl", "text", "notes", "chat")
_PROGRESS: Final = "graphmem:import"
"""The namespace of the items that record how much of an import is stored."""
_TOGETHER: Final = 64  # texts
_FORMATS_OUT: Final = ("nt", "nq", "ttl", "jsonld", "graphml", "jsonl")


@command("import")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path())
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS_IN),
    help="Else by the file's name; - is standard input, which has none.",
)
@click.option("--graph", metavar="IRI", help="The graph for triples that name none.")
@click.option("--facts", is_flag=True, help="Into the facts of the memory, not into graphs.")
@click.option("--partial", is_flag=True, help="Keep what stands before malformed RDF.")
@click.option("--session", metavar="NAME", help="The session of texts that name none.")
def import_files(
    chosen: Chosen,
    files: tuple[str, ...],
    form: str | None,
    graph: str | None,
    facts: bool,
    partial: bool,
    session: str | None,
) -> None:
    """Remember texts and chats, or load RDF or an exported memory.

    \b
    .txt    text: one note a line
    .jsonl  notes: {"text", "speaker", "session", "happened", "keywords", "pin"}, or chat messages
            {"role", "content"}, one a line; or what `graphmem export` wrote of a memory
    .json   chat: a list of messages, or an object with "messages"
    .nt .nq .ttl  N-Triples, N-Quads, Turtle

    Texts are remembered one after the other. RDF and an exported memory are loaded whole or not
    at all. If interrupted, the same command continues (not with Turtle or JSONL of a
    memory). --scope names the new memory.

    \b
      graphmem import notes.txt
      graphmem import chat.json --session monday
      graphmem import people.ttl places.nt --graph http://example.org/g
      graphmem import memory.jsonl --scope copy
    """
    from graphmem.exchange import notes

    files = tuple(_piped(form) if name == "-" else name for name in files)
    for name in files:
        check_file(name)
    kinds = [notes.format_of(name, form) for name in files]
    if any(kinds):
        if not all(kinds) or graph or facts or partial:
            raise click.UsageError("Texts are imported by themselves: no RDF, no exported memory.")
        _remember_files(chosen, zip(files, kinds, strict=True), session)
        return
    if session is not None:
        raise click.UsageError("--session is for texts and chats.")
    from graphmem.exchange import transfer

    with Progress("Loading") as progress, alone("end that process first"):
        loaded = transfer.load(
            chosen.closed, files, format=form, scope=chosen.scope, graph=graph, facts=facts,
            partial=partial, progress=progress.update,
        )  # fmt: skip
    lines = [f"{counted(size, 'triple')} in {name}" for name, size in loaded.graphs.items()]
    lines += [
        f"{counted(size, 'memory', 'memories')} in {name}" for name, size in loaded.memories.items()
    ]
    read = counted(loaded.statements, "record" if loaded.memories else "statement")
    answer(chosen, loaded, f"Read {read} in {loaded.seconds:.1f} s.", *lines[:LISTED])


def _piped(form: str | None) -> str:
    """A file with what is piped in, which is deleted when the command ends."""
    if form is None:
        raise click.UsageError("What is piped has no name that tells its format: give --format.")
    folder: str = click.get_current_context().with_resource(TemporaryDirectory())
    path = Path(folder, "stdin")
    with path.open("wb") as file:
        copyfileobj(sys.stdin.buffer, file)
    return str(path)


def _remember_files(
    chosen: Chosen, files: Iterable[tuple[str, str | None]], session: str | None
) -> None:
    from graphmem.exchange import notes

    with Progress("Reading") as progress:
        # All are read before the first is written, so that a malformed line changes nothing.
        texts = [text for name, kind in files for text in notes.read(name, kind or "", session)]
        with opened(chosen) as memory:
            key = _digest(texts[:_TOGETHER])
            note = memory.items.get(_PROGRESS, key)
            before = 0  # also where the files were changed since
            if note is not None and _digest(texts[: note.value["stored"]]) == note.value["digest"]:
                before = note.value["stored"]
            stored, nodes, cut = before, 0, 0
            try:
                for end in range(before + _TOGETHER, len(texts) + _TOGETHER, _TOGETHER):
                    progress.update(stored, len(texts), "Remembering")
                    with _interrupt_deferred():
                        made = _remember_noted(memory, texts[:end], stored, key)
                        stored = min(end, len(texts))
                    nodes += sum(map(len, made))
                    cut += sum(len(each.cut) for each in made)
                memory.items.delete(_PROGRESS, key)
            except BaseException:
                some = f"{stored:,} of {counted(len(texts), 'text')}"
                remark(f"{some} are stored; the same command goes on behind them", chosen.json)
                raise
            waiting = memory.admin.stats()["queue"]["waiting"]
    written = len(texts) - before
    found = {"texts": written, "nodes": nodes, "waiting": waiting, "cut": cut}
    known = f", behind {before:,} that were stored already" if before else ""
    answer(
        chosen,
        found | {"stored_before": before},
        f"Remembered {counted(written, 'text')} as {counted(nodes, 'node')}{known}.",
        *([f"{counted(cut, 'secret')} cut out."] if cut else []),
    )


def _remember_noted(
    memory: graphmem.Memory | graphmem.Attached, texts: Sequence[Draftable], stored: int, key: str
) -> list[graphmem.Remembered]:
    """Remember the texts after the first `stored`, and record under `key` that all of them are
    stored, so that an interrupted import can continue. Both are one transaction, unless the memory
    is attached."""
    note = {"stored": len(texts), "digest": _digest(texts)}
    with nullcontext() if is_attached(memory) else memory.transaction():
        made = memory.remember_many(texts[stored:])
        memory.items.put(_PROGRESS, key, note)
    return made


@contextmanager
def _interrupt_deferred() -> Iterator[None]:
    """A block that defers a Ctrl-C to its end."""
    signals: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: signals.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if signals:
            signal.raise_signal(signal.SIGINT)


def _digest(texts: Sequence[Draftable]) -> str:
    return blake2b(json.dumps(texts, default=str).encode(), digest_size=16).hexdigest()


@command("export")
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--format", "form", type=click.Choice(_FORMATS_OUT), help="Else by the file's name.")
@click.option("--graph", metavar="IRI", help="This graph only; else all graphs.")
@click.option("--facts", is_flag=True, help="The facts of the memory, not the graphs.")
def export_file(
    chosen: Chosen, file: str, form: str | None, graph: str | None, facts: bool
) -> None:
    """Write graphs, facts or the whole memory to FILE.

    "-" is standard output. JSONL is the whole memory of one scope. `graphmem themes export` writes
    themes.

    \b
      graphmem export graphs.nq
      graphmem export facts.ttl --facts
      graphmem export memory.jsonl --scope default
    """
    from graphmem.exchange import transfer

    shown = nullcontext() if file == "-" else Progress("Writing")  # it would mix with the output
    with shown as progress, alone(OR_COPY):
        count = transfer.export(
            chosen.closed, file, format=form, scope=chosen.scope, graph=graph, facts=facts,
            progress=None if progress is None else progress.update,
        )  # fmt: skip
    if file == "-":
        return
    lines = [f"Wrote {counted(count, 'record')} to {file}."]
    if form == "jsonl" or file.endswith(".jsonl"):
        with opened(chosen, read_only=True) as memory:
            left = [name for name in memory.scopes.names() if name != chosen.scope]
        if left:
            named = ", ".join(left[:LISTED])
            lines.append(
                f"That is scope {chosen.scope}; the folder has others: {named}. Each is "
                "exported with --scope, all at once with graphmem admin backup."
            )
    if not (count or facts or graph):
        lines.append(
            "There are no graphs here. --facts writes a memory's facts, a .jsonl file all of it."
        )
    answer(chosen, {"written": count, "file": file}, *lines)


@command("admin backup")
@click.argument("destination", type=click.Path())
def backup(chosen: Chosen, destination: str) -> None:
    """Copy the whole folder, all its scopes, to the new folder DESTINATION, and verify it.

    \b
      graphmem admin backup /mnt/disk/memory-2026-05-03
    """
    with Progress("Copying") as progress, opened(chosen, read_only=True, any_scope=True) as memory:
        sequence = memory.admin.backup(destination, progress=progress.update)
    _copied(chosen, chosen.folder, destination, sequence)


@command("admin restore")
@click.argument("source", type=click.Path())
def restore(chosen: Chosen, source: str) -> None:
    """Copy the backup SOURCE to the folder of the memory, where nothing may be yet.

    \b
      graphmem admin restore /mnt/disk/memory-2026-05-03 --path agent-memory
    """
    with Progress("Copying") as progress, alone(OR_COPY):
        sequence = graphmem.restore(source, chosen.closed, progress.update)
    _copied(chosen, source, chosen.folder, sequence)


def _copied(chosen: Chosen, source: str, destination: str, sequence: int) -> None:
    answer(
        chosen,
        {"source": source, "destination": destination, "sequence": sequence},
        f"Copied {source} to {destination}, up to commit {sequence:,}.",
    )


@command("files sync")
@click.argument("folder", metavar="FOLDER", type=click.Path(exists=True, file_okay=False))
@click.option("--write", is_flag=True, help="Add the project's decisions to decisions.yaml.")
@click.option("--keep", metavar="FILE", multiple=True, help="Core configuration; may be repeated.")
def sync_folder(chosen: Chosen, folder: str, write: bool, keep: tuple[str, ...]) -> None:
    """Read a project's memory files once; to follow any folder of notes take `files watch`.

    What they say is remembered, what they no longer say goes to the archive. The files are
    projectbrief.md, productContext.md, techContext.md, systemPatterns.md, activeContext.md,
    progress.md and decisions.yaml, those that are there. They go to the scope of the setting
    project_scope, unless --scope names one. Where nothing has changed, nothing is written.

    \b
      graphmem files sync docs/memory --scope pump
      graphmem files sync docs/memory --scope pump --write
      graphmem files sync docs/memory --keep techContext.md
    """
    named = graphmem.Settings.read({}).project_scope
    with opened(chosen) as memory:
        elsewhere = named is not None and chosen.scope == Chosen().scope
        of = memory.scopes.open(named) if named is not None and elsewhere else memory
        found = of.files.sync(folder, write=write, keep=keep)
        texts = [str(of[node]) for node in found.written]
    lines = [
        f"{os.path.basename(file.path)}: {file.added} new, {file.kept} known, "
        f"{file.forgotten} archived"
        for file in found.files
    ]
    lines += [f"written: {text}" for text in texts]
    if found.withheld:
        ids = ", ".join(map(str, found.withheld))
        lines.append(f"not written, for a secret was cut out: {ids}")
    if not found.changed:
        lines.append("Nothing has changed.")
    answer(chosen, found, *lines)
