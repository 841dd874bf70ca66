"""A context: how long it takes, and how much of the evidence of questions is in it.

Latency: notes of made-up words in sessions of fifty, contexts of 8,000 tokens with the newest
session's turns. Evidence: conversations in LoCoMo's format, if files are named; a question is asked
five turns after its last evidence, or when all has been told, and the share of its evidence turns
in `context` is compared with that in the text of `recall` with as many tokens.

Prompts, with `--show 10,100,500`: an agent hears the journals of `data/`, from the beginning again
where they end, is asked their questions in between and answers them; what stands in its prompt of
8,000 tokens at these turns is printed whole, in both languages.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any, Final

import graphmem
from bench.corpora import read
from bench.report import Row

HELP: Final = "memory.context: milliseconds, and evidence of questions against recall"
_BUDGETS: Final = (1000, 8000)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("files", nargs="*", help="conversations in LoCoMo's format")
    parser.add_argument("--notes", type=int, default=20_000, help="notes for the latency")
    parser.add_argument(
        "--show", help="print an agent's prompt at these turns, such as 10,100,500; nothing else"
    )
    parser.add_argument("--questions", type=int, default=40, help="of each conversation")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure, and return the rows."""
    if arguments.show:
        return _prompts(sorted(map(int, arguments.show.split(","))))
    rows = _latency(arguments.notes) if arguments.notes else []
    for name in arguments.files:
        rows += _evidence(Path(name), arguments.questions)
    return rows


def _prompts(shown: list[int]) -> list[Row]:
    rows = []
    for conversation in read([]):
        questions = cycle(conversation.questions)

        def said(conversation: Any = conversation, questions: Any = questions) -> Iterator[Any]:
            for number, turn in enumerate(cycle(conversation.turns), 1):
                yield "user", f"{turn.speaker}: {turn.text}"
                if number % 3 == 0:
                    question = next(questions)
                    yield "user", question.text
                    yield "assistant", question.answer

        with graphmem.open(None, worker="none") as memory:
            working = graphmem.WorkingSet.of(memory, "agent", 8000)
            working.add("system", "You keep the diary of a small firm.")
            for number, (role, text) in enumerate(islice(said(), shown[-1] - 1), 2):
                working.add(role, text)
                if number in shown:
                    print(f"===== {conversation.name}, turn {number}: {working.tokens} tokens")
                    for message in working.messages:
                        print(f"[{message['role']}] {message['content']}")
                    rows.append(
                        Row(
                            "context",
                            conversation.name,
                            f"turn {number}",
                            "tokens of the prompt",
                            working.tokens,
                            "",
                        )
                    )
    return rows


def _latency(notes: int) -> list[Row]:
    random = Random(7)
    words = [f"w{number}" for number in range(3000)]
    with graphmem.open(None, worker="none") as memory:
        texts = (
            {"text": " ".join(random.choices(words, k=14)) + ".", "session": f"s{number // 50}"}
            for number in range(notes)
        )
        memory.remember_many(texts)
        memory.compact()
        times = []
        for _ in range(60):
            cue, session = " ".join(random.choices(words, k=4)), f"s{(notes - 1) // 50}"
            begun = time.process_time()
            memory.context(cue, session=session)
            times.append((time.process_time() - begun) * 1e3)
        named = f"{notes} notes, 8,000 tokens"
        return [Row("context", "made-up words", named, "processor, median", median(times), "ms")]


def _evidence(path: Path, most: int) -> list[Row]:
    shares: dict[tuple[str, int, str], list[float]] = {}
    for conversation in json.loads(path.read_text("utf-8")):
        turns = _turns(conversation["conversation"])
        place = {identifier: number for number, (identifier, *_) in enumerate(turns)}
        asked = []
        for question in conversation["qa"]:
            evidence = [e for e in question.get("evidence", []) if e in place]
            if evidence and question["category"] != 5:
                asked.append((max(place[e] for e in evidence) + 5, question["question"], evidence))
        Random(3).shuffle(asked)
        asked = sorted(asked[:most])
        with graphmem.open(None, worker="none") as memory:
            nodes: dict[str, set[int]] = {}
            for number, (identifier, speaker, text, session) in enumerate(turns):
                made = memory.remember(text, speaker=speaker, session=session)
                nodes[identifier] = {node.id for node in made}
                for when, question, evidence in asked:
                    if when == number:
                        _ask(memory, "5 turns later", question, evidence, nodes, session, shares)
            for _, question, evidence in asked:
                _ask(memory, "at the end", question, evidence, nodes, turns[-1][3], shares)
    return [
        Row(
            "context",
            f"{path.stem}, {when}",
            method,
            f"evidence in {tokens} tokens",
            mean(found),
            "",
        )
        for (when, tokens, method), found in sorted(shares.items())
    ]


def _ask(
    memory: graphmem.Memory, when: str, question: str, evidence: list[str],
    nodes: dict[str, set[int]], session: str, shares: dict[tuple[str, int, str], list[float]],
) -> None:  # fmt: skip
    for tokens in _BUDGETS:
        context = memory.context(question, tokens=tokens, session=session)
        recalled = memory.recall(question, tokens=tokens, limit=50, use=False, cut="none")
        for method, there in (
            ("context", {part.node for part in context.parts}),
            ("recall", set(recalled.included)),
        ):
            share = mean(bool(nodes[e] & there) for e in evidence)
            shares.setdefault((when, tokens, method), []).append(share)


def _turns(conversation: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    found = []
    for key in sorted(
        (k for k, v in conversation.items() if k.startswith("session_") and isinstance(v, list)),
        key=lambda k: int(k.split("_")[1]),
    ):
        found += [(t["dia_id"], t["speaker"], t["text"], key) for t in conversation[key]]
    return found
