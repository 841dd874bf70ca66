"""Transfers: what tells that it was given the other way round is no answer."""

import pytest

from graphmem_worker.claims.transfers import is_reversed


@pytest.mark.parametrize(
    ("cue", "other", "own"),
    [
        ("Who still owes us for the tickets?", "We owe Priya for them.", "Priya owes us ten."),
        ("What did Omar send me?", "I sent Omar a parcel.", "Omar sent me a parcel."),
        ("What was I given by Omar?", "I gave Omar a watch.", "Omar gave me a watch."),
        ("What did I borrow from Mia?", "I lent Mia my drill.", "Mia lent me her drill."),
        ("What did I get from Ruth?", "I gave Ruth tea.", "I got a candle from Ruth."),
        ("Wer hilft mir beim Umzug?", "Ich helfe Jana.", "Jana hilft mir."),
        ("Was habe ich Leo versprochen?", "Leo hat mir Eis versprochen.", "Ich versprach Leo Eis."),
        ("Was habe ich von Ruth bekommen?", "Ich schenkte Ruth Tee.", "Ruth gab mir Tee."),
        ("谁还欠我们房租？", "我们欠李姐房租。", "李姐欠我们房租。"),
        ("奶奶给我寄了什么？", "我给奶奶寄了一箱苹果。", "奶奶给我寄了一箱苹果。"),
        ("小陈向我借了多少？", "我向小陈借了两百。", "我借给小陈两百。"),
    ],
)
def test_what_was_given_the_other_way_round_is_no_answer(cue: str, other: str, own: str) -> None:
    assert is_reversed(cue, other)
    assert not is_reversed(cue, own)


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("What did I tell Omar?", "Omar told me of the flat, and I told him no."),
        ("Did I give Omar what he gave me?", "I gave Omar a watch."),
        ("Who lent Mia the drill?", "I lent Mia my drill."),
        ("Was schenke ich Ruth?", "Ruth liest gern."),
        ("我借给谁伞了？", "雨伞借给小陈了。"),
    ],
)
def test_what_may_be_as_asked_is_no_reverse(cue: str, text: str) -> None:
    assert not is_reversed(cue, text)
