"""Where: conditions on the memories that are found or listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from graphmem.values.given import Given
from graphmem.values.hits import NodeLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Where(Given):
    """Conditions on hits, all of which must be met.

    A moment is an aware datetime, an ISO string with an offset, or a plain date, which means its
    midnight in the clock's zone. Functions that take a `Where` raise InvalidArgumentError or
    ArgumentTypeError for a wrong field.
    """

    session: str | None = None
    speaker: str | None = None
    since: date | str | None = None
    """Inclusive. A memory without `happened` has the date on which it was remembered."""
    until: date | str | None = None
    """Exclusive."""
    as_of: date | str | None = None
    """It was valid at this time, replaced memories included; None: `recall` returns what is valid
    now, `nodes` lists replaced nodes too (see `Node.valid_to`)."""
    known_at: date | str | None = None
    """It was known at this time, including memories corrected or forgotten since then that the
    archive still has; `recall` ranks by words alone then, `nodes` reads all nodes. With `as_of`:
    what was known at `known_at` to be valid at `as_of`."""
    metadata: Mapping[str, Any] | None = None
    """Conditions on metadata and on realm, confidence, temporality and source: {"team": "red"},
    {"team": ["red", "blue"]}, or by eq, ne, gt, gte, lt, lte, in: {"year": {"gte": 2020}}. A
    missing name counts as None."""
    realm: str | Sequence[str] | None = None
    """personal, project, universal or ephemeral, or several of them."""
    among: Iterable[NodeLike] | None = None
    """One of these nodes, given as nodes, hits or ids; unknown ids are skipped. Ids of nodes and
    hits of a parent, and those in `Recall.included`, include its scope; a plain number, as in JSON,
    is a node of the scope that is asked."""
    without: Iterable[NodeLike] | None = None
    """None of these nodes, given like those of `among`; such as an earlier `Recall.included`."""
    relations: Sequence[str] = ()
    """`recall` follows only links with these relations; () follows all."""
    depth: int = 2
    """How many links `recall` follows from the nodes that match and from the focus, 0–10."""
