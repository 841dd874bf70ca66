"""Verbs: how a method that users call is declared, once for every interface.

`@verb(…)` marks a method of a class with what an interface must know beyond its signature and its
docstring: whether it writes, whether it may be repeated, whether only the owner's process can do
it, its command, whether agents get it as a tool. `@noun(…)` marks a method or property that returns
a sub-object with verbs of its own. `verbs_of` lists what a class declares; the listener's table,
the commands, the tools' schemas and the tests of completeness are made from that list.

`sends(cls)` makes a class whose verbs send the call to another process. It replaces each declared
method by one that calls `self._send(verb, given, named, of)`. `does(declared)` makes a method that
does a verb with a long signature, and takes that signature from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

_Method = TypeVar("_Method", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_MARK: Final = "__graphmem_verb__"
_NOUN: Final = "__graphmem_noun__"


@dataclass(frozen=True, slots=True)
class Verb:
    """A declared method."""

    name: str
    """Unique among all verbs: `recall`, `facts.put`."""
    method: str
    """The attribute of the object that it belongs to."""
    signature: Signature
    """With `self` and, as in all sources here, annotations as text."""
    doc: str
    is_property: bool = False
    writes: bool = False
    """It may change the memory. A recall that counts a use does."""
    idempotent: bool = True
    """Doing it twice leaves the memory as doing it once does; always true of what only reads."""
    owner_only: str = ""
    """If it works in the owner's process only: what another process is advised to do."""
    owner_arguments: Mapping[str, str] = field(default_factory=dict)
    """The same for single arguments."""
    command: str | None = None
    """Its command; None where its name is no word (`__len__`) or it makes no sense outside Python.
    `verb` names it after the method if it is not told, and takes "" for none."""
    tool: bool = False
    """Agents get it as a tool."""
    of: str | None = None
    """The sub-object that it belongs to, such as `facts`; None for the memory itself."""
    of_arguments: int = 0
    """How many arguments the sub-object itself takes."""
    waits: bool = False
    """It may wait for what others do: it takes no turn from them."""
    terms: bool = False
    """Its arguments stand in triples: a node is an IRI, and rdflib's terms are known."""
    joins: bool = False
    """It may be called within `transaction()`. All verbs of a sub-object that joins may, but those
    that wait."""

    @property
    def parameters(self) -> list[Parameter]:
        """Its parameters without `self`."""
        return list(self.signature.parameters.values())[1:]

    @property
    def summary(self) -> str:
        """The first paragraph of its contract, on one line."""
        return " ".join(self.doc.split("\n\n")[0].split())


@dataclass(frozen=True, slots=True)
class _Noun:
    home: str
    terms: bool
    joins: bool

    @property
    def kind(self) -> type:
        """The class of the sub-object."""
        module, _, name = self.home.partition(":")
        found: type = getattr(import_module(module), name)
        return found


def verb(
    *,
    writes: bool = False,
    idempotent: bool | None = None,
    owner_only: str = "",
    owner_arguments: Mapping[str, str] | None = None,
    command: str | None = None,
    tool: bool = False,
    waits: bool = False,
    joins: bool = False,
) -> Callable[[_Method], _Method]:
    """Declare a method as a verb; the fields of `Verb` say what each argument means.

    `idempotent` is true by default of what does not write. Below `@property`, it declares the
    property.
    """

    def mark(method: _Method) -> _Method:
        declared = Verb(
            name=method.__name__,
            method=method.__name__,
            signature=signature(method),
            doc=method.__doc__ or "",
            writes=writes,
            idempotent=not writes if idempotent is None else idempotent,
            owner_only=owner_only,
            owner_arguments=owner_arguments or {},
            command=_command(method.__name__, command),
            tool=tool,
            waits=waits,
            joins=joins,
        )
        setattr(method, _MARK, declared)
        return method

    return mark


def _command(method: str, named: str | None) -> str | None:
    if named is None and not method.startswith("_"):
        return method.replace("_", "-")
    return named or None


def noun(home: str, *, terms: bool = False, joins: bool = False) -> Callable[[_Method], _Method]:
    """Declare a method, or below `@property` a property, that returns a sub-object.

    home: where the class of the sub-object is, "graphmem.sharing.pool:Pool"; in it `@verb` marks
        the methods that do the work. It is imported when one of its verbs is first asked for. Where
        the method takes arguments, the class has a static method `check_arguments` that raises what
        is wrong with them, so that an attached process is told at once as well.
    terms: its verbs take terms of triples.
    joins: its verbs may be called within `transaction()`.
    """

    def mark(method: _Method) -> _Method:
        setattr(method, _NOUN, _Noun(home, terms, joins))
        return method

    return mark


def _functions(kind: type) -> Iterator[tuple[str, Any, bool]]:
    """(attribute, function, is it a property) of a class and its bases, each attribute once."""
    seen: set[str] = set()
    for base in kind.__mro__:
        for name, value in vars(base).items():
            function = value.fget if isinstance(value, property) else value
            if name not in seen and (hasattr(function, _MARK) or hasattr(function, _NOUN)):
                seen.add(name)
                yield name, function, isinstance(value, property)


def own_verbs_of(kind: type) -> dict[str, Verb]:
    """The verbs that a class declares, without those of its sub-objects."""
    return {
        name: replace(getattr(function, _MARK), is_property=is_property)
        for name, function, is_property in _functions(kind)
        if hasattr(function, _MARK)
    }


def nouns_of(kind: type) -> list[str]:
    """The names of the sub-objects that a class declares. Their classes are not imported."""
    return [name for name, function, _ in _functions(kind) if hasattr(function, _NOUN)]


@cache
def verbs_of_noun(kind: type, name: str) -> Mapping[str, Verb]:
    """The verbs of the sub-object `name` of a class, by their full name (`facts.put`)."""
    function, is_property = next((f, p) for n, f, p in _functions(kind) if n == name)
    takes = 0 if is_property else len(signature(function).parameters) - 1
    noun: _Noun = getattr(function, _NOUN)
    return {
        full: replace(
            verb, name=full, of=name, of_arguments=takes, terms=noun.terms,
            joins=noun.joins and not verb.waits,
        )
        for verb in verbs_of(noun.kind).values()
        if (full := f"{name}.{verb.name}")
    }  # fmt: skip


@cache
def verbs_of(kind: type) -> Mapping[str, Verb]:
    """All verbs that a class declares, those of its sub-objects included, by name."""
    found = {verb.name: verb for verb in own_verbs_of(kind).values()}
    for name in nouns_of(kind):
        found |= verbs_of_noun(kind, name)
    return found


def refuses(check: Callable[[Any, str], None]) -> Callable[[_Class], _Class]:
    """Have `check(self, name)` called first by each verb of a class that does not join a
    transaction, and by each sub-object whose verbs do not: a class decorator."""

    def decorate(kind: _Class) -> _Class:
        for name, function, is_property in list(_functions(kind)):
            declared = getattr(function, _MARK, None) or getattr(function, _NOUN)
            if declared.joins or name.startswith("__"):
                continue
            own = getattr(kind, name)
            checked = _checking(name, own.fget if is_property else own, check)
            setattr(kind, name, property(checked) if is_property else checked)
        return kind

    return decorate


def _checking(
    name: str, method: Callable[..., Any], check: Callable[[Any, str], None]
) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, /, *given: Any, **named: Any) -> Any:
        check(self, name)
        return method(self, *given, **named)

    return call


def does(
    declared: Callable[Concatenate[Any, _Given], _Result],
) -> Callable[[Callable[..., _Result]], Callable[Concatenate[Any, _Given], _Result]]:
    """Have a method do a declared verb: a decorator that gives it the declaration's signature.

    The method is called with every argument by name, defaults included, so its own parameters need
    only be those that it handles itself, and `**others` for those that it hands on. Calls that do
    not fit the declaration raise TypeError before the method is called.
    """
    outside = signature(declared)
    parameters = list(outside.parameters.values())[1:]
    places = [p.name for p in parameters if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    defaults = {p.name: p.default for p in parameters if p.default is not Parameter.empty}
    expected = {p.name for p in parameters}

    def decorate(
        method: Callable[..., _Result],
    ) -> Callable[Concatenate[Any, _Given], _Result]:
        @wraps(method)
        def call(self: Any, /, *given: Any, **named: Any) -> _Result:
            placed = dict(zip(places, given, strict=False))
            every = {**defaults, **placed, **named}
            if (
                every.keys() != expected
                or len(given) > len(places)
                or not placed.keys().isdisjoint(named)
            ):
                raise _misfit(method.__qualname__, outside, (self, *given), named)
            return method(self, **every)

        call.__doc__ = declared.__doc__
        call.__wrapped__ = declared  # where `signature` looks
        return cast(Callable[Concatenate[Any, _Given], _Result], call)

    return decorate


def _misfit(
    name: str, outside: Signature, given: tuple[Any, ...], named: Mapping[str, Any]
) -> TypeError:
    """What is wrong with a call that does not fit a signature."""
    try:
        outside.bind(*given, **named)
    except TypeError as error:
        return TypeError(f"{name}(): {error}")
    raise AssertionError  # the caller has seen that it does not fit


def sends(kind: _Class) -> _Class:
    """Let every verb of a class be sent: a class decorator.

    The class has a method `_send(verb, given, named, of)`; `of` are the arguments of the
    sub-object, () for a verb of the memory itself.
    """
    declared = own_verbs_of(kind)
    for name, function, is_property in list(_functions(kind)):
        if hasattr(function, _MARK):
            sender: Any = _sender(declared[getattr(function, _MARK).name], function)
        else:
            inner: _Noun = getattr(function, _NOUN)
            takes = 0 if is_property else len(signature(function).parameters) - 1
            sender = _noun_sender(name, inner, takes, function)
        setattr(kind, name, property(sender) if is_property else sender)
    return kind


def _sender(declared: Verb, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def send(self: Any, /, *given: Any, **named: Any) -> Any:
        return self._send(declared, given, named, ())

    return send


def _noun_sender(
    name: str, inner: _Noun, takes: int, function: Callable[..., Any]
) -> Callable[..., Any]:
    declared = signature(function)

    @wraps(function)
    def make(self: Any, /, *given: Any, **named: Any) -> Any:
        bound = declared.bind(self, *given, **named)
        bound.apply_defaults()
        of = (*bound.args[1:], *bound.kwargs.values())
        if of:
            inner.kind.check_arguments(*of)  # type: ignore[attr-defined]  # of nouns with any
        return _sending_noun(inner.kind, name, inner.terms, takes)(self._send, of)

    return make


@cache
def _sending_noun(kind: type, name: str, terms: bool, takes: int) -> Callable[..., Any]:
    """A class with the interface of `kind` whose verbs are sent."""

    def begin(self: Any, send: Callable[..., Any], of: tuple[object, ...]) -> None:
        self._sent_by, self._of = send, of

    def show(self: Any) -> str:
        return f"<{kind.__name__} of {getattr(self._sent_by, '__self__', None)!r}>"

    made: dict[str, Any] = {"__init__": begin, "__repr__": show, "__doc__": kind.__doc__}
    for attribute, function, is_property in _functions(kind):
        declared: Verb = getattr(function, _MARK)
        full = replace(
            declared, name=f"{name}.{declared.name}", of=name, of_arguments=takes, terms=terms
        )

        @wraps(function)
        def send(self: Any, /, *given: Any, _verb: Verb = full, **named: Any) -> Any:
            return self._sent_by(_verb, given, named, self._of)

        made[attribute] = property(send) if is_property else send
    return cast(Callable[..., Any], type(f"Attached{kind.__name__}", (kind,), made))
