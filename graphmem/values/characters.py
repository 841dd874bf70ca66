"""Characters that no UTF-8 can hold."""

from __future__ import annotations


def is_encodable(text: str) -> bool:
    """Whether a text has no lone surrogates, such as `os.fsdecode` makes of bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
