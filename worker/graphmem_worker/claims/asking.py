# ruff: noqa: E501 (a pattern is read best in one line)
"""What states a cue asks for."""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.claims.claim import LONGEST
from graphmem_worker.claims.subjects import HAN_KIN, HAN_ME, KIN
from graphmem_worker.language.lists import classed, listed
from graphmem_worker.text.patterns import late

_ASKED: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (slot, late(pattern, re.I))
    for slot, pattern in (
        ("residence", r"\bwhere (?:does|do|is|are|did) .{0,30}\b(?:live|living|reside|based|home|moved? to)\b|\b(?:which|what) (?:city|town|country)\b.{0,30}\blive|住在?(?:哪|什么地方)|搬到?(?:哪|了哪)|家在哪|现居"),
        ("employer", r"\bwhere (?:does|do|is|are) .{0,30}\bwork|\bwho does .{0,30}\bwork for|\bwhich company\b|在哪(?:里|儿|家)?(?:公司)?(?:上班|工作|就职)|哪家公司"),
        ("job", r"\bwhat (?:does|do) .{0,30}\b(?:do for a living|do for work)|\bwhat(?:'s| is) .{0,30}\b(?:job|profession|occupation)\b|做什么工作|什么职业|干什么的"),
        ("team", r"\b(?:which|what) team\b|在?哪个(?:组|部门|团队)"),
        ("version:", r"\b(?:which|what) version\b|\bversion of\b.{0,30}\b(?:use|run|on)\b|哪个版本|什么版本|版本是多少|几版"),
        ("owner:", r"\bwho (?:is responsible|is in charge|owns|leads|runs|maintains|handles|reviews)|谁(?:负责|管|接手|维护|牵头)|由谁|负责人是谁"),
        ("dose:", r"\b(?:what|which) dose|\bhow (?:much|many) .{0,40}\b(?:take|mg|tablets|pills)\b|吃(?:几|多少)(?:片|粒|毫克)|剂量"),
        ("marital", r"\b(?:is|are) .{0,30}\b(?:married|single|divorced)\b|结婚了吗|单身吗"),
        ("diet", r"\b(?:vegetarian|vegan|eat meat)\b.{0,10}\?|吃素吗|吃肉吗"),
        ("date", r"\bwhen (?:is|are|does|do|will)\b|什么时候|哪天|几号"),
        ("clock", r"\b(?:what|which) time\b|\bat what time\b|几点"),
    )
)  # fmt: skip


def asks(cue: str, *, speaker: str | None = None) -> tuple[tuple[str, str], ...]:
    """What states a cue asks for: (subject, slot). A slot that ends in ":" means any of its kind."""
    text = cue.strip()[:LONGEST]
    found = [slot for slot, pattern in _ASKED if pattern.search(text)]
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
