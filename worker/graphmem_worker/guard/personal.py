"""Numbers with a checksum, and what identifies a person: cards, accounts, documents, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final

from graphmem_worker.guard.names import Found, any_of
from graphmem_worker.language.lists import groups, listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late

_CARD: Final = late(r"(?<![\w.+#-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)", re.ASCII)
_GROUPED: Final = late(
    r"\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}(?:\1\d{1,4})?|\d{4}([ -])\d{6}\2\d{5}|\d{6}[ -]\d{13}"
)
_LISTED: Final = late(r"[,(\[{=+*/<>:-]\s{0,2}$")
# First digits and lengths of issuers: Visa, Mastercard, American Express, Discover, Diners, JCB,
# UnionPay, Maestro, Mir.
_ISSUERS: Final[tuple[tuple[re.Pattern[str], frozenset[int]], ...]] = tuple(
    (late(prefix), frozenset(lengths))
    for prefix, lengths in (
        ("4", (13, 16, 19)),
        ("5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", (16,)),
        ("3[47]", (15,)),
        ("6011|64[4-9]|65", (16, 19)),
        ("30[0-5]|3[689]", (14, 16)),
        ("35(?:2[89]|[3-8])", (16,)),
        ("62|81", (16, 17, 18, 19)),
        ("50|5[678]|6[0-9]", (16, 17, 18, 19)),
        ("220[0-4]", (16,)),
    )
)


def cards(text: str, low: str) -> Iterator[Found]:
    """Payment cards: issuer, length and Luhn's checksum, or instead of it a word for a card."""
    for found in _CARD.finditer(text):
        digits = re.sub(r"\D", "", found[0])
        named = holds(low[max(0, found.start() - 24) : found.start()], ordered("card_words"))
        issued = any(
            len(digits) in lengths and prefix.match(digits) for prefix, lengths in _ISSUERS
        )
        grouped = _GROUPED.fullmatch(found[0]) is not None
        if not found[0].isdigit() and not grouped:
            continue
        alone = grouped or (
            len(digits) in (15, 16)
            and _LISTED.search(text, max(0, found.start() - 3), found.start()) is None
        )
        if issued and ((luhn(digits) and (named or alone)) or (named and len(digits) >= 16)):
            yield Found("card", found.start(), found.end())


def luhn(digits: str) -> bool:
    """Whether the last digit is Luhn's check digit (ISO/IEC 7812-1)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


_IBAN: Final = late(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{1,4}){3,9}(?![A-Za-z0-9])")
_IBAN_LENGTHS: Final[dict[str, int]] = {
    row[:2]: int(row[2:])
    for row in """
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20
    EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30
    KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28
    PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24
    XK20
    """.split()
}
_IDENTITY: Final = late(
    r"(?<![0-9A-Za-z])[1-9]\d{5}[ -]?(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"[ -]?\d{3}[\dXx](?![0-9A-Za-z])"
)
_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_MAIL: Final = late(
    r"[A-Za-z0-9][\w.+%-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24}"
    r"(?![\w@]|:[\w~.-]{1,64}/)",
    re.ASCII,
)
_MOBILE: Final = late(
    r"(?<![\d.+A-Za-z_-])(?:(?:\+|00)?86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?!\d|\.\d|[A-Za-z_])",
    re.ASCII,
)
_ABROAD: Final = late(
    r"(?<![\w+-])(?<!\d )(?:\+|\b00)[1-9]\d{0,2}(?:[ ./-]{0,2}\(?\d{1,4}\)?){2,6}(?![\w])", re.ASCII
)
_AMERICAN: Final = late(
    r"(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-]|\.\d)", re.ASCII
)
_LANDLINE: Final = late(
    r"(?<![\d.A-Za-z_-])(?<!\d )0\d{2,4}[- ]\d{3,4}[- ]?\d{3,4}(?![\w-]|\.\d|[ ]\d)"
    r"|(?<![\d.A-Za-z_-])0\d{2,3}[-— ]\d{7,8}(?:[^\x00-\x7f]\d{1,5}|-\d{1,5})?(?!\d)"
    r"|(?<!\d)[48]00[-— ]\d{3}[-— ]\d{4}(?!\d)",
    re.ASCII,
)
_SOCIAL: Final = late(
    r"(?<![\w.+/-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w/-]|\.\d)", re.ASCII
)


_PLATE: Final = late(
    lambda: (
        rf"(?:{any_of('plate_places')})[A-HJ-NP-Z][·• ]?(?:[A-HJ-NP-Z0-9]{{5}}"
        rf"|[DF][A-HJ-NP-Z0-9]\d{{4}}|\d{{5}}[DF])(?:{any_of('plate_ends')})?(?![A-Za-z0-9])"
    )
)


def _han_address() -> str:
    numbered, digit = any_of("house_numbers"), f"(?:{any_of('han_digits')})"
    return (
        rf"(?:\d{{1,5}}(?:{numbered})(?:{any_of('yards')})?)?[\dA-Za-z]{{1,4}}(?:{any_of('houses')})"
        rf"(?:[\dA-Za-z]|{digit}){{0,4}}(?:{any_of('houses')})?[\d-]{{0,6}}(?:{any_of('rooms')})?"
        rf"|[\u4e00-\u9fff]{{1,8}}(?:{any_of('han_streets')})(?:{any_of('directions')}|{digit}){{0,3}}"
        rf"\d{{1,5}}(?:{numbered})(?:\d{{1,4}}(?:{any_of('rooms')}))?"
    )


_HAN_ADDRESS: Final = late(_han_address)
_STREET: Final = late(
    lambda: (
        r"(?<![\w.])\d{1,5}[A-Za-z]?,? (?:[A-Z][\w'’-]{1,20} ){1,3}"
        rf"(?:{any_of('streets')})\b\.?"
        rf"|\b[A-Z][a-zé'’-]{{2,20}}(?:{any_of('street_endings')}) \d{{1,4}}[A-Za-z]?\b"
        r"|\b\d{4} ?[A-Z]{2}\b(?= [A-Z][a-z])"
    )
)
# Name of a list of words → the pattern of a number behind them. The first word is the kind.
_VALUES: Final[Mapping[str, re.Pattern[str]]] = {
    "passport": late(r"(?=(?:[A-Za-z]{0,8}\d){5})[A-Za-z0-9]{7,9}(?![A-Za-z0-9])"),
    "identity": late(r"[A-Za-z]{0,5}[ -]?\d(?:[ .-]?[0-9A-Za-z]){4,19}(?![0-9A-Za-z])"),
    "account number": late(r"\d(?:[ -]?\d){5,22}(?!\d)"),
    "account name": late(r"[A-Za-z][\w-]{4,24}(?![\w@.])|\d{5,12}(?!\d)"),
    "phone": late(r"\+?\(?\d(?:[ ()./-]{0,2}\d){6,14}(?!\d)"),
    "plate": late(r"[A-Z0-9]{1,4}[- ]?[A-Z0-9]{1,4}[- ]?[A-Z0-9]{1,4}(?![A-Za-z0-9])"),
    "account of a bank": late(r"[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![A-Za-z0-9])"),
}
_BETWEEN: Final = late(
    lambda: (
        rf"(?:'s)?[ \t]{{0,2}}(?:{any_of('number_words')})?[ \t]{{0,2}}"
        rf"(?:(?:{any_of('number_whom')}) )?"
        rf"(?P<link>{any_of('number_links')})?[ \t]{{0,2}}[\"“'（(]?"
    )
)


@cache
def _named(what: str) -> re.Pattern[str]:
    """The words before a document, account or number, by the name of their list."""
    terms = groups("personal")[what]
    latin, han = filter(str.isascii, terms), (term for term in terms if not term.isascii())
    return re.compile(rf"\b(?:{either(latin)})|(?:{either(han) or '(?!)'})")


def personal(text: str, low: str) -> Iterator[Found]:
    """Personal data: documents, accounts, telephone, mail, plates, addresses."""
    for kind, pattern, is_one in _ALONE:
        for found in pattern.finditer(text) if kind != "mail" or "@" in text else ():
            if is_one(found[0]):
                yield Found(kind, *found.span())
    for what, value in _VALUES.items():
        kind = what.split()[0]
        for keyword in _named(what).finditer(low):
            gap = _BETWEEN.match(low, keyword.end())
            found_value = value.match(text, gap.end() if gap else keyword.end())
            if found_value is None:
                continue
            digits = sum(map(str.isdigit, found_value[0]))
            is_linked = gap is not None and gap["link"] in listed("number_is")
            if digits >= 3 or (kind == "account" and (digits or is_linked)):
                yield Found(kind, *found_value.span())


def iban(text: str) -> bool:
    """Whether `text` is an IBAN of its country's length with a valid checksum (ISO 13616)."""
    spelled = re.sub(r"[ -]", "", text)
    if _IBAN_LENGTHS.get(spelled[:2]) != len(spelled):
        return False
    return int("".join(str(int(c, 36)) for c in spelled[4:] + spelled[:4])) % 97 == 1


def identity(text: str) -> bool:
    """Whether the last character is the check digit of a Chinese identity number (GB 11643)."""
    digits = re.sub(r"[ -]", "", text)
    total = sum(int(d) * w for d, w in zip(digits, _WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == digits[17].upper()


def _is_abroad(text: str) -> bool:
    """Whether a number with a country code has the length of a telephone number (E.164)."""
    return 8 <= sum(map(str.isdigit, text)) <= 15


_ALONE: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...]] = (
    ("iban", _IBAN, iban), ("identity", _IDENTITY, identity), ("mail", _MAIL, bool),
    ("phone", _ABROAD, _is_abroad), ("phone", _MOBILE, bool), ("phone", _AMERICAN, bool),
    ("phone", _LANDLINE, bool), ("identity", _SOCIAL, bool), ("plate", _PLATE, bool),
    ("address", _HAN_ADDRESS, bool), ("address", _STREET, bool),
)  # fmt: skip
"""(kind, pattern, test of a match) of data that is recognised without a word before it."""
