"""RDF files as statements: chunks of terms in N-Triples form, or an error with line and column.

N-Triples and N-Quads are taken apart by a regular expression, half a MB at a time. Turtle is parsed
by pyoxigraph where it is installed (the extra `bench`), otherwise by rdflib, several times slower.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias, get_args

from graphmem.errors import InvalidArgumentError, MalformedError, MissingError

Format: TypeAlias = Literal["nt", "nq", "ttl"]
_FORMATS: Final[tuple[Format, ...]] = get_args(Format)

Chunk: TypeAlias = tuple[Sequence[bytes], Sequence[bytes], Sequence[bytes], Sequence[bytes]]
"""Subjects, predicates, objects and graphs of some statements; the default graph is `b""`."""
Emit: TypeAlias = Callable[[Chunk, int], None]
"""Takes a chunk, and how many bytes of the file have been read."""

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
        f"{path}: the format {suffix!r} is not one of nt, nq, ttl (N-Triples, N-Quads, Turtle); "
        "name it with format"
    )


def read(path: Path, format: Format, emit: Emit) -> None:
    """Hand all statements of a file to `emit`, some thousands at a time.

    Raises MalformedError; what came before it has been handed over. MissingError for no file.
    """
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
    except FileNotFoundError as error:
        raise MissingError(error.errno, "there is no such file", str(path)) from None


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


def _read_with_pyoxigraph(pyoxigraph: Any, path: Path, file: BinaryIO, emit: Emit) -> None:
    base = path.resolve().as_uri()
    try:
        quads = pyoxigraph.parse(file, format=pyoxigraph.RdfFormat.TURTLE, base_iri=base)
        while some := list(islice(quads, _STATEMENTS)):
            emit(
                (
                    [str(quad.subject).encode() for quad in some],
                    [str(quad.predicate).encode() for quad in some],
                    [str(quad.object).encode() for quad in some],
                    [b""] * len(some),
                ),
                file.tell(),
            )
    except SyntaxError as error:
        raise MalformedError(str(path), error.lineno or 1, error.offset, error.msg) from None


def _read_with_rdflib(path: Path, file: BinaryIO, emit: Emit) -> None:
    from rdflib.graph import Graph
    from rdflib.plugins.parsers.notation3 import BadSyntax
    from rdflib.store import Store

    waiting: list[tuple[bytes, bytes, bytes]] = []

    def write() -> None:
        if waiting:
            subjects, predicates, objects = zip(*waiting, strict=True)
            emit((subjects, predicates, objects, (b"",) * len(waiting)), file.tell())
            waiting.clear()

    class Sink(Store):
        def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
            subject, predicate, obj = map(_form, triple)
            waiting.append((subject, predicate, obj))
            if len(waiting) == _STATEMENTS:
                write()

    try:
        Graph(store=Sink()).parse(file, format="turtle", publicID=path.resolve().as_uri())
    except BadSyntax as error:
        write()
        text, at = getattr(error, "_str", b""), getattr(error, "_i", 0)
        column = len(text[text.rfind(b"\n", 0, at) + 1 : at].decode(errors="replace")) + 1
        why = getattr(error, "_why", str(error))
        raise MalformedError(str(path), error.lines + 1, column, str(why)) from None
    write()


def _form(node: Any) -> bytes:
    from graphmem.hexastore import terms

    return terms.term(node).n3().encode()


def locate(path: Path, token: bytes) -> tuple[int, int]:
    """Line and column, from 1, where a token first stands in a file of lines."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if (place := line.find(token)) >= 0:
                return number, len(line[:place].decode(errors="replace")) + 1
    return 1, 1


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
