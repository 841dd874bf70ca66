"""Words of a language stand in its tables.

Month names stood in sixteen files and four lists of hedges agreed on a ninth of what one of them
marked, for each reader had its own. This test finds the words of the tables, and Chinese
characters, in expressions and lists of words of the production code, and refuses them outside of
the files that still have them. `python tests/worker/language/test_words_of_languages.py` prints
their bytes by file.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TABLES = ROOT / "worker" / "graphmem_worker" / "language"
SOURCES = ("graphmem", "worker")

ALLOWED = {
    "graphmem/exchange/decisions.py": 285,
    "graphmem/exchange/project.py": 29,
    "graphmem/forgetting/undo.py": 20,
    "graphmem/hexastore/terms.py": 27,
    "graphmem/index/vectors/index.py": 21,
    "graphmem/query/regex.py": 7,
    "graphmem/query/virtual.py": 91,
    "graphmem/recalling/cue.py": 1_688,
    "graphmem/recalling/names.py": 13,
    "graphmem/recalling/supersede.py": 63,
    "graphmem/remembering/guarding.py": 172,
    "graphmem/remembering/messages.py": 36,
    "graphmem/sharing/quoting.py": 211,
    "graphmem/storage/folder.py": 15,
    "graphmem/storage/homes/cache.py": 25,
    "graphmem/themes/about.py": 46,
    "graphmem/themes/terms.py": 1_313,
    "graphmem/values/items.py": 40,
    "graphmem/values/rendering.py": 197,
    "worker/graphmem_worker/claims/amounts.py": 180,
    "worker/graphmem_worker/claims/numbers.py": 355,
    "worker/graphmem_worker/claims/reading.py": 42,
    "worker/graphmem_worker/claims/statements.py": 21,
    "worker/graphmem_worker/claims/subjects.py": 1_220,
    "worker/graphmem_worker/claims/topics.py": 21,
    "worker/graphmem_worker/claims/vocabulary.py": 44,
    "worker/graphmem_worker/facts.py": 205,
    "worker/graphmem_worker/gate/judge.py": 61,
    "worker/graphmem_worker/gate/reading.py": 40,
    "worker/graphmem_worker/guard/commands.py": 183,
    "worker/graphmem_worker/guard/cutting.py": 324,
    "worker/graphmem_worker/guard/labels.py": 22,
    "worker/graphmem_worker/guard/names.py": 49,
    "worker/graphmem_worker/guard/personal.py": 84,
    "worker/graphmem_worker/guard/plain.py": 320,
    "worker/graphmem_worker/guard/values.py": 225,
    "worker/graphmem_worker/kinds.py": 9,
    "worker/graphmem_worker/language/harm.py": 123,
    "worker/graphmem_worker/language/heads.py": 3,
    "worker/graphmem_worker/language/holidays.py": 106,
    "worker/graphmem_worker/language/phrases.py": 11,
    "worker/graphmem_worker/language/tables.py": 26,
    "worker/graphmem_worker/text/frames.py": 16,
    "worker/graphmem_worker/text/keywords.py": 40,
    "worker/graphmem_worker/text/lexicon.py": 3,
    "worker/graphmem_worker/text/phrase.py": 26,
    "worker/graphmem_worker/text/protects.py": 46,
    "worker/graphmem_worker/text/salience.py": 97,
    "worker/graphmem_worker/text/sentences.py": 13,
    "worker/graphmem_worker/text/words.py": 181,
}
"""path → bytes of words that a file still has."""

HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
WORD = re.compile("[a-zà-ÿ]{3,}")
SIGN = re.compile(r"\\u[0-9a-f]{4}|\\[a-z]|\(\?p<[a-z]+>|\{[a-z:]+\}")
"""What stands in the expressions of the tables and is no word."""
CHOICE = re.compile(r"\b([a-z]{3,})(?=\|([a-z]{3,}))")
EXPRESSIONS = {"compile", "late", "lower", "Gated", "split"}
"""What takes expressions or lists of words: calls of these names, or of methods of a string."""
NO_WORDS = {
    "means", "yes", "no", "placeholders", "url_placeholders", "no_secrets", "software", "choices",
    "same_choices", "choice_needs", "entrances", "mnemonic",
}  # fmt: skip
"""Parts of tables that are examples, words of programs or whole lists of a standard."""
FEWEST = 6  # words of a literal that make it a list; fewer are names of fields
PROSE = {"prompts", "digest"}
"""Tables of whole sentences, whose words nobody looks for."""
SPOKEN = {"graphmem/interfaces", "graphmem/__main__.py"}
"""What people see in English and Chinese is no table."""


@cache
def known_words() -> frozenset[str]:
    """The Latin words of all tables."""
    found: set[str] = set()
    for path in TABLES.glob("*/*.toml"):
        if path.stem in PROSE:
            continue
        text = " ".join(_strings(tomllib.loads(path.read_text("utf-8"))))
        found.update(WORD.findall(SIGN.sub(" ", text)))
    return frozenset(found)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value.lower()
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in NO_WORDS:
                yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def words_in(source: str) -> list[str]:
    """The constants of a module that hold words of a language: any with Chinese characters; of
    expressions and lists, those with words of the tables."""
    nodes = list(ast.walk(ast.parse(source)))
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [n for n in nodes if isinstance(n, ast.Constant) and id(n) not in prose]
    strings = [n for n in texts if isinstance(n.value, str)]
    found = {id(n): n.value for n in strings if HAN.search(n.value) or _is_choice(n.value)}
    for given in _expressions(nodes):
        for node in ast.walk(given):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = WORD.findall(node.value.lower())
                if not known_words().isdisjoint(words):
                    found[id(node)] = node.value
    return list(found.values())


def _is_choice(text: str) -> bool:
    """Whether a text is an expression of words of the tables, or a part of one."""
    return any(word in known_words() for pair in CHOICE.findall(text.lower()) for word in pair)


def _expressions(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in EXPRESSIONS:
                yield from node.args
                if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Constant):
                    yield called.value
        elif isinstance(node, ast.Set | ast.Tuple | ast.List) and _is_list(node):
            yield node


def _is_list(node: ast.Set | ast.Tuple | ast.List) -> bool:
    texts = [n.value for n in node.elts if isinstance(n, ast.Constant)]
    words = [text for text in texts if isinstance(text, str) and WORD.fullmatch(text)]
    known = [word for word in words if word in known_words()]
    return FEWEST <= len(words) == len(node.elts) and 2 * len(known) > len(words)


def counted() -> dict[str, int]:
    """path → bytes of constants with words of a language."""
    found: dict[str, int] = {}
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if any(name.startswith(spoken) for spoken in SPOKEN):
                continue
            texts = words_in(path.read_text("utf-8"))
            if size := sum(len(text.encode("utf-8", "surrogatepass")) for text in texts):
                found[name] = size
    return found


def test_words_of_a_language_stand_in_its_tables() -> None:
    """A reader with a list of its own reads a sentence otherwise than the others."""
    found = counted()
    grown = {name: size for name, size in found.items() if size > ALLOWED.get(name, 0)}
    assert not grown, "put these words into the tables of their language"


@pytest.mark.slow
def test_a_file_without_words_leaves_the_list() -> None:
    """The list only gets shorter."""
    assert ALLOWED.keys() <= counted().keys()


if __name__ == "__main__":
    sizes = counted()
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"{size:7,} {name}")
    if "--list" in sys.argv:
        print("\n".join(f'    "{name}": {size:_},' for name, size in sorted(sizes.items())))
    print(f"{sum(sizes.values()):7,} in all, of {len(sizes)} files")
