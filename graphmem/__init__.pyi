"""Made by `python .ci/package_stub.py > graphmem/__init__.pyi`."""

from graphmem import errors as errors
from graphmem.errors import *
from graphmem.api.attached import Attached as Attached
from graphmem.api.events import Event as Event
from graphmem.api.following import Follower as Follower
from graphmem.api.homes import Home as Home
from graphmem.api.memory import Memory as Memory
from graphmem.api.opening import open as open
from graphmem.api.themes import Themes as Themes
from graphmem.api.verbs import Verbs as Verbs
from graphmem.api.working_set import WorkingSet as WorkingSet
from graphmem.api.failover import Reached as Reached
from graphmem.api.failover import reach as reach
from graphmem.api.access import attach as attach
from graphmem.hexastore.facts import Facts as Facts
from graphmem.hexastore.terms import BlankNode as BlankNode
from graphmem.hexastore.terms import IRI as IRI
from graphmem.hexastore.terms import Literal as Literal
from graphmem.hexastore.terms import Triple as Triple
from graphmem.hexastore.terms import Variable as Variable
from graphmem.interfaces.watcher import watch as watch
from graphmem.maintenance.convert import convert as convert
from graphmem.maintenance.repair import repair as repair
from graphmem.services.embedder import Embedder as Embedder
from graphmem.settings import Ranking as Ranking
from graphmem.settings import Settings as Settings
from graphmem.settings import ThemeRules as ThemeRules
from graphmem.settings import TierBudgets as TierBudgets
from graphmem.settings import Tuning as Tuning
from graphmem.sharing.compression import Entry as Entry
from graphmem.sharing.compression import Fidelity as Fidelity
from graphmem.sharing.compression import compress as compress
from graphmem.sharing.items import Items as Items
from graphmem.sharing.pool import Pool as Pool
from graphmem.sharing.pool import Watch as Watch
from graphmem.sharing.saved_set import Fact as Fact
from graphmem.sharing.saved_set import Turn as Turn
from graphmem.storage.backup import restore as restore
from graphmem.values.about import About as About
from graphmem.values.context import Context as Context
from graphmem.values.context import Part as Part
from graphmem.values.context import Tier as Tier
from graphmem.values.hits import Hit as Hit
from graphmem.values.homes import HomeMemory as HomeMemory
from graphmem.values.homes import Owner as Owner
from graphmem.values.items import Change as Change
from graphmem.values.items import Changes as Changes
from graphmem.values.items import Item as Item
from graphmem.values.lifecycle import Candidate as Candidate
from graphmem.values.lifecycle import Cleaning as Cleaning
from graphmem.values.lifecycle import Health as Health
from graphmem.values.lifecycle import Measure as Measure
from graphmem.values.lifecycle import Retention as Retention
from graphmem.values.lifecycle import Status as Status
from graphmem.values.links import Dangling as Dangling
from graphmem.values.links import Link as Link
from graphmem.values.links import Links as Links
from graphmem.values.nodes import Forgotten as Forgotten
from graphmem.values.nodes import Form as Form
from graphmem.values.nodes import Node as Node
from graphmem.values.nodes import Tombstone as Tombstone
from graphmem.values.nodes import Version as Version
from graphmem.values.recall import Recall as Recall
from graphmem.values.remembered import Remembered as Remembered
from graphmem.values.remembered import Replaceable as Replaceable
from graphmem.values.rendering import Tokens as Tokens
from graphmem.values.reports import FileReport as FileReport
from graphmem.values.reports import RepairReport as RepairReport
from graphmem.values.reports import SweepReport as SweepReport
from graphmem.values.reports import SyncReport as SyncReport
from graphmem.values.themes import Episode as Episode
from graphmem.values.themes import Theme as Theme
from graphmem.values.trace import Trace as Trace
from graphmem.values.where import Where as Where
from graphmem.values.worth import Cut as Cut
from graphmem.values.worth import Life as Life
from graphmem.values.worth import SentenceWorth as SentenceWorth
from graphmem.values.worth import Step as Step
from graphmem.values.worth import Worth as Worth

__version__: str
__all__ = ['About', 'Attached', 'BlankNode', 'Candidate', 'Change', 'Changes', 'Cleaning', 'Context', 'Cut',
 'Dangling', 'Embedder', 'Entry', 'Episode', 'Event', 'Fact', 'Facts', 'Fidelity', 'FileReport',
 'Follower', 'Forgotten', 'Form', 'GraphMemError', 'Health', 'Hit', 'Home', 'HomeMemory', 'IRI',
 'Item', 'Items', 'Life', 'Link', 'Links', 'Literal', 'Measure', 'Memory', 'Node', 'Owner', 'Part',
 'Pool', 'Ranking', 'Reached', 'Recall', 'Remembered', 'RepairReport', 'Replaceable', 'Retention',
 'SentenceWorth', 'Settings', 'Status', 'Step', 'SweepReport', 'SyncReport', 'Theme', 'ThemeRules',
 'Themes', 'Tier', 'TierBudgets', 'Tokens', 'Tombstone', 'Trace', 'Triple', 'Tuning', 'Turn',
 'Variable', 'Verbs', 'Version', 'Watch', 'Where', 'WorkingSet', 'Worth', 'attach', 'compress',
 'convert', 'errors', 'open', 'reach', 'repair', 'restore', 'watch']
