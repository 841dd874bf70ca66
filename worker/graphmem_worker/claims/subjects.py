# ruff: noqa: E501 (a pattern is read best in one line)
"""The subject of a sentence: a name, the speaker, a relative."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from graphmem_worker.claims.topics import stem
from graphmem_worker.language.lists import classed, listed, ordered
from graphmem_worker.language.sayings import folded
from graphmem_worker.text.patterns import late

KIN: Final = "daughter|son|wife|husband|mother|father|mom|mum|dad|sister|brother|partner|girlfriend|boyfriend|boss|dog|cat|friend|roommate|flatmate|colleague|landlord|neighbou?r|aunt|uncle|cousin|grandmother|grandma|grandfather|grandpa|doctor|dentist|teacher"

HAN_KIN: Final = "[表堂][哥姐弟妹]|舅舅|叔叔|姑姑|阿姨|孙子|孙女|嫂子|姐夫|岳父|岳母|公公|婆婆|女儿|儿子|老婆|妻子|老公|丈夫|爱人|妈妈?|爸爸?|母亲|父亲|姐姐?|妹妹?|哥哥?|弟弟?|女朋友|男朋友|对象|室友|同事|老板|房东|邻居|奶奶|爷爷|外婆|外公|朋友|狗|猫|医生"

_MY: Final = late(rf"\bmy ({KIN})\b", re.I)

_ME: Final = late(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself)\b", re.I)

_HAN_MY: Final = late(rf"^[^，。]{{0,6}}?我(?:家|的)?({HAN_KIN})")

HAN_ME: Final = late(r"我(?!们|司|厂|方|国|校)")

_NAME: Final = late(r"(?:^|(?<=[\s(,]))([A-Z][a-zé-]{1,20})(?:'s)?(?=[\s,.]|$)")


@cache
def surnames() -> frozenset[str]:
    """Chinese surnames: the first characters of names of people."""
    return listed("surnames") | listed("other_surnames") | listed("rare_surnames")


_HAN_VERB: Final = "坐骑走挑选订站穿戴带教认讲听讨入开又也只都常就能写做当学养买卖喝爱在住吃不戒会家审说更对现报有调喜的和用搬换是去从把每负要习偏改转跳升已又最得租开养血结离单今下晚上周每"

_HAN_NAME: Final = late(
    lambda: (
        r"(?:^|[，。；：、])((?:老|小|阿)[\u4e00-\u9fff]"
        rf"|[{''.join(sorted(surnames()))}](?:{'|'.join(ordered('titles_behind'))}|[\u4e00-\u9fff]{{1,2}}?))"
        rf"(?=[{_HAN_VERB}0-9])"
    )
)


_OWNED: Final = late(
    rf"([A-Z][a-zé-]{{1,20}})'s ({KIN}|parents?|family|kids?|in-laws)\b|([\u4e00-\u9fff]{{2,3}}?)[的她他]?({HAN_KIN}|父母|家人|孩子)(?=[\u4e00-\u9fff])",
    re.I,
)


def subject_of(sentence: str, speaker: str | None) -> str:
    """The subject as in `Claim.subject`; "" if the sentence names no person."""
    me = folded((speaker or "me").strip())
    found = _MY.search(sentence[:60])
    if found:
        return f"{me}/{found[1].lower()}"
    relative = _HAN_MY.search(sentence)
    if relative:
        return f"{me}/{relative[1]}"
    owned = _OWNED.match(sentence)
    if owned:
        return f"{owned[1].lower()}/{stem(owned[2])}" if owned[1] else f"{owned[3]}/{owned[4]}"
    name = _HAN_NAME.search(sentence)
    if name and name[1] not in listed("no_han_names") and name[1][:2] not in listed("no_han_names"):
        return name[1]
    for latin in _NAME.finditer(sentence[:120]):
        word = latin[1]
        if word.lower() in listed("no_names") or word.lower() in classed("choices"):
            continue
        # A name begins the clause or owns something; "in Utrecht" and "at Heron" are places.
        before = sentence[: latin.start(1)].rstrip()
        if (
            not before
            or before.endswith((",", "and", "but", "so", ";", "—", "that", "says"))
            or latin[0].endswith("'s")
        ):
            return word.lower()
        break
    if _ME.search(sentence) or HAN_ME.search(sentence):
        return me
    return ""
