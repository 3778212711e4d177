"""The names of an attribute across evolutions: those that are read, and the one that is written.

The evolutions that were carried out are memories of the tenant, archived and public, with a type of
their own. So an undo of an evolution also removes its memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.ir.ops import ByFilter, ByIds
from text2mem.ir.record import Record
from text2mem.ir.words.naming import name_key
from text2mem.ledger.evolution.document import (
    Evolution,
    Merge,
    Rename,
    Retype,
    old_and_new,
    read_evolution,
)
from text2mem.ledger.ledger import Ledger

TYPE = "schema-evolution"
_HELD = "evolution"
"""The key of the document in the payload."""


def encoding(evolution: Evolution) -> Mapping[str, Any]:
    """The Encode that stores an evolution."""
    args = {
        "payload": {"structured": {_HELD: evolution.as_document()}}, "type": TYPE,
        "read_perm_level": "public", "skip_embedding": True,
    }  # fmt: skip
    return {"stage": "ENC", "op": "Encode", "args": args}


def carried_out(ledger: Ledger) -> Sequence[Evolution]:
    """The evolutions that were carried out, the earliest version first, but for an actor's own."""
    evolutions = []
    for row in ledger.rows(ByFilter(type=TYPE, include=("archived",))):
        document = row.payload.get("structured", {}).get(_HELD)
        if row.owner is None and row.archived and document is not None:
            with suppress(ConfigurationError):
                evolutions.append(read_evolution(document))
    return sorted(evolutions, key=lambda evolution: evolution.version)


def read_names(ledger: Ledger, attribute: str) -> tuple[str, ...]:
    """The names under which an attribute is looked up, the newest first: those of evolutions until
    their ``dual_read_until``, and itself."""
    now = ledger.now()
    dual_read = [e for e in carried_out(ledger) if e.dual_read_until and now < e.dual_read_until]
    return _all_names(dual_read, attribute)


def write_name(ledger: Ledger, attribute: str) -> str:
    """The name of a new fact: the one after all renames, and all merges that do not join."""
    name = attribute
    for evolution in carried_out(ledger):
        for step in evolution.steps:
            renamed = isinstance(step, Rename) or (isinstance(step, Merge) and step.join is None)
            old, new = old_and_new(step)
            if renamed and name_key(name) in map(name_key, old):
                (name,) = new
    return name


def replaced(
    ledger: Ledger, subject: str, attribute: str, as_of: datetime | None, known_at: datetime
) -> dict[str, Record]:
    """The facts of a line recorded at ``known_at`` that an evolution has replaced since, by id, as
    they were recorded then. Call this within ``Ledger.settled``."""
    evolutions = carried_out(ledger)
    ask = partial(ledger.resolve, archived=True, deleted=True)
    before: dict[str, Record] = {}
    for name in _all_names(evolutions, attribute) if evolutions else ():
        target = ByFilter(subject=subject, attribute=name, include=("deleted",))
        then = ask(target, as_of=as_of, known_at=known_at).rows
        deleted = [record for record in then if record.is_fact and record.deleted]
        child_ids = ByIds(tuple(id_ for record in deleted for id_ in record.lineage_children))
        children = ask(child_ids).rows
        # Facts that have replaced a deleted one since that instant.
        newer = {child.id for child in children if child.is_fact and child.created_at > known_at}
        before |= {r.id: r for r in deleted if not newer.isdisjoint(r.lineage_children)}
    return before


def _all_names(evolutions: Sequence[Evolution], attribute: str) -> tuple[str, ...]:
    """The later names of an attribute by the evolutions, the attribute, and its earlier names."""
    steps = [step for evolution in evolutions for step in evolution.steps]
    groups = (names for step in steps for names in old_and_new(step))
    spelling = {name_key(name): name for names in groups for name in names}
    attribute = spelling.get(name_key(attribute), attribute)
    newer, older = [attribute], [attribute]
    moves = [old_and_new(step) for step in steps if not isinstance(step, Retype)]
    for old, new in moves:
        if {*map(name_key, old)} & {*map(name_key, newer)}:
            newer += new
    for old, new in reversed(moves):
        if {*map(name_key, new)} & {*map(name_key, older)}:
            older += old
    order = [*reversed(newer[1:]), attribute, *older[1:]]
    return tuple({name_key(name): spelling.get(name_key(name), name) for name in order}.values())
