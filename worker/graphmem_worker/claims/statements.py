"""Clauses as statements: subject, words, values, and what they end, change, add or doubt.

Only words of the tables `statements` of a language are interpreted: relatives and pronouns, words
that end, change, add or doubt, verbs and nouns of one attribute, and the shapes of values. All
other words are content; `superseding` compares them.
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
from graphmem_worker.language.sayings import folded, sayings
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.patterns import late
from graphmem_worker.text.words import words

_SENTENCES: Final = 8  # only so many of a memory are read
_CACHED: Final = 1 << 12
_SYMBOL: Final = 3  # letters of the longest unit that is written with a capital: "Mio"
_POSSESSIVE: Final = late(r"['’]s?$")
_HAN_NAME: Final = late(r"[小老阿].|(.)\1")
_HOME: Final = "=residence"
_CONTENT: Final = ("word", "concept")
_REFERENTS: Final = ("person", "word", "concept", "unknown")
_NOTHING: Final = Token("empty", "")


class Statement(NamedTuple):
    """What one clause states. Questions and events long past produce none."""

    subjects: frozenset[str]
    """All names of the subject: the first thing named that may be a person; "?" for a pronoun
    without a known referent. Empty if there is none, as in a clause of a value: "it's 4417"."""
    is_of_speaker: bool
    """The subject is the speaker."""
    is_inherited: bool
    """No subject is named: it is that of an earlier clause, or the speaker."""
    relatives: frozenset[str]
    """All relatives whom the memory names."""
    named: int
    """How many persons the memory names."""
    is_all: bool
    """The memory has no other statement, and this one lists nothing with "and"."""
    persons: frozenset[str]
    """The names that are persons, or may be by their form."""
    possessions: frozenset[str]
    """Names that the speaker calls theirs, if the speaker is not the subject: "my Finn"."""
    content: tuple[Token, ...]
    """Words and attributes other than the subject."""
    about: tuple[Token, ...]
    """The content before a word of end; all if there is none."""
    over: tuple[Token, ...]
    """What is over: the words behind a word of end, up to an adjunct (why, to whom, until when)."""
    attributes: tuple[tuple[str, tuple[Token, ...]], ...]
    """Each attribute with the words that follow it."""
    keys: frozenset[str]
    """The keys of all persons, words and attributes; "?/sister" for "his sister"."""
    values: tuple[tuple[str, str], ...]
    """(type, value), in their order."""
    labels: frozenset[tuple[str, str]]
    """The values before a word of moving: "Thursday's class moved to Friday"."""
    joined: frozenset[tuple[str, str]]
    """Keys of neighbouring words."""
    ends: bool
    denies: bool
    """It has "not" or "no longer"."""
    is_once: bool
    """The end holds for one occasion: "piano is cancelled this week"."""
    changes: bool
    moves: bool
    """A date or time changed."""
    adds: bool
    is_sure: bool
    is_soon: bool
    """It may take effect later: "next month", 下周."""
    happened: bool
    """It is about an event."""
    text: str
    """The clause itself."""


@lru_cache(_CACHED)
def statements(spans: tuple[str, ...], speaker: str | None = None) -> tuple[Statement, ...]:
    """The statements of the sentences of a memory, one for each clause.

    speaker: the referent of "I". Other pronouns refer to the person named last."""
    found: list[Statement] = []
    mine: set[str] = set()
    last: frozenset[str] = frozenset()
    for sentence, lexicon, clauses in _sentences(spans):
        me = key_of(speaker, lexicon)
        mine.add(me)
        is_guess = bool(clauses) and is_marked("guessed", folded(sentence))
        for clause in clauses:
            read = _Clause(clause, lexicon, me, opens=sentence.startswith(clause)).read(last)
            if read.subjects and "?" not in read.subjects:
                last = read.subjects
            found.append(read._replace(is_sure=False) if is_guess else read)
    persons = frozenset[str]().union(*(s.persons for s in found)) - mine
    relatives = frozenset(key for key in persons if "/" in key)
    named = len(persons) - len(
        {s.subjects for s in found if len(s.subjects) > 1}
    )  # one with two names
    is_one = len(found) == 1
    return tuple(
        s._replace(relatives=relatives, named=named, is_all=s.is_all and is_one) for s in found
    )


def key_of(speaker: str | None, lexicon: Lexicon) -> str:
    """The key of whoever says "I": the name as in texts that name its bearer; else "self"."""
    return " ".join(map(lexicon.key_of_name, folded(speaker or "").split())) or "self"


@lru_cache(_CACHED)
def is_single(spans: tuple[str, ...]) -> bool:
    """Whether the sentences of a memory make one statement; much faster than `statements`."""
    return sum(len(clauses) for _, _, clauses in _sentences(spans)) == 1


def _sentences(spans: tuple[str, ...]) -> Iterator[tuple[str, Lexicon, list[str]]]:
    """The sentences of a memory, each with its lexicon and clauses."""
    whole = " ".join(s for s in spans[:_SENTENCES] if not is_han(s))
    for span in spans[:_SENTENCES]:
        sentence = simplified(span.strip())
        lexicon = lexicon_of(sentence, whole)
        yield sentence, lexicon, _clauses(sentence, lexicon)


def is_over(spans: tuple[str, ...]) -> bool:
    """Whether a memory is only about what is long over, and so makes no statement."""
    some = spans[:_SENTENCES]
    if not sayings("claims", "over").may_be_in(folded("".join(some))):  # as of most
        return False
    is_past = any(is_marked("over", folded(span)) for span in some)
    return is_past and not any(clauses for _, _, clauses in _sentences(spans))


def states(sentence: str) -> bool:
    """Whether a sentence makes any statement."""
    text = simplified(sentence.strip())
    return bool(_clauses(text, lexicon_of(text)))


def _clauses(sentence: str, lexicon: Lexicon) -> list[str]:
    """The clauses of a sentence; none of a question or of what is long over."""
    if not 3 <= len(sentence) <= LONGEST or asks(sentence) or is_marked("over", folded(sentence)):
        return []
    return [clause for part in lexicon.breaks.split(sentence) if (clause := part.strip(" .。!！"))]


@lru_cache(1 << 8)
def asked_of(cue: str) -> frozenset[str]:
    """The persons that a question is about: relatives and names; "self" for the speaker. Empty if
    it names nobody or has a pronoun."""
    read = _read_cue(cue)
    if "?" in read.keys or "pronoun" in read.keys or "you" in read.keys:
        return frozenset()
    if is_han(cue):
        return read.persons
    return read.persons | {t.key for t in read.content if t.own}


def named_in(cue: str) -> frozenset[str]:
    """As `asked_of`, but also for questions with a pronoun, with Chinese subjects that may be no
    name, and "?/sister" for "his sister"."""
    read = _read_cue(cue)
    named = read.persons.union(
        (t.key for t in read.content if t.own), (key for key in read.keys if "/" in key)
    )
    return named | read.subjects if is_han(cue) else named


@lru_cache(1 << 8)
def attributes_of(cue: str) -> frozenset[str]:
    """The attributes of the tables that a question or sentence names."""
    return frozenset(token.key for token in _read_cue(cue).content if token.role == "concept")


def attribute_words(cue: str) -> tuple[str, ...]:
    """The index words of all expressions of the attributes that a question or sentence names:
    "Where do I live?", "I moved to Porto"."""
    return _words_of(lexicon_of(cue), attributes_of(cue))


@lru_cache(1 << 8)
def _words_of(lexicon: Lexicon, asked: frozenset[str]) -> tuple[str, ...]:
    entries = [entry for entry, token in lexicon.entries.items() if token.key in asked]
    return tuple(dict.fromkeys(words(" . ".join(entries))))


def _read_cue(cue: str) -> Statement:
    lexicon = lexicon_of(cue)
    return _Clause(simplified(cue).strip(" ?？。."), lexicon, "self", opens=True).read(frozenset())


@lru_cache(1 << 13)
def may_change(sentence: str) -> bool:
    """Whether a sentence holds a word of change or end, without which it changes nothing."""
    lexicon = lexicon_of(sentence)
    return lexicon.changing.search(folded(sentence)) is not None


def states_change(spans: tuple[str, ...], speaker: str | None = None) -> bool:
    """Whether any statement of some sentences changes or ends something."""
    return any(s.changes or s.ends for s in statements(spans, speaker))


@lru_cache(_CACHED)
def in_words(keys: frozenset[str]) -> frozenset[str]:
    """Keys of statements, and the index words in them: 喂两顿 holds 喂两 and 两顿."""
    return keys.union(*map(words, keys))


def is_grammar(word: str) -> bool:
    """Whether an index word is a mark, a time or a function word, which has no content."""
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
        """opens: the clause begins its sentence, so its first capital marks no name."""
        self._clause = clause
        self._lexicon = lexicon
        self._me = me
        self._opens = opens
        self._tokens: list[Token] = []
        self._places: dict[str, list[int]] = {name: [] for name in lexicon.marks}
        self._word_places: dict[str, list[int]] = {name: [] for name in lexicon.marks}  # of words
        self._values: list[tuple[str, str]] = []
        self._labels: set[tuple[str, str]] = set()
        self._breaks: set[int] = set()  # places behind a value, entry or possessive
        self._articled: set[int] = set()  # places behind an article, where names seldom stand
        self._of_unknown: set[str] = set()  # relatives of an unknown person: "his sister"
        self._mine: set[str] = set()  # Finn in "my Finn"
        self._titled: set[int] = set()  # places beside a title
        # All in capitals, which mark no names then.
        self._is_upper = clause.isupper() and len(lexicon.shouted.findall(clause)) > 1

    def read(self, last: frozenset[str]) -> Statement:
        """The statement. last: the last known subject of the clauses before it."""
        self._scan()
        self._leave_out_home()
        self._leave_out_agent()
        self._name_persons()
        tokens, marked, lexicon = self._tokens, self._places, self._lexicon
        referents = [t for t in tokens if t.role in _REFERENTS]
        named = [t.key for t in referents]
        first, begins = self._subject(last)
        if self._values and not referents:
            first = frozenset()  # "it's 4417"
        ends = self._ends()
        split = max(begins, min(ends, default=len(tokens)))
        before = [t for t in tokens[begins:split] if t.role in _CONTENT]
        return Statement(
            subjects=first,
            is_of_speaker=first == {self._me},
            is_inherited=first.isdisjoint(named),
            relatives=frozenset(),
            named=0,
            is_all=not marked["joins"],
            persons=frozenset(
                [t.key for t in referents if t.role == "person" or self._may_name(t.key, first)]
            ),
            possessions=frozenset(self._mine),
            content=tuple([t for t in tokens if t.role in _CONTENT and t.key not in first]),
            about=tuple([t for t in before if t.key not in lexicon.agents]),
            over=tuple(self._until_adjunct(split)),
            attributes=tuple(
                (token.key, tuple(self._until_adjunct(place)))
                for place, token in enumerate(tokens, 1)
                if token.role == "concept"
            ),
            keys=first.union(named, self._days(), self._of_unknown),
            values=tuple(dict.fromkeys(self._values)),
            labels=frozenset(self._labels if marked["moves"] else ()),
            joined=frozenset(
                [
                    (a.key, b.key)
                    for place, (a, b) in enumerate(pairwise(tokens), 1)
                    if a.role == b.role == "word"
                    and place not in self._breaks
                    and b.key not in lexicon.holders
                ]
            ),
            ends=bool(ends),
            denies=bool(marked["not"] or marked["over"]),
            is_once=bool(marked["once"]),
            changes=self._has_mark("changes"),
            moves=self._has_mark("moves"),
            adds=bool(marked["adds"]),
            is_sure=not marked["unsure"],
            is_soon=bool(marked["soon"]),
            happened=bool(marked["past"]),
            text=self._clause,
        )

    def _has_mark(self, name: str) -> bool:
        """Whether the clause has a mark that is not denied: "I never moved to Ghent"."""
        if not self._places[name]:  # as of most
            return False
        denied = min(self._word_places["not"], default=len(self._written))
        return len(self._places[name]) > sum(place > denied for place in self._word_places[name])

    def _days(self) -> frozenset[str]:
        """The days of the week as keys, with which another clause may identify an event."""
        if self._lexicon.nouns is None:
            return frozenset()
        return frozenset(f"={value}" for kind, value in self._values if kind == "weekday")

    def _until_adjunct(self, place: int) -> Iterator[Token]:
        """The words from a place on, up to an adjunct or an attribute behind the first of them."""
        is_begun = False
        for token in self._tokens[place:]:
            if is_begun and token.role in ("adjunct", "concept"):
                return
            if token.role in _CONTENT:
                yield token
                is_begun = is_begun or token.role == "word"

    def _scan(self) -> None:
        """Cut the clause into tokens, marks and values."""
        lexicon = self._lexicon
        found = list(lexicon.tokens.finditer(self._clause))
        self._written = [match["word"] or "" for match in found]
        lowered = [word.lower().replace("’", "'") for word in self._written]
        place = 0
        while place < len(found):
            length = self._add_known(lowered, place)
            if not lowered[place]:
                self._add_value(found[place], place)
            elif not length:
                self._add_word(found[place], place)
            place += length or 1
        if lexicon.nouns is not None and not self._opens and 0 in self._places["over"]:
            self._places["over"].remove(0)  # ", nicht mehr die Station" ends what is before it
        over = lexicon.over
        if over is not None and over.search(self._clause):
            self._places["over"].append(0)

    def _add_known(self, lowered: Sequence[str], place: int) -> int:
        """Add the longest mark and entry that begin at a place; returns their length in words."""
        lexicon = self._lexicon
        marks: Sequence[str] = ()
        token: Token | None = None
        length, run = 0, ""
        for size in range(lexicon.longest.get(lowered[place], 0)):
            word = lowered[place + size] if place + size < len(lowered) else ""
            if not word:
                break
            run = f"{run}{lexicon.gap}{word}" if run else word
            if run in lexicon.marked or run in lexicon.entries:
                marks, token = lexicon.marked.get(run, marks), lexicon.entries.get(run, token)
                length = size + 1
        for name in marks:
            self._places[name].append(len(self._tokens))
            self._word_places[name].append(place)
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
        word = match["word"]
        if is_han(word):
            at, last = len(self._tokens), self._tokens[-1:]
            if last and last[0].role == "word" and at not in self._breaks and last[0].own:
                word = self._tokens.pop().key + word
            self._tokens.append(Token("word", word, True, not self._lexicon.is_common(word)))
            return
        if self._lexicon.nouns is not None:
            self._add_noun(word, place, self._lexicon.nouns)
            return
        plain = _POSSESSIVE.sub("", word) if "'" in word or "’" in word else word
        low = plain.lower()
        known = self._lexicon.entries.get(low)
        if known is not None:
            self._tokens.append(known._replace(own=plain != word))
            return
        is_named = word[0].isupper() and not (self._is_upper or (self._opens and not place))
        if low in self._lexicon.titles:
            self._titled.add(len(self._tokens) + 1)
        self._tokens.append(Token("word", self._lexicon.stem[low], own=is_named or plain != word))
        if plain != word:
            self._breaks.add(len(self._tokens))

    def _add_noun(self, word: str, place: int, nouns: Nouns) -> None:
        """Add a word of a language that writes all nouns with a capital."""
        low = word.lower()
        if (low in nouns.titles or low in nouns.degrees) and self._behind(place)[:1].isupper():
            return  # "Frau Adler"
        stem = self._lexicon.stem[low]
        own = not self._is_upper and nouns.may_name(self._written, place)
        key = low if word[:1].isupper() and not nouns.is_common(low) else stem
        if own and nouns.is_articled(self._written, place):
            self._articled.add(len(self._tokens))
        at = place - 1
        while at > 0 and self._written[at].lower() in nouns.degrees:
            at -= 1  # "Frau Dr. Adler"
        sex = nouns.titles.get(self._written[at].lower()) if place else None
        if own and sex:
            key = f"{sex} {low}"  # Herr and Frau Adler are two
        elif own and low.endswith(("s", "s'", "s’")) and self._behind(place)[:1].isupper():
            key = low.rstrip("'’") + "'"  # "Silkes Umzug": Silke is not the subject
        self._tokens.append(Token("word", key, own, own and nouns.is_known(self._written, place)))

    def _behind(self, place: int) -> str:
        return self._written[place + 1] if place + 1 < len(self._written) else ""

    def _is_label(self, place: int) -> bool:
        """Whether a day identifies an event: "die Probe am Montag ist auf Freitag verlegt"."""
        nouns = self._lexicon.nouns
        if nouns is None or not place or self._written[place - 1].lower() not in nouns.labels:
            return False
        return any(word.lower() in nouns.targets for word in self._written[place:])

    def _add_value(self, match: re.Match[str], place: int) -> None:
        kind, nouns = match.lastgroup, self._lexicon.nouns
        text = match[0].lower().strip()
        behind = ""
        if match["measure"] is not None:
            unit = match["unit"].lower()
            if nouns is None and match["unit"].istitle() and len(unit) > _SYMBOL:
                self._tokens.append(Token("word", self._lexicon.stem[unit], own=True))
                return  # the number of a house: "27 Bankfield Drive"
            is_no_unit = nouns is not None and match["unit"].islower() and unit not in nouns.units
            text = text.removesuffix(unit).strip(" -")
            kind = f"measure:{self._lexicon.stem[unit]}"
            if is_no_unit or unit in self._lexicon.entries or unit in self._lexicon.marked:
                kind, behind = "number", unit  # "22 now"
        if kind == "weekday":
            text = (match.groupdict().get("day") or text).lower()  # montags
            if self._is_label(place):
                self._tokens.append(Token("word", f"={text}", own=True, is_known=False))
                return
        is_counted = kind in ("money", "number") or match["measure"] is not None
        amount = self._lexicon.amount(text.strip("$€£¥￥ ")) if is_counted else number_of(text)
        last = self._tokens[-1:]
        if kind == "number" and last and last[0].role == "word":
            if last[0].key in software():
                kind = "version"
            elif not last[0].own and len(self._tokens) not in self._breaks:  # "room 3"
                self._tokens[-1] = last[0]._replace(key=f"{last[0].key} {text}")
                return
        if kind in ("date", "weekday") and last and last[0].key == self._lexicon.since:
            self._places["changes"].append(len(self._tokens))
        self._values.append((kind or "number", text if amount is None else shown(amount)))
        if nouns is None and not self._places["moves"]:
            self._labels.add(self._values[-1])
        self._breaks.add(len(self._tokens))
        if behind and not self._add_known((behind,), 0):
            self._tokens.append(Token("word", self._lexicon.stem[behind]))

    def _leave_out_home(self) -> None:
        """Remove the attribute residence where the target is no place, "I moved to Slack", or the
        move is denied."""
        for place, token in enumerate(self._tokens):
            if token.key != _HOME:
                continue
            is_denied = place in self._places["changes"] and not self._has_mark("changes")
            behind = (t.key for t in self._until_adjunct(place + 1))
            if is_denied or any(key in chosen() or key in software() for key in behind):
                self._tokens[place] = _NOTHING

    def _leave_out_agent(self) -> None:
        """Remove a professional who changes something of a person: "Dr Patel raised my dose"."""
        if not any(map(self._places.__getitem__, CHANGING)):
            return
        tokens = self._tokens
        places = [place for place, t in enumerate(tokens) if t.role in (*_REFERENTS, "adjunct")]
        start = 0
        while start < len(places) and tokens[places[start]].key in ("self", "we"):
            start += 1  # "my doctor"
        end = start
        while end < len(places) and self._is_agent(places[end]):
            end += 1
        owner = end
        if owner < len(places) and tokens[places[owner]].role == "concept":  # "moved my scan"
            owner += any(places[owner] in self._places[name] for name in CHANGING)
        if start < end and owner < len(places) and tokens[places[owner]].role == "person":
            for place in places[:owner]:
                tokens[place] = _NOTHING

    def _is_agent(self, place: int) -> bool:
        token = self._tokens[place]
        if token.role != "word":
            return False
        is_called = token.key in self._lexicon.agents or place in self._titled
        return is_called or (self._lexicon.is_han and token.key.endswith((*self._lexicon.titles,)))

    def _name_persons(self) -> None:
        """Move the owner into the key of a relative: "my dad", "Marta's dad", 小莲的妈妈."""
        tokens = self._tokens
        is_of_me = any(t.key in ("self", "we") and not t.own for t in tokens)
        for place, token in enumerate(tokens):
            if token.role != "person":
                continue
            if token.key in ("self", "we"):
                named, behind = (*tokens[place + 1 : place + 3], _NOTHING, _NOTHING)[:2]
                is_whole = behind.role not in _CONTENT  # "my Visa card" is not
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
            if at == place - 1 and before.key.endswith(self._lexicon.governing):
                verb = next(filter(before.key.endswith, self._lexicon.governing))
                tokens[at] = before._replace(key=before.key.removesuffix(verb) or verb)
                before = _NOTHING  # 苏敏带孩子 is about 苏敏
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

    def _subject(self, last: frozenset[str]) -> tuple[frozenset[str], int]:
        """The `Statement.subjects`, and the place of the first token behind them."""
        tokens = self._tokens
        if (owner := self._owner()) is not None:
            return frozenset((tokens[owner].key, tokens[owner].key.split()[-1])), owner + 1
        for place, token in enumerate(tokens):
            if token.role == "unknown":
                known = frozenset(("?",)) if token.key != "pronoun" or not last else last
                return known, place + 1
            if token.role == "person":
                after = tokens[place + 1 : place + 2]
                is_plural = token.key.endswith("*")  # which of them is unknown
                names = {"?" if is_plural else token.key}
                if "/" in token.key and not token.own and after and self._is_name(after[0]):
                    names = {after[0].key, token.key}
                return frozenset(names), place + len(names)
            if token.role == "concept" or place in self._places["ends"]:
                break
            if token.role == "adjunct" and any(t.role == "word" for t in tokens[:place]):
                break  # "the boathouse on Lake Street" is no Lake
            if token.role == "word":
                is_named = (token.own and not token.key.startswith("=")) or (
                    not place and self._opens and self._clause[:1].isupper() and not self._is_upper
                    and self._lexicon.nouns is None
                    and token.key not in listed("no_names")
                )  # fmt: skip
                if place in self._articled and any(t.role in _REFERENTS for t in tokens[:place]):
                    continue  # in "bestell die Wärmepumpe" it is the object
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
        """Whether a word behind "my" or a relative may be a name."""
        is_written = not self._lexicon.is_han or _HAN_NAME.fullmatch(token.key) is not None
        return token.role == "word" and token.own and is_written

    def _owner(self) -> int | None:
        """The place of an owner's name behind the thing: "die Pumpe von Köhlers"."""
        nouns = self._lexicon.nouns
        for place, (before, token) in enumerate(pairwise(self._tokens), 1):
            if token.role == "person" or (token.own and place not in self._articled):
                is_owned = nouns is not None and before.key in nouns.before_owners
                return place if is_owned and token.role == "word" else None
        return None

    def _may_name(self, key: str, first: frozenset[str]) -> bool:
        """Whether a subject may be a person: no figures; in Chinese a surname or a pet name."""
        return (
            key in first
            and not any(map(str.isdigit, key))
            and (
                not self._lexicon.is_han or key[0] in surnames() or _HAN_NAME.match(key) is not None
            )
        )

    def _ends(self) -> list[int]:
        """The places of words of end; none if the end is denied: "can't be cancelled any more"."""
        ends = self._places["ends"]
        return [] if ends and self._places["not"] else ends + self._places["over"]
