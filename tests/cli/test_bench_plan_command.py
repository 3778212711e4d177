"""bench plan: a run is scored, shown, kept, gone on with, and can be stopped at any time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import ROOT, Command, Terminal
from tests.cli.scripted_planner import JUDGE, MODEL
from text2mem_bench.cli.running_scores import Tally

CORPUS = ROOT / "fixtures" / "corpus" / "rows.jsonl"
PLAN = ("bench", "plan", CORPUS, "--model", MODEL)


def kept(folder: Path) -> list[Any]:
    """The rows of a run, of which each is whole."""
    text = (folder / "rows.jsonl").read_text("utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def config(folder: Path) -> Any:
    return json.loads((folder / "config.json").read_text("utf-8"))


def test_the_summary_is_one_document(text2mem: Command) -> None:
    done = text2mem(*PLAN)
    assert (done.code, done.err) == (0, "")
    found = done.json
    overall = found["summary"]["overall"]
    assert overall["n"] == 8
    # Encode and Delete are right, and the two Retrieves of one row among the others.
    assert overall["scores"]["op_exact"] == 3 / 8
    assert overall["scores"]["esr"] == 1
    assert overall["tokens"] == {"prompt": 1600, "output": 160, "cached": 0}
    assert found["config"]["model"] == MODEL
    assert found["config"]["left_out"] == ["illegal-zh-1"]
    assert found["config"]["data"]["name"] == "rows.jsonl"
    assert found["config"]["command"] == f"text2mem bench plan rows.jsonl --model {MODEL}"
    assert {row["model"]: row["note"] for row in found["published"]}["GPT-4o"] == (
        "published elsewhere, on another split"
    )
    assert found["summary"]["confusion"]["Promote"] == {"Retrieve": 1}


def test_a_person_reads_a_table(text2mem: Command) -> None:
    said = text2mem(*PLAN, "--split", "odd", terminal=True).out
    assert f"{MODEL} on rows.jsonl (9 rows), text2mem bench plan rows.jsonl" in said
    assert "--split odd" in said
    assert "\n  single " in said and "\n  Retrieve " in said
    assert "published elsewhere, on another split:\n" in said
    assert "\nGPT-4o              0.948  0.678  0.253               0.323\n" in said
    assert "judge" not in said
    floor = text2mem("bench", "plan", CORPUS, "--model", "floor:gold", "--text").out
    assert floor.startswith("floor:gold on rows.jsonl (9 rows), ")
    assert "6 executed, 1 illegal, 1 refused; 1 left out: illegal-zh-1\n" in floor
    assert "\n  workflow " in floor and "\n  Delete " in floor


def test_a_row_a_line_and_the_table_beside(text2mem: Command) -> None:
    done = text2mem(*PLAN, "--limit", "2", "--jsonl")
    assert [row["id"] for row in done.rows] == ["passed-en-1", "passed-en-2"]
    assert "published elsewhere" in done.err
    assert done.rows[1]["scores"]["row"] == 1


def test_a_judge_is_marked_as_one(text2mem: Command) -> None:
    done = text2mem(*PLAN, "--limit", "2", "--adjudicator", JUDGE, "--text")
    assert f"judge: the opinion of {JUDGE}, no measurement" in done.out
    row = text2mem(*PLAN, "--limit", "1", "--adjudicator", JUDGE, "--jsonl").rows[0]
    assert (row["scores"]["adjudicated"], row["adjudicator"]["model"]) == (0.5, JUDGE)


def test_floors_are_models_too(text2mem: Command, folder: Path) -> None:
    def scores(name: str, *more: str | Path) -> Any:
        return text2mem("bench", "plan", CORPUS, "--model", name, *more).json["summary"]["overall"]

    assert scores("floor:gold")["scores"]["op_exact"] == 1
    assert scores("floor:empty")["scores"]["esr"] == 0
    assert scores("floor:shuffled", "--seed", "1") == scores("floor:shuffled", "--seed", "1")
    other = folder / "other.jsonl"
    first = CORPUS.read_text("utf-8").splitlines()[:2]
    other.write_text("\n".join(first), "utf-8")
    near = text2mem("bench", "plan", CORPUS, "--model", "floor:nearest", "--neighbours", other)
    assert set(near.json["summary"]["ops"]) >= {"Encode", "Delete"}
    assert near.json["config"]["neighbours"]["rows"] == 2


def test_which_cases(text2mem: Command, folder: Path) -> None:
    def ids(*options: str | Path) -> list[str]:
        return [row["id"] for row in text2mem(*PLAN, *options, "--jsonl").rows]

    sample = ids("--sample", "3", "--seed", "2")
    assert len(sample) == 3
    assert sample == ids("--sample", "3", "--seed", "2")
    assert sorted(ids("--split", "even") + ids("--split", "odd")) == sorted(ids())
    (folder / "ids").write_text("missed-zh-1\npassed-en-2\n")
    assert ids("--ids", "ids") == ["passed-en-2", "missed-zh-1"]
    (folder / "ids").write_text("nobody\n")
    done = text2mem(*PLAN, "--ids", "ids")
    assert (done.code, "there is no case 'nobody'" in done.err) == (2, True)


def test_grounding_by_vectors(text2mem: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.conformance.toys import Outage, WordVectors
    from text2mem import opening

    def opened(spec: str) -> WordVectors | None:
        return None if spec == "none" else WordVectors({}, (0.0, 1.0), 0.5, Outage(), spec)

    monkeypatch.setattr(opening, "opened_embedder", opened)
    found = text2mem(*PLAN, "--limit", "2", "--ground-embedder", "toy").json
    assert (found["config"]["ground_embedder"], found["config"]["embedder"]) == ("toy", None)
    assert found["summary"]["overall"]["n"] == 2


def test_a_run_is_kept_and_goes_on(text2mem: Command, folder: Path) -> None:
    first = text2mem(*PLAN, "--out", "run")
    rows = kept(folder / "run")
    assert len(rows) == 8
    assert config(folder / "run")["finished"]
    path = folder / "run" / "rows.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    # Three rows and a torn one, as a power cut leaves them.
    path.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    again = text2mem(*PLAN, "--out", "run")
    assert [row["id"] for row in kept(folder / "run")] == [row["id"] for row in rows]
    for found in (first.json, again.json):
        for cell in found["summary"].values():
            if isinstance(cell, dict) and "seconds" in cell:
                del cell["seconds"]
    assert again.json["summary"]["overall"]["scores"] == first.json["summary"]["overall"]["scores"]
    assert len(config(folder / "run")["resumed"]) == 1
    done = text2mem(*PLAN, "--out", "run", "--seed", "1")
    assert (done.code, "holds another run: seed 0, not 1" in done.err) == (2, True)


def test_a_service_that_is_down_ends_it_and_the_cases_are_asked_again(
    text2mem: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAN_IS_DOWN", "1")
    done = text2mem(*PLAN, "--out", "run")
    assert done.code == 3
    assert "nobody is there" in done.err
    assert "3 of 9 cases are in run; to go on:" in done.err
    assert config(folder / "run")["finished"] is None
    monkeypatch.delenv("PLAN_IS_DOWN")
    assert text2mem(*PLAN, "--out", "run").code == 0
    assert {row["status"] for row in kept(folder / "run")} == {"executed"}


def test_a_bug_of_a_model_ends_it(text2mem: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAN_CRASHES", "1")
    for threads in ("1", "3"):
        done = text2mem(*PLAN, "--parallel", threads)
        assert (done.code, done.out) == (1, "")
        assert "unexpected RuntimeError: a bug of the model's code" in done.err
        assert "nothing is kept: there was no --out" in done.err


def test_several_at_a_time_where_the_profile_allows_it(text2mem: Command) -> None:
    done = text2mem(*PLAN, "--parallel", "4")
    assert (done.json["summary"]["overall"]["n"], done.err) == (8, "")
    floor = text2mem("bench", "plan", CORPUS, "--model", "floor:empty", "--parallel", "4")
    assert floor.err == "1 at a time: more would wait for the model\n"


@pytest.mark.parametrize("threads", ["1", "3"])
def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(
    threads: str, text2mem: Command, folder: Path, process_environment: dict[str, str]
) -> None:
    stopped = folder / "stopped"
    arguments = [str(word) for word in (*PLAN, "--out", folder / "a run", "--parallel", threads)]
    process = subprocess.Popen(
        [sys.executable, "-m", "text2mem", *arguments], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**process_environment, "PLAN_STOPS_AT": "3", "PLAN_STOPPED": str(stopped)},
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not (stopped.exists() and len(_lines(folder / "a run")) >= 2):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    done = [row["id"] for row in kept(folder / "a run")]
    assert f"{len(done)} of 9 cases are in {folder}/a run; to go on:\n" in err
    assert f"--out '{folder}/a run'" in err and err.endswith("interrupted\n")
    assert config(folder / "a run")["finished"] is None
    # One thread stands at its third case; of three, one stands and the others go on meanwhile.
    assert len(done) == 2 if threads == "1" else 2 <= len(done) <= 7
    assert text2mem(*arguments).code == 0
    rows = kept(folder / "a run")
    assert [row["id"] for row in rows][: len(done)] == done
    assert len({row["id"] for row in rows}) == len(rows) == 8


def _lines(folder: Path) -> list[bytes]:
    path = folder / "rows.jsonl"
    return path.read_bytes().splitlines() if path.exists() else []


def test_mistakes_of_the_caller(text2mem: Command, folder: Path) -> None:
    for options, said in (
        (("--model", "floor:sky", "--limit", "1"), "there is no 'floor:sky'"),
        (("--neighbours", CORPUS), "--neighbours is for the floors"),
        (("--without", "all"), "--without"),
        (("--limit", "0"), "--limit"),
        (("--split", "third"), "--split"),
        (("--embedder", "nobody:x"), "nobody"),
    ):
        done = text2mem(*PLAN, *options)
        assert (done.code, done.out) == (2, ""), options
        assert said in done.err, options
    (folder / "letter").write_text("dear")
    done = text2mem(*PLAN, "--out", folder)
    assert (done.code, "holds no run" in done.err) == (2, True)


@pytest.mark.skipif(os.name != "posix", reason="a terminal as POSIX has it")
def test_a_bar_shows_the_scores_so_far(terminal: Terminal) -> None:
    code, shown = terminal(*PLAN, "--limit", "2", stdout=subprocess.DEVNULL)
    assert code == 0
    assert b"2/2" in shown
    assert b"ops 1.000  ESR 1.000  EMR 1.000" in shown


def test_the_scores_so_far() -> None:
    row = {
        "status": "executed", "predicted": [{"op": "Lock"}],
        "scores": {"op_exact": 1, "esr": 1}, "checks": [{"held": True}, {"held": False}],
    }  # fmt: skip
    given_up = {**row, "status": "no-program", "predicted": None,
                "scores": {"op_exact": 0, "esr": 0}}  # fmt: skip
    assert str(Tally.of([row, given_up])) == "ops 0.500  ESR 0.500  EMR 0.250"
    assert str(Tally.of([{**row, "status": "service", "scores": {}}])) == (
        "ops 0.000  ESR 0.000  EMR 0.000"
    )
