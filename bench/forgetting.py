"""Forgetting: which way of throwing things away keeps the answers?

Every turn is remembered in order; an even-numbered question is asked, and its best hit counted as
used, once its last evidence has been remembered. Then the memory shrinks to a share of its text and
the odd-numbered questions are asked. The simple ways keep the same share of the turns' text and
remember only that; so do the ways that rank sentences by salience alone. Figures are relative to
the full memory. What is asked is what the memory still has, so recall fills the room it is given
(`cut="none"`); `answer_kept_cut` is the same under recall's own cut, which leaves room empty and so
shows less of what is kept beside the best hit.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from random import Random
from typing import TYPE_CHECKING, Final

import graphmem
from bench.corpora import Conversation, Question, Turn, read
from bench.drawing import COLOURS, chart
from bench.report import Row
from graphmem.api.opening import rooms
from graphmem.graph.records import density
from graphmem.services import models
from graphmem.settings import Settings
from graphmem_worker.backends.llama import Llama
from graphmem_worker.text.phrase import phrase
from graphmem_worker.text.rarity import Rarity
from graphmem_worker.text.salience import salience
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HELP: Final = "answers kept after shrinking, beside simple ways to throw away"
SHARES: Final = (0.50, 0.25, 0.10)
_BUDGETS: Final = (1000, 300)
_WORD: Final = re.compile(r"\w+")

Cut = Callable[[float], list[Turn]]  # what is left of the turns at a share of their text
Way = Callable[["Source"], Cut]
Found = dict[str, list[float]]  # metric → a share for each odd-numbered question


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="LoCoMo or MemoryBank files; none: data/")
    parser.add_argument(
        "--method", action="append", choices=("graphmem", *WAYS, *MODEL_WAYS), help="only these"
    )
    parser.add_argument(
        "--model", action="store_true", help="also salience by the local model: a second a sentence"
    )
    parser.add_argument(
        "--turns", type=int, help="the first so many turns of each, and what they answer"
    )
    parser.add_argument("--forms", type=int, metavar="N", help="print N gists of each, no more")
    parser.add_argument("--svg", metavar="FILE", help="draw the answers kept into FILE")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every method over every file."""
    conversations = read(arguments.paths)
    if arguments.turns is not None:
        conversations = [_first(arguments.turns, whole) for whole in conversations]
    if getattr(arguments, "forms", None):
        for conversation in conversations:
            _print_forms(conversation, arguments.forms)
        return []
    ways = WAYS | MODEL_WAYS
    chosen = arguments.method or ["graphmem", *(ways if arguments.model else WAYS)]
    kept: defaultdict[tuple[str, str, str], list[tuple[float, float]]] = defaultdict(list)
    invented = 0
    for conversation in conversations:
        dataset = f"{conversation.dataset}/{conversation.language}"
        life = _live(conversation, conversation.turns, ask=True)
        with life.memory:
            full = _ask(life, conversation)
            rarity = rooms(life.memory).words.rarity
            source = Source(conversation.turns, life.uses, rarity)
            cuts = {name: ways[name](source) for name in chosen if name != "graphmem"}
            asked = {"graphmem": _shrunk(life, conversation)} if "graphmem" in chosen else {}
            invented += _invented(life, conversation)
        for method in chosen:
            print(f"{conversation.name}: {method}", file=sys.stderr)
            if method != "graphmem":
                asked[method] = [_cut(conversation, cuts[method](share)) for share in SHARES]
            for share, found in zip(SHARES, asked[method], strict=True):
                for metric, values in found.items():
                    parts = kept[dataset, method, f"{metric}@{share:.2f}"]
                    parts.append((sum(values), sum(full[metric])))
    rows = [
        Row("forgetting", dataset, method, metric, _ratio(parts), "share of full")
        for (dataset, method, metric), parts in kept.items()
    ]
    if "graphmem" in chosen:
        rows.append(Row("forgetting", "all", "graphmem", "invented_words", invented, "words"))
    if arguments.svg is not None:
        draw(rows, arguments.svg)
    return rows


def _first(count: int, whole: Conversation) -> Conversation:
    """The first `count` turns of a conversation, with the questions that they answer."""
    turns = whole.turns[:count]
    known = {turn.id for turn in turns}
    questions = tuple(question for question in whole.questions if question.evidence <= known)
    return replace(whole, turns=turns, questions=questions)


def _ratio(parts: Sequence[tuple[float, float]]) -> float:
    return sum(kept for kept, _ in parts) / max(1e-9, sum(full for _, full in parts))


# -- what is left of a text ----------------------------------------------------------------------


def _print_forms(conversation: Conversation, count: int) -> None:
    """Print gists without their sources first, for somebody who has not read these; the sources
    follow under the same numbers."""
    found: dict[str, str] = {}
    for turn in conversation.turns:
        for sentence in sentences(turn.text):
            whole = sentence.strip()
            if (left := phrase(whole)) != whole:
                found.setdefault(left, whole)
    chosen = Random(0).sample(sorted(found), min(count, len(found)))
    print(f"--- {conversation.name}: gist")
    for number, form in enumerate(chosen, 1):
        print(f"{number:3} {form}")
    print("--- of")
    for number, form in enumerate(chosen, 1):
        print(f"{number:3} {' '.join(found[form].split())}")


# -- the memory --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Life:
    memory: graphmem.Memory
    turn_of: dict[int, str]
    uses: dict[str, int]  # turn → when it was last used, in turns


def _live(conversation: Conversation, turns: Sequence[Turn], *, ask: bool) -> _Life:
    """Remember turns in order, asking the even-numbered questions as their evidence arrives."""
    life = _Life(graphmem.open(None, worker="none", random=Random(0)), {}, {})
    last: dict[str, int] = {turn.id: place for place, turn in enumerate(conversation.turns)}
    due: defaultdict[int, list[Question]] = defaultdict(list)
    for question in conversation.questions[::2]:
        due[max(last[t] for t in question.evidence if t in last)].append(question)
    for turn in turns:
        nodes = life.memory.remember(
            turn.text, speaker=turn.speaker, happened=turn.happened, session=turn.session
        )
        life.turn_of |= {node.id: turn.id for node in nodes}
        for question in due[last[turn.id]] if ask else ():
            found = life.memory.recall(question.text, use=False)
            if found:
                life.memory.used(found[0])
                life.uses[life.turn_of[found[0].id]] = last[turn.id]
    life.memory.admin.enrich()
    return life


def _shrunk(life: _Life, conversation: Conversation) -> list[Found]:
    """What is found after shrinking to each share, one after the other."""
    whole = life.memory.admin.stats()["text_bytes"]
    found: list[Found] = []
    for share in SHARES:
        life.memory.admin.shrink(int(whole * share))
        found.append(_ask(life, conversation))
    return found


def _invented(life: _Life, conversation: Conversation) -> int:
    """Words in any form, kept or archived, that are not in the turn it came from."""
    source = {turn.id: turn.text for turn in conversation.turns}
    count = 0
    for node, turn in life.turn_of.items():
        try:
            versions = life.memory.history.of(node)
        except graphmem.GraphMemError:
            continue  # the archive does not reach back to it
        for version in versions:
            form = version.node
            parts = (*form.sentences, form.phrase, *form.keywords)
            pieces = {piece for part in parts for piece in _WORD.findall(part)}
            count += sum(piece not in source[turn] for piece in pieces)
    return count


def _ask(life: _Life, conversation: Conversation) -> Found:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for question in conversation.questions[1::2]:
        gold = set(words(question.answer))
        for budget in _BUDGETS:
            recalled = life.memory.recall(question.text, tokens=budget, use=False, cut="none")
            if gold:
                name = "answer_kept" if budget == _BUDGETS[0] else f"answer_kept_{budget}t"
                found[name].append(len(gold & set(words(recalled.text))) / len(gold))
            if budget == _BUDGETS[0]:
                met = {life.turn_of.get(n) for n in recalled.included}
                met |= {life.turn_of.get(stone.id) for stone in recalled.dangling}
                hit = len(question.evidence & met) / len(question.evidence)
                found["evidence_kept"].append(hit)
        if gold:
            cut = life.memory.recall(question.text, tokens=_BUDGETS[0], use=False)
            found["answer_kept_cut"].append(len(gold & set(words(cut.text))) / len(gold))
    return dict(found)


def _cut(conversation: Conversation, left: Sequence[Turn]) -> Found:
    """What is found in a memory of only what is left."""
    life = _live(conversation, [turn for turn in left if turn.text.strip()], ask=False)
    with life.memory:
        return _ask(life, conversation)


# -- the simple ways ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """What a simple way may look at."""

    turns: tuple[Turn, ...]
    uses: Mapping[str, int]  # turn → when it was last used, in turns
    rarity: Rarity  # of index words in the full memory


def _size(turns: Iterable[Turn]) -> int:
    return sum(len(turn.text.encode()) for turn in turns)


def _drop(order: Callable[[Source], Iterable[int]]) -> Way:
    """Whole turns in the order of their places, until the share is used up."""

    def way(source: Source) -> Cut:
        places = list(order(source))

        def cut(share: float) -> list[Turn]:
            left = int(_size(source.turns) * share)
            chosen: set[int] = set()
            for place in places:
                left -= _size(source.turns[place : place + 1])
                if left < 0:
                    break
                chosen.add(place)
            return [turn for place, turn in enumerate(source.turns) if place in chosen]

        return cut

    return way


def _least_recent(source: Source) -> list[int]:
    def last_use(place: int) -> int:
        return max(place, source.uses.get(source.turns[place].id, -1))

    return sorted(range(len(source.turns)), key=last_use, reverse=True)


def _first_words(source: Source) -> Cut:
    return lambda share: [
        replace(turn, text=turn.text[: int(len(turn.text) * share)]) for turn in source.turns
    ]


Score = Callable[[Sequence[str], Source], Sequence[float]]  # of the sentences of a turn


def _sentences(score: Score) -> Way:
    """The sentences with the highest scores that fit, in their own order."""

    def way(source: Source) -> Cut:
        units: list[tuple[float, int, int, str]] = []
        for place, turn in enumerate(source.turns):
            parts = sentences(turn.text)
            scores = score(parts, source)
            units += [
                (-s, place, k, part) for k, (s, part) in enumerate(zip(scores, parts, strict=True))
            ]
        units.sort(key=lambda unit: unit[0])

        def cut(share: float) -> list[Turn]:
            left = int(_size(source.turns) * share)
            kept: defaultdict[int, dict[int, str]] = defaultdict(dict)
            for _, place, k, part in units:
                if (need := len(part.encode())) <= left:
                    left -= need
                    kept[place][k] = part
            return [
                replace(turn, text="".join(kept[place][k] for k in sorted(kept[place])))
                for place, turn in enumerate(source.turns)
            ]

        return cut

    return way


def _by_rules(parts: Sequence[str], source: Source) -> list[float]:
    return [density(salience(part, source.rarity), part) for part in parts]


@cache
def _model() -> Llama:
    return Llama({"model": str(models.find(Settings.read({}).model))})


def _by_model(parts: Sequence[str], source: Source) -> list[float]:
    return list(map(density, _model().information(parts), parts))


def _by_blend(parts: Sequence[str], source: Source) -> list[float]:
    rarity = {word: source.rarity(word) for part in parts for word in words(part)}
    found = _model().score({"sentences": list(parts), "rarity": rarity}, inf)["salience"]
    return list(map(density, found, parts))


WAYS: Final[dict[str, Way]] = {
    "drop-oldest": _drop(lambda source: range(len(source.turns) - 1, -1, -1)),
    "drop-random": _drop(lambda s: Random(0).sample(range(len(s.turns)), len(s.turns))),
    "least-recently-used": _drop(_least_recent),
    "first-words": _first_words,
    "lead-sentences": _sentences(lambda parts, source: range(0, -len(parts), -1)),
    "longest-sentences": _sentences(lambda parts, source: list(map(len, parts))),
    "salience-rules": _sentences(_by_rules),
}
"""Simple ways to throw away, and the salience of sentences alone: no links, no use, no gists."""

MODEL_WAYS: Final[dict[str, Way]] = {
    "salience-model": _sentences(_by_model),
    "salience-blend": _sentences(_by_blend),
}
"""Those that need the local model, about a second a sentence."""


# -- drawing -----------------------------------------------------------------------------------


def draw(rows: Sequence[Row], path: str) -> None:
    """Draw the answers kept against the share of the text kept, one panel for each dataset."""
    kept: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row.metric.startswith("answer_kept@"):
            kept.setdefault(row.dataset, {}).setdefault(row.method, []).append(row.value)
    with chart(path, 1, len(kept), (4.8 * len(kept) + 1.6, 4.8)) as axes:
        for axis, (dataset, methods) in zip(axes, kept.items(), strict=True):
            _draw_dataset(axis, dataset, methods)


def _draw_dataset(axis: Axes, dataset: str, methods: Mapping[str, Sequence[float]]) -> None:
    sizes = [100, *(100 * share for share in SHARES)]
    least = 100.0
    labels: list[tuple[float, str, str]] = []
    for place, (method, values) in enumerate(methods.items()):
        colour = COLOURS[place % len(COLOURS)]
        dash = "-" if place < len(COLOURS) else "--"
        points = [100.0, *(100 * value for value in values)]
        width = 2.6 if method == "graphmem" else 1.4
        axis.plot(sizes, points, dash, color=colour, linewidth=width, marker="o", markersize=3)
        labels.append((points[-1], method, colour))
        least = min(least, *points)
    # The names stand at the ends of their lines, pushed apart where these meet.
    height, step = -inf, (105 - least) / 22
    for value, method, colour in sorted(labels):
        height = max(value, height + step)
        axis.text(
            sizes[-1] - 2,
            height,
            f"{method} {value:.0f}",
            color=colour,
            va="center",
            weight="bold" if method == "graphmem" else "normal",
        )
    axis.set(
        title=f"{dataset}: words of the answers kept",
        xlabel="share of the text kept, %",
        ylabel="within 1,000 tokens, % of the full memory",
        xlim=(103, -38),
        ylim=(least - 5, 103),
        xticks=sizes,
    )
