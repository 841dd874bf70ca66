"""Memory: the one object that a user holds. It checks arguments and hands them to the rooms."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import date, timedelta, tzinfo
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from graphmem.api.arguments import (
    again,
    among_of,
    cue_text,
    hit_filter,
    listing_of,
    node_id,
    node_ids,
    own_ids,
    piece_of,
    question,
    resolution,
    routes,
    scope_name,
    scope_names,
    wanted,
)
from graphmem.api.events import observed
from graphmem.api.ranges import check_count, check_range
from graphmem.api.verbs import Binding, Verbs
from graphmem.errors import (
    ArgumentTypeError,
    GraphMemError,
    InvalidArgumentError,
    UnknownNodeError,
    UnknownScopeError,
)
from graphmem.forgetting import undo
from graphmem.graph.records import as_node
from graphmem.hexastore import scopes
from graphmem.hexastore.facts import Facts
from graphmem.hexastore.transaction import Together
from graphmem.lifecycle.preferences import preferences
from graphmem.maintenance import check
from graphmem.recalling.question import Filter
from graphmem.remembering.drafts import check_field, check_moment, check_switch
from graphmem.remembering.sessions import realm_of
from graphmem.runtime import prompts, statistics
from graphmem.runtime.database import Database
from graphmem.runtime.family import Family
from graphmem.runtime.open_scope import OpenScope, open_scope
from graphmem.services import queue
from graphmem.services.tokens import counter
from graphmem.settings import Settings
from graphmem.sharing import context as contexts
from graphmem.sharing.items import Items
from graphmem.sharing.pool import Pool
from graphmem.storage.backup import back_up
from graphmem.storage.folder import path_name
from graphmem.themes.catalog import Themes
from graphmem.values.conflicts import Conflict, ConflictLike
from graphmem.values.context import Context, Tier
from graphmem.values.hits import NodeLike
from graphmem.values.items import Changes
from graphmem.values.kinds import Preference
from graphmem.values.links import Dangling, Link, Links
from graphmem.values.nodes import Forgotten, Node, Version
from graphmem.values.recall import Recall
from graphmem.values.remembered import Remembered
from graphmem.values.rendering import TokenCounter
from graphmem.values.reports import FileReport, SweepReport, SyncReport
from graphmem.values.themes import About
from graphmem.values.worth import Life, Worth
from graphmem.verbs import refuses

if TYPE_CHECKING:
    from rdflib.query import Result

    from graphmem.lifecycle.overview import Lifecycle
    from graphmem.query.sparql import MemoryGraph

_MAX_CUE: Final = 1_000_000  # characters; words beyond the first 64 distinct ones are not read
_RETRIED_AT_ONCE: Final = 1000  # texts a batch


@refuses(lambda memory, name: memory._opened.store.require_no_block(f"{name}()"))
class Memory(Verbs):
    """One scope of an open folder: remembers texts, recalls them, forgets what is not used.

    Made by `graphmem.open`. Any number of threads may use it; one writes at a time, and readers
    never wait. Use it in a `with` block, or `close()` it.

        with graphmem.open("agent-memory") as memory:
            memory.remember("Wen moved the release from May 3 to May 10.", speaker="Wen")
            found = memory.recall("When is the release?", tokens=200)
            print(found.text)
            memory.used(found[0])

    docs/verbs.md lists all verbs.

    `Verbs` has the contract of each method. Every method raises ClosedError after `close`,
    ForkedError in a forked child, and `StorageError` when the disk fails; all errors are
    GraphMemErrors, and in `graphmem.errors`.
    """

    def __init__(self, opened: OpenScope, memories: dict[str, Memory]) -> None:
        """Use `graphmem.open`. memories: those of the folder's scopes that are open, by name."""
        self._opened = opened
        self._memories = memories
        self._family = Family(
            opened, lambda name: memory_of(opened.database, name, memories)._opened
        )
        self._is_first = not memories  # the one that `open` returned, with which all are closed

    # -- remembering --------------------------------------------------------------------------

    def remember(
        self,
        text: str | None = None,
        *,
        messages: Iterable[Mapping[str, Any]] | None = None,
        speaker: str | None = None,
        happened: date | str | None = None,
        session: str | None = None,
        keywords: Iterable[str] = (),
        pin: bool = False,
        allow: Iterable[str] = (),
        ttl: float | timedelta | None = None,
        expires: date | str | None = None,
        kind: str | Mapping[str, Any] | None = None,
        confidence: float | None = None,
        keep: bool = False,
        metadata: Mapping[str, Any] | None = None,
        shared: bool = False,
        importance: float | None = None,
        route: bool | Mapping[str, str] = False,
    ) -> Remembered:
        writing = self._opened.writing
        routed = routes(route, self.settings)
        if routed and messages is not None:
            raise InvalidArgumentError("route is for a text; remember the messages one by one")
        if messages is not None:
            alone = (
                text, speaker, happened, pin or None, keywords or None, allow or None, ttl, expires,
            )  # fmt: skip
            each = {
                "kind": kind, "confidence": confidence, "keep": keep, "metadata": metadata,
                "shared": shared, "importance": importance,
            }  # fmt: skip
            return writing.write_messages(messages, session, alone, each)
        given: dict[str, Any] = {
            "speaker": speaker, "happened": happened, "session": session, "keywords": keywords,
            "pin": pin, "allow": allow, "ttl": ttl, "expires": expires, "kind": kind,
            "confidence": confidence, "keep": keep, "metadata": metadata, "shared": shared,
            "importance": importance,
        }  # fmt: skip
        if routed:  # it may be drafted again elsewhere
            given |= {name: again(given[name]) for name in ("keywords", "allow")}
        draft = writing.draft(text, **given)
        name = routed.get(realm_of(draft), self.name) if routed else ""
        if name and name != self.name:
            return replace(self.scope(name).remember(text, **given), scope=name)
        return replace(self._opened.compared(writing.write([draft])[0]), scope=name)

    def remember_many(
        self,
        texts: Iterable[str | Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> list[Remembered]:
        return self._opened.writing.write_many(texts, progress)

    def remember_file(
        self,
        path: str | os.PathLike[str],
        *,
        session: str | None = None,
        happened: date | str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> FileReport:
        check_moment("happened", happened, self._zone)
        named = check_field("session", session)
        return self._opened.files.read(path, named, happened, progress)

    def forget_file(self, path: str | os.PathLike[str]) -> FileReport:
        return self._opened.files.forget(path)

    def files(self) -> list[str]:
        return self._opened.files.paths()

    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        write: bool = False,
        keep: Iterable[str] = (),
    ) -> SyncReport:
        return self._opened.project().sync(folder, write=check_switch("write", write), keep=keep)

    def end_session(self, session: str) -> int:
        named = wanted("session", session)
        if named is None:
            raise ArgumentTypeError("end_session takes the name of a session, got None")
        if self.settings.ephemera != "expire":
            return 0
        return self._opened.sessions.end(named, self._opened.now())

    def relate(self, source: NodeLike, relation: str, target: NodeLike) -> Link:
        return self._opened.relate(self._id(source), relation, self._id(target))

    def used(self, *nodes: NodeLike | Iterable[NodeLike]) -> None:
        self._opened.use(own_ids(nodes, self.name))

    def transaction(self) -> AbstractContextManager[Memory]:
        return cast(AbstractContextManager[Memory], Together(self._opened.store, self))

    # -- recalling ----------------------------------------------------------------------------

    def recall(
        self,
        cue: str,
        *,
        relations: Sequence[str] = (),
        depth: int = 2,
        limit: int = 10,
        tokens: int | None = None,
        session: str | None = None,
        speaker: str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        as_of: date | str | None = None,
        where: Mapping[str, Any] | None = None,
        known_at: date | str | None = None,
        among: Iterable[NodeLike] | None = None,
        mode: Literal["activation", "focus", "hybrid", "themes"] = "activation",
        use: bool = True,
        count_tokens: TokenCounter | str = "o200k",
        trace: bool = False,
        cut: Literal["auto", "none"] = "auto",
        whole_share: float = 0.7,
        expand: bool = True,
        level: Literal["theme", "semantic", "all", "message"] = "all",
    ) -> Recall:
        check_switch("use", use)  # before anything is read
        only = hit_filter(
            session, speaker, since, until, self._zone, as_of, self._opened.now(), where, known_at
        )
        found = self._family.recall(
            question(
                cue,
                relations,
                depth,
                limit,
                tokens,
                only,
                mode,
                count_tokens,
                trace,
                cut,
                whole_share,
                expand,
                level,
                among_of(among, self.name),
            )
        )
        worth_it = found and found[0].coverage >= self.settings.ranking.use_floor
        if use and worth_it and not found[0].node.scope and not self._opened.store.read_only:
            self._opened.use_later(found[0].id)
        return found

    def nearest(
        self, cue: str, *, among: Iterable[NodeLike] | None = None, limit: int = 10
    ) -> list[tuple[Node, float]]:
        named, most = among_of(among, self.name), check_count("limit", limit, 0, 1000)
        return self._opened.recaller.similar(
            cue_text(cue), None if named is None else named[""], most
        )

    @property
    def _zone(self) -> tzinfo | None:
        """The clock's zone, in which a plain date begins."""
        return self._opened.database.clock().tzinfo

    def __getitem__(self, node: NodeLike) -> Node:
        identifier = self._id(node)
        with self._opened.reading() as view:
            record, text = undo.known(view, identifier)
            return as_node(identifier, text, record)

    def _id(self, node: object) -> int:
        return node_id(node, self.name)

    def worth(self, node: NodeLike) -> Worth:
        return self._opened.worth(self._id(node))

    def __contains__(self, node: object) -> bool:
        try:
            identifier = self._id(node)
        except (ArgumentTypeError, UnknownNodeError):
            return False
        with self._opened.reading() as view:
            return view.record(identifier) is not None

    def __len__(self) -> int:
        with self._opened.reading() as view:
            return view.state.nodes - len(view.expired)

    def __iter__(self) -> Iterator[Node]:
        return self.nodes()

    def nodes(
        self,
        *,
        words: str | None = None,
        keyword: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        as_of: date | str | None = None,
        where: Mapping[str, Any] | None = None,
        known_at: date | str | None = None,
        form: Literal["whole", "shorter", "gist"] | None = None,
        pinned: bool | None = None,
        reverse: bool = False,
    ) -> Iterator[Node]:
        only = hit_filter(
            session, speaker, since, until, self._zone, as_of, where=where, known_at=known_at
        )
        asked = listing_of(words, keyword, only, form, pinned, reverse)
        return self._opened.nodes(asked)

    def find(self, text: str, *, limit: int = 20) -> list[Node]:
        return self._opened.find(piece_of(text), check_count("limit", limit, 0, 100_000))

    def preferences(self, *, sessions: int = 3) -> list[Preference]:
        least = check_count("sessions", sessions, 2, 1000)
        with self._opened.reading() as view:
            return preferences(view.all_pairs(), least)

    def links(self, node: NodeLike) -> Links:
        identifier = self._id(node)
        with self._opened.reading() as view:
            undo.known(view, identifier)
            found = list(view.links(identifier))
            lost = [Dangling(k, view.tombstone(k.target)) for k in found if k.dangling]
            return Links(found, lost, lambda: self._opened.memberships(identifier))

    @property
    def focus(self) -> list[Node]:
        with self._opened.reading() as view:
            pairs = view.pairs(view.focus)
            return [as_node(n, t, r) for n, r, t in (p for p in pairs if not isinstance(p, int))]

    def importance(self, node: NodeLike) -> float:
        identifier = self._id(node)
        with self._opened.reading() as view:
            undo.known(view, identifier)
            return view.importance(identifier)

    @property
    def facts(self) -> Facts:
        return self._opened.facts()

    # -- sharing ------------------------------------------------------------------------------

    @property
    def items(self) -> Items:
        return self._opened.items

    def pool(self, name: str = "shared", by: str = "") -> Pool:
        return Pool(self._family.items(), name, by)

    def changes(self, since: int | None = None, *, prefix: str = "", wait: float = 0.0) -> Changes:
        return self._opened.items.everything(since, prefix, wait)

    def context(
        self,
        cue: str,
        *,
        tokens: int = 8000,
        session: str | None = None,
        recent: float = 0.25,
        budgets: Mapping[str, float] | None = None,
        roles: Mapping[str, str] | None = None,
        pool: str = "shared",
        count_tokens: TokenCounter | str = "o200k",
    ) -> Context:
        counted = counter(count_tokens)
        within = check_count("tokens", tokens, 0, 1 << 30)
        asked = contexts.request(within, recent, budgets, roles, counted)
        given = question(cue, (), 2, 50, None, Filter(), "activation", counted, False, "none")
        return prompts.context(
            self._opened, self._family, given, asked, wanted("session", session), pool
        )

    def about(
        self,
        cue: str,
        *,
        tokens: int = 1000,
        session: str | None = None,
        speaker: str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        as_of: date | str | None = None,
        where: Mapping[str, Any] | None = None,
        known_at: date | str | None = None,
        count_tokens: TokenCounter | str = "o200k",
    ) -> About:
        only = hit_filter(
            session, speaker, since, until, self._zone, as_of, self._opened.now(), where, known_at
        )
        within = check_count("tokens", tokens, 0, 1 << 30)
        limit = min(1000, max(250, within // 4))
        return self._opened.about(
            question(cue, (), 2, limit, None, only, "activation", count_tokens, False, "none"),
            within,
        )

    def tiers(
        self,
        session: str | None = None,
        *,
        strategy: Literal["importance", "frequency"] = "importance",
        count_tokens: TokenCounter | str = "o200k",
    ) -> list[Tier]:
        if strategy not in ("importance", "frequency"):
            raise InvalidArgumentError(
                f"strategy is 'importance' or 'frequency', got {strategy!r:.80}"
            )
        counted = counter(count_tokens)
        return prompts.tiers(self._opened, wanted("session", session), strategy, counted)

    @property
    def themes(self) -> Themes:
        return self._opened.themes()

    def map(self, *, anew: bool = False) -> bytes:
        check_switch("anew", anew)
        return self._opened.map(anew)

    @property
    def lifecycle(self) -> Lifecycle:
        from graphmem.runtime import overview  # its patterns take a while to be made

        return overview.lifecycle(self._opened)

    # -- SPARQL -------------------------------------------------------------------------------

    def graph(self) -> MemoryGraph:
        return self._opened.graph()

    def sparql(self, query: str, /, *, seconds: float | None = 30.0, **bindings: Binding) -> Result:
        if seconds is not None:
            check_range("seconds", seconds, 0, 86_400)
        return self._opened.answer(query, seconds, bindings)

    def explain(self, query: str, /, **bindings: Binding) -> str:
        with self.graph() as graph:
            return graph.explain(query, *bindings)

    # -- forgetting ---------------------------------------------------------------------------

    def sweep(self, seconds: float = 30.0) -> SweepReport:
        check_range("seconds", seconds, 0, 86_400)
        return self._opened.budget.sweep(seconds)

    def shrink(
        self, to_bytes: int, *, progress: Callable[[SweepReport], None] | None = None
    ) -> SweepReport:
        check_count("to_bytes", to_bytes, 0, 1 << 62)
        return self._opened.sweeper.shrink(
            lambda: self._opened.scope.state.text_bytes <= to_bytes,
            progress=progress,
            text_budget=to_bytes,
        )

    def pin(self, node: NodeLike) -> Node:
        return self._opened.set_pinned(self._id(node), True)

    def unpin(self, node: NodeLike) -> Node:
        return self._opened.set_pinned(self._id(node), False)

    def correct(self, node: NodeLike, text: str, *, allow: Iterable[str] = ()) -> Remembered:
        return self._opened.correct(self._id(node), text, allow)

    def replace(
        self,
        node: NodeLike,
        text: str,
        *,
        since: date | str | None = None,
        allow: Iterable[str] = (),
    ) -> Remembered:
        begun = check_moment("since", since, self._zone)
        return self._opened.replace(self._id(node), text, begun, allow)

    def conflicts(self, limit: int = 20, *, seconds: float = 10.0) -> list[Conflict]:
        check_count("limit", limit, 0, 1000)
        check_range("seconds", seconds, 0, 86_400)
        return self._opened.listed_conflicts(limit, seconds)

    def resolve(
        self,
        conflict: ConflictLike,
        *,
        keep: NodeLike | str | None = None,
        policy: Literal["ask", "auto"] = "ask",
    ) -> list[Conflict]:
        return self._opened.resolve(*resolution(conflict, keep, policy))

    def forget(self, node: NodeLike, *, erase: bool = False) -> None:
        if check_switch("erase", erase):
            self._opened.store.require_no_block("forget(erase=True)")
        self._opened.forget(self._id(node), erase)

    def erase(self, *nodes: NodeLike | Iterable[NodeLike]) -> None:
        self._opened.erase(node_ids(nodes, self.name))

    def history(self, node: NodeLike) -> list[Version]:
        with self._opened.reading() as view:
            return undo.history(view, self._id(node))

    def life(self, node: NodeLike) -> Life:
        return self._opened.life(self._id(node))

    def forgotten(self, limit: int = 100) -> list[Forgotten]:
        check_count("limit", limit, 0, 100_000)
        with self._opened.reading() as view:
            return undo.forgotten(view, limit)

    def revive(self, node: NodeLike, version: int | None = None) -> Node:
        if version is not None:
            check_count("version", version, 0, 1 << 62)
        return self._opened.revive(self._id(node), version)

    # -- scopes -------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._opened.scope.name

    @property
    def path(self) -> str | None:
        return self._opened.database.path

    @property
    def settings(self) -> Settings:
        return self._opened.settings

    def scope(
        self, name: str, *, parents: Iterable[str] | None = None, pools: str | None = None
    ) -> Memory:
        named = None if parents is None else scope_names(parents)
        name = scope_name(name)
        known = self.scopes()
        if unknown := [parent for parent in named or () if parent not in (name, *known)]:
            # Told before the scope is made.
            there = ", ".join(known)
            raise UnknownScopeError(f"there is no scope {unknown[0]!r} (there are: {there})")
        memory = memory_of(self._opened.database, name, self._memories)
        if named is not None or pools is not None:
            memory._family.declare(named, None if pools is None else scope_name(pools))
        return memory

    def parents(self) -> list[str]:
        return [opened.scope.name for opened in self._family.ancestors().scopes]

    def scopes(self) -> list[str]:
        with self._opened.store.snapshot() as snapshot:
            return [scope.name for scope in scopes.all_of(snapshot, "memory")]

    def drop_scope(self, name: str) -> list[str]:
        if scope_name(name) == self.name:
            raise InvalidArgumentError(f"a memory cannot drop its own scope ({name!r})")
        children = self._family.children(name)
        with self._opened.database.lock, self._opened.store.writing:
            if (dropped := self._memories.pop(name, None)) is not None:
                dropped._opened.end_jobs()
            identifier = scopes.mark_dropped(self._opened.store, name)
        self._opened.database.settle(identifier, name)
        return children

    # -- housekeeping -------------------------------------------------------------------------

    def stats(self) -> dict[str, Any]:
        return statistics.stats(self._opened)

    def enrich(self, timeout: float | None = None) -> int:
        if timeout is not None:
            check_range("timeout", timeout, 0, 1 << 30)
        return self._opened.enrich(timeout)

    def set_aside(self, limit: int = 100) -> dict[int, str]:
        check_count("limit", limit, 0, 1 << 30)
        with self._opened.reading():  # which says so when the memory is closed
            return dict(islice(queue.dead(self._opened.store, self._opened.scope), limit))

    def retry(self, *nodes: NodeLike) -> int:
        back = queue.retry_all(self._opened.store, self._opened.scope, map(self._id, nodes))
        self._opened.database.enriching.wake()
        return back

    def check(self) -> list[str]:
        with self._opened.scope.snapshot(self._opened.store) as snapshot:
            return check.faults(snapshot, self._opened.scope)

    def compact(self) -> None:
        self._opened.compact()

    def backup(
        self,
        destination: str | os.PathLike[str],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        return back_up(self._opened.store, path_name(destination), progress)

    def close(self) -> None:
        """Apply what recalls handed over, stop the worker and close the folder. Idempotent.

        Closing the memory of another scope, made by `scope`, does nothing: all scopes are closed
        with the memory that was opened.
        """
        if not self._is_first:
            return
        database = self._opened.database
        database.store.require_no_block("close()")
        for memory in list(self._memories.values()):
            memory._opened.items.feed.close()
        try:
            if not database.closed and not database.store.read_only:
                for memory in list(self._memories.values()):
                    with suppress(GraphMemError):  # a broken store: whoever wrote to it was told
                        memory._opened.apply_uses()
        finally:
            database.close()

    def __repr__(self) -> str:
        return f"<Memory {self.name!r} in {self.path or 'memory only'}>"


def memory_of(database: Database, name: str, memories: dict[str, Memory]) -> Memory:
    """The one Memory of a scope of an open folder, which is opened if it is not in `memories`."""
    if (known := memories.get(name)) is not None:  # so that a transaction waits for nobody
        return known
    database.store.require_no_block(f"opening the scope {name!r}")
    with database.lock:
        if name not in memories:
            event = database.on_event
            kind = Memory if event is None else observed(Memory, event)
            memories[name] = kind(open_scope(database, name), memories)
        return memories[name]
