"""What is not found under its words is forgotten, however well it is stored."""

import sys
import threading

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.language.marks import marks
from graphmem_worker.text.words import (
    ANALYSER_VERSION,
    FUNCTION_CHARACTERS,
    WORD_BYTES,
    holds_word,
    is_cjk,
    script,
    signs,
    words,
)


@given(
    st.one_of(
        st.text(max_size=300),
        st.text(st.sampled_from("aZé1,.'_/\\@:-你的カﾊﾞ😀\x00\ud800ที่ ’，："), max_size=80),
    )
)
def test_words_are_keys(text: str) -> None:
    """An index word is part of a key: too long, with a NUL or undecodable it would break the order of keys."""
    found = words(text)
    assert found == words(text)
    assert holds_word(text) is bool(found)
    for word in found:
        assert 0 < len(word.encode()) <= WORD_BYTES
        assert "\x00" not in word
        assert not any(map(str.isspace, word))


@given(st.text("abcXYZ '_-./1", max_size=40))
def test_the_quick_way_for_ascii_is_the_general_way(text: str) -> None:
    """A Chinese character at the end of a text must not change how its English is indexed."""
    assert words(text + " 中国") == [*words(text), "中国"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("The release was moved!", ["releas", "move"]),
        ("running Runs RAN", ["run", "run", "ran"]),
        ("Wen's Wen’s don't don’t won't I'll", ["wen", "wen"]),
        ("O'Brien", ["obrien", "brien"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("src/main.py", ["src/main.py", "src", "main", "py"]),
        ("snake_case __init__", ["snake_case", "snake", "case", "init"]),
        ("1.2.3 v1.2.3", ["1.2.3", "v1.2.3", "1.2.3"]),
        ("1,000 12.50 1,234,567.89 10:30", ["1000", "12.50", "1234567.89", "10:30"]),
        ("2024-05-10", ["2024-05-10", "2024", "05", "10"]),
        ("GPT-4 well-known 5km", ["gpt-4", "gpt", "4", "well", "known", "5km", "5"]),
        ("sha256 x86_64", ["sha256", "x86_64", "x86", "64"]),
        ("May 3", ["may", "3"]),
        ("US us Will will", ["us", "will"]),
        ("ｆｕｌｌ Ｗｉｄｔｈ", ["full", "width"]),
        ("naïve cafés", ["naïv", "café"]),
        ("北京大学", ["北京", "京大", "大学"]),
        ("他是我的", []),
        ("今天的天气", ["今天", "天的", "的天", "天气"]),
        ("钱", ["钱"]),
        ("的", []),
        ("用Python写，1，000行，10：30", ["用", "python", "写", "1000", "行", "10:30"]),
        ("東京タワー", ["东京", "京タ", "タワ", "ワー"]),
        ("醫院的號碼", ["医院", "院的", "的号", "号码"]),
        ("Привет, МИР", ["привет", "мир"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("שָׁלוֹם مرحبا", ["שָׁלוֹם", "مرحبا"]),
        ("ที่นี่", ["ที่นี่"]),
        ("😀 👍🏽", ["😀", "👍"]),
        ("nice 😀", ["nice"]),
        ("...", []),
    ],
)
def test_words_of_a_text(text: str, wanted: list[str]) -> None:
    """A rule of the analyser that changes unnoticed makes every stored index wrong."""
    assert words(text) == wanted
    assert ANALYSER_VERSION == 5


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("🎂 Saturday 🎂🎉", ["🎂", "🎉"]),
        ("周六🎂", ["🎂"]),
        ("Bis Freitag 👍🏽!", ["👍"]),
        ("25 °C, © 2026, 5 → 6, • ■ naïve", []),
        ("plain", []),
    ],
)
def test_emoji_are_found_beside_words(text: str, wanted: list[str]) -> None:
    """ "🎂 Saturday" was found by no cue with the emoji. Signs of ordinary texts are no words."""
    assert signs(text) == wanted


def test_a_name_meets_its_lower_case() -> None:
    """Whoever remembers "iPhone" and asks for "iphone" must find it."""
    for name in ("iPhone", "GitHub", "YouTube", "JavaScript"):
        assert set(words(name.lower())) <= set(words(name))


def test_long_words_are_cut_on_a_character() -> None:
    """Half a character at the end of a key cannot be read back."""
    assert words("a" * 100) == ["a" * WORD_BYTES]
    assert words("ё" * 100) == ["ё" * 32]
    assert words("한" * 100) == ["한" * 21]
    assert len(words("/".join(["part"] * 1000))) == 1001


def test_words_in_many_threads() -> None:
    """A stemmer is not made for threads; a shared one returned other words' stems."""
    text = " ".join(
        f"running{chr(97 + n % 26)} nationalities{n % 7}x connections" for n in range(200)
    )
    wanted = words(text)
    wrong: list[int] = []

    def check(number: int) -> None:
        for turn in range(20):
            new = f"{text} generalising{number}q{turn} organisations"
            if words(new)[: len(wanted)] != wanted:
                wrong.append(number)

    threads = [threading.Thread(target=check, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "latin"),
        ("Wen moved", "latin"),
        ("1,000!", "latin"),
        ("café", "latin"),
        ("我用Python写代码", "cjk"),
        ("I said 好 to the whole team yesterday", "latin"),
        ("カタカナ", "cjk"),
        ("Привет", "other"),
        ("한국어", "other"),
        ("，，", "other"),
    ],
)
def test_script(text: str, wanted: str) -> None:
    """A Chinese phrase cut at 60 characters, or an English one at 20, is no phrase."""
    assert script(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("家里wifi叫otter5G", True),
        ("小裴: 在用 Playwright 写自动化", True),
        ("Met 王芳 at the office", False),
        ("Wen moved", False),
        ("", False),
    ],
)
def test_latin_words_do_not_make_a_text_foreign(text: str, wanted: bool) -> None:
    """Taken for a text in English, a Chinese note counted double and came before the answer."""
    assert is_cjk(text) is wanted


def test_names_of_the_cjk_function_characters_keep_negation() -> None:
    """ "不 + 是" and "没 + 有" tell a memory from its opposite."""
    assert not {"不", "没", "无", "别"} & FUNCTION_CHARACTERS


def test_importing_the_analyser_is_light() -> None:
    """Every user of the index pays for what the analyser imports."""
    import subprocess

    code = "import sys, graphmem_worker.text.words; print([m for m in ('subprocess', 'multiprocessing', 'msgpack', 'graphmem') if m in sys.modules])"
    printed = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert printed.stdout.strip() == "[]"


def test_marks_are_read_with_a_stemmer_of_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """All threads shared the stemmers of classes of words, which are not made for that."""
    list(marks("We decided to take the ferry."))  # with a stemmer of this thread
    made: list[int] = []
    real = Stemmer.Stemmer

    def making(language: str, cached: int) -> Stemmer.Stemmer:
        made.append(threading.get_ident())
        return real(language, cached)

    monkeypatch.setattr(Stemmer, "Stemmer", making)

    def read() -> None:
        list(marks(f"We decided to take ferry{threading.get_ident()} instead."))
        met.wait()  # the next thread would have this one's number

    met = threading.Barrier(2)
    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == len(set(made)) == 2
