"""How Chinese speaks of memories: noun phrases, back-references, sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from text2mem_bench.generate.model import Slot, Target


def forms(target: Target, text: Callable[[Slot], str]) -> dict[str, str]:
    """The phrases that templates take of a target; ``text`` writes a part of it."""
    parts = {name: text(slot) for name, slot in target.parts.items()}
    if "query" in parts:
        return {"query": parts["query"]}
    if "about" in parts:
        return {"target": f"关于{parts['about']}的那条笔记"}
    if target.noun == "report":
        return {"target": f"关于{parts['topic']}的报告"}
    if "all" in parts:
        return {"target": parts["all"]}
    noun = parts.get("type", target.noun)
    bare = f"{_pre(parts)}{noun}"
    found = {
        "target": f"{target.determiner}{bare}", "noun": noun, "bare": bare,
        "base": f"{_pre(parts, leave_out=target.condition)}{noun}",
    }  # fmt: skip
    if target.condition:
        found["cond"] = _ATTRIBUTES[target.condition].format(parts[target.condition])
    if "count" in parts:
        found["latest"] = f"{parts['count']}{bare}"
        found["latest_one"] = parts["count"]
    return found


_ATTRIBUTES = {
    "topic": "关于{}", "tagged": "{}", "tagged_any": "{}", "marked": "带{}标签",
    "not_tagged": "不带{}标签", "subject": "和{}有关", "location": "地点是{}",
    "in_status": "状态为{}", "range": "{}",
}  # fmt: skip


def _pre(parts: Mapping[str, str], *, leave_out: str = "") -> str:
    """What stands before the noun."""
    said = [
        _ATTRIBUTES[name].format(parts[name])
        for name in _ATTRIBUTES
        if name in parts and name not in (leave_out, "range")
    ]
    when = parts["range"] if "range" in parts and leave_out != "range" else ""
    return f"{when}{'、'.join(said)}的" if said or when else ""


def pronoun(refers: str, text: Callable[[str], str]) -> dict[str, str]:
    """The phrases of what was spoken of before: one memory, several, or the parts of one."""
    return {"target": text({"memory": "它", "memories": "它们", "parts": "拆出来的几条"}[refers])}


def finish(text: str) -> str:
    """A sentence with its punctuation in place; marks stay where they are."""
    text = re.sub(r"了([\ue000-\uf8ff]*)了", r"了\1", text)
    text = re.sub(r"([。？！][\ue000-\uf8ff]*)[。，]", r"\1", text)
    return re.sub(r"([。？！])([\ue000-\uf8ff]*”)。", r"\1\2", text)
