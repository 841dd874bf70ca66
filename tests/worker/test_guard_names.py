"""Names of secrets that were in the tables and found nothing: names written as one word, with letters
beyond ASCII, or told in another way than behind a colon."""

import pytest

import graphmem
from graphmem_worker.guard import guard, guard_field


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Der Haustürcode ist 0815.", "Der Haustürcode ist [code]."),
        ("Der Türcode vom Vereinsheim: 0815", "Der Türcode vom Vereinsheim: [code]"),
        (
            "Der Türcode an der Südseite vom Vereinsheim: 4471",
            "Der Türcode an der Südseite vom Vereinsheim: [code]",
        ),
        ("Der Tür-Code ist 4471", "Der Tür-Code ist [code]"),
        ("Der Alarmcode ist 4471", "Der Alarmcode ist [code]"),
        ("Tresorkombination: 19-4-33", "Tresorkombination: [code]"),
        ("The doorcode is 4471.", "The doorcode is [code]."),
    ],
)
def test_the_name_of_a_code_may_be_one_word_with_what_it_opens(text: str, left: str) -> None:
    """Six names in the German table were never found: only the "code" at their end was looked for,
    which counted as the end of another word."""
    assert guard(text).text == left


@pytest.mark.parametrize(
    "text",
    [
        "Der Strichcode ist 4471.",
        "Die Kombination 4-3-3 lag uns nicht.",
        "Die Farbkombination ist 4471.",
        "The barcode is 4471.",
        "The zipcode is 44710.",
    ],
)
def test_a_word_that_ends_like_the_name_of_a_code_is_none(text: str) -> None:
    """What is found by the end of a word must not cut whatever has a number."""
    assert guard(text).text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("TAN 448102", "TAN [code]"),
        ("Die mTAN lautet 448102", "Die mTAN lautet [code]"),
        ("Die TAN war 448102, ging aber nicht.", "Die TAN war [code], ging aber nicht."),
        ("他家WIFI密码是八个八", "他家WIFI密码是[password]"),
        ("支付密码六个八，你帮我付", "支付密码[password]，你帮我付"),
        ("Tan ist 34 Jahre alt.", "Tan ist 34 Jahre alt."),
        ("Tan wohnt seit 2019 in Kiel.", "Tan wohnt seit 2019 in Kiel."),
        ("他家有八个八岁的孩子", "他家有八个八岁的孩子"),
    ],
)
def test_a_number_told_without_a_colon_is_cut(text: str, left: str | None) -> None:
    """No rule knew a TAN, "ist die 7713" was no link, and 八个八 counted only behind 密码."""
    assert guard(text).text == (left or text.replace("7713", "[code]"))


@pytest.mark.parametrize(
    ("name", "value", "is_cut"),
    [
        ("Türcode", "7713", True),
        ("Haustürcode", "7713", True),
        ("tür_code", "7713", True),
        ("TAN", "448102", True),
        ("Geheimzahl", "7713", True),
        ("client_secret", "Q8xk2", True),
        ("token", "running", False),
        ("next_token", "abcdefghi", False),
        ("Ländercode", "7713", False),
        ("Fehlercode", "7713", False),
        ("aggregate_code", "7713", False),
        ("access_token", "expired", False),
        ("tan", "0.5", False),
    ],
)
def test_a_field_is_read_by_its_whole_name(name: str, value: str, is_cut: bool) -> None:
    """A letter beyond ASCII parted the words of a name, and a secret of letters only stayed."""
    assert (guard_field(name, value).text != value) is is_cut


def test_a_password_in_parentheses_behind_a_speaker_is_cut() -> None:
    """It was taken for the type of an argument, as in `login(pw: Wobble_44x)`."""
    with graphmem.open(None, worker="none") as memory:
        (node,) = memory.remember("Hello.", speaker="Rosa (pw: Wobble_44x)")
    assert node.speaker == "Rosa (pw: [password])"
    assert guard("login(pw: Wobble_44x)", ruled=True).text == "login(pw: Wobble_44x)"
