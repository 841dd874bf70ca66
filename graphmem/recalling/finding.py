"""Finding: the nodes whose text contains a piece of text literally.

Only the nodes that hold the whole words of the piece in the word index are read. Its first and last
word may be parts of longer ones, and Chinese is indexed by pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain

from graphmem.graph.records import TextRecord
from graphmem.index.words.index import EITHER, WordReader
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import HAN_KANA, STOP_WORDS, WORD_BYTES, folded, words

_HAN_RUN = late(f"[{HAN_KANA}]{{2,}}")
_WHOLE = late(r"\W*([a-z]+|[0-9]+)\W*", re.ASCII)


def holds(text: TextRecord, piece: str) -> bool:
    """Whether a text, or the phrase that is left of it, contains a folded piece."""
    return piece in folded(text.text or text.phrase)


def candidates(index: Callable[[], WordReader], piece: str) -> list[int] | None:
    """The only nodes, ascending, whose text may contain a folded piece; None: any may."""
    alternatives = needed(piece)
    if not alternatives:
        return None
    held = index().holding(EITHER.join(sorted(some)) for some in alternatives)
    found: list[int] = held.tolist()
    return found


def needed(piece: str) -> list[frozenset[str]]:
    """Sets of index words: a text that contains a folded piece has a word of each set."""
    inner = piece.split(" ")[1:-1]
    cores = (found[1] for word in inner if word.isascii() and (found := _WHOLE.fullmatch(word)))
    # In the text it may be in camel case, and is not stemmed then if it has three parts or more.
    latin = (
        frozenset((core, *words(core)))
        for core in cores
        if core not in STOP_WORDS and len(core) < WORD_BYTES
    )
    han = (frozenset((pair,)) for run in _HAN_RUN.findall(piece) for pair in words(run))
    return list(dict.fromkeys(chain(latin, han)))
