"""Tokens: terms as they stand in RDF files, in N-Triples form, and what the store makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from graphmem.errors import ReservedError
from graphmem.hexastore import terms
from graphmem.hexastore.terms import IRI, RDF_LANG_STRING, XSD_STRING, BlankNode, Literal, Term
from graphmem.rdf import statements
from graphmem.rdf.statements import UnfitError

# A literal whose form in the dictionary may be another than the one in the file, or that may be
# unfit: characters that are escaped otherwise, a tag in capitals or with a direction, a datatype
# that may be in the id, or that is implied.
_REWRITTEN: Final = re.compile(
    rb'\\[^\\"nrtbf]|[\t\x08\x0c]|"@.*(?:[A-Z]|--)|"\^\^<(?:.*\\|'
    rb"http://www\.w3\.org/2001/XMLSchema#(?:integer|date|dateTime|string)>)"
)
_TYPE: Final = f"<{terms.RDF_TYPE}>".encode()
_OWN: Final = ("memory:formula/", "memory:variable/", "memory:Node")


def identify(token: bytes, salt: str) -> tuple[bytes, bytes]:
    """The id of a token's term, and its form in the dictionary, empty for a term that is in its id.

    salt: makes the labels of blank nodes those of one file. Raises ReservedError, UnfitError.
    """
    first = token[0]
    if first == 0x22:
        if not _REWRITTEN.search(token):
            return b"\x04" + blake2b(token, digest_size=15).digest(), token
    elif first != 0x3C:
        token = b"_:b" + salt.encode() + token[2:]
        return b"\x03" + blake2b(token, digest_size=15).digest(), token
    elif not (
        b"\\" in token or token == _TYPE or token.startswith((b"<node:", b"<memory:", b"<<"))
    ):
        return b"\x02" + blake2b(token, digest_size=15).digest(), token
    found = term(token, salt)
    identifier = terms.encode(found)
    return identifier, b"" if terms.is_inline(identifier) else found.n3().encode()


def term(token: bytes, salt: str) -> Term:
    """The term that a token stands for. Raises ReservedError, UnfitError."""
    text = token.decode()
    try:
        if text.startswith('"'):
            return terms.term(_literal(text))
        return terms.term(_iri(text)) if text.startswith("<") else BlankNode(f"b{salt}{text[2:]}")
    except ReservedError:
        raise
    except ValueError as error:  # an escape that is no character, an IRI with a space
        raise UnfitError(token, str(error)) from None


def check_predicates(tokens: Iterable[bytes]) -> None:
    """Raise ReservedError if a predicate is one of graphmem's own."""
    for token in set(tokens):
        predicate = term(token, "")
        if str(predicate).startswith("memory:"):
            raise ReservedError(
                f"{predicate.n3()} is written by graphmem itself; use a predicate of your own"
            )


def _iri(token: str) -> IRI:
    if token.startswith("<<"):
        raise ValueError("a triple as a term, of RDF 1.2, is not stored")
    value = statements.unescape(token[1:-1])
    if value.startswith(_OWN):
        raise ReservedError(f"<{value}> is graphmem's own; use another IRI")
    return IRI(value)


def _literal(token: str) -> Literal:
    end = token.rindex('"')
    lexical = statements.unescape(token[1:end])
    tail = token[end + 1 :]
    if tail.startswith("@"):
        # Language tags do not differ by case, and rdflib writes them small.
        return Literal(lexical, RDF_LANG_STRING, tail[1:].lower())
    return Literal(lexical, statements.unescape(tail[3:-1]) if tail else XSD_STRING)
