"""Text-to-SQL tasks: what the fixtures hold, what is made of them, and the world that they are."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from text2mem.errors import ConfigurationError
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem_bench.agent.loop import Action, Budget, Trajectory, play
from text2mem_bench.experience.environment import Posed
from text2mem_bench.sql.augment import variants
from text2mem_bench.sql.database import Database, Refused, connect, execute, read_database
from text2mem_bench.sql.environment import Expert, SqlEnvironment
from text2mem_bench.sql.tasks import Seed, Task, read_seeds, task_of
from text2mem_bench.sql.world import SqlWorld, answer, right

FIXTURES = Path(__file__).parents[2] / "fixtures" / "experience" / "sql"
HELD = {database.name: (database, seeds) for database, seeds in read_seeds(FIXTURES)}
ALL = [(database, seed) for database, seeds in HELD.values() for seed in seeds]
SILENT = FunctionProvider(lambda _: pytest.fail("nobody is to be asked"))

SCHEMA = """
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price REAL, weight REAL);
CREATE TABLE sale (id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES product(id), day TEXT);
"""
ROWS = """
INSERT INTO product VALUES (1, 'Rye', 4.5, 800), (2, 'Spelt', 5.2, 750), (3, 'Bun', 1.1, 80);
INSERT INTO sale VALUES (1, 1, '2026-03-01'), (2, 3, '2026-03-02');
"""
ABOUT = {
    "spoken": {
        "product.id": "number", "product.name": "name", "product.price": "price",
        "product.weight": "weight", "sale.id": "number", "sale.product_id": "product",
        "sale.day": "day",
    },
    "knowledge": [{"term": "slow mover", "means": "a product without a sale"}],
}  # fmt: skip
DEAR: dict[str, Any] = {
    "id": "bakery-1", "kind": "READ",
    "sql": "SELECT name FROM product WHERE price > 2 ORDER BY price DESC LIMIT 2",
    "request": "Name the {n} {order} products that cost {floor}.",
    "parts": [
        {"slot": "n", "sql": "LIMIT 2", "says": "2"},
        {"slot": "order", "sql": "ORDER BY price DESC", "says": "dearest", "turned": "cheapest"},
        {"slot": "floor", "sql": "price > 2", "says": "more than 2", "vague": "proper money",
         "type": "semantic", "answer": "Anything that costs more than 2."},
    ],
    "then": {"kind": "WRITE", "sql": "UPDATE product SET price = 1 WHERE price > 2",
             "request": "Let go of whatever costs {floor} for 1.",
             "parts": [{"slot": "floor", "sql": "price > 2", "says": "more than 2"}]},
}  # fmt: skip


@pytest.fixture
def bakery(tmp_path: Path) -> Database:
    folder = tmp_path / "bakery"
    folder.mkdir()
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "rows.sql").write_text(ROWS)
    (folder / "about.json").write_text(json.dumps(ABOUT))
    (folder / "seeds.jsonl").write_text(json.dumps(DEAR) + "\n")
    return read_database(folder)


def dear(**changes: Any) -> Seed:
    return Seed.model_validate({**DEAR, **changes})


def acting(*actions: dict[str, str]) -> FunctionProvider:
    """A model that does these in order."""
    left = iter(actions)
    return FunctionProvider(lambda _: next(left))


def attempt(task: Task, *actions: dict[str, str], budget: Budget | None = None) -> Trajectory:
    with task.database.opened() as connection:
        return play(SqlWorld(task, connection, acting(*actions)), budget=budget)


# --- the fixtures --------------------------------------------------------------------------


def test_there_are_eight_databases_of_twenty_four_seeds_and_every_kind_of_ambiguity() -> None:
    assert {len(seeds) for _, seeds in HELD.values()} == {24}
    assert len(HELD) == 8
    types = {part.type for _, seed in ALL for part in seed.parts if part.vague}
    assert len(types) == 8
    kinds = [phase.kind for _, seed in ALL for phase in (seed, seed.then)]
    assert {kinds.count("READ"), kinds.count("WRITE")} == {213, 171}


@pytest.mark.parametrize(("database", "seed"), ALL, ids=[seed.id for _, seed in ALL])
def test_an_expert_solves_every_task_and_what_follows(database: Database, seed: Seed) -> None:
    for vague in (False, True):
        task = task_of(seed, database, vague=vague)
        assert task.then is not None
        with database.opened() as connection:
            first = play(Expert(task, connection, SILENT))
            assert first.solved, [step.written for step in first.steps]
            assert play(Expert(task.then, connection, SILENT)).solved
        asked = [step for step in first.steps if step.cost in ("ask", "free")]
        assert bool(asked) is bool(task.open)
        assert all(step.observation.ok for step in asked)


def test_what_is_made_of_a_seed_runs_comes_out_otherwise_and_says_so() -> None:
    many = 0
    for database, seed in ALL:
        for made in variants(seed, database, 3, random_seed=0):
            many += 1
            assert made.sql != seed.sql
            full = task_of(made, database, vague=False)
            with database.opened() as connection:
                assert right(full.sql, full, connection)
                assert not right(seed.sql, full, connection)
            assert full.request != task_of(seed, database, vague=False).request
    assert many > 300


def test_numbers_of_a_request_stand_in_its_query() -> None:
    for database, seed in ALL:
        for made in variants(seed, database, 3, random_seed=0):
            for before, after in zip(seed.parts, made.parts, strict=True):
                changed = re.findall(r"\d+", after.says) != re.findall(r"\d+", before.says)
                if changed:
                    assert re.findall(r"\d+", after.says) == re.findall(r"\d+", after.sql)


# --- what is made of a seed ----------------------------------------------------------------


def test_the_query_is_changed_first_and_the_words_with_it(bakery: Database) -> None:
    made = variants(dear(), bakery, 6, random_seed=1)
    said = {each.said(vague=False): each.sql for each in made}
    assert "Name the 2 cheapest products that cost more than 2." in said
    for request, sql in said.items():
        assert ("cheapest" in request) is ("ASC" in sql)
        number = re.search(r"more than (\d+)", request)
        assert number is not None
        assert f"price > {number[1]} " in sql
    assert made == variants(dear(), bakery, 6, random_seed=1)
    assert made != variants(dear(), bakery, 6, random_seed=2)


def test_what_follows_is_changed_alike(bakery: Database) -> None:
    made = variants(dear(), bakery, 6, random_seed=1)
    moved = [each for each in made if "price > 2" not in each.sql]
    assert moved
    for each in moved:
        floor = next(part.sql for part in each.parts if part.slot == "floor")
        assert floor in each.then.sql
        assert each.then.parts[0].says in each.then.said(vague=False)


def test_a_column_becomes_another_one_of_its_kind_and_never_a_key(bakery: Database) -> None:
    seed = dear(
        sql="SELECT price FROM product WHERE name = 'Rye'",
        request="What is the {what} of Rye?",
        parts=[{"slot": "what", "sql": "price", "says": "price", "column": "product.price"}],
        then={"kind": "READ", "sql": "SELECT name FROM product", "request": "And the names?"},
    )
    made = variants(seed, bakery, 4, random_seed=0)
    assert [each.sql for each in made] == ["SELECT weight FROM product WHERE name = 'Rye'"]
    assert made[0].said(vague=False) == "What is the weight of Rye?"


def test_what_finds_nothing_is_thrown_away(bakery: Database) -> None:
    assert all("price > 6" not in each.sql for each in variants(dear(), bakery, 9, random_seed=3))


# --- the guard -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE product", "CREATE TABLE t (a)", "ATTACH DATABASE '/tmp/x.db' AS x",
        "PRAGMA writable_schema = 1", "DELETE FROM product; DELETE FROM sale", "VACUUM",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
        "SELECT zeroblob(100000000)", "SELECT load_extension('x')", "nonsense", "",
        "SELECT '\ud800'",
        "BEGIN", "SELECT 1\0",
    ],
)  # fmt: skip
def test_nothing_but_rows_can_be_read_and_changed(bakery: Database, sql: str) -> None:
    with bakery.opened() as connection:
        before = bakery.contents(connection)
        try:
            rows: Sequence[tuple[object, ...]] = execute(connection, sql)
        except Refused:
            rows = []
        assert rows == []
        assert bakery.contents(connection) == before


def test_an_attempt_never_changes_another_one(bakery: Database) -> None:
    with bakery.opened() as one, bakery.opened() as other:
        execute(one, "DELETE FROM sale")
        assert bakery.contents(one) != bakery.contents(other)


# --- the user ------------------------------------------------------------------------------


def test_the_user_answers_what_is_asked_and_no_more(bakery: Database) -> None:
    task = task_of(dear(), bakery, vague=True)
    text, part = answer("What is proper money?", task.open)
    assert (text, part) == ("Anything that costs more than 2.", task.open[0])
    text, part = answer("Are you well?", task.open)
    assert part is None
    assert "2" not in text
    assert answer("What is proper money?", ())[1] is None


# --- the world -----------------------------------------------------------------------------


def test_a_request_is_solved_by_asking_trying_and_submitting(bakery: Database) -> None:
    task = task_of(dear(), bakery, vague=True)
    played = attempt(
        task,
        {"do": "ask", "question": "What is proper money?"},
        {"do": "execute", "sql": task.sql},
        {"do": "submit"},
    )
    assert played.solved
    assert [step.cost for step in played.steps] == ["ask", "try", "submit"]
    assert played.steps[1].observation.text == "Spelt\nRye"


def test_the_rows_count_and_their_order_where_it_was_asked_for(bakery: Database) -> None:
    task = task_of(dear(), bakery, vague=False)
    with bakery.opened() as connection:
        assert right("SELECT name FROM product WHERE id < 3 ORDER BY price DESC", task, connection)
        assert not right("SELECT name FROM product WHERE id < 3 ORDER BY price", task, connection)
        assert not right("SELECT name, price FROM product WHERE id < 3", task, connection)
        assert not right("DELETE FROM sale RETURNING id", task, connection)


def test_a_write_is_right_by_what_it_leaves(bakery: Database) -> None:
    task = task_of(dear(), bakery, vague=False).then
    assert task is not None
    with bakery.opened() as connection:
        assert right("UPDATE product SET price = 1 WHERE id IN (1, 2)", task, connection)
        assert not right("UPDATE product SET price = 1", task, connection)
        assert not right("SELECT * FROM product", task, connection)


def test_looking_up_tells_words_of_the_house_columns_and_tables(bakery: Database) -> None:
    task = task_of(dear(), bakery, vague=False)
    with bakery.opened() as connection:
        world = SqlWorld(task, connection, SILENT)
        seen = [world.act(Action("schema", what)) for what in ("slow mover", "name", "sale", "x y")]
    assert [each.text for each in seen[:3]] == [
        "slow mover: a product without a sale", "product.name: Rye, Spelt, Bun",
        "sale(id, product_id -> product.id, day)",
    ]  # fmt: skip
    assert [each.ok for each in seen] == [True, True, True, False]


def test_a_model_can_do_what_there_is_budget_for(bakery: Database) -> None:
    task = task_of(dear(), bakery, vague=False)
    offered: list[list[str]] = []

    def model(request: Request) -> dict[str, str]:
        assert request.schema is not None
        names = [form["properties"]["do"]["const"] for form in request.schema["anyOf"]]
        offered.append(names)
        return (
            {"do": "execute", "sql": f"SELECT {len(offered)}"}
            if "execute" in names
            else {"do": "submit"}
        )

    with bakery.opened() as connection:
        played = play(SqlWorld(task, connection, FunctionProvider(model)))
    assert offered[0] == ["schema", "execute", "ask"]
    assert offered[1] == ["schema", "ask", "submit"]
    assert [step.action.name for step in played.steps] == ["execute", "submit"] * 3
    assert not played.solved


def test_an_error_of_the_database_is_an_observation(bakery: Database) -> None:
    task = task_of(dear(), bakery, vague=False)
    bad = {"do": "execute", "sql": "SELECT cost FROM product"}
    played = attempt(task, bad, {"do": "execute", "sql": task.sql}, {"do": "submit"})
    assert played.steps[0].observation.text == "error: no such column: cost"
    assert played.solved


def test_what_is_no_action_counts_as_a_turn(bakery: Database) -> None:
    task = task_of(dear(), bakery, vague=False)
    with bakery.opened() as connection:
        played = play(SqlWorld(task, connection, FunctionProvider(lambda _: "no json")))
    assert [step.action.name for step in played.steps] == ["none", "none"]


# --- the environment -----------------------------------------------------------------------


def test_tasks_of_evaluation_are_none_of_the_others() -> None:
    environment = SqlEnvironment(FIXTURES, SILENT)
    remembered = {each.seed for each in environment.remembered()}
    training = {each.task.sql for each in environment.training()}
    judged = environment.evaluation()
    assert not {each.task.sql for each in judged} & training
    assert not {each.id for each in judged} & remembered
    fresh = {each.task.seed for each in judged if each.group == "new"}
    assert not fresh & {each.split(".")[0] for each in remembered}
    assert len(judged) >= 300
    assert len(training) >= 90


def test_what_follows_is_played_where_the_request_was_solved(
    bakery: Database, tmp_path: Path
) -> None:
    task = task_of(dear(), bakery, vague=False)
    assert task.then is not None
    model = acting(
        {"do": "execute", "sql": task.sql}, {"do": "submit"},
        {"do": "execute", "sql": task.then.sql}, {"do": "submit"},
    )  # fmt: skip
    posed = Posed(task.id, task.seed, "again", task.kind, task)
    played = SqlEnvironment(tmp_path, model).played(posed, None, Budget())
    assert played.first.solved
    assert played.then is not None
    assert played.then.solved


@pytest.fixture(params=["no files", "bad json", "a part that is not in the query"])
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / "one"
    if request.param != "no files":
        folder.mkdir()
        for name, text in (
            ("schema.sql", SCHEMA),
            ("rows.sql", ROWS),
            ("about.json", json.dumps(ABOUT)),
        ):
            (folder / name).write_text(text)
        wrong = {**DEAR, "sql": "SELECT 1"}
        text = "{" if request.param == "bad json" else json.dumps(wrong)
        (folder / "seeds.jsonl").write_text(text)
    return tmp_path


def test_tasks_that_cannot_be_read_are_an_error_of_ours(broken: Path) -> None:
    with pytest.raises(ConfigurationError):
        list(read_seeds(broken))


def test_a_connection_is_a_copy(bakery: Database) -> None:
    with closing(connect(bakery.image)) as connection:
        execute(connection, "DELETE FROM sale")
        with pytest.raises(sqlite3.DatabaseError):
            connection.execute("CREATE TABLE t (a)")
    with bakery.opened() as connection:
        assert execute(connection, "SELECT count(*) FROM sale") == [(2,)]
