"""Compression of knowledge: entries saved, and answers that are still in what is left.

The facts are the first turns of each conversation that say something (as `quoting.quotations`
tells). An answer is kept if the sentences of the evidence in which it stands are in the entries as
far as they were in the facts: its words are looked for in the entry of the evidence turn.
"""

from __future__ import annotations

import argparse
import re
import time
from typing import Final

import graphmem
from bench.corpora import Conversation, read
from bench.report import Row
from graphmem.sharing.quoting import quotations
from graphmem_worker.text.words import words

HELP: Final = "compress: entries saved, answers kept, on facts of conversations"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("files", nargs="*", help="conversations of LoCoMo or MemoryBank")
    parser.add_argument("--facts", type=int, default=1000, help="of each conversation, at most")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure, and return the rows."""
    rows: list[Row] = []
    for conversation in read(arguments.files) if arguments.files else []:
        rows += _rows(conversation, arguments.facts)
    return rows


def _rows(conversation: Conversation, most: int) -> list[Row]:
    facts = [(turn.id, quote) for turn in conversation.turns for _, quote in quotations(turn.text)][
        :most
    ]
    begun = time.process_time()
    entries = graphmem.compress(facts)
    seconds = time.process_time() - begun
    before: dict[str, str] = {}
    for source, text in facts:
        before[source] = f"{before.get(source, '')} {text}"
    after: dict[str, str] = {}
    for entry in entries:
        for source in {*map(str, entry.sources)}:
            after[source] = f"{after.get(source, '')} {entry.text}"
    asked = kept = 0
    for question in conversation.questions:
        wanted = set(words(re.sub(r"\s+", " ", str(question.answer or ""))))
        old = set(words(" ".join(before.get(source, "") for source in question.evidence)))
        if not wanted or not wanted <= old:
            continue
        asked += 1
        new = set(words(" ".join(after.get(source, "") for source in question.evidence)))
        kept += wanted <= new
    name = f"{len(facts)} facts"
    saved = 1 - len(entries) / max(1, len(facts))
    rows = [
        Row("compression", conversation.name, name, "entries saved", 100 * saved, "%"),
        Row("compression", conversation.name, name, "seconds", seconds, "s"),
    ]
    if asked:
        share = Row("compression", conversation.name, f"{asked} answers", "kept", kept / asked, "")
        rows.append(share)
    return rows
