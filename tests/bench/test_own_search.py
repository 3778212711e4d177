"""A framework's own search beside ours: figures of both, and what cannot be held against ours."""

from __future__ import annotations

import json

from click.testing import CliRunner, Result

from tests.postgres import server
from text2mem.cli.main import cli
from text2mem_bench.own_search import label


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["bench", "search", *arguments])


def test_both_searches_find_known_items() -> None:
    store = f"langgraph:{server().plain_url('searched')}"
    done = command("--store", store, "--n", "120", "--rounds", "9", "--json")
    assert done.exit_code == 0, done.output
    head, *rows = map(json.loads, done.stdout.splitlines())
    assert str(server().handle.pgdata) not in done.output
    assert head["command"].endswith("--store langgraph (postgresql)")
    assert {row["store"] for row in rows} == {"langgraph (postgresql)"}
    found = {row["what"]: row["p50"] for row in rows}
    ways = "ours", "the framework's, through the adapter", "the framework's, asked directly"
    for how in ("words", "paraphrases"):
        assert found[f"{how}: encode, calls of 256"] > 0
        for way in ways:
            assert found[f"{how}: search, {way}"] > 0
            assert found[f"{how}: found, {way}"] > 0.5
    # The same vectors, every one compared: both find the same.
    assert len({found[f"paraphrases: found, {way}"] for way in ways}) == 1
    left = server().admin.execute("SELECT count(*) FROM searched.store").fetchone()
    assert left[0] == 0


def test_what_has_no_search_of_its_own_is_refused() -> None:
    for stores, said in (
        (("sqlite",), "'sqlite' has no search of its own"),
        (("nothing",), "'nothing' has no search"),
        (("mem0", "mem0"), "measured once"),
        (("letta:http://localhost:1",), "Letta makes its vectors itself"),
    ):
        refused = command("--n", "100", *(w for store in stores for w in ("--store", store)))
        assert said in str(refused.exception)
    assert label("mem0:/home/me/notes") == "mem0"
