"""Tests whether a string in the place of a secret is one.

A keyword such as "password" is followed far more often by prose, a variable or a placeholder than
by a password. These tests look at the string alone; the callers judge the text around it.
"""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.guard.names import any_of, has_purpose, name_words
from graphmem_worker.language.lists import classed, listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late

_MARKED: Final = late(
    lambda: (
        f"you[a-z_]|(?:{any_of('placeholder_owners')})[-_](?:{any_of('placeholder_names')})"
        f"|(?:{any_of('placeholder_whole')})[-_]?(?:{any_of('placeholder_ends')}|[0-9]{{0,4}})$"
    )
)
_TEMPLATE: Final = late(
    r"<[^<>]{0,80}>?|\$\{[^}]{0,80}\}?|\$\([^)]{0,80}\)?|\$\$?[A-Za-z_]\w{0,60}"
    r"|\{{1,3}[^{}]{0,80}\}{0,3}|%[a-zA-Z]|%\(\w{1,40}\)[a-z]|%[A-Za-z_]\w{0,40}%"
    r"|![a-z]{2,20}|\[[^\[\]]{0,80}\]?|@\w{1,40}@|#\{[^}]{0,80}\}?|\(.{0,80}|:\w{1,40}|&\w{1,40};?"
    r"|\\[nrtu].{0,3}|//.{0,80}|/[\w./-]{0,80}|~/.{0,80}|\.{1,2}/.{0,80}|--?[a-z][\w-]{0,40}"
)
_CODE: Final = late(
    r"[A-Za-z_][\w]{0,60}(?:(?:\.|->|::)[A-Za-z_]\w{0,60}){1,8}(?:[(\[].{0,80})?"
    r"|[A-Za-z_]\w{0,60}[(\[{].{0,80}|[a-z]+:[^0-9]{0,60}",
)
_PATH: Final = late(
    r"(?:\.{1,2}/){1,4}[\w./-]{1,90}|(?:[\w-]{1,30}/){1,9}[\w-]{1,30}\.[a-z]\w{0,4}"
)
_VERSION: Final = late(
    r"[~^<>=v]{0,3}\d{1,5}(?:\.\d{1,5}){1,3}(?:[-+.][\w.]{0,20})?"
    r"|\d{1,4}[-/]\d{1,2}[-/]\d{1,4}|\d{1,2}:\d\d(?::\d\d)?"
    r"|\d{1,2}/\d\d|[\w./-]{1,60}(?:[=~<>!]=v?\d|@[~^v]?\d{1,5}\.)[\w.+-]{0,40}"
)
_URL: Final = late(
    lambda: (
        r"(?i)[a-z][a-z0-9+.-]{1,12}://.{0,200}|www\..{0,80}"
        r"|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
        rf"|[\w-]{{1,40}}\.(?:{any_of('url_endings')})"
    )
)
_IDENTIFIER: Final = late(
    r"[a-z0-9]{1,40}(?:_[a-z0-9]{1,40}){1,8}|[A-Z0-9]{1,40}(?:_[A-Z0-9]{1,40}){1,8}"
    r"|[a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,8}"
)
_COUNTED: Final = late(r"[A-Za-z]{1,40}(?:[-_.:/][A-Za-z]{1,40}){0,4}[-_.:/]\d{1,3}")
_SYMBOL: Final = late(r"[!@#$%^&*_+=~?|]")
_DIGIT: Final = late(r"\d")
_LETTER: Final = late(r"[^\W\d_]")
_CAMEL: Final = late("[a-z][A-Z]")
_HASHED: Final = late(
    r"\$(?:2[abxy]?|1|5|6|argon2[id]{0,2}|scrypt|y)\$.{10,200}|pbkdf2[:_].{10,200}"
    r"|sha\d{1,3}[:-].{10,200}"
)


_RANDOM: Final = late(r"(?=\D{0,500}\d)[\w./+=~:%$@!#^*&|-]{1,4000}", re.ASCII)
_CONSTANT: Final = late(r"[A-Z]{2,30}(?:_[A-Z]{1,30}){1,8}")


def is_placeholder(value: str) -> bool:
    """Whether `value` stands for a secret instead of being one: `<token>`, `${VAR}`, `changeme`."""
    low = value.lower()
    if is_generated(value):
        return False
    if low in listed("placeholders") or _TEMPLATE.fullmatch(value) or _CONSTANT.fullmatch(value):
        return True
    if len(set(low)) <= 2 and not value.isdigit():
        return True
    is_short = len(value) < _LONGEST_PLACEHOLDER
    return is_short and (holds(low, ordered("placeholder_parts")) or _MARKED.match(low) is not None)


_LONGEST_PLACEHOLDER: Final = 40


_QUANTITY: Final = late(
    lambda: (
        rf"\s{{0,2}}(?:(?:{either(filter(str.isascii, ordered('secret_units')))})s?(?![a-z])"
        f"|{either(unit for unit in ordered('secret_units') if not unit.isascii())})"
    )
)


_NOT_GENERATED: Final = late(
    r"<.*>|\{.*\}|\[.*\]|\(.*\)|\$[{(].*|[\w.]{1,60}(?:\(.*\)|\([\"'].*)|%.*%|.*://.*"
    r"|v?\d{1,5}(?:\.\d{1,5}){1,3}(?:[-+.][\w.]{0,20})?"  # a version
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]{0,16}(?:Z|[+-]\d\d:?\d\d)?"
    r"|\w{1,30}=\w{0,30}(?:[,;&]\w{1,30}=\w{0,30}){1,30}"  # settings
    r"|[A-Za-z_][\w.]{0,60}(?:\[['\"]?\w{1,30}['\"]?\](?:\.\w{1,30})?){1,9}(?:\[\w{1,30})?"
)
_CLASSES: Final = late(r"[a-z]+|[A-Z]+|\d+|[!-/:-@\[-`{-~]+")
_LONGEST_RUN: Final = 4  # letters of one case: more are a word
_CHANGES: Final = 0.45  # of the places between two characters, where the class changes


def is_generated(value: str) -> bool:
    """Whether `value` is a row of signs, letters and digits that only a generator makes, so that
    it is no code, path or variable, whatever it begins with: `$x7&Kp(2`, `6n{-nj&O;=cB`."""
    if not 10 <= len(value) <= 200 or not value.isascii() or _NOT_GENERATED.fullmatch(value):
        return False
    if _PATH.fullmatch(value):
        return False
    runs = _CLASSES.findall(value)
    kinds = {_kind(run[0]) for run in runs}
    longest = max((len(run) for run in runs if run.isalpha()), default=0)
    is_mixed = "sign" in kinds and len(kinds) > 2 and sum(map(len, runs)) == len(value)
    return is_mixed and longest <= _LONGEST_RUN and len(runs) - 1 >= _CHANGES * (len(value) - 1)


def _kind(sign: str) -> str:
    if sign.isalpha():
        return "small" if sign.islower() else "capital"
    return "digit" if sign.isdigit() else "sign"


def is_quantity(low: str, end: int) -> bool:
    """Whether a unit stands behind the figures that end at `end` of a text in lower case."""
    return _QUANTITY.match(low, end) is not None


def is_reference(value: str) -> bool:
    """Whether `value` is code, a path, an address, a version or a date."""
    return not is_generated(value) and (
        _CODE.fullmatch(value) is not None
        or _PATH.fullmatch(value) is not None
        or (_IDENTIFIER.fullmatch(value) is not None and _names_secret(value))
        or _VERSION.fullmatch(value) is not None
        or _URL.fullmatch(value) is not None
        or _HASHED.fullmatch(value) is not None
    )


def _names_secret(value: str) -> bool:
    return any(
        word in classed("secret_ends") or word in listed("secret_names")
        for word in name_words(value)
    )


def is_strong(value: str) -> bool:
    """Whether `value` mixes letters with digits, cases or symbols, unlike a word of prose."""
    if value.lower() in listed("no_secrets") or len(value) < 4:
        return False
    if _DIGIT.search(value) and _LETTER.search(value):
        return True
    if _SYMBOL.search(value) and sum(map(str.isalnum, value)) >= 4:
        return True
    # A capital after a small letter. All capitals are a constant or an abbreviation.
    return _CAMEL.search(value) is not None


def is_opaque(value: str, least: int = 16) -> bool:
    """Whether `value` looks random: long, letters with digits, many different characters."""
    if len(value) < least or not _RANDOM.fullmatch(value):
        return False
    letters = sum(map(str.isalpha, value))
    if letters < 2 or len(set(value)) < min(8, least * 2 // 3):
        return False
    # Words joined by hyphens, dots or underscores are names.
    parts = re.split(r"[-_.:/]", value)
    return (
        any(
            len(part) >= 7 and any(map(str.isdigit, part)) and sum(map(str.isalpha, part)) >= 2
            for part in parts
        )
        or sum(any(map(str.isdigit, p)) and any(map(str.isalpha, p)) for p in parts) >= 3
    )


_MEASURE: Final = late(
    r"[~<>]?\d[\d.,]*[a-z]{1,4}(?:/s)?|[a-z]{1,20}[-_]?v?\d{1,4}(?:\.\d{1,4}){1,3}"
    r"|[\w.-]+\.[a-z]{2,4}|802\.\d{1,2}[a-z]{0,2}|#(?=\d*[a-f])(?:[0-9a-f]{3}){1,2}",
    re.I,
)
_INNER_SYMBOL: Final = late("[A-Za-z][!@#$%^&*+=~][A-Za-z]")


def is_measure(value: str) -> bool:
    """Whether `value` is a number with its unit, a version, a size or a colour."""
    size = value.rpartition(".")[2].lstrip("0123456789x")  # c6i.2xlarge
    return _MEASURE.fullmatch(value) is not None or size in listed("no_secrets")


def is_certain(value: str) -> bool:
    """Whether `value`, which is no number, can only be a secret: six characters or more with a
    digit or a symbol among letters, and no reference, measure or placeholder."""
    if (
        len(value) < 6
        or not value.isascii()
        or not is_strong(value)
        or is_placeholder(value)
        or is_reference(value)
        or is_measure(value)
    ):
        return False
    return any(map(str.isdigit, value)) or _INNER_SYMBOL.search(value) is not None


_FIGURES: Final = 3  # of a code
_LONG_TOKEN: Final = 12  # letters: a shorter one is a word
_LEAST: Final = 6  # characters in a field that is named a token, …
_LEAST_SURE: Final = 4  # … and in one whose name states its purpose


def is_number(value: str) -> bool:
    """Whether `value` consists of digits, and spaces, hyphens or marks of a keypad."""
    return value.strip("#*").replace("-", "").replace(" ", "").isdigit()


def secret_as(kind: str, value: str, name: str) -> bool:
    """Whether `value` may be a secret of a kind, by the name of its field: no placeholder; a code
    has digits or capitals; a token is neither prose nor "page-2", unless its name has a purpose."""
    if len(value) < 3 or is_placeholder(value) or _URL.fullmatch(value):
        return False
    if kind == "password":
        return True
    if kind == "code":
        return sum(map(str.isdigit, value)) >= _FIGURES or value.isupper()
    if " " in value:
        return any(is_opaque(part, 16) for part in value.split())
    if len(value) >= _LONG_TOKEN and (has_purpose(name) or not value.islower()):
        return True
    if _COUNTED.fullmatch(value):
        return False
    least = _LEAST_SURE if has_purpose(name) else _LEAST
    return len(value) >= _LONG_TOKEN or (len(value) >= least and is_strong(value))


def may_be_password(value: str) -> bool:
    """Whether `value` looks like a password in a field with an ambiguous name: "pass" may be a
    password or a count of passed tests."""
    if " " in value:
        return is_phrase(value)
    return is_strong(value) or is_number(value) or is_word(value)


def is_word(value: str, least: int = 4) -> bool:
    """Whether a word of letters only may be a password, and is not a word that describes one."""
    low = value.lower()
    return (
        len(value) >= least
        and re.fullmatch(r"[A-Za-z]+(?:-[A-Za-z]+)*", value) is not None
        and not (value.isupper() and len(value) < 8)
        and low not in listed("describing")
        and not low.endswith(ordered("describing_endings"))
        and not is_placeholder(low)
    )


_PASSPHRASE: Final = 4  # words of "correct horse battery staple"
_ROW: Final = 5  # words of a row in which some may be describing words
_CODE_MARKS: Final = late(r"[()\[\]{}<>=|\\]|->|://")
_PUNCTUATED: Final = late("[，、；`/]")
_LATIN: Final = late("[A-Za-z]")
_HAN: Final = late("[\u4e00-\u9fff]")


def is_phrase(value: str, loose: bool = False) -> bool:
    """Whether `value` may be a password of several words: three words or a digit, and no words that
    describe a password, except one in a row of four or more in lower case. Also a row of Chinese
    characters, seven or with a digit.

    loose: half of the words may be describing ones, but not the first; no digit is needed."""
    parts = value.split()
    if is_placeholder(value) or _CODE_MARKS.search(value):
        return False
    if len(parts) == 1 and _HAN.search(value):
        is_password = 5 <= len(value) <= 28 and not is_about_secrets(value)
        return is_password and (loose or len(value) >= 7 or any(map(str.isdigit, value)))
    is_mixed = _HAN.search(value) and _LATIN.search(value)
    if not 2 <= len(parts) <= 26 or is_mixed or (not loose and _PUNCTUATED.search(value)):
        return False
    words = [part.strip(",.'\"()-").lower() for part in parts]
    described = [
        part in listed("describing") or part.endswith(ordered("describing_endings"))
        for part in words
    ]
    if loose:
        return sum(described) <= len(parts) // 2 and (not all(described[:2]) or value[0].isupper())
    is_row = len(parts) >= _PASSPHRASE and all(p.isalpha() and p.islower() for p in parts)
    # One in six of a seed phrase is such a word.
    if sum(described) > (1 + len(parts) // 6 if is_row else 0):
        return False
    return len(parts) >= 3 or any(
        any(map(str.isdigit, part)) and (len(part) > 3 or not part.isdigit()) for part in parts
    )


def is_row_of_words(value: str) -> bool:
    """Whether words behind a colon, in a cell or on a line of their own may be a password: five or
    more in lower case, at most half of them describing ones, and none of conversation."""
    words = value.split()
    if not (_ROW <= len(words) <= 26 and all(w.isalpha() and w.islower() for w in words)):
        return False
    return is_phrase(value, loose=True) and listed("talking").isdisjoint(words)


def is_about_secrets(value: str) -> bool:
    """Whether a Chinese text is about passwords and so no part of one."""
    return holds(value, ordered("secret_talk"))
