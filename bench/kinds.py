"""Kinds by words alone of the sentences of a writer on whose texts nothing was fitted, and the time
that a sentence takes. `bench heads --vectors` judges kinds with vectors."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from typing import Final

from bench.labelled import LANGUAGES, missing, rows
from bench.report import Row
from graphmem_worker.kinds import Kind, kind, lasts

HELP: Final = "what kind of memory a sentence is: realm, confidence, temporality"
_ROUNDS: Final = 10
FIELDS: Final = ("realm", "confidence", "temporality")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="only these")
    parser.add_argument("--misses", action="store_true", help="list every wrong judgement")


def judged(found: Kind) -> tuple[str, str, str]:
    """The three judgements as the labels spell them."""
    return found.realm, found.level, found.temporality


def run(arguments: argparse.Namespace) -> list[Row]:
    """Judge the whole set; the confusion table is shown as `wanted → got`."""
    measured: list[Row] = []
    for language in arguments.language or LANGUAGES:
        labelled = rows("kinds", language)
        if labelled is None:
            print(missing("kinds"), file=sys.stderr)
            continue
        right: Counter[str] = Counter()
        passing: defaultdict[str, list[bool]] = defaultdict(list)
        confused: Counter[tuple[str, str, str]] = Counter()
        for row in labelled:
            wanted = (row.get("realm") or row["scope"], row["confidence"], row["temporality"])
            got = judged(kind(row["text"]))
            stands = wanted[2] in ("permanent", "long")
            passing["lasting" if stands else wanted[2]].append(lasts([row["text"]]) != "long")
            for field, want, have in zip(FIELDS, wanted, got, strict=True):
                right[field] += want == have
                confused[field, want, have] += 1
            if arguments.misses and wanted != got:
                print(f"{row['id']}: {row['text']}\n    {wanted} → {got}", file=sys.stderr)
        texts = [row["text"] for row in labelled]
        begun = time.process_time()
        for _ in range(_ROUNDS):
            for text in texts:
                kind(text)
        spent = (time.process_time() - begun) / _ROUNDS / len(texts)
        of = f"of {len(labelled)}"
        measured += [
            Row("kinds", language, "words", f, right[f] / len(labelled), of) for f in FIELDS
        ]
        measured += [
            Row("kinds", language, want, "removable", sum(these) / len(these), f"of {len(these)}")
            for want, these in sorted(passing.items())
        ]
        measured += [
            Row("kinds", language, field, f"{want} → {got}", count, "sentences")
            for (field, want, got), count in sorted(confused.items())
        ]
        measured.append(Row("kinds", language, "words", "time a sentence", spent * 1e6, "µs"))
    return measured
