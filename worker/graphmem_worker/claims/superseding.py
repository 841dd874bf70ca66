"""Superseding: whether a newer memory ends or changes, in words, what an older one states.

Both must have the same subject and share words of one attribute; then the newer one

- *ends* the older, if it has a word of end and all that it ends stands in the older one;
- *changes* it, if it has a word of change and gives another value of one type;
- *may* concern it, if it shares words with it and ends, changes or gives another value.

Only the first two are likely to supersede it. The older memory is certainly outdated only if it
states nothing else, and nothing else in the newer one leaves a doubt (`_is_clear`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import product
from typing import Final, Literal, NamedTuple

from graphmem_worker.claims.contrast import contrasted
from graphmem_worker.claims.numbered import distinguishing_words
from graphmem_worker.claims.statements import (
    Statement,
    in_words,
    is_single,
    may_change,
    statements,
)
from graphmem_worker.claims.vocabulary import Token, chosen, is_han, lexicon_of, software
from graphmem_worker.language.tables import as_written

How = Literal["ends", "changes", "may"]
_ORDER: Final[tuple[How, ...]] = ("ends", "changes", "may")
_HAN: Final = "\u3041"  # words that begin with this character or a later one are Chinese
_HAN_WORD: Final = 2  # characters
_LONGEST_VALUE: Final = 2  # words of a value
_PARTS: Final = frozenset(("weekday", "time", "clock", "number"))
"""Types of values that may limit what is over to a part: "Friday's class"."""
_HOME: Final = "=residence"
_SCHEDULED: Final = frozenset(("date", "weekday", "clock"))
"""Types of values that belong to one event only if nothing else differs."""
_ONE_OF: Final = frozenset((_HOME, "=employer", "=name", "=weight", "=dose", "=school"))
"""Attributes that have one value at a time, unlike allergies and cars."""
_COMPLETE: Final = _ONE_OF | {"=drive"}  # "He no longer drives" needs no word for what he drives


class Superseding(NamedTuple):
    """How a newer memory concerns an older one."""

    how: How
    shared: frozenset[str]  # the words of the older one that the newer one has
    is_soon: bool = False  # it may take effect later: "next month"
    is_clear: bool = False  # nothing else in either leaves a doubt

    @property
    def is_likely(self) -> bool:
        """Whether the newer one probably supersedes the older one."""
        return self.how != "may" and not self.is_soon

    @property
    def is_sure(self) -> bool:
        """Whether the older one certainly no longer holds."""
        return self.is_likely and self.is_clear


@lru_cache(1 << 13)
def superseding(
    older: tuple[str, ...],
    newer: tuple[str, ...],
    speakers: tuple[str | None, str | None] = (None, None),
    *,
    surely: bool = False,
) -> Superseding | None:
    """How the sentences of a newer memory concern those of an older one; None if they do not, or
    only repeat it.

    speakers: of the older and the newer one. surely: return only results that are `is_clear`; they
    may be `is_soon`."""
    if newer == older:
        return None
    new = statements(newer, speakers[1])
    replacing = [b for b in new if _may_replace(b) and _is_of_one(b)] if surely else new
    if not replacing or (surely and not is_single(older)):
        return None
    old = statements(older, speakers[0])
    lasting = filter(_may_be_replaced, old) if surely else old
    pairs = [pair for pair in product(lasting, replacing) if not surely or _same(*pair)]
    if not pairs or are_apart(older, newer, speakers):
        return None
    every = [each for a, b in pairs if (each := _compared(a, b)) is not None]
    best = min(every, key=lambda e: (not e.is_clear, _ORDER.index(e.how)), default=None)
    if best is None:
        return None
    before, after = " ".join(older), " ".join(newer)
    lexicon = lexicon_of(after)
    if best.is_clear and not lexicon.limits(after) <= lexicon.limits(before):
        best = best._replace(is_clear=False)
    return best if best.is_clear or not surely else None


def rest_of(
    older: tuple[str, ...],
    newer: tuple[str, ...],
    speakers: tuple[str | None, str | None] = (None, None),
) -> tuple[str, ...]:
    """The clauses of an older memory that a newer one does not concern, if it concerns another:
    "heating is included" for "The rent is 900, heating is included." and "The rent is 950 now."."""
    clauses = statements(older, speakers[0])
    stated = in_words(frozenset[str]().union(*(s.keys for s in statements(newer, speakers[1]))))
    own = (_keys(s.content).union(() if s.is_inherited else s.subjects) for s in clauses)
    rest = [s for s, keys in zip(clauses, own, strict=True) if stated.isdisjoint(in_words(keys))]
    written = " ".join(older)
    return tuple(as_written(s.text, written) for s in rest) if len(rest) < len(clauses) else ()


@lru_cache(1 << 13)
def may_replace(newer: tuple[str, ...], speaker: str | None = None) -> bool:
    """Whether a memory can certainly supersede some other one; most cannot."""
    return any(map(may_change, newer)) and any(map(_may_replace, statements(newer, speaker)))


def _may_replace(new: Statement) -> bool:
    return new.is_sure and (new.ends or new.changes or new.moves)


def _may_be_replaced(old: Statement) -> bool:
    return old.is_sure and not old.happened and (old.changes or not old.ends)


def are_apart(
    older: tuple[str, ...],
    newer: tuple[str, ...],
    speakers: tuple[str | None, str | None] = (None, None),
) -> bool:
    """Whether two memories are about different persons or things."""
    (before, old), (after, new) = _named(older, speakers[0]), _named(newer, speakers[1])
    numbered = distinguishing_words(older, newer)
    if numbered and not any(len(key) > 1 for key in (before & after) - numbered):
        return True
    if contrasted(" ".join(older), " ".join(newer)):
        return True
    return bool(before and after) and not (_among(before, new) or _among(after, old))


def are_of_others(
    older: tuple[str, ...],
    newer: tuple[str, ...],
    speakers: tuple[str | None, str | None] = (None, None),
) -> bool:
    """Whether two memories that are apart state different things of different persons. Not so if
    only the person differs, who may have taken the other's place; nor may a name be compared with
    a relative, who may be called so."""
    (before, old), (after, new) = _named(older, speakers[0]), _named(newer, speakers[1])
    if "self" in before | after or any(_may_be_one(a, b) for a, b in product(before, after)):
        return False
    if not {"/" in key for key in before} & {"/" in key for key in after}:
        return False
    stated = statements(older, speakers[0]), statements(newer, speakers[1])
    is_other = (
        any(not _meets(token.key, keys) for one in some for token in one.content)
        for some, keys in zip(stated, (new, old), strict=True)
    )
    return all(is_other) or differ(older, newer, speakers)


def _may_be_one(a: str, b: str) -> bool:
    """Whether two names may be of one: Max and Maximilian; 文静 with the words behind it."""
    return a in b or b in a or (is_han(a) and a[:_HAN_WORD] == b[:_HAN_WORD])


@lru_cache(1 << 12)
def _named(spans: tuple[str, ...], speaker: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """The named subjects of a memory, and everything that it names."""
    stated = statements(spans, speaker)
    firsts = frozenset[str]().union(*(s.subjects for s in stated))
    return firsts - {"?"}, frozenset[str]().union(*(s.keys for s in stated))


def _compared(old: Statement, new: Statement) -> Superseding | None:
    if _has_other_subject(old, new):
        return None
    shared = frozenset(t.key for t in old.content if _meets(t.key, new.keys))
    shared |= {key for key in old.subjects if _meets(key, new.keys)}
    how = _how(old, new, shared) if shared else None
    if how is None:
        return None
    return Superseding(how, shared, new.is_soon, how != "may" and _is_clear(old, new, how))


def _how(old: Statement, new: Statement, shared: Set[str]) -> How | None:
    if old.ends and not old.changes:
        return None
    is_sure = new.is_sure and _may_be_replaced(old) and _same(old, new)
    if is_sure and new.ends and not new.adds and _is_ended(old, new):
        return "ends"
    differing = _differing(old, new)
    only_old = [t for t in old.content if not _meets(t.key, new.keys)]
    only_new = [t for t in new.content if not _meets(t.key, old.keys)]
    if is_sure and not new.adds:
        if differing and all(_is_one(old, new, kind) for kind in differing):
            is_scheduled = not _SCHEDULED.isdisjoint(differing) and bool(only_old or only_new)
            if new.moves if is_scheduled else new.changes or new.moves:
                return "changes"
        if not differing and _is_replaced(old, new, shared, only_old, only_new):
            return "changes"
    gives_another = bool(differing) or (bool(only_old) and bool(only_new))
    is_of_thing = bool(differing) or not shared <= old.subjects & old.persons
    if is_of_thing and not new.adds and (new.ends or new.changes or gives_another):
        return "may"
    return None


def _is_clear(old: Statement, new: Statement, how: How) -> bool:
    """Whether the memory of the older statement states nothing else, and the newer one names
    nothing new but another value of an attribute that has one value at a time."""
    before = _by_type(old)
    is_labelled = new.labels <= {*old.values}  # "Thursday's class moved to Friday"
    is_given = _by_type(new).keys() <= {*before, "date", *(("number",) if before else ())}
    is_open = new.adds or new.is_once or "?" in new.keys
    concepts = {t.key for t in new.content if t.role == "concept"}
    if is_open or not (old.is_all and is_labelled and is_given):
        return False
    beside = concepts - old.keys  # "I no longer eat meat at home"; "the exam moved to Friday"
    if beside and not (new.moves and beside == {_HOME}):
        return False
    lexicon = lexicon_of(new.text)
    is_of_thing = not (new.values or new.is_of_speaker or new.subjects & new.persons)
    is_scheduled = not (_SCHEDULED | {"number"}).isdisjoint(_by_type(new))
    if (is_scheduled or is_of_thing) and lexicon.is_of_day(new.text):
        return False  # "The standup was moved to 11 today", but "Mia quit piano today"
    only_new = {t.key for t in _words(new.content) if t.key not in old.keys}
    only_new -= lexicon.agents  # "My doctor put me on 75 mg"
    if not only_new:
        return True
    added = [t for t in new.content if t.key in only_new]  # "moved from Ulm to Bonn"
    words = [word.strip(".,;!?") for word in new.text.lower().split()[1:]]
    if lexicon.since in words and how == "changes":
        return False  # York is the former value: "I moved here from York"
    if lexicon.since in words and not concepts:  # "We switched from Jira to Linear"
        former = lexicon.stems(words[words.index(lexicon.since) + 1 :])
        is_named = not old.keys.isdisjoint(former)  # not so: "no tea from Jing any more"
        return is_named and len(added) == 1 and _is_value(added)
    is_relative = how == "changes" and any("/" in key for key in old.subjects & new.keys)
    if len(concepts) > 1 or not (concepts <= _ONE_OF if concepts else is_relative):
        return False
    values = [t for attribute, tokens in new.attributes for t in tokens if attribute in concepts]
    return not _differing(old, new) and only_new <= (_keys(values) or only_new)


def _keys(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(t.key for t in tokens)


def _meets(key: str, others: frozenset[str]) -> bool:
    """Whether a word is among others; of Chinese words, one may be part of the other."""
    return key in others or (key >= _HAN and _meets_part(key, others))


@lru_cache(1 << 14)
def _meets_part(key: str, others: frozenset[str]) -> bool:
    return len(key) >= _HAN_WORD and any(
        len(other) >= _HAN_WORD and other >= _HAN and (key in other or other in key)
        for other in others
        if not (other.startswith(f"{key}/") or key.startswith(f"{other}/"))  # relatives differ
    )


def _has_other_subject(old: Statement, new: Statement) -> bool:
    """Whether two statements have different subjects."""
    if not old.subjects or not new.subjects or "?" in old.subjects or "?" in new.subjects:
        return False
    return not (_among(old.subjects, new.keys) or _among(new.subjects, old.keys))


def _is_of_one(statement: Statement) -> bool:
    """Whether the subject of a statement is known, and the memory names no other person."""
    return "?" not in statement.subjects and statement.named <= 1


def _same(old: Statement, new: Statement) -> bool:
    """Whether two statements certainly have one subject."""
    if not (_is_of_one(old) and _is_of_one(new) and new.relatives <= old.relatives):
        return False
    if old.subjects and new.subjects:
        names = {key for key in old.subjects ^ new.subjects if "/" not in key}
        if old.subjects & new.subjects:  # "my sister Lena" and "my sister Carla" are two
            return not (names & old.subjects and names & new.subjects)
    if new.is_of_speaker and old.subjects and old.subjects <= _keys(new.content):
        return True  # "Postgres is on 14", "We upgraded Postgres to 15"
    if old.subjects and not old.is_of_speaker:
        return False
    if not new.persons <= old.persons or old.persons - old.subjects:
        return False
    return all(
        _meets(key, old.keys) for key in new.subjects
    )  # the object may come first: 视频会员我取消了


def _among(persons: Set[str], keys: frozenset[str]) -> bool:
    return not keys.isdisjoint(persons) or any(
        _meets_part(person, keys) for person in persons if person >= _HAN
    )


def _named_first(old: Statement, new: Statement) -> frozenset[str]:
    """What is over if no word for it stands behind the word of end: "piano is cancelled". "Tom
    cancelled" and "Tom不换了" end nothing of what is said of Tom."""
    things = _keys(new.about) or (frozenset() if new.denies else new.subjects - new.persons)
    if is_han(new.text):  # unknown words in Latin letters may be names
        known = software() | chosen()
        things = frozenset(key for key in things if key >= _HAN or key in known)
    is_first = things & old.subjects or old.text.lower().startswith((*things,))
    others = (key for key in old.keys - things if not key.startswith("="))
    return frozenset() if is_first and any(others) else things


def _is_ended(old: Statement, new: Statement) -> bool:
    """Whether all that the newer one ends stands in the older one, as its own word and not as part
    of another one: "yoga" does not end the "yoga mat". A denial ends no denial: "She can't drive
    any more", "she can't drive at night"."""
    if old.denies and new.denies:
        return False
    here = _keys(old.content) | old.subjects
    over = _keys(_words(new.over) or new.over)
    about = new.about if over else ()  # a "shift meeting" is no shift
    things = over or _named_first(old, new)
    if not things or not things <= here:
        return False
    if any(words for key, words in old.attributes if things == {key} and key not in _COMPLETE):
        return False  # "Tom isn't taking it any more"
    if not all(_meets(t.key, old.keys) for t in about if t.role == "word"):
        return False
    # "the blue bike" is not "the bike", "yoga" is not "the yoga mat".
    if any((a in things) != (b in things) for a, b in old.joined):
        return False
    before, after = _by_type(old), _by_type(new)  # "Friday's class is cancelled"
    return all(after[kind] == before.get(kind) for kind in after.keys() & _PARTS)


def _differing(old: Statement, new: Statement) -> list[str]:
    """The types of value that both give, where the newer one has a value that the older lacks."""
    before, after = _by_type(old), _by_type(new)
    if "money" in before and "number" not in before and "number" in after:
        after.setdefault("money", after["number"])  # "went up to 950"
    return [kind for kind, values in after.items() if kind in before and not values <= before[kind]]


def differ(
    older: tuple[str, ...], newer: tuple[str, ...], speakers: tuple[str | None, str | None]
) -> bool:
    """Whether two memories give different values of one type: two prices, two times of day."""
    after = [new for new in statements(newer, speakers[1]) if new.values]
    before = statements(older, speakers[0]) if after else ()  # most have no values
    return any(_differing(old, new) for old, new in product(before, after) if old.values)


def _is_one(old: Statement, new: Statement, kind: str) -> bool:
    """Whether both give exactly one value of a type, so that the newer replaces the older; if
    moved, equally many weekdays. Not "in the morning", which may identify another thing."""
    before, given = _by_type(old)[kind], _by_type(new)
    after = given.get(kind) or given["number"]
    if kind == "weekday" and new.moves:
        return len(before) == len(after)
    return kind != "time" and len(before) == len(after) == 1


def _by_type(statement: Statement) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for kind, value in statement.values:
        found.setdefault(kind, set()).add(value)
    return found


def _is_replaced(
    old: Statement, new: Statement, shared: Set[str], only_old: list[Token], only_new: list[Token]
) -> bool:
    """Whether a name or word replaces another: "lives in Porto", "moved to Leeds"; "our beekeeper
    is Odile now"."""
    if not new.changes:
        return False  # "lives in Guangdong", "lives in Foshan": one may be part of the other
    before, after = dict(old.attributes), dict(new.attributes)
    attributes = {t.key for t in new.content if t.role == "concept"}
    for attribute in attributes & before.keys():
        old_value, new_value = before[attribute], after[attribute]
        are_values = _is_value(old_value) and _is_value(new_value)
        is_other = are_values and not any(_meets(t.key, _keys(new_value)) for t in old_value)
        if is_other and not _is_stated(new_value, old):
            return True
    old_value, new_value = _words(only_old), _words(only_new)
    if not (_is_value(old_value) and _is_value(new_value)) or _is_stated(new_value, old):
        return False
    if len(old_value) != len(only_old) or len(new_value) != len(only_new):
        return False
    is_relative = any("/" in key for key in shared & old.subjects)  # "My boss is Peter now"
    if is_relative and (
        new_value[0].key.isascii() or (new.moves and len(old_value) == len(new_value) == 1)
    ):
        return True  # but "我妈的药换成缬沙坦了" is about her medicine
    return any(t.key in shared for t in old.content)


def _is_stated(tokens: Sequence[Token], old: Statement) -> bool:
    """Whether Chinese words stand in the older clause, even across its word boundaries:
    "我决定去华为了", "今天入职华为"."""
    return all(t.key >= _HAN and t.key in old.text for t in tokens)


def _words(tokens: Iterable[Token]) -> tuple[Token, ...]:
    return tuple(t for t in tokens if t.role == "word")


def _is_value(tokens: Sequence[Token]) -> bool:
    return 1 <= len(tokens) <= _LONGEST_VALUE and all(
        t.own and t.is_known and t.role == "word" for t in tokens
    )
