"""English verbs that ask for something: what each means, and what its object makes of a weak one.

Frames are tried in order on what follows the verb; a verb that no frame takes means what the table
of plain verbs says. What is quoted is one mark in these patterns.
"""

from __future__ import annotations

from text2mem.planner.evidence.text import OPENING
from text2mem.planner.heads.model import QUOTED, frame

_THE = (
    r"(?:(?:the|an?|any|all(?: of)?|every|each|its|their|his|her|my|our|this|that|these|those|some|"
    r"another|both|no|of|old|usual|right|wrong|existing|current|previous|other|more|further) )*"
)
_NAMED = rf"(?:{_THE}(?:{QUOTED} |[\w-]{{1,20}} )?)"
"""Articles, and one word or name at most: what stands between a verb and the head of its object."""
_THINGS = r"(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?|items?|ones?|things?|documents?|logs?)"
_THEM = r"(?:it|them|this|that|those|these|everything|all of (?:it|them|those|these)|both)"
_END = (
    r"(?=[,.;!?)]|$| (?:please|again|now|for (?:me|us)|on|of|in|to|from|at|until|too|as|so|with)\b)"
)
_COUNT = (
    r"(?:\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty|a few|"
    r"a couple of|some|several|half an?|the (?:next|coming|rest of the)|another|this)"
)
_UNIT = r"(?:minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|quarters?|years?)\b"
_WHILE = rf"(?:(?:{_COUNT} )?(?:[\w-]{{1,12}} )?(?:{_UNIT}|while\b|time\b|bit\b)|now\b)"
_LENGTH = rf"{_COUNT} (?:more |full |whole |or (?:so|two) |{_COUNT} )?{_UNIT}"
_DAYS = (
    r"(?:days?|weeks?|weekdays?|weekends?|months?|quarters?|years?|mornings?|evenings?|nights?|"
    r"hours?|afternoons?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|"
    r"may|june|july|august|september|october|november|december)"
)
_AGAIN = (
    rf"\b(?:every|each) (?:(?:other|second|third|fourth|last|first|single|\d{{1,2}}) )?{_DAYS}"
    r"(?= (?:at|on|until|till|from|in|for|starting|beginning|again|and|or|\d)\b|[,.;!?]|$)",
    r"\bon the (?:\d{1,2}(?:st|nd|rd|th)?|first|last) (?:day )?of (?:every|each|the) (?:month|"
    r"year)",
    r"\b(?:daily|weekly|monthly|quarterly|yearly|annually|regularly|periodically|repeatedly|"
    r"(?:once|twice) an? (?:day|week|month|year)|(?:every )?now and (?:then|again)|on (?:mon|tues|"
    r"wednes|thurs|fri|satur|sun)days|from time to time)" + _END,
)
"""How a reminder says that it comes again and again."""
_TOP = r"(?:top|high(?:er|est)?|max(?:imum|imal)?|utmost|urgent|critical|first|p0|p1)"
_LOW = r"(?:low(?:er|est)?|min(?:imum|imal)?|least|lesser|bottom|p3|p4)"
_MUCH = (
    r"(?=[,.;!?)]|$| (?:by|a (?:bit|lot|little|notch|good deal)|quite|considerably|slightly|"
    r"somewhat|"
    r"much|far|to the|in (?:the|my)|the (?:list|ranking|order)|some|please|again|further|as|now)\b)"
)
_CHANGE = r"(?:chang|edit|modif|alter|touch|delet|overwrit|rewrit|tamper|remov|writ|updat)\w*"
_DIGEST = (
    r"(?:summar(?:y|ies)|overviews?|digests?|recaps?|gist|run-?downs?|outlines?|synops[ie]s|"
    r"abstracts?|"
    r"briefings?|resum[eé]|highlights|(?:main|key|central|essential|important) (?:points|takeaways|"
    r"facts|ideas|"
    r"messages?|findings)|essentials?|essence|bottom line|nutshell version|tl;?dr|short version)\b"
)
_BRIEFLY = (
    r"\bin (?:short|brief|a nutshell|a few (?:words|lines|sentences)|one (?:paragraph|sentence))"
)
_BACK = r"\bback(?= (?:from|out|into|in|to|please|again|where)\b|[,.;!?)]|$)"
_BIN = (
    r"(?:archives?|(?:recycle |recycling |dust)?bin|trash(?: can)?|rubbish|wastebasket|"
    r"deleted ones)"
)
_ONE_THING = r"(?:one|a single|the same)\b"

FRAMES = (
    # --- stored, brought back, no longer due
    frame(
        "Encode",
        "make take keep add leave create write jot put enter start open",
        r"^(?:me |us )?(?:an? |another )(?:(?:quick|new|short|brief|little|mental|fresh|"
        r"separate) )*"
        r"(?:note|memo|record|memory|entry)\b(?! (?:read|append|out of|per|for each))(?: that| of|"
        r" to)?",
    ),
    frame(
        "Encode",
        "add enter put include commit write insert note",
        r"^(?:that\b|to (?:my|the|your) (?:notes|memory|records|diary|list)\b)",
        r"\b(?:in)?to (?:my |your )?(?:notes|memory|records)(?=[,.;!?]|$)",
    ),
    frame("Encode", "take make", r"^(?:a )?note(?: that| of)\b"),
    frame("Encode", "bear keep", r"^(?:it )?in mind(?: that)?"),
    frame(
        "Encode", "put jot note take write set get", r"^(?:this |that |it )?(?:down|on record)\b"
    ),
    frame("Encode", "know let", r"^(?:that|it be (?:noted|known|recorded) that)\b"),
    frame(
        "Update",
        "stop cancel drop remove delete switch turn get "
        "clear kill disable end take lift call undo revoke "
        "reverse retract rescind withdraw",
        rf"^(?:off |out |rid of |away )?{_NAMED}(?:reminders?|reminding|alarms?|notifications?|"
        rf"expiry|"
        rf"expiration|end dates?|time limits?|due dates?|deadlines?)\b(?! (?:notes?|policy|lists?|"
        rf"tags?))",
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
        r"after all|"
        r"without (?:an? |any )?(?:end|expiry|expiration|time limit)\b)",
    ),
    frame(
        "Update",
        "bring get take put fetch pull move have fish dig let save rescue return restore want",
        rf"^(?!me |us )(?:.{{2,160}}? )?(?:{_BACK}|out of (?:the |my )?{_BIN})",
        rf"^{_BACK}",
    ),
    frame("Update", "let make", r"\b(?:not|never|no longer) (?:expire|lapse|run out|go away)"),
    frame("Update", "let have make", rf"\b(?:say|read)s?:? {QUOTED}", r"\bsay instead\b"),
    frame("Update", "put write use say make", r"\b(?:instead|in place|rather) (?:of|than)\b"),
    # --- asked for again and again
    frame(
        "Retrieve",
        "remind",
        r"^(?:me|us),? (?:again )?(?:,? ?)(?:what|who|where|which|how|why|whether|if|whose)\b",
    ),
    frame(
        "Promote Encode", "remind", r"^(?:me|us) (?:to (?!look|see|read|go|review|check)|that\b)"
    ),
    frame(
        "Promote",
        "set add create give schedule put have arrange make plan send",
        rf"^(?:me |us |up )*{_NAMED}reminders?\b",
        r"^.{2,100}? (?:an? |another )?(?:(?:daily|weekly|monthly|yearly|regular|"
        r"recurring) )?reminders?"
        r"(?= (?:for|on|every|at|each|to)\b|[,.;!?]|$)",
    ),
    frame(
        "Promote",
        "show bring tell let give read put send hear see look get have review revisit go present "
        "display pull repeat mention resurface surface find",
        *_AGAIN,
    ),
    frame("Promote", "be", r"^reminded\b"),
    frame("Promote", "ping nudge alert notify prompt poke warn", r"^(?:me|us)\b"),
    # --- who may change it
    frame(
        "Lock",
        "remove lift release drop undo take cancel end clear disable switch",
        rf"^(?:off |away |out )?{_NAMED}(?:locks?|(?:write[- ])?protection|restrictions?|freeze)"
        r"(?= (?:from|on|of|for|off)\b|[,.;!?]|$)",
        r"^.{2,120}?'s? (?:lock|protection)\b",
    ),
    frame(
        "Lock",
        "make set mark put keep turn leave have declare render switch change get",
        r"\b(?:read|append|write)[- ]only\b",
        r"\b(?:editable|changeable|modifiable|writable|immutable|unchangeable|tamper-proof|locked|"
        r"protected|write-protected|frozen|unlocked)(?= (?:again|by|for|until|so|from|to|"
        r"against)\b|"
        r"[,.;!?]|$)",
        r"\bunder lock\b",
        rf"^it (?:impossible|hard) .{{0,60}}?\b{_CHANGE}",
    ),
    frame(
        "Lock",
        "keep",
        r"\b(?:from being|unchanged|untouched|unaltered|intact|safe from|(?:just )?as (?:it is|"
        r"they are)|"
        r"away from (?:anybody|anyone|others)|safe)\b",
    ),
    frame("Lock", "leave", r"\b(?:alone|unchanged|untouched|(?:just )?as (?:it is|they are))\b"),
    frame(
        "Lock",
        "let allow permit",
        r"^(?:nobody|no one|none|nothing|only)\b",
        r"^(?:people|anyone|anybody|others|everyone|everybody|users|us|them) (?:only )?(?:append|"
        r"add)\b",
        rf"\b(?:be )?{_CHANGE}.{{0,40}}\bagain\b",
        r"^(?:only )?(?:additions|edits|changes|editing|changing)\b",
    ),
    frame(
        "Lock",
        "prevent stop forbid block disallow prohibit ban avoid rule",
        rf"\b(?:{_CHANGE}|changes|edits|alterations|modifications|additions)\b",
    ),
    frame(
        "Lock",
        "fix arrange set make lock keep configure",
        r"\bso (?:that )?(?:nobody|no one|none|no-one)\b",
        rf"\bso (?:that )?(?:it|they) (?:can't|cannot|can not|can no longer|won't|"
        rf"may not) be {_CHANGE}",
    ),
    frame(
        "Lock", "open free", r"\bup(?= (?:again|for|to)\b|[,.;!?]|$)", r"\bfor (?:editing|changes)"
    ),
    # --- tags and states
    frame(
        "Label",
        "remove delete drop clear strip take peel erase detach pull scrape get wipe",
        rf"^(?:off |away |rid of )?{_NAMED}(?:tags?|labels?)(?= (?:{OPENING}|from|off|of|on|in|for|"
        rf"that|"
        rf"and|[\w-]+ (?:from|off|of))|[,.;!?]|$)",
        r"^.{2,120}? of (?:its|their|the|all|any)(?: \w+)? (?:tags?|labels?)\b",
        rf"^(?:the )?{QUOTED}(?: (?:tags?|labels?))? (?:from|off)\b",
    ),
    frame(
        "Label",
        "exchange replace swap change switch substitute trade",
        rf"^{_NAMED}(?:tags?|labels?)\b",
        r"^.{2,120}'s? (?:tags?|labels?) (?:for|by|with|to|into)\b",
    ),
    frame(
        "Label",
        "add put attach apply give stick assign set use "
        "append affix slap pin provide hang get have "
        "grant write leave keep need",
        rf"^(?:it |them |.{{2,160}}? )?(?:only |just |nothing but )?(?:an? |the |this |that |"
        rf"these |"
        rf"those |some |one |another |my |its |their )(?:(?:fitting|suitable|usual|right|proper|"
        rf"same|"
        rf"new|good|matching|appropriate|[\w-]+) )?(?:tags?|labels?|categor(?:y|ies))(?= {OPENING}|"
        rf" (?:on|"
        rf"to|for|of|as|[\w-]+)\b|[,.;!?:]|$)",
        r"^(?:the )?(?:tags?|labels?)\b",
    ),
    frame(
        "Label",
        "file sort put organise organize group move place order arrange classify break divide "
        "separate list collect store save keep",
        rf"\b(?:under|in(?:to)?|as|among|with) (?:the )?(?:(?:tag|label|category|heading|class|"
        rf"group|"
        rf"folder|section)s? )?{QUOTED}",
        r"\b(?:under|in(?:to)?|by) (?:the |a |an |two |three |different |separate )?(?:\w+ )?"
        r"(?:categor(?:y|ies)|headings?|classes|labels?|tags?)\b",
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
        "let make see",
        r"\b(?:have|get|carry|bear) (?:the |an? )?(?:tags?|labels?|status|state)\b",
    ),
    frame("Label", "stop", r"^(?:tagging|labell?ing|marking|flagging)\b"),
    # --- how long it is kept
    frame(
        "Expire",
        "set give put allow grant assign add schedule attach",
        rf"^(?:it |them |.{{2,160}}? )?(?:an? |the |its |their |"
        rf"{_COUNT} )(?:[\w-]+ ){{0,2}}?(?:expir\w+|"
        r"end date|shelf life|lifetimes?|life ?span|time limit|ttl|use-by date|best-before date)",
        r"\bto live(?=[,.;!?]|$| (?:and|then)\b)",
        rf"^(?!me |us ).{{2,160}}? (?<!last )(?<!past )(?:{_COUNT} more|another|"
        rf"{_COUNT}) {_UNIT}(?=[,.;!?]|$| more| longer)",
        r"\bto (?:expire|lapse|self-destruct|run out|disappear|be (?:deleted|removed))\b",
    ),
    frame(
        "Expire",
        "let have make get allow cause set",
        r"^(?:.{2,160}? )?(?:to )?(?:expire|lapse|run out|time out|self-destruct)"
        r"(?= (?:in|on|at|after|by|as|once|when|from|automatically|next|this|tomorrow|then|soon)\b|"
        r"[,.;!?]|$)",
        r"^(?:.{2,160}? )?(?:disappear|vanish|die|fade|be gone|go(?: away)?) (?:in|after|on|"
        r"next|at|tomorrow) ?",
    ),
    frame(
        "Expire",
        "keep hold retain preserve need want leave maintain",
        r"\b(?:only |just )?(?:until|till|up to|through(?: to)?|no later than)\b",
        rf"\bfor (?:only |just |no (?:more|longer) than |at most |up to |about )?{_WHILE}(?! ago)",
        r"\b(?:no|not(?: any)?) longer than\b|\bnot beyond\b|\bas long as\b",
    ),
    frame(
        "Expire",
        "store save record note",
        rf"^(?:only )?(?:{_THEM}|(?:all |the |my |these |those )*{_THINGS}\b.{{0,80}}?) (?:only )?"
        rf"(?:until|till|for {_LENGTH})",
    ),
    frame(
        "Expire",
        "delete remove drop forget discard erase clear "
        "throw archive get wipe purge bin dump hide trash "
        "destroy anonymise anonymize",
        r"\bautomatically\b",
        rf"\b(?:in|within) {_LENGTH}(?=[,.;!?]|$| (?:from now|time|at|or)\b)",
        rf"\bafter {_LENGTH}",
        rf"^{_THEM} (?:on|tomorrow|tonight|next|at|by|when|once|as soon as|this)\b",
    ),
    frame(
        "Expire Delete",
        "delete remove drop forget discard erase clear throw get wipe purge bin dump trash destroy",
        r"\b(?:at|by) the end of (?:the|this|next|\w+)|\b(?:once|as soon as|when|after|on|"
        r"by) (?:it|they|"
        r"that|this|next|tomorrow)\b",
        r"\bafter (?:the |this |next )?(?:weekend|week|month|year|holidays?|summer|winter|spring|"
        r"autumn|easter|"
        r"christmas)(?=[,.;!?]|$)",
    ),
    frame(
        "Expire",
        "limit restrict cap",
        r"\b(?:life|lifetime|lifespan|life span|validity|retention)\b",
    ),
    frame("Expire", "anonymise anonymize", r""),
    # --- how important it is
    frame(
        "Promote",
        "set change make raise give put turn treat adjust "
        "move bump bring push assign update increase "
        "have keep place rank handle consider regard rate get lift pull promote",
        rf"\b{_TOP}[- ](?:priority|importance|urgency|weight)\b",
        rf"\b(?:priority|importance|urgency|weight)(?: level)?\b.{{0,120}}?\b(?:to|as|at|of|"
        rf"up) (?:the )?"
        rf"(?:{_TOP}|0?\.[5-9]\d*|1(?:\.0+)?)\b(?! {OPENING})",
        r"\bmore (?:important|weight|prominent|urgent|visible|attention)\b",
        r"\bto the (?:very )?(?:top|front|fore|head)\b|\b(?:at|on) (?:the )?(?:very )?top\b|"
        r"\btop of\b",
        r"\b(?:as|to) (?:(?:be )?(?:the |very |most |more |extremely |particularly )*)"
        rf"(?:{_TOP}|important|urgent|essential|crucial|vital|a priority){_END}",
        rf"\bup{_MUCH}",
        r"\b(?:first|ahead|forward|in (?:view|sight)|at hand)(?=[,.;!?]|$| (?:of|in)\b)",
    ),
    frame("Promote", "push move bump nudge turn", r"^up\b"),
    frame(
        "Demote",
        "push move bump nudge turn tone play scale mark bring put",
        r"^down\b(?! (?:my|the|an?) (?:thoughts?|idea))",
    ),
    frame(
        "Promote",
        "raise increase lift heighten up strengthen add highlight stress emphasise emphasize",
        r"\b(?:importance|urgency|weight|priority|rank\w*)\b",
        r"\bby (?:0?\.\d+|\d+ ?%)",
    ),
    frame(
        "Demote",
        "set change make give put turn treat adjust move push bring assign reduce lower decrease "
        "cut send file let drop have keep place rank get "
        "tone play scale take rate handle consider bump "
        "hide store stow clear",
        rf"\b(?:{_LOW}|less|normal|default|standard|medium)[- ](?:priority|importance|urgency|"
        rf"weight)\b",
        rf"\b(?:priority|importance|urgency|weight)(?: level)?\b.{{0,120}}?\b(?:to|as|at|of|"
        rf"down) (?:the )?"
        rf"(?:{_LOW}|normal|default|medium|standard|0?\.[0-4]\d*|0)\b(?! {OPENING})",
        r"\bless (?:important|urgent|weight|prominent|visible)\b|\bunimportant\b",
        rf"\bdown{_MUCH}",
        r"\b(?:in|into|to) (?:(?:the|my|cold|deep|a|long-term) )*(?:archives?|storage|"
        r"back(?:ground| burner)?"
        r"|bottom|drawer|shelf)\b(?! {OPENING})",
        r"\bon (?:the back burner|ice|the shelf)\b|\b(?:away|aside|to one side)(?=[,.;!?]|$|"
        r" for\b)",
        r"\bout of (?:the way|sight|view|my way|my sight)\b",
        rf"\b(?:as|to) (?:the )?{_LOW}{_END}",
    ),
    frame(
        "Demote",
        "archive",
        r"",
    ),
    frame(
        "Demote",
        "stop",
        r"^(?:showing|bringing up|suggesting|listing|offering|mentioning)\b",
    ),
    # --- made shorter, taken apart, put together
    frame(
        "Summarize",
        "give write make create generate prepare compile "
        "provide produce draft draw get need want put tell "
        "pull have do send read offer build show see hear use find like love",
        rf"^(?:me |us |him |her |up |together |out )*(?:an?|another|one|"
        rf"some) (?:[\w-]+,? ){{0,3}}?{_DIGEST}",
        rf"{_BRIEFLY}",
        r"\bup to (?:speed|date)\b",
        r"^(?:me |us )?(?:an? )?(?:(?:rough|general|quick|broad|first) )?(?:idea|picture|"
        r"impression|sense) of\b",
        r"^(?:me |us )?(?:briefly|shortly|roughly|in (?:a few|one|two|three) (?:words?|sentences?|"
        r"lines?))\b",
    ),
    frame(
        "Summarize",
        "see hear know learn show tell give get find read have",
        r"^(?:me |us )?(?:the|its|their) (?:very )?(?:gist|essence|upshot|bottom line|highlights|"
        r"(?:main|key|central|"
        r"essential|most important|crucial) (?:points?|takeaways?|facts?|ideas?|messages?|"
        r"findings?|things?))\b",
    ),
    frame(
        "Summarize",
        "let",
        rf"^(?:me |us )(?:have |see |get |know )(?:an?|the) (?:[\w-]+ ){{0,2}}?{_DIGEST}",
    ),
    frame(
        "Summarize",
        "give write make create generate prepare compile "
        "provide produce draft draw tell read put pull extract "
        "list",
        rf"^(?:me |us |up |together |out )*(?:the |its |their )(?:[\w-]+,? ){{0,3}}?{_DIGEST}",
        r"^(?:me |us )?what .{2,120}? (?:boils? down to|comes? down to|amounts? to|in short)",
    ),
    frame(
        "Summarize",
        "combine merge consolidate compile collect bring "
        "gather turn make condense put shorten boil "
        "reduce roll pack pull distil distill compress edit rewrite",
        rf"\b(?:in)?to (?:an?|one|a single) (?:[\w-]+,? ){{0,3}}?(?:{_DIGEST}|report\b|paragraph\b|"
        r"few (?:words|lines|sentences))",
    ),
    frame(
        "Summarize",
        "catch fill run walk talk bring get",
        r"^(?:me |us )(?:up|in|through) (?:on|about)?",
    ),
    frame("Summarize", "boil sum wrap cut", r"\bdown\b|^up\b"),
    frame(
        "Split",
        "take pull tear pick",
        r"\bapart\b|\bto pieces\b",
    ),
    frame(
        "Split",
        "break cut chop separate slice saw rip partition",
        r"\b(?:apart|into|to pieces|in (?:two|three|four|half|pieces|parts|chunks))\b",
        r"\b(?:sentence|paragraph|topic|line) by\b|\b(?:by|per|after (?:each|every)) (?:\w+ )?"
        r"(?:sentences?|paragraphs?|topics?|chunks?|characters?)",
    ),
    frame("Split", "break cut chop slice", r"\bup\b", r"\bdown by\b"),
    frame(
        "Split",
        "make turn create put write form",
        r"\b(?:several|separate|individual|short|small|shorter|smaller|many|two|three|four|"
        r"five)(?: \w+)? "
        rf"(?:{_THINGS}|pieces|parts|chunks)(?! into)",
        rf"^(?:.{{2,120}} )?(?:one|a|an own) {_THINGS} (?:for |per |of |out of )(?:each|every|a)? ?"
        r"(?:sentence|paragraph|topic|line|point)",
        r"\binto (?:pieces|parts|chunks|sentences)\b",
    ),
    frame(
        "Merge",
        "put bring make turn roll collapse lump pull move "
        "fold take add append attach include pack draw "
        "integrate incorporate form tie glue",
        rf"\b(?:in)?to {_ONE_THING}|\btogether(?=[,.;!?]|$| (?:in|into|as|with|and)\b)",
        rf"\b(?:one|a single) {_THINGS} (?:out )?of\b",
        r"^(?:them|these|those|both|all)(?: all)? one\b",
        rf"^(?:the|my|these|those) .{{2,80}}? with the (?:{_THINGS})\b",
        r"^(?:just |only )?(?:one|a single one) (?:out )?of (?:it|them|these|those|both)\b",
        rf"^(?:the |my |this |that )?{_THINGS}\b.{{2,120}}? (?:in)?to (?:the |my |that |this )"
        rf"(?:same )?(?:{_THINGS}|one)\b",
        rf"^(?:it|them|this|those|these) (?:in)?to (?:the |my |that )(?:{_THINGS}|one)\b",
        r"\bpart of (?:the|my|that)\b",
    ),
    frame(
        "Merge",
        "put place move collect gather bring keep have store",
        rf"\bin(?:to)? (?:with )?(?:just |only )?(?:one|a single|the same|the|my|"
        rf"that) (?:{_THINGS}|place)\b",
        rf"\bunder (?:one|a single|the) (?:{_THINGS}|roof)\b",
    ),
    # --- gone
    frame(
        "Delete",
        "get throw clear clean do wipe let make say take "
        "cross strike leave send put move cast toss see",
        r"^(?:it |them |.{2,120}? )?(?:rid of|away with)\b",
        r"^(?:(?:it|them|those|these|all|everything) )?(?:out|away|off|up)\b(?! of the way)",
        r"^(?:goodbye|farewell) to\b|\bfrom (?:my|the|your) (?:memory|records)\b",
        r"^go of\b|\bdisappear\b|\bvanish\b|^no trace\b",
        r"^.{2,160}? go(?=[,.;!?]|$)|\b(?:in|into|to) (?:the )?(?:bin|trash|rubbish|wastebasket|"
        r"dustbin)\b",
        r"^(?:.{2,160}? )(?:out|away)(?=[,.;!?]|$)",
    ),
    frame("Delete", "have get", r"^(?:nothing|no (?:more )?\w+) (?:about|on|of)\b.{0,80}\bleft\b"),
    # --- shown
    frame(
        "Update",
        "set change move put adjust shift make turn correct",
        r"^(?:the |its |their |his |her )(?:\w+ )?(?:location|place|date|time|day|subject|topic|"
        r"text|type|"
        r"wording|title|name|source|value|content|number|address|amount|price)s?\b",
        r"^.{2,120}'s? (?:location|place|date|time|subject|topic|text|type|wording|title|source)\b",
        r"\bso (?:that )?(?:it|they) (?:says?|reads?)\b|\b(?:say|read)s?(?=:? )",
    ),
    frame(
        "Retrieve",
        "look check go ask hunt dig come bring call pull pick read search",
        r"^(?:.{2,80}? )?(?:up|out|at|for|into|through|over|whether|if|on|back)\b",
    ),
    frame("Retrieve", "tell give get let hand send pass", r"^(?:me|us|him|her)\b"),
    frame("Retrieve", "have take", r"^(?:an? )?(?:\w+ )?(?:look|glance|peek)\b|^(?:i|we|you)\b"),
    frame(
        "Retrieve",
        "get bring see hear know",
        rf"^(?:all|every|the|my|any|these|those|what|{_THINGS})\b",
    ),
)
"""Frames by the verbs that they take; the first that is met decides."""

PLAIN: dict[str, str] = {
    "Encode": "remember memorise memorize note save store record log jot document capture register "
    "retain enter input insert create write preserve "
    "memo transcribe encode track notate keep commit",
    "Update": "change correct update edit revise rewrite "
    "rename amend modify adjust fix replace alter "
    "refresh append extend expand reword rephrase substitute overwrite shift reschedule postpone "
    "restore recover undelete unarchive reactivate revive reinstate complete supplement mend swap "
    "exchange",
    "Label": "highlight tag label mark flag classify categorise "
    "categorize untag unlabel annotate retag relabel",
    "Promote": "promote prioritise prioritize boost raise elevate pin upgrade escalate emphasise "
    "emphasize star upvote increase bump favour favor remind stress strengthen lift",
    "Demote": "demote archive deprioritise deprioritize lower "
    "downgrade reduce decrease shelve mute "
    "downplay mothball minimise minimize relegate retire park tuck stow hide bury",
    "Merge": "merge combine consolidate unify join unite "
    "fuse integrate amalgamate deduplicate dedupe "
    "fold pool blend",
    "Split": "split divide separate segment chunk partition",
    "Delete": "forget delete erase remove discard wipe purge "
    "drop clear scrap destroy trash eliminate "
    "unlearn omit strip empty expunge bin dump ditch toss shred chuck scrub obliterate dispose",
    "Lock": "lock unlock protect freeze secure seal safeguard "
    "guard unfreeze restrict unprotect unseal "
    "relock thaw",
    "Expire": "expire",
    "Retrieve": "find show list search retrieve fetch get "
    "locate display query recall review check see "
    "view read gather collect identify lookup present "
    "browse tell give look open print consult hear "
    "count know enumerate explore name recite revisit reveal inspect",
    "Summarize": "summarize summarise condense recap outline digest extract distil distill brief "
    "synthesize synthesise generate abridge sum summary overview shorten compress",
}
OPEN: dict[str, str] = {
    "set": "Update Promote Label",
    "make": "Update Promote Lock",
    "move": "Update Demote Merge",
    "put": "Encode Label Demote",
    "add": "Encode Update Label",
    "cancel": "Delete Update",
    "compile": "Summarize Retrieve",
    "organize": "Label Summarize",
    "organise": "Label Summarize",
    "assign": "Label Promote",
    "file": "Label Encode",
    "sort": "Label",
    "group": "Label",
    "undo": "Update Lock",
    "take": "Update Label Demote",
    "stop": "Lock Update",
    "prevent": "Lock",
    "forbid": "Lock",
    "block": "Lock",
}
"""Verbs that alone can mean one of several ops."""
IRREGULAR = {
    "put": "put", "set": "set", "cut": "cut", "split": "split", "kept": "keep", "left": "leave",
    "made": "make", "given": "give", "taken": "take", "brought": "bring", "shown": "show",
    "hidden": "hide", "found": "find", "sent": "send", "told": "tell", "thrown": "throw",
    "forgotten": "forget", "frozen": "freeze", "unfrozen": "unfreeze", "written": "write",
    "rewritten": "rewrite", "broken": "break", "torn": "tear", "held": "hold", "read": "read",
    "got": "get", "gotten": "get", "seen": "see", "stuck": "stick", "overwritten": "overwrite",
    "drawn": "draw", "rid": "rid", "let": "let", "spoken": "speak", "hung": "hang", "heard": "hear",
}  # fmt: skip
"""Participles that are not made with -ed."""
