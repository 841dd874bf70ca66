"""The phrase: the few words of a text that stay when the text itself is forgotten."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from graphmem_worker.language.lists import listed, numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.language.tables import as_written, simplified
from graphmem_worker.text.clauses import (
    is_dependent,
    negation,
    standalone_clauses,
    turned_at,
    turns,
)
from graphmem_worker.text.patterns import late
from graphmem_worker.text.salience import salience
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import HAN, SPACES, STOP_WORDS, script

LATIN_LIMIT: Final[int] = 60
"""Longest phrase, in characters."""

CJK_LIMIT: Final[int] = 20
"""Longest phrase of a Chinese or Japanese text, in characters."""

CUT: Final = "…"
"""At the end of a phrase that was cut."""

_CJK_LEAST: Final[int] = 10
_MOST_CLAUSES: Final[int] = 48
_MOST_CHARACTERS: Final[int] = 8_000
_FIRST_CLAUSE: Final[float] = 1.2
_OPENING: Final = late(
    r"(?:[-*+•#>\s]+|[0-9]{1,3}(?:[.)](?![0-9])|、)\s*|[\"“”'‘’,;:，；：、。.!！?？…—–)）\]】」』》]+)+"
)
_COMMAS: Final = late(r"[，,\s]*")
_CLOSING: Final[str] = SPACES + ',;:，；：、。.…—–"“‘(（[【「『-'
_WORD: Final = late(r"\w")
_HAN: Final = late(f"[{HAN}]")
# Numbers and dates, with what they count.
_NUMBER: Final = late(
    lambda: (
        rf"(?:(?:[0-9]+(?:[.,:/-][0-9]+)*|[{numerals()}{''.join(ordered('numeral_beside'))}]+)"
        rf"(?:{either(ordered('counted_by'))})?(?:{either(ordered('counted_ends'))})?)+"
    )
)
_MARKS: Final = frozenset("，。、；：！？《“（ ")
_LOOSE_MARKS: Final = frozenset("，、；：")
_STOPS: Final[str] = ".。"
_ENDS: Final[tuple[str, ...]] = ("!", "?", "！", "？", "…", ".", "。")


def phrase(text: str, longest: int | None = None) -> str:
    """The span of `text`, on one line, that best describes its subject.

    At most 60 characters; 10 to 20 for a Chinese text, fewer only if the line has fewer. `longest`
    (≥ 1) lowers these limits, the minimum to ¾ of it. The span ends in "…" if it is cut within a
    clause (at a word border) or before a word that reverses its meaning. It begins with the clause
    of the highest salience, the first of equal ones; opening conjunctions, list signs and closing
    commas are left out. "" for a blank text only. Only the first 48 clauses within 8,000 characters
    are considered.
    """
    limit, least = (CJK_LIMIT, _CJK_LEAST) if script(text) == "cjk" else (LATIN_LIMIT, 0)
    if longest is not None:
        # A little shorter may be the better place to end.
        limit, least = min(limit, longest), min(least, (3 * longest + 3) // 4)
    text = text.lstrip()[:_MOST_CHARACTERS]
    read = simplified(text)
    if read != text:
        found = phrase(read, longest)
        span = found if found in read else found.removesuffix(CUT)
        return as_written(span, text) + found[len(span) :]
    best, best_score = "", 0.0
    spans = [*_spans(text, limit, least)]
    if len(spans) == 1:
        return spans[0]
    for number, span in enumerate(spans):
        score = salience(span) * (1.0 if number else _FIRST_CLAUSE)
        if score > best_score:
            best, best_score = span, score
    if best:
        return best
    # Punctuation only.
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= limit else line[: limit - 1].rstrip() + CUT


def core(sentence: str, wanted: Callable[[str], bool]) -> str:
    """The part of `sentence` that can stand for it: a run of clauses, at least a third of it, that
    is `wanted`, has all words that negate or limit it, and takes its subject from no clause before.
    Of runs as short as a phrase the one of the highest salience, else the shortest; the sentence
    itself if no run is shorter. The white space behind the sentence stays."""
    bare = sentence.strip()
    if len(bare) > _MOST_CHARACTERS:
        return sentence
    turning_words = turns(bare)
    found = [
        span
        for span in _runs(bare)
        if 3 * len(span) >= len(bare) and wanted(span) and turns(span) == turning_words
    ]
    if not found:
        return sentence
    limit = CJK_LIMIT if script(bare) == "cjk" else LATIN_LIMIT
    short = [span for span in found if len(span) <= limit]
    best = max(short, key=salience) if short else min(found, key=len)
    if len(best) >= len(bare) - 1:  # all but the full stop
        return sentence
    stop = bare[-1] if bare[-1] in _STOPS and not best.endswith(_ENDS) else ""
    return best + stop + sentence[len(sentence.rstrip()) :]


def _runs(sentence: str) -> Iterator[str]:
    """The runs of clauses of a sentence whose first one does not depend on another."""
    parts = standalone_clauses(sentence)[:_MOST_CLAUSES]
    for place in range(len(parts)):
        if place and is_dependent(parts[place]):
            continue
        for stop in range(place + 1, len(parts) + 1):
            span = _closed(_opened("".join(parts[place:stop])))
            if "\n" not in span and _WORD.search(span):
                yield span


def _spans(text: str, limit: int, least: int) -> Iterator[str]:
    """The candidates of `phrase`: from each clause on as many whole clauses as fit."""
    left = _MOST_CLAUSES
    for line in text.splitlines():
        sentence_clauses = [standalone_clauses(sentence) for sentence in sentences(line.strip())]
        for number, parts in enumerate(sentence_clauses):
            following = [
                part for later in sentence_clauses[number + 1 : number + 4] for part in later
            ]
            for place in range(len(parts)):
                span = _fitting(parts[place:], following, limit, least)
                if _WORD.search(span):
                    yield span
                    left -= 1
                if not left:
                    return


def _fitting(parts: list[str], following: list[str], limit: int, least: int) -> str:
    span = first = _opened(parts[0])
    for part in parts[1:]:
        if len(_closed(span + part)) > limit and len(_closed(span)) >= least:
            break
        span += part
    else:  # the whole sentence fits, so the next ones follow
        for part in following:
            if len(_closed(span)) >= least:
                break
            span += part
    whole = _closed(_opened("".join(parts)) if parts[1:] else first)
    span = _closed(span)
    is_cut = len(span) > limit or (len(span) < len(whole) and turns(span) != turns(whole))
    if not is_cut:
        return span
    if len(span) >= limit:
        span = _closed(_cut(span, limit - 1, min(least, limit - 1)))
    return span + CUT


def _opened(span: str) -> str:
    span = span.lstrip()
    if (sign := _OPENING.match(span)) and _WORD.search(span, sign.end()):
        span = span[sign.end() :]
    begin = _behind_conjunctions(span)
    return span[begin:] if _WORD.search(span, begin) else span


def _behind_conjunctions(span: str) -> int:
    lower, at = folded(span), 0
    while (word := sayings("clauses", "begins").match(lower, at)) is not None:
        commas = _COMMAS.match(span, word.end())
        at = commas.end() if commas else word.end()
    return at


def _closed(span: str) -> str:
    return span.rstrip(_CLOSING) or span.strip()


def _is_long_enough(part: str) -> bool:
    """Whether the beginning of a sentence can stand for it: six characters in Chinese, three words
    elsewhere."""
    return len(part) >= 6 if script(part) == "cjk" else len(part.split()) >= 3


def _cut(span: str, limit: int, least: int) -> str:
    """`span` cut to at most `limit` characters at a word border, which in Chinese is a guess."""
    if (begin := turned_at(span, limit)) is not None:
        # The part cut off would reverse the rest; no half of a Chinese verb before 不 is left.
        ends = (begin, (negation(span) or 0) - (1 if least else 0))
        limit = next(
            (end for end in ends if end < limit and _is_long_enough(span[: max(0, end)])), limit
        )
        least = min(least, limit)
    inside = {
        place
        for number in (_NUMBER.finditer(span, 0, limit + 8) if least else ())
        for place in range(number.start() + 1, number.end())
    }
    borders = (
        place for place in range(limit, 0, -1) if place not in inside and _is_border(span, place)
    )
    last = next(borders, None)
    if last is None:
        return span[:limit]
    if least:
        good = (
            p
            for p in chain((last,), borders)
            if p >= least
            and (
                span[p] in listed("break_before") | _MARKS
                or span[p - 1] in listed("break_after") | _MARKS
            )
        )
        short = span[: next(good, last)]
        while len(short) > least and short[-1] in listed("loose_ends") | _LOOSE_MARKS:
            short = short[:-1]
        return short
    short = span[:last].rstrip()
    if short.count('"') % 2 and short.rfind('"') > limit // 3:
        short = short[: short.rfind('"')].rstrip()
    head, _, tail = short.rpartition(" ")
    while head and tail.casefold().strip(",;:") in STOP_WORDS:
        short = head.rstrip()
        head, _, tail = short.rpartition(" ")
    return short


def _is_border(span: str, place: int) -> bool:
    """Whether no word spans `place`: only white space and Han separate words."""
    before, after = span[place - 1], span[place]
    if before.isspace() or after.isspace():
        return True
    if _HAN.match(before) or _HAN.match(after):
        return bool(_WORD.match(before)) or before not in "“‘（(《「"
    return False
