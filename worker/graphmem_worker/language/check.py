"""Whether the tables of a language hold: lines, phrases, the examples of each rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from graphmem_worker.language import calendar
from graphmem_worker.language.calendar import Grammar
from graphmem_worker.language.meanings import MEANINGS
from graphmem_worker.language.period import Period
from graphmem_worker.language.phrases import PhraseError
from graphmem_worker.language.sayings import Sayings, folded
from graphmem_worker.language.tables import (
    FOLDER,
    SHARED,
    Language,
    Rule,
    built,
    extended,
    kinds,
    table_of,
)

TODAY: Final = date(2026, 5, 13)
"""The Wednesday on which the examples of the tables are said."""
_LONGEST_LINE: Final = 100
_FEWEST: Final = 2  # examples of either kind
_ALONE: Final = ("calendar", "harm")  # tables whose rules have interpreters of their own
_UNBOUNDED: Final = re.compile(r"(?<!\\)(?:[*+]|\{\d*,\})(?!\+)")
_DAY: Final = re.compile(r"(?:(\d{4})|-)-(\d\d)-(\d\d)")


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found."""

    faults: tuple[str, ...]
    """One a line: where, and what is wrong."""
    rules: int
    phrases: int
    examples: int
    unused: tuple[str, ...]
    """Phrases that no example needs."""


def check(code: str) -> Report:
    """Check the tables of a language. Raises FileNotFoundError if it has none."""
    tongue = _calendar(code)
    shared = [] if code == SHARED else [_calendar(SHARED)]
    others = [(kind, extended(tongue, table_of(code, kind))) for kind in kinds(code)
              if kind not in _ALONE and "rule" in table_of(code, kind)]  # fmt: skip
    faults = [*_long_lines(code), *_unknown_meanings(tongue)]
    rules = [("calendar", tongue, rule) for rule in tongue.rules]
    rules += [(kind, own, rule) for kind, own in others for rule in own.rules]
    for kind, own, rule in rules:
        faults += _rule_faults(_where(kind, rule), own, rule)
    if faults:
        return Report(tuple(faults), len(rules), 0, 0, ())
    grammar = Grammar([*shared, tongue])
    used: set[str] = set()
    for rule in tongue.rules:
        faults += _example_faults(grammar, rule, used)
    for kind, own in others:
        faults += _said_faults(kind, own, used, is_whole=table_of(code, kind).get("whole", False))
    phrases = [phrase for _, _, rule in rules for phrase in rule.say]
    examples = sum(len(rule.yes) + len(rule.no) for _, _, rule in rules)
    unused = tuple(phrase for phrase in phrases if phrase not in used)
    return Report(tuple(faults), len(rules), len(phrases), examples, unused)


def _calendar(code: str) -> Language:
    numbers = table_of(code, "numbers") if "numbers" in kinds(code) else {}
    return built(code, table_of(code, "calendar"), numbers)


def _unknown_meanings(tongue: Language) -> Iterator[str]:
    for rule in tongue.rules:
        if rule.means not in MEANINGS:
            yield f"{_where('calendar', rule)}: there is no meaning {rule.means!r}"


def _long_lines(code: str) -> Iterator[str]:
    for path in sorted((FOLDER / code).glob("*.toml")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if len(line) > _LONGEST_LINE:
                yield f"{code}/{path.name}:{number}: {len(line)} characters, over {_LONGEST_LINE}"


def _rule_faults(where: str, tongue: Language, rule: Rule) -> Iterator[str]:
    for kind, examples in (("yes", rule.yes), ("no", rule.no)):
        if len(examples) < _FEWEST:
            yield f"{where}: {len(examples)} examples under `{kind}`, fewer than {_FEWEST}"
    for say in rule.say:
        try:
            pattern = tongue.phrase(say).pattern
            re.compile(pattern)
        except (PhraseError, re.error) as error:
            yield f"{where}: {say!r}: {error}"
        except KeyError as error:
            yield f"{where}: {say!r}: there is no slot <{error.args[0]}>"
        else:
            if _UNBOUNDED.search(pattern.replace(r"\s*$", "").replace(r"\s+", "")):
                yield f"{where}: {say!r}: repeats without a bound"


def _where(kind: str, rule: Rule) -> str:
    return f"{rule.language}/{kind}.toml: rule {rule.line + 1} ({rule.means})"


def _said_faults(kind: str, tongue: Language, used: set[str], *, is_whole: bool) -> Iterator[str]:
    """Of a table whose rules say whether a text says something, or is nothing else."""
    is_said = Sayings.is_whole if is_whole else Sayings.is_in
    for rule in tongue.rules:
        phrases = {say: Sayings([tongue.phrase(say)]) for say in rule.say}
        for text in rule.yes:
            found = [say for say, one in phrases.items() if is_said(one, folded(text))]
            if not found:
                yield f"{_where(kind, rule)}: {text!r} is not found"
            used.update(found)
        for text in rule.no:
            if any(is_said(one, folded(text)) for one in phrases.values()):
                yield f"{_where(kind, rule)}: {text!r} is found"


def _example_faults(grammar: Grammar, rule: Rule, used: set[str]) -> Iterator[str]:
    for example in rule.yes:
        text, _, expected = example.rpartition(" = ")
        line = calendar.read(text, TODAY, grammar)
        signs = [] if line is None else [sign for sign in line.text if sign in line.found]
        by = [] if line is None else [p for sign in signs for p in line.by[sign]]
        got = [] if line is None else [line.found[sign].period for sign in signs]
        wanted = [] if expected == "nothing" else [_period(expected)]
        if got != wanted:
            shown = ", ".join(map(written, got)) or "no period"
            yield f"{_where('calendar', rule)}: {text!r} means {shown}, not {expected}"
        elif wanted and not any(p.rule is rule for p in by):
            yield f"{_where('calendar', rule)}: {text!r} is read by another rule"
        used.update(p.say for p in [*by, *(() if line is None else line.refused)])
    for text in rule.no if rule.means != "nothing" else ():
        line = calendar.read(text, TODAY, grammar)
        by = [] if line is None else [p for sign in line.text for p in line.by.get(sign, ())]
        if any(p.rule is rule for p in by):
            yield f"{_where('calendar', rule)}: {text!r} is taken for a period"


def _period(text: str) -> Period:
    """A period as an example has it: "2026-05-07", "--05-07" of any year, or two of them.

    Raises ValueError if it is written otherwise.
    """
    days: list[date] = []
    is_yearly = False
    for word in text.split():
        parts = _DAY.fullmatch(word)
        if parts is None:
            raise ValueError(f"{text!r} is no day: write 2026-05-07 or --05-07")
        is_yearly = parts[1] is None
        days.append(date(int(parts[1] or 2000), int(parts[2]), int(parts[3])))
    if is_yearly and days[-1] < days[0]:
        days[-1] = days[-1].replace(year=2001)
    return Period(days[0], days[-1], is_yearly)


def written(period: Period) -> str:
    """A period as examples have it."""
    days = [period.first, period.last][: 1 + (period.first != period.last)]
    shown = [day.isoformat() for day in days]
    return " ".join("-" + day[4:] if period.yearly else day for day in shown)
