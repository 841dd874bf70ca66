"""`recall("Yes please.")` told 19 memories, as if they had been asked for."""

import pytest

from graphmem_worker.text.phatic import is_phatic


@pytest.mark.parametrize(
    "turn",
    [
        "Yes please.",
        "Hello, are you there?",
        "haha ok, see you tomorrow",
        "Danke dir, bis morgen!",
        "好的，谢谢你！",
        "哈哈哈",
    ],
)
def test_a_turn_that_needs_nothing_is_phatic(turn: str) -> None:
    assert is_phatic(turn)


@pytest.mark.parametrize(
    "turn",
    [
        "",
        "wifi password",
        "Tom",
        "Thanks! And what's the code of the gate?",
        "Good morning, when is the dentist",
        "I'm packing for Oslo now.",
        "remind me what we said about the boiler",
        "Danke! Wie heißt die Hebamme?",
        "谢谢，车位号是多少",
        "我搬到杭州了",
        "Thanks. "
        + "The boiler was checked in May and the gasket has been replaced since then. " * 3,
    ],
)
def test_a_turn_that_asks_or_states_something_is_not(turn: str) -> None:
    assert not is_phatic(turn)
