"""Forms: what stays of a text as its importance falls. Text is left out, never rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graphmem.graph import worth
from graphmem.graph.records import Sentence, TextRecord
from graphmem.hexastore.scopes import ScopeState
from graphmem.values.nodes import Form
from graphmem_worker.text.clauses import turned_at, turns
from graphmem_worker.text.phrase import CUT, core
from graphmem_worker.text.phrase import phrase as phrase_of
from graphmem_worker.text.selection import bound, leaning, turned


def next_form(
    text: TextRecord,
    importance: float,
    state: ScopeState,
    salience: Callable[[str], float],
    held: Callable[[str], object] | None = None,
    *,
    tight: bool = False,
) -> TextRecord | None:
    """The form that a text has at an importance; None if the node is to be forgotten.

    Sentences stay while importance × worth ≥ ⅓. `held` sentences stay whatever their worth; if
    `tight`, only the clauses for which they are held, scored by `salience`. Returns `text` itself
    if nothing changes; a derived text is dropped with the form from which it was derived.
    """
    worths = worth.worths(state, text)
    if text.form is Form.GIST:
        return text if importance * worths[0] >= worth.FORGOTTEN else None
    threshold = worth.STAYS / importance if importance > 0 else float("inf")
    kept = {place for place, value in enumerate(worths) if value >= threshold}
    cores: dict[int, Sentence] = {}
    if held is not None and len(kept) < len(text.spans):
        beyond = [p for p, span in enumerate(text.spans) if p not in kept and held(span)]
        kept.update(beyond)
        if tight:
            cores = _cores(text, beyond, salience, held)
    kept = bound(text.spans, kept)
    if len(kept) == len(text.spans) and not cores:
        return text
    left = [cores.get(p, sentence) for p, sentence in enumerate(text.sentences) if p in kept]
    if left:
        # All keywords stay, so that the node is still found by those of dropped sentences.
        spans, saliences = zip(*left, strict=True)
        joined = "".join(spans).strip()
        phrase = text.phrase if text.phrase in joined else phrase_of(joined)
        return text._replace(spans=spans, saliences=saliences, phrase=phrase, derived="")
    if importance * max(worths) < worth.FORGOTTEN:
        return None
    return gist_form(text) or text


def _cores(
    text: TextRecord,
    places: Iterable[int],
    salience: Callable[[str], float],
    held: Callable[[str], object],
) -> dict[int, Sentence]:
    """Place → the core of a held sentence, if it is shorter and held for the same reason."""
    found: dict[int, Sentence] = {}
    for place in places:
        span = text.spans[place]

        def is_held_alike(part: str, reason: object = held(span)) -> bool:
            return held(part) == reason

        short = core(span, is_held_alike)
        if short != span:
            found[place] = Sentence(short, salience(short))
    return found


def gist_form(text: TextRecord) -> TextRecord | None:
    """The gist of a text: the phrase of its best sentence, and the keywords not in it. None if that
    is no shorter or would mislead: the text then stays as long as a gist would."""
    # A sentence that another one reverses, or that depends on one before, does not stand alone.
    tied = {place for pair in turned(text.spans) for place in (pair[0], max(pair))}
    tied |= {later for _, later in leaning(text.spans)}
    alone = [s for place, s in enumerate(text.sentences) if place not in tied]
    if not alone:
        return None
    best = max(alone, key=lambda sentence: sentence.density)
    phrase = phrase_of(best.text)
    if turns(phrase) != turns(best.text) and not _ends_before_a_turn(phrase, best.text):
        return None
    if len(phrase) >= len(text.text) or not any(
        sign.isspace() or sign > "\u2e80" for sign in phrase
    ):
        return None
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


def _ends_before_a_turn(phrase: str, text: str) -> bool:
    """Whether a phrase is cut within a clause of `text` that no other clause reverses."""
    cut = phrase.removesuffix(CUT)
    return cut != phrase and turned_at(text, text.find(cut) + len(cut)) is None


def overdue(
    text: TextRecord, importance: float, state: ScopeState, held: Callable[[str], object]
) -> int:
    """UTF-8 bytes of the sentences that are kept at an importance only because they are held."""
    if not text.spans:
        return 0
    pairs = zip(text.spans, worth.worths(state, text), strict=True)
    falling = (span for span, value in pairs if importance * value < worth.STAYS)
    return sum(len(span.encode()) for span in falling if held(span))
