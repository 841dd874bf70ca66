"""The types of `graphmem.aio`, made of the declarations of the verbs.

`python .ci/async_stub.py > graphmem/aio.pyi` writes them anew.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final

from graphmem.api import access, failover, opening
from graphmem.api.awaited import Awaited
from graphmem.api.verbs import Verbs
from graphmem.declaring import Verb, nouns_of, own_verbs_of, verbs_of_noun

_HEAD: Final = '''"""Made by `python .ci/async_stub.py > graphmem/aio.pyi`."""

'''
_STARS: Final[dict[Any, str]] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
_MEMORY: Final = """
class Opening:
    def __await__(self) -> collections.abc.Generator[typing.Any, None, Memory]: ...
    async def __aenter__(self) -> Memory: ...
    async def __aexit__(self, *raised: object) -> None: ...

class Memory:
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str | None: ...
    async def run(self, act: collections.abc.Callable[[graphmem.api.verbs.Verbs], _T]) -> _T: ...
    async def close(self) -> None: ...
    async def __aenter__(self) -> Memory: ...
    async def __aexit__(self, *raised: object) -> None: ...
"""


def stub() -> str:
    """The stub file."""
    used = {"collections.abc", "typing", "graphmem.api.verbs", "graphmem.values.nodes"}
    body: list[str] = []
    memory = [_MEMORY]
    memory += [
        _noun(Verbs, noun, "", verbs_of_noun(Verbs, noun).values(), body, used)
        for noun in nouns_of(Verbs)
    ]
    for verb in own_verbs_of(Verbs).values():
        memory += _method(verb, used, Verbs.__module__)
    for find in (opening.open, failover.reach, access.attach):
        given = _given(find, used, find.__module__)
        memory.append(f"\ndef {find.__name__}({given}) -> Opening: ...\n")
    imports = "".join(f"import {module}\n" for module in sorted(used))
    return f'{_HEAD}{imports}\n_T = typing.TypeVar("_T")\n{"".join([*body, *memory])}'


def _noun(
    holder: type, noun: str, above: str, verbs: Iterable[Verb], body: list[str], used: set[str]
) -> str:
    """The line of a noun in the class that it hangs off; its own class is added to `body`.

    above: what stands before it in the names of its verbs, "graph." of `graph.facts`. verbs: of it
    and of its nouns.
    """
    taken = getattr(holder, noun)
    marked: Any = taken.fget if isinstance(taken, property) else taken
    kind: type = marked.__graphmem_noun__.kind
    name = f"_{(above + noun).title().replace('.', '')}"
    own = [_noun(kind, inner, f"{above}{noun}.", verbs, body, used) for inner in nouns_of(kind)]
    for verb in verbs:
        if verb.of == above + noun:
            does: Any = getattr(kind, verb.method)
            own += _method(verb, used, getattr(does, "fget", does).__module__)
    body.append(f"\nclass {name}:\n{''.join(own)}")
    given = "self" if isinstance(taken, property) else _given(taken, used, holder.__module__)
    decorated = "    @property\n" if isinstance(taken, property) else ""
    return f"{decorated}    def {noun}({given}) -> {name}: ...\n"


def _method(verb: Verb, used: set[str], module: str) -> Iterator[str]:
    if verb.owner_only or (verb.of is None and not hasattr(Awaited, verb.method)):
        return
    name = "__aiter__" if verb.method == "__iter__" else verb.method
    if name.startswith("__") and name not in ("__aiter__", "__getitem__"):
        return
    result = str(verb.signature.return_annotation)
    if result == "_Memory":
        told = "Memory"
    else:
        told = _qualified(result, used, module)
    listed = result.startswith("Iterator[")
    told = told.replace("collections.abc.Iterator[", "collections.abc.AsyncIterator[", 1)
    if verb.is_property:
        awaits = f"collections.abc.Awaitable[{told}]"
        yield f"    @property\n    def {verb.method}(self) -> {awaits}: ...\n"
        return
    given = _parameters(
        [Parameter("self", Parameter.POSITIONAL_ONLY), *verb.parameters], used, module
    )
    yield f"    {'' if listed else 'async '}def {name}({given}) -> {told}: ...\n"


def _given(function: Callable[..., Any], used: set[str], module: str) -> str:
    return _parameters(list(signature(function).parameters.values()), used, module)


def _parameters(parameters: list[Parameter], used: set[str], module: str) -> str:
    shown: list[str] = []
    starred = False
    for parameter in parameters:
        if parameter.kind is Parameter.VAR_POSITIONAL:
            starred = True
        if parameter.kind is Parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        text = f"{_STARS.get(parameter.kind, '')}{parameter.name}"
        if parameter.annotation is not Parameter.empty:
            text += f": {_qualified(str(parameter.annotation), used, module)}"
        if parameter.default is not Parameter.empty:
            text += " = ..."
        shown.append(text)
    return ", ".join(shown)


def _qualified(annotation: str, used: set[str], module: str) -> str:
    """An annotation with the module of each name before it; notes the modules."""
    tree = ast.parse(annotation, mode="eval")

    class Names(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            if node.id in vars(builtins):
                return node
            home, name = _homes(module)[node.id]
            used.add(home)
            return ast.parse(f"{home}.{name}" if name else home, mode="eval").body

    return ast.unparse(Names().visit(tree))


@cache
def _homes(module: str) -> dict[str, tuple[str, str]]:
    """Where each name of a module comes from: a module, and the name in it ("": the module)."""
    file = import_module(module).__file__
    assert file is not None
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(ast.parse(Path(file).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {a.asname or a.name: (node.module, a.name) for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.asname or a.name: (a.name, "") for a in node.names}
        elif isinstance(node, ast.ClassDef):  # also one that type checkers alone see
            found[node.name] = (module, node.name)
    defined = (name for name in vars(import_module(module)) if name not in found)
    return found | {name: (module, name) for name in defined}


if __name__ == "__main__":
    sys.stdout.write(stub())
