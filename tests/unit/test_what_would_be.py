"""What a question's options would do, as whoever is asked reads it: no ops, no ids, their zone."""

from __future__ import annotations

import copy
import json
import pickle
import re
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.planning import CONTEXT, SMALL, draft, note, planned, step
from text2mem import Clarification, Conversation, Memory
from text2mem.errors import (
    ConfigurationError,
    MalformedOutput,
    NoSuchOption,
    ServiceTimeout,
    ServiceUnreachable,
    Text2MemError,
)
from text2mem.ir.effects import changes_in_words, short, step_in_words
from text2mem.ir.result import Change, ProgramResult
from text2mem.messages import complaint, in_words, message
from text2mem.messages import told as told_by
from text2mem.planner.effects import LABEL, InWords, effects
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


def test_what_is_set_on_one_of_several_new_memories_names_it(held: Memory) -> None:
    made = [step("Encode", payload={"text": text}, tags=tags) for text, tags in
            (("Milk", ["shop"]), ("Call Ana", []), ("Rent", ["home"]))]  # fmt: skip
    assert effects(held.preview(made), held.view(), "", TAIPEI) == [
        "would be kept as a new memory: Milk; Call Ana; Rent",
        "“Milk”: tags: shop", "“Rent”: tags: home",
    ]  # fmt: skip
    assert effects(held.preview(made[:1]), held.view(), "", TAIPEI)[1:] == ["tags: shop"]


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
        "执行（会删除：The ferry to Oslo leaves at 8；The ferry to Kiel leaves at 9；Rent）"
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
        assert str(talk.say("好")).startswith("改動了記憶 1\n  1.已刪除：否 → 是")
        assert str(talk.undo()) == "這會復原上一次改動。要復原嗎？\n  會恢復：渡輪八點開"


def test_results_are_told_in_the_language_of_the_request_and_the_zone_of_whoever_asks(
    held: Memory,
) -> None:
    done = held.execute(step("Promote", {"ids": ["4"]}, remind={"at": "2026-12-18T01:00:00Z"}))
    for said, first, then in (
        ("Remind me", "Promote: changed memory 4",
         ["4.remind_next: null → Fri 2026-12-18 09:00"]),
        ("提醒我倒垃圾", "改动了记忆 4", ["4.提醒：无 → 周五 2026-12-18 09:00"]),
        ("記得提醒我", "改動了記憶 4", ["4.提醒：無 → 週五 2026-12-18 09:00"]),
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
    assert lines[:2] == ["改动了记忆 4（试运行，未保存）", "4.已删除：否 → 是"]


# --- what the store says, in the language of the request ------------------------------------


def lines(result: ProgramResult, said: str) -> list[tuple[str, str]]:
    """What is told of a result, but for its summary and changes."""
    words = InWords(TAIPEI, said)
    told_ = (each for one in result.results for each in step_in_words(one, words=words))
    return [each for each in told_ if each[0] not in ("done", "change", "row")]


def test_warnings_are_in_the_language_of_the_request(held: Memory) -> None:
    gone = held.preview(step("Delete", {"ids": ["4"]}, soft=False))
    assert lines(gone, "") == [("note", "note: a hard delete cannot be undone")]
    assert lines(gone, "把茶彻底删掉") == [("note", "注意：彻底删除后无法恢复")]
    assert lines(gone, "把茶徹底刪掉") == [("note", "注意：徹底刪除後無法復原")]
    assert effects(gone, held.view(), "把茶彻底删掉", TAIPEI) == [
        "会彻底清除：Tea", "彻底删除后无法恢复",
    ]  # fmt: skip
    assert gone.as_dict()["results"][0]["warnings"] == ["a hard delete cannot be undone"]
    whole = held.preview(step("Split", {"ids": ["4"]}, strategy="by_sentences"))
    assert lines(whole, "拆開它") == [("note", "注意：記憶 4 沒有可拆分的內容")]
    none = held.execute(step("Retrieve", {"filter": {"has_tags": ["sea"]}}))
    assert lines(none, "找海") == [("note", "注意：没有符合的记忆")]


def test_refusals_are_in_the_language_of_the_request(held: Memory) -> None:
    assert held.execute(step("Lock", {"ids": ["4"]}, mode="read_only")).ok
    shut = held.execute(step("Delete", {"ids": ["4"]}))
    (english, hint) = lines(shut, "")
    assert english == ("refused", "Delete: memory 4 is locked (read_only) against Delete")
    assert hint[0] == "hint"
    # A hint that there is in English alone is left out.
    assert lines(shut, "删掉茶") == [("refused", "无法执行：记忆 4 已锁定（只读），不能删除")]
    assert lines(shut, "刪掉茶") == [("refused", "無法執行：記憶 4 已鎖定（唯讀），不能刪除")]
    assert shut.error is not None
    assert shut.error.message == "memory 4 is locked (read_only) against Delete"
    assert held.execute(step("Label", {"ids": ["5"]}, tags=["alone"])).ok
    alone = held.execute(step("Merge", {"filter": {"has_tags": ["alone"]}}))
    assert lines(alone, "合并") == [("refused", "无法执行：除记忆 5 外，没有其他记忆可以合并")]


def test_the_conflicts_of_an_undo_are_in_the_language_of_the_request(held: Memory) -> None:
    done = held.execute(step("Label", {"ids": ["4", "5"]}, tags=["shop"]))
    later = held.execute(step("Label", {"ids": ["4", "5"]}, tags=["home"])).trace_id
    back = held.undo(done.trace_id)
    each = f"Label of {later} changed tags"
    assert back.error is not None
    assert back.error.message == f"memory 4: {each}; memory 5: {each}"
    each = f"之后又有改动：{later}（标记）改了标签"
    why = f"无法执行：不能撤销。记忆 4 {each}；记忆 5 {each}"
    assert lines(back, "撤销") == [("refused", why)]


def test_many_ids_that_are_unknown_are_counted_in_the_language_of_the_request(held: Memory) -> None:
    unknown = held.execute(step("Label", {"ids": [str(90 + n) for n in range(12)]}, tags=["x"]))
    assert unknown.error is not None
    assert unknown.error.message.endswith(", 98, 99 and 2 more")
    assert complaint(unknown.error, "打标签")[0].endswith("、98、99 等（另有 2 条） 的记忆")


def test_what_can_be_told_in_other_words_is_copied_and_pickled_with_them() -> None:
    text = told_by("nothing-to-split", id="4")
    for same in (copy.deepcopy(text), pickle.loads(pickle.dumps(text))):
        assert same == text == "memory 4 has nothing to split"
        assert in_words(same, "拆开") == "记忆 4 没有可拆分的内容"
    assert in_words("memory 4 has nothing to split", "拆开") == "memory 4 has nothing to split"
    assert json.dumps([text]) == '["memory 4 has nothing to split"]'


def test_lists_and_fields_are_told_by_the_marks_and_names_of_the_language(held: Memory) -> None:
    done = held.execute(step("Label", {"ids": ["4", "5"]}, tags=["买", "家"]))
    words = InWords(TAIPEI, "打标签")
    assert [line for _, line in step_in_words(done.results[0], words=words)] == [
        "改动了记忆 4、5", "4.标签：无 → 买、家", "5.标签：无 → 买、家",
    ]  # fmt: skip
    end = held.execute(step("Expire", {"ids": ["5"]}, until="2026-12-31T15:59:59Z"))
    assert [line for _, line in step_in_words(end.results[0], words=words)][1:] == [
        "5.到期：无 → 周四 2026-12-31 23:59", "5.到期时：无 → 删除",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "chinese"),
    [
        (ServiceTimeout("no answer"), "服务没有正常回应，请稍后再试（no answer）"),
        (MalformedOutput("not JSON"), "模型没有给出可用的结果。请换个说法，或换用更大的模型。"),
        (NoSuchOption(7, options=2), "没有第 7 个选项"),
    ],
)  # fmt: skip
def test_errors_are_told_in_the_language_of_the_request(error: Text2MemError, chinese: str) -> None:
    assert complaint(error, "删掉茶") == (chinese, "")
    assert complaint(error, "delete it") == (error.message, error.hint)


def test_an_error_without_chinese_words_keeps_its_hint() -> None:
    error = ConfigurationError("no such model", hint="there are a and b")
    assert complaint(error, "删掉茶") == ("no such model", "there are a and b")
    down = ServiceUnreachable("Ollama refused", service="ollama", hint="start it")
    why, hint = complaint(down, "删掉茶")
    assert "Ollama refused" in why
    assert hint == "start it"


def test_a_change_that_words_leave_out_is_told_as_it_is() -> None:
    rules = "FREQ=DAILY;BYHOUR=9", "FREQ=DAILY;BYHOUR=20"
    words = InWords(TAIPEI, "改到晚上八点")
    [line] = changes_in_words([Change("1", "remind_rrule", *rules)], words)
    assert line == f"1.重复：{' → '.join(rules)}"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("move the meeting with 王总 to Friday", "This would change something. Shall it run?"),
        (
            "remember: the wifi password is Tide-4471, the printer is called 小白",
            "This would change something. Shall it run?",
        ),
        ("提醒我 meeting with Tom at 3pm", "这会改动一些内容。要执行吗？"),
        ("帮我 book the flight to Tokyo, 然后 remind me", "这会改动一些内容。要执行吗？"),
        ("记住：the wifi password at the cabin is bluebird", "这会改动一些内容。要执行吗？"),
        ("收藏 https://www.example.com/docs/en/first-steps", "这会改动一些内容。要执行吗？"),
        ("wifi 密码 correct-horse-battery-staple", "这会改动一些内容。要执行吗？"),
        ("把 the lease note 鎖定", "這會改動一些內容。要執行嗎？"),
    ],
)
def test_the_language_of_a_request_is_that_of_most_of_its_words(said: str, asked: str) -> None:
    assert message("changing", said) == asked
