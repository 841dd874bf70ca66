"""Drafts: what a text becomes before anything is written; no store, no lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, InvalidTextError
from graphmem.graph.records import TextRecord, micros
from graphmem_worker.keywords import keywords as keywords_of
from graphmem_worker.phrase import phrase as phrase_of
from graphmem_worker.salience import salience
from graphmem_worker.sentences import segments

_MAX_KEYWORDS = 32
_MAX_FIELD = 1000  # characters of a speaker, session or keyword


@dataclass(frozen=True, slots=True)
class Segment:
    """A node to be: its record, and the words that it will be found under."""

    record: TextRecord
    words: list[str]


@dataclass(frozen=True, slots=True)
class Draft:
    """A text, ready to be written."""

    segments: tuple[Segment, ...]
    fingerprint: bytes  # 16 bytes: the same text, speaker, date, session and keywords
    pin: bool


def check_text(text: object, longest: int) -> str:
    """A text that can be remembered.

    Raises ArgumentTypeError for anything but a str; InvalidTextError for blank text, NULs, lone
    surrogates, or more than `longest` characters.
    """
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
    if not text.strip():
        raise InvalidTextError("the text is empty or blank; there is nothing to remember")
    _check_characters("the text", text)
    return text


def _check_characters(what: str, text: str) -> None:
    if (at := text.find("\x00")) >= 0:
        raise InvalidTextError(f"{what} has a NUL at character {at}; is it a binary file?")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidTextError(
            f"{what} has a lone surrogate at character {error.start}; "
            "clean it with text.encode('utf-8', 'replace').decode()"
        ) from None


def check_field(name: str, value: object) -> str | None:
    """A speaker, session or keyword, stripped; None stays None, and so does a blank one."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} is a str, got {type(value).__name__}")
    if len(value) > _MAX_FIELD:
        raise InvalidTextError(
            f"{name} has {len(value):,} characters, at most {_MAX_FIELD:,} are kept; shorten it"
        )
    _check_characters(name, value)
    return value.strip() or None


def check_keywords(given: object) -> tuple[str, ...]:
    """Keywords given by a user: at most 32, each once."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ArgumentTypeError("keywords is a list of str, such as ['release', 'May']")
    found = [k for k in (check_field("a keyword", word) for word in given) if k is not None]
    if len(found) > _MAX_KEYWORDS:
        raise InvalidArgumentError(f"at most {_MAX_KEYWORDS} keywords, got {len(found)}")
    return tuple(dict.fromkeys(found))


def check_moment(name: str, value: object) -> datetime | None:
    """An aware datetime, from one or from an ISO string.

    Raises InvalidArgumentError for a naive or impossible date, ArgumentTypeError for another type.
    """
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise InvalidArgumentError(
                f"{name}={value!r} is no ISO date-time ({error}); "
                "write it like 2026-05-03T09:30:00+02:00"
            ) from None
    if not isinstance(value, datetime):
        raise ArgumentTypeError(
            f"{name} is a datetime or an ISO string, got {type(value).__name__}"
        )
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidArgumentError(
            f"{name}={value.isoformat()} has no time zone; write {value.isoformat()}+00:00, or "
            "use datetime(…, tzinfo=UTC)"
        )
    try:
        value.astimezone(UTC)
    except OverflowError:
        raise InvalidArgumentError(
            f"{name}={value.isoformat()} is outside the years 1 to 9999 in UTC; give a later or "
            "an earlier one"
        ) from None
    return value


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
) -> Draft:
    """Cut a checked text into segments of at most `limit` characters where sentences allow it.

    `rarity` says how telling an index word is in this memory (nat).
    """
    rarity = cache(rarity)  # a text asks for most words several times
    made: list[Segment] = []
    offset = happened.utcoffset() if happened is not None else None
    for pieces in segments(text, limit):
        joined = "".join(pieces).strip()
        own = keywords_of(joined, rarity)
        record = TextRecord(
            spans=tuple(pieces),
            saliences=tuple([salience(piece, rarity) for piece in pieces]),
            phrase=phrase_of(joined),
            keywords=tuple(dict.fromkeys((*keywords, *own))),
            speaker=speaker,
            happened=(micros(happened), int(offset.total_seconds() // 60))
            if happened is not None and offset is not None
            else None,
            session=session,
            created=micros(created),
            characters=len(joined),
            given=len(keywords),
        )
        made.append(Segment(record, record.words))
    # Said by another, at another time or elsewhere, the same words are not the same memory.
    identity = repr((text, speaker, happened, session, keywords)).encode()
    return Draft(tuple(made), blake2b(identity, digest_size=16).digest(), pin)
