"""The archive: earlier forms and forgotten nodes, never more than `archive_bytes` of them."""

from random import Random

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import CorruptError, UnknownNodeError
from graphmem.forgetting.archive import Archived
from graphmem.graph.links import StoredLink
from graphmem.graph.records import NodeRecord, TextRecord

pytestmark = pytest.mark.usefixtures("by_passes")

STORY = "Wen paid {} euros to Karlsson in May. It was nice. The weather was rather good that day."


@pytest.mark.parametrize("limit", [1, 200, 1000, 5000])
def test_the_archive_stays_within_its_bytes_oldest_out(limit: int) -> None:
    """An archive that grows with each pass would be the leak that forgetting was to prevent."""
    with graphmem.open(worker="none", tuning=graphmem.Tuning(archive_bytes=limit)) as memory:
        told = memory.remember_many(STORY.format(k) for k in range(30))
        ids = [nodes[0].id for nodes in told]
        known: list[int] = []
        for node in ids:
            memory.forget(node)
            assert memory.admin.stats()["archive_bytes"] <= limit
            known = [f.id for f in memory.history.forgotten() if f.revivable]
            assert known == sorted(known, reverse=True)
            if known:
                assert known[0] == node  # newest kept, oldest out
        assert len(known) == memory.admin.stats()["archived"] < 30
        assert memory.admin.check() == []
        for node in ids:
            if node in known:
                assert memory.history.of(node)[-1].node.text == STORY.format(node - 1)
            else:
                with pytest.raises(UnknownNodeError):
                    memory.history.of(node)


def test_an_archive_of_no_bytes_keeps_nothing() -> None:
    """Who asks for no archive wants what is forgotten gone."""
    with graphmem.open(worker="none", tuning=graphmem.Tuning(archive_bytes=0)) as memory:
        for k in range(12):
            memory.remember(STORY.format(k))
        memory.admin.shrink(0)
        stats = memory.admin.stats()
        assert (stats["archive_bytes"], stats["archived"]) == (0, 0)
        assert memory.admin.check() == []


def test_a_smaller_archive_takes_hold_at_the_next_entry() -> None:
    """A limit lowered between two runs must be kept, not remembered from the day it was made."""
    with graphmem.open(worker="none") as memory:
        for k in range(30):
            memory.forget(memory.remember(STORY.format(k))[0])
        rooms(memory).removal.archive_bytes = 1000
        memory.forget(memory.remember("The last one.")[0])
        assert memory.admin.stats()["archive_bytes"] <= 1000
        assert memory.history.forgotten()[0].phrase == "The last one"
        assert memory.admin.check() == []


def test_the_archive_counts_itself_exactly_through_a_life() -> None:
    """A counter that drifts makes the limit mean something else each month."""
    random = Random(5)
    with graphmem.open(worker="none", tuning=graphmem.Tuning(archive_bytes=4000)) as memory:
        for k in range(60):
            memory.remember(STORY.format(k))
            if random.random() < 0.3:
                memory.sweep()
            if random.random() < 0.2:
                alive = [node.id for node in memory]
                memory.forget(random.choice(alive))
            if random.random() < 0.2 and (
                gone := [f for f in memory.history.forgotten() if f.revivable]
            ):
                memory.history.revive(random.choice(gone).id)
            if random.random() < 0.1:
                memory.forget(random.choice([node.id for node in memory]), erase=True)
        assert memory.admin.stats()["archive_bytes"] <= 4000
        assert memory.admin.check() == []


def test_a_damaged_form_is_named_as_such() -> None:
    """zlib's own error says nothing of where it was met."""
    with pytest.raises(CorruptError, match="an archived form cannot be read"):
        Archived.unpack(b"rubbish")


LINKS = (StoredLink(7, 64, 3, 50, 1), StoredLink(4, 1, 7, 9, 2))
FACTS = (("<node:7>", "<urn:knows>", "<node:3>"), ("<node:7>", "<urn:says>", '"tea"'))


@pytest.mark.parametrize("links", [(), LINKS])
@pytest.mark.parametrize("facts", [(), FACTS])
def test_a_form_comes_back_with_its_links_and_facts(
    links: tuple[StoredLink, ...], facts: tuple[tuple[str, str, str], ...]
) -> None:
    """A memory revived without them is alone; with those of an erased one, that is told again."""
    form = Archived(
        7, "asked", 5, 6, TextRecord(("Wen went.",), (3.0,), "Wen", ()), NodeRecord(born=2),
        0.5, (1.5,), links, facts,
    )  # fmt: skip
    assert Archived.unpack(form.pack()) == form
    left = form.without([3])
    assert (left.links, left.facts) == (links[1:], facts[1:])
    assert form.without([4]).links == links[:1]
    assert form.without([5]) == form
