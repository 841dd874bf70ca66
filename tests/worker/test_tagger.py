"""The tagger: secrets that no word names, by what stands around them."""

from __future__ import annotations

import tracemalloc
from time import process_time

import numpy as np
import pytest

from graphmem_worker.guard import guard, tagger
from graphmem_worker.guard.plain import Plain

SECRET = [
    ("The bike shed opens with 7305, mind the step.", "7305"),
    ("Key box by the meter: 0913, scramble it afterwards.", "0913"),
    ("Garage: 4471 and then the green button.", "4471"),
    ("后门的锁是7305，进来记得关灯。", "7305"),
    ("车库门按9015，等听到响声再推。", "9015"),
    ("保险柜先按4471再按井号。", "4471"),
    ("Der Tresor im Keller geht mit 7305 auf.", "7305"),
    ("Schlüsselkasten neben dem Zähler: 0913, danach verdrehen.", "0913"),
    ("Am Tor 4471 eintippen, dann die Raute.", "4471"),
]
PLAIN = [
    "The train leaves at 7:35 from platform 4, coach 13.",
    "The boiler shows error 471 again, page 12 of the manual.",
    "We paid 7305 euros for the roof.",
    "Someone changed the lock of the bike shed again.",
    "火车7点35分开，13车4号。",
    "这次屋顶一共花了7305元。",
    "有人又把后门的锁换了。",
    "Der Zug fährt um 7:35 Uhr von Gleis 4, Wagen 13.",
    "Für das Dach haben wir 7305 Euro bezahlt.",
    "Jemand hat das Schloss am Tor schon wieder ausgetauscht.",
]


@pytest.mark.parametrize(("text", "secret"), SECRET)
def test_what_opens_something_is_cut_though_no_word_names_it(text: str, secret: str) -> None:
    assert guard(text).text == text.replace(secret, "[code]")


@pytest.mark.parametrize("text", PLAIN)
def test_numbers_and_talk_about_locks_stay(text: str) -> None:
    assert guard(text).cut == ()


@pytest.mark.parametrize(
    "row",
    ["word", "long word", "pin", "hello", "go left go right", "Wort", "ja nein", "das lange Wort"],
)
@pytest.mark.parametrize("times", [8, 14, 50])
def test_a_word_is_not_secret_because_it_stands_beside_itself(row: str, times: int) -> None:
    """Each repetition made the next one likelier."""
    assert guard(" ".join([row] * times)).cut == ()


def test_a_secret_that_is_said_again_is_cut_each_time() -> None:
    told = "the magic word at the gate is walrus, walrus, walrus, just say walrus to the guard"
    assert "walrus" not in guard(told).text


@pytest.mark.parametrize("text", [text for text, _ in SECRET])
def test_nothing_more_is_found_in_what_is_left(text: str) -> None:
    left = guard(text).text
    assert guard(left).text == left


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("voicemail from home: dial in, then hash, then 6604, then hash again", "6604"),
        ("read her 5399 2217 0840 6175 and 207 for the back bit", "5399 2217 0840 6175"),
        ("Wifi is called Dovecote, you type chestnut-goose-71", "chestnut-goose-71"),
    ],
)
def test_what_stands_beside_keeps_no_secret_in(text: str, secret: str) -> None:
    """Neither "hash", nor many digits, nor the name of another thing one clause before."""
    assert secret not in guard(text).text


@pytest.mark.parametrize(
    "text",
    [
        "The awning should be in the bakery's plum. It's #6D2E46, she picked it herself.",
        "Their door sign wants a lighter sand, E6CCB2 or so.",
        "ok, sitting down now, before I phone Thornbury, who owns the domain?",
        "They'd rather have the booking portal on Vultr, not on Hostinger.",
        "The new modem is a Zellner VX900, password didn't change.",
        "His phone is new, it ends in 441 now.",
        "Die Markise soll ins Pflaumenblau. Es ist #6D2E46, hat sie selbst ausgesucht.",
        "Zurück vom Zahnarzt! Vor dem Anruf bei Ravenna, ist das Angebot raus?",
        "Das Buchungsportal hätten sie lieber auf Vultr, nicht bei Hostinger.",
        "Das neue Modem ist ein Zellner VX900, am Kennwort hat sich nichts geändert.",
        "Sein Handy ist neu, es endet jetzt auf 441.",
        "雨棚用面包店的梅子色，#6D2E46，她自己挑的。",
        "见 Calloway 之前问一句：他们给的期限是哪天？",
        "订房门户他们想放在 Vultr 上，不放 Hostinger。",
        "新光猫是泽纳 VX900，密码没变。",
        "他手机是新的，尾号现在是 441。",
    ],
)
def test_colours_names_hosts_and_models_in_chat_stay(text: str) -> None:
    """Requests for a colour lost it, and names of clients and of providers became `[password]`."""
    assert guard(text).cut == ()


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The entrance code is E6C41B, letters count", "E6C41B"),
        ("Before the call with Ravenna, log in as guest with Thimble!Oak9 please.", "Thimble!Oak9"),
        ("Backdoor keypad: #4419", "4419"),
        ("sein Tablet entsperrt man mit 4410", "4410"),
        ("Ins Buchungsportal kommst du mit admin und marmelade77.", "marmelade77"),
        ("后门键盘按 #4419", "4419"),
        ("给 Ravenna 打电话之前，用 guest 和 Dingzhen!Xiang9 登录一下。", "Dingzhen!Xiang9"),
    ],
)
def test_what_only_looks_like_a_colour_or_stands_in_such_a_turn_is_cut(
    text: str, secret: str
) -> None:
    assert secret not in guard(text).text


def test_figures_told_by_word_are_a_code_and_letters_a_password() -> None:
    kinds = {
        text: {cut.kind for cut in guard(text).cut}
        for text in (
            "Alarm panel by the door: four four seven one, then hash.",
            "For the guest wifi you type otter-lamp7 in the box.",
        )
    }
    assert [*kinds.values()] == [{"code"}, {"password"}]


def test_what_a_space_or_a_dash_parts_is_one_and_what_a_comma_parts_is_not() -> None:
    text = "a b-c, d"
    spans = [(0, 1), (2, 3), (4, 5), (7, 8)]
    assert tagger.joined(text, spans) == [(0, 5), (7, 8)]


def test_each_word_looks_at_its_own_neighbours() -> None:
    """Places and columns are made once for each number of words."""
    words = tagger.tokens("we type 4471 here")
    places, columns = tagger.roles([tagger.kind(word[0]) for word in words])
    assert places.shape == columns.shape
    of_code = dict(zip(columns[2].tolist(), places[2].tolist(), strict=True))
    assert [of_code[column] for column in range(6)] == [2, 1, 0, -1, 3, -2]
    assert np.all(columns < tagger.COLUMNS)
    assert np.all(places < len(words))


@pytest.mark.parametrize("text", ["Plumber Meyer: 555 0148", "Mum's new number: 0171 2233441"])
def test_of_a_number_in_groups_no_part_is_cut_alone(text: str) -> None:
    """ "555 [code]" is neither a number to call nor a secret that was kept."""
    assert guard(text).cut == ()


@pytest.mark.parametrize("text", ["", "\ud800", "\ud800 4471 \udfff", "…", "\x00"])
def test_odd_texts_are_read(text: str) -> None:
    assert guard(text).text.startswith(text[:1])


def test_the_weights_say_what_made_them() -> None:
    made = tagger.tagger().made
    assert made["command"].startswith("python -m bench secrets")
    assert sum(made["data"].values()) > 5000
    assert {"L", "AF"}.isdisjoint(made["data"])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Key box by the meter: zero nine one three", "Key box by the meter: [code]"),
        ("Alarm panel by the door: four four seven one, then hash.",
         "Alarm panel by the door: [code], then hash."),
        ("The shed lock: 一九八四", "The shed lock: [code]"),
        ("İ" * 20 + " key box by the meter: 0913. Call 030 901820417 if stuck",
         "İ" * 20 + " key box by the meter: [code]. Call 030 901820417 if stuck"),
    ],
)  # fmt: skip
def test_of_a_code_nothing_is_left_and_nothing_else_is_cut(text: str, left: str) -> None:
    assert guard(text).text == left


def test_a_long_text_takes_time_in_proportion_and_little_memory() -> None:
    def spent(count: int) -> float:
        text = "the shed opens with 7305 and then " * count
        took = []
        for _ in range(4):  # the first fills caches; another may meet a collection of garbage
            begun = process_time()
            guard(text)
            took.append(process_time() - begun)
        return min(took)

    assert spent(800) < 20 * spent(100)
    text = "note " * 40_000
    tracemalloc.start()
    try:
        assert list(tagger.Tagged(Plain(text)).secrets()) == []
        assert tracemalloc.get_traced_memory()[1] < 150 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "heading", ["Failing tests:", "Zimmer:", "Parts to order:", "待修的房间："]
)
@pytest.mark.parametrize("letters", ["AAAA", "TTTT", "RRCQ"])
def test_what_numbers_the_things_of_a_list_is_no_secret(heading: str, letters: str) -> None:
    """Of twenty rooms, tests or parts a fifth were cut, and the list was lost for good."""
    rows = [f"- {letter}{101 + n}" for n, letter in enumerate(letters)]
    assert guard(text := "\n".join((heading, *rows))).text == text


def test_the_mark_that_ends_a_sentence_is_no_part_of_a_password() -> None:
    """A cake lost that it was free of lactose."""
    text = "Yep, I made it with coconut milk so it's lactose-free!"
    assert guard(text).text == text


def test_what_opens_a_safe_is_one_though_it_looks_like_a_list() -> None:
    text = "Uncle Raf hid the will behind the safe, which he says answers to R33 L18 R51."
    assert "R33" not in guard(text).text
