"""A digest of 500 tokens told where the hearing aid lies, and left out the allergies."""

from statistics import mean

import pytest

from graphmem import WorkingSet
from graphmem_worker.text.protects import urgency

HOUSEHOLDS = {
    "zh": (
        ["可可的青霉素皮试是阳性，以后看病一定要告诉医生。", "子昂对花生过敏，吃了会起疹子。",
         "爷爷在吃他汀，医生说不能吃柚子。"],
        ["爷爷在吃达格列净，一天一片，早饭前。", "奶奶的助听器放床头柜，电池是312号。", "妈妈血脂高了。",
         "爸爸有痛风。", "姑姑有哮喘，喷雾放在包里。", "舅舅在吃氨氯地平，每天早上一片。"],
        ["青霉素", "花生", "柚子"],
        "{}号家里吃面，爸爸洗碗，子昂写完作业才睡。",
    ),
    "en": (
        ["Coco reacts to penicillin, so every doctor must be told.",
         "Zoe is allergic to peanuts and gets a rash.",
         "Grandpa takes statins, so the doctor said no grapefruit."],
        ["Grandpa takes dapagliflozin, one tablet a day.",
         "Grandma's hearing aid is on the night stand.", "Mum has high blood pressure.",
         "Dad has gout.", "Aunt Ida has asthma.", "Uncle Bo is on amlodipine every morning.",
         "Our cat has diabetes.", "Ben takes warfarin.", "Ida takes metformin at night."],
        ["penicillin", "peanuts", "grapefruit"],
        "On day {} we had noodles, dad washed up and Zoe went to bed after her homework.",
    ),
    "de": (
        ["Coco reagiert allergisch auf Penicillin, das muss jeder Arzt wissen.",
         "Zoe ist gegen Erdnüsse allergisch und bekommt Ausschlag.",
         "Opa nimmt Statine, der Arzt sagte: keine Grapefruit."],
        ["Opa nimmt Bisoprolol, morgens eine halbe.", "Omas Hörgerät liegt auf dem Nachttisch.",
         "Mama hat Bluthochdruck.", "Papa hat Gicht.", "Tante Ida hat Asthma.",
         "Onkel Bo nimmt Amlodipin, jeden Morgen eine.", "Unsere Katze hat Diabetes.",
         "Ben nimmt Warfarin.", "Ida nimmt abends Metformin."],
        ["Penicillin", "Erdnüsse", "Grapefruit"],
        "Am Tag {} gab es Nudeln, Papa spülte, und Zoe ging nach den Hausaufgaben schlafen.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", HOUSEHOLDS)
def test_an_allergy_stands_in_a_small_digest(language: str) -> None:
    allergies, others, named, chatter = HOUSEHOLDS[language]
    working = WorkingSet(500)
    notes = iter(allergies + others)
    for number in range(90):
        note = next(notes, None) if number % 5 == 3 else None
        working.add("user", note or chatter.format(number))
    told = "\n".join(message["content"] for message in working.messages)
    assert [name for name in named if name in told] == named


def test_what_somebody_may_not_have_is_more_urgent_than_a_device() -> None:
    for allergies, others, _, _ in HOUSEHOLDS.values():
        assert min(map(urgency, allergies)) >= 1
        assert mean(map(urgency, allergies)) > mean(map(urgency, others))


def test_a_positive_test_is_an_allergy() -> None:
    for said in (
        "可可的青霉素皮试是阳性。",
        "Her patch test for nickel was positive.",
        "Der Pricktest auf Gräser war positiv.",
    ):
        assert urgency(said) >= 1
    assert urgency("皮试是阴性。") == urgency("Der Hauttest war negativ.") == 0


CHATTER = {
    "en": (
        "Mrs. Halloran in cabin 9 has a severe bee allergy.",
        "We decided to stop selling tickets through Ferryline because of the refunds.",
        "The group from {} strolled round the lake and praised the cake and the sunset, as ever, {}.",
    ),
    "de": (
        "Frau Halloran in Hütte 9 hat eine schwere Bienenallergie.",
        "Wir haben beschlossen, keine Karten mehr über Ferryline zu verkaufen, wegen der Storni.",
        "Die Gruppe aus {} ging um den See und lobte den Kuchen und das Abendrot, wie immer, {}.",
    ),
    "zh": (
        "九号木屋的何女士对蜜蜂严重过敏。",
        "我们决定不再通过渡口网卖票了，因为退款太多。",
        "{}来的那群人绕湖走了一圈，夸蛋糕和晚霞好，跟平时一样，第{}次。",
    ),
}


@pytest.mark.parametrize("language", CHATTER)
def test_what_is_said_over_and_over_with_other_names_gives_way_to_a_decision(language: str) -> None:
    """Of thirty walks, each with another town and number, one was quoted, and no decision."""
    allergy, decision, chat = CHATTER[language]
    towns = ["Turin", "Ghent", "Porto", "Lyon", "Graz"]
    working = WorkingSet(450)
    working.add("user", allergy)
    working.add("user", decision)
    for k in range(30):
        working.add("user", chat.format(towns[k % 5], k))
    digest = working.messages[0]["content"]
    assert allergy in digest
    assert decision in digest
