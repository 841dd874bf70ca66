"""Commands that read: recall, show, sparql; and used, which reports memories that helped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

import graphmem
from graphmem.errors import ForgottenError
from graphmem.interfaces.cli import pairs
from graphmem.interfaces.cli.group import Chosen, command
from graphmem.interfaces.cli.printing import (
    answer,
    counted,
    heading,
    local_time,
    pairs_of,
    print_json,
    remark,
    table,
)
from graphmem.interfaces.cli.reach import in_use, is_attached, opened
from graphmem.interfaces.terminal import Progress, printable, styled
from graphmem.storage.whole_file import write_text
from graphmem.values.nodes import once_knew
from graphmem.values.plain import plain

if TYPE_CHECKING:
    from rich.console import RenderableType

_ALL_FORGOTTEN: Final = 100_000
_LINK: Final = ("strength", "relation", "target")


@command("recall", params=pairs.where_options())
@click.argument("cue")
@click.option("--tokens", type=int, help="Print plain context of at most so many tokens.")
@click.option("--limit", type=int, default=10, show_default=True, help="Hits at most.")
@click.option("--mode", type=click.Choice(["activation", "focus", "themes"]),
              default="activation", show_default=True,
              help="focus: only what is near the focus; themes: from themes down.")  # fmt: skip
@click.option("--trace", is_flag=True, help="Say how the hits were found.")
@click.option("--svg", metavar="FILE", type=click.Path(dir_okay=False, allow_dash=True),
              help="Draw how they were found.")  # fmt: skip
@click.option("--cut", type=click.Choice(["auto", "strict", "none"]), default="auto",
              show_default=True,
              help="strict: the best hit only; none: whatever was found.")  # fmt: skip
@click.option("--use", is_flag=True, help="Count the best hit as used, as in Python.")
def recall(
    chosen: Chosen,
    cue: str,
    tokens: int | None,
    limit: int,
    mode: Any,
    trace: bool,
    svg: str | None,
    cut: Any,
    use: bool,
    **where: Any,
) -> None:
    """Find memories by a CUE, a question or words, best first.

    \b
      graphmem recall "When is the release?"
      graphmem recall "release" --tokens 200 --since 2026-05-01T00:00:00+02:00
      graphmem recall "release" --where realm=project --where "year>=2026"
      graphmem recall "release" --svg release.svg
    """
    traced = trace or svg is not None
    with Progress("Recalling"), opened(chosen, read_only=not use, make=False) as memory:
        if traced and is_attached(memory):
            raise in_use(memory.path, memory.owner_pid, "leave out --trace and --svg")
        found = memory.recall(
            cue, limit=limit, tokens=tokens, where=graphmem.Where(**where), mode=mode, use=use,
            trace=traced, cut=cut,
        )  # fmt: skip
    if svg is not None and found.trace is not None:
        write_text(svg, found.trace.svg())
    if chosen.json:
        hits = [
            {**plain(hit), "happened": hit.happened.isoformat(), "why": hit.why} for hit in found
        ]
        names = ["answered", "text", "dangling", "notes"]
        names += ["themes", "expanded_levels"] if mode == "themes" else []
        names += ["trace"] if trace else []
        print_json({"cue": cue, "hits": hits} | {name: getattr(found, name) for name in names})
        return
    if tokens is None:
        answer(chosen, None, *_hits(found))
    else:
        click.echo(printable(found.text))
    if cut == "auto" and not (found or found.themes):
        remark("No memory says enough of it; --cut none shows what comes nearest.")
    if trace:
        click.echo(printable(f"\n{found.trace}"))
    for note in found.notes:
        remark(note)


def _hits(found: graphmem.Recall) -> Iterator[RenderableType]:
    for theme in found.themes:
        yield styled(f"theme {theme.id}: {theme.summary}", "bold")
    if not (found or found.themes):
        yield "Nothing comes back."
    outdated = {node for hit in found for node in hit.earlier}
    for rank, hit in enumerate(found, 1):
        mark = "  (earlier, no longer so)" if hit.id in outdated else ""
        yield styled(f"{rank:>2}  {heading(hit.node)}{mark}", "bold")
        yield styled(hit.text, columns=4)
        yield styled(hit.why, "dim", 4)
    for stone in found.dangling:
        yield styled(f"    {once_knew(stone.phrase, stone.keywords)}", "yellow")


@command("show")
@click.argument("node", metavar="ID", type=int)
def show_node(chosen: Chosen, node: int) -> None:
    """A node, live or forgotten, with its links and its earlier forms.

    \b
      graphmem show 12
    """
    with Progress("Reading"), opened(chosen, read_only=True) as memory:
        known = _known(memory, node)
    answer(chosen, known, *_described(known))


@command("used")
@click.argument("nodes", metavar="NODES...", type=int, nargs=-1, required=True)
def used(chosen: Chosen, nodes: tuple[int, ...]) -> None:
    """Report which memories helped. They are linked with those in focus and enter it.

    \b
      graphmem used 12 17
    """
    with opened(chosen, make=False) as memory:
        for node in nodes:  # the verb ignores unknown ids
            _ = memory[node]
        memory.used(*nodes)
    answer(chosen, {"result": None}, "Done.")


def _known(memory: graphmem.Memory | graphmem.Attached, node: int) -> dict[str, Any]:
    """All that is known of a node, by the names of `show --json`. Raises UnknownNodeError."""
    known: dict[str, Any] = dict.fromkeys(("node", "forgotten", "importance"))
    known |= {"in_focus": False, "links": [], "dangling": []}
    try:
        links = memory.graph.links(node)
        known["node"] = memory[node]
        known["importance"] = memory.graph.importance(node)
        known["in_focus"] = node in [focused.id for focused in memory.graph.focus]
        known["links"] = [
            {**plain(link), "phrase": memory[link.target].phrase}
            for link in links
            if not link.dangling
        ]
        known["dangling"] = links.dangling
    except ForgottenError:
        forgotten = memory.history.forgotten(_ALL_FORGOTTEN)
        known["forgotten"] = next((item for item in forgotten if item.id == node), None)
    known["history"] = memory.history.of(node)
    return known


def _described(known: dict[str, Any]) -> Iterator[RenderableType]:
    node: graphmem.Node | None = known["node"]
    gone: graphmem.Forgotten | None = known["forgotten"]
    if node is not None:
        yield styled(heading(node), "bold")
        yield styled(node, columns=3)
        yield ""
        yield pairs_of(_facts(node, known["importance"], known["in_focus"]))
    elif gone is not None:
        yield styled(f"node {gone.id}, forgotten {local_time(gone.when)} ({gone.why})", "bold")
        yield styled(gone, "yellow", 3)
    links = [(*(link[name] for name in _LINK), styled(link["phrase"])) for link in known["links"]]
    dangling = [
        (*(getattr(each.link, name) for name in _LINK), styled(each, "yellow"))
        for each in known["dangling"]
    ]
    for title, found in (("Links", links), ("Links to what is forgotten", dangling)):
        if found:
            yield ""
            yield styled(title, "bold")
            rows = ((f"{strength:.2f}", *rest) for strength, *rest in found)
            yield table(("strength", "relation", "to", ""), rows, right=(0, 2))
    yield ""
    yield styled("History", "bold")
    for version in known["history"]:
        ended = "now" if version.ended is None else f"until {local_time(version.ended)}"
        yield styled(f"{version.version:>3}  {ended}, {version.why}", "dim")
        yield styled(version.node, columns=5)


def _facts(node: graphmem.Node, importance: float, in_focus: bool) -> Iterator[tuple[str, str]]:
    yield "form", f"{plain(node.form)}, {node.kept:.0%} of the text, version {node.version}"
    yield "phrase", node.phrase
    yield "keywords", ", ".join(node.keywords)
    if node.derived:
        yield "a model wrote", node.derived
    yield "importance", f"{importance:.2f} of 4"
    last = f", last {local_time(node.last_used)}" if node.last_used else ""
    yield "used", f"{counted(node.uses, 'time')}{last}"
    yield "remembered", local_time(node.created)
    kept = [word for word, true in (("in focus", in_focus), ("pinned", node.pinned)) if true]
    if kept:
        yield "kept whole", ", ".join(kept)


@command("graph sparql")
@click.argument("query")
@click.option("--bind", "bound", multiple=True, metavar="NAME=VALUE",
              help="Bind a variable to a literal; may be repeated.")  # fmt: skip
@click.option("--seconds", type=float, default=30.0, show_default=True, help="For the answer.")
def sparql(chosen: Chosen, query: str, bound: tuple[str, ...], seconds: float) -> None:
    """Answer a SPARQL query over the memory and its facts: SELECT, ASK, CONSTRUCT or DESCRIBE.

    With --json, SPARQL's own JSON of the results; a graph is printed as N-Triples.

    \b
      graphmem graph sparql "SELECT ?n ?text { ?n memory:mentions 'release'; memory:content ?text }"
      graphmem graph sparql "ASK { ?n memory:mentions ?word }" --bind word=release
    """
    with Progress("Asking"), opened(chosen, read_only=True) as memory:
        result = memory.graph.sparql(query, seconds=seconds, **pairs.bindings(bound))
    if result.type in ("CONSTRUCT", "DESCRIBE"):
        written = (result.serialize(format="nt", encoding="utf-8") or b"").decode()
        if chosen.json:
            print_json({"ntriples": written})
        else:
            click.echo(printable(written), nl=False)
        return
    document = json.loads(result.serialize(format="json", encoding="utf-8") or b"{}")
    if result.type == "ASK":
        answer(chosen, document, "yes" if result.askAnswer else "no")
        return
    found: list[Any] = list(result)
    rows = (("" if value is None else value for value in row) for row in found)
    names = [f"?{name}" for name in result.vars or ()]
    answer(chosen, document, table(names, rows) if found else "No solutions.")
