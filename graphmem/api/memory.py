"""Memory: the one object that a user holds. It checks arguments and hands them to the rooms."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from graphmem.api import arguments
from graphmem.api.ranges import check_count, check_range
from graphmem.api.verbs import Binding, Verbs
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, UnknownNodeError
from graphmem.forgetting import undo
from graphmem.hexastore import scopes
from graphmem.hexastore.facts import Facts
from graphmem.hexastore.transaction import Together
from graphmem.lifecycle.preferences import preferences
from graphmem.maintenance import check
from graphmem.remembering.drafts import check_moment, check_switch
from graphmem.remembering.sessions import realm_of
from graphmem.runtime import conflicts, projects, prompts, statistics
from graphmem.runtime.family import Family
from graphmem.runtime.open_scope import OpenScope, open_scope
from graphmem.services.tokens import counter
from graphmem.settings import Settings
from graphmem.sharing import context as contexts
from graphmem.sharing.items import Items
from graphmem.sharing.pool import Pool
from graphmem.storage.backup import back_up
from graphmem.storage.folder import path_name
from graphmem.themes.catalog import Themes
from graphmem.values.conflicts import Conflict, Conflicts
from graphmem.values.context import Context, Tier
from graphmem.values.hits import NodeLike
from graphmem.values.items import Changes
from graphmem.values.kinds import Preference
from graphmem.values.links import Link, Links
from graphmem.values.nodes import Forgotten, Node, Version
from graphmem.values.recall import Recall
from graphmem.values.remembered import Remembered
from graphmem.values.reports import FileReport, SweepReport, SyncReport
from graphmem.values.themes import About
from graphmem.values.worth import Life, Worth
from graphmem.verbs import does, refuses

if TYPE_CHECKING:
    from rdflib.query import Result

    from graphmem.lifecycle.overview import Lifecycle
    from graphmem.query.sparql import MemoryGraph


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

    docs/verbs.md lists all verbs, `Verbs` has the contract of each. Every method raises ClosedError
    after `close`, ForkedError in a forked child, and StorageError when the disk fails; all errors
    are GraphMemErrors, and in `graphmem.errors`.
    """

    def __init__(self, opened: OpenScope, memories: dict[str, Memory]) -> None:
        """Use `graphmem.open`. memories: those of the folder's scopes that are open, by name."""
        self._opened = opened
        self._memories = memories
        self._is_first = not memories  # the one that `open` returned, with which all are closed
        self._family = Family(opened, lambda name: self._of(name)._opened)
        memories[opened.scope.name] = self

    def _of(self, name: str) -> Memory:
        """The one Memory of a scope of the folder; the scope is made if it is not there."""
        if (known := self._memories.get(name)) is not None:
            return known  # without the lock, so that a transaction waits for nobody
        database = self._opened.database
        database.store.require_no_block(f"opening the scope {name!r}")
        with database.lock:
            if (known := self._memories.get(name)) is not None:
                return known
            return type(self)(open_scope(database, name), self._memories)

    @property
    def _now(self) -> datetime:
        """The present; a plain date begins in its zone."""
        return self._opened.database.clock()

    def _id(self, node: object) -> int:
        return arguments.node_id(node, self.name)

    # -- remembering --------------------------------------------------------------------------

    @does(Verbs.remember)
    def remember(self, *, messages: Any, route: Any, **given: Any) -> Remembered:
        writing = self._opened.writing
        routed = arguments.routes(route, self.settings)
        if messages is not None:
            if routed:
                raise InvalidArgumentError("route is for a text; remember the messages one by one")
            return writing.write_messages(messages, **given)
        if routed:  # it may be drafted again elsewhere
            given |= {name: arguments.again(given[name]) for name in ("keywords", "allow")}
        draft = writing.draft(**given)
        name = routed.get(realm_of(draft), self.name) if routed else ""
        if name not in ("", self.name):
            return replace(self.scope(name).remember(**given), scope=name)
        return replace(conflicts.compared(self._opened, writing.write([draft])[0]), scope=name)

    @does(Verbs.remember_many)
    def remember_many(self, **given: Any) -> list[Remembered]:
        return self._opened.writing.write_many(**given)

    @does(Verbs.remember_file)
    def remember_file(self, *, happened: Any, **given: Any) -> FileReport:
        check_moment("happened", happened, self._now.tzinfo)
        return self._opened.files.read(happened=happened, **given)

    def forget_file(self, path: str | os.PathLike[str]) -> FileReport:
        return self._opened.files.forget(path)

    def files(self) -> list[str]:
        return self._opened.files.paths()

    @does(Verbs.sync)
    def sync(self, **given: Any) -> SyncReport:
        return projects.project(self._opened).sync(**given)

    def end_session(self, session: str) -> int:
        return self._opened.end_session(arguments.ended(session))

    def relate(self, source: NodeLike, relation: str, target: NodeLike) -> Link:
        return self._opened.relate(self._id(source), relation, self._id(target))

    def used(self, *nodes: NodeLike | Iterable[NodeLike]) -> None:
        self._opened.use(arguments.own_ids(nodes, self.name))

    def transaction(self) -> AbstractContextManager[Memory]:
        return cast(AbstractContextManager[Memory], Together(self._opened.store, self))

    # -- recalling ----------------------------------------------------------------------------

    @does(Verbs.recall)
    def recall(self, *, use: Any, **asked: Any) -> Recall:
        check_switch("use", use)  # before anything is read
        found = self._family.recall(arguments.question(self.name, self._now, **asked))
        if use:
            self._opened.count_best(found)
        return found

    @does(Verbs.nearest)
    def nearest(self, **asked: Any) -> list[tuple[Node, float]]:
        return self._opened.recaller.similar(*arguments.near(self.name, **asked))

    def __getitem__(self, node: NodeLike) -> Node:
        with self._opened.reading() as view:
            return undo.present(view, self._id(node))

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

    @does(Verbs.nodes)
    def nodes(self, **asked: Any) -> Iterator[Node]:
        return self._opened.nodes(arguments.listing_of(self._now, **asked))

    def find(self, text: str, *, limit: int = 20) -> list[Node]:
        return self._opened.find(arguments.piece_of(text), check_count("limit", limit, 0, 100_000))

    def preferences(self, *, sessions: int = 3) -> list[Preference]:
        with self._opened.reading() as view:
            return preferences(view.all_pairs(), check_count("sessions", sessions, 2, 1000))

    def links(self, node: NodeLike) -> Links:
        return self._opened.links(self._id(node))

    @property
    def focus(self) -> list[Node]:
        with self._opened.reading() as view:
            return view.live(view.focus)

    def importance(self, node: NodeLike) -> float:
        with self._opened.reading() as view:
            return view.importance(undo.present(view, self._id(node)).id)

    @property
    def facts(self) -> Facts:
        return self._opened.facts()

    # -- sharing ------------------------------------------------------------------------------

    @property
    def items(self) -> Items:
        return self._opened.items

    def pool(self, name: str = "shared", by: str = "") -> Pool:
        return self._family.pool(name, by)

    def changes(self, since: int | None = None, *, prefix: str = "", wait: float = 0.0) -> Changes:
        return self._opened.items.everything(since, prefix, wait)

    @does(Verbs.context)
    def context(
        self, *, cue: Any, tokens: Any, session: Any, pool: Any, count_tokens: Any, **shares: Any
    ) -> Context:
        given = arguments.question(
            self.name, self._now, cue=cue, limit=50, cut="none", count_tokens=count_tokens
        )
        within = check_count("tokens", tokens, 0, 1 << 30)
        asked = contexts.request(within, count=given.counter, **shares)
        named = arguments.wanted("session", session)
        return prompts.context(self._opened, self._family, given, asked, named, pool)

    @does(Verbs.about)
    def about(self, **asked: Any) -> About:
        check_count("tokens", asked["tokens"], 0, 1 << 30)  # None is no budget
        return self._opened.about(arguments.question(self.name, self._now, cut="none", **asked))

    @does(Verbs.tiers)
    def tiers(self, *, session: Any, strategy: Any, count_tokens: Any) -> list[Tier]:
        named = arguments.wanted("session", session)
        return prompts.tiers(self._opened, named, strategy, counter(count_tokens))

    @property
    def themes(self) -> Themes:
        return self._opened.themes()

    def map(self, *, anew: bool = False) -> bytes:
        return self._opened.map(check_switch("anew", anew))

    @property
    def lifecycle(self) -> Lifecycle:
        from graphmem.runtime import overview  # its patterns take a while to be made

        return overview.lifecycle(self._opened)

    def graph(self) -> MemoryGraph:
        return self._opened.graph()

    def sparql(self, query: str, /, *, seconds: float | None = 30.0, **bindings: Binding) -> Result:
        if seconds is not None:
            check_range("seconds", seconds, 0, 86_400)
        return self._opened.answer(query, seconds, bindings)

    def explain(self, query: str, /, **bindings: Binding) -> str:
        return self._opened.explain(query, bindings)

    # -- forgetting ---------------------------------------------------------------------------

    def sweep(self, seconds: float = 30.0) -> SweepReport:
        return self._opened.budget.sweep(check_range("seconds", seconds, 0, 86_400))

    @does(Verbs.shrink)
    def shrink(self, *, to_bytes: Any, progress: Any) -> SweepReport:
        return self._opened.budget.shrink(check_count("to_bytes", to_bytes, 0, 1 << 62), progress)

    def pin(self, node: NodeLike) -> Node:
        return self._opened.set_pinned(self._id(node), True)

    def unpin(self, node: NodeLike) -> Node:
        return self._opened.set_pinned(self._id(node), False)

    def correct(self, node: NodeLike, text: str, *, allow: Iterable[str] = ()) -> Remembered:
        return self._opened.correct(self._id(node), text, allow)

    @does(Verbs.replace)
    def replace(self, *, node: Any, since: Any, **given: Any) -> Remembered:
        begun = check_moment("since", since, self._now.tzinfo)
        return self._opened.replace(self._id(node), since=begun, **given)

    def reopen(self, node: NodeLike, *, withdraw: Iterable[NodeLike] = ()) -> Node:
        return self._opened.reopen(self._id(node), arguments.node_ids(withdraw, self.name))

    def conflicts(self, limit: int = 20, *, seconds: float = 10.0) -> Conflicts:
        most = check_count("limit", limit, 0, 1000)
        return conflicts.listed(self._opened, most, check_range("seconds", seconds, 0, 86_400))

    @does(Verbs.resolve)
    def resolve(self, **given: Any) -> list[Conflict]:
        return conflicts.resolve(self._opened, *arguments.resolution(**given))

    def forget(self, node: NodeLike, *, erase: bool = False) -> None:
        self._opened.forget(self._id(node), check_switch("erase", erase))

    def erase(self, *nodes: NodeLike | Iterable[NodeLike]) -> None:
        self._opened.erase(arguments.node_ids(nodes, self.name))

    def history(self, node: NodeLike) -> list[Version]:
        with self._opened.reading() as view:
            return undo.history(view, self._id(node))

    def life(self, node: NodeLike) -> Life:
        return self._opened.life(self._id(node))

    def forgotten(self, limit: int = 100) -> list[Forgotten]:
        with self._opened.reading() as view:
            return undo.forgotten(view, check_count("limit", limit, 0, 100_000))

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
        named = None if parents is None else arguments.scope_names(parents, [name, *self.scopes()])
        memory = self._of(arguments.scope_name(name))
        if named is not None or pools is not None:
            memory._family.declare(named, None if pools is None else arguments.scope_name(pools))
        return memory

    def parents(self) -> list[str]:
        return [opened.scope.name for opened in self._family.ancestors().scopes]

    def scopes(self) -> list[str]:
        with self._opened.store.snapshot() as snapshot:
            return [scope.name for scope in scopes.all_of(snapshot, "memory")]

    def drop_scope(self, name: str) -> list[str]:
        if arguments.scope_name(name) == self.name:
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
        return self._opened.enrichment.set_aside(check_count("limit", limit, 0, 1 << 30))

    def retry(self, *nodes: NodeLike) -> int:
        return self._opened.retry(map(self._id, nodes))

    def check(self) -> list[str]:
        with self._opened.scope.snapshot(self._opened.store) as snapshot:
            return check.faults(snapshot, self._opened.scope)

    def compact(self) -> None:
        self._opened.compact()

    @does(Verbs.backup)
    def backup(self, *, destination: Any, progress: Any) -> int:
        return back_up(self._opened.store, path_name(destination), progress)

    def close(self) -> None:
        if self._is_first:
            self._opened.database.close()

    def __repr__(self) -> str:
        return f"<Memory {self.name!r} in {self.path or 'memory only'}>"
