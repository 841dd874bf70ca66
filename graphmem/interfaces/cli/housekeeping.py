"""Commands that look after a folder, such as stats, worker, check, repair and shell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import starmap
from time import monotonic
from typing import Any, Final, Literal

import click

import graphmem
from graphmem.interfaces.cli.group import Chosen, cli, command, in_folder, noun_group
from graphmem.interfaces.cli.printing import (
    answer,
    counted,
    in_bytes,
    pairs_of,
    print_json,
    table,
)
from graphmem.interfaces.cli.reach import (
    alone,
    is_attached,
    of_folder,
    opened,
    reached,
    there,
    waiting,
)
from graphmem.interfaces.terminal import Progress, styled
from graphmem.settings import variable_of
from graphmem.values.plain import plain

_ESCAPED: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)(i?)b?|(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)


@command("admin integrations")
def integrations(chosen: Chosen) -> None:
    """How other programs can use a memory, with the versions that were tested.

    \b
      graphmem admin integrations
    """
    from graphmem.interfaces.integrations import INTEGRATIONS

    rows = (
        (one.name, one.use, one.extra, f"{one.package} {one.tried}".strip(), one.installed)
        for one in INTEGRATIONS
    )
    listed = [{**plain(one), "installed": one.installed} for one in INTEGRATIONS]
    names = ("what", "use", "extra", "tried", "installed")
    answer(chosen, {"integrations": listed}, table(names, rows))


@command("admin stats")
@click.option("--prometheus", is_flag=True, help="Print them in Prometheus's text format.")
def stats(chosen: Chosen, prometheus: bool) -> None:
    """The memory in numbers.

    \b
      graphmem admin stats
      graphmem admin stats --prometheus > /var/lib/node_exporter/graphmem.prom
    """
    with Progress("Counting"), opened(chosen, read_only=True) as memory:
        numbers = memory.admin.stats()
        scopes = memory.scopes.names()
        attached = is_attached(memory)
    if prometheus and not chosen.json:
        click.echo(exposition(numbers), nl=False)
        return
    found = {**numbers, "scopes": scopes}
    if not attached:
        del numbers["worker"]  # of this process, which started none
    leaves = _leaves({**numbers, "scopes": ", ".join(scopes)})
    answer(chosen, found, pairs_of(starmap(_row, leaves)))


def _leaves(numbers: Mapping[str, Any], *within: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values in nested mappings, each with its path of names."""
    for name, value in numbers.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, *within, name)
        else:
            yield (*within, name), value


def _row(names: tuple[str, ...], value: Any) -> tuple[str, str]:
    """The label and the value of a number, for people."""
    label = ": ".join(names).replace("_", " ")
    if names[-1].endswith("_bytes") and value is not None:
        return label.removesuffix(" bytes"), in_bytes(value)
    return label, "–" if value is None else f"{value:,}" if type(value) is int else str(value)


def exposition(stats: Mapping[str, Any]) -> str:
    """The result of `admin.stats()` in Prometheus's text format: a gauge for each number, named
    `graphmem_…` by its keys, with the scope as a label."""
    label = f'{{scope="{str(stats["scope"]).translate(_ESCAPED)}"}}'
    written = ""
    for names, value in _leaves(stats, "graphmem"):
        if isinstance(value, int | float):
            name = re.sub(r"[^a-zA-Z0-9]", "_", "_".join(names))
            written += f"# TYPE {name} gauge\n{name}{label} {value + 0}\n"  # of a bool its number
    return written


@command("admin failed")
@click.option("--limit", type=int, default=20, show_default=True, help="Nodes at most.")
def worker(chosen: Chosen, limit: int) -> None:
    """What waits for the worker, and what was set aside because its enrichment failed.

    \b
      graphmem admin failed
      graphmem admin retry
    """
    with Progress("Reading"), opened(chosen, read_only=True) as memory:
        counts = memory.admin.stats()["queue"]
        aside = memory.admin.failed(limit)
    waiting, total = counts["waiting"], counts["set_aside"]
    parts: list[Any] = [
        f"{counted(waiting, 'text waits', 'texts wait')}, "
        f"{counted(total, 'was', 'were')} set aside."
    ]
    if aside:
        parts.append(table(("node", "reason"), aside.items(), right=(0,)))
        if total > len(aside):
            parts.append(styled(f"and {total - len(aside):,} more", "dim"))
        parts.append("They keep what rules gave them; graphmem admin retry has them tried again.")
    listed = [{"node": node, "reason": reason} for node, reason in aside.items()]
    answer(chosen, {"waiting": waiting, "set_aside": total, "nodes": listed}, *parts)


@command("admin retry")
@click.argument("nodes", metavar="[ID]...", type=int, nargs=-1)
def retry(chosen: Chosen, nodes: tuple[int, ...]) -> None:
    """Put what was set aside back into the queue; all of it, or only these nodes.

    A process that keeps the memory open with a worker tries them again, or `graphmem admin enrich`.

    \b
      graphmem admin retry
      graphmem admin retry 17 23
    """
    with Progress("Putting back"), opened(chosen, make=False) as memory:
        back = memory.admin.retry(*nodes)
        waiting = memory.admin.stats()["queue"]["waiting"]
    line = f"{counted(back, 'text')} put back; {counted(waiting, 'waits', 'wait')} now."
    answer(chosen, {"retried": back, "waiting": waiting}, line)


@command("admin check")
def check(chosen: Chosen) -> int:
    """Check that all structures of the scope agree. Exit status 1 if there are faults.

    \b
      graphmem admin check
    """
    begun = monotonic()
    with Progress("Checking") as progress, opened(chosen, read_only=True) as memory:
        nodes = len(memory)
        faults = memory.admin.check(progress=progress.update)
    verdict = counted(len(faults), "fault") if faults else "all structures agree"
    took = f"{counted(nodes, 'node')} checked in {monotonic() - begun:.1f} s: {verdict}."
    red = (styled(fault, "red") for fault in faults)
    answer(chosen, {"nodes": nodes, "faults": faults}, *red, took)
    return 1 if faults else 0


@command("admin shrink")
@click.argument("to_bytes", metavar="SIZE")
def shrink(chosen: Chosen, to_bytes: str) -> None:
    """Forget until the live text fits into SIZE: 20000, 20k, 2MB, 1MiB, or 50% of now.

    Nodes in focus and pinned ones stay, even if the size is then not reached.

    \b
      graphmem admin shrink 50%
    """
    share, size = _size_given(to_bytes)
    with Progress("Forgetting") as progress, opened(chosen, make=False) as memory:
        before = memory.admin.stats()["text_bytes"]
        target = int(before * share) if share is not None else size
        report = memory.admin.shrink(
            target, progress=lambda now: progress.update(before - now.text_bytes, before - target)
        )
    fits = report.text_bytes <= target
    took = f" in {counted(report.made, 'pass', 'passes')}" if report.made else ""
    lines = [
        f"{in_bytes(before)} of text became {in_bytes(report.text_bytes)}{took}: "
        f"{report.shortened} shortened, {report.gists} reduced to a gist, "
        f"{report.forgotten} forgotten."
    ]
    if not fits:
        lines.append(
            f"That is more than {in_bytes(target)}: what is left is in focus, pinned or protective."
        )
    found = {"text_bytes_before": before, "target": target, "fits": fits}
    answer(chosen, {**plain(report), **found}, *lines)


def _size_given(text: str) -> tuple[float | None, int]:
    """(share of the present size, bytes); the share is None if bytes were given."""
    found = _SIZE.fullmatch(text.strip())
    if found is None or (found[3] and not found[2]):
        raise click.BadParameter(
            f"{text!r:.80} is no size; write 20000, 20k, 2MB, 1MiB or 50%.", param_hint="SIZE"
        )
    if found[4] is not None:
        share = float(found[4]) / 100
        if share > 1:
            raise click.BadParameter(f"{text} is more than there is.", param_hint="SIZE")
        return share, 0
    power = " kmg".index(found[2].lower() or " ")
    return None, int(float(found[1]) * (1024 if found[3] else 1000) ** power)


@command("shell")
@in_folder
def shell(chosen: Chosen) -> int:
    """A Python prompt with `memory` at hand.

    Another process may have it open. Piped lines are run without prompts; the exit status is 1 if
    one fails.

    \b
      graphmem shell agent-memory
      echo 'memory.recall("release")' | graphmem shell agent-memory
    """
    from graphmem.interfaces.shell import run

    with there(chosen.folder):
        return run(chosen.folder, chosen.scope, **of_folder())


@command("admin repair")
def repair(chosen: Chosen) -> int:
    """Rebuild a damaged folder from all that can be read of it, and say what is lost.

    The damaged folder is kept beside it. Exit status 1 if anything is lost.

    \b
      graphmem admin repair --path agent-memory
    """
    with Progress("Repairing") as progress, alone("end that process first"):
        report = graphmem.repair(chosen.closed, progress.update)
    answer(
        chosen,
        report,
        *(styled(f"not readable: {what}", "dim") for what in report.unreadable),
        *(styled(f"lost: {what}", "red") for what in report.lost),
        f"{counted(report.nodes, 'node')} and {counted(report.links, 'link')} are in "
        f"{chosen.folder} now; the folder as it was is {report.damaged}.",
    )
    return 1 if report.lost else 0


@command("admin convert")
@in_folder
@click.option("--engine", type=click.Choice(("leveldb", "lmdb")), required=True)
def convert(chosen: Chosen, engine: Literal["leveldb", "lmdb"]) -> None:
    """Convert a folder to the other engine, such as for a Python without LevelDB.

    A copy is written, checked and swapped in; an interrupt leaves the old or the new one.

    \b
      graphmem admin convert agent-memory --engine lmdb
    """
    with Progress("Converting"), alone("end that process first"):
        before = graphmem.convert(chosen.closed, engine)
    found = {"path": chosen.folder, "before": before, "engine": engine}
    answer(chosen, found, f"{chosen.folder} is kept with {engine} now, instead of {before}.")


@command("admin settings")
def settings(chosen: Chosen) -> None:
    """Every setting with its default, range and meaning.

    Each is a keyword of graphmem.open, or an environment variable:

    \b
      graphmem admin settings
      GRAPHMEM_MAX_BYTES=100000000 graphmem remember "…"
    """
    rows, names = graphmem.Settings.table(), ("default", "range", "meaning")
    listed = [
        {"name": name, **dict(zip(names, row, strict=True)), "variable": variable_of(name)}
        for name, *row in rows
    ]
    answer(chosen, {"settings": listed}, table(("setting", *names), rows))


@command("demo")
def demo(chosen: Chosen) -> None:
    """Watch a memory being built, asked, faded and asked again.

    It takes a minute or so, offline. In a temporary folder; with --path in a new folder, which is
    kept.

    \b
      graphmem demo
    """
    from graphmem.interfaces.demo import run

    summary = run(chosen.path, quiet=chosen.json)
    if chosen.json:
        print_json(summary)


@command("doctor")
@in_folder
@click.option("--quick", is_flag=True, help="Leave out the check, which reads everything.")
def doctor(chosen: Chosen, quick: bool) -> int:
    """Examine graphmem, the folder and the memory, and say what to do.

    Exit status 1 if something is at fault.

    \b
      graphmem doctor agent-memory
    """
    from graphmem.interfaces.doctor import examine

    with Progress("Looking"), waiting(chosen):
        reach = partial(reached, chosen, read_only=True, any_scope=True)
        findings = list(examine(chosen.folder, reach, check=not quick))
    at_fault = any(finding.verdict == "fault" for finding in findings)
    rows: list[tuple[str, object]] = []
    for finding in findings:
        style = {"ok": "", "note": "yellow", "fault": "red"}[finding.verdict]
        rows.append((finding.about, styled(finding.value, style)))
        if finding.advice:
            rows.append(("", styled(f"→ {finding.advice}", "dim")))
    answer(chosen, {"ok": not at_fault, "findings": findings}, pairs_of(rows))
    return int(at_fault)


@noun_group("admin").command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that lets a shell complete graphmem's commands.

    \b
      graphmem admin completion bash >>~/.bashrc
      graphmem admin completion zsh >>~/.zshrc
      graphmem admin completion fish >~/.config/fish/completions/graphmem.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    # Not click's own entry: that runs bash to learn its version, which need not be here.
    made = kind(cli, {}, "graphmem", "_GRAPHMEM_COMPLETE")
    click.echo(made.source_template % made.source_vars())
