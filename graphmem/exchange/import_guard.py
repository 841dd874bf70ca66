"""The guard for imported data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphmem.graph.records import TextRecord
from graphmem.hexastore.facts import cleaned
from graphmem.hexastore.terms import BlankNode, Term
from graphmem.remembering.guarding import Guard
from graphmem.values.items import Item


class Cleaning:
    """Cuts secrets out of records and terms, according to the setting `guard`; with "refuse", every
    method raises SecretError for a secret."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def text(self, record: TextRecord) -> TextRecord:
        """A text record without secrets; `cut` names the kinds that were removed."""
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
            if (whole := clean(joined)) != joined:  # a secret that spans several sentences
                spans, saliences = (whole,), (max(saliences),)
        # Phrase and keywords that occur in an unchanged text were checked with it.
        alone = record.unsaid if spans is record.spans else (record.phrase, *record.keywords)
        metadata = []
        for name, value in record.metadata:
            left, found = self._guard.field(name, value, "import")
            kinds.update(secret.kind for secret in found)
            metadata.append((clean(name), left))
        left_over = record._replace(
            spans=spans,
            saliences=saliences,
            phrase=clean(record.phrase) if record.phrase in alone else record.phrase,
            keywords=tuple(dict.fromkeys(clean(k) if k in alone else k for k in record.keywords)),
            speaker=None if record.speaker is None else clean(record.speaker),
            derived=clean(record.derived),
            metadata=tuple(metadata),
        )
        return record if left_over == record else left_over._replace(cut=tuple(sorted(kinds)))

    def term(self, term: Term, *of: Term) -> Term:
        """A term of a fact without secrets; labels of blank nodes are generated and have none. of:
        for an object, its subject and predicate, which may show that it is a secret. Raises
        SecretError for an IRI with one."""
        return term if isinstance(term, BlankNode) else cleaned(term, self.value, *of)

    def value(self, value: Any, name: str = "") -> Any:
        """A value of JSON or msgpack, without secrets at all depths."""
        return self._guard.field(name, value, "import")[0]

    def item(self, item: Item) -> Item:
        """An item without secrets."""
        return replace(
            item,
            value=self.value(item.value, item.key),
            metadata=self.value(item.metadata),
            created_by=self.value(item.created_by),
            updated_by=self.value(item.updated_by),
        )
