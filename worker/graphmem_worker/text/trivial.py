# ruff: noqa: E501 (a pattern is read best in one line)
"""Texts that say nothing: no content word, or nothing but listed replies, statuses and test data.

Length decides nothing: 我对花生过敏 has six characters. A text is trivial if each of its pieces,
between marks of punctuation, is; what protects or binds somebody never is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from graphmem_worker.text.patterns import late, lower
from graphmem_worker.text.protects import protects
from graphmem_worker.text.salience import is_pleasantry, is_question, is_remark
from graphmem_worker.text.salience import parts as reasons
from graphmem_worker.text.words import FUNCTION_CHARACTERS, HAN, holds_word, words

Trivial = Literal["no content word", "a reply", "a status", "test data", "names nothing"]

_PIECES: Final = late(r"[.,!?;:…~。，！？；：、\n\r]+(?:\s|$)|[。，！？；：、…~!\n\r]+")
_LONGEST: Final = 80  # characters of a piece that can be listed

_REPLY: Final = (
    r"(?:oh|ah|well|so|and|but|haha|yeah|yes|no|ok|okay)? ?(?:"
    r"thanks?(?: (?:you|a lot|so much|very much|again))?|thank you(?: (?:so|very) much)?|thx|cheers|ty|k|okay|ok|yep|yup|yeah|yes|no|nope|nah"
    r"|hi|hello|hey(?: there)?|bye|goodbye|good (?:morning|night|evening|afternoon|luck|job|point|idea)|see you(?: (?:later|soon|tomorrow))?|take care"
    r"|lol|(?:ha){2,6}|h+m+|wow|great|cool|nice|sweet|awesome|perfect|sure|fine|right|exactly|agreed|of course|absolutely|definitely|no (?:problem|worries)|never mind"
    r"|sounds (?:good|great)|looks (?:good|great)(?: to me)?|lgtm|got it|noted|will do|understood|i (?:see|agree|understand|know)|makes sense|that makes sense|you're welcome|my pleasure|welcome|sorry|same here|me too|\+1"
    r")(?: (?:all|everyone|everybody|guys|folks|then|again|too))?"
)
_REPLY_HAN: Final = "(?:好[的吧啊呀嘞哒了]?|行[啊吧的]?|嗯+|哦+|噢|哈+|呵呵|嘿+|谢+(?:你|您|大家|了)?|多谢|感谢|非常感谢|不客气|不用谢|你好|您好|大家好|明白(?:了)?|收到|知道了|了解(?:了)?|没问题|没事(?:的|了)?|没关系|好主意|晚安|早(?:安|上好)?|晚上好|下午好|恭喜|再见|拜拜|回头见|是的?啊?|对[的啊呀]?|不是?|当然|不错|厉害|辛苦了?|加油|可以[的啊]?|没错|原来如此|同意|赞成|我也是|稍等|等等|在吗|很好|太好了|好久不见|保重|一言为定)[了啊呀哦哈吧呢~]?"
_STATUS: Final = (
    r"(?:(?:all|the|now|and|everything|it|it's|this|that|is|are|was|were|has|have|been) ){0,4}(?:"
    r"(?:tests?|checks?|builds?|ci|lint|deploy(?:ment)?|pipeline|verification|validation|job|run|compile|compilation)(?: (?:is|are|was|were|has|have))?(?: all)? (?:pass(?:ed|es|ing)?|green|successful|succeeded|ok|done|fine|complete|completed|finished|failed|failing|red|running|started|clean)"
    r"|(?:test|build|deploy|verification|validation|compilation|update|upload|download|import|export|save|sync|install|installation|login|connection) (?:successful|success|succeeded|complete|completed|done|ok|failed)"
    r"|works?(?: (?:now|again|for me|fine))?|working(?: (?:now|again))?|fixed|merged|deployed|pushed|committed|checked|verified|done|finished|completed?|ready|saved|updated|resolved|closed|wip|in progress|todo|pending|loading|processing|started|running|stuck|blocked"
    r")(?: (?:now|again|today|successfully))?"
)
_STATUS_HAN: Final = (
    "(?:所有|全部|都|已经?|这次|单元|集成|现在|目前)*(?:"
    "(?:验证|测试|构建|编译|部署|检查|校验|审核|上传|下载|导入|导出|保存|同步|更新|安装|登录|连接|运行|提交|合并|发布|推送|执行|操作|修复|处理|任务)(?:已经?|都|全部)?(?:通过|成功|完成|失败|完毕|好|中|结束|正常|没问题)(?:了)?"
    "|(?:搞定|完成|做完|弄好|修好|改好|好用|能用|可用|跑通|通过|成功|失败|进行中|处理中|待办|待定|已读|已合并|已部署|已提交|已推送|已完成|已修复|已更新|已保存|已关闭)(?:了)?"
    ")"
)
_TEST: Final = r"(?:(?:this is|just|only)(?: a| an| some)? )?(?:a )?(?:test(?:ing|s)?(?: (?:memory|message|data|entry|note|text|string|input|item|record|case|123|one|two))*|asdf\w{0,8}|qwerty\w{0,4}|foo(?: ?bar)?(?: ?baz)?|bar|baz|lorem ipsum(?: \w{1,12}){0,8}|hello world|dummy(?: (?:data|text|entry))?|sample (?:data|text|entry)|placeholder|example (?:text|data))(?: ?(?:[-–—#:]|no\.?|timestamp|at|on|number|run|\d[\d:./tz+-]{0,30}| ){1,8})?"
_TEST_HAN: Final = (
    "(?:这(?:只)?是(?:一?[条个])?)?(?:一?[条个段])?(?:测试(?:一下|下|用|中)?(?:记忆|数据|消息|文本|内容|条目|信息|用例|样例)?|试试看?|试一下|示例(?:数据|文本)?|样例(?:数据)?|占位(?:符|文本)?)"
    r"(?:\s?(?:[-–—#]|时间戳|编号|序号|第|号|条|次|\d[\d:./tTzZ+-]{0,30}|\s){1,8})?"
)
_VAGUE: Final = r"(?:this|it|that|here) is (?:just )?(?:a|an|the|my|our|some) (?:new |small |big |simple |good |nice )?(?:project|test|note|file|memory|message|document|text|program|app|application|thing|task|code|page|folder|conversation|chat)"
_VAGUE_HAN: Final = "(?:这|那|它)(?:就|也)?是(?:一|我们?的|一?个新的?)?[个条份段篇]?(?:很?[小大好新]的?)?(?:项目|文件|笔记|记忆|消息|文档|程序|应用|东西|任务|代码|页面|文件夹|对话|聊天)"
_LATIN: Final[tuple[tuple[Trivial, str], ...]] = (
    ("a reply", _REPLY), ("a status", _STATUS), ("test data", _TEST), ("names nothing", _VAGUE),
)  # fmt: skip
_LISTED: Final[tuple[tuple[Trivial, re.Pattern[str]], ...]] = tuple(
    (why, late(pattern, re.IGNORECASE))
    for (why, latin), han in zip(
        _LATIN, (_REPLY_HAN, _STATUS_HAN, _TEST_HAN, _VAGUE_HAN), strict=True
    )
    for pattern in (latin, han)
)
_LISTED_IN_ASCII: Final[tuple[tuple[Trivial, re.Pattern[str]], ...]] = tuple(
    (why, lower(pattern)) for why, pattern in _LATIN
)
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
    if piece.isascii():  # as are most: in lower case the lists take a third of the time
        if len(piece) <= _LONGEST:
            said = piece.lower()
            for why, pattern in _LISTED_IN_ASCII:
                if pattern.fullmatch(said):
                    return why
        return None if holds_word(piece) else "no content word"
    if len(piece) <= _LONGEST:
        for why, pattern in _LISTED:
            if pattern.fullmatch(piece):
                return why
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
