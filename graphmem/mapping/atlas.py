"""Atlas: the map of a scope, kept up to date. Each version of a text and each archived form is read
once. Places are stored, unless the memory is open read-only."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from threading import Lock
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from graphmem.graph import links, strength
from graphmem.graph.findings import Findings
from graphmem.graph.ground import Ground
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.relations import SEGMENT_CODE
from graphmem.graph.view import STRONGEST, View
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors.index import VectorIndex
from graphmem.index.vectors.products import Rows, units
from graphmem.mapping import packed, place_rows, places
from graphmem.mapping.packed import NEVER, Chart
from graphmem.mapping.places import MOST_ISLES, Place
from graphmem.values.moments import moment
from graphmem.values.nodes import Form
from graphmem.values.progress import Progress, counted
from graphmem_worker.text.trivial import trivial
from graphmem_worker.text.words import words as indexed

_WITH_VECTORS: Final = 0.8  # share of the nodes from which on vectors lay out the map
_LABEL: Final = 80  # characters
_ROUNDS: Final = 4  # in which nodes move to isles with fitting names
_READ: Final = 1024  # texts that are read for topics; of the others the labels are used


class TextFacts(NamedTuple):
    """The facts that the map shows of a text."""

    form: int
    kept: float  # 0–1
    label: str
    keywords: tuple[str, ...]
    speaker: str | None
    created: int  # microseconds since 1970, UTC
    trivial: bool


class Ended(NamedTuple):
    """An archived form: the state of a node until a pass."""

    node: int
    version: int
    passes: int  # at which it ended
    born: int
    last_use: int
    uses: int
    importance: float
    text: TextFacts


Forms = Callable[[View, Container[int]], Iterator[tuple[int, Ended | None]]]
"""Reads the archive, oldest first: the place of each form, and the form, or None for a place that
is in the given container."""


def text_facts(text: TextRecord) -> TextFacts:
    """The facts that the map shows of a text record."""
    content = text.text
    label = " ".join((text.phrase or content).split())
    if len(label) > _LABEL:
        label = f"{label[: _LABEL - 1].rstrip()}…"
    kept = min(1.0, len(content) / max(1, text.characters))
    is_trivial = bool(text.spans) and trivial(content) is not None
    keywords = tuple(
        keyword
        for place, keyword in enumerate(text.keywords)
        # Keywords of sentences that a shortened text has lost are left out.
        if place < text.given or not text.spans or keyword in content
    )
    return TextFacts(int(text.form), kept, label, keywords, text.speaker, text.created, is_trivial)


class Topics(Protocol):
    """The topics of some texts; see `themes.topics`."""

    def groups(self, most: int, among: Set[int] | None = None) -> Sequence[Sequence[int]]:
        """At most so many groups of texts with a common name: the places of their members. among:
        the places that may be in a group; None: all."""

    def strays(self, groups: Sequence[int], count: int) -> Mapping[int, int | None]:
        """The texts that do not contain the name of their group, each with a group whose name they
        contain, None without one. groups: of each text, `count` for none."""

    def names(self, groups: Sequence[int], count: int) -> list[str]:
        """The name of each group, "" without one. groups: of each text."""


TopicsOf = Callable[[Sequence[str], Sequence[Sequence[str]], Sequence[str | None]], Topics]
"""Topics of texts, with the keywords and the speaker of each."""


class _Edges(NamedTuple):
    """All out-links that are not broken, and the importance of their sources."""

    sources: NDArray[np.uint64]  # ids, ascending
    targets: NDArray[np.uint64]
    strengths: NDArray[np.float32]
    relations: NDArray[np.int64]  # codes
    importance: dict[int, float]  # of each source


@dataclass(eq=False, repr=False)
class Atlas:
    """Makes the map of a scope."""

    _ground: Ground
    _vectors: VectorIndex
    _themes: Callable[[], list[tuple[int, tuple[int, ...]]]]
    """(theme, members) of each."""
    _forms: Forms
    _find_topics: TopicsOf
    _lock: Lock = field(default_factory=Lock)
    _found: Findings[TextFacts] = field(
        default_factory=lambda: Findings(lambda _, text: text_facts(text))
    )
    _ended: dict[int, Ended] = field(default_factory=dict)  # by their places in the archive
    _topics: tuple[tuple[tuple[int, int], ...], Topics] | None = None
    _places: dict[int, Place] | None = None  # None: not read yet
    _changed: set[int] = field(default_factory=set)  # nodes whose place differs from the stored one

    def chart(self, view: View, anew: bool = False, progress: Progress | None = None) -> Chart:
        """The map of a view. anew: find all places again. progress: called with the number of
        nodes read, of twice the number of all: to place them takes as long."""
        with self._lock:
            if self._places is None:
                self._places = place_rows.read(view.reader, view.scope)
            if anew:
                self._changed |= self._places.keys()
                self._places.clear()
            return self._chart(view, self._places, progress)

    def keep(self, sequence: int) -> None:
        """Store the places that `chart` found at a sequence number, unless the store is read-only.
        Raises like `Store.commit`."""
        with self._lock:
            held = self._places or {}
            changes = {node: held.get(node) for node in self._changed}
        # Without the lock, because a writer may be waiting for a map.
        if not changes or self._ground.store.read_only:
            return
        self._ground.store.require(place_rows.FEATURE)
        with self._ground.transaction() as tx:
            if tx.store.sequence != sequence:  # some may have been erased meanwhile
                changes = {n: p if _is_known(tx, n) else None for n, p in changes.items()}
            place_rows.write(tx, changes)
        with self._lock:
            held = self._places or {}
            self._changed -= {n for n, place in changes.items() if held.get(n) == place}

    def _chart(self, view: View, held: dict[int, Place], progress: Progress | None) -> Chart:
        walked = counted(self._found.every(view), progress, 2 * view.state.nodes)
        live = {node: (record, known) for node, record, known in walked}
        lives = self._lives(view)
        gone = {
            node: forms[-1] for node, forms in sorted(lives.items())
            if node not in live and not view.is_hidden(node)
        }  # fmt: skip
        ids = np.array([*live, *gone], np.uint64)
        rows = [*(known for _, known in live.values()), *(form.text for form in gone.values())]
        edges = _edges(view)
        order = {node: place for place, node in enumerate(ids.tolist())}
        sources = _placed(edges.sources, ids, len(live))
        targets = _placed(edges.targets, ids, len(ids))
        is_drawn = (sources >= 0) & (targets >= 0)
        codes, kinds = np.unique(edges.relations[is_drawn], return_inverse=True)
        groups, topics = self._themes(), self._topics_of(view, live)
        self._settle(held, order, rows, len(live), [members for _, members in groups], topics)
        found = [held[node] for node in order]
        themes = {node: theme for theme, members in groups for node in members}
        passes = [_passes(lives.get(node, ()), live.get(node)) for node in order]
        records = [record for record, _ in live.values()]
        last = list(gone.values())
        columns: dict[str, Any] = {
            "id": ids,
            "due": [min(r.due, NEVER) for r in records] + [NEVER] * len(last),
            "last_use": [r.last_use for r in records] + [form.last_use for form in last],
            "uses": [r.uses for r in records] + [form.uses for form in last],
            "theme": [themes.get(node, 0) for node in order],
            "isle": [place.isle for place in found],
            "x": [place.x for place in found],
            "y": [place.y for place in found],
            "importance": [edges.importance.get(node, 0.0) for node in live]
            + [form.importance for form in last],
            "kept": [known.kept for known in rows],
            "form": [known.form for known in rows],
            "flags": [
                packed.PINNED * r.pinned | packed.REPLACED * (r.valid_to is not None)
                | packed.TRIVIAL * known.trivial
                for r, known in live.values()
            ] + [packed.GONE] * len(last),
        }  # fmt: skip
        for number, name in enumerate(("born", "shorter", "gist", "gone")):
            columns[name] = [each[number] for each in passes]
        return Chart(
            passes=view.passes,
            sequence=view.sequence or 0,
            decay=view.scope.decay,
            nodes={name: np.asarray(values) for name, values in columns.items()},
            links={
                "source": sources[is_drawn],
                "target": targets[is_drawn],
                "strength": edges.strengths[is_drawn],
                "relation": kinds,
            },
            labels=[known.label for known in rows],
            names={
                "relations": [view.relations.name(int(code)) for code in codes],
                "isles": topics.names([place.isle for place in found[: len(live)]], _count(found)),
                "focus": [node for node in view.focus if node in live],
                "days": _days([born for born, *_ in passes], [known.created for known in rows]),
            },
        )

    def _topics_of(self, view: View, live: dict[int, tuple[NodeRecord, TextFacts]]) -> Topics:
        """The topics of the live nodes' texts, computed again if any text has changed."""
        key = tuple((node, record.version) for node, (record, _) in live.items())
        if self._topics is None or key != self._topics[0]:
            rows = [known for _, known in live.values()]
            texts = [known.label for known in rows]
            step = len(live) // _READ + 1
            prefix = view.scope.prefix(Space.TEXT)
            read = view.reader.get_many([prefix + keys.u64(node) for node in [*live][::step]])
            for place, packed_ in zip(range(0, len(live), step), read, strict=True):
                if packed_ is not None and (text := TextRecord.unpack(packed_).text):
                    texts[place] = text
            self._topics = (
                key,
                self._find_topics(
                    texts, [known.keywords for known in rows], [known.speaker for known in rows]
                ),
            )
        return self._topics[1]

    def _lives(self, view: View) -> dict[int, list[Ended]]:
        """The archived forms of each node, in their order."""
        read = {
            place: self._ended[place] if form is None else form
            for place, form in self._forms(view, self._ended)
        }
        self._ended = read
        found: dict[int, list[Ended]] = {}
        for form in read.values():
            found.setdefault(form.node, []).append(form)
        return found

    def _settle(
        self,
        held: dict[int, Place],
        order: dict[int, int],
        rows: list[TextFacts],
        live: int,
        themes: Sequence[Sequence[int]],
        topics: Topics,
    ) -> None:
        """Find places for nodes that have none, and for those on an isle whose name does not fit;
        drop those of nodes that are gone."""
        for node in held.keys() - order.keys():
            del held[node]
            self._changed.add(node)
        nodes = list(order)
        if held.keys() == order.keys() and not self._astray(held, nodes[:live], topics):
            return
        words = places.of_keywords([[*known.keywords, *indexed(known.label)] for known in rows])
        groups = topics.groups(places.isles_wanted(live))
        words = places.drawn_together(words, groups)
        by_meaning = self._vectors_of(nodes[:live])
        if not held:  # the first map
            first, features = nodes, words
            if by_meaning is None:
                groups = _with_forgotten(groups, words, live)
            else:
                slots, vectors = by_meaning
                first = list(slots)
                having = [[slots[nodes[k]] for k in each if nodes[k] in slots] for each in groups]
                groups = [each for each in having if each]
                # Without groups by common words, themes give the groups of similar nodes.
                alike = [[slots[n] for n in members if n in slots] for members in themes]
                features = places.drawn_together(
                    vectors, [] if groups else [each for each in alike if each]
                )
            held.update(zip(first, places.laid_out(features, groups), strict=True))
            self._changed.update(held)
        homes = self._astray(held, nodes[:live], topics)
        for node in homes.keys() & held.keys():
            del held[node]
        new = [node for node in order if node not in held]
        if not new:
            return
        self._changed.update(new)
        known = list(held)
        beside = places.Beside(list(held.values()))
        by_words = places.alike(words[[order[n] for n in new]], words[[order[n] for n in known]])
        by_vector: dict[int, list[tuple[int, float]]] = {}
        if by_meaning is not None:
            slots, vectors = by_meaning
            old = [(place, slots[node]) for place, node in enumerate(known) if node in slots]
            comparable = [node for node in new if node in slots]
            if old and comparable:
                near = places.alike(
                    vectors[[slots[n] for n in comparable]], vectors[[slot for _, slot in old]]
                )
                by_vector = {
                    node: [(old[k][0], cosine) for k, cosine in pairs]
                    for node, pairs in zip(comparable, near, strict=True)
                }
        for node, near_by in zip(new, by_words, strict=True):
            held[node] = beside.put(by_vector.get(node) or near_by, node, homes.get(node))

    @staticmethod
    def _astray(held: Mapping[int, Place], live: Sequence[int], topics: Topics) -> dict[int, int]:
        """The new isle of each live node that has no place or a wrong one: an isle whose name the
        node contains, else a new one together with others that share a name, else the largest isle
        without a name."""
        wanted, first = places.isles_wanted(len(live)), _count(held.values())
        isles = [held[node].isle if node in held else MOST_ISLES for node in live]
        before, count = [*isles], first
        for _ in range(_ROUNDS):
            names, strays = topics.names(isles, count), topics.strays(isles, count)
            homes = {at: isle for at, isle in strays.items() if isle is not None}
            rest = {
                at for at, isle in enumerate(isles)
                if at not in homes and (at in strays or not names[isle])
            }  # fmt: skip
            nameless = [isle for isle, name in enumerate(names) if not name]
            lone = max(nameless, key=isles.count, default=min(count, MOST_ISLES - 1))
            homes |= {at: lone for at in rest if at in strays}
            count = max(count, lone + 1)
            for members in topics.groups(max(0, wanted - count), rest):
                homes |= dict.fromkeys(members, count)
                count += 1
            if not homes:
                break
            for at, isle in homes.items():
                isles[at] = isle
        names = topics.names(isles, count)
        for at, isle in enumerate(isles):
            if isle >= first and not names[isle]:  # no name was left for it
                isles[at] = before[at] if before[at] < first and not names[before[at]] else lone
        moved = zip(live, before, isles, strict=True)
        return {node: isle for node, was, isle in moved if isle != was}

    def _vectors_of(self, live: list[int]) -> tuple[dict[int, int], Rows] | None:
        """The row of each node, and the centred vectors; None if too few nodes have one."""
        held = self._vectors.hold()
        if held is None:
            return None
        having = [node for node in live if node in held.slots]
        if not having or len(having) < _WITH_VECTORS * len(live):
            return None
        rows = held.vectors(having)
        centred = units((rows - rows.mean(0)).astype(np.float32))
        return {node: place for place, node in enumerate(having)}, centred


def _with_forgotten(groups: Sequence[Sequence[int]], words: Rows, live: int) -> list[list[int]]:
    """Groups of live rows, each with the forgotten ones most similar to one of its rows."""
    grown = [list(members) for members in groups]
    group_of = {row: members for members in grown for row in members}
    for row, near in enumerate(places.alike(words[live:], words[:live], most=1), live):
        if near and near[0][0] in group_of:
            group_of[near[0][0]].append(row)
    return grown


def _count(found: Iterable[Place]) -> int:
    """The number of isles that some places are on."""
    return max((place.isle + 1 for place in found), default=0)


def _is_known(tx: Transaction, node: int) -> bool:
    """Whether anything is stored of a node, live or forgotten."""
    if tx.get(tx.scope.prefix(Space.NODE) + keys.u64(node)) is not None:
        return True
    forms = tx.scope.prefix(Space.ARCHIVED) + keys.u64(node)
    return next(tx.keys(*keys.under(forms)), None) is not None


def _placed(nodes: NDArray[np.uint64], ids: NDArray[np.uint64], most: int) -> places.Numbers:
    """The place of each node among the first `most` ids, which are live ones, then forgotten ones,
    each ascending; −1 for one that is not there."""
    if not most:
        return np.full(len(nodes), -1, np.intp)
    sorted_by = np.argsort(ids[:most], kind="stable")
    at = np.searchsorted(ids[:most], nodes, sorter=sorted_by)
    places_of = sorted_by[np.minimum(at, most - 1)]
    found: places.Numbers = np.where(ids[places_of] == nodes, places_of, -1)
    return found


def _edges(view: View) -> _Edges:
    """All out-links of a scope, in the order of their sources."""
    scope, reader = view.scope, view.reader
    start, overflow = scope.prefix(Space.OUT), scope.prefix(Space.OVERFLOW)
    sources: list[int] = []
    lists: list[bytes] = []
    for key, head in reader.range(start, keys.after(start)):
        node = int.from_bytes(key[-8:], "big")
        sources.append(node)
        if links.is_full(head):
            more = overflow + keys.u64(node)
            head += b"".join(k[len(more) :] for k in reader.keys(more, keys.after(more)))
        lists.append(head)
    lengths = np.array([len(each) // links.ENTRY_BYTES for each in lists], np.intp)
    read = links.columns(b"".join(lists))
    ids = np.repeat(np.array(sources, np.uint64), lengths)
    levels = links.levels(read)
    weights = np.exp((levels - strength.decayed(view.passes, scope.decay)) / strength.UNIT)
    weights[levels < strength.broken_level(view.passes, scope.decay, scope.fades)] = 0.0
    relations = read.relations.astype(np.int64)
    # Importance as in `graph.view.importance`, for all sources at once.
    counts = np.where(relations == SEGMENT_CODE, 2, 1)
    ends = np.cumsum(counts)
    firsts = np.cumsum(lengths) - lengths
    begun = np.repeat(ends[firsts[lengths > 0]] - counts[firsts[lengths > 0]], lengths[lengths > 0])
    left = STRONGEST - (ends - counts - begun)
    parts = np.clip(np.minimum(left, counts), 0, None) * weights
    sums = np.add.reduceat(parts, firsts[lengths > 0]) if len(parts) else np.zeros(0)
    having = np.array(sources, np.uint64)[lengths > 0]
    whole = weights > 0
    return _Edges(
        ids[whole],
        read.targets[whole],
        weights[whole].astype(np.float32),
        relations[whole],
        dict(zip(having.tolist(), sums.tolist(), strict=True)),
    )


def _passes(
    forms: Sequence[Ended], live: tuple[NodeRecord, TextFacts] | None
) -> tuple[int, int, int, int]:
    """At which passes a node was born, became shorter, a gist, and was forgotten."""
    shorter = gist = NEVER
    next_forms = [form.text.form for form in forms[1:]]
    if live is not None:
        next_forms.append(live[1].form)
    for form, after in zip(forms, next_forms, strict=False):
        if after >= Form.SHORTER and shorter == NEVER:
            shorter = form.passes
        if after == Form.GIST and gist == NEVER:
            gist = form.passes
    if live is None:
        return forms[0].born, shorter, gist, forms[-1].passes
    record, known = live
    born = min([record.born, *(form.born for form in forms)])
    # A form that is no longer in the archive is older than all that are.
    if known.form >= Form.SHORTER and shorter == NEVER:
        shorter = born
    if known.form == Form.GIST and gist == NEVER:
        gist = born
    return born, shorter, gist, NEVER


def _days(born: list[int], created: list[int]) -> list[tuple[int, str]]:
    """The last day of each pass at which something was remembered."""
    last = dict(sorted(zip(born, created, strict=True)))
    # A revived node was born later than its text was created.
    times = accumulate(last.values(), max)
    return [(at, f"{moment(time):%Y-%m-%d}") for at, time in zip(last, times, strict=True)]
