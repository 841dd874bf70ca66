# ruff: noqa: E501 (a pattern is read best in one line)
"""Sentences that claim nothing: questions, guesses, what is over, what is told of elsewhere; and signs of a change."""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.text.gates import Gated
from graphmem_worker.text.patterns import late

ASKS: Final = late(
    r"[?？]\s*[\"'”’)）]*\s*$|(?:吗|呢|么)[。！~\s]*$|是不是|要不要|有没有|^\s*(?:did|do|does|is|are|was|were|should|could|would|can|what|when|where|who|which|how|why)\b(?![^?]{0,200}\.\s*$)",
    re.I,
)

GUESSED: Final = Gated(
    r"\b(?:maybe|perhaps|might|may(?= (?:be|have|move|switch|become))|could|should (?:we|i)|would|if|unless|possibly|probably|considering|thinking (?:of|about)|wonder\w{0,3}|wish|hope to|hoping|plan to|plans to|planning|want to|wants to|suppose|suggest\w{0,4}|propos\w{1,3}|recommend\w{0,4}|dream\w{0,3}|imagine|pretend)\b"
    r"|也许|可能|大概|或许|要不要|该不该|考虑|建议|如果|要是|假如|打算|计划|不确定|不知道|想(?:要|去|把|换|挪|搬|改|用|试)|希望|万一|该换|好像|似乎|听说|据说",
    "maybe perhaps might may_ could should_ would if unless possibly probably considering thinking_ wonder wish hope_to hoping plan want_to wants_to suppose suggest propos recommend dream imagine pretend",
    in_any_script=True,
)

OVER: Final = Gated(
    r"\b(?:used to|formerly|previously|back then|back in|in the past|at the time|once (?:lived|worked|used)|originally|had been|in (?:19|20)\d\d|as a (?:kid|child)|growing up|until (?:last|19|20))\b"
    r"|以前|曾经|从前|之前(?!的)|当时|那时候?|原来|小时候|本来|去年是|上学时",
    "used_to formerly previously back_then back_in in_the_past at_the_time once_ originally had_been in_19 in_20 as_a_ growing_up until_",
    in_any_script=True,
)

AGO: Final = Gated(
    r"\b(?:(?:years|months|weeks|days) ago|last (?:week|month|year|spring|summer|autumn|fall|winter|night))\b|去年|上个月|上周",
    "_ago last_",
    in_any_script=True,
)

ELSEWHERE: Final = Gated(
    r"\b(?:came out|come out|was released|were released|got released|dropped support|release notes|changelog|blog ?posts?|wrote (?:a|an|about)|read (?:a|an|about)|tutorial|talk about|a talk on|the docs of|fixed a bug|is vulnerable|end of life)\b"
    r"|去年出|新出|出到|发布了新|上周发布|刚发布|[\d.]\s?.{0,6}发布了?[。！]?$|新版|写过|文章|看了一篇|教程|出的[。！]?$|更新日志",
    "came_out come_out released dropped_support release_notes changelog blog wrote_a read_a tutorial talk_about a_talk_on the_docs_of fixed_a_bug vulnerable end_of_life",
    in_any_script=True,
)

EVENT: Final = Gated(
    r"\b(?:yesterday|today|tonight|this (?:morning|week|afternoon|evening)|below|above|exceed\w{0,3}|measured|reads?|just (?:now|got|bought|saw)|last night|earlier|on the way|ago)\b|今天|今早|昨天|昨晚|刚才|刚刚|这周|上周|外面|低于|高于|超过|实测|读数",
    "yesterday today tonight this_ below above exceed measured read just_ last_night earlier on_the_way ago",
    in_any_script=True,
)

HAPPENED: Final = late(
    r"^(?:(?:and|but|so|well|then),? )?(?:i|we|he|she|they|[A-Z][a-z]{1,14}) (?:also |then |just |even |only |finally |both )?(?:ran|walked|drove|ate|bought|spent|saw|met|did|made|went|had|cycled|swam|hiked|read|watched|slept|paid|flew|played|visited|finished|won|lost|found|received|sold|cooked|called|wrote|talked|spoke|left for|came|arrived|started (?:on|in)|painted|planted|baked|raised|collected|scored)\b"
    r"|(?:见过?面|见了|跑了|走了|吃了|买了|花了|去了|看了|读了|写了|(?<![改换搬调升推移挪提涨降])到了|来了|做了|打了|卖了|睡了|玩了)(?!.{0,8}(?:现在|以后))",
    re.I,
)

WAS: Final = late(
    r"^(?:the |our |my |an? )?[\w -]{2,30}? (?:was|were) (?!(?:agreed|signed|set|fixed|booked|approved|scheduled)\b)",
    re.I,
)

CHANGED: Final = Gated(
    r"\b(?:now|nowadays|these days|no longer|not any ?more|any ?more|moved|switch\w{0,3}|chang\w{1,3}|instead|replaced|upgraded|bumped|left|took over|takes over|handed|since|lowered|raised|reduced|increased|cut to|went up|went down|dropped to|from now on|from \w{1,12} on|new|again|already|postponed|delayed|slipped|reopened|rescheduled|pushed|brought forward|is back|quit|gave up|stopped|became|got|finally|shortened|extended|flashed|rolled out|renamed|updated|grew|grown|settled|limited to|instead)\b"
    r"|换成|换到|换了|挪到|推到|顺延|砍到|刷成|装上|切到|改去|涨|统一|改成|改到|改用|改为|改喝|改吃|改由|升到|升级|提到|调到|搬到|搬去|搬家|推迟|提前|往后|降到|减到|增到|涨到|现在|如今|目前|以后|不再|不做|戒了|戒掉|不续|迁到|谈下来|新的?|又|已经|交给|接手|跳槽|转到|缩短|延长|了[。！]?$",
    "now these_days no_longer any_more anymore move switch chang instead replaced upgraded bumped left took_over takes_over handed since lowered raised reduced increased cut_to went_ dropped_to from_ new again already postponed delayed slipped reopened rescheduled pushed brought_forward is_back quit gave_up stopped became got finally shortened extended flashed rolled_out renamed updated grew grown settled limited_to",
    in_any_script=True,
)

STILL: Final = late(
    r"\b(?:since last|since then|now|no longer|these days|anymore)\b|现在|如今|开始", re.I
)
