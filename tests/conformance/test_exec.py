"""Every case of ``fixtures/exec`` on every backend: the same results, the same state.

The expectations of a case were worked out from the language's rules; beyond them, the backends
must agree on every field of every result and of every memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from text2mem.adapters.base import Adapter, Scope
from text2mem.adapters.memory import MemoryAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.executor import Prepared, execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.dialect import canonicalise
from text2mem.ir.ops import ByIds
from text2mem.ir.ports import Digest
from text2mem.ir.record import as_image
from text2mem.ir.result import ProgramResult
from text2mem.ir.surface import INSTANCES
from text2mem.parser.parser import parse
from text2mem.validator.validator import validate

FOLDER = Path(__file__).parents[2] / "fixtures" / "exec"
BACKENDS: dict[str, Callable[[], Adapter]] = {"memory": MemoryAdapter, "sqlite": SqliteAdapter}
MOST_IDS = 60

Case = dict[str, Any]


class AtSemicolons:
    """A splitter: the parts between semicolons."""

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        return [part.strip() for part in text.split(";")]


class Joined:
    """A summariser: the texts in a row, after the focus in brackets."""

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        return Digest((f"[{focus}] " if focus else "") + " / ".join(texts), extractive=False)


def cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


CASES = list(cases())


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def run(adapter: Adapter, program: Any, now: str, **options: Any) -> ProgramResult:
    """A document through dialect, validator, parser and executor."""
    roles = frozenset(options.pop("roles", ()))
    context = ExecutionContext(
        clock=FixedClock(instant(now)), trace_id="conformance", roles=roles, **options
    )
    found = [d for d in validate(program, now=instant(now), tz=context.tz) if d.severity == "error"]
    assert not found, found
    ops = parse(canonicalise(program).instances, now=instant(now), tz=context.tz)
    services = Prepared(summariser=Joined(), splitter=AtSemicolons())
    return execute(ops, adapter, context, prepared=services)


def play(case: Case, adapter: Adapter) -> ProgramResult:
    """The setup of a case, then its input."""
    for step in case["setup"]:
        options = step if isinstance(step, dict) and "program" in step else {"program": step}
        prepared = run(adapter, **{"now": case["now"], **options, "confirmed": True})
        assert prepared.ok, prepared.error
    return run(adapter, case["input"], case["now"], **case.get("context", {}))


def state(adapter: Adapter, now: str) -> dict[str, dict[str, Any]]:
    """Every memory by id with all of its fields, deleted ones too."""
    scope = Scope(context=ExecutionContext(), now=instant(now), deleted=True, archived=True)
    ids = tuple(str(number) for number in range(1, MOST_IDS))
    return {row.id: as_image(row) for row in adapter.resolve(ByIds(ids), scope).rows}


def same(expected: Any, actual: Any) -> bool:
    """JSON equality: true is not 1; the last digits of a sum of floats do not count."""
    if isinstance(expected, float) and isinstance(actual, int | float):
        return actual == pytest.approx(expected, abs=1e-9)
    return json.dumps(expected, sort_keys=True) == json.dumps(actual, sort_keys=True)


def outcome(result: ProgramResult) -> Any:
    """What two backends must agree on: all but how long it took and how they word a refusal."""
    told = result.as_dict()
    for step in told["results"]:
        del step["duration_ms"]
        if step["error"] is not None:
            del step["error"]["message"], step["error"]["hint"]
        step["changes"].sort(key=lambda change: (int(change["id"]), change["field"]))
    # Scores are sums of floats, taken in any order.
    return json.loads(json.dumps(told), parse_float=lambda text: round(float(text), 5))


def check_result(expected: dict[str, Any], actual: dict[str, Any]) -> None:
    for key, wanted in expected.items():
        found = actual[key]
        if key == "rows":
            assert len(found) == len(wanted), found
            for partial, row in zip(wanted, found, strict=True):
                for name, value in partial.items():
                    assert same(value, row.get(name, "absent")), (name, row)
        elif key == "changes":
            order: Callable[[Any], Any] = lambda change: (change["id"], change["field"])  # noqa: E731
            assert same(sorted(wanted, key=order), sorted(found, key=order))
        elif key == "warnings":
            assert len(found) == len(wanted), found
            assert all(part in text for part, text in zip(wanted, found, strict=True)), found
        else:
            assert same(wanted, found), (key, found)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_holds(case: Case, backend: str) -> None:
    adapter = BACKENDS[backend]()
    result = play(case, adapter)
    expected = case["expected"]
    error = expected.get("error")
    if error is None:
        assert result.ok, result.error
        assert len(result.results) == len(expected["results"])
        for wanted, found in zip(expected["results"], result.as_dict()["results"], strict=True):
            check_result(wanted, found)
    else:
        assert result.error is not None, result
        assert (result.error.code, result.error.pointer) == (error["code"], error["pointer"])
        assert not result.ok
    memories = state(adapter, case["now"])
    for id_, fields in expected.get("state", {}).items():
        if fields is None:
            assert id_ not in memories
        else:
            found = memories[id_]
            assert {k: v for k, v in fields.items() if not same(v, found[k])} == {}, found
    adapter.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_backends_agree(case: Case) -> None:
    told: dict[str, Any] = {}
    for name, make in BACKENDS.items():
        adapter = make()
        result = outcome(play(case, adapter))
        context = ExecutionContext(clock=FixedClock(instant(case["now"])))
        view = adapter.view(context)
        # Once more a year later: what was scheduled is carried out alike.
        later = (instant(case["now"]) + timedelta(days=366)).strftime("%Y-%m-%dT%H:%M:%SZ")
        seen = {
            "result": result,
            "state": state(adapter, case["now"]),
            "active": adapter.active(context),
            "tags": list(view.tags()),
            "recent": [record.id for record in view.recent()],
        }
        run(
            adapter, {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "later"}}}, later
        )
        told[name] = {**seen, "later": state(adapter, later)}
        adapter.close()
    assert told["sqlite"] == told["memory"]
    assert same(told["sqlite"], told["memory"])


def test_the_cases_keep_their_schema() -> None:
    schema = json.loads((FOLDER / "case.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for case in CASES:
        assert not list(validator.iter_errors(case)), case["id"]
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("op", INSTANCES)
def test_every_op_has_cases_in_a_file_of_its_own(op: str) -> None:
    own = [case for case in CASES if case["id"].startswith(f"{op.lower()}-")]
    assert len(own) >= 4
    assert any(step["op"] == op for case in own for step in case["input"])
    lines = (FOLDER / f"{op.lower()}.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(own)
    assert any(re.search("[一-鿿]", line) for line in lines)
