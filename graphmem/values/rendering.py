"""Rendering: memories as lines of context, and how many tokens lines have."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache
from typing import Final, TypeAlias

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
_SCOPE: Final = 1 << 41  # above all ids of nodes, of which a scope has 2^40
Marks: TypeAlias = tuple[str, str, str]
_UNTIL: Final = "until {}", "至 {}", "bis {}"
_EARLIER: Final = "(earlier, no longer so)", "（旧信息，已失效）", "(früher, gilt nicht mehr)"
_FADED: Final = "(faded)", "（已淡忘）", "(verblasst)"
THEME: Final = "(theme)", "（主题）", "(Thema)"
ONCE_KNOWN: Final = (
    "(once known, forgotten: {})", "（曾经记得，已忘：{}）", "(einst gewusst, vergessen: {})"
)  # fmt: skip
RELATED: Final = "(perhaps related)", "（可能有关）", "(vielleicht dazu)"
ONLY: Final = (
    "(only {} tokens: the best memory needs {})", "（只有 {} 个 token：最相关的一条需要 {} 个）",
    "(nur {} Token: die beste Erinnerung braucht {})",
)  # fmt: skip
_REPEATED: Final = "(said {} times)", "（说过 {} 次）", "({}-mal gesagt)"
"""Remarks in lines of memories, for English, Chinese and German text."""
_REMARK: Final = re.compile(
    r"\s*\\*[（(]\s*(?:{})".format(
        "|".join(
            re.escape(re.split("[,，：:{)）]", mark[1:])[0].strip())
            for marks in (_FADED, _EARLIER, ONCE_KNOWN, ONLY, THEME, RELATED)
            for mark in marks
        )
    )
)
"""The beginning of a line of text that could be mistaken for a remark."""
_HAN: Final = cache(lambda: re.compile("[\u4e00-\u9fff]"))  # compiling takes milliseconds
_LATIN: Final = re.compile("[A-Za-z]")
_HEAD: Final = re.compile(rf"\s*\\*(?:#\d+\s*)?\[|{_REMARK.pattern}")  # MCP has ids before it
_BREAKING: Final = re.compile(
    r"[\[\]\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How memories are written as lines."""

    in_order: bool = False
    """The lines are in order of time, not of rank, …"""
    ahead: tuple[int, ...] = ()
    """… except the first, on future events, which are in order of their days, these ordinals."""
    earlier: tuple[int, ...] = ()
    """Ids of outdated nodes: their lines stand last, with a remark."""
    beside: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """(id, ids of its companions, which are shown with it though they may score less)."""
    copies: tuple[tuple[int, int], ...] = ()
    """(id, number of its duplicates)."""
    scopes: tuple[str, ...] = ()
    """Names of the parents of which nodes are included; ids here are those of `identity`."""
    limits: str = ""
    """A regular expression for the start of a clause without which the one before it misleads."""
    sought: tuple[tuple[str, float], ...] = ()
    """(index word of the cue, weight): a memory that does not fit is cut to the part richest in
    these."""
    likely: int | None = None
    """How many of the memories stand first; the others follow them. None: all."""


def identity(node: Node, scopes: Sequence[str]) -> int:
    """A number that is unique among nodes of all scopes; the id of a node without a scope."""
    return node.id + (_SCOPE * (scopes.index(node.scope) + 1) if node.scope else 0)


def id_of(identity: int, scopes: Sequence[str]) -> int:
    """The id of the node with this `identity`."""
    scope, number = divmod(identity, _SCOPE)
    return ScopedId.of(number, ("", *scopes)[scope])


def dated(node: Node) -> datetime:
    """When a memory happened, or else became valid or was remembered."""
    return node.happened or node.valid_from or node.created


def has_time(happened: datetime | None) -> bool:
    """Whether it has a time of day; a plain date has midnight."""
    return happened is not None and bool(happened.hour or happened.minute)


def line(node: Node, layout: Layout = Layout()) -> str:
    """A node as a line of context: when, who, what.

    A gist has a remark that the rest has faded; a superseded node names the day until which it was
    valid. A text cannot forge other lines: its further lines are indented, and what could be
    mistaken for a head or a remark is escaped with a backslash.
    """
    passage = Passage.of(node, layout)
    return passage.text(passage.day)


def too_small(budget: int, need: int) -> str:
    """The note that the best memory does not fit into the budget."""
    return (
        f"the budget of {budget} tokens is too small: the best memory needs {need} to stand whole"
    )


@dataclass(slots=True, eq=False)
class Passage:
    """The parts of a node's line, prepared once; only the date in its head depends on its place."""

    memory: Node
    when: datetime
    """As of `dated`."""
    body: str
    """The node's text, or a part of it."""
    day: str
    """Of `when`, in ISO."""
    beside: str
    """The rest of the head, behind the date."""
    remark: str
    """The remark before the body, …"""
    more: str
    """… and the one behind it."""

    @classmethod
    def of(cls, memory: Node, layout: Layout) -> Passage:
        body, remark, more, until = memory.text, "", "", ""
        if memory.form is Form.GIST:
            body = memory.derived or f"{memory.phrase}: {', '.join(memory.keywords)}"
            remark = f"{in_language_of(body, _FADED)} "
        known = identity(memory, layout.scopes) if layout.scopes else memory.id
        if known in layout.earlier:
            remark = f"{in_language_of(body, _EARLIER)} {remark}"
        if memory.valid_to is not None:
            until = in_language_of(body, _UNTIL).format(memory.valid_to.date())
        for identifier, copies in layout.copies:
            if identifier == known:
                more = f" {in_language_of(body, _REPEATED).format(copies + 1)}"
        when = dated(memory)
        day = when.date().isoformat()
        return cls(memory, when, body, day, _beside(memory.speaker, until), remark, more)

    def with_body(self, body: str) -> Passage:
        """The same passage with another part of the node's text."""
        return replace(self, body=body)

    def text(self, when: str | None) -> str:
        """The line. when: the date in its head; None: none."""
        return _line(_mark(when, self.beside), self.body, self.remark, self.more)

    def need(self, count: TokenCounter) -> int:
        """The tokens of the line on its own, with its day and its line end."""
        return count(f"{self.text(self.day)}\n")


def written(text: str, when: str | None, speaker: str | None) -> str:
    """A text as a line with a head that names `when` and `speaker`, as far as given; see `line`."""
    return _line(_mark(when, _beside(speaker, "")), text)


def _beside(speaker: str | None, until: str) -> str:
    """The part of a line's head behind the date."""
    return ", ".join(filter(None, (in_one_line(speaker or ""), until)))


def _mark(when: str | None, beside: str) -> str:
    """The head of a line; "" without a date and a speaker."""
    head = ", ".join(filter(None, (when, beside)))
    return f"[{head}]" if head else ""


def _line(mark: str, text: str, remark: str = "", more: str = "") -> str:
    body = f"{remark}{_within(text, bool(mark))}{more}"
    return f"{mark} {body}" if mark else body


def remarked(text: str, *, is_over: bool) -> str:
    """A text with its own remarks escaped; if `is_over`, behind a remark that it is outdated."""
    escaped = _within(text, is_marked=True)
    return f"{in_language_of(text, _EARLIER)} {escaped}" if is_over else escaped


def in_language_of(text: str, marks: Marks) -> str:
    """The English, Chinese or German one of `marks`, by the language of a text: Chinese if it is
    mostly Chinese, where a character counts as three letters."""
    if 3 * len(_HAN().findall(text)) > len(_LATIN.findall(text)):
        return marks[1]
    return marks[2 if language_of(text) == "de" else 0]


def _within(text: str, is_marked: bool) -> str:
    """A text escaped for its line. is_marked: whether a head stands before it."""
    rows = text.splitlines()
    if len(rows) == 1 and rows[0][:1].isalnum():
        return rows[0]  # neither a head nor a remark
    first, *rest = rows or [""]
    if (_REMARK if is_marked else _HEAD).match(first):
        first = f"\\{first}"
    further = (f"\\{more.lstrip()}" if _HEAD.match(more) else more for more in rest if more.strip())
    return "\n  ".join((first, *further))


@lru_cache(1 << 10)
def in_one_line(name: str) -> str:
    """A name without characters that end the line or its head, or change the writing direction."""
    return " ".join(_BREAKING.sub(" ", name).split())
