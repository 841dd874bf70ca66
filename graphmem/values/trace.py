"""The trace of a recall: its entry nodes, how activation spread to the hits, and their scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Final, NamedTuple
from unicodedata import east_asian_width

from graphmem.values.hits import Hit
from graphmem.values.html import Shown

_ENTRIES: Final = 10  # entry nodes shown, besides those from which activation reached a hit
_CUE_WIDTH: Final = 300  # columns
# Control characters, those that XML cannot hold, and those that change the direction of the text.
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff\u2028-\u202e\u2066-\u2069]+"
)


class Passed(NamedTuple):
    """The activation that one node passed to another in one hop."""

    source: int
    target: int
    amount: float


@dataclass(frozen=True, slots=True)
class Entry(Shown):
    """A node from which activation spread."""

    node: int
    amount: float
    why: Mapping[str, float]  # words, vector, focus


@dataclass(frozen=True, slots=True)
class Trace(Shown):
    """The steps of a recall. `str(trace)` is a page of text, `svg()` a drawing.

    It shows the best hits and the activation that reached them: the strongest link of each hop.

    entries: the nodes that match or are in focus, from which the search starts, strongest first.
    hops: for each hop (source, target, amount), the greatest amount first.
    hits: the hits that are shown, best first.
    phrases: the phrases of the nodes that are shown, by id.
    """

    cue: str
    entries: tuple[Entry, ...]
    hops: tuple[tuple[Passed, ...], ...]
    hits: tuple[Hit, ...]
    phrases: Mapping[int, str]

    @property
    def shown(self) -> tuple[Entry, ...]:
        """The strongest entry nodes, and the others from which activation reached a hit."""
        needed = {passed.source for passed in chain.from_iterable(self.hops[:1])}
        return tuple(e for k, e in enumerate(self.entries) if k < _ENTRIES or e.node in needed)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"Cue: {_fitted(_clean(self.cue), _CUE_WIDTH)}"
        if not (self.entries or self.hits):
            yield "Nothing of it is known."
            return
        if self.entries:  # a day alone has none
            yield "Entry nodes"
        for entry in self.shown:
            why = " · ".join(f"{name} {value:.2f}" for name, value in entry.why.items())
            yield f"{entry.node:>8}  {entry.amount:.2f}  {why}  {self.about(entry.node)}"
        if rest := len(self.entries) - len(self.shown):
            yield f"          and {rest:,} more"
        for number, hop in enumerate(self.hops, 1):
            yield f"Hop {number}"
            for source, target, amount in hop:
                yield f"{source:>8} → {target}  {amount:.3f}  {self.about(target)}"
        yield "Ranking"
        for rank, hit in enumerate(self.hits, 1):
            parts = " + ".join(f"{name} {value:.2f}" for name, value in _visible_parts(hit))
            yield f"{rank:>4}. {hit.id}  {hit.score:.2f} = {parts}  {self.about(hit.id)}"

    def about(self, node: int, width: int = 60) -> str:
        """A node's phrase, cut to `width` columns; a Chinese character takes two."""
        return _fitted(_clean(self.phrases.get(node, "")), width)

    def svg(self) -> str:
        """The drawing, as a document of its own: a column for the entry nodes, one for each hop,
        one for the ranking. A line is as thick as what passed over it, the hits are marked with
        their rank wherever they stand, and the bar below a hit shows the parts of its score."""
        return _Drawing(self).document()


def _visible_parts(hit: Hit) -> list[tuple[str, float]]:
    """The parts of a score that are not 0 when rounded to two places."""
    return [(name, value) for name, value in hit.parts.items() if value >= 0.005]


def _clean(text: str) -> str:
    return " ".join(_UNSEEN.sub(" ", text).split())


def _columns(text: str) -> int:
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _fitted(text: str, width: int) -> str:
    """A text cut to `width` columns."""
    if len(text) <= width and _columns(text) <= width:
        return text
    kept = text[:width]
    while _columns(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


# -- drawing ----------------------------------------------------------------------------------

_WIDE, _HIGH = 236, 46  # of a box; all in pixels
_GAP, _ROW = 96, 64  # between columns; from one box to the next
_LEFT, _TOP = 24, 92
_BAR = 5  # height of the bar that shows the parts of a score
_COLUMNS = 32  # of text in a box
_CUE_COLUMNS = 100
_COLOURS: Final = (
    "#2f6fb2", "#c1662a", "#3d8f4f", "#8a5fb0", "#b23a5e", "#6b6b6b", "#20878c", "#9a8420",
)  # fmt: skip
_STYLE: Final = (
    "text{font:12px system-ui,-apple-system,'Segoe UI','Noto Sans','Noto Sans CJK SC',"
    "'PingFang SC','Microsoft YaHei',sans-serif;fill:#222;unicode-bidi:plaintext}"
    ".cue{font-size:16px;font-weight:600}.head{font-weight:600;fill:#555}"
    ".name{font-size:12px;font-weight:600;fill:#222}.small{font-size:11px;fill:#555}"
    ".box{fill:#fff;stroke:#8a94a3}.hit{fill:#eef4fb;stroke:#2f6fb2}"
    ".edge{fill:none;stroke:#7d8896;stroke-opacity:.75}"
    ".rank{fill:#2f6fb2}.place{font-size:11px;font-weight:600;fill:#fff;text-anchor:middle}"
    ".amount{font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:4px}"
)


class _Drawing:
    """Places the nodes of a trace in columns and rows and draws them."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        columns = [[entry.node for entry in trace.shown]]
        for hop in trace.hops:
            # In the order of the sources, so that few lines cross.
            rows = {node: row for row, node in enumerate(columns[-1])}
            came = sorted(hop, key=lambda p: (rows.get(p.source, len(rows)), -p.amount))
            columns.append(list(dict.fromkeys(passed.target for passed in came)))
        while len(columns) > 1 and not columns[-1]:
            columns.pop()
        self._columns = columns
        self._place = {
            (column, node): (_LEFT + column * (_WIDE + _GAP), _TOP + row * _ROW)
            for column, nodes in enumerate(columns)
            for row, node in enumerate(nodes)
        }
        self._ranking = _LEFT + len(columns) * (_WIDE + _GAP)
        names = dict.fromkeys(name for hit in trace.hits for name, _ in _visible_parts(hit))
        self._colours = {
            name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(names)
        }

    def document(self) -> str:
        rows = max(len(self._trace.hits), *map(len, self._columns), 1)
        wide, high = self._ranking + _WIDE + _LEFT, _TOP + rows * _ROW + 40
        about = escape(_fitted(_clean(self._trace.cue), _CUE_COLUMNS))
        body = chain(self._heads(), self._edges(), self._boxes(), self._hits(), self._legend(high))
        return "\n".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
                f'width="{wide}" height="{high}" role="img">',
                f"<title>How “{about}” was answered</title><style>{_STYLE}</style>",
                f'<rect width="{wide}" height="{high}" fill="#fff"/>',
                _text(_LEFT, 36, about, "cue"),
                *body,
                "</svg>\n",
            )
        )

    def _heads(self) -> Iterator[str]:
        rest = len(self._trace.entries) - len(self._trace.shown)
        first = f"Entry nodes (and {rest:,} more)" if rest else "Entry nodes"
        hops = [f"Hop {number}" for number in range(1, len(self._columns))]
        for column, head in enumerate((first, *hops, "Ranking")):
            yield _text(_LEFT + column * (_WIDE + _GAP), _TOP - 18, head, "head")

    def _edges(self) -> Iterator[str]:
        labels = []
        most = max((p.amount for hop in self._trace.hops for p in hop), default=0.0) or 1.0
        for column, hop in enumerate(self._trace.hops):
            for source, target, amount in hop:
                start, end = self._place.get((column, source)), self._place[column + 1, target]
                if start is None:
                    continue
                yield _curve(start, end, 1 + 5 * amount / most)
                labels.append((end[0] - 34, end[1] + _HIGH / 2 - 5, f"{amount:.2f}"))
        for x, y, label in labels:
            yield _text(x, y, label, "amount")

    def _boxes(self) -> Iterator[str]:
        whys = {entry.node: entry.why for entry in self._trace.shown}
        ranks = {hit.id: rank for rank, hit in enumerate(self._trace.hits, 1)}
        for (column, node), (x, y) in self._place.items():
            why = {} if column else whys[node]
            detail = " · ".join(f"{name} {value:.2f}" for name, value in why.items())
            yield _box(
                x, y, f"node {node}", detail, self._trace.about(node, _COLUMNS), node in ranks
            )
            if node in ranks:
                yield f'<circle class="rank" cx="{x + _WIDE - 6}" cy="{y + 4}" r="9"/>'
                yield _text(x + _WIDE - 6, y + 8, str(ranks[node]), "place")

    def _hits(self) -> Iterator[str]:
        best = max((hit.score for hit in self._trace.hits), default=0.0)
        for rank, hit in enumerate(self._trace.hits, 1):
            x, y = self._ranking, _TOP + (rank - 1) * _ROW
            about = self._trace.about(hit.id, _COLUMNS)
            yield _box(x, y, f"{rank}.  node {hit.id}", f"{hit.score:.2f}", about, True)
            at = float(x)
            for name, value in _visible_parts(hit):
                wide = value / best * _WIDE
                yield (
                    f'<rect x="{at:.1f}" y="{y + _HIGH + 2}" width="{wide:.1f}" height="{_BAR}" '
                    f'fill="{self._colours[name]}"><title>{escape(name)} {value:.2f}</title></rect>'
                )
                at += wide

    def _legend(self, high: int) -> Iterator[str]:
        x = _LEFT
        if not (self._trace.entries or self._trace.hits):
            yield _text(x, _TOP + 18, "Nothing of it is known.", "small")
        for name, colour in self._colours.items():
            yield f'<rect x="{x}" y="{high - 24}" width="10" height="10" fill="{colour}"/>'
            yield _text(x + 15, high - 15, escape(name), "small")
            x += 34 + 7 * len(name)


def _box(x: int, y: int, name: str, detail: str, about: str, is_hit: bool) -> str:
    """A box with a name, a detail beside it, and what the node is about."""
    rest = escape(_fitted(detail, _COLUMNS - len(name)))
    return (
        f'<rect class="{"hit" if is_hit else "box"}" x="{x}" y="{y}" width="{_WIDE}" '
        f'height="{_HIGH}" rx="6"/>'
        + _text(x + 10, y + 18, f'<tspan class="name">{name}</tspan>  {rest}', "small")
        + _text(x + 10, y + 36, escape(about), "small")
    )


def _text(x: float, y: float, escaped: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escaped}</text>'


def _curve(start: tuple[int, int], end: tuple[int, int], width: float) -> str:
    """A line from the right side of one box to the left side of another."""
    x, y, to_x, to_y = start[0] + _WIDE, start[1] + _HIGH / 2, end[0], end[1] + _HIGH / 2
    bend = min((to_x - x) / 2, _GAP / 2)
    return (
        f'<path class="edge" stroke-width="{width:.1f}" '
        f'd="M{x:g} {y:g}C{x + bend:g} {y:g} {to_x - bend:g} {to_y:g} {to_x:g} {to_y:g}"/>'
    )
