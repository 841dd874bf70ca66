# ruff: noqa: E501 (a pattern is read best in one line)
"""Whether a string that stands where a secret would stand is one.

A keyword such as "password" is followed far more often by prose, a variable or a placeholder than
by a password. These tests look at the string alone; the callers weigh what stands around it.
"""

from __future__ import annotations

import re
from typing import Final

from graphmem_worker.text.patterns import late

_PLACEHOLDERS: Final[frozenset[str]] = frozenset(
    """
    password passwd passwort pass pwd pw pin secret token key apikey api_key api-key value string str
    text char varchar int integer number float bool boolean bytes bytearray object array list dict
    tuple none null nil undefined true false yes no on off any optional required default empty blank
    unknown unset set get test tests testing tester example sample dummy fake mock foo bar baz qux
    foobar spam user username login credential credentials auth authorization todo tbd fixme redacted
    hidden masked removed deleted changeme change_me change-me placeholder xxx yyy zzz abc n/a na
    void self this function lambda async await return input output print env environ getenv config
    settings options option param params argument args kwargs field fields attribute property type
    types typing callable literal enum const constant var let private public protected static final
    hash hashed salt plain plaintext cleartext encrypted ciphertext bearer basic digest oauth oauth2
    prompt stdin stdout file path url uri host hostname port name id email mail address code
    asterisks stars nopasswd prohibit-password without-password
    """.split()
)

_MARKED: Final = late(
    r"(?i)your[-_ ]|[-_]your|^your?[A-Z_]|example|placeholder|change[-_]?(?:me|this|it)|replace[-_]?"
    r"(?:me|this|with)|insert[-_]|dummy|sample|redacted|todo|fixme|goes[-_]?here|[-_]here\b|xxxx|\*\*\*|\.\.\.|…"
    r"|^test[-_]?(?:pass|pw|user|ing|er)?(?:word)?\d{0,4}$|not[-_]?a?[-_]?real|doesnotexist|nonexist|fake"
    r"|^my[-_](?:secret|pass|token|api|key|very|super|app)|^(?:some|any|the|an?|new|old|user|test|fake|db|this)[-_]"
    r"(?:secret|pass|token|api|key|pwd)|^(?:secret|token|password|passwd|pwd|pass|key)[-_]?(?:key|value|string|here|token|\d{0,3})$"
)
_DRESSED: Final = late(
    r"<[^<>]{0,80}>?|\$\{[^}]{0,80}\}?|\$\([^)]{0,80}\)?|\$\$?[A-Za-z_]\w{0,60}|\{{1,3}[^{}]{0,80}\}{0,3}"
    r"|%[a-zA-Z]|%\(\w{1,40}\)[a-z]|%[A-Za-z_]\w{0,40}%|\[[^\[\]]{0,80}\]?|@\w{1,40}@|#\{[^}]{0,80}\}?|\(.{0,80}"
    r"|:\w{1,40}|&\w{1,40};?|\\[nrtu].{0,3}|//.{0,80}|/[\w./-]{0,80}|~/.{0,80}|\.{1,2}/.{0,80}|--?[a-z][\w-]{0,40}"
)
_CODE: Final = late(
    r"[A-Za-z_][\w]{0,60}(?:(?:\.|->|::)[A-Za-z_]\w{0,60}){1,8}(?:[(\[].{0,80})?|[A-Za-z_]\w{0,60}[(\[{].{0,80}"
    r"|[a-z]+:[^0-9]{0,60}",
)
_VERSION: Final = late(
    r"[~^<>=v]{0,3}\d{1,5}(?:\.\d{1,5}){1,3}(?:[-+.][\w.]{0,20})?|\d{1,4}[-/]\d{1,2}[-/]\d{1,4}|\d{1,2}:\d\d(?::\d\d)?"
)
_URL: Final = late(
    r"(?i)[a-z][a-z0-9+.-]{1,12}://.{0,200}|www\..{0,80}|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}|[\w-]{1,40}\.(?:com|org|net|io|dev|html?|json|ya?ml|toml|py|js|ts|md|txt|pem|key|crt|env|cfg|ini|conf|sh|go|rs|java)"
)
_NAMES: Final[frozenset[str]] = frozenset(
    """
    1password bitwarden lastpass keepass keepassxc dashlane nordpass sha1 sha-1 sha2 sha256 sha-256
    sha512 sha-512 md5 bcrypt argon2 argon2id argon2i scrypt pbkdf2 base64 base58 base32 utf8 utf-8
    oauth1 oauth2 oauth2.0 oidc saml saml2 auth0 okta 2fa mfa u2f fido2 totp hotp webauthn passkey
    passkeys ipv4 ipv6 http2 x509 x.509 pkcs8 pkcs12 pkcs#8 ed25519 rs256 hs256 es256 aes256 aes-256
    aes128 rsa2048 k8s s3 ec2 wpa2 wpa3 wpa2-psk pop3 imap4 windows10 windows11 ps4 ps5 web3 v1 v2 v3
    utf16 latin1 iso8859-1 log4j h2 gpt-4 gpt4 gpt-3.5 gpt-4o o1 o3 b2b b2c c++ c# asp.net .net 24/7
    """.split()
)
_SYMBOL: Final = late(r"[!@#$%^&*_+=~?|]")
_DIGIT: Final = late(r"\d")
_LETTER: Final = late(r"[^\W\d_]")
_CAMEL: Final = late("[a-z][A-Z]")
_HASHED: Final = late(
    r"\$(?:2[abxy]?|1|5|6|argon2[id]{0,2}|scrypt|y)\$.{10,200}|pbkdf2[:_].{10,200}|sha\d{1,3}[:-].{10,200}"
)


_RANDOM: Final = late(r"(?=\D{0,500}\d)[\w./+=~:%$@!#^*&|-]{1,4000}", re.ASCII)
_CONSTANT: Final = late(r"[A-Z]{2,30}(?:_[A-Z]{1,30}){1,8}")


def placeholder(value: str) -> bool:
    """Whether `value` stands for a secret instead of being one: `<token>`, `${VAR}`, `changeme`."""
    low = value.lower()
    if low in _PLACEHOLDERS or _DRESSED.fullmatch(value) or _CONSTANT.fullmatch(value):
        return True
    if len(set(low)) <= 2 and not value.isdigit():
        return True
    return len(value) < 40 and _MARKED.search(value) is not None


def reference(value: str) -> bool:
    """Whether `value` is code, a path, an address, a version or a day."""
    return (
        _CODE.fullmatch(value) is not None
        or _VERSION.fullmatch(value) is not None
        or _URL.fullmatch(value) is not None
        or _HASHED.fullmatch(value) is not None
    )


def strong(value: str) -> bool:
    """Whether `value` cannot be a word of prose: it mixes letters with digits, cases or symbols."""
    if value.lower() in _NAMES or len(value) < 4:
        return False
    digits = _DIGIT.search(value) is not None
    if digits and _LETTER.search(value):
        return True
    if _SYMBOL.search(value) and sum(map(str.isalnum, value)) >= 4:
        return True
    # A capital after a small letter. All capitals are a constant or an abbreviation.
    return _CAMEL.search(value) is not None


def opaque(value: str, least: int = 16) -> bool:
    """Whether `value` looks random: long, letters with digits, many different characters."""
    if len(value) < least or not _RANDOM.fullmatch(value):
        return False
    letters = sum(map(str.isalpha, value))
    if letters < 2 or len(set(value)) < min(8, least * 2 // 3):
        return False
    # Words joined by hyphens, dots or underscores are names.
    parts = re.split(r"[-_.:/]", value)
    return (
        any(
            len(part) >= 7 and any(map(str.isdigit, part)) and sum(map(str.isalpha, part)) >= 2
            for part in parts
        )
        or sum(any(map(str.isdigit, p)) and any(map(str.isalpha, p)) for p in parts) >= 3
    )


def number(value: str) -> bool:
    """Whether `value` consists of digits, with the marks of a keypad at most."""
    return value.strip("#*").replace("-", "").replace(" ", "").isdigit()
