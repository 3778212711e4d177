"""Questions that wait: how they are put, and what a choice without words means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text2mem.conversation.reply import DROP, Offer, Question
from text2mem.doors.agent.conversation import HOLDS
from text2mem.doors.agent.wording import LONG, Answer, Asked, line
from text2mem.errors import ChoiceNeeded
from text2mem.planner.messages import message

UNAGREED = "It is the user's to decide: no tool here runs it."


def question(
    text: str, offers: tuple[Offer, ...], token: str, data: Mapping[str, Any], request: str, *,
    elicit: bool, agrees: bool,
) -> Answer:  # fmt: skip
    """A question as an answer to a request; ``elicit``: a client that can may put it to a person at
    once; ``agrees``: whether ``confirm`` is there to run an offer."""
    if offers and not agrees:
        how = UNAGREED
    elif offers:
        number = "1" if len(offers) == 1 else "NUMBER"
        how = f'confirm(token="{token}", choice={number}) runs it; choice={DROP} drops it.'
    else:
        how = f'ask_memory(request=ANSWER, confirm_token="{token}") answers it.'
    told = {
        **data,
        "options": [
            {"choice": number, "label": each.label, "effect": each.effect}
            for number, each in enumerate(offers, 1)
        ],
        "token": token, "expires_in": int(HOLDS.total_seconds()),
    }  # fmt: skip
    labels = tuple(
        line(f"{each.label} ({each.effect})" if each.effect else each.label, LONG)
        for each in offers
    )
    asked = Asked(text, labels, token, message("answer", request)) if elicit else None
    return Answer(f"{text}\n{how}", told, asked=asked)


def choice_of(question: Question, choice: int | None) -> int:
    """A choice that was made without words; none is that of the only offer. Raises ChoiceNeeded."""
    if choice == DROP:
        return DROP
    if not question.offers:
        raise ChoiceNeeded(
            "this question has no options: it is answered in words",
            hint="ask_memory(request=the answer, confirm_token=this token)",
        )
    if choice is None and len(question.offers) > 1:
        raise ChoiceNeeded(
            f"there are {len(question.offers)} options, and none was chosen",
            hint="confirm(token, choice=the number of one)",
        )
    return 1 if choice is None else choice
