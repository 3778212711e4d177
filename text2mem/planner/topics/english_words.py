"""The words by which English clauses call memories, and those that end what they are about."""

from __future__ import annotations

import re

from text2mem.planner.evidence.text import HIDDEN, any_of

MEMORY = "notes?|memor(?:y|ies)|entr(?:y|ies)|records?|items?|memos?|ones?"
KIND = "reports?|ideas?|decisions?|tasks?|events?|facts?|minutes|lists?|plans?|drafts?|recipes?"
"""What a memory may be called by what it holds, where it is said about what it is."""
ANY = "everything|anything|something|things|stuff|whatever|what|all"
"""What stands for memories where it is said about what they are."""
_DETERMINERS = """
the my our your his her their all any some those these this that every each both either no a an two
three four five several few many most other
"""
_PLURAL = """
all any some those these every each both two three four five several few many most
"""
_FUNCTION = """
of to from in on for with about and or into as by at than but is are be was were do does did has
have had if what which where when how why you i we it them that me us please also just only not able
change see find show get give so then there
"""
_SPEAKING = """
do did does have has had is are was were that which who i we you my there ever already say says said
tell tells told made make took take wrote write written save saved keep kept note noted know record
recorded store stored got me us down here anything all
"""
_FINITE = """
is are was were has have had will would should shall must can cannot could may might need needs
ought does do becomes become expires expire stays stay remains remain matters matter belongs belong
goes go not weighs weigh deserves deserve gets get carries carry counts ends lapses lapse runs run
comes come don't doesn't isn't aren't won't can't shouldn't wasn't weren't
"""
_CLAUSE = """
so because since unless until till if but except before after whenever when while now then please
together apart again permanently automatically instead first yet too either
"""
_NEXT_VERB = """
then also make ensure mark tag label keep leave put archive lock delete remove set give show let
move raise lower merge split summarize summarise tell send nothing not them it
"""
_HAVING = """
that which are is were was aren't isn't not have has having with without the a an no under as
tagged labelled labeled marked filed flagged classified carrying bearing both either tag tags label
labels status state
"""
_FIXED_TO = "related relating due according access response respect next regard regards relation"

DETERMINERS = frozenset(_DETERMINERS.split())
FUNCTION = DETERMINERS | frozenset(_FUNCTION.split())
"""Words that no name of a memory reaches across."""
PLURAL = frozenset(_PLURAL.split())
COUNTED = frozenset({"everything", "anything", "all", "whatever"})
UNCOUNTED = frozenset({"what", "whatever", "something", "stuff"})


def _words(table: str) -> str:
    """One of the words of a table, with either apostrophe."""
    return any_of(re.escape(word) for word in table.split()).replace("'", "['’]")


SPEAKS = rf"(?:(?:{_words(_SPEAKING)}|so far)\s+)"
ABOUT = (
    r"(?:about|on(?! (?:hold|top|ice|the back)\b)|regarding|concerning|covering|mentioning|"
    r"mentions?|containing|(?:in |with )?(?:regard|regards|relation|respect|reference) to|"
    r"relat(?:ed|ing) to|to do with|deal(?:s|ing)? with|around|(?:that |which )?(?:says?|reads?|"
    r"states?|saying|reading)(?: that)?|of|for|from|with|in|at|where|"
    r"saying|called|titled|named)"
)
SURE = re.compile(r"(?:about|on|regarding|concerning|mention|cover|.* to$|.* with$)", re.IGNORECASE)
"""A word for "about" that a kind of memory needs: "the report of Monday" may be anything."""
MADE = re.compile(
    rf"\b(?:in|to|as|of|makes?|made|becomes?)\s+(?:(?:an?|one|two|three|\d+|several|many|single|"
    rf"new|separate|short|shorter|small|smaller|individual|few|some)\b\s*|[{HIDDEN}\s]+)+$"
    rf"|\binto\s+(?!(?:the|my|this|that|your|our)\b)[^.,;:!?]{{0,40}}$",
    re.IGNORECASE,
)
"""Notes that are made, not meant: "split it into notes of two sentences"."""
WITHIN = re.compile(
    r"\b(?:from|in|within|inside)\s+(?:the|my|our|all|these|those)?\s*$", re.IGNORECASE
)
"""What is looked for inside of notes: "the budget from the meeting notes"."""
HAS = re.compile(rf"(?:\s+{_words(_HAVING)})*\s*{HIDDEN}", re.IGNORECASE)
"""What follows a noun whose memories are told by what they have."""
_END = (
    r"[.;:?!,\n\"]",
    rf"\s(?:{_words(_FINITE)}|no longer)\b",
    rf"\s(?:that|which|who)\s+(?:{_words(_FINITE)}|i|we|you)\b",
    rf"\s(?:{_words(_CLAUSE)}|as well|any ?more|any longer|in case|for good|for later|for now|"
    rf"for me|at all|of its own|on the back\w*)\b",
    r"\s(?:into|onto|out of|as|by|up|down|away|off|back|read[- ]only|append[- ]only)\b",
    r"\sto (?:the |my )?(?:archives?|top|bottom|front|highest|lowest|high|low|normal|read|"
    r"append|say|be|expire|lapse|run|one|a single)\b",
    r"\sfrom (?:being|any|further|changes?|edits?|deletion|the archive)\b",
    rf"\s(?:and|or) {_words(_NEXT_VERB)}\b",
    r"\swith (?:an? |the )?(?:focus|emphasis|tags?|labels?|status|high|low|top|eye|accent)\b",
    r"\sat (?:once|the top|the bottom|most|high|low|top)\b",
)
END = re.compile("|".join(_END), re.IGNORECASE)
"""Where what memories are about ends."""
OTHER = re.compile(
    rf"\s(?:to|into|in|with|and|or|from)\s+(?:the|my|our|this|that)\s+(?:{MEMORY})\b",
    re.IGNORECASE,
)
"""Other memories that are called by name further on."""
_PURPOSE = (
    "(?:in order )?"
    + "".join(rf"(?<!{word} )" for word in _FIXED_TO.split())
    + r"to (?!(?:the|my|our|a|an|this|that|do|read|review|outdated|old|new)\b)(?-i:[a-z])[a-z]*\b",
    r"into (?!(?:the|my|our|this|that)\b)",
    r"so (?:that|it|they|we|no|nobody|i)\b",
    r"because\b|ensuring\b|making sure\b|which\b|but\b|especially\b|particularly\b|unless\b|"
    r"then\b|please\b|until further\b|next time\b|from now on\b|now that\b|and (?:make sure|"
    r"ensure)\b",
    r"since (?:it|they|we|he|she|this|that)\b|as (?:it|they|we|this|that|i|you)\b|"
    r"if (?:it|they|any|some)\b",
    r"for (?:(?:quick|quicker|easy|easier|better|future|later|further|now|historical|immediate|"
    r"good|my|your)\b|[a-z]*(?:reference|tracking|review|analysis|follow-up|clarity|visibility|"
    r"access)\b)",
)
PURPOSE = re.compile(rf"(?:,|\s)\s*(?:{'|'.join(_PURPOSE)}).*$", re.IGNORECASE | re.DOTALL)
"""What something is asked for, and whatever follows."""
_ASKING = (
    r"read[- ]only|append[- ]only|locked|unlocked|protected|secured?|frozen|expir\w+|lapse\w*",
    r"run out",
    r"archived?|(?:de)?prioriti[sz]ed?|highlighted|emphasi[sz]ed|marked|tagged|label?led|flagged",
    r"classified|(?:the )?(?:priority|importance|urgency|weight|visibility|level) (?:of|to|for)",
    r"(?:a |the )?(?:top|high|higher|highest|low|lower|lowest|urgent|normal|medium) "
    r"(?:priority|importance)",
    r"(?:more|less|very|most) (?:important|urgent)",
    r"as (?:being |a |an )?(?:urgent|critical|important|done|completed)",
    r"(?:in|to) the archives?|down|up|away|back|sure|with the tags?|the tags?|the labels?",
    r"from (?:being )?(?:edits?|edited|changes?|changed|deletion|deleted|modification|modified)",
    r"summary|overview|gist|recap|digest|main points|key points|main decisions|together|into one",
    r"one note|duplicates?|i (?:don['’]?t|no longer) need|any ?more|any longer|no longer|can go",
    r"should be|must be|is to be|are to be",
)
ASKING = re.compile(rf"\b(?:{'|'.join(_ASKING)})\b", re.IGNORECASE)
"""Words for what is asked, where nothing calls memories by name."""
DANGLING = re.compile(
    r"(?:(?:^|\s+)(?:as|with|under|and|or|is|are|to|into|in|by|for|from|of|on|at|its|their|"
    r"lower|that|which))+$",
    re.IGNORECASE,
)
LEADING = re.compile(
    r"^(?:(?:the|an?|its|their)\s+(?=(?:for|of|from|to|in|on|with|about)\b)|"
    r"(?:for|of|from|to|in|on|with|about|and|that)\s+)+",
    re.IGNORECASE,
)
HEAD = re.compile(
    r"(?:the|my|our|this|that|his|her|their)\s+(?:[\w'’&-]+\s+){0,3}?(?P<noun>[\w'’-]+)"
    r"(?=\s+(?:for|of|with|on|about|to|in|at|from|by|regarding|that|which)\b|$)",
    re.IGNORECASE,
)
"""The noun of "the recipe for plum cake"."""
