"""Check: verifies that all structures of a scope agree, from one snapshot."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import islice

from graphmem.errors import GraphMemError
from graphmem.forgetting.archive import Archived
from graphmem.graph import focus, links, tombstones, vocabulary
from graphmem.graph.links import StoredLink
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import Relations
from graphmem.graph.writer import text_hash
from graphmem.hexastore import keys, terms, triples
from graphmem.hexastore.keys import UNCOUNTED, Space
from graphmem.hexastore.scopes import Scope, kept_bytes
from graphmem.hexastore.triples import TripleIds
from graphmem.index.vectors.embeddings import Embedding
from graphmem.index.vectors.records import SET_ASIDE, VectorState, unpacked
from graphmem.index.words import records
from graphmem.index.words.records import Document, node_of, unpack_chunk
from graphmem.maintenance.spaces import DECLARED
from graphmem.mapping import place_rows
from graphmem.settings import FOCUS_SLOTS
from graphmem.sharing import feed, item_records
from graphmem.storage.engine import Reader
from graphmem.values.moments import micros
from graphmem_worker.text.words import ANALYSER_VERSION

_MOST = 100  # faults that are reported
_READ = 5  # parts that reading everything counts for in the progress


def faults(
    reader: Reader, scope: Scope, progress: Callable[[int, int], None] | None = None
) -> list[str]:
    """The inconsistencies, one sentence each, at most a hundred; [] if there are none. progress:
    called with the number of parts that were compared and that of all."""
    return list(islice(_Check(reader, scope).run(progress or (lambda *_: None)), _MOST))


class _Check:
    def __init__(self, reader: Reader, scope: Scope) -> None:
        self._reader = reader
        self._scope = scope
        self._texts: dict[int, TextRecord] = {}
        self._records: dict[int, NodeRecord] = {}
        self._facts: set[TripleIds] = set()
        self._links: list[StoredLink] = []  # as the in-lists have them

    def run(self, progress: Callable[[int, int], None]) -> Iterator[str]:
        malformed = list(islice(self._shapes(), _MOST))
        yield from malformed
        if malformed:
            return  # the other checks parse the keys
        try:
            self._state = self._scope.read_state(self._reader)
            self._relations = Relations(self._reader, self._scope)
            self._facts = {*triples.match(self._reader, self._scope)}
            self._links = list(links.by_target(self._reader, self._scope))
            self._texts = {node_of(k): TextRecord.unpack(v) for k, v in self._all(Space.TEXT)}
            self._records = {node_of(k): NodeRecord.unpack(v) for k, v in self._all(Space.NODE)}
        except (GraphMemError, UnicodeDecodeError) as error:
            yield str(error)
            return  # the other checks need these
        parts = (
            self._orders, self._dictionary, self._nodes, self._values, self._ordered,
            self._adjacency, self._words, self._vectors, self._embeddings, self._rest,
            self._declared, self._places, self._items, self._archive, self._bytes,
        )  # fmt: skip
        for done, part in enumerate(parts, _READ):
            progress(done, len(parts) + _READ)
            try:
                yield from part()
            except GraphMemError as error:
                yield str(error)
            except (TypeError, ValueError, LookupError) as error:
                yield f"a record is of another kind than its place says ({error!r})"

    def _shapes(self) -> Iterator[str]:
        for key, value in self._reader.range(*keys.scope_range(self._scope.id)):
            known = len(key) > 4 and key[4] in DECLARED
            if not known:
                yield f"the key {key.hex()} belongs to nothing"
            elif (fault := DECLARED[Space(key[4])].fault(key[5:], value)) is not None:
                yield f"{fault}: {key.hex()}"
        meta = self._reader.get(self._scope.prefix(Space.META))
        if meta != self._scope.meta:
            yield "the scope's fixed record (meta) is not the one that it was opened with"

    def _all(self, space: Space) -> Iterator[tuple[bytes, bytes]]:
        return self._reader.range(*keys.under(self._scope.prefix(space)))

    def _count(self, name: str, actual: int, state: object = None) -> Iterator[str]:
        counted = getattr(self._state if state is None else state, name)
        if counted != actual:
            yield f"the counter {name} says {counted}, there are {actual}"

    def _orders(self) -> Iterator[str]:
        for order in keys.ORDERS[1:]:
            seen = 0
            for triple in triples.of_keys(order, (key for key, _ in self._all(order))):
                seen += 1
                if triple not in self._facts:
                    ids = b"".join(triple).hex()
                    yield f"order {order.name} has a triple that spo lacks: {ids}"
            if seen != len(self._facts):
                yield f"order {order.name} has {seen} triples, spo {len(self._facts)}"
        yield from self._count("triples", len(self._facts))
        actual = Counter(p for _, p, _ in self._facts)
        counted = {
            key[5:]: int.from_bytes(value, "big") for key, value in self._all(Space.STATISTIC)
        }
        if counted != dict(actual):
            yield "the statistics per predicate do not agree with the triples"

    def _dictionary(self) -> Iterator[str]:
        used = {t for triple in self._facts for t in triple if not terms.is_inline(t)}
        known = {key[5:]: value for key, value in self._all(Space.DICTIONARY)}
        for identifier in used - known.keys():
            yield f"term {identifier.hex()} is used but not in the dictionary"
        for identifier in known.keys() - used:
            yield f"term {known[identifier][:60]!r} is in the dictionary but not used"
        for identifier, form in known.items():
            if blake2b(form, digest_size=15).digest() != identifier[1:]:
                yield f"the dictionary has a wrong form under {identifier.hex()}: {form[:60]!r}"

    def _nodes(self) -> Iterator[str]:
        for node in self._texts.keys() ^ self._records.keys():
            yield f"node {node} has one of its two records only"
        for node, text in self._texts.items():
            record = self._records.get(node)
            if record is not None and record.text_hash != text_hash(text):
                yield f"node {node}'s text is not the one that its record was written for"
        yield from self._count("nodes", len(self._texts))
        yield from self._count("pinned", sum(r.pinned for r in self._records.values()))
        yield from self._count("text_bytes", sum(t.size for t in self._texts.values()))
        if self._state.next_node <= max(self._texts, default=0):
            yield f"the next node's id {self._state.next_node} is taken"

    def _values(self) -> Iterator[str]:
        """Keywords and sessions, by value."""
        for space in (Space.KEYWORD, Space.SESSION):
            name = space.name.lower()
            expected = {
                vocabulary.key(self._scope, space, value, node)
                for node, text in self._texts.items()
                for value in vocabulary.values_of(text, space)
            }
            actual = {key for key, _ in self._all(space)}
            for key in expected - actual:
                yield f"node {node_of(key)} lacks its key of {name}"
            for key in actual - expected:
                yield f"node {node_of(key)} has a key of {name} too many"

    def _ordered(self) -> Iterator[str]:
        """The indexes by pass and by time."""
        due = {(record.due, node) for node, record in self._records.items()}
        ends = {(r.expires, node) for node, r in self._records.items() if r.expires is not None}
        for space, name, unit, expected in (
            (Space.DUE, "due", "pass", due), (Space.EXPIRY, "time", "microsecond", ends),
        ):  # fmt: skip
            actual = {
                (int.from_bytes(key[5:13], "big"), node_of(key)) for key, _ in self._all(space)
            }
            for at, node in expected - actual:
                yield f"node {node} is due at {unit} {at} but not in the {name} index"
            for at, node in actual - expected:
                yield f"the {name} index has node {node} at {unit} {at}, where it is not due"

    def _adjacency(self) -> Iterator[str]:
        expected: defaultdict[int, list[bytes]] = defaultdict(list)
        related: set[tuple[int, int, int]] = set()
        for link in self._links:
            if not links.is_possible(link):
                yield f"no out-list of node {link.source} can hold its link to {link.target}"
                continue
            expected[link.source].append(links.pack(*link.entry))
            if links.is_indexed(link.relation):
                related.add((link.relation, link.source, link.target))
            if self._relations.name(link.relation).startswith("?"):
                yield f"a link of node {link.source} has a relation without a name"
        heads = {node_of(key): value for key, value in self._all(Space.OUT)}
        overflow: defaultdict[int, list[bytes]] = defaultdict(list)
        for key, _ in self._all(Space.OVERFLOW):
            overflow[int.from_bytes(key[5:13], "big")].append(key[13:])
        for node in expected.keys() | heads.keys() | overflow.keys():
            head, behind = heads.get(node, b""), overflow.get(node, [])
            if head + b"".join(behind) != b"".join(sorted(expected.get(node, []))):
                yield f"the out-list of node {node} does not agree with the in-lists of its targets"
            if behind and not links.is_full(head):
                yield f"node {node} has overflow behind an out-list that is not full"
            if node not in self._records:
                yield f"node {node} has links but no record"
        found = {
            (int.from_bytes(k[5:9], "big"), int.from_bytes(k[9:17], "big"), node_of(k))
            for k, _ in self._all(Space.RELATED)
        }
        if found != related:
            yield "the index of the relations does not agree with the links"
        yield from self._count("links", len(self._links))

    def _words(self) -> Iterator[str]:
        actual: defaultdict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
        counts: Counter[str] = Counter()
        for key, value in self._all(Space.CHUNK):
            postings = unpack_chunk(key, value)
            word = key[5:-9].decode()
            counts[word] += len(postings)
            actual[word].update(postings)
        for key, value in self._all(Space.FREQUENCY):
            if counts.pop(key[5:].decode(), None) != int.from_bytes(value, "big"):
                yield f"the frequency of word {key[5:].decode()!r} does not agree with its chunks"
        if counts:
            yield f"{len(counts)} words have chunks but no frequency"
        delta = {node_of(key): value for key, value in self._all(Space.FRESH)}
        taken = int.from_bytes(delta.pop(0, b""), "big")
        before = {node: set(records.before(value)) for node, value in delta.items()}
        expected: defaultdict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
        total = 0
        for node, text in self._texts.items():
            document = Document.of(text.words)
            total += document.length
            for word, frequency in document.frequencies.items():
                expected[word][node] = (frequency, document.length)
            if node in delta and (node <= taken or delta[node]):
                before[node].update(document.frequencies)
        for node in delta.keys() - self._texts.keys():
            if not delta[node] and node > taken:
                yield f"node {node} waits for the word index but is not there"
        for word, postings in actual.items():
            for node in delta.keys() & postings.keys():
                if word not in before[node]:
                    yield f"chunks hold postings of word {word!r} that node {node} is not known for"
                del postings[node]
        for word, documents in expected.items():
            actual[word].update((n, found) for n, found in documents.items() if n in delta)
        yield from self._count("documents", len(self._texts))
        if self._scope.analyser != ANALYSER_VERSION:
            return  # an older version cut the texts into other words
        for word in expected.keys() | actual.keys():
            if expected.get(word, {}) != actual.get(word, {}):
                yield f"the postings of word {word!r} do not agree with the texts"
        yield from self._count("words", total)

    def _vectors(self) -> Iterator[str]:
        state = VectorState.read(self._reader, self._scope)
        present: set[int] = set()
        for key, value in self._all(Space.VECTOR):
            node, (generation, _, row) = node_of(key), unpacked(value)
            if node not in self._records:
                yield f"node {node} has a vector but is not there"
            if generation == state.generation:
                present.add(node)
                if len(row) != state.dimensions:
                    yield f"the vector of node {node} has {len(row)} dimensions"
        queue = {node_of(key): value for key, value in self._all(Space.EMBED)}
        for node in queue.keys() - self._records.keys():
            yield f"node {node} waits for a vector but is not there"
        if state.generation:
            for node in self._records.keys() - present - queue.keys():
                if node > state.backlog:
                    yield f"node {node} has no vector and does not wait for one"
        aside = sum(value == SET_ASIDE for value in queue.values())
        yield from self._count("vectors", len(present), state)
        yield from self._count("set_aside", aside, state)
        yield from self._count("waiting", len(queue) - aside, state)

    def _embeddings(self) -> Iterator[str]:
        state = VectorState.read(self._reader, self._scope)
        places = {
            keys.u64(Embedding.unpack(value).place): key[5:]
            for key, value in self._all(Space.EMBEDDING)
        }
        if places != {key[5:]: value for key, value in self._all(Space.EMBEDDING_AGE)}:
            yield "the cache of embeddings and the order of its last uses do not agree"
        yield from self._count("cached", len(places), state)

    def _rest(self) -> Iterator[str]:
        nodes = focus.read(self._reader, self._scope)
        if len(nodes) > FOCUS_SLOTS or len(set(nodes)) != len(nodes):
            yield f"the focus holds {nodes}"
        for node in nodes:
            if node not in self._records:
                yield f"node {node} is in focus but not there"
        pointed_to = {link.target for link in self._links}
        stones = [tombstones.unpack(node_of(k), v) for k, v in self._all(Space.TOMBSTONE)]
        for stone in stones:
            if stone.id in self._records:
                yield f"node {stone.id} has a tombstone but lives"
            if stone.id not in pointed_to:
                yield f"nothing points to the tombstone of node {stone.id}"

    def _items(self) -> Iterator[str]:
        scheduled = {
            key[13:]: int.from_bytes(key[5:13], "big") for key, _ in self._all(Space.ITEM_EXPIRY)
        }
        for key, value in self._all(Space.ITEM):
            item = item_records.item_of(key[5:], value)
            expires = None if item.expires is None else micros(item.expires)
            if scheduled.pop(key[5:], None) != expires:
                yield f"the time index does not agree with when item {item.key!r:.80} expires"
            for node in item.metadata.get(item_records.RECALLED, ()):
                text = self._texts.get(node)
                about = {} if text is None else dict(text.metadata)
                named = about.get("item_namespace"), about.get("item_key")
                if text is not None and named != (item.namespace, item.key):
                    yield f"node {node} is not the text of item {item.key!r:.80}, which names it"
        for place in scheduled:
            yield f"the time index has an item that is not there: {place[:80]!r}"
        last = feed.head(self._reader, self._scope)
        numbers = [int.from_bytes(key[5:], "big") for key, _ in self._all(Space.CHANGE)]
        first = max(1, last - feed.RING + 1)
        whole = numbers == list(range(last + 1 - len(numbers), last + 1))
        if not whole or (numbers and numbers[0] < first):
            yield f"the changes that are kept are not the last up to {last}"

    def _declared(self) -> Iterator[str]:
        """Declared spaces: their counters, and rows that belong to a node."""
        for declared in DECLARED.values():
            if not (declared.counter or declared.of_node):
                continue
            count = 0
            for key, _ in self._all(declared.space):
                count += 1
                if declared.of_node and node_of(key) not in self._records:
                    name = declared.space.name.lower()
                    yield f"{name} has node {node_of(key)}, which is not there"
            if declared.counter:
                yield from self._count(declared.counter, count)

    def _places(self) -> Iterator[str]:
        """A forgotten node may have a place until the next map; one that never existed may not."""
        for node in place_rows.read(self._reader, self._scope):
            if not 0 < node < self._state.next_node:
                yield f"the map has a place for node {node}, which never was"

    def _archive(self) -> Iterator[str]:
        forms: dict[bytes, bytes] = {}
        size = 0
        for key, value in self._all(Space.ARCHIVE):
            form = Archived.unpack(value)
            forms[keys.u64(form.node) + form.version.to_bytes(4, "big")] = key[5:]
            size += len(key) + len(value)
        index = {}
        for key, value in self._all(Space.ARCHIVED):
            index[key[5:]] = value
            size += len(key) + len(value)
        if index != forms:
            yield "the archive and its index by node do not agree"
        yield from self._count("archive_bytes", size)

    def _bytes(self) -> Iterator[str]:
        start, stop = keys.scope_range(self._scope.id)
        size = sum(
            len(key) + len(value)
            for key, value in self._reader.range(start, stop)
            if key[4] not in UNCOUNTED
        )
        yield from self._count("live_bytes", size)
        if self._scope.kind == "memory" and self._state.kept_bytes:  # 0: not counted yet
            yield from self._count("kept_bytes", kept_bytes(self._reader, self._scope))
