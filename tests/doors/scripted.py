"""A model for the tests of the doors: ``function:tests.doors.scripted:answer``."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from tests.reading import me, turn_of
from text2mem.errors import ServiceUnreachable
from text2mem.providers.base import Request

MODEL = "function:tests.doors.scripted:answer"
NOTE = "The ferry to Inishbofin leaves at 11:30 on Saturdays."
CORRECT, FORGET = (
    "The ferry leaves at 12:00 now, not 11:30.",
    "Throw away the note about the ferry.",
)
FORGET_ZH = "把渡轮那条删掉。"
SLOWLY = "Think for a minute."
ERASE = "Erase the note about the ferry for good."
THIS_TOO, UNDO, THANKS, TIDY = "Archive that one.", "Undo that.", "Thanks!", "Tidy up."
LIST, DOWN, CRASH = "List all of it.", "Is anybody there?", "Crash."
_DRAFTS: dict[str, Any] = {
    CORRECT: {"steps": [{"op": "Update", "about": "ferry", "old": "11:30", "new": "12:00"}]},
    FORGET: {"steps": [{"op": "Delete", "about": "ferry"}]},
    FORGET_ZH: {"steps": [{"op": "Delete", "about": "渡轮"}]},
    ERASE: {"steps": [{"op": "Delete", "about": "ferry", "for_good": True}]},
    THIS_TOO: {"steps": [{"op": "Demote", "which": "earlier", "archive": True}]},
    UNDO: {"undo": True},
    THANKS: {"steps": []},
    TIDY: {"ask": "Which memories do you no longer need?"},
    LIST: {"steps": [{"op": "Retrieve", "which": "all"}]},
}


_FACTS = {"Remember that I live in Bergen.": [me("city", "Bergen")]}


def answer(request: Request) -> Any:
    """The draft for the utterance that was asked last; of any other, an Encode of it."""
    said = next((m.content for m in reversed(request.messages) if "Request: " in m.content), None)
    if said is None:  # a turn of a conversation is to be read
        return {"facts": _FACTS.get(turn_of(request), [])}
    utterance = said.rpartition("Request: ")[2].strip()
    if utterance == SLOWLY:
        Path(os.environ["THINKING"]).touch()
        time.sleep(60)
    if utterance == DOWN:
        raise ServiceUnreachable("nobody is there", service="scripted", hint="start the service")
    if utterance == CRASH:
        raise RuntimeError("a bug of the model's code, with a secret")
    return _DRAFTS.get(utterance, {"steps": [{"op": "Encode", "text": utterance}]})
