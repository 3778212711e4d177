"""Gold programs on several backends: the same rows, the same ends, and what differs is said."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from click.testing import CliRunner, Result

from tests.postgres import server
from text2mem.adapters.base import Support
from text2mem.adapters.mirrored.keeper import Item
from text2mem.adapters.mirrored.langgraph_ import LangGraphAdapter
from text2mem.cli.main import cli
from text2mem.running import execute
from text2mem_bench.corpus import read_corpus
from text2mem_bench.mirrors import missed, taken_away
from text2mem_bench.oracle.adapter import PlainAdapter
from text2mem_bench.replay import Report, replay
from text2mem_bench.running import held, temporary_stores

CORPUS = Path(__file__).parents[2] / "fixtures" / "corpus" / "rows.jsonl"
NOTE = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "tea at five"}}}


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["bench", "replay", str(CORPUS), *arguments])


def test_the_same_rows_end_alike_on_every_backend() -> None:
    url = server().url("replayed")
    specs = ["sqlite", "plain", f"postgres:{url}", "langgraph"]
    named = [word for spec in specs for word in ("--store", spec)]
    done = command(*named, "--json", "--failures")
    assert done.exit_code == 0, done.output
    figures = json.loads(done.stdout)["figures"]
    assert list(figures) == ["sqlite", "plain", "postgres", "langgraph"]
    first = figures["sqlite"]
    assert (first["rows"], first["passed"], first["missed"], first["refused"]) == (9, 4, 2, 1)
    assert first["assertions"] == {"checked": 11, "held": 9, "effective": 6}
    for told in figures.values():
        assert told["otherwise"] == {}
        assert {**told, "seconds": 0, "failures": 0} == {**first, "seconds": 0, "failures": 0}
        for one, other in zip(told["failures"], first["failures"], strict=True):
            assert {**one, "seconds": 0} == {**other, "seconds": 0}
    there = "SELECT to_regnamespace('replayed') IS NOT NULL"
    assert server().admin.execute(there).fetchone()[0] is False
    rows = command(*named[2:6], "--jsonl", "--limit", "2").stdout.splitlines()
    assert [json.loads(row)["store"] for row in rows] == ["plain"] * 2 + ["postgres"] * 2


class Unable(PlainAdapter):
    """A backend that cannot label."""

    support: ClassVar = {**PlainAdapter.support, "Label": Support.UNSUPPORTED}


def test_what_a_backend_cannot_do_is_said_by_row_and_reason() -> None:
    cases = read_corpus(CORPUS)
    with temporary_stores() as stores:
        first = Report(tuple(replay(cases, stores)))
        report = Report(tuple(replay(cases, replace(stores, opener=lambda: closing(Unable())))))
    told = report.otherwise(first)
    assert list(told) == [
        case.id for case in cases
        if "Label" in str(case.gold) and not case.id.startswith(("illegal", "refused"))
    ]  # fmt: skip
    assert "passed ([[" in told["passed-zh-2"] and "Label" in told["passed-zh-2"]
    assert first.otherwise(first) == {}


def test_a_person_reads_the_stores_one_below_the_other() -> None:
    said = command("--store", "sqlite", "--store", "plain", "--text").stdout
    assert said.count("4 passed, 57.14% of the legal; 2 missed, 1 refused") == 2
    assert "plain:\n9 rows" in said and "0 rows end otherwise than on sqlite" in said


def test_a_framework_that_holds_something_else_misses_the_row(tmp_path: Path) -> None:
    with closing(LangGraphAdapter(str(tmp_path / "a.db"))) as adapter:
        assert execute([NOTE, NOTE], adapter).ok
        records = held(adapter, adapter.context)
        assert missed(adapter, records) == ""
        first = adapter.outbox.keys(["1"])["1"]
        (item,) = (each for each in adapter.keeper.scan() if each.key == first)
        adapter.keeper.put([replace(item, text="tea at six")])
        assert missed(adapter, records) == "langgraph holds otherwise: 1"
        adapter.keeper.put([Item(key="theirs", text="their own")])
        taken_away(adapter)
        assert [each.key for each in adapter.keeper.scan()] == ["theirs"]
        assert missed(adapter, records) == "langgraph holds otherwise: 1, 2"


def test_stores_that_cannot_be_played_are_refused(tmp_path: Path) -> None:
    filled = f"langgraph:{tmp_path}/a.db"
    with closing(LangGraphAdapter(f"{tmp_path}/a.db")) as adapter:
        assert execute(NOTE, adapter).ok
    server().prepared("lived_in_too")
    for names, said in (
        (("plain", "plain"), "played once"),
        (("nothing",), "no adapter 'nothing'"),
        ((filled,), "a.db is not empty"),
        ((f"postgres:{server().url('lived_in_too')}",), "is there already"),
    ):
        refused = command(*(word for name in names for word in ("--store", name)))
        assert said in str(refused.exception)
