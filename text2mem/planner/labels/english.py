"""English words around the names of tags and facets."""

from __future__ import annotations

import re

from text2mem.planner.labels.model import LabelWords

_NOUN = r"(?:tags?|labels?|keywords?|categor(?:y|ies))"
_THE = r"(?:the |an? |its |their |these |new |following |two |additional )*"
_PARTICIPLE = r"(?:re)?(?:tagged|labell?ed|marked|filed|flagged|categori[sz]ed|classified)"
_NOT_PAST = "".join(
    rf"(?<!{word}ed )" for word in ("tagg", "mark", "labell", "label", "flagg", "fil", "classifi")
)
_GIVER = (
    r"(?:should|must|ought to|needs? to|have to|has to|is to|are to|shall|will|would|to|could|"
    r"can) (?:all |both |also )?"
    r"(?:be|get)|(?:want|like|need|have|get|see|keep)(?: to have| to see)? (?:it|them|this|that|"
    r"these|those|all of (?:it|them))|"
    r"(?:make sure|ensure)\b[^.;:!?]{0,80}? (?:is|are|gets?)|(?:gets?|be)"
)
"""What stands before a participle that asks for the tag."""


def _ends(source: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{source})\s*$", re.IGNORECASE)


ENGLISH = LabelWords(
    gives=_ends(
        rf"{_NOT_PAST}\b(?:as|into|to|for|by)\s+{_THE}(?:{_NOUN})?:?"
        rf"|\b(?:add|attach|apply|put|stick|assign|use|append|remove|take|drop|delete|strip|clear|"
        rf"detach|peel|erase)"
        rf"\s+(?:off )?{_THE}(?:{_NOUN})?:?"
        rf"|\b(?:to|should|must|shall|would|could|may|ought to)\s+(?:all |also |now |both )?"
        rf"(?:have|carry|bear|get|wear|use)\s+{_THE}(?:{_NOUN})?:?"
        rf"|\b(?:gets?|receives?|takes?)\s+{_THE}{_NOUN}(?: of)?:?"
        rf"|\b(?:give|gives|giving)\b[^.;:!?]{{1,90}}?{_THE}{_NOUN}(?: of)?:?"
        rf"|\b(?:{_GIVER})\s+{_PARTICIPLE}(?: as| with| under|"
        rf" by)?(?: both)?\s*{_THE}(?:{_NOUN})?:?"
        rf"|\b(?:replace|exchange|swap|change)\b[^.;:!?]{{1,90}}?\b(?:with|by|for|"
        rf"to)\s+{_THE}(?:{_NOUN})?:?"
        rf"|\b(?:un)(?:tag|label)\b[^.;:!?]{{1,60}}"
    ),
    given=re.compile(r"^\s*(?:tags?|labels?)? ?(?:to|on|off|from|onto) (?:it|them|this|"
                     r"that|these|those|the|my|all|any|every)\b", re.I),
    means=_ends(
        rf"\b{_PARTICIPLE}(?: as| with| under| by)?(?: both| either)?(?: the)?(?: {_NOUN})?"
        rf"|\b(?:carry(?:ing)?|carries|bear(?:s|ing)?|has|have|having|without|lack(?:s|ing)?|no|"
        rf"that|whose)\s+{_THE}{_NOUN}(?: of| is)?"
        rf"|\b(?:from|off|of)\s+(?:the|my|all|those)\s+(?:\w+ ){{0,2}}(?:notes?|memories|entries|"
        rf"records)\s+(?:with|under)\s+{_THE}(?:{_NOUN})?"
    ),
    meant=re.compile(r"^(?!)"),
    likely=_ends(rf"\b(?:with|under|of|in)\s+{_THE}(?:{_NOUN})?(?: of| called| named)?"),
    facet_given=re.compile(
        r"\b(?:to|as|should|must|ought|needs?|becomes?|into|now)\b[^\"“'‘]{0,40}[\"“'‘]?[^\"“'‘]*$",
        re.IGNORECASE,
    ),
    facet_meant=re.compile(
        r"\b(?:with|have|has|having|had|whose|where|in|are|that)\s+(?:the |a |"
        r"an )?(?:\w+ )?(?:status|state|stage|phase|project|client|"
        r"customer|room|mood|version|category|kind|source)\b(?: (?:is|of|are))?\s*[\"“'‘]?[^\"“]*$",
        re.IGNORECASE,
    ),
    joint=re.compile(r"\s*(?:,|and|or|&|plus|as well as|,\s*(?:and|or))\s*(?:the |"
                     r"also )?", re.IGNORECASE),
    removes=re.compile(
        r"^\W*(?:\w+\W+){0,8}?(?:remove|drop|delete|untag|unlabel|strip|peel|clear|detach|erase|"
        r"get rid|stop (?:tagging|labell?ing))\b"
        r"|\btake\b[^.;]{0,80}?\b(?:off|away|from|out)\b"
        r"|\b(?:tags?|labels?)\b[^.;]{0,40}?\b(?:should|must|can|has to|have to) "
        r"(?:go|come off|be removed|disappear)\b"
        r"|\b(?:no longer|not any ?more)\b[^.;]{0,12}\b(?:right|fits?|apply|applies|needs?|"
        r"tagged|labell?ed|want)\b",
        re.IGNORECASE,
    ),
    replaces=re.compile(
        r"\b(?:exchange|replace|swap|switch)\b|\b(?:only|just|nothing but) (?:the |"
        r"have the )?(?:tags?|labels?)\b"
        r"|\b(?:instead of|in place of) (?:the |their |its |all )?(?:other |old |present |current |"
        r"existing )?(?:tags?|labels?|ones?)\b"
        r"|\bchange (?:the |all |all the |its |their |all their )?(?:tags?|labels?)\b",
        re.IGNORECASE,
    ),
    status=re.compile(r"\b(?:status|state)\b(?![^.;]*\b(?:tags?|labels?)\b)", re.IGNORECASE),
    has=re.compile(
        r"\b(?:have|get|want|like|need|see|should|must)\b.{1,120}\b(?:re)?(?:tagged|labell?ed|marked|filed|flagged|"
        r"classified)\b",
        re.IGNORECASE,
    ),
    unquoted=re.compile(
        r"\b(?:as|with|under|to|into|for|by|be)\s+(?:being |a |an |the |category |tag |label )?"
        r"(?P<name>[^.,;:!?\"'“”‘’]{2,40}?)(?P<other>(?!))?"
        r"(?=\s+(?:for|to|so|since|because|in order|and|in the|on|by|when|until)\b|[.,;:!?]|$)",
        re.IGNORECASE,
    ),
)  # fmt: skip
