"""Conflicts: labelled pairs of sentences, and what is flagged among conversations."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from itertools import combinations
from typing import Final

from bench.corpora import Conversation, read
from bench.labelled import LANGUAGES, missing, rows
from bench.report import Row
from graphmem_worker.claims import areas, claims, contradiction, strongest
from graphmem_worker.text.sentences import sentences

HELP: Final = "which of two sentences contradict each other, and which do not"
CONFLICTS: Final = frozenset(("version", "preference", "time"))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="only these")
    parser.add_argument(
        "--data", action="append", default=[], metavar="FILE", help="LoCoMo or MemoryBank files"
    )
    parser.add_argument("--misses", action="store_true", help="list every wrong verdict")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Compare every labelled pair; then every sentence of a conversation with every later one."""
    measured = [_flagged(each, verbose=arguments.misses) for each in read([])]
    if arguments.data:
        measured += [_flagged(each, verbose=arguments.misses) for each in read(arguments.data)]
    for language in arguments.language or LANGUAGES:
        labelled = rows("conflicts", language)
        if labelled is None:
            print(missing("conflicts"), file=sys.stderr)
            continue
        confused: Counter[tuple[str, str]] = Counter()
        spent = 0.0
        for row in labelled:
            begun = time.process_time()
            got = contradiction(row["older"], row["newer"]) or "none"
            spent += time.process_time() - begun
            confused[row["label"], got] += 1
            if arguments.misses and (got in CONFLICTS) != (row["label"] in CONFLICTS):
                line = f"{row['id']}: {row['label']}, got {got}: {row['older']} | {row['newer']}"
                print(line, file=sys.stderr)
        true = sum(n for (want, got), n in confused.items() if {want, got} <= CONFLICTS)
        found = sum(n for (_, got), n in confused.items() if got in CONFLICTS)
        there = sum(n for (want, _), n in confused.items() if want in CONFLICTS)
        measured += [
            Row("conflicts", language, "rules", "precision", true / (found or 1), f"of {found}"),
            Row("conflicts", language, "rules", "recall", true / (there or 1), f"of {there}"),
            Row("conflicts", language, "rules", "time a pair", spent / len(labelled) * 1e6, "µs"),
        ]
        measured += [
            Row("conflicts", language, "confusion", f"{want} → {got}", count, "pairs")
            for (want, got), count in sorted(confused.items())
        ]
    return measured


def _flagged(conversation: Conversation, *, verbose: bool) -> Row:
    """Compare every sentence of a conversation with every later one."""
    made = []
    count = 0
    for turn in conversation.turns:
        for sentence in sentences(turn.text):
            count += 1
            if claimed := claims(sentence, speaker=turn.speaker):
                made.append((sentence, claimed))
    flagged = 0
    for (older, a), (newer, b) in combinations(made, 2):
        if older != newer and (found := strongest(a, b, areas(older), areas(newer))):
            flagged += 1
            if verbose:
                print(f"{conversation.name}: {found.kind}: {older} | {newer}", file=sys.stderr)
    name = f"{conversation.dataset} {conversation.name}"
    return Row("conflicts", name, "rules", "flagged", flagged, f"of {count} sentences")
