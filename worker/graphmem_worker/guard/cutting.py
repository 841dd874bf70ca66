"""Cut the secrets out of a text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from graphmem_worker.guard.commands import commands
from graphmem_worker.guard.indirect import indirect
from graphmem_worker.guard.names import named, words
from graphmem_worker.guard.personal import cards, personal
from graphmem_worker.guard.placeholders import Filled
from graphmem_worker.guard.plain import plain
from graphmem_worker.guard.prose import Found, chinese, english
from graphmem_worker.guard.shapes import credentials
from graphmem_worker.guard.spelling import simplified
from graphmem_worker.guard.structure import fields
from graphmem_worker.guard.tagger import Tagged
from graphmem_worker.guard.values import lowered, may_be_password, secret_as
from graphmem_worker.language.lists import listed
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
    `ruled`: only what a rule finds, and not what the tagger alone takes for a secret.

    What is left has no secret that a second call would find. The time is linear in the text. Raises
    ValueError for an unknown level or kind.
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
    """`guard` for the value of a field, which its name may say to be a secret as a whole.

    Such a value is cut unless it stands for one (`${TOKEN}`, "changeme"). Any other is read after
    its name as well as alone: {"gate": "code 4471"}. Raises like `guard`.
    """
    _check(level, allow)
    kind = named(name)
    if (
        kind
        and kind not in allow
        and secret_as(kind, value.strip())
        and (listed("keyword_verbs").isdisjoint(words(name)) or may_be_password(value.strip()))
    ):
        return _without(value, (Cut(kind, 0, len(value)),))
    told = f"{' '.join(words(name))}: " if name and len(name) <= _LONGEST_NAME else ""

    def find(left: str) -> Iterator[Found]:
        is_prose = _SPACED.search(left) is not None  # one word alone says nothing around it
        yield from _found(left, level, name, is_prose=is_prose, ruled=ruled)
        for each in _found(told + left[:_HEAD], level, is_prose=False) if told else ():
            start = max(0, each.start - len(told))
            yield Found(each.kind, start, each.end - len(told))

    return _settled(value, find, allow)


_SPACED: Final = late(r"\s|[^\x00-\x7f]")
_LONGEST_NAME: Final = 80
_HEAD: Final = 400
"""Characters of a field's value that its name is read together with."""


def _check(level: str, allow: Collection[str]) -> None:
    if level not in ("secrets", "personal"):
        raise ValueError(f"unknown level of the guard: {level!r}")
    if unknown := set(allow) - SECRET_KINDS - PERSONAL_KINDS:
        raise ValueError(f"unknown kinds to allow: {', '.join(sorted(unknown))}")


_MOST_ROUNDS: Final = 8


def _settled(text: str, find: Callable[[str], Iterable[Found]], allow: Collection[str]) -> Guarded:
    """A text without what is found in it, and then in what is left of it: a cut may bring together
    what stood too far apart, or lay in another finding."""
    cuts: tuple[Cut, ...] = ()
    for _ in range(_MOST_ROUNDS):
        known = [Found(cut.kind, cut.start, cut.end) for cut in cuts]
        filled = Filled(text, known)
        more = _merged((*known, *filled.beside(find(filled.text))), allow)
        if more == cuts:
            break
        cuts = more
    return _without(text, cuts)


def _without(text: str, cuts: tuple[Cut, ...]) -> Guarded:
    if not cuts:
        return Guarded(text, ())
    pieces: list[str] = []
    done = 0
    for cut in cuts:
        pieces += (text[done : cut.start], f"[{cut.kind}]")
        done = cut.end
    pieces.append(text[done:])
    return Guarded("".join(pieces), cuts)


def _merged(found: Iterable[Found], allow: Collection[str]) -> tuple[Cut, ...]:
    """Without what is allowed, and without overlaps: the longer finding names the kind."""
    cuts: list[Cut] = []
    for each in sorted(found, key=lambda f: (f.start, -f.end)):
        if each.kind in allow or each.start >= each.end:
            continue
        last = cuts[-1] if cuts else None
        if last is not None and each.start == last.end and each.kind == last.kind:
            cuts[-1] = Cut(last.kind, last.start, each.end)
        elif last is None or each.start >= last.end:
            cuts.append(Cut(*each))
        elif each.end > last.end:
            kind = last.kind if last.end - last.start >= each.end - each.start else each.kind
            cuts[-1] = Cut(kind, last.start, each.end)
    return tuple(cuts)


_WIDE: Final = late("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_NARROW: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_DIGIT_RUN: Final = late(r"(?<!\d)\d(?:[ -]?\d){12}")
_LATIN: Final = late("[a-z]")


def _found(
    text: str, level: Level, name: str = "", *, is_prose: bool = True, ruled: bool = False
) -> Iterator[Found]:
    if not text.isascii():
        if _WIDE.search(text):
            text = text.translate(_NARROW)  # full-width letters and digits, one for one
        text = text.translate(simplified())
    if "AAAA" in text:
        text = _PUBLIC.sub(lambda key: " " * len(key[0]), text)
    told = plain(text)
    low = lowered(told.text)
    sure = [*_formats(text, level, name), *told.placed(_told(told.text, low, level))]
    weak = [*told.placed(beside_names(told.text, low))]
    if is_prose:
        tagged = Tagged(told)
        weak = [each for each in weak if not tagged.doubts(each)]
        if not ruled and (likely := [*tagged.secrets()]):
            known = bytearray(len(text))  # what is judged already, as a secret or as none
            for each in (*sure, *weak, *personal(text, lowered(text))):
                known[each.start : each.end] = b"\1" * (each.end - each.start)
            weak += [each for each in likely if not any(known[each.start : each.end])]
    yield from sure
    yield from weak


_PUBLIC: Final = late(
    r"(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-[a-z0-9@.-]{8,40})\s{1,2}"
    r"AAAA[A-Za-z0-9+/]{20,4000}={0,3}"
)
"""A public key of ssh, which is meant to be shown."""


def _formats(text: str, level: Level, name: str) -> Iterator[Found]:
    """What the format of a text, or of a part of it, tells to be secret."""
    low = lowered(text)
    yield from credentials(text, low)
    if "{" in text or "[" in text:
        for field, value, start, end in fields(text, name):
            for cut in guard_field(field, value, level).cut:
                if end - start == len(value):
                    yield Found(cut.kind, start + cut.start, start + cut.end)
                else:  # escapes in it: as a whole
                    yield Found(cut.kind, start, end)
    yield from commands(text, low)
    if level == "personal":
        yield from personal(text, low)


def _told(text: str, low: str, level: Level) -> Iterator[Found]:
    """What a text without its formatting tells to be secret: numbers may be spaced in it."""
    yield from indirect(text, low)
    if _DIGIT_RUN.search(text):
        yield from cards(text, low)
    if level == "personal":
        yield from personal(text, low)


def beside_names(text: str, low: str) -> Iterator[Found]:
    """What stands in a text beside the name of a secret; the tagger may doubt it."""
    if text.isascii() or _LATIN.search(low):
        yield from english(text, low)
    yield from chinese(text, low)
