"""What a model is shown of the store: a compact picture, marked as data.

Everything stored stands as JSON between ``<store>`` and ``</store>``, with the angle brackets of
stored text escaped, so that no memory can end the block and speak as somebody else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from text2mem.ir.record import Record
from text2mem.planner.grounding import Picture

_NAMES = 24
_ESCAPED = {ord(each): f"\\u{ord(each):04x}" for each in "<>\x85\u2028\u2029"}
"""What could end the block or one of its lines; JSON escapes the other line breaks itself."""


def tags_in_use(tags: Sequence[str]) -> str:
    """The tags of a store; nothing where there are none."""
    return _block([("Tags in use", list(tags))]) if tags else ""


def memories(records: Sequence[Record]) -> str:
    """The memories that a text is about to be written for."""
    return _block([("It says now", [row.text for row in records])]) if records else ""


def picture_of(picture: Picture) -> str:
    """Vocabulary and candidates, as much as the utterance may speak of."""
    vocabulary = picture.vocabulary
    lines: list[tuple[str, Any]] = [
        ("Tags", list(picture.tags)),
        ("Types", list(vocabulary.types[:_NAMES])),
        ("Subjects", list(vocabulary.subjects[:_NAMES])),
        ("Places", list(vocabulary.locations[:_NAMES])),
        ("Memories", [
            {"id": each.id, "text": each.snippet, "tags": list(each.tags), "time": each.time}
            for each in picture.candidates
        ]),
    ]  # fmt: skip
    return _block([(name, data) for name, data in lines if data])


def _block(lines: Sequence[tuple[str, Any]]) -> str:
    if not lines:
        return ""
    said = "\n".join(f"{name}: {_data(data)}" for name, data in lines)
    return f"<store>\n{said}\n</store>\n"


def _data(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPED)
