"""Every case of ``fixtures/exec`` on every backend: the same results, the same state.

The expectations of a case were worked out from the language's rules; beyond them, the backends
must agree on every field of every result, of every memory and of the journal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

import pytest

from tests.conformance.frameworks import FRAMEWORKS, MIRRORED, agree
from tests.conformance.playing import BACKENDS, Case, Memories, Seen, Stage, context_of, staged
from tests.fixtures import cases, faults
from tests.store.programs import LONG
from text2mem.adapters.base import Adapter
from text2mem.ir.context import ExecutionContext
from text2mem.ir.surface import INSTANCES
from text2mem.ir.times.temporal import format_instant

CASES = {case["id"]: case for case in cases("exec")}
FILES = sorted({case["file"] for case in CASES.values()})
EVERYWHERE = {**BACKENDS, **MIRRORED}
_EVERY = {
    "plain": 1, "sqlite": 1, "postgres": 4, **dict.fromkeys(FRAMEWORKS, 12),
    "langgraph-beside-postgres": 24,
}  # fmt: skip
"""Of how many cases a short run plays one: a server and a framework take long for each."""
PLAYED = {
    id_: [name for name, every in _EVERY.items() if LONG or (number + every // 2) % every == 0]
    for number, id_ in enumerate(CASES)
}
"""On which backends each case is played."""
AFTERWARDS = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "later"}}}


@dataclass(frozen=True, slots=True)
class Played:
    """A case as one backend played it."""

    setup: tuple[Seen, ...]
    input: Seen
    then: tuple[Seen, ...]
    dry: Mapping[str, Any]
    sight: Mapping[str, Any]
    journal: tuple[Any, ...]
    later: Memories


@cache
def played(id_: str, backend: str) -> Played:
    case = CASES[id_]
    with staged(case, EVERYWHERE[backend]) as stage:
        setup = tuple(stage.play(step, confirmed=True) for step in case["setup"])
        given = stage.play(case["input"])
        then = tuple(stage.play(each["step"]) for each in case.get("then", ()))
        store, context = end(stage, case)
        view = store.view(context)
        sight = {
            "active": store.active(context),
            "tags": list(view.tags()),
            "recent": [record.id for record in view.recent()],
        }
        journal = tuple(journalled(store, context))
        # Once more a year later: what was scheduled is carried out alike.
        later = format_instant(context.clock.now() + timedelta(days=366))
        stage.play({"now": later, "tenant": context.tenant, "program": AFTERWARDS})
        after = stage.play({"now": later, "tenant": context.tenant, "tick": True})
        if backend in MIRRORED:
            assert all(agree(each) for each in stage.stores.values())
        return Played(setup, given, then, stage.dry, sight, journal, after.memories)


def end(stage: Stage, case: Case) -> tuple[Adapter, ExecutionContext]:
    """The store of the case's input and its local user, at the last instant of the case."""
    steps = [case["input"], *(each["step"] for each in case.get("then", ()))]
    told = [step for step in steps if isinstance(step, dict)]
    now = max([case["now"], *(step["now"] for step in told if "now" in step)])
    tenant = told[0].get("tenant", "default") if told and told[0] is steps[0] else "default"
    context = context_of({"now": now, "tenant": tenant, "trace": "end"})
    return stage.store(tenant), context


def journalled(store: Adapter, context: ExecutionContext) -> list[Any]:
    """The journal without its numbers: of one step's memories, the order is free."""
    return sorted(
        (
            entry.trail.trace_id, entry.trail.step, entry.trail.op, format_instant(entry.at),
            entry.actor, int(entry.id), entry.kind, entry.forgotten,
            json.dumps({c.field: [c.before, c.after] for c in entry.changes}, sort_keys=True),
        )
        for entry in store.entries(context)
    )  # fmt: skip


# --- what is expected ----------------------------------------------------------------------


@pytest.mark.parametrize(("id_", "backend"), [(i, name) for i in PLAYED for name in PLAYED[i]])
def test_a_case_holds(id_: str, backend: str) -> None:
    case, found = CASES[id_], played(id_, backend)
    for step, seen in zip(case["setup"], found.setup, strict=True):
        refused = step.get("refused") if isinstance(step, dict) else None
        assert error_of(seen.outcome).get("code") == refused, seen.outcome
    check(case["expected"], found.input, found.dry)
    for each, seen in zip(case.get("then", ()), found.then, strict=True):
        check(each["expected"], seen, found.dry)


def check(expected: Mapping[str, Any], seen: Seen, dry: Mapping[str, Any]) -> None:
    """Fails unless a step gave what is expected of it."""
    error = error_of(seen.outcome)
    if "error" in expected:
        check_error(expected["error"], error)
    else:
        assert not error, error
    if expected.get("results"):
        results = seen.outcome["results"]
        assert len(results) == len(expected["results"]), results
        for wanted, found in zip(expected["results"], results, strict=True):
            check_result(wanted, found)
    if "tick" in expected:
        check_tick(expected["tick"], seen.outcome)
    if "as_shown" in expected:
        assert shown(seen.outcome) == shown(dry[expected["as_shown"]])
    for id_, fields in expected.get("state", {}).items():
        if fields is None:
            assert id_ not in seen.memories
        else:
            memory = seen.memories[id_]
            wrong = {k: (v, memory[k]) for k, v in fields.items() if not same(v, memory[k])}
            assert wrong == {}, (id_, wrong)


def error_of(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """Why a step was refused; empty where it was not."""
    results = outcome.get("results", [])
    return next((result["error"] for result in results if result["error"] is not None), {})


def check_error(expected: Mapping[str, Any], error: Mapping[str, Any]) -> None:
    assert error, "the step was not refused"
    assert (error["code"], error["pointer"]) == (expected["code"], expected["pointer"]), error
    assert all(part in error["message"] for part in expected.get("says", ())), error["message"]


def check_result(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> None:
    for key, wanted in expected.items():
        found = actual[key]
        if key == "rows":
            assert len(found) == len(wanted), found
            for partial, row in zip(wanted, found, strict=True):
                for name, value in partial.items():
                    assert same(value, row.get(name, "absent")), (name, row)
        elif key == "changes":
            assert same(sorted(wanted, key=place), sorted(found, key=place)), found
        elif key == "warnings":
            check_warnings(wanted, found)
        else:
            assert same(wanted, found), (key, found)


def check_tick(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> None:
    for key, wanted in expected.items():
        found = actual[key]
        if key == "reminders":
            found = [{**each, "id": each["memory"]["id"]} for each in found]
            found = [{name: each[name] for name in ("id", "due", "next")} for each in found]
            assert wanted == found
        elif key == "warnings":
            check_warnings(wanted, found)
        else:
            assert same(wanted, found), (key, found)


def check_warnings(expected: list[str], actual: list[str]) -> None:
    """Each expected part stands in a warning of its own; their order is free."""
    assert len(expected) == len(actual), actual
    rest = list(actual)
    for part in expected:
        found = next((text for text in rest if part in text), None)
        assert found is not None, (part, rest)
        rest.remove(found)


def same(expected: Any, actual: Any) -> bool:
    """JSON equality: true is not 1; the last digits of a sum of floats do not count."""
    if isinstance(expected, float) and isinstance(actual, int | float):
        return actual == pytest.approx(expected, abs=1e-6)
    return json.dumps(expected, sort_keys=True) == json.dumps(actual, sort_keys=True)


def place(change: Mapping[str, Any]) -> Any:
    return int(change["id"]), change["field"]


def shown(outcome: Mapping[str, Any]) -> Any:
    """What a dry run shows of what a run does."""
    left_out = ("dry_run", "trace_id", "duration_ms")
    return [{k: v for k, v in each.items() if k not in left_out} for each in outcome["results"]]


# --- what the backends must agree on -------------------------------------------------------


@pytest.mark.parametrize("id_", CASES)
def test_the_backends_agree(id_: str) -> None:
    told = {name: agreed(played(id_, name)) for name in PLAYED[id_]}
    for name in told:
        assert told[name] == told["plain"]
        assert same(told[name], told["plain"])


def agreed(found: Played) -> Any:
    """All but how long it took and how a refusal is worded; scores to five digits."""
    seen = [*found.setup, found.input, *found.then]
    everything = {
        "outcomes": [plain(each.outcome) for each in seen],
        "memories": [each.memories for each in seen],
        "sight": found.sight,
        "journal": found.journal,
        "later": found.later,
    }
    # Scores are sums of floats, taken in any order.
    return json.loads(json.dumps(everything), parse_float=lambda text: round(float(text), 5))


def plain(outcome: Mapping[str, Any]) -> Any:
    told = json.loads(json.dumps(outcome))
    for step in told.get("results", [told]):
        step.pop("duration_ms", None)
        if step.get("error"):
            del step["error"]["message"], step["error"]["hint"]
        step.get("changes", []).sort(key=place)
    return told


# --- the cases themselves ------------------------------------------------------------------


def test_the_cases_keep_their_schema() -> None:
    everything = list(cases("exec"))
    assert faults("exec", everything) == []
    assert len(CASES) == len(everything)


@pytest.mark.parametrize("file", FILES)
def test_a_file_holds_one_group_in_english_and_chinese(file: str) -> None:
    group = file.removeprefix("exec/").removesuffix(".jsonl")
    own = [case for case in CASES.values() if case["file"] == file]
    assert own == [case for case in CASES.values() if case["id"].startswith(f"{group}-")]
    assert len(own) >= 6
    assert any(re.search("[一-鿿]", json.dumps(case, ensure_ascii=False)) for case in own)


@pytest.mark.parametrize("op", INSTANCES)
def test_every_op_has_cases_in_a_file_of_its_own(op: str) -> None:
    own = [case for case in CASES.values() if case["file"] == f"exec/{op.lower()}.jsonl"]
    assert any(step["op"] == op for case in own for step in instances(case["input"]))


def instances(step: Any) -> list[Any]:
    document = step.get("program", step) if isinstance(step, dict) else step
    if isinstance(document, list):
        return document
    return [document] if "op" in document else []
