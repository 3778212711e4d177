"""Evidence recall over long conversations, and the timing of typed memory."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.conformance.toys import Outage, WordVectors
from tests.fixtures import ROOT
from text2mem import Memory
from text2mem.cli.main import cli
from text2mem.errors import ConfigurationError
from text2mem_bench.figures import Figure
from text2mem_bench.ledger import Facts, aim
from text2mem_bench.ledger import measure as time_ledger
from text2mem_bench.recall.locomo import read_samples
from text2mem_bench.recall.measure import HYBRID, LEXICAL, VECTOR, markdown, measure, summarise

Json = dict[str, Any]
SHIPPED = ROOT / "episodes" / "locomo.json"

TINY: Json = {
    "sample_id": "tiny",
    "event_summary": {"any": "thing"}, "observation": [], "session_summary": {},
    "conversation": {
        "speaker_a": "Ida", "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ida", "dia_id": "D1:1", "text": "The kettle broke.", "re-download": True},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Look!", "img_url": ["http://x/y.png"],
             "blip_caption": "a photo of a grey heron", "query": "heron"},
        ],
        "session_2_date_time": "12:05 am on 9 May, 2023",
        "session_2": [{"speaker": "Ida", "dia_id": "D2:1", "text": "A new kettle came."}],
        "session_3_date_time": "1:00 pm on 10 May, 2023",
    },
    "qa": [
        {"question": "What happened to the kettle?", "answer": "broke, replaced",
         "evidence": ["D1:1; D2:01"], "category": 1},
        {"question": "Which bird was in the photo?", "answer": "heron",
         "evidence": ["D:1:2", "D9:9"], "category": 4},
        {"question": "Where is the violin?", "adversarial_answer": "no", "evidence": [],
         "category": 5},
    ],
}  # fmt: skip


def written(folder: Path, document: Any) -> Path:
    path = folder / "talk.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_a_file_is_read_with_the_keys_and_spellings_of_published_ones(tmp_path: Path) -> None:
    (sample,) = read_samples(written(tmp_path, [TINY]))
    assert sample.id == "tiny"
    assert [session.at for session in sample.sessions] == [
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC), datetime(2023, 5, 9, 0, 5, tzinfo=UTC),
    ]  # fmt: skip
    assert sample.sessions[0].turns[1].text == "Look! [a photo of a grey heron]"
    assert [(asked.category, asked.evidence, asked.unknown) for asked in sample.questions] == [
        ("multi-hop", ("D1:1", "D2:1"), ()), ("single-hop", ("D1:2",), ("D9:9",)),
        ("adversarial", (), ()),
    ]  # fmt: skip
    assert read_samples(written(tmp_path, TINY)) == [sample]


Edit = Callable[[Json], object]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda raw: raw.pop("qa"), "/0: there is no 'qa'"),
        (lambda raw: raw["qa"][1].update(category=7), "/0/qa/1/category: 7"),
        (lambda raw: raw["qa"][0].update(category="1"), "/0/qa/0/category: str"),
        (lambda raw: raw["qa"][0].update(evidence="D1:1"), "/0/qa/0/evidence: str"),
        (lambda raw: raw["qa"][0].update(evidence=[1]), "/0/qa/0/evidence/0: 1 is no string"),
        (
            lambda raw: raw["conversation"].pop("session_2_date_time"),
            "/0/conversation: there is no 'session_2_date_time'",
        ),
        (
            lambda raw: raw["conversation"].update(session_2_date_time="9 May"),
            "/0/conversation/session_2_date_time: '9 May'",
        ),
        (
            lambda raw: raw["conversation"].update(session_2_date_time="1:00 pm on 31 June, 2023"),
            "/0/conversation/session_2_date_time: '1:00 pm on 31 June, 2023': day",
        ),
        (
            lambda raw: raw["conversation"]["session_1"][1].pop("speaker"),
            "/0/conversation/session_1/1: there is no 'speaker'",
        ),
        (lambda raw: raw.update(conversation={}), "/0/conversation: there is no session_1"),
    ],
)
def test_what_is_used_is_read_strictly(edit: Edit, said: str, tmp_path: Path) -> None:
    raw = copy.deepcopy(TINY)
    edit(raw)
    path = written(tmp_path, [raw])
    with pytest.raises(ConfigurationError) as error:
        read_samples(path)
    assert f"{path}: {said}" in error.value.message


def test_recall_by_hand(tmp_path: Path) -> None:
    samples = read_samples(written(tmp_path, [TINY]))
    rows = list(measure(samples, depth=5))
    assert {row.how for row in rows} == {LEXICAL}
    assert [set(row.found) for row in rows] == [{"D1:1", "D2:1"}, {"D1:2"}]
    told = summarise(samples, rows, [1, 5])
    assert told["recall"] == {
        LEXICAL: {
            "all": {"n": 2, "1": 0.75, "5": 1.0}, "multi-hop": {"n": 1, "1": 0.5, "5": 1.0},
            "single-hop": {"n": 1, "1": 1.0, "5": 1.0},
        }
    }  # fmt: skip
    assert (told["turns"], told["questions"], told["without_evidence"]) == (3, 3, 1)
    assert told["unknown_evidence"] == ["tiny: D9:9"]
    assert "| lexical | multi-hop | 1 | 0.500 | 1.000 |" in markdown(told, [1, 5])


def test_vectors_find_what_words_do_not(tmp_path: Path) -> None:
    raw = copy.deepcopy(TINY)
    raw["qa"] = [{"question": "boiler trouble", "answer": "x", "evidence": ["D1:1"], "category": 4}]
    words = {"kettle": (1.0, 0.0, 0.1), "boiler": (1.0, 0.0, 0.0), "broke": (0.6, 0.0, 0.0)}
    vectors = WordVectors(words, (0.0, 1.0, 0.0), 0.5, Outage())
    samples = read_samples(written(tmp_path, [raw]))
    found = {row.how: row.found for row in measure(samples, depth=3, embedder=vectors)}
    assert found[LEXICAL] == ()
    assert found[VECTOR][0] == found[HYBRID][0] == "D1:1"


def test_the_command_on_the_shipped_file() -> None:
    run = CliRunner().invoke(cli, ["bench", "recall", str(SHIPPED), "--k", "1,20", "--json"])
    told = json.loads(run.stdout)
    assert (told["samples"], told["questions"], told["without_evidence"]) == (1, 12, 1)
    cell = told["recall"][LEXICAL]["all"]
    assert cell["n"] == 11 and 0 < cell["1"] < cell["20"] <= 1
    rows = CliRunner().invoke(cli, ["bench", "recall", str(SHIPPED), "--jsonl"])
    assert len(rows.stdout.splitlines()) == 11
    assert "| search | category |" in rows.stderr
    for depths in ("none", "0,1"):
        assert CliRunner().invoke(cli, ["bench", "recall", str(SHIPPED), "--k", depths]).exit_code


# --- timing --------------------------------------------------------------------------------


def test_made_up_facts_are_found_again(tmp_path: Path) -> None:
    figures = list(time_ledger([48], tmp_path, rounds=9))
    assert [figure.what for figure in figures] == [
        "store an episode, one transaction each", "recall by subject and attribute",
        "recall at an instant", "recall by a question in words", "stats", "file",
    ]  # fmt: skip
    source = Facts()
    list(source.told(48))
    assert source.subjects == 4
    with Memory(tmp_path / "ledger.db") as memory:
        for number in range(source.subjects):
            attribute, question = source.question(number)
            exact = memory.recall(subject=source.subject(number), attribute=attribute)
            assert len(exact.values) == (2 if attribute == "likes" else 1)
            assert all(line.citations[0].startswith("e") for line in exact.lines)
            assert memory.recall(question).values == exact.values, question


def test_the_aims_stand_beside_what_they_are_for() -> None:
    assert aim(Figure(1, "store an episode, one transaction each", 1, 2, 3)) == 15
    assert aim(Figure(1, "recall at an instant", 1, 2, 3)) == 20
    assert aim(Figure(1, "stats", 1, 2, 3)) is None
    assert aim(Figure(1, "file", 1, 2, 3, "MB")) is None


def test_the_timing_command_prints_rows() -> None:
    run = CliRunner().invoke(cli, ["bench", "ledger", "--n", "12", "--rounds", "9"])
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert "bench ledger --n 12" in rows[0]["command"]
    assert {row["aim"] for row in rows[1:]} == {15.0, 20.0, 60.0, None}
    assert CliRunner().invoke(cli, ["bench", "ledger", "--n", "few"]).exit_code == 2
