"""What a question's options would do, as whoever is asked reads it: no ops, no ids, their zone."""

from __future__ import annotations

import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.planning import CONTEXT, SMALL, draft, note, planned, step
from text2mem import Clarification, Conversation, Memory
from text2mem.ir.effects import short, step_in_words
from text2mem.planner.effects import LABEL, InWords, effects
from text2mem.planner.messages import message
from text2mem.providers.function import FunctionProvider

TAIPEI = ZoneInfo("Asia/Taipei")
EXAM = "護士註冊試報名費 $1,670"
LONG = f"{'The boiler was looked at by the plumber from Galway. ' * 3}He comes back on 3 May at 9."


@pytest.fixture
def held(memory: Memory) -> Memory:
    for text in ("The ferry leaves at 8.", EXAM, LONG, "Tea", "Soap"):
        memory.add(text)
    return memory


def told(memory: Memory, op: str, id_: str, said: str = "", named: str = "", **args: Any) -> str:
    shown = memory.preview(step(op, {"ids": [id_]}, **args))
    return "; ".join(effects(shown, memory.view(), said, TAIPEI, named))


@pytest.mark.parametrize(
    ("op", "args", "would"),
    [
        ("Delete", {}, "would be deleted: Tea"),
        ("Delete", {"soft": False}, "would be gone for good: Tea; a hard delete cannot be undone"),
        ("Demote", {"archive": True}, "would be put away: Tea"),
        ("Expire", {"until": "2026-12-31T15:59:59Z"},
         "would end on Thu 2026-12-31 23:59 and be deleted then: Tea"),
        ("Lock", {"mode": "read_only"}, "would be locked: Tea"),
        ("Lock", {"mode": "read_only", "policy": {"expires": "2026-05-08T16:00:00Z"}},
         "would be locked until 2026-05-09: Tea"),
        ("Demote", {"archive": True, "until": "2026-05-08T16:00:00Z"},
         "would be put away until 2026-05-09: Tea"),
        ("Update", {"set": {"retention_policy": "x"}}, "“Tea”: retention policy: x"),
        ("Promote", {"remind": {"at": "2026-12-18T01:00:00Z"}},
         "“Tea”: reminder: Fri 2026-12-18 09:00"),
        ("Promote", {"remind": {"rrule": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=11;BYMINUTE=0"}},
         "“Tea”: reminder: weekly, next Mon 2026-03-02 19:00"),
        ("Update", {"set": {"time": "2026-12-17T16:00:00Z"}}, "“Tea”: time: 2026-12-18"),
        ("Update", {"set": {"text": "Tea and milk"}}, "text: Tea → Tea and milk"),
        ("Label", {"tags": ["shop", "home"]}, "“Tea”: tags: shop, home"),
    ],
)  # fmt: skip
def test_what_would_become_of_a_memory(
    held: Memory, op: str, args: dict[str, Any], would: str
) -> None:
    assert told(held, op, "4", **args) == would


@pytest.mark.parametrize(
    ("first", "then", "would"),
    [
        (("Lock", {"mode": "read_only"}), ("Lock", {"mode": "append_only"}),
         "would be locked, but for what is added: Tea"),
        (("Lock", {"mode": "read_only"}),
         ("Lock", {"mode": "read_only", "policy": {"expires": "2026-05-08T16:00:00Z"}}),
         "would be locked until 2026-05-09: Tea"),
        (("Expire", {"until": "2026-12-31T15:59:59Z"}),
         ("Expire", {"until": "2026-12-31T15:59:59Z", "on_expire": "demote"}),
         "would end on Thu 2026-12-31 23:59 and be put away then: Tea"),
        (("Demote", {"archive": True, "until": "2026-03-08T16:00:00Z"}),
         ("Demote", {"archive": True, "until": "2026-05-08T16:00:00Z"}),
         "would be put away until 2026-05-09: Tea"),
        (("Demote", {"archive": True, "until": "2026-03-08T16:00:00Z"}),
         ("Demote", {"archive": True}), "would be put away: Tea"),
    ],
)  # fmt: skip
def test_what_is_changed_of_what_is_set_already(
    held: Memory, first: tuple[str, Any], then: tuple[str, Any], would: str
) -> None:
    held.execute(step(first[0], {"ids": ["4"]}, **first[1])).checked()
    assert told(held, then[0], "4", **then[1]) == would


def test_what_ends_as_it_began_is_no_effect(held: Memory) -> None:
    there_and_back = [
        step("Update", {"ids": ["4"]}, set={"text": text}) for text in ("Coffee", "Tea")
    ]
    shown = held.preview(there_and_back)
    assert effects(shown, held.view(), "", TAIPEI) == ["would change nothing"]
    made = held.preview([note("Milk"), step("Delete", {"ids": ["$1"]})])
    assert effects(made, held.view(), "", TAIPEI) == ["would be deleted: Milk"]


def test_what_a_new_memory_descends_from_is_not_told(held: Memory) -> None:
    shown = held.preview([step("Encode", payload={"text": "Milk"}, lineage_parents=["4"])])
    assert effects(shown, held.view(), "", TAIPEI) == ["would be kept as a new memory: Milk"]


def test_of_a_long_text_the_place_is_shown_that_changes(held: Memory) -> None:
    change = told(held, "Update", "3", replace={"old": "3 May", "new": "4 May"})
    kept = "…at by the plumber from Galway. He comes back on"
    assert change == f"text: {kept} 3 May at 9. → {kept} 4 May at 9."


def test_what_is_named_beside_it_is_not_named_again(held: Memory) -> None:
    assert told(held, "Delete", "3", named=short(LONG, LABEL)) == "would be deleted"
    assert told(held, "Delete", "4", named="Tea and milk") == "would be deleted: Tea"


def test_what_ended_or_reminded_before_would_stay(held: Memory) -> None:
    held.execute(step("Expire", {"ids": ["1"]}, until="2026-11-30T15:59:59Z"), confirmed=True)
    assert told(held, "Update", "1", set={"expire_at": None}) == (
        "would stay, with no end any more (Mon 2026-11-30 23:59): The ferry leaves at 8."
    )
    held.execute(step("Promote", {"ids": ["4"]}, remind={"at": "2026-12-18T01:00:00Z"}))
    moved = told(held, "Promote", "4", remind={"at": "2026-12-19T01:00:00Z"})
    assert moved == "“Tea”: reminder: Fri 2026-12-18 09:00 → Sat 2026-12-19 09:00"


def test_many_are_counted_and_steps_are_told_together(held: Memory) -> None:
    shown = held.preview(step("Delete", {"all": True}))
    (line,) = effects(shown, held.view(), "", TAIPEI)
    assert line.startswith("would be deleted: The ferry leaves at 8.; 護")
    assert line.endswith("; Tea and 1 more")
    shown = held.preview([
        step("Update", {"ids": ["4"]}, set={"text": "Milk"}),
        step("Update", {"ids": ["4"]}, set={"text": "Wine"}),
        step("Delete", {"ids": ["5"]}),
    ])  # fmt: skip
    assert effects(shown, held.view(), "", TAIPEI) == [
        "would be deleted: Soap", "text: Tea → Wine"
    ]  # fmt: skip


def test_what_the_store_would_refuse_is_said(held: Memory) -> None:
    (line,) = effects(held.preview(step("Delete", {"ids": ["99"]})), held.view(), "", TAIPEI)
    assert line.startswith("The store refuses that: no memory")
    held.execute(step("Lock", {"ids": ["4"]}, mode="read_only"))
    assert told(held, "Delete", "4", "删掉茶") == "记忆 4 已锁定。请先单独要求解锁，再说一遍。"


@pytest.mark.parametrize(
    ("said", "would"),
    [
        ("Delete the exam", f"would be deleted: {EXAM}"),
        ("把考试那条删掉吧", f"会删除：{EXAM}"),
        ("考試嗰條唔要喇", f"會刪除：{EXAM}"),
    ],
)
def test_it_is_told_in_the_language_and_script_of_the_request(
    held: Memory, said: str, would: str
) -> None:
    assert told(held, "Delete", "2", said) == would


@pytest.mark.parametrize(
    ("said", "nothing"),
    [
        ("thanks", "Nothing to do."), ("我还没有拿到钱", "没有要做的事。"),
        ("这三条", "没有要做的事。"),
        ("房租每個月五號匯", "沒有要做的事。"), ("飲品嗰個唔使記喇，佢戒咗", "沒有要做的事。"),
        ("12月嘅嘢列晒出嚟", "沒有要做的事。"), ("WhatsApp 那三日", "没有要做的事。"),
    ],
)  # fmt: skip
def test_traditional_characters_are_told_from_simplified_ones(said: str, nothing: str) -> None:
    assert message("nothing", said) == nothing


def test_of_a_fact_it_is_said_what_is_so_and_what_no_longer(memory: Memory) -> None:
    city = {"subject": "me", "attribute": "city", "value": "Oslo"}
    memory.execute(step("Encode", payload={"structured": city}))
    old, new = told(memory, "Update", "1", set={"value": "Bergen"}).split("; ")
    assert new.startswith("would be kept as a new memory: ") and new.endswith(": me.city = Bergen")
    assert old.startswith("would no longer be so, as of ") and old.endswith(": me.city = Oslo")


# --- questions -----------------------------------------------------------------------------

STORE = [note("The ferry to Oslo leaves at 8"), note("The ferry to Kiel leaves at 9"), note("Rent")]


def asked(slots: dict[str, Any], said: str) -> Clarification:
    return planned(said, {"steps": [slots]}, store=STORE, profile=SMALL).question


@pytest.mark.parametrize(
    ("slots", "said", "question", "would"),
    [
        ({"op": "Delete"}, "drop the ferry", "Which of these should be deleted?",
         "would be deleted"),
        ({"op": "Expire", "when": "2026-12-31"}, "the ferry can go by 2026-12-31",
         "Which of these should be given an end?",
         "would end on Thu 2026-12-31 23:59 and be deleted then"),
        ({"op": "Delete"}, "ferry 那條刪掉", "要刪除哪一則？", "會刪除"),
    ],
)  # fmt: skip
def test_a_question_that_hides_something_asks_that(
    slots: dict[str, Any], said: str, question: str, would: str
) -> None:
    found = asked({"about": "ferry", **slots}, said)
    assert found.question == question
    assert {option.effect for option in found.options} == {would}
    assert not re.search(r"Delete|Expire|Update", str(found))


def test_a_change_is_shown_before_it_is_agreed_to() -> None:
    slots = {"op": "Update", "about": "ferry", "old": "at", "new": "around"}
    found = asked(slots, "the ferry leaves around")
    assert found.question == "Which of these do you mean?"
    assert sorted(map(str, found.options)) == [
        "The ferry to Kiel leaves at 9 (text: The ferry to Kiel leaves at 9"
        " → The ferry to Kiel leaves around 9)",
        "The ferry to Oslo leaves at 8 (text: The ferry to Oslo leaves at 8"
        " → The ferry to Oslo leaves around 8)",
    ]


def test_what_touches_everything_says_what_it_would_do() -> None:
    found = asked({"op": "Delete", "which": "all"}, "delete it all")
    assert [str(option) for option in found.options] == [
        "run it (would be deleted: The ferry to Oslo leaves at 8; The ferry to Kiel leaves at 9;"
        " Rent)"
    ]


def test_several_memories_are_told_apart_by_the_marks_of_the_language() -> None:
    found = asked({"op": "Delete", "which": "all"}, "全删了吧")
    assert [str(option) for option in found.options] == [
        "执行 (会删除：The ferry to Oslo leaves at 8；The ferry to Kiel leaves at 9；Rent)"
    ]


def test_a_doubtful_replacement_is_told_as_what_stays_and_not_as_done() -> None:
    for said, done in (("a", "added to"), ("把", "已"), ("這個", "已")):
        assert done not in message("added", said, id="8")


def test_every_question_of_a_conversation_shows_the_effect_in_its_language() -> None:
    model = FunctionProvider(lambda _: draft("Delete", about="渡輪"))
    with Memory("memory:", model=model, context=CONTEXT, embedder="none") as memory:
        memory.add("渡輪八點開")
        talk = Conversation(memory, asks="changes")
        assert str(talk.say("渡輪那條刪掉吧")) == (
            "有內容會消失或不再顯示。要執行嗎？\n  會刪除：渡輪八點開"
        )
        assert str(talk.say("好")).startswith("改動了記憶 1\n  1.已刪除: 否 → 是")
        assert str(talk.undo()) == "這會復原上一次改動。要復原嗎？\n  會恢復：渡輪八點開"


def test_results_are_told_in_the_language_of_the_request_and_the_zone_of_whoever_asks(
    held: Memory,
) -> None:
    done = held.execute(step("Promote", {"ids": ["4"]}, remind={"at": "2026-12-18T01:00:00Z"}))
    for said, first, then in (
        ("Remind me", "Promote: changed memory 4",
         ["4.remind_next: null → Fri 2026-12-18 09:00"]),
        ("提醒我倒垃圾", "改动了记忆 4", ["4.提醒: 无 → 周五 2026-12-18 09:00"]),
        ("記得提醒我", "改動了記憶 4", ["4.提醒: 無 → 週五 2026-12-18 09:00"]),
    ):  # fmt: skip
        told_ = dict[str, list[str]]()
        for kind, line in step_in_words(done.results[0], words=InWords(TAIPEI, said)):
            told_.setdefault(kind, []).append(line)
        assert told_["done"] == [first]
        assert set(then) <= {*told_["change"]}
    read = held.execute(step("Retrieve", {"ids": ["4"]})).results[0]
    assert InWords(TAIPEI, "找茶").summary(read) == "找到 1 条记忆"
    first = held.execute(step("Retrieve", {"filter": {"weight_gte": 0.0, "limit": 1}})).results[0]
    assert InWords(TAIPEI, "找茶").summary(first).endswith(" 条记忆，显示 1 条")
    none = held.execute(step("Retrieve", {"filter": {"has_tags": ["sea"]}})).results[0]
    assert InWords(TAIPEI, "記得找").summary(none) == "沒有找到記憶"
    at = held.execute(step("Update", {"ids": ["4"]}, set={"time": "2026-12-18T01:00:00Z"}))
    assert at.ok
    read = held.execute(step("Retrieve", {"ids": ["4"]})).results[0]
    (row,) = (line for kind, line in step_in_words(read, words=InWords(TAIPEI)) if kind == "row")
    # The text may say "next Friday".
    assert row.endswith("  Fri 2026-12-18 09:00  reminder: Fri 2026-12-18 09:00")
    gone = held.preview(step("Delete", {"ids": ["4"]})).results[0]
    lines = [line for _, line in step_in_words(gone, words=InWords(TAIPEI, "把茶删了"))]
    assert lines[:2] == ["改动了记忆 4（试运行，未保存）", "4.已删除: 否 → 是"]
