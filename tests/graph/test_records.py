"""A record that comes back otherwise is a memory altered; damage must be named, not guessed at."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import hypothesis.strategies as st
import msgpack
import pytest
from hypothesis import example, given

from graphmem.errors import CorruptError
from graphmem.forgetting.archive import Archived
from graphmem.graph import tombstones
from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.hexastore import fields
from graphmem.hexastore.scopes import ScopeState
from graphmem.index.words.records import Document, before
from graphmem.values.moments import micros, moment, offset_of
from graphmem.values.nodes import Form, Node, Tombstone

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
SOME = st.none() | TEXT
SALIENCE = st.floats(1e-6, 1e6)
MICROS = st.integers(-62_135_596_800_000_000 + 86_400_000_000, 253_402_214_400_000_000)
OFFSETS = st.integers(-14 * 60, 14 * 60)
COUNTS = st.integers(0, 5)
UNKNOWN = st.dictionaries(
    st.integers(100, 1 << 30), st.integers(0, 99) | TEXT | st.binary(), max_size=2
).map(fields.unknown)
SCALARS = SOME | st.booleans() | st.integers(-(1 << 63), (1 << 63) - 1) | st.floats(allow_nan=False)
METADATA = st.dictionaries(TEXT, SCALARS, max_size=3).map(lambda given: tuple(given.items()))
TEXTS = COUNTS.flatmap(
    lambda count: st.builds(
        TextRecord,
        spans=st.tuples(*[TEXT] * count),
        saliences=st.tuples(*[SALIENCE] * count),
        phrase=TEXT,
        keywords=st.lists(TEXT, max_size=4).map(tuple),
        speaker=SOME,
        happened=st.none() | st.tuples(MICROS, OFFSETS),
        session=SOME,
        created=MICROS,
        characters=st.integers(0, 1 << 40),
        given=st.integers(0, 32),
        last_density=st.floats(0, 1e6),
        metadata=METADATA,
        behind=MICROS,
        unknown=UNKNOWN,
    )
)
U32, U64 = st.integers(0, (1 << 32) - 1), st.integers(0, (1 << 64) - 1)
NODES = st.builds(
    NodeRecord,
    version=U32, uses=U32, pinned=st.booleans(), enriched=st.booleans(), born=U64, last_use=U64,
    due=U64, text_hash=U64, last_used=MICROS, valid_from=st.none() | MICROS,
    valid_to=st.none() | MICROS, expires=st.none() | MICROS, kind=U32, shared=st.booleans(),
    importance=st.none() | st.floats(0, 1), protection=st.integers(0, 2), had_pin=st.booleans(),
    undone=st.lists(st.tuples(MICROS, MICROS, MICROS), max_size=2).map(tuple), unknown=UNKNOWN,
)  # fmt: skip
STONES = st.builds(
    Tombstone,
    U64,
    TEXT,
    st.lists(TEXT, max_size=3).map(tuple),
    MICROS.map(moment),
    U64,
    st.just("faded"),
)
FORMS = st.tuples(U64, st.just("shortened"), MICROS, U64, TEXTS, NODES).map(
    lambda of: Archived(*of)
)
DOCUMENTS = st.builds(
    Document,
    st.dictionaries(TEXT, st.integers(1, 255), max_size=4),
    st.integers(0, 65535),
    st.lists(TEXT, min_size=1, max_size=3).map(tuple),
)


@given(text=TEXTS)
@example(text=TextRecord(("茶" * 5000,), (1.0,), "茶", ()))
def test_a_text_comes_back(text: TextRecord) -> None:
    """What was remembered is what is recalled, compressed or not."""
    packed = text.pack()
    assert TextRecord.unpack(packed) == text
    assert packed[:1] in (b"\x02", b"\x03")


@given(node=NODES)
def test_a_node_record_comes_back(node: NodeRecord) -> None:
    """A flag in the wrong bit unpins what a user wanted to keep."""
    packed = node.pack()
    assert NodeRecord.unpack(packed) == node
    plain = NodeRecord(*node[: NodeRecord._fields.index("valid_from")])
    assert plain.pack() == packed[:52]


@given(text=TEXTS, node=NODES, fields_=UNKNOWN)
def test_what_a_newer_version_wrote_survives_being_rewritten(
    text: TextRecord, node: NodeRecord, fields_: fields.Unknown
) -> None:
    """An older version that counts a use would otherwise drop what it does not know."""
    state = ScopeState(nodes=3, unknown=fields_)
    assert ScopeState.unpack(state.pack()) == state
    again = ScopeState.unpack(state.copy().pack())
    again.passes += 1
    assert ScopeState.unpack(again.pack()).unknown == fields_
    rewritten = TextRecord.unpack(text._replace(unknown=fields_).pack())._replace(phrase="other")
    assert TextRecord.unpack(rewritten.pack()).unknown == fields_
    used = NodeRecord.unpack(node._replace(unknown=fields_).pack()).used(3, 5)
    assert NodeRecord.unpack(used.pack()) == used
    assert used.unknown == fields_


@given(stone=STONES, form=FORMS, document=DOCUMENTS)
def test_tombstones_forms_and_documents_come_back(
    stone: Tombstone, form: Archived, document: Document
) -> None:
    """What a revival brings back is what was archived."""
    assert tombstones.unpack(stone.id, tombstones.pack(stone)) == stone
    assert Archived.unpack(form.pack()) == form
    assert form.version == form.record.version
    assert before(document.pack()) == document.before


def test_long_texts_are_compressed_and_short_ones_are_not() -> None:
    """Uncompressed, a million nodes of prose take twice the disk."""
    long = TextRecord(("Wen moved the release to May. " * 100,), (1.0,), "release", ())
    assert long.pack()[:1] == b"\x03"
    assert len(long.pack()) < 300
    short = TextRecord(("Wen moved the release.",), (1.0,), "release", ())
    assert short.pack()[:1] == b"\x02"


SCALARS = st.none() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats() | TEXT | st.binary()
NESTED = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=8
)
PACKED = (
    st.binary()
    | NESTED.map(msgpack.packb)
    | st.lists(NESTED, min_size=4, max_size=11).map(msgpack.packb)
)
UNPACKERS: list[Callable[[bytes], Any]] = [
    TextRecord.unpack,
    NodeRecord.unpack,
    lambda record: tombstones.unpack(1, record),
    Archived.unpack,
    before,
    ScopeState.unpack,
]
NAMES = ["text", "node", "tombstone", "archived", "document", "state"]


@pytest.mark.parametrize("unpack", UNPACKERS, ids=NAMES)
@given(damage=PACKED, way=st.sampled_from((bytes, zlib.compress)), flag=st.sampled_from((0, 1, 2)))
@example(damage=b"\x96\x00\x00\x00\x00\x80\x00", way=zlib.compress, flag=0)
def test_arbitrary_bytes_are_corrupt_and_nothing_else(
    unpack: Callable[[bytes], Any], damage: bytes, way: Callable[[bytes], bytes], flag: int
) -> None:
    """A TypeError out of msgpack ended check() and every sweep, and named neither cause nor cure."""
    for record in (way(damage), bytes((flag,)) + way(damage)):
        with suppress(CorruptError):
            unpack(record)


@pytest.mark.parametrize("unpack", UNPACKERS, ids=NAMES)
@given(data=st.data())
def test_flipped_bytes_are_corrupt_and_nothing_else(
    unpack: Callable[[bytes], Any], data: st.DataObject
) -> None:
    """The same for a record that was right once."""
    drawn = data.draw(TEXTS | NODES | STONES | FORMS | DOCUMENTS)
    packed = tombstones.pack(drawn) if isinstance(drawn, Tombstone) else drawn.pack()
    record = bytearray(packed)
    for place in data.draw(st.lists(st.integers(0, len(record) - 1), max_size=4)):
        record[place] ^= data.draw(st.integers(1, 255))
    cut = data.draw(st.integers(0, len(record)))
    for damaged in (record, record[:cut]):
        with suppress(CorruptError):
            unpack(bytes(damaged))


def test_a_record_with_more_sentences_than_saliences_is_corrupt() -> None:
    """Pairing them as far as they go dropped the last sentences without a word."""
    body = msgpack.packb([["One.", "Two."], [1.0], "One", [], None, None, None, 0, 8, 0, 0.0])
    with pytest.raises(CorruptError):
        TextRecord.unpack(b"\x00" + body)


def test_forms_follow_from_what_is_left() -> None:
    """A whole text shown as shortened would be fetched from the archive for nothing."""
    whole = TextRecord(("One. ", "Two."), (1.0, 1.0), "One", (), characters=9)
    assert (whole.form, whole.text) == (Form.WHOLE, "One. Two.")
    shorter = TextRecord(("Two.",), (1.0,), "One", (), characters=9)
    assert shorter.form is Form.SHORTER
    gist = TextRecord((), (), "One", (), characters=9)
    assert (gist.form, gist.text) == (Form.GIST, "")


def test_a_gist_is_found_by_its_phrase_and_keywords() -> None:
    """What was shortened to its gist could not be found by the words that are left."""
    gist = TextRecord((), (), "moved the release", ("Wen",), speaker="Ada", happened=(0, 0))
    assert set(gist.words) >= {"releas", "wen", "ada", "1970-01-01"}


@given(text=TEXTS, node=NODES)
def test_a_user_sees_both_records(text: TextRecord, node: NodeRecord) -> None:
    """What `memory[id]` shows must be what is stored."""
    seen = as_node(7, text, node, timezone(timedelta(hours=2)))
    assert (seen.id, seen.text, seen.phrase, seen.keywords) == (
        7, text.text, text.phrase, text.keywords,
    )  # fmt: skip
    assert (seen.uses, seen.pinned, seen.version, seen.form) == (
        node.uses, node.pinned, node.version, text.form,
    )  # fmt: skip
    assert 0 <= seen.kept <= 1
    assert (micros(seen.created), offset_of(seen.created)) == (text.created, 120)
    assert (seen.last_used is None) == (node.last_used == 0)
    assert str(seen)
    assert type(seen) is Node
    assert replace(seen) == seen, "as its own constructor makes it"
    with pytest.raises(FrozenInstanceError):
        seen.text = "another"  # type: ignore[misc]


@given(
    when=st.datetimes(
        datetime(2, 1, 1), datetime(9998, 1, 1),  # noqa: DTZ001 - the zone follows
        timezones=OFFSETS.map(lambda minutes: timezone(timedelta(minutes=minutes))),
    )
)  # fmt: skip
def test_moments_keep_microseconds_and_offset(when: datetime) -> None:
    """ "May 3, 09:00 in Beijing" must not come back as another hour, or as the day before."""
    offset = when.utcoffset()
    assert offset is not None
    back = moment(micros(when), int(offset.total_seconds() // 60))
    assert back == when
    assert back.isoformat() == when.isoformat()
    assert moment(micros(when)).tzinfo is UTC


def test_a_use_is_counted_with_its_pass_and_time() -> None:
    """Without the pass, what is used looks as old as what is not."""
    used = NodeRecord(version=3, pinned=True).used(12, 99)
    assert (used.uses, used.last_use, used.last_used) == (1, 12, 99)
    assert (used.version, used.pinned) == (3, True)


@pytest.mark.parametrize("when", [(1 << 62, 0), (-(1 << 62), 0), (0, 24 * 60), (0, 1 << 40)])
def test_a_date_that_cannot_be_is_named(when: tuple[int, int]) -> None:
    """Else a damaged record ends in an OverflowError of Python's, wherever its node is met."""
    with pytest.raises(CorruptError, match="no date is"):
        moment(*when)
