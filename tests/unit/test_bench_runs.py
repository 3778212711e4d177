"""A run's folder: kept row by row, gone on with where it stood, and of one run only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from text2mem.errors import ConfigurationError
from text2mem_bench.runs import CONFIG, ROWS, data_of, open_run, read_run

IDENTITY = {"kind": "plan", "model": "function:x", "seed": 0, "limit": None}


def row(id_: str, status: str = "executed") -> dict[str, Any]:
    return {"id": id_, "status": status, "said": "茶\n"}


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A run of two rows that was interrupted."""
    folder = tmp_path / "run"
    with open_run(folder, IDENTITY, "the command") as run:
        run.append(row("a"))
        run.append(row("b"))
    return folder


def test_a_row_is_there_as_soon_as_it_is_appended(tmp_path: Path) -> None:
    with open_run(tmp_path / "deep" / "run", IDENTITY, "the command") as run:
        run.append(row("a"))
        kept = (tmp_path / "deep" / "run" / ROWS).read_bytes()
        assert kept.endswith(b"\n") and "茶".encode() in kept
        assert json.loads(kept) == row("a")


def test_a_finished_run_says_so(begun: Path) -> None:
    config, rows = read_run(begun)
    assert config["finished"] is None and config["command"] == "the command"
    assert {key: config[key] for key in IDENTITY} == IDENTITY
    assert {"processor", "revision"} <= set(config["machine"])
    with open_run(begun, IDENTITY, "the command") as run:
        run.finish(left_out=["x"])
    config, again = read_run(begun)
    assert config["finished"] >= config["started"]
    assert config["left_out"] == ["x"]
    assert again == rows


def test_it_goes_on_where_it_stood(begun: Path) -> None:
    with open_run(begun, IDENTITY, "another way to say it") as run:
        assert run.done == {"a", "b"}
        run.append(row("c"))
    config, rows = read_run(begun)
    assert [one["id"] for one in rows] == ["a", "b", "c"]
    assert config["command"] == "the command"
    assert [set(once) for once in config["resumed"]] == [{"at", "revision"}]


@pytest.mark.parametrize("torn", [b'{"id": "c", "sta', b"{}", b"\xe8\x8c"])
def test_a_torn_last_line_is_dropped(begun: Path, torn: bytes) -> None:
    whole = (begun / ROWS).read_bytes()
    (begun / ROWS).write_bytes(whole + torn)
    assert [one["id"] for one in read_run(begun)[1]] == ["a", "b"]
    with open_run(begun, IDENTITY, "the command") as run:
        assert run.done == {"a", "b"}
        run.append(row("c"))
    assert (begun / ROWS).read_bytes().startswith(whole + b'{"id": "c"')


def test_a_case_without_an_answer_is_asked_again(begun: Path) -> None:
    with open_run(begun, IDENTITY, "the command") as run:
        run.append(row("c", "service"))
    assert len(read_run(begun)[1]) == 3
    with open_run(begun, IDENTITY, "the command") as run:
        assert run.done == {"a", "b"}
        run.append(row("c"))
    assert [one["status"] for one in read_run(begun)[1]] == ["executed"] * 3


def test_of_two_rows_of_a_case_the_first_counts(begun: Path) -> None:
    with open_run(begun, IDENTITY, "the command") as run:
        run.append({**row("a"), "said": "later"})
    assert read_run(begun)[1] == [row("a"), row("b")]


def test_another_run_is_not_gone_on_with(begun: Path) -> None:
    other = {**IDENTITY, "seed": 1, "model": "function:y"}
    with (
        pytest.raises(ConfigurationError, match="model 'function:x', not 'function:y'; seed 0"),
        open_run(begun, other, "the command"),
    ):
        pass


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with (
        pytest.raises(ConfigurationError, match="not empty, and holds no run"),
        open_run(tmp_path, IDENTITY, "the command"),
    ):
        pass
    with pytest.raises(ConfigurationError, match="holds no run"):
        read_run(tmp_path)


@pytest.mark.parametrize("line", [b"no JSON\n", b"[]\n", b'{"status": "executed"}\n'])
def test_a_broken_line_in_the_middle_is_an_error(begun: Path, line: bytes) -> None:
    (begun / ROWS).write_bytes(line + (begun / ROWS).read_bytes())
    with pytest.raises(ConfigurationError, match="line 1: not a row"):
        read_run(begun)


def test_a_config_that_is_none_is_an_error(begun: Path) -> None:
    (begun / CONFIG).write_text("[]")
    with pytest.raises(ConfigurationError, match="not an object"):
        read_run(begun)


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_run(None, IDENTITY, "the command") as run:
        run.append(row("a"))
        run.finish()
    assert run.done == {"a"} and run.config["finished"]
    assert list(tmp_path.iterdir()) == []


def test_data_is_known_by_its_hash(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b"abc")
    assert data_of(tmp_path / "rows.jsonl", 3) == {
        "name": "rows.jsonl", "rows": 3,
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    }  # fmt: skip
    with pytest.raises(ConfigurationError, match="cannot read"):
        data_of(tmp_path / "nowhere", 0)
