"""What a clause says of its subject, by the tables of predicates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english import ending, everyday, nouns, persons, projects
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.people import NAME, RELATED, Tie, is_name, relation
from text2mem.ledger.extraction.english.scene import Topic
from text2mem.ledger.extraction.english.subjects import Subject
from text2mem.ledger.extraction.english.text import words
from text2mem.ledger.extraction.english.values import listed

_I = re.IGNORECASE
_DEMONYM = re.compile(
    r"(?:\w+(?:ish|ian|ese|ean|ican|iss|ench|utch|reek|zech|elsh|hai|erman|raqi|raeli|istani|slim|"
    r"holic|orean|lander))$"
)
_COUNTRIES = words(
    "portugal spain france germany italy norway sweden denmark finland iceland ireland scotland "
    "england wales poland austria "
    "switzerland belgium netherlands the_netherlands luxembourg greece turkey russia ukraine china "
    "japan korea south_korea india "
    "pakistan bangladesh nepal thailand vietnam indonesia malaysia philippines australia "
    "new_zealand canada mexico brazil "
    "argentina chile peru colombia ecuador kenya nigeria ghana egypt morocco tunisia south_africa "
    "ethiopia israel jordan lebanon "
    "iran iraq hungary romania bulgaria croatia serbia slovenia slovakia czechia czech_republic "
    "estonia latvia lithuania malta "
    "cyprus the_uk uk the_us usa the_usa united_states united_kingdom great_britain cuba bolivia "
    "uruguay venezuela"
)
_BESIDE = {"job_title": "employer", "subject_of_study": "school"}
"""What the place is where somebody does what an attribute says."""
_OF_COMPANY = re.compile(rf"\s+(?:of|at|for)\s+(?:the )?(?P<v>{NAME}(?: (?:&|and) {NAME})?)")
_USED_TO = re.compile(r"\s*used to(?=\s)", _I)
_AUX = re.compile(
    r"\s*(?P<aux>'ve|have|has|'s|had|'d|did|do|does|was|were|just|'m|am)(?=\s+\w)", _I
)


def read(clause: Clause, subject: Subject, ties: list[Tie]) -> list[Candidate]:
    """What a clause says of its subject."""
    if subject.kind == "owned":
        return list(nouns.owned(clause, subject, kind_of_thing=False))
    if subject.kind == "thing" and subject.noun:
        return list(nouns.owned(clause, subject, kind_of_thing=True))
    if (
        subject.kind != "person"
        or not subject.who
        or subject.word in ("mine", "it", "that", "this", "you")
    ):
        return []
    scene = clause.scene
    found = list(nouns.contact(clause, subject)) or list(nouns.household(clause, subject))
    if found:
        return found
    if named := _names_relative(clause, subject):
        return named
    dislike = next(r for r in persons.ROWS if r.concept == "dislikes")
    taste = dislike.pattern.match(clause.text, subject.rest)
    positive = ending.without_negation(clause.text, subject.rest)
    if positive is not None and not taste:
        denied = [(c.attribute, c.value) for c in _predicate(clause, subject, positive)]
        return list(ending.denied(clause, subject, denied))
    if past := _USED_TO.match(clause.text, subject.rest):
        end = past.end()
        plain = clause.text[: past.start()] + " " * (end - past.start()) + clause.text[end:]
        plain = re.sub(r"^(\s*)be\b", r"\1am", plain[subject.rest :])
        plain = clause.text[: subject.rest] + plain
        over = [(c.attribute, c.value) for c in _predicate(clause, subject, plain)]
        return list(ending.denied(clause, subject, over))
    if subject.word == "we" and subject.scope:
        return []
    if persons.ALLERGIC.search(clause.text, max(subject.rest - 1, 0)):
        one = persons.avoided(scene.text[: clause.start])
        if one is None:
            return []
        name = scene.words.concept("allergies", subject.who)
        return [clause.candidate(subject.who, name, each.text) for each in listed(one, scene.text)]
    made = list(_predicate(clause, subject, clause.text))
    if not made and (aux := _AUX.match(clause.text, subject.rest)):
        end = aux.end("aux")
        plain = clause.text[: aux.start("aux")] + " " * (end - aux.start("aux")) + clause.text[end:]
        made = list(_predicate(clause, subject, plain))
    if made:
        scene.topic = Topic(subject.who, made[-1].attribute)
    return made


def _predicate(clause: Clause, subject: Subject, text: str) -> Iterator[Candidate]:
    scene, who = clause.scene, subject.who
    for row in (*persons.ROWS, *everyday.ROWS):
        found = row.pattern.match(text, subject.rest)
        if not found:
            continue
        made = False
        if row.concept in ("likes", "dislikes") and re.fullmatch(
            r"(?:it|them|that)", found["v"].strip(), _I
        ):
            tastes = [c.value for c in scene.stated if c.attribute in ("likes", "dislikes")]
            before = persons.avoided(scene.text[: clause.start]) if not tastes else None
            tastes += [before.text] if before else []
            if tastes:
                yield clause.candidate(who, scene.words.concept(row.concept, who), tastes[-1])
            return
        for value, at in persons.values(row, found, text):
            concept = row.concept
            if concept == "city" and fold(str(value)) in _COUNTRIES:
                concept = "country"
            if concept in ("spouse", "partner", "manager"):
                scene.people.name(fold(str(value)))
            made = True
            del at
            yield clause.candidate(who, scene.words.concept(concept, who), value)
        if made:
            as_ = re.search(
                r"\sas (?:an? |the |their )?(?P<v>[\w -]+)", text[found.start("v") :], _I
            )
            if row.concept == "employer" and as_ and (job := persons.job(as_["v"].strip())):
                yield clause.candidate(who, scene.words.concept("job_title", who), job)
            if row.concept == "team" and (of_ := _OF_COMPANY.match(text, found.end())):
                yield clause.candidate(who, scene.words.concept("employer", who), of_["v"])
            if beside := _BESIDE.get(row.concept):
                at_ = everyday.BESIDE.search(text, found.start("v"))
                if at_ and at_.start() <= found.end("v") + 1:
                    place = at_["v"].removeprefix("the ")
                    yield clause.candidate(who, scene.words.concept(beside, who), place)
            return
    if (found := persons.AT.match(text, subject.rest)) and (
        persons.WORK.search(scene.text) or clause.begins or clause.ends
    ):
        yield clause.candidate(who, scene.words.concept("employer", who), found["v"])
        return
    yield from _job(clause, subject, text)


def _names_relative(clause: Clause, subject: Subject) -> list[Candidate]:
    """ "My boss is called Henrike", "Edda's teacher is Ms Roth": a relative who had no name."""
    scene = clause.scene
    found = re.match(
        rf"\s*(?:(?i:is|'s|are|was)(?: (?P<called>(?i:called|named)))?|(?i:goes by|go by))\s+"
        rf"(?P<names>{NAME}(?:(?:, | and |, and ){NAME})*)\s*(?:$|,|\(|"
        r"(?:and|at|from|in|of|on|who|since|for|now)\b)",
        clause.text[subject.rest :],
    )
    base, _, word = subject.who.rpartition("_")
    if not found or not base or not RELATED.fullmatch(word):
        return []
    names = re.split(r", and |, | and ", found["names"])
    if not found["called"] and (_DEMONYM.match(names[0]) or not is_name(names[0])):
        return []
    attribute = scene.words.concept(relation(word)[1], base)
    for each in names:
        scene.people.name(fold(each), relation(word)[2])
    return [clause.candidate(base, attribute, each) for each in names]


def given(clause: Clause, subjects: list[Subject]) -> Iterator[Candidate]:
    """ "They gave me gliclazide"."""
    for subject in subjects:
        if found := persons.GIVEN.match(clause.text, subject.rest):
            word = found["who"].lower()
            me = word in ("me", "us")
            who = clause.scene.speaker if me else clause.scene.people.last(word)
            if who:
                name = clause.scene.words.concept("medication", who)
                yield clause.candidate(who, name, found["v"].strip())
            return


def _job(clause: Clause, subject: Subject, text: str) -> Iterator[Candidate]:
    """ "I'm a nurse at St Thomas' Hospital", "Raj is our team lead"."""
    found = persons.JOB_IS.match(text, subject.rest)
    if not found:
        return
    scene, who = clause.scene, subject.who
    owner = (found["owner"] or "").lower()
    words = persons.job(found["v"].split(",")[0].strip())
    related = RELATED.fullmatch(found["v"].strip())
    if owner in ("my", "our") and related and not related["name"]:
        named = not who.startswith(f"{scene.speaker}_") and who != scene.speaker
        if named:
            attribute = scene.words.concept(relation(related["word"])[1], scene.speaker)
            name = projects.named_as(clause, subject)
            yield clause.candidate(scene.speaker, attribute, name)
            return
    if words is None or not owner:
        return
    concept = (
        "role" if owner in ("our", "the", "my", "their") and who != scene.speaker else "job_title"
    )
    yield clause.candidate(who, scene.words.concept(concept, who), words)
    if found["at"] and re.search(r"\s(?:at|for|with)\s", found[0]):
        place = found["at"].strip(" .,")
        if re.match(
            r"(?:the )?(?:[A-Z]|[a-z]+ (?:hospital|school|office|library|bank|university))", place
        ):
            employer = re.sub(r"^(?:the|a|an)\s+", "", re.split(r",| in (?=[A-Z])", place)[0])
            yield clause.candidate(who, scene.words.concept("employer", who), employer)
