"""Attached: the memory that another process has open, with the interface of `Memory`.

What is mirrored here is at once the list of verbs that an owner does for its clients: a line in
`Attached` or `AttachedFacts` is all that a new method of `Memory` needs.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import wraps
from inspect import signature
from io import BytesIO
from itertools import islice
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Self, TypeVar, cast

from graphmem.arguments import NodeLike, check_range
from graphmem.attaching import channel as channels
from graphmem.attaching.channel import Channel
from graphmem.attaching.listener import (
    ERROR,
    GREETING,
    LAST_PAGE,
    MORE,
    PAGE,
    PROGRESS,
    Listener,
    Verb,
)
from graphmem.attaching.values import DIALECT, decode, encode_request, rebuild
from graphmem.errors import (
    AlreadyOpenError,
    ArgumentTypeError,
    ClosedError,
    GraphMemError,
    InvalidArgumentError,
    MissingError,
    NotOpenError,
    OwnerGoneError,
    OwnerSilentError,
    UnknownScopeError,
)
from graphmem.graph.records import Node
from graphmem.hexastore import terms
from graphmem.hexastore.facts import Facts, Pattern
from graphmem.hexastore.terms import Term
from graphmem.memory import Memory
from graphmem.memory import open as open_memory
from graphmem.recalling.recall import Recall
from graphmem.remembering.files import FileReport
from graphmem.settings import Settings
from graphmem.storage.folder import LOCK, path_name

if TYPE_CHECKING:
    from rdflib.query import Result

    from graphmem.graph.sparql import MemoryGraph

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_Method = TypeVar("_Method", bound=Callable[..., object])

_GREETING_TIME: Final = 10.0  # seconds for an owner to greet
_IN_PASSING: Final = 5.0  # seconds for whoever has a folder open only for a moment
_LOOK: Final = 0.02  # seconds between two looks whether it has gone
_TEXTS_AT_ONCE: Final = 64
_LETTERS_AT_ONCE: Final = 1 << 18
_VERBS: Final[dict[str, Verb]] = {}


def _verb(
    method: Callable[..., object], of: type, does: Callable[..., object] | None = None
) -> str:
    """Let clients have a method done, or `does` in its stead; returns the verb's name."""
    name = f"{of.__name__}.{method.__name__}"
    part = _facts if of is Facts else None
    _VERBS[name] = Verb(does or method, signature(method), part)
    return name


def _mirrored(
    method: Callable[Concatenate[Memory, _Arguments], _Result],
    does: Callable[..., _Result] | None = None,
) -> Callable[Concatenate[Attached, _Arguments], _Result]:
    """A method of Memory's, done by the owner, or what the owner does in its stead."""
    name = _verb(method, Memory, does)

    @wraps(method)
    def call(self: Attached, /, *given: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        answer: _Result = self._ask(name, given, named)
        return answer

    return call


def _mirrored_fact(
    method: Callable[Concatenate[Facts, _Arguments], _Result],
) -> Callable[Concatenate[AttachedFacts, _Arguments], _Result]:
    """A method of Facts', done by the owner."""
    name = _verb(method, Facts)

    @wraps(method)
    def call(
        self: AttachedFacts, /, *given: _Arguments.args, **named: _Arguments.kwargs
    ) -> _Result:
        answer: _Result = self._attached._ask(name, given, named, facts=True)
        return answer

    return call


def _documented_as(method: Callable[..., object]) -> Callable[[_Method], _Method]:
    """`wraps`, which to a type checker makes something that is not bound to its object."""
    return cast(Callable[[_Method], _Method], wraps(method))


def _facts(memory: Memory) -> Facts:
    return memory.facts


def _recall(memory: Memory, *given: Any, count_tokens: bool = False, **named: Any) -> Recall:
    """What a recall brings back; with its lines, if the client does not count the tokens itself."""
    if named.get("trace"):
        raise InvalidArgumentError("a trace is not sent to another process; trace in the owner's")
    found = memory.recall(*given, **named)
    if not count_tokens and found.tokens is not None:
        found._told  # noqa: B018 - chosen here, and sent
    return found


def _focus(memory: Memory) -> list[Node]:
    return memory.focus


def _answer(memory: Memory, query: str, seconds: float | None, bindings: Any) -> tuple[str, bytes]:
    """The kind of a query's result, and the result in a format of SPARQL's or RDF's."""
    if (
        not isinstance(bindings, Mapping)
        or "seconds" in bindings
        or not all(isinstance(part, str) for part in (*bindings, *bindings.values()))
    ):
        raise ArgumentTypeError("bindings are terms as N-Triples writes them, by variable")
    given = {name: terms.parse(written) for name, written in bindings.items()}
    result = memory.sparql(query, seconds=seconds, **given)
    form = "json" if result.type in ("SELECT", "ASK") else "nt"
    return result.type, result.serialize(format=form, encoding="utf-8") or b""


def _settings(memory: Memory) -> Settings:
    return replace(memory.settings, server_key=None)


def _make_scope(memory: Memory, name: str) -> None:
    memory.scope(name)


_MAKE_SCOPE: Final = _verb(_make_scope, Memory)
_SCOPES: Final = _verb(Memory.scopes, Memory)


class Attached:
    """A memory that another process has open, as `Memory` shows it; made by `graphmem.attach`.

    What it returns and raises is what `Memory` returns and raises, and beside that: OwnerGoneError
    when the owner ends during a call, OwnerSilentError after `timeout`, NotOpenError when nobody
    has the folder open any more. After an owner has gone, the next call looks for a new one.

    Any number of threads may use it; each call under way has a connection of its own.
    """

    def __init__(self, line: Line, name: str) -> None:
        """Use `graphmem.attach`."""
        self._line = line
        self._name = name

    remember = _mirrored(Memory.remember)
    relate = _mirrored(Memory.relate)
    used = _mirrored(Memory.used)
    recall = _mirrored(Memory.recall, _recall)
    _node = _mirrored(Memory.__getitem__)
    __len__ = _mirrored(Memory.__len__)
    __iter__ = _mirrored(Memory.__iter__)
    nodes = _mirrored(Memory.nodes)
    links = _mirrored(Memory.links)
    importance = _mirrored(Memory.importance)
    worth = _mirrored(Memory.worth)
    life = _mirrored(Memory.life)
    sweep = _mirrored(Memory.sweep)
    shrink = _mirrored(Memory.shrink)
    pin = _mirrored(Memory.pin)
    unpin = _mirrored(Memory.unpin)
    correct = _mirrored(Memory.correct)
    forget = _mirrored(Memory.forget)
    history = _mirrored(Memory.history)
    forgotten = _mirrored(Memory.forgotten)
    revive = _mirrored(Memory.revive)
    scopes = _mirrored(Memory.scopes)
    drop_scope = _mirrored(Memory.drop_scope)
    stats = _mirrored(Memory.stats)
    enrich = _mirrored(Memory.enrich)
    set_aside = _mirrored(Memory.set_aside)
    retry = _mirrored(Memory.retry)
    check = _mirrored(Memory.check)
    compact = _mirrored(Memory.compact)
    _remember_many = _mirrored(Memory.remember_many)
    _contains = _mirrored(Memory.__contains__)
    explain = _mirrored(Memory.explain)
    _answer = _mirrored(_answer)
    _read_focus = _mirrored(_focus)
    _read_settings = _mirrored(_settings)

    files = _mirrored(Memory.files)
    _remember_file = _mirrored(Memory.remember_file)
    _forget_file = _mirrored(Memory.forget_file)
    _back_up = _mirrored(Memory.backup)

    @_documented_as(Memory.__getitem__)
    def __getitem__(self, node: NodeLike) -> Node:
        found = self._node(node)
        return found.explained_by(lambda: self.worth(found.id))

    @_documented_as(Memory.backup)
    def backup(
        self,
        destination: str | os.PathLike[str],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        # A path means what it means here, not in the owner's folder.
        return self._back_up(os.path.abspath(path_name(destination)), progress=progress)

    @_documented_as(Memory.remember_file)
    def remember_file(
        self,
        path: str | os.PathLike[str],
        *,
        session: str | None = None,
        happened: datetime | str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> FileReport:
        return self._remember_file(
            os.path.abspath(path_name(path)), session=session, happened=happened, progress=progress
        )

    @_documented_as(Memory.forget_file)
    def forget_file(self, path: str | os.PathLike[str]) -> FileReport:
        return self._forget_file(os.path.abspath(path_name(path)))

    def graph(self) -> MemoryGraph:
        """Not from another process: it is a snapshot of the owner's. `sparql` asks the same.

        Raises InvalidArgumentError.
        """
        raise InvalidArgumentError(
            "a graph is a snapshot in the owner's process; ask with sparql(), or make it there"
        )

    @_documented_as(Memory.sparql)
    def sparql(self, query: str, /, *, seconds: float | None = 30.0, **bindings: object) -> Result:
        sent = {name: terms.term(value).n3() for name, value in bindings.items()}
        kind, written = self._answer(query, seconds, sent)
        from rdflib import Graph
        from rdflib.query import Result

        if kind in ("SELECT", "ASK"):
            return Result.parse(BytesIO(written), format="json")
        result = Result(kind)
        result.graph = Graph().parse(BytesIO(written), format="nt")
        return result

    @_documented_as(Memory.remember_many)
    def remember_many(
        self,
        texts: Iterable[str | Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> list[list[Node]]:
        if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
            return self._remember_many(texts)  # the owner says what is wrong
        written: list[list[Node]] = []
        waiting: list[str | Mapping[str, Any]] = []
        characters = 0

        def write() -> None:
            # Taken off first: what failed must not be tried again on the way out.
            ready, waiting[:] = waiting[:], []
            written.extend(self._remember_many(ready))
            if progress is not None:
                progress(len(written))

        try:
            for item in texts:
                text = item.get("text") if isinstance(item, Mapping) else item
                length = len(text) if isinstance(text, str) else 0
                characters += length
                if len(waiting) == _TEXTS_AT_ONCE or (waiting and characters > _LETTERS_AT_ONCE):
                    write()
                    characters = length
                waiting.append(item)
        finally:
            if waiting:
                write()
        return written

    def __contains__(self, node: object) -> bool:
        try:
            return self._contains(node)
        except ArgumentTypeError:
            return False

    @property
    def focus(self) -> list[Node]:
        """The nodes in focus, the newest first; five at most."""
        return self._read_focus()

    @property
    def facts(self) -> AttachedFacts:
        """Triples of your own in this memory: `put`, `delete`, `match`, `search`, `count`."""
        return AttachedFacts(self)

    @property
    def name(self) -> str:
        """The name of this memory's scope."""
        return self._name

    @property
    def path(self) -> str:
        """The folder, absolute."""
        return self._line.path

    @property
    def settings(self) -> Settings:
        """The owner's settings; without `server_key`, which it keeps to itself."""
        return self._read_settings()

    @property
    def owner_pid(self) -> int:
        """The process that has the folder open, or had it when it was last asked."""
        return self._line.owner_pid

    def scope(self, name: str) -> Attached:
        """The memory of another scope of the same folder, made if it is not there.

        It shares the connections, and is closed with the memory that was attached to. Raises
        InvalidArgumentError for an unfit name.
        """
        self._line.make_scope(name)
        return Attached(self._line, name)

    def close(self) -> None:
        """Let go of the owner, which keeps the memory open. Idempotent."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Attached {self.name!r} in {self.path}, open in process {self.owner_pid}>"

    def _ask(
        self,
        verb: str,
        given: tuple[object, ...],
        named: Mapping[str, Any],
        *,
        facts: bool = False,
    ) -> Any:
        # Functions stay here: one is told how far the owner is, one counts what comes back.
        own = {key: value for key, value in named.items() if callable(value)}
        request = [verb, self._name, [*given], {**named, **dict.fromkeys(own, True)}]
        result = self._line.ask(encode_request(request, facts=facts), own.get("progress"))
        if isinstance(result, Recall) and "count_tokens" in own:
            result._counter = own["count_tokens"]
        return result


class AttachedFacts:
    """The triples of one scope of a memory that another process has open, as `Facts` shows them."""

    def __init__(self, attached: Attached) -> None:
        self._attached = attached

    put = _mirrored_fact(Facts.put)
    delete = _mirrored_fact(Facts.delete)
    match = _mirrored_fact(Facts.match)
    count = _mirrored_fact(Facts.count)
    explain = _mirrored_fact(Facts.explain)
    _search = _mirrored_fact(Facts.search)

    @_documented_as(Facts.search)
    def search(
        self,
        patterns: Iterable[Pattern],
        *,
        where: Callable[[Mapping[str, Term]], object] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Iterator[dict[str, Term]]:
        if where is None:
            return self._search(patterns, limit=limit, offset=offset)
        self._search(patterns, limit=limit, offset=offset)  # which says what is wrong with them
        kept = filter(where, self._search(patterns))  # here, for code is not sent
        return islice(kept, offset, None if limit is None else offset + limit)

    __contains__ = _mirrored_fact(Facts.__contains__)
    __len__ = _mirrored_fact(Facts.__len__)
    __iter__ = _mirrored_fact(Facts.__iter__)

    def __repr__(self) -> str:
        return f"<Facts of {self._attached.name!r}: {len(self)}>"


# -- connections ------------------------------------------------------------------------------


class Line:
    """The connections to the owner of a folder: one for each call under way, kept for the next."""

    def __init__(self, path: str, timeout: float | None) -> None:
        self._folder = Path(os.path.realpath(path))
        self._timeout = timeout
        self._idle: deque[Channel] = deque()
        self._pid = os.getpid()
        self._closed = False
        self.path = os.path.abspath(path)
        self.owner_pid = 0

    def make_scope(self, name: str) -> None:
        """Make a scope if it is not there; raises what `Memory.scope` raises."""
        self.ask(encode_request([_MAKE_SCOPE, None, [name], {}]))

    def scopes(self) -> list[str]:
        """The names of all scopes of the folder."""
        names: list[str] = self.ask(encode_request([_SCOPES, None, [], {}]))
        return names

    def ask(self, request: bytes, progress: Callable[..., object] | None = None) -> Any:
        """What the owner answers to a request; raises the error that it answers."""
        channel = self._take()
        kind, content = self.exchange(channel, request, progress)
        if kind == PAGE:
            return Pages(self, channel, content)
        self.keep(channel)
        return Pages(self, None, content) if kind == LAST_PAGE else content

    def exchange(
        self, channel: Channel, request: bytes, progress: Callable[..., object] | None = None
    ) -> tuple[int, Any]:
        """One request and its answer, VALUE, PAGE or LAST_PAGE.

        Raises the error that the owner answers. A connection is closed by whatever is raised: who
        interrupts a call leaves an answer behind that must not be taken for that of the next.
        """
        try:
            self._send(channel, request)
            while True:
                kind, content = decode(self._received(channel))
                if kind == ERROR:
                    raise rebuild(content)
                if kind != PROGRESS:
                    return kind, content
                if progress is not None:
                    progress(*content)
        except BaseException:
            channel.close()
            raise

    def _send(self, channel: Channel, request: bytes) -> None:
        try:
            channel.send(request)
        except TimeoutError:
            raise self._silent() from None
        except OSError:
            raise self._gone() from None

    def _received(self, channel: Channel) -> bytes:
        try:
            message = channel.receive(self._timeout)
        except TimeoutError:
            raise self._silent() from None
        except OSError:
            message = None
        if message is None:
            raise self._gone()
        return message

    def _silent(self) -> OwnerSilentError:
        return OwnerSilentError(
            f"process {self.owner_pid}, which has {self._folder} open, does not answer; what was "
            "asked may still be done"
        )

    def _gone(self) -> OwnerGoneError:
        return OwnerGoneError(
            f"process {self.owner_pid}, which had {self._folder} open, has closed it or died "
            "during the call, which may or may not have been done; the next call looks for a new "
            "owner"
        )

    def _take(self) -> Channel:
        if self._closed:
            raise ClosedError(f"this connection to {self._folder} was closed: attach again")
        if os.getpid() != self._pid:  # a forked child has its own
            self._idle.clear()
            self._pid = os.getpid()
        while True:
            try:
                channel = self._idle.pop()
            except IndexError:
                return self._connected()
            if channel.idle:
                return channel
            channel.close()  # its owner has gone

    def _connected(self) -> Channel:
        try:
            channel = Channel(channels.connect(self._folder, _GREETING_TIME))
        except OSError as error:
            raise self._not_open(error) from None
        try:
            with suppress(OSError):  # a refusal may be there already
                channel.send(encode_request([GREETING, DIALECT]))
            message = channel.receive(_GREETING_TIME)
            if message is None:
                raise NotOpenError(f"the owner of {self._folder} is just closing it")
            kind, content = decode(message)
            if kind == ERROR:
                raise rebuild(content)
            self.owner_pid = int(content)
            return channel
        except BaseException as error:
            channel.close()
            if isinstance(error, OSError) and not isinstance(error, GraphMemError):
                raise self._not_open(error) from None
            raise

    def _not_open(self, error: OSError) -> GraphMemError:
        if not (self._folder / LOCK).is_file():
            return MissingError(
                f"there is no store in {self._folder}; graphmem.open({self.path!r}) makes one"
            )
        if isinstance(error, PermissionError):
            return NotOpenError(f"{self._folder} cannot be attached to: {error}")
        if (owner := _owner(self._folder)) is None:
            return NotOpenError(
                f"nobody has {self._folder} open: graphmem.open({self.path!r}) does it here"
            )
        return NotOpenError(
            f"process {owner}, which has {self._folder} open, takes no clients ({error}): it may "
            "be hanging, only just opening it, or have been told attachable=False"
        )

    def keep(self, channel: Channel) -> None:
        """Keep a connection for the next call."""
        self._idle.append(channel)
        if self._closed:
            self.close()

    def close(self) -> None:
        """End the connections; calls under way are answered. Idempotent."""
        self._closed = True
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()


class Pages(Iterator[Any]):
    """What a verb lists, a page at a time, from the snapshot that the owner holds for it."""

    def __init__(self, line: Line, channel: Channel | None, page: list[bytes]) -> None:
        self._line = line
        self._channel = channel
        """On which the next page is asked for; None after the last."""
        self._items = iter(page)

    def __next__(self) -> Any:
        while (packed := next(self._items, None)) is None:
            if self._channel is None:
                raise StopIteration
            channel, self._channel = self._channel, None
            kind, page = self._line.exchange(channel, MORE)
            self._items = iter(page)
            if kind == PAGE:
                self._channel = channel
            else:
                self._line.keep(channel)
        return decode(packed)

    def close(self) -> None:
        """Let the owner let go of its snapshot. Idempotent."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        self._items = iter(())

    def __del__(self) -> None:
        self.close()


def _owner(folder: Path) -> int | None:
    """The living process that the lock file names. To try the lock would be to disturb an open."""
    with suppress(OSError, ValueError, IndexError):
        pid = int((folder / LOCK).read_text("ascii", "replace").split()[0])
        os.kill(pid, 0)
        return pid
    return None


def attach(
    path: str | os.PathLike[str], *, scope: str = "default", timeout: float | None = None
) -> Attached:
    """Use the memory that another process (or this one) has open in a folder.

    path: the folder. scope: the name of the memory within it, made if it is not there.
    timeout: seconds, 0.001–86,400, that a call may take until OwnerSilentError; None waits as long
    as the owner works on it.

    The owner serves processes of its own user on its own machine. Raises NotOpenError when nobody
    has the folder open or its owner takes no clients, MissingError, RefusedError,
    InvalidArgumentError, ArgumentTypeError.
    """
    if timeout is not None:
        check_range("timeout", timeout, 0.001, 86_400)
    return _attached(path, scope, timeout, make=True)


def reach(
    path: str | os.PathLike[str],
    *,
    scope: str = "default",
    create: bool = True,
    read_only: bool = False,
    **settings: Any,
) -> Memory | Attached:
    """Attach to the memory in a folder if somebody has it open, and open it otherwise.

    create: make a folder that is not there. read_only, settings: for `graphmem.open`; read_only
    also makes no scope in another process.

    An owner that takes no clients is waited for, at most 5 seconds: commands have a folder to
    themselves for a moment, and an agent that opens one takes clients soon. Raises AlreadyOpenError
    when it still has it then, and what `attach` and `graphmem.open` raise.
    """
    end = monotonic() + _IN_PASSING
    while True:
        refused = None
        try:
            return _attached(path, scope, None, make=not read_only)
        except NotOpenError as error:
            refused = error
        except MissingError:
            if not create:
                raise
        try:
            return open_memory(path, scope=scope, read_only=read_only, **settings)
        except AlreadyOpenError as error:
            if monotonic() > end:
                message = str(refused or error)
                raise AlreadyOpenError(error.path, error.owner_pid, message) from None
        sleep(_LOOK)


def _attached(
    path: str | os.PathLike[str], scope: str, timeout: float | None, *, make: bool
) -> Attached:
    line = Line(path_name(path), timeout)
    try:
        if make:
            line.make_scope(scope)
        elif scope not in (known := line.scopes()):
            raise UnknownScopeError(f"there is no scope {scope!r} (there are: {', '.join(known)})")
    except BaseException:
        line.close()
        raise
    return Attached(line, scope)


def listener(memory: Memory) -> Listener:
    """What serves the clients of an open folder, not started yet."""

    def of_scope(name: str | None) -> Memory:
        if name is None:
            return memory
        if (opened := memory._opened.get(name)) is not None:
            return opened
        if name not in memory.scopes():
            raise UnknownScopeError(f"there is no scope {name!r:.80} any more; scope() makes it")
        return memory.scope(name)

    assert memory.path is not None
    return Listener(memory.path, _VERBS, of_scope)
