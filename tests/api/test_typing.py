"""What a type checker tells a user about graphmem's names."""

import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest

import graphmem


@pytest.mark.slow  # mypy reads the package
def test_a_misspelt_name_is_an_error(tmp_path: Path) -> None:
    """`graphmem.opne()` passed mypy, because the module typed every unknown name as Any."""
    script = tmp_path / "script.py"
    script.write_text(
        'import graphmem\n\ngraphmem.opne("memory")\ngraphmem.open("memory")\n'
        "raise graphmem.ForkedError\n"  # the pages name errors as if they were here
    )
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", str(script)],
        capture_output=True,
        text=True,
    )
    assert 'script.py:3: error: Module has no attribute "opne"' in ran.stdout
    assert "script.py:4" not in ran.stdout
    assert "script.py:5" not in ran.stdout


@pytest.mark.slow  # mypy reads the package
def test_a_function_takes_a_memory_however_it_is_held(tmp_path: Path) -> None:
    """One that took `graphmem.Memory` was no function for `graphmem.attach`, and a row of SPARQL
    had no names."""
    script = tmp_path / "script.py"
    script.write_text(
        "import graphmem\n\n\n"
        "def told(memory: graphmem.Verbs) -> str:\n"
        '    found = memory.graph.sparql("SELECT ?text { ?n memory:content ?text }")\n'
        '    return memory.recall("x").text + "".join(str(row.text) for row in found)\n\n\n'
        'told(graphmem.open("m"))\n'
        'told(graphmem.attach("m"))\n'
        'told(graphmem.reach("m"))\n'
        'told(graphmem.open("m").scopes.open("s"))\n'
        'told(graphmem.Home("postgresql://h").open("m"))\n'
    )
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(script)],
        capture_output=True,
        text=True,
    )
    assert ran.stdout.startswith("Success"), ran.stdout


def test_a_type_checker_is_told_of_all_names() -> None:
    """A name that is missing in the stub is an error to whoever uses it."""
    made = run_path(str(Path(__file__).parents[2] / ".ci" / "package_stub.py"))["stub"]()
    assert Path(graphmem.__file__).with_suffix(".pyi").read_text("utf-8") == made
