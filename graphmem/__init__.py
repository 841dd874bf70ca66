"""graphmem: an embedded graph database for agents' memory.

Memories that are used stay strong; to make room, those worth least are shortened to a gist, then
to "I once knew". Everything is in one folder, offline.

    import graphmem
    with graphmem.open("agent-memory") as memory:
        memory.remember("Wen moved the release from May 3 to May 10.", speaker="Wen")
        print(memory.recall("When is the release?", tokens=200).text)

Start with `help(graphmem.Memory)`; `graphmem.Settings.table()` lists every knob.
"""

import logging
from importlib import import_module
from typing import Any, Final

from graphmem import errors

__version__ = "0.1.0"


# Silent unless the user's program configures logging.
logging.getLogger("graphmem").addHandler(logging.NullHandler())
_NAMES: Final = {
    "api.attached": "Attached",
    "api.events": "Event",
    "api.following": "Follower",
    "api.homes": "Home",
    "api.memory": "Memory",
    "api.opening": "open",
    "api.themes": "Themes",
    "api.verbs": "Verbs",
    "api.working_set": "WorkingSet",
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
    "sharing.pool": "Pool Watch",
    "sharing.saved_set": "Fact Turn",
    "storage.backup": "restore",
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
"""The names of each module, which is imported when one of them is first used: most programs need
few, and numpy and LevelDB take longer to load than a command may. For type checkers
`python .ci/package_stub.py > graphmem/__init__.pyi` writes them as imports."""
_HOME: Final = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if (home := _HOME.get(name)) is None:
        if name.endswith("Error") and hasattr(errors, name):
            return getattr(errors, name)
        raise AttributeError(f"module 'graphmem' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"graphmem.{home}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


__all__ = sorted([*_HOME, "GraphMemError", "errors"])  # noqa: PLE0605  it is a list
