"""A memory against a plain model of what it promises: nodes, links, focus, forms, tombstones.

The model knows nothing of the six orders, of L and P, of adjacency or of the due index: it is a few
dicts, and at each pass it multiplies every strength by 0.97. What a text is worth it takes from the
library's records; which sentences must then go, it says itself.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import graphmem
from graphmem.api.memory import Memory
from graphmem.api.opening import rooms
from graphmem.errors import (
    CapacityError,
    HeldError,
    PinLimitError,
    UnknownNodeError,
    UnknownVersionError,
)
from graphmem.forgetting.forms import gist_form
from graphmem.graph.records import TextRecord
from graphmem.graph.view import View
from graphmem.graph.worth import FORGOTTEN, STAYS, median
from graphmem.values.nodes import Form, Node
from graphmem_worker.text.particulars import is_particular
from graphmem_worker.text.protects import protects
from graphmem_worker.text.selection import leaning, turned
from graphmem_worker.text.sentences import clauses

FACTOR = 0.97
BROKEN = 0.01
SLOTS = 5
GRACE = 3
CLOSE = 1e-5  # how near a strength must be to that of the model
EDGE = 1e-5  # importance × worth this near to a threshold may fall on either side

SENTENCES = (
    "Wen moved the release from May 3 to May 10.",
    "Ada likes tea.",
    "Never deploy to berlin-02 on a Friday, because its disk is full, the backups are slow, and "
    "nobody from the night shift answers the phone before seven.",
    "OK.",
    "The budget is 4,200 euros.",
    "They agreed, after a long talk about the old parser and its many bugs, to rewrite it in Rust.",
    "!!!",
    "会议改到星期五下午三点。",
    "预算是四万二千元，由李雷在上海批准，韩梅梅负责采购，合同号是88213，下周三之前寄出。",
    "好的。",
    "他喜欢喝乌龙茶。",
)
RELATIONS = ("causes", "因为", "relation:causes", "http://example.org/r", "50% of", "a b")
CUES = ("release", "May 10", "预算", "tea 茶", "", "nothing of the kind", "berlin-02 disk")
PINS = st.sampled_from((False,) * 7 + (True,))
FACT = "http://example.org/fact"


@dataclass
class MNode:
    sentences: tuple[str, ...]
    form: Form
    version: int
    born: int
    uses: int
    pinned: bool
    speaker: str | None
    session: str | None


@dataclass
class MLink:
    strength: float
    distance: int


Key = tuple[int, str, int]


@dataclass
class MKept:
    """What a forgotten node comes back with."""

    links: dict[Key, MLink]
    facts: set[tuple[int, int]]
    pinned: bool
    uses: int


Said = tuple[str, str | None, str | None, tuple[str, ...]]  # text, speaker, session, keywords


@dataclass
class Model:
    """What the memory promises, in the simplest data."""

    passes: int = 0
    next_node: int = 1
    nodes: dict[int, MNode] = field(default_factory=dict)
    links: dict[Key, MLink] = field(default_factory=dict)
    facts: set[tuple[int, int]] = field(default_factory=set)
    focus: list[int] = field(default_factory=list)
    forgotten: dict[int, str] = field(default_factory=dict)
    kept: dict[int, MKept] = field(default_factory=dict)  # of forgotten nodes
    last: Said | None = None
    last_nodes: list[int] = field(default_factory=list)

    def link(
        self, source: int, relation: str, target: int, initial: float = 1.0, distance: int = 1
    ) -> None:
        """s ← max(initial, s + ½(1 − s)); the nearer distance stays."""
        old = self.links.get((source, relation, target))
        if old is not None and old.strength >= BROKEN:
            initial = max(initial, old.strength + (1 - old.strength) / 2)
            distance = min(distance, old.distance)
        self.links[source, relation, target] = MLink(initial, distance)

    def link_both(self, a: int, relation: str, b: int, distance: int = 1) -> None:
        self.link(a, relation, b, distance=distance)
        self.link(b, relation, a, distance=distance)

    def link_with_focus(self, node: int) -> None:
        for distance, other in enumerate(self.focus, 1):
            if other != node:
                self.link_both(node, "focus", other, distance)

    def enter_focus(self, node: int) -> None:
        self.focus = [node, *(n for n in self.focus if n != node)][:SLOTS]

    def out(self, node: int) -> dict[Key, MLink]:
        """The links of a node that are not broken."""
        return {
            key: link
            for key, link in self.links.items()
            if key[0] == node and link.strength >= BROKEN
        }

    def importance(self, node: int) -> float:
        """The four strongest, of which one to another segment of the text counts twice."""
        strengths = [
            (known.strength, key[2])
            for key, known in self.out(node).items()
            for _ in range(2 if key[1] == "segment" else 1)
        ]
        return sum(strength for strength, _ in sorted(strengths, reverse=True)[:4])

    def is_protected(self, node: int) -> bool:
        known = self.nodes[node]
        return node in self.focus or known.pinned or self.passes < known.born + GRACE

    def keep(self, node: int) -> MKept:
        ends = {key: link for key, link in self.links.items() if node in (key[0], key[2])}
        facts = {(s, o) for s, o in self.facts if s == node}
        known = self.nodes[node]
        return MKept(
            {k: MLink(v.strength, v.distance) for k, v in ends.items()},
            facts,
            known.pinned,
            known.uses,
        )

    def revive(self, node: int) -> None:
        """Give a node that is there again what it had."""
        kept = self.kept.pop(node)
        for key, link in kept.links.items():
            other = key[2] if key[0] == node else key[0]
            waits = other in self.forgotten and other == key[2]
            if key not in self.links and (other in self.nodes or waits):
                self.links[key] = link
        self.facts |= kept.facts

    def forget(self, node: int, why: str) -> None:
        self.kept[node] = self.keep(node)
        del self.nodes[node]
        self.links = {key: link for key, link in self.links.items() if key[0] != node}
        self.facts = {(s, o) for s, o in self.facts if s != node}
        self.focus = [n for n in self.focus if n != node]
        self.forgotten[node] = why

    def erase(self, node: int) -> None:
        if node in self.nodes:
            self.forget(node, "asked")
        self.links = {key: link for key, link in self.links.items() if key[2] != node}
        self.facts = {(s, o) for s, o in self.facts if o != node}
        self.forgotten.pop(node, None)
        self.kept.pop(node, None)
        for kept in self.kept.values():
            kept.links = {k: v for k, v in kept.links.items() if node not in (k[0], k[2])}
            kept.facts = {(s, o) for s, o in kept.facts if o != node}
        self.last = None
        self.last_nodes = []


def without_space(texts: Iterable[str]) -> str:
    return re.sub(r"\s", "", "".join(texts))


def is_part(short: str, whole: str) -> bool:
    """True if `short` is some clauses of the sentence `whole`, in their order."""
    if short.strip() == whole.strip():
        return True
    parts = clauses(whole.strip())
    trim = " \t\n,;:，；：、—–-.!?。！？"  # what is left ends in the full stop of the whole
    return any(
        "".join(some).strip(trim) == short.strip(trim)
        for count in range(1, len(parts))
        for some in combinations(parts, count)
    )


def is_reduction(after: tuple[str, ...], before: tuple[str, ...]) -> bool:
    """True if sentences and clauses were left out, and nothing else happened."""
    left = iter(before)
    return all(any(is_part(short, whole) for whole in left) for short in after)


class MemoryMachine(RuleBasedStateMachine):
    """The rules that every memory follows; subclasses say where it is kept."""

    max_nodes: int | None = None
    memory: Memory
    model: Model

    # -- where it is kept ---------------------------------------------------------------------

    def folder(self) -> Path | None:
        raise NotImplementedError

    def open(self) -> None:
        self.memory = graphmem.open(
            self.folder(),
            worker="none",
            clock=lambda: self.now,
            random=Random(0),
            tuning=graphmem.Tuning(forgetting="passes"),
            max_nodes=self.max_nodes,
            durability="os",
        )

    @initialize(texts=st.lists(st.lists(st.sampled_from(SENTENCES), min_size=1), max_size=12))
    def start(self, texts: list[list[str]]) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.model = Model()
        self.snapshots: list[tuple[Iterator[Node], list[Node]]] = []
        self.open()
        for sentences in texts:
            self._remember((" ".join(sentences), None, None, ()), pin=False)

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()

    def view(self) -> View:
        return View(
            rooms(self.memory).store, rooms(self.memory).scope, rooms(self.memory).relations
        )

    def text(self, node: int) -> TextRecord:
        text = self.view().text(node)
        assert text is not None
        return text

    def tick(self) -> int:
        self.now += timedelta(seconds=1)
        return self.model.passes

    def pick(self, place: int) -> int:
        """A node, live or not."""
        return 1 + place % max(1, self.model.next_node - 1)

    # -- remembering --------------------------------------------------------------------------

    @rule(
        sentences=st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5),
        speaker=st.sampled_from((None, None, "Wen", "韩梅梅")),
        pin=PINS,
        keywords=st.sampled_from(((), (), ("Zebra", "茶"))),
        session=st.sampled_from((None, "standup")),
    )
    def remember(
        self,
        sentences: list[str],
        speaker: str | None,
        pin: bool,
        keywords: tuple[str, ...],
        session: str | None,
    ) -> None:
        self._remember((" ".join(sentences), speaker, session, keywords), pin)

    @precondition(lambda self: self.model.last is not None)
    @rule(pin=PINS)
    def remember_again(self, pin: bool) -> None:
        assert self.model.last is not None
        self._remember(self.model.last, pin)

    def _remember(self, said: Said, pin: bool) -> None:
        model, (text, speaker, session, keywords) = self.model, said
        self.tick()
        try:
            nodes = self.memory.remember(
                text,
                speaker=speaker,
                pin=pin,
                about=graphmem.About(keywords=keywords),
                session=session,
            )
        except (CapacityError, PinLimitError):
            assert self.max_nodes is not None
            return  # the invariant says that nothing has changed
        ids = [node.id for node in nodes]
        if model.last == said:
            known = [model.nodes.get(n) for n in model.last_nodes]
            if all(n is not None and n.form is Form.WHOLE for n in known):
                assert ids == model.last_nodes, "the same text again is a use of the old"
                for node in ids:
                    model.nodes[node].uses += 1
                    model.nodes[node].pinned |= pin
                model.enter_focus(ids[-1])
                return
        self._take_evicted(len(ids))
        self._take_new(said, pin, ids)

    def _take_new(self, said: Said, pin: bool, ids: list[int]) -> None:
        model, (text, speaker, session, _) = self.model, said
        model.last, model.last_nodes = said, ids
        assert ids == list(range(model.next_node, model.next_node + len(ids)))
        model.next_node += len(ids)
        for node in ids:
            spans = tuple(s.text for s in self.text(node).sentences)
            model.nodes[node] = MNode(spans, Form.WHOLE, 1, model.passes, 0, pin, speaker, session)
        said = [s for n in ids for s in model.nodes[n].sentences]
        assert without_space(said) == without_space([text]), "a word of the text was lost"
        for a, b in pairwise(ids):
            model.link_both(a, "segment", b)
        model.link_with_focus(ids[0])
        model.enter_focus(ids[-1])

    def _take_evicted(self, newcomers: int) -> None:
        """With `max_nodes`, the least important leave; those in grace only if there is no other, and
        those in focus, the longest there first, if all others are pinned."""
        model = self.model
        gone = {n for n in model.nodes if n not in self.memory}
        if self.max_nodes is None:
            assert not gone
            return
        assert len(gone) == max(0, len(model.nodes) + newcomers - self.max_nodes)
        able = {
            n: (model.passes < known.born + GRACE, model.importance(n))
            for n, known in model.nodes.items()
            if n not in model.focus and not known.pinned
        }
        in_focus = [n for n in reversed(model.focus) if not model.nodes[n].pinned]
        for node in in_focus[: max(0, len(gone) - len(able))]:
            assert node in gone
            gone.remove(node)
            model.forget(node, "slot")
        assert gone <= set(able)
        stay = [rank for n, rank in able.items() if n not in gone and not self._may_be_held(n)]
        for node in gone:
            for young, importance in stay:
                assert (able[node][0], able[node][1] - CLOSE * 4) <= (young, importance)
        for node in gone:
            model.forget(node, "slot")

    @rule(place=st.integers(0, 200), more=st.lists(st.integers(0, 200), max_size=2))
    def used(self, place: int, more: list[int]) -> None:
        nodes = [self.pick(p) for p in (place, *more)]
        self.tick()
        self.memory.used(nodes)
        for node in nodes:
            self._take_use(node)

    def _take_use(self, node: int) -> None:
        model = self.model
        if node in model.nodes:
            model.nodes[node].uses += 1
            if node not in model.focus:
                model.link_with_focus(node)
            model.enter_focus(node)

    @rule(a=st.integers(0, 200), b=st.integers(0, 200), relation=st.sampled_from(RELATIONS))
    def relate(self, a: int, b: int, relation: str) -> None:
        source, target = self.pick(a), self.pick(b)
        if source == target:
            return
        if source in self.model.nodes and target in self.model.nodes:
            link = self.memory.graph.relate(source, relation, target)
            self.model.link(source, relation, target)
            assert link.strength == pytest.approx(
                self.model.links[source, relation, target].strength, abs=CLOSE
            )
        else:
            with pytest.raises(UnknownNodeError):
                self.memory.graph.relate(source, relation, target)

    @rule(a=st.integers(0, 200), b=st.integers(0, 200), delete=st.booleans())
    def fact(self, a: int, b: int, delete: bool) -> None:
        source, target = self.pick(a), self.pick(b)
        known = (source, target) in self.model.facts
        if delete:
            assert self.memory.graph.facts.delete(source, FACT, terms_node(target)) == known
            self.model.facts.discard((source, target))
        elif source in self.model.nodes:
            assert self.memory.graph.facts.put(source, FACT, terms_node(target)) != known
            self.model.facts.add((source, target))

    # -- forgetting ---------------------------------------------------------------------------

    @rule(count=st.sampled_from((1, 3, 20, 60)))
    def sweep(self, count: int) -> None:
        for _ in range(count):
            self._sweep()

    def _sweep(self) -> None:
        model = self.model
        self.tick()
        model.passes += 1
        kept = [link for each in model.kept.values() for link in each.links.values()]
        for link in (*model.links.values(), *kept):
            link.strength *= FACTOR
        before = {node: self.text(node) for node in model.nodes}
        records = {node: self.view().record(node) for node in model.nodes}
        report = self.memory.sweep()
        assert report.passes == model.passes
        assert report.waiting == 0
        for node, record in records.items():
            assert record is not None
            if record.due <= model.passes and not model.is_protected(node):
                self._take_faded(node, before[node])

    def _may_be_held(self, node: int) -> bool:
        """Its slot is not given away while there is another."""
        text = self.view().text(node)
        return text is not None and any(map(protects, text.spans))

    def _take_faded(self, node: int, before: TextRecord) -> None:
        """A due node has the form that importance × worth says, and no other."""
        model = self.model
        state, importance = self.view().state, model.importance(node)
        after = self.view().text(node)

        def stays(density: float, text: str, threshold: float) -> bool | None:
            value = importance * density / median(state, text)
            return None if abs(value - threshold) < EDGE * (1 + value) else value >= threshold

        if before.form is Form.GIST:
            verdict = stays(before.last_density, before.phrase, FORGOTTEN)
            assert verdict in (None, after is not None), "the gist went too early or too late"
        else:
            tied = (*turned(before.spans), *leaning(before.spans))
            together = {place for pair in tied for place in pair}  # they stay with each other
            verdicts = [
                None if place in together else stays(s.density, s.text, STAYS)
                for place, s in enumerate(before.sentences)
            ]
            if after is not None and after.sentences:
                left = list(after.sentences)
                is_whole = after.sentences == before.sentences and gist_form(before) is None
                for place, sentence in enumerate(before.sentences):
                    verdict = verdicts[place]
                    same = before.sentences[place:].count(sentence)
                    if verdict is False and left.count(sentence) < same > 1:
                        continue  # a later one stays with what it is tied to
                    if verdict is True:
                        assert left.pop(0) == sentence, "what was worth it has been lost"
                    elif left and left[0] == sentence:
                        is_held = protects(sentence.text) or is_particular(sentence.text)
                        kept = verdict is not False or is_held or is_whole or place in together
                        assert kept, "what was not worth it has been kept"
                        left.pop(0)
                    elif left and is_part(left[0].text, sentence.text):
                        assert stays(left[0].density, left[0].text, STAYS) is not False
                        left.pop(0)
                assert not left
            else:
                assert True not in verdicts, "the last sentence went too early"
                best = max(s.density for s in before.sentences)
                gists = [
                    None if place in together else stays(s.density, s.text, FORGOTTEN)
                    for place, s in enumerate(before.sentences)
                ]
                if after is None:
                    assert True not in gists, "the gist went too early"
                else:
                    assert True in gists or None in gists, "the gist should have gone"
                    assert together or after.last_density == best
        if after is None:
            model.forget(node, "faded")
            return
        known = model.nodes[node]
        if after.form is Form.GIST is not before.form:
            assert after.phrase, "a gist says what it was about"
            told = after.phrase.removesuffix("…")
            said = without_space([told]) in without_space(known.sentences)
            assert said or after.phrase in before.keywords
            assert set(after.keywords) <= set(before.keywords)
        else:
            assert after.keywords == before.keywords
            if after.phrase != before.phrase:
                said = [s.text for s in after.sentences]
                assert without_space([before.phrase]) not in without_space(said), "it still held"
                told = after.phrase.removesuffix("…")
                assert without_space([told]) in without_space(said)
        spans = tuple(s.text for s in after.sentences)
        if spans != known.sentences:
            assert is_reduction(spans, known.sentences), "a form is a part of the one before"
            known.sentences, known.form = spans, after.form
            known.version += 1
            assert after.form is not Form.WHOLE

    @rule(place=st.integers(0, 200), erase=st.sampled_from((False, False, True)))
    def forget(self, place: int, erase: bool) -> None:
        node = self.pick(place)
        self.tick()
        if node in self.model.nodes or (erase and node < self.model.next_node):
            with self._told_if_held():
                self.memory.forget(node, erase=erase)
            if erase:
                self.model.erase(node)
                self._is_gone_for_good(node)
            else:
                self.model.forget(node, "asked")
        else:
            with pytest.raises(UnknownNodeError):
                self.memory.forget(node, erase=erase)

    def _is_gone_for_good(self, node: int) -> None:
        with pytest.raises(UnknownNodeError):
            self.memory.history.of(node)
        with pytest.raises(UnknownNodeError):
            self.memory.history.revive(node)

    @rule(place=st.integers(0, 200), pin=st.booleans())
    def pin(self, place: int, pin: bool) -> None:
        node = self.pick(place)
        act = self.memory.pin if pin else self.memory.unpin
        if node not in self.model.nodes:
            with pytest.raises(UnknownNodeError):
                act(node)
            return
        try:
            assert act(node).pinned is pin
        except PinLimitError:
            assert self.max_nodes is not None
            return
        self.model.nodes[node].pinned = pin

    @rule(place=st.integers(0, 200), which=st.integers(0, 10))
    def revive(self, place: int, which: int) -> None:
        node, model = self.pick(place), self.model
        self.tick()
        try:
            versions = [v for v in self.memory.history.of(node) if v.why != "present"]
        except UnknownNodeError:
            assert node not in model.nodes
            assert node not in model.forgotten
            return
        if node in model.forgotten:
            assert versions, "the archive has room, so a forgotten node is in it"
        if not versions:
            return
        wanted = versions[which % len(versions)]
        fullest = which % 2 == 0
        if fullest:
            wanted = max(versions, key=lambda v: (length(v.node.sentences), v.version))
            if node in model.nodes and length(model.nodes[node].sentences) >= length(
                wanted.node.sentences
            ):
                with pytest.raises(UnknownVersionError, match="no fuller form"):
                    self.memory.history.revive(node)
                return
        try:
            revived = self.memory.history.revive(node, None if fullest else wanted.version)
        except CapacityError:
            assert self.max_nodes is not None
            return
        assert revived.sentences == wanted.node.sentences
        assert revived.keywords == wanted.node.keywords
        version = max(v.version for v in versions) + 1
        if node in model.nodes:
            known = model.nodes[node]
            known.version = max(version, known.version + 1)
            known.sentences, known.form, known.born = revived.sentences, revived.form, model.passes
        else:
            self._take_evicted(1)
            del model.forgotten[node]
            kept, pins = model.kept[node], sum(known.pinned for known in model.nodes.values())
            room = self.max_nodes is None or pins < self.max_nodes // 2
            assert revived.pinned is (kept.pinned and room)
            model.nodes[node] = MNode(
                revived.sentences,
                revived.form,
                version,
                model.passes,
                kept.uses,
                revived.pinned,
                wanted.node.speaker,
                wanted.node.session,
            )
            model.revive(node)
        if not model.importance(node):
            model.link_with_focus(node)
        model.enter_focus(node)

    @rule(place=st.integers(0, 200), sentences=st.lists(st.sampled_from(SENTENCES), min_size=1))
    def correct(self, place: int, sentences: list[str]) -> None:
        node, model, text = self.pick(place), self.model, " ".join(sentences)
        self.tick()
        if node not in model.nodes:
            with pytest.raises(UnknownNodeError):
                self.memory.correct(node, text)
            return
        old, before = model.nodes[node], self.text(node)
        try:
            new = self.memory.correct(node, text)
        except (CapacityError, PinLimitError):
            assert self.max_nodes is not None
            return
        ids = [n.id for n in new]
        links = [item for item in model.links.items() if item[1].strength >= BROKEN]
        kept = model.keep(node)
        kept.links[ids[0], "corrects", node] = MLink(1.0, 1)
        model.facts = {
            (ids[0] if s == node else s, ids[0] if o == node else o) for s, o in model.facts
        }
        model.forget(node, "corrected")
        model.kept[node] = kept
        self._take_evicted(len(ids))
        given = before.keywords[: before.given]
        self._take_new((text, old.speaker, old.session, given), old.pinned, ids)
        for (source, relation, target), link in links:
            if source == node and target in model.nodes:
                model.link(ids[0], relation, target, initial=link.strength)
            elif target == node and source in model.nodes:
                model.link(source, relation, ids[0], initial=link.strength)
        model.link(ids[0], "corrects", node)

    # -- recalling ----------------------------------------------------------------------------

    @rule(cue=st.sampled_from(CUES), mode=st.sampled_from(("activation", "focus")))
    def recall_without_use(self, cue: str, mode: Any) -> None:
        """Reading never writes: the invariant compares everything afterwards."""
        sequence = self.memory.admin.stats()["sequence"]
        hits = self.memory.recall(cue, mode=mode, use=False)
        self._check_hits(hits)
        assert self.memory.admin.stats()["sequence"] == sequence

    @rule(cue=st.sampled_from(CUES))
    def recall(self, cue: str) -> None:
        self.tick()
        hits = self.memory.recall(cue)
        self._check_hits(hits)
        self.memory.admin.enrich(timeout=0)
        with rooms(self.memory).store.writing:
            pass  # upkeep may have taken the use, and holds this while it writes it
        # Which best hit is good enough to count is the ranking's affair; no other may.
        if hits and self.memory[hits[0]].uses > self.model.nodes[hits[0].id].uses:
            self._take_use(hits[0].id)

    def _check_hits(self, hits: graphmem.Recall) -> None:
        ids = [hit.id for hit in hits]
        assert len(ids) == len(set(ids))
        assert set(ids) <= set(self.model.nodes)

    @rule(reverse=st.booleans())
    def begin_reading(self, reverse: bool) -> None:
        iterator = self.memory.nodes(reverse=reverse)
        first = next(iterator, None)
        if first is not None:
            order = sorted(self.model.nodes, reverse=reverse)
            expected = [self.memory[node] for node in order]
            assert first == expected[0]
            self.snapshots.append((iterator, expected[1:]))

    @precondition(lambda self: bool(self.snapshots))
    @rule(place=st.integers(0, 10))
    def go_on_reading(self, place: int) -> None:
        """A reader that began earlier sees what was there then, whatever happened since."""
        iterator, expected = self.snapshots.pop(place % len(self.snapshots))
        assert list(iterator) == expected

    # -- housekeeping -------------------------------------------------------------------------

    @rule()
    def enrich(self) -> None:
        assert self.memory.admin.enrich() == 0

    @rule()
    def compact(self) -> None:
        with self._told_if_held():
            self.memory.admin.compact()

    def _told_if_held(self) -> AbstractContextManager[None]:
        """What a reader holds is told, and erased another time."""
        return suppress(HeldError) if self.snapshots else nullcontext()

    @rule(limit=st.integers(1, 3))
    def fold(self, limit: int) -> None:
        rooms(self.memory).words.fold(limit)

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "memory"):
            return
        model, memory = self.model, self.memory
        assert memory.admin.check() == []
        nodes = {node.id: node for node in memory.nodes()}
        assert {
            n: MNode(
                node.sentences,
                node.form,
                node.version,
                model.nodes[n].born if n in model.nodes else 0,
                node.uses,
                node.pinned,
                node.speaker,
                node.session,
            )
            for n, node in nodes.items()
        } == model.nodes
        assert len(memory) == len(nodes)
        assert [node.id for node in memory.graph.focus] == model.focus
        for node in model.nodes:
            self._check_links(node)
        assert {
            (fact.subject.value, fact.object.value) for fact in memory.graph.facts.match(None, FACT)
        } == {(f"node:{s}", f"node:{o}") for s, o in model.facts}
        gone = memory.history.forgotten(100_000)
        assert {f.id: f.why for f in gone} == model.forgotten
        missed = {f.id for f in gone if f.missed}
        for _, _, target in (key for node in model.nodes for key in model.out(node)):
            assert target in model.nodes or target in missed or target not in model.forgotten
        stats = memory.admin.stats()
        assert (stats["passes"], stats["tombstones"]) == (model.passes, len(missed))

    def _check_links(self, node: int) -> None:
        found = self.memory.graph.links(node)
        expected = self.model.out(node)
        assert {(k.source, k.relation, k.target) for k in found} == set(expected)
        for link in found:
            known = expected[link.source, link.relation, link.target]
            assert link.strength == pytest.approx(known.strength, abs=CLOSE)
            assert link.distance == known.distance
            assert link.dangling == (link.target not in self.model.nodes)
        ranks = [(-round(link.strength, 6), -link.target) for link in found]
        assert [r[0] for r in ranks] == sorted(r[0] for r in ranks)
        assert self.memory.graph.importance(node) == pytest.approx(
            self.model.importance(node), abs=4 * CLOSE
        )


def length(sentences: Sequence[str]) -> int:
    return sum(map(len, sentences))


def terms_node(node: int) -> graphmem.IRI:
    return graphmem.IRI(f"node:{node}")


def sizes(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_size for path in folder.rglob("*")}


def copy_as_it_is(source: Path, destination: Path) -> None:
    """What a process that dies now leaves; again if LevelDB moved files about meanwhile."""
    while True:
        with suppress(OSError):
            before = sizes(source)
            # Not LOCK: closing a descriptor of it would drop the lock on the original. No sockets either.
            shutil.copytree(source, destination, ignore=shutil.ignore_patterns("LOCK", "*.sock"))
            if before == sizes(source):
                return
        shutil.rmtree(destination, ignore_errors=True)


class InMemoryMachine(MemoryMachine):
    def folder(self) -> None:
        return None


class SlotsMachine(InMemoryMachine):
    """A memory that is always full: each newcomer takes somebody's place."""

    max_nodes = 12


class FolderMachine(MemoryMachine):
    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.TemporaryDirectory(prefix="graphmem-model-")
        self.generation = 0

    def folder(self) -> Path:
        return Path(self.home.name) / str(self.generation)

    @rule()
    def reopen(self) -> None:
        """What was acknowledged is there after a clean end."""
        self.snapshots.clear()
        self.memory.close()
        self.open()

    @rule()
    def crash(self) -> None:
        """What was acknowledged is there after the process died: files as they are, no mark."""
        self.snapshots.clear()
        before, dying = self.folder(), self.memory
        self.generation += 1
        copy_as_it_is(before, self.folder())
        self.open()
        dying.close()
        shutil.rmtree(before)

    def teardown(self) -> None:
        super().teardown()
        self.home.cleanup()


TestInMemory = InMemoryMachine.TestCase
TestSlots = SlotsMachine.TestCase
TestFolder = FolderMachine.TestCase
# Shrinking takes minutes; the steps of the first failure say enough.
_PHASES = set(Phase) - {Phase.shrink}
_EXAMPLES = settings().max_examples
TestInMemory.settings = settings(
    max_examples=_EXAMPLES * 2 // 5, stateful_step_count=30, phases=_PHASES
)
TestSlots.settings = settings(max_examples=_EXAMPLES // 4, stateful_step_count=25, phases=_PHASES)
TestFolder.settings = settings(max_examples=_EXAMPLES // 5, stateful_step_count=25, phases=_PHASES)
