"""Cutting text into sentences, segments and clauses without losing a character."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from sentencex import segment

from graphmem_worker.language.lists import numerals, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.language.sayings import Sayings, folded, sayings
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import HAN

LONGEST_SENTENCE: Final[int] = 2000
"""Longest sentence, in characters; a longer one is cut at a clause, word or character border."""

SEGMENT_LIMIT: Final[int] = 200
"""Default length of a segment, in characters."""

_LONG: Final[int] = 200
_AT_ONCE: Final[int] = 4000

Kind = Literal["prose", "heading", "item", "code"]


@dataclass(frozen=True, slots=True)
class _Block:
    """A stretch of text of one kind: wrapped lines of prose, a heading, a list item, a fenced code
    block."""

    kind: Kind
    text: str
    opens: bool
    """True where a paragraph begins."""


_FENCE: Final = late(r"[ \t]*(`{3,}|~{3,})")
_ITEM: Final = late(
    lambda: (
        r"[ \t\u3000]*(?:"
        r"[-*+\u2013\u2014][ \t]+(?=\S)"
        r"|[\u2022\u2023\u25aa\u25cb\u25cf\u25e6\u25a0\u00b7][ \t]*(?=\S)"
        rf"|\(?[0-9]{{1,3}}[.)](?:[ \t]+(?=\S)|(?=[{HAN}]))"
        r"|[\uff08]?[0-9]{1,3}[\u3001\uff09\uff0e]"
        rf"|[(\uff08]?[{numerals()}]{{1,3}}[\u3001)\uff09\uff0e]"
        r"|[\u2460-\u2473\u3220-\u3229]"
        r"|[A-Za-z]\)[ \t]+(?=\S)"
        r"|\|.*\|\s*$"
        r")"
    )
)
_HEADING: Final = late(
    lambda: (
        r"[ \t]{0,3}#{1,6}[ \t]+\S"
        rf"|(?:{either(ordered('chapter_heads'))})[{numerals()}0-9]{{1,4}}"
        rf"(?:{either(ordered('chapters'))})(?:\s|$|[^，。,]{{0,24}}$)"
    )
)
_RULE: Final = late(r"[ \t]*([-=*_])\1{2,}[ \t]*$")
# "Wen: …": a turn of a chat log begins a sentence even where the turn before has no full stop.
_TURN: Final = late(
    rf"[ \t]*(?:[A-Z][\w.'-]{{0,20}}(?: [A-Z][\w.'-]{{0,20}}){{0,2}}: "
    rf"|[{HAN}]{{1,6}}[\uff1a:](?=\S))"
)
_TERMINAL: Final = late(r"[.!?。！？…；][\"'”’」』）)\]》*_]*\s*$")
_ABBREVIATED: Final = late(
    lambda: rf"(?:^|\W)(?:{either(ordered('abbreviations'))})\.\s*$", re.IGNORECASE
)

# Of dots in a row only the last three: otherwise the search would start at each of a run.
_SPOKEN_END: Final = late(rf"(?:；|…|\.{{3}})[”’」』）)》]*+\s*+(?=[{HAN}“「『《])")
_INNER_END: Final = late(
    r"[。！？；][”’」』）)》]*\s*"
    rf"|(?<=[a-z]{{2}}[.!?])[\"'”’)]*\s+(?=[\"'“‘(]*[A-Z{HAN}])"
    r"|[!?][\"'”’)]*\s+"
)
_ASCII_END: Final = late(r"[.!?]")
_NUMBERED: Final = late(r"\s*[(]?[0-9]{1,3}[.)]\s*$")
_WORD: Final = late(r"\w")
_INLINE_CODE: Final = late(r"```.*?```|`[^`\n]+`", re.DOTALL)


def sentences(text: str) -> list[str]:
    """The sentences of `text`; their concatenation is exactly `text`.

    Each keeps the white space behind it, leading white space goes to the first, and no sentence is
    blank unless the whole text is.  English and Chinese punctuation, also mixed.  A fenced code
    block, a list item, a heading and a chat turn ("Wen: …") are sentences of their own; an item of
    more than 200 characters is cut like prose.  Another line break ends a sentence only at the end
    of a paragraph or behind terminal punctuation.  No sentence is longer than `LONGEST_SENTENCE`
    characters.

    The empty text has no sentence.  Boundaries within a line come from sentencex.
    """
    return [sentence for block in _blocks(text) for sentence in _block_sentences(block)]


def segments(text: str, limit: int = SEGMENT_LIMIT) -> list[list[str]]:
    """Groups of consecutive sentences, each of at most `limit` characters (≥ 1) where sentences
    permit.

    A longer sentence stands alone.  A code block and a list are kept whole up to `LONGEST_SENTENCE`
    characters, but for numbered paragraphs: a list most of whose items have several sentences.
    White space at the ends of a segment is dropped; within a segment the pieces concatenate to a
    span of `text`, and each character that is not white space is in exactly one segment. The most
    balanced of these groupings is taken, cut rather between paragraphs and hardly ever right behind
    a heading. Blank text has no segment.

    Raises `ValueError` if `limit` < 1.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1 character, not {limit}")
    if not text.strip():
        return []
    units = units_of(text)
    borders = [0, len(units)] if len(text.strip()) <= limit else _balanced(units, limit)
    groups = ([piece for unit in units[a:b] for piece in unit.pieces] for a, b in pairwise(borders))
    return [_trimmed(group) for group in groups]


def clauses(sentence: str) -> list[str]:
    """The clauses of `sentence`; their concatenation is exactly `sentence`.

    Cut behind ，；：、, ; : and dashes and before conjunctions ("but", "because", 但是, 因为 …),
    never inside numbers, quotes, brackets or code.  A separator stays with the clause before it, a
    conjunction with the clause that it opens.  A scrap (under 8 Latin or 3 Chinese characters:
    "Well, ", 另外，) stays with its neighbour.
    """
    pieces = [part for whole in _prose(sentence) for part in _split(whole, _clause_borders(whole))]
    return _without_scraps(pieces)


# --- blocks ---------------------------------------------------------------------------------------


def _blocks(text: str) -> list[_Block]:
    if "\n" not in text and len(text.splitlines()) <= 1:
        return [_Block(_line_kind(text), text, True)] if text else []
    return _without_leads(_line_blocks(text))


def _without_leads(blocks: Iterable[_Block]) -> list[_Block]:
    """The blocks with white space before one, such as its indent, moved into the block before."""
    moved: list[_Block] = []
    for block in blocks:
        bare = block.text.lstrip()
        if moved and len(bare) < len(block.text):
            lead = block.text[: len(block.text) - len(bare)]
            moved[-1] = replace(moved[-1], text=moved[-1].text + lead)
            moved.append(replace(block, text=bare))
        else:
            moved.append(block)
    return moved


def _line_kind(line: str) -> Kind:
    if _ITEM.match(line):
        return "item"
    if _HEADING.match(line):
        return "heading"
    return "prose"


def _line_blocks(text: str) -> Iterator[_Block]:
    held: list[str] = []  # the lines of the block being built
    kind: Kind = "prose"
    opens = True  # the block being built begins a paragraph
    ended = False  # a blank line or heading: the next line begins a paragraph
    fence = ""
    for line in text.splitlines(keepends=True):
        if fence:
            held.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence, ended = "", True
            continue
        if not line.strip():
            held.append(line)
            ended = True
            continue
        fenced = _FENCE.match(line)
        line_kind: Kind = "code" if fenced else _line_kind(line)
        if _begins(line, line_kind, held, kind, ended):
            if any(map(str.strip, held)):
                yield _Block(kind, "".join(held), opens)
                held, opens = [], ended or line_kind != kind
            kind = line_kind
            ended = False
        held.append(line)
        if fenced and fenced[1] not in line[fenced.end() :]:
            fence = fenced[1]
        elif fenced or line_kind == "heading" or _RULE.match(line):
            ended = True
    yield _Block(kind, "".join(held), opens)


def _begins(line: str, line_kind: Kind, held: list[str], kind: Kind, ended: bool) -> bool:
    """Whether `line` begins a new block rather than continuing the lines held."""
    if ended or line_kind != "prose" or not held:
        # A rule below a line is that line's underlining.
        return not (_RULE.match(line) and held and not ended)
    if kind == "item":
        goes_on = line[0] in " \t\u3000" or (line[0].islower() and not _TERMINAL.search(held[-1]))
        return not goes_on
    if _RULE.match(line):
        return False
    if _TURN.match(line):
        return True
    if not _TERMINAL.search(held[-1]) or _ABBREVIATED.search(held[-1]):
        return False
    near = held[-1][-_NEAR:]
    return not _goes_on(near + line[:_NEAR], len(near))


def _block_sentences(block: _Block) -> Sequence[str]:
    text = block.text
    pieces: Sequence[str]
    if block.kind == "prose" or (block.kind == "item" and len(text) > _LONG):
        pieces = _prose(text)
    else:
        pieces = [text]
    if len(text) <= LONGEST_SENTENCE:
        return pieces
    return [part for piece in pieces for part in _cut(piece, code=block.kind == "code")]


# --- sentences within prose -----------------------------------------------------------------------


@lru_cache(4)  # a text is cut into segments and then into sentences
def _prose(text: str) -> Sequence[str]:
    if len(text) <= _AT_ONCE:
        pieces = [text] if _is_single(text) else list(segment("en", text))
    else:
        pieces = [piece for part in _parts(text) for piece in segment("en", part)]
    # sentencex lost nothing in all that was tried, but a memory must not depend on it.
    if "".join(pieces) != text:
        pieces = _split(text, [found.end() for found in _INNER_END.finditer(text)])
    if len(pieces) == 1 and len(text) <= _LONG and "；" not in text and "…" not in text:
        return pieces
    refined: list[str] = []
    for piece in pieces:
        if "；" in piece or "…" in piece:
            borders = [found.end() for found in _SPOKEN_END.finditer(piece)]
            refined.extend(_split(piece, _outside(piece, borders)))
        else:
            refined.append(piece)
    return _joined([part for piece in refined for part in _shorter(piece)], text)


def _is_single(text: str) -> bool:
    """Whether no sentence can end before the text does: half of all calls then need no sentencex.
    Only True for printable ASCII, where only . ! and ? end one."""
    if not (text.isascii() and text.isprintable()):
        return False
    end = _ASCII_END.search(text)
    return end is None or not _WORD.search(text, end.end())


def _parts(text: str) -> Iterator[str]:
    """Very long prose in parts: the time that sentencex takes grows with the square of the quotes
    in it."""
    start = 0
    while len(text) - start > _AT_ONCE:
        window = text[start : start + _AT_ONCE]
        border = max((found.end() for found in _INNER_END.finditer(window)), default=0)
        if not border:
            border = max((found.end() for found in _SPACE.finditer(window)), default=_AT_ONCE)
        yield window[:border]
        start += border
    yield text[start:]


def _shorter(piece: str) -> list[str]:
    """A piece of more than 200 characters, mostly a long quotation, at the sentence ends within
    it."""
    if len(piece) <= _LONG:
        return [piece]
    return _split(piece, [found.end() for found in _INNER_END.finditer(piece)])


def _joined(pieces: list[str], text: str) -> list[str]:
    """The pieces, of which those that are no sentence alone are joined with their neighbour: a
    closing quote, an emoji, a bare "1.", half of some `code`."""
    code = [found.span() for found in _INLINE_CODE.finditer(text)] if "`" in text else []
    joined: list[list[str]] = []  # strings grow only at the end: adding to one copies it
    wait = True  # the last of `joined` cannot stand alone: the next piece goes with it
    end = 0
    span = 0
    for piece in pieces:
        while span < len(code) and code[span][1] <= end:
            span += 1
        inside = span < len(code) and code[span][0] < end
        wordless = not _WORD.search(piece)
        near = text[max(0, end - _NEAR) : end + _NEAR]
        if joined and (wait or wordless or inside or _goes_on(near, min(end, _NEAR))):
            joined[-1].append(piece)
            wait = wait and wordless
        else:
            joined.append([piece])
            wait = wordless or bool(_NUMBERED.match(piece))
        end += len(piece)
    return ["".join(parts) for parts in joined]


_NEAR: Final = 24  # characters on each side of a full stop that decide if it ends a sentence
_SHORT_END: Final = late(r"(?:\d|\b[^\W\d_]{1,6})\.\s*$")
# "sync.Pool", "user?.Name", "list().First": no white space, and no quote that ends.
_INSIDE: Final = late(rf"(?<=[^\W{HAN}]|[)\]?])\.(?=[^\W{HAN}])")


def _goes_on(near: str, border: int) -> bool:
    """Whether a sentence goes on at a border: the dot before it is inside a word, or belongs to an
    ordinal number or an abbreviation."""
    if border and _INSIDE.match(near, border - 1):
        return True
    if not _SHORT_END.search(near, 0, border):
        return False
    lower, stop = folded(near), near.rfind(".", 0, border)
    is_small = near[border : border + 1].islower()
    for meaning in ("goes on", "may go on") if is_small else ("goes on",):
        found = _phrase_across(sayings("sentences", meaning), lower, stop)
        # Behind a number a word is a unit, which no name follows: "30 ms.", "Ms. Okafor".
        if found is not None and (is_small or not lower[:found].rstrip()[-1:].isdigit()):
            return True
    return False


def _phrase_across(phrases: Sayings, lower: str, stop: int) -> int | None:
    """Where a phrase begins that spans a place; None if none does. Phrases may overlap: in
    "5. bis 19. August" the first one ends with the word with which the second one begins."""
    begin = 0
    while (found := next(phrases.finditer(lower, begin), None)) and found.start() <= stop:
        if stop < found.end():
            return found.start()
        begin = found.start() + 1
    return None


def _split(text: str, borders: list[int]) -> list[str]:
    """`text` cut at `borders` (ascending); borders at its ends are left out."""
    pieces: list[str] = []
    start = 0
    for border in borders:
        if start < border < len(text):
            pieces.append(text[start:border])
            start = border
    if start < len(text):
        pieces.append(text[start:])
    return pieces


_SOFT_BREAK: Final = late(r"[,;:，；：、。！？]\s*")
_SPACE: Final = late(r"\s+")


def _cut(piece: str, *, code: bool) -> Iterator[str]:
    """Parts of at most `LONGEST_SENTENCE` characters: at a line, clause, word or character
    border."""
    start = 0
    words_end = len(piece.rstrip())
    while len(piece) - start > LONGEST_SENTENCE:
        window = piece[start : start + LONGEST_SENTENCE]
        border = window.rfind("\n") + 1
        if border < LONGEST_SENTENCE // 2 and not code:
            border = max((found.end() for found in _SOFT_BREAK.finditer(window)), default=0)
        if border < LONGEST_SENTENCE // 2:
            border = max((found.end() for found in _SPACE.finditer(window)), default=0)
        # White space at the beginning must not become a part of its own.
        if border < 1 or not window[:border].strip() or start + border >= words_end:
            border = _character_border(piece[start : start + LONGEST_SENTENCE + 1])
        yield piece[start : start + border]
        start += border
    yield piece[start:]


_CLINGS: Final = late("[\u0300-\u036f\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\u3099\u309a]")


def _character_border(text: str) -> int:
    """The last border ≤ `LONGEST_SENTENCE` that separates no accent, modifier or joined emoji from
    its base character."""
    border = LONGEST_SENTENCE
    for place in range(border, max(1, border - 16), -1):
        if not _CLINGS.match(text, place) and text[place - 1] != "\u200d":
            return place
    return border


# --- segments -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unit:
    """A part that segments and chunks do not cut: a sentence of prose, a heading, a list, a code
    block."""

    pieces: list[str]  # sentences
    opens: bool  # a paragraph
    heading: bool

    @property
    def text(self) -> str:
        """The sentences, joined."""
        return "".join(self.pieces)

    @property
    def length(self) -> int:
        """Characters."""
        return sum(map(len, self.pieces))


def units_of(text: str) -> list[Unit]:
    """The units of `text`; their concatenation is exactly `text`. Lists and code blocks of more
    than `LONGEST_SENTENCE` characters are cut, and numbered paragraphs."""
    units: list[Unit] = []
    blocks = _blocks(text)
    place = 0
    while place < len(blocks):
        block = blocks[place]
        run = [block]
        if block.kind == "item":
            while place + len(run) < len(blocks) and blocks[place + len(run)].kind == "item":
                run.append(blocks[place + len(run)])
        place += len(run)
        cut = [_block_sentences(member) for member in run]
        pieces = [piece for own in cut for piece in own]
        short = sum(map(len, pieces)) <= LONGEST_SENTENCE
        if short and (block.kind == "code" or (block.kind == "item" and not _is_paragraphs(run))):
            units.append(Unit(pieces, block.opens, False))
            continue
        for member, own in zip(run, cut, strict=True):
            opens = member.opens or block.kind == "item"
            units.extend(
                Unit([piece], opens and not n, block.kind == "heading")
                for n, piece in enumerate(own)
            )
    return units


def _is_paragraphs(items: Sequence[_Block]) -> bool:
    """Whether most items have several sentences, and so are numbered paragraphs, not a list."""
    bare = (_ITEM.sub("", item.text, 1) for item in items)
    return 2 * sum(len(_prose(text)) > 1 for text in bare) > len(items)


def _balanced(units: list[Unit], limit: int) -> list[int]:
    """Borders (indices of units, with 0 and the end) of the cheapest grouping, by dynamic
    programming.

    A segment costs 0.3 and the square of the share of `limit` that it leaves unused; a border
    within a paragraph 0.15, one behind a heading 1; a paragraph break inside a segment 0.1.
    """
    ends = [0]
    for unit in units:
        ends.append(ends[-1] + unit.length)
    tails = [len(unit.pieces[-1]) - len(unit.pieces[-1].rstrip()) for unit in units]
    lead = len(units[0].pieces[0]) - len(units[0].pieces[0].lstrip())
    best = [0.0] + [float("inf")] * len(units)
    come = [0] * (len(units) + 1)
    for stop in range(1, len(units) + 1):
        border = 0.0
        if stop < len(units):
            border = (0.0 if units[stop].opens else 0.15) + float(units[stop - 1].heading)
        breaks = 0
        for start in range(stop - 1, -1, -1):
            length = ends[stop] - ends[start] - tails[stop - 1] - (0 if start else lead)
            if length > limit and start < stop - 1:
                break
            unused = max(0.0, (limit - length) / limit)
            cost = best[start] + 0.3 + unused * unused + border + 0.1 * breaks
            if cost < best[stop]:
                best[stop], come[stop] = cost, start
            breaks += units[start].opens
    borders = [len(units)]
    while borders[-1]:
        borders.append(come[borders[-1]])
    return borders[::-1]


def _trimmed(pieces: list[str]) -> list[str]:
    """The sentences of a segment without white space at its ends; changes the list."""
    pieces[0] = pieces[0].lstrip()
    pieces[-1] = pieces[-1].rstrip()
    return [piece for piece in pieces if piece]


# --- clauses --------------------------------------------------------------------------------------

_HAN: Final = late(f"[{HAN}]")
_BORDER: Final = late(
    lambda: (
        r"[，；、]\s*|：\s*(?![0-9])|[,;:]\s+"
        rf"|[,;:](?=[{HAN}])|(?:\u2014+|\u2013|--+)\s*(?![0-9])|\s-\s+"
        rf"|(?<=\s)(?=(?:{_conjunctions(str.isascii)})\s)"
        rf"|(?<=[{HAN}])(?={_conjunctions(_HAN.match)})"
    )
)
# The alternatives that can match in ASCII: takes half the time.
_ASCII_BORDER: Final = late(
    lambda: (
        r"[,;:]\s+|--+\s*(?![0-9])|\s-\s+"
        rf"|(?<=\s)(?=(?:{_conjunctions(str.isascii)})\s)"
    )
)


def _conjunctions(wanted: Callable[[str], object]) -> str:
    return either(filter(wanted, ordered("conjunctions")))


_PAIRS: Final[dict[str, str]] = dict(zip("(（[［【{《〈“‘「『", ")）]］】}》〉”’」』", strict=True))
_CLOSERS: Final[frozenset[str]] = frozenset(_PAIRS.values())
_BRACKETS: Final = late(
    r"```.*?```|`[^`]*`|\"[^\"\n]*\"|(?<!\w)'[^'\n]*'(?!\w)"
    r"|[()（）\[\]［］【】{}《》〈〉“”‘’「」『』]",
    re.DOTALL,
)


def _clause_borders(sentence: str) -> list[int]:
    border = _ASCII_BORDER if sentence.isascii() else _BORDER
    return _outside(sentence, [found.end() for found in border.finditer(simplified(sentence))])


def _outside(text: str, borders: list[int]) -> list[int]:
    """Those of `borders` that are not inside quotes, brackets or code.  An opener that is never
    closed opens nothing."""
    if not borders:
        return []
    inside: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    for found in _BRACKETS.finditer(text):
        sign = found[0]
        if len(sign) > 1:
            inside.append(found.span())
        elif sign in _PAIRS:
            opened.append((_PAIRS[sign], found.start()))
        elif sign in _CLOSERS:
            for depth in range(len(opened) - 1, max(-1, len(opened) - 9), -1):
                if opened[depth][0] == sign:
                    inside.append((opened[depth][1], found.end()))
                    del opened[depth:]
                    break
    inside = _merged(inside)
    kept: list[int] = []
    place = 0
    for border in borders:
        while place < len(inside) and inside[place][1] <= border:
            place += 1
        if place == len(inside) or not inside[place][0] < border:
            kept.append(border)
    return kept


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((start, stop))
    return merged


def _without_scraps(pieces: list[str]) -> list[str]:
    kept: list[list[str]] = []
    scrap = False
    han = 0  # Chinese characters in the last of `kept`
    for piece in pieces:
        if scrap:
            kept[-1].append(piece)
        else:
            kept.append([piece])
            han = 0
        han += 0 if piece.isascii() else len(_HAN.findall(piece))
        scrap = han < 3 if han else len("".join(kept[-1]).strip()) < 8
    if scrap and len(kept) > 1:
        last = kept.pop()
        kept[-1] += last
    return ["".join(parts) for parts in kept]
