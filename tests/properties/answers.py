"""What is told of a result and of a store, so that two of them can be compared."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tests.properties.callers import LOCAL, Caller, services
from tests.properties.vocabulary import BEGIN, STEP
from text2mem.adapters.base import Adapter, Scope
from text2mem.clock import FixedClock
from text2mem.executor import execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter, ByIds, BySearch, Retrieve
from text2mem.ir.result import ProgramResult

READERS = (LOCAL, Caller("ana"), Caller("bo", roles=("team",)))
INSTANTS = tuple(BEGIN + STEP * number for number in range(-4, 9, 2))
_SHOWN: Any = (
    "text", "tags", "facets", "subject", "weight", "attribute", "value", "valid_from", "valid_to",
)  # fmt: skip
ALL = Retrieve(target=ByFilter(limit=99), include=_SHOWN)
HIDDEN = replace(ALL, include_archived=True, include_deleted=True)
READS = (
    ALL, replace(ALL, include=()), HIDDEN,
    *(
        Retrieve(target=BySearch(query=query, limit=9), include=("text", "score"))
        for query in ("milk", "milk tea rent", "茶 房租", "Ann Rome home")
    ),
    *(replace(ALL, target=ByFilter(has_tags=(tag,), limit=3)) for tag in ("home", "茶")),
    *(
        replace(ALL, target=ByFilter(limit=3, **{name: value}))  # type: ignore[arg-type]
        for name, value in (
            ("type", "task"), ("subject", "Ann"), ("attribute", "city"), ("location", "milk"),
            ("topic", "milk"), ("facets", {"k": 1}), ("weight_gte", 0.6), ("not_tags", ("q3",)),
            ("expire_before", BEGIN + 3 * STEP),
        )
    ),
)  # fmt: skip


# --- what is told of a store ---------------------------------------------------------------


def told(result: ProgramResult) -> Any:
    """A result but for how long it took, its wording of refusals and its mark of the journal."""
    out = result.as_dict()
    if out["basis"] is not None:
        out["basis"] = out["basis"].partition(".")[2]
    for step in out["results"]:
        del step["duration_ms"]
        if step["error"] is not None:
            del step["error"]["message"], step["error"]["hint"]
    return out


def plain(value: Any) -> Any:
    """JSON in which 1, 1.0 and true differ, and the last digits of a float do not count."""
    text = json.dumps(value, sort_keys=True)
    return json.loads(text, parse_float=lambda digits: f"float {float(digits):.5f}")


def everyone(now: datetime) -> Scope:
    """The local user's sight of everything, deleted memories too."""
    context = ExecutionContext(clock=FixedClock(now))
    return Scope(context=context, now=now, archived=True, deleted=True)


def state(adapter: Adapter, now: datetime, most: int) -> dict[str, dict[str, Any]]:
    """Every memory with an id up to ``most``, with all of its fields."""
    target = ByIds(tuple(str(number) for number in range(1, most + 1)))
    return {row.id: row.as_dict() for row in adapter.resolve(target, everyone(now)).rows}


def entries(adapter: Adapter) -> list[Any]:
    """The journal, oldest entry first, but for the numbers."""
    return [
        {
            "trail": [entry.trail.trace_id, entry.trail.step, entry.trail.op], "id": entry.id,
            "at": entry.at.isoformat(), "actor": entry.actor, "kind": entry.kind,
            "forgotten": entry.forgotten,
            "changes": {c.field: [c.before, c.after] for c in entry.changes},
        }
        for entry in reversed(adapter.entries(ExecutionContext()))
    ]  # fmt: skip


def glance(adapter: Adapter, now: datetime) -> dict[str, Any]:
    """What the views of several callers show, and what is due or missing."""
    context = LOCAL.context(now)
    out: dict[str, Any] = {
        "active": adapter.active(context),
        "due": [row.id for row in adapter.records(context, now, reminds=True)],
        "falls due": adapter.falls_due(context, now, now + timedelta(days=1)),
        "without vectors": [row.id for row in adapter.without_vectors(50)],
        "registry": adapter.registry().version,
    }
    for caller in READERS:
        view = adapter.view(caller.context(now))
        out[f"seen by {caller.actor}"] = [view.tags(), [row.as_dict() for row in view.recent(99)]]
    return out


def answers(adapter: Adapter, now: datetime, embedder: str, *, known: datetime) -> dict[str, Any]:
    """What a fixed set of reads returns at an instant; ``known_at`` is asked before ``known``."""
    out = {}
    for caller in READERS:
        caller = replace(caller, embedder=embedder)
        for read in READS if caller.actor is None else READS[:4]:
            out[f"{caller.actor}: {read}"] = rows(adapter, read, caller, now)
    for read in (ALL, HIDDEN):
        for as_of in INSTANTS:
            out[f"{read} as of {as_of}"] = rows(adapter, replace(read, as_of=as_of), LOCAL, now)
            for known_at in (None, *INSTANTS[::2]):
                if known_at is not None and known_at < known:
                    asked = replace(read, as_of=as_of, known_at=known_at)
                    out[f"{read} as of {as_of} known at {known_at}"] = rows(
                        adapter, asked, LOCAL, now
                    )
    return plain(out)


def rows(adapter: Adapter, read: Retrieve, caller: Caller, now: datetime) -> Any:
    """What one read returns: its rows, how many matched, its warnings; or its refusal."""
    result = execute([read], adapter, caller.context(now), prepared=services(caller.embedder))
    (step,) = told(result)["results"]
    return [step[key] for key in ("rows", "matched", "warnings", "error")]
