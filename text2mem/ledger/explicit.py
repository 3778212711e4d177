"""Whether a message asks, in so many words, to remember or to forget something."""

from __future__ import annotations

import re

from text2mem.ledger.episode import Message

_ENGLISH = re.compile(
    r"\b(?:remember(?! when\b| how\b)|memori[sz]e|keep (?:it |this |that )?in mind|bear in mind|"
    r"(?:make|take) a note|note (?:it |this |that )?down|note that|for the record|"
    r"write (?:it|this|that|down)|keep (?:it|this|that) (?:for|on)|don'?t forget|"
    r"forget (?:about |the |that |what |my |it|this|everything)|strike (?:that|the)|"
    r"(?:do|please) (?:save|keep|store) (?:it|this|that)|so that you know)",
    re.IGNORECASE,
)
ASKS_TO_KEEP = re.compile(
    r"记住|记一?下|记着|记好|帮我记|请记|给我记|记录一?下|记到|存一?下|帮我存|备忘|别忘了?(?!带|"
    r"拿|买)|"
    r"要记得|请?牢记|记个|mark一下|(?:收|存)进(?:记忆|笔记)"
)
ASKS_TO_FORGET = re.compile(
    r"忘掉|忘了(?:它|吧|这|那|我的)|忘记(?:它|吧|这|那|我)|(?:别|不要|不用|甭|无需|不必|"
    r"勿)(?:再)?(?:帮我)?(?:记|存|保存|记录|"
    r"留着?)(?!得|恨)|删掉|删除|删了|抹掉|抹去|清掉|清除|去掉|划掉|移除|作废吧"
)
_CHINESE = re.compile("记得(?!吗)|不要忘|别忘|记入|更正")
_ASKED = re.compile(r"\b(?:do|did|can) you (?:still )?remember\b|记得.{0,40}吗", re.IGNORECASE)


def explicit(message: Message) -> bool:
    """Only a user's words ask; a question whether one remembers does not."""
    if message.role != "user":
        return False
    text = message.text.replace("’", "'")
    if _ASKED.search(text):
        return False
    return bool(_ENGLISH.search(text) or _CHINESE.search(text) or asks_in_chinese(text))


def asks_in_chinese(text: str) -> bool:
    """Whether a text asks to remember or to forget something, whoever says it."""
    return ASKS_TO_KEEP.search(text) is not None or ASKS_TO_FORGET.search(text) is not None
