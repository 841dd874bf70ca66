"""Contrast: asked for the morning dose, the evening dose came first, alone where nothing else may."""

import pytest

from graphmem_worker.claims.contrast import contrasted, contrasted_by, is_other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The morning dose is 12 units.", "The evening dose is 18 units now."),
        ("Mr Haddad takes lithium.", "Mrs Haddad has stopped lithium."),
        ("Der obere Tank ist leer.", "Der untere Tank ist jetzt voll."),
        ("左边的抽屉放发票。", "右边的抽屉现在放合同。"),
        ("大女儿在三中上学。", "小女儿现在在五中上学。"),
        ("7号机用蓝色滤芯。", "9号机不用蓝色滤芯了。"),
        ("二楼的复印机坏了。", "三楼的复印机修好了。"),
    ],
)
def test_another_word_before_a_word_tells_two_things_apart(one: str, other: str) -> None:
    assert contrasted(one, other)
    assert contrasted(other, one)
    assert not contrasted(one, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like dark mode in the editor.", "I like light mode in the editor."),
        ("Oma nimmt 5 mg Ramipril.", "Omas Ramipril wurde auf 10 mg erhöht."),
        ("Maya lives in Leeds.", "Maya moved to York."),
        ("The van is blue.", "Our van is green now."),
        ("我在华为工作。", "我换到腾讯工作了。"),
        ("房租每月三千八。", "房租涨到四千二了。"),
        ("12号开家长会。", "改到15号开家长会。"),
    ],
)
def test_another_value_is_no_other_thing(one: str, other: str) -> None:
    """Where it stands later in the text, before what is done or counted, it is what changed."""
    assert not contrasted(one, other)


def test_a_cue_says_which_one_is_meant_wherever_it_stands() -> None:
    one, other = "Joao owns the login service.", "Joao took over the billing service."
    assert not contrasted(one, other)
    assert contrasted_by("Who owns the login service?", one, other)
    assert not contrasted_by("Who owns the service?", one, other)
    assert not contrasted_by("Who owns the login service?", one, "Iris owns the login service now.")


@pytest.mark.parametrize(
    ("cue", "one", "other"),
    [
        ("How much is the attic rent?", "The attic rent is 90 euros.", "The garage rent went up to 120 euros."),
        ("When does the lease of the shed end?", "The lease of the shed ends in May.",
         "The lease of the kiosk now ends in July."),
        ("When is the choir meeting?", "The choir meeting is on Monday.", "The staff meeting moved to Friday."),
        ("Wer leitet die Filiale in Gera?", "Die Filiale in Gera leitet Frau Beck.",
         "Die Filiale in Jena leitet jetzt Herr Roth."),
        ("Wie hoch ist die Gebühr für den Ofen?", "Die Gebühr für den Ofen ist 15 Euro.",
         "Die Gebühr für die Scheibe ist jetzt 20 Euro."),
        ("支付组周会什么时候？", "支付组的周会是周二。", "搜索组的周会改到周四了。"),
        ("112病房住着谁？", "112病房住着吴奶奶。", "115病房现在住着孙爷爷。"),
    ],
)  # fmt: skip
def test_another_word_in_the_place_of_the_cues_is_of_another_thing(
    cue: str, one: str, other: str
) -> None:
    """Asked for the one rent, the other came first, and alone in a strict recall."""
    assert contrasted_by(cue, one, other)
    assert not contrasted_by(cue, one, one)
    assert not contrasted(one, one)


@pytest.mark.parametrize(
    ("cue", "one", "other"),
    [
        ("How much is the attic rent?", "The attic rent is 90 euros.", "The rent for the attic is 95 now."),
        ("When does the pottery course start?", "The pottery course starts at ten.",
         "The pottery course begins at eleven now."),
        ("Is Boateng the landlord?", "The landlord is Boateng.", "The landlord is Ferreira now."),
        ("Nimmt Papa noch 5 mg?", "Papa nimmt 5 mg Ramipril.", "Papa nimmt jetzt 10 mg Ramipril."),
        ("Wann ist die Probe vom Chor?", "Die Probe vom Chor ist um 19 Uhr.",
         "Der Chor hat die Probe jetzt um 20 Uhr."),
        ("爸爸还吃5毫克吗？", "爸爸吃5毫克雷米普利。", "爸爸现在吃10毫克雷米普利。"),
        ("车库的租金是多少？", "车库的租金是一千二。", "车库租金涨到一千四了。"),
    ],
)  # fmt: skip
def test_the_same_in_other_words_is_of_the_same_thing(cue: str, one: str, other: str) -> None:
    assert not contrasted_by(cue, one, other)


@pytest.mark.parametrize(
    ("cue", "one", "other"),
    [
        ("Does box 6 need salt?", "Box 6 needs no salt.", "Box 16 needs salt again."),
        ("Is gate C open?", "Gate C is shut for repairs.", "Gate F is open again."),
        ("Can my aunt eat nuts?", "My aunt can't eat nuts.", "My niece can eat nuts again."),
        ("Is the left tap hot?", "The left tap is hot.", "The right tap is cold now."),
        ("Is the tenor ill?", "The tenor is ill with flu.", "The drummer is over his flu."),
        ("六床能下地吗？", "六床不能下地。", "十六床可以下地了。"),
        ("C栋停水了吗？", "C栋停水了。", "F栋不停水了。"),
        ("烤箱漏气吗？", "烤箱漏气。", "冰柜不漏气了。"),
        ("Darf Zimmer 6 aufstehen?", "Zimmer 6 darf nicht aufstehen.", "Zimmer 16 darf wieder aufstehen."),
        ("Spritzt Oma Insulin?", "Oma spritzt Insulin.", "Opa spritzt kein Insulin mehr."),
        ("Ist die Kellertür zu?", "Die Kellertür ist abgeschlossen.",
         "Die Gartentür ist nicht mehr abgeschlossen."),
    ],
)  # fmt: skip
def test_another_number_relative_or_subject_is_another_thing(
    cue: str, one: str, other: str
) -> None:
    """Asked whether bed 4 may sit up, only that bed 14 may came back."""
    assert is_other(cue, one, other)
    assert not is_other(cue, one, one)


@pytest.mark.parametrize(
    ("cue", "one", "other"),
    [
        ("How much is the rent?", "The rent is 640 euros.", "The landlord raised the rent to 700."),
        ("Where does Anna live?", "Anna lives in Ulm.", "Anna moved to Bonn."),
        ("Who conducts the choir?", "Jonas conducts the choir.", "Petra conducts the choir now."),
        ("Does box 6 need salt?", "Box 6 needs no salt.", "Box 6 needs salt again."),
        ("妈妈住哪儿？", "妈妈住在杭州。", "妈妈搬到宁波了。"),
        ("电梯能用吗？", "电梯坏了。", "师傅把电梯修好了。"),
        ("Wo wohnt Anna?", "Anna wohnt in Ulm.", "Anna ist nach Bonn gezogen."),
        ("Wie viel bekommt Bello?", "Bello bekommt 2 ml.", "Bellos Dosis ist jetzt 1,5 ml."),
    ],
)
def test_a_change_of_the_same_thing_is_of_no_other(cue: str, one: str, other: str) -> None:
    assert not is_other(cue, one, other)
