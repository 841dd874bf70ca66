"""A page in a browser, and a small memory that it shows."""

from collections.abc import Iterator

import pytest

import graphmem
from bench import chromium
from bench.chromium import Page
from bench.view import served
from graphmem.interfaces.view.server import ViewServer

TEXTS = [
    "Wen moved the release to May 10.",
    "The kettle in the office is broken. Nobody has called the shop yet. It leaks at the handle.",
    "Ada talked about the garden fence.",
    "Bo paints the garden fence on Saturday.",
    "苏梅说厨房的水壶坏了。",
    "I live in Lyon.",
    "I have moved to Ghent.",
    "ok",
]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with Page(chromium.program() or "") as page:
        yield page


@pytest.fixture
def memory() -> Iterator[graphmem.Memory]:
    with graphmem.open(None, worker="none", tuning=graphmem.Tuning(grace=0)) as memory:
        for text in TEXTS:
            memory.remember(text)
        yield memory


@pytest.fixture
def server(memory: graphmem.Memory) -> Iterator[ViewServer]:
    with served(memory) as server:
        yield server
