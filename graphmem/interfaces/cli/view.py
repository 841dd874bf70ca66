"""Commands that show a memory: view, map."""

from __future__ import annotations

from pathlib import Path

import click

import graphmem
from graphmem.errors import GraphMemError
from graphmem.interfaces.cli.group import Chosen, FilePath, command
from graphmem.interfaces.cli.printing import answer
from graphmem.interfaces.cli.reach import of_folder, opened, there
from graphmem.interfaces.terminal import Progress
from graphmem.storage.whole_file import write_text, write_whole


@command("view")
@click.argument("folder", metavar="FOLDER", required=False)
@click.option("--port", type=click.IntRange(0, 65_535), default=0, show_default=True,
              metavar="PORT", help="Port of 127.0.0.1; 0 takes a free one.")  # fmt: skip
@click.option("--export", "file", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the page with the memory inside to FILE instead.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Print the address; open no browser.")
def view(
    chosen: Chosen, folder: str | None, port: int, file: Path | None, no_browser: bool
) -> None:
    """Look at the memory in FOLDER in a browser, live.

    An agent may use it meanwhile. Serves one page on 127.0.0.1 until it is interrupted. Only who
    has the printed address sees it.

    \b
      graphmem view agent-memory
      graphmem view agent-memory --export memory.html
    """
    chosen.path = folder or chosen.path
    if file is not None:
        from graphmem.interfaces.view.export import exported

        with Progress("Writing"), opened(chosen, read_only=True) as memory:
            written = exported(memory)
        size = write_text(file, written)
        told = f"Wrote {file}. It holds texts of the memory: give it to nobody else."
        answer(chosen, {"file": str(file), "characters": size}, told)
        return
    from graphmem.interfaces.view.server import HOST, ViewServer

    with there(chosen.folder):
        reached = graphmem.reach(chosen.folder, scope=chosen.scope, create=False, **of_folder())
    with reached as memory:
        memory.admin.stats()  # what cannot be opened is told of before anything is served
        try:
            server = ViewServer(memory, port)
        except OSError as error:
            raise GraphMemError(
                f"port {port} of {HOST} cannot be taken ({error.strerror}); choose another one "
                "with --port, or 0 for a free one"
            ) from None
        with server:
            answer(chosen, {"address": server.address}, server.address, "End it with Ctrl-C.")
            if not no_browser:
                import webbrowser

                webbrowser.open(server.address)
            server.serve_forever(poll_interval=0.2)


@command("graph map")
@click.argument("file", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--anew", is_flag=True, help="Find all places again.")
def map(chosen: Chosen, file: Path, anew: bool) -> None:
    """Write all nodes and links, with a place for each node, to FILE.

    The bytes are those of memory.graph.map(); docs/format.md says how they are laid out.

    \b
      graphmem graph map agent-memory.map
    """
    with Progress("Placing"), opened(chosen, read_only=True) as memory:
        packed = memory.graph.map(anew=anew)
    write_whole(file, lambda place: place.write_bytes(packed))
    found = {"file": str(file), "bytes": len(packed)}
    answer(chosen, found, f"Wrote {len(packed):,} bytes to {file}.")
