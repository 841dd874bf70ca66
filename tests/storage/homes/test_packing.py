"""Rows and parts as bytes."""

import os

import hypothesis.strategies as st
import pytest
from hypothesis import given

from graphmem.errors import CorruptError, InvalidArgumentError
from graphmem.storage.homes.packing import (
    Seal,
    packed,
    packed_piece,
    unpacked,
    unpacked_piece,
)

BATCHES = st.lists(st.dictionaries(st.binary(max_size=9), st.none() | st.binary(max_size=300)))


class Vault:
    """Keys of an operator, in a dict."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def get(self, name: str) -> bytes | None:
        return self.kept.get(name)

    def make(self, name: str) -> bytes:
        self.kept[name] = os.urandom(32)
        return self.kept[name]

    def drop(self, name: str) -> None:
        self.kept.pop(name, None)


def test_a_key_is_never_written_over() -> None:
    """The second of two attempts made the key of the first anew, which a row, or a snapshot whose
    answer was lost, had been written with."""
    vault = Vault()
    seal = Seal("m", vault)
    first, second = seal.next_generation(1), Seal("m", vault).next_generation(1)
    assert (first, second) == (2, 3)
    seal.drop_before(second)
    assert set(vault.kept) == {"m/3"}
    seal.next_generation(3)
    seal.drop_all(3)
    assert vault.kept == {}


@given(batches=BATCHES, encrypted=st.booleans(), flip=st.integers(0, 1 << 30))
def test_what_was_closed_is_opened_or_refused(
    batches: list[dict[bytes, bytes | None]], encrypted: bool, flip: int
) -> None:
    """A bit that changed in the database must not become a memory."""
    seal = Seal("m", Vault())
    generation = seal.next_generation(0) if encrypted else 0
    plain = b"".join(map(packed, batches))
    content = seal.closed("row", 3, 0, plain, generation)
    assert list(unpacked(seal.opened("row", 3, 0, content))) == batches
    damaged = bytearray(content)
    damaged[flip % len(damaged)] ^= 1 << flip % 8
    with pytest.raises(CorruptError):
        seal.opened("row", 3, 0, bytes(damaged))


def test_what_is_encrypted_cannot_be_moved(tmp_path: object) -> None:
    """A row put in another's place, or another memory's, would be read as its own."""
    vault = Vault()
    seal = Seal("m", vault)
    generation = seal.next_generation(0)
    content = seal.closed("row", 3, 0, b"plain", generation)
    assert b"plain" not in content
    vault.kept["n/1"] = vault.kept["m/1"]
    for other, kind, position, part in [
        (seal, "row", 4, 0), (seal, "part", 3, 0), (seal, "row", 3, 1), (Seal("n", vault), "row", 3, 0)
    ]:  # fmt: skip
        with pytest.raises(CorruptError):
            other.opened(kind, position, part, content)  # type: ignore[arg-type]
    seal.drop_all(generation)
    with pytest.raises(InvalidArgumentError, match="m/1"):
        Seal("m", vault).opened("row", 3, 0, content)


def test_a_wrong_key_is_not_told_as_damage() -> None:
    """With a wrong key the advice was to restore a backup, which would have overwritten a healthy
    memory with an old one; and no row was named."""
    vault = Vault()
    seal = Seal("m", vault)
    generation = seal.next_generation(0)
    row = seal.closed("row", 3, 0, b"plain", generation)
    part = seal.closed("part", 7, 2, b"plain", generation)
    wrong = Vault()
    wrong.kept["m/1"] = b"?" * 32
    for kind, position, number, content, named in [
        ("row", 3, 0, row, "row 3 of the memory m"),
        ("part", 7, 2, part, "part 2 of snapshot 7 of the memory m"),
    ]:
        with pytest.raises(CorruptError, match=rf"{named} .*the key m/1 is not the one") as raised:
            Seal("m", wrong).opened(kind, position, number, content)  # type: ignore[arg-type]
        assert "Look at the keys" in str(raised.value)
        assert "restore" not in str(raised.value)
        with pytest.raises(CorruptError, match=rf"{named} .*damaged: restore a backup"):
            seal.opened(kind, position, number, content[:-1] + bytes((content[-1] ^ 1,)))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["../a", "a/b", "", ".", ".."])
def test_a_file_of_a_snapshot_stays_in_its_folder(name: str) -> None:
    """Whoever may write to the database could write anywhere on the machines that open it."""
    assert unpacked_piece(packed_piece("000001.ldb", 5, b"x")) == ("000001.ldb", 5, b"x")
    with pytest.raises(CorruptError):
        unpacked_piece(packed_piece(name, 0, b"x"))
