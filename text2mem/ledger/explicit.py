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
_CHINESE = re.compile(
    "记住|记一?下|记得(?!吗)|帮我记|请记|别忘|不要忘|备忘|记到|记入|"
    "忘掉|忘了(?:吧|它|这)|别记|不要记|不用记|更正"
)
_ASKED = re.compile(r"\b(?:do|did|can) you (?:still )?remember\b|记得.{0,40}吗", re.IGNORECASE)


def explicit(message: Message) -> bool:
    """Only a user's words ask; a question whether one remembers does not."""
    if message.role != "user":
        return False
    text = message.text.replace("’", "'")
    if _ASKED.search(text):
        return False
    return bool(_ENGLISH.search(text) or _CHINESE.search(text))
