"""What the tests of storage leave behind ends with them."""

from collections.abc import Iterator

import pytest

from tests.storage.homes.machine import Machine


@pytest.fixture(autouse=True)
def ended_machines() -> Iterator[None]:
    """What one leaves open is heard in whatever test runs then."""
    yield
    while Machine.made:
        Machine.made.pop().end()
