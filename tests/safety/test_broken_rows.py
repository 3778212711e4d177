"""A row that cannot be read stops nobody else: what is broken of it is set aside and reported."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.store.programs import NOW, context, done, encode, on, read
from text2mem import Memory
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.cli import doctor_
from text2mem.clock import SetClock
from text2mem.errors import ConfigurationError, ValidationError
from text2mem.ir.ops import ByFilter, Content, Encode
from text2mem.ledger.episode import Message
from text2mem.ledger.writing import in_one_transaction

BROKEN = [
    ("facets", "oops"), ("read_whitelist", "{"), ("write_blacklist", "["), ("tags", "[1"),
    ("tags", '"kept"'), ("expire_at", "soon"), ("lock_policy", "3"), ("created_at", "x"),
    ("payload", "[]"), ("sources", "}"), ("facets", '{"n": Infinity}'), ("tags", "[5]"),
    ("lock_policy", '{"deny": 3}'), ("sources", "[3]"), ("lineage_parents", "[{}]"),
    ("demoted_from", '{"owner": "eve"}'), ("demoted_from", '{"weight": [1]}'), ("weight", "much"),
    ("expire_action", b"\xff"), ("type", b"\xff"), ("owner", b"\xff"), ("lock_mode", b"\xff"),
]  # fmt: skip


def broken(path: Path, column: str, held: str | bytes) -> tuple[Memory, SetClock]:
    """A store of three memories, the first of them broken, the last one to be erased in a day."""
    clock = SetClock(NOW)
    asked = context(clock=clock)
    memory = Memory(SqliteAdapter(path), context=asked, embedder="none")
    done(memory, encode("alpha one", tags=["kept"]), encode("beta", facets={"a": 1}))
    done(memory, encode("gamma"), on("Expire", ["$1"], ttl="P1D", on_expire="hard_delete"))
    with sqlite3.connect(path) as connection:
        broken = f"UPDATE memories SET {column} = ? WHERE id = 1"  # noqa: S608  (of BROKEN)
        connection.execute(broken, (held,))
    connection.close()
    clock.at = NOW + timedelta(days=2)
    return memory, clock


@pytest.mark.parametrize(("column", "held"), BROKEN)
def test_one_broken_row_stops_no_read_and_no_tick(
    column: str, held: str | bytes, tmp_path: Path
) -> None:
    memory, _ = broken(tmp_path / "store.db", column, held)
    with memory:
        by_facet = {"filter": {"facets": {"a": 1}}}
        assert [row["id"] for row in done(memory, read(by_facet)).results[0].rows] == ["2"]
        assert {record.id for record in memory.view().recent()} == {"1", "2"}
        assert memory.view().tags() == ["kept"]
        ticked = memory.tick()
        shown = memory.show("1")
        assert shown is not None and shown.text == "alpha one" and shown.tags == ("kept",)
        assert memory.show("3") is None
        if column != "facets" or held == "oops":
            assert memory.adapter.set_aside() == [("1", column)]
        assert (memory.history("1") and not ticked.changes) or ticked.expired in ((), ("3",))


FIRST: Mapping[str, Callable[[Memory], object]] = {
    "undo": lambda m: m.undo(m.log()[-1].trace_id).checked(),
    "execute_many": lambda m: [
        each.checked() for each in m.execute_many([[encode("x")], [on("Label", ["1"], tags=["y"])]])
    ],
    "encode_many": lambda m: m.encode_many(
        [Encode(content=Content("text", "x"), lineage_parents=("1",))]
    ),
    "reindex": lambda m: m.reindex(),
    "observe": lambda m: m.observe("I live in Bergen."),
    "programs in one transaction": lambda m: in_one_transaction(
        m.ledger, lambda run: run([on("Label", ["1"], tags=["y"])])
    ),
    "recall": lambda m: m.recall("where do I live?"),
    "export": lambda m: m.export("user"),
    "stats": lambda m: m.stats(),
    "get": lambda m: m.get("1"),
    "search": lambda m: m.search("alpha"),
    "list": lambda m: m.list(),
    "filter": lambda m: m.view().select(ByFilter(has_tags=("kept",))),
    "vocabulary": lambda m: m.view().vocabulary(),
}


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("column", ["facets", "lock_policy", "time", "tags"])
def test_whatever_meets_it_first_goes_on(first: str, column: str, tmp_path: Path) -> None:
    memory, clock = broken(tmp_path / "store.db", column, "{broken")
    clock.at = NOW
    with memory:
        FIRST[first](memory)


@pytest.mark.parametrize("first", ["program", "tick", "view", "show"])
def test_whoever_meets_it_first_is_told(first: str, tmp_path: Path) -> None:
    memory, _ = broken(tmp_path / "store.db", "lock_policy", "{")
    told = "memory 1: lock_policy could not be read, and set aside"
    with memory:
        if first == "program":
            assert told in done(memory, read({"all": True})).results[0].warnings
        elif first == "tick":
            done(memory, on("Promote", ["2"], remind={"at": "2026-03-05T00:00:00Z"}))
            memory.view().recent()
            assert told in memory.tick().warnings
        elif first == "view":
            memory.view().recent()
            assert told in done(memory, encode("delta")).results[0].warnings
        else:
            assert memory.show("1") is not None
    outcome = CliRunner().invoke(
        doctor_.command, ["--db", str(tmp_path / "store.db"), "--json"], standalone_mode=False
    )
    assert "could not be read and is set aside: lock_policy of memory 1" in outcome.output


def test_what_is_set_aside_closes_a_memory_whose_rights_were_lost(tmp_path: Path) -> None:
    memory, _ = broken(tmp_path / "store.db", "read_blacklist", "[bob")
    with memory:
        done(memory, read({"all": True}))
        shown = memory.show("1")
        assert shown is not None and shown.read_perm_level == "private"


def test_what_is_set_aside_is_erased_with_its_memory(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    memory, _ = broken(path, "facets", "a word of mine")
    with memory:
        done(memory, read({"all": True}))
        assert b"a word of mine" in path.read_bytes() + _log(path)
        done(memory, on("Delete", ["1"], soft=False))
        assert b"a word of mine" not in path.read_bytes() + _log(path)
        assert memory.adapter.set_aside() == []


def test_a_journal_that_cannot_be_read_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    memory, _ = broken(path, "tags", '["kept"]')
    with memory:
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE journal SET changes = 'oops' WHERE id = 3")
        connection.close()
        assert memory.tick().expired == ("3",)


def _log(path: Path) -> bytes:
    log = path.with_name(path.name + "-wal")
    return log.read_bytes() if log.exists() else b""


# --- what is refused at the doors -----------------------------------------------------------


@pytest.mark.parametrize(
    "number",
    [float("nan"), float("inf"), float("-inf"), 10**400, 10**5000],
    ids=["nan", "inf", "-inf", "long", "longer"],
)
@pytest.mark.parametrize(
    "args",
    [
        {"payload": {"structured": {"text": "x", "n": None}}},
        {"payload": {"text": "x", "n": None}},
        {"payload": {"text": "x"}, "facets": {"n": None}},
        {"payload": {"structured": {"subject": "a", "attribute": "b", "value": None}}},
    ],
    ids=["structured", "beside the text", "facets", "a fact"],
)  # fmt: skip
def test_a_number_that_is_not_finite_is_refused(args: dict[str, Any], number: float) -> None:
    with Memory("memory:", embedder="none") as memory, pytest.raises(ValidationError) as refused:
        memory.execute([{"stage": "ENC", "op": "Encode", "args": _filled(args, number)}])
    code = "out-of-range" if isinstance(number, int) else "not-finite"
    assert code in {d.code for d in refused.value.diagnostics}


def _filled(held: Any, number: float) -> Any:
    if isinstance(held, dict):
        return {key: _filled(value, number) for key, value in held.items()}
    return number if held is None else held


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_message_with_such_a_number_is_refused(number: float) -> None:
    with pytest.raises(ConfigurationError, match=r"/structured/a/1 not a finite number"):
        Message.of({"role": "tool", "structured": {"a": [1, number]}})


def test_a_number_without_end_is_found_below_a_key_that_is_none() -> None:
    held = {"op": "Encode", "args": [{"\ud83d": 10**4318}]}
    with Memory("memory:", embedder="none") as memory, pytest.raises(ValidationError) as refused:
        memory.execute([held])
    assert {d.code for d in refused.value.diagnostics} == {"not-unicode", "out-of-range"}


def test_an_id_without_end_is_refused() -> None:
    endless = {"stage": "STO", "op": "Delete", "target": {"ids": [10**4300]}, "args": {}}
    with Memory("memory:", embedder="none") as memory, pytest.raises(ValidationError) as refused:
        memory.execute([endless])
    assert {d.code for d in refused.value.diagnostics} == {"out-of-range"}


@pytest.mark.parametrize("levels", [70, 900, 5000])
def test_what_is_nested_too_deeply_is_refused(levels: int) -> None:
    deep: dict[str, Any] = {}
    for _ in range(levels):
        deep = {"a": deep}
    instance = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "x"}, "facets": deep}}
    with Memory("memory:", embedder="none") as memory:
        with pytest.raises(ValidationError) as refused:
            memory.execute([instance])
        assert {d.code for d in refused.value.diagnostics} == {"too-deep"}
        with pytest.raises(ConfigurationError, match="nested deeper than"):
            memory.observe({"role": "tool", "structured": deep})
