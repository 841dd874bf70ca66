# ruff: noqa: E501 (a pattern is read best in one line)
"""Sentences that protect somebody or bind somebody, and the day until which one binds.

Protective: an allergy or intolerance, an illness that others must know of, a medicine or dose, a
danger and how to avoid it. Binding: a promise, a deadline, a price, a decision, an appointment, a
new address or number. Rules for English and Chinese by words and by the words around them; of a
sentence the first `LONGEST` characters are read, with bounded gaps, so the time is linear.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, Literal

from graphmem_worker.text.bonds import bonds
from graphmem_worker.text.harm import harms
from graphmem_worker.text.patterns import ByScript, late, lower
from graphmem_worker.text.perils import weighed

Protection = Literal["protective", "binding"]

LONGEST: Final = 600
"""Characters of a sentence that are looked at."""


# --- what only looks like it -----------------------------------------------------------------------

_FICTION: Final = ByScript(
    r"\b(?:films?|movies?|novels?|songs?|albums?|episodes?|series|sitcom|thriller|video ?games?|board ?games?|characters?|villain|plot|chapter|documentary|podcast|poems?|comics?|anime|the band|lyrics|trailer|season \d|netflix|theat(?:re|er)|musical|murder mystery|crossword|quiz|trivia|museum|exhibition)\b",
    "电影|小说|电视剧|剧集|剧情|这首歌|歌词|专辑|动漫|漫画|游戏里|纪录片|主角|反派|这一集|第.{1,3}集|悬疑|侦探|话剧|课本剧|台词|乐队|展览|博物馆|播客",
)
_FIGURE: Final = ByScript(
    r"\b(?:kill(?:ed|s)? for|to die for|dying (?:to|for)|killing (?:me|it|time)|dressed to kill|dead (?:tired|on|set)|drop[- ]dead|allerg(?:ic|y) to (?:\w+ ){0,2}(?:meetings?|work|mornings?|mondays?|paperwork|spreadsheets?|deadlines?|effort|small talk|exercise|emails?|slides|powerpoint|nonsense|commitment|bureaucracy|hype|drama|queues?|homework|housework|ironing|mess|gossip|jargon|politics|crowds?|romance|change)|toxic (?:relationship|people|person|boss|manager|culture|workplace|masculinity|positivity|ex)|poison(?:ed)? (?:chalice|pill|the well)|pick your poison|sugar[- ]?coat\w{0,3}|dangerously (?:good|delicious|close|cheap|addictive|cute)|dangerous(?:ly)? (?:idea|habit|game to|precedent|fun|question|territory|optimis\w+)|a shock to|heart attack (?:when|from|looking)|addict(?:ed|ive)? to|bitter pill|dose of (?:reality|luck|sunshine|humou?r|fresh)|taste of (?:her|his|my|your) own medicine|laughter is the best|best medicine|(?:is|was) fire\b|burn(?:ed|t)? (?:out|through|bridges)|bombed?|explosive (?:growth|news)|blood ?type personality)\b",
    r"\b(?:oxygen|insulin|seizures?|poison|venom|cancer|intensive care|bloodbath|epidemic) of (?!the (?:heart|lung|skin|brain))\b|\b(?:metaphor(?:ically)?|figuratively|so to speak|as (?:the man|they) sa(?:id|ys?)|like a (?:drug|disease))\b",
    r"\ballerg(?:ic|y) to (?:[\"“']|people|anyone|anybody|everyone|the (?:word|phrase|idea|sound)|being|bad|small|my (?:boss|job)|any \w+ before|\w+ing\b)",
    r"\b(?:so|too) (?:much|many) .{0,30}\b(?:weight|fat|calories|diet|figure)\b|\b(?:put(?:ting)?|puts) on weight\b",
    r"\b(?:lethal|deadly|dangerous|toxic|killer|hazard|fatal|explosive)\b.{0,30}\b(?:in the best way|delicious|second slice|yummy|tasty|charm|shipping|backhand|gorgeous|so good)\b",
    r"\bif (?:\w+ ){1,3}(?:was|were) (?:lethal|fatal|deadly)\b|\b(?:nearly|almost|practically) (?:died|killed (?:me|us)|choked)\b.{0,30}\b(?:laugh\w*|giggl\w+|embarrass\w+|boredom|cute)|\b(?:pun|joke|sketch|gag|jokes|meeting|workout|exam|deadline|heat|suspense|hill|climb)s?\b.{0,20}\b(?:nearly|almost|will|going to) (?:kill(?:ed|s)?|finished?) (?:me|us)\b|\blaugh\w*\b.{0,30}\b(?:nearly|almost) (?:died|choked)",
    "(?:截止|死线|项目|报告|论文|考试|作业|加班|会议|演讲|面试|房贷|账单)[^，。]{0,6}要了[^，。]{0,3}命|要命地?(?:好吃|可爱|困)|笑死|饿死|困死|累死|热死|气死|爱死|想死你|美得要命|毒舌|毒鸡汤|中毒太深|上瘾|对(?:开会|上班|早起|加班|数学|周一|考试|相亲|作业|家务|打卡|应酬|汇报|[Pp][Pp][Tt]|群消息|催婚|鸡汤).{0,4}过敏|有毒吧|太毒了|危险的(?:想法|乐子|游戏|念头|诱惑|爱好|美|边缘)|怕胖|长胖|减肥|发胖|怕上火|人太多.{0,8}喘不|压得.{0,6}喘不|精神食粮|后悔药|对症下药|良药苦口|灵丹妙药|药丸\\b|打鸡血|灯谜|谜语|成语|请勿投喂|对[“「《][^”」》]{1,12}[”」》].{0,4}过敏|(?:辣|好吃|香|美|帅|可爱|萌)得(?:致命|要命|有毒)|药到病除|团伙作案|八卦|缺氧的|像(?:着火|中毒|触电|过敏|失火)|笑(?:断气|到?岔气|晕)|急救员|救护车的声音",
)
_NOT_SO: Final = ByScript(
    r"\b(?:not|isn't|wasn't|aren't|never been|no longer|nobody (?:here |there )?is) (?:actually |at all |really )?(?:allergic|diabetic|asthmatic|poisonous|toxic|dangerous)\b",
    r"\b(?:nothing|isn't anything|not) (?:dangerous|to worry)\b",
    r"\b(?:no|any|hardly a) danger (?:to|of)\b|\bdanger to (?:nobody|no one)\b",
    "(?:没有?什么|并?不)(?:过敏|危险)(?!原)|没毒|无毒|不会过敏",
)
_REMARK: Final = late(r"[?？]\s*[\"'”’)）]*\s*$|吗[。！~\s]*$")

# --- protective ------------------------------------------------------------------------------------

_ILL: Final = ByScript(
    r"\b(?:allerg(?:y|ies|ic|ens?)|anaphyla\w{2,6}|epi-?pens?|intoleran(?:t|ce|ces)|c(?:o?e)liac|asthma|asthmatic|inhalers?|diabet(?:es|ic)|hypo(?:glycaemi|glycemi)\w{1,2}|insulin|epilep\w{2,4}|seizures?|ha?emophili\w{1,2}|pacemaker|blood thinners?|gout|lupus|thrombosis|aneurysm|anticoagulants?|immuno(?:compromised|suppress\w{2,6})|immune[- ]suppress\w{2,4}|g6pd|favism|phenylketonuria|pku|sickle[- ]cell|heart (?:condition|failure|murmur|valve|disease)|kidney (?:failure|disease)|transplant(?:ed)?|high[- ]risk pregnancy|pre-?eclampsia|blood (?:type|group) (?:is )?(?:a|b|ab|o)\b|do not resuscitate|faints? (?:at|when|if)|passes out|night terrors|sleepwalks|self[- ]harm|suicid(?:e|al)|relapse|sober|recovering alcoholic|(?:[ck]an't (?:have|digest|tolerate|do|take) |no |without |free of |allerg\w+ to |reacts? to )lactose|lactose[- ]intoleran\w+|(?:is|am|i'm) lactose(?![- ]free)|latex (?:gloves?|allergy|gives?|makes?)|(?:needs?|must be|has to be|only|strictly|eats?) (?:\w+ )?gluten[- ]free|anaesthe(?:sia|tic)s?|anesthe(?:sia|tic)s?|swell(?:s|ed)? up|throat (?:closes|closed|swells|swelled)|breaks? out in hives|hives|convulsions?|febrile|botulism|salmonella|listeria|sepsis|lead poisoning|(?:in|if) (?:an? )?(?:emergency|anything happens).{0,20}(?:reach|call|ring|phone|contact|tell|text)|prolapsed?|stent|shunt|implant(?:ed)?)\b",
    "过敏|不耐受|乳糖不耐|惊厥|肉毒|破伤风|败血症|脑膜炎|人工(?:关节|瓣膜)|引流管|哮喘|糖尿病|低血糖|胰岛素|癫痫|羊癫疯|血友病|起搏器|蚕豆病|高血压|心脏病|心梗|冠心病|支架|搭桥|肾衰|肾病|透析|肝硬化|免疫抑制|化疗|移植|抗凝|乳糜泻|苯丙酮尿|白血病|孕妇|怀孕.{0,12}(?:不能|别|忌|禁)|晕厥|晕倒|休克|痛风|皮试.{0,4}(?:阳性|没过|不过|起)|喘不(?:上|过)气|呼吸困难|起疹子|荨麻疹|血型是|熊猫血|梦游|自残|轻生|戒酒|色盲|夜盲|幽闭恐惧",
)
_DRUG: Final = (
    r"(?:\w{2,14}(?:cillin|pril|olol|statin|azole|mycin|sartan|prazole|oxetine|azepam|zolam|formin|floxacin|cycline|profen|triptan|dipine|parin|gliptin|lukast|terol|sone|solone)"
    r"|paracetamol|acetaminophen|aspirin|warfarin|lithium|digoxin|morphine|codeine|tramadol|opioids?|steroids?|antibiotics?|antidepressants?|antihistamines?|beta[- ]blockers?|methotrexate|levothyroxine|thyroxine|ventolin|sertraline|xanax|valium|ritalin|melatonin|vaccin\w{1,6}|chemo(?:therapy)?|nsaids?|contraceptives?|eye drops|painkillers?|sedatives?|sleeping (?:pills?|tablets?)|medication|medicines?|meds|tablets?|pills?|capsules?|prescriptions?)"
)
_MEDICINE: Final = ByScript(
    rf"\b(?:takes?|taking|took|on|off|prescribed|needs?|gets?|give|gives|given|mix|with|without|stop(?:ped)?|start(?:ed)?|swallow|inject|refill|misses|skip|dose of|doses of)\b.{{0,30}}\b{_DRUG}\b.{{0,60}}\b(?:daily|day|twice|once|every|morning|evening|night|bedtime|hours?|week(?:ly)?|food|meals?|empty stomach|alcohol|mg|milligrams?|never|not|until|doctor|blood|heart|thyroid|pressure|pain|half|double)\b",
    rf"\b(?:never|don't|do not|must not|mustn't|can't|cannot|no|not|avoid|daily|every|twice|half|one|two|three|\d+)\b.{{0,40}}\b{_DRUG}\b",
    rf"\b{_DRUG}\b.{{0,40}}\b(?:never|must not|can't|twice|daily|every|interact\w{{0,3}}|side effects?|overdose|out of reach|locked|expired?|at (?:night|bedtime|breakfast|\d))",
    r"\b\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|milligrams?|micrograms?|(?:ml|drops?|puffs?|units?|tablets?|pills?|capsules?)\b.{0,40}\b(?:daily|twice|once|every|before|after|morning|night|bedtime|each|a day|per day|max\w{0,4}|no more))\b",
    r"\bdos(?:e|es|age|ed)\b.{0,50}(?:\d|halv|doubl|half|one|two|reduc|rais|lower|daily|never|skip|miss)|\boverdos\w{1,3}\b",
    "(?:换|停|加|减|开|用)(?:了|着)?.{0,6}(?:药(?!店|学|房|厂|盒)|抗生素|激素|胰岛素|安眠药|止痛)|打(?:了|着)?.{0,4}(?:胰岛素|抗生素|激素)|(?:吃|服|服用|注射)(?:了|着)?.{0,12}(?:药(?!店|学|房|厂|盒)|(?<![芯薯照名卡那这大陡坡专瓦肉叶])片(?!坡|地|区|海|山|子)|胶囊|丸|针(?!对|织)|疫苗|抗生素|激素|布洛芬|阿司匹林|华法林|头孢|青霉素|二甲双胍|降压|降糖|胰岛素|安眠药|止痛)",
    "(?:药(?!店|盒|学|房|厂)|(?<![照图卡芯名影唱\u4e00-\u9fff])片|(?:药|止痛|降压|安眠)片|胶囊|阿司匹林|布洛芬|头孢|青霉素|华法林|二甲双胍|[\u4e00-\u9fff]{1,5}(?:西林|沙星|他汀|洛尔|地平|普利|沙坦|拉唑|霉素)).{0,20}(?:一天|每天|每日|每次|饭[前后]|睡前|空腹|早晚|不能|不要|别(?!忘)|停|减|忌|毫克|[一二两三四半\\d]片|过量)",
    "(?:[\\d.半一二两三四五六七八九十百]+)(?:毫克|微克|毫升|单位|片|粒|滴|喷|支)(?=.{0,16}(?:一天|每天|每日|每次|早晚|饭[前后]|睡前|空腹|一次|两次|三次|不能超))|(?:每天|每日|每次|早晚|饭[前后]|睡前|一天).{0,14}(?:[\\d.半一二两三四五六]+)(?:毫克|微克|毫升|单位|片|粒|滴|喷)|剂量|用药|过量|药量|忌口",
)
_DISEASE: Final = r"(?:depression|bipolar|schizophreni\w+|psychosis|psychotic \w+|anorexia|bulimia|ptsd|crohn's|colitis|reflux|copd|emphysema|tuberculosis|hepatitis|hiv|arrhythmia|angina|tachycardia|afib|hypertension|hypotension|narcolepsy|vertigo|lymph(?:oedema|edema)|cancer|leuk(?:ae|e)mia|an(?:ae|e)mia|osteoporosis|meningitis|glaucoma|multiple sclerosis|parkinson's|alzheimer's|dementia|autism|tourette's|a (?:collapsed lung|weak (?:heart|immune system|bladder|back)|bad heart|slipped disc|hole in (?:his|her|the) heart|metal plate)|one kidney|high blood pressure|low blood sugar|nosebleeds|fits|panic attacks|mini-strokes)"
_SICK: Final = ByScript(
    rf"\b(?:has|have|had|'s got|has got|got|suffer(?:s|ed)? from|diagnosed with|liv(?:es|ing) with|history of|prone to|at risk of|recovering from|because of (?:his|her|my|their)) (?:\w+ ){{0,2}}{_DISEASE}\b",
    r"\b(?:type (?:1|2|one|two)(?: diabet\w+)?[,.;]|is (?:legally |nearly |almost |partially )?(?:blind|deaf)|(?:severely|very|extremely) short-?sighted|(?:visually|hearing)[- ]impaired|colou?r[- ]?blind|(?:spleen|gall ?bladder|kidney|lung|thyroid|prostate|womb|breast|bowel|stomach)\b.{0,12}\b(?:out|removed|taken out)|lymph nodes?|panics in|(?:gets?|got|made?|makes?|falls?) (?:\w+ ){0,2}(?:ill|sick) (?:from|after|when|on)\b|empty stomach|off (?:the list|limits|the menu) (?:while|for|because|since|as)|out of the question for|no smoking there)",
    r"\bthere(?:'s| is| are|'re) (?:still |now |also )?(?:an? |some |two |three )?(?:\w+ ){0,2}(?:wasps?'?s? nests?|hornets?'? nests?|mou?ld|asbestos|bare wires?|gas leak|black ice|crevasses?|rip currents?|undertow|adders?|vipers?|scorpions?|ticks|jellyfish|quicksand|sinkhole|broken glass|exposed wires?|nails? sticking)\b",
    r"\b(?:missing (?:a |its |the |two )?(?:rungs?|steps?|railings?|handrail|guard|cover|lid|bolts?)|fray(?:s|ed|ing) (?:through|at|near|on)|eats? through|br(?:ing|ought)s? \w+ out in (?:spots|hives|welts|a rash)|(?:nitrogen|ammonia|refrigerant|propane|methane|coolant|gas)\b.{0,12}\bleak(?:s|ing)|(?:smoke|gas|monoxide) (?:detector|alarm)\b.{0,30}\b(?:no battery|dead|broken|doesn't|isn't|disconnected|missing)|(?:stairs?|steps?|path|ramp|deck|road|bridge)\b.{0,20}\b(?:icy|iced over|no (?:rail|railing)|rail(?:ing)? is (?:gone|loose|broken))|ticks in|gives? you a shock|makes? (?:\w+ ){0,2}(?:him|her|them|us|people|visitors|children|guests|everyone|(?!me\b)\w+) (?:sick|ill|vomit|faint|wheeze)|(?:hip|knee|valve|joint) replacement|face droops|pulls? you (?:out|under|down)|between the flags|floods? (?:within|in) (?:\w+ )?(?:minutes|seconds)|(?:snapped|growled|lunged|bitten|bit|kicked) (?:at )?(?:him|her|me|them|a child|the \w+|[a-z]+) (?:twice|once|before|last|already|when)|goes off,? (?:leave|get out|run|evacuate|ring|call))\b",
    "(?:高度|重度)近视|色弱|(?:切|摘|割)(?:了|掉|除)(?:脾|胆|肾|甲状腺|胃|子宫|肺|前列腺|乳)|淋巴清扫|气胸|甲亢|甲减|狼疮|强直性|骨质疏松|心律不齐|房颤|早搏|宫外孕|先兆流产|前置胎盘|双相|精神分裂|(?:得过?|有|患|犯)(?:了|过)?(?:抑郁|焦虑)症?|抑郁过|自闭症|(?:会|就)恐慌|晕过去|近期?.{0,4}手术|上吐下泻|(?:一身|浑身|满身|满脸)(?:红点|红疹|疹|疙瘩|红)|(?:嗓子|喉咙|嘴唇?|皮肤|身上|眼睛)(?:发痒|发紧|发麻)|冰裂缝|(?:冒|长|出)(?:了)?(?:疹子|红疹|水泡)|换(?:了|过)?(?:髋|膝|瓣膜|关节)|吞过|(?:会|就|能)电人|液氮|液氨|蜱虫|嘴.{0,3}歪|闹肚子|(?:立刻|马上|赶紧|赶快|直接|就|先)打(?:120|119|110)|(?:烟感|报警器|探测器).{0,6}(?:没电|坏|不响|失灵)|防毒面具|(?:毒蛇|蟒蛇|眼镜蛇|狼狗|藏獒|野狗|野猪).{0,8}(?:跑|逃|出来|咬|扑)|离岸流|暗流|马蜂窝|蜂窝|流沙|碎玻璃|(?:梯子?|台阶|护栏|扶手).{0,8}(?:少|缺|断)(?:了)?一?(?:格|级|截|根|块|节)|(?:绳|索|链|带|缆).{0,8}(?:磨断|快断|要断|磨破|断股|起毛)|蚀穿|烧穿|灌满水|几分钟就(?:灌|淹)|报警器一响|(?:汞|铅|砷|镉|甲醛).{0,3}(?:太高|超标|偏高|中毒)|(?:坚果|海鲜|奶|蛋|麸质|面食|豆制品|酒|辣|糖|咖啡|牛羊肉|内脏).{0,10}(?:都|一律|统统|全|碰都)不能(?:沾|碰|吃|喝|进嘴)|开着氧气|(?:刚|才)(?:做完|好|出院).{0,10}(?:不许|不能|别|不可|不得)",
)
_EATEN: Final = r"(?:tuna|cod(?:fish)?|salmon|anchov(?:y|ies)|sardines?|mackerel|oysters?|clams?|lobster|squid|octopus|scallops?|mushrooms?|corn|rice|oats?|barley|rye|yeast|syrup|lentils?|chickpeas?|beans?|peas|bananas?|apples?|oranges?|lemons?|cherr(?:y|ies)|melons?|figs?|coconut|beef|gelatine?|butter|yogh?urt|tofu|cola|pepper|chill?i|cinnamon|beer|juice|sweets|cake|biscuits?|crisps|sausages?|ham|liver)"
_NO: Final = r"(?:never|don't|do not|must not|mustn't|can(?:'t|not)|should(?:n't| not)|may not|won't survive|no|nobody|no one|avoid|stay away|keep (?:\w+ ){0,4}(?:away|off|out)|not to|not safe|not allowed)"
_FOOD: Final = r"(?:nuts?|peanuts?|cashews?|almonds?|walnuts?|hazelnuts?|pistachios?|sesame|shellfish|shrimps?|prawns?|crab|fish|seafood|mussels|milk|dairy|cheese|eggs?|gluten|wheat|bread|soy|strawberr(?:y|ies)|kiwis?|celery|mustard|honey|alcohol|wine|grapefruit|chocolate|raisins?|grapes?|xylitol|onions?|garlic|avocado|lil(?:y|ies)|penicillin|aspirin|ibuprofen|bee|wasp|pork|salt|sugar|caffeine|soy|sulphites?|sulfites?|nutmeg|peach(?:es)?|mangos?|pineapples?|tomato(?:es)?|spinach|liquorice|licorice)(?!-free)"
_HAZARD: Final = r"(?:poison(?:ous|ed|ing)?|toxic|flammable|inflammable|explosi(?:ve|on)s?|explodes?|venom(?:ous)?|carbon monoxide|gas leaks?|leaks? gas|electrocut\w{2,3}|electric shock|short[- ]circuits?|high voltage|live (?:wires?|cable|current)|(?:is|are|still) live\b|bare wires?|mains|asbestos|radiation|chlorine|ammonia|bleach|acid|lye|pesticides?|weed ?killer|antifreeze|fumes?|mou?ld|choking|chokes?|chok(?:ed|ing)|suffocat\w{1,4}|drown(?:s|ed|ing)?|scald\w{0,3}|burns? (?:you|your|down|through)|catch(?:es)? fire|overheats?|bites?|stings?|attacks?|collaps\w{1,4}|cave in|rotten|rip current|undertow|thin ice|ice (?:\w+ ){0,4}(?:is|looks) (?:still |far |way |too )*thin|avalanche|landslide|rockfall|quicksand|black ice|fatal|deadly|lethal|life[- ]threatening|kills|killed|could kill|dangerous|danger|hazard(?:ous)?|unsafe|not safe|brakes? (?:fail|failed|are|is|pull)|slippery|sharp edge|tetanus|rabies|infect(?:ed|ious)|contagious|contaminated|quarantine|stalk(?:er|ing)|restraining order|violent|abusive|scam\w{0,4}|fraud\w{0,4}|phishing|unexploded|loaded gun|firearm)"
_DANGER: Final = ByScript(
    rf"\b{_NO}\b.{{0,70}}\b{_HAZARD}\b",
    rf"\b{_HAZARD}\b.{{0,70}}\b(?:{_NO}|only|before|unless|careful|wear|gloves|mask|turn(?:ed)? off|shut (?:off|down)|open (?:the |a )?windows?|ventilat\w{{2,4}}|locked|children|kids|toddler|baby|dogs?|cats?|pets?|if)\b",
    r"\b(?:is|are|was|were|it's|they're|gets?|can be|turns?|has|contains?)\b (?:\w+ ){0,3}(?:poisonous|toxic|flammable|explosive|venomous|live|dangerous|deadly|lethal|fatal|unsafe|rotten|contaminated|contagious|infectious|violent)\b.{0,60}\b(?:to|for|when|if|after|with|near|in|on|above|below)\b",
    rf"\b(?:can't|cannot|can not|mustn't|must not|never|don't|do not|doesn't|shouldn't|not)\b (?:ever |let (?:\w+ )?|even )?(?:eats?|have|drink|give|feed|touch|taste|order|cook|serve|be near|use|be given|put)\b(?! (?:too|so) (?:much|many)).{{0,30}}\b{_FOOD}\b",
    rf"\b{_FOOD}\b.{{0,20}}\b(?:doesn't|don't|does not|do not|never) agree with\b|\b{_FOOD}\b.{{0,20}}\bdisagrees? with\b|\b{_FOOD}\b (?:and \w+ )?(?:is|are) (?:strictly |completely |totally )?(?:out|off|taboo|forbidden|banned|poison|a no-go|not allowed) (?:for|since|because|with|now)\b",
    rf"\bplease\b.{{0,12}}\bno {_FOOD}\b|\bno {_FOOD}\b.{{0,12}}\bplease\b|\bnot a (?:drop|bite|sip|trace|crumb|spoonful) of\b",
    r"\bif\b.{0,40}\b(?:faints?|collapses?|passes out|blacks out|has a (?:fit|seizure|turn|stroke)|chok(?:es|ing)|goes (?:shaky|grey|gray|limp|blue|white|pale|stiff)|turns? (?:blue|grey)|stops? breathing|can't breathe|is unconscious|won't wake|starts? (?:shaking|fitting|wheezing)|swells? up|gets? chest pains?)\b",
    r"\btoo (?:thin|steep|deep|hot|weak|rotten|slippery|fast|strong|shallow) to (?:walk|swim|stand|climb|hold|bear|touch|cross|dive|go)\b",
    r"\b(?:somebody|someone|he|she|you|they|anyone|anybody|people|a child|the kids|we) (?:could|might|will|would|can|may)(?: \w+)? (?:break (?:a|an|his|her|their|your) (?:leg|neck|arm|hip|ankle|back)|get (?:badly )?(?:hurt|burnt|burned|killed|crushed|electrocuted|trapped)|be (?:killed|electrocuted|crushed|blinded)|die\b(?! for| of (?:laugh|bore))|drown|suffocate|choke|bleed to death)",
    r"\b(?:nearly|almost) (?:died|didn't (?:make it|survive)|killed (?:him|her|them|\w+)|drank|swallowed|choked)\b.{0,20}\b(?:after|from|of|on|when|it|by|last|once|the|a)\b",
    r"\b(?:skin|eczema|asthma|psoriasis|gut|bowels|stomach)\b.{0,20}\b(?:flares?(?: up)?|reacts?|plays? up|blisters)\b|\b(?:could|would|will|might|can) (?:(?:kill|blind|poison|suffocate|choke) (?:him|her|them|you|somebody|someone|the \w+|[A-Z][a-z]+)\b(?! for)|put \w+ in (?:hospital|a coma|casualty|intensive care))",
    rf"\b(?:no|without(?: any)?|zero) {_FOOD}\b.{{0,30}}\b(?:for|near|around|in|at|or)\b",
    rf"\b{_FOOD}\b.{{0,50}}\b(?:ambulance|emergency|hospital|epipen|swell\w{{0,3}}|rash|reaction|react(?:s|ed)?|vomit\w{{0,3}}|makes? (?:her|him|me|them|\w+) (?:ill|sick)|ill|sick|unwell|poisonous|toxic)\b",
    r"\b(?:ambulance|emergency room|a&e|intensive care|casualty)\b.{0,60}\b(?:after|because|when|last time|never|again|from|remember|over)\b",
    r"\b(?:in (?:case of )?(?:an )?emergenc(?:y|ies)|emergency (?:contact|number|stop|shut-?off)|emergency exit.{0,30}(?:blocked|locked|clear|stuck|jam|is (?:at|behind|through|by|on the (?:left|right)))|(?:call|ring|dial|phone) (?:911|999|112|111|110|119|120|poison|an ambulance)|poison control|first[- ]aid (?:kit|box)|fire (?:extinguisher|exit|escape)|life ?jackets?|safety (?:valve|catch|switch|goggles|harness)|hard hats?|stopcock)\b",
    r"\b(?:(?:turn|switch|shut)(?:ed|s)? (?:off|down)|isolate|unplug|disconnect|cut)\b.{0,40}\b(?:power|mains|gas|breaker|fuse|current|electricity|water|boiler|plug|battery)\b.{0,40}\b(?:before|first|when|if|or|until)\b|\b(?:before|first|never|don't|always)\b.{0,50}\b(?:turn off|switch off|unplug|disconnect|isolate)\b.{0,30}\b(?:power|mains|gas|breaker|fuse|current|battery)\b",
    r"\b(?:wear|put on|without|need|needs)\b (?:\w+ ){0,3}(?:gloves|goggles|respirator|helmet|harness|safety glasses|eye protection|ear protection|seat ?belt|life ?jacket)\b",
    r"\b(?:never|don't|do not|must not|mustn't|nobody|no one (?:should|may|must)|can't|cannot)\b (?:ever |let (?:\w+ ){1,2}|go |try to )?(?:touch|climb|step|stand|lean|swim|plug|open|use|drive|leave (?:him|her|them|[A-Z]\w+|(?:the |a |any )?(?:kids?|child(?:ren)?|baby|toddler|dogs?|candles?|stove|oven|iron|fire|pan|pot))|walk|enter|light|mix|lift|ride|start|dive|cross|pick up)\b.{0,60}\b(?:wir(?:es?|ing)|sockets?|boiler|ladder|stove|oven|heater|fuse|generator|saw|knife|knives|well|ice|railing|balcony|roof|stairs?|brakes?|scaffold\w{0,3}|cellar|pond|pool|river|candles?|fire|lawnmower|lift|elevator|crane|forklift|alone|unattended|unsupervised|at night|in the dark|barefoot|loose|cracked|broken|faulty|bleach|vinegar|chemicals?)\b",
    "(?:千万|绝对|一定|务必|切记|记住|小心|当心|注意|严禁|禁止|不能|不要|不可|别|勿|不得|不许|避免|远离).{0,24}(?:触电|漏电|高压|带电|电线|插座|煤气|燃气|天然气|一氧化碳|中毒|有毒|毒|易燃|易爆|爆炸|着火|起火|失火|溺水|落水|噎|窒息|烫|烧伤|坠落|摔|塌|滑|冰面|腐蚀|强酸|漂白|84|洁厕|农药|咬|蜇|刹车|明火|酒精|单独|独自|没人看|够得着|够不着|小孩|孩子|宝宝|狗|猫|诈骗|骗子|转账)",
    "(?:触电|漏电|高压电|带电|一氧化碳|煤气泄漏|燃气泄漏|漏气|中毒|有毒|毒气|剧毒|易燃|易爆|爆炸|起火|溺水|噎住|呛到|窒息|塌方|坍塌|滑坡|雷击|腐蚀|辐射|致命|致死|出人命|会死|要命|危险|隐患|传染|狂犬|被咬|伤人|失灵|家暴|跟踪狂|诈骗).{0,24}(?:别|不要|不能|必须|务必|小心|当心|注意|断电|戴上|远离|报警|千万|勿|禁|谁都|没人)|(?:会|能|要|极易|容易|随时|可能)(?:触电|漏电|中毒|爆炸|起火|窒息|塌|致命|致死|出人命|传染|伤人|被咬|咬人|淹死|摔死|烫伤|砸到)|(?:有|是|含|产生|冒|放出).{0,4}(?:剧毒|毒气|毒烟|有毒气体|一氧化碳)|(?:已经|正在|一直|还在|又)(?:漏电|漏气|带电|冒烟)|(?:漏电|漏煤气|漏燃气|带着电)(?!保护)",
    "(?:(?:不能|(?<![特分区告个级])别|(?<!要)不要|不可以?|千万别|绝不能|不让|不许)(?:再|让.{1,4}|给.{1,5}|往.{1,5})?(?:吃|喝|碰|沾|喂|放|加|用|闻|带|尝|拿|给)(?!太多|那么多|这么多)|忌食?|禁食?|碰不得|一口都|一点.{0,3}都|沾不得|吃不了|喝不了|吃不得|喝不得).{0,8}(?:花生|坚果|腰果|杏仁|核桃|芝麻|海鲜|虾|蟹|贝|鱼|牛奶|奶制品|乳制品|鸡蛋|面筋|麸质|小麦|大豆|芒果|菠萝|草莓|酒|西柚|柚子|巧克力|葡萄|洋葱|百合|蜂蜜|蚕豆|青霉素|头孢|阿司匹林|布洛芬|盐|糖|辣|咖啡因|生冷)(?!店|馆|家)",
    "(?:花生|坚果|腰果|杏仁|核桃|芝麻|海鲜|虾|蟹|牛奶|鸡蛋|麸质|芒果|菠萝|草莓|酒|柚子|巧克力|葡萄|洋葱|百合|蜂蜜|蚕豆|青霉素|头孢).{0,14}(?:不能碰|碰不得|一口都不|一点都不能|就肿|就喘|就吐|就起|会肿|会喘|会吐|起疹|救护车|急诊|抢救|住院|送医|进了医院|中毒|有毒|差点|没救|拉肚子|要.{0,6}命)",
    "(?:吃|喝|碰|闻|沾|用|戴|穿|抹|涂|打|摸|靠近|接触)(?:了|着|到|点|过)?.{0,10}(?:就|会|便|准)(?:要|得|全身|浑身|马上|立刻|立马)?.{0,4}(?:拉肚子|腹泻|拉稀|过敏|肿|喘|痒|起疹|起泡|起红|长疹|抽搐|晕|休克|犯病|犯哮喘|偏头痛|头疼欲裂|胃出血)|差点.{0,4}(?:没(?:救|抢救|缓)过来|没命|送(?:了)?命|淹死|憋死|噎死|丢了命|误[喝食服吞])|误(?:喝|食|服|吞)|(?:胃|肠胃|身体|肚子|身子)里?(?:容不下|受不[了住]|扛不住|消化不了)|(?:嘴|嘴唇|舌头?|喉咙|手脚).{0,4}(?:发麻|麻了|又麻|都麻|变紫)|对[\u4e00-\u9fffA-Za-z]{2,8}(?:有反应|反应(?:很大|严重|大))|(?:疼|痛)(?:半天|得打滚|得直不起)|往嘴里(?:塞|放)|起(?:水|血)泡|(?:老|总|经常|常|又)?忘(?:了|记)?关(?:火|煤气|燃气|灶|炉)|出了?事.{0,4}(?:先)?(?:找|打给|联系|通知)|有(?:事|急事|意外).{0,3}(?:先)?(?:打给|联系|通知)|(?:做不了|不能做|不可以做|禁做)(?:核磁|磁共振|CT|增强|造影|电疗|按摩|手术|理疗)|(?:全面|一律|严格)?禁火|(?:不能喝|喝不得|不可饮用|不能直接喝)[，。].{0,12}(?:铅|毒|脏|细菌|没烧|管)|把人?.{0,2}(?:闷|毒|淹|电|砸|摔|憋|呛|烧|烫)死|(?:闷|毒|淹|电|砸|摔|憋)死(?:人|过人|他|她|你|小孩|孩子)|让.{0,10}(?:药|避孕).{0,4}(?:失效|没用|无效)|(?:影响|抵消|降低).{0,8}药效|(?:宝宝|婴儿|新生儿|孩子|娃|早产儿|[一二两三]岁以下).{0,6}(?:必须|不能|绝不|千万|一定要|不可)(?!.{0,6}(?:作业|考|学|迟到|忘|上学|手机))|会?要了?(?!我的?老|老|我的命)[\u4e00-\u9fff]{1,4}的?命(?!运|名|题|令|中)|滴酒不(?:能|可|得)?沾|皮试阳性",
    "(?:要是|万一|如果|假如|一旦|若是?|倘若).{0,14}(?:晕|昏|抽搐|抽筋|犯病|发作|低血糖|喘不|胸口疼|胸闷|不省人事|没反应|叫不醒|呼吸|中暑|发病|不舒服).{0,24}(?:打|叫|送|喂|给|躺|找|联系|通知|按|掐|含|吃)|冰(?:面|层)?.{0,4}(?:太|很|还|特别|有点)薄|(?:除草剂|杀虫剂|老鼠药|清洁剂|洁厕|疏通剂|消毒液|农药|汽油|稀料|药).{0,6}(?:锁好|锁起来|锁上|收好|放高|够不着)",
    "救护车|急救|急诊.{0,10}(?:因为|都是|上次)|抢救|紧急联系人|紧急情况|灭火器|逃生|安全出口.{0,8}(?:堵|锁|不能|别|在)|总闸|断电|先关(?:掉)?(?:总)?(?:电|闸|气|阀)|戴(?:好|上)?(?:手套|护目镜|安全帽|口罩|头盔)|系(?:好|上)?安全带|救生衣",
)

_BODY: Final = ByScript(
    r"\b(?:lips?|tongue|throat|face|eyes?|skin|airways?|ankles?|hands?)\b.{0,30}\b(?:swell\w{0,3}|swollen|puff\w{0,3}|clos(?:e|es|ed|ing)|itch\w{0,3}|tingl\w{1,3}|turns? blue|goes? blue|rash|blister\w{0,3}|numb|burn(?:s|ed|ing)? and|fle[sw] up|raw)\b",
    r"\b(?:makes?|made|gives?|gave|sets? off|sends?|sent|triggers?|brings? on)\b.{0,30}\b(?:wheez\w{1,3}|itch\w{0,3}|vomit\w{0,3}|hives|a rash|attacks?|seizures?|migraines?|to (?:the )?(?:hospital|a&e|er|casualty)|cramps|swell\w{0,3}|asthma|faint)\b",
    r"\b(?:death cap|hard of hearing|won't (?:hear|notice) (?:a|the) (?:car|fire|alarm|smoke|traffic)|(?:stoma|ostomy|feeding tube|tracheo\w*|colostomy)\b.{0,40}\b(?:empt\w+|flush\w*|chang\w+|clean\w*)|malignant hyperthermia|carbon monoxide|thin liquids)\b|\bcan(?:'t|not) (?:be|go|come|sit) (?:\w+ )?near\b.{0,50}",
    r"\b(?:reacts (?:badly |severely |violently )?to (?!the (?:news|idea)|news|criticism|feedback|change|my|his|her)|react(?:s|ed) (?:badly|severely|violently) to (?!the (?!vaccin|anaes|drug|injec|med|antib|bite|sting|dye)|being|this|that|his|her|my|what)|(?:stomach|body|skin|system|gut) (?:can't|cannot|won't|doesn't) (?:handle|take|tolerate|digest|cope with|accept)|reaction to|contraindicated|strictly no|can't (?:tolerate|digest|be (?:near|around))|cannot (?:tolerate|digest|be (?:near|around))|can't have any|can't have (?:an? )?(?:mri|ct|x-?rays?|scans?|contrast|general an)|can(?:'t|not) (?:chew|swallow)|cancels? out|interacts? (?:badly )?with (?:his|her|my|your|their|some|other) (?:\w+ )?(?:tablets|pills|medic\w+|drugs|drops)|not for (?:infants?|bab(?:y|ies)|children|toddlers?|anyone (?:with|under|on)|people (?:with|on)|pregnant)|(?:isn't|not|un) ?drinkable|not (?:fit )?(?:for|to) drink(?:ing)?\b|puts everything in(?:to)? (?:his|her|their) mouth|forgets? (?:to turn off |to switch off )?the (?:stove|gas|hob|oven|iron|candles?|cooker)|fire ban|total ban on fires|must not have|not allowed any|mustn't have|out of (?:the )?reach of|child[- ]?(?:proof|lock)|side effects?|blood pressure|heart attack|(?:a|his|her|their|my|mini|of|after|another|second) strokes?\b(?! of)|concussion|stitches|bleed(?:s|ing)? (?:badly|easily|for)|oxygen|dialysis|catheter|nebuli[sz]er|tourniquet|defibrillator|low blood sugar|migraines? (?:from|after|if|when)|panic attacks?|claustrophobi\w{1,2}|deaf in|blind in|can't swim|cannot swim|wanders off)\b",
    r"\b(?:steps?|stairs?|stairway|railing|banister|ladder|balcony|latch|brakes?|sockets?|plugs?|outlet|cable|cord|wiring|boiler|heater|scaffold\w{0,3}|floorboards?|beams?|roof|ceiling|tiles?|shelf|shelves|lid|handrail|gate|lift|elevator|handle|valve|hose|grating|manhole|hob|stove|cooker|well|shaft|pit|hole|tank|pool|pond|trench|edge|bridge|wall|tree|branch|chimney|glass)\b.{0,40}\b(?:loose|wobbly|wobbles|cracked|faulty|rotten|gives? way|come off|comes off|fall(?:s|en)? (?:off|down|on)|doesn't (?:hold|lock|latch|catch)|won't hold|can't hold|sparks?|sparking|smokes|leaks?|scalding|red[- ]hot|broken off|frayed|unguarded|doesn't (?:shut|switch|turn) off|won't (?:shut|switch|turn) off|(?:has|have|with) no (?:cover|lid|railing|guard|fence|light|handrail|barrier))\b",
    "耳(?:朵)?(?:背|聋)|背过气|(?:嘴唇|嘴巴|舌头|喉咙|嗓子|脸|眼睛|眼皮|皮肤|浑身|全身|身上).{0,10}(?:肿|发紫|发痒|起疹|起泡|长疙瘩|痒)|(?:一吃|一喝|一碰|一闻|一沾|吃了|喝了|碰了|闻到).{0,10}(?:就|会|马上).{0,8}(?:肿|喘|吐|拉肚子|起疹|痒|晕|疙瘩|发作|犯|头疼|休克|咳)|(?:消化|耐受|受)不了(?:牛奶|乳|麸|酒精|麻药|青霉素)|犯病|发作|急性|中风|脑梗|心绞痛|速效救心|硝酸甘油|吸氧|雾化|过敏原|禁忌|副作用|不良反应|恐慌发作|不会游泳|走失|走丢|(?:左|右)耳(?:听不|聋)",
    "(?:楼梯|台阶|栏杆|扶手|梯子|阳台|插头|插排|插座|电线|线路|锅炉|热水器|燃气灶|煤气灶|电梯|井盖|天花板|吊灯|柜子|地板|屋顶|窗户|门锁|刹车|阀门|软管|电热毯|电动车|电瓶车|充电器|插线板|玻璃|护栏|吊柜|灶|水井|那口井|井口|天窗|树干|房梁|地板|桥|外墙|围墙|树枝).{0,14}(?:松了|松动|裂了|有裂|裂缝|冒过烟|打过火|起过火|开裂|断了|(?<=刹车)坏了|(?<=扶手)坏了|(?<=栏杆)坏了|(?<=阀门)坏了|(?<=燃气灶)坏了|烂了|漏水|漏气|漏电|打火|冒烟|冒火花|老化|卡不住|锁不上|关不严|关不住|关不上|关不死|没(?:有)?(?:盖|护栏|栏杆|扶手|围栏)|朽|烂穿|锈断|锈穿|掉下来|砸|失灵|发烫|不稳|烧焦)",
)

# --- signs, of which two kinds together protect ----------------------------------------------------

_ENOUGH: Final = 2
_HAN_SIGN: Final = late("[\u4e00-\u9fff]")
_RULES: Final = lower(
    r"\b(?:never|nobody|no one|(?:must|may|should|do|does|can|could|need|is|are|was)(?:n't| not)(?! (?:wait|believe|help|stop|get over|even|imagine|agree|complain|remember|think|know|seem|feel|want|like|mind|forget))|can ?not|don't let|not (?:to|even|safe|allowed)|no \w+ing|nothing (?:to|over|under|but|sticky|\w+ for|dairy|hot|hard)|isn't allowed|avoid\w*|keep|kept|leave (?:the|it|that)|stay (?:off|out|away|clear|behind|back)|watch (?:out|the|for|that)|careful|beware|make sure|always|(?:must|has to|have to|needs? to) (?:be|stay|have|go|wear|carry|get)|out of reach|off limits|instead|lie (?:him|her|them)|hold (?:the|on)|take the|check|shut|locked|bolted|until|only|please|know that|tell (?:the|them|any|every)|warn\w*|remember that|give (?:him|her|them)|sits? with|stays? with|walks? (?:her|him|them)|prop the|carries|before you (?:go|open|enter|start|touch)|than it looks|every (?:third|second|other|\w+ hours)|gets? changed|not by (?:himself|herself|themselves)|no \w+ for|so (?:cut|keep|leave|hold|lie|put|no|don't|somebody|someone))\b",
)
_CARE: Final = r"(?:consultant|surgeon|pharmacist|physio\w*|cardiologist|dermatologist|neurologist|an(?:a)?esthetist|paediatrician|pediatrician|midwife|oncologist|dispens\w+|the vet|(?:the|her|his|my) (?:ward|nurse|doctor|gp|specialist|clinic))"
# What forbids or warns, in words that are not used of shopping and small talk.
_FORBIDS: Final = lower(
    r"\b(?:never (?:park|camp|build|play|sleep|smoke|run)|(?:is|are|got|running|broke) loose|(?:baby|infant|newborn|toddler)s? (?:must|should|has to|have to|needs? to)|keep (?:\w+ ){0,5}(?:on the top|out of|high|up)|step over|(?:must|may)(?:n't| not)|(?:isn't|aren't|not) (?:to be|allowed|safe|even)|not to|never (?:again|ever|go|let|use|touch|leave|swim|drive|open|walk|lean|stand|put|try|plug|light|climb|mix|lift|take|turn|step|sit|give|feed|run|start|enter|alone|with|without)|(?:nobody|no one|none of (?:you|us|them)) (?:\w+ )?(?:may|should|must|is|are|goes?|use[sd]?|touch\w*|drives?|climbs?|enters?|swims?|wears?|walks?|parks? under|stands?|opens?|else|under|near|until|without)|off limits|out of (?:\w+ )?reach|keep (?:\w+ ){0,5}(?:away|off|out|back|clear|shut|locked|closed|bolted)|(?:keep|stay|stand|walk) (?:off|out|away|clear|behind|back|well)|leave it to|watch (?:out|for|your|that)|careful|beware|(?:don't|do not) (?:\w+ )?(?:let|touch|use|drink|go|open|trust|lean|stand|walk|swim|climb|drive|plug|turn|light|step|breathe|eat|feed|give|sit|lift|ever|rely|park|start|mix|pull|run|dive|enter|inhale)|so (?:don't|no|keep|stay|hold)|always (?:wear|unplug|turn off|switch off|check|clip|tie|lock|shut)|(?:must|has to|have to|needs? to) (?:stay|be (?:locked|shut|kept|off|worn|unplugged))|locked|bolted|until (?:it's|it is|they're|he's|she's|that's|the)|(?:is|are|stays?|remains?) closed|won't open|your weight|by (?:him|her|them)sel(?:f|ves)|(?:can't|won't|doesn't|cannot) (?:hold|bear|carry|lock|catch)|at least two|(?:wear|put on) (?:\w+ ){0,2}(?:gloves|mask|helmet|boots|goggles)|(?:two|three) people|only looks|takes? the (?:road|long|other)|warn (?:the|any|every|him|her|them))\b",
)
_FORBIDS_HAN: Final = lower(
    "(?<![特分区告个级])(?:别|不要|千万别)(?:停|放屋里|往那边|走那边|放.{1,3}(?:里|边|旁))|一概不|跨过去|绕过去|别(?:再|让|给|去|往)?(?:.{1,4})?(?:过去|停车|碰|摸|靠|踩|开|点火|下去|下水|进去|进|站|爬|用|让|喂|动|单独|一个人|上去|出去|拔|插|走那|沾|游|闻|挪|坐|信)|(?:不(?:能|要|许|准|得|可|可以|让|给))(?:再|让|给|去|往|单独)?(?:.{1,5})?(?:碰|摸|靠|踩|开|下去|下水|进|站|爬|用|喂|动|单独|一个人|上去|上|走|出去|拔|插|沾|游|点火|给|吃|喝|派|参加|接触|使用)|严禁|禁止|勿|远离|避开|绕[着开行道]|要绕|务必|小心|当心|谁(?:都|也)(?:别|不(?:许|准|能|要|可))|一律(?:不|别|禁)|才能(?:进|开|动|碰|下|靠)|先(?:别|断|关|停)|(?:绝对|千万|一律|都)?不(?:能|许|准|得|可)(?:再)?(?:坐飞机|抽烟|吸烟|熬夜|提重物|弯腰|沾)|要有人|得有人|有人(?:陪|拉|守|扶)|派个?人|守着(?:绳|门|火|他|她|孩)|锁(?:上|好|起来)|拔(?:掉|下)|收起来|放高|够不[着到]|没.{0,10}(?:之前|以前)|贴着.{0,6}走|走.{0,8}的路|戴(?:好|上)|能把人|会(?:塌|滑倒|夹|喷|炸|砸)|看着浅|只能(?:喝|吃|用|走)|隔(?:着|两|一|半).{0,6}(?:再|才|小时)|撑不住|承不住|不结实"
)
_SIGNS: Final = (
    # a body that is not well, and who says so
    lower(
        r"\b(?:migraines?|hernias?|icd|kidneys?|heart(?!s? (?:of|out|broken|goes|went|is set|set|attack of))|lungs?|spleen|thyroid|glucose|pancreas|gall ?bladder|bladder|prostate|an(?:a)?esthetic|liver|bowels?|airways?|breath(?:e|es)?|(?<!deep )breathing|throat|lips|feeding tube|stoma|cannula|catheter|sugar (?:falls|drops|is|goes|under|over|below)|blood (?:test|pressure|sugar|group|type|thinner)|antibodies|transfusion|x-?rays?|hyperthermia|long qt|mdr1|maoi|syndrome|disease|disorder|palsy|dementia|alzheimer\S*|parkinson\S*|confused after|(?:had|after|of|his|her|a) strokes?|sickle|type (?:1|2|one|two)\b|pregnant|breast-?feed(?:s|ing)|bab(?:y|ies)|infants?|newborns?|(?:weeks|months) gone|toxoplasmosis|\w{3,}(?:itis|aemia|emia|pathy|plegia|phobia|ectomy|otomy|rrhage)|ulcers?|eczema|gout|gene|deaf|blind|hard of hearing|hearing aids?|won't (?:hear|notice|wake|see)|wanders?|sleepwalk\w*|faints?|black(?:s|ed)? out|blackouts?|dizzy|digest\w*|doubled up|cramps|feverish|concuss\w+|unconscious|wheelchair|oxygen tank|pacemaker|new (?:hip|knee|heart|valve)|fracture\w*|fever|coeliac|celiac|allerg\w+|antidote|symptoms?|wound|stitches|crisis line|reye's|swallow(?:s|ed|ing)?|thin liquids|vision)\b",
    ),
    # what is taken
    lower(
        rf"\b(?:{_DRUG}|\w{{3,}}(?:apine|idone|azine|drine|caine|cillin|cycline|mectin|prazole|nidazole|parin|olone|etamol|amide|xaban|tidine)|clozapine|ivermectin|lithium|diuretics?|contraceptives?|st\.? john's wort|anticoagulants?|antacids?|laxatives?|potassium|iron tablets?|\w{5,}onium|\w{4,}othrin|glucose gel|adrenaline|insulin|morphine|patch(?:es)?|ointment|(?<!ice )(?<!whipped )(?<!coconut )(?<!sour )(?<!shaving )cream(?! (?:cheese|cone|cake|frosting|sauce|tea))|injections?|drip|eye drops|antihistamine|doses?|\d+ ?ml)\b",
    ),
    # what is eaten, or touched, by somebody whom it harms
    lower(rf"\b(?:{_FOOD}|{_EATEN}|lupin|raw (?:fish|eggs?|milk)|bay lea(?:f|ves)|potassium|perfume|flour|strobe\w*)\b"),
    # what happens
    lower(
        r"\b(?:(?:into|a|to) shock|jolt|welts?|blisters?|hives|rash|(?:on|onto) a drip|stops? breathing|in hospital|ambulance|casualty|a&e|passes out|passed out|chok(?:e|es|ed|ing)|kill(?:s|ed)|drown\w*|(?:go(?:es)?|turns?|went) (?:grey|gray|blue|shaky|limp)|swell\w*|swollen|balloons|react(?:s|ed)? to|bruis\w+|bleed\w*|vomit\w*|was sick|come out of its|c[ao]mes? (?:away|loose|off)|(?:branch(?:es)?|trees?|stones?|rocks?|bricks?|tiles?|slates?|icicles?|plaster)\b.{0,15}\b(?:came|comes?) (?:down|off|loose)|numb\b|blistered|went through|fell(?! asleep| in love| behind| for| apart| silent| out with)|fall(?:s|en)? (?:off|down|out)|takes a (?:grown )?man|one (?:leaf|bite|mouthful|sip)|a mouthful|kicks|bites?|stings?|stung|bitten|burn(?:s|ed|t)|fatal|gas is|fumes|throws you|slides|caves in|gives way|sniffs it|locked in|crushed|trapped|scald\w*|slip(?:s|ped)|trips?|jams|grabs|left the (?:hob|gas|stove|oven|iron)|makes? \w+ (?:ill|sick|stop|faint|wheeze)|bring\w* \w+ out in|came up in|life[- ]threatening|drops off)\b",
    ),
    # what is dangerous
    lower(
        rf"\b(?:{_HAZARD}|lead (?:tank|pipes?|paint)|paint thinner|petrol|white spirit|turpentine|glue|ponds?|river ?bank|bank slides|weir|wasps?|hornets?|vipers?|adders?|snakes?|nest|brakes?|freezer room|cold store|locks from (?:the )?outside|won't open from (?:the )?inside|boiling|steam|wet floor|manhole|shaft|attic floor|rotten|loose|live rail|level crossing|bull|(?:wild )?boars?|stallion|guard dog|fire ants?|red ants?|exhaust|generator|lead in the|crevasses?|rip ?tide|avalanches?|wasps?'? nest|mercury|radon|propane|gas (?:cylinder|bottle)|fireworks|scorpions?|jellyfish|ropes?|swings?|chemicals?|paraquat|rat poison|drain cleaner|cleaner|solvent|chemicals?|carbon monoxide|gas (?:fire|hob|pipe|tap)|hob|button batter(?:y|ies)|batter(?:y|ies)|smoke|fire (?:door|brigade)|(?:smoke|fire|gas) alarm|oxygen|candles?|silo|harness|hatch|scaffold\w*|(?:circular |chain)saw|blade|guard|forklift|crane|handrail|rung|ladder|cracked|tide|buoy|current|quarry|freezing|deep end|undertow|ticks?|death cap|mushroom|sockets?|plug|wires?|needle|knives|knife|shotgun|ravine|cliff|bridge|socket|trap)\b",
    ),
    # who must be called, and when
    lower(
        r"\b(?:(?:call|ring|phone|dial) (?:me|us|999|911|112|111|an ambulance|for help|the (?:crisis|doctor|hospital|vet|surgery|ward))|ring me|emergenc(?:y|ies)|epi-?pen|inhalers?|nebuli[sz]er|right away|straight ?away|the same day|at once|immediately)\b",
    ),
    # who says so
    lower(rf"\b(?:hospital|doctors?|{_CARE})\b"),
)  # fmt: skip
_UNSAFE: Final = ByScript(
    r"\b(?:non-molestation|restraining|protection) order\b|\b(?:anybody|anyone|him|her|them|people) where (?:i|we|she|they|\w+) (?:live|am|are|is|moved)\b|\bnot safe (?:alone|on (?:his|her|their) own|with|at home)\b|\btold me how (?:he|she|they)(?:'d| would) do it\b|\b(?:follow(?:s|ed|ing)|watch(?:es|ed|ing)|threaten(?:s|ed|ing)|hit(?:s|ting)?|stalk\w*) (?:\w+ home|her\b|me home|us home)|\b(?:death threats?|panic button|safe house|women's refuge)\b|\bex-?(?:husband|wife|partner|boyfriend|girlfriend)?\b.{0,30}\b(?:isn't|is not|not|never|mustn't|must not|can't) (?:be )?(?:allowed|to|collect|pick|know|get|near|come)\b",
    "别.{0,4}告诉.{0,6}(?:我|她|他|我们)?.{0,4}(?:地址|住哪|住在|去向)|(?:地址|住处).{0,6}(?:别|不要).{0,4}告诉|前(?:任|夫|妻|男友).{0,14}(?:守|堵|跟|威胁|骚扰|打|报警)|(?:一直|老|总)跟着.{0,8}(?:回家|下班|放学)|前(?:夫|妻|任|男友|女友).{0,4}(?:不准|不许|不能|不得|别让)|人身保护令|自杀|轻生|不想活|割腕|不能让.{1,4}(?:一个人|独自)|出狱|家暴",
)
_RULES_HAN: Final = lower(
    "(?<![特分区告个级])别(?![人的墅名处])|不能|不要|不许|不准|不可以?|不让|不得|禁止|严禁|勿|谁(?:都|也)|一律|务必|必须|一定要|千万|绝不|(?<![首祖优])先(?!生|进|前|中)|要绕|绕着|绕开|绕行|走.{0,8}的路|贴着|避开|远离|小心|当心|注意|记得|记住|提醒|都不行|不行|免了|要有人|派个?人|守着|锁上|收起来|放高|隔(?:着|两|一|半)|直接打|只能|只喝|才能|没.{0,10}(?:之前|以前)|问(?:一声|问)|查查|就(?:要|得|叫|打)|超过|低于|躺着|一滴|一口|一粒|让(?:他|她|它|孩子|老人).{0,3}(?:坐|躺|待|留|休息)|(?:要|得)有人|有人陪|陪着|顶住|够着|吃不了|喝不了|碰不得|少吃|少喝|忌|[一二两三四]天换|[一二两三四]天一次|能把人|带着|看着浅|会(?:塌|滑|倒|断|夹|喷|炸)"
)
_SIGNS_HAN: Final = (
    # a body that is not well, and who says so
    lower(
        "脾|甲状腺|淋巴|近视|抑郁|焦虑症|哺乳|喂奶|麻醉(?!师|科)|肾|心脏|心率|肝|肺|喉|气管|吞咽|(?<!深)呼吸(?!练习|和)|听不见|看不见|耳背|失明|青光眼|白内障|早产|怀(?:着|孕|了)|惊厥|抽搐|痛风|贫血|出血|凝血|溶血|白细胞|血糖|血压|型糖尿病|综合征|[\u4e00-\u9fff]{2}(?:症|炎|癌)(?!状)|(?<![毛老生通])病(?:$|[，。、；发犯])|手术|伤口|术后|中.{0,3}风|痴呆|糊涂|走丢|(?<!不)晕(?!车药)|发黑|抽(?:过|筋|搐)|疼得|心慌|造瘘|呼吸机|轮椅|骨折|发烧|高烧|烧到|嗓子疼|冒冷汗|手抖|过敏|恐高|血型|蜂毒|孕妇|基因|残疾|只有一只"
    ),
    # what is taken
    lower(
        "药|[\u4e00-\u9fff]{1,5}(?:西林|沙星|他汀|洛尔|地平|普利|沙坦|拉唑|霉素|硝唑|氮平|利酮|卡因|可待因|福平|蝶呤|胺醇|松龙|地高辛)|肾上腺素|胰岛素|造影剂|膏药|贴片|眼药水|药膏|铁剂|补铁|锂盐|利尿|避孕药|抗凝|麻醉|止痛|退烧|激素|麻药|碘伏|(?<![成十百千])[一二两三四半]片(?!地|区|海|山|面包|树|云)|针剂|注射|喷雾|吸两下|吸[一二两三]"
    ),
    # what is eaten, or touched, by somebody whom it harms
    lower(
        "花生|坚果|榛子|腰果|杏仁|核桃|芝麻|海鲜|虾|蟹|贝|牛奶|奶制品|乳清|鸡蛋|麸|芒果|草莓|酒|柚|巧克力|葡萄|提子|洋葱|百合|蜂蜜|蚕豆|芥末|生鱼片|整颗|绿叶菜|抹茶|嘌呤|猫毛|花粉|尘螨|驱蚊|香水|染发|增稠|水仙|蘑菇|菌子|(?:鳕|带|三文|金枪|黄|鲈|章|鳗)鱼|鱿|牡蛎|生蚝|豆制品|豆浆|玉米|面包|香蕉|橙子|苹果|桃|菠萝|荔枝|杨梅|咖啡|茶|可乐|啤酒|辣椒|味精|花椒"
    ),
    # what happens
    lower(
        "休克|肿|喘|起(?:了)?(?:大?泡|疹|红点|疙瘩)|吐了|不然吐|会吐|受不了|发紫|脸(?:都)?紫|憋|背过气|卡(?:过|住|着)|呛|噎|烫伤|烧伤|踩翻|摔|翻出去|掉下来|有砖掉|砸|咬过|踢(?:过|人|伤)|尥蹶子|麻了一下|触电|淹|没底|熏|死过|出(?:大)?事|进(?:了)?(?:医院|急诊|抢救)|进医院|送(?:了)?医院|住院|吊.{0,4}水|失效|起火|着火|爆|倒了|犯了|发作|大泡|会烂|流血|甩出去|打滑|夹(?:住|伤|断)|困(?:住|在)|断了|掉了|半截|失火|忘关|会喷|塌|麻了|又麻|起水泡|掉下.{0,6}(?:树枝|石|砖|瓦|冰|块)"
    ),
    # what is dangerous
    lower(
        "毒|农药|碱液|漂白|腐蚀|燃气|煤气|软管|漏|电箱|配电|插座|高压|反应釜|泄压|进罐|登高|圆锯|护罩|裁纸机|刀|井盖|扶手|栏杆|(?<!电|楼)梯|台阶|外墙|树枝|公牛|野猪|恶犬|铅|废气|尾气|发电机|井口?(?:没|边|里|深)|红火蚁|砖|放闸|水库|深水|泳池|没有救生员|水坑|涨水|水一涨|陷阱|猎户|池塘|河岸|岸边|汞|水银|氧气|雪崩|化学品|缆绳|绳子|松香水|汽油|稀料|甲醛|胶水|冷库|打不开|刹车|抱死|高温|蒸汽|开水|钢丝|铁轨|道口|电梯井|蜱|蛇|蜂|鼓包|电池|灶|报警器|消防|火警|悬崖|冰面|大狗|开水|明火|蜡烛|危险|松的|松动|(?:报警器|护栏|扶手|刹车|锁|路灯|阀门)坏了"
    ),
    # who must be called, and when
    lower("打(?:120|119|110)|急诊|救护车|急救|抢救|紧急|当天就|马上|立刻|(?:打|叫).{0,4}电话(?:给|$|[，。])|告诉(?:医生|护士|老师)|叫他停"),
    # who says so
    lower("医生|大夫|主任说|药师|护士|兽医|医院|化验"),
)  # fmt: skip

# --- binding ---------------------------------------------------------------------------------------

_MONTH: Final = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_WEEKDAY: Final = r"(?:mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thurs?(?:day)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
_WHEN: Final = rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|{_MONTH}\.? \d{{1,2}}|\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}|the \d{{1,2}}(?:st|nd|rd|th)\b|(?:next |this |on )?{_WEEKDAY}\b|tomorrow|tonight|today|noon|midnight|(?:the )?end of (?:the )?(?:{_MONTH}|day|week|month|year|quarter)|(?:next|this) (?:week|month|year|spring|summer|autumn|fall|winter)|{_MONTH}\b|christmas|easter|new year|\d{{1,2}}(?::\d\d)? ?[ap]m\b|\d{{1,2}}:\d\d)"
_MONEY: Final = r"(?:[€£$¥]\s?\d[\d,. ]*\d?k?|\d[\d,.]*k? ?(?:€|£|\$|euros?|eur|dollars?|usd|pounds?|gbp|quid|francs?|chf|cents?|yuan|rmb|kronor|per ?cent|%))"
_DUTY: Final = ByScript(
    r"\b(?:deadline|due (?:date|on|by|in|at|before|the|tomorrow|next|this)|is due|are due|falls due|overdue)\b",
    rf"\b(?:no later than|at the latest|latest by|not after|by|before|until|till|within)\b (?:at the latest |the latest )?{_WHEN}",
    r"\bwithin (?:\d+|two|three|four|five|six|seven|ten|fourteen|thirty|a|one) (?:working |business )?(?:hours?|days?|weeks?|months?)\b",
)
_OBLIGES: Final = ByScript(
    r"\b(?:deadline|due|must|have to|has to|need(?:s|ed)? to|required|is to|are to|shall|pay|paid|pays|submit\w{0,4}|send|deliver\w{0,2}|return|renew|hand(?:ed)? in|file|sign|register|cancel|ship|reply|confirm|vacate|repay|settle|transfer|apply|application|promised?|agreed|owe[sd]?|valid|expires?|ends?|runs out|closes|contract|lease|notice|warranty|guarantee|offer|invoice|tax|insurance|passport|visa|permit|licen[cs]e|ticket|vote|enrol\w{0,3}|i'll|i will|we'll|we will|he'll|she'll|they'll|will (?:be|have|pay|send|bring|return|deliver|finish|call|fix|repair|refund))\b"
)
_BINDS: Final = ByScript(
    r"\b(?:i|we|he|she|they|[A-Z][a-z]+) (?:have |has |had |just )?(?:solemnly )?(?:promised?|promises|swore|pledged|vowed|gave (?:my|her|his|their|our|\w+) word|guaranteed|committed (?:to|myself))\b",
    r"\b(?:i|we|you|he|she|they|[A-Z][a-z]+) (?:still )?owes? (?:\w+ ){1,3}",
    r"\b(?:i|we) (?:am|are|'m|'re) (?:bound|obliged|liable) to\b|\bmy word\b|\bi promise\b|\bpromise (?:to|that|made)\b",
    # prices
    rf"\b(?:rent|fee|fees|price|rate|tariff|deposit|salary|wage|premium|subscription|instal?ments?|mortgage|quote[sd]?|offer(?:ed)?|invoice|bid|budget|fine|toll|charges?|agreed|costs|is|at|pay|pays|for|discount|commission|surcharge|retainer|allowance|maintenance|alimony)\b.{{0,50}}{_MONEY}.{{0,25}}\b(?:per|a|an|each|every|monthly|weekly|yearly|annual\w{{0,2}}|net|gross|plus vat|from|until|for|in advance|hourly|upfront)\b",
    rf"\b(?:rent|fee|price|rate|deposit|salary|premium|quote[sd]?|invoice|budget|fine|retainer|commission|subscription|agreed)\b.{{0,50}}{_MONEY}",
    rf"{_MONEY}.{{0,30}}\b(?:rent|fee|deposit|salary|price|per (?:hour|day|week|month|year|unit|piece|head|person|kilo|tonne|square|seat|night)|a (?:month|year|week|day|head|piece)|monthly|an hour|up ?front|in advance|refund\w{{0,4}})\b",
    # decisions
    r"\b(?:we|they|board|team|council|committee|court|judge|family|parents|management|members|partners|school|company|tenants|residents|owners|client|customer)\b(?:'ve|'s| have| has| had)? (?:now |finally |all |both |unanimously )*(?:decid(?:ed|es)|agreed|settled on|voted|resolved|approved|ruled|chose|signed|opted|rejected)\b",
    r"\b(?:it is|it's|is|was|has been|are|been) (?:now |finally |officially |hereby )*(?:decided|agreed|settled|approved|signed|cancelled|canceled|called off|postponed|moved to|fixed for|final|binding|off the table)\b",
    r"\b(?:final decision|the decision (?:is|was|stands)|decided (?:against|that|once)|i(?:'ve| have)? (?:finally )?(?:decided (?:to (?:sell|buy|quit|leave|move|resign|keep|stop|accept|decline|cancel|go with)|against|on|that)|accepted|declined|resigned|signed|handed in my notice)|from now on|with immediate effect|as of (?:now|today|\d|next|"
    + _MONTH
    + r")|effective (?:from|immediately|\d))\b",
    # address, number
    r"\b(?:new|changed|changes|change of|different|updated|moved|switch(?:ed)?|replac\w{1,3}|no longer|instead|now)\b.{0,40}\b(?:address|telephone|(?:mobile|cell|phone) (?:is|number)|numbers?|e-?mail(?: address)?|bank account|account number|iban|postcode|zip code|door code|gate code|landline|surname|last name)\b",
    r"\b(?:address|phone|mobile|number|e-?mail|bank account|iban|postcode|door code|landline|surname)\b.{0,40}\b(?:is now|has changed|changed|changes|from now|will be|moved|new one|no longer)\b",
    r"\b(?:i|we|he|she|they|[A-Z][a-z]+|office|practice|shop|clinic|school|firm)(?:'ve|'s|'re|'m| have| has| are| is| am)? (?:just |now |finally )?(?:moved|moving|relocat(?:ed|ing)|moves) (?:in )?(?:to|into|from)\b.{0,60}(?:\d|street|road|avenue|lane|floor|building|square|straße|strasse|rue|via|flat|apartment|house|suite|way\b)",
    # appointments, contracts
    rf"\b(?:appointment|interview|exam|hearing|surgery|operation|flight|check-?up|viewing|inspection|handover|meeting with the|wedding|funeral|trial|court date|move-?out|parents' evening)\b.{{0,40}}\b(?:is|on|at|for|moved to|set for|in)\b.{{0,12}}{_WHEN}",
    r"\b(?:contract|lease|notice period|warranty|guarantee|visa|passport|permit|insurance|licen[cs]e|certificate|subscription|trial|offer|option|voucher|tenancy|membership)\b.{0,40}\b(?:expires?|runs? (?:out|until|to)|ends?|valid|lapses?|renews?|until|is \w+ (?:days|weeks|months)|terminat\w{1,4}|covers)\b",
)
_NUMBER: Final = r"\d{1,3}(?:[,.]\d{3})+|\d{2,6}(?![\d:.-])"
_BINDS_MORE: Final = ByScript(
    # a word that was given, in other words than "promise"
    r"\b(?:that's|it's|consider it) (?:a|the) (?:promise|deal|arrangement|agreement)\b|\bholding (?:you|him|her|them) to (?:it|that)\b|\bshook (?:hands )?on\b|\bi'll (?:pay|give|bring|send|return) (?:you|it|your|the|him|her|them)\b.{0,40}\b(?:back|as soon as|once|when|by|on|before)\b",
    r"\b(?:i|we|he|she|they|[A-Z][a-z]+)(?:'ve| have| had)? (?:said|told \w+|assured \w+)(?: that)? (?:i|we|he|she|they)(?:'d| would|'ll| will) (?:be|look|take|pay|bring|come|do|help|send|give|have|finish|call|drive|cover|keep|never|not|pick|write|stay|mind|feed|water)\b",
    # sums without a currency
    rf"\b(?:rent|price|fee|rate|salary|deposit|quote|asking|offer\w*|settled|premium|wage)\b.{{0,40}}\b(?:{_NUMBER})\b",
    rf"\b(?:{_NUMBER}) (?:a|per|each|an) (?:month|week|year|hour|day|night|head|person|piece|pair)\b|\b(?:{_NUMBER})\b.{{0,20}}\b(?:delivery included|no survey|all in|cash|plus vat|or nearest offer)\b",
    # decisions of one, and of bodies
    r"\b(?:has|have|'ve|'s) (?:finally |now |both |all )?decided (?:to|on|against|not|that)\b|\b(?:we|they) (?:have |'ve )?(?:settled|landed|agreed) on\b|\b(?:committee|council|board|court|judge|bank|school|landlord|insurer|management|union|members|residents) (?:has |have )?(?:turned down|rejected|refused|granted|upheld|dismissed|overruled|ordered|accepted|banned|allowed|wants?)\b",
    # what changes, and from when
    rf"\b(?:from|starting|as of|with effect from|since) (?:on )?(?:the )?(?:{_WHEN})\b.{{0,60}}\b(?:no longer|instead of|not|goes|go|costs?|will|closed?|closes|opens?|stops?|starts?|moves?|is|are|must|only|everything|all)\b|\b(?:goes|going|go|went) (?:up |down )?to \d+\b.{{0,20}}\b(?:a|per) (?:month|week|hour|year)\b",
    r"\b(?:code|password|lock|key|lawyers?|doctor|dentist|bank|school|provider|accountant|vet|landlord|supplier|insurer|gp|plan|route|time|place|venue|room)\b (?:has|have|is|was|'s) (?:now |been |just )?(?:changed|different|moved|switched)\b|\b(?:changed|switched) (?:our |my |the )?(?:lawyers?|doctors?|dentists?|banks?|schools?|providers?|accountants?|vets?|suppliers?|insurers?|gps?|plans?|rooms?)\b|\b(?:it's|it is|is) (?:\w+ ){1,4}now, (?:no longer|not)\b",
    rf"\b(?:every other|alternate|every second) {_WEEKDAY}s?\b.{{0,40}}\b(?:from|starting)\b|\b(?:wants?|needs?|expects?|must have)\b.{{0,40}}\bby (?:noon|midday|the|{_WHEN})",
)
# A day that is named in full, of something to come, binds until it.
_FULL_DAY: Final = lower(
    rf"\b(?:on|by|before|until|till|from) the (?:[12]?\d|3[01])(?:st|nd|rd|th)\b(?! (?:floor|street|century|time|place|birthday|minute|page))|\b(?:please|must|should|needs?|rsvp|reply|answer|send|pay|bring|return)\b.{{0,40}}\b(?:by|before) (?:{_WEEKDAY}|noon|midnight|tomorrow|{_MONTH})\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|\b{_MONTH}\.? \d{{1,2}}(?!\d)(?:st|nd|rd|th)?\b|\b20\d\d-\d\d-\d\d\b|[\d一二三四五六七八九十]{{1,3}}月[\d一二三四五六七八九十]{{1,3}}[号日]?",
)
_OVER: Final = lower(
    r"\b(?:was|were|went|had|did|came|got|saw|took|made|left|met|felt|bought|sold|ran|ate|drove|flew|won|lost|wrote|spent|began|fell|read|heard|found|gave|chose|broke|built|brought|caught|dealt|drew|drank|forgot|froze|grew|held|hid|hit|hurt|kept|knew|laid|led|lent|lit|meant|paid|put|rang|rode|rose|sang|sent|shook|shot|showed|slept|spoke|stole|stood|struck|swam|taught|thought|threw|told|understood|woke|wore|lay|sat|said|set off|ago|last|yesterday|since|back in|in (?:19|20[01])\d\d|(?!need|speed|indeed|feed|red\b|bed\b|closed|booked|called|named|signed|agreed|needed|hundred|attached|supposed|allowed|planned|scheduled|fixed|expected|reserved|required)\w{3,}ed)\b|昨|前天|上周|上个?月|去年|前年|那天|当时|那年|刚才|以来|(?<![不超经通])过(?![期去了后来])(?=[\u4e00-\u9fff\d])|(?<![除为罢])了(?=[\u4e00-\u9fff\d“《])|[了过](?:一[\u4e00-\u9fff]{1,3}|[\u4e00-\u9fff]{1,3})?[。！!~\s]*$",
)
_HAN_SUM: Final = "(?:[一二两三四五六七八九十]++[万千百][一二两三四五六七八九十百千零万]*+|\\d{3,}+)(?![张个卷页条次人份支只位公里米步字天])"
_HAN_WHEN: Final = "(?:[\\d一二三四五六七八九十两]+(?:月|号|日|点)|(?:这|本|下|下下)?(?:个)?(?:周|星期|礼拜)[一二三四五六日天末]|今天|明天|后天|大后天|今晚|明晚|明早|月底|年底|月初|年初|季度末|周末|节前|年前|春节|国庆|中秋|元旦|五一|学期末|\\d{4}-\\d\\d-\\d\\d|\\d{1,2}[./]\\d{1,2}|[一二两三四五六七八九十\\d]+(?:天|周|个月|个工作日|小时)[之以]?内|下个?月|明年|下周)"
_HAN_MONEY: Final = "(?:[￥¥]?[\\d,.]+|[一二两三四五六七八九十百千万零半]+)(?:多)?(?:元|块|万|美元|欧元|美金|港币|毛|千|百分点|个点)"
_BINDS_HAN: Final = ByScript(
    f"截止|最晚|最迟|不晚于|到期|期限|逾期|限期|{_HAN_WHEN}.{{0,6}}(?:之前|以前|前)(?!天|面|台|端|期|几)",
    "答应|承诺|保证过|向.{1,8}保证|说好了?|讲好|约好|约定|许诺|发过?誓|欠(?:着)?.{0,10}(?:钱|元|块|万|人情|一顿|个)|一言为定|拍胸脯|立了?字据|打了?欠条",
    f"(?:房租|租金|月租|押金|定金|订金|首付|尾款|货款|报价|单价|总价|价格|售价|价钱|费用|物业费|学费|会费|年费|工资|月薪|年薪|时薪|底薪|佣金|提成|奖金|预算|罚款|违约金|保费|利率|利息|折扣|手续费|服务费|收费|成交价|合同价|起步价|月供).{{0,20}}(?:{_HAN_MONEY}|[\\d.]+%|[一二两三四五六七八九\\d]折)",
    f"{_HAN_MONEY}.{{0,4}}(?:一个月|每月|一年|每年|一小时|每小时|一天|每天|一晚|一斤|一平|每平|每支|一支|一套|每套|一台|每台|一件|一节课|一课时|包干|成交|含税|不含税)|(?:涨|降|调|提)到.{{0,4}}{_HAN_MONEY}",
    "(?:决定|拍板|敲定|定下来|定了|商定|议定|表决|投票通过|一致同意|批准|批下来|审批通过|通过了.{0,8}(?:方案|决议|预算)|签了|签字|签约|签署|签好|最终选|选定|改为|改成|改到|改在|改期|延期到|推迟到|提前到|取消了|作废|从.{1,10}(?:起|开始)(?:一律|改|不再|执行|生效|都|由|就)|以后(?:都|一律|统一)|一律|生效|判决|裁定)",
    "(?:新|换了?|改了?|变更|更改|搬到|迁到|变成).{0,14}(?:地址|电话|手机号?|号码|邮箱|账号|账户|卡号|门牌|微信号|邮编|门禁码|住址|办公室)|(?:地址|电话|手机号?|号码|邮箱|账号|账户|卡号|微信号|住址|办公室).{0,14}(?:换|改|变|搬|迁|停用|作废|不用了|是新的)|(?:搬到|搬去|搬进|搬来|迁到|搬家到|搬至)(?:了)?.{0,20}(?:\\d|路|街|号|栋|楼|室|小区|区|大厦|村|镇|市|县|弄|巷|园)",
    f"(?:预约|挂号|挂了|面试|考试|开庭|手术|航班|火车|高铁|体检|复查|复诊|看房|交房|验收|家长会|婚礼|葬礼|签证|答辩|路考|退房).{{0,14}}{_HAN_WHEN}|{_HAN_WHEN}.{{0,14}}(?:预约|面试|考试|开庭|手术|航班|体检|复查|复诊|交房|验收|家长会|婚礼|葬礼|答辩|路考|交付|交货|付款|还款|还清|交钱|交稿|提交|上交|退房|续签|续费|缴费|缴清|结清|打款|付清|归还|还给|还我|发货|还车|交租|报到|报税)",
    "(?:合同|租约|租期|保修|质保|保险|签证|护照|驾照|许可证|身份证|会员|优惠券|通知期|试用期|年检|证书).{0,14}(?:到期|到|截止|有效|过期|续|终止|为期|满|期)",
)
_BINDS_HAN_MORE: Final = ByScript(
    "打(?:过|了)?包票|握(?:过|了)手|算数|说到做到|当面说(?:了|好|的|定)|(?:我|他|她|我们)(?:跟.{1,6}|对.{1,6}|向.{1,6})?说(?:过|了)?，?.{0,16}(?:一定到|一定去|一定来|帮.{0,6}(?:看|照|接|带)|整月|我来|我看着|我负责)|(?:我|他|她)(?:看着|照看|负责|顶着).{0,8}每(?:周|天|月)",
    f"(?:一共|总共|开价|报价|要价|叫价|喊价|成交|盘(?:出去|给)|转让|车|房子?|工钱|彩礼|价钱?|欠(?:着|你|我|他|她|人)?).{{0,10}}{_HAN_SUM}|(?:一小时|每小时|一个月|每月|一年|一节课|一晚){_HAN_SUM}|按(?:新|老|原)价|这个价|不再接别人的价|改价",
    "(?:最后|终于|已经)定(?:了|下)|(?<![固约稳肯一])定在|(?:会|局|庭|部|处|委|大会)(?:没)?(?:通过|定的|否决|驳回|同意)|(?:没|未)通过|去法院|法院.{0,6}(?:判|签|定)|不去.{1,8}了(?:[，。]|$)|轮着来|轮流",
    "(?:换成|换了|改由|改走|改找).{1,12}|(?:以后|今后|往后|从此).{0,14}(?:走|找|由|归|跟|寄|改|不再|只|先|收)|(?:密码|门禁|锁|钥匙|律师|医生|老师|时间|地点|路线|规矩|班次|流程).{0,4}(?:改|换|变)了|抬头.{0,4}(?:用|改)|(?:改成|改到|改为)",
    f"(?:做到|干到|上到|留到|住到|持续到|有效到|开到).{{0,6}}{_HAN_WHEN}|{_HAN_WHEN}.{{0,6}}(?:结束|截|开学|交(?!流|通)|还(?:给|钱|清|款|车|书)|看牙|报到)|约(?:上|好)?(?:在|了)",
)
_TRIVIAL: Final = ByScript(
    r"\b(?:haha+|lol|kidding|joking|i guess|i wonder|maybe|perhaps|wish(?:ed|es)?|dream(?:t|ed|ing)|lyrics|penalty|shoot-?out|goals?|the (?:game|match|film|movie|series|episode|book|story|plot|song)|remember when|as (?:they|people) say|good luck|for now\b|due for a|well[- ]deserved|proverb|(?:nobody|no one)(?: has| had)? promised|my word(?=[,!])|agreed that (?:the|this|it|that|his|her) (?:\w+ )?(?:was|is|were|are|tasted|looked|sounded|felt|smelled))\b",
    "哈哈|嘻嘻|嘿嘿|开玩笑|逗你|骗你的|说好的.{0,10}呢|(?:答应|保证|承诺)得|晴天|再睡|赖床|这部(?:剧|电影|片)|这剧|剧情|电影里|小说里|比分|点球|进球|球赛|好像|要是能|如果能|真希望|梦见|梦到|爷爷老这么|俗话|老话|谚语|决定再(?:睡|躺|吃|看)|(?:发誓|保证)这|手机壳|换(?:了|上)?(?:一?(?:件|条|双|副|身|顶|个[一-鿿]{1,2}色))",
    r"\b(?:what if|wish|maybe we could|used to cost|would have|i guess we could|just kidding|kidding|decided nothing|promised? (?:you )?(?:this is the last|myself a|the moon|the stars|the world)|of my life|once upon|as politicians)\b",
    "唯一的决定|的决定是|改嫁|摘星星|改天|人生的|再也不提|下次再说",
)
_CODE: Final = ByScript(
    r"\b(?:token|hash|sha-?\d*|commit|uuid|guid|checksum|api key|build|trace|request id|session id|ticket|tracking|serial|part number|order (?:id|no|number)|booking ref\w{0,6}|reference (?:number|no)|invoice (?:no|number)|ref)\b[^a-z]{0,4}(?:is|was|:|=|#|number|no\.?|id)?",
    "(?:令牌|哈希|校验码|序列号|流水号|订单号|单号|运单|快递单|批次号|追踪号|编号|提交号|取件码|会话)",
)


@lru_cache(maxsize=4096)  # a sweep asks the same of a held sentence every few passes
def protects(sentence: str) -> Protection | None:
    """Whether `sentence` protects somebody ("protective") or binds somebody ("binding"); None for
    any other. What does both is protective. A question is neither, nor what is told of a film or
    said in a figure of speech ("I'd kill for a coffee")."""
    said = _read(sentence)
    if len(said) < 4 or _REMARK.search(said[-40:]):
        return None
    if _is_protective(sentence[:LONGEST], said):
        return "protective"
    return "binding" if _is_binding(said) else None


def outright(sentence: str) -> bool:
    """Whether the day, the word or the sum by which `sentence` binds somebody is named outright, so
    that it is less likely to be small talk that sounds alike."""
    return _is_outright(_read(sentence))


def is_protective_by_pattern(sentence: str) -> bool:
    """Whether patterns find `sentence` to protect somebody, and not the sum of its words alone,
    which is more often small talk."""
    return _has_pattern(_read(sentence))


def is_surely_protective(sentence: str) -> bool:
    """Whether `sentence` protects somebody by patterns and by words: by the sum of these, or by one
    of what happens to a body or is eaten beside a pattern of more than two loose signs. Of what
    only the patterns or only the sum finds, every other is small talk."""
    said = _read(sentence)
    if protects(sentence) != "protective" or not _has_pattern(said):
        return False
    by_words = weighed(sentence)
    return by_words.surely or (by_words.bodily and _names_harm(said))


def _read(sentence: str) -> str:
    """What the rules read of a sentence."""
    return sentence[:LONGEST].replace("’", "'").lower()


def _is_protective(sentence: str, said: str) -> bool:
    """By patterns, or by classes of words; `said` is `sentence` as the rules read it."""
    by_words = weighed(sentence)
    if not by_words.protects and (by_words.idle or not _has_pattern(said)):
        return False
    return not (_FICTION.found_in(said) or _FIGURE.found_in(said) or _NOT_SO.found_in(said))


def _has_pattern(said: str) -> bool:
    return _names_harm(said) or _signs(said) >= _ENOUGH or harms(said)


def _names_harm(said: str) -> bool:
    return any(marks.found_in(said) for marks in (_ILL, _SICK, _DANGER, _MEDICINE, _BODY, _UNSAFE))


def _signs(said: str) -> int:
    """How many kinds of sign of harm to somebody a sentence has.

    What is eaten or who is called counts beside harm only: "buy milk, please" and "call me" protect
    nobody. A rule of any wording ("remember", "first", 记得, 先) counts beside an illness only,
    beside the rest what forbids or warns ("nobody may", "keep the children off", 别碰).
    """
    han = bool(_HAN_SIGN.search(said))
    kinds = _SIGNS_HAN if han else _SIGNS
    body, taken, eaten, happens, dangerous, called, carer = (bool(k.search(said)) for k in kinds)
    found = body + taken + happens + dangerous
    if not found and not carer:
        return 0
    found += eaten and (body or happens)
    found += called and (body or happens)
    found += carer and (taken or happens)
    if (body and (_RULES_HAN if han else _RULES).search(said)) or (
        _FORBIDS_HAN if han else _FORBIDS
    ).search(said):
        found += 1 + (carer and not body)
    return found


def _is_outright(said: str) -> bool:
    return bool(
        _BINDS.found_in(said)
        or _BINDS_MORE.found_in(said)
        or _BINDS_HAN.found_in(said)
        or _BINDS_HAN_MORE.found_in(said)
        or (_FULL_DAY.search(said) and not _OVER.search(said))
        or (_DUTY.found_in(said) and _OBLIGES.found_in(said))
    )


def _is_binding(said: str) -> bool:
    bound = _is_outright(said) or bonds(said)
    if not bound or _TRIVIAL.found_in(said):
        return False
    if _FICTION.found_in(said) and not _FULL_DAY.search(said):
        return False
    return not _is_reference(said)


def _is_reference(said: str) -> bool:
    """Whether an identifier is all that it says."""
    if not _CODE.found_in(said):
        return False
    long = max(_RUNS.findall(said), key=len, default="")
    return len(long) >= 6 and any(c.isdigit() for c in long)


_RUNS: Final = late(r"[A-Za-z0-9_+/=-]{6,64}")

# --- until when ------------------------------------------------------------------------------------

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAYS: Final = "mon tue wed thu fri sat sun".split()
_NUMERALS: Final = {name: n for n, name in enumerate("零一二三四五六七八九")} | {"两": 2}
_ISO: Final = late(r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_MONTH: Final = late(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?(?:,? ((?:19|20)\d\d))?", re.I
)
_MONTH_DAY: Final = late(
    rf"\b({_MONTH})\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? ((?:19|20)\d\d))?", re.I
)
_MONTH_END: Final = late(
    rf"\b(?:end of|until|by|before|in|through|late) ({_MONTH})\b(?! \d{{1,2}}\b)(?: ((?:19|20)\d\d))?",
    re.I,
)
_HAN_NUMBER: Final = "[\\d一二三四五六七八九十]{1,3}"
_HAN_DATE: Final = late(
    f"(?:((?:19|20)\\d\\d)年|(明年|今年|去年))?({_HAN_NUMBER})月(?:份)?(?:({_HAN_NUMBER})[日号]?|(底|末))?"
)
_HAN_DAY: Final = late(
    f"(?<![\\d月])({_HAN_NUMBER})号(?!楼|线|房|桌|机|院|库|门|店|位|仓|车|厂|码)"
)
_ORDINAL: Final = late(r"\bthe (\d{1,2})(?:st|nd|rd|th)\b(?! (?:of|floor|time|century))", re.I)
_WEEK: Final = late(rf"\b(next |this |on |by |until |before |till )?({_WEEKDAY})\b", re.I)
_HAN_WEEK: Final = late("(下下|下|这|本)?个?(?:周|星期|礼拜)([一二三四五六日天末])")
_AHEAD: Final = tuple(
    (late(pattern, re.I), days)
    for pattern, days in (
        (r"\btomorrow\b|明天|明早|明晚", 1), (r"\b(?:today|tonight)\b|今天|今晚", 0), ("大后天", 3), ("(?<!大)后天", 2),
        (r"\bnext week\b|下周(?![一二三四五六日天末])", 13), (r"\bend of (?:the |this )?week\b|周末", 6),
    )
)  # fmt: skip
_MONTH_CLOSE: Final = late(r"\bend of (?:the |this )?month\b|(?<![月\d])月底|这个月底|本月底", re.I)
_YEAR_CLOSE: Final = late(r"\bend of (?:the |this )?year\b|年底|年末", re.I)
_NEXT_MONTH: Final = late(r"\bnext month\b|下个?月", re.I)
_YEAR_ONLY: Final = late(
    r"\b(?:until|till|to|through|by|before|expires? in) ((?:19|20)\d\d)\b|((?:19|20)\d\d)年(?!\d{1,2}月)",
    re.I,
)
_WITHIN: Final = late(
    r"\b(?:within|in) (\d{1,3}|a|one|two|three|four|five|six|seven|ten|fourteen|thirty) (?:working |business )?(day|week|month)s?\b|([\d一二两三四五六七八九十]{1,3})个?(天|周|星期|月|工作日)[之以]?内",
    re.I,
)
_WORDED: Final = {
    "a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10,
    "fourteen": 14, "thirty": 30,
}  # fmt: skip
_UNIT: Final = {
    "day": 1,
    "week": 7,
    "month": 31,
    "天": 1,
    "周": 7,
    "星期": 7,
    "月": 31,
    "工作日": 2,
}

LATEST: Final = date(9899, 12, 31)
"""The last day from which days are counted on: dates end with the year 9999."""


def last_day(sentence: str, told: date) -> date | None:
    """The latest day that `sentence` names, told on day `told`; None if it names none.

    A day without a year is the next one; a month or year alone ends with its last day. Only what is
    written as a date, a weekday or a stretch from `told` on is read. A day after `LATEST` counts as
    it.
    """
    said = sentence[:LONGEST]
    told = min(told, LATEST)
    found: list[date] = []
    for read in (_calendar_days, _relative_days):
        found += read(said, told)
    return max(found, default=None)


def _calendar_days(said: str, told: date) -> list[date]:
    found: list[date | None] = [_day(int(y), int(m), int(d)) for y, m, d in _ISO.findall(said)]
    for day, month, year in _DAY_MONTH.findall(said):
        found.append(_next(told, year, _month(month), int(day)))
    for month, day, year in _MONTH_DAY.findall(said):
        found.append(_next(told, year, _month(month), int(day)))
    for month, year in _MONTH_END.findall(said):
        found.append(_next(told, year, _month(month), 0))
    for year, which, month, day, _ in _HAN_DATE.findall(said):
        if not year and which:
            year = str(told.year + {"明年": 1, "今年": 0, "去年": -1}[which])
        found.append(_next(told, year, _count(month), _count(day) if day else 0))
    if not any(found):
        for (number,) in (m.groups() for m in (*_ORDINAL.finditer(said), *_HAN_DAY.finditer(said))):
            found.append(_of_month(told, _count(number)))
        found += [_day(int(a or b), 12, 31) for a, b in _YEAR_ONLY.findall(said)]
    return [day for day in found if day is not None]


def _relative_days(said: str, told: date) -> list[date]:
    found = [told + timedelta(days) for pattern, days in _AHEAD if pattern.search(said)]
    for which, name in _WEEK.findall(said):
        ahead = (_DAYS.index(name[:3].lower()) - told.weekday()) % 7
        found.append(told + timedelta(ahead + 7 * (which.lower() == "next " and ahead < 7)))
    for which, name in _HAN_WEEK.findall(said):
        weekday = "一二三四五六日".index({"天": "日", "末": "日"}.get(name, name))
        weeks = {"下": 1, "下下": 2}.get(which, 0)
        ahead = weekday - told.weekday() + 7 * weeks
        found.append(told + timedelta(ahead if which or ahead >= 0 else ahead + 7))
    if _MONTH_CLOSE.search(said):
        found.append(told.replace(day=monthrange(told.year, told.month)[1]))
    if _YEAR_CLOSE.search(said):
        found.append(date(told.year, 12, 31))
    if _NEXT_MONTH.search(said):
        after = told.replace(day=28) + timedelta(4)
        found.append(after.replace(day=monthrange(after.year, after.month)[1]))
    for count, unit, han_count, han_unit in _WITHIN.findall(said):
        number = _WORDED.get(count.lower()) or _count(count or han_count)
        found.append(told + timedelta(number * _UNIT[(unit or han_unit).lower()]))
    return found


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _count(number: str) -> int:
    """A number up to 99 in figures or Chinese numerals; 0 for what is none."""
    if number.isdigit():
        return int(number)
    tens, ten, ones = number.partition("十")
    if not ten:
        return _NUMERALS.get(number, 0)
    return 10 * _NUMERALS.get(tens, 1) + _NUMERALS.get(ones, 0)


def _day(year: int, month: int, day: int) -> date | None:
    """A day, the last of the month for day 0; None if there is none such."""
    if not (1 <= month <= 12 and 1 <= year <= 9998):
        return None
    last = monthrange(year, month)[1]
    return date(year, month, day or last) if day <= last else None


def _next(told: date, year: str, month: int, day: int) -> date | None:
    """The day of that year, else the first such day that is not before `told`."""
    if year:
        return _day(int(year), month, day)
    this = _day(told.year, month, day)
    return this if this is None or this >= told else _day(told.year + 1, month, day)


def _of_month(told: date, day: int) -> date | None:
    """The next day of that number in this month or the following."""
    if not 1 <= day <= 31:
        return None
    this = _day(told.year, told.month, day)
    if this is not None and this >= told:
        return this
    year, month = (told.year, told.month + 1) if told.month < 12 else (told.year + 1, 1)
    return _day(year, month, day)
