# ruff: noqa: E501 (a pattern is read best in one line)
"""Versions of what runs."""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.text.gates import Gated
from graphmem_worker.text.patterns import late

VERSION: Final = Gated(
    r"(?<![A-Za-z])([A-Za-z][A-Za-z+#]{0,20}(?:\.js)?)(?:[ :@=-]{0,2}|\s(?:version|v|版本)\s?|\sto\s|\sis\sat\s|\sat\s|\sversion\sis\s|\sis\spinned\s(?:to|at)\s|\s?(?:的?版本)?(?:现在|还|目前)?(?:是|为)\s?)v?(\d{1,4}(?:\.\d{1,4}){0,3})(?![\d.]*\d|[A-Za-z:]|[%％℃°])",
    "0 1 2 3 4 5 6 7 8 9",
)

UPGRADED: Final = Gated(
    r"(?<![A-Za-z])([A-Za-z][\w+#.]{1,20})[^，。,.0-9A-Za-z]{0,8}(?:升级?|降级?|回退|提)(?:到|成|至)了?\s?v?(\d{1,4}(?:\.\d{1,4}){0,3})(?!\d|[年月日号点%])"
    r"|\b([A-Za-z][\w+#]{1,20}) (?:was |is |has been |got )?(?:now )?(?:upgraded |bumped |updated |moved |raised |downgraded )?from v?(\d{1,3}(?:\.\d{1,4}){0,3}) to v?(\d{1,3}(?:\.\d{1,4}){0,3})\b"
    r"|\b([A-Za-z][\w+#]{1,20}) (?:was |is |has been |got )(?:now )?(?:upgraded|bumped|updated|moved|downgraded|rolled back|pinned) to v?(\d{1,3}(?:\.\d{1,4}){0,3})\b",
    "0 1 2 3 4 5 6 7 8 9",
)

VERSION_NAMED: Final = Gated(
    r"(固件|协议|基础库|接口|镜像|版本|客户端|系统|version|firmware|api|release|runtime|schema|sdk|app)[^，。,.\d]{0,14}?v?(\d{1,4}(?:\.\d{1,4}){0,3})(?![\d.]*\d|[年月号日点分元个天支台%℃])|\bv(\d{1,4}(?:\.\d{1,4}){0,3})\b"
    r"|(?:升到|升级到|升级成|回退到|刷|upgraded to|bumped to|pinned to|moved to|back to)\s?(?:了)?v?(\d{1,3}(?:\.\d{1,4}){1,3})(?!\d)|(\d{1,3}(?:\.\d{1,4}){1,3})\s?(固件|版本?|firmware)",
    "0 1 2 3 4 5 6 7 8 9",
)


PINS: Final = late(
    r"\b(?:pinned|minimum|version|upgrad\w{2,3}|runs?|running|on|require\w{0,2}|target\w{0,3}|based|firmware|bumped|from|base image|needs|supports?)\b|最低|版本|升|跑|用|基于|固件|镜像|支持",
    re.I,
)

RUNS: Final = late(
    r"\b(?:runs?|running|upgrad\w{2,3}|pinned|version|based on|on|firmware|bumped|requires?|supports?|targets?)\b|升|跑|用|基于|固件|换到|协议|版",
    re.I,
)


def plain_version(text: str) -> str:
    parts = text.split(".")
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    return ".".join(parts)
