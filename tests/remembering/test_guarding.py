"""Secrets stay out: what the guard cuts is in no file, no log, no error, and reaches no worker.

Without this a password that was pasted once is in the memory for good, in every copy of it.
"""

import logging
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, SecretError
from graphmem.hexastore.terms import IRI
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
            keywords=[f"card {CARD}"],
        )
        assert {(secret.kind, secret.where) for secret in kept.cut} == {
            ("token", "text"), ("password", "speaker"), ("card", "keyword"),
        }  # fmt: skip
        again = memory.correct(kept[0], f"The password is {PASSWORD}, and the review on May 7.")
        assert [secret.kind for secret in again.cut] == ["password"]
        assert "password" in memory[again[0]].cut
        memory.remember_file(notes)
        chunks = [node for node in memory if "Access" in node.text or "[key]" in node.text]
        assert {kind for node in chunks for kind in node.cut} == {"password", "key"}
        chat = read_messages([{"role": "user", "content": f"my password is {PASSWORD}"}])
        memory.remember_many(chat.drafts)
        memory.pool("team").write("access", {"note": f"token: {TOKEN}"})
        memory.items.put("n", "k", [f"password: {PASSWORD}"])
        memory.facts.put("http://e.org/db", "http://e.org/says", f"the password is {PASSWORD}")
        assert memory.facts.count(None, None, f"the password is {PASSWORD}") == 1
        memory.recall(f"what was said of the token {TOKEN}", use=False)
        memory.enrich(20)
        memory.forget(again[0])
        memory.compact()
        assert embedder.got
        assert handed
        assert not memory.check()
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
            memory.facts.put("http://e.org/db", "http://e.org/says", f"password: {PASSWORD}")
        assert len(memory) == 0
        (node,) = memory.remember(f"The password is {PASSWORD}", allow=["password"])
        assert PASSWORD in node.text
        assert node.cut == ()


def test_levels_and_allowed_kinds() -> None:
    said = "The alarm code is 4711. Call me at +49 30 901820 please."
    with graphmem.open(worker="none") as memory:
        kept = memory.remember(said)
        assert "4711" not in kept[0].text
        assert "901820" in kept[0].text
        secret = Secret("code", said.index("4711"), said.index("4711") + 4)
        assert kept.cut == (secret,)
        assert kept[0].cut == ("code",)
        assert memory.remember("The alarm code is 4711.", allow=["code"]).cut == ()
        with pytest.raises(InvalidArgumentError, match="the kinds are"):
            memory.remember("x", allow=["colour"])
        with pytest.raises(ArgumentTypeError):
            memory.remember("x", allow="code")
    with graphmem.open(worker="none", guard="personal") as memory:
        assert "phone" in memory.remember(said)[0].cut
    with graphmem.open(worker="none", guard="off") as memory:
        assert memory.remember(said)[0].text == said


def test_an_iri_with_a_secret_is_refused() -> None:
    with graphmem.open(worker="none") as memory:
        for given in (IRI(f"http://e.org/?password={PASSWORD}"), IRI(f"http://wen:{TOKEN}@e.org/")):
            with pytest.raises(SecretError) as refused:
                memory.facts.put("http://e.org/db", "http://e.org/at", given)
            assert not found_in(str(refused.value).encode())


def test_an_export_keeps_what_was_cut(tmp_path: Path) -> None:
    from graphmem.exchange import transfer

    with graphmem.open(tmp_path / "a", worker="none") as memory:
        (node,) = memory.remember(f"The password is {PASSWORD}")
    transfer.export(tmp_path / "a", str(tmp_path / "a.jsonl"))
    transfer.load(tmp_path / "b", [str(tmp_path / "a.jsonl")])
    with graphmem.open(tmp_path / "b", worker="none") as memory:
        assert memory[node].cut == ("password",)
        assert memory.check() == []
