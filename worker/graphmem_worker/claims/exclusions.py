"""Questions, which claim nothing. Other words that exclude a claim, or mark a change, are in
`claims.toml` of each language."""

from __future__ import annotations

from typing import Final

from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late

_QUESTION: Final = late(r"[?？]\s*[\"'”’)）]*\s*$")


def is_marked(means: str, folded_text: str) -> bool:
    """Whether a case-folded text has words of the entry `means` of `claims.toml`."""
    return sayings("claims", means).is_in(folded_text)


def asks(sentence: str) -> bool:
    """Whether a sentence has a question mark, or words of asking and no full stop at its end."""
    if _QUESTION.search(sentence):
        return True
    is_statement = sentence.rstrip().endswith(".") and "?" not in sentence
    return not is_statement and is_marked("asks", folded(sentence))
