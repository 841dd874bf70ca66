"""Prevents: two sentences that say the same of one thing are told as if both held."""

import pytest

from graphmem_worker.text.frames import frames, has_other_site


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Payments go through Stripe.", [("use", "payments", "stripe")]),
        ("We run all payments now on Adyen.", [("use", "payments", "adyen")]),
        ("Billing runs on Stripe.", [("use", "billing", "stripe")]),
        ("Wen moved to Berlin.", []),  # of a person
        ("Rui owns the billing code.", [("owner", "billing code", "rui")]),
        ("The team belongs to Ada.", []),  # any team
        ("The boxes are in the Cellar.", [("place", "boxes", "cellar")]),
        ("The boxes are in January.", []),
        ("The gate is shut.", [("open", "gate", "closed")]),
        ("They reopened the pool.", [("open", "pool", "open")]),
        ("大门关着。", [("open", "大门", "关")]),
        ("The image is version 3.2.", [("edition", "", "3.2")]),
        ("The third edition is out.", [("edition", "", "3")]),
        ("第三版取代第二版", [("edition", "", "3")]),
        ("Version 3.2 or version 3.1.", []),
        ("The lease ends in March 2027.", [("month", "", "2027-mar")]),
        ("支付用的是Stripe", [("han", "支付", "stripe")]),
        ("这周小敏值班。", [("duty", "这周值班", "小敏")]),
    ],
)
def test_frames_of_a_sentence(sentence: str, found: list[tuple[str, str, str]]) -> None:
    assert [tuple(frame) for frame in frames(sentence)] == found


def test_places_of_one_kind_with_other_names_are_apart() -> None:
    here = "The Mainz office is closed."
    assert has_other_site(here, "The Berlin office is open.")
    assert not has_other_site(here, "The Mainz office is open.")
    assert not has_other_site(here, "The Berlin depot is open.")
