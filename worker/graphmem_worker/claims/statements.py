"""Clauses as statements: of whom they tell, in which words, with which values, and what they do.

Nothing is interpreted but what the tables `statements` of the languages name: relatives and
pronouns, words that end, change, add or doubt, verbs and nouns that tell one attribute, and the
shapes of values. All other words are content; `superseding` compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

from graphmem_worker.claims.claim import LONGEST
from graphmem_worker.claims.exclusions import asks, is_marked
from graphmem_worker.claims.numbers import number_of, shown
from graphmem_worker.claims.subjects import surnames
from graphmem_worker.claims.vocabulary import (
    CHANGING,
    Lexicon,
    Nouns,
    Token,
    chosen,
    is_han,
    lexicon_in,
    lexicon_of,
    software,
)
from graphmem_worker.language.lists import listed
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import words

_SENTENCES: Final = 8  # of a memory that are read
_CACHED: Final = 1 << 12
_SYMBOL: Final = 3  # letters of the longest unit that is written with a capital: "Mio"
_POSSESSIVE: Final = late(r"['’]s?$")
_HAN_NAME: Final = late(r"[小老阿].|(.)\1")
_HOME: Final = "=residence"


_SAYING: Final = ("word", "concept")
_TOLD: Final = ("person", "word", "concept", "unknown")

_NOTHING: Final = Token("empty", "")


class Statement(NamedTuple):
    """What one clause states. Questions and events long past produce none."""

    first: frozenset[str]
    """Of whom or what it tells, under each of its names: whatever it names first that may be a
    person; "?" for somebody whom only a pronoun names. Empty if it names nobody, or gives a value
    of what another clause names, or none: "it's 4417"."""
    is_own: bool
    """It tells of who speaks."""
    is_inherited: bool
    """It names nobody: it tells of whoever was named before it, or of who speaks."""
    relatives: frozenset[str]
    """All relatives whom the memory names."""
    named: int
    """How many persons the memory names."""
    is_all: bool
    """The memory states nothing else, and one thing only: it lists none with "and"."""
    persons: frozenset[str]
    """Those among what it names that are surely persons, or may be by their form."""
    mine: frozenset[str]
    """Names of whom or what who speaks calls theirs, and tells nothing of themselves: "my Finn"."""
    content: tuple[Token, ...]
    """Its words and attributes besides."""
    about: tuple[Token, ...]
    """Those of them before what is over, where something is."""
    over: tuple[Token, ...]
    """What is over: the words behind that, up to what tells why, to whom or until when."""
    attributes: tuple[tuple[str, tuple[Token, ...]], ...]
    """Each attribute with the words that follow it."""
    keys: frozenset[str]
    """Of all its persons, words and attributes; "?/sister" for whom "his sister" means."""
    values: tuple[tuple[str, str], ...]
    """(type, value), in their order."""
    labels: frozenset[tuple[str, str]]
    """Those values that stand before what moves: "Thursday's class moved to Friday"."""
    joined: frozenset[tuple[str, str]]
    """Keys of words that stand side by side."""
    ends: bool
    denies: bool
    """It says "not" or "no longer"."""
    is_once: bool
    """What is over is so this once: "piano is cancelled this week"."""
    changes: bool
    moves: bool
    """It says that a date or time changed."""
    adds: bool
    is_sure: bool
    is_soon: bool
    """It may not be so yet: "next month", 下周."""
    happened: bool
    """It tells of an event."""
    text: str
    """The clause itself."""


@lru_cache(_CACHED)
def statements(spans: tuple[str, ...], speaker: str | None = None) -> tuple[Statement, ...]:
    """What the sentences of a memory state, clause by clause.

    speaker: who says it, whom "I" means then. A pronoun means whoever was named last."""
    found: list[Statement] = []
    me = (speaker or "").strip().casefold() or "self"
    last: frozenset[str] = frozenset()
    for said, lexicon, clauses in _sentences(spans):
        is_guess = bool(clauses) and is_marked("guessed", said.casefold())
        for clause in clauses:
            read = _Clause(clause, lexicon, me, opens=said.startswith(clause)).read(last)
            if read.first and "?" not in read.first:
                last = read.first
            found.append(read._replace(is_sure=False) if is_guess else read)
    persons = frozenset[str]().union(*(s.persons for s in found)) - {me}
    relatives = frozenset(key for key in persons if "/" in key)
    named = len(persons) - len({s.first for s in found if len(s.first) > 1})  # under two names
    is_one = len(found) == 1
    return tuple(
        s._replace(relatives=relatives, named=named, is_all=s.is_all and is_one) for s in found
    )


@lru_cache(_CACHED)
def is_single(spans: tuple[str, ...]) -> bool:
    """Whether the sentences of a memory make one statement; much cheaper than to read it."""
    return sum(len(clauses) for _, _, clauses in _sentences(spans)) == 1


def _sentences(spans: tuple[str, ...]) -> Iterator[tuple[str, Lexicon, list[str]]]:
    """The sentences of a memory, each with its words and clauses."""
    whole = " ".join(s for s in spans[:_SENTENCES] if not is_han(s))
    for span in spans[:_SENTENCES]:
        said = span.strip()
        lexicon = lexicon_of(said, whole)
        yield said, lexicon, _clauses(said, lexicon)


def is_over(spans: tuple[str, ...]) -> bool:
    """Whether a memory tells what is long over, and states nothing."""
    is_past = any(is_marked("over", span.casefold()) for span in spans[:_SENTENCES])
    return is_past and not statements(spans)


def states(sentence: str) -> bool:
    """Whether a sentence makes a statement, whatever it is."""
    said = sentence.strip()
    return bool(_clauses(said, lexicon_of(said)))


def _clauses(said: str, lexicon: Lexicon) -> list[str]:
    """The clauses of a sentence; none if it asks or tells what is long over."""
    if not 3 <= len(said) <= LONGEST or asks(said) or is_marked("over", said.casefold()):
        return []
    return [clause for part in lexicon.breaks.split(said) if (clause := part.strip(" .。!！"))]


@lru_cache(1 << 8)
def asked_of(cue: str) -> frozenset[str]:
    """Of whom a question asks: relatives and names; "self" for who speaks. Empty if it names
    nobody, or somebody by a pronoun."""
    read = _read_cue(cue)
    if "?" in read.keys or "pronoun" in read.keys or "you" in read.keys:
        return frozenset()
    if is_han(cue):
        return read.persons
    return read.persons | {t.key for t in read.content if t.own}


def named_in(cue: str) -> frozenset[str]:
    """Whom or what a question names, as `asked_of`, also where it asks of somebody by a pronoun or
    in Chinese of what may be no name; "?/sister" for whom "his sister" means."""
    read = _read_cue(cue)
    named = read.persons.union(
        (t.key for t in read.content if t.own), (key for key in read.keys if "/" in key)
    )
    return named | read.first if is_han(cue) else named


@lru_cache(1 << 8)
def attributes_of(cue: str) -> frozenset[str]:
    """The attributes for which a question asks, as far as the tables name them."""
    return frozenset(token.key for token in _read_cue(cue).content if token.role == "concept")


def attribute_words(cue: str) -> tuple[str, ...]:
    """The index words with which the attributes are told that a question asks for, or a sentence
    tells: "Where do I live?", "I moved to Porto"."""
    return _telling(lexicon_of(cue), attributes_of(cue))


@lru_cache(1 << 8)
def _telling(lexicon: Lexicon, asked: frozenset[str]) -> tuple[str, ...]:
    said = [entry for entry, token in lexicon.entries.items() if token.key in asked]
    return tuple(dict.fromkeys(words(" . ".join(said))))


def _read_cue(cue: str) -> Statement:
    lexicon = lexicon_of(cue)
    return _Clause(cue.strip(" ?？。."), lexicon, "self", opens=True).read(frozenset())


@lru_cache(1 << 13)
def may_change(sentence: str) -> bool:
    """Whether a sentence holds a word of change or end: without one no statement of it says that
    something is over or other than it was."""
    lexicon = lexicon_of(sentence)
    return lexicon.changing.search(sentence.lower()) is not None


def states_change(spans: tuple[str, ...], speaker: str | None = None) -> bool:
    """Whether some sentences say that something changed or is over."""
    return any(s.changes or s.ends for s in statements(spans, speaker))


@lru_cache(_CACHED)
def in_words(keys: frozenset[str]) -> frozenset[str]:
    """Keys of statements, and the index words in them: 喂两顿 holds 喂两 and 两顿."""
    return keys.union(*map(words, keys))


def is_grammar(word: str) -> bool:
    """Whether an index word is one of a mark, of a time or of what says nothing about what is
    told."""
    return word in _grammar("en" if word.isascii() else "zh") or word in _grammar("de")


@cache
def _grammar(language: str) -> frozenset[str]:
    lexicon = lexicon_in(language)
    entries = (e for e, t in lexicon.entries.items() if t.role not in ("concept", "person"))
    found = frozenset(words(" . ".join((*lexicon.marked, *entries))))
    return found.difference(words(" . ".join(lexicon.foreign)))


class _Clause:
    """Reads one clause."""

    def __init__(self, clause: str, lexicon: Lexicon, me: str, *, opens: bool) -> None:
        """opens: it begins the sentence, so its first capital says nothing."""
        self._clause = clause
        self._lexicon = lexicon
        self._me = me
        self._opens = opens
        self._tokens: list[Token] = []
        self._places: dict[str, list[int]] = {name: [] for name in lexicon.marks}
        self._said: dict[str, list[int]] = {name: [] for name in lexicon.marks}  # by words
        self._values: list[tuple[str, str]] = []
        self._labels: set[tuple[str, str]] = set()
        self._breaks: set[int] = set()  # places before which a value or punctuation stands
        self._articled: set[int] = set()  # places behind an article, where names seldom stand
        self._of_unknown: set[str] = set()  # relatives of nobody knows whom: "his sister"
        self._mine: set[str] = set()  # Finn in "my Finn"
        self._titled: set[int] = set()  # places before or behind which a title stands
        # All in capitals, which say nothing then.
        self._shouts = clause.isupper() and len(lexicon.shouted.findall(clause)) > 1

    def read(self, last: frozenset[str]) -> Statement:
        """The statement. last: of whom the clause before it tells."""
        self._scan()
        self._leave_out_home()
        self._leave_out_agent()
        self._name_persons()
        tokens = self._tokens
        told = [t for t in tokens if t.role in _TOLD]
        named = [t.key for t in told]
        first, begins = self._first(last)
        if self._values and not told:
            first = frozenset()  # "it's 4417"
        ends = self._ends()
        split = max(begins, min(ends, default=len(tokens)))
        content = [t for t in tokens if t.role in _SAYING and t.key not in first]
        marked = self._places
        return Statement(
            first,
            first == {self._me},
            first.isdisjoint(named),
            frozenset(),
            0,
            not marked["joins"],
            frozenset([t.key for t in told if t.role == "person" or self._may_name(t.key, first)]),
            frozenset(self._mine),
            tuple(content),
            tuple(
                [
                    t
                    for t in tokens[begins:split]
                    if t.role in _SAYING and t.key not in self._lexicon.agents
                ]
            ),
            tuple(self._until_adjunct(split)),
            tuple(
                (token.key, tuple(self._until_adjunct(place)))
                for place, token in enumerate(tokens, 1)
                if token.role == "concept"
            ),
            first.union(named, self._days(), self._of_unknown),
            tuple(dict.fromkeys(self._values)),
            frozenset(self._labels if marked["moves"] else ()),
            frozenset(
                [
                    (a.key, b.key)
                    for place, (a, b) in enumerate(pairwise(tokens), 1)
                    if a.role == b.role == "word"
                    and place not in self._breaks
                    and b.key not in self._lexicon.holders
                ]
            ),
            bool(ends),
            bool(marked["not"] or marked["over"]),
            bool(marked["once"]),
            self._tells("changes"),
            self._tells("moves"),
            bool(marked["adds"]),
            not marked["unsure"],
            bool(marked["soon"]),
            bool(marked["past"]),
            self._clause,
        )

    def _tells(self, name: str) -> bool:
        """Whether the clause has a mark, and does not deny it: "I never moved to Ghent"."""
        denied = min(self._said["not"], default=len(self._written))
        return len(self._places[name]) > sum(place > denied for place in self._said[name])

    def _days(self) -> frozenset[str]:
        """The days of the week as words, by which another clause may say which one it means."""
        if self._lexicon.nouns is None:
            return frozenset()
        return frozenset(f"={value}" for kind, value in self._values if kind == "weekday")

    def _until_adjunct(self, place: int) -> Iterator[Token]:
        """The words from a place on, up to an adjunct or an attribute behind the first of them."""
        is_begun = False
        for token in self._tokens[place:]:
            if is_begun and token.role in ("adjunct", "concept"):
                return
            if token.role in _SAYING:
                yield token
                is_begun = is_begun or token.role == "word"

    def _scan(self) -> None:
        """Cut the clause into tokens, marks and values."""
        lexicon = self._lexicon
        found = list(lexicon.tokens.finditer(self._clause))
        self._written = [match["word"] or "" for match in found]
        said = [word.lower().replace("’", "'") for word in self._written]
        place = 0
        while place < len(found):
            length = self._add_known(said, place)
            if not said[place]:
                self._add_value(found[place], place)
            elif not length:
                self._add_word(found[place], place)
            place += length or 1
        if lexicon.nouns is not None and not self._opens and 0 in self._places["over"]:
            self._places["over"].remove(0)  # ", nicht mehr die Station" says so of what is before
        over = lexicon.over
        if over is not None and over.search(self._clause):
            self._places["over"].append(0)

    def _add_known(self, said: Sequence[str], place: int) -> int:
        """Take the longest mark and the longest entry that begin at a place; how many words they
        are."""
        lexicon = self._lexicon
        marks: Sequence[str] = ()
        token: Token | None = None
        length, run = 0, ""
        for size in range(lexicon.longest.get(said[place], 0)):
            word = said[place + size] if place + size < len(said) else ""
            if not word:
                break
            run = f"{run}{lexicon.gap}{word}" if run else word
            if run in lexicon.marked or run in lexicon.entries:
                marks, token = lexicon.marked.get(run, marks), lexicon.entries.get(run, token)
                length = size + 1
        for name in marks:
            self._places[name].append(len(self._tokens))
            self._said[name].append(place)
        if token is not None and token.role == "time":
            self._values.append(("time", token.key))
        elif token is not None:
            if token.key in lexicon.titles:
                self._titled.add(len(self._tokens) + (-1 if lexicon.is_han else 1))
            self._tokens.append(token)
        if length:
            self._breaks.add(len(self._tokens))
        return length

    def _add_word(self, match: re.Match[str], place: int) -> None:
        said = match["word"]
        if is_han(said):
            at, last = len(self._tokens), self._tokens[-1:]
            if last and last[0].role == "word" and at not in self._breaks and last[0].own:
                said = self._tokens.pop().key + said
            self._tokens.append(Token("word", said, True, not self._lexicon.is_common(said)))
            return
        if self._lexicon.nouns is not None:
            self._add_noun(said, place, self._lexicon.nouns)
            return
        plain = _POSSESSIVE.sub("", said) if "'" in said or "’" in said else said
        low = plain.lower()
        known = self._lexicon.entries.get(low)
        if known is not None:
            self._tokens.append(known._replace(own=plain != said))
            return
        is_named = said[0].isupper() and not (self._shouts or (self._opens and not place))
        if low in self._lexicon.titles:
            self._titled.add(len(self._tokens) + 1)
        self._tokens.append(Token("word", self._lexicon.stem[low], own=is_named or plain != said))
        if plain != said:
            self._breaks.add(len(self._tokens))

    def _add_noun(self, said: str, place: int, nouns: Nouns) -> None:
        """Take a word of a language that writes all nouns with a capital."""
        low = said.lower()
        if (low in nouns.titles or low in nouns.degrees) and self._behind(place)[:1].isupper():
            return  # "Frau Adler"
        stem = self._lexicon.stem[low]
        own = not self._shouts and nouns.may_name(self._written, place)
        key = low if said[:1].isupper() and not nouns.is_common(low) else stem
        if own and nouns.is_articled(self._written, place):
            self._articled.add(len(self._tokens))
        at = place - 1
        while at > 0 and self._written[at].lower() in nouns.degrees:
            at -= 1  # "Frau Dr. Adler"
        sex = nouns.titles.get(self._written[at].lower()) if place else None
        if own and sex:
            key = f"{sex} {low}"  # Herr and Frau Adler are two
        elif own and low.endswith(("s", "s'", "s’")) and self._behind(place)[:1].isupper():
            key = low.rstrip("'’") + "'"  # "Silkes Umzug": of Silke, who does not move
        self._tokens.append(Token("word", key, own, own and nouns.is_known(self._written, place)))

    def _behind(self, place: int) -> str:
        return self._written[place + 1] if place + 1 < len(self._written) else ""

    def _is_label(self, place: int) -> bool:
        """Whether a day says which one is meant: "die Probe am Montag ist auf Freitag verlegt"."""
        nouns = self._lexicon.nouns
        if nouns is None or not place or self._written[place - 1].lower() not in nouns.labels:
            return False
        return any(word.lower() in nouns.targets for word in self._written[place:])

    def _add_value(self, match: re.Match[str], place: int) -> None:
        kind = match.lastgroup
        said = match[0].lower().strip()
        behind = ""
        if match["measure"] is not None:
            unit = match["unit"].lower()
            if self._lexicon.nouns is None and match["unit"].istitle() and len(unit) > _SYMBOL:
                self._tokens.append(Token("word", self._lexicon.stem[unit], own=True))
                return  # the number of a house: "27 Bankfield Drive"
            is_no_unit = (
                self._lexicon.nouns is not None
                and match["unit"].islower()
                and unit not in self._lexicon.nouns.units
            )
            said = said.removesuffix(unit).strip(" -")
            kind = f"measure:{self._lexicon.stem[unit]}"
            if is_no_unit or unit in self._lexicon.entries or unit in self._lexicon.marked:
                kind, behind = "number", unit  # "22 now"
        if kind == "weekday":
            said = (match.groupdict().get("day") or said).lower()  # montags
            if self._is_label(place):
                self._tokens.append(Token("word", f"={said}", own=True, is_known=False))
                return
        is_counted = kind in ("money", "number") or match["measure"] is not None
        amount = self._lexicon.amount(said.strip("$€£¥￥ ")) if is_counted else number_of(said)
        last = self._tokens[-1:]
        if kind == "number" and last and last[0].role == "word":
            if last[0].key in software():
                kind = "version"
            elif not last[0].own and len(self._tokens) not in self._breaks:  # "room 3": which
                self._tokens[-1] = last[0]._replace(key=f"{last[0].key} {said}")
                return
        if (
            kind in ("date", "weekday")
            and self._tokens
            and self._tokens[-1].key == self._lexicon.since
        ):
            self._places["changes"].append(len(self._tokens))
        self._values.append((kind or "number", said if amount is None else shown(amount)))
        if self._lexicon.nouns is None and not self._places["moves"]:
            self._labels.add(self._values[-1])
        self._breaks.add(len(self._tokens))
        if behind and not self._add_known((behind,), 0):
            self._tokens.append(Token("word", self._lexicon.stem[behind]))

    def _leave_out_home(self) -> None:
        """Take a move to what is no place for no change of a home: "I moved to Slack", "to
        ChatGPT"."""
        no_places = chosen() | software()
        for place, token in enumerate(self._tokens):
            if token.key == _HOME and any(
                t.key in no_places for t in self._until_adjunct(place + 1)
            ):
                self._tokens[place] = _NOTHING

    def _leave_out_agent(self) -> None:
        """Leave out who changes or ends, by profession, what holds of another: of "Dr Patel raised
        my dose" what tells of me."""
        if not any(map(self._places.__getitem__, CHANGING)):
            return  # as mostly
        tokens = self._tokens
        told = [place for place, t in enumerate(tokens) if t.role in (*_TOLD, "adjunct")]
        begins = 0
        while begins < len(told) and tokens[told[begins]].key in ("self", "we"):
            begins += 1  # "my doctor"
        behind = begins
        while behind < len(told) and self._is_agent(told[behind]):
            behind += 1
        whose = behind
        if whose < len(told) and tokens[told[whose]].role == "concept":
            whose += any(told[whose] in self._places[name] for name in CHANGING)  # "moved my scan"
        if begins < behind and whose < len(told) and tokens[told[whose]].role == "person":
            for place in told[:whose]:
                tokens[place] = _NOTHING

    def _is_agent(self, place: int) -> bool:
        token = self._tokens[place]
        if token.role != "word":
            return False
        is_called = token.key in self._lexicon.agents or place in self._titled
        return is_called or (self._lexicon.is_han and token.key.endswith((*self._lexicon.titles,)))

    def _name_persons(self) -> None:
        """Say whose relative is meant: "my dad", "Marta's dad", 小莲的妈妈. The owner's own token
        says nothing then."""
        tokens = self._tokens
        is_of_me = any(t.key in ("self", "we") and not t.own for t in tokens)
        for place, token in enumerate(tokens):
            if token.role != "person":
                continue
            if token.key in ("self", "we"):
                named, behind = (*tokens[place + 1 : place + 3], _NOTHING, _NOTHING)[:2]
                is_whole = behind.role not in _SAYING  # "my Visa card" is not
                if token.own and not is_of_me and is_whole and self._is_name(named):
                    self._mine.add(named.key)
                tokens[place] = token._replace(key=self._me)
            if not token.key.startswith("/"):
                continue
            at = place - 1
            if at > 0 and tokens[at].key == "的":
                at -= 1
            before = tokens[at] if at >= 0 else _NOTHING
            owner = self._me
            if before.role == "unknown" or before.key in self._lexicon.indefinite:
                tokens[place] = Token("unknown", "?")
                self._of_unknown.add(f"?{token.key}")
                continue
            if any(place in self._places[name] for name in CHANGING):
                pass  # "Joao moved Dad's bed"
            elif before.role == "person" or (before.role == "word" and before.own):
                owner = before.key
                tokens[at] = _NOTHING
            elif before.role == "word":  # "my older sister"
                owner = f"{self._me}/{before.key}"
                tokens[at] = _NOTHING
            tokens[place] = token._replace(key=f"{owner}{token.key}")

    def _first(self, last: frozenset[str]) -> tuple[frozenset[str], int]:
        """Of whom the clause tells, and where what it tells of them begins."""
        tokens = self._tokens
        if (owner := self._owner()) is not None:
            return frozenset((tokens[owner].key, tokens[owner].key.split()[-1])), owner + 1
        for place, token in enumerate(tokens):
            if token.role == "unknown":
                known = frozenset(("?",)) if token.key != "pronoun" or not last else last
                return known, place + 1
            if token.role == "person":
                after = tokens[place + 1 : place + 2]
                several = token.key.endswith("*")  # one of them without a name may be anyone
                names = {"?" if several else token.key}
                if "/" in token.key and not token.own and after and self._is_name(after[0]):
                    names = {after[0].key, token.key}
                return frozenset(names), place + len(names)
            if token.role == "concept" or place in self._places["ends"]:
                break
            if token.role == "adjunct" and any(t.role == "word" for t in tokens[:place]):
                break  # "the boathouse on Lake Street" is no Lake
            if token.role == "word":
                is_named = (token.own and not token.key.startswith("=")) or (
                    not place and self._opens and self._clause[:1].isupper() and not self._shouts
                    and self._lexicon.nouns is None
                    and token.key not in listed("no_names")
                )  # fmt: skip
                if place in self._articled and any(t.role in _TOLD for t in tokens[:place]):
                    continue  # "bestell die Wärmepumpe" tells of no Wärmepumpe
                if is_named and (not self._lexicon.is_han or not place):
                    key = token.key
                    names = {key, key.split()[-1]} if self._lexicon.nouns else {key}
                    return frozenset(names), place + 1
        places = (self._places[name] for name in ("ends", "over", "changes"))
        marked = min(chain.from_iterable(places), default=len(tokens))
        opens = not marked or tokens[0].role == "concept"
        if opens or not any(t.role == "word" for t in tokens[:marked]):
            return last or frozenset((self._me,)), 0
        return frozenset(), 0

    def _is_name(self, token: Token) -> bool:
        """Whether a word behind whoever has a relative may be the relative's name."""
        is_written = not self._lexicon.is_han or _HAN_NAME.fullmatch(token.key) is not None
        return token.role == "word" and token.own and is_written

    def _owner(self) -> int | None:
        """The place of a name behind a thing of which it is the owner: "die Pumpe von Köhlers"."""
        nouns = self._lexicon.nouns
        for place, (before, token) in enumerate(pairwise(self._tokens), 1):
            if token.role == "person" or (token.own and place not in self._articled):
                is_owned = nouns is not None and before.key in nouns.before_owners
                return place if is_owned and token.role == "word" else None
        return None

    def _may_name(self, key: str, first: frozenset[str]) -> bool:
        """Whether what a clause tells of may be a person: a capital without an article; in Chinese
        a surname or a pet name. No name has figures in it."""
        return (
            key in first
            and not any(map(str.isdigit, key))
            and (
                not self._lexicon.is_han or key[0] in surnames() or _HAN_NAME.match(key) is not None
            )
        )

    def _ends(self) -> list[int]:
        """Where the clause says that something is over; nowhere if it denies it: what "can't be
        cancelled any more" is not over."""
        ends = self._places["ends"]
        return [] if ends and self._places["not"] else ends + self._places["over"]
