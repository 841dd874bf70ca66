# ruff: noqa: E501 (a table of words is read best in long lines)
"""Words of clauses that give a reason, and of those for which one is given, by class.

As `lexicon` reads them. The weights were fitted by logistic regression.
"""

from __future__ import annotations

from typing import Final

ENGLISH: Final = {
    "lack": """
        no, not, nobody, none, never, neither, nothing, without, hardly, barely, enough, run out, ran out, out of, short of, missing, lack, isn't, aren't, wasn't, weren't, don't, doesn't, didn't, can't, couldn't, won't, wouldn't, hadn't, hasn't, haven't, only, not one, too few, no room, no time, no money, empty, cannot, unable, unless
    """,
    "excess": """
        too, so much, far too, too many, too much, twice, double, tripled, triple, all the, every, each, whole, always, constantly, forever, keeps, kept, keep, still, again, half, most, more than, over, way too, simply, just, at least, alone, entire, any, even
    """,
    "broken": """
        broke, break, broken, leak, crack, fail, failed, worn, stuck, flat, dead, expired, expire, burst, jam, rot, rotten, damage, collapse, crash, red, lost, wrong, bug, corrupt, faulty, fault, cut, blocked, block, closed, shut, shake, fell, fall, fell through, die, died, retire, retired, moved away, left us, bankrupt, gone, drain, damp, mould, rust, clog, tear, wobble, drip, strip, off, down, overheat, freeze, froze, rattle
    """,
    "ill": """
        ill, sick, flu, pain, hurt, allergic, allergy, tired, afraid, scared, ache, headache, hernia, operation, fever, cough, injury, injured, surgery, pregnant, asthma, stress, exhausted, sleep, knee, back, doctor, health, die, kill, dizzy, rash, vomit, nausea, worry, worried, hate, hated, can't stand, bored, cry, stung, bite
    """,
    "cost": """
        cost, expensive, cheap, cheaper, price, priced, afford, money, waste, pay, paid, rent, budget, fee, bill, tax, bonus, discount, euro, euros, pound, pounds, dollar, dollars, save, saves, quote, quoted, worth, value, free, deposit, salary, interest, loan, poor value, charge
    """,
    "time": """
        hour, hours, late, slow, long, far, commute, drive, away, minutes, weeks, months, years, wait, distance, closer, near, nearer, walk, overnight, all day, all night, all evening, all weekend, schedule, clash, overlap, deadline, date, ages, forever, day, days, night, nights
    """,
    "weather": """
        noise, noisy, loud, rain, snow, storm, fog, frost, wind, cold, hot, heat, wet, dark, light, sun, ice, flood, traffic, smell, smoke, dust, crowd, crowded, shade, tide, mud
    """,
    "better": """
        better, easier, faster, closer, simpler, quieter, safer, cheaper, lighter, shorter, quicker, nicer, best, looks, fits, suits, works, halves, saves, less, fewer, more, sturdy, reliable, nearer, good, great, covers, handles, supports, includes, reads, holds, lasts, needs, need, want, wants, prefer, prefers, love, loves, likes, like, deserves, asked
    """,
    "would": """
        would, would have, could, could have, might, will, won't, wouldn't, can, can't, has to, have to, had to, must, needs to, got to, going to
    """,
    "past": """
        was, were, had, did, went, came, got, took, said, wanted, been, broke, fell, lost, left, stopped, started, turned, asked, told, put, made, gave
    """,
    "pron": """
        it, it's, they, they're, he, he's, she, she's, there, there's, that, this, neither, nobody, no one, none, not one, half, most, both, everyone, someone, the, my, our, his, her, their, mine, i, we, you, at, all
    """,
    "link": """
        so, hence, therefore, thus, which is why, that's why, this is why, and so, as a result, because, as, since, for, given, seeing, seeing as, after, what with, now that, considering, owing, thanks to, due, not least, out of, to stop, to prevent, to avoid, to keep, to save, to make, to let, to give, in order, otherwise, or else, it turns out, turns out, reason, mainly, mostly, partly, largely, purely, simply
    """,
    "effect": """
        cancel, cancelled, canceled, late, early, missed, miss, stopped, stop, quit, couldn't, didn't, can't, won't, not, closed, moved, refund, sorry, reprint, redo, wait, switch, switched, leave, left, changed, change, put, keep, kept, took, take, long way, stay, stayed, home, back, instead, wears, wear, avoid, decline, turned down, refused, skip, sold, sell, drop, dropping, dropped, replaced, replace, felled, tripped, leans, burst, hence, again, twice, lift, silence, postponed, delayed, extra, over to, slept, walk, walked, had to
    """,
    "join": """
        and, but, then, also, or, plus, while, whereas, though, although, which, who, where, when, if, until, before, after, yet, however, anyway, by the way, first, second, next, finally, meanwhile
    """,
    "chat": """
        thanks, thank, great, good, nice, cool, love, hope, happy, sure, wow, yeah, yes, okay, ok, right, well, oh, hey, hi, please, let me know, see you, congrats, sounds, excited, amazing, awesome, proud, fun, keep it up, you got this, wonderful, glad, honestly
    """,
    "plan": """
        monday, tuesday, wednesday, thursday, friday, saturday, sunday, tomorrow, tonight, next, january, february, march, april, june, july, august, september, october, november, december, o'clock, noon, half past, quarter past, quarter to, past seven, past eight, past nine, past ten, at six, at seven, at eight, at nine, at ten, leaves at, departs, sails, starts at, opens at, arrives, called, name is, number is, address, starting, from, by
    """,
    "you": """
        you, your, you're, you'll, you've
    """,
    "i": """
        i, i'm, i've, i'll, i'd, my, me, we, we're, we've, we'll, us, our
    """,
    "told": """
        told, tell, say, said, ask, email, booked, signed, paid, deposit, agreed, voted, rang, written, sent, announced
    """,
}  # fmt: skip

CHINESE: Final = {
    "lack": """
        不, 没, 无, 缺, 少, 没有, 不够, 凑不齐, 凑不到, 没人, 没法, 没空, 没钱, 没地方, 从来不, 不了, 不到, 不动, 不齐, 不起, 不上, 不来, 不住, 不下, 不着, 别
    """,
    "excess": """
        太, 过于, 离谱, 老是, 老, 总, 总是, 一直, 天天, 每次, 每天, 全, 都, 还, 又, 再, 一个接一个, 越来越, 半天, 整天, 也, 连, 只, 就, 才, 根本, 简直, 实在, 反而, 偏偏, 尽, 净
    """,
    "broken": """
        坏, 漏, 断, 裂, 掉, 塌, 堵, 卡, 死机, 停电, 停水, 破, 烂, 旧, 锈, 松, 丢, 错, 瘪, 跳闸, 翻修, 修路, 关门, 倒闭, 退休, 搬走, 到期, 过期, 拖货, 出问题, 出事, 故障, 冲突, 撞, 晃, 霉, 湿, 凉, 冻, 上冻, 爆, 扎进, 赔
    """,
    "ill": """
        病, 疼, 痛, 累, 受不了, 吃不消, 怕, 哭, 烧, 发烧, 咳, 过敏, 手术, 住院, 怀孕, 睡不好, 睡不着, 睡不踏实, 烦, 吵, 嚎, 惦记, 担心, 腰, 膝盖, 老人, 医生, 害怕, 嫌, 晕, 感冒, 熬, 折腾, 身体, 崩溃, 没精神
    """,
    "cost": """
        贵, 便宜, 省, 划算, 钱, 涨, 预算, 房租, 费, 付不起, 买不起, 不值, 折扣, 优惠, 工资, 贷款, 利息, 万, 块, 成本, 开销, 报价, 赔, 亏
    """,
    "time": """
        远, 久, 慢, 赶不上, 来不及, 钟头, 小时, 分钟, 半天, 路上, 来回, 通勤, 近, 早, 晚, 年, 月, 天, 倒时差, 加班, 忙, 排队, 等, 拖
    """,
    "weather": """
        雨, 雪, 风, 雾, 晒, 冷, 热, 湿, 潮, 吵, 噪音, 堵车, 球赛, 采光, 灰, 味, 台风, 冰, 暗, 黑, 挤, 人多
    """,
    "better": """
        好, 方便, 更, 快, 近, 省心, 省事, 安静, 结实, 耐用, 合适, 够用, 舒服, 好看, 稳, 安全, 上手, 能, 可以, 要, 得, 需要, 有要求, 要求, 用得上, 有用, 干净, 灵活, 直接, 容易, 简单, 轻松, 靠谱, 出地铁, 喜欢, 想, 图
    """,
    "would": """
        会, 能, 可能, 得, 要, 不能, 不会, 肯定
    """,
    "past": """
        了, 过, 刚, 已经, 早就, 当年, 那晚, 上礼拜, 上周, 昨天, 昨晚, 去年, 之前, 原来, 曾
    """,
    "pron": """
        它, 他, 她, 这, 那, 人家, 谁, 大家, 我, 我们, 咱, 老, 原来, 现在, 家里, 孩子, 客户, 学生, 医生, 里头, 那边, 那儿, 里面
    """,
    "link": """
        所以, 因此, 于是, 只好, 只能, 就, 才, 干脆, 索性, 因为, 由于, 毕竟, 反正, 主要, 是, 怪, 怨, 图, 为了, 防止, 好让, 省得, 免得, 不然, 否则, 谁让, 谁叫, 原因, 嫌, 怕, 考虑到, 冲着, 看中, 据说, 说是, 其实, 不得不, 这才, 害得, 弄得, 导致
    """,
    "effect": """
        取消, 停了, 没去, 请假, 晚到, 迟到, 退了, 推了, 不去, 不了, 改, 换, 重印, 重做, 没回, 没来, 早退, 搬, 撤, 卖, 提前, 推迟, 放弃, 只好, 挪, 辞, 退, 停, 走不了, 来不了, 提不了, 墙歪, 掉下来, 跳闸, 绕, 返工, 抱歉, 不好意思, 戒, 拒, 送去, 报了, 加这个, 分开, 单独, 没睡, 没吃
    """,
    "join": """
        但, 不过, 然后, 另外, 还有, 而且, 并且, 虽然, 如果, 要是, 接着, 先, 再, 顺便, 对了, 首先, 其次, 最后, 同时, 或者, 比如, 例如
    """,
    "chat": """
        谢谢, 你好, 好的, 加油, 太好了, 真棒, 哈哈, 当然, 祝, 希望, 恭喜, 不客气, 没关系, 再见, 可以, 推荐, 建议, 喜欢, 很高兴, 开心, 感觉, 觉得, 重要
    """,
    "plan": """
        周一, 周二, 周三, 周四, 周五, 周六, 周日, 周末, 明天, 后天, 今晚, 下周, 下个月, 月底, 号, 点, 上午, 下午, 晚上, 中午, 集合, 见面, 起, 开始
    """,
    "you": """
        你, 您, 你们
    """,
    "i": """
        我, 咱, 我们
    """,
    "told": """
        说, 告诉, 通知, 付了, 交了, 押金, 定金, 手续, 签了, 定了, 说好, 商量, 拍板, 就这么, 报名, 订好, 办完, 谁都, 别忘, 记得, 负责
    """,
    "none": """
        不过, 不错, 好像, 好多, 可能性, 得到, 觉得, 要求, 了解, 除了, 对不起, 只要, 太阳, 太太, 老师, 老板, 老公, 老婆, 总经理, 总是, 都市, 首都, 就是说, 好几, 你好, 好吧, 能不能, 会议, 开会, 机会, 以后, 以前, 年级
    """,
}  # fmt: skip

SECOND: Final = {
    "stop": 120, "first": 99, "own broken": 97, "last": 82, "decided, own broken": 80, "other effect": 73, "own lack": 73, "own would": 73, "other lack": 71, "own past": 71, "own ill": 67, "decided, own excess": 66, "decided, own would": 66, "decided, own better": 64, "other broken": 62, "other nearly settles": 61, "own excess": 59, "other settles": 57, "decided, own subject": 49, "other opens lack": 42, "own weather": 41, "own opens ill": 40, "decided, own cost": 38, "other opens told": 37, "other pron": 37, "decided, own ill": 36, "decided, own link": 35, "decided, own long": 34, "decided, own opens plan": 34, "decided, own opens better": 28, "decided, own nearly settles": 26, "decided, own weather": 26, "own better": 26, "other decided": 23, "other opens would": 23, "decided, own lack": 22, "other 了": 22, "other opens effect": 21, "other long": -20, "decided, own opens excess": -21, "own counts": -25, "decided, own opens effect": -26, "other capital": -26, "other link": -27, "own opens you": -27, "other opens i": -29, "own nearly settles": -30, "own opens chat": -30, "decided, own 了": -33, "other opens chat": -34, "own opens join": -35, "own opens excess": -37, "own opens lack": -37, "own plan": -37, "own capital": -38, "own opens time": -40, "decided, own plan": -41, "own opens i": -41, "other opens join": -43, "decided, own opens lack": -44, "decided, own settles": -45, "decided, own decided": -46, "other better": -46, "other counts": -47, "other chat": -51, "own opens effect": -51, "own short": -52, "own you": -52, "other you": -53, "other cost": -54, "own decided": -62, "other join": -71, "other opens excess": -72, "comma": -79, "own chat": -87, "own join": -87, "own i": -94,
}  # fmt: skip
"""What a feature of two clauses tells, in hundredths of a nat, of whether the second gives the reason of the first."""

SECOND_TERMS: Final = {
    "一": 42, "the": 41, "a": 37, "had": 35, "子": 30, "没": 28, "半": 27, "电": 25, "班": 24, "of": 23, "多": 23, "着": 22, "^一": 21, "坏": 20, "在": -26, "to": -43, "# #": -50,
}  # fmt: skip
"""What a word of the clause that may be the reason tells beside it: `settling.terms`."""

SECOND_ENOUGH: Final = 355
"""The sum above which it does."""

FIRST: Final = {
    "last": 147, "own broken": 124, "other effect": 104, "own lack": 100, "other nearly settles": 96, "other i": 85, "own link": 78, "decided, own ill": 66, "own weather": 64, "other opens i": 62, "own excess": 52, "decided, own broken": 51, "other 了": 51, "decided, own chinese": 49, "own plan": 48, "decided, own past": 47, "own subject": 47, "decided, own lack": 46, "decided, own decided": 42, "decided, own effect": 39, "other settles": 39, "own ill": 38, "other opens effect": 36, "decided, own 了": 35, "other counts": 32, "own counts": 30, "other time": 29, "own opens pron": 29, "other lack": 27, "decided, own better": 25, "decided, own weather": 22, "decided, own would": 21, "other ill": 21, "own better": 21, "decided, own counts": 16, "own capital": 7, "own nearly settles": -20, "decided, own join": -21, "other opens lack": -22, "other opens past": -23, "other would": -23, "own opens excess": -23, "decided, own nearly settles": -24, "own opens effect": -24, "own opens chat": -25, "own long": -28, "other past": -30, "other opens join": -33, "own opens i": -33, "own opens better": -35, "decided, own long": -36, "other chat": -36, "own told": -42, "decided, own excess": -43, "decided, own time": -43, "other subject": -43, "own opens lack": -43, "own decided": -49, "other cost": -51, "other short": -56, "other you": -59, "other long": -61, "decided, own settles": -63, "own join": -67, "own chat": -74, "own i": -83, "own settles": -106,
}  # fmt: skip
"""What a feature of two clauses tells, in hundredths of a nat, of whether the first gives the reason of the second."""

FIRST_TERMS: Final = {
    "没": 33, "子": 26, "is": 24, "木": 22,
}  # fmt: skip
"""What a word of the clause that may be the reason tells beside it: `settling.terms`."""

FIRST_ENOUGH: Final = 427
"""The sum above which it does."""
