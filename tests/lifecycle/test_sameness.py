"""The same in other words is found by vectors, and what contradicts is never taken for it.

"Logs are kept for 90 days" is as near to "we keep logs for 30 days" as a paraphrase is; a cleaner
that takes one for the other deletes the newer rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import graphmem
from graphmem.api.opening import rooms
from graphmem.graph.records import TextRecord
from graphmem.lifecycle import sameness
from graphmem.lifecycle.sameness import are_equivalent
from tests.embedders import Hashed

SHUT = ("The shop is closed on Mondays.", "On Mondays the shop stays shut.")
LOGS = ("We keep logs for 30 days.", "Logs are kept for 90 days.")


class Paraphrased(Hashed):
    """Of the pairs above, both sentences point the same way."""

    def embed(self, texts: Sequence[str], kind: str) -> Any:
        first = {text: pair[0] for pair in (SHUT, LOGS) for text in pair}
        return super().embed([first.get(text, text) for text in texts], kind)


def test_paraphrases_are_redundant_and_contradictions_are_not() -> None:
    with graphmem.open(None, worker="none", embedder=Paraphrased(dimensions=64)) as memory:
        memory.remember_many(
            f"Note {number} tells of subject{number} and place{number * 7}." for number in range(40)
        )
        older, newer = (memory.remember(text)[0] for text in SHUT)
        memory.remember_many(text for text in LOGS)
        memory.admin.enrich()
        (found,) = memory.review.candidates("redundant")
        assert (found.node, found.other) == (older.id, newer.id)
        assert "in other words" in found.reason
        memory.pin(older)
        (found,) = memory.review.candidates("redundant")
        assert (found.node, found.other) == (newer.id, older.id)
        memory.forget(newer)
        assert memory.review.candidates("redundant") == []


class Held:
    """The vectors of nodes, on a scale on which a cosine is a similarity."""

    def __init__(self) -> None:
        self.rows: dict[int, NDArray[np.float32]] = {}
        self.slots: dict[int, int] = {}

    def put(self, node: int, direction: float) -> None:
        self.rows[node] = np.array([np.cos(direction), np.sin(direction)], np.float32)
        self.slots[node] = max(self.slots.values(), default=-1) + 1

    def __len__(self) -> int:
        return len(self.rows)

    def hold(self) -> Held:
        return self

    def vectors(self, nodes: Sequence[int]) -> NDArray[np.float32]:
        return np.array([self.rows[node] for node in nodes])

    def centred(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        return rows

    def cosine(self, similarity: float) -> float:
        return 0.99


@given(
    st.lists(
        st.tuples(st.sampled_from(["put", "go", "look"]), st.integers(1, 9), st.integers(0, 9)),
        max_size=40,
    )
)
def test_each_is_compared_with_all_others_once_though_a_look_is_short(
    steps: list[tuple[str, int, int]],
) -> None:
    """Of a large memory the redundant ones at its end, or those that changed, were never found."""
    held, there, said = Held(), set[int](), record("The shop is shut.")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_NEW", 2), ("_BLOCK", 3), ("_MOST", 20), ("_FEWEST", 2)):
            patch.setattr(sameness, name, value)
        same = sameness.Sameness(held, lambda rows: held)  # type: ignore[arg-type]
        for act, node, direction in [*steps, ("settle", 0, 0)]:
            if act == "put":
                held.put(node, direction / 9)
                there.add(node)
            elif act == "go":
                there.discard(node)
            kept: Any = dict.fromkeys(there)
            found = set(same.pairs(kept, lambda node: said)) if act != "put" else set()
            for _ in range(9 if act == "settle" else 0):
                found = set(same.pairs(kept, lambda node: said))
            near = {
                (a, b)
                for a, b in combinations(sorted(there), 2)
                if float(held.rows[a] @ held.rows[b]) >= 0.99
            }
            assert found <= near
        assert found == near


def test_without_vectors_only_the_same_words_count() -> None:
    with graphmem.open(None, worker="none") as memory:
        for text in SHUT:
            memory.remember(text)
        assert memory.review.candidates("redundant") == []


def record(
    text: str, speaker: str | None = None, happened: int | None = None, hours: int = 0
) -> TextRecord:
    when = None if happened is None else ((24 * happened + hours) * 3_600_000_000, 0)
    return TextRecord((text,), (1.0,), text, (), speaker, when)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (record(SHUT[0]), record(SHUT[1]), True),
        (record("小店周一歇业。"), record("周一小店关门。"), True),
        (record(LOGS[0]), record(LOGS[1]), False),
        (record("小店周一歇业。"), record("小店周二歇业。"), False),
        (record("The shop is closed on Mondays."), record("The shop is closed on Fridays."), False),
        (record("I eat meat."), record("I do not eat meat."), False),
        (record("我吃肉。"), record("我不吃肉。"), False),
        (record("The door is open."), record("Is the door open?"), False),
        (record("I like tea.", "Ada"), record("Tea is what I like.", "Ben"), False),
        (record("Went running.", happened=3), record("I ran.", happened=3), True),
        (record("Went running.", happened=3), record("I ran.", happened=5), False),
        (record("Went running.", happened=3), record("I ran.", happened=3, hours=23), True),
        (record("Went running.", happened=3, hours=1), record("I ran.", happened=4), True),
        (record("Went running.", happened=3), record("I ran.", happened=4), False),
        (record("Wen lives in Lyon."), record("Wen moved to Oslo."), False),
        (record("Wen isst kein Fleisch."), record("Wen isst Fleisch."), False),
        (record("Der Kurs ist um drei."), record("Der Kurs ist um vier."), False),
        (record("Am Montag ist zu."), record("Montags ist geschlossen."), True),
        (record("My left knee is swollen."), record("My right knee is swollen."), False),
        (record("豆豆左腿肿了。"), record("豆豆右腿肿了。"), False),
        (record("Der rote Schlauch ist dicht."), record("Der blaue Schlauch ist dicht."), False),
        (record("他对虾过敏。"), record("他对蟹过敏。"), False),
        (record("药放在上层。"), record("药放在下层。"), False),
        (record("The shed opens with key A."), record("The shed opens with key B."), False),
        (record("Wir parken in Halle A."), record("Wir parken in Halle B."), False),
        (record("A号钥匙开车库。"), record("B号钥匙开车库。"), False),
    ],
)
def test_what_may_stand_for_each_other(one: TextRecord, other: TextRecord, same: bool) -> None:
    """Of two German texts that differed by "kein" one was listed as the same in other words."""
    assert are_equivalent(one, other) is same


def test_vectors_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory of ten thousand is compared once, not at every look."""
    with graphmem.open(None, worker="none", embedder=Hashed(dimensions=64)) as memory:
        for number in range(40):
            memory.remember(f"Note {number} tells of subject{number} and place{number * 7}.")
        memory.admin.enrich()
        memory.review.candidates("redundant")
        asked: list[int] = []
        held = rooms(memory).vectors.hold()
        assert held is not None
        plain = held.vectors
        monkeypatch.setattr(held, "vectors", lambda n: (asked.append(len(n)), plain(n))[1])
        memory.review.candidates("redundant")
        assert asked == []
        memory.remember("A new note on subject99.")
        memory.admin.enrich()
        memory.review.candidates("redundant")
        assert min(asked) == 1
