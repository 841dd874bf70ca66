"""Bytes of anybody: what comes over the socket is a value of a declared type, or is refused."""

from __future__ import annotations

import inspect
import tracemalloc
from dataclasses import asdict, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, get_type_hints

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphmem import errors
from graphmem.attaching.codec import RECORDS, decode, decode_request, describe, encode, rebuild
from graphmem.errors import AlreadyOpenError, FullError, GraphMemError, ProtocolError
from graphmem.hexastore.terms import IRI, Literal
from graphmem.values.links import Link
from graphmem.values.recall import Recall
from graphmem.values.themes import Theme

FIRST, LAST = 16, 100  # the codes of records, and one behind those of results
ROOM = 8 << 20  # bytes that a message of a few hundred may take

PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats()
    | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)  # fmt: skip
EXTENDED = st.builds(
    lambda code, inner: msgpack.packb(
        msgpack.ExtType(code, msgpack.packb(inner, unicode_errors="surrogatepass"))
    ),
    st.sampled_from([*range(6), *range(FIRST, FIRST + len(RECORDS)), *range(96, LAST)]),
    PLAIN,
)
MESSAGES = (
    st.binary(max_size=400)
    | EXTENDED
    | st.lists(EXTENDED, max_size=4).map(lambda some: bytes([0x90 + len(some)]) + b"".join(some))
)


def use(value: object) -> None:
    """Look at a value as a client does: the hits of a recall are made when they are looked at."""
    if isinstance(value, Recall):
        list(value)


@given(message=MESSAGES)
@example(b"\xdd\xff\xff\xff\xff")
@example(b"\xdd\x00\x03\x0d\x40" * 900)
@example(b"\x91" * 3000)
@example(msgpack.packb(msgpack.ExtType(3, b"9" * 5000)))
@example(msgpack.packb(msgpack.ExtType(0, msgpack.packb([msgpack.ExtType(0, b"\x91" * 2000)]))))
def test_any_bytes_are_a_value_or_are_refused(message: bytes) -> None:
    """An exception of another kind ended the thread that serves a client."""
    tracemalloc.start()
    try:
        for read in (decode_request, decode):
            try:
                use(read(message))
            except ProtocolError:
                continue
        assert tracemalloc.get_traced_memory()[1] < ROOM
    finally:
        tracemalloc.stop()


@given(term=st.sampled_from([IRI("http://e.org/a"), Literal("a"), Literal("a", language="en")]))
def test_what_is_cut_short_or_changed_is_refused_or_another_value(term: Any) -> None:
    """A term that can be no term was told as the fault of the verb that it was sent with."""
    message = encode(term)
    for place in range(len(message)):
        for changed in (message[:place], message[:place] + b"\xc1" + message[place + 1 :]):
            for read in (decode_request, decode):
                try:
                    read(changed)
                except ProtocolError:
                    continue


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("source", "two"), ("relation", 7), ("strength", "much"), ("strength", None),
     ("distance", [1]), ("dangling", 3.5)],
)  # fmt: skip
def test_a_field_has_the_type_that_it_declares(field: str, wrong: object) -> None:
    """A text for a strength was found far from where it came in, by whoever calculated with it."""
    link = Link(1, "cites", 2, 0.5, 3, False)

    def sent(held: dict[str, Any]) -> Any:
        packed = msgpack.packb(list(held.values()))
        return decode(msgpack.packb(msgpack.ExtType(FIRST + RECORDS.index(Link), packed)))

    assert sent(asdict(link)) == link
    with pytest.raises(ProtocolError):
        sent(asdict(link) | {field: wrong})
    with pytest.raises(ProtocolError):
        sent(asdict(link) | {"more": 1})


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_record_reads_each_of_its_fields(kind: Any) -> None:
    """A declaration that cannot be resolved was met by the first client that was sent one."""
    held = len(fields(kind)) if is_dataclass(kind) else len(kind._fields)
    packed = msgpack.packb([b"of no type"] * held)
    try:
        found = decode(msgpack.packb(msgpack.ExtType(FIRST + RECORDS.index(kind), packed)))
    except ProtocolError:
        return
    assert all(hint is Any for hint in get_type_hints(kind).values()), found


def test_an_item_has_the_type_that_its_record_declares() -> None:
    theme = Theme(
        1, "tea", True, ("green",), "Tea.", (1, 2), ((2, 0.5),), None, None, ("Ada",), 0.5
    )
    packed = encode(theme)
    assert decode(packed) == theme
    with pytest.raises(ProtocolError):
        decode(packed.replace(encode("green"), encode(b"gree")))


def test_a_recall_tells_a_client_what_it_told_the_owner() -> None:
    """Themes, levels and notes were not looked at by any client of a test."""
    found = Recall("tea", [], [], [], 60, len, answered=0.25)
    found.themes = (Theme(1, "tea", True, ("tea",), "Tea.", (1, 2), (), None, None, (), 0.0),)
    found.expanded_levels, found.noted = ("theme", "semantic"), ("No vectors.",)
    sent = decode(encode(found))
    for name in ("cue", "tokens", "answered", "themes", "expanded_levels", "noted", "text"):
        assert getattr(sent, name) == getattr(found, name)


@pytest.mark.parametrize("power", [63, 64, 65])
def test_a_whole_number_of_any_length_arrives(power: int) -> None:
    for value in (-(1 << power) - 1, -(1 << power), (1 << power) - 1, 1 << power):
        assert decode(encode(value)) == value


def test_a_moment_keeps_its_zone() -> None:
    now = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    assert decode(encode(now)) == now


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, GraphMemError)
    ],
)
def test_every_error_arrives_as_it_was_raised(kind: type[GraphMemError]) -> None:
    """QueryTimeoutError arrived as a ProtocolError: its parents have two different layouts."""
    own = "__init__" in vars(kind)
    wanted = [*inspect.signature(kind).parameters] if own else ["message"]
    others = {"line": 3, "column": 8, "owner_pid": 17, "expected": 2, "actual": 1, "known": ("a",)}
    sent = kind(*(others.get(name, f"its {name}") for name in wanted))
    again = rebuild(decode(encode(describe(sent))))
    assert type(again) is kind
    assert (str(again), again.args) == (str(sent), sent.args)
    assert vars(again) == vars(sent)


def test_a_full_disk_keeps_its_number() -> None:
    again = rebuild(describe(FullError(28, "no space left", "/m")))
    assert isinstance(again, FullError)
    assert (again.errno, again.strerror, again.filename) == (28, "no space left", "/m")
    known = rebuild(describe(AlreadyOpenError("/m", 17, "it is open")))
    assert isinstance(known, AlreadyOpenError)
    assert (known.path, known.owner_pid, str(known)) == ("/m", 17, "it is open")
