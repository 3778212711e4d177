"""Turns of a conversation: who said them, and what goes on with the one before.

Contexts may hold both sides without saying who spoke. An answer or a question back is no request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from text2mem.ir.segment import HAN
from text2mem.ir.turn import Turn
from text2mem.planner.heads import Head, head

_ANSWERS = re.compile(
    r"(?:here (?:you are|they are|it is|is|are)|this is (?:what|all)|these are|that is (?:what|"
    r"all)|(?:all right|ok(?:ay)?|good|sure)[,.!] (?:done|that's done|i )|(?:that's )?done\b|"
    r"(?:i )?(?:have )?found\b|i (?:only )?have (?:this|these|one|two|three|\d)|you did\b|"
    r"(?:there (?:is|are)|i (?:have|know|find|found)) (?:nothing|no)\b|nothing\b|only (?:some|"
    r"one)\b|(?:we|it|they) (?:do|did|does|is|are|was|were)\b|saved\b|noted\b)|"
    r"好的?[,，。]?(?:已|做完|完成|都|办)|(?:都|全都)?在这[里儿]|找到了?|有这些|这些是|这是|"
    r"已经?|没有找到|只看到|存了|记下了|办好",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"\W*(?:and |or |so |by |until |since |from |for |to |with |in |on |at ){0,2}(?:what|which|"
    r"who|whom|whose|where|when|how|why|do you mean|did you mean|you mean|are you sure)\b|"
    r".{0,24}?(?:什么|哪|谁|多少|多久|多细|几[个条天点号]|怎么|[你您](?:是说|指的?)|确定)",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b|我", re.IGNORECASE)
_LONGEST_QUESTION = 60


def requests(context: Sequence[Turn]) -> list[int]:
    """The places of the turns in which the person asks for or tells something, the last first."""
    if any(turn.ids or turn.question for turn in context):
        return [place for place in _backwards(context) if not context[place].question]
    paired = len(context) % 2 == 0
    return [
        place
        for place in _backwards(context)
        if not _is_reply(context[place].text, replies=paired and place % 2 == 1, first=place == 0)
    ]


def asks_back(turn: Turn) -> bool:
    """Whether a turn is a question to the person."""
    return turn.question or _is_question_back(turn.text)


def _backwards(context: Sequence[Turn]) -> range:
    return range(len(context) - 1, -1, -1)


def _is_reply(text: str, *, replies: bool, first: bool) -> bool:
    """Whether a turn reads as said to the person.

    ``replies``: it stands where the other one speaks; ``first``: nobody spoke before it.
    """
    if first:
        return False
    if _is_question_back(text):
        return True
    asks = head(text).first
    return (replies and not asks) or (bool(_ANSWERS.match(text.strip())) and (replies or not asks))


def _is_question_back(text: str) -> bool:
    """A short question that is not about the person who is asked: "By how much?"."""
    said = text.strip()
    if not said.endswith(("?", "？")) or len(said) > _LONGEST_QUESTION or _OWN.search(said):
        return False
    found = head(said)
    return bool(_WHICH.match(said)) or (not found.first and found.ops in ((), ("Retrieve",)))


# --- what goes on --------------------------------------------------------------------------

_FILLER = re.compile(
    r"(?:\s*(?:(?:sorry|no|yes|well|oh|ah|ok|okay|right|actually|better|rather|thanks|please|and|"
    r"but|also|so|just|only|likewise|ditto|say|perhaps|maybe|i (?:mean|meant|think|thought|said|"
    r"want|would say)|i'd say|i was thinking of|make (?:it|that)|let's say|it's|that's|it is|"
    r"that is|it was|that was|that would be|it should be|should be|what i mean is|"
    r"(?:the )?same(?: (?:goes|applies|thing))? (?:for|to|with)|that (?:goes|"
    r"applies)(?: also)? (?:for|to)|(?:what|how) about)(?![\w'])|对不起|抱歉|不好意思|应该是|"
    r"我(?:是|说的是|的意思是|指的是|是说|是指)|我说|指的是|那就|就是|还是|改成|大概|嗯|好的?|哦|"
    r"不|是|就|那|还有)[,.:;!—–，。：；、]*)+",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"(?:\b(?:the same|same|likewise|ditto|so (?:do|should|are))\b(?: (?:goes|applies|thing|"
    r"holds|is true))? (?:for|to|with)\b|^\W*(?:that|this) (?:goes|applies)\b|\b(?:too|as well|"
    r"likewise)[.!]?$|^\W*(?:and |but )?(?:what|how) about (?!\w+ing\b)|^\W*and (?:the|my|those|"
    r"all|these)\b|也(?:一样|同样|是|请?照办|这么办|这样|如此|照做|得)|同样处理|照办|如法炮制|"
    r"(?<!怎么|什么)呢[?？]?$)",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\W*(?:(?:sorry|no|well|actually|rather|better|and|please|ok|okay)[,:.]? )*(?:make (?:it|"
    r"that)|let's say|i (?:mean|meant)|i'd say|it should be|should be|that should be) |(?:对不起|"
    r"抱歉|不)?[,，。]?(?:应该是|我是说|我是指|我的意思是|我说的是|指的是|改成|就)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"[?？]|\b(?:i|what|which|where|who|when|how|show|see|find|look|know)\b|什么|哪|谁|多少|看|"
    r"找|查|我",
    re.I,
)
_SHORT, _SHORT_ZH = 6, 12


def ellipsis(words: str, own: Head, *, answers: bool) -> int | None:
    """How much of a clause only leads over, where it leaves its request to a turn before.

    None where it asks for something itself. ``answers``: it was asked back for.
    """
    if own.ops and own.first and not _CORRECTS.match(words):
        return None
    bare = own.ops == ("Retrieve",) and not own.first and not _ASKS.search(words)
    if own.ops and not (
        bare or _SAME.search(words) or _CORRECTS.match(words) or (answers and _short(words))
    ):
        return None
    led = _FILLER.match(words)
    return led.end() if led and led.end() < len(words.rstrip(" .!。！")) else 0


def _short(words: str) -> bool:
    """Whether a clause is so short that it only names something."""
    if HAN.search(words):
        return len(words) <= _SHORT_ZH
    return len(words.split()) <= _SHORT
