"""Reading the claims of one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from graphmem_worker.claims.amounts import PRICE, amounts, rate_of
from graphmem_worker.claims.choices import HAN_CHOICES, canonical, is_refused, latin_choices
from graphmem_worker.claims.claim import FRAME_SLOT, LONGEST, STATES, Claim, Conflict
from graphmem_worker.claims.exclusions import asks, is_marked
from graphmem_worker.claims.numbers import (
    HAN_WEEK,
    MONTHS,
    number_of,
    plain_version,
    shown,
)
from graphmem_worker.claims.subjects import subject_of
from graphmem_worker.claims.topics import key_of, stem, topic_of
from graphmem_worker.language.expressions import Expression, captured, expression
from graphmem_worker.language.lists import classed, listed
from graphmem_worker.language.tables import simplified
from graphmem_worker.text.frames import frames


def claims(sentence: str, *, speaker: str | None = None) -> tuple[Claim, ...]:
    """The claims of `sentence`. Empty for a question, a guess, or a statement about the past.

    `speaker` becomes the subject of claims about "I".
    """
    text = simplified(sentence.strip())
    if not 3 <= len(text) <= LONGEST or text[0] in "[［【" or asks(text):
        return ()
    folded = text.casefold()
    if is_marked("guessed", folded) or is_marked("elsewhere", folded) or is_marked("over", folded):
        return ()
    return tuple(_Reader(text, folded, speaker).read())


_MEASURED: Final = ("amount:", "date", "weekday", "clock")  # slots of amounts and times


def _of(means: str) -> Expression:
    """The expression `means` of the tables `states`."""
    return expression("states", means)


class _Reader:
    """Collects the claims of one sentence and the spans of their values."""

    def __init__(self, text: str, folded: str, speaker: str | None) -> None:
        self._text = text
        self._folded = folded
        self._speaker = speaker
        self._claims: list[tuple[str, str, str, Conflict, str]] = []
        self._spans: list[tuple[int, int]] = []

    # Computed with the first claim, because most sentences have none.

    @cached_property
    def _subject(self) -> str:
        return subject_of(self._text, self._speaker)

    @cached_property
    def _changed(self) -> bool:
        return is_marked("changed", self._folded)

    @cached_property
    def _is_scheduled(self) -> bool:
        """Whether the sentence gives the time of something that is planned."""
        text = self._text
        return not (
            not _of("scheduled").within(text, self._folded)
            or is_marked("happened", self._folded)
            or (is_marked("event", self._folded) and not self._changed)
        )

    def read(self) -> list[Claim]:
        self._people()
        self._times()
        self._versions()
        self._quantities()
        self._choices()
        self._roles()
        self._frames()
        if not self._claims:
            return []
        topic = topic_of(self._text, self._spans)
        adds = _of("adds").within(self._text, self._folded)
        self._one_of_each()
        return [
            Claim(*claimed, topic, self._changed, len(self._text), adds)
            for claimed in dict.fromkeys(self._claims)
        ]

    def _one_of_each(self) -> None:
        """Of several amounts or times of one slot, keep the last if the sentence has a word of
        change, because the new value comes last; else none, because they are a list."""
        slot_values = [(slot, value) for _, slot, value, _, _ in self._claims]
        last = dict(slot_values)
        several = {s for s, v in slot_values if s.startswith(_MEASURED) and v != last[s]}
        self._claims = [
            claim
            for claim, (slot, value) in zip(self._claims, slot_values, strict=True)
            if slot not in several or (self._changed and value == last[slot])
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

    def _all(self, means: str) -> Iterable[re.Match[str]]:
        return _of(means).finditer(self._text, self._folded)

    def _is_free(self, found: re.Match[str]) -> bool:
        return not any(start < found.end() and found.start() < end for start, end in self._spans)

    def _people(self) -> None:
        for found in self._all("residence"):
            place = _first(found).lower()
            if place not in classed("choices") and place not in listed("software"):
                self._add("residence", place)  # but "moved to Slack"
        for found in self._all("employer"):
            if _of("hired").search(found[0]) and not _of("any place").match(_first(found)):
                self._add("employer", _first(found).lower())
        for found in self._all("team"):
            self._add("team", _first(found).strip().lower())
        for found in self._all("owner"):
            owner, thing = captured(found, "owner", "thing")
            self._add(f"owner:{key_of(thing)}", owner.lower(), subject="")

    def _times(self) -> None:
        for found in self._all("date"):
            day, month = captured(found, "day", "month")
            if month.isalpha() and month.isascii():
                month = str(MONTHS[month[:3].lower()])
            self._spans.append(found.span())
            if self._is_scheduled:
                days, months = (int(number_of(numeral) or 0) for numeral in (day, month))
                self._add("date", f"{months:02}-{days:02}")
        for found in self._all("weekday"):
            self._spans.append(found.span())
            is_past = self._text[max(0, found.start() - 5) : found.start()].lower() == "last "
            if self._is_scheduled and not is_past:
                latin, han = captured(found, "weekday", "hanweekday")
                self._add("weekday", (latin or HAN_WEEK[han]).lower() + "day")
        for found in self._all("floor"):
            floor = re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", _first(found).lower())
            self._add("floor", shown(number_of(floor)) if number_of(floor) is not None else floor)
            self._spans.append(found.span())
        for found in self._all("half"):
            past, hour_text = captured(found, "past", "hour")
            hour = int(number_of(hour_text) or 0)
            self._spans.append(found.span())
            if hour and self._is_scheduled:
                shift = {"half past": 30, "quarter past": 15, "quarter to": -15}[past.lower()]
                self._clock(*divmod(60 * hour + shift, 60), "")
        for found in self._all("clock"):
            if not self._is_free(found):
                continue
            hour_text, figures, quarter, half, part = captured(
                found, "hour", "minutes", "quarter", "half", "part"
            )
            value = number_of(hour_text)
            if value is None or value > 24 or not self._is_scheduled:
                continue
            minutes = int(figures or 0)
            if quarter:
                minutes = {"半": 30, "一刻": 15, "三刻": 45}.get(quarter) or int(
                    number_of(quarter.rstrip("分")) or 0
                )
            self._spans.append(found.span())
            self._clock(int(value), minutes, "p" if part in {"下午", "晚上"} else half.lower())

    def _clock(self, hour: int, minutes: int, half: str) -> None:
        if half == "p" and hour < 12:
            hour += 12
        self._add("clock", f"{hour:02}:{minutes:02}")

    def _versions(self) -> None:
        for found in self._all("upgraded"):
            name, old, new = captured(found, "name", "old", "new")
            if self._is_free(found) and name.lower() not in listed("no_versions"):
                slot = f"version:{name.lower()}"
                self._add(slot, plain_version(new), "version", rejects=plain_version(old))
                self._spans.append(found.span())
        for found in self._all("version"):
            name, value = captured(found, "name", "value")
            name = name.lower()
            if not self._is_free(found) or name in listed("no_versions"):
                continue
            if len(value) == 4 and value[:2] in {"19", "20"}:
                continue
            software = name.removesuffix(".js")
            if name not in classed("choices") and software not in listed("software"):
                continue
            self._add(f"version:{software}", plain_version(value), "version")
            self._spans.append((found.end() - len(value), found.end()))

    def _quantities(self) -> None:
        text, folded = self._text, self._folded
        prices, counted = list(PRICE.finditer(text)), list(amounts(text))
        if not (prices or counted):
            return
        if not self._changed and (is_marked("event", folded) or is_marked("happened", folded)):
            return
        rate = _of("rate").search(text)
        suffix = f"/{rate_of(rate[0])}" if rate else ""
        for found in prices:
            price = (number_of(found[1]) or 0) * (1000 if found[2] else 1)
            self._add(f"amount:money{suffix}", shown(price))
            self._spans.append(found.span())
        for unit, found in counted:
            value = number_of(found[1])
            if value is None or not self._is_free(found):
                continue
            if unit == "piece" and found[1] in {"一", "两", "几", "半", "one"}:
                continue
            self._add(f"amount:{unit}{suffix if unit == 'money' else ''}", shown(value))
            self._spans.append(found.span(1) if unit == "piece" else found.span())

    def _choices(self) -> None:
        text = self._text
        met: dict[str, list[tuple[str, bool]]] = {}
        han = HAN_CHOICES.finditer(text) if not text.isascii() else ()
        for found in (*latin_choices(text), *han):
            group = classed("choices")[found[0].lower()]
            needed = classed("choice_needs").get(group)
            if needed is not None and not is_marked(needed, self._folded):
                continue
            refused = is_refused(self._folded, *found.span())
            met.setdefault(group, []).append((canonical(found[0]), refused))
            self._spans.append(found.span())
        for group, words in met.items():
            wanted = [word for word, refused in words if not refused]
            unwanted = [word for word, refused in words if refused]
            # Two wanted at once are a list: "tea and coffee" chooses neither.
            if len(set(wanted)) > 1:
                continue
            slot = group if group in STATES else f"choice:{group}"
            value = wanted[0] if wanted else f"not {unwanted[0]}"
            kind: Conflict = "time" if wanted and group == "marital" else "preference"
            self._add(slot, value, kind, rejects=next(iter(unwanted), ""))

    def _roles(self) -> None:
        for found in self._all("role"):
            thing, value = captured(found, "thing", "value")
            if role := key_of(thing):
                self._add(f"role:{role}", canonical(value.lower()), "preference")

    def _frames(self) -> None:
        kinds: dict[str, Conflict] = {"use": "preference", "edition": "version"}
        for relation, thing, value in frames(self._text):
            head = stem(thing.split()[-1]) if thing.isascii() and thing else thing
            slot = f"{FRAME_SLOT}{relation}:{head}"
            self._add(slot, canonical(value), kinds.get(relation, "time"), subject="")


def _first(found: re.Match[str]) -> str:
    return next((group for group in found.groups() if group), "")
