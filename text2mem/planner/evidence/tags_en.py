"""English words for tags and facets."""

from __future__ import annotations

from text2mem.planner.evidence.tags import FacetWords, TagWords
from text2mem.planner.evidence.text import OPENING, before, phrase

_PARTICIPLE = r"(?:tagged|labell?ed|marked|filed|flagged|categori[sz]ed|classified|hashtagged)"
_VERB = r"(?:re)?(?:tag|label|mark|file|flag|categori[sz]e|classify)"
_OBJECT = (
    r"(?:it|this|that|them|these|those|all|everything|(?:the|this|that|these|those|my|new) "
    "(?:note|entry|memory|record|one|notes|entries|memories|records|ones|two|three|"
    "whole lot|lot))"
)
_THE_NOTE = r"(?:the|this|that|these|those|my) (?:new )?(?:note|entry|memory|record|one)s?"
# What follows a name when it is not one: "tagged and archived", "tagged for later".
_STOP = (
    "(?!(?:the|a|an|and|or|as|with|by|under|from|for|to|in|on|of|about|not|older|newer|"
    "created|saved|"
    "then|have|has|are|is|that|which|it|them|at|before|since|until|last|this|my|all|"
    "both|either|please|"
    r"so|but|if|when|yesterday|today|correctly|properly|accordingly|anything|nothing|something|"
    "everything|appropriately|too|again|read-only|off|out|up|down|only|me|you|there|"
    "here|those|these|more|less|"
    r"already|yet|below|above|next|now)(?![\w-]))"
)
_WORD = rf"#?{_STOP}[^\W_\d][\w&/+-]{{0,40}}"
_ENDED = (
    r"(?=\s{0,3}(?:[.,;:!?)]|$)|\s{1,3}(?:and|or|then|for|to|so|in|please|because|"
    "before|if|from|since|but|until|as soon|too|instead|now)(?![a-z]))"
)
_FEW_WORDS = rf"{_WORD}(?:\s{{1,3}}{_STOP}[\w&/+-]{{1,30}}){{0,2}}{_ENDED}"
_NOUN = r"(?:tags?|labels?|keywords?|hashtags?)"
_GIVES = (
    r"(?:with|has|have|had|having|carry|carries|carrying|bears?|bearing|under|wears?|"
    r"(?P<without>without|no|lacks?|lacking))"
)

ENGLISH_TAGS = TagWords(
    leads=(
        phrase(
            f"(?<![a-z-])(?P<condition>{_PARTICIPLE})(?: as| with| under| by| both| either|"
            "(?P<without> neither)|:){0,2} "
        ),
        phrase(
            f"(?<![a-z-])(?P<condition>{_GIVES})(?: (?:both )?(?:the|a|an|its|their|"
            f"any))? {_NOUN}(?: of| called| named|:)? "
        ),
        phrase(
            (
                f"(?<![a-z-])(?:the|a|an|its|their|new|old|these|this|that|as) {_NOUN}(?: of|"
                " called| named|:)? (?!OPEN)"
            ).replace("(?!OPEN)", rf"(?={OPENING})")
        ),
        phrase(rf"(?<![a-z-]){_NOUN}:\s?"),
        phrase(
            "(?<![a-z-])(?:un)?(?:tag|label) (?:(?:it|them|everything|"
            f"{_THE_NOTE})(?: all)?(?: as| with| under|:)?|{_OBJECT}(?: all)? (?:as|with|under|"
            ":)) "
        ),
        phrase(
            "(?<![a-z-])(?:add|use|attach|remove|drop|delete|apply|put|give (?:it|them|this|"
            f"that|those|these)|take)(?: off)? (?:the |a |an )?{_NOUN} "
        ),
    ),
    quoted_leads=(
        phrase(
            "(?<![a-z-])(?:both |either )?(?:under|beneath) (?:the (?:heading|name|category|"
            f"label|tag) )?(?={OPENING})"
        ),
        phrase(
            rf"(?<![a-z-]){_VERB} [^.;:!?\n]{{1,160}}? (?:as|with|under|to|:) (?:the (?:tags?|"
            f"labels?) |both )?(?={OPENING})"
        ),
        phrase(
            rf"(?<![a-z-]){_VERB} (?:{_OBJECT}|[^.;:!?,\n{OPENING}]{{1,80}}?(?:notes?|memor(?:y|"
            f"ies)|entr(?:y|ies)|records?|ones?))(?: all)? (?={OPENING})"
        ),
        phrase(
            rf"(?<![a-z-]){_NOUN} (?:[^.;:!?,\n{OPENING}]{{1,80}} )?(?:for|with|by|to|"
            f"into) (?={OPENING})"
        ),
        phrase(
            rf"(?<![a-z-])(?:tag|label) (?:(?!(?:about|called|titled|named|saying|mentioning|"
            rf"containing|tagged|labell?ed|from|on|of|in)(?![a-z]))"
            rf"[^.;:!?,\n{OPENING}]){{1,80}}? ?(?={OPENING})"
        ),
        phrase(rf"(?<![a-z-])(?:categor(?:y|ies)|folder|collection) (?={OPENING})"),
    ),
    trails=phrase(r" (?:as )?(?:an? )?(?:tags?|labels?)(?![a-z])"),
    bare=(
        phrase(
            f"(?<![a-z-])(?:un)?(?:tag|label) (?:it|them|everything|{_THE_NOTE})(?: all)?(?: as|"
            f" with| under|:)? (?P<name>{_FEW_WORDS})"
        ),
        phrase(
            "(?<![a-z-])(?:tag|label|classify|categori[sz]e|file|"
            rf"mark) [^.;:!?,\n{OPENING}]{{1,120}}? (?:as|under) (?:an? )?(?P<name>{_FEW_WORDS})"
        ),
        phrase(r"(?<![\w&#])#(?P<name>[^\W\d_][\w-]{0,40})"),
        phrase(
            "(?<![a-z-])(?:add|remove|drop|take off|take|delete|use|apply|give (?:it|them)|with|"
            "has|"
            f"have|under|carry|carries|without) the (?P<name>{_STOP}(?!(?:same|usual|right|old|new|"
            "fitting|other|first|second|last|latest|following|whole|proper|"
            rf"wrong)(?![\w-]))[^\W_\d][\w-]{{1,30}}) (?:tag|label)(?![a-z])"
        ),
    ),
    contrast=phrase(r"\s{0,2},?\s{1,3}(?:but|and) not (?:tagged |with )?"),
    joint=phrase(
        r"(?:\s{0,2},\s{0,2}|\s{1,3})(?P<sure>(?P<any>or|nor|and/or)(?![a-z]) (?:tagged |"
        "labell?ed )?"
        r"|(?:and|&|plus|as well as)(?![a-z]) )|\s{0,2}[,/]\s{0,2}"
    ),
    holding=before(
        r"(?:with|has|have|having|carrying|carry|bearing|under|both|either|tagged|labell?ed)"
        r"(?: the| both| either)?"
    ),
    negated=before(
        "(?:not|neither|n't|aren't|isn't|weren't|wasn't|never|without|nor|no|lack(?:s|ing)?|"
        "except(?: for)?|"
        "excluding|other than|minus|un)(?: been)?(?: being)?(?: the| any| a|"
        " yet)?(?: ones?| those| notes)?"
    ),
    plain=phrase(
        rf"{_WORD}(?![\w'])(?! (?:tags?|labels?|it|them|this|that|those|these|the|my|me|all|"
        "a|an)(?![a-z]))"
    ),
)

_KEYS = {
    "status": "status",
    "state": "status",
    "statuses": "status",
    "stage": "stage",
    "phase": "phase",
    "project": "project",
    "client": "client",
    "customer": "customer",
    "room": "room",
    "mood": "mood",
    "version": "version",
    "category": "category",
    "kind": "kind",
    "source": "source",
}
_KEY = rf"(?P<key>{'|'.join(_KEYS)})"
_IS = (
    "(?: (?:is|are|was|were|of|to|as|should be|ought to be|must be|being|equals?|"
    r"set to|becomes?))?\s?(?:=|:)? ?"
)
_STATUS = (
    "(?P<value>open|done|on hold|closed|in progress|pending|resolved|cancelled|"
    "canceled|blocked|finished|completed?|draft|waiting|active)"
)
ENGLISH_FACETS = FacetWords(
    patterns=(
        phrase(rf"(?<![a-z-])(?P<lead>{_KEY}{_IS})(?={OPENING})"),
        phrase(
            rf"(?<![a-z-])(?P<lead>{_KEY} of [^.;:!?\n]{{1,120}}? (?:is|are|should be|to|"
            f"ought to be|must be|as) )(?={OPENING})"
        ),
        phrase(
            "(?<![a-z-])(?P<key>status|state)(?: (?:is|are|of|to|should be|must be|:|"
            f"=))? {_STATUS}(?![a-z-])"
        ),
        phrase(
            rf"(?<![a-z-])(?P<key>status|state) of [^.;:!?\n{OPENING}]{{1,120}}? (?:is|are|"
            f"should be|to) {_STATUS}(?![a-z-])"
        ),
    ),
    keys=_KEYS,
)
