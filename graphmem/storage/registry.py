"""What the rooms above tell the store: how older formats are written anew, known features. Nothing
is imported here: a room can enter itself without loading the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

MIGRATIONS: Final[dict[int, Callable[[Any, Any], None]]] = {}
"""How a store of an older format is written anew in this one, by its format: called with the old
`Engine` and the new `Store`. The rooms above enter theirs."""

FEATURES: Final = {"characters", "conflicts", "items", "places", "themes", "words"}
"""What a store may require that this version knows, whichever rooms are loaded: a room that adds a
space or an index names it here. A store lists the features that are required to read it and to
write it."""

BASIC: Final = ("characters", "words")
"""What every new store requires to be read: an older store gets a feature when it is used."""

HOMED: Final = "home"
"""Required to write by a store that is the cache of a home, so that it is opened through that."""
