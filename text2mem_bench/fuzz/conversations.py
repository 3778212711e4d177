"""Conversations that are observed by code alone, and what is recalled of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import cycle
from random import Random
from typing import Any

from text2mem.clock import SetClock
from text2mem.ir.context import ExecutionContext
from text2mem.ledger.episode import ROLES
from text2mem.ledger.statements.contract import KEYS
from text2mem.ledger.working import retry, standing, task_row, tasks
from text2mem.memory import Memory
from text2mem.opening import EXTRACTIVE
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import ABLE
from text2mem.settings import CODE
from text2mem_bench.fuzz import values
from text2mem_bench.fuzz.meter import Meter, strict
from text2mem_bench.fuzz.programs import NOW, STORES
from text2mem_bench.fuzz.stores import silent
from text2mem_bench.fuzz.tree import mutated

LATEST = datetime(9998, 1, 1, tzinfo=NOW.tzinfo)
"""Up to when a clock moves."""
_IDS = ("1", "2", "3", "5", "99", "0", "-1", "9" * 20, "x", "", "1\x00")


def make(random: Random) -> Any:
    """A store, and what is said to it and asked of it, one act after another.

    ``facts``: what a model reads out of the turns; without any, code reads them.
    """
    acts = [_act(random) for _ in range(random.randint(2, 8))]
    facts = [_facts(random) for _ in range(random.choice((0, 0, 1, 3)))]
    return {"store": random.choice(STORES), "acts": acts, "facts": facts}


def _facts(random: Random) -> Any:
    """What a model says that a turn states, nearly as the contract has it."""
    names, found = values.words()["names"], []
    for _ in range(random.choice((0, 1, 1, 2, 40))):
        fact = {
            "subject": random.choice(("me", "it", *names, values.text(random))),
            "attribute": random.choice((*values.words()["attributes"], values.text(random))),
            "value": random.choice((*names, values.moment(random), values.text(random))),
        }
        for key, choices in KEYS.items():
            if key not in fact and random.random() < 0.2:
                fact[key] = random.choice(choices) if choices else values.moment(random)
        found.append(fact)
    made: Any = {"facts": found}
    return made if random.random() < 0.8 else mutated(random, made, 1)


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
    if kind < 0.975:
        decided = random.choice(("retry", "approve", "reject", "history", "undo"))
        return [decided, random.choice(_IDS)]
    return [random.choice(("work", "fail", "queue", "pending", "stats", "export"))]


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
        store if store in STORES else STORES[0], model=FunctionProvider(silent),
        reader=_reader(held.get("facts")),
        summariser=EXTRACTIVE, embedder="none", context=ExecutionContext(clock=clock),
    )  # fmt: skip
    with memory:
        for act in held["acts"]:
            if isinstance(act, list) and act:
                _acted(memory, clock, meter, act)


def _reader(facts: Any) -> FunctionProvider | str:
    """A model that reads these facts, one answer after another; code, where there are none."""
    if not isinstance(facts, list) or not facts:
        return CODE
    given = cycle(facts)
    return FunctionProvider(lambda request: next(given), profile=ABLE)


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
            clock.at = min(clock.at + timedelta(seconds=min(seconds, 10**10)), LATEST)
            meter.call("tick", memory.tick)
        case ["work"]:
            meter.call("work", lambda: strict([each.as_dict() for each in memory.work()]))
        case ["fail"]:
            _given_up(memory, clock)
        case ["queue"]:
            meter.call("queue", lambda: _queue(memory))
        case ["retry", str() as id_]:
            meter.call("retry", lambda: retry(memory.ledger, [id_]))
        case ["approve" | "reject" | "history" as what, str() as id_]:
            meter.call(what, lambda: getattr(memory, what)(id_))
        case ["undo", str() as number]:
            _taken_back(memory, meter, number)
        case ["pending"]:
            _decided(memory, meter)
        case ["stats"]:
            meter.call("stats", lambda: strict(memory.stats()))
        case ["export"]:
            for name in ("user", "Ana"):
                meter.call("export", lambda name=name: strict(memory.export(name)))  # type: ignore[misc]


def _decided(memory: Memory, meter: Meter) -> None:
    """Approve of the first fact that waits, and reject the second."""
    waiting = meter.call("pending", memory.pending)
    decisions: tuple[Callable[[str], object], ...] = (memory.approve, memory.reject)
    if isinstance(waiting, list | tuple):
        for record, decide in zip(waiting, decisions, strict=False):
            meter.call(decide.__name__, lambda d=decide, r=record: d(r.id))  # type: ignore[misc]


def _given_up(memory: Memory, clock: SetClock) -> None:
    """A worker leases what is due and gives it up."""
    queue, now = memory.adapter.queue, clock.now()
    with memory.adapter.transaction():
        held = queue.lease("worker", now=now, until=now + timedelta(minutes=5), limit=2)
        for task in held:
            queue.failed(task.episode, error="ModelOutputError", due=None)


def _queue(memory: Memory) -> None:
    held = [task_row(task) for dead in (False, True) for task in tasks(memory.ledger, dead=dead)]
    strict([standing(memory.ledger), *held])


def _taken_back(memory: Memory, meter: Meter, number: str) -> None:
    """Take back one of the last programs, which may be an observation's."""
    logged = meter.call("log", memory.log)
    if isinstance(logged, list | tuple) and logged:
        trace = logged[len(number) % len(logged)].trace_id
        if trace is not None:
            meter.call("undo", lambda: memory.undo(trace))


def _read(instant: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(instant) if isinstance(instant, str) else None
    except ValueError:
        return None


def _told(seen: Any) -> None:
    strict([each.as_dict() for each in seen])


def _one(found: Any) -> None:
    """What is recalled can be told; the question stands in it as it was asked."""
    json.dumps(found.as_dict(), allow_nan=False)
