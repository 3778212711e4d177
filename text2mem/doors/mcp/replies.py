"""Questions that wait: how they are put, and what a reply to one means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text2mem.doors.mcp.conversation import HOLDS, Offer, Pending
from text2mem.doors.mcp.wording import Answer, Asked
from text2mem.doors.replies import plain, reply
from text2mem.errors import NoSuchOption, Text2MemError

DROP = 0
"""The choice that runs nothing."""


class ChoiceNeeded(Text2MemError):
    """A question that a token alone does not answer."""


def question(
    text: str, offers: tuple[Offer, ...], token: str, data: Mapping[str, Any], *, elicit: bool
) -> Answer:
    """A question as an answer; ``elicit``: a client that can may put it to a person at once."""
    if offers:
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
    asked = Asked(text, tuple(each.label for each in offers), token) if elicit else None
    return Answer(f"{text}\n{how}", told, asked=asked)


def read_reply(words: str, pending: Pending) -> int | None:
    """The choice that a reply in words makes; None where it says something else.

    A yes, or the same request once more, chooses an option that is the only one.
    """
    said = reply(words)
    if said == "no":
        return DROP
    again = plain(words) == plain(pending.request)
    if (said == "yes" or again) and len(pending.offers) == 1:
        return 1
    if isinstance(said, int) and said <= len(pending.offers):
        return said
    return None


def chosen(pending: Pending, choice: int | None) -> Offer:
    """The offer of a choice; without one, the only offer. Raises ChoiceNeeded, NoSuchOption."""
    if not pending.offers:
        raise ChoiceNeeded(
            "this question has no options: it is answered in words",
            hint="ask_memory(request=the answer, confirm_token=this token)",
        )
    if choice is None and len(pending.offers) > 1:
        raise ChoiceNeeded(
            f"there are {len(pending.offers)} options, and none was chosen",
            hint="confirm(token, choice=the number of one)",
        )
    number = 1 if choice is None else choice
    if not 1 <= number <= len(pending.offers):
        raise NoSuchOption(number, options=len(pending.offers))
    return pending.offers[number - 1]
