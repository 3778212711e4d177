"""Priorities and their aliases in English and Chinese, as weights (docs/language.md, "Ops")."""

from __future__ import annotations

LEVELS: dict[str, float] = {"low": 0.2, "normal": 0.5, "high": 0.8, "urgent": 1.0}

ALIASES: dict[str, str] = {
    # low
    "lowest": "low", "minor": "low", "p3": "low", "p4": "low", "least": "low", "trivial": "low",
    "低": "low", "较低": "low", "最低": "low", "低优先级": "low",
    "最低优先级": "low", "不重要": "low",
    # normal
    "medium": "normal", "default": "normal", "standard": "normal", "p2": "normal",
    "moderate": "normal", "average": "normal", "中": "normal", "中等": "normal", "普通": "normal",
    "一般": "normal", "正常": "normal", "中优先级": "normal", "普通优先级": "normal",
    # high
    "important": "high", "higher": "high", "p1": "high", "major": "high", "高": "high",
    "较高": "high", "重要": "high", "高优先级": "high", "优先": "high",
    # urgent
    "top": "urgent", "highest": "urgent", "critical": "urgent", "p0": "urgent", "max": "urgent",
    "maximum": "urgent", "asap": "urgent", "top priority": "urgent", "紧急": "urgent",
    "最高": "urgent", "最高优先级": "urgent", "最优先": "urgent",
    "特急": "urgent", "最重要": "urgent",
}  # fmt: skip


def read_priority(text: str) -> float | None:
    """The weight of a level or alias, None where it is neither. Case and blanks do not matter."""
    word = " ".join(text.replace("_", " ").replace("-", " ").lower().split())
    for candidate in (word, word.removesuffix(" priority")):
        level = ALIASES.get(candidate, candidate)
        if level in LEVELS:
            return LEVELS[level]
    return None
