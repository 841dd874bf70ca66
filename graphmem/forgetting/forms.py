"""Forms: what stays of a text as its importance falls. Nothing is ever rewritten, only left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from graphmem.graph import worth
from graphmem.graph.records import Form, Sentence, TextRecord, density
from graphmem.hexastore.scopes import ScopeState
from graphmem_worker.phrase import phrase as phrase_of
from graphmem_worker.selection import select, shorten
from graphmem_worker.words import script

_GIST: Final = {"latin": 30, "cjk": 10}  # characters of a gist's phrase


def next_form(
    text: TextRecord,
    importance: float,
    state: ScopeState,
    salience: Callable[[str], float],
) -> TextRecord | None:
    """The form that a text has at an importance; None if the node is to be forgotten.

    Sentences stay while importance × worth ≥ ⅓; of a long sentence that falls, the clauses for
    which the same holds stay. `salience` scores a clause. Returns `text` itself if nothing changes;
    what a model wrote goes with the form that it was written of.
    """
    worths = worth.worths(state, text)
    if text.form is Form.GIST:
        return text if importance * worths[0] >= worth.FORGOTTEN else None
    threshold = worth.STAYS / importance if importance > 0 else float("inf")
    kept = set(select(text.spans, worths, threshold))
    if len(kept) == len(text.spans):
        return text
    left: list[Sentence] = []
    for place, sentence in enumerate(text.sentences):
        if place in kept:
            left.append(sentence)
        elif (shorter := _shortened(sentence, threshold, state, salience)) is not None:
            left.append(shorter)
    if left:
        # The keywords stay as they are: by them what was dropped is still found (docs/memory.md).
        spans, saliences = zip(*left, strict=True)
        said = "".join(spans).strip()
        phrase = text.phrase if text.phrase in said else phrase_of(said)
        return text._replace(spans=spans, saliences=saliences, phrase=phrase, derived="")
    if importance * max(worths) < worth.FORGOTTEN:
        return None
    return _gist(text)


def _gist(text: TextRecord) -> TextRecord:
    """What is left when the last sentence goes: a short phrase, and the keywords not in it.

    Short, because room for a sentence that is worth keeping keeps more answers than gists do
    (docs/memory.md has the figures).
    """
    best = max(text.sentences, key=lambda sentence: sentence.density)
    phrase = phrase_of(best.text, _GIST["cjk" if script(best.text) == "cjk" else "latin"])
    keywords = [k for k in text.keywords[: text.given] if k not in phrase]
    given = len(keywords)
    keywords += [k for k in text.keywords[text.given :] if k not in phrase]
    return text._replace(
        spans=(),
        saliences=(),
        phrase=phrase,
        keywords=tuple(keywords),
        given=given,
        last_density=best.density,
        derived="",
    )


def _shortened(
    sentence: Sentence, threshold: float, state: ScopeState, salience: Callable[[str], float]
) -> Sentence | None:
    median = worth.median(state, sentence.text)

    def clause_worth(clause: str) -> float:
        return density(salience(clause), clause) / median

    clauses = shorten(sentence.text, threshold, clause_worth)
    if clauses is None:
        return None
    # What separated the sentence from the next one goes on doing so.
    space = sentence.text[len(sentence.text.rstrip()) :]
    left = Sentence(clauses + space, salience(clauses))
    return left if left.density / median >= threshold else None
