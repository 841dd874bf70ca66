"""Sessions as documents: a wrong number would give each hit the words of another conversation."""

from __future__ import annotations

from collections import Counter
from math import log
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import graphmem
from graphmem.api.opening import rooms
from graphmem.index.words.postings import Postings
from graphmem.recalling.sessions import Column, Sessions, scores

NAMES = st.lists(st.sampled_from(("a", "b", "c", None)), min_size=1, max_size=12)


@given(NAMES)
def test_nodes_have_one_number_if_and_only_if_they_are_of_one_session(
    names: list[str | None],
) -> None:
    """Those without a session are each one of their own, and later sessions have higher numbers."""
    with graphmem.open(worker="none") as memory:
        sessions, session_of = Sessions(), {}
        for place, name in enumerate(names):
            node = memory.remember(f"Boat {place}.", session=name)[0].id
            session_of[node] = name or f"alone {place}"
            if place % 3 == 0:  # read in parts as well as at once
                with rooms(memory).reading() as view:
                    sessions.at(view)
        with rooms(memory).reading() as view:
            parts, whole = sessions.at(view), Sessions().at(view)
    assert parts.numbers.tolist() == whole.numbers.tolist()
    numbers = {node: int(whole.numbers[node]) for node in session_of}
    for node, number in numbers.items():
        of_it = [other for other in numbers if session_of[other] == session_of[node]]
        assert [other for other in numbers if numbers[other] == number] == of_it
        assert whole.sizes[number] == len(of_it)
    firsts = [numbers[node] for node in sorted(numbers)]
    assert [n for place, n in enumerate(firsts) if n not in firsts[:place]] == sorted(set(firsts))


def test_a_folder_that_is_opened_again_has_the_same_sessions(tmp_path: Path) -> None:
    """Many nodes are read from the index of sessions instead of their texts."""
    one_by_one = Sessions()
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        for begun in range(0, 600, 200):
            memory.remember_many(
                {"text": f"Note {number}.", "session": f"s{number // 7}" if number % 5 else None}
                for number in range(begun, begun + 200)
            )
            with rooms(memory).reading() as view:
                told = one_by_one.at(view).numbers.tolist()
    with graphmem.open(tmp_path / "m", worker="none") as memory, rooms(memory).reading() as view:
        assert Sessions().at(view).numbers.tolist() == told


def test_a_session_that_matches_as_a_whole_lifts_its_notes() -> None:
    """Half of a question's words stood in one note and half in another, and a note of another
    session that had one word more came first."""
    with graphmem.open(worker="none") as memory:
        memory.remember("The harbour is closed on Monday.", session="boat")
        memory.remember("The boat has a new engine.", session="boat")
        memory.remember("The boat is repaired there.", session="boat")
        for number in range(6):
            memory.remember(f"Lunch was late, day {number}.", session=f"day {number}")
        hits = memory.recall("Is the boat at the harbour on Monday?", use=False, cut="none")
    of_boat = [hit.parts["session"] for hit in hits if hit.node.session == "boat"]
    others = [hit.parts["session"] for hit in hits if hit.node.session != "boat"]
    assert of_boat
    assert min(of_boat) > max(others, default=0.0)


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5),
    words=st.lists(
        st.tuples(st.floats(0.1, 2), st.dictionaries(st.integers(0, 19), st.integers(1, 9))),
        min_size=1,
        max_size=3,
    ),
    wanted=st.sets(st.integers(0, 19), max_size=6),
)
def test_a_session_is_scored_as_one_document(
    sizes: list[int], words: list[tuple[float, dict[int, int]]], wanted: set[int]
) -> None:
    """k₁ 1.2, b 0.75, of a length in nodes, each word with its weight."""
    session_of = [number for number, size in enumerate(sizes) for _ in range(size)]
    asked = sorted(node for node in wanted if node < len(session_of))
    total = dict.fromkeys((session_of[node] for node in asked), 0.0)
    found = []
    for weight, told in words:
        times = {node: told[node] for node in sorted(told) if node < len(session_of)}
        nodes = np.array(list(times), np.uint64)
        found.append(
            (
                weight,
                Postings(nodes, nodes.astype(np.uint16), np.array([*times.values()], np.uint8)),
            )
        )
        held: Counter[int] = Counter()
        for node, often in times.items():
            held[session_of[node]] += often
        rarity = weight * log(1 + (len(sizes) - len(held) + 0.5) / (len(held) + 0.5))
        for session in total:
            long = sizes[session] * len(sizes) / len(session_of)
            often = held[session]
            total[session] += rarity * often / (often + 1.2 * (0.25 + 0.75 * long))
    best = max(total.values(), default=0.0) or 1.0
    column = Column(np.array(session_of, np.int32), np.array(sizes, float))
    assert scores(found, column, np.array(asked, np.uint64)).tolist() == pytest.approx(
        [total[session_of[node]] / best for node in asked]
    )
