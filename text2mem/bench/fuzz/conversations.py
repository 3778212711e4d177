"""Conversations that are observed by code alone, and what is recalled of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

from text2mem.bench.fuzz import values
from text2mem.bench.fuzz.meter import Meter
from text2mem.bench.fuzz.programs import NOW
from text2mem.bench.fuzz.stores import silent
from text2mem.bench.fuzz.tree import mutated
from text2mem.clock import SetClock
from text2mem.ir.context import ExecutionContext
from text2mem.ledger.episode import ROLES
from text2mem.memory import CODE, EXTRACTIVE, Memory
from text2mem.providers.function import FunctionProvider

_STORES = ("memory:", "sqlite::memory:")
_LATEST = datetime(9998, 1, 1, tzinfo=NOW.tzinfo)


def make(random: Random) -> Any:
    """A store, and what is said to it and asked of it, one act after another."""
    acts = [_act(random) for _ in range(random.randint(2, 8))]
    return {"store": random.choice(_STORES), "acts": acts}


def _act(random: Random) -> list[Any]:
    kind = random.random()
    if kind < 0.55:
        messages = [message(random) for _ in range(random.choice((1, 1, 1, 2, 4)))]
        said: Any = messages[0] if len(messages) == 1 else messages
        session = random.choice((None, None, "s1", values.text(random)))
        return ["observe", said, session, random.choice((True, True, None, False))]
    if kind < 0.7:
        return ["ask", values.filled(random, "questions"), random.choice((0, 1, 600, -1, 10**9))]
    if kind < 0.85:
        attribute: Any = random.choice(values.words()["attributes"])
        if random.random() < 0.3:
            attribute = [attribute, random.choice(values.words()["attributes"])]
        subject = random.choice([None, *values.words()["names"], values.text(random)])
        instants = [random.choice((None, None, _instant(random))) for _ in range(2)]
        return ["recall", subject, attribute, *instants]
    if kind < 0.9:
        return ["forget", random.choice((*values.words()["names"], values.text(random))),
                random.random() < 0.5]  # fmt: skip
    if kind < 0.95:
        return ["pass", random.choice((60, 86_400, 400 * 86_400, 10**9))]
    return [random.choice(("work", "pending", "stats", "export"))]


def message(random: Random) -> Any:
    """A text, or a message of any role, structured ones too; now and then it is none."""
    said = values.filled(random, "statements") if random.random() < 0.75 else values.text(random)
    if random.random() < 0.35:
        return said
    made: dict[str, Any] = {"role": random.choice(ROLES)}
    if random.random() < 0.35:
        held = values.tree(random)
        made["structured"] = held if isinstance(held, dict) else {"a": held}
        if random.random() < 0.4:
            made["structured"] = {
                "subject": random.choice(values.words()["names"]), "value": values.scalar(random),
                "attribute": random.choice(values.words()["attributes"]),
            }  # fmt: skip
    else:
        made[random.choice(("text", "content"))] = said
    if random.random() < 0.3:
        made["speaker"] = random.choice((*values.words()["names"], values.text(random)))
    if random.random() < 0.3:
        made["at"] = random.choice((_instant(random), values.moment(random)))
    return made if random.random() < 0.85 else mutated(random, made, 1)


def _instant(random: Random) -> str:
    year = random.choice((1, 2, 1970, 2025, 2026, 9998, 9999))
    zone = random.choice(("", "+00:00", "+14:00", "-12:00"))
    return f"{year:04}-{random.choice(('01-01T00:00:00', '12-31T23:59:59'))}{zone}"


def run(held: Any, meter: Meter) -> None:
    """Let a new store live through the acts. What is no act is passed over."""
    if not isinstance(held, dict) or not isinstance(held.get("acts"), list):
        return
    clock = SetClock(NOW)
    store = held.get("store")
    memory = Memory(
        store if store in _STORES else _STORES[0], model=FunctionProvider(silent), reader=CODE,
        summariser=EXTRACTIVE, embedder="none", context=ExecutionContext(clock=clock),
    )  # fmt: skip
    with memory:
        for act in held["acts"]:
            if isinstance(act, list) and act:
                _acted(memory, clock, meter, act)


def _acted(memory: Memory, clock: SetClock, meter: Meter, act: list[Any]) -> None:
    match act:
        case ["observe", said, None | str() as session, None | bool() as at_once]:
            meter.call("observe", lambda: _told(
                memory.observe(said, session=session, extract=at_once)))  # fmt: skip
        case ["ask", str() as question, int() as budget]:
            meter.call("recall", lambda: _one(memory.recall(question, budget=budget)))
            meter.call("answer", lambda: _one(memory.recall(question, answer=True)))
        case ["recall", None | str() as subject, str() | list() as attribute, as_of, known_at]:
            if isinstance(attribute, list) and not all(isinstance(a, str) for a in attribute):
                return
            at, known = _read(as_of), _read(known_at)
            meter.call("recall", lambda: _one(memory.recall(
                subject=subject, attribute=attribute, as_of=at, known_at=known)))  # fmt: skip
        case ["forget", str() as subject, bool() as thorough]:
            meter.call("forget", lambda: memory.forget(subject=subject, thorough=thorough))
        case ["pass", int() as seconds] if 0 <= seconds <= 10**12:
            clock.at = min(clock.at + timedelta(seconds=min(seconds, 10**10)), _LATEST)
            meter.call("tick", memory.tick)
        case ["work"]:
            meter.call("work", memory.work)
        case ["pending"]:
            _decided(memory, meter)
        case ["stats"]:
            meter.call("stats", lambda: _strict(memory.stats()))
        case ["export"]:
            for name in ("user", "Ana"):
                meter.call("export", lambda name=name: _strict(memory.export(name)))  # type: ignore[misc]


def _decided(memory: Memory, meter: Meter) -> None:
    """Approve of the first fact that waits, and reject the second."""
    waiting = meter.call("pending", memory.pending)
    decisions: tuple[Callable[[str], object], ...] = (memory.approve, memory.reject)
    if isinstance(waiting, list | tuple):
        for record, decide in zip(waiting, decisions, strict=False):
            meter.call(decide.__name__, lambda d=decide, r=record: d(r.id))  # type: ignore[misc]


def _read(instant: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(instant) if isinstance(instant, str) else None
    except ValueError:
        return None


def _told(seen: Any) -> None:
    _strict([each.as_dict() for each in seen])


def _one(found: Any) -> None:
    """What is recalled can be told; the question stands in it as it was asked."""
    json.dumps(found.as_dict(), allow_nan=False)


def _strict(told: Any) -> None:
    json.dumps(told, ensure_ascii=False, allow_nan=False).encode()
