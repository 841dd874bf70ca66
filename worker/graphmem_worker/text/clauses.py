# ruff: noqa: E501 (a pattern is read best in one line)
"""Clauses that can be read alone: a part of a sentence that says what the sentence said.

A clause alone can turn a sentence round: a condition without its consequence, a negation without
what it denies, half of a list. So clauses are joined where one needs the other, and a text that
ends in the open is told from one that is complete. English and Chinese.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Final

from graphmem_worker.language.sayings import Sayings, folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.sentences import clauses
from graphmem_worker.text.words import HAN, script

_ENDS: Final = late(r"(?:[;；]|\s[-\u2013]|[\u2014])\s*$")
_LIST_BORDER: Final = late(r"[、:：]\s*$")
_VERB: Final = late(
    r"\b(?:i|we|you|he|she|(?-i:[Ii]t)|they|there|this|that|who|is|are|was|were|am|be|been|has|have|had|will|would|can|can't|could|must|shall|should|may|might|do|does|did|don't|didn't|won't|went|goes|got|gets|made|makes|took|takes|said|says|told|came|comes|left|kept|keeps|wants|needs|likes|bought|sold|paid|pays|saw|found|gave|lives|works|moved|\w{3,}ed)\b|n't\b|['’](?:s|re|ll|ve|m|d)\b",
    re.IGNORECASE,
)
_WORDS: Final = late(r"\w+")
_SUBJECT_HAN: Final = late(
    "\\W*(?:但是?|不过|可是|而且|所以|后来|然后|另外|于是|因为)?，?(?:我|你|您|他|她|它|咱|大家|这|那|每|[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{1,2}(?:先生|女士|老师|经理|医生|教授|总|师傅|同学|阿姨|叔叔|哥|姐|工)|[A-Z]|爸|妈|爷爷|奶奶|客户|公司|医院|学校|今天|明天|昨天|上周|下周|[\\d一二三四五六七八九十]+月)"
)
_HAN_CHARACTER: Final = late(f"[{HAN}]")
_LEAST: Final[dict[str, int]] = {"latin": 3, "cjk": 5, "other": 1}  # words, characters

# Behind another clause, what begins like this speaks of something that only that clause names.
_POINTS_BACK: Final = late(
    r"\W*(?:he|she|it|they|this|that|these|those|his|her|its|their|them|one|both|each|all of|so|and|but|as|like|then|when|what|in that|the (?:old|other|first|second|last|same|new|former|latter|one|rest)\b|nine|ten|[a-z]+ (?:of them|said))\b"
    r"|\W*(?:[他她它这那其每各]|自己|结果|所以|然后|后来|但|不过|可是|而|并|四角|一次|一个|第[一二三]|之前|之后|[\\d一二三四五六七八九十]+[月号点])",
    re.IGNORECASE,
)
_NAMED_HAN: Final = late(
    "\\W*(?:我|你|您|咱|大家|今天|明天|昨天|谁|[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{1,2}(?:先生|女士|老师|经理|医生|教授|总|师傅|同学|阿姨|叔叔|哥|姐|工)|[A-Z]|爸|妈|爷爷|奶奶|外公|外婆|客户|公司|医院|学校)"
)
_NAMED_LATIN: Final = late(
    r"\W*(?:(?:I|we|you|my|our|your|nobody|no one|everybody|everyone|somebody|someone|the|an?|no|not|never|only|please|don't|do|\d[\d.,:]*)\b|[A-Z])"
)
_LEADS_ON: Final = late(
    r"\b(?:it|this|that|these|those|them|say|says|said|think|thinks|thought|know|knows|knew|told me|tells me|asks?|asked|wonders?|ones?)\W*$"
    r"|(?:说|想|问|觉得|认为|知道|讲|告诉[^，]{0,3}|发现|个事|件事|看了|听说|通知|第[一二三四五\d]+[天次]|那天|的时候|以后|之后|之前|时)\W*$",
    re.IGNORECASE,
)
_PRONOUN_HAN: Final = late("[他她它](?!妈)|那[个些种里]|这[个些种里]")
_COLON: Final = late(r"[:：](?!\d)")
_PAIRS: Final[tuple[tuple[str, str], ...]] = (
    ("“", "”"), ("‘", "’"), ("「", "」"), ("《", "》"), ("（", "）"), ("(", ")"), ("[", "]"),
)  # fmt: skip

_OPEN_END: Final = late(
    r"(?:\b(?:not|no|never|without|cannot|neither|nor|hardly|barely|and|or|but|if|unless|because|although|that|which|who|when|while|as|than|to|of|in|on|at|by|for|from|with|about|into|until|before|after|the|a|an|his|her|my|our|your|their|its|is|are|was|were|be|been|has|have|had|will|would|can|could|must|should|might|do|does|did|so|very|only|just|more|most|such as|like|including|actually|wait|i mean|or rather|in the end|sorry)|n['’]t)\W*$"
    r"|(?:不|没|没有|别|未|无|勿|莫|非|不能|不会|不要|不可以?|不是|并不|从不|除非|除了|如果|要是|只要|虽然|因为|但|但是|而且|和|与|跟|或|或者|以及|把|被|给|对|向|从|在|到|比|为了|是|有|的|地|得|很|太|更|最|还|也|都|就|才|要|会|能|可以|应该|必须|但最后|但后来|最后|后来|结果|其实|本来|原来|不对|不过|可是|因此|所以|、|：|:)$",
    re.IGNORECASE,
)


def _said(means: str) -> Sayings:
    return sayings("clauses", means)


def atoms(sentence: str) -> list[str]:
    """The clauses of `sentence`, joined where one cannot be read without the other; their
    concatenation is exactly `sentence`."""
    parts = clauses(sentence)
    joined: list[str] = []
    for place, part in enumerate(parts):
        if place and not _is_border(joined[-1], parts[place - 1], part):
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def _is_border(before: str, last: str, after: str) -> bool:
    """Whether `before` can be read without `after`, and the other way round; `last` is the last
    clause of `before`."""
    if _LIST_BORDER.search(before):
        return False
    # "X; if A, B" and "X, if A, B": the condition belongs to B where it opens what is said.
    opens = bool(_said("opens").match(folded(last))) and (
        last == before or _ENDS.search(before[: -len(last)])
    )
    if _is_turned(before, last, after):
        return False
    if opens or (
        _said("leans").match(folded(after))
        and not (_ENDS.search(before) and _said("opens").match(folded(after)))
    ):
        return False
    if is_open(before.rstrip(" ,;，；-\u2013\u2014")):
        return False
    return _is_clause(before) and _is_clause(after, begins=True)


def _is_turned(before: str, last: str, after: str) -> bool:
    """Whether `after` says what is so instead of what `before` said."""
    if _said("corrects").match(folded(after)) or _said("taken back").search(folded(last)):
        return True
    if _said("was meant").search(folded(before)) and _said("turns").match(folded(after)):
        return True
    return bool(_said("denies").search(folded(last)) and _said("instead").match(folded(after)))


def _is_clause(part: str, *, begins: bool = False) -> bool:
    """Whether a part looks like a clause with a subject and a verb."""
    if script(part) == "cjk":
        if len(_HAN_CHARACTER.findall(part)) < _LEAST["cjk"]:
            return False
        return not begins or bool(_SUBJECT_HAN.match(part))
    return len(_WORDS.findall(part)) >= _LEAST["latin"] and bool(_VERB.search(part))


def is_open(text: str) -> bool:
    """Whether `text` ends where something must follow: in a negation, a conjunction, an article."""
    return bool(_OPEN_END.search(text[-24:]))


def points_back(clause: str) -> bool:
    """Whether a clause that stands behind another cannot begin a text: its subject is a pronoun, or
    is left to the clause before (whenever it does not name one)."""
    if _POINTS_BACK.match(clause):
        return True
    if script(clause) == "cjk":
        return not _NAMED_HAN.match(clause) or bool(_PRONOUN_HAN.search(clause))
    return not _NAMED_LATIN.match(clause)


def leads_on(text: str) -> bool:
    """Whether `text`, the beginning of a sentence, only leads to what the rest of it says: what is
    said or thought, when it was, or too little to be a clause."""
    least = 6 if script(text) == "cjk" else 3
    size = len(_HAN_CHARACTER.findall(text)) if least == 6 else len(_WORDS.findall(text))
    return size < least or bool(_LEADS_ON.search(text))


def announces(text: str) -> bool:
    """Whether `text` has a colon, so that what it announces must follow to its end."""
    return bool(_COLON.search(text))


def is_torn(text: str) -> bool:
    """Whether a quotation or bracket is open in `text`, or closed without having been opened."""
    if text.count('"') % 2:
        return True
    # An apostrophe looks like a closing quotation mark.
    return any(
        text.count(first) > text.count(last)
        if last == "’"
        else text.count(first) != text.count(last)
        for first, last in _PAIRS
    )


# A sentence that begins like this, or has this, takes back what another one said.
_UNSAYS: Final = late(
    r"\W*(?:but|however|unless|except|only if|not (?!only)|no\b|instead|actually|sorry|correction|scratch)\b"
    r"|.*?\b(?:cancel\w*|call(?:ed|ing)? (?:it |them |that )?off|(?:is|are|was|were|been|it['’]s) (?:all )?off(?! (?:to|the|on|in|his|her|my|our|their|your)\b)|scrapped|postponed|fell through|withdrawn|no longer|not \w+ any ?more|not (?:happening|coming|going)|won['’]t|isn['’]t|aren['’]t)\b"
    r"|.*?(?:但|不|没|别|未|可是|然而|除非|除了|只有|如果|要是|否则|其实|取消|作废|改期|推迟|延期|撤回|撤销|黄了|泡汤|改成|改到|改为|不去|不来|不办|没了)",
    re.IGNORECASE | re.DOTALL,
)


def unsays(text: str) -> bool:
    """Whether a sentence may take back, end or limit what one before it said."""
    return bool(_UNSAYS.match(text[:300]))


def turns(text: str) -> list[str]:
    """The words of `text` that turn round, limit or take back what is said, in their order."""
    found = chain(
        _said("negation").finditer(folded(text)), _said("takes back").finditer(folded(text))
    )
    return [each[0].casefold() for each in sorted(found, key=lambda each: each.start())]


def negation(text: str) -> int | None:
    """Where the first word that turns what follows round, or limits it, begins; None without."""
    found = _said("negation").search(folded(text))
    return None if found is None else found.start()


_CONNECTIVE: Final = late(
    r"\W*(?:(?:and |but |oh |so |well, |yeah, )?(?:also|besides|however|moreover|furthermore|in addition|additionally|on top of that|what's more|for example|for instance|in other words|anyway|anyhow|by the way|btw|finally|meanwhile|in the meantime|at the same time|after that|afterwards|likewise|similarly|plus|still|therefore|thus|as a result|consequently|in fact|overall|first of all|firstly|secondly|thirdly|lastly|nevertheless|nonetheless|that said|of course|then again|on the other hand|to be honest|oh|well|yeah|yes|yep|sure|okay|ok|so|hey(?: \w+)?|hi(?: \w+)?|hello(?: \w+)?),\s*)+"
    r"|\W*(?:(?:另外|此外|还有|而且|并且|比如|例如|譬如|再说|再者|不过|但是|可是|所以|因此|于是|总之|其实|换句话说|也就是说|更糟的是|更好的是|同时|接着|然后|后来|最后|首先|其次|顺便说一句|顺便|对了|话说|说到底|是的|是啊|好的|嗯|哦|啊|哎|哇|没错|当然|你好|您好|嗨)[，,：]\s*)+",
    re.IGNORECASE,
)


def connective(text: str) -> int:
    """Where what `text` says begins: behind the words that only tie it to what came before."""
    found = _CONNECTIVE.match(text)
    return found.end() if found is not None and _WORDS.search(text, found.end()) else 0
