"""Commands that are made of declarations, imports of texts and chats, and SPARQL on a command line.

What had no command was a line of Python in a shell, and a history that others had written could not
be taken over at all.
"""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import click
import pytest

import graphmem
from graphmem.api.verbs import Verbs
from graphmem.declaring import Verb, verbs_of
from graphmem.interfaces.cli import printing
from graphmem.interfaces.cli.commands import cli, main
from graphmem.interfaces.terminal import Progress
from tests.themes.test_catalog import remembered


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRAPHMEM_PATH", str(tmp_path / "m"))
    monkeypatch.setenv("GRAPHMEM_DURABILITY", "os")
    with graphmem.open(tmp_path / "m", worker="none") as memory:
        memory.remember("Wen moved the release to May 10.", speaker="Wen", session="standup")
        memory.remember("Anna prefers tea.", about=graphmem.About(keywords=["drinks"]))
        memory.remember("The audit was late.", session="standup")
    return tmp_path / "m"


@pytest.fixture
def told(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command; its status and what it printed."""

    def run(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(arguments)
        out, err = capsys.readouterr()
        return status, out + err

    run.open = lambda: graphmem.open(folder, worker="none")  # type: ignore[attr-defined]
    return run


def test_an_argument_too_many_is_answered_with_the_options(told: Any) -> None:
    """Who asked for a pool by its name was not told that the name is an option."""
    status, printed = told("pool", "list", "team")
    assert status == 2
    assert "argument (team); its options are --prefix, --limit, --name, --by" in printed


def test_records_are_read_as_tables(told: Any) -> None:
    """A link, an item, a version came as Python writes an object, time zone and all."""
    assert told("items", "put", "notes", "a", '{"size": [1, 2]}')[0] == 0
    assert told("items", "put", "notes", "b", "[]", "--by", "Wen")[0] == 0
    heading, *rows = told("items", "list", "notes")[1].splitlines()
    assert heading.split() == ["namespace", "key", "value", "version", "created", "updated",
                               "created", "by", "updated", "by"]  # fmt: skip
    assert rows[0].split()[:5] == ["notes", "a", '{"size":', "[1,", "2]}"]
    assert rows[1].split()[-1] == "Wen"
    assert told("items", "get", "notes", "a")[1].splitlines()[1].split() == ["key", "a"]
    heading, *rows = told("graph", "links", "1")[1].splitlines()
    assert heading.split() == ["source", "relation", "target", "strength", "distance"]
    assert [row.split()[:3] for row in rows][-1] == ["1", "focus", "2"]


def test_a_wrong_memory_is_put_right_on_the_command_line(told: Any) -> None:
    """The whole way: pin, correct, forget, revive, with what each leaves behind."""
    assert told("pin", "1")[0] == 0
    assert "Wen moved" in told("nodes", "--pinned")[1]
    assert told("unpin", "1")[0] == 0
    assert told("nodes", "--pinned")[1].strip() == "Nothing."
    status, out = told("correct", "1", "Wen moved the release to May 12.", "--json")
    assert status == 0
    (node,) = json.loads(out)["result"]["nodes"]
    assert node["text"].endswith("May 12.")
    assert node["speaker"] == "Wen"
    assert told("forget", "2") == (0, "Done.\n")
    assert "ForgottenError" in told("graph", "links", "2")[1]
    assert "Anna prefers tea." in told("history", "revive", "2")[1]
    assert "forgotten" in told("history", "life", "2")[1]
    assert len(json.loads(told("history", "of", "2", "--json")[1])["result"]) == 2
    assert told("admin", "check")[0] == 0


def test_one_takes_the_place_of_another_on_the_command_line(told: Any) -> None:
    assert "Anna prefers tea." in told("replace", "1", "--by", "2")[1]
    assert "until" in told("nodes", "--text", "Wen moved")[1]
    # It was refused as one argument too many, in a message that had the text in it.
    status, out = told("replace", "2", "Anna drinks mate.", "--json")
    assert (status, json.loads(out)["result"]["nodes"][0]["text"]) == (0, "Anna drinks mate.")


def test_nodes_are_related_used_and_explained(told: Any) -> None:
    status, out = told("graph", "relate", "1", "depends on", "3", "--json")
    assert status == 0
    assert json.loads(out)["result"]["strength"] == 1.0
    assert "depends on" in told("graph", "links", "1")[1]
    assert told("used", "1", "3")[0] == 0
    assert "Wen moved" in told("graph", "focus")[1]
    assert float(told("graph", "importance", "1")[1]) >= 1.0
    assert "importance" in told("history", "worth", "1")[1]
    assert told("scopes", "names")[1] == "default\n"
    assert told("scopes", "drop", "default")[0] == 1


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--words", "audit"], [3]),
        (["--words", "the late"], [3]),
        (["--words", "nowhere"], []),
        (["--keyword", "drinks"], [2]),
        (["--keyword", "drinks", "--words", "audit"], []),
        (["--session", "standup"], [1, 3]),
        (["--session", "standup", "--reverse"], [3, 1]),
        (["--words", "audit", "--session", "standup"], [3]),
        (["--speaker", "wen"], [1]),
        (["--form", "whole"], [1, 2, 3]),
        (["--form", "gist"], []),
        (["--since", "2999-01-01T00:00:00+00:00"], []),
        (["--until", "2999-01-01T00:00:00+00:00", "--keyword", "drinks"], [2]),
    ],
)
def test_nodes_are_filtered(told: Any, options: list[str], found: list[int]) -> None:
    status, out = told("nodes", *options, "--json")
    assert status == 0
    assert [node["id"] for node in json.loads(out)["result"]] == found


def commands_of_verbs() -> Iterator[tuple[Verb, click.Command]]:
    context = click.Context(cli, info_name="graphmem")
    for verb in verbs_of(Verbs).values():
        if verb.command is not None and not verb.owner_only:
            found: click.Command | None = cli
            for word in [*(verb.of or "").split("."), verb.command]:
                if word:
                    assert isinstance(found, click.Group)
                    found = found.get_command(context, word)
            assert found is not None, verb.name
            yield verb, found


_TAKEN_OTHERWISE = {"bindings", "messages", "progress", "texts", "timeout", "trace"}


def test_a_command_takes_what_its_verb_takes() -> None:
    """Those written by hand lacked some: `recall` had no --as-of, `context` no condition at all."""
    missing = {}
    for verb, command in commands_of_verbs():
        given = command.get_params(click.Context(command))
        names = {str(each.name).removeprefix("given_") for each in given}
        names |= {opt.lstrip("-").replace("-", "_") for each in given for opt in each.opts}
        wanted = set()
        for parameter in verb.parameters:
            kind = {"Where | None": graphmem.Where, "About | None": graphmem.About}.get(
                str(parameter.annotation)
            )
            wanted |= {field.name for field in fields(kind)} if kind else {parameter.name}
        if left := wanted - names - _TAKEN_OTHERWISE:
            missing[verb.name] = left
    assert missing == {}


def test_a_recall_is_of_what_held_or_was_known_then(told: Any) -> None:
    """What was replaced "is returned only for an as_of", which no recall at a shell could have."""
    with told.open() as memory:
        old = memory.remember("Rui lives in Lyon.", happened="2026-01-10")[0]
        memory.replace(old, "Rui lives in Oslo.", since="2026-02-15")
    asked = ("recall", "Where does Rui live?")
    assert "Lyon" not in told(*asked)[1]
    then = told(*asked, "--as-of", "2026-02-01")[1]
    assert ("Lyon" in then, "Oslo" in then) == (True, False)
    assert "Nothing comes back." in told(*asked, "--known-at", "2026-02-01")[1]
    assert "Rui" in told(*asked, "--realm", "personal", "--realm", "project")[1]
    assert "Oslo" in told("context", asked[1])[1]
    assert "Oslo" not in told("context", asked[1], "--as-of", "2026-02-01")[1]
    assert told("context", asked[1], "--session", "standup", "--speaker", "Wen")[0] == 0


@pytest.mark.parametrize("noun", ["history", "items", "pool"])
def test_changes_are_shown_that_were_before_the_command(told: Any, noun: str) -> None:
    """Each printed "Nothing.": without --since only those count that come later."""
    if noun == "history":
        status, said = told(noun, "changes")
        assert (status, "from the first item, or this call, on" in said) == (0, True)
        told("remember", "Rui moved to Faro.")
    else:
        told(noun, "put", *(["notes"] if noun == "items" else []), "a", "1")
    assert told(noun, "changes")[1].count("\n") == 2  # with a heading
    assert json.loads(told(noun, "changes", "--json")[1])["result"][0]["number"] == 1
    for later in (["--since", "1"], ["--wait", "0.01"]):
        assert told(noun, "changes", *later) == (0, "Nothing.\n")
    said = told(noun, "changes", "--since", "9")[1].splitlines()  # such as from a later backup
    assert ("Not all changes since then are kept." in said, len(said)) == (True, 3)


def test_a_dropped_scope_is_named_with_those_that_miss_it(told: Any) -> None:
    """ "Nothing." was all that was said of a memory that was gone for good."""
    for given in (["team"], ["reviewer", "--parent", "team"], ["alone"]):
        assert told("scopes", "open", *given)[0] == 0
    assert told("scopes", "drop", "team") == (
        0, "Dropped team; it is no parent of reviewer any more.\n",
    )  # fmt: skip
    assert told("scopes", "drop", "alone") == (0, "Dropped alone.\n")
    assert told("scopes", "drop", "alone")[0] == 1


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({b"a": {b"c": b"d"}}, {"b'a'": {"b'c'": "b'd'"}}),
        ({2: "a", None: 2, True: 3}, {"2": "a", "null": 2, "true": 3}),
        ({1: "a", "1": b"b", "x": {2: 3}}, [[1, "a"], ["1", "b'b'"], ["x", {"2": 3}]]),
        ([{b"b'": 1, '"': 2}], [{'b"b\'"': 1, '"': 2}]),
    ],
)
def test_whatever_an_item_holds_is_printed(told: Any, value: Any, shown: Any) -> None:
    """A map with keys of bytes ended in a traceback, and JSON had one key twice."""
    with told.open() as memory:
        memory.items.put("n", "a", value, metadata={b"of": 1})
        memory.pool("shared").write("a", value)
        assert json.dumps(shown, ensure_ascii=False) in memory.context("printer", tokens=500).text
    for command in (("get", "n", "a"), ("list", "n"), ("search", "--namespaces", "n")):
        assert told("items", *command)[0] == 0
    status, printed = told("--json", "items", "get", "n", "a")
    assert status == 0
    found = json.loads(printed)["result"]
    assert (found["value"], found["metadata"]) == (shown, {"b'of'": 1})


@pytest.mark.parametrize("command", [("mcp", "--http"), ("view", "--no-browser", "--port")])
def test_a_port_that_is_taken_is_told_of_before_anything_is_served(
    told: Any, command: tuple[str, ...]
) -> None:
    """mcp said that it serves, with its token, and ended with an error of its server."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        status, printed = told(*command, str(other.getsockname()[1]))
    assert status == 1
    assert "cannot be taken (Address already in use); choose another one with --" in printed
    assert "Serving" not in printed


def test_items_with_scores_and_missing_ones_are_rows(told: Any) -> None:
    """They came as Python writes an object, time zone and all."""
    told("items", "put", "n", "a", "the printer jams")
    heading, first, none = told("items", "get-many", "n", "a", "no")[1].splitlines()
    assert heading.split()[:4] == ["namespace", "key", "value", "version"]
    assert first.split()[:2] == ["n", "a"]
    assert none.strip() == "–"
    heading, first = told("items", "matching", "printer")[1].splitlines()
    assert heading.split()[-1] == "score"
    assert float(first.split()[-1]) > 0
    assert told("items", "get-many", "n", "no")[1].strip() == "–"


@pytest.mark.parametrize("never", ["never", "None", "null"])
def test_an_item_is_told_to_stay(told: Any, never: str) -> None:
    told("items", "put", "n", "a", "1", "--ttl", "100")
    assert told("items", "touch", "n", "a", never) == (0, "1\n")
    assert json.loads(told("items", "get", "n", "a", "--json")[1])["result"]["expires"] is None
    assert told("items", "touch", "n", "a", "soon")[0] == 2


def test_a_node_of_several_cannot_be_none(told: Any) -> None:
    """`--among none` reached the verb as "object"."""
    status, said = told("graph", "nearest", "gate", "--among", "none")
    assert (status, "'none' is not a valid integer" in said) == (2, True)


def test_what_json_has_no_number_for_is_refused_and_shown_as_null(told: Any) -> None:
    """`--json` printed Infinity, which most readers of JSON refuse."""
    status, said = told("items", "put", "n", "a", '{"a": 1e999}')
    assert (status, "no infinity" in said) == (1, True)
    stored_before = {"a": [float("-inf"), float("nan"), 1.5]}
    assert printing.plain(stored_before) == {"a": [None, None, 1.5]}


def test_facts_have_commands(told: Any) -> None:
    assert told("graph", "facts", "put", "node:1", "http://e.org/by", "Wen")[1] == "True\n"
    assert told("graph", "facts", "put", "node:1", "http://e.org/by", "Wen")[1] == "False\n"
    assert told("graph", "facts", "count", "--predicate", "http://e.org/by")[1] == "1\n"
    assert '<http://e.org/by> "Wen"' in told("graph", "facts", "match", "--subject", "node:1")[1]
    assert told("graph", "facts", "delete", "node:1", "http://e.org/by", "Wen")[1] == "True\n"


def test_sparql_on_the_command_line(told: Any) -> None:
    query = "SELECT ?n { ?n memory:mentions ?word }"
    status, out = told("graph", "sparql", query, "--bind", "word=audit")
    assert status == 0
    assert "node:3" in out
    solutions = json.loads(told("graph", "sparql", query, "--bind", "word=audit", "--json")[1])
    assert [s["n"]["value"] for s in solutions["results"]["bindings"]] == ["node:3"]
    assert told("graph", "sparql", "ASK { ?n memory:mentions 'audit' }")[1] == "yes\n"
    built = told("graph", "sparql", "CONSTRUCT { ?n <a:p> 'x' } { ?n memory:mentions 'audit' }")[1]
    assert built == '<node:3> <a:p> "x" .\n'
    assert told("graph", "sparql", "SELECT oops")[0] == 1
    assert told("graph", "sparql", query, "--bind", "word")[0] == 2


def test_a_command_that_writes_makes_no_empty_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`graphmem pin 1` in the wrong folder left a new memory there."""
    monkeypatch.setenv("GRAPHMEM_PATH", str(tmp_path / "none"))
    assert main(["pin", "1"]) == 1
    assert "MissingError" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


# -- texts and chats --------------------------------------------------------------------------


def test_texts_and_chats_are_imported(told: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Rui moved to Faro.\n\n门的密码在保险箱里。\n", "utf-8")
    (tmp_path / "chat.json").write_text(
        json.dumps(
            {
                "messages": [
                    {"role": "user", "content": "Where is the key?"},
                    {"role": "assistant", "content": [{"type": "text", "text": "Under the mat."}]},
                    {"role": "tool", "content": "{}"},
                ]
            }
        )
    )
    (tmp_path / "more.jsonl").write_text(
        '{"text": "Iris likes plums.", "speaker": "Iris", "happened": "2026-05-03T09:30:00+02:00"}\n'
        '{"role": "user", "content": "What a day."}\n'
    )
    files = [str(tmp_path / name) for name in ("notes.txt", "chat.json", "more.jsonl")]
    status, out = told("import", *files, "--session", "s1", "--json")
    assert status == 0
    assert json.loads(out)["texts"] == 6
    nodes = json.loads(told("nodes", "--session", "s1", "--json")[1])["result"]
    assert [node["speaker"] for node in nodes] == [None, None, "user", "assistant", "Iris", "user"]
    assert nodes[4]["happened"] == "2026-05-03T09:30:00+02:00"
    assert told("admin", "check")[0] == 0


@pytest.mark.parametrize("how", ["ctrl-c", "ctrl-c while attached", "killed"])
def test_an_interrupted_import_goes_on_where_it_stopped(
    told: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """The same command began again: what was stored already was stored twice."""
    file = tmp_path / "many.txt"
    file.write_text("".join(f"Train {n} goes to town {n % 7}.\n" for n in range(200)))
    of = graphmem.Attached if "attached" in how else graphmem.Memory
    write = of.remember_many
    calls: list[int] = []

    def interrupted(memory: Any, *given: Any, **named: Any) -> Any:
        found = write(memory, *given, **named)
        calls.append(len(found))
        if len(calls) == 3:
            if how == "killed":
                raise SystemExit(9)
            signal.raise_signal(signal.SIGINT)
        return found

    with ExitStack() as owner:
        if "attached" in how:
            owner.enter_context(graphmem.open(folder, worker="none"))
        with monkeypatch.context() as patch:
            patch.setattr(of, "remember_many", interrupted)
            if how == "killed":
                with pytest.raises(SystemExit):
                    told("import", str(file))
            else:
                assert "192 of 200 texts are stored" in told("import", str(file))[1]
        with file.open("a") as more:
            more.write("The last train is late.\n")
        stored = 128 if how == "killed" else 192
        assert f"{201 - stored} texts as" in (said := told("import", str(file))[1])
        assert f"behind {stored} that were stored already" in said
        assert "Remembered 201 texts as 201 nodes.\n" in told("import", str(file))[1]
    with graphmem.open(folder, worker="none") as memory:
        assert len(memory) == 3 + 2 * 201
        assert memory.items.namespaces() == []


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", '{"text": "Good."}\n{"txt": "Bad."}\n', "line 2"),
        ("a.jsonl", '{"text": "Good."}\nno json\n', "line 2"),
        ("a.json", '{"messages": 5}', "messages is a list"),
        ("a.json", '[{"role": "user"', "line 1"),
        ("a.json", '[{"content": "x"}]', "role"),
        ("a.sh", "echo", "--format: text"),
    ],
)
def test_what_is_no_text_is_refused_with_its_line(
    told: Any, tmp_path: Path, name: str, content: str, says: str
) -> None:
    (tmp_path / name).write_text(content)
    status, out = told("import", str(tmp_path / name))
    assert status == 1
    assert says in out


def test_what_is_piped_is_imported_if_its_format_is_given(
    told: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was looked for in a file of the name `-`."""
    file = tmp_path / "memory.jsonl"
    assert told("export", str(file))[0] == 0
    for form, said in ("text", b"Iris likes plums.\n"), ("jsonl", file.read_bytes()):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(said)))
        assert told("import", "-", "--format", form, "--scope", form)[0] == 0
    assert "Iris" in told("nodes", "--scope", "text")[1]
    assert "Wen moved" in told("nodes", "--scope", "jsonl")[1]
    status, out = told("import", "-")
    assert status == 2
    assert "--format" in out


def test_an_exported_memory_is_not_taken_for_notes(told: Any, tmp_path: Path) -> None:
    """Both are JSONL: notes of its records would have filled the memory with rubbish."""
    file = str(tmp_path / "memory.jsonl")
    assert told("export", file)[0] == 0
    assert told("import", file, "--scope", "copy")[0] == 0
    assert "Wen moved" in told("nodes", "--scope", "copy")[1]
    assert told("import", file, "--session", "x", "--scope", "other")[0] == 2
    (tmp_path / "n.txt").write_text("One.\n")
    assert told("import", file, str(tmp_path / "n.txt"))[0] == 2


def test_remember_takes_messages(folder: Path) -> None:
    with graphmem.open(folder, worker="none") as memory:
        messages = [
            {"role": "user", "content": "My plants are basil and mint."},
            {"role": "assistant", "content": "Noted."},
        ]
        written = memory.remember(messages=messages, session="chat")
        assert [node.speaker for node in written] == ["user", "assistant"]
        assert {node.session for node in written.nodes} == {"chat"}
        first, second = written
        assert written[0] == first
        assert written[-1:] == (second,)
        assert len(memory.remember(messages=[])) == 0
        for wrong in ({"text": "Beside."}, {"speaker": "Wen"}, {"pin": True}):
            with pytest.raises(graphmem.errors.InvalidArgumentError):
                memory.remember(messages=messages, **wrong)  # type: ignore[arg-type]
        with graphmem.attach(folder) as attached:
            sent = attached.remember(messages=messages)
            assert [node.text for node in sent] == [node.text for node in written]
            assert isinstance(sent, graphmem.Remembered)


def test_what_a_memory_is_about_on_the_command_line(
    told: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Themes were seen from Python only, and a folder opened without its model showed none."""
    with remembered(tmp_path / "themes") as memory:
        theme = next(iter(memory.themes))
    monkeypatch.setenv("GRAPHMEM_PATH", str(tmp_path / "themes"))
    assert theme.named
    assert theme.name in told("themes")[1]
    listed = json.loads(told("themes", "--json")[1])["themes"]
    assert listed[0]["members"] == list(theme.members)
    assert f"theme {theme.id}: " in told("themes", str(theme.id))[1]
    assert told("themes", "99999")[0] == 1
    episodes = json.loads(told("themes", "episodes", "day 1", "--json")[1])["result"]
    assert [node for episode in episodes for node in episode["nodes"]] == list(range(21, 41))
    assert told("themes", "episodes", "nowhere") == (0, "Nothing.\n")
    about = told("themes", "about", "the kiln and the boat", "--tokens", "100")
    assert about[0] == 0
    assert "kiln" in about[1]
    yaml, gexf = tmp_path / "t.yaml", tmp_path / "t.gexf"
    assert told("themes", "export", "--yaml", str(yaml), "--gexf", str(gexf))[0] == 0
    assert yaml.stat().st_size
    assert gexf.stat().st_size
    assert told("export")[0] == 2
    status, out = told("recall", "kiln", "--mode", "themes")
    assert status == 1
    assert "needs vectors" in out


@pytest.mark.parametrize("place", [("items", "get", "notes"), ("pool", "get", "--name", "team")])
def test_an_item_that_is_not_there(told: Any, place: tuple[str, ...]) -> None:
    """A script that asked for an item could not tell by the status that there is none."""
    status, said = told(*place, "nowhere")
    assert status == 1
    assert said.startswith("no item ")
    assert said.endswith("'nowhere'\n")
    status, said = told(*place, "nowhere", "--json")
    assert status == 1
    assert '"result": null' in said


def test_a_folder_without_the_default_scope_is_backed_up_and_examined(
    tmp_path: Path, told: Any
) -> None:
    """A project's folder that `sync --scope` made could be neither backed up, listed nor examined:
    "there is no scope 'default'"."""
    place = ("-p", str(tmp_path / "pump"))
    assert told(*place, "--scope", "pump", "remember", "The pump leaks.")[0] == 0
    assert told(*place, "scopes", "names") == (0, "pump\n")
    status, said = told(*place, "doctor")
    assert status == 0
    assert "scope 'pump' of 1: 1 node (" in said
    assert told(*place, "admin", "backup", str(tmp_path / "copy"))[0] == 0
    assert told("-p", str(tmp_path / "copy"), "scopes", "names") == (0, "pump\n")
    status, said = told(*place, "recall", "pump")
    assert status == 1
    assert "there is no scope 'default' (there are: pump); --scope names one" in said


def test_what_names_nothing_is_refused_and_makes_no_memory(tmp_path: Path, told: Any) -> None:
    """`used 99` said "Done.", /dev/null was said not to be there, `sync` left an empty folder."""
    for nodes in (("99",), ("1", "99")):
        status, said = told("used", *nodes)
        assert (status, "there is no node 99" in said) == (1, True)
    assert told("used", "1") == (0, "Done.\n")
    new = tmp_path / "new"
    for command, says in (
        (("files", "sync", str(tmp_path / "none")), "does not exist"),
        (("import", str(tmp_path / "none.txt")), "no such file"),
        (("import", "/dev/null"), "is no file to load, but a folder, pipe or device"),
        (("import", str(tmp_path)), "is no file to load, but a folder, pipe or device"),
        (("used", "1"), "there is no memory"),
    ):
        status, said = told("-p", str(new), *command)
        assert status
        assert says in said
        assert not new.exists()


def test_a_malformed_line_leaves_nothing_half_imported(tmp_path: Path, told: Any) -> None:
    """The lines before it were remembered, so that a second try remembered them twice."""
    file = tmp_path / "notes.jsonl"
    file.write_text('{"text": "The kettle is broken."}\n{"txt": "It leaks."}\n')
    place = ("-p", str(tmp_path / "new"))
    status, said = told(*place, "import", str(file))
    assert status == 1
    assert "line 2" in said
    file.write_text('{"text": "The door code is 4821."}\n{"text": "It leaks."}\n')
    status, said = told(*place, "import", str(file))
    assert said == "Remembered 2 texts as 2 nodes.\n1 secret cut out.\n"
    assert "kettle" not in told(*place, "nodes")[1]


@pytest.mark.slow
def test_long_work_says_how_far_it_is(
    tmp_path: Path, told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import stood at 100 % from its first second; conflicts, which takes ten, said nothing."""
    updates: list[tuple[float, float]] = []
    labels: list[str] = []

    def enter(progress: Progress) -> Progress:
        labels.append(progress._label)
        return progress

    def update(progress: Progress, done: float, total: float, label: str | None = None) -> None:
        updates.append((done, total))

    monkeypatch.setattr(Progress, "update", update)
    monkeypatch.setattr(Progress, "__enter__", enter)
    file = tmp_path / "notes.txt"
    file.write_text("".join(f"Note {number}.\n" for number in range(1200)))
    assert told("import", str(file))[0] == 0
    assert {total for _, total in updates} == {1200}
    assert any(0 < done < 1200 for done, _ in updates)
    for verb in (
        ["review", "conflicts"],
        ["review", "preferences"],
        ["nodes"],
        ["graph", "map", str(tmp_path / "map")],
    ):
        labels.clear()
        assert told(*verb)[0] == 0
        assert labels, verb


def test_a_budget_that_nothing_fits_into_is_told_of(told: Any) -> None:
    """An empty line came back, as if nothing were known."""
    told("remember", "The dentist is on November 19 at half past three, in Voorstraat 12.")
    status, said = told("recall", "When is the dentist?", "--tokens", "2")
    assert status == 0
    note = "the budget of 2 tokens is too small: the best memory needs "
    assert said.strip().startswith(note)
    assert "Voorstraat" in told("recall", "When is the dentist?", "--tokens", said.split()[-4])[1]


@pytest.mark.parametrize(
    "told_where", ["year=>2020", "year=<2020", "year==2020", "year>>1", "a!>1"]
)
def test_an_operator_that_there_is_not_is_refused(told: Any, told_where: str) -> None:
    """`=>2020` was compared with as the text ">2020", and nothing came back."""
    status, said = told("nodes", "--where", told_where)
    assert status == 2
    assert "write NAME=VALUE" in said


def test_conditions_compare_what_they_say(told: Any) -> None:
    told("remember", "The bridge was built.", "--metadata", "year=2020")
    for held in ("year>=2020", "year<=2020", "year>2019", "year<2021", "year=2020", "year!=1"):
        assert "bridge" in told("nodes", "--where", held)[1], held
    told("remember", "The mark is odd.", "--metadata", "mark=>3")
    assert "odd" in told("nodes", "--where", 'mark=">3"')[1]


def test_an_exported_memory_that_is_imported_is_told_of_as_memories(
    told: Any, tmp_path: Path
) -> None:
    """Triples were told of, of which its reader had never heard."""
    file = str(tmp_path / "memory.jsonl")
    assert told("export", file)[0] == 0
    status, said = told("import", file, "--scope", "copy")
    assert status == 0
    assert "3 memories in copy" in said
    assert "triple" not in said


def test_centroids_of_a_memory_without_vectors_are_an_error(told: Any, tmp_path: Path) -> None:
    """A file of no centroids was written, and the command said that all was well."""
    file, beside = tmp_path / "c.npy", tmp_path / "themes.yaml"
    status, said = told("themes", "export", "--centroids", str(file), "--yaml", str(beside))
    assert status != 0
    assert "made of vectors" in said
    assert not file.exists()
    assert not beside.exists()


def test_what_a_node_came_back_without_is_told(
    told: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "Is back" was all that a person at a shell read, also of what had been replaced."""
    for call in (["replace", "2", "Anna prefers coffee."], ["forget", "2"]):
        assert told(*call)[0] == 0
    capsys.readouterr()
    assert main(["history", "revive", "2"]) == 0
    shown = capsys.readouterr()
    assert "without that it holds: node 4 has replaced it" in shown.err
    assert "Anna prefers tea." in shown.out


@pytest.mark.parametrize("command", ["forget", "used"])
def test_a_command_of_nodes_needs_one(told: Any, command: str) -> None:
    """Without an id it said "Done.", as after a variable of a script that was empty."""
    status, said = told(command)
    assert status == 2
    assert "NODES" in said
    assert told("admin", "retry")[0] == 0


@pytest.mark.parametrize("command", ["view", "shell"])
def test_where_no_memory_is_a_command_is_advised(told: Any, tmp_path: Path, command: str) -> None:
    """A person at a shell was told which line of Python makes one."""
    status, said = told(command, str(tmp_path / "none"))
    assert status == 1
    assert "graphmem remember" in said
    assert "graphmem.open(" not in said
    assert not (tmp_path / "none").exists()
