"""Names of secrets: what the value of a field, a setting or an assignment is, by its name.

One table for settings and code (`DB_PASSWORD`, `apiKey`), fields of structured data and the labels
of lists and tables. A name is read as words: camel case, underscores, hyphens and dots separate.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from graphmem_worker.guard.spelling import respelled, simplified
from graphmem_worker.language.lists import listed
from graphmem_worker.text.patterns import late

PASSWORD: Final = "password"
CODE: Final = "code"
TOKEN: Final = "token"

_ENDS: Final = tuple(
    (kind, frozenset(names.split("\n")))
    for kind, names in (
        (PASSWORD, """password\npasswords\npwds\npass\npasscode\npasscodes
passphrase\npassphrases\npass phrase\npass word\npass key\npasskey\nmnemonic\nmnemonics
mnemonic phrase\nseed phrase\nseed words\nrecovery phrase\nbackup phrase\nsecret phrase\nwifi key
wi fi key\nnetwork key\nwlan key\nwpa key\nhotspot key\nsecurity answer\nsecret answer"""),
        (CODE, """pin\npins\npin code\npin number\npincode\npuk\ncvv\ncvv2\ncvc\ncvc2\notp\ntotp
2fa\ncombination\ncombo"""),
        (TOKEN, """secret\nsecrets\ntoken\ntokens\ncredential\ncredentials\napikey\napi keys
authorization\nauth\nbearer\ncookie\nprivate key\nprivate keys\nkey material\nsecretaccesskey
access key id\naccesskeyid\ntotp seed"""),
    )
)  # fmt: skip
_QUALIFIED: Final = {
    "key": (TOKEN, """api app access secret private auth license licence encryption encrypt signing
        sign account storage master service shared consumer client subscription deploy webhook admin
        bot user session refresh security rsa aes ssh hmac jwt stripe openai server write
        integration ingest project org functions host x deployment recovery
        backup gpg pgp wpa wpa2 wpa3 disk unlock decryption root"""),
    "code": (CODE, """door gate garage alarm entry entrance access security safe vault lock lockbox
        locker padlock keypad building lobby lift elevator unlock voicemail backup recovery
        verification verify time sms authentication auth login signin in 2fa mfa factor reset
        activation house keybox bike shed sim disarm wifi card pin rescue emergency scratch otp
        authenticator"""),
}  # fmt: skip
"""Last words that are names of secrets only after one of these."""
_QUALIFIERS: Final = {last: (kind, frozenset(w.split())) for last, (kind, w) in _QUALIFIED.items()}
_NEUTRAL: Final = frozenset("value val v content data text answer is has held 值 内容 答案".split())
_VARIANTS: Final = _NEUTRAL | frozenset(
    """
    line lines block string words number first last digits raw plain txt prod dev staging live home
    work office old new current main
    """.split()
)
"""Last words of a name that say which value, not what it is."""
_HARMLESS: Final = frozenset(
    """
    public hash hashed encrypted checksum digest fingerprint integrity etag foreign primary sort
    cache partition idempotency idempotent commit revision csrf xsrf next page pagination request
    continuation sync scroll product resume start import max min pad eos bos stop unk mask num n
    count total input output prompt completion
    """.split()
)
_LOCKS: Final = frozenset({"lock token", "client token"})  # of a protocol, not of a person
_OF: Final = late(r" (?:for|of|to|at|on|in) ")
_WORDS: Final = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+[a-z]*|[\u4e00-\u9fff]+")

HAN: Final[dict[str, str]] = {
    "密码": PASSWORD, "口令": PASSWORD, "暗号": PASSWORD, "密匙": PASSWORD, "助记词": PASSWORD,
    "密语": PASSWORD, "账密": PASSWORD, "帐密": PASSWORD,
    "验证码": CODE, "动态码": CODE, "校验码": CODE, "提取码": CODE, "取件码": CODE, "解锁码": CODE,
    "开门码": CODE, "安全码": CODE, "授权码": CODE, "门禁码": CODE, "开锁码": CODE, "pin码": CODE,
    "恢复码": CODE, "备用码": CODE, "钥匙码": CODE, "恢复代码": CODE,
    "备份码": CODE, "激活码": TOKEN, "密钥": TOKEN, "秘钥": TOKEN, "令牌": TOKEN, "私钥": TOKEN,
    "序列密钥": TOKEN, "恢复短语": PASSWORD, "助记短语": PASSWORD, "密码短语": PASSWORD,
    "暗语": PASSWORD,
    "cvv码": CODE, "后三位": CODE, "密码锁": CODE,
}  # fmt: skip
"""Chinese names of secrets, and what they name."""
_HAN_NAME: Final = late(f"({'|'.join(HAN)})(?:内容|第一行|首行|一行|片段|原文|字符串)?$")
_PARENTHESIS: Final = late(r"\s*[(（][^()（）]{0,40}[)）]\s*$")


@lru_cache(4096)
def named(name: str) -> str:
    """The kind of secret that `name` names: "password", "code", "token", or "" for none."""
    name = _PARENTHESIS.sub("", name.strip()).strip(" :：\"'`*")
    if len(name) > 80:
        return ""
    if not name.isascii():
        name = name.translate(simplified())
    if han := _HAN_NAME.search(name.lower().replace(" ", "")):
        return HAN[han[1]]
    spelled = [respelled(word) for word in words(name)]
    if not _HARMLESS.isdisjoint(spelled):
        return ""
    spelled = _OF.split(" ".join(spelled))[0].split()
    while len(spelled) > 1 and (spelled[-1] in _VARIANTS or spelled[-1].isdigit()):
        spelled.pop()
    last_two = " ".join(spelled[-2:])
    if not spelled or last_two in _LOCKS:
        return ""
    for kind, ends in _ENDS:
        if spelled[-1] in ends or last_two in ends or " ".join(spelled[-3:]) in ends:
            return kind
    if spelled[-1] in listed("secret_names"):
        return PASSWORD
    last = spelled[-1].removesuffix("s")
    if last in _QUALIFIERS and len(spelled) > 1 and spelled[-2] in _QUALIFIERS[last][1]:
        return _QUALIFIERS[last][0]
    return ""


def words(name: str) -> list[str]:
    """The words of a name in lower case: `dbPassword`, `DB_PASSWORD` are "db", "password"."""
    return [word.lower() for word in _WORDS.findall(name)]


def is_neutral(key: str) -> bool:
    """Whether a field's name says nothing of its value but that it is one: `value`, `内容`."""
    return key.lower() in _NEUTRAL


def inner_name(outer: str, key: str) -> str:
    """The name under which the value of the field `key` is read, in a map that is named `outer`.

    A neutral key, and one in a map of several secrets such as `passwords`, takes the outer name.
    """
    if is_neutral(key):
        return outer
    several = outer.lower().endswith("s") or re.search(r"[\u4e00-\u9fff]$", outer) is not None
    if several and not named(key) and named(outer):
        return outer
    return key


_CUT: Final = late(r"[\n.,;:!?，。；：！？|\"“”「」]")


def label_at(text: str, end: int) -> str:
    """The kind of secret that the words before `end` name, or ""."""
    tail = _CUT.split(text[max(0, end - 48) : end])[-1]
    kept = tail.split(" ")[-4:] if tail.isascii() else [tail[-16:]]
    told = " ".join(kept).strip("*_~` ")
    return named(told) or named(_OF.split(told)[-1])  # "you asked for my password"
