# ruff: noqa: E501 (a pattern is read best in one line)
"""Groups of which a person or a project has one at a time: a database, an editor, a seat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from graphmem_worker.text.patterns import late

_GROUPS: Final[dict[str, str]] = {
    "package manager": "npm|pnpm|yarn|bun|uv|poetry|pipenv|pdm|conda",
    "editor": "vim|neovim|vs code|vscode|emacs|helix|sublime|sublime text|intellij|pycharm|zed|webstorm|cursor",
    "formatter": "prettier|biome|black|ruff format|yapf|gofmt|rustfmt|autopep8|dprint",
    "linter": "eslint|tslint|flake8|pylint|oxlint|standardjs|ruff",
    "test runner": "jest|vitest|mocha|pytest|unittest|ava|jasmine|nose|junit|testng|cypress|playwright|selenium",
    "database": "postgres|postgresql|mysql|sqlite|mongodb|mongo|timescaledb|tdengine|influxdb|duckdb|mariadb|cassandra|clickhouse|dynamodb|oracle|sql server|达梦|人大金仓",
    "bundler": "webpack|vite|rollup|parcel|esbuild|turbopack|rspack",
    "front end": "react|vue|svelte|angular|solid\\.?js|ember",
    "host": "heroku|vercel|netlify|fly\\.io|hetzner|digitalocean|aws|azure|gcp|阿里云|腾讯云|华为云",
    "continuous integration": "jenkins|github actions|gitlab ci|circleci|travis|drone|buildkite|teamcity",
    "queue": "rabbitmq|kafka|nats|sqs|celery|redis streams|rocketmq|pulsar",
    "cache": "redis|memcached|valkey|dragonfly",
    "tracker": "jira|linear|trello|asana|notion|redmine|youtrack|basecamp|飞书|禅道|tapd",
    "chat": "slack|teams|microsoft teams|discord|mattermost|zulip|telegram|signal|whatsapp|企业微信|钉钉",
    "shell": "bash|zsh|fish|powershell|nushell",
    "terminal": "iterm|iterm2|alacritty|kitty|wezterm|ghostty|warp",
    "browser": "firefox|chrome|safari|edge|brave|arc|火狐|谷歌浏览器",
    "system": "ubuntu|fedora|arch linux|macos|windows|nixos|freebsd|苹果系统",
    "phone": "iphone|android|pixel|小米手机|华为手机|苹果手机|安卓",
    "drink": "tea|coffee|green tea|black tea|decaf|espresso|matcha|cocoa|茶(?![叶几杯具馆水话])|咖啡|普洱|白茶|绿茶|红茶|乌龙|花茶|白开水|可乐|豆浆",
    "coffee": "oat milk|soy milk|coffee black|black coffee|with milk|with sugar|no sugar|without sugar|美式|拿铁|黑咖啡|加奶|不加糖|加糖|无糖|半糖|全糖",
    "theme": "dark|light|深色|浅色|亮色|暗色",
    "indent": "tabs?|spaces|两个空格|四个空格|空格|制表符|tab",
    "length": "short|brief|concise|terse|detailed|long|in depth|简短|简洁|详细|长篇|精简",
    "diet": "vegetarian|vegan|pescatarian|meat|omnivore|吃素|素食|吃肉|吃荤|纯素",
    "language": "english|german|dutch|french|chinese|spanish|polish|italian|英文|中文|英语|德语|汉语|日文|日语|法语|粤语",
    "transport": "by plane|by train|by car|by bike|by bus|flies|drives|cycles|bikes|takes the train|takes the bus|takes the metro|takes the tram|walks|飞机|火车|高铁|动车|开车|骑车|骑自行车|坐地铁|坐公交|打车|走路",
    "channel": "by phone|by email|by mail|e-?mail|phone calls?|calls|call|called|texts?|wechat|sms|电话|微信|邮件|短信",
    "colour": "red|green|blue|orange|olive|black|white|yellow|grey|gray|purple|pink|橄榄绿|橙色|红色|绿色|蓝色|白色|黑色|灰色|黄色|紫色|粉色",
    "marital": "single|married|divorced|engaged|widowed|单身|结婚|已婚|离婚|订婚|离异",
    "lease": "续租|续签|不续|退租|renew|not renew|renewed|terminate the lease",
    "switch": "enabled|disabled|turned on|turned off|switched on|switched off|开启|关闭|启用|停用|禁用|打开了|关掉了|关了",
    "visibility": "public|private|open source|closed source|公开|私有|开源|闭源",
    "need": "mandatory|optional|required|必填|选填|必须|可选",
    "permission": "allowed|forbidden|permitted|banned|允许|禁止|不许",
    "licence": "mit|apache 2\\.0|apache-2\\.0|gpl|gplv3|agpl|agplv3|bsd|mpl|lgpl|apache",
    "time of day": "in the morning|in the afternoon|in the evening|at night|mornings|evenings|afternoons|早上(?!好)|上午(?!好)|下午(?!好)|晚上(?!好)|清晨|夜里",
    "office": "remotely|remote|from home|in the office|on site|居家|远程|在家办公|坐班|到岗",
    "style": "tailwind|bootstrap|css modules|styled components|sass",
    "architecture": "monolith|microservices|monorepo|polyrepo|multi-repo|单体|微服务|单仓|多仓",
    "protocol": "rest|graphql|grpc|soap|mqtt|coap|websocket|websockets",
    "tempo": "weekly|biweekly|fortnightly|monthly|daily|hourly|quarterly|yearly|每天|每周|每月|每两周|隔周|每季度|每年|每小时",
    "seat": "window seats?|aisle seats?|window|aisle|靠窗|靠过道|过道",
    "spelling": "british spelling|american spelling|british english|american english",
    "layout": "bullet points|bullets|running text|prose|paragraphs|条目|要点|一段话|成段",
    "script": "繁体字?|简体字?",
    "doneness": "rare|medium rare|well done|medium|三分熟|五分熟|七分熟|全熟",
    "spice": "特辣|中辣|微辣|不辣|清汤|麻辣|番茄锅",
    "season": "spring|summer|autumn|winter|春天|夏天|秋天|冬天",
    "payments": "adyen|mollie|stripe|paypal|braintree|worldpay|klarna|支付宝|微信支付|银联",
    "courier": "顺丰|京东|中通|圆通|韵达|申通|邮政|dhl|ups|fedex|dpd",
    "smoking": "smokes|smoker|non-smoker|抽烟|戒烟",
}

_SAME: Final = {
    "window seat": "window", "window seats": "window", "aisle seat": "aisle", "aisle seats": "aisle",
    "coffee black": "black coffee", "no sugar": "without sugar",
    "vs code": "vscode", "postgresql": "postgres", "mongo": "mongodb", "sublime text": "sublime", "microsoft teams": "teams",
    "素食": "吃素", "纯素": "vegan", "吃荤": "吃肉", "英语": "英文", "汉语": "中文", "日语": "日文", "已婚": "结婚", "离异": "离婚",
    "tab": "tabs", "制表符": "tabs", "spaces": "spaces", "空格": "spaces", "暗色": "深色", "亮色": "浅色", "brief": "short", "concise": "short", "terse": "short",
    "in depth": "detailed", "long": "detailed", "简洁": "简短", "精简": "简短", "长篇": "详细", "fortnightly": "biweekly", "隔周": "每两周",
    "bullets": "bullet points", "要点": "条目", "prose": "running text", "paragraphs": "running text", "成段": "一段话", "繁体字": "繁体", "简体字": "简体", "british english": "british spelling", "american english": "american spelling",
    "smoker": "smokes", "turned on": "enabled", "switched on": "enabled", "turned off": "disabled", "switched off": "disabled",
    "启用": "开启", "打开了": "开启", "停用": "关闭", "禁用": "关闭", "关掉了": "关闭", "关了": "关闭", "required": "mandatory", "必填": "必须", "选填": "可选",
    "permitted": "allowed", "banned": "forbidden", "不许": "禁止", "gray": "grey", "apache-2.0": "apache 2.0", "apache": "apache 2.0", "gplv3": "gpl", "agplv3": "agpl",
    "remote": "remotely", "from home": "remotely", "on site": "in the office", "居家": "远程", "在家办公": "远程", "到岗": "坐班", "websockets": "websocket",
    "mornings": "in the morning", "evenings": "in the evening", "afternoons": "in the afternoon", "早上": "上午", "清晨": "上午", "夜里": "晚上",
    "renewed": "renew", "续签": "续租", "退租": "不续", "iterm2": "iterm", "火狐": "firefox", "omnivore": "meat", "cycles": "by bike", "bikes": "by bike",
    "drives": "by car", "flies": "by plane", "takes the train": "by train", "takes the bus": "by bus", "call": "phone", "calls": "phone", "called": "phone",
    "phone call": "phone", "phone calls": "phone", "by phone": "phone", "by email": "email", "e-mail": "email", "by mail": "email", "text": "sms", "texts": "sms",
    "短信": "sms", "骑自行车": "骑车", "动车": "高铁", "过道": "靠过道", "open source": "public source", "开源": "公开", "闭源": "私有", "monorepo": "monorepo", "单仓": "monorepo",
}  # fmt: skip

GROUP_OF: Final[dict[str, str]] = {}
"""A choice in lower case → the group of which it is one."""

for _group, _alternatives in _GROUPS.items():
    for _word in _alternatives.split("|"):
        for _spelled in {
            re.sub(r"(?<!\\)\w\?|\\|\(\?:.*?\)\?", "", _word),
            _word.replace("?", "").replace("\\", ""),
        }:
            GROUP_OF.setdefault(_spelled, _group)


def _choices_of(*, latin: bool) -> re.Pattern[str]:
    words = {w for words in _GROUPS.values() for w in words.split("|") if w.isascii() is latin}
    ordered = sorted(words, key=len, reverse=True)
    if latin:
        return late(rf"(?<![A-Za-z-])(?:{'|'.join(ordered)})(?![A-Za-z]|-[a-z])", re.I)
    return late("|".join(ordered))


_LATIN_CHOICE: Final = _choices_of(latin=True)

HAN_CHOICE: Final = _choices_of(latin=False)

FIRST_WORDS: Final = frozenset(
    re.split(r"[^a-z0-9]", word.lstrip("(?:"), maxsplit=1)[0] for word in GROUP_OF if word.isascii()
)

TOKEN: Final = late("[a-z0-9]{1,24}")

_LETTERS: Final = late("[A-Za-z]+")
_DIGIT: Final = late(r"\d")


def latin_choices(text: str) -> Iterator[re.Match[str]]:
    """The choices in Latin letters that a text names."""
    if _DIGIT.search(text):  # "2x", "24-hour": a choice may begin within a token
        yield from _LATIN_CHOICE.finditer(text)
        return
    end = 0
    for word in _LETTERS.finditer(text):
        start = word.start()
        if start >= end and word[0].lower() in FIRST_WORDS:
            found = _LATIN_CHOICE.match(text, start)
            if found is not None:
                yield found
                end = found.end()


_USES: Final = late(
    r"\b(?:us(?:e|es|ed|ing)|prefers?|preferred|likes?|loves?|hates?|stand|wants?|is|are|'m|'re|runs?|running|stays?|stick\w{0,3}|switch\w{0,3}|mov\w{1,3}|migrat\w{1,3}|replac\w{1,3}|chose|chosen|went with|go with|goes with|pick\w{0,3}|adopt\w{0,3}|works?|writes?|with|on|back|gave up|dropped|standardi[sz]\w{1,3}|in|track\w{0,3}|manag\w{1,3}|default\w{0,3}|formats?|tests?|hosts?|deploys?|builds?|answers?|reply|replies|always|only|takes?)\b|用|喜欢|爱|改|换|选|回答|主题|框架|迁|跑|戒|是|要|写|放|走|坐|定|管|搬|记|习惯|偏好|采用|切|转|挂在|部署|托管|接的",
    re.I,
)

NEEDS: Final[dict[str, re.Pattern[str]]] = dict.fromkeys(
    ("package manager", "editor", "formatter", "linter", "test runner", "database", "bundler", "front end", "host", "continuous integration", "queue", "cache", "tracker", "chat", "shell", "terminal", "browser", "system", "style", "protocol", "architecture"),
    _USES,
) | {
    "drink": late(r"\b(?:back on|drinks?|drinking|prefers?|has|have|having|takes?|likes?|loves?|switch\w{0,3}|orders?|gave up|quit|hates?|stand|stopped|person)\b|喝|爱|戒|点|要|来|换", re.I),
    "coffee": late(r"\b(?:drinks?|takes?|has|have|prefers?|likes?|orders?|coffee)\b|喝|要|点|咖啡|爱", re.I),
    "language": late(r"\b(?:answers?|repl(?:y|ies)|respond|writ\w{2,3}|docs?|documentation|reports?|letters?|e?mails?|interface|minutes|meetings?|comments?)\b|回答|回复|写|文档|报告|界面|邮件|注释", re.I),
    "season": late(r"\b(?:favou?rite|best|most)\b|最", re.I),
    "marital": late(r"\b(?:is|got|are|been|was|am|'m|'s)\b|婚|单身", re.I),
    "diet": late(r"\b(?:is|am|'m|eats?|eating|became|went|stopped|gave up|vegan|vegetarian)\b|吃|素", re.I),
}  # fmt: skip

LOOSE: Final = frozenset(
    (
        "spelling",
        "layout",
        "script",
        "doneness",
        "spice",
        "payments",
        "courier",
        "colour",
        "length",
        "transport",
        "channel",
        "lease",
        "time of day",
        "tempo",
        "switch",
        "need",
        "visibility",
        "permission",
        "language",
        "theme",
        "coffee",
        "office",
        "smoking",
        "protocol",
        "system",
        "phone",
        "drink",
        "chat",
        "host",
        "cache",
        "marital",
    )
)
"""Groups whose words mean little by themselves: the rest of the sentence must agree too."""

REFUSED: Final = late(
    r"(?:can't stand|cannot stand|hates?|dislikes?|doesn't|don't|do not|does not|not|no|no longer|never|left|replaced?|over|than|instead of|rather than|quit|gave up|stopped|dropped|avoids?|can't keep up with|fed up with|tired of|sick of|off|away from|moved from|switched from|migrated from|from|without|戒了|戒掉|不再?|别|从|比起?|不是|没有?|讨厌|弃用|替换掉?|取代|代替|停用|离开)"
    r"\s{0,2}(?:a |the |to |any |use |using |drink |drinking |eat |eating |like |likes |want |wants )?(?:打|喝|用|吃|列|写|要|爱|想|做|喜欢|能|碰)?\s{0,2}$",
    re.I,
)

REFUSED_AFTER: Final = late(
    r"\s{0,2}(?:的看着累|不做了|戒了|不爱|，?不(?:要|吃|喝|用|再)|已经不用|早就不用|is gone|is out|was dropped|no longer|any ?more|isn't used|停用了?|下线了?|我?(?:顾不上|没空看|不看|不回|不接|收不到))"
)


def canonical(word: str) -> str:
    return _SAME.get(word.lower(), word.lower())
