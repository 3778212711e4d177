"""Facts in the memory adapter: what makes one, and how its versions share the time line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from text2mem.adapters.memory_state import Changes
from text2mem.adapters.refusals import not_a_fact, superseded
from text2mem.ir.ops import Content
from text2mem.ir.record import Record

CONTENT = ("text", "url", "structured")


def render(kind: str, value: Any) -> str:
    """The text of a content: itself, the url, or a line "key: value" for each key."""
    if kind != "structured":
        return str(value)
    return "\n".join(f"{key}: {_shown(each)}" for key, each in value.items())


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def other_keys(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What a payload holds beside the content itself."""
    return {key: value for key, value in payload.items() if key not in CONTENT}


def fact_in(content: Content) -> Mapping[str, Any] | None:
    """The structured payload where it has subject, attribute and value, else None."""
    value = content.value
    if content.kind != "structured" or not isinstance(value, Mapping) or "value" not in value:
        return None
    named = [value.get("subject"), value.get("attribute")]
    return value if all(isinstance(name, str) and name for name in named) else None


def begins(record: Record) -> datetime:
    """Where a fact's validity begins."""
    return record.valid_from or record.when


def enter(changes: Changes, new: Record) -> Record:
    """Place a new fact among those of its subject and attribute, and say where it stands.

    The version that holds where the new one begins is closed there; the next later one ends the
    new one. Returns the new fact with its ``valid_to`` and ``supersedes``.
    """
    start = begins(new)
    others = [
        record
        for record in changes.records()
        if not record.deleted
        and record.attribute == new.attribute
        and record.subject == new.subject
    ]
    later = [begins(record) for record in others if begins(record) > start]
    if later and (new.valid_to is None or new.valid_to > min(later)):
        new = replace(new, valid_to=min(later))
    earlier = [record for record in others if begins(record) <= start]
    if earlier:
        # Of two that begin together, the one recorded later corrects the other.
        holding = max(earlier, key=lambda record: (begins(record), int(record.id)))
        if holding.valid_to is None or holding.valid_to > start:
            changes.change(holding.id, valid_to=start)
            new = replace(new, supersedes=holding.id)
    return new


def supersede(changes: Changes, old: Record, value: Any, edits: Mapping[str, Any]) -> Record:
    """A new version of a fact with another value and the given fields; the old one is closed.

    Raises ExecutionError "not-a-fact".
    """
    if not old.is_fact:
        raise not_a_fact(old)
    start = edits.get("valid_from") or changes.now
    if old.valid_to is not None and old.valid_to <= start:
        raise superseded(old)
    subject = edits.get("subject", old.subject)
    structured = {"subject": subject, "attribute": old.attribute, "value": value}
    # Last, so that no text given beside the value can say something else than the value.
    fields = {
        **edits,
        "text": render("structured", structured),
        "payload": {**other_keys(old.payload), "structured": structured},
        "value": value,
        "valid_from": start,
        "supersedes": old.id,
    }
    changes.change(old.id, valid_to=start)
    new = replace(
        old,
        id=changes.new_id(),
        created_at=changes.now,
        updated_at=changes.now,
        version=1,
        **fields,
    )
    return changes.create(new)
