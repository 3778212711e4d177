"""Export what is held on a subject, as far as the caller's actor may read it, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.ir.arguments import as_words
from text2mem.ir.journal import Entry
from text2mem.ir.record import Record, jsonable
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.naming import name_key
from text2mem.ledger.holdings import by_attribute, held_on, sources, state_of
from text2mem.ledger.ledger import Ledger

FORMAT = 1
"""The version of the format (docs/forgetting.md, "Export")."""
_RECORDED = {"value", "valid_from", "valid_to", "pending", "deleted", "subject"}
"""The fields of a fact whose changes are listed under ``recorded``."""


def export(ledger: Ledger, subject: str) -> dict[str, Any]:
    """Everything that is held on a subject, in an order that is the same for the same store."""
    ledger, subject = ledger.still(), as_words("subject", subject)
    # One transaction for all, so that what is due is carried out once, not for every version.
    return ledger.settled(lambda: _document(ledger, subject))


def _document(ledger: Ledger, subject: str) -> dict[str, Any]:
    held = held_on(ledger, subject)
    return {
        "format": FORMAT,
        "subject": name_key(subject),
        "tenant": ledger.context.tenant,
        "at": format_instant(ledger.now()),
        "registry_version": ledger.registry.version,
        "facts": _by_line(ledger, held.facts),
        "pointing": [_version(ledger, fact) for fact in held.pointing],
        "waiting": [
            _version(ledger, fact)
            for fact in (*held.facts, *held.pointing)
            if fact.pending and not fact.deleted
        ],
        "episodes": [_episode(record) for record in held.episodes],
        "memories": [_memory(record) for record in held.others],
    }


def _by_line(ledger: Ledger, facts: Sequence[Record]) -> list[dict[str, Any]]:
    """The versions of each attribute, in the order of their beginnings, without pending facts."""
    told = [fact for fact in facts if not fact.pending or fact.deleted]
    lines = by_attribute(sorted(told, key=lambda fact: (fact.begins, int(fact.id))))
    attributes = {name: ledger.registry.attribute(name) for name in sorted(lines)}
    return [
        {
            "attribute": name,
            "cardinality": attribute.cardinality,
            "sensitivity": attribute.sensitivity,
            "versions": [_version(ledger, fact) for fact in lines[name]],
        }
        for name, attribute in attributes.items()
    ]


def _version(ledger: Ledger, fact: Record) -> dict[str, Any]:
    entries = ledger.entries([fact.id])
    return {
        "id": fact.id, "subject": fact.subject, "attribute": fact.attribute, "value": fact.value,
        "type": fact.type, "state": state_of(fact, ledger.now()),
        "valid_from": jsonable(fact.valid_from), "valid_to": jsonable(fact.valid_to),
        "recorded_at": format_instant(fact.created_at), "retracted_at": _retracted(fact, entries),
        "recorded": _recorded(entries), "confidence": fact.confidence,
        "supersedes": fact.supersedes, "sources": [dict(entry) for entry in fact.sources],
        "episodes": list(sources(fact)), "schema_version": fact.schema_version,
        "retention": _retention(ledger, fact), "owner": fact.owner,
    }  # fmt: skip


def _recorded(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The journal entries that changed the ``_RECORDED`` fields, oldest first, with the values."""
    return [
        {"at": format_instant(entry.at), "op": entry.trail.op, **after}
        for entry in entries
        if (after := {c.field: c.after for c in entry.changes if c.field in _RECORDED})
    ]


def _retracted(fact: Record, entries: Sequence[Entry]) -> str | None:
    """The instant at which a fact was last recorded as ended or deleted; None if it is neither."""
    if not fact.deleted and fact.valid_to is None:
        return None
    ended = [
        entry.at for entry in entries for change in entry.changes
        if (change.field == "deleted" and change.after is True)
        or (change.field == "valid_to" and change.after is not None)
    ]  # fmt: skip
    return format_instant(ended[-1]) if ended else None


def _episode(record: Record) -> dict[str, Any]:
    return {
        "id": record.id, "at": format_instant(record.when), "type": record.type,
        "text": record.text, "payload": dict(record.payload), "facets": dict(record.facets),
        "source": record.source, "deleted": record.deleted, "archived": record.archived,
        "expire_at": jsonable(record.expire_at),
    }  # fmt: skip


def _memory(record: Record) -> dict[str, Any]:
    """A memory that is neither a fact nor an episode."""
    return _episode(record) | {
        "tags": list(record.tags), "topic": record.topic, "location": record.location,
        "recorded_at": format_instant(record.created_at), "owner": record.owner,
    }  # fmt: skip


def _retention(ledger: Ledger, fact: Record) -> dict[str, Any]:
    attribute = ledger.registry.attribute(fact.attribute or "")
    retention = ledger.registry.retention(fact.retention_policy, attribute, fact.type)
    return {
        "class": retention.name if retention else fact.retention_policy,
        "expire_at": jsonable(fact.expire_at),
        "on_expire": fact.expire_action,
    }
