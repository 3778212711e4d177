"""Questions about what was so before: "before the move", "my previous address", 以前住在哪里."""

from __future__ import annotations

import re

_EVENTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bmov(?:e|ed|ing)|relocat\w+|搬家|搬走|搬到?"), "where live 住在哪里"),
    (re.compile(r"\bjob|employer|compan(?:y|ies)|hired|join(?:ed|ing)|换工作|跳槽|入职|离职"),
     "work for 哪家公司"),
    (re.compile(r"\bwedding|marri(?:ed|age)|marry|结婚|婚"), "married to 结婚"),
    (re.compile(r"\bpromot\w+|升职|晋升"), "work as 职位"),
)  # fmt: skip
_BEFORE = re.compile(r"\b(?:before|prior to|until) (?P<en>[^,.;?!]{1,60})")
_ZH_BEFORE = re.compile(r"(?P<zh>[^，。？！,?!、\s]{1,12}?)(?:之前|以前|前)(?![天年面后台])")
_ONCE = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|earlier|used? to|once|prior)\b"
    r"|\b(?:my|his|her|their|our|the|s) old (?!are|is|was|were)"
    r"|以前|之前|原来|原先|从前|过去(?!的?这)|曾经?|上一[个任家次]|前一[个任家次]|前任"
)
_THAT = re.compile(r"(?:that|then|now|it|this)\b")


def read_before(text: str) -> str | None:
    """What it was before of, in words that ask for an attribute; "" for what is asked itself.

    None where nothing of before is said. ``text`` is folded, with the times in it masked.
    """
    if _ONCE.search(text) is None and _ZH_BEFORE.search(text) is None:
        return None
    for pattern, name in ((_BEFORE, "en"), (_ZH_BEFORE, "zh")):
        found = pattern.search(text)
        if found is None or _THAT.match(found[name]):
            continue
        for event, words in _EVENTS:
            if event.search(found[name]):
                return words
        if name == "en":
            return found[name]
    return "" if _ONCE.search(text) is not None else None
