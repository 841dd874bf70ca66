"""LangGraph's checkpoints on `memory.items`: `GraphmemSaver`. It needs the extra `langgraph`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from graphmem.api.verbs import Verbs
from graphmem.errors import InvalidArgumentError
from graphmem.integrations.taken import awaited, checked_memory, checked_name, needs
from graphmem.sharing.content import LONGEST_NAMESPACE, packed, unpacked
from graphmem.values.items import Item

with needs("langgraph"):
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        WRITES_IDX_MAP,
        BaseCheckpointSaver,
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        CheckpointTuple,
        get_checkpoint_id,
        get_serializable_checkpoint_metadata,
        writes_sort_key,
    )
    from langgraph.checkpoint.serde.base import SerializerProtocol


_Places: TypeAlias = Iterable[tuple[str, str]]  # namespaces and keys of items
_Items: TypeAlias = Sequence[Item]
_CHECKPOINTS: Final = "langgraph-checkpoints:"
_WRITES: Final = "langgraph-writes:"
_NO_TEXT: Final = b"\xff"
"""Begins packed state: only UTF-8 is searched for secrets, and a cut would damage the state."""
_DELTAS: Final = "counters_since_delta_snapshot"


class GraphmemSaver(BaseCheckpointSaver[int]):
    """Checkpoints of LangGraph in a memory: one item for each, and one for each pending write.

        with graphmem.open("agent-memory") as memory:
            graph = builder.compile(checkpointer=GraphmemSaver(memory))

    memory: from `graphmem.open`, `graphmem.attach` or `graphmem.reach`, of any scope.
    serde: as LangGraph's own savers take it.
    name: 1–100 characters without a colon; savers of one scope with different names do not
        share threads.

    A checkpoint is on the disk when `put` returns, as the setting `durability` says. What is stored
    is bytes: the memory does not look for secrets in it, and `recall` does not find it. The state
    of a graph may have up to 16 MiB, a thread's id about 470 characters, a subgraph's namespace
    about 900. Deleted bytes leave the files at `memory.admin.compact()`. Raises what `memory.items`
    raises.
    """

    def __init__(
        self, memory: Verbs, *, serde: SerializerProtocol | None = None, name: str = ""
    ) -> None:
        super().__init__(serde=serde)
        self._items = checked_memory(memory).items
        self._name = checked_name(name)

    # -- reading ----------------------------------------------------------------------------------

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that `config` names, or the newest of its thread and namespace."""
        thread, space = _place(config)
        if wanted := get_checkpoint_id(config):  # "" names none, as LangGraph's own savers have it
            item = self._items.get(self._checkpoints(thread), _key(space, wanted))
        else:
            item = next(iter(self._of_space(thread, space, 1)), None)
        return None if item is None else self._tuple_of(thread, item)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, the newest of a thread first; without a config those of all threads.

        filter: values that the metadata has. before: only those older than this one's. limit: how
            many at most.
        """
        asked: Mapping[str, Any] = {} if config is None else config["configurable"]
        threads = self._threads() if config is None else [str(asked["thread_id"])]
        wanted = asked.get("checkpoint_id")
        end = None if before is None else get_checkpoint_id(before)
        most = limit if not filter and end is None and wanted is None else None
        found = (
            (thread, item)
            for thread in threads
            for item in self._of_thread(thread, asked.get("checkpoint_ns"), most)
            if (not wanted or _id(item) == wanted)
            and (not end or _id(item) < end)
            and (not filter or self._has(item, filter))
        )
        for thread, item in islice(found, None if limit is None else max(0, limit)):
            yield self._tuple_of(thread, item)

    def _of_thread(self, thread: str, space: str | None, most: int | None) -> _Items:
        if space is not None:
            return self._of_space(thread, space, most)
        return sorted(self._items.list(self._checkpoints(thread)), key=_id, reverse=True)

    def _of_space(self, thread: str, space: str, most: int | None) -> _Items:
        return self._items.list(
            self._checkpoints(thread), _key(space, ""), reverse=True, limit=most
        )

    def _tuple_of(self, thread: str, item: Item) -> CheckpointTuple:
        space, _, number = item.key.rpartition("/")
        space, parent = _unescaped(space), item.value["parent"]
        writes = [unpacked(write.value[1:]) for write in self._writes_of(thread, item)]
        writes.sort(key=lambda write: writes_sort_key(*write[:3]))
        return CheckpointTuple(
            config=_config(thread, space, number),
            checkpoint=self._loaded(item.value["checkpoint"]),
            metadata=self._metadata(item),
            parent_config=None if parent is None else _config(thread, space, parent),
            pending_writes=[
                (task, channel, self.serde.loads_typed((kind, held)))
                for _, task, _, channel, kind, held in writes
            ],
        )

    def _writes_of(self, thread: str, item: Item) -> _Items:
        return self._items.list(self._writes(thread), f"{item.key}/")

    def _has(self, item: Item, values: Mapping[str, Any]) -> bool:
        """Whether the metadata has these values; a missing one counts as None."""
        known = self._metadata(item)
        return all(known.get(name) == value for name, value in values.items())

    def _metadata(self, item: Item) -> CheckpointMetadata:
        known: CheckpointMetadata = self._loaded(item.value["metadata"])
        return known

    def _loaded(self, held: tuple[str, bytes]) -> Any:
        kind, marked = held
        return self.serde.loads_typed((kind, marked[1:]))

    def _held(self, value: Any) -> tuple[str, bytes]:
        kind, written = self.serde.dumps_typed(value)
        return kind, _NO_TEXT + written

    # -- writing ----------------------------------------------------------------------------------

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; returns the config that names it."""
        thread, space = _place(config)
        known = get_serializable_checkpoint_metadata(config, metadata)
        value = {
            "checkpoint": self._held(checkpoint),
            "metadata": self._held(known),
            "parent": get_checkpoint_id(config),
        }
        self._items.put(self._checkpoints(thread), _key(space, checkpoint["id"]), value)
        return _config(thread, space, checkpoint["id"])

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote after a checkpoint, all or nothing. A write that is there stays,
        unless the new one is of an error, an interrupt or its answer, which replaces the last."""
        thread, space = _place(config)
        number = config["configurable"]["checkpoint_id"]
        made = {}
        for place, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, place)
            written = [task_path, task_id, index, channel, *self.serde.dumps_typed(value)]
            key = f"{_key(space, number)}/{_escaped(task_id)}/{index}"
            made[key] = index < 0, _NO_TEXT + packed("a write", written)
        existing = self._items.get_many(self._writes(thread), [*made])
        self._items.put_many(
            {"namespace": self._writes(thread), "key": key, "value": value}
            for (key, (anew, value)), old in zip(made.items(), existing, strict=True)
            if old is None or anew
        )

    def delete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints and writes of a thread."""
        self._delete(self._all_of(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that these runs made, in all threads, with their writes."""
        runs = set(run_ids)
        self._delete(
            place
            for thread in self._threads()
            for item in self._items.list(self._checkpoints(thread))
            if self._metadata(item).get("run_id") in runs
            for place in self._with_writes(thread, item)
        )

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of a thread into another one, all or nothing."""
        self._items.put_many(
            {"namespace": name_of(target_thread_id), "key": item.key, "value": item.value}
            for name_of in (self._checkpoints, self._writes)
            for item in self._items.list(name_of(source_thread_id))
        )

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the checkpoints of threads: all ("delete"), or all but the newest of each
        namespace ("keep_latest"), and those before it from which its delta channels are made.

        Raises InvalidArgumentError for another strategy.
        """
        if strategy not in ("keep_latest", "delete"):
            raise InvalidArgumentError(
                f"strategy is 'keep_latest' or 'delete', got {strategy!r:.80}"
            )
        gone: list[tuple[str, str]] = []
        for thread in thread_ids:
            if strategy == "delete":
                gone += self._all_of(thread)
                continue
            checkpoints = self._of_thread(thread, None, None)
            kept = self._needed(checkpoints)
            for item in checkpoints:
                if item.key not in kept:
                    gone += self._with_writes(thread, item)
        self._delete(gone)

    def _needed(self, checkpoints: _Items) -> set[str]:
        """The keys of the newest checkpoint of each namespace, and of those before it back to where
        each of its delta channels has a whole value."""
        by_key = {item.key: item for item in checkpoints}
        newest = {item.key.rpartition("/")[0]: item for item in reversed(checkpoints)}
        kept: set[str] = set()
        for space, head in newest.items():
            missing = set(self._metadata(head).get(_DELTAS, ()))
            needed: Item | None = head
            while needed is not None:
                kept.add(needed.key)
                missing -= self._loaded(needed.value["checkpoint"])["channel_values"].keys()
                needed = by_key.get(f"{space}/{needed.value['parent']}") if missing else None
        return kept

    def _all_of(self, thread: str) -> _Places:
        for name_of in (self._checkpoints, self._writes):
            yield from ((item.namespace, item.key) for item in self._items.list(name_of(thread)))

    def _with_writes(self, thread: str, item: Item) -> _Places:
        for one in (item, *self._writes_of(thread, item)):
            yield one.namespace, one.key

    def _delete(self, places: _Places) -> None:
        self._items.put_many([], delete=tuple(places))

    # -- the same without blocking the event loop -------------------------------------------------

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """`list`; all are read before the first is returned."""
        found = self.list(config, filter=filter, before=before, limit=limit)
        for one in await asyncio.to_thread(tuple, found):
            yield one

    aget_tuple = awaited(get_tuple)
    aput = awaited(put)
    aput_writes = awaited(put_writes)
    adelete_thread = awaited(delete_thread)
    adelete_for_runs = awaited(delete_for_runs)
    acopy_thread = awaited(copy_thread)
    aprune = awaited(prune)

    # -- names ------------------------------------------------------------------------------------

    def _checkpoints(self, thread: str) -> str:
        return self._space(_CHECKPOINTS, thread)

    def _writes(self, thread: str) -> str:
        return self._space(_WRITES, thread)

    def _space(self, start: str, thread: str) -> str:
        """The namespace for a thread. Raises InvalidArgumentError for an id that is too long."""
        before, thread = f"{start}{self._name}:", str(thread)  # which may be a number
        if len(thread) > (most := LONGEST_NAMESPACE - len(before)):
            raise InvalidArgumentError(
                f"thread_id has {len(thread):,} characters, and a memory keeps at most {most}"
            )
        return before + thread

    def _threads(self) -> Iterator[str]:
        start = self._checkpoints("")
        return (name.removeprefix(start) for name in self._items.namespaces(start))


def _place(config: RunnableConfig) -> tuple[str, str]:
    """Thread and namespace of a config."""
    asked = config["configurable"]
    return str(asked["thread_id"]), asked.get("checkpoint_ns", "")


def _config(thread: str, space: str, number: str) -> RunnableConfig:
    return {
        "configurable": {
            "thread_id": thread, "checkpoint_ns": space, "checkpoint_id": number
        }
    }  # fmt: skip


def _key(space: str, number: str) -> str:
    return f"{_escaped(space)}/{number}"


def _id(item: Item) -> str:
    """The id of a checkpoint: ids ascend with time."""
    return item.key.rpartition("/")[2]


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")


def _unescaped(name: str) -> str:
    return name.replace("%2F", "/").replace("%25", "%")
