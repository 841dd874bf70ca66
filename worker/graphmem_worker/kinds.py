# ruff: noqa: E501 (a pattern is read best in one line)
"""What kind of memory a sentence is: of whom, how sure, for how long.

Rules for English and Chinese, one sentence at a time, without a model. They guide filters, health
and what is offered for cleaning; nothing is refused by them. Every pattern is a flat alternation of
words; a sentence is read up to `LONGEST` characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import last_day, protects
from graphmem_worker.text.trivial import trivial

Realm = Literal["personal", "project", "universal", "ephemeral"]
Temporality = Literal["permanent", "long", "short", "session"]
Source = Literal["rule", "caller", "pattern"]

LONGEST: Final = 400

EXPLICIT: Final = 0.95
INFERRED: Final = 0.8
UNCERTAIN: Final = 0.55
NOISE: Final = 0.2

TTL_DAYS: Final[dict[Temporality, int | None]] = {
    "permanent": None,
    "long": 365,
    "short": 30,
    "session": 0,
}
"""Days until a memory of a temporality is due for review; None: never; 0: the session's end."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A judgement: realm, confidence (0–1), temporality, and who made it.

    Confidence of 0.9 and more is explicit, of 0.7 inferred, of 0.4 uncertain, below noise.
    """

    realm: Realm
    confidence: float
    temporality: Temporality
    source: Source = "rule"

    @property
    def level(self) -> str:
        """The confidence as a word: explicit, inferred, uncertain or noise."""
        if self.confidence >= 0.9:
            return "explicit"
        if self.confidence >= 0.7:
            return "inferred"
        return "uncertain" if self.confidence >= 0.4 else "noise"


_WORD: Final = late(r"[a-z']+")
_LITERAL: Final = late(r"(?:[a-z'](?:[a-z']\?)?)+")


class _Said:
    """A sentence with its words in lower case, found once for all marks."""

    __slots__ = ("is_ascii", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_ascii = text.isascii()
        self.words = frozenset(_WORD.findall(text.lower()))


class _Marks:
    """Words and phrases that mark a sentence; a pattern of the form `\\b(?:a|b|c d)\\b|rest`.

    Plain words are looked up in a set; as one expression they would cost four times as much.
    """

    __slots__ = ("_is_rest_ascii", "_phrases", "_rest", "_words")

    def __init__(self, pattern: str) -> None:
        body, rest = _halves(pattern)
        words: set[str] = set()
        phrases = []
        for each in _alternatives(body):
            if _LITERAL.fullmatch(each):
                words |= _spellings(each)
            else:
                phrases.append(each)
        self._words = frozenset(words)
        self._phrases = late(rf"\b(?:{'|'.join(phrases)})\b", re.I) if phrases else None
        self._rest = late(rest, re.I) if rest else None
        # Chinese, as a rule: nothing of that stands in a text in ASCII.
        self._is_rest_ascii = any(map(str.isascii, _alternatives(rest)))

    def within(self, said: _Said) -> bool:
        """Whether one of the marks stands in the sentence."""
        if not self._words.isdisjoint(said.words):
            return True
        if self._phrases is not None and said.words and self._phrases.search(said.text):
            return True
        if self._rest is None or (said.is_ascii and not self._is_rest_ascii):
            return False
        return self._rest.search(said.text) is not None


def _halves(pattern: str) -> tuple[str, str]:
    """The words between `\\b(?:` and its closing bracket, and what stands after `|`."""
    depth = 1
    at = len(r"\b(?:")
    while depth:
        if pattern[at] == "\\":
            at += 1
        else:
            depth += {"(": 1, ")": -1}.get(pattern[at], 0)
        at += 1
    return pattern[len(r"\b(?:") : at - 1], pattern[at:].removeprefix(r"\b").removeprefix("|")


def _alternatives(body: str) -> list[str]:
    depth, begin, found = 0, 0, []
    for at, character in enumerate(body):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "|" and not depth:
            found.append(body[begin:at])
            begin = at + 1
    return [*found, body[begin:]]


def _spellings(word: str) -> set[str]:
    """`prefers?` is prefer and prefers."""
    at = word.find("?")
    if at < 0:
        return {word}
    return _spellings(word[: at - 1] + word[at + 1 :]) | _spellings(word[:at] + word[at + 1 :])


_CHATTER: Final = Kind("ephemeral", NOISE, "session")

# --- what is no memory --------------------------------------------------------------------------

_REPLY: Final = late(
    r"^\W{0,4}(?:(?:oh|ah|aw|and|but|so|well|haha|yeah|yes|no|ok|okay),? )?(?:ok(?:ay)?|k|ha|(?:kind|best|warm(?:est)?) regards|best wishes|yours (?:sincerely|faithfully|truly)|sent from my|table of contents|oh (?:dear|no|my|well)|poor (?:you|thing|soul)|just (?:bumping|following up|checking in|a (?:quick|gentle|friendly) reminder)|(?:that|it|this) must (?:be|have been)|you (?:have|'ve) no idea|i hope (?:this|you|all|everything)|yes|yep|yup|yeah|no|nope|nah|hi|hey|hello|thanks?|thank you|thx|cheers|lol|(?:ha){2,6}|hm+|wow|whoa|woo+|great|cool|nice|sweet|awesome|amazing|perfect|lovely|wonderful|sure|right|exactly|true|agreed|absolutely|definitely|totally|of course|fair enough|no (?:worries|problem|way)|sounds (?:good|great|like|fun|amazing)|looks good|got it|noted|will do|good (?:morning|night|evening|afternoon|luck|idea|point|job|to (?:hear|see|know))|bye|goodbye|see (?:you|ya)|take care|you're (?:welcome|right|so|doing)|you got this|never (?:say never|mind)|congrat\w{0,10}|(?:so |i'm )?glad|(?:so |i'm )?happy (?:for|to hear)|(?:i'm )?(?:so )?(?:proud of you|sorry to hear)|sorry|apologies|fine(?: by me)?|(?:wow, )?(?:that|it|this)(?:'s| is| was| sounds| must be| looks| would be)(?: really| so| such| pretty| very| all| just| a)*(?: great| good| nice| cool| awesome| amazing| wonderful| lovely| fine| touching| like| right| true| fantastic| impressive| inspiring| super| tough| rough| beautiful| it| fair| funny| interesting| exciting| incredible| sweet| sad| helpful)|it's like|what a|how (?:nice|lovely|cool|sweet|exciting)|i (?:agree|see|understand|know right|can imagine|bet|hear you|totally|completely agree)|keep (?:it up|going|up)|have (?:a|fun)|enjoy|best of luck|hope (?:you|it|that|this)|i hope|let me know|welcome|done|ditto|same here|me too|joining late|hang in there|wait|anyway|please go ahead|go ahead|my pleasure|don't (?:worry|mention)|can't wait|thumbs|(?:that|it) makes sense|you must be|you(?:'re| are) (?:so|very|too|really)|i'm so|yikes|ouch|oops|phew|ugh|hooray|yay)(?![a-z'])",
    re.I,
)
_REPLY_HAN: Final = late(
    r"^\W{0,4}(?:打扰|冒昧|哎呀|天啊|可怜|(?:再)?(?:短|长|简单|详细|快|慢|具体)一?点|听(?:着|上去)|.{0,6}(?:不好意思|抱歉|见谅|久等)|先跟您|(?:你|您)(?:家)?.{1,4}也太|好[的吧啊呀嘞哒]?|行[啊吧的]?|嗯+|哦+|噢|哈+|呵呵|嘿+|谢谢?|多谢|感谢|不客气|不用谢|你好|您好|大家好|明白|收到|知道了|了解|没问题|没事|没关系|好主意|晚安|早(?:安|上好)?|晚上好|下午好|恭喜|祝|再见|拜拜|回头见|是的?啊?|对[的啊呀]?|确实|当然|真的?(?:是|好|棒|不错|厉害|太)|太(?:好|棒|厉害)|听起来|不错|厉害|辛苦|加油|可以[的啊]?|没错|原来如此|原来是这样|哎|唉|哇|天哪|(?:我)?(?:很|非常|真|十分|太)?(?:高兴|开心|荣幸|抱歉|遗憾)|但是你的建议|我很乐意|希望你|愿你|别担心|不要担心|放心|照办|稍等|等等|在吗|有空吗|同意|赞成|我也是|我也这么|那就好|那真|这(?:真|太|很)|你说得对|你真|你一定|真为你|有道理|又见面|很好|好久不见|保重|一言为定)"
)
_ASKS: Final = late(
    r"[?？]\s*[\"'”’)）]*\s*$|吗[。！~\s]*$|(?:怎么|什么|谁|哪|为何|几|多少|为什么)[^。！]{0,40}(?:呢|啊|呀)?[~\s]*$(?<![。！])|^.{0,8}呢[。！~\s]*$",
    re.I,
)
_TEST: Final = late(
    r"^\W{0,3}(?:test(?:ing|s)?|asdf\w{0,8}|qwerty|foo(?: ?bar)?|测试(?:一下|记忆|数据)?|试试看?|hello world)[\s\d.,:，。-]{0,20}(?:test\w{0,3}|测试)?[\s\d.,]{0,12}$",
    re.I,
)
_DONE: Final = late(
    r"^\W{0,3}(?:(?:all )?(?:tests? )?(?:passed|passing|green|works?|working|fixed|merged|deployed|pushed|checked|verified)(?: now| again)?|it works|works (?:for me|now)|(?:验证|测试|构建|编译|部署)(?:已|全部)?(?:通过|成功|完成)了?|搞定了?|好了|完成了?|改好了|修好了|跑通了|that part checks out|looks fine)[.!。！\s]{0,3}$",
    re.I,
)
_ORDER: Final = late(
    r"^\W{0,3}(?:(?:please|now|then|just|and|ok|also|first),? )?(?:run|rerun|show|open|close|try|check|print|list|stop|start|restart|undo|redo|revert|explain|fix|continue|go on|repeat|retry|delete|remove|add|give|tell|find|search|look|read|rename|format|summari[sz]e|translate|shorten|(?:make|keep|put|turn|say|write|do|phrase|send|leave|take) (?:it|this|that|them)|let's see|pass me|send me|wait|shout|commit|push)\b(?!.{0,80}\b(?:always|never|every|from now on|before|after|until|by (?:mon|tue|wed|thu|fri))\b)|^(?:帮我|请?(?:再)?(?:跑|看|打开|关掉|列出|解释|继续|重试|撤销|删掉|改一下|查一下|试|运行|显示|翻译|总结|给我看)|把.{1,12}(?:看看|给我|出来|翻成|译成|改成(?:英文|中文|表格)|缩短|总结)|把(?:这|那|它|上|下|刚).{0,14}(?:一下|出来)|要不.{1,10}(?:看看|试试|一下吧?)$)",
    re.I,
)
_ADVICE: Final = late(
    r"^(?:最后|首先|其次|另外|此外|或者|还有|那么?|同时|如果你)?，?(?:你|您)(?:也|还|不妨|就)?(?:可以|能|应该|要|需要)|为(?:你|您)(?:提供|推荐)|有什么(?:可以|能)帮|那?我(?:可以|会)?(?:给你)?推荐|建议(?:你|您)|我可以(?:帮|给|陪|为)|我(?:一直|会)?(?:都)?(?:会)?(?:陪|支持)着?你|\bi (?:can|could|will|would) (?:share|help you|recommend|suggest|search|look for|give you|provide)\b|\bhere are (?:some|a few)\b|\byou(?:'ll| will| can| could| should| might)(?: also)? (?:be|find|try|get|do|see|want|enjoy|consider|learn|use|make|also)\b|\bi'm here\b|\bas an ai\b",
    re.I,
)

# --- how sure -----------------------------------------------------------------------------------

_HEDGED: Final = _Marks(
    r"\b(?:maybe|perhaps|might|possibly|probably|presumably|supposedly|apparently|i (?:think|guess|suppose|believe|suspect|doubt|assume|reckon|imagine|wonder|bet)|i'm (?:afraid|not sure|guessing|assuming)|not (?:entirely |quite |so |really )?(?:sure|certain)|unsure|could be|may be|may have|may (?:need|want|switch|move)|seems?(?: to| like| that)?|my money is on|my (?:guess|bet|hunch)|assuming|looks like (?!an? )|looks as if|would (?:be|probably)|if i remember|if memory|iirc|afaik|i'd say|rumou?r|someone said|i heard|no idea|leaning towards?|toying|thinking (?:of|about)|considering|undecided|we'll see|tbd|depends|not decided|should be around|or so|roughly when)\b"
    r"|也许|可能|大概|估计|好像|似乎|说不定|没准|不太确定|不确定|拿不准|还没定|没想好|我猜|会不会|我记得|看看再说|再说吧?[。]?$|再说。|应该是|应该会|听说|据说|恐怕|或许|怀疑|感觉像|八成|多半|不一定|要不要|我觉得|考虑|犹豫|在想|想着|倾向于|不知道是不是|没把握|印象[中里]|记不清|可以收到|没坐实|没拍板|^.{0,8}别是"
)
_OBSERVED: Final = _Marks(
    r"\b(?:(?:second|third|fourth|fifth|tenth|umpteenth) time (?:this|i|we|today|in)|(?:i|we|they|he|she|you) (?:always )?(?:end|ends) up|keeps? (?:coming back|reaching|going back|asking|using|choosing|picking|turning)|(?:once|yet) again (?:i|we|he|she|they)|every time (?:i|we|he|she|they|you)|seems? to (?:always|prefer|like|avoid|every)|tends? to|apparently (?:always|every|all|names?|prefers?)|as usual|by the look of|judging (?:by|from)|(?:i|we|they|he|she) (?:seem|seems|appear|appears) to|(?:looks|sounds) like (?:they|he|she|you|we|i) (?:always|prefer|like|never|use)|the pattern (?:is|here)|most of (?:my|the|their|our) \w{2,20} (?:are|have|use))\b"
    r"|好像(?:每|都|总|一直|从不|更|很|挺|不)|^从.{1,12}[看来]，|似乎(?:每|都|总|一直|从不|更|很|偏)|看(?:来|样子|起来)(?:他|她|我|他们|我们|你|大家)|又(?:是)?用(?:了|的)?(?:它|这个|那个)?|第[二三四五六七八九十\d]次|三番五次|十次有[七八九]次|动不动就|不知不觉又|又一次|这(?:已经)?是第"
)

# --- for whom -----------------------------------------------------------------------------------

_I: Final = _Marks(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself)\b")
_I_HAN: Final = late(r"我(?!们|厂|司|方|国|校|猜|建议)|咱(?!们)|本人")
_PREFERENCE: Final = _Marks(
    r"\b(?:i (?:know|knew) [^,.]{2,40} (?:inside out|by heart|well)|(?:gives?|makes?) me (?:a|an|ill|sick|sneeze|leave|itch|cough|sleepy|nervous)|that's how i (?:learn|work|think|like)|i (?:always|never|usually|generally|mostly|only|really|prefer|like|love|hate|enjoy|dislike|can't (?:stand|eat|have|sleep|work|drink|read)|cannot|don't (?:like|eat|drink|want|use|do|need|work|read)|eat|drink|speak|need|play|go to bed|wake|get up|work best|live|have (?:a|two|three|been)|am|grew|was born|study|studied|teach)|i'm (?:a|an|allergic|used to|vegetarian|vegan|lactose|colou?r|left|afraid|from|into|not a|married|single|\d\d)|i've (?:been|always|never|written|lived|worked|had)|my (?:favou?rite|daughter|son|wife|husband|name|mother|father|mum|mom|dad|sister|brother|birthday|home|stress|hobby|dog|cat|kids?|children|partner|pronouns|editor|blood|native|parents|family|eyes|knee|back|girlfriend|boyfriend|grandm\w{2,5}|grandf\w{2,5}|desk|working hours)|call me|address me|(?:please )?(?:always |never )?(?:answer|reply|respond|write to me|talk to me|speak|keep (?:answers|replies|it))\b.{0,40}\b(?:in|short|brief|unless|without|with)|keep (?:your|the|all) (?:answers?|replies|responses?)|don't (?:explain|schedule|call me|ask me|use|show me|give me|send me|book|put|wake|ring|address|bother)|no (?:need to explain|emojis?|small talk|meetings|calls)|(?:is |am |are )?allergic|allerg(?:y|ies)|intoleran\w{2,3}|go-to (?:for|is)|when you do|epipen|adrenaline|diabetic|asthma\w{0,3}|insulin|pacemaker|wheelchair|my go-to|for me:)\b"
    r"|我(?:一直|总是|从不|从来不?|习惯|喜欢|讨厌|不吃|不喝|只吃|只喝|只用|爱|最爱|怕|不爱|更喜欢|偏好|平时|一般|每天|每周|住|今年|是(?:个|一)|出生|属|对.{1,8}过敏|的?(?:女儿|儿子|老婆|老公|妻子|丈夫|爸|妈|父|母|家|生日|猫|狗|孩子|名字|血型|爱好|眼睛|姐|妹|哥|弟)|写了.{1,4}年|做了.{1,4}年|学了.{1,4}年|吃素|有(?:两|一|三)?个?(?:女儿|儿子|孩子|哮喘|糖尿病|高血压)|熟悉?|会说|不会|擅长|戴|左撇子|红绿)|左撇子|叫我|称呼我|过敏|不耐受|色弱|色盲|哮喘|糖尿病|高血压|别(?:给我|叫我?|约|用|解释|发|打电话|安排)|不用给?我?(?:给我|解释)|回答(?:我)?(?:用|要|请|时)|请用(?:中文|英文)|(?:上午|下午|晚上|周末|午休).{0,6}(?:留给|别|不要|不开|不接)|给我(?:的回答|写|看)|跟我说话"
)
_FAMILY: Final = _Marks(
    r"\b(?:greyhound|licen[cs]e test|driving (?:licen[cs]e|test)|sail(?:s|ing)?|quilt|knitting|choir|violin|cello|smoking|umbrella|allotment|commute|daughter|son|wife|husband|mother|father|mum|mom|dad|sister|brother|grand(?:ma|pa|mother|father)|baby|kids?|dog|cat|puppy|wedding|married|engaged|pregnan\w{2}|born|birthday|surgery|hospital|doctor|dentist|illness|funeral|hobby|yoga|guitar|painting|pottery|hiking|vacation|holiday|trip|camping|gym|therapy|divorce|school|college|dance|dancing|novel|recipe|cook\w{0,3}|concert|marathon|divorced|piano|garden|neighbou?rs?|friends?|pen\b)\b|我们家|我家|咱家|闺女|爱人|外卖|老家|小学|幼儿园|古筝|吉他|书法|围棋|粤语|方言|口音|考了.{0,6}级|落枕|感冒|嗓子|飞(?:昆明|北京|上海|广州|成都|[\u4e00-\u9fff]{2})，|女儿|儿子|老婆|老公|爸|妈|爷爷|奶奶|外婆|外公|结婚|离婚|怀孕|生日|手术|住院|医生|看病|体检|血糖|血压|旅游|旅行|爬山|健身|钢琴|吉他|宠物|小名|女孩|男孩|菜|散步|跑步|心情|睡眠|失眠|疲倦|身体|恋爱|分手|约会|孩子|家里人?|机票|酒店|做饭|订婚|陶艺|马拉松|牙医|搬家|朋友|邻居|电影|唱歌|跳舞|画画|减肥|睡觉"
)
_TEAM: Final = _Marks(
    r"\b(?:tokeni[sz]er|billing|payroll|auditors?|procurement|refactoring|importer|exporter|scheduler|outage|load balancer|canary|rollback|rollout|hotfix|refactor(?:ed|ing)?|service level|sla|uptime|latency|throughput|cron|webhooks?|the \w+ (?:queue|build|branch|server|release|importer|contract|offer|pipeline|database|cluster|schema)|backups?|linter|compiler|proxy|firewall|certificates?|dns|regression|feature flags?|changelog|quotation|shipment|warehouse|audit|compliance|crew|stakeholders?|the (?:project|team|customer|client|build|release|tender|repo(?:sitory)?|codebase|code|main branch|branch|api|server|backend|frontend|database|schema|migration|deploy\w{0,6}|office|offer|contract|port|licen[cs]e|version|cells?|loggers?|sensors?|board|firmware|tests?|test suite|pipeline|cache|queue|worker|gateway|parser|service|endpoint|dashboard|docs?|documentation|spec|roadmap|budget|supplier|vendor|demo|ticket|bug|issue|module|package|container|cluster|config\w{0,8}|invoice|order|prototype|batch|report|meeting|standup|sprint|milestone|deadline|backups?|logs?|users?|app|feature|script|model|pull request|pr|review|design|error|lock|threshold|installation|pump|station)|staging|production|prod|deploys?|deployments?|commits?|merge[sd]?|rebase|docs/|ticket|security policy|milestone|sprint|retro|standup|backlog|invoice|customers?|clients?|supplier|quote|endpoint|env(?:ironment)? variables?|timestamps?|linter|ci|pull requests?|branch(?:es)?|code review|firmware|licen[cs]e|dockerfile|kubernetes|postgres\w{0,3}|sqlite|redis|typescript|python \d|node \d|v?\d+\.\d+(?:\.\d+)?|[A-Z]{2,8}-\d{1,6}|[\w-]{1,30}\.(?:py|c|ts|js|md|docx|png|jpg|yaml|yml|json|toml|csv|pdf))\b"
    r"|重构|重写|分词|编译|函数|索引|线程|计费|评审|发货|财务|审计|采购|法务|销售|甲方|乙方|负载|均衡|[一二三四]期(?!.{0,3}糖)|工期|客流|导出|导入|队列|重试|死信|目录(?!$)|物流|时效|门店|新菜单|试卖|施工|招标|投标|供货|排班|渠道|报销|项目|客户|合同|版本|上线|发版|发布|提交|分支|主干|接口|构建|预发|线上|生产环境|固件|样机|板子|探头|网关|合作社|报价|交货|发票|方案|群(?:文件|里)|数据库|许可证|节点|验收|租约|厂|成本|需求|评审|迭代|里程碑|排期|代码|仓库|部署|日志|备份|缓存|接口|模块|前端|后端|服务(?!员)|文档|配置|测试|脚本|镜像|迁移|解析器|时间戳|端口|监听|报错|用户|供应商|订单|预算|降价|运维|值班|会议室?|周报|例会|晨会|工单|签(?:字|了)|上报|\d+支|平台|设备|交付|验证|埋深|样品|图纸"
)
_WE: Final = _Marks(r"\b(?:we|our|ours|us|we're|we've|we'll)\b|我们(?!家)|咱们(?!家)")
_DECIDED: Final = _Marks(
    r"\b(?:decid\w{1,4}|decision|chose|chosen|picked|went with|go with|going with|settled on|agreed|signed|approved|adopt\w{0,3}|must(?:n't)?|required|protected|stays?|frozen|instead of|from now on|until further notice|moves? to|moved to|switch(?:ed|ing) to|migrat\w{1,4}|starts? on|replac\w{1,4}|propose|uses?|runs? on|is hosted|written in|policy|forbidden|not allowed|deadline|due|ships?|leaves here|we (?:keep|store|deploy|log|name|use|test|format|support|never|always|don't))\b"
    r"|决定|选了|选定|选择|采用|改为|改成|改到|改橙|改用|改回|一律|必须|务必|不要|不得|不许|禁止|固定|统一|定在|定了|最后选|签了|签字|不会变|冻结|不做|换成|挪到|截止|答应|约定|规定|只能|按.{1,12}(?:返回|来|走|执行)|用的?是|跑在|拍板|敲定"
)
_SPECIFIC: Final = _Marks(
    r"\b(?:i|we|my|our|me|us|mine|ours|you|your|she|he|they|him|his|her|hers|them|their|today|yesterday|tomorrow|tonight|now|this|these|those|last|next|the (?:project|team|customer|client|office|build|release|repo|server|tests?|meeting|demo|contract|offer|ticket|supplier|tender)|here|there|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|(?<![A-Z] )(?<![A-Za-z\d])\d{2,}|我|你|您|他|她|咱|今天|昨天|明天|上周|下周|今早|昨晚|刚|这周|这次|那次|那台|这台|\d+月|周[一二三四五六日]"
)
_GENERAL: Final = _Marks(
    r"\b(?:is|are|needs?|requires?|compiles?|means?|freezes?|boils?|melts?|helps?|works?|don't|doesn't|can(?:not|'t)?|always|never|should|makes?|takes?|returns?|uses?|has|have|depends?|causes?|contains?|grows?|costs?|lasts?|runs?|keeps?|expands?|stores?|supports?|starts?|allows?|improves?|reduces?|becomes?|comes?|converges?|guarantees?|sorts?|beats?|matters?)\b"
)
_GENERAL_HAN: Final = late(
    r"越.{1,10}越|都是|也是|是一(?:个|种|件|门|项|条)|是个|只需|以后就|就一定|确实|不仅|通常|一般(?:来说|都|是|要)?|往往|非常.{1,8}(?:方式|活动|方法)|好方法|需要.{2,}|能够?(?:让|使|帮|提高|减少|增强)|可以(?:让|使|帮|提高|减少|增强|缓解|避免)|会(?:让|使|导致|变|影响|自动|先|把)|比.{1,10}(?:更|快|慢|安全|好|大|小|高|低)|(?:是|为).{1,12}(?:的|之一|度|倍)|不能|不是|必然|有助于|有利于|取决于|叫做|属于|等于|大于|小于|意味着|默认|只要.{1,20}就|才能|先.{1,8}再|不等于|支持|保证"
)
_SUBJECTS: Final = late(
    r"^(?:[A-Z][\w'’/+#-]{1,24}|A|An|The|In|On|Every|All|Most|Good|To|No|When|If)\b"
)

# --- for how long -------------------------------------------------------------------------------

_SESSION: Final = _Marks(
    r"\b(?:let'?s (?:try|see|start|skip|leave|pretend|park|first)|try (?:it|this|that|again|with|without)|for (?:this (?:session|chat|conversation|run|round|turn|answer|file|one)|now|a moment|the moment|today)|just (?:now|for now|this once)|only this (?:time|once)|in (?:ten|five|a few|a couple of|\d{1,2}) (?:minutes?|mins?|hours?)|(?:can't|cannot) talk|gotta go|got to (?:go|run|dash)|talk (?:to you )?later|let'?s (?:do|use|take|read|look|go over|finish|continue|move) (?:the|this|that|it|on|with)|hold on|hang on|let me (?:look|see|check|try|think)|be right back|brb|back in (?:\d|an?\b|five|ten|half)|one sec\w{0,3}|give me a (?:sec\w{0,3}|minute|moment)|temporarily|ignore (?:the|that|this)|skip (?:the|that|this)|for the time being|this session|this conversation|before somebody|phone off|i'm off(?! sick| work| duty| on| until| to| for| my)|on my way|i'm (?:on|in) (?:the|a) (?:train|bus|tram|car|plane|subway|tunnel|lift|call|queue|taxi)|(?:grabbing|getting|fetching|making|having) (?:a|some|my) (?:coffee|tea|bite|lunch|snack|drink|sandwich|water)|(?:line|signal|connection|battery) (?:may|might|could|will|is about to) (?:drop|go|die|cut)|until (?:we're|i'm|you're) (?:through|done|finished|back)|has just (?:boiled|rung|arrived)|right back|lunch(?:time)? now|afk|signing off|i'll be back|back (?:after|soon|later)|see you (?:later|soon|tomorrow))\b"
    r"|试试|试一下|先试|先把|先这么|先这样|再跑一遍|看一下|看看先|这次(?:会话|对话|先|就)|本次(?:会话|对话)|分钟后|小时后回|马上回?来?|稍等|等我一下|回头再|暂时|临时|今天先|先跳过|先不管|先别|先用|我去(?:吃|倒|接|拿)|先下了|待会儿?|一会儿|刚才那|忽略|.完.{1,3}回来|跳过吧|长话短说|^[这那]一?(?:条|段|句)(?:先)?(?:用|写|别|改)|先不(?:说|聊)了|不(?:说|聊)了|先撤了?|咱先|[这本]一?轮(?:你|只|先|就)|^假设你|快没电|我?在(?:地铁|车|火车|高铁|路)上(?:，|。|$)|[一二三四五六七八九十两\d]+分钟。?$"
)
_SOON: Final = _Marks(
    r"\b(?:halfway|after lunch|until (?:i|we|you|he|she|they)(?: have|'ve| has|'s)?|still (?:on|leaks?|fails?|breaks?|hangs?|crashes|runs?|waits?|needs?|lacks?|\w{3,12}ing)|i'll (?:look|do|check|fix|send|call|take|have|finish|write|ask)|before the \w+ (?:comes|arrives|starts|leaves)|i may have|off sick|today|tonight|tomorrow|yesterday|this (?:week|morning|afternoon|evening|month|sprint|friday|monday)|next (?:week|month|sprint|mon\w{0,3}|tue\w{0,4}|wed\w{0,6}|thu\w{0,5}|fri\w{0,3})|(?:by|on|until|before|since|till) (?:the )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tues|wednes|thurs|fri|satur|sun)day|currently|right now|at the moment|in the middle of|working on|busy|blocked|stuck|wait(?:ing)? (?:for|on)|on call|remind me|don't let me forget|before (?:the (?:release|demo|meeting|deadline|weekend|launch)|we)|as of|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d{1,2}|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}|the \d{1,2}(?:st|nd|rd|th)|frozen|wip|todo|to do|in progress|holiday|vacation|deadline|due|asap|urgent|broken|failing|flaky|down|investigating|debugging|reviewing|looking into|still (?:open|missing|waiting|broken)|please|needs to (?:be|go)|asks? (?:that|for|us|me|if)|will (?:be|come|arrive|send|ship|call)|going to|plan to|is on the ticket|appointment|soon|(?:first|next) (?:restore|try|attempt|draft)|my money|temporary|reviews?|all (?:day|week|morning|afternoon|month)|halfway|(?:on|before|by|until) the (?:\w{2,6}(?:th|st|nd|rd)|second|third)|over (?:easter|christmas|the weekend|the holidays)|out of order|so far this (?:week|month))\b|\d{1,2}:\d\d"
    r"|今天|今早|今晚|明天|明早|昨天|昨晚|前天|后天|这周|本周|下周|上周末?|周[一二三四五六日天末]|星期|礼拜[一二三四五六日天]|正在|刚(?!上手)|卡在|提醒我|别忘|发布前|\d{1,2}月\d{1,2}|[一二三四五六七八九十]月[一二三四五六七八九十]|\d{1,2}[号日]|月底|月初|年底|这个月|下个月|休假|请假|出差|冻结|最早|等.{1,8}(?:后|再)|目前|现在(?:正|在|还)|还没|没到|没来|值班|要交|还差|待(?:办|定|确认|处理)|排查|修复中|红了|挂了|坏了|近来|最近|这几天|过几天|尽快|马上|抓紧|要尽快|之前(?:给|交|发)|签字|来电|预约|复查|会(?:听取|去)|照片|要求|建议|[一二三四五六七八九十]{1,3}[号日](?![楼线电机院])|(?:\d+|[一二三四五六七八九十]+)天(?:内|之内)|(?:春节|节|清明|国庆|五一|中秋|过年|放假|满月|暑假|寒假)(?:前|后|期间)|停[水电机]|检修|维护|改到一半|这个迭代|试(?:卖|点|运行)|待查"
)
_REPEATS: Final = r"always|usually|generally|on (?:mon|tues|wednes|thurs|fri|satur|sun)days"
_REPEATS_HAN: Final = r"逢(?:周|年|节|[一二三四五六七八九])|总是|每[天周月年次]"
_HABIT: Final = _Marks(
    rf"\b(?:{_REPEATS}|never|every(?:one|body|thing)?|stays?|until further notice|instead of|all \w{{2,20}} (?:are|is|must)|must|forever|for good|unless|only ever|by default|policy|rule|for years|since \d{{4}}|allerg\w{{1,3}})\b|{_REPEATS_HAN}|一律|从不|从来|一直|固定|以后|绝对不|都要|不会变|必须|永远|凡是|禁止|统一|过敏|长期"
)
_REPEATED: Final = _Marks(
    rf"\b(?:{_REPEATS}|normally|typically|often|regularly|routinely|daily|weekly|monthly|yearly|as a rule|most (?:days|weeks|mornings|evenings|nights)|(?:once|twice) an? (?:day|week|month|year)|(?:each|every) (?:other |second |single )?(?:day|week|month|year|morning|afternoon|evening|night|weekend|spring|summer|autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b"
    rf"|{_REPEATS_HAN}|每(?:个|逢|隔|到|晚|早|季)|一般(?!般)|通常|往往|经常|常常|时常|平时|照例|老是|一向|向来|天天"
)
"""What happens again and again, not a rule that is set."""
_LIKES: Final = _Marks(
    r"\b(?:prefers?|preferred|preferences?|favou?rites?|likes|loves|hates|enjoys|dislikes?|adores?|(?:i|we|they|you)(?: really| also| both| still| do| don't| never)? (?:like|love|hate|enjoy)|(?:doesn't|does not|didn't) (?:like|love|enjoy)|(?:fond|fan) of|keen on|can't stand|would rather|(?:i|he|she|we|they)'d rather|rather not|my go-to)\b"
    r"|喜欢|喜爱|偏好|偏爱|讨厌|最爱|不爱|爱(?:吃|喝|看|听|用|穿|玩|逛)|(?<![坏好])习惯|宁愿|宁可|更愿意|受不了|不吃|不喝|只吃|只喝|看不惯"
)
"""What somebody would rather have or do; `_PREFERENCE` is more: whatever is told of a person."""
_LIFELONG: Final = _Marks(
    r"\b(?:born|birthday|allerg\w{1,3}|intoleran\w{2,3}|diabet\w{2,3}|asthma\w{0,3}|colou?r[- ]?blind|left-handed|name is|is called|my name|call me|native|prefer\w{0,5}|favou?rite|always|never|hate|love|like|can't stand|eat|drink|years of|for [\w-]{2,12} years|i have been an?|gives me|makes me|inside out|by heart|how i (?:learn|work)|fluent|speak|my (?:daughter|son|wife|husband|mother|father|sister|brother|dog|cat)|please|don't|go-to|morning person|used to|when you do|pen)\b|姓|说[\u4e00-\u9fff]{1,4}话|眼神|视力|生的|干了|生日|过敏|不耐受|色弱|色盲|哮喘|糖尿病|叫|名|喜欢|讨厌|不吃|不喝|只吃|只喝|一直|总是|从不|从来|习惯|最爱|爱|怕|偏好|(?<![\d一二三四五六七八九十])(?:\d{1,2}|[一二三四五六七八九十两]{1,2})年(?!前)|女儿|儿子|老婆|老公|别|不用|留给|熟|会说|血型|属|出生|生了|回答"
)
_HAN: Final = late("[\u4e00-\u9fff]")
_LATIN_WORD: Final = late(r"[A-Za-z0-9'’._-]{1,40}")
_DIGIT: Final = late(
    r"\d|(?!一[个支套台块点])[一二三四五六七八九十两百]+(?=[个支套台元块号月天周年点]|公斤|小时|分钟)|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred)\b",
    re.I,
)


# What is told to everybody around, of today: "cake in the kitchen", 明天停水.
_NOTICE: Final = late(
    r"\b(?:lift|elevator|coffee machine|kettle|printer|wi-?fi|internet|network|toilets?|restroom|fridge|dishwasher|parking(?: space| lot)?|car park|fire alarm|hot water|water|power|heating|air[- ]?con\w*)\b.{0,30}\b(?:out of order|off|down|broken|jammed|test(?:ed)?|serviced|unplugged|out of service|cleaned|slow|crawling|down) (?:this|today|tomorrow|tonight|until|from|again|on)\b|\b(?:cakes?|biscuits|cookies|leftovers|pizza|fruit|sandwiches|doughnuts|donuts|pastries)\b.{0,20}\bin the (?:kitchen|office|fridge|break room|canteen|hall)\b|\b(?:help yourself|help yourselves|up for grabs|come and get (?:it|them|some)|(?:somebody|someone) (?:has |just )?(?:left|forgot|parked)|your (?:parcel|package|order|taxi|lunch|food|visitor|coat|car) (?:is|has)|going (?:round|around)|whose (?:car|bike|umbrella|mug)|somebody's (?:car|bike|umbrella|mug))\b"
    "|(?:停水|停电|停气|断网|检修|消杀|灭虫|擦窗)(?!.{0,6}(?:流程|制度|方案))|(?:打印机|电梯|空调|咖啡机|热水器|饮水机|厕所|(?:无线)?网络?|水龙头|投影仪|门禁).{0,6}(?:今天|又|刚).{0,6}(?:坏|卡|停|堵|修|慢|断|罢工)|(?:今天|又).{0,2}网.{0,2}(?:慢|卡|断)|(?:包裹|快递|外卖).{0,4}(?:在|到)(?:了)?(?:前台|门卫|门口|楼下)?|快来(?:吃|喝|拿|领)|谁(?:吃|喝|要|用)谁|自取|先到先得|(?:冰箱|茶水间|前台|厨房).{0,6}有.{0,16}(?:吃|喝|拿|清掉)|谁的(?:车|伞|杯子|快递|外卖)",
    re.I,
)
# A hedge before what is said, behind which a general truth may stand.
_SAYING: Final = late(
    r"^(?:apparently|supposedly|they say|people say|i(?:'ve)? (?:heard|read|once (?:heard|read))(?: somewhere| once)?(?: that)?|judging by [^,]{3,40}|it seems(?: that)?|i (?:believe|think)(?: that)?),?\s+|^(?:听说|据说|好像|都说|有人说|看来|似乎|我听说|印象中)，?",
    re.I,
)


def kind(sentence: str, *, speaker: str | None = None) -> Kind:
    """Judge one sentence.

    `speaker` is who says it; what an "assistant" says is advice, unless it speaks of the project.
    """
    text = sentence.strip()[:LONGEST].replace("’", "'")
    han = len(_HAN.findall(text))
    size = han + 2 * len(_LATIN_WORD.findall(text)) if han else len(_LATIN_WORD.findall(text))
    small, medium = (6, 20) if han else (2, 10)
    figures = _DIGIT.search(text) is not None
    said = _Said(text)
    preference = _PREFERENCE.within(said)
    shared = _TEAM.within(said)
    team = shared or _WE.within(said)
    decided = _DECIDED.within(said)
    if not text or _TEST.match(text) or _DONE.match(text):
        return _CHATTER
    if _ASKS.search(text) and not (team and figures) and not _REQUEST.search(text):
        return Kind("ephemeral", UNCERTAIN, "session") if _WONDERS.match(text) else _CHATTER
    told = preference or figures or (team and decided)
    if size <= small // 2 or (size <= small and not told and not _HAN_SHORT.search(text)):
        return _CHATTER
    reply = (_REPLY_HAN if han else _REPLY).match(text)
    if reply is not None and (size - _size(reply[0], han) <= medium) and not told:
        return _CHATTER
    if _NOTICE.search(text) and not preference:
        return Kind("ephemeral", EXPLICIT, "short")
    hedged = _HEDGED.within(said)
    observed = _OBSERVED.within(said)
    if _SESSION.within(said) and not (decided and figures) and not preference:
        return Kind(
            "ephemeral", UNCERTAIN if hedged or _TRIES.search(text) else EXPLICIT, "session"
        )
    if (
        _ORDER.match(text)
        and (not figures or _SHOWS.match(text))
        and size <= 2 * medium
        and not preference
    ):
        return _CHATTER
    advised = _ADVICE.search(text) is not None
    if (advised or speaker == "assistant") and not figures and not team and not preference:
        if not _SPECIFIC_ADVICE.search(text) and (advised and _LEARNED.within(said)):
            return Kind("universal", EXPLICIT, "permanent")
        return _CHATTER
    sure = INFERRED if observed else UNCERTAIN if hedged else EXPLICIT
    me = _I_HAN.search(text) is not None if han else _I.within(said)
    addressed = _ADDRESSED.search(text) is not None
    nothing = not (observed or team or preference or figures or me or addressed)
    saying = _SAYING.match(text)
    core = text if saying is None else text[saying.end() :]
    if saying is not None and _is_truth(core, han):
        return Kind("universal", INFERRED if observed else UNCERTAIN, "permanent")
    if hedged and nothing and not _DEFINITE.match(core[:1].upper() + core[1:]):
        return Kind("ephemeral", UNCERTAIN, "session")
    realm = _realm(
        said, han, preference=preference, team=team, shared=shared, decided=decided, figures=figures
    )
    if realm == "universal" and hedged:
        realm = "project"
    if realm == "ephemeral":
        return _CHATTER if size <= medium else Kind("ephemeral", EXPLICIT, "session")
    return Kind(realm, sure, _span(said, realm, hedged=hedged and not observed))


def leaning(sentence: str) -> Literal["preference", "pattern"] | None:
    """Whether a sentence tells what somebody would rather have or do, or else what happens again
    and again; None for any other, and for a question."""
    text = sentence.strip()[:LONGEST].replace("’", "'")
    if _ASKS.search(text):
        return None
    said = _Said(text)
    if _LIKES.within(said):
        return "preference"
    return "pattern" if _REPEATED.within(said) or _OBSERVED.within(said) else None


def _is_truth(text: str, han: int) -> bool:
    """Whether what follows a hedge ("they say …") is a general truth."""
    rest = text[:1].upper() + text[1:]
    said = _Said(rest)
    if _is_specific(said) or _OURS.within(said) or _TEAM.within(said):
        return False
    return _general(said, han)


def _is_specific(said: _Said) -> bool:
    """Whether a sentence speaks of certain persons, things or times; "their" after a plural subject
    is that subject's."""
    first = said.text.split(" ", 1)[0]
    if first.endswith("s") and first.isalpha() and not _PRONOUN.isdisjoint(said.words):
        free = _Said(said.text)
        free.words = said.words - _PRONOUN
        return _SPECIFIC.within(free)
    return _SPECIFIC.within(said)


_PRONOUN: Final = frozenset(("they", "their", "them"))


def _size(text: str, han: int) -> int:
    return len(_HAN.findall(text)) if han else len(_LATIN_WORD.findall(text))


_WONDERS: Final = late(
    r"\W{0,3}(?:so |or )?(?:maybe|perhaps|could it be|possibly)\b|(?:也许|可能|会不会|难道|是不是因为)",
    re.I,
)
_SHOWS: Final = late(r"(?:show|list|print|open|run|give|tell|send|find)\b|把", re.I)
_DEFINITE: Final = late(r"(?:The|Our|Their|His|Her) ")
_REQUEST: Final = late(
    r"提个.{0,4}要求|能不能(?:加|改|做|支持|激光)|\bcould (?:we|you) (?:please )?(?:add|change|support|move)\b",
    re.I,
)
_HAN_SHORT: Final = late(r"过敏|不吃|不喝|吃素|叫我|生日|不耐受|签字|改")
_TRIES: Final = late(r"\btry|试|pretend", re.I)
_SPECIFIC_ADVICE: Final = late(r"推荐|我|\bi\b|那|最后|here are", re.I)
_LEARNED: Final = _Marks(
    r"\b(?:learn|practi[sc]e|exercise|sleep|classes|communities|language|habit|skill)|学习|锻炼|练习|坚持|睡眠|习惯|语言"
)


def _realm(
    said: _Said,
    han: int,
    *,
    preference: bool,
    team: bool,
    shared: bool,
    decided: bool,
    figures: bool,
) -> Realm:
    text = said.text
    me = _I_HAN.search(text) is not None if han else _I.within(said)
    family = _FAMILY.within(said)
    if preference and not (team and decided and not me):
        return "personal"
    if not me and not _is_specific(said) and not _OURS.within(said) and _general(said, han):
        return "universal"
    if family and not shared and (me or not figures or not decided):
        return "personal"
    if team and (not me or decided or not family):
        return "personal" if me and family and not decided else "project"
    if family or me or _ADDRESSED.search(text):
        return "personal"
    return "project"


_ADDRESSED: Final = late(r"\byou (?:must|always|never|seem|keep|tend|like|prefer)\b|^你|，你", re.I)
"""What is observed of the person who is spoken to."""


def _general(said: _Said, han: int) -> bool:
    """Whether a sentence about nobody in particular tells a general truth: no past, no order."""
    text = said.text
    if han:
        return (
            len(text) >= 6
            and (_BOUND_HAN.search(text) is None or _WHENEVER_HAN.search(text) is not None)
            and _TELLS_HAN.search(text) is not None
        )
    if _PAST.search(text) is not None or _BOUND.search(text) is not None:
        return False
    words = text.split()
    if len(words) < 4 or not words[0][0].isupper():
        return False
    if words[0] == "The" and _OF_KIND.search(text) is None and not words[1][0].isupper():
        return False  # a certain one, which somebody around here has
    if words[0].lower() in _OPENINGS:
        return _GENERAL.within(said) or any(map(_VERBAL.fullmatch, words[2:5]))
    plural = (
        (words[0].endswith("s") or words[0] in _PLURALS)
        and words[1].isalpha()
        and words[1] not in _LINKING
    )
    return plural or _GENERAL.within(said) or any(map(_VERBAL.fullmatch, words[1:4]))


_OF_KIND: Final = late(
    r"^The [a-z-]{2,20}(?: [a-z-]{2,20})? of (?:an? |the )?[a-z]|\b(?:every|any|always|generally|usually|most|per cent"
    r"|percent|the more|earth|sun|moon|human|body|brain|universe|world|ocean|atmosphere|planet)\b",
    re.I,
)
"""What makes a subject with "the" one of a kind, or the only one."""
_OPENINGS: Final = frozenset("a an the in every most good if when to on".split())
_PLURALS: Final = frozenset("People Children Men Women Mice Sheep Fish Cattle Bacteria".split())
_LINKING: Final = frozenset("of and from on for in with".split())
_PAST: Final = late(
    r"\b(?:(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bgets )(?<!\bget )(?<!, )(?!un)[a-z]{2,14}ed|was|were|did|had|went|came|said|told|got|took|made|saw|found|gave|left|ran|won|lost|sent|wrote|bought|met|will|won't)\b(?<!need)(?<!based)(?<!used)(?<!indexed)(?<!sorted)(?<!shared)"
)
_BOUND: Final = late(
    r"\bthe (?:second|first|third|last|next|old|new|other|same|whole|rest)\b|^(?:No|Yes|Please|Never|Don't|Always|Use|Keep|Make|Only|Still|Also|And|But|So|Or)\b|\d{1,2}:\d\d|[€$£]|!$"
)
_VERBAL: Final = late(r"(?!(?:this|his|its|us|yes|less|plus|as|is)\b)[a-z]{2,14}s[,.]?")
_BOUND_HAN: Final = late(
    r"了(?=[。，！]|$)|了[\u4e00-\u9fff]|别|请(?!求)|吧|把|必须|一律|不要|先|这|那|哪|小[\u4e00-\u9fff]的|老[\u4e00-\u9fff](?=[说在把])|师傅|工，|过(?=[。，])|正在|还没|已|\d{3}(?!\s?表示)|(?!一点)[一二三四五六七八九十两\d]+[支套台元块点月号]|！|谢|“|刚|还活|特地"
)
# A condition and what then happens to anybody: 猫吃了百合会中毒.
_WHENEVER_HAN: Final = late(
    "^(?!.*(?:那天|当时|去年|上次|后来|师傅|老板|[一二三四五六七八九十两\\d]+[月号日]))[^，。]{2,12}(?:吃了|喝了|没|不|太[\u4e00-\u9fff]|要是|如果|只要|一旦|的天)[^。]{1,16}(?:会|就|得|容易)[^。]{1,10}$"
)
_TELLS_HAN: Final = late(
    r"得(?:更|很)?(?:快|慢|好|多|高|早|晚|久|远|稳)|跟着|全程|只(?!好|能|剩)|会|能|是|让|使|更|越|表示|保护|可以|需要|比|等于|意味|属于|有助|有利|改善|导致|只要|才|往往|通常|一般|都|总|不|靠|叫|支持|保证|取决|适合|含|产生|释放|吸收|具有|有"
)
_OURS: Final = _Marks(
    r"\b(?:billing|payroll|auditors?|nightly|we|our|us|the (?:project|team|customer|client|main branch|api|server|office|offer|contract|licen[cs]e|version|loggers?|board|firmware|release|build)|staging|production|deploys?|licen[cs]e is|all timestamps|version \d|until further|protected|frozen|must|deploys|invoices|commits|releases|tickets|pull requests?|customers?|users?|dates|all|every (?:pull|commit|release|ticket|invoice|change|merge)|loggers|batteries|migrations?|offers?|orders?|suppliers?|report|staging|price|budget|backups)\b|我们(?!家)|咱们(?!家)|评审|计费|发货|财务|审计|项目|客户|合同|版本|上线|预发|线上|固件|样机|板子|探头|网关|一律|报价|交货|平台|提交|接口(?!是)|监听|不要|必须|统一|办公室|供应商|发票|用户|所有|每个(?!人)|合并请求|组|群|样品|报告|厂|订单|值班|仓库|预算|会议|报表|电池|支|探头|成本|签|老板|数据库|按"
)


_LIVED: Final = _Marks(
    r"\b(?:yesterday|last (?:night|week|weekend|month|year|summer)|today|recently|just|went|learned|got|had|was|were|did|made|saw|met|bought|took|came|finished|won|lost|ran|drove|visited|found|started|passed|felt|enjoyed|cooked|tried|watched|read)\b|了(?=.|$)|过(?=.|$)|昨|上周"
)
_AHEAD: Final = _Marks(
    r"\b(?:will|going to|plan\w{0,4}|tomorrow|next|until|by|remind|appointment|holiday from|have to|need to|currently|right now|at the moment|these days|stuck|waiting|feeling)\b|明|下周|下个月|要去|打算|会去|准备|提醒|预约|推迟|往后|挪到|近来|最近|这几天|正在|目前|休假|还没|订|约了|预约|(?<!上)周[一二三四五六日]|下午.{0,3}点"
)


def _span(said: _Said, realm: Realm, *, hedged: bool) -> Temporality:
    """How long a memory of `realm` holds."""
    if realm == "universal":
        return "permanent"
    soon = _SOON.within(said) and not _HABIT.within(said)
    if realm == "personal":
        if soon and not (_LIVED.within(said) and not _AHEAD.within(said)):
            return "short"
        return "permanent" if _LIFELONG.within(said) else "long"
    return "short" if soon or hedged else "long"


_TAKES: Final = late(
    r"\b(?:i|i'll|i'd|i've|we)\b(?: \w{1,12}){0,2}? (?:order|ordered|choose|chose|pick|picked|take|took"
    r"|have|had|get|got|use|used|buy|bought|drink|drank|eat|ate|play|played|wear|wore|want"
    r"|wanted|(?:go|went|going|ask|asked|asking) for)\b ?([^.,;:!?]{2,60})",
    re.I,
)
_TAKES_HAN: Final = late(
    r"(?:我|帮我|给我|咱|我们)[^，。！？；]{0,6}?(?:点|要|选|用|买|喝|吃|穿|玩|来)(?:了|的是|过)?"
    r"([^，。！？；]{2,20})"
)
_PASSED_OVER: Final = frozenset(
    "a an the some my our his her their this that these those again always usually as at by for from"
    " in instead of on or to with and it them one two another more same just please today yesterday"
    " tomorrow tonight morning evening afternoon lunch dinner breakfast time been have had got up out"
    " care place part look idea way lot bit need back".split()
)
_PASSED_OVER_HAN: Final = late(
    r"[一两三这那]?[杯份个碗瓶件次台]|今天|昨天|早上|晚上|还是|又|了|的|吧|时候"
)


def taken(sentence: str) -> tuple[str, tuple[str, ...]] | None:
    """What somebody says to have taken, chosen or used: the phrase, and its telling words in lower
    case, in Chinese its bigrams. None if the sentence tells nothing of the kind.
    """
    text = sentence.strip()[:LONGEST].replace("’", "'")
    if _ASKS.search(text):
        return None
    if _HAN.search(text):
        if (found := _TAKES_HAN.search(text)) is None:
            return None
        phrase = _PASSED_OVER_HAN.sub(" ", found[1])
        pairs = (part[at : at + 2] for part in phrase.split() for at in range(len(part) - 1))
        marks = tuple(dict.fromkeys(pairs))
        return ("".join(phrase.split()), marks) if marks else None
    if (found := _TAKES.search(text)) is None:
        return None
    told = [w for w in re.findall(r"[a-z0-9'+#-]{2,40}", found[1].lower()) if w not in _PASSED_OVER]
    return (" ".join(told[:4]), tuple(dict.fromkeys(told[:4]))) if told else None


def over_after(sentences: Sequence[str], told: date, speaker: str | None) -> int:
    """The last day (proleptic ordinal) that a text names, if each sentence that says something is
    about a day that was still to come on day `told`: an appointment, a deadline. 0 for all others:
    what tells of the past matters for longer."""
    last = 0
    for sentence in sentences:
        if trivial(sentence) is not None:
            continue
        day = last_day(sentence, told)
        if day is None or day < told:
            return 0
        soon = kind(sentence, speaker=speaker).temporality.startswith("short")
        if not soon and protects(sentence) != "binding":
            return 0
        last = max(last, day.toordinal())
    return last
