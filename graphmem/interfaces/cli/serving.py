"""Commands that serve a memory to other programs: mcp."""

from __future__ import annotations

import os
from typing import Any, Final

import click

import graphmem
from graphmem.errors import MissingExtraError
from graphmem.interfaces.cli.group import Chosen, command
from graphmem.interfaces.cli.reach import of_folder
from graphmem.settings import variable_of
from graphmem_worker.errors import install

_PATIENCE: Final = 0.02  # seconds: a model, which has to be asked, takes longer


def _settings() -> dict[str, Any]:
    """What a server opens a folder with, unless variables say something else."""
    if os.environ.get(variable_of("conflict_patience")):
        return of_folder()
    return {**of_folder(), "tuning": graphmem.Tuning(conflict_patience=_PATIENCE)}


@command("mcp")
@click.argument("folder", metavar="FOLDER", required=False)
@click.option("--http", "port", type=click.IntRange(1, 65_535), metavar="PORT",
              help="Serve by HTTP on 127.0.0.1, not by standard input and output.")  # fmt: skip
@click.option("--token", metavar="TOKEN", envvar="GRAPHMEM_MCP_TOKEN", show_envvar=True,
              help="What an HTTP client must show; else one is made and printed.")  # fmt: skip
@click.option("--one-scope", is_flag=True, help="No call may name another scope.")
def mcp(
    chosen: Chosen, folder: str | None, port: int | None, token: str | None, one_scope: bool
) -> None:
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
    chosen.path = folder or chosen.path
    if port is None:
        from graphmem.api.failover import reach_later

        with reach_later(chosen.folder, scope=chosen.scope, **_settings()) as memory:
            served.run_stdio(memory, one_scope=one_scope)
        return
    import secrets

    with graphmem.reach(chosen.folder, scope=chosen.scope, **_settings()) as memory:
        shown = token or secrets.token_urlsafe(24)
        click.echo(
            f"Serving {memory.path} at http://{served.HOST}:{port}{served.PATH}"
            + ("" if token else f"\nAuthorization: Bearer {shown}"),
            err=True,
        )
        served.run_http(memory, port, shown, one_scope=one_scope)
