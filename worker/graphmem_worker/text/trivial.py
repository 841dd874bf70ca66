# ruff: noqa: E501 (a pattern is read best in one line)
"""Texts that say nothing: no content word, or nothing but listed replies, statuses and test data.

Length decides nothing: 我对花生过敏 has six characters. A text is trivial if each of its pieces,
between marks of punctuation, is; what protects or binds somebody never is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import protects
from graphmem_worker.text.salience import is_pleasantry, is_question, is_remark
from graphmem_worker.text.salience import parts as reasons
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, holds_word, words

Trivial = Literal["no content word", "a reply", "a status", "test data", "names nothing"]

_PIECES: Final = late(r"[.,!?;:…~。，！？；：、\n\r]+(?:\s|$)|[。，！？；：、…~!\n\r]+")
_LONGEST: Final = 80  # characters of a piece that can be listed

_WHY: Final[tuple[Trivial, ...]] = ("a reply", "a status", "test data", "names nothing")
_SAID: Final = late(r"\w")
_HAN_ONLY: Final = late(f"[{HAN}]+")


def trivial(text: str) -> Trivial | None:
    """Why a text says nothing, by its first piece; None if it says something.

    A piece without a content word has only stop words, function characters and signs.
    """
    found: Trivial | None = None
    for piece in _PIECES.split(text):
        bare = piece.strip(" \t\"'“”‘’()（）[]*_-–—>#.,!?;:。，！？")
        if not _SAID.search(bare):
            found = found or "no content word"
            continue
        why = _listed(bare)
        if why is None:
            return None
        found = why if found in (None, "no content word") else found
    if found == "no content word" and protects(text) is not None:
        return None
    return found  # what is listed protects nobody, whatever date stands in it


def _listed(piece: str) -> Trivial | None:
    if len(piece) <= _LONGEST:
        said = folded(piece)
        if sayings("trivial").is_whole(said):
            return next(why for why in _WHY if sayings("trivial", why).is_whole(said))
    if piece.isascii():
        return None if holds_word(piece) else "no content word"
    if _HAN_ONLY.fullmatch(piece):
        return "no content word" if set(piece) <= FUNCTION_CHARACTERS else None
    return None if words(piece) else "no content word"


# --- thanks, greetings, praise ---------------------------------------------------------------------

_COURTESY: Final = late(
    r"(?:oh|woah|whoa|yep|yea|aww?|ha|for sure|same here|totally agree|exactly|dear|cheers|good luck|me too|you too|keep it up|well done|lucky you|way to go|(?:i'm )?rooting for you|hang in there.{0,24}|let's (?:do|go for) (?:it|this)|you're (?:doing )?(?:amazing|awesome|great|the best)|(?:i )?really appreciate (?:it|that|your .{1,16})|amazing|lovely|look at this|never give up|looking forward to .{1,30}|your \w+ (?:really )?means? .{1,20}|keep (?:it up|going|pushing|on .{1,12})|(?:it|that|this|they)(?:'s| is| was|'re| are| were)(?: gonna be| going to be)? (?:so |really |just |such |all |pretty |absolutely |a )*(?:great|awesome|amazing|cool|lovely|nice|fantastic|wonderful|incredible|inspiring|beautiful|blast|true|good|perfect|sweet|fun)(?: \w+)?)"
    r"|(?:多谢|感谢|太谢谢|非常感谢|谢谢).{0,8}|(?:早安|好梦|明天见|(?:我们)?下次(?:再)?见|没错|对啊|哦|哇|原来如此|恰是如此|太(?:棒|赞)了|辛苦了?|我也(?:是|一样))[啊呀呢了]?|恭喜.{0,3}|我?也?祝.{1,12}|这些都是(?:很|非常)好的建议|(?:我们)?(?:明天|下次|以后|改天)再(?:继续)?聊(?:天)?吧?",
    re.IGNORECASE,
)
_PIECE: Final = late(r"\s*[,，!！.。~;；、]+\s*")
_ADDRESSED: Final = late(
    r"[A-Z][\w']*(?: [A-Z][\w']*)?|AI[\u4e00-\u9fff]{0,4}|[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{1,3}(?:先生|女士|老师|哥|姐)"
)
_NAMED_LAST: Final = late(r" [A-Z][\w']*$")
_TELLS: Final = frozenset(("names", "numbers", "date", "decision", "preference"))


def courtesy(text: str) -> bool:
    """Whether thanks, greetings, praise and "yes", perhaps with a name, are all that `text` says."""
    first, *others = [piece for piece in _PIECE.split(text.strip()) if piece] or [""]
    said = [piece for piece in others if not _ADDRESSED.fullmatch(piece)]
    if _is_courteous(first):
        return all(map(_is_courteous, said))
    return bool(said and _ADDRESSED.fullmatch(first)) and all(map(_is_courteous, others))


def _is_courteous(piece: str) -> bool:
    if _COURTESY.fullmatch(piece):
        return True
    return is_remark(piece) and _TELLS.isdisjoint(reasons(_NAMED_LAST.sub("", piece)))


# --- replies ---------------------------------------------------------------------------------------

_HEARD: Final = late(
    r"(?:ok(?:ay)?|sure|right|great|thanks?|got it|noted|saved|understood|will do|done)\b[,.!;: ]*"
    "|(?:好的?|行|嗯|收到|明白|了解|知道了|没问题|(?:已经?)?记(?:下|好|住)(?:了|来了)?)[了啦]?[，,。！!；;]",
    re.IGNORECASE,
)


def replies(sentences: Sequence[str]) -> bool:
    """Whether all that a text says is a question, or that it heard what was told before it: "Noted.
    Shall I keep her number?", 收到，都记好了。要提醒你吗？ What names, counts, dates or decides
    something besides is told."""
    told = [said for said in map(str.strip, sentences) if said]
    if not told:
        return False
    # Most texts tell something, and the longest sentence does so most likely.
    longest = max(told, key=len)
    return _is_reply(longest) and all(said is longest or _is_reply(said) for said in told)


def _is_reply(said: str) -> bool:
    if is_question(said):
        return True
    heard = _HEARD.match(said)
    if heard is None and not is_pleasantry(said) and trivial(said) is None:
        return False
    # A name is told from the first word of a sentence by what stands before it.
    return _TELLS.isdisjoint(reasons(f"so {said[heard.end() :]}" if heard else said))
