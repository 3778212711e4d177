"""The validator: all that is wrong in the fixtures, nothing on legal ones, no crash on anything."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError as PydanticError

from tests.fixtures import ROOT, case_id, cases, faults
from tests.strategies import DOCUMENTS, NOW, mutations, ops, programs
from text2mem.ir.diagnostic import CODES, render
from text2mem.ir.dialect import canonicalise
from text2mem.ir.export import submodels
from text2mem.ir.ops import Op
from text2mem.ir.surface import INSTANCES, Surface
from text2mem.parser import dump
from text2mem.pipeline import validate
from tools.generating.schemas import program_schema

VALID = list(cases("ir/valid"))
INVALID = list(cases("ir/invalid"))
SHANGHAI = ZoneInfo("Asia/Shanghai")
PROGRAM = Draft202012Validator(program_schema())


def found(document: Any, *, now: datetime = NOW, tz: Any = UTC) -> set[tuple[str, str]]:
    return {(d.code, d.pointer) for d in validate(document, now=now, tz=tz)}


def found_in(case: dict[str, Any]) -> set[tuple[str, str]]:
    now, tz = datetime.fromisoformat(case["now"]), ZoneInfo(case["tz"])
    return found(case["input"], now=now, tz=tz)


def promote(rule: str) -> dict[str, Any]:
    remind = {"remind": {"rrule": rule}}
    return {"stage": "STO", "op": "Promote", "target": {"ids": ["1"]}, "args": remind}


# --- fixtures ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", INVALID, ids=case_id)
def test_everything_that_is_wrong_is_said_where_it_was_written(case: dict[str, Any]) -> None:
    expected = {(d["code"], d["pointer"]) for d in case["expected"]["diagnostics"]}
    assert found_in(case) == expected


@pytest.mark.parametrize("case", VALID, ids=case_id)
def test_a_legal_document_gives_no_diagnostic(case: dict[str, Any]) -> None:
    assert found_in(case) == set()


@pytest.mark.parametrize("case", VALID, ids=case_id)
def test_the_canonical_form_gives_no_diagnostic_either(case: dict[str, Any]) -> None:
    assert found_in({**case, "input": case["expected"]["program"]}) == set()


def test_fixture_cases_fit_their_schema_and_have_their_own_ids() -> None:
    lines = (*VALID, *INVALID)
    assert faults("ir", lines) == []
    assert len({line["id"] for line in lines}) == len(lines)


@pytest.mark.parametrize("op", INSTANCES)
def test_every_op_has_cases_of_both_kinds(op: str) -> None:
    for kind, least in (("valid", 5), ("invalid", 6)):
        ours = list(cases(f"ir/{kind}", op.lower()))
        assert len(ours) >= least
        assert all(case["id"].startswith(f"{op.lower()}-") for case in ours)


PLANNERS = {
    "several-fit", "some-of-many",
    "words-not-found", "says-already", "nothing-found", "empty-selection",
    "selects-everything", "not-the-next", "rings-once", "unsupported-by-request",
    "refused-by-store",
}  # fmt: skip
"""Codes of drafts, which a planner links, compares with the request and tries on the store."""


def test_every_code_occurs_in_the_invalid_cases() -> None:
    seen = {d["code"] for case in INVALID for d in case["expected"]["diagnostics"]}
    elsewhere = {"actor-mismatch", "not-json", "too-deep", *PLANNERS}
    assert seen == set(CODES) - elsewhere


# --- the two statements of the structure ---------------------------------------------------


def broken_groups(model: type[Surface], raw: dict[str, Any]) -> Iterator[str]:
    for group in model.groups:
        count = sum(key in raw for key in group.keys)
        allowed = {"exactly_one": count == 1, "at_most_one": count <= 1, "at_least_one": count >= 1}
        allowed["needs"] = group.keys[0] not in raw or group.keys[1] in raw
        if not allowed[group.kind]:
            yield group.code
    for key, child in submodels(model).items():
        if isinstance(raw.get(key), dict):
            yield from broken_groups(child, raw[key])


def models_accept(instance: Any) -> bool:
    if not isinstance(instance, dict) or instance.get("op") not in tuple(INSTANCES):
        return False
    model = INSTANCES[instance["op"]]
    try:
        model.model_validate(instance)
    except PydanticError:
        return False
    sets_nothing = instance["op"] == "Update" and instance["args"].get("set") == {}
    return not sets_nothing and not list(broken_groups(model, instance))


@pytest.mark.parametrize("case", [*VALID, *INVALID], ids=case_id)
def test_models_and_exported_schema_agree(case: dict[str, Any]) -> None:
    instances = canonicalise(case["input"]).instances
    assert PROGRAM.is_valid(instances) == (
        bool(instances) and all(models_accept(instance) for instance in instances)
    )


@settings(max_examples=60)
@given(programs())
def test_what_is_printed_is_legal(program: tuple[Op, ...]) -> None:
    assert found([dump(op) for op in program]) == set()


@settings(max_examples=80)
@given(ops())
def test_what_is_printed_fits_the_exported_schema(op: Op) -> None:
    assert PROGRAM.is_valid(dump(op))


# --- any document --------------------------------------------------------------------------


def leads_into(document: Any, pointer: str) -> bool:
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list) and key.isdecimal() and int(key) < len(document):
            document = document[int(key)]
        elif isinstance(document, dict) and key in document:
            document = document[key]
        else:
            return False
    return True


def judge(document: Any) -> None:
    """Diagnostics come without an exception, can be printed, and lead into the document."""
    diagnostics = list(validate(document, now=NOW, tz=SHANGHAI))
    assert render(diagnostics).count("\n") >= len(diagnostics) - 1
    lost = [d for d in diagnostics if not leads_into(document, d.pointer)]
    assert lost == []


@settings(max_examples=300)
@given(DOCUMENTS)
def test_any_json_document_is_judged(document: Any) -> None:
    judge(document)


@settings(max_examples=500)
@given(mutations([case["input"] for case in VALID]))
def test_a_damaged_legal_document_is_judged(document: Any) -> None:
    judge(document)


@pytest.mark.parametrize("key", [1, None, True, 1.5, (1, 2)])
@pytest.mark.parametrize("at", [(), ("args",), ("args", "set"), ("target",), ("meta",)])
def test_a_key_that_is_no_text_is_refused_where_it_stands(key: Any, at: tuple[str, ...]) -> None:
    document: Any = {
        "stage": "STO", "op": "Update", "target": {"ids": ["1"]}, "args": {"set": {"text": "a"}},
        "meta": {},
    }  # fmt: skip
    held = document
    for name in at:
        held = held[name]
    held[key] = 2
    assert ("wrong-type", "".join(f"/{name}" for name in at)) in found(document)


@pytest.mark.parametrize("op", [None, 1, [1], {"a": 1}, True, "", "delete "], ids=repr)
def test_any_value_of_op_is_judged(op: Any) -> None:
    judge({"stage": "STO", "op": op, "target": {"ids": ["1"]}})


@pytest.mark.parametrize(
    ("head", "body", "tail"),
    [('{"ids": ["$', "9" * 5_000, '"]}'), ('{"filter": ', '{"a":' * 800 + "1" + "}" * 800, "}")],
    ids=["a reference of five thousand digits", "eight hundred levels"],
)
def test_a_document_of_absurd_size_is_judged(head: str, body: str, tail: str) -> None:
    target = json.loads(head + body + tail)
    assert list(validate({"stage": "RET", "op": "Retrieve", "target": target}, now=NOW, tz=UTC))


# --- recurrence rules ----------------------------------------------------------------------


JUDGE_RULE = """
import json, sys
from datetime import UTC, datetime
from text2mem.ir.dialect import canonicalise
from text2mem.validator import validate
program = canonicalise(json.loads(sys.argv[1]))
found = validate(program, now=datetime(2026, 3, 4, tzinfo=UTC), tz=UTC)
print(" ".join(d.code for d in found))
"""


@pytest.mark.parametrize(
    ("rule", "codes"),
    [
        ("FREQ=DAILY;INTERVAL=0", ("bad-rrule",)),
        # Too dense to be searched to the end of the calendar: unreadable will do, too.
        ("FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", ("rrule-exhausted", "bad-rrule")),
        ("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30", ("rrule-exhausted", "bad-rrule")),
    ],
)
def test_a_rule_that_never_comes_round_is_refused_soon(rule: str, codes: tuple[str, ...]) -> None:
    # In a process of its own: a search without end cannot be interrupted cleanly from within.
    done = subprocess.run(
        [sys.executable, "-c", JUDGE_RULE, json.dumps(promote(rule))],
        capture_output=True, text=True, timeout=5, check=True, cwd=ROOT.parent,
    )  # fmt: skip
    assert done.stdout.strip() in codes


def test_a_rule_whose_next_occurrence_lies_past_the_calendar_is_judged() -> None:
    rule = promote("FREQ=YEARLY;INTERVAL=7973;BYMONTH=12;BYMONTHDAY=31;BYHOUR=20")
    now = datetime(2027, 1, 1, 5, tzinfo=UTC)
    codes = {code for code, _ in found(rule, now=now, tz=ZoneInfo("America/Los_Angeles"))}
    assert codes <= {"bad-rrule", "rrule-exhausted"}


@given(st.integers(-3, 3))
def test_a_horizon_is_past_up_to_the_present_second(seconds: int) -> None:
    until = (NOW + timedelta(seconds=seconds)).isoformat()
    document = {"stage": "STO", "op": "Expire", "target": {"ids": ["1"]}, "args": {"until": until}}
    expected = {("horizon-past", "/args/until")} if seconds <= 0 else set()
    assert found(document) == expected
