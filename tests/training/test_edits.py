"""What the small model learns to write of a memory that changes: stretches, and their new words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from text2mem.planner.edit import revised
from training.edits import edits_between, load, of_stores
from training.rows import DATA


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        ("Ferry at 7:40, pier 2", "Ferry at 7:40, pier 6", [["2", "6"]]),
        ("Milk, coffee, eggs", "Milk, eggs", [[", coffee,", ","]]),
        ("Milk, coffee, eggs", "Milk, coffee, eggs, okra", [["eggs", "eggs, okra"]]),
        ("Gate 3, then gate 3 again", "Gate 5, then gate 3 again", [["Gate 3", "Gate 5"]]),
        ("Offer: 58k, start 3 March", "Offer: 61k, start 17 March", [["58", "61"], ["3", "17"]]),
        ("豆皮、藕、冻豆腐", "豆皮、冻豆腐", [["皮、藕", "皮"]]),
        ("周六上午", "周五上午", [["周六", "周五"]]),
        ("nothing like it", "Quite another note", [["", "Quite another note"]]),
        ("as it was", "as it was", []),
    ],
)
def test_the_stretches_that_differ(old: str, new: str, pairs: list[list[str]]) -> None:
    edits = edits_between(old, new)
    assert [[each.old, each.new] for each in edits] == pairs


def test_every_row_gives_the_text_that_its_author_wrote() -> None:
    seen = set()
    for path in sorted((DATA / "edits").glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row, learnt in zip(rows, load(authors=[path.stem]), strict=True):
            made = revised(row["memory"], learnt.edits)
            assert made is not None and made.text == row["new"], row
            key = (row["memory"], row["u"])
            assert key not in seen, row
            seen.add(key)


def test_a_text_with_words_that_nobody_says_is_refused(tmp_path: Path) -> None:
    row = {"memory": "Ferry at 7:40", "u": "they moved it", "new": "Ferry at 8:15"}
    (tmp_path / "odd.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(ValueError, match=r"odd.jsonl:1: .* nobody says"):
        load(tmp_path)


def test_requests_over_stores_change_what_they_mean_and_leave_the_next_one() -> None:
    rows = of_stores(authors=["store-a"])
    changed = [row for row in rows if row.edits]
    assert changed and len(changed) < len(rows)
    for row in changed:
        made = revised(row.memory, row.edits)
        assert made is not None and made.text != row.memory
