"""Conversations with labelled questions: files of LoCoMo, of MemoryBank and of the shape of sets,
and `data/`.

A file of a set is one memory: `{"set", "language", "turns": [{"id", "time", "session", "speaker",
"text", "unit"}], "questions": [{"q", "after", "evidence", "sessions", "kind", "answer",
"absent"}]}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

DATA: Final = Path(__file__).parents[1] / "data"
_TURN = re.compile(r"D\d+:\d+")
_LOCOMO_CATEGORIES: Final = {
    1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"
}  # fmt: skip
_ADVERSARIAL: Final = 5


@dataclass(frozen=True, slots=True)
class Turn:
    """One text of a conversation."""

    id: str
    speaker: str  # empty: not known
    happened: str  # ISO; empty: not known
    session: str
    text: str
    unit: str = ""  # what counts as one where evidence is compared; empty: the turn


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the ids of the turns that answer it; none if nothing does."""

    text: str
    answer: str
    evidence: frozenset[str]
    category: str
    after: int | None = None
    """Place of the turn after which it is asked; None: at the end."""
    sessions: frozenset[str] = frozenset()
    """If not empty, the evidence is these sessions."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The texts of one memory, and questions."""

    dataset: str
    language: str
    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    one_of_many: bool = False  # users who may share a memory


def read(paths: list[str], *, absent: bool = False) -> list[Conversation]:
    """The conversations of JSON files and of folders of them; with no path, the journals of
    `data/`.

    Questions that nothing answers, LoCoMo's category 5 among them, are left out unless `absent`.
    Raises ValueError for a file of another shape, NotThereError.
    """
    if not absent:
        return [
            replace(c, questions=tuple(q for q in c.questions if q.evidence or q.sessions))
            for c in read(paths, absent=True)
        ]
    if not paths:
        return [_journal(language) for language in ("en", "zh")]
    found: list[Conversation] = []
    for path in chain.from_iterable(map(_files, paths)):
        content = json.loads(path.read_text("utf-8"))
        if isinstance(content, list) and content and "conversation" in content[0]:
            found.extend(_locomo(path.stem, item) for item in content)
        elif isinstance(content, dict) and "users" in content:
            found.extend(_memorybank(path.stem, content))
        elif isinstance(content, dict) and "turns" in content:
            found.append(_of_set(path.stem, content))
        else:
            raise ValueError(f"{path}: neither a LoCoMo nor a MemoryBank file, nor one of a set")
    return found


class NotThereError(Exception):
    """There is no file or folder of a path that was given."""


def _files(path: str) -> Sequence[Path]:
    if not Path(path).exists():
        raise NotThereError(path)
    return sorted(Path(path).rglob("*.json")) if Path(path).is_dir() else [Path(path)]


def with_one_memory(conversations: list[Conversation]) -> list[Conversation]:
    """The conversations and, of the users of each MemoryBank file, one more of them all.

    Its turns and sessions carry the user's name in their ids, which no text and no question does.
    """
    found = list(conversations)
    for dataset in dict.fromkeys(c.dataset for c in conversations if c.one_of_many):
        users = [c for c in conversations if c.dataset == dataset]
        turns = tuple(
            replace(t, id=f"{user.name}/{t.id}", session=f"{user.name}/{t.session}")
            for user in users
            for t in user.turns
        )
        questions = tuple(
            replace(q, evidence=frozenset(f"{user.name}/{turn}" for turn in q.evidence))
            for user in users
            for q in user.questions
        )
        name = f"{dataset}-one-memory"
        found.append(Conversation(name, users[0].language, name, turns, questions))
    return found


def _journal(language: str) -> Conversation:
    entries = _lines(DATA / f"journal.{language}.jsonl")
    turns = [Turn(e["id"], e["speaker"], e["date"], e["session"], e["text"]) for e in entries]
    questions = [
        Question(q["question"], q["answer"], frozenset(q["evidence"]), q["kind"])
        for q in _lines(DATA / f"questions.{language}.jsonl")
    ]
    return Conversation("journal", language, f"journal.{language}", tuple(turns), tuple(questions))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _locomo(dataset: str, item: Mapping[str, Any]) -> Conversation:
    talk, turns = item["conversation"], []
    numbers = sorted(int(m[1]) for key in talk if (m := re.fullmatch(r"session_(\d+)", key)))
    for number in numbers:
        session = f"session_{number}"
        when = talk[f"{session}_date_time"] + " +0000"
        moment = datetime.strptime(when, "%I:%M %p on %d %B, %Y %z")
        for turn in talk[session]:
            text = turn.get("text") or ""
            if turn.get("blip_caption"):
                text += f" [image: {turn['blip_caption']}]"
            if text.strip():
                turns.append(
                    Turn(
                        turn["dia_id"],
                        turn["speaker"],
                        moment.isoformat(),
                        session,
                        text,
                    )
                )
    questions = [
        Question(
            q["question"],
            str(q.get("answer", "")),
            frozenset(t for e in q["evidence"] for t in _TURN.findall(e))
            if q["category"] != _ADVERSARIAL
            else frozenset(),
            _LOCOMO_CATEGORIES[q["category"]],
        )
        for q in item["qa"]
        if q["category"] == _ADVERSARIAL or any(_TURN.search(e) for e in q["evidence"])
    ]
    return Conversation(dataset, "en", str(item["sample_id"]), tuple(turns), tuple(questions))


def _memorybank(dataset: str, content: Mapping[str, Any]) -> Iterator[Conversation]:
    for user in content["users"]:
        turns = [
            Turn(t["id"], t["speaker"], f"{t['date']}T00:00:00+00:00", t["date"], t["text"])
            for t in user["turns"]
            if t["text"].strip()
        ]
        questions = [
            Question(q["question"], str(q["answer"]), frozenset(q["evidence"]), q["kind"])
            for q in user["qa"]
        ]
        yield Conversation(
            dataset, content["language"], user["user"], tuple(turns), tuple(questions), True
        )


def _of_set(name: str, content: Mapping[str, Any]) -> Conversation:
    turns = [
        Turn(
            t["id"],
            t["speaker"] or "",
            f"{t['time'][:19]}+00:00" if t["time"] else "",
            t["session"],
            t["text"],
            t.get("unit") or "",
        )
        for t in content["turns"]
    ]
    questions = [
        Question(
            q["q"],
            q["answer"] or "",
            frozenset(q.get("evidence", ())),
            q["kind"],
            q["after"],
            frozenset(q["sessions"]),
        )
        for q in content["questions"]
        if q.get("absent") or q.get("evidence") or q["sessions"]
    ]
    return Conversation(content["set"], content["language"], name, tuple(turns), tuple(questions))
