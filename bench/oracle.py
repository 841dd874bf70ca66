"""An oracle: what recall gives today, written to a file that a later state is compared with.

`--write FILE` has hits, their order and the text of 300 tokens of every question of `paths` (and of
`data/`) as JSON lines; `--compare FILE` asks again and prints what differs, by set and by example.
The file holds texts of the sets, so it stays outside the repository.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final

from bench import embedded
from bench.report import Row
from bench.sets import chosen
from bench.stream import Stream

HELP: Final = "hits, order and text of all sets, written or compared"
_TOLD: Final = ("hits", "text")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="files or folders; data/ is always asked")
    parser.add_argument("--write", metavar="FILE", help="write what recall gives")
    parser.add_argument("--compare", metavar="FILE", help="print what differs from FILE")
    parser.add_argument("--sample", type=int, default=60, metavar="N", help="N questions a set")
    parser.add_argument("--turns", type=int, metavar="N", help="the first N turns of a memory")
    parser.add_argument("--vectors", action="store_true", help="with vectors")
    parser.add_argument("--show", type=int, default=3, metavar="N", help="N examples a set")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Write or compare. Rows: the share of questions whose hits or text differ, by set."""
    if not arguments.write and not arguments.compare:
        print("oracle: skipped, for it needs --write FILE or --compare FILE", file=sys.stderr)
        return []
    before: dict[str, dict[str, Any]] = {}
    if arguments.compare:
        with Path(arguments.compare).open(encoding="utf-8") as file:
            before = {row["key"]: row for row in map(json.loads, file)}
    counts: dict[tuple[str, str], list[float]] = {}
    lines: list[str] = []
    for row in _asked(arguments):
        lines.append(json.dumps(row, ensure_ascii=False))
        old = before.get(row["key"])
        if old is None:
            continue
        for what in _TOLD:
            counts.setdefault((row["set"], what), []).append(float(row[what] != old[what]))
        is_other = any(row[what] != old[what] for what in _TOLD)
        if is_other and sum(counts[row["set"], "text"]) <= arguments.show:
            _print(old, row)
    if arguments.write:
        Path(arguments.write).write_text("\n".join(lines) + "\n", "utf-8")
    return [
        Row("oracle", dataset, "graphmem", f"{what}_differ", sum(found) / len(found), "share")
        for (dataset, what), found in counts.items()
    ]


def _asked(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    embedder = embedded.embedder() if arguments.vectors else None
    own = chosen([], arguments.sample, None)
    given = chosen(arguments.paths, arguments.sample, arguments.turns) if arguments.paths else []
    for conversation in (*own, *given):
        print(conversation.dataset, conversation.name, file=sys.stderr)
        dataset = f"{conversation.dataset}/{conversation.language}"
        with Stream(conversation, embedder) as stream:
            for question in stream.asking():
                hits = stream.memory.recall(question.text, limit=10, use=False)
                text = stream.memory.recall(question.text, tokens=300, use=False).text
                yield {
                    "set": dataset,
                    "key": f"{dataset}/{conversation.name}/{question.after}/{question.text}",
                    "hits": [hit.id for hit in hits],
                    "text": text,
                }


def _print(old: dict[str, Any], new: dict[str, Any]) -> None:
    print(f"\n[{new['set']}] {new['key'].rpartition('/')[2]}")
    print("hits", old["hits"], "->", new["hits"])
    print(
        "\n".join(unified_diff(old["text"].split("\n"), new["text"].split("\n"), lineterm="", n=0))
    )
