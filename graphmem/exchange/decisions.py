"""Decisions: reads the records of a project's decisions.yaml, and adds new ones after the last.

PyYAML reads the values and their lines, and writes single values. A file is never dumped, which
would change its layout: new records are inserted as lines of their own, and the result is parsed
before it replaces anything. docs/files.md defines a record.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import count, repeat
from typing import Any, Final, NamedTuple

import yaml

from graphmem.errors import MalformedError
from graphmem.values.checks import is_blank

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL: Final = "tag:yaml.org,2002:null"
_LISTS: Final = ("decisions", "决策", "决定", "adr", "adrs", "records")
"""Names of the list to which records are added, the best first."""
_BARE: Final = frozenset(
    "decision title summary name text what description 决策 决定 标题 内容 摘要".split()
)
"""Fields that enter the text without their names."""
_MAIN: Final = ("decision", "title", "summary", "text", "决策", "决定", "标题", "内容")
"""Fields for the text of a new record: the one that the file uses."""
_ID: Final = ("id", "编号")
_DATE: Final = ("date", "日期")
_BY: Final = ("by", "提出人")
_STATUS: Final = ("status", "状态")
_KEEP: Final = ("keep", "保留")
_SUPERSEDES: Final = ("supersedes", "取代")
_ASIDE: Final = frozenset((*_ID, *_DATE, *_BY, *_STATUS, *_KEEP, *_SUPERSEDES))
_TRUE: Final = frozenset(("true", "yes", "on", "是"))
_CLOSED: Final = (
    "superseded", "deprecated", "rejected", "withdrawn", "obsolete", "replaced", "cancel",
    "已取代", "被取代", "已替代", "废弃", "已废弃", "弃用", "已弃用", "否决", "已否决",
    "取消", "已取消", "作废",
)  # fmt: skip
_OPEN: Final = (
    "proposed", "draft", "pending", "tbd", "under discussion",
    "提议", "草案", "草稿", "待定", "讨论",
)  # fmt: skip
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_BARE_ID: Final = re.compile(r"[\w.-]{1,60}")  # written as the other ids are: 7 and not "7"
_NUMBERED: Final = re.compile(r"(.{0,40}?)(\d{1,9})")
_DEEPEST: Final = 50  # lists and mappings within each other
_OTHER_BREAK: Final = re.compile("[\x85\u2028\u2029]|\r(?!\n)")
_LONGEST: Final = 1000  # characters of an id, a status or a name


class Record(NamedTuple):
    """One decision of a file."""

    line: int
    """Its first line, from 1."""
    text: str
    whole: str
    """All its fields, a line each: the identity of the record."""
    id: str = ""
    day: str = ""
    """YYYY-MM-DD; "" if there is none or it is malformed, which then stays in the text."""
    by: str = ""
    status: str = ""
    keep: bool = False
    supersedes: tuple[str, ...] = ()
    """Ids or texts of other records."""

    @property
    def is_over(self) -> bool:
        """Whether its status means that it does not hold any more, or never did."""
        return self.status.lower().startswith(_CLOSED)

    @property
    def is_taken(self) -> bool:
        """Whether it is decided: its status is not one of a proposal."""
        return not self.status.lower().startswith(_OPEN)


class New(NamedTuple):
    text: str
    day: str = ""
    by: str = ""
    supersedes: str = ""
    """The text of the record of this file that it supersedes; "" for none."""


class _Place(NamedTuple):
    """Where new records are inserted."""

    line: int
    """They are inserted before this line, counted from 0."""
    indent: int
    """Columns before the dash."""
    opens: bool = False
    """Whether a line "decisions:" has to be written before them."""
    emptied: tuple[int, int, int] | None = None
    """Line, first and end column of a "[]" that they replace."""


class Log(NamedTuple):
    """A file of decisions, parsed."""

    path: str
    written: str
    records: tuple[Record, ...]
    place: _Place | None
    """None: nothing can be added to its list in the style in which it is written."""
    style: dict[str, str]
    """Field of a new record → its name in this file."""


def read(path: str, written: str) -> Log:
    """The records of a file. Raises MalformedError with the line."""
    try:
        _check_depth(path, written)
        root = yaml.compose(written, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (1, None) if mark is None else (mark.line + 1, mark.column + 1)
        raise MalformedError(path, line, column, f"no YAML ({error.problem})") from None
    except yaml.reader.ReaderError as error:
        line = written.count("\n", 0, error.position) + 1
        raise MalformedError(path, line, None, "a character that YAML does not allow") from None
    return _Reading(path, written).log(root)


def _check_depth(path: str, written: str) -> None:
    """Refuse deep nesting, which would exhaust the parser's stack, and aliases, by which a short
    file can expand without end. Raises MalformedError; YAMLError for what is not YAML."""
    depth = 0
    for event in yaml.parse(written, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        mark = event.start_mark
        line = 1 if mark is None else mark.line + 1
        if depth > _DEEPEST:
            raise MalformedError(path, line, None, f"nested over {_DEEPEST} levels deep")
        if isinstance(event, yaml.AliasEvent):
            raise MalformedError(path, line, None, "an alias is not read; write it out")


class _Reading:
    def __init__(self, path: str, written: str) -> None:
        self._path = path
        self._written = written
        self._lines = written.split("\n")
        self._keep = False
        self._names: list[str] = []
        """Of the fields of all records, in their order."""

    def log(self, root: yaml.Node | None) -> Log:
        if root is not None:
            self._check(root)
        end = len(self._lines) - (self._lines[-1].strip() == "")
        place: _Place | None = _Place(end, 2, opens=True)
        found: list[Record] = []
        match root:
            case None:
                pass
            case yaml.SequenceNode():
                found = [self._record(item) for item in root.value]
                place = self._behind(root, 0)
            case yaml.MappingNode():
                fields = [(key.value, key, value) for key, value in root.value]
                self._keep = any(name in _KEEP and _is_true(value) for name, _, value in fields)
                for _, _, value in fields:
                    found += self._records(value)
                lists = {name: (key, value) for name, key, value in fields}
                chosen = next((name for name in _LISTS if name in lists), None)
                if chosen is not None:
                    key, value = lists[chosen]
                    place = self._behind(value, key.start_mark.column + 2, key)
                elif root.flow_style:
                    place = None
            case _ if root.tag == _NULL:
                pass
            case _:
                raise self._wrong(root, "a list of decisions is expected, or 'decisions:' and one")
        if _OTHER_BREAK.search(self._written):  # YAML counts other lines then
            place = None
        return Log(self._path, self._written, tuple(found), place, _style(self._names))

    def _wrong(self, node: yaml.Node, message: str) -> MalformedError:
        return MalformedError(self._path, node.start_mark.line + 1, None, message)

    def _check(self, node: yaml.Node) -> None:
        """Raise MalformedError for duplicate names, of which one value would be lost."""
        if isinstance(node, yaml.SequenceNode):
            for item in node.value:
                self._check(item)
        elif isinstance(node, yaml.MappingNode):
            names: set[str] = set()
            for key, value in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise self._wrong(key, "a name of a field is a text")
                if key.value in names:
                    raise self._wrong(key, f"the field {key.value!r:.80} stands here twice")
                names.add(key.value)
                self._check(value)

    def _records(self, node: yaml.Node) -> Iterator[Record]:
        """The records below a field of the file."""
        if isinstance(node, yaml.SequenceNode):
            yield from map(self._record, node.value)
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if not isinstance(value, yaml.MappingNode):
                    return  # settings of the file, not decisions keyed by id
                record = self._record(value)
                yield record._replace(
                    line=key.start_mark.line + 1, id=record.id or key.value[:_LONGEST],
                    whole=f"{key.value}\n{record.whole}",
                )  # fmt: skip

    def _record(self, node: yaml.Node) -> Record:
        line = node.start_mark.line + 1
        if not isinstance(node, yaml.MappingNode):
            text = _text_of(node)
            if is_blank(text):
                raise self._wrong(node, "a decision without a text")
            return Record(line, text, text, keep=self._keep)
        fields = [(key.value, value) for key, value in node.value]
        self._names += [name for name, _ in fields]
        aside = {name: _text_of(value) for name, value in fields if name in _ASIDE}
        day = _get(aside, _DATE)
        lines = []
        for name, value in fields:
            shown = _text_of(value)
            if name in _BARE:
                lines.append(shown)
            elif name not in _ASIDE or (name in _DATE and not _is_day(day)):
                lines.append(f"{name}: {shown}")
        text = "\n".join(each for each in lines if each.strip())
        if not text:
            raise self._wrong(node, "a decision without a text")
        return Record(
            line, text, "\n".join(f"{name}: {_text_of(value)}" for name, value in fields),
            _get(aside, _ID)[:_LONGEST], day if _is_day(day) else "", _get(aside, _BY)[:_LONGEST],
            _get(aside, _STATUS)[:_LONGEST],
            self._keep or any(name in _KEEP and _is_true(value) for name, value in fields),
            tuple(filter(None, (s.strip() for s in _get(aside, _SUPERSEDES).split("\n")))),
        )  # fmt: skip

    def _behind(self, node: yaml.Node, indent: int, key: yaml.Node | None = None) -> _Place | None:
        """The place after the last record of a list; None if none can be added there."""
        if key is not None and node.tag == _NULL and isinstance(node, yaml.ScalarNode):
            if node.value:  # "null" or "~", which would have to be removed
                return None
            return _Place(key.start_mark.line + 1, indent)
        if not isinstance(node, yaml.SequenceNode):
            return None
        if not node.flow_style:
            dash = node.start_mark.column
            return _Place(self._last_line(node, dash) + 1, dash)
        start, end = node.start_mark, node.end_mark
        if node.value or key is None or start.line != end.line or start.line != key.start_mark.line:
            return None
        return _Place(start.line + 1, indent, emptied=(start.line, start.column, end.column))

    def _last_line(self, node: yaml.Node, dash: int) -> int:
        """The last line of a block, with comments that are indented further than its dashes."""
        end = node.end_mark  # where the next token begins, on a line of its own
        last = min(end.line, len(self._lines)) - 1
        if last + 1 < len(self._lines) and len(self._lines[last + 1]) == end.column:
            last += 1  # the file ends without a line break
        while last:
            bare = self._lines[last].lstrip()
            if bare and (bare[0] != "#" or len(self._lines[last]) - len(bare) > dash):
                break
            last -= 1
        return last


def _text_of(node: yaml.Node) -> str:
    """A value as text: of lists and mappings a line for each entry."""
    if isinstance(node, yaml.SequenceNode):
        return "\n".join(map(_text_of, node.value))
    if isinstance(node, yaml.MappingNode):
        return "\n".join(f"{key.value}: {_text_of(value)}" for key, value in node.value)
    return "" if node.tag == _NULL else str(node.value).strip()


def _get(fields: dict[str, str], names: Sequence[str]) -> str:
    return next((fields[name].strip() for name in names if name in fields), "")


def _is_true(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value.strip().lower() in _TRUE


def _is_day(text: str) -> bool:
    if not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _style(names: Sequence[str]) -> dict[str, str]:
    """The names of fields that new records get: those of the last record that has them."""
    main = next((name for name in reversed(names) if name in _MAIN), "decision")
    way = int(not main.isascii())
    found = {"text": main}
    for field, spellings in (
        ("id", _ID), ("day", _DATE), ("by", _BY), ("supersedes", _SUPERSEDES),
    ):  # fmt: skip
        found[field] = next((n for n in reversed(names) if n in spellings), spellings[way])
    return found


# -- adding -----------------------------------------------------------------------------------


def add(log: Log, new: Sequence[New]) -> str:
    """The file's text with new records, in their order, after the others; else unchanged. Raises
    MalformedError if nothing can be added without changing other lines."""
    if log.place is None:
        raise MalformedError(
            log.path, 1, None,
            "its list of decisions is not written as a block, a dash and a record; no record can "
            "be added to it without laying it out anew",
        )  # fmt: skip
    end = "\r\n" if "\r\n" in log.written else "\n"
    lines = log.written.split("\n")
    place, added = log.place, []
    if place.opens:
        added.append("decisions:")
    numbers = _numbers(log.records)
    ids = {record.text: record.id for record in log.records}
    for each in new:
        number = next(numbers)
        ids[each.text] = number
        replaced = ids.get(each.supersedes) or each.supersedes
        fields = {
            "id": number, "day": each.day, "text": each.text, "by": each.by, "supersedes": replaced,
        }  # fmt: skip
        lead = " " * place.indent + "- "
        for field, value in fields.items():
            if value:
                bare = field == "day" or (value == number or value in ids.values())
                shown = value if bare and _BARE_ID.fullmatch(value) else plain(value)
                added.append(f"{lead}{log.style[field]}: {shown}")
                lead = " " * (place.indent + 2)
    if end == "\r\n":
        added = [line + "\r" for line in added]
    if place.emptied is not None:
        at, begin, stop = place.emptied
        lines[at] = (lines[at][:begin].rstrip() + lines[at][stop:]).rstrip(" ")
    before, after = lines[: place.line], lines[place.line :]
    if not after:
        after = [""]
        if end == "\r\n" and before and before[-1].strip():  # the last line had no end
            before[-1] += "\r"
    made = "\n".join((*before, *added, *after))
    _check_added(log, read(log.path, made), new)
    return made


def _check_added(old: Log, made: Log, new: Sequence[New]) -> None:
    """Raise MalformedError unless the new file has exactly the old and the new records."""
    known = [record.whole for record in old.records]
    left = [record.whole for record in made.records]
    texts = [each.text.strip() for each in new]
    for at in range(len(known) + 1):
        there = made.records[at : at + len(new)]
        if left[:at] + left[at + len(new) :] == known and [r.text for r in there] == texts:
            return
    raise MalformedError(
        old.path, 1, None, "no record can be added to it without changing others; add it by hand"
    )


def _numbers(records: Sequence[Record]) -> Iterator[str]:
    """Ids that continue those of a file: D007, D008; only "" if it does not number all records."""
    found = [match for record in records if (match := _NUMBERED.fullmatch(record.id))]
    if len(found) < len(records) or len({match[1] for match in found}) > 1:
        yield from repeat("")
    prefix = found[0][1] if found else "D"
    numbers = [match[2] for match in found] or ["000"]
    width = max(map(len, numbers)) if any(number[0] == "0" for number in numbers) else 1
    for number in count(max(map(int, numbers)) + 1):
        yield f"{prefix}{number:0{width}}"


def plain(text: str) -> str:
    """A text as a YAML scalar on one line, quoted if needed."""
    shown = _dumped(text, None)
    return shown if len(shown.splitlines()) < 2 else _dumped(text, '"')


def _dumped(text: str, style: str | None) -> str:
    dumped = yaml.safe_dump(text, default_style=style, allow_unicode=True, width=math.inf)
    return str(dumped).removesuffix("\n...\n").removesuffix("\n")
