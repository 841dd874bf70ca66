"""A name that only one member has, or that is half a word, misleads who looks for a subject."""

from graphmem.themes.names import Name, name
from graphmem_worker.text.rarity import shape_rarity


def test_a_theme_is_called_by_what_its_members_share() -> None:
    texts = [
        "Caroline signed up for the pottery class on Thursday evenings.",
        "The pottery class fires its bowls in an old kiln.",
        "My first bowl cracked in the kiln, said the pottery teacher.",
    ]
    found = name(texts, [["Caroline"], ["kiln"], []], shape_rarity)
    assert found.named
    assert found.terms[0] == "pottery class" or "pottery" in found.terms
    assert any("kiln" in term or "bowl" in term for term in found.terms)
    assert not any("Caroline" in term for term in found.terms)  # one member's alone


def test_chinese_terms_are_whole_words() -> None:
    texts = ["周末去苏州博物馆看展览。", "苏州博物馆周一闭馆。", "听说苏州博物馆要预约才能进。"]
    found = name(texts, [[], [], []], shape_rarity)
    assert found.named
    assert found.terms[0] == "苏州博物馆"
    assert not any(term in ("州博", "物馆", "州博物馆") for term in found.terms)


def test_speakers_are_left_out_where_asked_for() -> None:
    texts = ["Melanie painted the harbour.", "Melanie painted a harbour again."]
    found = name(texts, [["Melanie"], ["Melanie"]], shape_rarity, leave={"melani"})
    assert "Melanie" not in str(found)
    assert any("harbour" in term for term in found.terms)


def test_members_without_anything_in_common_make_no_name() -> None:
    texts = ["The dentist moved to Tuesday.", "Oslo was cold.", "Buy saffron.", "好的", "Ivy won."]
    found = name(texts, [[], [], [], [], []], shape_rarity)
    assert not found.named
    assert not name([], [], shape_rarity).named


def test_a_name_says_what_and_not_when_or_how_many() -> None:
    """ "Thursday · minutes · 13th" names nothing, and of one memory nothing is shared."""
    texts = [
        "Dear Bas, on Thursday 13 May the ferry took forty minutes.",
        "Dear Ida, the ferry of Thursday the 13th is forty minutes late.",
    ]
    assert name(texts, [["13th"], ["13th"]], shape_rarity).terms == ("ferry",)
    chinese = ["那台网关4月14号放支架上。", "四台网关都装好了，21号放回支架。"]
    assert set(name(chinese, [[], []], shape_rarity).terms) == {"网关", "支架"}
    assert name(texts[:1], [["ferry"]], shape_rarity) == Name((), named=False)
