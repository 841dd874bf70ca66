"""A local model that scores: the information of a sentence in nats, blended with the salience.

The surprise of a model at a token is −ln p(token | the tokens before it).  Its sum over a sentence
is the information that the text before it does not predict.  The packaged model has 135 million
parameters, too few to write: `may_write` is for larger ones.

The calls go to llama.cpp's C interface.  The `echo` and `logprobs` of the Python wrapper pair a
token with the wrong row if a model adds no token at the beginning, as this one does not.
"""

import contextlib
import ctypes
import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from graphmem_worker.backends import writing
from graphmem_worker.backends.extractive import Extractive
from graphmem_worker.backends.prompts import Message
from graphmem_worker.errors import TaskError, install
from graphmem_worker.language.tables import tables
from graphmem_worker.protocol import ProcessPayload, ProcessResult, ScorePayload, ScoreResult
from graphmem_worker.text.salience import salience
from graphmem_worker.text.words import script

_WINDOW: Final[int] = 512
"""Tokens that are read together; in a longer text half a window is context of the scored half."""
_MOST_TOKENS: Final[int] = 2048
"""Tokens of a task that are read; sentences beyond keep the rules' salience."""
_BATCH: Final[int] = 32
"""Tokens between two checks of the deadline during the product with the vocabulary."""
_CONTEXT: Final[int] = 2048
"""Tokens of a chat, prompt and answer.  A segment seldom needs more; one that does is refused."""

_PLACE: Final = re.compile("\ue000(\\d+)\ue001")  # of a message in a rendered chat

_ERROR: Final[int] = 4
"""llama.cpp's log level of errors."""

_WEIGHT: Final[float] = 0.25
_FURTHEST: Final[float] = 4.0


class Llama(Extractive):
    """A GGUF model as a backend, in one thread.  No vectors: a small model's are worse than words.

    Options: `model` (path of the GGUF file), `may_write` (whether `process` lets it write).
    Raises `ValueError` for other options, `TaskError` "backend" if library or file do not load.
    """

    name = "llama"

    def __init__(self, options: Mapping[str, object]) -> None:
        path = options.get("model")
        if unknown := sorted(options.keys() - {"model", "may_write"}):
            raise ValueError(f"the llama backend does not take {unknown[0]!r}")
        if not isinstance(path, str) or not path:
            raise ValueError("the llama backend needs the option model: the path of a GGUF file")
        self._may_write = bool(options.get("may_write"))
        self.model = _Model(path)
        self._score_context = _Context(self.model, _WINDOW)
        self._chat_context: _Context | None = None
        self._nat_worth: dict[str, float] = {}

    # -- tasks -----------------------------------------------------------------------------------

    def process(self, payload: ProcessPayload, until: float) -> ProcessResult:
        """Blended salience per sentence; phrase and keywords by rules; with `may_write` the model's
        texts that passed the gate.

        Raises `TaskError` "deadline", transient, at most 0.2 s after `until`.
        """
        found = super().process(payload, until)
        return writing.process(self, payload, found, until) if self._may_write else found

    def score(self, payload: ScorePayload, until: float) -> ScoreResult:
        """Blended salience per sentence.  Raises as `process` does."""
        ruled = super().score(payload, until)["salience"]
        return {"salience": self._blended(payload["sentences"], ruled, until)}

    # -- scoring ---------------------------------------------------------------------------------

    def information(
        self, parts: Sequence[str], until: float = math.inf, *, before: str = ""
    ) -> list[float]:
        """The nats of each part of a text, given the parts before it; 0 for an empty part.

        `before` is read first and not scored; the same one is not read again in the next call. In a
        long text the context of a token is 256 to 511 tokens.  Raises `TaskError` "deadline".
        """
        pieces = [self.model.tokens(part) for part in parts]
        return self._nats(self.model.tokens(before)[-_WINDOW // 2 :], pieces, until)

    def _nats(
        self, before: Sequence[int], pieces: Sequence[Sequence[int]], until: float
    ) -> list[float]:
        tokens = [self.model.first, *before, *(token for piece in pieces for token in piece)]
        surprise = self._score_context.surprise(tokens[:_WINDOW], 1 + len(before), until)
        half = _WINDOW // 2
        for start in range(_WINDOW, len(tokens), half):
            window = [self.model.first, *tokens[start - half + 1 : start + half]]
            surprise += self._score_context.surprise(window, half, until)
        sums, stop = [], 0
        for piece in pieces:
            start, stop = stop, stop + len(piece)
            sums.append(math.fsum(surprise[start:stop]))
        return sums

    def _blended(
        self, sentences: Sequence[str], ruled: Sequence[float], until: float
    ) -> list[float]:
        """The rules' salience h and the information n, as h · (n·v/h)^¼ with n·v/h in ¼ … 4.

        v is the salience of a nat.  The exponent is not fitted: larger ones lost more in English
        than they gained in Chinese.
        """
        pieces, room = [], _MOST_TOKENS
        for sentence in sentences:
            piece = self.model.tokens(sentence)
            room -= len(piece)
            if room < 0:
                break
            pieces.append(piece)
        blended = list(ruled)
        for place, nats in enumerate(self._nats((), pieces, until)):
            if nats > 0.0:
                worth = nats * self._worth_per_nat(script(sentences[place]), until)
                ratio = min(_FURTHEST, max(1 / _FURTHEST, worth / ruled[place]))
                blended[place] = ruled[place] * ratio**_WEIGHT
        return blended

    def _worth_per_nat(self, writing: str, until: float) -> float:
        """The ratio of salience and information in some sentences ("measure" of the tables): the
        blend stays on the rules' scale for any model and script."""
        known = self._nat_worth.get(writing)
        if known is None:
            measure = tables("prompts")["zh" if writing == "cjk" else "en"]["measure"]
            known = sum(map(salience, measure)) / sum(self.information(measure, until))
            self._nat_worth[writing] = known
        return known

    # -- writing ---------------------------------------------------------------------------------

    def chat(
        self, messages: Sequence[Message], schema: Mapping[str, object], longest: int, until: float
    ) -> str:
        """The likeliest answer, as `prompts.Chat` describes it.

        The tokens that a prompt has in common with the previous one are not read again.  Raises
        `TaskError`: "deadline", transient; "payload" for an invalid schema or messages that leave
        no room for `longest` tokens.
        """
        prompt = self.model.prompt(messages)
        if len(prompt) + longest > _CONTEXT:
            raise TaskError(
                "payload",
                f"{len(prompt)} tokens and {longest} to come are more than the context of "
                f"{_CONTEXT}: send less",
                False,
            )
        if self._chat_context is None:
            self._chat_context = _Context(self.model, _CONTEXT)
        written = bytearray()
        with self.model.sampler(schema) as sample:
            self._chat_context.read(prompt, len(prompt) - 1, until)
            for _ in range(longest):
                token = sample(self._chat_context)
                if self.model.is_end(token):
                    break
                written += self.model.piece(token)
                self._chat_context.advance(token, until)
        # The last token may be part of a character.
        return written.decode("utf-8", "ignore")


# llama.cpp has one log callback for the whole process, which must never be freed.
_LOG_CALLBACK: Final[list[Any]] = []
_ERRORS: Final[list[str]] = []
_MOST_ERRORS: Final[int] = 8


def _log_errors(level: int, text: bytes, data: object) -> None:
    # The first errors name the cause. llama.cpp also reports each deadline as an error.
    if level == _ERROR and len(_ERRORS) < _MOST_ERRORS:
        _ERRORS.append(text.decode("utf-8", "replace").strip())


class _Model:
    """The weights and the vocabulary."""

    def __init__(self, path: str) -> None:
        try:
            # Any: type checks run without the library, too.
            self.library: Any = import_module("llama_cpp")
            self.numpy: Any = import_module("numpy")
        except (ImportError, OSError, RuntimeError) as error:  # RuntimeError: a truncated library
            raise TaskError(
                "backend", f"llama-cpp-python cannot be imported ({error}); {install('llm')}", False
            ) from None
        if not os.path.isfile(path):
            raise TaskError("backend", f"no model in {path}; run: graphmem model pull", False)
        library = self.library
        if not _LOG_CALLBACK:
            _LOG_CALLBACK.append(library.llama_log_callback(_log_errors))
            library.llama_log_set(_LOG_CALLBACK[0], ctypes.c_void_p(0))
            library.llama_backend_init()
        _ERRORS.clear()
        parameters = library.llama_model_default_params()
        parameters.n_gpu_layers = 0
        self.handle = library.llama_model_load_from_file(os.fsencode(path), parameters)
        if not self.handle:
            raise TaskError(
                "backend",
                f"llama.cpp cannot load {path}: {next(iter(_ERRORS), 'it says not why')}; "
                "run: graphmem model pull, or name another",
                False,
            )
        self._vocabulary = library.llama_model_get_vocab(self.handle)
        self.size: int = library.llama_vocab_n_tokens(self._vocabulary)
        begin: int = library.llama_vocab_bos(self._vocabulary)
        self.first = begin if begin >= 0 else int(library.llama_vocab_eos(self._vocabulary))
        self.path = path
        self._prompt: Any = None

    def tokens(self, text: str, special: bool = False) -> list[int]:
        """The tokens of `text` alone; `special`: read the marks of a chat template as such."""
        content = text.encode("utf-8", "replace")
        room = len(content) + 8
        found = (self.library.llama_token * room)()
        count = self.library.llama_tokenize(
            self._vocabulary, content, len(content), found, room, False, special
        )
        return list(found[:count])

    def piece(self, token: int, special: bool = False) -> bytes:
        """The bytes of `token`; a character may take several tokens."""
        room = 256
        buffer = ctypes.create_string_buffer(room)
        count = self.library.llama_token_to_piece(self._vocabulary, token, buffer, room, 0, special)
        return bytes(buffer.raw[: max(0, count)])

    def is_end(self, token: int) -> bool:
        """Whether `token` ends the answer."""
        return bool(self.library.llama_vocab_is_eog(self._vocabulary, token))

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """The tokens of a chat up to the beginning of the answer, by the model's own template.

        Marks of the template within a message are read as text, so they cannot end its turn.
        Raises `TaskError` "payload" if the template fails with the messages.
        """
        places = [f"\ue000{number}\ue001" for number in range(len(messages))]
        shown = [
            {**message, "content": place} for message, place in zip(messages, places, strict=True)
        ]
        try:
            try:
                text = self._rendered(shown)
            except ValueError:  # an unknown role: Gemma's template knows no "system"
                text = self._rendered([{"role": "user", "content": "\n\n".join(places)}])
        except Exception as error:  # a template is foreign code  # noqa: BLE001
            raise TaskError("payload", f"{self.path}: its chat template: {error}", False) from None
        found: list[int] = []
        for place, part in enumerate(_PLACE.split(text)):
            is_message = bool(place % 2)  # every other part is the number of a message
            found += self.tokens(
                messages[int(part)]["content"] if is_message else part, special=not is_message
            )
        adds = self.library.llama_vocab_get_add_bos(self._vocabulary)
        return [self.first, *found] if adds and found[:1] != [self.first] else found

    def _rendered(self, messages: Sequence[Mapping[str, object]]) -> str:
        formats = self.library.llama_chat_format
        if self._prompt is None:
            template = self.library.llama_model_chat_template(self.handle, None)
            if template:
                begin, end = (
                    self.piece(token, special=True).decode("utf-8", "replace")
                    for token in (self.first, self.library.llama_vocab_eos(self._vocabulary))
                )
                self._prompt = formats.Jinja2ChatFormatter(
                    template.decode("utf-8"), eos_token=end, bos_token=begin
                )
            else:
                self._prompt = formats.format_chatml
        text: str = self._prompt(messages=list(messages)).prompt
        return text

    @contextlib.contextmanager
    def sampler(self, schema: Mapping[str, object]) -> "Iterator[Callable[[_Context], int]]":
        """A function that returns the likeliest next token that JSON of `schema` allows."""
        library = self.library
        try:
            fields = schema.get("properties")
            order = list(fields) if isinstance(fields, Mapping) else []
            grammar: str = library.llama_grammar.json_schema_to_gbnf(json.dumps(schema), order)
        except Exception as error:  # a schema can be wrong in any way  # noqa: BLE001
            raise TaskError("payload", f"this is no JSON schema: {error}", False) from None
        chain = library.llama_sampler_chain_init(library.llama_sampler_chain_default_params())
        try:
            grammar_sampler = library.llama_sampler_init_grammar(
                self._vocabulary, grammar.encode(), b"root"
            )
            if not grammar_sampler:
                raise TaskError("payload", "llama.cpp makes no grammar of this schema", False)
            library.llama_sampler_chain_add(chain, grammar_sampler)
            library.llama_sampler_chain_add(chain, library.llama_sampler_init_greedy())
            yield lambda context: int(library.llama_sampler_sample(chain, context.handle, -1))
        finally:
            library.llama_sampler_free(chain)


class _Context:
    """The tokens that the model has read, at most `room`."""

    def __init__(self, model: _Model, room: int) -> None:
        self._model = model
        library = model.library
        parameters = library.llama_context_default_params()
        parameters.n_ctx = room
        parameters.n_batch = parameters.n_ubatch = _BATCH
        # On a busy machine two threads are several times slower than one.
        parameters.n_threads = parameters.n_threads_batch = 1
        self.handle = library.llama_init_from_model(model.handle, parameters)
        self._memory = library.llama_get_memory(self.handle) if self.handle else None
        if not self._memory:
            raise TaskError(
                "backend",
                f"{model.path} does not predict text, so it can neither score nor write; "
                "name another model",
                False,
            )
        self._batch = library.llama_batch_init(_BATCH, 0, 1)
        self._read: list[int] = []
        self._until = math.inf
        # Kept in a field: llama.cpp calls it as long as the context exists.
        self._late = library.llama_cpp.ggml_abort_callback(
            lambda data: time.monotonic() > self._until
        )
        library.llama_set_abort_callback(self.handle, self._late, None)

    def surprise(self, tokens: Sequence[int], first: int, until: float) -> list[float]:
        """−ln p of each token from `first` (≥ 1) on, given those before it."""
        found: list[float] = []
        # Row i predicts the token after token i, so the last token needs no row.
        self.read(tokens[:-1], first - 1, until, lambda row: found.extend(self._row(row, tokens)))
        return found

    def _row(self, places: range, tokens: Sequence[int]) -> list[float]:
        numpy = self._model.numpy
        logits = numpy.ctypeslib.as_array(
            self._model.library.llama_get_logits(self.handle), shape=(len(places), self._model.size)
        )
        highest = logits.max(axis=1)
        total = highest + numpy.log(numpy.exp(logits - highest[:, None]).sum(axis=1))
        actual = logits[numpy.arange(len(places)), [tokens[place + 1] for place in places]]
        surprise: list[float] = (total - actual).tolist()
        return surprise

    def read(
        self,
        tokens: Sequence[int],
        wanted: int,
        until: float,
        take: Callable[[range], None] = lambda places: None,
    ) -> None:
        """Read `tokens` from the start, except for the beginning that was read before. `take` is
        called after each batch with its places from `wanted` on, whose predictions are ready."""
        common = 0
        for before, now in zip(self._read[:wanted], tokens, strict=False):
            if before != now:
                break
            common += 1
        if not self._model.library.llama_memory_seq_rm(self._memory, 0, common, -1):
            # A recurrent model cannot go back to the middle.
            self._model.library.llama_memory_clear(self._memory, True)
            common = 0
        del self._read[common:]
        for start in range(common, len(tokens), _BATCH):
            stop = min(start + _BATCH, len(tokens))
            self._decode(tokens[start:stop], wanted, until)
            if stop > wanted:
                take(range(max(start, wanted), stop))

    def advance(self, token: int, until: float) -> None:
        """Read one more token."""
        self._decode([token], len(self._read), until)

    def _decode(self, tokens: Sequence[int], wanted: int, until: float) -> None:
        library, batch, begin = self._model.library, self._batch, len(self._read)
        batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            batch.token[place] = token
            batch.pos[place] = begin + place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = 0
            batch.logits[place] = begin + place >= wanted
        self._until = until
        status = 2 if time.monotonic() > until else library.llama_decode(self.handle, batch)
        if status:
            # An unknown part may have been read.
            self._read.clear()
            library.llama_memory_clear(self._memory, True)
            if status == 2:
                raise TaskError("deadline", "the model did not get through it in time", True)
            raise TaskError("failed", f"llama.cpp could not read a batch (status {status})", False)
        self._read.extend(tokens)
