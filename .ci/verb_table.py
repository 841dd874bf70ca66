"""The page of all verbs in docs/verbs.md, made of their declarations.

`python .ci/verb_table.py > docs/verbs.md` writes it anew.
"""

from __future__ import annotations

import sys
from inspect import Parameter
from itertools import groupby
from typing import Any

from graphmem.api.tools import TOOLS
from graphmem.api.verbs import Verbs
from graphmem.verbs import Verb, verbs_of

_HEAD = """# All verbs

Made from the declarations by `python .ci/verb_table.py`. The contract of a
verb is in `help(graphmem.Memory.recall)`, the options of its command in `graphmem recall --help`.
The command of a verb is `graphmem`, its noun and its name (`graphmem graph relate`), unless it is
named here. *writes*: needs a folder that is not open read-only. *idempotent*: may be repeated.
*tool*: a model gets it, over MCP or in Pydantic AI.
"""
_TOOLS = {tool.verb for tool in TOOLS.values()}


def page() -> str:
    """The page, as Markdown."""
    rows = [
        "\n## " + ("`memory`" if of is None else f"`memory.{of}`") + "\n\n"
        "| verb | what it does | |\n|---|---|---|\n"
        + "".join(_row(verb) for verb in group if verb.summary)
        for of, group in groupby(
            sorted(verbs_of(Verbs).values(), key=lambda verb: verb.of or ""),
            key=lambda verb: verb.of,
        )
    ]
    return _HEAD + "".join(rows)


def _row(verb: Verb) -> str:
    notes = [
        note
        for note, holds in (
            ("writes", verb.writes),
            ("idempotent", verb.writes and verb.idempotent),
            ("tool", verb.name in _TOOLS),
            ("in the owner's process", verb.owner_only),
            ("no command", verb.command is None and not verb.method.startswith("__")),
        )
        if holds
    ]
    if verb.command not in (None, verb.method):
        notes.append(f"`{' '.join(filter(None, [*(verb.of or '').split('.'), verb.command]))}`")
    sentence, _, more = verb.summary.replace("|", "\\|").partition(". ")
    return f"| `{_call(verb)}` | {sentence}{'.' if more else ''} | {', '.join(notes)} |\n"


def _call(verb: Verb) -> str:
    """How the verb is written in Python."""
    named = {
        "__getitem__": "memory[node]", "__contains__": "node in memory",
        "__len__": "len(memory)", "__iter__": "iter(memory)",
    }  # fmt: skip
    if verb.method in named:
        return named[verb.method].replace("memory", "memory" if verb.of is None else verb.of)
    if verb.is_property:
        return verb.method
    stars: dict[Any, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
    shown = [
        stars.get(parameter.kind, "") + parameter.name
        + ("=" if parameter.kind is Parameter.KEYWORD_ONLY else "")
        for parameter in verb.parameters
    ]  # fmt: skip
    return f"{verb.method}({', '.join(shown)})"


if __name__ == "__main__":
    sys.stdout.write(page())
