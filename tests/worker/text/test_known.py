"""What is kept of words that were met must be what would be made anew, and must not grow for ever."""

from graphmem_worker.text.known import Known


def test_what_was_made_is_kept_until_there_is_no_more_room() -> None:
    """Made twice it costs what the cache is for; kept for ever it takes all memory."""
    made: list[str] = []

    def upper(word: str) -> str:
        made.append(word)
        return word.upper()

    known = Known(upper, 3)
    assert [known[word] for word in ("a", "b", "a", "c", "a")] == ["A", "B", "A", "C", "A"]
    assert made == ["a", "b", "c"]
    assert (known["d"], known["a"]) == ("D", "A")
    assert made == ["a", "b", "c", "d", "a"]
    assert len(known) == 2


def test_long_words_are_not_kept() -> None:
    """A text of paths and base64 would leave megabytes behind that nobody asks for again."""
    known = Known(len, 3)
    assert known["x" * 1000] == 1000
    assert not known
