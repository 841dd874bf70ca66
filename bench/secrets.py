"""Secrets in everyday prose and in notes of projects: the guard on the texts of writers who have
not seen it, and the fit of its tagger.

A writer's texts are judged by a tagger that was fitted without a quarter of the writers, of the
ordinary talk, of notes that were written for other ends and of the project's own texts; the least
sum at which few enough of them are cut in vain becomes zero. What a rule of prose finds is doubted
below a mean that few of the secrets have that rules find. With `--write` it is fitted to all
writers but those of `JUDGES`. A secret counts as found if four fifths of its characters are cut;
the guard's rules count beside the tagger.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, product, zip_longest
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bench import heads, labelled
from bench.corpora import read
from bench.heads import DATA, of_writers
from bench.report import Row
from graphmem_worker.guard import guard, labels, tagger
from graphmem_worker.guard.names import has_secret_name
from graphmem_worker.language.heads import FOLDER, packed
from graphmem_worker.language.sayings import folded

if TYPE_CHECKING:
    from numpy.typing import NDArray

HELP: Final = "secrets in everyday prose, and the fit of the guard's tagger, each writer left out"
LANGUAGES: Final = ("en", "zh", "de")
JUDGES: Final = ("L", "AF", "AJ", "AS", "BV", "BX", "CE")
"""Writers whose texts are only judged."""
OTHER_JUDGES: Final = frozenset((*heads.JUDGES, "A", "B"))
NOTES: Final = {
    "pairs": ("first", "second"),
    "limits": ("first", "second"),
    "particular": ("text",),
    "reasons": ("text",),
    "kinds": ("text",),
}
"""Files of writers that are no secrets, and the fields of their notes."""
FALSE: Final = 0.029  # of what only looks like a secret
ALARMS: Final = 0.0045  # of ordinary texts, and of notes
DOUBTED: Final = 0.01  # of the secrets that rules find beside a name
_DIVIDED: Final = ("talk", "docs", "notes", "own")  # whose parts are left out one by one
_FILLED: Final = 12  # values of a gap
_REPEATED: Final = 4  # times that a sentence without a gap is used
_PARTS: Final = 4  # of ordinary talk and the like, of which each is left out in turn
_LONGEST: Final = 600  # characters of an ordinary text
_WORDS: Final = 5  # words of a paragraph at least
_PENALTY: Final = 0.1
_WORTH: Final = 3.0  # of a secret word against any other
_STEP: Final = 0.1
_ROUNDS: Final = 12
_BATCH: Final = 256
_FINENESS: Final = 16  # of a weight against the greatest of its role: 8 cuts ten times as much talk


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the spans of its secrets."""

    text: str
    writer: str
    language: str
    spans: tuple[tuple[int, int], ...] = ()


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="conversations, as ordinary talk")
    parser.add_argument("--fit", action="store_true", help="fit and judge, each writer left out")
    parser.add_argument("--sample", type=int, default=150, help="texts of a conversation")
    parser.add_argument("--write", action="store_true", help="fit, and write the weights")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Judge the guard; fit its tagger."""
    texts = [text for folder in _folders() for text in _written(folder)]
    if not (arguments.fit or arguments.write):
        cuts = [[(cut.start, cut.end) for cut in guard(text.text).cut] for text in texts]
        return _judged("guard", texts, cuts)
    ordinary = [*_documents(), *_notes(), *_talk(arguments.paths, arguments.sample)]
    return _fitted([*texts, *_own(), *_frames(texts), *ordinary], arguments)


# --- texts ---------------------------------------------------------------------------------------


def _folders() -> list[str]:
    return sorted({path.parent.name for path in DATA.glob("writers/*/secrets.??.jsonl")})


def _own() -> Iterator[Text]:
    """The project's texts: tokens, settings and talk about secrets as well as prose."""
    for language in labelled.LANGUAGES:
        for row in labelled.rows("secrets", language) or ():
            if row["kind"] != "pii":
                spans = tuple((start, end) for start, end in row["spans"])
                yield Text(row["text"], f"own{len(row['text']) % _PARTS}", language, spans)


def _frames(texts: Sequence[Text]) -> Iterator[Text]:
    """Plain sentences of the project: with a gap, which writers' secrets of one word fill, or as
    they are."""
    chance = random.Random(1)
    values = sorted(
        {
            text.text[start:end]
            for text in texts
            if text.writer not in JUDGES
            for start, end in text.spans
            if tagger.is_value(text.text[start:end])
            and len(tagger.tokens(text.text[start:end])) == 1
        }
    )
    lines = (DATA / "frames.jsonl").read_text("utf-8").splitlines()
    for number, row in enumerate(map(json.loads, lines)):
        pieces = row["text"].split("{}")
        for _ in range(_FILLED if len(pieces) > 1 else _REPEATED):
            chosen = chance.sample(values, len(pieces) - 1)
            text = "".join(chain(*zip_longest(pieces, chosen, fillvalue="")))
            spans = [(text.index(secret), text.index(secret) + len(secret))
                     for secret in (*chosen, *row.get("secret", ()))]  # fmt: skip
            yield Text(text, f"own{number % _PARTS}", "en", tuple(spans))


def _documents() -> Iterator[Text]:
    """The project's documents, but what may be an example of a secret."""
    for number, path in enumerate(
        sorted([*DATA.parent.glob("*.md"), *DATA.parent.glob("docs/*.md")])
    ):
        for each in path.read_text("utf-8").split("\n\n"):
            if len(each.split()) >= _WORDS and not [*labels.labelled(each, folded(each))]:
                language = "zh" if ".zh." in path.name else "en"
                yield Text(each[:_LONGEST], f"docs{number % _PARTS}", language)


def _notes() -> Iterator[Text]:
    """Texts that writers wrote for other ends, without those that may announce a secret."""
    for name, fields in NOTES.items():
        for row in of_writers(name):
            if row["writer"] in OTHER_JUDGES:
                continue
            for field in fields:
                if not has_secret_name(folded(row[field])):
                    part = len(row[field]) % _PARTS
                    yield Text(row[field], f"notes{part}", row["lang"])


def _written(writer: str) -> Iterator[Text]:
    for language in LANGUAGES:
        path = DATA / "writers" / writer / f"secrets.{language}.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.exists() else ()
        for row in map(json.loads, lines):
            text = row["text"]
            spans = [(text.index(each), text.index(each) + len(each)) for each in row["secret"]]
            yield Text(text, writer, language, tuple(spans))


def _talk(paths: Sequence[str], sample: int) -> Iterator[Text]:
    for number, conversation in enumerate((*read([]), *(read(list(paths)) if paths else ()))):
        step = max(1, len(conversation.turns) // sample)
        for turn in conversation.turns[::step]:
            yield Text(turn.text[:_LONGEST], f"talk{number % _PARTS}", conversation.language)


# --- judging -------------------------------------------------------------------------------------


def _judged(
    method: str, texts: Sequence[Text], cuts: Sequence[Sequence[tuple[int, int]]]
) -> list[Row]:
    rows = []
    pairs = [*zip(texts, cuts, strict=True)]
    for writer, language in product(sorted({text.writer for text in texts}), LANGUAGES):
        mine = [p for p in pairs if p[0].writer == writer and p[0].language == language]
        found = [_covered(span, cut) for text, cut in mine for span in text.spans]
        vain = [bool(cut) for text, cut in mine if not text.spans]
        for metric, values in (("found", found), ("cut in vain", vain)):
            if values:
                share = float(np.mean(values))
                name = f"{language}, {metric}"
                rows.append(Row("secrets", writer, method, name, share, f"of {len(values)}"))
    return rows


def _covered(span: tuple[int, int], cuts: Sequence[tuple[int, int]]) -> bool:
    start, end = span
    found = {at for a, b in cuts for at in range(max(a, start), min(b, end))}
    return len(found) >= 0.8 * (end - start)


# --- fitting -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Words:
    """The words of all texts that may be secret: their texts, spans, and whether they are."""

    rows: NDArray[np.int64]
    """Of each of `buckets`, in their order."""
    buckets: NDArray[np.int64]
    count: int  # of buckets
    text: NDArray[np.int64]
    spans: list[tuple[int, int]]
    wanted: NDArray[np.bool_]


def _words(texts: Sequence[Text]) -> _Words:
    rows, found, of, spans, wanted = [], [], [], [], []
    size = 1 << tagger.BITS
    for number, text in enumerate(texts):
        words = tagger.tokens(text.text)
        if not words:
            continue
        parts = [tagger.buckets(*form) for form in zip(*tagger.forms(words), strict=True)]
        parts += [[], [tagger.END], [tagger.BEGIN]]
        places, columns = tagger.roles([tagger.kind(word[0]) for word in words])
        says = [tagger.NAMED] if has_secret_name(folded(text.text)) else []
        for place, word in enumerate(words):
            if not tagger.is_value(word[0]):
                continue
            looked = zip(places[place].tolist(), columns[place].tolist(), strict=True)
            each = [column * size + bucket for at, column in looked for bucket in parts[at]]
            each += [columns[place, own] * size + b for own in tagger.OWN for b in says]
            rows.append(np.full(len(each), len(of)))
            found.append(np.array(each))
            of.append(number)
            spans.append(word.span())
            begin, end = word.span()
            wanted.append(any(a < end and begin < b for a, b in text.spans))
    return _Words(
        np.concatenate(rows), np.concatenate(found), tagger.COLUMNS * size, np.array(of), spans,
        np.array(wanted),
    )  # fmt: skip


def _sums(words: _Words, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.bincount(words.rows, weights[words.buckets], len(words.wanted))
    return np.asarray(found + weights[-1])


def _fit(words: _Words, taught: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The weights of a logistic regression, the bias last, by steps that adapt to each weight
    (AdaGrad; Duchi, Hazan, Singer 2011): where most weights are of rare parts, a tenth of the time
    that a method for all at once takes."""
    begins = np.searchsorted(words.rows, np.arange(len(words.wanted) + 1))
    rows = np.flatnonzero(taught)
    worth = np.where(words.wanted, _WORTH, 1.0)
    weights, squares = np.zeros(words.count + 1), np.full(words.count + 1, 1e-2)
    chance = np.random.default_rng(1)
    for _ in range(_ROUNDS):
        chance.shuffle(rows)
        for batch in np.array_split(rows, len(rows) // _BATCH):
            sizes = begins[batch + 1] - begins[batch]
            first = np.repeat(begins[batch] - np.cumsum(sizes) + sizes, sizes)
            buckets = words.buckets[first + np.arange(sizes.sum())]
            of = np.repeat(np.arange(len(batch)), sizes)
            score = np.bincount(of, weights[buckets], len(batch)) + weights[-1]
            rest = worth[batch] * (1 / (1 + np.exp(-np.clip(score, -60, 60))) - words.wanted[batch])
            slope = np.bincount(buckets, rest[of], words.count + 1)
            slope[-1] = rest.sum()
            slope[:-1] += _PENALTY * len(batch) / len(rows) * weights[:-1]
            squares += slope**2
            weights -= _STEP * slope / np.sqrt(squares)
    return weights


def _fitted(texts: Sequence[Text], arguments: argparse.Namespace) -> list[Row]:
    words = _words(texts)
    writers = np.array([text.writer for text in texts])
    people = sorted({w for w in writers if not w.startswith(_DIVIDED)} - set(JUDGES))
    of = writers[words.text]
    taught = ~np.isin(of, JUDGES)
    sums = np.full(len(of), -np.inf)
    for place in range(_PARTS):
        out = np.isin(of, [*people[place::_PARTS], *(f"{name}{place}" for name in _DIVIDED)])
        sums[out] = _sums(words, _fit(words, taught & ~out))[out]
    final = _fit(words, taught)
    sums[~taught] = _sums(words, final)[~taught]
    most = np.full(len(texts), -np.inf)
    np.maximum.at(most, words.text, sums)
    is_talk = np.char.startswith(writers, "talk")
    is_note = np.char.startswith(writers, "notes")
    is_own = np.char.startswith(writers, "own")  # repeated
    alike = (
        ~is_talk
        & ~is_note
        & ~is_own
        & ~np.isin(writers, JUDGES)
        & np.array([not text.spans for text in texts])
    )
    bounds = [(most[alike], FALSE), (most[is_talk], ALARMS), (most[is_note], ALARMS)]
    zero = max(float(np.quantile(m, 1 - share)) for m, share in bounds if len(m))
    doubt = float(np.quantile(_of_rules(texts, words, sums - zero), DOUBTED))
    cuts: list[list[tuple[int, int]]] = [[] for _ in texts]
    for text, span, total in zip(words.text, words.spans, sums, strict=True):
        if total >= zero:
            cuts[text].append(span)
    joined = [tagger.joined(text.text, cut) for text, cut in zip(texts, cuts, strict=True)]
    rows = _judged("tagger", texts, joined)
    if is_talk.any():
        share = float(np.mean(most[is_talk] >= zero))
        rows.append(Row("secrets", "talk", "tagger", "cut in vain", share, f"of {is_talk.sum()}"))
    if arguments.write:
        _write(final, zero, doubt, rows, writers, arguments.sample)
    return rows


def _of_rules(texts: Sequence[Text], words: _Words, sums: NDArray[np.float64]) -> list[float]:
    """Of each secret that a rule finds beside a name, in a text to learn from: the mean of its
    words, if the tagger may doubt it."""
    means = []
    first = np.searchsorted(words.text, np.arange(len(texts) + 1))
    for number, text in enumerate(texts):
        is_taught = text.spans and text.writer not in JUDGES
        found = labels.labelled(text.text, folded(text.text)) if is_taught else ()
        for _, *span in found:
            scored = [
                (text.text[slice(*words.spans[place])], float(sums[place]))
                for place in range(first[number], first[number + 1])
                if _overlap(words.spans[place], span)
            ]
            mean = tagger.likelihood(scored)
            if mean is not None and any(_overlap(span, secret) for secret in text.spans):
                means.append(mean)
    return means


def _overlap(one: Sequence[int], other: Sequence[int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _write(
    weights: NDArray[np.float64], zero: float, doubt: float, rows: Sequence[Row],
    writers: NDArray[Any], sample: int,
) -> None:  # fmt: skip
    table = weights[:-1].reshape(tagger.COLUMNS, -1)
    unit = np.abs(table).max(axis=1) / _FINENESS
    unit[unit == 0] = 1.0
    about = {
        "command": f"python -m bench secrets PATHS --sample {sample} --write",
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
        "data": {w: int((writers == w).sum()) for w in sorted({*writers} - set(JUDGES))},
        "figures": {f"{row.dataset}, {row.metric}": round(row.value, 4) for row in rows},
    }
    np.savez_compressed(
        FOLDER / "secrets.npz",
        weights=packed(np.round(table / unit[:, None]).astype(np.int8)),
        unit=unit.astype(np.float32),
        bias=np.float32(weights[-1] - zero),
        doubt=np.float32(doubt),
        made=np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), np.uint8),
    )
