"""Subjects: of whom a cue asks, and of whom a text tells.

What holds of one person replaces nothing that holds of another: "When is my birthday?" is not
answered by the later "Marta's birthday is on 19 November". Read are the first person, relatives
("my sister", 我妹妹), and names that stand before a verb or own something; of whom else a text
tells is not known, and then it is told apart from nobody.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from graphmem.recalling.names import SURNAMES
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import script

SELF: Final = "\x00self"
"""Whoever speaks."""
Persons = frozenset[str]

KIN: Final = (
    "sister|brother|mother|mom|mum|father|dad|wife|husband|partner|son|daughter|aunt|uncle|cousin"
    "|grandmother|grandma|gran|grandfather|grandpa|boss|manager|neighbou?r|friend|colleague"
    "|girlfriend|boyfriend|roommate|flatmate|niece|nephew|kids?|child|parents"
)
HAN_KIN: Final = (
    "姐姐|姐|妹妹|妹|哥哥|哥|弟弟|弟|妈妈|妈|爸爸|爸|母亲|父亲|老婆|老公|妻子|丈夫|太太|女儿|儿子|奶奶|爷爷|外婆"
    "|外公|姑姑|舅舅|阿姨|叔叔|表哥|表姐|老板|领导|邻居|朋友|同事|室友|女朋友|男朋友|孩子|侄女|侄子|孙子|孙女"
)
# A relative may be what is told ("my boss is Tom"), or of whom it is told ("my boss lives here").
_OF_KIN: Final = late(
    rf"\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir) (?:(?:\w+er|late|new|old) )?(?P<kin>{KIN})\b"
    r"(?:,? (?P<name>[A-Z][a-z]+))?(?:['’]s\b)?"
    r"(?! (?:is|was|are)(?: now| called| named)? (?:[A-Z]|called|named))"
)
_FIRST: Final = late(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Oo]urs?|us)\b")
_ACTING: Final = (
    r"(?:is|was|has|had|does|did|got|gave|left|took|went|came|found|bought|sold|made|said|told"
    r"|became|began|broke|quit|won|lost|met|kept|(?!less|this|its|as)[a-z]+(?:[^su\W]s|[sx]es)|[a-z]{2,}ed)\b"
)
_NAMED: Final = late(
    r"(?:^|(?<=[.!?;:,–—] )|(?<=\b(?:and|but|for) )|(?<=\bthat ))"
    r"(?:(?:Mr|Mrs|Ms|Miss|Dr)\.? )?"
    r"(?P<name>(?!(?:The|This|That|It|There|What|My|Our|In|On|At|From|An?) )[A-Z][a-zà-ÿ]+)"
    rf"(?: [A-Z][a-zà-ÿ]+)?(?:['’]s\b| (?:now |just |also |finally |already )?{_ACTING})"
)
_ASKED_NAME: Final = late(r"(?<=[a-z,’'s] )(?:(?:Mr|Mrs|Ms|Miss|Dr)\.? )?(?P<name>[A-Z][a-zà-ÿ]+)")
_WHO_IS: Final = late(r"\bwho(?:['’]s| is| was| are| were)\b", re.IGNORECASE)
"""Then "my boss" is what is asked, of who speaks."""
_HAN_OF_KIN: Final = late(rf"我(?:的|们|家)?(?P<kin>{HAN_KIN})(?!是|叫|换)")
_HAN_KIN: Final = late(rf"(?:^|[，。；！,;\s])(?P<kin>{HAN_KIN})(?!是|叫|换)")
_HAN_FIRST: Final = late("我|咱|俺")
_HAN_NAMED: Final = late(
    rf"(?:^|[，。；！、,;\s])(?:(?P<name>[小老阿][\u4e00-\u9fff]|(?P<twice>[\u4e00-\u9fff])(?P=twice)"
    rf"|[{''.join(sorted(SURNAMES))}](?:总|工|姐|哥|叔|姨|医生|大夫|老师|师傅))|(?P<owner>[\u4e00-\u9fff]{{2,3}}?)的)"
)
_HAN_ASKED: Final = late(
    "^(?:请问|那|现在|目前)?(?P<name>[\u4e00-\u9fff]{2,3}?)(?:现在|以前|之前|目前|今年|平时|还)*"
    "(?:的|在|对|住|吃|学|开|用|叫|上|做|养|喜欢|工作|是|几|多)"
)
_NO_PERSONS: Final = frozenset(
    "我们 咱们 你们 大家 现在 目前 以前 之前 这里 这个 那个 什么 哪个 哪里 今年 去年".split()
)


@lru_cache(1 << 8)
def asked_of(cue: str) -> Persons:
    """Of whom a cue asks: names and relatives in lower case, `SELF`; empty if it names nobody."""
    if script(cue) == "cjk":
        relatives = frozenset(match["kin"] for match in _HAN_OF_KIN.finditer(cue))
        if relatives:
            return relatives
        if _HAN_FIRST.search(cue) is not None:
            return frozenset((SELF,))
        found = _HAN_ASKED.search(cue)
        name = found["name"] if found else ""
        return frozenset() if not name or name in _NO_PERSONS else frozenset((name,))
    kin = [] if _WHO_IS.search(cue) else list(_OF_KIN.finditer(cue))
    if kin:
        return _named(kin)
    if _FIRST.search(cue) is not None:
        return frozenset((SELF,))
    return frozenset(match["name"].casefold() for match in _ASKED_NAME.finditer(cue))


@lru_cache(1 << 13)
def told_of(text: str) -> Persons:
    """Of whom a text tells, as `asked_of` says it; empty if its form does not say."""
    if script(text) == "cjk":
        left = _HAN_OF_KIN.sub(" ", text)
        found = {m["kin"] for p in (_HAN_OF_KIN, _HAN_KIN) for m in p.finditer(text)}
        found |= {m["name"] or m["owner"] for m in _HAN_NAMED.finditer(text)} - _NO_PERSONS
        is_first = _HAN_FIRST.search(left) is not None
    else:
        kin = list(_OF_KIN.finditer(text))
        found = set(_named(kin)) | {m["name"].casefold() for m in _NAMED.finditer(text)}
        is_first = _FIRST.search(_OF_KIN.sub(" ", text)) is not None
    return frozenset((*found, SELF) if is_first else found)


def _named(kin: list[re.Match[str]]) -> Persons:
    return frozenset(said.casefold() for m in kin for said in (m["kin"], m["name"]) if said)


def is_told(asked: Persons, text: str) -> bool:
    """Whether a text tells of a person of whom is asked, or may, where that is who speaks."""
    return SELF in asked or not asked.isdisjoint(told_of(text))


def are_apart(asked: Persons, one: str, other: str, speaker: str | None) -> bool:
    """Whether a text by some speaker tells of somebody else than `one`, which tells of whom is
    asked. A text about somebody whom `one` names goes with it: "My boss is Tom", "Tom left"."""
    told = told_of(other)
    if not is_told(asked, one) or not told or not told.isdisjoint(asked | (told_of(one) - {SELF})):
        return False
    if SELF in told and speaker and any(who in speaker.casefold() for who in asked):
        return False
    said = one.casefold()
    return not any(who in said for who in told if who != SELF)
