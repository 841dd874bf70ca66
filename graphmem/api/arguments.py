"""Arguments: what a user hands to `Memory`, checked, or refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeAlias

from graphmem.api.ranges import check_count, check_range
from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    UnknownNodeError,
    UnknownScopeError,
)
from graphmem.recalling.listing import Asked
from graphmem.recalling.question import Filter, Question
from graphmem.recalling.where import read_where
from graphmem.remembering.drafts import check_field, check_moment, check_switch
from graphmem.services.tokens import counter
from graphmem.settings import Settings
from graphmem.values.conflicts import Conflict
from graphmem.values.hits import Hit, NodeLike
from graphmem.values.kinds import REALMS
from graphmem.values.moments import micros
from graphmem.values.nodes import Form, Node
from graphmem.values.rendering import TokenCounter
from graphmem_worker.text.words import folded

TOP_DOWN: Final = ("theme", "semantic", "all", "message")
"""How far down mode "themes" may go."""
_Near: TypeAlias = tuple[str, frozenset[int] | None, int]
_MAX_CUE: Final = 1_000_000  # characters; words beyond the first 64 distinct ones are not read


def node_id(node: object, scope: str = "") -> int:
    """The id of a node of the memory of `scope`, given as a Node, a Hit, an id, or, from another
    process, as {"node", "scope"}. Raises ArgumentTypeError, UnknownNodeError."""
    if isinstance(node, Node | Hit):
        return _own(node.id, _scope_of(node) if scope else "", scope)
    if isinstance(node, Mapping) and {*node} == {"node", "scope"}:
        return _own(node_id(node["node"], scope), node["scope"], scope)
    if isinstance(node, int) and not isinstance(node, bool):
        if 0 <= node < 1 << 64:
            return node
        raise UnknownNodeError(f"there is no node {node}; ids are between 1 and 2⁶⁴ − 1")
    raise ArgumentTypeError(f"a node is a Node, a Hit or an id, got {type(node).__name__}")


def _own(identifier: int, of: object, scope: str) -> int:
    if of not in ("", scope):
        raise UnknownNodeError(
            f"node {identifier} belongs to scope {of!r:.80}, not to {scope!r}: open that scope "
            f"(memory.scope({of!r:.80})) to change it or to ask for it"
        )
    return identifier


def node_ids(nodes: Iterable[NodeLike | Iterable[NodeLike]], scope: str) -> list[int]:
    """The ids of nodes of the memory of `scope`, also of those in lists.

    Raises ArgumentTypeError; UnknownNodeError, also for a node of another memory.
    """
    return [node_id(node, scope) for node in _each(nodes)]


def own_ids(nodes: Iterable[NodeLike | Iterable[NodeLike]], scope: str) -> list[int]:
    """Like `node_ids`, but nodes of other memories are skipped."""
    return [node_id(node, scope) for node in _each(nodes) if _scope_of(node) in ("", scope)]


def _each(nodes: Iterable[NodeLike | Iterable[NodeLike]]) -> Iterator[object]:
    for item in nodes:
        if isinstance(item, Iterable) and not isinstance(item, Mapping):
            yield from item
        else:
            yield item


def among_of(nodes: object, scope: str) -> dict[str, frozenset[int]] | None:
    """The ids of nodes by the name of their memory, "" for that of `scope`; None if any node will
    do.

    Raises ArgumentTypeError, UnknownNodeError.
    """
    if nodes is None:
        return None
    if isinstance(nodes, str | bytes | Mapping) or not isinstance(nodes, Iterable):
        raise ArgumentTypeError(
            f"among is nodes, hits or ids, such as [12, 17], got {type(nodes).__name__}"
        )
    found: dict[str, set[int]] = {"": set()}
    for node in nodes:
        name = _scope_of(node)
        name = "" if name == scope else str(name)
        found.setdefault(name, set()).add(node_id(node, name or scope))
    return {name: frozenset(ids) for name, ids in found.items()}


def _scope_of(node: object) -> object:
    if isinstance(node, Mapping):
        return node.get("scope", "")
    if isinstance(node, Hit):
        return node.scope or node.node.scope
    return node.scope if isinstance(node, Node) else ""


def near(scope: str, *, cue: object, among: object, limit: object) -> _Near:
    """The arguments of `nearest`, for the memory of `scope`. Raises ArgumentTypeError,
    InvalidArgumentError, UnknownNodeError."""
    named = among_of(among, scope)
    within = None if named is None else named[""]
    return cue_text(cue), within, check_count("limit", limit, 0, 1000)


def question(
    scope: str,
    now: datetime,
    *,
    cue: object,
    relations: object = (),
    depth: object = 2,
    limit: object = 10,
    tokens: object = None,
    among: object = None,
    mode: str = "activation",
    count_tokens: TokenCounter | str = "o200k",
    trace: object = False,
    cut: object = "auto",
    whole_share: object = 0.7,
    expand: object = True,
    level: object = "all",
    **conditions: object,
) -> Question:
    """The arguments of `recall`, for the memory of `scope`; conditions as in `hit_filter`.

    Raises ArgumentTypeError, InvalidArgumentError.
    """
    if check_switch("trace", trace) and mode != "activation":
        raise InvalidArgumentError(f"trace=True is for mode 'activation', not for {mode!r:.80}")
    if cut not in ("auto", "none"):
        raise InvalidArgumentError(f"cut is 'auto' or 'none', got {cut!r:.80}")
    if level not in TOP_DOWN:
        raise InvalidArgumentError(f"level is one of {', '.join(TOP_DOWN)}, got {level!r:.80}")
    if mode != "themes" and not (check_switch("expand", expand) and level == "all"):
        raise InvalidArgumentError(f"expand and level are for mode 'themes', not for {mode!r:.80}")
    only = replace(hit_filter(now, **conditions), now=micros(now))
    named = among_of(among, scope)
    return Question(
        cue=cue_text(cue),
        relations=relation_list(relations),
        depth=check_count("depth", depth, 0, 10),
        limit=check_count("limit", limit, 0, 1000),
        tokens=None if tokens is None else check_count("tokens", tokens, 0, 1 << 30),
        only=only if named is None else replace(only, among=named[""]),
        mode=mode,
        counter=counter(count_tokens),
        trace=bool(trace),
        cut=cut == "auto",
        whole_share=check_range("whole_share", whole_share, 0, 1),
        expand=check_switch("expand", expand),
        level=str(level),
        among=named,
    )


def cue_text(cue: object) -> str:
    """A cue, cut to the length that is read. Raises ArgumentTypeError."""
    if not isinstance(cue, str):
        raise ArgumentTypeError(f"a cue is a str, got {type(cue).__name__}")
    return cue[:_MAX_CUE]


def form_of(value: object) -> Form | None:
    """A form by its name, None for any. Raises InvalidArgumentError."""
    if value is None:
        return None
    for form in Form:
        if value == str(form) or value is form:
            return form
    raise InvalidArgumentError(f"form is one of {', '.join(map(str, Form))}, got {value!r:.80}")


def listing_of(
    now: datetime,
    *,
    words: object,
    keyword: object,
    form: object,
    pinned: object,
    reverse: object,
    **conditions: object,
) -> Asked:
    """The arguments of `nodes`; conditions as in `hit_filter`. Raises ArgumentTypeError,
    InvalidArgumentError."""
    return Asked(
        words=wanted("words", words),
        keyword=wanted("keyword", keyword),
        only=hit_filter(now, **conditions),
        form=form_of(form),
        pinned=None if pinned is None else check_switch("pinned", pinned),
        reverse=check_switch("reverse", reverse),
    )


def hit_filter(
    now: datetime,
    *,
    session: object = None,
    speaker: object = None,
    since: object = None,
    until: object = None,
    as_of: object = None,
    where: object = None,
    known_at: object = None,
) -> Filter:
    """The conditions on a hit; plain dates begin in the zone of `now`. What was replaced passes.

    Raises ArgumentTypeError, InvalidArgumentError.
    """
    zone = now.tzinfo
    held, known = check_moment("as_of", as_of, zone), check_moment("known_at", known_at, zone)
    return Filter(
        session=wanted("session", session),
        speaker=wanted("speaker", speaker),
        since=check_moment("since", since, zone),
        until=check_moment("until", until, zone),
        as_of=None if held is None else micros(held),
        where=read_where(where),
        known_at=None if known is None else micros(known),
    )


def piece_of(text: object) -> str:
    """A piece of text to find. Raises ArgumentTypeError, InvalidArgumentError."""
    if not isinstance(text, str):
        raise ArgumentTypeError(f"text is a str, got {type(text).__name__}")
    if not folded(text):
        raise InvalidArgumentError("text is blank; nodes() lists all nodes")
    return text


def wanted(name: str, value: object) -> str | None:
    """A name to look for, stripped; None looks for any. Raises ArgumentTypeError,
    InvalidArgumentError."""
    found = check_field(name, value)
    if found is None and value is not None:
        raise InvalidArgumentError(f"{name} is blank; leave it out, or give None, to ask for any")
    return found


def ended(session: object) -> str:
    """The session that is to end. Raises ArgumentTypeError, InvalidArgumentError."""
    named = wanted("session", session)
    if named is None:
        raise ArgumentTypeError("end_session takes the name of a session, got None")
    return named


def relation_list(given: object) -> tuple[str, ...]:
    """The relations to follow. Raises ArgumentTypeError."""
    if isinstance(given, Iterable) and not isinstance(given, str):
        named = tuple(given)
        if all(isinstance(name, str) for name in named):
            return named
    raise ArgumentTypeError("relations is a list of str, such as ['focus']")


def scope_names(names: object, there: Sequence[str]) -> list[str]:
    """The names of scopes, each once. there: the scope that asks, then those of the folder.

    Raises ArgumentTypeError, UnknownScopeError.
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ArgumentTypeError(f"parents is a list of str, got {type(names).__name__}")
    named = list(dict.fromkeys(map(scope_name, names)))
    if unknown := [name for name in named if name not in there]:
        raise UnknownScopeError(
            f"there is no scope {unknown[0]!r:.80} (there are: {', '.join(there[1:])})"
        )
    return named


def scope_name(name: object) -> str:
    """A name of a scope; its length is checked where scopes are made. Raises ArgumentTypeError."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"a scope's name is a str, got {type(name).__name__}")
    return name


def resolution(
    conflict: object, keep: object, policy: object
) -> tuple[tuple[int, int] | None, int | None]:
    """The two memories of a conflict (None: of all), and the one to keep: 0 is both, None whichever
    policy "auto" keeps. Raises ArgumentTypeError, InvalidArgumentError."""
    if policy not in ("ask", "auto"):
        raise InvalidArgumentError(f"policy is 'ask' or 'auto', got {policy!r:.80}")
    given = conflict.split(",") if isinstance(conflict, str) else conflict
    if isinstance(given, Conflict):
        given = given.pair
    pair: tuple[int, int] | None = None
    if given != ["all"]:
        if not isinstance(given, Sequence) or len(given) != 2:
            raise ArgumentTypeError("a conflict is a Conflict, or two ids such as '12,17'")
        one, other = (
            node_id(int(n) if isinstance(n, str) and n.strip().isdigit() else n) for n in given
        )
        if one == other:
            raise InvalidArgumentError(f"node {one} does not contradict itself")
        pair = one, other
    if keep is None:
        if policy != "auto":
            raise InvalidArgumentError("say which memory to keep, or policy='auto'")
        return pair, None
    if pair is None:
        raise InvalidArgumentError("keep= is for one conflict, not for all")
    kept = (
        0
        if keep == "both"
        else node_id(int(keep) if isinstance(keep, str) and keep.isdigit() else keep)
    )
    if kept and kept not in pair:
        raise InvalidArgumentError(f"keep is {pair[0]}, {pair[1]} or 'both', got {kept}")
    return pair, kept


def routes(route: object, settings: Settings) -> Mapping[str, str]:
    """The scope of each realm whose texts go elsewhere; empty without routing.

    Raises InvalidArgumentError if the settings name no scope or the mapping has an unknown realm.
    """
    if route is False:
        return {}
    if route is True:
        told = {"personal": settings.user_scope, "project": settings.project_scope}
        if lacking := [name for name, scope in told.items() if scope is None]:
            setting = {"personal": "user_scope", "project": "project_scope"}[lacking[0]]
            raise InvalidArgumentError(
                f"route=True needs to know where what is {lacking[0]} goes: open the memory with "
                f"{setting}='…', or give route={{'personal': '…', 'project': '…'}}"
            )
        return {name: scope for name, scope in told.items() if scope is not None}
    if not isinstance(route, Mapping):
        raise ArgumentTypeError(
            f"route is True, or a mapping of realms to scopes, got {type(route).__name__}"
        )
    if unknown := [realm for realm in route if realm not in REALMS]:
        raise InvalidArgumentError(
            f"route has no realm {unknown[0]!r:.80}; there are {', '.join(REALMS)}"
        )
    return {realm: scope_name(name) for realm, name in route.items()}


def again(given: object) -> object:
    """A list of an iterable, so that it can be read twice; anything else, and a str, as it is."""
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else given
