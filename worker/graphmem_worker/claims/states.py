# ruff: noqa: E501 (a pattern is read best in one line)
"""States of people and things: residence, work, owner, dose, role, taste, what replaced what."""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.claims.numbers import NUMERAL_PATTERN, WORDED
from graphmem_worker.text.gates import Gated
from graphmem_worker.text.patterns import late

RESIDENCE: Final = Gated(
    r"\b(?:lives?|living|resides?|home is|based|settled|stays? permanently) (?:now |currently |mostly |back )?(?:in|at|on) (?:the )?((?:[A-Z][\w'-]{1,20})(?: [A-Z][\w'-]{1,20}){0,2})"
    r"|\b(?:moved|relocated|moving|moves) (?:back |house |away |again )?(?:from [A-Z][\w'-]{1,20}(?: [A-Z][\w'-]{1,20})? )?(?:to|into) (?:the )?((?:[A-Z][\w'-]{1,20})(?: [A-Z][\w'-]{1,20}){0,2})"
    r"|(?:住在?(?!院)|搬到|搬去|搬回|搬来|定居在?|家在|现居)了?([\u4e00-\u9fff]{2,6}?)(?=[了。，！,.\s]|$|的|住|附近|已经|这边|那边)",
    "live living reside home_is based settled stay moved relocated moving moves",
    0,
    in_any_script=True,
)

PLACE: Final = late(
    r"^(?:the|our|my|their) [\w -]{2,30}? (?:is|are|was moved|moved|has moved|is now|sits|will be) (?:now |still |located |held |kept |stored )?(?:in|at|to|on) (?:the )?([A-Z][\w'-]{1,20}(?: [A-Z][\w'-]{1,20})?)(?=[.,;!]|$| now| since)"
    r"|^[\u4e00-\u9fff]{2,5}?(?:现在|已经|还)?(?:在|搬到了?|搬去了?|迁到了?|挪到了?|设在|放在)([\u4e00-\u9fff]{2,5}?)(?=[了。，！]|$)",
    re.I,
)

NOWHERE: Final = late(
    r"^[睡写做看修喝吃忙等开玩读画洗打跑学说找想用买弄听聊练查改算哭笑]|[里上下中内边]$|文件|附件|手里|路上|一起|这儿|那儿|楼"
)

EMPLOYER: Final = Gated(
    r"\b(?:works?|working|employed) (?:now |currently |full[- ]time )?(?:at|for) (?:the )?((?:[A-Z][\w&'-]{1,20})(?: [A-Z][\w&'-]{1,20}){0,2})"
    r"|\b(?:joined|joins|started at|moved to|hired by|has a (?:new )?job at|took a job at) (?:the )?([A-Z][\w&'-]{1,20}(?: [A-Z][\w&'-]{1,20}){0,2})(?= (?:as|in|this|last|on)\b|[.,!]|$)"
    r"|(?:(?<![现正实])在|去了|跳槽到了?|跳槽去了?|入职了?|加入了?)([\u4e00-\u9fffA-Za-z]{2,8}?)(?:上班|工作|任职|就职|当|做(?:工程师|设计|运营|产品|销售|老师|研发)|[了。，]|$)",
    "work employed join started_at moved_to hired_by has_a_ took_a_job",
    0,
    in_any_script=True,
)

HIRED: Final = late(
    r"works?|employed|job|joined|joins|started at|hired|上班|工作|任职|就职|跳槽|入职|加入|当|做"
)

ANY_PLACE: Final = late("当前|现在|目前|这|那|一[家个些间]|某|其他|别的|公司|单位|家里|行业|学校")

TEAM: Final = Gated(
    r"在([\u4e00-\u9fff]{2,5}(?:组|部门?|团队))|(?:调到|转到|转去|调去|换到|加入)了?([\u4e00-\u9fff]{2,5}(?:组|部门?|团队))|\b(?:is|works|moved|switched|transferred|now) (?:on|in|to|with) the ((?:[\w-]{2,16} ){1,2})team\b",
    "team",
    in_any_script=True,
)

JOB: Final = Gated(
    r"\b(?:i am|i'm|he is|she is|is|works as|became|now|working as|started as|promoted to) (?:now |currently )?(?:a |an |the |our )?((?:senior |junior |lead |chief |head |staff |principal )?(?:[a-z]{3,14} ){0,2}(?:engineer|developer|designer|teacher|nurse|doctor|manager|director|analyst|architect|student|lawyer|accountant|chef|driver|journalist|editor|barista|electrician|plumber|consultant|researcher|professor|scientist|founder|ceo|cto|coordinator|technician|pharmacist|freelancer|carpenter|baker|pilot|officer|librarian|therapist|veterinarian|salesperson|assistant|intern))\b"
    r"|(?:是|当|做|升|转(?:岗)?(?:成|做)?|当上)了?(?:一名|个|一个)?([\u4e00-\u9fff]{0,4}(?:工程师|程序员|设计师|老师|教师|护士|医生|经理|总监|律师|会计|厨师|司机|记者|编辑|架构师|研究员|教授|产品经理|组长|主管|店长|销售|运营|学生|实习生|自由职业))",
    "i_am i'm he_is she_is is_ works_as became now working_as started_as promoted_to",
    in_any_script=True,
)

OWNER: Final = Gated(
    r"\b([A-Z][a-zé'-]{1,20}) (?:now |currently )?(?:is responsible for|is in charge of|took over|takes over|takes care of|owns|leads|runs|maintains|manages|handles|looks after|is the owner of|reviews|is on(?= (?:call|duty)\b)|coordinates) (?:the |our )?([\w-]{2,20}(?: [\w-]{2,20}){0,2}?)(?=[.,;!]|$| from| since| now| until| these| instead| again| for| and| in| this| as)"
    r"|\b(?:[Tt]he |[Oo]ur )((?:[\w-]{2,20} ){1,3}?)(?:is |are )?(?:now )?(?:owned by|led by|run by|maintained by|managed by|handled by|reviewed by|belongs to|falls to|goes to|is with|was handed (?:over )?to|passed to|assigned to) ([A-Z][a-zé'-]{1,20})"
    r"|\b([A-Z][a-zé'-]{1,20}) (?:handed|passed|gave) (?:the |over the )?((?:[\w-]{2,20} ){1,3}?)(?:over )?to ([A-Z][a-zé'-]{1,20})"
    r"|\b([A-Z][a-zé'-]{1,20}) is (?:now )?(?:the |our )((?:[a-z-]{2,20} ){0,2}(?:lead|owner|maintainer|contact|manager|reviewer|coordinator|treasurer|chair|captain|on-call))\b(?! (?:of|for)\b)"
    r"|\b([A-Z][a-zé'-]{1,20}) is (?:now )?(?:the |our )(?:lead|owner|maintainer|contact|manager|reviewer|coordinator|head) (?:of|for) (?:the |our )?((?:[\w-]{2,20} ?){1,3}?)(?=[.,;!]|$| now)"
    r"|\b(?:[Tt]he |[Oo]ur )((?:[a-z-]{2,20} ){0,2}(?:lead|owner|maintainer|contact|manager|reviewer|coordinator|treasurer|chair|captain)) is (?:now )?([A-Z][a-zé'-]{1,20})",
    "responsible in_charge took_over takes_over takes_care owns lead runs maintain manage handle looks_after owner reviews is_on coordinat owned_by led_by run_by reviewed_by belongs falls_to goes_to is_with passed assigned gave contact reviewer treasurer chair captain on-call head",
    0,
)

HAN_OWNER: Final = Gated(
    r"(?:^|[，。；])([\u4e00-\u9fff]{2,3}?)(?:现在|已经|还|也|都|一直|目前)?(?:负责|主管|主导|牵头|接手|管着?|维护|盯着?|审)了?([\u4e00-\u9fffA-Za-z]{2,10}?)(?=[了。，！]|$|的工作|这块|这边|那块)"
    r"|([\u4e00-\u9fffA-Za-z]{2,10}?)(?:现在|已经|以后|改)?(?:由|归|交给|转给|移交给|改由)了?([\u4e00-\u9fff]{2,3}?)(?:负责|管|接手|牵头|维护|主管|审|来做|处理|了|[。，]|$)"
    r"|([\u4e00-\u9fffA-Za-z]{2,8}?)(?:的)?(?:负责人|接口人|联系人|值班人?|组长|主管)(?:现在)?(?:是|换成了?|改成了?|变成了?)([\u4e00-\u9fff]{2,3}?)(?=[了。，！]|$)",
    "负责 主管 主导 牵头 接手 管 维护 盯 审 由 归 交给 转给 联系人 接口人 值班 组长",
    0,
)

CALLED: Final = Gated(
    r"\b(?:is called|is named|name is|named|call me|goes by) ([A-Z][\w'-]{1,20})|(?:名字?叫|(?<![，,、])叫做?|改名叫?|取名)(?!我)([\u4e00-\u9fffA-Z][\u4e00-\u9fff\w]{0,3}?)(?=[，。！了]|$|就行)",
    "called named name_is call_me goes_by 叫 改名 取名",
    0,
)

BORN: Final = late(r"birthday|生日|born on")

AGE: Final = Gated(
    r"\b(?:is|am|are|'m|turned|turns) (?:now |already |only )?(\d{1,2}|"
    + WORDED
    + r")(?: years old)?(?=[.,!]| (?:now|today|this|years|next|last)|$)|(\d{1,3}|[一二三四五六七八九十两百]{1,4})岁",
    "0 1 2 3 4 5 6 7 8 9 twenty thirty forty fifty sixty seventy eighty ninety zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen 岁",
)

FAVOURITE: Final = Gated(
    r"\bfavou?rite ([a-z]{2,16}(?: [a-z]{2,16})?) (?:is|has always been|has become|became|would be|are|was) (?:now |still |definitely |probably )?(?:the )?([\w' -]{2,40}?)(?=[.,;!]|$| now| because| these| since| and)|最(?:喜欢|爱)的([\u4e00-\u9fff]{1,6}?)(?:现在)?(?:是|变成了?|换成了?)([\u4e00-\u9fffA-Za-z0-9《》]{1,12}?)(?=[了。，！]|$)",
    "favo 最喜欢的 最爱的",
)

DOSE: Final = Gated(
    rf"\b(?:takes?|taking|on|dose (?:of|is)|prescribed|dosage)\b[^.]{{0,30}}?({NUMERAL_PATTERN})\s?(mg|milligrams?|ml|tablets?|pills?|units?|mcg|µg)(?: (?:of )?([a-z]{{4,20}}))?|([\u4e00-\u9fff]{{2,6}})?(?:每天|每日|每晚|一天|早晚)?(?:各)?(?:吃|服用?|打)([零一二两三四五六七八九十半\d.]{{1,5}})(片|粒|毫克|毫升|颗|单位|mg)",
    "mg milligram ml tablet pill unit mcg µg μg 片 粒 毫克 毫升 颗 单位",
)

ROLE: Final = late(
    r"\b(?:[Oo]ur|[Tt]he|[Mm]y) ((?:[a-z-]{2,16} ){0,2}[a-z-]{3,16}) (?:is|stays|remains|is now|will be|has moved to|moved to|switched to|changed to|became) (?:now |still |currently )?((?:[A-Z]|(?=[a-z]{1,20}\d))[\w.+#-]{0,23}[\w+#](?: [A-Z][\w.+#-]{0,20}[\w+#])?)(?=[.,;!]|$| now| since| again| instead| these| for)"
)

VERBED: Final = late(
    r"\b(?:[Ww]e|[Ii]|[Tt]he (?:team|project|app|backend|frontend|site|service)|[A-Z][a-z]{1,20}) (?:now |always |still |only |mostly )?(format|lint|test|build|deploy|host|monitor|log|chat|bundle|package|write|render|store|cache|search|edit|draw|design|track|plan|bill|invoice|pay|ship|bank|shop|train|study|draft|meet|commute|sleep|invoice)(?:s|es)? (?:it |them |everything |our [a-z]{2,14} |the [a-z]{2,14} |code )?(?:with|on|in|to|using|via|at|by) (?:the )?([A-Z][\w.+#-]{0,23}[\w+#](?: [A-Z][\w.+#-]{0,20}[\w+#])?)"
)

HAN_ROLE: Final = Gated(
    r"(?<![\u4e00-\u9fff])(?!我|你|他|她|大家|咱|他们|用)([\u4e00-\u9fff]{2,6}?)(?:现在|一直|统一|都|已经|全部?|只|改|还)?(?:用的?是?|是用|是|改用|换成|换到|跑在|放在|迁到|托管在)了?\s?([A-Za-z][\w.+#-]{1,24}(?: [A-Z][\w.+#-]{1,20})?)",
    "用 是 换 跑在 放在 迁到 托管在",
    0,
)

REPLACED: Final = Gated(
    r"\b(?:replaced|swapped|dropped|ditched|abandoned) (?:the |our |my )?([A-Za-z][\w.+#-]{1,24}) (?:with|for|by|in favou?r of) (?:the )?([A-Za-z][\w.+#-]{1,24})"
    r"|\b(?:from) ([A-Za-z][\w.+#-]{1,24}) (?:over )?to ([A-Za-z][\w.+#-]{1,24})|\b(?!(?:We|I|They|He|She|You|It|The|Our)\b)([A-Z][\w.+#-]{1,24}) (?:instead of|rather than|replaces|replaced|over|took over from) ([A-Z][\w.+#-]{1,24})"
    r"|([A-Z][\w.+#-]{1,24}),? not ([A-Z][\w.+#-]{1,24})"
    r"|从\s?([A-Za-z\u4e00-\u9fff][\w.+#-]{1,12}?)\s?(?:迁到|换成|换到|改成|转到|切到|迁移到|改用|搬到|切换到)了?\s?([A-Za-z\u4e00-\u9fff][\w.+#-]{1,16}?)(?=[了。，！\s]|$)"
    r"|(?:不用|不做|弃用|放弃|去掉|告别)了?\s?([A-Za-z\u4e00-\u9fff][\w.+#-]{0,16}?)了?[，,]\s?(?:改用|改做|换成|改|换|用)了?\s?([A-Za-z\u4e00-\u9fff][\w.+#-]{1,16}?)(?=[了。，！\s]|$)"
    r"|把\s?([A-Za-z][\w.+#-]{1,16})\s?(?:换成|改成|替换成|替换为|迁到)了?\s?([A-Za-z][\w.+#-]{1,16})",
    "replace swapped dropped ditched abandoned from_ instead_of rather_than _over_ _not_ 从 不用 不做 弃用 放弃 去掉 告别 把",
    0,
)

TASTE: Final = Gated(
    r"\b(?:really |absolutely |now |also |actually |just )?(likes?|loves?|enjoys?|adores?|hates?|dislikes?|can't stand|cannot stand|doesn't like|don't like|no longer likes?|is allergic to|loathes?|detests?|doesn't eat|don't eat|never eats?|eats|is fond of|is into|won't touch|won't eat|avoids|never touches|craves|is mad about) (?:eating |drinking |the |to eat |any )?([a-z][a-z-]{2,20}(?: [a-z-]{3,20})?)(?=[.,;!]|$| now| again| since| very| so| but| because| these| any)"
    r"|(不吃|不喝|不碰|不爱吃?|讨厌吃?|不喜欢吃?|受不了|最?爱吃|最?爱喝|就好一口|就爱|特别爱|喜欢吃|喜欢喝|能吃|戒了|又吃|开始吃|开始喝|迷上了?|吃不惯|最讨厌)了?([\u4e00-\u9fff]{1,5}?)(?=[了。，！的]|$)"
    r"|(?:说|，|^)([\u4e00-\u9fff]{1,4}?)(?:他|她|我)?(?:现在)?(最爱吃|最爱|最讨厌|也吃了|能吃了|不吃了|戒了|吃得惯了)(?=[了。，！]|$)",
    "like love enjoy adore hate stand allergic loathe detest eat fond_of is_into touch avoid crave mad_about",
    in_any_script=True,
)

DISLIKES: Final = late(
    r"hate|dislike|avoid|stand|n't|no longer|allergic|loath|detest|never|不|讨厌|受不了|戒"
)
