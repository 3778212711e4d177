"""What English clauses without an imperative say of how memories are kept.

"Nobody should be able to change them", "it belongs under …", "it is good until Friday".
"""

from __future__ import annotations

from text2mem.planner.evidence.text import OPENING
from text2mem.planner.heads.english_phrases import (
    CHANGED,
    NOBODY,
    NOT,
    SEEN,
    SHOULD,
    UNTIL,
    WHEN,
)
from text2mem.planner.heads.model import QUOTED, rule

CLAIMS = (
    # what is to be written down; what follows is what was said before
    rule(
        "Encode",
        r"^[\w ]{0,24}\bfor (?:the|my) (?:files|records|notes|books)[:,]",
        r"^(?:for (?:later|future use|the future|my notes)|memo|reminder to (?:self|myself))[:,]",
        r"\b(?:for the record|fyi|for your information|for future reference|"
        r"note to self)\b(?=[,:]|$)",
        r"\b(?:it|this|that|which) (?:should|must|ought to|needs? to|has to|is to) (?:go|be put|"
        r"be) on (?:the )?record",
        r"\b(?:want|like|have|put|get) (?:it|this|that) on record\b",
        r"\b(?:in|into|to|on) my (?:notes|memory|records) that\b",
        r"\bit (?:noted|recorded|remembered|written down|known) that\b",
        r"\b(?:something|things?) (?:\w+ ){0,2}?(?:(?:for you )?to|you should) (?:remember|note|"
        r"keep|store|write down|record|save)\b",
        r"\b(?:it|this|that|which)(?: is|'s| are) (?:well )?worth (?:remembering|noting|keeping|"
        r"recording|storing|saving|writing down)",
        r"\b(?:should|must|ought to|needs? to|has to) be (?:remembered|noted|written down|"
        r"put down|memori[sz]ed|jotted down)(?! (?:only|just|until|till|for)\b)",
        r"\b(?:belongs? (?:on record|in (?:my|the) (?:notes|memory|records))|"
        r"needs? (?:remembering|noting|recording))",
        r"\bi (?:must|should|mustn't|shouldn't|don't want to|won't|will)(?: not|"
        r" never)? (?:remember|forget) that\b",
    ),
    # reminders and ends that are called off, what is wanted back
    rule(
        "Update",
        rf"\b(?:{NOT}|don't|doesn't|stop|without|not want to|needn't|any)\b.{{0,80}}?\b(?:be |"
        rf"being |"
        r"need to be )?(?:remind(?:ed|ers?|ing)?|notified|notifications?|alarms?)\b",
        r"\b(?:reminders?|reminded|alarms?|expiry|end dates?|time limits?|"
        r"expiration)\b.{0,120}?\b(?:can|could|should|must|may|no longer|not|isn't|aren't|"
        r"unnecessary|superfluous)\b.{0,24}?\b(?:go|be gone|needed|necessary|removed|cancelled|"
        r"canceled|stop|stopped|lifted|dropped|off|end)\b",
        r"\b(?:need|want|use|without|stand|bear)\b.{0,24}?\b(?:reminders?|reminded|"
        r"reminding)\b.{0,160}?\b(?:any ?more|any longer|no longer)\b|\bwithout being reminded\b",
        rf"\bremind\w* .{{0,120}}?\b(?:{NOT}|any ?more|any longer|off|cancelled|unnecessary)\b",
        rf"\b(?:should|must|may|shall|can|ought to|will|do|does|don't|doesn't|won't|shouldn't|"
        rf"mustn't|needn't)\b(?: {NOT})? (?:expire|lapse|run out|be (?:deleted|removed|archived) "
        r"automatically)(?<!should expire)(?<!must expire)(?<!may expire)(?<!shall "
        r"expire)(?<!can expire)(?<!will expire)(?<!to expire)(?<!should lapse)(?<!must "
        r"lapse)(?<!may lapse)(?<!can lapse)(?<!will lapse)(?<!to lapse)(?<!should run "
        r"out)(?<!must run out)(?<!may run out)(?<!will run out)(?<!can run out)",
        r"(?:n't|\bnot) be (?:deleted|removed|archived|forgotten|erased) (?:after all|"
        r"automatically|when|any more)\b",
        r"\b(?:stay|remain|be kept|live on|keep)\b.{0,60}?\b(?:after all|forever|for ever|"
        r"for good|permanently|indefinitely|without (?:an? |any )?(?:end|expiry|time limit)|"
        r"for all time)\b",
        r"\b(?:without|no|lose (?:the|its|their)) (?:an? |any )?(?:end date|expiry|expiration|"
        r"time limit|due date)\b",
        r"\b(?:deleted|archived|removed|erased|binned|thr(?:ew|own) (?:out|away)|tossed|put away|"
        r"forgot\w*)\b.{0,80}?\b(?:by (?:mistake|accident|error)|accidentally|mistakenly|wrongly|"
        r"too (?:early|soon|hastily)|unintentionally|inadvertently)",
        r"\b(?:accidentally|mistakenly|wrongly|unintentionally|inadvertently|by mistake|"
        r"by accident|never meant to|didn't mean to) (?:have )?(?:been )?(?:deleted?|archived?|"
        r"removed?|erased?|binn?(?:ed)?|thrown?)",
        r"\b(?:want|need|like|have|get|bring|see) .{2,160}? back(?=[,.;!?]|$| (?:from|in|into|"
        r"out|again|please|after))",
        r"\bout of (?:the |my )?(?:archives?|bin|trash|recycle bin|storage)\b|"
        r"\b(?:to )?come back(?=[,.;!?]|$)",
        r"\b(?:should|must|ought to|needs? to|has to) (?:come|be (?:brought|taken|put|moved|"
        r"fetched)) (?:back|out of the (?:archive|bin|trash))\b",
        r"\b(?:mistake|error|wrong|too (?:early|soon|hasty)|pity)\b.{0,24}? to (?:delete|archive|"
        r"remove|erase|bin|throw)",
        r"\b(?:needed|wanted|required|used|relevant) again\b",
        r"\bneed (?:the|my|those|that|it|them)\b.{0,120}? (?:again|after all)(?=[,.;!?]|$)",
        r"\b(?:shouldn't|should not|must not|never should) have been (?:deleted|archived|removed|"
        r"erased)",
    ),
    # who may change it
    rule(
        "Delete",
        rf"\b{NOBODY} (?:\w+ ){{0,2}}?(?:should|must|may|can|could|will|ought to|shall|is|needs?|"
        rf"has|gets?)\b.{{0,40}}?\b{SEEN}\b",
        r"\b(?:must|should|may|can|ought to) (?:not|never|no longer)(?: ever)? be (?:recoverable|"
        r"restored|recovered|found|seen|read) (?:again|by)",
        r"\b(?:never|not|don't|no longer|nobody) (?:\w+ ){0,2}?(?:want|wish|need|like|care|"
        r"have) to (?:ever )?(?:see|hear|read|find|look at|be shown|know).{0,200}?\b(?:again|"
        r"ever|any ?more)\b",
        r"\bno trace\b|\bwithout (?:a )?trace\b",
    ),
    rule(
        "Lock",
        rf"\b{NOBODY}(?: else)?(?: (?:but|except|other than) .{{2,40}}?)? (?:\w+ "
        rf"){{0,2}}?(?:should|must|may|can|could|will|ought to|shall|is|gets?|has|needs?|to|"
        rf"ever)?\b.{{0,40}}?\b(?:{CHANGED}|"
        r"delet\w+|remov\w+|add\w*|unlock\w*|lift\w*|release)\b",
        rf"\b(?:{SHOULD}|be|is|are|do|does)? ?(?:not|never|no longer|n't|cannot|can't|won't|"
        rf"mustn't|shouldn't|isn't|aren't|don't|doesn't|may not)\b(?: ever| to| now|"
        rf" again)? (?:be |get |being |been |allow |let )?.{{0,24}}?(?:{CHANGED}|deleted|removed|"
        rf"lost|deletable)\b",
        r"\b(?:no|without|any|against|prevent\w*|avoid\w*|stop\w*|forbid\w*)(?: any| all|"
        r" further| more| other| accidental| unauthori[sz]ed| unwanted)* (?:changes?|edits?|"
        r"editing|modifications?|alterations?|tampering|overwriting|changing|modifying)\b",
        rf"\bonly .{{1,60}}? (?:may|can|should|must|is allowed to|are allowed to|be allowed to|"
        rf"be able to) (?:{CHANGED}|edit|lift|unlock|add)",
        rf"{SHOULD} (?:\w+ )?(?:only )?be (?:only )?(?:added to|extended|appended|"
        rf"supplemented)(?! with)",
        r"\b(?:read|append|write)[- ](?:only|protected)\b|\bonly (?:additions?|new entries|"
        r"additional)\b|\bhands off\b|\bset in stone\b|\boff limits\b|\buntouchable\b",
        r"\b(?:editable|changeable|modifiable|writable|open for (?:changes|editing)|"
        r"free to (?:edit|change))(?: again)?\b",
        r"\b(?:everyone|everybody|anyone|anybody|people|all|others|we)\b.{0,40}?\b(?:able|"
        r"allowed|free|may|can)\b"
        rf".{{0,20}}?\b{CHANGED}.{{0,80}}?\bagain\b",
        r"\b(?:locks?|protection|restrictions?)\b.{0,100}?\b(?:no longer|not|isn't|"
        r"aren't) (?:needed|necessary|required)",
        rf"\b(?:whoever|anyone who|anybody who) .{{0,24}}?{CHANGED}.{{0,80}}?\b(?:must|has to|"
        rf"needs to|should)\b",
        r"\bonly be (?:appended|added|extended|supplemented)\b",
        rf"\bnot (?:be )?possible to {CHANGED}|\bimpossible to {CHANGED}",
        rf"\bnothing .{{0,100}}?\b(?:may|can|should|must|is to)\b.{{0,24}}?\b{CHANGED}",
        r"\b(?:stay|remain|be left|be kept|keep)(?: \w+)? (?:as (?:it is|they are|is)\b|"
        r"unchanged|untouched|intact)",
        rf"{SHOULD} (?:\w+ )?be (?:changed|edited|modified|altered|touched) again",
        r"\b(?:needs?|deserves?|requires?|wants?) (?:\w+ )?(?:protection|protecting|locking|"
        r"a lock)\b",
        r"\b(?:is|are|be|get|stay|remain|kept?)(?: \w+)? (?:locked|protected|frozen|sealed|"
        r"secured?|tamper-proof|write-protected|unlocked|immutable|safe)(?=[,.;!?]|$| (?:until|"
        r"for|so|from|against|by|again|now|to)\b)",
        r"\b(?:don't|do not|never|mustn't) (?:ever )?(?:let|allow|permit) .{2,120}?"
        rf"(?:{CHANGED}|delet\w+|remov\w+)",
        rf"^(?:please )?(?:don't|do not|never) (?:ever )?(?:{CHANGED}|delete|remove|erase)\b",
        r"\bthe (?:lock|protection|restriction) .{0,80}?(?:can|should|must|may|has to|"
        r"needs to) (?:go|come off|be gone|be (?:lifted|removed|released|taken off|dropped))",
    ),
    # tags and states
    rule(
        "Label",
        r"\b(?:status|state)\b.{0,160}?\b(?:should|must|ought to|needs to|has to|is to|"
        r"had better)(?: now| rather)? (?:be|read|say|become|change)\b",
        rf"{SHOULD} (?:have|get|carry|bear|show|be given|receive|wear) (?:only )?(?:the |an? |"
        rf"its |this |that |no |these )?(?:[\w-]+ )?(?:{QUOTED} )?(?:as )?(?:tags?|labels?|"
        rf"status|state|categor\w+)\b",
        r"\b(?:needs?|lacks?|is missing|are missing|wants?|deserves?|misses) (?:the |an? |its |"
        r"some |another |their )?(?:[\w-]+ )?(?:tags?|labels?)\b",
        rf"\b(?:should|must|ought to|needs? to|has to|have to|to)(?: \w+)? (?:be )?(?:found|"
        rf"listed|filed|sorted|kept|run|go|stand|appear|belong|come|be) (?:under|in|among|"
        rf"with) (?:the )?(?:tags?|labels?|category|heading)? ?{OPENING}",
        rf"\bbelongs? (?:under|in|to|among|with) (?:the )?(?:(?:tags?|labels?|category|heading|"
        rf"group) )?{OPENING}",
        rf"\b(?:only |just )?(?:the )?(?:tag|label) {QUOTED}(?: alone)? (?:is (?:enough|all|"
        rf"wrong|missing|"
        r"right|no longer)|would (?:do|suit|fit|be)|will do|suits|fits|should|must|has to|can|"
        r"no longer)",
        rf"{QUOTED} (?:is|would be|seems) (?:the|a) (?:right|good|better|wrong|fitting|proper|"
        rf"only) "
        r"(?:tag|label)",
        r"\b(?:wrong|old|outdated|incorrect) (?:status|state|tags?|labels?)\b",
        r"^(?:(?:the|all|any|old|its|their|these|those) )*(?:\w+ )?(?:tags?|"
        r"labels?)\b.{0,60}?\b(?:should|must|can|has to|have to|need to) (?:be|go|come|read)\b",
        r"(?:n't|\b(?:do not|never|stop|no longer|not))(?: \w+)? (?:be )?(?:tag|label|mark|file|"
        r"classif)\w*\b",
        rf"\b(?:status|state)\b.{{0,160}}?\b(?:is|are) (?:now |currently )?{QUOTED}",
        rf"{QUOTED} as (?:the|an?|their|its) (?:only )?(?:status|state|tags?|labels?)\b",
        r"\b(?:gets?|carry|carries|bears?|receives?|takes|be given) (?:the |an? |this |"
        r"its )(?:[\w-]+ )?(?:tags?|labels?)\b",
        r"\b(?:right|best|proper|fitting|correct|better) (?:tag|label)\b",
        r"\bwrongly (?:tagged|labell?ed|filed|marked)\b",
    ),
)
"""Rules that come before all others, in their order; topics ("about …") are hidden from them."""

ENDS = (
    rule(
        "Demote",
        r"\b(?:come|show|pop|turn|crop) up\b(?: \w+)? (?:so|as|too|less|quite so) (?:often|much|"
        r"frequently|high)|\b(?:less|not so|so) (?:often|prominently|high up)(?=[,.;!?]|$)",
        r"\b(?:don't|do not|won't|not|no)\b.{0,24}?\b(?:need|use|want)\b.{0,200}?\b(?:right now|"
        r"for now|for the (?:moment|time being)|at the moment|at present|currently|these days|"
        r"just now|any time soon|for a while)\b",
        r"\b(?:for now|for the time being|at the moment|right now|these days),? i (?:don't|"
        r"do not|won't|can't) (?:need|care|want|use|bother)\b",
    ),
    rule(
        "Expire",
        rf"{SHOULD} (?:\w+ )?(?:expire|lapse|run out|time out|self-destruct)\b",
        r"\b(?:expires?|lapses?|runs? out|disappears?|go(?:es)? away|self-destructs?)(?= (?:in|"
        r"on|at|after|by|automatically|when|next|tomorrow|\d+|one|two|three|four|five|six|seven|"
        r"eight|nine|ten|an?)\b)",
        rf"\b(?:will|is going to|are going to|is|are|becomes?|gets?|"
        rf"be)\b.{{0,24}}?\b(?:worthless|useless|obsolete|outdated|out of date|pointless|"
        rf"irrelevant|stale|void|invalid|superfluous|unnecessary|past|over|history|of no use|"
        rf"no use|no good)\b.{{0,24}}?\b(?:{WHEN})",
        rf"\b(?<!n't )(?<!not )(?<!no longer )(?<!never )(?:need|want|require|use|keep|have|"
        rf"is needed|are needed|needs? to be kept|must be kept|valid|relevant|good|counts?|"
        rf"matters?|interesting|useful|last|stays?|kept|hold)\b.{{0,200}}?\b(?:only |"
        rf"just )?{UNTIL}",
        rf"\b(?:no longer|not|don't|won't|doesn't|nobody|never)\b.{{0,24}}?\b(?:need|want|"
        rf"require|matter|be needed|be relevant|care)\w*\b.{{0,160}}?\b(?:{WHEN}|beyond|"
        rf"afterwards|any longer than)",
        rf"\b(?:can|may|should|must|has to|have to)(?: all| then)? (?:go|disappear|be gone|"
        rf"vanish)\b.{{0,24}}?\b(?:{WHEN})",
        r"^(?:after|from|as of|by|come|once|when|in) .{1,40}?,? (?:i|we|nobody) (?:won't|"
        r"will no longer|will not|no longer|don't) (?:\w+ )?(?:need|want|care|use)",
        r"\b(?:only |just )?(?:remembered|needed|wanted|kept|stored|required|used|relevant|"
        r"of use)(?: only| just)? (?:until|till|up to|for (?:\w+ ){0,3}(?:minutes?|hours?|days?|"
        r"weeks?|months?|years?|while)\b)",
        r"^(?:after|once|when|by|from|as of|come) .{2,80}?\b(?:can|may|should|must)(?: all|"
        r" then)? (?:go|be (?:deleted|removed|erased|binned|forgotten|gone)|disappear|vanish)\b",
        r"^(?:after|from|as of|by|come) .{1,160}?\b(?:worthless|useless|obsolete|outdated|"
        r"pointless|irrelevant|void|invalid|of no use)\b",
        r"\b(?:any )?longer than (?:an?|\d+|one|two|three|four|five|six|necessary|until)\b",
        r"\b(?:until|till) .{1,40}? (?:i|we) (?:still )?(?:need|want|keep|use)\b",
        rf"\bto (?:expire|lapse|run out)\b|\bto (?:disappear|vanish|go away|go|"
        rf"be gone)\b.{{0,12}}?(?:{WHEN})",
        r"\bnot (?:beyond|any longer than|longer than)\b",
    ),
)
"""Rules about how long a memory is needed, in their order."""
