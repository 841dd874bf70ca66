"""Commands that read: recall, show, life, forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

import click

import graphmem
from graphmem.errors import (
    ForgottenError,
)
from graphmem.interfaces.cli import pairs
from graphmem.interfaces.cli.group import Chosen, OpenFile, cli, noun_group, pass_chosen, shared
from graphmem.interfaces.cli.printing import (
    Plain,
    columns,
    counted,
    heading,
    local_time,
    plain,
    print_json,
    working,
)
from graphmem.interfaces.cli.reach import in_use, opened, require
from graphmem.values.nodes import once_knew

_ALL_FORGOTTEN: Final = 100_000


@cli.command()
@click.argument("cue")
@click.option("--tokens", type=int, help="Print plain context of at most so many tokens.")
@click.option("--limit", type=int, default=10, show_default=True, help="Hits at most.")
@click.option("--depth", type=int, default=2, show_default=True, help="Links to follow.")
@click.option("--mode", type=click.Choice(["activation", "focus", "themes"]),
              default="activation", show_default=True,
              help="focus: only what is near the focus; themes: from themes down.")  # fmt: skip
@click.option("--session", metavar="NAME", help="Only of this session.")
@click.option("--speaker", metavar="NAME", help="Only by this speaker.")
@click.option("--since", metavar="DATE", help="Only from then on.")
@click.option("--until", metavar="DATE", help="Only before then.")
@click.option("--where", metavar="NAME=VALUE", multiple=True, callback=pairs.conditions,
              help="Metadata or kind: year>=2020, realm=project; may be repeated.")  # fmt: skip
@click.option("--among", metavar="ID", type=int, multiple=True,
              help="Only these nodes; may be repeated.")  # fmt: skip
@click.option("--relation", "relations", metavar="NAME", multiple=True,
              help="Follow links of this relation only; may be repeated.")  # fmt: skip
@click.option("--trace", is_flag=True, help="Say how the hits were found.")
@click.option("--svg", metavar="FILE", type=OpenFile("w", encoding="utf-8", lazy=True),
              help="Draw how they were found.")  # fmt: skip
@click.option("--cut", type=click.Choice(["auto", "strict", "none"]), default="auto",
              show_default=True,
              help="strict: only what may answer the cue; none: whatever was found.")  # fmt: skip
@click.option("--use", is_flag=True, help="Count the best hit as used, as in Python.")
@shared
@pass_chosen
def recall(
    chosen: Chosen,
    cue: str,
    tokens: int | None,
    limit: int,
    depth: int,
    mode: Literal["activation", "focus", "themes"],
    session: str | None,
    speaker: str | None,
    since: str | None,
    until: str | None,
    where: dict[str, Any] | None,
    among: tuple[int, ...],
    relations: tuple[str, ...],
    trace: bool,
    svg: Any,
    cut: Literal["auto", "strict", "none"],
    use: bool,
) -> None:
    """What a CUE, a question or some words, brings back, best first.

    \b
      graphmem recall "When is the release?"
      graphmem recall "release" --tokens 200 --since 2026-05-01T00:00:00+02:00
      graphmem recall "release" --where realm=project --where "year>=2026"
      graphmem recall "release" --svg release.svg
    """
    if use:
        require(chosen)
    traced = trace or svg is not None
    with working("Recalling"), opened(chosen, read_only=not use) as memory:
        if traced and isinstance(memory, graphmem.Attached):
            raise in_use(memory.path, memory.owner_pid, "leave out --trace and --svg")
        found = memory.recall(
            cue,
            limit=limit,
            tokens=tokens,
            where=graphmem.Where(
                session=session,
                speaker=speaker,
                since=since,
                until=until,
                metadata=where,
                among=among or None,
                relations=relations,
                depth=depth,
            ),
            mode=mode,
            use=use,
            trace=traced,
            cut=cut,
        )
    if svg is not None and found.trace is not None:
        svg.write(found.trace.svg())
    if chosen.json:
        hits = [
            {**plain(hit), "happened": hit.happened.isoformat(), "why": hit.why} for hit in found
        ]
        answer: dict[str, object] = {
            "cue": cue,
            "answered": found.answered,
            "hits": hits,
            "text": found.text,
            "dangling": found.dangling,
        }
        answer["notes"] = found.notes
        if mode == "themes":
            answer |= {"themes": found.themes, "expanded_levels": found.expanded_levels}
        print_json(answer | ({"trace": found.trace} if trace else {}))
    elif tokens is not None:
        from graphmem.interfaces.terminal import printable

        click.echo(printable(found.text))
    else:
        _show_hits(found)
    if not chosen.json:
        from graphmem.interfaces.terminal import printable

        if cut == "auto" and not (found or found.themes):
            click.echo(
                "No memory says enough of it; --cut none shows what comes nearest.", err=True
            )
        if trace:
            click.echo(printable(f"\n{found.trace}"))
        for note in found.notes:
            click.echo(printable(note), err=True)


def _show_hits(found: graphmem.Recall) -> None:
    from rich.text import Text

    from graphmem.interfaces.terminal import Indented, said, show

    for theme in found.themes:
        show(said(f"theme {theme.id}: {theme.summary}", "bold"))
    if not (found or found.themes):
        show("Nothing comes back.")
    for rank, hit in enumerate(found, 1):
        head = Text.assemble((f"{rank:>2}  ", "bold"), said(heading(hit.node)))
        show(head, Indented(said(hit.text), 4), Indented(said(hit.why, "dim"), 4))
    for stone in found.dangling:
        show(said(f"    {once_knew(stone.phrase, stone.keywords)}", "yellow"))


@cli.command("show")
@click.argument("node", metavar="ID", type=int)
@shared
@pass_chosen
def show_node(chosen: Chosen, node: int) -> None:
    """A node, live or forgotten, with its links and its earlier forms.

    \b
      graphmem show 12
    """
    with working("Reading"), opened(chosen, read_only=True) as memory:
        known = _known(memory, node)
    if chosen.json:
        print_json(known)
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
        lost = memory.history.forgotten(_ALL_FORGOTTEN)
        known["forgotten"] = next((item for item in lost if item.id == node), None)
    known["history"] = memory.history.of(node)
    return known


def _show_known(known: Plain) -> None:
    from rich.table import Table

    from graphmem.interfaces.terminal import Indented, said, show

    node: graphmem.Node | None = known["node"]
    lost: graphmem.Forgotten | None = known["forgotten"]
    if node is not None:
        show(said(heading(node), "bold"), Indented(said(str(node))), "")
        facts = Table.grid(padding=(0, 2))
        for name, value in _facts(node, known["importance"], known["in_focus"]):
            facts.add_row(said(name, "dim"), said(value))
        show(facts)
    elif lost is not None:
        show(
            said(f"node {lost.id}, forgotten {local_time(lost.when)} ({lost.why})", "bold"),
            Indented(said(str(lost), "yellow")),
        )
    if known["links"]:
        table = columns("strength", "relation", "to", "", right=(0, 2))
        for link in known["links"]:
            to = str(link["target"])
            table.add_row(
                f"{link['strength']:.2f}", said(link["relation"]), to, said(link["phrase"])
            )
        show("", said("Links", "bold"), table)
    if known["dangling"]:
        table = columns("strength", "relation", "to", "", right=(0, 2))
        for lost_link in known["dangling"]:
            link = lost_link.link
            to, what = str(link.target), said(str(lost_link), "yellow")
            table.add_row(f"{link.strength:.2f}", said(link.relation), to, what)
        show("", said("Links to what is forgotten", "bold"), table)
    show("", said("History", "bold"))
    for version in known["history"]:
        ended = "now" if version.ended is None else f"until {local_time(version.ended)}"
        show(said(f"{version.version:>3}  {ended}, {version.why}", "dim"))
        show(Indented(said(str(version.node)), 5))


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


@noun_group("history").command()
@click.argument("node", metavar="ID", type=int)
@shared
@pass_chosen
def life(chosen: Chosen, node: int) -> None:
    """A node's whole life: its forms, its uses, why each step was taken, and what goes next.

    It reaches as far back as the archive. How strong links were on the way is stored nowhere;
    what their sum was when a form ended is.

    \b
      graphmem history life 12
    """
    with working("Reading"), opened(chosen, read_only=True) as memory:
        lived = memory.history.life(node)
    if chosen.json:
        print_json(lived)
    else:
        _show_life(lived)


def _show_life(lived: graphmem.Life) -> None:
    from graphmem.interfaces.terminal import Indented, said, show

    show(said(f"Node {lived.node}", "bold"))
    for step in lived.steps:
        at = "" if step.passes is None else f"pass {step.passes}"
        when = "" if step.when is None else local_time(step.when)
        head = "  ".join(filter(None, (f"{at:>9}", when, step.what)))
        show(said(head, "bold"), *([Indented(said(step.why, "dim"), 11)] if step.why else []))
        if step.text:
            show(Indented(said(step.text), 11))
    if lived.worth is not None:
        show("", said("Why it is worth keeping", "bold"), Indented(said(str(lived.worth))))


@noun_group("history").command()
@click.option("--limit", type=int, default=20, show_default=True, help="Nodes at most.")
@shared
@pass_chosen
def forgotten(chosen: Chosen, limit: int) -> None:
    """What was forgotten, the last first. `graphmem show ID` says more; what is archived comes back
    with `memory.history.revive(ID)` in `graphmem shell`.

    \b
      graphmem history forgotten --limit 5
    """
    with working("Reading"), opened(chosen, read_only=True) as memory:
        lost = memory.history.forgotten(limit)
    if chosen.json:
        print_json({"forgotten": lost})
        return
    from graphmem.interfaces.terminal import said, show

    if not lost:
        show("Nothing has been forgotten.")
        return
    table = columns("node", "when", "why", "archived", "", right=(0,))
    for item in lost:
        archived = "yes" if item.revivable else "no"
        table.add_row(str(item.id), local_time(item.when), item.why, archived, said(str(item)))
    show(table)
