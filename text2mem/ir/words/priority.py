"""The weights of priorities and their aliases, English and Chinese (docs/language.md, "Ops")."""

from __future__ import annotations

from text2mem.ir.words.folding import fold

LEVELS: dict[str, float] = {"low": 0.2, "normal": 0.5, "high": 0.8, "urgent": 1.0}
"""The weight of each priority."""

_WORDS = {
    "low": "lowest|minor|p3|p4|least|trivial|低|较低|最低|低优先级|最低优先级|不重要",
    "normal": (
        "medium|default|standard|p2|moderate|average|中|中等|普通|一般|正常|中优先级|普通优先级"
    ),
    "high": "important|higher|p1|major|高|较高|重要|高优先级|优先",
    "urgent": (
        "top|highest|critical|p0|max|maximum|asap|top priority|紧急|最高|最高优先级|最优先|"
        "特急|最重要"
    ),
}
_WEIGHTS = LEVELS | {
    word: LEVELS[level] for level, words in _WORDS.items() for word in words.split("|")
}


def read_priority(text: str) -> float | None:
    """The weight of a priority or an alias, in any case and with any separators; None of others."""
    word = " ".join(fold(text).replace("_", " ").replace("-", " ").split())
    return _WEIGHTS.get(word, _WEIGHTS.get(word.removesuffix(" priority")))


def level_of(weight: float) -> str:
    """The name of the priority whose weight is nearest."""
    return min(LEVELS, key=lambda name: abs(LEVELS[name] - weight))
