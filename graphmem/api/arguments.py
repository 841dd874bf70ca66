"""Arguments of `Memory`: checked, and refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, cast

from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.recalling.listing import Asked
from graphmem.recalling.question import Filter, Question
from graphmem.recalling.where import read_where
from graphmem.services.tokens import counter
from graphmem.settings import Settings
from graphmem.values.about import About
from graphmem.values.checks import check_count, check_field, check_moment, check_str, check_switch
from graphmem.values.conflicts import Conflict
from graphmem.values.identifiers import among_of, node_id
from graphmem.values.kinds import REALMS
from graphmem.values.moments import micros
from graphmem.values.nodes import Form
from graphmem.values.rendering import Tokens
from graphmem.values.where import Where
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import folded

_HALF: Final = late("[\ud800-\udfff]")
_MAX_CUE: Final = 1_000_000  # characters; words beyond the first 64 distinct ones are not read


def question(
    scope: str,
    now: datetime,
    *,
    cue: object,
    limit: object = 10,
    tokens: object = None,
    where: object = None,
    mode: str = "activation",
    trace: object = False,
    cut: object = "auto",
) -> Question:
    """The arguments of `recall`, for the memory of `scope`.

    Raises ArgumentTypeError, InvalidArgumentError.
    """
    if check_switch("trace", trace) and mode != "activation":
        raise InvalidArgumentError(f"trace=True is for mode 'activation', not for {mode!r:.80}")
    if cut not in ("auto", "strict", "none"):
        raise InvalidArgumentError(f"cut is 'auto', 'strict' or 'none', got {cut!r:.80}")
    if cut == "strict" and mode != "activation":
        raise InvalidArgumentError(f"cut='strict' is for mode 'activation', not for {mode!r:.80}")
    asked = where_of(where)
    within = tokens if isinstance(tokens, Tokens) else Tokens(cast(Any, tokens))
    only = replace(hit_filter(scope, now, asked), now=micros(now))
    return Question(
        cue=cue_text(cue),
        relations=relation_list(asked.relations),
        depth=check_count("depth", asked.depth, 0, 10),
        limit=check_count("limit", limit, 0, 1000),
        tokens=None if within.most is None else check_count("tokens", within.most, 0, 1 << 30),
        only=only,
        mode=mode,
        counter=counter(within.by),
        trace=bool(trace),
        cut=cut != "none",
        strict=cut == "strict",
        among=among_of(asked.among, scope),
        without=among_of(asked.without, scope, "without") or {},
    )


def cue_text(cue: object) -> str:
    """A cue, cut to `_MAX_CUE`; U+FFFD stands for lone surrogates. Raises ArgumentTypeError."""
    return _HALF.sub("\ufffd", check_str("a cue", cue)[:_MAX_CUE])


def listing_of(
    scope: str,
    now: datetime,
    *,
    words: object,
    text: object,
    keyword: object,
    form: object,
    pinned: object,
    reverse: object,
    where: object,
) -> Asked:
    """The arguments of `nodes`, for the memory of `scope`. Raises ArgumentTypeError,
    InvalidArgumentError."""
    asked = where_of(where)
    if relation_list(asked.relations) or asked.depth != 2:
        raise InvalidArgumentError("relations and depth are for recall, not for nodes")
    text = None if text is None else check_str("text", text)
    if text is not None and not folded(text):
        raise InvalidArgumentError("text is blank; nodes() lists all nodes")
    forms = {str(each): each for each in Form}
    if form is not None and str(form) not in forms:
        raise InvalidArgumentError(f"form is one of {', '.join(forms)}, got {form!r:.80}")
    return Asked(
        words=wanted("words", words),
        text=text,
        keyword=wanted("keyword", keyword),
        only=hit_filter(scope, now, asked),
        form=None if form is None else forms[str(form)],
        pinned=None if pinned is None else check_switch("pinned", pinned),
        reverse=check_switch("reverse", reverse),
    )


def where_of(given: object) -> Where:
    """The conditions on hits; None is no condition. Raises ArgumentTypeError."""
    if given is not None and not isinstance(given, Where):
        raise ArgumentTypeError(
            f"where is a graphmem.Where, got {type(given).__name__}; conditions on metadata are "
            "Where(metadata={…})"
        )
    return given or Where()


def about_of(given: object) -> About:
    """The classification of a text; None is none. Raises ArgumentTypeError."""
    if given is not None and not isinstance(given, About):
        raise ArgumentTypeError(f"about is a graphmem.About, got {type(given).__name__}")
    return given or About()


def hit_filter(scope: str, now: datetime, given: Where) -> Filter:
    """The conditions on a hit; plain dates begin in the zone of `now`. Replaced memories pass.

    Raises ArgumentTypeError, InvalidArgumentError.
    """
    zone, among = now.tzinfo, among_of(given.among, scope)
    without = among_of(given.without, scope, "without")
    since, until = (check_moment(n, getattr(given, n), zone) for n in ("since", "until"))
    if since is not None and until is not None and since >= until:
        raise InvalidArgumentError(
            f"nothing is from {since} on and before {until}: until is later than since, for a day "
            "the day after it"
        )
    held = check_moment("as_of", given.as_of, zone)
    known = check_moment("known_at", given.known_at, zone)
    return Filter(
        session=wanted("session", given.session),
        speaker=wanted("speaker", given.speaker),
        since=since,
        until=until,
        as_of=None if held is None else micros(held),
        where=read_where(given.metadata, given.realm),
        known_at=None if known is None else micros(known),
        among=None if among is None else among[""],
        without=frozenset() if without is None else without[""],
    )


def wanted(name: str, value: object) -> str | None:
    """A name to look for, stripped; None looks for any. Raises ArgumentTypeError,
    InvalidArgumentError."""
    found = check_field(name, value)
    if found is None and value is not None:
        raise InvalidArgumentError(f"{name} is blank; leave it out, or give None, to ask for any")
    return found


def relation_list(given: object) -> tuple[str, ...]:
    """The relations to follow. Raises ArgumentTypeError."""
    if isinstance(given, Iterable) and not isinstance(given, str):
        named = tuple(given)
        if all(isinstance(name, str) for name in named):
            return named
    raise ArgumentTypeError("relations is a list of str, such as ['focus']")


def scope_names(names: object) -> list[str]:
    """The names of scopes, each once. Raises ArgumentTypeError."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ArgumentTypeError(f"parents is a list of str, got {type(names).__name__}")
    return list(dict.fromkeys(map(scope_name, names)))


def scope_name(name: object) -> str:
    """A name of a scope; its length is checked where scopes are made. Raises ArgumentTypeError."""
    return check_str("a scope's name", name)


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
        first, second = map(_parsed_id, given)
        if first == second:
            raise InvalidArgumentError(f"node {first} does not contradict itself")
        pair = first, second
    if keep is None:
        if policy != "auto":
            raise InvalidArgumentError("say which memory to keep, or policy='auto'")
        return pair, None
    if pair is None:
        raise InvalidArgumentError("keep= is for one conflict, not for all")
    kept = 0 if keep == "both" else _parsed_id(keep)
    if kept and kept not in pair:
        raise InvalidArgumentError(f"keep is {pair[0]}, {pair[1]} or 'both', got {kept}")
    return pair, kept


def _parsed_id(given: object) -> int:
    """An id, given as one or as text. Raises ArgumentTypeError for anything else."""
    if isinstance(given, str) and len(given) < 20 and given.strip().isdecimal():
        given = int(given)
    return node_id(given)


def routes(route: object, settings: Settings) -> Mapping[str, str]:
    """The scope for each realm whose texts are routed to another one; empty without routing.

    Raises InvalidArgumentError if the settings name no scope or the mapping has an unknown realm.
    """
    if route is False:
        return {}
    if route is True:
        scopes = {"personal": settings.user_scope, "project": settings.project_scope}
        if missing := [name for name, scope in scopes.items() if scope is None]:
            setting = {"personal": "user_scope", "project": "project_scope"}[missing[0]]
            raise InvalidArgumentError(
                f"route=True needs to know where what is {missing[0]} goes: open the memory with "
                f"{setting}='…', or give route={{'personal': '…', 'project': '…'}}"
            )
        return {name: scope for name, scope in scopes.items() if scope is not None}
    if not isinstance(route, Mapping):
        raise ArgumentTypeError(
            f"route is True, or a mapping of realms to scopes, got {type(route).__name__}"
        )
    if unknown := [realm for realm in route if realm not in REALMS]:
        raise InvalidArgumentError(
            f"route has no realm {unknown[0]!r:.80}; there are {', '.join(REALMS)}"
        )
    return {realm: scope_name(name) for realm, name in route.items()}
