"""The examples in README and docs run, and they mention every public method of Memory.

An example that does not run is the first thing that a new user meets; a method that no
page mentions is one that nobody finds. A block after `<!-- no-run -->` is only shown; a block of
text behind an example is what it prints.
"""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import graphmem

ROOT = Path(__file__).parents[1]
PAGES = [
    page
    for page in (ROOT / "README.md", ROOT / "README.zh.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.is_file()
]
_BLOCK = re.compile(r"(?P<skip><!-- no-run -->\s*\n)?^```python\n(?P<code>.*?)^```$", re.M | re.S)

_PRINTED = re.compile(
    r"^```python\n(?P<code>(?:(?!```).*\n)*)```\n\n```text\n(?P<output>(?:(?!```).*\n)*)```$", re.M
)


def blocks(page: Path) -> list[tuple[int, str]]:
    """(line, code) of the Python blocks of a page that are to run."""
    text = page.read_text("utf-8")
    return [
        (text.count("\n", 0, found.start("code")), found["code"])
        for found in _BLOCK.finditer(text)
        if not found["skip"]
    ]


_END = "-- the end of an example --\n"
_RUN_EACH = """
import os, runpy, sys
for script in sys.argv[2:]:
    os.chdir(os.path.dirname(script))
    runpy.run_path(script, run_name="__main__")
    print(sys.argv[1], end="", flush=True)
    print(sys.argv[1], end="", flush=True, file=sys.stderr)
"""


@pytest.mark.timeout(220)
@pytest.mark.parametrize(
    "page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES if blocks(page)]
)
def test_the_examples_of_a_page_run_as_they_stand(tmp_path: Path, page: Path) -> None:
    """Each as a script in an empty folder, which is what a reader does with it, and it prints what
    stands below it: an output that was right once teaches what the program does not do any more.

    Those of a page share a process: starting one costs more than most examples.
    """
    scripts, examples = [], blocks(page)
    for line, code in examples:
        script = tmp_path / f"line-{line}" / "example.py"
        script.parent.mkdir()
        script.write_text("\n" * line + code, "utf-8")  # so that a traceback names the page's line
        scripts.append(str(script))
    path = os.pathsep.join(path for path in sys.path if path)
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", _RUN_EACH, _END, *scripts],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ended.returncode == 0, f"{page.relative_to(ROOT)}:\n{ended.stderr}"
    told = zip(ended.stdout.split(_END), ended.stderr.split(_END), strict=True)
    prints = dict(zip((code for _, code in examples), told, strict=False))
    for code, output in printed(page):
        assert prints[code] == (output, "")


def printed(page: Path) -> list[tuple[str, str]]:
    """(code, output) of the examples whose output the page shows."""
    return [
        (found["code"], found["output"]) for found in _PRINTED.finditer(page.read_text("utf-8"))
    ]


def public_methods() -> list[str]:
    return [
        name
        for name, member in inspect.getmembers(graphmem.Memory)
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
    ]


@pytest.mark.skipif(not PAGES, reason="no README and no docs yet")
@pytest.mark.parametrize("name", public_methods())
def test_every_public_method_is_told_of(name: str) -> None:
    """What is not in the pages is not found, and then is written a second time."""
    told = "\n".join(page.read_text("utf-8") for page in PAGES)
    assert re.search(rf"(\.|`){name}\b", told), f"Memory.{name} is in none of README and docs"


@pytest.mark.parametrize("name", public_methods())
def test_the_tour_leaves_no_method_out(name: str) -> None:
    """Which is what its first sentence says."""
    tour = (ROOT / "docs" / "guide.md").read_text("utf-8")
    assert re.search(rf"(\.|`){name}\b", tour), f"Memory.{name} is not in docs/guide.md"


def test_a_block_is_found_with_its_line_and_skipped_when_told(tmp_path: Path) -> None:
    """A pattern that finds no block would pass for ever."""
    page = tmp_path / "page.md"
    page.write_text(
        "# A\n\n```python\nx = 1\n```\n\n<!-- no-run -->\n```python\nno\n```\n"
        "```sh\nls\n```\n```python\ny = 2\n\nz = 3\n```\n"
    )
    assert blocks(page) == [(3, "x = 1\n"), (14, "y = 2\n\nz = 3\n")]
