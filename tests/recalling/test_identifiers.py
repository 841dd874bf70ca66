"""A commit that was told in full was not found by the beginning that everybody writes."""

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.recalling.identifiers import completed

_TOLD = [
    ("First bad commit of the tax bug: 9fceb02d0ae598e95dc970b74767f19372d61af8", "9fceb02d"),
    ("The image is sha256:c0ffee12ab34cd56ef7890aa11bb22cc33dd44ee55ff66778899001122334455.", "c0ffee1"),
    ("ord_01JB7QXR5N3ZK2 is stuck in MANUAL_REVIEW.", "what happened to 01JB7QXR"),
    ("Failed payment pay_01JC11M2ZZKQ77 had no auth.", "pay_01JC11"),
    ("修复在提交 4e1f9ab27c3d5508e9aa01b7cf3321d09be77a10 里。", "4e1f9ab 是什么"),
    ("Reverted in 4e1f0ab.", "4e1f0ab27c3d5508e9aa01b7cf3321d09be77a10"),
]  # fmt: skip


@pytest.mark.parametrize("is_folded", [False, True])
def test_an_identifier_is_found_by_its_beginning(is_folded: bool) -> None:
    with graphmem.open(None, worker="none") as memory:
        told = [memory.remember(text)[0].id for text, _ in _TOLD]
        memory.remember("The barn is painted in May, and Lena pays for it.")
        if is_folded:
            rooms(memory).words.fold()
        for node, (_, cue) in zip(told, _TOLD, strict=True):
            assert [hit.id for hit in memory.recall(cue, use=False)] == [node], cue
            assert memory.recall(cue, use=False, cut="strict"), cue


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("9fceb02d", ["9fceb02d0ae5"], "9fceb02d0ae5"),
        ("9fceb02d", ["9fceb02d0ae5", "9fceb02d1111"], "9fceb02d0ae5|9fceb02d1111"),
        ("9fceb02d0ae5", ["9fceb02d"], "9fceb02d"),
        ("9fceb02d", ["9fceb02d", "9fceb02d0ae5"], "9fceb02d"),  # which is known itself
        ("9fceb0", ["9fceb02d0ae5"], "9fceb0"),
        ("1000000", ["10000000"], "1000000"),
        ("version1", ["version12345"], "version1"),
        ("refunds", ["refundsqueue"], "refunds"),
        ("decade", ["decade1234567"], "decade"),
    ],
)
def test_only_of_an_unknown_identifier_the_beginning_is_looked_for(
    word: str, known: list[str], meant: str
) -> None:
    def beginning_with(part: str, more: int) -> list[str]:
        return [one for one in known if one.startswith(part) and len(one) >= len(part) + more]

    assert completed({word: 1.0}, known.count, beginning_with) == {meant: 1.0}
