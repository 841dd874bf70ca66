"""What states a cue asks for."""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.claims.claim import LONGEST
from graphmem_worker.claims.subjects import HAN_KIN, HAN_ME, KIN
from graphmem_worker.language.lists import classed, listed
from graphmem_worker.language.sayings import folded, sayings

_SLOTS: Final = (
    ("residence", "residence"),
    ("employer", "employer"),
    ("job", "job"),
    ("team", "team"),
    ("version", "version:"),
    ("owner", "owner:"),
    ("dose", "dose:"),
    ("marital", "marital"),
    ("diet", "diet"),
    ("date", "date"),
    ("clock", "clock"),
)
"""What asks for a state in the tables `asked`, and the slot of its claims."""


def asks(cue: str, *, speaker: str | None = None) -> tuple[tuple[str, str], ...]:
    """What states a cue asks for: (subject, slot). A slot with ":" at its end is any of a kind."""
    text = cue.strip()[:LONGEST]
    low = folded(text)
    found = [slot for means, slot in _SLOTS if sayings("asked", means).is_in(low)]
    if not found:
        return ()
    subject = _asked_subject(text, speaker)
    return tuple((subject, slot) for slot in found)


def _asked_subject(text: str, speaker: str | None) -> str:
    relative = re.search(rf"\b(?:my|your) ({KIN})\b", text, re.I) or re.search(
        rf"[我你](?:家|的)?({HAN_KIN})", text
    )
    me = (speaker or "me").strip().lower()
    if relative:
        return f"{me}/{relative[1].lower()}"
    for name in re.finditer(r"\b([A-Z][a-zé'-]{1,20})(?:'s)?\b", text):
        word = name[1].removesuffix("'s").lower()
        if name.start() and word not in listed("no_names") and word not in classed("choices"):
            return word
    han = re.match(
        r"((?:老|小|阿)?[\u4e00-\u9fff]{1,3}?)(?=现在|住|在|搬|家|是|做|吃|结|单|目前|的)", text
    )
    if (
        han
        and han[1] not in {"我", "你", "谁", "我们", "他", "她", "项目"}
        and han[1] not in listed("no_han_names")
    ):
        return han[1]
    if re.search(r"\b(?:i|my|me)\b", text, re.I) or HAN_ME.search(text):
        return me
    return ""
