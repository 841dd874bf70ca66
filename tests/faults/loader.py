"""What is loaded into the folder of an agent that is away, and what is there of it after a kill.

    python -m tests.faults.loader FOLDER FILES SEED

loads until it is killed, and prints which load it begins and which is done.
"""

import json
import sys
from itertools import count
from pathlib import Path
from random import Random

from graphmem.exchange import transfer
from graphmem.hexastore import keys, scopes
from graphmem.hexastore.facts import Facts
from graphmem.maintenance import check
from graphmem.rdf import bulk
from graphmem.storage.store import Store

_LINES = 600
_BATCH = 64  # triples in a commit: so few that most kills find a load between two


def triples(label: str) -> tuple[str, set[str]]:
    """The graph that the load of that name is for, and its lines; few terms, so that loads overlap
    and graphs stay small."""
    draw = Random(label)
    forms = ("<ex:{}>", '"{}"', '"{}"@en')
    lines = {
        f"<ex:{draw.randrange(30)}> <ex:p{draw.randrange(4)}> "
        f"{draw.choice(forms).format(draw.randrange(30))} ."
        for _ in range(_LINES)
    }
    return f"ex:graph{draw.randrange(3)}", lines


class Loads:
    """The loads that were told of, and what the graphs have after them."""

    def __init__(self, files: Path) -> None:
        self.killed = 0
        """In the middle, so that it was not whole."""
        self._files = files
        self._graphs: dict[str, set[str]] = {}
        self._begun: list[str] = []  # what the last one was and its name, until it is done
        self._copies: set[str] = set()

    def add(self, what: str, label: str) -> None:
        """Take note of what a loader told."""
        if what == "loading" or what == "importing":
            self._begun = [what, label]
            return
        self._begun = []
        if what == "loaded":
            graph, lines = triples(label)
            self._graphs.setdefault(graph, set()).update(lines)
        else:
            self._copies.add(label)

    def hold_against(self, store: Store) -> None:
        """What was acknowledged is whole; what was cut short is whole or not there."""
        shown: dict[str, set[str]] = {}
        for scope in scopes.all_of(store, "rdf"):
            assert check.faults(store, scope) == []
            facts = Facts(store, scope).match()
            shown[scope.name] = {" ".join(term.n3() for term in fact) + " ." for fact in facts}
        copies = {s.name: s for s in scopes.all_of(store, "memory") if s.name != "default"}
        match self._begun:
            case ["loading", label]:
                graph, lines = triples(label)
                after = self._graphs.get(graph, set()) | lines
                if shown.get(graph) == after:
                    self._graphs[graph] = after
                else:
                    self.killed += 1
            case ["importing", label]:
                if label in copies:
                    self._copies.add(label)
                else:
                    self.killed += 1
        assert shown == self._graphs
        assert copies.keys() == self._copies
        for name, copy in copies.items():
            assert check.faults(store, copy) == []
            lines_of = (self._files / f"{name}.jsonl").read_text("utf-8").splitlines()
            original = [json.loads(line) for line in lines_of[:-1]]
            loaded = json.loads(json.dumps(list(transfer.records(store, copy))))
            assert loaded[0]["memory"].pop("name") == name
            del original[0]["memory"]["name"]
            assert loaded == original

    def go_on(self, folder: Path) -> None:
        """Load again what was cut short, and let go of the copies; nothing is left over."""
        match self._begun:
            case ["loading", label]:
                transfer.load(folder, [str(self._files / f"{label}.nt")], graph=triples(label)[0])
                self.add("loaded", label)
            case ["importing", label] if label not in self._copies:
                transfer.load(folder, [str(self._files / f"{label}.jsonl")], scope=label)
                self.add("imported", label)
            case _:
                self._begun = []
        with Store.open(folder) as store:
            bulk.discard(store)
            self.hold_against(store)
            for name in self._copies:
                scopes.drop_scope(store, name)
            self._copies.clear()
            numbers = {number for _, number in scopes.names(store)}
            last = int.from_bytes(store.get(keys.LAST_SCOPE) or b"", "big")
            for number in set(range(1, last + 1)) - numbers:
                assert list(store.keys(*keys.scope_range(number))) == []
            assert list(store.keys(keys.LOAD, keys.after(keys.LOADED))) == []


def live(folder: Path, files: Path, seed: int) -> None:
    """Load until killed."""

    def say(*what: str) -> None:
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()

    bulk._BATCH = _BATCH
    draw = Random(seed)
    for number in count():
        label = f"s{seed}n{number}"
        if draw.random() < 0.3:
            path = files / f"{label}.jsonl"
            transfer.export(folder, str(path))
            say("importing", label)
            transfer.load(folder, [str(path)], scope=label)
            say("imported", label)
        else:
            path = files / f"{label}.nt"
            graph, lines = triples(label)
            path.write_text("".join(f"{line}\n" for line in sorted(lines)))
            say("loading", label)
            transfer.load(folder, [str(path)], graph=graph)
            say("loaded", label)


if __name__ == "__main__":
    live(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
