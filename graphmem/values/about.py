"""About: how a remembered text is classified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphmem.values.given import Given


@dataclass(frozen=True, slots=True, kw_only=True)
class About(Given):
    """What is known of a text besides its speaker, date and session.

    Functions that take an `About` raise InvalidArgumentError or ArgumentTypeError for a wrong
    field.
    """

    keywords: Iterable[str] = ()
    """Up to 32 of your own; three to five more are extracted from the text."""
    allow: Iterable[str] = ()
    """Kinds of secrets that are not cut out, such as "code"; see docs/guarantees.md."""
    kind: str | Mapping[str, Any] | None = None
    """The kind of memory, instead of the rules' judgement: a realm (personal, project, universal,
    ephemeral), a temporality (permanent, long-term, short-term, session), both ("project
    permanent"), or a mapping with "realm", "temporality", "confidence"."""
    confidence: float | None = None
    """How certain the statement is, 0–1, rounded to 0.01."""
    importance: float | None = None
    """Rank among the turns of its session, 0–1; see `review.tiers`."""
    keep: bool = False
    """`review.candidates` never lists the nodes. They still fade unless pinned."""
    shared: bool = False
    """Also visible to scopes that have this one as a parent; see `scopes.open`."""
    route: bool | Mapping[str, str] = False
    """True stores a text of the realm personal in the scope that the setting `user_scope` names,
    one of the realm project in that of `project_scope`, any other in this scope. A mapping names
    the scopes for this call: {"personal": "ana", "project": "pump"}. `.scope` of the result is the
    name of the scope; "" without `route`."""
