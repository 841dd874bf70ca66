"""A warning in words that no table has must outlive a budget once its vector tells what it is."""

from collections.abc import Sequence

import numpy as np
import pytest

import graphmem
from graphmem_worker.language.heads import head
from graphmem_worker.text.protects import protects

WARNING = "The yellow folder lies under the printer, and Theo knows it."
HARMLESS = "Wen walked to the mill on day {} and drew the wheel. The weather was rather good."


class Directed:
    """Gives the warning the direction of what protects, everything else the opposite one."""

    name = head("protective").model
    dimensions = 384

    def embed(self, texts: Sequence[str], kind: str) -> list[np.ndarray]:
        """See `graphmem.Embedder`."""
        likely = head("protective").vector[head("protective").labels.index("protects")]
        return [likely if "yellow folder" in text else -likely for text in texts]


@pytest.mark.parametrize("has_vectors", [True, False])
def test_what_a_vector_tells_delays_forgetting(has_vectors: bool) -> None:
    """Words alone found four of five warnings told in everyday words; the fifth faded."""
    assert protects(WARNING) is None
    embedder = Directed() if has_vectors else None
    with graphmem.open(None, worker="none", embedder=embedder) as memory:
        (kept,) = memory.remember(WARNING)
        memory.remember_many(HARMLESS.format(day) for day in range(30))
        memory.admin.enrich()
        reasons = {each.reason for each in memory.history.worth(kept.id).sentences}
        assert ("protective" in reasons) is has_vectors
        assert memory.admin.check() == []
