"""A real file system that is full when a test says so."""

from __future__ import annotations

import errno
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


def mounted(place: Path, size: int) -> Iterator[Path]:
    """A folder that holds `size` bytes; skips where nothing may be mounted."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted by root")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def resize(place: Path, size: int) -> None:
    """Have the file system hold `size` bytes, no fewer than are in it."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(place)], check=True)


def fill(ballast: Path) -> None:
    """Take what room is left on the file system of `ballast`."""
    try:
        with ballast.open("wb") as file:
            while True:
                file.write(bytes(1 << 20))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
