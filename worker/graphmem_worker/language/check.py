"""Checks of the tables of a language: lines, phrases, names, the examples of each rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from graphmem_worker.language import calendar, harm, tables
from graphmem_worker.language.calendar import Grammar
from graphmem_worker.language.expressions import Expression, numbered
from graphmem_worker.language.expressions import written as joined
from graphmem_worker.language.meanings import MEANINGS
from graphmem_worker.language.period import Period
from graphmem_worker.language.phrases import PhraseError
from graphmem_worker.language.sayings import Sayings, folded, sayings
from graphmem_worker.language.tables import SHARED, Language, Rule, built, extended, kinds, table_of
from graphmem_worker.text.lexicon import NONE

TODAY: Final = date(2026, 5, 13)
"""The Wednesday that the examples of the tables count from."""
_MODELS: Final = ("en", "zh", SHARED)
"""The languages with all tables: a name that none of theirs has is not used."""
_LISTS: Final = {"lists", "numbers"}  # whose entries differ between languages
_TERMS: Final = ("harm", "marks")  # tables of words by class
_LONGEST_LINE: Final = 100
_FEWEST: Final = 2  # examples of either kind
_UNBOUNDED: Final = re.compile(r"(?<!\\)(?:[*+]|\{\d*,\})(?!\+)")
_CLASS: Final = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_DAY: Final = re.compile(r"(?:(\d{4})|-)-(\d\d)-(\d\d)")
_NOTHING: Final = "nothing"


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check."""

    folder: Path
    """The folder of the language."""
    faults: tuple[str, ...]
    """Messages of one line: where, and what is wrong."""
    rules: int
    phrases: int
    examples: int
    unused: tuple[str, ...]
    """Phrases that no example matches."""
    lacking: tuple[str, ...]
    """Tables, and their meanings and classes, that `en` has and this language lacks."""


def check(code: str) -> Report:
    """Check the tables of a language. Raises FileNotFoundError if it has no calendar."""
    if "calendar" not in kinds(code):
        raise FileNotFoundError(f"no table 'calendar' of language {code!r} in {tables.FOLDER}")
    return _Check(code).report()


def findings(text: str) -> dict[str, list[str]]:
    """Kind of table, without the calendar → the meanings of its rules that match a text."""
    found: dict[str, list[str]] = {}
    for kind in kinds(_MODELS[0]):
        every = tables.tables(kind).values()
        if kind == "calendar" or not any("rule" in table for table in every):
            continue
        matches = Sayings.is_whole if any(t.get("whole") for t in every) else Sayings.is_in
        meanings = {rule["means"] for table in every for rule in table.get("rule", ())}
        matched = sorted(m for m in meanings if matches(sayings(kind, m), folded(text)))
        if matched:
            found[kind] = matched
    return found


@dataclass
class _Check:
    code: str
    faults: list[str] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    lines: dict[str, list[int]] = field(default_factory=dict)
    """kind → the lines at which its rules begin; "kind expression" → those of its expressions"""
    examples: int = 0
    """How many its expressions have."""

    def report(self) -> Report:
        read = {kind: table for kind in kinds(self.code) if (table := self._read(kind)) is not None}
        numbers = read.get("numbers", {})
        tongue = self._built("calendar", lambda: built(self.code, read["calendar"], numbers))
        for kind in sorted(read.keys() - {"calendar", "numbers"}):
            self._names(kind, read[kind])
        if tongue is not None:
            self._calendar(tongue)
            for kind in sorted(read.keys() - {"calendar", "harm"}):
                self._sayings(kind, tongue, read[kind])
                self._expressions(kind, read[kind])
        if "terms" in read.get("harm", ()):
            self._harm(read["harm"].get("clear", ()))
        phrases = [phrase for rule in self.rules for phrase in rule.say]
        return Report(
            tables.FOLDER / self.code,
            tuple(self.faults),
            len(self.rules) + sum(len(table.get("expression", ())) for table in read.values()),
            len(phrases),
            self.examples + sum(len(rule.yes) + len(rule.no) for rule in self.rules),
            tuple(phrase for phrase in phrases if phrase not in self.used),
            tuple(self._lacking(read)) if self.code not in _MODELS else (),
        )

    @staticmethod
    def _lacking(read: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
        for kind in sorted({*kinds(_MODELS[0])} - _LISTS):
            if kind not in read:
                yield f"{kind}.toml"
            elif names := _named(table_of(_MODELS[0], kind)) - _named(read[kind]):
                yield f"{kind}: {', '.join(sorted(names))}"

    def _read(self, kind: str) -> dict[str, Any] | None:
        """A table; None, with a fault, if it is no valid TOML."""
        name = f"{self.code}/{kind}.toml"
        lines = (tables.FOLDER / name).read_text("utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if line.startswith("[["):
                of = f"{kind} expression" if line.startswith("[[expression") else kind
                self.lines.setdefault(of, []).append(number)
            if len(line) > _LONGEST_LINE:
                self.faults.append(f"{name}:{number}: {len(line)} characters, over {_LONGEST_LINE}")
        try:
            return table_of(self.code, kind)
        except ValueError as error:
            self.faults.append(f"{name}: {error}")
        return None

    def _built(self, kind: str, build: Callable[[], Language]) -> Language | None:
        try:
            return build()
        except KeyError as error:
            self.faults.append(f"{self.code}/{kind}.toml: there is no {error}")
        except (AttributeError, TypeError, ValueError) as error:
            self.faults.append(f"{self.code}/{kind}.toml: {error}")
        return None

    def _fault(self, kind: str, place: int, name: str, fault: str) -> None:
        at = f"{kind.split()[0]}.toml:{self.lines[kind][place]}"
        self.faults.append(f"{self.code}/{at} ({name}): {fault}")

    def _names(self, kind: str, table: Mapping[str, Any]) -> None:
        """Report names of a table that nothing uses."""
        if kind in _TERMS and "terms" not in table:
            self.faults.append(f"{self.code}/{kind}.toml: there is no [terms]")
        if self.code in _MODELS:
            return
        known = {n for code in _MODELS if kind in kinds(code) for n in _named(table_of(code, kind))}
        for name in sorted(_named(table) - known - {NONE}):
            self.faults.append(f"{self.code}/{kind}.toml: nobody asks for {name!r}")

    def _checked(self, kind: str, tongue: Language) -> Language:
        """A language with its valid phrases only; reports the others, and missing examples."""
        self.rules += tongue.rules
        rules: list[Rule] = []
        for rule in tongue.rules:
            for name, examples in (("yes", rule.yes), ("no", rule.no)):
                if len(examples) < _FEWEST:
                    fault = f"{len(examples)} examples under `{name}`, fewer than {_FEWEST}"
                    self._fault(kind, rule.line, rule.means, fault)
            at = f"{kind}.toml:{self.lines[kind][rule.line]} ({rule.means})"
            rules.append(replace(rule, say=self._valid(at, tongue, rule.say)))
        return replace(tongue, rules=tuple(rules))

    def _valid(self, at: str, tongue: Language, phrases: Iterable[str]) -> tuple[str, ...]:
        """The valid ones of some phrases; reports the others."""
        wrong = {text: fault for text in phrases if (fault := _phrase_fault(tongue, text))}
        self.faults += (f"{self.code}/{at}: {text!r}: {fault}" for text, fault in wrong.items())
        return tuple(text for text in phrases if text not in wrong)

    def _calendar(self, tongue: Language) -> None:
        tongue = self._checked("calendar", tongue)
        for rule in tongue.rules:
            if rule.means not in MEANINGS:
                self._fault("calendar", rule.line, rule.means, "there is no such meaning")
        known = tuple(rule for rule in tongue.rules if rule.means in MEANINGS)
        others = [] if self.code == SHARED else [built(SHARED, table_of(SHARED, "calendar"), {})]
        grammar = Grammar([*others, replace(tongue, rules=known)])
        for rule in known:
            for fault in _example_faults(grammar, rule, self.used):
                self._fault("calendar", rule.line, rule.means, fault)

    def _sayings(self, kind: str, tongue: Language, table: Mapping[str, Any]) -> None:
        """Check the rules of a table for sayings."""
        if "rule" not in table:
            return
        found = self._built(kind, lambda: extended(tongue, table))
        if found is None:
            return
        own = self._checked(kind, found)
        matches = Sayings.is_whole if table.get("whole", False) else Sayings.is_in
        for rule in own.rules:
            phrases = {phrase: Sayings([own.phrase(phrase)]) for phrase in rule.say}
            for text, expected in (*((t, True) for t in rule.yes), *((t, False) for t in rule.no)):
                by = [phrase for phrase, one in phrases.items() if matches(one, folded(text))]
                if bool(by) is not expected:
                    shown = "is not found" if expected else "is found"
                    self._fault(kind, rule.line, rule.means, f"{text!r} {shown}")
                self.used.update(by if expected else ())

    def _expressions(self, kind: str, table: Mapping[str, Any]) -> None:
        """Check the expressions of a table."""
        for place, rule in enumerate(table.get("expression", ())):
            means = rule.get("means", "")
            self.examples += len(rule.get("yes", ())) + len(rule.get("no", ()))
            for fault in _expression_faults(rule, table.get("parts", {})):
                self._fault(f"{kind} expression", place, means, fault)

    def _harm(self, rules: Any) -> None:
        """Check the clear cases of harm."""
        for place, rule in enumerate(rules):
            names, fault = rule.get("say", ""), ""
            wanted = set(names.split())
            if unknown := wanted - harm.known():
                fault = f"there is no class {' '.join(sorted(unknown))}"
            elif any(len(rule.get(kind, ())) < _FEWEST for kind in ("yes", "no")):
                fault = f"fewer than {_FEWEST} examples under `yes` or `no`"
            for kind in ("yes", "no") if not fault else ():
                for text in rule[kind]:
                    found = harm.classes(text)
                    is_found = wanted <= set(found) and not harm.is_unreal(text)
                    if is_found is not (kind == "yes"):
                        shown = f"under `{kind}`: {text!r} has the classes {' '.join(found)}"
                        self._fault("harm", place, names, shown)
            if fault:
                self._fault("harm", place, names, fault)


def _named(table: Mapping[str, Any]) -> set[str]:
    """The names by which readers get the entries of a table."""
    if "rule" in table or "expression" in table:
        rules = (*table.get("rule", ()), *table.get("expression", ()))
        return {rule.get("means", "") for rule in rules}
    return {*table, *table.get("terms", {}), *table.get("endings", {})}


def _phrase_fault(tongue: Language, text: str) -> str:
    """What is wrong with a phrase; "" if nothing is."""
    try:
        pattern = tongue.phrase(text).pattern
        re.compile(pattern)
    except (PhraseError, re.error) as error:
        return str(error)
    except KeyError as error:
        return f"there is no slot <{error.args[0]}>"
    is_bounded = not _UNBOUNDED.search(pattern.replace(r"\s*$", "").replace(r"\s+", ""))
    return "" if is_bounded else "repeats without a bound"


def _expression_faults(rule: Mapping[str, Any], parts: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with an expression, or with its examples."""
    try:
        pattern = joined(rule, parts)
        re.compile(numbered(pattern))
    except KeyError as error:
        yield f"there is no {error}"
        return
    except re.error as error:
        yield str(error)
        return
    if _UNBOUNDED.search(_CLASS.sub("c", pattern)):
        yield "repeats without a bound"
    one = Expression([(rule, pattern, True)])
    for name, expected in (("yes", True), ("no", False)):
        examples = rule.get(name, ())
        if len(examples) < _FEWEST:
            yield f"{len(examples)} examples under `{name}`, fewer than {_FEWEST}"
        for text in examples:
            if one.within(text, folded(text)) is not expected:
                yield f"{text!r} is {'not ' if expected else ''}found"


def _example_faults(grammar: Grammar, rule: Rule, used: set[str]) -> Iterator[str]:
    """What is wrong with the examples of a rule of the calendar. " = " separates an example and its
    period, which may be left out under `no`."""
    for example, is_positive in (*((e, True) for e in rule.yes), *((e, False) for e in rule.no)):
        text, _, expected = example.rpartition(" = ") if " = " in example else (example, "", "")
        line = calendar.read(text, TODAY, grammar)
        signs = [] if line is None else [sign for sign in line.text if sign in line.found]
        by = [] if line is None else [p for sign in signs for p in line.by[sign]]
        refused = calendar.refused(text, TODAY, grammar)
        got = [] if line is None else [line.found[sign].period for sign in signs]
        used.update(p.text for p in (*by, *refused) if is_positive)
        if expected or is_positive:
            try:
                wanted = [] if expected == _NOTHING else [_period(expected)]
            except ValueError as error:
                yield f"{text!r}: {error}"
                continue
            if got != wanted:
                shown = ", ".join(map(written, got)) or "no period"
                yield f"{text!r} means {shown}, not {expected}"
                continue
        is_nothing = rule.means == _NOTHING
        rules = [p.rule for p in (refused if is_nothing else by)]
        if not is_positive and rule in rules:
            yield f"{text!r} is taken for {_NOTHING if is_nothing else 'a period'}"
        elif is_positive and not (any(rules) if is_nothing else rule in rules):
            yield f"{text!r} is read by {'no rule' if is_nothing else 'another rule'}"


def _period(text: str) -> Period:
    """The period of an example: "2026-05-07", "--05-07" of any year, or two of these.

    Raises ValueError for another format.
    """
    days: list[date] = []
    is_yearly = False
    for word in text.split():
        parts = _DAY.fullmatch(word)
        if parts is None:
            break
        is_yearly = parts[1] is None
        with suppress(ValueError):
            days.append(date(int(parts[1] or 2000), int(parts[2]), int(parts[3])))
    if not 1 <= len(days) == len(text.split()) <= 2:
        raise ValueError(f"{text!r} is no day: write 2026-05-07 or --05-07")
    if is_yearly and days[-1] < days[0]:
        days[-1] = days[-1].replace(year=2001)
    return Period(days[0], days[-1], is_yearly)


def written(period: Period) -> str:
    """A period in the format of the examples."""
    days = [period.first, period.last][: 1 + (period.first != period.last)]
    shown = [day.isoformat() for day in days]
    return " ".join("-" + day[4:] if period.yearly else day for day in shown)
