"""Daughters and inspectors were drawn as things, or not at all: nobody of them had spoken."""

from graphmem.interfaces.view.persons import persons

ENGLISH = [
    "My daughter Lotte is allergic to hazelnuts.",
    "Lotte starts at the kindergarten.",
    "The plumber, Anneke Vos, can come on Tuesday.",
    "Anneke charged 180.",
    "I asked Anneke again.",
    "The neighbour Mr. Pell complained.",
    "I left a wreath at Mr. Pell's door.",
    "The café Lantern wants baguettes.",
    "The Lantern closes on Mondays.",
    "The Lantern Bar is another one.",
    "I live in Harrow Mill.",
    "A shop in Harrow Mill is too much.",
    "Ostrander Mill sends flour.",
]
CHINESE = [
    "我女儿小满对花生过敏。", "小满上幼儿园了。", "水电师傅刘敏周二来。", "刘敏换了弯管。",
    "楼下的彭先生来投诉了。", "彭先生上夜班。", "消防的林科长来检查。", "林科长说还会来。",
    "灯塔书店休息。", "灯塔书店的老板是苏菲。", "周六有集市。",
]  # fmt: skip


def test_who_is_a_person_is_told_by_what_stands_beside_the_name() -> None:
    found = persons(ENGLISH)
    assert found.titled == {"Mr. Pell": "Pell"}
    assert found.related == {"Lotte", "Anneke"}
    assert not persons(["Tell the plumber, Tuesday is fine.", "The plumber Came."]).titled
    assert not persons(["Ask my doctor, Monday is late.", "A baker of bread."]).related
    assert persons(["Das ist der Klempner Anton Vos."]).related == {"Anton"}
    found = persons(CHINESE)
    assert {*found.titled} == {"彭先生", "林科长"}
    assert {"小满"} <= found.related
    # A master is named twice, before the name and behind it; a day behind the word is nobody.
    found = persons([*CHINESE, "刘敏师傅来了。", "师傅周二来。", "请师傅周二来。"])
    assert {*found.titled} == {"彭先生", "林科长", "刘敏"}


def test_two_persons_of_one_name_are_two_and_words_are_no_names() -> None:
    """Mr. and Mrs. Pell had one name; "Das", and each place called "New", were persons."""
    found = persons(["Mr. Pell and Mrs. Pell came.", "Mrs. Pell left. Mr. Pell stayed."] * 2)
    assert found.titled == {"Mr. Pell": None, "Mrs. Pell": None}
    assert not any(persons(["New York is far.", "New Jersey is near.", "Das Brot ist neu."] * 2))
    assert not persons(["Mr. Li called.", "Mr. Lin called."]).titled
