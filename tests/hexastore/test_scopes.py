"""A scope that opens as another one's, or leaves rows behind, mixes two agents' memories."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import ClosedError, CorruptError, InvalidArgumentError, UnknownScopeError
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.facts import Facts
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope, ScopeState
from graphmem.hexastore.transaction import Transaction
from graphmem.maintenance import check
from graphmem.storage import leveldb
from graphmem.storage.store import Store


def opened(store: Store, name: str, *, create: bool = True, **kind: Any) -> Scope:
    given: dict[str, Any] = {"kind": "memory", "decay": 0.03, "created": 1, "analyser": 1, **kind}
    return scopes.open_scope(store, name, create=create, **given)


@pytest.fixture
def store() -> Store:
    return Store.open(None)


def left_of(store: Store, scope: int) -> list[bytes]:
    return list(store.keys(*keys.scope_range(scope)))


def test_a_scope_is_the_same_when_it_is_opened_again(store: Store) -> None:
    """A decay read from the settings instead of the scope would turn every strength into another."""
    first = opened(store, "agent")
    again = opened(store, "agent", decay=0.5, created=99, analyser=7)
    assert again == first
    assert (again.decay, again.created, again.analyser) == (0.03, 1, 1)


def test_what_an_older_version_wrote_is_counted_again(store: Store) -> None:
    """It keeps the fields that it does not know: memory_bytes fell below 0, and no budget held."""
    scope = opened(store, "agent")
    with Transaction(store, scope) as tx:
        tx.put(scope.prefix(Space.ITEM) + b"a", b"x" * 1000)
    kept = scope.state.kept_bytes
    assert kept == 1006
    record = scope.state.pack()
    assert ScopeState.unpack(record).kept_bytes == kept
    older = ScopeState(**{**asdict(scope.state), "live_bytes": scope.state.live_bytes - kept})
    store.commit(
        {
            scope.prefix(Space.ITEM) + b"a": None,
            scope.prefix(Space.STATE): older.pack()[:192] + record[192:],
        }
    )
    assert check.faults(store, scopes.read_scope(store, scope.id)) == []
    state = opened(store, "agent").state
    assert state.kept_bytes == 0
    assert state.memory_bytes == state.live_bytes == older.live_bytes


def test_no_graph_is_counted_when_it_is_opened(store: Store) -> None:
    """It has no budget, and each opening took 0.5 s for 100,000 triples."""
    scope = opened(store, "graph", kind="rdf")
    Facts(store, scope).put("http://e/s", "http://e/p", "o")
    assert scope.state.kept_bytes == scope.read_state(store).kept_bytes == 0
    with patch.object(scopes, "kept_bytes", side_effect=AssertionError):
        assert opened(store, "graph", kind="rdf").state == scope.state
    assert check.faults(store, scope) == []


def test_each_name_has_its_own_number(store: Store) -> None:
    """Two names on one range of keys would be one memory."""
    numbers = [opened(store, name).id for name in ("a", "b", "ab", "工作", "A")]
    assert len(set(numbers)) == 5
    assert dict(scopes.names(store)) == dict(
        zip(("a", "b", "ab", "工作", "A"), numbers, strict=True)
    )


def test_the_counters_of_a_new_scope_count_its_own_record(store: Store) -> None:
    """The live bytes were off by the fixed record after the first reopening."""
    scope = opened(store, "agent")
    meta = scope.prefix(Space.META)
    assert scope.read_state(store).live_bytes == len(meta) + len(store.get(meta) or b"")
    assert opened(store, "agent").state == scope.state


def test_a_scope_is_opened_without_reading_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each call of a server with a scope for each user read all of them."""
    with graphmem.open(worker="none") as memory:
        monkeypatch.setattr(scopes, "names_of", lambda *_: pytest.fail("all scopes were read"))
        other = memory.scopes.open("other")
        assert memory.scopes.open("other") is other
        monkeypatch.undo()
        assert memory.scopes.open("other", parents=["default"]) is other
        assert memory.scopes.drop("other") == []
        again = memory.scopes.open("other")
        assert again is not other
    with pytest.raises(ClosedError):
        memory.scopes.open("other")


def test_another_kind_is_refused(store: Store) -> None:
    """A SPARQL update on a memory's scope would break its nodes."""
    opened(store, "agent")
    with pytest.raises(InvalidArgumentError, match="kind"):
        opened(store, "agent", kind="rdf")


def test_an_unknown_scope_is_not_made_by_asking(store: Store) -> None:
    """A typing mistake would open an empty memory, and look like a loss of everything."""
    opened(store, "agent")
    with pytest.raises(UnknownScopeError, match="agent"):
        opened(store, "agemt", create=False)
    assert [name for name, _ in scopes.names(store)] == ["agent"]


@pytest.mark.parametrize(
    "name", ["", " ", "\u200b", "\u3164", "x" * 201, "a\x00b", "\ud800", None, 5, b"agent"]
)
def test_unfit_names_are_refused(store: Store, name: Any) -> None:
    """A name with a lone surrogate raised UnicodeEncodeError out of the middle of a commit."""
    before = store.sequence
    with pytest.raises(InvalidArgumentError):
        opened(store, name)
    assert store.sequence == before


def test_a_damaged_fixed_record_has_a_named_error(store: Store) -> None:
    """A TypeError out of msgpack says nothing about what to do."""
    scope = opened(store, "agent")
    for damage in (None, b"", b"\xc1", b"\x05", b"\x80"):
        store.commit({scope.prefix(Space.META): damage})
        with pytest.raises(CorruptError):
            opened(store, "agent")


def test_damaged_counters_have_a_named_error() -> None:
    """The same for the counters."""
    assert ScopeState.unpack(ScopeState(nodes=3, latin_density=1.5).pack()).nodes == 3
    for damage in (b"", b"x", ScopeState().pack()[:-1]):
        with pytest.raises(CorruptError):
            ScopeState.unpack(damage)


def test_a_dropped_scope_leaves_nothing_and_takes_nothing_else(store: Store) -> None:
    """What a user dropped must be gone; the neighbour must not be."""
    scope, other = opened(store, "agent"), opened(store, "other")
    for place in (scope, other):
        Facts(store, place).put("http://e.org/s", "http://e.org/p", "x")
    kept = left_of(store, other.id)
    scopes.drop_scope(store, "agent")
    assert left_of(store, scope.id) == []
    assert left_of(store, other.id) == kept
    assert [name for name, _ in scopes.names(store)] == ["other"]
    with pytest.raises(UnknownScopeError):
        scopes.drop_scope(store, "agent")


def test_the_number_of_a_dropped_scope_is_not_given_again(store: Store) -> None:
    """A scope made while the old one is still being deleted would lose its rows with it."""
    old = opened(store, "agent")
    scopes.drop_scope(store, "agent")
    assert opened(store, "agent").id > old.id


class CrashError(Exception):
    """The process ends here."""


@pytest.mark.parametrize("survived", range(9))
def test_a_drop_cut_short_is_finished_by_the_next_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survived: int
) -> None:
    """Half a scope without a name would take its space for ever, and nobody could reach it."""
    monkeypatch.setattr(scopes, "_DROP_BATCH", 5)
    store = Store.open(tmp_path / "m")
    scope, other = opened(store, "agent"), opened(store, "other")
    Facts(store, scope).put("http://e.org/s", "http://e.org/p", "x")
    kept = left_of(store, other.id)
    commit, left = store.commit, [survived]

    def failing(batch: dict[bytes, bytes | None], **kwargs: Any) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise CrashError
        return commit(batch, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(store, "commit", failing)
        with suppress(CrashError):
            scopes.drop_scope(store, "agent")
    store.close()
    with Store.open(tmp_path / "m") as again:
        scopes.erase_dropped(again)
        names = [name for name, _ in scopes.names(again)]
        assert left_of(again, other.id) == kept
        if survived == 0:  # the drop itself was not committed: everything is there
            assert names == ["agent", "other"]
            assert Facts(again, opened(again, "agent")).count() == 1
        else:
            assert names == ["other"]
            assert left_of(again, scope.id) == []
        scopes.erase_dropped(again)


def test_of_scopes_that_are_dropped_together_no_byte_stays(tmp_path: Path) -> None:
    """A thousand graphs loaded anew would take a compaction each, or leave what was erased."""
    with Store.open(tmp_path / "m") as store:
        made = {name: opened(store, name) for name in "abcde"}
        for name, scope in made.items():
            Facts(store, scope).put("http://e.org/s", "http://e.org/p", f"secret {name}")
        store.flush()
        store.commit({scopes.dropping(made[name].id): b"" for name in "abd"})
        with patch.object(store, "compact", wraps=store.compact) as compact:
            scopes.erase_dropped(store)
        assert compact.call_count == 2  # a and b are neighbours
        assert [name for name, scope in made.items() if left_of(store, scope.id)] == ["c", "e"]
    files = b"".join(file.read_bytes() for file in (tmp_path / "m" / "store").iterdir())
    assert [name for name in made if f"secret {name}".encode() in files] == ["c", "e"]


def test_what_is_erased_while_another_erasure_is_settled_stays_noted(tmp_path: Path) -> None:
    """Its bytes were in files that had been rewritten before it, and nobody came back for them."""
    with Store.open(tmp_path / "m") as store:
        scope = opened(store, "agent")

        def erase() -> None:
            with store.writing:
                key, value = scopes.erasing(store, scope.id)
                store.commit({key: value})

        def meanwhile(start: bytes, stop: bytes) -> bool:
            done = compact(start, stop)
            erase()
            return done

        erase()
        compact = store.compact
        with patch.object(store, "compact", meanwhile):
            assert scopes.erase_dropped(store) == []
        with store.snapshot() as snapshot:
            assert len(scopes.to_erase(snapshot)) == 1
        assert scopes.erase_dropped(store) == []
        with store.snapshot() as snapshot:
            assert scopes.to_erase(snapshot) == {}


def test_nothing_is_written_to_a_scope_that_was_dropped() -> None:
    """Kept open by somebody, a dropped scope went on taking writes that nobody could reach."""
    with graphmem.open(None, worker="none") as memory:
        other = memory.scopes.open("other")
        other.remember("Wen moved the release.")
        scope = rooms(other).scope.id
        memory.scopes.drop("other")
        with pytest.raises(UnknownScopeError):
            other.remember("Wen moved the release again.")
        with pytest.raises(UnknownScopeError):
            other.graph.facts.put("http://e.org/s", "http://e.org/p", "x")
        assert left_of(rooms(memory).store, scope) == []
        assert memory.scopes.open("other").remember("Anew.")[0].id == 1
        assert memory.admin.check() == memory.scopes.open("other").admin.check() == []


def test_of_a_dropped_scope_no_name_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Often the name of a person: it was the first key of a file that LevelDB's list of files went
    on naming, and in a large folder in a file that nobody rewrote, for it is not in the range."""
    monkeypatch.setitem(leveldb._OPTIONS, "max_file_size", 1 << 20)
    monkeypatch.setitem(leveldb._OPTIONS, "write_buffer_size", 1 << 20)
    files = tmp_path / "m" / "store"
    with Store.open(tmp_path / "m", engine="leveldb") as store:
        made = [opened(store, name) for name in ("first-tarsier", "middle", "other-tarsier")]
        for scope in made:
            fill(store, scope)
        for identifier in range(4):
            assert store.compact(*keys.scope_range(identifier))
        fill(store, made[1])
        for name in (made[2].name, made[0].name):
            assert scopes.drop_scope(store, name) == []
            assert [
                file.name for file in files.iterdir() if name.encode() in file.read_bytes()
            ] == []


def fill(store: Store, scope: Scope) -> None:
    """Four megabytes."""
    for place in range(60):
        store.commit({scope.prefix(Space.ITEM) + b"%d" % place: random.randbytes(1 << 16)})
