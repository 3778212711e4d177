"""What English clauses without an imperative want done with memories, and what questions ask.

"They can wait", "I have no time to read it all", "what do I know about …".
"""

from __future__ import annotations

from text2mem.planner.heads.english_phrases import POINTS, SHOULD, TOO
from text2mem.planner.heads.model import rule

QUESTIONS = (
    rule(
        "Summarize",
        r"^(?:what|which|how)\b.{0,200}?\b(?:all in all|overall|on the whole|in general|"
        r"by and large|broadly|roughly|at bottom|stands? out|all about|briefly|in (?:short|brief|"
        r"a nutshell|essence|a few words)|(?:be )?(?:summed up|summari[sz]ed|condensed|"
        r"outlined))\b",
        rf"^(?:what|which)(?:'s| is| are| was| were) (?:{POINTS}|the (?:gist|essence|upshot|"
        rf"bottom line|"
        r"highlights?|sum|point|short version|long and short|summary|heart|crux|overall))\b",
        r"^(?:what|how) (?:do|does|did|would|can|could|is|are).{2,160}? (?:boil down to|"
        r"come down to|amount to|add up to|in (?:short|brief|a nutshell|a few words|essence)|"
        r"(?:be )?(?:summed up|summari[sz]ed))",
        r"^what (?:matters?|counts|stands? out|is (?:the )?most important|is essential|"
        r"should i take away)\b",
        r"^(?:what|how) .{2,160}? in (?:short|brief|a nutshell|a few words|a sentence|essence|"
        r"(?:one|two|three|a few|\d+) (?:words?|sentences?|lines?|paragraphs?))\b",
        r"^how (?:would|do|can|could|might|should) (?:you|i|one|we) (?:\w+ )?(?:sum up|"
        r"summari[sz]e|condense|outline)",
    ),
    rule(
        "Retrieve",
        r"^(?:what|which|where|when|who|whom|whose|how|why)(?:'s|'re)?\b",
        r"^(?:is|are|was|were|am|do|does|did|has|have|had|isn't|aren't|wasn't|weren't|don't|"
        r"doesn't|didn't|hasn't|haven't|hadn't) (?!not\b)(?=.{2,400}\?|(?:i|we|you|there|any)\b)",
        r"^(?:any|anything|something) .{2,200}\?",
    ),
)
"""What begins with a question word or with its verb."""

WISHES = (
    # how important it is
    rule(
        "Demote",
        r"\b(?:not|no longer|needn't|never|don't|doesn't|shouldn't|isn't|aren't)\b(?: (?:have|"
        r"need|has|ought))?(?: to)?(?: be| come| rank| stand| appear| stay)? ?(?:a |the |so |"
        r"that |as |very |all that |quite so |my )*(?:high|higher|prominent|visible|first|top|"
        r"at the top|on top|urgent|important|high[- ]priority|priority)\b",
        r"\b(?:can|could|may|will have to|must|should) (?:well |all |certainly |safely )?wait\b",
        r"\b(?:is|are|isn't|aren't|be|seems?|become|got|was|were)(?: really)? (?:not|no|n't|less|"
        r"hardly|never|no longer|un|of (?:little|less|minor|no great)) ?(?:that |so |as |very |"
        r"particularly |all that |really |terribly |too )?(?:important|urgent|pressing|crucial|"
        r"interesting|importance|relevant|priority|a priority|hurry)\b",
        r"\b(?:isn't|aren't|wasn't|weren't) (?:that |so |as |very |particularly |really |"
        r"all that |too )?(?:important|urgent|pressing|crucial|relevant|a priority)\b",
        r"\b(?:unimportant|less important|less urgent|no hurry|no rush|not urgent|low(?:er|"
        r"est)?[- ]priority|of minor importance|secondary|trivial)\b",
        r"\bmatters? (?:less|little|(?:very )?little|not (?:that )?much)\b",
        r"\b(?:don't|doesn't|do not|does not|no longer|hardly|barely) (?:really |"
        r"currently )?matter(?: (?:much|that much|right now|at the moment|now|any ?more))?\b",
        r"\b(?:archive|storage|bottom|background|back burner)\b(?=[,.;!?]|$| (?:for|now|please|"
        r"would|is|after|then|soon|again|too|as)\b)",
        rf"{SHOULD} (?:\w+ )?(?:come|be|go|move|rank|sink|drop|slip|appear|"
        rf"stand) (?:\w+ )?(?:last|low(?:er)?|"
        r"down|at the (?:bottom|end)|behind|further (?:down|back|below)|less prominent|"
        r"in the background|out of (?:the way|sight))",
    ),
    rule(
        "Promote",
        rf"\b(?:is|are|be|become|became|has become|have become|got|gets?|seems?|"
        rf"feels?)(?: now)? {TOO}"
        r"(?:urgent|important|crucial|essential|critical|vital|pressing|key|a (?:top |"
        r"high )?priority|top priority|of (?:great|high|utmost|the utmost) importance)\b",
        r"\b(?:matters?|counts?) (?:a lot|a great deal|more|most|very much|the most)\b",
        rf"{SHOULD} (?:\w+ )?(?:come|be|go|move|rank|climb|rise|appear|stand|have|get|take|"
        rf"enjoy) (?:\w+ )?"
        r"(?:first|higher|up|at the top|on top|ahead|further up|to the (?:top|front)|top|high|"
        r"highest|more (?:prominent|visible|weight|attention|important|urgent)|priority|"
        r"precedence)\b",
        r"\b(?:deserves?|needs?|requires?|merits?|wants?|demands?) (?:\w+ )?(?:(?:more|most|top|"
        r"high|higher|highest|full|special|my) )(?:attention|priority|weight|importance|"
        r"visibility)\b",
        r"\b(?:top|high(?:est|er)?)[- ]priority\b",
        r"\b(?:want|need|like|have|wish|ought|should|must|may)\b.{0,24}?\b(?:to )?(?:be "
        r")?remind(?:ed|er)\b",
        r"\b(?:lose|losing) sight of\b|\btop of (?:the|my) (?:list|agenda)\b|\bon top of (?:the|"
        r"my) list\b",
        r"\b(?:come|rank|appear|show|stand|go|be) (?:up )?(?:first|before (?:all|the|any)|"
        r"above (?:all|the)|ahead of)\b",
        r"\b(?:at|to) the (?:very )?top(?=[,.;!?]|$| of (?:the|my) (?:list|ranking|queue|notes))",
        r"\bhurr(?:y|ies) up\b|\bcan(?:'t|not) wait\b|\bas soon as possible\b",
    ),
    # made shorter, taken apart, put together
    rule(
        "Summarize",
        r"\b(?:no time|not (?:have )?(?:the |enough )?time|don't have (?:the |enough )?time|"
        r"haven't (?:got )?(?:the |enough )?time|too (?:much|many|long)|can't|cannot|"
        r"never manage|unable|too busy|won't|never get round|don't want|no patience|"
        r"not going) .{0,24}?\b(?:to |for )?(?:be )?(?:read|reading|go(?:ing)? through|"
        r"look(?:ing)? through|work(?:ing)? through|wade|study)\b",
        r"\b(?:summar(?:y|ies)|overview|digest|gist|recap|run-?down|short version|"
        r"executive brief|synopsis|condensed version)\b.{0,200}?\b(?:would|will|is|please|needed|"
        r"of|about|helps?)\b",
        rf"^{POINTS}\b|\bin a nutshell\b|\bboil(?:ed|s)? down\b|\bin short, what\b",
        r"\b(?:like|need|want|love|have) (?:to (?:get|have|know|see) )?(?:an? |"
        r"the )?(?:\w+ )?(?:summary|"
        rf"overview|digest|gist|recap|essence|highlights|outline|rough idea|big picture|"
        rf"{POINTS})\b",
        r"\btoo (?:much|many|long)\b.{0,160}? to (?:read|go through|look through|study)\b",
        r"\bspare me the details\b|\bwithout (?:the |any |all the )?details\b|"
        r"\blong and short of\b",
        r"^(?:a few|two|three|four|five|some|\d+|a couple of) (?:sentences|words|lines|"
        r"bullet points) (?:on|about)\b",
        r"\b(?:read|reading|going through|go through|studying)\b.{0,120}?\btoo (?:long|much|"
        r"many)\b",
    ),
    rule(
        "Split",
        r"\btoo (?:long|big|large)\b.{0,200}?\b(?:notes?|pieces?|parts?|chunks?|sentences?|"
        r"memor\w+|paragraphs?)\b",
        r"\b(?:shorter|smaller|separate|several|individual|single)(?: \w+)? (?:notes|pieces|"
        r"parts|entries|memories|chunks|ones)\b.{0,24}?\b(?:would|is|are|instead|better|please|$)",
        r"\b(?:one|a|an own) (?:note|memory|entry|piece) (?:a|per|for each|for every|"
        r"each) (?:sentence|paragraph|topic|point|line)",
        rf"{SHOULD} (?:\w+ )?(?:be|become) (?:several|separate|two|three|a few|multiple|different) "
        r"(?:\w+ )?(?:notes|pieces|entries|memories|parts)\b",
        r"\b(?:as|in|into) (?:several|separate|individual|single|short|small|shorter|smaller|"
        r"many|two|three)(?: \w+)? (?:notes|pieces|entries|parts|memories|chunks)\b",
        r"\b(?:an?|one) (?:note|entry|memory|piece) of (?:its|their) own\b",
        r"\bin (?:pieces|chunks|parts|blocks) of\b|\b(?:belongs? apart|in pieces|into pieces|"
        r"sentence by sentence)\b",
    ),
    rule(
        "Merge",
        rf"{SHOULD} (?:\w+ )?(?:be|become|form|make) (?:part of|one|a single|the same|together|"
        rf"united|in "
        r"one)\b",
        r"\b(?:should|must|ought to|to) (?:be|have) (?:just |only )?(?:one|a single) (?:note|"
        r"memory|entry)\b",
        r"\bbe (?:made )?part of the (?:note|memory|entry|one)\b",
        r"\bbecome (?:one|a single|the same)\b",
        r"\b(?:belongs?|go(?:es)?|fits?|comes?) (?:together|with (?:the|my) (?:note|memory|"
        r"entry)|in(?:to|side)? (?:the|my) (?:note|memory|entry|one))\b",
        r"\b(?:duplicates?|say(?:s|ing)? the same|the same thing|one and the same|"
        r"redundant copies|double entries)\b",
        r"\b(?:one|a single) (?:note|memory|entry)(?: about| on| for)?.{0,80}?\b(?:would (?:do|"
        r"be)|is enough|will do|suffices|instead)\b",
        r"\btoo (?:scattered|fragmented)\b|\b(?:rather|prefer|like|want|have) (?:to have )?(?:a "
        r"single|(?:just |only )?one) (?:note|memory|entry)\b",
    ),
    # what is wrong, and what it should say
    rule(
        "Update",
        r"\b(?:should|must|ought to|has to|needs to) (?:now |rather |actually |really |"
        r"also )?(?:say|read|mention|state|contain)\b",
        r"\b(?:is|are|was|were|got|have|has) (?:\w+ )?(?:wrong|incorrect|mistaken|out of date|"
        r"outdated|no longer (?:right|correct|true|up to date|current))\b",
        r"\b(?:is|it's|are|was) (?:actually|really|now|in fact|meanwhile)\b",
        r"\b(?:it's|is|was|are|were|be|meant?) [^.;,]{1,60}?,? (?:and )?not [^.;,]{1,60}",
        r"\bsays? .{1,60}?,? but (?:it|that|the|he|she|they|in fact|actually)\b",
        r"\binstead of\b|\brather than\b|\b(?:changed|moved|postponed|updated|corrected|"
        r"renamed) (?:to|from)\b",
        r"\b(?:made|make|there is|there's) (?:a|an) (?:mistake|error|typo)\b|\bmisspell?\w*\b|"
        r"\bmixed up\b",
        r"\b(?:location|place|date|time|subject|topic|type|title|text|wording|amount|price|"
        r"number|name)\b.{0,120}?\b(?:should|must|ought to|has to|needs to) be\b",
    ),
    # gone
    rule(
        "Delete",
        r"\b(?:no longer|don't|do not|needn't|never|won't|not)(?: really| even| ever)? (?:need|"
        r"want|require|use|keep|have any use for|care (?:for|about))\b(?! to\b)",
        r"\b(?:no|little|not any|without) (?:further |more |longer )?(?:use|need|reason to keep|"
        r"point in keeping|purpose|value)\b|\bof no use\b|\buseless\b|\bneedless\b|"
        r"\bsuperfluous\b",
        r"\b(?:can|could|may|should|must|has to|have to|ought to|needs? to|will have to)(?: all|"
        r" now| well| safely| please| finally)? (?:go\b(?! (?:in|to|on|under|up|down|with|into|"
        r"back|from|by|at|for|and|through|over|first|last))|be gone\b|disappear|vanish|leave\b|"
        r"cease to exist)",
        r"\b(?:want|like|have|get|need|see) .{1,160}? (?:gone|out of (?:here|my (?:life|notes|"
        r"memory)))\b",
        r"\b(?:rather|prefer|better) not (?:to )?(?:have|keep|see|know)\b|\bto (?:disappear|"
        r"vanish|be gone|go away)\b",
        r"\bbelongs? in (?:the )?(?:bin|trash|rubbish|wastebasket|dustbin)\b|\baway with (?:it|"
        r"them|those|these|that|this)\b",
        r"\b(?:can|could) do without\b|\b(?:get|be|am) rid of\b|\bgone for good\b|\b(?:no longer|"
        r"not|isn't|aren't) (?:be )?(?:\w+ )?(?:needed|wanted|required|useful|of use)\b",
    ),
    rule(
        "Retrieve",
        r"\b(?:looking for|searching for|in search of|can't find|cannot find|trying to find|"
        r"curious about|interested in|wondering (?:what|where|which|who|when|how|if|whether)|"
        r"wonder (?:what|where|which|who|when|how|if|whether)|not sure (?:what|where|which|who|"
        r"when|how))\b",
        r"\b(?:show|see|find|look at|looked at|look up|hear|know|read|view)\b",
        r"^(?:(?:all|the|my|our|any|every) )+(?:\w+ ){0,2}?(?:notes?|memor(?:y|ies)|entr(?:y|"
        r"ies)|records?)\b[^;:]{0,160},? please[.!]?$",
        r"^(?:(?:all|the|my|our|any|every|everything|whatever|those|these|\d+|two|three|four|"
        r"five|ten) )+(?:[\w-]+ ){0,3}?(?:notes?|memor(?:y|ies)|entr(?:y|ies)|"
        r"records?)\b(?!.*\b(?:is|are|was|were|has|have|had|should|must|may|can|could|will|would|"
        r"need|needs|do|does|did|get|got|go|goes|say|says|too)\b)",
        r"^(?:a |the )?(?:list|copy|full text|wording) of\b",
        r"^i(?:'d| would| do)?(?: \w+)? (?:need|want|like|love|require)\b(?!.* (?:to be|to|as|in|"
        r"into|at|under|out) (?!me\b))",
        r"\bwhat (?:do|did|have|is|are|was|were) (?:i|we|my|the)\b",
        r"^(?:what|which|whatever|whichever)\b",
    ),
)
"""Rules in their order; topics ("about …") are hidden from them."""
