"""A range that stops too early loses rows; one that goes too far reads another scope's."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import assume, example, given

from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space

STARTS = st.binary(min_size=1, max_size=6).filter(lambda b: b.strip(b"\xff"))


@given(start=STARTS, key=st.binary(max_size=8))
@example(start=b"\x00\xff", key=b"\x00\xff\xff\xff")
@example(start=b"a", key=b"b")
def test_after_parts_what_begins_so_from_what_follows(start: bytes, key: bytes) -> None:
    """With `start + b"\\xff"` as the stop, keys whose next bytes are FF would be lost."""
    stop = keys.after(start)
    assert key.startswith(start) == (start <= key < stop)


@given(start=STARTS, tail=st.binary(max_size=4))
def test_nothing_smaller_would_do(start: bytes, tail: bytes) -> None:
    """A stop further away would read the neighbour's rows."""
    stop = keys.after(start)
    between = start + tail
    assume(between < stop)
    assert between.startswith(start)


@given(a=st.integers(0, (1 << 64) - 1), b=st.integers(0, (1 << 64) - 1))
def test_numbers_in_keys_sort_as_numbers(a: int, b: int) -> None:
    """ "Most overdue first" would be in any order."""
    assert (a < b) == (keys.u64(a) < keys.u64(b))


@given(scope=st.integers(1, (1 << 32) - 2), space=st.sampled_from(Space))
def test_a_scope_is_one_range(scope: int, space: Space) -> None:
    """Dropping a scope would leave some of it, or take some of the next."""
    start, stop = keys.scope_range(scope)
    for tail in (b"", b"\x00", b"\xff" * 40):
        assert start <= keys.prefix(scope, space) + tail < stop
        assert not start <= keys.prefix(scope + 1, space) + tail < stop
        assert not start <= keys.prefix(scope - 1, space) + tail < stop


def test_the_numbers_of_the_spaces_are_those_of_format_2() -> None:
    """A renumbered space makes every folder written before unreadable."""
    assert {space.name: int(space) for space in Space} == {
        "STATE": 0x01, "META": 0x02, "LAST_TEXT": 0x03, "RELATION": 0x04, "INTENT": 0x05,
        "SPO": 0x10, "SOP": 0x11, "PSO": 0x12, "POS": 0x13, "OSP": 0x14, "OPS": 0x15,
        "DICTIONARY": 0x18, "STATISTIC": 0x19,
        "TEXT": 0x20, "NODE": 0x21, "FOCUS": 0x24, "DUE": 0x25, "TOMBSTONE": 0x26,
        "OUT": 0x27, "OVERFLOW": 0x28, "IN": 0x29, "RELATED": 0x2A, "KEYWORD": 0x2B, "SESSION": 0x2C,
        "FRESH": 0x30, "CHUNK": 0x31, "FREQUENCY": 0x32, "VECTOR": 0x33,
        "VECTOR_STATE": 0x34, "EMBEDDING": 0x35, "EMBEDDING_AGE": 0x36,
        "QUEUE": 0x40, "DEAD": 0x41, "EMBED": 0x42, "ARCHIVE": 0x50, "ARCHIVED": 0x51,
        "ITEM": 0x60, "ITEM_EXPIRY": 0x61, "CHANGE": 0x62, "FEED": 0x63,
        "EXPIRY": 0x68, "CONFLICT": 0x69, "THEME": 0x70, "PLACE": 0x78,
    }  # fmt: skip
