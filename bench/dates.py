"""Dates and periods by a writer who has not seen the tables: which are parsed correctly?

A row is right if the text names exactly its days, or none where it names none; "recently" and its
like name none. A day or month of any year is right in the year of the row. Rows are counted by
language, by role and by how long their period is.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from bench.report import Row
from graphmem_worker.language.calendar import mentions
from graphmem_worker.language.period import Period

HELP: Final = "dates and periods in texts by another writer, read rightly"
_FOLDER: Final = Path(__file__).parents[1] / "data" / "writers" / "F"
_LANGUAGES: Final = ("en", "zh", "de")
_LENGTHS: Final = (("a day", 1), ("days to a week", 10), ("a month", 31), ("longer", 10**7))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--folder", type=Path, default=_FOLDER, help="of dates.LANGUAGE.jsonl")
    parser.add_argument("--misses", action="store_true", help="list what was read wrongly")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure each language that has a file."""
    measured: list[Row] = []
    for language in _LANGUAGES:
        path = arguments.folder / f"dates.{language}.jsonl"
        if path.is_file():
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            measured += _measured(language, rows, verbose=arguments.misses)
    return measured


def _measured(language: str, rows: list[dict[str, Any]], *, verbose: bool) -> list[Row]:
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for row in rows:
        today = datetime.fromisoformat(row["said"]).date()
        read = [mention for mention in mentions(row["text"], today) if not mention.is_vague]
        wanted = _wanted(row, today)
        exact = [mention for mention in read if _is(mention.period, wanted)]
        is_right = not read if wanted is None else len(read) == len(exact) == 1
        for name in ("all", row["role"], _length(wanted)):
            right[name].append(is_right)
        if verbose and not is_right:
            shown = ", ".join(f"{m.period.first} {m.period.last}" for m in read)
            print(f"{row['text']!r}: {shown}, not {row['from']} {row['to']}", file=sys.stderr)
    return [
        Row("dates", language, name, "exactly", sum(values) / len(values), f"of {len(values)}")
        for name, values in sorted(right.items())
    ]


def _wanted(row: dict[str, Any], today: date) -> Period | None:
    if row["from"] is None and row["to"] is None:
        return None
    first = date.fromisoformat(row["from"]) if row["from"] else date.min
    last = today if first <= today else date.max  # what has begun lasts up to now
    return Period(first, date.fromisoformat(row["to"]) if row["to"] else last)


def _length(wanted: Period | None) -> str:
    if wanted is None:
        return "none"
    return next(name for name, most in _LENGTHS if wanted.length <= most)


def _is(read: Period, wanted: Period | None) -> bool:
    if wanted is None or not read.yearly:
        return read == wanted
    begun = read.first.month, read.first.day
    return begun == (wanted.first.month, wanted.first.day) and _ends(read, wanted)


def _ends(read: Period, wanted: Period) -> bool:
    same = (read.last.month, read.last.day) == (wanted.last.month, wanted.last.day)
    leap = (read.last.month, read.last.day) == (2, 29) and wanted.last.month == 2
    return same or (leap and wanted.last.day == 28)
