"""English words for tags and facets."""

from __future__ import annotations

import re

from text2mem.planner.evidence.tags import FacetWords, TagWords
from text2mem.planner.evidence.text import OPENING, before, phrase

_PARTICIPLE = r"(?:tagged|labell?ed|marked|filed|flagged|categori[sz]ed|classified|hashtagged)"
_VERB = r"(?:re)?(?:tag|label|mark|file|flag|categori[sz]e|classify)"
_OBJECT = (
    r"(?:it|this|that|them|these|those|all|everything|(?:the|this|that|these|those|my|new) "
    r"(?:note|entry|memory|record|one|notes|entries|memories|records|ones|two|three|whole lot|lot))"
)
# What follows a name when it is not one: "tagged and archived", "tagged for later".
_STOP = (
    r"(?!(?:the|a|an|and|or|as|with|by|under|from|for|to|in|on|of|about|not|older|newer|created|saved|"
    r"then|have|has|are|is|that|which|it|them|at|before|since|until|last|this|my|all|both|either|please|"
    r"so|but|if|when|yesterday|today|correctly|properly|accordingly|anything|nothing|something|"
    r"everything|appropriately|too|again|read-only|off|out|up|down|only|me|you|there|here|those|these|more|less|"
    r"already|yet|below|above|next|now)(?![\w-]))"
)
_WORD = rf"#?{_STOP}[^\W_\d][\w&/+-]{{0,40}}"
_ENDED = r"(?=\s{0,3}(?:[.,;:!?)]|$)|\s{1,3}(?:and|or|then|for|to|so|in|please|because|before|if|from|since|but|until|as soon|too|instead|now)(?![a-z]))"
_FEW_WORDS = rf"{_WORD}(?:\s{{1,3}}{_STOP}[\w&/+-]{{1,30}}){{0,2}}{_ENDED}"
_NOUN = r"(?:tags?|labels?|keywords?|hashtags?)"
_GIVES = (
    r"(?:with|has|have|had|having|carry|carries|carrying|bears?|bearing|under|wears?|"
    r"(?P<without>without|no|lacks?|lacking))"
)

ENGLISH_TAGS = TagWords(
    leads=(
        phrase(rf"(?<![a-z-])(?P<condition>{_PARTICIPLE})(?: as| with| under| by| both| either|:){{0,2}} "),
        phrase(rf"(?<![a-z-])(?P<condition>{_GIVES})(?: (?:both )?(?:the|a|an|its|their|any))? {_NOUN}(?: of| called| named|:)? "),
        phrase(rf"(?<![a-z-])(?:the|a|an|its|their|new|old|these|this|that|as) {_NOUN}(?: of| called| named|:)? (?!OPEN)".replace("(?!OPEN)", rf"(?={OPENING})")),
        phrase(rf"(?<![a-z-]){_NOUN}:\s?"),
        phrase(rf"(?<![a-z-])(?:un)?(?:tag|label) {_OBJECT}(?: all)?(?: as| with| under|:)? "),
        phrase(rf"(?<![a-z-])(?:add|use|attach|remove|drop|delete|apply|put|give (?:it|them|this|that|those|these)|take)(?: off)? (?:the |a |an )?{_NOUN} "),
    ),
    quoted_leads=(
        phrase(rf"(?<![a-z-])(?:both |either )?(?:under|beneath) (?:the (?:heading|name|category|label|tag) )?(?={OPENING})"),
        phrase(
            rf"(?<![a-z-]){_VERB} [^.;:!?\n]{{1,160}}? (?:as|with|under|to|:) (?:the (?:tags?|labels?) |both )?(?={OPENING})"
        ),
        phrase(rf"(?<![a-z-]){_VERB} (?:{_OBJECT}|[^.;:!?,\n{OPENING}]{{1,80}}?(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?|ones?))(?: all)? (?={OPENING})"),
        phrase(rf"(?<![a-z-]){_NOUN} (?:[^.;:!?,\n{OPENING}]{{1,80}} )?(?:for|with|by|to|into) (?={OPENING})"),
        phrase(rf"(?<![a-z-])(?:categor(?:y|ies)|folder|collection) (?={OPENING})"),
    ),
    trails=phrase(r" (?:as )?(?:an? )?(?:tags?|labels?)(?![a-z])"),
    bare=(
        phrase(rf"(?<![a-z-])(?:un)?(?:tag|label) {_OBJECT}(?: all)?(?: as| with| under|:)? (?P<name>{_FEW_WORDS})"),
        phrase(
            rf"(?<![a-z-])(?:tag|label|classify|categori[sz]e|file|mark) [^.;:!?,\n{OPENING}]{{1,120}}? (?:as|under) (?:an? )?(?P<name>{_FEW_WORDS})"
        ),
        phrase(rf"(?<![\w&#])#(?P<name>[^\W\d_][\w-]{{0,40}})"),
        phrase(rf"(?<![a-z-])the (?P<name>{_STOP}(?!(?:same|usual|right|old|new|fitting|other|first|second|last|latest|following|whole|proper|wrong)(?![\w-]))[^\W_\d][\w-]{{1,30}}) (?:tag|label)(?![a-z])"),
    ),
    joint=phrase(
        r"(?:\s{0,2},\s{0,2}|\s{1,3})(?:(?P<any>or|and/or)(?![a-z]) (?:tagged |labell?ed )?|(?:and|&|plus|as well as)(?![a-z]) )"
        r"|\s{0,2}[,/]\s{0,2}(?![a-z](?:\s|$))(?P<_comma>)"
    ),
    negated=before(
        r"(?:not|n't|aren't|isn't|weren't|wasn't|never|without|nor|no|lack(?:s|ing)?|except(?: for)?|"
        r"excluding|other than|minus|un)(?: been)?(?: being)?(?: the| any| a| yet)?(?: ones?| those| notes)?"
    ),
    plain=phrase(rf"{_WORD}(?![\w'])(?! (?:tags?|labels?)(?![a-z]))"),
)

_KEYS = {
    "status": "status", "state": "status", "statuses": "status", "stage": "stage", "phase": "phase",
    "project": "project", "client": "client", "customer": "customer", "room": "room", "mood": "mood",
    "version": "version", "category": "category", "kind": "kind", "source": "source",
}  # fmt: skip
_KEY = rf"(?P<key>{'|'.join(_KEYS)})"
_IS = r"(?: (?:is|are|was|were|of|to|as|should be|ought to be|must be|being|equals?|set to|becomes?))?\s?(?:=|:)? ?"
_STATUS = r"(?P<value>open|done|on hold|closed|in progress|pending|resolved|cancelled|canceled|blocked|finished|completed?|draft|waiting|active)"
ENGLISH_FACETS = FacetWords(
    patterns=(
        phrase(rf"(?<![a-z-])(?P<lead>{_KEY}{_IS})(?={OPENING})"),
        phrase(
            rf"(?<![a-z-])(?P<lead>{_KEY} of [^.;:!?\n]{{1,120}}? (?:is|are|should be|to|ought to be|must be|as) )(?={OPENING})"
        ),
        phrase(rf"(?<![a-z-])(?P<key>status|state)(?: (?:is|are|of|to|should be|must be|:|=))? {_STATUS}(?![a-z-])"),
        phrase(rf"(?<![a-z-])(?P<key>status|state) of [^.;:!?\n{OPENING}]{{1,120}}? (?:is|are|should be|to) {_STATUS}(?![a-z-])"),
    ),
    keys=_KEYS,
)
