"""Contrast: asked for the morning dose, the evening dose came first, alone where nothing else may."""

import pytest

from graphmem_worker.claims.contrast import contrasted, contrasted_by


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The morning dose is 12 units.", "The evening dose is 18 units now."),
        ("Mr Haddad takes lithium.", "Mrs Haddad has stopped lithium."),
        ("Der obere Tank ist leer.", "Der untere Tank ist jetzt voll."),
        ("左边的抽屉放发票。", "右边的抽屉现在放合同。"),
        ("大女儿在三中上学。", "小女儿现在在五中上学。"),
        ("7号机用蓝色滤芯。", "9号机不用蓝色滤芯了。"),
        ("二楼的复印机坏了。", "三楼的复印机修好了。"),
    ],
)
def test_another_word_before_a_word_tells_two_things_apart(one: str, other: str) -> None:
    assert contrasted(one, other)
    assert contrasted(other, one)
    assert not contrasted(one, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like dark mode in the editor.", "I like light mode in the editor."),
        ("Oma nimmt 5 mg Ramipril.", "Omas Ramipril wurde auf 10 mg erhöht."),
        ("Maya lives in Leeds.", "Maya moved to York."),
        ("The van is blue.", "Our van is green now."),
        ("我在华为工作。", "我换到腾讯工作了。"),
        ("房租每月三千八。", "房租涨到四千二了。"),
        ("12号开家长会。", "改到15号开家长会。"),
    ],
)
def test_another_value_is_no_other_thing(one: str, other: str) -> None:
    """Where it stands later in the text, before what is done or counted, it is what changed."""
    assert not contrasted(one, other)


def test_a_cue_says_which_one_is_meant_wherever_it_stands() -> None:
    one, other = "Joao owns the login service.", "Joao took over the billing service."
    assert not contrasted(one, other)
    assert contrasted_by("Who owns the login service?", one, other)
    assert not contrasted_by("Who owns the service?", one, other)
    assert not contrasted_by("Who owns the login service?", one, "Iris owns the login service now.")
