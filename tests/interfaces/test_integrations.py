"""What a user is told of adapters: an entry that names nothing sends them to look for it."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import graphmem
from graphmem.interfaces.cli.commands import main
from graphmem.interfaces.cli.housekeeping import exposition
from graphmem.interfaces.integrations import INTEGRATIONS

FOLDER = Path(graphmem.__file__).parent / "integrations"


@pytest.mark.slow  # frameworks take seconds to load
def test_each_adapter_that_is_listed_is_there_and_each_module_is_listed() -> None:
    ours = [one for one in INTEGRATIONS if one.use.startswith("graphmem.integrations.")]
    for one in ours:
        module, _, name = one.use.rpartition(".")
        if one.installed or not one.package:
            assert getattr(import_module(module), name)
    listed = {one.use.split(".")[2] for one in ours}
    assert listed == {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "taken"}


BARE = """
import sys
from importlib import import_module

class Bare:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"agents", "langchain_core", "langgraph", "opentelemetry", "pydantic_ai"}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Bare())
import graphmem
for module in sys.argv[1:]:
    try:
        import_module(module)
    except graphmem.MissingExtraError as error:
        print(module, str(error))
"""


def test_an_adapter_without_its_extra_says_what_to_install() -> None:
    """It was a ModuleNotFoundError, which names a framework and not how to get it."""
    ours = [one for one in INTEGRATIONS if one.use.startswith("graphmem.integrations.")]
    needed = {one.use.rpartition(".")[0]: one.extra for one in ours if one.extra}
    command = [sys.executable, "-c", BARE, *needed]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in told] == [*needed]
    assert all(
        line.endswith(f".[{extra}]'") for line, extra in zip(told, needed.values(), strict=True)
    )


def test_the_list_shows_what_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["admin", "integrations"]) == 0
    shown = capsys.readouterr().out
    assert "Claude's memory tool" in shown
    assert all(one.tried in shown for one in INTEGRATIONS)


def test_prometheus_reads_the_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "m"
    with graphmem.open(folder, scope='a"b\\', worker="none") as memory:
        memory.remember("The kettle is red.")
        assert 'scope="a\\"b\\\\"' in exposition(memory.admin.stats())
        memory.scopes.open("default").remember("The door is green.")
    assert main(["admin", "stats", "--prometheus", "--path", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert 'graphmem_nodes{scope="default"} 1' in lines
    assert 'graphmem_queue_waiting{scope="default"} 1' in lines
    for kind, value in zip(lines[::2], lines[1::2], strict=True):
        (name,) = re.findall(r"^# TYPE ([a-zA-Z_][a-zA-Z0-9_]*) gauge$", kind)
        assert re.fullmatch(rf'{name}\{{scope="default"\}} -?[\d.e+-]+', value)
