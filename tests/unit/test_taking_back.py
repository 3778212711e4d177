"""A wish that is taken back in the same breath: what is said last is read by itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.planning import besides
from text2mem import Memory
from text2mem.clarification import Clarification
from text2mem.program import Program
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import ABLE, TUNED, Profile

NOTES = ("the skip comes on Friday", "搬家公司周三来", "the gate code is 4471")
UNDO = {"undo": True}


def compiled(said: str, *answers: Any, profile: Profile = TUNED) -> tuple[Any, list[str]]:
    """What comes of a request where the model gives these answers, and what it was shown."""
    given, shown = iter(answers), []

    def model(request: Request) -> Any:
        told = besides(request)
        if told is not None:
            return told
        shown.append(request.prompt or request.messages[-1].content)
        return next(given)

    reader = FunctionProvider(model, profile=profile)
    with Memory("memory:", model=reader, embedder="none") as memory:
        for text in NOTES:
            args = {"payload": {"text": text}}
            memory.execute([{"stage": "ENC", "op": "Encode", "args": args}])
        return memory.compile(said), shown


@pytest.mark.parametrize(
    ("said", "about", "rest"),
    [
        ("bin the skip comes on Friday one. Hang on, don't", "skip comes on Friday", "one."),
        ("Bin the SKIP comes on friday - no, leave it", "skip comes on Friday", "no, leave it"),
        (
            "Großer Spaß in der Straße, bin the skip comes on Friday, no, leave it",
            "skip comes on Friday",
            "no, leave it",
        ),
        ("把搬家公司周三来那条删了。等等，先留着", "搬家公司周三来", "那条删了。等等，先留着"),
    ],
)
def test_what_takes_the_wish_back_is_asked_about(said: str, about: str, rest: str) -> None:
    gone = {"steps": [{"op": "Delete", "about": about}]}
    asked, shown = compiled(said, gone, UNDO)
    assert isinstance(asked, Clarification)
    assert asked.reason == "withdrawn" and len(asked.options) == 1
    before, last = shown[1].split("\n")[:2]
    assert before.startswith("Before: ") and last.startswith(f"Request: {rest}")


def test_what_goes_on_about_the_wish_changes_nothing() -> None:
    gone = {"steps": [{"op": "Delete", "about": "skip comes on Friday"}]}
    done, shown = compiled(
        "bin the skip comes on Friday note, it has been", gone, {"steps": [{"op": "Retrieve"}]}
    )
    assert isinstance(done, Program) and len(shown) == 2


@pytest.mark.parametrize(
    ("said", "step", "profile"),
    [
        ("bin the skip comes on Friday", {"op": "Delete", "about": "skip comes on Friday"}, TUNED),
        ("the gate code is 4471: mark it so, now",
         {"op": "Label", "about": "gate code is 4471", "add": ["so"]}, ABLE),
        ("tag the skip comes on Friday as urgent, no rush",
         {"op": "Label", "about": "skip comes on Friday", "add": ["urgent"]}, TUNED),
        ("bin the skip comes on Friday, no wait", {"op": "Delete", "about": "skip comes on Friday"},
         ABLE),
    ],
    ids=["nothing follows", "an able reader, a label", "a label", "an able reader"],
)  # fmt: skip
def test_nothing_is_read_twice_where_it_would_say_nothing(
    said: str, step: dict[str, Any], profile: Profile
) -> None:
    done, shown = compiled(said, {"steps": [step]}, profile=profile)
    assert isinstance(done, Program) and len(shown) == 1


def test_what_is_put_away_is_meant_where_it_fits_better() -> None:
    gone = {"steps": [{"op": "Delete", "about": "old gate code"}]}
    reader = FunctionProvider(lambda asked: besides(asked) or gone, profile=TUNED)
    with Memory("memory:", model=reader, embedder="none") as memory:
        for text in ("the car park card, ask the office", "old gate code 4471 of the yard"):
            args = {"payload": {"text": text}}
            memory.execute([{"stage": "ENC", "op": "Encode", "args": args}])
        away = {"stage": "STO", "op": "Demote", "target": {"ids": ["2"]}, "args": {"archive": True}}
        memory.execute([away])
        program = memory.compile("nuke the old gate code")
        assert isinstance(program, Program)
        assert program.to_list()[0]["target"] == {"ids": ["2"]}
