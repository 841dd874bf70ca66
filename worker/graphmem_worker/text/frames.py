"""What a sentence says of a thing whatever it is: "payments go through …", "… handles payments".

A frame names a thing and a value in one of several orders, so that two sentences which say the same
of one thing in other words give the same slot. Every pattern has bounded repeats.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from graphmem_worker.language.lists import listed, ordered
from graphmem_worker.language.numbers import either
from graphmem_worker.text.gates import Gated
from graphmem_worker.text.patterns import late


class Frame(NamedTuple):
    """A thing, what is said of it ("use", "place", "open", "edition"), and the value."""

    relation: str
    thing: str
    value: str


_THING: Final = (
    r"(?i:(?:the |our |my |all |every |all the |all our "
    r"|all my )?((?:[a-z-]{2,16} ){0,2}?[a-z-]{3,18}))"
)
_NAMED: Final = (
    r"([A-Z][\w.+#&é-]{1,23}(?: [A-Z][\w.+#-]{1,20})?|[a-z]{2,14}\.(?:io|js|ai|com|net"
    r"|app)|[a-z]{2,10}-[a-z]{2,10}-\d)"
)
_SOFT: Final = r"(?:(?:now|all|currently|always|only|still) ){0,2}"


@cache
def _used() -> tuple[tuple[re.Pattern[str], int, int], ...]:
    done, does = either(ordered("done")), either(ordered("does"))
    return tuple(
    (re.compile(pattern), thing, value)
    for pattern, thing, value in (
        (rf"^{_THING} (?:is|are|was|were|gets?) {_SOFT}(?:{done}) (?:by|in|on|with|through|via"
rf"|using|at|to|over to) (?:the )?{_NAMED}", 1, 2),
        (rf"^{_THING} {_SOFT}(?:(?:go(?:es)?|runs?|lives?) {_SOFT}(?:through|via|in|on|over)"
rf"|(?:moved|switched)(?: over)? to) (?:the )?{_NAMED}", 1, 2),
        (rf"^(?i:for) {_THING},? (?:we|I) {_SOFT}use (?:the )?{_NAMED}", 1, 2),
        (rf"^(?:[Ww]e|I) {_SOFT}(?:{does}) {_THING} (?:in|on|with|through|using|via"
rf"|at) (?:the )?{_NAMED}", 1, 2),
        (
            rf"^(?:[Ww]e|I) {_SOFT}use (?:the )?{_NAMED} (?:edition )?for {_THING}(?=[.,;!]| |$)",
            2,
            1,
        ),
        (rf"^(?:[Ww]e|I)(?: have|'ve)? (?:moved|switched|migrated"
rf"|ported) {_THING} (?:over )?to (?:the )?{_NAMED}", 1, 2),
        (rf"^{_NAMED} {_SOFT}(?:handles|does|processes|runs|hosts|serves|powers|sends|prints"
rf"|ships|makes) (?:all )?(?:our|the|my) ([a-z-]{{3,18}}(?: [a-z-]{{3,18}})?)(?=[.,;!]"
rf"| now| these|$)", 2, 1),
        (rf"^(?:The |Our |My )([a-z-]{{3,18}}(?: [a-z-]{{3,18}})?) (?:sings|plays|reads|works"
rf"|teaches) from (?:the )?{_NAMED}", 1, 2),
    )
)  # fmt: skip


_OWNED: Final = tuple(
    (late(pattern), thing, value)
    for pattern, thing, value in (
        (r"\b([A-Z][a-zé-]{1,20}) (?:now )?(?:owns|runs|does|leads|handles|manages"
r"|takes care of|looks after|has taken over|took over) (?:all )?(?:the "
r"|our )([a-z-]{3,18}(?: [a-z-]{3,18})?)(?=[.,;!]| now| since| from| over|$)", 2, 1),
        (r"\b[Tt]he ([a-z-]{3,18}(?: [a-z-]{3,18})?) (?:has been|is|are|is now|are now"
r"|was) (?:run|owned|led|managed|handled|looked after"
r"|taken over) by ([A-Z][a-zé-]{1,20})", 1, 2),
        (r"\b[Tt]he ([a-z-]{3,18}(?: [a-z-]{3,18})?) (?:belongs?|falls?|went"
r"|goes) to (?:team )?([A-Z][a-zé-]{1,20})", 1, 2),
        (r"\b(?:[Tt]eam )?([A-Z][a-zé-]{1,20}) (?:has taken"
r"|took) (?:the )([a-z-]{3,18}(?: [a-z-]{3,18})?) over\b", 2, 1),
    )
)  # fmt: skip
_PLACED: Final = late(
    r"^(?:The|Our|My|All|Their) ((?:[a-z-]{2,16} ){0,2}?[a-z-]{3,18}) (?:are|is|hangs?"
    r"|sits?|lives?|stands?|lies|will be|is going to be|are going to be|(?:are"
    r"|is) (?:kept|stored|held|parked|going to be)|(?:was|were) moved|moved"
    r"|takes place) (?:now |still |back )?(?:in|at|on|to|under|behind|beside) (?:the |a "
    r"|our )?((?:[\w-]{2,20} ){0,2}[\w-]{2,20})(?=[.,;!]| now| instead| since| these|$)"
)
_NO_PLACE: Final = late(
    lambda: (
        rf"\b(?:{either(ordered('no_place'))}|\w+(?:{either(ordered('day_ends'))})"
        rf"|v?\d[\d.:]*)\b"
    ),
    re.I,
)
_OPEN: Final = late(
    r"\b(?:the|our|my) ((?:[a-z-]{2,16} )?[a-z-]{3,18}) (?:is|are|stays?) (?:now |still "
    r"|back )?(open|closed|shut|broken|fixed|full|empty|on|off)(?=[.,;!]|$| again| now)"
    r"|\b(reopened|opened|closed|shut|fixed|repaired) (?:the"
    r"|our) ((?:[a-z-]{2,16} )?[a-z-]{3,18})(?=[.,;!]|$| again| now)",
    re.I,
)
_STATE: Final = {"reopened": "open", "opened": "open", "shut": "closed", "repaired": "fixed"}
_UNIT: Final = {
    word: str(value)
    for value, pair in enumerate(
        "one/first two/second three/third"
        " four/fourth five/fifth"
        " six/sixth seven/seventh"
        " eight/eighth nine/ninth ten/tenth eleven/eleventh twelve/twelfth".split(),
        start=1,
    )
    for word in pair.split("/")
} | {han: str(value) for value, han in enumerate("一二三四五六七八九十", start=1)}
_EDITION: Final = Gated(
    r"\b(?:edition|revision|build|release|version|image|app|firmware|schema|api|rev|model"
    r"|reimaged to|flashed to|patched to|moved to|switched to|is at|are at|now at"
    r"|at) (?:is |are |now |version |number )?(?:v(?=\d))?(\d{1,5}(?:\.\d{1,4}){1,3}"
    r"|20\d\d-\d\d|(?<=edition )[a-z]{3,7}\b|(?<=revision )\d{1,5}|(?<=build )\d{1,6}"
    r"|(?<=v)\d{1,3})(?![\d.]*\d|[:%]|\s?(?:euros?|degrees?|percent|[ap]m\b|o'clock))"
    r"|\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) (?:edition"
    r"|revision|version)\b"
    r"|(?:第([一二三四五六七八九十]|\d{1,4})版)|(?:走|切到|升到|升级到|换到|用的?是?)了?\s?v(\d{1,3})(?!\d)|(?:程序"
    r"|镜像|固件|系统|库|版本|更新|刷|升|装)[^，。\d]{0,8}?(?:是|到|成|的是"
    r"|要求)?\s?v?(\d{1,3}\.\d{1,4}(?:\.\d{1,4})?)(?!\d|[元度%万])|\b(?:win|windows|ios"
    r"|android|macos)\s?(\d{1,2})(?!\d)",
    "0 1 2 3 4 5 6 7 8 9 edition revision version 版",
)
_LATIN: Final = late("[A-z]")
_HAN_SOFT: Final = r"(?:现在|已经|全部?|都|统一|一律|只|还|目前|改|最近|直接|以后|又|被|的){0,3}"
_HAN_USED: Final = late(
    rf"^(?:从[^，。]{{2,6}}起|今年|这学期|我们?|咱们?|给|写给)?([\u4e00-\u9fff]{{2,9}}?){_HAN_SOFT}(?:接的是"
    rf"|唱的是|用的?是?|走|发|挂在|部署在|部署到|定在|设在|办在|记在|放在|存在|收进|挂到|归|改去|去|迁到|换到|换成|搬到|切到|挪到|拿|找"
    rf"|在(?=\d)|由|推到|调到|被)了?"
    rf"\s?([\u4e00-\u9fffA-Za-z0-9][\u4e00-\u9fffA-Za-z0-9 .-]{{0,14}}?)"
    r"(?:组?接过去了?|画|的桶里?|编[\u4e00-\u9fff]{0,4}版本?|教室|上课?"
    r"|里|中|管|负责)?了?[。！!]?$"
)
_HAN_NO_THING: Final = late(
    r"[我你他她它们这那]|今天|昨天|明天|早上|晚上|下午|周末|刚才|时候|^(?:大家|有人|老板|自己|顺便|一起|然后|于是|正好|终于|记得|别)"
)
_HAN_NO_VALUE: Final = late(r"^(?:了|的|过|一下|哪|什么|怎么|[我你他她])|[吗呢吧么]$|以后|时候")
_HAN_OPEN: Final = late(
    r"^([\u4e00-\u9fff]{2,5}?)(?:现在|还|又|已经|一直|都)?(关着|开着|开了|关了|修好了?|坏了|停了)[。！]?$"
)
_HAN_DUTY: Final = late(
    r"(这周|本周|下周|今晚|明晚|周末|这个月|下个月)((?:[小老阿])[\u4e00-\u9fff]|[\u4e00-\u9fff]{2,3}?)(值班|带班"
    r"|主持|领队|带队|值日|做饭|记录)(?=[，。！了]|$)"
)
_HAN_SUM: Final = late(
    r"(?<!第)([一二两三四五六七八九十]{1,3}[百千万][一二两三四五六七八九]?)(?=了?[。，！!]|了?$|[元块])"
)
_TAIL: Final = late(r"(?: (?:now|again|instead|these|today|currently|since|from|and|for)){1,3}$")
_UNTIL: Final = late(
    r"\b(?:ends?|expires?|until|due|runs out|runs to|lasts to|starts?|begins?)(?: in"
    r"| on)? ([A-Z][a-z]{2,8}) (20\d\d)\b"
)
_ARTICLES: Final = late(r"^(?:the|our|my|all|every|a|an)\s", re.I)


def frames(sentence: str) -> tuple[Frame, ...]:
    """What `sentence` says of things, in the order of the relations above."""
    found: list[Frame] = []
    if _LATIN.search(sentence):
        for relation, patterns in (("use", _used()), ("owner", _OWNED)):
            for pattern, thing, value in patterns:
                # Those of "use" stand at the beginning, and `finditer` would try every place.
                once = relation == "use"
                for match in (pattern.match(sentence),) if once else pattern.finditer(sentence):
                    if match is None:
                        continue
                    name = _TAIL.sub("", _ARTICLES.sub("", match[thing]).lower())
                    # A lone capitalised word is a person, unless it is a plural: "Payments".
                    lone = match.start(thing) == 0 and not name.endswith("s") and "ing" not in name
                    if name not in listed("no_things") and not (relation == "use" and lone):
                        found.append(Frame(relation, name, match[value].lower().rstrip(".")))
        placed = _PLACED.match(sentence)
        if placed is not None and not _NO_PLACE.search(placed[2]):
            found.append(Frame("place", placed[1].lower(), placed[2].lower()))
        for match in _OPEN.finditer(sentence):
            name, said = (match[1], match[2]) if match[1] else (match[4], match[3])
            found.append(Frame("open", name.lower(), _STATE.get(said.lower(), said.lower())))
    if (month := _UNTIL.search(sentence)) is not None:
        found.append(Frame("month", "", f"{month[2]}-{month[1][:3].lower()}"))
    editions = [
        next(g for g in match.groups() if g).lower()
        for match in _EDITION.finditer(sentence, sentence.casefold())
    ]
    known = [_UNIT.get(each, each) for each in editions if each in _UNIT or each[0].isdigit()]
    replaces = len(known) == 2 and re.search("replaces|换下|取代|代替", sentence)
    if replaces or len(set(known)) == 1:
        found.append(Frame("edition", "", known[0]))
    if sentence.isascii():
        return tuple(found)
    used = _HAN_USED.match(sentence)
    if used is not None and not _HAN_NO_THING.search(used[1]) and not _HAN_NO_VALUE.search(used[2]):
        found.append(Frame("han", used[1], used[2].strip().lower()))
    state = _HAN_OPEN.match(sentence)
    if state is not None:
        found.append(Frame("open", state[1], state[2].strip("了着")))
    found += [Frame("duty", m[1] + m[3], m[2]) for m in _HAN_DUTY.finditer(sentence)]
    sums = _HAN_SUM.findall(sentence)
    if len(sums) == 1:
        found.append(Frame("sum", "", sums[0]))
    return tuple(found)


_SITES: Final = late(
    r"\b(?:The|Our|In) ([A-Z][a-z]{2,16}) ([a-z]{3,16})\b|^([\u4e00-\u9fff]{2})(店|院|馆|校区"
    r"|厂|仓|办|分部|分公司|组)"
)


def elsewhere(older: str, newer: str) -> bool:
    """Whether the sentences are of two places of one kind: the one office and the other."""
    a, b = _sites(older), _sites(newer)
    return any(a[kind].isdisjoint(b[kind]) for kind in a.keys() & b.keys())


def _sites(sentence: str) -> dict[str, set[str]]:
    sites: dict[str, set[str]] = {}
    for match in _SITES.finditer(sentence):
        name, kind = (match[1], match[2]) if match[1] else (match[3], match[4])
        sites.setdefault(kind, set()).add(name)
    return sites
