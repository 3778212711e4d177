"""A short run of the training: the loss falls, and the adapter that it writes loads and reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from text2mem.planner.draft import Draft, read_draft

torch = pytest.importorskip(
    "torch", reason="the training's packages are not installed: make .venv/.tune"
)


@pytest.mark.model
@pytest.mark.timeout(900)
@pytest.mark.apart("tests.training.short_run:trained")
def test_a_few_steps_lower_the_loss_on_an_unseen_author_and_leave_an_adapter_that_reads(
    done: dict[str, Any],
) -> None:
    before, *_, after = done["kept_out"]
    assert after < before
    assert isinstance(read_draft(done["answer"]), Draft)


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile:UserWarning")
def test_attention_in_parts_and_in_blocks_sees_what_it_sees_as_a_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    from training import qwen

    draw = torch.Generator().manual_seed(3)
    tree = torch.tensor([0] * 200 + [1] * 150 + [-1] * 34)
    part = torch.tensor([0] * 90 + [1] * 60 + [2] * 50 + [0] * 70 + [1] * 80 + [0] * 34)
    sight = qwen.Sight(tree[None], part[None])
    q, k, v = (torch.randn(1, heads, len(tree), 16, generator=draw) for heads in (6, 2, 2))
    whole = sight.attend()(q, k, v)
    assert torch.allclose(sight.attend_in_parts()(q, k, v), whole, atol=1e-5)
    from torch.nn.attention.flex_attention import flex_attention

    monkeypatch.setattr(qwen, "flex", lambda: flex_attention)  # not compiled: that takes a GPU
    assert torch.allclose(sight.attend_in_blocks()(q, k, v), whole, atol=1e-5)


def test_of_what_a_teacher_says_a_share_is_learnt(tmp_path: Path) -> None:
    import argparse

    import numpy as np
    import torch

    from training.qwen import Qwen, Shape
    from training.tune import Recipe, Training, Tree

    def model(seed: int) -> Qwen:
        torch.manual_seed(seed)
        shape = Shape(hidden=32, heads=2, kv_heads=1, head=16, layers=1)
        sizes = {
            "attn_q": (32, 32), "attn_k": (16, 32), "attn_v": (16, 32), "attn_output": (32, 32),
            "ffn_gate": (64, 32), "ffn_up": (64, 32), "ffn_down": (32, 64),
        }  # fmt: skip
        read = {f"blk.0.{name}.weight": torch.randn(size) * 0.2 for name, size in sizes.items()}
        read |= {f"blk.0.{name}_norm.weight": torch.ones(32) for name in ("attn", "ffn")}
        read |= {"token_embd.weight": torch.randn(20, 32), "output_norm.weight": torch.ones(32)}
        return Qwen(read, shape, first=0, rank=32, alpha=32.0)

    told = np.array([False] * 4 + [True] * 4)
    tree = Tree(np.arange(8), np.arange(8), np.ones(8, int), told)
    args = argparse.Namespace(out=tmp_path / "a.gguf", limit=None, device="cpu", kept=None, until=9)
    student, teacher = model(1), model(2).eval()

    def loss(share: float, by: Qwen | None) -> float:
        return Training(student, Recipe(taught=share), args, by)._loss([[tree]]).item()

    alone = loss(0.5, None)
    assert loss(0.0, teacher) == pytest.approx(alone)
    student.eval()
    assert loss(1.0, teacher) == pytest.approx(alone)  # what is kept out is compared without it
    student.train()
    entropy = loss(1.0, student)
    assert loss(0.5, teacher) == pytest.approx((alone + loss(1.0, teacher)) / 2)
    assert entropy < loss(1.0, teacher)


def test_every_row_keeps_the_contract_and_none_stands_twice() -> None:
    from training.rows import load, stores

    told = [(row, store.name) for store in stores() for row in store.rows]
    rows = [*((row, "") for row in load()), *told]
    assert len(rows) > 18_000 and len(told) > 8_000
    said = [(row.utterance, row.before, store) for row, store in rows]
    twice = [each for each, many in Counter(said).items() if many > 1]
    assert twice == []


def test_every_turn_keeps_the_contract_and_a_good_part_of_them_states_nothing() -> None:
    from training.statements import load

    every = load()
    whole = [turn for turn in every if turn.whole]
    turns = [turn for turn in every if not turn.whole]
    assert len(whole) > 5_000
    assert 0.25 < sum(not turn.statements for turn in whole) / len(whole) < 0.4
    plain = [turn for turn in turns if turn.author[-1] in "mno"]
    others = [turn for turn in turns if turn.author[-1] not in "mno"]
    assert len(others) > 4_000 and len(plain) == 2_880
    assert 0.4 < sum(not turn.statements for turn in others) / len(others) < 0.6
    assert 0.15 < sum(not turn.statements for turn in plain) / len(plain) < 0.25


def test_nothing_that_the_demonstration_says_is_in_the_training_data() -> None:
    from tools.demo import UTTERANCES
    from training.rows import load, stores

    assert len(UTTERANCES) == 8
    told = [row for store in stores() for row in store.rows]
    assert not {row.utterance for row in (*load(), *told)} & set(UTTERANCES)
