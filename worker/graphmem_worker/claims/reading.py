# ruff: noqa: E501 (a pattern is read best in one line)
"""Reading the claims of one sentence."""

from __future__ import annotations

import re
from functools import cached_property

from graphmem_worker.claims.amounts import (
    FIGURE,
    HAN_RATE,
    NUMERALS,
    PRICE,
    RATE,
    SETTING,
    amounts,
    is_followed_by_unit,
    rate_of,
)
from graphmem_worker.claims.choices import (
    TOKEN,
    canonical,
    first_words,
    han_choices,
    is_refused,
    latin_choices,
)
from graphmem_worker.claims.claim import FRAME_SLOT, LONGEST, STATES, Claim, Conflict
from graphmem_worker.claims.exclusions import asks, says
from graphmem_worker.claims.numbers import WORDED, number_of, shown
from graphmem_worker.claims.states import (
    AGE,
    ANY_PLACE,
    BORN,
    CALLED,
    DISLIKES,
    DOSE,
    EMPLOYER,
    FAVOURITE,
    HAN_OWNER,
    HAN_ROLE,
    HIRED,
    JOB,
    NOWHERE,
    OWNER,
    PLACE,
    REPLACED,
    RESIDENCE,
    ROLE,
    TASTE,
    TEAM,
    VERBED,
)
from graphmem_worker.claims.subjects import subject_of
from graphmem_worker.claims.times import (
    CALENDAR,
    CLOCK,
    DATE,
    FLOOR,
    HALF,
    HAN_WEEK,
    MONTH,
    MONTHS,
    SCHEDULED,
    WEEKDAY,
)
from graphmem_worker.claims.topics import ADDS, key_of, stem, thing_of, topic_of
from graphmem_worker.claims.versions import (
    PINS,
    RUNS,
    UPGRADED,
    VERSION,
    VERSION_NAMED,
    plain_version,
)
from graphmem_worker.language.lists import classed, listed
from graphmem_worker.text.frames import frames


def claims(sentence: str, *, speaker: str | None = None) -> tuple[Claim, ...]:
    """What `sentence` claims. Empty for a question, a guess, or what is told of the past.

    `speaker` is who says it: it becomes the subject of what is said of "I".
    """
    text = sentence.strip()
    if not 3 <= len(text) <= LONGEST or text[0] in "[［【" or asks(text):
        return ()
    folded = text.casefold()
    if (
        says("guessed", folded)
        or says("elsewhere", folded)
        or (says("over", folded) and not says("still", folded))
    ):
        return ()
    if says("ago", folded) and not (says("changed", folded) or says("still", folded)):
        return ()
    return tuple(_Reader(text, folded, speaker).read())


class _Reader:
    """Collects the claims of one sentence and which spans their values take."""

    def __init__(self, text: str, folded: str, speaker: str | None) -> None:
        self._text = text
        self._folded = folded
        self._speaker = speaker
        self._claims: list[tuple[str, str, str, Conflict, str]] = []
        self._spans: list[tuple[int, int]] = []

    # Most sentences claim nothing: what only a claim needs is worked out for the first one.

    @cached_property
    def _subject(self) -> str:
        return subject_of(self._text, self._speaker)

    @cached_property
    def _changed(self) -> bool:
        return says("changed", self._folded)

    @cached_property
    def _is_scheduled(self) -> bool:
        """Whether it says when something is to be."""
        text = self._text
        return not (
            SCHEDULED.search(text) is None
            or says("happened", self._folded)
            or (says("event", self._folded) and not self._changed)
        )

    @cached_property
    def _tokens(self) -> frozenset[str]:
        return frozenset(TOKEN.findall(self._text.lower()))

    def read(self) -> list[Claim]:
        self._people()
        self._replacements()
        self._times()
        self._versions()
        self._quantities()
        self._choices()
        self._roles()
        self._tastes()
        self._frames()
        if not self._claims:
            return []
        topic = topic_of(self._text, self._spans)
        thing = thing_of(self._text)
        adds = ADDS.search(self._text) is not None
        recurs = says("recurs", self._folded)
        self._one_of_each()
        return [
            Claim(
                subject,
                slot,
                value,
                kind,
                rejects,
                topic,
                self._changed,
                len(self._text),
                thing,
                adds,
                recurs,
            )
            for subject, slot, value, kind, rejects in dict.fromkeys(self._claims)
        ]

    def _one_of_each(self) -> None:
        """Of several amounts or times of one slot, a change names the new one last; a list says none."""
        values: dict[str, set[str]] = {}
        for _, slot, value, _, _ in self._claims:
            values.setdefault(slot, set()).add(value)
        several = {
            s
            for s, v in values.items()
            if len(v) > 1 and s.startswith(("amount:", "date", "weekday", "clock"))
        }
        if several:
            last = {slot: value for _, slot, value, _, _ in self._claims}
            self._claims = [
                c
                for c in self._claims
                if c[1] not in several or (self._changed and last[c[1]] == c[2])
            ]

    def _add(
        self,
        slot: str,
        value: str,
        kind: Conflict = "time",
        *,
        rejects: str = "",
        subject: str | None = None,
    ) -> None:
        self._claims.append(
            (self._subject if subject is None else subject, slot, value, kind, rejects)
        )

    def _free(self, found: re.Match[str]) -> bool:
        return not any(start < found.end() and found.start() < end for start, end in self._spans)

    def _people(self) -> None:
        text, folded = self._text, self._folded
        for found in RESIDENCE.finditer(text, folded):
            place = _first(found).lower()
            if any(place.startswith(word) for word in classed("choices") if not word.isascii()):
                continue
            if (
                place
                and place not in MONTHS
                and not TEAM.pattern.search(found[0])
                and "楼" not in place
            ):
                self._add("residence", place)
        placed = PLACE.match(text)
        if placed is not None and not NOWHERE.search(_first(placed)):
            day = WEEKDAY.pattern.fullmatch(_first(placed))
            self._add(*(("weekday", _weekday(day)) if day else ("place", _first(placed).lower())))
        for found in EMPLOYER.finditer(text, folded):
            if (
                HIRED.search(found[0])
                and "组" not in found[0]
                and not ANY_PLACE.match(_first(found))
            ):
                self._add("employer", _first(found).lower())
        for found in TEAM.finditer(text, folded):
            self._add("team", _first(found).strip().lower())
        for found in JOB.finditer(text, folded):
            self._add("job", _first(found).strip().lower())
        for found in OWNER.finditer(text, folded):
            g = found.groups()
            if g[0]:
                owner, thing = g[0], g[1]
            elif g[2]:
                owner, thing = g[3], g[2]
            elif g[4]:
                owner, thing = g[6], g[5]
            elif g[7]:
                owner, thing = g[7], g[8]
            elif g[9]:
                owner, thing = g[9], g[10]
            else:
                owner, thing = g[12], g[11]
            if owner.lower() not in listed("no_names") and thing.split():
                self._add(f"owner:{key_of(thing)}", owner.lower(), subject="")
        for found in HAN_OWNER.finditer(text, folded):
            g = found.groups()
            owner, thing = (g[0], g[1]) if g[0] else (g[3], g[2]) if g[3] else (g[5], g[4])
            if owner and thing and owner not in listed("no_han_names"):
                self._add(f"owner:{key_of(thing)}", owner, subject="")
        for found in CALLED.finditer(text, folded):
            self._add("called", _first(found).lower())
        for found in AGE.finditer(text, folded):
            age = number_of(_first(found))
            if age and self._subject:
                self._add("age", shown(age))
        for found in FAVOURITE.finditer(text, folded):
            thing, value = (found[1], found[2]) if found[1] else (found[3], found[4])
            self._add(f"favourite:{key_of(thing)}", value.lower().strip(), "preference")
        for found in DOSE.finditer(text, folded):
            amount = number_of(found[1] or found[5])
            drug = (found[3] or found[4] or "").lower()
            self._add(
                f"dose:{drug}", f"{shown(amount)} {(found[2] or found[6]).lower().rstrip('s')}"
            )
            self._spans.append(found.span())

    def _replacements(self) -> None:
        folded = self._folded
        for found in REPLACED.finditer(self._text, folded):
            g = found.groups()
            pair = [each for each in g if each]
            if len(pair) != 2:
                continue
            old, new = pair
            if g[4] or g[6]:  # "new instead of old", "new, not old"
                new, old = pair
            old, new = old.lower(), new.lower()
            if (
                old in listed("no_names") - set(classed("choices"))
                or re.fullmatch(f"{MONTH}|{WORDED}|[a-z]+day", old)
                or new == old
            ):
                continue
            self._add(
                "uses",
                canonical(new),
                "time" if self._changed else "preference",
                rejects=canonical(old),
            )

    def _times(self) -> None:
        text, folded = self._text, self._folded
        for found in DATE.finditer(text, folded):
            g = found.groups()
            if g[1]:
                day, month = int(g[0]), MONTHS[g[1][:3].lower()]
            elif g[2]:
                day, month = int(g[3]), MONTHS[g[2][:3].lower()]
            elif g[4]:
                day, month = int(g[5]), int(g[4])
            else:
                day, month = int(number_of(g[7]) or 0), int(number_of(g[6]) or 0)
            self._spans.append(found.span())
            if self._is_scheduled:
                slot = "birthday" if BORN.search(text.lower()) else "date"
                self._add(slot, f"{month:02}-{day:02}")
        for found in WEEKDAY.finditer(text, folded):
            self._spans.append(found.span())
            before = text[max(0, found.start() - 5) : found.start()].lower()
            if before != "last " and self._is_scheduled:
                self._add("weekday", _weekday(found))
        for found in FLOOR.finditer(text, folded):
            said = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", _first(found).lower())
            self._add("floor", shown(number_of(said)) if number_of(said) is not None else said)
            self._spans.append(found.span())
        for found in HALF.finditer(text, folded):
            hour = int(number_of(found[2]) or 0)
            self._spans.append(found.span())
            if hour and self._is_scheduled:
                past = {
                    "half past": (hour, 30),
                    "quarter past": (hour, 15),
                    "quarter to": (hour - 1, 45),
                }
                self._clock(*past[found[1].lower()], "")
        for found in CLOCK.finditer(text, folded):
            if not self._free(found):
                continue
            g = found.groups()
            said = g[1] or g[4] or g[7] or g[10] or ""
            value = number_of(said)
            if value is None or value > 24 or not self._is_scheduled:
                continue
            minutes = int(g[2] or g[5] or 0)
            if g[11]:
                minutes = {"半": 30, "一刻": 15, "三刻": 45}.get(g[11]) or int(
                    number_of(g[11].rstrip("分")) or 0
                )
            half = (g[3] or g[6] or g[8] or "").lower()
            if g[9] in {"下午", "晚上"}:
                half = "p"
            self._spans.append(found.span())
            self._clock(int(value), minutes, half)

    def _clock(self, hour: int, minutes: int, half: str) -> None:
        if half == "p" and hour < 12:
            hour += 12
        self._add("clock", f"{hour:02}:{minutes:02}")

    def _versions(self) -> None:
        text, folded = self._text, self._folded
        named = False
        for found in UPGRADED.finditer(text, folded):
            g = [each for each in found.groups() if each]
            name = g[0].lower()
            if (
                self._free(found)
                and name not in listed("no_versions")
                and not is_followed_by_unit(text, found.end())
            ):
                self._add(
                    f"version:{name}",
                    plain_version(g[-1]),
                    "version",
                    rejects=plain_version(g[1]) if len(g) > 2 else "",
                )
                self._spans.append(found.span())
                named = True
        for found in VERSION.finditer(text, folded):
            name = found[1].lower()
            if not self._free(found) or name in listed("no_versions") or name in MONTHS:
                continue
            if is_followed_by_unit(text, found.end()) or (
                len(found[2]) == 4 and found[2][:2] in {"19", "20"}
            ):
                continue
            if name in {"version", "v", "release", "pinned", "firmware", "api"}:
                continue
            known = name in classed("choices") or name.removesuffix(".js") in listed("software")
            if len(name) < 2 or (not known and (found[1][0].islower() or not RUNS.search(text))):
                continue
            self._add(f"version:{name.removesuffix('.js')}", plain_version(found[2]), "version")
            self._spans.append(found.span(2))
            named = True
        for found in VERSION_NAMED.finditer(text, folded):
            if named or not self._free(found):
                continue
            name = (found[1] or found[6] or "").lower()
            value = found[2] or found[3] or found[4] or found[5]
            if (
                not value
                or is_followed_by_unit(text, found.end())
                or ("." not in value and not (name and PINS.search(text)))
            ):
                continue
            self._add(
                f"version:{'firmware' if name in {'固件', 'firmware'} else '' if name in {'版本', '版', 'version', 'release', 'app'} else name}",
                plain_version(value),
                "version",
            )
            self._spans.append(found.span())

    def _quantities(self) -> None:
        text, folded = self._text, self._folded
        if FIGURE.search(text) is None and NUMERALS.isdisjoint(self._tokens):
            return
        if not self._changed and (
            says("event", folded) or says("happened", self._folded) or says("was", self._folded)
        ):
            return
        rate = RATE.search(text)
        suffix = f"/{rate_of(rate[0])}" if rate else ""
        for found in PRICE.finditer(text):
            value = number_of(found[1])
            if value is not None and self._free(found):
                self._add(f"amount:money{suffix}", shown(value * (1000 if found[2] else 1)))
                self._spans.append(found.span())
        for found in HAN_RATE.finditer(text):
            self._add(f"amount:money/{rate_of(found[1])}", shown(number_of(found[2])))
            self._spans.append(found.span())
        for unit, found in amounts(text):
            value = number_of(found[1])
            if value is None or not self._free(found):
                continue
            if unit == "piece" and found[1] in {"一", "两", "几", "半", "one"}:
                continue
            if unit == "dose":
                self._add("dose:", shown(value))
            self._add(f"amount:{unit}{suffix if unit == 'money' else ''}", shown(value))
            self._spans.append(found.span(1) if unit == "piece" else found.span())
        for found in SETTING.finditer(text):
            said = (
                next(each for each in found.groups()[1:] if each) if any(found.groups()[1:]) else ""
            )
            if said and not any(
                start < found.end() and found.start() < end for start, end in self._spans
            ):
                self._add("amount:number", said)
                self._spans.append(found.span())

    def _choices(self) -> None:
        text = self._text
        met: dict[str, list[tuple[str, bool]]] = {}
        every: list[re.Match[str]] = []
        if not first_words().isdisjoint(self._tokens):
            every += latin_choices(text)
        if not text.isascii():
            every += han_choices().finditer(text)
        for found in every:
            word = found[0].lower()
            group = classed("choices").get(word) or classed("choices").get(word.rstrip("s"))
            if group == "time of day" and any(c[1] == "clock" for c in self._claims):
                continue
            if group == "tempo" and any(c[1].startswith("amount:money") for c in self._claims):
                continue
            if group is None or text[: found.start()].endswith("about "):
                continue
            needed = classed("choice_needs").get(group)
            if needed is not None and not says(needed, self._folded):
                continue
            refused = is_refused(self._folded, *found.span())
            met.setdefault(group, []).append((canonical(word), refused))
            self._spans.append(found.span())
        for group, words in met.items():
            wanted = [word for word, refused in words if not refused]
            unwanted = [word for word, refused in words if refused]
            slot = group if group in STATES else f"choice:{group}"
            # Two wanted at once are a list: "tea and coffee" says of neither that it is the one.
            if len(set(wanted)) > 1:
                continue
            if wanted:
                self._add(
                    slot,
                    wanted[0],
                    "time" if group == "marital" else "preference",
                    rejects=unwanted[0] if unwanted else "",
                )
            elif unwanted:
                self._add(slot, f"not {unwanted[0]}", "preference", rejects=unwanted[0])

    def _roles(self) -> None:
        text, folded = self._text, self._folded
        for found in ROLE.finditer(text):
            role = key_of(found[1])
            if role and not re.fullmatch(MONTH + r"|[A-Z][a-z]+day", found[2]):
                self._add(f"role:{role}", canonical(found[2].lower()), "preference")
        for found in VERBED.finditer(text):
            value = found[2].lower()
            if value not in listed("no_names") or value in classed("choices"):
                self._add(f"role:{stem(found[1])}", canonical(value), "preference")
        for found in HAN_ROLE.finditer(text, folded):
            if found[1] not in listed("no_han_names"):
                self._add(f"role:{key_of(found[1])}", canonical(found[2].lower()), "preference")

    def _frames(self) -> None:
        kinds: dict[str, Conflict] = {"use": "preference", "edition": "version"}
        for relation, thing, value in frames(self._text):
            of = stem(thing.split()[-1]) if thing.isascii() and thing else thing
            known = CALENDAR.fullmatch(value) is not None or (
                (value in listed("no_names") and value not in classed("choices")) or value == "you"
            )
            if not known:
                slot = f"{FRAME_SLOT}{relation}:{of}"
                self._add(slot, canonical(value), kinds.get(relation, "time"), subject="")

    def _tastes(self) -> None:
        folded = self._folded
        for found in TASTE.finditer(self._text, folded):
            g = found.groups()
            verb, thing = (g[0], g[1]) if g[0] else (g[2], g[3]) if g[2] else (g[5], g[4])
            thing = key_of(thing)
            if not thing or thing in {"it", "that", "thi"} or "allergic" in verb.lower():
                continue
            liked = "no" if DISLIKES.search(verb.lower()) else "yes"
            if self._subject:
                self._add(f"taste:{thing}", liked, "preference")


def _weekday(found: re.Match[str]) -> str:
    return (found[1] or HAN_WEEK[found[2]]).lower() + "day"


def _first(found: re.Match[str]) -> str:
    return next((group for group in found.groups() if group), "")
