"""A working set: the turns of an agent that stand in its prompt.

A prompt cache keeps the part of a prompt that has not changed since the last turn, up to the first
change. So a working set grows at its end only. When it has reached `trigger` of its budget it is
compacted to `target` at once: turns leave, and what is worth keeping of them stays as quotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import sqrt
from typing import Any, Final, Protocol, TypeAlias

from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.services.tokens import counter
from graphmem.sharing.items import Items
from graphmem.values.nodes import Node
from graphmem.values.rendering import TokenCounter
from graphmem_worker.facts import facts
from graphmem_worker.text.salience import parts as salience_parts
from graphmem_worker.text.sentences import sentences

Extract: TypeAlias = Callable[[str], Iterable[tuple[str, str]]]
"""Text → (kind, exact quotation) of each fact in it, such as ("decision", "we take LevelDB")."""

NAMESPACE: Final = "graphmem:working-set"
"""Where the states of working sets are, by session."""

_FACT_SHARE: Final = 0.25  # of the budget, for the quotations of what has left
_FRESH_SHARE: Final = 0.5  # of the target, for the newest turns whatever their importance
_LONGEST_FACT: Final = 240  # characters
_MOST_FACTS: Final = 4096
_ROLES: Final = ("system", "user", "assistant", "tool")
_KINDS: Final = ("decision", "reason", "question", "preference", "date", "number", "name", "self")
_LEAD: Final = "What was said earlier, in exact quotations:"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the prompt."""

    number: int  # from 1
    role: str  # system, user, assistant or tool
    content: str
    importance: float  # 0–1
    pinned: bool
    source: str  # what has it whole, such as "node 12"; "" for nothing
    tokens: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A quotation of a turn that has left."""

    kind: str
    quote: str  # exactly as it stands in the turn
    turn: int
    source: str
    importance: float


def _by_turn(facts: Iterable[Fact]) -> list[Fact]:
    return sorted(facts, key=lambda fact: fact.turn)


def quotations(text: str) -> list[tuple[str, str]]:
    """The sentences of a text that say something worth keeping, as they stand there: what was
    decided, why, open questions, numbers, names, and preferences or dates without these."""
    found: list[tuple[str, str]] = []
    start = 0
    known = facts(text)
    for sentence in sentences(text):
        end = start + len(sentence)
        kinds = {fact.kind for fact in known if start <= fact.start < end}
        start = end
        quote = sentence.strip()
        if not quote or len(quote) > _LONGEST_FACT:
            continue
        parts = salience_parts(quote)
        if parts.get("greeting") or parts.get("chatter"):
            continue
        kind = next((kind for kind in _KINDS if kind in kinds or parts.get(kind)), None)
        if kind is not None:
            found.append((kind, quote))
    return found


@lru_cache(_MOST_FACTS)
def _density(quote: str) -> float:
    """What a quotation is worth for its length, as in `docs/memory.md`."""
    return sum(salience_parts(quote).values()) / sqrt(len(quote))


class Host(Protocol):
    """What a working set needs of a memory."""

    def remember(
        self,
        text: str,
        *,
        speaker: str | None = None,
        session: str | None = None,
        importance: float | None = None,
    ) -> Sequence[Node]: ...

    @property
    def items(self) -> Items: ...


class WorkingSet:
    """Turns in, messages out, within a number of tokens.

        working = graphmem.WorkingSet(tokens=8000)
        working.add("system", "You are a careful engineer.")
        working.add("user", "Which database do we take?")
        answer = model(working.messages)

    The system's turns, pinned turns and the newest turns stay as they are. Compaction takes out
    the least important of the others first, those under `least` in any case, the oldest of equal
    ones first; what they say of decisions, dates, numbers, names and open questions stays as
    exact quotations with their source, up to a quarter of the budget.
    """

    def __init__(
        self,
        tokens: int = 8000,
        *,
        count_tokens: TokenCounter | str = "o200k",
        trigger: float = 0.8,
        target: float = 0.6,
        least: float = 0.3,
        extract: Extract = quotations,
        remember: Callable[[str, str, float | None], str] | None = None,
        save: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        """tokens: 100 or more. trigger, target: shares of it, target < trigger ≤ 1. least: the
        importance under which nothing survives a compaction. extract: what takes facts out of a
        turn that leaves. remember: is given the role, content and importance (None: not said) of
        each new turn, returns its source. save: is given `state()` after each change.

        Raises InvalidArgumentError, ArgumentTypeError.
        """
        if isinstance(tokens, bool) or not isinstance(tokens, int):
            raise ArgumentTypeError(f"tokens is a whole number, got {type(tokens).__name__}")
        if tokens < 100 or not 0 < target < trigger <= 1 or not 0 <= least <= 1:
            raise InvalidArgumentError(
                "a working set has 100 tokens or more, 0 < target < trigger <= 1, and least "
                f"between 0 and 1; got {tokens}, {target}, {trigger}, {least}"
            )
        self.budget = tokens
        self._count = counter(count_tokens)
        self._trigger, self._target, self._least = trigger, target, least
        self._extract = extract
        self._remember = remember
        self._save = save
        self._turns: list[Turn] = []
        self._facts: list[Fact] = []  # all of what has left, the oldest first
        self._shown: list[Fact] = []  # those that stand in the prompt
        self._next = 1

    @classmethod
    def of(cls, memory: Host, session: str, tokens: int = 8000, **settings: Any) -> WorkingSet:
        """The working set of a session, as it was left, in this process or another one.

        memory: a `Memory` or an attached one. It remembers each turn, so that the whole of what
        leaves stays, and keeps the set's state as an item. settings: as for `WorkingSet`.
        """

        def remember(role: str, content: str, importance: float | None) -> str:
            first = memory.remember(content, speaker=role, session=session, importance=importance)[
                0
            ]
            return f"node {first.id}"

        def save(state: dict[str, Any]) -> None:
            memory.items.put(NAMESPACE, session, state)

        found = cls(tokens, remember=remember, save=save, **settings)
        if (kept := memory.items.get(NAMESPACE, session)) is not None:
            found.restore(kept.value)
        return found

    # -- turns --------------------------------------------------------------------------------

    def add(
        self,
        role: str,
        content: str,
        *,
        importance: float | None = None,
        pinned: bool = False,
        source: str = "",
    ) -> Turn:
        """Add a turn at the end; compacts first if the set has reached `trigger`.

        importance: 0–1, 0.5 if it is not said. source: what has the turn whole, if `remember` does
        not say it. Raises InvalidArgumentError for a turn that cannot stand beside the system's
        and pinned ones.
        """
        if role not in _ROLES:
            raise InvalidArgumentError(f"a role is one of {', '.join(_ROLES)}, got {role!r:.80}")
        given: object = content
        if not isinstance(given, str):
            raise ArgumentTypeError(f"content is a str, got {type(given).__name__}")
        counts = 0.5 if importance is None else importance
        if not 0 <= counts <= 1:
            raise InvalidArgumentError(f"importance is between 0 and 1, got {importance!r}")
        tokens = self._count(content + "\n")
        fixed = sum(turn.tokens for turn in self._turns if self._stays(turn))
        if fixed + tokens > self.budget:
            raise InvalidArgumentError(
                f"a turn of {tokens} tokens beside {fixed} that stay does not fit into "
                f"{self.budget}; shorten it, unpin some, or give the set more tokens"
            )
        if self._remember is not None and content.strip():
            source = self._remember(role, content, importance)
        turn = Turn(self._next, role, content, counts, pinned, source, tokens)
        if self._turns and self.tokens + tokens > self._trigger * self.budget:
            self._compact(tokens)
        self._next += 1
        self._turns.append(turn)
        self._stored()
        return turn

    def unpin(self, number: int) -> None:
        """Let a pinned turn leave like any other. Unknown numbers are passed over."""
        self._turns = [
            Turn(**{**asdict(turn), "pinned": False}) if turn.number == number else turn
            for turn in self._turns
        ]
        self._stored()

    @property
    def messages(self) -> list[dict[str, str]]:
        """The prompt as chat models take it: the system's turns, the quotations, the others."""
        first = [turn for turn in self._turns if turn.role == "system"]
        rest = [turn for turn in self._turns if turn.role != "system"]
        said = [{"role": turn.role, "content": turn.content} for turn in first]
        if self._shown:
            said.append({"role": "system", "content": self._digest(self._shown)})
        return said + [{"role": turn.role, "content": turn.content} for turn in rest]

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns that stand in the prompt, in the order in which they came."""
        return tuple(self._turns)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What has been taken out of the turns that have left, the oldest first; 4,096 at most."""
        return tuple(self._facts)

    @property
    def tokens(self) -> int:
        """The tokens of the messages, as they are counted."""
        digest = self._count(self._digest(self._shown) + "\n") if self._shown else 0
        return digest + sum(turn.tokens for turn in self._turns)

    # -- compaction ---------------------------------------------------------------------------

    def compact(self) -> int:
        """Compact now, whatever is in the set; returns how many turns have left."""
        left = self._compact(0)
        self._stored()
        return left

    def _stays(self, turn: Turn) -> bool:
        return turn.pinned or turn.role == "system"

    def _compact(self, coming: int) -> int:
        """Bring the set to `target`, and so far that `coming` tokens fit into the budget."""
        goal = min(int(self._target * self.budget), self.budget - coming)
        fixed = [turn for turn in self._turns if self._stays(turn)]
        left = goal - sum(turn.tokens for turn in fixed)
        loose = [turn for turn in self._turns if not self._stays(turn)]
        known = self._facts
        room = max(0, min(int(_FACT_SHARE * self.budget), left // 2))
        kept = self._chosen(loose, left - room)
        gone = [turn for turn in loose if turn.number not in kept]
        self._facts = [*known, *(fact for turn in gone for fact in self._taken(turn))][
            -_MOST_FACTS:
        ]
        self._shown = self._fitting(room)
        used = self._count(self._digest(self._shown) + "\n") if self._shown else 0
        # What the quotations leave of their room holds turns.
        if len(more := self._chosen(loose, left - used)) > len(kept):
            kept = more
            self._facts = [fact for fact in self._facts if fact.turn not in kept]
            self._shown = self._fitting(used)
        self._turns = [t for t in self._turns if self._stays(t) or t.number in kept]
        return len(loose) - len(kept)

    def _chosen(self, loose: Sequence[Turn], room: int) -> set[int]:
        """The numbers of the turns that stay in `room` tokens."""
        kept: set[int] = set()
        fresh = room * _FRESH_SHARE
        for turn in reversed(loose):  # the newest, without a gap
            if turn.tokens > min(fresh, room):
                break
            fresh -= turn.tokens
            room -= turn.tokens
            kept.add(turn.number)
        others = {turn.number: turn for turn in loose if turn.number not in kept}
        for turn in sorted(others.values(), key=lambda turn: (-turn.importance, -turn.number)):
            if turn.number in kept or turn.importance < self._least:
                continue
            pair = [turn]
            if turn.role == "assistant" and (turn.number - 1) not in kept:
                asked = others.get(turn.number - 1)
                if asked is None:
                    continue  # an answer alone says nothing, or something else
                pair.append(asked)
            if (tokens := sum(one.tokens for one in pair)) <= room:
                room -= tokens
                kept.update(one.number for one in pair)
        return kept

    def _taken(self, turn: Turn) -> list[Fact]:
        return [
            Fact(kind, quote, turn.number, turn.source, turn.importance)
            for kind, quote in self._extract(turn.content)
            if quote and quote in turn.content
        ]

    def _fitting(self, room: int) -> list[Fact]:
        """The facts that fit into `room` tokens: the most important, and of these those that say
        most for their length."""
        whole = room
        room -= self._count(_LEAD + "\n")
        chosen: list[Fact] = []
        seen: set[str] = set()
        for fact in sorted(self._facts, key=lambda fact: (-fact.importance, -_density(fact.quote))):
            cost = self._count(self._line(fact) + "\n")
            if fact.quote not in seen and cost <= room and fact.importance >= self._least:
                seen.add(fact.quote)
                room -= cost
                chosen.append(fact)
        # Lines together may have a token more than one by one.
        while self._count(self._digest(shown := _by_turn(chosen)) + "\n") > whole and chosen:
            chosen.pop()
        return shown

    def _line(self, fact: Fact) -> str:
        source = f", {fact.source}" if fact.source else ""
        quote = " ".join(fact.quote.split("\n"))
        return f"- {fact.kind} (turn {fact.turn}{source}): {quote}"

    def _digest(self, facts: Sequence[Fact]) -> str:
        return "\n".join([_LEAD, *map(self._line, facts)])

    # -- across restarts ----------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs, as plain values."""
        return {
            "next": self._next,
            "turns": [asdict(turn) for turn in self._turns],
            "facts": [asdict(fact) for fact in self._facts],
            "shown": [self._facts.index(fact) for fact in self._shown],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where the set was that gave the `state()`. Raises InvalidArgumentError."""
        try:
            facts = [Fact(**fact) for fact in state["facts"]]
            turns = [
                Turn(**{**turn, "tokens": self._count(turn["content"] + "\n")})
                for turn in state["turns"]
            ]
            shown, following = [facts[place] for place in state["shown"]], int(state["next"])
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise InvalidArgumentError(
                f"this is not the state of a working set: {error!r}"
            ) from None
        self._turns, self._facts, self._shown, self._next = turns, facts, shown, following

    def _stored(self) -> None:
        if self._save is not None:
            self._save(self.state())

    def __repr__(self) -> str:
        return (
            f"<WorkingSet: {len(self._turns)} turns and {len(self._shown)} quotations, "
            f"{self.tokens} of {self.budget} tokens>"
        )
