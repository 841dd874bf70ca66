"""A home in a folder, on two machines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import graphmem


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"file://{tmp_path / 'home'}"


@pytest.fixture
def home(tmp_path: Path, url: str) -> Iterator[graphmem.Home]:
    with graphmem.Home(url, cache=tmp_path / "cache") as home:
        yield home


@pytest.fixture
def elsewhere(tmp_path: Path, url: str) -> Iterator[graphmem.Home]:
    """The same home, on another machine."""
    with graphmem.Home(url, cache=tmp_path / "elsewhere", address="10.0.0.2:80") as home:
        yield home
