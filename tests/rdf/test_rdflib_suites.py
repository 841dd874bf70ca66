"""What passes on rdflib's Memory store and fails on ours would fail in a user's program too."""

from pathlib import Path

import pytest

from tests.rdf import rdflib_suites

W3C_PASSED = 2006


@pytest.mark.w3c
@pytest.mark.timeout(1200)
def test_rdflibs_suites_come_out_as_with_its_memory_store() -> None:
    try:
        source = rdflib_suites.fetch(Path(__file__).parents[2] / ".w3c")
    except ConnectionError as error:
        pytest.skip(str(error))
    ours = rdflib_suites.run(source, "graphmem")
    passed = {test: outcome for test, outcome in ours.items() if outcome == "passed"}
    # Or it would pass when nothing was run.
    assert sum("/test_w3c_spec/" in test for test in passed) == W3C_PASSED
    memory = rdflib_suites.run(source, "Memory", left_out=passed)
    others = {test: outcome for test, outcome in ours.items() if test not in passed}
    assert rdflib_suites.differences(memory, others) == {}


def test_a_test_that_was_not_run_is_a_difference() -> None:
    """Fewer tests would otherwise look like agreement."""
    first = {"test/a/a.py::one": "passed", "test/a/a.py::two": "xfailed"}
    second = {"test/a/a.py::one": "failed"}
    assert rdflib_suites.differences(first, second) == {
        "test/a/a.py::one": ("passed", "failed"),
        "test/a/a.py::two": ("xfailed", "absent"),
    }
    assert rdflib_suites.differences(first, first) == {}
