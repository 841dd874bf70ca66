"""Rendering: memories as lines of context, and how many tokens lines have."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache
from typing import Final, TypeAlias

from graphmem.values.moments import in_zone, zone_of
from graphmem.values.nodes import Form, Node, ScopedId
from graphmem_worker.claims.vocabulary import language_of

TokenCounter: TypeAlias = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Tokens:
    """How many tokens a text may have, and which model reads it."""

    most: int | None = None
    """0–1,073,741,824; None is no maximum."""
    by: TokenCounter | str = "o200k"
    """The model, by its name or that of its family ("o200k", "cl100k", "claude", "llama", "qwen",
    "deepseek", "gemma"), whose tokens are estimated; or a function that counts those of a str."""


LINE_TOKENS: Final = 10  # of a short memory: how many may be needed to fill a budget
_SCOPE: Final = 1 << 41  # above the ids of nodes, of which a scope has 2^40
Marks: TypeAlias = tuple[str, str, str]
_UNTIL: Final = "until {}", "至 {}", "bis {}"
_EARLIER: Final = "(earlier, no longer so)", "（旧信息，已失效）", "(früher, gilt nicht mehr)"
_FADED: Final = "(faded)", "（已淡忘）", "(verblasst)"
THEME: Final = "(theme)", "（主题）", "(Thema)"
ONCE_KNOWN: Final = (
    "(once known, forgotten: {})", "（曾经记得，已忘：{}）", "(einst gewusst, vergessen: {})"
)  # fmt: skip
PERHAPS: Final = "(perhaps related)", "（可能有关）", "(vielleicht dazu)"
ONLY: Final = (
    "(only {} tokens: the best memory needs {})", "（只有 {} 个 token：最相关的一条需要 {} 个）",
    "(nur {} Token: die beste Erinnerung braucht {})",
)  # fmt: skip
_SAID: Final = "(said {} times)", "（说过 {} 次）", "({}-mal gesagt)"
"""What lines say of memories, beside English text, beside Chinese and beside German."""
_REMARK: Final = re.compile(
    r"\s*\\*[（(]\s*(?:{})".format(
        "|".join(
            re.escape(re.split("[,，：:{)）]", mark[1:])[0].strip())
            for marks in (_FADED, _EARLIER, ONCE_KNOWN, ONLY, THEME, PERHAPS)
            for mark in marks
        )
    )
)
"""What a line of a text begins with that could be taken for a remark."""
_HAN: Final = cache(lambda: re.compile("[\u4e00-\u9fff]"))  # which takes milliseconds
_LATIN: Final = re.compile("[A-Za-z]")
_HEAD: Final = re.compile(rf"\s*\\*(?:#\d+\s*)?\[|{_REMARK.pattern}")  # MCP has ids before it
_BREAKING: Final = re.compile(
    r"[\[\]\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How memories are written as lines."""

    zone: int = 0
    """Minutes from UTC: where a memory without `happened` has its day."""
    in_order: bool = False
    """The lines stand in the order of time, not of rank, …"""
    ahead: tuple[int, ...] = ()
    """… behind the first, which tell of what is to come: by its days, which are these ordinals."""
    earlier: tuple[int, ...] = ()
    """Ids of nodes that say what was so before: their lines stand behind and say so."""
    beside: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """(id, those of the nodes that are told with it, though they may be worse)."""
    copies: tuple[tuple[int, int], ...] = ()
    """(id, how many more nodes say the same)."""
    scopes: tuple[str, ...] = ()
    """Names of the parents whose memories are among the nodes; ids here are `identity`'s."""
    limits: str = ""
    """An expression that meets what a clause begins with that limits the one before it: neither is
    told without the other."""
    sought: tuple[tuple[str, float], ...] = ()
    """(index word that is asked for, its weight): of what does not fit, that is told first which
    holds them."""
    likely: int | None = None
    """How many of the memories are told first; the others stand behind them. None: all."""


def identity(node: Node, scopes: Sequence[str]) -> int:
    """A number that no other node has, of whatever scope: the id, for one without a scope."""
    return node.id + (_SCOPE * (scopes.index(node.scope) + 1) if node.scope else 0)


def id_of(identity: int, scopes: Sequence[str]) -> int:
    """The id of the node of which `identity` is the number."""
    scope, number = divmod(identity, _SCOPE)
    return ScopedId.of(number, ("", *scopes)[scope])


def dated(node: Node, zone: int) -> datetime:
    """When a memory happened, or else began to hold or was told, `zone` minutes from UTC."""
    return node.happened or in_zone(node.valid_from or node.created, zone_of(zone))


def has_time(happened: datetime | None) -> bool:
    """Whether it was given with a time of day; a plain date means its midnight."""
    return happened is not None and bool(happened.hour or happened.minute)


def line(node: Node, layout: Layout = Layout()) -> str:
    """A node as a line of context: when, who, what.

    A gist says that the rest has faded. Of what was replaced it says until when it held. Whatever
    the node says stays within its line: further lines of it are indented, and what could be taken
    for a head or a remark has a backslash before it.
    """
    passage = Passage.of(node, layout)
    return passage.text(passage.day)


def too_small(budget: int, need: int) -> str:
    """The note on a budget into which the best memory does not fit."""
    return (
        f"the budget of {budget} tokens is too small: the best memory needs {need} to stand whole"
    )


@dataclass(slots=True, eq=False)
class Passage:
    """What a node says, taken apart once: its lines differ only in what they name of its day."""

    memory: Node
    when: datetime
    """When it happened, as of `dated`."""
    body: str
    """Of the node's text."""
    day: str
    """In ISO."""
    beside: str
    """What the head says behind the day."""
    remark: str
    """What stands before what is said, …"""
    more: str
    """… and behind it."""

    @classmethod
    def of(cls, memory: Node, layout: Layout) -> Passage:
        """What a node says."""
        said, remark, more, until = memory.text, "", "", ""
        if memory.form is Form.GIST:
            said = memory.derived or f"{memory.phrase}: {', '.join(memory.keywords)}"
            remark = f"{in_language_of(said, _FADED)} "
        known = identity(memory, layout.scopes) if layout.scopes else memory.id
        if known in layout.earlier:
            remark = f"{in_language_of(said, _EARLIER)} {remark}"
        if memory.valid_to is not None:
            until = in_language_of(said, _UNTIL).format(memory.valid_to.date())
        for identifier, copies in layout.copies:
            if identifier == known:
                more = f" {in_language_of(said, _SAID).format(copies + 1)}"
        when = dated(memory, layout.zone)
        day = when.date().isoformat()
        return cls(memory, when, said, day, _beside(memory.speaker, until), remark, more)

    def with_body(self, said: str) -> Passage:
        """The same with other words of the node."""
        return replace(self, body=said)

    def text(self, when: str | None) -> str:
        """The line; when: the day that it names."""
        mark = _mark(when, self.beside)
        body = f"{self.remark}{_within(self.body, bool(mark))}{self.more}"
        return f"{mark} {body}" if mark else body

    def need(self, count: TokenCounter) -> int:
        """The tokens of the line where it stands alone."""
        return count(f"{self.text(self.day)}\n")


def written(said: str, when: str | None, speaker: str | None) -> str:
    """What somebody said as a line that no text can forge: its head, and the text.

    when: the day that the head names, if it names one.
    """
    mark = _mark(when, _beside(speaker, ""))
    body = _within(said, bool(mark))
    return f"{mark} {body}" if mark else body


def _beside(speaker: str | None, until: str) -> str:
    """What the head of a line says behind the day."""
    name = in_one_line(speaker) if speaker else ""
    return f"{name}, {until}" if name and until else name or until


def _mark(when: str | None, beside: str) -> str:
    """The head of a line; none for one that names no day and nobody."""
    if when:
        return f"[{when}, {beside}]" if beside else f"[{when}]"
    return f"[{beside}]" if beside else ""


def remarked(said: str, *, is_over: bool) -> str:
    """What is said; of what is no longer so behind that remark. One of its own is escaped."""
    told = _within(said, is_marked=True)
    return f"{in_language_of(said, _EARLIER)} {told}" if is_over else told


def in_language_of(said: str, marks: Marks) -> str:
    """Of a mark in English, Chinese and German the one for a text: Chinese if most of it is, as a
    character says about what three letters say."""
    if 3 * len(_HAN().findall(said)) > len(_LATIN.findall(said)):
        return marks[1]
    return marks[2 if language_of(said) == "de" else 0]


def _within(said: str, is_marked: bool) -> str:
    """What is said, as it stands in its line behind a head, or without one."""
    rows = said.splitlines()
    if len(rows) == 1 and rows[0][:1].isalnum():
        return rows[0]  # it is no head, and no remark
    first, *rest = rows or [""]
    if (_REMARK if is_marked else _HEAD).match(first):
        first = f"\\{first}"
    further = (f"\\{more.lstrip()}" if _HEAD.match(more) else more for more in rest if more.strip())
    return "\n  ".join((first, *further))


@lru_cache(1 << 10)
def in_one_line(name: str) -> str:
    """A name without what would end the line or its head, or turn the direction of writing."""
    return " ".join(_BREAKING.sub(" ", name).split())
