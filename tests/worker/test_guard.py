"""The guard: after 120 days an access token was still in memory in full, and in its vector's text.

Fixtures are built at run time from a prefix and a generated body, so the repository holds no string
that looks like a secret. What is cut must be gone; what is no secret must stay, word for word.
"""

import ast
import json
import random
import string
from argparse import Namespace
from base64 import urlsafe_b64encode
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.guard import HOSTILE, covered, run
from bench.labelled import rows
from graphmem_worker.guard import (
    PERSONAL_KINDS,
    SECRET_KINDS,
    Guarded,
    Level,
    guard,
    guard_field,
    mapped,
)
from graphmem_worker.guard.values import is_phrase
from tests.golden_files import assert_golden
from tests.worker.test_linear import check_growth

HEX = "0123456789abcdef"
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
ALNUM = string.ascii_letters + string.digits
URL = ALNUM + "-_"

# vendor, prefix, alphabet, length of the body
PREFIXED = [
    ("AWS", "AKIA", string.ascii_uppercase + "234567", 16),
    ("AWS", "ASIA", string.ascii_uppercase + "234567", 16),
    ("Google", "AIza", URL, 35),
    ("Google", "GOCSPX-", URL, 28),
    ("GitHub", "ghp_", ALNUM, 36),
    ("GitHub", "gho_", ALNUM, 36),
    ("GitHub", "ghs_", ALNUM, 36),
    ("GitHub", "github_pat_", ALNUM + "_", 82),
    ("GitLab", "glpat-", URL, 20),
    ("GitLab", "glrt-", URL, 20),
    ("GitLab", "glptt-", HEX, 40),
    ("Slack", "xoxb-123456789012-123456789012-", ALNUM, 24),
    ("Slack", "xapp-1-A0B1C2D3E4F-1234567890123-", HEX, 64),
    ("Stripe", "sk_live_", ALNUM, 24),
    ("Stripe", "rk_test_", ALNUM, 99),
    ("Stripe", "whsec_", ALNUM, 32),
    ("OpenAI", "sk-proj-", URL, 74),
    ("OpenAI", "sk-", ALNUM, 48),
    ("Anthropic", "sk-ant-api03-", URL, 95),
    ("Hugging Face", "hf_", string.ascii_letters, 34),
    ("npm", "npm_", ALNUM, 36),
    ("PyPI", "pypi-AgEIcHlwaS5vcmc", URL, 80),
    ("Twilio", "SK", HEX, 32),
    ("Shopify", "shpat_", HEX, 32),
    ("Shopify", "shpss_", HEX, 32),
    ("DigitalOcean", "dop_v1_", HEX, 64),
    ("Heroku", "HRKU-AA", URL, 58),
    ("Square", "sq0atp-", URL, 22),
    ("Square", "EAAA", URL, 60),
    ("Databricks", "dapi", HEX, 32),
    ("Doppler", "dp.pt.", ALNUM, 43),
    ("Linear", "lin_api_", ALNUM, 40),
    ("Notion", "ntn_12345678901", ALNUM, 35),
    ("Vault", "hvs.", URL, 95),
    ("Vault", "hvb.", URL, 150),
    ("age", "AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    ("Alibaba Cloud", "LTAI", ALNUM, 20),
    ("Tencent Cloud", "AKID", ALNUM, 32),
    ("Postman", "PMAK-" + HEX[:16] + "01234567-", HEX, 34),
    ("Grafana", "glc_", ALNUM, 60),
    ("Pulumi", "pul-", HEX, 40),
    ("RubyGems", "rubygems_", HEX, 48),
    ("Sentry", "sntryu_", HEX, 64),
    ("ReadMe", "rdme_", LOWER, 70),
    ("Prefect", "pnu_", ALNUM, 36),
    ("PlanetScale", "pscale_tkn_", URL, 43),
    ("Perplexity", "pplx-", ALNUM, 48),
    ("Octopus", "API-", UPPER, 26),
    ("EasyPost", "EZAK", ALNUM, 54),
    ("Duffel", "duffel_live_", URL, 43),
    ("Adobe", "p8e-", LOWER, 32),
    ("Clojars", "CLOJARS_", LOWER, 60),
    ("Infracost", "ico-", ALNUM, 32),
    ("New Relic", "NRAK-", UPPER, 27),
    ("Artifactory", "AKCp", ALNUM, 69),
    ("OpenShift", "sha256~", URL, 43),
    ("Typeform", "tfp_", URL, 59),
    ("Shippo", "shippo_live_", HEX, 40),
    ("Scalingo", "tk-us-", URL, 48),
    ("Sourcegraph", "sgp_", HEX, 40),
    ("SettleMint", "sm_pat_", ALNUM, 16),
    ("Frame.io", "fio-u-", URL, 64),
    ("Docker", "dckr_pat_", URL, 27),
    ("Groq", "gsk_", ALNUM, 52),
    ("Supabase", "sbp_", HEX, 40),
    ("Atlassian", "ATATT3", URL, 186),
    ("Cloudflare", "v1.0-" + "a1b2c3d4e5f60718293a4b5c" + "-", HEX, 146),
    ("Flutterwave", "FLWSECK_TEST-", "abcdefgh0123456789", 12),
]

# vendor's name in an assignment, alphabet, length
NAMED = [
    ("adafruit", LOWER, 32), ("airtable", LOWER, 17), ("algolia", LOWER, 32), ("asana", LOWER, 32),
    ("bitbucket", LOWER, 64), ("cloudflare", LOWER, 40), ("codecov", LOWER, 32), ("coinbase", LOWER, 64),
    ("confluent", LOWER, 64), ("contentful", LOWER, 43), ("datadog", LOWER, 40), ("discord", HEX, 64),
    ("dropbox", LOWER, 15), ("etsy", LOWER, 24), ("fastly", LOWER, 32), ("finnhub", LOWER, 20),
    ("gitter", LOWER, 40), ("intercom", LOWER, 60), ("jfrog", LOWER, 73), ("kucoin", HEX, 24),
    ("launchdarkly", LOWER, 40), ("linear", HEX, 32), ("linkedin", LOWER, 16), ("mattermost", LOWER, 26),
    ("messagebird", LOWER, 25), ("netlify", LOWER, 40), ("newrelic", LOWER, 64), ("nytimes", LOWER, 32),
    ("plaid", LOWER, 30), ("rapidapi", LOWER, 50), ("sendbird", HEX, 40), ("sentry", HEX, 64),
    ("sonar_token", LOWER, 40), ("travis", LOWER, 22), ("twitch", LOWER, 30), ("twitter", LOWER, 50),
    ("zendesk", LOWER, 40),
]  # fmt: skip


def body(seed: str, alphabet: str, length: int) -> str:
    """A random body with a digit, a letter and no row of one character."""
    chosen = random.Random(seed)
    made = "".join(chosen.choice(alphabet) for _ in range(length))
    digits = [c for c in alphabet if c.isdigit()]
    return made[:3] + (chosen.choice(digits) if digits else made[3]) + made[4:]


_WALLET = "lunar basket orbit cream thunder vivid hotel pencil maple arrow gentle frost"


@pytest.mark.parametrize(
    "said",
    [
        f"My recovery words: {_WALLET}",
        f"Keep this safe, the words are {_WALLET}. Tell nobody.",
        "Wallet: " + " ".join(f"{n}. {word}\n" for n, word in enumerate(_WALLET.split(), 1)),
        "Recovery: " + "、".join(_WALLET.split()),
        "seed\n" + "\n".join(f"| {n} | **{word}** |" for n, word in enumerate(_WALLET.split(), 1)),
        f"The seed is {', '.join(_WALLET.split()[:-1])} and {_WALLET.split()[-1]}",
        f"助记词抄好了：{_WALLET.title().replace(' ', ', ')}，别丢",
    ],
)
def test_the_words_of_a_wallet_are_cut_whole(said: str) -> None:
    """Some were left of a row: whoever reads the rest has less to guess."""
    left = guard(said)
    assert [cut.kind for cut in left.cut] == ["key"]
    assert not any(word in left.text.lower() for word in _WALLET.split())


@pytest.mark.parametrize(
    "said",
    [
        " ".join(_WALLET.split()[:9]),
        "Ava must avoid wheat, egg, milk, butter, cheese, peanut, shrimp, crab, oyster, celery, "
        "garlic, onion, tomato",
        "Farm:\n1. cow\n2. horse\n3. donkey\n4. goat\n5. duck\n6. goose\n7. turkey\n8. hen\n9. rabbit\n"
        "10. dog\n11. cat\n12. mouse\n13. frog",
        "Buy milk eggs bread butter cheese apples onions garlic lemons rice pasta tomatoes",
        "yes " * 14,
        "order = vivid, hotel = pencil, maple = arrow, gentle = frost, lunar = basket, cream = orbit",
    ],
)
def test_a_row_of_other_words_is_no_wallet(said: str) -> None:
    assert not guard(said).cut


@pytest.mark.parametrize(("vendor", "prefix", "alphabet", "length"), PREFIXED)
def test_a_vendors_format_is_cut_wherever_it_stands(
    vendor: str, prefix: str, alphabet: str, length: int
) -> None:
    secret = prefix + body(vendor + prefix, alphabet, length)
    for frame in ("export TOKEN={}", '"key": "{}",', "用这个{}就行", "try {} please"):
        guarded = guard(frame.format(secret))
        assert secret[len(prefix) :] not in guarded.text
        assert {cut.kind for cut in guarded.cut} <= {"token", "password"}, guarded


@pytest.mark.parametrize(("name", "alphabet", "length"), NAMED)
def test_a_random_string_after_a_vendors_name_is_cut(name: str, alphabet: str, length: int) -> None:
    secret = body(name, alphabet, length)
    for frame in ("{}_key = '{}'", '{}_api_token: "{}"', "{}Secret={}"):
        assert secret not in guard(frame.format(name, secret)).text


def test_five_characters_in_a_row_of_digits_and_letters_are_a_credential_and_four_are_none() -> (
    None
):
    for few, cut in (("k4m7q", True), ("k4m7", False)):
        assert bool(guard("ghp_" + (few * 9)[:36]).cut) is cut


def test_formats_with_a_mark_inside_are_cut() -> None:
    jwt = ".".join(
        urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": "lena", "admin": False})
    )
    for secret in (
        jwt + "." + body("jwt", URL, 43),
        "123456789:A" + body("telegram", URL, 34),
        body("mailchimp", HEX, 32) + "-us12",
        body("terraform", ALNUM, 14) + ".atlasv1." + body("tail", URL, 64),
        "SG." + body("sendgrid", URL, 22) + "." + body("rest", URL, 43),
        "abc7Q~" + body("azure", URL, 34).replace("-", "x"),
    ):
        assert secret not in guard(f"here: {secret} thanks").text, secret[:12]


def test_the_head_of_a_token_may_be_nested() -> None:
    """Of a token of which the head was 1,100 brackets, an error of recursion came out of
    `remember`."""
    head = urlsafe_b64encode(b'{"a":' * 1500).decode().rstrip("=")
    assert guard(f"see {head}.abcdef.ghi here").text.startswith("see ")


def test_private_keys_of_every_kind_are_cut_to_their_last_line() -> None:
    lines = "\n".join(body(str(n), ALNUM + "+/", 64) for n in range(6))
    for name in ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"):
        key = f"-----BEGIN {name}-----\n{lines}\n-----END {name}-----"
        assert guard(f"my key:\n{key}\nkeep it").text == "my key:\n[key]\nkeep it"
        flat = key.replace("\n", "\\n")
        assert guard(f'{{"k": "{flat}"}}').text == '{"k": "[key]"}'
        assert body("2", ALNUM + "+/", 64) not in guard(key[: len(key) // 2]).text
    assert not guard("a file that starts with -----BEGIN RSA PRIVATE KEY----- is a key").cut


WORD = "Heron" + "7!" + "x"  # a made-up password
PROSE = [
    "my password is {}",
    "the wifi password at the cabin is {}, no spaces",
    "I changed my bank password to {} yesterday",
    "pwd: {}",
    "user: deploy pass: {}",
    "the admin login is root / {}, try it",
    "Use {} as the password",
    "{} is my mail password",
    "Das Kennwort lautet {}",
    "Kennwort: {}",
    "Das Passwort ist »{}«.",
    "DB_PASSWORD={}",
    '{{"username": "lena", "password": "{}"}}',
    "postgres://lena:{}@db.example/ledger",
    "curl -u admin:{} https://api.example",
    "Server=sql1;User Id=sa;Password={};",
    "https://api.example/?user=a&password={}&x=1",
    "我的密码是{}，别告诉别人",
    "服务器密码换成了{}",
    "登录名 admin，密码 {}",
    "{}是我的邮箱密码",
    "账号密码：linqing / {}",
]


@pytest.mark.parametrize("frame", PROSE)
def test_a_password_is_cut_and_the_sentence_stays(frame: str) -> None:
    text = frame.format(WORD)
    guarded = guard(text)
    assert guarded.text == frame.format("[password]")
    assert [text[cut.start : cut.end] for cut in guarded.cut] == [WORD]


_LONG = body("example", ALNUM, 31)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("my pin is 4821 for the joint card", "my pin is [code] for the joint card"),
        ("run it with --password w4lnut/ox --tls", "run it with --password [password] --tls"),
        ("sshpass -p w4lnut/ox ssh me@host", "sshpass -p [password] ssh me@host"),
        ("Gate code is 4471#, then right", "Gate code is [code], then right"),
        ("the code for the front door is 2580", "the code for the front door is [code]"),
        ("小区门禁码是1357#", "小区门禁码是[code]"),
        ("验证码 583920，五分钟内有效", "验证码 [code]，五分钟内有效"),
        ("取款密码一二三四五六", "取款密码[password]"),
        ("safe combination: 12-34-56", "safe combination: [code]"),
        ("Backup codes: abc123 123456 ab12-cd34", "Backup codes: [code] [code] [code]"),
        ('the api token is "kq2wvxyz"', 'the api token is "[token]"'),
        ('the api token is "kq2wvxy"', 'the api token is "kq2wvxy"'),
        (f"password: example-{_LONG}Q", "password: [password]"),
        (f"password: example-{_LONG}", f"password: example-{_LONG}"),
    ],
)
def test_codes_are_cut(text: str, left: str) -> None:
    assert guard(text).text == left


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Mum wants the Disney password again, it's tugboat88 as ever", "tugboat88"),
        ("The shed opens with 6612, mind the step", "6612"),
        ("we changed the router, I set it to Quiet-Lamp-77", "Quiet-Lamp-77"),
        ("Just got 118204 as my verification code", "118204"),
        ("Hotspot: barge_guest / teapot9981", "teapot9981"),
        ("Backup codes: 8812-9921, 7712-0192 and 5510-2231", "7712-0192"),
        ("passphrase for the laptop: nine grey herons in a boat", "nine grey herons in a boat"),
        ("marshmallow is the wifi password, it's 11 letters", "marshmallow"),
        ("if you need the door code, it's B4417", "B4417"),
        ("老婆问优酷密码，还是lulu2233", "lulu2233"),
        ("车库按5512#就开", "5512#"),
        ("路由器换成了Xiaoyu-9981", "Xiaoyu-9981"),
        ("码：339201，十分钟内有效", "339201"),
        ("磁盘口令：九只灰鸭子过河", "九只灰鸭子过河"),
        ("小程序密钥换过了，现在是" + body("program", HEX, 32), body("program", HEX, 32)),
    ],
)
def test_a_secret_apart_from_its_keyword_is_cut(text: str, secret: str) -> None:
    cut = [text[c.start : c.end] for c in guard(text).cut]
    assert secret in cut


FORMATTED = [
    "For the trip: the wifi password is **{}** and the keys are with Ana.",
    "**Wifi password:** {}",
    "Your password: <b>{}</b>",
    "<tr><td>wifi password</td><td>{}</td></tr>",
    "Things to know:\n- wifi password: {}\n- bins on Tuesday",
    "| what | value |\n|---|---|\n| wifi password | {} |",
    "| place | password |\n|---|---|\n| cabin | {} |",
    "wifi password:\n{}",
    "What's the wifi password?\nIt's {}",
    "The wifi password is\n{}\nand that is all.",
    "🔑 wifi password 👉 {}",
    "{} is the wifi password, just so you know",
    "You need {} as passphrase to open it",
    "the wifi password, in case you need it, is {}",
    "app login --wifi-password '{}'",
    '{{"name": "wifi password", "value": "{}"}}',
    "WiFi密码:{}",
    "**密码**：**{}**",
    "- 邮箱密码：{}\n- 周二倒垃圾",
    "密码是多少？\n{}",
    "🔐邮箱密码👉{}",
]


NOT_BEHIND_A_NAME = {
    "What's the wifi password?\nIt's {}",
    "{} is the wifi password, just so you know",
    "You need {} as passphrase to open it",
    "the wifi password, in case you need it, is {}",
    "app login --wifi-password '{}'",
    "密码是多少？\n{}",
}


@pytest.mark.parametrize("frame", FORMATTED)
@pytest.mark.parametrize("secret", ["Quiet!Lamp77", "tugboat88", "blue kettle 42 sings"])
def test_the_guard_looks_through_formatting(frame: str, secret: str) -> None:
    """A password in bold, in a table or on the next line was stored: only plain prose was read."""
    if " " in secret and frame in NOT_BEHIND_A_NAME:
        pytest.skip("a password of several words is found behind its name only")
    text = frame.format(secret)
    assert secret not in guard(text).text
    for word in ("bins", "keys", "倒垃圾", "cabin"):
        assert (word in guard(text).text) == (word in text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("PIN of the card: 4 8 2 9", "4 8 2 9"),
        ("安全码是9 1 7", "9 1 7"),
        ("My seed phrase is legal winner thank year wave sausage worth", "legal winner thank"),
        ("助记词：苹果 河流 山谷 蓝天 桌子 火车", "苹果 河流 山谷"),
        ('Disk passphrase: "correct horse battery staple"', "correct horse"),
        ("The wifi password is correct horse battery staple", "correct horse battery staple"),
        ("WiFi密码是 correct horse battery staple。", "correct horse battery staple"),
        ("密码是春江花月夜88", "春江花月夜88"),
    ],
)
def test_spelled_digits_and_phrases_are_cut_whole(text: str, secret: str) -> None:
    """Seed phrases and digits with spaces between them were stored, or only their first part cut."""
    assert secret not in guard(text).text


@pytest.mark.parametrize(
    "text",
    [
        "My ssh key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3kQm8vYw0Zr5pXlN7tG2hF9dSeBuVcKaOiT1 me",
        "What's the wifi password?\nNo idea, ask Ana.",
        "Do you know the PIN?\nI wrote it down somewhere.",
        "| what | rule |\n|---|---|\n| password | at least twelve characters |",
        "**Password:** must be changed every year",
        "I forgot my password 😭 again",
        "Honesty is more important than the password",
        "The password reset page is slow, 30 people wait for it",
        "- password manager: 1Password",
        "密码是系统自动生成的，问公司要",
    ],
)
def test_formatted_talk_about_secrets_stays(text: str) -> None:
    assert guard(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "The garage opens with 30 seconds delay",
        "The drive has 512GB, I changed it to 1024GB",
        "The laptop is old, I switched it to Ubuntu24.04",
        "Recovery codes: print them and put them in the safe",
        "The back of the book says 1984",
        "Order 7731-0093-5512 has been packed",
        "git@host.example:plums/orchard.git is the remote",
        "密码忘了，订单是20250311",
        "路由器换成了TP-Link",
        "服务器换成了c6i.2xlarge",
        "密码策略改了，现在是12位",
        "左转到30米处，右转到50号",
        "green table purple window marble silver copper violet carpet dinner soccer puzzle",
        "id=4539578763621486",
        "The code: 12",
        "The telegram meadowlane brought",
    ],
)
def test_what_stands_near_a_keyword_or_a_lock_stays(text: str) -> None:
    assert guard(text, "personal").cut == ()


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password again.",
        "The password must be at least 12 characters long.",
        "my password is too long to type on a phone",
        "Passwords are hashed with bcrypt, tokens with SHA-256.",
        "password = os.environ['DB_PASSWORD']",
        "def check_password(password: str) -> bool:",
        "const token = await getToken(user.id);",
        "password: ${DB_PASSWORD}",
        "password=<your-password>",
        "api_key: your-api-key-here",
        "postgres://user:password@localhost/db",
        "commit 3f5a9c1e7b2d4860af9e1c2b3d4e5f60718293a4 fixed the leak",
        "id 0b9f4a34-5c1d-4a57-9d3e-6f1f0a3f1b7c",
        '"integrity": "sha512-' + "Ab3" * 28 + '=="',
        "The key to success is patience, the secret is butter.",
        "press the enter key 3 times; pin 13 is the LED",
        "the error code is 404, the zip code 90210",
        "密码错误，请重试",
        "设置密码时至少八位，含大小写字母",
        "密码在1Password里，找林青要",
        "token 用完了，明天再跑",
        "订单号 20260105123456789，周二发货",
        "Das Passwort ist falsch.",
        "Das Kennwort ist abgelaufen, das Passwort darf nicht leer sein.",
        "The wifi's called Nest-5, everyone knows the password.",
        "The guest wifi is Nest-5; ask Ana for the password.",
        "wifi叫Nest-5，密码大家都知道。",
    ],
)
def test_talk_about_secrets_stays(text: str) -> None:
    guarded = guard(text)
    assert guarded.text == text
    assert guarded.cut == ()


@pytest.mark.parametrize(
    "text",
    [
        "The wifi at home is called OtterNet.",
        "The wifi is called FritzBox7590.",
        "Our home wifi is named OtterNet5G.",
        "The wifi in the cabin is still called OtterNet5G.",
        "The name of the wifi is OtterNet5G.",
        "The wifi network is OtterNet5G",
        "Wifi network: OtterNet_5G",
        "wifi name: OtterNet",
        "The wifi SSID at the office is KranKen2.",
        "We renamed the wifi to OtterNet.",
        "The wifi router is called FritzBox7590.",
        "The wifi printer is named HP-Envy6000.",
        "The password server is called vault01.",
        "The user name for the wifi portal is OtterFan99.",
        "家里的wifi叫OtterNet。",
        "家里wifi名称是OtterNet5G",
        "wifi名称：OtterNet_5G",
        "wifi的SSID是OtterNet5G",
        "wifi的名字改成了OtterNet5G",
        "把wifi改名为OtterNet了",
        "家里的wifi热点名叫OtterNet5G",
        "wifi打印机叫HP6000Pro",
        "门锁品牌叫Aqara2",
    ],
)
def test_the_name_of_a_network_or_a_thing_is_no_password(text: str) -> None:
    """ "The wifi at home is called OtterNet" was stored without the name."""
    assert guard(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "The wifi password is {}.",
        "wifi: OtterNet5G / {}",
        "Wifi network: OtterNet5G, key: {}",
        "The wifi network key is {}.",
        "The wifi is called OtterNet5G and the password is {}.",
        "The wifi is called OtterNet5G, pw {}",
        "The password for the network named OtterNet5G is {}",
        "家里的wifi叫OtterNet5G，密码是{}",
        "wifi名称：OtterNet5G 密码：{}",
        "wifi密码叫{}",
        "wifi：OtterNet5G / {}",
        "名字叫OtterNet5G的wifi密码是{}",
    ],
)
def test_the_password_beside_a_name_is_cut_and_the_name_stays(text: str) -> None:
    assert guard(text.format("hunter" + "2blue")).text == text.format("[password]")


APART = [
    "my wifi password is {}",
    "The password for the router: {}, ok?",
    "wifi密码是{}，记一下",
    "口令：{}",
]


@pytest.mark.parametrize("frame", APART)
@pytest.mark.parametrize("secret", ["hunt" + "er2", "tug" + "boat88", "482913"])
def test_characters_that_are_told_one_by_one_are_cut(frame: str, secret: str) -> None:
    """ "h u n t e r 2" was stored, or cut to its first letters."""
    for separator in (" ", "  ", "-", ".", "/", " - ", ", ", "_"):
        text = frame.format(separator.join(secret))
        assert guard(text).text == frame.format("[password]"), text


ENTERING = [
    "use {} to log in",
    "Log in with {}.",
    "to sign in, enter {}",
    "{} is what I type at the prompt.",
    "{} gets you into the router",
    "it's {}, for the wifi",
    "just type {} to get into the laptop",
    "用{}登录",
    "登录的时候输入{}就行",
    "{}是我登录时输的",
    "是{}，连wifi用的",
    "Melde dich mit {} an",
    "Zum Anmelden gib {} ein",
]


@pytest.mark.parametrize("frame", ENTERING)
@pytest.mark.parametrize("secret", ["Quiet!Lamp77", "tugboat88"])
def test_what_is_typed_to_get_in_is_cut(frame: str, secret: str) -> None:
    """None of these sentences has a word for a password."""
    assert guard(frame.format(secret)).text == frame.format("[password]")


@pytest.mark.parametrize(
    "frame",
    [
        '<input type="password" value="{}">',
        "<password>{}</password>",
        "<label>Password</label><input value='x'><password>{}</password>",
        '<add key="DbPassword" value="{}"/>',
        '<setting name="admin_password"><value>{}</value></setting>',
        "<密码>{}</密码>",
        "[password]({})",
        "password:\n```\n{}\n```",
        "密码【{}】",
        "口令「{}」",
    ],
)
@pytest.mark.parametrize("secret", ["Quiet!Lamp77", "marshmallow", "blue kettle 42 sings"])
def test_tags_links_and_brackets_that_name_a_secret_are_looked_through(
    frame: str, secret: str
) -> None:
    """A tag of XML and the value of a field of a form stood in the store with their content."""
    if " " in secret and frame.startswith("[password]"):
        pytest.skip("a link has no spaces")
    assert secret not in guard(frame.format(secret)).text


@pytest.mark.parametrize("name", ["passwords", "密码", "密碼"])
def test_each_value_in_a_map_of_secrets_is_one(name: str) -> None:
    """Only maps with an English name were looked into, and the router's password stood there."""

    def told(name: str) -> str:
        given = {name: {"shelf": "marshmallow", "架子": "marshmallow"}}
        return str(mapped(given, lambda name, each: guard_field(name, each).text))

    assert "marshmallow" not in told(name)
    assert "marshmallow" in told("notes")


@pytest.mark.parametrize(
    "name",
    ["passwrod", "pasword", "passowrd", "passw0rd", "pasw0rd", "p@ssword", "psw", "pwd", "pw",
     "Passwrot", "Kenwort", "mima", "密碼", "密吗", "秘码", "登錄密碼", "通关密語"],
)  # fmt: skip
def test_another_spelling_of_the_name_changes_nothing(name: str) -> None:
    """ "my passwrod is …" was stored whole: only the usual spellings were known."""
    for frame in ("{}: {}", "my {} is {}" if name.isascii() else "我的{}是{}"):
        text = frame.format(name, "tug" + "boat88")
        assert guard(text).text == frame.format(name, "[password]")
    if name.isalpha():
        assert guard_field(name, "marshmallow").text == "[password]"
    assert guard("mm:" + "tug" + "boat88").text == "mm:[password]"


@pytest.mark.parametrize(
    "frame",
    [
        "🔑 {}",
        "wifi 🔐: {}",
        "邮箱🔑是{}",
        "Here is my password.\n{}",
        "the password for the mail account, as promised.\n{}\nthanks",
        "You asked for my password. It's this one: {}",
        "密码给你。{}",
        "下面是wifi密码\n{}",
    ],
)
@pytest.mark.parametrize("secret", ["Quiet!Lamp77", "tugboat88", "482913"])
def test_a_secret_behind_an_emoji_or_a_sentence_later_is_cut(frame: str, secret: str) -> None:
    """What stood on the next line was told by nothing, so it was stored."""
    assert secret not in guard(frame.format(secret)).text


@pytest.mark.parametrize(
    "text",
    [
        "use the stairs to get in",
        "use Chrome to log in",
        "Log in with Google.",
        "I use Face ID to unlock it",
        "log in to server db-03 and restart it",
        "it's great for the laptop",
        "it's Tuesday, for the dentist",
        "the key is patience",
        "🔑 to success: patience",
        "🔑 room 4417",
        "🔒 closed until 2025-01-01",
        "🔑交给4417房",
        "password reset e-mail came",
        "I changed my password yesterday.\nThanks",
        "Password reset done.\nlunch at seven",
        "He wrote the password down. Room 4417, top drawer.",
        "The password? No idea.",
        "the first half was boring, the second half much better",
        "key takeaways: part one: listening, part two: speaking",
        "密码前半是数字，后半是字母",
        "密码分两部分，第一部分大写，第二部分小写",
        "S-T-O-P it, c-a-t is no d-o-g",
        "1, 2, 3, 4 and jump",
        '<input type="password" placeholder="Password">',
        '<input type="text" value="Lena42">',
        "<password>required</password>",
        "[password](https://example.org/reset)",
        "[reset your password](reset-page)",
        "my passport and the passenger list",
        "the meeting is at HH:MM:SS",
        "用微信登录就行",
        "服务器用CentOS7",
        "密码锁坏了。电池是CR2032",
        "登录名是lena42",
        "Wifi: FritzBox in the hall, 5 GHz works better.",
        "Wifi: FritzBox 7590",
        "the access code for the room 2024",
        "reset the password for the user alice99",
        "the pass rate with pass 2 is low",
        "密码是三个一样的数字",
        "密码是八个字符",
        "we have two fives and a nine",
    ],
)
def test_what_only_sounds_like_telling_a_secret_stays(text: str) -> None:
    assert guard(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "Hint for my laptop password: name of the river plus shoe size.",
        "Hint to the Disney password: favourite ride.",
        "Passwort vom Laptop, Merkhilfe: Straße von Oma.",
        "电脑密码提示：第一只猫的名字加门牌",
    ],
)
def test_plain_words_that_are_called_a_hint_stay(text: str) -> None:
    """What somebody had noted to remember a password by was lost."""
    assert guard(text).text == text


@pytest.mark.parametrize("label", ["Password hint: ", "密码提示：", "Merkhilfe: Passwort "])
def test_a_password_that_is_called_a_hint_is_cut(label: str) -> None:
    assert guard(label + "Xk9-pplm22").text == label + "[password]"


def test_a_secret_with_escapes_in_json_is_cut_to_its_end() -> None:
    """A quotation mark takes two characters there: so many of the end of the secret would stay."""
    given = json.dumps({"user": "lena", "db_password": 'Kx"9"q"Vt"7'})
    assert json.loads(guard(given).text) == {"user": "lena", "db_password": "[password]"}


def luhn_completed(digits: str) -> str:
    total = sum(
        sum(divmod(int(d) * (2 - place % 2), 10)) for place, d in enumerate(reversed(digits))
    )
    return digits + str(-total % 10)


def test_cards_are_cut_by_issuer_and_checksum_only() -> None:
    card = luhn_completed("401288888888188")
    spaced = " ".join(card[at : at + 4] for at in range(0, 16, 4))
    assert guard(f"card {card} ok").text == "card [card] ok"
    assert guard(f"it is {spaced}, 09/28").text == "it is [card], 09/28"
    wrong = card[:-1] + str((int(card[-1]) + 1) % 10)
    assert not guard(f"order {wrong}").cut


def test_a_mistyped_card_is_cut_where_it_is_said_to_be_one() -> None:
    """Fifteen right figures of sixteen would stand in the memory, since the checksum fails."""
    card = luhn_completed("401288888888188")
    wrong = card[:-1] + str((int(card[-1]) + 1) % 10)
    assert guard(f"the visa card {wrong} ok").text == "the visa card [card] ok"


def test_personal_data_is_cut_only_where_asked_for() -> None:
    text = "mail lena@heron.example or call +31 6 12345678, IBAN NL91ABNA0417164300"
    assert guard(text).text == text
    guarded = guard(text, "personal")
    assert guarded.text == "mail [mail] or call [phone], IBAN [iban]"
    assert guard(text, "personal", allow=("phone", "iban")).text == text.replace(
        "lena@heron.example", "[mail]"
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("车牌京A12345，别忘了", "车牌[plate]，别忘了"),
        ("my license plate is B-MX 4711", "my license plate is [plate]"),
        ("wechat: meadowlane", "wechat: [account]"),
        ("我住在朝阳区建国路88号", "[address]"),
        ("I live at 12 Baker Street.", "I live at [address]"),
        ("passport C01X00T47", "passport [passport]"),
        ("SSN 078-05-1120", "SSN [identity]"),
        ("phone: 3090 182", "phone: [phone]"),
    ],
)
def test_what_identifies_a_person_is_cut_by_its_kind(text: str, left: str) -> None:
    """Only a file of labelled sentences said so, which told neither the kind nor what stays."""
    assert guard(text, "personal").text == left


@pytest.mark.parametrize("number", ["DE5137040044053201300", "DE543704004405320130001"])
def test_an_iban_has_the_length_of_its_country(number: str) -> None:
    """One of a hundred numbers that begin with two letters has the checksum by chance."""
    assert guard(f"See {number} there", "personal").text == f"See {number} there"
    assert guard("See DE89370400440532013000 there", "personal").text == "See [iban] there"


@pytest.mark.parametrize(
    ("number", "is_one"),
    [("+4412345", False), ("+44123456", True), ("+493012345678901", True), ("+4930123456789012", False)],
)  # fmt: skip
def test_a_number_abroad_has_8_to_15_digits(number: str, is_one: bool) -> None:
    """Shorter and longer ones are no telephone numbers, and may be what a text is about."""
    left = "[phone]" if is_one else number
    assert guard(f"See {number} there", "personal").text == f"See {left} there"


def test_a_chinese_identity_number_needs_its_check_digit() -> None:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    digits = "11010519491231002"
    check = "10X98765432"[sum(int(d) * w for d, w in zip(digits, weights, strict=True)) % 11]
    assert guard(f"给 {digits + check} 办", "personal").text == "给 [identity] 办"
    assert not guard(f"给 {digits + ('0' if check != '0' else '1')} 办", "personal").cut


def test_an_unknown_level_or_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="level"):
        guard("x", "everything")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="passwords"):
        guard("x", allow=("passwords",))
    assert not SECRET_KINDS & PERSONAL_KINDS


def test_full_width_digits_and_odd_capitals_keep_the_places() -> None:
    text = "İstanbul: 密码是ＡＢＣ１２３４５，记住"
    guarded = guard(text)
    assert guarded.text == "İstanbul: 密码是[password]，记住"
    assert text[guarded.cut[0].start : guarded.cut[0].end] == "ＡＢＣ１２３４５"


@given(st.text(max_size=300))
def test_any_text_comes_back_around_what_was_cut(text: str) -> None:
    guarded = guard(text, "personal")
    rebuilt, done = [], 0
    for cut in guarded.cut:
        assert done <= cut.start < cut.end <= len(text)
        rebuilt += (text[done : cut.start], f"[{cut.kind}]")
        done = cut.end
    assert "".join((*rebuilt, text[done:])) == guarded.text


# All frames of this file, the heads and tails that a first reading leaves and a second one cut.
FRAMES = sorted(
    {
        node.value
        for node in ast.walk(ast.parse(Path(__file__).read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{}" in node.value
    }
)
VALUES = [
    "Marm" + "alade!2291", "Panda" + "#8899xy", "hunt" + "er2", "4471", "#4471#", "4 4 7 1", "p4ss",
    "tr33 house" + " dragon", "nine grey herons in a boat", "八个八", "春眠不觉晓" + "88", "Zz9" + "!kq",
    "SunFlower", "abc,def1", "x(y)9" + "z8", "$ecret" + "/Path9", "88-12-07", "左3右12左40",
    "four four seven one", body("idempotent", ALNUM, 24),
]  # fmt: skip
HEADS = ["", "On 2024-05-03: ", "Room B12, ", "爱奇艺账号13900139461，", "FritzBox7590 here. "]
TAILS = [
    "", ", network FritzBox 7590", "，12月3号到期。", " since 2024-05-03", ", and the door code is 4471.",
    " or 98765 for guests", " (changed 12/03)", "，网络叫Aqara2", " / admin2", " and Tom has iPhone15",
    "\nserver: db01.local port 8080", " instead of Hunt" + "er22",
]  # fmt: skip


@given(*map(st.sampled_from, (HEADS, FRAMES, VALUES, TAILS, ["secrets", "personal"])))
@settings(max_examples=8 * settings().max_examples)
def test_a_guarded_text_has_nothing_left_to_cut(
    head: str, frame: str, value: str, tail: str, level: Level
) -> None:
    once = guard(head + frame.replace("{}", value) + tail, level).text
    assert guard(once, level) == Guarded(once, ())


def test_what_is_cut_of_each_frame_is_as_before() -> None:
    """Each frame with six values, each with another head and tail: a rule that finds more or less
    shows here."""
    rows = {}
    for place, frame in enumerate(FRAMES):
        turns = range(place, place + 6 * 3, 3)
        texts = [
            HEADS[turn % len(HEADS)] + frame.replace("{}", VALUES[turn % len(VALUES)])
            + TAILS[turn % len(TAILS)]
            for turn in turns
        ]  # fmt: skip
        rows[json.dumps(frame, ensure_ascii=False)] = [
            [f"{cut.kind} {cut.start}:{cut.end}" for cut in guard(text).cut] for text in texts
        ]
    assert_golden("guard", rows)


@pytest.mark.parametrize("level", ["secrets", "personal"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_labelled_text_is_cut_twice(language: str, level: Level) -> None:
    for row in rows("secrets", language) or ():
        once = guard(row["text"], level).text
        assert guard(once, level) == Guarded(once, ())


@pytest.mark.parametrize("kind", sorted(SECRET_KINDS))
def test_a_placeholder_is_never_cut_nor_what_stands_beside_it(kind: str) -> None:
    for frame, tail in product(PROSE, ("", ", network FritzBox 7590", "，12月3号到期。")):
        text = frame.format(f"[{kind}]") + tail
        assert guard(text).text == text
    assert guard_field("password", f"[{kind}]").cut == ()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Wifi password is Marm" + "alade!2291, network FritzBox 7590",
         "Wifi password is [password], network FritzBox 7590"),
        ("爱奇艺账号13900139461，密码Panda" + "#8899xy，12月3号到期。",
         "爱奇艺账号13900139461，密码[password]，12月3号到期。"),
        ("[password]: hunt" + "er2", "[password]: [password]"),
        ("the password is [password]Hunt" + "er22", "the password is [password][password]"),
        ('{"wifi": {"password": "[password]", "name": "FritzBox 7590"}}',
         '{"wifi": {"password": "[password]", "name": "FritzBox 7590"}}'),
    ],
)  # fmt: skip
def test_beside_a_placeholder_only_a_secret_is_cut(text: str, left: str) -> None:
    """A second reading cut "FritzBox 7590", and `review clean` erased the note."""
    assert guard(text).text == left
    assert guard(left).text == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("ssh root@10.0.0.4 with pass hunt" + "er2", "ssh root@10.0.0.4 with pass [password]"),
        ("wifi密码：八个八", "wifi密码：[password]"),
        ("密码是两个五四个六，别忘了", "密码是[password]，别忘了"),
        ("the pin is four zeros", "the pin is [code]"),
        ("wifi password: eight eights.", "wifi password: [password]."),
        ("the password is tr33 house" + " dragon", "the password is [password]"),
        ("密码是tr33 house" + " dragon。", "密码是[password]。"),
        ("Access code for the stairwell 2468E", "Access code for the stairwell [code]"),
        ("PIN for the garage 4471, since May", "PIN for the garage [code], since May"),
        ("wifi password for the cabin: Marm" + "alade!2291",
         "wifi password for the cabin: [password]"),
        ("取件码是3-2-5108", "取件码是[code]"),
    ],
)  # fmt: skip
def test_what_no_link_joins_to_its_name_or_figures_in_words_are_cut(text: str, left: str) -> None:
    assert guard(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "the password is hunt" + "er2 works fine upstairs",
        "the password is hunt" + "er2 write it down",
        "the password is hunt" + "er2 since yesterday",
    ],
)
def test_a_sentence_that_goes_on_behind_a_password_stays(text: str) -> None:
    assert guard(text).text == text.replace("hunt" + "er2", "[password]")


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    check_growth(lambda text: guard(text, "personal"), "", piece, "", 2_000)


@pytest.mark.slow
def test_the_bench_measures_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPHMEM_DATA", str(tmp_path))
    found = run(Namespace(ways=None, language=["en"], files=[], misses=False))
    assert "no labelled data" in capsys.readouterr().err
    assert {row.dataset for row in found} == {"journals", "hostile"}
    assert next(row for row in found if row.metric == "texts cut").value == 0
    assert covered([[3, 7]], guard("pw: 12")) is False


_VERSE = "江枫渔火对愁眠月落乌啼霜满天夜半钟声到客船红豆南国春来发"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("blue horse7", True),
        ("blue horse", False),
        ("blue horse boat", True),
        ("horse7", False),
        (" ".join(["horse"] * 26), True),
        (" ".join(["horse"] * 27), False),
        ("blue -> horse boat", False),
        ("江枫渔1", False),
        ("江枫渔火1", True),
        ("江枫渔火对愁", False),
        ("江枫渔火对愁眠", True),
        (_VERSE, True),
        (f"{_VERSE}枝", False),
    ],
)
def test_the_bounds_of_a_password_of_several_words(value: str, expected: bool) -> None:
    """Of two words with a figure nothing was cut."""
    assert is_phrase(value) is expected


@pytest.mark.parametrize(
    "text",
    [
        "Neue Nummer, hinten 774, bitte die alte löschen.",
        "My new number, it ends in 774, please delete the old one.",
        "换了新号码，尾号774，旧的请删掉。",
    ],
)
def test_the_last_digits_of_a_number_are_no_secret(text: str) -> None:
    """ "Neue Nummer, hinten 774" lost what tells the new number from the old one."""
    assert guard(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "包装上的防伪码是 8837 2201 4456",
        "路由器序列号：20981177",
        "物料编码 500218 缺货",
        "机身條碼 88120457 掃不了",
        "报修码 3391，师傅说周四来",
        "The barcode is 6901028075763, serial number 20981177.",
        "Seriennummer 20981177, Strichcode 6901028075763.",
        "password file: ../k1/v2/z3.py",
        "密码文件: ./b2/c3/d4.js",
        "pin map: a=1;b=2;c=3;d=4",
        "密码一共八个字",
        "密码从八位改成十位",
    ],
)
def test_a_number_of_a_thing_a_path_and_settings_are_no_secret(text: str) -> None:
    """Barcodes were cut, and what signs divide into small pieces counted as generated."""
    assert guard(text).text == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("密碼從一到八", "一到八"),
        ("登入密碼就是一到六", "一到六"),
        ("取票机上输序列号9317 2280 64", "2280"),
        ("门禁码 3391", "3391"),
        ("取货码是44192086", "44192086"),
        ("password: q7$Xv2!mK9=b", "Xv2"),
        ("Passwort: a=7;K2,z9!pQ", "K2"),
    ],
)
def test_what_looks_like_a_number_of_a_thing_is_a_secret(text: str, secret: str) -> None:
    assert secret not in guard(text).text


@pytest.mark.parametrize(
    "text",
    ["身分證字號A123456789", "台胞證號 07654321", "身份证 A123456789", "健保卡 000012345678"],
)
def test_documents_are_found_in_traditional_characters_too(text: str) -> None:
    assert guard(text).text == text
    assert "345" not in guard(text, "personal").text


def test_what_is_typed_at_a_german_door() -> None:
    """Nobody was to lose the emergency number."""
    assert guard("Geheimzahl für die Karte: 9041").text == "Geheimzahl für die Karte: [code]"
    assert guard("Die Geheimzahl ist 9041.", ruled=True).text == "Die Geheimzahl ist [code]."
    assert guard("Bei Alarm wähle 112.").cut == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cursor_token", "page-2"),
        ("token", "page-2"),
        ("pass", "12 of 14 tests"),
        ("pass", "12/14"),
        ("passwordColumn", "pw_hash"),
    ],
)
def test_a_field_whose_name_means_another_thing_is_kept(name: str, value: str) -> None:
    """A store lost the page that its next request begins with, and how many tests passed."""
    assert guard_field(name, value).cut == ()
    assert guard(json.dumps({name: value})).cut == ()


@pytest.mark.parametrize("name", ["password", "pass", "db_pass", "pgpassword", "userPassword"])
def test_a_field_that_names_a_password_is_cut(name: str) -> None:
    for value in ("marsh" + "mallow7!", "blue kettle 42 sings"):
        assert guard_field(name, value).text == "[password]"


@pytest.mark.parametrize("name", ["api_token", "token", "accesstoken", "CLIENTSECRET"])
def test_a_field_that_names_a_token_is_cut(name: str) -> None:
    assert guard_field(name, "q7Vx" + "Kz2mTR9LpWcN").text == "[token]"


@pytest.mark.parametrize(
    "text",
    [
        "国际化文件放在 frontend/src/lib/i18n。",
        "The password column is called pw_hash.",
        "PIN the version: pydantic==2.7.4.",
        "The token limit of the prompt is 8192.",
        "The lock key in Redis is lock:invoice:2026-04.",
        "The dev server's port moved from 5173 to 4200, because the mobile team uses 5173.",
        "Read services/booking/api.py, lines 1 to 4471.",
        "The password form is PasswordForm2 in accounts/forms.py.",
        "Password strength meter is zxcvbn 4.4",
        "The password table is users_credentials_v2",
        "密码规则：至少 8 位，含大小写",
        "密码组件叫 PwdInput2",
        "Die Spalte passwort ist VARCHAR(128)",
        "Falsches Passwort ergibt Fehler 4011",
    ],
)
def test_what_a_project_writes_down_about_secrets_stays(text: str) -> None:
    """Columns, limits, ports, versions and lines were cut: the guard knew households only."""
    assert guard(text).cut == ()


def test_of_a_command_only_the_value_of_its_setting_is_cut() -> None:
    """Ports and the image behind a setting were taken for words of a password."""
    told = "docker run -e POSTGRES_PASSWORD={} -p 5432:5432 postgres:15"
    assert guard(told.format("Tern" + "onIce5")).text == told.format("[password]")


@pytest.mark.parametrize("led", ["The key idea:", "Ergebnis:", "解决办法："])
@pytest.mark.parametrize(
    "code",
    [
        "def check_7(v):\n    if v > 3:\n        raise Alarm(v)",
        "const port = 3000;\napp.listen(port);",
        "npm i left-pad@1.3.0",
    ],
)
def test_a_block_of_code_without_a_secret_stays(led: str, code: str) -> None:
    """Names of functions were taken for what somebody types, and nothing brought them back."""
    for fence in ("```", "~~~"):
        text = f"{led}\n\n{fence}\n{code}\n{fence}"
        assert guard(text).text == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The wifi password:\n\n```\nmarten77x\n```", "marten77x"),
        ("Code fürs Tor:\n```\n4471\n```", "4471"),
        ("```sh\nmysql -u root -pMarten77x db\n```", "Marten77x"),
        ("登录用：\n```\nuser: anna\npass: Kx9!tr-44q\n```", "Kx9!tr-44q"),
    ],
)
def test_a_secret_in_a_block_of_code_is_cut(text: str, secret: str) -> None:
    assert secret not in guard(text).text


@pytest.mark.parametrize(
    "text",
    ["家里wifi是2023年装的", "楼上wifi是5G的", "他家wifi是每月50块", "wifi是李师傅装的,13号来的",
     "酒店wifi是免费的,限速20兆", "咱家wifi是小米路由器,型号AX3000"],
)  # fmt: skip
def test_what_is_said_of_a_network_is_no_secret(text: str) -> None:
    """Of 15 such sentences 12 were cut, and what they said was lost."""
    assert guard(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "The booking code is AB12CD3.",
        "The confirmation code for the hotel: HX82KQ",
        "The reservation code was 'ZK99PL' and we sit at the window.",
        "The confirmation code is 'A B 1 2' for the desk.",
        "Der Buchungscode lautet AB12CD3.",
        "预订码是AB12CD3。",
        "Our booking code is 48213, said the clerk.",
    ],
)
def test_what_is_called_a_code_is_one_whatever_it_opens(text: str) -> None:
    """allow=["code"] is for booking numbers, and stored "[password]" for those with letters."""
    assert {cut.kind for cut in guard(text).cut} <= {"code"}
    assert guard(text, allow=["code"]).text == text


@pytest.mark.parametrize("name", ["password", "passcode", "code word", "password of the code"])
def test_what_is_called_a_password_is_no_code(name: str) -> None:
    assert [cut.kind for cut in guard(f"The {name} is Zebra7Tango.").cut] == ["password"]


@pytest.mark.parametrize(
    "secret", ["6n{-nj&O;=cB&fE_", "$k7&Kp(2x]Q", "wyU2D0<54Cv{f(<e", "[r+9$e>RL64q!&N2"]
)
@pytest.mark.parametrize(
    "text",
    [
        "The password of the printer is §.", "SMTP_PASSWORD=§", "mailbox password: `§`",
        "打印机的密码是 §", "Passwort für den Drucker: §", 'export DB_PASSWORD="§"',
        "The password is **§** for now",
    ],
)  # fmt: skip
def test_a_generated_password_is_cut_whole_whatever_signs_it_has(text: str, secret: str) -> None:
    """Taken for code, a template or a path, one in six stayed, and half of others."""
    assert guard(text.replace("§", secret)).text == text.replace("§", "[password]")


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=${DB_Pw1:-x}", "password = get('Pw1.A')", "password: {{ Db.Pw_1 }}",
        "password=os.environ['DB_1']", "password: <Your-Pw1!>", "PASSWORD=$(Pw1.Ab -x)",
    ],
)  # fmt: skip
def test_what_stands_for_a_password_is_not_taken_for_a_generated_one(text: str) -> None:
    assert guard(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "The access token is v1.2.3-rc.4 of the spec.",
        "password: v2.10.3-b4.1",
        "token: 2026-12-01T10:00Z",
        "password = cfg['a1']['b2'].c3",
        "token = a[0].b[1].c[2]",
    ],
)
def test_a_version_time_or_subscript_is_not_generated(text: str) -> None:
    """Each was cut as a generated password, for its signs and digits alternate."""
    assert guard(text).text == text
