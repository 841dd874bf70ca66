"""Pairs on a command line: metadata NAME=VALUE, conditions NAME>=VALUE; the options of `Where`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import click

from graphmem.values.nodes import ScopedId

_CONDITION: Final = re.compile(r"([^=<>!~{]+)(!=|>=|<=|=|>|<)(?![=<>!~])(.*)", re.S)
_Does = TypeVar("_Does", bound=Callable[..., Any])
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


def where_options(prefix: str = "") -> dict[str, click.Option]:
    """An option for each field of `Where`, by its name; its value has the name behind `prefix`."""
    return {
        field: click.Option([option, prefix + field], **how)
        for field, (option, how) in _WHERE.items()
    }


def with_where(*left_out: str) -> Callable[[_Does], _Does]:
    """Give a function that becomes a command the options of `Where` but those of these fields."""

    def decorate(does: _Does) -> _Does:
        for field, (option, how) in reversed([*_WHERE.items()]):
            if field not in left_out:
                does = click.option(option, field, **how)(does)
        return does

    return decorate


def value_of(text: str) -> Any:
    """A value as JSON writes it; anything else is a text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _several(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...] | None:
    return given or None


_WHERE: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "session": ("--session", {"metavar": "NAME", "help": "Only of this session."}),
    "speaker": ("--speaker", {"metavar": "NAME", "help": "Only by this speaker."}),
    "since": ("--since", {"metavar": "DATE", "help": "Only from then on."}),
    "until": ("--until", {"metavar": "DATE", "help": "Only before then."}),
    "as_of": ("--as-of", {"metavar": "DATE", "help": "What held then, replaced memories too."}),
    "known_at": (
        "--known-at",
        {"metavar": "DATE", "help": "What was known then, as far as the archive has it."},
    ),
    "metadata": (
        "--where",
        {
            "metavar": "NAME=VALUE", "multiple": True, "callback": conditions,
            "help": "Metadata or kind: year>=2020, confidence=explicit, 'team=[\"red\",\"blue\"]'; "
            "may be repeated.",
        },
    ),
    "realm": (
        "--realm",
        {
            "metavar": "NAME", "multiple": True, "callback": _several,
            "help": "personal, project, universal or ephemeral; may be repeated.",
        },
    ),
    "among": (
        "--among",
        {
            "metavar": "ID", "multiple": True, "callback": nodes,
            "help": "Only these nodes, a parent's as team/12; may be repeated.",
        },
    ),
    "without": (
        "--without",
        {
            "metavar": "ID", "multiple": True, "callback": nodes,
            "help": "None of these nodes; may be repeated.",
        },
    ),
    "relations": (
        "--relation",
        {
            "metavar": "NAME", "multiple": True,
            "help": "Follow links of this relation only; may be repeated.",
        },
    ),
    "depth": (
        "--depth",
        {"type": int, "default": 2, "show_default": True, "help": "Links to follow."},
    ),
}  # fmt: skip
"""For each field of `Where` its option, and how that is read."""
