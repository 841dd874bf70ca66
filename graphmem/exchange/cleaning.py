"""Cleaning: the guard over what is imported, which comes from somewhere else."""

from __future__ import annotations

from typing import Any

from graphmem.errors import SecretError
from graphmem.graph.records import TextRecord
from graphmem.hexastore.terms import Literal, Term
from graphmem.remembering.guarding import Guard


class Cleaning:
    """Cuts secrets out of records and terms, as the setting `guard` says.

    Every method raises SecretError where the setting is "refuse".
    """

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def text(self, record: TextRecord) -> TextRecord:
        """A text record without secrets; its `cut` names the kinds of those that there were."""
        kinds = set(record.cut)

        def clean(text: str) -> str:
            left, found = self._guard.cut(text, "import")
            kinds.update(secret.kind for secret in found)
            return left

        spans, saliences = record.spans, record.saliences
        whole = "".join(spans)
        if clean(whole) != whole:
            spans = tuple(map(clean, spans))
            joined = "".join(spans)
            if (left := clean(joined)) != joined:  # one that goes over several sentences
                spans, saliences = (left,), (max(saliences),)
        metadata = tuple(
            (name, clean(value) if isinstance(value, str) else value)
            for name, value in record.metadata
        )
        left_over = record._replace(
            spans=spans,
            saliences=saliences,
            phrase=clean(record.phrase),
            keywords=tuple(dict.fromkeys(map(clean, record.keywords))),
            speaker=None if record.speaker is None else clean(record.speaker),
            derived=clean(record.derived),
            metadata=metadata,
        )
        return record if left_over == record else left_over._replace(cut=tuple(sorted(kinds)))

    def term(self, term: Term) -> Term:
        """A term of a fact without secrets. Raises SecretError for an IRI with one."""
        if isinstance(term, Literal):
            left, _ = self._guard.cut(term.lexical, "import")
            return term if left == term.lexical else Literal(left)
        if self._guard.cut(str(term), "import")[1]:
            raise SecretError("an IRI that is imported holds a secret; leave that out of it")
        return term

    def tree(self, value: Any) -> Any:
        """A value of JSON with every text in it cleaned, but for the keys."""
        match value:
            case str():
                return self._guard.cut(value, "import")[0]
            case dict():
                return {key: self.tree(inner) for key, inner in value.items()}
            case list() | tuple():
                return [self.tree(inner) for inner in value]
        return value
