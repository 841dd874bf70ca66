# mypy: disable-error-code="empty-body"
"""The declaration of every public verb: its signature, its contract, its options for interfaces.

`Attached` sends each verb to the process that has the memory open; `Memory` overrides each with the
code that does it. The listener's table, the default commands and the schemas of tools are made from
these declarations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from graphmem.settings import Settings
from graphmem.values.conflicts import Conflict, ConflictLike, Conflicts
from graphmem.values.context import Context, Tier
from graphmem.values.hits import NodeLike
from graphmem.values.items import Changes
from graphmem.values.kinds import Preference
from graphmem.values.links import Link, Links
from graphmem.values.nodes import Forgotten, Node, Version
from graphmem.values.recall import Recall
from graphmem.values.remembered import Remembered
from graphmem.values.rendering import TokenCounter
from graphmem.values.reports import FileReport, SweepReport, SyncReport
from graphmem.values.themes import About
from graphmem.values.worth import Life, Worth
from graphmem.verbs import Verb, noun, sends, verb

if TYPE_CHECKING:
    from rdflib.query import Result

    from graphmem.hexastore.facts import Facts
    from graphmem.lifecycle.overview import Lifecycle
    from graphmem.query.sparql import MemoryGraph
    from graphmem.sharing.items import Items
    from graphmem.sharing.pool import Pool
    from graphmem.themes.catalog import Themes

Binding: TypeAlias = object
"""What a variable of a query is bound to."""


@sends
class Verbs:
    """What can be done with a memory. Made by `graphmem.open` and `graphmem.attach`.

    Here each verb sends its call: see `_send`.
    """

    def _send(
        self,
        verb: Verb,
        given: tuple[Any, ...],
        named: Mapping[str, Any],
        of: tuple[object, ...],
    ) -> Any:
        """Run a verb in the owner's process and return its result.

        given, named: the arguments of the call. of: the arguments of its noun, as of `pool(name)`.
        """
        raise NotImplementedError

    # -- remembering ------------------------------------------------------------------------------

    @verb(writes=True, command="remember", tool=True, joins=True)
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
        """Remember a text and return its nodes, one for each segment of about 200 characters.

        The text is durable when this returns (see the setting `durability`). The call never waits
        for a model; the worker scores the text later. If the same text is remembered twice in a
        row, the second call counts as a use of the first node.

        text: 1 to `max_text` characters, not blank. A `str` is text, never a path.
        messages: instead of `text`, the messages of a chat, {"role": …, "content": …}, written
            together. The role becomes the speaker, "timestamp" becomes `happened`. Tool calls,
            images and messages without text are skipped. Only `session`, `kind`, `confidence`,
            `keep`, `metadata`, `shared` and `importance` may be given with it; they apply to each
            message.
        speaker, session: up to 1,000 characters; a blank str means none. A session groups texts
            that belong together.
        happened: when it happened: an aware datetime, an ISO string with an offset, or a plain
            date, which means its midnight in the clock's zone. None: when it is remembered.
        keywords: up to 32 of your own; three to five more are extracted from the text.
        pin: never shorten or forget the nodes.
        allow: kinds of secrets that are not cut out, such as "code"; see docs/lifecycle.md.
        ttl, expires: seconds (above 0, at most 100 years) after which, or the future time at
            which, the nodes are hidden; the next sweep forgets them. Give one or neither.
        kind: the kind of memory, instead of the rules' judgement: a realm (personal, project,
            universal, ephemeral), a temporality (permanent, long-term, short-term, session), both
            ("project permanent"), or a mapping with "realm", "temporality", "confidence".
        confidence: how certain the statement is, 0–1, rounded to 0.01.
        keep: `lifecycle.candidates` never lists the nodes. They still fade unless pinned.
        metadata: up to 32 values of your own by name (up to 100 characters): str of up to 1,000
            characters, int of 64 bits, finite float, bool, None. `where` filters by them.
        route: True stores a text of the realm personal in the scope that the setting `user_scope`
            names, one of the realm project in that of `project_scope`, any other in this scope. A
            mapping names the scopes for this call: {"personal": "ana", "project": "pump"}. `.scope`
            of the result is the name of the scope; "" without `route`.
        shared: also visible to scopes that have this one as a parent; see `scope`.
        importance: rank among the turns of its session, 0–1; see `tiers`.

        In the result, `.cut` lists the secrets that were cut out of the text before it was stored
        (setting `guard`), and `.conflicts` the memories that it seems to contradict, as far as they
        were found within `conflict_patience` seconds (see `conflicts`).

        Raises SecretError if `guard` is "refuse" and the text has a secret; InvalidTextError,
        InvalidArgumentError, ArgumentTypeError; CapacityError if the text has more segments than
        `max_nodes`; PinLimitError. If it raises, nothing is stored.
        """

    @verb(writes=True, command="import", joins=True)
    def remember_many(
        self,
        texts: Iterable[str | Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> list[Remembered]:
        """Remember many texts, several in a batch; returns the nodes of each.

        A text is a str, or a mapping with "text" and any other arguments of `remember` but
        `messages` and `route`. Each text is stored whole or not at all; if one is refused, the
        texts before it stay stored. `progress` is called with the number of texts written. Raises
        like `remember`; an unknown key raises InvalidArgumentError.
        """

    @verb(writes=True, idempotent=True, command="remember-file")
    def remember_file(
        self,
        path: str | os.PathLike[str],
        *,
        session: str | None = None,
        happened: date | str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> FileReport:
        """Remember a text or Markdown file, in chunks of about 400 tokens, each a node.

        A chunk begins with up to 80 tokens of the chunk before it. Sentences, headings, lists and
        code blocks of up to 2,000 characters are never cut. A known file that has not changed is
        not read again. If it has changed, new chunks are remembered, and chunks that it no longer
        contains are forgotten into the archive. If it has become empty, it is forgotten.

        path: a UTF-8 file of any size; it is read twice, about 1 MB at a time. Symbolic links are
            followed.
        session: None means the file's real path. happened: as in `remember`. Both apply to new
            chunks only.
        progress: called with the number of bytes read and the size of the file.

        Raises UnreadableFileError; InvalidTextError if the file is empty, binary or not UTF-8; and
        like `remember`. If it raises, nothing has changed.
        """

    @verb(writes=True, command="forget-file")
    def forget_file(self, path: str | os.PathLike[str]) -> FileReport:
        """Forget all chunks of a file, into the archive. The file itself need not exist any more.

        Raises InvalidArgumentError if no file of this path was remembered.
        """

    @verb(command="files")
    def files(self) -> list[str]:
        """The real paths of the files that are remembered."""

    @verb(writes=True, idempotent=True, command="sync")
    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        write: bool = False,
        keep: Iterable[str] = (),
    ) -> SyncReport:
        """Bring this scope in line with a project's folder: with those of projectbrief.md,
        productContext.md, techContext.md, systemPatterns.md, activeContext.md, progress.md and
        decisions.yaml that exist.

        What is new in a file is remembered, in the realm project; what is no longer in it is
        forgotten into the archive. Markdown is cut as by `remember_file`; each record of
        decisions.yaml is one node. All files are read and checked before anything
        changes. Where nothing has changed, nothing is written. See docs/project.md.

        write: add each explicit decision of the project to decisions.yaml as a record. No other
            line changes. A decision from which a secret was cut is not written. If somebody changed
            the file since it was read, it is read again first.
        keep: names of files whose nodes are pinned and kept as by `keep=True`. In a file,
            `<!-- keep -->` (Markdown) and `keep: true` (YAML) mark a part of it.

        Raises UnreadableFileError for a folder or file that cannot be read or written, and for a
        link that leads out of the folder; MalformedError, with the line, for invalid YAML;
        InvalidTextError for a file that is not text; SecretError if `guard` is "refuse";
        PinLimitError; InvalidArgumentError for a folder with none of the files.
        """

    @verb(writes=True, idempotent=True, command="end-session", joins=True)
    def end_session(self, session: str) -> int:
        """End a session: what was ephemeral and never used expires now.

        Returns the number of nodes that expire, 0 unless the setting `ephemera` is "expire". A
        session ends by itself 24 hours after its last turn. Raises InvalidArgumentError,
        ArgumentTypeError.
        """

    @verb(writes=True, idempotent=True, command="relate", tool=True, joins=True)
    def relate(self, source: NodeLike, relation: str, target: NodeLike) -> Link:
        """Link two nodes with strength 1.0; strengthens a link that exists.

        relation: 1–200 characters in any language, or an absolute IRI. Raises
        UnknownNodeError, ReservedError for a relation that graphmem itself maintains, and
        InvalidArgumentError for a link from a node to itself.
        """

    @verb(writes=True, command="used", joins=True)
    def used(self, *nodes: NodeLike | Iterable[NodeLike]) -> None:
        """Report which memories helped: they are linked with the nodes in focus and enter it.

        Takes hits, nodes or ids, also in lists; forgotten nodes and unknown ids are skipped. Raises
        ArgumentTypeError for anything else.
        """

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
        fact, and `changes` reports nothing. The ids of its nodes are not used again while the
        folder is open. Other threads and processes see the state before the block until it has
        ended, and their writes wait for it: keep it short. The block itself reads what it has
        written, with `recall` too. It may write to every open scope of the folder. If a call raises
        and the block catches the error, only the writes of that call are left out.

        The block may call `remember`, `remember_many`, `relate`, `used`, `end_session`, `pin`,
        `unpin`, `correct`, `replace`, `reopen`, `forget`, `revive`, `items`, `facts`, `pool`,
        `recall` and what reads or lists nodes. Any other verb raises TransactionError; so do
        `forget(erase=True)`, waiting for changes, and a transaction within it. The block belongs to
        the thread that began it and must not await. Its writes are kept in memory until it ends:
        CapacityError is raised at 64 MiB. `on_event` is called for each call as it ends.

        Raises TransactionError, ReadOnlyError, and at its end StorageError.
        """

    # -- recalling --------------------------------------------------------------------------------

    @verb(
        writes=True,
        owner_arguments={"trace": "trace in the owner's"},
        command="recall",
        tool=True,
        joins=True,
    )
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
        """Find the memories that answer a cue, best first, from one snapshot.

        cue: words or a question; "" recalls from the focus alone.
        relations: follow only links with these relations; () follows all.
        depth: how many links to follow from the nodes that match and from the focus, 0–10.
        limit: the maximum number of hits, 0–1,000.
        tokens: the maximum length of `.text`, 0–1,073,741,824; None means no maximum.
        count_tokens: the model that reads the text, by its name or that of its family ("o200k",
            "cl100k", "claude", "llama", "qwen", "deepseek", "gemma"), whose tokens are estimated;
            or a function that counts the tokens of a str.
        session, speaker, since (inclusive), until (exclusive): conditions on hits. A memory
            without `happened` has the date on which it was remembered.
        as_of: return what held at this time, replaced memories included; None: what holds now.
        where: conditions on metadata and on realm, confidence, temporality and source:
            {"team": "red"}, {"team": ["red", "blue"]}, or by eq, ne, gt, gte, lt, lte, in:
            {"year": {"gte": 2020}}. All must hold; a missing name counts as None.
        known_at: return what was known at this time, including memories corrected or forgotten
            since then that the archive still has; ranks by words alone. With `as_of`: what was
            known at `known_at` to hold at `as_of`.
        among: return only these nodes, given as nodes, hits or ids; unknown ids are skipped. Nodes
            of a parent scope are given as its nodes or hits.
        mode: use "activation". The others are for comparison: "focus", a breadth-first search from
            the focus by substring; and, with vectors, "hybrid", 0.7 × vectors + 0.3 × words without
            the graph, and "themes", from themes down to memories (see docs/themes.md).
        use: count the best hit as used if its `Hit.coverage`, the share of the cue that its words
            answer, is at least `ranking.use_floor` (0.3); False changes nothing.
        trace: record the search in `.trace`, as text and as a drawing; mode "activation" only.
        cut: "auto" removes hits that answer too little of the cue, from `.text` too, and may remove
            all of them; "none" removes none. Mode "activation" only.
        whole_share: share of `tokens` for whole memories, 0–1; the rest is for excerpts of
            the memories that rank behind them: the clauses that tell what the cue asks for.
        expand, level: for mode "themes". `expand=False` returns themes only; `level` is how far
            down it may go: "theme", "semantic", "all" (to episodes) or "message". In the result,
            `.expanded_levels` are the levels that were searched, `.themes` the themes near the cue.

        Returns no hits if no word of the cue is known, unless vectors are on and the nearest vector
        stands out. A cue without words returns the focus. If the cue's vector is not available
        within `vector_patience` seconds, `.notes` says so.

        Raises InvalidArgumentError and ArgumentTypeError.
        """

    @verb(command="nearest", joins=True)
    def nearest(
        self, cue: str, *, among: Iterable[NodeLike] | None = None, limit: int = 10
    ) -> list[tuple[Node, float]]:
        """Nodes with the cosine of their vector with the cue's, −1 to 1, the nearest first.

        All stored vectors, of one byte a component, are compared; the rules of `recall` are not
        applied, and the mean vector is not subtracted. Values of different models
        cannot be compared: those of E5 are between 0.79 and 0.96 whatever the texts say. To answer
        a question, use `recall`.

        among: only these, given as nodes, hits or ids; None: all nodes of this scope, replaced ones
            included. Nodes that are forgotten, have expired or wait for a vector are skipped.
        limit: 0–1,000.

        Raises InvalidArgumentError if the memory has no vectors or the cue is blank; EmbedderError
        if the cue's vector is not available within `vector_patience` seconds; ArgumentTypeError;
        UnknownNodeError for an invalid id.
        """

    @verb(command="show", joins=True)
    def __getitem__(self, node: NodeLike) -> Node:
        """The node with this id. Raises ForgottenError, UnknownNodeError."""

    @verb(command="worth", joins=True)
    def worth(self, node: NodeLike) -> Worth:
        """Why a node is worth keeping. The result has its sentences with the parts of their
        salience, the links that make its importance, and which sentence is dropped next, at which
        pass.

        Raises ForgottenError, UnknownNodeError.
        """

    @verb(joins=True)
    def __contains__(self, node: object) -> bool:
        """True if this Node, Hit or id is of a live node; False for anything else."""

    @verb(joins=True)
    def __len__(self) -> int:
        """The number of live nodes."""

    @verb(joins=True)
    def __iter__(self) -> Iterator[Node]:
        """All nodes, oldest first, from one snapshot."""

    @verb(command="nodes", tool=True, joins=True)
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
        """List the nodes that meet all conditions, oldest first. With `reverse`, the newest comes
        first; all are read from one snapshot.

        words: the node has all of these index words. keyword: one of `Node.keywords`, exactly.
        form: how much of the text is left. as_of: the node held at this time; None lists replaced
        nodes too (see `Node.valid_to`). known_at: nodes as they were known at this time, see
        `recall`; reads all nodes. The other conditions are as in `recall`.
        """

    @verb(command="find", joins=True)
    def find(self, text: str, *, limit: int = 20) -> list[Node]:
        """The nodes whose text holds a piece of text as it is written, newest first.

        Case, full width, compatibility forms and the kind of white space do not matter; punctuation
        does. The piece may be part of a word or longer than a word. A text that was remembered as
        several nodes is looked through node by node.

        text: not blank. limit: 0–100,000.

        Two Chinese characters in a row, or a word (no stop word, such as "the") with white space on
        both sides within the piece, are looked up in the word index, and only nodes that hold them
        are read; for any other piece, as for a single English word, nodes are read from the newest
        on until `limit` are found. As with `nodes`, expired nodes are hidden and replaced ones
        listed (see `Node.valid_to`). Raises InvalidArgumentError, ArgumentTypeError.
        """

    @verb(command="preferences", joins=True)
    def preferences(self, *, sessions: int = 3) -> list[Preference]:
        """What a person takes, chooses or uses again and again, the most frequent first. These
        inferred preferences are seen in at least `sessions` (2–1,000) sessions.

        Computed by rules for English and Chinese from the present texts; reads the whole memory and
        stores nothing. Raises InvalidArgumentError, ArgumentTypeError.
        """

    @verb(command="links", tool=True, joins=True)
    def links(self, node: NodeLike) -> Links:
        """The links of a node, strongest first. `.dangling` has its links to forgotten nodes,
        `.hierarchy` its episode and its theme.

        Links of strength below 0.01 are left out. Raises ForgottenError, UnknownNodeError.
        """

    @property
    @verb(command="focus", joins=True)
    def focus(self) -> list[Node]:
        """The nodes in focus, the most recently used first; at most five."""

    @verb(command="importance", joins=True)
    def importance(self, node: NodeLike) -> float:
        """The importance of a node: the sum of its four strongest links, 0–4.

        Raises ForgottenError, UnknownNodeError.
        """

    @property
    @noun("graphmem.hexastore.facts:Facts", terms=True, joins=True)
    def facts(self) -> Facts:
        """The triples that you store in a memory: `put`, `delete`, `match`, `search`, `count`."""

    # -- sharing ----------------------------------------------------------------------------------

    @property
    @noun("graphmem.sharing.items:Items", joins=True)
    def items(self) -> Items:
        """Records by namespace and key, each with a version: `put`, `get`, `list`, `delete`,
        `changes`."""

    @noun("graphmem.sharing.pool:Pool", joins=True)
    def pool(self, name: str = "shared", by: str = "") -> Pool:
        """Entries that several agents read, write and watch, in this process or attached.

        name: 1–200 characters; the first entry creates the pool. by: the writer's name, unless a
        write gives another. Raises InvalidArgumentError, ArgumentTypeError.
        """

    @verb(waits=True)
    def changes(self, since: int | None = None, *, prefix: str = "", wait: float = 0.0) -> Changes:
        """The changes of items and memories after change number `since`, oldest first. Pass `.last`
        of the result as the next `since`.

        since: the number of a change; 0 returns all changes that are kept, None only later ones.
        prefix: return only changes whose `Change.subject` begins with it: "pool:team/research:" for
            entries of a pool, "graphmem:memories/" for memories.
        wait: how many seconds to wait if there is no change yet, up to 86,400. Other calls are not
            blocked meanwhile.

        The actions on a memory are remembered, corrected, replaced, reopened, forgotten and erased.
        Its change has the node's id (`.node`; the first node of a text of several segments) and no
        text. A scope records changes of memories from its first item, or the first call of
        `changes`, and keeps its last 4,096 changes across restarts. `.gap` is True if changes after
        `since` are no longer kept.
        """

    @verb(command="context", tool=True)
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
        """The part of a memory that goes into a prompt: blocks, pinned memories, the newest turns
        of a session, entries of a pool, and the hits of a cue. Nothing counts as used.

        cue: as in `recall`, the user's question or task.
        tokens: the maximum length of the whole text, 0–1,073,741,824; `count_tokens` as in
            `recall`. What is left of them is filled with what ranks behind the hits, also with what
            `recall` leaves out because it scores under 6 % of the best.
        session: the session whose newest turns are included, oldest first; None includes none.
        recent: the share of the tokens for these turns, 0–1.
        budgets: the shares of "blocks", "pinned" and "shared", 0–1; the hits get the rest.
        roles: the role, "assistant" or "user", of each speaker in `messages`.
        pool: the pool whose entries are included, newest first, as "[SHARED:key] …". Entries whose
            key begins with "block:" always come first; each is cut to the number of tokens that
            `limit` in its metadata says, or to 500.

        The same cue and state give the same text. Raises InvalidArgumentError, ArgumentTypeError.
        """

    @verb(command="about", tool=True)
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
        """What is known about a person or a subject. The phrases of all memories that a broad cue
        finds, as many as the budget holds, grouped by theme.

        cue: words or a question, as in `recall`; "" uses the focus.
        tokens: the maximum length of `.text`, 0–1,073,741,824.
        The other arguments are as in `recall`. Nothing counts as used. Without vectors there are no
        themes, and the phrases are not grouped. Memories of the scope's parents are not read.

        Raises InvalidArgumentError and ArgumentTypeError.
        """

    @verb(command="tiers")
    def tiers(
        self,
        session: str | None = None,
        *,
        strategy: Literal["importance", "frequency"] = "importance",
        count_tokens: TokenCounter | str = "o200k",
    ) -> list[Tier]:
        """The tier of every memory, as seen from a session: L1 has the newest turns of the session,
        L2 its other turns in the order of `strategy`, L3 the rest of them and gists of other
        sessions, L4 everything else.

        The settings `tiers.l1` to `tiers.l4` are the budgets in tokens; see docs/sharing.md. A
        memory is in exactly one tier; `context` takes recent turns from L1 and names the tier of
        each part. Reads the whole memory. Raises InvalidArgumentError, ArgumentTypeError.
        """

    @property
    @noun("graphmem.themes.catalog:Themes")
    def themes(self) -> Themes:
        """What the memories are about: named clusters of memories, and the episodes of sessions.
        They are an overview; `recall` does not use them, except in mode "themes"."""

    @verb(command="map")
    def map(self, *, anew: bool = False) -> bytes:
        """All nodes and all links in one call, with a place for each node: what `graphmem view`
        draws.

        Columns that `graphmem.mapping.packed.unpack` reads: id, form and the pass at which the node
        took it, the share of the text that is left, importance, theme, when it was remembered and
        at which pass it is due, and what the archive has of forgotten nodes. Similar nodes are
        placed near each other, by vectors if most nodes have one, else by keywords and links.

        Places are stored, unless the memory is open read-only; a new node takes a free place and
        moves no other. anew: compute all places again. Raises ArgumentTypeError; and, if it stores
        places, like `remember`.
        """

    # -- what holds -------------------------------------------------------------------------------

    @property
    @noun("graphmem.lifecycle.overview:Lifecycle")
    def lifecycle(self) -> Lifecycle:
        """The state of this memory, and what a person may remove from it. Methods: `status`,
        `health`, `retention`, `candidates`, `archive`, `erase`, `confirm`."""

    # -- SPARQL -----------------------------------------------------------------------------------

    @verb(owner_only="ask with sparql(), or make the graph there", command="")
    def graph(self) -> MemoryGraph:
        """A snapshot of this memory as a read-only rdflib graph.

        Besides stored facts it has triples made from records, such as `memory:content` and the
        present strength of each link; docs/sparql.md lists them. The graph holds the snapshot until
        it is closed: close it, or use it in a `with` block.
        """

    @verb(command="sparql")
    def sparql(self, query: str, /, *, seconds: float | None = 30.0, **bindings: Binding) -> Result:
        """Answer a SPARQL query (SELECT, ASK, CONSTRUCT, DESCRIBE) over `graph()`.

            memory.sparql("SELECT ?n ?text { ?n memory:mentions 'release'; memory:content ?text }")

        The prefixes memory, node, link, relation, focus, theme, episode, rdf, rdfs and xsd need no
        declaration.
        bindings: values of variables, converted like objects of facts: a str is a literal, a node
            or a hit is `node:<id>`. seconds: 0–86,400; None means no limit.
        Returns rdflib's Result, complete; later writes do not change it.

        Raises QuerySyntaxError with line and column; QueryRefusedError for updates, SERVICE, FROM
        and GRAPH; QueryTimeoutError; QueryLimitError if the query needs more memory than
        docs/sparql.md allows; QueryError for other failures.
        """

    @verb(command="explain")
    def explain(self, query: str, /, **bindings: Binding) -> str:
        """How `sparql` would evaluate a query now: its operators, and one line for each pattern.

        Raises QuerySyntaxError, QueryRefusedError.
        """

    # -- forgetting -------------------------------------------------------------------------------

    @verb(writes=True, command="sweep")
    def sweep(self, seconds: float = 30.0) -> SweepReport:
        """Make one pass: every link weakens, and due nodes are shortened or forgotten.

        Due nodes that are not reached within `seconds` (0–86,400) wait for the next sweep. If the
        memory is over `max_bytes`, one call may make up to 8 passes. Nodes that are pinned, in
        focus or younger than `grace` passes are not shortened or forgotten. Raises
        InvalidArgumentError.
        """

    @verb(writes=True, idempotent=True, command="shrink")
    def shrink(
        self, to_bytes: int, *, progress: Callable[[SweepReport], None] | None = None
    ) -> SweepReport:
        """Make passes until the live text fits into `to_bytes`, or until only pinned nodes and
        nodes in focus are left.

        The size of the live text is `text_bytes` of `stats()`: the UTF-8 bytes of the sentences, or
        of phrase and keywords for a gist. to_bytes: an int, 0 or more. `progress` is called after
        each pass in which a node was due. Raises InvalidArgumentError, ArgumentTypeError.
        """

    @verb(writes=True, idempotent=True, command="pin", tool=True, joins=True)
    def pin(self, node: NodeLike) -> Node:
        """Never shorten or forget a node. Raises PinLimitError if that pins over half of
        `max_nodes`."""

    @verb(writes=True, idempotent=True, command="unpin", tool=True, joins=True)
    def unpin(self, node: NodeLike) -> Node:
        """Unpin a node, so that it fades like any other.

        Raises ForgottenError, UnknownNodeError.
        """

    @verb(writes=True, command="correct", tool=True, joins=True)
    def correct(self, node: NodeLike, text: str, *, allow: Iterable[str] = ()) -> Remembered:
        """Replace a text that was never true. The new node takes over the old node's links in both
        directions, its facts, speaker, date, session, pin, and the keywords that you gave it.

        The old node goes to the archive, and a link `corrects` points to it from the first new
        node. For a text that was true until now use `replace`. Raises like `remember`, and
        UnknownNodeError.
        """

    @verb(writes=True, command="replace", tool=True, joins=True)
    def replace(
        self,
        node: NodeLike,
        text: str,
        *,
        since: date | str | None = None,
        allow: Iterable[str] = (),
    ) -> Remembered:
        """Remember what holds from now on instead of a node that was true until now; or, with
        `since`, from that time on.

        The old node stays with its links and facts, is unpinned, and fades like any other; `recall`
        returns it only for an `as_of` before `since`. The new node takes over its speaker, session,
        pin and the keywords that you gave it; a link `supersedes` points from it to the old one.
        For a text that was never true use `correct`.

        since: later than `Node.valid_from`. Raises like `remember`, UnknownNodeError, and
        InvalidArgumentError if the node was replaced before.
        """

    @verb(writes=True, command="reopen", joins=True)
    def reopen(self, node: NodeLike, *, withdraw: Iterable[NodeLike] = ()) -> Node:
        """Undo `replace` or `resolve`: a node that was closed holds again, and no link `supersedes`
        points to it any more.

        withdraw: the nodes that `replace` wrote; they are forgotten in the same write, and if they
            were pinned, this one is. Without, what took its place stays, as after `resolve`.

        Raises InvalidArgumentError if the node holds, or if one of `withdraw` did not take its
        place or was replaced since; ForgottenError, UnknownNodeError.
        """

    @verb(writes=True, command="conflicts", tool=True)
    def conflicts(self, limit: int = 20, *, seconds: float = 10.0) -> Conflicts:
        """Pairs of memories that both hold and give different values for one thing, newest first.

        limit: 0–1,000. seconds: 0–86,400, the time for comparing memories that were remembered
        since the last call; if it runs out, `.notes` of the result says so, and the rest waits for
        the next call. No memory is changed:
        `Conflict.proposal` names the memory to keep, and `resolve` keeps it. docs/lifecycle.md says
        what is compared. A memory that is open `read_only` lists only pairs found before.
        """

    @verb(writes=True, command="resolve", tool=True)
    def resolve(
        self,
        conflict: ConflictLike,
        *,
        keep: NodeLike | str | None = None,
        policy: Literal["ask", "auto"] = "ask",
    ) -> list[Conflict]:
        """Keep one of two memories that contradict each other. The other is closed as by `replace`,
        at the time from which the kept one holds if that is the newer, else now. A link
        `supersedes` points to it from the kept one. Returns the conflicts that were resolved.

        conflict: a `Conflict`, the ids of both memories as "12,17", or, with policy "auto", "all".
        keep: the memory to keep, or "both": then the pair is not listed again.
        policy: "ask" requires `keep`. "auto" without `keep` resolves only conflicts in which the
            newer memory names what it replaces, and keeps the newer one.

        Raises InvalidArgumentError, also for a memory that was replaced before; ForgottenError,
        UnknownNodeError.
        """

    @verb(writes=True, command="forget", tool=True, joins=True)
    def forget(self, node: NodeLike, *, erase: bool = False) -> None:
        """Forget a node now. Its text goes to the archive, links to it dangle, and the facts of
        which it is the subject are deleted.

        erase: delete the node from the archive too, and rewrite the files that held it, like
        `compact`. If that fails or is interrupted, it is finished when the folder is next opened;
        until then LevelDB's list of files (MANIFEST) may contain a word of the text.
        Raises UnknownNodeError; without `erase` ForgottenError, with it also like `compact`.
        """

    @verb(writes=True, idempotent=True, command="erase")
    def erase(self, *nodes: NodeLike | Iterable[NodeLike]) -> None:
        """Erase several nodes, and rewrite the files once, at the end. Each is erased as by
        `forget(erase=True)`.

        Takes hits, nodes or ids, also in lists, of live or forgotten nodes; unknown ids are
        skipped. If it is interrupted, some nodes may be left: call it again.

        Raises like `compact`; UnknownNodeError for a node of another scope, before any is erased.
        """

    @verb(command="history", tool=True, joins=True)
    def history(self, node: NodeLike) -> list[Version]:
        """The versions of a node that the archive still has, oldest first; the present one last.

        Works for forgotten nodes too. Raises UnknownNodeError if no version is left.
        """

    @verb(command="life", joins=True)
    def life(self, node: NodeLike) -> Life:
        """What happened to a node, step by step, with the reason of each step, as far back as the
        archive has it.

        Works for forgotten nodes too. Raises UnknownNodeError if no version is left.
        """

    @verb(command="forgotten", joins=True)
    def forgotten(self, limit: int = 100) -> list[Forgotten]:
        """Up to `limit` (0–100,000) forgotten nodes, the most recently forgotten first."""

    @verb(writes=True, command="revive", tool=True, joins=True)
    def revive(self, node: NodeLike, version: int | None = None) -> Node:
        """Restore a forgotten node, or an earlier version of a node; it enters the focus.

        version: a number from `history`; None means the archived version with the most text left,
        the latest if several are equal. Raises UnknownVersionError, also for None if the node is
        alive and the archive has no fuller version; UnknownNodeError, ArgumentTypeError.
        """

    @property
    def name(self) -> str:
        """The name of this memory's scope."""

    @property
    def path(self) -> str | None:
        """The absolute path of the folder; None if the memory is not on disk."""

    # -- scopes -----------------------------------------------------------------------------------

    @property
    @verb(command="settings", joins=True)
    def settings(self) -> Settings:
        """The settings in force."""

    @verb(writes=True, idempotent=True, command="", joins=True)
    def scope(
        self, name: str, *, parents: Iterable[str] | None = None, pools: str | None = None
    ) -> Verbs:
        """The memory of another scope of the same folder, which is created if it does not exist.

        It shares the folder, worker and settings, and is closed with the memory that was opened.

        parents: names of existing scopes. `recall` and `context` of the scope also return what its
            parents, and their parents, remembered with `shared=True`; `hit.scope` names the scope
            of a hit. A parent's memories are never changed or counted as used. None leaves the
            parents as they were; () removes them. What the scope "global" shares is visible in all
            scopes of the folder.
        pools: the scope whose pools `pool` and `context` use: this scope or one of its parents.
            None leaves it as it was; at first it is the first parent.

        Raises ArgumentTypeError; InvalidArgumentError for an invalid name and for a circle of
        parents; UnknownScopeError if a parent does not exist.
        """

    @verb(command="parents", joins=True)
    def parents(self) -> list[str]:
        """The names of the scopes that this one recalls from, the nearest first."""

    @verb(command="scopes", joins=True)
    def scopes(self) -> list[str]:
        """The names of the folder's scopes. Only memories are listed, not its RDF graphs."""

    @verb(writes=True, command="drop-scope")
    def drop_scope(self, name: str) -> list[str]:
        """Delete a scope with everything in it. Any Memory of it then raises UnknownScopeError.

        Returns the names of the scopes that had it as a parent. They lose that parent; their
        recalls say so in `.notes` until `scope` sets their parents anew.

        Raises UnknownScopeError; InvalidArgumentError for this memory's own scope; and like
        `compact` if the scope is deleted but its bytes are still in the files.
        """

    # -- housekeeping -----------------------------------------------------------------------------

    @verb(command="stats")
    def stats(self) -> dict[str, Any]:
        """The state of the memory in numbers: nodes, links, bytes, queue, worker.

        `erasing` counts the scopes of the folder, dropped ones included, with deleted data that has
        still to be removed from the files.
        """

    @verb(writes=True, idempotent=True, command="enrich")
    def enrich(self, timeout: float | None = None) -> int:
        """Process the queue of texts to be scored and, with vectors, embedded, for at most
        `timeout` seconds (None: no limit). Returns the number of texts left in the queue.

        Uses that recalls reported are applied first. With `worker="none"` the texts are scored in
        this process. The text being processed at the timeout is finished. A text that fails is
        tried again after 0.5 to 30 seconds, up to 15 times; this call waits for that. If the
        embedder fails, if a server cannot be reached for `worker_deadline` seconds, or if a model
        cannot be loaded any more, this returns and the texts stay in the queue.
        """

    @verb(command="worker", joins=True)
    def set_aside(self, limit: int = 100) -> dict[int, str]:
        """The nodes whose enrichment failed for good, oldest first, with reasons; at most `limit`.

        They keep the scores of the rules instead of the model's and are otherwise intact. When the
        cause is removed, call `retry`.
        """

    @verb(writes=True, command="worker retry")
    def retry(self, *nodes: NodeLike) -> int:
        """Queue nodes that were set aside for enrichment again; all of them if none is named.

        Returns the number of nodes queued. Raises InvalidArgumentError, and queues none, if a node
        was not set aside.
        """

    @verb(command="check")
    def check(self) -> list[str]:
        """Compare all structures of this scope with each other. Returns the faults, [] if there are
        none.

        Reads everything once: about a second for 10,000 nodes. `graphmem.repair` rebuilds a folder
        that has faults.
        """

    @verb(writes=True, idempotent=True, command="compact")
    def compact(self) -> None:
        """Rewrite the files so that no byte of deleted data is left in them. Merges the word index
        first; may take long in a large folder.

        Raises HeldError while an unfinished listing, a `graph()` or a client holds an older
        snapshot: the data is removed when that has ended. Raises StorageError if the disk fails:
        the data is removed when the folder is next opened.
        """

    @verb(command="backup")
    def backup(
        self,
        destination: str | os.PathLike[str],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Copy the whole folder with all scopes to a new folder; reads and writes continue.

        The copy is a consistent snapshot; every value is verified. It appears complete or not at
        all. `progress` is called with the bytes copied and an estimate of all bytes. Returns the
        sequence number of the snapshot, as in `stats()`.

        Raises DestinationError unless `destination` is outside this folder and new or empty;
        MissingError, FullError; CorruptError if this memory is damaged.
        """

    def close(self) -> None:
        """Apply what recalls counted as used, stop the worker and release the folder. Idempotent.

        Closing the memory of another scope, made by `scope`, does nothing: all scopes are closed
        with the memory that was opened.
        """
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
