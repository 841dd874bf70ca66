"""Reading of RDF files: N-Triples, N-Quads and Turtle, parsed by rdflib; Turtle by the faster
pyoxigraph, where that is installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, NamedTuple, TypeAlias, get_args

from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.ntriples import W3CNTriplesParser, r_tail, r_wspace, unquote
from rdflib.term import BNode, URIRef

from graphmem.errors import InvalidArgumentError, InvalidTermError, MalformedError, ReservedError
from graphmem.hexastore import terms
from graphmem.hexastore.terms import IRI, RDF_LANG_STRING, XSD_STRING, Term

Format: TypeAlias = Literal["nt", "nq", "ttl"]
_FORMATS: Final[tuple[Format, ...]] = get_args(Format)
_OWN: Final = ("memory:formula/", "memory:variable/", "memory:Node")
_SUBJECT: Final = "a subject is an IRI in <> or a blank node"
_PREDICATE: Final = "a predicate is an IRI in <>"
# The grammar of N-Triples; rdflib's patterns accept more.
_CHARACTER: Final = r"u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}"
_IN_IRI: Final = r'[^\x00-\x20<>"{}|^`\\]*+'
_IRI: Final = rf"<([A-Za-z][A-Za-z0-9+.\-]*:{_IN_IRI}(?:\\(?:{_CHARACTER}){_IN_IRI})*+)>"
_IN_LITERAL: Final = r'[^"\\\r\n]*+'
_LITERAL: Final = rf"""\"({_IN_LITERAL}(?:\\(?:[tbnrf"'\\]|{_CHARACTER}){_IN_LITERAL})*+)\""""
_R_IRI: Final = re.compile(_IRI)
_R_LITERAL: Final = re.compile(rf"{_LITERAL}(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^{_IRI})?")
_LONGEST: Final = 64 << 20  # bytes of a line


class Statement(NamedTuple):
    """A triple of a file; `graph` is the name of its graph in the file, or ""."""

    subject: Term
    predicate: Term
    object: Term
    graph: str


Take: TypeAlias = Callable[[Statement, int], None]
"""Called with a statement, and how many bytes of the file have been read."""


def format_of(path: Path, given: str | None = None) -> Format:
    """The format of a file by its name, unless one is given. Raises InvalidArgumentError."""
    suffix = given if given is not None else path.suffix.lower().removeprefix(".")
    for known in _FORMATS:
        if suffix == known:
            return known
    raise InvalidArgumentError(
        f"{path}: the format {suffix!r:.80} is not one of nt, nq, ttl (N-Triples, N-Quads, "
        "Turtle); name it with format=, --format in a command"
    )


def read(path: Path, format: Format, salt: str, take: Take) -> None:
    """Call `take` with each statement of a file.

    salt: makes the labels of blank nodes unique to the file. Raises ReservedError for triples that
    only graphmem writes, and MalformedError, after `take` got the statements before.
    """
    with path.open("rb") as file:
        if format != "ttl":
            _read_lines(path, file, format, salt, take)
            return
        try:
            import pyoxigraph
        except ImportError:
            _read_with_rdflib(path, file, take)
        else:
            _read_with_pyoxigraph(pyoxigraph, path, file, salt, take)


def _statement(s: Term, p: Term, o: Term, graph: Term | None = None) -> Statement:
    if isinstance(s, terms.Literal):
        raise InvalidTermError(f"{_SUBJECT}, not a literal")
    if not isinstance(p, IRI):
        raise InvalidTermError(f"{_PREDICATE}, not a blank node or a literal")
    if p.value.startswith("memory:"):
        raise ReservedError(f"{p.n3()} is written by graphmem itself; use a predicate of your own")
    named = "" if graph is None else str(graph) if isinstance(graph, IRI) else graph.n3()
    return Statement(s, p, o, named)


def _term(node: object) -> Term:
    term = terms.term(node)
    if isinstance(term, IRI) and term.value.startswith(_OWN):
        raise ReservedError(f"{term.n3()} is graphmem's own; use another IRI")
    return term


class _Parser(W3CNTriplesParser):
    """rdflib's parser, but keeps the labels of blank nodes and the lexical forms of literals."""

    line: str

    def __init__(self, salt: str) -> None:
        super().__init__(bnode_context=_Labels(salt))
        self.part = self.rest = ""
        """What is expected next, for errors, and the rest of the line from there."""

    def statement(self, line: str, named: bool) -> Statement | None:
        """The statement in a line, None if there is none. Raises ParserError, ValueError."""
        self.line = line
        self._begin(_SUBJECT)
        if not self.line or self.line.startswith("#"):
            return None
        subject = _term(self.subject())
        self._begin(_PREDICATE)
        predicate = _term(self.predicate())
        self._begin("an object is an IRI in <>, a blank node or a literal")
        obj = _term(self.object())
        self._begin("the name of a graph is an IRI in <> or a blank node")
        graph = (self.uriref() or self.nodeid()) if named else None
        name = _term(graph) if graph else None
        self._begin("a statement ends with a full stop")
        self.eat(r_tail)
        self._begin("nothing follows the full stop")
        if self.line:
            raise ParserError(self.part)
        return _statement(subject, predicate, obj, name)

    def _begin(self, part: str) -> None:
        self.eat(r_wspace)
        self.part, self.rest = part, self.line

    def uriref(self) -> Any:
        return URIRef(unquote(self.eat(_R_IRI).group(1))) if self.peek("<") else False

    def literal(self) -> Any:
        if not self.peek('"'):
            return False
        lexical, language, datatype = self.eat(_R_LITERAL).groups()
        if language:  # tags are case-insensitive, and rdflib lowers them
            return terms.Literal(unquote(lexical), RDF_LANG_STRING, language.lower())
        return terms.Literal(unquote(lexical), unquote(datatype) if datatype else XSD_STRING)


class _Labels(dict[str, BNode]):
    """Maps a label to the same blank node each time that the file is read."""

    def __init__(self, salt: str) -> None:
        super().__init__()
        self._salt = salt

    def get(self, label: str, default: Any = None) -> BNode:
        return BNode(f"b{self._salt}{label}")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    for line in iter(partial(file.readline, _LONGEST + 1), b""):
        yield from [line] if len(line) > _LONGEST else line.splitlines()


def _read_lines(path: Path, file: BinaryIO, format: Format, salt: str, take: Take) -> None:
    parser = _Parser(salt)
    for number, raw in enumerate(_lines(file), 1):
        if len(raw) > _LONGEST:
            raise MalformedError(str(path), number, None, "the line is over 64 MB long")
        try:
            line = raw.decode()
            statement = parser.statement(line, named=format == "nq")
        except UnicodeDecodeError as error:
            raise _undecoded(path, number, raw, error) from None
        except ReservedError:
            raise
        except (ParserError, ValueError) as error:
            why = parser.part if isinstance(error, ParserError) else str(error)
            column = len(line) - len(parser.rest) + 1
            raise MalformedError(str(path), number, column, why) from None
        if statement is not None:
            take(statement, file.tell())


def _undecoded(path: Path, number: int, line: bytes, error: UnicodeDecodeError) -> MalformedError:
    start = error.start
    column = len(line[:start].decode(errors="replace")) + 1
    return MalformedError(str(path), number, column, f"not UTF-8 (byte 0x{line[start]:02x})")


def _read_with_pyoxigraph(
    pyoxigraph: Any, path: Path, file: BinaryIO, salt: str, take: Take
) -> None:
    base = path.resolve().as_uri()

    def made(node: Any) -> Term:
        if isinstance(node, pyoxigraph.NamedNode):
            return _term(IRI(node.value))
        if isinstance(node, pyoxigraph.BlankNode):
            return _term(terms.BlankNode(f"b{salt}{node.value}"))
        if not isinstance(node, pyoxigraph.Literal) or getattr(node, "direction", None):
            raise InvalidTermError(f"{str(node)[:80]} is of RDF 1.2, and not stored")
        if node.language:
            return _term(terms.Literal(node.value, RDF_LANG_STRING, node.language.lower()))
        return _term(terms.Literal(node.value, node.datatype.value))

    quads = pyoxigraph.parse(file, format=pyoxigraph.RdfFormat.TURTLE, base_iri=base)
    while True:
        try:
            if (quad := next(quads, None)) is None:
                return
            statement = _statement(made(quad.subject), made(quad.predicate), made(quad.object))
        except SyntaxError as error:
            raise MalformedError(str(path), error.lineno or 1, error.offset, error.msg) from None
        except InvalidTermError as error:
            raise MalformedError(str(path), 1, None, f"somewhere in the file, {error}") from None
        take(statement, file.tell())


def _read_with_rdflib(path: Path, file: BinaryIO, take: Take) -> None:
    from rdflib.graph import Graph
    from rdflib.plugins.parsers.notation3 import RDFSink, SinkParser
    from rdflib.store import Store

    taking = False

    class Taking(Store):
        def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
            nonlocal taking
            s, p, o = map(_term, triple)
            statement = _statement(s, p, o)
            taking = True
            take(statement, file.tell())
            taking = False

    base = path.resolve().as_uri()
    parser = SinkParser(RDFSink(Graph(store=Taking())), baseURI=base, turtle=True)
    try:
        parser.loadStream(file)
    except Exception as error:  # rdflib's parser raises any kind, IndexError at a file's end
        if taking or isinstance(error, OSError | MemoryError | ReservedError):
            raise
        raise _unparsed(path, parser.lines + 1, error) from None


def _unparsed(path: Path, line: int, error: Exception) -> MalformedError:
    """The error for an exception of rdflib's parser of Turtle."""
    from rdflib.plugins.parsers.notation3 import BadSyntax

    if isinstance(error, BadSyntax):
        text, at = getattr(error, "_str", b""), getattr(error, "_i", 0)
        column = len(text[text.rfind(b"\n", 0, at) + 1 : at].decode(errors="replace")) + 1
        return MalformedError(str(path), line, column, str(getattr(error, "_why", error)))
    if isinstance(error, UnicodeDecodeError):
        before = error.object[: error.start]
        start = before.rfind(b"\n") + 1
        error.start -= start
        return _undecoded(path, before.count(b"\n") + 1, error.object[start:], error)
    if isinstance(error, InvalidTermError):
        return MalformedError(str(path), line, None, str(error))
    why = f"no Turtle, or cut short ({type(error).__name__}: {str(error)[:80]})"
    return MalformedError(str(path), line, None, why)
