"""The tables of languages: their examples, their phrases, and what a check refuses."""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

import graphmem
from graphmem_worker import facts
from graphmem_worker.claims import claims
from graphmem_worker.guard import guard
from graphmem_worker.kinds import kind as kind_of
from graphmem_worker.language import calendar, expressions, harm, lists, sayings, tables
from graphmem_worker.language.calendar import grammar
from graphmem_worker.language.check import TODAY, check
from graphmem_worker.language.phrases import PhraseError, compiled
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.clauses import negation
from graphmem_worker.text.keywords import keywords
from graphmem_worker.text.markers import markers
from graphmem_worker.text.particulars import is_particular
from graphmem_worker.text.phrase import phrase as phrase_of
from graphmem_worker.text.protects import protects
from graphmem_worker.text.salience import is_question, salience
from graphmem_worker.text.sentences import clauses, sentences
from graphmem_worker.text.trivial import trivial


@pytest.mark.parametrize("code", tables.codes())
def test_every_example_of_a_table_holds(code: str) -> None:
    """An example that fails is a date that somebody relied on and that is read otherwise now."""
    report = check(code)
    assert report.faults == ()
    assert report.examples >= 4 * report.rules


_TABLE = """
days = "ordinal"
[words.leading]
[words.month]
5 = "floreal"
[[rule]]
means = "date"
say = {say}
yes = {yes}
no = {no}
"""


_LONG = "# " + "a" * 100
_FAULTY = {
    "calendar": f"""days = "ordinal"
[words.leading]
[words.month]
{_LONG}
5 = "floreal"



[[rule]]
means = "date"
say = ["(<month>", "<month>"]
yes = ["floreal = --05-02", "en floreal = 2026-5-2"]
no = ["a", "b"]
[[rule]]
means = "nothing"
say = ["(no|in) <month>"]
yes = ["no floreal = nothing", "in floreal = nothing"]
no = ["in floreal", "no floreal = --05-01 --05-31"]
""",
    "claims": "x = 1 y",
    "cues": """[[rule]]
means = "vallue"
say = ["(qui|que)"]
yes = ["quoi", "qui"]
no = ["a", "b"]
""",
    "harm": """[terms]
il = "rhume"
[[clear]]
say = "ill gone"
yes = ["a", "b"]
no = ["a", "b"]
[[clear]]
say = "ill forbid"
yes = ["flu: forbidden", "cancer: forbidden"]
no = ["flu: forbidden", "b"]
""",
    "lists": 'titels = "madame"',
    "marks": '[terms]\nkinn = "oncle"',
}


@pytest.mark.parametrize(
    ("say", "yes", "no", "fault"),
    [
        ('["<month>"]', '["floreal = --05-01 --05-31", "in floreal = --05-01 --05-31"]', '["a"]',
         "fewer than 2"),
        ('["<month>"]', '["floreal = --05-02", "in floreal = --05-01 --05-31"]', '["a", "b"]',
         "means --05-01 --05-31, not --05-02"),
        ('["<month>"]', '["floreal = --05-01 --05-31", "a floreal = --05-01 --05-31"]',
         '["floreal", "b"]', "is taken for a period"),
        ('["<moon>"]', '["a = --05-01", "b = --05-01"]', '["a", "b"]', "there is no slot <moon>"),
        ('["(<month>"]', '["a = --05-01", "b = --05-01"]', '["a", "b"]', "not closed"),
        ('["' + "a" * 100 + '"]', '["a = --05-01", "b = --05-01"]', '["a", "b"]', "over 100"),
    ],
)  # fmt: skip
def test_a_wrong_table_is_refused(
    say: str, yes: str, no: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that nobody can review hides a fault; each message says what is wrong."""
    (tmp_path / "fr").mkdir()
    (tmp_path / "mul").mkdir()
    shared = (tables.FOLDER / "mul" / "calendar.toml").read_text("utf-8")
    (tmp_path / "mul" / "calendar.toml").write_text(shared, "utf-8")
    written = _TABLE.format(say=say, yes=yes, no=no)
    (tmp_path / "fr" / "calendar.toml").write_text(written, "utf-8")
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    report = check("fr")
    assert any(fault in line for line in report.faults), report.faults
    assert report.folder == tmp_path / "fr"
    assert all(line.startswith("fr/calendar.toml:") for line in report.faults)


def test_each_fault_is_reported_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One fault hid the others, a wrong day ended the check, and a misspelt name was none."""
    for code in ("en", "zh", "mul"):
        (tmp_path / code).symlink_to(tables.FOLDER / code)
    (tmp_path / "fr").mkdir()
    for kind, text in _FAULTY.items():
        (tmp_path / "fr" / f"{kind}.toml").write_text(text, "utf-8")
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    cached = (harm._lexicon, harm._names, tables.languages)
    for each in cached:
        each.cache_clear()
    try:
        report = check("fr")
    finally:
        for each in cached:
            each.cache_clear()
    assert [line.removeprefix("fr/") for line in report.faults] == [
        f"calendar.toml:4: {len(_LONG)} characters, over 100",
        "claims.toml: Expected newline or end of document after a statement (at line 1, column 7)",
        "cues.toml: nobody asks for 'vallue'",
        "harm.toml: nobody asks for 'il'",
        "lists.toml: nobody asks for 'titels'",
        "marks.toml: nobody asks for 'kinn'",
        "calendar.toml:9 (date): '(<month>': a bracket is not closed",
        "calendar.toml:9 (date): 'floreal' means --05-01 --05-31, not --05-02",
        "calendar.toml:9 (date): 'en floreal': '2026-5-2' is no day: write 2026-05-07 or --05-07",
        "calendar.toml:14 (nothing): 'in floreal' is taken for nothing",
        "calendar.toml:14 (nothing): 'no floreal' means no period, not --05-01 --05-31",
        "cues.toml:1 (vallue): 'quoi' is not found",
        "harm.toml:3 (ill gone): there is no class gone",
        "harm.toml:7 (ill forbid): under `no`: 'flu: forbidden' has the classes forbid ill",
    ]
    assert report.unused == ("(<month>",)


def test_a_language_without_tables_is_refused() -> None:
    """A mistyped code must not pass as a language without faults."""
    with pytest.raises(FileNotFoundError, match="xx"):
        check("xx")


@pytest.mark.parametrize("text", ["a)", "[a", "a]", "{gone}"])
def test_a_phrase_with_a_wrong_bracket_is_refused(text: str) -> None:
    """It would be compiled to an expression that finds something else."""
    with pytest.raises(PhraseError):
        compiled(text, tables.languages()[0].slot, {}, spaced=True)


def test_no_phrase_takes_long() -> None:
    """A text of thousands of figures, spaces or "and" once made an expression run for minutes."""
    hard = ["1 " * 1000, "in " * 700, "twenty " * 300, "二十" * 1000, "undzwei" * 300, "[(" * 1000,
            "last " * 400, "5月" * 1000, "von " * 500]  # fmt: skip
    for text in hard:
        for phrase in grammar().phrases:
            begun = time.process_time()
            sum(1 for _ in phrase.pattern.finditer(text))
            assert time.process_time() - begun < 0.5, (phrase.text, text[:10])


def test_packed_tables_are_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A wheel has them packed: a phrase that is lost there is read by a checkout only."""
    plain = {kind: _read(kind) for kind in tables.kinds("en")}
    monkeypatch.setattr(tables, "PACKED", tmp_path / "tables.json")
    tables.PACKED.write_text(tables.packed(), "utf-8")
    _forget()
    try:
        packed = {kind: _read(kind) for kind in plain}
    finally:
        _forget()
    assert packed == plain


def _forget() -> None:
    tables._lines.cache_clear()
    tables.tables.cache_clear()


def test_a_table_is_read_once() -> None:
    """Each of some hundred lists once read the whole table of lists anew, within somebody's call."""
    assert tables.tables("lists") is tables.tables("lists")


def test_kept_tables_are_read_until_one_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A rule that somebody adds in a checkout would not be read."""
    monkeypatch.setattr(tables, "KEPT", tmp_path / "tables.json")
    _forget()
    tables.keep()
    assert tables._lines.__wrapped__()
    tables.keep()
    newest = max(path.stat().st_mtime_ns for path in tables.FOLDER.glob("*/*.toml"))
    os.utime(tables.KEPT, ns=(newest, newest))
    assert tables._lines.__wrapped__() == {}


def test_a_memory_keeps_the_tables_packed_as_python_keeps_modules(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each command of a checkout read TOML and compiled all phrases again: a fifth of its time."""
    kept, begun, pack = tmp_path / "kept" / "tables.json", list[int](), tables.packed
    monkeypatch.setattr(tables, "KEPT", kept)
    monkeypatch.setattr(tables, "packed", lambda: begun.append(time.time_ns()) or pack())
    try:
        for writes in (False, True):
            _forget()
            monkeypatch.setattr(sys, "dont_write_bytecode", not writes)
            graphmem.open(None, worker="none").close()
            assert kept.exists() is writes
        graphmem.open(None, worker="none").close()
        assert len(begun) == 1
        assert kept.stat().st_mtime_ns <= begun[0]  # a table that changes meanwhile is newer
    finally:
        _forget()


def test_threads_that_keep_the_tables_at_once_leave_one_whole_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They wrote into one file: what was kept was half of one and could not be read."""
    texts = [f"kind{turn}\t{{}}" + " " * (400 - 100 * turn) for turn in range(4)]
    turns = iter(range(4))

    def packed() -> str:
        turn = next(turns)
        time.sleep(turn / 50)
        return texts[turn]

    monkeypatch.setattr(tables, "KEPT", tmp_path / "tables.json")
    monkeypatch.setattr(tables, "packed", packed)
    _forget()
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: tables.keep(), range(4)))
        assert [path.name for path in tmp_path.iterdir()] == ["tables.json"]
        assert tables.KEPT.read_text("utf-8") in texts
    finally:
        _forget()


def test_what_cannot_be_written_whole_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A full disk left a part of it in the folder of the package for ever."""

    def full() -> str:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(tables, "KEPT", tmp_path / "tables.json")
    monkeypatch.setattr(tables, "packed", full)
    _forget()
    try:
        tables.keep()
        assert list(tmp_path.iterdir()) == []
    finally:
        _forget()


def test_tables_that_cannot_be_kept_are_not_packed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each process would pack them in vain, for half a second."""
    monkeypatch.setattr(tables, "KEPT", tmp_path / "file" / "tables.json")
    (tmp_path / "file").touch()
    monkeypatch.setattr(tables, "packed", lambda: pytest.fail("packed in vain"))
    _forget()
    try:
        tables.keep()
    finally:
        _forget()


def _read(kind: str) -> object:
    """What a reader takes of the tables of a kind."""
    if kind in ("lists", "marks", "numbers", "statements"):
        return tables.tables(kind)
    if kind == "harm":
        return {code: table["terms"] for code, table in tables.tables(kind).items()}
    if kind == "calendar":
        tongues = tables.languages.__wrapped__()
    else:
        tongues = sayings._tongues.__wrapped__(kind)
    return [
        (one.code, one.vocabulary, {text: one.phrase(text) for text in one.every_phrase()})
        for one in tongues
    ]


def test_an_unknown_meaning_raises() -> None:
    """A reader that asks for a mistyped meaning or list would find nothing in any text."""
    with pytest.raises(KeyError, match="gone"):
        sayings.sayings("claims", "gone")
    with pytest.raises(KeyError, match="gone"):
        lists.listed("gone")


READ = {kind: tables.tables(kind) for kind in tables.kinds("en")}
OTHERS = sorted(
    kind
    for kind, found in READ.items()
    if kind != "calendar" and any("rule" in table for table in found.values())
)
EXPRESSED = sorted(
    {
        (kind, one["means"])
        for kind, found in READ.items()
        for table in found.values()
        for one in table.get("expression", ())
    }
)
HARD = ["a " * 400, "1 " * 400, "十" * 800, ", " * 400, "n't " * 200, "不" * 800, "who " * 200,
        "第" * 800, "so, " * 200]  # fmt: skip
"""Texts of repeated words, figures and signs, as long as a sentence that is read."""


@pytest.mark.parametrize("kind", OTHERS)
def test_no_saying_takes_long(kind: str) -> None:
    """Nothing repeats without a bound."""
    phrases = sayings.sayings(kind)
    for text in HARD:
        list(phrases.finditer(text))  # an expression is compiled at its first use
        begun = time.process_time()
        sum(1 for _ in phrases.finditer(text))
        assert time.process_time() - begun < 0.5, (kind, text[:10])


def test_what_all_languages_share_is_read_first() -> None:
    """A language that says something of its own would be overruled by what they share."""
    first, *others = (tongue.code for tongue in tables.languages())
    assert first == tables.SHARED
    assert others == sorted(others)


@pytest.mark.parametrize(("kind", "means"), EXPRESSED)
def test_no_expression_takes_long(kind: str, means: str) -> None:
    """Nothing repeats without a bound."""
    one = expressions.expression(kind, means)
    for text in [*HARD, "Ada " * 200, "[" * 800, "The a" * 200]:
        one.search(text)  # an expression is compiled at its first use
        begun = time.process_time()
        sum(1 for _ in one.finditer(text, text.lower()))
        one.search(text)
        assert time.process_time() - begun < 0.5, text[:10]


@pytest.mark.parametrize(
    ("text", "owner", "thing"),
    [("Rui owns the billing code.", "Rui", "billing code"), ("支付归王敏", "王敏", "支付")],
)
def test_an_expression_captures_words_by_role(text: str, owner: str, thing: str) -> None:
    """The alternatives have their groups in another order, and each language has its own."""
    found = next(iter(expressions.expression("states", "owner").finditer(text, text.lower())))
    assert tuple(expressions.captured(found, "owner", "thing", "none")) == (owner, thing, "")


def test_an_expression_stands_only_where_it_is_needed() -> None:
    """Stems hold back an expression of a language with spaces; without any it is always looked
    for, and so is one of Chinese in a text with its characters."""
    team, unit = (expressions.expression("states", each) for each in ("team", "unit day"))
    assert not team.opens("the group")
    assert team.opens("the team")
    assert team.opens("组")
    assert unit.opens("")


def test_a_wrong_expression_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it cannot be read, repeats without a bound, or an example is read otherwise."""
    for code in ("en", "zh", "mul"):
        (tmp_path / code).symlink_to(tables.FOLDER / code)
    (tmp_path / "xx").mkdir()
    calendar = "rule = []\n[words.leading]\n"
    (tmp_path / "xx" / "calendar.toml").write_text(calendar, "utf-8")
    (tmp_path / "xx" / "states.toml").write_text(_WRONG, "utf-8")
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    faults = "\n".join(f for f in check("xx").faults if "states" in f)
    assert "states.toml:1 (area): repeats without a bound" in faults
    assert "states.toml:7 (team): there is no 'gone'" in faults
    assert "states.toml:13 (role): missing )" in faults
    assert "states.toml:19 (floor): 'natal' is not found" in faults
    assert "states.toml:19 (floor): 'jour natal' is found" in faults
    assert "1 examples under `no`, fewer than 2" in faults
    assert faults.count("\n") == 5


_WRONG = """[[expression]]
means = "area"
find = "aussi+"
yes = ["aussi", "aussii"]
no = ["a", "b"]

[[expression]]
means = "team"
find = "{gone}"
yes = []
no = []

[[expression]]
means = "role"
find = "(a"
yes = []
no = []

[[expression]]
means = "floor"
needs = "jour"
find = "natal"
yes = ["natal", "jour natal"]
no = ["jour natal"]
"""


_READERS: Final = (
    calendar.mentions, keywords, phrase_of, protects, kind_of, harm.classes, salience, trivial, guard,
    sentences, clauses, claims, facts.facts, markers, negation, is_question, is_particular,
)  # fmt: skip


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("媽媽對青黴素過敏，千萬別開給她。", "妈妈对青霉素过敏，千万别开给她。"),
        ("下週三下午兩點半，跟陳醫師約了複診。", "下周三下午两点半，跟陈医师约了复诊。"),
        ("我們決定用這個廠商，因為報價便宜三成。", "我们决定用这个厂商，因为报价便宜三成。"),
        ("雲端帳號的密碼是 Kite#4471，請別說出去。", "云端账号的密码是 Kite#4471，请别说出去。"),
        ("他還沒來，後面的課先不講，改到禮拜六嗎？", "他还没来，后面的课先不讲，改到礼拜六吗？"),
        ("我叫蘇偉傑，今年三十歲，在臺南當護士。", "我叫苏伟杰，今年三十岁，在台南当护士。"),
        ("她喜歡乾淨的麵館，看著就舒服，謝謝！", "她喜欢干净的面馆，看着就舒服，谢谢！"),
    ],
)
def test_traditional_characters_are_read_as_simplified_ones(written: str, read: str) -> None:
    """Of health statements in traditional characters seven of twelve were lost in a sweep that lost
    none in simplified ones, and "開機密碼" was no password."""
    assert [simplified(part) for part in (written, read)] == [read, read]

    def found(reader: Any, text: str) -> object:
        given = reader(text, TODAY) if reader is calendar.mentions else reader(text)
        return given.cut if reader is guard else given

    for reader in _READERS:
        of_written, of_read = found(reader, written), found(reader, read)
        if isinstance(of_written, (str, list)) and reader is not calendar.mentions:
            of_written = json.loads(simplified(json.dumps(of_written, ensure_ascii=False)))
        assert of_written == of_read, reader


@pytest.mark.parametrize(
    "text", ["简体字不变。", "Grüße aus Köln", "さくらの下で", "hello", "🎂", ""]
)
def test_other_characters_are_read_as_they_are(text: str) -> None:
    assert simplified(text) is text


def test_no_character_is_read_as_one_that_is_itself_read_as_another() -> None:
    pairs = "".join("".join(table.values()) for table in tables.tables("script").values())
    assert len("".join(pairs.split())) % 2 == 0
    assert simplified(simplified(pairs)) == simplified(pairs)
