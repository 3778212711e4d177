"""Turns of a conversation: who said them, and what goes on with the one before.

Contexts may hold both sides without saying who spoke. An answer or a question back is no request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from text2mem.ir.turn import Turn
from text2mem.planner.heads import Head, head

_HAN = re.compile("[\u3400-\u9fff]")
_ANSWERS = re.compile(
    r"(?:here (?:you are|they are|it is|is|are)|this is (?:what|all)|these are|that is (?:what|"
    r"all)|"
    r"(?:all right|ok(?:ay)?|good|sure)[,.!] (?:done|that's done|i )|(?:that's )?done\b|"
    r"(?:i )?(?:have )?found\b|i (?:only )?have (?:this|these|one|two|three|\d)|you did\b|"
    r"(?:there (?:is|are)|i (?:have|know|find|found)) (?:nothing|no)\b|nothing\b|only (?:some|"
    r"one)\b|"
    r"(?:we|it|they) (?:do|did|does|is|are|was|were)\b|saved\b|noted\b)"
    r"|好的?[,，。]?(?:已|做完|完成|都|办)|(?:都|全都)?在这[里儿]|找到了?|有这些|这些是|这是|"
    r"已经?|没有找到|只看到|存了|记下了|办好",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"\W*(?:and |or |so |by |until |since |from |for |to |with |in |on |at ){0,2}(?:what|which|who|"
    r"whom|whose|where|"
    r"when|how|why|do you mean|did you mean|you mean|are you sure)\b|.{0,24}?(?:什么|哪|谁|多少|"
    r"多久|多细|"
    r"几[个条天点号]|怎么|[你您](?:是说|指的?)|确定)",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b|我", re.IGNORECASE)
_LONGEST_QUESTION = 60


def requests(context: Sequence[Turn]) -> list[int]:
    """The places of the turns in which the person asks for or tells something, the last first."""
    marked = any(turn.ids or turn.question for turn in context)
    paired = len(context) % 2 == 0
    return [
        place
        for place, turn in reversed(list(enumerate(context)))
        if not turn.question
        and (marked or not _is_reply(turn.text, in_turn=paired and place % 2 == 1))
    ]


def asks_back(turn: Turn) -> bool:
    """Whether a turn is a question to the person."""
    return turn.question or _is_question_back(turn.text)


def _is_reply(text: str, *, in_turn: bool) -> bool:
    """Whether a turn reads as said to the person; ``in_turn`` where it is the turn for that."""
    if head(text).first:
        return False
    return in_turn or bool(_ANSWERS.match(text.strip())) or _is_question_back(text)


def _is_question_back(text: str) -> bool:
    """A short question that is not about the person who is asked: "By how much?"."""
    said = text.strip()
    return (
        said.endswith(("?", "？"))
        and len(said) <= _LONGEST_QUESTION
        and not _OWN.search(said)
        and (bool(_WHICH.match(said)) or head(said).ops in ((), ("Retrieve",)))
        and not head(said).first
    )


# --- what goes on --------------------------------------------------------------------------

_FILLER = re.compile(
    r"(?:\s*(?:(?:sorry|no|yes|well|oh|ah|ok|okay|right|actually|better|rather|thanks|please|and|"
    r"but|also|so|"
    r"just|only|likewise|ditto|say|perhaps|maybe|i (?:mean|meant|think|thought|said|want|"
    r"would say)|i'd say|"
    r"i was thinking of|make (?:it|that)|let's say|it's|that's|it is|that is|it was|that was|"
    r"that would be|it should be|should be|what i mean is|(?:the )?same(?: (?:goes|applies|"
    r"thing))? "
    r"(?:for|to|with)|that (?:goes|applies)(?: also)? (?:for|to)|(?:what|how) about)(?![\w'])"
    r"|对不起|抱歉|不好意思|应该是|我(?:是|说的是|的意思是|指的是|是说|是指)|我说|指的是|那就|"
    r"就是|还是|改成|大概|嗯|好的?|哦|不|是|就|那|还有)"
    r"[,.:;!—–，。：；、]*)+",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"(?:\b(?:the same|same|likewise|ditto|so (?:do|should|are))\b(?: (?:goes|applies|thing|holds|"
    r"is true))? "
    r"(?:for|to|with)\b|^\W*(?:that|this) (?:goes|applies)\b|\b(?:too|as well|likewise)[.!]?$"
    r"|^\W*(?:and |but )?(?:what|how) about (?!\w+ing\b)|^\W*and (?:the|my|those|all|these)\b"
    r"|也(?:一样|同样|是|请?照办|这么办|这样|如此|照做|得)|同样处理|照办|如法炮制|(?<!怎么|"
    r"什么)呢[?？]?$)",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\W*(?:(?:sorry|no|well|actually|rather|better|and|please|ok|okay)[,:.]? )*(?:make (?:it|"
    r"that)|let's say|"
    r"i (?:mean|meant)|i'd say|it should be|should be|that should be) |(?:对不起|抱歉|"
    r"不)?[,，。]?(?:应该是|"
    r"我是说|我是指|"
    r"我的意思是|我说的是|指的是|改成|就)",
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
    if _HAN.search(words):
        return len(words) <= _SHORT_ZH
    return len(words.split()) <= _SHORT
