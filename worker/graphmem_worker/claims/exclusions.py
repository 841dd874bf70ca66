"""Sentences that claim nothing because they ask. Other words that keep a sentence from claiming
something, or say that something changed, are in `claims.toml` of each language."""

from __future__ import annotations

from typing import Final

from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late

_QUESTION: Final = late(r"[?？]\s*[\"'”’)）]*\s*$")


def is_marked(means: str, folded_text: str) -> bool:
    """Whether a text in lower case has words of `claims.toml` that mean something."""
    return sayings("claims", means).is_in(folded_text)


def asks(sentence: str) -> bool:
    """Whether a sentence asks; one without a question mark that ends with a full stop tells."""
    if _QUESTION.search(sentence):
        return True
    tells = sentence.rstrip().endswith(".") and "?" not in sentence
    return not tells and is_marked("asks", folded(sentence))
