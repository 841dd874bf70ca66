"""Projects: syncs a scope with a folder of Markdown and YAML, and writes decisions back to it
(docs/files.md). All files are read and checked before anything is changed."""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from graphmem.errors import (
    ArgumentTypeError,
    InvalidArgumentError,
    InvalidTextError,
    SecretError,
    UnreadableFileError,
)
from graphmem.exchange import decisions as logs
from graphmem.exchange.decisions import Log, New, Record
from graphmem.forgetting import correction
from graphmem.graph.ground import Ground
from graphmem.graph.kinds import decides, kind_of
from graphmem.graph.records import NodeRecord, TextRecord, as_node
from graphmem.graph.relations import SUPERSEDES
from graphmem.graph.writer import GraphWriter
from graphmem.remembering.files import Files, Piece, real_path
from graphmem.remembering.guarding import Guard
from graphmem.services.tokens import estimated_tokens
from graphmem.storage.folder import sync_path
from graphmem.values.checks import check_switch
from graphmem.values.nodes import Form, Node
from graphmem.values.reports import FileReport, SyncReport
from graphmem_worker.text.chunks import chunks

DECISIONS: Final = "decisions.yaml"
FILES: Final[Mapping[str, str]] = {
    "projectbrief.md": "permanent",
    "productContext.md": "long-term",
    "techContext.md": "long-term",
    "systemPatterns.md": "long-term",
    DECISIONS: "long-term",
    "activeContext.md": "short-term",
    "progress.md": "short-term",
}
"""The files of a project, and the temporality of their contents."""

_LARGEST: Final = 4 << 20  # bytes of a file
_ATTEMPTS: Final = 3
_EXPLICIT: Final = 0.9  # confidence from which on a decision is written to the file
_PROPOSED: Final = 0.6  # confidence of a decision with the status of a proposal or draft
_KEEP: Final = re.compile(r"[ \t]*<!--[ \t]*keep[ \t]*-->", re.I)
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")
_SPACES: Final = re.compile(r"[\s。.．!！;；]+")


class _File(NamedTuple):
    """A file of the folder as it was read."""

    path: str
    digest: str
    pieces: tuple[Piece, ...]


class _MovedError(Exception):
    """Raised when a file has changed since it was read."""


@dataclass(frozen=True, slots=True)
class Project:
    """The folder of a project, and the scope that follows it."""

    _files: Files
    _guard: Guard
    _ground: Ground
    _changing: Callable[[], AbstractContextManager[GraphWriter]]
    """A transaction that writes nodes and links."""

    def sync(self, folder: object, *, write: bool, keep: Iterable[str]) -> SyncReport:
        check_switch("write", write)
        real = _folder(folder)
        core = check_kept(keep)
        for _ in range(_ATTEMPTS):
            log, files = self._read(real, core)
            reports = [self._follow(file) for file in files]
            pieces = next((file.pieces for file in files if file.path == log.path), ())
            self._close_superseded(log, pieces)
            if not write:
                return SyncReport(real, tuple(reports))
            try:
                written, withheld = self._write(real, log, pieces, core)
            except _MovedError:
                continue  # the file wins: read it again
            return SyncReport(real, tuple(reports), written, withheld)
        raise UnreadableFileError(
            f"{os.path.join(real, DECISIONS)} was changed by another program each time before a "
            "decision could be added; none was added: sync again"
        )

    # -- reading ------------------------------------------------------------------------------

    def _read(self, real: str, core: frozenset[str]) -> tuple[Log, list[_File]]:
        """The decisions of a folder, and its files; last those that were removed, without a
        digest."""
        log = logs.read(os.path.join(real, DECISIONS), "")
        found: list[_File] = []
        gone: list[_File] = []
        for name, temporality in FILES.items():
            path = os.path.join(real, name)
            raw = read_inside(real, path)
            if raw is None:
                if self._files.is_known(path):
                    gone.append(_File(path, "", ()))
                continue
            text = _decoded(path, raw)
            digest = blake2b(raw, digest_size=16).hexdigest() + (":keep" if name in core else "")
            if name == DECISIONS:
                log = logs.read(path, text)
                pieces = tuple(self._recorded(log, temporality, name in core))
            else:
                pieces = tuple(self._chunked(path, text, temporality, name in core))
            found.append(_File(path, digest, pieces))
        if not found and not gone:
            raise InvalidArgumentError(
                f"{real} has none of the files of a project: {', '.join(FILES)}"
            )
        return log, found + gone

    def _chunked(self, path: str, text: str, lasts: str, keep: bool) -> Iterator[Piece]:
        name = os.path.basename(path)
        lines = text.replace("\r\n", "\n").replace("\r", "\n").splitlines(keepends=True)
        read = 0

        def counted() -> Iterator[str]:
            nonlocal read
            for line in lines:
                read += 1
                yield line

        cut: set[str] = set()
        with _placed(path, lambda: read):
            clean = "".join(self._guard.lines(counted(), cut)).splitlines(keepends=True)
        for core, part in _sections(clean, keep):
            for chunk in chunks(part, estimated_tokens):
                identity = f"{chunk}\nkeep" if core else chunk
                kinds = frozenset(kind for kind in cut if f"[{kind}]" in chunk)
                about = {"metadata": {"file": name}, **_kind(lasts, core)}
                yield Piece(chunk, identity, kinds, about)

    def _recorded(self, log: Log, lasts: str, keep: bool) -> Iterator[Piece]:
        """The pieces of decisions.yaml, one a record."""
        cleaned = [(record, *self._clean(log.path, record)) for record in log.records]
        identities = [f"{w}\nkeep" if keep or r.keep else w for r, _, w, _ in cleaned]
        nodes_by_text: dict[str, list[int]] = {}
        if self._files.new_among(log.path, identities):
            # Decisions in memory that were written down by hand, or by an interrupted sync.
            for each in self._undecided():
                nodes_by_text.setdefault(_normal(each.text), []).append(each.id)
        for (record, text, _, cut), identity in zip(cleaned, identities, strict=True):
            about: dict[str, Any] = {"file": DECISIONS}
            about |= {name: v for name in ("id", "status") if (v := getattr(record, name))}
            given = {
                "metadata": about, "speaker": record.by or None, "happened": record.day or None,
                **_kind(lasts, keep or record.keep, record.is_taken),
            }  # fmt: skip
            yield Piece(text, identity, cut, given, tuple(nodes_by_text.get(_normal(text), ())))

    def _clean(self, path: str, record: Record) -> tuple[str, str, frozenset[str]]:
        """The text and all fields of a record without their secrets, and the kinds of those."""
        with _placed(path, lambda: record.line):
            text, found = self._guard.cut(record.text)
            whole, others = self._guard.cut(record.whole)
        return text, whole, frozenset(secret.kind for secret in (*found, *others))

    def _undecided(self) -> list[Node]:
        """The decisions in memory that are in no file."""
        known, now = self._files.nodes(), self._ground.now()
        with self._ground.reading() as view:
            return [
                as_node(node, text, record, view.zone)
                for node, record, text in view.all_pairs()
                if node not in known and _is_decision(record, text, now)
            ]

    def _follow(self, file: _File) -> FileReport:
        if file.digest:
            return self._files.follow(file.path, file.digest, file.pieces)
        return self._files.forget(file.path, why="corrected")

    def _close_superseded(self, log: Log, pieces: Sequence[Piece]) -> None:
        """Close the nodes of records that do not hold any more according to the file."""
        pairs = [(r, piece.identity) for r, piece in zip(log.records, pieces, strict=True)]
        named: dict[str, str] = {}
        for record, identity in pairs:
            named |= {_normal(name): identity for name in (record.text, record.id) if name}
        for record, identity in pairs:
            for name in record.supersedes:
                over = named.get(_normal(name))
                if over is not None and over != identity:
                    by = next(iter(self._files.nodes_of(log.path, identity)), None)
                    for node in self._files.nodes_of(log.path, over):
                        self._close(node, by)
        for record, identity in pairs:
            if record.is_over:
                for node in self._files.nodes_of(log.path, identity):
                    self._close(node, None)

    def _close(self, over: int, by: int | None) -> None:
        """Close a node that does not hold any more, superseded by `by` if that holds."""
        with self._ground.reading() as view:
            record = view.record(over)
            if record is None or record.valid_to is not None or over == by:
                return
        with self._changing() as writer:
            successor = None if by is None else writer.view.record(by)
            if by is not None and successor is not None and successor.valid_to is None:
                correction.supersede(writer, self._ground, by, over)
            else:
                correction.close(writer, over, self._ground.now())

    def _replaced(self, node: int) -> str:
        """The text of the node that a node supersedes; "" if there is none."""
        with self._ground.reading() as view:
            for link in view.links(node):
                if link.relation == SUPERSEDES and (text := view.text(link.target)) is not None:
                    return "".join(text.spans).strip()
        return ""

    # -- writing ------------------------------------------------------------------------------

    def _write(
        self, real: str, log: Log, pieces: Sequence[Piece], core: frozenset[str]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Add the decisions that the file does not have; returns the nodes of those, and of those
        that are withheld because they hold a secret."""
        there: dict[str, Piece | None] = {}
        for record, piece in zip(log.records, pieces, strict=True):
            for line in (record.text, *record.text.split("\n")):
                there.setdefault(_normal(line), piece)
        new: list[Node] = []
        withheld: list[int] = []
        for node in self._undecided():
            texts = (node.text, node.speaker or "")
            if node.cut or any(self._guard.cue(each) != each for each in texts):
                withheld.append(node.id)
            elif (normal := _normal(node.text)) not in there:
                there[normal] = None
                new.append(node)
            elif (same := there[normal]) is not None:
                # Forgotten with its record, or it would be written to the file again.
                self._files.stand_for(log.path, same, node.id)
        if new:
            wanted = [
                New(node.text, _day(node), node.speaker or "", self._replaced(node.id))
                for node in new
            ]
            replace_inside(real, log.path, log.written, logs.add(log, wanted))
            # The nodes now stand for the new records, so that these are not remembered again.
            for file in self._read(real, core)[1]:
                if file.path == log.path:
                    self._follow(file)
        return tuple(node.id for node in new), tuple(withheld)


def _is_decision(record: NodeRecord, text: TextRecord, now: int) -> bool:
    """Whether a memory is an explicit decision of the project that holds `now` (microseconds since
    1970): whole, without an end, of the realm *project* with a confidence of 0.9 or more, with a
    sentence that decides something, unless the metadata says `decision: true` or `false`."""
    begun = text.valid_from if record.valid_from is None else record.valid_from
    ends = record.valid_to is not None or record.expires is not None
    if text.form is not Form.WHOLE or text.derived or ends or begun > now or not decides(text):
        return False
    kind = kind_of(record, text)
    return kind.realm == "project" and kind.confidence >= _EXPLICIT


def check_kept(keep: object) -> frozenset[str]:
    """Names of files. Raises ArgumentTypeError, InvalidArgumentError."""
    if isinstance(keep, str) or not isinstance(keep, Iterable):
        raise ArgumentTypeError("keep is a list of names of files, such as ['techContext.md']")
    named = frozenset(keep)
    if unknown := [name for name in named if name not in FILES]:
        raise InvalidArgumentError(
            f"keep names {unknown[0]!r:.80}; the files of a project are {', '.join(FILES)}"
        )
    return named


def _kind(lasts: str, core: bool, taken: bool = True) -> dict[str, Any]:
    """Arguments of `remember` for a piece of a file. core: core configuration, kept and pinned.
    taken: it is decided, not only proposed."""
    kind: dict[str, Any] = {"realm": "project", "confidence": 1.0 if taken else _PROPOSED}
    if core:
        return {"kind": kind, "keep": True, "pin": True}
    return {"kind": {**kind, "temporality": lasts}}


def _day(node: Node) -> str:
    """The day of a decision, in the time zone in which it was remembered."""
    moment = node.happened or node.valid_from or node.created
    return moment.date().isoformat()


def _normal(text: str) -> str:
    """A text without case, spaces and the marks at the ends of sentences."""
    return _SPACES.sub("", text).casefold()


@contextmanager
def _placed(path: str, line: Callable[[], int]) -> Iterator[None]:
    """Prefix a SecretError with the path and line of the secret."""
    try:
        yield
    except SecretError as error:
        raise SecretError(f"{path}, line {line()}: {error}") from None


def _sections(lines: Sequence[str], whole: bool) -> Iterator[tuple[bool, list[str]]]:
    """Runs of lines, with whether they are core configuration.

    `<!-- keep -->` before anything else marks the whole file; below or in a heading it marks what
    is below that, up to the next heading of its level or a higher one.
    """
    blocks: list[tuple[int, list[str], bool]] = [(0, [], False)]
    fenced = ""
    for line in lines:
        level = 0
        if fence := _FENCE.match(line):
            fenced = "" if fenced == fence[1] else fenced or fence[1]
        elif not fenced and (heading := _HEADING.match(line)):
            level = len(heading[1])
        if level:
            blocks.append((level, [], False))
        if not fenced and not fence and _KEEP.search(line):
            level, held, _ = blocks[-1]
            whole = whole or (len(blocks) == 1 and not "".join(held).strip())
            blocks[-1] = (level, held, True)
            line = _KEEP.sub("", line)
            if not line.strip():
                continue
        blocks[-1][1].append(line)
    below = 7  # level of the heading under which everything is core
    flagged: list[tuple[bool, list[str]]] = []
    for level, held, marked in blocks:
        if level and level <= below:
            below = level if marked else 7
        flagged.append((whole or marked or level > below, held))
    for core, run in groupby(flagged, key=itemgetter(0)):
        if part := [line for _, held in run for line in held]:
            yield core, part


# -- the folder -------------------------------------------------------------------------------


def _folder(given: object) -> str:
    """The real path of a folder. Raises UnreadableFileError."""
    real = real_path(given)
    if not os.path.isdir(real):
        missing = "is no folder" if os.path.exists(real) else "does not exist"
        raise UnreadableFileError(f"{real} {missing}; name the folder of {DECISIONS}")
    return real


def _target(real: str, path: str) -> str:
    """The real path of a file of the folder. Raises UnreadableFileError if it is outside."""
    target = os.path.realpath(path)
    if os.path.commonpath((real, target)) != real:
        raise UnreadableFileError(
            f"{path} is a link that leads out of the folder, to {target}; put the file there"
        )
    return target


def read_inside(real: str, path: str) -> bytes | None:
    """The bytes of a file of a folder; None if it is not there. Raises UnreadableFileError."""
    if not os.path.lexists(path):
        return None
    target = _target(real, path)
    try:
        at = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(at, "rb") as file:
            if not stat.S_ISREG(os.fstat(at).st_mode):
                raise UnreadableFileError(f"{path} is no regular file")
            raw = file.read(_LARGEST + 1)
    except UnreadableFileError:
        raise
    except OSError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(raw) > _LARGEST:
        raise InvalidTextError(f"{path} has over {_LARGEST:,} bytes; split it")
    return raw


def _decoded(path: str, raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InvalidTextError(
            f"{path}, line {line}: no UTF-8 text; convert it: iconv -t UTF-8"
        ) from None
    if (at := text.find("\x00")) >= 0:
        line = text.count("\n", 0, at) + 1
        raise InvalidTextError(f"{path}, line {line}: a NUL; it is a binary file")
    return text.removeprefix("\ufeff")


def replace_inside(real: str, path: str, read: str, made: str) -> None:
    """Replace the contents of a file atomically if it still holds `read`; a write of others in the
    microseconds before the rename is lost. Raises _MovedError if the file has changed,
    UnreadableFileError if it cannot be replaced."""
    target = _target(real, path)
    aside = os.path.join(os.path.dirname(target), f".{os.path.basename(path)}.graphmem")
    try:
        with _locked(aside) as at:
            before = read_inside(real, path)
            old = b"" if before is None else before
            mark = b"\xef\xbb\xbf" if old.startswith(b"\xef\xbb\xbf") else b""
            if old.removeprefix(mark) != read.encode():
                raise _MovedError
            with open(os.dup(at), "wb") as file:
                file.write(mark + made.encode())
                file.flush()
            if before is not None:
                os.fchmod(at, stat.S_IMODE(os.stat(target).st_mode))
            os.fsync(at)
            if read_inside(real, path) != before:
                raise _MovedError
            if before is None:
                os.link(aside, target)  # which never overwrites a file that was created meanwhile
            else:
                os.rename(aside, target)
        sync_path(Path(target).parent)
    except FileExistsError:
        raise _MovedError from None
    except UnreadableFileError:
        raise
    except OSError as error:
        raise UnreadableFileError(f"{path} cannot be written: {error.strerror or error}") from None


@contextmanager
def _locked(aside: str) -> Iterator[int]:
    """The descriptor of an empty, locked file beside the one to be replaced; removed at the end.
    A file left by a killed process is reused."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    at = os.open(aside, flags, 0o666)
    try:
        fcntl.flock(at, fcntl.LOCK_EX)
        own = os.fstat(at)
        try:
            there = os.lstat(aside)
        except FileNotFoundError:
            raise _MovedError from None  # another sync used and removed it meanwhile
        if (own.st_ino, own.st_dev) != (there.st_ino, there.st_dev) or own.st_nlink != 1:
            raise _MovedError
        os.ftruncate(at, 0)
        try:
            yield at
        finally:
            with suppress(FileNotFoundError):
                if os.lstat(aside).st_ino == own.st_ino:  # it was not renamed
                    os.unlink(aside)
    finally:
        os.close(at)
