"""The planner, with a model that answers with anything at all."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

from text2mem.clock import FixedClock
from text2mem.compiled import Clarification, Nothing, Undo
from text2mem.errors import Text2MemError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.turn import Turn
from text2mem.memory import Memory
from text2mem.opening import EXTRACTIVE
from text2mem.planner.draft import MOST_STEPS, REQUIRED, SLOTS, Draft, Key, keys_of, read_draft
from text2mem.program import Program
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import ABLE, READER, SMALL, TUNED
from text2mem_bench.fuzz import values
from text2mem_bench.fuzz.meter import Broken, Meter
from text2mem_bench.fuzz.programs import NOW, STORES
from text2mem_bench.fuzz.stores import silent
from text2mem_bench.fuzz.tree import mutated

_PROFILES = {"able": ABLE, "reader": READER, "small": SMALL, "tuned": TUNED}
_MOST_SAID = 8_000
"""Characters that an utterance may have."""
_TIMES = frozenset({"from", "date", "until", "remind", "when", "as_of"})
_WORDS = frozenset({"about", "except", "old", "new", "text", "into"})


def make_draft(random: Random) -> Any:
    """An answer of a model, read already."""
    return mutated(random, draft(random), random.choice((0, 1, 2, 4)))


def draft(random: Random) -> Any:
    """A draft as the contract has it, of strange words."""
    kind = random.random()
    if kind < 0.05:
        return {"ask": values.text(random)}
    if kind < 0.1:
        return {"undo": True}
    count = random.choice((1, 1, 1, 2, 3, MOST_STEPS))
    return {"steps": [_step(random) for _ in range(count)]}


def _step(random: Random) -> dict[str, Any]:
    op = random.choice(sorted(SLOTS))
    needed = REQUIRED.get(op, ())
    made: dict[str, Any] = {"op": op}
    for key in keys_of(op):
        if key.name in needed or random.random() < 0.22:
            made[key.name] = _value(random, key)
    return made


def _value(random: Random, key: Key) -> Any:
    if key.choices:
        return random.choice(key.choices)
    if key.kind == "flag":
        return True
    if key.kind == "count":
        return random.choice((1, 2, 5, 999, 10**18, 10**400))
    if key.kind == "list":
        return [_said(random, key.name) for _ in range(random.choice((1, 1, 2, 12)))]
    return _said(random, key.name)


def _said(random: Random, name: str) -> str:
    if name in _TIMES:
        return values.moment(random)
    if name == "ids":
        return str(random.choice((1, 2, 3, 99, "x", "$1", 10**20)))
    if name == "length":
        return f"{random.choice(values.words()['runs'])} words"
    if name in _WORDS or random.random() < 0.5:
        return values.text(random)
    return random.choice(values.words()[random.choice(("tags", "names", "requests"))])


def run_draft(held: Any, meter: Meter) -> None:
    """Read an answer; what is read is written and read again."""
    read = meter.call("read_draft", lambda: read_draft(held), _kind)
    if isinstance(read, Draft):
        again = read_draft(json.loads(read.dump()))
        if again != read:
            raise Broken("a draft that is written and read again is another one")
    elif isinstance(read, list):
        json.dumps([each.as_dict() for each in read], allow_nan=False).encode()


def _kind(read: Draft | list[Any]) -> str:
    return "draft" if isinstance(read, Draft) else "wrong"


def make_plan(random: Random) -> Any:
    """An utterance, the turns before it, a kind of model, and its answers one after another."""
    said = values.filled(random, "requests") if random.random() < 0.8 else values.text(random)
    answers = [_answer(random) for _ in range(random.choice((1, 1, 2, 3)))]
    turns = [
        [values.text(random), [str(random.randint(1, 12))]]
        for _ in range(random.choice((0, 0, 1, 3)))
    ]
    return {
        "said": said[:_MOST_SAID], "turns": turns, "answers": answers,
        "model": random.choice(sorted(_PROFILES)), "store": random.choice(STORES),
    }  # fmt: skip


def _answer(random: Random) -> Any:
    held = draft(random)
    kind = random.random()
    if kind < 0.6:
        return held
    if kind < 0.8:
        return mutated(random, held, random.choice((1, 2)))
    if kind < 0.85:
        return values.text(random, strange=0.9)
    try:
        text = json.dumps(held, ensure_ascii=random.random() < 0.5)
    except (ValueError, RecursionError):
        return "{"
    return values.spliced(random, text, random.choice(values.words()["pieces"]))


def run_plan(held: Any, meter: Meter) -> None:
    """Compile the utterance on a store of a dozen memories, and try what comes of it."""
    if not _is_plan(held):
        return
    memory = _filled(held["store"])
    asked = 0

    def answer(request: Request) -> Any:
        nonlocal asked
        asked += 1
        return held["answers"][(asked - 1) % len(held["answers"])]

    provider = FunctionProvider(answer, profile=_PROFILES[held["model"]])
    turns = [Turn(text, tuple(ids)) for text, ids in held["turns"]]
    before = _versions(memory)
    planning = Memory(
        memory.adapter, model=provider, context=memory.context, summariser=EXTRACTIVE,
        embedder="none",
    )  # fmt: skip
    found = meter.call("compile", lambda: planning.compile(held["said"], context=turns), _outcome)
    if isinstance(found, Text2MemError | Nothing | Undo):
        return
    programs = [found] if isinstance(found, Program) else [each.program for each in found.options]
    if isinstance(found, Clarification) and not found.question.strip():
        raise Broken("a question that asks nothing")
    for program in programs[:5]:
        again = meter.call("load", lambda p=program: Program.load(p.to_list(), now=NOW))  # type: ignore[misc]
        if isinstance(again, Text2MemError):
            raise Broken(f"a program that was planned is refused: {again}")
        meter.call("dry run", lambda p=program: planning.preview(p))  # type: ignore[misc]
    if _versions(memory) != before:
        raise Broken("planning changed the store")


def _is_plan(held: Any) -> bool:
    return (
        isinstance(held, dict)
        and isinstance(held.get("said"), str)
        and isinstance(held.get("answers"), list) and bool(held["answers"])
        and isinstance(held.get("turns"), list)
        and all(isinstance(t, list) and len(t) == 2 and isinstance(t[0], str)
                and isinstance(t[1], list) and all(isinstance(id_, str) for id_ in t[1])
                for t in held["turns"])
        and held.get("model") in _PROFILES and held.get("store") in STORES
    )  # fmt: skip


@cache
def _filled(store: str) -> Memory:
    """A store of a dozen memories, which planning leaves as it is."""
    memory = Memory(
        store, summariser=EXTRACTIVE, embedder="none", model=FunctionProvider(silent),
        context=ExecutionContext(clock=FixedClock(NOW)),
    )  # fmt: skip
    for text in values.words()["texts"]:
        memory.execute({"op": "Encode", "stage": "ENC", "args": {
            "payload": {"text": text}, "tags": values.words()["tags"][:2]}})  # fmt: skip
    return memory


def _versions(memory: Memory) -> list[tuple[str, int]]:
    return [(each.id, each.version) for each in memory.view().recent(50)]


def _outcome(found: object) -> str:
    return "question" if isinstance(found, Clarification) else type(found).__name__.lower()
