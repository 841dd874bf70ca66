"""Prompts for a model that may write, in English and Chinese. No examples, as a small model copies
them. The variable part comes last, so that the model evaluates the common beginning once."""

from collections.abc import Mapping
from typing import Final, Literal

from graphmem_worker.backends.chat import Message, answer_of

Language = Literal["latin", "cjk"]

_TEXT: Final = {"type": "string"}

RESOLVED: Final = answer_of(text=_TEXT)
"""JSON schema of the answer to `resolve`."""

CONTENT: Final = answer_of(content=_TEXT)
"""JSON schema of the answer to `content`."""

LABELS: Final = answer_of(
    phrase=_TEXT, keywords={"type": "array", "items": _TEXT, "minItems": 3, "maxItems": 5}
)
"""JSON schema of the answer to `labels`."""

_RESOLVE: Final[Mapping[Language, str]] = {
    "latin": (
        "Copy the text. Replace each pronoun by the name or thing that it stands for, where the "
        "text itself or the speaker makes that certain; leave every other word and every sign as "
        "it is, in its place. Add nothing, leave nothing out, explain nothing. Where you are not "
        'certain, keep the pronoun. Answer with JSON: {"text": "…"}.'
    ),
    "cjk": (
        "照抄原文。只有当原文或说话人能确定代词指谁、指什么时，才把代词换成那个名字或事物；其余的字和"
        "标点一律不动，位置也不动。不添加，不删减，不解释。不确定就保留代词。"
        "用 JSON 回答：{\"text\": \"…\"}。"
    ),
}  # fmt: skip
_CONTENT: Final[Mapping[Language, str]] = {
    "latin": (
        "Shorten the text to the length given by leaving words out. Keep what decides: names, "
        "numbers, dates, decisions, preferences. Use only words of the text, in their order; never "
        "join parts of different sentences. Keep every not, never, if, unless, maybe, only and "
        'almost that belongs to what you keep. Answer with JSON: {"content": "…"}.'
    ),
    "cjk": (
        "用删减的办法把原文压到规定的字数以内。保留关键内容：人名、数字、日期、决定、喜好。只用原文"
        "的字词，顺序不变，不要把不同句子的成分拼在一起。保留下来的内容里，不、没、如果、除非、可能、只、"
        "差点这类词一个都不能丢。用 JSON 回答：{\"content\": \"…\"}。"
    ),
}  # fmt: skip
_LABELS: Final[Mapping[Language, str]] = {
    "latin": (
        "Take out of the text: one phrase of at most 60 characters that tells best what it is "
        "about, and three to five keywords. Copy both from the text as they stand. Answer with "
        'JSON: {"phrase": "…", "keywords": ["…", "…", "…"]}.'
    ),
    "cjk": (
        "从原文中摘出：最能说明内容的一个短语，10到20个字；三到五个关键词。都要照原文抄，不改字。"
        "用 JSON 回答：{\"phrase\": \"…\", \"keywords\": [\"…\", \"…\", \"…\"]}。"
    ),
}  # fmt: skip
_SPEAKER: Final[Mapping[Language, str]] = {"latin": "Speaker: {}\n", "cjk": "说话人：{}\n"}
_LENGTH: Final[Mapping[Language, str]] = {
    "latin": "At most {} characters:\n",
    "cjk": "最多{}个字：\n",
}


def resolve(language: Language, text: str, speaker: str) -> list[Message]:
    """Asks for `text` with its pronouns replaced; `speaker`: the referent of "I", "" if unknown."""
    who = _SPEAKER[language].format(speaker) if speaker else ""
    return _messages(_RESOLVE[language], f"{who}{text}")


def content(language: Language, text: str, longest: int) -> list[Message]:
    """Asks for `text` in at most `longest` characters."""
    return _messages(_CONTENT[language], f"{_LENGTH[language].format(longest)}{text}")


def labels(language: Language, text: str) -> list[Message]:
    """Asks for a phrase and keywords of `text`."""
    return _messages(_LABELS[language], text)


def _messages(instruction: str, text: str) -> list[Message]:
    return [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
