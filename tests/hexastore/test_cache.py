"""The cache of decoded values: no reader may see a value of another time than its own."""

from __future__ import annotations

import graphmem
from graphmem.hexastore import cache as module
from graphmem.hexastore.cache import Cache
from graphmem.hexastore.keys import Space, u64
from graphmem.hexastore.scopes import open_scope
from graphmem.hexastore.transaction import Transaction
from graphmem.storage.store import Store


def test_an_older_reader_does_not_get_what_a_newer_one_read() -> None:
    """It would see the future of its own snapshot."""
    cache: Cache[str] = Cache()
    cache.put(1, 7, "new")
    assert cache.get(1, 6) is None
    assert cache.get(1, 7) == cache.get(1, 9) == "new"


def test_what_was_written_since_is_not_kept() -> None:
    """A slow reader would put the past back for everybody."""
    cache: Cache[str] = Cache()
    cache.put(1, 7, "old")
    cache.written([1], 8)
    assert cache.get(1, 9) is None
    cache.put(1, 7, "old")
    assert cache.get(1, 9) is None
    cache.put(1, 8, "new")
    assert cache.get(1, 8) == "new"


def test_a_write_that_is_no_longer_remembered_still_keeps_the_past_out() -> None:
    """The list of writes is bounded; what falls off it must not become allowed again."""
    cache: Cache[str] = Cache()
    cache.written([1], 8)
    cache.written(range(2, module.SIZE + 2), 9)
    cache.written([2], 10)
    cache.put(1, 7, "old")
    assert cache.get(1, 9) is None
    cache.put(1, 9, "new")
    assert cache.get(1, 9) == "new"


def test_recall_shows_a_text_as_it_is_now() -> None:
    """A cached text would outlive its correction, its fading and its erasure."""
    with graphmem.open(worker="none") as memory:
        (node,) = memory.remember("The release is on May 3. The cake is from Lena.")
        assert "May 3" in memory.recall("release", use=False).text
        (node,) = memory.correct(node, "The release is on May 10. The cake is from Lena.")
        assert "May 10" in memory.recall("release", use=False).text
        memory.admin.enrich()
        assert memory.recall("release", use=False)[0].node == memory[node]
        for number in range(6):
            memory.remember(f"Something else, number {number}.")
        memory.admin.shrink(60)
        for hit in memory.recall("release cake Lena", use=False):
            assert hit.node == memory[hit.id]


def test_that_a_node_has_no_links_is_not_remembered() -> None:
    """Whoever makes its first one does not tell the cache of a key that was absent."""
    with graphmem.open(worker="none") as memory:
        (first,) = memory.remember("The release is on May 3.")
        assert not memory.graph.links(first)
        assert [hit.id for hit in memory.recall("release", use=False)] == [first.id]
        (second,) = memory.remember("Lena bakes the cake.")
        assert [link.target for link in memory.graph.links(first)] == [second.id]
        assert second.id in [hit.id for hit in memory.recall("release", use=False, cut="none")]


def test_many_at_once_are_kept_one_by_one() -> None:
    """One key of a batch that was written since must not take the others with it, or come along."""
    cache: Cache[str] = Cache()
    cache.written([4], 7)
    cache.written([2], 8)
    cache.put_many({1: "1", 2: "2", 4: "4"}, 7)
    assert cache.get_many([1, 2, 3, 4], 9) == ["1", None, None, "4"]
    assert cache.get_many([1], 7) == ["1"]
    assert cache.get_many([1], 6) == [None]


def test_a_commit_reaches_the_caches_of_the_spaces_that_it_writes() -> None:
    """A head that only the cache of texts hears of stays for ever."""
    spaces = (Space.NODE, Space.TEXT, Space.OUT)
    with Store.open(None) as store:
        scope = open_scope(store, "a", kind="memory", decay=0.0, created=0, analyser=1, create=True)
        for space in spaces:
            scope.caches[space].put(1, store.sequence, "old")
        with Transaction(store, scope) as tx:
            for space in (Space.OUT, Space.TEXT):
                tx.put(scope.prefix(space) + u64(1), b"new")
        found = [scope.caches[space].get(1, store.sequence) for space in spaces]
        assert found == ["old", None, None]
