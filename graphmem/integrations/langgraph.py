"""LangGraph's store on `memory.items`: `GraphmemStore`. It needs the extra `langgraph`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from math import sqrt
from typing import Any, Final, TypeAlias

from graphmem.api.verbs import Verbs
from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.integrations.taken import checked_memory, checked_name, needs
from graphmem.sharing.content import LONGEST_NAMESPACE, searchable
from graphmem.sharing.cosine import packed_vector
from graphmem.sharing.items import VECTORS
from graphmem.values.items import Item as Stored
from graphmem.values.where import Where

with needs("langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        InvalidNamespaceError,
        Item,
        ListNamespacesOp,
        MatchCondition,
        PutOp,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )


_Names: TypeAlias = tuple[str, ...]
_Place: TypeAlias = tuple[str, str]  # namespace and key of an item
_PREFIX: Final = "langgraph:"
_TTL: Final = "ttl"  # of an item's metadata: its time to live, in minutes
_MINUTE: Final = 60.0


class GraphmemStore(BaseStore):
    """A store of LangGraph in a memory: one item of `memory.items` for each of its items.

        with graphmem.open("agent-memory") as memory:
            graph = builder.compile(store=GraphmemStore(memory))

    memory: from `graphmem.open`, `graphmem.attach` or `graphmem.reach`, of any scope.
    index: for semantic search, as LangGraph's stores take it: `embed` (LangChain embeddings, or a
        function of a list of texts), `dims`, `fields` (by default "$", the whole value). Each
        vector is part of its item, and is deleted with it. Vectors are scaled to length 1: a score
        is a cosine or, with `distance_type` "l2", the negative distance, from −2 to 0.
        None: a search with a query ranks by the words of the whole values (BM25).
    recall: let `memory.recall` find the text of items in any namespace (`within` selects one),
        except those put with `index=False`. They are then memories, of at most 64 segments;
        erasing one erases its item.
    ttl: `default_ttl` in minutes and `refresh_on_read` (default False); an expired item is not
        found, and is removed by the owner of the folder.
    name: 1–100 characters without a colon; stores of one scope with different names do not
        share items.

    A batch first reads (get, search, list), then writes what it puts and deletes in one write, all
    or nothing. Labels of a namespace are not empty and hold no period and no NUL; together they
    have up to 400 characters, a key up to 1,000, a value up to 16 MiB of what msgpack can pack.
    Raises InvalidNamespaceError for labels, and what `memory.items` raises.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Verbs,
        *,
        index: IndexConfig | None = None,
        recall: bool = False,
        ttl: TTLConfig | None = None,
        name: str = "",
    ) -> None:
        self._items = checked_memory(memory).items
        self._prefix = f"{_PREFIX}{checked_name(name)}:"
        self._recall = recall
        # As LangGraph's own stores do it: a read refreshes only if that is asked for.
        self.ttl_config: TTLConfig = {"refresh_on_read": False, **(ttl or {})}
        self.index_config = index
        self.embeddings = None if index is None else ensure_embeddings(index.get("embed"))
        self._fields = [] if index is None else _tokenized(index.get("fields") or ["$"])

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Do LangGraph's operations, in the order that the class describes."""
        batch, embed = self._sorted(ops), self.embeddings
        if embed is None:
            return self._done(batch, (), ())
        with _one_each():
            asked = [embed.embed_query(query) for query in batch.queries]
        texts = [*batch.texts]
        return self._done(batch, asked, embed.embed_documents(texts) if texts else ())

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """The same without blocking the event loop."""
        batch, embed = self._sorted(ops), self.embeddings
        if embed is None:
            return await asyncio.to_thread(self._done, batch, (), ())
        with _one_each():
            asked = await asyncio.gather(*map(embed.aembed_query, batch.queries))
        texts = [*batch.texts]
        vectors = await embed.aembed_documents(texts) if texts else ()
        return await asyncio.to_thread(self._done, batch, asked, vectors)

    def _done(self, batch: _Batch, asked: Sequence[Any], vectors: Sequence[Any]) -> list[Any]:
        """Do a batch. asked, vectors: those of its queries and texts."""
        of_queries = self._embedded(batch.queries, asked)
        for text, vector in self._embedded(batch.texts, vectors).items():
            packed = packed_vector(vector) if any(vector) else b""
            for place in batch.texts[text]:
                batch.vectors.setdefault(place, []).append(packed)
        self._read(batch, of_queries)
        self._write(batch)
        return batch.results

    def _embedded(self, texts: Mapping[str, Any], vectors: Any) -> dict[str, Sequence[float]]:
        """The vector of each text. Raises InvalidArgumentError if one has not `dims` numbers."""
        dims = (self.index_config or {}).get("dims")
        many = _length(vectors)
        lengths = [*map(_length, vectors)] if many == len(texts) else []
        wrong = [length for length in lengths if not length or length != (dims or length)]
        if many == len(texts) and not wrong:
            return dict(zip(texts, vectors, strict=True))
        got = f"a vector of {wrong[0]} numbers" if wrong else f"{many} vectors"
        raise InvalidArgumentError(
            f"embed returned {got.replace('None', 'no')} for {len(texts)} texts: what it returns "
            f"for each is a list of {dims or 'finite'} numbers"
        )

    def within(self, namespace: _Names) -> Where:
        """For `memory.recall` and `memory.nodes`: only what is in this namespace or below it.

            memory.recall("Who is ill?", where=store.within(("users", "ada")))

        With `recall=True` a recall without it finds what is in any namespace.
        """
        begin = self._namespace(namespace)
        end = begin[:-1] + chr(ord(begin[-1]) + 1)
        return Where(metadata={"item_namespace": {"gte": begin, "lt": end}})

    # -- sorting a batch --------------------------------------------------------------------------

    def _sorted(self, ops: Iterable[Any]) -> _Batch:
        batch = _Batch()
        for number, op in enumerate(ops):
            validate_op_namespace(op)
            batch.results.append(None)
            match op:
                case GetOp() | ListNamespacesOp():
                    batch.reads.append((number, op))
                case SearchOp():
                    batch.reads.append((number, op))
                    if op.query and self.embeddings is not None:
                        batch.queries[op.query] = None
                case PutOp():
                    if not isinstance(op.value, Mapping | None):
                        raise ArgumentTypeError(
                            f"the value of {op.key!r:.80} is a dict, got {type(op.value).__name__}"
                        )
                    batch.puts[self._namespace(op.namespace), op.key] = op
                case _:
                    raise ValueError(f"Unknown operation type: {type(op)}")
        if self.embeddings is not None:
            for place, op in batch.puts.items():
                for text in self._texts(op):
                    batch.texts.setdefault(text, []).append(place)
        return batch

    def _texts(self, op: PutOp) -> Iterator[str]:
        if op.value is None or op.index is False:
            return
        fields = self._fields if op.index is None else _tokenized(op.index)
        for path in fields:
            yield from get_text_at_path(op.value, path)

    # -- reading ----------------------------------------------------------------------------------

    def _read(self, batch: _Batch, asked: Mapping[str, Sequence[float]]) -> None:
        """Do the reads of a batch. asked: the vectors of its queries."""
        gets: dict[str, list[tuple[int, GetOp]]] = {}
        refreshed: list[Stored] = []
        for number, op in batch.reads:
            match op:
                case GetOp():
                    gets.setdefault(self._namespace(op.namespace), []).append((number, op))
                case SearchOp():
                    found = self._found(op, asked)
                    batch.results[number] = [
                        SearchItem(
                            namespace=self._labels(item.namespace), key=item.key, value=item.value,
                            created_at=item.created, updated_at=item.updated, score=score,
                        )
                        for item, score in found
                    ]  # fmt: skip
                    if op.refresh_ttl:
                        refreshed += [item for item, _ in found]
                case ListNamespacesOp():
                    batch.results[number] = self._listed(op)
        for namespace, wanted in gets.items():
            items = self._items.get_many(namespace, [op.key for _, op in wanted])
            for (number, op), item in zip(wanted, items, strict=True):
                if item is not None:
                    batch.results[number] = Item(
                        value=item.value, key=item.key, namespace=op.namespace,
                        created_at=item.created, updated_at=item.updated,
                    )  # fmt: skip
                    if op.refresh_ttl:
                        refreshed.append(item)
        self._refresh(refreshed)

    def _found(
        self, op: SearchOp, asked: Mapping[str, Sequence[float]]
    ) -> list[tuple[Stored, float | None]]:
        within = self._namespace(op.namespace_prefix)
        vector = asked.get(op.query or "")
        if vector is not None and any(vector):
            near = self._items.nearest(
                vector, within, where=op.filter, limit=op.limit, offset=op.offset
            )
            if (self.index_config or {}).get("distance_type") != "l2":
                return near
            # Of vectors of length 1 the nearest are those with the greatest cosine.
            return [
                (item, cosine if cosine is None else -sqrt(max(0.0, 2 - 2 * cosine)))
                for item, cosine in near
            ]
        if op.query and self.embeddings is None:
            return self._items.matching(
                op.query, within, where=op.filter, limit=op.limit, offset=op.offset
            )
        found = self._items.search(within, where=op.filter, limit=op.limit, offset=op.offset)
        return [(item, None) for item in found]

    def _listed(self, op: ListNamespacesOp) -> list[_Names]:
        conditions = op.match_conditions or ()
        # Up to the first wildcard a prefix narrows what is read.
        known: _Names = ()
        for condition in conditions:
            if condition.match_type == "prefix":
                before = takewhile(lambda label: label != "*", condition.path)
                known = max(known, tuple(before), key=len)
        found = map(self._labels, self._items.namespaces(self._namespace(known)))
        fitting = {
            names[: op.max_depth]
            for names in found
            if all(_matches(condition, names) for condition in conditions)
        }
        return sorted(fitting)[op.offset : op.offset + op.limit]

    def _refresh(self, items: Iterable[Stored]) -> None:
        """Restart the time to live that items were given when they were put."""
        due: dict[tuple[str, float], list[str]] = {}
        for item in items:
            if item.expires is not None and (minutes := item.metadata.get(_TTL)) is not None:
                due.setdefault((item.namespace, minutes), []).append(item.key)
        for (namespace, minutes), keys in due.items():
            self._items.touch(namespace, keys, minutes * _MINUTE)

    # -- writing ----------------------------------------------------------------------------------

    def _write(self, batch: _Batch) -> None:
        entries = [
            {
                "namespace": namespace,
                "key": key,
                "value": dict(op.value),
                "ttl": None if op.ttl is None else op.ttl * _MINUTE,
                # Both keys are always set, so that none of an earlier put is left.
                "metadata": {VECTORS: batch.vectors.get((namespace, key), []), _TTL: op.ttl},
                "recall": self._recall and op.index is not False and bool(searchable(op.value)),
            }
            for (namespace, key), op in batch.puts.items()
            if op.value is not None
        ]
        gone = [place for place, op in batch.puts.items() if op.value is None]
        if entries or gone:
            self._items.put_many(entries, delete=gone)

    # -- names ------------------------------------------------------------------------------------

    def _namespace(self, labels: _Names) -> str:
        """The namespace of items; that of a prefix of labels is a prefix of it."""
        text = self._prefix + "".join(f"{label}." for label in labels)
        if len(text) > LONGEST_NAMESPACE:
            raise InvalidNamespaceError(
                f"The labels of a namespace have {LONGEST_NAMESPACE - len(self._prefix)} characters"
                f" at most, each counted with one more. Got {labels!r:.80}"
            )
        return text

    def _labels(self, namespace: str) -> _Names:
        return tuple(namespace[len(self._prefix) :].split(".")[:-1])


@dataclass(slots=True)
class _Batch:
    """The reads and writes of a batch, and its results."""

    results: list[Any] = field(default_factory=list)
    reads: list[tuple[int, Any]] = field(default_factory=list)
    queries: dict[str, None] = field(default_factory=dict)
    puts: dict[_Place, PutOp] = field(default_factory=dict)
    """The last for each item."""
    texts: dict[str, list[_Place]] = field(default_factory=dict)
    """Texts to embed, and the items of each."""
    vectors: dict[_Place, list[bytes]] = field(default_factory=dict)


def _length(value: Any) -> int | None:
    """The length of a list or an array; None for anything else."""
    return len(value) if hasattr(value, "__len__") and not isinstance(value, str) else None


@contextmanager
def _one_each() -> Iterator[None]:
    """LangGraph takes the first vector for a query; say so if there is none."""
    try:
        yield
    except (IndexError, TypeError) as error:
        raise InvalidArgumentError(
            f"embed returned no vector for a query, or failed ({error})"
        ) from error


def _tokenized(paths: Iterable[str]) -> list[Any]:
    return [path if path == "$" else tokenize_path(path) for path in paths]


def _matches(condition: MatchCondition, names: _Names) -> bool:
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(names) < len(path):
        return False
    there = names[: len(path)] if condition.match_type == "prefix" else names[-len(path) :]
    return all(wanted in ("*", name) for wanted, name in zip(path, there, strict=False))
