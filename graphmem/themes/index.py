"""The themes of a scope: memberships, stored on disk; centroids, in memory only.

Each node with a vector is assigned once: to a theme, or to none if it holds no facts of its own.
Until then it waits. When none waits and enough have changed, all themes are made at once (see
`linkage`), which keeps the ids.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Final

import numpy as np

from graphmem.graph.ground import Ground
from graphmem.graph.view import View
from graphmem.hexastore import keys
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.spaces import Declared, Salvage
from graphmem.hexastore.transaction import Transaction
from graphmem.index.vectors.index import VectorIndex
from graphmem.index.vectors.products import Rows
from graphmem.storage.engine import Reader
from graphmem.themes import calibration
from graphmem.themes.calibration import Calibration
from graphmem.themes.clusters import Assimilations, Clusters
from graphmem.themes.linkage import carried_over, linked
from graphmem_worker.text.salience import is_remark
from graphmem_worker.text.words import script, words

_FEWEST_WORDS: Final = 5
_FEWEST_BIGRAMS: Final = 10  # about as much as five words say in Chinese
_OWN_SHARE: Final = 0.5  # of the node's salience
_MEDIAN_SHARE: Final = 0.5  # of the median node's salience
_NONE: Final = 0  # the theme of a node that holds no facts of its own
_SAMPLE: Final = 4096  # vectors that a calibration is made of
_THEMES_AT_ONCE: Final = 64  # whose centroids are made in one step of a new calibration
_MEDIAN_OF: Final = 256  # nodes whose saliences give the median
_WRITTEN_AT_ONCE: Final = 256  # memberships in one transaction
# All themes are made at once when nothing waits, and so many nodes have changed since the last time
# that it takes no more than some tenths of a millisecond a node: its time grows with the square.
_LINKED_AT_MOST: Final = 8192  # nodes
_LINKED_AFTER: Final = 32  # changed nodes, and the square of the nodes over `_LINKED_AT_MOST`
_SOONER: Final = 64  # divisor of that number where `link` asks for it
_LOOKED_UP_AT_ONCE: Final = 1024  # vectors
_RENEWED_FOR: Final = 0.005  # seconds, or one piece, in one step
_GROWTH: Final = 2.0  # the calibration is made anew when there are so many times as many vectors


FEATURE: Final = "themes"
SPACES: Final = (Declared(Space.THEME, 8, tuple(range(9)), Salvage.MADE, of_node=True),)


def membership_key(scope: Scope, node: int) -> bytes:
    return scope.prefix(Space.THEME) + keys.u64(node)


def pack(theme: int) -> bytes:
    """A theme's id as it is stored: big-endian, as short as it can be; 0 is empty."""
    return theme.to_bytes((theme.bit_length() + 7) // 8, "big")


def memberships(reader: Reader, scope: Scope) -> dict[int, int]:
    """Node → theme of all nodes that have been assigned; 0 for those without one."""
    return {
        int.from_bytes(key[-8:], "big"): int.from_bytes(value, "big")
        for key, value in reader.range(*keys.under(scope.prefix(Space.THEME)))
    }


def _own_salience(sentences: Sequence[str], saliences: Sequence[float]) -> float:
    """The salience of a node's fact-like sentences; 0 if it is less than half of that of all its
    sentences. Questions, greetings, chatter and very short sentences are not fact-like."""
    own = sum(
        salience
        for sentence, salience in zip(sentences, saliences, strict=True)
        if _is_fact_like(sentence)
    )
    return own if own >= _OWN_SHARE * sum(saliences) else 0.0


def _is_semantic(own: float, median: float) -> bool:
    """True for a node with this `_own_salience` in a memory whose median node has `median`."""
    return own > 0 and own >= _MEDIAN_SHARE * median


def _is_fact_like(sentence: str) -> bool:
    fewest = _FEWEST_BIGRAMS if script(sentence) == "cjk" else _FEWEST_WORDS
    return not is_remark(sentence) and len(words(sentence)) >= fewest


def _sample(nodes: Sequence[int]) -> Sequence[int]:
    """The nodes whose vectors make a calibration."""
    return nodes[:: max(1, len(nodes) // _SAMPLE)]


class ThemeIndex:
    """Keeps the themes of one scope up to date with its vectors. Any thread may use it; a reader
    waits for at most one node to be assigned."""

    def __init__(self, ground: Ground, vectors: VectorIndex) -> None:
        self._store, self._scope, self._relations = ground.store, ground.scope, ground.relations
        self._vectors = vectors
        self.thresholds = ground.settings.themes
        self._turn = Lock()  # of `step`: two callers would look at the same nodes
        self._lock = Lock()  # of the clusters
        self._clusters: Clusters | None = None
        self._calibrated = 0  # vectors, when the calibration was made
        self._renewal: Iterator[None] | None = None  # of the calibration, while it is made anew
        self._forgotten: list[int] = []  # nodes, since `_renewal` began
        self._changed = 0  # nodes that came, changed or went since all themes were made at once
        self._seen: set[int] = set()  # nodes that have been looked at
        self._waiting: deque[int] = deque()
        self._gone: deque[int] = deque()  # removed since the last step
        self._cursor: tuple[object, int] = (None, 0)  # table, and how far its vectors were read
        self._saliences: deque[float] = deque(maxlen=_MEDIAN_OF)
        self.counts = Assimilations()

    # -- keeping in step ----------------------------------------------------------------------

    def remove(self, tx: Transaction, node: int) -> None:
        """Take a node out in the transaction that forgets it; its theme's centroid is made anew."""
        if (held := self._vectors.hold()) is not None and node in held.slots:
            # Before the transaction ends, a step may skip the node as one without a vector.
            tx.on_failure(lambda: self._waiting.append(node))
        if tx.delete(membership_key(self._scope, node)) is not None:
            tx.after_commit(lambda: self._gone.append(node))

    def step(self, count: int, *, link: bool = False) -> bool:
        """Assign up to `count` waiting nodes; True if more is left to do. link: after the last
        node make all themes at once, even if only one node (in large memories a few dozen) has
        changed."""
        self._store.require_no_block("looking at themes")  # another thread may hold `_turn`
        with self._turn:
            return self._step(count, link)

    def _step(self, count: int, link: bool = False) -> bool:
        self._gather()
        clusters = self._ready()
        if clusters is None:
            return False
        if self._is_renewing(clusters, link):
            return True
        clusters = self._clusters or clusters  # they may have been renewed
        if not (self._waiting or self._gone or clusters.has_changes):
            return self._is_due(clusters, link)  # the renewal may have begun without `link`
        chosen = [self._waiting.popleft() for _ in range(min(count, len(self._waiting)))]
        own = self._own_saliences(chosen)
        from statistics import median  # it loads the arithmetic of decimals

        middle = median(self._saliences) if self._saliences else 0.0
        for node in chosen:
            if node not in own:
                continue  # forgotten meanwhile, or not whole yet
            self._changed += 1
            with self._lock:  # for one node only, so that readers wait little
                self._forget_gone(clusters)
                if clusters.theme(node) is not None:
                    clusters.refresh(node)
                elif _is_semantic(own[node], middle):
                    clusters.add(node)
        with self._lock:
            self._forget_gone(clusters)
            changes = clusters.changes(_WRITTEN_AT_ONCE)
            self.counts = clusters.counts
        kept = {node: _NONE for node in own if clusters.theme(node) is None} | changes
        self._write(kept)
        self._seen.update(kept)
        return bool(self._waiting) or clusters.has_changes or self._is_due(clusters, link)

    def _gather(self) -> None:
        """Queue the nodes whose vectors have come or changed since the last step."""
        table, at = self._cursor
        held = self._vectors.hold()
        if held is None:
            return
        nodes, at = held.added(at if held is table else 0)
        if held is not table:
            nodes = [node for node in nodes if node not in self._seen]
        self._cursor = held, at
        self._waiting.extend(nodes)

    def _ready(self) -> Clusters | None:
        """The clusters, loaded or made if there are none yet; None while there are too few vectors
        for a calibration."""
        held = self._vectors.hold()
        if held is None or len(held) < calibration.FEWEST:
            return None
        if self._clusters is not None:
            return self._clusters
        kept = memberships(self._store, self._scope)
        self._seen = set(kept)
        nodes = sorted(held.slots)
        measure = Calibration.of(held.vectors(_sample(nodes)))
        clusters = Clusters(self._lookup(measure), measure, self.thresholds)
        clusters.load({n: t for n, t in kept.items() if t != _NONE and n in held.slots})
        clusters.next_theme = max(clusters.next_theme, 1 + max(kept.values(), default=0))
        self._waiting = deque(node for node in nodes if node not in self._seen)
        self._own_saliences(nodes[:: max(1, len(nodes) // _MEDIAN_OF)])
        with self._lock:
            self._clusters, self._calibrated = clusters, len(held)
            self._changed = len(kept)  # a crash may have left half of a new partition
            clusters.counts = self.counts
        return clusters

    def _is_due(self, clusters: Clusters, link: bool) -> bool:
        """True if all themes are to be made at once."""
        count, changed = clusters.nodes, self._changed
        if not changed or self._waiting or self._gone or not 0 < count <= _LINKED_AT_MOST:
            return False
        enough = count * count // _LINKED_AT_MOST
        return changed >= (enough // _SOONER if link else max(_LINKED_AFTER, enough))

    def _is_renewing(self, clusters: Clusters, link: bool) -> bool:
        """Do some steps of a new calibration, and of making all themes at once, if that is due;
        False if it is not, or has ended. Until the last step no node joins a theme, and readers
        get the old clusters."""
        if self._renewal is None:
            held = self._vectors.hold()
            is_due = self._is_due(clusters, link) and not clusters.has_changes
            if held is None or not (is_due or len(held) >= _GROWTH * self._calibrated):
                return False
            if is_due:
                self._changed = 0
            self._renewal = self._renewed(clusters, is_due)
        end = monotonic() + _RENEWED_FOR
        for _ in self._renewal:
            if monotonic() > end:
                return True
        self._renewal = None
        return False

    def _renewed(self, clusters: Clusters, link: bool) -> Iterator[None]:
        """Replace the clusters by ones calibrated with the present vectors: of the same partition,
        or with `link` of a new one. Takes a few milliseconds a step."""
        held = self._vectors.hold()
        assert held is not None  # as there are clusters
        count, nodes = len(held), sorted(held.slots)
        yield
        rows = held.vectors(_sample(nodes))
        yield
        measure = yield from Calibration.in_steps(rows)
        self._forgotten.clear()
        before: dict[int, int] = {}
        for themes in clusters.pieces(_THEMES_AT_ONCE):
            with self._lock:  # for some themes only, so that readers wait little
                before.update(clusters.memberships(themes))
            yield
        next_theme = clusters.next_theme
        known = {node: before[node] for node in sorted(before) if node in held.slots}
        if link:
            parts: list[Rows] = []
            nodes_known = list(known)
            for start in range(0, len(nodes_known), _LOOKED_UP_AT_ONCE):
                batch = nodes_known[start : start + _LOOKED_UP_AT_ONCE]
                parts.append(measure.centred(held.vectors(batch)))
                yield
            least = measure.cosine(self.thresholds.linkage)
            found = yield from linked(np.concatenate(parts), least, self.thresholds.size)
            known = carried_over(dict(zip(known, found.tolist(), strict=True)), known, next_theme)
            yield
        renewed = Clusters(self._lookup(measure), measure, self.thresholds, next_theme)
        yield from renewed.loading(known, _THEMES_AT_ONCE, before if link else None)
        with self._lock:
            self._forget_gone(clusters)
            for node in self._forgotten:
                renewed.remove(node)
            renewed.counts = self.counts
            renewed.counts.linked += link
            self._clusters, self._calibrated = renewed, count

    def _lookup(self, measure: Calibration) -> Callable[[Sequence[int]], Rows]:
        def centred(nodes: Sequence[int]) -> Rows:
            held = self._vectors.hold()
            assert held is not None  # as there are clusters
            return measure.centred(held.vectors(nodes))

        return centred

    def _own_saliences(self, nodes: Sequence[int]) -> dict[int, float]:
        """Node → `_own_salience` of those that are there; all count towards the median."""
        found: dict[int, float] = {}
        with self._scope.snapshot(self._store) as snapshot:
            view = View(snapshot, self._scope, self._relations, snapshot.sequence)
            for node in nodes:
                text = view.text(node)
                if text is not None:
                    found[node] = _own_salience(text.spans, text.saliences)
                    self._saliences.append(sum(text.saliences))
        return found

    def _forget_gone(self, clusters: Clusters) -> None:
        while self._gone:
            node = self._gone.popleft()
            clusters.remove(node)
            if self._renewal is not None:
                self._forgotten.append(node)
            self._changed += 1
            self._seen.discard(node)

    def _write(self, kept: dict[int, int]) -> None:
        self._store.require(FEATURE)
        with Transaction(self._store, self._scope) as tx:
            for node, theme in kept.items():
                if tx.get(self._scope.prefix(Space.NODE) + keys.u64(node)) is not None:
                    tx.put(membership_key(self._scope, node), pack(theme))

    # -- reading ------------------------------------------------------------------------------

    def _load(self) -> None:
        """Load the clusters from what is stored, if they are not loaded; this writes nothing."""
        # A thread within `step` may wait for a transaction of this thread: see `Store.block`.
        if self._clusters is None and self._store.block is None:
            with self._turn:
                self._ready()

    def _stored(self) -> dict[int, list[int]]:
        """Theme → members as they are stored, for a memory that is opened without its vectors."""
        found: dict[int, list[int]] = {}
        for node, theme in memberships(self._store, self._scope).items():
            if theme != _NONE:
                found.setdefault(theme, []).append(node)
        return found

    @contextmanager
    def _reading(self) -> Iterator[Clusters | None]:
        """The clusters without forgotten nodes, locked against other threads; None while there are
        none."""
        self._load()
        with self._lock:
            if self._clusters is not None:
                self._forget_gone(self._clusters)
            yield self._clusters

    @property
    def waiting(self) -> int:
        """The number of nodes with a vector that have not been assigned."""
        return len(self._waiting)

    def themes(self) -> list[tuple[int, tuple[int, ...]]]:
        """(theme, members) of all themes, the largest first."""
        with self._reading() as clusters:
            if clusters is None:
                found = ((theme, tuple(nodes)) for theme, nodes in self._stored().items())
                return sorted(found, key=lambda pair: (-len(pair[1]), pair[0]))
            return [(theme, clusters.members(theme)) for theme in clusters.themes()]

    def theme(self, node: int) -> int | None:
        with self._reading() as clusters:
            if clusters is None:
                stored = self._store.get(membership_key(self._scope, node))
                return int.from_bytes(stored or b"", "big") or None
            return clusters.theme(node)

    def members(self, theme: int) -> tuple[int, ...]:
        """The members of a theme, in the order in which they came to it."""
        with self._reading() as clusters:
            if clusters is None:
                return tuple(self._stored().get(theme, ()))
            return clusters.members(theme)

    def neighbours(self, theme: int) -> list[tuple[int, float]]:
        """The themes nearest to a theme, best first, with their similarity on the seed's scale."""
        with self._reading() as clusters:
            if clusters is None or not clusters.members(theme):
                return []
            return clusters.neighbours(theme)

    def nearest(self, cue: Rows, count: int) -> list[tuple[int, float]]:
        """The themes nearest to a cue's vector, with their similarity on the seed's scale."""
        with self._reading() as clusters:
            if clusters is None:
                return []
            return clusters.nearest(clusters.calibration.centred(cue), count)

    @property
    def calibration(self) -> Calibration | None:
        """The scale of similarities; None while there are too few vectors."""
        self._load()
        clusters = self._clusters
        return None if clusters is None else clusters.calibration

    @property
    def constants(self) -> dict[str, float]:
        """The thresholds, by the seed's names."""
        limits = self.thresholds
        return {
            "attachThreshold": limits.attach,
            "maxThemeSize": limits.size,
            "mergeThreshold": limits.merge,
            "lenientAttachFloor": limits.lenient,
            "knnK": limits.neighbours,
        }

    def similarities(self, cue: Rows, nodes: Sequence[int]) -> list[float]:
        """The similarity of each node with a cue's vector, on the seed's scale; 0 for one that has
        no vector."""
        self._load()
        held, clusters = self._vectors.hold(), self._clusters
        if held is None or clusters is None:
            return [0.0] * len(nodes)
        scale = clusters.calibration
        cosines = scale.centred(held.vectors(nodes)) @ scale.centred(cue)
        return [
            scale.similarity(float(cosine)) if node in held.slots else 0.0
            for node, cosine in zip(nodes, cosines, strict=True)
        ]

    def centroids(self) -> tuple[list[int], Rows]:
        """All themes, and their centroids of length 1 seen from the mean of the vectors."""
        with self._reading() as clusters:
            themes = [] if clusters is None else clusters.themes()
            if clusters is None or not themes:
                return [], np.zeros((0, 0), np.float32)
            return themes, clusters.directions(themes)
