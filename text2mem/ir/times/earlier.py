"""Find questions about an earlier state: "before the move", "my previous address", 以前住在哪里."""

from __future__ import annotations

import re

_BEFORE = re.compile(r"\b(?:before|prior to|until) (?P<en>[^,.;?!]{1,60})")
_ZH_BEFORE = re.compile(r"(?P<zh>[^，。？！,?!、\s]{1,12}?)(?:之前|以前|前)(?![天年面后台])")
_ONCE = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|earlier|used? to|once|prior)\b"
    r"|\b(?:my|his|her|their|our|the|s) old (?!are|is|was|were)"
    r"|以前|之前|原来|原先|从前|过去(?!的?这)|曾经?|上一[个任家次]|前一[个任家次]|前任"
)
_THAT = re.compile(r"(?:that|then|now|it|this)\b")


def read_before(text: str) -> str | None:
    """The words for what an earlier state preceded: "the move" in "before the move".

    "" if a question asks for it without such words ("my previous address"); None if it does not.
    ``text`` is folded, with the times in it masked.
    """
    if _ONCE.search(text) is None and _ZH_BEFORE.search(text) is None:
        return None
    for pattern, name in ((_BEFORE, "en"), (_ZH_BEFORE, "zh")):
        found = pattern.search(text)
        if found is not None and not _THAT.match(found[name]):
            return found[name]
    return "" if _ONCE.search(text) is not None else None
