"""A store that differs from LangGraph's own would break graphs that were written with those."""

from pathlib import Path

import pytest

from tests.integrations import langgraph_suites, suites

pytest.importorskip("langgraph.store.sqlite")
pytest.importorskip("pytest_asyncio")
pytest.importorskip("pytest_mock")

LEAST = {"langgraph-checkpoint": 40, "langgraph-checkpoint-sqlite": 80}  # tests, or none was run


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("package", langgraph_suites.SUITES)
def test_langgraphs_tests_of_its_stores_pass(package: str) -> None:
    source = suites.fetch(package, Path(__file__).parents[2] / ".w3c")
    files = langgraph_suites.SUITES[package]
    found = suites.run(source, files, langgraph_suites.__name__.rpartition(".")[2])
    failed = {
        test.removeprefix("tests/").partition("[")[0]
        for test, outcome in found.items()
        if outcome != "passed"
    }
    excused = langgraph_suites.EXCEPTIONS if package.endswith("sqlite") else ()
    assert failed <= set(excused), sorted(failed)
    assert sum(outcome == "passed" for outcome in found.values()) >= LEAST[package]
