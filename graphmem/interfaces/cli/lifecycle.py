"""The command review clean."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Final

import click

import graphmem
from graphmem.interfaces.cli.group import Chosen, command
from graphmem.interfaces.cli.printing import answer
from graphmem.interfaces.cli.reach import opened
from graphmem.interfaces.terminal import Progress, Styled, styled
from graphmem.values.lifecycle import CLASSES, Candidate, Class, Cleaning

_NUMBERS: Final = re.compile(r"\d+(?:-\d+)?(?:[,，、\s]+\d+(?:-\d+)?)*")


@command("review clean")
@click.option("--kind", type=click.Choice(CLASSES), help="Of one class only.")
@click.option("--policy", is_flag=True, help="Show what the policies would do; changes nothing.")
@click.option("--yes", is_flag=True, help="Take what needs no person, without asking.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True)
def clean(chosen: Chosen, kind: Class | None, policy: bool, yes: bool, limit: int) -> None:
    """List what may be cleaned away, numbered, and ask which of it goes: all, 1,3, 5-7 or none.

    What goes is in the archive, from where `graphmem history revive` brings it back; but what
    surely holds a secret is erased, what another memory contradicts is closed as replaced by it,
    and what is uncertain (--kind uncertain) is confirmed. --yes and "all" leave out what only a
    person can decide, who takes it by its number: whether what is in the archive already is erased
    because it may be a secret. Of two memories that contradict each other only one that certainly
    no longer holds is listed; graphmem review conflicts has the others.

    \b
      graphmem review clean
      graphmem review clean --kind trivial --yes
      graphmem review clean --policy
    """
    if policy and (yes or kind):
        raise click.UsageError("--policy only shows; leave --yes and --kind out.")
    with opened(chosen, make=False) as memory:
        if policy:
            with Progress("Looking") as progress:
                view = memory.review.clean(limit=limit, progress=progress.update)
            _show_policy(chosen, view)
            return
        with Progress("Looking") as progress:
            found = memory.review.candidates(kind, limit=limit, progress=progress.update)
        taken = _taken(chosen, found, yes)
        done = _do(memory, taken)
    changes = ", ".join(f"{number} {name}" for name, number in done.items() if number)
    if found or chosen.json:
        document = {"candidates": found, "taken": [each.node for each in taken], **done}
        answer(chosen, document, f"{changes}." if changes else "Nothing was changed.")


def _do(memory: graphmem.Memory | graphmem.Attached, taken: list[Candidate]) -> dict[str, int]:
    """Clean away what a person chose; returns how many were archived, and so on."""
    ids: dict[str, list[int]] = {n: [] for n in ("archived", "erased", "confirmed", "replaced")}
    for each in taken:
        match each.kind:
            case "secret" if each.place:
                continue  # no node has it; it is named in the list
            case "secret" if _is_erased(each):
                done = "erased"
            case "uncertain":
                done = "confirmed"
            case "conflicting" if each.other is not None:
                memory.review.resolve((each.node, each.other), keep=each.other)
                done = "replaced"
            case _:
                done = "archived"
        ids[done].append(each.node)
    memory.review.archive(ids["archived"])
    if ids["erased"]:
        memory.forget(ids["erased"], erase=True)
    memory.review.confirm(ids["confirmed"])
    return {done: len(nodes) for done, nodes in ids.items()}


def _taken(chosen: Chosen, found: list[Candidate], yes: bool) -> list[Candidate]:
    """The candidates that the user chooses; they are listed first, unless --json is given."""
    if not chosen.json:
        answer(chosen, None, *_listed(found))
    if yes or not found:
        return [each for each in found if not _asks(each)]
    if chosen.json or not sys.stdin.isatty():
        answered = "" if chosen.json else sys.stdin.readline()
    else:
        answered = click.prompt("Which go? all, 1,3, 5-7 or none", default="none")
    taken = [found[place - 1] for place in places(answered, len(found))]
    is_numbered = any(map(str.isdigit, answered))
    return taken if is_numbered else [each for each in taken if not _asks(each)]


def _is_erased(found: Candidate) -> bool:
    """Whether cleaning erases it: a sure secret, or one that is in the archive already."""
    return found.kind == "secret" and (found.sure or found.archived)


def _asks(found: Candidate) -> bool:
    """Whether only a person can decide about it."""
    return _is_erased(found) and not found.sure


def places(answer: str, count: int) -> list[int]:
    """The numbers from 1 to `count` that an answer names: "all", "none", "1,3", "5-7"; sorted.
    Raises click.UsageError for any other answer."""
    plain = answer.strip().casefold()
    if plain in ("", "none", "no", "n", "q", "取消", "不", "无"):
        return []
    if plain in ("all", "全部", "全部删除"):
        return list(range(1, count + 1))
    if not _NUMBERS.fullmatch(plain):
        raise click.UsageError(f"{plain!r:.80}: write all, none, or numbers such as 1,3 or 5-7.")
    chosen: set[int] = set()
    for part in re.split(r"[,，、\s]+", plain):
        first, _, last = part.partition("-")
        if not 1 <= int(first) <= int(last or first) <= count:
            raise click.UsageError(f"{part}: the list has the numbers 1 to {count}.")
        chosen.update(range(int(first), int(last or first) + 1))
    return sorted(chosen)


def _listed(found: list[Candidate]) -> Iterator[Styled]:
    if not found:
        yield styled("Nothing to clean.")
    kind = ""
    for number, each in enumerate(found, 1):
        if each.kind != kind:
            kind = each.kind
            yield styled(f"{kind}:", "bold")
        yield styled(f"{number:>4}. {each.text or '(only in the archive)'}")
        goes = f"{'is erased' if _is_erased(each) else 'goes'}: {each.lost}"
        if _asks(each):
            goes = f"only by its number it {goes}"
        if kind == "uncertain":
            goes = "confirming keeps it"
        if each.place:
            noun = "facts" if each.place == "fact" else "items"
            goes = f"remove it with `graphmem {noun} delete`"
        where = each.place or f"node {each.node}"
        yield styled(f"      {where}: {each.reason}; {goes}", "dim")


def _show_policy(chosen: Chosen, found: Cleaning) -> None:
    lines = []
    for title, each_of in (
        ("would go without asking", found.automatic), ("would be asked about", found.asked),
    ):  # fmt: skip
        lines.append(styled(f"{title}: {len(each_of)}", "bold"))
        for each in each_of:
            lines.append(styled(f"  {each.text}"))
            lines.append(styled(f"      node {each.node}, {each.kind}: {each.reason}", "dim"))
    answer(chosen, found, *lines, styled("Nothing was changed.", "dim"))
