# ruff: noqa: E501 (a pattern is read best in one line)
"""What of a turn must survive when the turn leaves a working set: exact quotations, by kind.

A decision, a reason and an open question are quoted as clauses; names and numbers as they stand.
Rules for English and Chinese, without a model; nothing is rephrased, so nothing can be invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from graphmem_worker.text.explaining import LONGEST as LONGEST_CLAUSE
from graphmem_worker.text.explaining import Clause, Settled, clauses, explains
from graphmem_worker.text.settling import surplus

FactKind = Literal["decision", "reason", "question", "name", "number"]

LONGEST: Final = 20_000
"""A turn is read up to this many characters."""

_MOST_OF_A_KIND: Final = 40


@dataclass(frozen=True, slots=True)
class Fact:
    """A quotation: `text[start:end]` of the turn, character by character."""

    kind: FactKind
    start: int
    end: int


_END: Final = re.compile(r"[。！？!?]{1,8}[\"'”’」』）)]{0,2}|\.(?=\s|$)|\n")
_LONGEST_SENTENCE: Final = 600
_ASKS: Final = re.compile(
    r"[?？]\s{0,2}[\"'”’」』）)]{0,2}\s{0,2}$"
    # nothing is decided, known or heard yet
    r"|\b(?:tbd|tbc|undecided|unresolved|up in the air|open (?:question|point|issue)s?|(?:still|left) open|jury(?:'s| is) (?:still )?out|anyone's guess|in two minds|torn between|to be (?:decided|confirmed|settled|agreed|clarified)|still (?:unclear|to decide|to be \w+)|question for the next)\b"
    r"|\b(?:not|never|nobody(?: has| knows)?|no one(?: has| knows)?|none of us|\w+n['’]t|yet to|still (?:don['’]t|do not|have to|need to|has to|needs to)) (?:\w+ ){0,3}(?:decided?|settled?(?: on)?|agreed?(?: on)?|clear|fixed|sure|certain|heard back|figured out|worked out|sorted out|chosen|know|made up|make up (?:my|our) minds?)\b(?=[^.!?]{0,40}\b(?:who|whom|whose|what|when|where|how|why|which|whether|if|yet|between|name|date|place|on)\b|[.!]?$)(?<!n['’]t know)"
    r"|\b(?:don['’]t|doesn['’]t|do not|nobody|no one) (?:yet )?knows? (?:yet )?(?:who|what|when|where|how|which|whether|if)\b(?! (?:to say|you mean|it is|much|many|i|you)\b)|(?:who|what|when|where|how|which|whether)\b[^.?!]{3,60}, (?:we|i) don['’]t know\b"
    r"|\b(?:need|needs|have|has|got|want) to (?:work out|settle|figure out|agree|sort out|decide|find out|check|clarify|make a call)\b(?= (?:\w+ ){0,3}(?:who|what|when|where|how|which|whether|if|on|the)\b)|\b(?:one thing|things?|what) left to (?:sort|decide|settle|clear)|\b(?:remains?|is still|are still|has still|have still) to (?:be )?\w+|\bstill (?:have|need)s? to (?:talk|agree|work out|decide)"
    r"|\b(?:no|without an?) (?:idea|clue|decision|word|answer|agreement)(?: yet)?(?: (?:about|on|from|as to))?(?: yet)? (?:who|what|when|where|how|which|whether|if|the|about|on)\b|\bno (?:decision|agreement|answer|word) yet\b|\b(?:unclear|uncertain|undecided|unsure) (?:whether|if|how|who|what|when|where|which)\b|\bwaiting to hear (?:if|whether|back|who|what|when|how)\b|\bdepends on (?:whether|what|who) "
    r"|^(?:pending|parked|open|unresolved|outstanding|undecided)\b ?[:–—-]|\b(?:pending|awaiting|waiting (?:on|for)) (?:a |the |an |his |her |their )?(?:\w+ )?(?:answer|decision|reply|approval|word|confirmation|verdict|go-ahead|sign-off)\b|\b(?:can['’]t|cannot|couldn['’]t) (?:agree(?! more)|decide|make up|settle|choose)\b|\b(?:going|went|go) back and forth (?:on|about|between|over)\b|\bon the fence\b|\btoss-up\b|\bkeep changing (?:my|our) minds?\b"
    r"|\bstill (?:thinking about|thinking over|debating|weighing|discussing|considering|arguing|choosing|deciding|looking for|waiting|pending|missing|to come|a mystery|no (?:\w+ ){1,3}for)\b|\b(?:hasn['’]t|haven['’]t|has not|have not|not) (?:yet )?been (?:\w+ )?(?:decided|settled|agreed|fixed|chosen|assigned|discussed|confirmed|clarified)\b|\b(?:needs?|want|await\w*) (?:a|another) (?:decision|discussion|ruling)\b|\b(?:the )?(?:big |only |real |other )?question is (?:whether|who|what|how|when|where|which|if)\b"
    r"|\b(?:whether|who|which|where|when|how) [^.?!]{3,70}\b(?:is|are|remains?|stays?) (?:still )?(?:another|open|undecided|unclear|unresolved|not (?:clear|known|decided|settled)|a mystery|to be|the question|an? (?:open )?question|beyond (?:me|us)|up for|for (?:next|another)|unknown)|\b(?:we['’]ll|i['’]ll|we|i) (?:will )?(?:have to )?(?:decide|come back to|revisit|return to|discuss|settle) (?:\w+ ){0,3}(?:later|next|another|tomorrow|on \w+day|in \w+)\b|\bup for (?:discussion|debate)\b|\bhinges on\b|\bnobody['’]s (?:sure|volunteered|decided|said)|\bhave (?:we|i) (?:decided|settled)\b"
    # the same in Chinese
    r"|待定|待议|待确认|未定|悬而未决|悬着|遗留问题|两说|再议|(?:还|尚|一直|到现在)[^，。！？]{0,4}(?:没|未)(?!完)[^，。！？]{0,6}(?:定|想好|决定|确定|谈妥|谈拢|商量|说法|结论|定论|着落|数|底|敲定|答复|回复|谱|批下来|主意)|没(?:个)?(?:准(?:话|儿|信)|结论|定论|说法|着落|谱)|没(?:谈拢|谈妥|商量好|想好|定)(?=[，。]|$)|没人(?:吭声|接话|认领|说过|知道)"
    r"|(?:还|都|也|谁都)?(?:不知道|不清楚|说不清|说不好|不好说|没底|拿不定主意|拿不准)(?=[。！]|$)|(?:谁|什么|怎么|哪|多少|几)[^。！？]{1,16}(?:不知道|不清楚|说不清|没底)|不知道[^，。]{0,12}([\u4e00-\u9fff])不\1|到底[^，。]{0,6}([\u4e00-\u9fff])不\2|不确定(?:是|要|能|会)|要不要|(?:还得|还要|需要|得|再)(?:再)?(?:商量|讨论|确认|碰一下|议)(?!好|过|完)|得(?:有个|要个)说法|得定(?:一下|下来)|(?:还在|很|在)(?:犹豫|纠结)|难取舍|一点主意"
    r"|另议|后议|择期|有待|暂无|没(?:下文|消息|落实|回音|把握|敲定|拿定)|没有?(?:定论|结论|下文|着落|落实)|意见不一|各说各的|举棋不定|左右为难|吃不准|说不准|定不下来|定不了|还在(?:考虑|观望|谈|争|扯|纠结|犹豫|等|商量|讨论|评估|比|挑)|等[^，。！？]{1,10}(?:回复|答复|通知|批复|消息|结果|拍板)(?=[。！，]|$)|(?:以后|回头|到时候?|下次|下周|改天|过阵子|开会)(?:再)?(?:说|看|定|议|讨论)(?=[。！]|$)|先(?:挂着|搁着|放着)(?=[，。！]|$)|问题是(?:谁|怎么|什么|要不要|哪)|看情况"
    r"|才(?:能)?(?:确定|知道|定得下来|有数)|([\u4e00-\u9fff])不\3[^，。！？]{0,6}[，,](?:还|待|得|要|看|没|在等|再|回头)|(?:谁|怎么|哪|什么|多少|几)[^。！？]{1,16}[，,](?:还|待|得再|没[人定谈说])|还得看",
    re.I,
)
_IDLE: Final = re.compile(
    r"\b(?:tak(?:e|ing) a (?:look|nap|break|seat|rest|walk|shower|bath|moment|minute|breath|closer)|hav(?:e|ing) a (?:look|think|rest|chat|word|nap|shower)|go(?:ing)? (?:to bed|to sleep|home|to be)"
    r"|let's see|(?:'ll|will) (?:let you know|be right back|be back|get back|do my best|see|try|check|ask|think))\b",
    re.I,
)
"""What somebody is about to do, which is nothing that is decided."""
_BEFALLEN: Final = re.compile(
    r"\b(?:was|were|got|been) (?:cancel+ed|postponed|delayed|moved)\b.{0,20}\b(?:owing to|due to|because of)\b.{0,12}\b(?:fog|snow|rain|storms?|wind|weather|ice|frost|strike|illness|flu)\b"
    r"|\b(?:moved|dropped) (?:his|her|my|closer|away|slowly)\b|我先?撤了",
    re.I,
)
"""What happened to somebody who decided nothing."""
_UNREAL: Final = re.compile(
    # a wish, a condition, a story: nobody has decided
    r"\bif (?:i|we|you|he|she|they|it)\b|\b(?:i|we)(?:'d| would) (?:love|like) to\b|\bwish\b|\bone day\b|\b(?:in the|this) (?:film|movie|novel|book|episode|series|show|play)\b|\bhave another go\b"
    r"|\bmust(?:'ve| have| really)\b|\bmust (?:feel|seem|look|mean|be (?:an?|so|such|really|very|quite|hard|tough|great|nice|amazing|wonderful|fun|difficult|awesome))\b|\bmust-\w+|(?:'ll|will) (?:always|never) (?:be (?:there|here|grateful)|remember|forget|love|support|cherish|treasure)\b"
    r"|(?:'ll|will) (?:keep (?:ya|you|pushing|plugging|going|trying)|have to (?:check|try|see))\b|\bstart(?:ing|ed)? to (?:realize|realise|feel|think|understand|see|get)\b|\blook(?:ing)? forward\b"
    r"|(?:可以|能|应该|应当|建议|不妨|需要|你)[^，。]{0,8}选择|[的种个好]选择|选择自己|权衡|要是|假如|但愿|真想|好想|巴不得|总有一天|大结局|(?:女|男)主(?!人|任|管|持)|剧里|电影里|小说里|差不多了",
    re.I,
)
_COURTESY: Final = re.compile(
    r"\bhow (?:are|is it going|was (?:your|the) (?:day|weekend|trip))\b|\bhow about you\b|^(?:shall we|really|right|ok(?:ay)?|yes|no|what|pardon|sorry|ready)\?|\b(?:could|can|would|will) you (?:please )?(?:repeat|say|pass|help|send|show|explain|remind|hold|give)\b|\bisn't it\?|\byou know\?|\bdo you mind\b|\bany (?:plans|thoughts)\?|what's up|你好吗|最近(?:怎么样|好吗)|吃了吗|在吗|好吗[？?]|可以吗[？?]|能再说一遍|帮我|是吗[？?]|对吧[？?]|行吗[？?]|怎么样[？?]$",
    re.I,
)
_GUESS: Final = re.compile(
    r"\b(?:maybe|perhaps|might|(?<!nobody )(?<!no one )could|should we|if we|not sure|considering|thinking (?:of|about))\b|也许|可能|大概|(?<!不)考虑(?!到)|要不要|如果|说不定",
    re.I,
)
_REASON: Final = re.compile(
    r"\b(?:because(?: of)?|since(?! (?:we|i|you|our) (?:last|talked|spoke|met|chatted)\b)(?= (?:the|we|it|they|our|its|that|this|there|he|she|i|nobody|everyone|no|most|all)\b)|so that(?!['’]s)|in order (?:to|that)|due to|owing to|thanks to|the reason (?:is|was|being)(?: that)?|as it|given that|the reason\b[^.?!]{2,60}? is (?:that|because)|for (?:a|one|the) (?:\w+ )?reason:|what with|there being|which is down to|comes? down to|for the sake of|so(?= (?:i|we|he|she|they|it|the \w+|people|nobody|everyone) (?:can|could)\b(?!'t|n't| not))|(?<=[a-z] )as(?= (?:he|she|it|they|we|i|there)(?:'s|'re| is| are| was| were| has| have| had)\b)|(?<!ever )since(?= (?:half|my|your|his|her|some|many|both|these|those|all|none)\b[^.,?!]{3,})|otherwise|or else|on account of|seeing (?:as|that)|now that|in view of|in light of|in case|lest|for fear (?:of|that)|on the grounds that|(?:the |main |only )?reason being|(?:was|were|is|are|been) caused by|stem(?:s|med)? from|(?:it |this |which )?(?:turns|turned) out(?: that)?|'?cos|'cause|bc|considering(?: that)?(?= (?:the|how|what|our|that|it|we|they))|(?:the )?(?:cause|culprit|problem) (?:is|was) (?:that )?|so as (?:not )?to|that way)\b|因为|由于|鉴于|原因是|理由是|为了|以便|以防|以免|生怕|免得|省得|否则|不然|毕竟|考虑到|既然|主要是|之所以|图的(?:就)?是|图个|为的(?:就)?是|无非(?:就)?是|原因(?:很简单|在于|也简单)|(?:根子|根源|症结|问题|毛病)(?:就)?(?:在于|出在)|(?:就是)?看中|冲着|出于|源于|起因(?:是|在)|归根结底|说到底|还不是(?:因为|怕|想)?|怪就怪|多亏|源头(?:是|在)|查(?:下来|出来|明)(?:是)?|原来是?(?=[^，。]{4})|(?:关键|主要|症结)(?:还)?(?:是|在于)|说白了(?:就)?是?|怪(?=[^，。了不]{3})|碍于|苦于|归咎于|受(?=[^，。]{2,10}影响)|为的是|好让|(?<=[，])据说是|(?:(?<=[，,])|^)是?(?=(?:怕|嫌|担心)[^，。]{2})",
    re.I,
)
_CLAUSE_END: Final = re.compile(
    r"[.;。；！？!?\n]|，(?=所以|因此|于是|我们(?:决定|就)|就|才)|, (?=so|we|therefore|and (?:we|so|the)|but)\b|$"
)
_HENCE: Final = re.compile(
    r",? (?:which is why|that['’]s why|this is why|which (?:is what |also )?explains|which means|hence|therefore|and so(?! (?:on|forth|it)\b))\b"
    r"|，?(?:所以|因此|因而|于是|这才|害得|弄得|搞得|导致|致使|造成|引起(?!的)|(?:是[^，。]{1,20})?(?:造成|引起|害|闹|惹)的)",
    re.I,
)
"""A word for what follows from a reason, which stands before it."""
_NAME: Final = re.compile(
    r"[\w./~-]{0,60}[\w-]\.(?:py|ts|tsx|js|json|ya?ml|toml|md|sql|sh|go|rs|java|c|h|cpp|txt|csv|pdf|png|jpg|docx|xlsx|html|css|ini|cfg|env|lock)\b"
    r"|https?://[^\s<>\"'，。]{3,200}|\b[A-Z]{2,8}-\d{1,6}\b|\b[a-z]{2,20}(?:_[a-z0-9]{1,20}){1,5}\b|\b[A-Z][A-Z0-9]{1,15}(?:_[A-Z0-9]{1,20}){1,5}\b"
    r"|\b[A-Z][\w'’&+#-]{0,24}(?: (?:of |de |van |der |the )?[A-Z][\w'’&+#-]{1,24}){0,3}|《[^》\n]{1,40}》|“[^”\n]{2,24}”|`[^`\n]{1,80}`",
)
_HAN_NAME: Final = re.compile(
    r"(?:(?<=[，。；：、\s和与跟由给请让找问对叫])|^)((?:老|小|阿)[\u4e00-\u9fff]|[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严华魏陶姜谢邹章苏潘葛范彭鲁马方任袁柳唐罗薛贺汤郝安于傅齐康余顾孟黄萧姚邵汪毛戴宋庞熊纪舒项祝董梁杜阮蓝季贾江童郭梅林钟徐邱骆高夏蔡田胡霍万柯卢莫丁邓洪石崔吉龚程邢陆荣翁段侯武刘龙叶黎白赖乔谭温庄晏瞿阎易廖聂][\u4e00-\u9fff]{1,2})(?=[说在把给和与的，。负对会要已将去来做用提建同认改是审])"
)
_SENTENCE_WORDS: Final = frozenset(
    """
    the a an i we you he she it they this that these those my our your his her its their and but or so
    if when while because since then now today tomorrow yesterday yes no ok okay please thanks what
    why how where who which is are was were do does did can could would should will have has had let
    let's not there here also maybe perhaps just for in on at to of from with without as by after
    before until once all every each some any one two three i'm i've i'll we're we've we'll it's that's
    don't next first second last finally however still only good great sure sorry hi hello hey
    """.split()
)
_NUMBER: Final = re.compile(
    r"(?<![A-Za-z0-9_.])(?:[$€£¥￥]\s?)?\d{1,12}(?:[.,:/-]\d{1,9}){0,4}(?:\s?(?:%|％|°C|℃|(?:percent|euros?|dollars?|pounds?|usd|eur|minutes?|mins?|seconds?|secs?|hours?|days?|weeks?|months?|years?|ms|kg|km|cm|mm|gb|mb|kb|tb|am|pm|tokens?|times|people|users|units?|degrees?|k|jan\w{0,6}|feb\w{0,6}|mar\w{0,2}|apr\w{0,2}|may|june?|july?|aug\w{0,3}|sep\w{0,6}|oct\w{0,4}|nov\w{0,5}|dec\w{0,5})\b|[年月日号点时分秒天周元块个支台套次人条份岁度公斤米万亿千]{1,2}))?(?:\d{1,2}[月日号]\d{0,2}[日号]?)?"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d{1,2}(?:st|nd|rd|th)?\b"
    r"|\b(?:half|a dozen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen)(?= (?:[a-z]{3,12}s|percent|people)\b))(?:[ -](?:one|two|three|four|five|six|seven|eight|nine|hundred|thousand|million|percent|euros?|dollars?|days?|weeks?|months?|hours?|minutes?|years?|units?|people|loggers?))?\b"
    r"|(?!(?:万一|千万|十分|一一|百般|千百|万千|三三两两|七上八下|一二)(?![一二三四五六七八九十百千万零〇两点]))[一二三四五六七八九十百千万零〇两]{2,12}(?:[点米块][一二三四五六七八九零〇半]{1,4})?[\u4e00-\u9fff]?"
    r"|(?<![\u4e00-\u9fff第每])第[一二三四五六七八九十]{1,3}[版次天周章条期名层]|[一二三四五六七八九两][点米块毛][一二三四五六七八九零〇半]{1,4}"
    r"|[一二三四五六七八九十百千万两]{1,6}(?:点(?:半|[一二三四五六七八九十]{1,3}分?)?|月[一二三四五六七八九十]{1,3}[号日]?|个月|小时|分钟|公斤|万元|[年天周元块个支台套次人条份岁度号日])",
    re.I,
)


_NO_NUMBERS: Final = frozenset(
    "一个 一点 一天 一周 一年 一次 一下 一样 一些 一起 一块 两个 一种 一名 一位 百岁 half".split()
)
"""What counts nothing, though it is made of numerals."""


def facts(text: str) -> tuple[Fact, ...]:
    """The facts of a turn, in its order. Spans of one kind do not overlap."""
    turn = text[:LONGEST]
    found: list[Fact] = []
    found += _said(turn)
    found += _explanations(turn, found)
    found += _limited(_names(turn))
    found += _limited(
        Fact("number", m.start(), m.end())
        for m in _NUMBER.finditer(turn)
        if m[0] not in _NO_NUMBERS
    )
    return tuple(sorted(set(found), key=lambda f: (f.start, f.end, f.kind)))


def decides(text: str) -> bool:
    """Whether one of the facts of a turn is a decision; names and numbers are not looked for."""
    turn = text[:LONGEST]
    return any(fact.kind == "decision" for fact in _said(turn))


def _said(text: str) -> Iterator[Fact]:
    """The decisions, reasons with a word for one, and open questions of a turn. What says nothing by
    itself ("Signed", "was") is none."""
    least = 0
    for start, end in _sentences(text):
        for fact in _clauses(text, start, end, least):
            if len(_WORDS.findall(text, fact.start, fact.end)) < _LEAST_QUOTED:
                continue
            if fact.kind == "decision":
                least = _SECOND_DECISION
            yield fact


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for close in (*(found.end() for found in _END.finditer(text)), len(text)):
        start, end = _trimmed(text, begin, close)
        begin = close
        if 2 <= end - start <= _LONGEST_SENTENCE:
            yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and (text[start].isspace() or text[start] in "-*•·>"):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


_SECOND_DECISION: Final = 100
"""What a sentence must have more, in hundredths of a nat, when one before it in the turn decides:
what follows a decision mostly tells why or how."""


def _clauses(text: str, start: int, end: int, least: int) -> Iterator[Fact]:
    sentence = _wide(text[start:end])
    if _ASKS.search(sentence):
        if not _COURTESY.search(sentence):
            yield Fact("question", *_trimmed(text, start, end))
        return
    reason = _REASON.search(sentence)
    hence = None if reason is not None else _HENCE.search(sentence)
    # A decision is the clause without its reason: what stands before the word for one, or behind it.
    pieces: list[tuple[int, int]] = []
    if reason is not None:
        pieces = [(0, reason.start()), (_behind(sentence, reason.end()), len(sentence))]
    elif hence is not None:
        pieces = [(hence.end(), len(sentence))]
    pieces = [part for part in pieces if _is_legible(sentence[slice(*part)])]
    begin, close = 0, len(sentence)
    if pieces:
        begin, close = max(pieces, key=lambda piece: _above(sentence[slice(*piece)]))
    decides = _above(sentence) > least
    if decides:
        yield Fact("decision", *_bare(text, start + begin, start + close))
    if reason is not None:
        stop = _CLAUSE_END.search(sentence, reason.end())
        last = stop.start() if stop else len(sentence)
        if decides and begin > reason.end():
            last = min(last, begin)
        opening = reason.start() if _NEGATING.match(reason[0]) else reason.end()
        yield Fact("reason", *_bare(text, start + opening, start + max(opening, last)))
    elif hence is not None and _is_legible(sentence[: hence.start()]):
        yield Fact("reason", *_bare(text, start, start + hence.start()))


def _behind(sentence: str, reason: int) -> int:
    """Where the clause begins that follows a reason, which begins at `reason`."""
    comma = _COMMA.search(sentence, reason)
    stop = _CLAUSE_END.search(sentence, reason)
    return comma.end() if comma else stop.end() if stop else len(sentence)


def _above(sentence: str) -> int:
    """By how much a sentence is above what settles something."""
    return surplus(sentence, unreal=any(p.search(sentence) for p in _NO_DECISIONS))


def _is_legible(clause: str) -> bool:
    """Whether a clause says something by itself: "So" and 那么 do not."""
    return len(_WORDS.findall(clause)) >= _LEAST_WORDS


def _explanations(text: str, known: Sequence[Fact]) -> Iterator[Fact]:
    """Clauses that give a reason without a word for one. known: the other facts of the text."""
    said = [(fact.start, fact.end) for fact in known if fact.kind in ("reason", "question")]
    decided = [(fact.start, fact.end) for fact in known if fact.kind == "decision"]
    told = clauses(text)
    settled = _settled(text, told, decided)
    for place, (one, other) in enumerate(pairwise(settled)):
        if one is None or other is None:
            continue
        which = explains(text, told, place, (one, other))
        if which is None:
            continue
        clause = told[place + (which == "second")]
        if not _overlaps(clause, said):
            said.append((clause.start, clause.end))
            yield Fact("reason", *_bare(text, clause.start, clause.end))


def _settled(
    text: str, told: Sequence[Clause], decided: Sequence[tuple[int, int]]
) -> list[Settled | None]:
    """How much each clause of a text settles; None if it is too long. decided: its decisions."""
    return [
        Settled(surplus(text[clause.start : clause.end]), _overlaps(clause, decided))
        if clause.end - clause.start <= LONGEST_CLAUSE
        else None
        for clause in told
    ]


def _overlaps(clause: Clause, spans: Sequence[tuple[int, int]]) -> bool:
    return any(clause.start < end and start < clause.end for start, end in spans)


_NO_DECISIONS: Final = (_GUESS, _BEFALLEN, _IDLE, _UNREAL)
_NARROW: Final = re.compile(r"(?<=[\u4e00-\u9fff])[,;:!?]|[,;:!?](?=[\u4e00-\u9fff])")
_WIDE: Final = dict(zip(",;:!?", "，；：！？", strict=True))


def _wide(sentence: str) -> str:
    """A sentence with the punctuation of Chinese beside its characters, as long as before: many type
    that of English there."""
    return _NARROW.sub(lambda found: _WIDE[found[0]], sentence)


_NEGATING: Final = re.compile(
    "免得|省得|以免|以防|生怕|否则|不然|otherwise|or else|lest|in case", re.I
)
_COMMA: Final = re.compile("[,，；;:：]")
_WORDS: Final = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff](?:['’]?[^\W\u4e00-\u9fff])*")
_LEAST_WORDS: Final = 3
_LEAST_QUOTED: Final = 2


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without spaces, list marks and the marks that close a clause."""
    start, end = _trimmed(text, start, end)
    while start < end and text[start] in ",，：:; ":
        start += 1
    while end > start and text[end - 1] in ".。,，;；:： !！(（-—":
        end -= 1
    return start, end


def _names(text: str) -> Iterator[Fact]:
    for found in _NAME.finditer(text):
        start, end = found.span()
        # A sentence's first word is capitalised whatever it is.
        while start < end:
            word = re.match(r"[\w'’&+#-]+", text[start:end])
            if word is None or word[0].lower() not in _SENTENCE_WORDS:
                break
            start, end = _trimmed(text, start + word.end(), end)
        if end - start < 2 or _NO_NAME.fullmatch(text, start, end):
            continue
        opens = (
            start == 0
            or text[:start].rstrip(" \"'“(-*•").endswith((".", "!", "?", "\n", "。", ":"))
            or not text[:start].strip()
        )
        if (
            opens
            and re.fullmatch(r"[A-Z][a-z]{1,24}", text[start:end])
            and not _ACTS.match(text, end)
        ):
            continue
        yield Fact("name", start, end)
    for found in _HAN_NAME.finditer(text):
        yield Fact("name", found.start(1), found.end(1))


_NO_NAME: Final = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|English|Dutch|German|French|Chinese|Spanish|Italian|Polish|Japanese|Portuguese|British|American|European)s?"
)
_ACTS: Final = re.compile(
    r"(?:'s)? (?:is|was|has|will|said|says|asked|asks|wants|owns|took|takes|likes|prefers|lives|works|moved|thinks|sent|wrote|agreed|signed|and|can|needs|called|reviews|joined|left|told|knows|does|leads|suggested|found|fixed|paid|promised)\b"
)


def _limited(found: Iterator[Fact]) -> Iterator[Fact]:
    for count, fact in enumerate(found):
        if count >= _MOST_OF_A_KIND:
            return
        yield fact
