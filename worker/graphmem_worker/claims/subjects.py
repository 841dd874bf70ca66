# ruff: noqa: E501 (a pattern is read best in one line)
"""Of whom a sentence tells something: a name, the speaker, a relative."""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.claims.choices import GROUP_OF
from graphmem_worker.claims.topics import stem
from graphmem_worker.text.patterns import late

KIN: Final = "daughter|son|wife|husband|mother|father|mom|mum|dad|sister|brother|partner|girlfriend|boyfriend|boss|dog|cat|friend|roommate|flatmate|colleague|landlord|neighbou?r|aunt|uncle|cousin|grandmother|grandma|grandfather|grandpa|doctor|dentist|teacher"

HAN_KIN: Final = "[表堂][哥姐弟妹]|舅舅|叔叔|姑姑|阿姨|孙子|孙女|嫂子|姐夫|岳父|岳母|公公|婆婆|女儿|儿子|老婆|妻子|老公|丈夫|爱人|妈妈?|爸爸?|母亲|父亲|姐姐?|妹妹?|哥哥?|弟弟?|女朋友|男朋友|对象|室友|同事|老板|房东|邻居|奶奶|爷爷|外婆|外公|朋友|狗|猫|医生"

_MY: Final = late(rf"(?:and |but |so |well, |actually, )?my ({KIN})(?:'s)?\b", re.I)

_ME: Final = late(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself)\b", re.I)

_WE: Final = late(r"\b(?:we|we're|we've|our|us|ours)\b|我们|咱们|咱|本项目|团队", re.I)

_HAN_MY: Final = late(rf"^[^，。]{{0,6}}?我(?:家|的)?({HAN_KIN})")

HAN_ME: Final = late(r"我(?!们|司|厂|方|国|校)")

_NAME: Final = late(r"(?:^|(?<=[\s(,]))([A-Z][a-zé-]{1,20})(?:'s)?(?=[\s,.]|$)")

NO_NAMES: Final = frozenset(
    """
    the a an we our i my it its they their he she his her this that these those all every each some
    no not none node postgres react python firmware production staging tests test please answer
    installation maybe use did deploys deployment minimum maximum logs log standup joining ci go
    typescript javascript dockerfile docker kubernetes monday tuesday wednesday thursday friday
    saturday sunday january february march april may june july august september october november
    december with without after before since from for in on at by to of and but or so if when while
    now today tomorrow yesterday version release releases water mornings yes ok okay just only once
    ever also still then there here what where who why how which whose english german dutch french
    chinese spanish polish italian japanese portuguese backups backup timestamps batteries payments
    meetings meeting lunch dinner breakfast rent access both either customers users new old let as
    be is are was were been do does have has had can could will would should must one two three four
    five six seven eight nine ten twelve twenty everything everyone nobody nothing something most
    many several few price orders order invoices invoice passwords sessions requests uploads retries
    support sales marketing engineering ubuntu debian linux windows mac android ios java ruby rust
    redis mysql sqlite mongodb kafka grafana slack teams zoom jira github gitlab jenkins aws azure
    keep send give make write reply call put show add stop avoid remember respond note set take
    gcp api http https json yaml xml sql css html npm pnpm yarn upgraded moved switched running
    formatting linting testing hosting monitoring parking starting going well american british half
    last next recently lately earlier later finally actually honestly anyway meanwhile eventually
    currently presently nowadays originally initially previously apparently luckily sadly officially
    unfortunately good great guess turns news update fyi btw oh hey hi sorry thanks thank living
    latest correction reminder quick big small home work office
    """.split()
)

_SURNAMES: Final = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫经房裘缪干解应宗丁宣邓郁单洪包诸左石崔吉龚程嵇邢裴陆荣翁荀羊惠甄曲封芮储靳汲糜松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全班仰秋仲伊宫宁仇栾暴甘厉戎祖武符刘景詹束龙叶幸司韶黎薄印白怀蒲邰从鄂索咸赖卓蔺屠蒙池乔阴胥能苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍璩桑桂濮牛寿通边扈燕冀浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容向古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄阙东欧殳沃利蔚越夔隆师巩厍聂晁勾敖融冷訾辛阚那简饶空曾毋沙乜养鞠须丰巢关蒯相查后荆红游竺权逯盖益桓公"

_HAN_VERB: Final = "坐骑走挑选订站穿戴带教认讲听讨入开又也只都常就能写做当学养买卖喝爱在住吃不戒会家审说更对现报有调喜的和用搬换是去从把每负要习偏改转跳升已又最得租开养血结离单今下晚上周每"

_HAN_NAME: Final = late(
    rf"(?:^|[，。；：、])((?:老|小|阿)[\u4e00-\u9fff]|[{_SURNAMES}](?:工|总|姐|哥|师傅|老师|医生|经理|阿姨|叔)|[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?)(?=[{_HAN_VERB}0-9])"
)

HAN_NO_NAMES: Final = frozenset(
    "时间 时候 时区 高峰 安全 常用 经常 明天 单位 别的 方案 文档 文件 程序 简单 公司 公寓 国家 和我 白天 成本 黄色 金额 周一 周二 周三 周四 周五 周六 周日 周末 周会 水费 平时 平台 全部 全家 全组 上班 房租 房子 车库 车位 通知 管理 项目 都用 于是 那时 那个 包装 容器 应用 计划 任务 解析 路由 池子 步骤 后端 后来 查询 连接 经理 充电 温度 别人 向来 能用 文章 广告 东西 全是 强制 利率 石头 红色 万一 尚未 许可 应该 安装 谷歌 空调 景区 宁可 房东 家里 小时 老板 小组 阿姨 老家 小区 小孩 金鱼 和平 毕竟 管线 相机 单元 计费 储存 存储 查看 连续 计算 支付 支持 包管 田账 常年 时序 明年 张贴 关于 小猫 小狗 老师 老婆 老公 容量 高铁 石油 项链 国庆 农历 元旦 冬天 夏天 秋天 春天 夏季 山上 江边 包间 卫生 终端 向量 方法 习惯 甘蔗 古镇 连锁 终于 简历 从不 从来 和她 和他 于我 明显 幸好 那边 别墅 空间 解决 广州 成都 重庆 杭州 南京 武汉 北京 上海 深圳 苏州 西安 云南 海南 宁波 温州 常州 安徽 江苏 山东 山西 河南 河北 贵州 甘肃 金华 乌鲁木齐 石家庄 黄山 阿里 小米 小程序".split()
)

_OWNED: Final = late(
    rf"([A-Z][a-zé-]{{1,20}})'s ({KIN}|parents?|family|kids?|in-laws)\b|([\u4e00-\u9fff]{{2,3}}?)[的她他]?({HAN_KIN}|父母|家人|孩子)(?=[\u4e00-\u9fff])",
    re.I,
)


def subject_of(sentence: str, speaker: str | None) -> str:
    me = (speaker or "me").strip().lower()
    found = _MY.match(sentence) or re.search(rf"\bmy ({KIN})\b", sentence[:60], re.I)
    if found:
        return f"{me}/{found[1].lower()}"
    relative = _HAN_MY.search(sentence)
    if relative:
        return f"{me}/{relative[1]}"
    owned = _OWNED.match(sentence)
    if owned:
        return f"{owned[1].lower()}/{stem(owned[2])}" if owned[1] else f"{owned[3]}/{owned[4]}"
    name = _HAN_NAME.search(sentence)
    if name and name[1] not in HAN_NO_NAMES and name[1][:2] not in HAN_NO_NAMES:
        return name[1]
    for latin in _NAME.finditer(sentence[:120]):
        word = latin[1]
        if word.lower() in NO_NAMES or word.lower() in GROUP_OF:
            continue
        # A name begins the clause or owns something; "in Utrecht" and "at Heron" are places.
        before = sentence[: latin.start(1)].rstrip()
        if (
            not before
            or before.endswith((",", "and", "but", "so", ";", "—", "that", "says"))
            or latin[0].endswith("'s")
        ):
            # "Production", "Rent": a capital at the beginning says nothing; a verb of people does.
            return word.lower()
        break
    if _WE.search(sentence):
        return ""
    if _ME.search(sentence) or HAN_ME.search(sentence):
        return me
    return ""
