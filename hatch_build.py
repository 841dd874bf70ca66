"""Packs the tables of languages into one file of the wheel, which is read ten times as fast."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackedTables(BuildHookInterface):
    """Adds `graphmem_worker/language/tables.json`; a checkout reads its TOML files instead."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file, but for an editable install, where it would soon be out of date."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "worker")))
        from graphmem_worker.language.tables import packed

        written = Path(self.directory, "tables.json")
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(packed(), "utf-8")
        build_data["force_include"][str(written)] = "graphmem_worker/language/tables.json"
