"""LevelGraph 4 on level@8 in a Node process, which times itself: see levelgraph/driver.js."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

from bench.peers.peer import DAMPING, DECAY, AbsentError, Item, Timed, Walk, folder_bytes, uuid_of

_DRIVER: Final = Path(__file__).parent / "levelgraph" / "driver.js"


class LevelGraph:
    """A folder, written by Node.

    layout: "seed" keeps a link's strength in a triple of its own, as the seed document does;
    "properties" keeps it as a property of the link's triple, as LevelGraph's documentation shows.
    """

    operations = frozenset(
        {"write", "read", "neighbours", "two_hop", "unscored", "decay", "delete", "link", "bare"}
    )

    def __init__(self, path: Path, layout: Literal["seed", "properties"]) -> None:
        node = shutil.which("node")
        if node is None:
            raise AbsentError("LevelGraph needs Node 18 or 20 on the PATH")
        if not (_DRIVER.parent / "node_modules" / "levelgraph").is_dir():
            raise AbsentError("LevelGraph is not installed: make setup-bench")
        self._path = path
        self._ids: dict[str, int] = {}
        self._process = subprocess.Popen(
            [node, str(_DRIVER), str(path), layout, str(DAMPING), str(DECAY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        versions = self._ask("open")
        self.name = f"levelgraph {versions['levelgraph']}"
        if layout == "properties":
            self.name += " with properties"
            self.operations = self.operations - {"bare"}

    def _ask(self, operation: str, arguments: Sequence[Any] = (), seconds: float = 0.0) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        command = {"operation": operation, "arguments": arguments, "seconds": seconds}
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            status = self._process.wait()
            raise RuntimeError(f"LevelGraph's driver ended with {status} during {operation!r}")
        return json.loads(answer)

    def run(self, operation: str, arguments: Sequence[Any], seconds: float) -> Timed:
        """See `Peer.run`. Neither the pipe nor JSON is in the times."""
        found = self._ask(operation, [self._outward(a) for a in arguments], seconds)
        return found["times"], [self._inward(operation, answer) for answer in found["answers"]]

    def _uuid(self, node: int) -> str:
        name = uuid_of(node)
        self._ids[name] = node
        return name

    def _outward(self, argument: Any) -> Any:
        match argument:
            case int():
                return self._uuid(argument)
            case Item():
                return {
                    "id": self._uuid(argument.id),
                    "content": argument.content,
                    "phrase": argument.phrase,
                    "keywords": argument.keywords,
                    "created": argument.created,
                    "links": self._outward(list(argument.links)),
                }
            case Walk():
                focus = [self._uuid(node) for node in argument.focus]
                return {"focus": focus, "strongest": argument.strongest}
            case list():  # of links, or of triples whose predicate is a small number
                return [
                    (self._uuid(a), self._uuid(b), c)
                    if isinstance(c, float)
                    else (self._uuid(a), str(b), self._uuid(c))
                    for a, b, c in argument
                ]
        return argument

    def _inward(self, operation: str, answer: Any) -> Any:
        match operation:
            case "read":
                content, phrase, keywords = answer
                return content, phrase, sorted(keywords)
            case "neighbours" | "two_hop":
                return {self._ids[name]: value for name, value in answer.items()}
            case "unscored":
                return {self._ids[name] for name in answer}
        return answer

    def settle(self) -> int:
        """See `Peer.settle`."""
        self._ask("settle")
        size = folder_bytes(self._path)
        self._ask("open")
        return size

    def close(self) -> None:
        """See `Peer.close`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
