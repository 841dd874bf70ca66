"""Gate: what it refuses and what it lets pass, on 240 lies and 240 faithful texts.

`data/gate.{en,zh}.jsonl`, written by hand: a source, what might be written of it, whether that is
faithful, and of what kind; `split` says whether the gate's rules had seen it. Beside
the gate stands what a plain look at the words would do: pass what uses no word, number or negation
that the source lacks.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from bench.report import Row
from graphmem_worker.gate.judge import Verdict, judge
from graphmem_worker.gate.reading import read
from graphmem_worker.text.sentences import sentences

HELP: Final = "the gate before what a model writes: lies caught, faithful texts passed"
LANGUAGES: Final = ("en", "zh")
_DATA: Final = Path(__file__).parents[1] / "data"


@dataclass(frozen=True, slots=True)
class Case:
    """A source and what might be written of it."""

    id: str
    split: str  # tuned: seen as the rules were made; held-out: its misses were read; fresh
    faithful: bool
    kind: str
    source: str
    speaker: str | None
    written: str


def cases(language: str) -> list[Case]:
    """The set of one language."""
    lines = (_DATA / f"gate.{language}.jsonl").read_text("utf-8").splitlines()
    return [Case(**json.loads(line)) for line in lines]


def verdict(case: Case) -> Verdict:
    """What the gate says, without vectors."""
    return judge(case.source, case.written, speaker=case.speaker)


def plain(case: Case) -> bool:
    """Whether a look at the single words would let it pass."""
    known = {t.text for sentence in sentences(case.source) for t in read(sentence)}
    known |= {t.text for t in read(case.speaker or "")}
    words = {t.text for t in read(case.written)}
    return bool(words) and words <= known and len(case.written) <= len(case.source)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="only these")
    parser.add_argument("--misses", action="store_true", help="list every wrong verdict")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Judge the whole set."""
    rows: list[Row] = []
    for language in arguments.language or LANGUAGES:
        right: Counter[tuple[str, str, str]] = Counter()
        total: Counter[tuple[str, str]] = Counter()
        spent: list[float] = []
        for case in cases(language):
            begun = time.perf_counter()
            found = verdict(case)
            spent.append(time.perf_counter() - begun)
            what = "faithful passed" if case.faithful else "lies caught"
            for name in (case.split, case.kind, "all"):
                total[what, name] += 1
                right[what, name, "gate"] += found.passed == case.faithful
                right[what, name, "words alone"] += plain(case) == case.faithful
            if arguments.misses and found.passed != case.faithful:
                _print_miss(case, found)
        for (what, name), count in sorted(total.items()):
            for method in ("gate", "words alone"):
                value = right[what, name, method]
                rows.append(Row("gate", f"{language}/{name}", method, what, value, f"of {count}"))
        rows.append(Row("gate", language, "gate", "p50", 1000 * median(spent), "ms"))
    return rows


def _print_miss(case: Case, found: Verdict) -> None:
    what = "refused" if case.faithful else "PASSED"
    reasons = f" ({', '.join(found.reasons)})" if found.reasons else ""
    print(f"{case.id} {case.kind}: {what}{reasons}", file=sys.stderr)
    print(f"  source:  {case.source}\n  written: {case.written}", file=sys.stderr)
