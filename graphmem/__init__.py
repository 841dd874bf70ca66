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

from graphmem.attached import Attached, attach
from graphmem.embedder import Embedder
from graphmem.errors import GraphMemError
from graphmem.forgetting.life import Life, Step
from graphmem.forgetting.sweep import SweepReport
from graphmem.forgetting.undo import Forgotten, Version
from graphmem.graph.records import Form, Node
from graphmem.graph.view import Dangling, Link, Links, Tombstone
from graphmem.graph.worth import Cut, SentenceWorth, Worth
from graphmem.hexastore.facts import Facts, Triple
from graphmem.hexastore.joins import Variable
from graphmem.hexastore.terms import IRI, BlankNode, Literal
from graphmem.memory import Memory, open
from graphmem.recalling.recall import Hit, Recall
from graphmem.reconstruction import RepairReport, repair
from graphmem.settings import Settings
from graphmem.storage.backup import restore

__version__ = "0.1.0"
# Silent unless the user's program says where the log goes.
logging.getLogger("graphmem").addHandler(logging.NullHandler())
__all__ = [
    "IRI",
    "Attached",
    "BlankNode",
    "Cut",
    "Dangling",
    "Embedder",
    "Facts",
    "Forgotten",
    "Form",
    "GraphMemError",
    "Hit",
    "Life",
    "Link",
    "Links",
    "Literal",
    "Memory",
    "Node",
    "Recall",
    "RepairReport",
    "SentenceWorth",
    "Settings",
    "Step",
    "SweepReport",
    "Tombstone",
    "Triple",
    "Variable",
    "Version",
    "Worth",
    "attach",
    "open",
    "repair",
    "restore",
]
