"""The noun phrase that an English clause starts with: somebody, something of somebody's, a "
"thing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from text2mem.ir.naming import fold
from text2mem.ledger.extraction.english.people import (
    NAME,
    RELATED,
    Tie,
    is_name,
    relation,
)
from text2mem.ledger.extraction.english.scene import Scene

_I = re.IGNORECASE
_FINITE = (
    r"(?:am|is|are|was|were|'m|'s|'re|isn't|aren't|wasn't|weren't|has|have|had|'ve|hasn't|haven't|"
    r"hadn't|do|does|did|don't|doesn't|didn't|can|can't|cannot|could|couldn't|will|won't|'ll|would|"
    r"'d|should|shouldn't|must|mustn't|may|might|never|no longer|needs?|"
    r"live|lives|lived|resides?|work|works|worked|speaks?|spoke|owns?|owned|likes?|liked|loves?|"
    r"loved|hates?|hated|dislikes?|detests?|loathes?|adores?|enjoys?|prefers?|preferred|uses?|used|"
    r"runs?|ran|takes?|took|plays?|played|moved|moves|got|gets|gave|started|starts?|joined|joins|"
    r"study|studies|studied|leads?|led|maintains?|manages?|heads?|eats?|ate|drinks?|drives?|"
    r"drove|goes|go|went|attends?|edits?|keeps?|kept|changed|became|become|becomes|left|leaves?|"
    r"quit|stopped|listens?|deploys?|turned|turns|holds?|held|arrives?|returns?|returned|flies|fly|"
    r"flew|follows?|followed|stays?|stayed|remains?|comes?|came|grew|wears?|teaches|taught|banks?|"
    r"retired|married|adopted|bought|sold|collects?|collected|supports?|sings?|rides?|paints?|"
    r"switched|migrated|requires?|lost|gained|looks? after|fell|falls?|expires?|ends?|closes|"
    r"opens?|costs?|belongs?|wants?|says?|said|told|thinks?|seems?|ships?|targets?|depends?|"
    r"stores?|"
    r"writes?|wrote|answers?|picks?|reads?|call|calls|goes by|sticks?|serves?|connects?|sits?|"
    r"graduated|majored|specialises|specializes|practises|practices|volunteers|freelances|"
    r"prescribed|put|cannot|suffers?|needed|both|suspended|renewed|reached|swears?|relies|rely|"
    r"isn't|wants|rents?|rented|trains(?= (?:with|at|for|every))|swims|runs|dances|coaches|bakes|"
    r"hosts|chairs|cycles|"
    r"commutes|supervises|weighs|knows?|understands?|reacts?|swells?|reports?(?= to)|avoids?|calls|"
    r"shares?|bought|found|ended up|landed|settled|finished|began|begins|does|doubles|serves|"
    r"acts|belongs|sticks|transferred|spends?|met|sees|gave up|used to|broke|tied|opened|founded|"
    r"sleeps|volunteered|won't|signed|accepted|earns|carries|turned|sang|reads)"
)
_VERB = re.compile(
    rf"(?<![\w'-])(?P<verb>{_FINITE})(?![\w-])|(?<=\w)(?P<short>'s)(?=\s+(?:called|named|now|"
    r"been|got|moved|started|joined|allergic|in|at|on|from|a|an|not|learning|living|working|"
    r"studying|taking|going|getting|moving|training|doing|turned|become|just|the)\s)",
    _I,
)
_BEEN = re.compile(r"\b(?:has|have|had|is|are|was|were|am|been)$", _I)
_PRONOUN = re.compile(
    r"(?P<word>I|we|he|she|they|it|that|this|you|mine|hers|his|ours|theirs|both of us|we both)"
    r"(?=['\s]|$)",
    _I,
)
_OWNER = re.compile(r"(?P<word>my|our|his|her|their|its|your)\s+", _I)
_OF_NAME = re.compile(rf"(?P<name>{NAME})(?:'s|s'(?=\s))\s+")
_OF_THING = re.compile(r"(?:(?:the|our|my) )?(?P<name>\w[\w -]*?)'s\s+(?=\w)", _I)
_SCOPE = re.compile(
    r"(?:in|for|on|at|with|over in|inside) (?:the )?(?:repo(?:sitory)? |project )?"
    r"(?P<name>[A-Za-z][\w.-]*)(?: (?:repo(?:sitory)?|project))?,?\s+(?=(?:we|the|you|i|a|they|"
    r"tests?|everything|it|all|our|use|please)\b)",
    _I,
)

_FRONT = re.compile(
    r"(?:besides|apart from|aside from|in addition to|on|in|at|after|during|since|outside|beyond|"
    r"as (?!long|soon|far)|when not|over|throughout|thanks to|due to|because of|unlike|like|most|"
    r"every|for)\s[^,;]{2,40}?(?:,\s+(?=(?:I|we|my|our|she|he|they)['\s])|\s+(?=(?:I|"
    r"we)['\s]))", _I,
)  # fmt: skip
"""What stands before the subject: "besides English I …", "on Sundays, we …"."""
_SEVERAL = re.compile(rf"{NAME}(?:, {NAME})*,? (?:and|&) {NAME}")
_FAMILY = re.compile(r"(?:Mum|Mom|Dad|Mother|Father|Grandma|Grandpa|Granny|Grandad|Gran)")
"""Relatives whom their relation names, without an owner."""

Kind = Literal["person", "owned", "thing", "none"]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a clause is about, and where its predicate begins.

    Somebody (``who``); something ``owned`` by ``who``, with the ``noun`` that says what; a thing
    with its noun alone. ``word`` is the pronoun, where it is one. ``scope`` is a project named
    before all, "in tidepool we …".
    """

    kind: Kind
    who: str
    noun: str
    word: str
    rest: int
    scope: str | None = None
    others: tuple[str, ...] = ()
    """Of whom the same is said: "Ann and Bo live in Ulm"."""


def read_subject(scene: Scene, text: str, begin: int, ties: list[Tie]) -> list[Subject]:
    """The subjects that a clause may have, the shortest first; what ties people is added."""
    scope, place = None, begin
    head = _SCOPE.match(text, begin)
    if head and (fold(head["name"]) in scene.projects or head["name"].lower() in ("here", "there")):
        scope, place = fold(head["name"]), head.end()
        scope = scope if scope in scene.projects else None
    front = _FRONT.match(text, place)
    place = front.end() if front else place
    pronoun = _PRONOUN.match(text, place)
    if pronoun:
        word = pronoun["word"].lower()
        rest = _skip(text, pronoun.end())
        return [Subject("person", _person(scene, word), "", word, rest, scope)]
    found = []
    for verb in _VERB.finditer(text, place):
        begins = verb.start(verb.lastgroup or 0)
        if not text[place:begins].strip():
            continue
        phrase = text[place:begins].strip(" ,")
        if len(phrase.split()) > 8 or _BEEN.search(phrase):
            break
        one = noun_phrase(scene, phrase, place, begins, ties)
        if one is None and "," in phrase:
            one = noun_phrase(scene, phrase.rpartition(",")[2].strip(), place, begins, ties)
        if one is None and (several := _several(scene, phrase)):
            found.append(Subject("person", several[0], "", "", begins, scope, several[1:]))
            break
        if one is not None:
            kind, who, noun = one
            found.append(Subject(kind, who, noun, "", begins, scope))
        if len(found) == 3:
            break
    return found


def noun_phrase(
    scene: Scene, phrase: str, start: int, end: int, ties: list[Tie]
) -> tuple[Kind, str, str] | None:
    """Who or what a noun phrase names: its kind, who, and the noun; None if it is none."""
    if not phrase or len(phrase) > 80:
        return None
    words = phrase
    owner: str | None = None
    if lead := _OWNER.match(words):
        owner = _person(scene, lead["word"].lower())
        words = words[lead.end() :]
    elif lead := _OF_NAME.match(words):
        family = _FAMILY.fullmatch(lead["name"])
        owner = _named(scene, lead["name"])
        if family:
            owner = scene.people.relative(scene.speaker, lead["name"], None)
        words = words[lead.end() :]
    lead = _OF_THING.match(words) if owner is None else None
    if lead and fold(lead["name"]) in (*scene.projects, *scene.known.subjects()):
        return "owned", fold(lead["name"]), words[lead.end() :].strip()
    if owner is None:
        return _free(scene, phrase, start, end, ties)
    while True:
        related = RELATED.match(words)
        if not related:
            return ("owned", owner, words.strip()) if words.strip() and "," not in words else None
        name, rest = related["name"], words[related.end() :]
        if name and rest.startswith("'"):
            pass
        elif name and rest.strip(" ,") and not rest.startswith("'s"):
            name, rest = None, words[related.end("rel") :]
        if rest.startswith(("'s ", "' ")):
            owner = scene.people.relative(owner, related["word"], name)
            words = rest.split(" ", 1)[1]
            continue
        if rest.strip(" ,"):
            inside = re.match(rf",? (?P<name>{NAME}),?$", rest)
            if not inside:
                return ("owned", owner, words.strip()) if "," not in words else None
            name = inside["name"]
        who = scene.people.relative(owner, related["word"], name)
        if name:
            ties.append(Tie(owner, relation(related["word"])[1], name, start, end))
        return "person", who, ""


def _free(
    scene: Scene, phrase: str, start: int, end: int, ties: list[Tie]
) -> tuple[Kind, str, str] | None:
    """A name, with who it is beside it; "the phone of Ann"; a thing."""
    beside = re.fullmatch(rf"(?P<who>{NAME}),\s+(?:my|our)\s+{RELATED.pattern},?", phrase)
    if beside:
        who = scene.people.relative(scene.speaker, beside["word"], beside["who"])
        ties.append(Tie(scene.speaker, relation(beside["word"])[1], beside["who"], start, end))
        return "person", who, ""
    of_ = re.fullmatch(
        rf"(?:the\s+)?(?P<noun>[\w -]+?)\s+(?:of|for)\s+(?P<owner>me|us|{NAME}|(?:my|our) [\w' -]+|"
        rf"[a-z][\w-]+)", phrase,
    )  # fmt: skip
    if of_:
        if of_["owner"] in ("me", "us"):
            return "owned", scene.speaker, of_["noun"]
        if fold(of_["owner"]) in scene.projects or fold(of_["owner"]) in scene.known.subjects():
            return "owned", fold(of_["owner"]), of_["noun"]
        inner = noun_phrase(scene, of_["owner"], start, end, ties)
        if inner and inner[0] == "person":
            return "owned", inner[1], of_["noun"]
    from_ = re.fullmatch(
        rf"(?P<who>{NAME}),? (?:from|in|over in|down in|at|of) [\w ]{{2,30}},?", phrase
    )
    if from_ and is_name(from_["who"]):
        who = _named(scene, from_["who"])
        scene.people.name(who)
        return "person", who, ""
    if _FAMILY.fullmatch(phrase):
        return "person", scene.people.relative(scene.speaker, phrase, None), ""
    if fold(phrase.removeprefix("the ")) in scene.projects:
        return "thing", fold(phrase.removeprefix("the ")), ""
    if scene.projects and scene.words.noun(phrase, scene.projects[-1])[1]:
        return "thing", "", phrase
    if is_name(phrase):
        who = _named(scene, phrase)
        scene.people.name(who)
        return "person", who, ""
    if re.fullmatch(r"(?:the |a |an |this |that |all |every |"
                    r"each )?[\w'@.#/-]+(?: [\w'@.#/-]+){0,5}",
                    phrase):  # fmt: skip
        return (
            "thing",
            "",
            re.sub(r"^(?:the|a|an|this|that|all|every|each)\s+", "", phrase, flags=_I),
        )
    return None


def _several(scene: Scene, phrase: str) -> tuple[str, ...]:
    """The people of "Ann, Bo and Cy"; nobody where these are no names."""
    if not _SEVERAL.fullmatch(phrase.strip(" ,")):
        return ()
    names = re.split(r",? (?:and|&) |, ", phrase.strip(" ,"))
    if not all(map(is_name, names)):
        return ()
    return tuple(_named(scene, name) for name in names)


def _named(scene: Scene, name: str) -> str:
    """The subject that a name is: as it is known, "Ines" as ines_duarte."""
    who = fold(name)
    known = [*scene.known.subjects(), scene.speaker]
    if who in known:
        return who
    first = [each for each in known if each.split("_")[0] == who and "_" in each]
    relatives = ("sister", "brother", "mother", "father", "wife", "husband", "son", "daughter")
    first = [each for each in first if not each.endswith(relatives)]
    return first[0] if len(first) == 1 else who


def _person(scene: Scene, word: str) -> str:
    if word in ("i", "we", "my", "our", "mine", "ours", "both of us", "we both"):
        return scene.speaker
    if word in ("he", "she", "his", "her", "hers", "they", "their", "theirs", "him", "them"):
        return scene.people.last({"their": "they", "theirs": "they"}.get(word, word)) or ""
    return ""


def _skip(text: str, place: int) -> int:
    return place + len(text[place:]) - len(text[place:].lstrip())
