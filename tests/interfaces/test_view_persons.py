"""Whoever is called by a title was drawn as a thing, or not at all: nobody of them had spoken."""

from graphmem.interfaces.view.persons import titled

ENGLISH = [
    "The neighbour Mr. Pell complained.",
    "I left a wreath at Mr. Pell's door.",
    "The café Lantern wants baguettes.",
    "The Lantern closes on Mondays.",
]
CHINESE = [
    "水电师傅刘敏周二来。", "刘敏换了弯管。",
    "楼下的彭先生来投诉了。", "彭先生上夜班。", "消防的林科长来检查。", "林科长说还会来。",
    "灯塔书店休息。", "灯塔书店的老板是苏菲。", "周六有集市。",
]  # fmt: skip


def test_who_is_a_person_is_told_by_a_title() -> None:
    assert titled(ENGLISH) == {"Mr. Pell"}
    assert not titled(["Tell the plumber, Tuesday is fine.", "The plumber Came."])
    assert titled(CHINESE) == {"彭先生", "林科长"}
    found = titled([*CHINESE, "刘敏师傅来了。", "刘敏师傅周二来。"])
    assert found == {"彭先生", "林科长", "刘敏"}


def test_two_persons_of_one_name_are_two_and_words_are_no_names() -> None:
    """Mr. and Mrs. Pell had one name; "Das", and each place called "New", were persons."""
    found = titled(["Mr. Pell and Mrs. Pell came.", "Mrs. Pell left. Mr. Pell stayed."] * 2)
    assert found == {"Mr. Pell", "Mrs. Pell"}
    assert not titled(["New York is far.", "New Jersey is near.", "Das Brot ist neu."] * 2)
    assert not titled(["Mr. Li called.", "Mr. Lin called."])
