"""The generator of synthetic cases, and the compact set that it has written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from tests.fixtures import ROOT, cases
from text2mem.ir.surface import INSTANCES
from text2mem.ir.words.segment import index_terms, query_terms
from text2mem_bench.cli.generate_ import command
from text2mem_bench.corpus import read_corpus
from text2mem_bench.generate.check import leaks, stands_for
from text2mem_bench.generate.generator import generate
from text2mem_bench.generate.marks import Marker, parted
from text2mem_bench.generate.model import FAMILIES, LANGS, SPLITS, Lang, Slot
from text2mem_bench.generate.seeds import SEEDS
from text2mem_bench.generate.templates import book
from text2mem_bench.generate.world import content
from text2mem_bench.replay import Report, replay
from text2mem_bench.running import temporary_stores

PATH = ROOT / "bench" / "cases.jsonl"
ROWS = [{**row, "file": None} for row in cases("bench")]


def said(row: dict[str, Any]) -> str:
    (utterance,) = row["nl"].values()
    return str(utterance)


def ops(row: dict[str, Any]) -> list[str]:
    return [step["op"] for step in row["schema_list"]]


# --- the compact set -----------------------------------------------------------------------


def test_rows_follow_their_schema() -> None:
    schema = json.loads((PATH.parent / "case.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for line in PATH.read_text("utf-8").splitlines():
        assert not list(validator.iter_errors(json.loads(line)))
    assert len({row["id"] for row in ROWS}) == len(ROWS)


def test_the_generator_writes_the_same_bytes_again(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    done = CliRunner().invoke(command, ["--n", "360", "--seed", "0", "--out", str(path)])
    assert done.exit_code == 0
    assert path.read_bytes() == PATH.read_bytes()


def test_a_replay_passes_every_row_and_every_assertion_took_the_program() -> None:
    with temporary_stores() as stores:
        report = Report(tuple(replay(read_corpus(PATH), stores)))
    assert not report.failures
    assert report.count("passed") == len(ROWS)
    assert all(check.effective for check in report.checks)
    assert all(row["expected"]["assertions"] or row["expected"]["ranking"] for row in ROWS)


def test_every_verb_stands_often_enough_in_both_languages() -> None:
    for lang in LANGS:
        rows = [row for row in ROWS if row["class"]["lang"] == lang]
        single = Counter(ops(row)[0] for row in rows if len(ops(row)) == 1)
        assert set(single) == set(INSTANCES)
        assert min(single.values()) >= 12
    assert sum(row["class"]["structure"] == "workflow" for row in ROWS) >= 60
    assert len(ROWS) <= 500


def test_every_split_has_every_verb_family_and_form() -> None:
    for lang in LANGS:
        for split in SPLITS:
            rows = [
                row
                for row in ROWS
                if row["meta"]["split"] == split and row["class"]["lang"] == lang
            ]
            assert {op for row in rows for op in ops(row)} == set(INSTANCES)
            assert {row["meta"]["family"] for row in rows} == set(FAMILIES)
            assert {row["class"]["instruction_type"] for row in rows} == {"direct", "indirect"}
            assert {row["class"]["structure"] for row in rows} == {"single", "workflow"}
            assert any(row["meta"]["vague"] for row in rows)


def test_no_template_is_in_two_splits() -> None:
    splits: dict[str, set[str]] = {}
    for row in ROWS:
        for template in row["meta"]["template"].split("+"):
            splits.setdefault(template, set()).add(row["meta"]["split"])
    assert all(len(found) == 1 for found in splits.values())
    for lang in LANGS:
        lists = book(lang).lists
        for name in {name for name, _ in lists}:
            held = [{template.id for template in lists[name, split]} for split in SPLITS]
            shared = "/extras/" in name or name in ("frames/listing", "frames/done")
            assert shared or sum(map(len, held)) == len(set().union(*held)), name


def test_no_case_stands_twice() -> None:
    assert len({(said(row), json.dumps(row["schema_list"])) for row in ROWS}) == len(ROWS)
    assert len({(said(row), *row["context"]) for row in ROWS}) == len(ROWS)


def test_requests_give_no_identifier_away() -> None:
    for row in ROWS:
        for turn in (*row["context"], said(row), row["meta"]["specified"] or ""):
            assert leaks(turn) == ""
            assert not any("\ue000" <= character <= "\uf8ff" for character in turn)


def test_what_is_left_open_is_linked_to_the_program() -> None:
    kinds: set[str] = set()
    for row in ROWS:
        meta = row["meta"]
        turns = [*row["context"], said(row)]
        for note in (*meta["vague"], *meta["references"]):
            start, end = note["span"]
            turn = turns[-1] if note["turn"] is None else turns[note["turn"]]
            assert turn[start:end] == note["phrase"]
            assert stands_for(row["schema_list"], note["pointer"]) == note["value"]
        for note in meta["vague"]:
            kinds.add(note["kind"])
            asked_back = note["turn"] is not None
            clear = said(row) if asked_back else meta["specified"]
            assert note["means"].lower() in clear.lower()
            assert asked_back or note["means"] not in said(row)
        assert meta["context"] == row["context"]
        assert (meta["family"] == "interactive") == bool(row["context"])
        open_now = any(note["turn"] is None for note in meta["vague"])
        assert (meta["specified"] is not None) == open_now
    assert {"entity", "period", "degree", "label", "until", "size", "span"} <= kinds


def test_the_reader_of_corpora_reads_them() -> None:
    read = read_corpus(PATH)
    assert [case.utterance for case in read] == [said(row) for row in ROWS]
    assert [list(case.context) for case in read] == [row["context"] for row in ROWS]


# --- generating ----------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    written = []
    for hashes in ("1", "2"):
        path = tmp_path / f"{hashes}.jsonl"
        run = [sys.executable, "-m", "text2mem", "bench", "generate", "--n", "300", "--out", path]
        subprocess.run(
            run, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": hashes}
        )
        written.append(path.read_bytes())
    assert written[0] == written[1]
    assert PATH.read_bytes().startswith(written[0])


def test_rows_go_to_stdout_and_another_seed_makes_others() -> None:
    done = CliRunner().invoke(command, ["--n", "4", "--seed", "7"])
    assert done.exit_code == 0
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["class"]["lang"] for row in rows] == ["en", "zh", "en", "zh"]
    assert not {said(row) for row in rows} & {said(row) for row in ROWS}


def test_one_language_and_one_split_alone() -> None:
    chinese = [said(row) for row in generate(20, langs=("zh",))]
    assert chinese == [said(row) for row in ROWS if row["class"]["lang"] == "zh"][:20]
    rows = list(generate(20, split="test"))
    assert {row["meta"]["split"] for row in rows} == {"test"}
    assert {row["class"]["lang"] for row in rows} == set(LANGS)


def test_what_cannot_be_made_is_a_mistake(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["--lang", "en,fr"])
    assert done.exit_code == 2
    assert "--lang takes en, zh" in done.stderr
    done = CliRunner().invoke(command, ["--n", "1", "--out", str(tmp_path / "no" / "file")])
    assert "cannot write" in str(done.exception)


def test_many_cases_are_all_different_and_all_ran() -> None:
    rows = list(generate(700, seed=3))
    assert len({(said(row), json.dumps(row["schema_list"])) for row in rows}) == len(rows)
    assert {seed for row in rows for seed in row["meta"]["seed"].split("+")} == set(SEEDS)


# --- content and wording -------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_a_memory_is_found_by_what_it_is_about(lang: Lang) -> None:
    for topic in content(lang).topics:
        for _, about, text in topic.memories:
            asked = query_terms(about.removeprefix("the "))
            held = set(index_terms(text))
            assert sum(term in held for term in asked) * 2 >= len(asked), about


@pytest.mark.parametrize("lang", LANGS)
def test_every_seed_can_be_said_in_every_split(lang: Lang) -> None:
    for name, seed in SEEDS.items():
        for split in SPLITS:
            wording = seed.wording or name
            assert book(lang).some(f"{wording}/clause", split), (wording, split)
            assert name == "merge.found" or book(lang).some(f"{wording}/indirect", split)


@pytest.mark.parametrize(
    ("text", "given_away"),
    [
        ("Lock them until 2026-03-04.", "2026-03-04"),
        ("Let it lapse after P2W.", "P2W"),
        ("Remind me with FREQ=DAILY.", "FREQ="),
        ("Delete memory 12.", "memory 1"),
        ("Merge $1 into the other.", "$1"),
        ("Set the lock_mode of it.", "lock_mode"),
        ("把它的ttl设为两周。", "ttl"),
        ("Give it the type idea and the tags from before.", ""),
        ("把它们锁到6月30日为止。", ""),
    ],
)
def test_identifiers_are_noticed(text: str, given_away: str) -> None:
    assert leaks(text) == given_away


def test_marks_become_spans() -> None:
    marker = Marker(frozenset({"span"}))
    it = marker(Slot("pronoun", "/0/target", "it"))
    span = marker(Slot("span", "/0/args/ttl", "two weeks", "a while"))
    text = f"Keep {it} {span}."
    plain, marked = parted(text, marker.written)
    assert plain == "Keep it a while."
    assert [(plain[one.start : one.end], one.vague) for one in marked] == [
        ("it", False),
        ("a while", True),
    ]
