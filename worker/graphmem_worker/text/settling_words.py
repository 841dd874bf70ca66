# ruff: noqa: E501 (a table of words is read best in long lines)
"""Words of which decisions are made, and those that tell that nothing was decided, by class.

As `lexicon` reads them. The weights were fitted by logistic regression.
"""

from __future__ import annotations

from typing import Final

ENGLISH: Final = {
    # Said before what two have agreed on.
    "agree": """
        fine, ok, okay, right, alright, all right, deal, done, settled, sold, agreed, good, very well, fair enough, in that case, that settles it, righto, so be it, you win, right then, okay then, well then, decided, it's a deal, forget it, never mind, anyway, so, yes, yep, no, nope
    """,
    "settle": """
        cleared, turned us down, ruled, passed, carried, landed on, made peace with, settled for, going ahead, is going ahead, is on, goes ahead, it's a go, no go, it's happening, that's happening, approved,
        decide, decision, settle, agree, agreement, finalise, finalize, confirm, commit, resolve, conclude, official, sign off, signed off, approve, vote, elect, unanimous, unanimously, lock in, locked in, nail down, nailed down, green light, go ahead, made up my mind, made up our mind, made up their mind, made her mind, made his mind, mind is made up, mind's made up, shake hand, shook hand, shook on, verdict, choose, chose, chosen, choice, opt, pick, select, plump, go with, went with, go for, went for, going with, going for, land on, end up, set on, ruling, final, come down on, fix, say yes, say no, said yes, said no, told them no, told him no, told her no, told them yes, win, won out, carried, motion, consensus, sort, all set, done deal, stone, plan is, plan now, the plan, policy, rule is, sign, overrule, outvote, put my foot down, put her foot down, put his foot down, that's the end of it, call it, pull the plug, draw the line, drew the line, pull the trigger, take the plunge, took the plunge, bite the bullet, bit the bullet, made the call, make the call, gave in, give in, put my name down, put our name down, put down a deposit, a deposit, the deposit, seal, sealed, draw a line, drew a line, swore, promise, vow, pledge
    """,
    # What is done when one has decided.
    "act": """
        sing, handed in, hand in, taking, redundancy, hire, retire, skip, phased out, build, built, edit, chip in, sleep, meet, rename, run again, vetoed, veto, mark, extend, cap, restrict, outsource, merge with, moving in, move in, move out, going on the market, on the market, put up for sale, put on, close down, wind up, wind down, let it go, park, ship it, pilot, trial, standardise, standardize, rotate, swap for, rewrite, refactor, deprecate, roll,
        book, order, sign up, enrol, enroll, register, buy, bought, sell, rent, hire, cancel, quit, resign, accept, decline, turn down, turn it down, turned down, reject, refuse, drop, scrap, skip, ditch, switch, swap, replace, keep, kept, give up, gave up, giving up, adopt, take on, took on, hand over, hand in, hand back, pass on, put off, postpone, push back, push, bring forward, reschedule, stick with, stick to, sticking, stuck with, stay with, stay put, hold off, pull out, back out, call off, split, share, shelve, axe, bin, retire, phase out, roll out, launch, freeze, ban, fire, let go, propose, marry, trade in, trade, give away, donate, close, shut, cut, roll back, revert, merge, ship, migrate, use, go back to, start, stop, remove, rule out, ruled out, throw out, get rid, do without, cross off, leave out, left out, reserve, host, paint, convert, outsource, delay, wait, pay, take, took, get, leave, left, move, go, send, lend, borrow, install, fit, put, pick up, sign, renew, join, transfer, shift, limit, raise, lower, double, halve, call her, call him, call it, name, knock down, tear down, pull down, tear out, rip out, open, merge, dig, plant, build, bake, cater, swap out, opt out, bow out, step down, stand down, turn over, hang on to, hold on to, hold onto, pass up, back to, over to
    """,
    "future": """
        will, we'll, i'll, they'll, he'll, she'll, it'll, that'll, gonna, going to, shall, won't, from now on, from then on, from here on, starting, as of, effective, from next, from today, from tomorrow, from monday, from tuesday, from wednesday, from thursday, from friday, from saturday, from sunday, from january, from february, from march, from april, from may, from june, from july, from august, from september, from october, from november, from december, this time, next year, next month, next week, henceforth, going forward, for now, until further notice, instead
    """,
    "we": """
        we, us, we're, we've, both of us, all of us, we'll, the two of us, our, ours
    """,
    "body": """
        team, board, committee, everyone, everybody, family, council, jury, management, court, judge, landlord, school, bank, boss, panel, union, assembly, residents, members, parents, owners, editor, director, government, headteacher, chair, partners, shareholders
    """,
    "i": """
        i, i'll, i'm, i've, me, my, mine
    """,
    "other": """
        he, she, they, he's, she's, they're, they've, mum, mom, dad, mother, father, sister, brother, son, daughter, wife, husband, gran, grandma, grandpa, nan, kids, twins, uncle, aunt, cousin, neighbour, neighbor, girls, boys
    """,
    "lets": "let's, let us",
    "exclude": """
        no more, any more, anymore, no longer, instead, instead of, rather than, rather, would rather, we'd rather, i'd rather, only, just the, never again, without, nothing else, that's it, for good, once and for all, except, apart from, over, not both, not three, not two, one less, not worth, neither, won't be, don't need, not going to, aren't going to, isn't happening, is off, are off, off the table, off the list, off the menu, out of the question, is out, are out, is over, no exceptions, not this year, after all, either way
    """,
    "rule": """
        must, never, every, everyone, everybody, nobody, no one, whoever, has to, not allowed, allowed, off limits, rule, stays, stay, by default, at all times, each, at most, no later than, mandatory, compulsory, forbidden, banned, required, strictly, without exception
    """,
    "assign": """
        in charge, responsible, lead, leads, take over, takes over, handle, handles, drives, cooks, brings, on duty, turn, owns, gets, keeps, goes to, takes, does, writes, runs, chairs, hosts, picks up, covers, looks after, look after, deals with, pays, moves in, moves, starts, stays, teaches, goes, comes, sleeps, books, orders, cleans, feeds, walks, is on
    """,
    "time": """
        monday, tuesday, wednesday, thursday, friday, saturday, sunday, january, february, march, april, june, july, august, september, october, november, december, tonight, tomorrow, next, week, weekend, spring, summer, autumn, winter, easter, christmas, o'clock, noon, midnight, until, till, half past, quarter past, quarter to, at six, at seven, at eight, at nine, at ten, at five, at four, at three, at two, at one, at half, term, this year, this month, the 1st, the 2nd, the 3rd, 14th, 15th, 9th, new year, holidays, for a month, for a year
    """,
    "result": """
        in the end, finally, eventually, after all, that's that, end of story, no discussion, no arguments, final answer, case closed, talked it over, talk it over, talked it through, talk it through, slept on it, sleep on it, thought it over, thought about it, on balance, all things considered, long discussion, after much, long talk, then, once and for all, that's final, and that's it, it is, so that's, that's what, end of it, end of that, no going back, job done, the upshot, turns out, weighed it up, went back and forth, went round and round, two days of, hours of, a week of
    """,
    "wish": """
        wish, hope, would love, would like, i'd love, i'd like, we'd love, we'd like, he'd like, she'd like, dream, want, wanna, wants, if only, fancy, dying to, can't wait, excited, look forward, looking forward, keen, would be, it'd be, daydream, one day, someday, some day, ideally, i'd give, wouldn't mind, aim, goal, try
    """,
    "guess": """
        maybe, perhaps, might, could, probably, possibly, seem, wonder, not sure, consider, considering, think about, thinking about, thinking of, think of, tempted, unsure, undecided, guess, suppose, likely, toy with, toying, either, whether, on the fence, torn, leaning, no idea, haven't decided, not decided, yet to decide, still deciding, depends, depend, up in the air, tbd, can't decide, cannot decide, hasn't decided, hard to choose, not yet, open question, no decision, undecided, debating, mulling, mull, in two minds, still not, may well, looks like, i think, i bet, presumably, doubt, could be, may be, sort of, half thinking, halfway
    """,
    "cond": """
        if, unless, whether, would, wouldn't, assuming, provided, in case, were to, would have, if we, if i, if they, should, as long as, depending, otherwise
    """,
    "suggest": """
        should, how about, why don't, what about, shall we, could we, suggest, recommend, ought, better, may want, might want, advise, keeps saying, thinks we, reckons, says we should, wants us to, wants me to, asked whether, asked if, why not, propose, proposes, proposing, proposal, pitch, pitched, idea, argue, argues, argued, asked us to, asked me to, keen on, offered to, offers to, begged, pushing for
    """,
    "report": """
        hear, heard, apparently, news, they say, reportedly, rumour, rumor, read, article, according, says that, on the radio, on tv, in the paper, told me about, story, anecdote, gossip
    """,
    "past": """
        was, were, did, had, used to, ago, last, yesterday, once, when i was, back then, as a kid, as a child, remember, been, didn't, wasn't, weren't, hadn't, in those days, went, came, saw, told, said, got, years, back in, last year, last week, last month, the other day, this morning
    """,
    "habit": """
        usually, often, sometimes, always, every morning, every day, every night, every evening, every summer, every winter, every time, normally, most days, tend, generally, typically, regularly, all the time, each morning, on sundays, on mondays, on saturdays, keeps, whenever, twice a week, once a week, these days, as usual
    """,
    "court": """
        thanks, thank, congrats, congratulation, good luck, proud, take care, bye, hi, hey, hello, wow, awesome, amazing, great, cool, sounds, glad, happy, inspiring, inspire, hang in there, let me know, welcome, cheers, keep up, keep it up, you got this, well done, so much, really, haha, lol, sure, absolutely, definitely, nice, see you, talk soon, sorry
    """,
    "feel": """
        love, like, feel, felt, enjoy, miss, hate, afraid, scared, nervous, worry, worried, tired, bored, grateful, fun, beautiful, lovely, special, memory, passion, hurts, ache, delicious, tasty, smell, looks, smells, tastes, sounds, ridiculous, funny, sad, cute, ugly, weird, odd, strange, surprised, impressed, support, journey, bond, positive, enough
    """,
    "state": """
        is, are, it's, there's, there, has, have, he's, she's, they're, that's, isn't, aren't, hasn't, haven't, been
    """,
    "you": "you, your, you're, you'll, you've, you'd, yours, yourself",
    "advice": """
        you should, you could, you can, make sure, remember to, don't forget, try to, be sure, feel free, why not, important to, you need, you may, you might, you have to, please, could you, can you, would you, consider, tips, here are, it's important
    """,
    "busy": """
        take a look, have a look, nap, coffee, be right back, let you know, be back, get back, do my best, see, try, check, ask, think, bed, home, shower, walk, drink, lunch, on my way, running late, be late, call you, text you, sleep, sit down, rest, break, moment, minute, second, catch, ready, a bit
    """,
    "fiction": """
        film, movie, novel, book, episode, character, plot, hero, villain, chapter, song, lyric, series, season, story, play, game, documentary, podcast, poem
    """,
    "not": "not, don't, doesn't, won't, isn't, aren't, no, never, can't, didn't, nothing, nobody, none, without",
    "unreal": """
        nearly, almost, was going to, were going to, was about to, were about to, about to, meant to, planned to, had planned, but never, never happened, and then life, fell through, used to, my money's on, i bet, my bet, didn't sign, forgot to, supposed to, wanted to, hoped to, was hoping, if only, sometime, some time, in theory, in a dream, dreamt, pretend, imagine, kidding, joking, suppose we, once upon, could have, would have, should have, might have, must have, must be, must feel, tried to, try to
    """,
    "done": """
        paid, booked, arranged, official, officially, is signed, papers are, paperwork, all sorted, all arranged, contract, lease, deposit, is down, written down, on paper, in writing, minuted, it's decided, that's decided, clear, end of discussion, on board, nobody is going to argue, no objection, nobody objected, everyone's happy, everyone is happy, all agreed, all in favour, all in favor, in favour, by a majority, majority, nine to two, update from, announcement, memo, notice, agreed with, cleared it with, talked to, told the landlord, told my boss, told them, told him, told her
    """,
    "none": """
        right now, right away, right there, right next, right by, right after, all right there, next to, next door, a good, so much, so many, so far, no idea, no wonder, no problem, no worries, so good, so nice, so happy, so glad, so proud, the other day, good morning, good night, good evening, good idea, good time, good day, right side, right hand, of course, kind of, sort of thing, last but, move on, moving on, keep going, keep in touch, used to, get to know, go home, go to bed, keep pushing, take a look, get home, get back, at least, take time, took ages, get along, make sure, so cool, so sweet, so sorry, such a good, go wrong, goes wrong, going on, went on, went well, went badly, goes well, going well, go well, get up, got up, get better, getting better, took place, takes place, take place, takes ages, gets dark, put together, put up with, open up, opened up, starts at, starts in, takes an hour, takes two hours, left over, left behind, how it goes, cut my, cut her, cut his, drop by, drops, get cold, get late, got late, leave the house, left the house
    """,
}

CHINESE: Final = {
    "agree": """
        行, 好, 成, 那行, 那好, 好吧, 行吧, 可以, 得, 得了, 中, 妥, 就这样, 那成, 好嘞, 没问题, 算了, 罢了, 那就, 也好, 也行
    """,
    "settle": """
        决定, 选定, 选了, 选择, 采用, 定了, 定在, 定为, 定下, 定好, 敲定, 拍板, 拍了板, 同意, 批准, 批了, 通过, 答应, 约定, 约好, 说好, 说定, 讲定, 谈妥, 谈好, 谈定, 谈拢, 商量好, 商量过, 商量下来, 讨论过, 合计, 想好了, 想清楚, 想通, 主意定, 打定主意, 下定决心, 下了决心, 铁了心, 表决, 投票, 一致, 全票, 举手, 没人反对, 没意见, 不反悔, 不改了, 别改了, 签了, 签完, 签字, 签合同, 就这么, 就这样, 这么定, 结论, 裁定, 判, 中标, 录用, 任命, 聘, 最终, 最后, 到头来, 末了, 想来想去, 还是, 干脆, 索性, 一锤定音, 拿定, 定死, 定价, 定稿, 定案, 成交, 发话, 点头, 点了头, 松口, 认了, 保证, 发誓, 立下, 立了规矩, 规矩, 规定, 正式
    """,
    "act": """
        放家, 放弃, 改选, 对调, 推到, 推后, 走高速, 送人, 送走, 参选, 保守治疗, 住校, 上那所, 就上, 选的, 租一个, 归老, 归她, 归他, 归我, 留下, 不动, 拿赔偿, 私立, 单独, 合并, 卸任, 换地方, 换新, 重写, 维护老, 抵押, 过户, 赎回, 微创, 手术,
        订了, 订好, 买了, 买下, 租了, 租下, 卖了, 卖掉, 退了, 退掉, 退货, 退租, 退群, 退出, 取消, 推掉, 推了, 推迟, 提前, 改到, 改成, 改为, 改用, 改在, 改签, 改走, 改坐, 改吃, 改去, 改由, 改天, 换成, 换到, 换掉, 换了, 挪到, 搬到, 搬去, 搬回, 转到, 转给, 交给, 留给, 让给, 送给, 捐给, 捐了, 报了, 报名, 辞了, 辞职, 辞掉, 请了, 雇, 停掉, 停了, 停用, 停办, 停产, 停课, 砍掉, 砍了, 去掉, 删掉, 拿掉, 撤掉, 撤了, 拆了, 拆掉, 关掉, 关门, 放弃, 放在, 设在, 续签, 续租, 续费, 不续, 迁到, 接下, 接手, 接了, 拒了, 拒绝, 回绝, 驳回, 否了, 否掉, 用, 走, 坐, 选, 租, 买, 订, 去, 留, 养, 请, 叫, 签, 付, 押, 分, 轮流, 轮着, 平摊, 各出, 一人一半, AA, 负责, 由, 归, 包给, 外包, 上线, 下线, 作废, 暂停, 照旧, 照办, 照常, 按, 统一, 挂出去, 搬, 换, 改, 停, 退, 戒, 开除, 不让, 涨到, 降到, 调到, 减到, 加到, 限, 控制在, 集合, 见面, 碰头, 出发, 动工, 开工, 办, 装, 刷, 铺, 种, 拆, 卖, 捐, 寄, 发, 领养, 离婚, 结婚, 分手, 同居, 退休, 转学, 休学, 上学, 起名, 取名, 就叫
    """,
    "future": """
        以后, 往后, 今后, 从此, 从今, 下周, 下个月, 下月, 下学期, 明天, 明年, 后天, 今晚, 开始, 月起, 号起, 日起, 年起, 周起, 起, 将, 会, 要, 打算, 准备, 到时候, 先, 再, 暂时, 过年, 年底, 月底, 年后, 节后
    """,
    "we": "我们, 咱们, 咱, 咱家, 我们家, 咱俩, 我俩, 大家, 全家, 一家",
    "body": "老板, 领导, 经理, 主任, 院长, 校长, 公司, 委员会, 董事会, 理事会, 评委, 裁判, 法院, 大会, 班主任, 教练, 业主, 房东, 银行, 学校, 院里, 社里, 村里, 上面, 上头, 组里, 部门, 会上, 家长会, 居委会, 物业, 单位",
    "i": "我",
    "other": "他, 她, 爸, 妈, 爷爷, 奶奶, 外公, 外婆, 哥, 姐, 弟, 妹, 儿子, 女儿, 老公, 老婆, 孩子, 小, 老, 阿",
    "lets": "吧, 咱们, 就, 让我们",
    "exclude": """
        不再, 不了, 别, 不用, 不要, 不等, 不去, 不买, 不办, 不搬, 不装, 不租, 不接, 不养, 不签, 不请, 不换, 不做, 不走, 不吃, 不订, 不考, 不开, 不干, 不要了, 不考虑, 只, 只要, 只用, 只收, 只留, 一律, 一概, 全都, 统统, 而不是, 不是, 代替, 取代, 除了, 其他的, 别的, 算了, 免了, 作罢, 没戏, 到此为止, 彻底, 再也不, 宁可, 与其, 也不, 都不, 就不, 没必要, 不必, 不许, 不准, 谁也, 谁都
    """,
    "left": "不",
    "rule": "必须, 务必, 不得, 禁止, 不许, 不准, 只许, 只准, 谁都, 谁也, 每, 一律, 都得, 得先, 都要, 统一, 严禁, 硬性, 规矩, 规定, 至少, 最多, 不超过, 以内, 一人一, 轮流",
    "assign": "负责, 来做, 来带, 来写, 来开, 来订, 来买, 来管, 来接, 由, 归, 牵头, 主持, 带队, 值班, 掌勺, 跟着, 接送, 出钱, 请客, 你来, 我来, 他来, 她来, 交给, 包给, 管",
    "time": "周一, 周二, 周三, 周四, 周五, 周六, 周日, 周末, 星期, 礼拜, 月, 号, 点, 上午, 下午, 晚上, 中午, 早上, 明天, 后天, 今晚, 下周, 下个月, 明年, 春节, 国庆, 中秋, 元旦, 五一, 十一, 暑假, 寒假, 年底, 学期",
    "result": "最后, 最终, 结果, 到头来, 末了, 想来想去, 商量来商量去, 聊了, 谈了, 吵了, 比来比去, 纠结, 开会, 投票, 反复, 权衡, 掂量, 讨论, 合计, 一宿, 终于, 总算, 所以, 于是, 那就",
    "wish": "想, 希望, 但愿, 真想, 好想, 巴不得, 梦想, 盼, 愿意, 要是, 恨不得, 向往, 期待, 祝, 争取, 努力, 尽量, 目标",
    "guess": "也许, 可能, 大概, 说不定, 好像, 似乎, 考虑, 要不要, 犹豫, 纠结, 没想好, 没定, 不确定, 不一定, 恐怕, 估计, 看样子, 没准, 或许, 再说吧, 再看看, 看看再, 还在, 拿不准, 拿不定, 没决定, 还没, 未定, 待定, 应该, 差不多, 有点想, 倾向, 难说, 不好说, 猜, 应该是, 怕是, 动了心, 心动, 正在看, 在看, 在想, 到底",
    "cond": "如果, 要是, 假如, 万一, 除非, 的话, 只要, 若, 倘若, 一旦, 假设, 换作, 本来, 原本, 早知道, 否则, 不然",
    "suggest": "建议, 要不, 不如, 不妨, 提议, 提出, 主张, 劝, 推荐, 应该, 应当, 最好, 可以考虑, 怎么样, 好不好, 行不行, 如何, 想让, 催, 老说, 一直说, 觉得, 认为, 听我的, 何不, 你可以, 试试",
    "report": "听说, 据说, 新闻, 报道, 传闻, 有人说, 网上说, 文章, 公众号, 看到, 他们说, 传",
    "past": "以前, 从前, 小时候, 当年, 那时, 去年, 前年, 昨天, 昨晚, 上次, 上周, 曾经, 过, 刚才, 刚刚, 前几天, 前天, 那年, 那天, 年前, 当时",
    "habit": "平时, 经常, 常常, 总是, 每次, 通常, 一般, 习惯, 老是, 往往, 有时, 偶尔, 向来, 一直, 每天早上, 一到, 天天",
    "court": "谢谢, 你好, 您好, 加油, 恭喜, 太好了, 真棒, 不客气, 没关系, 再见, 晚安, 哈哈, 当然, 很高兴, 祝你, 真的, 太棒, 不错, 听起来, 很好, 感谢, 抱歉, 对不起, 辛苦",
    "feel": "喜欢, 爱, 讨厌, 觉得, 感觉, 开心, 难过, 害怕, 担心, 累, 好吃, 好看, 有趣, 好玩, 漂亮, 可爱, 舒服, 难受, 怀念, 感动, 疼, 烦, 羡慕, 佩服, 惊喜, 幸福, 压力, 情绪, 心情, 美, 真",
    "state": "是, 有, 在, 很, 的, 着, 特别, 非常, 太, 挺, 比, 像, 没有",
    "you": "你, 您, 你们",
    "advice": "你可以, 您可以, 可以尝试, 可以试, 建议你, 建议您, 记得, 别忘, 注意, 请, 帮我, 能不能, 可不可以, 需要, 应该, 重要, 尝试, 保持, 首先, 其次, 以下, 例如, 比如, 选择自己, 不妨, 多, 学会",
    "busy": "洗澡, 睡觉, 吃饭, 上厕所, 马上回来, 等一下, 稍等, 一会, 待会, 回头, 看看, 试试, 问问, 喝水, 休息, 散步, 出门, 下楼, 躺, 眯",
    "fiction": "电影, 小说, 电视剧, 剧情, 主角, 女主, 男主, 大结局, 歌, 漫画, 游戏, 书里, 剧里, 故事, 综艺, 球赛",
    "not": "不, 别, 没, 无, 勿, 未",
    "ask": "吗, 呢, 么, 怎么, 什么, 哪, 谁, 几, 多少, 是不是, 要不要, 能不能, 会不会",
    "le": "了",
    "unreal": """
        差点, 差一点, 本来, 原本, 正要, 原打算, 后来没, 没成, 忘了, 梦见, 假装, 开玩笑, 随口, 多半, 我猜, 有条件, 早知道, 想过, 曾想, 说笑, 要是, 如果, 总有一天, 有一天, 男主, 女主, 里头说
    """,
    "done": """
        付了, 交了, 押金, 定金, 手续, 签了字, 都签了, 文件, 安排好, 说好的, 说妥, 说定, 办完, 办妥, 正式, 通知, 公告, 敲定, 定下, 没人反对, 没异议, 一致, 讲好, 讲定, 谈好, 板上钉钉, 落定, 不商量, 别再说, 就这么, 黄了, 泡汤, 生效, 说了算, 我跟, 跟他说, 跟她说
    """,
    "none": """
        还是不行, 不是吗, 不得了, 不得不, 不好意思, 不客气, 不错, 不知道, 不对, 不同, 不一样, 不太, 不好, 不行, 不会, 不能, 不够, 不舒服, 不少, 不久, 不过, 不但, 不仅, 差不多, 了不起, 对不起, 只是, 只有, 特别, 别人, 别的, 区别, 分别, 告别, 级别, 个别, 性别, 识别, 好多, 好像, 好久, 好吃, 好看, 好玩, 好喝, 好听, 好几, 好处, 好笑, 好奇, 爱好, 刚好, 正好, 恰好, 良好, 友好, 美好, 最好, 只好, 你好, 您好, 好朋友, 好人, 行为, 行动, 银行, 旅行, 进行, 流行, 自行车, 行李, 飞行, 成为, 成功, 完成, 成绩, 成长, 变成, 形成, 成年, 成都, 做成, 组成, 有用, 作用, 使用, 费用, 用处, 用户, 应用, 信用, 利用, 实用, 用完, 用了, 走路, 走过, 走了, 走丢, 走神, 坐着, 坐在, 坐了, 去过, 去年, 过去, 去了, 回去, 出去, 进去, 上去, 下去, 失去, 去世, 看去, 留下, 留言, 留学, 培养, 养成, 营养, 叫做, 叫我, 名叫, 叫声, 请问, 请教, 请假, 邀请, 申请, 发现, 发生, 发烧, 发展, 出发点, 头发, 沙发, 开发, 发音, 发呆, 理发, 会议, 机会, 社会, 聚会, 晚会, 一会, 体会, 学会, 要求, 主要, 重要, 需要, 要紧, 要么, 只要, 原先, 先生, 首先, 祖先, 再见, 一起, 起来, 起床, 对不起, 看起来, 想起, 提起, 了解, 除了, 为了, 周围, 分钟, 分享, 十分, 部分, 充分, 分析, 过分, 分数, 办法, 办公, 怎么办, 就是, 就在, 就像, 还在, 换季, 改变, 改善, 停车, 停电, 停在, 装修, 服装, 包装, 假装, 铺子, 种类, 各种, 那种, 这种, 一种, 种子, 有限, 无限, 期限, 年限, 卖点, 买单, 按时, 按摩, 月亮, 岁月, 号码, 信号, 一点, 有点, 地点, 重点, 特点, 优点, 缺点, 点头, 早点, 晚点, 快点, 管理, 不管, 尽管, 水管, 血管, 只管, 归来, 回归, 由于, 自由, 理由, 缘由, 由衷
    """,
}

WEIGHTS: Final = {
    "bare past": 176, "not v le": 132, "going": 124, "from when": 123, "agreed": 122, "topic v": 119, "x not y": 108, "exclude": 105, "told": 104, "we ing": 103, "act": 99, "has done": 98, "settle": 97, "v into": 97, "begins": 90, "until": 86, "we": 86, "clauses": 84, "done": 84, "rule": 80, "bare ing": 77, "we base": 77, "we past": 75, "v le": 74, "result": 73, "verdict": 72, "name past": 69, "it is": 68, "we will": 67, "opens ok": 64, "v not": 64, "了": 64, "commit": 58, "characters": 57, "named": 57, "time": 55, "body": 52, "i v": 51, "by whom": 39, "opens act": 38, "吧": 37, "then v": 28, "ended up": 27, "label": 26, "other": 25, "future": 24, "passive": 22, "就": 22, "opens lets": -3, "opens i": -29, "if": -46, "suggest": -47, "i": -48, "opens past": -53, "ask": -55, "state": -57, "guess": -59, "past time": -60, "fiction": -63, "they": -64, "you": -68, "report": -69, "unreal": -74, "generic": -88, "person": -88, "habit": -97, "cond": -102, "long": -111, "past": -111, "feel": -112, "unreal pattern": -119, "wish": -120, "proposed": -121, "shouts": -186, "court": -202, "asks": -211,
}  # fmt: skip
"""What a feature of a sentence tells, in hundredths of a nat."""

TERMS: Final = {
    "the": 98, "no": 74, "back": 64, "move to": 64, " 号": 61, "主": 57, "我来": 57, "过": 57, "班": 56, "改": 54, "续": 53, "那": 53, "，你": 53, "now": 52, "，不": 50, "be": 49, "给": 49, "we'r": 48, "窗": 48, "^i'v": 47, "done": 47, "爸": 47, "under": 46, "掉": 45, "跟": 45, "offer": 44, "辞": 44, "night": 43, "said": 43, "will be": 43, "考虑": 43, "在家": 42, "室": 42, "我": 42, "掉$": 42, "掉。": 42, "生": 42, "的": 42, "虑": 42, "# th": 41, "for": 41, "room": 41, "stage": 41, "th": 41, "卡": 41, "回去": 41, "^two": 40, "两个": 40, "问": 40, "the #": 39, "木": 39, "请": 39, "出": 38, "节": 38, "^we'll": 37, "enough": 37, "来了": 37, "退": 37, "# per": 36, "without": 36, "子": 36, "接": 36, "放": 36, "four": 34, "per cent": 34, "stand": 34, "year": 34, "早班": 34, "月": 34, "用$": 34, "用。": 34, "订，": 34, "质": 34, "ask": 33, "down": 33, "from": 33, "it a": 33, "keep the": 33, "us": 33, "we'll": 33, "个$": 33, "个。": 33, "的那": 33, "统": 33, "调": 33, "^ok": 32, "invoic": 32, "now on": 32, "ring": 32, "the ring": 32, "told": 32, "今": 32, "医": 32, "医生": 32, "回": 32, "推": 32, "行，": 32, "a month": 31, "card": 31, "go by": 31, "to the": 31, "上的": 31, "买": 31, "了，": 31, "商": 31, "奶": 31, "年$": 31, "年。": 31, "用": 31, "过了": 31, "desk": 30, "hand": 30, "it is": 30, "the offer": 30, "we'd": 30, "丁": 30, "就定": 30, "^行": 29, "becom": 29, "from now": 29, "ok": 29, "renew": 29, "上$": 29, "上。": 29, "办$": 29, "办。": 29, "园": 29, "旧": 29, "来": 29, "^all": 28, "^we'd": 28, "are": 28, "drop the": 28, "fine": 28, "i said": 28, "on the": 28, "pump": 28, "releas": 28, "地": 28, "工": 28, "找": 28, "春": 28, "^奶": 27, "^第": 27, "and i": 27, "cent": 27, "do the": 27, "end": 27, "have the": 27, "idea": 27, "in the": 27, "^主": 26, "^十": 26, "be a": 26, "committe": 26, "fli": 26, "forget": 26, "leed": 26, "nine": 26, "pass": 26, "the committe": 26, "修": 26, "台": 26, "封": 26, "报": 26, "方案": 26, "考": 26, "订": 26, "集": 26, "camp": 25, "cancel": 25, "doctor": 25, "for the": 25, "logo": 25, "quiet": 25, "the wed": 25, "theme": 25, "wed": 25, "号": 25, "奶奶": 25, "标": 25, "生$": 25, "生。": 25, "第": 25, "^论": 24, "my kid": 24, "停车": 24, "务，": 24, "明年": 24, "纸": 24, "群": 24, "阳": 24, "^在": 23, "^考": 23, "and in": 23, "buy": 23, "fell": 23, "six": 23, "the end": 23, "thursday": 23, "半$": 23, "半。": 23, "委": 23, "票": 23, "^跟": 22, "choir": 22, "over": 22, "sugar": 22, "the choir": 22, "window": 22, "不好": 22, "以后": 22, "好，": 22, "志": 22, "我不": 22, "置": 22, "课": 22, "has been": 21, "写$": 21, "写。": 21, "加班": 21, "at six": 20, "home": 20, "the window": 20, "bought": 19, "out of": 19, "per": 19, "后": 18, "so": -16, "he": -18, "定$": -18, "定。": -18, "had": -19, "字": -19, "打": -19, "全": -20, "年，": -20, "anyway": -21, "befor": -21, "good": -21, "hard": -21, "三十": -21, "了": -21, "够": -21, "^不": -22, "about the": -22, "last": -22, "minut": -22, "with the": -22, "断": -22, "牛": -22, "includ": -23, "on a": -23, "on sunday": -23, "pick up": -23, "till": -23, "早上": -23, "说": -23, "^no": -24, "an": -24, "club": -24, "decid": -24, "each": -24, "half the": -24, "one with": -24, "still": -24, "the lift": -24, "were": -24, "work": -24, "个小": -24, "几": -24, "周六": -24, "家的": -24, "涨了": -24, "can't": -25, "i'm go": -25, "is on": -25, "know": -25, "sunday": -25, "the bus": -25, "we went": -25, "went": -25, "八": -25, "慢": -25, "水": -25, "该": -25, "阅": -25, "alway": -26, "if": -26, "lift": -26, "need to": -26, "went for": -26, "个": -26, "了两": -26, "好的": -26, "小时": -26, "才": -26, "时，": -26, "确": -26, "议": -26, "^有": -27, "dog": -27, "jon": -27, "until": -27, "一下": -27, "三个": -27, "响": -27, "特": -27, "用谢": -27, "签字": -27, "行。": -27, "问题": -27, "here": -28, "in": -28, "is close": -28, "other": -28, "time": -28, "what we": -28, "十": -28, "坐": -28, "好": -28, "行$": -28, "again": -29, "half": -29, "haven't": -29, "头": -29, "子$": -29, "子。": -29, "路上": -29, "错": -29, "bus": -30, "hour": -30, "late": -30, "two hour": -30, "别": -30, "走了": -30, "阿": -30, "about": -31, "上": -31, "前": -31, "又": -31, "因": -31, "就是": -31, "签": -31, "谢": -31, "难": -31, "don't": -32, "has the": -32, "key": -32, "paint": -32, "place": -32, "up": -32, "veri": -32, "可以": -32, "在": -32, "对": -32, "最": -32, "来$": -32, "来。": -32, "次": -32, "没人": -32, "知道": -32, "钱": -32, "0，": -33, "^她": -33, "danc": -33, "onli": -33, "way": -33, "where the": -33, "you": -33, "之": -33, "之前": -33, "卖了": -33, "常": -33, "提": -33, "明天": -33, "来的": -33, "肯定": -33, "^一": -34, "hall": -34, "多": -34, "？$": -34, "^小": -35, "很": -35, "有": -35, "^let": -36, "where": -36, "我的": -36, "自": -36, "^发": -37, "carolin": -37, "some": -37, "点": -37, " 年": -38, "got": -38, "name": -38, "of": -38, "聊": -38, "^who": -39, "left": -39, "most": -39, "都": -39, "or": -40, "tomorrow": -40, "也": -40, "了一": -40, "四十": -40, "得": -40, "里": -40, "面": -40, "for a": -41, "看": -41, "need": -42, "一": -42, "时": -42, "不了": -43, "电": -43, "发": -44, "店": -44, "me": -45, "九": -45, "还": -45, "call": -46, "run": -46, "who": -46, "yet": -46, "open": -48, "可": -48, "梯": -48, "知": -48, "took": -49, "what": -49, "# #": -50, "话": -51, "肯": -52, "，我": -52, "but": -53, "we": -53, "没": -54, "make": -55, "start": -56, "^我": -61, "和": -63, "a": -67, "叫": -73, "是": -73, "and": -87, "要": -91,
}  # fmt: skip
"""What a word, a character or two neighbouring ones tell beside it: `settling.terms`."""

ENOUGH: Final = 263
"""The sum above which a sentence settles something."""
