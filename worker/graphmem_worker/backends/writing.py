"""Texts that a model adds to the extractive result, as far as the gate passes them."""

import json
from collections.abc import Mapping, Sequence
from typing import Final, TypeGuard

from graphmem_worker.backends import prompts
from graphmem_worker.backends.prompts import Chat, Language, Message
from graphmem_worker.errors import TaskError
from graphmem_worker.gate.judge import judge
from graphmem_worker.gate.reading import read
from graphmem_worker.protocol import ProcessPayload, ProcessResult
from graphmem_worker.text.phrase import CJK_LIMIT, LATIN_LIMIT
from graphmem_worker.text.words import script, words

_LEAST_COVERAGE: Final[float] = 0.1
_RESOLVED_COVERAGE: Final[float] = 0.9
_RESOLVED_LENGTH: Final[float] = 1.5  # of the source's length: names are longer than pronouns
_SLACK: Final[float] = 1.2  # of the target length
_KEYWORDS: Final[int] = 5
_LABEL_TOKENS: Final[int] = 160
_CJK_LEAST: Final[int] = 10


def process(
    chat: Chat, payload: ProcessPayload, result: ProcessResult, until: float
) -> ProcessResult:
    """`result` with the model's texts that passed the gate; without a wish, `result` itself.

    Raises the transient `TaskError`s of the chat, except "deadline": texts that are not written by
    `until` are reported as refused.
    """
    wish = payload.get("wish")
    if wish is None:
        return result
    writer = Writer(chat, until)
    source, speaker = wish["source"], wish["speaker"]
    if wish["longest"]:
        derived = writer.content(source, wish["longest"])
        return {**result, "written": {"derived": derived, "refused": writer.refused}}
    derived = writer.resolved(source, speaker)
    phrase, keywords = writer.labels(source)
    kept = {word.casefold(): word for word in payload["keywords"]}
    for word in (*keywords, *result["keywords"]):
        if len(kept) < _KEYWORDS:
            kept.setdefault(word.casefold(), word)
    return {
        "salience": result["salience"],
        "phrase": phrase or result["phrase"],
        "keywords": list(kept.values()),
        "written": {"derived": derived, "refused": writer.refused},
    }


class Writer:
    """Asks a model for one memory's texts. A text that the gate refused is empty, with the reason
    in `refused`. `until`: see `Chat`."""

    def __init__(self, chat: Chat, until: float) -> None:
        self._chat = chat
        self._until = until
        self.refused: list[str] = []

    def resolved(self, source: str, speaker: str) -> str:
        """`source` with its pronouns replaced; "" if it has none."""
        if all(token.kind != "pronoun" for token in read(source)):
            return ""
        messages = prompts.resolve(_language(source), source, speaker)
        text = self._text(messages, prompts.RESOLVED, "text", _tokens(source))
        longest = int(_RESOLVED_LENGTH * len(source)) + len(speaker)
        if not text or text == source.strip():
            return ""
        return self._judged(
            source, text, speaker=speaker, longest=longest, coverage=_RESOLVED_COVERAGE
        )

    def content(self, source: str, longest: int) -> str:
        """`source` shortened to about `longest` characters."""
        messages = prompts.content(_language(source), source, longest)
        text = self._text(messages, prompts.CONTENT, "content", _tokens(source))
        return text and self._judged(source, text, longest=int(_SLACK * longest))

    def labels(self, source: str) -> tuple[str, list[str]]:
        """A phrase and keywords, all of them quoted from `source`."""
        answer = self._answer(
            prompts.labels(_language(source), source), prompts.LABELS, _LABEL_TOKENS
        )
        phrase, keywords = answer.get("phrase"), answer.get("keywords")
        if not answer:
            return "", []
        if not isinstance(phrase, str) or not _are_texts(keywords):
            self.refused.append("json")
            return "", []
        least, most = (_CJK_LEAST, CJK_LIMIT) if script(source) == "cjk" else (1, LATIN_LIMIT)
        phrase = phrase.strip()
        if not _is_quoted(phrase, source) or not least <= len(phrase) <= most:
            self.refused.append("phrase")
            phrase = ""
        kept = list(dict.fromkeys(word.strip() for word in keywords if word.strip()))
        quoted = [word for word in kept if _is_quoted(word, source) and len(word) <= most]
        if len(quoted) < len(kept):
            self.refused.append("keywords")
        return phrase, quoted[:_KEYWORDS]

    def _judged(
        self,
        source: str,
        text: str,
        *,
        longest: int,
        speaker: str = "",
        coverage: float = _LEAST_COVERAGE,
    ) -> str:
        verdict = judge(source, text, speaker=speaker or None, longest=longest, coverage=coverage)
        if verdict.passed:
            return text
        self.refused.append(verdict.reasons[0])
        return ""

    def _text(
        self, messages: Sequence[Message], schema: Mapping[str, object], name: str, longest: int
    ) -> str:
        answer = self._answer(messages, schema, longest)
        text = answer.get(name)
        if answer and not isinstance(text, str):
            self.refused.append("json")
        return text.strip() if isinstance(text, str) else ""

    def _answer(
        self, messages: Sequence[Message], schema: Mapping[str, object], longest: int
    ) -> dict[str, object]:
        """The answer as a JSON object; empty if it is none."""
        try:
            reply = self._chat.chat(messages, schema, longest, self._until)
        except TaskError as error:
            # A model that is too slow now is likely to be too slow again, so the scores are kept.
            late = error.kind == "deadline"
            if error.transient and not late:
                raise
            self.refused.append("deadline" if late else "failed")
            return {}
        try:
            answer = json.loads(reply)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or not answer:
            self.refused.append("json")
            return {}
        return answer


def _are_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_quoted(part: str, source: str) -> bool:
    """Whether `part` stands in `source` in whole words, at least one of them an index word."""
    found = set(words(part))
    return part in source and bool(found) and found <= set(words(source))


def _language(text: str) -> Language:
    return "zh" if script(text) == "cjk" else "en"


def _tokens(source: str) -> int:
    """Most tokens of an answer that is as long as the source, with its JSON."""
    return 32 + (2 if script(source) == "cjk" else 1) * len(source)
