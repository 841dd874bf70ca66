"""RDF files as statements: chunks of terms in N-Triples form, or an error with line and column.

N-Triples and N-Quads are taken apart by a regular expression, half a MB at a time. Turtle is parsed
by pyoxigraph where it is installed (the extra `bench`), otherwise by rdflib, several times slower.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias, get_args

from graphmem.errors import InvalidArgumentError, InvalidTermError, MalformedError

Format: TypeAlias = Literal["nt", "nq", "ttl"]
_FORMATS: Final[tuple[Format, ...]] = get_args(Format)

Chunk: TypeAlias = tuple[Sequence[bytes], Sequence[bytes], Sequence[bytes], Sequence[bytes]]
"""Subjects, predicates, objects and graphs of some statements; the default graph is `b""`."""
Emit: TypeAlias = Callable[[Chunk, int], None]
"""Takes a chunk, and how many bytes of the file have been read.

It raises UnfitError before it has taken any of it; then it is given what stands before that token.
"""

_BLOCK: Final = 1 << 19  # bytes of text that are taken apart at once: its tokens stay in the cache
_LONGEST: Final = 64 << 20  # bytes of a line
_STATEMENTS: Final = 20_000  # that a parser gives at once

_SPACE = rb"[ \t]*+"
_ESCAPE = rb"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})"
_IRI = (
    rb'<[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>"{}|^`\\]*+(?:'
    + _ESCAPE
    + (rb'[^\x00-\x20<>"{}|^`\\]*+)*+>')
)
_BLANK = rb"_:[A-Za-z0-9_:\x80-\xff](?:[A-Za-z0-9_.:\-\x80-\xff]*[A-Za-z0-9_:\-\x80-\xff])?"
_STRING = rb'"[^"\\\r\n]*+(?:(?:\\[tbnrf"\'\\]|' + _ESCAPE + rb')[^"\\\r\n]*+)*+"'
_LITERAL = _STRING + rb"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^" + _IRI + rb")?"
_PARTS: Final = (
    (rb"(" + _IRI + rb"|" + _BLANK + rb")", "a subject is an IRI in <> or a blank node"),
    (rb"(" + _IRI + rb")", "a predicate is an IRI in <>"),
    (rb"(" + _IRI + rb"|" + _BLANK + rb"|" + _LITERAL + rb")",
     "an object is an IRI in <>, a blank node or a literal"),
)  # fmt: skip
_GRAPH: Final = (rb"(" + _IRI + rb"|" + _BLANK + rb")?", "")
_END: Final = (rb"\.", "a statement ends with a full stop")
_REST: Final = _SPACE + rb"(?:#[^\n]*+)?"


def _lines(parts: Sequence[tuple[bytes, str]]) -> re.Pattern[bytes]:
    """Each line that is a statement, in its groups, or that is empty but for a comment."""
    body = _SPACE.join(part for part, _ in parts)
    return re.compile(rb"^" + _SPACE + rb"(?:" + body + rb")?" + _REST + rb"$", re.MULTILINE)


_GRAMMARS: Final = {"nt": (*_PARTS, _END), "nq": (*_PARTS, _GRAPH, _END)}
_LINES: Final = {name: _lines(parts) for name, parts in _GRAMMARS.items()}


def format_of(path: Path, given: str | None = None) -> Format:
    """The format of a file by its name, unless one is given. Raises InvalidArgumentError."""
    suffix = given if given is not None else path.suffix.lower().removeprefix(".")
    for known in _FORMATS:
        if suffix == known:
            return known
    raise InvalidArgumentError(
        f"{path}: the format {suffix!r:.80} is not one of nt, nq, ttl (N-Triples, N-Quads, "
        "Turtle); name it with format"
    )


class UnfitError(Exception):
    """Raised for a token that agrees with the grammar, but stands for no term."""

    def __init__(self, token: bytes, reason: str) -> None:
        super().__init__(reason)
        self.token = token


def cut(chunk: Chunk, start: int, stop: int) -> Chunk:
    """Some of the statements of a chunk."""
    subjects, predicates, objects, graphs = (column[start:stop] for column in chunk)
    return subjects, predicates, objects, graphs


def read(path: Path, format: Format, take: Emit) -> None:
    """Hand all statements of a file to `take`, some thousands at a time.

    Raises MalformedError; what came before it has been handed over.
    """

    def emit(chunk: Chunk, done: int) -> None:
        try:
            take(chunk, done)
        except UnfitError as error:
            found = (column.index(error.token) for column in chunk if error.token in column)
            if first := min(found):
                emit(cut(chunk, 0, first), done)  # which may have one of its own
            raise

    try:
        with path.open("rb") as file:
            if format != "ttl":
                _read_lines(path, file, format, emit)
                return
            try:
                import pyoxigraph
            except ImportError:
                _read_with_rdflib(path, file, emit)
            else:
                _read_with_pyoxigraph(pyoxigraph, path, file, emit)
    except UnfitError as error:
        raise _located(path, error) from None


def _read_lines(path: Path, file: BinaryIO, format: Format, emit: Emit) -> None:
    pattern, number, rest = _LINES[format], 0, b""
    groups = pattern.groups
    while True:
        block = file.read(_BLOCK)
        text = rest + block
        end = text.rfind(b"\n") + 1 if block else len(text)
        if not end and len(text) > _LONGEST:
            raise MalformedError(str(path), number + 1, None, "the line is over 64 MB long")
        text, rest = text[:end], text[end:]
        if text:
            if b"\r" in text:
                text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            lines = text.count(b"\n") + (not text.endswith(b"\n"))
            found = pattern.findall(text)
            # An empty match behind the last line break is no line.
            whole = len(found) - text.endswith(b"\n") == lines and _is_utf8(text)
            if not whole:
                text, error = _first_fault(path, text, number, format)
                found = pattern.findall(text)
            if found and not found[-1][0]:  # the end, mostly
                found.pop()
            tokens = list(chain.from_iterable(found))
            if b"" in tokens[::groups]:
                tokens = list(chain.from_iterable(match for match in found if match[0]))
            if tokens:
                columns = [tokens[place::groups] for place in range(groups)]
                if format == "nt":
                    columns.append([b""] * len(columns[0]))
                emit((columns[0], columns[1], columns[2], columns[3]), file.tell())
            if not whole:
                raise error
            number += lines
        if not block:
            return


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _first_fault(
    path: Path, text: bytes, before: int, format: Format
) -> tuple[bytes, MalformedError]:
    """What stands before the first line that is not right, and what is wrong with that."""
    start = 0
    for number, line in enumerate(text.split(b"\n"), before + 1):
        if _LINES[format].fullmatch(line) is None or not _is_utf8(line):
            return text[:start], MalformedError(str(path), number, *_fault(line, format))
        start += len(line) + 1
    raise AssertionError("the lines agree with the grammar one by one, but not together")


def _fault(line: bytes, format: Format) -> tuple[int, str]:
    """Where a line departs from the grammar, from 1, and how."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode()) + 1
        return column, f"not UTF-8 (byte 0x{line[error.start]:02x})"
    place = 0
    for part, message in (*_GRAMMARS[format], (_REST + rb"$", "nothing follows the full stop")):
        match = re.compile(_SPACE + part).match(line, place)
        if match is None:
            space = re.compile(_SPACE).match(line, place)
            column = len(line[: space.end() if space else place].decode()) + 1
            return column, message
        place = match.end()
    raise AssertionError(f"the line is right: {line[:80]!r}")


class _Gathered:
    """Triples that a parser gives one by one, handed over some thousands at a time."""

    def __init__(self, file: BinaryIO, emit: Emit) -> None:
        self._file = file
        self._emit = emit
        self._triples: list[tuple[bytes, bytes, bytes]] = []

    def add(self, subject: str, predicate: str, obj: str) -> None:
        self._triples.append((subject.encode(), predicate.encode(), obj.encode()))
        if len(self._triples) == _STATEMENTS:
            self.hand_over()

    def hand_over(self) -> None:
        if self._triples:
            subjects, predicates, objects = zip(*self._triples, strict=True)
            self._triples.clear()
            self._emit((subjects, predicates, objects, (b"",) * len(subjects)), self._file.tell())


def _read_with_pyoxigraph(pyoxigraph: Any, path: Path, file: BinaryIO, emit: Emit) -> None:
    gathered, base = _Gathered(file, emit), path.resolve().as_uri()
    try:
        for quad in pyoxigraph.parse(file, format=pyoxigraph.RdfFormat.TURTLE, base_iri=base):
            obj = quad.object
            form = f"<<{obj}>>" if isinstance(obj, pyoxigraph.Triple) else str(obj)
            gathered.add(str(quad.subject), str(quad.predicate), form)
    except SyntaxError as error:
        gathered.hand_over()
        raise MalformedError(str(path), error.lineno or 1, error.offset, error.msg) from None
    gathered.hand_over()


def _read_with_rdflib(path: Path, file: BinaryIO, emit: Emit) -> None:
    from rdflib.graph import Graph
    from rdflib.plugins.parsers.notation3 import BadSyntax
    from rdflib.store import Store

    gathered = _Gathered(file, emit)

    class Sink(Store):
        def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
            gathered.add(*map(_form, triple))

    try:
        Graph(store=Sink()).parse(file, format="turtle", publicID=path.resolve().as_uri())
    except BadSyntax as error:
        gathered.hand_over()
        text, at = getattr(error, "_str", b""), getattr(error, "_i", 0)
        column = len(text[text.rfind(b"\n", 0, at) + 1 : at].decode(errors="replace")) + 1
        why = getattr(error, "_why", str(error))
        raise MalformedError(str(path), error.lines + 1, column, str(why)) from None
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start)
        line = error.object.split(b"\n")[number]
        raise MalformedError(str(path), number + 1, *_fault(line, "nt")) from None
    except UnfitError:
        gathered.hand_over()
        raise
    gathered.hand_over()


def _form(node: Any) -> str:
    from graphmem.hexastore import terms

    try:
        return terms.term(node).n3()
    except InvalidTermError as error:
        raise UnfitError(str(node).encode(errors="replace"), str(error)) from None


def _located(path: Path, error: UnfitError) -> MalformedError:
    """The error with the place where the token first stands, if it does as it was given."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if (place := line.find(error.token)) >= 0:
                column = len(line[:place].decode(errors="replace")) + 1
                return MalformedError(str(path), number, column, str(error))
    return MalformedError(str(path), 1, None, f"somewhere in the file, {error}")


_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_CHARACTERS: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def unescape(token: str) -> str:
    """A token of N-Triples with its escapes resolved. Raises ValueError for no character."""
    return _ESCAPED.sub(partial(_character), token)


def _character(match: re.Match[str]) -> str:
    if code := match[1] or match[2]:
        character = chr(int(code, 16))
        character.encode()  # a lone surrogate is none
        return character
    return _CHARACTERS.get(match[3], match[3])
