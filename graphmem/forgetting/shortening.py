"""Shortening: gives a node the form for an importance, or forgets it. Links weaken in
`graph.strength`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Literal

from graphmem.forgetting.forms import next_form, overdue
from graphmem.forgetting.holding import LASTING, Held, Holdings, holder
from graphmem.forgetting.removal import Removal
from graphmem.graph import kinds
from graphmem.graph.ground import Ground
from graphmem.graph.records import NodeRecord, TextRecord
from graphmem.graph.writer import GraphWriter, text_hash
from graphmem.hexastore.scopes import ScopeState
from graphmem.services import queue
from graphmem.values.nodes import Form
from graphmem.values.reports import SweepReport
from graphmem_worker.text.protects import is_clearly_protective
from graphmem_worker.text.salience import salience

Hold = Literal["sentences", "clauses", "nothing"]
"""What may be held of a node."""


@dataclass(slots=True)
class Tally:
    """Counts of what was done so far."""

    examined: int = 0
    shortened: int = 0
    gists: int = 0
    forgotten: int = 0

    def report(self, state: ScopeState, made: int, waiting: int, seconds: float) -> SweepReport:
        return SweepReport(
            passes=state.passes,
            made=made,
            **asdict(self),
            waiting=waiting,
            seconds=seconds,
            text_bytes=state.text_bytes,
            live_bytes=state.live_bytes,
        )


@dataclass(slots=True)
class Fader:
    """Shortens and forgets single nodes of a scope, and tracks what of them is held."""

    ground: Ground
    removal: Removal
    rarity: Callable[[str], float]
    holdings: Holdings = field(default_factory=Holdings)

    def let_go(self, state: ScopeState, text_budget: int | None) -> tuple[int, Hold] | None:
        """The next held node to release, and what of it stays held; None while the held bytes are
        within the shares of `holding`: of `text_budget` bytes, if any, and of the text's part
        of `max_bytes`."""
        room = math.inf if text_budget is None else text_budget
        if (most := self.ground.settings.max_bytes) is not None:
            room = min(room, most * state.text_bytes / max(1, state.memory_bytes))
        least = self.holdings.least(room)
        return None if least is None else (least[0], "nothing" if least[1] else "clauses")

    def keep(
        self,
        node: int,
        size: int,
        text: TextRecord,
        record: NodeRecord,
        held: Held,
        *,
        tight: bool,
        behind: Iterable[int] = (),
    ) -> None:
        """Note that `size` bytes of a node are held; `tight`, `behind`: as in `Holdings.note`."""
        lasting = [span for span in text.spans if held(span) in LASTING]
        self.holdings.note(
            node,
            size,
            record,
            lasting=bool(lasting),
            tight=tight,
            by_pattern=any(map(is_clearly_protective, lasting)) or not lasting,
            behind=behind,
        )

    def fade(
        self,
        writer: GraphWriter,
        node: int,
        text: TextRecord,
        record: NodeRecord,
        importance: float,
        tally: Tally,
        hold: Hold,
    ) -> tuple[TextRecord, NodeRecord, Callable[[str], str | None] | None] | None:
        """Shorten a node to fit `importance`, or forget it.

        Returns its text, its record and, if sentences are kept only as held, what holds them, else
        None. A mere None: it was forgotten. The caller sets when it is due next.
        """
        state = writer.tx.state
        by_room, now = not writer.tx.scope.fades, self.ground.now()
        held = None if hold == "nothing" else holder(text, record, now, fades=not by_room)
        tight = hold == "clauses"
        score = partial(salience, rarity=self.rarity)
        form = next_form(text, importance, state, score, held, tight=tight)
        beyond = 0
        if held is not None and form is not None:
            beyond = overdue(form, importance, state, held)
        if beyond:
            assert held is not None
            self.keep(node, beyond, text, record, held, tight=tight)
        else:
            self.holdings.drop(node)
        if form is None:
            why = "room" if by_room else "faded"
            self.removal.forget(writer, node, why, importance)
            tally.forgotten += 1
            return None
        if form is not text:
            why = "pressed" if by_room else "shortened"
            self.removal.archive(writer, node, text, record, why, importance)
            self.removal.index.put(writer.tx, node, form.words, text.words)
            writer.put_text(node, text, form)
            record = kinds.settled(record, text)._replace(
                version=record.version + 1, text_hash=text_hash(form), enriched=True
            )
            writer.put_record(node, record)
            if self.ground.settings.may_write:
                queue.put(writer.tx, node)
            if form.form is Form.GIST:
                tally.gists += 1
            else:
                tally.shortened += 1
        return form, record, held if beyond else None
