"""A short run of the training: the loss falls, and the adapter that it writes loads and reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MODEL
from text2mem import weights
from text2mem.planner.draft import Draft, draft_grammar, read_draft
from text2mem.planner.reader import tuned_prompt
from text2mem.providers.base import Request, Sampling
from text2mem.providers.llamacpp_ import LlamaCppProvider

ROOT = Path(__file__).parents[2]
STEPS = 8

torch = pytest.importorskip(
    "torch", reason="the training's packages are not installed: make .venv/.tune"
)


@pytest.mark.model
def test_a_few_steps_lower_the_loss_on_an_unseen_author_and_leave_an_adapter_that_reads(
    tmp_path: Path,
) -> None:
    official, out = weights.find(MODEL), tmp_path / "adapter.gguf"
    command = [
        sys.executable, "-m", "training.tune", "--weights", str(official), "--out", str(out),
        "--only", "en-home", "en-work", "--held-out", "en-work", "--kept", "24",
        "--first", "20", "--epochs", "0.4", "--limit", str(STEPS), "--int8",
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True, timeout=280)
    lines = [json.loads(line) for line in out.with_suffix(".log.jsonl").read_text().splitlines()]
    before, *_, after = (line["kept_out"] for line in lines if "kept_out" in line)
    assert after < before
    provider = LlamaCppProvider(MODEL, adapters={"requests": out})
    prompt = tuned_prompt("remind me on Friday to water the ferns", ())
    sampling = Sampling(max_tokens=200)
    request = Request((), None, draft_grammar(), sampling, prompt=prompt, adapter="requests")
    answer = provider.complete(request)
    provider.close()
    assert isinstance(read_draft(answer.data), Draft)


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
    from training.rows import load

    rows = load()
    assert len(rows) > 5_900
    said = [(row.utterance, row.before) for row in rows]
    assert len(set(said)) == len(said)


def test_the_mean_of_two_adapters_adds_the_mean_of_what_they_add() -> None:
    from training.merging import mean

    generator = torch.Generator().manual_seed(3)

    def pair(rank: int) -> Any:
        made = (torch.randn(shape, generator=generator) for shape in ((16, 40), (30, 16)))
        a, b = made
        return a * (torch.arange(16) < rank)[:, None], b

    for ranks in ((8, 8), (16, 0), (3, 13)):
        one, other = map(pair, ranks)
        (a, b) = mean({"w": one}, {"w": other}, 0.25)["w"]
        assert a.shape == one[0].shape and b.shape == one[1].shape
        wanted = 0.75 * one[1] @ one[0] + 0.25 * other[1] @ other[0]
        assert torch.allclose(b @ a, wanted, atol=1e-4)


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
