# ruff: noqa: E501 (a pattern is read best in one line)
"""Where a sentence holds, if it says so."""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.claims.claim import LONGEST
from graphmem_worker.text.patterns import late

_PLACES_OF_WORK: Final = late(
    r"\b(?:production|staging|dev|development|ci|laptop|prod|test environment|at home|at work|backend|frontend|front end|back end|ios|android|mobile|web|client|server|desktop|dashboard|worker|gateway)\b|生产|线上|预发|测试环境|开发环境|本地|前端|后端|客户端|服务端|家里|公司|看板|网关|探头",
    re.I,
)

_AREAS: Final = {"prod": "production", "线上": "生产", "development": "dev"}


def areas(sentence: str) -> frozenset[str]:
    """Where a sentence holds, if it says so: production, the front end, at home."""
    return frozenset(
        _AREAS.get(m[0].lower(), m[0].lower()) for m in _PLACES_OF_WORK.finditer(sentence[:LONGEST])
    )
