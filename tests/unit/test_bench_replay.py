"""The replay of corpora: rows are read, run and judged, and no assertion can change a store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.program import Program
from text2mem.running import execute
from text2mem_bench.assertions import Assertion, Check, Ranked, Ranking, Table
from text2mem_bench.corpus import Case, read_corpus
from text2mem_bench.oracle.adapter import PlainAdapter
from text2mem_bench.replay import Report, replay, run_case
from text2mem_bench.running import Stores, held, temporary_stores

CORPUS = Path(__file__).parents[2] / "fixtures" / "corpus"
ROWS = [json.loads(line) for line in (CORPUS / "rows.jsonl").read_text("utf-8").splitlines()]
CASES = {case.id: case for case in read_corpus(CORPUS / "rows.jsonl")}


@pytest.fixture(scope="module")
def stores() -> Iterator[Stores]:
    with temporary_stores() as made:
        yield made


@pytest.fixture
def store() -> Iterator[PlainAdapter]:
    """A store with one memory of weight 0.5, tagged 茶."""
    with closing(PlainAdapter()) as adapter:
        note = {"payload": {"text": "a pot of tea"}, "tags": ["茶"]}
        assert execute({"stage": "ENC", "op": "Encode", "args": note}, adapter).ok
        yield adapter


@pytest.fixture
def table(stores: Stores, store: PlainAdapter) -> Iterator[Table]:
    """What is counted of it."""
    with stores.table() as made:
        made.hold(held(store, ExecutionContext()))
        yield made


def counted(table: Table, *where: str, **params: Any) -> int:
    return table.count(Assertion("a", where, params=params))


def written(folder: Path, *rows: Any) -> Path:
    """A corpus of these rows; a string stands as it is."""
    path = folder / "corpus.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), "utf-8")
    return path


def with_expected(**parts: Any) -> dict[str, Any]:
    """The first fixture row, expecting something else."""
    return {**ROWS[0], "expected": {**ROWS[0]["expected"], **parts}}


# --- the corpus ----------------------------------------------------------------------------


def test_fixture_rows_fit_their_schema_and_have_their_own_ids() -> None:
    validator = Draft202012Validator(json.loads((CORPUS / "case.schema.json").read_text("utf-8")))
    assert [error.message for row in ROWS for error in validator.iter_errors(row)] == []
    assert len(CASES) == len(ROWS)


def test_a_row_becomes_a_case() -> None:
    case = CASES["passed-zh-2"]
    assert (case.lang, case.instruction_type, case.structure) == ("zh", "indirect", "workflow")
    assert case.utterance.startswith("先看看")
    assert [step["op"] for step in case.gold] == ["Retrieve", "Retrieve", "Label"]
    assert len(case.prerequisites) == 2
    assert case.ranking == Ranking(("1",), 1, False, 5)
    assert case.clock.now().isoformat() == "2026-03-04T10:30:00+00:00"
    assert CASES["passed-en-1"].utterance.startswith(
        "Note that"
    )  # under the key of another language


def test_of_several_utterances_the_one_in_the_language_of_the_row_counts(tmp_path: Path) -> None:
    row = {**ROWS[0], "nl": {"zh": "别的话", "en": "these words"}}
    assert read_corpus(written(tmp_path, row))[0].utterance == "these words"


def test_the_first_rows_are_read_alone(tmp_path: Path) -> None:
    path = written(tmp_path, *ROWS[:2], "no JSON")
    assert [case.id for case in read_corpus(path, 2)] == [row["id"] for row in ROWS[:2]]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "line 2: not JSON"),
        ("[" * 100_000, "line 2: not JSON"),
        ([], "'class' is not an object"),
        ({"id": "x"}, "'class' is missing"),
        ({**ROWS[0], "id": 7}, "'id' is not a text"),
        ({**ROWS[0], "nl": {}}, "'nl' holds no utterance"),
        ({**ROWS[0], "schema_list": {}}, "'schema_list' is not a list"),
        ({**ROWS[0], "init_db": ["x"]}, "begins with an empty store"),
        (with_expected(meta={}), "'eval_time_utc' is missing"),
        (with_expected(meta={"eval_time_utc": "soon"}), "isoformat"),
        (with_expected(ranking={"k": 5}), "'gold_ids' is missing"),
    ],
)  # fmt: skip
def test_what_is_no_row_is_named_with_its_line(tmp_path: Path, row: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match="line 2") as raised:
        read_corpus(written(tmp_path, ROWS[1], row))
    assert said in str(raised.value)


def test_a_file_that_cannot_be_read_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot read"):
        read_corpus(tmp_path)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ConfigurationError, match="cannot read"):
        read_corpus(tmp_path / "bytes")


GOOD = ROWS[0]["expected"]["assertions"][0]


@pytest.mark.parametrize(
    ("assertion", "said"),
    [
        ("what", "'select' is not an object"),
        ({**GOOD, "select": {"from": "journal", "where": []}}, "does not count rows of memory"),
        ({**GOOD, "select": {**GOOD["select"], "agg": "sum"}}, "does not count rows of memory"),
        ({**GOOD, "select": {"from": "memory", "where": "id=1"}}, "not a list of conditions"),
        ({**GOOD, "expect": {"op": "~", "value": 1}}, "compares with '~' 1"),
        ({**GOOD, "expect": {"op": "==", "value": True}}, "compares with '==' True"),
        ({**GOOD, "expect": {"op": "==", "value": "1"}}, "compares with '1'"),
        ({**GOOD, "expect": {"op": "=="}}, "'value' is missing"),
        ({**GOOD, "params": [1]}, "'params' is not an object"),
        ({**GOOD, "select": {"from": "memory", "where": ["colour=1"]}}, "no such column: colour"),
        ({**GOOD, "select": {"from": "memory", "where": ["text LIKE :x"]}}, ":x"),
        ({**GOOD, "select": {"from": "memory", "where": ["id=:x"]}, "params": {"x": []}}, ""),
        ({**GOOD, "select": {"from": "memory", "where": ["id=:x"]}, "params": {"x": 1 << 99}}, ""),
    ],
)  # fmt: skip
def test_an_assertion_that_cannot_be_checked_is_missed_and_says_why(
    tmp_path: Path, stores: Stores, assertion: Any, said: str
) -> None:
    (case,) = read_corpus(written(tmp_path, with_expected(assertions=[GOOD, assertion])))
    outcome = run_case(case, case.gold, stores)
    assert outcome.status == "missed"
    good, bad = outcome.checks
    assert good.held and good.error == ""
    assert not bad.held and bad.after is None
    assert "cannot be checked" in bad.error and said in bad.error
    assert outcome.reasons == (f"assertion {bad.assertion.name} (not checked)",)


def test_triggers_are_not_passed_over_in_silence(tmp_path: Path, stores: Stores) -> None:
    (case,) = read_corpus(written(tmp_path, with_expected(triggers=[{"fires": 1}])))
    assert run_case(case, case.gold, stores).reasons == ("assertion triggers (not checked)",)


# --- assertions ----------------------------------------------------------------------------


def test_conditions_read_the_view_as_the_corpora_expect(table: Table) -> None:
    tagged = "EXISTS (SELECT 1 FROM json_each(tags) WHERE value LIKE :tag)"
    assert counted(table) == 1
    assert counted(table, tagged, tag="茶") == 1
    assert counted(table, "tags LIKE '%茶%'", "id=:id", id="1") == 1
    assert counted(table, "weight <= :most", most="0.5") == 1  # a number bound as a text
    assert counted(table, "weight <= :most", most="0.49") == 0
    assert counted(table, "deleted=1 OR 1", "deleted=1") == 0  # conditions do not run into another


@pytest.mark.parametrize(
    "condition",
    [
        "load_extension('x') IS NULL",
        "1) ; DELETE FROM memories WHERE (1",
        "1) UNION ALL SELECT 1 FROM pragma_database_list WHERE (1",
        "EXISTS (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n)",
    ],
)
def test_a_condition_can_do_nothing_but_read(table: Table, condition: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be checked"):
        counted(table, condition)
    assert counted(table) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM memories",
        "CREATE TEMP TABLE t (a)",
        "ATTACH ':memory:' AS other",
        "PRAGMA query_only = 0",
        "BEGIN",
    ],
)
def test_the_connection_allows_no_other_statement(
    store: PlainAdapter, statement: str, tmp_path: Path
) -> None:
    SqliteAdapter(tmp_path / "s.db").close()
    with closing(sqlite3.connect(tmp_path / "s.db", isolation_level=None)) as connection:
        table = Table(connection)
        table.hold(held(store, ExecutionContext()))
        with pytest.raises(sqlite3.DatabaseError, match="authorized"):
            connection.execute(statement)
        assert counted(table) == 1
        table.hold([])
        assert counted(table) == 0


def test_the_memories_of_every_backend_are_counted_as_sqlite_holds_them(
    tmp_path: Path, stores: Stores
) -> None:
    program = [
        {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "tea 茶"}, "tags": ["茶"],
         "facets": {"n": 1.5, "a": None}, "subject": "Ann", "time": "2026-03-04T10:00:00Z"}},
        {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "gone"}}},
        {"stage": "STO", "op": "Expire", "target": {"ids": ["$1"]}, "args": {"ttl": "P1D"}},
        {"stage": "STO", "op": "Delete", "target": {"ids": ["$2"]}},
        {"stage": "STO", "op": "Lock", "target": {"ids": ["$1"]}, "args": {"mode": "read_only"}},
    ]  # fmt: skip
    with closing(SqliteAdapter(tmp_path / "s.db")) as adapter:
        assert execute(program, adapter, context=ExecutionContext(confirmed=True)).ok
        records = held(adapter, ExecutionContext())
    with closing(sqlite3.connect(tmp_path / "s.db")) as file:
        rows = file.execute("SELECT * FROM memory").fetchall()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        stores.empty.backup(copy)
        Table(copy).hold(records)
        assert copy.execute("SELECT * FROM memory").fetchall() == rows and len(rows) == 2


@pytest.mark.parametrize(
    ("compare", "held"),
    [("==", False), ("!=", True), (">=", True), ("<=", False), (">", True), ("<", False)],
)
def test_comparisons(compare: str, held: bool) -> None:
    asked = Assertion("a", (), compare, 2)
    assert asked.holds(3) is held
    assert asked.holds(None) is False


def test_what_held_before_is_no_effect() -> None:
    asked = Assertion("a", (), ">=", 1)
    assert [Check(asked, before, 1).effective for before in (0, 1)] == [True, False]
    assert not Check(asked, 0, 0).effective


@pytest.mark.parametrize(
    ("returned", "ranking", "held"),
    [
        ((("3", "1"),), Ranking(("1",), 1, True, 5), True),
        ((("3", "1"),), Ranking(("1",), 1, True, 1), False),
        ((("3", "1"),), Ranking(("1",), 1, False, 5), False),
        ((("2", "1"),), Ranking(("1", "2"), 2, False, 2), True),
        ((("1",),), Ranking(("1", "2"), 2, True, 5), False),
        (((), ("1",)), Ranking(("1",), 1, True, 5), True),
        ((("1",), ("2",)), Ranking(("1", "2"), 2, True, 5), False),
        ((), Ranking(("1",), 1, True, 5), False),
    ],
)
def test_one_read_has_to_return_what_is_expected(
    returned: tuple[tuple[str, ...], ...], ranking: Ranking, held: bool
) -> None:
    assert Ranked(ranking, returned).held is held


# --- the replay ----------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: str(case.id))
def test_a_row_becomes_what_its_id_says(case: Case, stores: Stores) -> None:
    outcome = run_case(case, case.gold, stores)
    assert outcome.status == case.id.partition("-")[0], outcome.reasons
    assert bool(outcome.reasons) is (outcome.status != "passed")
    assert bool(outcome.faults) is (outcome.status in ("illegal", "refused"))
    json.dumps(outcome.as_dict())


@pytest.mark.parametrize(
    ("id_", "part", "code", "pointer", "reason"),
    [
        ("illegal-en-1", "program", "unknown-key", "/0/args/set/amount", "unknown-key 'amount'"),
        ("illegal-zh-1", "prerequisites", "unknown-key", "/1/args/ tags", "unknown-key ' tags'"),
        ("refused-en-1", "program", "locked", "/0/target", "locked 'target'"),
    ],
)
def test_a_fault_says_where(
    stores: Stores, id_: str, part: str, code: str, pointer: str, reason: str
) -> None:
    outcome = run_case(CASES[id_], CASES[id_].gold, stores)
    (fault,) = outcome.faults
    assert (fault.part, fault.code, fault.pointer) == (part, code, pointer)
    assert outcome.reasons == (reason,)


def test_a_refused_prerequisite_is_addressed_by_its_place(stores: Stores) -> None:
    case = CASES["refused-en-1"]
    case = replace(case, prerequisites=(*case.prerequisites, case.gold[0]))
    outcome = run_case(case, [], stores)
    assert outcome.status == "refused"
    assert outcome.checks == ()
    assert (outcome.faults[0].part, outcome.faults[0].pointer) == ("prerequisites", "/2/target")


def test_another_program_is_held_against_the_same_expectations(stores: Stores) -> None:
    case = CASES["missed-en-1"]
    label = {**case.gold[0], "target": {"ids": ["1"]}}
    for program in (label, [label], Program.load([label], now=case.clock.now())):
        outcome = run_case(case, program, stores)
        assert outcome.status == "passed"
        assert [check.effective for check in outcome.checks] == [False, True]


def test_a_program_that_did_not_run_leaves_what_the_prerequisites_made(stores: Stores) -> None:
    outcome = run_case(CASES["refused-en-1"], {"op": "Dream"}, stores)
    assert outcome.status == "illegal"
    assert [(check.before, check.after) for check in outcome.checks] == [(1, 1), (0, 0)]


def test_the_clock_stands_where_the_row_has_it(stores: Stores) -> None:
    case = CASES["passed-en-2"]
    late = replace(case, clock=replace(case.clock, instant=case.clock.now().replace(month=6)))
    assert run_case(late, late.gold, stores).status == "missed"


def test_no_store_is_left_behind() -> None:
    with temporary_stores() as stores:
        for case in list(CASES.values())[:2]:
            run_case(case, case.gold, stores)
        assert not [path for path in stores.folder.iterdir() if path.is_dir()]
    assert not stores.folder.exists()


def test_the_report_counts_and_groups(stores: Stores) -> None:
    report = Report(tuple(replay(CASES.values(), stores)))
    figures = report.as_dict()
    expected = {"rows": 9, "legal": 7, "passed": 4, "missed": 2, "illegal": 2, "refused": 1}
    assert {key: figures[key] for key in expected} == expected
    assert figures["share"] == 0.5714
    assert figures["assertions"] == {"checked": 11, "held": 9, "effective": 6}
    assert figures["reasons"] == {
        "missed": {"assertion tags_added_json": ["missed-en-1"], "ranking": ["missed-zh-1"]},
        "illegal": {
            "unknown-key ' tags'": ["illegal-zh-1"],
            "unknown-key 'amount'": ["illegal-en-1"],
        },
        "refused": {"locked 'target'": ["refused-en-1"]},
    }
    assert Report(()).share == 0
