"""Installs llama-cpp-python as locked: `VENV/bin/python .ci/llama_wheel.py LOCK`.

There is no wheel of it, so it is compiled, once for each version, machine and set of flags: the
wheel is kept in the user's cache, and later environments take it from there. Its dependencies are
installed as any others. Needs gcc and g++; cmake and ninja come through pip where they are missing.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PACKAGE: Final = "llama-cpp-python"
# Not for this machine's very processor: the wheel would claim to run on any other of its kind.
PLAIN: Final = "-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF -DLLAMA_OPENSSL=OFF"
VECTORS: Final = {"avx2": "AVX2", "fma": "FMA", "f16c": "F16C", "bmi2": "BMI2"}
ALONE: Final = Path(__file__).with_name("llama_alone.cmake")
INCLUDE: Final = "-DCMAKE_PROJECT_llama.cpp_INCLUDE"
STEP: Final = re.compile(r"\[(\d+)/(\d+)\]")
PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def main() -> None:
    """Build if needed, then install."""
    blocks = re.split(r"\n(?=\S)", Path(sys.argv[1]).read_text("utf-8").strip())
    ours = next(block for block in blocks if block.startswith(f"{PACKAGE}=="))
    rest = [block for block in blocks if block is not ours]
    compiled = wheel(ours)  # first: without a compiler nothing else is worth the wait
    with tempfile.TemporaryDirectory() as folder:
        others = Path(folder) / "others.txt"
        others.write_text("\n".join(rest) + "\n", "utf-8")
        run("install", "-qq", "--only-binary=:all:", "--require-hashes", "-r", str(others))
    run("install", "-qq", "--no-deps", "--force-reinstall", str(compiled))


def run(*arguments: str) -> None:
    """Run pip, which says itself what it could not do."""
    if subprocess.run([*PIP, *arguments], check=False).returncode:
        sys.exit(1)


def flags() -> str:
    """The flags to compile with: CMAKE_ARGS, else what this kind of machine has in common."""
    if given := os.environ.get("CMAKE_ARGS"):
        return given
    if platform.machine() != "x86_64":
        return PLAIN
    found = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    has = set(found[1].split()) if found else set()
    if not has.issuperset(VECTORS):
        return PLAIN
    return " ".join((PLAIN, *(f"-DGGML_{name}=ON" for name in VECTORS.values())))


def wheel(requirement: str) -> Path:
    """The wheel of the locked requirement, out of the cache or new in it."""
    version = re.split(r"[=\s]+", requirement)[1]
    how = hashlib.sha256(flags().encode() + ALONE.read_bytes()).hexdigest()[:12]
    key = f"{version}-{platform.machine()}-{how}"
    cache = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(cache) if os.path.isabs(cache) else Path("~/.cache").expanduser()
    home = base / "graphmem" / "wheels" / key
    home.mkdir(parents=True, exist_ok=True)
    with (home / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = sorted(home.glob("*.whl"))
        return kept[0] if kept else built(requirement, version, home)


def built(requirement: str, version: str, home: Path) -> Path:
    """Compile, with a line of progress; the log stays in `home` if that fails."""
    missing = [name for name in ("gcc", "g++") if shutil.which(name) is None]
    if missing and not (os.environ.get("CC") and os.environ.get("CXX")):
        sys.exit(
            f"{PACKAGE} has to be compiled, and {' and '.join(missing)} cannot be found.\n"
            "Install a compiler (Debian, Ubuntu: apt install build-essential), or leave the local\n"
            "model out by name:  make NO_LLM=1 …"
        )
    say(f"Compiling {PACKAGE} {version}, once for this machine (some minutes) …\n")
    begun, log = time.monotonic(), home / "build.log"
    with tempfile.TemporaryDirectory(dir=home) as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(requirement + "\n", "utf-8")
        command = [*PIP, "wheel", "-v", "--no-deps", "--no-binary", PACKAGE, "--require-hashes"]
        # pip's own cache does not ask which flags a wheel was compiled with.
        command += ["--no-cache-dir", "--wheel-dir", folder, "-r", str(wanted)]
        with (
            log.open("w", encoding="utf-8") as record,
            subprocess.Popen(
                command,
                env={**os.environ, "CMAKE_ARGS": f"{flags()} {INCLUDE}={ALONE.resolve()}"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            ) as pip,
        ):
            assert pip.stdout is not None
            show(recorded(pip.stdout, record), begun)
        if pip.returncode:
            lines = log.read_text("utf-8").splitlines()[-15:]
            say("\n".join(["", *lines, ""]))
            sys.exit(
                f"{PACKAGE} did not compile; all that was said is in {log}.\n"
                "To go on without a local model:  make NO_LLM=1 …"
            )
        (new,) = Path(folder).glob("*.whl")
        log.unlink()
        return new.replace(home / new.name)


def recorded(lines: Iterator[str], record: object) -> Iterator[str]:
    """Pass lines on and write them down."""
    for line in lines:
        print(line, end="", file=record, flush=True)
        yield line


def show(lines: Iterator[str], begun: float) -> None:
    """Follow the steps of the build: one line that changes in a terminal, else one a fifth."""
    terminal, shown = sys.stderr.isatty(), 0
    for line in lines:
        found = STEP.search(line)
        if found is None:
            continue
        done, total = int(found[1]), int(found[2])
        text = f"  {done:>3} of {total} files, {time.monotonic() - begun:.0f} s"
        if terminal:
            say(f"\r{text} ")
        elif done * 5 // total > shown:
            shown = done * 5 // total
            say(f"{text}\n")
    if terminal:
        say("\n")


def say(text: str) -> None:
    """Print at once."""
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":
    main()
