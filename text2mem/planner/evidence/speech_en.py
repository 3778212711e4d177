"""English pronouns, the focus and language of a summary, and conditions."""

from __future__ import annotations

import re

from text2mem.planner.evidence.flags_en import THINGS
from text2mem.planner.evidence.rows import Row, Words, constant
from text2mem.planner.evidence.text import HIDDEN, english, phrase

_AFTER_IT = (
    r"(?=\s{0,3}(?:[.,;:!?)]|$)|\s{1,3}(?:and|or|then|too|again|as|please|in|into|to|"
    "until|till|for|with|by|at|on|up|"
    "down|off|out|from|under|the|a|so|but|if|all|both|over|away|back|back?wards|next|"
    "now|read|append|only|expire|"
    "lapse|private|public|tomorrow|every|each|after|before|when|once|permanently|"
    "instead|also|carry|important|"
    r"high|low|urgent|top|archived|be|go|shorter|easier|have|fit)(?![a-z]))"
)
_TO_END = (
    rf"[^,.;:!?\n{HIDDEN}]{{2,120}}?(?=\s{{1,3}}(?:and|then|in|within|but) (?:then |"
    "also )?(?:tag|label|lock|archive|delete|set|give|mark|at most|no more|save|store|"
    rf"\d)|\s{{0,3}}(?:[,.;:!?\n{HIDDEN}]|$))"
)
_SUMMARY = re.compile(
    "summar|digest|condens|recap|overview|boil|gist|main points|sum up|outline|brief|"
    "write|answer|reply|tell"
)

ENGLISH_SPEECH = (
    # what a summary is about, and in which language
    Row(
        "focus",
        phrase(
            "(?<![a-z])(?:above all(?: on| about)?|with (?:an eye|a view|special attention|"
            "particular attention|attention) (?:to|on)|(?:especially|particularly|"
            "in particular|notably|chiefly|primarily)(?: on| about| the part about)?|"
            "(?:with )?(?:a |the |special |particular |main )?(?:focus(?:s?ing|s?ed)?|emphasis|"
            "stress|accent)(?: (?:is|should be|being))? (?:on|upon)|(?:focus|concentrate|"
            "concentrating|centred|centered|zooming in) on|pay(?:ing)? (?:special |"
            "particular )?attention to|highlighting|stressing|emphasi[sz]ing|mainly(?: on|"
            f" about)?) (?P<said>{_TO_END})"
        ),
        Words(),
    ),
    Row(
        "language",
        english(r"in english|english (?:please|version|summary)"),
        constant("en"),
        _SUMMARY,
    ),
    Row(
        "language",
        english(
            "in (?:simplified |traditional )?(?:chinese|mandarin)|chinese (?:please|version|"
            "summary)"
        ),
        constant("zh"),
        _SUMMARY,
    ),
    # what was spoken of before
    Row(
        "pronoun",
        english(
            rf"(?<!see to )(?P<said>it|them){_AFTER_IT}(?! (?:if you|is|was|that nobody))".replace(
                "(?<!see to )", r"(?<!see\x20to\x20)(?<!help\x20)(?<!does\x20)"
            )
        ),
        lambda found: found["said"],
    ),
    Row(
        "pronoun",
        english(
            r"(?P<said>those|these)(?=\s{0,3}(?:[.,;:!?)]|$)|\s{1,3}(?:two|three|as|too|again|"
            "please|into|to|until|till|for|with|by|up|down|off|out|under|so|all|now|and|then|"
            "in|at|away)(?![a-z]))(?! (?:in|from|of|with|at) (?:the|my|our|last|this))"
        ),
        lambda found: found["said"],
    ),
    Row(
        "pronoun",
        english(
            "(?P<said>(?:that|this|the same|the last|the other|the former|the latter|"
            f"the newest|the latest|the most recent|the previous|the first) (?:one|{THINGS})|"
            f"(?:those|these) (?:ones|{THINGS})|the same ones?|the former|the latter|"
            "both(?: of (?:them|those|these))|all of (?:them|those|these)|the (?:two|three|"
            f"others?)){_AFTER_IT}(?! (?:on|from|in|to) (?:the|my|our|their|your|"
            f"[a-z]{{1,12}}day))(?! with (?:the )?(?:tag|status|label))"
        ),
        lambda found: " ".join(found["said"].split()),
    ),
    Row(
        "pronoun",
        english(
            "(?:delete|forget|lock|unlock|archive|erase|remove|tag|label|undo|merge|split|"
            "store|save|keep|show me|summari[sz]e|update|change|do|restore) (?P<said>that|"
            r"this)(?=\s{0,3}(?:[.,;:!?)]|$)|\s{1,3}(?:again|too|as|please|until|for|with|now|"
            "and|then|in|at|under|to)(?![a-z]))"
        ),
        lambda found: found["said"],
    ),
    Row(
        "latest",
        english(
            "(?:the|my|your) (?:very )?(?:last|latest|newest|most recent|freshest) (?:one|note|"
            "memory|entry|record|thing(?: i (?:said|told you|saved|noted))?)(?!s)"
        ),
        constant("newest"),
    ),
    Row(
        "latest",
        english(
            "(?:what|the one|the note|whatever) i (?:just|last) (?:said|told you|saved|noted|"
            "stored|wrote|added)"
        ),
        constant("newest"),
    ),
    # conditions
    Row(
        "condition",
        phrase(
            r"(?:^|(?<=[\s,;.:]))(?P<said>(?:but )?(?:only )?(?:if|unless|in case|"
            "provided(?: that)?|providing|as long as|so long as|assuming(?: that)?|"
            "on condition that|where (?:some|any|one|all)|should (?:you find|there be|any|"
            "some))(?! (?:you (?:could|can|would|will|don't mind|please|like|wouldn't mind)|"
            "i (?:asked?|may|could|might)|possible|need be|so[,.]|not[,.]|that's (?:ok|okay|"
            rf"possible|alright)))(?![a-z]) [^;!?\n{HIDDEN}]{{1,200}}?[^,\s])(?=, (?:then |"
            f"please |i |i'd |could |can |it |do |set |[a-z]{{3,11}} (?:it|them|that|those|my|"
            r"the|all|down|up|me|their|its|off)(?![a-z]))|,? then (?!(?:he|she|they|it|we)\b)|"
            rf",? ?[.;!?\n{HIDDEN}]|, [a-z]|$)"
        ),
        Words(),
    ),
)
