"""Drafts: what a text becomes before anything is written; no store, no lock."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from math import isfinite
from typing import Final

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, InvalidTextError
from graphmem.graph.kinds import Stated
from graphmem.graph.records import ALWAYS, Span, TextRecord
from graphmem.values.checks import (
    check_characters,
    check_field,
    check_moment,
    check_share,
    check_str,
    check_switch,
    is_blank,
)
from graphmem.values.kinds import REALMS, TEMPORALITIES
from graphmem.values.metadata import LONGEST_KEY, LONGEST_VALUE, MOST_KEYS, Pairs
from graphmem.values.moments import micros, offset_of
from graphmem.values.remembered import Secret
from graphmem_worker.text.keywords import keywords as keywords_of
from graphmem_worker.text.phrase import phrase as phrase_of
from graphmem_worker.text.salience import salience
from graphmem_worker.text.sentences import segments

_MAX_KEYWORDS = 32
_KIND_FIELDS: Final = ("realm", "temporality", "confidence")
_NOT_STATED: Final = Stated()


@dataclass(frozen=True, slots=True)
class Segment:
    """A node that is not written yet: its record, and its index words."""

    record: TextRecord
    words: list[str]
    span: Span | None = None  # None: that of the draft


@dataclass(frozen=True, slots=True)
class Draft:
    """A text, ready to be written."""

    segments: tuple[Segment, ...]
    fingerprint: bytes  # 16 bytes: the same text, speaker, date, session and keywords
    pin: bool
    cut: tuple[Secret, ...] = ()  # what the guard took out
    span: Span = ALWAYS


def check_text(text: object, longest: int) -> str:
    """A text that can be remembered. Raises ArgumentTypeError; InvalidTextError for blank text,
    NULs, lone surrogates, or more than `longest` characters."""
    if not isinstance(text, str):
        raise ArgumentTypeError(
            f"a text is a str, got {type(text).__name__}"
            + ("; decode it first" if isinstance(text, bytes | bytearray) else "")
        )
    if len(text) > longest:
        raise InvalidTextError(
            f"the text has {len(text):,} characters, more than max_text = {longest:,}; "
            "split it, or raise the setting"
        )
    if is_blank(text):
        raise InvalidTextError("the text is empty or blank; there is nothing to remember")
    check_characters("the text", text)
    return text


def check_keywords(given: object) -> tuple[str, ...]:
    """Keywords given by a user: at most 32, each once."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ArgumentTypeError("keywords is a list of str, such as ['release', 'May']")
    found = [k for k in (check_field("a keyword", word) for word in given) if k is not None]
    if len(found) > _MAX_KEYWORDS:
        raise InvalidArgumentError(f"at most {_MAX_KEYWORDS} keywords, got {len(found)}")
    return tuple(dict.fromkeys(found))


def check_kind(kind: object, confidence: object, keep: object) -> Stated:
    """The kind that a caller gave.

    kind: realm and temporality by name, one or both, or a mapping of these and "confidence".
    confidence: 0–1. keep: makes it permanent. Raises InvalidArgumentError, ArgumentTypeError.
    """
    keeps = check_switch("keep", keep)
    if kind is None and confidence is None and not keeps:
        return _NOT_STATED
    fields: dict[str, object] = {}
    if isinstance(kind, str):
        for word in re.split(r"[\s,;/]+", kind.strip()):
            field = "realm" if word in REALMS else "temporality"
            if field in fields:
                raise InvalidArgumentError(f"kind={kind!r:.80} says two of one; give one {field}")
            fields[field] = word
    elif isinstance(kind, Mapping):
        if unknown := [name for name in kind if name not in _KIND_FIELDS]:
            raise InvalidArgumentError(
                f"kind has no {unknown[0]!r:.80}; there are {', '.join(_KIND_FIELDS)}"
            )
        fields.update(kind)
    elif kind is not None:
        raise ArgumentTypeError(f"kind is a str or a mapping, got {type(kind).__name__}")
    realm, temporality = fields.get("realm"), fields.get("temporality")
    if isinstance(temporality, str):
        temporality = {"long": "long-term", "short": "short-term"}.get(temporality, temporality)
    if temporality is not None and temporality not in TEMPORALITIES:
        raise InvalidArgumentError(
            f"{temporality!r:.80} is no kind: a realm is {', '.join(REALMS)}, a temporality "
            f"{', '.join(TEMPORALITIES)}"
        )
    if realm is not None and realm not in REALMS:
        raise InvalidArgumentError(f"a realm is {', '.join(REALMS)}, got {realm!r:.80}")
    if keeps and temporality not in (None, "permanent"):
        raise InvalidArgumentError(f"keep=True is permanent, and not {temporality}")
    sure = fields.get("confidence") if confidence is None else confidence
    return Stated(
        next((each for each in REALMS if each == realm), None),
        check_share("confidence", sure),
        "permanent" if keeps else next((e for e in TEMPORALITIES if e == temporality), None),
        "given",
        keeps,
    )


def check_given(
    text: object,
    *,
    speaker: object = None,
    happened: object = None,
    session: object = None,
    keywords: object = (),
    pin: object = False,
    kind: object = None,
    confidence: object = None,
    keep: object = False,
    metadata: object = None,
    shared: object = False,
    importance: object = None,
) -> None:
    """Raise what `remember` would for these arguments, except for the length of the text, which
    `max_text` limits: ArgumentTypeError, InvalidArgumentError, InvalidTextError."""
    check_text(text, sys.maxsize)
    check_field("speaker", speaker)
    check_field("session", session)
    check_keywords(keywords)
    check_kind(kind, confidence, keep)
    check_metadata(metadata)
    check_moment("happened", happened, UTC)
    check_switch("pin", pin)
    check_switch("shared", shared)
    check_share("importance", importance)


def check_metadata(given: object) -> Pairs:
    """The metadata that a caller gave. Raises ArgumentTypeError, InvalidArgumentError,
    InvalidTextError."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"metadata is a mapping, got {type(given).__name__}")
    if len(given) > MOST_KEYS:
        raise InvalidArgumentError(f"metadata has at most {MOST_KEYS} names, got {len(given)}")
    for name, value in given.items():
        check_str("a name in metadata", name)
        if is_blank(name) or len(name) > LONGEST_KEY:
            raise InvalidArgumentError(
                f"a name in metadata has 1 to {LONGEST_KEY} characters, got {name!r:.120}"
            )
        check_characters("a name in metadata", name)
        if name in ("realm", "confidence", "temporality"):
            raise InvalidArgumentError(
                f"{name!r} is set with kind= and confidence=; choose another name for metadata"
            )
        match value:
            case None | bool():
                pass
            case int():
                if not -(1 << 63) <= value < 1 << 63:
                    raise InvalidArgumentError(f"metadata {name!r} is an int over 64 bits")
            case float():
                if not isfinite(value):
                    raise InvalidArgumentError(f"metadata {name!r} is {value}, no finite number")
            case str():
                if len(value) > LONGEST_VALUE:
                    raise InvalidTextError(
                        f"metadata {name!r} has {len(value):,} characters, at most "
                        f"{LONGEST_VALUE:,} are kept; shorten it"
                    )
                check_characters(f"metadata {name!r}", value)
            case _:
                raise ArgumentTypeError(
                    f"metadata {name!r} is a {type(value).__name__}; it is flat: str, int, float, "
                    "bool or None"
                )
    return tuple(given.items())


def draft(
    text: str,
    *,
    limit: int,
    created: datetime,
    rarity: Callable[[str], float],
    speaker: str | None = None,
    happened: datetime | None = None,
    session: str | None = None,
    keywords: tuple[str, ...] = (),
    pin: bool = False,
    cut: tuple[Secret, ...] = (),
    kinds: Iterable[str] = (),
    span: Span = ALWAYS,
    metadata: Pairs = (),
) -> Draft:
    """Cut a checked text into segments of at most `limit` characters where sentences allow it.

    rarity: the idf of an index word in this memory, in nat. cut: the secrets that the guard cut
    out; kinds: the kinds of those that were cut out earlier.
    """
    rarity = cache(rarity)  # a text asks for most words several times
    made: list[Segment] = []
    kinds = sorted({*kinds, *(secret.kind for secret in cut)})
    given = [value for _, value in metadata if isinstance(value, str)]
    beside = " ".join((speaker or "", *keywords, *given))
    when = None if happened is None else (micros(happened), offset_of(happened))
    for pieces in segments(text, limit):
        joined = "".join(pieces).strip()
        own = keywords_of(joined, rarity)
        record = TextRecord(
            spans=tuple(pieces),
            saliences=tuple([salience(piece, rarity) for piece in pieces]),
            phrase=phrase_of(joined),
            keywords=tuple(dict.fromkeys((*keywords, *own))),
            speaker=speaker,
            happened=when,
            session=session,
            created=micros(created),
            characters=len(joined),
            given=len(keywords),
            cut=tuple([kind for kind in kinds if f"[{kind}]" in f"{joined} {beside}"]),
            metadata=metadata,
        )
        made.append(Segment(record, record.words))
    # The same words from another speaker, time or session are another memory.
    about = (text, speaker, happened, session, keywords)
    identity = repr((*about, metadata) if metadata else about).encode()
    return Draft(tuple(made), blake2b(identity, digest_size=16).digest(), pin, cut, span)
