"""A working set: the turns of an agent that are in its prompt.

A prompt cache is valid up to the first change of the prompt since the last turn. So a working set
grows only at its end. When it reaches `trigger` of its budget, it is compacted to `target` at once:
turns leave, and what is worth keeping of them stays as quotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, replace
from datetime import date, datetime
from functools import lru_cache, wraps
from itertools import groupby, pairwise, zip_longest
from sys import maxsize
from threading import RLock
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from graphmem.errors import ArgumentTypeError, GraphMemError, InvalidArgumentError
from graphmem.services.tokens import counter
from graphmem.sharing import quoting
from graphmem.sharing.content import LONGEST_KEY, check_name
from graphmem.sharing.digest import USUAL, Digest, Selection
from graphmem.sharing.quoting import quotations
from graphmem.sharing.saved_set import Fact, SavedSet, Turn
from graphmem.values.about import About
from graphmem.values.checks import (
    check_count,
    check_encodable,
    check_function,
    check_range,
    check_str,
    check_switch,
    is_blank,
)
from graphmem.values.filling import filled
from graphmem.values.items import MEMORIES
from graphmem.values.moments import MACHINE
from graphmem.values.remembered import Secret
from graphmem.values.rendering import TokenCounter, Tokens, written
from graphmem.values.where import Where

if TYPE_CHECKING:
    from graphmem.api.verbs import Verbs

_FACT_SHARE: Final = 0.42  # of the budget, for quotations
_TARGET: Final = 0.75  # of the trigger, the least default target
_GROWTH: Final = 600  # tokens between two compactions by default
_RECENT_SHARE: Final = 0.5  # of the room for turns: the newest, whatever their importance
_MOST_FACTS: Final = 4096
_LINES: Final = 4096  # messages without a day of which the tokens are cached
# Changes of a memory after which it is no longer quoted.
_WITHDRAWN: Final = ("corrected", "replaced", "forgotten", "erased")
_ROLES: Final = ("system", "user", "assistant", "tool")
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def _alone(
    method: Callable[Concatenate[WorkingSet, _Given], _Made],
) -> Callable[Concatenate[WorkingSet, _Given], _Made]:
    """A method that one thread at a time is in, and none in a transaction: while it held the
    writer's lock, it would wait for a thread that waits to write."""

    @wraps(method)
    def called(self: WorkingSet, /, *args: _Given.args, **named: _Given.kwargs) -> _Made:
        if (opened := getattr(self._memory, "_opened", None)) is not None:
            opened.store.require_no_block(f"WorkingSet.{method.__name__}")
        with self._lock:
            return method(self, *args, **named)

    return called


def _without(text: str, cut: Iterable[Secret]) -> str:
    """A text without the secrets that the guard found in it."""
    for secret in sorted(cut, key=lambda secret: -secret.start):
        if secret.where == "text":
            text = f"{text[: secret.start]}[{secret.kind}]{text[secret.end :]}"
    return text


class WorkingSet:
    """Turns in, messages out, within a number of tokens.

        working = graphmem.WorkingSet(tokens=8000)
        working.add("system", "You are a careful engineer.")
        working.add("user", "Which database do we take?")
        answer = model(working.messages)

    When the set reaches the share `trigger` of its tokens, it is compacted to the share `target`.
    The system's turns, pinned turns and the newest turns stay. Of the others those with an
    importance under `least` are removed, then the least important, of equal ones the oldest.

    One system message, the digest, has what is left of them, in up to two fifths of the
    tokens, each line with its day and speaker: turns that stay although others after them have
    left, and exact quotations of those that left about health and safety, decisions, dates,
    numbers, names and open questions. Health and safety come first, then decisions, then the rest,
    each in order of time. If a later turn gives another value, the later one is quoted; if that is
    only likely, both are quoted or neither is. Nothing is quoted that is in the prompt already, or
    whose memory was corrected, replaced, forgotten or erased.
    """

    def __init__(
        self,
        tokens: int = 8000,
        *,
        count_tokens: TokenCounter | str = "o200k",
        trigger: float = 0.97,
        target: float | None = None,
        least: float = 0.3,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """tokens: 100 or more. trigger, target: shares of it, target < trigger ≤ 1; without a
        target, 600 tokens less than the trigger, or a quarter less if that is nearer. least: the
        importance under which only the newest turns stay. clock: gives the day of a turn that
        is added without one; None: the memory's clock, or else the machine's.

        Raises InvalidArgumentError, ArgumentTypeError.
        """
        check_count("tokens", tokens, 100, maxsize)
        check_range("trigger", trigger, 0, 1)
        check_range("least", least, 0, 1)
        if target is None:
            target = max(_TARGET * trigger, trigger - _GROWTH / tokens)
        if not 0 < check_range("target", target, 0, 1) < trigger:
            raise InvalidArgumentError(f"0 < target < trigger <= 1; got {target}, {trigger}")
        check_function("clock", clock)
        self._lock = RLock()
        self.budget = tokens
        self._counter = count_tokens
        self._count = counter(count_tokens)
        self._count_line = lru_cache(_LINES)(self._count)
        self._trigger, self._target, self._least = trigger, target, least
        self._clock = clock or self._present
        self._memory: Verbs | None = None
        self._saved: SavedSet | None = None
        self._session: str | None = None
        self._turns: list[Turn] = []
        self._tail = 1  # the number from which turns are messages; earlier ones are in the digest
        self._facts: list[Fact] = []  # those of all turns that left, the oldest first
        self._shown: list[int] = []  # the places of the facts that are in the prompt
        self._judged = 0  # the number of the last turn that was compared with the facts before it
        self._followed: int | None = None  # the last change of the memory that was read
        self._next = 1
        self._rendered: str | None = None  # the digest, until it changes
        self._drafts: dict[int, list[Fact]] = {}  # the facts of the turns in the prompt, by number

    @classmethod
    def of(cls, memory: Verbs, session: str, tokens: int = 8000, **settings: Any) -> WorkingSet:
        """The working set of a session, restored as this process or another one left it.

        memory: a `Memory` or an attached one. It remembers each turn, so that turns that leave are
        stored whole, and keeps the set's state as items. settings: as for `WorkingSet`.
        """
        if not all(callable(getattr(memory, verb, None)) for verb in ("remember", "recall")):
            raise ArgumentTypeError(
                "memory is a Memory of graphmem.open or an attached one, got "
                f"{type(memory).__name__}"
            )
        check_name("session", session, LONGEST_KEY)
        found = cls(tokens, **settings)
        found._saved = SavedSet(memory.items, session)
        found._take_over()
        found._memory, found._session = memory, session
        return found

    # -- turns --------------------------------------------------------------------------------

    @_alone
    def add(
        self,
        role: str,
        content: str,
        *,
        importance: float | None = None,
        pinned: bool = False,
        source: str = "",
        speaker: str = "",
        happened: date | str | None = None,
    ) -> Turn:
        """Add a turn at the end; compacts first if the set has reached `trigger`.

        importance: 0–1, 0.5 if not given. source: where the turn is stored whole, if not in a
        memory. speaker: a name, if several speak in one role; its message then begins with day
        and speaker. happened: as in `Memory.remember`. Raises InvalidArgumentError for a turn that
        does not fit beside the system's and pinned ones, or that has a lone surrogate. If another
        set of the session took the room meanwhile, the text has been remembered.
        """
        if role not in _ROLES:
            raise InvalidArgumentError(f"a role is one of {', '.join(_ROLES)}, got {role!r:.80}")
        for name, given in (("content", content), ("speaker", speaker)):
            check_encodable(name, check_str(name, given))
        check_switch("pinned", pinned)
        counts = USUAL if importance is None else check_range("importance", importance, 0, 1)
        self._follow()
        day = self._day(happened)
        turn = self._sized(
            Turn(self._next, role, content, counts, pinned, source, 0, speaker.strip(), day)
        )
        self._require_room(turn)
        if not is_blank(content):
            turn = self._remembered(turn, importance, happened)
        self._append(turn)
        while not self._store():
            self._follow()
        return self._turns[-1]

    def _require_room(self, turn: Turn) -> None:
        fixed = sum(turn.tokens for turn in self._turns if self._is_fixed(turn))
        if fixed + turn.tokens > self.budget:
            raise InvalidArgumentError(
                f"a turn of {turn.tokens} tokens beside {fixed} that stay does not fit into "
                f"{self.budget}; shorten it, unpin some, or give the set more tokens"
            )

    def _append(self, turn: Turn) -> None:
        """Add a turn with the next number; compacts first if the set has reached `trigger`."""
        if self._turns and self.tokens + turn.tokens > self._trigger * self.budget:
            self._compact(turn.tokens)
        self._turns.append(replace(turn, number=self._next))
        self._next += 1

    def _remembered(
        self, turn: Turn, importance: float | None, happened: date | str | None
    ) -> Turn:
        """The turn, remembered and with its source, if there is a memory."""
        if self._memory is None:
            return turn
        made = self._memory.remember(
            turn.content,
            speaker=turn.speaker or turn.role,
            happened=happened,
            session=self._session,
            about=About(importance=importance),
        )
        return replace(
            turn,
            source=f"node {made[0].id}" if made else "",  # none where `ephemera` is "refuse"
            guarded=_without(turn.content, made.cut) if made.cut else "",
            segments=sum(node.id == made[0].id + place for place, node in enumerate(made)),
        )

    def _present(self) -> datetime | str:
        """Now, or today, by the memory's clock."""
        if self._memory is None:
            return datetime.now(MACHINE)
        return getattr(self._memory, "_now", None) or str(self._memory.admin.stats()["today"])

    def _day(self, happened: date | str | None) -> str:
        if happened is None:
            happened = self._clock()
        try:
            if isinstance(happened, str):
                return date.fromisoformat(happened[:10]).isoformat()
            return date(happened.year, happened.month, happened.day).isoformat()
        except (ValueError, AttributeError):
            raise InvalidArgumentError(
                f"happened is a date, a datetime or an ISO string, got {happened!r:.80}"
            ) from None

    @_alone
    def unpin(self, number: int) -> None:
        """Let a pinned turn leave like any other. Unknown numbers are ignored."""
        is_stored = False
        while not is_stored:
            self._follow()
            self._turns = [
                replace(turn, pinned=turn.pinned and turn.number != number) for turn in self._turns
            ]
            self._rendered = None
            is_stored = self._store()

    @property
    @_alone
    def messages(self) -> list[dict[str, str]]:
        """The prompt as chat messages: the system's turns, the digest, the other turns."""
        if self._follow():
            self._store()
        system = [turn.content for turn in self._turns if turn.role == "system"]
        made = [{"role": "system", "content": content} for content in system]
        if digest := self._digest():
            made.append({"role": "system", "content": digest})
        for turn, is_dated in self._dated():
            made.append({"role": turn.role, "content": _content(turn, is_dated)})
        return made

    @_alone
    def prompt(self, cue: str) -> list[dict[str, str]]:
        """The messages, with memories recalled for a cue before the last message, as many as fit
        into the budget and are not in the messages already. They are not part of later prompts and
        do not count as used. Without a memory, the messages alone.
        """
        made = self.messages
        room = self.budget - self.tokens
        if self._memory is None or not made or room <= 0:
            return made
        # The cue is most often the last turn, which would be the best match of itself.
        where = Where(without=[node for turn in self._turns for node in turn.nodes])
        within = Tokens(self.budget, self._counter)
        found = self._memory.recall(cue, tokens=within, where=where, use=False)
        prompt = self._prompt_text()
        nodes = [node for node in found.remembered if quoting.normalized(node.text) not in prompt]
        lead = quoting.recalled_heading(cue)
        _, lines = filled(nodes, room - self._count(lead + "\n"), self._count, found._layout)
        text = "\n".join((lead, *lines))
        if not lines or self._count(text + "\n") > room:
            return made
        return [*made[:-1], {"role": "system", "content": text}, made[-1]]

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns that are whole in the prompt, in the order in which they were added."""
        return tuple(self._turns)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The quotations of the turns that have left, the oldest first; at most 4,096."""
        return tuple(self._facts)

    @property
    @_alone
    def tokens(self) -> int:
        """The tokens of the messages, by the counter that was given."""
        total = sum(turn.tokens for turn in self._turns if turn.role == "system")
        if digest := self._digest():
            total += self._count(digest + "\n")
        for turn, is_dated in self._dated():
            total += turn.tokens if is_dated else self._count_line(_content(turn, False) + "\n")
        return total

    def _dated(self) -> Iterator[tuple[Turn, bool]]:
        """Turns that are messages, without the system's, and whether each begins another day."""
        last = ""
        for turn in self._turns:
            if turn.role != "system" and (turn.pinned or turn.number >= self._tail):
                yield turn, turn.day != last
                last = turn.day

    def _sized(self, turn: Turn) -> Turn:
        return replace(turn, tokens=self._count(_content(turn, True) + "\n"))

    def _prompt_text(self) -> str:
        """The turns and quotations in the prompt, `quoting.normalized`."""
        whole = (turn.content for turn in self._turns)
        quoted = (self._facts[place].quote for place in self._shown)
        return "\n".join(map(quoting.normalized, (*whole, *quoted)))

    # -- compaction ---------------------------------------------------------------------------

    @_alone
    def compact(self) -> int:
        """Compact now, even below `trigger`; returns how many turns have left."""
        while True:
            self._follow()
            left = self._compact(0)
            if self._store():
                return left

    def _follow(self) -> bool:
        """Take over what another set stored; withdraw quotations whose memory was corrected,
        replaced, forgotten or erased since the last call, and erased turns: whether any was."""
        if self._memory is None:
            return False
        self._take_over()
        changes = self._memory.history.changes(self._followed, prefix=f"{MEMORIES}/")
        self._followed = changes.last
        gone = {f"node {change.node}": change.action for change in changes}
        gone = {node: action for node, action in gone.items() if action in _WITHDRAWN}
        if changes.gap:
            sources = {turn.source for turn in self._turns} | {fact.source for fact in self._facts}
            gone |= {source: "forgotten" for source in sources if not self._is_valid(source)}
        if not gone:
            return False
        erased = {source for source, action in gone.items() if action == "erased"}
        self._turns = [
            replace(turn, outdated=turn.outdated or turn.source in gone)
            for turn in self._turns
            if turn.source not in erased
        ]
        for turn in self._turns:
            if turn.source in gone:
                self._drafts[turn.number] = []
        places = [place for place, fact in enumerate(self._facts) if fact.source not in gone]
        moved = {place: k for k, place in enumerate(places)}
        self._facts = [self._facts[place] for place in places]
        self._shown = [moved[place] for place in self._shown if place in moved]
        self._rendered = None
        return True

    def _is_valid(self, source: str) -> bool:
        """Whether the memory of a source exists and is valid; True without a memory."""
        if self._memory is None or not source.startswith("node "):
            return True
        try:
            return self._memory[int(source.removeprefix("node "))].valid_to is None
        except GraphMemError:
            return False

    def _is_fixed(self, turn: Turn) -> bool:
        return turn.pinned or turn.role == "system"

    def _compact(self, coming: int) -> int:
        """Compact to `target`, or until `coming` tokens fit; returns how many turns left."""
        goal = min(int(self._target * self.budget), self.budget - coming)
        self._judge()
        fixed = sum(turn.tokens for turn in self._turns if self._is_fixed(turn))
        left = goal - fixed - (heads := max(map(self._count, quoting.headings())))
        loose = [turn for turn in self._turns if not self._is_fixed(turn)]
        known = self._facts
        room = max(0, min(int(_FACT_SHARE * self.budget), left // 2))
        kept = self._chosen(loose, left - room)
        used = self._arrange(loose, kept, known, goal, room)
        # The room that quotations do not use is for turns; so is that of the titles if there are no
        # quotations.
        used -= 0 if self._digest() else heads
        if len(more := self._chosen(loose, left - used)) > len(kept):
            kept = more
            self._arrange(loose, kept, known, goal, room)
        while self.tokens > goal and (whole := self._whole()):
            # The lines may have more tokens together than one by one.
            kept.discard(min(whole, key=lambda turn: (turn.importance, turn.number)).number)
            self._arrange(loose, kept, known, goal, room)
        remaining = {turn.number for turn in self._turns}
        self._drafts = {n: facts for n, facts in self._drafts.items() if n in remaining}
        return len(loose) - len(kept)

    def _judge(self) -> None:
        """Extract the facts of new turns and mark the facts that they outdate."""
        new = {turn.number for turn in self._turns}.difference(self._drafts)
        self._drafts = {
            turn.number: self._extracted(turn) if turn.number in new else self._drafts[turn.number]
            for turn in self._turns
        }
        self._quote_referents(new)
        drafts = [fact for facts in self._drafts.values() for fact in facts]
        known = [*self._facts, *drafts]
        statements = [quoting.statement(fact.quote, fact.speaker) for fact in known]
        judge = quoting.Judge(statements, [fact.day for fact in known])
        left = len(self._facts)
        by_turn = groupby(known, key=lambda fact: fact.turn)
        parts = [part for _, facts in by_turn for part, _ in enumerate(facts)]
        answers = self._answers()
        for place in range(left, len(known)):
            newer = known[place]
            if newer.turn in answers:
                continue  # an answer gives no new value
            refers_back = quoting.refers_back(newer.quote)  # to something of the same day
            for older in judge.may_be_outdated_by(place):
                fact = known[older]
                # Pairs that were compared before are skipped.
                since = fact.turn if fact.turn in new else max(fact.turn, self._judged)
                if newer.turn <= since or (refers_back and newer.day != fact.day):
                    continue
                is_outdated = judge.is_outdated(older, place)
                if is_outdated or (
                    not fact.outdated
                    and (
                        judge.may_be_outdated(older, place)
                        or (not fact.newer and judge.is_followed_by(older, place))
                    )
                ):
                    known[older] = replace(
                        fact, outdated=is_outdated, newer=newer.turn, part=parts[place]
                    )
        self._facts, drafts = known[:left], known[left:]
        for place, turn in enumerate(self._turns):
            count = len(self._drafts[turn.number])
            facts, drafts = drafts[:count], drafts[count:]
            self._drafts[turn.number] = facts
            if facts and 2 * sum(fact.outdated for fact in facts) >= len(facts):
                self._turns[place] = replace(turn, outdated=True)
        self._judged = max((turn.number for turn in self._turns), default=self._judged)

    def _quote_referents(self, new: Set[int]) -> None:
        """If a new turn is protective without naming the person, quote the last turn of its speaker
        before it, unless something of that is quoted already."""
        last: dict[tuple[str, str], Turn] = {}
        for turn in self._turns:
            key = turn.speaker or turn.role, turn.day
            before, facts = last.get(key), self._drafts[turn.number]
            if (
                before is not None
                and turn.number in new
                and facts
                and quoting.has_unnamed_person(facts[0].kind, facts[0].quote)
                and not (before.outdated or self._drafts[before.number])
            ):
                self._drafts[before.number] = self._facts_of(
                    before, [(quoting.STATEMENT, quoting.closing(before.guarded or before.content))]
                )
            last[key] = turn

    def _answers(self) -> set[int]:
        """The numbers of the assistant's turns after a question, which repeat what is known."""
        return {
            turn.number
            for before, turn in pairwise(self._turns)
            if turn.role == "assistant"
            and before.role == "user"
            and any(fact.kind == "question" for fact in self._drafts.get(before.number, ()))
        }

    def _chosen(self, loose: Sequence[Turn], room: int) -> set[int]:
        """The numbers of the turns that stay, within `room` tokens."""
        kept: set[int] = set()
        places = {turn.number: place for place, turn in enumerate(loose)}
        recent = room * _RECENT_SHARE
        edge = len(loose)  # from which all stay, as messages; those before are lines of the digest
        while edge and loose[edge - 1].tokens <= min(recent, room):
            edge -= 1
            recent -= loose[edge].tokens
            room -= loose[edge].tokens
            kept.add(loose[edge].number)
        for turn in sorted(loose[:edge], key=lambda turn: (-turn.importance, -turn.number)):
            if turn.number in kept or turn.importance < self._least or turn.outdated:
                continue
            pair = [turn]
            if turn.role == "assistant" and turn.number - 1 not in kept:
                if turn.number - 1 not in places:
                    continue  # an answer without its question would mislead
                pair.append(loose[places[turn.number - 1]])
            is_next = places[turn.number] == edge - 1
            cost = sum(one.tokens if is_next else self._line_tokens(one) for one in pair)
            if cost <= room:
                room -= cost
                kept.update(one.number for one in pair)
                while edge and loose[edge - 1].number in kept:
                    edge -= 1
        if 0 < edge < len(loose) - 1 and loose[edge].role == "assistant":
            question = loose[edge - 1]
            if question.number == loose[edge].number - 1 and question.role == "user":
                kept.discard(loose[edge].number)
        return kept

    def _line_tokens(self, turn: Turn) -> int:
        line = written(turn.content, turn.day, turn.speaker or turn.role)
        return self._count(line + "\n")

    def _extracted(self, turn: Turn) -> list[Fact]:
        if turn.role == "system":
            return []
        return self._facts_of(turn, quotations(turn.guarded or turn.content))

    def _facts_of(self, turn: Turn, quoted: Iterable[tuple[str, str]]) -> list[Fact]:
        return [
            Fact(
                kind, quote, turn.number, turn.source, turn.importance,
                turn.speaker or turn.role, turn.day,
                over=quoting.last_useful_day(quote, turn.day, turn.speaker or turn.role),
                segments=turn.segments,
            )
            for kind, quote in quoted
            # A quote with a secret cut out is worthless, unless it is protective.
            if quote and (quote in turn.content or quoting.surely_protects(quote))
        ]  # fmt: skip

    def _arrange(
        self, loose: Sequence[Turn], kept: set[int], known: Sequence[Fact], goal: int, room: int
    ) -> int:
        """Keep the loose turns in `kept`, and as many facts as fit into `room` and `goal` tokens;
        returns how many tokens the facts take."""
        stay = [turn for turn in self._turns if self._is_fixed(turn)]
        stay += [turn for turn in loose if turn.number in kept]
        self._turns = sorted(stay, key=lambda turn: turn.number)
        self._tail = self._next
        for turn in reversed(loose):
            if turn.number not in kept:
                break
            self._tail = turn.number
        facts = list(known)
        for turn, behind in zip_longest(loose, loose[1:]):
            if turn.number not in kept:
                is_asked = turn.role == "user" and behind is not None
                answered = is_asked and behind.role == "assistant"
                facts += [
                    replace(fact, answered=answered and fact.kind == "question")
                    for fact in self._drafts[turn.number]
                ]
        self._facts, self._shown, self._rendered = facts[-_MOST_FACTS:], [], None
        before = self.tokens
        without_facts = self._count(digest + "\n") if (digest := self._digest()) else 0
        selection = Selection(
            Digest(self._facts), self._whole(), self._prompt_text(), self._count, self._least,
            self._next, max((turn.day for turn in self._turns), default=""),
        )  # fmt: skip
        self._shown = selection.fitting(without_facts + min(goal - before, room))
        self._rendered = None
        return self.tokens - before

    def _whole(self) -> list[Turn]:
        """The turns that are whole in the digest."""
        return [t for t in self._turns if not self._is_fixed(t) and t.number < self._tail]

    def _digest(self) -> str:
        """The message for turns that are no longer messages; "" if there are none."""
        if self._rendered is None:
            empty = not self._shown and not self._whole()
            self._rendered = "" if empty else Digest(self._facts).text(self._whole(), self._shown)
        return self._rendered

    # -- across restarts ----------------------------------------------------------------------

    @_alone
    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs, as plain values."""
        return {
            **self._head(),
            "turns": [*map(asdict, self._turns)],
            "facts": [*map(asdict, self._facts)],
        }

    def _head(self) -> dict[str, Any]:
        return {
            "next": self._next,
            "tail": self._tail,
            "judged": self._judged,
            "followed": self._followed,
            "shown": list(self._shown),
        }

    @_alone
    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from the `state()` of another set. Raises InvalidArgumentError."""
        try:
            facts = [Fact(**fact) for fact in state["facts"]]
            turns = [self._sized(Turn(**turn)) for turn in state["turns"]]
            shown = [range(len(facts))[place] for place in state["shown"]]
            following = int(state["next"])
            tail, judged = int(state.get("tail", 1)), int(state.get("judged", 0))
            followed = state.get("followed")
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise InvalidArgumentError(
                f"this is not the state of a working set: {error!r:.200}"
            ) from None
        self._turns, self._facts, self._shown, self._next = turns, facts, shown, following
        self._tail, self._judged, self._followed = tail, judged, followed
        self._rendered, self._drafts = None, {}

    def _take_over(self) -> None:
        """Continue from what another set of the session has stored since the last call, with the
        turns of this one that are not stored behind it. Raises InvalidArgumentError, and goes on
        without the turn, if there is no room for it any more."""
        if self._saved is None or (state := self._saved.load()) is None:
            return
        own = self._turns
        self.restore(state)
        for turn in self._saved.loaded(self._turns, self._facts, own):
            self._require_room(turn)
            self._append(turn)

    def _store(self) -> bool:
        """Store the set; False if another one has stored since `_take_over`."""
        return self._saved is None or self._saved.save(self._head(), self._turns, self._facts)

    def __repr__(self) -> str:
        return (
            f"<WorkingSet: {len(self._turns)} turns and {len(self._shown)} quotations, "
            f"of {self.budget} tokens>"
        )


def _content(turn: Turn, is_dated: bool) -> str:
    """The content of the message of a turn."""
    if not turn.speaker or turn.role == "system":
        return turn.content
    return written(turn.content, turn.day if is_dated else None, turn.speaker)
