"""A context: how long it takes, and how much of the evidence of questions is in it.

Latency: notes of made-up words in sessions of fifty, contexts of 8,000 tokens with the newest
session's turns. Evidence: conversations in LoCoMo's format, if files are named; a question is asked
five turns after its last evidence, or at the end, and the share of its evidence turns
in `context` is compared with that in the text of `recall` with as many tokens.

Working set: an agent gets a conversation turn by turn; how much of its prompt is unchanged since
the turn before, and how many of the turns that questions need are in the prompt, whole or as a
sentence, against a window of as many tokens.

Changes: an agent gets the facts of `data/changes`, each value on its day, and the journal between
them. Of the facts whose prompt has an older value: how many lack the one that holds. Of those that
changed: of how many the prompt has the value that holds.

Prompts, with `--show 10,100,500`: an agent gets the journal of `data/` and the household's
messages, each once, by day, and in between questions whose evidence is complete, which it answers.
Its prompt of 8,000 tokens at these turns is printed whole, in both languages.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any, Final, NamedTuple

import graphmem
from bench.corpora import DATA
from bench.report import Row
from graphmem.services.tokens import estimated_tokens
from graphmem.sharing.quoting import quotations

HELP: Final = "memory.context: milliseconds, and evidence of questions against recall"
_BUDGETS: Final = (1000, 8000)
_WORKING: Final = 8000  # tokens of a working set
_TIGHT: Final = 3000  # tokens, in which the digest has room for a part of the turns
_SETTLED: Final = 200  # the turn from which on it is asked for its evidence
_EVERY: Final = 3  # turns after which a question is asked
_TIMELESS: Final = ("single", "paraphrase", "who", "negation", "multi")
_TASK: Final = {
    "en": "You keep the notes of a small firm and of a household, and answer questions about them.",
    "zh": "你替一家小公司和一户人家记事，并回答他们的问题。",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("files", nargs="*", help="conversations in LoCoMo's format")
    parser.add_argument("--notes", type=int, default=20_000, help="notes for the latency")
    parser.add_argument(
        "--show", help="print an agent's prompt at these turns, such as 10,100,500; nothing else"
    )
    parser.add_argument("--questions", type=int, default=40, help="of each conversation; 0: none")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure, and return the rows."""
    if arguments.show:
        return _prompts(sorted(map(int, arguments.show.split(","))))
    rows = _latency(arguments.notes) if arguments.notes else []
    rows += [row for language in _TASK for row in _changes(language)]
    for name in arguments.files:
        rows += _working(Path(name))
        rows += _evidence(Path(name), arguments.questions) if arguments.questions else []
    return rows


class _Message(NamedTuple):
    role: str
    speaker: str
    happened: str | None
    text: str


def _script(language: str) -> Iterator[_Message]:
    """The messages of an agent: the journal and the household's messages, by day. A question comes
    when all its evidence is there, so that no answer gives away later messages."""
    lines = {
        name: [
            json.loads(line) for line in (DATA / f"{name}.{language}.jsonl").open(encoding="utf-8")
        ]
        for name in ("journal", "questions", "answers")
    }
    texts = [
        {**line, "id": f"j{line['id']}", "happened": line["date"]} for line in lines["journal"]
    ]
    texts += [line for line in lines["answers"] if "text" in line and line["happened"]]
    texts.sort(key=lambda line: line["happened"][:10])
    asked = [
        {**line, "evidence": [f"j{e}" for e in line["evidence"]]} for line in lines["questions"]
    ]
    # The others depend on the day on which they are asked.
    asked += [line for line in lines["answers"] if line.get("kind") in _TIMELESS]
    waiting: dict[str, set[str]] = {line["question"]: {*line["evidence"]} for line in asked}
    ready: list[dict[str, Any]] = []
    for number, text in enumerate(texts, 1):
        yield _Message("user", text["speaker"] or "", text["happened"], text["text"])
        for line in asked:
            if text["id"] in (left := waiting[line["question"]]):
                left.discard(text["id"])
                ready += [] if left else [line]
        if ready and number % _EVERY == 0:
            line = ready.pop(0)
            yield _Message("user", "", text["happened"], line["question"])
            yield _Message("assistant", "", text["happened"], line["answer"])


def _changes(language: str) -> list[Row]:
    """Which values of changed facts a prompt has, at each tenth turn from the 200th on."""
    facts, journal = (
        [json.loads(line) for line in (DATA / f"{name}.{language}.jsonl").open(encoding="utf-8")]
        for name in ("changes", "journal")
    )
    entries = [(line["date"][:10], line["speaker"], line["text"], "", 0) for line in journal]
    for fact in facts:
        versions = enumerate(fact["values"])
        entries += [(v["happened"][:10], "", v["text"], fact["id"], place) for place, v in versions]
    values = {fact["id"]: [value["text"] for value in fact["values"]] for fact in facts}
    newest: dict[str, int] = {}
    stale: list[bool] = []
    holding: list[bool] = []
    working = graphmem.WorkingSet(_TIGHT)
    for number, (day, speaker, text, fact, place) in enumerate(sorted(entries), 1):
        working.add("user", text, speaker=speaker, happened=day)
        if fact:
            newest[fact] = place
        if number < _SETTLED or number % 10:
            continue
        prompt = "".join("\n".join(m["content"] for m in working.messages).split())
        for name, last in newest.items():
            there = [_is_in(value, prompt) for value in values[name][: last + 1]]
            if last:
                holding.append(there[-1])
                stale += [not there[-1]] if any(there[:-1]) else []
    name = f"{language}, changes"
    return [
        Row("context", name, "the prompt", "old value without the newest", mean(stale), ""),
        Row("context", name, "the prompt", "value that holds in it", mean(holding), ""),
    ]


def _is_in(text: str, prompt: str) -> bool:
    """Whether a prompt without blanks has a text, or a sentence of it that may be quoted."""
    quotes = [text, *(quote for _, quote in quotations(text))]
    return any("".join(quote.split()) in prompt for quote in quotes)


def _prompts(shown: list[int]) -> list[Row]:
    rows = []
    for language in ("en", "zh"):
        with graphmem.open(None, worker="none") as memory:
            working = graphmem.WorkingSet.of(memory, "agent", _WORKING)
            working.add("system", _TASK[language])
            for number, turn in enumerate(islice(_script(language), shown[-1] - 1), 2):
                working.add(turn.role, turn.text, speaker=turn.speaker, happened=turn.happened)
                if number in shown:
                    print(f"===== {language}, turn {number}: {working.tokens} tokens")
                    for message in working.messages:
                        print(f"<{message['role']}> {message['content']}")
                    name = f"turn {number}"
                    rows.append(
                        Row("context", language, name, "tokens of the prompt", working.tokens, "")
                    )
    return rows


def _working(path: Path) -> list[Row]:
    """How much of a prompt stays from turn to turn, and how much of the evidence so far is in it,
    at each tenth turn from the 200th on."""
    same: list[float] = []
    shares: dict[str, list[float]] = {}
    for conversation in json.loads(path.read_text("utf-8")):
        turns = _turns(conversation["conversation"])
        wanted = {
            evidence
            for question in conversation["qa"]
            for evidence in question.get("evidence", [])
            if question["category"] != 5
        }
        working = graphmem.WorkingSet(_WORKING)
        before = ""
        for number, (_, speaker, text, _) in enumerate(turns, 1):
            working.add("user", text, speaker=speaker)
            prompt = "\n".join(message["content"] for message in working.messages)
            if before:
                pairs = zip(before, prompt, strict=False)
                alike = takewhile(lambda pair: pair[0] == pair[1], pairs)
                same.append(sum(1 for _ in alike) / len(before))
            before = prompt
            if number >= _SETTLED and number % 10 == 0:
                _in_prompt(turns[:number], wanted, prompt, working.tokens, shares)
    name = f"{path.stem}, working set"
    rows = [Row("context", name, f"{_WORKING} tokens", "of the prompt kept", mean(same), "")]
    for method, found in shares.items():
        rows.append(Row("context", name, method, "evidence in it", mean(found), ""))
    return rows


def _in_prompt(
    turns: list[tuple[str, str, str, str]], wanted: set[str], prompt: str, tokens: int,
    shares: dict[str, list[float]],
) -> None:  # fmt: skip
    """Add the shares of the wanted turns so far that are in a prompt, whole or as a sentence, and
    in windows of as many tokens."""
    squeezed = "".join(prompt.split())
    asked = [text for identifier, _, text, _ in turns if identifier in wanted]
    there = [_is_in(text, squeezed) for text in asked]
    shares.setdefault("the prompt", []).append(mean(there))
    for name, room in (("a window of its size", tokens), (f"a window of {_WORKING}", _WORKING)):
        window = set()
        for _, speaker, text, _ in reversed(turns):
            room -= estimated_tokens(f"[{speaker}] {text}\n")
            if room < 0:
                break
            window.add(text)
        shares.setdefault(name, []).append(mean(text in window for text in asked))


def _latency(notes: int) -> list[Row]:
    random = Random(7)
    words = [f"w{number}" for number in range(3000)]
    with graphmem.open(None, worker="none") as memory:
        texts = (
            {"text": " ".join(random.choices(words, k=14)) + ".", "session": f"s{number // 50}"}
            for number in range(notes)
        )
        memory.remember_many(texts)
        memory.admin.compact()
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
