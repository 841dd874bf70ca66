"""Summaries of themes by a model: written on request, checked by the gate, not stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from graphmem.errors import ModelError
from graphmem_worker.errors import WorkerError
from graphmem_worker.text.words import script

Process = Callable[[dict[str, Any]], Mapping[str, Any]]
"""Answers a "process" payload of the worker's protocol."""

_LONGEST_SOURCE: Final = 6000  # characters that a model gets


def summarised(process: Process, sentences: Sequence[str], longest: int) -> str:
    """A model's summary of sentences in about `longest` characters; "" if it refuses, or if the
    gate finds anything in its answer that the sentences do not support.

    sentences: the most important first; as many are given as fit into 6,000 characters. Raises
    ModelError if the model does not answer.
    """
    source = ""
    for sentence in dict.fromkeys(sentences):
        if len(source) + len(sentence) >= _LONGEST_SOURCE:
            break
        source += f"{_closed(sentence)}\n"
    if len(source) <= longest:
        return source.strip()
    wish = {"source": source.strip(), "longest": longest, "speaker": ""}
    try:
        result = process({"sentences": [], "keywords": [], "rarity": {}, "wish": wish})
    except WorkerError as error:
        raise ModelError(f"the model gave no summary: {error}; try again") from error
    return str(result.get("written", {}).get("derived", ""))


def _closed(sentence: str) -> str:
    """A sentence with a stop at its end: the gate compares clause by clause."""
    if not sentence[-1:].isalnum():
        return sentence
    return sentence + ("。" if script(sentence) == "cjk" else ".")
