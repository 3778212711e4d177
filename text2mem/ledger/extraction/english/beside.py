"""What a clause states beside its subject and predicate, or with them turned round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.people import NAME, RELATED, is_name, relation
from text2mem.ledger.extraction.english.persons import DRUG, job
from text2mem.ledger.extraction.english.requests import STREET
from text2mem.ledger.extraction.english.tickets import order_status
from text2mem.ledger.extraction.english.values import EMAIL, NUMBER, PHONE, number, phone, trimmed

_I = re.IGNORECASE
_ME = r"(?P<who>me|us|him|her|them|(?-i:" + NAME + r"))"
_TASTES = (
    (re.compile(r"\s*(?P<v>[\w' -]{2,40}?)\s+(?:isn't|aren't|is not|are not|was never|were never|"
                r"has never been|is definitely not|are definitely not|is hardly|is really not)"
                r"\s+(?P<who>my|our|(?-i:" + NAME + r")'s|his|her)\s+(?:thing|cup of tea|bag|"
                r"favou?rite|taste|jam|style|idea of fun)\b", _I), "dislikes"),
    (re.compile(r"\s*(?P<v>[\w' -]{2,40}?)\s+(?:is|are|'s)\s+(?:so |very much |right |really |"
                r"just )?(?:up )?(?P<who>my|our|(?-i:" + NAME + r")'s|his|her)\s+(?:thing|passion|"
                r"jam|street|alley|weakness|guilty pleasure|obsession|first love)\b", _I), "likes"),
    (re.compile(r"\s*(?P<v>[\w' -]{2,40}?)\s+(?:makes?|make|gives?|turns?)\s+" + _ME
                + r"\s+(?:sick|ill|nauseous|gag|the creeps|cringe|off)\b", _I), "dislikes"),
)  # fmt: skip
_TONGUE = re.compile(
    r"\s*(?P<v>(?-i:[A-Z])\w+)\s+(?:is|was)\s+(?P<who>my|our|his|her|(?-i:" + NAME + r")'s)\s+"
    r"(?:first language|mother tongue|native (?:language|tongue))", _I,
)  # fmt: skip
_PAIR = re.compile(
    rf"\s*(?:(?P<v>{NAME}) and I|I and (?P<v2>{NAME}))\s+(?:(?:have |'ve |are |were |'re |have "
    r"been |'ve been )?(?:just |finally |recently )?(?:got |gotten |getting |been )?)"
    r"(?P<how>engaged|married|dating|a couple|an item|together|boyfriend and girlfriend|going out|"
    r"seeing each other|divorced)\b"
)
_WHERE = re.compile(
    rf"(?:in|near|to|at|from|around|outside|of) (?P<v>{NAME})(?:,)? (?:where|which is where) "
    rf"(?P<who>I|we|(?:my|our) {RELATED.pattern}|{NAME}) (?P<how>live|lives|work|works|am based|"
    r"is based|are based|grew up|was born|were born|'m based|'re based|study|studies|am from)\b"
)
_PLACES = {"liv": "city", "bas": "city", "gre": "hometown", "bor": "birthplace", "fro": "hometown"}
_COMES_FROM = re.compile(
    rf"(?:(?i:I'm|I am|this is|it's|my name is|my name's)\s+){NAME}\s+(?:from|of|at|with)\s+"
    rf"(?P<v>{NAME}(?: (?:&|and) {NAME})?)\s*$"
)
_TITLE = (
    r"(?P<v>(?:(?:new|head|chief|lead|senior|deputy|vice|interim|acting|assistant|co-?|team|"
    r"project|"
    r"product|sales|section|shift|office|school|ward|scrum|site|club|class|board) "
    r")*(?:(?-i:C[A-Z]O|"
    r"VP|HR)|[\w-]{2,}(?:er|or|ist|ant|ian|eer|ect)|nurse|cook|chef|head|chief|lead|chair|"
    r"president|secretary|captain|coach|"
    r"master|rep|intern|vicar|agent|contact|principal|dean)(?: of [\w ]{2,25}?)?)"
)
_BESIDE_NAME = re.compile(
    rf"(?P<who>{NAME})(?:,| is|'s) (?:our|the) (?i:{_TITLE})(?=[,;.]|\s(?:at|in|and|on|who|is|has|"
    rf"will|"
    r"signs|handles|said|can)\b|$)"
)
_NAMED_AS = re.compile(
    r"(?:hired|appointed|elected|named|made|promoted|brought in|took on|recruited|voted|chose|"
    r"picked|"
    rf"chosen|have) (?P<who>{NAME}) (?:in )?(?:as|to be|to|for)? ?(?:our |the |an? |new "
    rf")*(?i:{_TITLE})"
    r"(?=[,;.]|\s(?:at|in|and|on|from|since|who|last|this)\b|$)"
)
_TITLE_FIRST = re.compile(
    rf"(?:[Oo]ur|[Tt]he) (?:new )?(?i:(?P<part>\w+ )?{_TITLE}), (?P<who>{NAME})(?=[,;.]|$)"
)
_AS_A = re.compile(r"\s*as an? (?P<v>[\w -]{3,30}?),? (?=I\b)", _I)
_IS_TITLE = re.compile(
    r"\s*(?:is|am|'m|'s|are)\s+(?P<v>(?:(?i:head|chief|director|vice president|deputy head|chair|"
    r"president|secretary|treasurer|captain)|VP|C[A-Z]O)(?: of [\w ]{2,30})?)(?=[,;.]|\s(?:at|in|"
    r"for|"
    r"and|on|from|since)\b|$)"
)
_PAGER = re.compile(
    rf"(?P<who>{NAME}|I)\s+(?:is|am|'s|'m|will be|goes|has|have|carries|carry|takes|take|covers|"
    rf"cover|"
    r"does|holds|gets|picks up)\s+(?:(?:now|currently) )?(?:on[- ]call|the pager|pager duty|the "
    r"on-call"
    r"(?: \w+)?|on duty|on-call)(?:\s+(?:for|of|on|at)\s+(?:the )?(?P<of>[\w-]+(?: [\w-]+)?))?"
)
_ASSIGNED = re.compile(
    r"(?:the |our )?(?:(?:incident|ticket|issue|case|order|job|bug|story|request|task) "
    r")?(?P<id>[A-Z]"
    r"{2,8}-?#?\d[\w-]*)\s+(?:has been |was |is |got |went |goes |is now )*(?:re)?(?:assigned|"
    r"handed|"
    rf"passed|given|moved|over)(?: over)? to (?P<v>{NAME})"
)
_HOME_IN = re.compile(
    r"\s*(?:my|our) (?:new |old |current )?(?:flat|house|place|apartment|home|studio|family home|"
    r"condo)"
    rf"\s*(?:is|'s)\s+(?:in|near|outside)\s+(?P<v>(?-i:{NAME}))", _I,
)  # fmt: skip
_FOR_WHOM = re.compile(
    rf"(?:prescribed|given|recommended|gave|ordered|started)\s+(?P<v>(?i:{DRUG}))\s+(?:for|to|"
    rf"on)\s+"
    rf"(?P<who>me|him|her|them|(?:my|our) {RELATED.pattern}|{NAME})"
)
_AT_STREET = re.compile(
    r"(?:\b(?:flat|house|place|apartment|studio|room|home|office|live|living|lives|stay|staying|"
    r"moved|are|am|is|found|based)|'m|'re|'s)(?: (?:[a-z]\w*|in the [A-Z]\w+))?,? (?:is |now )?"
    rf"(?:at|to|on|in the [A-Z]\w+,)\s+(?P<v>{STREET})"
)
_NOW_IN = re.compile(
    r"\s*(?:(?:am|are|is|'m|'re|'s)|(?:have|has|'ve|'s) been)\s+(?:all |both |back |over |"
    rf"settled )?in\s+(?P<v>{NAME})(?P<rest>.*)$"
)
_NOWADAYS = re.compile(r"\b(?:now|nowadays|these days|since|permanently|for good|for (?:\w+ "
                       r")?years)"
                       r"\b", _I)  # fmt: skip
_SHORT_STAY = re.compile(
    r"\b(?:right now|for (?:the|a|two|three) (?:weekend|week|day|days|weeks|meeting|conference|"
    r"night)|today|until|tonight|this week|on holiday|visiting|next|tomorrow|just now|back)\b",
    _I,
)
_BEHIND = re.compile(
    rf"\s*(?:,|:|\(|–|-)?\s*(?:on|at|under|tel\.?:?|phone:?|e?-?mail:?|reachable (?:on|at)|you can "
    rf"(?:reach|call) (?:him|her|them) (?:on|at))?\s*(?P<v>{PHONE}|{EMAIL})", _I,
)  # fmt: skip
_DEGREE = re.compile(
    r"\bwith (?:an?|my|his|her) (?:[\w']+ )?(?:degree|master'?s|bachelor'?s|phd|doctorate|msc|bsc|"
    r"ma|"
    r"diploma|mba)(?: degree)? in (?P<v>[\w &-]+)", _I,
)  # fmt: skip
_SPEND = re.compile(
    r"(?:(?:can't|cannot|don't want to|won't|mustn't|not) (?:spend|pay|go over|go above|exceed)"
    r"(?: (?:any )?more than)?|(?:spend|pay) (?:at most|no more than|up to|max(?:imum)?)|(?:have|"
    r"'ve "
    r"got|have got|set aside|budgeted|saved) (?:about |around |up to )?(?=[^,]* (?:to spend|for "
    r"the "
    r"(?:trip|holiday|move|wedding|party|renovation)))|budget of|(?:limit|cap|maximum|max|ceiling) "
    rf"is)\s+(?:about |around )?(?P<v>{NUMBER})(?=\s*(?:euros?|pounds?|dollars?|francs?|kroner?|"
    rf"kronor|"
    r"yen|usd|eur|gbp|chf|€|$|,|to spend|on|for|a|per|in total|all in|max))", _I,
)  # fmt: skip
_TRIP = re.compile(r"\b(?:trip|holiday|flights?|travel|vacation|journey|honeymoon)\b", _I)
_HOME_IS = re.compile(rf"\s*(?P<v>{NAME}) (?:is|'s|has been|has become) (?:(?:my |our )?home|where "
                      r"(?:I|we) live)(?![\w-])")  # fmt: skip
_WAY = re.compile(
    r"(?:best|easiest|quickest|fastest|surest|only) (?:way|place|thing) (?:to|for) (?:get|reach|"
    r"contact|find|catch|getting|reaching|contacting)(?: hold of)? (?P<who>me|us|him|her|them|"
    rf"(?-i:{NAME}))\s*(?:is|:)?\s*(?:by |via |on |through |over |to )?(?P<v>signal|whatsapp|"
    r"telegram|slack|e-?mail|text|phone|sms|messages?|discord|teams|letter|a call|post|threema|"
    r"messenger|instagram)\b|(?P<v2>e-?mail|texts?|signal|whatsapp|slack|phone|sms|calls?) (?:is|"
    r"are|"
    r"works?) (?:better|best|easier|easiest|fine|preferred) (?:for|with) (?P<who2>me|us)", _I,
)  # fmt: skip


def read(clause: Clause, who: str) -> Iterator[Candidate]:
    """What the whole of a clause states; ``who`` is its subject, empty where there is none."""
    scene, text = clause.scene, clause.text
    for pattern, concept in _TASTES:
        if (found := pattern.match(text, clause.begin)) and (owner := _whose(clause, found["who"])):
            value = trimmed(text, *found.span("v"))
            if value and value.text.lower() not in ("it", "that", "this", "which", "he", "she"):
                yield clause.candidate(owner, scene.words.concept(concept, owner), value.text)
            return
    if (found := _TONGUE.match(text, clause.begin)) and (owner := _whose(clause, found["who"])):
        name = scene.words.concept("native_language", owner)
        yield clause.candidate(owner, name, found["v"])
        return
    if found := _PAIR.match(text, clause.begin):
        name = found["v"] or found["v2"]
        if found["how"] != "divorced" and is_name(name):
            concept = "spouse" if found["how"] == "married" else "partner"
            scene.people.name(fold(name))
            attribute = scene.words.concept(concept, scene.speaker)
            yield clause.candidate(scene.speaker, attribute, name)
        return
    if found := _WAY.search(clause.light):
        owner = _whose(clause, found["who"] or found["who2"])
        if owner:
            name = scene.words.concept("preferred_channel", owner)
            yield clause.candidate(owner, name, found["v"] or found["v2"])
        return
    if ticket := order_status(text, clause.begin):
        name = scene.words.concept("status", fold(ticket[0]))
        yield clause.candidate(ticket[0], name, ticket[1])
        return
    if who and (found := _AT_STREET.search(text)) and not _SHORT_STAY.search(clause.light):
        value = trimmed(text, *found.span("v"))
        if value:
            yield clause.candidate(who, scene.words.concept("address", who), value.text)
        return
    if who and (found := _NOW_IN.search(text)) and found.start() <= clause.begin + 60:
        words = scene.text[clause.start : clause.end]
        if _NOWADAYS.search(words) and not _SHORT_STAY.search(words) and is_name(found["v"]):
            yield clause.candidate(who, scene.words.concept("city", who), found["v"])

    if (
        who
        and (found := _IS_TITLE.search(text, clause.begin))
        and found.start() <= clause.begin + 40
    ):
        concept = "job_title" if who == scene.speaker else "role"
        yield clause.candidate(who, scene.words.concept(concept, who), found["v"])
        return
    if found := _ASSIGNED.search(text, clause.begin):
        name = scene.words.first(["assignee", "owner"], fold(found["id"]))
        yield clause.candidate(found["id"], name, found["v"])
        return
    if found := _PAGER.search(text, clause.begin):
        yield from _on_call(clause, found)
        return
    if found := _HOME_IN.match(text, clause.begin):
        yield clause.candidate(
            scene.speaker, scene.words.concept("city", scene.speaker), found["v"]
        )
        return
    if found := _FOR_WHOM.search(text, clause.begin):
        owner = _whose(clause, found["who"])
        if found["word"]:
            owner = scene.people.relative(scene.speaker, found["word"], found["name"])
        if owner:
            yield clause.candidate(owner, scene.words.concept("medication", owner), found["v"])
        return
    if who and (found := _SPEND.search(clause.light)):
        counted = number(found["v"])
        concept = "trip_budget" if _TRIP.search(scene.text) else "budget"
        if counted is not None:
            yield clause.candidate(who, scene.words.concept(concept, who), counted)
        return
    if (found := _HOME_IS.match(text, clause.begin)) and is_name(found["v"]):
        yield clause.candidate(
            scene.speaker, scene.words.concept("city", scene.speaker), found["v"]
        )


def _on_call(clause: Clause, found: re.Match[str]) -> Iterator[Candidate]:
    """Who has the pager, where being on call is declared or in use."""
    scene = clause.scene
    names = ("on_call", "oncall", "on_call_engineer", "pager", "on_duty")
    used = {fold(a) for a in scene.known.attributes()}
    name = next((n for n in names if n in used or scene.words.declared(n, exact=True)), None)
    holders = [r.subject for r in scene.known.facts(attribute=name) if r.subject] if name else []
    owner = fold(found["of"]) if found["of"] else None
    owner = owner or scene.project(clause.light) or (holders[0] if len(holders) == 1 else None)
    said = scene.episode.message.speaker if found["who"] == "I" else found["who"]
    if name and owner and said and (found["who"] == "I" or is_name(said)):
        yield clause.candidate(owner, name, said)


def titles(clause: Clause) -> Iterator[Candidate]:
    """ "Marit, our CFO, …"; "we hired Pell as lead architect"."""
    scene = clause.scene
    if (found := _AS_A.match(clause.light, clause.begin)) and (title := job(found["v"])):
        yield clause.candidate(
            scene.speaker, scene.words.concept("job_title", scene.speaker), title
        )
    for pattern in (_BESIDE_NAME, _NAMED_AS, _TITLE_FIRST):
        for found in pattern.finditer(scene.text, clause.start, clause.end):
            title = (found.groupdict().get("part") or "") + found["v"]
            title = re.sub(r"^new ", "", title, flags=_I)
            if is_name(found["who"]) and not RELATED.fullmatch(title):
                who = fold(found["who"])
                yield clause.candidate(who, scene.words.concept("role", who), title)


def degrees(clause: Clause, who: str) -> Iterator[Candidate]:
    """ "… with a degree in textile design"."""
    found = _DEGREE.search(clause.text)
    value = trimmed(clause.text, *found.span("v")) if found and who else None
    if value:
        name = clause.scene.words.concept("subject_of_study", who)
        yield clause.candidate(who, name, value.text)


def places(clause: Clause) -> Iterator[Candidate]:
    """ "… near Leith, where I live"."""
    scene = clause.scene
    for found in _WHERE.finditer(scene.text, clause.start, clause.end):
        said = found["who"]
        owner = scene.speaker
        if said not in ("I", "we"):
            owner = fold(said)
            if found["word"]:
                owner = scene.people.relative(scene.speaker, found["word"], found["name"])
        how = re.sub(r"^(?:am|is|are|was|were|'m|'re) ", "", found["how"])[:3]
        if concept := _PLACES.get(how):
            yield clause.candidate(owner, scene.words.concept(concept, owner), found["v"])


_BRACKETS = re.compile(rf"(?P<who>{NAME}) [(\[<](?P<v>{EMAIL}|{PHONE})[)\]>]")


def bracketed(clause: Clause) -> Iterator[Candidate]:
    """ "Carmen (carmen@luma.example) …"."""
    scene = clause.scene
    for found in _BRACKETS.finditer(scene.text, clause.start, clause.end):
        if is_name(found["who"]):
            who, concept = fold(found["who"]), "email" if "@" in found["v"] else "phone"
            yield clause.candidate(who, scene.words.concept(concept, who), found["v"])


def contacts(clause: Clause, stated: Sequence[Candidate]) -> Iterator[Candidate]:
    """The number or the address right behind the name that a clause states."""
    scene = clause.scene
    for each in stated:
        if each.kind != "state" or not isinstance(each.value, str) or not is_name(each.value):
            continue
        place = scene.text.find(each.value, clause.start)
        found = _BEHIND.match(scene.text, place + len(each.value)) if place >= 0 else None
        if found is None or any(c.value == found["v"] for c in stated):
            continue
        said = found["v"] if "@" in found["v"] else phone(found["v"])
        if said:
            who = fold(each.value)
            concept = "email" if "@" in said else "phone"
            yield clause.candidate(who, scene.words.concept(concept, who), said.rstrip("."))


def _whose(clause: Clause, words: str) -> str:
    plain = words.lower()
    if plain in ("my", "our", "me", "us"):
        return clause.scene.speaker
    if plain in ("his", "her", "him", "them"):
        return clause.scene.people.last(plain) or ""
    return fold(words.removesuffix("'s"))


def related(clause: Clause) -> Iterator[Candidate]:
    """ "The vet for our rabbits is Dr Lindqvist", "our GP, Dr Mensah, …"."""
    scene = clause.scene
    found = re.match(
        rf"\s*(?:[Tt]he|[Mm]y|[Oo]ur)\s+(?P<noun>(?i:{RELATED.pattern.split('(?:,?')[0]}))"
        rf"(?:\s+(?:for|of)\s+(?:my|our|the)\s+[\w ]+?)?\s+(?:is|'s|is called)\s+(?P<v>{NAME})",
        clause.text[clause.begin :],
    )
    if found and is_name(found["v"]):
        _, attribute, gender = relation(found["word"])
        scene.people.name(fold(found["v"]), gender)
        yield clause.candidate(
            scene.speaker, scene.words.concept(attribute, scene.speaker), found["v"]
        )


def introduced(clause: Clause) -> Iterator[Candidate]:
    """ "I'm Theo Brandt from Halcyon Freight"."""
    scene = clause.scene
    found = _COMES_FROM.search(clause.text)
    if found and " " in found["v"].strip():
        name = scene.words.concept("employer", scene.speaker)
        yield clause.candidate(scene.speaker, name, found["v"])
