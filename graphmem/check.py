"""Check: proof that all structures of a scope agree, from one snapshot."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from typing import Final

from graphmem.errors import GraphMemError
from graphmem.forgetting.archive import Archived
from graphmem.graph import adjacency, focus
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import Relations
from graphmem.graph.view import Tombstone
from graphmem.graph.writer import LINK, text_hash
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import UNCOUNTED, Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import Literal
from graphmem.hexastore.triples import PLACES
from graphmem.index import vectors
from graphmem.index.embeddings import DIGEST_BYTES, Embedding
from graphmem.index.vectors import SET_ASIDE, VectorState
from graphmem.index.words import Document, node_of, unpack_chunk
from graphmem.settings import FOCUS_SLOTS
from graphmem.storage.engine import Reader

_MOST = 100  # faults that are reported

Triples = dict[tuple[bytes, bytes, bytes], bytes]


# Bytes behind scope and space in a key, and in its value; None: any number.
SHAPES: Final[dict[int, tuple[int | None, tuple[int, ...] | None]]] = {
    Space.STATE: (0, None),
    Space.META: (0, None),
    Space.LAST_TEXT: (0, (32,)),
    Space.RELATION: (4, None),
    Space.INTENT: (8, (8,)),
    Space.SPO: (48, (0, LINK.size)),
    **dict.fromkeys(keys.ORDERS[1:], (48, None)),
    Space.DICTIONARY: (16, None),
    Space.STATISTIC: (16, (8,)),
    Space.TEXT: (8, None),
    Space.NODE: (8, None),
    Space.HEAD: (8, None),
    Space.OVERFLOW: (8 + adjacency.KEY_BYTES, (1,)),
    Space.FOCUS: (0, None),
    Space.DUE: (16, (0,)),
    Space.TOMBSTONE: (8, None),
    Space.FRESH: (8, None),
    Space.CHUNK: (None, None),
    Space.FREQUENCY: (None, (4,)),
    Space.VECTOR: (8, None),
    Space.VECTOR_STATE: (0, None),
    Space.EMBEDDING: (DIGEST_BYTES, None),
    Space.EMBEDDING_AGE: (8, (DIGEST_BYTES,)),
    Space.QUEUE: (8, (1,)),
    Space.DEAD: (8, None),
    Space.EMBED: (8, (1,)),
    Space.ARCHIVE: (8, None),
    Space.ARCHIVED: (12, (8,)),
}


def faults(reader: Reader, scope: Scope) -> list[str]:
    """What does not agree, one sentence each, at most a hundred; [] if all does."""
    return list(islice(_Check(reader, scope).run(), _MOST))


class _Check:
    def __init__(self, reader: Reader, scope: Scope) -> None:
        self._reader = reader
        self._scope = scope
        self._texts: dict[int, TextRecord] = {}
        self._records: dict[int, NodeRecord] = {}
        self._triples: Triples = {}

    def run(self) -> Iterator[str]:
        malformed = list(islice(self._shapes(), _MOST))
        yield from malformed
        if malformed:
            return  # what is below takes keys apart
        try:
            self._state = self._scope.read_state(self._reader)
            self._relations = Relations(self._reader, self._scope)
            self._triples = {
                (key[5:21], key[21:37], key[37:53]): value for key, value in self._all(Space.SPO)
            }
            self._texts = {node_of(k): TextRecord.unpack(v) for k, v in self._all(Space.TEXT)}
            self._records = {node_of(k): NodeRecord.unpack(v) for k, v in self._all(Space.NODE)}
        except (GraphMemError, UnicodeDecodeError) as error:
            yield str(error)
            return  # the rest stands on these
        for part in (
            self._orders, self._dictionary, self._nodes, self._due, self._adjacency,
            self._words, self._vectors, self._embeddings, self._rest, self._archive, self._bytes,
        ):  # fmt: skip
            try:
                yield from part()
            except GraphMemError as error:
                yield str(error)
            except (TypeError, ValueError, LookupError) as error:
                yield f"a record is of another kind than its place says ({error!r})"

    def _shapes(self) -> Iterator[str]:
        for key, value in self._reader.range(*keys.scope_range(self._scope.id)):
            if (shape := SHAPES.get(key[4] if len(key) > 4 else -1)) is None:
                yield f"the key {key.hex()} belongs to nothing"
                continue
            length, sizes = shape
            space = Space(key[4])
            if length is not None and len(key) != 5 + length:
                yield f"a key of {space.name.lower()} has {len(key)} bytes: {key.hex()}"
            elif space is Space.CHUNK and (len(key) < 15 or key[-9]):
                yield f"a key of chunk holds no word and node: {key.hex()}"
            elif sizes is not None and len(value) not in sizes:
                yield f"a value of {space.name.lower()} has {len(value)} bytes: {key.hex()}"
        meta = self._reader.get(self._scope.prefix(Space.META))
        if meta != self._scope.meta:
            yield "the scope's fixed record (meta) is not the one that it was opened with"

    def _all(self, space: Space) -> Iterator[tuple[bytes, bytes]]:
        start = self._scope.prefix(space)
        return self._reader.range(start, keys.after(start))

    def _count(self, name: str, actual: int, state: object = None) -> Iterator[str]:
        counted = getattr(self._state if state is None else state, name)
        if counted != actual:
            yield f"the counter {name} says {counted}, there are {actual}"

    def _orders(self) -> Iterator[str]:
        for order in keys.ORDERS[1:]:
            places, seen = PLACES[order], 0
            for key, value in self._all(order):
                parts = (key[5:21], key[21:37], key[37:53])
                triple = (parts[places[0]], parts[places[1]], parts[places[2]])
                seen += 1
                if triple not in self._triples:
                    yield f"order {order.name} has a triple that spo lacks: {key[5:].hex()}"
                if value:
                    yield f"order {order.name} keeps a value, which only spo may: {key[5:].hex()}"
            if seen != len(self._triples):
                yield f"order {order.name} has {seen} triples, spo {len(self._triples)}"
        yield from self._count("triples", len(self._triples))
        actual = Counter(p for _, p, _ in self._triples)
        counted = {
            key[5:]: int.from_bytes(value, "big") for key, value in self._all(Space.STATISTIC)
        }
        if counted != dict(actual):
            yield "the statistics per predicate do not agree with the triples"

    def _dictionary(self) -> Iterator[str]:
        used = {t for triple in self._triples for t in triple if not terms.is_inline(t)}
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
        expected: set[tuple[bytes, bytes, bytes]] = set()
        for node, text in self._texts.items():
            term = terms.encode_node(node)
            expected.add((term, terms.TYPE, terms.NODE))
            if text.session is not None:
                expected.add((term, terms.SESSION, terms.encode(Literal(text.session))))
            for keyword in text.keywords:
                expected.add((term, terms.KEYWORD, terms.encode(Literal(keyword))))
            record = self._records.get(node)
            if record is not None and record.text_hash != text_hash(text):
                yield f"node {node}'s text is not the one that its record was written for"
        own = (terms.TYPE, terms.SESSION, terms.KEYWORD)
        actual = {
            (s, p, o)
            for s, p, o in self._triples
            if p in own
            and terms.decode_node(s) is not None
            and (p != terms.TYPE or o == terms.NODE)
        }
        for s, _, _ in expected - actual:
            yield f"node {terms.decode_node(s)} lacks a triple of type, session or keyword"
        for s, _, _ in actual - expected:
            yield f"node {terms.decode_node(s)} has a triple of type, session or keyword too many"
        yield from self._count("nodes", len(self._texts))
        yield from self._count("pinned", sum(r.pinned for r in self._records.values()))
        yield from self._count("text_bytes", sum(t.size for t in self._texts.values()))
        if self._state.next_node <= max(self._texts, default=0):
            yield f"the next node's id {self._state.next_node} is taken"

    def _due(self) -> Iterator[str]:
        expected = {(record.due, node) for node, record in self._records.items()}
        actual = {
            (int.from_bytes(key[5:13], "big"), node_of(key)) for key, _ in self._all(Space.DUE)
        }
        for due, node in expected - actual:
            yield f"node {node} is due at pass {due} but not in the due index"
        for due, node in actual - expected:
            yield f"the due index has node {node} at pass {due}, where it is not due"

    def _adjacency(self) -> Iterator[str]:
        expected: defaultdict[int, list[bytes]] = defaultdict(list)
        for (s, p, o), value in self._triples.items():
            source, target = terms.decode_node(s), terms.decode_node(o)
            code = self._relations.code_of(p)
            if not value:
                continue
            if source is None or target is None or code is None:
                yield (
                    "a triple has a strength, but no relation of that predicate is known, or its "
                    f"ends are no nodes: {(s + p + o).hex()}"
                )
                continue
            level, distance = LINK.unpack(value)
            expected[source].append(adjacency.pack(level, target, code, distance))
        heads = {node_of(key): value for key, value in self._all(Space.HEAD)}
        overflow: defaultdict[int, list[bytes]] = defaultdict(list)
        for key, value in self._all(Space.OVERFLOW):
            overflow[int.from_bytes(key[5:13], "big")].append(key[13:] + value + b"\x00" * 3)
        size = adjacency.HEAD_ENTRIES * adjacency.ENTRY_BYTES
        for node in expected.keys() | heads.keys() | overflow.keys():
            head, behind = heads.get(node, b""), overflow.get(node, [])
            if head + b"".join(behind) != b"".join(sorted(expected.get(node, []))):
                yield f"the adjacency of node {node} does not agree with its links"
            if behind and len(head) != size:
                yield f"node {node} has overflow behind a head that is not full"
            if node not in self._records:
                yield f"node {node} has links but no record"
        yield from self._count("links", sum(map(len, expected.values())))

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
        fresh = {node_of(k): Document.unpack(v) for k, v in self._all(Space.FRESH)}
        for postings in actual.values():
            for node in fresh.keys() & postings.keys():
                del postings[node]
        for node, document in fresh.items():
            for word, frequency in document.frequencies.items():
                actual[word][node] = (frequency, document.length)
        expected: defaultdict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
        total = 0
        for node, text in self._texts.items():
            document = Document.of(text.words)
            total += document.length
            for word, frequency in document.frequencies.items():
                expected[word][node] = (frequency, document.length)
        for word in expected.keys() | actual.keys():
            if expected.get(word, {}) != actual.get(word, {}):
                yield f"the postings of word {word!r} do not agree with the texts"
        yield from self._count("documents", len(self._texts))
        yield from self._count("words", total)

    def _vectors(self) -> Iterator[str]:
        state = VectorState.read(self._reader, self._scope)
        present: set[int] = set()
        for key, value in self._all(Space.VECTOR):
            node, (generation, _, row) = node_of(key), vectors.unpack(value)
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
        pointed_to = {terms.decode_node(o) for (_, _, o), value in self._triples.items() if value}
        stones = [Tombstone.unpack(node_of(k), v) for k, v in self._all(Space.TOMBSTONE)]
        for stone in stones:
            if stone.id in self._records:
                yield f"node {stone.id} has a tombstone but lives"
            if stone.id not in pointed_to:
                yield f"nothing points to the tombstone of node {stone.id}"
        yield from self._count("tombstones", len(stones))
        for space, name in ((Space.QUEUE, "queued"), (Space.DEAD, "dead")):
            waiting = [node_of(key) for key, _ in self._all(space)]
            for node in waiting:
                if node not in self._records:
                    yield f"node {node} waits in {space.name.lower()} but is not there"
            yield from self._count(name, len(waiting))
        yield from self._count("intents", sum(1 for _ in self._all(Space.INTENT)))

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
        yield from self._count("archived", len(forms))
        yield from self._count("archive_bytes", size)

    def _bytes(self) -> Iterator[str]:
        start, stop = keys.scope_range(self._scope.id)
        size = sum(
            len(key) + len(value)
            for key, value in self._reader.range(start, stop)
            if key[4] not in UNCOUNTED
        )
        yield from self._count("live_bytes", size)
