"""Stores side by side: the figures of each, the plans of the server, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.postgres import ROLE, server
from text2mem.cli.main import cli
from text2mem.errors import StoreError
from text2mem_bench import store, writers
from text2mem_bench.synthetic import VOCABULARY, Synthetic, share, terms, word

SMALL = ("--n", "300", "--rounds", "9", "--writers", "2")


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["bench", "store", *arguments])


def there(schema: str) -> bool:
    found = server().admin.execute("SELECT to_regnamespace(%s) IS NOT NULL", (schema,)).fetchone()
    return bool(found[0])


def test_two_stores_in_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "BATCHED", 64)
    monkeypatch.setattr(store, "SINGLES", 8)
    monkeypatch.setattr(store, "GROUP", 32)
    url = server().url("measured").replace(f"{ROLE}@", f"{ROLE}:geheim@")
    plans, figure = tmp_path / "plans.md", tmp_path / "figure.svg"
    done = command(
        *SMALL, "--store", "sqlite", "--store", f"postgres:{url}", "--index", "--json",
        "--dimension", "32", "--plans", str(plans), "--figure", str(figure),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    head, *rows = map(json.loads, done.stdout.splitlines())
    assert head["postgres"].startswith("Postgres 1") and "fsync=off" in head["postgres"]
    assert "geheim" not in done.output + plans.read_text("utf-8")
    by_store: dict[str, set[str]] = {}
    for row in rows:
        by_store.setdefault(row["store"], set()).add(row["what"])
        assert row["p50"] > 0
    durable = "encode, one transaction each, synchronous=FULL"
    assert by_store["sqlite"] - {durable} == by_store["postgres"]
    assert {"hybrid search, by the index", "encode, 2 writers of one tenant"} < by_store["postgres"]
    assert by_store["this process"] == {"peak memory"}
    told = plans.read_text("utf-8")
    assert "## as_of" in told and "memory_tags_by_time" in told and "vectors_near_32" in told
    assert figure.read_text("utf-8").count("(postgres)") > 5
    assert not there("measured")


def test_what_is_there_is_not_measured_and_stays() -> None:
    url = server().prepared("lived_in")
    refused = command(*SMALL, "--store", f"postgres:{url}")
    assert "is there already" in str(refused.exception) and there("lived_in")
    for names, said in (
        (("sqlite", "sqlite"), "measured once"),
        (("sqlite:a.db",), "cannot be measured"),
        (("postgres:postgresql://bo:geheim@127.0.0.1:1/none",), "cannot open"),
    ):
        refused = command(*SMALL, *(word for name in names for word in ("--store", name)))
        assert said in str(refused.exception) and "geheim" not in repr(refused.exception)


def test_terms_are_as_rare_as_they_should_be() -> None:
    texts = [op.content.value for op in Synthetic(3).encodes(4_000)]
    assert all(isinstance(text, str) for text in texts)
    for rank in (0, 40, 400):
        held = sum(word(rank) in str(text).split() for text in texts) / len(texts)
        assert held == pytest.approx(share(rank), rel=0.35)
    assert share(0) > share(100) > share(VOCABULARY - 1) > 0
    assert len(set(terms(5e-3))) == 40


class Broken:
    """A place whose stores do not open."""

    name = "broken"

    def opened(self, tenant: str = "default", *, index: bool = False) -> Any:
        raise RuntimeError("no such place")


def test_a_writer_that_fails_is_said() -> None:
    with pytest.raises(StoreError, match="a writer of 2 failed: RuntimeError: no such place"):
        list(writers.at_once(1, Broken(), 2))  # type: ignore[arg-type]
