"""bench ids: a sample is named, always the same one, and a run takes it; those of the docs too."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.command_line import ROOT, Command
from text2mem_bench.corpus import read_corpus
from text2mem_bench.selection import read_ids, split_of, stratum

CORPUS = ROOT / "fixtures" / "corpus" / "rows.jsonl"
CASES = ROOT / "fixtures" / "bench" / "cases.jsonl"
SAMPLES = ROOT / "docs" / "bench" / "samples"


def test_a_sample_is_a_file_for_a_run(text2mem: Command, folder: Path) -> None:
    words = ("bench", "ids", CORPUS, "--sample", "3", "--seed", "2")
    done = text2mem(*words, "--out", "ids")
    assert (done.code, done.out, done.err) == (0, "", "ids: 3 of 9 rows\n")
    written = (folder / "ids").read_text("utf-8")
    digest = sha256(CORPUS.read_bytes()).hexdigest()
    assert written.splitlines()[:2] == [
        "# 3 of 9 rows by op, seed 2: text2mem bench ids rows.jsonl --sample 3 --seed 2",
        f"# rows.jsonl, 9 rows, sha256 {digest}",
    ]
    assert text2mem(*words).out == written
    plan = ("bench", "plan", CORPUS, "--model", "floor:gold", "--jsonl")
    named = [row["id"] for row in text2mem(*plan, "--ids", "ids").rows]
    assert named == read_ids(folder / "ids")
    assert named == [row["id"] for row in text2mem(*plan, "--sample", "3", "--seed", "2").rows]


def test_of_which_rows(text2mem: Command) -> None:
    def ids(*options: str) -> list[str]:
        lines = text2mem("bench", "ids", CASES, *options).out.splitlines()
        return [line for line in lines if not line.startswith("#")]

    assert {split_of(id_) for id_ in ids("--split", "odd")} == {"odd"}
    assert len(ids()) == 360
    marked = {case.id: case.part for case in read_corpus(CASES)}
    held_out = ids("--part", "dev", "--part", "test")
    assert {marked[id_] for id_ in held_out} == {"dev", "test"} and len(held_out) == 102
    sample = ids("--sample", "24")
    assert len({stratum(case) for case in read_corpus(CASES) if case.id in sample}) >= 12


def test_there_have_to_be_so_many(text2mem: Command) -> None:
    for options in (("--sample", "10"), ("--part", "test")):
        done = text2mem("bench", "ids", CORPUS, *options)
        assert (done.code, done.out) == (2, "")
        assert "there are" in done.err


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.ids")), ids=lambda path: path.stem)
def test_a_sample_of_the_docs_is_what_its_first_lines_say(path: Path) -> None:
    head, data = path.read_text("utf-8").splitlines()[:2]
    ids = read_ids(path)
    counted = re.match(r"# (\d+) of \d+ rows by op, seed 0: text2mem bench ids ", head)
    assert counted is not None and int(counted[1]) == len(ids) == len(set(ids))
    if "--split odd" in head:
        assert {split_of(id_) for id_ in ids} == {"odd"}
    if "cases.jsonl" in data:
        assert data.endswith(f"sha256 {sha256(CASES.read_bytes()).hexdigest()}")


def test_the_samples_that_figures_are_reported_on() -> None:
    sizes = {path.stem: len(read_ids(path)) for path in SAMPLES.glob("*.ids")}
    assert sizes == {
        "en-150": 150, "en-200": 200, "zh-150": 150, "zh-200": 200, "gen-150": 150,
        "gen-held-out": 102,
    }  # fmt: skip


def test_the_samples_of_our_own_cases_can_be_made_again(text2mem: Command) -> None:
    for name in ("gen-150", "gen-held-out"):
        written = (SAMPLES / f"{name}.ids").read_text("utf-8")
        _, _, said = written.splitlines()[0].partition("text2mem bench ids cases.jsonl ")
        assert text2mem("bench", "ids", CASES, *said.split()).out == written
