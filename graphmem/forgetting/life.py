"""Life: the known history of a node, step by step, from its forms in the archive. When its links
were strengthened is not stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from graphmem.forgetting.undo import GONE
from graphmem.graph.worth import threshold
from graphmem.values.nodes import Form, Version
from graphmem.values.worth import Life, Step, Worth, shown

_FORGOTTEN: Final = {
    "slot": "a newcomer took its slot; it was the first to go of a sample",
    "asked": "asked for",
    "expired": "its time was over",
}
_BOUND: Final = {Form.WHOLE: "⅓", Form.SHORTER: "⅓", Form.GIST: "¼"}


def life(node: int, versions: list[Version], successor: int | None, worth: Worth | None) -> Life:
    """The life of a node, from its `history`; successor: the node that replaced it."""
    return Life(node, tuple(_steps(versions, successor)), worth)


def _steps(versions: list[Version], successor: int | None) -> Iterator[Step]:
    first = versions[0]
    detail = "" if first.version == 1 else "the archive no longer has what was before this form"
    born = first.born if first.version == 1 else None
    text = first.node
    yield Step("remembered", born, text.created, detail, str(text), first.version)
    uses = 0
    for version in versions:
        if version.node.uses > uses:
            times = version.node.uses - uses
            how = "once" if times == 1 else f"{times} times, then for the last time"
            yield Step("used", version.last_use, version.node.last_used, how, "", version.version)
            uses = version.node.uses
        if version.ended is not None:
            after = next((v for v in versions if v.version > version.version), None)
            yield from _end(version, after, successor)
    last = versions[-1]
    if last.node.valid_to is not None:
        yield Step("replaced", None, last.node.valid_to, _naming(successor), "", last.version)


def _naming(successor: int | None) -> str:
    return "" if successor is None else f"node {successor} takes its place"


def _end(version: Version, after: Version | None, successor: int | None) -> Iterator[Step]:
    at, number = (version.passes, version.ended), version.version
    if version.why in ("shortened", "pressed"):
        # The archive drops the oldest first, so what came after is there.
        assert after is not None
        what = "gist" if after.node.form is Form.GIST else "shortened"
        yield Step(what, *at, _lost(version, after.node.sentences), str(after.node), after.version)
    elif version.why in ("faded", "room"):
        yield Step("forgotten", *at, _lost(version, ()), "", number)
    elif version.why in _FORGOTTEN:
        yield Step("forgotten", *at, _FORGOTTEN[version.why], "", number)
    elif version.why == "corrected":
        yield Step("corrected", *at, _naming(successor), "", number)
    if after is not None and (version.why in GONE or version.why == "revived"):
        # `born` of a revived node is the pass of its revival.
        when = version.ended if version.why == "revived" else None
        yield Step("revived", after.born, when, "", str(after.node), after.version)


def _lost(version: Version, left: tuple[str, ...]) -> str:
    """Which sentences were dropped, and at which importance × worth."""
    if version.importance is None:
        return "why is not recorded"
    bound, form = threshold(version.node.form), version.node.form
    names = version.node.sentences or (version.node.phrase,)
    if version.why in ("pressed", "room"):
        level = f"worth under {bound / version.importance:.2f}" if version.importance else "it went"
        gone = (shown(name) for name in names if name not in left)
        return f"room was needed, and {level}: " + "; ".join(gone)
    lost = [
        f"{shown(name)} {version.importance:.2f} × {worth:.2f} = {version.importance * worth:.2f}"
        for name, worth in zip(names, version.worths, strict=True)
        if name not in left and version.importance * worth < bound
    ]
    return f"importance × worth < {_BOUND[form]}: " + "; ".join(lost)
