"""What upkeep does about the word index and the budget of a scope."""

import graphmem
from graphmem.api.opening import rooms


def test_what_was_forgotten_before_it_was_folded_takes_no_memory() -> None:
    """An agent that notes and erases all day filled its memory with the words of what is gone."""
    with graphmem.open(worker="none") as memory:
        index = rooms(memory).words
        for number in range(600):
            (node,) = memory.remember(f"Wen paid {number} euros to Karlsson.")
            memory.forget(node, erase=True)
            rooms(memory).budget.fold_when_due()
        assert index.pending == 0
        assert index.dead < 600


def test_what_is_used_is_the_greater_share_of_two_budgets() -> None:
    with graphmem.open(worker="none", max_nodes=10, max_bytes=1 << 20) as memory:
        memory.remember_many([f"Wen paid {number} euros." for number in range(6)])
        assert memory.admin.stats()["budget"]["used"] == 0.6
    with graphmem.open(worker="none", max_nodes=10_000, max_bytes=1 << 16) as memory:
        memory.remember_many([f"Wen paid {number} euros." for number in range(6)])
        assert memory.admin.stats()["budget"]["used"] > 0.01


def test_upkeep_folds_what_has_become_enough() -> None:
    with graphmem.open(worker="none", tuning=graphmem.Tuning(fold_documents=20)) as memory:
        memory.remember_many([f"Wen paid {number} euros." for number in range(19)])
        opened = rooms(memory)
        opened.jobs.work()
        assert opened.words.pending == 19
        memory.remember("Ada paid the rest.")
        opened.jobs.work()
        assert opened.words.pending < 20
