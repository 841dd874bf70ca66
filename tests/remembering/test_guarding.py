"""Secrets stay out: what the guard cuts is in no file, no log, no error, and reaches no worker.

Without this a password that was pasted once is in the memory for good, in every copy of it.
"""

import json
import logging
from math import inf
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, SecretError
from graphmem.hexastore.terms import IRI, Literal
from graphmem.remembering.guarding import Guard
from graphmem.remembering.messages import read_messages
from graphmem.values.remembered import Secret
from graphmem_worker.backends.extractive import Extractive

TOKEN = "ghp_" + "Zk3vT9mQ1xWc7LbR5nHd2YgFs8PaJe4KuXo6"[:36]
PASSWORD = "Tr0ub4dor&3x"
CARD = "4111 1111 1111 1111"
KEY = "\n".join(
    ("-----BEGIN PRIVATE KEY-----", *("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 2,) * 70,
     "-----END PRIVATE KEY-----")
)  # fmt: skip
VALUES = (TOKEN, PASSWORD, CARD, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC")


class Embedder:
    """Keeps what it is handed, as a server would."""

    name = "recording"
    dimensions = 8

    def __init__(self) -> None:
        self.got: list[str] = []

    def embed(self, texts: Any, kind: str) -> Any:
        self.got += texts
        return np.ones((len(texts), self.dimensions), np.float32)


def found_in(data: bytes) -> list[str]:
    return [value for value in VALUES if value.encode() in data]


def test_what_is_cut_is_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    embedder = Embedder()
    handed: list[str] = []

    def process(payload: dict[str, Any]) -> Any:
        handed.append(repr(payload))
        return Extractive().process(payload, inf)  # type: ignore[arg-type]

    notes = tmp_path / "notes.md"
    notes.write_text(
        f"# Access\n\nThe password is {PASSWORD}\n\n{KEY}\n\nThe review is on May 6.\n"
    )
    home = tmp_path / "memory"
    with graphmem.open(home, worker="none", embedder=embedder) as memory:
        rooms(memory).enrichment.process = process
        kept = memory.remember(
            f"The deploy token is {TOKEN} since Monday. The review is on May 6.",
            speaker=f"Wen, password: {PASSWORD}",
            about=graphmem.About(keywords=[f"card {CARD}"]),
        )
        assert {(secret.kind, secret.where) for secret in kept.cut} == {
            ("token", "text"), ("password", "speaker"), ("card", "keyword"),
        }  # fmt: skip
        again = memory.correct(kept[0], f"The password is {PASSWORD}, and the review on May 7.")
        assert [secret.kind for secret in again.cut] == ["password"]
        assert "password" in memory[again[0]].cut
        memory.files.add(notes)
        chunks = [node for node in memory if "Access" in node.text or "[key]" in node.text]
        assert {kind for node in chunks for kind in node.cut} == {"password", "key"}
        chat = read_messages([{"role": "user", "content": f"my password is {PASSWORD}"}])
        memory.remember_many(chat)
        memory.pool("team").write("access", {"note": f"token: {TOKEN}"})
        memory.items.put("n", "k", [f"password: {PASSWORD}"])
        memory.graph.facts.put(
            "http://e.org/db", "http://e.org/says", f"the password is {PASSWORD}"
        )
        assert memory.graph.facts.count(None, None, f"the password is {PASSWORD}") == 1
        memory.recall(f"what was said of the token {TOKEN}", use=False)
        memory.admin.enrich(20)
        memory.forget(again[0])
        memory.admin.compact()
        assert embedder.got
        assert handed
        assert not memory.admin.check()
    for name in home.rglob("*"):
        if name.is_file():
            assert not found_in(name.read_bytes()), name
    told = "\n".join((*embedder.got, *handed, caplog.text))
    assert not found_in(told.encode())


def test_refuse_says_what_and_where_without_the_value() -> None:
    with graphmem.open(worker="none", guard="refuse") as memory:
        with pytest.raises(SecretError) as refused:
            memory.remember(f"The password is {PASSWORD}")
        assert "password" in str(refused.value)
        assert not found_in(str(refused.value).encode())
        with pytest.raises(SecretError):
            memory.graph.facts.put("http://e.org/db", "http://e.org/says", f"password: {PASSWORD}")
        assert len(memory) == 0
        (node,) = memory.remember(
            f"The password is {PASSWORD}", about=graphmem.About(allow=["password"])
        )
        assert PASSWORD in node.text
        assert node.cut == ()


def test_only_the_segment_that_held_a_secret_says_so() -> None:
    """Whoever looks for what was cut would read a whole document in vain."""
    plain = "The meeting about the new pump took place in the large hall on the second floor. " * 4
    with graphmem.open(worker="none") as memory:
        nodes = memory.remember(f"{plain}The password is {PASSWORD}, says Wen.")
        assert len(nodes) > 1
        for node in nodes:
            assert node.cut == (("password",) if "[password]" in node.text else ())
        assert nodes[0].cut == ()
        assert nodes[-1].cut == ("password",)


def test_levels_and_allowed_kinds() -> None:
    said = "The alarm code is 4711. Call me at +49 30 901820 please."
    with graphmem.open(worker="none") as memory:
        kept = memory.remember(said)
        assert "4711" not in kept[0].text
        assert "901820" in kept[0].text
        secret = Secret("code", said.index("4711"), said.index("4711") + 4)
        assert kept.cut == (secret,)
        assert kept[0].cut == ("code",)
        assert (
            memory.remember("The alarm code is 4711.", about=graphmem.About(allow=["code"])).cut
            == ()
        )
        fields = {"pin": 4471, "password": PASSWORD}
        (node,) = memory.remember("A.", metadata=fields, about=graphmem.About(allow=["code"]))
        assert node.metadata == {"pin": 4471, "password": "[password]"}
        with pytest.raises(InvalidArgumentError, match="allow takes account, "):
            memory.remember("x", about=graphmem.About(allow=["colour"]))
        with pytest.raises(ArgumentTypeError):
            memory.remember("x", about=graphmem.About(allow="code"))
    with graphmem.open(worker="none", guard="personal") as memory:
        assert "phone" in memory.remember(said)[0].cut
    with graphmem.open(worker="none", guard="off") as memory:
        assert memory.remember(said)[0].text == said


def test_an_iri_with_a_secret_is_refused() -> None:
    with graphmem.open(worker="none") as memory:
        for given in (IRI(f"http://e.org/?password={PASSWORD}"), IRI(f"http://wen:{TOKEN}@e.org/")):
            with pytest.raises(SecretError) as refused:
                memory.graph.facts.put("http://e.org/db", "http://e.org/at", given)
            assert not found_in(str(refused.value).encode())


@settings(max_examples=300)
@example(name=UUID("d6fc7e5acc9044678a9fbe43aea77a64"), plain=True)
@example(name=UUID("bfa139a6-3640-4384-836b-ffef6f7e7302"), plain=False)
@given(st.uuids(), st.booleans())
def test_an_identifier_without_meaning_is_a_name(name: UUID, plain: bool) -> None:
    """One in 250 looked like a password to what reads words by those around them."""
    told = name.hex if plain else f"/{name}"
    with graphmem.open(worker="none") as memory:
        memory.items.put("threads", told, 1)
        assert memory.items.get("threads", told) is not None


def test_an_export_keeps_what_was_cut(tmp_path: Path) -> None:
    from graphmem.exchange import transfer

    with graphmem.open(tmp_path / "a", worker="none") as memory:
        (node,) = memory.remember(f"The password is {PASSWORD}")
    transfer.export(tmp_path / "a", str(tmp_path / "a.jsonl"))
    transfer.load(tmp_path / "b", [str(tmp_path / "a.jsonl")])
    with graphmem.open(tmp_path / "b", worker="none") as memory:
        assert memory[node].cut == ("password",)
        assert memory.admin.check() == []


FIELDS: list[Any] = [
    {"password": PASSWORD},
    {"wifiPassword": PASSWORD},
    {"DB_PASSWORD": PASSWORD},
    {"login": {"user": "lena", "passphrase": f"{PASSWORD} blue kettle"}},
    {"passwords": {"router": PASSWORD}},
    {"fields": [{"name": "Wi-Fi password", "value": PASSWORD}]},
    [["wifi password", PASSWORD]],
    {"密码": PASSWORD},
    {"项目": [{"名称": "邮箱密码", "内容": PASSWORD}]},
    {"note": f"the password is {PASSWORD}".encode()},
    {"password": PASSWORD.encode()},
    {f"password: {PASSWORD}": 1},
]


@pytest.mark.parametrize("value", FIELDS, ids=str)
def test_a_field_that_is_named_as_a_secret_keeps_none(value: Any, tmp_path: Path) -> None:
    """`items.put("n", "k", {"password": …})` left the password on the disk: only prose was read."""
    with graphmem.open(tmp_path, worker="none") as memory:
        kept = memory.items.put("n", "k", value).value
        assert "lena" in str(kept) or "user" not in str(value)
        memory.items.put("n", "password", PASSWORD, by=f"Wen, password: {PASSWORD}")
        if isinstance(value, dict):
            flat = {
                name: json.dumps(inner) if isinstance(inner, dict | list) else inner
                for name, inner in value.items()
                if not isinstance(inner, bytes)
            }
            memory.remember("A note of an account.", metadata=flat)
    for name in tmp_path.rglob("*"):
        assert not name.is_file() or not found_in(name.read_bytes()), name


def test_a_fact_whose_predicate_names_a_secret_keeps_none(tmp_path: Path) -> None:
    """`graph.facts.put(db, e:password, …)` kept the password: only its text was looked at."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        for subject, predicate in (("db", "password"), ("wifi_password", "value")):
            memory.graph.facts.put(f"http://e.org/{subject}", f"http://e.org/{predicate}", PASSWORD)
            (fact,) = memory.graph.facts.match(f"http://e.org/{subject}", None, None)
            assert fact.object == Literal("[password]")
            assert memory.graph.facts.count(f"http://e.org/{subject}", f"http://e.org/{predicate}",
                                      PASSWORD) == 1  # fmt: skip
        memory.graph.facts.put("http://e.org/card", "http://e.org/pin", 4471)
    for name in (tmp_path / "m").rglob("*"):
        if name.is_file():
            assert PASSWORD.encode() not in name.read_bytes()
            assert b"4471" not in name.read_bytes()


def test_a_whole_number_under_a_secrets_name_is_cut_and_others_stay() -> None:
    """A PIN that a program stores as a number is as much a secret as one that is written."""
    value = {
        "pin": 4471, "tokens": 1800, "max_tokens": 4096, "password_policy": "twelve characters",
        "updated": 1764000000000000, "public_key": "AAAAC3NzaC1lZDI1", "token_count": 99,
        "password": None, "has_password": True,
    }  # fmt: skip
    with graphmem.open(worker="none") as memory:
        assert memory.items.put("n", "k", value).value == {**value, "pin": "[code]"}
        (node,) = memory.remember("A card.", metadata={"pin": 4471, "floor": 3})
        assert node.metadata == {"pin": "[code]", "floor": 3}
        assert node.cut == ("code",)


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    """A cut within packed data left data that nobody could unpack."""
    with graphmem.open(None, worker="none") as memory:
        said = f"The password is {PASSWORD}.".encode()
        assert PASSWORD.encode() not in memory.items.put("n", "text", said).value
        assert memory.items.put("n", "packed", b"\x81\xa1" + said).value == b"\x81\xa1" + said


def test_brackets_that_python_cannot_read_are_told_as_they_are() -> None:
    """Five hundred of them in a message came out as a RecursionError."""
    with graphmem.open(None, worker="none") as memory:
        (node,) = memory.remember(text := "See " + "[" * 500 + "]" * 500)
        assert node.text == text


def test_a_speaker_is_examined_anew_for_other_allowed_kinds() -> None:
    """Names without a secret are known by heart; one with a secret never is."""
    guard = Guard("secrets")
    given = f"Wen, password: {PASSWORD}"
    assert guard.cut(given, "speaker", ["password"]) == (given, ())
    for _ in range(2):
        text, cut = guard.cut(given, "speaker")
        assert PASSWORD not in text
        assert [secret.kind for secret in cut] == ["password"]
    assert guard.cut("Wen", "speaker") == guard.cut("Wen", "speaker") == ("Wen", ())
