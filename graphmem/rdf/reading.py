"""RDF files read: N-Triples, N-Quads and Turtle, parsed by rdflib; Turtle by pyoxigraph, which is
faster, where that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, NamedTuple, TypeAlias, get_args

from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.ntriples import (
    W3CNTriplesParser,
    r_literal,
    r_tail,
    r_wspace,
    unquote,
)
from rdflib.term import BNode

from graphmem.errors import InvalidArgumentError, InvalidTermError, MalformedError, ReservedError
from graphmem.hexastore import terms
from graphmem.hexastore.terms import IRI, RDF_LANG_STRING, XSD_STRING, Term

Format: TypeAlias = Literal["nt", "nq", "ttl"]
_FORMATS: Final[tuple[Format, ...]] = get_args(Format)
_OWN: Final = ("memory:formula/", "memory:variable/", "memory:Node")
_WHAT: Final = (
    "an IRI or a blank node, an IRI, an IRI or a blank node or a literal, in N-Quads perhaps the "
    "name of a graph, and a full stop"
)
_LONGEST: Final = 64 << 20  # bytes of a line
_TERMS: Final = 65_536  # that are kept


class Statement(NamedTuple):
    """A triple of a file; `graph` is the name of the graph that the file says it is of, or ""."""

    subject: Term
    predicate: Term
    object: Term
    graph: str


Take: TypeAlias = Callable[[Statement, int], None]
"""Takes a statement, and how many bytes of the file have been read."""


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


def read(path: Path, format: Format, salt: str, take: Take) -> None:
    """Hand each statement of a file to `take`.

    salt: makes the labels of blank nodes those of the file. Raises ReservedError for what graphmem
    alone writes, and MalformedError; what came before it has been handed over.
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


def _statement(s: object, p: object, o: object, graph: object = None) -> Statement:
    predicate = _term(p)
    if str(predicate).startswith("memory:"):
        raise ReservedError(
            f"{predicate.n3()} is written by graphmem itself; use a predicate of your own"
        )
    name = None if not graph else _term(graph)
    named = "" if name is None else str(name) if isinstance(name, IRI) else name.n3()
    return Statement(_term(s), predicate, _term(o), named)


@lru_cache(_TERMS)
def _term(node: object) -> Term:
    term = terms.term(node)
    if isinstance(term, IRI) and term.value.startswith(_OWN):
        raise ReservedError(f"{term.n3()} is graphmem's own; use another IRI")
    return term


class _Parser(W3CNTriplesParser):
    """rdflib's, which keeps the labels of blank nodes and the lexical forms of literals."""

    line: str

    def __init__(self, salt: str) -> None:
        super().__init__(bnode_context=_Labels(salt))

    def statement(self, line: str, named: bool) -> Statement | None:
        """The statement in a line, None if there is none. Raises ParserError, ValueError."""
        self.line = line
        self.eat(r_wspace)
        if not self.line or self.line.startswith("#"):
            return None
        subject = self.subject()
        self.eat(r_wspace)
        predicate = self.predicate()
        self.eat(r_wspace)
        obj = self.object()
        self.eat(r_wspace)
        graph = (self.uriref() or self.nodeid()) if named else None
        self.eat(r_tail)
        if self.line:
            raise ParserError("behind the full stop")
        return _statement(subject, predicate, obj, graph)

    def literal(self) -> Any:
        if not self.peek('"'):
            return False
        lexical, language, datatype = self.eat(r_literal).groups()
        if language:  # tags do not differ by case, and rdflib writes them small
            return terms.Literal(unquote(lexical), RDF_LANG_STRING, language.lower())
        return terms.Literal(unquote(lexical), unquote(datatype) if datatype else XSD_STRING)


class _Labels(dict[str, BNode]):
    """The same blank node for a label each time that the file is read."""

    def __init__(self, salt: str) -> None:
        super().__init__()
        self._salt = salt

    def get(self, label: str, default: Any = None) -> BNode:
        return BNode(f"b{self._salt}{label}")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    for line in iter(partial(file.readline, _LONGEST), b""):
        yield from line.splitlines()


def _read_lines(path: Path, file: BinaryIO, format: Format, salt: str, take: Take) -> None:
    parser = _Parser(salt)
    for number, raw in enumerate(_lines(file), 1):
        try:
            line = raw.decode()
            statement = parser.statement(line, named=format == "nq")
        except UnicodeDecodeError as error:
            raise _undecoded(path, number, raw, error) from None
        except ParserError:
            column = len(line) - len(parser.line) + 1
            raise MalformedError(str(path), number, column, f"no statement: {_WHAT}") from None
        except ReservedError:
            raise
        except ValueError as error:  # an escape that is no character, an IRI with a space
            raise MalformedError(str(path), number, None, str(error)) from None
        if statement is not None:
            take(statement, file.tell())


def _undecoded(path: Path, number: int, line: bytes, error: UnicodeDecodeError) -> MalformedError:
    start = error.start
    column = len(line[:start].decode(errors="replace")) + 1
    return MalformedError(str(path), number, column, f"not UTF-8 (byte 0x{line[start]:02x})")


def _read_with_pyoxigraph(
    pyoxigraph: Any, path: Path, file: BinaryIO, salt: str, take: Take
) -> None:
    parser, base = _Parser(salt), path.resolve().as_uri()
    try:
        for quad in pyoxigraph.parse(file, format=pyoxigraph.RdfFormat.TURTLE, base_iri=base):
            line = f"{quad.subject} {quad.predicate} {quad.object} ."
            if (statement := parser.statement(line, named=False)) is not None:
                take(statement, file.tell())
    except SyntaxError as error:
        raise MalformedError(str(path), error.lineno or 1, error.offset, error.msg) from None
    except (ParserError, InvalidTermError) as error:
        raise MalformedError(str(path), 1, None, f"somewhere in the file, {error}") from None


def _read_with_rdflib(path: Path, file: BinaryIO, take: Take) -> None:
    from rdflib.graph import Graph
    from rdflib.plugins.parsers.notation3 import BadSyntax, RDFSink, SinkParser
    from rdflib.store import Store

    class Taking(Store):
        def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
            take(_statement(*triple), file.tell())

    base = path.resolve().as_uri()
    parser = SinkParser(RDFSink(Graph(store=Taking())), baseURI=base, turtle=True)
    try:
        parser.loadStream(file)
    except BadSyntax as error:
        text, at = getattr(error, "_str", b""), getattr(error, "_i", 0)
        column = len(text[text.rfind(b"\n", 0, at) + 1 : at].decode(errors="replace")) + 1
        why = getattr(error, "_why", str(error))
        raise MalformedError(str(path), error.lines + 1, column, str(why)) from None
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        start = before.rfind(b"\n") + 1
        error.start -= start
        raise _undecoded(path, before.count(b"\n") + 1, error.object[start:], error) from None
    except InvalidTermError as error:
        raise MalformedError(str(path), parser.lines + 1, None, str(error)) from None
