"""`forget(erase=True)`: not a byte of it stays, wherever it had been."""

import zlib
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.errors import UnknownNodeError

SECRETS = {
    "english": ("xylographqueen", "Wen said that {} is the word. It was nice. Nobody else knows."),
    "chinese": ("鼯鼱鼷齄", "林青说暗号是{}。那天天气不错。别人都不知道。"),
}


def traces(folder: Path, *marks: bytes, logs: bool = False) -> list[str]:
    """Files of the folder in which any of the marks stands, as it is.

    `logs`: also LevelDB's list of files and its log, which name each file's first and last key.
    """
    return [
        f"{path.relative_to(folder)}: {mark!r}"
        for path in sorted(folder.rglob("*"))
        if path.is_file() and (logs or not path.name.startswith(("LOG", "MANIFEST")))
        for mark in marks
        if mark in path.read_bytes()
    ]


def stored(memory: graphmem.Memory, mark: bytes) -> list[str]:
    """Keys of the store under which the mark stands, also in what is compressed."""
    found = []
    for key, value in memory._store.range(b"", b"\xff" * 9):
        parts = [key, value]
        for start in (0, 1):
            try:
                parts.append(zlib.decompress(value[start:]))
            except zlib.error:
                continue
        if any(mark in part for part in parts):
            found.append(key.hex())
    return found


def marks_of(word: str) -> list[bytes]:
    """What would betray a word: itself, and the index words made of it."""
    if word.isascii():
        return [word.encode(), word[:9].encode()]
    return [word.encode(), *(word[k : k + 2].encode() for k in range(len(word) - 1))]


def live(memory: graphmem.Memory, node: int) -> None:
    """As it was remembered."""


def folded(memory: graphmem.Memory, node: int) -> None:
    memory.compact()


def used(memory: graphmem.Memory, node: int) -> None:
    memory.used(node)
    memory.pin(node)


def enriched(memory: graphmem.Memory, node: int) -> None:
    memory.enrich()
    memory.compact()


def faded(memory: graphmem.Memory, node: int) -> None:
    for k in range(6):
        memory.remember(f"Chatter {k}.")
    while memory[node].form is graphmem.Form.WHOLE:
        memory.sweep()


def forgotten(memory: graphmem.Memory, node: int) -> None:
    memory.forget(node)
    memory.compact()


def corrected(memory: graphmem.Memory, node: int) -> None:
    memory.correct(node, "It was something else.")


def revived(memory: graphmem.Memory, node: int) -> None:
    memory.forget(node)
    memory.revive(node)


def set_aside(memory: graphmem.Memory, node: int) -> None:
    from graphmem_worker.errors import TaskError

    def fail(payload: dict[str, Any]) -> Any:
        raise TaskError("failed", f"cannot read {payload['sentences'][0]}", False)

    memory._enrichment._process = fail
    memory.enrich(timeout=5)


@pytest.mark.parametrize("language", SECRETS)
@pytest.mark.parametrize(
    "life", [live, folded, used, enriched, faded, forgotten, corrected, revived, set_aside]
)
def test_no_byte_of_an_erased_memory_is_left(tmp_path: Path, life: Any, language: str) -> None:
    """Who asks for erasure is asked for it by law; "nearly all" is not what they may answer."""
    word, text = SECRETS[language]
    folder = tmp_path / "m"
    with graphmem.open(folder, worker="none") as memory:
        for k in range(3):
            memory.remember(f"Before number {k}.")
        # A correction goes on with the speaker, session and own keywords of what it corrects.
        named: dict[str, Any] = {"speaker": word, "session": word, "keywords": [word]}
        (node,) = memory.remember(text.format(word), **({} if life is corrected else named))
        for k in range(3):
            memory.remember(f"After number {k}.")
        memory.relate(node, "about", 1)
        memory.relate(2, "about", node)
        life(memory, node.id)
        archived = [
            value[:40]
            for key, value in memory._store.range(b"\0\0\0\1\x50", b"\0\0\0\1\x51")
            if word.encode() in zlib.decompress(value)
        ]
        marks = [*marks_of(word), *archived]
        assert traces(folder, word.encode())  # the test would find it
        memory.forget(node.id, erase=True)
        for mark in marks:
            assert stored(memory, mark) == []
        assert memory.check() == []
        assert traces(folder, *marks) == []
        with pytest.raises(UnknownNodeError):
            memory.history(node)
        assert node.id not in memory
        assert all(f.id != node.id for f in memory.forgotten())
        assert len(memory.recall(word, depth=0, limit=1000, use=False)) <= 5  # the focus alone
        assert word not in memory.recall(word, limit=1000, use=False).text
        assert not [d for n in memory for d in memory.links(n).dangling if d.link.target == node.id]
    assert traces(folder, *marks) == []
    with graphmem.open(folder, worker="none") as memory:
        assert memory.check() == []
    assert traces(folder, *marks) == []


def test_erasing_leaves_what_is_beside_it(tmp_path: Path) -> None:
    """Terms and words that another memory uses too must not go with it."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        (first,) = memory.remember("Wen likes walnuts.", session="s", keywords=["nuts"])
        (second,) = memory.remember("Ada likes walnuts.", session="s", keywords=["nuts"])
        memory.forget(first, erase=True)
        assert [hit.id for hit in memory.recall("walnuts", use=False)] == [second.id]
        assert [n.id for n in memory.nodes(keyword="nuts", session="s")] == [second.id]
        assert memory.check() == []


def test_erasing_what_is_unknown_is_refused(tmp_path: Path) -> None:
    """A wrong id would be reported as done. What was interrupted can be asked for again."""
    with graphmem.open(worker="none") as memory:
        (node,) = memory.remember("A thing.")
        memory.forget(node, erase=True)
        memory.forget(node, erase=True)
        with pytest.raises(UnknownNodeError, match="there is no node 99"):
            memory.forget(99, erase=True)


def test_an_erased_text_said_again_is_a_new_memory(tmp_path: Path) -> None:
    """The fingerprint of the last text would be a trace, and call it a repeat."""
    with graphmem.open(worker="none") as memory:
        (node,) = memory.remember("A thing.")
        memory.forget(node, erase=True)
        (again,) = memory.remember("A thing.")
        assert again.id != node.id
        assert memory.check() == []


def test_erasing_in_a_large_memory_leaves_no_bytes_either(tmp_path: Path) -> None:
    """With many files of several levels, a deletion may lie above what it deletes."""
    folder = tmp_path / "m"
    word, text = SECRETS["english"]
    with graphmem.open(folder, worker="none") as memory:
        memory.remember_many(
            f"Note {k} of {k * 37 % 1009} by Ada, in the morning." for k in range(700)
        )
        (node,) = memory.remember(text.format(word), keywords=[word])
        memory.compact()
        memory.remember_many(f"Later note {k} of {k * 31 % 1009} by Wen." for k in range(700))
        memory.compact()
        memory.forget(node, erase=True)
        assert traces(folder, *marks_of(word)) == []
    assert traces(folder, *marks_of(word)) == []


def erased_at_a_border(folder: Path) -> str:
    """Erase a word whose index key was the last of a file of LevelDB's; returns it."""
    word, text = SECRETS["english"]
    with graphmem.open(folder, worker="none") as memory:
        (node,) = memory.remember(text.format(word))
        memory.enrich()
        memory.compact()
        memory.forget(node, erase=True)
        assert traces(folder, word.encode()) == []
    return word


def test_the_list_of_files_is_clean_after_the_next_open(tmp_path: Path) -> None:
    """The word index has words in its keys, and one may be the last key of a file that LevelDB's
    MANIFEST or LOG goes on naming; both begin anew at each open."""
    word = erased_at_a_border(tmp_path / "m")
    graphmem.open(tmp_path / "m", worker="none").close()
    assert traces(tmp_path / "m", word.encode(), logs=True) == []


@pytest.mark.parametrize("language", SECRETS)
@pytest.mark.parametrize("ending", ["answers", "fails", "fails for good"])
def test_erased_while_a_worker_holds_the_text(tmp_path: Path, language: str, ending: str) -> None:
    """The worker's answer, and its complaint, quote the text; they come after its erasure."""
    from graphmem_worker.errors import TaskError

    word, text = SECRETS[language]
    folder = tmp_path / "m"
    with graphmem.open(folder, worker="none") as memory:
        memory.remember("Before it.")
        memory.enrich()
        (node,) = memory.remember(text.format(word), keywords=[word])
        assert traces(folder, word.encode())

        def hold(payload: dict[str, Any]) -> dict[str, Any]:
            memory.forget(node, erase=True)
            if ending != "answers":
                raise TaskError("failed", f"cannot read {word}", ending == "fails")
            found = payload["sentences"]
            return {"salience": [1.0] * len(found), "phrase": word, "keywords": [word]}

        memory._enrichment._process = hold
        assert memory.enrich(timeout=5) == 0
        assert node not in memory
        for mark in marks_of(word):
            assert stored(memory, mark) == []
        assert traces(folder, *marks_of(word)) == []
        assert memory.set_aside() == {}
        assert memory.check() == []
    assert traces(folder, *marks_of(word)) == []
