"""English frames for what is done with memories: weighed, shortened, joined, deleted, shown.

What is quoted is one mark in these patterns; each is searched in what follows the verb.
"""

from __future__ import annotations

from text2mem.planner.evidence.text import OPENING
from text2mem.planner.heads.english_words import (
    BRIEFLY,
    DIGEST,
    END,
    LOW,
    MUCH,
    ONE_THING,
    THINGS,
    TOP,
)
from text2mem.planner.heads.model import frame

HANDLING = (
    # --- how important it is
    frame(
        "Promote",
        "set change make raise give put turn treat adjust move bump bring push assign update "
        "increase have keep place rank handle consider regard rate get lift pull promote let",
        rf"\b{TOP}[- ](?:priority|importance|urgency|weight)\b",
        rf"\b(?:priority|importance|urgency|weight)(?: level)?\b.{{0,120}}?\b(?:to|as|at|of|"
        rf"up) (?:the )?(?:{TOP}|0?\.[5-9]\d*|1(?:\.0+)?)\b(?! {OPENING})",
        r"\bmore (?:important|weight|prominent|urgent|visible|attention)\b",
        r"\bto the (?:very )?(?:top|front|fore|head)\b|\b(?:at|on) (?:the )?(?:very )?top\b|"
        r"\btop of\b",
        r"\b(?:as|to) (?:(?:be )?(?:the |very |most |more |extremely |particularly )*)"
        rf"(?:{TOP}|important|urgent|essential|crucial|vital|a priority){END}",
        rf"\bup{MUCH}",
        r"\b(?:appear|come|rank|stand|be|show up|go) (?:first|before|above|at the top|on top|"
        r"ahead|higher)\b",
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
        "cut send file let drop have keep place rank get tone play scale take rate handle "
        "consider bump hide store stow clear",
        rf"\b(?:{LOW}|less|normal|default|standard|medium)[- ](?:priority|importance|urgency|"
        rf"weight)\b",
        rf"\b(?:priority|importance|urgency|weight)(?: level)?\b.{{0,120}}?\b(?:to|as|at|of|"
        rf"down) (?:the )?(?:{LOW}|normal|default|medium|standard|0?\.[0-4]\d*|0)\b(?! {OPENING})",
        r"\bless (?:important|urgent|weight|prominent|visible)\b|\bunimportant\b",
        rf"\bdown{MUCH}",
        r"\b(?:in|into|to) (?:(?:the|my|cold|deep|a|long-term) )*(?:archives?|storage|"
        r"back(?:ground| burner)?|bottom|drawer|shelf)\b(?! {OPENING})",
        r"\bon (?:the back burner|ice|the shelf)\b|\b(?:away|aside|to one side)(?=[,.;!?]|$|"
        r" for\b)",
        r"\bout of (?:the way|sight|view|my way|my sight)\b",
        rf"\b(?:as|to) (?:the )?{LOW}{END}",
        r"\b(?:lower|last|further down)(?=[,.;!?]|$| than\b| in\b)",
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
        "give write make create generate prepare compile provide produce draft draw get need "
        "want put tell say explain describe pull have do send read offer build show see hear use "
        "find like love",
        rf"^(?:me |us |him |her |up |together |out )*(?:an?|another|one|some) (?:[\w-]+,? "
        rf"){{0,3}}?{DIGEST}",
        rf"{BRIEFLY}",
        r"\bup to (?:speed|date)\b",
        r"^(?:me |us )?(?:an? )?(?:(?:rough|general|quick|broad|first) )?(?:idea|picture|"
        r"impression|sense) of\b",
        r"^(?:me |us )?(?:briefly|shortly|roughly|in (?:a few|one|two|three) (?:words?|"
        r"sentences?|lines?))\b",
    ),
    frame(
        "Summarize",
        "see hear know learn show tell give get read have remind",
        r"^(?:me |us )?(?:of )?(?:the|its|their) (?:very )?(?:gist|essence|upshot|bottom line|"
        r"highlights|(?:main|key|central|essential|most important|crucial) (?:points?|takeaways?|"
        r"facts?|ideas?|messages?|findings?|things?))\b",
    ),
    frame(
        "Summarize",
        "let",
        rf"^(?:me |us )(?:have |see |get |know )(?:an?|the) (?:[\w-]+ ){{0,2}}?{DIGEST}",
    ),
    frame(
        "Summarize",
        "give write make create generate prepare compile provide produce draft draw tell read "
        "put pull extract list",
        rf"^(?:me |us |up |together |out )*(?:the |its |their )(?:[\w-]+,? ){{0,3}}?{DIGEST}",
        r"^(?:me |us )?what .{2,120}? (?:boils? down to|comes? down to|amounts? to|in short)",
    ),
    frame(
        "Summarize",
        "combine merge consolidate compile collect bring gather turn make condense put shorten "
        "boil reduce roll pack pull distil distill compress edit rewrite",
        rf"\b(?:in)?to (?:an?|one|a single) (?:[\w-]+,? ){{0,3}}?(?:{DIGEST}|report\b|paragraph\b|"
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
        r"\b(?:sentence|paragraph|topic|line) by\b|\b(?:by|per|after (?:each|"
        r"every)) (?:\w+ )?(?:sentences?|paragraphs?|topics?|chunks?|characters?)",
    ),
    frame(
        "Split",
        "break cut chop slice split divide separate",
        r"\bup\b",
        r"\bby (?!half\b|\d|an?\b|the\b)[a-z]+(?=[,.;!?]|$)",
    ),
    frame(
        "Split",
        "make turn create put write form",
        r"^(?!.*\b(?:in)?to (?:one|a single)\b).*?\b(?:several|separate|individual|short|small|"
        r"shorter|smaller|many|two|three|four|five)(?: \w+)? "
        rf"(?:{THINGS}|pieces|parts|chunks)(?! into)",
        rf"^(?:.{{2,120}} )?(?:one|a|an own) {THINGS} (?:for |per |of |out of )(?:each|every|a)? ?"
        r"(?:sentence|paragraph|topic|line|point)",
        rf"(?:one|a) {THINGS} (?:for|of|out of|per) each\b",
        r"\binto (?:[\w-]+ )?(?:pieces|parts|chunks|sentences|notes|entries|"
        r"memories)\b(?! (?:about|on|of)\b)",
    ),
    frame(
        "Merge",
        "put bring make turn roll collapse lump pull move fold take add append attach include "
        "pack draw integrate incorporate form tie glue",
        rf"\b(?:in)?to {ONE_THING}|\btogether(?=[,.;!?]|$| (?:in|into|as|with|and)\b)",
        rf"\b(?:one|a single) {THINGS} (?:out )?of\b",
        r"^(?:them|these|those|both|all)(?: all)? one\b",
        rf"^(?:the|my|these|those) .{{2,80}}? with the (?:{THINGS})\b",
        r"^(?:just |only )?(?:one|a single one) (?:out )?of (?:it|them|these|those|both)\b",
        rf"^(?:the |my |this |that )?{THINGS}\b.{{2,120}}? (?:in)?to (?:the |my |that |"
        rf"this )(?:same )?(?:{THINGS}|one)\b",
        rf"^(?:it|them|this|those|these) (?:in)?to (?:the |my |that )(?:{THINGS}|one)\b",
        r"\bpart of (?:the|my|that)\b",
    ),
    frame(
        "Merge",
        "put place move collect gather bring keep have store",
        rf"\bin(?:to)? (?:with )?(?:just |only )?(?:one|a single|the same|the|my|"
        rf"that) (?:{THINGS}|place)\b",
        rf"\bunder (?:one|a single|the) (?:{THINGS}|roof)\b",
    ),
    # --- gone
    frame(
        "Delete",
        "get throw clear clean do wipe let make say take cross strike leave send put move cast "
        "toss see",
        r"^(?:it |them |.{2,120}? )?(?:rid of|away with)\b",
        r"^(?:(?:it|them|those|these|all|everything) )?(?:out|away|off|up)\b(?! of the way)",
        r"^(?:goodbye|farewell) to\b|\bfrom (?:my|the|your) (?:memory|records)\b",
        r"^go of\b|\bdisappear\b|\bvanish\b|^no trace\b",
        r"^.{2,160}? go(?=[,.;!?]|$)|\b(?:in|into|to) (?:the )?(?:bin|trash|rubbish|wastebasket|"
        r"dustbin)\b",
        r"^(?:.{2,160}? )(?:out|away)(?=[,.;!?]|$)",
    ),
    frame(
        "Delete",
        "have get",
        r"^(?:nothing|no (?:more )?\w+) (?:about|on|of)\b.{0,80}\bleft\b",
    ),
    # --- shown
    frame(
        "Update",
        "add append insert write make put set include",
        r"^to (?:the|my|that) (?:note|memory|entry)\b|\bto (?:the|my|that) (?:note|entry|"
        r"memory) (?:about|on|of)\b",
        r"\bin (?:the|my|that) (?:note|entry|memory) (?:about|on|of)\b",
    ),
    frame(
        "Update",
        "set change move put adjust shift make turn correct",
        r"^(?:the |its |their |his |her )(?:\w+ )?(?:location|place|date|time|day|subject|topic|"
        r"text|type|wording|title|name|source|value|content|number|address|amount|price)s?\b",
        r"^.{2,120}'s? (?:location|place|date|time|subject|topic|text|type|wording|title|source)\b",
        r"\bso (?:that )?(?:it|they) (?:says?|reads?)\b|\b(?:say|read)s?(?=:? )",
    ),
    frame(
        "Retrieve",
        "look check go ask hunt dig come bring call pull pick read search",
        r"^(?:.{2,80}? )?(?:up|out|at|for|into|through|over|whether|if|on|back)\b",
    ),
    frame("Retrieve", "tell give get let hand send pass", r"^(?:me|us|him|her)\b"),
    frame(
        "Retrieve",
        "have take",
        r"^(?:an? )?(?:\w+ )?(?:look|glance|peek)\b|^(?:i|we|you)\b",
    ),
    frame(
        "Retrieve",
        "get bring see hear know",
        rf"^(?:all|every|the|my|any|these|those|what|{THINGS})\b",
    ),
)
