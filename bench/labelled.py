"""Labelled sentences, pairs and secrets that the benches of the text rules measure on.

`GRAPHMEM_DATA` names a folder with `*.dev.jsonl`, which is then used instead of the project's own
files in `data/` (see data/LABELS.md).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

LANGUAGES: Final = ("en", "zh")
_DATA: Final = Path(__file__).parents[1] / "data"
_FILES: Final = {"kinds": "writers/H/kinds"}
"""Where what is judged is not the file of that name: `data/kinds` is training text."""
_DEVELOPMENT: Final = {
    "kinds": "classification.dev.jsonl",
    "conflicts": "conflicts.dev.jsonl",
    "secrets": "secrets.dev.jsonl",
}


def rows(what: str, language: str) -> list[dict[str, Any]] | None:
    """The rows of one language, their texts joined; None if the file is not there."""
    folder = os.environ.get("GRAPHMEM_DATA")
    path = (
        Path(folder, _DEVELOPMENT[what])
        if folder
        else _DATA / f"{_FILES.get(what, what)}.{language}.jsonl"
    )
    if not path.is_file():
        return None
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [_joined(row) for row in found if row["lang"] == language]


def missing(what: str) -> str:
    """What to say where there is nothing to measure on."""
    return f"{what}: no labelled data (set GRAPHMEM_DATA to a folder with {_DEVELOPMENT[what]})"


def _joined(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose secret is stored in parts, with its text whole."""
    text = row.get("text")
    for place, pieces in enumerate(row.get("parts", [])):
        text = text.replace(f"{{{place}}}", "".join(pieces))
    return row | {"text": text}
