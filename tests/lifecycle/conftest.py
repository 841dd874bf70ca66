"""The clock and the memory of these tests. A module says in START when its clock begins."""

from collections.abc import Iterator

import pytest

import graphmem
from tests.clock import Clock


@pytest.fixture
def clock(request: pytest.FixtureRequest) -> Clock:
    return Clock(request.module.START)


@pytest.fixture
def memory(clock: Clock) -> Iterator[graphmem.Memory]:
    with graphmem.open(worker="none", clock=clock) as opened:
        yield opened
