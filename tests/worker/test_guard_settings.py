"""Settings, commands and addresses of software projects: what in them is a secret."""

import pytest

from graphmem_worker.guard import guard, guard_field

_WORDS = "heron-Over-Water-31"
_RANDOM = "Vb7yTq2k" + "Lm4nR8sW"


@pytest.mark.parametrize(
    "name",
    ["jwt_secret", "JWT_SECRET", "app.secret", "oauth.clientSecret", "client-secret", "api.token"],
)
@pytest.mark.parametrize("frame", ["{}={}", '{} = "{}"', "{}: {}", "x: 1\n{}={}\ny: 2"])
def test_words_with_hyphens_may_be_a_token(name: str, frame: str) -> None:
    """`JWT_SECRET=moose-Under-Water-12` was taken for a name, as "page-2" is one."""
    assert guard(frame.format(name, _WORDS)).text == frame.format(name, "[token]")
    assert guard_field(name, _WORDS).text == "[token]"


@pytest.mark.parametrize(
    "text",
    [
        f"token={_WORDS}",
        f"cookie.secret={_WORDS}",
        "SESSION_SECRET=" + "plum-kettle-harbour-fog",
    ],
)
def test_a_token_is_a_setting_in_mixed_case_or_of_four_words(text: str) -> None:
    """Where the name does not say what a token opens, its value must look like none of a thing."""
    assert guard(text).text == f"{text.partition('=')[0]}=[token]"


@pytest.mark.parametrize(
    "text",
    [
        "secret=billing-psp-live",
        "imagePullSecret=registry-2024-eu",
        "token=continuation-page-12",
        "api_key=load_settings_value",
        "client_secret=settings.CLIENT_SECRET",
        "api_key: required-in-production",
        "AUTH_TOKEN=not-set-in-this-environment",
        "API_TOKEN=secret/data/ci2",
    ],
)
def test_a_setting_that_names_a_token_elsewhere_stays(text: str) -> None:
    """What is cut beside the name of a token must not be the name of another thing."""
    assert guard(text).text == text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("the vault unseal key 1 is {}" + _RANDOM, "token"),
        ('token = "{}9tR4mK2xW7bN3q.atlasv1.' + _RANDOM + '"', "token"),
        ("https://discord.com/api/webhooks/{}109384756102938475/" + _RANDOM * 2, "token"),
        ("dsn: https://{}" + "8f1e2d3c" * 4 + "~@o447.ingest.sentry.io/54", "token"),
        ("git clone https://{}" + _RANDOM + "wZ1b~@dev.azure.com/a/b", "token"),
        ("Set-Cookie: lang=en; shop_session={}s%3A" + _RANDOM + "~; Path=/", "token"),
        ("docker login quay.io -u robot -p {}Vase-77-fern", "password"),
        ("redis-cli -h cache-2 -a {}Birne_Baum3~ ping", "password"),
        ("htpasswd -b .htpasswd lena {}Birne_Baum3", "password"),
        ("htpasswd -nbB lena {}Birne_Baum3~ > users", "password"),
    ],
)
def test_what_opens_a_service_is_cut_in_its_address_or_command(text: str, kind: str) -> None:
    """They were kept: the name or the format was unknown, or no user stood before the secret."""
    before, _, rest = text.partition("{}")
    after = rest.partition("~")[2] or ('"' if rest.endswith('"') else "")
    assert guard(before + rest.replace("~", "")).text == f"{before}[{kind}]{after}"


@pytest.mark.parametrize(
    "text",
    [
        "ssh -p 2222 deploy@edge --verbose",
        "kubectl get pods --all; cargo test -p graph2",
        "mysql -u root -p shop_v2 < dump.sql",
        "docker run -u app2 -p 8080:80 image --rm",
        'redis-cli -h cache-2 -a "$REDIS_PASSWORD" ping',
        "htpasswd -c /etc/nginx/.htpasswd lena",
        "https://registry.npmjs.org/@scope/kit and https://blog.example.org/@user1234abcd/post",
        "Cookie: lang=en; theme=dark",
    ],
)
def test_other_arguments_and_addresses_stay(text: str) -> None:
    """With any option in the text, the port of ssh was cut as a password."""
    assert guard(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "Our stack locally: profile 6100, feed 6101, chat 6102, push 6103.",
        "Message counts: inbox 40213, spam 1187, sent 9034.",
        "Offsets: topic a 118200, topic b 9031.",
        "profile: 6100\nfeed: 6101\nchat: 6102",
        "listen:\n  feed: 6101\n  chat: 6102",
        "| service | port |\n|---|---|\n| feed | 6101 |\n| chat | 6102 |",
        '{"thread": 77120, "replies": 14, "views": 8120}',
        "Dienste im Haus: Profil 6100, Chat 6102, Druck 9100.",
        "Profil: 6100\nChat: 6102",
        "`docker login harbor.feed.example -u builder`",
        "消息数：收件箱40213，垃圾1187。",
    ],
)
def test_rows_of_figures_under_plain_words_stay(text: str) -> None:
    """Ports and counts became `[code]`: the tagger had read of one number at a time."""
    assert guard(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "The tailor asks 1240 now instead of 1360.",
        "Nan lends us 9500 without interest, back from 2031.",
        "He was born in 1956 and she in 1961.",
        "Der Maler nimmt 2870 statt 3050.",
        "Die Bank gibt uns 42000, zurück ab 2030.",
        "年终奖从9800涨到11200。",
        "叔叔借给我们25000，2032年还。",
    ],
)
def test_plain_sums_and_years_stay(text: str) -> None:
    """A rent and the year in which a loan ends became `[code]`, and were lost for good."""
    assert guard(text).text == text


@pytest.mark.parametrize(
    "text", ["Back gate 4471, then the shed 9920, to open.", "key box by the meter: 0913"]
)
def test_figures_that_open_something_are_cut(text: str) -> None:
    """What rows of figures teach must not keep what opens a door."""
    assert "[code]" in guard(text).text
