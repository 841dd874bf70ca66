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
    assert name(texts[:1], [["ferry"]], shape_rarity) == Name()


def test_a_title_is_one_term_of_most_members() -> None:
    """ "home · key · Anna · door" stood over a group on the map: a list of words names nothing."""
    texts = ["The pottery class is full.", "The pottery class fires a bowl.", "A bowl cracked."]
    assert name(texts, [[]] * 3, shape_rarity).title == "pottery class"
    apart = ["Anna has a key.", "Anna sings.", "A door sticks.", "The door is red.", "A key!"]
    assert name(apart, [[]] * 5, shape_rarity).title == ""


def test_two_subjects_of_one_cluster_are_told_apart() -> None:
    """ "walks · father · lunch" named one speaker's father and the team's lunch as one subject."""
    texts = [
        "My father is in rehabilitation, and the physiotherapist counts his steps.",
        "My father has a new physiotherapist.",
        "My father climbs the stairs.",
        "The lunch is at the canteen.",
        "A lunch of the canteen costs nothing.",
    ]
    found = name(texts, [[]] * 5, shape_rarity)
    assert [set(subject) for subject in found.subjects] == [
        {"father", "physiotherapist"},
        {"canteen"},
    ]
    assert str(found).endswith(", canteen")
    assert found.holders == (0, 1, 2, 3, 4)
    alone = name(texts[:4], [[]] * 4, shape_rarity)  # what one member says is no subject
    assert set(alone.terms) == {"father", "physiotherapist"}
    assert alone.holders == (0, 1, 2)
    chinese = [
        "我爸住进华西了。",
        "华西给我爸放支架。",
        "支架放在我爸身上。",
        "合同寄给合作社。",
        "合作社的合同。",
    ]
    found = name(chinese, [[]] * 5, shape_rarity)
    assert len(found.subjects) == 2
    assert "、" in str(found)
    assert not any({"华西", "合同"} <= set(subject) for subject in found.subjects)


def test_a_name_is_made_of_things() -> None:
    """ "interesting · moving" says nothing of what the novels and the carpets are."""
    texts = [
        "The novel is very interesting, and so moving.",
        "I found this novel really interesting and moving.",
        "An interesting novel, and it's moving.",
    ]
    assert name(texts, [[]] * 3, shape_rarity).terms == ("novel",)
    assert name([texts[0], "It is so moving and interesting."], [[]] * 2, shape_rarity).terms == ()
    chinese = ["我确实非常喜欢剪纸。", "剪纸过程中我确实非常开心。", "尝试剪纸。"]
    assert name(chinese, [[]] * 3, shape_rarity).terms == ("剪纸",)


def test_whom_a_text_addresses_is_no_subject() -> None:
    """ "Mel" was the name of eleven memories of all that Mel was told."""
    texts = ["Thanks, Mel! The harbour is frozen.", "Hey Mel, the harbour!", "A harbour, Mel."]
    assert name(texts, [[]] * 3, shape_rarity).terms == ("harbour",)
    about_her = ["Mel sails from Porto.", "We met Mel in Porto.", "The boat of Mel is in Porto."]
    assert set(name(about_her, [[]] * 3, shape_rarity).terms) == {"Mel", "Porto"}
    greeted = ["你好，AI伴侣。港口结冰了。", "你好啊，AI伴侣！我在港口。", "你好，AI伴侣。去港口。"]
    assert name(greeted, [[]] * 3, shape_rarity).terms == ("港口",)


def test_a_whole_name_that_is_only_addressed_is_no_subject() -> None:
    """The keyword "Ann Roe" named polite turns on all matters by the user they speak to."""
    polite = ["I have no tasks today, Ann Roe.", "I am sorry, Ann Roe.", "Good food, Ann Roe!"]
    assert not name(polite, [["Ann Roe"]] * 3, shape_rarity).terms
    about_her = ["Ann Roe sails from Porto.", "We met Ann Roe again.", polite[0]]
    found = name(about_her, [["Ann Roe"]] * 3, shape_rarity)
    assert (found.terms, found.holders) == (("Ann Roe",), (0, 1))
    assert name(["It sank.", "It is late."], [["Ann Roe"]] * 2, shape_rarity).terms == ("Ann Roe",)


def test_what_an_assistant_says_it_is_and_does_is_no_subject() -> None:
    """Else its polite turns made themes called "touch" or 陪伴; a longer term is a subject."""
    assert not name(["We keep in touch.", "Let us stay in touch!"], [[], []], shape_rarity).terms
    assert not name(["我会一直陪伴你。", "谢谢，你的陪伴真好。"], [[], []], shape_rarity).terms
    graphs = ["The knowledge graph is new.", "I read about the knowledge graph."]
    assert name(graphs, [[], []], shape_rarity).terms == ("knowledge graph",)
    assert name(["语音助手坏了。", "换个语音助手。"], [[], []], shape_rarity).terms == ("语音助手",)


def test_chinese_words_may_end_in_a_character_of_grammar() -> None:
    """会, 说 and 能 are grammar by themselves, and end 演唱会, 小说 and 技能."""
    texts = ["演唱会的票。", "看演唱会。", "小说与演唱会。", "读小说。"]
    assert set(name(texts, [[]] * 4, shape_rarity).terms) == {"演唱会", "小说"}


def test_latin_words_in_chinese_texts_are_terms() -> None:
    """ "从InfluxDB换成TDengine" was read as one word."""
    texts = ["后台的时序库想从InfluxDB换成TDengine。", "旧库是TDengine，慢得我脸红。"]
    assert name(texts, [[], []], shape_rarity).terms == ("TDengine",)


def test_a_verb_is_no_mention_of_the_thing() -> None:
    """ "He now offers to repair the lift" came under the name of an offer to a customer."""
    texts = [
        "The offer of Vechtmond is signed.",
        "Our offer to Vechtmond is late.",
        "He now offers to repair the lift.",
        "We adjust the sail and adjust our mindset.",
    ]
    found = name(texts, [[]] * 4, shape_rarity)
    assert set(found.terms) == {"offer", "Vechtmond"}
    assert found.holders == (0, 1)
    assert name([texts[3], "They adjust the sail."], [[], []], shape_rarity).terms == ("sail",)


def test_one_common_word_is_a_weak_name() -> None:
    """ "color" named a keyboard and a cake."""
    assert name(["I like the color.", "A color of cakes."], [[], []], shape_rarity).is_weak
    assert not name(["We met in Porto.", "I like Porto."], [[], []], shape_rarity).is_weak
    assert name(["喝牛奶。", "牛奶凉了。"], [[], []], shape_rarity).is_weak
    assert not name(["绿禾公园好。", "绿禾公园远。"], [[], []], shape_rarity).is_weak


def test_what_most_other_texts_hold_as_well_is_no_name() -> None:
    """ "lunch · Priya" and 谭越 stood over whatever a colleague was mentioned in."""
    texts = ["Priya repairs the kiln.", "The kiln of Priya is hot.", "We fired the kiln."]
    held = {"priya": 30, "kiln": 4}
    found = name(texts, [[]] * 3, shape_rarity, frequency=lambda word: held.get(word, 1))
    assert found.terms == ("kiln",)
    held = {"priya": 4, "kiln": 12}
    found = name(texts, [[]] * 3, shape_rarity, frequency=lambda word: held.get(word, 1))
    assert set(found.terms) == {"kiln", "Priya"}
    alone = ["We met Priya again.", "I work with Priya."]
    assert name(alone, [[]] * 2, shape_rarity, frequency=lambda word: 6).named
    assert not name(alone, [[]] * 2, shape_rarity, frequency=lambda word: 7).named
    many = [*alone, "Ask Priya.", "We like Priya."]
    assert name(many, [[]] * 4, shape_rarity, frequency=lambda word: 700).named
    called = ["我们去问吴社长。", "请吴社长来。"]
    for held, is_named in ((6, True), (7, False)):
        often = {"吴社": held, "社长": held}
        found = name(called, [[]] * 2, shape_rarity, frequency=lambda word, o=often: o.get(word, 1))
        assert found.named == is_named


def test_a_thing_that_most_members_hold_is_their_subject_however_common_it_is() -> None:
    """Pairs of memories on films had no name, because the memory was about films."""
    texts = ["We watched a movie.", "The movie is long."]
    assert name(texts, [[]] * 2, shape_rarity, frequency=lambda word: 700).terms == ("movie",)
    films = ["我们看了电影。", "电影很长。"]
    assert name(films, [[]] * 2, shape_rarity, frequency=lambda word: 700).terms == ("电影",)
    plain = ["The work is done.", "Our work is hard."]  # a name only for want of another
    assert name(plain, [[]] * 2, shape_rarity).terms == ("work",)
    assert name(["Our work in Porto.", "The work of Porto."], [[]] * 2, shape_rarity).terms == (
        "Porto",
    )
    beside = [*texts, "Oslo was cold."]
    assert not name(beside, [[]] * 3, shape_rarity, frequency=lambda word: 700).named


def test_what_members_say_aside_counts_less_than_their_phrases() -> None:
    """ "soup · freezer" named the test of a logger in the cold after what lay beside it."""
    texts = ["A logger is in the freezer, beside the soup.", "The freezer is off. So is the soup."]
    phrases = ["A logger is in the freezer", "The freezer is off"]
    assert name(texts, [[]] * 2, shape_rarity, phrases=phrases).terms[0] == "freezer"


def test_a_title_is_one_term() -> None:
    """ "Wind" named memories of a novel, 礼物 those of another."""
    texts = ['I read "Gone with the Wind" again.', 'The author of "Gone with the Wind" is dead.']
    assert name(texts, [[]] * 2, shape_rarity).terms == ("Gone with the Wind",)
    texts = ["我读了《时间的礼物》。", "《时间的礼物》很长。", "我们喜欢《时间的礼物》。"]
    assert name(texts, [[]] * 3, shape_rarity).terms == ("时间的礼物",)


def test_a_code_is_a_term() -> None:
    """A ticket's memories had no name, for its name is a number."""
    texts = ["I opened ticket OX-412.", "Then OX-412 stays open.", "We close OX-412 today."]
    assert name(texts, [[]] * 3, shape_rarity).terms == ("OX-412",)


def test_a_word_behind_a_pronoun_or_to_begins_no_pair() -> None:
    """ "build relationships" and "save money" were names."""
    texts = ["We build relationships.", "She wants to build relationships."]
    assert name(texts, [[]] * 2, shape_rarity).terms == ("relationships",)


def test_a_word_that_only_says_more_about_others_is_completed() -> None:
    """ "Western" named what somebody ate."""
    texts = ["I like Western food.", "Try some Western food!", "A new Western restaurant."]
    assert name(texts, [[]] * 3, shape_rarity).terms[0].startswith("Western ")
    texts = ["I like Western food.", "A new Western restaurant."]
    assert name(texts, [[]] * 2, shape_rarity).terms == ("Western food",)
    texts = ["Time management is hard.", "We learn time management."]
    assert name(texts, [[]] * 2, shape_rarity).terms[0].casefold() == "time management"


def test_what_stands_in_a_list_is_a_thing() -> None:
    """ "yoga" and "piano" were taken for verbs."""
    texts = ["I enjoy painting, piano, and yoga.", "Try tea, piano, and yoga."]
    assert {"piano", "yoga"} <= set(name(texts, [[]] * 2, shape_rarity).terms)


def test_characters_of_grammar_are_no_part_of_a_chinese_word() -> None:
    """画家 was none, because it stood behind 些 wherever it stood."""
    texts = ["哪些画家好？", "一些画家很好。", "学习这些画家。"]
    assert "画家" in name(texts, [[]] * 3, shape_rarity).terms


def test_a_chinese_word_ends_where_grammar_begins() -> None:
    """Memories of concerts were called 演唱会的, and those of painters nothing, or 画家们."""
    for texts, term in (
        (["演唱会的票很贵。", "看演唱会的人。", "我喜欢演唱会的。"], "演唱会"),
        (["那画家们好。", "老画家们很忙。", "学画家们的手法。"], "画家"),
    ):
        assert name(texts, [[]] * 3, shape_rarity).terms == (term,)


def test_what_stands_before_a_stop_or_a_comma_tells_nothing_of_the_word_behind_it() -> None:
    """Two memories of writing had no name, for "we" stands before a verb."""
    for texts in (
        ["I know it. Writing helps.", "Yes, we. Writing is fun."],
        ["They know, writing helps.", "We said we, writing is fun."],
    ):
        (term,) = name(texts, [[]] * 2, shape_rarity).terms
        assert term.casefold() == "writing"


def test_a_name_has_three_terms_at_most() -> None:
    texts = [
        "We need the kiln, the clay, the glaze and the bowl.",
        "A bowl, a glaze, a clay, a kiln.",
    ]
    assert len(name(texts, [[]] * 2, shape_rarity).terms) == 3


def test_one_common_word_of_half_of_the_members_is_no_name() -> None:
    """ "纸箱" named a new colleague's desk, in which it stood, with three matters beside it."""
    texts = ["The boxes are on her desk.", "Those boxes can stay.", "Oslo was cold.", "Ivy won."]
    assert name(texts, [[]] * 4, shape_rarity) == Name()  # programs print what stands in it
    assert name(texts[:3], [[]] * 3, shape_rarity).named


def test_a_term_is_as_long_as_it_is_wherever_it_stands() -> None:
    """ "Green Meadow · Park", and "agencies" for adoption agencies."""
    texts = ["We went to Green Meadow Park.", "The Green Meadow Park is old."]
    assert name(texts, [["Green Meadow"]] * 2, shape_rarity).terms == ("Green Meadow Park",)
    texts = ["I called the adoption agency.", "The adoption agency of Ghent is closed."]
    assert name(texts, [[]] * 2, shape_rarity).terms == ("adoption agency",)
    texts = ["I like the loud choir.", "The choir of Ghent is old, and this choir is good."]
    assert name(texts, [[]] * 2, shape_rarity).terms == ("choir",)


def test_words_with_a_hyphen_and_gerunds_are_terms() -> None:
    """Twelve memories of dairy-free desserts, and twelve of writing, had no name."""
    texts = ["A dairy-free dessert.", "Is it dairy-free?", "These are dairy-free."]
    assert "dairy-free" in name(texts, [[]] * 3, shape_rarity).terms
    texts = ["Gardening helps me.", "They love gardening.", "Gardening calms her."]
    assert name(texts, [[]] * 3, shape_rarity).terms == ("Gardening",)


def test_german_names_have_no_function_words() -> None:
    """18 of 40 German names were "mit · Mutter", "dem Dach" or "nehme ich"."""
    texts = [
        "Mit dem Boot waren wir am Steg, und Malik war bei uns.",
        "Am Steg liegt das Boot nicht mehr, es ist bei dem Bootsbauer.",
        "Bei nichts ist das Boot so langsam wie mit dem alten Motor.",
    ]
    found = name(texts, [[], [], []], shape_rarity)
    said = {word.casefold() for term in found.terms for word in term.split()}
    assert "boot" in said
    assert said.isdisjoint({"mit", "dem", "bei", "ist", "nichts", "das", "und", "wir", "nicht"})
    english = ["The war made the hat rare.", "A hat from the war is here.", "A war, a hat."]
    said = {
        word for term in name(english, [[], [], []], shape_rarity).terms for word in term.split()
    }
    assert said & {"war", "hat"}


def test_no_half_of_a_chinese_word_names_a_theme() -> None:
    """账单 stood for 对账单: characters that mostly carry grammar ended a term within words too."""
    for word, texts in {
        "对账单": ["银行对账单没寄来。", "对账单有一笔不对。", "财务要对账单。"],
        "会员登录": ["会员登录不上去。", "会员登录要验证码。", "他的会员登录失败。"],
    }.items():
        assert name(texts, [[]] * 3, shape_rarity).terms == (word,)
    visits = ["我们去到博物馆了。", "他们走到博物馆。", "博物馆闭馆。"]  # 到 is no part of a word
    assert name(visits, [[]] * 3, shape_rarity).terms == ("博物馆",)
