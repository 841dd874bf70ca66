"""graphmem for programs that await: the same verbs, each memory with a thread of its own.

    async with graphmem.aio.open("agent-memory") as memory:
        await memory.remember("Wen moved the release from May 3 to May 10.", speaker="Wen")
        print(await memory.recall("When is the release?", tokens=200))

`open`, `reach` and `attach` take what they take in `graphmem`. The types are in `aio.pyi`, which
`python .ci/async_stub.py > graphmem/aio.pyi` makes from the declarations.
"""

from typing import Final

from graphmem.api import access, failover, opening
from graphmem.api.awaited import Awaited as Memory
from graphmem.api.awaited import awaited

open: Final = awaited(opening.open)
reach: Final = awaited(failover.reach)
attach: Final = awaited(access.attach)

__all__ = ["Memory", "attach", "open", "reach"]
