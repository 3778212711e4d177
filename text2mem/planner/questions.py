"""Questions to the person, in the language of the request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.ir.record import Record
from text2mem.ir.segment import HAN
from text2mem.ir.surface import STAGES
from text2mem.planner.asking import Choice, Question, candidate
from text2mem.planner.grounding import Picture
from text2mem.planner.requests import Step
from text2mem.planner.selection import Aim

Raw = dict[str, Any]
_SHOWN = 3
_DOES = {
    "Update": ("changes", "修改"),
    "Label": ("tags", "标记"),
    "Promote": ("promotes", "提升"),
    "Demote": ("demotes", "降低"),
    "Merge": ("merges", "合并"),
    "Split": ("splits", "拆分"),
    "Delete": ("deletes", "删除"),
    "Lock": ("locks", "锁定"),
    "Expire": ("lets expire", "设定过期"),
}


def chinese(step: Step) -> bool:
    """Whether to ask in Chinese."""
    return bool(HAN.search(step.evidence.utterance))


def nothing_found(op: str, step: Step, found: Aim, args: Raw) -> Question:
    """The store holds nothing of what the request names; the closest memories are offered."""
    han = chinese(step)
    phrase = found.phrase or step.words
    text = (
        f"没有找到与“{phrase}”有关的记忆。您指的是哪一条？"
        if han
        else f'There is no memory of "{phrase}". Which one do you mean?'
    )
    options = (
        ()
        if op == "Merge"
        else tuple(_option(op, row, args, han=han) for row in found.near[:_SHOWN])
    )
    return Question(text, "nothing-found", options, tuple(map(candidate, found.near[:_SHOWN])))


def nothing_named(utterance: str, picture: Picture | None) -> Question:
    """A model says that the store holds nothing of what the request names."""
    text = (
        "没有找到您说的记忆。是哪一条？"
        if HAN.search(utterance)
        else "There is no such memory. Which one do you mean?"
    )
    near = picture.candidates[:_SHOWN] if picture else ()
    return Question(
        text, "nothing-found", (),
        tuple({"id": c.id, "text": c.snippet, "tags": list(c.tags), "time": c.time} for c in near),
    )  # fmt: skip


def ambiguous(op: str, step: Step, found: Aim, args: Raw) -> Question:
    """The request does not say which memory, and what it asks for is not done on a guess."""
    han = chinese(step)
    text = "您指的是这一条吗？" if han else "Is this the one that you mean?"
    rows = found.records[:_SHOWN]
    options = () if op == "Merge" else tuple(_option(op, row, args, han=han) for row in rows)
    return Question(text, "ambiguous-target", options, tuple(map(candidate, rows)))


def contradictory(step: Step) -> Question:
    """The request says things that do not go together."""
    text = (
        "这里有两种说法对不上。到底要哪一种？"
        if chinese(step)
        else "This says two things that do not go together. Which one do you mean?"
    )
    return Question(text, "not-expressible")


def wide(op: str, step: Step, selector: Raw | None, args: Raw, hit: int) -> Question:
    """What is asked for would go through many memories at once."""
    han = chinese(step)
    text = (
        f"这会{_DOES[op][1]}{hit}条记忆。确定吗？"
        if han
        else f"This {_DOES[op][0]} {hit} memories. Do you mean that?"
    )
    instance: Raw = {
        "stage": STAGES[op],
        "op": op,
        "target": selector,
        **({"args": args} if args else {}),
    }
    direct = selector is not None and "$-1" not in selector.get("ids", ())
    label = "全部" if han else "all of them"
    options = (Choice(label, [instance], f"{_DOES[op][han]}: {hit}"),) if direct else ()
    return Question(text, "everything", options)


def missing_content(step: Step, records: Sequence[Record]) -> Question:
    """The request does not say what is to be written."""
    text = "新的内容应该写什么？" if chinese(step) else "What should it say?"
    return Question(text, "missing-content", (), tuple(map(candidate, records[:_SHOWN])))


def nothing_to_write(step: Step, found: Aim) -> Question:
    """The request says neither which memory there is to change, nor what it is to say."""
    phrase = found.phrase or step.words
    text = (
        f"没有找到与“{phrase}”有关的记忆。是哪一条，新的内容又应该写什么？"
        if chinese(step)
        else f'There is no memory of "{phrase}". Which one do you mean, and what should it say?'
    )
    return Question(text, "missing-content", (), tuple(map(candidate, found.near[:_SHOWN])))


def one_alone(step: Step, found: Aim) -> Question:
    """What is to be merged is a single memory."""
    text = (
        "这只是一条记忆。要和哪一条合并？"
        if chinese(step)
        else "That is a single memory. Which one is it to be merged with?"
    )
    return Question(text, "ambiguous-target", (), tuple(map(candidate, found.records)))


def until_when(step: Step) -> Question:
    """The request says that something ends, and not when."""
    text = "到什么时候为止？" if chinese(step) else "Until when, or for how long?"
    return Question(text, "missing-content")


def _option(op: str, row: Record, args: Raw, *, han: bool) -> Choice:
    instance: Raw = {"stage": STAGES[op], "op": op, "target": {"ids": [row.id]}}
    if args:
        instance["args"] = args
    does = _DOES[op][han]
    effect = f"{does}记忆 {row.id}" if han else f"{does} memory {row.id}"
    return Choice(str(candidate(row)["text"]), [instance], effect)
