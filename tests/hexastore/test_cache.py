"""The cache of decoded values: no reader may see a value of another time than its own."""

from __future__ import annotations

import graphmem
from graphmem.hexastore import cache as module
from graphmem.hexastore.cache import Cache, Caches
from graphmem.hexastore.keys import Space, prefix


def test_an_older_reader_does_not_get_what_a_newer_one_read() -> None:
    """It would see the future of its own snapshot."""
    cache: Cache[str] = Cache()
    cache.put(b"k", 7, "new")
    assert cache.get(b"k", 6) is None
    assert cache.get(b"k", 7) == cache.get(b"k", 9) == "new"


def test_what_was_written_since_is_not_kept() -> None:
    """A slow reader would put the past back for everybody."""
    cache: Cache[str] = Cache()
    cache.put(b"k", 7, "old")
    cache.written([b"k"], 8)
    assert cache.get(b"k", 9) is None
    cache.put(b"k", 7, "old")
    assert cache.get(b"k", 9) is None
    cache.put(b"k", 8, "new")
    assert cache.get(b"k", 8) == "new"


def test_a_write_that_is_no_longer_remembered_still_keeps_the_past_out() -> None:
    """The list of writes is bounded; what falls off it must not become allowed again."""
    cache: Cache[str] = Cache()
    cache.written([b"k"], 8)
    cache.written([n.to_bytes(4, "big") for n in range(module.SIZE)], 9)
    cache.put(b"k", 7, "old")
    assert cache.get(b"k", 9) is None
    cache.put(b"k", 9, "new")
    assert cache.get(b"k", 9) == "new"


def test_recall_shows_a_text_as_it_is_now() -> None:
    """A cached text would outlive its correction, its fading and its erasure."""
    with graphmem.open(worker="none") as memory:
        (node,) = memory.remember("The release is on May 3. The cake is from Lena.")
        assert "May 3" in memory.recall("release", use=False).text
        (node,) = memory.correct(node, "The release is on May 10. The cake is from Lena.")
        assert "May 10" in memory.recall("release", use=False).text
        memory.enrich()
        assert memory.recall("release", use=False)[0].node == memory[node]
        for number in range(6):
            memory.remember(f"Something else, number {number}.")
        memory.shrink(60)
        for hit in memory.recall("release cake Lena", use=False):
            assert hit.node == memory[hit.id]


def test_many_at_once_are_kept_one_by_one() -> None:
    """One key of a batch that was written since must not take the others with it, or come along."""
    cache: Cache[str] = Cache()
    cache.written([b"b"], 8)
    cache.put_many([(b"a", "1"), (b"b", "2"), (b"c", None)], 7)
    assert cache.get_many([b"a", b"b", b"c"], 9) == ["1", None, None]
    assert cache.get_many([b"a"], 6) == [None]


def test_a_commit_reaches_the_caches_of_the_spaces_that_it_writes() -> None:
    """A head that only the cache of texts hears of stays for ever."""
    caches = Caches()
    names = {space: prefix(1, space) + b"k" for space in (Space.NODE, Space.TEXT, Space.HEAD)}
    for space, name in names.items():
        caches[space].put(name, 7, "old")
    caches.written([names[Space.HEAD], names[Space.TEXT], prefix(1, Space.DUE) + b"k"], 8)
    assert caches[Space.NODE].get(names[Space.NODE], 9) == "old"
    assert caches[Space.HEAD].get(names[Space.HEAD], 9) is None
    assert caches[Space.TEXT].get(names[Space.TEXT], 9) is None


def test_a_dropped_scope_shows_nothing_out_of_its_caches() -> None:
    """Nobody tells the caches what a drop deletes."""
    with graphmem.open(worker="none") as memory:
        other = memory.scope("other")
        (node,) = other.remember("Goes with its scope.")
        assert other.recall("scope", use=False)[0].id == node.id
        assert len(other) == 1
        memory.drop_scope("other")
        assert len(other) == 0
        assert node.id not in other
