"""Repair: an able reader is asked again, bounded and to the point; a small one's doubts are asked.

A draft that comes back unchanged is the reader's last word.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.planning import ABLE, CONTEXT, NOW, SMALL, Raw, besides, draft, note, opened, part, step
from text2mem.clock import FixedClock
from text2mem.compiled import Clarification, Compiled
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
from text2mem.ir.diagnostic import render
from text2mem.pipeline import compile
from text2mem.planner import Attempt, Budget
from text2mem.program import Program
from text2mem.providers.base import Completion, Message, Request, Usage
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import TUNED, Profile
from text2mem.running import previewing

ENOUGH = Usage(prompt=100, output=10)
STORE = [note("Milk is out", "list"), note("The boiler is serviced in June", "home")]
FORGET = draft("Delete", about="milk")
ERASED = [step("Delete", {"ids": ["1"]})]


class Script:
    """A model that gives its answers in order; an exception among them is raised."""

    def __init__(self, *answers: Any, usage: Usage = ENOUGH) -> None:
        self.answers = answers
        self.usage = usage
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Any:
        told = besides(request)
        if told is not None:
            return json.dumps(told)
        self.requests.append(request)
        answer = self.answers[len(self.requests) - 1]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return answer
        return Completion(json.dumps(answer, ensure_ascii=False), answer, self.usage, "script")


def outcome(
    script: Script, said: str = "Forget the milk.", profile: Profile = ABLE,
    store: Sequence[Raw] = STORE, **budget: int,
) -> Compiled:  # fmt: skip
    adapter = opened("plain", store)
    return compile(
        said, model=FunctionProvider(script, profile=profile), clock=FixedClock(NOW),
        budget=Budget(**budget), store=adapter.view(CONTEXT),
        preview=previewing(adapter, CONTEXT),
    )  # fmt: skip


def compiled(script: Script, *rest: Any, **options: Any) -> Program:
    program = outcome(script, *rest, **options)
    assert isinstance(program, Program), program
    return program


def asked(script: Script, *rest: Any, **options: Any) -> Clarification:
    question = outcome(script, *rest, **options)
    assert isinstance(question, Clarification), question
    return question


def exhausted(script: Script, *rest: Any, **budget: int) -> RepairExhausted:
    with pytest.raises(RepairExhausted) as caught:
        outcome(script, *rest, **budget)
    return caught.value


def attempts(error: RepairExhausted) -> list[Attempt]:
    assert all(isinstance(attempt, Attempt) for attempt in error.attempts)
    return [attempt for attempt in error.attempts if isinstance(attempt, Attempt)]


def broken(number: int) -> Raw:
    """A draft that breaks the contract, another one for every number."""
    return draft("Delete", **{f"key{number}": "milk"})


def absent(number: int) -> Raw:
    """A draft whose memory is not there, another one for every number."""
    return draft("Delete", about=f"zeppelin {number}")


# --- bounds --------------------------------------------------------------------------------


@pytest.mark.parametrize("attempts_", [0, 1, 2, 3, 5])
def test_rereadings_are_bounded(attempts_: int) -> None:
    script = Script(*map(broken, range(20)))
    error = exhausted(script, attempts=attempts_)
    assert len(script.requests) == attempts_ + 1
    assert len(error.attempts) == attempts_ + 1


@pytest.mark.parametrize("attempts_", [0, 1, 3])
def test_a_doubt_that_no_rereading_settles_within_the_bound_is_asked(attempts_: int) -> None:
    script = Script(*map(absent, range(20)))
    question = asked(script, attempts=attempts_)
    assert question.reason == "nothing-found"
    assert len(script.requests) == attempts_ + 1


def test_the_last_rereading_within_the_bound_counts() -> None:
    script = Script(broken(1), absent(2), broken(3), FORGET)
    assert compiled(script, attempts=3).to_list() == ERASED


@pytest.mark.parametrize(("tokens", "questions"), [(1, 1), (10, 1), (11, 2), (20, 2), (25, 3)])
def test_output_tokens_are_bounded_over_the_whole_compile(tokens: int, questions: int) -> None:
    script = Script(*map(broken, range(20)))
    exhausted(script, attempts=10, tokens=tokens)
    assert len(script.requests) == questions


def test_a_draft_without_a_fault_costs_no_more_than_itself() -> None:
    script = Script(FORGET, usage=Usage(prompt=5, output=9_999, cached=3))
    program = compiled(script, tokens=1)
    assert program.trace is not None
    assert program.trace.usage == Usage(prompt=5, output=9_999, cached=3)
    assert len(program.trace.attempts) == len(program.trace.questions) == 1


def test_it_stops_where_a_broken_draft_comes_back() -> None:
    script = Script(broken(1), broken(2), broken(2), FORGET)
    error = exhausted(script, attempts=9)
    assert len(script.requests) == 3
    assert "unknown-key" in str(error)


# --- what an able reader is told -----------------------------------------------------------


def test_an_able_reader_is_shown_its_answer_and_what_is_wrong_with_it() -> None:
    script = Script(absent(1), FORGET)
    assert compiled(script).to_list() == ERASED
    first, second = (request.messages for request in script.requests)
    assert second[: len(first)] == first
    answer, complaint = second[len(first) :]
    assert answer == Message("assistant", json.dumps(absent(1)))
    assert complaint.role == "user"
    assert "/steps/0: the store holds no memory of 'zeppelin 1'" in complaint.content
    assert "[empty-selection]" in complaint.content
    # What the decoder enforces stays the whole contract: the op may change.
    assert script.requests[0].schema == script.requests[1].schema


def test_every_doubt_of_a_draft_is_told_at_once() -> None:
    two = {"steps": [*absent(1)["steps"], part("Merge", about="boiler")]}
    script = Script(two, FORGET)
    compiled(script)
    told = script.requests[1].messages[-1].content
    assert "/steps/0: the store holds no memory" in told
    assert "/steps/1: a merge takes two memories or more" in told


def test_a_refusal_of_the_store_is_told_with_its_step() -> None:
    fact = {"subject": "Ann", "attribute": "city", "value": "Rome. Oslo."}
    store = [*STORE, step("Encode", payload={"structured": fact})]
    two = {"steps": [part("Retrieve", about="boiler"), part("Split", ids=["3"])]}
    script = Script(two, draft("Retrieve", ids=["3"]))
    [read] = compiled(script, "Where does Ann live?", store=store).to_list()
    assert read["op"] == "Retrieve"
    told = script.requests[1].messages[-1].content
    assert "/steps/1: facts-not-splittable: " in told
    assert "[refused-by-store]" in told


def test_a_time_that_cannot_be_read_is_told_with_its_key() -> None:
    script = Script(draft("Expire", about="milk", when="when the cows come home"),
                    draft("Expire", about="milk", when="on Friday"))  # fmt: skip
    [expire] = compiled(script, "Keep the milk until the cows come home.").to_list()
    assert expire["args"] == {"until": "2026-03-06T23:59:59Z"}
    told = script.requests[1].messages[-1].content
    assert "/steps/0/when: no time can be read of 'when the cows come home'" in told


def test_a_mended_program_keeps_the_trace_of_its_mending() -> None:
    program = compiled(Script(absent(1), FORGET))
    assert program.trace is not None
    first, second = program.trace.attempts
    assert [d.code for d in first.diagnostics] == ["empty-selection"]
    assert (second.diagnostics, second.program) == ((), tuple(ERASED))
    assert program.trace.usage == Usage(prompt=200, output=20)
    assert len(program.trace.questions) == 2
    assert program.trace.draft is not None and program.trace.draft.as_dict() == FORGET


# --- an able reader that stays with its draft ----------------------------------------------

TWINS = [note("Dentist on Tuesday at nine"), note("Dentist on Thursday at ten")]


def test_where_an_able_reader_stays_with_a_draft_that_destroys_it_is_asked() -> None:
    twin = draft("Delete", about="dentist")
    script = Script(twin, twin)
    question = asked(script, "Forget the dentist.", store=TWINS)
    assert question.reason == "ambiguous-target"
    assert {option.program.to_list()[0]["target"]["ids"][0] for option in question.options} == {
        "1", "2",
    }  # fmt: skip
    assert len(script.requests) == 2


def test_where_an_able_reader_stays_with_a_draft_that_keeps_everything_it_is_shown() -> None:
    rewritten = draft("Update", ids=["1"], text="Dentist on Tuesday at half past eleven")
    script = Script(rewritten, rewritten)
    program = compiled(script, "The first one moved.", store=TWINS)
    assert [each["op"] for each in program.to_list()] == ["Update"]
    assert "[unsupported-by-request]" in script.requests[1].messages[-1].content


@pytest.mark.parametrize(
    ("stubborn", "reason"),
    [
        (absent(1), "nothing-found"),
        (draft("Expire", about="milk", when="when the cows come home"), "unreadable-time"),
        (draft("Merge", about="milk"), "ambiguous-target"),
        (draft("Update", about="milk", old="bread"), "missing-content"),
        (draft("Update", about="milk"), "missing-content"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_cannot_be_run_is_asked_however_an_able_reader_insists(
    stubborn: Raw, reason: str
) -> None:
    script = Script(stubborn, stubborn)
    assert asked(script).reason == reason
    assert len(script.requests) == 2


def test_where_nothing_says_which_memories_are_meant_nothing_is_guessed() -> None:
    vague = draft("Demote", which="earlier", archive=True)
    question = asked(Script(vague, vague), "Put it away.")
    assert question.options == ()
    assert "earlier" not in question.question  # the contract's word, which nobody said


@pytest.mark.parametrize(
    ("draft_", "locked", "reason"),
    [
        (draft("Demote", which="all", archive=True), False, "everything"),
        (draft("Demote", which="all", archive=True), True, "refused"),
        (draft("Delete", about="milk", for_good=True), True, "erases"),
        (draft("Expire", about="milk", when="tomorrow", then="anonymize"), True, "erases"),
        (draft("Delete", about="boiler"), True, "refused"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_only_the_person_can_settle_is_asked_at_once(
    draft_: Raw, locked: bool, reason: str
) -> None:
    lock = [step("Lock", {"ids": ["2"]}, mode="read_only")] if locked else []
    script = Script(draft_)
    question = asked(script, store=[*STORE, *lock])
    assert question.reason == reason
    # Yes is an option of it, but a lock has to be taken off first.
    assert len(question.options) == (reason != "refused")


# --- a small reader is not asked again -----------------------------------------------------


@pytest.mark.parametrize("profile", [SMALL, TUNED])
@pytest.mark.parametrize(
    ("doubtful", "reason"),
    [
        (absent(1), "nothing-found"),
        (draft("Delete", which="all"), "everything"),
        (draft("Expire", about="milk", when="when the cows come home"), "unreadable-time"),
        (draft("Update", about="milk"), "missing-content"),
    ],
)
def test_the_doubts_of_a_small_reader_are_asked_at_once(
    doubtful: Raw, reason: str, profile: Profile
) -> None:
    script = Script(doubtful)
    assert asked(script, profile=profile).reason == reason


def test_a_small_reader_that_breaks_the_contract_is_told_without_its_answer() -> None:
    script = Script(draft("Label", about="milk"), draft("Label", about="milk", add=["dairy"]))
    program = compiled(script, "Tag the milk as dairy.", profile=SMALL)
    assert program.to_list()[0]["args"] == {"tags": ["dairy"]}
    first, second = script.requests
    *before, complaint = second.messages
    assert tuple(before) == first.messages
    assert complaint.role == "user" and "[label-empty]" in complaint.content


def test_the_tuned_reader_knows_no_complaints_and_asks_for_other_words() -> None:
    # A grammar keeps it from this; a server that knows none does not.
    script = Script(draft("Label", about="milk"))
    question = asked(script, "Tag the milk.", profile=TUNED)
    assert question.reason == "not-expressible"


# --- giving up -----------------------------------------------------------------------------


def test_giving_up_carries_every_attempt() -> None:
    usages = [Usage(100, 10), Usage(120, 7, 90), Usage(140, 5, 110)]
    given = iter(usages)
    numbers = iter(range(9))

    def answer(request: Request) -> Completion:
        data = broken(next(numbers))
        return Completion(json.dumps(data), data, next(given), "script")

    with pytest.raises(RepairExhausted) as caught:
        outcome(answer, attempts=2)  # type: ignore[arg-type]
    assert isinstance(caught.value.attempts, tuple)
    found = attempts(caught.value)
    assert [attempt.usage for attempt in found] == usages
    for number, attempt in enumerate(found):
        assert [(d.code, d.pointer) for d in attempt.diagnostics] == [
            ("unknown-key", f"/steps/0/key{number}")
        ]
        assert attempt.answer == json.dumps(broken(number))
        assert not attempt.fault
    assert render(found[-1].diagnostics) in str(caught.value)
    assert caught.value.hint


# --- answers that are of no use ------------------------------------------------------------

UNUSABLE: list[tuple[Callable[[], Any], type[ModelOutputError]]] = [
    (lambda: "no JSON", MalformedOutput),
    (lambda: "  ", EmptyAnswer),
    (lambda: ModelRefusal("the model refused to answer", raw="I'm sorry."), ModelRefusal),
    (lambda: TruncatedOutput("the answer stopped", raw='{"steps": ['), TruncatedOutput),
    (lambda: EmptyAnswer("nothing", raw=""), EmptyAnswer),
    (lambda: MalformedOutput("no JSON", raw="{"), MalformedOutput),
]


@pytest.mark.parametrize(("unusable", "kind"), UNUSABLE)
def test_an_unusable_answer_is_asked_for_again(unusable: Any, kind: type[Exception]) -> None:
    script = Script(unusable(), FORGET)
    program = compiled(script)
    assert program.to_list() == ERASED
    assert script.requests[0] == script.requests[1]
    assert program.trace is not None
    first, second = program.trace.attempts
    assert first.fault and not first.program and not first.diagnostics
    assert not second.fault


@pytest.mark.parametrize(("unusable", "kind"), UNUSABLE)
def test_an_unusable_rereading_is_asked_for_again(unusable: Any, kind: type[Exception]) -> None:
    script = Script(absent(1), unusable(), FORGET)
    assert compiled(script).to_list() == ERASED
    assert script.requests[1] == script.requests[2]


@pytest.mark.parametrize(("unusable", "kind"), UNUSABLE)
def test_the_same_unusable_answer_twice_is_enough(unusable: Any, kind: type[Exception]) -> None:
    script = Script(unusable(), unusable(), FORGET)
    with pytest.raises(kind):
        outcome(script, attempts=9)
    assert len(script.requests) == 2


@pytest.mark.parametrize("attempts_", [0, 1, 3])
def test_unusable_answers_are_bounded_in_attempts(attempts_: int) -> None:
    script = Script(*(f"no JSON {i}" for i in range(20)))
    with pytest.raises(MalformedOutput) as caught:
        outcome(script, attempts=attempts_)
    assert len(script.requests) == attempts_ + 1
    assert caught.value.raw == f"no JSON {attempts_}"
    assert len(caught.value.attempts) == attempts_ + 1


def test_unusable_answers_and_broken_drafts_share_one_bound() -> None:
    script = Script("no JSON", broken(1), "no JSON", broken(2), FORGET)
    error = exhausted(script, attempts=3)
    assert len(script.requests) == 4
    assert [bool(attempt.fault) for attempt in attempts(error)] == [True, False, True, False]


def test_an_unusable_end_does_not_lose_the_attempts_before() -> None:
    script = Script(broken(1), "no JSON", "no JSON either")
    with pytest.raises(MalformedOutput) as caught:
        outcome(script, attempts=2)
    first, second, third = caught.value.attempts
    assert [d.code for d in first.diagnostics] == ["unknown-key"]
    assert (second.answer, third.answer) == ("no JSON", "no JSON either")
    assert "not JSON" in third.fault


ENDING: list[Exception] = [
    ContextOverflow("too long", needed=9_000, available=4_096),
    ServiceError("down"),
    ServiceUnreachable("refused", service="function"),
    ServiceTimeout("no answer", service="function"),
    RateLimited("too many", retry_after=3.0),
]


@pytest.mark.parametrize("error", ENDING, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("before", [[], [absent(1)]], ids=["draft", "rereading"])
def test_what_asking_again_cannot_mend_ends_at_once(error: Exception, before: list[Any]) -> None:
    script = Script(*before, error, FORGET)
    with pytest.raises(type(error)) as caught:
        outcome(script, attempts=9)
    assert caught.value is error
    assert len(script.requests) == len(before) + 1


def test_nothing_else_is_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        outcome(Script(ZeroDivisionError()))
