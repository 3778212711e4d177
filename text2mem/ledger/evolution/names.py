"""The names of an attribute over time: which to read, and under which to write.

Evolutions that have been carried out are memories of the tenant, of a type of their own, archived
and for everybody to read, so that an undo takes them back with the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from text2mem.adapters.base import Scope
from text2mem.errors import ConfigurationError
from text2mem.ir.ops import ByFilter, ByIds
from text2mem.ir.record import Record
from text2mem.ir.words.naming import name_key
from text2mem.ledger.evolution.document import (
    Evolution,
    Merge,
    Rename,
    Retype,
    read_evolution,
    sources_and_targets,
)
from text2mem.ledger.ledger import Ledger

TYPE = "schema-evolution"
"""The memory type."""
_HELD = "evolution"
"""Where the document stands in the payload."""


def encoding(evolution: Evolution) -> Mapping[str, Any]:
    """The instance that keeps an evolution."""
    args = {
        "payload": {"structured": {_HELD: evolution.as_document()}}, "type": TYPE,
        "read_perm_level": "public", "skip_embedding": True,
    }  # fmt: skip
    return {"stage": "ENC", "op": "Encode", "args": args}


def carried_out(ledger: Ledger) -> Sequence[Evolution]:
    """The evolutions that were carried out, the earliest version first.

    Only what the local user has stored counts: an actor's memory of that type renames nothing.
    """
    rows = ledger.rows(ByFilter(type=TYPE, include=("archived",)))
    found = []
    for row in rows:
        document = row.payload.get("structured", {}).get(_HELD)
        if row.owner is None and row.archived and document is not None:
            with suppress(ConfigurationError):
                found.append(read_evolution(document))
    return sorted(found, key=lambda evolution: evolution.version)


def read_names(ledger: Ledger, attribute: str) -> tuple[str, ...]:
    """The names under which an attribute is looked up, the newest first.

    Until its ``dual_read_until``, an evolution makes an old name find what has been carried over,
    and a new name what has not been yet. Without such an evolution it is the name itself.
    """
    now = ledger.now()
    open_ = [e for e in carried_out(ledger) if e.dual_read_until and now < e.dual_read_until]
    return _reached(open_, attribute)


def write_name(ledger: Ledger, attribute: str) -> str:
    """The name under which a new fact is written: that after all renames and plain merges."""
    name = attribute
    for evolution in carried_out(ledger):
        for step in evolution.steps:
            renamed = isinstance(step, Rename) or (isinstance(step, Merge) and step.join is None)
            old, new = sources_and_targets(step)
            if renamed and name_key(name) in map(name_key, old):
                (name,) = new
    return name


def replaced(
    ledger: Ledger, subject: str, attribute: str, as_of: datetime | None, known_at: datetime
) -> dict[str, Record]:
    """The facts that were believed at ``known_at`` and that evolutions have replaced since, by id,
    as they were recorded then. Call it inside ``Ledger.ticked``.
    """
    evolutions = carried_out(ledger)
    scope = Scope(
        context=ledger.context, now=ledger.now(), deleted=True, archived=True, as_of=as_of,
        known_at=known_at,
    )  # fmt: skip
    present = replace(scope, as_of=None, known_at=None)
    found: dict[str, Record] = {}
    for name in _reached(evolutions, attribute) if evolutions else ():
        target = ByFilter(subject=subject, attribute=name, include=("deleted",))
        gone = [r for r in ledger.adapter.resolve(target, scope).rows if r.is_fact and r.deleted]
        children = ByIds(tuple(id_ for record in gone for id_ in record.lineage_children))
        made = ledger.adapter.resolve(children, present).rows
        # The descendants that took a fact's place after that instant.
        carried = {child.id for child in made if child.is_fact and child.created_at > known_at}
        found |= {r.id: r for r in gone if not carried.isdisjoint(r.lineage_children)}
    return found


def _reached(evolutions: Sequence[Evolution], attribute: str) -> tuple[str, ...]:
    """The earlier and later names of an attribute by the evolutions, the later ones first."""
    steps = [step for evolution in evolutions for step in evolution.steps]
    named = (names for step in steps for names in sources_and_targets(step))
    written = {name_key(name): name for names in named for name in names}
    attribute = written.get(name_key(attribute), attribute)
    newer, older = [attribute], [attribute]
    moves = [sources_and_targets(step) for step in steps if not isinstance(step, Retype)]
    for old, new in moves:
        if not _disjoint(old, newer):
            newer += new
    for old, new in reversed(moves):
        if not _disjoint(new, older):
            older += old
    order = [*reversed(newer[1:]), attribute, *older[1:]]
    return tuple({name_key(name): written.get(name_key(name), name) for name in order}.values())


def _disjoint(one: Sequence[str], other: Sequence[str]) -> bool:
    return {name_key(name) for name in one}.isdisjoint(name_key(name) for name in other)
