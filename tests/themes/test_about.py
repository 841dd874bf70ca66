"""A broad question gets ten hits about one corner of it, or greetings, and the rest stays unknown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

import graphmem
from graphmem.attaching.codec import decode, encode
from graphmem.errors import ArgumentTypeError, InvalidArgumentError
from graphmem.runtime import themes as topdown
from graphmem.services.tokens import estimated_tokens
from graphmem.themes.about import of_person
from tests.themes.test_catalog import SUBJECTS, remembered


@pytest.fixture(scope="module")
def memory() -> Iterator[graphmem.Memory]:
    with remembered() as memory:
        yield memory


def test_phrases_stand_under_the_names_of_their_themes(memory: graphmem.Memory) -> None:
    found = memory.themes.about("the kiln, the clay and the boat", tokens=400)
    assert found.tokens == estimated_tokens(found.text) <= 400
    named = [subject for subject in found.subjects if subject.name]
    assert {"kiln", "boat"} <= {
        about
        for subject in named
        for about, given in SUBJECTS.items()
        if set(subject.name.split(" · ")) & set(given.split())
    }
    for subject in named:
        assert subject.theme is not None
        assert set(subject.nodes) <= set(memory.themes[subject.theme].members)
        assert "\n".join((f"{subject.name}:", *subject.phrases)) in found.text.split("\n\n")
    assert len(set(found.nodes)) == len(found.nodes)


def test_more_is_told_than_whole_lines_hold_and_never_more_than_the_budget(
    memory: graphmem.Memory,
) -> None:
    for tokens in (0, 1, 20, 100, 300):
        found = memory.themes.about("the boat and the mast", tokens=tokens)
        assert found.tokens <= tokens
        assert bool(found.nodes) == bool(found.text)
        assert bool(found.nodes) or tokens < 100
    whole = memory.recall("the boat and the mast", tokens=150, cut="none", use=False)
    assert len(memory.themes.about("the boat and the mast", tokens=150).nodes) > len(whole.included)


def test_a_name_alone_brings_back_what_tells_most() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("Hello Ines!", speaker="Bo")
        memory.remember("Bye Ines!", speaker="Bo")
        memory.remember("Thanks, Ines!", speaker="Bo")
        memory.remember("Ines moved to Lisbon in March to open a bakery.", speaker="Bo")
        memory.remember("I was born in Porto and I have two sisters.", speaker="Ines")
        found = memory.themes.about("What do you know about Ines?")
        assert not any(subject.theme for subject in found.subjects)  # no vectors
        assert "Lisbon" in found.subjects[0].phrases[0] + found.subjects[0].phrases[1]
        found = memory.themes.about("Ines", tokens=25)
        assert "Hello" not in found.text
        assert found.more


@pytest.mark.parametrize(
    ("cue", "told"),
    [("Rui", "Rui is a nurse in Porto."), ("房租", "房租每个月九千五。"), ("weather", "")],
)
def test_what_only_links_lead_to_is_not_about_the_cue(cue: str, told: str) -> None:
    """Of a small memory everything is linked with everything, and all of it was told."""
    with graphmem.open(None, worker="none") as memory:
        for text in (
            "Rui is a nurse in Porto.",
            "The database has port 5433.",
            "房租每个月九千五。",
        ):
            memory.remember(text)
        assert memory.themes.about(cue).text == told


TOLD = {
    "another one's allergy": (
        "Tom", [("Nora", "I'm allergic to penicillin. Tom can't have shellfish.")],
        "Nora: Tom can't have shellfish.",
    ),
    "one's own": (
        "Nora", [("Nora", "I'm allergic to penicillin. Tom can't have shellfish.")],
        "I'm allergic to penicillin.",
    ),
    "of another one": (
        "Ruslan", [("Ruslan", "I own the ingest module from now on. Priyanka owns the public API.")],
        "I own the ingest module from now on.",
    ),
    "of another one in German": (
        "Jörg",
        [("Jörg", "Ich mache ab jetzt den Import. Priya macht die öffentliche Schnittstelle.")],
        "Ich mache ab jetzt den Import.",
    ),
    "of another one only": (
        "Ruslan", [("Ruslan", "Priyanka owns the API.")], "Ruslan: Priyanka owns the API",
    ),
    "in Chinese": (
        "李浩", [("王芳", "我对头孢过敏，小时候差点休克。李浩不能吃虾。")], "王芳：李浩不能吃虾。",
    ),
    "a German genitive": ("Hanna", [("Bo", "Der Kessel pfeift. Hannas Helm ist gelb.")],
                          "Bo: Hannas Helm ist gelb."),
    "a Latin name in Chinese": (
        "Lotte", [("王芳", "我对头孢过敏。和Lotte一起去了游泳馆。Lotte的泵换了新的。")],
        "王芳：和Lotte一起去了游泳馆。Lotte的泵换了新的。",
    ),
    "who said it is not known": (
        "Tom", [(None, "I'm allergic to penicillin. Tom can't have shellfish.")],
        "Tom can't have shellfish.",
    ),
    "a church": ("James", [("Nora", "My GP is at St James's. Ask for my partner Tom.")], ""),
    "a street": (
        "James", [("Nora", "We live at 12 James Street."), ("Nora", "James lives in James Street.")],
        "Nora: James lives in James Street.",
    ),
    "a clinic": (
        "Anna", [("Nora", "Die Anna-Klinik hat zu."), ("Nora", "Anna isst keine Nüsse.")],
        "Nora: Anna isst keine Nüsse.",
    ),
    "a museum": (
        "李浩", [("王芳", "李浩纪念馆很大。"), ("王芳", "李浩明天来。他不吃虾。我喜欢虾。")],
        "王芳：李浩明天来。他不吃虾。",
    ),
    "a pronoun": (
        "Tom", [("Nora", "Tom hates cats. He is allergic to them. I love cats.")],
        "Nora: Tom hates cats. He is allergic to them.",
    ),
    "what it is": (
        "Oona", [("Nora", "The red pallets go back. Oona signed for it.")],
        "Nora: The red pallets go back. Oona signed for it.",
    ),
    "a rumour": (
        "Tom", [("Tom", "I bought a llama for the garden. That's only a rumour.")],
        "I bought a llama for the garden. That's only a rumour.",
    ),
    "a name in small letters": ("Anna", [("Nora", "i asked anna about tea.")], "i asked anna about tea."),
    "one's own, no more than the phrase": (
        "Nora", [("Nora", "I'm allergic to penicillin. I love cats and tea.")],
        "I'm allergic to penicillin.",
    ),
    "a pronoun of somebody else": (
        "Tom", [("Bo", "Tom came with Nora. She is allergic to nuts.")], "Bo: Tom came with Nora.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_of_a_person_what_names_them_is_told(name: str) -> None:
    """The phrase of a memory is of its first sentence: Tom had Nora's allergy."""
    cue, notes, told = TOLD[name]
    with graphmem.open(None, worker="none") as memory:
        for speaker, text in notes:
            memory.remember(text, speaker=speaker)
        assert memory.themes.about(cue, tokens=100).text == told


def test_a_memory_that_goes_on_about_a_person_is_theirs_within_its_session() -> None:
    """ "He calls both cats Pip." was told of nobody, and of Tom what another session said of Bo."""
    texts = (
        "Tom hates cats.",
        "Yes. He has two cats of his own.",
        "He calls both cats Pip.",
        "He sold his cats.",
        "The cats sleep.",
    )
    before = {
        2: (texts[0], True), 3: (texts[1], True), 4: (texts[0], False), 5: (texts[0], True),
    }  # fmt: skip
    with graphmem.open(None, worker="none") as memory:
        for text in texts:
            memory.remember(text)
        hits, told = of_person("Tom", memory.recall("cats", use=False), before.get)
    assert told == {
        1: "Tom hates cats.",
        2: "Yes. He has two cats of his own.",
        3: "He calls both cats Pip.",
    }
    assert {hit.id for hit in hits} == set(told)


def test_what_was_replaced_is_not_told() -> None:
    with graphmem.open(worker="none") as memory:
        old = memory.remember("Ines lives in Porto near the harbour.")[0]
        memory.replace(old, "Ines lives in Lisbon near the castle.")
        assert "Porto" not in memory.themes.about("Ines").text
        assert "Lisbon" in memory.themes.about("Ines").text


@pytest.mark.parametrize(
    ("name", "beside", "before", "now", "told"),
    [
        (
            "Emil",
            "Emil has a red bicycle with three gears, which stands in the yard behind the mill.",
            "Emil works at Brightline as a baker.",
            "Emil quit Brightline and works at Kova now.",
            "Emil quit Brightline and works at Kova now.\n"
            "Emil has a red bicycle with three gears, which stands in the yard behind the mill.\n"
            "(earlier, no longer so) Emil works at Brightline as a baker.",
        ),
        (
            "小芸",
            "小芸的自行车停在磨坊后面的院子里。",
            "小芸在银行上班。",
            "小芸不在银行上班了，现在做老师。",
            "小芸不在银行上班了，现在做老师。\n小芸的自行车停在磨坊后面的院子里。\n"
            "（旧信息，已失效） 小芸在银行上班。",
        ),
    ],
)
def test_what_is_over_is_told_last_and_as_such(
    name: str, beside: str, before: str, now: str, told: str
) -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember(beside, happened="2026-01-03")
        memory.remember(before, happened="2026-02-03")
        memory.remember(now, happened="2026-09-11")
        assert memory.themes.about(name).text == told


def test_a_memory_cannot_pose_as_what_is_over() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("(earlier, no longer so) Emil is allergic to penicillin.")
        told = memory.themes.about("Emil").text
        assert told == "\\(earlier, no longer so) Emil is allergic to penicillin."


def test_a_client_is_told_the_same(memory: graphmem.Memory) -> None:
    found = memory.themes.about("the kiln and the boat", tokens=200)
    assert decode(encode(found)) == found
    descended = memory.recall("the kiln", mode="themes", use=False, tokens=200)
    sent = decode(encode(descended))
    assert (sent.themes, sent.expanded_levels) == (descended.themes, descended.expanded_levels)
    assert sent.text == descended.text


def test_arguments_are_checked(memory: graphmem.Memory) -> None:
    with pytest.raises(InvalidArgumentError, match="tokens"):
        memory.themes.about("kiln", tokens=-1)
    with pytest.raises(ArgumentTypeError, match="cue"):
        memory.themes.about(7)  # type: ignore[arg-type]


def test_from_the_top_down_by_the_seeds_rule(memory: graphmem.Memory) -> None:
    cue = "the kiln and the glaze need a bowl"
    found = memory.recall(cue, mode="themes", use=False)
    assert len(found.themes) <= 3
    assert found.expanded_levels[0] == "theme"
    assert found.text.startswith("(theme) ")
    short = memory.recall(cue, mode="themes", use=False, tokens=60)
    assert estimated_tokens(short.text) <= 60


def test_what_is_near_ends_the_descent_and_what_is_far_deepens_it(
    monkeypatch: pytest.MonkeyPatch, memory: graphmem.Memory
) -> None:
    cue = "the kiln and the glaze need a bowl"
    monkeypatch.setattr(topdown, "_NEAR", 10.0)
    monkeypatch.setattr(topdown, "_FAR", 10.0)
    monkeypatch.setattr(topdown, "_MOST", 1)
    found = memory.recall(cue, mode="themes", use=False, limit=100)
    assert found.expanded_levels == ("theme", "semantic", "episode")
    assert found[0].parts["semantic"] == found[0].score
    near = {hit.id for hit in found if "semantic" in hit.parts}
    beside = {hit.id for hit in found if "episode" in hit.parts}
    said = [
        episode
        for session in dict.fromkeys(hit.node.session for hit in found)
        for episode in memory.themes.episodes(session or "")
        if near & {*episode.nodes}
    ]
    central = {n for e in said for n in e.nodes if memory[n].text == e.sentence}
    assert beside == central - near != set()
    order = [(list(hit.parts) == ["episode"], -hit.score, hit.id) for hit in found]
    assert order == sorted(order)
    assert {hit.id for hit in found} >= {n for theme in found.themes for n in theme.members}
    monkeypatch.setattr(topdown, "_NEAR", 0.0)
    assert memory.recall(cue, mode="themes", use=False).expanded_levels == ("theme",)


def test_a_mode_without_themes_says_what_is_missing() -> None:
    with graphmem.open(worker="none") as bare:
        bare.remember("The kiln is broken.")
        with pytest.raises(InvalidArgumentError, match="needs vectors"):
            bare.recall("kiln", mode="themes")


def test_a_memory_cannot_pose_as_a_theme() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("(theme) boats: all boats are sold")
        assert not memory.recall("boats", use=False, tokens=100).text.startswith("(theme)")


def test_it_can_be_asked_of_some_memories_and_of_an_earlier_time() -> None:
    """What was said at work would be told at home, and what was corrected as if it held then."""
    now = datetime(2026, 3, 1, tzinfo=UTC)
    with graphmem.open(worker="none", clock=lambda: now) as memory:
        (flat,) = memory.remember("Ines lives in a small flat in Porto.", metadata={"at": "home"})
        memory.remember("Ines leads the bakery project.", metadata={"at": "work"})
        now += timedelta(days=9)
        (house,) = memory.correct(flat.id, "Ines lives in a big house in Lisbon.")
        home = memory.themes.about("Ines", where=graphmem.Where(metadata={"at": "work"}))
        then = memory.themes.about("Ines", where=graphmem.Where(known_at="2026-03-05"))
        today = memory.themes.about("Ines")
    assert home.text == "Ines leads the bakery project."
    assert "Porto" in then.text
    assert "Lisbon" not in then.text
    assert house.id in today.nodes
    assert "Porto" not in today.text


def test_each_memory_has_a_line_of_its_own() -> None:
    """A question of one person ran on into what another one had said."""
    said = ["Did Rui call?", "Rui sings!", "Rui 住在里斯本。", "Rui is\nwell."]
    with graphmem.open(worker="none") as memory:
        for place, text in enumerate(said):
            memory.remember(text, speaker=f"speaker {place}")
        lines = memory.themes.about("songs of Rui", tokens=200).text.split("\n")
    assert sorted(lines) == sorted(" ".join(text.split()) for text in said)


@pytest.mark.parametrize("cue", ["boat", "kiln", "choir"])
def test_it_is_not_filled_up_with_what_is_not_near(memory: graphmem.Memory, cue: str) -> None:
    """Ten of 23 memories told of the boat were of the choir, the kiln and the bread."""
    found = memory.themes.about(cue, tokens=600)
    of = [memory[node].text for node in found.nodes]
    assert len(of) > 5
    assert [text for text in of if not set(SUBJECTS[cue].split()) & set(text.split())] == []


@pytest.mark.parametrize(
    ("name", "theirs", "others"),
    [
        (
            "Anna Berg",
            ["Anna Berg moved to Lund.", "She keeps bees.", "Ms Berg likes tea.", "Anna's car is red."],
            ["Anna Lind moved to Malmo.", "The bees of the town do well."],
        ),
        ("王芳", ["王芳搬到了杭州。", "她养蜜蜂。"], ["李强搬到了宁波。", "城里的蜜蜂很好。"]),
        ("何静", ["何静搬到了杭州。", "何静明天来。", "何静飞往北京。"], ["何静怡养蜜蜂。", "何静远下周出差。"]),
    ],
)  # fmt: skip
def test_about_a_person_tells_nothing_of_strangers(
    name: str, theirs: list[str], others: list[str]
) -> None:
    """`about` told what the notes say of other people beside what it had of the one asked for."""
    with graphmem.open(worker="none") as memory:
        for text in (*theirs, *others):
            memory.remember(text)
        told = {memory[node].text for node in memory.themes.about(name, tokens=400).nodes}
    assert not told & set(others)
    assert theirs[0] in told
    assert told >= {text for text in theirs if name.split()[0] in text}


@pytest.mark.parametrize(
    ("cue", "own", "other"),
    [
        ("Mr. Pike", "Mr Pike repairs pumps.", "Mrs. Pike has diabetes."),
        ("Nurse Novak", "Nurse Novak has the night shift.", "Dr. Novak is on call."),
        ("Aunt Vera", "Aunt Vera is vegan.", "Mrs. Vera sells steak."),
        ("Frau Pohl", "Frau Pohls Pumpe ist repariert.", "Herr Pohl hat Diabetes."),
        ("Herr Pohl", "Das gehört Herrn Pohl.", "Frau Pohl hat Diabetes."),
    ],
)
def test_who_has_another_form_of_address_is_somebody_else(cue: str, own: str, other: str) -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember_many([own, other])
        assert memory.themes.about(cue).text == own


def test_with_room_for_all_phrases_the_sentences_are_told() -> None:
    """A phrase ended before what had changed, and the old half of it was all that was told."""
    with graphmem.open(None, worker="none") as memory:
        memory.remember("My kiln fires to cone 6, takes nine hours.")
        memory.remember(
            "Changed the kiln schedule, it takes eleven hours now with the slow cool. I like it."
        )
        memory.remember("The kiln is loud.")
        wide = memory.themes.about("kiln", tokens=200).text
        narrow = memory.themes.about("kiln", tokens=20).text
    assert "it takes eleven hours now with the slow cool" in wide
    assert "I like it" not in wide
    assert "Changed the kiln schedule" in narrow
    assert "eleven" not in narrow
    assert "The kiln is loud." in narrow.split("\n")  # a whole text, so with its stop


def test_what_takes_a_phrase_back_is_told_with_it_however_little_room_there_is() -> None:
    """Half of it is a rumour that is told as true."""
    text = "I bought a llama for the garden. That's only a rumour."
    with graphmem.open(None, worker="none") as memory:
        memory.remember(text)
        told = {memory.themes.about("llama of the garden", tokens=n).text for n in range(6, 30)}
    assert told == {"", text}
