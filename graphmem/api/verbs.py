"""Every public verb of a memory: its contract, its options for interfaces, its implementation.

`Memory` does them; a `Client`, such as `Attached`, sends each to the process that has the memory
open. The listener's table and the default commands are made from the declarations. Clients, which
only send calls, import this module too, so each verb imports its implementation when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from graphmem.api.nouns import OfScope, moved
from graphmem.declaring import noun, verb
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, UnknownNodeError
from graphmem.values.about import About
from graphmem.values.checks import check_count, check_moment, check_range, check_switch
from graphmem.values.hits import NodeLike
from graphmem.values.identifiers import node_ids, own_ids
from graphmem.values.nodes import Node
from graphmem.values.recall import Recall
from graphmem.values.rendering import Tokens
from graphmem.values.where import Where

if TYPE_CHECKING:
    from graphmem.api.admin import Admin
    from graphmem.api.files import Files
    from graphmem.api.graph import Graph
    from graphmem.api.history import History
    from graphmem.api.review import Review
    from graphmem.api.scopes import Scopes
    from graphmem.api.themes import Themes
    from graphmem.runtime.family import Family
    from graphmem.sharing.items import Items
    from graphmem.sharing.pool import Pool
    from graphmem.values.context import Context
    from graphmem.values.remembered import Remembered
    from graphmem.values.reports import SweepReport


class Verbs(OfScope):
    """What can be done with a memory, whether it is opened, attached or reached: the type for
    functions that take any of them. Made by `graphmem.open`, `attach` and `reach`."""

    _family: Family
    _of: Callable[[str], Verbs]

    # -- remembering ------------------------------------------------------------------------------

    @verb(
        writes=True, command="remember", joins=True,
        moved={**About.moved("about"), "ttl": "expires=…, which takes seconds too"},
    )  # fmt: skip
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
        """Remember a text and return its nodes. Each is a segment of about 200 characters.

        The text is durable when this returns (see the setting `durability`). The call never waits
        for a model; the worker scores the text later. If the same text is remembered twice in a
        row, the second call counts as a use of the first node, and its `expires` can only make that
        last longer.

        text: 1 to `max_text` characters, not blank. A `str` is text, never a path.
        messages: instead of `text`, the messages of a chat, {"role": …, "content": …}, written
            together (up to 64 MiB). The role becomes the speaker, "timestamp" becomes `happened`.
            Tool calls, images and messages without text are skipped. Only `session`, `metadata`
            and, of `about`, `kind`, `confidence`, `keep`, `shared` and `importance` may be given
            with it; they apply to each message.
        speaker, session: up to 1,000 characters; a blank str means none. A session groups texts
            that belong together.
        happened: when it happened: an aware datetime, an ISO string with an offset, or a plain
            date, which means its midnight in the clock's zone. None: when it is remembered.
        metadata: up to 32 values of your own by name (up to 100 characters): str of up to 1,000
            characters, int of 64 bits, finite float, bool, None. `Where` filters by them.
        expires: the future time at which, or the seconds (a number or a timedelta, above 0, at most
            100 years) after which, the nodes are hidden; the next sweep forgets them.
        pin: never shorten or forget the nodes.
        about: how the text is classified: `About(kind="project", keywords=["release"])`.

        In the result, `.cut` lists the secrets that were cut out of the text before it was stored
        (setting `guard`), and `.conflicts` the memories that it seems to contradict, as far as they
        were found within `conflict_patience` seconds (see `review.conflicts`); `.notes` says if
        that was too short.

        Raises SecretError if `guard` is "refuse" and the text has a secret; InvalidTextError,
        InvalidArgumentError, ArgumentTypeError; CapacityError if the text has more segments than
        `max_nodes`; PinLimitError. If it raises, nothing is stored.
        """
        from graphmem.api import arguments
        from graphmem.remembering.sessions import realm_of
        from graphmem.remembering.writing import Request
        from graphmem.runtime import resolving

        opened = self._opened
        about = arguments.about_of(about)
        routed = arguments.routes(about.route, opened.settings)
        request = Request(text, speaker, session, happened, metadata, expires, pin, about)
        if messages is not None:
            if routed:
                raise InvalidArgumentError("route is for a text; remember the messages one by one")
            return opened.writing.write_messages(messages, request)
        draft = opened.writing.draft(request)
        name = routed.get(realm_of(draft), self.name) if routed else ""
        if name not in ("", self.name):
            opened = self._of(name)._opened
            draft = opened.writing.draft(request)
        return replace(resolving.compared(opened, draft), scope=name)

    @verb(writes=True, command="import", joins=True)
    def remember_many(
        self,
        texts: Iterable[str | Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> list[Remembered]:
        """Remember many texts, several in a batch; returns the nodes of each.

        A text is a str, or a mapping with "text", any other arguments of `remember` except
        `messages`, and fields of `About` except `route`. Each text is stored whole or not at all;
        if one is refused, the texts before it stay stored, but none within `transaction()`.
        `progress` is called with the number of texts written. Raises like `remember`; an unknown
        key raises InvalidArgumentError.
        """
        return self._opened.writing.write_many(texts, progress)

    @verb(writes=True, command="used", argument="nodes", joins=True)
    def used(self, *nodes: NodeLike | Iterable[NodeLike]) -> None:
        """Report which memories helped: they are linked with those in focus and enter the focus.

        Takes hits, nodes or ids, also in lists; forgotten nodes and unknown ids are skipped. Raises
        ArgumentTypeError for anything else.
        """
        self._opened.jobs.use(own_ids(nodes, self.name))

    @verb(
        writes=True, command="", joins=True,
        owner_only="write items with put_many, or compare versions with put(expected=…)",
    )  # fmt: skip
    def transaction(self) -> AbstractContextManager[Verbs]:
        """A `with` block whose writes are committed together at its end, or not at all.

            with memory.transaction():
                note = memory.remember("The release is on May 10.")[0]
                memory.pin(note)
                memory.items.put("releases", "1.4", {"note": note.id})

        If the block raises, or the process ends within it, nothing is written: no memory, item or
        fact, and `history.changes` reports nothing. The ids of its nodes are not used again while
        the folder is open. Other threads and processes see the state before the block until it has
        ended, and their writes wait for it: keep it short. The block itself reads what it has
        written, with `recall` too. It may write to every open scope of the folder. If a call raises
        and the block catches the error, only the writes of that call are left out.

        The block may call `remember`, `remember_many`, `graph.relate`, `graph.facts`, `used`,
        `admin.end_session`, `pin`, `unpin`, `correct`, `replace`, `forget`, `history.reopen`,
        `history.revive`, `items`, `pool`, `recall` and what reads or lists nodes. Any other verb
        raises TransactionError; so do `forget(erase=True)`, waiting for changes, and a transaction
        within it. The block belongs to the thread that began it and must not await. Its writes are
        kept in memory until it ends: CapacityError is raised at 64 MiB. `on_event` is called for
        each call as it ends.

        Raises TransactionError, ReadOnlyError, and at its end StorageError.
        """
        from graphmem.hexastore.transaction import Together

        return cast(AbstractContextManager[Verbs], Together(self._opened.store, self))

    # -- recalling --------------------------------------------------------------------------------

    @verb(
        writes=True,
        owner_arguments={"trace": "trace in the owner's"},
        command="recall",
        joins=True,
        moved={
            **Where.moved("where"),
            "count_tokens": "tokens=Tokens(…, by=…)",
            **dict.fromkeys(("expand", "level"), "mode='themes' alone: it has no settings"),
        },
    )
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
        """Find the memories that answer a cue, best first, from one snapshot.

        cue: any str, words or a question; "" recalls from the focus alone.
        limit: the maximum number of hits, 0–1,000.
        tokens: the maximum length of `.text`, 0–1,073,741,824; None means no maximum. A `Tokens`
            also says which model reads the text: `Tokens(800, "claude")`.
        where: what hits must be: `Where(session="standup", since=date(2026, 5, 1))`.
        mode: use "activation". The others are for comparison: "focus", a breadth-first search from
            the focus by substring; and, with vectors, "hybrid", 0.7 × vectors + 0.3 × words without
            the graph, and "themes", from themes down to memories (see docs/themes.md).
        use: count the best hit as used if its `Hit.coverage`, the share of the cue that its words
            answer, is at least `ranking.use_floor` (0.3); False changes nothing.
        trace: record the search in `.trace`, as text and as a drawing; mode "activation" only.
        cut: "auto" removes hits that have little to do with the cue, and all of them if the cue
            asks for an attribute (a colour, a phone number) that none states; "strict" keeps only
            the best. Either adds up to two that probably state a later value, as far as `limit` or
            `tokens` allow; "none" removes none; other modes remove none and refuse "strict".

        In mode "themes", `.expanded_levels` are the levels that were searched, `.themes` the themes
        near the cue.

        Returns no hits if no word of the cue is known, unless vectors are on and the nearest vector
        stands out. A cue without words returns the focus. If the cue's vector is not available
        within `vector_patience` seconds, `.notes` says so.

        Raises InvalidArgumentError and ArgumentTypeError.
        """
        from graphmem.api import arguments

        check_switch("use", use)  # before anything is read
        found = self._family.recall(
            arguments.question(
                self.name, self._now, cue=cue, limit=limit, tokens=tokens, where=where, mode=mode,
                trace=trace, cut=cut,
            )
        )  # fmt: skip
        if use:
            self._opened.jobs.count_best(found)
        return found

    @verb(command="show", joins=True)
    def __getitem__(self, node: NodeLike) -> Node:
        """The node with this id. Raises ForgottenError, UnknownNodeError."""
        from graphmem.forgetting import undo

        with self._opened.reading() as view:
            return undo.present(view, self._id(node))

    @verb(joins=True)
    def __contains__(self, node: object) -> bool:
        """True if this Node, Hit or id is of a live node; False for anything else."""
        try:
            identifier = self._id(node)
        except (ArgumentTypeError, UnknownNodeError):
            return False
        with self._opened.reading() as view:
            return view.record(identifier) is not None

    @verb(joins=True)
    def __len__(self) -> int:
        """The number of live nodes."""
        with self._opened.reading() as view:
            return view.state.nodes - len(view.expired)

    @verb(joins=True)
    def __iter__(self) -> Iterator[Node]:
        """All nodes, oldest first, from one snapshot."""
        return self.nodes()

    @verb(command="nodes", joins=True, moved=Where.moved("where"))
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
        """List the nodes that meet all conditions, oldest first. With `reverse`, the newest comes
        first; all are read from one snapshot.

        words: the node has all of these index words. keyword: one of `Node.keywords`, exactly.
        text: the node's text, or the phrase that is left of it, holds this piece as it is written,
        which may be part of a word or longer than a word. Case, full width, compatibility forms and
        the kind of white space do not matter; punctuation does. Two Chinese characters in a row, or
        a word (no stop word) with white space on both sides within the piece, are looked up in the
        word index; for any other piece all nodes are read.
        form: how much of the text is left. where: as in `recall`.
        """
        from graphmem.api import arguments

        asked = arguments.listing_of(
            self.name, self._now, words=words, text=text, keyword=keyword, where=where, form=form,
            pinned=pinned, reverse=reverse,
        )  # fmt: skip
        return self._opened.nodes(asked)

    # -- sharing ----------------------------------------------------------------------------------

    @verb(command="context", moved={"count_tokens": "tokens=Tokens(…, by=…)"})
    def context(
        self,
        cue: str,
        *,
        tokens: int | Tokens = 8000,
        where: Where | None = None,
        session: str | None = None,
        recent: float = 0.25,
        budgets: Mapping[str, float] | None = None,
        roles: Mapping[str, str] | None = None,
        pool: str = "shared",
    ) -> Context:
        """The part of a prompt that comes from the memory. It has blocks, pinned memories, the
        newest turns of a session, entries of a pool, and the hits of a cue. Nothing counts as used.

        cue: as in `recall`, the user's question or task.
        tokens: the maximum length of the whole text, 0–1,073,741,824, as in `recall`. Tokens that
            the hits leave are filled with lower-ranked memories, under "(perhaps related)", unless
            there are no hits.
        where: as in `recall`. What its `without` names is in no part of the text.
        session: the session whose newest turns are included, oldest first; None includes none.
        recent: the share of the tokens for these turns, 0–1.
        budgets: the shares of "blocks", "pinned" and "shared", 0–1; the hits get the rest. If
            "blocks" is not given, blocks also get what hits above "(perhaps related)" leave. Pinned
            memories that protect somebody come first, in half of the tokens if "pinned" is not
            given. `notes` says which blocks and how many pinned memories do not fit whole.
        roles: the role, "assistant" or "user", of each speaker in `messages`.
        pool: the pool whose entries are included, newest first, as "[SHARED:key] …". Entries whose
            key begins with "block:" come before all else, in the order of their keys; each is cut
            to the number of tokens that `limit` in its metadata says, or to 500.

        The same cue and state give the same text. Raises InvalidArgumentError, ArgumentTypeError.
        """
        from graphmem.api import arguments
        from graphmem.runtime import prompts

        given = arguments.question(self.name, self._now, cue=cue, tokens=tokens, where=where)
        check_count("tokens", given.tokens, 0, 1 << 30)  # None is no budget
        named, opened = arguments.wanted("session", session), self._opened
        return prompts.context(opened, self._family, given, named, pool, recent, budgets, roles)

    # -- forgetting -------------------------------------------------------------------------------

    @verb(writes=True, command="sweep")
    def sweep(self, seconds: float = 30.0) -> SweepReport:
        """Make one pass, a step of the memory's time, and forget what has expired.

        After it, older links count less than those made or used since. With
        `forgetting="passes"` nodes that are due are shortened or forgotten too, but none that is
        pinned, in focus or younger than `grace` passes. Those that are not reached within `seconds`
        (0–86,400) wait for the next sweep. Over `max_bytes` one call then makes up to 8 passes.
        Raises InvalidArgumentError.
        """
        return self._opened.budget.sweep(check_range("seconds", seconds, 0, 86_400))

    @verb(writes=True, idempotent=True, command="pin", joins=True)
    def pin(self, node: NodeLike) -> Node:
        """Never shorten or forget a node for room. It still goes when it expires, or by `forget`.
        Raises PinLimitError if that pins over half of `max_nodes`."""
        return self._opened.set_pinned(self._id(node), True)

    @verb(writes=True, idempotent=True, command="unpin", joins=True)
    def unpin(self, node: NodeLike) -> Node:
        """Let a node be forgotten like any other again.

        Raises ForgottenError, UnknownNodeError.
        """
        return self._opened.set_pinned(self._id(node), False)

    @verb(writes=True, command="correct", joins=True)
    def correct(self, node: NodeLike, text: str, *, allow: Iterable[str] = ()) -> Remembered:
        """Replace a text that was never true. The new node takes over the old node's links in both
        directions, its facts, speaker, date, session, pin, and the keywords that you gave it.

        The old node goes to the archive, and a link `corrects` points to it from the first new
        node. For a text that was true until now use `replace`. Raises like `remember`, and
        UnknownNodeError.
        """
        from graphmem.runtime import corrections

        return corrections.correct(self._opened, self._id(node), text, allow)

    @verb(writes=True, command="replace", argument="text", joins=True)
    def replace(
        self,
        node: NodeLike,
        text: str | None = None,
        *,
        by: NodeLike | None = None,
        since: date | str | None = None,
        allow: Iterable[str] = (),
    ) -> Remembered:
        """Remember what holds instead of a node from now, or `since`, on.

        The old node stays with its links and facts, is unpinned and may be forgotten; `recall`
        returns it only for an `as_of` before `since`. The new node takes over its speaker, session,
        pin and the keywords that you gave it; a link `supersedes` points from it to the old one.
        For a text that was never true use `correct`.

        by: instead of `text`, a node that already says what holds, such as one for which `remember`
            offered this (`.may_replace`). It gets the old node's pin, is otherwise unchanged, and
            is returned.
        since: later than `Node.valid_from`; with `by`, None means the time from which that node
            holds if it is the newer one, else now.

        `history.reopen` undoes it. Raises like `remember`, UnknownNodeError, and SupersededError if
        the node was replaced before.
        """
        from graphmem.runtime import corrections

        begun = check_moment("since", since, self._now.tzinfo)
        kept = None if by is None else self._id(by)
        return corrections.replace(self._opened, self._id(node), text, kept, begun, allow)

    @verb(writes=True, command="forget", argument="nodes", joins=True)
    def forget(self, *nodes: NodeLike | Iterable[NodeLike], erase: bool = False) -> None:
        """Forget nodes now. Their texts go to the archive, links to them dangle, and the facts of
        which they are the subject are deleted.

        nodes: hits, nodes or ids, also in lists. erase: delete the nodes, live or forgotten, from
        the archive too, and rewrite the files that held them once, like `admin.compact`. If that
        fails or is interrupted, call it again; what was erased is removed from the files when the
        folder is next opened, and until then LevelDB's list of files (MANIFEST) may contain a word
        of the text.
        Raises UnknownNodeError, without `erase` ForgottenError, before any is forgotten; with
        `erase` also like `admin.compact`.
        """
        from graphmem.runtime import erasing

        erasing.forget(self._opened, node_ids(nodes, self.name), check_switch("erase", erase))

    @property
    def name(self) -> str:
        """The name of this memory's scope."""
        return self._opened.scope.name

    @property
    def path(self) -> str | None:
        """The absolute path of the folder; None if the memory is not on disk."""
        return self._opened.database.path

    # -- nouns ------------------------------------------------------------------------------------

    @property
    @noun("graphmem.api.history:History")
    def history(self) -> History:
        """What became of memories: versions, lives, what was forgotten, what brings it back."""
        from graphmem.api.history import History

        return History(self._opened)

    @property
    @noun("graphmem.api.review:Review")
    def review(self) -> Review:
        """What a person may look through, decide and clean away."""
        from graphmem.api.review import Review

        return Review(self._opened)

    @property
    @noun("graphmem.api.graph:Graph")
    def graph(self) -> Graph:
        """How memories are connected: links, facts, the focus, SPARQL, the map."""
        from graphmem.api.graph import Graph

        return Graph(self._opened)

    @property
    @noun("graphmem.api.files:Files")
    def files(self) -> Files:
        """The files that are remembered, and the folders that are followed."""
        from graphmem.api.files import Files

        return Files(self._opened)

    @property
    @noun("graphmem.api.themes:Themes")
    def themes(self) -> Themes:
        """What the memories are about: named clusters of memories, and the episodes of sessions.
        They are an overview; `recall` does not use them, except in mode "themes"."""
        from graphmem.api.themes import Themes

        self._opened.store.require_no_block("themes")
        return Themes(self._opened)

    @property
    @noun("graphmem.sharing.items:Items", joins=True)
    def items(self) -> Items:
        """Records by namespace and key, each with a version: `put`, `get`, `list`, `delete`,
        `changes`."""
        return self._opened.items

    @noun("graphmem.sharing.pool:Pool", joins=True)
    def pool(self, name: str = "shared", by: str = "") -> Pool:
        """Entries that several agents read, write and watch, in this process or attached.

        name: 1–200 characters; the first entry creates the pool. by: the writer's name, unless a
        write gives another. Raises InvalidArgumentError, ArgumentTypeError.
        """
        return self._family.pool(name, by)

    @property
    @noun("graphmem.api.scopes:Scopes")
    def scopes(self) -> Scopes[Self]:
        """The memories of the folder, by name, and whose memories this one sees."""
        from graphmem.api.scopes import Scopes

        return Scopes(self._opened, self)

    @property
    @noun("graphmem.api.admin:Admin")
    def admin(self) -> Admin:
        """How the memory is kept: its numbers, files, queues and settings."""
        from graphmem.api.admin import Admin

        return Admin(self._opened)

    def close(self) -> None:
        """Apply what recalls counted as used, stop the worker and release the folder. Idempotent.

        Closing the memory of another scope, made by `scopes.open`, does nothing: all scopes are
        closed with the memory that was opened.
        """
        raise NotImplementedError

    if not TYPE_CHECKING:  # a type checker would take any name for one of these

        def __getattr__(self, name: str) -> Any:
            """Raise RenamedError for a method that has another name now."""
            raise moved(name) or AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
