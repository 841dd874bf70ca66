"""Checks of a server's URL and key, without the libraries of the backend."""

from importlib.util import find_spec
from typing import Final
from urllib.parse import urlsplit

KEY_VARIABLE: Final[str] = "GRAPHMEM_SERVER_KEY"
"""Environment variable that passes the key to the worker, because a command line is public."""

_EXAMPLE: Final[str] = "write it like http://localhost:11434/v1"
_LIBRARIES: Final[tuple[str, ...]] = ("urllib3", "stamina")


def base_url(server: str) -> str:
    """The base URL of `/models`, `/chat/completions` and `/embeddings`.

    A server without a path gets `/v1`. Raises `ValueError`, which does not quote a possible secret.
    """
    text = server.strip()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError(f"server is not a URL: {_EXAMPLE}") from None
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"server holds a user or a password: give server_key, {_EXAMPLE}")
    if parts.query or parts.fragment:
        raise ValueError(f"server holds a query or a fragment: {_EXAMPLE}")
    plain = text.isascii() and text.isprintable() and " " not in text
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or not plain:
        raise ValueError(f"server is not an http or https URL: {_EXAMPLE}")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/v1'}"


def check_key(key: str) -> None:
    """Raises `ValueError`, which does not quote `key`, if it cannot stand in a header."""
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ValueError("server_key holds characters that no key has: blanks, or beyond ASCII")


def missing_libraries() -> list[str]:
    """The libraries of the extra `http` that are not installed."""
    return [name for name in _LIBRARIES if find_spec(name) is None]
