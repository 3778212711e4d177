"""Conflicts: a draft may do what the request asks for, on what it speaks of, and no more."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest

from tests.planning import NOW, WHOLE, Raw, planned, step
from text2mem.ir.surface import INSTANCES
from text2mem.ir.turn import Turn
from text2mem.planner.conflicts import CONTRADICTS, GUARDED, UNSUPPORTED, conflicts, question
from text2mem.planner.requests import Step, read_steps


def steps(said: str, *context: str) -> tuple[Step, ...]:
    """A request as code reads it, after earlier turns."""
    return read_steps(said, tuple(map(Turn, context)), now=NOW, tz=UTC)


def found(said: str, *program: Raw, context: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """The codes and places of what a draft conflicts in with a request."""
    return [(d.code, d.pointer) for d in conflicts(list(program), steps(said, *context))]


ARGS: dict[str, Raw] = {
    "Encode": {"payload": {"text": "x"}}, "Demote": {"archive": True}, "Label": {"tags": ["x"]},
    "Promote": {"priority": "high"}, "Lock": {"mode": "read_only"}, "Expire": {"ttl": "P1D"},
    "Merge": {"primary_id": "1"}, "Split": {"strategy": "by_sentences"},
    "Update": {"set": {"text": "x"}},
}  # fmt: skip


def one(op: str) -> Raw:
    """An instance of an op on two memories."""
    return step(op, None if op == "Encode" else {"ids": ["1", "2"]}, **ARGS.get(op, {}))


# --- what nobody asked for -----------------------------------------------------------------

SAID: dict[str, tuple[str, str]] = {
    "Encode": ("Remember that the milk is out.", "记住牛奶没有了。"),
    "Label": ('Tag the lease as "home".', "给租约打上“家”标签。"),
    "Promote": ("Raise the priority of the lease.", "提高租约的优先级。"),
    "Demote": ("Archive the lease.", "把租约归档。"),
    "Merge": ("Merge the leases.", "合并这两份租约。"),
    "Split": ("Split the lease into sentences.", "把租约按句拆分。"),
    "Delete": ("Delete the lease.", "删除租约。"),
    "Lock": ("Lock the lease.", "锁定租约。"),
    "Expire": ("Let the lease expire in a week.", "让租约一周后过期。"),
    "Retrieve": ("Find the lease.", "查找租约。"),
    "Summarize": ("Summarize the lease.", "总结租约。"),
}


@pytest.mark.parametrize(("asked", "said"), [(op, s) for op, both in SAID.items() for s in both])
def test_what_is_asked_for_is_supported(asked: str, said: str) -> None:
    length = {"ttl": "P7D"} if asked == "Expire" else ARGS.get(asked, {})
    target = None if asked == "Encode" else {"ids": ["1", "2"]}
    assert found(said, step(asked, target, **length)) == []


@pytest.mark.parametrize("language", [0, 1], ids=["en", "zh"])
@pytest.mark.parametrize("op", sorted(GUARDED))
@pytest.mark.parametrize("asked", ["Encode", "Retrieve", "Summarize"])
def test_what_binds_destroys_or_rewrites_has_to_be_asked_for(
    asked: str, op: str, language: int
) -> None:
    assert found(SAID[asked][language], one(op)) == [(UNSUPPORTED, "/0")]


@pytest.mark.parametrize("asked", SAID)
@pytest.mark.parametrize("op", sorted({*INSTANCES} - GUARDED))
def test_what_does_none_of_it_is_left_to_the_model(asked: str, op: str) -> None:
    assert found(SAID[asked][0], one(op)) == []


@pytest.mark.parametrize("op", INSTANCES)
@pytest.mark.parametrize("said", ["The lease.", "Yes, please.", "好的。"])
def test_where_no_word_tells_the_op_the_model_may_choose(said: str, op: str) -> None:
    assert found(said, one(op)) == []


def test_each_step_of_a_request_supports_its_op() -> None:
    said = "Find the lease, then archive it."
    assert found(said, one("Retrieve"), one("Demote")) == []
    assert found(said, one("Retrieve"), one("Delete")) == [(UNSUPPORTED, "/1")]


def test_an_answer_is_supported_by_the_request_that_it_goes_on_with() -> None:
    assert found("The old one.", one("Delete"), context=("Delete the lease.",)) == []
    assert found("The old one.", one("Delete"), context=("Find the lease.",)) == [
        (UNSUPPORTED, "/0")
    ]


# --- all of it -----------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["Delete", "Demote", "Label", "Lock"])
def test_all_memories_have_to_be_spoken_of(op: str) -> None:
    everything = step(op, {"all": True}, **ARGS.get(op, {}))
    said = {"Delete": "Delete", "Demote": "Archive", "Label": "Tag", "Lock": "Lock"}[op]
    assert found(f"{said} the lease.", everything) == [(UNSUPPORTED, "/0/target/all")]
    for spoken in ("everything", "all of my notes", "every note"):
        assert found(f"{said} {spoken}.", everything) == []


def test_all_of_an_age_are_not_all() -> None:
    said = "Delete what is older than 30 days."
    assert found(said, step("Delete", {"all": True}, older_than="P30D")) == []
    assert found(said, step("Delete", {"all": True})) == [(UNSUPPORTED, "/0/target/all")]
    unsaid = step("Delete", {"all": True}, older_than="P1D")
    assert found("Delete the lease.", unsaid) == [(UNSUPPORTED, "/0/target/all")]


def test_all_memories_can_have_been_spoken_of_before() -> None:
    everything = step("Delete", {"all": True})
    assert found("删除全部记忆。", everything) == []
    assert found("Yes, those.", everything, context=("Delete everything that is here.",)) == []
    assert found("删除租约。", everything) == [(UNSUPPORTED, "/0/target/all")]


# --- lengths of time -----------------------------------------------------------------------

LENGTHS = [
    ("Let the lease expire in 30 days.", "Expire", "ttl", "P30D", "P7D"),
    ("让租约三天后过期。", "Expire", "ttl", "P3D", "P3M"),
    ("Delete what is older than 30 days.", "Delete", "older_than", "P30D", "P7D"),
    ("删除超过30天的记录。", "Delete", "older_than", "P30D", "P1D"),
]


@pytest.mark.parametrize(("said", "op", "key", "right", "wrong"), LENGTHS)
def test_a_length_of_time_is_the_one_that_is_said(
    said: str, op: str, key: str, right: str, wrong: str
) -> None:
    assert found(said, step(op, {"ids": ["1"]}, **{key: right})) == []
    contradicted = step(op, {"ids": ["1"]}, **{key: wrong})
    assert found(said, contradicted) == [(CONTRADICTS, f"/0/args/{key}")]
    [told] = conflicts([contradicted], steps(said))
    assert right in told.message and wrong in told.message
    assert told.hint == f"use {right}"


def test_the_same_length_may_be_spelled_otherwise() -> None:
    said = "Let the lease expire in two weeks."
    for same in ("P2W", "P14D", "PT336H"):
        assert found(said, step("Expire", {"ids": ["1"]}, ttl=same)) == []


def test_where_no_length_is_said_the_model_may_choose_one() -> None:
    assert found("Let the lease lapse.", step("Expire", {"ids": ["1"]}, ttl="P7D")) == []


# --- drafts of any shape, and what is asked ------------------------------------------------


@pytest.mark.parametrize(
    "instance",
    [None, 5, "text", [], {}, {"op": None}, {"op": "Delete"}, {"op": "Delete", "target": []},
     {"op": "Expire", "args": {"ttl": 5}}, {"op": "Expire", "args": {"ttl": "soonish"}}],
)  # fmt: skip
def test_a_draft_of_any_shape_is_compared(instance: Any) -> None:
    conflicts([instance], steps("Find the lease."))
    conflicts([instance], steps("Let the lease expire in 30 days."))


def test_who_insists_is_asked_about_with_the_draft_as_the_option() -> None:
    for said, yes in (("Find the lease.", "yes"), ("查找租约。", "是")):
        program = [one("Delete")]
        [told] = conflicts(program, steps(said))
        asked = question(told, program, said)
        assert asked is not None
        assert asked.reason == "unsupported-by-request"
        [option] = asked.options
        assert (option.label, option.instances) == (yes, program)
        assert "Delete" in option.effect


def test_a_contradicted_draft_is_mended() -> None:
    said = "Delete what is older than 30 days."
    for target in ({"all": True}, {"ids": ["1"]}):
        wrong, right = (step("Delete", target, older_than=age) for age in ("P7D", "P30D"))
        done = planned(said, {"ops": [wrong]}, right, profile=WHOLE)
        assert done.program == [right]
        assert "[contradicts-request]" in done.said
