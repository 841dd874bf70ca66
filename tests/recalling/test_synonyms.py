"""Without vectors "When is the rubbish collected?" found nothing in "Refuse day is Friday"."""

import pytest

import graphmem
from graphmem.recalling.synonyms import (
    compounds_of,
    inflected,
    of_compounds,
    of_kinds,
    of_unknown,
)
from graphmem_worker.text.words import words

TOLD = (
    "The refuse lorry comes on Fridays.",
    "Tom's landline is 0117 496 0233.",
    "We're with Truespeed for the broadband now.",
    "老魏从六月起一斤两块九，送货到店。",
    "女儿罗一诺在重庆读大三。",
    "My watch is two minutes slow.",
)


@pytest.mark.parametrize(
    ("asked", "known", "found"),
    [
        (["rubbish"], {"refus", "bin"}, ["refus", "bin"]),
        (["rubbish"], {"rubbish", "refus"}, []),  # the memory has the word itself
        (["rubbish"], {"friday"}, []),
        (["供货"], {"送货"}, ["送货"]),
        (["zeppelin", "0117"], {"refus"}, []),
    ],
)
def test_a_word_that_no_memory_holds_stands_for_known_synonyms(
    asked: list[str], known: set[str], found: list[str]
) -> None:
    assert of_unknown(asked, lambda word: int(word in known)) == found


@pytest.mark.parametrize(
    ("cue", "known", "found"),
    [
        ("Wo habe ich früher gewohnt?", {"wohn"}, ["wohn"]),
        ("Wer arbeitet in Kiel?", {"gearbeitet", "arbeiten"}, ["arbeiten", "gearbeitet"]),
        ("Wo habe ich gewohnt?", {"gewohnt", "wohn"}, []),  # the memory has the word itself
        ("Wo parke ich?", {"geparkt"}, ["geparkt"]),
        ("Wo ist mein Ticket?", {"tickt"}, []),  # no verb
        ("Was ist das für ein Rat?", {"rate"}, []),  # too short for a root
        ("Where is the tablet?", {"tabl"}, []),  # English words have the stems of the index
    ],
)
def test_a_form_of_a_german_verb_stands_for_the_others(
    cue: str, known: set[str], found: list[str]
) -> None:
    assert inflected(cue, words(cue), lambda word: int(word in known)) == found


@pytest.mark.parametrize(
    ("cue", "compounds"),
    [
        ("Wo ist der Schlüssel?", ["ersatzschlüssel|hallenschlüssel"]),
        ("Gibt es Rechnungen?", ["heizungsrechnung"]),
        ("Wo steht das Rad?", []),  # too short
        ("Ist der Schlüssel in der Rechnung?", ["heizungsrechnung", "ersatzschlüssel|hallenschlüssel"]),
        ("Where is the Schlüssel?", []),
    ],
)  # fmt: skip
def test_a_german_noun_stands_for_its_compounds(cue: str, compounds: list[str]) -> None:
    held = words("Ersatzschlüssel, Hallenschlüssel, Heizungsrechnung, Fahrrad")

    def ending_in(part: str, more: int) -> list[str]:
        return sorted(w for w in held if w.endswith(part) and len(w) >= len(part) + more)

    assert compounds_of(cue, words(cue), ending_in) == compounds


def test_what_was_told_with_a_compound_is_found_by_its_noun() -> None:
    """ "Wo ist der Schlüssel?" found nothing in "Der Ersatzschlüssel liegt unter dem Blumentopf"."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember("Der Hallenschlüssel ist verbogen.")
        memory.remember("Der Kellerraum ist feucht.")
        (spare,) = memory.remember("Der Ersatzschlüssel liegt unter dem Blumentopf.")
        assert memory.recall("Wo liegt der Schlüssel?")[0].id == spare.id


@pytest.mark.parametrize(
    ("cue", "answer"),
    [
        ("When is the rubbish collected?", 1),
        ("Which internet provider do we have?", 3),
        ("供货的是哪家？", 4),
        ("孩子在哪儿？", 5),
    ],
)
def test_a_question_in_other_words_is_answered(cue: str, answer: int) -> None:
    with graphmem.open(None, worker="none") as memory:
        for text in TOLD:
            memory.remember(text)
        assert memory.recall(cue, use=False)[0].id == answer


@pytest.mark.parametrize(
    ("said", "speaker", "cues"),
    [
        ("我住朝阳区望京街10号院。", "王女士",
         ["地址在哪？", "她的地址是什么？", "王女士住哪？", "王女士的地址？"]),
        ("收货地址是望京街10号院。", None, ["我住哪？", "我住在哪里？"]),
        ("我家在望京街10号院。", None, ["地址在哪？", "我住哪？"]),
        ("Ich bin von Bremen nach Kiel gezogen.", None, ["Wo wohne ich?", "Wo wohnen wir jetzt?"]),
        ("Got married to Tom in June.", None, ["Who is my husband?"]),
        ("My address is 12 Mill Lane, flat 3.", None, ["where do I live", "Where do I live?"]),
        ("I settled in Mill Lane, near the river.", None, ["What is my address?"]),
        ("Meine Adresse ist Mühlgasse 12.", None, ["Wo wohne ich?", "Wo wohne ich"]),
        ("Ich bin in die Mühlgasse 12 gezogen.", None, ["Wie ist meine Adresse?"]),
        ("Started at Huawei today, my desk is on F3.", None, ["Where do I work?"]),
        ("I joined Heron Labs in May.", None, ["Who do I work for?"]),
    ],
)  # fmt: skip
def test_what_is_asked_by_its_noun_is_told_by_its_verb(
    said: str, speaker: str | None, cues: list[str]
) -> None:
    """An address, or an employer, that was stored in other words was not found, or behind a dishwasher."""
    with graphmem.open(None, worker="none") as memory:
        for other in ("洗碗机漏水。", "My dishwasher leaks.", "Meine Spülmaschine leckt."):
            memory.remember(other, speaker=speaker)
        (told,) = memory.remember(said, speaker=speaker)
        for cue in cues:
            assert [hit.id for hit in memory.recall(cue)][:1] == [told.id], cue


@pytest.mark.parametrize(
    ("cue", "others"),
    [
        (
            "What is my address?",
            (
                "We moved the release to 10 May.",
                "Ann works from home on Fridays.",
                "The team lives for pizza.",
                "Everybody moved out of the way.",
            ),
        ),
        ("Where do I live?", ("Please address the issue.", "Open the window.")),
        ("Where do I work?", ("The show started at nine.", "Hire a van for Saturday.")),
        ("我在哪里定居？", ("发布搬到五月了。", "爷爷住院了。", "安娜搬进一台打印机。")),
        (
            "Wie ist meine Adresse?",
            ("Das Team lebt für Pizza.", "Der Termin ist umgezogen.", "Wir ziehen die Sache durch."),
        ),
    ],
)  # fmt: skip
def test_a_verb_that_tells_no_address_answers_no_question_for_it(
    cue: str, others: tuple[str, ...]
) -> None:
    """Three notes about work and pizza were told, where nobody's address was known."""
    with graphmem.open(None, worker="none") as memory:
        for other in others:
            memory.remember(other)
        assert [hit.text for hit in memory.recall(cue)] == []


@pytest.mark.parametrize(
    ("said", "cue"),
    [
        ("I'm a nurse at the children's hospital.", "What's my job?"),
        ("We adopted a beagle called Biscuit.", "Do we have any pets?"),
        ("我们养了一只柯基，叫豆豆。", "家里有宠物吗？"),
        ("我是护士，经常上夜班。", "我做什么工作？"),
        ("Wir haben jetzt einen Dackel.", "Haben wir ein Haustier?"),
    ],
)
def test_what_is_asked_by_its_kind_is_found(said: str, cue: str) -> None:
    """No memory holds the word of the kind."""
    with graphmem.open(None, worker="none") as memory:
        for other in ("The kettle leaks.", "水壶漏水。", "Der Kessel leckt."):
            memory.remember(other)
        (told,) = memory.remember(said)
        assert [hit.id for hit in memory.recall(cue)][:1] == [told.id]


def test_of_a_kind_only_what_is_known_is_asked_for_and_once() -> None:
    known = {"beagl", "cat", "pet"}
    (asked,) = of_kinds(["pet"], lambda word: int(word in known))
    assert sorted(asked.split("|")) == ["beagl", "cat"]
    (asked,) = of_kinds(["pet", "cat"], lambda word: int(word in known))
    assert asked == "beagl"
    assert of_kinds(["kettle", "beagl"], lambda word: 1) == []


@pytest.mark.parametrize(
    ("cue", "known", "found"),
    [
        ("Wer gibt den Schlagzeugunterricht?", "Schlagzeug", "Schlagzeug"),
        ("Wer gibt den Schlagzeugunterricht?", "Schlagzeug, Schlag, Unterricht", "Schlagzeug"),
        ("Wer gibt den Geigenunterricht?", "Schlagzeug, Unterricht", "Unterricht"),
        ("Rauchmelderbatterie?", "Rauchmelder", "Rauchmelder"),
        ("Was kosten die Fährtickets?", "Fähre", "Fähre"),
        ("Wann ist Schwimmzeit?", "Schwimmen", "Schwimmen"),
        ("Wie hoch sind die Klassenfahrtskosten?", "Klassenfahrt", "Klassenfahrt"),
        ("Was ist mit der Bremsenreparatur?", "Bremse", "Bremse"),
        ("Wer gibt den Schlagzeugunterricht?", "Schlagzeugunterricht, Schlagzeug", ""),
        (
            "Was ist die Unterstellmöglichkeit?",
            "unter, Stelle",
            "",
        ),  # a function word, four letters
        ("The Percussionists are late.", "percussion", ""),
    ],
)
def test_a_german_compound_that_no_memory_holds_asks_for_its_part(
    cue: str, known: str, found: str
) -> None:
    """ "Schlagzeugunterricht" found nothing in "Lasse hat Schlagzeug bei Herrn Okonjo"."""
    held = {*words(known)}
    assert of_compounds(cue, words(cue), lambda word: int(word in held)) == words(found)


def test_a_compound_of_a_cue_finds_a_note_without_vectors() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("Lasse hat am Dienstag Schlagzeug bei Herrn Okonjo.")
        memory.remember("Die Katze schläft.")
        found = memory.recall("Wer gibt den Schlagzeugunterricht?", use=False)
        assert [hit.text[:5] for hit in found] == ["Lasse"]
