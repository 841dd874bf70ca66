"""Reading: a sentence as the gate compares it, in English and Chinese.

Words as stems (Chinese: characters), numbers and dates by their value (three = 3, 五月三号 =
5月3日 = May 3), negations and the like as operators, pronouns by person.  Articles, auxiliaries and
particles only part others; a preposition is kept with the word behind it.
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
from graphmem_worker.language.tables import Language, Value, languages
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import HAN, STOP_WORDS, nfkc, words

Kind = Literal["word", "number", "op", "link", "pronoun"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word that counts.  Articles, auxiliaries and the like only part others."""

    kind: Kind
    text: str  # what is compared: a stem, a value, an operator, the person of a pronoun
    clause: int  # number within the sentence
    joint: str  # what opened the clause: "and", ":", "who" (or which), or "," for all else
    binder: str  # the preposition in front of it
    tight: bool  # stands directly behind the token before it
    owner: bool  # "Wen's", 小文的, "his"
    name: bool  # looks like a name
    time: bool  # says when, or is an adverb like "also": may be left out
    article: bool  # an article or possessive pronoun stands in front of it
    helper: str  # the auxiliaries in front of it, by tense: "is" for am and are, too; 都, 又 …
    ending: str  # "ed" or "ing", which its stem has lost; 了, 着 behind it


HAN_KIN: Final = listed("gate_kin")
"""Who somebody is to somebody: "her husband" is not "she"."""


@cache
def _tongue(code: str) -> Language:
    return next(tongue for tongue in languages() if tongue.code == code)


@cache
def _numbers(code: str) -> Mapping[str, int]:
    """The words of a language for numbers."""
    known = _tongue(code).numerals
    more = {word: int(value) for word, value in classed("gate_numbers").items()}
    others = {word: n for word, n in more.items() if word.isascii() is (code == "en")}
    return {**known.cardinals, **known.scales, **others}


@cache
def _months() -> Mapping[str, Value]:
    return _tongue("en").vocabulary["month"]


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
    ordinal = f"(?:{either(_tongue('en').numerals.endings)})?"
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
# A request in the form of a question is no question. Sentence by sentence: looked for in the whole
# text, each place where one might begin is read to the end.
_STRETCH: Final = re.compile(r"([^.!?]++)(\?)|[.!?]|[^.!?]++")
_HAN_STRETCH: Final = re.compile(r"([^。！？!?]++)(\?)|[。！？!?]|[^。！？!?]++")
_REQUEST: Final = late(lambda: rf"\b(?:{_any('gate_requests')})\s", re.IGNORECASE)
_HAN_REQUEST: Final = late(lambda: f"(?:{_any('gate_polite')}){{0,3}}")
_HAN_REQUEST_END: Final = late(lambda: f"(?:{_any('gate_polite_ends')})$")


@cache
def _several() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Several words for one of the lists; "once" only before a subject, not of "once a week"."""
    subjects = _any("gate_subjects")
    once = rf"(?:{_any('gate_once')})(?= (?:{subjects})\b)"
    known = [(either(terms), one) for one, terms in groups("gate_several").items()]
    return tuple(
        (re.compile(rf"\b(?:{said})\b", re.IGNORECASE), one)
        for said, one in (*known, (once, ordered("gate_once_is")[0]))
    )


def _plain(text: str) -> str:
    text = nfkc(text.replace("’", "'").replace("‘", "'"))
    if "?" in text:
        text = _HAN_STRETCH.sub(_without_han_request, _STRETCH.sub(_without_request, text))
    for several, one in _several():
        text = several.sub(one, text)
    return text


def _without_request(stretch: re.Match[str]) -> str:
    said = stretch[1]
    if said is None or not (request := _REQUEST.search(said)):
        return stretch[0]
    return f"{said[: request.start()]}{said[request.end() :]}."


def _without_han_request(stretch: re.Match[str]) -> str:
    said = stretch[1]
    if said is None or not (end := _HAN_REQUEST_END.search(said, max(0, len(said) - 3))):
        return stretch[0]
    begin = _HAN_REQUEST.match(said)
    return f"{said[begin.end() if begin else 0 : end.start()]}."


def _value(text: str) -> str:
    """The value of a number in digits, Chinese numerals or both, as text."""
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
            # Read out one by one, as in 二〇二六.
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


_GROUP: Final = 10_000  # from which on a Chinese word multiplies all before it


class _Reader:
    """Cuts one sentence into tokens."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self._clause = 0
        self._joint = ","
        self._binder = ""
        self._tight = False
        self._article = False
        self._helpers: list[str] = []

    def token(
        self,
        kind: Kind,
        text: str,
        *,
        owner: bool = False,
        name: bool = False,
        time: bool = False,
        ending: str = "",
    ) -> None:
        if self._clause_is_new():
            self._tight = False
        place = (self._clause, self._joint, self._binder, self._tight)
        around = (self._article, " ".join(self._helpers), ending)
        self.tokens.append(Token(kind, text, *place, owner, name, time, *around))
        self._binder, self._tight, self._article = "", True, owner and kind == "pronoun"
        self._helpers = []

    def _clause_is_new(self) -> bool:
        return not self.tokens or self.tokens[-1].clause != self._clause

    def gap(self, article: bool = False) -> None:
        self._tight, self._article = False, self._article or article

    def end(self, ending: str) -> None:
        if not self._clause_is_new():
            self.tokens[-1] = replace(self.tokens[-1], ending=ending)
        self.gap()

    def help(self, helper: str) -> None:
        self._helpers.append(helper)
        self.gap()

    def owner(self) -> None:
        """What came last is followed by 的."""
        if self.tokens and self._tight:
            self.tokens[-1] = replace(self.tokens[-1], owner=True)
        self.gap()

    def relate(self) -> None:
        """A relative pronoun: behind a comma it speaks of the word before."""
        if self.tokens and self._clause_is_new():
            self._joint = "who"
        self.gap()

    def bind(self, word: str) -> None:
        self._binder, self._tight, self._article = word, False, False

    def border(self, joint: str) -> None:
        if not self._clause_is_new():
            self._clause += 1
            self._joint = joint
        elif joint != "and":
            self._joint = joint
        self._binder, self._tight, self._article, self._helpers = "", False, False, []


def read(sentence: str) -> list[Token]:
    """The tokens of one sentence, in their order."""
    reader = _Reader()
    text = _plain(sentence)
    opened = True  # nothing but signs so far: a capital says nothing
    counted: list[str] = []  # an English number, word by word
    for found in _SCAN.finditer(text):
        value = found[0]
        whole = {name: part for name, part in found.groupdict().items() if part is not None}
        if "word" in whole and _is_count(value, counted):
            counted += value.lower().split("-")
            opened = False
            continue
        if counted:
            reader.token("number", _english_value(counted))
            counted = []
        if "iso" in whole:
            year, month, day = value.split("-")
            reader.token("number", year, time=True)
            reader.token("number", f"{int(month)}-{int(day)}", time=True)
        elif "han_date" in whole:
            reader.token("number", f"{_value(whole['hm'])}-{_value(whole['hd'])}", time=True)
        elif "month" in whole or "month2" in whole:
            name = whole.get("month") or whole["month2"]
            day = whole.get("day") or whole["day2"]
            reader.token("number", f"{_months()[name.lower()]}-{int(day)}", time=True)
        elif "weekday" in whole:
            for term, usual in classed("gate_weekdays").items():
                value = value.replace(term, usual)
            reader.token("word", value, time=True)
        elif "percent" in whole:
            reader.token("number", _value(whole["share"]))
            reader.token("word", "%")
        elif "clock" in whole:
            reader.token("number", value.lstrip("0"))
        elif "number" in whole:
            reader.token("number", _value(whole["number"]))
        elif "han" in whole or "char" in whole:
            _read_han(reader, value)
        elif "word" in whole:
            _read_word(reader, value, opened)
        elif "sign" in whole:
            reader.token("word", value)
        elif value in ".-" and text[found.end() : found.end() + 1].strip():
            reader.gap()
        elif value in "?？":
            reader.token("op", "?")
        else:
            reader.border(":" if value in ":：" else ",")
        opened = opened and "stop" in whole
    if counted:
        reader.token("number", _english_value(counted))
    return reader.tokens


_HUNDRED: Final = 100
_TWENTY: Final = 20  # from which on units may follow


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
        return " ".join(parts)  # no amount; each "hundred" would make it two digits longer
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
        reader.token("pronoun", classed("gate_persons")[value])
    elif value in listed("gate_words") or value in HAN_KIN:
        reader.token("word", value)
    elif value in listed("gate_operators"):
        after_number = bool(reader.tokens) and reader.tokens[-1].kind == "number"
        if value in listed("gate_measures") and after_number:
            reader.token("word", value)
        else:
            reader.token("op", classed("gate_same").get(value, value))
    elif value in listed("gate_links"):
        reader.border(",")
        reader.token("link", value)
    elif value in listed("gate_and"):
        reader.border("and")
    elif value in listed("gate_binders"):
        reader.bind(value)
    elif value in listed("gate_times"):
        reader.token("word", value, time=True)
    elif value in listed("gate_of"):
        reader.owner()
    elif value in listed("gate_helpers_han"):
        reader.help(value)
    elif value in listed("gate_endings"):
        reader.end(value)
    elif value in listed("gate_free"):
        reader.gap()
    else:
        reader.token("word", value)


def _read_word(reader: _Reader, value: str, opened: bool) -> None:
    low = value.lower()
    base, _, ending = low.rpartition("'")
    if low.endswith("n't"):
        stem = classed("gate_negated").get(low[:-3], low[:-3])
        if stem in classed("gate_lemmas"):
            reader.token("op", classed("gate_lemmas")[stem])
        elif stem in classed("gate_helpers"):
            reader.help(classed("gate_helpers")[stem])
        reader.token("op", "not")
        return
    owner = False
    if base and ending in ("s", "ll", "m", "re", "ve", "d"):
        low = base
        value = value[: len(base)]
        owner = (
            ending == "s" and low not in classed("gate_persons") and low not in listed("gate_free")
        )
    if value == "May" and not opened:
        reader.token("word", "may", time=True)
    elif low in listed("percent_words"):
        reader.token("word", "%")
    elif low in classed("gate_persons"):
        reader.token("pronoun", classed("gate_persons")[low], owner=low in listed("gate_owners"))
    elif low in classed("gate_lemmas"):
        reader.token("op", classed("gate_lemmas")[low])
    elif low in listed("gate_and"):
        reader.border("and")
    elif low in listed("gate_links"):
        reader.border(",")
        reader.token("link", low)
    elif low in listed("gate_binders"):
        reader.bind(low)
    elif low in listed("gate_relatives"):
        reader.relate()
    elif low in classed("gate_helpers"):
        reader.help(classed("gate_helpers")[low])
    elif low in listed("gate_free"):
        reader.gap(low in listed("gate_articles"))
    else:
        stem = "".join(words(low)) or low
        lost = next(
            (end for end in ordered("lost_endings") if low.endswith(end) and low != stem), ""
        )
        time = low in listed("gate_times")
        name = value[0].isupper() and not time and not opened and low not in STOP_WORDS
        reader.token(
            "word", stem, owner=owner, name=name, time=time or low[-2:] == "ly", ending=lost
        )
    if base and ending == "ll":
        reader.token("op", "will")
    elif base and not owner and ending in classed("gate_contracted"):
        reader.help(classed("gate_contracted")[ending])
