"""The page: its files joined without a build step, and the policy that excludes other scripts."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Final

_INLINE: Final = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)
_SCRIPTS: Final = (
    "words sayings elements source map surface places texts drawing time panels review people "
    "memory acts pointer whole"
).split()  # in this order; joined, they share their names


@cache
def page() -> str:
    """The page: page/page.html with its style and its scripts inside."""
    folder = files("graphmem.interfaces.view") / "page"
    html, style, cards, narrow, *scripts = (
        folder.joinpath(name).read_text("utf-8")
        for name in (
            "page.html",
            "style.css",
            "cards.css",
            "narrow.css",
            *(f"{name}.js" for name in _SCRIPTS),
        )
    )
    return html.replace("/*style.css*/", style + cards + narrow).replace(
        "/*scripts*/", "".join(scripts)
    )


@cache
def policy(connect: str = "'self'") -> str:
    """The Content-Security-Policy: the page's own script and style, by their hashes, nothing else.
    connect: the origins that the script may request; "'none'" in an exported page."""
    hashes: dict[str, list[str]] = {"style": [], "script": []}
    for kind, source in _INLINE.findall(page()):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        hashes[kind].append(f"'sha256-{digest}'")
    return (
        f"default-src 'none'; script-src {' '.join(hashes['script'])}; "
        f"style-src {' '.join(hashes['style'])}; connect-src {connect}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
