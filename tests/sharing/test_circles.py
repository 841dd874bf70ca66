"""Circles: who belongs to whom, told by who names whom and who speaks after whom."""

from __future__ import annotations

import time
from string import ascii_lowercase, ascii_uppercase

import pytest

from graphmem.sharing.circles import Circles, Said

FIRM = ("Lena", "Tomasz", "Sofie Claes"), ("Rhiannon", "Alys", "Mrs Padma Rao")
FIRMA = ("林青", "周放", "马千里"), ("沈知夏", "欧文", "何桂香")


def talk(groups: tuple[tuple[str, ...], ...], called: dict[str, str]) -> list[Said]:
    """Two groups, which talk by turns on the same days, each naming the next of its own."""
    said = []
    for day in range(1, 10):
        for group in groups:
            for place, person in enumerate(group):
                named = group[(place + 1) % len(group)]
                text = f"{called.get(named, named)}: {day}"
                said.append(Said(len(said) + 1, f"2026-03-0{day}", person, text))
    return said


@pytest.mark.parametrize(
    ("groups", "called"),
    [
        (FIRM, {"Sofie Claes": "Sofie", "Mrs Padma Rao": "Padma"}),
        (FIRMA, {"马千里": "千里", "沈知夏": "知夏"}),
    ],
)
def test_two_groups_are_two_circles(
    groups: tuple[tuple[str, ...], ...], called: dict[str, str]
) -> None:
    """A firm and a household wrote to one agent, and its prompt mixed their decisions."""
    said = talk(groups, called)
    circles = Circles(said)
    assert sorted(map(sorted, circles.names)) == sorted(map(sorted, groups))
    for one in said:
        assert one.speaker in circles.names[circles.circle([one])]
    asked = Said(900, "2026-04-01", "user", f"When does {groups[1][0]} come?")
    assert groups[1][0] in circles.names[circles.circle([asked])]
    assert circles.circle([Said(901, "2026-04-02", "user", "Hello.")]) == -1


def test_those_who_all_talk_with_each_other_are_no_circles() -> None:
    """Titles over one group, or over two people, tell nothing."""
    for groups in ((FIRM[0],), (("Ann", "Bo"), ("Cy", "Di"))):
        circles = Circles(talk(groups, {}))
        assert circles.names == []
        assert circles.circle(talk(groups, {})) == -1
    assert Circles(()).names == []


def test_many_people_cost_what_their_turns_cost() -> None:
    """Each compaction took time with the square of the people: 400 visitors of a shop, 18 s."""
    names = [f"{first}{last}" for first in ascii_uppercase for last in ("anna", "emil", "olga")]
    names = [f"{name}{end}" for name in names for end in ascii_lowercase]
    met = [(names[at], names[at * 7 % len(names)]) for at in range(len(names))]
    said = [
        Said(turn, f"2026-03-{1 + turn % 28:02}", speaker, f"I met {named}.")
        for turn, (speaker, named) in enumerate(met)
    ]
    begun = time.process_time()
    often = talk(FIRM, {"Sofie Claes": "Sofie", "Mrs Padma Rao": "Padma"})
    circles = Circles([*often, *said])
    assert time.process_time() - begun < 2
    first, second = (
        {circles.circle([one]) for one in often if one.speaker in group} for group in FIRM
    )
    assert len(first) == len(second) == 1, "who talk most are in circles"
    assert first != second
