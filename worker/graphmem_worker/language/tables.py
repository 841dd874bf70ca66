"""The tables of the languages, read from their folders."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import time_ns
from types import MappingProxyType
from typing import Any, Final

from graphmem_worker.language.numbers import Numerals, either
from graphmem_worker.language.phrases import YEARS, Gate, Phrase, Slot, compiled, spelled

FOLDER: Final = Path(__file__).parent
PACKED: Final = FOLDER / "tables.json"
"""All tables without their examples, written when the package is built, since TOML takes ten times
as long to read. A line has a kind and its tables as JSON."""

KEPT: Final = FOLDER / "__pycache__" / "tables.json"
"""The same for a checkout, written by `keep`, valid until a table changes."""

_SCRIPT: Final = "script"  # the kind of the table of characters

SHARED: Final = "mul"
"""The folder of the tables that all languages share."""

Value = int | str
"""The value of a word of a slot: a number or the name of a meaning."""

PERIOD: Final = "[\ue000-\uf8ff]"
"""A sign that replaces a period that was read in a text."""
_YEAR: Final = r"(?:19|20)\d\d"
DIGITS: Final = frozenset("0123456789")
_FIGURES: Final[Mapping[str, Slot]] = {
    "yyyy": Slot(_YEAR, YEARS),
    "mm": Slot("(?:1[0-2]|0?[1-9])", DIGITS),
    "m2": Slot("(?:1[0-2]|0[1-9])", DIGITS),
    "dd": Slot(r"(?:[12]\d|3[01]|0?[1-9])", DIGITS),
    "d2": Slot(r"(?:0[1-9]|[12]\d|3[01])", DIGITS),
    "nn": Slot(r"\d{1,2}", DIGITS, is_kept=False),
    "n2": Slot(r"\d\d", DIGITS, is_kept=False),
    "decade": Slot(r"(?:19|20)\d0|[2-9]0", DIGITS),
    "quarter": Slot("[1-4]", DIGITS),
    "half": Slot("[12]", DIGITS),
    "word": Slot(r"[^\W\d_]{1,20}", frozenset(), is_kept=False),
    "ending": Slot(r"[^\W\d_]{0,6}", frozenset(), is_kept=False),
    "figures": Slot(
        r"(?<![a-z0-9_.])(?:[$€£¥￥]\s?)?\d{1,12}(?:[.,:/-]\d{1,9}){0,4}", DIGITS, is_kept=False
    ),
    "han": Slot("[\u4e00-\u9fff]", frozenset(), is_kept=False),
    "digit": Slot(r"\d", frozenset(), is_kept=False),
    "letter": Slot("[a-z]", frozenset(), is_kept=False),
    "stem": Slot(r"[^\W\d_]{3,20}", frozenset(), is_kept=False),
    "here": Slot("", frozenset(), is_kept=False),
    "edge": Slot(r"\b", frozenset(), is_kept=False),
    "space": Slot(r"\s", frozenset(), is_kept=False),
    "begin": Slot(r"^[^\w]{0,8}", frozenset(), is_kept=False),
    "close": Slot(r"[^\w]{0,8}$", frozenset(), is_kept=False),
    "end": Slot(r"\s*$", frozenset(), is_kept=False),
    "period": Slot(PERIOD, frozenset()),
}
_UP_TO: Final[Mapping[str, str]] = {
    "words": r"(?:[\w'’-]{1,24}\s)",
    "clause": r"[^,;:.!?，；：。！？、\n]",
    "sentence": r"[^.!?。！？\n]",
    "near": r"[^.!?。！？\n]",
    "line": r"[^!?！？\n]",
    "part": r"[^，。？！\n]",
    "han": "[\u4e00-\u9fff]",
}
"""Slots of up to a number of words or characters: `<words3>`, `<clause12>`."""
_BOUNDED: Final = re.compile(rf"({'|'.join(_UP_TO)})(\d{{1,2}})")
_FEWEST: Final = ("near", "line", "part")
"""Slots that match as little as possible."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Phrases with one meaning, with examples."""

    language: str
    means: str
    """The name of the meaning."""
    say: tuple[str, ...]
    """The phrases."""
    given: Mapping[str, Value]
    """Slots that the rule fills itself → their values."""
    is_name: bool
    """Whether it matches only with a capital that is not the first of a sentence."""
    yes: tuple[str, ...]
    no: tuple[str, ...]
    line: int
    """Its place among the rules of its table, from 0."""


@dataclass(frozen=True, slots=True)
class Language:
    """The tables of one language."""

    code: str
    is_spaced: bool
    """Whether there are spaces between its words."""
    counts_days: bool
    """Whether days of a month are cardinal numbers."""
    numerals: Numerals
    vocabulary: Mapping[str, Mapping[str, Value]]
    """slot → word in lower case → its value"""
    shapes: Mapping[str, str]
    rules: tuple[Rule, ...]
    forms: tuple[str, ...]
    """The formats of a day."""
    monthless: tuple[str, ...]
    """The formats of a day without its month."""
    phrases: dict[str, Phrase] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The phrases that were compiled."""
    _slots: dict[str, Slot] = field(default_factory=dict, init=False, compare=False, repr=False)

    def slot(self, name: str) -> Slot:
        """A slot by its name. Raises KeyError for an unknown one."""
        if name not in self._slots:
            self._slots[name] = self._slot(name)
        return self._slots[name]

    def _slot(self, name: str) -> Slot:
        words = self.vocabulary.get(name, {})
        numerals = self.numerals
        if name in ("count", "number"):
            digits = r"(?<!\d)\d{1,3}(?!\d)" if name == "count" else r"\d{1,2}"
            parts = [digits, either(words), numerals.cardinal]
            return Slot(
                "|".join(filter(None, parts)), _gate(words, numerals.cardinals, numerals.scales)
            )
        if name == "day":
            plain = r"(?:[12]\d|3[01]|0?[1-9])(?!\d)"
            ending = f"(?:{either(numerals.endings)})?" if numerals.endings else ""
            more = numerals.cardinal if self.counts_days else numerals.ordinal
            gate = (
                _gate(numerals.cardinals, numerals.scales)
                if self.counts_days
                else _gate(numerals.ordinals)
            )
            return Slot("|".join(filter(None, [plain + ending, more])), gate)
        if name == "ordinal":
            parts = [either(words), numerals.ordinal]
            return Slot(
                "|".join(filter(None, parts)), _gate(words, numerals.ordinals, numerals.before)
            )
        if name == "year":
            known = {*numerals.cardinals.items(), *numerals.scales.items()}
            begins = {word for word, value in known if value in (19, 20, 1000)}
            gate = _FIGURES["yyyy"].words | begins if self.is_spaced else frozenset()
            return Slot("|".join(filter(None, [_YEAR, numerals.cardinal])), gate)
        if name in _FIGURES and not words:
            return _FIGURES[name]
        if (bounded := _BOUNDED.fullmatch(name)) is not None:
            lazy = "?" if bounded[1] in _FEWEST else ""
            up_to = f"{_UP_TO[bounded[1]]}{{0,{bounded[2]}}}{lazy}"
            return Slot(up_to, frozenset(), is_kept=False)
        return Slot(either(self.vocabulary[name]), frozenset(words))

    def value(self, slot: str, text: str) -> Value:
        """The value of a text in lower case in a slot. Raises ValueError if it has none."""
        text = text.replace("’", "'")
        if (found := self.vocabulary.get(slot, {}).get(text)) is not None:
            return found
        return self.numerals.read(text)

    def phrase(self, text: str) -> Phrase:
        """A phrase of this language, compiled. Raises PhraseError, or KeyError for its slots."""
        if text not in self.phrases:
            common = self.vocabulary["leading"]
            self.phrases[text] = compiled(text, self.slot, self.shapes, self.is_spaced, common)
        return self.phrases[text]

    def every_phrase(self) -> Iterator[str]:
        """The phrases of its rules."""
        for rule in self.rules:
            yield from rule.say


def _gate(*words: Iterable[str]) -> Gate:
    """A gate of figures and some words; open if one of these is a single letter."""
    found = {word for some in words for word in some}
    return frozenset() if any(w.isascii() and len(w) < 2 for w in found) else DIGITS | found


def codes() -> list[str]:
    """The codes of the languages that have tables, and `SHARED`."""
    return sorted(path.parent.name for path in FOLDER.glob("*/calendar.toml"))


def kinds(code: str) -> list[str]:
    """The kinds of table that a language has."""
    return sorted(path.stem for path in (FOLDER / code).glob("*.toml"))


def table_of(code: str, kind: str) -> dict[str, Any]:
    """A table of a language as in its file. Raises FileNotFoundError if there is none."""
    import tomllib  # an installed graphmem has the tables packed and never needs it

    path = FOLDER / code / f"{kind}.toml"
    if not path.exists():
        raise FileNotFoundError(f"no table {kind!r} of language {code!r} in {FOLDER}")
    text = path.read_text("utf-8")
    return tomllib.loads(text if kind == _SCRIPT else simplified(text))


_HAN: Final = re.compile(f"[{chr(0x4E00)}-{chr(0x10FFFF)}]")  # in half the time of max()


def simplified(text: str) -> str:
    """A text with simplified characters in place of traditional ones, at the same length: what all
    readers read. What is stored and shown stays as it was written."""
    if text.isascii() or _HAN.search(text) is None:
        return text
    traditional, signs = _signs()
    return text if traditional.isdisjoint(text) else text.translate(signs)


def as_written(part: str, text: str) -> str:
    """A part of a text as it is read, in the characters of the text."""
    at = simplified(text).find(part)
    return part if at < 0 else text[at : at + len(part)]


@cache
def _signs() -> tuple[frozenset[str], Mapping[int, int]]:
    """The traditional characters, and a table for `str.translate`."""
    pairs = "".join("".join(table.values()) for table in tables(_SCRIPT).values())
    pairs = "".join(pairs.split())
    return frozenset(pairs[::2]), str.maketrans(pairs[::2], pairs[1::2])


@cache
def tables(kind: str) -> Mapping[str, Mapping[str, Any]]:
    """Code of a language → its table of a kind. Packed tables have no examples."""
    if lines := _lines():
        found: dict[str, dict[str, Any]] = json.loads(lines[kind.encode()])
        return found
    return {code: table_of(code, kind) for code in codes() if kind in kinds(code)}


@cache
def _lines() -> dict[bytes, bytes]:
    """Kind → packed tables as JSON; empty if the TOML files have to be read."""
    source = PACKED if PACKED.exists() else KEPT
    if source == KEPT and not _is_current():
        return {}
    # Kept as bytes, since most of a million characters is never decoded.
    return dict(line.split(b"\t", 1) for line in source.read_bytes().split(b"\n"))


@cache
def known_words() -> frozenset[str]:
    """The words of Latin letters in any table, in lower case, which are no typing errors."""
    every = b" ".join(_lines().values()).decode() or packed()
    return frozenset(re.findall("[a-zß-ɏ]+", every.lower()))


def _is_current() -> bool:
    """Whether the packed tables of a checkout are newer than all its tables."""
    if not KEPT.exists():
        return False
    written = KEPT.stat().st_mtime_ns
    sources = (*FOLDER.glob("*/*.toml"), *FOLDER.glob("[!_]*"))
    return all(source.stat().st_mtime_ns < written for source in sources)


def keep() -> None:
    """Pack the tables of a checkout, so that the next process reads them in a tenth of the time.
    Does nothing if they are packed or the folder is not writable."""
    if _lines():
        return
    begun = time_ns()
    with suppress(OSError):
        KEPT.parent.mkdir(exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=KEPT.parent, delete=False) as file:
            made = Path(file.name)
            with suppress(OSError):
                file.write(packed())
                file.close()
                os.utime(made, ns=(begun, begun))  # so a table that is changed meanwhile is newer
                made.replace(KEPT)
                _lines.cache_clear()
        made.unlink(missing_ok=True)


def packed() -> str:
    """All tables without their examples, with the phrases of rules compiled, a line a kind."""
    every: dict[str, dict[str, Any]] = {}
    for code in codes():
        for kind in kinds(code):
            every.setdefault(kind, {})[code] = table_of(code, kind)
    tongues = {tongue.code: tongue for tongue in languages()}
    for kind, found in every.items():
        for code, table in found.items():
            for rule in (*table.get("rule", ()), *table.get("expression", ())):
                rule.pop("yes", None)
                rule.pop("no", None)
            if "rule" not in table:
                continue
            tongue = tongues[code] if kind == "calendar" else extended(tongues[code], table)
            gates: dict[Gate, int] = {}
            phrases = {text: tongue.phrase(text) for text in tongue.every_phrase()}
            table["phrases"] = {
                text: [one.pattern, [gates.setdefault(gate, len(gates)) for gate in one.gates]]
                for text, one in phrases.items()
            }
            table["gates"] = [sorted(gate) for gate in gates]
    return "\n".join(
        f"{kind}\t{json.dumps(found, ensure_ascii=False, separators=(',', ':'))}"
        for kind, found in every.items()
    )


@cache
def languages() -> tuple[Language, ...]:
    """All languages; `SHARED` first."""
    numbers = tables("numbers")
    calendars = tables("calendar")
    order = sorted(calendars, key=lambda code: (code != SHARED, code))
    return tuple(built(code, calendars[code], numbers.get(code, {})) for code in order)


def extended(tongue: Language, table: Mapping[str, Any]) -> Language:
    """A language with the words and lists of another of its tables added, and the shapes and rules
    of that table instead of its own."""
    words = {slot: dict(_values(entries)) for slot, entries in table.get("words", {}).items()}
    for slot in table.get("lists", ()):
        terms = tables("lists")[tongue.code][slot]
        words[slot] = {term.strip(): slot for term in terms.split(",")}
    found = replace(
        tongue,
        vocabulary={**tongue.vocabulary, **words},
        shapes=table.get("shapes", {}),
        rules=_rules(tongue.code, table),
        forms=(),
        monthless=(),
    )
    _add_compiled(found, table)
    return found


def _add_compiled(tongue: Language, table: Mapping[str, Any]) -> None:
    """Add the compiled phrases of a packed table to a language."""
    gates = [frozenset(words) for words in table.get("gates", ())]
    for text, (pattern, needed) in table.get("phrases", {}).items():
        tongue.phrases[text] = Phrase(pattern, tuple(gates[n] for n in needed), tongue.is_spaced)


def built(code: str, calendar: Mapping[str, Any], numbers: Mapping[str, Any]) -> Language:
    """A language of its tables. Raises KeyError or ValueError if a table has a wrong entry."""
    respelt = dict(pair.split() for pair in calendar.get("respelt", ()))
    numerals = Numerals(
        cardinals=_numbers(numbers.get("cardinals", {}), respelt),
        scales=_numbers(numbers.get("scales", {}), respelt),
        ordinals=_numbers(numbers.get("ordinals", {}), respelt),
        joins=tuple(numbers.get("joins", ())),
        endings=tuple(numbers.get("endings", ())),
        before=tuple(numbers.get("before", ())),
        written={int(n): ending for ending, ns in numbers.get("written", {}).items() for n in ns},
    )
    vocabulary = {
        slot: dict(_values(words, respelt)) for slot, words in calendar.get("words", {}).items()
    }
    found = Language(
        code,
        calendar.get("spaced", True),
        calendar.get("days", "ordinal") == "cardinal",
        numerals,
        vocabulary,
        calendar.get("shapes", {}),
        _rules(code, calendar),
        tuple(calendar.get("forms", ())),
        tuple(calendar.get("monthless", ())),
    )
    _add_compiled(found, calendar)
    return found


def _rules(code: str, table: Mapping[str, Any]) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            code,
            rule["means"],
            tuple(rule["say"]),
            rule.get("with", {}),
            rule.get("name", False),
            tuple(rule.get("yes", ())),
            tuple(rule.get("no", ())),
            line,
        )
        for line, rule in enumerate(table.get("rule", ()))
    )


def _values(
    words: Mapping[str, str], respelt: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[str, Value]]:
    """The words of a slot with their values. Words with letters that a language also spells in
    another way are given in both spellings."""
    for meaning, written in words.items():
        value: Value = int(meaning) if re.fullmatch(r"-?\d+", meaning) else meaning
        for word in written.split():
            for name in spelled(word):
                yield name, value
                if not respelt.keys().isdisjoint(name):
                    yield "".join(respelt.get(letter, letter) for letter in name), value


def _numbers(words: Mapping[str, str], respelt: Mapping[str, str]) -> dict[str, int]:
    return {word: int(value) for word, value in _values(words, respelt)}
