"""Review: what a person may look through, decide and clean away; `memory.review`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from typing import Any, Final, Literal

from graphmem.api import arguments
from graphmem.api.nouns import Noun, require_no_block
from graphmem.declaring import refuses, verb
from graphmem.errors import ArgumentTypeError, InvalidArgumentError, UnknownNodeError
from graphmem.forgetting import archive, undo
from graphmem.graph.exchanges import is_in_exchange
from graphmem.graph.kinds import confirmed
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.view import View
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import Space
from graphmem.lifecycle import cleaning, retention
from graphmem.lifecycle.census import Census, Judged
from graphmem.lifecycle.cleaning import Found, Seen, is_kept
from graphmem.lifecycle.preferences import preferences
from graphmem.lifecycle.sameness import Sameness
from graphmem.runtime import prompts, resolving
from graphmem.runtime.open_scope import OpenScope
from graphmem.services.tokens import counter
from graphmem.sharing import content
from graphmem.themes.calibration import Calibration
from graphmem.values.checks import check_count, check_function, check_range, check_switch
from graphmem.values.conflicts import Conflict, ConflictLike, Conflicts
from graphmem.values.context import Tier
from graphmem.values.hits import NodeLike
from graphmem.values.kinds import Preference
from graphmem.values.lifecycle import (
    CLASSES,
    POLICIES,
    STATES,
    Candidate,
    Class,
    Cleaning,
    Retention,
    Status,
)
from graphmem.values.moments import moment
from graphmem.values.progress import Progress, counted
from graphmem.values.rendering import TokenCounter

_MOST: Final = 100_000  # candidates that one call lists
_AT_ONCE: Final = 64  # nodes that one transaction archives
_SHOWN: Final = 200  # characters of a candidate's text
_CONFLICTS: Final = 100_000  # that are counted
_SECONDS: Final = 0.1  # for comparing new memories in `status`
_BESIDE: Final = 2.0  # for the same in `candidates`, which may read all texts too
_READ: Final = 2000  # texts that `status` reads, if more were not read yet


@refuses(require_no_block)
class Review(Noun):
    """What a person may look through, decide and clean away. Only `resolve`, `archive` and
    `confirm` change anything.

    The first call reads every text, a later one only what has changed since.
    """

    def __init__(self, opened: OpenScope) -> None:
        """Use `Memory.review`. Findings on each text, and which were compared, are cached while the
        scope is open."""
        super().__init__(opened)
        if opened.census is None:
            opened.census = Census(opened.settings.guard), Sameness(opened.vectors, Calibration.of)
        self._census, self._sameness = opened.census

    @verb(writes=True, command="conflicts")
    def conflicts(
        self,
        limit: int = 20,
        *,
        seconds: float = 10.0,
        progress: Callable[[int, int], None] | None = None,
    ) -> Conflicts:
        """Pairs of memories that both hold and give different values for one thing, newest first.

        limit: 0–1,000. seconds: 0–86,400, the time for comparing memories that were remembered
        since the last call; if it runs out, `.notes` of the result says so, and the rest waits for
        the next call. progress: called with how far it is. No memory is changed:
        `Conflict.proposal` names the memory to keep, and `resolve` keeps it. docs/validity.md
        says what is compared. A memory that is open `read_only` lists only pairs found before.
        """
        most = check_count("limit", limit, 0, 1000)
        check_function("progress", progress)
        until = check_range("seconds", seconds, 0, 86_400)
        return resolving.listed(self._opened, most, until, progress)

    @verb(writes=True, command="resolve")
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
            newer memory names what it replaces, and keeps the newer one; what is pinned stays.

        A memory that protects somebody is not closed for one that does not name the danger: "auto"
        passes such a pair over, and `conflicts` still lists it. With `keep`, raises
        InvalidArgumentError for that, and for two memories that do not contradict each other by the
        rules (`replace(old, by=new)` closes any), and for one that was replaced before;
        ForgottenError, UnknownNodeError.
        """
        return resolving.resolve(self._opened, *arguments.resolution(conflict, keep, policy))

    @verb(command="preferences", joins=True)
    def preferences(self, *, sessions: int = 3) -> list[Preference]:
        """What a person takes, chooses or uses again and again, the most frequent first: inferred
        preferences, seen in at least `sessions` (2–1,000) sessions.

        Computed by rules for English and Chinese from the present texts; reads the whole memory and
        stores nothing. Raises InvalidArgumentError, ArgumentTypeError.
        """
        with self._opened.reading() as view:
            return preferences(view.all_pairs(), check_count("sessions", sessions, 2, 1000))

    @verb(command="tiers", argument="session")
    def tiers(
        self,
        session: str | None = None,
        *,
        strategy: Literal["importance", "frequency"] = "importance",
        count_tokens: TokenCounter | str = "o200k",
    ) -> list[Tier]:
        """The tier of every memory, as seen from a session. L1 has the newest turns of the session,
        L2 its other turns in the order of `strategy`, L3 the rest of them and gists of other
        sessions, L4 everything else.

        The settings `tiers.l1` to `tiers.l4` are the budgets in tokens; see docs/sharing.md. A
        memory is in exactly one tier; `context` takes recent turns from L1 and names the tier of
        each part. Reads the whole memory. Raises InvalidArgumentError, ArgumentTypeError.
        """
        named = arguments.wanted("session", session)
        return prompts.tiers(self._opened, named, strategy, counter(count_tokens))

    # -- retention ----------------------------------------------------------------------------

    @verb(command="retention")
    def retention(self, node: NodeLike) -> Retention:
        """The retention R of a node by the forgetting curve, 0–1, with the terms of its formula.

        t is the number of days since the last use, or since creation if there was none; S = TTL / 3
        + 10 × uses + 50 if pinned, in days. TTL is `expires` if given, otherwise that of
        the temporality, where that is sure: 365, 30 or 1 (session); R is 1 if it is permanent. See
        docs/validity.md.

        Raises ForgottenError, UnknownNodeError, ArgumentTypeError.
        """
        identifier = self._id(node)
        with self._opened.reading() as view:
            if (record := view.record(identifier)) is None:
                raise undo.unknown(view, identifier)
            found = self._census.judged.of(view, identifier, record)
            if found is None:
                raise UnknownNodeError(
                    f"the text of node {identifier} is missing; run admin.check()"
                )
            return _retention(identifier, record, found, self._opened.now())

    @verb(command="policies")
    def policies(
        self, limit: int = 100, *, progress: Callable[[int, int], None] | None = None
    ) -> dict[str, list[int]]:
        """The nodes of each policy, up to `limit` (1–100,000) of each. Those of "automatic" would
        be forgotten without asking (base under 0.1 and 90 days without use), those of "confirm"
        after asking (base 0.1 to 0.3, 60 days; or what `clean` asks about whatever its age), those
        of "never" not at all (pinned or kept).

        This call forgets nothing. progress: called with the numbers of examined nodes and of
        all. Raises InvalidArgumentError, ArgumentTypeError.
        """
        most = check_count("limit", limit, 1, _MOST)
        check_function("progress", progress)
        found: dict[str, list[int]] = {name: [] for name in POLICIES if name != "none"}
        with self._opened.reading() as view:
            for each in self._retentions(view, progress):
                name = each.policy
                is_open = len(found["automatic"]) < most or len(found["confirm"]) < most
                if name == "automatic" and is_open and self._why_asked(view, each):
                    name = "confirm"
                if name in found and len(found[name]) < most:
                    found[name].append(each.node)
        return found

    # -- health -------------------------------------------------------------------------------

    @verb(writes=True, idempotent=True, command="status")
    def status(
        self, *, exact: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> Status:
        """Counts of nodes by kind and state, the health, the budget and the queues.

        A node is active (R ≥ 0.7), aging (≥ 0.3), stale (≥ 0.1) or for cleanup. The health, 0–100,
        is made of four parts: the share of active nodes (weight 0.3, healthy if over 0.6), of stale
        and cleanup nodes (0.2, under 0.2), the mean confidence (0.3, over 0.7), and the share of
        nodes in a conflict (0.2, under 0.05).

        First new memories are compared for conflicts as by `conflicts`, and the pairs found are
        stored; nothing else is changed. Of more than 2,000 memories whose texts were not read since
        the scope was opened, 2,000 evenly spread ones are read, and the counts are estimates;
        `.notes` says so. exact: read all, about ten thousand a second, and compare all, about two
        thousand. progress: called with how far it is.
        """
        check_function("progress", progress)
        seconds = 86_400.0 if check_switch("exact", exact) else _SECONDS
        found = resolving.listed(self._opened, _CONFLICTS, seconds, progress)
        conflicting = len({node for each in found for node in each.pair})
        notes: tuple[str, ...] = ()
        if found.notes:
            notes = ("not all memories were compared for conflicts yet",)
        realms, levels, spans, states = (Counter[str]() for _ in range(4))
        sure = 0.0
        now, known = self._opened.now(), self._census.judged
        with self._opened.reading() as view:
            nodes = view.state.nodes
            is_part = not exact and nodes - len(known) > _READ
            step = nodes // _READ + 1 if is_part else 1
            if is_part:
                notes += (f"counts are estimates of every {step}th memory; exact=True reads all",)
            walked = known.every(view, step)
            for node, record, judged in counted(walked, progress, nodes // step):
                kind = judged.kind
                realms[kind.realm] += 1
                levels[kind.level] += 1
                spans[kind.temporality] += 1
                sure += kind.confidence
                states[_retention(node, record, judged, now).state] += 1
            room, queue = _room(self._opened, view)
        total = states.total()
        confidence, times = sure / total if total else 1.0, nodes / total if is_part else 1

        def scaled(counts: Counter[str], names: Iterable[str]) -> dict[str, int]:
            return {name: round(counts[name] * times) for name in names}

        of_state = scaled(states, STATES)
        return Status(
            nodes if is_part else total,
            scaled(realms, ("personal", "project", "universal", "ephemeral")),
            scaled(levels, ("explicit", "inferred", "uncertain", "noise")),
            scaled(spans, retention.TTL_DAYS),
            of_state,
            retention.health(of_state, confidence, conflicting),
            room,
            queue,
            notes,
        )

    # -- cleaning -----------------------------------------------------------------------------

    @verb(writes=True, idempotent=True, command="candidates")
    def candidates(
        self,
        kind: Class | None = None,
        limit: int = 100,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Candidate]:
        """Up to `limit` (1–100,000) nodes that a person may want to remove, each with the reason
        and what would be lost. Nothing is changed; see `archive`, `confirm` and `Memory.forget`.

        kind: secret, expired, obsolete, conflicting, redundant, trivial or uncertain; None: all
        classes but uncertain. Each node is in the first class that applies. Pinned nodes are
        candidates only as secret, conflicting, obsolete or uncertain; nodes that protect or still
        bind somebody are never expired or trivial, and what ends or changes an older node that is
        kept is never expired or redundant. While a question and its short reply are both there,
        neither is trivial or redundant, nor expired because nobody used it. With `kind="secret"`
        the user's facts and items are searched too: `Candidate.place` names them, and `node` is 0.
        Memories that were not compared for conflicts yet are compared for up to 2 seconds; the next
        call goes on from there. The first call reads every text too, a few thousand a second.
        progress: called with how far it is.

        Raises InvalidArgumentError, ArgumentTypeError.
        """
        if kind is not None and kind not in CLASSES:
            raise InvalidArgumentError(f"kind is one of {', '.join(CLASSES)}, got {kind!r:.80}")
        most = check_count("limit", limit, 1, _MOST)
        check_function("progress", progress)
        wanted = cleaning.ORDER[:-1] if kind is None else (kind,)
        with self._opened.reading() as view:
            found = list(islice(self._candidates(view, wanted, progress), most))
        if kind == "secret":
            found += islice(self._secrets_elsewhere(), most - len(found))
        return found

    @verb(writes=True, idempotent=True, command="clean")
    def clean(
        self,
        policy: bool = True,
        limit: int = 100,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Cleaning:
        """What cleaning would do, up to `limit` nodes of each list. Nothing is changed.

        policy: True lists what the policies would forget without asking and what they would ask
        about; nodes that protect or still bind somebody, state a rule or a particular (a day,
        number or name that belongs to somebody), end an older one, or are a question and its short
        reply, are asked about. False lists all `candidates` as to be asked about.

        progress: called with how far it is. Raises InvalidArgumentError, ArgumentTypeError.
        """
        most = check_count("limit", limit, 1, _MOST)
        if not check_switch("policy", policy):
            return Cleaning((), tuple(self.candidates(limit=most, progress=progress)))
        check_function("progress", progress)
        automatic: list[Candidate] = []
        asked: list[Candidate] = []
        with self._opened.reading() as view:
            for each in self._retentions(view, progress):
                if len(automatic) >= most and len(asked) >= most:
                    break
                if each.policy not in ("automatic", "confirm"):
                    continue
                why_asked = self._why_asked(view, each)
                to = asked if why_asked or each.policy == "confirm" else automatic
                if len(to) < most:
                    why = f"base {each.base:.2f}, {each.days:.0f} days without use"
                    found = Found(each.node, "; it ".join(filter(None, (why, why_asked))))
                    to.append(self._candidate(view, each.state, found))
        return Cleaning(tuple(automatic), tuple(asked))

    @verb(writes=True, command="archive")
    def archive(self, ids: Iterable[NodeLike]) -> int:
        """Forget these nodes into the archive, from which `revive` restores them. Returns their
        number. For a node with a secret use `Memory.forget(erase=True)`.

        Raises ForgottenError or UnknownNodeError, and changes nothing, if a node is not live;
        ArgumentTypeError.
        """
        forget = self._opened.removal.forget
        return self._change(ids, lambda writer, node: forget(writer, node, "asked"))

    @verb(writes=True, idempotent=True, command="confirm")
    def confirm(self, ids: Iterable[NodeLike]) -> int:
        """Confirm these nodes: their confidence becomes 1, and the source of their kind
        "confirmed". Returns their number.

        Raises ForgottenError or UnknownNodeError, and changes nothing, if a node is not live;
        ArgumentTypeError.
        """

        def confirm(writer: GraphWriter, node: int) -> None:
            if (record := writer.view.record(node)) is not None:
                writer.put_record(node, confirmed(record))

        return self._change(ids, confirm)

    # -- inside -------------------------------------------------------------------------------

    def _retentions(self, view: View, progress: Progress | None) -> Iterator[Retention]:
        now = self._opened.now()
        walked = self._census.judged.every(view)
        for node, record, judged in counted(walked, progress, view.state.nodes):
            yield _retention(node, record, judged, now)

    def _why_asked(self, view: View, found: Retention) -> str:
        """Why a node that a policy would remove is asked about whatever its age; "": it is not."""
        record = view.record(found.node)
        bond = record and self._census.bonds.of(view, found.node, record)
        if not bond or bond.holds(moment(self._opened.now()).date().toordinal()):
            return "protects or binds"
        if bond.lasting:
            return "tells a rule or a particular"
        if is_in_exchange(view, found.node):
            return "is a question with its reply"
        return "says that another is over" if self._opened.may_be_left(found.node) else ""

    def _candidates(
        self, view: View, wanted: Sequence[Class], progress: Progress | None
    ) -> Iterator[Candidate]:
        nodes, listed = view.state.nodes, set[int]()
        total = nodes * (1 + len(wanted))
        seen = list(counted(cleaning.walk(view, self._census), progress, total))
        for place, kind in enumerate(wanted, 1):
            walked = counted(seen, progress, total, place * nodes)
            for found in self._of_class(kind, view, walked):
                if found.node not in listed and not self._leaves_older(kind, found, listed):
                    listed.add(found.node)
                    yield self._candidate(view, kind, found)

    def _leaves_older(self, kind: Class, found: Found, listed: Set[int]) -> bool:
        """Whether removing a node would leave an older one that it ends or changes, which would
        then be recalled as if it still held."""
        if kind == "expired":
            return not listed >= self._opened.may_be_left(found.node)
        return kind == "redundant" and found.other in self._opened.outdated(found.node)

    def _secrets_elsewhere(self) -> Iterator[Candidate]:
        """The secrets in facts and items."""
        opened = self._opened
        facts = (("fact", " ".join(part.n3() for part in fact)) for fact in opened.facts())
        texts = (
            (f"item {name} {item.key}", "\n".join(content.texts((item.value, item.metadata))))
            for name in opened.items.namespaces()
            for item in opened.item_store.every(name)
        )
        for place, text in chain(facts, texts):
            if kinds := self._census.secrets_in(text):
                reason = f"it holds a {', '.join(kinds)}"
                shown = _shown(self._census.masked(text))
                yield Candidate(0, "secret", reason, shown, "the whole record", place=place)

    def _of_class(self, kind: Class, view: View, seen: Iterable[Seen]) -> Iterator[Found]:
        now, census = self._opened.now(), self._census
        forms = archive.newest_first(view)
        earlier = ((form.node, form.version, form.text) for form in forms)
        finders: dict[Class, Callable[[], Iterator[Found]]] = {
            "secret": lambda: cleaning.secret(seen, census, earlier),
            "expired": lambda: cleaning.expired(view, seen, census, now),
            "obsolete": lambda: cleaning.obsolete(view, seen, now),
            "conflicting": lambda: cleaning.conflicting(
                view, resolving.listed(self._opened, _CONFLICTS, _BESIDE)
            ),
            "redundant": lambda: cleaning.redundant(
                view, seen, now, lambda kept: self._sameness.pairs(kept, view.text)
            ),
            "trivial": lambda: cleaning.trivial(view, seen),
            "uncertain": lambda: cleaning.uncertain(seen, now),
        }
        return finders[kind]()

    def _candidate(self, view: View, kind: str, found: Found) -> Candidate:
        node, reason, archived, other, sure, text_found = found
        packed = view.reader.get(view.scope.prefix(Space.TEXT) + keys.u64(node))
        text = None if packed is None else TextRecord.unpack(packed)
        if text is None:
            lost = "its forms in the archive"
        else:
            text_found = text_found or text.text or text.phrase
            lost = self._lost(view, node, text)
            if kind == "obsolete":
                lost += ", and what recall says of that time"
        shown = _shown(self._census.masked(text_found))
        return Candidate(node, kind, reason, shown, lost, archived, other, sure=sure)

    def _lost(self, view: View, node: int, text: TextRecord) -> str:
        parts = [_number(len(text.spans), "sentence") if text.spans else "its gist"]
        facts = self._opened.facts().count(terms.node_iri(node))
        for number, what in ((sum(1 for _ in view.links(node)), "link"), (facts, "fact")):
            if number:
                parts.append(_number(number, what))
        return ", ".join(parts)

    def _change(self, ids: Iterable[NodeLike], change: Callable[[GraphWriter, int], object]) -> int:
        """Change each of these nodes if all of them are there; their number."""
        if isinstance(ids, str | bytes | Mapping) or not isinstance(ids, Iterable):
            raise ArgumentTypeError(f"ids are nodes or ids in a list, got {type(ids).__name__}")
        nodes = list(dict.fromkeys(map(self._id, ids)))
        with self._opened.reading() as view:
            for node in nodes:
                # An expired node is a candidate too, until the next sweep.
                if view.record(node) is None and node not in view.expired:
                    raise undo.unknown(view, node)
        for start in range(0, len(nodes), _AT_ONCE):
            with self._opened.changing() as writer:
                for node in nodes[start : start + _AT_ONCE]:
                    change(writer, node)
        return len(nodes)


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _retention(node: int, record: NodeRecord, judged: Judged, now: int) -> Retention:
    if record.expires is not None:
        ttl: float | None = max(record.expires - judged.created, 1) / retention.DAY
    else:
        ttl = retention.TTL_DAYS[judged.lasts]
    return retention.retention(
        node,
        (now - (record.last_used or judged.created)) / retention.DAY,
        ttl=ttl,
        uses=record.uses,
        pinned=record.pinned,
        confidence=judged.kind.confidence,
        core=is_kept(record),
    )


def _number(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def _room(opened: OpenScope, view: View) -> tuple[dict[str, Any], dict[str, int]]:
    """The use of a scope's budget, and the lengths of its queues."""
    state, vectors = view.state, opened.vectors.state
    room = opened.budget.figures() | {
        "live_bytes": state.live_bytes,
        "text_bytes": state.text_bytes,
        "archive_bytes": state.archive_bytes,
    }
    return room, {
        "scored": state.queued,
        "embedded": vectors.waiting,
        "set_aside": state.dead + vectors.set_aside,
    }
