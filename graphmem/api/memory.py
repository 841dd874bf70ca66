"""Memory: the one object that a user holds. It checks arguments and hands them to the rooms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from graphmem.api import arguments
from graphmem.api.identifiers import node_id, node_ids, own_ids
from graphmem.api.verbs import Verbs
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, UnknownNodeError
from graphmem.forgetting import undo
from graphmem.hexastore.transaction import Together
from graphmem.remembering.drafts import check_moment, check_switch
from graphmem.remembering.sessions import realm_of
from graphmem.runtime import conflicts
from graphmem.runtime.family import Family
from graphmem.runtime.open_scope import OpenScope, open_scope
from graphmem.values.about import About
from graphmem.values.hits import NodeLike
from graphmem.values.nodes import Node
from graphmem.values.ranges import check_count, check_range
from graphmem.values.recall import Recall
from graphmem.values.rendering import Tokens
from graphmem.values.where import Where
from graphmem.verbs import refuses

if TYPE_CHECKING:
    from graphmem.api.admin import Admin
    from graphmem.api.files import Files
    from graphmem.api.graph import Graph
    from graphmem.api.history import History
    from graphmem.api.review import Review
    from graphmem.api.scopes import Scopes
    from graphmem.sharing.items import Items
    from graphmem.sharing.pool import Pool
    from graphmem.themes.catalog import Themes
    from graphmem.values.context import Context
    from graphmem.values.remembered import Remembered
    from graphmem.values.reports import SweepReport
    from graphmem.values.themes import Survey


@refuses(lambda memory, name: memory._opened.store.require_no_block(f"{name}()"))
class Memory(Verbs):
    """One scope of an open folder: remembers texts, recalls them, and forgets where room is needed.

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
        return node_id(node, self.name)

    # -- remembering --------------------------------------------------------------------------

    def remember(
        self,
        text: str | None = None,
        *,
        messages: Iterable[Mapping[str, Any]] | None = None,
        speaker: str | None = None,
        session: str | None = None,
        happened: date | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expires: date | str | float | timedelta | None = None,
        pin: bool = False,
        about: About | None = None,
    ) -> Remembered:
        writing = self._opened.writing
        given = arguments.about_of(about)
        routed = arguments.routes(given.pop("route"), self._opened.settings)
        given |= {
            "text": text, "speaker": speaker, "session": session, "happened": happened,
            "metadata": metadata, "expires": expires, "pin": pin,
        }  # fmt: skip
        if messages is not None:
            if routed:
                raise InvalidArgumentError("route is for a text; remember the messages one by one")
            return writing.write_messages(messages, **given)
        draft = writing.draft(**given)
        name = routed.get(realm_of(draft), self.name) if routed else ""
        if name not in ("", self.name):
            elsewhere = self._of(name)._opened
            draft = elsewhere.writing.draft(**given)
            return replace(conflicts.compared(elsewhere, draft), scope=name)
        return replace(conflicts.compared(self._opened, draft), scope=name)

    def remember_many(
        self,
        texts: Iterable[str | Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> list[Remembered]:
        return self._opened.writing.write_many(texts, progress)

    def used(self, *nodes: NodeLike | Iterable[NodeLike]) -> None:
        self._opened.use(own_ids(nodes, self.name))

    def transaction(self) -> AbstractContextManager[Memory]:
        return cast(AbstractContextManager[Memory], Together(self._opened.store, self))

    # -- recalling ----------------------------------------------------------------------------

    def recall(
        self,
        cue: str,
        *,
        limit: int = 10,
        tokens: int | Tokens | None = None,
        where: Where | None = None,
        mode: Literal["activation", "focus", "hybrid", "themes"] = "activation",
        use: bool = True,
        trace: bool = False,
        cut: Literal["auto", "strict", "none"] = "auto",
    ) -> Recall:
        check_switch("use", use)  # before anything is read
        found = self._family.recall(
            arguments.question(
                self.name, self._now, cue=cue, limit=limit, tokens=tokens, where=where, mode=mode,
                trace=trace, cut=cut,
            )
        )  # fmt: skip
        if use:
            self._opened.count_best(found)
        return found

    def __getitem__(self, node: NodeLike) -> Node:
        with self._opened.reading() as view:
            return undo.present(view, self._id(node))

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
        text: str | None = None,
        keyword: str | None = None,
        where: Where | None = None,
        form: Literal["whole", "shorter", "gist"] | None = None,
        pinned: bool | None = None,
        reverse: bool = False,
    ) -> Iterator[Node]:
        asked = arguments.listing_of(
            self.name, self._now, words=words, text=text, keyword=keyword, where=where, form=form,
            pinned=pinned, reverse=reverse,
        )  # fmt: skip
        return self._opened.nodes(asked)

    # -- sharing ------------------------------------------------------------------------------

    def context(
        self,
        cue: str,
        *,
        tokens: int | Tokens = 8000,
        session: str | None = None,
        recent: float = 0.25,
        budgets: Mapping[str, float] | None = None,
        roles: Mapping[str, str] | None = None,
        pool: str = "shared",
    ) -> Context:
        from graphmem.runtime import prompts
        from graphmem.sharing import context as contexts

        given = arguments.question(
            self.name, self._now, cue=cue, limit=50, cut="none", tokens=tokens
        )
        within = check_count("tokens", given.tokens, 0, 1 << 30)  # None is no budget
        asked = contexts.request(within, recent, budgets, roles, given.counter)
        named = arguments.wanted("session", session)
        return prompts.context(self._opened, self._family, given, asked, named, pool)

    # -- forgetting ---------------------------------------------------------------------------

    def sweep(self, seconds: float = 30.0) -> SweepReport:
        return self._opened.budget.sweep(check_range("seconds", seconds, 0, 86_400))

    def pin(self, node: NodeLike) -> Node:
        return self._opened.set_pinned(self._id(node), True)

    def unpin(self, node: NodeLike) -> Node:
        return self._opened.set_pinned(self._id(node), False)

    def correct(self, node: NodeLike, text: str, *, allow: Iterable[str] = ()) -> Remembered:
        from graphmem.runtime import corrections

        return corrections.correct(self._opened, self._id(node), text, allow)

    def replace(
        self,
        node: NodeLike,
        text: str | None = None,
        *,
        by: NodeLike | None = None,
        since: date | str | None = None,
        allow: Iterable[str] = (),
    ) -> Remembered:
        from graphmem.runtime import corrections

        begun = check_moment("since", since, self._now.tzinfo)
        kept = None if by is None else self._id(by)
        return corrections.replace(self._opened, self._id(node), text, kept, begun, allow)

    def forget(self, *nodes: NodeLike | Iterable[NodeLike], erase: bool = False) -> None:
        self._opened.forget(node_ids(nodes, self.name), check_switch("erase", erase))

    @property
    def name(self) -> str:
        return self._opened.scope.name

    @property
    def path(self) -> str | None:
        return self._opened.database.path

    # -- what hangs off it; a program needs some of it, and loads that -------------------------

    @property
    def history(self) -> History:
        from graphmem.api.history import History

        return History(self._opened)

    @property
    def review(self) -> Review:
        from graphmem.api.review import Review

        return Review(self._opened)

    @property
    def graph(self) -> Graph:
        from graphmem.api.graph import Graph

        return Graph(self._opened)

    @property
    def files(self) -> Files:
        from graphmem.api.files import Files

        return Files(self._opened)

    @property
    def themes(self) -> Themes:
        from graphmem.runtime import themes

        self._opened.store.require_no_block("themes")
        return themes.themes(self._opened, self._about)

    def _about(self, cue: str, tokens: int | Tokens, where: Where | None) -> Survey:
        from graphmem.runtime import themes

        given = arguments.question(
            self.name, self._now, cue=cue, tokens=tokens, where=where, cut="none"
        )
        check_count("tokens", given.tokens, 0, 1 << 30)  # None is no budget
        return themes.survey(self._opened, given)

    @property
    def items(self) -> Items:
        return self._opened.items

    def pool(self, name: str = "shared", by: str = "") -> Pool:
        return self._family.pool(name, by)

    @property
    def scopes(self) -> Scopes[Self]:
        from graphmem.api.scopes import Scopes

        find = cast(Callable[[str], Self], self._of)
        return Scopes(
            self._opened, self._family, find,
            lambda memory, parents, pools: memory._family.declare(parents, pools), self._let_go,
        )  # fmt: skip

    def _let_go(self, name: str) -> None:
        """End the jobs of the memory of a scope that is dropped."""
        if (dropped := self._memories.pop(name, None)) is not None:
            dropped._opened.end_jobs()

    @property
    def admin(self) -> Admin:
        from graphmem.api.admin import Admin

        return Admin(self._opened)

    def close(self) -> None:
        if self._is_first:
            self._opened.database.close()

    def __repr__(self) -> str:
        return f"<Memory {self.name!r} in {self.path or 'memory only'}>"
