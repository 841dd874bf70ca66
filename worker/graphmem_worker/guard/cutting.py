"""Cut the secrets out of a text."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from graphmem_worker.guard.commands import commands
from graphmem_worker.guard.labels import labelled
from graphmem_worker.guard.names import TOKEN, Found, has_secret_name, kind_of, name_words
from graphmem_worker.guard.personal import cards, personal
from graphmem_worker.guard.placeholders import filled, outside
from graphmem_worker.guard.plain import Plain, plain
from graphmem_worker.guard.shapes import (
    Shape,
    assigned,
    compiled,
    embedded,
    mnemonics,
    prefixed,
    sieve,
    vendors,
)
from graphmem_worker.guard.spelling import has_odd_spelling
from graphmem_worker.guard.structure import fields
from graphmem_worker.guard.tagger import Tagged
from graphmem_worker.guard.values import is_generated, is_placeholder, may_be_password, secret_as
from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.sayings import folded
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.gates import holds, places
from graphmem_worker.text.patterns import late

Level = Literal["secrets", "personal"]

SECRET_KINDS: Final[frozenset[str]] = frozenset({"password", "code", "token", "key", "card"})
PERSONAL_KINDS: Final[frozenset[str]] = frozenset(
    {"iban", "identity", "passport", "phone", "mail", "account", "plate", "address"}
)


@dataclass(frozen=True, slots=True)
class Cut:
    """A secret that was cut: its kind and its span in the original text, never its value."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Guarded:
    """A text without its secrets, and what was cut, in the order of the text."""

    text: str
    cut: tuple[Cut, ...]


def guard(
    text: str, level: Level = "secrets", allow: Collection[str] = (), *, ruled: bool = False
) -> Guarded:
    """Replace every secret in `text` by its kind in brackets, such as `[password]`.

    `level` "secrets" finds passwords, codes, tokens, keys and cards; "personal" also what
    identifies a person. `allow` names kinds that stay (see `SECRET_KINDS`, `PERSONAL_KINDS`).
    `ruled`: only findings of rules, not those of the tagger alone.

    A second call finds nothing more. Linear time. Raises ValueError for an unknown level or kind.
    """
    _check(level, allow)
    return _settled(text, lambda left: _found(left, level, ruled=ruled), allow)


def guard_field(
    name: str,
    value: str,
    level: Level = "secrets",
    allow: Collection[str] = (),
    *,
    ruled: bool = False,
) -> Guarded:
    """`guard` for the value of a field, which is cut as a whole if its name is that of a secret.

    Placeholders stay (`${TOKEN}`, "changeme"). Any other value is searched alone and also behind
    its name: {"gate": "code 4471"}. Raises like `guard`.
    """
    _check(level, allow)
    kind = kind_of(name)
    if (
        kind
        and kind not in allow
        and secret_as(kind, value.strip(), name)
        and (listed("keyword_verbs").isdisjoint(name_words(name)) or may_be_password(value.strip()))
    ):
        return Guarded(f"[{kind}]", (Cut(kind, 0, len(value)),))
    prefix = f"{' '.join(name_words(name))}: " if name and len(name) <= _LONGEST_NAME else ""
    if not kind and level == "secrets" and _is_short(value) and not _may_name(prefix + value):
        return Guarded(value, ())  # skips the search for most short values

    def find(left: str) -> Iterator[Found]:
        is_prose = _SPACED.search(left) is not None  # a single word has no context for the tagger
        yield from _found(left, level, name, is_prose=is_prose, ruled=ruled)
        for each in _found(prefix + left[:_HEAD], level, is_prose=False) if prefix else ():
            start = max(0, each.start - len(prefix))
            yield Found(each.kind, start, each.end - len(prefix))

    return _settled(value, find, allow)


def _is_short(value: str) -> bool:
    """Whether a value is a word or number, too short for a secret that needs no name."""
    return len(value) <= _SHORT and value.isascii() and value.replace("_", "").isalnum()


def _may_name(text: str) -> bool:
    """Whether a text may have a name of a secret in any spelling."""
    low = folded(text)
    return not text.isascii() or has_secret_name(low) or has_odd_spelling(low.replace("0", "o"))


_SHORT: Final = 8  # characters; the shortest format of a vendor has more
_SPACED: Final = late(r"\s|[^\x00-\x7f]")
_LONGEST_NAME: Final = 80
_HEAD: Final = 400
"""Characters of a field's value that are searched together with its name."""


def _check(level: str, allow: Collection[str]) -> None:
    if level not in ("secrets", "personal"):
        raise ValueError(f"unknown level of the guard: {level!r}")
    if unknown := set(allow) - SECRET_KINDS - PERSONAL_KINDS:
        raise ValueError(f"unknown kinds to allow: {', '.join(sorted(unknown))}")


_MOST_ROUNDS: Final = 8


def _settled(text: str, find: Callable[[str], Iterable[Found]], allow: Collection[str]) -> Guarded:
    """A text without the findings of `find`, repeated on the result: a cut may bring together parts
    of a secret that stood too far apart, or uncover one within another finding."""
    cuts = _merged(find(text), allow)
    left = _without(text, cuts)
    for _ in range(_MOST_ROUNDS if cuts else 0):
        more = _merged(find(left.text), allow)
        if not more:
            break
        back = (Cut(each.kind, *left.span(each.start, each.end)) for each in more)
        cuts = _merged((*cuts, *back), allow)
        left = _without(text, cuts)
    return Guarded(left.text, cuts)


def _without(text: str, cuts: tuple[Cut, ...]) -> Plain:
    left = Plain(text)
    left.edit((cut.start, cut.end, f"[{cut.kind}]") for cut in cuts)
    return left


def _merged(found: Iterable[Found | Cut], allow: Collection[str]) -> tuple[Cut, ...]:
    """The findings without allowed kinds and overlaps; a merged one has the kind of the longer."""
    cuts: list[Cut] = []
    for each in sorted(found, key=lambda f: (f.start, -f.end)):
        if each.kind in allow or each.start >= each.end:
            continue
        last = cuts[-1] if cuts else None
        if last is not None and each.start == last.end and each.kind == last.kind:
            cuts[-1] = Cut(last.kind, last.start, each.end)
        elif last is None or each.start >= last.end:
            cuts.append(Cut(each.kind, each.start, each.end))
        elif each.end > last.end:
            kind = last.kind if last.end - last.start >= each.end - each.start else each.kind
            cuts[-1] = Cut(kind, last.start, each.end)
    return tuple(cuts)


_WIDE: Final = late("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_NARROW: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_DIGIT_RUN: Final = late(r"(?<!\d)\d(?:[ -]?\d){12}")
_LONG: Final = late(r"(?<![\w.:/+=~|%-])[\w.:/+=~|%-]{14}", re.ASCII)
_FENCED: Final = late(r"^ {0,3}(```|~~~)[^\n]*\n((?s:.*?))^ {0,3}\1", re.MULTILINE)
_ALNUM: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


def _found(
    text: str, level: Level, name: str = "", *, is_prose: bool = True, ruled: bool = False
) -> Iterator[Found]:
    readable, placeholders = filled(text)
    for kind, start, end in _found_in(readable.text, level, name, is_prose, ruled):
        for span in outside(text, placeholders, *readable.span(start, end)):
            yield Found(kind, *span)


def _found_in(text: str, level: Level, name: str, is_prose: bool, ruled: bool) -> Iterator[Found]:
    if not text.isascii():
        if _WIDE.search(text):
            text = text.translate(_NARROW)  # full-width letters and digits, one for one
        text = simplified(text)
    public = [found.span() for found in _PUBLIC.finditer(text)] if "AAAA" in text else []
    plain_text = plain(text)
    views = [Plain(text), *([plain_text] if plain_text.text != text else [])]
    sure = [*_not_public(public, views, lambda one: _read(one, level, name if one is text else ""))]
    weak = [*_not_public(public, views, lambda one: labelled(one, folded(one)))]
    if is_prose:
        tagged = Tagged(plain_text)
        weak = [w for w in weak if is_generated(text[w.start : w.end]) or not tagged.doubts(w)]
        if not ruled and (likely := [*tagged.secrets()]):
            known = bytearray(len(text))  # 1: rules have decided whether it is a secret
            for each in (*sure, *weak, *personal(text, folded(text))):
                known[each.start : each.end] = b"\1" * (each.end - each.start)
            for start, end in (*public, *_code_blocks(text)):
                known[start:end] = b"\1" * (end - start)
            weak += [each for each in likely if not any(known[each.start : each.end])]
    yield from sure
    yield from (each for each in weak if not _is_hint(text, each.start, each.end))


_HINT: Final = 64  # characters before a value that are searched for words of a hint


def _is_hint(text: str, start: int, end: int) -> bool:
    """Whether plain words are only a hint at a secret: "password hint: name of the first cat"."""
    before = folded(text[max(0, start - _HINT) : start]).rpartition("\n")[2]
    return holds(before, ordered("secret_hints")) and text[start:end].replace(" ", "").isalpha()


def _code_blocks(text: str) -> Iterator[tuple[int, int]]:
    """The fenced blocks of more than one word: the tagger is fitted to prose, and takes names in
    code for secrets. A single word in a block belongs to the prose before it."""
    for found in _FENCED.finditer(text) if "```" in text or "~~~" in text else ():
        if len(found[2].split()) > 1:
            yield found.span()


def _not_public(
    public: Sequence[tuple[int, int]],
    views: Sequence[Plain],
    read: Callable[[str], Iterable[Found]],
) -> Iterator[Found]:
    """The findings of `read` in all views of a text, except those that overlap `public` spans."""
    for view in views:
        for kind, *span in read(view.text):
            start, end = view.span(*span)
            if not any(begin < end and start < close for begin, close in public):
                yield Found(kind, start, end)


_PUBLIC: Final = late(
    r"(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-[a-z0-9@.-]{8,40})\s{1,2}"
    r"AAAA[A-Za-z0-9+/]{20,4000}={0,3}"
)
"""A public key of ssh, which is no secret."""


def _read(text: str, level: Level, name: str) -> Iterator[Found]:
    low = folded(text)
    if "PRIVATE KEY" in text or "Private-Lines" in text:
        yield from _private_keys(text)
    if _LONG.search(text):
        yield from _shapes(text, low)
    for span in mnemonics(text, low):
        yield Found("key", *span)
    if "{" in text or "[" in text:
        for field, value, start, end in fields(text, name):
            for cut in guard_field(field, value, level).cut:
                if end - start == len(value):
                    yield Found(cut.kind, start + cut.start, start + cut.end)
                else:  # with escapes the places differ, so the whole value is cut
                    yield Found(cut.kind, start, end)
    yield from commands(text, low)
    if _DIGIT_RUN.search(text):
        yield from cards(text, low)
    if level == "personal":
        yield from personal(text, low)


_BEGIN: Final = late(r"-----BEGIN [A-Z0-9 _-]{0,60}PRIVATE KEY(?: BLOCK)?-----")
_AFTER_HEAD: Final = late(r"\s|\\[nr]|[A-Za-z0-9+/]")
_BODY: Final = late(r"(?:[A-Za-z0-9+/=:,\s.()@<>-]|\\[nr]){16,20000}")
_PUTTY: Final = late(r"Private-Lines: ?\d{1,4}\s{1,4}([A-Za-z0-9+/=\s]{16,20000})")


def _private_keys(text: str) -> Iterator[Found]:
    """PEM, OpenSSH, PGP and PuTTY: to the closing line, else to the end of the key's alphabet."""
    for begin in places(text, "-----BEGIN "):
        head = _BEGIN.match(text, begin)
        if head is None or not _AFTER_HEAD.match(text, head.end()):
            continue
        closing = text.find("-----END ", head.end(), head.end() + 20000)
        if closing >= 0:
            tail = text.find("-----", closing + 9, closing + 90)
            end = tail + 5 if tail >= 0 else closing + 9
        else:
            body = _BODY.match(text, head.end())
            end = body.end() if body else head.end()
        # "-----BEGIN RSA PRIVATE KEY-----" alone is talk about a key.
        if sum(map(str.isalnum, text[head.end() : min(end, head.end() + 400)])) >= 24:
            yield Found("key", begin, end)
    for lines in _PUTTY.finditer(text):
        yield Found("key", lines.start(1), lines.end(1))


def _shapes(text: str, low: str) -> Iterator[Found]:
    holds_one, holds_name = sieve(text), sieve(low)
    for shape in prefixed():
        if holds_one(shape.anchor):
            yield from _prefixed(text, shape)
    for shape in embedded():
        if holds_one(shape.anchor):
            yield from _embedded(text, shape)
    for name in vendors():
        if holds_name(name):
            yield from _named(text, low, name)
    at = text.find("eyJ")
    while at >= 0:
        token = _JWT.match(text, at) if at == 0 or text[at - 1] not in _ALNUM else None
        if token is not None and _is_jose_header(token[1]):
            yield Found(TOKEN, at, token.end())
        at = text.find("eyJ", token.end() if token else at + 3)


def _prefixed(text: str, shape: Shape) -> Iterator[Found]:
    anchor = shape.anchor
    pattern = compiled(shape.pattern + r"(?![A-Za-z0-9])")
    for at in places(text, anchor):
        # A token is not part of a longer word; a connected name such as HF_TOKEN_hf_… is rare.
        if at == 0 or text[at - 1] not in _ALNUM:
            found = pattern.match(text, at)
            if found is not None and _is_random(found[0][len(anchor) :]):
                yield Found(TOKEN, at, found.end())


_BEFORE: Final = late(r"[\w.-]{0,40}$", re.ASCII)


def _embedded(text: str, shape: Shape) -> Iterator[Found]:
    anchor = shape.anchor
    pattern = compiled(shape.pattern)
    at = text.find(anchor)
    done = 0
    while at >= 0:
        step = at + 1
        if shape.back == 0:
            found = pattern.match(text, at) or pattern.match(text, at + len(anchor))
        else:
            begin = max(done, at - shape.back)
            run = _BEFORE.search(text, begin, at)
            found = pattern.match(text, run.start()) if run else None
        if (
            found is not None
            and (found.start() == 0 or text[found.start() - 1] not in _ALNUM or shape.back == 0)
            and text[found.end() : found.end() + 1] not in _ALNUM
            and _is_random(found[0])
        ):
            yield Found(TOKEN, found.start(), found.end())
            done = step = found.end()
        at = text.find(anchor, step)


def _named(text: str, low: str, name: str) -> Iterator[Found]:
    pattern = assigned(name)
    for at in places(low, name):
        # "lob" is no vendor in "blob": a name stands at the beginning of a word.
        inside = at > 0 and low[at - 1].isalpha() and not text[at].isupper()
        found = None if inside else pattern.match(text, at + len(name))
        if (
            found is not None
            and _is_random(found[1])
            and not holds(low[at : found.start(1)], ordered("hash_words"))
        ):
            yield Found(TOKEN, found.start(1), found.end(1))


def _is_random(value: str) -> bool:
    """Whether the body of a credential is no placeholder and has many different characters."""
    if is_placeholder(value):
        return False
    if any(map(str.isdigit, value)):
        return len(set(value)) >= 5
    return len(set(value)) >= 10 and not value.islower() and not value.isupper()


_JWT: Final = late(r"(eyJ[\w-]{10,2000})\.[\w-]{2,6000}(?:\.[\w-]{0,2000}){0,3}", re.ASCII)


def _is_jose_header(head: str) -> bool:
    """Whether `head` is the header of a JSON web token: it names an algorithm or a type."""
    try:
        header = json.loads(urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError):
        return False
    return bool(header.keys() & {"alg", "enc", "typ", "kid"})  # it begins with "{"
