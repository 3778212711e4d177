"""The small model as an agent: shown what an earlier attempt came to, it solves a task like it."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from tests.planning import CONTEXT
from tests.store.programs import WordHashes
from text2mem.adapters.registry import open_adapter
from text2mem.ir.context import SUFFIX
from text2mem.providers.base import Provider
from text2mem_bench.agent.bank import AgentBank
from text2mem_bench.agent.loop import Budget
from text2mem_bench.agent.selectors import Nearest, Remembering
from text2mem_bench.sql.environment import SqlEnvironment

pytestmark = pytest.mark.model
FIXTURES = Path(__file__).parents[2] / "fixtures" / "experience" / "sql"
TASK = "clinic-01.2.full"


def test_a_memory_of_an_attempt_solves_a_task_like_it(
    local_model: Provider, tmp_path: Path
) -> None:
    shutil.copytree(FIXTURES / "clinic", tmp_path / "clinic")
    environment = SqlEnvironment(tmp_path, local_model)
    posed = next(each for each in environment.evaluation() if each.id == TASK)
    with closing(open_adapter("memory:", tenant=f"{CONTEXT.tenant}{SUFFIX}")) as adapter:
        bank = AgentBank(adapter, CONTEXT, WordHashes())
        bank.keep(each for each in environment.remembered() if each.task == "clinic-01.full")
        recall = Remembering(bank, Nearest())
        played = environment.played(posed, recall, Budget(turns=4), phases=1)
    assert recall.shown == ["clinic-01.full#episode"]
    assert played.first.solved, [step.written for step in played.first.steps]
