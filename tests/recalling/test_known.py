"""`known_at` returns what was known then, whatever has become of it since."""

from datetime import UTC, datetime

import pytest

import graphmem
from graphmem import Where
from tests.clock import Clock

TOLD = (
    ("Wen lives in Lyon.", "Wen lives in Oslo.", "Wen lives in Bergen.", "Where does Wen live?"),
    ("文住在里昂。", "文住在奥斯陆。", "文住在卑尔根。", "文住在哪里？"),
    ("Wen wohnt in Lyon.", "Wen wohnt in Oslo.", "Wen wohnt in Bergen.", "Wo wohnt Wen?"),
)
CHANGES = (
    "nothing", "correct", "correct twice", "replace", "forget", "reopen", "withdraw",
    "correct, reopen", "forget, reopen", "reopen, close",
)  # fmt: skip


def day(month: int, number: int = 1) -> datetime:
    return datetime(2026, month, number, 12, tzinfo=UTC)


@pytest.mark.parametrize("texts", TOLD)
@pytest.mark.parametrize("change", CHANGES)
def test_what_was_over_is_over_whatever_became_of_its_successor(
    texts: tuple[str, str, str, str], change: str
) -> None:
    """After the successor was corrected, or the replacement undone, the older one was returned as
    if nobody had known that it was over."""
    clock = Clock(day(1))
    first, second, third, cue = texts
    with graphmem.open(None, worker="none", clock=clock) as memory:
        (old,) = memory.remember(first, speaker="Wen", pin=True)
        clock.now = day(3)
        (new,) = memory.replace(old, second, since="2026-02-15")
        clock.now = day(5)
        match change:
            case "correct":
                memory.correct(new, third)
            case "correct twice":
                (wrong,) = memory.correct(new, "Wen lives in Turku.")
                memory.correct(wrong, third)
            case "replace":
                memory.replace(new, third)
            case "forget":
                memory.forget(new)
            case "reopen":
                memory.history.reopen(old)
            case "withdraw":
                memory.history.reopen(old, withdraw=[new])
            case "correct, reopen":
                memory.correct(new, third)
                memory.history.reopen(old)
            case "forget, reopen":
                memory.forget(new)
                memory.history.reopen(old)
            case "reopen, close":
                memory.history.reopen(old)
                clock.now = day(6)
                memory.replace(old, by=new, since="2026-05-20")
        clock.now = day(7)

        def found(as_of: str | None, known_at: str) -> list[str]:
            where = Where(as_of=as_of, known_at=known_at)
            hits = [hit.text for hit in memory.recall(cue, where=where, use=False)]
            assert sorted(hits) == sorted(node.text for node in memory.nodes(where=where))
            return hits

        assert found("2026-02-20", "2026-02-21") == [first]  # nobody knew of the second yet
        assert found("2026-02-20", "2026-04-01") == [second]
        assert found("2026-02-10", "2026-04-01") == [first]
        if change == "reopen":
            assert sorted(found("2026-06-02", "2026-06-02")) == sorted([first, second])
        if change == "reopen, close":
            assert sorted(found("2026-04-01", "2026-05-15")) == sorted([first, second])
        assert memory.admin.check() == []


def test_a_hit_of_then_names_its_scope() -> None:
    """It named none, unlike those of other recalls."""
    with graphmem.open(None, worker="none") as memory:
        (node,) = memory.remember("Wen lives in Lyon.")
        (hit,) = memory.recall("Wen", where=Where(known_at=node.created), use=False)
        assert hit.scope == "default"


@pytest.mark.parametrize("texts", TOLD)
@pytest.mark.parametrize("swept", [False, True])
@pytest.mark.parametrize("of", [None, "2026-02-02"])
def test_what_has_expired_was_known_before(
    texts: tuple[str, str, str, str], swept: bool, of: str | None
) -> None:
    """Between its expiry and the next sweep it was found at no time."""
    clock = Clock(day(1))
    with graphmem.open(None, worker="none", clock=clock) as memory:
        memory.remember(texts[0], expires="2026-03-31")
        clock.now = day(5)
        if swept:
            memory.sweep()
        for known_at, found in ("2026-03-15", [texts[0]]), ("2026-04-15", []):
            where = Where(as_of=of, known_at=known_at)
            assert [hit.text for hit in memory.recall(texts[3], where=where, use=False)] == found
            assert [node.text for node in memory.nodes(where=where)] == found
        assert not memory.recall(texts[3], where=Where(as_of="2026-03-15"), use=False)
        assert not len(memory)


@pytest.mark.parametrize("texts", TOLD)
def test_what_was_revived_was_not_known_while_it_was_forgotten(
    texts: tuple[str, str, str, str],
) -> None:
    clock = Clock(day(1))
    with graphmem.open(None, worker="none", clock=clock) as memory:
        (node,) = memory.remember(texts[0])
        for month in (3, 7):
            clock.now = day(month)
            memory.forget(node)
            clock.now = day(month + 2)
            memory.history.revive(node)
        clock.now = day(11)
        memory.replace(node, texts[1])
        for month in range(2, 12):
            where = Where(known_at=day(month, 15))
            hits = [hit.text for hit in memory.recall(texts[3], where=where, use=False)]
            then = [texts[month > 10]] if month not in (3, 4, 7, 8) else []
            assert hits == then, month
        assert memory.admin.check() == []
