"""Two runs held against each other: averages with intervals, and the cases that changed."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path
from typing import Any

import pytest

from text2mem.cli.main import main
from text2mem_bench.report import bootstrap
from text2mem_bench.report.compare import Comparison, compare
from text2mem_bench.report.run import ReportedRun, load
from text2mem_bench.scores import summarise

RUNS = Path(__file__).parents[2] / "fixtures" / "runs"
GROUNDED, UNGROUNDED = RUNS / "grounded", RUNS / "ungrounded"


def row(id_: str, status: str = "executed", **scores: float | None) -> dict[str, Any]:
    """A row of which only the scores matter."""
    return {
        "id": id_, "lang": "en", "instruction_type": "direct", "structure": "single",
        "utterance": "Lock it.", "gold": [{"op": "Lock"}], "gold_ops": ["Lock"], "ops": ["Lock"],
        "predicted": [{"op": "Lock"}], "status": status, "checks": [], "redrafts": 0,
        "usage": {"prompt_tokens": 0, "output_tokens": 0, "cached_tokens": 0}, "seconds": 0.0,
        "scores": scores,
    }  # fmt: skip


def made(label: str, *rows: dict[str, Any], sha256: str = "aa", **config: Any) -> ReportedRun:
    """A finished run of some rows."""
    known = {"data": {"name": "d.jsonl", "sha256": sha256}, "finished": "now", **config}
    return ReportedRun(label, label, known, rows, summarise(rows))


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """``text2mem bench compare`` with some arguments: exit code, stdout, stderr."""
    with pytest.raises(SystemExit) as ended:
        main(["bench", "compare", *map(str, arguments)])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


@pytest.fixture(scope="module")
def better() -> Comparison:
    """From the ungrounded run to the grounded one."""
    return compare(*load([UNGROUNDED, GROUNDED]))


# --- the interval --------------------------------------------------------------------------


def test_the_interval_is_where_normal_theory_has_it() -> None:
    source = random.Random(7)
    values = [source.gauss(0.2, 1.0) for _ in range(400)]
    low, high = bootstrap.interval(values)
    error = statistics.stdev(values) / 400**0.5
    assert low == pytest.approx(statistics.mean(values) - 1.96 * error, abs=0.01)
    assert high == pytest.approx(statistics.mean(values) + 1.96 * error, abs=0.01)


def test_the_interval_of_two_pairs_can_be_counted() -> None:
    # Resamples of (0, 1): mean 0, 1/2, 1 with the chances 1/4, 1/2, 1/4.
    assert bootstrap.interval([0.0, 1.0]) == (0.0, 1.0)
    assert bootstrap.interval([0.25] * 9) == (0.25, 0.25)
    with pytest.raises(ValueError, match="no pairs"):
        bootstrap.interval([])


def test_the_seed_decides_and_numpy_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(1)
    values = [source.choice([-1.0, 0.0, 0.0, 1.0, 0.125]) for _ in range(97)]
    first = bootstrap.interval(values, seed=3, resamples=2000)
    assert bootstrap.interval(values, seed=3, resamples=2000) == first
    assert bootstrap.interval(values, seed=4, resamples=2000) != first
    monkeypatch.setattr(bootstrap, "_numpy_is_there", lambda: False)
    assert bootstrap.interval(values, seed=3, resamples=2000) == first


# --- the comparison ------------------------------------------------------------------------


def test_means_and_signs_are_over_the_pairs_that_have_the_score() -> None:
    a = made("a", row("1", esr=1, emr=0.5), row("2", esr=0, emr=None), row("3", esr=1, emr=0))
    b = made("b", row("3", esr=0, emr=0.25), row("1", esr=1, emr=1), row("2", esr=1, emr=1))
    scores = {one.score: one for one in compare(a, b).differences}
    assert set(scores) == {"esr", "emr"}
    esr, emr = scores["esr"], scores["emr"]
    assert (esr.n, esr.better, esr.worse, esr.same) == (3, 1, 1, 1)
    assert (esr.a, esr.b, esr.difference) == pytest.approx((2 / 3, 2 / 3, 0))
    assert (emr.n, emr.a, emr.b, emr.difference) == (2, 0.25, 0.625, 0.375)
    assert (emr.low, emr.high) == (0.25, 0.5)
    assert (emr.better, emr.worse, emr.same) == (2, 0, 0)


def test_a_case_is_better_where_no_deciding_score_falls() -> None:
    a = made("a", *(row(str(n), esr=0, op_exact=1, kv_f1=0.5) for n in range(4)))
    b = made(
        "b", row("0", esr=1, op_exact=1, kv_f1=0), row("1", esr=0, op_exact=0, kv_f1=1),
        row("2", "refused", esr=1, op_exact=0, kv_f1=1), row("3", esr=0, op_exact=1, kv_f1=1),
    )  # fmt: skip
    changes = {change.id: change for change in compare(a, b).changes}
    assert {id_: change.direction for id_, change in changes.items()} == {
        "0": "better", "1": "worse", "2": "mixed",
    }  # fmt: skip
    assert (changes["0"].before, changes["0"].after) == ({"esr": 0.0}, {"esr": 1.0})
    assert changes["2"].statuses == ("executed", "refused")
    assert changes["2"].before == {"esr": 0.0, "op_exact": 1.0}


def test_what_cannot_be_compared_is_said() -> None:
    a = made("a", row("1", esr=1), row("2", esr=1), row("3", "service"))
    b = made("b", row("2", esr=1) | {"utterance": "?"}, sha256="bb", finished=None)
    compared = compare(a, b)
    assert (compared.common, compared.only_a, compared.only_b) == (1, 1, 0)
    assert compared.warnings == (
        "the runs are of different data: d.jsonl (sha256 aa), and d.jsonl (sha256 bb)",
        "only the cases that have scores in both are compared: 1 of 3 in a and 1 in b",
        "cases of the same id with another utterance: 1",
        "rows of a without scores, because a service was down: 1",
        "b is not finished",
    )
    same = compare(a, made("c", sha256="aa"))
    assert (same.common, same.differences, same.changes) == (0, (), ())
    assert compare(made("a", row("1", esr=1)), made("b", row("1", esr=1))).warnings == ()


def test_the_fixture_runs(better: Comparison) -> None:
    assert (better.a, better.b, better.common) == ("ungrounded", "grounded", 28)
    counts = [len(better.of(d)) for d in ("better", "worse", "mixed")]
    assert counts == [18, 4, 1]
    scores = {one.score: one for one in better.differences}
    assert scores["op_exact"].low > 0
    assert scores["esr"].low < 0 < scores["esr"].high
    for one in better.differences:
        assert one.low <= one.difference <= one.high
        assert one.better + one.worse + one.same == one.n


# --- the command ---------------------------------------------------------------------------


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str], better: Comparison) -> None:
    code, said, told = run(capsys, UNGROUNDED, GROUNDED, "--json")
    assert code == 0
    assert json.loads(said) == json.loads(json.dumps(better.as_dict()))
    found = json.loads(said)
    assert found["bootstrap"] == {"seed": 0, "resamples": 10_000, "level": 0.95}
    first = found["worse"][0]
    assert (first["id"], first["ops"]) == ("en-lock-1", ["Lock"])
    assert (first["before"]["row"], first["after"]["row"]) == (1.0, 0.0)
    assert "are compared: 28 of 30 in ungrounded and 30 in grounded" in told


def test_the_command_tells_people(capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run(capsys, GROUNDED, UNGROUNDED, "--text")
    assert code == 0
    lines = said.split("\n")
    assert lines[0] == "A = grounded, B = ungrounded: 28 cases in common"
    (ops,) = [line for line in lines if line.startswith("Op accuracy")]
    assert ops.split()[2:6] == ["28", "85.7", "46.4", "-39.3"]
    assert "worse: 18" in lines
    assert (
        "  en-workflow-2 (Lock → Retrieve, en, refused → executed): ESR 0 → 1" in lines
    )  # fmt: skip


def test_what_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, told = run(capsys, tmp_path, GROUNDED)
    assert code == 2
    assert "holds no run" in told
