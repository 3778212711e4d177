"""English words that join the steps of a request."""

from __future__ import annotations

from text2mem.planner.evidence.clauses import Connectors
from text2mem.planner.evidence.text import phrase

_VERB = (
    "(?:(?:un|re)?tag|(?:re)?label|mark|file|(?:un)?lock|(?:un)?freeze|protect|"
    "(?:un)?archive|merge|"
    "combine|consolidate|join|split|divide|break|cut|delete|forget|erase|remove|purge|"
    "bin|wipe|discard|"
    "clear|drop|promote|raise|boost|increase|prioriti[sz]e|demote|deprioriti[sz]e|"
    "lower|reduce|decrease|"
    "remind|remember|memori[sz]e|note|store|save|record|keep|let|make|set|give|put|"
    "push|move|take|treat|"
    "turn|update|change|correct|replace|rename|edit|rewrite|add|exchange|swap|bring|"
    "restore|recover|"
    "undelete|show|find|get|list|search|look|fetch|retrieve|pull|tell|summari[sz]e|"
    "condense|boil|recap|sum|"
    "outline|see|ensure|switch|cancel|stop|expire|anonymi[sz]e|strip|hide|pin|sort|"
    "classify|categori[sz]e|"
    "attach|append|collect|gather|compile|generate|create|prepare|highlight|flag|read|"
    "write|log|undo|"
    "start|notify|email|share|send|organi[sz]e|identify|review|locate|document|capture|"
    "extract|provide)"
)
_POLITE = (
    "(?:(?:please|kindly|also|just|could you|can you|would you|will you|i(?:'d|"
    " would)? (?:want|need|like) "
    r"you to|i want to|i'd like to|i need to|make sure (?:to|you)|let's|to|you should|you can|"
    "would you mind|is it possible to|may i ask you to|could i ask you to|then|finally|"
    "after that) ){0,3}"
)
_OBJECT = (
    "(?:it|them|this|that|those|these|the|my|our|all|any|every|everything|its|their|"
    "his|her|a|an|me|us|"
    "both|only|each|whatever|what|which|where|up|down|back|off|out|for|to|through|into|"
    "notes?|memor(?:y|ies)|"
    r"entr(?:y|ies)|records?|#?\d{1,9}|sure|whether|anything|nobody|expire)"
)
_THEN = (
    "(?:then|after that|afterwards|thereafter|next|finally|lastly|subsequently|"
    "following that|once "
    "(?:done|that is done|that's done)|in the end|second(?:ly)?,|third(?:ly)?,|"
    "fourth(?:ly)?,|last,)"
)
_MORE = rf"(?:(?:and|but|or|{_THEN}|also|please|additionally|besides|plus|now|too)[,:]? )"

ENGLISH = Connectors(
    joint=phrase(
        rf"(?:[.;!?\n]{{1,3}}\s{{0,3}}(?:\(?\d[.)]\s{{1,3}})?{_MORE}{{0,4}}"
        rf"|,? (?:and |but )?(?:also )?{_THEN},? {_MORE}{{0,2}}"
        rf"|(?P<loose>, (?:and |but |as well as )?(?:also |please |additionally |now )?"
        rf"|,? (?:and|as well as|plus) (?:also |please |additionally )?))"
    ),
    asks=phrase(
        f"{_POLITE}(?:(?:{_VERB}|don't|never)(?![a-z'])|(?:what|which|where|how|who|"
        "when)(?:'s)? (?:do|did|have|is|are|was|"
        r"were|should|about)(?![a-z])|do i|did i|have i|show|i(?:'d| would) like)"
    ),
    named=phrase(rf"{_POLITE}{_VERB}(?:ing)? (?:{_OBJECT}(?![a-z]))"),
    asked=phrase(
        f"(?<![a-z'-])(?:{_VERB}(?:d|ed|s|ing)?|what|which|where|how|who|when|should|nobody|"
        "no one|must|"
        r"may|can|could|would|want|need|ought|will)(?![a-z'-])"
    ),
    search=phrase(
        "(?:please |could you |can you |now |first,? |go |just |ok,? ){0,3}(?:find|search|"
        "locate|look up|"
        r"identify|go|look|try|check|open|review|come|go ahead)"
    ),
    aside=phrase(
        "(?:also )?(?:(?:keep|leave|preserve|retain|save|don't (?:delete|touch|remove|"
        "change|lose))(?:ing)? "
        r"(?:the |its |their |my )?(?:originals?|others?|rest|source|parents?|old)"
        "|keep (?:it|them|this|that|those) (?:locked|read-only|protected|frozen|that way|"
        "so|there|short|brief)"
        r"|make (?:it|them) (?:short|brief|quick)|let me know|see (?:if|what|whether|how)|"
        r"don't (?:worry|bother)|never mind|(?:find|see|tell) out)(?![a-z])"
    ),
    ending=phrase(
        r"(?<![a-z])(?:expir\w{1,5}|until|till|to live|laps\w{1,3}|keep [^.;]{1,80}? (?:for|"
        "only)|only (?:for|until)|"
        r"for (?:a|an|the|\d|one|two|three|four|five|six|some)|ttl|runs? out|lives?)(?![a-z])"
    ),
    follows=phrase(
        f"{_POLITE}(?:(?:delete|erase|remove|forget|archive|wipe|bin|hide|drop|anonymi[sz]e|"
        "demote|purge|discard) "
        "(?:it|them|this|that|those|these|all personal|automatically)(?! (?:from|as|and|"
        ",))(?![a-z])"
        r"|(?:move|put|send) (?:it|them|this|that|those|these) (?:to|into|in) the archive"
        r"|strip (?:it|them|this|that|those|these)|take (?:out|away) (?:all|any))"
    ),
)
