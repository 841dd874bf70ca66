"""Files: remembered files, and the sync of a project's folder; `memory.files`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import date

from graphmem.api.nouns import Noun, require_no_block
from graphmem.declaring import refuses, verb
from graphmem.values.checks import check_moment
from graphmem.values.reports import FileReport, SyncReport


@refuses(require_no_block)
class Files(Noun):
    """The files that are remembered, by chunks."""

    @verb(writes=True, idempotent=True, command="add")
    def add(
        self,
        path: str | os.PathLike[str],
        *,
        session: str | None = None,
        happened: date | str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> FileReport:
        """Remember a text or Markdown file, in chunks of about 400 tokens, each a node.

        A chunk begins with up to 80 tokens of the chunk before it. Sentences, headings, lists and
        code blocks of up to 2,000 characters are never cut. A known file that has not changed is
        not read again. If it has changed, new chunks are remembered, and chunks that it no longer
        contains are forgotten into the archive. If it has become empty, it is forgotten as by
        `remove`.

        path: a UTF-8 file of any size; it is read twice, about 1 MB at a time. Symbolic links are
            followed.
        session: None means the file's real path. happened: as in `remember`. Both apply to new
            chunks only.
        progress: called with the number of bytes read and the size of the file.

        Raises UnreadableFileError; InvalidTextError if the file is binary, not UTF-8 or, unless it
        is known, empty; and like `remember`. If it raises, nothing has changed.
        """
        check_moment("happened", happened, self._now.tzinfo)
        return self._opened.files.read(path, session=session, happened=happened, progress=progress)

    @verb(writes=True, command="remove")
    def remove(self, path: str | os.PathLike[str]) -> FileReport:
        """Forget all chunks of a file, into the archive. The file itself need not exist any more.

        Raises InvalidArgumentError if no file of this path was remembered.
        """
        return self._opened.files.forget(path)

    @verb(writes=True, idempotent=True, command="sync")
    def sync(
        self, folder: str | os.PathLike[str], *, write: bool = False, keep: Iterable[str] = ()
    ) -> SyncReport:
        """Bring this scope in line with a project's folder. Reads those of projectbrief.md,
        productContext.md, techContext.md, systemPatterns.md, activeContext.md, progress.md and
        decisions.yaml that exist.

        What is new in a file is remembered, in the realm project; what is no longer in it is
        forgotten into the archive. Markdown is cut as by `files.add`; each record of
        decisions.yaml is one node. All files are read and checked before anything
        changes. Where nothing has changed, nothing is written. See docs/files.md.

        write: add each explicit decision of the project to decisions.yaml as a record. No other
            line changes. A decision from which a secret was cut is not written. If somebody changed
            the file since it was read, it is read again first.
        keep: names of files whose nodes are pinned and kept as by `keep=True`. In a file,
            `<!-- keep -->` (Markdown) and `keep: true` (YAML) mark a part of it.

        Raises UnreadableFileError for a folder or file that cannot be read or written, and for a
        link that leads out of the folder; MalformedError, with the line, for invalid YAML;
        InvalidTextError for a file that is not text; SecretError if `guard` is "refuse";
        PinLimitError; InvalidArgumentError for a folder with none of the files.
        """
        from graphmem.exchange.project import Project  # which loads a YAML parser

        opened = self._opened
        project = Project(opened.files, opened.guard, opened.ground, opened.changing)
        return project.sync(folder, write=write, keep=keep)

    @verb(command="list")
    def list(self) -> list[str]:
        """The real paths of the files that are remembered."""
        return self._opened.files.paths()
