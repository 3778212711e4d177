"""Dialogues that are written whole: what was said before a turn, and what is held by then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from training.statements import Turn, load


def _turns(folder: Path, *rows: dict[str, Any]) -> list[Turn]:
    lines = [json.dumps({"d": "day", **row}) for row in rows]
    (folder / "en-somebody.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load(folder)


def _fact(attribute: str, value: str, **more: str) -> dict[str, str]:
    return {"subject": "the open day", "attribute": attribute, "value": value, **more}


WHOLE = {"names": ["event_date", "caterer", "helper"], "about": "an open day"}


def test_a_turn_is_read_after_the_two_before_it(tmp_path: Path) -> None:
    first, second = _turns(
        tmp_path,
        WHOLE,
        {"turn": "The open day is the 14th.", "facts": [_fact("event date", "14th")]},
        {"assistant": "Noted."},
        {"assistant": "Who does the food?"},
        {"turn": "Soula", "facts": [_fact("caterer", "Soula")]},
    )  # fmt: skip
    assert first.said.before == () and first.told == ()
    assert second.said.before == (("assistant", "Noted."), ("assistant", "Who does the food?"))
    assert second.declared == ("event_date", "caterer", "helper") and second.whole


def test_what_is_held_is_what_was_stated_last_of_whom_a_turn_names(tmp_path: Path) -> None:
    *_, last = _turns(
        tmp_path,
        WHOLE,
        {"turn": "It is the 14th, Nikos cooks",
         "facts": [_fact("event date", "14th"), _fact("caterer", "Nikos")]},
        {"turn": "Ana and Bo help", "facts": [_fact("helper", "Ana"), _fact("helper", "Bo")]},
        {"turn": "no, the 15th", "facts": [_fact("event date", "15th", kind="correct")]},
        {"turn": "Bo can't", "facts": [_fact("helper", "Bo", kind="retract")]},
        {"turn": "Soula cooks, not Nikos", "facts": [_fact("caterer", "Soula", old="Nikos")]},
        {"turn": "is the open day dry?", "facts": []},
    )  # fmt: skip
    of = "open day"
    assert last.told == (
        (of, "caterer", "Soula"),
        (of, "event date", "15th"),
        (of, "helper", "Ana"),
    )


def test_of_others_nothing_is_shown_and_of_the_speaker_always(tmp_path: Path) -> None:
    mine = {"subject": "me", "attribute": "city", "value": "Leeds"}
    *_, last = _turns(
        tmp_path,
        WHOLE,
        {"turn": "the open day is the 14th, I'm in Leeds",
         "facts": [_fact("event date", "14th"), mine]},
        {"turn": "ta", "facts": []},
        {"assistant": "You are welcome."},
        {"turn": "thanks", "facts": []},
    )  # fmt: skip
    assert last.told == (("me", "city", "Leeds"),) and last.subjects == ("open day",)


def test_rows_that_are_no_whole_dialogue_keep_what_their_author_says(tmp_path: Path) -> None:
    first, second = _turns(
        tmp_path,
        {"names": ["caterer"]},
        {"turn": "Soula cooks", "known": [["The Open Day", "caterer", "Nikos"]],
         "facts": [_fact("caterer", "Soula", old="Nikos")]},
        {"turn": "who cooks on the open day?", "facts": []},
    )  # fmt: skip
    assert first.said.known == (("open day", "caterer", "Nikos"),) and not first.whole
    assert second.said.before == () and second.told == (("open day", "caterer", "Soula"),)
