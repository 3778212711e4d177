"""Answers to what the assistant asked: a value, a yes or a no."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from text2mem.ir.naming import fold
from text2mem.ir.record import Record
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english import held, persons
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.people import NAME, RELATED, is_name, relation
from text2mem.ledger.extraction.english.scene import Scene
from text2mem.ledger.extraction.english.text import words
from text2mem.ledger.extraction.english.values import (
    EMAIL,
    NUMBER,
    listed,
    number,
    phone,
    trimmed,
)

_I = re.IGNORECASE
_YES = re.compile(
    r"(?:(?:oh|well|ok|okay|hm+),? )*(?:yes|yeah|yep|yup|sure|of course|certainly|absolutely|"
    r"please do|do (?:so|keep|"
    r"remember|save|store|that)|go ahead|ok(?:ay)?|fine|by all means|sounds good|that's fine|"
    r"that's right|correct|"
    r"that's ok|why not|you (?:can|may)|please (?:keep|remember|save|store|note)(?! that)|"
    r"definitely|feel free|keep it|save it|"
    r"alright|all right|right|good idea|i'd like that|i would|confirmed|agreed|i don't mind|"
    r"no problem|exactly)\b",
    _I,
)
_NO = re.compile(
    r"(?:(?:oh|well|ok|okay|hm+),? )*(?:no\b(?! problem)|nope|nah|rather not|better not|"
    r"please don't|don't|do not|never mind|not (?:really|"
    r"necessary|needed|now|this one)|i'd rather (?:not|you didn't)|i'd prefer (?:not|you didn't)|"
    r"leave it(?: out)?|"
    r"skip (?:it|that)|forget (?:it|that)|absolutely not|certainly not|drop it|keep (?:it|"
    r"that) out)",
    _I,
)
_KEEP = re.compile(r"\b(?:keep|remember|save|store|note|write|record|memori[sz]e)\b", _I)
_ASKED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, _I), concept)
    for pattern, concept in (
        (r"e-?mail|mail address", "email"),
        (r"\bnumber\b.*\b(?:call|reach|phone|text|ring|her|him|them|contact)\b|\b(?:phone|mobile|"
         r"telephone|contact|cell)\b.*\bnumber\b"
         r"|\bwhich number\b|\breach (?:you|her|him|them)\b|\bnumber for\b|\bcall (?:you|her|"
         r"him)\b.*\bon\b", "phone"),
        (r"\b(?:where|which address|what address|address)\b.*\b(?:deliver|ship|send|parcel|package|"
         r"order|delivery)|"
         r"\b(?:deliver|ship|delivery|shipping)\b.*\baddress", "delivery_address"),
        (r"\b(?:home |postal |street )?address\b", "address"),
        (r"\bwhere (?:do|does|are|is)\b.*\b(?:live|living|based|home)\b|\b(?:which|what) (?:city|"
         r"town)\b|\bwhere (?:would|do|will) "
         r"(?:you|we) (?:start|leave|set off|depart)", "city"),
        (r"\b(?:which|what) country\b", "country"),
        (r"\bwhere (?:do|does) .*\bwork\b|\bwho (?:do|does) .*\bwork for\b|\bemployer\b|"
         r"\bwhich company\b|\bwhat company\b", "employer"),
        (r"\bfor a living\b|\bjob\b|\bprofession\b|\boccupation\b|\bline of work\b", "job_title"),
        (r"\ballerg|\bavoid\b|\bintoleran", "allergies"),
        (r"\b(?:children|kids|sons?|daughters?)\b", "children"), (r"\bpets?\b", "pets"),
        (r"\b(?:which|what|name of your|your) bank\b|\bbank with\b", "bank"),
        (r"\binsur(?:ed|er|ance)\b", "insurer"),
        (r"\b(?:which|what|where)\b.*\b(?:school|university|college|stud(?:y|ying))\b", "school"),
        (r"\b(?:which|what) (?:team|department)\b", "team"),
        (r"\b(?:who is|who's|name of) your (?:manager|boss)\b|\breport to\b", "manager"),
        (r"\bwhich hotel\b|\bwhere .*\bstaying\b", "hotel"),
        (r"\bdiet\b|\bvegetarian\b|\bvegan\b|\bdietary\b", "diet"),
        (r"\blanguages?\b.*\b(?:answer|reply|write|respond|prefer)\b", "answer_language"),
        (r"\blanguages?\b|\bspeak\b", "languages"),
        (r"\bbirthday\b|\bborn\b|\bdate of birth\b", "birthday"),
        (r"\b(?:medication|medicine|tablets?|pills?)\b", "medication"),
        (r"\bhobb(?:y|ies)\b|\bspare time\b|\bfree time\b", "hobbies"),
        (r"\bbudget\b|\bmay (?:it )?cost\b|\bhow much\b.*\b(?:spend|cost|budget|pay)\b|"
         r"\blimit\b.*\bcost\b|\bspend\b", "budget"),
        (r"\bhow many\b.*\b(?:seats|licen[cs]es)\b", "seats"),
        (r"\b(?:which|what) (?:plan|tier|subscription)\b", "plan"),
        (r"\b(?:when|what day|which day|what date)\b.*\b(?:leave|depart|set off|departure|fly|"
         r"travel)\b", "departure_date"),
        (r"\b(?:when|by when|what day|which day|until when)\b.*\b(?:back|"
         r"return|home)\b", "return_deadline"),
        (r"\bwhen\b.*\b(?:arrive|arrival|get there)\b", "arrival_date"),
        (r"\bplane\b.*\b(?:ship|train|ferry|car)\b|\b(?:train|car|ferry|ship|bus)\b.*\b(?:or|"
         r"plane)\b.*\b(?:plane|ship|train|car|bus|"
         r"ferry)\b|\bhow (?:would|do) you (?:like|prefer|"
         r"want) to travel\b", "preferred_transport"),
        (r"\bhow\b.*\b(?:contact|reach|notify)\b", "preferred_channel"),
        (r"\bwhat (?:should|shall|may) i call you\b|\bnickname\b", "nickname"),
        (r"\b(?:your|full) name\b", "name"),
        (r"\bshoe size\b", "shoe_size"), (r"\bwhere\b.*\bpark(?:ed)?\b", "parking_spot"),
        (r"\bpackage manager\b", "package_manager"), (r"\bdefault branch\b|"
                                                      r"\bmain branch\b", "default_branch"),
        (r"\b(?:run|command)\b.*\btests\b|\btests\b.*\b(?:run|command)\b|"
         r"\btest command\b", "test_command"),
        (r"\bport\b", "port"), (r"\bdatabase\b", "database"), (r"\bline length\b|\bhow long may a l"
                                                               r"ine\b", "line_length"),
        (r"\bwho (?:owns|maintains|is in charge of)\b", "owner"),
        (r"\b(?:deadline|due|by when)\b", "deadline"),
        (r"\bwhen\b.*\bprefer\b|\bwhat time\b.*\bsuit|\bwhen\b.*\bsuit", "preferred_time"),
        (r"\bhow old\b", "age"), (r"\bblood (?:type|group)\b", "blood_type"),
        (r"\b(?:which|what) (?:car|make of car)\b|\bwhat do you drive\b", "car"),
    )
)  # fmt: skip
_NOUN_ASKED = re.compile(
    r"\b(?:what|which|who)(?: is|'s| are| was)? (?:the name of )?(?P<owner>your|her|his|their|"
    r"the)\s+(?P<noun>[\w' -]+?)(?:\s+(?:called|named|name))?\?",
    _I,
)
_OPEN = re.compile(
    r"(?:(?:it's|it is|that'd be|that would be|that's|mine|mine is|mine's|hers|his|hers is|his is|"
    r"sure|yes|of course|please|try|use|"
    r"with|at|you can use|well|oh|ok|okay|thanks|hm+|the|from|in|by|on|at|probably|currently|to|"
    r"my|we use|"
    r"it is called|she's called|he's called|"
    r"(?:her|his) name is|called)(?![\w-])[\s,:;.!-]*)+",
    _I,
)
VERBAL = re.compile(
    r"(?:\b(?:i|we|he|she|they|you|it)\b\s+\w|\b(?:is|are|am|was|were|do|does|did|can|can't|don't|"
    r"have|has|will|would)\b|'m\b|'re\b|'ve\b)",
    _I,
)
REFUSAL = re.compile(
    r"(?:no|none|nothing|not|nobody|don't|never|neither|nope|i'd rather|any|either|whatever|"
    r"anything|no idea|dunno|why|that depends|it depends|both|yes|yeah|sure|ok|okay|thanks|perfect|"
    r"great|good)\b",
    _I,
)


_HOW_FAR = words("mostly mainly only chiefly usually sometimes basically really please thanks")
_COUNTS = words("One Two Three Four Five Six Just Only Yes Our My A An The")


def consent(scene: Scene, sentence: str) -> tuple[str, Sequence[Record]]:
    """Whether a sentence says yes ("confirm") or no ("reject") to what waits, and to what of it."""
    waiting = list(scene.known.waiting())
    if not waiting:
        return "", ()
    lately = {turn.episode.id for turn in scene.before[-4:]}
    fresh = [r for r in waiting if {str(s.get("episode")) for s in r.sources} & lately]
    named = [r for r in waiting if held.within(r.value, sentence.lower())]
    if not scene.offered and not (_KEEP.search(sentence) and (fresh or named)):
        return "", ()
    yes, no = _YES.match(sentence), _NO.match(sentence)
    if not yes and not no:
        return "", ()
    if not scene.offered and len(sentence.split()) > 8:
        return "", ()
    asked = [r for r in waiting if held.within(r.value, (scene.asked or "").lower())]
    chosen = named or asked or fresh or waiting
    first = [r for r in chosen if r.source_episode_id == chosen[0].source_episode_id]
    return ("reject" if no else "confirm"), first


def answer(clause: Clause, sentence: str) -> tuple[list[Candidate], int]:
    """What a fragment says in answer to a question of the assistant's, and how far it goes."""
    whole = list(_answer(clause, sentence))
    if whole:
        return whole, len(sentence)
    comma = re.search(r",\s", sentence)
    while (
        comma
        and len(sentence[: comma.start()].split()) < 3
        and _OPEN.fullmatch(sentence[: comma.end()])
    ):
        comma = re.compile(r",\s").search(sentence, comma.end())
    if comma is None:
        return [], 0
    return list(_answer(clause, sentence[: comma.start()])), comma.end()


def _answer(clause: Clause, sentence: str) -> Iterator[Candidate]:
    scene = clause.scene
    asked = scene.asked
    words = sentence.strip()
    if asked is None or (
        REFUSAL.match(words) and not re.match(r"(?:yes|yeah|sure|ok|okay)[,.:]\s*\S", words, _I)
    ):
        return
    lead = _OPEN.match(words)
    place = lead.end() if lead and lead.end() < len(words) else 0
    fragment = words[place:].strip(" .!,")
    if not fragment or (
        VERBAL.search(fragment) and not phone(fragment) and not re.search(EMAIL, fragment)
    ):
        return
    owner, concept, attribute = _question(scene, asked, words)
    if not owner or not (concept or attribute):
        return
    name = attribute or scene.words.concept(concept, owner)
    if concept == "budget":
        name = scene.words.first(["budget", "trip_budget", "travel_budget", "max_budget"], owner)
    for value in _typed(clause, concept or attribute, name, fragment):
        yield clause.candidate(owner, name, value, project=owner in scene.projects,
                               timed=not name.endswith(("_date", "deadline")))  # fmt: skip


def _question(scene: Scene, asked: str, answer_: str) -> tuple[str, str, str]:
    """Whose attribute a question asks for: the owner, the concept or the attribute's name."""
    owner = scene.speaker
    lower = asked.lower()
    if re.match(r"mine\b", answer_, _I):
        owner = scene.speaker
    elif re.search(r"\b(?:her|hers|him|his|she|he)\b", lower) and not re.search(
        r"\byour(?:s)?\b", lower
    ):
        pronoun = re.search(r"\b(?:her|hers|him|his|she|he)\b", lower)
        owner = scene.people.last(pronoun[0] if pronoun else "") or ""
    elif named := re.search(rf"\byour {RELATED.pattern}'s\b", asked):
        owner = scene.people.relative(scene.speaker, named["word"], named["name"])
    elif named := re.search(r"\b([A-Z]\w+)'s\b", asked):
        owner = (
            fold(named[1]) if fold(named[1]) not in ("what", "who", "where", "how", "it") else owner
        )
    noun = _NOUN_ASKED.search(asked)
    if noun:
        related = RELATED.fullmatch(noun["noun"].strip())
        if related and noun["owner"].lower() == "your":
            return (
                scene.speaker,
                "",
                scene.words.concept(relation(related["word"])[1], scene.speaker),
            )
        called = re.match(rf"{RELATED.pattern}\s*(?:'s)?\s*(?:name)?$", noun["noun"])
        if called and noun["owner"].lower() == "your":
            return scene.speaker, "", relation(called["word"])[1]
    if re.search(
        r"\bwhat(?:'s| is) (?:he|she) called\b|\bwhat(?:'s| is) (?:his|her) name\b", lower
    ):
        who = owner
        if "_" in who and is_relative(who):
            base, _, word = who.rpartition("_")
            return base, "", relation(word)[1]
    for pattern, concept in _ASKED:
        if pattern.search(asked):
            project = scene.projects[-1] if scene.projects else ""
            type_ = scene.words.type_of(concept)
            return (project or owner if type_ == "project" else owner), concept, ""
    if noun:
        attribute, sure = scene.words.noun(noun["noun"].strip(), owner)
        if sure or re.match(r"favou?rite\b", noun["noun"], _I):
            return owner, "", attribute
    return "", "", ""


def is_relative(subject: str) -> bool:
    """Whether a subject is a relative without a name, ``bram_mother``."""
    return "_" in subject and bool(RELATED.fullmatch(subject.rpartition("_")[2]))


def _typed(clause: Clause, concept: str, name: str, fragment: str) -> Iterator[Any]:
    """The values that a fragment holds for an attribute."""
    scene = clause.scene
    known = scene.known.registry.attribute(name)
    if concept in ("children", "pets"):
        names = re.findall(NAME, fragment)
        yield from (each for each in names if is_name(each) and each.split()[0] not in _COUNTS)
        return
    if known.normaliser == "phone":
        if said := phone(fragment):
            yield said
        return
    if known.normaliser == "email":
        if mail := re.search(EMAIL, fragment):
            yield mail[0]
        return
    if known.value_type == "number" or concept in ("budget", "seats", "age", "line_length", "port"):
        counted = re.match(
            rf"(?:about |around |at most |up to )?(?P<n>{NUMBER})(?![\w.])", fragment, _I
        )
        if counted:
            yield number(counted["n"])
        return
    if known.value_type == "date" or name.endswith(("_date", "deadline")):
        if day := scene.day(re.split(r",| at ", fragment)[0]):
            yield day
        return
    whole = trimmed(fragment, 0, len(fragment))
    if whole is None or len(whole.text.split()) > 8:
        return
    if concept == "diet":
        found = re.search(persons._DIETS, whole.text, _I)
        if found:
            yield found[0]
        return
    if known.cardinality == "many" or concept in ("allergies", "languages", "hobbies"):
        yield from (one.text for one in listed(whole, fragment) if one.text not in _HOW_FAR)
        return
    first = (
        re.split(r",\s|\s+and\s", whole.text)[0]
        if concept not in ("address", "delivery_address")
        else whole.text
    )
    if concept in ("city", "employer", "country") and not first[:1].isupper():
        return
    yield first.strip("`'\"")
