"""The usual words of each verb, in both languages: none of them is heard as another verb.

Where code hears nothing the model is asked, which costs a question; where it hears another verb,
something is done that nobody asked for.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from tests.fixtures import cases
from text2mem.ir.surface import INSTANCES
from text2mem.planner.requests import read_steps

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)

USUAL: dict[str, tuple[str, ...]] = {
    "Encode": (
        "Remember that the boiler is serviced in June.",
        "Jot down the code of the bike shed.",
        "Keep a note: Mira starts school on Tuesday.",
        "记住楼下的快递柜是六号。", "帮我记一下物业的电话。", "备忘：阳台的花隔天浇一次。",
    ),
    "Update": (
        "The dentist's note should read Thursday.",
        "Correct the spelling of Zoë's surname.",
        "Replace the old gate code with 4417.",
        "把牙医的时间改成周四。", "更正一下佐伊的姓。", "车库密码现在应该是4417。",
    ),
    "Label": (
        "Tag the sailing entries with summer.",
        "Categorise the recipes by season.",
        "The two invoices are to be labelled paid.",
        "给帆船的条目打标“夏天”。", "把这两张发票标为已付。", "食谱要归类。",
    ),
    "Promote": (
        "The visa form is crucial.",
        "Give the boiler service a higher priority.",
        "Ping me with a reminder about the bins.",
        "置顶签证表格。", "提升锅炉检修的优先级。", "周二提醒我倒垃圾。",
    ),
    "Demote": (
        "Archive the kayak entries.",
        "The gym matters less these days.",
        "Push the attic down the pile.",
        "把皮划艇的内容归档。", "健身房的事没那么重要了。", "阁楼的事往后放。",
    ),
    "Merge": (
        "Combine the two entries about Oslo.",
        "Consolidate my garden plans.",
        "There are duplicates among the wine entries.",
        "把两条奥斯陆的内容合并。", "花园的计划整合起来。", "红酒的内容有重复。",
    ),
    "Split": (
        "Split the sailing diary.",
        "Break the interview up by speaker.",
        "Divide the shopping into weeks.",
        "把航海日记拆开。", "采访按说话人切分。", "购物清单分成几份。",
    ),
    "Delete": (
        "Get rid of the dentist entries.",
        "Wipe everything on the old router.",
        "Please discard my talk with Bo.",
        "抹掉牙医的内容。", "清空旧路由器的信息。", "我跟阿波的谈话都删掉。",
    ),
    "Lock": (
        "Freeze the tenancy agreement.",
        "The guest book is append-only.",
        "No one may alter the recipe.",
        "租约要保护起来。", "留言簿只能追加。", "不允许动这份食谱。",
    ),
    "Expire": (
        "The guest wifi expires on Friday.",
        "Keep the parking slip until noon.",
        "The parcel code is good only for two days.",
        "访客密码周五到期。", "停车票保留到中午。", "取件码的有效期是两天。",
    ),
    "Retrieve": (
        "Which entries mention Oslo?",
        "Look up the gate code.",
        "Please show everything from Bo.",
        "查一下大门的密码。", "奥斯陆有哪些内容？", "我对锅炉说过什么？",
    ),
    "Summarize": (
        "Recap the sailing trip.",
        "Give me the gist of the interview.",
        "An overview of the garden, please.",
        "小结一下航海的旅程。", "归纳采访的内容。", "给我花园计划的摘要。",
    ),
}  # fmt: skip
PHRASINGS = [
    (str(case["input"]), op)
    for case in cases("plan", "phrasings")
    for op in case["expected"]["ops"]
    if len(case["expected"]["ops"]) == 1
]
SAID = [(said, op) for op, several in USUAL.items() for said in several] + PHRASINGS


def heard(said: str) -> list[tuple[str, ...]]:
    """The ops that each step of a request can ask for."""
    return [step.head.ops for step in read_steps(said, (), now=NOW, tz=UTC)]


def test_every_verb_has_three_utterances_in_each_language() -> None:
    assert list(USUAL) == list(INSTANCES)
    for several in USUAL.values():
        chinese = [bool(re.search("[\u4e00-\u9fff]", said)) for said in several]
        assert chinese == [False] * 3 + [True] * 3


@pytest.mark.parametrize(("said", "op"), SAID, ids=[said for said, _ in SAID])
def test_the_usual_words_of_a_verb_are_never_heard_as_another_one(said: str, op: str) -> None:
    (ops,) = heard(said)
    assert not ops or op in ops


def test_nearly_all_of_them_need_no_model() -> None:
    alone = [said for said, op in SAID if heard(said) == [(op,)]]
    assert len(alone) >= len(SAID) * 0.9


@pytest.mark.parametrize("said", ["Milk.", "The harbour at night.", "好的。", "牛奶。"])
def test_words_that_ask_for_nothing_are_left_to_the_model(said: str) -> None:
    assert heard(said) == [()]


@pytest.mark.parametrize(
    ("said", "ops"),
    [
        ("Remember the gate code, then archive the old one.", ("Encode", "Demote")),
        ("Find the Oslo entries and combine them.", ("Retrieve", "Merge")),
        ("Tag the receipts, then erase the slips.", ("Label", "Delete")),
        ("Summarise the interview, lock the will, split the diary.",
         ("Summarize", "Lock", "Split")),
        ("先合并奥斯陆的内容，再概括一下。", ("Merge", "Summarize")),
        ("Erase the receipts tagged paid.", ("Delete",)),
        ("删除带“已付”标签的收据。", ("Delete",)),
    ],
)  # fmt: skip
def test_several_verbs_are_heard_in_the_order_of_their_words(
    said: str, ops: tuple[str, ...]
) -> None:
    assert heard(said) == [(op,) for op in ops]
