"""Sessions as documents: the session of each node, and how well a session matches a cue.

There is no index of them: a session's words are those of its nodes, whose postings are summed by a
column with the number of each node's session. Numbers ascend in the order in which sessions began;
a node without a session counts as a session of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from graphmem.errors import CorruptError
from graphmem.graph.view import View
from graphmem.hexastore import keys, terms
from graphmem.hexastore.keys import Space
from graphmem.index.words.postings import Nodes, Postings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.int32]
    Floats: TypeAlias = NDArray[np.float64]

_READ_ONE_BY_ONE: Final = 512  # new nodes; of more the whole index of sessions is read
_K1: Final = 1.2
_B: Final = 0.75


class Column(NamedTuple):
    """The sessions of the nodes of one view."""

    numbers: Numbers  # the session of each node, by the node's id
    sizes: Floats  # how many nodes each session has, by its number


class Sessions:
    """The sessions of one scope's nodes, numbered when they are first asked for."""

    def __init__(self) -> None:
        self._numbers = np.zeros(1, np.int32)
        self._known = Column(self._numbers, np.zeros(0))
        self._named: dict[bytes, int] = {}
        self._count = 0
        self._lock = Lock()

    def at(self, view: View) -> Column:
        """The sessions of all nodes of a view."""
        end = view.state.next_node
        with self._lock:
            self._extend(view, len(self._numbers), end)
        known = self._known
        if len(known.numbers) != end:
            numbers = self._numbers[:end]
            self._known = known = Column(numbers, np.bincount(numbers[1:]).astype(float))
        return known

    def _extend(self, view: View, begin: int, end: int) -> None:
        if begin >= end:
            return
        named: dict[int, bytes] = {}
        if end - begin > _READ_ONE_BY_ONE:
            start = view.scope.prefix(Space.SESSION)
            for key in view.reader.keys(start, keys.after(start)):
                if (node := int.from_bytes(key[-8:], "big")) >= begin:
                    named[node] = key[len(start) : -8]
        else:
            for node in range(begin, end):
                text = view.text(node)
                if text is not None and text.session is not None:
                    named[node] = terms.plain_literal(text.session)[0]
        grown = np.empty(end, np.int32)
        grown[:begin] = self._numbers[:begin]
        for node in range(begin, end):
            name = named.get(node)
            number = self._count if name is None else self._named.setdefault(name, self._count)
            self._count += number == self._count
            grown[node] = number
        self._numbers = grown


def scores(found: Sequence[tuple[float, Postings]], column: Column, wanted: Nodes) -> Floats:
    """BM25 of the session of each wanted node as a share of the best, 0–1, so without the factor
    k₁ + 1.

    found: (weight, postings) of each word of the cue.
    """
    numbers, sizes = column
    count = len(sizes)
    sessions, place = np.unique(numbers[wanted], return_inverse=True)
    if not len(sessions):
        return np.zeros(0)
    place_of = np.full(count, -1, np.int32)
    place_of[sessions] = np.arange(len(sessions))
    norm = _K1 * (1 - _B + _B * sizes[sessions] * (count / len(numbers)))
    total = np.zeros(len(sessions))
    for weight, postings in found:
        try:
            of_session = numbers[postings.nodes]
        except IndexError:
            raise CorruptError(
                "a posting is of a node that was never made; run admin.check()"
            ) from None
        if not len(of_session):
            continue
        having = 1 + int(np.count_nonzero(of_session[1:] != of_session[:-1]))  # they stand together
        rarity = weight * log(1 + (max(count, having) - having + 0.5) / (having + 0.5))
        places = place_of[of_session]
        is_wanted = places >= 0
        held = np.bincount(
            places[is_wanted], postings.frequencies[is_wanted], minlength=len(sessions)
        )
        total += rarity * held / (held + norm)
    best = float(total.max())
    return total[place] / best if best else total[place]
