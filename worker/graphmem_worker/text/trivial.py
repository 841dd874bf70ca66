"""Trivial texts: without a content word, or only of listed replies, statuses and test data.

Length is no criterion: 我对花生过敏 has six characters. A text is trivial if each of its pieces
between marks of punctuation is. A text without a content word that protects or binds somebody is
not trivial.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.text.patterns import late
from graphmem_worker.text.protects import protects
from graphmem_worker.text.salience import is_pleasantry, is_question, parts
from graphmem_worker.text.words import holds_word

Trivial = Literal["no content word", "a reply", "a status", "test data"]

_PIECES: Final = late(r"[.,!?;:…~。，！？；：、\n\r]+(?:\s|$)|[。，！？；：、…~!\n\r]+")
_LONGEST: Final = 80  # characters of a piece that can be listed

_WHY: Final[tuple[Trivial, ...]] = ("a reply", "a status", "test data")
_LETTER: Final = late(r"\w")


def trivial(text: str) -> Trivial | None:
    """Why a text is trivial, by its first piece with a content word; None if it is not.

    A piece without a content word has only stop words, function characters and signs.
    """
    found: Trivial | None = None
    for piece in _PIECES.split(text):
        bare = piece.strip(" \t\"'“”‘’()（）[]*_-–—>#.,!?;:。，！？")
        if not _LETTER.search(bare):
            found = found or "no content word"
            continue
        why = _listed(bare)
        if why is None:
            return None
        found = why if found in (None, "no content word") else found
    if found == "no content word" and protects(text) is not None:
        return None
    return found  # listed pieces protect nobody, whatever dates they contain


def _listed(piece: str) -> Trivial | None:
    if len(piece) <= _LONGEST:
        lower = folded(piece)
        if sayings("trivial").is_whole(lower):
            return next(why for why in _WHY if sayings("trivial", why).is_whole(lower))
    return None if holds_word(piece) else "no content word"


# --- replies --------------------------------------------------------------------------------------

_INFORMATIVE: Final = frozenset(("names", "numbers", "date", "decision", "preference"))
"""Parts of the salience."""
_SIGNS: Final = late(r"[,.!;: ]*")


def is_only_reply(sentences: Sequence[str]) -> bool:
    """Whether each sentence of a text is a question, an acknowledgement of the turn before or
    trivial: "Noted. Shall I keep her number?", 收到，都记好了。要提醒你吗？ A sentence, other than
    a question, with a name, number, date, decision or preference is no reply."""
    stripped = [bare for sentence in sentences if (bare := sentence.strip())]
    # Most texts are no replies, which their longest sentence is most likely to show.
    return bool(stripped) and all(map(_is_reply, sorted(stripped, key=len, reverse=True)))


def _is_reply(sentence: str) -> bool:
    if is_question(sentence):
        return True
    acknowledged = sayings("clauses", "acknowledges").match(folded(sentence))
    if acknowledged is not None:
        signs = _SIGNS.match(sentence, acknowledged.end())
        # A capital counts as that of a name only behind the first word of a sentence.
        sentence = f"so {sentence[signs.end() if signs else acknowledged.end() :]}"
    elif not is_pleasantry(sentence) and trivial(sentence) is None:
        return False
    return _INFORMATIVE.isdisjoint(parts(sentence))
