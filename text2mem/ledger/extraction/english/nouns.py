"""Attributes that are named: "my customer number is …", "Henrike is my boss"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english import persons
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.people import NAME, RELATED, Tie, is_name, relation
from text2mem.ledger.extraction.english.scene import Topic
from text2mem.ledger.extraction.english.subjects import Subject, noun_phrase
from text2mem.ledger.extraction.english.values import (
    EMAIL,
    NUMBER,
    PHONE,
    URL,
    Value,
    listed,
    number,
    phone,
    trimmed,
)
from text2mem.ledger.extraction.english.vocabulary import snake_case

_I = re.IGNORECASE
_IS = re.compile(
    r"\s*(?:(?:(?:is|'s|are|was|were|remains?|stays?|has been|will be|reads|would be)(?:\s+(?:set|"
    r"changed|"
    r"switched|moved|fixed|kept|listed))?(?:\s+(?:to|at|as|for|on|with))?)|(?:has|have|"
    r"bears)(?:\s+the)?\s+(?:number|name|code|id|value)|"
    r"(?:got|was|were|has been|gets|will get) (?:re)?(?:named|set|bumped|raised|lowered|cut|pushed|"
    r"increased|reduced|extended|upgraded|updated|moved|changed)(?: back| up| down| over)? (?:to|"
    r"at|as)|"
    r"has changed to|changed to|became|has become|ends in|goes)\s*:?\s+(?P<v>.+)$", _I,
)  # fmt: skip
_NEWS = re.compile(
    r"\s*(?:has|have|is|'s)\s+(?:changed|new|different|another one)\s*$|\s*changed\s*$", _I
)
_LABEL = re.compile(
    rf"(?P<np>(?:(?i:my|our|his|her|their)|(?-i:{NAME})'s) [\w' -]{{2,40}}?)\s*:\s+(?P<v>.+)$", _I
)
_NEW_LABEL = re.compile(
    r"(?:(?:the|my|our|new|updated|correct|current|here's my|here is my)\s+)*(?P<np>[\w -]{3,30}?)"
    r"(?:,[^:]{1,24})?\s*:\s+(?P<v>.+)$", _I,
)  # fmt: skip
_CALLED = re.compile(r"\s*(?:is|'s|are|was)\s+(?:called|named)\s+(?P<v>.+)$", _I)
_INVERSE = re.compile(
    r"\s*(?P<v>.+?)\s+(?:is|'s|are)\s+(?:the|my|our)\s+(?P<noun>[\w' -]+?)(?:\s+(?:here|"
    r"for (?:this|the) (?:repo|"
    rf"project|repository)|of (?P<of>{NAME}|[a-z][\w-]+)))?$", _I,
)  # fmt: skip
_VAGUE = (
    r"(?:(?:only|main|other|big|first|one|biggest|next|last) )?(?:thing|things|point|question|idea|"
    r"problem|guess|advice|issue|worry|hope|dream|plan is|favou?rite|turn|fault|concern|answer|"
    r"take|"
    r"reason|excuse|bad|understanding|impression|experience|opinion|mistake|feeling|life|day|week|"
    r"weekend|head|course|way|stuff)"
)
_AND_A = re.compile(
    rf"(?:,| and|, and) (?:an?|one) (?:\w+ )?{RELATED.pattern.split('(?:,?')[0]},? (?:called |"
    rf"named )?"
    rf"(?P<called>{NAME})"
)
_AT = re.compile(r"\s+(?:at|for|with)\s+(?P<v>(?:the )?[A-Z].*)$")
_PART = re.compile(r"(?P<noun>[\w' -]+?)\s+(?:for|of|at|in|on)\s+.+")
_HEADS = re.compile(
    r"(?:number|name|size|colou?r|code|id|address|type|plan|password|passphrase|key|username|"
    r"handle|time|"
    r"day|date|method|brand|model|title|rate|budget|limit|pin|login|account|channel|token|policy|"
    r"provider|destination|goal|target|nationality|pronouns|height|weight|language|tongue|license|"
    r"licence|"
    r"plate|card|team|department|office|desk|room|floor|level|version|tool|editor|framework|region|"
    r"zone|"
    r"timezone|currency|signature|motto|score|degree|major|subject|instrument|sport|club|airline|"
    r"hotel|"
    r"bank|insurer|operator|carrier|network|browser|laptop|phone|car|bike|gym|pharmacy|hospital|"
    r"church|"
    r"manager|engineer|contact|person|command|severity|commander|assignee|approver|on-call|"
    r"captain|chair|treasurer|"
    r"conductor|"
    r"director|lead|owner|maintainer|reviewer|url|link|domain|server|branch|port|database|host|"
    r"prefix|format|"
    r"interval|frequency|quota|threshold|deposit|rent|salary|fee|price|allowance|dose|dosage|slot|"
    r"seat|gate|"
    r"spot|bay|locker|shift|hours|reference|order|ticket|policy|contract|membership|subscription|"
    r"status|"
    r"priority|strategy|style|convention|encoding|separator|postcode|zip|extension)s?$", _I,
)  # fmt: skip
_NO_VALUE = re.compile(
    r"(?:not|n't|no|so|too|very|really|a bit|being|getting|going|coming|about to|at|in|on|with|out|"
    r"off|up|down|"
    r"gone|here|there|back|fine|ok|okay|good|great|bad|nice|awful|terrible|broken|late|early|ready|"
    r"done|"
    r"what|how|why|where|when|who|because|if|that|to be|like|over|better|worse|full|empty|the same|"
    r"wrong|right|correct|important|expensive|cheap|slow|fast|funny|strange|\w+ing)(?![\w'-])",
    _I,
)
_FAVOURITE = re.compile(r"(?:favou?rite|preferred)\s+\w+", _I)
_CODE = re.compile(r"(?=[A-Z0-9-]{4,}(?:[,.\s]|$))[A-Z-]*\d[A-Z0-9-]*", re.ASCII)
_HAS = re.compile(
    r"\s*(?:have got|has got|'ve got|'s got|have|has|'ve|own|owns|keep|keeps|adopted|got|bought)\s+"
    r"(?:an?|one|two|three|four|five|six|\d)\s+(?P<tail>.+)$",
    _I,
)
_MAKER = r"(?:has|have|got|'s got|'ve got|bears)"
_NEW = re.compile(
    rf"\s*(?:(?:have|has|'ve|'s)\s+(?=changed))?(?:{_MAKER}|changed|is using|now uses|now has|was "
    rf"given|were given|received)\s+(?:a |an |"
    r"(?:my|his|her|their|our) )?(?:new |different |"
    r"second |work )?(?P<noun>(?:(?:mobile |cell |tele)?phone|mobile|e-?mail|"
    r"contact)?\s*(?:number|address|phone|"
    rf"mobile|e-?mail))(?P<tail>.*)$", _I,
)  # fmt: skip
_COUNTED = re.compile(
    r"\s*(?:(?:we|i)(?:'re|\s+are|\s+am|'m)\s+on|have|has|need|use|are on|'re on|is on|'s on|"
    r"pay for|are paying for|with)\s+"
    rf"(?:the\s+)?(?P<n>{NUMBER})\s+(?P<noun>seats|licen[cs]es|users|employees|accounts|desks|"
    r"stores|"
    rf"branches|machines|servers)(?![\w-])", _I,
)  # fmt: skip
_PLAN = re.compile(
    r"\s*(?:(?:'ve|have|has)\s+)?(?:(?:'re|'m|am|are|is|'s|have been|has been|'ve been|been)\s+on|"
    r"use|uses|have|has|upgraded to|downgraded to|"
    r"switched to|moved to|signed up for|subscribed to|subscribe to|pay for)\s+(?:the\s+|a\s+|"
    r"an\s+|your\s+)?"
    r"(?P<v>(?-i:[A-Z])[\w+]*(?: (?-i:[A-Z])\w*)?)(?P<word>\s+(?:plan|tier|subscription|package|"
    r"membership))?"
    r"(?=\s+(?:with|and|for|since)\b|\s*$|\s*,)", _I,
)  # fmt: skip


def owned(clause: Clause, subject: Subject, *, kind_of_thing: bool) -> Iterator[Candidate]:
    """ "X's Y is Z". ``kind_of_thing``: the clause names a thing, "the Y is Z"."""
    scene, noun = clause.scene, subject.noun
    dated = re.search(r"birthday|date of birth|anniversary|born|name day", noun, _I)
    text = clause.light if dated else clause.text
    found = _CALLED.match(text, subject.rest) or _IS.match(text, subject.rest)
    owner = subject.who
    if not noun:
        return
    head, mark, tail = noun.rpartition("'s ")
    if mark and (scene.words.declared(snake_case(tail)) or fold(head) in scene.known.subjects()):
        owner = fold(head) if fold(head) in scene.known.subjects() else owner
        noun = tail
    if part := _PART.fullmatch(noun):
        whole, _ = scene.words.noun(noun, owner or scene.speaker)
        if not scene.words.declared(whole) and whole not in scene.words.of(owner):
            noun = part["noun"]
    if owner and _NEWS.match(text, subject.rest):
        scene.topic = Topic(owner, noun)  # the value follows: "Mum's number has changed: …"
        return
    if kind_of_thing:
        project = subject.scope or scene.project(clause.text)
        owner = scene.holder(clause.light) or project or scene.speaker
    if (owner and not found and _HEADS.search(noun)) or _FAVOURITE.match(noun):
        scene.topic = Topic(owner, noun)
    if not found or not owner or re.fullmatch(_VAGUE, noun, _I):
        return
    if (
        kind_of_thing
        and scene.topic
        and noun.lower() in ("number", "address", "name", "new number")
    ):
        owner, noun = scene.topic.owner, scene.topic.noun if noun != "name" else noun
    attribute, sure = scene.words.noun(noun, owner)
    base, _, word = owner.rpartition("_")
    if attribute == "name" and base and RELATED.fullmatch(word) and (base == scene.speaker):
        owner, attribute = base, scene.words.concept(relation(word)[1], base)
        if is_name(found["v"].split(",")[0].strip()):
            scene.people.name(fold(found["v"].split(",")[0].strip()), relation(word)[2])
    coded = _HEADS.search(noun) and _CODE.match(found["v"])
    if (
        kind_of_thing
        and not sure
        and not coded
        and not (owner in scene.projects and _HEADS.search(noun))
    ):
        return
    value = trimmed(text, *found.span("v"), articles=attribute not in ("blood_type", "blood_group"))
    if value is None:
        return
    raw = trimmed(text, *found.span("v"), articles=False)
    if re.match(r"(?:from|between)\s+\d|.*\b(?:to|and|at|of)$", value.text):
        return
    if (
        raw is not None
        and attribute != "hobbies"
        and _NO_VALUE.match(raw.text)
        and not re.match(r"[A-Z]", value.text)
    ):
        return
    if not (
        sure
        or attribute == "hobbies"
        or _HEADS.search(noun)
        or _FAVOURITE.match(noun)
        or _telling(value.text)
    ):
        return
    if kind_of_thing and owner == scene.speaker and not _telling(value.text):
        return
    scene.topic = Topic(owner, noun)
    if noun == "name":
        if not is_name(value.text):
            return
        value = next(iter(persons.first_name(value, text)), value)
    if is_name(value.text):
        scene.people.name(fold(value.text))
    project_like = owner in scene.projects
    items = [value]
    known = scene.known.registry.attribute(attribute)
    if known.cardinality == "many":
        items = list(listed(value, text))
    if attribute in ("role", "job_title", "position") and (at_ := _AT.search(value.text)):
        name = scene.words.concept("employer", owner)
        yield clause.candidate(owner, name, at_["v"].removeprefix("the "))
        items = [Value(value.text[: at_.start()], value.start, value.start + at_.start())]
    for item in items:
        said = fitted(clause, attribute, item.text)
        if said is not None:
            yield clause.candidate(owner, attribute, said, project=project_like, timed=not dated)


def fitted(clause: Clause, attribute: str, words: str) -> Any:
    """A value as its attribute takes it: a number, a telephone number, a date, else the words."""
    known = clause.scene.known.registry.attribute(attribute)
    if known.value_type == "number":
        counted = re.match(rf"(?:{NUMBER})(?![\w.])", words, _I)
        return number(counted[0]) if counted else None
    if known.value_type == "date" or attribute.endswith(("_deadline", "_date")):
        return clause.scene.times.date(words) or (None if known.value_type == "date" else words)
    if known.normaliser == "phone":
        return phone(words) or words
    if known.normaliser == "email":
        found = re.search(EMAIL, words)
        return found[0] if found else None
    if known.normaliser == "url":
        found = re.search(URL, words)
        return found[0] if found else words
    if attribute.endswith("budget") and (
        counted := re.match(
            rf"(?:about |around |at most |up to )?(?P<n>{NUMBER})(?![\w.])", words, _I
        )
    ):
        return number(counted["n"])
    if re.fullmatch(r"\d{1,9}", words) and attribute in ("port", "line_length", "seats", "age"):
        return int(words)
    return words.strip("`'\"")


def _telling(value: str) -> bool:
    """Whether a value is one by its look: a name, a number, a code, quoted."""
    return bool(re.search(r"[A-Z0-9@`\"/_-]", value)) and len(value.split()) <= 8


def inverse(clause: Clause, ties: list[Tie]) -> Iterator[Candidate]:
    """ "Develop is our default branch", "Tilda is my sister"."""
    scene = clause.scene
    found = _INVERSE.match(clause.text, clause.begin)
    if not found or re.match(
        r"(?:it|that|this|he|she|there|what|who|i|we|you|they)\b", found["v"], _I
    ):
        return
    noun, value = found["noun"].strip(), trimmed(clause.text, *found.span("v"))
    if value is None:
        return
    related = RELATED.fullmatch(noun)
    if related and not related["name"]:
        names = re.split(r", and |, | and ", value.text)
        if all(map(is_name, names)) and re.search(r"(?:my|our)\s+[\w -]+$", found[0], _I):
            _, attribute, gender = relation(related["word"])
            scene.people.name(fold(value.text), gender)
            name = scene.words.concept(attribute, scene.speaker)
            for each in names:
                yield clause.candidate(scene.speaker, name, each)
        return
    project = scene.project(clause.text)
    owner = project or scene.speaker
    if found["of"]:
        owner = fold(found["of"])
    attribute, sure = scene.words.noun(noun, owner)
    favourite = _FAVOURITE.match(noun) and not project
    if favourite:
        owner = scene.speaker
    if sure or favourite:
        said = fitted(clause, attribute, value.text)
        if said is not None and len(value.text.split()) <= 6:
            yield clause.candidate(owner, attribute, said, project=owner in scene.projects)


def household(clause: Clause, subject: Subject) -> Iterator[Candidate]:
    """ "We have two cats, Miso and Ramen"; "I have a sister called Ida"."""
    found = _HAS.match(clause.text, subject.rest)
    if not found or not subject.who:
        return
    tail = found["tail"]
    related = re.match(rf"(?:\w+(?:-\w+)*[ -]){{0,2}}?{RELATED.pattern}", tail)
    if not related:
        return
    called, attribute, gender = relation(related["word"])
    names = related["name"] or ""
    rest = tail[related.end("rel") :]
    named = re.match(
        r"(?:\s+(?:who (?:is|are) )?(?:called|named|by the name of)|,|:|\s+whose names? (?:is|"
        r"are))\s*(?P<names>"
        rf"{NAME}(?:(?:, | and |, and ){NAME})*)", rest,
    )  # fmt: skip
    scene = clause.scene
    name = scene.words.concept(attribute, subject.who)
    if not (named or names):
        scene.people.name(f"{subject.who}_{fold(called)}", "" if gender == "p" else gender)
        return
    for more in _AND_A.finditer(tail, related.end("rel")):
        _, other, sex = relation(more["word"])
        if more["called"] and is_name(more["called"]):
            scene.people.name(fold(more["called"]), sex)
            yield clause.candidate(
                subject.who, scene.words.concept(other, subject.who), more["called"]
            )
    listed_names = (
        re.split(r", and |, | and ", named["names"]) if named else [names] if names else []
    )
    for each in listed_names:
        scene.people.name(fold(each), gender)
        yield clause.candidate(subject.who, name, each)


def contact(clause: Clause, subject: Subject) -> Iterator[Candidate]:
    """ "Leela has a new phone, the number is …"; "we're on Pro with 12 seats"."""
    scene = clause.scene
    if found := _NEW.match(clause.text, subject.rest):
        scene.topic = Topic(subject.who, found["noun"], _today(clause))
        attribute, _ = scene.words.noun(found["noun"], subject.who)
        mail = re.search(EMAIL, found["tail"])
        said = mail[0] if mail and "mail" in found["noun"] else phone(found["tail"])
        if said:
            yield clause.candidate(subject.who, attribute, said, begins=_today(clause))
        return
    if found := _COUNTED.search(clause.text, max(subject.rest - 1, 0)):
        attribute = snake_case(found["noun"])
        known = scene.words.declared(attribute) or attribute in scene.words.of(subject.who)
        if known or attribute in ("seats", "licences", "licenses"):
            name = scene.words.first([attribute, "seats"], subject.who)
            yield clause.candidate(subject.who, name, number(found["n"]))
    if found := _PLAN.match(clause.text, subject.rest):
        plan = scene.words.concept("plan", subject.who)
        known = scene.words.declared(plan) or plan in {fold(a) for a in scene.known.attributes()}
        if (found["word"] or known) and not re.match(r"(?:I|We)\b", found["v"]):
            yield clause.candidate(subject.who, plan, found["v"])


def labelled(clause: Clause) -> Iterator[Candidate]:
    """ "My locker number: 118"."""
    scene = clause.scene
    found = _LABEL.match(clause.text, clause.begin)
    read = noun_phrase(scene, found["np"], clause.start, clause.end, []) if found else None
    if not found and (label := _NEW_LABEL.match(clause.text, clause.begin)):
        attribute, sure = scene.words.noun(label["np"], scene.speaker)
        value = trimmed(clause.text, *label.span("v"))
        kind = scene.known.registry.attribute(attribute).normaliser
        held = attribute in scene.words.of(scene.speaker) or kind in ("phone", "email")
        if sure and held and value is not None and len(value.text.split()) <= 8:
            said = fitted(clause, attribute, value.text)
            if said is not None:
                yield clause.candidate(scene.speaker, attribute, said)
        return
    if not found or read is None or read[0] != "owned" or not read[1]:
        return
    attribute, sure = scene.words.noun(read[2], read[1])
    value = trimmed(clause.text, *found.span("v"))
    if value is None or not (sure or _HEADS.search(read[2])) or len(value.text.split()) > 8:
        return
    said = fitted(clause, attribute, value.text)
    if said is not None:
        yield clause.candidate(read[1], attribute, said, project=read[1] in scene.projects)


def bare(clause: Clause) -> Iterator[Candidate]:
    """A clause that is nothing but the number or address that was spoken of."""
    topic, words = clause.scene.topic, clause.light.strip(" ,.")
    if topic is None:
        return
    said = re.fullmatch(PHONE, words) or re.fullmatch(EMAIL, words)
    attribute, _ = clause.scene.words.noun(topic.noun, topic.owner)
    kind = clause.scene.known.registry.attribute(attribute).normaliser
    if said and kind in ("phone", "email") and ("@" in words) == (kind == "email"):
        yield clause.candidate(topic.owner, attribute, words, begins=topic.since)


def _today(clause: Clause) -> Any:
    """The day that is named beside a change, as past."""
    return next((one.when[0] for one in clause.adjuncts if one.when), None)
