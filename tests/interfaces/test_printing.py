"""Times at a terminal: one without an offset is in the terminal's zone."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

import graphmem
from graphmem.interfaces.cli.printing import heading, local_time

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be set")
SHANGHAI = timezone(timedelta(hours=8))


@pytest.fixture(params=["UTC", "Asia/Shanghai", "America/New_York"])
def terminal(request: pytest.FixtureRequest) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


def test_a_time_of_another_zone_has_its_offset(terminal: str) -> None:
    """Of an owner elsewhere, one command showed days in its zone and hours in the terminal's."""
    now = datetime(2026, 5, 4, 1, 30, tzinfo=SHANGHAI)
    with graphmem.open(None, worker="none", clock=lambda: now) as memory:
        (node,) = memory.remember("The importer fails.")
        (other,) = memory.remember("The exporter waits.", happened="2026-05-01")
    offset = "" if terminal == "Asia/Shanghai" else " +0800"
    assert heading(node).endswith(f"2026-05-04 01:30{offset}")
    assert heading(other).endswith(f"2026-05-01 00:00{offset}")
    assert local_time(node.created) == f"2026-05-04 01:30{offset}"
    day = {"UTC": "03 17:30", "Asia/Shanghai": "04 01:30", "America/New_York": "03 13:30"}[terminal]
    assert local_time(now.astimezone(UTC)) == f"2026-05-{day}"
