"""Marks of a sentence, the features of heads: the classes of its words and its shape.

The classes (of persons, certainty, duration …) are in `marks.toml` in the folder of each language.
Shapes are the length of a sentence and whether it has figures, names or a question mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from graphmem_worker.language.tables import tables
from graphmem_worker.text.lexicon import Lexicon

_LENGTHS: Final = (2, 4, 6, 9, 13, 18)  # words
_CHARACTERS: Final = 1.6  # Chinese characters that count as a word
_SHAPES: Final = {
    "question mark": re.compile(r"[?？]\W{0,4}$"),
    "figures": re.compile(r"\d"),
    "exclamation mark": re.compile("[!！]$"),
    "comma": re.compile("[,，]"),
    "name": re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}"),
}


def marks(sentence: str) -> Iterator[str]:
    """The names of the marks of a sentence of bounded length: the classes of its words, "opens …"
    for those of its first words, and its shapes."""
    lexicon = _lexicon()
    read = lexicon.read(sentence)
    for name, bit in lexicon.bits.items():
        if read.classes & bit:
            yield name
        if read.opening & bit:
            yield f"opens {name}"
    yield from (name for name, shape in _SHAPES.items() if shape.search(sentence))
    length = read.words + read.characters / _CHARACTERS
    yield from (f"over {least} words" for least in _LENGTHS if length > least)
    if read.characters:
        yield "chinese"


@cache
def _lexicon() -> Lexicon:
    return Lexicon([table["terms"] for table in tables("marks").values()])
