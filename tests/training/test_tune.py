"""A short run of the training: the loss falls, and the adapter that it writes loads and reads."""

from __future__ import annotations

from collections import Counter
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


def test_attention_in_parts_sees_what_it_sees_as_a_whole() -> None:
    import torch

    from training.qwen import Sight
    from training.tune import _sight

    draw = torch.Generator().manual_seed(3)
    tree = torch.tensor([0] * 200 + [1] * 150 + [-1] * 30)
    part = torch.tensor([0] * 90 + [1] * 60 + [2] * 50 + [0] * 70 + [1] * 80 + [0] * 30)
    sight = _sight(tree[None], part[None])
    q, k, v = (torch.randn(1, heads, len(tree), 16, generator=draw) for heads in (6, 2, 2))
    parts = Sight.of(sight)
    assert len(parts.parts) > 1
    whole = Sight(((slice(None), None, sight),))
    assert torch.allclose(parts(q, k, v), whole(q, k, v), atol=1e-5)


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
