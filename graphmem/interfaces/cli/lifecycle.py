"""Commands that say how a memory is, and clean it: status, clean."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import click

import graphmem
from graphmem.interfaces.cli.group import Chosen, noun_group, pass_chosen, shared
from graphmem.interfaces.cli.printing import columns, counted, in_bytes, print_json, working
from graphmem.interfaces.cli.reach import opened, require
from graphmem.values.lifecycle import CLASSES, Candidate, Class, Cleaning, Health

if TYPE_CHECKING:
    from rich.text import Text

_STYLES: Final[Mapping[str, str]] = {"excellent": "green", "good": "yellow"}
_NUMBERS: Final = re.compile(r"\d+(?:-\d+)?(?:[,，、\s]+\d+(?:-\d+)?)*")


@noun_group("review").command()
@shared
@pass_chosen
def status(chosen: Chosen) -> None:
    """Say what a memory holds by kind and state, how healthy it is, and what waits.

    \b
      graphmem review status
    """
    require(chosen)
    with working("Looking"), opened(chosen) as memory:  # which keeps the conflicts that it finds
        found = memory.review.status()
    if chosen.json:
        print_json(found)
        return
    from graphmem.interfaces.terminal import show

    table = columns("what", "how many")
    for name, counts in (
        ("realm", found.realms), ("confidence", found.confidence),
        ("temporality", found.temporality), ("state", found.states),
    ):  # fmt: skip
        table.add_row(name, ", ".join(f"{one} {number:,}" for one, number in counts.items()))
    budget, queue = found.budget, found.queue
    live, most = budget["live_bytes"], budget["max_bytes"]
    held = in_bytes(live) if most is None else f"{in_bytes(live)} of {in_bytes(most)}"
    waits = ", ".join(f"{number:,} to be {name}" for name, number in list(queue.items())[:2])
    table.add_row("bytes", f"{held}, archive {in_bytes(budget['archive_bytes'])}")
    table.add_row("budget", found.room)
    table.add_row("queue", f"{waits}, {queue['set_aside']:,} set aside")
    show(f"{counted(found.nodes, 'memory', 'memories')}", table, *_health(found.health))


def _health(found: Health) -> list[Text]:
    from graphmem.interfaces.terminal import said

    lines = [said(f"health {found.score} of 100, {found.level}", _STYLES.get(found.level, "red"))]
    for part in found.parts:
        side = "over" if part.name in ("active", "confidence") else "under"
        verdict = "" if part.healthy else "  ← look here"
        lines.append(
            said(
                f"  {part.name:<10} {part.value:5.2f}  healthy {side} {part.threshold:g}, "
                f"weight {part.weight:g}{verdict}",
                "" if part.healthy else "yellow",
            )
        )
    return lines


@noun_group("review").command()
@click.option("--kind", type=click.Choice(CLASSES), help="Of one class only.")
@click.option("--policy", is_flag=True, help="Show what the policies would do; changes nothing.")
@click.option("--yes", is_flag=True, help="Take all that is listed, without asking.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True)
@shared
@pass_chosen
def clean(chosen: Chosen, kind: Class | None, policy: bool, yes: bool, limit: int) -> None:
    """List what may be cleaned away, numbered, and ask which of it goes: all, 1,3, 5-7 or none.

    What goes is in the archive, from where `graphmem history revive` brings it back; but what holds
    a secret is erased, what another memory contradicts is closed as replaced by it, and what is
    uncertain (--kind uncertain) is confirmed. --yes leaves out what only a person can decide.

    \b
      graphmem review clean
      graphmem review clean --kind trivial --yes
      graphmem review clean --policy
    """
    require(chosen)
    if policy and (yes or kind):
        raise click.UsageError("--policy only shows; leave --yes and --kind out.")
    with opened(chosen) as memory:
        if policy:
            with working("Looking"):
                view = memory.review.clean(limit=limit)
            _show_policy(chosen, view)
            return
        with working("Looking"):
            found = memory.review.candidates(kind, limit=limit)
        taken = _taken(chosen, found, yes)
        done = _do(memory, taken)
    if chosen.json:
        print_json({"candidates": found, "taken": [each.node for each in taken], **done})
        return
    from graphmem.interfaces.terminal import show

    if found:
        told = ", ".join(f"{number} {name}" for name, number in done.items() if number)
        show(f"{told}." if told else "Nothing was changed.")


def _do(memory: graphmem.Memory | graphmem.Attached, taken: list[Candidate]) -> dict[str, int]:
    """Clean away what a person chose; returns how many were archived, and so on."""
    done = dict.fromkeys(("archived", "erased", "confirmed", "replaced"), 0)
    ids: dict[str, list[int]] = {name: [] for name in done}
    for each in taken:
        match each.kind:
            case "secret" if each.place:
                continue  # no node has it; it is named in the list
            case "secret":
                ids["erased"].append(each.node)
            case "uncertain":
                ids["confirmed"].append(each.node)
            case "conflicting" if each.other is not None:
                memory.review.resolve((each.node, each.other), keep=each.other)
                done["replaced"] += 1
            case _:
                ids["archived"].append(each.node)
    if ids["archived"]:
        done["archived"] = memory.review.archive(ids["archived"])
    if ids["erased"]:
        memory.forget(ids["erased"], erase=True)
        done["erased"] = len(set(ids["erased"]))
    if ids["confirmed"]:
        done["confirmed"] = memory.review.confirm(ids["confirmed"])
    return done


def _taken(chosen: Chosen, found: list[Candidate], yes: bool) -> list[Candidate]:
    """What of the candidates is to go; they are listed unless a program asks."""
    if not chosen.json:
        _list(found)
    if yes or not found:
        return [each for each in found if each.kind != "conflicting" or each.other is not None]
    if chosen.json or not sys.stdin.isatty():
        answer = "" if chosen.json else sys.stdin.readline()
    else:
        answer = click.prompt("Which go? all, 1,3, 5-7 or none", default="none")
    return [found[place - 1] for place in places(answer, len(found))]


def places(answer: str, count: int) -> list[int]:
    """The numbers from 1 to `count` that an answer names: "all", "none", "1,3", "5-7"; sorted.

    Raises click.UsageError for what is no such answer.
    """
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


def _list(found: list[Candidate]) -> None:
    from graphmem.interfaces.terminal import said, show

    if not found:
        show("Nothing to clean.")
        return
    lines = []
    kind = ""
    for number, each in enumerate(found, 1):
        if each.kind != kind:
            kind = each.kind
            lines.append(said(f"{kind}:", "bold"))
        what = each.text or "(only in the archive)"
        lines.append(said(f"{number:>4}. {what}"))
        goes = "confirming keeps it" if kind == "uncertain" else f"goes: {each.lost}"
        where = each.place or f"node {each.node}"
        if each.place:
            goes = (
                f"remove it with `graphmem {'facts' if each.place == 'fact' else 'items'} delete`"
            )
        lines.append(said(f"      {where}: {each.reason}; {goes}", "dim"))
    show(*lines)


def _show_policy(chosen: Chosen, found: Cleaning) -> None:
    if chosen.json:
        print_json(found)
        return
    from graphmem.interfaces.terminal import said, show

    lines = []
    for title, each_of in (
        ("would go without asking", found.automatic), ("would be asked about", found.asked),
    ):  # fmt: skip
        lines.append(said(f"{title}: {len(each_of)}", "bold"))
        for each in each_of:
            lines.append(said(f"  {each.text}"))
            lines.append(said(f"      node {each.node}, {each.kind}: {each.reason}", "dim"))
    show(*lines, said("Nothing was changed.", "dim"))
