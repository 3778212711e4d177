"""bench replay: the figures of a corpus, and every row that did not pass with its reason."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command_line import ROOT, Command

CORPUS = ROOT / "fixtures" / "corpus" / "rows.jsonl"


def test_the_figures_are_one_document(text2mem: Command) -> None:
    done = text2mem("bench", "replay", CORPUS)
    assert (done.code, done.err) == (0, "")
    assert done.json["path"] == str(CORPUS)
    assert {"processor", "date", "revision"} <= set(done.json)
    figures = done.json["figures"]["sqlite"]
    assert (figures["rows"], figures["legal"], figures["passed"]) == (9, 7, 4)
    assert "failures" not in figures
    again = text2mem("bench", "replay", CORPUS, "--json", terminal=True).json
    assert again["figures"]["sqlite"]["rows"] == 9


def test_failures_come_with_their_reasons(text2mem: Command) -> None:
    done = text2mem("bench", "replay", CORPUS, "--failures")
    failures = done.json["figures"]["sqlite"]["failures"]
    reasons = {row["id"]: row["reasons"] for row in failures}
    assert reasons == {
        "missed-en-1": ["assertion tags_added_json"],
        "missed-zh-1": ["ranking"],
        "illegal-en-1": ["unknown-key 'amount'"],
        "illegal-zh-1": ["unknown-key ' tags'"],
        "refused-en-1": ["locked 'target'"],
    }
    (missed,) = [check for check in failures[0]["checks"] if not check["held"]]
    assert missed["sql"].startswith("SELECT count(*) FROM memory WHERE (deleted=0) AND (")
    assert (missed["before"], missed["after"], missed["expected"]) == (0, 0, "== 1")


def test_a_row_a_line_and_the_figures_beside(text2mem: Command) -> None:
    done = text2mem("bench", "replay", CORPUS, "--jsonl")
    assert done.code == 0
    assert [row["status"] for row in done.rows] == [row["id"].split("-")[0] for row in done.rows]
    assert len(done.rows) == 9
    assert "9 rows, 7 legal, 2 illegal" in done.err
    failed = text2mem("bench", "replay", CORPUS, "--jsonl", "--failures").rows
    assert [row["id"] for row in failed] == [
        row["id"] for row in done.rows if row["status"] != "passed"
    ]


def test_a_person_reads_figures_and_failures(text2mem: Command) -> None:
    said = text2mem("bench", "replay", CORPUS, terminal=True).out
    assert "4 passed, 57.14% of the legal; 2 missed, 1 refused" in said
    assert "9 of 11 assertions hold, 6 because of the program" in said
    assert "SELECT" not in said
    said = text2mem("bench", "replay", CORPUS, "--text", "--failures").out
    assert "missed missed-en-1\n  tags_added_json: 0, expected == 1: SELECT count(*)" in said
    assert '"returned": [[]]' in said
    assert "program/0/args/set/amount: 'amount' is not a key here [unknown-key]" in said


def test_the_first_rows_only(text2mem: Command) -> None:
    told = text2mem("bench", "replay", CORPUS, "--limit", "2").json
    assert told["figures"]["sqlite"]["rows"] == 2
    told = text2mem("bench", "replay", CORPUS, "--every", "4").json
    assert (told["every"], told["figures"]["sqlite"]["rows"]) == (4, 3)
    assert text2mem("bench", "replay", CORPUS, "--limit", "0").code == 2


def test_a_long_list_of_rows_is_cut_short(text2mem: Command, folder: Path) -> None:
    lines = CORPUS.read_text("utf-8").splitlines()
    path = folder / "many.jsonl"
    illegal = next(line for line in lines if "illegal-en-1" in line)
    path.write_text("\n".join([illegal] * 12), "utf-8")
    assert "illegal-en-1 and 2 more" in text2mem("bench", "replay", path, "--text").out


def test_what_is_no_corpus_is_a_mistake(text2mem: Command, folder: Path) -> None:
    assert text2mem("bench", "replay", folder / "nowhere.jsonl").code == 2
    (folder / "broken.jsonl").write_text('{"id": "x"}\n', "utf-8")
    done = text2mem("bench", "replay", folder / "broken.jsonl")
    assert done.code == 2
    assert done.out == ""
    assert "line 1: not a row of the corpus: 'class' is missing" in done.err
