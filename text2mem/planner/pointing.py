"""Pointing: what a step means that names nothing itself: "them", "the last one", "everything"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from text2mem.ir.ops import READS
from text2mem.ir.ports import StoreView
from text2mem.ir.record import Record
from text2mem.planner.requests import Step
from text2mem.planner.selection import MOST, Aim

_DEICTIC = re.compile(
    r"\b(?:this|that|it)\b|\b(?:these|those)\s+(?!notes|memor|entries|records|ones|two)[a-z]+|"
    r"[这那]些(?!笔记|记忆|记录|条)[\u3400-\u9fff]|"
    r"[这那该此](?:个|条|份|次|篇|封|项|段|张|本|场)?(?!些)|它(?!们)",
    re.IGNORECASE,
)
"""What points to one thing, or to things of some kind; "them" alone does not say what it means."""

_PARTS = re.compile(
    r"(?:the |any |all |its |their )?(?:[\w-]+ ){0,3}(?:points?|issues?|concerns?|delays?|items?|"
    r"discussions?|findings?|takeaways?|highlights?|results?|risks?|trends?|insights?|themes?|"
    r"problems?|decisions?|parts?|sections?|details?|passages?|blockers?|challenges?|suggestions?|"
    r"recommendations?|outcomes?|conclusions?|aspects?|areas?|rest|remainder)(?![\w-])|"
    r"[^，。；]{0,8}(?:要点|重点|问题|关注点|风险|结论|延误|其余|剩余|部分|建议|趋势|亮点|难点|事项|"
    r"发现|成果|瓶颈)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a step stands: its number in the request (0-based), and the ids of the turn before."""

    number: int = 0
    ids: tuple[str, ...] = ()


def pointed(
    op: str, step: Step, view: StoreView, place: Place, total: int, again: Callable[[Step], Aim]
) -> Aim:
    """What a step points to.

    ``total`` is how many memories there are; ``again`` reads an earlier step for the same op.
    """
    if step.flagged("everything") and not step.own("pronoun"):
        return Aim({"all": True}, tuple(view.recent(MOST)))
    if step.own("latest"):
        rows = tuple(view.recent(1))
        return Aim({"ids": [row.id for row in rows]} if rows else None, rows)
    if place.number:
        return Aim({"ids": ["$-1"]})
    found = view.find(place.ids)
    known = [id_ for id_ in place.ids if id_ in found]
    if known:
        return Aim({"ids": known}, tuple(found[id_] for id_ in known))
    if step.earlier is not None:
        return again(step.earlier)
    return _newest(op, step, view, total)


def is_part(phrase: str) -> bool:
    """Whether words name parts of what was spoken of: "the key points", 主要问题."""
    return _PARTS.match(phrase) is not None


def _newest(op: str, step: Step, view: StoreView, total: int) -> Aim:
    """Nothing was spoken of: all for a read; the newest memory where the step points to one."""
    if op in READS:
        return Aim({"all": True}, tuple(view.recent(20)))
    rows: tuple[Record, ...] = tuple(view.recent(1))
    if rows and (total == 1 or _DEICTIC.search(step.words)):
        return Aim({"ids": [rows[0].id]}, rows, guessed=total > 1)
    return Aim(None, near=tuple(view.recent(3)))
