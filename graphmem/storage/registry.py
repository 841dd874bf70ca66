"""What the rooms above register with the store: migrations of older formats, and known features.
Nothing is imported here, so that a room can register without loading the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

MIGRATIONS: Final[dict[int, Callable[[Any, Any], None]]] = {}
"""Older format → the function that rewrites a store of it in this one: called with the old `Engine`
and the new `Store`. The rooms above register theirs."""

FEATURES: Final = {"characters", "conflicts", "items", "places", "themes", "words"}
"""The features that this version knows, whichever rooms are loaded: a room that adds a space or an
index names it here. A store lists the features that are required to read it and to write it."""

BASIC: Final = ("characters", "words")
"""Features that every new store requires; an older store gets each when it is used."""

HOMED: Final = "home"
"""Required to write the cache of a home, so that it is opened through the home."""
