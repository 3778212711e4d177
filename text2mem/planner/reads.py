"""Reads: which fields of the memories a step wants to see."""

from __future__ import annotations

import re

from text2mem.planner.requests import Span, Step

_ENGLISH = {
    "tags": r"tags?|labels?", "location": r"places?|locations?",
    "time": r"times?|dates?|when(?: they (?:are|were))?",
    "type": r"types?|kinds?", "weight": r"weights?|"
                                        r"priorit(?:y|"
                                        r"ies)|importance", "subject": r"subjects?|people|persons?",
    "facets": r"facets?|status(?:es)?|states?", "source": r"sources?", "id": r"ids?|numbers?",
    "expire_at": r"expiry(?: dates?)?|expiration(?: dates?)?|end dates?",
}  # fmt: skip
_CHINESE = {
    "tags": "标签", "location": "地点|位置", "time": "时间|日期", "type": "类型|类别",
    "weight": "权重|优先级|重要性",
    "subject": "人物|主体|对象", "facets": "状态|属性", "source": "来源", "id": "编号|序号",
    "expire_at": "有效期|到期时间|过期时间",
}  # fmt: skip
_WITH = (
    r"(?:,? ?(?:and )?(?:along|together) with|,? ?including|,? ?plus|,? ?as well as|"
    r", (?:and )?with|,? ?and (?:also )?(?:show )?(?:me )?)"
    r" (?:the |their |its |all )|\bwith (?:their|its) "
)
_ALSO = re.compile(
    rf"(?:{_WITH})(?:{'|'.join(f'(?P<{k}>{v})' for k, v in _ENGLISH.items())})"
    r"(?: and (?:the |their )?(?P<second>[a-z ]{2,16}))?(?= too\b| as well\b|[.,;!?]|\s*$)",
    re.IGNORECASE,
)
_ALSO_ZH = re.compile(
    rf"(?:连同|连带|带上|附上|包括|加上|还有|以及|连|和)(?:它们的?|"
    rf"其)?(?:{'|'.join(f'(?P<{k}>{v})' for k, v in _CHINESE.items())})"
    r"(?:和(?P<second>[\u3400-\u9fff]{2,4}))?(?:一起|也)?(?=[，。；！？]|就|$|给|一并|都)"
)
_ONLY = re.compile(
    r",? ?\b(?:just|only|nothing but) (?:the |their )?(?:wording|texts?|words|contents?)\b"
    r"|[，,]?(?:只要|只看|只给|仅|光)(?:我)?(?:看)?(?:文字|正文|原文|文本|内容)(?:就好|即可|就行|"
    r"就可以)?",
    re.IGNORECASE,
)


def fields(step: Step) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """The fields that a step asks for, the text first, and where; nothing without any."""
    place = step.clause.start
    only = _ONLY.search(step.words)
    if only:
        return ("text",), ((place + only.start(), place + only.end()),)
    for pattern, names in ((_ALSO, _ENGLISH), (_ALSO_ZH, _CHINESE)):
        found = pattern.search(step.words)
        if found:
            first = next(name for name in names if found[name])
            second = [
                n for n, said in names.items() if re.fullmatch(said, found["second"] or "", re.I)
            ]
            return ("text", first, *second), ((place + found.start(), place + found.end()),)
    return (), ()
