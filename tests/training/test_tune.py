"""A short run of the training: the loss falls, and the adapter that it writes loads and reads."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MODEL
from text2mem import weights
from text2mem.planner.draft import Draft, read_draft
from text2mem.planner.picture import View
from text2mem.planner.reader import asking, named
from text2mem.providers.base import Sampling
from text2mem.providers.llamacpp_ import LlamaCppProvider
from text2mem.providers.profiles import TUNED
from training.rows import record

ROOT = Path(__file__).parents[2]
STEPS = 3

torch = pytest.importorskip(
    "torch", reason="the training's packages are not installed: make .venv/.tune"
)


@pytest.mark.model
def test_a_few_steps_lower_the_loss_on_an_unseen_author_and_leave_an_adapter_that_reads(
    tmp_path: Path,
) -> None:
    official, out = str(weights.find(MODEL)), tmp_path / "adapter.gguf"
    examples = str(tmp_path / "examples.npz")
    told = ["--only", "store-a", "store-b", "--held-out", "store-b", "--out", examples]
    run("training.examples", "--weights", official, *told)
    run("training.tune", "--weights", official, "--examples", examples, "--out", str(out),
        "--first", "20", "--rank", "32", "--batch", "1024", "--epochs", "1", "--limit", str(STEPS),
        "--kept", "1", "--rate", "4e-3")  # fmt: skip
    lines = [json.loads(line) for line in out.with_suffix(".log.jsonl").read_text().splitlines()]
    before, *_, after = (line["kept_out"] for line in lines if "kept_out" in line)
    assert after < before
    provider = LlamaCppProvider(MODEL, adapters={"requests": out})
    view = View((record({"id": "7", "text": "the ferns want water"}),), 1)
    sampling = Sampling(max_tokens=200)
    asked = asking(view, "remind me on Friday of the ferns", (), TUNED, sampling)
    answer = provider.complete(asked)
    provider.close()
    assert isinstance(read_draft(named(answer.data, view)), Draft)


def run(module: str, *arguments: str) -> None:
    """A command of the training."""
    subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=True, timeout=400)


def test_a_product_in_eight_bits_is_nearly_that_in_floats_and_so_is_its_gradient() -> None:
    import torch

    from training.int8 import Rounded

    draw = torch.Generator().manual_seed(3)
    weight, x = torch.randn(96, 64, generator=draw), torch.randn(5, 7, 64, generator=draw)
    x[2] *= 100  # a scale of its own for each token
    found, meant = x.clone().requires_grad_(), x.clone().requires_grad_()
    product, exact = Rounded(weight)(found), meant @ weight.T
    assert _apart(product, exact) < 0.02
    product.square().sum().backward()
    exact.square().sum().backward()
    assert found.grad is not None and meant.grad is not None
    assert _apart(found.grad, meant.grad) < 0.02


def _apart(one: Any, other: Any) -> float:
    """The largest relative distance of the vectors of two tensors."""
    return float(((one - other).norm(dim=-1) / other.norm(dim=-1)).max().detach())


def test_every_row_keeps_the_contract_and_none_stands_twice() -> None:
    from training.rows import load, stores

    told = [(row, store.name) for store in stores() for row in store.rows]
    rows = [*((row, "") for row in load()), *told]
    assert len(rows) > 18_000 and len(told) > 8_000
    said = [(row.utterance, row.before, store) for row, store in rows]
    twice = [each for each, many in Counter(said).items() if many > 1]
    assert twice == []


def test_every_turn_keeps_the_contract_and_half_of_them_state_nothing() -> None:
    from training.statements import load

    turns = load()
    assert len(turns) > 4_000
    idle = sum(not turn.statements for turn in turns)
    assert 0.4 < idle / len(turns) < 0.6


def test_nothing_that_the_demonstration_says_is_in_the_training_data() -> None:
    from tools.demo import UTTERANCES
    from training.rows import load, stores

    assert len(UTTERANCES) == 8
    told = [row for store in stores() for row in store.rows]
    assert not {row.utterance for row in (*load(), *told)} & set(UTTERANCES)
