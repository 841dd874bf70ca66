"""What the guard costs: its time grows with the text, and what can hold no secret is not read."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.guard import Guarded, cutting, guard, guard_field
from graphmem_worker.guard.cutting import _settled, _shapes
from graphmem_worker.guard.names import Found
from graphmem_worker.guard.shapes import prefixed, sieve
from graphmem_worker.language.lists import classed, groups, ordered
from tests.worker.test_linear import FAST, check_growth, computed


@given(
    st.text(st.sampled_from("abAK_-é字"), max_size=300),
    st.text(st.sampled_from("abAK_-é字"), min_size=1, max_size=4),
)
def test_a_long_text_holds_for_the_sieve_what_it_holds(text: str, term: str) -> None:
    assert sieve(text * 40 + "." * 4096)(term) is (term in text * 40)
    assert sieve(text)(term) is (term in text)


@pytest.mark.parametrize("unit", ["x", "\0", "1234567890", "plain words of a text "])
def test_a_large_value_is_not_searched_for_each_vendors_mark(unit: str) -> None:
    """Items of 40 MiB took 10 s of computing: each was read two hundred times."""
    text = (unit * (1 << 20))[: 1 << 20]
    marks = [shape.anchor for shape in prefixed()[:50]]
    for _ in range(3):  # another process may have had the core
        once = computed(lambda value: [mark in value for mark in marks], text)
        if computed(lambda value: list(_shapes(value, value)), text) < once + FAST:
            return
    raise AssertionError("it takes longer than fifty searches")


def test_a_short_value_is_not_read_unless_something_names_a_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of an item with many numbers each was read as if it were a text, for 8 µs."""
    monkeypatch.setattr(cutting, "_found", lambda *given, **named: pytest.fail("it was read"))
    for name, value in (("", "4711"), ("id", "39712"), ("colour", "red"), ("note", "AB12CD3")):
        assert guard_field(name, value) == Guarded(value, ())


@given(
    st.sampled_from(
        (*ordered("secret_names"), *ordered("secret_variants"), *classed("secret_spellings"),
         *classed("secret_ends"), *groups("secret_qualifiers")["code"], "", "id", "code", "tür")
    ),
    st.sampled_from(("", " code", " key", "_id", "code")),
    st.sampled_from(("4711", "hunter2", "password", "4_7_1_1", "pin4711", "Zq7xK2vW", "red")),
)  # fmt: skip
def test_a_short_value_is_cut_as_if_it_were_read(name: str, end: str, value: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        found = guard_field(name + end, value)
        patch.setattr(cutting, "_SHORT", 0)
        assert found == guard_field(name + end, value)


def test_many_findings_of_a_second_reading_take_linear_time() -> None:
    """16,000 numbered lines took 23 s: each finding was placed past all that was cut before."""

    def find(left: str) -> Iterator[Found]:
        wanted = "y" if "y" in left else "x"
        yield from (Found("code", n, n + 1) for n, c in enumerate(left) if c == wanted)

    assert len(_settled("axay" * 3, find, ()).cut) == 6
    check_growth(lambda text: _settled(text, find, ()), "", "axay", "", 8_000)


def test_words_that_are_said_again_and_again_take_linear_time() -> None:
    """20,000 words took 12 s: for each the whole text was searched for where it stands first."""
    letters = Random(1)

    def repeated(text: str) -> str:
        words = (
            "".join(letters.choice("bdfgklmnpr") + letters.choice("aeiou") for _ in "abc")
            for _ in text
        )
        return " ".join(f"{word} " * 10 for word in words)

    check_growth(lambda text: guard(repeated(text), "secrets"), "", "x", "", 500)
