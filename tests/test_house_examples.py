"""The examples in README and docs run, and they mention every public method of Memory.

An example that does not run is the first thing that a new user meets; a method that no
page mentions is one that nobody finds. A block after `<!-- no-run -->` is only shown, one after
`<!-- needs MODULE -->` runs where that module is installed; a block of text behind an example is
what it prints.
"""

import inspect
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

import graphmem
from graphmem.errors import GraphMemError
from graphmem.interfaces.cli.commands import cli

ROOT = Path(__file__).parents[1]
PAGES = [
    page
    for page in (ROOT / "README.md", ROOT / "README.zh.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.is_file()
]
_BLOCK = re.compile(
    r"(?P<skip><!-- (?:no-run|needs (?P<needs>[\w.]+)) -->\s*\n)?^```python\n(?P<code>.*?)^```$",
    re.M | re.S,
)

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


def needing(page: Path) -> list[tuple[int, str, str]]:
    """(line, module, code) of the Python blocks of a page that need a module of some extra."""
    text = page.read_text("utf-8")
    return [
        (text.count("\n", 0, found.start("code")), found["needs"], found["code"])
        for found in _BLOCK.finditer(text)
        if found["needs"]
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
def test_the_examples_of_the_pages_run_as_they_stand(tmp_path: Path) -> None:
    """Each as a script in an empty folder, which is what a reader does with it, and it prints what
    stands below it: an output that was right once teaches what the program does not do any more.

    They share a process: starting one costs more than most examples.
    """
    scripts, examples = [], [(page, *block) for page in PAGES for block in blocks(page)]
    for page, line, code in examples:
        script = tmp_path / page.relative_to(ROOT) / f"line-{line}" / "example.py"
        script.parent.mkdir(parents=True)
        script.write_text("\n" * line + code, "utf-8")  # so that a traceback names page and line
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
    assert ended.returncode == 0, ended.stderr
    told = zip(ended.stdout.split(_END), ended.stderr.split(_END), strict=True)
    prints = dict(zip((code for *_, code in examples), told, strict=False))
    for page in PAGES:
        for code, output in printed(page):
            assert prints[code] == (output, ""), page


ADAPTERS = [(page, *block) for page in PAGES for block in needing(page)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "line", "needs", "code"),
    ADAPTERS,
    ids=[f"{page.stem}-{line}-{needs}" for page, line, needs, _ in ADAPTERS],
)
def test_the_example_of_an_adapter_runs_as_it_stands(
    page: Path, line: int, needs: str, code: str, tmp_path: Path
) -> None:
    """They took "client" and "agent" from nowhere, and nobody saw when a framework changed."""
    try:
        is_there = find_spec(needs) is not None
    except ModuleNotFoundError:  # of its parent
        is_there = False
    if not is_there:
        pytest.skip(f"the example needs {needs}, which is not installed")
    script = tmp_path / "example.py"
    script.write_text("\n" * line + code, "utf-8")
    if "from memory_tools import" in code:
        (tools,) = (block for _, block in blocks(page) if "def recall" in block)
        (tmp_path / "memory_tools.py").write_text(tools, "utf-8")
    path = os.pathsep.join(path for path in sys.path if path)
    ended = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "CREWAI_DISABLE_TELEMETRY": "true"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr


def printed(page: Path) -> list[tuple[str, str]]:
    """(code, output) of the examples whose output the page shows."""
    return [
        (found["code"], found["output"]) for found in _PRINTED.finditer(page.read_text("utf-8"))
    ]


_SHELL = re.compile(r"^```(?:sh|bash|console|shell)\n(.*?)^```$", re.M | re.S)
_COMMAND = re.compile(r"(?<!`)`graphmem\s+([^`]+)`")
_LINE = re.compile(r"^(?:\$ )?(?:[A-Z_]+=\S+ )*graphmem (.+)$", re.M)
_NAME = re.compile(r"[a-z][a-z-]*")


def command_lines(page: Path) -> list[str]:
    """What a page tells to type: what stands behind `graphmem` in backticks or a block for a shell."""
    text = page.read_text("utf-8")
    blocks = (line for block in _SHELL.findall(text) for line in _LINE.findall(block))
    found = (*_COMMAND.findall(text), *blocks)
    return [" ".join(re.sub(r"\s#\s.*", "", told).split()) for told in found]


def fault_of(line: str) -> str:
    """What is wrong with a command line of a page; "" if nothing is: all its commands are there,
    and each takes the options that it is given."""
    try:
        words = shlex.split(line)
    except ValueError:
        return "it has an open quotation mark"
    context = click.Context(cli, info_name="graphmem")
    command: click.Command = cli
    done: list[str] = []
    while words:
        word = words.pop(0)
        if word.startswith("-"):
            name = word.split("=")[0]
            options = [o for o in command.get_params(context) if isinstance(o, click.Option)]
            taken = next((o for o in options if name in (*o.opts, *o.secondary_opts)), None)
            if taken is None and name not in ("--help", "--version", "-h"):
                return f"{' '.join(['graphmem', *done])} takes no {name}"
            if taken is not None and not taken.is_flag and "=" not in word and words:
                words.pop(0)
        elif isinstance(command, click.Group) and _NAME.fullmatch(word):
            try:
                inner = command.get_command(context, word)
            except (click.ClickException, GraphMemError) as error:
                return str(error.message if isinstance(error, click.ClickException) else error)
            if inner is None:
                return f"there is no graphmem {' '.join([*done, word])}"
            command, context = inner, click.Context(inner, parent=context, info_name=word)
            done.append(word)
        elif word in ("|", "&&", ">", ";"):
            break
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_line_of_a_page_is_one(page: Path) -> None:
    """Commands moved under `admin` and `themes`; only Python examples were run, so that pages told
    of `graphmem backup` for weeks."""
    faults = {line: fault for line in command_lines(page) if (fault := fault_of(line))}
    assert faults == {}


# A list of names without `graphmem` before each: what a page says "`graphmem recall`, `check`" of.
_LISTED = re.compile(r"`graphmem\s+([^`]+)`((?:(?:,| and| or|、|和|或)\s*`[^`]+`)+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_list_is_one(page: Path) -> None:
    """Of `graphmem home backup`, `adopt` the second may be of the group of the first."""
    faults = {}
    for first, others in _LISTED.findall(page.read_text("utf-8")):
        group = " ".join(first.split()[:-1])
        for line in re.findall(r"`([a-z][^`]*)`", others):
            told = line.removeprefix("graphmem ")
            if (fault := fault_of(told)) and (not group or fault_of(f"{group} {told}")):
                faults[line] = fault
    assert faults == {}


def test_a_wrong_command_line_is_found(tmp_path: Path) -> None:
    """A pattern that finds none would pass for ever."""
    page = tmp_path / "page.md"
    page.write_text(
        "Run `graphmem -p a backup b`.\n\n```sh\n$ graphmem recall x --shout  # no\n```\n"
    )
    lines = command_lines(page)
    assert lines == ["-p a backup b", "recall x --shout"]
    assert "graphmem admin backup" in fault_of(lines[0])
    assert fault_of(lines[1]) == "graphmem recall takes no --shout"
    assert fault_of("frobnicate") == "there is no graphmem frobnicate"
    assert fault_of("admin backup copy --json") == ""


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
        "<!-- needs a.b -->\n```python\nimport a.b\n```\n"
    )
    assert blocks(page) == [(3, "x = 1\n"), (14, "y = 2\n\nz = 3\n")]
    assert needing(page) == [(20, "a.b", "import a.b\n")]
