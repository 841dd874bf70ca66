# ruff: noqa: E501 (a table of words is read best in long lines)
"""Synonyms: other words for a word of a cue that no memory holds.

Without vectors "When is the rubbish collected?" finds nothing in "Refuse day is Friday". The table has
rings of everyday words, each of which may stand for the others of its ring.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from graphmem_worker.text.words import words

_ENGLISH: Final = """
phone, mobile, cell, telephone, landline, number | dial, call, ring | email, mail | address, street, road, avenue, lane | home, flat, apartment, house, place | live, move, settle, stay
job, work, position, role, career, employment, profession | employ, hire, start, contract, offer | employer, company, firm, workplace, office | boss, manager, supervisor, chief, lead | colleague, coworker, teammate | salary, wage, pay, earn, income | resign, quit, leave, retire | accountant, bookkeeper, bookkeeping, books, accounts
rent, lease, landlord, tenancy | mortgage, loan, bank | price, cost, fee, charge, pay, quote, rate | cheap, discount, sale | bill, invoice | tax, taxes, accountant | money, cash, budget, funds, savings | deposit, downpayment
rubbish, refuse, garbage, trash, waste, bin, bins | collect, pick, fetch, pickup | recycling, recycle | parcel, package, delivery, shipment | post, mail, letter
car, vehicle, automobile, drive, van | bike, bicycle, cycle, cycling | garage, mechanic, workshop | petrol, gas, fuel, diesel | parking, park, garage | train, rail, railway | flight, fly, plane, airport | bus, coach, shuttle | ticket, booking, reservation, book, reserve
doctor, gp, physician, dr, surgery, clinic | dentist, dental, tooth, teeth, toothache, orthodontist | hospital, clinic, ward | medicine, medication, drug, pill, tablet, prescription, dose | vet, veterinarian, veterinary | ill, sick, unwell, poorly | pain, ache, hurt, sore | operation, surgery, procedure | physio, physiotherapist, physiotherapy | glasses, spectacles, optician, lenses | therapist, counsellor, counselor, psychologist
gym, fitness, workout, exercise, training | sport, training, exercise | run, jog, marathon | swim, pool, swimming | yoga, pilates | football, soccer | team, club | class, course, lesson, training
allergy, allergic, intolerant, intolerance, react | food, meal, dish, eat | dinner, supper, tea | lunch, sandwich | breakfast, cereal | restaurant, bistro, cafe, place | drink, beverage, coffee, tea | vegetarian, vegan, meat | groceries, shopping, supermarket, shop | cake, dessert, pudding, sweet
mum, mom, mother, mama | dad, father, papa | parents, mum, dad, mother, father | gran, grandma, grandmother, nan, nana, granny | grandpa, grandfather, grandad, granddad | kids, children, child, kid, son, daughter | baby, newborn, infant | husband, wife, spouse, partner | girlfriend, boyfriend, partner | sibling, brother, sister | babysitter, sitter, babysit, nanny, childminder, sit | friend, mate, pal, buddy | neighbour, neighbor, nextdoor | wedding, marry, married, anniversary | birthday, born, turn
dog, puppy, pup | cat, kitten, kitty | pet, dog, cat, rabbit, hamster | school, class, grade, pupil | university, college, uni, degree, study | teacher, tutor, instructor | nursery, kindergarten, daycare, preschool, creche | exam, test, finals | homework, assignment
holiday, vacation, trip, travel, break | hotel, hostel, cottage, accommodation, stay, airbnb | luggage, suitcase, baggage | passport, visa | sea, beach, coast, seaside | mountain, hike, hiking, trek | abroad, overseas
internet, broadband, wifi, router, fibre, provider | wifi, network, ssid | password, passcode, pin, code, login | computer, laptop, pc, mac, notebook | backup, archive, storage, copy | tv, television, telly | film, movie, cinema | music, song, album, band, playlist | game, play, console | photo, picture, image, snapshot | book, novel, read | print, printer | file, document, folder
sofa, couch, settee | bed, mattress | fridge, refrigerator, freezer | cupboard, cabinet, wardrobe, closet, shelf | colour, color, paint, shade | repair, fix, mend | broken, break, broke, faulty | plumber, plumbing, pipe, leak | boiler, heating, heater, radiator | electrician, electricity, power | key, keys, lock | garden, yard, lawn, plant | cleaner, clean, cleaning, housekeeper | builder, contractor, renovation
clothes, clothing, wear, outfit | shoes, trainers, sneakers, boots, sandals | coat, jacket | present, gift | hobby, pastime, interest | hair, haircut, hairdresser, barber | insurance, policy, insurer, cover | subscription, membership, plan | meeting, appointment, call, standup | deadline, due, submit | launch, release, ship | bug, defect, issue, error | customer, client | supplier, vendor | lawyer, solicitor, attorney | purchase, buy, bought | sell, sold | begin, start | finish, complete, done, end | cancel, cancelled | like, love, enjoy, favourite, favorite, prefer | hate, dislike, detest | afraid, scared, fear | name, called, named | size, measure | shop, store | language, speak, fluent | country, nationality, citizen | hometown, grew, raised, born
"""
_CHINESE: Final = """
电话 手机 号码 座机 | 邮箱 邮件 电邮 | 地址 门牌 小区 住址 | 住在 搬到 搬家 搬进 住进 租在 | 房子 公寓 住处 | 房租 租金 月租 房东 | 房贷 贷款 按揭
工作 上班 职业 入职 岗位 公司 | 公司 单位 东家 雇主 | 领导 老板 上司 经理 主管 | 同事 搭档 | 工资 薪水 月薪 年薪 收入 薪资 | 辞职 离职 跳槽 | 退休 养老 | 会计 记账 管账 做账 账目
价格 价钱 报价 售价 | 费用 收费 花了 开销 | 便宜 打折 优惠 | 账单 发票 | 礼金 红包 份子 | 礼物 礼品 送给 | 股份 股权 分红 | 押金 定金
垃圾 回收 | 快递 包裹 外卖 | 汽车 车子 开车 轿车 | 单车 骑车 | 停车 车位 车库 | 地铁 公交 坐车 | 高铁 火车 动车 | 飞机 航班 机票 | 出差 外出
医生 大夫 医师 主任 | 牙医 看牙 牙疼 牙科 口腔 补牙 拔牙 | 医院 诊所 门诊 | 吃药 服药 药片 用药 | 生病 感冒 发烧 | 手术 开刀 | 体检 检查 | 眼镜 配镜 近视 | 兽医 宠物
健身 锻炼 运动 私教 | 跑步 晨跑 | 游泳 泳池 | 踢球 足球 | 打球 篮球 | 培训 课程 上课
过敏 忌口 | 吃饭 晚饭 午饭 饭馆 餐厅 馆子 | 早饭 早餐 | 午饭 午餐 中饭 | 晚饭 晚餐 | 做饭 下厨 掌勺 | 饮料 咖啡 奶茶 | 吃素 素食 | 超市 买菜 菜场 | 蛋糕 甜点 点心
妈妈 母亲 老妈 我妈 | 爸爸 父亲 老爸 我爸 | 奶奶 祖母 | 爷爷 祖父 | 外婆 姥姥 | 外公 姥爷 | 父母 爸妈 爹妈 | 孩子 儿子 女儿 娃娃 小孩 | 宝宝 婴儿 | 丈夫 老公 爱人 先生 | 妻子 老婆 爱人 太太 媳妇 婆娘 | 女婿 对象 | 儿媳 对象 | 兄弟 哥哥 弟弟 | 姐妹 姐姐 妹妹 | 保姆 阿姨 月嫂 | 朋友 哥们 闺蜜 | 邻居 隔壁 楼上 楼下 | 结婚 婚礼 领证 | 生日 出生 寿辰 | 徒弟 弟子 学徒 | 跑堂 店员 | 厨师 掌勺 大厨
小狗 狗狗 狗子 | 小猫 猫咪 猫猫 | 学校 小学 中学 | 大学 学院 本科 读研 | 老师 教练 | 考试 测验 | 作业 功课 | 专业 学的
旅游 旅行 度假 出游 | 酒店 宾馆 民宿 住宿 | 行李 箱子 | 护照 签证 | 海边 沙滩 | 爬山 登山 徒步 | 假期 放假 休假
网络 宽带 无线 | 密码 口令 | 备份 存档 网盘 | 电视 屏幕 | 电影 影片 | 音乐 歌曲 唱歌 | 游戏 手游 | 照片 相片 拍照 | 读书 看书 小说
沙发 椅子 | 冰箱 冷柜 | 衣柜 柜子 抽屉 | 颜色 油漆 刷墙 | 维修 修理 修好 师傅 | 坏了 故障 | 装修 施工 工人 | 钥匙 门锁 | 花园 院子 阳台 | 打扫 保洁 清洁 | 空调 暖气
衣服 外套 穿着 | 鞋子 球鞋 | 爱好 兴趣 喜欢 | 理发 剪头 发型 | 保险 保单 理赔 | 会员 年卡 月卡 | 会议 开会 例会 | 截止 到期 | 上线 发布 | 客户 甲方 | 供货 进货 送货 | 律师 法务 | 购买 买了 | 卖掉 卖了 | 营业 开门 开店 | 关门 打烊 | 开始 开张 | 取消 不去 | 籍贯 老家 家乡 | 语言 外语 英语 | 年龄 年纪 | 名字 姓名
"""


@cache
def _rings() -> dict[str, tuple[str, ...]]:
    """Each index word of the table → those of its rings."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for table, mark in ((_ENGLISH, ","), (_CHINESE, " ")):
        for ring in table.replace("\n", "|").split("|"):
            ring_words = dict.fromkeys(word for term in ring.split(mark) for word in words(term))
            for word in ring_words:
                found[word] |= ring_words
    return {word: tuple(ring) for word, ring in found.items()}


def of_unknown(asked: Iterable[str], frequency: Callable[[str], int]) -> list[str]:
    """The known synonyms of the words of a cue that no memory holds.

    frequency: how many nodes hold an index word.
    """
    rings = _rings()
    met = (rings.get(word, ()) for word in asked if not frequency(word))
    return [word for ring in met for word in ring if frequency(word)]
