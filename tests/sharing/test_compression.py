"""A knowledge base that grows for ever is not read; one that is compressed must not invent."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphmem
from graphmem.errors import ArgumentTypeError, InvalidArgumentError

NEAR = [
    "The audit of the bridge is late.",
    "The bridge audit is two weeks late.",
    "The audit of the bridge costs 42,000 euros.",
    "桥梁审计推迟了两个星期。",
    "桥梁审计推迟到五月十日。",
    "桥梁审计推迟了，因为李雪病了。",
]
OTHERS = [f"Room {n} has a {colour} door." for n, colour in enumerate(("red", "blue"))]


def numbered(texts: list[str]) -> list[tuple[int, str]]:
    return list(enumerate(texts))


def test_near_facts_become_one_entry_with_its_sources() -> None:
    entries = graphmem.compress(numbered(NEAR + OTHERS), threshold=5, similarity=0.4)
    assert [entry.sources for entry in entries] == [(0, 1, 2), (3, 4, 5), (6,), (7,)]
    english, chinese = entries[0].text, entries[1].text
    assert "42,000" in english
    assert "two weeks" in english
    assert "李雪" in chinese
    assert "五月十日" in chinese
    found = entries[0].fidelity
    assert found is not None
    assert list(found.fields()) == [
        "fidelity_embedding_similarity", "fidelity_keyword_retention", "fidelity_composite_score",
        "fidelity_passed", "fidelity_lost_keywords",
    ]  # fmt: skip
    score = 0.6 * found.fidelity_embedding_similarity + 0.4 * found.fidelity_keyword_retention
    assert found.fidelity_composite_score == pytest.approx(score)
    with graphmem.open(None, worker="none") as memory:
        (item,) = memory.items.put_many(
            [{"namespace": "f", "key": "0", "value": english, "metadata": found.fields()}]
        )
        assert item.metadata["fidelity_passed"] is True


def test_what_loses_too_much_stays_as_it_was() -> None:
    entries = graphmem.compress(numbered(NEAR), threshold=5, similarity=0.5, fidelity=1.01)
    assert [entry.text for entry in entries] == NEAR
    assert all(entry.fidelity is None for entry in entries)
    alone = graphmem.compress(numbered(NEAR), threshold=len(NEAR), similarity=0.4)
    assert [entry.text for entry in alone] == NEAR, "up to the threshold"
    fewer = graphmem.compress(numbered(NEAR), threshold=0, similarity=0.5, least=4)
    assert [entry.text for entry in fewer] == NEAR


def test_an_entry_says_nothing_twice_and_has_a_length() -> None:
    said = "Wen moored the barge Aurelia at pier 12."
    again = ("At pier 12, the pier", "The pier is pier 12", "Wen at pier 12")
    twice = [f"{said} {more}: Wen moored the barge, the barge Aurelia." for more in again]
    entry, *_ = graphmem.compress(numbered(twice + OTHERS), threshold=0, similarity=0.3)
    assert (entry.text, entry.sources) == (said, (0, 1, 2))
    long = [
        f"{said} " + " ".join(f"Crate {n} of row {row} holds {n * row} tools." for n in range(20))
        for row in range(3)
    ]
    entry, *_ = graphmem.compress(
        numbered(long + OTHERS), threshold=0, similarity=0.3, fidelity=0.0
    )
    assert entry.sources == (0, 1, 2)
    assert 500 < len(entry.text) <= 600


def test_vectors_are_asked_if_there_are_any() -> None:
    """What means the same in other words is near only there."""
    texts = [f"{word} number {n}." for n in range(30) for word in ("Cat",)] + [
        "Ship.",
        "Boat.",
        "Ferry.",
    ]

    def embed(given: list[str]) -> list[list[float]]:
        return [
            [0.0, 0.0, 1.0] if re.search("Ship|Boat|Ferry", text) else [1.0, len(text) % 7, 0.0]
            for text in given
        ]

    entries = graphmem.compress(numbered(texts), threshold=0, similarity=0.4, embed=embed)  # type: ignore[arg-type]
    assert (30, 31, 32) in [entry.sources for entry in entries]


@settings(max_examples=settings().max_examples // 2)
@given(
    st.lists(
        st.tuples(st.sampled_from(["Wen", "Iris", "李雪"]), st.integers(0, 99)),
        min_size=1,
        max_size=25,
    )
)
def test_no_word_is_of_nobody_and_no_fact_is_lost(said: list[tuple[str, int]]) -> None:
    facts = [
        (n, f"{who} paid {much} euros. {who} 付了{much}元。") for n, (who, much) in enumerate(said)
    ]
    entries = graphmem.compress(facts, threshold=2, similarity=0.4)
    assert sorted(s for entry in entries for s in entry.sources) == list(range(len(facts)))
    texts = dict(facts)
    for entry in entries:
        whole = " ".join(texts[int(source)] for source in entry.sources)
        for mark in re.findall(r"\d+|Wen|Iris|李雪", entry.text):
            assert mark in whole


def test_what_makes_no_sense_is_refused() -> None:
    for wrong in ({"similarity": -1}, {"fidelity": 11}, {"least": 1}, {"threshold": -1}):
        with pytest.raises(InvalidArgumentError):
            graphmem.compress([], **wrong)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError):
        graphmem.compress(["text"])  # type: ignore[list-item]
