"""Review: what a person may look through, decide and clean away; `memory.review`."""

from __future__ import annotations

from typing import Literal

from graphmem.api import arguments
from graphmem.api.nouns import Noun, require_no_block
from graphmem.lifecycle.preferences import preferences
from graphmem.runtime import conflicts, prompts
from graphmem.runtime.open_scope import OpenScope
from graphmem.runtime.overview import Lifecycle
from graphmem.services.tokens import counter
from graphmem.values.conflicts import Conflict, ConflictLike, Conflicts
from graphmem.values.context import Tier
from graphmem.values.hits import NodeLike
from graphmem.values.kinds import Preference
from graphmem.values.ranges import check_count, check_range
from graphmem.values.rendering import TokenCounter
from graphmem.verbs import refuses, verb


@refuses(require_no_block)
class Review(Lifecycle, Noun):
    """What a person may look through, decide and clean away. Nothing is changed but by `resolve`,
    `archive` and `confirm`."""

    def __init__(self, opened: OpenScope) -> None:
        """Use `Memory.review`."""
        Noun.__init__(self, opened)
        Lifecycle.__init__(self, opened)

    @verb(writes=True, command="conflicts")
    def conflicts(self, limit: int = 20, *, seconds: float = 10.0) -> Conflicts:
        """Pairs of memories that both hold and give different values for one thing, newest first.

        limit: 0–1,000. seconds: 0–86,400, the time for comparing memories that were remembered
        since the last call; if it runs out, `.notes` of the result says so, and the rest waits for
        the next call. No memory is changed:
        `Conflict.proposal` names the memory to keep, and `resolve` keeps it. docs/validity.md
        says what is compared. A memory that is open `read_only` lists only pairs found before.
        """
        most = check_count("limit", limit, 0, 1000)
        return conflicts.listed(self._opened, most, check_range("seconds", seconds, 0, 86_400))

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
            newer memory names what it replaces, and keeps the newer one.

        Raises InvalidArgumentError, also for a memory that was replaced before; ForgottenError,
        UnknownNodeError.
        """
        return conflicts.resolve(self._opened, *arguments.resolution(conflict, keep, policy))

    @verb(command="preferences", joins=True)
    def preferences(self, *, sessions: int = 3) -> list[Preference]:
        """What a person takes, chooses or uses again and again, the most frequent first. These
        inferred preferences are seen in at least `sessions` (2–1,000) sessions.

        Computed by rules for English and Chinese from the present texts; reads the whole memory and
        stores nothing. Raises InvalidArgumentError, ArgumentTypeError.
        """
        with self._opened.reading() as view:
            return preferences(view.all_pairs(), check_count("sessions", sessions, 2, 1000))

    @verb(command="tiers")
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
