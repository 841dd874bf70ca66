"""A clause torn out of its sentence may say the opposite of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text.clauses import atoms, is_open
from graphmem_worker.text.phrase import clause, phrase
from graphmem_worker.text.selection import shorten

PARTS = st.lists(
    st.sampled_from(
        [
            "Wen moved the release, ", "but nobody knew it; ", "if it rains, ", "she paid 1,200 euros, ",
            "unless Tom objects, ", "apples, ", "and pears. ", "because (a, b) 1,000 — ", "not before 3 May 2026, ",
            "我们去了北京的老房子，", "但是没有人，", "如果下雨，", "苹果、", "电池扛不住高温，", "他五月十日回来。", " , ",
        ]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@given(st.one_of(PARTS, st.text(max_size=200)))
def test_atoms_are_the_sentence(sentence: str) -> None:
    assert "".join(atoms(sentence)) == sentence


@given(st.one_of(PARTS, st.text(max_size=200)), st.integers(4, 60))
def test_a_clause_is_a_span_that_ends_somewhere(text: str, longest: int) -> None:
    """“We do not” and “apples, and” are no memories."""
    found = clause(text, longest)
    assert found in text
    assert len(found) <= longest
    assert not found or not is_open(found)
    at = text.find(found) if found else 0
    behind = text[at + len(found) : at + len(found) + 1]
    assert not (found[-1:].isdigit() and behind.isdigit())


@pytest.mark.parametrize(
    ("sentence", "together"),
    [
        ("If it rains, we stay at home, and she is glad about it", "If it rains, we stay at home"),
        ("如果下雨，我们就不去了，大家都会很失望的", "如果下雨，我们就不去了"),
        ("We bought apples, pears, and plums at the market", "apples, pears, and plums"),
        ("她不是不想来，而是来不了", "她不是不想来，而是来不了"),
    ],
)
def test_what_needs_each_other_is_one_atom(sentence: str, together: str) -> None:
    assert any(together in atom for atom in atoms(sentence))


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("这块电池在那么高的温度下面根本就扛不住的因为外壳太薄了而且没有散热", ("不", "扛")),
        ("The new battery that we ordered from the supplier in May cannot stand the heat of the roof", ("cannot", "cannot stand")),
    ],
)  # fmt: skip
def test_a_phrase_keeps_the_complement_of_a_negation_or_leaves_it_out(
    text: str, never: tuple[str, ...]
) -> None:
    for longest in range(4, 60):
        assert not phrase(text, longest).endswith(never)


@pytest.mark.parametrize(
    ("text", "kept", "never"),
    [
        ("Alys's relay team won, she ran the last leg alone.", "relay team won", "she ran"),
        ("Prices: basic drops to 42 in October, family stays at 60.", "", "Prices"),
        ('He says that buses are "all about going".', '"all about going"', "going."),
        ("4.0 is live since the morning.", "4.0 is live", "morning."),
        ("Did anybody tell Kofi about the van?", "", "Kofi"),
        ("他想了想说，那你们得做一个借走的东西的功能，大家都会用。", "", "他想了想说"),
        ("抽油烟机一定要大一点，我妈炒菜的时候油烟实在是太多了。", "一定要大一点", "油烟实在"),
        ("装修的钱一共三笔：首付两万，中期三万，尾款一万四，都要发票。", "", "首付两万"),
    ],
)
def test_a_gist_is_read_without_its_source(text: str, kept: str, never: str) -> None:
    """“She ran” says not who; half of what a colon announces is not what was announced."""
    found = clause(text, 45 if text.isascii() else 20)
    assert kept in found
    assert never not in found


def test_a_shorter_form_keeps_what_its_clauses_speak_of() -> None:
    """A pronoun whose name was cut away is somebody else the next time it is read."""
    said = "Registered Lanying at Marksbury Road surgery in May, and she is there on Tuesdays with Dr Haddad."
    short = shorten(said, 1.0, lambda part: float("Haddad" in part))
    assert short is None or short.startswith("Registered Lanying")
    listed = "The fees are these: 40 pounds for children, we pay 60 pounds for adults, you pay nothing at all."
    assert shorten(listed, 1.0, lambda part: float("children" in part)) is None
