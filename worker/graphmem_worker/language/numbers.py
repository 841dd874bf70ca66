"""Numbers in figures and in the words of a language, by its table `numbers.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from graphmem_worker.text.patterns import late

_LONGEST_WORDS = 7  # words of a number


@dataclass(frozen=True, slots=True)
class Numerals:
    """The words and endings of numbers in a language."""

    cardinals: Mapping[str, int]
    """Words that are added up: "three", "thirty", 三."""
    scales: Mapping[str, int]
    """Words that multiply those before them: "thousand", 万."""
    ordinals: Mapping[str, int]
    joins: tuple[str, ...]
    """The strings that may join the words of one number: "-", " ", "und"."""
    endings: tuple[str, ...]
    """Endings that make an ordinal of figures: "st", "."."""
    before: tuple[str, ...]
    """Prefixes that do so: 第."""
    written: Mapping[int, str]
    """Number up to 31 → its ordinal ending in figures, if that is not the first of `endings`."""
    _word: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words = {*self.cardinals, *self.scales, *self.ordinals}
        pattern = late(lambda: either(words) if words else "(?!)")
        object.__setattr__(self, "_word", pattern)

    @property
    def cardinal(self) -> str:
        """An expression that finds a number in at most seven words."""
        plain = either({*self.cardinals, *self.scales})
        if not plain:
            return ""
        join = f"(?:{either(self.joins)})?" if self.joins else ""
        return f"(?:{plain})(?:{join}(?:{plain})){{0,{_LONGEST_WORDS - 1}}}"

    @property
    def ordinal(self) -> str:
        """An expression that finds an ordinal in figures or words."""
        found = [rf"\d{{1,2}}(?:{either(self.endings)})"] if self.endings else []
        if self.before:
            found.append(f"(?:{either(self.before)})(?:\\d{{1,2}}|{self.cardinal})")
        if self.ordinals:
            join = f"(?:{either(self.joins)})?" if self.joins else ""
            first, last = either(self.cardinals), either(self.ordinals)
            found.append(f"(?:(?:{first}){join}){{0,2}}(?:{last})")
        return "|".join(found)

    def read(self, text: str) -> int:
        """The number that a text in lower case is, in figures or words.

        Raises ValueError if it is none.
        """
        for sign in self.before:
            text = text.removeprefix(sign)
        plain = text
        for ending in self.endings:
            plain = plain.removesuffix(ending) if plain[:1].isdigit() else plain
        if plain.isdecimal():
            return int(plain)
        parts: list[int] = []
        at, is_row = 0, True
        was_scale = 0  # of the word before, 0 if it is no scale
        while at < len(text):
            found = self._word.match(text, at)
            if found is None:
                joined = max((len(j) for j in self.joins if text.startswith(j, at)), default=0)
                if not joined or not parts:
                    raise ValueError(text)
                at += joined
                continue
            word, at = found[0], found.end()
            if (scale := self.scales.get(word)) is not None:
                low = 0
                while parts and parts[-1] < scale:
                    low += parts.pop()
                parts.append((low or 1) * scale)
                is_row, was_scale = False, scale
                continue
            value = self.ordinals.get(word)
            value = self.cardinals[word] if value is None else value
            is_row = is_row and value < 10
            if parts and 10 <= parts[-1] < 100 and value >= 10:
                parts[-1] *= 100  # nineteen ninety-eight
            if not self.joins and at == len(text) and 0 < value < 10 and parts and was_scale > 10:
                value *= was_scale // 10  # 四百五
            was_scale = 0
            parts.append(value)
        if not parts:
            raise ValueError(text)
        if is_row and len(parts) > 1:  # 二〇二六
            return int("".join(map(str, parts)))
        return sum(parts)

    def in_words(self, number: int) -> list[str]:
        """A number from 1 to 31 in words, 十二 for 12; empty for languages whose words of numbers
        are joined otherwise."""
        by_value = {value: word for word, value in reversed([*self.cardinals.items()])}
        ten = next((word for word, scale in self.scales.items() if scale == 10), None)
        if ten is None:
            return []
        tens, ones = divmod(number, 10)
        head = "" if not tens else ten if tens == 1 else by_value[tens] + ten
        return [head + (by_value[ones] if ones else "")]


def either(words: Iterable[str]) -> str:
    """An expression that matches one of some words, the longest first."""
    ordered = sorted(set(words), key=lambda w: (-len(w), w))
    return "|".join(re.escape(word).replace("'", "['’]") for word in ordered)
