"""A format on disk is a promise: a folder written once is read by whatever comes later.

`fixtures/format-2` was closed by the version that made it; `fixtures/make_format_2.py` tells how. A
change that reads it differently has changed the format, and needs a new version and a migration.
"""

import json
import math
import shutil
import struct
import zlib
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zlib import crc32

import msgpack
import plyvel
import pytest

import graphmem
from graphmem.hexastore.keys import Space
from tests.fixtures.make_format_2 import EXPECTED, FOLDER, SECOND_SCOPE, picture

VECTOR_SPACES = {
    Space.VECTOR, Space.VECTOR_STATE, Space.EMBEDDING, Space.EMBEDDING_AGE, Space.EMBED
}  # fmt: skip
DECAY = -math.log(0.97)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "format-2"
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
    assert memory.scopes.names() == ["default", SECOND_SCOPE]
    assert memory.admin.check() == []
    assert memory.scopes.open(SECOND_SCOPE).admin.check() == []


@pytest.mark.parametrize("scope", ["default", SECOND_SCOPE])
def test_everything_is_read_back(
    memory: graphmem.Memory, expected: dict[str, Any], scope: str
) -> None:
    found = json.loads(json.dumps(picture(memory.scopes.open(scope))))
    for part, content in expected[scope].items():
        assert found[part] == content, part
    assert found.keys() == expected[scope].keys()


def test_strengths_are_those_of_their_pass(memory: graphmem.Memory) -> None:
    """Related by hand at pass 80, read at pass 92: twelve times 0.97."""
    by_hand = {k.relation: k for node in memory for k in memory.graph.links(node)}
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
    gone = next(g for g in memory.history.forgotten() if g.why == "asked")
    before = memory.history.of(gone.id)[0].node.text
    assert memory.history.revive(gone.id, 1).text == before
    assert memory.admin.check() == []


def test_it_goes_on_living(memory: graphmem.Memory) -> None:
    """Reading an old folder is half of it; it must also take new texts, passes and scores."""
    nodes = memory.remember("A new text in an old folder, 新的一句。")
    memory.admin.enrich()
    for _ in range(30):
        memory.sweep()
    memory.admin.compact()
    assert memory[nodes[0]].form is graphmem.Form.WHOLE
    assert memory.admin.check() == []


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
    assert values[b"\0\0\0\0\x01default"] == b"\0\0\0\x01"
    record = json.loads(values[b"\0\0\0\0\xf0\0"])
    assert (record["format"], record["requires"]) == (2, {"read": [], "write": []})
    scope = b"\0\0\0\x01"
    absent = {Space.INTENT, Space.OVERFLOW, Space.DEAD, *VECTOR_SPACES}
    known = {space for space in Space if space < 0x60} - absent
    assert known <= {key[4] for key in values if key.startswith(scope)} <= set(Space)
    counters = struct.unpack(">22Q2d", values[scope + b"\x01"])
    said = expected["default"]
    passes, links = counters[1], 0
    assert (passes, counters[2]) == (said["stats"]["passes"], said["stats"]["nodes"])
    related = set()
    for key, value in values.items():
        if not key.startswith(scope + b"\x29"):
            continue
        target, relation, source = struct.unpack(">QIQ", key[5:])
        level, distance = struct.unpack(">qB", value)
        out = values[scope + b"\x27" + key[17:]]
        whole = (
            (2**55 - 1 - level) << 72 | (2**40 - 1 - target) << 32 | relation << 8 | distance
        ).to_bytes(16, "big")
        assert whole in [out[at : at + 16] for at in range(0, len(out), 16)]
        assert out == b"".join(sorted(out[at : at + 16] for at in range(0, len(out), 16)))
        assert 0 < math.exp(level / 2**22 - passes * DECAY) <= 1.000001
        if relation > 2:
            related.add(scope + b"\x2a" + struct.pack(">IQQ", relation, source, target))
        links += 1
    assert related == {key for key in values if key.startswith(scope + b"\x2a")}
    assert links == counters[11] == said["stats"]["links"]
    keywords = {
        scope + b"\x2b\x04" + blake2b(f'"{word}"'.encode(), digest_size=15).digest()
        + struct.pack(">Q", int(node))
        for node, content in said["nodes"].items()
        for word in content["keywords"]
    }  # fmt: skip
    assert keywords == {key for key in values if key.startswith(scope + b"\x2b")}
    assert len(keywords) == counters[18]
    for node, content in said["nodes"].items():
        text = values[scope + b"\x20" + struct.pack(">Q", int(node))]
        body = text[1:] if text[0] == 2 else zlib.decompress(text[1:])
        fields = msgpack.unpackb(body, strict_map_key=False)
        whole = "".join(fields[1])
        quoted = [
            value if isinstance(value, str) else whole[value[0] : value[0] + value[1]]
            for value in (fields[3], *fields[4])
        ]
        assert quoted == [content["phrase"], *content["keywords"]]
        assert fields.get(5) == content["speaker"]
        version, uses = struct.unpack_from(
            ">II", values[scope + b"\x21" + struct.pack(">Q", int(node))]
        )
        assert (version, uses) == (content["version"], content["uses"])
