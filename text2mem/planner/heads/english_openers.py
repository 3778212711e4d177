"""English words in front of what is asked for: greetings, links, politeness, and if-parts."""

from __future__ import annotations

import re

from text2mem.planner.evidence.text import phrase

_FREE = (
    "please|kindly|just|only(?! (?:additions|the|my|a))|now|also|then|and|so|but|or|simply|"
    "quickly|finally|lastly|afterwards|next|first|firstly|second|secondly|third|thirdly|fourth|"
    "fourthly|additionally|besides|furthermore|moreover|meanwhile|instead|maybe|perhaps|ideally|"
    "hey|hi|hello|ok|okay|alright"
)
"""What is taken off with or without a mark after it."""
_MARKED = (
    "well|right|great|good|fine|thanks|thank you|thanks a lot|sorry|yes|yeah|no|nope|sure|"
    "perfect|nice|actually|oh|ah|hm|hmm|all right|never mind|forget it|plus|last|new thing|"
    "(?:the )?(?:next|last|one|another|one more|one other|new|final) (?:thing|step|task|request)|"
    "(?:two|three|four|a few|a couple of) (?:things|steps|requests)|step (?:one|two|three|four|"
    "\\d)|for (?:now|a start|starters)|from now on|to (?:begin|start) with|in that case|"
    "in the end|by the way|if so|after that|following that|as (?:a|the) (?:first|next|last|"
    "final) step|if (?:possible|you (?:can|could|would|please|don't mind|like)|it's no trouble|"
    "i may(?: ask)?)|when you (?:have|get|find) (?:a |the |some )?(?:moment|minute|second|time|"
    "chance)|as soon as (?:possible|you can)|(?:once|when) (?:that's|that is|you're|"
    "you are) done|on second thoughts?|at this point|for (?:me|us)|one moment|look"
)
"""What is taken off where a mark stands after it, or where it is one of the longer ones."""
_LINKS = (
    "(?:after that|following that|in that case|by the way|from now on|if possible|if so|"
    "as soon as possible|if you (?:can|could|please|don't mind)|(?:once|when) (?:that's|that is|"
    "you're|you are) done|in the end)"
)
_YOU = r"(?:you|we|someone|somebody)"
_MAY = r"(?:can|could|would|will|won't|can't|couldn't|wouldn't|might|may)"
_NICE = (
    "(?:nice|great|good|helpful|lovely|wonderful|useful|best|better|perfect|ideal|handy|(?:a|"
    "of) (?:big |great )?help|kind of you|a good idea|appreciated|fine|fantastic|excellent)"
)
_ASKING = (
    r"(?:would|do) you mind(?: if i asked you to|, please,)? ",
    rf"{_MAY} {_YOU} (?:be able to |be so (?:kind|good) as to |be kind enough to |"
    rf"be willing to )?(?:please |kindly )?",
    r"(?:can|could|may|might) i (?:please )?(?:(?:ask|trouble|bother|beg|get|have|"
    r"request) you to )?",
    r"(?:should|shouldn't|shall|shan't|oughtn't|needn't) (?:you|we|i) (?!(?:find|see that|notice|"
    r"discover|have|come|still|ever) )",
    r"why (?:don't (?:you|we|i)|not) ",
    r"(?:is|would|was|will) it (?:be )?(?:possible|ok|okay|alright|all right|feasible|a problem|"
    r"too much(?: trouble)?)(?: for (?:you|me|us))? (?:to|if you) ",
    r"is there (?:a|any|some|no) (?:way|chance|possibility)(?: for (?:you|me|"
    r"us))?(?: that)?(?: (?:you|we|i) (?:can|could|would|might))?(?: of| to)? ",
    r"any chance (?:that )?(?:you (?:can|could|would)|of|to) ",
    r"(?:do you think|i think|i guess|i suppose|i'd say) (?:that )?(?:you|we) (?:can|could|might|"
    r"should|had better|ought to) ",
    r"i(?:'d| would|'ll| will| have to| must| do| really| just| also| only| now)* (?:want|need|"
    r"like|love|ask|prefer|wish|request|expect|beg|urge|trust|require)(?: for)?(?: (?:you|"
    r"us))? to ",
    r"i(?:'d| would)(?: really| very much| greatly)? (?:like|appreciate|love|be (?:very |so |"
    r"most )?(?:grateful|glad|happy|thankful|pleased|obliged))(?: it)?(?: (?:very much|a lot|"
    r"so much))? (?:if|when) you (?:could |would |can |might )?",
    r"i (?:was|am|'m|were|had been|have been) (?:hoping|wondering|thinking|about)(?: that| if|"
    r" whether)? (?:you|we) (?:could|can|might|would|should) ",
    r"i (?:wonder|hope)(?: if| whether| that)? (?:you|we) (?:could|can|would|might|will) ",
    rf"(?:it|that)(?:'d| would| will| might| could)? (?:really )?be (?:very |so |really |"
    rf"most )?{_NICE}"
    r"(?: (?:for (?:me|us) )?(?:if|when) (?:you|we|i) (?:could |would |can |might )?|"
    r" (?:for me )?to) ",
    r"(?:it|that)(?:'d| would| will| might) (?:really |greatly |certainly )?help(?: (?:me|"
    r"us))?(?: a lot| out)? (?:(?:if|when) (?:you|we|i) (?:could |would |can )?|to )",
    r"(?:we|i)(?:'d| would| had)? (?:should|need to|have to|must|ought to|better|best|may) ",
    r"you(?:'d| would| had)? (?:should|can|could|may|might|need to|have to|must|ought to|better|"
    r"best|might want to|may want to|are to|will want to) ",
    r"(?:i|we|may i|might i) (?:suggest|propose|recommend)(?: that)?(?: (?:you|we))?(?: should)? ",
    r"(?:let's|let us|lets) (?:also |please |now )?",
    r"(?:please )?help me(?: out and| to)? ",
    r"(?:go ahead(?: and|,)|feel free to|be so (?:kind|good) as to|be kind enough to|"
    r"be a dear and|do me (?:a|the) (?:favou?r|kindness)(?: and| to|,|:)|come and|go and|"
    r"try (?:to|and)|take the time to|take care to|start by|begin by|continue by|proceed to|"
    r"(?:make|be) (?:sure|certain) (?:to|you|that you)|see to it that you|ensure (?:that )?you) ",
    r"(?:it's|it is|isn't it|i think it's|high|now it's|now is the)? ?(?:about |"
    r"high )?time (?:for (?:you|us|me) )?to ",
    r"(?:all|what)(?: else)? (?:i|we)(?:'d)? (?:now )?(?:want|need|like)(?: you to do)?(?: now)? "
    r"is(?: for you)?(?: to)? ",
    r"(?:your|my|the) (?:\w+ )?(?:job|task|step|thing|request|wish)(?: to do)?(?: now)? is(?: "
    r"for you)? to ",
    r"(?:how|what) about (?=[a-z]{2,14}ing )",
    r"(?:what if|suppose) (?:you|we) ",
)
_OPENER = phrase(
    rf"(?:(?:{_MARKED})(?:[,.:!;–—-]{{1,3}} )|(?:{_FREE}|{_LINKS})(?:[,.:!;–—-]{{1,3}} | |(?=,))|"
    rf"(?:,|\(?\d[.)]|[-*•]) |(?:{'|'.join(_ASKING)}))"
)
_MEANT = re.compile(r"[a-z']+")
_ASSURED = phrase(
    r"(?:(?:make|be) (?:sure|certain)|ensure|see to it|see(?= that (?:no|every|all|they|it|the|"
    r"my))|take care|arrange|guarantee|check|i(?:'d| would)? (?:want|like|prefer)(?: it)?|"
    r"the (?:important|main) thing is)(?: that)? "
)
"""What goes before how things should be ("make sure nobody edits it")."""
_IF = phrase(
    r"(?:(?:but |only |even |and )?(?:if|in case|in the event(?: that)?|provided(?: that)?|"
    r"providing|assuming(?: that)?|supposing(?: that)?|as long as|so long as|as soon as|unless|"
    r"whenever|wherever|once(?! (?:an?|every|per) )|on (?:the )?condition that|given that|"
    r"now that|since|because|although|while|whether or not|should you (?:find|see|notice|"
    r"discover|have|come|still|ever|not)|should(?= (?:all|any|some|the|my|our|one|it|they|that|"
    r"this|there|those|these|no|nothing|both|more|anything|either|none)(?![a-z]))|(?:where|"
    r"when)(?! (?:is|are|was|were|do|does|did|am|can|could|should|shall|will|would|have|has|had|"
    r"exactly|else|about)(?![a-z])))(?![a-z'])|(?:please )?(?:check|see|look|find out|"
    r"have a look|verify|test)(?: (?:whether|if)) |(?:please )?(?:check|look at|look through|"
    r"go through|have a look at) .{2,120}?[,;.] (?:and )?(?:(?:if|should|where|when|whichever|"
    r"whatever)|[a-z]+ (?:any|whichever|whatever|those that|those which|the ones|all that)) )"
)
_MAIN = phrase(r",? then |[,;.:] (?:and )?(?:(?:if so|then|so|please|in that case)[,:]? )*|\) ")


def opened(text: str, place: int) -> int:
    """Where a clause starts to ask, after greetings and politeness."""
    while found := _OPENER.match(text, place):
        place = found.end()
    return place


def assured(text: str, place: int) -> int:
    """Where "make sure that" ends; the place itself where it does not stand there."""
    found = _ASSURED.match(text, place)
    return found.end() if found and _MEANT.match(text, found.end()) else place


def main_parts(text: str, place: int) -> list[int]:
    """Where the main part of a conditional clause may start; none where it is no such clause."""
    found = _IF.match(text, place)
    if not found:
        return []
    return [joint.end() for joint in _MAIN.finditer(text, found.end() - 1)]
