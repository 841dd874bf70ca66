"""Commands that take text in: remember, enrich, watch."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import fields
from time import monotonic
from typing import Any, Final

import click

import graphmem
from graphmem.errors import InvalidTextError
from graphmem.interfaces.cli import pairs
from graphmem.interfaces.cli.group import Chosen, command
from graphmem.interfaces.cli.printing import LISTED, answer, counted
from graphmem.interfaces.cli.reach import alone, opened
from graphmem.interfaces.terminal import Progress, styled
from graphmem.values.plain import plain

_ABOUT: Final = [field.name for field in fields(graphmem.About) if field.name != "keywords"]
_STEP: Final = 0.2  # seconds between two looks at how far long work has come


@command("remember")
@click.argument("text", required=False)
@click.option("--file", "-f", "source", type=click.File("rb"), help="Remember a file's text.")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--happened", metavar="DATE", help="When: 2026-05-03 or 2026-05-03T09:30:00+02:00.")
@click.option("--session", metavar="NAME", help="What belongs together, such as a meeting.")
@click.option("--keyword", "keywords", metavar="WORD", multiple=True, help="May be repeated.")
@click.option("--pin", is_flag=True, help="Never shorten or forget it.")
@click.option(
    "--allow", metavar="KIND", multiple=True, help="A kind of secret that stays; may be repeated."
)
@click.option("--ttl", type=float, metavar="SECONDS", help="In how many seconds it is forgotten.")
@click.option("--expires", metavar="DATE", help="When it is forgotten.")
@click.option("--kind", metavar="KIND", help="Realm, temporality or both: 'project permanent'.")
@click.option("--confidence", type=float, metavar="0-1", help="How sure it is.")
@click.option("--keep", is_flag=True, help="It is permanent; no cleaning proposes it.")
@click.option("--route", is_flag=True, help="To the user's or the project's scope, by its kind.")
@click.option("--metadata", metavar="NAME=VALUE", multiple=True, callback=pairs.metadata,
              help="A value of your own, for --where; may be repeated.")  # fmt: skip
@click.option("--shared", is_flag=True, help="Scopes whose parent this one is recall it too.")
@click.option("--importance", type=float, metavar="NUMBER", help="0 to 1, among its session's.")
def remember(
    chosen: Chosen,
    text: str | None,
    source: Any,
    ttl: float | None,
    expires: str | None,
    keywords: tuple[str, ...],
    **given: Any,
) -> None:
    """Remember TEXT, a file, or, for "-", standard input. Makes the folder if it is not there.

    The worker, which scores texts in the background, is not started for so short a command: the
    text waits in the queue for `graphmem admin enrich`, or for a process that keeps the memory
    open.

    \b
      graphmem remember "The release is on May 10." --pin
      graphmem remember "We deploy on Mondays." --kind project --metadata team=red
      graphmem remember --file notes.md --session 2026-05-03
      git log -3 | graphmem remember -
    """
    if None not in (ttl, expires):
        raise click.UsageError("give --ttl or --expires, not both")
    whole = _text_given(text, source)
    about = {name: given.pop(name) for name in _ABOUT}
    with Progress("Remembering"), opened(chosen) as memory:
        nodes = memory.remember(
            whole,
            expires=expires if ttl is None else ttl,
            about=graphmem.About(keywords=keywords, **about),
            **given,
        )
        waiting = memory.admin.stats()["queue"]["waiting"]
    lines = [styled(f"Remembered {counted(len(nodes), 'node')} in {chosen.folder}:")]
    lines += [styled(f"{node.id:>6}  {node.phrase}") for node in nodes[:LISTED]]
    if len(nodes) > LISTED:
        lines.append(styled(f"        and {len(nodes) - LISTED:,} more", "dim"))
    for kind, number in sorted(Counter(secret.kind for secret in nodes.cut).items()):
        line = f"        cut out: {number} × {kind} (--allow {kind} keeps it)"
        lines.append(styled(line, "yellow"))
    if nodes.refused:
        lines = [styled("Not kept: it is worthless once the session is over (ephemera=refuse).")]
    answer(chosen, {"nodes": nodes.nodes, "cut": nodes.cut, "waiting": waiting}, *lines)


@command("files guard")
@click.argument("file", type=click.File("rb"))
@click.option("--personal", is_flag=True, help="Look for what identifies a person as well.")
def guard(chosen: Chosen, file: Any, personal: bool) -> int:
    """Look for secrets in FILE, "-" for standard input, without remembering anything.

    Prints the kind and the place of each, never its value. Exit status 1 if there are any.

    \b
      graphmem files guard notes.md
      git diff --staged | graphmem files guard -
    """
    from graphmem_worker.guard import guard as guarded

    text = _decoded(file.read(), file.name)
    found = guarded(text, "personal" if personal else "secrets").cut
    lines = []
    for secret in found:
        begun = text.rfind("\n", 0, secret.start) + 1
        place = f"{text.count(chr(10), 0, secret.start) + 1}:{secret.start - begun + 1}"
        lines.append(f"{file.name}:{place}: {secret.kind}, {secret.end - secret.start} long")
    total = f"{counted(len(found), 'secret')} found in {file.name}."
    answer(chosen, {"found": found}, *lines, total)
    return 1 if found else 0


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


@command("admin enrich")
def enrich(chosen: Chosen) -> None:
    """Process the queue now: score what was remembered without a worker, and embed it if vectors
    are on. If the embedder fails, its texts stay in the queue. A process that has the memory open
    does it with its worker and its model.

    \b
      graphmem admin enrich
    """
    # Not attached, in this process: a worker would take a moment to start.
    with Progress("Enriching") as progress, opened(chosen, make=False) as memory:
        before = memory.admin.stats()
        total = left = before["queue"]["waiting"] + before["vectors"]["waiting"]
        ended = not left
        while not ended:
            begun = monotonic()
            left = memory.admin.enrich(timeout=_STEP)
            ended = not left or monotonic() - begun < _STEP  # early: no more can be done
            total = max(total, left)
            progress.update(total - left, total)
        after = memory.admin.stats()
        here = f" in scope {memory.name!r}" if len(memory.scopes.names()) > 1 else ""
    aside, error = after["queue"]["set_aside"], after["vectors"]["last_error"]
    waits = (counted(left, "waits", "wait") if left else "nothing waits") + here
    failed = f"; {counted(aside, 'text')} set aside after failures" if aside else ""
    answer(
        chosen,
        {"enriched": total - left, "waiting": left, "set_aside": aside},
        f"Enriched {counted(total - left, 'text')}, {waits}{failed}.",
        *([styled(error, "yellow")] if left and error is not None else []),
    )


@command("files watch")
@click.argument("folder", metavar="FOLDER", type=click.Path(exists=True, file_okay=False))
def watch(chosen: Chosen, folder: str) -> None:
    """Follow a folder of notes until interrupted; for a project's memory files take `files sync`.

    All text and Markdown files in FOLDER and below are remembered, and again when they change;
    the memory is made if it is not there. What has not changed is not read again. An agent that has
    the memory open follows a folder itself, with `graphmem.watch`.

    \b
      graphmem files watch notes --path agent-memory
    """

    def report(result: graphmem.FileReport) -> None:
        if chosen.json:
            click.echo(json.dumps(plain(result), ensure_ascii=False))
        elif result.refused:
            answer(chosen, result, styled(result.refused, "yellow"))
        else:
            what = f"+{result.added} −{result.forgotten} chunks, {result.kept} kept"
            answer(chosen, result, f"{result.path}: {what}")
        sys.stdout.flush()

    advice = "end that process first, or have it follow the folder with graphmem.watch"
    with alone(advice), graphmem.open(chosen.folder, scope=chosen.scope) as memory:
        graphmem.watch(memory, folder, report=report)
