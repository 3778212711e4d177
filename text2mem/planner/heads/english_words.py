"""Pieces of English patterns: what stands around the words that tell an op."""

from __future__ import annotations

from text2mem.planner.heads.model import QUOTED

THE = (
    r"(?:(?:the|an?|any|all(?: of)?|every|each|its|their|his|her|my|our|this|that|these|those|"
    r"some|another|both|no|of|old|usual|right|wrong|existing|current|previous|other|more|"
    r"further) )*"
)
NAMED = rf"(?:{THE}(?:{QUOTED} |[\w-]{{1,20}} )?)"
"""Articles, and one word or name at most: what stands between a verb and the head of its object."""
THINGS = r"(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?|items?|ones?|things?|documents?|logs?)"
THEM = r"(?:it|them|this|that|those|these|everything|all of (?:it|them|those|these)|both)"
END = (
    r"(?=[,.;!?)]|$| (?:please|again|now|for (?:me|us)|on|of|in|to|from|at|until|too|as|so|with)\b)"
)
COUNT = (
    r"(?:\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty|"
    r"a few|a couple of|some|several|half an?|the (?:next|coming|rest of the)|another|this)"
)
UNIT = r"(?:minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|quarters?|years?)\b"
WHILE = rf"(?:(?:{COUNT} )?(?:[\w-]{{1,12}} )?(?:{UNIT}|while\b|time\b|bit\b)|now\b)"
LENGTH = rf"{COUNT} (?:more |full |whole |or (?:so|two) |{COUNT} )?{UNIT}"
DAYS = (
    r"(?:days?|weeks?|weekdays?|weekends?|months?|quarters?|years?|mornings?|evenings?|nights?|"
    r"hours?|afternoons?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|"
    r"april|may|june|july|august|september|october|november|december)"
)
AGAIN = (
    rf"\b(?:every|each) (?:(?:other|second|third|fourth|last|first|single|\d{{1,2}}) )?{DAYS}"
    r"(?= (?:at|on|until|till|from|in|for|starting|beginning|again|and|or|\d)\b|[,.;!?]|$)",
    r"\bon the (?:\d{1,2}(?:st|nd|rd|th)?|first|last) (?:day )?of (?:every|each|the) (?:month|"
    r"year)",
    r"\b(?:daily|weekly|monthly|quarterly|yearly|annually|regularly|periodically|repeatedly|"
    r"(?:once|twice) an? (?:day|week|month|year)|(?:every )?now and (?:then|again)|on (?:mon|tues|"
    r"wednes|thurs|fri|satur|sun)days|from time to time)" + END,
)
"""How a reminder says that it comes again and again."""
TOP = r"(?:top|high(?:er|est)?|max(?:imum|imal)?|utmost|urgent|critical|first|p0|p1)"
LOW = r"(?:low(?:er|est)?|min(?:imum|imal)?|least|lesser|bottom|p3|p4)"
MUCH = (
    r"(?=[,.;!?)]|$| (?:by|a (?:bit|lot|little|notch|good deal)|quite|considerably|slightly|"
    r"somewhat|much|far|to the|in (?:the|my)|the (?:list|ranking|order)|some|please|again|"
    r"further|as|now)\b)"
)
CHANGE = r"(?:chang|edit|modif|alter|touch|delet|overwrit|rewrit|tamper|remov|writ|updat)\w*"
DIGEST = (
    r"(?:summar(?:y|ies)|overviews?|digests?|recaps?|gist|run-?downs?|outlines?|synops[ie]s|"
    r"abstracts?|briefings?|resum[eé]|highlights|headlines|(?:main|key|central|essential|"
    r"important) (?:points|takeaways|facts|ideas|messages?|findings)|essentials?|essence|"
    r"bottom line|nutshell version|tl;?dr|short version)\b"
)
BRIEFLY = (
    r"\bin (?:short|brief|a nutshell|(?:a few|one|two|three|four|five|\d+) (?:words?|lines?|"
    r"sentences?|paragraphs?))\b"
)
BACK = r"\bback(?= (?:from|out|into|in|to|please|again|where)\b|[,.;!?)]|$)"
BIN = (
    r"(?:archives?|(?:recycle |recycling |dust)?bin|trash(?: can)?|rubbish|wastebasket|deleted "
    r"ones)"
)
ONE_THING = r"(?:one|a single|the same)\b"
