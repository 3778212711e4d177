"""Replayed dialogues: how values compare, files, runs, the command, and the shipped ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.bench.tiny_dialogue import CASES, FOLDER, TINY, WRONG, Json, played, tiny
from text2mem import Memory
from text2mem.cli.main import cli
from text2mem.errors import ConfigurationError
from text2mem_bench.episodes.asking import DEPTHS
from text2mem_bench.episodes.cases import read_cases
from text2mem_bench.episodes.comparing import Comparison
from text2mem_bench.episodes.play import Players, play
from text2mem_bench.episodes.table import markdown
from text2mem_bench.episodes.tally import f1, summarise

# --- comparing -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "one", "other", "alike"),
    [
        ("city", "Porto", "porto.", True),
        ("pets", "a cat", "The Cat", True),
        ("passport_deadline", "2026-06-30", "30 June 2026", True),
        ("passport_deadline", "2026-06-30", "2026-06-03", False),
        ("port", 8080, "8080", True),
        ("port", 8080, 8080.0, True),
        ("branch", "3.10", "3.1", False),
        ("phone", "+1 (555) 010-7788", "+15550107788", True),
        ("city", "苏州", "苏州。", False),
        ("active", True, "true", True),
        ("active", True, 1, False),
        ("city", "the Old Town", "old town", True),
    ],
)
def test_values_are_compared_as_the_readme_says(
    attribute: str, one: Any, other: Any, alike: bool
) -> None:
    compare = Comparison(tiny())
    assert (compare.value(attribute, one) == compare.value(attribute, other)) is alike


def test_aliases_count_as_the_gold_spelling() -> None:
    compare = Comparison(tiny(aliases={
        "subjects": {"ada": ["Ada Reis"]}, "attributes": {"city": ["home town"]},
        "values": {"Lisbon": ["Lisboa"]},
    }))  # fmt: skip
    gold = compare.key("ada", "city", "Lisbon")
    assert compare.key("Ada Reis", "Home-Town", "lisboa") == gold
    assert compare.key("ada reis", "city", "Porto") != gold


# --- files, runs, command ------------------------------------------------------------------


def written(folder: Path, document: Any, name: str = "case.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(document), "utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"zone": "Mars/Olympus"}, "no zone"),
        ({"colour": "red"}, "/colour"),
        ({"now": "2026-02-01T00:00:00"}, "/now"),
        ({"ledger": [{"after": "e99", "tenant": "home", "facts": []}]}, "no episode 'e99'"),
        ({"questions": [{**TINY["questions"][0], "tenant": "away"}]}, "'away' has no episode"),
        ({"sessions": [*TINY["sessions"], TINY["sessions"][0]]}, "same episode"),
    ],
)
def test_a_file_that_is_no_dialogue_is_refused(changes: Json, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, {**TINY, **changes})
    with pytest.raises(ConfigurationError) as error:
        read_cases([path])
    assert str(path) in error.value.message and said in error.value.message


def test_dialogues_are_chosen_by_split_and_number() -> None:
    assert len(CASES) == 18
    tune = read_cases([FOLDER], split="tune")
    held = read_cases([FOLDER], split="held-out")
    assert {case.id for case in tune} | {case.id for case in held} == {case.id for case in CASES}
    assert [case.id for case in read_cases([FOLDER], split="tune", limit=2)] == [
        case.id for case in tune[:2]
    ]
    with pytest.raises(ConfigurationError, match="another dialogue"):
        read_cases([FOLDER / "mira.json", FOLDER])


@pytest.mark.parametrize("id_", [case.id for case in CASES])
def test_the_gold_of_the_shipped_dialogues_is_right_in_everything_but_words_and_idle_turns(
    id_: str,
) -> None:
    (case,) = (case for case in CASES if case.id == id_)
    row = play(case, Players(gold=True))
    in_words = ("words", "not known", *(f"recall@{depth}" for depth in DEPTHS))
    stating = {turn.episode for _, turn in case.turns if turn.gold}
    lost = {miss["expected"] for miss in row["misses"] if miss["figure"] == "kept: episodes"}
    assert lost.isdisjoint(stating)
    wrong = {
        figure: counts
        for figure, counts in row["shares"].items()
        if counts[0] < counts[1] and not figure.startswith((*in_words, "kept: episodes"))
    }
    assert wrong == {}


def test_a_play_is_the_same_every_time() -> None:
    one, other = (replace_times(played(WRONG)) for _ in range(2))
    assert one == other


def replace_times(row: Json) -> Json:
    return {**row, "times": sorted(row["times"])}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["bench", "replay-episodes", *arguments])


def test_the_command_prints_figures_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    folder, out = tmp_path / "cases", str(tmp_path / "run")
    folder.mkdir()
    written(folder, TINY)
    written(folder, {**TINY, "id": "other"}, "other.json")
    written(folder, {"attributes": {}}, "registry.json")
    first = run(str(folder), "--gold", "--limit", "1", "--json")
    assert json.loads(first.stdout)["summary"]["dialogues"] == 1
    whole = run(str(folder), "--gold", "--out", out, "--json")
    told = json.loads(whole.stdout)
    assert told["summary"]["extraction"]["all"]["f1"] == 1.0
    assert told["config"]["model"] == "gold"
    rows = (tmp_path / "run" / "rows.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "run" / "rows.jsonl").write_text(rows[0] + "\n", "utf-8")
    again = run(str(folder), "--gold", "--out", out, "--jsonl")
    assert [json.loads(line)["id"] for line in again.stdout.splitlines()] == ["tiny"]
    assert "| all | 1.000 | 1.000 | 1.000 | 8 | 8 |" in again.stderr
    refused = run(str(folder), "--model", "code", "--out", out)
    assert isinstance(refused.exception, ConfigurationError)
    assert "holds another run" in refused.exception.message


def test_the_command_without_a_model_reads_by_code_alone(tmp_path: Path) -> None:
    done = run(str(written(tmp_path, TINY)), "--model", "code", "--text")
    assert done.exit_code == 0, done.output
    assert "`text2mem bench replay-episodes" in done.stdout
    assert "| milliseconds | p50 | p95 | n |" in done.stdout


@pytest.mark.parametrize(
    "options",
    [["--gold", "--model", "x:y"], ["--split", "odd"], ["--split", "held-out"], ["--limit", "0"]],
)
def test_options_that_do_not_go_together_are_refused(options: list[str], tmp_path: Path) -> None:
    assert run(str(written(tmp_path, TINY)), *options).exit_code == 2


def test_a_store_can_be_kept(tmp_path: Path) -> None:
    for _ in range(2):
        row = play(tiny(), Players(gold=True, store=str(tmp_path / "stores")))
        assert row["misses"] == []
    with Memory(tmp_path / "stores" / "tiny" / "store.db") as memory:
        assert memory.adapter.registry().version == 1  # another tenant's


def test_the_table_leaves_out_groups_that_are_everything() -> None:
    config = {"command": "x", "model": "gold", "machine": {}}
    told = markdown(config, summarise([play(tiny(), Players(gold=True))]))
    assert "language:en" not in told and "| kind:retract | 1.000 |" in told


def test_f1_of_nothing() -> None:
    assert f1(None, None) is None
    assert f1(None, 0.0) == 0.0
    assert f1(0.5, 1.0) == pytest.approx(2 / 3)
