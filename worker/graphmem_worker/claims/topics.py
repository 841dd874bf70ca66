# ruff: noqa: E501 (a pattern is read best in one line)
"""Content words of a sentence, and the thing that it begins with."""

from __future__ import annotations

import itertools
import re
from itertools import pairwise
from typing import Final

from graphmem_worker.text.patterns import late

_STOP: Final = frozenset(
    """
    the a an is are was were be been being of on in at to for from with by and or but not our we i my
    me you your he she it its it's they their this that these those has have had do does did will
    would can could please now no any more so as than over up out just only still always all new
    since because after last there here use used uses using run runs running moved take takes took
    like likes prefer prefers preferred better want wants works work live lives about around every
    per each again already until till then instead well also very much most got get gets going goes
    go went what which who whom where when how why one s t re ve ll d m i'm we're i've he's she's
    his her hers him us them o'clock st nd rd th am pm date day days time changed switched replaced
    upgraded set current currently exactly roughly least actually finally
    """.split()
)

_HAN_STOP: Final = frozenset(
    "的了是在我们用现都也就把给和与跟到这那一个上下不没有已以后请更爱从对为说改换成升着过得很又再才呢吧啊吗每新最它他她你您其"
)

_HAN_KEPT: Final = frozenset("上班 下班 上课 上学 有事 每天 每周 每月 换班 在线 上报".split())
"""Words that a stop character would hide."""

_WORD: Final = late(r"[A-Za-z][A-Za-z']{1,30}")

_HAN_RUN: Final = late("[\u4e00-\u9fff]{1,60}")


def stem(word: str) -> str:
    word = word.lower().removesuffix("'s").strip("'")
    if word.endswith("s") and not word.endswith("ss") and len(word) == 4:
        return word[:-1]
    for ending in (
        "ations",
        "ation",
        "ments",
        "ment",
        "ings",
        "ing",
        "ters",
        "ter",
        "ers",
        "ies",
        "ed",
        "es",
        "er",
        "ly",
        "s",
        "e",
        "y",
    ):
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def topic_of(sentence: str, spans: list[tuple[int, int]]) -> frozenset[str]:
    """Content words outside `spans`: stems in Latin letters, pairs of Chinese characters."""
    kept = list(sentence)
    for start, end in spans:
        kept[start:end] = " " * (end - start)
    rest = "".join(kept)
    words = {stem(w) for w in _WORD.findall(rest) if w.lower() not in _STOP}
    for run in _HAN_RUN.findall(rest):
        words |= {
            a + b
            for a, b in itertools.pairwise(run)
            if (a not in _HAN_STOP and b not in _HAN_STOP) or a + b in _HAN_KEPT
        }
    return frozenset(words)


def key_of(words: str) -> str:
    """A noun phrase as a key: stems without articles, the last two."""
    if not words.isascii():
        return words.strip("的了")
    stems = [stem(w) for w in _WORD.findall(words) if w.lower() not in _STOP]
    return " ".join(stems[-2:])


ADDS: Final = late(
    r"\b(?:also|too|as well|another|additionally|besides)\b|也|还(?:会|用|有|要|负责|管|喜欢|爱|能|在用)|另外|又(?:买|订|见|加)",
    re.I,
)

_ABOUT: Final = late(
    r"(?:an?|the|our|my|their|this|his|her|its)\s((?:[\w-]{2,20}\s){0,2}?[\w'-]{2,20})(?:\s(?:now|still|currently|always|only|also|has|have|had|will|team)){0,2}\s(?:is|are|was|were|has|have|takes?|took|costs?|runs?|starts?|begins?|ends?|goes|go|moved|lasts?|needs?|requires?|uses?|listens?|opens?|closes?|holds?|weighs?|will|can|must|went|got|been|reboots?|reports?|stays?|leaves?|arrives?|expires?|works?|speaks?|lives?|keeps?|supports?|deploys?|ships?|stores?|trial|meets?|falls|sits|comes)\b",
    re.I,
)

_HAN_ABOUT: Final = late(
    r"(?!我|你|他|她|它|咱|大家|每|[一二三四五六七八九十两]|夜里|早上|晚上|上午|下午|中午|凌晨|现在|以后|今|明|这|那|请|从|把|用|改)([\u4e00-\u9fff]{2,5}?)(?=的|是|吃|住|喝|爱|讨|又|也|只|入|跳|开|搬|去|最|习|偏|用|在|为|每|有|定|改|涨|降|现|已|由|归|从|能|保|到|换|升|搬|都|统|默|一|周|星|二|三|四|五|六|七|八|九|十|约|发|刷|装|花|减|延|续|推|提|不|[0-9A-Za-z\s])"
)

_PLURAL: Final = late(
    r"([A-Z][a-z]{3,18}s) (?:now |still |always |only )?(?:are|were|costs?|have|takes?|runs?|arrive|leave|start|end|last|go|must|get|were|close|open|need)\b"
)


def thing_of(sentence: str) -> str:
    """The thing that a sentence begins with, as a stem or in Chinese characters; "" if none."""
    latin = _ABOUT.match(sentence)
    if latin is not None:
        return stem(latin[1].split()[-1])
    plural = _PLURAL.match(sentence)
    if plural is not None:
        return stem(plural[1])
    han = _HAN_ABOUT.match(sentence)
    return han[1] if han else ""


def pairs_of(run: str) -> set[str]:
    return {a + b for a, b in pairwise(run)}
