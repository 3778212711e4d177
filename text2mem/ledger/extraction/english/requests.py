"""Requests and preferences that are to last: how to answer, where to send, how to be reached."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.people import NAME, RELATED, relation
from text2mem.ledger.extraction.english.scene import Scene
from text2mem.ledger.extraction.english.subjects import Subject
from text2mem.ledger.extraction.english.values import EMAIL, PHONE, URL, Value, phone, trimmed
from text2mem.ledger.extraction.english.vocabulary import snake_case

_I = re.IGNORECASE
_WHO = (
    r"(?P<who>me|us|my (?:home|office|work|company)|him|her|them|(?:my|"
    rf"our) [\w' -]+?(?:,? (?-i:{NAME}))?,?|"
    rf"(?-i:{NAME}))"
)
_REACH = re.compile(
    r"(?:(?:call|page|ping|alert|dial|phone|ring|text|reach|contact|mail|e-?mail|write to|"
    r"whatsapp|message|reply to|"
    r"get hold "
    r"of|get|send (?:it|everything|invoices|the invoices?|mail|"
    rf"them) to)\s+{_WHO}\s*(?:back\s+)?(?:instead\s+)?(?:on|at|under|via|to|:)?\s+"
    rf"(?:the (?:number|address)\s+)?)(?P<v>{PHONE}|{EMAIL})", _I,
)  # fmt: skip
_REACHED = re.compile(
    r"(?:can|could|may)?\s*(?:be |best )?(?:reached|contacted|reachable|called|phoned|found|"
    r"mailed|e-?mailed|available)"
    rf"\s+(?:by phone |by mail |by email )?(?:on|at|under|via|by calling|by)\s+(?P<v>{PHONE}|"
    rf"{EMAIL})", _I,
)  # fmt: skip
_USE = re.compile(
    r"(?:use|write to|send (?:it|them|everything|(?:the|my|our|all) [\w ]+) to|mail|reply to|"
    r"the new one is|it's|make it|(?:should|must|can|need to|have to|may) (?:go|come|be sent|be "
    r"mailed|"
    r"be addressed|be copied) to|"
    r"switch to|take|go with|(?:mail|e-?mail) (?:it|them) to)\s+(?:the address\s+|"
    r"my (?:new )?(?:email|address|number)\s*:?\s*)?"
    rf"(?P<v>{EMAIL}|{PHONE})", _I,
)  # fmt: skip
STREET = (
    r"(?:\d+[a-z]?(?:[-/]\d+)?,? (?-i:[A-Z])[\w.'-]*(?: (?-i:[A-Z])?[\w.'-]+){0,4}|"
    r"(?-i:[A-ZÀ-Ž])[\w.'-]+(?: [\w.'-]+){0,4}? \d+[a-z]?)(?:,? (?:flat|apt|apartment|unit|"
    r"floor) \w+)?"
    r"(?:, ?(?:\d{4,6} ?)?(?-i:[A-Z])[\w .'-]*?\w(?=[,.;]|$| and | please| by | instead| from| for|"
    r" as | not ))*"
)
_SEND = re.compile(
    r"(?:send|ship|deliver|post|mail|forward|courier|bring|dispatch|have [\w ]+ (?:sent|delivered|"
    r"shipped))\s+(?:[\w' -]*?\s)??(?:to|at)\s+"
    r"(?:my (?:new )?(?:address|place|office|home)(?: at|,|:)?\s+|our (?:new )?(?:address|"
    rf"office)(?: at|,|:)?\s+|the (?:new )?(?:address|office)(?: at|,|:)?\s+)?(?P<v>{STREET})",
    _I,
)  # fmt: skip
_DELIVER = re.compile(
    r"(?:(?:the|my|our) )?(?:delivery|shipping|new delivery) address\s+(?:is|should be|"
    rf"has changed to|changed to)(?:\s+now)?\s+(?P<v>{STREET})",
    _I,
)
_LIVE_AT = re.compile(
    rf"(?:live|living|lives|based|moved to|moving to|reside)\s+(?:at|to)?\s*(?P<v>{STREET})", _I
)
_CHANNELS = (
    (r"phon\w+|telephone|calls?|called|calling|rung|ring\w*", "phone"),
    (r"e-?mail\w*|mail\w*", "email"), (r"text\w*|sms|text messages?|messag\w+|"
                                       r"messages?", "messages"),
    (r"whatsapp\w*", "WhatsApp"), (r"letters?|post|posted|by post", "post"), (r"chat\w*", "chat"),
    (r"slack", "Slack"), (r"signal", "Signal"), (r"telegram", "Telegram"), (r"video calls?", "video"
                                                                                             " call"
                                                                                             "s"),
)  # fmt: skip
_CHANNEL = "(?:" + "|".join(pattern for pattern, _ in _CHANNELS) + ")"
_RATHER = re.compile(
    r"(?:(?:'d|would)(?: much| far)? (?:rather|prefer)(?: to)?(?: be)?|prefers?(?: to be)?|"
    r"(?:best|easiest) (?:to|by|via|over|on)|"
    r"(?:please )?(?:contact|reach) (?:me|us) (?:by|via|on|over)|please)\s+(?:by |via |a |over |"
    rf"on |the |being |me by |using )?(?P<v>{_CHANNEL})(?![\w@-])"
    rf"(?P<rest>.*)", _I,
)  # fmt: skip
_CONTACT_ME = re.compile(
    r"(?:(?:contact|reach|notify|tell|update|inform) (?:me|us) (?:by|via|on|over|through)|"
    r"(?P<v2>call|phone|ring|text|"
    r"message|e-?mail|mail) (?:me|us)(?:,? (?:rather than|instead of|don't|not|and don't|"
    rf"never)))\s*(?P<v>{_CHANNEL})?", _I,
)  # fmt: skip
_EMAILED = re.compile(
    r"(?:(?:'d|would)(?: much| far)? (?:rather|prefer)(?: it)?(?: if)? (?:you|people|they)|"
    r"(?:don't|never|do not) (?:call|phone|ring|text|e-?mail|"
    r"mail|message)(?: me| us)?(?:[,;:]| but| just| please)*)\s+(?:please |just |"
    rf"rather )?(?P<v>{_CHANNEL})(?: (?:me|us)\b)?", _I,
)  # fmt: skip
_TRAVEL = re.compile(
    r"(?:'d|would)(?: much| far)? (?:rather|prefer to|like to) (?:take|go by|travel by|use|go on|"
    r"ride) (?:the |a |my |our )?(?P<v>trains?|planes?|ship|"
    r"ferry|bus|coach|car|bike|boat|tram|night train|rail)(?![\w-])", _I,
)  # fmt: skip
_SITE = re.compile(
    rf"(?:find|see|visit|reach) (?:me|us|my [\w ]+|our [\w ]+) (?:at|on|under) (?P<v>{URL}|"
    r"[\w-]+(?:\.[\w-]+)+(?:/[\w/-]*)?)",
    _I,
)
_NEED = re.compile(rf"(?:call|ring|phone|text|dial|try)\s+(?P<v>{PHONE})", _I)
_URGENT = re.compile(r"\b(?:need|reach|want|contact|get) (?:me|us)\b|\burgent|\bemergenc", _I)
_SHORT = re.compile(
    r"\s*(?P<v>(?:short|brief|concise|long|detailed|simple|direct|"
    r"plain)\w*(?: and [\w-]+)? (?:answers|replies|responses|explanations|summaries))"
    r"(?:,? (?:please|from now on|only))?\s*(?:$|,)", _I,
)  # fmt: skip
_ANSWERS = re.compile(
    r"(?:keep|make|give me|write|i(?:'d)? (?:like|prefer|want)|prefer|i like)\s+(?:all )?(?:your|"
    r"the|my)?\s*(?P<adj>[\w-]+(?: "
    r"and [\w-]+)?)?\s*(?P<n>answers|replies|responses|explanations|summaries|messages|"
    r"emails)(?:\s+(?P<adj2>(?!to\b|in\b|for\b|about\b|from\b)"
    r"[\w-]+(?: and (?:to the point|[\w-]+))?|to the point|in bullet points))?", _I,
)  # fmt: skip
_ANSWER_SO = re.compile(
    r"(?:(?:always|please|from now on|in future|going forward|do|i(?:'d| would)? (?:like|want|need|"
    r"prefer) you to)\s+)*(?:answer|reply|respond|"
    r"write(?: back)?|be|speak|talk)\s+(?:to me\s+|me\s+)?"
    r"(?:more\s+)?(?P<v>in (?:(?-i:[A-Z])\w+|bullet points|metric(?: units)?|short sentences|"
    r"plain (?-i:[A-Z])?\w+)|briefly|concisely|shortly|formally|"
    r"informally|brief|concise)(?![\w-])", _I,
)  # fmt: skip
_REPLIES_IN = re.compile(
    r"(?:keep|write|give me|send|have|make|want|prefer|like)\s+(?:to have )?(?:all |your |the |my "
    r")*"
    r"(?:replies|answers|messages|explanations|responses|summaries|everything|it|emails)\s+in\s+"
    r"(?P<v>(?-i:[A-Z])[a-z]+(?:ish|ian|ese|ench|man|utch|ch|ic|i|an|log|ek|sh))(?![\w-])", _I,
)  # fmt: skip
_LINE_TO = re.compile(rf"\b(?:me|us)\b[\w\s,']{{0,30}}?\b(?:at|on|to|under|via)\s+(?P<v>{PHONE}|"
                      rf"{EMAIL})",
                      _I)  # fmt: skip
_UNITS = re.compile(
    r"(?:use|give (?:me )?|in)\s+(?P<v>metric|imperial|celsius|fahrenheit|kilomet(?:re|er)s|miles|"
    r"the 24-hour clock|"
    r"24-hour time)(?: units| system| measurements)?", _I,
)  # fmt: skip
_CALL_ME = re.compile(
    r"(?:(?:please |just |you can |everyone |everybody |people |friends |they |all )*calls? me|"
    r"i go by|my friends call me|"
    r"i'm known as|address me as)\s+(?P<v>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)(?=\s*(?:$|,|"
    r"please|because|instead))", _I,
)  # fmt: skip
_PREFER = re.compile(
    r"\s*(?:'d |would )?(?:much )?(?:prefer|prefers|rather have|favou?rs?)\s+(?P<v>.+?)(?:\s+(?:to|"
    r"over|rather than)\s+.+)?$",
    _I,
)
_CLASSES = (
    (r"(?:window|aisle|middle|front|rear|exit row) seats?", "seat_preference"),
    (r"(?:trains?|planes?|ships?|ferr(?:y|ies)|bus(?:es)?|coach|cars?|bikes?|cycling|flying|"
     r"driving|going by train|the train|"
     r"taxis?|trams?|rail)", "preferred_transport"),
    (r"(?:(?:black|green|herbal|iced|oat milk|decaf) )?(?:tea|coffee|water|juice|wine|beer|"
     r"espresso|cappuccino|cocoa|"
     r"sparkling water|still water)", "preferred_drink"),
    (r"(?:short|brief|concise|long|detailed|direct|formal|"
     r"plain)\w* (?:answers|replies|responses)", "answer_preference"),
    (r"(?:vim|emacs|helix|vs ?code|neovim|zed|pycharm|intellij|nano)", "preferred_editor"),
    (r"(?:mornings?|evenings?|afternoons?)(?: meetings| calls| appointments)?", "preferred_time"),
    (r"(?:aisle|window)", "seat_preference"),
    (r"(?:dark|light) (?:mode|theme)", "preferred_theme"),
)  # fmt: skip


def read(clause: Clause, subject: Subject | None) -> Iterator[Candidate]:
    """What a clause asks for once and for all."""
    scene, text = clause.scene, clause.text
    who = subject.who if subject and subject.kind == "person" and subject.who else scene.speaker
    yield from _reach(clause, subject)
    for pattern, concept in (
        (_SEND, "delivery_address"),
        (_DELIVER, "delivery_address"),
        (_LIVE_AT, "address"),
    ):
        if found := pattern.search(text):
            value = trimmed(text, *found.span("v"))
            if value and not scene.times.date(value.text):
                owner = who if concept == "address" else scene.speaker
                yield clause.candidate(owner, scene.words.concept(concept, owner), value.text)
                return
    if found := _CALL_ME.search(text):
        yield clause.candidate(
            scene.speaker, scene.words.concept("nickname", scene.speaker), found["v"]
        )
        return
    if channel := _channel(text):
        yield clause.candidate(who, scene.words.concept("preferred_channel", who), channel)
        return
    if found := _TRAVEL.search(text):
        yield clause.candidate(who, scene.words.concept("preferred_transport", who), found["v"])
        return
    if found := _SHORT.match(text, clause.begin):
        name = scene.words.concept("answer_preference", scene.speaker)
        yield clause.candidate(scene.speaker, name, found["v"])
        return
    if found := _REPLIES_IN.search(text):
        name = scene.words.concept("answer_language", scene.speaker)
        yield clause.candidate(scene.speaker, name, found["v"])
        return
    if found := _ANSWERS.search(text):
        adjective = found["adj2"] or found["adj"]
        if adjective and adjective.lower() not in (
            "the", "your", "my", "those", "these", "some", "all",
        ):  # fmt: skip
            name = scene.words.concept("answer_preference", scene.speaker)
            yield clause.candidate(scene.speaker, name, f"{adjective} {found['n']}")
        return
    if found := _ANSWER_SO.match(text, clause.begin):
        said = found["v"]
        if re.fullmatch(r"in (?-i:[A-Z])\w+", said, _I):
            name = scene.words.concept("answer_language", scene.speaker)
            yield clause.candidate(scene.speaker, name, said[3:])
        elif said.lower() not in ("be",):
            name = scene.words.concept("answer_preference", scene.speaker)
            yield clause.candidate(scene.speaker, name, said)
        return
    if found := _UNITS.match(text, clause.begin):
        yield clause.candidate(
            scene.speaker,
            scene.words.first(["units", "unit_system", "preferred_units"], scene.speaker),
            found["v"],
        )
        return
    if subject and subject.kind == "person" and (found := _PREFER.match(text, subject.rest)):
        yield from _preference(clause, subject.who, found)


def _preference(clause: Clause, who: str, found: re.Match[str]) -> Iterator[Candidate]:
    value = trimmed(clause.text, *found.span("v"))
    if value is None or not who or len(value.text.split()) > 6 or value.text.split()[0].lower() in (
        "it", "that", "this", "to", "not", "if", "them", "one", "him", "her", "you",
    ):  # fmt: skip
        return
    words = clause.scene.words
    for pattern, concept in _CLASSES:
        if re.fullmatch(pattern, value.text, _I):
            yield clause.candidate(who, words.concept(concept, who), value.text)
            return
    if purpose := re.fullmatch(
        r"(?P<v>.+?)\s+(?:for|as)\s+(?:my |our |the |all )?(?P<use>[\w ]+)", value.text, _I
    ):
        use = snake_case(purpose["use"])
        name = words.first([f"preferred_{use}", f"{use}_preference"], who)
        yield clause.candidate(who, name, purpose["v"])
        return
    head = snake_case(value.text.split()[-1])
    head = head[:-1] if head.endswith("s") and not head.endswith("ss") else head
    if len(value.text.split()) == 1:
        yield clause.candidate(who, words.concept("likes", who), value.text)
        return
    yield clause.candidate(
        who, words.first([f"{head}_preference", f"preferred_{head}"], who), value.text
    )


def _channel(text: str) -> str | None:
    """How somebody wants to be reached, where a clause says so."""
    for pattern in (_EMAILED, _CONTACT_ME, _RATHER):
        found = pattern.search(text)
        if not found:
            continue
        said = found.groupdict().get("v2") or found["v"]
        if not said:
            continue
        rest = found.groupdict().get("rest") or ""
        if pattern is _RATHER and found[0].lower().startswith("please") and not re.match(
            r"\s+(?:me |us )?(?:rather|instead|only|not|never)", rest, _I
        ):  # fmt: skip
            continue
        if re.match(r"\s*(?:the|my|our|that|this|him|her|them|it|\w+ing)\b", rest, _I):
            continue
        return next((name for p, name in _CHANNELS if re.fullmatch(p, said, _I)), None)
    return None


def _reach(clause: Clause, subject: Subject | None) -> Iterator[Candidate]:
    scene, text = clause.scene, clause.light
    if found := _REACH.search(text):
        who = _whom(scene, found["who"], clause)
        yield from _contact(clause, who, found)
    elif found := _REACHED.search(text):
        who = subject.who if subject and subject.who else scene.speaker
        yield from _contact(clause, who, found)
    elif (found := _LINE_TO.search(text)) and (subject is None or subject.word in ("you", "")):
        yield from _contact(clause, scene.speaker, found)
    elif found := _SITE.search(text):
        said = found["v"].rstrip(".,")
        yield clause.candidate(scene.speaker, scene.words.concept("website", scene.speaker), said)
    else:
        told = subject is None or subject.word in ("you", "it", "", "they")
        found = _NEED.search(text) if _URGENT.search(scene.text) else None
        found = found or (_USE.search(text) if told else None)
        if found:
            yield from _contact(clause, scene.speaker, found)


def _contact(clause: Clause, who: str, found: re.Match[str]) -> Iterator[Candidate]:
    if not who:
        return
    mail = re.fullmatch(EMAIL, found["v"].strip(" ."))
    said = mail[0] if mail else phone(found["v"])
    if said:
        concept = "email" if mail else "phone"
        yield clause.candidate(who, clause.scene.words.concept(concept, who), said)


def _whom(scene: Scene, words: str, clause: Clause) -> str:
    plain = words.strip(" ,")
    if plain.lower() in ("me", "us") or re.match(
        r"(?:my|our) (?:home|office|work|company)$", plain, _I
    ):
        return scene.speaker
    if plain.lower() in ("him", "her", "them"):
        return scene.people.last(plain.lower()) or ""
    related = re.match(rf"(?:my|our) {RELATED.pattern}", plain, _I)
    if related:
        name = re.search(rf"{NAME}$", plain)
        rel = relation(related["word"])
        del rel
        return scene.people.relative(scene.speaker, related["word"], name[0] if name else None)
    return fold(plain) if re.fullmatch(NAME, plain) else ""


def introduced(text: str) -> Value | None:
    """The name that a speaker gives: "Ines Duarte here", "my name is …"; None where there is "
    "none."""
    found = re.match(
        r"\s*(?:(?i:good \w+|hello|hi|hey)[,!.]?\s+)?(?:(?i:i'm|i am|this is|my name is|"
        rf"it's)\s+)?(?P<v>{NAME})\s*(?i:here|speaking)?\s*$",
        text,
    )
    return Value(found["v"], found.start("v"), found.end("v")) if found else None
