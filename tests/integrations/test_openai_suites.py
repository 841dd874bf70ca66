"""A session that differs from the SDK's own would break agents that were written with that."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.integrations import openai_suites, suites

# Found and not imported: another process uses them, and they take two seconds to load.
pytestmark = pytest.mark.skipif(
    not all(map(find_spec, ("agents", "pytest_asyncio"))),
    reason="needs openai-agents and pytest-asyncio",
)

LEAST = 45  # tests that pass, or none was run


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_sdks_tests_of_its_sessions_pass() -> None:
    source = suites.fetch("openai-agents", Path(__file__).parents[2] / ".w3c")
    plugin = openai_suites.__name__.rpartition(".")[2]
    found = suites.run(source, openai_suites.FILES, plugin)
    failed = {
        test.rpartition("::")[2].partition("[")[0]
        for test, outcome in found.items()
        if outcome != "passed"
    }
    assert failed <= set(openai_suites.EXCEPTIONS), sorted(failed)
    assert sum(outcome == "passed" for outcome in found.values()) >= LEAST
