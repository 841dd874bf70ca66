# ruff: noqa: E501 (a pattern is read best in one line)
"""Secrets that a sentence gives apart from the keyword, or for a lock without any keyword.

"Dad asks for the password, it's …", "the gate opens with …", "router: name / …". Each pattern begins
at a literal and has bounded repeats, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphmem_worker.guard.names import CODE, PASSWORD, TOKEN
from graphmem_worker.guard.prose import Found
from graphmem_worker.guard.values import is_certain, number, opaque, placeholder, reference
from graphmem_worker.text.gates import holds
from graphmem_worker.text.patterns import late

_VALUE: Final = r"[\"'“‘`「]?([\x21-\x7e]{3,80})"
_SOFT: Final = r"(?:(?:still|now|just|simply|always|currently|only|actually|again|been) ){0,2}"
_SECRET: Final = r"\b(?:pass(?:word|code|phrase|key)|pwd|pin(?: code)?|(?:door|gate|alarm|access|entry|security|login|log-in|sign-in|verification|safe|unlock|voice ?mail|wi-?fi) (?:code|key))"
_DEVICE: Final = r"\b(?:gate|door|garage|safe|vault|lock(?:er|box)?|padlock|alarm|zip|archive|key ?(?:box|pad)|shed|cellar|barrier|lift|elevator|nas|router|wi-?fi|voice ?mail|modem|laptop|disk|drive|suitcase|phone|tablet|intercom)\b"

_LATER: Final = late(
    rf"{_SECRET}\b[^.?!\n]{{0,40}}?[,;:?—–-]\s{{0,2}}(?:and |but |so )?(?:it(?:'s|’s| is| was)|that(?:'s|’s| is)|ours is|mine is|yours is|hers is|his is|theirs is) {_SOFT}{_VALUE}"
)
_OPENS: Final = late(
    rf"{_DEVICE}[^.?!\n]{{0,60}}?\b(?:(?:opens?|unlocks?|disarms?|decrypts?|unzips?|extracts?|unpacks?|silences?|stops?)(?: (?:it|them|that|up|only|now|again)){{0,2}} (?:with|by|using|on|to)|key in|punch in|type in|dial|(?:wants|takes|accepts|asks for|answers to|lets you in with)) (?:the code |code |pin )?{_VALUE}"
)
_SET: Final = late(
    rf"{_DEVICE}[^?!\n]{{0,60}}?\b(?:set|changed|reset|switched|updated|made) (?:it|that|this|them|mine|ours) (?:back )?(?:to )?{_VALUE}"
)
_HAD: Final = late(
    rf"\b(?:had|have|has|put|used) (?:the )?([\x21-\x7e]{{6,64}}) (?:on|for|in|at) (?:the|our|my|his|her|their) (?:old |new |home |office )?{_DEVICE}"
)
_AS_CODE: Final = late(
    r"(?<![\w.,:/#-])(\d{3,4}[ -]?\d{1,4}) (?:as|is) (?:the|my|your|our|a|his|her|their) (?:[a-z-]{1,14} ){0,2}?(?:code|pin|passcode|otp)\b"
)
_KEYED_IN: Final = late(
    rf"\b(?:key|punch|type|tap|put|enter)(?: in)? ([#*]?\d(?:[ -]?\d){{2,9}}[#*]?) (?:at|on|into|in) (?:the |our )?(?:[a-z]{{1,12}} )?{_DEVICE}"
)
_WIFI_KEY: Final = late(
    rf"wi-?fi[^.?!\n]{{0,50}}?[,;] (?:the )?(?:key|code|pass)(?: is | ?: ?){_VALUE}"
)
_ACCESS_PAIR: Final = late(r"\b(?:AK|SK)\b\s?[:：=]?\s?([A-Za-z0-9+/_-]{16,64})(?![\w-])", re.ASCII)
_LISTED: Final = late(
    r"(?:recovery|backup|reserve|scratch|one-time|emergency|rescue) (?:codes|keys|passwords)|恢复码|恢复代码|备用码|备用密码|应急码|救援码"
)
_ITEM: Final = late(
    r"[\s,;、，；:：/和与及是|\"'“”]{0,4}(?:and |or |then |are |is )?([A-Za-z0-9][A-Za-z0-9-]{3,30})"
)
_BACK: Final = late(
    r"(?:\bback(?: of (?:it|the card))?,? (?:it )?(?:says|reads|is|has|shows)|(?:卡)?背面(?:的)?(?:三位|数字|码)?(?:是|写着|印着|：|:)?|后三位(?:是|：|:)?)\s{0,2}(\d{3,4})(?![\d.,:]?\d|\w)"
)
_CARD: Final = late(r"\d{4}[ -]?\d{4}[ -]?\d{4}|\bcard\b|\bvisa\b|mastercard|信用卡|银行卡|卡号")

_HAN_LATER: Final = late(
    rf"(?:密码|口令|暗号|验证码|门禁|pin码?|锁屏|appsecret|app secret|secret|密钥|秘钥|token|令牌)[^。！？\n]{{0,24}}?[，,；;：]\s{{0,2}}(?:她|他|它|我|我们|咱|你|家|那个|这个|的|现在|如今|一直|还|就|今年|今天|后来|已经|新的?|直接){{0,4}}(?:就是|还是|是|换成了?|改成了?|改为|换为|变成了?|叫|用)\s{{0,2}}{_VALUE}"
)
_HAN_CODE: Final = late(
    r"(?:(?<![\u4e00-\u9fff])码(?:就?是|为|：|:)|(?:临时|登录|登陆|开锁|房门|大门|入户|解压|提货|取货|签到)码(?:就?是|为|：|:|换成了?|改成了?)?)\s{0,2}([#*]?\d{3,10}[#*]?)(?![\d.]|[位个条元])"
)
_HAN_OPENS: Final = late(
    r"(?:单元门|楼门|大门|后门|前门|侧门|院门|车库|防盗门|门口|门锁|智能锁|密码锁|指纹锁|保险柜|保险箱|储物柜|更衣柜|快递柜|闸机|道闸|报警器|警报|门禁|行李箱)[^。！？\n]{0,14}?(?:按|输入?|拨|打(?=\d)|(?=#\d))\s{0,2}(#?\d{3,8}#?)(?![\d.]|[元块位个年月])"
)
_HAN_SET: Final = late(
    rf"(?:nas|路由器?|wi-?fi|无线|光猫|保险[柜箱]|解压|压缩包|硬盘|网盘|交换机|监控|摄像头|门锁|服务器)[^。！？\n]{{0,24}}?(?<!名字)(?<!名称)(?<!名)(?:换成了?|改成了?|改为|设成了?|设为|解压用|打开用|用的是|以前是|原来是|还是|现在是|口令)\s{{0,2}}{_VALUE}"
)
_HAN_LINKED: Final = late(rf"(?:换成了?|改成了?|现在是|改为)\s{{0,2}}{_VALUE}")
_TURNED: Final = late(
    r"[左右](?:转|拧|旋)?(?:[一二三四五两\d]圈)?到?\s?\d{1,3}(?:[，,、 再]{0,3}(?:然后|最后|接着)?(?:[左右回]|向[左右])(?:转|拧|旋)?(?:[一二三四五两\d]圈)?到?\s?\d{1,3}){1,5}"
)
_HAN_PHRASE: Final = late(
    r"(?:加密口令|口令|密码短语|口令短语|暗号|助记词)(?:就是|是|：|:)\s?([\u4e00-\u9fff]{5,28})(?=[，。；！\n]|$)"
)
_NO_PHRASE: Final = late(
    "[我你他她的了不没有要被谁啥怎]|什么|时候|已经|可以|必须|应该|一样|生日|电话"
)
_LATIN_PAIR: Final = late(
    r"(?:wi-?fi|wlan|hotspot|ssid|网络|无线|热点)[^\n.,，。/]{0,20}?[:：]?\s{0,2}[\w-]{2,32}\s{0,2}[/|]\s{0,2}([\x21-\x7e]{6,64})"
)
_LONG: Final = late(
    r"(?:(?<![a-z])(?:key|ak|sk|secret|appsecret|app secret|access ?key|secret ?key|token)|密钥|秘钥|令牌|加签)[^\n。.；;,，]{0,12}?(?:(?:重置|换|改|更新)过?了?[，,]\s?)?(?:现在)?(?:是|为|=|：|:|填|换成了?|\s)\s{0,2}([A-Za-z0-9+/_-]{16,96}={0,2})(?![A-Za-z0-9])"
)
_HEX: Final = late(r"[0-9a-f]{32,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH: Final = late(
    r"md5|sha|hash|commit|checksum|digest|uuid|公钥|public|校验|指纹|提交|cache|primary|foreign"
)
_ISSUED: Final = late(
    r"\b(?:LTAI|AKID|AKIA|ASIA|HPUA|AKLT|ALTAK-)[A-Za-z0-9]{8,40}\s{0,2}[/|,，、:：]?\s{0,2}(?:sk|secret|和)?\s?[:：=]?\s{0,2}([A-Za-z0-9+/]{24,64}={0,2})(?![A-Za-z0-9])",
    re.ASCII,
)
_ACCOUNT: Final = late(
    r"\b(?:account|login|configure|auth)\s([A-Za-z0-9_-]{32,64})\s([A-Za-z0-9_-]{32,64})(?![\w-])",
    re.ASCII,
)
_TRAILING: Final = ".,;:)]}\"'”’`?!，。；：！"
_UNITS: Final = late(
    r"\s?(?:%|[a-z]{0,2}digits?|chars|characters|letters|minutes?|seconds?|hours?|days?|weeks?|months?|years?|times|people|euros?|am\b|pm\b|percent|bits|[位个次天分秒年月元块点人])"
)


# What each expression finds holds one of these; most texts hold none, and are passed over.
_LATIN: Final = late("[a-z]")
_IN_SECRET: Final = ("pass", "pwd", "pin", " code", " key")
_IN_DEVICE: Final = (
    "gate", "door", "garage", "safe", "vault", "lock", "alarm", "zip", "archive", "keybox", "keypad",
    "key box", "key pad", "shed", "cellar", "barrier", "lift", "elevator", "nas", "router", "wifi",
    "wi-fi", "voicemail", "voice mail", "modem", "laptop", "disk", "drive", "suitcase", "phone",
    "tablet", "intercom",
)  # fmt: skip
_IN_CODE: Final = ("code", "pin", "otp")
_IN_BACK: Final = ("back", "背面", "后三位")
_IN_PAIR: Final = ("wifi", "wi-fi", "wlan", "hotspot", "ssid", "网络", "无线", "热点")
_IN_LISTED: Final = (" codes", " keys", " passwords", "恢复", "备用", "应急", "救援")
_IN_ISSUED: Final = ("LTAI", "AKID", "AKIA", "ASIA", "HPUA", "AKLT", "ALTAK-")
_IN_ACCOUNT: Final = ("account", "login", "configure", "auth")
_IN_LONG: Final = ("key", "ak", "sk", "secret", "token", "密钥", "秘钥", "令牌", "加签")
_IN_HAN_LATER: Final = (
    "密码", "口令", "暗号", "验证码", "门禁", "pin", "锁屏", "secret", "密钥", "秘钥",
    "token", "令牌",
)  # fmt: skip
_IN_HAN_SET: Final = (
    "nas", "路由", "wifi", "wi-fi", "无线", "光猫", "保险", "解压", "压缩包", "硬盘", "网盘", "交换机",
    "监控", "摄像头", "门锁", "服务器",
)  # fmt: skip
_IN_HAN_OPENS: Final = ("门", "车库", "锁", "保险", "柜", "闸", "报警", "警报", "行李箱")
_IN_HAN_PHRASE: Final = ("口令", "密码短语", "暗号", "助记词")


def indirect(text: str, low: str) -> Iterator[Found]:
    """Secrets that are linked to what they open by more than a keyword directly before them."""
    if text.isascii() or _LATIN.search(low):
        yield from _latin(text, low)
    if holds(low, _IN_BACK) and _CARD.search(low):
        for found in _BACK.finditer(low):
            yield Found(CODE, *found.span(1))
    if holds(low, _IN_LISTED):
        for heading in _LISTED.finditer(low):
            yield from _list(text, low, heading.end())
    if not text.isascii():
        yield from _han(text, low)


def _latin(text: str, low: str) -> Iterator[Found]:
    is_locked = holds(low, _IN_DEVICE)
    for pattern in (
        *((_LATER,) if holds(low, _IN_SECRET) else ()),
        *((_OPENS, _SET, _HAD) if is_locked else ()),
    ):
        for found in pattern.finditer(low):
            yield from _fitting(text, low, *found.span(1), loose=pattern is not _HAD)
    for pattern in (
        *((_AS_CODE,) if holds(low, _IN_CODE) else ()),
        *((_KEYED_IN,) if is_locked else ()),
    ):
        for found in pattern.finditer(low):
            yield Found(CODE, *found.span(1))
    if "wifi" in low or "wi-fi" in low:
        for found in _WIFI_KEY.finditer(low):
            yield from _fitting(text, low, *found.span(1), loose=True)
    if "AK" in text or "SK" in text:
        for found in _ACCESS_PAIR.finditer(text):
            if opaque(found[1], 16):
                yield Found(TOKEN, *found.span(1))
    if holds(low, _IN_PAIR):
        for found in _LATIN_PAIR.finditer(low):
            yield from _fitting(text, low, *found.span(1), loose=True, least=8)
    if holds(text, _IN_ISSUED):
        for found in _ISSUED.finditer(text):
            if opaque(found[1], 20):
                yield Found(TOKEN, *found.span(1))
    if holds(text, _IN_ACCOUNT):
        for found in _ACCOUNT.finditer(text):
            for group in (1, 2):
                if opaque(found[group], 24):
                    yield Found(TOKEN, *found.span(group))


def _han(text: str, low: str) -> Iterator[Found]:
    for found in _LONG.finditer(low) if holds(low, _IN_LONG) else ():
        value = text[found.start(1) : found.end(1)]
        before = low[max(0, found.start() - 12) : found.start(1)]
        random = _HEX.fullmatch(value) is not None or opaque(value, 16)
        told = _HASH.search(before) is not None or placeholder(value) or reference(value)
        if random and not told:
            yield Found(TOKEN, *found.span(1))
    for pattern in (
        *((_HAN_LATER,) if holds(low, _IN_HAN_LATER) else ()),
        *((_HAN_SET,) if holds(low, _IN_HAN_SET) else ()),
    ):
        for found in pattern.finditer(low):
            yield from _fitting(text, low, *found.span(1), loose=pattern is _HAN_LATER)
            if pattern is _HAN_SET:
                # "It was A, now it is B": both open what does not change everywhere at once.
                second = _HAN_LINKED.search(low, found.start(1), min(len(low), found.end() + 60))
                if second is not None:
                    yield from _fitting(text, low, *second.span(1), loose=False)
    for pattern in (
        *((_HAN_CODE,) if "码" in low else ()),
        *((_HAN_OPENS,) if holds(low, _IN_HAN_OPENS) else ()),
    ):
        for found in pattern.finditer(low):
            yield Found(CODE, *found.span(1))
    for found in _TURNED.finditer(low) if "左" in low or "右" in low else ():
        if re.search("柜|箱|锁|密码", low[max(0, found.start() - 24) : found.start()]):
            yield Found(CODE, *found.span())
    for found in _HAN_PHRASE.finditer(low) if holds(low, _IN_HAN_PHRASE) else ():
        if _NO_PHRASE.search(found[1]) is None:
            yield Found(PASSWORD, *found.span(1))


def _fitting(
    text: str, low: str, begin: int, end: int, *, loose: bool, least: int = 4
) -> Iterator[Found]:
    """The value at the span if a secret may look like it. `loose`: digits alone are one."""
    value = re.split(r"[,;]", text[begin:end])[0].rstrip(_TRAILING)
    end = begin + len(value)
    dashed = loose and re.fullmatch(r"\d{2}(?:-\d{2}){2}", value)
    if len(value) < least - 1 or placeholder(value) or (reference(value) and not dashed):
        return
    if number(value):
        digits = sum(map(str.isdigit, value))
        if loose and max(least, 4) <= digits <= 12 and not _UNITS.match(low, end):
            yield Found(CODE, begin, end)
        return
    if is_certain(value):
        yield Found(TOKEN if _HEX.fullmatch(value) else PASSWORD, begin, end)


def _list(text: str, low: str, at: int) -> Iterator[Found]:
    """The codes of a list after its heading, to the first word that is none."""
    opening = re.compile(r"[^.?!。！？\n:：]{0,40}[:：]").match(low, at)
    at = opening.end() if opening is not None else at
    for _ in range(24):
        item = _ITEM.match(text, at)
        if item is None:
            return
        value = item[1]
        digits = sum(map(str.isdigit, value))
        if digits < 2 or (value.isdigit() and len(value) < 6) or placeholder(value):
            return
        if _UNITS.match(low, item.end()):
            return
        yield Found(CODE, *item.span(1))
        at = item.end()
