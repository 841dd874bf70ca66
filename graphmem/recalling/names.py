"""Names across scripts: how a memory writes a name that a cue spells, or the other way round.

A Latin name counts as Chinese if it reads as two or three syllables of pinyin and the memory holds
a word that may be written so ("Xiaoming" is 小明); a Chinese one is looked up as it is spelled. A
single syllable is too often a word of another language (*long*, *she*, *men*), so it counts beside
another one of the name ("Zhang Wei"), and alone for speakers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import Final

from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import script, words

_MOST_SYLLABLES: Final = 3
_MOST_WRITTEN: Final = 2  # ways of writing one name that a memory holds
_RUN: Final = late(r"[A-Z][a-zü]+(?:['’-]?[A-Za-z][a-zü]*)?(?: [A-Z][a-zü]+(?:['’-][a-zü]+)?)*")
_SIGNS: Final = late("['’-]")
_HAN: Final = late("[\u4e00-\u9fff]{2,}")


def written(cue: str, frequency: Callable[[str], int]) -> dict[str, tuple[str, ...]]:
    """The names of a cue that the memory writes in the other script: the index words of the name in
    the cue → those of the memory.

    frequency: how many memories hold an index word.
    """
    found: dict[str, tuple[str, ...]] = {}
    for run in _RUN.findall(cue):
        said = run.replace("’", "'").removesuffix("'s").split()
        for name in _windows(said):
            han = _in_han(name, frequency)
            if han:
                found |= dict.fromkeys(words(" ".join(name)), han)
                break
    if not cue.isascii():
        for run in _HAN.findall(cue):
            for pair in map("".join, pairwise(run)):
                latin = tuple(w for w in _spelled_words(pair) if frequency(w))
                if latin := latin or _apart(pair, frequency):
                    found[pair] = latin
    return found


def names_speaker(cue: str, speaker: str) -> bool:
    """Whether a cue names, in the other script, a speaker: by the whole name, or by the given name,
    which may be one syllable."""
    if script(speaker) == "cjk":
        return not _latin_names(cue).isdisjoint(_spellings(speaker))
    return not cue.isascii() and speaker.replace(" ", "").lower() in _han_names(cue)


@lru_cache(1 << 6)
def _latin_names(cue: str) -> frozenset[str]:
    """The capitalised words of a cue and those beside each other as one, in lower case."""
    runs = (run.replace("’", "'").removesuffix("'s").split() for run in _RUN.findall(cue))
    return frozenset("".join(name).lower() for said in runs for name in _windows(said))


@lru_cache(1 << 6)
def _han_names(cue: str) -> frozenset[str]:
    """How two or three characters of a cue beside each other are spelled as a name."""
    return frozenset(
        spelled
        for run in _HAN.findall(cue)
        for size in (2, 3)
        for at in range(len(run) - size + 1)
        for spelled in _spellings(run[at : at + size])
    )


def _windows(said: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Neighbouring words, most of them first."""
    for size in range(min(len(said), _MOST_SYLLABLES), 0, -1):
        for start in range(len(said) - size + 1):
            yield tuple(said[start : start + size])


def _in_han(name: Sequence[str], frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The pairs of Han characters under which a name is found: of two syllables the pair, of three
    both pairs; none if the memory holds none."""
    for syllables in _read(tuple(name)):
        chosen = [_characters()[s] for s in syllables]
        if len(name) > 1:  # surname and given name
            chosen[0] = "".join(c for c in chosen[0] if c in SURNAMES)
        held: list[tuple[str, ...]] = []
        firsts = [a + b for a, b in product(chosen[0], chosen[1]) if frequency(a + b)]
        if len(syllables) == 2:
            held = [(pair,) for pair in firsts]
        else:
            held = [
                (pair, pair[1] + last)
                for pair in firsts
                for last in chosen[2]
                if frequency(pair[1] + last)
            ]
        if held:
            best = sorted(held, key=lambda pairs: -min(map(frequency, pairs)))[:_MOST_WRITTEN]
            return tuple(dict.fromkeys(pair for pairs in best for pair in pairs))
    return ()


@lru_cache(1 << 8)
def _read(name: tuple[str, ...]) -> list[tuple[str, ...]]:
    """How a name reads as two or three syllables, with the surname before or behind; [] if not."""
    orders = [name] if len(name) == 1 else [name, (name[-1], *name[:-1])]
    found = []
    for order in orders:
        parts = [_syllables(_SIGNS.sub("", word.lower()).replace("ü", "v")) for word in order]
        for chosen in product(*parts):
            syllables = tuple(s for part in chosen for s in part)
            if 2 <= len(syllables) <= _MOST_SYLLABLES:
                found.append(syllables)
    return found


def _syllables(word: str) -> list[tuple[str, ...]]:
    """All ways to read a word as syllables, at most three of them."""
    if not word:
        return [()]
    found = []
    for end in range(min(6, len(word)), 0, -1):
        if word[:end] in _characters() and (end > 1 or word == word[:end]):
            found += [
                (word[:end], *rest)
                for rest in _syllables(word[end:])
                if len(rest) < _MOST_SYLLABLES
            ]
    return found


@lru_cache(1 << 12)
def _spelled_words(pair: str) -> tuple[str, ...]:
    """The index words of two Han characters as one Latin name."""
    return tuple(dict.fromkeys(w for spelled in _joined(pair) for w in words(spelled)))


def _apart(pair: str, frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The index words of a surname and a given name as two Latin words ("Zhang Wei"); () unless the
    memory holds both."""
    if pair[0] not in SURNAMES:
        return ()
    surname, given = ([w for s in _joined(c) for w in words(s) if frequency(w)] for c in pair)
    return (*surname, *given) if surname and given else ()


def _joined(han: str) -> list[str]:
    return ["".join(one) for one in product(*(_readings().get(c, ()) for c in han))]


@lru_cache(1 << 10)
def _spellings(name: str) -> frozenset[str]:
    """How a Chinese name is spelled: as a whole in both orders, and the given name alone."""
    if not 2 <= len(name) <= 4 or name[0] not in SURNAMES:
        return frozenset(_joined(name)) if 2 <= len(name) <= _MOST_SYLLABLES else frozenset()
    at = 2 if len(name) == 4 else 1
    family, given = _joined(name[:at]), _joined(name[at:])
    whole = {a + b for one in family for other in given for a, b in ((one, other), (other, one))}
    return frozenset(whole | set(given))


@cache
def _characters() -> dict[str, str]:
    """Syllable → the characters of names that are read so, the usual ones first."""
    found = {}
    for entry in _TABLE.split():
        at = next(k for k, sign in enumerate(entry) if not sign.isascii())
        found[entry[:at]] = entry[at:]
    return found


@cache
def _readings() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for syllable, signs in _characters().items():
        for sign in signs:
            found[sign] = (*found.get(sign, ()), syllable)
    return found


SURNAMES: Final = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡"
    "贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷"
    "钱汤尹黎易常武乔贺赖龚文庞樊兰殷施陶洪翟安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂丛焦向柳邢路"
    "岳齐梅莫庄辛管祝左涂谷祁时舒耿牟卜詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍位覃霍翁隋"
    "植甘景薄单包司柏宁柯阮桂闵解强柴华车冉房边上官诸徒令狐皇甫尉迟慕容仇瞿佟宫连裘巫苟蒲谌竺"
    "冷简饶空沙匡晏池窦宗娄冼区卞封应全班仲伊候肖代付闫祖丘邬敖蔺"
)
"""The characters that Chinese surnames begin with."""
# The characters that names of people and cities are written with, by their reading without tones,
# the usual ones first.
_TABLE: Final = (
    "a阿 ai爱艾埃哀蔼 an安庵岸鞍按 ang昂 ao奥敖鳌澳 ba巴霸拔坝 bai白柏百拜败 ban班板半 bang邦帮"
    "榜棒 bao宝保堡薄包鲍抱豹葆报 bei贝北备背蓓碑杯 ben本奔 bi碧必毕比壁弼笔 bian边便卞变汴扁 b"
    "iao表彪标镖 bie别 bin斌宾彬滨 bing兵炳冰秉病丙柄 bo伯波博柏卜勃帛钵 bu布部步补 cai才彩蔡采"
    "菜材财裁 can灿蚕 cang仓藏苍 cao草曹操 ce策册 cha茶察叉 chai钗柴 chan禅婵蝉 chang长昌常畅苌"
    "厂 chao朝超潮巢钞 che车彻 chen臣陈辰晨琛宸谌尘沉 cheng成城承诚程澄乘橙称晟丞呈 chi池赤迟驰"
    "翅尺墀持 chong崇冲重虫充宠 chou瞅丑筹畴 chu楚初处杵出 chuan传川船 chuang窗闯 chui垂吹 chun"
    "春纯淳椿醇 ci慈赐祠词辞次 cong丛聪从葱 cui翠崔粹 cun村存 cuo错 da大达答打 dai代戴带黛呆 da"
    "n丹旦蛋胆淡 dang当党 dao道岛刀 de德得 deng登邓灯 di帝迪蒂弟地狄第笛堤递 dian殿典点 diao调"
    "雕 die蝶爹迭 ding丁定鼎顶 dong东冬洞栋董 dou斗豆窦 du都杜渡度督笃独 duan端段 dui队 dun顿敦"
    "盾墩 duo多铎朵夺舵 e娥额恶厄鄂 en恩 er尔儿耳而 fa法发伐 fan范帆凡藩樊翻繁 fang方芳房放坊防"
    " fei飞菲斐非费妃霏废肥 fen芬粉 feng峰风凤锋封丰奉蜂冯枫逢 fu夫福府复富甫弗傅佛抚辅父付伏服"
    "扶赋符馥孚妇浮 ga嘎 gai改丐 gan甘干感 gang刚纲钢岗港 gao高告镐皋杲 ge格哥葛阁戈盖歌各 gen"
    "根 geng庚耿耕更 gong宫功攻恭工龚贡拱弓 gou狗沟苟勾 gu谷古姑顾固骨鼓孤股 gua瓜 guai拐怪 gua"
    "n官冠关管观贯灌馆 guang光广 gui贵桂归柜龟鬼圭规瑰 guo国过郭果 ha哈 hai海 han汉寒韩翰汗涵含"
    "瀚晗菡罕喊函 hang行航杭 hao豪浩好昊郝皓灏蒿 he河和赫鹤合何贺荷禾喝诃 hei黑 heng恒衡亨横 ho"
    "ng红洪宏鸿弘虹泓 hou侯厚候猴 hu湖虎胡狐忽护呼户乎沪祜 hua华花化话画桦 huai怀淮槐 huan环焕"
    "欢桓唤换 huang皇黄晃凰煌 hui惠慧辉回晖徽挥蕙汇 hun混浑 huo霍火或活 ji基吉继济纪季记集计机"
    "积鸡疾击极姬己寄籍及级戟际骥寂 jia家嘉加贾佳甲迦驾 jian建剑见健简监坚尖谏箭鉴渐俭键兼涧舰"
    "间 jiang江将姜蒋降匠疆 jiao教焦娇交椒叫角蕉礁 jie杰姐节捷洁街皆结介接阶界劫 jin金进晋锦津"
    "瑾劲谨巾靳今尽禁近 jing靖景敬静经晶京精镜惊井竟婧璟菁竞境鲸荆净径茎 jiu久酒舅旧救 ju菊居举"
    "巨驹聚 juan娟涓卷鹃绢 jue爵觉珏 jun军君俊郡钧骏均峻珺浚 ka卡喀 kai开凯恺 kan坎堪侃 kang康"
    "抗 kao考 ke科可客柯珂 ken肯 kong孔空恐 kou口 ku库 kuan宽 kuang匡 kui奎葵魁逵 kun昆坤 kuo阔"
    " la拉腊剌辣喇 lai莱来赖 lan兰蓝岚澜栏烂 lang朗郎浪狼 lao老劳牢 le乐 lei雷勒蕾类累 leng冷棱"
    " li利里立丽力李礼黎莉理梨历吏离厉栗犁励蠡粒 lian连莲联廉练琏脸恋 liang良亮梁凉粮量两 liao"
    "廖辽料 lie列烈 lin林麟霖琳临蔺邻鳞 ling灵陵令玲领岭凌龄铃翎 liu刘柳留流 long龙隆陇 lou楼娄"
    " lu鲁路禄卢陆露鹿璐录芦炉庐麓虏 luan鸾 lun伦轮论纶 luo罗洛落 lv律吕绿率履 lve略 ma马玛妈麻"
    "嬷 mai麦脉迈 man曼满漫蛮 mang忙莽芒 mao毛茂猫懋茅 mei梅美妹眉媚玫 men门 meng蒙孟梦猛萌 mi"
    "米密弥秘蜜 mian面绵勉棉眠 miao苗庙妙淼 mie灭 min民敏闵 ming明鸣名铭命茗冥 mo莫默摩末墨模谟"
    "魔 mou牟谋某 mu木姆母慕牧穆沐目睦幕 na纳娜拿 nai乃奈奶耐鼐 nan南男楠难 nei内 neng能 ni尼妮"
    "倪泥 nian念 niang娘 niao鸟 nie涅聂 ning宁凝 niu牛纽 nong农 nu怒努奴 nuan暖 nuo诺 ou区欧鸥 "
    "pa帕 pai派 pan潘盼盘蟠攀 pang庞 pao炮泡 pei佩培沛裴陪配 peng鹏彭朋蓬棚 pi皮丕屁 piao朴 pin"
    "品聘 ping平萍屏坪瓶 po婆坡破泊 pu普仆蒲浦谱朴璞圃溥 qi奇齐其启旗琪起琦祁契器骑期气绮麒棋祺"
    "栖淇戚妻岐岂歧企 qia恰洽 qian谦乾钱千倩迁茜潜骞浅 qiang强抢墙枪 qiao桥乔巧俏翘 qie切 qin琴"
    "钦秦亲勤覃沁芹擒 qing清青庆卿晴轻情请 qiong琼 qiu秋丘仇邱裘求球 qu曲渠屈瞿取驱 quan全泉权"
    "拳铨劝犬圈荃 que雀确 qun群裙 ran然冉苒 rang让 rao饶 ren人仁任刃忍 ri日 rong荣蓉容融嵘绒戎 "
    "rou柔肉 ru如入汝儒茹 ruan阮软 rui瑞锐睿蕊 run润 ruo若 sa萨 sai塞赛 san三散伞 sang桑 sao嫂 "
    "se色瑟 sen森 seng僧 sha沙莎纱傻砂 shan山善单衫珊杉姗闪陕 shang尚上商赏 shao少绍召邵梢韶勺 "
    "she舍社蛇设射 shen神深申沈参谌伸慎身甚 sheng生胜圣盛声升笙绳省 shi师石世士氏时诗史施式实室"
    "仕侍似使轼势狮事适市识释誓示始 shou寿守首收授绶受手兽 shu树叔书舒淑术述姝属蜀数殊恕澍曙疏"
    "鼠 shuai帅 shuang双霜 shui水 shun顺舜 shuo硕烁朔 si思寺司四丝死嗣祀 song松宋颂嵩淞 su素苏"
    "肃宿速 sui遂隋穗随绥 sun孙 suo索锁所 ta塔 tai太泰台苔 tan坦叹谭覃滩潭檀探 tang堂唐汤棠糖塘"
    " tao涛陶桃韬滔 te特忒 teng腾藤滕 ti提体梯 tian天田甜添阗 tiao跳条 tie铁帖 ting廷亭听庭婷挺"
    "厅霆停 tong通同童统桐佟铜彤 tou头 tu图土徒涂兔突 tuan团 tui推腿 tun屯 tuo托脱 wa瓦娃 wan万"
    "湾婉丸琬完宛 wang王望旺网汪往 wei维卫为伟威微魏尉韦薇巍位未蔚惟玮炜尾委慰纬围谓畏唯味 wen"
    "文温闻雯问纹稳 weng翁 wo沃窝 wu武吴无乌伍吾巫邬舞午兀物屋悟雾 xi西希溪喜锡禧席熙茜习曦汐系"
    "玺细昔羲惜袭嘻膝兮 xia夏霞侠峡吓虾瞎厦 xian县先贤仙献宪显线娴冼弦咸现羡闲衔 xiang祥相香襄"
    "向翔项湘象乡详想巷 xiao小晓笑孝萧校霄肖潇啸骁效箫 xie谢解燮歇鞋邪 xin新心信辛欣馨昕鑫歆薪"
    "芯 xing兴星行性杏姓邢幸型形醒 xiong兄雄熊 xiu秀修休绣 xu徐旭许虚绪须续叙煦序胥 xuan玄宣轩"
    "璇选萱炫煊暄旋铉 xue学雪薛 xun逊勋训薰巡寻迅询循 ya亚雅芽丫崖娅牙 yan燕延岩言颜彦艳炎晏严"
    "雁阎眼妍闫研烟衍琰嫣焱演焉沿盐堰砚 yang阳杨扬羊洋养仰样 yao耀尧瑶摇姚药曜遥窑 ye爷叶耶野业"
    "烨页冶夜邺 yi一义伊仪毅亦依易宜逸怡意艺益异夷衣谊懿邑翼译乙医姨熠奕屹忆祎羿轶彝议移翊裔贻"
    "已漪倚椅疑 yin引银音尹殷因寅印阴隐荫茵吟胤 ying英应营迎颖盈鹰莹影樱滢瑛婴赢映瀛莺缨 yong永"
    "勇用雍涌拥咏镛 you友游尤右又幼酉幽由优猷佑 yu玉宇语于雨尉鱼誉裕羽御瑜育余与俞钰欲豫禹虞毓"
    "遇煜妤昱郁谕愈榆浴愚峪予渝域屿渔 yuan远源园渊原圆媛袁缘院苑员垣沅 yue乐月越岳跃悦约玥曰阅 "
    "yun云韵运允筠芸耘蕴 zai再载宰仔哉 zan赞 zang奘 zao藻早造 ze泽则择 zeng曾增 zha查扎札 zhai"
    "寨斋翟宅 zhan战占站詹展湛 zhang长章掌张璋丈彰杖 zhao朝昭兆赵照召招诏肇钊 zhe者哲折浙 zhen"
    "镇真振珍贞震阵祯桢甄针枕朕臻圳 zheng正政征郑峥争徵证铮 zhi志智知至治直制植枝止芝致芷旨执置"
    "汁指支质职只秩 zhong中忠仲钟重众冢终 zhou州周洲舟宙皱 zhu主珠诸竹朱柱祝竺著注铸筑住猪洙 zh"
    "uan转专砖 zhuang庄状壮装 zhun准 zhuo卓 zi子自兹紫姊姿字梓滋 zong宗总 zou奏邹走 zu祖族卒足 "
    "zuan钻 zui嘴醉 zun尊遵 zuo左佐作祚座琢 "
)
