"""Guarding: every text passes here before anything else sees it, and leaves without its secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from graphmem.errors import ArgumentTypeError, InvalidArgumentError, SecretError
from graphmem.settings import GuardLevel
from graphmem.values.remembered import Secret
from graphmem_worker.guard import (
    PERSONAL_KINDS,
    SECRET_KINDS,
    Guarded,
    Level,
    guard,
    guard_field,
    mapped,
)
from graphmem_worker.text.patterns import late

KINDS: Final = tuple(sorted(SECRET_KINDS | PERSONAL_KINDS))

_BEGINS, _ENDS = "-----BEGIN ", "-----END "
_NOT_PLAIN: Final = late(r"[^A-Za-z0-9_./,-]|[A-Za-z0-9_]{14}|\d(?:-?\d){11}")
_SIGN: Final = late(
    r"[\s\u0080-\U0010ffff]|[A-Za-z0-9_]{14}|\d(?:[^A-Za-z]?\d){11}|://|-----|@"
    r"|(?i:pass|pw|secret|tok|key|cred|auth|bearer|code|pin|login|cv|wifi|wi-fi|ssid|combination"
    r"|hotspot)"
)
"""A name can only hold a secret if both match: `_NOT_PLAIN`, a character unusual in names or a long
run; and `_SIGN`, a space, a run, a separator or a word that goes with secrets."""
_SPEAKERS: Final = 256  # that are known to be no secrets
_LONGEST_BLOCK: Final = 400  # lines of a private key, which is cut as a whole


class Guard:
    """Cuts secrets out of the texts of a memory, as the setting `guard` says."""

    def __init__(self, level: GuardLevel) -> None:
        self._level = level
        self._worker_level: Level = "personal" if level == "personal" else "secrets"
        # Speakers without a secret, with the kinds allowed: nearly every text has one of a few.
        self._clean_speakers: set[tuple[str, tuple[str, ...]]] = set()

    def cut(
        self, text: str, where: str = "text", allow: Iterable[str] = ()
    ) -> tuple[str, tuple[Secret, ...]]:
        """A text without its secrets, and what was cut out of it.

        where: what the text is: "text", "speaker", "keyword" … allow: kinds that stay.
        Raises SecretError if the setting is "refuse" and there is anything to cut.
        """
        allowed = tuple(allow)
        if self._level == "off" or (text, allowed) in self._clean_speakers:
            return text, ()
        found = guard(text, self._worker_level, allowed)
        if found.cut and self._level == "refuse":
            raise _refused(found, where)
        if where == "speaker" and not found.cut:
            if len(self._clean_speakers) >= _SPEAKERS:
                self._clean_speakers.clear()
            self._clean_speakers.add((text, allowed))
        return found.text, tuple(Secret(c.kind, c.start, c.end, where) for c in found.cut)

    def field(
        self, name: str, value: Any, where: str, allow: Iterable[str] = ()
    ) -> tuple[Any, tuple[Secret, ...]]:
        """The value of a field, of JSON or msgpack, without its secrets at all depths, and what was
        cut out of it. Names in maps and pairs identify a value: {"password": …}, ["pin",
        4471]. A whole number that is a secret becomes a text. where, allow, errors: as in `cut`."""
        if self._level == "off":
            return value, ()
        found: list[Secret] = []

        def clean(name: str, each: Any) -> Any:
            match each:
                case str():
                    text = each
                case bytes():
                    try:
                        text = each.decode()
                    except UnicodeDecodeError:
                        return each  # binary: cutting would damage it
                case int() if name and not isinstance(each, bool):
                    text = str(each)
                case _:
                    return each
            guarded = guard_field(name, text, self._worker_level, tuple(allow))
            if guarded.cut and self._level == "refuse":
                raise _refused(guarded, where)
            found.extend(Secret(c.kind, c.start, c.end, where) for c in guarded.cut)
            if not guarded.cut:
                return each
            return guarded.text.encode() if isinstance(each, bytes) else guarded.text

        left = mapped(value, clean, name)
        return (left if found else value), tuple(found)

    def clean(self, value: Any, name: str = "") -> Any:
        """A value without its secrets, at all depths. Raises SecretError like `cut`."""
        return self.field(name, value, "value")[0]

    def cue(self, text: str) -> str:
        """A cue without its secrets, which may be sent to a server; never raises SecretError."""
        if self._level == "off":
            return text
        return guard(text, self._worker_level).text

    def name(self, what: str, text: str) -> None:
        """Refuse a name with a secret in it, which could not be cut without changing what it names.

        what: the kind of thing named. A name without a sign of a secret is not examined further,
        which would take twenty times as long; nor is it judged as prose, which would take an id
        beside a word that is not English for a password. Raises SecretError.
        """
        if self._level == "off":
            return
        if self._level != "personal" and (not _NOT_PLAIN.search(text) or not _SIGN.search(text)):
            return
        found = guard_field("", text, self._worker_level, ruled=True)
        if found.cut:
            kinds = ", ".join(dict.fromkeys(cut.kind for cut in found.cut))
            raise SecretError(
                f"a {what} holds secrets ({kinds}); a name cannot be cut, so choose another one"
            )

    def lines(self, lines: Iterable[str], kinds: set[str]) -> Iterator[str]:
        """The lines of a file without their secrets; the kinds that were cut are added to `kinds`.

        A block that begins like a private key is examined as a whole, up to 400 lines.
        """
        held: list[str] = []
        for line in lines:
            if not held and _BEGINS not in line:
                yield self._noted(line, kinds)
                continue
            held.append(line)
            if _ENDS in line or len(held) == _LONGEST_BLOCK:
                yield self._noted("".join(held), kinds)
                held = []
        if held:
            yield self._noted("".join(held), kinds)

    def _noted(self, text: str, kinds: set[str]) -> str:
        left, found = self.cut(text)
        kinds.update(secret.kind for secret in found)
        return left


def check_allowed(given: object) -> tuple[str, ...]:
    """The kinds of secrets that stay. Raises ArgumentTypeError, InvalidArgumentError."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ArgumentTypeError("allow is a list of kinds, such as ['code']")
    kinds = tuple(given)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        # The message does not quote it: it may be the secret itself.
        raise InvalidArgumentError(
            f"allow takes {', '.join(KINDS)}, and {len(unknown)} of its kinds is none of these"
        )
    return kinds


def _refused(found: Guarded, where: str) -> SecretError:
    places = ", ".join(f"{c.kind} at characters {c.start}–{c.end}" for c in found.cut[:5])
    return SecretError(
        f"the {where} holds secrets ({places}), which guard='refuse' keeps out; take them out, or "
        "allow their kinds for this call with allow=[…]"
    )
