"""The execution layer: every case holds on both backends, and what is broken is found and said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Unpack

import pytest
from click.testing import CliRunner, Result

from tests.fixtures import ROOT, case_id, cases, faults
from text2mem.adapters.base import Effect, Env, RecordQuery, Scope, Selection
from text2mem.cli.main import cli
from text2mem.clock import FixedClock
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import BySearch, Label, Lock, Op, Target
from text2mem.ir.record import Record
from text2mem.ir.result import ExecutionResult, ProgramResult
from text2mem.ir.surface import INSTANCES
from text2mem.program import Program
from text2mem_bench.consistency import Account, differences
from text2mem_bench.execution import derived
from text2mem_bench.execution.cases import Expected, Expiry, Relevance, Reminder, read_cases
from text2mem_bench.execution.edits import GONE, compare, edits_between, stated_edits
from text2mem_bench.execution.scoring import Scored, measure
from text2mem_bench.execution.shift import against_weight, directions
from text2mem_bench.execution.summary import summarise
from text2mem_bench.oracle.adapter import PlainAdapter
from text2mem_bench.running import Fault, Opener, Step, Stopped, backends, run, snapshot, supports

FOLDER = ROOT / "execution"
RAW = list(cases("execution"))
CASES = {case.id: case for path in sorted(FOLDER.glob("*.jsonl")) for case in read_cases(path)}
NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def openers() -> Iterator[Mapping[str, Opener]]:
    with backends(["sqlite", "plain"]) as opened:
        yield opened


@pytest.fixture(scope="module")
def scored(openers: Mapping[str, Opener]) -> dict[tuple[str, str], Scored]:
    """Every case on both backends."""
    return {(s.id, s.backend): s for s in measure(CASES.values(), openers, ["sqlite", "plain"])}


def on(backend: Callable[[], PlainAdapter], id_: str) -> Scored:
    """A fixture case on a backend that is compared with a sound one."""
    made: dict[str, Opener] = {
        "plain": lambda: closing(PlainAdapter()), "broken": lambda: closing(backend())
    }  # fmt: skip
    *_, found = measure([CASES[id_]], made, ["plain", "broken"])
    return found


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return path


# --- the cases -----------------------------------------------------------------------------


def test_the_cases_keep_their_schema() -> None:
    assert faults("execution", RAW) == []
    for raw in RAW:
        stem = raw["file"].removeprefix("execution/").removesuffix(".jsonl")
        assert raw["id"].startswith(f"{stem}-{raw['lang']}-")
    assert len(CASES) == len(RAW)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_there_are_cases_of_every_kind_in_both_languages(lang: str) -> None:
    own = [raw for raw in RAW if raw["lang"] == lang]
    assert {step["op"] for raw in own for step in raw["program"]} == set(INSTANCES)
    told = {key for raw in own for key in raw["expected"]}
    assert told == {"changes", "expiries", "reminders", "shifts", "retrieval"}
    ends = {end["action"] for raw in own for end in raw["expected"].get("expiries", ())}
    assert ends == {"soft_delete", "hard_delete", "demote", "anonymize"}


@pytest.mark.parametrize("backend", ["sqlite", "plain"])
@pytest.mark.parametrize("raw", RAW, ids=case_id)
def test_a_case_holds(
    raw: dict[str, Any], backend: str, scored: dict[tuple[str, str], Scored]
) -> None:
    found = scored[raw["id"], backend]
    assert found.right, found.as_dict()
    checks = len(found.checks)
    expected = raw["expected"]
    assert checks == sum(
        # Where it is stored; before, at and after, unticked and ticked.
        [7 for _ in expected.get("expiries", ())]
        + [1 + 3 * len(each["due"]) for each in expected.get("reminders", ())]
    )
    assert len(found.shifts) == len(expected.get("shifts", ()))


# --- edits ---------------------------------------------------------------------------------


def test_edits_are_precise_and_recalled_by_hand() -> None:
    expected = stated_edits(
        {"1": {"weight": 0.8, "tags": ["a"]}, "2": None, "3": {"deleted": True}}
    )
    actual = {("1", "weight"): 0.8, ("1", "tags"): ["a", "b"], ("2", GONE): True,
              ("4", "topic"): "x", ("5", "topic"): "y"}  # fmt: skip
    found = compare(expected, actual)
    assert (found.expected, found.actual, found.right) == (4, 5, 2)
    assert (found.precision, found.recall, found.exact) == (2 / 5, 2 / 4, False)
    assert found.missing == ('memory 1: tags = ["a"]', "memory 3: deleted = true")
    assert found.unexpected == (
        'memory 1: tags = ["a", "b"]', 'memory 4: topic = "x"', 'memory 5: topic = "y"',
    )  # fmt: skip


def test_no_edit_where_none_is_expected_is_exact() -> None:
    nothing = compare({}, {})
    assert (nothing.precision, nothing.recall, nothing.exact) == (1, 1, True)
    assert compare({}, {("1", "topic"): "x"}).precision == 0
    assert compare({("1", "topic"): "x"}, {}).recall == 0


def test_values_of_another_type_are_other_values() -> None:
    assert not compare({("1", "facets"): {"n": 1}}, {("1", "facets"): {"n": True}}).exact
    assert compare({("1", "weight"): 0.7}, {("1", "weight"): 0.5 + 0.2}).exact
    assert compare({("1", "facets"): {"a": 1, "b": 2}}, {("1", "facets"): {"b": 2, "a": 1}}).exact


def record(id_: str, **fields: Any) -> Record:
    return Record(id=id_, created_at=NOW, updated_at=NOW, **fields)


def test_the_difference_of_two_states() -> None:
    before = {"1": record("1", text="a"), "2": record("2", text="b"), "3": record("3")}
    after = {"1": record("1", text="a", version=2), "2": record("2", text="c"), "4": record("4")}
    assert edits_between(before, after) == {("2", "text"): "c", ("3", GONE): True}


# --- shift ---------------------------------------------------------------------------------


def hits(**scores: float) -> list[dict[str, Any]]:
    return [{"id": key.lstrip("m"), "score": value} for key, value in scores.items()]


def test_a_promoted_memory_gains_score_and_passes_nobody_the_wrong_way() -> None:
    before = hits(m1=0.9, m2=0.8, m3=0.7)
    risen = against_weight("3", before, hits(m3=0.95, m1=0.9, m2=0.8), 1, ["3"])
    assert (risen.before, risen.after, risen.places, risen.right) == (3, 1, 2, True)
    assert risen.tau == pytest.approx(-1 / 3)
    stayed = against_weight("3", before, hits(m1=0.9, m2=0.8, m3=0.75), 1, ["3"])
    assert (stayed.places, stayed.tau, stayed.right) == (0, 1.0, True)
    assert not against_weight("3", before, before, 1, ["3"]).right
    assert not against_weight("1", before, hits(m2=0.95, m1=0.91, m3=0.7), 1, ["1"]).right


def test_what_moves_along_is_no_measure() -> None:
    after = hits(m2=1.2, m1=1.0, m3=0.7)
    assert against_weight("1", hits(m1=0.9, m2=0.8, m3=0.7), after, 1, ["1", "2"]).right


def test_a_demoted_memory_sinks_or_is_gone() -> None:
    before = hits(m1=0.9, m2=0.8)
    assert against_weight("1", before, hits(m2=0.8, m1=0.7), -1, ["1"]).right
    gone = against_weight("1", before, hits(m2=0.8), -1, ["1"])
    assert (gone.after, gone.places, gone.tau, gone.right) == (None, None, None, True)
    assert not against_weight("1", before, hits(m2=0.8), 1, ["1"]).right


def test_weight_and_archive_give_the_direction() -> None:
    before = {str(n): record(str(n)) for n in range(1, 7)}
    after = {
        "1": record("1", weight=0.7), "2": record("2", weight=0.3), "3": record("3"),
        "4": record("4", archived=True, weight=0.9), "5": record("5", deleted=True, weight=0.9),
    }  # fmt: skip
    assert directions(before, after) == {"1": 1, "2": -1, "4": -1}
    assert directions({"1": record("1", archived=True)}, {"1": record("1")}) == {"1": 1}


# --- what a program schedules --------------------------------------------------------------


def played(*instances: dict[str, Any]) -> tuple[Sequence[Op], Sequence[ExecutionResult]]:
    store = PlainAdapter()
    program = Program.load(list(instances), now=NOW)
    result = run(program, store, ExecutionContext(clock=FixedClock(NOW), confirmed=True))
    assert isinstance(result, ProgramResult), result
    return program.ops, result.results


def note(**args: Any) -> dict[str, Any]:
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "a"}, **args}}


def step(op: str, **args: Any) -> dict[str, Any]:
    return {"stage": "STO", "op": op, "target": {"ids": ["$1"]}, "args": args}


def test_ends_are_read_off_the_ops() -> None:
    ops, results = played(note(expire_at="2026-03-10T00:00:00Z"))
    assert derived.expiries(ops, results, {}, NOW) == {
        "1": Expiry("1", datetime(2026, 3, 10, tzinfo=UTC), "soft_delete")
    }
    ops, results = played(note(), step("Expire", ttl="P1M", on_expire="anonymize"))
    assert derived.expiries(ops, results, {}, NOW)["1"] == Expiry(
        "1", datetime(2026, 4, 4, 10, 30, tzinfo=UTC), "anonymize"
    )


def test_the_last_word_on_an_end_counts() -> None:
    end = step("Expire", until="2026-04-01T00:00:00Z", on_expire="demote")
    ops, results = played(note(), end, step("Update", set={"expire_at": "2026-05-01T00:00:00Z"}))
    assert derived.expiries(ops, results, {}, NOW)["1"] == Expiry(
        "1", datetime(2026, 5, 1, tzinfo=UTC), "demote"
    )
    ops, results = played(note(), end, step("Update", set={"ttl": "PT1H"}))
    assert derived.expiries(ops, results, {}, NOW)["1"].action == "soft_delete"
    ops, results = played(note(), end, step("Update", set={"expire_at": None}))
    assert derived.expiries(ops, results, {}, NOW) == {}


def test_a_moved_end_keeps_what_an_earlier_program_said() -> None:
    ops, results = played(note(), step("Update", set={"expire_at": "2026-05-01T00:00:00Z"}))
    before = {"1": record("1", expire_action="hard_delete")}
    assert derived.expiries(ops, results, before, NOW)["1"].action == "hard_delete"


def test_reminders_are_read_off_the_ops_up_to_the_end() -> None:
    daily = step("Promote", remind={"rrule": "FREQ=DAILY"})
    ops, results = played(note(), daily)
    first, second = NOW + timedelta(days=1), NOW + timedelta(days=2)
    told = derived.reminders(ops, results, {}, NOW, UTC)
    assert told == {"1": Reminder("1", (first, second))}
    ends = {"1": Expiry("1", second, "soft_delete")}
    assert derived.reminders(ops, results, ends, NOW, UTC)["1"].due == (first,)
    ends = {"1": Expiry("1", first, "soft_delete")}
    assert derived.reminders(ops, results, ends, NOW, UTC) == {}
    ops, results = played(
        note(),
        step("Promote", remind={"rrule": "FREQ=DAILY"}),
        step("Update", set={"remind": None}),
    )
    assert derived.reminders(ops, results, {}, NOW, UTC) == {}


# --- broken backends -----------------------------------------------------------------------


class LosesTags(PlainAdapter):
    """Labels with the first tag alone, and says it did all of it."""

    name = "broken"

    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        if isinstance(op, Label) and op.tags:
            op = replace(op, tags=op.tags[:1])
        return super().lower(op, rows, env)


class LateBySeconds(PlainAdapter):
    """Carries out what is due a second late."""

    name = "broken"

    def settle(self, env: Env) -> Effect:
        return super().settle(replace(env, now=env.now - timedelta(seconds=1)))


class RanksBackwards(PlainAdapter):
    """Lets weight count against a memory in searches."""

    name = "broken"

    def resolve(self, target: Target, scope: Scope) -> Selection:
        if not isinstance(target, BySearch):
            return super().resolve(target, scope)
        light = RanksBackwards()
        light._state = self._state.copy()
        for id_, held in light._state.records.items():
            light._state.records[id_] = replace(held, weight=1 - held.weight)
        found = PlainAdapter.resolve(light, target, scope)
        rows = tuple(self._state.records[row.id] for row in found.rows)
        return Selection(rows, found.matched, found.scores)


class NeverReminds(PlainAdapter):
    """Knows of no reminder that is due."""

    name = "broken"

    def records(self, context: Any, now: Any, **query: Unpack[RecordQuery]) -> Sequence[Record]:
        return [] if query.get("reminds") else super().records(context, now, **query)


def test_a_lost_edit_costs_recall_and_is_told_in_words() -> None:
    found = on(LosesTags, "edits-en-label-add")
    assert found.edits is not None and not found.right
    # Memory 1 lacks a tag, so that its one edit is wrong; so does memory 2 of what it had none of.
    assert (found.edits.right, found.edits.recall, found.edits.precision) == (0, 0.0, 0.0)
    assert 'memory 1: tags are ["papers", "travel", "urgent"] on plain and ["papers", "travel"] ' \
        "on broken" in found.differences  # fmt: skip
    assert any(words.startswith("step 1 (Label): tags of memory 1") for words in found.differences)


def test_an_expiry_that_comes_late_fails_at_its_instant() -> None:
    found = on(LateBySeconds, "expiries-en-soft-delete")
    assert not found.right
    wrong = [(check.moment, check.ticked) for check in found.checks if not check.held]
    # A tick after it carries out what the tick at its instant should have.
    assert wrong == [("at", False), ("at", True), ("after", True)]
    late = next(check for check in found.checks if check.moment == "at" and check.ticked)
    assert (late.expected, late.found) == ("hidden, carried out", "in sight at weight 0.5")


def test_a_reminder_that_stays_silent_fails_when_it_is_due() -> None:
    found = on(NeverReminds, "reminders-en-once")
    wrong = [check for check in found.checks if not check.held]
    assert [(check.moment, check.found) for check in wrong] == [("at", "silent")]


class RefusesLocks(PlainAdapter):
    """Locks nothing."""

    name = "broken"

    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        if isinstance(op, Lock):
            raise ExecutionError("locked", "no", pointer="/0/target")
        return super().lower(op, rows, env)


def test_a_backend_that_refuses_is_told_apart() -> None:
    found = on(RefusesLocks, "edits-en-lock-with-policy")
    assert (found.status, found.edits, found.right) == ("refused", None, False)
    assert found.differences[0] == (
        "the program is done on plain and refused and locked at /0/target on broken"
    )


# --- consistency ---------------------------------------------------------------------------


def account(*results: ExecutionResult, **parts: Any) -> Account:
    return Account(outcome=ProgramResult(ok=True, trace_id="t", results=results), **parts)


def ran(**parts: Any) -> ExecutionResult:
    return ExecutionResult(ok=True, op="Retrieve", **parts)


def test_equal_accounts_do_not_differ() -> None:
    one = account(ran(rows=({"id": "1", "score": 0.1234561},), duration_ms=3.0))
    other = account(ran(rows=({"id": "1", "score": 0.1234562},), duration_ms=9.0))
    assert differences("a", one, "b", other) == []


def test_differences_come_in_plain_words() -> None:
    one = account(
        ran(affected=("1", "2"), matched=2, rows=({"id": "1", "text": "x"}, {"id": "2"})),
        memories={"1": record("1", tags=("a",)), "2": record("2"), "3": record("3", weight=0.2)},
        reads={"a read": [{"id": "1"}, {"id": "2"}]},
    )
    other = account(
        ran(affected=("1",), matched=1, rows=({"id": "1", "text": "y"},), warnings=("careful",)),
        memories={"1": record("1", tags=("a", "b")), "3": record("3", weight=0.3)},
        reads={"a read": [{"id": "1"}]},
    )
    assert differences("sqlite", one, "plain", other) == [
        "step 1 (Retrieve) matches 2 on sqlite and 1 on plain",
        "step 1 (Retrieve) touches 1, 2 on sqlite and 1 on plain",
        "step 1 (Retrieve) returns 1, 2 on sqlite and 1 on plain",
        "step 1 (Retrieve) warns on plain alone: careful",
        'memory 1: tags are ["a"] on sqlite and ["a", "b"] on plain',
        "memory 2 is there on sqlite and not on plain",
        "memory 3: weight is 0.2 on sqlite and 0.3 on plain",
        "a read: returns 1, 2 on sqlite and 1 on plain",
    ]


def test_rows_that_differ_are_told_by_their_memory() -> None:
    one, other = (
        account(ran(rows=({"id": "4", "text": "x"},))),
        account(ran(rows=({"id": "4", "text": "y" * 200},))),
    )
    (words,) = differences("a", one, "b", other)
    assert words.startswith('step 1 (Retrieve) memory 4: text is "x" on a and "yyy')
    assert words.endswith("… on b") and len(words) < 160


def test_what_falls_due_differently_is_told_once() -> None:
    one = account(memories={"1": record("1")}, later={"1": record("1", deleted=True)})
    other = account(memories={"1": record("1")}, later={"1": record("1")})
    assert differences("a", one, "b", other) == [
        "once everything is due, memory 1: deleted is true on a and false on b"
    ]
    changed = replace(other, memories={"1": record("1", topic="t")})
    assert differences("a", one, "b", changed) == ['memory 1: topic is null on a and "t" on b']


def test_refusals_differ_by_code_and_place() -> None:
    one = Account(outcome=Stopped("refused", (Fault("locked", "/0/target", "one wording"),)))
    other = Account(outcome=Stopped("refused", (Fault("locked", "/0/target", "another"),)))
    assert differences("a", one, "b", other) == []
    third = Account(outcome=Stopped("refused", (Fault("not-found", "/0/target", "no"),)))
    assert differences("a", one, "b", third) == [
        "the program is refused and locked at /0/target on a and "
        "refused and not-found at /0/target on b"
    ]


# --- corpora -------------------------------------------------------------------------------


def test_the_rows_of_a_corpus_are_scored_against_the_oracle(openers: Mapping[str, Opener]) -> None:
    rows = read_cases(ROOT / "corpus" / "rows.jsonl")
    found = {row.id: row for row in measure(rows, openers, ["sqlite"])}
    assert {id_: row.status for id_, row in found.items() if row.status != "done"} == {
        "illegal-en-1": "illegal", "illegal-zh-1": "illegal", "refused-en-1": "refused",
    }  # fmt: skip
    done = [row for row in found.values() if row.status == "done"]
    assert all(row.edits is not None and row.edits.exact for row in done)
    assert {row.id for row in done if not row.right} == {"missed-zh-1"}  # its read finds nothing
    missed = found["missed-zh-1"].retrieved
    assert missed is not None and (missed.recall, missed.held) == (0.0, False)


def test_derived_triggers_and_shifts_of_a_corpus_row(openers: Mapping[str, Opener]) -> None:
    template = read_cases(ROOT / "corpus" / "rows.jsonl", 1)[0]
    setup = CASES["shifts-en-promoted-to-the-top"].setup
    raised = step("Promote", weight=1.0, remind={"rrule": "FREQ=DAILY"})
    case = replace(
        template, setup=setup, utterance="the garden plan", expected=Expected(),
        program=[{**raised, "target": {"ids": ["3"]}},
                 {**step("Expire", ttl="P7D"), "target": {"ids": ["1"]}}],
    )  # fmt: skip
    for row in measure([case], openers, ["plain", "sqlite"]):
        assert row.right and row.ops == ("Promote", "Expire")
        # Between a heavier and a lighter memory of the same words, and now before both.
        assert [(s.id, s.before, s.after) for s in row.shifts] == [("3", 2, 1)]
        assert {check.about for check in row.checks} == {"expiry", "reminder"}
        assert len(row.checks) == 7 + 7


def test_a_shift_that_no_search_sees_is_counted_apart(openers: Mapping[str, Opener]) -> None:
    template = read_cases(ROOT / "corpus" / "rows.jsonl", 1)[0]
    only_signs = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "!!!"}}}
    case = replace(
        template, setup=(Step(program=[only_signs]),), expected=Expected(),
        program=[{**step("Demote", weight_delta=-0.1), "target": {"ids": ["1"]}}],
    )  # fmt: skip
    (row,) = measure([case], openers, ["plain"])
    assert (row.shifts, row.unprobed) == ((), 1)


def test_a_backend_that_ranks_the_wrong_way_is_found(openers: Mapping[str, Opener]) -> None:
    template = read_cases(ROOT / "corpus" / "rows.jsonl", 1)[0]
    case = replace(
        template, setup=CASES["shifts-en-promoted-to-the-top"].setup, expected=Expected(),
        program=[{**step("Promote", weight_delta=0.1), "target": {"ids": ["3"]}}],
    )  # fmt: skip
    made: dict[str, Opener] = {**openers, "broken": lambda: closing(RanksBackwards())}
    sound, broken = measure([case], made, ["plain", "broken"])
    assert [(s.places, s.right) for s in sound.shifts] == [(1, True)]
    assert [(s.places, s.right) for s in broken.shifts] == [(-1, False)]


def test_the_best_read_of_a_program_counts(openers: Mapping[str, Opener]) -> None:
    case = CASES["retrieval-en-by-tag"]
    other = {"stage": "RET", "op": "Retrieve", "target": {"filter": {"has_tags": ["music"]}}}
    wanted = Relevance({"1": 1, "7": 1}, k=1, hits=1)
    twice = replace(case, program=[other, *case.program], expected=Expected(relevance=wanted))
    (row,) = measure([twice], openers, ["plain"])
    assert row.retrieved is not None and row.right
    assert (row.retrieved.recall, row.retrieved.ndcg) == (0.5, 1.0)
    first = Expected(relevance=replace(wanted, step=1))
    (row,) = measure([replace(twice, expected=first)], openers, ["plain"])
    assert row.retrieved is not None and not row.right
    assert (row.retrieved.recall, row.retrieved.reciprocal_rank) == (0.0, 0.0)
    nothing = replace(case, program=[note()], expected=first)
    (row,) = measure([nothing], openers, ["plain"])
    assert row.retrieved is not None and row.retrieved.returned == ()


def test_what_cannot_be_set_up_is_no_score(openers: Mapping[str, Opener]) -> None:
    case = replace(CASES["edits-en-expire"], setup=())
    (row,) = measure([case], openers, ["plain"])
    assert (row.status, row.faults[0].code) == ("refused", "not-found")
    case = replace(case, setup=CASES["edits-zh-unlock"].setup[1:])
    (row,) = measure([case], openers, ["plain"])
    assert row.faults[0].pointer == "/0/0/target/ids"
    assert row.faults[0].part == "prerequisites"


def test_figures_of_a_run(scored: dict[tuple[str, str], Scored]) -> None:
    figures = summarise(scored.values())
    assert list(figures) == ["sqlite", "plain"]
    for told in figures.values():
        assert told["rows"] == told["done"] == told["right"] == len(CASES)
        assert told["edits"]["precision"] == told["edits"]["recall"] == 1.0
        assert told["triggers"]["checks"] == told["triggers"]["held"] > 100
        assert told["triggers"]["by_moment"]["expiry at, ticked"]["checks"] >= 19
        assert told["differences"] == {"rows": 0, "told": 0}
        # The searches in other words are out of reach of words.
        assert 0.5 < told["retrieval"]["recall"] < 1
        assert told["by_op"]["Merge"] == {"rows": 2, "right": 2}
    nothing = summarise([replace(next(iter(scored.values())), status="illegal")])["sqlite"]
    assert nothing["edits"]["precision"] is None
    assert nothing["retrieval"]["mrr"] is None


def test_a_snapshot_sees_what_is_hidden_and_past() -> None:
    store = PlainAdapter()
    context = ExecutionContext(clock=FixedClock(NOW))
    for program in ([note(), note(), note()], [{**step("Delete"), "target": {"ids": ["1"]}}],
                    [{**step("Demote", archive=True), "target": {"ids": ["2"]}}]):  # fmt: skip
        assert isinstance(run(program, store, context), ProgramResult)
    seen = snapshot(store, NOW)
    assert [(r.id, r.deleted, r.archived) for r in seen.values()] == [
        ("1", True, False), ("2", False, True), ("3", False, False),
    ]  # fmt: skip


# --- files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "x"}, "'lang' is missing"),
        ({**RAW[0], "now": "soon"}, "isoformat"),
        ({**RAW[0], "expected": []}, "'expected' is not an object"),
        ({**RAW[0], "expected": {"expiries": [{"id": "1"}]}}, "'at' is missing"),
    ],
)
def test_what_is_no_case_is_named_with_its_line(tmp_path: Path, row: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match="line 2: not a case of the") as raised:
        read_cases(written(tmp_path, RAW[0], row))
    assert said in str(raised.value)


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["bench", "execution", *map(str, arguments)])


def test_the_command_prints_the_figures() -> None:
    done = command(FOLDER / "shifts.jsonl", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["backends"] == "sqlite,plain" and told["embedder"] == "none"
    assert told["figures"]["sqlite"]["shifts"]["right"] == 17
    assert set(told["ops"]["sqlite"].values()) == {"native"} and len(told["ops"]["plain"]) == 12
    done = command(FOLDER / "shifts.jsonl", "--limit", "2", "--backend", "plain", "--jsonl")
    assert [json.loads(line)["right"] for line in done.stdout.splitlines()] == [True, True]
    assert "plain: 2 rows, 2 done, 0 illegal, 0 refused, 2 right" in done.stderr
    done = command(
        FOLDER / "shifts.jsonl", "--limit", "2", "--backend", "sqlite,langgraph", "--text"
    )
    assert "Merge       native       emulated\n" in done.stdout
    assert "langgraph: 2 rows, 2 done, 0 illegal, 0 refused, 2 right" in done.stdout


def test_the_command_says_why_a_row_is_wrong(tmp_path: Path) -> None:
    raw = next(raw for raw in RAW if raw["id"] == "edits-en-label-add")
    wrong = {key: value for key, value in raw.items() if key != "file"}
    wrong["expected"] = {
        "changes": {"1": {"tags": ["papers"]}, "2": {"tags": ["papers", "travel", "urgent"]}},
        "expiries": [{"id": "1", "at": "2026-05-01T00:00:00Z", "action": "demote"}],
        "shifts": [{"id": "1", "probe": {"all": True}, "before": 2, "after": 3}],
        "retrieval": {"gains": {"2": 1}, "k": 1},
    }
    said = command(written(tmp_path, wrong), "--text", "--failures", "--backend", "plain").stdout
    assert 'edit not made: memory 1: tags = ["papers"]' in said
    assert 'edit not expected: memory 1: tags = ["papers", "travel", "urgent"]' in said
    assert "memory 1 went from place 2 to 2" in said
    assert "expected demote at 2026-05-01T00:00:00Z; found no end" in said
    assert "retrieval: recall 0.00, returned nothing" in said
    assert "precision 0.500, recall 0.500" in said


def test_mistakes_in_the_call(tmp_path: Path) -> None:
    assert "there is no adapter 'sqlight'" in str(command(FOLDER, "--backend", "sqlight").exception)
    assert command(FOLDER, "--backend", ",").exit_code == 2
    assert "no *.jsonl" in str(command(tmp_path).exception)
    assert command(tmp_path / "nowhere").exit_code == 2


def test_a_backend_may_be_named_whole(tmp_path: Path) -> None:
    named = f"langgraph:{tmp_path}/there.db"
    with backends([named]) as opened, opened[named]() as adapter:
        assert adapter.name == "langgraph"
    assert (tmp_path / "there.db").exists()
    letta = "letta:http://localhost:1?sidecar=:memory:"
    ops = supports([letta])[letta]
    assert (ops["Encode"], ops["Update"], ops["Lock"]) == ("native", "emulated", "emulated")
