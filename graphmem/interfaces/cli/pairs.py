"""Pairs on a command line: metadata NAME=VALUE, conditions NAME>=VALUE; the options of `Where`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import click

from graphmem.values.nodes import ScopedId

_CONDITION: Final = re.compile(r"([^=<>!~{]+)(!=|>=|<=|=|>|<)(?![=<>!~])(.*)", re.S)
_OPERATORS: Final = {"=": "eq", "!=": "ne", ">=": "gte", "<=": "lte", ">": "gt", "<": "lt"}


def metadata(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> dict[str, Any] | None:
    """The mapping of options like `team=red`; None without any."""
    found: dict[str, Any] = {}
    for pair in given:
        name, sign, value = pair.partition("=")
        if not sign:
            raise click.BadParameter(f"{pair}: write NAME=VALUE", ctx, param)
        found[name.strip()] = value_of(value)
    return found or None


def conditions(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> dict[str, Any] | None:
    """The mapping of options like `year>=2020`, or of a JSON object; None without any."""
    found: dict[str, Any] = {}
    for item in given:
        if item.lstrip().startswith("{"):
            try:
                found.update(json.loads(item))
            except (ValueError, RecursionError) as error:
                raise click.BadParameter(f"{item} is no JSON ({error})", ctx, param) from None
            continue
        read = _CONDITION.fullmatch(item)
        if read is None:
            raise click.BadParameter(
                f"{item}: write NAME=VALUE, or with !=, >=, <=, >, <, or a JSON object; a value "
                'that begins with one of = < > ! ~ stands in quotes: NAME=">3"',
                ctx,
                param,
            )
        name, operator, value = read[1].strip(), _OPERATORS[read[2]], value_of(read[3].strip())
        if isinstance(value, list):
            if operator != "eq":
                raise click.BadParameter(f"{item}: a list goes with = only", ctx, param)
            operator = "in"
        known = found.setdefault(name, {})
        if not isinstance(known, dict) or operator in known:
            raise click.BadParameter(f"{item}: {name} is asked for twice", ctx, param)
        known[operator] = value
    return found or None


def nodes(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> tuple[int, ...] | None:
    """The ids of options like `12`, or `team/12` for a node of a parent; None without any."""
    try:
        ids = (ScopedId.of(int(n), of) for of, _, n in (g.rpartition("/") for g in given))
        return tuple(ids) or None
    except ValueError:
        raise click.BadParameter(f"{' '.join(given)}: write 12, or team/12", ctx, param) from None


def bindings(given: tuple[str, ...]) -> dict[str, str]:
    """Variables and their values, each given as NAME=VALUE."""
    found = {}
    for pair in given:
        name, sign, value = pair.partition("=")
        if not sign or not name.isidentifier():
            raise click.UsageError(f"--bind {pair}: write NAME=VALUE")
        found[name] = value
    return found


def where_options(prefix: str = "", *, left_out: str = "") -> list[click.Parameter]:
    """An option for each field of `Where` but one; its value is named as the field, behind
    `prefix`."""
    return [
        click.Option([_flag(field), prefix + field], **how)
        for field, how in _WHERE.items()
        if field != left_out
    ]


def value_of(text: str) -> Any:
    """A value as JSON writes it; anything else is a text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _flag(field: str) -> str:
    named = {"metadata": "where", "relations": "relation"}
    return "--" + named.get(field, field).replace("_", "-")


_WHERE: Final[Mapping[str, Mapping[str, Any]]] = {
    "session": {"metavar": "NAME", "help": "Only of this session."},
    "speaker": {"metavar": "NAME", "help": "Only by this speaker."},
    "since": {"metavar": "DATE", "help": "Only from then on."},
    "until": {"metavar": "DATE", "help": "Only before then."},
    "as_of": {"metavar": "DATE", "help": "What held then, replaced memories too."},
    "known_at": {
        "metavar": "DATE", "help": "What was known then, as far as the archive has it.",
    },
    "metadata": {
        "metavar": "NAME=VALUE", "multiple": True, "callback": conditions,
        "help": "Metadata or kind: year>=2020, confidence=explicit, 'team=[\"red\",\"blue\"]'; "
        "may be repeated.",
    },
    "realm": {
        "metavar": "NAME", "multiple": True, "callback": lambda ctx, param, given: given or None,
        "help": "personal, project, universal or ephemeral; may be repeated.",
    },
    "among": {
        "metavar": "ID", "multiple": True, "callback": nodes,
        "help": "Only these nodes, a parent's as team/12; may be repeated.",
    },
    "without": {
        "metavar": "ID", "multiple": True, "callback": nodes,
        "help": "None of these nodes; may be repeated.",
    },
    "relations": {
        "metavar": "NAME", "multiple": True,
        "help": "Follow links of this relation only; may be repeated.",
    },
    "depth": {"type": int, "default": 2, "show_default": True, "help": "Links to follow."},
}  # fmt: skip
"""For each field of `Where` how its option is read."""
