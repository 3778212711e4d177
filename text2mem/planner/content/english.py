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

_KNOW = (
    r"(?:just )?so (?:that )?you know|by the way|fyi|for your information|you should know(?: that)?"
)
_KEEP = r"(?:save|store|keep|note|record|remember|add|put|log|write)"

ENGLISH = ContentWords(
    leading=re.compile(
        rf"^(?:[\s,:;.–—-]|(?:that|down|this|for me|for the record|in mind|{_KNOW})(?=[\s:,])|"
        r"(?:this|the following)\s*:)+",
        re.IGNORECASE,
    ),
    trailing=re.compile(
        r"(?:[\s,;:?]|,? (?:please|thanks|thank you|ok|okay|will you|would you|for me)\b[.!?]*)+$",
        re.IGNORECASE,
    ),
    titled=re.compile(
        rf"^(?:(?:the|this|an?|my|new|following|next|another)\s+)*(?P<kind>{_TYPES})\s*:\s*|"
        r"^(?:(?i:for|in|at)\s+)(?P<place>[A-Z][\w-]+(?: [A-Z][\w-]+)?)\s*:\s*"
    ),
    type=re.compile(
        rf"\b(?:as|under) (?:an? |my |one of my )?(?:new )?(?P<value>{_TYPES})\b|"
        r"\bof (?:the )?type [\"“]?(?P<other>[\w-]{2,24})",
        re.IGNORECASE,
    ),
    location=re.compile(
        r"(?:\b(?:for|in|at|from)|\bwith (?:the )?(?:location|place)(?: of)?|"
        r"\b(?:location|place)(?: is)?:?)\s+"
        r"(?!the (?:record|future|meantime|archive|moment|following|tags?|labels?)\b)"
        r"(?P<value>(?:the [a-z][\w'’-]*|[A-Z][\w'’-]*)(?:[ -][A-Z][\w'’-]*){0,2})"
    ),
    facts=(
        re.compile(
            rf"^(?P<subject>[A-Z][\w.-]*(?: [A-Z][\w.-]*){{0,2}})['’]s? "
            rf"(?P<attribute>{_ATTRIBUTES}) (?:is|are|=|:) (?:on |the |called )?"
            r"(?P<value>[^,;!?]{1,80}?)[.]?$"
        ),
        re.compile(
            rf"^[Tt]he (?P<attribute>{_ATTRIBUTES}) of (?P<subject>[A-Z][\w.-]*(?: [A-Z][\w.-]*)?) "
            r"(?:is|are) (?:on |the |called )?(?P<value>[^,;!?]{1,80}?)[.]?$"
        ),
    ),
    nobody=re.compile(
        r"^(?:today|tomorrow|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
        r"this|that|next|last|it|there|here|what|the|let)\b",
        re.IGNORECASE,
    ),
    reply=re.compile(
        r"^\W*(?:it(?:['’]s| is) |that(?:['’]s| is) )?(?:in|at|on) (?P<value>[^.,;!?]{2,40})[.,;!]",
        re.IGNORECASE,
    ),
    keeps=re.compile(
        rf"\b{_KEEP}\b[^.]{{0,24}}\b(?:it|that|this|them|place|location)\b", re.IGNORECASE
    ),
    stop=".",
)
