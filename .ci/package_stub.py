"""The names of `graphmem`, as imports for type checkers, which do not see what is loaded on demand.

`python .ci/package_stub.py > graphmem/__init__.pyi` writes them anew.
"""

from __future__ import annotations

import sys
from pprint import pformat

import graphmem


def stub() -> str:
    """The stub file."""
    lines = [
        '"""Made by `python .ci/package_stub.py > graphmem/__init__.pyi`."""',
        "",
        "from graphmem import errors as errors",
        "from graphmem.errors import *",
        *(f"from graphmem.{module} import {n} as {n}" for n, module in graphmem._HOME.items()),
        "",
        "__version__: str",
        f"__all__ = {pformat(graphmem.__all__, width=100, compact=True)}",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(stub())
