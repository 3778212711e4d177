"""English words for edits."""

from __future__ import annotations

import re

from text2mem.planner.edits.model import EditWords

_QUOTED = r"[\"“'‘][^\"”“]{1,200}?[\"”'’]"
_CHAR = r"(?:[^,;:!?\"“”]|(?<=\d)[,:](?=\d))"
_OLD = rf"(?P<old>{_QUOTED}|{_CHAR}{{1,60}}?)"
_NEW = rf"(?P<new>{_QUOTED}|{_CHAR}{{1,80}}?)"
_STOP = (
    r"(?=[.,;!?]?\s*$|[.,;!?]\s|,? please\b|,? (?:and|but|then|please|instead|now|everywhere|"
    r"throughout)\b(?! \d)"
    r"| (?:in|of|for|on|from) (?:it|them|the|my|that|this|our|memory|note|all)\b)"
)
_SENTENCE_END = (
    r"(?=[.!?]?\s*$|[.!?]\s|,? (?:and|then) (?:then |also |please )?(?:tag|lock|freeze|"
    r"label|archive|mark|set|remind|show)\b)"
)


def _compiled(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source, re.IGNORECASE) for source in sources)


_NOUN = r"(?:note|memory|entry|record|text|one)"
_SET = r"(?:set|change|move|switch|correct|update|put|adjust|shift|make|turn|edit|reschedule)"
_VALUE = (
    rf"(?P<value>{_QUOTED}|[^,;:!?\"“”]{{1,60}}?)(?=[.,;!?]?\s*$|[.,;!?]\s|,? (?:and|then|"
    rf"please|instead)\b)"
)


def _field(names: str) -> re.Pattern[str]:
    """ "Set the place of the note about … to …", "its place is now …", "move it to …"."""
    return re.compile(
        rf"\b(?:the|its|their|a|new) (?:{names})\b(?P<of>(?: of [^.;:!?]{{1,100}}?)?)"
        rf" (?:to|as|should (?:now )?be|is now|must be|ought to be|is actually|"
        rf"is really)\s+(?:the (?:{names}) )?{_VALUE}",
        re.IGNORECASE,
    )


ENGLISH = EditWords(
    pairs=_compiled(
        rf"\b(?:replace|swap|substitute|exchange)\s+{_OLD}\s+(?:with|by|for|"
        rf"against)\s+{_NEW}{_STOP}",
        rf"\bfrom\s+{_OLD}\s+to\s+{_NEW}{_STOP}",
        rf"\b(?:is|are|was|were|be|say|says|read|reads|it['’]s|to|on|at)\s+{_NEW},?\s+(?:and |"
        rf"but )?"
        rf"(?:not|rather than|instead of|in place of)\s+{_OLD}{_STOP}",
        rf"\bnot\s+{_OLD},?\s+(?:but|it['’]s|it is|rather)\s+{_NEW}{_STOP}",
        rf"\b(?:change|correct|turn|amend|make|edit|rename|set|update)\s+(?:the )?{_OLD}\s+(?:to|"
        rf"into)\s+{_NEW}{_STOP}",
        rf"\b{_NEW}\s+(?:instead of|rather than|in place of)\s+{_OLD}{_STOP}",
        rf"{_OLD}\s+(?:is|was) (?:wrong|a mistake|an error|incorrect|"
        rf"outdated)\b[^.;]{{0,20}}[,.;:]?\s+(?:it|that)"
        rf"(?:['’]s| is| should be| should say| must be| was)\s+{_NEW}{_STOP}",
    ),
    says=_compiled(
        rf"\b(?:to|so (?:that )?(?:it|they|the {_NOUN}))\s+(?:now )?(?:say|says|read|"
        rf"reads)(?: that|:)?\s+(?P<new>{_QUOTED}|.{{2,300}}?){_SENTENCE_END}",
        rf"\b(?:it|that|this|the {_NOUN}(?: about [^.,;]{{1,60}}?)?)\s+(?:should|must|ought to|"
        rf"has to|is to|shall)\s+(?:now |rather |actually )?"
        rf"(?:say|read)(?: that|:)?\s+(?P<new>{_QUOTED}|.{{2,300}}?){_SENTENCE_END}",
        rf"\b(?:text|wording|content)\b[^.;]{{0,60}}?\s+(?:to|with|should be|is now|"
        rf":)\s*(?P<new>{_QUOTED}|.{{2,300}}?){_SENTENCE_END}",
        rf"\b(?:{_NOUN}|it|that|this)\b[^.;:!?]{{0,80}}?\s(?:to|into|as)\s*:\s*(?P<new>{_QUOTED}|"
        rf".{{2,300}}?){_SENTENCE_END}",
        rf"\b(?:to|with|into|reads?|says?|be|as|:)\s*(?P<new>{_QUOTED}){_SENTENCE_END}",
    ),
    news=_compiled(
        rf"\b(?:should (?:now )?(?:be|say|read)|is (?:now|actually|really)|must be|ought to be|"
        rf"(?:has |was |been |got )?(?:moved|changed|postponed|rescheduled|"
        rf"pushed|brought forward|shifted|delayed|updated|increased|reduced|raised|"
        rf"lowered) (?:back |forward )?(?:to|until)|it['’]s|will be|says)\s+(?:on |"
        rf"at )?{_NEW}{_STOP}",
        rf"\b(?:{_SET}|bring|push|postpone|delay|raise|lower|increase|reduce|update|"
        rf"say)\b[^.;:!?]{{1,100}}?\s(?:to|until|into|as)\s+(?:be |say |read |on |"
        rf"at )?{_NEW}{_STOP}",
        rf"\bwith\s+{_NEW}{_STOP}",
    ),
    fields={
        "location": _field("locations?|places?"),
        "type": _field("types?|kinds?"),
        "subject": _field("subjects?|persons?"),
        "topic": _field("topics?"),
        "source": _field("sources?"),
        "time": _field("dates?|times?|days?"),
    },
    named={
        "time": re.compile(r"\b(?:the|its|their) (?:date|time|day)s?\b(?: of| to)", re.IGNORECASE),
    },
)
