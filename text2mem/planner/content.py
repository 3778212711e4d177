"""What an Encode stores: the utterance without the words that only ask for it."""

from __future__ import annotations

import re
from typing import Any

from text2mem.planner.keyphrases import keyphrases
from text2mem.planner.requests import Span, Step

_LEADING = re.compile(
    r"^(?:[\s,:：，;；-]|(?:that|down|this|for me|for the record|in mind|为|成|到|的是)(?=[\s:：,，])|"
    r"(?:this|the following)\s*:|一下|一条|下来)+",
    re.IGNORECASE,
)
_FACT_EN = re.compile(r"^(?P<subject>[A-Z][\w.-]*(?: [A-Z][\w.-]*)?)['’]s (?P<attribute>[a-z][a-z ]{1,24}?) (?:is|are) (?P<value>[^.,;]{1,60})[.]?$")  # fmt: skip
_FACT_ZH = re.compile(
    r"^(?P<subject>[\u3400-\u9fffA-Za-z]{1,6})的(?P<attribute>[\u3400-\u9fff]{1,6})(?:是|为|叫)(?P<value>[^，。；,;]{1,40})[。.]?$"
)


def said(step: Step, without: tuple[Span, ...] = ()) -> str:
    """The content of a step that asks to store something; empty where nothing is left of it."""
    start = step.request[1] if step.head.end else step.clause.start
    text = step.evidence.utterance[start : step.clause.end]
    for first, last in sorted(without, reverse=True):
        if start <= first and last <= step.clause.end:
            text = text[: first - start] + text[last - start :]
    text = _LEADING.sub("", text).strip()
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


def fact_of(text: str) -> dict[str, Any] | None:
    """Subject, attribute and value of a text that states one ("Ann's city is Paris")."""
    found = _FACT_EN.match(text) or _FACT_ZH.match(text)
    return found.groupdict() if found else None


def tags_of(text: str) -> list[str]:
    """Tags in the text's own words."""
    return keyphrases(text)
