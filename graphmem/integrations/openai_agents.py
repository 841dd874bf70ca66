"""A session of the OpenAI Agents SDK on a memory: `GraphmemSession`. It needs the extra
`openai-agents`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from graphmem.api.verbs import Verbs
from graphmem.errors import InvalidArgumentError, VersionConflictError
from graphmem.integrations.taken import awaited, checked_memory, needs
from graphmem.sharing.content import check_name
from graphmem.values.checks import is_blank
from graphmem.values.items import Item
from graphmem.values.where import Where

with needs("openai-agents"):
    from agents.memory import SessionSettings
    from agents.memory.session import SessionABC
    from agents.memory.session_settings import coerce_session_settings, resolve_session_limit


_PREFIX: Final = "openai-agents:"
_LONGEST_ID: Final = 400  # characters
_DIGITS: Final = 16  # of a key, so that keys stand in the order of the items
_PAGE: Final = 16  # items of the history that are read at once
_NODES: Final = "nodes"  # of an item's metadata: the ids of the memories that were made of it
_ROLES: Final = frozenset({"user", "assistant"})


class GraphmemSession(SessionABC):
    """The history of a conversation, and the memories that are made of its turns.

        session = GraphmemSession(memory, "wen-1")
        result = await Runner.run(agent, "When is the release?", session=session)

    memory: from `graphmem.open`, `graphmem.attach` or `graphmem.reach`.
    session_id: 1–400 characters; any number of programs may use the same.
    session_settings: as for the SDK's own sessions; `limit` is how many items a run reads.
    remember: make a memory of what the user and the assistant say in words. It then fades like any
        other, and `recall` finds it, in other conversations too. Its session is `.name`.

    Each item of the history is an item of `memory.items`, and the items of one call are written all
    or none. `pop_item` and `clear_session` also erase the memories that were made of what they
    remove, and `clear_session` all others of the session `.name`, such as corrections: nothing of
    the text of either is left in the files. Methods raise what `memory.items` and `remember` raise,
    these two also what `admin.compact` raises.
    """

    def __init__(
        self,
        memory: Verbs,
        session_id: str,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
        remember: bool = True,
    ) -> None:
        self.session_id = check_name("session_id", session_id, _LONGEST_ID)
        if is_blank(session_id):
            raise InvalidArgumentError("session_id is blank; name the conversation")
        self.session_settings = (
            SessionSettings()
            if session_settings is None
            else coerce_session_settings(session_settings)
        )
        self.name = _PREFIX + session_id
        """The session of the memories, and the namespace of the items."""
        self._memory = checked_memory(memory)
        self._remember = remember

    @awaited
    def get_items(self, limit: int | None = None) -> list[Any]:
        """The items of the history in their order; with a limit the last ones.

        limit: None takes that of the settings; one below 0 is none.
        """
        most = resolve_session_limit(limit, self.session_settings)
        if most is not None and most < 0:
            most = None
        found = self._memory.items.list(self.name, reverse=True, limit=most)
        return [item.value for item in reversed(found)]

    @awaited
    def add_items(self, items: list[Any]) -> None:
        """Add items to the end of the history, and remember what was said in them."""
        made = [self._remembered(item) for item in items]
        while items:
            last = self._last()
            first = 0 if last is None else int(last.key) + 1
            entries = [
                {
                    "namespace": self.name,
                    "key": f"{first + place:0{_DIGITS}}",
                    "value": item,
                    "expected": 0,
                    "metadata": {_NODES: nodes},
                }
                for place, (item, nodes) in enumerate(zip(items, made, strict=True))
            ]
            try:
                self._memory.items.put_many(entries)
            except VersionConflictError:
                continue  # somebody else added to the same session
            return

    def _remembered(self, item: Any) -> list[int]:
        """Make a memory of a turn; returns the ids of its nodes."""
        if not (self._remember and isinstance(item, Mapping) and item.get("role") in _ROLES):
            return []
        text = "\n".join(_texts(item.get("content")))
        if is_blank(text):
            return []
        nodes = self._memory.remember(text, speaker=str(item["role"]), session=self.name)
        return [node.id for node in nodes]

    @awaited
    def pop_item(self) -> Any | None:
        """Remove the last item, erase the memories that were made of it alone, and return it."""
        while (last := self._last()) is not None:
            # The memories first: until they are gone the item says which they are.
            if made := self._made_of_it_alone(last):
                self._memory.forget(sorted(made), erase=True)
            try:
                gone = self._memory.items.delete(self.name, last.key, expected=last.version)
            except VersionConflictError:
                continue  # somebody else removed it
            if gone:
                self._memory.admin.compact()
                return last.value
        return None

    @awaited
    def clear_session(self) -> None:
        """Remove all items, and erase the memories that were made of them."""
        items = self._memory.items.list(self.name)
        made = {node for item in items for node in item.metadata.get(_NODES, ())}
        # The memories first: after an error, the remaining items still name those that are left.
        made |= {node.id for node in self._memory.nodes(where=Where(session=self.name))}
        self._memory.forget(sorted(made), erase=True)
        self._memory.items.put_many([], delete=[(self.name, item.key) for item in items])
        self._memory.admin.compact()

    def _made_of_it_alone(self, last: Item) -> set[int]:
        """The memories of the last item that no other item has. Items share memories only if the
        same text was repeated in a row, so the first text before it ends the search."""
        made, start = set(last.metadata.get(_NODES, ())), 0
        while made and (
            found := self._memory.items.list(self.name, reverse=True, limit=_PAGE, offset=start)
        ):
            for item in found:
                if item.key != last.key and (nodes := item.metadata.get(_NODES)):
                    made.difference_update(nodes)
                    if item.key < last.key:
                        return made
            start += _PAGE
        return made

    def _last(self) -> Item | None:
        return next(iter(self._memory.items.list(self.name, reverse=True, limit=1)), None)


def _texts(content: object) -> Iterator[str]:
    """The texts of a message, whose content is a text or a list of parts, some with a text."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, Mapping) and isinstance(part.get("text"), str):
                yield part["text"]
