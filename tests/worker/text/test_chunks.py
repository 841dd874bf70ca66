"""Chunks: nothing of a document lost, no sentence cut, and an edit stays local."""

import re
from collections.abc import Iterator
from itertools import count, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem_worker.text import chunks as chunking
from graphmem_worker.text.chunks import LONGEST, OVERLAP, chunks


def counted(text: str) -> int:
    """A token for each Chinese character, and for every four others."""
    han = sum("\u2e80" <= character <= "\uffef" for character in text)
    return han - (han - len(text)) // 4


def cut(text: str) -> list[str]:
    return list(chunks(text.splitlines(keepends=True), counted))


def prose(seed: int, paragraphs: int) -> str:
    random = Random(seed)

    def sentence() -> str:
        words = " ".join(f"word{random.randrange(5000)}" for _ in range(random.randint(4, 18)))
        return f"The {words}."

    return "\n\n".join(
        " ".join(sentence() for _ in range(random.randint(1, 9))) for _ in range(paragraphs)
    )


def bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


def new_parts(found: list[str]) -> Iterator[str]:
    """What each chunk adds to the one before."""
    yield from found[:1]
    for before, chunk in pairwise(found):
        most = max(n for n in range(len(chunk)) if n == 0 or before.endswith(chunk[:n].rstrip()))
        yield chunk[most:]


@pytest.mark.parametrize("text", [prose(1, 60), "星期三下雨。我们改去博物馆看展览。\n\n" * 90])
def test_chunks_have_their_size_and_lose_nothing(text: str) -> None:
    """A sentence between two chunks would never be found."""
    number = count()
    numbered = re.sub(r"[.。]", lambda end: f" no{next(number)}{end[0]}", text)
    found = cut(numbered)
    assert len(found) > 3
    assert bare("".join(new_parts(found))) == bare(numbered)
    sizes = [counted(chunk) for chunk in found]
    assert max(sizes) <= LONGEST + OVERLAP
    assert min(sizes[:-1]) >= chunking.SHORTEST - 1
    for before, chunk in pairwise(found):
        assert before.strip()[-1] in ".。"  # whole sentences
        repeated = len(chunk) - len(next(reversed(list(new_parts([before, chunk])))))
        assert repeated > 0
        assert counted(chunk[:repeated]) <= OVERLAP


def test_a_heading_stays_with_its_text_and_code_stays_whole() -> None:
    """Half a code block is no code, and a heading says what its text is about."""
    code = "```python\n" + "".join(f"x{n} = {n}  # a comment\n" for n in range(50)) + "```\n"
    text = "".join(f"## Section {n}\n\n{prose(n, 4)}\n\n{code}\n\n" for n in range(6))
    found = cut(text)
    assert sum(code.strip() in chunk for chunk in found) == 6
    for chunk in found:
        assert not re.search(r"## Section \d\s*\Z", chunk)
        assert chunk.count("```") % 2 == 0


def test_a_section_is_not_begun_with_the_end_of_another() -> None:
    """Its first words would be about something else."""
    text = "".join(f"# Part {n}\n\n{prose(n, 8)}\n\n" for n in range(4))
    for chunk in cut(text):
        assert chunk.find("# Part") <= 0 or counted(chunk[: chunk.find("# Part")]) > OVERLAP


def test_an_edit_changes_only_the_chunks_around_it() -> None:
    """A line added to the top of a book would make all of it new."""
    text = prose(3, 300)
    before = cut(text)
    assert len(before) > 60
    for edited in (
        "A new beginning.\n\n" + text,
        text.replace(text[20_000:20_050], "changed. ", 1),
    ):
        after = cut(edited)
        assert len(set(after) - set(before)) <= 8
        assert len(set(before) - set(after)) <= 8


def test_the_parts_of_a_large_file_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text would be cut anew at places that move with every edit."""
    text = prose(4, 200) + "\n\n```\n" + "code\n\n" * 300 + "```\n\n" + prose(5, 50)
    whole = cut(text)
    monkeypatch.setattr(chunking, "_PART", 3000)
    assert cut(text) == whole


def test_little_or_nothing() -> None:
    assert cut("") == cut(" \n\n \n") == []
    assert cut("\n One line. \n") == ["One line."]


def test_a_line_without_an_end_is_cut_all_the_same() -> None:
    """A file of one line must not become one node, nor fill the memory."""
    found = list(chunks(("xy " * 20_000 for _ in range(20)), counted))
    assert max(map(len, found)) <= 2000
    assert bare("".join(found)) == "xy" * 400_000


@given(st.text(st.sampled_from("ab .!\n#`-|1。好“”\u200d🌲\t"), max_size=3000))
def test_no_character_is_lost(text: str) -> None:
    found = cut(text)
    assert all(chunk.strip() == chunk != "" for chunk in found)
    left = bare(text)
    for chunk in found:
        if bare(chunk) in left:
            left = left.replace(bare(chunk), "", 1)
    assert set(bare("".join(found))) == set(bare(text))
    if len(found) < 2:
        assert bare("".join(found)) == bare(text)
