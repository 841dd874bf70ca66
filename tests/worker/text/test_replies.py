"""Questions and acknowledgements must not be shown before statements."""

import pytest

import graphmem
from graphmem_worker.text.sentences import sentences
from graphmem_worker.text.trivial import is_only_reply


@pytest.mark.parametrize(
    "text",
    [
        "Noted. Do you want me to keep her details in case she comes back?",
        "Got it, saved. Anything else from the holidays?",
        "Would it help to ask the neighbours?",
        "收到，两台机器都记好了。要记下放在哪个机房吗？",
        "已记下。第一次来，要不要列个清单给她？",
        "明白，谈开了就好。",
    ],
)
def test_replies_are_recognised(text: str) -> None:
    """A question has the words of the cue, and stood before the answer to both."""
    assert is_only_reply(sentences(text))


@pytest.mark.parametrize(
    "text",
    [
        "Yes. The bins go out on Monday evening.",
        "Done, the alarm code is 4471.",
        "Sure, Marta brings the cake. Anything else?",
        "Could you call 07700 900142? My sister moved to Graz on Friday.",
        "好的，周三下午四点开会。",
        "停了，不留备用的那个通道",
        "",
    ],
)
def test_a_text_with_information_is_no_reply(text: str) -> None:
    """An answer that begins with "yes" is an answer."""
    assert not is_only_reply(sentences(text))


def test_the_answer_stands_before_the_question() -> None:
    with graphmem.open(worker="none") as memory:
        memory.remember("Keeley is off to a camp in Maine.", speaker="Jo", session="a")
        memory.remember("Will Keeley be back in autumn to babysit?", session="a")
        memory.remember("Keeley goes straight to Leeds, no babysitting in autumn.", session="a")
        found = memory.recall("Is Keeley coming back to babysit in autumn?", use=False)
    assert found[0].text.startswith("Keeley goes straight to Leeds")
