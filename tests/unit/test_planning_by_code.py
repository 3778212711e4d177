"""What code can tell of a request it does not ask: the model is left what is open, and no more."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.planning import (
    CONTEXT,
    STAGED,
    WHOLE,
    Counted,
    Planned,
    Raw,
    note,
    opened,
    planned,
    step,
)
from text2mem.errors import RepairExhausted
from text2mem.ir.surface import INSTANCES
from text2mem.pipeline import acompile, previewing
from text2mem.planner import Budget
from text2mem.planner.aids import Aids
from text2mem.planner.lowering import lower_form, lower_verbs
from text2mem.planner.slots import form
from text2mem.program import Program
from text2mem.prompts import load
from text2mem.providers.base import Message, Usage
from text2mem.providers.function import FunctionProvider

STORE = [
    note("The ferry to Nesodden leaves at 8:15.", "travel"),
    note("The boiler man comes in June.", "home"),
    note("Ana drinks green tea.", "people"),
    note("The lease ends in May. The rent is 850 euros.", "home"),
    note("锅炉六月检修。", "家务"),
    note("小波周五搬家。", "朋友"),
]


def slots(done: Planned, question: int = 0) -> dict[str, Any]:
    """The slots that a question asks for, by key."""
    found = done.asked[question].schema
    assert found is not None
    return dict(found["properties"])


# --- nothing to ask ------------------------------------------------------------------------

TOLD: list[tuple[str, Raw]] = [
    ("Archive the boiler note.", step("Demote", {"ids": ["2"]}, archive=True)),
    ("把锅炉那条归档。", step("Demote", {"ids": ["5"]}, archive=True)),
    ("Lock the lease.", step("Lock", {"ids": ["4"]}, mode="read_only")),
    ("Unlock memory 4.", step("Lock", {"ids": ["4"]}, mode="none")),
    ("Delete memory 3.", step("Delete", {"ids": ["3"]})),
    ("删除记忆6。", step("Delete", {"ids": ["6"]})),
    ("Merge memories 2 and 5.", step("Merge", {"ids": ["2", "5"]}, primary_id="2")),
    (
        "Split the lease note into sentences.",
        step("Split", {"ids": ["4"]}, strategy="by_sentences"),
    ),
    ("Let the ferry note expire in three days.", step("Expire", {"ids": ["1"]}, ttl="P3D")),
    ("三天后让小波那条过期。", step("Expire", {"ids": ["6"]}, ttl="P3D")),
    (
        "Remind me every Monday about the boiler.",
        step("Promote", {"ids": ["2"]}, remind={"rrule": "FREQ=WEEKLY;BYDAY=MO"}),
    ),
    (
        'Tag the ferry note as "summer".',
        step("Label", {"ids": ["1"]}, tags=["summer"]),
    ),
    ("给小波那条加上“搬家”标签。", step("Label", {"ids": ["6"]}, tags=["搬家"])),
    (
        'Change the ferry note to "The ferry leaves at 9:00.".',
        step("Update", {"ids": ["1"]}, set={"text": "The ferry leaves at 9:00."}),
    ),
    (
        "Summarize the notes tagged home.",
        step("Summarize", {"filter": {"has_tags": ["home"]}}),
    ),
]


@pytest.mark.parametrize(("said", "program"), TOLD, ids=[said for said, _ in TOLD])
def test_where_code_knows_all_no_model_is_asked(said: str, program: Raw) -> None:
    done = planned(said, store=STORE)
    assert done.program == [program]
    assert done.outcome.trace is not None
    assert done.outcome.trace.questions == []
    assert done.outcome.trace.usage == Usage()
    assert [a.diagnostics for a in done.outcome.trace.attempts] == [()]


@pytest.mark.parametrize("store", [None, STORE], ids=["no store", "store"])
@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Remember that the shed code is 4417.", "The shed code is 4417."),
        ("Please note: milk and bread are out.", "Milk and bread are out."),
        ("记住周三晚上去游泳。", "周三晚上去游泳。"),
    ],
)
def test_what_is_to_be_remembered_is_taken_from_the_request(
    said: str, text: str, store: Any
) -> None:
    [encode] = planned(said, store=store).program
    assert encode["op"] == "Encode"
    assert encode["args"]["payload"] == {"text": text}
    assert all(tag.lower() in text.lower() for tag in encode["args"].get("tags", []))


@pytest.mark.parametrize(("said", "program"), TOLD, ids=[said for said, _ in TOLD])
def test_what_code_alone_writes_is_not_tried_and_needs_no_tags(said: str, program: Raw) -> None:
    seen = Counted(opened("memory", STORE))
    assert planned(said, store=seen).program == [program]
    assert seen.calls
    assert not seen.calls["preview"]
    assert not seen.calls["tags"]


def test_what_a_model_writes_is_tried() -> None:
    seen = Counted(opened("memory", STORE))
    blind = Aids.without(["evidence"])
    planned("Forget the ferry.", {"verbs": ["Delete"]}, {"about": "ferry"}, store=seen, aids=blind)
    assert seen.calls["preview"] == 1
    assert not seen.calls["tags"]


def test_the_tags_are_looked_up_once_where_a_form_names_them() -> None:
    seen = Counted(opened("memory", STORE))
    blind = Aids.without(["evidence"])
    answers = {"verbs": ["Retrieve", "Delete"]}, {"tags": ["home"]}, {"tags": ["home"]}
    planned("Show and delete what is tagged home.", *answers, store=seen, aids=blind)
    assert seen.calls["tags"] == 1


def test_without_a_store_ids_are_enough() -> None:
    assert planned("Delete memory 3.").program == [step("Delete", {"ids": ["3"]})]
    assert planned("把记忆3归档。").program == [step("Demote", {"ids": ["3"]}, archive=True)]


def test_a_request_of_several_steps_is_read_step_by_step() -> None:
    done = planned("Archive the boiler note, then lock the lease.", store=STORE)
    assert done.program == [
        step("Demote", {"ids": ["2"]}, archive=True),
        step("Lock", {"ids": ["4"]}, mode="read_only"),
    ]


def test_both_stores_are_read_alike() -> None:
    for said, program in TOLD:
        adapter = opened("sqlite", STORE)
        assert planned(said, store=adapter).program == [program]
        adapter.close()


def test_both_drivers_leave_the_model_alone() -> None:
    def asked(request: Any) -> Any:
        raise AssertionError("the model was asked")

    adapter = opened("memory", STORE)
    said, program = TOLD[0]
    model = FunctionProvider(asked, profile=STAGED)
    seen = {"store": adapter.view(CONTEXT), "preview": previewing(adapter, CONTEXT)}
    found = asyncio.run(acompile(said, model=model, clock=CONTEXT.clock, **seen))
    assert isinstance(found, Program)
    assert found.to_list() == [program]


def test_a_large_model_is_asked_once_for_the_whole_program() -> None:
    lock = {"op": "Lock", "target": {"ids": ["4"]}, "args": {"mode": "read_only"}}
    done = planned("Lock the lease.", {"ops": [lock]}, store=STORE, profile=WHOLE)
    assert done.program == [step("Lock", {"ids": ["4"]}, mode="read_only")]


# --- only what is open ---------------------------------------------------------------------

OPEN: list[tuple[str, bool, dict[str, Any], Raw]] = [
    (
        "Archive the boiler note.", False, {"about": "boiler"},
        step("Demote", {"search": {"intent": {"query": "boiler"}, "limit": 10}}, archive=True),
    ),
    (
        "把锅炉那条归档。", False, {"about": "锅炉"},
        step("Demote", {"search": {"intent": {"query": "锅炉"}, "limit": 10}}, archive=True),
    ),
    (
        "Tag memory 2.", False, {"add": ["house"]},
        step("Label", {"ids": ["2"]}, tags=["house"]),
    ),
    ("Tag the lease.", True, {"add": ["flat"]}, step("Label", {"ids": ["4"]}, tags=["flat"])),
    (
        "Let the ferry note lapse.", True, {"when": "P7D"},
        step("Expire", {"ids": ["1"]}, ttl="P7D"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "stored", "answer", "program"), OPEN, ids=[f"{said}-{at}" for said, at, *_ in OPEN]
)
def test_the_form_has_only_the_slots_that_are_open(
    said: str, stored: bool, answer: dict[str, Any], program: Raw
) -> None:
    done = planned(said, answer, store=STORE if stored else None)
    assert done.program == [program]
    assert set(slots(done)) == set(answer)
    op = program["op"]
    whole = lower_form(form(op, said)).schema["properties"]
    assert set(answer) < set(whole)
    assert all(slots(done)[key] == whole[key] for key in answer)
    assert done.asked[0].messages[-2:] == (
        Message("assistant", f'{{"verbs": ["{op}"]}}'),
        Message("user", f"Fields of {op}"),
    )


def test_the_turns_before_the_form_are_those_of_every_question() -> None:
    done = planned("Tag the lease.", {"add": ["flat"]}, store=STORE)
    fixed = load("staged").turns
    assert done.asked[0].messages[: len(fixed)] == fixed
    assert done.asked[0].messages[len(fixed)] == Message("user", "Request: Tag the lease.")


# --- the ops that a head allows ------------------------------------------------------------


def test_a_request_without_a_head_may_be_any_op_and_several() -> None:
    done = planned("The boiler.", {"verbs": ["Retrieve"]}, store=STORE)
    assert done.asked[0].schema == lower_verbs().schema
    assert slots(done)["verbs"]["items"]["enum"] == list(INSTANCES)
    [retrieve] = done.program
    assert retrieve["op"] == "Retrieve"


def test_a_head_of_several_ops_leaves_the_model_those() -> None:
    said = "Organize the lease."
    done = planned(said, {"verbs": ["Summarize"]}, store=STORE)
    verbs = slots(done)["verbs"]
    allowed = verbs["items"]["enum"]
    assert {"Label", "Summarize"} <= set(allowed) < set(INSTANCES)
    assert verbs["maxItems"] == 1
    assert done.asked[0].schema == lower_verbs(allowed, 1).schema
    assert [each["op"] for each in done.program] == ["Summarize"]


def test_a_step_that_is_open_is_asked_with_its_own_words() -> None:
    done = planned(
        "Archive the boiler note, then organize the lease.", {"verbs": ["Summarize"]}, store=STORE
    )
    assert [each["op"] for each in done.program] == ["Demote", "Summarize"]
    said = done.asked[0].messages[-1].content
    assert said.startswith("Request: ") and "organize the lease" in said
    assert "boiler" not in said


# --- what code wrote is refused ------------------------------------------------------------


def test_what_code_wrote_and_is_refused_is_asked_of_the_model() -> None:
    done = planned("Merge memory 3.", {"ids": ["3", "5"]})
    assert done.program == [step("Merge", {"ids": ["3", "5"]}, primary_id="3")]
    [request] = done.asked
    assert request.schema == lower_form(form("Merge", "Merge memory 3.")).schema
    asked, told = request.messages[-2:]
    assert asked == Message("user", "Fields of Merge")
    assert told.content.split("\n")[1].startswith("ids: ")
    assert "[merge-one-memory]" in told.content
    trace = done.outcome.trace
    assert trace is not None
    first, second = trace.attempts
    assert [d.code for d in first.diagnostics] == ["merge-one-memory"]
    assert first.usage == Usage() and second.diagnostics == ()


def test_a_redraft_of_what_code_wrote_is_bounded_like_any_other() -> None:
    with pytest.raises(RepairExhausted, match="the same diagnostics came back"):
        planned("Merge memory 3.", {"ids": ["3"]})
    with pytest.raises(RepairExhausted, match="0 redrafts did not mend it"):
        planned("Merge memory 3.", budget=Budget(attempts=0))


# --- nobody invents ------------------------------------------------------------------------

INVENTED = [
    (
        "Update the boiler note with the new date.",
        "The boiler man of Acme comes in July.", "The boiler man comes in June.",
    ),
    ("把小波那条更新成新的日子。", "小波十二月去挪威。", "小波周五搬家。"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "text", "held"), INVENTED)
def test_words_that_nobody_said_are_asked_for(said: str, text: str, held: str) -> None:
    done = planned(said, {"text": text}, store=STORE)
    assert done.question.reason == "missing-content"
    assert done.question.options == ()
    assert [each["text"] for each in done.question.candidates] == [held]
    assert set(slots(done)) == {"text"}
    assert f'It says now: ["{held}"]' in done.asked[0].messages[-1].content


def test_words_that_the_memory_or_the_request_says_are_no_invention() -> None:
    said = "Update the boiler note with July as the new month."
    text = "The boiler man comes in July."
    done = planned(said, {"text": text}, store=STORE)
    assert done.program == [step("Update", {"ids": ["2"]}, set={"text": text})]


def test_a_redraft_may_not_invent_either() -> None:
    said = "Update the boiler note with July as the new month."
    done = planned(said, {"text": ""}, {"text": "Acme comes in July."}, store=STORE)
    assert done.question.reason == "missing-content"
    assert done.outcome.trace is not None
    assert [d.code for d in done.outcome.trace.attempts[0].diagnostics] == ["bad-length"]
