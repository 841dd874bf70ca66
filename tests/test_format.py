"""Format 1 on disk is a promise: a folder written today is read by whatever comes later.

`fixtures/format-1` was closed by the version that made it; `fixtures/make_format_1.py` tells how. A
change that reads it differently has changed the format, and needs a new version and a migration.
"""

import json
import math
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import plyvel
import pytest

import graphmem
from graphmem.hexastore.keys import Space
from tests.fixtures.make_format_1 import EXPECTED, FOLDER, SECOND_SCOPE, picture

VECTOR_SPACES = {
    Space.VECTOR, Space.VECTOR_STATE, Space.EMBEDDING, Space.EMBEDDING_AGE, Space.EMBED
}  # fmt: skip
DECAY = -math.log(0.97)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "format-1"
    shutil.copytree(FOLDER, copy)
    return copy


@pytest.fixture
def memory(folder: Path) -> Iterator[graphmem.Memory]:
    with graphmem.open(folder, worker="none", durability="os") as memory:
        yield memory


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return dict(json.loads(EXPECTED.read_text("utf-8")))


def test_it_agrees_in_all_its_parts(memory: graphmem.Memory) -> None:
    assert memory.scopes() == ["default", SECOND_SCOPE]
    assert memory.check() == []
    assert memory.scope(SECOND_SCOPE).check() == []


@pytest.mark.parametrize("scope", ["default", SECOND_SCOPE])
def test_everything_is_read_back(
    memory: graphmem.Memory, expected: dict[str, Any], scope: str
) -> None:
    found = json.loads(json.dumps(picture(memory.scope(scope))))
    for part, content in expected[scope].items():
        assert found[part] == content, part
    assert found.keys() == expected[scope].keys()


def test_strengths_are_those_of_their_pass(memory: graphmem.Memory) -> None:
    """Related by hand at pass 80, read at pass 92: twelve times 0.97."""
    by_hand = {k.relation: k for node in memory for k in memory.links(node)}
    for relation in ("depends on", "见于", "https://example.org/cites"):
        assert by_hand[relation].strength == pytest.approx(0.97**12, abs=1e-6)


def test_words_are_found_where_they_are_folded_and_where_they_are_fresh(
    memory: graphmem.Memory,
) -> None:
    found = memory.recall("spare key boiler", use=False)
    assert found[0].text.startswith("Fresh: the spare key")
    assert "备用钥匙" in memory.recall("钥匙挂在哪里", use=False)[0].text
    assert any("Friday" in hit.text for hit in memory.recall("meeting room Friday", use=False))


def test_what_was_forgotten_can_be_revived(memory: graphmem.Memory) -> None:
    gone = next(g for g in memory.forgotten() if g.why == "asked")
    before = memory.history(gone.id)[0].node.text
    assert memory.revive(gone.id, 1).text == before
    assert memory.check() == []


def test_it_goes_on_living(memory: graphmem.Memory) -> None:
    """Reading an old folder is half of it; it must also take new texts, passes and scores."""
    nodes = memory.remember("A new text in an old folder, 新的一句。")
    memory.enrich()
    for _ in range(30):
        memory.sweep()
    memory.compact()
    assert memory[nodes[0]].form is graphmem.Form.WHOLE
    assert memory.check() == []


def test_the_bytes_are_those_of_the_document(folder: Path, expected: dict[str, Any]) -> None:
    """Read with LevelDB and struct alone, by docs/format.md, so that both ends cannot drift."""
    raw = plyvel.DB(str(folder / "store"), compression=None)
    try:
        pairs = dict(raw)
    finally:
        raw.close()
    for key, stored in pairs.items():
        if stored:
            assert crc32(stored[:-4], crc32(key)).to_bytes(4, "big") == stored[-4:]
    values = {key: stored[:-4] for key, stored in pairs.items()}
    assert json.loads(values[b"\0\0\0\0\xf0\0"])["format"] == 1
    assert values[b"\0\0\0\0\x01default"] == b"\0\0\0\x01"

    scope = b"\0\0\0\x01"
    counters = struct.unpack(">20Q2d", values[scope + b"\x01"])
    next_node, passes, nodes = counters[:3]
    said = expected["default"]
    assert (passes, nodes) == (said["stats"]["passes"], said["stats"]["nodes"])
    assert next_node == max(map(int, said["nodes"])) + 1

    links = 0
    for key, value in values.items():
        if key.startswith(scope + b"\x10") and value:
            assert len(key) == 53
            level, distance = struct.unpack(">qB", value)
            source, target = key[13:21], key[45:53]
            head = values[scope + b"\x22" + source]
            flipped = (2**64 - 1 - (level + 2**63)).to_bytes(8, "big")
            target = (2**64 - 1 - int.from_bytes(target, "big")).to_bytes(8, "big")
            assert any(
                head[at : at + 16] == flipped + target and head[at + 20] == distance
                for at in range(0, len(head), 24)
            )
            assert 0 < math.exp(level / 2**22 - passes * DECAY) <= 1.000001
            links += 1
    assert links == counters[11] == said["stats"]["links"]

    absent = {Space.INTENT, Space.OVERFLOW, Space.DEAD, *VECTOR_SPACES}
    assert {key[4] for key in values if key.startswith(scope)} == set(Space) - absent
