# ruff: noqa: E501 (a pattern is read best in one line)
"""Formats of the credentials that vendors issue: prefix, alphabet and length.

Facts were collected from the vendors' own documentation and from the rules that public secret
scanners publish. A row of `PREFIXED` is a credential that is recognised by how it begins; a row of
`EMBEDDED` one that is recognised by a mark in its middle; a row of `NAMED` one that looks like any
other random string, so the vendor's name must stand before it.

Every pattern is matched at one position and has bounded repeats over one class of characters each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from graphmem_worker.text.patterns import late

_HEX: Final = "[0-9a-f]"
_HEX_ANY: Final = "[0-9a-fA-F]"
_LOW: Final = "[a-z0-9]"
_ALNUM: Final = "[A-Za-z0-9]"
_URL: Final = r"[\w-]"
_B64: Final = "[A-Za-z0-9+/]"
_UUID: Final = f"{_HEX_ANY}{{8}}-{_HEX_ANY}{{4}}-{_HEX_ANY}{{4}}-{_HEX_ANY}{{4}}-{_HEX_ANY}{{12}}"


@dataclass(frozen=True, slots=True)
class Shape:
    """A credential's format.

    `anchor` is a literal that every such credential contains; `pattern` describes the credential
    from `back` characters before the anchor at most (0: it begins with the anchor).
    """

    vendor: str
    anchor: str
    pattern: str
    back: int = 0


def _begins(vendor: str, rows: str) -> tuple[Shape, ...]:
    """Shapes of one vendor: a line holds a prefix and the pattern of what follows it."""
    shapes = []
    for row in rows.strip().splitlines():
        prefix, _, tail = row.strip().partition(" ")
        shapes.append(Shape(vendor, prefix, re.escape(prefix) + tail))
    return tuple(shapes)


PREFIXED: Final[tuple[Shape, ...]] = (
    *_begins("1Password", f"""
        A3- [A-Z0-9]{{6}}-(?:[A-Z0-9]{{11}}|[A-Z0-9]{{6}}-[A-Z0-9]{{5}})(?:-[A-Z0-9]{{5}}){{3}}
        ops_eyJ {_B64}{{100,2000}}={{0,3}}"""),
    *_begins("Adobe", f"p8e- {_LOW}{{32}}"),
    *_begins("age", "AGE-SECRET-KEY-1 [QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    *_begins("Airtable", f"pat {_ALNUM}{{14}}\\.{_HEX}{{64}}"),
    *_begins("Alibaba Cloud", f"""
        LTAI {_ALNUM}{{12,20}}
        STS. [A-Za-z0-9]{{20,40}}"""),
    *_begins("Anthropic", f"""
        sk-ant- (?:[a-z]{{2,6}}\\d{{2}}-)?{_URL}{{24,150}}"""),
    *_begins("Artifactory", f"""
        AKCp {_ALNUM}{{60,73}}
        cmVmd {_ALNUM}{{59}}"""),
    *_begins("Asana", r"""
        1/ \d{16}:[0-9a-f]{32}"""),
    *_begins("Atlassian", f"""
        ATATT3 [\\w=-]{{100,250}}
        ATCTT3 [\\w=-]{{100,250}}
        ATBB {_ALNUM}{{32}}"""),
    *_begins("Authress", """
        sc_ [a-zA-Z0-9]{5,30}\\.[a-zA-Z0-9]{4,6}\\.acc[_-][a-zA-Z0-9-]{10,32}\\.[\\w+/=-]{30,120}
        ext_ [a-zA-Z0-9]{5,30}\\.[a-zA-Z0-9]{4,6}\\.acc[_-][a-zA-Z0-9-]{10,32}\\.[\\w+/=-]{30,120}
        scauth_ [a-zA-Z0-9]{5,30}\\.[a-zA-Z0-9]{4,6}\\.acc[_-][a-zA-Z0-9-]{10,32}\\.[\\w+/=-]{30,120}
        authress_ [a-zA-Z0-9]{5,30}\\.[a-zA-Z0-9]{4,6}\\.acc[_-][a-zA-Z0-9-]{10,32}\\.[\\w+/=-]{30,120}
        """),
    *_begins("AWS", """
        AKIA [A-Z0-9]{16}
        ASIA [A-Z0-9]{16}
        ABIA [A-Z0-9]{16}
        ACCA [A-Z0-9]{16}
        A3T [A-Z0-9]{17}
        ABSK [A-Za-z0-9+/]{100,270}={0,2}
        bedrock-api-key- [A-Za-z0-9+/=]{20,2000}
        mzn_ """ + _ALNUM + "{20,60}"),
    *_begins("Bitbucket", f"BBDC- {_B64}{{40,50}}"),
    *_begins("Beamer", "b_ [a-z0-9=_-]{44}"),
    *_begins("ClickHouse", f"4b1d {_ALNUM}{{38}}"),
    *_begins("Clojars", """
        CLOJARS_ [a-zA-Z0-9]{60}
        clojars_ [a-zA-Z0-9]{60}"""),
    *_begins("Cloudflare", f"v1.0- {_HEX}{{24}}-{_HEX}{{146}}"),
    *_begins("Contentful", f"CFPAT- {_URL}{{43}}"),
    *_begins("Databricks", f"""
        dapi {_HEX}{{32}}(?:-\\d)?
        dkea {_HEX}{{32}}"""),
    *_begins("Defined Networking", "dnkey- [a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
    *_begins("DingTalk", f"SEC {_HEX}{{64}}"),
    *_begins("DigitalOcean", f"""
        dop_v1_ {_HEX}{{64}}
        doo_v1_ {_HEX}{{64}}
        dor_v1_ {_HEX_ANY}{{64}}"""),
    *_begins("Docker", f"""
        dckr_pat_ {_URL}{{27,40}}
        dckr_oat_ {_URL}{{27,40}}"""),
    *_begins("Doppler", f"""
        dp.pt. {_ALNUM}{{40,44}}
        dp.st. (?:[a-z0-9_-]{{2,35}}\\.)?{_ALNUM}{{40,44}}
        dp.ct. {_ALNUM}{{40,44}}
        dp.sa. {_ALNUM}{{40,44}}
        dp.scim. {_ALNUM}{{40,44}}
        dp.audit. {_ALNUM}{{40,44}}"""),
    *_begins("Duffel", r"""
        duffel_test_ [\w=-]{43}
        duffel_live_ [\w=-]{43}"""),
    *_begins("Dynatrace", f"""
        dt0c01. {_ALNUM}{{24}}\\.{_ALNUM}{{64}}
        dt0s16. {_ALNUM}{{8}}\\.{_ALNUM}{{64}}"""),
    *_begins("EasyPost", f"""
        EZAK {_ALNUM}{{54}}
        EZTK {_ALNUM}{{54}}"""),
    *_begins("Facebook", f"EAA {_ALNUM}{{100,400}}"),
    *_begins("Figma", f"figd_ {_URL}{{40,60}}"),
    *_begins("Flutterwave", """
        FLWSECK_TEST- (?:[a-hA-H0-9]{32}-X|[a-hA-H0-9]{12})
        FLWPUBK_TEST- [a-hA-H0-9]{32}-X
        FLWSECK- [a-zA-Z0-9]{32}-X"""),
    *_begins("Fly.io", f"""
        fo1_ {_URL}{{43}}
        fm1a_ {_B64}{{100,1000}}={{0,3}}
        fm1r_ {_B64}{{100,1000}}={{0,3}}
        fm2_ {_B64}{{100,1000}}={{0,3}}"""),
    *_begins("Frame.io", r"fio-u- [\w=-]{64}"),
    *_begins("Google", f"""
        AIza {_URL}{{33,39}}
        GOCSPX- {_URL}{{28}}
        ya29. {_URL}{{30,300}}
        1//0 {_URL}{{40,120}}"""),
    *_begins("GitHub", """
        ghp_ [0-9a-zA-Z]{36,255}
        gho_ [0-9a-zA-Z]{36,255}
        ghu_ [0-9a-zA-Z]{36,255}
        ghs_ [0-9a-zA-Z]{36,255}
        ghr_ [0-9a-zA-Z]{36,255}
        github_pat_ \\w{70,255}"""),
    *_begins("GitLab", f"""
        glpat- {_URL}{{20,300}}(?:\\.[0-9a-z]{{2,9}}){{0,2}}
        glcbt- {_ALNUM}{{1,5}}_{_URL}{{20}}
        gldt- {_URL}{{20}}
        glffct- {_URL}{{20}}
        glft- {_URL}{{20}}
        glimt- {_URL}{{25}}
        glagent- {_URL}{{50,64}}
        gloas- {_URL}{{64}}
        glptt- {_HEX}{{40}}
        GR1348941 {_URL}{{20}}
        glrt- {_URL}{{20,300}}(?:\\.[0-9a-z]{{2,9}}){{0,2}}
        glsoat- {_URL}{{20}}
        glwt- {_URL}{{20}}"""),
    *_begins("Grafana", f"""
        eyJrIjoi {_ALNUM}{{70,400}}={{0,3}}
        glc_ {_B64}{{32,400}}={{0,3}}
        glsa_ {_ALNUM}{{32}}_{_HEX_ANY}{{8}}"""),
    *_begins("Groq", f"gsk_ {_ALNUM}{{48,56}}"),
    *_begins("Harness", f"""
        pat. {_URL}{{22}}\\.{_ALNUM}{{24}}\\.{_ALNUM}{{20}}
        sat. {_URL}{{22}}\\.{_ALNUM}{{24}}\\.{_ALNUM}{{20}}"""),
    *_begins("Heroku", f"HRKU-AA {_URL}{{58}}"),
    *_begins("Hugging Face", f"""
        hf_ {_ALNUM}{{30,40}}
        api_org_ {_ALNUM}{{34}}"""),
    *_begins("Infracost", f"ico- {_ALNUM}{{32}}"),
    *_begins("Intra42", f"""
        s-s4t2ud- {_HEX_ANY}{{64}}
        s-s4t2af- {_HEX_ANY}{{64}}"""),
    *_begins("LangSmith", f"""
        lsv2_pt_ {_HEX}{{32}}_{_HEX}{{10}}
        lsv2_sk_ {_HEX}{{32}}_{_HEX}{{10}}"""),
    *_begins("Linear", f"""
        lin_api_ {_ALNUM}{{40}}
        lin_oauth_ {_HEX}{{64}}"""),
    *_begins("Lob", f"""
        live_ (?:pub_{_HEX}{{31}}|{_HEX}{{35}}|[A-Za-z0-9_=-]{{40}})
        test_ (?:pub_{_HEX}{{31}}|{_HEX}{{35}})"""),
    *_begins("Mailgun", f"""
        key- {_HEX}{{32}}
        pubkey- {_HEX}{{32}}"""),
    *_begins("Mapbox", f"""
        pk. [a-zA-Z0-9]{{60,100}}\\.{_URL}{{22}}
        sk. [a-zA-Z0-9]{{60,100}}\\.{_URL}{{22}}"""),
    *_begins("New Relic", f"""
        NRAK- [A-Za-z0-9]{{27}}
        NRJS- {_HEX}{{19}}
        NRII- [A-Za-z0-9-]{{32}}
        NRRA- {_HEX}{{42}}"""),
    *_begins("Notion", f"""
        ntn_ \\d{{11}}{_ALNUM}{{35}}
        secret_ {_ALNUM}{{43}}"""),
    *_begins("npm", f"npm_ {_ALNUM}{{36}}"),
    *_begins("NuGet", "oy2 [a-z0-9]{43}"),
    *_begins("Octopus Deploy", "API- [A-Z0-9]{26}"),
    *_begins("OpenAI", f"""
        sk-proj- {_URL}{{40,200}}
        sk-svcacct- {_URL}{{40,200}}
        sk-admin- {_URL}{{40,200}}
        sk-None- {_URL}{{40,200}}
        sk-or-v1- {_HEX}{{64}}
        sk-lf- {_UUID}
        sk- (?:{_ALNUM}{{20}}T3BlbkFJ{_ALNUM}{{20}}|{_ALNUM}{{32,64}})"""),
    *_begins("OpenShift", f"sha256~ {_URL}{{43}}"),
    *_begins("Perplexity", f"pplx- {_ALNUM}{{40,56}}"),
    *_begins("Pinecone", f"pcsk_ {_ALNUM}{{5,8}}_{_ALNUM}{{60,70}}"),
    *_begins("Plaid", f"""
        access-sandbox- {_UUID}
        access-development- {_UUID}
        access-production- {_UUID}"""),
    *_begins("PlanetScale", r"""
        pscale_tkn_ [\w=.-]{32,64}
        pscale_oauth_ [\w=.-]{32,64}
        pscale_pw_ [\w=.-]{32,64}"""),
    *_begins("PostHog", f"""
        phx_ {_ALNUM}{{43}}
        phc_ {_ALNUM}{{43}}"""),
    *_begins("Postman", f"PMAK- {_HEX_ANY}{{24}}-{_HEX_ANY}{{34}}"),
    *_begins("Prefect", f"""
        pnu_ {_ALNUM}{{36}}
        pnb_ {_ALNUM}{{36}}"""),
    *_begins("Pulumi", f"pul- {_HEX}{{40}}"),
    *_begins("PyPI", f"""
        pypi-AgEIcHlwaS5vcmc {_URL}{{50,1000}}
        pypi-AgENdGVzdC5weXBpLm9yZw {_URL}{{50,1000}}"""),
    *_begins("ReadMe", "rdme_ [a-z0-9]{70}"),
    *_begins("Replicate", f"r8_ {_ALNUM}{{37}}"),
    *_begins("Resend", f"re_ {_ALNUM}{{8}}_{_ALNUM}{{24}}"),
    *_begins("RubyGems", f"rubygems_ {_HEX}{{48}}"),
    *_begins("Scalingo", f"tk-us- {_URL}{{48}}"),
    *_begins("SendGrid", r"SG. [\w=-]{16,32}\.[\w=-]{16,64}"),
    *_begins("Sendinblue", f"""
        xkeysib- {_HEX}{{64}}-{_ALNUM}{{16}}
        xsmtpsib- {_HEX}{{64}}-{_ALNUM}{{16}}"""),
    *_begins("Sentry", f"""
        sntrys_eyJ {_B64}{{20,500}}={{0,2}}_{_B64}{{43}}
        sntryu_ {_HEX}{{64}}"""),
    *_begins("SettleMint", f"""
        sm_aat_ {_ALNUM}{{16}}
        sm_pat_ {_ALNUM}{{16}}
        sm_sat_ {_ALNUM}{{16}}"""),
    *_begins("Shippo", f"""
        shippo_live_ {_HEX_ANY}{{40}}
        shippo_test_ {_HEX_ANY}{{40}}"""),
    *_begins("Shopify", f"""
        shpat_ {_HEX_ANY}{{32}}
        shpca_ {_HEX_ANY}{{32}}
        shppa_ {_HEX_ANY}{{32}}
        shpss_ {_HEX_ANY}{{32}}"""),
    *_begins("Slack", r"""
        xapp- \d-[A-Za-z0-9]{5,20}-\d{5,20}-[A-Za-z0-9]{10,100}
        xoxb- [0-9]{8,14}-[A-Za-z0-9-]{10,80}
        xoxp- [0-9]{8,14}-[A-Za-z0-9-]{10,120}
        xoxe- (?:\d-[A-Za-z0-9]{40,180}|[0-9]{8,14}-[A-Za-z0-9-]{10,120})
        xoxe.xoxb- \d-[A-Za-z0-9]{40,180}
        xoxe.xoxp- \d-[A-Za-z0-9]{40,180}
        xoxo- [0-9A-Za-z-]{10,120}
        xoxs- [0-9A-Za-z-]{10,120}
        xoxa- [0-9A-Za-z-]{8,120}
        xoxr- [0-9A-Za-z-]{8,120}
        xoxc- [0-9A-Za-z-]{20,120}
        xoxd- [0-9A-Za-z%+/-]{20,300}"""),
    *_begins("SonarQube", f"""
        squ_ {_HEX}{{40}}
        sqp_ {_HEX}{{40}}
        sqa_ {_HEX}{{40}}"""),
    *_begins("Sourcegraph", f"sgp_ (?:(?:{_HEX_ANY}{{16}}|local)_)?{_HEX_ANY}{{40}}"),
    *_begins("Square", f"""
        EAAA {_URL}{{22,60}}
        sq0atp- {_URL}{{22,60}}
        sq0csp- {_URL}{{40,60}}
        sq0idp- {_URL}{{22}}"""),
    *_begins("Stripe", f"""
        sk_test_ {_ALNUM}{{10,250}}
        sk_live_ {_ALNUM}{{10,250}}
        sk_prod_ {_ALNUM}{{10,250}}
        rk_test_ {_ALNUM}{{10,250}}
        rk_live_ {_ALNUM}{{10,250}}
        rk_prod_ {_ALNUM}{{10,250}}
        whsec_ [A-Za-z0-9+/]{{24,64}}={{0,2}}"""),
    *_begins("Supabase", f"""
        sbp_ (?:v0_)?{_HEX}{{40}}
        sb_secret_ {_URL}{{28,50}}"""),
    *_begins("Tailscale", f"tskey- (?:[a-z]{{2,10}}-)?{_ALNUM}{{8,24}}-{_ALNUM}{{16,40}}"),
    *_begins("Tencent Cloud", f"""
        AKID {_ALNUM}{{32}}
        IKID {_ALNUM}{{32}}"""),
    *_begins("Twilio", f"""
        SK {_HEX_ANY}{{32}}
        AC {_HEX}{{32}}"""),
    *_begins("Typeform", r"tfp_ [\w.=-]{44,59}"),
    *_begins("Vault", f"""
        hvs. {_URL}{{20,120}}
        hvb. {_URL}{{80,300}}
        hvr. {_URL}{{20,120}}
        s. (?=[A-Za-z]{{0,23}}\\d){_ALNUM}{{24}}"""),
    *_begins("Vercel", f"""
        vcp_ {_ALNUM}{{24,60}}
        vck_ {_ALNUM}{{24,60}}"""),
    *_begins("Volcengine", "AKLT [A-Za-z0-9=]{40,60}"),
    *_begins("Weights & Biases", f"wandb_v1_ {_URL}{{40,100}}"),
    *_begins("xAI", f"xai- {_ALNUM}{{70,90}}"),
    *_begins("Yandex", f"""
        AQVN {_URL}{{35,38}}
        YCA {_URL}{{37}}
        t1. {_URL}{{10,300}}={{0,2}}\\.{_URL}{{86}}={{0,2}}"""),
    *_begins("Baidu Cloud", f"ALTAK- {_ALNUM}{{21}}"),
    *_begins("Baidu Cloud", f"bce-v3/ALTAK- {_ALNUM}{{21}}/{_HEX}{{40}}"),
)  # fmt: skip
"""Credentials that begin with a literal of their own."""

EMBEDDED: Final[tuple[Shape, ...]] = (
    Shape("Azure AD", "Q~", r"[\w~.]{3}\dQ~[\w~.-]{31,34}", 4),
    Shape("Azure storage", "AccountKey=", r"(?<=AccountKey=)[A-Za-z0-9+/]{60,100}={0,2}"),
    Shape("Azure shared access", "SharedAccessKey=", r"(?<=SharedAccessKey=)[A-Za-z0-9+/]{40,60}={0,2}"),
    Shape("Azure signature", "sig=", r"(?<=sig=)[A-Za-z0-9%+/]{40,80}(?:=|%3[dD]){1,2}"),
    Shape("Terraform", ".atlasv1.", rf"{_ALNUM}{{14}}\.atlasv1\.[\w=-]{{60,70}}", 14),
    Shape("MaxMind", "_mmk", rf"{_ALNUM}{{6}}_{_ALNUM}{{29}}_mmk", 36),
    Shape("Mailchimp", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}", 32),
    Shape("Dropbox", "AAAAAAAAAA", rf"{_ALNUM}{{11}}AAAAAAAAAA[\w=-]{{43}}", 11),
    Shape("Dropbox", "sl.", r"sl\.[\w=-]{130,152}"),
    Shape("Facebook", "|", r"\d{15,16}\|[\w-]{27,40}", 16),
    Shape("Facebook", "%", r"\d{15,16}%[\w-]{27,40}", 16),
    Shape("Twitter", "AAAAAAAAAAAAAAAAAAAAAA", r"A{22}[A-Za-z0-9%]{80,100}"),
    Shape("Microsoft Teams", "webhookb2/",
          rf"[a-z0-9]{{1,40}}\.webhook\.office\.com/webhookb2/{_UUID}@{_UUID}/IncomingWebhook/"
          rf"[a-z0-9]{{32}}/{_UUID}", 64),
    Shape("Slack", "hooks.slack.com/",
          r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,60}"),
    Shape("Discord", "/api/webhooks/", r"(?<=/api/webhooks/)\d{17,20}/[\w-]{60,80}"),
    Shape("Discord", ".", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}", 28),
    Shape("Telegram", ":A", r"\d{8,10}:A[\w-]{34}", 10),
    Shape("DingTalk", "access_token=", rf"(?<=access_token=){_HEX}{{64}}"),
    Shape("WeCom", "webhook/send?key=", rf"(?<=webhook/send\?key=){_UUID}"),
    Shape("Feishu", "/bot/v2/hook/", rf"(?<=/bot/v2/hook/){_UUID}"),
    Shape("Sidekiq", "contribsys.com", rf"{_HEX}{{8}}:{_HEX}{{8}}(?=@(?:gems|enterprise)\.)", 32),
    Shape("GitLab", "_gitlab_session=", r"(?<=_gitlab_session=)[0-9a-z]{32}"),
    Shape("Zhipu", ".", rf"{_HEX}{{32}}\.{_ALNUM}{{16}}", 32),
)  # fmt: skip
"""Credentials with a mark in their middle, or directly after one. `.`, `%` and `|` are common, so
the search looks at them only where a long run of letters and digits stands before."""

_NAMED_ROWS: Final = r"""
adafruit [\w-]{32}
adobe H32
airtable A17
algolia A32
alibaba aliyun A30
amap H32
asana \d{16} A32
assemblyai elevenlabs H32
atlassian confluence jira A24
baidu dashscope deepseek mistral tencent qcloud A32
beamer b_[\w=-]{44}
bitbucket A32 [\w=-]{64}
bittrex A32
circleci meraki H40
cloudflare [\w-]{40} H37
codecov A32 U
co_api_key cohere A40
coinbase [\w-]{64}
confluent A16 A64
contentful [\w=-]{43}
contribsys__com H8:H8
datadog A40 H32
dd_api_key dd_app_key H32 H40
deepl U(?::fx)?
discord H64 \d{17,20} [\w=-]{32}
drone droneci A32
dropbox A15
etsy A24
facebook H32
fastly [\w=-]{32}
finicity H32 A20
finnhub pagerduty A20
flickr A32
freshbooks A64
gitter [\w-]{40}
gocardless live_[\w=-]{40}
heroku hubspot snyk squarespace postmark U
huawei A40
intercom [\w=-]{60}
jfrog artifactory bintray xray A73 A64
kraken [\w/=+-]{80,90}
kucoin H24 U
launchdarkly [\w=-]{40} (?:sdk|api|mob)-U
linear H32
linkedin linked_in linked-in A14 A16
lob (?:live|test)_[a-f0-9]{35}
mailchimp H32-us\d\d
mailgun H32-H8-H8 H32
mapbox [ps]k\.[\w-]{60,100}\.[\w-]{22}
mattermost A26
messagebird message_bird message-bird A25 U
moonshot A48
netlify [\w=-]{40,46}
new-relic newrelic new_relic A64 H40
ngrok \w{40,50}
nytimes newyorktimes new-york-times [\w=-]{32}
okta 00[\w=-]{40}
plaid A24 A30
privateai private_ai private-ai A32
pusher H20
pushover A30
qiniu [\w-]{40}
rapidapi [\w-]{50}
segment_write_key A32
sendbird U H40
sentry H64
sonar [\w=-]{40}
sourcegraph H40
spotify H32
sumo su[a-zA-Z0-9]{12} A64
telegr \d{5,16}:A[\w-]{34}
travis A22
trello H32 H64
twilio H32
twitch A30
twitter A45 \d{15,25}-[A-Za-z0-9]{20,40} A25 A50
wandb H40
yandex t1\.[\w=-]{10,300}\.[\w=-]{86,88} AQVN[\w-]{35,38} YC[\w-]{38}
zendesk A40
zoom A32
"""
# A row holds names in lower case, then patterns of values: H32 is 32 hexadecimal digits, A32 are 32
# letters or digits, U is a UUID.


def _named() -> dict[str, str]:
    """Vendors' names with the pattern of the values that may stand after them."""
    spelled = {"H": _HEX_ANY, "A": _ALNUM}
    table = {}
    for row in _NAMED_ROWS.strip().splitlines():
        names = [word for word in row.split() if _NAME.fullmatch(word)]
        patterns = [
            _SHORT.sub(lambda m: _UUID if m[0] == "U" else f"{spelled[m[1]]}{{{m[2]}}}", word)
            for word in row.split()
            if not _NAME.fullmatch(word)
        ]
        for name in names:
            table[name] = "|".join(patterns)
    return table


_NAME: Final = late(r"[a-z][a-z_-]+")
_SHORT: Final = late(r"(?<![A-Za-z\[])(?:([HA])(\d+)|U)(?![A-Za-z])")

NAMED: Final[dict[str, str]] = _named()
"""Vendor's name in lower case → pattern of its credentials, which nothing else tells apart."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern of a shape, compiled when it is first needed."""
    return re.compile(pattern, re.ASCII)


@cache
def assigned(name: str) -> re.Pattern[str]:
    """What stands after a vendor's name: an assignment of one of its credentials, in group 1."""
    return re.compile(
        r"[ \t\w.-]{0,24}[\s'\"\]]{0,3}(?::{0,3}=>?|=>|:|>|\|\||\?=|,|\bis\b|是|：)[`'\"\s=]{0,5}"
        rf"({NAMED[name]})(?![\w=+/-])",
        re.ASCII,
    )
