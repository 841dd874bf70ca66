"""Three processes behind a router; one is killed, and its agents go on in the others.

`python router.py FOLDER`: the home and the caches are made in FOLDER.
"""

import contextlib
import subprocess
import sys
import zlib
from collections.abc import Iterable

WORKER = """
import sys, graphmem
home, memories = graphmem.Home(sys.argv[1], cache=sys.argv[2]), {}
for line in sys.stdin:
    agent, text = line.rstrip("\\n").split("\\t")
    if agent not in memories:  # the router asks nobody else as long as this one lives
        memories[agent] = home.open(agent, force=True, worker="none")
    if text.endswith("?"):
        print(memories[agent].recall(text, limit=1).text, flush=True)
    else:
        memories[agent].remember(text)
        print("remembered", flush=True)
"""


def start(url: str, cache: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, url, cache],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


class Router:
    def __init__(self, url: str, caches: Iterable[str]) -> None:
        self.workers = {cache: start(url, cache) for cache in caches}

    def ask(self, agent: str, text: str) -> str:
        """A write whose worker dies may have been done, and is asked again here."""
        while True:
            cache = max(self.workers, key=lambda name: zlib.crc32(f"{agent} {name}".encode()))
            worker = self.workers[cache]
            assert worker.stdin is not None
            assert worker.stdout is not None
            try:
                print(agent, text, sep="\t", file=worker.stdin, flush=True)
                if answer := worker.stdout.readline():
                    return answer.rstrip()
            except BrokenPipeError:
                pass
            del self.workers[cache]  # its agents go to the others, theirs stay


def main(folder: str) -> None:
    router = Router(f"file://{folder}/home", [f"{folder}/{n}" for n in range(3)])
    started = list(router.workers.values())
    for n in range(6):
        router.ask(f"agent-{n}", f"The tender {n} is due on Friday.")
    started[0].kill()
    for n in range(6):
        print(router.ask(f"agent-{n}", "When is the tender due?"))
    for worker in started[1:]:
        worker.communicate()
    with contextlib.suppress(BrokenPipeError), started[0]:
        pass  # closes its pipes


if __name__ == "__main__":
    main(sys.argv[1])
