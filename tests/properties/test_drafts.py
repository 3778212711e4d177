"""Whatever a model writes: what comes of it is legal, or asked, or nothing; and never too much."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drafts import TEXT, steps
from tests.planning import ABLE, CONTEXT, NOW, SMALL, note, opened, step
from tests.properties.profile import examples
from text2mem.adapters.base import Adapter
from text2mem.compiled import Clarification, Nothing, Undo
from text2mem.errors import PlannerError
from text2mem.ir.ops import READS
from text2mem.ir.turn import Turn
from text2mem.pipeline import compile
from text2mem.planner.guard import erases
from text2mem.program import Program
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import TUNED, Profile
from text2mem.running import previewing

LATER = (NOW + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
FACT = {"subject": "Ann", "attribute": "city", "value": "Rome"}
STORE = [
    note("Milk, bread, eggs", "list"),
    note("Dentist on Tuesday at nine"),
    step("Encode", payload={"text": "Dentist on Friday at ten"}, time=LATER),
    note("物业电话 5512，找小郭。", "家"),
    note("Old gate code 4471"),
    step("Demote", {"ids": ["5"]}, archive=True),
    note("The will", "papers"),
    step("Lock", {"ids": ["6"]}, mode="read_only"),
    note("Meter readings: 3, 4", "papers"),
    step("Lock", {"ids": ["7"]}, mode="append_only"),
    note("gone"),
    step("Delete", {"ids": ["8"]}),
    step("Encode", payload={"structured": FACT}),
]  # fmt: skip
ABOUT = st.sampled_from([
    "dentist", "dentist Friday", "milk", "物业电话", "old gate code", "the will", "meter readings",
    "zeppelin", "Ann", "list",
])  # fmt: skip
TIMES = st.sampled_from([
    "tomorrow", "on Friday", "every Monday at 9", "每周一", "yesterday", "three days", "last week",
    "an hour before", "月底", "the cows come home", "1000000 weeks",
])  # fmt: skip
TAGS = st.sampled_from(["list", "papers", "家", "new"])
IDS = st.sampled_from(["1", "2", "3", "4", "5", "6", "7", "8", "9", "99"])
SAID = st.sampled_from(["milk", "小郭", "5512", "6620", "4471", "at ten", "at eleven", "bread"])
WORDS = {
    "about": ABOUT, "except": ABOUT, "into": ABOUT, "tags": TAGS, "add": SAID, "remove": TAGS,
    "ids": IDS, "old": SAID, "new": SAID,
    **dict.fromkeys(("from", "date", "until", "remind", "when", "as_of"), TIMES),
    "text": st.one_of(SAID, TEXT), "by": st.sampled_from(["sentences", "chunks", "person"]),
}  # fmt: skip
STORES: dict[str, Adapter] = {name: opened(name, STORE) for name in ("plain", "sqlite")}
CHANGING = 20


@pytest.mark.parametrize("backend", ["plain", "sqlite"])
@examples(150)
@given(
    found=st.lists(steps(WORDS, 0.15), min_size=1, max_size=3),
    said=st.one_of(ABOUT, SAID),
    profile=st.sampled_from([ABLE, SMALL, TUNED]),
    turns=st.sampled_from([(), (Turn("dentist?", ("2", "3")),), (Turn("milk"),)]),
)
def test_whatever_is_written_comes_to_something_sound(
    backend: str, found: list[Any], said: str, profile: Profile, turns: tuple[Turn, ...]
) -> None:
    adapter = STORES[backend]
    view, preview = adapter.view(CONTEXT), previewing(adapter, CONTEXT)
    before = [record.version for record in view.recent(50)]
    answer = json.dumps({"steps": [each.as_dict() for each in found]}, ensure_ascii=False)

    def answering(request: Request) -> str:
        return answer

    try:
        outcome = compile(
            said, model=FunctionProvider(answering, profile=profile), context=turns, store=view,
            preview=preview, clock=CONTEXT.clock,
        )  # fmt: skip
    except PlannerError:
        outcome = Nothing()  # given up, with every attempt
    assert isinstance(outcome, Program | Clarification | Nothing | Undo)
    assert [record.version for record in view.recent(50)] == before
    if isinstance(outcome, Clarification):
        assert outcome.question.strip()
        programs = [option.program for option in outcome.options]
    else:
        programs = [outcome] if isinstance(outcome, Program) else []
    for program in programs:
        # It can be kept, read again, and says the same.
        again = Program.load(program.to_list(), now=CONTEXT.clock.now())
        assert again.to_list() == program.to_list()
    if isinstance(outcome, Program) and not all(op.name in READS for op in outcome.ops):
        tried = preview(outcome.ops)
        assert tried.ok or (tried.error is not None and tried.error.code == "needs-confirmation")
        # What would take everything, or leave no trace, is asked and never just made.
        assert not any(erases(each) for each in found)
        assert all("all" not in instance.get("target", {}) for instance in outcome.to_list()
                   if instance["op"] not in READS)  # fmt: skip
        touched = {c.id for result in tried.results for c in result.changes}
        assert len(touched - {"8"}) <= CHANGING
