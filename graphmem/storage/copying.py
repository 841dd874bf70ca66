"""What is copied from one engine to another, in batches."""

from collections.abc import Iterable, Iterator


def batches(
    pairs: Iterable[tuple[bytes, bytes]], least: int
) -> Iterator[tuple[dict[bytes, bytes | None], int]]:
    """Pairs as batches of `least` bytes or a little more, the last of fewer; and the bytes of each,
    of keys and values."""
    batch: dict[bytes, bytes | None] = {}
    size = 0
    for key, value in pairs:
        batch[key] = value
        size += len(key) + len(value)
        if size >= least:
            yield batch, size
            batch, size = {}, 0
    if batch:
        yield batch, size
