"""The tagger: secrets that no word names, by what stands around them."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest

from graphmem_worker.guard import guard, tagger

SECRET = [
    ("The bike shed opens with 7305, mind the step.", "7305"),
    ("Key box by the meter: 0913, scramble it afterwards.", "0913"),
    ("To get into the garage press 4471 and then the green button.", "4471"),
    ("后门的锁是7305，进来记得关灯。", "7305"),
    ("钥匙盒0913，拿完钥匙打乱。", "0913"),
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


@pytest.mark.parametrize("text", [text for text, _ in SECRET])
def test_nothing_more_is_found_in_what_is_left(text: str) -> None:
    left = guard(text).text
    assert guard(left).text == left


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


def test_the_time_is_linear_in_the_text() -> None:
    def spent(count: int) -> float:
        text = "the shed opens with 7305 and then " * count
        guard(text)
        begun = process_time()
        guard(text)
        return process_time() - begun

    assert spent(800) < 16 * spent(100) + 0.5
