"""Slots: what a small model is asked about an utterance, and what its answers become."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from jsonschema import Draft202012Validator

from tests.fixtures import case_id, cases
from text2mem.ir.surface import INSTANCES, STAGES
from text2mem.planner.lowering import lower_form, slot_schema
from text2mem.planner.parts import Part, assembled
from text2mem.planner.slots import IDS, WRITE_LIMIT, Form, form
from text2mem.validator import validate

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
SHANGHAI = ZoneInfo("Asia/Shanghai")
PHRASINGS = list(cases("plan", "phrasings"))


def search(query: str, limit: int | None = WRITE_LIMIT) -> dict[str, Any]:
    found: dict[str, Any] = {"intent": {"query": query}}
    return {"search": found if limit is None else {**found, "limit": limit}}


def tagged(*tags: str) -> dict[str, Any]:
    return {"filter": {"has_tags": list(tags)}}


def step(op: str, target: Any = None, args: Any = None) -> dict[str, Any]:
    out: dict[str, Any] = {"stage": STAGES[op], "op": op}
    if target is not None:
        out["target"] = target
    return out if args is None else {**out, "args": args}


def offered(op: str, utterance: str, tags: tuple[str, ...] = ()) -> list[list[str]]:
    """The keys of each alternative."""
    return [[slot.key for slot in shape] for shape in form(op, utterance, tags).alternatives]


# --- from utterance and answer to instances ------------------------------------------------

ANSWERS: list[tuple[str, str, tuple[str, ...], dict[str, Any], list[dict[str, Any]]]] = [
    (
        "Encode", "Remember that Ana is allergic to nuts.", (),
        {"text": "Ana is allergic to nuts", "tags": ["Ana", "allergy"]},
        [step("Encode", None,
              {"payload": {"text": "Ana is allergic to nuts"}, "tags": ["Ana", "allergy"]})],
    ),
    (
        "Encode", "记住周三去游泳。", ("家务",), {"text": "周三去游泳", "tags": ["游泳"]},
        [step("Encode", None, {"payload": {"text": "周三去游泳"}, "tags": ["游泳"]})],
    ),
    (
        "Update", "The train note should say 8:15.", (), {"about": "train", "text": "8:15"},
        [step("Update", search("train"), {"set": {"text": "8:15"}})],
    ),
    (
        "Update", "Change memory 7 to 8:15.", (), {"ids": ["7"], "text": "8:15"},
        [step("Update", {"ids": ["7"]}, {"set": {"text": "8:15"}})],
    ),
    (
        "Label", "Tag the trip notes with travel.", (), {"about": "trip", "add": ["travel"]},
        [step("Label", search("trip"), {"tags": ["travel"], "mode": "add"})],
    ),
    (
        "Label", "Remove the tag draft from the contract.", ("draft",),
        {"about": "contract", "remove": ["draft"]},
        [step("Label", search("contract"), {"tags": ["draft"], "mode": "remove"})],
    ),
    (
        "Label", "去掉合同笔记上的“草稿”标签。", (), {"about": "合同", "remove": ["草稿"]},
        [step("Label", search("合同"), {"tags": ["草稿"], "mode": "remove"})],
    ),
    (
        "Promote", "The rent is urgent.", (), {"about": "rent", "priority": "urgent"},
        [step("Promote", search("rent"), {"priority": "urgent"})],
    ),
    (
        "Promote", "Remind me every Monday about the report.", (),
        {"about": "report", "rrule": "FREQ=WEEKLY;BYDAY=MO"},
        [step("Promote", search("report"), {"remind": {"rrule": "FREQ=WEEKLY;BYDAY=MO"}})],
    ),
    (
        "Promote", "每天早上提醒我吃药。", (), {"about": "吃药", "rrule": "FREQ=DAILY;BYHOUR=8"},
        [step("Promote", search("吃药"), {"remind": {"rrule": "FREQ=DAILY;BYHOUR=8"}})],
    ),
    (
        "Demote", "The resolutions matter less.", (), {"about": "resolutions", "how": "lower"},
        [step("Demote", search("resolutions"), {"priority": "low"})],
    ),
    (
        "Demote", "把旧项目归档。", (), {"about": "旧项目", "how": "archive"},
        [step("Demote", search("旧项目"), {"archive": True})],
    ),
    (
        "Split", "Cut the lecture into sentences.", (), {"about": "lecture", "into": "sentences"},
        [step("Split", search("lecture"), {"strategy": "by_sentences"})],
    ),
    (
        "Split", "把周报按段拆开。", (), {"about": "周报", "into": "chunks"},
        [step("Split", search("周报"), {"strategy": "by_chunks"})],
    ),
    (
        "Split", "Divide the minutes by topic.", (), {"about": "minutes", "into": "topics"},
        [step("Split", search("minutes"),
              {"strategy": "custom", "params": {"instruction": "Divide the minutes by topic."}})],
    ),
    (
        "Delete", "Forget the lunch.", (), {"about": "lunch"}, [step("Delete", search("lunch"))],
    ),
    (
        "Delete", "Drop everything tagged spam.", ("spam", "work"), {"tags": ["spam"]},
        [step("Delete", tagged("spam"))],
    ),
    (
        "Delete", "Forget chats older than 30 days.", (), {"about": "chats", "older_than": "P30D"},
        [step("Delete", search("chats"), {"older_than": "P30D"})],
    ),
    (
        "Delete", "删除三个月以前的聊天。", (), {"about": "聊天", "older_than": "三个月"},
        [step("Delete", search("聊天"), {"older_than": "三个月"})],
    ),
    (
        "Lock", "Nobody may touch the will.", (), {"about": "will", "mode": "read_only"},
        [step("Lock", search("will"), {"mode": "read_only"})],
    ),
    (
        "Lock", "Unlock the will.", (), {"about": "will", "mode": "none"},
        [step("Lock", search("will"), {"mode": "none"})],
    ),
    (
        "Expire", "Drop the coupon after ten days.", (), {"about": "coupon", "when": "ten days"},
        [step("Expire", search("coupon"), {"ttl": "ten days"})],
    ),
    (
        "Expire", "It ends in three days.", (), {"about": "coupon", "when": "in three days"},
        [step("Expire", search("coupon"), {"until": "in three days"})],
    ),
    (
        "Expire", "优惠券月底失效。", (), {"about": "优惠券", "when": "月底"},
        [step("Expire", search("优惠券"), {"until": "月底"})],
    ),
    (
        "Expire", "优惠券三天后过期。", (), {"about": "优惠券", "when": "P3D"},
        [step("Expire", search("优惠券"), {"ttl": "P3D"})],
    ),
    (
        "Retrieve", "What do I know about the harbour?", (), {"about": "harbour"},
        [step("Retrieve", search("harbour", None))],
    ),
    (
        "Retrieve", "Show memories 3 and 5.", (), {"ids": ["3", "5"]},
        [step("Retrieve", {"ids": ["3", "5"]})],
    ),
    (
        "Summarize", "概括所有带“搬家”标签的记忆。", ("搬家",), {"tags": ["搬家"]},
        [step("Summarize", tagged("搬家"))],
    ),
    (
        "Merge", "Merge memories 3, 5 and 8.", (), {"ids": ["3", "5", "8"]},
        [step("Merge", {"ids": ["3", "5", "8"]},
              {"strategy": "merge_into_primary", "primary_id": "3"})],
    ),
    (
        "Merge", "Join the hotel notes together.", (), {"about": "hotel"},
        [
            step("Retrieve", search("hotel")),
            step("Merge", {"ids": ["$1"]},
                 {"strategy": "merge_into_primary", "primary_id": "$1"}),
        ],
    ),
    (
        "Merge", "合并带“航班”标签的记录。", ("航班",), {"tags": ["航班"]},
        [
            step("Retrieve", tagged("航班")),
            step("Merge", {"ids": ["$1"]},
                 {"strategy": "merge_into_primary", "primary_id": "$1"}),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("op", "utterance", "tags", "answer", "expected"),
    ANSWERS,
    ids=[f"{op}-{utterance}" for op, utterance, *_ in ANSWERS],
)
def test_an_answer_becomes_legal_instances(
    op: str, utterance: str, tags: tuple[str, ...], answer: Any, expected: list[Any]
) -> None:
    lowered = lower_form(form(op, utterance, tags))
    assert list(Draft202012Validator(lowered.schema).iter_errors(answer)) == []
    program, _ = assembled([Part(op, lowered, (), "2026", lowered.restore(answer))])
    assert program == expected
    assert list(validate(program, now=NOW, tz=SHANGHAI)) == []


def test_every_op_has_an_answer_in_the_table() -> None:
    assert {op for op, *_ in ANSWERS} == set(INSTANCES)


@pytest.mark.parametrize("case", PHRASINGS, ids=case_id)
def test_every_phrasing_has_a_form_for_each_of_its_ops(case: dict[str, Any]) -> None:
    for op in case["expected"]["ops"]:
        for tags in ((), ("work", "家务")):
            found = form(op, case["input"], tags)
            assert all(found.alternatives)
            Draft202012Validator.check_schema(lower_form(found).schema)


# --- which slots are offered ---------------------------------------------------------------

ADDRESSED = [op for op in INSTANCES if op != "Encode"]


def selectors(op: str, utterance: str, tags: tuple[str, ...] = ()) -> set[str]:
    return {keys[0] for keys in offered(op, utterance, tags)}


@pytest.mark.parametrize("op", ADDRESSED)
@pytest.mark.parametrize(
    "utterance",
    [
        "do it to memory 3", "memories 3 and 5", "note #12", "number #4", "entry 9", "record 2",
        "id 7", "ids 7 and 8", "memory number 3", "记忆3", "第 5 条", "编号 12", "3号记忆",
    ],
)  # fmt: skip
def test_where_ids_are_named_ids_are_asked_for(op: str, utterance: str) -> None:
    assert selectors(op, utterance) == {"ids"}
    assert selectors(op, utterance, ("work",)) == {"ids"}


@pytest.mark.parametrize("op", ADDRESSED)
@pytest.mark.parametrize(
    "utterance",
    [
        "the lunch notes", "my three notes", "notes 30 days old", "memories 2-week old",
        "the kids 3 of them play with", "the keynotes 5 people gave", "room 12", "the year 2026",
        "午饭", "三条笔记", "第3周的会议", "第 2 个月的账单", "12号的会议",
    ],
)  # fmt: skip
def test_a_number_that_is_no_id_offers_no_ids(op: str, utterance: str) -> None:
    assert "ids" not in selectors(op, utterance)
    assert "ids" not in selectors(op, utterance, ("work",))


@pytest.mark.parametrize("tags", [(), ("work", "家务")])
@pytest.mark.parametrize("op", ADDRESSED)
def test_where_neither_ids_nor_tags_are_named_words_are_asked_for(
    op: str, tags: tuple[str, ...]
) -> None:
    assert selectors(op, "the lunch notes", tags) == {"about"}
    assert not form(op, "the lunch notes", tags).names_tags


@pytest.mark.parametrize("op", [op for op in ADDRESSED if op != "Label"])
@pytest.mark.parametrize(
    "utterance", ["all tagged work", "the ones labelled work", "带“工作”标签的"]
)
def test_where_a_tag_is_named_only_tags_are_asked_for(op: str, utterance: str) -> None:
    assert selectors(op, utterance) == {"tags"}
    assert selectors(op, utterance, ("work",)) == {"tags"}
    assert form(op, utterance, ("work",)).names_tags


@pytest.mark.parametrize("op", [op for op in ADDRESSED if op != "Label"])
def test_the_tags_are_the_stores_where_it_has_some(op: str) -> None:
    [[known, *_]] = form(op, "all tagged work", ("work", "家务")).alternatives
    judge = Draft202012Validator(slot_schema(known))
    assert judge.is_valid(["work"])
    assert judge.is_valid(["家务", "work"])
    assert not judge.is_valid(["play"])
    assert not judge.is_valid([])
    [[free, *_]] = form(op, "all tagged work").alternatives
    assert Draft202012Validator(slot_schema(free)).is_valid(["play"])
    assert not Draft202012Validator(slot_schema(free)).is_valid([])


@pytest.mark.parametrize("utterance", ["tag the trip with travel", "给旅行加上“假期”标签"])
def test_the_tag_that_label_gives_is_not_taken_for_the_target(utterance: str) -> None:
    assert selectors("Label", utterance) == {"about"}


@pytest.mark.parametrize(
    ("utterance", "key"),
    [
        ("tag the trip with travel", "add"),
        ("mark the trip as done", "add"),
        ("给旅行加上标签", "add"),
        ("remove the tag draft", "remove"),
        ("untag the trip", "remove"),
        ("take off the label draft", "remove"),
        ("去掉草稿标签", "remove"),
    ],
)
def test_label_adds_or_removes_by_the_words(utterance: str, key: str) -> None:
    assert all(keys[1:] == [key] for keys in offered("Label", utterance, ("draft",)))


@pytest.mark.parametrize(
    "utterance", ["older than 30 days", "more than a month old", "三个月以前的", "早于去年"]
)
def test_an_age_is_asked_for_where_there_is_one(utterance: str) -> None:
    assert all("older_than" in keys for keys in offered("Delete", utterance, ("work",)))


@pytest.mark.parametrize(
    "utterance", ["forget the lunch", "memory 3", "all tagged old", "忘掉旧公寓"]
)
def test_no_age_is_asked_for_where_there_is_none(utterance: str) -> None:
    for op in INSTANCES:
        assert all("older_than" not in keys for keys in offered(op, utterance, ("work",)))


@pytest.mark.parametrize("op", [op for op in INSTANCES if op != "Delete"])
def test_only_delete_knows_an_age(op: str) -> None:
    assert all("older_than" not in keys for keys in offered(op, "older than 30 days"))


def modes(utterance: str) -> list[str]:
    [shape] = form("Lock", utterance).alternatives
    return list(shape[1].schema["enum"])


@pytest.mark.parametrize(
    "utterance",
    ["unlock the will", "The will can be unlocked", "remove the lock from the will", "解锁遗嘱",
     "解除锁定", "取消保护"],
)  # fmt: skip
def test_unlocking_has_one_mode(utterance: str) -> None:
    assert modes(utterance) == ["none"]


@pytest.mark.parametrize("utterance", ["lock the will", "only additions to the log", "锁定遗嘱"])
def test_locking_does_not_offer_to_unlock(utterance: str) -> None:
    assert modes(utterance) == ["read_only", "append_only"]


@pytest.mark.parametrize(
    "utterance",
    ["remind me", "a reminder for the rent", "ping me every Monday", "every other week",
     "every 2 weeks", "提醒我交房租", "每周一", "每个月一号", "每天早上"],
)  # fmt: skip
def test_a_reminder_asks_for_its_rule(utterance: str) -> None:
    assert offered("Promote", utterance) == [["about", "rrule"]]


@pytest.mark.parametrize(
    "utterance",
    ["the rent is urgent", "every invoice is urgent", "everything about the visa is important",
     "每条合同都很重要", "每个客户都优先"],
)  # fmt: skip
def test_every_and_each_alone_are_no_reminder(utterance: str) -> None:
    assert offered("Promote", utterance) == [["about", "priority"]]


def test_a_rule_cannot_run_away() -> None:
    [shape] = form("Promote", "remind me every day").alternatives
    judge = Draft202012Validator(slot_schema(shape[1]))
    assert judge.is_valid("FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=9")
    assert not judge.is_valid("every day")
    assert not judge.is_valid("FREQ=" + "A" * 100)


RULES = [
    "FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY", "FREQ=DAILY;INTERVAL=3",
    "FREQ=WEEKLY;INTERVAL=12;BYDAY=SU", "FREQ=DAILY;BYHOUR=0", "FREQ=DAILY;BYHOUR=23",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", "FREQ=MONTHLY;INTERVAL=2;BYDAY=FR;BYHOUR=10",
]  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_the_rules_that_people_ask_for_can_be_answered_and_are_legal(rule: str) -> None:
    found = form("Promote", "remind me every day")
    lowered = lower_form(found)
    answer = {"about": "ferns", "rrule": rule}
    assert Draft202012Validator(lowered.schema).is_valid(answer)
    assert list(validate(lowered.restore(answer), now=NOW, tz=SHANGHAI)) == []


@pytest.mark.parametrize(
    "rule",
    [
        "", "DAILY", "FREQ=SUNDAYS", "freq=daily", "FREQ=DAILY;", "RRULE:FREQ=DAILY",
        "FREQ=DAILY and so on", "say FREQ=DAILY", "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=100", "FREQ=DAILY;BYHOUR=24",
        "FREQ=DAILY;BYHOUR=08", "FREQ=WEEKLY;BYDAY=MONDAY", "FREQ=WEEKLY;BYDAY=",
        "FREQ=WEEKLY;BYDAY=MO,", "FREQ=WEEKLY;BYHOUR=9;BYDAY=MO",
        "FREQ=DAILY;UNTIL=20250101T000000Z", "FREQ=DAILY;COUNT=3",
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU,MO",
    ],
)  # fmt: skip
def test_no_other_rule_can_be_answered(rule: str) -> None:
    [shape] = form("Promote", "remind me every day").alternatives
    assert not Draft202012Validator(slot_schema(shape[1])).is_valid(rule)


@pytest.mark.parametrize("op", INSTANCES)
def test_every_text_that_is_asked_for_is_bounded(op: str) -> None:
    for utterance in ("memory 3", "lunch", "tagged work", "older than a day, every day"):
        for tags in ((), ("work",)):
            for shape in form(op, utterance, tags).alternatives:
                for slot in shape:
                    assert _bounded(slot_schema(slot)), slot.key


@pytest.mark.parametrize("code", ["unreadable-time", "unreadable-duration", "bad-rrule"])
def test_a_narrowed_text_is_bounded_too(code: str) -> None:
    for op, key in (("Expire", "when"), ("Delete", "older_than"), ("Promote", "rrule")):
        for shape in form(op, REDRAFTED[op]).narrowed({key: code}).alternatives:
            assert all(_bounded(slot_schema(slot)) for slot in shape)


def _bounded(schema: Any) -> bool:
    if schema.get("type") == "array":
        return "maxItems" in schema
    if "pattern" in schema:  # anchored, and with nothing in it that repeats without an end
        pattern = schema["pattern"]
        whole = pattern.startswith("^") and pattern.endswith("$")
        return whole and not re.search(r"[*+]|,\}", pattern)
    return "enum" in schema or "maxLength" in schema


# --- what a diagnostic is about, and what it costs -----------------------------------------

REDRAFTED = {
    "Encode": "remember the milk", "Update": "the train note should say 8:15",
    "Label": "tag the trip", "Promote": "remind me every day", "Demote": "archive the trip",
    "Merge": "merge the hotels", "Split": "split the diary", "Lock": "lock the will",
    "Delete": "forget chats older than a month", "Expire": "the coupon lapses in May",
    "Retrieve": "find the harbour", "Summarize": "sum up the move",
}  # fmt: skip


@pytest.mark.parametrize(
    ("op", "pointer", "keys"),
    [
        ("Encode", "/args/payload/text", ["text"]),
        ("Encode", "/args/payload", ["text"]),
        ("Encode", "/args/tags/0", ["tags"]),
        ("Encode", "/args", ["text", "tags"]),
        ("Update", "/args/set/text", ["text"]),
        ("Update", "/target/search/intent/query", ["about"]),
        ("Label", "/args/tags/1", ["add"]),
        ("Label", "/args/mode", []),
        ("Promote", "/args/remind/rrule", ["rrule"]),
        ("Promote", "/args/remind", ["rrule"]),
        ("Demote", "/args/priority", ["how"]),
        ("Merge", "/target/search/intent/query", ["about"]),
        ("Split", "/args/strategy", ["into"]),
        ("Lock", "/args/mode", ["mode"]),
        ("Delete", "/args/older_than", ["older_than"]),
        ("Expire", "/args/until", ["when"]),
        ("Expire", "/args/ttl", ["when"]),
        ("Retrieve", "/target/search/intent", ["about"]),
        ("Summarize", "/target", ["about"]),
        ("Summarize", "/target/search/limit", []),
        ("Delete", "/args/older", []),
        ("Delete", "/", []),
    ],
)
def test_a_diagnostic_is_about_the_slots_at_its_pointer(
    op: str, pointer: str, keys: list[str]
) -> None:
    assert form(op, REDRAFTED[op]).blamed(pointer) == keys


@pytest.mark.parametrize("pointer", ["/target/ids", "/target/ids/0", "/target", "/args/primary_id"])
def test_the_primary_of_a_merge_is_about_its_ids(pointer: str) -> None:
    assert form("Merge", "merge memories 3 and 5").blamed(pointer) == ["ids"]


def narrowed(op: str, codes: dict[str, str]) -> dict[str, Any]:
    [shape] = form(op, REDRAFTED[op]).narrowed(codes).alternatives
    return {slot.key: slot_schema(slot) for slot in shape}


@pytest.mark.parametrize(
    ("op", "key", "code", "fits", "misfits"),
    [
        (
            "Expire", "when", "unreadable-time", ["2026-04-15", "2031-12-31", "2027-02-01"],
            ["soonish", "", "2026-4-15", "2026-13-01", "2026-01-32", "1999-01-01", "2026-04-15T10",
             "on 2026-04-15", "2026-00-10", "2026-01-00", "P3D"],
        ),
        (
            "Delete", "older_than", "unreadable-duration", ["P7D", "P1M", "P10Y", "P999W"],
            ["老早", "", "P0D", "P1000D", "7D", "P1M2D", "PT5H", "P-1D", "older than P7D",
             "2026-04-15"],
        ),
        ("Expire", "when", "unreadable-duration", ["P3D"], ["P99999Y", "three days"]),
    ],
)  # fmt: skip
def test_a_blamed_slot_is_held_to_the_form_that_its_code_calls_for(
    op: str, key: str, code: str, fits: list[str], misfits: list[str]
) -> None:
    before, after = narrowed(op, {}), narrowed(op, {key: code})
    judge = Draft202012Validator(after[key])
    assert [text for text in fits if not judge.is_valid(text)] == []
    assert [text for text in misfits if judge.is_valid(text)] == []
    for text in fits:
        answer = {"about": "coupon", key: text}
        program = lower_form(form(op, REDRAFTED[op])).restore(answer)
        assert list(validate(program, now=NOW, tz=SHANGHAI)) == []
    assert Draft202012Validator(before[key]).is_valid("soonish")
    assert {**after, key: None} == {**before, key: None}


@pytest.mark.parametrize("op", INSTANCES)
@pytest.mark.parametrize("code", ["bad-length", "blank-tag", "horizon-past", "wrong-type"])
def test_a_code_without_a_stricter_form_narrows_nothing(op: str, code: str) -> None:
    before = narrowed(op, {})
    assert narrowed(op, dict.fromkeys(before, code)) == before


def test_a_code_narrows_no_slot_but_its_own() -> None:
    assert narrowed("Expire", {"other": "unreadable-time"}) == narrowed("Expire", {})


# --- keeping slots -------------------------------------------------------------------------


def test_a_kept_slot_can_be_answered_with_its_value_alone() -> None:
    found = form("Label", "tag the trip")
    judge = Draft202012Validator(lower_form(found, {"about": "trip", "other": 1}).schema)
    assert judge.is_valid({"about": "trip", "add": ["fern"]})
    assert not judge.is_valid({"about": "the trip", "add": ["fern"]})
    assert not judge.is_valid({"add": ["fern"]})
    assert not judge.is_valid({"about": "trip", "add": ["fern"], "other": 1})
    kept = lower_form(found, {"add": ["a", "b"]}).schema["properties"]["add"]
    assert kept == {"const": ["a", "b"]}


def test_keeping_a_slot_leaves_the_form_as_it_was() -> None:
    found = form("Label", "tag the trip")
    before = lower_form(found).schema
    lower_form(found.narrowed({"add": "unreadable-time"}), {"about": "trip"})
    assert lower_form(found).schema == before


# --- merging what is found -----------------------------------------------------------------


def part(op: str, found: Form, answer: Any) -> Part:
    lowered = lower_form(found)
    return Part(op, lowered, (), "2026", lowered.restore(answer))


def test_a_found_merge_in_the_middle_refers_to_the_step_before_it() -> None:
    remember = form("Encode", "Remember the milk, merge the hotel notes, forget the lunch.")
    hotel = form("Merge", "Remember the milk, merge the hotel notes, forget the lunch.")
    lunch = form("Delete", "Remember the milk, merge the hotel notes, forget the lunch.")
    program, origin = assembled([
        part("Encode", remember, {"text": "milk", "tags": ["milk"]}),
        part("Merge", hotel, {"about": "hotel"}),
        part("Delete", lunch, {"about": "lunch"}),
        part("Merge", hotel, {"about": "flight"}),
    ])  # fmt: skip
    assert [i["op"] for i in program] == [
        "Encode", "Retrieve", "Merge", "Delete", "Retrieve", "Merge",
    ]  # fmt: skip
    assert origin == [0, 1, 1, 2, 3, 3]
    assert program[2]["target"] == {"ids": ["$2"]}
    assert program[2]["args"]["primary_id"] == "$2"
    assert program[5]["target"] == {"ids": ["$5"]}
    assert program[5]["args"]["primary_id"] == "$5"
    assert list(validate(program, now=NOW, tz=UTC)) == []


def test_assembling_leaves_the_parts_as_they_are() -> None:
    merge = part("Merge", form("Merge", "join the hotels"), {"about": "hotel"})
    once = assembled([merge])
    assert assembled([merge]) == once
    assert merge.instances[1]["target"] == {"ids": ["$-1"]}


@pytest.mark.parametrize("op", ["Encode", "Update"])
def test_a_text_that_looks_like_a_reference_stays_a_text(op: str) -> None:
    answer = {"text": "$-1", "tags": ["$-1"], "about": "$-1"}
    found = form(op, "write $-1")
    keys = [slot.key for slot in found.alternatives[0]]
    program, _ = assembled([part(op, found, {key: answer[key] for key in keys})])
    assert "$0" not in repr(program)
    assert repr(program).count("'$-1'") == 2


# --- answers of another shape --------------------------------------------------------------


@pytest.mark.parametrize("op", INSTANCES)
@pytest.mark.parametrize("answer", [None, 5, "text", [], ["about"], {}, {"other": 1}, True])
def test_an_answer_without_its_slots_is_an_error_that_the_planner_knows(
    op: str, answer: Any
) -> None:
    with pytest.raises((KeyError, TypeError, IndexError, AttributeError, ValueError)):
        lower_form(form(op, "the lunch notes")).restore(answer)


@pytest.mark.parametrize("value", [None, 5, True, [], {}, [None], {"a": 1}])
@pytest.mark.parametrize("op", INSTANCES)
def test_slots_of_another_type_are_judged_and_never_crash(op: str, value: Any) -> None:
    for utterance in ("the lunch", "memory 3", "remind me every day, older than a day"):
        found = form(op, utterance)
        answer = {slot.key: value for slot in found.alternatives[0]}
        try:
            program, _ = assembled([part(op, found, answer)])
        except (KeyError, TypeError, IndexError, AttributeError, ValueError):
            continue
        assert all(d.pointer.startswith("/") for d in validate(program, now=NOW, tz=UTC))


def test_the_ids_slot_takes_decimal_strings() -> None:
    judge = Draft202012Validator(slot_schema(IDS))
    assert judge.is_valid(["3"])
    assert not judge.is_valid([3])
    assert not judge.is_valid(["three"])
    assert not judge.is_valid([])


def test_an_unknown_op_has_no_form() -> None:
    with pytest.raises(KeyError):
        form("Eat", "eat")
