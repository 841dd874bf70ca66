"""What `make site` shows besides docs/: the README as its first page, and what pages link to."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).parent.parent
_LINK = re.compile(r"(\]\(|src=\")([^)#\"\s:]+)")
_OUTSIDE = (
    "README.md", "README.zh.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/RESULTS.md",
    "LICENSE", "Containerfile",
)  # fmt: skip
_NAMES = {"README.md": "index.md"}
"""Where a file of the checkout is in the site, if not at its place below docs/ or the checkout."""


def _place(path: str) -> str:
    return _NAMES.get(path, path.removeprefix("docs/"))


def _moved(text: str, path: str) -> str:
    """A page of the checkout with its links as they are in the site."""
    at = posixpath.dirname(_place(path))

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), found[2]))
        return found[1] + posixpath.relpath(_place(target), at or ".")

    return _LINK.sub(link, text)


def on_files(files: Files, *, config: Any) -> Files:
    """Add what stands outside docs/."""
    for path in _OUTSIDE:
        text = (_ROOT / path).read_text("utf-8")
        shown = _moved(text, path) if path.endswith(".md") else text
        files.append(File.generated(config, _place(path), content=shown))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """A page of docs/, whose links may lead out of it."""
    own = page.file.generated_by is None
    return _moved(markdown, f"docs/{page.file.src_uri}") if own else markdown
