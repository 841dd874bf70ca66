"""Streamed export of triples to files: N-Triples, N-Quads, Turtle, JSON-LD, GraphML."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, BinaryIO, Final, Literal, TypeAlias, get_args
from xml.sax.saxutils import escape, quoteattr

from graphmem.hexastore import keys, terms, triples
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import Scope
from graphmem.hexastore.terms import IRI, BlankNode, Term
from graphmem.rdf.bulk import DEFAULT_GRAPH
from graphmem.storage.engine import Reader

Format: TypeAlias = Literal["nt", "nq", "ttl", "jsonld", "graphml"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
_FORMULA: Final = "memory:formula/"  # not asserted, so not exported
_REPORTED: Final = 200  # triples between two calls of `progress`

Row: TypeAlias = tuple[Term, Term, Term]


def export(
    reader: Reader,
    graphs: Sequence[Scope],
    file: BinaryIO,
    format: Format,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write the triples of scopes to a file; returns how many. Of a memory only its facts; formulae
    of N3 are left out. N-Quads and JSON-LD name the graph of a triple. progress: called with the
    number of triples written and that of all."""
    asserted = [scope for scope in graphs if not scope.name.startswith(_FORMULA)]
    count, total = 0, sum(scope.read_state(reader).triples for scope in asserted)

    def counted(scope: Scope) -> Iterator[Row]:
        nonlocal count
        for row in facts(reader, scope):
            count += 1
            if progress is not None and count % _REPORTED == 0:
                progress(count, total)
            yield row

    for text in _WRITERS[format]((scope, counted(scope)) for scope in asserted):
        file.write(text.encode())
    return count


def facts(reader: Reader, scope: Scope) -> Iterator[Row]:
    """The triples of a graph, or the facts of a memory, by subject."""
    known = lru_cache(100_000)(partial(triples.lookup, reader, scope))
    for key in reader.keys(*keys.under(scope.prefix(Space.SPO))):
        yield known(key[5:21]), known(key[21:37]), known(key[37:53])


_Graphs: TypeAlias = Iterable[tuple[Scope, Iterator[Row]]]


def _lines(graphs: _Graphs, named: bool = False) -> Iterator[str]:
    for scope, rows in graphs:
        tail = f" {_graph(scope)} .\n" if named and scope.name != DEFAULT_GRAPH else " .\n"
        for s, p, o in rows:
            yield f"{s.n3()} {p.n3()} {o.n3()}{tail}"


def _graph(scope: Scope) -> str:
    if scope.name.startswith("_:"):
        return scope.name
    return f"<{scope.name if scope.kind == 'rdf' else 'memory:scope/' + scope.name}>"


def _turtle(graphs: _Graphs) -> Iterator[str]:
    for _, rows in graphs:
        for subject, own in groupby(rows, key=lambda row: row[0]):
            yield subject.n3()
            separator = " "
            for predicate, same in groupby(own, key=lambda row: row[1]):
                objects = [o.n3() for _, _, o in same]
                verb = "a" if predicate == IRI(terms.RDF_TYPE) else predicate.n3()
                yield f"{separator}{verb} {', '.join(objects)}"
                separator = " ;\n    "
            yield " .\n"


def _json_ld(graphs: _Graphs) -> Iterator[str]:
    separator = "[\n"
    for scope, rows in graphs:
        default = scope.name == DEFAULT_GRAPH or scope.kind == "memory"
        if not default:
            yield f'{separator}{{"@id": {json.dumps(scope.name)}, "@graph": [\n'
            separator = ""
        for subject, own in groupby(rows, key=lambda row: row[0]):
            node: dict[str, Any] = {"@id": _id(subject)}
            for _, predicate, obj in own:
                if predicate == IRI(terms.RDF_TYPE) and not isinstance(obj, terms.Literal):
                    node.setdefault("@type", []).append(_id(obj))
                else:
                    node.setdefault(str(predicate), []).append(_value(obj))
            yield separator + json.dumps(node, ensure_ascii=False)
            separator = ",\n"
        if not default:
            yield "\n]}"
            separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _id(term: Term) -> str:
    return term.n3() if isinstance(term, BlankNode) else str(term)


def _value(term: Term) -> dict[str, str]:
    if not isinstance(term, terms.Literal):
        return {"@id": _id(term)}
    value = {"@value": term.lexical}
    if term.language is not None:
        value["@language"] = term.language
    elif term.datatype != terms.XSD_STRING:
        value["@type"] = term.datatype
    return value


def _graphml(graphs: _Graphs) -> Iterator[str]:
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '<key id="term" for="node" attr.name="term" attr.type="string"/>\n'
        '<key id="predicate" for="edge" attr.name="predicate" attr.type="string"/>\n'
        '<graph id="graphmem" edgedefault="directed">\n'
    )
    seen = set()
    for _, rows in graphs:
        for s, p, o in rows:
            for term in (s, o):
                if (name := terms.encode(term).hex()) not in seen:
                    seen.add(name)
                    yield f'<node id="n{name}"><data key="term">{_xml(term.n3())}</data></node>\n'
            ends = (f"n{terms.encode(term).hex()}" for term in (s, o))
            yield "<edge source={} target={}>".format(*map(quoteattr, ends))
            yield f'<data key="predicate">{_xml(str(p))}</data></edge>\n'
    yield "</graph>\n</graphml>\n"


def _xml(text: str) -> str:
    # XML 1.0 does not allow most control characters; N-Triples can escape them as \u….
    whole = "".join(f"\\u{ord(c):04X}" if c < " " or c in "\ufffe\uffff" else c for c in text)
    return escape(whole)


_WRITERS: Final[dict[Format, Callable[[_Graphs], Iterator[str]]]] = {
    "nt": _lines,
    "nq": partial(_lines, named=True),
    "ttl": _turtle,
    "jsonld": _json_ld,
    "graphml": _graphml,
}
