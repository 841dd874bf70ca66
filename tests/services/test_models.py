"""The model's file is fetched whole or not at all, and a wrong one is never used."""

import hashlib
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import graphmem
from graphmem.errors import ModelError
from graphmem.interfaces.cli.commands import main
from graphmem.services import models

CONTENT = b"GGUF" + bytes(range(256)) * 40
MEMBER = "fake_model/tiny.gguf"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, a library that seems to be there, and a small model to pull."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GRAPHMEM_MODEL", raising=False)
    monkeypatch.setattr(models, "find_spec", lambda name: name)
    packaged = replace(
        models.PACKAGED,
        wheel="fake-model==1.0",
        member=MEMBER,
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )
    monkeypatch.setattr(models, "PACKAGED", packaged)
    return tmp_path / "cache" / "graphmem" / "models"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip knows."""
    folder = tmp_path / "registry"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def publish(folder: Path, member: str = MEMBER, content: bytes = CONTENT) -> Path:
    path = folder / "fake_model-1.0-py3-none-any.whl"
    about = "fake_model-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(member, content)
        # What it needs does not exist: nobody must ask for it.
        wheel.writestr(
            f"{about}/METADATA",
            "Metadata-Version: 2.1\nName: fake-model\nVersion: 1.0\nRequires-Dist: no-such-thing\n",
        )
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
    return path


def test_a_pull_brings_the_model_once(cache: Path, registry: Path) -> None:
    publish(registry)
    steps: list[tuple[int, int]] = []
    assert models.pull(lambda done, total: steps.append((done, total)))
    assert models.find() == cache / "tiny.gguf"
    assert (cache / "tiny.gguf").read_bytes() == CONTENT
    assert steps[-1] == (len(CONTENT), len(CONTENT))
    assert sorted(os.listdir(cache)) == [".lock", "tiny.gguf"]
    (registry / "fake_model-1.0-py3-none-any.whl").unlink()
    assert not models.pull()  # there already: pip is not asked


@pytest.mark.parametrize(
    "content", [CONTENT[:-1], CONTENT[:-1] + b"x", b""], ids=["truncated", "swapped", "empty"]
)
def test_a_wrong_file_in_its_place_is_told_and_replaced(cache: Path, content: bytes) -> None:
    """Truncated, swapped, or empty: the sizes agree in the second."""
    (cache / "wheels").mkdir(parents=True)
    publish(cache / "wheels")
    (cache / "tiny.gguf").write_bytes(content)
    with pytest.raises(ModelError, match=r"tiny\.gguf.*run: graphmem model pull"):
        models.find()
    assert models.pull()
    models.find()


def test_an_interrupted_pull_goes_on_from_the_wheel(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "wheels").mkdir(parents=True)
    publish(cache / "wheels")

    def download(*_: object) -> None:
        raise AssertionError("it was fetched already")

    monkeypatch.setattr(models, "_download", download)
    assert models.pull()
    models.find()


def test_a_wheel_cut_short_is_fetched_again(cache: Path, registry: Path) -> None:
    whole = publish(registry).read_bytes()
    (cache / "wheels").mkdir(parents=True)
    (cache / "wheels" / "fake_model-1.0-py3-none-any.whl").write_bytes(whole[: len(whole) // 2])
    assert models.pull()
    models.find()


@pytest.mark.parametrize(
    ("member", "content"), [("fake_model/other.gguf", CONTENT), (MEMBER, CONTENT[::-1])]
)
def test_a_wheel_with_something_else_in_it_changes_nothing(
    cache: Path, registry: Path, member: str, content: bytes
) -> None:
    publish(registry, member, content)
    with pytest.raises(ModelError, match="does not hold the model"):
        models.pull()
    assert not (cache / "tiny.gguf").exists()
    assert not (cache / "tiny.gguf.part").exists()
    with pytest.raises(ModelError, match="run: graphmem model pull"):
        models.find()


def test_pips_own_words_are_passed_on(cache: Path, registry: Path) -> None:
    with pytest.raises(ModelError, match=r"fake-model==1\.0.*No matching distribution"):
        models.pull()


def test_a_cache_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="cannot be put into"):
        models.pull()


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/wen")
    for given in ("", "relative/path"):  # which the specification has ignored
        monkeypatch.setenv("XDG_CACHE_HOME", given)
        assert models.folder() == Path("/home/wen/.cache/graphmem/models")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache")
    assert models.folder() == Path("/var/cache/graphmem/models")


def test_a_model_of_ones_own(cache: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.gguf"
    with pytest.raises(ModelError, match=r"mine\.gguf cannot be read.*GRAPHMEM_MODEL"):
        models.find(str(mine))
    mine.write_bytes(b"PK\x03\x04")
    with pytest.raises(ModelError, match=r"no GGUF file.*name a GGUF file"):
        models.find(str(mine))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelError, match="a pipe"):
        models.find(str(tmp_path / "pipe"))
    mine.write_bytes(CONTENT)
    assert models.find(str(mine)) == mine


def test_a_missing_library_is_told_first(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"checkout run: pip install -e '\.\[llm\]'"):
        models.find()


# -- opening a memory ------------------------------------------------------------------------------


def test_open_says_at_once_that_there_is_no_model(cache: Path, tmp_path: Path) -> None:
    """In the background nobody would hear it, and each text would be set aside."""
    with pytest.raises(ModelError, match="run: graphmem model pull"):
        graphmem.open(tmp_path / "memory", worker="llama")
    assert not (tmp_path / "memory").exists()


def test_open_says_at_once_that_a_model_cannot_be_loaded(gguf: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    with gguf.open("rb") as file:
        cut.write_bytes(file.read(3 << 20))
    with pytest.raises(ModelError, match=r"cut\.gguf"):
        graphmem.open(tmp_path / "memory", worker="llama", model=str(cut))
    graphmem.open(tmp_path / "memory", worker="none").close()


@pytest.mark.slow
def test_a_memory_is_scored_by_the_model(gguf: Path, tmp_path: Path) -> None:
    texts = [
        "Wen moved the release from May 3 to May 10. Thanks!",
        "赵敏对花生过敏，订餐时要避开。",
    ]
    with graphmem.open(None, worker="none") as memory:
        (ruled, *_), _ = memory.remember_many(texts)
        memory.admin.enrich()
        ruled = memory[ruled]
    with graphmem.open(tmp_path / "memory", worker="llama") as memory:
        (node, *_), _ = memory.remember_many(texts)
        assert memory.admin.enrich(50) == 0
        stats = memory.admin.stats()
        assert stats["worker"]["backend"] == "llama"
        assert stats["worker"]["enriched"] == 2
        assert stats["queue"] == {**stats["queue"], "waiting": 0, "set_aside": 0}
        assert memory[node].keywords == ruled.keywords
        assert memory.admin.check() == []


# -- the command line ------------------------------------------------------------------------------


def test_the_command_line(cache: Path, registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish(registry)
    assert main(["model", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["packaged"] is True
    assert "graphmem model pull" in told["fault"]
    assert main(["model", "pull", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"path": str(cache / "tiny.gguf"), "fetched": True}
    assert main(["model", "pull"]) == 0
    # Byte for byte what was asked for, and yet nothing that anyone can load.
    assert main(["model", "--json"]) == 1
    told = capsys.readouterr().out
    assert '"fault": "l' in told  # llama.cpp cannot load it, or llama-cpp-python is not there


def test_ready_is_what_has_been_loaded(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model"]) == 0
    assert "Ready" in capsys.readouterr().out
    cut = tmp_path / "cut.gguf"
    with gguf.open("rb") as file:
        cut.write_bytes(file.read(3 << 20))
    monkeypatch.setenv("GRAPHMEM_MODEL", str(cut))
    assert main(["model"]) == 1
    told = capsys.readouterr().out
    assert "cut.gguf" in told
    assert "Ready" not in told
