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
        monday, tuesday, wednesday, thursday, friday, saturday, sunday, tomorrow, tonight, next, january, february, march, april, june, july, august, september, october, november, december, o'clock, noon, at six, at seven, at eight, at nine, at ten, starting, from, by
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
    "last": 150, "B ill": 132, "first": 121, "A effect": 108, "A 了": 101, "B weather": 94, "B lack": 92, "B opens link": 87, "B broken": 79, "B excess": 62, "B past": 62, "B cost": 59, "A lack": 51, "B opens pron": 47, "A decided": 45, "A pron": 42, "semicolon": 39, "B subject": 39, "B opens better": 35, "A past": 25, "A join": 25, "A time": 24, "B opens ill": 20, "B opens cost": 20, "B time": 17, "B link": 15, "B opens weather": 13, "stop": 12, "A told": -13, "B long": -13, "A asks": -16, "asks": -16, "B decided": -17, "B opens lack": -20, "B opens time": -20, "B opens told": -20, "B opens i": -21, "B plan": -23, "B opens broken": -24, "comma": -25, "chinese": -27, "B opens would": -28, "B told": -30, "B opens you": -32, "B effect": -33, "B capital": -34, "A ill": -35, "A better": -35, "A would": -35, "A weather": -36, "B opens excess": -37, "A settles": -37, "B pron": -42, "B opens join": -51, "B opens effect": -55, "A plan": -56, "A you": -56, "A link": -59, "A long": -60, "B i": -67, "B settles": -68, "B short": -70, "A excess": -75, "A counts": -87, "B asks": -96, "B you": -99, "A chat": -110, "B chat": -123, "B join": -124,
}  # fmt: skip
"""What a feature of two clauses tells, in hundredths of a nat, of whether the second gives the reason of the first."""

SECOND_TOGETHER: Final = {
    ("A effect", "last"): 119, ("A decided", "B better"): 103, ("A decided", "B would"): 102, ("A nearly settles", "B weather"): 74, ("A decided", "comma"): 72, ("A nearly settles", "B ill"): 68, ("A nearly settles", "B lack"): 67, ("A nearly settles", "B better"): 64, ("A effect", "B broken"): 64, ("A effect", "B ill"): 59, ("B subject", "stop"): 59, ("A decided", "B broken"): 50, ("A nearly settles", "comma"): 49, ("A decided", "B subject"): 49, ("A effect", "B weather"): 44, ("A decided", "B time"): 40, ("B excess", "chinese"): 36, ("A decided", "B ill"): 36, ("A effect", "B lack"): 33, ("A nearly settles", "B would"): 27, ("A nearly settles", "B link"): 24, ("A nearly settles", "semicolon"): 22, ("A nearly settles", "B subject"): 18, ("A effect", "B time"): 18, ("A decided", "B plan"): 18, ("A nearly settles", "B broken"): 15, ("A decided", "A nearly settles"): -12, ("A decided", "stop"): -13, ("A decided", "B told"): -16, ("A decided", "B lack"): -25, ("A nearly settles", "B time"): -27, ("A effect", "B past"): -28, ("A decided", "chinese"): -30, ("A effect", "chinese"): -32, ("A nearly settles", "stop"): -34, ("A nearly settles", "B settles"): -35, ("B lack", "chinese"): -42, ("A decided", "B past"): -47, ("A nearly settles", "B plan"): -52, ("B nearly settles", "chinese"): -54, ("A nearly settles", "B counts"): -58, ("A decided", "B counts"): -64, ("A decided", "B decided"): -66, ("A effect", "B excess"): -98,
}  # fmt: skip
"""What two of them tell more than their sum."""

SECOND_ENOUGH: Final = 446
"""The sum above which it does."""

FIRST: Final = {
    "A broken": 135, "B link": 113, "A link": 104, "last": 100, "A ill": 91, "B 了": 84, "B effect": 69, "A past": 54, "B opens effect": 53, "A lack": 51, "B opens link": 43, "B settles": 43, "B decided": 42, "comma": 38, "B i": 36, "B opens pron": 36, "A excess": 28, "A would": 28, "A counts": 25, "chinese": 22, "A pron": 20, "A told": 20, "B broken": 18, "first": 18, "B opens i": 15, "B time": -12, "B opens past": -13, "A 了": -14, "B weather": -15, "B subject": -15, "A time": -16, "B plan": -16, "B counts": -16, "B nearly settles": -16, "B opens told": -17, "A chat": -18, "B cost": -20, "B opens join": -20, "B would": -27, "A decided": -29, "A better": -31, "B chat": -32, "B asks": -33, "B opens lack": -36, "B told": -37, "A you": -38, "B opens excess": -38, "B short": -39, "A effect": -40, "B you": -40, "B better": -41, "B lack": -45, "B ill": -51, "A join": -53, "A long": -54, "A settles": -54, "B join": -57, "B capital": -69, "B long": -70, "A i": -85, "A nearly settles": -91,
}  # fmt: skip
"""The same, of whether the first gives the reason of the second."""

FIRST_TOGETHER: Final = {
    ("B effect", "chinese"): 96, ("B opens link", "A excess"): 87, ("B decided", "comma"): 65, ("B effect", "A broken"): 62, ("B effect", "A ill"): 59, ("B opens link", "A lack"): 49, ("B opens link", "comma"): 48, ("B nearly settles", "A broken"): 47, ("B decided", "B nearly settles"): 45, ("B decided", "A lack"): 44, ("B nearly settles", "A excess"): 41, ("B decided", "chinese"): 41, ("B nearly settles", "A ill"): 38, ("B decided", "A ill"): 38, ("B nearly settles", "A lack"): 28, ("B opens link", "B effect"): 24, ("B nearly settles", "chinese"): 23, ("B opens link", "A broken"): 22, ("B nearly settles", "A cost"): 21, ("B nearly settles", "A weather"): 20, ("B opens link", "A ill"): 20, ("B nearly settles", "B effect"): 20, ("B decided", "A broken"): 14, ("A 了", "chinese"): -14, ("B opens link", "chinese"): -16, ("B nearly settles", "first"): -16, ("B decided", "A decided"): -55,
}  # fmt: skip

FIRST_ENOUGH: Final = 524
