"""The examples run, each in a process of its own and on a store in a file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {
    "langchain_tools": ["I will remember that.", "note: The boat shed key", "In the blue bowl."],
    "langgraph_store": [
        "I know: The boat shed key is in the blue bowl.", "I know: nothing",
        "namespaces: [('notes', 'mira')]", "after an undo: []",
    ],
    "openai_agents_session": [
        "Noted.", "At 8:15.", "a person is asked: confirm", "It is gone.",
        "items in the session: 14", "what is known: Nothing is known about this.",
    ],
}  # fmt: skip
LOCAL = {
    "openai_loop": [
        "Encode: made memory 1",
        "note: The ferry to Inishbofin leaves at 11:30", "choice=1) runs it",
        "1.deleted: false → true", "1.deleted: true → false",
    ],
}  # fmt: skip


def told_by(example: str, store: Path) -> str:
    """What an example prints."""
    environment = {
        **os.environ, "TEXT2MEM_EMBEDDER": "none", "TEXT2MEM_MODEL": "", "PYTHONUTF8": "1",
    }  # fmt: skip
    script = ROOT / "examples" / f"{example}.py"
    ran = subprocess.run(
        [sys.executable, script, store], capture_output=True, env=environment, cwd=store.parent
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode()


def check(example: str, lines: list[str], store: Path) -> None:
    """That the lines are printed, in their order."""
    told = told_by(example, store)
    for line in lines:
        assert line in told, told
        told = told.partition(line)[2]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(example: str, tmp_path: Path) -> None:
    check(example, EXAMPLES[example], tmp_path / "agent.db")


@pytest.mark.model
@pytest.mark.parametrize("example", LOCAL)
def test_an_example_runs_on_the_local_model(example: str, tmp_path: Path) -> None:
    check(example, LOCAL[example], tmp_path / "agent.db")


def test_every_example_is_run() -> None:
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == {*EXAMPLES, *LOCAL}
