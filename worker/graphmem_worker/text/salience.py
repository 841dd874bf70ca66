"""Salience: how worth keeping a sentence is, not yet divided by its length."""

import re
from functools import cache
from typing import Final

from graphmem_worker.claims.vocabulary import Nouns, lexicon_of
from graphmem_worker.language.lists import listed, numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import Sayings, folded, sayings
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late
from graphmem_worker.text.rarity import Rarity, shape_rarity
from graphmem_worker.text.words import script, words

# Rarity below which a word distinguishes nothing: every seventh text has it.
_COMMON: Final[float] = 2.0  # nat
# A bigram counts a quarter of a stem: the words of an average turn then have equal sums in both
# languages (13 stems, 45 bigrams), so a bonus has equal weight.
_STEM_SHARE: Final[float] = 1.5
_BIGRAM_SHARE: Final[float] = _STEM_SHARE / 4
_FLOOR: Final[float] = 0.1

_NUMBER_BONUS: Final[float] = 2.0
_NAME_BONUS: Final[float] = 4.0
_DECISION_BONUS: Final[float] = 2.0
_PREFERENCE_BONUS: Final[float] = 3.0
_DATE_BONUS: Final[float] = 3.0
_SELF_BONUS: Final[float] = 1.5
_MOST_OF_A_KIND: Final[int] = 3

_QUESTION_DISCOUNT: Final[float] = 0.3
_GREETING_DISCOUNT: Final[float] = 0.5
_CHATTER_DISCOUNT: Final[float] = 0.4

_DATE_DIGITS: Final = late(
    lambda: (
        rf"\b(?:(?:{either(ordered('month_stems'))})\.? \d{{1,2}}|(?:19|20)\d\d"
        rf"|\d{{1,2}}(?::\d\d)? ?[ap]\.?m)\b|\d(?:{either(ordered('date_units'))})"
    ),
    re.IGNORECASE,
)
_DATE_HAN: Final = late(
    lambda: rf"[{numerals()}](?:{either(ordered('dated_by'))})|{either(ordered('date_words'))}"
)
_DIGITS: Final = late(r"\d+(?:[.,:/-]\d+)*")
_HAN_NUMBER: Final = late(lambda: rf"[{numerals()}]{{1,12}}+(?={either(ordered('number_units'))})")

# A run of letters and figures that is no word: a token, hash, address, serial or account number.
_IDENTIFIER: Final = late(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9_+/=.:~-]{0,40}?\d)(?=[0-9_+/=.:~-]{0,40}?[A-Za-z])"
    r"[A-Za-z0-9_+/=.:~-]{10,}|(?<![\d.,:/-])\d{7,}(?![\d.,:/-]*\d)|\bhttps?://\S+"
)
_DIGIT: Final = late(r"\d")  # in all of them but addresses
_DATED: Final = late(r"(?:19|20)\d\d-\d\d-\d\d")
_LONG_RUN: Final = late(r"[A-Za-z0-9_+/=.:~-]{7}")
_IDENTIFIER_DISCOUNT: Final[float] = 0.85
_MOSTLY: Final[float] = (
    0.3  # share of a sentence's characters from which an identifier is its subject
)

_CAPITAL: Final = late(r"[A-Z][\w'’-]+")
_WORD: Final = late(r"[^\W\d_][\w'’-]*")
_BEFORE_START: Final[str] = " \t\"'“‘(*#>-"
_ENDS: Final[frozenset[str]] = frozenset(".!?:\n。！？：")
_HAN_NAME: Final = late(
    lambda: (
        r"《[^《》\n]{1,30}》|「[^「」\n]{1,20}」|“[^“”\n]{1,12}”"
        rf"|[\u4e00-\u9fff](?:{either(ordered('titles_of_people'))})"
        rf"|(?:{either(ordered('before_names'))})[\u4e00-\u9fff]"
        rf"(?={either(ordered('behind_names'))})"
        rf"|(?:{either(ordered('called'))})[\u4e00-\u9fff]{{2,3}}(?=[，。！；、]|$)"
        rf"|[\u4e00-\u9fff]{{2}}(?:{either(ordered('kinds_of_places'))})"
    )
)

_SELF: Final = late(lambda: rf"\b(?:{either(ordered('selves'))})\b")
_CLOSING: Final[str] = " \t\n\"'”’)）」』"
_NEAR: Final[int] = 16  # characters that end a question


def salience(sentence: str, rarity: Rarity | None = None) -> float:
    """How worth keeping `sentence` is before division by √length: the sum of its `parts`, above 0
    and finite.

    The rule that kept most answers on LoCoMo: the sum of the rarities of its distinct index words,
    each less 2 nat, with a bonus for numbers and names.  Further bonuses are for decisions,
    preferences, dates and speakers who speak of themselves, discounts for questions, greetings and
    chatter; the weights were fitted on the development parts of LoCoMo and MemoryBank.  `rarity`
    gives the inverse document frequency of an index word in nat (values below 2 and not finite ones
    count as 0); the default is `rarity.shape_rarity`.

    The middle 90 % of the sentences of those conversations lie between 1 and 48 (median 10 in
    LoCoMo, 14 in MemoryBank, English and Chinese alike); divided by √characters the medians are 1.7
    and 2.0 in English and 3.2 in Chinese, so compare that with the memory's own median.
    """
    return sum(parts(sentence, rarity).values())


def parts(sentence: str, rarity: Rarity | None = None) -> dict[str, float]:
    """The summands of the salience of `sentence` by name, discounts negative.

    Names: floor, words, numbers, names, decision, preference, self, date, identifier, question,
    greeting, chatter; absent where 0.  Tokens, hashes, addresses and long numbers count for
    nothing; where they are most of a sentence, the rest of it counts for little.
    """
    rarity = rarity or shape_rarity
    sentence, identifiers = simplified(sentence), 0
    if _LONG_RUN.search(sentence) and ("://" in sentence or _DIGIT.search(sentence)):
        # Identifiers have no worth, however rare they are.
        remaining = _IDENTIFIER.sub(_date_or_nothing, sentence)
        identifiers, sentence = len(sentence) - len(remaining), remaining
    nouns = lexicon_of(sentence).nouns
    distinct = frozenset(words(sentence))
    if nouns is not None:
        distinct -= _function_words()
    lower = sentence.lower()
    found = {"floor": _FLOOR}
    if distinct:
        share = _BIGRAM_SHARE if script(sentence) == "cjk" else _STEM_SHARE
        # Sorted: a sum must not depend on the order of a set. NaN fails both comparisons.
        values = [v - _COMMON for word in sorted(distinct) if _COMMON < (v := rarity(word)) < 1e6]
        found["words"] = share * sum(values)
    digits = _DIGITS.findall(sentence)
    if numbers := _numbers(sentence, distinct, digits):
        found["numbers"] = _NUMBER_BONUS * min(_MOST_OF_A_KIND, numbers)
    if names := _names(sentence) if nouns is None else _among(nouns, sentence):
        found["names"] = _NAME_BONUS * min(_MOST_OF_A_KIND, len(names))
    has_decision = not distinct.isdisjoint(listed("decision_stems"))
    if has_decision or _phrases("settles").is_in(lower) or holds(lower, ordered("decision_words")):
        found["decision"] = _DECISION_BONUS
    if not distinct.isdisjoint(listed("preference_stems")) or holds(
        lower, (*ordered("preference_phrases"), *ordered("preference_words"))
    ):
        found["preference"] = _PREFERENCE_BONUS
    if _SELF.search(sentence) or (
        not sentence.isascii() and holds(sentence, ordered("selves_within"))
    ):
        found["self"] = _SELF_BONUS
    if _has_date(sentence, distinct, lower, bool(digits)):
        found["date"] = _DATE_BONUS
    # A discount takes a share, so that several cannot reach 0.
    whole = sum(found.values())
    mostly = identifiers > _MOSTLY * (identifiers + len(sentence.strip()))
    for name, discount, applies in (
        ("identifier", _IDENTIFIER_DISCOUNT, mostly),
        ("question", _QUESTION_DISCOUNT, is_question(sentence)),
        ("greeting", _GREETING_DISCOUNT, _phrases("greets").is_in(lower)),
        ("chatter", _CHATTER_DISCOUNT, _phrases("chats").is_in(lower)),
    ):
        if applies:
            found[name] = -discount * whole
            whole -= discount * whole
    return found


def _date_or_nothing(found: re.Match[str]) -> str:
    return found[0] if _DATED.match(found[0]) else ""


def is_remark(sentence: str) -> bool:
    """True for a question, a greeting or chatter, which `parts` discounts."""
    return is_question(sentence) or is_pleasantry(sentence)


def is_pleasantry(sentence: str) -> bool:
    """True for a greeting or chatter."""
    lower = folded(sentence)
    return _phrases("greets").is_in(lower) or _phrases("chats").is_in(lower)


def _numbers(sentence: str, distinct: frozenset[str], digits: list[str]) -> int:
    found = {*digits, *(distinct & listed("number_stems"))}
    if not sentence.isascii():
        found.update(_HAN_NUMBER.findall(sentence))
    return len(found)


def _names(sentence: str) -> set[str]:
    """Names by their look: capitals within a sentence, titles, quoted works, places."""
    found = set()
    last = 0  # where the capital before is: no white space or sign, so the search can end there
    for match in _CAPITAL.finditer(sentence):
        name = match[0]
        before = sentence[last : match.start()].rstrip(_BEFORE_START)
        last = match.start()
        if name in listed("nameless"):
            continue
        if before and before[-1] not in _ENDS:
            found.add(name)
    if not sentence.isascii():
        found.update(_HAN_NAME.findall(sentence))
    return found


def _among(nouns: Nouns, sentence: str) -> set[str]:
    """The names in a language that writes all nouns with a capital."""
    said = _WORD.findall(sentence)
    places = (p for p in range(1, len(said)) if nouns.may_name(said, p))
    return {said[place] for place in places if not nouns.is_articled(said, place)}


@cache
def _function_words() -> frozenset[str]:
    """The index words of function words that the index does not leave out."""
    return frozenset(words(" ".join(listed("function_words"))))


def _has_date(sentence: str, distinct: frozenset[str], lower: str, digits: bool) -> bool:
    return (
        not distinct.isdisjoint(listed("date_stems"))
        or _phrases("dated").is_in(lower)
        or (digits and _DATE_DIGITS.search(sentence) is not None)
        or (not sentence.isascii() and _DATE_HAN.search(sentence) is not None)
    )


def is_question(sentence: str) -> bool:
    """True if a sentence ends as questions do."""
    bare = simplified(sentence.rstrip(_CLOSING)[-_NEAR:])
    return bare.endswith(("?", "？")) or bare.rstrip("。！").endswith(ordered("question_ends"))


def _phrases(meaning: str) -> Sayings:
    return sayings("clauses", meaning)
