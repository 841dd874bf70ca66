"""Tokens of a sentence for the gate, in English and Chinese.

Words are stems (Chinese: characters), numbers and dates their value (three = 3, 五月三号 = 5月3日 =
May 3), negations and the like operators, pronouns their person. Articles, auxiliaries and particles
are no tokens but set fields of their neighbours; a preposition is a field of the word behind it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from itertools import chain
from typing import Final, Literal

from graphmem_worker.language.lists import classed, groups, listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.tables import Language, Value, languages, simplified
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import HAN, STOP_WORDS, nfkc, words

Kind = Literal["word", "number", "op", "link", "pronoun"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, operator, conjunction or pronoun."""

    kind: Kind
    text: str  # what is compared: a stem, a value, an operator, the person of a pronoun
    clause: int  # number within the sentence
    joint: str  # what begins the clause: "and", ":", "who" (or which), or "," for all else
    preposition: str  # the preposition in front of it
    is_adjacent: bool  # nothing stands between the token before it and this one
    is_owner: bool  # "Wen's", 小文的, "his"
    is_name: bool  # looks like a name
    is_time: bool  # a time or an adverb like "also": may be left out
    has_article: bool  # an article or possessive pronoun stands in front of it
    helper: str  # the auxiliaries in front of it, by tense: "is" for am and are, too; 都, 又 …
    ending: str  # "ed" or "ing", which the stem does not have; 了, 着 behind it


HAN_KIN: Final = listed("gate_kin")
"""Words for relatives: "her husband" is not "she"."""


@cache
def _language(code: str) -> Language:
    return next(language for language in languages() if language.code == code)


@cache
def _numbers(code: str) -> Mapping[str, int]:
    """The numerals of a language, with their values."""
    known = _language(code).numerals
    more = {word: int(value) for word, value in classed("gate_numbers").items()}
    others = {word: n for word, n in more.items() if word.isascii() is (code == "en")}
    return {**known.cardinals, **known.scales, **others}


@cache
def _months() -> Mapping[str, Value]:
    return _language("en").vocabulary["month"]


_LONGEST_NUMBER: Final = 24  # characters, or English words


def _any(name: str) -> str:
    return either(ordered(name))


def _scanned() -> str:
    lists = ("gate_words", "gate_kin", "gate_operators", "gate_links", "gate_and", "gate_times")
    terms = {*chain(*map(listed, lists)), *classed("gate_persons")}
    long = either(term for term in terms if not term.isascii())
    signs = "".join(_numbers("zh"))
    tens = "".join(word for word, value in _numbers("zh").items() if 0 < value <= 10)
    count = rf"(?:(?:(?<![\w.])[-−])?\d+(?:,\d{{3}})*(?:\.\d+)?[{signs}]*|[{signs}]+)"
    small = rf"(?:\d{{1,2}}|[{tens}]{{1,3}})"
    ordinal = f"(?:{either(_language('en').numerals.endings)})?"
    month = either(_months())
    return rf"""
      (?P<iso>\b\d{{4}}-\d\d?-\d\d?\b)
    | (?P<han_date>(?P<hm>{small})(?:{_any("gate_month")})(?P<hd>{small})(?:{_any("gate_day")}))
    | \b(?P<month>{month})\.?\ (?P<day>\d\d?){ordinal}\b(?![.:]\d)
    | \b(?P<day2>\d\d?){ordinal}\ (?:(?:{_any("gate_of_month")})\ )?(?P<month2>{month})\b
    | (?P<weekday>(?:{_any("gate_which")})?(?:{_any("gate_weeks")})(?:{_any("gate_days")}))
    | (?P<percent>(?:{_any("gate_percent")})(?P<share>{count}))
    | (?P<clock>\d{{1,2}}:\d\d)
    | (?P<han>{long})
    | (?P<number>{count}){ordinal}
    | (?P<char>[{HAN}])
    | (?P<word>[^\W\d_{HAN}]+(?:['-][^\W\d_{HAN}]+)*)
    | (?P<sign>[%‰€$£°#+])
    | (?P<stop>[,;:()\[\]，；：、（）—–…"“”!?！？。.-])
    """


_SCAN: Final = late(_scanned, re.VERBOSE | re.IGNORECASE)
# A request in the form of a question is no question. Matched sentence by sentence, because a search
# in the whole text would read from each possible beginning to the end.
_STRETCH: Final = re.compile(r"([^.!?]++)(\?)|[.!?]|[^.!?]++")
_HAN_STRETCH: Final = re.compile(r"([^。！？!?]++)(\?)|[。！？!?]|[^。！？!?]++")
_REQUEST: Final = late(lambda: rf"\b(?:{_any('gate_requests')})\s", re.IGNORECASE)
_HAN_REQUEST: Final = late(lambda: f"(?:{_any('gate_polite')}){{0,3}}")
_HAN_REQUEST_END: Final = late(lambda: f"(?:{_any('gate_polite_ends')})$")


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    """(phrase, word that replaces it); "once" only before a subject, not in "once a week"."""
    subjects = _any("gate_subjects")
    once = rf"(?:{_any('gate_once')})(?= (?:{subjects})\b)"
    known = [(either(terms), word) for word, terms in groups("gate_several").items()]
    return tuple(
        (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), word)
        for pattern, word in (*known, (once, ordered("gate_once_is")[0]))
    )


def _plain(text: str) -> str:
    text = simplified(nfkc(text.replace("’", "'").replace("‘", "'")))
    if "?" in text:
        text = _HAN_STRETCH.sub(_without_han_request, _STRETCH.sub(_without_request, text))
    for phrase, word in _phrases():
        text = phrase.sub(word, text)
    return text


def _without_request(stretch: re.Match[str]) -> str:
    text = stretch[1]
    if text is None or not (request := _REQUEST.search(text)):
        return stretch[0]
    return f"{text[: request.start()]}{text[request.end() :]}."


def _without_han_request(stretch: re.Match[str]) -> str:
    text = stretch[1]
    if text is None or not (end := _HAN_REQUEST_END.search(text, max(0, len(text) - 3))):
        return stretch[0]
    begin = _HAN_REQUEST.match(text)
    return f"{text[begin.end() if begin else 0 : end.start()]}."


def _value(text: str) -> str:
    """The decimal value of a number in digits, Chinese numerals or both."""
    plain = text.replace(",", "").replace("−", "-")
    if len(plain) > _LONGEST_NUMBER:
        return plain  # an identifier rather than an amount
    total = group = Decimal(0)
    digit: Decimal | None = None
    last = 1
    for piece in re.findall(r"-?\d+(?:\.\d+)?|.", plain):
        value = _numbers("zh").get(piece)
        if value is None:
            digit = Decimal(piece)
        elif value < 10:
            # Digit by digit, as in 二〇二六.
            before = 10 * digit if digit is not None and last == 1 else Decimal(0)
            digit = before + value
        elif value < _GROUP:
            last = value
            group += (1 if digit is None else digit) * last
            digit = None
        else:
            last = value
            total += (group + (digit or 0) or 1) * last
            group, digit = Decimal(0), None
    if digit is not None:
        # 四千八 is 4,800.
        group += digit * (last // 10 if last > 10 and _numbers("zh").get(plain[-2]) != 0 else 1)
    return format((total + group).normalize(), "f")


_GROUP: Final = 10_000  # Chinese numerals of this value or more multiply all before them


class _Reader:
    """Collects the tokens of one sentence."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self._clause = 0
        self._joint = ","
        self._preposition = ""
        self._adjacent = False
        self._article = False
        self._helpers: list[str] = []

    def add(
        self,
        kind: Kind,
        text: str,
        *,
        is_owner: bool = False,
        is_name: bool = False,
        is_time: bool = False,
        ending: str = "",
    ) -> None:
        if self._is_new_clause():
            self._adjacent = False
        place = (self._clause, self._joint, self._preposition, self._adjacent)
        around = (self._article, " ".join(self._helpers), ending)
        self.tokens.append(Token(kind, text, *place, is_owner, is_name, is_time, *around))
        self._preposition, self._adjacent, self._article = "", True, is_owner and kind == "pronoun"
        self._helpers = []

    def _is_new_clause(self) -> bool:
        return not self.tokens or self.tokens[-1].clause != self._clause

    def separate(self, has_article: bool = False) -> None:
        self._adjacent, self._article = False, self._article or has_article

    def end(self, ending: str) -> None:
        if not self._is_new_clause():
            self.tokens[-1] = replace(self.tokens[-1], ending=ending)
        self.separate()

    def add_helper(self, helper: str) -> None:
        self._helpers.append(helper)
        self.separate()

    def mark_owner(self) -> None:
        """Make the last token the owner of the next one: 的 is behind it."""
        if self.tokens and self._adjacent:
            self.tokens[-1] = replace(self.tokens[-1], is_owner=True)
        self.separate()

    def begin_relative(self) -> None:
        """Begin a relative clause, if a comma is before the relative pronoun."""
        if self.tokens and self._is_new_clause():
            self._joint = "who"
        self.separate()

    def add_preposition(self, word: str) -> None:
        self._preposition, self._adjacent, self._article = word, False, False

    def end_clause(self, joint: str) -> None:
        if not self._is_new_clause():
            self._clause += 1
            self._joint = joint
        elif joint != "and":
            self._joint = joint
        self.add_preposition("")
        self._helpers = []


def read(sentence: str) -> list[Token]:
    """The tokens of one sentence, in their order."""
    reader = _Reader()
    text = _plain(sentence)
    opened = True  # only punctuation so far, so a capital marks no name
    counted: list[str] = []  # an English number, word by word
    for found in _SCAN.finditer(text):
        value = found[0]
        whole = {name: part for name, part in found.groupdict().items() if part is not None}
        if "word" in whole and _is_count(value, counted):
            counted += value.lower().split("-")
            opened = False
            continue
        if counted:
            reader.add("number", _english_value(counted))
            counted = []
        if "iso" in whole:
            year, month, day = value.split("-")
            reader.add("number", year, is_time=True)
            reader.add("number", f"{int(month)}-{int(day)}", is_time=True)
        elif "han_date" in whole:
            reader.add("number", f"{_value(whole['hm'])}-{_value(whole['hd'])}", is_time=True)
        elif "month" in whole or "month2" in whole:
            name = whole.get("month") or whole["month2"]
            day = whole.get("day") or whole["day2"]
            reader.add("number", f"{_months()[name.lower()]}-{int(day)}", is_time=True)
        elif "weekday" in whole:
            for term, usual in classed("gate_weekdays").items():
                value = value.replace(term, usual)
            reader.add("word", value, is_time=True)
        elif "percent" in whole:
            reader.add("number", _value(whole["share"]))
            reader.add("word", "%")
        elif "clock" in whole:
            reader.add("number", value.lstrip("0"))
        elif "number" in whole:
            reader.add("number", _value(whole["number"]))
        elif "han" in whole or "char" in whole:
            _read_han(reader, value)
        elif "word" in whole:
            _read_word(reader, value, opened)
        elif "sign" in whole:
            reader.add("word", value)
        elif value in ".-" and text[found.end() : found.end() + 1].strip():
            reader.separate()
        elif value in "?？":
            reader.add("op", "?")
        else:
            reader.end_clause(":" if value in ":：" else ",")
        opened = opened and "stop" in whole
    if counted:
        reader.add("number", _english_value(counted))
    return reader.tokens


_HUNDRED: Final = 100
_TWENTY: Final = 20  # units may follow numerals of this value or more


def _is_count(word: str, counted: Sequence[str]) -> bool:
    parts = word.lower().split("-")
    if counted and parts[0] in listed("gate_and"):
        return False
    known = [_numbers("en").get(part) for part in parts]
    if known[0] is not None and known[0] >= _HUNDRED:
        return bool(counted)
    last = _numbers("en")[counted[-1]] if counted else _HUNDRED
    return all(value is not None and value < _HUNDRED for value in known) and last >= _TWENTY


def _english_value(parts: Sequence[str]) -> str:
    if len(parts) > _LONGEST_NUMBER:
        return " ".join(parts)  # no amount, and each "hundred" would add two digits
    total = group = 0
    for part in parts:
        value = _numbers("en")[part]
        if value >= _HUNDRED:
            group = max(1, group) * value
            if value > _HUNDRED:
                total, group = total + group, 0
        else:
            group += value
    return str(total + group)


def _read_han(reader: _Reader, value: str) -> None:
    if value in classed("gate_persons"):
        reader.add("pronoun", classed("gate_persons")[value])
    elif value in listed("gate_words") or value in HAN_KIN:
        reader.add("word", value)
    elif value in listed("gate_operators"):
        after_number = bool(reader.tokens) and reader.tokens[-1].kind == "number"
        if value in listed("gate_measures") and after_number:
            reader.add("word", value)
        else:
            reader.add("op", classed("gate_same").get(value, value))
    elif value in listed("gate_links"):
        reader.end_clause(",")
        reader.add("link", value)
    elif value in listed("gate_and"):
        reader.end_clause("and")
    elif value in listed("gate_binders"):
        reader.add_preposition(value)
    elif value in listed("gate_times"):
        reader.add("word", value, is_time=True)
    elif value in listed("gate_of"):
        reader.mark_owner()
    elif value in listed("gate_helpers_han"):
        reader.add_helper(value)
    elif value in listed("gate_endings"):
        reader.end(value)
    elif value in listed("gate_free"):
        reader.separate()
    else:
        reader.add("word", value)


def _read_word(reader: _Reader, value: str, opened: bool) -> None:
    low = value.lower()
    base, _, ending = low.rpartition("'")
    if low.endswith("n't"):
        stem = classed("gate_negated").get(low[:-3], low[:-3])
        if stem in classed("gate_lemmas"):
            reader.add("op", classed("gate_lemmas")[stem])
        elif stem in classed("gate_helpers"):
            reader.add_helper(classed("gate_helpers")[stem])
        reader.add("op", "not")
        return
    is_owner = False
    if base and ending in ("s", "ll", "m", "re", "ve", "d"):
        low = base
        value = value[: len(base)]
        is_owner = (
            ending == "s" and low not in classed("gate_persons") and low not in listed("gate_free")
        )
    if value == "May" and not opened:
        reader.add("word", "may", is_time=True)
    elif low in listed("percent_words"):
        reader.add("word", "%")
    elif low in classed("gate_persons"):
        reader.add("pronoun", classed("gate_persons")[low], is_owner=low in listed("gate_owners"))
    elif low in classed("gate_lemmas"):
        reader.add("op", classed("gate_lemmas")[low])
    elif low in listed("gate_and"):
        reader.end_clause("and")
    elif low in listed("gate_links"):
        reader.end_clause(",")
        reader.add("link", low)
    elif low in listed("gate_binders"):
        reader.add_preposition(low)
    elif low in listed("gate_relatives"):
        reader.begin_relative()
    elif low in classed("gate_helpers"):
        reader.add_helper(classed("gate_helpers")[low])
    elif low in listed("gate_free"):
        reader.separate(low in listed("gate_articles"))
    else:
        stem = "".join(words(low)) or low
        lost = next(
            (end for end in ordered("lost_endings") if low.endswith(end) and low != stem), ""
        )
        is_time = low in listed("gate_times")
        is_name = value[0].isupper() and not is_time and not opened and low not in STOP_WORDS
        is_time = is_time or low.endswith("ly")
        reader.add("word", stem, is_owner=is_owner, is_name=is_name, is_time=is_time, ending=lost)
    if base and ending == "ll":
        reader.add("op", "will")
    elif base and not is_owner and ending in classed("gate_contracted"):
        reader.add_helper(classed("gate_contracted")[ending])
