"""Pieces of English patterns for what is said of memories."""

from __future__ import annotations

SHOULD = (
    r"(?:should|must|ought to|needs? to|has to|have to|may|might|can|could|shall|will|would|"
    r"(?:is|are) (?:supposed |meant |free )?to|deserves? to|had better)"
)
NOT = r"(?:not|never|no longer|no more)"
NOBODY = r"(?:nobody|no one|no-one|none|not anyone|no other person|neither)"
CHANGED = r"(?:chang|edit|modif|alter|touch|overwrit|rewrit|tamper|updat|writ|mess|fiddl|meddl)\w*"
SEEN = r"(?:see|find|read|recover|restore|retrieve|get at|bring back|reconstruct|look up|know of)"
TOO = (
    r"(?:(?:very|so|really|extremely|quite|rather|most|more|too|absolutely|utterly|now|again|all|"
    r"particularly) )*"
)
WHEN = (
    r"(?:(?:in|after|within) (?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|"
    r"a few|some|a couple of|half an?) (?:\w+ )?(?:minutes?|hours?|days?|weeks?|months?|years?|"
    r"while|time)\b|(?:by|after|from|on|as of|come) (?:the )?(?:\d|end of|beginning of|middle of|"
    r"weekend|holidays?|new year|(?:next|this|coming) (?:week|month|year|weekend|\w+day)|"
    r"tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may\b|"
    r"june|july|august|september|october|november|december)|\btomorrow|\bnext (?:week|month|"
    r"year)|\bsoon\b)"
)
UNTIL = (
    r"(?:until|till|up to|through|for (?:only |just |another |the next |no more than |"
    r"\w+ ){0,2}(?:minutes?|hours?|days?|weeks?|months?|years?|while|bit|time)\b|no longer than|"
    r"not beyond)"
)
POINTS = (
    r"(?:the )?(?:main|key|most important|essential|central|overall|crucial|chief|"
    r"principal) (?:points?|takeaways?|messages?|ideas?|findings?|facts?|things?|outcomes?|"
    r"results?|issues?)"
)
