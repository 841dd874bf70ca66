"""Commands that serve a memory to other programs, or show it in one: mcp, view, map."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server
from typing import Any, Final

import click

import graphmem
from graphmem.errors import GraphMemError, MissingExtraError
from graphmem.interfaces.cli.group import Chosen, command, in_folder
from graphmem.interfaces.cli.printing import answer
from graphmem.interfaces.cli.reach import of_folder, opened, there
from graphmem.interfaces.terminal import Progress
from graphmem.settings import variable_of
from graphmem.storage.whole_file import write_text, write_whole
from graphmem_worker.errors import install

_PATIENCE: Final = 0.02  # seconds: a model, which has to be asked, takes longer


def _settings() -> dict[str, Any]:
    """The settings with which a server opens a folder, unless variables set others."""
    if os.environ.get(variable_of("conflict_patience")):
        return of_folder()
    return {**of_folder(), "tuning": graphmem.Tuning(conflict_patience=_PATIENCE)}


@contextmanager
def _taking(port: int, choose: str) -> Iterator[None]:
    """Say in an error that a port cannot be taken, and how to choose another one."""
    try:
        yield
    except OSError as error:
        why = f"port {port} of 127.0.0.1 cannot be taken ({os.strerror(error.errno or 0)})"
        raise GraphMemError(f"{why}; choose another one with {choose}") from None


@command("mcp")
@in_folder
@click.option("--http", "port", type=click.IntRange(1, 65_535), metavar="PORT",
              help="Serve by HTTP on 127.0.0.1, not by standard input and output.")  # fmt: skip
@click.option("--token", metavar="TOKEN", envvar="GRAPHMEM_MCP_TOKEN", show_envvar=True,
              help="What an HTTP client must show; else one is made and printed.")  # fmt: skip
@click.option("--one-scope", is_flag=True, help="No call may name another scope.")
def mcp(chosen: Chosen, port: int | None, token: str | None, one_scope: bool) -> None:
    """Serve the memory in FOLDER over the Model Context Protocol.

    The client, such as an editor or a chat program, starts this command itself.

    Makes the folder if it is not there. Any number of these, and an agent, may use one folder.

    \b
      graphmem mcp agent-memory
      graphmem mcp agent-memory --http 8765
      graphmem mcp agent-memory --scope customer-1 --one-scope
    """
    if token is not None and (port is None or not token.isascii() or not token.isprintable()):
        raise click.UsageError("--token is for --http, and is printable ASCII.")
    try:
        from graphmem.interfaces import mcp as served
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("graphmem"):
            raise
        raise MissingExtraError(f"this needs an optional package; {install('mcp')}") from None
    if port is None:
        from graphmem.api.failover import reach_later

        with reach_later(chosen.folder, scope=chosen.scope, **_settings()) as memory:
            served.run_stdio(memory, one_scope=one_scope)
        return
    import secrets

    with _taking(port, "--http"):
        listener = create_server((served.HOST, port))
    with listener, graphmem.reach(chosen.folder, scope=chosen.scope, **_settings()) as memory:
        shown = token or secrets.token_urlsafe(24)
        click.echo(
            f"Serving {memory.path} at http://{served.HOST}:{port}{served.PATH}"
            + ("" if token else f"\nAuthorization: Bearer {shown}"),
            err=True,
        )
        served.run_http(memory, listener, shown, one_scope=one_scope)


@command("view")
@in_folder
@click.option("--port", type=click.IntRange(0, 65_535), default=0, show_default=True,
              metavar="PORT", help="Port of 127.0.0.1; 0 takes a free one.")  # fmt: skip
@click.option("--export", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the page with the memory inside to FILE instead.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Print the address; open no browser.")
def view(chosen: Chosen, port: int, file: Path | None, no_browser: bool) -> None:
    """Look at the memory in FOLDER in a browser, live.

    An agent may use it meanwhile. Serves one page on 127.0.0.1 until it is interrupted. Only who
    has the printed address sees it.

    \b
      graphmem view agent-memory
      graphmem view agent-memory --export memory.html
    """
    if file is not None:
        from graphmem.interfaces.view.export import exported

        with Progress("Writing"), opened(chosen, read_only=True) as memory:
            written = exported(memory)
        size = write_text(file, written)
        line = f"Wrote {file}. It holds texts of the memory: give it to nobody else."
        answer(chosen, {"file": str(file), "characters": size}, line)
        return
    from graphmem.interfaces.view.server import ViewServer

    with there(chosen.folder):
        reached = graphmem.reach(chosen.folder, scope=chosen.scope, create=False, **of_folder())
    with reached as memory:
        memory.admin.stats()  # fails before anything is served if the memory cannot be opened
        with _taking(port, "--port, or 0 for a free one"):
            server = ViewServer(memory, port)
        with server:
            answer(chosen, {"address": server.address}, server.address, "End it with Ctrl-C.")
            if not no_browser:
                import webbrowser

                webbrowser.open(server.address)
            server.serve_forever(poll_interval=0.2)


@command("graph map")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--anew", is_flag=True, help="Find all places again.")
def map(chosen: Chosen, file: Path, anew: bool) -> None:
    """Write all nodes and links, with a place for each node, to FILE.

    The bytes are those of memory.graph.map(); docs/format.md says how they are laid out.

    \b
      graphmem graph map agent-memory.map
    """
    with Progress("Placing") as progress, opened(chosen, read_only=True) as memory:
        packed = memory.graph.map(anew=anew, progress=progress.update)
    write_whole(file, lambda place: place.write_bytes(packed))
    found = {"file": str(file), "bytes": len(packed)}
    answer(chosen, found, f"Wrote {len(packed):,} bytes to {file}.")
