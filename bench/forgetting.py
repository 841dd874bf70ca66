"""Forgetting: which way of throwing things away keeps the answers?

Every turn is remembered in order; an even-numbered question is asked, and its best hit counted as
used, once its last evidence has been remembered. Then the memory shrinks to a share of its text and
the odd-numbered questions are asked. The simple ways keep the same share of the turns' text and
remember only that. Figures are relative to the full memory.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import graphmem
from bench.corpora import Conversation, Question, Turn, read
from bench.report import Row
from graphmem_worker.sentences import sentences
from graphmem_worker.words import words

HELP: Final = "answers kept after shrinking, beside simple ways to throw away"
SHARES: Final = (0.50, 0.25, 0.10)
_BUDGETS: Final = (1000, 300)

Cut = Callable[[Sequence[Turn], float, dict[str, int]], list[Turn]]
Found = dict[str, list[float]]  # metric → a share for each odd-numbered question


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="LoCoMo or MemoryBank files; none: data/")
    parser.add_argument("--method", action="append", choices=("graphmem", *CUTS), help="only these")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure every method over every file."""
    try:
        conversations = read(arguments.paths)
    except FileNotFoundError as error:
        print(f"skipped: {error.filename} is not there", file=sys.stderr)
        return []
    chosen = arguments.method or ["graphmem", *CUTS]
    kept: defaultdict[tuple[str, str, str], list[tuple[float, float]]] = defaultdict(list)
    invented = 0
    for conversation in conversations:
        print(conversation.name, file=sys.stderr)
        dataset = f"{conversation.dataset}/{conversation.language}"
        life = _live(conversation, conversation.turns, ask=True)
        with life.memory:
            full = _ask(life, conversation)
            asked = {"graphmem": _shrunk(life, conversation)} if "graphmem" in chosen else {}
            invented += _invented(life, conversation)
        for method in chosen:
            if method != "graphmem":
                asked[method] = [
                    _cut(conversation, CUTS[method], share, life.uses) for share in SHARES
                ]
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
    return rows


def _ratio(parts: Sequence[tuple[float, float]]) -> float:
    return sum(kept for kept, _ in parts) / max(1e-9, sum(full for _, full in parts))


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
    life.memory.enrich()
    return life


def _shrunk(life: _Life, conversation: Conversation) -> list[Found]:
    """What is found after shrinking to each share, one after the other."""
    whole = life.memory.stats()["text_bytes"]
    found: list[Found] = []
    for share in SHARES:
        life.memory.shrink(int(whole * share))
        found.append(_ask(life, conversation))
    return found


def _invented(life: _Life, conversation: Conversation) -> int:
    """Words in any form, kept or archived, that are not in the turn it came from."""
    source = {turn.id: turn.text for turn in conversation.turns}
    count = 0
    for node, turn in life.turn_of.items():
        try:
            versions = life.memory.history(node)
        except graphmem.GraphMemError:
            continue  # the archive does not reach back to it
        for version in versions:
            form = version.node
            parts = (*form.sentences, form.phrase, *form.keywords)
            pieces = {piece for part in parts for piece in part.split()}
            count += sum(piece not in source[turn] for piece in pieces)
    return count


def _ask(life: _Life, conversation: Conversation) -> Found:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for question in conversation.questions[1::2]:
        gold = set(words(question.answer))
        for budget in _BUDGETS:
            recalled = life.memory.recall(question.text, tokens=budget, use=False)
            if gold:
                name = "answer_kept" if budget == _BUDGETS[0] else f"answer_kept_{budget}t"
                found[name].append(len(gold & set(words(recalled.text))) / len(gold))
            if budget == _BUDGETS[0]:
                met = {life.turn_of.get(n) for n in recalled.included}
                met |= {life.turn_of.get(stone.id) for stone in recalled.dangling}
                hit = len(question.evidence & met) / len(question.evidence)
                found["evidence_kept"].append(hit)
    return dict(found)


# -- the simple ways ---------------------------------------------------------------------------


def _cut(conversation: Conversation, cut: Cut, share: float, uses: dict[str, int]) -> Found:
    kept = cut(conversation.turns, share, uses)
    life = _live(conversation, [turn for turn in kept if turn.text.strip()], ask=False)
    with life.memory:
        return _ask(life, conversation)


def _size(turns: Iterable[Turn]) -> int:
    return sum(len(turn.text.encode()) for turn in turns)


def _filled(turns: Sequence[Turn], share: float, order: Iterable[int]) -> list[Turn]:
    """Turns in `order` until `share` of the text is used up, then in their own order again."""
    left = int(_size(turns) * share)
    chosen: set[int] = set()
    for place in order:
        need = _size(turns[place : place + 1])
        if need > left:
            break
        left -= need
        chosen.add(place)
    return [turn for place, turn in enumerate(turns) if place in chosen]


def _drop_oldest(turns: Sequence[Turn], share: float, uses: dict[str, int]) -> list[Turn]:
    return _filled(turns, share, range(len(turns) - 1, -1, -1))


def _drop_random(turns: Sequence[Turn], share: float, uses: dict[str, int]) -> list[Turn]:
    return _filled(turns, share, Random(0).sample(range(len(turns)), len(turns)))


def _drop_unused(turns: Sequence[Turn], share: float, uses: dict[str, int]) -> list[Turn]:
    def last_use(place: int) -> int:
        return max(place, uses.get(turns[place].id, -1))

    return _filled(turns, share, sorted(range(len(turns)), key=last_use, reverse=True))


def _first_words(turns: Sequence[Turn], share: float, uses: dict[str, int]) -> list[Turn]:
    return [replace(turn, text=turn.text[: int(len(turn.text) * share)]) for turn in turns]


def _sentences_by(
    turns: Sequence[Turn], share: float, key: Callable[[int, str], float]
) -> list[Turn]:
    """The sentences with the largest `key(place in turn, sentence)` that fit, in their order."""
    units = [
        (t, s, text) for t, turn in enumerate(turns) for s, text in enumerate(sentences(turn.text))
    ]
    left = int(_size(turns) * share)
    chosen: set[tuple[int, int]] = set()
    for t, s, text in sorted(units, key=lambda unit: key(unit[1], unit[2]), reverse=True):
        if len(text.encode()) <= left:
            left -= len(text.encode())
            chosen.add((t, s))
    kept = defaultdict(list)
    for t, s, text in units:
        if (t, s) in chosen:
            kept[t].append(text)
    return [replace(turn, text="".join(kept[t])) for t, turn in enumerate(turns)]


def _lead(turns: Sequence[Turn], share: float, uses: dict[str, int]) -> list[Turn]:
    return _sentences_by(turns, share, lambda place, text: -place)


def _longest(turns: Sequence[Turn], share: float, uses: dict[str, int]) -> list[Turn]:
    return _sentences_by(turns, share, lambda place, text: len(text))


CUTS: Final[dict[str, Cut]] = {
    "drop-oldest": _drop_oldest,
    "drop-random": _drop_random,
    "least-recently-used": _drop_unused,
    "first-words": _first_words,
    "lead-sentences": _lead,
    "longest-sentences": _longest,
}
