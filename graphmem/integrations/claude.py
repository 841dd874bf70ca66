"""Claude's memory tool (`memory_20250818`) on `memory.items`: `MemoryTool`. It needs no extra."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

from graphmem.api.verbs import Verbs
from graphmem.errors import GraphMemError, InvalidArgumentError, VersionConflictError
from graphmem.integrations.taken import checked_memory, checked_name
from graphmem.sharing.content import LONGEST_KEY
from graphmem.values.checks import is_blank
from graphmem.values.items import Item

_ROOT: Final = "/memories"
_PREFIX: Final = "claude:"
_LONGEST: Final = len(f"{_ROOT}/") + LONGEST_KEY - 1  # of a path; a folder ends with a slash
_MOST_LINES: Final = 999_999
_MOST_VIEWED: Final = 16_000
"""Characters of a file or list in an answer: a model reads all of it, and pays for it."""
_MOST_QUOTED: Final = 1_000  # characters of `old_str` in an error
_MOST_NAMED: Final = 20  # lines that an error lists
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_AROUND: Final = 2  # lines shown before and after a change
_DEEP: Final = 2  # levels of folders that a view lists
_KILO: Final = 1024


class MemoryTool:
    """The files of Claude's memory tool in a memory: one item for each.

        tool = MemoryTool(memory)
        answer = client.beta.messages.create(tools=[MemoryTool.DECLARED], …)
        results = [tool.answer(b.model_dump()) for b in answer.content if b.type == "tool_use"]

    memory: from `graphmem.open`, `graphmem.attach` or `graphmem.reach`, of any scope.
    recall: let `memory.recall` find the text of the files too. They are then memories, of at
        most 64 segments.
    name: 1–100 characters without a colon; tools of one scope with different names have different
        files.

    Paths are names, not files of the disk: they begin with /memories and have no "..". A folder
    exists while a file is in it. Any number of programs may use the same files; an edit of a file
    that has changed since it was read is refused.
    """

    DECLARED: Final[Mapping[str, str]] = {"type": "memory_20250818", "name": "memory"}
    """The tool's entry for `tools=` of a request."""

    def __init__(self, memory: Verbs, *, recall: bool = False, name: str = "") -> None:
        self._items = checked_memory(memory).items
        self._recall = recall
        self._space = f"{_PREFIX}{checked_name(name)}"

    def answer(self, block: Mapping[str, Any]) -> dict[str, Any]:
        """Run a block `tool_use` of a message; returns the block `tool_result` for the next one.

        If the model made a mistake or the memory refused, that is its content, with `is_error`.
        Raises InvalidArgumentError for any other block.
        """
        if not (
            isinstance(block, Mapping) and "id" in block and isinstance(block.get("input"), Mapping)
        ):
            raise InvalidArgumentError(
                f"answer takes a block tool_use, which has id and input; got {block!r:.200}"
            )
        result = {"type": "tool_result", "tool_use_id": block["id"]}
        try:
            return {**result, "content": self.call(block["input"])}
        except GraphMemError as error:
            return {**result, "content": str(error), "is_error": True}

    def call(self, given: Mapping[str, Any]) -> str:
        """Run a command: the `input` of a block; returns the answer for Claude.

        Raises InvalidArgumentError with the text that the tool's documentation gives for a mistake,
        and what `memory.items` raises.
        """
        match dict(given):
            case {"command": "view", "path": str(path), **more}:
                return self._view(path, more.get("view_range"))
            case {"command": "create", "path": str(path), "file_text": str(text)}:
                return self._create(path, text)
            case {"command": "str_replace", "path": str(path), "old_str": str(old), **more} if (
                isinstance(new := more.get("new_str") or "", str)
            ):
                return self._replace(path, old, new)
            case {
                "command": "insert",
                "path": str(path),
                "insert_line": int(line),
                "insert_text": str(text),
            } if type(line) is int:
                return self._insert(path, line, text)
            case {"command": "delete", "path": str(path)}:
                return self._delete(path)
            case {"command": "rename", "old_path": str(old), "new_path": str(new)}:
                return self._rename(old, new)
        raise InvalidArgumentError(
            "Error: a command is view (path, view_range), create (path, file_text), str_replace "
            "(path, old_str, new_str), insert (path, insert_line, insert_text), delete (path) or "
            f"rename (old_path, new_path); got {dict(given)!r:.200}"
        )

    # -- commands ---------------------------------------------------------------------------------

    def _view(self, path: str, view_range: object) -> str:
        key = _key(path)
        if (item := self._file(key)) is None:
            return self._listed(path, key, view_range)
        lines = item.value.split("\n")
        if len(lines) > _MOST_LINES:
            raise InvalidArgumentError(f"File {path} exceeds maximum line limit of 999,999 lines.")
        first, last = _range(view_range, len(lines))
        return f"Here's the content of {path} with line numbers:\n{_page(lines, first, last)}"

    def _listed(self, path: str, key: str, view_range: object) -> str:
        sizes = {"": 0}
        start = f"{key}/" if key else ""
        for item in self._items.list(self._space, start):
            parts = item.key[len(start) :].split("/")
            if any(part.startswith(".") or part == "node_modules" for part in parts):
                continue
            size = len(item.value.encode())
            sizes[""] += size
            for deep in range(1, min(len(parts), _DEEP) + 1):
                name = "/".join(parts[:deep]) + ("/" if deep < len(parts) else "")
                sizes[name] = sizes.get(name, 0) + size
        if key and len(sizes) == 1:
            raise InvalidArgumentError(
                f"The path {path} does not exist. Please provide a valid path."
            )
        shown = path.rstrip("/")
        rows = [
            f"{_size(size)}\t{shown}{'/' if name else ''}{name}" for name, size in sizes.items()
        ]
        first, last = _range(view_range, len(rows))
        fit = _fitting(rows, first - 1, last)
        if fit < last:
            rows[fit:] = [
                f"(Truncated: {last - fit:,} more are not listed; view_range [{fit + 1}, {last}] "
                "goes on.)"
            ]
            last = fit + 1
        return (
            f"Here're the files and directories up to {_DEEP} levels deep in {shown}, excluding "
            "hidden items and node_modules:\n" + "\n".join(rows[first - 1 : last])
        )

    def _create(self, path: str, text: str) -> str:
        key = _key(path)
        if not key or self._is_folder(key):
            raise InvalidArgumentError(f"Error: File {path} already exists")
        self._check_parents(key)
        try:
            _, cut = self._put(key, text, 0)
        except VersionConflictError:
            raise InvalidArgumentError(f"Error: File {path} already exists") from None
        return f"File created successfully at: {path}{cut}"

    def _replace(self, path: str, old: str, new: str) -> str:
        item = self._required(path, "Please provide a valid path.")
        text: str = item.value
        places = [found.start() for found in re.finditer(f"(?={re.escape(old)})", text)]
        if not old or not places:
            raise InvalidArgumentError(
                f"No replacement was performed, old_str `{_quoted(old)}` did not appear verbatim in"
                f" {path}."
            )
        if len(places) > 1:
            lines = [str(text.count("\n", 0, place) + 1) for place in places[:_MOST_NAMED]]
            if len(places) > _MOST_NAMED:
                lines.append(f"and {len(places) - _MOST_NAMED:,} more")
            raise InvalidArgumentError(
                "No replacement was performed. Multiple occurrences of old_str "
                f"`{_quoted(old)}` in lines: {', '.join(lines)}. Please ensure it is unique"
            )
        stored, cut = self._put(item.key, text.replace(old, new), item.version)
        stored_lines = stored.split("\n")
        first = text.count("\n", 0, places[0]) + 1
        last = min(len(stored_lines), first + new.count("\n") + _AROUND)
        snippet = _page(stored_lines, max(1, first - _AROUND), last)
        return f"The memory file has been edited.{cut}\n{snippet}"

    def _insert(self, path: str, line: int, text: str) -> str:
        item = self._required(path)
        lines = item.value.removesuffix("\n").split("\n") if item.value else []
        if not 0 <= line <= len(lines):
            raise InvalidArgumentError(
                f"Error: Invalid `insert_line` parameter: {line}. It should be within the range of "
                f"lines of the file: [0, {len(lines)}]"
            )
        lines.insert(line, text.removesuffix("\n"))
        _, cut = self._put(item.key, "\n".join(lines) + "\n", item.version)
        return f"The file {path} has been edited.{cut}"

    def _delete(self, path: str) -> str:
        key = _key(path)
        if not key:
            raise InvalidArgumentError(f"Error: {_ROOT} itself cannot be deleted")
        self._items.put_many([], delete=self._gone(self._all(path, key)))
        return f"Successfully deleted {path}"

    def _rename(self, old_path: str, new_path: str) -> str:
        old, new = _key(old_path), _key(new_path)
        if not old:
            raise InvalidArgumentError(f"Error: {_ROOT} itself cannot be renamed")
        moved = self._all(old_path, old)
        if not new or self._file(new) is not None or self._is_folder(new):
            raise InvalidArgumentError(f"Error: The destination {new_path} already exists")
        if new.startswith(f"{old}/"):
            raise InvalidArgumentError(f"Error: {old_path} cannot be moved into itself")
        self._check_parents(new)
        self._items.put_many(
            [self._entry(new + item.key[len(old) :], item.value, 0) for item in moved],
            delete=self._gone(moved),
        )
        return f"Successfully renamed {old_path} to {new_path}"

    # -- files ------------------------------------------------------------------------------------

    def _file(self, key: str) -> Item | None:
        return self._items.get(self._space, key) if key else None

    def _is_folder(self, key: str) -> bool:
        return bool(self._items.list(self._space, f"{key}/", limit=1))

    def _required(self, path: str, advice: str = "") -> Item:
        if (item := self._file(_key(path))) is None:
            reason = f"Error: The path {path} does not exist"
            raise InvalidArgumentError(f"{reason}. {advice}" if advice else reason)
        return item

    def _all(self, path: str, key: str) -> Sequence[Item]:
        """A file, or all files of a folder."""
        item = self._file(key)
        found = [item] if item is not None else self._items.list(self._space, f"{key}/")
        if not found:
            raise InvalidArgumentError(f"Error: The path {path} does not exist")
        return found

    def _check_parents(self, key: str) -> None:
        parts = key.split("/")
        for deep in range(1, len(parts)):
            if self._file(above := "/".join(parts[:deep])) is not None:
                raise InvalidArgumentError(f"Error: {_ROOT}/{above} is a file, not a directory")

    def _put(self, key: str, text: str, version: int) -> tuple[str, str]:
        """Write a file that has this version; returns what is stored, and a note for Claude if the
        memory has cut a secret out of it, else ""."""
        (item,) = self._items.put_many([self._entry(key, text, version)])
        cut = "" if item.value == text else " Secrets were cut out of it: do not store them."
        return item.value, cut

    def _gone(self, files: Sequence[Item]) -> list[tuple[str, str, int]]:
        """Files to delete, if they are still as they were read."""
        return [(self._space, file.key, file.version) for file in files]

    def _entry(self, key: str, text: str, version: int) -> dict[str, Any]:
        return {
            "namespace": self._space, "key": key, "value": text, "expected": version,
            "recall": self._recall and not is_blank(text),
        }  # fmt: skip


def _key(path: str) -> str:
    """The key of a path below /memories; "" for that folder. Raises InvalidArgumentError."""
    root, *parts = path.removeprefix("/").removesuffix("/").split("/")
    if not path.startswith("/") or f"/{root}" != _ROOT:
        raise InvalidArgumentError(f"Error: Path must start with {_ROOT}, got: {path}")
    if _CONTROL.search(path):
        raise InvalidArgumentError(f"Error: Path {path!r} has a control character")
    if "" in parts:
        raise InvalidArgumentError(f"Error: Path {path} has an empty name between two slashes")
    if parts and not {"", ".", ".."}.isdisjoint(re.split(r"[/\\]", unquote("/".join(parts)))):
        raise InvalidArgumentError(f"Error: Path {path} would escape {_ROOT} directory")
    if len(path) > _LONGEST:
        raise InvalidArgumentError(
            f"Error: Path {path[:80]}… has {len(path):,} characters, more than {_LONGEST:,}"
        )
    return "/".join(parts)


def _range(given: object, count: int) -> tuple[int, int]:
    match given:
        case None:
            return 1, count
        case [int(first), int(last)] if (
            type(first) is type(last) is int
            and 1 <= first <= count
            and (last == -1 or last >= first)
        ):
            return first, count if last == -1 else min(last, count)
    raise InvalidArgumentError(
        f"Error: Invalid `view_range` parameter: {given!r:.80}. It should be two lines,"
        f" within [1, {count}], the second -1 for its end"
    )


def _quoted(text: str) -> str:
    return text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}…"


def _numbered(lines: Sequence[str], first: int, last: int) -> str:
    return "\n".join(
        f"{number:6}\t{line}" for number, line in enumerate(lines[first - 1 : last], first)
    )


def _fitting(lines: Sequence[str], first: int, last: int) -> int:
    """The end of the lines from `first` on that together have up to `_MOST_VIEWED` characters."""
    left = _MOST_VIEWED
    while first < last and len(lines[first]) < left:
        left -= len(lines[first]) + 1
        first += 1
    return first


def _page(lines: Sequence[str], first: int, last: int) -> str:
    """Lines of a file as a view returns them, up to `_MOST_VIEWED` characters; a last line says
    what is left out."""
    shown = _fitting(lines, first - 1, last)
    if shown == last:
        return _numbered(lines, first, last)
    if shown < first:
        long = lines[shown]
        rest = f", view_range [{first + 1}, {last}] has the next lines" if first < last else ""
        return (
            f"{first:6}\t{long[:_MOST_VIEWED]}\n"
            f"(Truncated: line {first} has {len(long):,} characters, of which a view returns the "
            f"first {_MOST_VIEWED:,}; keep lines short{rest}.)"
        )
    return (
        f"{_numbered(lines, first, shown)}\n"
        f"(Truncated: a view returns {_MOST_VIEWED:,} characters. Lines {first} to {shown} of "
        f"{len(lines):,} are above; view_range [{shown + 1}, {last}] goes on.)"
    )


def _size(count: int) -> str:
    if count < _KILO:
        return f"{count}B"
    return f"{count / _KILO:.1f}K" if count < _KILO**2 else f"{count / _KILO**2:.1f}M"
