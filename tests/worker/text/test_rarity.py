"""Before an index has counted anything, each memory is valued by the guess: a wild one decides what is kept."""

from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text.rarity import shape_rarity
from graphmem_worker.text.words import words


@given(st.text(max_size=40))
def test_the_guess_has_its_range(text: str) -> None:
    """A guess of another order than the index's own values would drown the bonuses, or drown in them."""
    assert all(2.0 <= shape_rarity(word) <= 6.0 for word in [text, *words(text)])


def test_common_words_are_less_than_rare_ones() -> None:
    """Talk is made of common words, answers of rare ones."""
    assert (
        shape_rarity("realli")
        < shape_rarity("tea")
        < shape_rarity("axolotl")
        < shape_rarity("2024")
    )
    assert shape_rarity("觉得") < shape_rarity("的房") < shape_rarity("腰果")
