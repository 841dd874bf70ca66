"""A warning or a rule in words that no table has must outlive a budget once its vector tells what it
is."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

import graphmem
from graphmem_worker.language.heads import head
from graphmem_worker.text.protects import protects

WARNING = "After supper the yellow folder goes to Theo."
HARMLESS = "Wen walked to the mill on day {} and drew the wheel. The weather was rather good."


class Directed:
    """Gives the warning the direction of a label, everything else the opposite one."""

    name = head("protective").model
    dimensions = 384

    def __init__(self, label: str) -> None:
        fitted = head("protective")
        away = fitted.vector[[fitted.labels.index(each) for each in fitted.labels if each != label]]
        likely = fitted.vector[fitted.labels.index(label)]
        self.likely = likely - np.linalg.lstsq(away.T, likely, rcond=None)[0] @ away

    def embed(self, texts: Sequence[str], kind: str) -> list[np.ndarray]:
        """See `graphmem.Embedder`."""
        return [self.likely if "yellow folder" in text else -self.likely for text in texts]


@pytest.mark.parametrize(
    ("label", "reason"),
    [("protects", "protective"), ("bound", "binding until 2126-11-17"), (None, None)],
)
def test_what_a_vector_tells_delays_forgetting(label: str | None, reason: str | None) -> None:
    """Words alone found four of five warnings, and three of five rules, told in everyday words; the
    others faded."""
    assert protects(WARNING) is None
    embedder = Directed(label) if label else None
    with graphmem.open(None, worker="none", embedder=embedder) as memory:
        (kept,) = memory.remember(WARNING, happened=datetime(2126, 5, 21, tzinfo=UTC))
        memory.remember_many(HARMLESS.format(day) for day in range(30))
        memory.admin.enrich()
        reasons = {each.reason for each in memory.history.worth(kept.id).sentences}
        assert reasons == {reason}
        assert memory.admin.check() == []
