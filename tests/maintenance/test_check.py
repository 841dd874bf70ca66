"""check() is the proof that everything agrees: what it does not see, nobody will."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import graphmem
from graphmem.api.memory import Memory
from graphmem.api.opening import rooms
from graphmem.graph.links import ENTRY_BYTES
from graphmem.graph.records import NodeRecord
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import ORDERS, Space
from tests.embedders import Hashed

DATA = Path(__file__).parents[2] / "data"


def lived() -> Memory:
    """A small memory in which every space holds something."""
    memory = graphmem.open(None, worker="none", random=Random(0), embedder=Hashed())
    rooms(memory).database.embedding.stop()
    for number in range(6):
        memory.remember(
            f"Wen moved release {number} to May {number + 3}. It is final.",
            speaker="Wen", session="standup",
        )  # fmt: skip
    memory.remember("会议改到星期五下午三点。预算是四万二千元。", session="standup")
    assert rooms(memory).embedding is not None
    rooms(memory).embedding.step(5)
    memory.graph.relate(1, "causes", 3)
    memory.graph.relate(1, "因为", 2)
    memory.graph.facts.put("http://e.org/s", "http://e.org/p", "a plain fact")
    memory.remember("The car is on level three.", expires=1e9)
    memory.items.put("settings", "a", {"x": 1}, ttl=1e9)
    memory.items.put("settings", "b", 2, ttl=1e9)
    rooms(memory).words.fold()
    for number in range(260):
        memory.graph.relate(4, f"http://e.org/{number}", 5)
    memory.pin(5)
    memory.forget(2)
    memory.history.revive(2)
    memory.forget(3)
    memory.remember("Ada likes tea.", about=graphmem.About(keywords=["Zebra"]))
    memory.sweep()
    return memory


@pytest.fixture(scope="module")
def shared() -> Iterator[Memory]:
    with lived() as memory:
        rooms(memory).database.upkeep.stop()
        yield memory


@pytest.fixture
def memory(shared: Memory) -> Iterator[Memory]:
    """The memory, whose bytes are put back afterwards."""
    span = keys.scope_range(rooms(shared).scope.id)
    before = dict(rooms(shared).store.range(*span))
    yield shared
    added = dict.fromkeys(rooms(shared).store.keys(*span))
    rooms(shared).store.commit({**added, **before})


def rows(memory: Memory, space: Space) -> dict[bytes, bytes]:
    start = rooms(memory).scope.prefix(space)
    return dict(rooms(memory).store.range(start, keys.after(start)))


def one(memory: Memory, space: Space, place: int = 0) -> tuple[bytes, bytes]:
    return sorted(rows(memory, space).items())[place]


def test_a_healthy_memory_has_no_faults(memory: Memory) -> None:
    """A check that cries wolf is not read when it matters; the tests below begin from here."""
    assert memory.admin.check() == []
    # From 0x60 on are spaces of later rooms, which have tests of their own.
    empty = {space.name for space in Space if space < 0x60 and not rows(memory, space)}
    assert empty == {"INTENT", "DEAD"}


NAMED = {
    Space.META: "meta",
    Space.RELATION: "relation",
    Space.SPO: "spo",
    **{order: order.name for order in ORDERS[1:]},
    Space.DICTIONARY: "dictionary",
    Space.STATISTIC: "statistics",
    Space.TEXT: "one of its two records",
    Space.NODE: "one of its two records",
    Space.OUT: "out-list of node",
    Space.OVERFLOW: "out-list of node",
    Space.IN: "out-list of node",
    Space.RELATED: "index of the relations",
    Space.KEYWORD: "lacks its key of keyword",
    Space.SESSION: "lacks its key of session",
    Space.DUE: "due",
    Space.TOMBSTONE: "tombstones",
    Space.FRESH: "postings",
    Space.CHUNK: "frequency of word",
    Space.FREQUENCY: "no frequency",
    Space.QUEUE: "queued",
    Space.ARCHIVE: "archive",
    Space.ARCHIVED: "archive",
    Space.LAST_TEXT: "live_bytes",  # its loss costs nothing: the same text is remembered twice
    Space.FOCUS: "live_bytes",  # an empty focus is a focus
    Space.STATE: "counter nodes",
    Space.VECTOR: "counter vectors",
    Space.VECTOR_STATE: "counter waiting",
    Space.EMBEDDING: "order of its last uses",
    Space.EMBEDDING_AGE: "order of its last uses",
    Space.EMBED: "counter waiting",
    Space.EXPIRY: "not in the time index",
    Space.ITEM: "an item that is not there",
    Space.ITEM_EXPIRY: "the time index does not agree",
    Space.CHANGE: "live_bytes",  # the oldest ones are gone for a watcher, who is told of a gap
    Space.FEED: "the changes that are kept",
}


@pytest.mark.parametrize("space", NAMED, ids=[space.name for space in NAMED])
def test_a_lost_key_is_named(memory: Memory, space: Space) -> None:
    """One key of any kind is gone: silence would mean that repair() has nothing to do."""
    found = rows(memory, space)
    for key in {min(found), max(found)}:
        if (space, key[-1]) == (Space.FRESH, 2):
            continue  # revived with the words that the chunks still have: nothing is lost
        rooms(memory).store.commit({key: None})
        faults = memory.admin.check()
        assert any(NAMED[space] in fault for fault in faults), faults
        rooms(memory).store.commit({key: found[key]})


@pytest.mark.parametrize("space", NAMED, ids=[space.name for space in NAMED])
def test_a_key_of_a_wrong_length_is_named(memory: Memory, space: Space) -> None:
    """Read at the wrong places it is the key of another node, or of none."""
    found = rows(memory, space)
    key = max(found)
    prefix = rooms(memory).scope.prefix(space)
    for wrong in {key + b"\0", key[:-1], prefix + key[-1:]} - {prefix[:-1], key}:
        rooms(memory).store.commit({wrong: found[key]})
        assert memory.admin.check() != [], wrong
        rooms(memory).store.commit({wrong: None})
    assert memory.admin.check() == []


def flipped(value: bytes, place: int = 0) -> bytes:
    return value[:place] + bytes((value[place] ^ 1,)) + value[place + 1 :]


def node_key(memory: Memory, space: Space, node: int) -> bytes:
    return rooms(memory).scope.prefix(space) + keys.u64(node)


def order_value(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.POS)[0]: b"x"}


def extra_triple(memory: Memory) -> dict[bytes, bytes | None]:
    ids = [terms.encode_node(n) for n in (1, 2, 4)]
    return {rooms(memory).scope.prefix(Space.SPO) + b"".join(ids): b""}


def strength(memory: Memory) -> dict[bytes, bytes | None]:
    key, value = one(memory, Space.IN)
    return {key: flipped(value)}


def short_strength(memory: Memory) -> dict[bytes, bytes | None]:
    key, value = one(memory, Space.IN)
    return {key: value[:-1]}


def link_from_nowhere(memory: Memory) -> dict[bytes, bytes | None]:
    key, value = one(memory, Space.IN)
    return {key[:-8] + keys.u64(77): value}


def related_too_many(memory: Memory) -> dict[bytes, bytes | None]:
    key, _ = one(memory, Space.RELATED)
    return {key[:-8] + keys.u64(77): b""}


def keyword_too_many(memory: Memory) -> dict[bytes, bytes | None]:
    key, _ = one(memory, Space.KEYWORD)
    return {key[:-8] + keys.u64(77): b""}


def nameless_relation(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.RELATION)[0]: None}


def dictionary_form(memory: Memory) -> dict[bytes, bytes | None]:
    key, value = one(memory, Space.DICTIONARY)
    return {key: flipped(value, 1)}


def unused_term(memory: Memory) -> dict[bytes, bytes | None]:
    term = terms.Literal("nobody says this")
    return {rooms(memory).scope.prefix(Space.DICTIONARY) + terms.encode(term): term.n3().encode()}


def statistic(memory: Memory) -> dict[bytes, bytes | None]:
    key, value = one(memory, Space.STATISTIC)
    return {key: flipped(value, 7)}


def text(memory: Memory) -> dict[bytes, bytes | None]:
    with rooms(memory).reading() as now:
        old = now.text(1)
        assert old is not None
        changed = old._replace(spans=old.spans[1:], saliences=old.saliences[1:])
    return {node_key(memory, Space.TEXT, 1): changed.pack()}


def unreadable_text(memory: Memory) -> dict[bytes, bytes | None]:
    return {node_key(memory, Space.TEXT, 1): b"\x00\xc1"}


def changed_record(memory: Memory, **changes: Any) -> dict[bytes, bytes | None]:
    key = node_key(memory, Space.NODE, 1)
    record = NodeRecord.unpack(rooms(memory).store.get(key) or b"")
    return {key: record._replace(**changes).pack()}


def pinned(memory: Memory) -> dict[bytes, bytes | None]:
    return changed_record(memory, pinned=True)


def due(memory: Memory) -> dict[bytes, bytes | None]:
    return changed_record(memory, due=999)


def second_due(memory: Memory) -> dict[bytes, bytes | None]:
    return {rooms(memory).scope.prefix(Space.DUE) + keys.u64(7) + keys.u64(1): b""}


def head_order(memory: Memory) -> dict[bytes, bytes | None]:
    key, head = next(row for row in rows(memory, Space.OUT).items() if len(row[1]) > ENTRY_BYTES)
    return {key: head[ENTRY_BYTES : 2 * ENTRY_BYTES] + head[:ENTRY_BYTES] + head[2 * ENTRY_BYTES :]}


def head_cut(memory: Memory) -> dict[bytes, bytes | None]:
    key, head = one(memory, Space.OUT)
    return {key: head[:-1]}


def head_of_nobody(memory: Memory) -> dict[bytes, bytes | None]:
    return {node_key(memory, Space.OUT, 77): one(memory, Space.OUT)[1]}


def overflow_distance(memory: Memory) -> dict[bytes, bytes | None]:
    key, _ = one(memory, Space.OVERFLOW)
    return {key: None, flipped(key, len(key) - 1): b""}


def overflow_value(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.OVERFLOW)[0]: b"\x09"}


def stranger_in_focus(memory: Memory) -> dict[bytes, bytes | None]:
    key = rooms(memory).scope.prefix(Space.FOCUS)
    return {key: keys.u64(77) + (rooms(memory).store.get(key) or b"")[8:]}


def twice_in_focus(memory: Memory) -> dict[bytes, bytes | None]:
    key = rooms(memory).scope.prefix(Space.FOCUS)
    value = rooms(memory).store.get(key) or b""
    return {key: value[:8] + value[:8] + value[16:]}


def focus_cut(memory: Memory) -> dict[bytes, bytes | None]:
    key = rooms(memory).scope.prefix(Space.FOCUS)
    return {key: (rooms(memory).store.get(key) or b"")[:-1]}


def tombstone_of_the_living(memory: Memory) -> dict[bytes, bytes | None]:
    return {node_key(memory, Space.TOMBSTONE, 1): one(memory, Space.TOMBSTONE)[1]}


def tombstone_unreadable(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.TOMBSTONE)[0]: b"\x05"}


def posting(memory: Memory) -> dict[bytes, bytes | None]:
    key, chunk = one(memory, Space.CHUNK)
    return {key: flipped(chunk, len(chunk) - 1)}


def chunk_cut(memory: Memory) -> dict[bytes, bytes | None]:
    key, chunk = one(memory, Space.CHUNK)
    return {key: chunk[:-1]}


def frequency(memory: Memory) -> dict[bytes, bytes | None]:
    key, value = one(memory, Space.FREQUENCY)
    return {key: flipped(value, 3)}


def fresh_of_nobody(memory: Memory) -> dict[bytes, bytes | None]:
    return {node_key(memory, Space.FRESH, 77): b""}


def fresh_that_forgets_its_chunks(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.FRESH)[0]: b""}


def fresh_unreadable(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.FRESH)[0]: b"\x93"}


def queued_stranger(memory: Memory) -> dict[bytes, bytes | None]:
    return {node_key(memory, Space.QUEUE, 77): b"\x00"}


def dead_stranger(memory: Memory) -> dict[bytes, bytes | None]:
    return {node_key(memory, Space.DEAD, 77): b"why"}


def archived_elsewhere(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.ARCHIVED)[0]: keys.u64(77)}


def archive_unreadable(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.ARCHIVE)[0]: b"rubbish"}


def intent(memory: Memory) -> dict[bytes, bytes | None]:
    return {node_key(memory, Space.INTENT, 77): keys.u64(78)}


def meta(memory: Memory) -> dict[bytes, bytes | None]:
    key = rooms(memory).scope.prefix(Space.META)
    return {key: (rooms(memory).store.get(key) or b"").replace(b"default", b"another")}


def state_cut(memory: Memory) -> dict[bytes, bytes | None]:
    return {rooms(memory).scope.prefix(Space.STATE): b"\x00" * 10}


def last_text_cut(memory: Memory) -> dict[bytes, bytes | None]:
    return {rooms(memory).scope.prefix(Space.LAST_TEXT): b"short"}


def unknown_space(memory: Memory) -> dict[bytes, bytes | None]:
    return {rooms(memory).scope.id.to_bytes(4, "big") + b"\x99abc": b""}


def key_of_a_wrong_length(memory: Memory) -> dict[bytes, bytes | None]:
    return {rooms(memory).scope.prefix(Space.NODE) + b"\x00": b""}


def relation_not_utf8(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.RELATION)[0]: b"\xff\xff"}


def word_not_utf8(memory: Memory) -> dict[bytes, bytes | None]:
    return {rooms(memory).scope.prefix(Space.FREQUENCY) + b"\xff": b"\x00\x00\x00\x01"}


def vector_of_nobody(memory: Memory) -> dict[bytes, bytes | None]:
    return {node_key(memory, Space.VECTOR, 77): one(memory, Space.VECTOR)[1]}


def vector_cut(memory: Memory) -> dict[bytes, bytes | None]:
    key, value = one(memory, Space.VECTOR)
    return {key: value[:-1]}


def vector_unreadable(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.VECTOR)[0]: b"\x00"}


def embed_stranger(memory: Memory) -> dict[bytes, bytes | None]:
    return {node_key(memory, Space.EMBED, 77): b"\x00"}


def embedding_unreadable(memory: Memory) -> dict[bytes, bytes | None]:
    return {one(memory, Space.EMBEDDING)[0]: b"\x00"}


def vector_state_cut(memory: Memory) -> dict[bytes, bytes | None]:
    return {rooms(memory).scope.prefix(Space.VECTOR_STATE): b"\x00"}


Damage = Callable[[Memory], dict[bytes, bytes | None]]
DAMAGES: list[tuple[Damage, str]] = [
    (vector_of_nobody, "node 77 has a vector but is not there"),
    (vector_cut, "has 31 dimensions"),
    (vector_unreadable, "a vector cannot be read"),
    (embed_stranger, "node 77 waits for a vector but is not there"),
    (embedding_unreadable, "an embedding cannot be read"),
    (vector_state_cut, "the record of a scope's vectors cannot be read"),
    (order_value, "value of pos"),
    (extra_triple, "has 1 triples"),
    (strength, "out-list of node"),
    (short_strength, "value of in"),
    (link_from_nowhere, "node 77 has links but no record"),
    (related_too_many, "index of the relations"),
    (keyword_too_many, "node 77 has a key of keyword too many"),
    (nameless_relation, "a relation without a name"),
    (dictionary_form, "wrong form"),
    (unused_term, "nobody says this"),
    (statistic, "statistics"),
    (relation_not_utf8, "utf-8"),
    (text, "not the one that its record was written for"),
    (unreadable_text, "text record"),
    (pinned, "counter pinned"),
    (due, "due at pass 999"),
    (second_due, "node 1 at pass 7"),
    (head_order, "out-list of node"),
    (head_cut, "out-list of node"),
    (head_of_nobody, "node 77"),
    (overflow_distance, "out-list of node"),
    (overflow_value, "value of overflow"),
    (stranger_in_focus, "node 77 is in focus"),
    (twice_in_focus, "focus holds"),
    (focus_cut, "focus"),
    (tombstone_of_the_living, "has a tombstone but lives"),
    (tombstone_unreadable, "tombstone of node"),
    (posting, "postings of word"),
    (chunk_cut, "chunk"),
    (frequency, "frequency of word"),
    (fresh_of_nobody, "waits for the word index"),
    (fresh_that_forgets_its_chunks, "is not known for"),
    (fresh_unreadable, "fresh document"),
    (word_not_utf8, "utf-8"),
    (queued_stranger, "queue has node 77"),
    (dead_stranger, "dead has node 77"),
    (archived_elsewhere, "archive and its index"),
    (archive_unreadable, "archived form"),
    (intent, "counter intents"),
    (meta, "meta"),
    (state_cut, "counters"),
    (last_text_cut, "last_text"),
    (unknown_space, "belongs to nothing"),
    (key_of_a_wrong_length, "key of node"),
]


@pytest.mark.parametrize(
    ("damage", "says"), DAMAGES, ids=[damage.__name__ for damage, _ in DAMAGES]
)
def test_damage_is_named(memory: Memory, damage: Damage, says: str) -> None:
    """A value that was altered, or a key too many: check() must say where."""
    batch = damage(memory)
    assert {key: rooms(memory).store.get(key) for key in batch} != batch
    if says == "has 1 triples":
        says = f"has {len(rows(memory, Space.SPO))} triples"
    rooms(memory).store.commit(batch)
    faults = memory.admin.check()
    assert any(says in fault for fault in faults), faults
    assert len(faults) <= 100


COUNTERS = (
    "nodes", "pinned", "text_bytes", "live_bytes", "archive_bytes", "archived", "triples", "links",
    "documents", "words", "tombstones", "queued", "dead", "intents",
    "keywords", "sessions", "kept_bytes",
)  # fmt: skip


@pytest.mark.parametrize("counter", COUNTERS)
def test_each_counter_is_counted_again(memory: Memory, counter: str) -> None:
    """Budgets, rarity and slots are decided by counters alone."""
    state = rooms(memory).scope.read_state(rooms(memory).store)
    setattr(state, counter, getattr(state, counter) + 1)
    rooms(memory).store.commit({rooms(memory).scope.prefix(Space.STATE): state.pack()})
    (fault,) = memory.admin.check()
    assert f"counter {counter} says" in fault


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_a_next_id_that_is_taken_is_found(memory: Memory, which: str) -> None:
    """The next memory would overwrite one that is there."""
    state = rooms(memory).scope.read_state(rooms(memory).store)
    state.next_node = (min if which == "oldest" else max)(node.id for node in memory)
    rooms(memory).store.commit({rooms(memory).scope.prefix(Space.STATE): state.pack()})
    (fault,) = memory.admin.check()
    assert f"next node's id {state.next_node} is taken" in fault


@given(data=st.data())
def test_no_damage_makes_check_itself_fail(shared: Memory, data: st.DataObject) -> None:
    """A struct.error out of check() hid every other fault, and what to do."""
    found = dict(rooms(shared).store.range(*keys.scope_range(rooms(shared).scope.id)))
    spaces = sorted({key[4] for key in found})
    space = data.draw(st.sampled_from(spaces))
    key = data.draw(st.sampled_from(sorted(k for k in found if k[4] == space)))
    old = found[key]
    way = data.draw(st.sampled_from(("bytes", "flip", "cut", "key")))
    batch: dict[bytes, bytes | None] = {key: data.draw(st.binary(max_size=40))}
    if way == "flip" and old:
        place = data.draw(st.integers(0, len(old) - 1))
        batch = {key: flipped(old, place)}
    elif way == "cut":
        batch = {key: old[: data.draw(st.integers(0, max(0, len(old) - 1)))]}
    elif way == "key":
        batch = {key[:5] + data.draw(st.binary(max_size=60)): old}
    before = {k: rooms(shared).store.get(k) for k in batch}
    rooms(shared).store.commit(batch)
    try:
        faults = shared.admin.check()
        lengths = {k: len(v) for k, v in batch.items() if v is not None}
        if space not in keys.UNCOUNTED and lengths != {
            k: len(v) for k, v in before.items() if v is not None
        }:
            assert faults, "bytes came or went, so at least the counter of live bytes is wrong"
    finally:
        rooms(shared).store.commit(before)
    assert all(isinstance(fault, str) and fault for fault in faults)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_life_with_the_journal_leaves_no_fault(tmp_path: Path, language: str) -> None:
    """Every act that a user has, on text that a person wrote, keeps all structures in agreement."""
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    lines = (DATA / f"journal.{language}.jsonl").read_text().splitlines()
    entries = [json.loads(line) for line in lines]

    def opened() -> Memory:
        return graphmem.open(tmp_path / "m", worker="none", clock=lambda: now[0], random=Random(0))

    def healthy(memory: Memory) -> None:
        assert memory.admin.check() == []

    with opened() as memory:
        for entry in entries:
            now[0] += timedelta(hours=1)
            memory.remember(
                entry["text"], speaker=entry.get("speaker"), session=entry.get("session")
            )
        healthy(memory)
        for entry in entries[::10]:
            memory.recall(entry["text"][:40])
        memory.admin.enrich(timeout=0)
        memory.used([node.id for node in list(memory.nodes())[::7]])
        healthy(memory)
        for _ in range(15):
            memory.sweep()
        healthy(memory)
        memory.admin.enrich()
        healthy(memory)
        memory.admin.shrink(memory.admin.stats()["text_bytes"] // 2)
        healthy(memory)
        gone = memory.history.forgotten(5)
        for lost in gone:
            if lost.revivable:
                memory.history.revive(lost.id)
        nodes = list(memory.nodes())
        healthy(memory)
        memory.correct(nodes[3], entries[5]["text"])
        memory.pin(nodes[4])
        memory.forget(nodes[5])
        memory.graph.relate(nodes[6], "因为", nodes[7])
        healthy(memory)
        memory.forget(nodes[8], erase=True)
        memory.admin.compact()
        healthy(memory)
    with opened() as memory:
        healthy(memory)
        memory.admin.shrink(0)
        healthy(memory)
