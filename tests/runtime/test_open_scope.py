"""An open scope: what it takes while its folder is open."""

import tracemalloc

import graphmem

SCOPES = 50
ROOM = 40_000  # bytes of each


def test_an_open_scope_takes_little_memory() -> None:
    """One for each user stays open until the folder is closed; half of its 46 kB were places for
    256 texts and the prefixes of spaces that there are not."""
    with graphmem.open(worker="none") as memory:

        def open_some(first: int) -> None:
            for k in range(first, first + SCOPES):
                scope = memory.scopes.open(f"user-{k}")
                scope.remember("a note of a user")
                scope.recall("note")

        open_some(0)  # what is loaded, and what all share
        tracemalloc.start()
        try:
            open_some(SCOPES)
            assert tracemalloc.get_traced_memory()[0] < SCOPES * ROOM
        finally:
            tracemalloc.stop()
