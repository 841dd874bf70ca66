"""Prevents: what begins next month is told as if it were so today."""

from datetime import date

import pytest

from graphmem.recalling.beginnings import begins


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("Starting Monday Ben takes the bins.", date(2026, 11, 23)),
        ("As of 1 February the rent is 900 euros.", date(2027, 2, 1)),
        ("下月1号起房租三千。", date(2026, 12, 1)),
        ("我们下周一搬到苏州。", date(2026, 11, 23)),
        ("From 20 November we live in Delft.", None),
        ("From 21 November we live in Delft.", date(2026, 11, 21)),
        ("The dentist moved from December 3 to December 10.", None),
        ("The review is moved to next Monday.", None),
        ("看牙改到下周三", None),
        ("From March I worked at Acme.", None),
        ("I moved to Delft in January.", None),
        ("Since January we live in Delft.", None),
        ("从去年一月起我住在苏州。", None),
    ],
)
def test_a_statement_may_name_its_own_beginning(said: str, day: date | None) -> None:
    """A time that is itself the value holds from when it is told."""
    assert begins((said,), date(2026, 11, 20)) == day


def test_what_is_told_on_the_last_of_all_days_begins_nothing_later() -> None:
    """Every recall that came upon such a text raised OverflowError."""
    assert begins(("From Monday I work at Bosch.",), date.max) is None
