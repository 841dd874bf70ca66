"""Texts that say nothing: no content word, or nothing but listed replies, statuses and test data.

Length decides nothing: 我对花生过敏 has six characters. A text is trivial if each of its pieces,
between marks of punctuation, is; what protects or binds somebody never is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import protects
from graphmem_worker.text.salience import is_pleasantry, is_question
from graphmem_worker.text.salience import parts as reasons
from graphmem_worker.text.words import holds_word

Trivial = Literal["no content word", "a reply", "a status", "test data"]

_PIECES: Final = late(r"[.,!?;:…~。，！？；：、\n\r]+(?:\s|$)|[。，！？；：、…~!\n\r]+")
_LONGEST: Final = 80  # characters of a piece that can be listed

_WHY: Final[tuple[Trivial, ...]] = ("a reply", "a status", "test data")
_SAID: Final = late(r"\w")


def trivial(text: str) -> Trivial | None:
    """Why a text says nothing, by its first piece; None if it says something.

    A piece without a content word has only stop words, function characters and signs.
    """
    found: Trivial | None = None
    for piece in _PIECES.split(text):
        bare = piece.strip(" \t\"'“”‘’()（）[]*_-–—>#.,!?;:。，！？")
        if not _SAID.search(bare):
            found = found or "no content word"
            continue
        why = _listed(bare)
        if why is None:
            return None
        found = why if found in (None, "no content word") else found
    if found == "no content word" and protects(text) is not None:
        return None
    return found  # what is listed protects nobody, whatever date stands in it


def _listed(piece: str) -> Trivial | None:
    if len(piece) <= _LONGEST:
        said = folded(piece)
        if sayings("trivial").is_whole(said):
            return next(why for why in _WHY if sayings("trivial", why).is_whole(said))
    return None if holds_word(piece) else "no content word"


# --- replies --------------------------------------------------------------------------------------

_TELLS: Final = frozenset(("names", "numbers", "date", "decision", "preference"))
_SIGNS: Final = late(r"[,.!;: ]*")


def replies(sentences: Sequence[str]) -> bool:
    """Whether all that a text says is a question, or that it heard what was told before it: "Noted.
    Shall I keep her number?", 收到，都记好了。要提醒你吗？ What names, counts, dates or decides
    something besides is told."""
    told = [said for said in map(str.strip, sentences) if said]
    if not told:
        return False
    # Most texts tell something, and the longest sentence does so most likely.
    longest = max(told, key=len)
    return _is_reply(longest) and all(said is longest or _is_reply(said) for said in told)


def _is_reply(said: str) -> bool:
    if is_question(said):
        return True
    heard = sayings("clauses", "heard").match(folded(said))
    if heard is None and not is_pleasantry(said) and trivial(said) is None:
        return False
    # A name is told from the first word of a sentence by what stands before it.
    return _TELLS.isdisjoint(reasons(_told(said, heard)))


def _told(said: str, heard: re.Match[str] | None) -> str:
    if heard is None:
        return said
    signs = _SIGNS.match(said, heard.end())
    return f"so {said[signs.end() if signs else heard.end() :]}"
