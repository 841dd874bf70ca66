"""Public records of a node: live, in an earlier form, or forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any

from graphmem.values.html import Shown
from graphmem.values.kinds import JUDGES, Kind
from graphmem.values.metadata import Scalar


class Form(IntEnum):
    """How much of a memory is left."""

    WHOLE = 0
    SHORTER = 1
    GIST = 2  # phrase and keywords only

    def __str__(self) -> str:
        return self.name.lower()


class ScopedId(int):
    """The id of a parent's node, with the name of its scope. As text or JSON it is a plain number,
    which means a node of the scope that is asked."""

    scope = ""

    @classmethod
    def of(cls, number: int, scope: str) -> int:
        """The id with its scope; the number itself if `scope` is ""."""
        if not scope:
            return number
        made = cls(number)
        made.scope = scope
        return made


@dataclass(frozen=True, slots=True)
class Node(Shown):
    """A memory as it was when it was read. Its times are in the clock's zone, except `happened`.

    id: its number, unique within the scope; that of a parent's node is a `ScopedId`.
    text: what is left of it; "" once only the gist is left.
    phrase, keywords: its gist.
    sentences: the sentences that are left.
    form: how much is left; kept: the share of the original characters, 0–1.
    version: which form of the node this is; see `Memory.history`.
    speaker, session, metadata: as they were given.
    happened: as it was given, with its offset; None if it was not given.
    created: when it was remembered.
    uses, last_used: how often, and when last, it was reported or counted as used.
    pinned: it is never shortened or forgotten.
    importance: 0–1, as it was given; `Memory.graph.importance` computes another one from the links.
    valid_from, valid_to: from when, and up to when, it is valid; None for `valid_to`: it still is.
    expires: from when it is hidden and the next sweep forgets it; None: never.
    cut: the kinds of the secrets that were cut out of it.
    derived: what a model wrote beside it (setting `may_write`), "" if nothing.
    stated: the given parts of its kind, packed; 0 for none. Use `kind`.
    shared: scopes that have this one as a parent may recall it.
    scope: the name of the parent scope from which it was recalled; "" if it is this scope's own.
    missing: of a node that `revive` returns, what could not be restored, in words.
    """

    id: int
    text: str
    phrase: str
    keywords: tuple[str, ...]
    speaker: str | None
    happened: datetime | None
    session: str | None
    created: datetime
    uses: int
    last_used: datetime | None
    pinned: bool
    version: int
    form: Form
    kept: float
    sentences: tuple[str, ...] = field(repr=False)
    derived: str = ""
    cut: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires: datetime | None = None
    metadata: dict[str, Scalar] = field(default_factory=dict, hash=False)
    stated: int = field(default=0, repr=False)
    shared: bool = False
    importance: float | None = None
    scope: str = ""
    missing: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.scope:
            object.__setattr__(self, "id", ScopedId.of(self.id, self.scope))

    @property
    def kind(self) -> Kind:
        """Realm, confidence and temporality: as given, else as the rules judge the sentences."""
        return JUDGES[0](self.stated, self.sentences, self.phrase, self.speaker)

    @property
    def item(self) -> tuple[str, str] | None:
        """Namespace and key of the item of which it is the text; None if it is no item's."""
        namespace, key = self.metadata.get("item_namespace"), self.metadata.get("item_key")
        return (namespace, key) if isinstance(namespace, str) and isinstance(key, str) else None

    def __repr__(self) -> str:
        until = f" until {self.valid_to:%Y-%m-%d}" if self.valid_to else ""
        return f"<Node {self.id} {self.form}{until} {str(self)[:60]!r}>"

    def __str__(self) -> str:
        gist = self.derived or ": ".join(filter(None, (self.phrase, ", ".join(self.keywords))))
        return self.text or f"({gist})"


_Filled = make_dataclass(
    "_Filled", [f.name for f in fields(Node)], bases=(Shown,),
    slots=True, repr=False, eq=False, match_args=False,
)  # fmt: skip
"""The same slots, not frozen."""


def filled(*values: Any) -> Node:
    """A `Node` of the values of all its fields, in their order; fast enough for thousands.

    A frozen dataclass sets each field through `object.__setattr__`, which takes three times as long
    as all else. So the slots are set before the object becomes a `Node`.
    """
    made: Any = _Filled(*values)
    made.__class__ = Node
    node: Node = made
    return node


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a forgotten node while links still point to it.

    passes: the pass at which it was forgotten.
    """

    id: int
    phrase: str
    keywords: tuple[str, ...]
    when: datetime
    passes: int
    why: str


@dataclass(frozen=True, slots=True)
class Version(Shown):
    """One form in the life of a node.

    node: the node in that form.
    ended: when the form ended, in UTC; None for the present form.
    why: present, shortened, faded, pressed (shortened for room), room (forgotten for room), slot,
        asked, corrected, expired or revived.
    born: the pass at which the node was made, or last revived.
    last_use: the pass of its last use until then; 0 if there was none.
    passes: the pass at which the form ended; None for the present form.
    importance: its importance when the form ended; None if it is not recorded.
    worths: the worths of its sentences then; for a gist, that of the best one it had lost.
    """

    version: int
    node: Node
    ended: datetime | None
    why: str
    born: int
    last_use: int
    passes: int | None
    importance: float | None
    worths: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Forgotten(Shown):
    """A node that has been forgotten.

    when: when it was forgotten, in UTC.
    why: faded, room (space was needed), slot (`max_nodes` was reached), asked, corrected or
        expired.
    revivable: True if the archive still has its last form.
    missed: True if links still point to it.
    """

    id: int
    phrase: str
    keywords: tuple[str, ...]
    when: datetime
    why: str
    revivable: bool
    missed: bool

    def __str__(self) -> str:
        return once_knew(self.phrase, self.keywords)


def once_knew(phrase: str, keywords: tuple[str, ...]) -> str:
    """A forgotten node in words."""
    return f"once knew: {phrase}" + (f" ({', '.join(keywords)})" if keywords else "")
