"""The command that forgets until a memory fits: shrink."""

from __future__ import annotations

import re
from typing import Final

import click

from graphmem.interfaces.cli.group import Chosen, command
from graphmem.interfaces.cli.printing import answer, counted, in_bytes, plain
from graphmem.interfaces.cli.reach import opened
from graphmem.interfaces.terminal import Progress

_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)(i?)b?|(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)


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
