"""`python -m graphmem_worker`: the worker process, started by `graphmem_worker.process.client`."""

import argparse
import json

from graphmem_worker.process.server import serve


def main() -> None:
    """Reads the command line and serves."""
    parser = argparse.ArgumentParser(
        prog="graphmem_worker",
        description="Answers a graphmem process's text tasks over two pipes.",
    )
    parser.add_argument(
        "--read", type=int, required=True, metavar="FD", help="descriptor that requests come from"
    )
    parser.add_argument(
        "--write", type=int, required=True, metavar="FD", help="descriptor that answers go to"
    )
    parser.add_argument("--backend", default="extractive", help="name of the backend")
    parser.add_argument(
        "--options",
        type=_options,
        default={},
        metavar="JSON",
        help="the backend's options, an object",
    )
    given = parser.parse_args()
    serve(given.read, given.write, given.backend, given.options)


def _options(text: str) -> dict[str, object]:
    options = json.loads(text)
    if not isinstance(options, dict):
        raise argparse.ArgumentTypeError("the options must be a JSON object")
    return options


if __name__ == "__main__":
    main()
