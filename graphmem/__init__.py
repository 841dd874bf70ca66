"""graphmem: an embedded graph database for agents' memory.

What is used stays strong, what is not fades to its gist, then to "I once knew"; and the whole lives
in one bounded folder, offline.

    import graphmem
    with graphmem.open("agent-memory") as memory:
        memory.remember("Wen moved the release from May 3 to May 10.", speaker="Wen")
        print(memory.recall("When is the release?", tokens=200).text)

Start with `help(graphmem.Memory)`; `graphmem.Settings.table()` lists every knob.
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from graphmem import errors
from graphmem.errors import GraphMemError
from graphmem.storage.registry import MIGRATIONS

if TYPE_CHECKING:
    from graphmem.api.attached import Attached
    from graphmem.api.events import Event
    from graphmem.api.memory import Memory
    from graphmem.api.opening import open
    from graphmem.api.reached import Reached, reach
    from graphmem.api.reaching import attach
    from graphmem.hexastore.facts import Facts
    from graphmem.hexastore.terms import IRI, BlankNode, Literal, Triple, Variable
    from graphmem.interfaces.watcher import watch
    from graphmem.lifecycle.overview import Lifecycle
    from graphmem.maintenance.repair import repair
    from graphmem.recalling.reranking import rerank
    from graphmem.services.embedder import Embedder
    from graphmem.settings import Ranking, Settings, ThemeRules, TierBudgets
    from graphmem.sharing.compression import Entry, Fidelity, compress
    from graphmem.sharing.items import Items
    from graphmem.sharing.pool import Pool
    from graphmem.sharing.saved_set import Fact, Turn
    from graphmem.sharing.watch import Watch
    from graphmem.sharing.working_set import WorkingSet
    from graphmem.storage.backup import restore
    from graphmem.themes.catalog import Themes
    from graphmem.values.context import Context, Part, Tier
    from graphmem.values.hits import Hit
    from graphmem.values.items import Change, Changes, Item
    from graphmem.values.lifecycle import Candidate, Cleaning, Health, Measure, Retention, Status
    from graphmem.values.links import Dangling, Link, Links
    from graphmem.values.nodes import Forgotten, Form, Node, Tombstone, Version
    from graphmem.values.recall import Recall
    from graphmem.values.remembered import Remembered
    from graphmem.values.reports import FileReport, RepairReport, SweepReport, SyncReport
    from graphmem.values.themes import Episode, Theme
    from graphmem.values.trace import Trace
    from graphmem.values.worth import Cut, Life, SentenceWorth, Step, Worth

__version__ = "0.1.0"


def _to_format_2(old: Any, new: Any) -> None:
    from graphmem.graph import format_1
    from graphmem.maintenance import check

    format_1.migrate(old, new, check.faults)


# Whatever opens a store has imported this package first.
MIGRATIONS[1] = _to_format_2
# Silent unless the user's program says where the log goes.
logging.getLogger("graphmem").addHandler(logging.NullHandler())
_HOME: Final = {
    "Attached": "graphmem.api.attached",
    "BlankNode": "graphmem.hexastore.terms",
    "Candidate": "graphmem.values.lifecycle",
    "Change": "graphmem.values.items",
    "Changes": "graphmem.values.items",
    "Cleaning": "graphmem.values.lifecycle",
    "Context": "graphmem.values.context",
    "Cut": "graphmem.values.worth",
    "Dangling": "graphmem.values.links",
    "Embedder": "graphmem.services.embedder",
    "Entry": "graphmem.sharing.compression",
    "Event": "graphmem.api.events",
    "Episode": "graphmem.values.themes",
    "Fact": "graphmem.sharing.saved_set",
    "Facts": "graphmem.hexastore.facts",
    "Fidelity": "graphmem.sharing.compression",
    "FileReport": "graphmem.values.reports",
    "Forgotten": "graphmem.values.nodes",
    "Form": "graphmem.values.nodes",
    "Health": "graphmem.values.lifecycle",
    "Hit": "graphmem.values.hits",
    "IRI": "graphmem.hexastore.terms",
    "Item": "graphmem.values.items",
    "Items": "graphmem.sharing.items",
    "Life": "graphmem.values.worth",
    "Lifecycle": "graphmem.lifecycle.overview",
    "Link": "graphmem.values.links",
    "Links": "graphmem.values.links",
    "Literal": "graphmem.hexastore.terms",
    "Measure": "graphmem.values.lifecycle",
    "Memory": "graphmem.api.memory",
    "Node": "graphmem.values.nodes",
    "Part": "graphmem.values.context",
    "Pool": "graphmem.sharing.pool",
    "Ranking": "graphmem.settings",
    "Reached": "graphmem.api.reached",
    "Recall": "graphmem.values.recall",
    "Remembered": "graphmem.values.remembered",
    "RepairReport": "graphmem.values.reports",
    "Retention": "graphmem.values.lifecycle",
    "SentenceWorth": "graphmem.values.worth",
    "Settings": "graphmem.settings",
    "ThemeRules": "graphmem.settings",
    "TierBudgets": "graphmem.settings",
    "Status": "graphmem.values.lifecycle",
    "Step": "graphmem.values.worth",
    "SweepReport": "graphmem.values.reports",
    "SyncReport": "graphmem.values.reports",
    "Theme": "graphmem.values.themes",
    "Themes": "graphmem.themes.catalog",
    "Tier": "graphmem.values.context",
    "Tombstone": "graphmem.values.nodes",
    "Trace": "graphmem.values.trace",
    "Triple": "graphmem.hexastore.terms",
    "Turn": "graphmem.sharing.saved_set",
    "Variable": "graphmem.hexastore.terms",
    "Version": "graphmem.values.nodes",
    "Watch": "graphmem.sharing.watch",
    "WorkingSet": "graphmem.sharing.working_set",
    "Worth": "graphmem.values.worth",
    "attach": "graphmem.api.reaching",
    "compress": "graphmem.sharing.compression",
    "open": "graphmem.api.opening",
    "reach": "graphmem.api.reached",
    "repair": "graphmem.maintenance.repair",
    "rerank": "graphmem.recalling.reranking",
    "restore": "graphmem.storage.backup",
    "watch": "graphmem.interfaces.watcher",
}
"""Where each name is. It is imported when it is first used: most programs need few of them, and
numpy and LevelDB take longer to load than a command may."""


def __getattr__(name: str) -> Any:
    if (home := _HOME.get(name)) is None:
        raise AttributeError(f"module 'graphmem' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(home), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


__all__ = [
    "IRI",
    "Attached",
    "BlankNode",
    "Candidate",
    "Change",
    "Changes",
    "Cleaning",
    "Context",
    "Cut",
    "Dangling",
    "Embedder",
    "Entry",
    "Episode",
    "Event",
    "Fact",
    "Facts",
    "Fidelity",
    "FileReport",
    "Forgotten",
    "Form",
    "GraphMemError",
    "Health",
    "Hit",
    "Item",
    "Items",
    "Life",
    "Lifecycle",
    "Link",
    "Links",
    "Literal",
    "Measure",
    "Memory",
    "Node",
    "Part",
    "Pool",
    "Ranking",
    "Reached",
    "Recall",
    "Remembered",
    "RepairReport",
    "Retention",
    "SentenceWorth",
    "Settings",
    "Status",
    "Step",
    "SweepReport",
    "SyncReport",
    "Theme",
    "ThemeRules",
    "Themes",
    "Tier",
    "TierBudgets",
    "Tombstone",
    "Trace",
    "Triple",
    "Turn",
    "Variable",
    "Version",
    "Watch",
    "WorkingSet",
    "Worth",
    "attach",
    "compress",
    "errors",
    "open",
    "reach",
    "repair",
    "rerank",
    "restore",
    "watch",
]
