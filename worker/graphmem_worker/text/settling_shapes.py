# ruff: noqa: E501 (a pattern is read best in one line)
"""Shapes of sentences that settle something, or that do not: who acts, in which mood and tense.

English ones are told by the form of a verb and what stands before it: "Booked the ferry", "Scrap the
tour", "The board turned it down", "Retries are capped at 5", "Mia does the cake"; Chinese ones by the
particles and complements about a verb: 卡退了, 活动挪到周四, 不续签了, 由老陈做. The verbs are those of
which decisions are made; alone they tell little.
"""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.text.patterns import late

_VERBS: Final = """
    accept adopt agree allow appoint apply approve arrange ask assign award ban book bump cancel cap change close combine commit confirm convert cover cut/cut/cut
    deactivate decide decline delay delegate delete deliver deprecate disable discard discontinue ditch donate double downgrade drop enable end enrol enroll extend finalise finalize fix freeze/froze/frozen fund
    get/got/gotten give/gave/given go/went/gone halt halve hand hire hold/held/held host increase install join keep/kept/kept kill launch lease leave/left/left let/let/let limit lock lower
    mark marry merge migrate move name nominate opt order outsource overrule park pass pause pay/paid/paid pick pin plan postpone promise promote pull put/put/put
    quit/quit/quit raise reduce refund refuse register reject rename renew rent replace reschedule reserve resign retire return revert revoke roll rule run/ran/run schedule scrap sell/sold/sold send/sent/sent set/set/set settle shelve ship shift shorten shut/shut/shut sign skip split/split/split stay start stick/stuck/stuck stop sublet/sublet/sublet submit suspend swap switch
    take/took/taken terminate trade transfer trim turn unsubscribe upgrade veto vote waive withdraw/withdrew/withdrawn wait choose/chose/chosen buy/bought/bought build/built/built make/made/made elect select land try use allocate consolidate dismiss evict ground house insure invite lend/lent/lent license patch pilot pledge publish recall relocate rehome remove restrict standardise standardize store sponsor tender test tear/tore/torn throw/threw/thrown axe bin back bring/brought/brought call charge come/came/come do/did/done forbid/forbade/forbidden forget/forgot/forgotten grant live meet/met/met paint open pencil push sleep/slept/slept teach/taught/taught work write/wrote/written begin/began/begun drive/drove/driven
"""
"""Infinitives; after a slash past tense and participle, where they are irregular."""

_SINGLE: Final = frozenset(
    "order open offer deliver cancel cover limit transfer discard allow pilot tender appoint lower veto publish promise register renew shorten sponsor visit".split()
)
"""Verbs whose last consonant is not doubled, though it stands behind a single vowel."""
_DOUBLED: Final = frozenset("submit commit forget begin forbid transfer cancel enrol".split())
_ONE_SYLLABLE: Final = re.compile(r"[a-z]*[^aeiouy]?[^aeiou][aeiou][bdgklmnprt]")
_CONSONANT_Y: Final = re.compile(r"[a-z]*[^aeiou]y")


def _forms() -> tuple[str, ...]:
    """Alternatives of infinitives, third persons, past tenses, participles and gerunds."""
    tables: tuple[set[str], ...] = (set(), set(), set(), set(), set())
    for entry in _VERBS.split():
        verb, *irregular = entry.split("/")
        doubles = verb in _DOUBLED or (_ONE_SYLLABLE.fullmatch(verb) and verb not in _SINGLE)
        stem = verb + verb[-1] if doubles else verb
        if verb.endswith("e"):
            past, gerund = verb + "d", verb[:-1] + "ing"
        elif _CONSONANT_Y.fullmatch(verb):
            past, gerund = verb[:-1] + "ied", verb + "ing"
        else:
            past, gerund = stem + "ed", stem + "ing"
        past, participle = irregular or (past, past)
        third = verb + ("es" if verb.endswith(("s", "x", "ch", "sh", "z", "o")) else "s")
        if _CONSONANT_Y.fullmatch(verb):
            third = verb[:-1] + "ies"
        for table, form in zip(tables, (verb, third, past, participle, gerund), strict=True):
            table.add(form)
    tables[2].add("canceled")
    tables[3].add("canceled")
    return tuple(f"(?:{'|'.join(sorted(table))})" for table in tables)


_BASE, _THIRD, _PAST, _DONE, _GERUND = _forms()
_ADVERBS: Final = r"(?:(?:now|just|all|both|then|also|finally|already|eventually|simply|never|only|not|unanimously|officially|definitely|instead|jointly|therefore|so|still|even) ){0,2}"
_OPENING: Final = r"(?:(?:ok(?:ay)?|right|alright|all right|fine|so|well|yes|yep|yeah|no|and|but|then|good|great|agreed|update|decision|news|deal|done|anyway|please|sorry|in the end|after all|also|finally|understood|confirmed|noted|settled)[,:.—-]* ){0,3}"
_NAME: Final = r"(?:[A-Z][\w'’]+(?: (?:and|&) (?:[A-Z][\w'’]+|I)| [A-Z][\w'’]+)?)"
_NOUN: Final = r"(?:(?:the|our|my|that|this|all|both|every|each|any|no|two|three|new|old|his|her|their|dad's|mum's) (?:[\w'’-]+ ){0,3}[\w'’-]+|[A-Z][\w'’-]+(?: [\w'’-]+){0,2})"
_VERB: Final = "(?:定|选|签|订|付|交|买|卖|租|退|停|撤|砍|删|关|换|改|搬|挪|推|延|缓|提|留|请|雇|辞|招|派|报|批|准|否|判|投|接|收|拒|还|续|销|拆|装|刷|铺|放|归|给|让|办|走|坐|用|开|搭|封|减|加|涨|降|缩|限|分|合|并|迁|转|移|送|捐|寄|发|上|写|做|审|管|带|戒|断|免|罚|禁|取消|放弃|推迟|暂停|暂缓|恢复|保留|采用|统一|启用|停用|下线|上线|接手|负责|转正|续约|解约|外包|作废|搁置|终止|录用|任命|当选|通过|批准|同意|驳回|安排|调整|更换|合并|拆分|升级|降级|回滚|冻结|淘汰|改签|改期|延期|报名|退订|注销|过户|领养|出租|转让)"

ENGLISH: Final = {
    name: late(pattern)
    for name, pattern in (
        ("imp act", rf"^{_OPENING}(?:let's |don't )?(?i:{_BASE})\b(?! (?:you|it go\b|i\b|we\b))"),
        ("bare past", rf"^{_OPENING}(?i:{_PAST})\b(?! (?:you|he|she|they|we|i)\b)"),
        ("bare ing", rf"^{_OPENING}(?i:{_GERUND})\b (?!.{{0,40}}\b(?:is|are|was|takes?|means|makes?|needs?|costs?)\b)"),
        ("we past", rf"(?i:\b(?:we|i|wife and i|both of us|the two of us)(?:'ve|’ve| have| both| all)?) {_ADVERBS}(?i:{_PAST}|{_DONE})\b"),
        ("ended up", r"(?i:\bended up|\bwound up|\bended with|\bin the end|\bafter much|\bafter (?:a|an|some|two|three|hours|weeks|days|long)\b.{0,40},)"),
        ("we will", rf"(?i:\b(?:we|i)(?:'ll|’ll|'m going to|'re going to| will| shall| won't| are going to| am going to| aren't going to| are not going to|'re not going to|'m not going to)) {_ADVERBS}(?:be )?(?i:{_BASE}|{_GERUND}|have|take|pass|do)\b"),
        ("we ing", rf"(?i:\b(?:we|i)(?:'re|’re|'m|’m| are| am|'ll be)) (?:not |now |no longer |all |both )?{_ADVERBS}(?i:{_GERUND}|moving|having|going|done|out|in|through)\b"),
        ("we base", rf"(?i:\b(?:we|i)) {_ADVERBS}(?i:{_BASE})\b"),
        ("body past", rf"^{_OPENING}(?:[Tt]he|[Oo]ur|[Mm]y|[Ss]chool|[Cc]ouncil) (?:\w+ ){{1,3}}(?:has |have |just |also |finally )?(?i:{_PAST}|{_DONE})\b"),
        ("name past", rf"(?:^|[.:,] ){_NAME} (?:has |have |just |also |finally |and I )?(?:{_PAST}|{_DONE})\b"),
        ("name does", rf"(?:^|[.:,;] |\bso |\bthen ){_NAME} (?:{_THIRD}|does|handles|owns|leads|chairs|looks after|takes over|is (?:doing|taking|moving|going|getting|leading|handling|in charge|off))\b"),
        ("np does", rf"^{_OPENING}{_NOUN} (?:{_THIRD}|{_BASE}|goes|stays|gets|stay|go|get|moves|comes|becomes|is (?:out|off|on|in|over|done|staying|moving|going|cancelled|final|settled)|are (?:out|off|on|in|over|staying))\b"),
        ("passive", rf"(?i:\b(?:is|are|was|were|be|been|gets?|got|'s|being)) (?:now |to be |hereby |officially |all )?(?:{_DONE})\b"),
        ("modal", r"(?i:\b(?:could|should|would|might|may|can|ought to|shall we|'d)\b)"),
        ("verdict", r"(?i:\b(?:is|are|'s|’s) (?:out|off|on hold|on ice|history|a no|a yes|a go|settled|final|official|done|agreed|over|closed|confirmed|it|in|up|dead|decided|cancelled)\b|\ba (?:no|yes|go|pass|deal|done deal)\b(?= (?:to|for|from|on)\b|[.,;]|$)|\bgreen light\b|\bgo-ahead\b|\bno-go\b|\bon ice\b|\bon hold\b)"),
        ("label", r"^(?i:(?:confirmed|approved|agreed|decision|decided|verdict|resolved|outcome|result|settled|done|final|signed|resolution|plan|new rule|rule|denied|rejected|granted|update)\b ?[:—–-])"),
        ("x not y", r"(?i:, not \w+|\brather than\b|\binstead(?: of)?\b|\bno more\b|\bany (?:more|longer)\b|\bno longer\b|\bover the\b)"),
        ("begins", r"(?i:\bfrom now on|\bas of\b|\bstarting\b|\bbeginning\b|\bgoing forward\b|\beffective\b|\bhenceforth\b|\bfrom (?:next|today|tomorrow|monday|january|february|march|april|may|june|july|august|september|october|november|december)|\bfor now\b|\bfor good\b|\bfor the time being\b|\buntil\b|\btill\b|\bthis time\b|\bthis year\b)"),
        ("rule", r"(?i:\b(?:must|has to|have to|needs?|are required|is required|mandatory|may only|no exceptions|nobody|no one|everybody|everyone|all|every|only)\b)"),
        ("told", r"(?i:\b(?:i|we)(?:'ve|’ve| have)? (?:just )?(?:told|said|let|promised|asked|got|informed|notified|wrote to|emailed)\b)"),
        ("commit", r"(?i:\bmade up (?:my|our|his|her) minds?\b|\bminds? (?:is|are) made up\b|\bsettled on\b|\bsigned\b|\bpaid\b|\bagreed\b|\bvot(?:e|ed)\b|\bdecided\b|\bdecision\b|\bchose\b|\bpicked\b|\bopted\b|\bwent (?:with|for)\b|\bgoing (?:with|for)\b|\bgo(?:es)? (?:with|for)\b|\blanded on\b|\bdecid\w+ against\b|\bturned down\b|\bpulled out\b)"),
        ("they", r"(?i:^(?:.{0,12} )?(?:he|she|they|he's|she's|they're|he'd|she'd|people|most|many|some|others|everyone else|neighbours?|the neighbours|my (?:sister|brother|aunt|uncle|neighbour|cousin|boss|friend|colleague|old \w+)|your|our old \w+|his|her|their)\b)"),
        ("generic", r"(?i:^(?:most|many|some|people|couples|an?|it's|usually|often|sometimes|in general|generally|one (?:option|idea|way|could|thing)|another|there(?:'s| is| are)|what|how|why|when|before|the (?:best|key|trick|idea|point|question|reason|more)) |^[A-Z]\w+ing .{0,50}\b(?:is|are|was|takes?|means|makes?|needs?|costs?|can|helps?)\b)"),
        ("proposed", r"(?i:\b(?:propos|suggest|recommend|reckon|want(?:s|ed)? (?:us|me|to)|ask(?:s|ed)? (?:us|me|if|whether)|consider|think(?:s|ing)? (?:of|about|we|about)|thought|hop(?:e|ing|ed)|wish|said we|says we|idea|option|argu|rumou?r|apparently|heard|they say|in theory|supposing|suppose|imagine|tempted|nearly|almost|was going to|were going to|used to|meant to|forgot|would(?:'ve| have)|should(?:'ve| have)|could(?:'ve| have)|if only|perfect world|ideally|let me know|happy to|would you|can you|could you|do you|did you|have you)\w*)"),
        ("habit", r"(?i:\b(?:always|usually|often|sometimes|normally|typically|generally|tends?|every (?:morning|day|night|evening|week|time)|whenever|never|keeps? \w+ing)\b)"),
        ("past time", r"(?i:\b(?:ago|last (?:week|month|year|night|summer|winter)|yesterday|in (?:19|20)\d\d|back (?:then|in)|when (?:i|we|he|she|they) (?:was|were|got|came)|as a (?:kid|child))\b)"),
    )
}  # fmt: skip

CHINESE: Final = {
    name: late(pattern)
    for name, pattern in (
        ("v le", rf"{_VERB}(?:好|掉|下来|下|完|妥|成|走|出去|回去|定|过)?了(?=[，。！；、]|$)"),
        ("v le o", rf"{_VERB}(?:好|掉|下|完|妥|成|走|出)?了(?=[^，。！？])"),
        ("v into", rf"{_VERB}(?:到|成|为|给|在|去|回|进|至|由)(?!了|底|处)[^，。！？]"),
        ("not v le", rf"(?:不|别|甭|免)(?:再|用|必)?(?:[^，。！？]{{0,3}}){_VERB}?[^，。！？]{{0,6}}了(?=[，。！；]|$)"),
        ("bu v", rf"(?:^|[，；：])[^，。！？我你他她]{{0,8}}(?:不|别|只)(?:再)?{_VERB}"),
        ("then v", rf"(?:就|还是|先|干脆|索性|那就|直接|都|全|统一|一律|一概|各|仍|照样|接着|继续|改|另)(?:{_VERB})"),
        ("topic v", rf"^[^，。！？我你他她它吗]{{2,9}}(?:就|还是|先|都|全|不|也|统一|一律|改|暂时|继续)?{_VERB}[^，。！？了过着吗]{{0,10}}(?=[，。！；]|$)"),
        ("v not", rf"{_VERB}[^，。！？]{{1,8}}，(?:不|别|就不){_VERB}?"),
        ("by whom", r"(?:由|归|让|叫|请|交给|轮到|派)[^，。！？]{1,6}(?:负责|来|做|管|写|带|主刀|主持|牵头|对接|接|审|办|上|开|送|陪|值)|[^，。！？]{1,6}(?:负责|牵头|对接|主刀|来管|来做|来写|来办)"),
        ("from when", r"(?:从|自)?(?:今天|明天|今年|明年|下周|下个?月|下学期|本周|这周|这学期|[一二三四五六七八九十\d ]+[月号日])[^，。！？]{0,4}(?:起|开始)|以后|今后|往后|之后|从此|即日起|生效"),
        ("until", r"(?:到|等)[^，。！？]{1,12}(?:为止|再|之前|前|后|以后)|暂时|这次|这回|先[^，。！？]{1,8}再"),
        ("agreed", r"(?:说|谈|讲|商量|约|定|敲)(?:好|妥|定|下来|成)了?|达成|一致|拍板|敲定|结果|投票|表决|通过|批了|没批|不批|定金|首付|押金|合同|签了|签字|手续|成交|中标|胜出|当选|会上|就这么|就这样|到此为止|说到做到|答应|同意|决定|选定|定了"),
        ("opens ok", r"^(?:那|好|行|成|可以|好的|定了|就|得|中|没问题|嗯|OK|ok|收到|明白|批了|结论)(?:吧|的|了)?[，：。]|^(?:那就|就)"),
        ("body", r"(?:老板|领导|经理|主任|院长|校长|公司|委员会|董事会|理事会|评委会?|法院|大会|教练|业委会|房东|银行|学校|组里|部门|会上|工会|双方|团队|医院|[^，。]总)"),
        ("we", r"我们|咱们?|咱家|我家|我[跟和]"),
        ("i v", rf"(?:^|[，；])我[^，。！？]{{0,4}}{_VERB}"),
        ("ba", rf"把[^，。！？]{{1,10}}{_VERB}"),
        ("person", r"(?:^|[，；：])(?:他|她|他们|她们|人家|隔壁|邻居|我(?:同事|邻居|哥|姐|弟|妹|姑|舅|叔|朋友|以前)|你们?|多数|一般|大多数|有人|别人)"),
        ("generic", r"^(?:一般|通常|多数|大多数|一种|有个|有的|好的|选[^，。]{1,6}(?:是|都|对)|理论上|原则上|其实|假设|假如|要是|如果|万一|听说|据说|好像|可能|也许|真|希望|建议|我建议|他说|她说|人家说)"),
        ("proposed", r"建议|提议|提过|主张|想让|应该|应当|最好|不如|不妨|可以|要不|怎么样|考虑(?!到)|希望|但愿|早知道|差点|本来|原本|当初|听说|据说|好像|似乎|可能|也许|大概|说不定|要是|如果|假如|假设|的话|理论上|想法|方案是|推荐|帮我|好吗|能不能|可不可以|还没|没定|待定|犹豫|再说|再看|再商量"),
        ("habit", r"总是|老是|总(?!部|监|经|裁|共|价|额|量|数|体|结|算|要|得|归|之)|向来|平时|经常|常常|一直|每次|往往|有时|习惯|从来"),
        ("past", r"昨天|去年|前年|以前|从前|那时|当年|小时候|上次|那天|那晚|刚才|过(?=[，。])"),
        ("asks", r"[?？]|吗(?=[，。]|$)|呢(?=[，。]|$)|谁|什么|怎么|哪"),
    )
}  # fmt: skip
