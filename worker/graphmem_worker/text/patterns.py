"""Expressions that are compiled at their first use.

The rules of both languages are some hundreds of expressions, which take half a second to compile.
One command, one recall or one text needs a tenth of them.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Late:
    """Stands for an expression; after the first use its methods are those of the expression."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._given)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile`, put off to the first use; a wrong expression raises `re.error` only there."""
    return cast(re.Pattern[str], _Late(pattern, flags))
