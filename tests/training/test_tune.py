"""A short run of the training: the loss falls, and the adapter that it writes loads and reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import MODEL
from text2mem import weights
from text2mem.planner.draft import Draft, draft_grammar, read_draft
from text2mem.planner.reader import tuned_prompt
from text2mem.providers.base import Request, Sampling
from text2mem.providers.llamacpp_ import LlamaCppProvider

ROOT = Path(__file__).parents[2]
STEPS = 8

pytest.importorskip("torch", reason="the training's packages are not installed: make .venv/.tune")


class Adapted(LlamaCppProvider):
    """The small model with an adapter of one's own."""

    def __init__(self, adapter: Path) -> None:
        super().__init__(MODEL)
        self._own = adapter

    def _adapter(self) -> Path:
        return self._own


@pytest.mark.model
def test_a_few_steps_lower_the_loss_on_an_unseen_author_and_leave_an_adapter_that_reads(
    tmp_path: Path,
) -> None:
    official, out = weights.find(MODEL), tmp_path / "adapter.gguf"
    command = [
        sys.executable, "-m", "training.tune", "--weights", str(official), "--out", str(out),
        "--only", "en-home", "en-work", "--held-out", "en-work", "--kept", "24",
        "--first", "20", "--epochs", "0.4", "--limit", str(STEPS),
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True, timeout=280)
    lines = [json.loads(line) for line in out.with_suffix(".log.jsonl").read_text().splitlines()]
    before, *_, after = (line["kept_out"] for line in lines if "kept_out" in line)
    assert after < before
    provider = Adapted(out)
    prompt = tuned_prompt("remind me on Friday to water the ferns", ())
    request = Request((), None, draft_grammar(), Sampling(max_tokens=200), prompt=prompt)
    answer = provider.complete(request)
    provider.close()
    assert isinstance(read_draft(answer.data), Draft)


def test_every_row_keeps_the_contract_and_none_stands_twice() -> None:
    from training.rows import load

    rows = load()
    assert len(rows) > 5_900
    said = [(row.utterance, row.before) for row in rows]
    assert len(set(said)) == len(said)


def test_every_turn_keeps_the_contract_and_half_of_them_state_nothing() -> None:
    from training.statements import load

    turns = load()
    assert len(turns) > 4_000
    idle = sum(not turn.statements for turn in turns)
    assert 0.4 < idle / len(turns) < 0.6


def test_nothing_that_the_demonstration_says_is_in_the_training_data() -> None:
    from tools.demo import UTTERANCES
    from training.rows import load

    assert len(UTTERANCES) == 8
    assert not {row.utterance for row in load()} & set(UTTERANCES)
