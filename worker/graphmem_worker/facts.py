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
from graphmem_worker.text.explaining import Clause, Settled, between, clauses, explains
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
    r"[?？]\s{0,2}[\"'”’」』）)]{0,2}\s{0,2}$|\b(?:tbd|to be decided|open question|still (?:open|unclear|undecided|to decide)|not (?:yet )?(?:decided|clear|settled)|undecided|need to (?:decide|find out|check|clarify)|who (?:will|should)|unclear (?:whether|if|how)|tbc|no idea (?:who|what|when|where|how|which|whether|if)|remains? to be|up in the air|(?:need|have|got) to (?:work out|settle|figure out|agree on|sort out)|haven't (?:heard back|agreed|settled|decided)|yet to (?:decide|agree|settle|hear))\b|没(?:个)?准(?:话|儿|信)|悬着|没谈拢|没商量好|没着落|没人(?:吭声|接话|认领)|再议|不知道[^，。]{0,12}([\u4e00-\u9fff])不\1|到底[^，。]{0,6}([\u4e00-\u9fff])不\2|待定|待确认|还没(?:定|想好|决定)|未定|尚未确定|不确定(?:是|要|能|会)|要不要|需要确认|悬而未决",
    re.I,
)
_DECIDED: Final = re.compile(
    r"\b(?:decid\w{1,4}|decision|agreed|approved|settled on|chose|chosen|picked|opted|went with|(?:we|i|they)(?:'ll| will) (?:use|go|keep|switch|move|ship|drop|stay|start|stick|take|do|have|make|not|never|always)|let's (?:use|go|keep|switch|move|ship|drop|stay|stick|take)|going with|go with|must(?:n't| not)?|from now on|instead of|no longer|replac\w{1,4}|switch(?:ed|ing) to|moved|move to|migrat\w{1,4} to|adopt\w{0,3}|sign(?:ed)? off|signed|cancel+ed|postponed|promis\w{1,3}|committed to|rejected|ruled out|dropped|freeze|frozen|rule is|policy is|final|(?:we|i)(?:'re| are|'m| am) (?:not )?(?:going to|(?:cancel|keep|stopp|dropp|leav|mov|clos|switch|replac|book|hir|buy|sell|tak|mak|us|runn|print|put|start|hold|send|order)\w{0,4}ing)|(?:we|i)(?: will not| won't)(?: be)?|we(?:'ll| will)|(?:we|i|they|jury|board|committee|council|team|class) (?:stopped|registered|put|gave|close|closed|booked|hired|ordered|bought|sold|voted|renamed|started using|quit|gave up)|plan is to|from (?:\w+ ){1,3}on|starting (?:in|on|from)|will (?:be )?(?:held|printed|kept|closed))\b"
    r"|决定|选定|选了|选择|采用|改为|改成|改用|改到|换成|定在|定了|定为|敲定|拍板|同意|批准|通过了|答应|约定|必须|务必|一律|不得|禁止|统一|不再|取消|推迟到|提前到|放弃|迁到|就用|最后用|签了|冻结"
    r"|(?:商量|说|想|谈|讲)好了|表决了?|(?:就|也|都|再也|以后|往后|今年|明年)(?:先)?不.{1,8}了|[^，。！？]{1,10}不[^，。！？好会用在知客行能是]{1,3}了(?=[，。！；]|$)|往后.{0,12}(?:都|每|得|要)|[月日号年周]起[，,]?(?!一直|就一直|都没)(?=.{3})|一概|平摊|(?:我们?|咱们?).{0,10}(?:退|推|停|拿掉|撤|卖|删|关|换)(?:掉)?了|[^，。]{1,8}(?:退了|退掉了|停掉了)(?=[，。！]|$)|还是.{1,8}，不|就这么定",
    re.I,
)
_RULED: Final = re.compile(
    # what is settled, voted, refused, given to somebody, forbidden or kept, in other words
    r"\bno more \w|: no \w|\bvot(?:e|es|ed|ing) (?:for|to|against)\b|\bthe vote (?:was|is|went)\b|\b(?:it's|it is|that's|that is) settled\b"
    r"|\b(?:made up (?:my|our|his|her|their) mind|minds? (?:is|are) made up|shook hands on|ruled (?:that|out)|done with|ended up \w+ing)\b"
    r"|\bturn(?:ed|ing)? (?:\w+ ){0,5}down\b(?! (?:the (?:volume|music|heat)))|\b(?:scrapped|shelved|axed|vetoed|overruled|waived|called off|backed out|pulled out)\b"
    r"|\b(?:took|take|taking|struck|cut) (?:\w+ ){1,5}(?:out of|off|from) (?:the |our )?(?:plan|list|agenda|programme|program|budget|contract|release|menu|order)\b"
    r"|\b(?:is|are) off(?= (?:this|next|for good|for now|until)\b|[,;]|$|\.)|\b(?:panels|plans|ideas?|options?|\w{4,}s) are out(?=[,;.!]|$)"
    r"|\b(?:tender|contract|order|job|prize|award|money|proceeds|post|role) goes to\b|\b(?:stays?|remains?) (?:open|closed|as (?:it|they)|where|the same|in place|in force|put)\b"
    r"|\bonly (?:\w+ ){1,3}may\b|\b(?:nobody|no one|none of \w+) may\b|\bmay (?:not|only)\b|\b(?:is|are) (?:now )?(?:banned|forbidden|mandatory|prohibited|not allowed)\b"
    r"|\baccepted (?:the|their|our|his|her|an?) (?:\w+ ){0,2}(?:bid|offer|proposal|plan|terms|quote|resignation|draft|invitation)\b"
    r"|\b(?:was|were|is being|are being|is|are) (?:felled|torn down|taken down|put down|elected|appointed|dismissed|selected|awarded|replayed|held in|held at)\b"
    r"|^(?:all right|alright|okay|ok|right|fine|agreed|deal)[,:] (?:we|i|you) (?!(?:see|know|think|guess|hope|understand|can|could|mean|have|had|am|are|was|were|need|want|like|love|feel|wonder|agree)\b)[a-z]+ (?!(?:so|it)\b)"
    r"|\b(?:we|i) (?:left|quit|ended|sold|handed|refused|declined) (?:the|our|my|that|this|their|it)\b(?= old| contract| lease| plan| host| offer| job| club|\b.{0,12}\bhost)"
    r"|不许|不准|只准|只许|不让(?!人|我|他|她)|想定了|说定了|谈妥|谈定|讲定|认了(?=[，。！]|$)|作废|发话了|就这样(?:定|办)|(?:表决|投票)(?:结果|通过|，|,)"
    r"|(?:照常|照旧|照原样)[开办做用算]|(?:还|仍|继续|接着)用|(?:桌|牌|标|活|班|工作坊|[^，。]{2,6})(?:交给|标给|留给|判给|让给)(?!我看|你看)"
    r"|([铺用买走去坐租选放订做写吃种开收留请])[^，。！？]{1,6}不\1[^，。！？]{1,6}(?=[，。！]|$)|就不[^，。！？]{1,6}了(?=[，。！]|$)"
    r"|最后(?:还是|选|挑|定|买|租|留)|只好|(?:还是|照样)(?:留|走|买|选|租)着?|(?:^|[，,])只(?:换|收|开|招|留|买|印)(?!剩|见)"
    r"|(?:理事会|委员会|董事会|评委会?|裁判|法院|大会|教练|校方|公司|院里|上面|领导)[^，。]{0,6}(?:批|判|定|投|过|接受|否|选|同意|拒绝|驳回)(?:了|掉)"
    r"|(?:周|星期|礼拜)[一二三四五六日天](?:起|开始)[，,]|(?:以后|今后|往后|从此)[^，。]{0,6}不(?!会|知|能|想)"
    r"|(?:^|[，。；：])[^，。！？把被他她你不]{1,8}(?:放在|挪到|搬到|移到|改到|设在|安排在|办在|迁到)[^，。！？了着哪]{1,8}(?=[，。]|$)"
    r"|(?:^|[，。；：])[^，。！？把被他她你不哪]{2,6}放[^，。！？了着哪]{0,4}(?:楼上|楼下|里|外|边|家|室|馆|间|库)(?=[，。]|$)"
    r"|(?:^|[，。；：])[^，。！？把被他她你不]{2,6}(?:用[^，。！？了着]{1,6}(?:印|做|写|付|装|铺|盖|包)|[^，。！？了着]{1,6}(?:一点|一些|点儿)(?:放|摆|挂|停|种))(?=[，。]|$)"
    r"|(?:砍|停|拆|撤|退|砸|关|免|裁|推|否)掉了|(?:树|墙|楼|门|店|桥|课|线|棚)(?:砍|拆|撤|停|关)了(?=[，。！]|$)|(?:调|转|换)(?:去|到)[^，。！？]{1,4}(?:班|组|部|队|岗)"
    r"|(?:^|[，,])我(?:租|买|选|要|挑|订)(?:那|这|小|大|便宜|近|靠)[^，。！？吗]{1,6}(?=[，。]|$)|^行[，,](?!.{0,4}(?:看|谢|知道|明白|稍等|没问题|等))[^，。！？]{2,}"
    r"|先(?:签|租|买|试|停|交)[^，。！？了]{1,6}[，,][^，。！？]{0,6}再|(?:由于|鉴于|考虑到)[^，。]{2,20}[，,](?:就)?(?:买|租|选|用|坐|换|走)[^，。！？了着过]{1,6}(?=[，。]|$)"
    r"|不用(?:原来|以前|这|那)[^，。！？了]{1,8}(?=[，。]|$)|重(?:赛|来过?|做|选)(?=[，。！]|$)|[^，。！？我你他她]{1,8}(?:不动|不订了|不去了|不办了|不要了)(?=[，。！]|$)"
    r"|\b(?:dismissed|refused|rejected|granted|denied|hired|fired|elected|appointed|banned|awarded|resigned|withdrew|outlawed|voted)\b|\bi quit\b|\bnot (?:\w+ ){1,3}any ?more(?=[.,!]|$)"
    r"|驳回|录用|聘用|解雇|开除|辞掉|任命|没批|不批|反对(?=[^，。！？]{2,8}[。，])|就这么(?:说|讲|谈)定|(?:改|换)在|(?:租|卖|送|退|转|还|判|让|留)给(?!我看)[^，。！？了]{1,10}(?=[，。]|$)|从?(?:今|明)年起",
    re.I,
)
_SETTLED: Final = re.compile(
    # what people say in a talk where minutes would say "decided": English
    r"^(?:(?:fine|ok(?:ay)?|right|alright|so|well|then|good)[, ]+)*(?!(?:yes|no|here|there|so|yeah)\b)(?!.{0,40}\b(?:what|how|where|who|when|why|think|know|sure|way|like|as|if|because|that)\b)[\w':. -]{2,30}\bit is(?: then)?(?=[.!,;]|$)"
    r"|^(?:settled|sold|deal|agreed|done|decided|approved|confirmed|final)[:,.!] |\bfinal answer\b|\b(?:green light|go-ahead|thumbs up) (?:from|for|to)\b"
    r"|^(?:ok(?:ay)?|right|fine|alright|so)[, ]+(?:so |then )?(?:no|only|just) \w+(?! (?:problem|worries|idea|kidding|need|way|doubt|question))(?<!problem)(?<!worries)(?<!idea)"
    r"|^(?:ok(?:ay)?|right|fine|alright|good|so)[, ]+(?!(?:see|talk|until|bye|what|who|how|where|when|why|thanks?)\b)[\w', -]{2,40} then[.!]?$"
    r"|^(?:ok(?:ay)?|right|fine|alright|good|so|then)[, ]+(?:the|my|our|all|both) \w+ (?:\w+ )?(?:gets?|takes?|goes?|stays?|keeps?|moves?|starts?|pays?) "
    r"|\b(?:stick|sticking|stuck|stay|staying) with (?:the|our|my|it|what|this|that)\b|^(?:please )?(?:scrap|skip|drop|kill|ditch|bin|axe|shelve|cancel) (?:the|that|this|all|both|every)\b"
    r"|\b(?:said|told (?:\w+ ){1,3}|say) ?(?:yes|no)(?= to\b|[.,!;]|$)|\b(?:went|go|going|plumped) for (?:the|a|an|our) (?!(?:walk|run|swim|ride|drive|drink|coffee|beer|stroll|hike|jog|bit|while|moment|nap|meal|smoke|dip|spin|long|short|second|night|few)\b)\w+"
    r"|\b(?:we|they|i|she|he) (?:took|kept|bought|chose|went|stayed|left|rented|sold|hired|ordered|used|picked|got|did)\b.{2,50}\bin the end\b|\b(?:we|i|they|she|he)(?:'re| are|'ll| will| do)? (?:keep|stay|go|take|buy|sell|move|leave|not|come)\w* .{0,40}\bafter all\b"
    r"|\b(?:i'm|we're|i am|we are) (?:handing|giving|passing|leaving) (?:\w+ ){1,5}to \w|\bcount (?:me|us|him|her|them) (?:in|out)\b|\bplan (?:now |then )is (?:now )?to\b"
    r"|\b(?:i|we|they|she|he)(?:'ve| have| has) (?:just |already |now |finally |all )?(?:booked|ordered|signed|hired|reserved|bought|registered|enrolled|opted|chosen|picked|cancell?ed|quit|resigned|sold|rented|scheduled|arranged|settled)\b"
    r"|\b(?:gets?|keeps?|takes?) the (?:\w+ ){0,2}(?:contract|job|room|shift|house|slot|money|desk|keys|lead|deal|prize|budget|seat|role|tender|flat|boat|car|dog)\b"
    r"|\b(?:going to pass on|(?:i'll|we'll|i|we) pass(?: on|[.!]|$))|\b(?:the|a) vote came\b|\bshook on\b|\b(?:day|mon|tues|wednes|thurs|fri|satur|sun)\w*'s off(?=[,;.!]|$)"
    r"|\blet's (?!(?:see|hope|say|think|talk|face|wait|find|look|pretend|chat|discuss|eat|be|begin|not forget|just say|assume|imagine|make|live|create|explore|plan|continue|spread|get (?:together|to|back|going|started|some)|work|dance|party|celebrate|enjoy|rock|catch|keep (?:in|it up|going|up)|focus|aim|show|give|boogie|do (?:this|our))\b)\w+(?![^.?]*!)|\b(?:we|i|they) .{3,40}\binstead(?=[.!;]|$)"
    r"|(?:^|[,;:] )starting (?:tonight|today|tomorrow|now|next \w+|this (?:week|month|year|term|\w+day)|from|\w+day)\b|\b(?:i|we|they) (?:said|promised|told \w+) (?:i|we|they)'d\b(?! (?:never|have|be|like|love)\b)|\b(?:that's|so that is|which is) what (?:we|i)(?:'ll| will| are going to)? do\b"
    r"|\bwe(?:'re| are) (?:getting|having|doing|renting|painting|skipping) (?:the|a|an|it|that|this|no)\b(?! (?:lovely|great|good|nice|hard|bit|lot|little|cold|blast))"
    r"|\b(?:i'm|we're|i am|we are) (?:out|in)(?=[.!;,]|$)|\b(?:\w+day|noon|that|this|it|\d+(?:[:.]\d\d)?) works(?: for (?:me|us|everyone|all))?(?=[,.;]|$)|\bone wins\b"
    r"|\b(?:i|he|she|they)(?:'ll| will) (?:order|book|buy|sign|reserve|bring|pay|cancel|rent|hire|sell|drive|host|handle|organi[sz]e|cook)\b"
    r"|^(?:ok(?:ay)?|right|fine|alright|good|so|then|deal)[, ]+\w+ (?!(?:is|was|has|seems|looks|says|thinks|means|knows|wants)\b)\w+s (?:the|our|it|all)\b|\bwe(?:'re| are) not (?!(?:feeling|getting|being|saying|talking|kidding|expecting|going to (?:lie|make))\b)\w+ing\b"
    r"|\bi'm in for (?:the|a)\b|\bno (?:discussion|arguments?|debate|buts)(?=[.!]|$)|\bend of story\b|\bwould rather [^.?!]{2,40}, so\b|\bgo(?:ing)? ahead with\b|\btakes? over (?:the|my|our|his|her)\b|\bthat's (?:the rule|final|settled|that)(?=[.!]|$)"
    r"|\b(?:i|we|he|she|they)(?:'ll| will) (?:quit|resign|leave|move|start|stop|switch|keep|stay|retire|join|(?:have|get) (?:the|a|an) \w+ (?:on|in) (?:the|\w+day|[a-z]{3,9})\b)(?! (?:in touch|you|an eye|it in mind|fit|calm))|\b(?:stays|moves in|lives) with (?:us|me|them)\b(?= (?:over|until|till|for|from|in|next|this)\b)"
    # and Chinese
    r"|(?:^|[，,。；：]|那|那么|咱们?|我们?|[^，。！？他她它我你]{2,4})就(?:定|选|租|订|办|报|按|叫|交给|这么|这样|这[家间个套款条只台班位]|那[家间个套款条只台班位])[^，。！？呢吗]{0,12}(?=[，。！]|$)"
    r"|(?:^|[，,。；：]|那|那么|咱们?|我们?)就(?:用|走|坐|买|要(?!下|来|到|走|开|是|看)|去|住|吃|让|在)[^，。！？呢吗]{1,12}(?:吧|了|过|办|开|见|做)(?=[，。！]|$)|[^，。！？他她它我你]{2,4}就在[^，。！？]{1,5}(?:过|办|吃|开|见|做|搞)(?=[，。！]|$)"
    r"|(?:^|[，,；：]|那|我看|我们|咱们?|下来|去)还是(?:别|先|去|走|买|租|选|用|坐|留|吃|住|订|定|按|改|换|等|叫|请|让|要|在|不(?!行|错|好|会|知|懂|舒|太|够|对|能|敢|同|一|如|想|明|理|是|见))[^，。！？呢吗]{1,12}(?=[，。！]|$)"
    r"|(?:这次|下次|以后|今后|往后|今天|明天|这回|下回)(?:由)?[^，。！？]{1,4}来(?!了|不|得|过|的)[^，。！？了吗]{1,4}(?=[，。！]|$)|(?<![之了完那])以后[^，。！？]{1,4}(?:写|做|管|带|开|发|用|走|送|接|洗|买|交|审|记)(?=[^，。！？了过]{0,4}(?:[，。！]|$))"
    r"|由[^，。！？]{1,4}(?:带|做|管|接|写|来|主持|牵头|开|讲|领|送)(?=[，。！]|$)"
    r"|不(?:等|装|买|去|办|搬|接|订|租|换|卖|修|要|考|养|招|续|签|参加|回|干|请|留|拍|追)[^，。！？吗]{0,10}了(?=[，。！]|$)|(?:^|[，,：])(?:我们?|咱们?|咱家)?不(?:接|买|卖|签|办|租|搬|换|装|订|招|请|续)[^，。！？了吗]{1,8}(?=[，。！]|$)"
    r"|(?:两|三|几|全|都)[个样种]?都?要(?=[，。！]|$)|(?:票|房子?|车|酒店|座位|位子|场地|日子|时间|地方|地点|名字|合同|婚礼|方案|人选)(?:都|也|已经|终于|已)?(?:订|定|签|选|租|约)(?:好|下来?|完|妥)?了|定下来?了|拍了板"
    r"|(?:咱们?|我们|大家)(?:都|先|今晚|明天)?(?:走(?:这|那|高速|国道|[^，。！？]{1,3}[路道线]|[东西南北])|租|签(?!字|名|到)|订|报(?!告)|搬(?!家))[^，。！？了吗过着]{1,10}(?=[，。！]|$)|先(?:不|别)[^，。！？]{1,10}[，,][^，。！？]{0,8}再"
    r"|([刷铺放装挂种])[^，。！？]{1,5}[，,][^，。！？]{1,4}\1[^，。！？了着过]{1,6}(?=[，。！]|$)|(?<![修更])改(?:上|学|坐|走|吃|叫|去|喝|骑|穿|发|住|约)(?!了)[^，。！？]{1,8}(?=[，。！]|$)"
    r"|^[^，。！？我你他她]{1,4}(?:买|租|选|用|要|订|换|走|坐|挑)[^，。！？了着过吗是]{1,6}的(?=[，。！]|$)|(?:听|按|依|照)(?:你|他|她|您|大家|妈|爸)(?:的|说的)(?:办|来|做)?(?=[，。！]|$)"
    r"|从(?:下|这|本|今|明|后)(?:个)?(?:周|月|天|年|星期|学期|季度)[^，。！？]{0,3}(?:开始|起)[，,]?[^，。！？]{2,}|(?:去掉|删掉|拿掉|划掉|砍掉)[^，。！？了]{1,8}(?=[，。！]|$)"
    r"|^(?:那)?(?:行|好|成|可以)[，,](?!.{0,4}(?:看|谢|知道|明白|稍等|没问题|等|的|啊))(?:就|那|我们?|咱们?|周|星期|明|后|下|上午|下午|晚上|[\d一二三四五六七八九十])[^，。！？]{1,}|(?:商量|讨论|合计|研究)(?:过了|完了)[，,]|(?:领导|老板|主任|院长|校长|经理|[^，。]总)(?:说|讲|交代)了[，,]"
    r"|(?:^|[，,。；])[^，。！？]{1,5}(?:我|你|他|她|[老小阿][\u4e00-\u9fff])来(?:订|做|买|开|带|写|办|管|接|负责|出|付|洗|拿|弄|安排)(?!了|过)|最后[^，。！？]{0,3}(?:要|用|去|坐|走)了"
    r"|(?:用|选|要|买|穿|挂|印|留)[^，。！？了着过]{1,8}那[个款种间家套条张辆本只份](?=[，。！]|$)|各(?:出|付|拿|掏|买|带)[^，。！？了]{1,4}(?=[，。！]|$)|(?:谁也|谁都|大家都?|都)(?:别|不许|不准|不要)[^，。！？]{1,}"
    r"|(?:咱们?|我们)[^，。！？]{0,4}不(?!是|会|知|懂|能|敢|想|太|用|得|好|像|怎|一样|够|行|喜|习|认|熟|在|同|要|应|该|一|必|仅|但|断|妨|如|见|停|了|对|少|容|管)[^，。！？了吗]{2,8}(?=[，。！]|$)|按[^，。！？]{1,8}(?:走|办|来|算|报价?|做|付|结)(?=[，。！]|$)"
    r"|那就[^，。！？]{0,4}(?:[周明后早晚上下]|星期|点)[^，。！？吗呢]{1,8}(?=[，。！]|$)|下(?:个)?(?:学期|周|月|半年|季度|年)(?:起|开始)[^，。！？吗呢]{1,}|[我你他她]先[垫付出][^，。！？]{0,2}(?=[，。！]|$)|一人一半|对半(?:分|出)|平分(?=[，。！了]|$)"
    r"|(?:捐|传|交)给(?!我看|你看)[^，。！？了]{1,10}(?=[，。]|$)|改(?:线上|线下)|把[^，。！？]{1,6}(?:辞|退|停|注销|取消|推)(?:掉|了)|[定订]金(?:都|也|已经)?(?:交|付)了|不反悔"
    r"|(?:最终|到头来|末了|商量下来|讨论下来|想来想去)[，,]?[^，。！？]{0,4}(?:用|选|买|挑|定|租|去|坐|叫|签|走|留|订|给|搬|改|换)",
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
_AGREED: Final = re.compile(
    # how a decision came about: a vote, an argument that somebody won, what is taken and what is not
    r"\b(?:no (?:objections?|one objected)|nobody (?:objected|dared? (?:to )?object|was against|disagreed)|unanimous\w{0,2}|outvoted|(?:lost|won|settled) the (?:argument|vote|debate|toss)"
    r"|(?:handed|gave|given) in (?:my|our|his|her|their) notice|put (?:my|our|his|her|their) foot down|had the last word|everyone (?:agreed|signed off))\b"
    r"|\b(?:i|we|they|he|she)(?:'ve| have| has) (?:just |already |now |finally |both |all )?(?:accepted|declined|refused|rejected)\b"
    r"|\b(?:will|'ll|shall) (?:be )?[^.?!]{3,50}\b(?:rather than|instead of)\b|[,;] (?!yes|no|here|there|so)[\w' -]{3,24} it is(?: then)?(?=[.!,;]|$)"
    r"|(?:没人|无人|没有人|谁也没|都没|没谁)(?:反对|异议|意见|有意见)|没有?异议|全票|一致(?:同意|通过|认为要)|投(?:完|了)票|少数服从多数|争不过|说(?:不|没)过(?=[我他她])|结果(?:出来|定|下来)了",
    re.I,
)
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
    r"\b(?:because(?: of)?|since(?! (?:we|i|you|our) last\b)(?= (?:the|we|it|they|our|its|that|this|there|he|she|i|nobody|everyone|no|most|all)\b)|so that|in order (?:to|that)|due to|owing to|thanks to|the reason (?:is|was|being)(?: that)?|as it|given that|the reason\b[^.?!]{2,60}? is (?:that|because)|for (?:a|one|the) (?:\w+ )?reason:|what with|there being|which is down to|comes? down to|for the sake of|so(?= (?:i|we|he|she|they|it|the \w+|people|nobody|everyone) (?:can|could)\b(?!'t|n't| not))|(?<=[a-z] )as(?= (?:he|she|it|they|we|i|there)(?:'s|'re| is| are| was| were| has| have| had)\b)|(?<!ever )since(?= (?:half|my|your|his|her|some|many|both|these|those|all|none)\b[^.,?!]{3,})|otherwise|or else|on account of|seeing (?:as|that)|now that|in view of|in light of|in case|lest|for fear (?:of|that)|that's why)\b|因为|由于|鉴于|原因是|理由是|为了|以便|以防|以免|生怕|免得|省得|否则|不然|毕竟|考虑到|既然|主要是|之所以|图的(?:就)?是|图个|为的(?:就)?是|无非(?:就)?是|原因(?:很简单|在于|也简单)|(?:根子|根源|症结|问题|毛病)(?:就)?(?:在于|出在)|(?:就是)?看中|冲着|出于|源于|起因(?:是|在)|归根结底|说到底|还不是(?:因为|怕|想)?|怪就怪|多亏|(?<=[，])据说是|(?:(?<=[，,])|^)是?(?=(?:怕|嫌|担心)[^，。]{2})",
    re.I,
)
_CLAUSE_END: Final = re.compile(
    r"[.;。；！？!?\n]|，(?=所以|因此|于是|我们(?:决定|就)|就|才)|, (?=so|we|therefore|and (?:we|so|the)|but)\b|$"
)
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
    for start, end in _sentences(turn):
        found += _clauses(turn, start, end)
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
    return any(
        fact.kind == "decision"
        for start, end in _sentences(turn)
        for fact in _clauses(turn, start, end)
    )


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


def _clauses(text: str, start: int, end: int) -> Iterator[Fact]:
    sentence = _wide(text[start:end])
    if _ASKS.search(sentence):
        if not _COURTESY.search(sentence):
            yield Fact("question", *_trimmed(text, start, end))
        return
    reason = _REASON.search(sentence)
    if reason is not None:
        stop = _CLAUSE_END.search(sentence, reason.end())
        close = stop.start() if stop else len(sentence)
        opening = reason.start() if _NEGATING.match(reason[0]) else reason.end()
        if close - opening >= 2:
            yield Fact("reason", *_bare(text, start + opening, start + close))
    decided, above = _settled(sentence)
    if above > 0:
        # The clause without its reason; a reason that comes first leaves what follows it.
        if reason is not None and (decided is None or reason.start() <= decided.start()):
            stop = _CLAUSE_END.search(sentence, reason.end())
            first = _COMMA.search(sentence, reason.end())
            begin = first.end() if first else stop.end() if stop else 0
            # Without a pattern, the longer of what stands before the reason and behind it.
            behind = (
                len(sentence) - begin > reason.start() if decided is None else begin < decided.end()
            )
            if behind and begin < len(sentence):
                yield Fact("decision", *_bare(text, start + begin, end))
                return
        last = start + reason.start() if reason is not None and reason.start() else end
        yield Fact("decision", *_bare(text, start, last))


def _settled(sentence: str) -> tuple[re.Match[str] | None, int]:
    """The first pattern of a decision that a sentence meets, and by how much all its words are above
    what settles something."""
    met = {name: found for name, p in _DECISIONS.items() if (found := p.search(sentence))}
    above = surplus(sentence, met)
    if above > 0 and any(p.search(sentence) for p in _NO_DECISIONS):
        above = surplus(sentence, (*met, "unreal pattern"))
    return next(iter(met.values()), None), above


def _explanations(text: str, known: Sequence[Fact]) -> Iterator[Fact]:
    """Clauses that give a reason without a word for one. known: the other facts of the text."""
    said = [(fact.start, fact.end) for fact in known if fact.kind in ("reason", "question")]
    decided = [(fact.start, fact.end) for fact in known if fact.kind == "decision"]
    told = clauses(text)
    settled = [
        Settled(surplus(text[clause.start : clause.end], ()), _overlaps(clause, decided))
        if clause.end - clause.start <= LONGEST_CLAUSE
        else None
        for clause in told
    ]
    for place, (one, other) in enumerate(pairwise(settled)):
        if one is None or other is None:
            continue
        which = explains(between(text, told, place, (one, other)))
        if which is None:
            continue
        clause = told[place + (which == "second")]
        if not _overlaps(clause, said):
            said.append((clause.start, clause.end))
            yield Fact("reason", *_bare(text, clause.start, clause.end))


def _overlaps(clause: Clause, spans: Sequence[tuple[int, int]]) -> bool:
    return any(clause.start < end and start < clause.end for start, end in spans)


_DECISIONS: Final = {"decided": _DECIDED, "ruled": _RULED, "talked": _SETTLED, "agreed": _AGREED}
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
