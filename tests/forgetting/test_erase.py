"""`forget(erase=True)`: not a byte of it stays, wherever it had been."""

import os
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem.api.opening import rooms
from graphmem.errors import HeldError, UnknownNodeError
from graphmem.forgetting import archive, removal
from graphmem.graph.links import StoredLink
from graphmem.graph.writer import GraphWriter
from graphmem.hexastore.keys import Space
from graphmem.hexastore.scopes import erase_dropped
from graphmem.runtime import database
from graphmem.storage.store import Store

pytestmark = pytest.mark.usefixtures("by_passes")

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
    for key, value in rooms(memory).store.range(b"", b"\xff" * 9):
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
    memory.admin.compact()


def used(memory: graphmem.Memory, node: int) -> None:
    memory.used(node)
    memory.pin(node)


def enriched(memory: graphmem.Memory, node: int) -> None:
    memory.admin.enrich()
    memory.admin.compact()


def faded(memory: graphmem.Memory, node: int) -> None:
    for k in range(6):
        memory.remember(f"Chatter {k}.")
    while node in memory and memory[node].form is graphmem.Form.WHOLE:
        memory.sweep()


def forgotten(memory: graphmem.Memory, node: int) -> None:
    memory.forget(node)
    memory.admin.compact()


def corrected(memory: graphmem.Memory, node: int) -> None:
    memory.correct(node, "It was something else.")


def revived(memory: graphmem.Memory, node: int) -> None:
    memory.forget(node)
    memory.history.revive(node)


def set_aside(memory: graphmem.Memory, node: int) -> None:
    from graphmem_worker.errors import TaskError

    def fail(payload: dict[str, Any]) -> Any:
        raise TaskError("failed", f"cannot read {payload['sentences'][0]}", False)

    rooms(memory).enrichment.process = fail
    memory.admin.enrich(timeout=60)


@pytest.fixture
def lmdb(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are made with the other engine, whose freed pages keep what was in them."""
    monkeypatch.setenv("GRAPHMEM_ENGINE", "lmdb")


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
        named: dict[str, Any] = {
            "speaker": word,
            "session": word,
            "about": graphmem.About(keywords=[word]),
        }
        (node,) = memory.remember(text.format(word), **({} if life is corrected else named))
        for k in range(3):
            memory.remember(f"After number {k}.")
        memory.graph.relate(node, "about", 1)
        memory.graph.relate(2, "about", node)
        life(memory, node.id)
        archived = [
            value[:40]
            for key, value in rooms(memory).store.range(b"\0\0\0\1\x50", b"\0\0\0\1\x51")
            if word.encode() in zlib.decompress(value)
        ]
        marks = [*marks_of(word), *archived]
        assert traces(folder, word.encode())  # the test would find it
        memory.forget(node.id, erase=True)
        for mark in marks:
            assert stored(memory, mark) == []
        assert memory.admin.check() == []
        assert traces(folder, *marks) == []
        with pytest.raises(UnknownNodeError):
            memory.history.of(node)
        assert node.id not in memory
        assert all(f.id != node.id for f in memory.history.forgotten())
        assert (
            len(memory.recall(word, where=graphmem.Where(depth=0), limit=1000, use=False)) <= 5
        )  # the focus alone
        assert word not in memory.recall(word, limit=1000, use=False).text
        assert not [
            d for n in memory for d in memory.graph.links(n).dangling if d.link.target == node.id
        ]
    assert traces(folder, *marks) == []
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.check() == []
    assert traces(folder, *marks) == []


@pytest.mark.usefixtures("lmdb")
@pytest.mark.parametrize(
    ("life", "language"),
    [
        (live, "chinese"),
        (corrected, "english"),
        *(
            pytest.param(life, language, marks=pytest.mark.slow)
            for life in (folded, used, enriched, faded, forgotten, revived, set_aside)
            for language in SECRETS
        ),
    ],
)
def test_no_byte_is_left_with_lmdb(tmp_path: Path, life: Any, language: str) -> None:
    """LMDB frees a page and leaves its bytes in the file."""
    test_no_byte_of_an_erased_memory_is_left(tmp_path, life, language)
    assert [*(tmp_path / "m").rglob("*.mdb")]


@pytest.mark.parametrize("engine", ["leveldb", "lmdb"])
@pytest.mark.parametrize("relation", ["zorblatting", "鼯鼱鼷齄", "überwacht"])
def test_no_byte_of_an_erased_memory_is_left_as_a_relation(
    tmp_path: Path, engine: str, relation: str
) -> None:
    """A name may say as much as a text: "is treated for …"."""
    with graphmem.open(tmp_path / "m", worker="none", engine=engine) as memory:
        first, second, third, fourth = memory.remember_many([f"Note {k}." for k in range(4)])
        memory.graph.relate(first[0], "before", second[0])
        memory.graph.relate(first[0], relation, second[0])
        memory.graph.relate(third[0], relation, fourth[0])
        memory.graph.relate(third[0], "after", fourth[0])
        memory.forget(fourth[0])  # the archive has one that it can bring back
        memory.forget(first[0], erase=True)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        (again,) = memory.remember("Note 4.")
        memory.graph.relate(again, relation, second[0])
        memory.forget(again)
        memory.forget(third[0], fourth[0], erase=True)
        assert traces(tmp_path / "m", relation.encode())  # a forgotten node has it
        memory.forget(again, erase=True)
        assert traces(tmp_path / "m", relation.encode()) == []
        assert stored(memory, relation.encode()) == []
        (again,) = memory.remember("Note 5.")
        memory.graph.relate(second[0], relation, again)
        memory.graph.relate(second[0], "beside", again)
        names = {link.relation for link in memory.graph.links(second[0])}
        assert names >= {relation, "beside"}
        assert memory.admin.check() == []
        memory.forget(again, erase=True)
    assert traces(tmp_path / "m", relation.encode()) == []


def test_an_unused_relation_takes_the_name_of_no_other(tmp_path: Path) -> None:
    """It was named like one of the user, whose links had no name after the next opening."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        first, second, third = memory.remember_many([f"Note {k}." for k in range(3)])
        memory.graph.relate(first[0], "erased 65", second[0])  # has the code 64
        memory.graph.relate(first[0], "unused", third[0])
        memory.forget(third[0], erase=True)
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        assert "erased 65" in {link.relation for link in memory.graph.links(first[0])}
        assert memory.admin.check() == []


@pytest.mark.slow
@pytest.mark.usefixtures("lmdb")
def test_no_byte_is_left_with_lmdb_in_a_large_memory(tmp_path: Path) -> None:
    test_erasing_in_a_large_memory_leaves_no_bytes_either(tmp_path)


@pytest.mark.usefixtures("lmdb")
def test_what_a_reader_holds_with_lmdb_is_in_no_file(tmp_path: Path) -> None:
    """Readers of an earlier state keep the file that was removed, which has no name any more. With
    LevelDB it would have to be told that they hold the bytes; here nothing is left to be told."""
    folder = tmp_path / "m"
    memory, node = filled(folder)
    with memory:
        release = hold_listing(memory)
        assert traces(folder, WORD.encode())
        memory.forget(node, erase=True)
        memory.scopes.drop("other")
        assert traces(folder, *marks_of(WORD)) == []
        assert memory.admin.stats()["erasing"] == 0
        release()
        assert memory.admin.check() == []
    assert traces(folder, *marks_of(WORD)) == []


def test_erasing_leaves_what_is_beside_it(tmp_path: Path) -> None:
    """Terms and words that another memory uses too must not go with it."""
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        (first,) = memory.remember(
            "Wen likes walnuts.", session="s", about=graphmem.About(keywords=["nuts"])
        )
        (second,) = memory.remember(
            "Ada likes walnuts.", session="s", about=graphmem.About(keywords=["nuts"])
        )
        memory.forget(first, erase=True)
        assert [hit.id for hit in memory.recall("walnuts", use=False)] == [second.id]
        assert [n.id for n in memory.nodes(keyword="nuts", where=graphmem.Where(session="s"))] == [
            second.id
        ]
        assert memory.admin.check() == []


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
        assert memory.admin.check() == []


def test_no_fingerprint_of_an_erased_text_is_left() -> None:
    """Whoever has the files and a guess could prove by it that this very text was told."""
    with graphmem.open(worker="none") as memory:
        place = rooms(memory).scope.prefix(Space.LAST_TEXT)
        (node,) = memory.remember("A thing.")
        assert rooms(memory).store.get(place) is not None
        memory.forget(node, erase=True)
        assert rooms(memory).store.get(place) is None


def test_erasing_in_a_large_memory_leaves_no_bytes_either(tmp_path: Path) -> None:
    """With many files of several levels, a deletion may lie above what it deletes."""
    folder = tmp_path / "m"
    word, text = SECRETS["english"]
    with graphmem.open(folder, worker="none") as memory:
        memory.remember_many(
            f"Note {k} of {k * 37 % 1009} by Ada, in the morning." for k in range(700)
        )
        (node,) = memory.remember(text.format(word), about=graphmem.About(keywords=[word]))
        memory.admin.compact()
        memory.remember_many(f"Later note {k} of {k * 31 % 1009} by Wen." for k in range(700))
        memory.admin.compact()
        memory.forget(node, erase=True)
        assert traces(folder, *marks_of(word)) == []
    assert traces(folder, *marks_of(word)) == []


def erased_at_a_border(folder: Path) -> str:
    """Erase a word whose index key was the last of a file of LevelDB's; returns it."""
    word, text = SECRETS["english"]
    with graphmem.open(folder, worker="none") as memory:
        (node,) = memory.remember(text.format(word))
        memory.admin.enrich()
        memory.admin.compact()
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
        memory.admin.enrich()
        (node,) = memory.remember(text.format(word), about=graphmem.About(keywords=[word]))
        assert traces(folder, word.encode())

        def hold(payload: dict[str, Any]) -> dict[str, Any]:
            memory.forget(node, erase=True)
            if ending != "answers":
                raise TaskError("failed", f"cannot read {word}", ending == "fails")
            found = payload["sentences"]
            return {"salience": [1.0] * len(found), "phrase": word, "keywords": [word]}

        rooms(memory).enrichment.process = hold
        assert memory.admin.enrich(timeout=60) == 0
        assert node not in memory
        for mark in marks_of(word):
            assert stored(memory, mark) == []
        assert traces(folder, *marks_of(word)) == []
        assert memory.admin.failed() == {}
        assert memory.admin.check() == []
    assert traces(folder, *marks_of(word)) == []


# -- what cannot be erased at once ----------------------------------------------------------------

WORD, TEXT = SECRETS["english"]


def filled(folder: Path) -> tuple[graphmem.Memory, int]:
    """A memory with a hundred notes, the secret among them and, in another scope, a second time."""
    memory = graphmem.open(folder, worker="none")
    memory.remember_many(f"Note {k} by Ada." for k in range(100))
    (node,) = memory.remember(TEXT.format(WORD), about=graphmem.About(keywords=[WORD]))
    memory.scopes.open("other").remember(TEXT.format(WORD))
    memory.admin.compact()
    return memory, node.id


def hold_listing(memory: graphmem.Memory) -> Callable[[], None]:
    listing = memory.nodes()
    next(listing)
    return listing.close  # type: ignore[attr-defined, no-any-return]


def hold_graph(memory: graphmem.Memory) -> Callable[[], None]:
    return memory.graph.rdf().close


def hold_client(memory: graphmem.Memory) -> Callable[[], None]:
    assert memory.path is not None
    client = graphmem.attach(memory.path)
    listing = client.nodes()  # of which more than a page is left
    next(listing)

    def release() -> None:
        listing.close()  # type: ignore[attr-defined]
        client.close()

    return release


def erase(memory: graphmem.Memory, node: int) -> None:
    memory.forget(node, erase=True)


def drop(memory: graphmem.Memory, node: int) -> None:
    memory.scopes.drop("other")


def compact(memory: graphmem.Memory, node: int) -> None:
    memory.graph.facts.delete("ex:s", "ex:p", WORD)
    memory.admin.compact()


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.leveldb
@pytest.mark.parametrize(
    ("act", "hold"),
    [
        (erase, hold_listing),
        (drop, hold_graph),
        (compact, hold_client),
        pytest.param(erase, hold_client, marks=pytest.mark.faults),
        pytest.param(drop, hold_listing, marks=pytest.mark.faults),
        pytest.param(compact, hold_graph, marks=pytest.mark.faults),
    ],
)
def test_what_a_reader_holds_is_told_and_erased_when_it_ends(
    tmp_path: Path, act: Any, hold: Any
) -> None:
    """They returned as if all were done, and the text stayed in the files for good."""
    folder = tmp_path / "m"
    memory, node = filled(folder)
    with memory:
        if act is not drop:
            memory.scopes.drop("other")
        if act is not erase:
            memory.forget(node, erase=True)
        if act is compact:
            memory.graph.facts.put("ex:s", "ex:p", WORD)
            memory.admin.compact()
        assert traces(folder, WORD.encode())
        release = hold(memory)
        with pytest.raises(HeldError, match="is open"):
            act(memory, node)
        assert node not in memory or act is not erase
        assert "other" not in memory.scopes.names()
        assert memory.admin.stats()["erasing"] == 1
        assert traces(folder, WORD.encode())
        release()
        until(lambda: memory.admin.stats()["erasing"] == 0)
        assert traces(folder, *marks_of(WORD)) == []
        assert memory.admin.stats()["upkeep_error"] is None


def test_a_job_that_begins_while_the_files_are_rewritten_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After 100,000 texts, whose files take longer to rewrite than a job takes, `compact` raised
    HeldError, though nobody but upkeep was reading."""
    begun: list[Any] = []

    def rewritten(store: Store) -> list[int]:
        if threading.current_thread() is not threading.main_thread():
            return erase_dropped(store)
        if begun:
            begun[0].close()
            return erase_dropped(store)
        job.working = True
        begun.append(store.snapshot())
        return [rooms(memory).scope.id]

    with graphmem.open(None, worker="none") as memory:
        memory.remember("A short text.")
        job = rooms(memory).database.embedding
        monkeypatch.setattr(database, "erase_dropped", rewritten)
        monkeypatch.setattr(database, "monotonic", count(0, 60).__next__)
        memory.admin.compact()
        job.working = False
        assert memory.admin.stats()["erasing"] == 0


@pytest.mark.leveldb
def test_what_a_reader_held_to_the_end_is_erased_when_the_folder_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    memory, node = filled(folder)
    with memory:
        memory.scopes.drop("other")
        release = hold_listing(memory)
        with pytest.raises(HeldError):
            memory.forget(node, erase=True)
    release()
    assert traces(folder, WORD.encode())
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.stats()["erasing"] == 0
        assert traces(folder, *marks_of(WORD)) == []
        assert memory.admin.check() == []


@pytest.mark.parametrize("act", [erase, drop])
def test_an_interrupted_erasure_is_finished_when_the_folder_is_opened(
    tmp_path: Path, act: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What says that something is to be erased must go last: a process that died while it dropped a
    scope left the dropped texts in the files, and nobody knew."""
    folder = tmp_path / "m"
    memory, node = filled(folder)
    with memory:
        if act is erase:
            memory.scopes.drop("other")
        else:
            memory.forget(node, erase=True)
        database = rooms(memory).database
        database.upkeep.remove(database._erase_dropped)  # it would finish it meanwhile
        with monkeypatch.context() as patch:
            patch.setattr(Store, "compact", lambda *_: os.kill(os.getpid(), 2))  # Ctrl-C
            with pytest.raises(KeyboardInterrupt):
                act(memory, node)
        assert memory.admin.stats()["erasing"] == 1
    assert traces(folder, WORD.encode())
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.stats()["erasing"] == 0
        assert traces(folder, *marks_of(WORD)) == []


ON_A_FAILING_DISK = """
import ctypes, sys
import graphmem
from graphmem.errors import StorageError
memory = graphmem.open(sys.argv[1], worker="none")
act, call, error = sys.argv[2], sys.argv[3], int(sys.argv[4])
ctypes.CDLL(None).failing_disk_fail(ctypes.c_char(call.encode()), b".ldb", 0, error)
try:
    memory.forget(101, erase=True) if act == "erase" else memory.scopes.drop("other")
except StorageError as error:
    print("told", memory.admin.stats()["erasing"], len(memory.recall("Ada", use=False)) > 0)
    try:
        memory.remember("Nothing more is written.")
    except StorageError:
        print("broken", flush=True)
"""


@pytest.mark.slow
@pytest.mark.leveldb  # what fails are calls on its tables
@pytest.mark.parametrize(
    ("act", "call", "error"),
    [
        (erase, "s", 5),
        (drop, "o", -24),
        pytest.param(erase, "w", -28, marks=pytest.mark.faults),
        pytest.param(drop, "w", -28, marks=pytest.mark.faults),
    ],
)
def test_what_a_failing_disk_keeps_is_told_and_erased_when_the_folder_is_opened(
    failing_disk: Path, tmp_path: Path, act: Any, call: str, error: int
) -> None:
    """With EIO, a full disk or no descriptors left, erasing came back as if it were done."""
    folder = tmp_path / "m"
    memory, node = filled(folder)
    assert node == 101
    with memory:
        (erase if act is drop else drop)(memory, node)
    child = subprocess.run(
        [sys.executable, "-c", ON_A_FAILING_DISK, folder, act.__name__, call, str(error)],
        env={**os.environ, "LD_PRELOAD": str(failing_disk), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert child.stdout.split() == ["told", "1", "True", "broken"], child.stderr
    assert traces(folder, WORD.encode())
    with graphmem.open(folder, worker="none") as memory:
        assert memory.admin.stats()["erasing"] == 0
        assert traces(folder, *marks_of(WORD)) == []
        assert len(memory) == 101 - (act is erase or act is drop)
        assert memory.admin.check() == []


def hub(memory: graphmem.Memory, sources: int, hub: int | None = None) -> int:
    """A node, a new one or `hub`, that so many others are linked to, with one fact and one link of
    its own."""
    hub = memory.remember("The hub of it all.")[0].id if hub is None else hub
    other = memory.remember("A leaf.")[0]
    memory.graph.relate(hub, "http://e.org/r", other)
    memory.graph.facts.put("http://e.org/s", "http://e.org/p", memory[hub])
    with rooms(memory).changing() as writer:
        text, record = writer.view.text(other.id), writer.view.record(other.id)
        assert text is not None
        assert record is not None
        level = memory.admin.stats()["passes"]
        for node in range(writer.reserve(sources), writer.tx.state.next_node):
            writer.create(node, text)
            rooms(memory).texts.put(writer.tx, node, text.words)
            writer.set_due(node, record._replace(due=0, version=1), 1000)
            writer.links.restore(StoredLink(node, 1 + node % 3, hub, level - node % 5, 1))
    return hub


@pytest.mark.parametrize("in_block", [False, True])
def test_the_text_of_an_item_that_is_a_hub_is_erased_with_it(in_block: bool) -> None:
    """The rest of its links went while the transaction of the item was not done: the store broke,
    and nothing could be written before it was opened again."""
    with graphmem.open(worker="none", tuning=graphmem.Tuning(grace=0)) as memory:
        item = memory.items.put("t", "7", "The hub of it all.", recall=True)
        node = hub(memory, 1_100, item.metadata["recalled"][0])
        with memory.transaction() if in_block else nullcontext():
            memory.items.delete("t", "7")
        assert node not in memory
        assert memory.admin.check() == []
        assert memory.remember("Still here.")


def test_a_hub_is_erased_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one batch a hub of 100,000 sources would be tens of megabytes, and nobody else's turn."""
    with graphmem.open(worker="none", tuning=graphmem.Tuning(grace=0)) as memory:
        node = hub(memory, 2_300)
        store, sizes = rooms(memory).store, list[int]()
        commit = store.commit

        def counted(batch: dict[bytes, bytes | None], **kwargs: Any) -> int:
            sizes.append(sum(key[4:5] == b"\x29" for key in batch))
            if len(sizes) == 2:
                assert node not in memory, "gone from the first batch on"
                assert memory.admin.check() == []
            return commit(batch, **kwargs)

        monkeypatch.setattr(store, "commit", counted)
        memory.forget(node, erase=True)
        monkeypatch.undo()
        # The other link to it, and the two of its own, are in the last one too.
        assert [size for size in sizes if size] == [1000, 1000, 303]
        assert memory.admin.check() == []
        assert memory.admin.stats()["links"] == 0
        assert memory.graph.facts.count() == 0
        assert not any(memory.graph.links(other) for other in memory)


@pytest.mark.parametrize("batches", [1, 2, 3])
def test_the_erasure_of_a_hub_that_was_cut_short_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    """Half erased, a node would be there again, with the half of its links."""
    monkeypatch.setattr(removal, "_SOURCES", 100)
    folder = tmp_path / "memory"
    with graphmem.open(
        folder, worker="none", durability="os", tuning=graphmem.Tuning(grace=0)
    ) as memory:
        node = hub(memory, 230)
        cut_incoming, left = GraphWriter.cut_incoming, batches

        def cut_short(self: GraphWriter, *arguments: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                raise KeyboardInterrupt
            return cut_incoming(self, *arguments)

        monkeypatch.setattr(GraphWriter, "cut_incoming", cut_short)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(node, erase=True)
        monkeypatch.setattr(GraphWriter, "cut_incoming", cut_incoming)
        assert node not in memory
        assert memory.admin.check() == []
    with graphmem.open(folder, worker="none", durability="os") as memory:
        assert memory.admin.check() == []
        assert rooms(memory).scope.state.intents == 0
        assert memory.admin.stats()["links"] == 0
        assert len(memory) == 231
        with pytest.raises(UnknownNodeError):
            memory.history.of(node)
        assert stored(memory, b"The hub of it all") == []


def test_many_are_erased_by_one_reading_of_the_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each erased memory had the whole archive read: a conversation of 1,000 turns took minutes, in
    which nobody else could write."""
    with graphmem.open(worker="none") as memory:
        told = memory.remember_many(f"Drawing {k} hangs in hall {k * 7}." for k in range(140))
        nodes = [written[0] for written in told]
        kept = [node.id for node in nodes[::7]]
        for node, beside in zip(nodes[::7], nodes[1::7], strict=True):
            memory.graph.facts.put(node, "ex:beside", beside)
            memory.forget(node)
        store, read = rooms(memory).store, list[bytes]()
        archived = rooms(memory).scope.prefix(Space.ARCHIVE)
        reading = store.range

        def counted(start: bytes, *more: Any) -> Any:
            read.append(start)
            return reading(start, *more)

        monkeypatch.setattr(store, "range", counted)
        memory.forget([node for node in nodes if node.id not in kept], erase=True)
        monkeypatch.undo()
        assert read.count(archived) == 2
        with rooms(memory).reading() as view:
            forms = list(archive.newest_first(view))
        assert sorted(form.node for form in forms) == kept
        assert not any(form.facts for form in forms)
        assert {link.target for form in forms for link in form.links} <= {*kept}
        assert list(memory) == []
        assert memory.admin.check() == []
        memory.forget(kept, erase=True)
        assert memory.admin.stats()["archived"] == 0
        assert memory.admin.check() == []


def test_what_was_forgotten_tells_no_fact_of_what_is_erased() -> None:
    """A fact that named an erased memory came back with the one that it was told of."""
    with graphmem.open(worker="none") as memory:
        (one,) = memory.remember("The mill was sold.", session="a")
        for number in range(30):
            memory.remember(f"Drawing {number} hangs in the hall.", session="b")
        (other,) = memory.remember("Karlsson paid in gold.", session="c")
        assert not [link for link in memory.graph.links(one) if link.target == other.id]
        memory.graph.facts.put(one, "ex:buyer", other)
        memory.forget(one)
        memory.forget(other, erase=True)
        memory.history.revive(one)
        assert list(memory.graph.facts.match(one)) == []
