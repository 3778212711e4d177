"""What people say after something was done, on the real small model: thanks take nothing back."""

from __future__ import annotations

import pytest

from text2mem import Conversation, Memory
from text2mem.providers.base import Provider

pytestmark = pytest.mark.model
NOTE, OTHER = "Dentist on Tuesday at nine, bring the old X-rays", "The wifi code is tern-4471"


@pytest.mark.parametrize(
    ("said", "undone"),
    [
        ("thanks!", False), ("great", False), ("ok", False), ("perfect, cheers", False),
        ("好的", False), ("谢谢", False), ("no wait, put it back", True), ("undo that", True),
        ("撤销", True), ("算了，恢复吧", True),
    ],
)  # fmt: skip
def test_thanks_for_a_deletion_bring_nothing_back(
    said: str, undone: bool, local_model: Provider
) -> None:
    with Memory("memory:", model=local_model, embedder="none") as memory:
        memory.add(NOTE)
        memory.add(OTHER)
        talk = Conversation(memory)
        talk.say("Throw away the note about the dentist.")
        if talk.question is not None:
            talk.answer(1)
        assert [record.text for record in memory.list()] == [OTHER]
        reply = talk.say(said)
        assert (reply.status == "undone") is undone, reply
        assert (NOTE in [record.text for record in memory.list()]) is undone


@pytest.mark.parametrize("said", ["show me everything", "列出全部"])
def test_everything_is_shown_after_a_turn_about_one(said: str, local_model: Provider) -> None:
    with Memory("memory:", model=local_model, embedder="none") as memory:
        memory.add(OTHER)
        memory.add(NOTE)
        talk = Conversation(memory)
        talk.say("Move the dentist to Friday.")
        reply = talk.say(said)
        assert reply.result is not None
        assert reply.result.results[0].matched == 2


@pytest.mark.parametrize("said", ["delete everything", "全删了"])
def test_everything_is_asked_about_and_offered_after_a_turn_about_one(
    said: str, local_model: Provider
) -> None:
    with Memory("memory:", model=local_model, embedder="none") as memory:
        memory.add(OTHER)
        talk = Conversation(memory)
        talk.say("Remember that the dentist is on Tuesday.")
        reply = talk.say(said)
        assert reply.question is not None and len(memory.list()) == 2
        talk.answer(len(reply.question.offers))
        assert memory.list() == []
