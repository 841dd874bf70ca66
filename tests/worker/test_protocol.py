"""Whatever comes through a pipe, the process that reads it must survive and say what was wrong."""

import math
from contextlib import suppress
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.errors import ProtocolError
from graphmem_worker.protocol import (
    LARGEST_MESSAGE,
    TASKS,
    Failure,
    Request,
    Response,
    check_payload,
    check_result,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PAYLOADS: st.SearchStrategy[tuple[str, Any]] = st.one_of(
    st.tuples(st.just("segment"), st.fixed_dictionaries({"text": TEXT})),
    st.tuples(
        st.just("process"),
        st.fixed_dictionaries(
            {
                "sentences": st.lists(TEXT, max_size=3),
                "keywords": st.lists(TEXT, max_size=3),
                "rarity": st.dictionaries(
                    TEXT, st.floats(allow_nan=False, allow_infinity=False), max_size=3
                ),
            }
        ),
    ),
    st.tuples(
        st.just("embed"),
        st.fixed_dictionaries(
            {"texts": st.lists(TEXT, max_size=3), "kind": st.sampled_from(["query", "passage"])}
        ),
    ),
    st.tuples(st.just("ping"), st.just({})),
)
REQUEST: dict[str, Any] = {
    "v": 1,
    "id": 7,
    "task": "segment",
    "payload": {"text": "a"},
    "deadline": 1.5,
    "priority": 0,
}
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.binary(max_size=5)
    | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXT | st.sampled_from(list(REQUEST)), inner, max_size=6)
    ),
    max_leaves=12,
)


@given(
    PAYLOADS,
    st.integers(0, 2**63 - 1),
    st.none() | st.floats(0.001, 1e9),
    st.integers(-(2**31), 2**31 - 1),
)
def test_a_request_arrives_as_it_was_sent(
    task: tuple[Any, dict[str, Any]], id: int, deadline: float | None, priority: int
) -> None:
    """A task that changes on its way enriches a memory with another one's keywords."""
    request = Request(id, task[0], task[1], deadline, priority)
    assert decode_request(encode_request(request)) == request


@given(
    st.integers(0, 2**63 - 1),
    st.dictionaries(TEXT, TEXT) | st.builds(Failure, TEXT, TEXT, st.booleans()),
)
def test_a_response_arrives_as_it_was_sent(id: int, outcome: dict[str, str] | Failure) -> None:
    """An error that arrives as a result would be written into the memory."""
    response = Response(id, outcome)
    assert decode_response(encode_response(response)) == response


@given(st.binary(max_size=200) | JUNK.map(msgpack.packb))
def test_rubbish_is_a_protocol_error(message: bytes) -> None:
    """Any other exception would kill the thread that reads, and every caller would hang."""
    for decode in (decode_request, decode_response):
        with suppress(ProtocolError):
            decode(message)


@given(st.sampled_from(sorted(REQUEST)), JUNK)
def test_a_request_with_one_wrong_field_is_refused(name: str, value: object) -> None:
    """What is let in unchecked fails later, in the middle of a task, for everyone."""
    known: int | None = 7
    try:
        request = decode_request(msgpack.packb(REQUEST | {name: value}))
    except ProtocolError as error:
        known = error.id
    else:
        assert decode_request(encode_request(request)) == request
    assert known == 7 or name == "id"


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": True},
        {"id": -1},
        {"id": True},
        {"id": "7"},
        {"task": "delete"},
        {"task": ["segment"]},
        {"payload": {}},
        {"payload": {"text": 1}},
        {"payload": {"text": "a", "more": 1}},
        {"payload": None},
        {"deadline": 0},
        {"deadline": -1.0},
        {"deadline": math.nan},
        {"deadline": True},
        {"priority": 0.5},
        {"priority": 2**40},
        {"extra": 1},
    ],
)
def test_wrong_fields_are_refused(change: dict[str, object]) -> None:
    """Silence about a field that is not understood loses the deadline of whoever sent it."""
    with pytest.raises(ProtocolError):
        decode_request(msgpack.packb(REQUEST | change))


@pytest.mark.parametrize(
    ("id", "fits"), [(-1, False), (0, True), (2**63 - 1, True), (2**63, False)]
)
def test_an_id_is_a_count_of_63_bits(id: int, fits: bool) -> None:
    message = msgpack.packb(REQUEST | {"id": id})
    if fits:
        assert decode_request(message).id == id
    else:
        with pytest.raises(ProtocolError):
            decode_request(message)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xc1",
        b"\xdf\xff\xff\xff\xff",
        b"\x91" * 100_000,
        msgpack.packb({1: 2}),
        msgpack.packb({"id": 1, "ok": 1, "result": {}}),
        msgpack.packb({"id": 1, "ok": True, "error": {}}),
        msgpack.packb({"id": 1, "ok": False, "error": {"kind": "x", "message": "y"}}),
        msgpack.packb({"id": 1, "ok": True, "result": msgpack.ExtType(4, b"x")}),
        msgpack.packb({"id": 1, "ok": True, "result": {}}) + b"\x00",
    ],
)
def test_wrong_responses_are_refused(message: bytes) -> None:
    """A worker of another version, or none at all, may sit at the other end."""
    with pytest.raises(ProtocolError):
        decode_response(message)


def test_the_largest_message_that_may_be_sent_is_read() -> None:
    """Else a text of just that length would be tried for ever."""

    def sent(length: int) -> bytes:
        return encode_request(Request(1, "segment", {"text": "a" * length}))

    some = 1 << 16  # whose length is told in as many bytes
    message = sent(LARGEST_MESSAGE - len(sent(some)) + some)
    assert len(message) == LARGEST_MESSAGE
    assert decode_request(message).id == 1


def test_what_a_receiver_would_refuse_is_not_sent() -> None:
    """The sender knows which text it was; the receiver only that something came."""
    for payload in ({"text": "\ud800"}, {"text": b"x"}, {"text": "a" * (LARGEST_MESSAGE + 1)}):
        with pytest.raises(ProtocolError):
            encode_request(Request(1, "segment", payload))
    with pytest.raises(ProtocolError):
        encode_request(Request(1, "score", {"sentences": [], "rarity": {"a": math.inf}}))
    with pytest.raises(ProtocolError):
        encode_response(Response(1, {"x": object()}))
    with pytest.raises(ProtocolError):
        decode_request(b"\x80" * (LARGEST_MESSAGE + 1))


def test_each_task_has_a_payload_and_a_result() -> None:
    """A task without a check would let anything through."""
    good: dict[str, tuple[dict[str, object], dict[str, object]]] = {
        "segment": ({"text": "a"}, {"segments": [["a"]]}),
        "process": (
            {"sentences": ["a"], "keywords": [], "rarity": {"a": 1}},
            {"salience": [1.0], "phrase": "a", "keywords": []},
        ),
        "score": ({"sentences": ["a"], "rarity": {}}, {"salience": [1.0]}),
        "embed": ({"texts": ["a"], "kind": "query"}, {"vectors": [[0.5, 1]]}),
        "ping": ({}, {"backend": "x", "pid": 1}),
    }
    assert set(good) == set(TASKS)
    for task, (payload, result) in good.items():
        check_payload(task, payload)
        check_result(task, result)
        with pytest.raises(ProtocolError):
            check_payload(task, payload | {"other": 1})
        for name in result:
            with pytest.raises(ProtocolError):
                check_result(task, result | {name: object()})
    with pytest.raises(ProtocolError):
        check_result("score", {"salience": [math.nan]})
