"""A posting lost or left over: a memory is there and no word finds it, or a word finds what is not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from threading import Event, Thread, current_thread
from typing import Any
from unittest.mock import patch

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from graphmem.errors import ClosedError, CorruptError
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.transaction import Transaction
from graphmem.index.words import folding, postings, records
from graphmem.index.words import index as words
from graphmem.index.words.index import WordIndex, WordReader
from graphmem.index.words.records import CHUNK_POSTINGS, before, unpack_chunk
from graphmem.storage.store import Store

K1, B = 1.2, 0.75
ALPHABET = ("tea", "release", "may", "预算", "预告", "wen", "ta", "teapot")
WORDS = st.lists(st.sampled_from(ALPHABET), max_size=6)
NODES = st.integers(1, 6)
Plain = dict[int, list[str]]


def opened(store: Store) -> Scope:
    return scopes.open_scope(
        store, "agent", kind="memory", decay=0.03, created=1, analyser=1, create=True
    )


def bm25(documents: Plain, weights: dict[str, float]) -> dict[int, float]:
    """By the book: Robertson & Zaragoza 2009, idf = ln(1 + (N − n + ½) / (n + ½)), N at least 300;
    of fewer documents times (N − n + ½) / (N + ½)."""
    scores: Counter[int] = Counter()
    average = max(1.0, sum(map(len, documents.values())) / max(1, len(documents)))
    for word, weight in weights.items():
        holding = {node: text.count(word) for node, text in documents.items() if word in text}
        among, held = len(documents), len(holding)
        idf = math.log(1 + (max(among, 300) - held + 0.5) / (held + 0.5))
        idf *= (among - held + 0.5) / (among + 0.5) if among < 300 else 1.0
        for node, count in holding.items():
            norm = K1 * (1 - B + B * len(documents[node]) / average)
            scores[node] += weight * idf * count * (K1 + 1) / (count + norm)
    return dict(scores)


def compare(reader: WordReader, documents: Plain) -> None:
    """What a reader finds, word by word and ranked, is what a plain dict holds."""
    for word in (*ALPHABET, "never"):
        found = reader.find(word)
        assert found.nodes.tolist() == sorted(found.nodes.tolist())  # others search in them
        assert sorted(
            zip(
                found.nodes.tolist(), found.lengths.tolist(), found.frequencies.tolist(),
                strict=True,
            )
        ) == sorted(
            (node, len(text), text.count(word)) for node, text in documents.items() if word in text
        )  # fmt: skip
    for character in "预算告":
        found = reader.find(character)
        assert dict(zip(found.nodes.tolist(), found.frequencies.tolist(), strict=True)) == {
            node: n for node, text in documents.items()
            if (n := sum(character in word for word in text))
        }  # fmt: skip
        assert found.lengths.tolist() == [len(documents[n]) for n in found.nodes.tolist()]
    total = sum(map(len, documents.values()))
    for weights in ({"tea": 1.0}, {"tea": 1.0, "release": 0.5, "预算": 2.0}, {"never": 1.0}, {}):
        nodes, scores, _ = reader.search(weights, len(documents), total, k1=K1, b=B)
        found_scores = dict(zip(nodes.tolist(), scores.tolist(), strict=True))
        assert found_scores == pytest.approx(bm25(documents, weights), rel=1e-5)


def reader_of(store: Store, index: WordIndex) -> WordReader:
    held, snapshot = index.hold(), store.snapshot()
    return index.reader(snapshot, snapshot.sequence, held)


def said(documents: Plain) -> Callable[[object, int], list[str] | None]:
    """Reads the words of a document as the texts of the nodes have them."""
    return lambda reader, node: documents.get(node)


class CutError(Exception):
    """The process ends here."""


class WordsMachine(RuleBasedStateMachine):
    """The index against a dict of documents, with readers held over commits and folds."""

    readers: Bundle[Any] = Bundle("readers")

    @initialize()
    def start(self) -> None:
        self.store = Store.open(None)
        self.scope = opened(self.store)
        self.documents: Plain = {}
        self.reload()

    @rule()
    def reload(self) -> None:
        """A process that begins anew reads from the disk what the one before it had in memory."""
        self.index = WordIndex(self.store, self.scope, said(self.documents))

    @rule(node=NODES, text=WORDS, fails=st.sampled_from((False, False, False, True)))
    def put(self, node: int, text: list[str], fails: bool) -> None:
        try:
            with Transaction(self.store, self.scope) as tx:
                self.index.put(tx, node, text, self.documents.get(node))
                if fails:
                    tx.publish(lambda sequence: 1 // 0)
        except ZeroDivisionError:
            return
        self.documents[node] = text

    @rule(node=NODES)
    def remove(self, node: int) -> None:
        if node in self.documents:
            with Transaction(self.store, self.scope) as tx:
                self.index.remove(tx, node, self.documents.pop(node))

    @rule(node=NODES, text=WORDS)
    def remove_and_put_at_once(self, node: int, text: list[str]) -> None:
        if node in self.documents:
            with Transaction(self.store, self.scope) as tx:
                self.index.remove(tx, node, self.documents[node])
                self.index.put(tx, node, text)
            self.documents[node] = text

    @rule(limit=st.integers(0, 6), at_once=st.integers(1, 6), void=st.booleans())
    def fold(self, limit: int, at_once: int, void: bool) -> None:
        with patch.object(words, "_FOLD_DOCUMENTS", at_once):
            assert self.index.fold(limit, void=void) <= limit
        assert not self.index.dead

    @rule(limit=st.integers(1, 6), done=st.integers(0, 5), reload=st.booleans())
    def fold_cut_short(self, limit: int, done: int, reload: bool) -> None:
        """A fold may end after any word; whatever it did by then must not show."""
        original, left = self.index._chunks._fold_word, [done]

        def fold_word(*args: Any) -> Any:
            if left[0] == 0:
                raise CutError
            left[0] -= 1
            return original(*args)

        per_batch = folding._WORDS
        folding._WORDS = 1  # type: ignore[misc]
        self.index._chunks._fold_word = fold_word  # type: ignore[method-assign]
        try:
            self.index.fold(limit)
        except CutError:
            pass
        finally:
            folding._WORDS = per_batch  # type: ignore[misc]
            del self.index._chunks._fold_word
        if reload:
            self.reload()

    @rule(limit=st.integers(1, 6), node=NODES, text=WORDS)
    def change_during_a_fold(self, limit: int, node: int, text: list[str]) -> None:
        """Writers go on between the batches of a fold: the newest text must win."""
        original, fresh = self.index._chunks._fold_word, [True]

        def fold_word(*args: Any) -> Any:
            if fresh[0]:
                fresh[0] = False
                self.between = (node, text)
            return original(*args)

        self.between: tuple[int, list[str]] | None = None
        per_batch = folding._WORDS
        folding._WORDS = 1  # type: ignore[misc]
        transaction = folding.Transaction

        def between(*args: Any) -> Transaction:
            if self.between is not None:
                changed, self.between = self.between, None
                self.put(*changed, False)
            return transaction(*args)

        self.index._chunks._fold_word = fold_word  # type: ignore[method-assign]
        folding.Transaction = words.Transaction = between  # type: ignore[misc]
        try:
            self.index.fold(limit)
        finally:
            folding._WORDS = per_batch  # type: ignore[misc]
            folding.Transaction = words.Transaction = transaction  # type: ignore[misc]
            del self.index._chunks._fold_word

    @rule(target=readers)
    def hold(self) -> tuple[WordReader, Plain]:
        return reader_of(self.store, self.index), dict(self.documents)

    @rule(reader=consumes(readers))
    def read_what_was_held(self, reader: tuple[WordReader, Plain]) -> None:
        """A recall that began before a fold must not see half of it."""
        compare(*reader)

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "store"):
            return
        compare(reader_of(self.store, self.index), self.documents)
        again = WordIndex(self.store, self.scope, said(self.documents))
        compare(reader_of(self.store, again), self.documents)
        state = self.scope.state
        assert state.documents == len(self.documents)
        assert state.words == sum(map(len, self.documents.values()))

    def teardown(self) -> None:
        """Folded to the end, nothing is fresh, and counts and chunks are exactly the documents."""
        if not hasattr(self, "store"):
            return
        while self.index.pending:
            self.index.fold()
        self.index.fold()  # what was taken and then removed leaves its mark until the next fold
        self.agrees()
        prefix = self.scope.prefix(Space.FRESH)
        assert list(self.store.keys(prefix, keys.after(prefix))) == []
        assert frequencies(self.store, self.scope) == Counter(
            word for text in self.documents.values() for word in {*text, *records.characters(text)}
        )
        prefix = self.scope.prefix(Space.CHUNK)
        held = {key[5:-9].decode() for key in self.store.keys(prefix, keys.after(prefix))}
        every = self.documents.values()
        assert held == {word for text in every for word in (*text, *records.characters(text))}
        self.store.close()


def frequencies(store: Store, scope: Scope) -> dict[str, int]:
    prefix = scope.prefix(Space.FREQUENCY)
    return {
        key[5:].decode(): int.from_bytes(value, "big")
        for key, value in store.range(prefix, keys.after(prefix))
    }


TestWords = WordsMachine.TestCase
# Shrinking takes minutes; the steps of the first failure say enough.
TestWords.settings = settings(stateful_step_count=20, phases=set(Phase) - {Phase.shrink})


@pytest.fixture
def place() -> tuple[Store, Scope, WordIndex]:
    store = Store.open(None)
    scope = opened(store)
    return store, scope, WordIndex(store, scope, said({}))


def chunks_of(store: Store, scope: Scope, word: str) -> list[dict[int, tuple[int, int]]]:
    start = scope.prefix(Space.CHUNK) + word.encode() + b"\x00"
    return [unpack_chunk(key, value) for key, value in store.range(start, keys.after(start))]


@pytest.mark.parametrize("order", ["ascending", "descending", "mixed"])
def test_chunks_are_split_and_none_is_too_long(
    place: tuple[Store, Scope, WordIndex], order: str
) -> None:
    """One posting list of a common word would be rewritten whole with each fold."""
    store, scope, index = place
    count = 2 * CHUNK_POSTINGS + 300
    nodes = list(range(1, count + 1))
    if order == "descending":
        nodes.reverse()
    elif order == "mixed":
        nodes = nodes[::2] + nodes[1::2]
    for at in range(0, count, 500):
        with Transaction(store, scope) as tx:
            for node in nodes[at : at + 500]:
                index.put(tx, node, ["tea", "may"] if node % 3 else ["tea"])
        index.fold(count)
    chunks = chunks_of(store, scope, "tea")
    assert len(chunks) >= 3
    assert max(map(len, chunks)) <= CHUNK_POSTINGS
    found = [node for chunk in chunks for node in chunk]
    assert found == sorted(nodes), "chunks are disjoint, in order and complete"
    assert frequencies(store, scope) == {"tea": count, "may": sum(1 for n in nodes if n % 3)}
    documents = {node: ["tea", "may"] if node % 3 else ["tea"] for node in nodes}
    compare(reader_of(store, index), documents)


@pytest.mark.parametrize("reopened", [False, True])
def test_what_folds_add_is_joined(reopened: bool) -> None:
    """A fold adds a small chunk to a word; a reader would have to look at more and more of them."""
    store = Store.open(None)
    scope = opened(store)
    random = Random(1)
    documents: Plain = {}
    index = WordIndex(store, scope, said(documents))
    node = 0
    for _ in range(60):
        if reopened:  # what folds know of the chunks is gone, and must not be needed
            index = WordIndex(store, scope, said(documents))
        with Transaction(store, scope) as tx:
            for _ in range(5):
                node += 1
                documents[node] = random.choices(("tea", "may", "rare"), (9, 4, 1), k=3)
                index.put(tx, node, documents[node])
            if documents and random.random() < 0.2:  # an older one changes, or goes
                old = random.choice([*documents])
                before = documents.pop(old)
                if random.random() < 0.5:
                    documents[old] = ["tea", "wen"]
                    index.put(tx, old, documents[old], before)
                else:
                    index.remove(tx, old, before)
        index.fold()
        for word in ("tea", "may", "rare"):
            assert len(chunks_of(store, scope, word)) <= 2 * (folding._PIECES + 2)
    compare(reader_of(store, index), documents)
    assert frequencies(store, scope) == Counter(w for text in documents.values() for w in set(text))
    for word in ("tea", "may", "rare", "wen"):
        held = [node for chunk in chunks_of(store, scope, word) for node in chunk]
        assert held == sorted(node for node, text in documents.items() if word in text)


def test_long_documents_and_frequent_words_are_capped(
    place: tuple[Store, Scope, WordIndex],
) -> None:
    """A frequency of 300 in one byte would come back as 44."""
    store, scope, index = place
    with Transaction(store, scope) as tx:
        index.put(tx, 1, ["tea"] * 300 + ["may"] * 70_000)
    for _ in range(2):
        found = reader_of(store, index).find("tea")
        assert (found.frequencies.tolist(), found.lengths.tolist()) == ([255.0], [65535.0])
        index.fold()
    assert scope.state.words == 65535
    with Transaction(store, scope) as tx:
        index.remove(tx, 1, ["tea"] * 300 + ["may"] * 70_000)
    assert scope.state.words == 0
    index.fold()
    assert frequencies(store, scope) == {}


def test_a_node_revived_before_its_removal_was_folded_leaves_no_old_words(
    place: tuple[Store, Scope, WordIndex],
) -> None:
    """Words of the form that was forgotten went on finding the one that was brought back."""
    store, scope, index = place
    with Transaction(store, scope) as tx:
        index.put(tx, 1, ["tea", "may"])
    index.fold()
    with Transaction(store, scope) as tx:
        index.remove(tx, 1, ["tea", "may"])
    with Transaction(store, scope) as tx:
        index.put(tx, 1, ["may"])
    for again in (index, WordIndex(store, scope, said({1: ["may"]}))):
        compare(reader_of(store, again), {1: ["may"]})
    index.fold()
    compare(reader_of(store, index), {1: ["may"]})
    assert frequencies(store, scope) == {"may": 1}


def test_what_was_never_folded_takes_no_room_of_its_own(
    place: tuple[Store, Scope, WordIndex],
) -> None:
    """A small memory's words took more than half of its room, and forgotten ones went on doing so."""
    store, scope, index = place
    before = scope.state.live_bytes
    with Transaction(store, scope) as tx:
        index.put(tx, 1, ["tea", "may"])
    assert scope.state.live_bytes == before + 13
    with Transaction(store, scope) as tx:
        index.put(tx, 1, ["tea"], ["tea", "may"])
    assert (scope.state.live_bytes, index.void, index.dead) == (before + 13, 0, 1)
    assert (index.frequency("tea"), index.frequency("may")) == (1, 0)
    with Transaction(store, scope) as tx:
        index.remove(tx, 1, ["tea"])
    assert (scope.state.live_bytes, index.pending, index.dead) == (before, 0, 2)
    assert index.frequency("tea") == 0
    assert index.fold(0) == index.dead == 0


def test_only_what_is_void_is_folded_if_asked(place: tuple[Store, Scope, WordIndex]) -> None:
    """To make room, new texts were folded too, and took more room than before."""
    store, scope, index = place
    with Transaction(store, scope) as tx:
        index.put(tx, 1, ["tea"])
    index.fold()
    with Transaction(store, scope) as tx:
        index.remove(tx, 1, ["tea"])
        index.put(tx, 2, ["may"])
    assert (index.void, index.pending) == (1, 2)
    assert index.fold(void=True) == 1
    assert (index.void, index.pending) == (0, 1)
    assert frequencies(store, scope) == {}
    compare(reader_of(store, index), {2: ["may"]})


def test_a_text_without_words_counts_as_one_document(
    place: tuple[Store, Scope, WordIndex],
) -> None:
    """ "!!!" counted anew with each change, and the average length of a text shrank."""
    store, scope, index = place
    for old in (None, [], []):
        with Transaction(store, scope) as tx:
            index.put(tx, 1, [], old)
        assert scope.state.documents == 1
    with Transaction(store, scope) as tx:
        index.remove(tx, 1, [])
    assert scope.state.documents == 0


@pytest.mark.parametrize("dense", [False, True])
def test_sparse_and_dense_sums_agree(place: tuple[Store, Scope, WordIndex], dense: bool) -> None:
    """The two ways to add up scores must not rank differently."""
    store, scope, index = place
    step = 1 if dense else 1000
    documents = {1 + i * step: list(ALPHABET[: 1 + i % 4]) for i in range(60)}
    with Transaction(store, scope) as tx:
        for node, text in documents.items():
            index.put(tx, node, text)
    compare(reader_of(store, index), documents)
    index.fold(30)
    compare(reader_of(store, index), documents)


@pytest.mark.parametrize("most", [1, 5, 40])
def test_the_best_of_many_lack_none(most: int) -> None:
    """A node that is left out of the best is not found by any word of the cue."""
    store = Store.open(None)
    scope = opened(store)
    index = WordIndex(store, scope, said({}))
    random = Random(most)
    documents = {
        node: [word for rank in range(12) for word in [f"w{rank}"] * random.choice((0, 0, 1, 3))
               if random.random() < 1 / (1 + rank)]
        for node in range(1, 400)
    }  # fmt: skip
    with Transaction(store, scope) as tx:
        for node, text in documents.items():
            index.put(tx, node, text)
    index.fold(300)  # the others are fresh
    with Transaction(store, scope) as tx:  # and one of the folded ones changed
        index.put(tx, 7, ["w0", "w11"], documents[7])
        documents[7] = ["w0", "w11"]
    total = sum(map(len, documents.values()))
    for _ in range(40):
        weights = {f"w{rank}": random.choice((0.5, 1.0)) for rank in random.sample(range(13), 5)}
        found = reader_of(store, index).search(
            weights, len(documents), total, k1=K1, b=B, most=most
        )
        got = dict(zip(found.nodes.tolist(), found.scores.tolist(), strict=True))
        expected = bm25(documents, weights)
        assert got == pytest.approx({node: expected[node] for node in got}, rel=1e-5)
        best = sorted(expected.values(), reverse=True)[:most]
        assert sorted(got.values(), reverse=True)[:most] == pytest.approx(best, rel=1e-5)
        assert found.nodes.tolist() == sorted(got)


@pytest.mark.parametrize(
    ("ids", "apart", "most"),
    [(4000, 1, 1), (4000, 1, 40), (900, 1, 100), (10_000_000, 1, 40), (100, 997, 40)],
)
def test_sums_that_are_left_out_are_not_among_the_greatest(ids: int, apart: int, most: int) -> None:
    """The best match must not get lost where there are many, nor one be found that has no word."""
    random = np.random.default_rng(ids)
    nodes = apart * random.integers(7, ids, 5000).astype(np.uint64)
    values = random.integers(1, 40, 5000).astype(np.float32)
    whole, sums = postings.summed(nodes, values)
    some, kept = postings.summed(nodes, values, most)
    expected = dict(zip(whole.tolist(), sums.tolist(), strict=True))
    assert all(
        expected[node] == value for node, value in zip(some.tolist(), kept.tolist(), strict=True)
    )
    assert sorted(kept.tolist())[-most:] == sorted(sums.tolist())[-most:]
    assert (len(some) < len(whole)) == (ids == 4000)


def test_a_word_is_read_once_between_two_folds(place: tuple[Store, Scope, WordIndex]) -> None:
    """Common words have many chunks; but what is kept of them is not for older readers."""
    store, scope, index = place
    with Transaction(store, scope) as tx:
        for node in range(9):
            index.put(tx, node, ["tea"])
    index.fold()
    old = reader_of(store, index)
    for node in (0, 1):
        with Transaction(store, scope) as tx:
            index.put(tx, node, ["may"], ["tea"])
        assert reader_of(store, index).find("tea").nodes.tolist() == list(range(node + 1, 9))
    with store.snapshot() as snapshot:
        empty = store.snapshot()
        empty.close()  # whoever reads from it is refused
        again = index.reader(empty, snapshot.sequence, index.hold())
        assert again.find("tea").nodes.tolist() == list(range(2, 9))
        with pytest.raises(ClosedError):
            index.reader(empty, snapshot.sequence - 2, index.hold()).find("tea")
    assert old.find("tea").nodes.tolist() == list(range(9))
    index.fold()
    assert reader_of(store, index).find("tea").nodes.tolist() == list(range(2, 9))


def test_a_second_fold_waits_for_the_first(
    place: tuple[Store, Scope, WordIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both would take the same documents, and count their bytes as gone twice."""
    store, scope, index = place
    with Transaction(store, scope) as tx:
        for node in range(1, 9):
            index.put(tx, node, ["tea"])
    halfway, go_on = Event(), Event()

    def pause(seconds: float) -> None:
        if current_thread() is first:
            halfway.set()
            assert go_on.wait(60)

    monkeypatch.setattr(store, "stand_back", pause)
    folded: list[int] = []
    first, second = (Thread(target=lambda: folded.append(index.fold())) for _ in range(2))
    first.start()
    assert halfway.wait(60)
    second.start()
    second.join(0.2)
    assert second.is_alive()
    go_on.set()
    first.join(60)
    second.join(60)
    assert folded == [8, 0]
    kept = dict(store.range(*keys.scope_range(scope.id)))
    counted = sum(len(k) + len(v) for k, v in kept.items() if k[4] not in keys.UNCOUNTED)
    assert scope.state.live_bytes == counted


def test_words_are_found_by_their_ending(place: tuple[Store, Scope, WordIndex]) -> None:
    store, scope, index = place
    with Transaction(store, scope) as tx:
        index.put(tx, 1, ["hallenschlüssel", "schlüssel", "tor"])
    earlier = reader_of(store, index)
    assert earlier.ending_in("schlüssel", 3) == ["hallenschlüssel"]
    assert earlier.ending_in("schlüssel", 0) == ["hallenschlüssel", "schlüssel"]
    index.fold()
    with Transaction(store, scope) as tx:
        index.put(tx, 2, ["ersatzschlüssel", "wasserhahn"])
    for _ in range(2):  # what a fold left is kept
        found = reader_of(store, index).ending_in("schlüssel", 3)
        assert found == ["ersatzschlüssel", "hallenschlüssel"]
    assert reader_of(store, index).ending_in("a.", 0) == []


def test_rarity_is_levelled_to_a_thousand_documents(
    place: tuple[Store, Scope, WordIndex],
) -> None:
    """In a young memory every word is rare; without levelling, its first texts would all stay."""
    store, scope, index = place
    assert index.rarity("tea") == pytest.approx(math.log(1 + 1000.5 / 0.5), rel=1e-3)
    with Transaction(store, scope) as tx:
        for node in range(1, 51):
            index.put(tx, node, ["tea", f"only{node}"])
    assert index.rarity("tea") < index.rarity("only1") < index.rarity("never")
    before = index.rarity("tea")
    index.fold()
    assert index.rarity("tea") == before, "folding moves postings, it does not change them"


@given(document=st.binary(max_size=60))
def test_damaged_documents_are_named(document: bytes) -> None:
    """A fresh document that cannot be read keeps the whole memory from opening: it must say so."""
    with suppress(CorruptError):
        before(document)


@given(chunk=st.binary(max_size=40))
def test_damaged_chunks_are_named(chunk: bytes) -> None:
    """A chunk cut in the middle of a posting must not shift all those behind it."""
    key = b"12345tea\x00" + keys.u64(9)
    if len(chunk) % 7 or not chunk:
        with pytest.raises(CorruptError):
            unpack_chunk(key, chunk)
    else:
        assert all(node >= 9 for node in unpack_chunk(key, chunk))


def test_many_columns_grow_under_a_reader(place: tuple[Store, Scope, WordIndex]) -> None:
    """The table of fresh documents doubles while somebody reads it."""
    store, scope, index = place
    with Transaction(store, scope) as tx:
        for node in range(1, 200):
            index.put(tx, node, ["tea"])
    held = reader_of(store, index)
    with Transaction(store, scope) as tx:
        for node in range(200, 2000):
            index.put(tx, node, ["tea"])
        for node in range(1, 100):
            index.put(tx, node, ["may"], ["tea"])
    assert sorted(held.find("tea").nodes.tolist()) == list(range(1, 200))
    assert np.sort(reader_of(store, index).find("tea").nodes).tolist() == list(range(100, 2000))


def test_what_is_kept_of_a_fresh_word_follows_its_changes(
    place: tuple[Store, Scope, WordIndex],
) -> None:
    """The arrays of a word are kept between recalls: a changed text would be found by its old
    words, or by none."""
    store, scope, index = place

    def put(
        node: int, text: list[str], old: list[str] | None = None, *, fails: bool = False
    ) -> None:
        with suppress(ZeroDivisionError), Transaction(store, scope) as tx:
            index.put(tx, node, text, old)
            if fails:
                tx.publish(lambda sequence: 1 // 0)

    def found(reader: WordReader) -> list[int]:
        return reader.find("tea").nodes.tolist()

    put(1, ["tea"])
    put(2, ["tea"])
    before = reader_of(store, index)
    assert found(reader_of(store, index)) == [1, 2]
    put(1, ["may"], ["tea"], fails=True)
    assert found(reader_of(store, index)) == [1, 2]
    put(1, ["may"], ["tea"])
    assert found(before) == [1, 2]  # asked only now
    assert found(reader_of(store, index)) == [2]
    put(3, ["tea"])
    assert found(reader_of(store, index)) == [2, 3]
    assert found(before) == [1, 2]
    index.fold()
    assert found(reader_of(store, index)) == [2, 3]
