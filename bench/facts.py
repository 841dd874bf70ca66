"""The fact extractor of a working set on labelled sentences: how many facts are found, how many of
those that it gives are wrong.

A fact is found if a quotation of its kind overlaps it by half of the shorter of the two. A
quotation is wrong if no labelled fact of the sentence overlaps it, of whatever kind. Of sentences
as people say them to each other only whether they hold a decision is asked.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bench.heads import JUDGES
from bench.report import Row
from graphmem_worker.facts import decides, facts

HELP: Final = "facts taken out of sentences: found and wrong ones, by kind and language"
_DATA: Final = Path(__file__).parents[1] / "data"
_KINDS: Final = ("decision", "number", "reason", "name", "question")
_IN_TURNS: Final = ("decision", "reason", "question")
"""The kinds that are labelled in `turns`."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--misses", action="store_true", help="print what is missed and wrong")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure, and return the rows."""
    made: list[Row] = []
    for language in ("en", "zh"):
        text = (_DATA / f"facts.{language}.jsonl").read_text("utf-8")
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        made += _rows("facts", language, lines, _KINDS, arguments.misses)
        made += _decisions(language, arguments.misses)
        made += of_judges(language)
        text = (_DATA / f"turns.{language}.jsonl").read_text("utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        made += _rows("turns", language, lines, _IN_TURNS, arguments.misses)
    return made


def of_judges(language: str) -> list[Row]:
    """Precision and recall of decisions and reasons in texts by writers to whom nothing was
    fitted."""
    rows = []
    paths = [_DATA / f"writers/{writer}/reasons.{language}.jsonl" for writer in JUDGES]
    for path in filter(Path.exists, paths):
        writer, text = path.parent.name, path.read_text("utf-8")
        labelled = [json.loads(line) for line in text.splitlines() if line.strip()]
        kinds = [{fact.kind for fact in facts(row["text"])} for row in labelled]
        for kind in ("decision", "reason"):
            called = [kind in found for found in kinds]
            right = sum(row[kind] for row, is_so in zip(labelled, called, strict=True) if is_so)
            wanted = sum(row[kind] for row in labelled)
            method = f"{kind}, by {writer}, of {wanted}"
            for name, of in (("precision", sum(called)), ("recall", wanted)):
                rows.append(Row("facts", language, method, name, right / max(1, of), ""))
    return rows


def _decisions(language: str, shown: bool) -> list[Row]:
    """Decisions as people say them to each other, by the round in which they were written."""
    text = (_DATA / f"decisions.{language}.jsonl").read_text("utf-8")
    rounds: dict[int, list[tuple[bool, bool]]] = {}
    for row in map(json.loads, text.splitlines()):
        found = decides(row["text"])
        rounds.setdefault(row["round"], []).append((row["decision"], found))
        if shown and found is not row["decision"]:
            print("wrong" if found else "missed", repr(row["text"]))
    rows = []
    for number, pairs in sorted(rounds.items()):
        for name, wanted in (("found", True), ("wrong", False)):
            given = [found for decision, found in pairs if decision is wanted]
            method = f"said to each other, round {number}, of {len(given)}"
            rows.append(Row("facts", language, method, name, sum(given) / len(given), ""))
    return rows


def _rows(
    dataset: str, language: str, lines: list[dict[str, Any]], kinds: Sequence[str], shown: bool
) -> list[Row]:
    found = dict.fromkeys(kinds, 0)
    wanted = dict.fromkeys(kinds, 0)
    given = dict.fromkeys(kinds, 0)
    wrong = dict.fromkeys(kinds, 0)
    for line in lines:
        text = line["text"]
        quoted = [(fact.kind, fact.start, fact.end) for fact in facts(text) if fact.kind in kinds]
        labelled = []
        for fact in line["facts"]:
            start = text.index(fact["quote"])
            labelled.append((fact["kind"], start, start + len(fact["quote"])))
        for fact in labelled:
            wanted[fact[0]] += 1
            hit = any(q[0] == fact[0] and _overlaps(q, fact) for q in quoted)
            found[fact[0]] += hit
            if shown and not hit:
                print("missed", fact[0], repr(text[fact[1] : fact[2]]), "in", repr(text))
        for kind, start, end in quoted:
            given[kind] += 1
            bad = not any(_overlaps((kind, start, end), fact) for fact in labelled)
            wrong[kind] += bad
            if shown and bad:
                print("wrong", kind, repr(text[start:end]), "in", repr(text))
    rows = []
    for kind in kinds:
        share = found[kind] / max(1, wanted[kind])
        bad = wrong[kind] / max(1, given[kind])
        rows.append(Row(dataset, language, f"{kind}, of {wanted[kind]}", "found", share, ""))
        rows.append(Row(dataset, language, f"{kind}, of {given[kind]}", "wrong", bad, ""))
    return rows


def _overlaps(a: tuple[str, int, int], b: tuple[str, int, int]) -> bool:
    common = min(a[2], b[2]) - max(a[1], b[1])
    return 2 * common >= min(a[2] - a[1], b[2] - b[1])
