"""English clauses without an imperative: what is said of memories, and what is asked with it.

"Nobody should be able to change them", "they can wait", "I have no time to read it all".
"""

from __future__ import annotations

from text2mem.planner.evidence.text import OPENING
from text2mem.planner.heads.model import QUOTED, rule

_SHOULD = (
    r"(?:should|must|ought to|needs? to|has to|have to|may|might|can|could|shall|will|would|"
    r"(?:is|are) (?:supposed |meant |free )?to|deserves? to|had better)"
)
_NOT = r"(?:not|never|no longer|no more)"
_NOBODY = r"(?:nobody|no one|no-one|none|not anyone|no other person|neither)"
_CHANGED = r"(?:chang|edit|modif|alter|touch|overwrit|rewrit|tamper|updat|writ|mess|fiddl|meddl)\w*"
_SEEN = r"(?:see|find|read|recover|restore|retrieve|get at|bring back|reconstruct|look up|know of)"
_TOO = (
    r"(?:(?:very|so|really|extremely|quite|rather|most|more|too|absolutely|utterly|now|again|"
    r"all|particularly) )*"
)
_WHEN = (
    r"(?:in|after|within) (?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a few|"
    r"some|"
    r"a couple of|half an?) (?:\w+ )?(?:minutes?|hours?|days?|weeks?|months?|years?|while|time)\b"
    r"|(?:by|after|from|on|as of|come) (?:the |next |this |tomorrow|\w+day|\d|january|february|"
    r"march|"
    r"april|may|june|july|august|september|october|november|december)|\btomorrow|\bnext (?:week|"
    r"month|"
    r"year)|\bsoon"
)
_UNTIL = (
    r"(?:until|till|up to|through|for (?:only |just |another |the next |no more than |\w+ ){0,2}"
    r"(?:minutes?|hours?|days?|weeks?|months?|years?|while|bit|time)\b|no longer than|not beyond)"
)
_POINTS = (
    r"(?:the )?(?:main|key|most important|essential|central|overall|crucial|chief|principal) "
    r"(?:points?|takeaways?|messages?|ideas?|findings?|facts?|things?|outcomes?|results?|issues?)"
)

QUESTIONS = (
    rule(
        "Summarize",
        rf"^what(?:'s| is| are| was| were) (?:{_POINTS}|the (?:gist|essence|upshot|bottom line|"
        r"highlights?|sum|point|short version|long and short|summary|heart|crux|overall))\b",
        r"^(?:what|how) (?:do|does|did|would|can|could|is|are).{2,160}? (?:boil down to|"
        r"come down to|"
        r"amount to|add up to|in (?:short|brief|a nutshell|a few words|essence)|"
        r"(?:be )?(?:summed up|summari[sz]ed))",
        r"^what (?:matters?|counts|stands? out|is (?:the )?most important|is essential|"
        r"should i take away)\b",
        r"^(?:what|how) .{2,160}? in (?:short|brief|a nutshell|a few words|a sentence|essence|"
        r"(?:one|two|three|a few|\d+) "
        r"(?:words?|sentences?|lines?|paragraphs?))\b",
        r"^how (?:would|do|can|could|might|should) (?:you|i|one|we) (?:\w+ )?(?:sum up|"
        r"summari[sz]e|condense|outline)",
    ),
    rule(
        "Retrieve",
        r"^(?:what|which|where|when|who|whom|whose|how|why)(?:'s|'re)?\b",
        r"^(?:is|are|was|were|am|do|does|did|has|have|had|isn't|aren't|wasn't|weren't|don't|"
        r"doesn't|"
        r"didn't|hasn't|haven't|hadn't) (?!not\b)(?=.{2,400}\?|(?:i|we|you|there|any|my|the)\b)",
        r"^(?:any|anything|something) .{2,200}\?",
    ),
)
"""What begins with a question word or with its verb."""

STATEMENTS = (
    # what is to be written down; what follows is what was said before
    rule(
        "Encode",
        r"\b(?:for the record|fyi|for your information|for future reference|"
        r"note to self)\b(?=[,:]|$)",
        r"\b(?:it|this|that|which) (?:should|must|ought to|needs? to|has to|is to) (?:go|be put|"
        r"be) on "
        r"(?:the )?record",
        r"\b(?:want|like|have|put|get) (?:it|this|that) on record\b",
        r"\bit (?:noted|recorded|remembered|written down|known) that\b",
        r"\b(?:something|things?) (?:\w+ ){0,2}?(?:(?:for you )?to|you should) (?:remember|note|"
        r"keep|store|"
        r"write down|record|save)\b",
        r"\b(?:it|this|that|which)(?: is|'s| are) (?:well )?worth (?:remembering|noting|keeping|"
        r"recording|storing|saving|writing down)",
        r"\b(?:should|must|ought to|needs? to|has to) be (?:remembered|noted|written down|put down|"
        r"memori[sz]ed|jotted down)(?! (?:only|just|until|till|for)\b)",
        r"\b(?:belongs? (?:on record|in (?:my|the) (?:notes|memory|records))|"
        r"needs? (?:remembering|noting|recording))",
        r"\bi (?:must|should|mustn't|shouldn't|don't want to|won't|will)(?: not| never)? "
        r"(?:remember|forget) that\b",
    ),
    # reminders and ends that are called off, what is wanted back
    rule(
        "Update",
        rf"\b(?:{_NOT}|don't|doesn't|stop|without|not want to|needn't|any)\b.{{0,80}}?\b(?:be |"
        rf"being |"
        r"need to be )?(?:remind(?:ed|ers?|ing)?|notified|notifications?|alarms?)\b",
        r"\b(?:reminders?|reminded|alarms?|expiry|end dates?|time limits?|"
        r"expiration)\b.{0,120}?\b(?:can|could|should|"
        r"must|may|no longer|not|isn't|aren't|unnecessary|superfluous)\b.{0,24}?\b(?:go|be gone|"
        r"needed|necessary|"
        r"removed|cancelled|canceled|stop|stopped|lifted|dropped|off|end)\b",
        r"\b(?:need|want|use|without|stand|bear)\b.{0,24}?\b(?:reminders?|reminded|"
        r"reminding)\b.{0,160}?\b(?:any ?more|"
        r"any longer|no longer)\b|\bwithout being reminded\b",
        rf"\bremind\w* .{{0,120}}?\b(?:{_NOT}|any ?more|any longer|off|cancelled|unnecessary)\b",
        rf"\b(?:should|must|may|shall|can|ought to|will|do|does|don't|doesn't|won't|shouldn't|"
        rf"mustn't|"
        rf"needn't)\b(?: {_NOT})? (?:expire|lapse|run out|be (?:deleted|removed|archived) "
        r"automatically)(?<!should expire)(?<!must expire)(?<!may expire)(?<!shall expire)"
        r"(?<!can expire)(?<!will expire)(?<!to expire)(?<!should "
        r"lapse)(?<!must lapse)(?<!may lapse)"
        r"(?<!can lapse)(?<!will lapse)(?<!to lapse)(?<!should run out)(?<!must run out)"
        r"(?<!may run out)(?<!will run out)(?<!can run out)",
        r"\b(?:stay|remain|be kept|live on|keep)\b.{0,60}?\b(?:after all|forever|for ever|for good|"
        r"permanently|indefinitely|without (?:an? |any )?(?:end|expiry|time limit)|for all time)\b",
        r"\b(?:without|no|lose (?:the|its|their)) (?:an? |any )?(?:end date|expiry|expiration|"
        r"time limit|due date)\b",
        r"\b(?:deleted|archived|removed|erased|binned|thr(?:ew|own) (?:out|away)|tossed|put away|"
        r"forgot\w*)\b"
        r".{0,80}?\b(?:by (?:mistake|accident|error)|accidentally|mistakenly|wrongly|too (?:early|"
        r"soon|"
        r"hastily)|unintentionally|inadvertently)",
        r"\b(?:accidentally|mistakenly|wrongly|unintentionally|inadvertently|by mistake|"
        r"by accident|"
        r"never meant to|didn't mean to) (?:have )?(?:been )?(?:deleted?|archived?|removed?|"
        r"erased?|"
        r"binn?(?:ed)?|thrown?)",
        r"\b(?:want|need|like|have|get|bring|see) .{2,160}? back(?=[,.;!?]|$| (?:from|in|into|out|"
        r"again|"
        r"please|after))",
        r"\bout of (?:the |my )?(?:archives?|bin|trash|recycle bin|storage)\b|"
        r"\b(?:to )?come back(?=[,.;!?]|$)",
        r"\b(?:should|must|ought to|needs? to|has to) (?:come|be (?:brought|taken|put|moved|"
        r"fetched)) "
        r"(?:back|out of the (?:archive|bin|trash))\b",
        r"\b(?:mistake|error|wrong|too (?:early|soon|hasty)|pity)\b.{0,24}? to (?:delete|archive|"
        r"remove|erase|bin|throw)",
        r"\bneed (?:the|my|those|that|it|them)\b.{0,120}? (?:again|after all)(?=[,.;!?]|$)",
        r"\b(?:shouldn't|should not|must not|never should) have been (?:deleted|archived|removed|"
        r"erased)",
    ),
    # who may change it
    rule(
        "Delete",
        rf"\b{_NOBODY} (?:\w+ ){{0,2}}?(?:should|must|may|can|could|will|ought to|shall|is|needs?|"
        rf"has|"
        rf"gets?)\b.{{0,40}}?\b{_SEEN}\b",
        r"\b(?:must|should|may|can|ought to) (?:not|never|no longer)(?: ever)? be (?:recoverable|"
        r"restored|recovered|found|seen|read) (?:again|by)",
        r"\b(?:never|not|don't|no longer|nobody) (?:\w+ ){0,2}?(?:want|wish|need|like|care|"
        r"have) to (?:ever )?"
        r"(?:see|hear|read|find|look at|be shown|know).{0,200}?\b(?:again|ever|any ?more)\b",
        r"\bno trace\b|\bwithout (?:a )?trace\b",
    ),
    rule(
        "Lock",
        rf"\b{_NOBODY}(?: else)?(?: (?:but|except|other "
        rf"than) .{{2,40}}?)? (?:\w+ ){{0,2}}?(?:should|must|"
        rf"may|can|could|will|ought to|shall|is|gets?|has|needs?|to|"
        rf"ever)?\b.{{0,40}}?\b(?:{_CHANGED}|"
        r"delet\w+|remov\w+|add\w*)\b",
        rf"\b(?:{_SHOULD}|be|is|are|do|does)? ?(?:not|never|no longer|n't|cannot|can't|won't|"
        rf"mustn't|"
        rf"shouldn't|isn't|aren't|don't|doesn't|may not)\b(?: ever| to| now| again)? (?:be |get |"
        rf"being |"
        rf"been |allow |let )?.{{0,24}}?(?:{_CHANGED}|deleted|removed|lost|deletable)\b",
        r"\b(?:no|without|any|against|prevent\w*|avoid\w*|stop\w*|forbid\w*)(?: any| all| further|"
        r" more| "
        r"other| accidental| unauthori[sz]ed| unwanted)* (?:changes?|edits?|editing|modifications?|"
        r"alterations?|tampering|overwriting|changing|modifying)\b",
        rf"\bonly .{{1,60}}? (?:may|can|should|must|is allowed to|are allowed to|be allowed to|"
        rf"be able to) "
        rf"(?:{_CHANGED}|edit|lift|unlock|add)",
        rf"{_SHOULD} (?:\w+ )?(?:only )?be (?:only )?(?:added to|extended|appended|"
        rf"supplemented)(?! with)",
        r"\b(?:read|append|write)[- ](?:only|protected)\b|\bonly (?:additions?|new entries|"
        r"additional)\b|\bhands off\b|\bset in stone\b|\boff limits\b|\buntouchable\b",
        r"\b(?:editable|changeable|modifiable|writable|open for (?:changes|editing)|"
        r"free to (?:edit|"
        r"change))(?: again)?\b",
        rf"\bnothing .{{0,100}}?\b(?:may|can|should|must|is to)\b.{{0,24}}?\b{_CHANGED}",
        r"\b(?:stay|remain|be left|be kept|keep)(?: \w+)? (?:as (?:it is|they are|is)\b|unchanged|"
        r"untouched|intact)",
        rf"{_SHOULD} (?:\w+ )?be (?:changed|edited|modified|altered|touched) again",
        r"\b(?:needs?|deserves?|requires?|wants?) (?:\w+ )?(?:protection|protecting|locking|"
        r"a lock)\b",
        r"\b(?:is|are|be|get|stay|remain|kept?)(?: \w+)? (?:locked|protected|frozen|sealed|"
        r"secured?|"
        r"tamper-proof|write-protected|unlocked|immutable|safe)(?=[,.;!?]|$| (?:until|for|so|from|"
        r"against|"
        r"by|again|now|to)\b)",
        r"\b(?:don't|do not|never|mustn't) (?:ever )?(?:let|allow|permit) .{2,120}?"
        rf"(?:{_CHANGED}|delet\w+|remov\w+)",
        rf"^(?:please )?(?:don't|do not|never) (?:ever )?(?:{_CHANGED}|delete|remove|erase)\b",
        r"\bthe (?:lock|protection|restriction) .{0,80}?(?:can|should|must|may|has to|"
        r"needs to) (?:go|come off|be gone|be "
        r"(?:lifted|removed|released|taken off|dropped))",
    ),
    # tags and states
    rule(
        "Label",
        r"\b(?:status|state)\b.{0,160}?\b(?:should|must|ought to|needs to|has to|is to|"
        r"had better)"
        r"(?: now| rather)? (?:be|read|say|become|change)\b",
        rf"{_SHOULD} (?:have|get|carry|bear|show|be given|receive|wear) (?:only )?(?:the |an? |"
        rf"its |this |"
        rf"that |no |these )?(?:[\w-]+ )?(?:{QUOTED} )?(?:as )?(?:tags?|labels?|status|state|"
        rf"categor\w+)\b",
        r"\b(?:needs?|lacks?|is missing|are missing|wants?|deserves?|misses) (?:the |an? |its |"
        r"some |"
        r"another |their )?(?:[\w-]+ )?(?:tags?|labels?)\b",
        rf"\b(?:should|must|ought to|needs? to|has to|have to|to)(?: \w+)? (?:be )?(?:found|listed|"
        rf"filed|"
        rf"sorted|kept|go|stand|appear|belong|come|be) (?:under|in|among|with) (?:the )?(?:tags?|"
        rf"labels?|"
        rf"category|heading)? ?{OPENING}",
        rf"\bbelongs? (?:under|in|to|among|with) (?:the )?(?:(?:tags?|labels?|category|heading|"
        rf"group) )?"
        rf"{OPENING}",
        rf"\b(?:only |just )?(?:the )?(?:tag|label) {QUOTED}(?: alone)? (?:is (?:enough|all|wrong|"
        rf"missing|"
        r"right|no longer)|would (?:do|suit|fit|be)|will do|suits|fits|should|must|has to|can|"
        r"no longer)",
        rf"{QUOTED} (?:is|would be|seems) (?:the|a) (?:right|good|better|wrong|fitting|proper|"
        rf"only) "
        r"(?:tag|label)",
        r"\b(?:wrong|old|outdated|incorrect) (?:status|state|tags?|labels?)\b",
        r"^(?:(?:the|all|any|old|its|their|these|those) )*(?:\w+ )?(?:tags?|"
        r"labels?)\b.{0,60}?\b(?:should|must|can|has to|have to|need to) (?:be|go|come|read)\b",
        r"\b(?:get|carry|bear|receive|be given) (?:the |an? |this |its )(?:[\w-]+ )?(?:tags?|"
        r"labels?)\b",
        r"\b(?:right|best|proper|fitting|correct|better) (?:tag|label)\b",
        r"\bwrongly (?:tagged|labell?ed|filed|marked)\b",
    ),
    # how long it is kept
    rule(
        "Demote",
        r"\b(?:come|show|pop|turn|crop) up\b(?: \w+)? (?:so|as|too|less|quite so) (?:often|much|"
        r"frequently|"
        r"high)|\b(?:less|not so|so) (?:often|prominently|high up)(?=[,.;!?]|$)",
        r"\b(?:don't|do not|won't|not|no)\b.{0,24}?\b(?:need|use|"
        r"want)\b.{0,200}?\b(?:right now|for now|"
        r"for the (?:moment|time being)|at the moment|at present|currently|these days|just now|"
        r"any time "
        r"soon|for a while)\b",
        r"\b(?:for now|for the time being|at the moment|right now),? i (?:don't|do not|"
        r"won't) need\b",
    ),
    rule(
        "Expire",
        rf"{_SHOULD} (?:\w+ )?(?:expire|lapse|run out|time out|self-destruct)\b",
        r"\b(?:expires?|lapses?|runs? out|disappears?|go(?:es)? away|self-destructs?)(?= (?:in|on|"
        r"at|after|"
        r"by|automatically|when|next|tomorrow|\d+|one|two|three|four|five|six|seven|eight|nine|"
        r"ten|an?)\b)",
        rf"\b(?:will|is going to|are going to|is|are|becomes?|gets?|be)\b.{{0,24}}?\b(?:worthless|"
        rf"useless|"
        rf"obsolete|outdated|out of date|pointless|irrelevant|stale|void|invalid|superfluous|"
        rf"unnecessary|"
        rf"past|over|history|of no use|no use|no good)\b.{{0,24}}?\b(?:{_WHEN})",
        rf"\b(?<!n't )(?<!not )(?<!no longer )(?<!never )(?:need|want|require|use|keep|have|"
        rf"is needed|are needed|needs? to be kept|must be kept|"
        rf"valid|relevant|good|counts?|matters?|interesting|useful|last|stays?|kept|hold)\b"
        rf".{{0,200}}?\b(?:only |just )?{_UNTIL}",
        rf"\b(?:no longer|not|don't|won't|doesn't|nobody|never)\b.{{0,24}}?\b(?:need|want|require|"
        rf"matter|"
        rf"be needed|be relevant|care)\w*\b.{{0,160}}?\b(?:{_WHEN}|beyond|afterwards|"
        rf"any longer than)",
        rf"\b(?:can|may|should|must|has to|have to)(?: all| then)? (?:go|disappear|be gone|"
        rf"vanish)\b"
        rf".{{0,24}}?\b(?:{_WHEN})",
        r"^(?:after|from|as of|by|come|once|when|in) .{1,40}?,? (?:i|we|nobody) (?:won't|"
        r"will no longer|will "
        r"not|no longer|don't) (?:\w+ )?(?:need|want|care|use)",
        r"\b(?:only |just )?(?:remembered|needed|wanted|kept|stored|required|used|relevant|"
        r"of use)(?: only| just)? "
        r"(?:until|till|up to|for (?:\w+ ){0,3}(?:minutes?|hours?|days?|weeks?|months?|years?|"
        r"while)\b)",
        r"\b(?:until|till) .{1,40}? (?:i|we) (?:still )?(?:need|want|keep|use)\b",
        rf"\bto (?:expire|lapse|run out)\b|\bto (?:disappear|vanish|go away|go|"
        rf"be gone)\b.{{0,12}}?(?:{_WHEN})",
        r"\bnot (?:beyond|any longer than|longer than)\b",
    ),
    # how important it is
    rule(
        "Demote",
        r"\b(?:not|no longer|needn't|never|don't|doesn't|shouldn't|isn't|aren't)\b(?: (?:have|need|"
        r"has|ought))?(?: to)?"
        r"(?: be| come| rank| stand| appear| stay)? ?(?:a |the |so |that |as |very |all that |"
        r"quite so |my )*(?:high|"
        r"higher|prominent|visible|first|top|at the top|on top|urgent|important|high[- ]priority|"
        r"priority)\b",
        r"\b(?:can|could|may|will have to|must|should) (?:well |all |certainly |safely )?wait\b",
        r"\b(?:is|are|isn't|aren't|be|seems?|become|got|was|were)(?: really)? (?:not|no|n't|less|"
        r"hardly|"
        r"never|no longer|un|of (?:little|less|minor|no great)) ?(?:that |so |as |very |"
        r"particularly |all "
        r"that |really |terribly |too )?(?:important|urgent|pressing|crucial|interesting|"
        r"importance|"
        r"relevant|priority|a priority|hurry)\b",
        r"\b(?:isn't|aren't|wasn't|weren't) (?:that |so |as |very |particularly |really |all that |"
        r"too )?"
        r"(?:important|urgent|pressing|crucial|relevant|a priority)\b",
        r"\b(?:unimportant|less important|less urgent|no hurry|no rush|not urgent|low(?:er|"
        r"est)?[- ]"
        r"priority|of minor importance|secondary|trivial)\b",
        r"\bmatters? (?:less|little|(?:very )?little|not (?:that )?much)\b",
        r"\b(?:don't|doesn't|do not|does not) (?:really |currently )?matter(?: (?:much|that much|"
        r"right now|"
        r"at the moment|now|any ?more))?\b",
        r"\b(?:archive|storage|bottom|background|back burner)\b(?=[,.;!?]|$| (?:for|now|please|"
        r"would|is|after|then|soon|again|too|as)\b)",
        rf"{_SHOULD} (?:\w+ )?(?:come|be|go|move|rank|sink|drop|slip|appear|"
        rf"stand) (?:\w+ )?(?:last|low(?:er)?|"
        r"down|at the (?:bottom|end)|behind|further (?:down|back|below)|less prominent|"
        r"in the background|"
        r"out of (?:the way|sight))",
    ),
    rule(
        "Promote",
        rf"\b(?:is|are|be|become|became|has become|have become|got|gets?|seems?|"
        rf"feels?)(?: now)? {_TOO}"
        r"(?:urgent|important|crucial|essential|critical|vital|pressing|key|a (?:top |"
        r"high )?priority|"
        r"top priority|of (?:great|high|utmost|the utmost) importance)\b",
        r"\b(?:matters?|counts?) (?:a lot|a great deal|more|most|very much|the most)\b",
        rf"{_SHOULD} (?:\w+ )?(?:come|be|go|move|rank|climb|rise|appear|stand|have|get|take|"
        rf"enjoy) (?:\w+ )?"
        r"(?:first|higher|up|at the top|on top|ahead|further up|to the (?:top|front)|top|high|"
        r"highest|more "
        r"(?:prominent|visible|weight|attention|important|urgent)|priority|precedence)\b",
        r"\b(?:deserves?|needs?|requires?|merits?|wants?|demands?) (?:\w+ )?(?:(?:more|most|top|"
        r"high|higher|"
        r"highest|full|special|my) )(?:attention|priority|weight|importance|visibility)\b",
        r"\b(?:top|high(?:est|er)?)[- ]priority\b",
        r"\b(?:want|need|like|have|wish|ought|should|must|"
        r"may)\b.{0,24}?\b(?:to )?(?:be )?remind(?:ed|er)\b",
        r"\b(?:lose|losing) sight of\b|\btop of (?:the|my) (?:list|agenda)\b|\bon top of (?:the|"
        r"my) list\b",
        r"\b(?:at|to) the (?:very )?top(?=[,.;!?]|$| of (?:the|my) (?:list|ranking|queue|notes))",
        r"\bhurr(?:y|ies) up\b|\bcan(?:'t|not) wait\b|\bas soon as possible\b",
    ),
    # made shorter, taken apart, put together
    rule(
        "Summarize",
        r"\b(?:no time|not (?:have )?(?:the |enough )?time|don't have (?:the |enough )?time|"
        r"haven't (?:got )?"
        r"(?:the |enough )?time|too (?:much|many|long)|can't|cannot|never manage|unable|too busy|"
        r"won't|"
        r"never get round|don't want|no patience|not going) .{0,24}?\b(?:to |for )?(?:be )?(?:read|"
        r"reading|"
        r"go(?:ing)? through|look(?:ing)? through|work(?:ing)? through|wade|study)\b",
        r"\b(?:summar(?:y|ies)|overview|digest|gist|recap|run-?down|short version|executive brief|"
        r"synopsis|"
        r"condensed version)\b.{0,200}?\b(?:would|will|is|please|needed|of|about|helps?)\b",
        rf"^{_POINTS}\b|\bin a nutshell\b|\bboil(?:ed|s)? down\b|\bin short, what\b",
        r"\b(?:like|need|want|love|have) (?:to (?:get|have|know|see) )?(?:an? |"
        r"the )?(?:\w+ )?(?:summary|"
        rf"overview|digest|gist|recap|essence|highlights|outline|rough idea|big picture|"
        rf"{_POINTS})\b",
        r"\b(?:read|reading|going through|go through|studying)\b.{0,120}?\btoo (?:long|much|"
        r"many)\b",
    ),
    rule(
        "Split",
        r"\btoo (?:long|big|large)\b.{0,200}?\b(?:notes?|pieces?|parts?|chunks?|sentences?|"
        r"memor\w+|"
        r"paragraphs?)\b",
        r"\b(?:shorter|smaller|separate|several|individual|single)(?: \w+)? (?:notes|pieces|parts|"
        r"entries|"
        r"memories|chunks|ones)\b.{0,24}?\b(?:would|is|are|instead|better|please|$)",
        r"\b(?:one|a|an own) (?:note|memory|entry|piece) (?:a|per|for each|for every|each) "
        r"(?:sentence|paragraph|topic|point|line)",
        rf"{_SHOULD} (?:\w+ )?(?:be |become )?(?:several|separate|two|three|a few|multiple|"
        rf"different) "
        r"(?:\w+ )?(?:notes|pieces|entries|memories|parts)\b",
        r"\b(?:as|in|into) (?:several|separate|individual|single|short|small|shorter|smaller|many|"
        r"two|three)(?: \w+)? "
        r"(?:notes|pieces|entries|parts|memories|chunks)\b",
        r"\bin pieces of\b|\b(?:belongs? apart|in pieces|into pieces|sentence by sentence)\b",
    ),
    rule(
        "Merge",
        rf"{_SHOULD} (?:\w+ )?(?:be|become|form|make) (?:part of|one|a single|the same|together|"
        rf"united|in "
        r"one)\b",
        r"\bbecome (?:one|a single|the same)\b",
        r"\b(?:belongs?|go(?:es)?|fits?|comes?) (?:together|with (?:the|my) (?:note|memory|entry)|"
        r"in(?:to|side)? "
        r"(?:the|my) (?:note|memory|entry|one))\b",
        r"\b(?:duplicates?|say(?:s|ing)? the same|the same thing|one and the same|redundant copies|"
        r"double entries)\b",
        r"\b(?:one|a single) (?:note|memory|entry)(?: about| on| for)?.{0,80}?\b(?:would (?:do|be)|"
        r"is enough|"
        r"will do|suffices|instead)\b",
        r"\btoo (?:scattered|fragmented)\b|\b(?:rather|prefer|like|want|"
        r"have) (?:to have )?(?:a single|(?:just |"
        r"only )?one) (?:note|memory|entry)\b",
    ),
    # what is wrong, and what it should say
    rule(
        "Update",
        r"\b(?:should|must|ought to|has to|needs to) (?:now |rather |actually |really )?(?:say|"
        r"read)\b",
        r"\b(?:is|are|was|were|got|have|has) (?:\w+ )?(?:wrong|incorrect|mistaken|out of date|"
        r"outdated|no "
        r"longer (?:right|correct|true|up to date|current))\b",
        r"\b(?:is|it's|are|was) (?:actually|really|now|in fact|meanwhile)\b",
        r"\b(?:it's|is|was|are|were|be|meant?) [^.;,]{1,60}?,? (?:and )?not [^.;,]{1,60}",
        r"\binstead of\b|\brather than\b|\b(?:changed|moved|postponed|updated|corrected|"
        r"renamed) (?:to|from)\b",
        r"\b(?:made|make|there is|there's) (?:a|an) (?:mistake|error|typo)\b|\bmisspell?\w*\b|"
        r"\bmixed up\b",
        r"\b(?:location|place|date|time|subject|topic|type|title|text|wording|amount|price|number|"
        r"name)\b"
        r".{0,120}?\b(?:should|must|ought to|has to|needs to) be\b",
    ),
    # gone
    rule(
        "Delete",
        r"\b(?:no longer|don't|do not|needn't|never|won't|not)(?: really| even| ever)? (?:need|"
        r"want|require|"
        r"use|keep|have any use for|care (?:for|about))\b(?! to\b)",
        r"\b(?:no|little|not any|without) (?:further |more |longer )?(?:use|need|reason to keep|"
        r"point in "
        r"keeping|purpose|value)\b|\bof no use\b|\buseless\b|\bneedless\b|\bsuperfluous\b",
        r"\b(?:can|could|may|should|must|has to|have to|ought to|needs? to|will have to)(?: all|"
        r" now| well|"
        r" safely| please| finally)? (?:go\b(?! (?:in|to|on|under|up|down|with|into|back|from|by|"
        r"at|for|"
        r"and|through|over|first|last))|be gone\b|disappear|vanish|leave\b|cease to exist)",
        r"\b(?:want|like|have|get|need|see) .{1,160}? (?:gone|out of (?:here|my (?:life|notes|"
        r"memory)))\b",
        r"\b(?:rather|prefer|better) not (?:to )?(?:have|keep|see|know)\b|\bto (?:disappear|"
        r"vanish|be gone|go away)\b",
        r"\b(?:can|could) do without\b|\b(?:get|be|am) rid of\b|\bgone for good\b|"
        r"\bnot (?:be )?needed\b",
    ),
    rule(
        "Retrieve",
        r"\b(?:looking for|searching for|in search of|can't find|cannot find|trying to find|"
        r"curious about|"
        r"interested in|wondering (?:what|where|which|who|when|how|if|whether)|wonder (?:what|"
        r"where|which|"
        r"who|when|how|if|whether)|not sure (?:what|where|which|who|when|how))\b",
        r"\b(?:show|see|find|look at|looked at|look up|hear|know|read|view)\b",
        r"^(?:(?:all|the|my|our|any|every) )+(?:\w+ ){0,2}?(?:notes?|memor(?:y|ies)|entr(?:y|ies)|"
        r"records?)\b"
        r"[^;:]{0,160},? please[.!]?$",
        r"^(?:(?:all|the|my|our|any|every|everything|whatever|those|these|\d+|two|three|four|five|"
        r"ten) )+(?:[\w-]+ ){0,3}?"
        r"(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?)\b(?!.*\b(?:is|are|was|were|has|have|had|"
        r"should|must|may|can|"
        r"could|will|would|need|needs|do|does|did|get|got|go|goes|say|says|too)\b)",
        r"^(?:a |the )?(?:list|copy|full text|wording) of\b",
        r"^i(?:'d| would| do)?(?: \w+)? (?:need|want|like|love|require)\b(?!.* (?:to be|to|as|in|"
        r"into|at|under|out) (?!me\b))",
        r"\bwhat (?:do|did|have|is|are|was|were) (?:i|we|my|the)\b",
        r"\?\s*$",
    ),
)
"""Rules about a whole clause, in this order; topics ("about …") are hidden from them."""
