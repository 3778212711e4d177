"""English words that open, enclose and end what is only to be stored."""

from __future__ import annotations

import re
from dataclasses import dataclass

from text2mem.planner.evidence.text import HIDDEN, OPENING, english, phrase


@dataclass(frozen=True, slots=True)
class Openings:
    """The patterns of one language.

    ``openers`` end where content starts, ``tail`` starts where it ends. ``enclosed`` hold a group
    ``content``; ``closed`` follow it ("…; store that"), with the ``preface`` that may stand before
    it and how what is ``asking`` starts. ``literals`` hold the groups ``old`` and ``new``.
    """

    openers: tuple[re.Pattern[str], ...]
    enclosed: tuple[re.Pattern[str], ...]
    closed: re.Pattern[str]
    preface: re.Pattern[str]
    asking: re.Pattern[str]
    tail: re.Pattern[str]
    literals: tuple[re.Pattern[str], ...]


_KEEP = (
    r"(?:remember|memori[sz]e|note(?: down)?|record|log|store|save|register|document|capture|stash|"
    "(?:write|jot|take|put|set) down|keep in mind|bear in mind|put on record|"
    "make sure to remember)"
)
_MEMORY = r"(?:notes?|memo(?:ry|ries|s)?|entr(?:y|ies)|records?|facts?|reminders?|items?)"
_POLITE = (
    "(?:(?:could|can|would|will|won't|can't|may|might) (?:you|i ask you to|we|i)|"
    "i(?:'d| would)? "
    r"(?:want|need|like|love|ask|prefer)(?: for)? you to|i was hoping you could|let's|let us|"
    r"go ahead and|is it possible to|would you mind|it would help(?: me)? if you could|"
    r"be so kind as to|why don't you|shouldn't you|make sure (?:to|you)|you should|you can|"
    r"i(?:'d| would) like to|i want to|is there a way to|feel free to|help me|do)"
)
_PREFIX = (
    "(?:(?:please|kindly|also|and|now|then|next|first|firstly|second|secondly|finally|"
    "lastly|so|ok|"
    r"okay|right|well|yes|hi|hello|hey|thanks|thank you|great|sure|good|fine|just|quickly|next "
    r"thing|new thing|one thing|two things|three things|one more thing|oh)[,:!.]?\s{1,3})"
)
START = (
    rf"(?:^|(?<=[.!?;:\n,。;]))\s{{0,3}}{_PREFIX}{{0,4}}(?:{_POLITE} )?(?:please |"
    "kindly |also |just )?"
)
"""What may stand between the start of a sentence and its imperative."""
# "Do you remember that restaurant?" and "I remember that" store nothing.
_NOT_TOLD = (
    r"(?<!do\x20you\x20)(?<!did\x20you\x20)(?<![^a-z]i\x20)(?<!^i\x20)(?<!we\x20)(?<!they\x20)"
    r"(?<!i'll\x20)(?<!i\x20can't\x20)"
)
_HELD = r"(?:it|them|those|these|this|that|everything|anything|all)"
_OBJECT = (
    r"(?:it|this|that|them|these|those|(?:the|this|that) (?:new )?"
    r"(?:note|entry|memory|record|fact|one))"
)
_ABOUT_IT = (
    "(?:(?:tag|label|lock|freeze|protect|archive|pin|promote|prioriti[sz]e|"
    "summari[sz]e|split|"
    rf"mark|file|categori[sz]e|classify) {_OBJECT}|"
    rf"(?:keep|make) {_OBJECT} (?:until|for (?:\d|a|an|one|two|three|the)|only|read|"
    "append|private|"
    rf"public|top|high|urgent|low|expire|locked|important)|"
    rf"set (?:it|this|that|its|the) (?:priority|weight|status|importance|expiry|to|expire)|"
    rf"give (?:it|this|that|them|the note) (?:an?|the|top|high|low|normal|urgent|\d)|"
    rf"put (?:it|this|that|them) (?:under|in the archive|away|on top|on read)|"
    rf"let {_OBJECT} (?:expire|lapse)|(?:delete|forget|erase|remove|drop|bin) {_OBJECT} "
    rf"(?:in|after|on|when|once|by|next|tomorrow|at|automatically)|"
    rf"(?:show|bring) (?:it|this|that|them) (?:to me|up|again|back)|remind me|"
    "(?:store|save|keep|note|record) (?:it|this|that) (?:as|with|under|for|in|until|"
    rf"\w{{1,10}}$)|"
    rf"(?:add|attach|use|put|give|apply) (?:it )?(?:the |a |an )?(?:tags?|labels?)|"
    "(?:don't|do not|never) (?:let|allow)|nobody (?:may|should|can)|no one (?:may|"
    "should|can))"
)
_VERBS = (
    r"(?:tag|label|lock|unlock|freeze|protect|archive|unarchive|promote|demote|prioriti[sz]e|"
    "summari[sz]e|merge|delete|forget|erase|remind|restore|split|compile|generate|"
    "outline|prepare|"
    r"highlight|organi[sz]e|categori[sz]e|classify|mark|identify|share|notify|condense|set)"
)
_TAIL = (
    # ", and tag it", " and then lock that note"
    rf"(?:[,;.:!?—–-]\s{{0,3}}(?:and |but |then |also |please |finally |next |"
    "after that,? |lastly "
    rf"|afterwards,? ){{0,3}}|\s{{1,3}}(?:and|then) (?:then |also |"
    f"please )?){_ABOUT_IT}(?![a-z])"
    # ", and tag the lunch note as food"
    rf"|[,;.]\s{{0,3}}(?:and )?(?:then |also |please )?{_VERBS} (?:the|my|all|that|this|every) "
    rf"(?:[\w'-]{{1,30}} ){{0,4}}{_MEMORY}(?![a-z])"
    # "; then archive my notes about …", ". Delete …"
    rf"|[,;.]\s{{0,3}}(?:and )?(?:then|after that,?|afterwards,?|finally,?|next,?) (?:please )?"
    rf"{_VERBS}(?![a-z])"
    rf"|[.!?;\n]\s{{0,3}}(?:please |also |now ){{0,2}}(?:{_VERBS}|find|show|list|update|"
    "change|save|"
    rf"store|remember|note|record|what|which|where|how|tagged?|tags?:)(?![a-z])"
    # "with the tag X", ", tagged X", "(tags: X)"
    rf"|[,;]?\s{{0,3}}(?:and )?(?:with|under|using) (?:the |a |these |those )?(?:tags?|"
    "labels?)(?![a-z])"
    rf"|[,;]?\s{{0,3}}(?:tagged|labell?ed|filed)(?: as| under| with)? ?{OPENING}"
    rf"|[,;.(—–-]\s{{0,3}}(?:tagged|labell?ed|tags?:|labels?:|filed under)"
    rf"|[,;]?\s{{0,3}}with (?:the |a )?(?:status|state) ?{OPENING}"
    # ", with high priority", "as a decision", ", for Dresden"
    rf"|,\s{{0,3}}(?:and )?(?:with|at|as|of) (?:a |the )?(?:top|high|highest|low|lowest|"
    "normal|urgent)"
    rf" (?:priority|importance)"
    rf"|,?\s{{1,3}}with (?:a )?weight(?: of)? \d"
    rf"|,\s{{0,3}}(?:as|under) (?:an? )?(?:decision|task|idea|event|note|fact|preference|"
    "todo|to-do|"
    rf"reminder|contact)s?(?![a-z])"
    rf"|,\s{{0,3}}(?:for|in) [\w-]{{2,30}}(?: [\w-]{{2,30}})?\s{{0,2}}[.!]?$"
    rf"|,\s{{0,3}}please[.!]?$"
    rf"|,\s{{0,3}}(?:but )?only (?:for|until|till)(?![a-z])"
    rf"|,\s{{0,3}}(?:for|until|till) (?:\d{{1,3}}|an?|one|two|three|the next) (?:days?|"
    "weeks?|months?"
    rf"|years?|hours?)(?! old)"
    rf"|,\s{{0,3}}in (?:[\w'-]{{1,20}} ){{0,3}}(?:words|tokens)(?![a-z])"
)
_NEW = (
    rf"(?:it|this|that|the (?:note|memory|entry|text|wording)|{_MEMORY})"
    r"(?: about [^,.;:!?\n]{1,60}?)?"
)
_STOP = rf"(?=,? and (?:then|also)(?![a-z])|, (?:and|then|please|but)|[.;!?\n]|{HIDDEN}|$)"
_WORDS = rf"[^;!?\n{HIDDEN}{OPENING}]{{1,200}}?"

OPENINGS = Openings(
    openers=(
        english(
            rf"{_NOT_TOLD}{_KEEP},?(?: to (?:self|file|myself))? that(?! (?:one|note|memory)\b)"
        ),
        english(
            f"{_NOT_TOLD}{_KEEP},? (?:for|in|at|until|till|as|with|under|"
            rf"from) [^,.;:\n]{{1,40}},? that"
        ),
        phrase(
            f"(?<![a-z'])(?:{_KEEP}|(?:make|take|keep|leave|add|create) (?:me )?an? (?:new |"
            "quick )?"
            f"{_MEMORY}|(?:new|another) {_MEMORY}|{_MEMORY} to self)(?: (?:this|the following|"
            "that|it))?"
            f"(?: down)?(?: as an? (?:[a-z]{{1,12}} )?[a-z]{{2,12}})?(?: for (?:me|"
            r"later))?\s?(?::|—|–| - )"
        ),
        english(
            rf"(?:make|take|keep|leave|add|create) (?:me )?an? (?:new |quick |short )?{_MEMORY}"
            r"(?: (?:that|saying(?: that)?|to|of|on how|about how))"
        ),
        english(r"(?:don't|do not|never|mustn't) forget (?:that|to|my|the|our|i|we)"),
        phrase(
            f"{START}(?:remember|memori[sz]e|jot down|write down|take down|put down|note down|"
            "note|record"
            "|log|document|capture|register|save|store|keep a record of|"
            "make a record of)(?![a-z'])"
            rf"(?! {_HELD}(?:[ ,.;:!?]|$))(?!\s{{0,3}}(?:[.?!,;]|$|{OPENING}))"
            rf"(?! (?:all |the |my |these |those |any ){{1,3}}(?:[\w-]{{1,20}} )?{_MEMORY}"
            r"(?: (?:tagged|labell?ed|filed|marked)|[.,;!?]|$))"
            r"(?! (?:numbers?|ids?|#)? ?\d{1,9}(?: (?:as|to|in|under|for|until)|[.,;!?]|$))"
            r"(?! (?:how|what|when|where|who|why) (?:did|do|does|is|was|were|have|has))"
        ),
    ),
    enclosed=(),
    closed=english(
        r"(?<=[.;!,\n])\s{0,3}(?:please |and |so |now |can you |could you ){0,2}"
        r"(?:store|save|remember|note|record|memori[sz]e|log|keep) (?:that|this|it)(?: down)?"
        r"(?= (?:for|with|as|under|please|too|in)\b|[ ,]{0,2}(?:please)?\s{0,2}[.!,;]|\s{0,3}$)"
        r"|(?<=[.;!,\n])\s{0,3}(?:it|this|that) (?:should go on record|"
        "is worth (?:remembering|noting|"
        "keeping|storing)|needs (?:remembering|noting|storing)|belongs (?:on record|"
        "in my notes))"
    ),
    preface=phrase(
        r"\s{0,3}(?:if [^,;.\n]{1,120}, |(?:next thing|one more thing|new thing|also|oh|"
        "by the way|"
        r"thanks|right|ok|okay|great|two things|sorry)[,:.!] ){0,2}"
    ),
    asking=phrase(
        f"(?:{_PREFIX}){{0,3}}(?:{_POLITE} )?(?:find|show|get|list|search|look|fetch|"
        "retrieve|tag|label|"
        "lock|unlock|archive|merge|split|delete|forget|update|change|promote|demote|"
        "summari[sz]e|"
        r"condense|set|make|raise|lower|what|which|where|how|in|at|on|for)(?![a-z'])"
    ),
    tail=phrase(_TAIL),
    literals=(
        phrase(
            f"(?<![a-z])(?:{_NEW} |so (?:that )?{_NEW} )(?:should |must |ought to |"
            "now )?(?:now |then |"
            rf"rather )?(?:says?|reads?)(?: that|:)? (?P<new>{_WORDS}){_STOP}"
        ),
        phrase(
            "(?<![a-z])(?:update|change|edit|rewrite|correct|amend|"
            rf"get) [^.;:!?\n]{{1,80}}? to (?:say|read)"
            rf"(?: that|:)? (?P<new>{_WORDS}){_STOP}"
        ),
        phrase(
            "(?<![a-z])replace (?!(?:the|its|their|all|every|any|"
            rf"my) )(?P<old>[^.;:!?\n{OPENING}]"
            rf"{{1,60}}?) (?:with|by) (?P<new>[^.;:!?\n{OPENING}]{{1,60}}?)"
            "(?= in (?:it|the|my|that|this|them|memory|note)(?![a-z])|,? and (?:then|also)|"
            r"[,.;!?\n]|$)"
        ),
        phrase(
            "(?<![a-z])(?:change|correct) (?!(?:the|its|their|all|every|any|my|it|them|this|"
            "that|"
            rf"these|those|memory|note) )(?P<old>[^.;:!?\n{OPENING}]{{1,60}}?) (?:to|into) "
            rf"(?P<new>[^.;:!?\n{OPENING}]{{1,60}}?)"
            rf"(?= in (?:it|the|my|that|this|them|memory|note)(?![a-z]))"
        ),
    ),
)
