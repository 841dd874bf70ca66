"""What every bench prints and writes: rows, the machine, the versions."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

_PACKAGES: Final = ("graphmem", "plyvel", "numpy", "msgpack", "lru-dict", "rdflib")


@dataclass(frozen=True, slots=True)
class Row:
    """One measured number."""

    bench: str
    dataset: str
    method: str
    metric: str
    value: float
    unit: str


def machine() -> dict[str, str | int]:
    """The machine and the versions that a number was measured with."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: _version(name) for name in _PACKAGES},
    }


def show(rows: Sequence[Row]) -> None:
    """Print the machine, then the rows as a table."""
    print(" · ".join(f"{name} {value}" for name, value in machine().items()), end="\n\n")
    cells = [("bench", "dataset", "method", "metric", "value", "unit")]
    cells += [(r.bench, r.dataset, r.method, r.metric, f"{r.value:,.5g}", r.unit) for r in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        parts = [
            text.rjust(width) if place == 4 else text.ljust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(parts).rstrip())


def save(path: str, rows: Sequence[Row]) -> None:
    """Write the rows and the machine as JSON."""
    content = {"rows": [asdict(row) for row in rows], "machine": machine()}
    Path(path).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
