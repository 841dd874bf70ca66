"""Forms: does a shortened text mean what the text meant? `python -m bench forms [PATH]`.

Each text is remembered alone and shrunk step by step to a few of its bytes. Each form (the
sentences that are left, the gist, the phrase) is compared with the text by general tests, which
know nothing of the rules that made it:

- `number`, `name`, `day`: each number with what it counts, each name, each day is one of the text;
- `turn`: a sentence of the text that is shortened keeps all words by which it denies, limits or
  takes back; a sentence that takes back stays as long as one before it that has a word in common;
- `cut`: what ends within a clause ends in "…";
- `word`: a gist or keyword ends where words of the text end, and is more than a function word.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import graphmem
from bench.report import Row
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.words import STOP_WORDS, words

HELP: Final = "what shortened texts leave out that changes what they say"
_FORMS: Final = Path(__file__).parents[1] / "data" / "writers" / "C" / "forms.jsonl"
_SHARES: Final = (0.8, 0.6, 0.4, 0.2, 0.0)
_HAN_COUNT: Final = "一二三四五六七八九十百千万亿两零〇半"
_NUMBER: Final = re.compile(
    rf"\d+(?:[.,:/-]\d+)*(?:\s?[A-Za-z%°€$£]+|[\u4e00-\u9fff])?"
    rf"|[{_HAN_COUNT}]{{2,}}[\u4e00-\u9fff]?|[{_HAN_COUNT}](?=[号月点年天块元个])."
    r"|\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]\w+)?"
    r"|\b\w+ (?:hundred|thousand|million)(?: (?:and )?\w+)?",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
_DAY: Final = re.compile(
    r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|(?:周|星期|礼拜)[一二三四五六日天]"
    r"|[\d一二三四五六七八九十]+月[\d一二三四五六七八九十]+[号日]"
)
_TURN: Final = re.compile(
    r"\b(?:not|no|never|without|cannot|nor|nobody|nothing|unless|if|except|until|only|but|cancel\w*"
    r"|instead|postponed|no longer|called off)\b|n['’]t\b"
    r"|不(?!错|过)|没|(?<![特区])别|未|勿|除非|如果|要是|只有|取消|作废|改到|改成|推迟|但",
    re.IGNORECASE,
)
_TAKES_BACK: Final = re.compile(
    r"\b(?:cancel\w*|called off|off\b|postponed|instead|no longer|but|unless|except)\b"
    r"|取消|作废|改到|改成|推迟|但|除非",
    re.IGNORECASE,
)
_ENDS: Final = tuple("…。！？!?.;；,，、:：)）”\"'’")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this bench's options."""
    parser.add_argument("path", nargs="?", default=str(_FORMS), help="lines of id, lang and text")


def run(arguments: argparse.Namespace) -> list[Row]:
    """Shorten every text and count what is wrong."""
    path = Path(arguments.path)
    if not path.exists():
        print(f"skipped: {path} is not there")
        return []
    wrong: Counter[tuple[str, str]] = Counter()
    forms: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        texts[row["lang"]] += 1
        found = set[str]()
        for form, whole in _forms(row["text"]):
            forms[row["lang"]] += 1
            found |= set(faults(form, row["text"], whole=whole))
        for fault in found | ({"any"} if found else set()):
            wrong[row["lang"], fault] += 1
    rows = [
        Row("forms", language, "texts", metric, float(count[language]), metric)
        for language in texts
        for metric, count in (("texts", texts), ("forms", forms))
    ]
    return rows + [
        Row(
            "forms",
            language,
            "violations",
            fault,
            wrong[language, fault] / texts[language],
            "share",
        )
        for language in texts
        for fault in ("number", "name", "day", "turn", "cut", "word", "any")
    ]


def _forms(text: str) -> Iterator[tuple[str, bool]]:
    """The forms of a text at each size, and whether each is sentences."""
    with graphmem.open(None, worker="none") as memory:
        nodes = [node.id for node in memory.remember(text)]
        for k in range(6):
            memory.remember(f"Chatter number {k}.", pin=True)
        memory.admin.enrich()
        size = sum(len(memory[node].text.encode()) for node in nodes)
        rest = memory.admin.stats()["text_bytes"] - size
        for share in _SHARES:
            memory.admin.shrink(rest + int(share * size))
            left = [memory[node] for node in nodes if node in memory]
            if form := " ".join(node.text for node in left if node.text):
                yield form, True
            for node in left:
                yield node.phrase, False
                if not node.text:
                    yield from ((keyword, False) for keyword in node.keywords)


def faults(form: str, text: str, *, whole: bool) -> Iterator[str]:
    """What is wrong with a form of a text; whole: it is sentences, no phrase or keyword."""
    bare = form.removesuffix("…").strip()
    for name, pattern in (("number", _NUMBER), ("name", _NAME), ("day", _DAY)):
        known = [match[0] for match in pattern.finditer(text)]
        for match in pattern.finditer(bare):
            at_end = match.end() == len(bare) and any(k.startswith(match[0]) for k in known)
            if match[0] not in known and not (at_end and form.endswith("…")):
                yield name
    place = text.find(bare)
    if not whole and bare and place >= 0:
        before, after = text[place - 1 : place], text[place + len(bare) :][:1]
        latin = after.isascii() and after.isalnum() and bare[-1].isascii() and bare[-1].isalnum()
        if latin or (before.isascii() and before.isalnum() and bare[0].isascii()):
            yield "word"
        if bare.casefold() in STOP_WORDS:
            yield "word"
        if len(bare) > 24 and after not in ("", *_ENDS) and not form.endswith(_ENDS):
            yield "cut"
    if form.endswith("…") or (not whole and len(words(bare)) < 4):
        return  # it is marked as incomplete, or is only a name
    kept_parts = _kept_parts(bare, text)
    for sentence, part in kept_parts:
        if Counter(_TURN.findall(part)) != Counter(_TURN.findall(sentence)):
            yield "turn"
    kept = {sentence for sentence, _ in kept_parts}
    every = [sentence.strip() for sentence in sentences(text)]
    for number, later in enumerate(every):
        if later in kept or not _TAKES_BACK.search(later):
            continue
        if any(e in kept and set(words(e)) & set(words(later)) for e in every[:number]):
            yield "turn"


def _kept_parts(form: str, text: str) -> list[tuple[str, str]]:
    """The sentences of a text of which a form has a part, each with its parts in the form."""
    found = []
    parts = [part.strip(" .。") for part in sentences(form)]
    for sentence in sentences(text):
        bare = sentence.strip()
        there = [part for part in parts if part and part in bare]
        if there:
            found.append((bare, " ".join(there)))
    return found
