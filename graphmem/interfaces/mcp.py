"""`graphmem mcp`: a memory as tools (`api/tools.py`), resources and a prompt of the Model Context
Protocol."""

from __future__ import annotations

import hmac
import json
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import cache
from io import StringIO
from select import select
from socket import socket
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeAlias, TypeVar

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from pydantic_core import from_json

import graphmem
from graphmem.api.tools import DIGITS, TOOLS, Tool, ToolMistakeError, call, explained, guide, seen
from graphmem.api.verbs import Verbs
from graphmem.errors import GraphMemError

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.server.context import ServerRequestContext
    from mcp.shared._stream_protocols import WriteStream

HOST: Final = "127.0.0.1"
PATH: Final = "/mcp"

_Answer = TypeVar("_Answer")
Scope: TypeAlias = MutableMapping[str, Any]
Asgi: TypeAlias = Callable[[Scope, Callable[..., Awaitable[Any]], Callable[..., Any]], Any]

_log = logging.getLogger("graphmem.interfaces.mcp")
_IDS: Final = "graphmem/ids"
"""The key of `_meta` that has an answer's ids: clients do not show it to the model."""
_AT_ONCE: Final = 1 << 16  # bytes of standard input
_BODY: Final = 4 << 20  # bytes of a request by HTTP; the SDK refuses one that has more
_NO_REQUEST: Final = ("result", "error")  # fields of a response
_BEAT: Final = 1.0  # seconds between two notifications of progress
_PATIENCE: Final = 1.0  # seconds for which a reading tool waits for the calls before it
_OF_FOLDER: Final = ("path", "erasing")  # statistics of other scopes or of the machine
_RESOURCES: Final[Mapping[str, tuple[str, str, Callable[[Verbs], Any]]]] = {
    "graphmem://stats": (
        "Statistics",
        "What there is, in numbers: memories, bytes, what waits.",
        lambda memory: {k: v for k, v in memory.admin.stats().items() if k not in _OF_FOLDER},
    ),
    "graphmem://status": (
        "Status",
        "How the memory is: its kinds, its health, its budget.",
        lambda memory: asdict(memory.review.status()),
    ),
    "graphmem://themes": (
        "Themes",
        "What the memories are about, with the number of each theme's members.",
        lambda memory: [
            {"id": theme.id, "name": theme.name, "says": theme.sentence, "members": len(theme)}
            for theme in memory.themes
        ],
    ),
}
"""By URI: title, description, and the function that returns its content."""
_NODE: Final = "graphmem://node/"


def _described(tool: Tool, one_scope: bool) -> types.Tool:
    """A tool as the protocol lists it."""
    reads = tool.only_reads
    return types.Tool(
        name=tool.name,
        description=tool.about,
        input_schema=tool.schema(one_scope=one_scope),
        annotations=types.ToolAnnotations(
            read_only_hint=reads,
            # These two have a meaning only for tools that write.
            destructive_hint=None if reads else tool.destroys,
            idempotent_hint=None if reads else tool.repeats,
            open_world_hint=False,
        ),
    )


def server(
    memory: Verbs, begin: Callable[[], None] = lambda: None, *, one_scope: bool = False
) -> Server[Any]:
    """The MCP server of a memory, to be run over a transport. begin: called each time that its
    tools are listed, as clients do first; returns at once. one_scope: calls may name no scope but
    the memory's.

    Tools are called one after the other, in the order of the requests, but one that only reads
    waits for those before it for a second at most. By HTTP, all are called at the same time. A call
    cancelled before its turn is not done, one that has begun is finished. The protocol has
    no answer to a cancelled call: except by HTTP, the next answer of a tool says whether a
    cancelled write was done.
    """
    turn = anyio.Lock()
    fates: list[str] = []

    async def list_tools(
        context: ServerRequestContext[Any], asked: object
    ) -> types.ListToolsResult:
        begin()
        return tools

    async def call_tool(
        context: ServerRequestContext[Any], asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        # By HTTP a server has many clients: the next call may be another client's.
        alone, tool = context.request is None, TOOLS.get(asked.name)
        done: list[tuple[list[int] | None, str]] = []
        try:
            async with anyio.create_task_group() as group:
                if asked.meta and asked.meta.get("progress_token") is not None:
                    group.start_soon(_report_progress, context, asked.name)
                patience = _PATIENCE if tool is not None and tool.only_reads else None
                async with _in_turn(turn, patience) if alone else nullcontext():
                    await anyio.to_thread.run_sync(
                        lambda: done.append(_called(memory, asked, one_scope))
                    )
                group.cancel_scope.cancel()
            await anyio.lowlevel.checkpoint_if_cancelled()
        except anyio.get_cancelled_exc_class():
            if alone and tool is not None and not tool.only_reads:
                fate = f"had begun: {done[0][1]}" if done else "had not begun: nothing was changed"
                fates.append(f"(The call of {tool.name} that was cancelled {fate})")
            raise
        ((ids, text),) = done
        if alone:
            text = "\n".join([*fates, text])
            fates.clear()
        return types.CallToolResult(
            content=[_text(text)], is_error=ids is None, _meta=None if ids is None else {_IDS: ids}
        )

    async def read_resource(
        context: ServerRequestContext[Any], asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(asked.uri)
        try:
            content = await anyio.to_thread.run_sync(resource, memory, uri)
        except ToolMistakeError as error:
            raise MCPError(types.INVALID_PARAMS, str(error), {"uri": uri}) from None
        written = json.dumps(content, ensure_ascii=False, default=str)
        return types.ReadResourceResult(
            contents=[
                types.TextResourceContents(uri=uri, mime_type="application/json", text=written)
            ]
        )

    async def get_prompt(
        context: ServerRequestContext[Any], asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if asked.name != "memory":
            raise MCPError(types.INVALID_PARAMS, f"There is no prompt {asked.name!r:.80}.")
        instructions = guide(one_scope=one_scope)
        if topic := (asked.arguments or {}).get("topic"):
            instructions += f"\n\nNow recall what is known about this first: {topic}"
        return types.GetPromptResult(
            messages=[types.PromptMessage(role="user", content=_text(instructions))]
        )

    tools = types.ListToolsResult(tools=[_described(tool, one_scope) for tool in TOOLS.values()])
    resources = [
        types.Resource(
            name=uri.rpartition("/")[2], title=title, uri=uri, description=about,
            mime_type="application/json",
        )
        for uri, (title, about, _) in _RESOURCES.items()
    ]  # fmt: skip
    template = types.ResourceTemplate(
        name="node",
        title="A memory",
        uri_template=_NODE + "{node}",
        description="One memory in full, as look gives it.",
        mime_type="application/json",
    )
    prompt = types.Prompt(
        name="memory",
        title="Use your memory",
        description="When to recall, remember, replace, correct, pin and forget.",
        arguments=[types.PromptArgument(name="topic", description="What it will be about")],
    )
    return Server(
        "graphmem",
        title="Memory",
        version=graphmem.__version__,
        instructions=guide(one_scope=one_scope),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=_always(types.ListResourcesResult(resources=resources)),
        on_list_resource_templates=_always(
            types.ListResourceTemplatesResult(resource_templates=[template])
        ),
        on_read_resource=read_resource,
        on_list_prompts=_always(types.ListPromptsResult(prompts=[prompt])),
        on_get_prompt=get_prompt,
    )


@asynccontextmanager
async def _in_turn(turn: anyio.Lock, patience: float | None) -> AsyncIterator[None]:
    """A block that first waits for the earlier ones, for at most `patience` seconds."""
    with anyio.move_on_after(patience) as waiting:
        await turn.acquire()
    try:
        yield
    finally:
        if not waiting.cancelled_caught:
            turn.release()


def _always(answer: _Answer) -> Callable[..., Awaitable[_Answer]]:
    """A handler that returns the same answer to every request."""

    async def answers(context: ServerRequestContext[Any], asked: object) -> _Answer:
        return answer

    return answers


def resource(memory: Verbs, uri: str) -> Any:
    """The content of a resource. Raises ToolMistakeError."""
    number = uri.removeprefix(_NODE)
    node = int(number) if uri != number and number.isdecimal() and len(number) <= DIGITS else None
    if node is None and uri not in _RESOURCES:
        known = ", ".join(_RESOURCES)
        raise ToolMistakeError(f"There is no resource {uri:.80}; there are {known} and {_NODE}ID.")
    try:
        return _RESOURCES[uri][2](memory) if node is None else seen(memory, node)
    except GraphMemError as error:
        raise ToolMistakeError(explained(error, "look", node)) from error


def _called(
    memory: Verbs, asked: types.CallToolRequestParams, one_scope: bool
) -> tuple[list[int] | None, str]:
    """The ids and the text of an answer; None and a message if the tool failed."""
    try:
        return call(memory, asked.name, asked.arguments, one_scope=one_scope)
    except ToolMistakeError as error:
        return None, str(error)
    except Exception:  # noqa: BLE001 - the SDK would not report it to the model
        _log.exception("the tool %s failed", asked.name)
        return None, "It failed, and may have been done: look. Tell your user to read the log."


async def _report_progress(context: ServerRequestContext[Any], tool: str) -> None:
    """Report to a client each second for how long its call has run."""
    begun = anyio.current_time()
    while True:
        await anyio.sleep(_BEAT)
        seconds = round(anyio.current_time() - begun, 1)
        await context.session.report_progress(seconds, message=f"{tool}: {seconds:.0f} s")


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def run_stdio(memory: Verbs, *, one_scope: bool = False) -> None:
    """Serve the client at standard input and output until it closes them, or until an interrupt,
    which raises KeyboardInterrupt when calls under way have ended. Raises BrokenPipeError if the
    client no longer reads.

    The client is answered before the folder is opened, which takes half as long as loading the
    protocol. An error in opening it is reported on standard error, and to callers of a tool.
    """

    def find() -> None:
        try:
            len(memory)
        except GraphMemError as error:
            _log.error("the memory cannot be opened: %s", error)

    @cache
    def begin() -> None:
        Thread(target=find, name="graphmem-opening", daemon=True).start()

    async def serve(lines: TextIO) -> None:
        served = server(memory, begin, one_scope=one_scope)
        nothing = anyio.wrap_file(StringIO())  # the SDK only writes: see _pass_on
        async with stdio_server(nothing) as (read, write), anyio.create_task_group() as group:
            await read.aclose()
            passed, taken = anyio.create_memory_object_stream[SessionMessage | Exception]()
            group.start_soon(_pass_on, lines, passed, write)
            await served.run(taken, write, served.create_initialization_options())
            group.cancel_scope.cancel()

    try:
        with _ending_at_interrupt() as lines:
            anyio.run(serve, lines)
    except ExceptionGroup as several:  # which the SDK's task group makes of it
        if several.split(BrokenPipeError)[1] is not None:
            raise
        raise BrokenPipeError("the client has closed its end") from None


@contextmanager
def _ending_at_interrupt() -> Iterator[TextIO]:
    """The lines of standard input, which end at an interrupt too. A thread copies them to a pipe
    until then; without that, a blocked read would keep the process from ending. Within the block,
    other readers find standard input empty."""
    given, read, write, wake, woken = os.dup(0), *os.pipe(), *reversed(os.pipe())
    signals: list[int] = []

    def stop(number: int, _: object) -> None:
        signals.append(number)
        signal.signal(signal.SIGINT, before)
        os.write(wake, b"\0")

    def pass_on() -> None:
        with open(write, "wb", buffering=0) as out, suppress(OSError):
            while woken not in select([given, woken], [], [])[0]:
                if not (chunk := os.read(given, _AT_ONCE)):
                    return
                while chunk:
                    chunk = chunk[out.write(chunk) :]

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else the parent process has it ignored
        signal.signal(signal.SIGINT, stop)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    passing = Thread(target=pass_on, name="graphmem-input", daemon=True)
    passing.start()
    try:
        with open(read, encoding="utf-8", errors="replace") as lines:
            yield lines
    finally:
        signal.signal(signal.SIGINT, before)
        os.dup2(given, 0)
        os.write(wake, b"\0")
        passing.join(_BEAT)
    if signals:
        raise KeyboardInterrupt


async def _pass_on(
    lines: TextIO,
    passed: MemoryObjectSendStream[SessionMessage | Exception],
    write: WriteStream[SessionMessage],
) -> None:
    """Pass messages on, and answer lines that are no request: the SDK's own reader ignores them, or
    drops their id, and the client would wait for ever."""
    async with passed:
        async for line in anyio.wrap_file(lines):
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError as error:
                answer = unread(error)
            else:
                is_notification = isinstance(message, types.JSONRPCNotification)
                answer = oddly_numbered(line) if is_notification else None
                if answer is None:
                    await passed.send(SessionMessage(message))
            if answer is not None:
                await write.send(SessionMessage(answer))


def oddly_numbered(line: str | bytes) -> types.JSONRPCError | None:
    """The error for a request whose id is neither a text nor a whole number; None for other lines.
    The SDK would take it for a notification and not answer."""
    try:
        given = from_json(line)
    except ValueError:
        return None
    if not isinstance(given, dict) or not {"id", "method"} <= given.keys() or _is_id(given["id"]):
        return None
    reason = "The id of a request is a text or a whole number."
    return types.JSONRPCError(
        jsonrpc="2.0", id=None, error=types.ErrorData(code=types.INVALID_REQUEST, message=reason)
    )


def _is_id(given: object) -> bool:
    return isinstance(given, str) or type(given) is int


def _whole(digits: str) -> int | None:
    """The number; None for thousands of digits."""
    with suppress(ValueError):
        return int(digits)
    return None


def unread(error: ValidationError) -> types.JSONRPCError | None:
    """The answer to a line that the SDK cannot parse and would ignore; None for a blank line, a
    notification and a response."""
    wrong = error.errors(include_url=False)
    code, reason, given = types.INVALID_REQUEST, "This is no request of JSON-RPC 2.0.", None
    if wrong[0]["type"] == "json_invalid":
        line = wrong[0]["input"]
        if not isinstance(line, str) or not line.strip():
            return None
        code, reason = types.PARSE_ERROR, wrong[0]["msg"]
        # Python's parser accepts a lone surrogate, which JSON's grammar allows, and, so read, a
        # number that is too long for `int`.
        with suppress(ValueError, RecursionError):
            given = json.loads(line, parse_int=_whole)
    else:  # for missing fields of a request, response or error, pydantic gives the whole input
        given = next((each["input"] for each in wrong if each["type"] == "missing"), None)
    asked = None
    if isinstance(given, dict):
        if not given.keys().isdisjoint(_NO_REQUEST) or ("method" in given and "id" not in given):
            return None
        asked = given.get("id")
        if code == types.INVALID_REQUEST and isinstance(given.get("method"), str):
            if not isinstance(given.get("params", {}), dict):
                code, reason = types.INVALID_PARAMS, "params is an object, with names."
        elif code == types.INVALID_REQUEST:
            reason += " It has a method, a text."
    if isinstance(asked, str) and asked != asked.encode(errors="ignore").decode():
        return None  # half a character cannot be sent back
    try:
        json.dumps(given, ensure_ascii=False).encode()
    except UnicodeEncodeError as half:
        code = types.INVALID_PARAMS
        reason = (
            f"A text has a lone surrogate, \\u{ord(half.object[half.start]):04x}: it was cut "
            "within a character. Send it without that half."
        )
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=asked if _is_id(asked) else None,
        error=types.ErrorData(code=code, message=reason),
    )


def web_application(memory: Verbs, *, one_scope: bool = False) -> Asgi:
    """The server as an ASGI application, which refuses requests to another host name and from pages
    of another origin, and lets in everybody else; see `guarded`."""
    app = server(memory, one_scope=one_scope).streamable_http_app(
        streamable_http_path=PATH, json_response=True, host=HOST
    )

    async def refusing(scope: Scope, receive: Callable[..., Any], send: Callable[..., Any]) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await app(scope, receive, send)
            return
        taken, body = [], b""
        more = True
        while more and len(body) <= _BODY:
            taken.append(await receive())
            body += taken[-1].get("body", b"")
            more = taken[-1].get("more_body", False)
        if (error := oddly_numbered(body)) is not None:
            await _send(send, 400, error.model_dump_json(exclude_unset=True), "application/json")
            return
        again = iter(taken)

        async def received() -> Any:
            return next(again, None) or await receive()

        await app(scope, received, send)

    return refusing


async def _send(
    send: Callable[..., Any], status: int, body: str, kind: str, *headers: tuple[bytes, bytes]
) -> None:
    """The whole answer to a request by HTTP."""
    headers = (*headers, (b"content-type", kind.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})


def run_http(memory: Verbs, listener: socket, token: str, *, one_scope: bool = False) -> None:
    """Serve clients by streamable HTTP on a bound socket until interrupted.

    token: what a client sends as `Authorization: Bearer …`.
    """
    import uvicorn

    app = guarded(web_application(memory, one_scope=one_scope), token)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])


def guarded(app: Asgi, token: str) -> Asgi:
    """An ASGI application that answers only requests with the token."""
    expected = f"Bearer {token}".encode()

    async def guard(scope: Scope, receive: Callable[..., Any], send: Callable[..., Any]) -> None:
        if scope["type"] == "http":
            shown = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(shown, expected):
                reason = "Show the token that graphmem mcp printed: Authorization: Bearer TOKEN\n"
                await _send(send, 401, reason, "text/plain", (b"www-authenticate", b"Bearer"))
                return
        await app(scope, receive, send)

    return guard
