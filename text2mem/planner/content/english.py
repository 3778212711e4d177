"""English words of requests to store something."""

from __future__ import annotations

import re

from text2mem.planner.content.model import ContentWords

_ATTRIBUTES = (
    r"birthday|birth ?date|date of birth|name ?day|age|e-?mail(?: address)?|"
    r"(?:tele)?phone(?: number)?|"
    r"mobile(?: number)?|cell(?: number)?|number|extension|(?:home |work |postal |street )?address|"
    r"home ?town|"
    r"city|country|nationality|native language|job|profession|occupation|employer|company|"
    r"department|"
    r"position|title|role|manager|boss|team|office|room|desk|wife|husband|partner|spouse|mother|"
    r"father|"
    r"shoe size|size|blood type|allergy|nickname|surname|maiden name|middle name|full name|"
    r"licen[cs]e plate|"
    r"website|homepage|handle|username|favou?rite [a-z]{2,16}|wedding day|anniversary|star sign|"
    r"height"
)
_TYPES = (
    r"decisions?|tasks?|ideas?|events?|preferences?|contacts?|to-?dos?|plans?|goals?|questions?|"
    r"quotes?|recipes?|"
    r"facts?|appointments?|reminders?|insights?|lessons?|requirements?|issues?|bugs?"
)

ENGLISH = ContentWords(
    leading=re.compile(
        r"^(?:[\s,:;.–—-]|(?:that|down|this|for me|for the record|in mind)(?=[\s:,])|(?:this|"
        r"the following)\s*:)+",
        re.IGNORECASE,
    ),
    trailing=re.compile(r"(?:[\s,;:?]|,? (?:please|thanks|thank you|ok|okay|"
                        r"will you|would you|for me)\b[.!?]*)+$", re.IGNORECASE),
    type=re.compile(
        rf"\b(?:as|under) (?:an? |my |one of my )?(?:new )?(?P<value>{_TYPES})\b|"
        rf"\bof (?:the )?type [\"“]?(?P<other>[\w-]{{2,24}})",
        re.IGNORECASE,
    ),
    location=re.compile(
        r"(?:\b(?:for|in|at|from)|\bwith (?:the )?(?:location|place)(?: of)?|\b(?:location|"
        r"place)(?: is)?:?)\s+"
        r"(?P<value>(?:the )?[\w'’-]+(?:[ -][A-Z][\w'’-]*){0,2})",
    ),
    fact=re.compile(
        rf"^(?P<subject>[A-Z][\w.-]*(?: [A-Z][\w.-]*){{0,2}})['’]s? "
        rf"(?P<attribute>{_ATTRIBUTES}) (?:is|are|=|:) (?:on |the |called )?"
        r"(?P<value>[^,;!?]{1,80}?)[.]?$",
    ),
    nobody=re.compile(
        r"^(?:today|tomorrow|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
        r"this|that|next|last|it|"
        r"there|here|what|the|let)\b",
        re.IGNORECASE,
    ),
    reply=re.compile(r"^\W*(?:it(?:['’]s| is) |that(?:['’]s| is) )?(?:in|at|"
                     r"on) (?P<value>[^.,;!?]{2,40})[.,;!]", re.IGNORECASE),
    keeps=re.compile(r"\b(?:save|store|keep|note|record|remember|add|put|log|"
                     r"write)\b[^.]{0,24}\b(?:it|that|this|them|place|location)\b", re.IGNORECASE),
    stop=".",
)  # fmt: skip
