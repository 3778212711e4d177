"""Deadlines and events: what is due by a day, and what takes place on one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.occasions import (
    EVENT,
    LOOSE_DUE,
    NP,
    SEEN,
    SEES,
    TRIP,
    UNTIL_TO,
    VERBLESS,
    D,
    object_of,
)
from text2mem.ledger.extraction.english.people import Tie
from text2mem.ledger.extraction.english.scene import Topic
from text2mem.ledger.extraction.english.subjects import Subject, noun_phrase
from text2mem.ledger.extraction.english.times import FIRST_DATE
from text2mem.ledger.extraction.english.vocabulary import snake_case

_I = re.IGNORECASE
_DUE = re.compile(
    rf"\s*{NP}(?:(?:\s+(?:is|are|was|were|becomes?|falls)|'s|'re)\s+due"
    r"(?:\s+(?:at|with|to|back at)\s+[\w' ]{2,30}?(?=\s+(?:by|on)\s))?(?:\s+(?:by|on|in|at|"
    r"before))?|\s+(?:must|has "
    r"to|have to|needs to|need to|should|had to|is to|are to)\s+be\s+(?:[\w-]+(?:ed|en|ne|de|in|"
    r"id|nt|ut|out|up)"
    r"|ready|there|back|in|at [\w' ]{2,30}?|with [\w' ]{2,30}?|on [\w' ]{2,30}?)"
    r"(?:\s+[\w-]+)?\s+(?:by|before|no later than|until)|\s+(?:must|has to|"
    r"have to|"
    rf"needs to|need to)\s+(?:ship|go out|arrive|land)\s+by)\s+{D}$", _I,
)  # fmt: skip
_MUST = re.compile(
    r"\s*(?:have to|has to|must|need to|needs to|'ve got to|has got to|'s got to|should|am to|"
    r"am supposed to|"
    r"'m supposed to|had better|'d better)\s+(?P<verb>be|get|\w+(?:\s+(?:in|out|up|off|over|back|"
    r"for))?)\s+"
    rf"(?P<object>[\w' .-]{{2,50}}?)\s+(?:by|before|no later than|on or before|at the latest by|"
    rf"until)\s+{D}$",
    _I,
)
_NEEDS = re.compile(
    r"\s*(?:needs?|wants?|expects?|requires?)\s+(?P<object>(?:the|my|our|a|an|his|"
    rf"her)\s+[\w' .-]{{2,40}}?)\s+(?:by|before|no later than)\s+"
    rf"{D}$", _I,
)  # fmt: skip
_HOME = re.compile(
    r"\s*(?:have to|has to|must|need to|needs to|'ve got to|'s got to)\s+(?:be|get|come|"
    r"return)\s*(?:back|home|"
    rf"back home|here)?\s*(?:home|at home|again)?\s+(?:by|before|on|no later than)\s+{D}$", _I,
)  # fmt: skip
_DEADLINE = re.compile(
    r"\s*(?:the |my |our )?(?:(?P<kind>[\w' -]+?)\s+)?(?:deadline|due date)(?:\s+(?:for|"
    r"of)\s+(?P<np>[\w' .-]+?))?\s+"
    r"(?:is|'s|was|falls|has been|was moved|has moved|moved|has been moved|has been extended|"
    r"was extended)(?:\s+"
    rf"(?:on|to|set for|set to|moved to|extended to))*\s+{D}$", _I,
)  # fmt: skip
_EXPIRES = re.compile(
    rf"\s*{NP}\s+(?P<verb>(?:auto-?)?renews?|expires?|runs? out|lapses?|ends?|closes?|is valid "
    rf"until|"
    r"are valid until)(?:\s+(?:on|"
    rf"in|at|by))?\s+{D}$", _I,
)  # fmt: skip
_GO = re.compile(
    r"\s*(?:(?:'m|am|are|'re|is|'s|will|'ll|will be|'ll be)\s+)?(?P<verb>leav(?:e|es|ing)|"
    r"depart(?:s|ing)?|fly(?:ing)?"
    r"|flies|travel(?:s|ling|ing)?|set(?:ting|s)? (?:off|out)|sail(?:s|ing)?|head(?:s|ing)? off|"
    r"go(?:es|ing)? on "
    r"holiday|arriv(?:e|es|ing)|land(?:s|ing)?|return(?:s|ing)?|com(?:e|es|ing) (?:back|home)|"
    r"get(?:s|ting)? "
    r"(?:back|home|married|the keys)|be back|mov(?:e|es|ing)(?: house)?|start(?:s|ing)? (?:school|"
    r"university|(?:my|"
    r"the|a|her|his) new job|work))(?:\s+(?:for|from|to|out|at|in|there|here|"
    rf"again)\b[\w\s']*?)?\s+(?:on\s+)?{D}$",
    _I,
)
_ON = re.compile(
    rf"\s*{NP}\s+(?:(?:is|'s|are|takes? place|will be|falls|starts?|begins?|happens?|departs?|"
    r"leaves?|has been|was|"
    r"got|is now|goes out|ships|goes live|comes out)(?:\s+(?:now|moved|scheduled|set|booked|"
    r"planned|postponed|"
    r"rescheduled|brought forward|pushed(?: back)?|pencilled in|shifted|fixed|due to be|put off|"
    r"arranged|changed|pushed forward|delayed|"
    r"extended|put back|set back|deferred))?|(?:has|have|'s|was|were|"
    r"got)(?:\s+been)?\s+(?:slipped|moved|shifted|slid|changed|gone back)(?:\s+back)?"
    rf"|moved|moves)(?:\s+at\s+\d{{1,2}}(?:[:.]\d\d)?\s?(?:am|pm)?(?=\s+on))?(?:\s+(?:on|for|to|"
    rf"at|until|till))?\s+{D}$", _I,
)  # fmt: skip
_HAVE = re.compile(
    r"\s*(?:have|has|'ve got|'s got|'ve|got|booked|made|have booked|have got)\s+(?:an?|the|my|"
    r"our)\s+(?P<np>[\w' -]*?"
    rf"{EVENT})(?:\s+(?:with|at|in)\s+(?P<with>[\w' .]+?))?\s+on\s+{D}$", _I,
)  # fmt: skip
_IS = re.compile(rf"\s*{D}\s+is\s+(?:now\s+)?(?:the|my|our)\s+(?P<np>[\w' -]+)$", _I)
_TIME = re.compile(
    r"\s*,?\s*(?:(?:at|from|around)\s+)?\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|o'clock|h)?$|"
    r"\s+at\s+(?:noon|"
    r"midnight|\d.*)$", _I,
)  # fmt: skip
_TIMED = re.compile(
    rf"\s*{NP}\s+(?:is|are|'s|takes? place|starts?|begins?|happens?|moved to|"
    r"has moved to)\s+(?:now\s+)?"
    r"(?P<v>(?:(?:every|each|on)\s+(?:other\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"(?:\s+at\s+)?)?(?:(?:at\s+)?\d{1,2}(?:[:.]\d\d\s?(?:am|pm)?|\s?(?:am|pm)))?)"
    r"(?:\s+(?:in|at)\s+(?!\d).+)?$",
    _I,
)
_GOING = (
    (r"leav|depart|fly|flie|travel|set|sail|head|go", "departure_date"),
    (r"arriv|land", "arrival_date"), (r"return|com|be back", "return_date"),
    (r"get\w* (?:back|home)", "return_date"), (r"get\w* married", "wedding_date"),
    (r"mov", "moving_date"), (r"start", "start_date"),
)  # fmt: skip
_THINGS = ("it", "that", "this", "mine", "hers", "ours", "theirs")


def read(clause: Clause, subject: Subject | None, ties: list[Tie]) -> Iterator[Candidate]:
    """What a clause says is due, or takes place, on a day."""
    light = clause.light
    if not FIRST_DATE.search(light.lower()):
        return
    begin = len(light) - len(light.lstrip(" ,"))
    somebody = subject is not None and subject.kind == "person" and subject.who
    if somebody and subject and subject.word not in _THINGS:
        found = list(_personal(clause, subject))
        yield from found
        if found or subject.word:
            return
    for read_ in (_seen, _deadline, _due, _expires, _on, _is, _loose_due, _verbless):
        found = list(read_(clause, begin, ties))
        if found:
            yield from found
            return


def _day(clause: Clause, words: str, *, loose: bool = False) -> str | None:
    """The day that words are; ``loose``: that they end with."""
    plain = " ".join(words.split()).strip(" ,.")
    plain = re.sub(
        r"^(?:(?:on|by|at|for|to|in|the latest|around|about|now|moved|until)\s+)+",
        "",
        plain,
        flags=_I,
    )
    found = clause.scene.day(plain)
    if found is None and (stripped := _TIME.sub("", plain)) != plain:
        found = clause.scene.day(stripped)
    last = list(FIRST_DATE.finditer(plain.lower()))
    if found is None and loose and last and last[-1].end() == len(plain):
        found = clause.scene.day(last[-1]["point"])
    if found is None and (
        inside := re.match(
            r"(.+?)(?:,? (?:at|because|so|not|in the|with|and|if|when)\b.*|,.*)$", plain
        )
    ):
        found = clause.scene.day(inside[1])
    return found


def _personal(clause: Clause, subject: Subject) -> Iterator[Candidate]:
    light, rest, scene = clause.light, subject.rest, clause.scene
    who = subject.who
    if (found := _HOME.match(light, rest)) and (day := _day(clause, found["date"])):
        name = scene.words.concept("return_deadline", who)
        yield clause.candidate(who, name, day, timed=False)
    elif (found := _MUST.match(light, rest)) and (day := _day(clause, found["date"])):
        noun = object_of(found["object"])
        if noun and found["verb"].lower() != "be":
            yield clause.candidate(who, _deadline_name(clause, noun, who), day, timed=False)
    elif (
        subject.word in ("i", "we")
        and (found := _NEEDS.match(light, rest))
        and (day := _day(clause, found["date"]))
    ) or ((found := UNTIL_TO.match(light, rest)) and (day := _day(clause, found["date"]))):
        if noun := object_of(found["object"]):
            yield clause.candidate(who, _deadline_name(clause, noun, who), day, timed=False)
    elif found := TRIP.search(light, rest):
        yield from _both_ways(clause, who, found)
    elif (found := _GO.match(light, rest)) and (day := _day(clause, found["date"], loose=True)):
        verb = found["verb"].lower()
        if verb.startswith("mov") and re.search(r"\sto\s+(?-i:[A-Z])", found[0]):
            return  # a new home, from that day on
        concept = next(c for p, c in reversed(_GOING) if re.match(p, verb))
        if re.match(r"(?:'ve|have|has|had)\b", light[rest:].strip()):
            return
        name = scene.words.concept(concept, who)
        yield clause.candidate(who, name, day, timed=False)
    elif (found := SEES.match(light, rest)) and (day := _day(clause, found["date"])):
        name = _event_name(clause, f"{found['np']} appointment", who)
        yield clause.candidate(who, name, day, timed=False)
    elif (found := _HAVE.match(light, rest)) and (day := _day(clause, found["date"])):
        noun = found["np"].strip()
        with_ = re.sub(r"^(?:the|my|our)\s+", "", found["with"] or "").strip()
        if with_ and noun in ("appointment", "meeting") and re.fullmatch(r"[a-z ]+", with_):
            noun = f"{with_} {noun}"
        yield clause.candidate(who, _event_name(clause, noun, who), day, timed=False)


def _both_ways(clause: Clause, who: str, found: re.Match[str]) -> Iterator[Candidate]:
    """When somebody leaves, and when they are back: "from 3 to 17 July", "… and back on …"."""
    last = _day(clause, found["last"])
    first = _day(clause, found["first"])
    if first is None and last and (only := re.fullmatch(r"(?:the )?(\d{1,2})\w*", found["first"])):
        first = f"{last[:8]}{int(only[1]):02}"
    for concept, day in (("departure_date", first), ("return_date", last)):
        if day and first and last and first < last:
            name = clause.scene.words.concept(concept, who)
            yield clause.candidate(who, name, day, timed=False)


def _owner(clause: Clause, phrase: str, ties: list[Tie]) -> tuple[str, str]:
    """Whose thing a noun phrase names, and the noun; the noun is empty where there is none."""
    phrase = phrase.strip(" ,")
    scene = clause.scene
    if re.fullmatch(r"(?:it|that|this|they|the thing)", phrase, _I):
        return (scene.topic.owner, scene.topic.noun) if scene.topic else ("", "")
    read_ = noun_phrase(scene, phrase, clause.start, clause.end, ties)
    if read_ is None:
        return "", ""
    if read_[0] == "person":
        new = re.fullmatch(r"[A-Z][a-z]+(?:ing|s|es|ion|ment|work|paper|sheet)", phrase)
        if new is None or read_[1] in scene.known.subjects():
            return "", ""
        read_ = ("thing", "", phrase.lower())
    kind, who, noun = read_
    if kind == "owned":
        return who, noun
    if noun in ("mine", "ours"):
        return "", ""
    words = fold(noun)
    project = scene.project(clause.light)
    return project or scene.speaker, words.replace("_", " ")


def _seen(clause: Clause, begin: int, ties: list[Tie]) -> Iterator[Candidate]:
    """ "The physio wants to see me again on 2 April"."""
    found = SEEN.match(clause.light, begin)
    if found and (day := _day(clause, found["date"])):
        who = clause.scene.speaker
        name = _event_name(clause, f"{found['np']} appointment", who)
        yield clause.candidate(who, name, day, timed=False)


def _loose_due(clause: Clause, begin: int, ties: list[Tie]) -> Iterator[Candidate]:
    """ "The bursary form needs to reach them by 30 March"."""
    found = LOOSE_DUE.match(clause.light, begin)
    if found and (day := _day(clause, found["date"])):
        who, noun = _owner(clause, found["np"], ties)
        if who and noun and len(noun.split()) <= 4:
            yield clause.candidate(who, _deadline_name(clause, noun, who), day, timed=False)


def _verbless(clause: Clause, begin: int, ties: list[Tie]) -> Iterator[Candidate]:
    """ "Haircut with Sana on Friday"."""
    found = VERBLESS.match(clause.light, begin)
    if found and (day := _day(clause, found["date"])):
        who = clause.scene.project(clause.light) or clause.scene.speaker
        yield clause.candidate(who, _event_name(clause, found["np"].lower(), who), day, timed=False)


def _deadline(clause: Clause, begin: int, ties: list[Tie]) -> Iterator[Candidate]:
    found = _DEADLINE.match(clause.light, begin)
    if not found or not (day := _day(clause, found["date"])):
        return
    noun = found["np"] or found["kind"] or ""
    who, noun = _owner(clause, noun, ties) if noun else (clause.scene.speaker, "")
    project = clause.scene.project(clause.light)
    who = who or project or clause.scene.speaker
    if fold(noun) in clause.scene.projects:
        who, noun = fold(noun), ""
    name = (
        _deadline_name(clause, noun, who) if noun else clause.scene.words.concept("deadline", who)
    )
    yield clause.candidate(who, name, day, timed=False)


def _due(clause: Clause, begin: int, ties: list[Tie]) -> Iterator[Candidate]:
    found = _DUE.match(clause.light, begin)
    if not found or not (day := _day(clause, found["date"])):
        return
    who, noun = _owner(clause, found["np"], ties)
    if who and noun and noun.lower() not in ("mine", "ours"):
        yield clause.candidate(who, _deadline_name(clause, noun, who), day, timed=False)


def _expires(clause: Clause, begin: int, ties: list[Tie]) -> Iterator[Candidate]:
    found = _EXPIRES.match(clause.light, begin)
    if not found or not (day := _day(clause, found["date"])):
        return
    who, noun = _owner(clause, found["np"], ties)
    if not (who and noun):
        return
    noun = re.split(r"\s+(?:for|of)\s+", noun)[0]
    snake, verb = snake_case(noun), found["verb"].lower()
    names = [f"{snake}_end_date", f"{snake}_end"]
    if not verb.startswith(("end", "clos")):
        names = [
            f"{snake}_expiry_date",
            f"{snake}_expiry",
            f"{snake}_expires",
            f"{snake}_expiration_date",
        ]
    if "renew" in verb:
        names = [f"{snake}_renewal_date", "renewal_date", f"{snake}_renewal"]
    elif verb.startswith("clos"):
        names = [f"{snake}_deadline", f"{snake}_closing_date"]
    yield clause.candidate(who, clause.scene.words.first(names, who), day, timed=False)


def _on(clause: Clause, begin: int, ties: list[Tie]) -> Iterator[Candidate]:
    found = _ON.match(clause.light, begin)
    if not found or not (day := _day(clause, found["date"])):
        return
    who, noun = _owner(clause, found["np"], ties)
    if not who or not noun:
        return
    if fold(noun).startswith("birth"):
        return  # it recurs, and is kept as it is said
    noun = re.split(r"\s+(?:to|from|with|in|at|for)\s+", noun)[0]
    name = _event_name(clause, noun, who)
    known = name in clause.scene.words.of(who) or clause.scene.words.declared(name, exact=True)
    mine = re.match(r"\s*(?:my|our)\s", clause.light[begin:], _I) and re.search(
        r"\d", found["date"]
    )
    known = known or bool(
        mine and len(noun.split()) <= 3 and not _TIME.match(f" at {found['date']}")
    )
    if known or re.search(rf"\b{EVENT}s?$", noun, _I):
        clause.scene.topic = Topic(who, noun)
        yield clause.candidate(who, name, day, timed=False)


def recurring(clause: Clause, ties: list[Tie]) -> Iterator[Candidate]:
    """ "The standup is at 9:45", "our rehearsal is every Monday at 19:00"."""
    begin = len(clause.light) - len(clause.light.lstrip(" ,"))
    found = _TIMED.match(clause.light, begin)
    if not found:
        return
    who, noun = _owner(clause, found["np"], ties)
    if who and noun and re.search(rf"\b{EVENT}s?$", noun, _I):
        snake = snake_case(noun)
        name = clause.scene.words.first([f"{snake}_time", snake, f"{snake}_day"], who)
        value = re.sub(r"^(?:at|on)\s+", "", " ".join(found["v"].split()))
        yield clause.candidate(who, name, value, timed=False)


def _is(clause: Clause, begin: int, ties: list[Tie]) -> Iterator[Candidate]:
    found = _IS.match(clause.light, begin)
    if not found or not (day := _day(clause, found["date"])):
        return
    phrase = found["np"]
    who, noun = _owner(clause, f"the {phrase}", ties)
    if "birthday" in noun or not re.search(rf"(?:{EVENT})$", noun, _I):
        return
    if fold(noun).endswith(("deadline", "due_date")):
        base = re.sub(r"\s*(?:deadline|due date)$", "", noun)
        name = _deadline_name(clause, base, who) if base else "deadline"
    else:
        name = _event_name(clause, noun, who)
    yield clause.candidate(who, name, day, timed=False)


def _deadline_name(clause: Clause, noun: str, who: str) -> str:
    snake = snake_case(re.sub(r"^(?:next|new|upcoming)\s+", "", noun.replace("'s", "")))
    if snake.endswith(("deadline", "due_date", "_date")):
        return clause.scene.words.first([snake], who)
    names = [f"{snake}_{end}" for end in ("deadline", "due_date", "date", "due")]
    last = snake.split("_")[-1]
    used = clause.scene.words.of(who)
    # "the passport" of "passport_renewal_deadline"
    near = [a for a in used if a.endswith(("deadline", "due_date")) and last in a.split("_")]
    return clause.scene.words.first([*names[:1], *near, *names[1:]], who) if not near else near[0]


def _event_name(clause: Clause, noun: str, who: str) -> str:
    snake = snake_case(re.sub(r"^(?:next|new|upcoming)\s+", "", noun.replace("'s", "")))
    if snake.endswith(("_date", "deadline", "_day")):
        return clause.scene.words.first([snake, snake.removesuffix("_date")], who)
    if snake.endswith("release"):
        return clause.scene.words.concept("release_deadline", who)
    whole = ("appointment", "meeting", "interview", "freeze", "checkup", "check_up", "party")
    names = [f"{snake}_date", snake, f"{snake}_day", f"{snake}_deadline"]
    if snake.endswith(whole):
        names = [snake, f"{snake}_date"]
    return clause.scene.words.first(names, who)
