"""What an adapter is given to stand on."""

from __future__ import annotations

from graphmem.api.verbs import Verbs
from graphmem.errors import ArgumentTypeError, InvalidArgumentError


def checked_memory(given: object) -> Verbs:
    """The memory that was given. Raises ArgumentTypeError for anything else, such as the path of a
    folder, which would fail at the first call with an error that names neither."""
    if not isinstance(given, Verbs):
        raise ArgumentTypeError(
            "memory is what graphmem.open, graphmem.attach or graphmem.reach returned, got "
            f"{type(given).__name__}"
        )
    return given


def checked_name(name: str) -> str:
    """The name of one of several stores in a scope. Raises InvalidArgumentError."""
    if ":" in name or len(name) > 100:
        raise InvalidArgumentError(f"name has up to 100 characters, no colon, got {name!r:.80}")
    return name
