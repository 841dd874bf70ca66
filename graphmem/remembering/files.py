"""Files: text and Markdown remembered chunk by chunk, and read again only where it changed.

The state of a file is kept as facts about its IRI (`file:///…`). A chunk whose node was forgotten
stays known, so that reading the file again does not bring it back.
"""

from __future__ import annotations

import codecs
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import blake2b
from io import IncrementalNewlineDecoder
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from graphmem.errors import InvalidArgumentError, InvalidTextError, UnreadableFileError
from graphmem.graph import pins
from graphmem.graph.ground import Ground
from graphmem.graph.relations import SEGMENT
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore import terms, triples
from graphmem.hexastore.facts import Facts
from graphmem.hexastore.terms import IRI, Literal, Term
from graphmem.remembering.drafts import Draft
from graphmem.remembering.guarding import Guard
from graphmem.remembering.intake import Intake
from graphmem.remembering.writing import Request
from graphmem.services.tokens import estimated_tokens
from graphmem.storage.folder import path_name
from graphmem.values.checks import check_field, check_function, is_blank
from graphmem.values.reports import FileReport
from graphmem_worker.text.chunks import chunks

SIZE: Final = IRI("document:size")
MODIFIED: Final = IRI("document:modified")
HASH: Final = IRI("document:hash")
CHUNK: Final = IRI("document:chunk")

Progress = Callable[[int, int], None]

_AT_ONCE: Final = 32  # chunks a batch: well under 1 MB
_LINE: Final = 1 << 16  # bytes read at once where there is no line break
_SETTLED: Final = 2_000_000_000  # nanoseconds
_SCHEME: Final = "file://"


class Piece(NamedTuple):
    """A part of a file: a node."""

    text: str
    """Without its secrets."""
    identity: str
    """Its key within the file: pieces with the same identity are one piece."""
    cut: frozenset[str] = frozenset()
    """Kinds of the secrets that were cut out."""
    given: Mapping[str, Any] = {}
    """Further arguments of `remember`; see `Request.of`."""
    nodes: tuple[int, ...] = ()
    """Nodes that hold this text already; if there are any, nothing is remembered."""


class Files:
    """The files that one scope remembers."""

    def __init__(
        self,
        ground: Ground,
        intake: Intake,
        guard: Guard,
        *,
        draft: Callable[[Request, Iterable[str]], Draft],
        forget: Callable[[GraphWriter, int, str], None],
        after_write: Callable[[], None],
    ) -> None:
        """draft: (text, kinds of secrets cut out of it) → Draft. forget: (writer, node, why).
        after_write: called after each batch."""
        self._ground = ground
        self._intake = intake
        self._facts = Facts(ground.store, ground.scope)
        self._draft = draft
        self._guard = guard
        self._forget = forget
        self._after_write = after_write
        most = ground.settings.max_nodes
        self._at_once = _AT_ONCE if most is None else max(1, min(_AT_ONCE, most // 4))
        self._reading = Lock()  # one file at a time

    def paths(self) -> list[str]:
        """The real paths of all files that are known."""
        found = (fact.subject for fact in self._facts.match(None, HASH))
        return sorted(_path(file) for file in found if isinstance(file, IRI))

    def read(
        self,
        path: object,
        *,
        session: object,
        happened: object,
        progress: Progress | None,
    ) -> FileReport:
        """Remember a file, or what has changed in it."""
        session = check_field("session", session)
        check_function("progress", progress)
        with self._reading:
            real = real_path(path)
            status = _status(real)
            file = _iri(real)
            modified = status.st_mtime_ns
            # A file written a moment ago may be written again with the same modification time.
            settled = time.time_ns() - modified > _SETTLED
            if (file, SIZE, status.st_size) in self._facts and (
                (file, MODIFIED, modified) in self._facts
            ):
                return FileReport(real, 0, self._facts.count(file, CHUNK), 0)
            known = self._known(file)
            reader = _Reader(real, None)
            # Read it all first: nothing is remembered of a file that is refused.
            blank = True
            for text in reader:
                blank = blank and is_blank(text)
            if blank:
                if self.is_known(real):
                    return self._forgotten(file, real, known, "corrected")
                raise InvalidTextError(f"{real} is empty or blank; there is nothing to remember")
            added = 0
            if (file, HASH, reader.digest) in self._facts:
                seen = known
            else:
                reader = _Reader(real, progress)
                kinds: set[str] = set()
                pieces = (
                    Piece(text, text, frozenset(kinds))
                    for text in chunks(self._guard.lines(reader, kinds), estimated_tokens)
                )
                added, seen = self._remember(file, pieces, known, session or real, happened)
            report = self._read(file, real, reader.digest, added, known, seen)
            self._put(file, SIZE, status.st_size)
            self._put(file, MODIFIED, modified if settled else None)
            return report

    def forget(self, path: object, why: str = "asked") -> FileReport:
        """Forget the nodes of a file, and the facts about it."""
        with self._reading:
            real = real_path(path)
            file = _iri(real)
            known = self._known(file)
            if not known and not self._facts.count(file, HASH):
                raise InvalidArgumentError(
                    f"nothing is remembered of a file {real}; files.list() has those that are known"
                )
            return self._forgotten(file, real, known, why)

    def _forgotten(self, file: IRI, path: str, known: set[str], why: str) -> FileReport:
        """Forget the pieces of a file, and the facts about it."""
        self._forget_chunks(file, known, why)
        for predicate in (HASH, SIZE, MODIFIED):
            self._put(file, predicate, None)
        return FileReport(path, 0, 0, len(known))

    def follow(self, path: str, digest: str, pieces: Iterable[Piece]) -> FileReport:
        """Remember the pieces of a file that are new, forget those that are not in it any more.

        path: absolute. digest: of the file's contents; a file with a known one is not read again.
        """
        with self._reading:
            file = _iri(path)
            known = self._known(file)
            if (file, HASH, digest) in self._facts:
                return FileReport(path, 0, len(known), 0)
            added, seen = self._remember(file, pieces, known, path, None)
            return self._read(file, path, digest, added, known, seen)

    def _read(
        self, file: IRI, path: str, digest: str, added: int, known: set[str], seen: set[str]
    ) -> FileReport:
        """Forget the pieces that are not in a file any more, and store its new digest."""
        gone = known - seen
        self._forget_chunks(file, gone, "corrected")
        self._put(file, HASH, digest)
        return FileReport(path, added, len(seen) - added, len(gone))

    def _known(self, file: IRI) -> set[str]:
        """The keys of the pieces of a file."""
        return {str(fact.object) for fact in self._facts.match(file, CHUNK)}

    def is_known(self, path: str, digest: str | None = None) -> bool:
        """Whether a file was read before; with a digest, whether with these contents."""
        file = _iri(path)
        if digest is None:
            return bool(self._facts.count(file, HASH) or self._facts.count(file, CHUNK))
        return (file, HASH, digest) in self._facts

    def new_among(self, path: str, identities: Iterable[str]) -> set[str]:
        """The identities among these of which the file has no known piece."""
        file = _iri(path)
        known = self._known(file)
        return {each for each in identities if _key(file, each) not in known}

    def nodes_of(self, path: str, identity: str) -> list[int]:
        """The live nodes that stand for a piece of a file."""
        return self._nodes(_key(_iri(path), identity))

    def nodes(self) -> set[int]:
        """The live nodes that stand for a part of some file."""
        with self._ground.store.snapshot() as snapshot:
            found = triples.match(snapshot, self._ground.scope, (None, terms.encode(CHUNK), None))
            return {node for s, _, _ in found if (node := terms.decode_node(s)) is not None}

    def _remember(
        self,
        file: IRI,
        pieces: Iterable[Piece],
        known: set[str],
        session: str,
        happened: object,
    ) -> tuple[int, set[str]]:
        """Remember the pieces that are not known; returns their number, and the keys of all."""
        seen: set[str] = set()
        added = 0
        run: dict[str, Draft] = {}  # new pieces that follow each other
        previous: int | None = None  # the node of the piece before the run
        for piece in pieces:
            key = _key(file, piece.identity)
            if key in seen or is_blank(piece.text):
                continue
            seen.add(key)
            if key not in known and not piece.nodes:
                added += 1
                given = {"session": session, "happened": happened, **piece.given}
                drafted = self._draft(Request.of({"text": piece.text, **given}), piece.cut)
                is_whole = len(run) >= self._at_once
                if is_whole or (run and next(reversed(run.values())).pin != drafted.pin):
                    previous = self._add(file, run, previous, None)
                    run = {}
                run[key] = drafted
                continue
            for same in piece.nodes:
                self._adopt(file, key, piece, same)
            node = next(iter(self._nodes(key)), None)
            if run:
                self._add(file, run, previous, node)
                run = {}
            previous = node
        if run:
            self._add(file, run, previous, None)
        return added, seen

    def stand_for(self, path: str, piece: Piece, node: int) -> None:
        """Have an existing node stand for a piece of a file, and be forgotten with it."""
        with self._reading:
            file = _iri(path)
            self._adopt(file, _key(file, piece.identity), piece, node)

    def _adopt(self, file: IRI, key: str, piece: Piece, node: int) -> None:
        with self._ground.writing() as writer:
            record = writer.view.record(node)
            if record is None:
                return  # forgotten meanwhile; the piece is remembered when it is read again
            put = writer.triples
            predicate, chunk = put.intern(CHUNK), put.intern(Literal(key))
            put.put(put.intern(file), predicate, chunk)
            put.put(terms.encode_node(node), predicate, chunk)
            if piece.given.get("pin") and not record.pinned:
                pins.check(writer.tx.state.pinned + 1, self._ground.settings.max_nodes)
                drafted = self._draft(Request.of({"text": piece.text, **piece.given}), ())
                writer.count_pin(1)
                writer.put_record(node, record._replace(pinned=True, kind=drafted.span.kind))

    def _add(
        self, file: IRI, run: dict[str, Draft], previous: int | None, following: int | None
    ) -> int:
        """Write new pieces in one batch, chained to each other and to their neighbours; returns
        the last of their nodes. All of them are pinned, or none."""
        parts = [
            (key, replace(segment, span=segment.span or draft.span))
            for key, draft in run.items()
            for segment in draft.segments
        ]
        pin = any(draft.pin for draft in run.values())
        identity = blake2b("".join(run).encode(), digest_size=16).digest()
        with self._ground.writing() as writer:
            whole = Draft(tuple(segment for _, segment in parts), identity, pin)
            nodes = [node.id for node in self._intake.add(writer, whole)]
            if previous is not None and writer.view.record(previous) is not None:
                writer.link_both(previous, SEGMENT, nodes[0])
            if following is not None and writer.view.record(following) is not None:
                writer.link_both(nodes[-1], SEGMENT, following)
            put = writer.triples
            subject, predicate = put.intern(file), put.intern(CHUNK)
            for node, (key, _) in zip(nodes, parts, strict=True):
                chunk = put.intern(Literal(key))
                put.put(subject, predicate, chunk)
                put.put(terms.encode_node(node), predicate, chunk)
        self._after_write()
        return nodes[-1]

    def _forget_chunks(self, file: IRI, gone: set[str], why: str) -> None:
        order = sorted(gone)
        for at in range(0, len(order), _AT_ONCE):
            with self._ground.writing() as writer:
                for key in order[at : at + _AT_ONCE]:
                    for node in self._nodes(key):
                        self._forget(writer, node, why)
                    triple = (file, CHUNK, Literal(key))
                    writer.triples.delete(*map(terms.encode, triple))

    def _nodes(self, key: str) -> list[int]:
        """The live nodes of a chunk: one, unless its text was split."""
        chunk = terms.encode(Literal(key))
        with self._ground.store.snapshot() as snapshot:
            found = triples.match(snapshot, self._ground.scope, (None, terms.encode(CHUNK), chunk))
            return sorted(node for s, _, _ in found if (node := terms.decode_node(s)) is not None)

    def _put(self, file: IRI, predicate: IRI, value: object) -> None:
        """Make `value` the only value of a predicate; None removes all."""
        with self._ground.writing() as graph:
            writer = graph.triples
            subject = terms.encode(file)
            new: Term | None = None if value is None else terms.term(value)
            for fact in self._facts.match(file, predicate):
                if fact.object != new:
                    writer.delete(subject, terms.encode(predicate), terms.encode(fact.object))
            if new is not None:
                writer.put(writer.intern(file), writer.intern(predicate), writer.intern(new))


def real_path(path: object) -> str:
    """The path of a file with all links followed.

    Raises ArgumentTypeError, InvalidArgumentError, InvalidTextError.
    """
    real = os.path.realpath(path_name(path))
    try:
        real.encode()
    except UnicodeEncodeError:
        raise InvalidTextError(f"the path {real!r:.200} is not UTF-8; rename the file") from None
    return real


def _status(real: str) -> os.stat_result:
    """The status of a regular file. Raises UnreadableFileError."""
    try:
        status = os.stat(real)
    except OSError as error:
        raise _unreadable(real, error) from None
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableFileError(f"{real} is a folder; `graphmem files watch` follows it")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFileError(f"{real} is no regular file, but a device, pipe or socket")
    return status


def _unreadable(real: str, error: OSError) -> UnreadableFileError:
    return UnreadableFileError(f"{real} cannot be read: {error.strerror or error}")


class _Reader:
    """The text of a file, line by line, and the hash of the bytes that were read."""

    def __init__(self, real: str, progress: Progress | None) -> None:
        self._real = real
        self._progress = progress
        self._hash = blake2b(digest_size=16)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[str]:
        """Raises UnreadableFileError; InvalidTextError for what is no UTF-8 text."""
        utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        decoder = IncrementalNewlineDecoder(utf8, translate=True)
        done = 0
        try:
            with open(self._real, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                while raw := file.readline(_LINE):
                    self._hash.update(raw)
                    text = decoder.decode(raw)
                    if "\x00" in text:
                        raise InvalidTextError(
                            f"{self._real} has a NUL near byte {done + raw.find(0)}; it is a "
                            "binary file, and only text is remembered"
                        )
                    done += len(raw)
                    if self._progress is not None and text:
                        self._progress(done, max(size, done))
                    yield text
                yield decoder.decode(b"", final=True)
        except OSError as error:
            raise _unreadable(self._real, error) from None
        except UnicodeDecodeError as error:
            raise InvalidTextError(
                f"{self._real} is not UTF-8 text (near byte {done + error.start}); "
                "if it is text, convert it first: iconv -t UTF-8"
            ) from None


def _key(file: IRI, identity: str) -> str:
    return blake2b(f"{file}\n{identity}".encode(), digest_size=16).hexdigest()


def _iri(path: str) -> IRI:
    return IRI(Path(path).as_uri())


def _path(file: IRI) -> str:
    return unquote(file.value.removeprefix(_SCHEME))
