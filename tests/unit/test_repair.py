"""Repair: bounded, to the point, and honest when it gives up."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from text2mem.clock import FixedClock
from text2mem.errors import (
    ContextOverflow,
    EmptyAnswer,
    MalformedOutput,
    ModelOutputError,
    ModelRefusal,
    RateLimited,
    RepairExhausted,
    ServiceError,
    ServiceTimeout,
    ServiceUnreachable,
    TruncatedOutput,
)
from text2mem.ir.diagnostic import Diagnostic, render
from text2mem.pipeline import compile, validate
from text2mem.planner import Attempt, Budget
from text2mem.planner.aids import Aids
from text2mem.planner.lowering import lower_form, lower_instance
from text2mem.planner.parts import Part
from text2mem.planner.planner import Planner
from text2mem.planner.slots import form
from text2mem.program import Program
from text2mem.providers.base import Completion, Message, Request, Usage
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import Profile

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
WHOLE = Profile(planning="whole", echo_answer=True)
QUIET = Profile(planning="whole", echo_answer=False)
STAGED = Profile()
ENOUGH = Usage(prompt=100, output=10)
BLIND = Aids.without(["evidence"])
"""Nothing is read from the utterance by code, so that the model is asked for all of it."""


class Script:
    """A model that gives its answers in order; an exception among them is raised."""

    def __init__(self, *answers: Any, usage: Usage = ENOUGH) -> None:
        self.answers = answers
        self.usage = usage
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Any:
        self.requests.append(request)
        answer = self.answers[len(self.requests) - 1]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return answer
        return Completion(json.dumps(answer, ensure_ascii=False), answer, self.usage, "script")


def compiled(script: Script, profile: Profile = WHOLE, **budget: int) -> Program:
    program = compile(
        "Do what I said.", model=FunctionProvider(script, profile=profile),
        clock=FixedClock(NOW), budget=Budget(**budget), aids=BLIND,
    )  # fmt: skip
    assert isinstance(program, Program)
    return program


def exhausted(script: Script, profile: Profile = WHOLE, **budget: int) -> RepairExhausted:
    with pytest.raises(RepairExhausted) as caught:
        compiled(script, profile, **budget)
    return caught.value


def attempts(error: RepairExhausted) -> list[Attempt]:
    assert all(isinstance(attempt, Attempt) for attempt in error.attempts)
    return [attempt for attempt in error.attempts if isinstance(attempt, Attempt)]


def promote(delta: float) -> dict[str, Any]:
    """Legal where the delta is above 0; every illegal delta earns a diagnostic of its own."""
    return {"op": "Promote", "target": {"ids": ["1"]}, "args": {"weight_delta": delta}}


def staged(instance: dict[str, Any], stage: str = "STO") -> dict[str, Any]:
    return {"stage": stage, **instance}


ENCODE = {"op": "Encode", "args": {"payload": {"text": "milk"}}}
LABEL = {"op": "Label", "target": {"ids": ["$1"]}, "args": {"tags": ["food"], "mode": "remove"}}


# --- bounds --------------------------------------------------------------------------------


@pytest.mark.parametrize("redrafts", [0, 1, 2, 3, 5])
def test_redrafts_are_bounded(redrafts: int) -> None:
    deltas = [-i / 100 for i in range(1, 20)]
    script = Script({"ops": [promote(deltas[0])]}, *map(promote, deltas[1:]))
    error = exhausted(script, attempts=redrafts)
    assert len(script.requests) == redrafts + 1
    assert len(error.attempts) == redrafts + 1
    assert f"{redrafts} redrafts did not mend it" in str(error)


def test_the_last_redraft_within_the_bound_counts() -> None:
    script = Script({"ops": [promote(-0.1)]}, promote(-0.2), promote(-0.3), promote(0.4))
    assert compiled(script, attempts=3).to_list() == [staged(promote(0.4))]


@pytest.mark.parametrize(("tokens", "questions"), [(1, 1), (10, 1), (11, 2), (20, 2), (25, 3)])
def test_output_tokens_are_bounded_over_the_whole_compile(tokens: int, questions: int) -> None:
    deltas = [-i / 100 for i in range(1, 20)]
    script = Script({"ops": [promote(deltas[0])]}, *map(promote, deltas[1:]))
    error = exhausted(script, attempts=10, tokens=tokens)
    assert len(script.requests) == questions
    assert f"{10 * questions} output tokens are spent" in str(error)


def test_the_tokens_of_a_draft_in_stages_count_together() -> None:
    script = Script({"verbs": ["Expire"]}, {"about": "a", "when": "soonish"})
    error = exhausted(script, STAGED, tokens=20)
    assert [attempt.usage for attempt in attempts(error)] == [Usage(prompt=200, output=20)]


def test_a_legal_draft_costs_no_more_than_itself() -> None:
    script = Script({"ops": [promote(0.1)]}, usage=Usage(prompt=5, output=9_999, cached=3))
    program = compiled(script, tokens=1)
    assert program.trace is not None
    assert program.trace.usage == Usage(prompt=5, output=9_999, cached=3)
    assert len(program.trace.attempts) == len(program.trace.questions) == 1


def test_it_stops_where_the_same_diagnostics_come_back() -> None:
    script = Script({"ops": [promote(-0.1)]}, promote(-0.2), promote(-0.2), promote(0.3))
    error = exhausted(script, attempts=9)
    assert len(script.requests) == 3
    assert "the same diagnostics came back" in str(error)
    assert "delta-sign" in str(error)


def test_the_same_diagnostics_are_the_same_however_the_draft_differs() -> None:
    again = {**promote(-0.1), "args": {"weight_delta": -0.1, "reason": "because"}}
    error = exhausted(Script({"ops": [promote(-0.1)]}, again), attempts=9)
    first, second = attempts(error)
    assert first.program != second.program
    assert first.diagnostics == second.diagnostics


def test_an_unusable_answer_in_between_does_not_hide_the_repetition() -> None:
    script = Script({"ops": [promote(-0.1)]}, "no JSON", promote(-0.1), promote(0.1))
    error = exhausted(script, attempts=9)
    assert len(script.requests) == 3
    assert "the same diagnostics came back" in str(error)


# --- only what failed is redrafted ---------------------------------------------------------


def test_a_redraft_leaves_the_other_instances_as_they_were() -> None:
    script = Script({"ops": [ENCODE, promote(-0.1), LABEL]}, promote(0.1))
    program = compiled(script)
    assert program.to_list() == [staged(ENCODE, "ENC"), staged(promote(0.1)), staged(LABEL)]
    assert script.requests[1].schema == lower_instance("Promote").schema


def test_several_failing_instances_are_redrafted_one_after_another() -> None:
    merge = {"op": "Merge", "target": {"ids": ["4"]}, "args": {"primary_id": "4"}}
    mended = {"op": "Merge", "target": {"ids": ["4", "5"]}, "args": {"primary_id": "4"}}
    script = Script({"ops": [promote(-0.1), ENCODE, merge]}, promote(0.1), mended)
    program = compiled(script)
    assert [i["op"] for i in program.to_list()] == ["Promote", "Encode", "Merge"]
    assert program.to_list()[2]["target"] == {"ids": ["4", "5"]}
    schemas = [request.schema for request in script.requests[1:]]
    assert schemas == [lower_instance("Promote").schema, lower_instance("Merge").schema]
    assert "[delta-sign]" in script.requests[1].messages[-1].content
    assert "[merge-one-memory]" not in script.requests[1].messages[-1].content
    assert "[merge-one-memory]" in script.requests[2].messages[-1].content


def test_only_the_slots_of_the_failing_verb_are_asked_for_again() -> None:
    script = Script(
        {"verbs": ["Delete", "Expire", "Retrieve"]},
        {"about": "lunch"}, {"about": "coupon", "when": "soonish"}, {"about": "harbour"},
        {"about": "coupon", "when": "P3D"},
    )  # fmt: skip
    program = compiled(script, STAGED)
    delete, expire, retrieve = program.to_list()
    assert delete["target"]["search"]["intent"] == {"query": "lunch"}
    assert expire["args"] == {"ttl": "P3D"}
    assert retrieve["target"]["search"]["intent"] == {"query": "harbour"}
    assert len(script.requests) == 5
    asked = form("Expire", "Do what I said.")
    assert script.requests[2].schema == lower_form(asked).schema
    stricter = asked.narrowed({"when": "unreadable-time"})
    assert script.requests[4].schema == lower_form(stricter, {"about": "coupon"}).schema
    assert script.requests[4].schema != script.requests[2].schema
    assert script.requests[4].messages[:-1] == script.requests[2].messages


def test_a_redraft_of_a_found_merge_keeps_its_references_right() -> None:
    script = Script(
        {"verbs": ["Delete", "Merge", "Merge"]},
        {"about": "lunch"}, {"about": ""}, {"about": "hotel"}, {"about": "flight"},
    )  # fmt: skip
    program = compiled(script, STAGED).to_list()
    assert [i["op"] for i in program] == ["Delete", "Retrieve", "Merge", "Retrieve", "Merge"]
    assert [i["target"] for i in program if i["op"] == "Merge"] == [
        {"ids": ["$2"]},
        {"ids": ["$4"]},
    ]
    assert program[1]["target"]["search"]["intent"] == {"query": "flight"}


def test_a_program_with_a_strange_op_is_redrafted_as_a_whole() -> None:
    eat = {"op": "Eat", "target": {"ids": ["1"]}}
    script = Script({"ops": [ENCODE, eat]}, {"ops": [ENCODE, promote(0.1)]})
    assert [i["op"] for i in compiled(script).to_list()] == ["Encode", "Promote"]
    assert "[unknown-op]" in script.requests[1].messages[-1].content


# --- what a redraft is told ----------------------------------------------------------------


def test_a_large_model_sees_its_bad_answer_again() -> None:
    script = Script({"ops": [promote(-0.1)]}, promote(-0.2), promote(0.3))
    compiled(script)
    draft, first, second = (request.messages for request in script.requests)
    assert first[: len(draft)] == draft
    assert first[len(draft)] == Message("assistant", json.dumps({"ops": [promote(-0.1)]}))
    assert [m.role for m in first[len(draft) :]] == ["assistant", "user"]
    # The latest answer takes the place of the one before: the prompt does not grow.
    assert second[: len(draft)] == draft
    assert second[len(draft)] == Message("assistant", json.dumps(promote(-0.2)))
    assert [m.role for m in second[len(draft) :]] == ["assistant", "user"]


@pytest.mark.parametrize("planning", ["whole", "staged"])
def test_a_small_model_is_told_what_is_wrong_and_never_shown_its_answer(planning: str) -> None:
    if planning == "whole":
        script = Script({"ops": [promote(-0.125)]}, promote(0.3))
        bad, drafts = json.dumps(promote(-0.125)), 1
    else:
        fields = {"about": "the coupon", "when": "soonish"}
        script = Script({"verbs": ["Expire"]}, fields, {"about": "the coupon", "when": "P3D"})
        bad, drafts = json.dumps(fields), 2
    compiled(script, QUIET if planning == "whole" else STAGED)
    draft, redraft = script.requests[drafts - 1], script.requests[drafts]
    assert redraft.messages[:-1] == draft.messages
    assert redraft.messages[-1].role == "user"
    assert all(bad not in message.content for message in redraft.messages)


def every(document: Any) -> list[Diagnostic]:
    return validate(document, now=NOW)


def test_the_complaint_holds_every_diagnostic_of_the_failing_instance_and_no_other() -> None:
    label = staged({"op": "Label", "target": {"ids": ["3"]}, "args": {"tags": []}})
    bad = staged({
        "op": "Promote",
        "target": {"ids": ["1"], "all": True},
        "args": {"weight": 2, "weight_delta": -0.1, "colour": "red", "remind": {"rrule": "daily"}},
    })  # fmt: skip
    script = Script({"ops": [bad, label]}, promote(0.1), {**label, "args": {"tags": ["a"]}})
    compiled(script)
    said = script.requests[1].messages[-1].content
    expected = every([bad])
    assert len(expected) >= 5
    assert said == (
        f"The year is 2026. That answer cannot be used:\n{render(expected)}\n"
        "Give the fields of Promote again, with another value where it says so."
    )
    again = script.requests[2].messages[-1].content
    [wrong] = [d for d in every([staged(promote(0.1)), label]) if d.pointer.startswith("/1")]
    assert render([wrong]) in again
    assert again.count("[") == 1


# --- a staged redraft: sound slots stay, the blamed one is narrowed and named --------------


def redrafted(
    said: str, op: str, draft: Any, mended: Any, *more: Any, now: datetime = NOW
) -> list[Request]:
    """The requests of the redrafts of a plan of one verb."""
    script = Script({"verbs": [op]}, draft, mended, *more)
    provider = FunctionProvider(script, profile=STAGED)
    compile(said, model=provider, clock=FixedClock(now), aids=BLIND)
    return script.requests[2:]


def schema(request: Request) -> dict[str, Any]:
    assert request.schema is not None
    return dict(request.schema)


def complaint(request: Request, op: str, year: str = "2026") -> list[str]:
    """What a redraft's request says is wrong, a line each."""
    first, *wrong, last = request.messages[-1].content.split("\n")
    assert first == f"The year is {year}. That answer cannot be used:"
    assert last == f"Give the fields of {op} again, with another value where it says so."
    return wrong


BLAMED: list[tuple[str, str, dict[str, Any], dict[str, Any], str]] = [
    ("Let it lapse.", "Expire", {"about": "coupon", "when": "soonish"},
     {"when": "2026-05-01"}, "[unreadable-time]"),
    ("Let it lapse.", "Expire", {"about": "coupon", "when": "yesterday"},
     {"when": "tomorrow"}, "[horizon-past]"),
    ("Let it lapse.", "Expire", {"about": "coupon", "when": "P0D"},
     {"when": "P3D"}, "[horizon-past]"),
    ("Let it lapse.", "Expire", {"about": "coupon", "when": "P99999Y"},
     {"when": "P9Y"}, "[unreadable-duration]"),
    ("Let it lapse.", "Expire", {"about": "", "when": "P3D"}, {"about": "coupon"}, "[bad-length]"),
    ("删掉老早以前的闲聊。", "Delete", {"about": "闲聊", "older_than": "老早"},
     {"older_than": "P1Y"}, "[unreadable-duration]"),
    ("Ping me every day.", "Promote", {"about": "ferns", "rrule": "FREQ=SUNDAYS"},
     {"rrule": "FREQ=WEEKLY;BYDAY=SU"}, "[bad-rrule]"),
    ("Tag it.", "Label", {"about": "ferns", "add": ["green", " "]}, {"add": ["green"]},
     "[blank-tag]"),
    ("Note it.", "Encode", {"text": "", "tags": ["fern"]}, {"text": "ferns"}, "[bad-length]"),
    ("Note it.", "Encode", {"text": "ferns", "tags": [" "]}, {"tags": ["fern"]}, "[blank-tag]"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "op", "draft", "mend", "code"),
    BLAMED,
    ids=[f"{op}-{code}" for _, op, *_, code in BLAMED],
)
def test_a_redraft_keeps_what_is_sound_and_names_what_is_not(
    said: str, op: str, draft: dict[str, Any], mend: dict[str, Any], code: str
) -> None:
    [blamed] = mend
    mended = {**draft, **mend}
    [request] = redrafted(said, op, draft, mended)
    slots = schema(request)["properties"]
    assert list(slots) == schema(request)["required"] == list(draft)
    sound = {key: {"const": value} for key, value in draft.items() if key != blamed}
    assert sound and {key: slots[key] for key in sound} == sound
    assert "const" not in slots[blamed]
    judge = Draft202012Validator(schema(request))
    assert judge.is_valid(mended)
    assert not any(judge.is_valid({**mended, key: f"{draft[key]}!"}) for key in sound)
    [wrong] = complaint(request, op)
    assert wrong.startswith(f"{blamed}: ")
    assert wrong.endswith(code)
    assert "/0/" not in wrong


@pytest.mark.parametrize(
    ("said", "op", "draft", "code"),
    [(said, op, draft, code) for said, op, draft, _, code in BLAMED if "unreadable" in code],
)
def test_a_slot_that_could_not_be_read_is_narrowed_so_that_it_can(
    said: str, op: str, draft: dict[str, Any], code: str
) -> None:
    script = Script({"verbs": [op]}, draft, draft)
    provider = FunctionProvider(script, profile=STAGED)
    with pytest.raises(RepairExhausted, match="the same diagnostics came back"):
        compile(said, model=provider, clock=FixedClock(NOW), aids=BLIND)
    drafted, request = script.requests[1:]
    key = next(key for key in draft if key != "about")
    assert Draft202012Validator(schema(drafted)).is_valid(draft)
    assert not Draft202012Validator(schema(request)).is_valid(draft)
    assert request.schema == (
        lower_form(
            form(op, said).narrowed({key: code.strip("[]")}), {"about": draft["about"]}
        ).schema
    )


def test_every_blamed_slot_is_named_and_none_of_them_is_kept() -> None:
    draft = {"about": "", "when": "P0D"}
    [request] = redrafted("Let it lapse.", "Expire", draft, {"about": "coupon", "when": "P1D"})
    assert [line.partition(": ")[0] for line in complaint(request, "Expire")] == ["about", "when"]
    assert request.schema == lower_form(form("Expire", "Let it lapse.")).schema


def test_a_second_redraft_keeps_what_the_first_one_made_sound() -> None:
    first, second = redrafted(
        "Let it lapse.", "Expire", {"about": "", "when": "P3D"},
        {"about": "coupon", "when": "soonish"}, {"about": "coupon", "when": "P3D"},
    )  # fmt: skip
    assert schema(first)["properties"]["when"] == {"const": "P3D"}
    assert schema(second)["properties"]["about"] == {"const": "coupon"}
    assert complaint(second, "Expire")[0].startswith("when: ")
    assert len(complaint(second, "Expire")) == 1


def test_a_slot_is_narrowed_only_as_long_as_it_is_blamed() -> None:
    first, second = redrafted(
        "Let it lapse.", "Expire", {"about": "coupon", "when": "soonish"},
        {"about": "coupon", "when": "2026-01-01"}, {"about": "coupon", "when": "2026-05-01"},
    )  # fmt: skip
    assert "pattern" in schema(first)["properties"]["when"]
    drafted = lower_form(form("Expire", "Let it lapse."), {"about": "coupon"})
    assert second.schema == drafted.schema


def test_the_ids_of_a_merge_are_named_for_the_primary_among_them() -> None:
    [request] = redrafted("Merge memories 3 and 5.", "Merge", {"ids": ["x"]}, {"ids": ["3", "5"]})
    wrong = complaint(request, "Merge")
    assert len(wrong) > 1
    assert {line.partition(": ")[0] for line in wrong} == {"ids"}


def test_a_diagnostic_beside_that_of_a_slot_keeps_its_place() -> None:
    half = {"about": "\ud800", "add": ["fern"]}
    [request] = redrafted("Tag it.", "Label", half, {"about": "trip", "add": ["fern"]})
    whole, about = complaint(request, "Label")
    assert whole.startswith("/: ") and whole.endswith("[not-unicode]")
    assert about.startswith("about: ") and about.endswith("[wrong-type]")
    asked = form("Label", "Tag it.")
    assert request.schema == lower_form(asked, {"add": ["fern"]}).schema


def test_a_diagnostic_that_no_slot_answers_for_keeps_its_place_and_the_form_as_it_is() -> None:
    asked = form("Delete", "Forget it.")
    turns = (Message("user", "Fields of Delete"),)
    part = Part("Delete", lower_form(asked), turns, "2026", data={"about": "a"}, form=asked)
    wrong = Diagnostic("search-needs-limit", "/0/target/search/limit", "there is none")
    request = next(Planner(STAGED).redraft(part, [wrong]))
    assert complaint(request, "Delete") == [
        "/0/target/search/limit: there is none [search-needs-limit]"
    ]
    assert request.schema == part.lowered.schema


@pytest.mark.parametrize("data", [None, 5, [], "about"])
def test_an_answer_that_has_no_slots_has_none_to_keep(data: Any) -> None:
    asked = form("Delete", "Forget it.")
    part = Part("Delete", lower_form(asked), (), "2026", data=data, form=asked)
    wrong = Diagnostic("bad-length", "/0/target/search/intent/query", "too short")
    assert next(Planner(STAGED).redraft(part, [wrong])).schema == part.lowered.schema


def test_a_diagnostic_of_another_step_is_not_in_the_complaint() -> None:
    script = Script(
        {"verbs": ["Label", "Expire"]},
        {"about": "ferns", "add": [" "]}, {"about": "coupon", "when": "soonish"},
        {"about": "ferns", "add": ["green"]}, {"about": "coupon", "when": "P3D"},
    )  # fmt: skip
    program = compiled(script, STAGED).to_list()
    assert [i["args"] for i in program] == [{"tags": ["green"]}, {"ttl": "P3D"}]
    label, expire = script.requests[3:]
    assert [line.partition(": ")[0] for line in complaint(label, "Label")] == ["add"]
    assert [line.partition(": ")[0] for line in complaint(expire, "Expire")] == ["when"]


@pytest.mark.parametrize("year", ["2026", "2031"])
@pytest.mark.parametrize("planning", ["whole", "staged"])
def test_a_redraft_is_told_the_year(year: str, planning: str) -> None:
    now = NOW.replace(year=int(year))
    if planning == "staged":
        draft = {"about": "coupon", "when": "soonish"}
        [request] = redrafted("End it.", "Expire", draft, {**draft, "when": "P3D"}, now=now)
    else:
        script = Script({"ops": [promote(-0.1)]}, promote(0.1))
        compile("Do it.", model=FunctionProvider(script, profile=WHOLE), clock=FixedClock(now))
        request = script.requests[1]
    assert complaint(request, "Expire" if planning == "staged" else "Promote", year)


def test_a_whole_draft_is_redrafted_with_pointers_and_nothing_kept() -> None:
    script = Script({"ops": [promote(-0.1)]}, promote(0.1))
    compiled(script, WHOLE)
    assert script.requests[1].schema == lower_instance("Promote").schema
    assert complaint(script.requests[1], "Promote")[0].startswith("/0/args/weight_delta: ")


def test_a_merge_without_an_id_to_lead_it_is_an_unusable_answer() -> None:
    script = Script({"verbs": ["Merge"]}, {"ids": []}, {"verbs": ["Merge"]}, {"about": "hotel"})
    assert [i["op"] for i in compiled(script, STAGED).to_list()] == ["Retrieve", "Merge"]


# --- giving up -----------------------------------------------------------------------------


def test_giving_up_carries_every_attempt() -> None:
    usages = iter([Usage(100, 10), Usage(120, 7, 90), Usage(140, 5, 110)])
    deltas = iter([-0.1, -0.2, -0.3])
    first = True

    def answer(request: Request) -> Completion:
        nonlocal first
        instance = promote(next(deltas))
        data: Any = {"ops": [instance]} if first else instance
        first = False
        return Completion(json.dumps(data), data, next(usages), "script")

    with pytest.raises(RepairExhausted) as caught:
        compile(
            "Do it.", model=FunctionProvider(answer, profile=WHOLE), clock=FixedClock(NOW),
            budget=Budget(attempts=2),
        )  # fmt: skip
    found = attempts(caught.value)
    assert [attempt.program for attempt in found] == [
        (staged(promote(delta)),) for delta in (-0.1, -0.2, -0.3)
    ]
    assert [attempt.usage for attempt in found] == [
        Usage(100, 10), Usage(120, 7, 90), Usage(140, 5, 110),
    ]  # fmt: skip
    for attempt in found:
        assert [(d.code, d.pointer) for d in attempt.diagnostics] == [
            ("delta-sign", "/0/args/weight_delta")
        ]
    assert [attempt.answer for attempt in found] == [
        json.dumps({"ops": [promote(-0.1)]}), json.dumps(promote(-0.2)), json.dumps(promote(-0.3)),
    ]  # fmt: skip
    assert not any(attempt.fault for attempt in found)
    assert render(found[-1].diagnostics) in str(caught.value)
    assert caught.value.hint


def test_a_mended_program_keeps_the_trace_of_its_mending() -> None:
    program = compiled(Script({"ops": [promote(-0.1)]}, promote(0.2)))
    assert program.trace is not None
    first, second = program.trace.attempts
    assert [d.code for d in first.diagnostics] == ["delta-sign"]
    assert second.diagnostics == ()
    assert program.trace.usage == Usage(prompt=200, output=20)
    assert len(program.trace.questions) == 2


# --- answers that are of no use ------------------------------------------------------------


UNUSABLE: list[tuple[Callable[[], Any], type[ModelOutputError]]] = [
    (lambda: "no JSON", MalformedOutput),
    (lambda: "  ", EmptyAnswer),
    (lambda: "I'm sorry, I cannot help with that.", ModelRefusal),
    (lambda: TruncatedOutput("the answer stopped", raw='{"ops": ['), TruncatedOutput),
    (lambda: EmptyAnswer("nothing", raw=""), EmptyAnswer),
    (lambda: MalformedOutput("no JSON", raw="{"), MalformedOutput),
]


@pytest.mark.parametrize(("unusable", "kind"), UNUSABLE)
def test_an_unusable_draft_is_asked_for_again(unusable: Any, kind: type[Exception]) -> None:
    script = Script(unusable(), {"ops": [promote(0.1)]})
    program = compiled(script)
    assert program.to_list() == [staged(promote(0.1))]
    assert script.requests[0] == script.requests[1]
    assert program.trace is not None
    first, second = program.trace.attempts
    assert first.fault and not first.program and not first.diagnostics
    assert not second.fault


@pytest.mark.parametrize(("unusable", "kind"), UNUSABLE)
def test_an_unusable_redraft_is_asked_for_again(unusable: Any, kind: type[Exception]) -> None:
    script = Script({"ops": [ENCODE, promote(-0.1)]}, unusable(), promote(0.1))
    assert [i["op"] for i in compiled(script).to_list()] == ["Encode", "Promote"]
    assert script.requests[1] == script.requests[2]


@pytest.mark.parametrize(("unusable", "kind"), UNUSABLE)
def test_the_same_unusable_answer_twice_is_enough(unusable: Any, kind: type[Exception]) -> None:
    script = Script(unusable(), unusable(), {"ops": [promote(0.1)]})
    with pytest.raises(kind):
        compiled(script, attempts=9)
    assert len(script.requests) == 2


@pytest.mark.parametrize("redrafts", [0, 1, 3])
def test_unusable_answers_are_bounded_in_attempts(redrafts: int) -> None:
    script = Script(*(f"no JSON {i}" for i in range(20)))
    with pytest.raises(MalformedOutput) as caught:
        compiled(script, attempts=redrafts)
    assert len(script.requests) == redrafts + 1
    assert caught.value.raw == f"no JSON {redrafts}"


def test_unusable_answers_and_illegal_drafts_share_one_bound() -> None:
    script = Script("no JSON", {"ops": [promote(-0.1)]}, "no JSON", promote(-0.2), promote(0.1))
    error = exhausted(script, attempts=3)
    assert len(script.requests) == 4
    assert [bool(attempt.fault) for attempt in attempts(error)] == [True, False, True, False]


def test_an_unusable_end_of_a_repair_does_not_lose_the_attempts_before() -> None:
    script = Script({"ops": [promote(-0.1)]}, "no JSON", "no JSON either")
    error = exhausted(script, attempts=2)
    assert isinstance(error.__cause__, MalformedOutput)
    first, second, third = attempts(error)
    assert [d.code for d in first.diagnostics] == ["delta-sign"]
    assert (second.answer, third.answer) == ("no JSON", "no JSON either")
    assert "not JSON" in third.fault


def test_tokens_bound_a_repair_that_ends_in_unusable_answers_too() -> None:
    script = Script({"verbs": ["Delete"]}, {"query": "a"}, {"verbs": ["Delete"]}, {"about": "a"})
    with pytest.raises(MalformedOutput):
        compiled(script, STAGED, tokens=20)
    assert len(script.requests) == 2


ENDING: list[Exception] = [
    ContextOverflow("too long", needed=9_000, available=4_096),
    ServiceError("down"),
    ServiceUnreachable("refused", service="function"),
    ServiceTimeout("no answer", service="function"),
    RateLimited("too many", retry_after=3.0),
]


@pytest.mark.parametrize("error", ENDING, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("before", [[], [{"ops": [promote(-0.1)]}]], ids=["draft", "redraft"])
def test_what_asking_again_cannot_mend_ends_at_once(error: Exception, before: list[Any]) -> None:
    script = Script(*before, error, {"ops": [promote(0.1)]})
    with pytest.raises(type(error)) as caught:
        compiled(script, attempts=9)
    assert caught.value is error
    assert len(script.requests) == len(before) + 1


def test_nothing_else_is_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        compiled(Script(ZeroDivisionError()))
