"""What a recall returns: hits with scores and paths, the text, forgotten nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, overload

from graphmem.values import filling, html, rendering
from graphmem.values.hits import Hit
from graphmem.values.nodes import Node, Tombstone
from graphmem.values.rendering import Layout, TokenCounter
from graphmem.values.themes import Level, Theme
from graphmem.values.trace import Trace

LIKELY: Final = 0.6  # of the best hit's score; below it a hit is shown behind a remark, …
LEAST_WRITTEN: Final = 0.06  # … and below this not at all


class Recall(Sequence[Hit]):
    """Hits, best first. Read-only; made by `Memory.recall`.

    cue, tokens: as they were given.
    answered: how likely it is that the answer is among the hits, 0–1; 0 if there are none. Hits
        that only come close to the answer can have 0.9 too.
    trace: with `trace=True`, the steps of the search, as `str(…)` and as a drawing, `.svg()`.
    dangling: forgotten nodes that matched the cue, or to which your links from hits lead: phrase,
        keywords, when and why.
    themes, expanded_levels: in mode "themes", the themes nearest to the cue, whose lines begin
        `text`, and the levels that were searched, from the top.
    """

    def __init__(
        self,
        cue: str,
        hits: Iterable[Hit],
        further: Sequence[Node],
        dangling: Sequence[Tombstone],
        tokens: int | None,
        counter: TokenCounter,
        trace: Trace | None = None,
        layout: Layout | None = None,
        answered: float = 0.0,
    ) -> None:
        """further: the nodes ranked below the hits, which fill the rest of a budget."""
        self.cue = cue
        self.trace = trace
        self.dangling = tuple(dangling)
        self.tokens = tokens
        self.noted: tuple[str, ...] = ()
        """`notes` without the one on the budget."""
        self.answered = answered
        self.themes: tuple[Theme, ...] = ()
        self.expanded_levels: tuple[Level, ...] = ()
        self._hits = tuple(hits)
        self._best = self._hits[0].score if self._hits else 0.0
        self._further = tuple(further)
        self._counter = counter
        self._layout = layout or Layout()

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self._hits[index]

    def __len__(self) -> int:
        return len(self._hits)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copies: with all cached properties, without the token counter."""
        cached = [name for name, kind in vars(Recall).items() if isinstance(kind, cached_property)]
        state = vars(self) | {name: getattr(self, name) for name in cached}
        del state["_counter"]
        return state

    @property
    def remembered(self) -> list[Node]:
        """The nodes that `text` may include, best first: those of the hits, then further ones."""
        return self._with_beside([*(hit.node for hit in self._hits), *self._further])

    def _with_beside(self, nodes: Iterable[Node]) -> list[Node]:
        """The nodes, each followed by its companions (`Layout.beside`), without duplicates."""
        scopes, beside = self._layout.scopes, dict(self._layout.beside)
        found: dict[int, Node] = {}
        for node in nodes:
            known = rendering.identity(node, scopes)
            found.setdefault(known, node)
            for other in beside.get(known, ()):
                if other in self._nodes:
                    found.setdefault(other, self._nodes[other])
        return [*found.values()]

    @cached_property
    def _nodes(self) -> dict[int, Node]:
        """The nodes that may be included, by identity."""
        every = (*(hit.node for hit in self._hits), *self._further)
        return {rendering.identity(node, self._layout.scopes): node for node in every}

    def without(self, is_there: Callable[[Node], bool]) -> Recall:
        """The same recall without nodes that are in the prompt already. Likely hits are still those
        with 60 % of the score of the best one, even if that is left out."""
        hits = [hit for hit in self._hits if not is_there(hit.node)]
        further = [node for node in self._further if not is_there(node)]
        days = zip(self._hits, self._layout.ahead, strict=False)
        ahead = tuple(day for hit, day in days if not is_there(hit.node))
        made = Recall(
            self.cue, hits, further, self.dangling, self.tokens, self._counter, self.trace,
            replace(self._layout, ahead=ahead), self.answered,
        )  # fmt: skip
        made.noted, made._best = self.noted, self._best
        return made

    @property
    def text(self) -> str:
        """The memories as lines with date and speaker, within `tokens`.

        Memories of one session, or of one call of `remember`, stand together in order, at the place
        of the best of them; a line of the same day as the one before leaves the date out. Hits that
        score under 60 % of the best follow the line "(perhaps related)", with a budget also what
        may have superseded the best hit, and memories that score at least 30 % of it; hits that
        score under 6 % are left out. If the best hit does not fit, it is cut to the part that holds
        most of the cue. Nodes that have faded completely are named in one line at the end; those
        that were corrected or forgotten on request are not. If nothing fits, one line states how
        many tokens the best hit needs, provided that this line fits.
        """
        return "\n".join((*self._headlines, *self._with_remark(*self._filled), *self._closing))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out and why, a sentence each, such as that the vectors were late or that
        the best hit needs more than the budget."""
        if self.tokens is None or self._needed is None:
            return self.noted
        return (*self.noted, rendering.too_small(self.tokens, self._needed))

    @property
    def lines(self) -> list[tuple[int, str]]:
        """The memories of `text`, in its order: the id of each, and its line."""
        return list(zip(self.included, self._filled[1], strict=True))

    @property
    def node_lines(self) -> list[tuple[Node, str]]:
        """`lines`, with the memories instead of their ids."""
        return [(self._nodes[known], line) for known, line in zip(*self._filled, strict=True)]

    @cached_property
    def likely(self) -> int:
        """How many of `lines`, from the first on, score at least 60 % of the best hit; the others
        may be related. All of them if the lines are in order of time."""
        return self._likely_of(self._filled[0])

    def _likely_of(self, included: Sequence[int]) -> int:
        if self._layout.in_order:
            return len(included)
        likely = {
            rendering.identity(node, self._layout.scopes)
            for node in self._with_beside(self._scoring(LIKELY))
        }
        return sum(node in likely for node in included)

    def _with_remark(self, included: Sequence[int], lines: Sequence[str]) -> Sequence[str]:
        """The lines of the included nodes, with a remark between the likely ones and the rest."""
        likely = self._likely_of(included)
        if likely == len(lines) or not self._best:
            return lines
        return *lines[:likely], self.remark(rendering.RELATED), *lines[likely:]

    def remark(self, marks: rendering.Marks) -> str:
        """The mark in the language of the cue, or of the best hit if the cue is empty."""
        text = self.cue.strip() or (self._hits[0].node.phrase if self._hits else "")
        return rendering.in_language_of(text, marks)

    def _scoring(self, share: float) -> list[Node]:
        """The nodes of the hits that score at least `share` of the best."""
        return [hit.node for hit in self._hits if hit.score >= share * self._best]

    @property
    def included(self) -> tuple[int, ...]:
        """The ids of the nodes whose lines are in `text`, in its order."""
        return tuple(rendering.id_of(each, self._layout.scopes) for each in self._filled[0])

    @cached_property
    def _headlines(self) -> tuple[str, ...]:
        """The lines of the themes, as many as the budget holds."""
        summaries = [theme.summary for theme in self.themes]
        lines = tuple(
            f"{rendering.in_language_of(each, rendering.THEME)} {each}" for each in summaries
        )
        while lines and self.tokens is not None and self._counter("\n".join(lines)) > self.tokens:
            lines = lines[:-1]
        return lines

    @cached_property
    def _needed(self) -> int | None:
        """The tokens that the best hit needs, if they are more than the budget."""
        if self.tokens is None or not self._hits:
            return None
        best = rendering.Passage.of(self._hits[0].node, self._layout)
        need = best.need(self._counter)
        return need if need > self.tokens else None

    @cached_property
    def _closing(self) -> tuple[str, ...]:
        """The last line, if there is one and it fits."""
        faded = [stone.phrase for stone in self.dangling if stone.why in ("faded", "room", "slot")]
        if self._needed is not None and not self._filled[1]:
            mark = self.remark(rendering.ONLY)
            line = mark.format(self.tokens or 0, self._needed)
        elif faded:
            line = self.remark(rendering.ONCE_KNOWN).format("; ".join(faded[:3]))
        else:
            return ()
        text = "\n".join((*self._headlines, *self._with_remark(*self._filled), line))
        return (line,) if self.tokens is None or self._counter(text) <= self.tokens else ()

    @cached_property
    def _filled(self) -> tuple[list[int], list[str]]:
        """The identities of the included nodes, and their lines."""
        tokens = self.tokens
        if tokens is not None and self._headlines:
            tokens -= self._counter("\n".join(self._headlines) + "\n")
            if tokens <= 0:
                return [], []
        likely = len(self._with_beside(self._scoring(LIKELY)))
        memories = self._scoring(LEAST_WRITTEN)
        remark_tokens = 0  # tokens of the remark between likely lines and the rest
        if tokens is not None:
            memories = self._with_beside([*memories, *self._further])
            if likely < len(memories) and not self._layout.in_order:
                remark_tokens = self._counter(self.remark(rendering.RELATED) + "\n")
        scopes = self._layout.scopes
        copies = tuple(
            (rendering.identity(hit.node, scopes), len(hit.folded))
            for hit in self._hits
            if hit.folded
        )
        layout = replace(self._layout, copies=copies, likely=likely)
        if tokens is None:
            return filling.filled(memories, None, self._counter, layout)
        if remark_tokens and memories:  # the best is not cut for a remark that may not be needed
            alone = filling.filled(memories[:1], None, self._counter, layout)
            size = self._counter(alone[1][0])
            if tokens - remark_tokens < size <= tokens:
                return alone
        ids, lines = filling.filled(memories, tokens - remark_tokens, self._counter, layout)
        while (
            remark_tokens
            and lines
            and self._counter("\n".join(self._with_remark(ids, lines))) > tokens
        ):
            ids, lines = ids[:-1], lines[:-1]  # a counter may find more in the whole
        if lines:
            return ids, lines
        return filling.filled(memories[:1], tokens, self._counter, layout)

    def __repr__(self) -> str:
        first = "; ".join(f"{hit.score:.2f} {hit.text[:40]!r}" for hit in self._hits[:3])
        many = "hit" if len(self) == 1 else "hits"
        return f"<Recall {self.cue[:40]!r}: {len(self)} {many}{': ' if first else ''}{first}>"

    def _repr_html_(self) -> str:
        rows = (
            (hit.id, f"{hit.score:.2f}", hit.happened.date(), hit.node.speaker or "", hit.text)
            for hit in self
        )
        return html.table(rows, ("node", "score", "when", "who", "text"), " ".join(self.notes))

    def __str__(self) -> str:
        return self.text or "(nothing comes back)"
