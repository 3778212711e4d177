"""English words for edits."""

from __future__ import annotations

import re

from text2mem.planner.edits.model import EditWords

_QUOTED = r"[\"“'‘][^\"”“]{1,200}?[\"”'’]"
_CHAR = r"(?:[^,;:!?\"“”]|(?<=\d)[,:](?=\d))"
_OLD = rf"(?P<old>{_QUOTED}|{_CHAR}{{1,60}}?)"
_NEW = rf"(?P<new>{_QUOTED}|{_CHAR}{{1,80}}?)"
_TEXT = rf"(?P<new>{_QUOTED}|.{{2,300}}?)"
_STOP = (
    r"(?=[.,;!?]?\s*$|[.,;!?]\s|,? please\b"
    r"|,? (?:and|but|then|please|instead|now|everywhere|throughout)\b(?! \d)"
    r"| (?:in|of|for|on|from) (?:it|them|the|my|that|this|our|memory|note|all)\b)"
)
_SENTENCE_END = (
    r"(?=[.!?]?\s*$|[.!?]\s|,? (?:and|then) (?:then |also |please )?"
    r"(?:tag|lock|freeze|label|archive|mark|set|remind|show)\b)"
)
_NOUN = r"(?:note|memory|entry|record|text|one)"
_IS = r"(?:is|are|was|were|be|say|says|said|read|reads|mention|mentions|it['’]s|to|on|at|for)"
_CHANGE = r"(?:change|correct|turn|amend|make|edit|rename|set|update)"
_MOVED = (
    r"(?:moved|changed|postponed|rescheduled|pushed|brought forward|shifted|delayed|updated|"
    r"increased|reduced|raised|lowered|put off)"
)
_MOVE = (
    r"(?:set|change|move|switch|correct|update|put|adjust|shift|make|turn|edit|reschedule|bring|"
    r"push|postpone|delay|raise|lower|increase|reduce|say)"
)
_WRONG = r"(?:wrong|a mistake|an error|incorrect|outdated|no longer right)"
_BECOMES = r"(?:has to become|must become|should become|becomes|is now|has to be|should be)"


def _compiled(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source, re.IGNORECASE) for source in sources)


def _field(names: str) -> tuple[re.Pattern[str], ...]:
    """ "Set the place of the note about … to …", "its place is now …", "give it the place …"."""
    value = (
        rf"(?P<value>{_QUOTED}|[^,;:!?\"“”]{{1,60}}?)"
        r"(?=[.,;!?]?\s*$|[.,;!?]\s|,? (?:and|then|please|instead)\b)"
    )
    return _compiled(
        rf"\b(?:the|its|their|a|new) (?:{names})\b(?P<of>(?: of [^.;:!?]{{1,100}}?)?) (?:to|as|"
        rf"should (?:now )?be|is now|must be|ought to be|is actually|is really)\s+"
        rf"(?:the (?:{names}) )?{value}",
        rf"\bgive\b(?P<of>[^.;:!?]{{1,100}}?) (?:the|a|as) (?:{names})(?: of)? {value}",
    )


ENGLISH = EditWords(
    pairs=_compiled(
        rf"\b(?:replace|swap|substitute|exchange)\s+{_OLD}\s+(?:with|by|for|"
        rf"against)\s+{_NEW}{_STOP}",
        rf"\bfrom\s+{_OLD}\s+to\s+{_NEW}{_STOP}",
        rf"\b{_IS}\s+{_NEW},?\s+(?:and |but )?(?:not|rather than|instead of|in place of)\s+"
        rf"{_OLD}{_STOP}",
        rf"(?:\bnot|n['’]t)\s+{_OLD},?\s+(?:but|it['’]s|it is|rather)\s+{_NEW}{_STOP}",
        rf"^not\s+{_OLD},\s+{_NEW}{_STOP}",
        rf"\b{_CHANGE}\s+(?:the )?{_OLD}\s+(?:to|into)\s+{_NEW}{_STOP}",
        rf"\b(?:says?|reads?|has)\s+{_OLD},\s*(?:put|write|make it|use|it should (?:say|read|be)|"
        rf"change (?:it|that) to)\s+{_NEW}{_STOP}",
        rf"{_OLD}\s+{_BECOMES}\s+{_NEW}{_STOP}",
        rf"{_OLD}\s+(?:is|was) {_WRONG}\b[^.;]{{0,20}}[,.;:]?\s+(?:it|that)"
        rf"(?:['’]s| is| should be| should say| must be| was)\s+{_NEW}{_STOP}",
    ),
    says=_compiled(
        rf"\b(?:to|so (?:that )?(?:it|they|the {_NOUN}))\s+(?:now )?(?:says?|reads?)(?: that|:)?\s+"
        rf"{_TEXT}{_SENTENCE_END}",
        rf"\b(?:it|that|this|the {_NOUN}(?: (?:about|on) [^.,;]{{1,60}}?)?)\s+(?:should|must|"
        rf"ought to|"
        rf"has to|is to|shall)\s+(?:now |rather |actually )?(?:say|read)(?: that|:)?\s+"
        rf"{_TEXT}{_SENTENCE_END}",
        rf"\b(?:let|make|have)\b[^.;:!?]{{1,80}}?\b(?:say|read)(?: that|"
        rf":)?\s+{_TEXT}{_SENTENCE_END}",
        rf"\b(?:text|wording|content)\b[^.;]{{0,60}}?\s+(?:to|with|should be|is now|:)\s*"
        rf"{_TEXT}{_SENTENCE_END}",
        rf"\b(?:{_NOUN}|it|that|this)\b[^.;:!?]{{0,80}}?\s(?:to|into|"
        rf"as)\s*:\s*{_TEXT}{_SENTENCE_END}",
        rf"\b(?:change|update|correct|rewrite|"
        rf"set)\b[^.;:!?]{{1,80}}?\sto\s*:\s*{_TEXT}{_SENTENCE_END}",
        rf"\b(?:to|with|into|reads?|says?|be|as|:)\s*(?P<new>{_QUOTED}){_SENTENCE_END}",
    ),
    news=_compiled(
        rf"\b(?:should (?:now )?(?:be|say|read)|is (?:now|actually|really)|must be|ought to be|"
        rf"it['’]s|will be|says|(?:has |was |been |got )?{_MOVED} (?:back |forward )?(?:to|"
        rf"until))\s+"
        rf"(?:on |at )?{_NEW}{_STOP}",
        rf"\b{_MOVE}\b[^.;:!?]{{1,100}}?\s(?:to|until|into|as)\s+(?:be |say |read |on |at )?"
        rf"{_NEW}{_STOP}",
        rf"\bwith\s+{_NEW}{_STOP}",
    ),
    fields={
        "location": _field("locations?|places?"),
        "type": _field("types?|kinds?"),
        "subject": _field("subjects?|persons?"),
        "topic": _field("topics?"),
        "source": _field("sources?"),
        "time": (
            *_field("dates?|times?|days?"),
            *_compiled(
                rf"^\W*date\b(?P<of>[^.;:!?]{{1,100}}?) to (?P<value>[^.;:!?]{{2,40}}?){_STOP}"
            ),
        ),
    },
    dated=re.compile(
        r"\b(?:change|correct|fix|set|update|mend|adjust)\b[^.;]{0,24}\b(?:its|the|their) "
        r"(?:date|time|day)(?=\s*(?:[.,;!?]|$))",
        re.IGNORECASE,
    ),
    cancelled=re.compile(
        r"\b(?P<remind>reminders?)\b[^.;]{0,60}?\b(?:can go|should go|may go|(?:is|are) not needed|"
        r"(?:is|are)n['’]t needed|off)\b"
        r"|\b(?P<expire_at>expiry|expiration|end date)\b[^.;]{0,60}?\b(?:can go|should go|"
        r"may go)\b",
        re.IGNORECASE,
    ),
)
