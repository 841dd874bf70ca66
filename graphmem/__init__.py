"""graphmem: an embedded graph database for agents' memory.

What is used stays strong; where room is needed, what is worth least is shortened to its gist, then
to "I once knew". The whole lives in one folder, offline.

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

if TYPE_CHECKING:
    from graphmem.api.access import attach
    from graphmem.api.attached import Attached
    from graphmem.api.events import Event
    from graphmem.api.failover import Reached, reach
    from graphmem.api.following import Follower
    from graphmem.api.homes import Home
    from graphmem.api.memory import Memory
    from graphmem.api.opening import open
    from graphmem.api.verbs import Verbs
    from graphmem.errors import *  # noqa: F403
    from graphmem.hexastore.facts import Facts
    from graphmem.hexastore.terms import IRI, BlankNode, Literal, Triple, Variable
    from graphmem.interfaces.watcher import watch
    from graphmem.maintenance.convert import convert
    from graphmem.maintenance.repair import repair
    from graphmem.services.embedder import Embedder
    from graphmem.settings import Ranking, Settings, ThemeRules, TierBudgets, Tuning
    from graphmem.sharing.compression import Entry, Fidelity, compress
    from graphmem.sharing.items import Items
    from graphmem.sharing.pool import Pool
    from graphmem.sharing.saved_set import Fact, Turn
    from graphmem.sharing.watch import Watch
    from graphmem.sharing.working_set import WorkingSet
    from graphmem.storage.backup import restore
    from graphmem.themes.catalog import Themes
    from graphmem.values.about import About
    from graphmem.values.context import Context, Part, Tier
    from graphmem.values.hits import Hit
    from graphmem.values.homes import HomeMemory, Owner
    from graphmem.values.items import Change, Changes, Item
    from graphmem.values.lifecycle import Candidate, Cleaning, Health, Measure, Retention, Status
    from graphmem.values.links import Dangling, Link, Links
    from graphmem.values.nodes import Forgotten, Form, Node, Tombstone, Version
    from graphmem.values.recall import Recall
    from graphmem.values.remembered import Remembered, Replaceable
    from graphmem.values.rendering import Tokens
    from graphmem.values.reports import FileReport, RepairReport, SweepReport, SyncReport
    from graphmem.values.themes import Episode, Theme
    from graphmem.values.trace import Trace
    from graphmem.values.where import Where
    from graphmem.values.worth import Cut, Life, SentenceWorth, Step, Worth

__version__ = "0.1.0"


# Silent unless the user's program says where the log goes.
logging.getLogger("graphmem").addHandler(logging.NullHandler())
_NAMES: Final = {
    "api.attached": "Attached",
    "api.events": "Event",
    "api.following": "Follower",
    "api.homes": "Home",
    "api.memory": "Memory",
    "api.opening": "open",
    "api.verbs": "Verbs",
    "api.failover": "Reached reach",
    "api.access": "attach",
    "hexastore.facts": "Facts",
    "hexastore.terms": "BlankNode IRI Literal Triple Variable",
    "interfaces.watcher": "watch",
    "maintenance.convert": "convert",
    "maintenance.repair": "repair",
    "services.embedder": "Embedder",
    "settings": "Ranking Settings ThemeRules TierBudgets Tuning",
    "sharing.compression": "Entry Fidelity compress",
    "sharing.items": "Items",
    "sharing.pool": "Pool",
    "sharing.saved_set": "Fact Turn",
    "sharing.watch": "Watch",
    "sharing.working_set": "WorkingSet",
    "storage.backup": "restore",
    "themes.catalog": "Themes",
    "values.about": "About",
    "values.context": "Context Part Tier",
    "values.hits": "Hit",
    "values.homes": "HomeMemory Owner",
    "values.items": "Change Changes Item",
    "values.lifecycle": "Candidate Cleaning Health Measure Retention Status",
    "values.links": "Dangling Link Links",
    "values.nodes": "Forgotten Form Node Tombstone Version",
    "values.recall": "Recall",
    "values.remembered": "Remembered Replaceable",
    "values.rendering": "Tokens",
    "values.reports": "FileReport RepairReport SweepReport SyncReport",
    "values.themes": "Episode Theme",
    "values.trace": "Trace",
    "values.where": "Where",
    "values.worth": "Cut Life SentenceWorth Step Worth",
}
"""The names of each module. One is imported when a name of it is first used: most programs need few
of them, and numpy and LevelDB take longer to load than a command may."""
_HOME: Final = {name: module for module, names in _NAMES.items() for name in names.split()}


def _load(name: str) -> Any:
    if (home := _HOME.get(name)) is None:
        if name.endswith("Error") and hasattr(errors, name):
            return getattr(errors, name)
        raise AttributeError(f"module 'graphmem' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"graphmem.{home}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


if not TYPE_CHECKING:  # a type checker would take any name that it does not know for one of these
    __getattr__ = _load


__all__ = [
    "IRI",
    "About",
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
    "Follower",
    "Forgotten",
    "Form",
    "GraphMemError",
    "Health",
    "Hit",
    "Home",
    "HomeMemory",
    "Item",
    "Items",
    "Life",
    "Link",
    "Links",
    "Literal",
    "Measure",
    "Memory",
    "Node",
    "Owner",
    "Part",
    "Pool",
    "Ranking",
    "Reached",
    "Recall",
    "Remembered",
    "RepairReport",
    "Replaceable",
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
    "Tokens",
    "Tombstone",
    "Trace",
    "Triple",
    "Tuning",
    "Turn",
    "Variable",
    "Verbs",
    "Version",
    "Watch",
    "Where",
    "WorkingSet",
    "Worth",
    "attach",
    "compress",
    "convert",
    "errors",
    "open",
    "reach",
    "repair",
    "restore",
    "watch",
]
