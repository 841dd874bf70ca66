"""The page: one file without a build step, and what keeps foreign scripts out of it."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Final

_INLINE: Final = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)


@cache
def page() -> str:
    """The page, as it is packaged."""
    return files("graphmem.interfaces.view").joinpath("page.html").read_text("utf-8")


@cache
def policy(connect: str = "'self'") -> str:
    """The Content-Security-Policy: the page's own script and style, by their hashes, nothing else.

    connect: where the script may ask; "'none'" in a page that stands alone.
    """
    hashes: dict[str, list[str]] = {"style": [], "script": []}
    for kind, source in _INLINE.findall(page()):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        hashes[kind].append(f"'sha256-{digest}'")
    return (
        f"default-src 'none'; script-src {' '.join(hashes['script'])}; "
        f"style-src {' '.join(hashes['style'])}; connect-src {connect}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
