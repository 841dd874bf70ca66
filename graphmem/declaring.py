"""Verbs: how a method that users call is declared, once for every interface.

`@verb(…)` marks a method of a class with what an interface must know beyond its signature and its
docstring: whether it writes, whether it may be repeated, whether only the owner's process can do
it, its command. `@noun(…)` marks a method or property that returns a sub-object with verbs, or
nouns, of its own. `verbs_of` lists what a class declares; the listener's table, the
commands and the tests of completeness are made from that list.

`sends(cls)` makes a class whose verbs send the call to another process. It replaces each declared
method by one that calls `self._send(Call(…))`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from importlib import import_module
from inspect import BoundArguments, Parameter, Signature, signature, unwrap
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

from graphmem.errors import ArgumentTypeError, InvalidArgumentError

_Method = TypeVar("_Method", bound=Callable[..., Any])
_Class = TypeVar("_Class", bound=type)
_MARK: Final = "__graphmem_verb__"
_NOUN: Final = "__graphmem_noun__"


@dataclass(frozen=True, slots=True)
class Verb:
    """A declared method."""

    name: str
    """Unique among all verbs: `recall`, `graph.facts.put`."""
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
    """If it works in the owner's process only: advice for other processes; else ""."""
    owner_arguments: Mapping[str, str] = field(default_factory=dict)
    """The same for single arguments."""
    command: str | None = None
    """Its command; None where its name is no word (`__len__`) or it makes no sense outside Python.
    `verb` names it after the method by default, and takes "" for none."""
    argument: str | None = None
    """A parameter with a default that its command takes as an argument, not as an option; one of
    any number of values, of which its command needs at least one."""
    of: str | None = None
    """The sub-object that it belongs to, such as `graph.facts`; None for the memory itself."""
    of_arguments: int = 0
    """How many arguments the sub-object itself takes."""
    waits: bool = False
    """It may wait for other callers: it does not block them meanwhile."""
    terms: bool = False
    """Its arguments stand in triples: a node is an IRI, and rdflib's terms are known."""
    joins: bool = False
    """It may be called within `transaction()`. All verbs of a sub-object that joins may, but those
    that wait."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Former arguments, and what to write instead."""

    def within(self, name: str, of_arguments: int, noun: _Noun) -> Verb:
        """This verb, of a sub-object that its parent calls `name`."""
        return replace(
            self,
            name=f"{name}.{self.name}",
            of=name if self.of is None else f"{name}.{self.of}",
            of_arguments=self.of_arguments or of_arguments,
            terms=self.terms or noun.terms,
            joins=(self.joins or noun.joins) and not self.waits,
        )

    def target(self, memory: Any, of: Sequence[object] = ()) -> Any:
        """The sub-object of a memory that it belongs to; of: its arguments."""
        found = memory if self.of is None else attrgetter(self.of)(memory)
        return found(*of) if self.of_arguments else found

    def refuse_moved(self, named: Mapping[str, Any]) -> None:
        """Raise InvalidArgumentError for a former argument."""
        for name in named:
            if (now := self.moved.get(name)) is not None:
                raise InvalidArgumentError(f"{self.method} takes no {name}=; write {now}")

    def bind(self, given: Sequence[Any], named: Mapping[str, Any]) -> BoundArguments:
        """Its arguments. Raises ArgumentTypeError for those that do not fit its signature."""
        try:
            return self.signature.bind(None, *given, **named)
        except TypeError as error:
            raise ArgumentTypeError(f"{self.name}: {error}") from None

    @property
    def parameters(self) -> list[Parameter]:
        """Its parameters without `self`."""
        return list(self.signature.parameters.values())[1:]

    @property
    def summary(self) -> str:
        """The first paragraph of its contract, on one line."""
        return " ".join(self.doc.split("\n\n")[0].split())


class Call(NamedTuple):
    """A call of a verb, to be done somewhere else."""

    verb: Verb
    given: tuple[Any, ...]
    named: Mapping[str, Any]
    of: tuple[object, ...] = ()
    """The arguments of its sub-object, as of `pool(name)`."""

    def done(self, memory: Any) -> Any:
        """Do the call on a memory; returns its result."""
        found = getattr(self.verb.target(memory, self.of), self.verb.method)
        return found if self.verb.is_property else found(*self.given, **self.named)


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
    command: str | None = None,
    **declared: Any,
) -> Callable[[_Method], _Method]:
    """Declare a method as a verb; the fields of `Verb` say what each argument means, and which
    others there are.

    `idempotent` is true by default of what does not write. Below `@property`, it declares the
    property.
    """

    def mark(method: Any) -> Any:
        usual = None if method.__name__.startswith("_") else method.__name__.replace("_", "-")
        made = Verb(
            name=method.__name__,
            method=method.__name__,
            signature=signature(method),
            doc=method.__doc__ or "",
            writes=writes,
            idempotent=not writes if idempotent is None else idempotent,
            command=usual if command is None else command or None,
            **declared,
        )
        if made.moved:
            method = _checking(made, method)
        setattr(method, _MARK, made)
        return method

    return mark


def noun(home: str, *, terms: bool = False, joins: bool = False) -> Callable[[_Method], _Method]:
    """Declare a method, or below `@property` a property, that returns a sub-object.

    home: where the class of the sub-object is, "graphmem.sharing.pool:Pool"; in it `@verb` marks
        the methods that do the work. It is imported when one of its verbs is first asked for. Where
        the method takes arguments, the class has a static method `_check_arguments` that raises
        for wrong ones, in an attached process too.
    terms: its verbs take terms of triples.
    joins: all its verbs may be called within `transaction()`; otherwise each verb says so.
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
    """The verbs of the sub-object `name` of a class, by their full name (`pool.write`)."""
    function, is_property = next((f, p) for n, f, p in _functions(kind) if n == name)
    noun: _Noun = getattr(function, _NOUN)
    takes = _takes(function, is_property)
    made = (verb.within(name, takes, noun) for verb in verbs_of(noun.kind).values())
    return {verb.name: verb for verb in made}


def _takes(function: Callable[..., Any], is_property: bool) -> int:
    """How many arguments a noun takes."""
    return 0 if is_property else len(signature(function).parameters) - 1


@cache
def verbs_of(kind: type) -> Mapping[str, Verb]:
    """All verbs that a class declares, those of its sub-objects included, by name."""
    found = {verb.name: verb for verb in own_verbs_of(kind).values()}
    for name in nouns_of(kind):
        found |= verbs_of_noun(kind, name)
    return found


def refuses(check: Callable[[Any, str], None]) -> Callable[[_Class], _Class]:
    """A class decorator: each verb of the class that does not join a transaction first calls
    `check(self, name)`."""

    def decorate(kind: _Class) -> _Class:
        for name, function, is_property in list(_functions(kind)):
            # The name in Python's TypeError for a call that does not fit.
            unwrap(function).__qualname__ = f"{kind.__name__}.{name}"
            declared: Verb | None = getattr(function, _MARK, None)
            if declared is None or name.startswith("__") or declared.joins:
                continue
            own = getattr(kind, name)
            checked = _checking(declared, own.fget if is_property else own, check)
            setattr(kind, name, property(checked) if is_property else checked)
        return kind

    return decorate


def _checking(
    declared: Verb, method: Callable[..., Any], check: Callable[[Any, str], None] | None = None
) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, /, *given: Any, **named: Any) -> Any:
        if check is not None:
            check(self, declared.method)
        declared.refuse_moved(named)
        return method(self, *given, **named)

    return call


def sends(kind: _Class) -> _Class:
    """A class decorator: every verb sends its call by the method `_send(call)` of the class, which
    returns what the verb returns."""
    for name, sender in senders(kind):
        setattr(kind, name, sender)
    return kind


def _as_named(name: str, sender: Any, noun: str) -> Iterator[tuple[str, Any]]:
    yield name, sender


Suited: TypeAlias = Callable[[str, Any, str], Iterator[tuple[str, Any]]]
"""Given the name of an attribute with two underscores, the method that sends it, and its noun (""
for the memory): the (name, attribute) pairs that a class gets for it."""


def senders(
    kind: type,
    full: Callable[[Verb], Verb] = lambda verb: verb,
    suited: Suited = _as_named,
) -> Iterator[tuple[str, Any]]:
    """(name, attribute that sends) for each verb and noun of a class. full: returns a verb of the
    class with the name that it has for the memory."""
    for name, function, is_property in list(_functions(kind)):
        if (declared := getattr(function, _MARK, None)) is not None:
            verb = full(replace(declared, is_property=is_property))
            sender = _sender(function, verb)
            if name.startswith("__"):
                yield from suited(name, sender, verb.of or "")
                continue
        else:
            sender = _noun_sender(name, function, is_property, full, suited)
        yield name, property(sender) if is_property else sender


def _sender(function: Callable[..., Any], declared: Verb) -> Callable[..., Any]:
    @wraps(function)
    def send(self: Any, /, *given: Any, **named: Any) -> Any:
        declared.refuse_moved(named)
        return self._send(Call(declared, given, named, getattr(self, "_noun_of", ())))

    return send


def _noun_sender(
    name: str,
    function: Callable[..., Any],
    is_property: bool,
    full: Callable[[Verb], Verb],
    suited: Suited,
) -> Callable[..., Any]:
    declared, inner = signature(function), cast(_Noun, getattr(function, _NOUN))
    takes = _takes(function, is_property)

    @cache
    def kind() -> Callable[..., Any]:
        """The class of the sub-object, with verbs that send."""
        made: dict[str, Any] = {"__init__": begin, "__repr__": show, "__doc__": inner.kind.__doc__}
        made |= senders(inner.kind, lambda verb: full(verb.within(name, takes, inner)), suited)
        return cast(Callable[..., Any], type(inner.kind.__name__, (inner.kind,), made))

    def begin(self: Any, send: Callable[..., Any], of: tuple[object, ...]) -> None:
        self._send, self._noun_of = send, of
        if takes:  # the owner's noun has its arguments as attributes, such as a pool its name
            vars(self).update(zip([*declared.parameters][1:], of, strict=True))

    def show(self: Any) -> str:
        return f"<{inner.kind.__name__} of {getattr(self._send, '__self__', None)!r}>"

    @wraps(function)
    def make(self: Any, /, *given: Any, **named: Any) -> Any:
        bound = declared.bind(self, *given, **named)
        bound.apply_defaults()
        of = (*bound.args[1:], *bound.kwargs.values())
        if of:
            inner.kind._check_arguments(*of)  # type: ignore[attr-defined]  # of nouns with any
        return kind()(self._send, of or getattr(self, "_noun_of", ()))

    return make
