"""The fuzz: planted faults are found, made small and made again; a short run of the package."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result

from text2mem.cli.main import cli
from text2mem.errors import ConfigurationError
from text2mem.ir.surface import INSTANCES
from text2mem.pipeline import validate
from text2mem_bench.cli.fuzz_ import SURFACES, invoke
from text2mem_bench.cli.fuzz_doors import HOSTILE, run_visits, surfaces
from text2mem_bench.fuzz import grammar
from text2mem_bench.fuzz.fuzzing import Report, fuzz
from text2mem_bench.fuzz.meter import Broken, Meter, TooSlow, innermost
from text2mem_bench.fuzz.programs import NOW
from text2mem_bench.fuzz.shrinking import size_of, smallest
from text2mem_bench.fuzz.surfaces import Surface, shipped
from text2mem_bench.fuzz.texts import Ran
from text2mem_bench.fuzz.tree import at, drop, mutated, places, put
from text2mem_bench.fuzz.written import expression

CASES = 90
"""Ten of each surface."""
EVERY = (*shipped(invoke), *surfaces())


def bench_fuzz(*options: str) -> Result:
    return CliRunner().invoke(cli, ["bench", "fuzz", *options], standalone_mode=False)


def planted(run: Callable[[Any], object]) -> tuple[Surface, ...]:
    """One surface of mutated programs that runs this."""

    def call(held: Any, meter: Meter) -> None:
        meter.call("call", lambda: run(held))

    return (Surface("planted", grammar.document, call),)


def keys_of(held: Any) -> set[str]:
    """Every key in a value."""
    return {key for place in places(held) for key in place if isinstance(key, str)}


def stumble(held: Any) -> None:
    """The planted fault: a KeyError of any document with a filter in it."""
    if "filter" in keys_of(held):
        raise KeyError("planted")


# --- planted faults --------------------------------------------------------------------------


def test_a_planted_fault_is_found_once_and_made_as_small_as_it_can_be() -> None:
    report = fuzz(planted(stumble), seed=1, cases=60)
    (found,) = report.findings
    assert (found.surface, found.fault.error, found.fault.message) == (
        "planted", "KeyError", "'planted'",
    )  # fmt: skip
    # An object with the one key and the least of values.
    assert eval(found.smallest) in [{"filter": held} for held in (None, False, True, 0, "", [])]
    assert found.times > 1
    assert report.outcomes["planted", "case", "fault: KeyError"] == found.times
    assert report.outcomes["planted", "call", "done"] == 60 - found.times


def test_a_finding_is_made_again_by_its_seed_and_case_alone() -> None:
    (found,) = fuzz(planted(stumble), seed=5, cases=60).findings
    again = fuzz(planted(stumble), seed=5, only=found.case)
    assert [each.as_dict() for each in again.findings] == [{**found.as_dict(), "times": 1}]
    assert again.cases == {"planted": 1}


def test_two_faults_at_different_places_are_two_findings() -> None:
    def other(held: Any) -> None:
        if "search" in keys_of(held):
            raise ValueError("another")
        stumble(held)

    report = fuzz(planted(other), seed=1, cases=80)
    assert sorted(each.fault.error for each in report.findings) == ["KeyError", "ValueError"]


def test_errors_of_our_own_are_outcomes() -> None:
    def refuse(held: Any) -> None:
        raise ConfigurationError("no")

    report = fuzz(planted(refuse), cases=5)
    assert report.findings == []
    assert report.outcomes == {("planted", "call", "ConfigurationError"): 5}


def test_a_call_that_takes_too_long_is_a_finding() -> None:
    def work(held: Any) -> None:
        begun = time.thread_time()
        while "ids" in keys_of(held) and time.thread_time() - begun < 0.25:
            pass

    report = fuzz(planted(work), seed=2, cases=20, limit=0.2)
    (found,) = report.findings
    assert found.fault.error == "TooSlow"
    assert "s of CPU" in found.fault.message
    assert len(found.smallest) < 20
    assert report.slowest["planted", "call"][0] >= 0.2


def test_a_call_that_never_ends_is_stopped() -> None:
    def sleep() -> None:
        time.sleep(60)

    begun = time.perf_counter()
    with pytest.raises(TooSlow):
        Meter(limit=0.01).call("sleep", sleep)
    assert time.perf_counter() - begun < 30


def test_a_fault_within_the_package_is_found_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from text2mem.validator import validator

    real = validator.check_invariants

    def broken(instance: Any, *given: Any, **others: Any) -> Any:
        if isinstance(instance, dict) and instance.get("op") == "Lock":
            raise ZeroDivisionError("planted")
        return real(instance, *given, **others)

    monkeypatch.setattr(validator, "check_invariants", broken)
    report = fuzz(shipped(invoke), seed=0, cases=700, among=["program"])
    (found,) = [each for each in report.findings if each.fault.error == "ZeroDivisionError"]
    assert found.surface == "program"
    assert found.fault.where.startswith("validator/validator.py:")
    assert eval(found.smallest) == {"op": "Lock"}


def test_an_exit_code_or_a_row_that_is_not_documented_is_a_finding() -> None:
    def ended(code: int, out: bytes) -> Report:
        def pretend(arguments: list[str], stdin: bytes) -> Ran:
            return Ran(code, out)

        return fuzz(shipped(pretend), cases=50, among=["cli"])

    assert ended(0, b'{"ok": true}\n').findings == []
    (strange,) = ended(70, b"").findings
    assert (strange.fault.error, strange.fault.message) == ("Broken", "exit code 70")
    assert ended(0, b'{"weight": NaN}\n').findings[0].fault.message.endswith("NaN is no JSON")


def test_the_command_reports_a_planted_fault_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    from text2mem_bench.cli import fuzz_doors
    from text2mem_bench.fuzz import surfaces

    monkeypatch.setattr(surfaces, "shipped", lambda invoke: planted(stumble))
    monkeypatch.setattr(fuzz_doors, "surfaces", lambda: ())
    done = bench_fuzz("--cases", "40", "--seed", "3", "--json")
    assert done.return_value == 1
    (found,) = json.loads(done.output)["findings"]
    assert found["error"] == "KeyError"
    assert found["seed"] == 3
    assert done.exception is None


# --- the package itself ----------------------------------------------------------------------


def test_a_short_run_of_every_surface_finds_nothing() -> None:
    done = bench_fuzz("--cases", str(CASES), "--seed", "0", "--json")
    assert done.exception is None
    told = json.loads(done.output)
    assert told["findings"] == []
    assert done.return_value == 0
    assert told["cases"] == dict.fromkeys(SURFACES, CASES // len(SURFACES))
    assert told["slowest"]
    # It gets behind the first check: programs are legal, carried out, planned, observed.
    outcomes = told["outcomes"]
    assert outcomes["program"]["validate"]["legal"] > 0
    assert outcomes["program"]["validate"]["illegal"] > 0
    assert all(outcomes[store]["execute"]["done"] > 10 for store in ("plain", "sqlite"))
    assert outcomes["observe"]["observe"]["done"] > 5
    assert {"question", "program"} & set(outcomes["planner"]["compile"])
    assert outcomes["tools"]["remember"]["done"] > 5
    assert sum("200" in told for told in outcomes["pages"].values()) > 2


def test_a_page_that_fails_and_a_text_that_is_markup_are_findings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from text2mem import markup

    note = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": HOSTILE}}}
    held = {"acts": [["execute", [note]], ["get", "/memories", []]]}
    run_visits(held, Meter())
    with monkeypatch.context() as patched:
        patched.setattr(markup, "text", markup.Markup)
        with pytest.raises(Broken, match="a stored text is markup"):
            run_visits(held, Meter())
    monkeypatch.setattr("text2mem.doors.ui.memories.card", lambda *given: 1 / 0)
    with pytest.raises(Broken, match="get /memories: on a page: unexpected ZeroDivisionError"):
        run_visits(held, Meter())


def test_an_error_of_ours_that_a_worker_survives_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = {"acts": [["observe", "I moved to Ghent.", True]]}
    run_visits(held, Meter())
    monkeypatch.setattr("text2mem.ledger.working.extract", lambda *given, **more: 1 / 0)
    with pytest.raises(Broken, match="observe: reading episode 1: unexpected ZeroDivisionError"):
        run_visits(held, Meter())


def test_the_commands_surfaces_are_those_that_are_shipped() -> None:
    assert tuple(each.name for each in EVERY) == SURFACES


@pytest.mark.parametrize("surface", EVERY, ids=lambda each: each.name)
def test_a_case_is_what_its_seed_makes_it(surface: Surface) -> None:
    for number in range(20):
        one, two = (surface.make(Random(f"7/{number}")) for _ in range(2))
        assert expression(one) == expression(two)


@pytest.mark.parametrize("surface", EVERY, ids=lambda each: each.name)
@pytest.mark.parametrize("held", [None, 1, "x", [], {}, {"acts": [[], [1], ["run"]]}, {"steps": 1}])
def test_a_surface_takes_what_is_no_case(surface: Surface, held: Any) -> None:
    surface.run(held, Meter())


def test_programs_of_the_grammar_are_of_every_op_and_mostly_legal() -> None:
    random = Random(0)
    made = [grammar.program(random, most=1) for _ in range(400)]
    assert {steps[0]["op"] for steps in made} == set(INSTANCES)
    legal = sum(not validate(steps, now=NOW) for steps in made)
    assert legal > len(made) / 2


# --- the parts -------------------------------------------------------------------------------


def test_places_are_replaced_and_dropped_in_a_copy() -> None:
    held = {"a": [1, {"b": 2}], "c": 3}
    assert places(held) == [(), ("a",), ("c",), ("a", 0), ("a", 1), ("a", 1, "b")]
    assert at(held, ("a", 1, "b")) == 2
    assert put(held, ("a", 1, "b"), 9) == {"a": [1, {"b": 9}], "c": 3}
    assert drop(held, ("a", 0)) == {"a": [{"b": 2}], "c": 3}
    assert put(held, (), 5) == 5
    assert held == {"a": [1, {"b": 2}], "c": 3}


def test_mutations_leave_the_value_as_it_was_and_make_another() -> None:
    held = {"op": "Delete", "target": {"ids": ["1"]}}
    before = json.dumps(held)
    made = [expression(mutated(Random(n), held, 2)) for n in range(50)]
    assert json.dumps(held) == before
    assert len(set(made)) > 40


def test_shrinking_keeps_what_matters() -> None:
    held = {"a": ["x" * 900, {"k": 10**40}], "b": [1, 2, 3, "needle in a haystack", 5]}
    found = smallest(held, lambda value: "needle" in json.dumps(value), tries=2_000)
    assert found == "needle"
    assert smallest(10**5000, lambda n: isinstance(n, int) and n >= 10**4300) == 10**4300
    deep = {"a": 1}
    for _ in range(300):
        deep = {"a": deep}  # type: ignore[dict-item]
    assert size_of(smallest(deep, lambda value: "a" in keys_of(value))) <= 4


def test_an_expression_makes_its_value_again() -> None:
    for held in (
        {"a": [1.5, True, None, "\ud800\u202e"], "b" * 200: b"\xff\x00"}, "abc" * 300, [{}] * 9,
        -(10**5000), 10**5000 + 1, "一" * 10_000, "ab" * 100 + "a",
    ):  # fmt: skip
        text = expression(held)
        assert text.isascii()
        if len(text) < 4_000:
            assert eval(text) == held


def test_the_meter_says_where_in_the_package_it_broke() -> None:
    with pytest.raises(Broken):
        Meter().call("call", broken_promise)


def broken_promise() -> None:
    raise Broken("promised")


def test_a_fault_of_the_fuzz_itself_has_no_place_in_the_package() -> None:
    checkout = "/home/me/text2mem/text2mem_bench/fuzz/stores.py"
    with pytest.raises(ZeroDivisionError) as raised:
        exec(compile("1 / 0", checkout, "exec"))
    assert innermost(raised.value) == "-"
