"""Default commands: made of the declarations of verbs that have no command written by hand. A
parameter without a default is an argument, another one an option unless the declaration names
it; what cannot be given from outside Python is left out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from inspect import Parameter, cleandoc, signature
from typing import Any, Final, TypeAlias

import click

from graphmem.api.verbs import Verbs
from graphmem.declaring import Call, Verb, own_verbs_of, verbs_of_noun
from graphmem.interfaces.cli.group import SHARED, Chosen, cli, noun_group, pass_chosen
from graphmem.interfaces.cli.pairs import bindings, value_of, where_options
from graphmem.interfaces.cli.printing import answer, heading, local_time, remark, table
from graphmem.interfaces.cli.reach import opened
from graphmem.interfaces.terminal import Progress
from graphmem.values.nodes import Forgotten, Node
from graphmem.values.plain import plain
from graphmem.values.where import Where

Reach: TypeAlias = Callable[[Chosen, Verb], AbstractContextManager[Any]]


class Json(click.ParamType[Any]):
    """A value as JSON; other text is a string, unless only an object is accepted."""

    name = "json"

    def __init__(self, only_object: bool = False) -> None:
        self._only_object = only_object

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value. Fails for other than an object where one is needed."""
        if not isinstance(value, str):
            return value
        found = value_of(value)
        if self._only_object and not isinstance(found, dict):
            self.fail(f"{value!r:.80} is no JSON object", param, ctx)
        return found


class _OrNone(click.ParamType[Any]):
    """A number, or `_NONE` for None, as docstrings write it, `null` and `never`. (Click takes None
    for an argument that is missing.)"""

    def __init__(self, number: click.ParamType[Any]) -> None:
        self._number = number
        self.name = number.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or None."""
        if isinstance(value, str) and value.lower() in ("none", "null", "never"):
            return _NONE
        return self._number.convert(value, param, ctx)


_TYPES: Final[Mapping[str, Any]] = {
    "string": click.STRING,
    "integer": click.INT,
    "number": click.FLOAT,
    "boolean": click.BOOL,
    "object": Json(only_object=True),
    "any": Json(),
}
_NONE: Final = object()
_ABSENT: Final = "–"
_FROM_NOW: Final = "Changes of memories are recorded from the first item, or this call, on."
_OF_FOLDER: Final = frozenset({"scopes.names"})  # verbs with the same result in any scope
_IDS: Final = 8  # that a cell of a table has at most
_GIVEN: Final = "given_"
_SINCE, _WAIT = _GIVEN + "since", _GIVEN + "wait"  # of verbs that return changes
_WHERE: Final = "Where | None"


def _name_of(parameter: Parameter) -> str:
    """Its name for click; prefixed, because `path` and `scope` are options of every command."""
    return _GIVEN + parameter.name


_SAMPLES: Final[Mapping[str, str]] = {
    "backup folder": "copy",
    "conflict": "all",
    "cue": '"the release"',
    "entries": """'{"namespace": "tickets", "key": "7", "value": "open"}'""",
    "folder": "agent-memory",
    "identifier": "17",
    "items.matching query": "printer",
    "key": "7",
    "keys": "7",
    "level": "semantic",
    "name": "agent-42",
    "namespace": "tickets",
    "obj": "Wen",
    "path": "notes.md",
    "predicate": "http://example.org/owner",
    "prefix": "agent-",
    "query": "\"SELECT ?n { ?n memory:mentions 'release' }\"",
    "relation": "'depends on'",
    "session": "standup",
    "subject": "node:17",
    "target": "12",
    "text": '"The release is on May 17."',
    "ttl": "3600",
    "value": "'{\"open\": true}'",
    "vector": "0.6 0.8",
}
"""Arguments in examples, by the parameter's name, behind that of its verb where it needs its own;
17 for other numbers. A test runs them."""
_BESIDE: Final[Mapping[str, str]] = {
    "review.resolve": "--policy auto",
    "themes.export": "--yaml themes.yaml",
}
"""Options without which the call of a verb says nothing."""


def add_default_commands(noun: str) -> None:
    """Make the groups of a noun, and add to its own group (for "" the top level) a default command
    for each verb that names one and has none yet. Other groups get none, because their commands
    written by hand may not be loaded yet."""
    verbs = verbs_of_noun(Verbs, noun.split()[0]) if noun else own_verbs_of(Verbs)
    for verb in verbs.values():
        group = noun_group(_group_of(verb)) if noun else cli
        if not (verb.owner_only or (noun and _group_of(verb) != noun)):
            add_derived(group, [verb], _reached)


def _group_of(verb: Verb) -> str:
    return (verb.of or "").replace(".", " ")


def _flowing(doc: str) -> str:
    """A docstring as click wraps it: a paragraph for each parameter, without the indent of its
    further lines, which would stay inside."""
    joined = re.sub(r"(?<=\S)\n +(?=\S)", "\n", cleandoc(doc))
    return re.sub(r"(?<=\S)\n(?=[a-z_]+: )", "\n\n", joined)


class _DefaultCommand(click.Command):
    """Makes its parameters when they are first asked for: they need the adapters, which the page of
    all commands does not."""

    def __init__(self, verb: Verb, reach: Reach) -> None:
        super().__init__(verb.command, callback=_calling(verb, reach), help=_flowing(verb.doc))
        self._verb = verb
        self._own: list[click.Parameter] | None = None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Those of the verb and its noun, then those shared by all commands or by the group."""
        if self._own is None:
            given = (*self._verb.parameters, *_noun_parameters(self._verb))
            self._own = [made for each in given for made in _parameters(self._verb, each)]
            self.params = [*self._own, *SHARED, *self.params]
        return super().get_params(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raise UsageError as click does, for an argument too many with its options."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            options = [p.opts[0] for p in self._own or () if isinstance(p, click.Option)]
            if type(error) is not click.UsageError or not options:
                raise
            message = f"{error.message}; its options are {', '.join(options)}"
            raise click.UsageError(message, ctx) from None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verb's contract, and an example with the command's path."""
        super().format_help_text(ctx, formatter)
        self.get_params(ctx)
        formatter.write_paragraph()
        with formatter.indentation(), formatter.indentation():
            example = _example(ctx, self._verb, self._own or [])
            formatter.write(f"{' ' * formatter.current_indent}{example}\n")


def add_derived(group: click.Group, verbs: Iterable[Verb], reach: Reach) -> None:
    """Give a group a default command for each of these verbs that names one and has none yet.
    reach: opens the object that has the verbs, for as long as the command runs."""
    for verb in verbs:
        if verb.command is not None and verb.command not in group.commands:
            group.add_command(_DefaultCommand(verb, reach))


def _reached(chosen: Chosen, verb: Verb) -> AbstractContextManager[Any]:
    any_scope, read_only = verb.name in _OF_FOLDER, not verb.writes
    return opened(chosen, read_only=read_only, any_scope=any_scope, make=False)


def _calling(verb: Verb, reach: Reach) -> Callable[..., int | None]:
    """The function of a verb's default command."""

    @pass_chosen
    def run(chosen: Chosen, /, **given: Any) -> int | None:
        if verb.waits and given[_SINCE] is None and not given[_WAIT]:
            given[_SINCE] = 0  # a command has seen no change before
        arguments, named = _arguments(verb, given)
        with reach(chosen, verb) as memory:
            with Progress("Working" if verb.writes else "Reading") as progress:
                if any(parameter.name == "progress" for parameter in verb.parameters):
                    named["progress"] = progress.update
                of = tuple(given[_name_of(parameter)] for parameter in _noun_parameters(verb))
                result: Any = Call(verb, tuple(arguments), named, of).done(memory)
                result = [*result] if isinstance(result, Iterator) else result
            if verb.name == "history.changes" and not result.last:
                remark(_FROM_NOW, chosen.json)
            missing = result is None and verb.command == "get"
            if chosen.json or not missing:
                _show(chosen, result, "Done." if verb.writes else "Nothing.")
            if missing:
                remark("no item " + " ".join(f"{name!r:.80}" for name in arguments), chosen.json)
        return 1 if missing else None

    return run


def _example(context: click.Context, verb: Verb, parameters: Sequence[click.Parameter]) -> str:
    """A call of the command, as its help shows it."""
    words = [context.command_path]
    for parameter in parameters:
        if isinstance(parameter, click.Argument) and parameter.name is not None:
            name = parameter.name.removeprefix(_GIVEN)
            usual = "17" if parameter.type is click.INT else '"…"'
            words.append(_SAMPLES.get(f"{verb.name} {name}") or _SAMPLES.get(name, usual))
    return " ".join([*words, _BESIDE.get(verb.name, "")]).rstrip()


def _parameter(verb: Verb, parameter: Parameter) -> click.Parameter | None:
    """The argument or option for a parameter, None if it cannot be given on a command line."""
    if parameter.kind is Parameter.VAR_KEYWORD:
        return click.Option(
            ["--bind", _name_of(parameter)], multiple=True, metavar="NAME=VALUE",
            help="Bind a variable; may be repeated.",
        )  # fmt: skip
    from graphmem.api.adapters import kind_of  # which needs the terms of triples

    schema = kind_of(parameter).schema
    if schema is None or parameter.name in verb.owner_arguments:
        return None
    name, many = _name_of(parameter), schema.get("type") == "array"
    inner = (schema["items"] if many else schema).get("type", "any")
    kind = _TYPES["any" if isinstance(inner, list) else inner]
    if "PathLike" in str(parameter.annotation):
        kind = click.Path()
    if "enum" in schema:
        kind = click.Choice(schema["enum"])
    may_be_none = not many and str(parameter.annotation).endswith(" | None")
    if inner in ("integer", "number") and may_be_none:
        kind = _OrNone(kind)
    shown = parameter.name.upper().replace("_", "-")
    if parameter.kind is Parameter.VAR_POSITIONAL:
        needed = parameter.name == verb.argument
        shown = f"{shown}..." if needed else f"[{shown}]..."
        return click.Argument([name], type=kind, nargs=-1, metavar=shown, required=needed)
    is_needed = parameter.default is Parameter.empty
    if is_needed or parameter.name == verb.argument:
        number, dots = (-1, "...") if many else (1, "")
        shown = (shown if is_needed else f"[{shown}]") + dots
        given = {} if is_needed or many else {"default": parameter.default}  # None is one too
        return click.Argument(
            [name], type=kind, metavar=shown, nargs=number, required=is_needed, **given
        )
    option = "--" + parameter.name.replace("_", "-")
    if inner == "boolean":
        if parameter.default is False:
            return click.Option([option, name], is_flag=True)
        return click.Option([f"{option}/--no-{option[2:]}", name], default=parameter.default)
    return click.Option(
        [option.removesuffix("s") if many else option, name],
        type=kind,
        multiple=many,
        default=None if many else parameter.default,
        show_default=(
            "0; with --wait, later changes"
            if verb.waits and name == _SINCE
            else parameter.default not in (None, ())
        ),
    )


def _noun_parameters(verb: Verb) -> list[Parameter]:
    """The parameters of the sub-object that a verb belongs to, as options; [] for a verb of the
    memory. One that the verb has as well is the verb's."""
    if not verb.of_arguments:
        return []
    declared = getattr(Verbs, str(verb.of))
    given = list(signature(declared).parameters.values())[1:]
    own = {parameter.name for parameter in verb.parameters}
    return [p.replace(kind=Parameter.KEYWORD_ONLY) for p in given if p.name not in own]


def _parameters(verb: Verb, parameter: Parameter) -> list[click.Parameter]:
    """The arguments or options for a parameter; for a `Where` one for each field."""
    if str(parameter.annotation) == _WHERE:
        return where_options(_GIVEN)
    made = _parameter(verb, parameter)
    return [] if made is None else [made]


def _arguments(verb: Verb, given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the call, from what click read."""
    arguments: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in verb.parameters:
        if str(parameter.annotation) == _WHERE:
            named[parameter.name] = Where(**{f.name: given[_GIVEN + f.name] for f in fields(Where)})
            continue
        if _name_of(parameter) not in given:
            continue
        value = given[_name_of(parameter)]
        if value is _NONE or (value == () and parameter.default is None):
            value = None
        if parameter.kind is Parameter.VAR_KEYWORD:
            named.update(bindings(value))
        elif parameter.kind is Parameter.VAR_POSITIONAL:
            arguments.extend(value)
        elif parameter.kind is Parameter.KEYWORD_ONLY:
            named[parameter.name] = value
        else:
            arguments.append(value)
    return arguments, named


def _show(chosen: Chosen, result: Any, nothing: str) -> None:
    """Print what a verb returned; `nothing` for None."""
    for note in getattr(result, "notes", ()):
        click.echo(note, err=True)
    for part in getattr(result, "missing", ()):
        click.echo(f"without {part}", err=True)
    if getattr(result, "gap", False):
        click.echo("Not all changes since then are kept.", err=True)
    answer(chosen, {"result": result}, *_parts(result, nothing))


def _parts(result: Any, nothing: str) -> list[Any]:
    many = not isinstance(result, str | tuple) and isinstance(result, Iterator | Sequence)
    items = [*result] if many else [] if result is None else [result]
    if many and any(rows := [*map(_row, items)]):
        return [_listed(rows)]
    if not many and _is_record(result):
        return [_described(result)]
    lines = [line for item in items for line in _lines(item)]
    return lines or [nothing if result is None else "Nothing."]


def _is_record(value: Any) -> bool:
    """Whether a value is a dataclass without a `__str__` of its own."""
    return is_dataclass(value) and type(value).__str__ is object.__str__


def _row(item: Any) -> dict[str, str]:
    """The cells of a record, or of a pair of a record and its score; {} for anything else."""
    if isinstance(item, tuple) and len(item) == 2 and _is_record(item[0]):
        return _cells(item[0]) | {"score": _cell(item[1])}
    return _cells(item) if _is_record(item) else {}


def _listed(rows: Sequence[Mapping[str, str]]) -> Any:
    """A table with a column for each name that has a value in any row; an empty row is a dash."""
    names = [name for name in max(rows, key=len) if any(row.get(name) for row in rows)]
    lines = ([row.get(name, "") for name in names] if row else [_ABSENT] for row in rows)
    return table([name.replace("_", " ") for name in names], lines)


def _described(record: Any) -> Any:
    """One record: a line for each field that is not empty."""
    rows = ((name.replace("_", " "), cell) for name, cell in _cells(record).items() if cell)
    return table(("", ""), rows)


def _cells(record: Any) -> dict[str, str]:
    return {field.name: _cell(getattr(record, field.name)) for field in fields(record)}


def _cell(value: Any) -> str:
    """A value of a field as a short text; "" for None, False and empty values."""
    if value is None or value is False or value in ((), "", {}, []):
        return ""
    if value is True:
        return "yes"
    if isinstance(value, datetime):
        return local_time(value)
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Node):
        return f"{heading(value)}: {value}"
    if is_dataclass(value) and _is_record(value):
        return ", ".join(f"{name} {cell}" for name, cell in _cells(value).items() if cell)
    if isinstance(value, tuple):
        more = len(value) - _IDS if type(value[0]) is int else 0
        shown = ", ".join(map(_cell, value[:_IDS] if more > 0 else value))
        return f"{shown} and {more:,} more" if more > 0 else shown
    if isinstance(value, Mapping | list):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)


def _lines(result: Any) -> Iterator[str]:
    if result is None:
        yield _ABSENT
    elif isinstance(result, Node):
        yield f"{heading(result)}: {result}"
    elif isinstance(result, Forgotten):
        gone = "" if result.revivable else ", not in the archive"
        yield f"node {result.id} · {local_time(result.when)} · {result.why}{gone}: {result}"
    elif isinstance(result, Mapping):
        for name, value in result.items():
            yield f"{name}: {value}"
    elif not isinstance(result, str | tuple) and isinstance(result, Iterator | Sequence):
        for item in result:
            yield from _lines(item)
    elif isinstance(result, tuple) and hasattr(result, "_fields"):  # a triple
        yield " ".join(part.n3() if hasattr(part, "n3") else str(part) for part in result)
    elif isinstance(result, tuple):  # such as a node and its nearness
        yield "  ".join(
            f"{part:.4f}" if isinstance(part, float) else " ".join(_lines(part)) for part in result
        )
    else:
        yield str(result)
