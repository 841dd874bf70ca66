"""Writing: drafts what a user wants remembered, checks it against the limits, and writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, timedelta
from typing import Any, Final

from graphmem.errors import (
    ArgumentTypeError,
    CapacityError,
    GraphMemError,
    InvalidArgumentError,
    PinLimitError,
)
from graphmem.graph import pins
from graphmem.graph.ground import Ground
from graphmem.graph.records import Span
from graphmem.hexastore.transaction import Together
from graphmem.remembering import drafts, sessions
from graphmem.remembering.drafts import Draft
from graphmem.remembering.guarding import Guard, check_allowed
from graphmem.remembering.intake import BATCH_SEGMENTS, Intake
from graphmem.remembering.messages import read_messages
from graphmem.values.about import About
from graphmem.values.checks import (
    check_expiry,
    check_field,
    check_function,
    check_moment,
    check_share,
    check_switch,
)
from graphmem.values.moments import micros
from graphmem.values.remembered import Remembered, Secret
from graphmem_worker.text.sentences import LONGEST_SENTENCE

_ABOUT: Final = tuple(field.name for field in fields(About) if field.name != "route")


@dataclass(frozen=True, slots=True)
class Request:
    """What a user wants remembered: the arguments of `Memory.remember`, not yet checked."""

    text: str | None = None
    speaker: str | None = None
    session: str | None = None
    happened: date | str | None = None
    metadata: Mapping[str, Any] | None = None
    expires: date | str | float | timedelta | None = None
    pin: bool = False
    about: About = About()

    @classmethod
    def of(cls, given: Any) -> Request:
        """From a text, or a mapping of the arguments with those of `about` among them. Raises
        InvalidArgumentError for an unknown one."""
        if not isinstance(given, Mapping):
            return cls(given)
        if unknown := sorted(map(str, given.keys() - _GIVEN)):
            raise InvalidArgumentError(
                f"unknown key {unknown[0]!r:.80}; a text has: {', '.join(_GIVEN)}"
            )
        about = About(**{name: given[name] for name in _ABOUT if name in given})
        return cls(**{name: given[name] for name in given if name not in _ABOUT}, about=about)


_GIVEN: Final = (*[field.name for field in fields(Request) if field.name != "about"], *_ABOUT)


@dataclass(frozen=True, slots=True)
class Writing:
    """Writes the texts of one scope."""

    ground: Ground
    intake: Intake
    guard: Guard
    rarity: Callable[[str], float]
    undo_unfinished: Callable[[], None]
    """Removes what a failed write left."""
    after_write: Callable[[], None]
    """Called after each write, without the writer's lock."""
    expire: Callable[[], object]
    """Forgets what has expired."""
    turn: Callable[[str, int, int], None]
    """Called for each text of a session: (session, first node, microseconds since 1970)."""

    def draft(
        self,
        request: Request,
        *,
        stated: int | None = None,
        since: datetime | None = None,
        kinds: Iterable[str] = (),
        limit: int | None = None,
        lasting: bool = False,
    ) -> Draft:
        """Check a text and cut it into segments of about `limit` characters.

        stated: its kind, packed; None: that of the request. since: when it began to hold; None:
        when it happened. kinds: of secrets that were cut out before. limit: None: the setting
        `segment`. lasting: it does not expire with its session.

        Raises SecretError, InvalidTextError, InvalidArgumentError, ArgumentTypeError;
        CapacityError for more segments than `max_nodes`.
        """
        about = request.about
        allowed = check_allowed(about.allow)
        cut: list[Secret] = []

        def cleaned(given: str, where: str) -> str:
            clean, found = self.guard.cut(given, where, allowed)
            cut.extend(found)
            return clean

        text = cleaned(drafts.check_text(request.text, self.ground.settings.max_text), "text")
        if stated is None:
            stated = drafts.check_kind(about.kind, about.confidence, about.keep).pack()
        metadata = []
        for name, value in drafts.check_metadata(request.metadata):
            clean, found = self.guard.field(name, value, "metadata", allowed)
            cut.extend(found)
            metadata.append((cleaned(name, "metadata"), clean))
        speaker = check_field("speaker", request.speaker)
        words = [cleaned(word, "keyword") for word in drafts.check_keywords(about.keywords)]
        now = self.ground.clock()
        until = check_expiry(request.expires, now)
        drafted = drafts.draft(
            text,
            limit=limit or self.ground.settings.segment,
            created=now,
            rarity=self.rarity,
            speaker=None if speaker is None else cleaned(speaker, "speaker"),
            happened=check_moment("happened", request.happened, now.tzinfo),
            session=check_field("session", request.session),
            keywords=tuple(dict.fromkeys(words)),
            pin=check_switch("pin", request.pin),
            cut=tuple(cut),
            kinds=kinds,
            span=Span(
                None if since is None else micros(since),
                until,
                stated,
                check_switch("shared", about.shared),
                check_share("importance", about.importance),
            ),
            metadata=tuple(metadata),
        )
        most = self.ground.settings.max_nodes
        if most is not None and len(drafted.segments) > most:
            raise CapacityError(
                f"the text has {len(drafted.segments)} segments, more than max_nodes = {most}; "
                "split it over time, or raise the setting"
            )
        is_passing = not lasting and self.ground.settings.ephemera == "expire"
        return sessions.passing(drafted, micros(now)) if is_passing else drafted

    def correction(self, node: int, request: Request, stated: int, since: datetime | None) -> Draft:
        """The draft of a text that replaces a node; see `draft`."""
        drafted = self.draft(request, stated=stated, since=since, lasting=True)
        if len(drafted.segments) > BATCH_SEGMENTS:
            raise InvalidArgumentError(
                f"a correction has at most {BATCH_SEGMENTS} segments, this one has "
                f"{len(drafted.segments)}; forget({node}) and remember the new text instead"
            )
        return drafted

    def chunk(self, request: Request, kinds: Iterable[str]) -> Draft:
        """The draft of a chunk of a file, which is one node."""
        return self.draft(request, kinds=kinds, limit=LONGEST_SENTENCE, lasting=True)

    def write(self, drafted: Sequence[Draft]) -> list[Remembered]:
        """Write drafts, in one batch or under an intent; returns the nodes of each.

        A draft without segments is skipped. Raises PinLimitError, CapacityError, StorageError;
        nothing is written then.
        """
        if self.ground.settings.ephemera == "refuse":
            drafted = [*sessions.lasting(drafted, self.ground.view())]
        ready = [draft for draft in drafted if draft.segments]
        now = self.ground.now()
        with self.ground.store.writing, self.ground.store.whole():
            pinned = sum(len(draft.segments) for draft in ready if draft.pin)
            if pinned:
                pins.check(self.ground.scope.state.pinned + pinned, self.ground.settings.max_nodes)
            self.expire()
            try:
                written = self.intake.write(ready, now)
            except BaseException:
                if self.ground.scope.state.intents:
                    with suppress(GraphMemError):  # a broken store undoes it when opened again
                        self.undo_unfinished()
                raise
            if self.ground.settings.ephemera == "expire":
                for made in written:
                    if made[0].session is not None:
                        self.turn(made[0].session, made[0].id, now)
        self.ground.store.when_committed(self.after_write)
        nodes = iter(written)
        return [
            Remembered(tuple(next(nodes)) if d.segments else (), d.cut, refused=not d.segments)
            for d in drafted
        ]

    def write_messages(self, messages: object, common: Request) -> Remembered:
        """Write the texts of chat messages in one commit; common: arguments for each of them.

        Raises as `read_messages`, `draft` and `write` do, InvalidArgumentError for an argument that
        the messages hold themselves, and CapacityError from 64 MiB on; nothing is written then.
        """
        own = common.text, common.speaker, common.happened, common.expires
        if own != (None,) * 4 or common.pin or common.about.keywords or common.about.allow:
            raise InvalidArgumentError(
                "messages say text, speaker and date themselves: give session, kind, confidence, "
                "keep, metadata, shared and importance alone beside them"
            )
        found = read_messages(messages, check_field("session", common.session))
        ready = [self.draft(replace(common, **item)) for item in found]
        store = self.ground.store
        with store.whole() if store.block else Together(store, None):
            results = self.write(ready) if ready else []
        return Remembered(
            tuple(node for written in results for node in written),
            tuple(secret for written in results for secret in written.cut),
            refused=bool(results) and all(written.refused for written in results),
        )

    def write_many(self, texts: object, progress: Callable[[int], None] | None) -> list[Remembered]:
        """Draft and write texts as they come, several in a batch; see `Memory.remember_many`."""
        if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
            raise ArgumentTypeError(
                f"texts is a list of str or mappings, got one {type(texts).__name__}; "
                "use remember() for a single text"
            )
        check_function("progress", progress)
        written: list[Remembered] = []
        waiting: list[Draft] = []

        def write() -> None:
            # Emptied first, so that `finally` does not retry what failed.
            ready, waiting[:] = waiting[:], []
            try:
                written.extend(self.write(ready))
            except (CapacityError, PinLimitError):
                if len(ready) == 1:
                    raise
                for draft in ready:  # nothing was written of the batch: write up to the refused one
                    written.extend(self.write([draft]))
            if progress is not None:
                progress(len(written))

        with self.ground.store.whole():
            try:
                for item in texts:
                    draft = self.draft(Request.of(item))
                    together = sum(len(other.segments) for other in (*waiting, draft))
                    if waiting and together > BATCH_SEGMENTS:
                        write()
                    waiting.append(draft)
            finally:
                if waiting:
                    write()
        return written
