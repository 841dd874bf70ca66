"""A store that differs from LangGraph's own would break graphs that were written with those."""

from pathlib import Path

import pytest

from tests.integrations import langgraph_suites, suites

pytest.importorskip("langgraph.store.sqlite")
pytest.importorskip("langgraph.store.postgres")
pytest.importorskip("pytest_asyncio")
pytest.importorskip("pytest_mock")

PACKAGES = [(package, file) for package, files in langgraph_suites.SUITES.items() for file in files]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("package", "file"), PACKAGES)
def test_langgraphs_tests_of_its_stores_pass(package: str, file: str) -> None:
    source = suites.fetch(package, Path(__file__).parents[2] / ".w3c")
    found = suites.run(source, (file,), langgraph_suites.__name__.rpartition(".")[2])
    excused = langgraph_suites.EXCEPTIONS[package]
    ours = {
        test: outcome
        for test, outcome in found.items()
        if test.removeprefix("tests/").partition("[")[0] not in excused
    }
    assert {test for test, outcome in ours.items() if outcome != "passed"} == set()
    print(f"{package}, {file}: {len(ours)} of {len(found)}")
    assert len(ours) >= 2 / 3 * len(found) > 4
