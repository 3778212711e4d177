"""English frames for how memories are kept: stored and edited, tagged, locked, let expire.

What is quoted is one mark in these patterns; each is searched in what follows the verb.
"""

from __future__ import annotations

from text2mem.planner.evidence.text import OPENING
from text2mem.planner.heads.english_words import (
    AGAIN,
    BACK,
    BIN,
    CHANGE,
    COUNT,
    LENGTH,
    NAMED,
    THEM,
    THINGS,
    UNIT,
    WHILE,
)
from text2mem.planner.heads.model import QUOTED, frame

KEEPING = (
    # --- stored, brought back, no longer due
    frame(
        "Encode",
        "make take keep add leave create write jot put enter start open",
        r"^(?:me |us )?(?:an? |another )(?:(?:quick|new|short|brief|little|mental|fresh|"
        r"separate) )*(?:note|memo|record|memory|entry)\b(?! (?:read|append|out of|per|"
        r"for each))(?: that| of| to)?",
    ),
    frame(
        "Encode",
        "add enter put include commit write insert note",
        r"^(?:that\b|to (?:my|the|your) (?:notes|memory|records|diary|list)\b)",
        r"\b(?:in)?to (?:my |your )?(?:notes|memory|records)(?=[,.;!?]|$)",
    ),
    frame(
        "Encode",
        "put",
        r"^(?:it |this |that )?(?:in|into) (?:my|the) (?:notes|memory|records)(?: that\b|[,:])",
    ),
    frame("Encode", "take make", r"^(?:a )?note(?: that| of)\b"),
    frame("Encode", "bear keep", r"^(?:it )?in mind(?: that)?"),
    frame(
        "Encode",
        "put jot note take write set get",
        r"^(?:this |that |it )?(?:down|on record)\b",
    ),
    frame("Encode", "know let", r"^(?:that|it be (?:noted|known|recorded) that)\b"),
    frame(
        "Update",
        "stop cancel drop remove delete switch turn get clear kill disable end take lift call "
        "undo revoke forget scrap ditch dump lose discard eliminate abolish erase wipe reverse "
        "retract rescind withdraw",
        rf"^(?:off |out |rid of |away )?{NAMED}(?:reminders?|reminding|alarms?|notifications?|"
        rf"expiry|expiration|end dates?|time limits?|due dates?|deadlines?)\b(?! (?:notes?|"
        rf"policy|lists?|tags?))",
        r"^(?:off |with )?(?:reminding|notifying|nagging|alerting)\b",
        r"^.{2,120} from (?:expiring|lapsing|running out|being (?:deleted|removed) automatically)",
        r"^(?:the )?(?:deletion|delete|removal|archiving|archival) of\b",
    ),
    frame(
        "Update",
        "prevent keep",
        r"^.{2,120}? from (?:expiring|lapsing|running out|going away|disappearing)",
    ),
    frame(
        "Update",
        "keep leave have hold retain",
        r"^(?!.*\b(?:until|till)\b).*\b(?:forever|for ?ever|for good|permanently|indefinitely|"
        r"after all|without (?:an? |any )?(?:end|expiry|expiration|time limit)\b)",
    ),
    frame(
        "Update",
        "bring get take put fetch pull move have fish dig let save rescue return restore want",
        rf"^(?!me |us )(?:.{{2,160}}? )?(?:{BACK}|out of (?:the |my )?{BIN})",
        rf"^{BACK}",
    ),
    frame(
        "Update",
        "let make",
        r"\b(?:not|never|no longer) (?:expire|lapse|run out|go away)",
    ),
    frame("Update", "let have make", rf"\b(?:say|read)s?:? {QUOTED}", r"\bsay instead\b"),
    frame(
        "Update",
        "put write use say make",
        r"\b(?:instead|in place|rather) (?:of|than)\b",
    ),
    frame(
        "Update Lock",
        "keep retain preserve",
        rf"^(?:all |the |my |those |these )+{THINGS}\b(?!.*\b(?:until|till|for|only|longer|at|"
        rf"on top|out of|safe|as|"
        r"from|unchanged|locked|protected|intact|untouched|secret|read|under|in)\b)",
    ),
    # --- asked for again and again
    frame(
        "Retrieve",
        "remind",
        r"^(?:me|us),? (?:again )?(?:,? ?)(?:what|who|where|which|how|why|whether|if|whose)\b",
    ),
    frame(
        "Promote Encode",
        "remind",
        r"^(?:me|us) (?:to (?!look|see|read|go|review|check)|that\b)",
    ),
    frame(
        "Promote",
        "set add create give schedule put have arrange make plan send",
        rf"^(?:me |us |up )*{NAMED}reminders?\b",
        r"^.{2,100}? (?:an? |another )?(?:(?:daily|weekly|monthly|yearly|regular|"
        r"recurring) )?reminders?(?= (?:for|on|every|at|each|to)\b|[,.;!?]|$)",
    ),
    frame(
        "Promote",
        "show bring tell let give read put send hear see look get have review revisit go present "
        "display pull repeat mention resurface surface find",
        *AGAIN,
    ),
    frame("Promote", "be", r"^reminded\b"),
    frame("Promote", "keep", r"^(?:on )?(?:reminding|showing|bringing|telling)\b"),
    frame("Promote", "nag", r"^me\b"),
    frame("Promote", "ping nudge alert notify prompt poke warn", r"^(?:me|us)\b"),
    # --- who may change it
    frame(
        "Lock",
        "remove lift release drop undo take cancel end clear disable switch delete forget scrap "
        "get",
        rf"^(?:off |away |out )?{NAMED}(?:locks?|(?:write[- ])?protection|restrictions?|freeze)"
        r"(?= (?:from|on|of|for|off)\b|[,.;!?]|$)",
        r"^.{2,120}?'s? (?:lock|protection)\b",
    ),
    frame(
        "Lock",
        "make set mark put keep turn leave have declare render switch change get",
        r"\b(?:read|append|write)[- ]only\b",
        r"\b(?:editable|changeable|modifiable|writable|immutable|unchangeable|tamper-proof|"
        r"locked|protected|write-protected|frozen|unlocked)(?= (?:again|by|for|until|so|from|to|"
        r"against)\b|[,.;!?]|$)",
        r"\bunder lock\b",
        rf"^it (?:impossible|hard) .{{0,60}}?\b{CHANGE}",
    ),
    frame(
        "Lock",
        "keep",
        r"\b(?:from being|unchanged|untouched|unaltered|intact|safe from|(?:just )?as (?:it is|"
        r"they are)|away from (?:anybody|anyone|others)|safe)\b",
    ),
    frame(
        "Lock",
        "leave",
        r"\b(?:alone|unchanged|untouched|(?:just )?as (?:it is|they are))\b",
    ),
    frame(
        "Lock",
        "let allow permit",
        r"^(?:nobody|no one|none|nothing|only)\b",
        r"^(?:people|anyone|anybody|others|everyone|everybody|users|us|them) (?:only )?(?:append|"
        r"add)\b",
        rf"\b(?:be )?{CHANGE}.{{0,40}}\bagain\b",
        r"^(?:only )?(?:additions|edits|changes|editing|changing)\b",
    ),
    frame(
        "Lock",
        "prevent stop forbid block disallow prohibit ban avoid rule",
        rf"\b(?:{CHANGE}|changes|edits|alterations|modifications|additions)\b",
    ),
    frame(
        "Lock",
        "fix arrange set make lock keep configure",
        r"\bso (?:that )?(?:nobody|no one|none|no-one)\b",
        rf"\bso (?:that )?(?:it|they) (?:can't|cannot|can not|can no longer|won't|"
        rf"may not) be {CHANGE}",
    ),
    frame("Lock", "set", r"\bin stone\b"),
    frame(
        "Lock",
        "put add place set",
        r"^(?:an? |the )?(?:lock|(?:write )?protection|padlock) (?:on|over|to)\b",
    ),
    frame(
        "Lock",
        "open free",
        r"\bup(?= (?:again|for|to)\b|[,.;!?]|$)",
        r"\bfor (?:editing|changes)",
    ),
    # --- tags and states
    frame(
        "Label",
        "remove delete drop clear strip take peel erase detach pull scrape get wipe forget scrap "
        "ditch dump discard eliminate lose",
        rf"^(?:off |away |rid of )?{NAMED}(?:tags?|labels?)(?= (?:{OPENING}|from|off|of|on|in|"
        rf"for|that|and|[\w-]+ (?:from|off|of))|[,.;!?]|$)",
        r"^.{2,120}? of (?:its|their|the|all|any)(?: \w+)? (?:tags?|labels?)\b",
        rf"^(?:the )?{QUOTED}(?: (?:tags?|labels?))? (?:from|off)\b",
    ),
    frame(
        "Label",
        "exchange replace swap change switch substitute trade",
        rf"^{NAMED}(?:tags?|labels?)\b",
        r"^.{2,120}'s? (?:tags?|labels?) (?:for|by|with|to|into)\b",
    ),
    frame(
        "Label",
        "add put attach apply give stick assign set use append affix slap pin provide hang get "
        "have grant write leave keep need",
        rf"^(?:it |them |.{{2,160}}? )?(?:only |just |nothing but )?(?:an? |the |this |that |"
        rf"these |those |some |one |another |my |its |their )(?:(?:fitting|suitable|usual|right|"
        rf"proper|same|new|good|matching|appropriate|[\w-]+) )?(?:tags?|labels?|categor(?:y|"
        rf"ies))(?= {OPENING}| (?:on|to|for|of|as|[\w-]+)\b|[,.;!?:]|$)",
        r"^(?:the )?(?:tags?|labels?)\b",
    ),
    frame(
        "Label",
        "file sort put organise organize group move place order arrange classify break divide "
        "separate list collect store save keep",
        rf"\b(?:under|in(?:to)?|as|among|with) (?:the )?(?:(?:tag|label|category|heading|class|"
        rf"group|folder|section)s? )?{QUOTED}",
        r"\b(?:under|in(?:to)?|by) (?:the |a |an |two |three |different |"
        r"separate )?(?:\w+ )?(?:categor(?:y|ies)|headings?|classes|labels?|tags?)\b",
    ),
    frame(
        "Label",
        "set change make put turn switch move bring adjust",
        r"^(?:(?:the|its|their|both|all) )*(?:status|state|stage)(?:es|s)?\b",
        r"^.{2,120}'s? (?:status|state)\b",
        rf"\bto (?:the )?(?:status|state) {QUOTED}",
    ),
    frame(
        "Label",
        "find have see",
        rf"\bunder {QUOTED}.{{0,40}}?\b(?:in future|from now on|next time|later on)\b",
    ),
    frame("Label", "put set enter write", rf"{QUOTED} as (?:the|their|its|an?)\b"),
    frame(
        "Label",
        "make",
        rf"{QUOTED} (?:the|their|its|an?) (?:only |sole |new )?(?:tag|label|status|state)\b",
    ),
    frame(
        "Label",
        "provide equip furnish supply",
        r"\bwith (?:the |an? )?(?:\w+ )?(?:tags?|labels?)\b",
    ),
    frame(
        "Label",
        "let make see",
        r"\b(?:have|get|carry|bear) (?:the |an? )?(?:tags?|labels?|status|state)\b",
    ),
    frame("Label", "highlight", rf"\b(?:as|with|in) (?:the |a )?(?:\w+ )?{QUOTED}"),
    frame("Label", "stop", r"^(?:tagging|labell?ing|marking|flagging)\b"),
    # --- how long it is kept
    frame(
        "Expire",
        "set give put allow grant assign add schedule attach",
        rf"^(?:it |them |.{{2,160}}? )?(?:an? |the |its |their |{COUNT} )(?:[\w-]+ "
        rf"){{0,2}}?(?:expir\w+|"
        r"end date|shelf life|lifetimes?|life ?span|time limit|ttl|use-by date|best-before date)",
        r"\bto live(?=[,.;!?]|$| (?:and|then)\b)",
        rf"^(?!me |us ).{{2,160}}? (?<!last )(?<!past )(?:{COUNT} more|another|"
        rf"{COUNT}) {UNIT}(?=[,.;!?]|$| more| longer)",
        r"\bto (?:expire|lapse|self-destruct|run out|disappear|be (?:deleted|removed))\b",
    ),
    frame(
        "Expire",
        "let have make get allow cause set",
        r"^(?:.{2,160}? )?(?:to )?(?:expire|lapse|run out|time out|self-destruct)(?= (?:in|on|at|"
        r"after|by|as|once|when|from|automatically|next|this|tomorrow|then|soon)\b|[,.;!?]|$)",
        r"^(?:.{2,160}? )?(?:disappear|vanish|die|fade|be gone|go(?: away)?) (?:in|after|on|next|"
        r"at|tomorrow) ?",
    ),
    frame(
        "Expire",
        "keep hold retain preserve need want leave maintain",
        r"\b(?:only |just )?(?:until|till|up to|through(?: to)?|no later than)\b",
        rf"\bfor (?:only |just |no (?:more|longer) than |at most |up to |about )?{WHILE}(?! ago)",
        r"\b(?:no|not(?: any)?) longer than\b|\bnot beyond\b|\bas long as\b",
    ),
    frame(
        "Expire",
        "store save record note",
        rf"^(?:only )?(?:{THEM}|(?:all |the |my |these |those )*{THINGS}\b.{{0,80}}?) (?:only "
        rf")?(?:until|till|for {LENGTH})",
    ),
    frame(
        "Expire",
        "delete remove drop forget discard erase clear throw archive get wipe purge bin dump "
        "hide trash destroy anonymise anonymize",
        r"\bautomatically\b",
        rf"\b(?:in|within) {LENGTH}(?=[,.;!?]|$| (?:from now|time|at|or)\b)",
        rf"\bafter {LENGTH}",
        r"^(?:it|them|this|that|those|these|all of them) (?:on (?:\d|the \d|mon|tues|wednes|"
        r"thurs|fri|satur|sun|new year)|tomorrow|tonight|next|at|by|when|once|as soon as|this)",
    ),
    frame(
        "Expire Delete",
        "delete remove drop forget discard erase clear throw get wipe purge bin dump trash destroy",
        r"\b(?:at|by) the end of (?:the|this|next|\w+)|\b(?:once|as soon as|when|after|on|"
        r"by) (?:it|they|that|this|next|tomorrow)\b",
        r"\bafter (?:the |this |next )?(?:weekend|week|month|year|holidays?|summer|winter|spring|"
        r"autumn|easter|christmas)(?=[,.;!?]|$)",
    ),
    frame(
        "Expire",
        "limit restrict cap",
        r"\b(?:life|lifetime|lifespan|life span|validity|retention)\b",
    ),
    frame("Expire", "anonymise anonymize", r""),
)
