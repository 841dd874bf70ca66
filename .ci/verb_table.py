"""The page of all verbs in docs/verbs.md, made of their declarations.

`python .ci/verb_table.py > docs/verbs.md` writes it anew.
"""

from __future__ import annotations

import re
import sys
from inspect import Parameter
from itertools import groupby
from typing import Any

from graphmem.api.tools import TOOLS
from graphmem.api.verbs import Verbs
from graphmem.declaring import Verb, verbs_of

_HEAD = """# All verbs

Made by `python .ci/verb_table.py`. `help(graphmem.Memory.recall)` has the contract of a verb. Its
command is `graphmem`, noun and name (`graphmem graph relate`, with `--help`), unless named here; †:
none. …: also takes keywords. *w*: may write; a folder open read-only raises or is only read. *i*:
may be repeated. *t*: a tool of models. *o*: in the owner's process only.
"""
_TOOLS = {tool.verb for tool in TOOLS.values()}


def page() -> str:
    """The page, as Markdown."""
    rows = [
        "\n## "
        + ("`memory`" if of is None else f"`memory.{of}`")
        + "\n\n"
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
            ("w", verb.writes),
            ("i", verb.writes and verb.idempotent),
            ("t", verb.name in _TOOLS),
            ("o", verb.owner_only),
            ("†", verb.command is None and not verb.method.startswith("__")),
        )
        if holds
    ]
    if verb.command not in (None, verb.method):
        notes.append(f"`{' '.join(filter(None, [*(verb.of or '').split('.'), verb.command]))}`")
    sentence = re.split(r"[.;:] |\.$", verb.summary)[0]
    beside = f" *{' '.join(notes)}*" if notes else ""
    return f"- `{_call(verb)}`: {sentence}{beside}\n"


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
    named_only = [p for p in verb.parameters if p.kind is Parameter.KEYWORD_ONLY]
    shown = [stars.get(p.kind, "") + p.name for p in verb.parameters if p not in named_only]
    shown += ["…"] if named_only else []
    return f"{verb.method}({', '.join(shown)})"


if __name__ == "__main__":
    sys.stdout.write(page())
