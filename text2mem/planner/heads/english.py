"""Heads in English: politeness is taken off, then rules are tried in order; the first one decides.

A rule is a pattern and the ops that it can mean. Rules of the first table look at the whole clause,
because a weak verb ("set", "put", "make") means what its object makes of it; those of the second
look at the first word; those of the third are for clauses without an imperative ("X is urgent").
"""

from __future__ import annotations

import re

Rule = tuple[re.Pattern[str], tuple[str, ...]]

_OPENERS = re.compile(
    r"(?:(?:please|kindly|just|now|also|then|next|first(?:ly)?|second(?:ly)?|finally|lastly|"
    r"after that|afterwards|and|so|ok(?:ay)?|hey|hi|well|next thing|one more thing|by the way|"
    r"go ahead and|be so kind as to|"
    r"(?:can|could|would|will|might|may) (?:you|i ask you to|i trouble you to)(?: please| kindly)?|"
    r"would you mind|do me a favou?r and|"
    r"(?:i|we)(?:'d| would| want| need|'ll need)(?: really)?(?: like| love)?(?: you)? to|"
    r"(?:i|we)(?:'d| would) (?:like|appreciate it if) you(?: to| could)?|"
    r"(?:i|we) (?:want|need) you to|(?:i )?(?:think )?it'?s time to|(?:be sure|make sure|ensure) to|"
    r"help me(?: to)?|let'?s|let us|you should|you (?:can|may)|we (?:should|need to|have to)|"
    r"(?:should|shouldn't|couldn't|can't|won't) you|i have to ask you to|remember to|"
    r"don't forget to|see to it that you|try to|time to)[,:]?\s+)+",
    re.IGNORECASE,
)
_GERUND = re.compile(r"^([a-z]+)ing\b", re.IGNORECASE)


def _rules(*table: tuple[str, str]) -> tuple[Rule, ...]:
    return tuple((re.compile(p, re.IGNORECASE), tuple(ops.split())) for ops, p in table)


_OBJECT = r"[^.;:?!]{0,160}?"
_WHOLE = _rules(
    ("Encode", r"^(?:remember|note|know) that\b|^(?:make|take|keep|add|leave|jot down|write) (?:a |an |me a )?"
               r"(?:quick |new |short )?(?:note|memo|record|memory|entry)\b(?! (?:read|append))|"
               r"^(?:keep|bear) in mind\b|^(?:note|write|jot|take|put) (?:\w+ )?down\b|^for the record\b|"
               r"^never forget that\b|^don'?t (?:let me )?forget that\b"),
    ("Promote", r"^remind\b|^(?:set|add|create|give me|schedule|put)\b[^.;]{0,40}?\breminders?\b|"
                r"^(?:show|bring up|tell)\b[^.;]{0,120}\b(?:again )?(?:every|each) (?:\w+ )?"
                r"(?:day|week|month|year|morning|evening|mon|tue|wed|thu|fri|sat|sun)"),
    ("Update", r"^(?:stop|cancel|drop|remove|delete|switch off|turn off|get rid of)\b[^.;]{0,60}?\b"
               r"(?:remind\w*|alarms?|expir\w*|expiry|deadlines?)\b|^(?:stop|quit) remind|"
               r"^(?:restore|recover|undelete|unarchive|reactivate|revive|reinstate)\b|"
               r"^(?:bring|get|take|put|fetch)\b[^.;]{0,120}?\b(?:back|out of the archive)\b|"
               r"^(?:no longer|don't) (?:let|want)\b[^.;]{0,120}?\b(?:expire|run out|lapse)\b"),
    ("Lock", r"^(?:make sure|ensure|see to it)\b" + _OBJECT + r"\b(?:locked|protected|secured|sealed|frozen|read[- ]only)\b|"
             r"^(?:un)?lock\b|^(?:remove|lift|release|drop|undo|take off|end)\b[^.;]{0,40}?\b"
             r"(?:locks?|protection|write[- ]protection)\b|^(?:take|remove)\b[^.;]{0,40}?\bprotection\b|"
             r"^(?:make|set|mark|put|keep|turn|leave)\b" + _OBJECT + r"\b(?:read|append)[- ]only\b|"
             r"^(?:make sure|ensure|see to it)\b" + _OBJECT + r"\b(?:nobody|no one|none)\b|"
             r"^(?:make sure|ensure|see to it)\b" + _OBJECT + r"\b(?:can(?:'|no)t|cannot|isn't|not|aren't|never|won't)\b"
             r"[^.;]{0,40}?\b(?:change|edit|modif|alter|touch|delet|overwrit|tamper)|"
             r"^(?:prevent|stop|forbid|block|disallow|protect|secure|safeguard|guard|freeze|seal|unfreeze|unprotect)\b|"
             r"^keep\b" + _OBJECT + r"\b(?:from being|unchanged|untouched|safe from|as (?:it|they) (?:is|are))\b|"
             r"^(?:don'?t|do not|never|nobody|no one) (?:let|allow|may|should|can|is allowed|edits?|changes?|touches?)\b"),
    ("Expire", r"^set\b[^.;]{0,20}?\bexpir\w+"),
    ("Label", r"^(?:remove|delete|drop|clear|strip|take|peel|erase|detach)\b" + _OBJECT + r"\b(?:tags?|labels?)\b"
              r"(?: [\"'“][^\"'”]+[\"'”])?(?= (?:from|off|of|on)\b| [\"'“]|$|[.,])|"
              r"^(?:add|put|attach|apply|give|stick|assign|set|use|exchange|replace|swap|change)\b" + _OBJECT +
              r"\b(?:tags?|labels?|categor(?:y|ies))\b|"
              r"^(?:un)?(?:tag|label|flag|mark|classif|categori[sz]|file(?![^.;]*\baway\b))\w*\b|^make sure\b" + _OBJECT +
              r"\b(?:tagged|labell?ed|marked|flagged|classified)\b|"
              r"^stop (?:tagging|labell?ing|marking)\b|^group\b|^(?:sort|organi[sz]e)\b" + _OBJECT + r"\b(?:into|under|by|as)\b"),
    ("Expire", r"^(?:make sure|ensure|see to it)\b" + _OBJECT + r"\b(?:expires?|lapses?|runs? out)\b|"
               r"^set\b[^.;]{0,20}?\bexpir\w+|^(?:let|have|make|set|get|allow)\b" + _OBJECT + r"\b(?:expire|expir\w+|lapse|run out|time out|self-destruct|disappear|go away)\b|"
               r"^expire\b|^(?:give|put)\b" + _OBJECT + r"\b(?:expir\w+|shelf life|lifetime|time limit|ttl|until)\b|"
               r"^(?:keep|hold|store|leave|hold on to|retain)\b" + _OBJECT + r"\b(?:only )?(?:until|till|for (?:\w+ ){0,3}"
               r"(?:minutes?|hours?|days?|weeks?|months?|years?|(?:a )?(?:bit|while)))\b|"
               r"^(?:delete|remove|drop|forget|discard|erase|clear|throw away|anonymi[sz]e|archive|get rid of)\b" + _OBJECT +
               r"\b(?:automatically|in (?:a|an|\d+|two|three|four|five|six|seven|ten|twelve) (?:minutes?|hours?|days?|weeks?|months?|years?)\b|"
               r"after (?:a|an|\d+|two|three|four|five|six|seven|ten|twelve) (?:minutes?|hours?|days?|weeks?|months?|years?)\b|"
               r"(?:at|by) the end of)"),
    ("Promote", r"^(?:set|change|make|raise|give|put|turn|treat|adjust|move|bump|bring|push|assign|update|increase|mark)\b" + _OBJECT +
                r"\b(?:(?:top|high|highest|higher|max\w*|urgent|critical|first) priority|priority (?:of [^.;]{1,80} )?(?:to |as )?(?:the )?"
                r"(?:top|high|highest|higher|max\w*|urgent|critical|p0|p1|up)|more (?:important|weight|prominent)|(?:up|to the top|to the front|first)(?:\b(?! to date))|"
                r"(?:the )?(?:importance|urgency|weight) (?:of|to)|urgent|top of the list)\b(?! as)"),
    ("Demote", r"^(?:set|change|make|give|put|turn|treat|adjust|move|push|bring|assign|mark|reduce|lower|decrease|cut|send|file|let)\b" + _OBJECT +
               r"\b(?:(?:low|lower|lowest|less|minimal) (?:priority|importance|weight)|priority (?:of [^.;]{1,80} )?(?:to |as )?(?:the )?"
               r"(?:low|lower|lowest|down|normal)|less (?:important|urgent|weight|prominent)|down(?: the list)?|"
               r"(?:in|into|to) (?:the |cold )?(?:archives?|storage|bottom|back)|archived|away)\b"),
    ("Summarize", r"^(?:give|write|make|create|generate|prepare|compile|provide|produce|draft|get|show|need|want|put together|tell|turn|pull together)\b" + _OBJECT +
                  r"\b(?:summar\w+|overview|digest|recap|gist|rundown|outline|synopsis|abstract|briefing|main points|key (?:points|takeaways)|in (?:short|brief|a nutshell|a few words))\b|"
                  r"^(?:summ?ari[sz]e|summ?arize|condense|recap|outline|distil+|digest|brief|sum up|boil|extract|synthesi[sz]e|abridge|shorten|compress|wrap up)\b|"
                  r"^(?:what(?:'s| is| are| were)|tell me) the (?:main|key|gist|essence|most important|essential|overall|upshot|bottom line)\b|"
                  r"^(?:combine|merge|consolidate|compile|collect|bring together)\b" + _OBJECT + r"\binto (?:a|one|an) [^.;]{0,30}?(?:summary|report|overview|digest)\b"),
    ("Split", r"^(?:split|divide|separate|partition|segment|chunk|slice|break (?:up|down|apart)|break|cut|chop|take)\b" + _OBJECT +
              r"\b(?:up|down|apart|into|in (?:two|three|half|pieces|parts|chunks)|(?:a|per|by|every) (?:sentence|paragraph|topic))\b"),
    ("Merge", r"^(?:merge|combine|consolidate|unify|unite|fuse|join|fold|de-?duplicate|pool|integrate)\b|"
              r"^(?:put|bring|make|turn|roll|collapse|lump)\b" + _OBJECT + r"\b(?:into one|into a single|together|one (?:note|memory|entry) (?:out )?of)\b"),
    ("Delete", r"^(?:get rid of|throw (?:\w+ )?(?:away|out)|clear (?:out|away|up)|clean (?:up|out)|do away with|wipe|"
               r"let go of|toss|dump|ditch|strike|take (?:out|away)|cross out|leave no trace|make \w+ disappear)\b"),
    ("Retrieve", r"^(?:look (?:up|for|at|into|through)|search|check (?:for|whether|if|on|what)|bring up|pull (?:up|out)|dig (?:up|out)|call up|"
                 r"go (?:over|through)|pick out|tell me|let me (?:see|know|have)|give me|get me|hand me|send me|print|open|read)\b"),
)  # fmt: skip
_FIRST: dict[str, str] = {
    "Encode": "remember memorise memorize note save store record log jot document capture register keep retain enter "
    "input insert add create write preserve memo transcribe archive_new encode track put file_new notate collect_new",
    "Update": "change correct update edit revise rewrite rename amend modify adjust fix replace alter refresh append "
    "extend expand reword rephrase substitute overwrite shift reschedule postpone move set make",
    "Label": "tag label mark flag classify categorise categorize untag unlabel annotate",
    "Promote": "promote prioritise prioritize boost raise elevate pin upgrade escalate emphasise emphasize star upvote "
    "increase bump favour favor remind stress highlight strengthen",
    "Demote": "demote archive deprioritise deprioritize lower downgrade reduce decrease shelve mute downplay mothball "
    "minimise minimize relegate retire",
    "Merge": "merge combine consolidate unify join unite fuse integrate",
    "Split": "split divide separate segment chunk",
    "Delete": "forget delete erase remove discard wipe purge drop clear scrap destroy trash cancel eliminate unlearn "
    "omit strip empty expunge",
    "Lock": "lock unlock protect freeze secure seal safeguard guard unfreeze restrict",
    "Expire": "expire",
    "Retrieve": "find show list search retrieve fetch get locate display query recall review check see view read "
    "gather collect identify bring what which where when who whom whose how why is are was were do does did have has "
    "any anything lookup present browse tell give",
    "Summarize": "summarize summarise condense recap outline compile digest extract distil distill brief synthesize "
    "synthesise generate abridge sum summary overview",
}
_AMBIGUOUS: dict[str, tuple[str, ...]] = {
    "highlight": ("Label", "Promote"),
    "set": ("Update", "Promote", "Label"),
    "make": ("Update", "Promote", "Lock"),
    "move": ("Update", "Demote", "Merge"),
    "put": ("Encode", "Label", "Demote"),
    "keep": ("Encode", "Expire"),
    "add": ("Encode", "Update", "Label"),
    "archive": ("Demote",),
    "create": ("Encode",),
    "cancel": ("Delete", "Update"),
    "compile": ("Summarize", "Retrieve"),
    "collect": ("Retrieve", "Summarize"),
    "organize": ("Label", "Summarize"),
    "organise": ("Label", "Summarize"),
    "assign": ("Label", "Promote"),
    "change": ("Update",),
    "give": ("Retrieve", "Summarize", "Promote"),
    "ensure": ("Promote", "Label", "Lock"),
}
_BY_WORD = {word: (op,) for op, words in _FIRST.items() for word in words.split()} | _AMBIGUOUS
_PASSIVE = _rules(
    ("Lock", r"\b(?:nobody|no one|none|not?) (?:\w+ )?(?:may|should|can|must|is|are|edits?|be able to)\b|"
             r"\b(?:must|should|may|can)(?:n't| not|not)\b[^.;]{0,40}?\b(?:chang|edit|modif|alter|touch|tamper)"),
    ("Delete", r"\b(?:no longer need|don'?t need|no use|of no use|useless|no trace|not needed any ?more|can (?:all )?go\b(?! (?:in|to))|"
               r"should (?:be )?(?:go away|gone|disappear|deleted|removed|forgotten|erased)|(?:be|been|get|are|is) (?:deleted|erased|removed|forgotten|purged)|get rid|gone for good|rid of)\b"),
    ("Demote", r"\b(?:can go (?:in|to)|belongs? in|be(?:long)?s? to|(?:be|is|are|get) (?:moved|put) (?:in|to)) (?:the )?archive|\barchived\b|\b(?:less important|not (?:so |that |very )?(?:important|urgent)|"
               r"matters? (?:less|little)|low(?:er)? priority|can wait|no hurry|unimportant)\b"),
    ("Expire", r"\b(?:expires?|lapses?|run out|only (?:until|for|valid)|valid until|don'?t need\b[^.;]{0,60}\bafter)\b"),
    ("Summarize", r"\b(?:summar\w+|overview|gist|in short|recap|boil(?:ed)? down|main points|key points|digest|in a nutshell|takeaways)\b"),
    ("Promote", r"\b(?:urgent|important|crucial|priority|remind\w*|come first|top of|matters? (?:more|a lot)|essential|critical|on top|(?:be|is|are) (?:highlighted|emphasi[sz]ed|promoted|prioriti[sz]ed))\b"),
    ("Label", r"\b(?:tag(?:ged|s)?|label(?:led|ed|s)?|marked as|marked|flagged|classified)\b"),
    ("Update", r"\b(?:should (?:now )?(?:say|read|be)|(?:got|was|is|were) (?:\w+ )?wrong|is actually|not [^.;]{1,40} but|instead of|changed to|updated|corrected|now (?:says|reads|is))\b"),
    ("Split", r"\b(?:split|too long|separate (?:notes|entries|pieces|memories)|in pieces|into pieces|apart)\b"),
    ("Merge", r"\b(?:merged|duplicates?|same thing|one note|into one|a single note|together)\b"),
    ("Encode", r"\b(?:for the record|fyi|for later|for future reference|worth (?:remembering|noting)|be (?:noted|recorded|remembered|saved))\b"),
    ("Retrieve", r"\?\s*$|\b(?:looking for|find|show me|search|where|which|what|see (?:my|the|all)|know about|look(?:ing)? at)\b"),
)  # fmt: skip
_STATIVE = re.compile(r"^(?:that|the|my|our|all|this|these|those|everything|anything|it|they)\b", re.IGNORECASE)  # fmt: skip


def find(clause: str) -> tuple[tuple[str, ...], int, int] | None:
    """The ops that a clause can ask for, and where its request stands."""
    opened = _OPENERS.match(clause)
    start = opened.end() if opened else len(clause) - len(clause.lstrip())
    rest = clause[start:]
    base = _based(rest)
    if not _STATIVE.match(rest):
        for pattern, ops in _WHOLE:
            if found := pattern.search(base):
                shift = len(rest) - len(base)
                own = _own_words(rest, found.group(0), shift)
                return ops, 0, start + own
        word = re.match(r"[A-Za-z]+", base)
        if word and (ops := _BY_WORD.get(word.group(0).lower(), ())):
            return ops, 0, start + len(re.match(r"\S+", rest).group(0))  # type: ignore[union-attr]
    for pattern, ops in _PASSIVE:
        if pattern.search(rest):
            return ops, 0, 0
    return None


def _own_words(rest: str, matched: str, shift: int) -> int:
    """How much of the clause is the request itself: the first word, or a fixed opener of several."""
    words = re.match(r"\S+", rest)
    first = words.end() if words else 0
    return max(first, len(matched) + shift) if len(matched.split()) <= 3 else first


def _based(rest: str) -> str:
    """"Would you mind saving …": the gerund as its verb, where that is a verb of the table."""
    found = _GERUND.match(rest)
    if not found:
        return rest
    stem = found.group(1)
    for verb in (stem, stem + "e", stem[:-1]):
        if verb.lower() in _BY_WORD:
            return verb + rest[found.end():]  # fmt: skip
    return rest
