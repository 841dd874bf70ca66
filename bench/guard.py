"""Guard: secrets and personal data found in labelled texts, what is cut in vain, time.

A secret counts as found if four fifths of its characters were cut. `--files` takes files or folders
(code, lock files, documentation), cut into pieces of forty lines, and tells how many are touched.

`--ways FOLDER` (default: a writer's texts, see data/writers/README.md) stores each secret in each
way of telling one and searches the files of the stored folder for it: a secret counts as kept out
if neither it, as the way writes it, nor a half of six characters or more is in any file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import graphmem
from bench.corpora import read
from bench.labelled import LANGUAGES, missing, rows
from bench.report import Row
from graphmem.errors import SecretError
from graphmem.hexastore.terms import Literal
from graphmem_worker.guard import Guarded, guard

HELP: Final = "secrets cut out of texts: found, missed, cut in vain"
_LINES: Final = 40
_ROUNDS: Final = 10
_HOSTILE: Final = 20_000
_WRITER: Final = Path(__file__).parents[1] / "data" / "writers" / "D"
HOSTILE: Final = (
    "password ", "password is ", "pass:", "token ", "密码是", "eyJ", "-----BEGIN ", "://", "a@b.",
    "@", "4111 ", "left 1 ", "one two ", "s.", "sk-", "key=", "A", "0", "'", "user a password ",
    "secret:", "router ", "the safe opens with ", "密码，就是", "wi-fi: a / ", "key是", "左转到3",
    "backup codes a1b2 ", "gate set it to ", "log in with use ", "p a s ", "password. 1 ", "🔑 ",
    "password half is a1 ", "<password>", '<a b="', "[pin](", "用登录", "passwrod",
)  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="only these")
    parser.add_argument(
        "--files", action="append", default=[], metavar="PATH", help="without secrets"
    )
    parser.add_argument("--misses", action="store_true", help="list every miss and false cut")
    parser.add_argument(
        "--ways",
        type=Path,
        default=_WRITER,
        metavar="FOLDER",
        help="with secrets.jsonl, ways.jsonl and ordinary.jsonl",
    )


def covered(spans: list[list[int]], found: Guarded) -> bool:
    """Whether four fifths of every span were cut."""
    for start, end in spans:
        cut = sum(max(0, min(end, c.end) - max(start, c.start)) for c in found.cut)
        if cut < 0.8 * (end - start):
            return False
    return True


def run(arguments: argparse.Namespace) -> list[Row]:
    """Guard labelled texts, the journals, files and hostile texts."""
    measured: list[Row] = []
    for language in arguments.language or LANGUAGES:
        labelled = rows("secrets", language)
        if labelled is None:
            print(missing("secrets"), file=sys.stderr)
            continue
        measured += _labelled(language, labelled, verbose=arguments.misses)
    chat = [turn.text for each in read([]) for turn in each.turns]
    measured += _in_vain("journals", chat, verbose=arguments.misses)
    if arguments.ways is not None:
        measured += _ways(arguments.ways)
    for path in arguments.files:
        measured += _in_vain(path, list(_pieces(Path(path))), verbose=arguments.misses)
    slowest = 0.0
    for text in HOSTILE:
        begun = time.process_time()
        guard((text * _HOSTILE)[:_HOSTILE], "personal")
        slowest = max(slowest, time.process_time() - begun)
    measured.append(
        Row("guard", "hostile", "personal", "slowest of 20,000 characters", slowest * 1e3, "ms")
    )
    return measured


def _labelled(language: str, labelled: list[dict[str, Any]], *, verbose: bool) -> list[Row]:
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    vain = {"secrets": 0, "personal": 0}
    for row in labelled:
        text, spans, kind = row["text"], row["spans"], row["kind"]
        guarded = guard(text, "personal")
        if not spans:
            vain["secrets"] += bool(guard(text).cut)
            vain["personal"] += bool(guarded.cut)
        right = covered(spans, guarded) if spans else not guarded.cut
        total[kind] += 1
        found[kind] += right
        if verbose and not right:
            cut = [(c.kind, text[c.start : c.end]) for c in guarded.cut]
            print(f"{row['id']} {kind}: {text}\n    cut {cut}", file=sys.stderr)
    texts = [row["text"] for row in labelled]
    begun = time.process_time()
    for _ in range(_ROUNDS):
        for text in texts:
            guard(text)
    spent = (time.process_time() - begun) / _ROUNDS / len(texts)
    none = total.pop("none", 0)
    secret = sum(n for kind, n in total.items() if kind != "pii")
    cut = sum(n for kind, n in found.items() if kind not in ("pii", "none"))
    return [
        Row("guard", language, "personal", "secrets found", cut / (secret or 1), f"of {secret}"),
        *(
            Row("guard", language, "personal", f"{kind} found", found[kind] / n, f"of {n}")
            for kind, n in sorted(total.items())
        ),
        *(
            Row("guard", language, level, "texts cut in vain", count, f"of {none}")
            for level, count in vain.items()
        ),
        Row("guard", language, "secrets", "time a text", spent * 1e6, "µs"),
    ]


def _ways(folder: Path) -> list[Row]:
    """Secrets kept out of a stored folder, by the way in which they are given, and false cuts."""
    secrets, ways, ordinary = (
        [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
        for name in ("secrets", "ways", "ordinary")
    )
    measured: list[Row] = []
    for way in ways:
        hidden = [
            _filled(way, secret)
            for secret in secrets
            if secret["kind"] in way.get("kinds", (secret["kind"],))
            and way["lang"] in ("any", secret["lang"])
        ]
        kept_out = _kept_out(way["channel"], hidden)
        measured.append(
            Row("guard", way["id"], way["channel"], "kept out", kept_out / (len(hidden) or 1),
                f"of {len(hidden)}")
        )  # fmt: skip
    return measured + _in_vain("ordinary", [row["text"] for row in ordinary], verbose=False)


def _filled(way: dict[str, Any], secret: dict[str, Any]) -> tuple[Any, str, str]:
    """What is stored, the secret as it stands there, and the level of the guard that covers it."""
    value = secret["value"]
    if way.get("transform") == "digits_spaced":
        value = re.sub(r"(?<=\d)(?=\d)", " ", value)
    language = way["lang"] if way["lang"] != "any" else secret["lang"]
    words = {
        "{name}": secret[f"name_{language}"], "{field}": secret["field"], "{value}": value
    }  # fmt: skip

    def fill(shape: Any) -> Any:
        match shape:
            case str():
                for word, put in words.items():
                    shape = shape.replace(word, put)
                return shape
            case dict():
                return {fill(name): fill(inner) for name, inner in shape.items()}
            case list():
                return [fill(inner) for inner in shape]
        return shape

    shape = way["template"]
    if way["channel"] != "text" and isinstance(shape, str):
        shape = json.loads(shape)
    return fill(shape), value, "personal" if secret["kind"] == "national_id" else "secrets"


def _kept_out(channel: str, hidden: list[tuple[Any, str, str]]) -> int:
    """How many of the secrets are in no file of the folders that they were stored in."""
    files: dict[str, bytes] = {}
    for chosen in ("secrets", "personal"):
        with tempfile.TemporaryDirectory() as home:
            with graphmem.open(home, worker="none", guard=chosen) as memory:
                for place, (shape, _, level) in enumerate(hidden):
                    if level == chosen:
                        with suppress(SecretError):  # refused, so nothing is stored
                            _store(memory, channel, shape, str(place))
            found = (f.read_bytes() for f in Path(home).rglob("*") if f.is_file())
            files[chosen] = b"\n".join(found).lower()
    count = 0
    for _, value, level in hidden:
        half = len(value) // 2
        parts = [value, *([value[:half], value[half:]] if half >= 6 else [])]
        count += not any(part.lower().encode() in files[level] for part in parts)
    return count


def _store(memory: graphmem.Memory, channel: str, shape: Any, key: str) -> None:
    match channel:
        case "text":
            memory.remember(shape)
        case "metadata":
            flat = {
                name: json.dumps(inner, ensure_ascii=False)
                if isinstance(inner, dict | list)
                else inner
                for name, inner in shape.items()
            }
            memory.remember("A note of an account.", metadata=flat)
        case "item":
            memory.items.put("accounts", key, shape)
        case "fact":
            (_, subject), (_, predicate), (_, objects), *others = shape.items()
            pairs = [(predicate, o) for o in (objects if isinstance(objects, list) else [objects])]
            for name, inner in (*pairs, *others):
                memory.graph.facts.put(_iri(subject), _iri(name), Literal(str(inner)))
        case _:
            raise ValueError(f"unknown channel {channel!r}")


def _iri(name: str) -> str:
    return name if ":" in name else f"http://example.org/{quote(name)}"


def _pieces(path: Path) -> Iterator[str]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        try:
            lines = file.read_text("utf-8").splitlines() if file.is_file() else []
        except UnicodeDecodeError:
            continue
        for begin in range(0, len(lines), _LINES):
            yield "\n".join(lines[begin : begin + _LINES])


def _in_vain(name: str, texts: list[str], *, verbose: bool) -> list[Row]:
    touched, size = 0, sum(map(len, texts))
    begun = time.process_time()
    for text in texts:
        cut = guard(text).cut
        touched += bool(cut)
        if verbose and cut:
            print(f"{name}: {[(c.kind, text[c.start : c.end][:60]) for c in cut]}", file=sys.stderr)
    spent = time.process_time() - begun
    return [
        Row("guard", name, "secrets", "texts cut", touched, f"of {len(texts)}"),
        Row("guard", name, "secrets", "time of a text", spent / (len(texts) or 1) * 1e6, "µs"),
        Row("guard", name, "secrets", "time of 1 MB", spent / (size or 1) * 1e6, "s"),
    ]
