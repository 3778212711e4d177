"""Who is meant: speakers, relatives, people by name, and the one last named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Known, Turn
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.extraction.english.text import words

# fmt: off
_RELATIONS: Mapping[str, tuple[str, str, str]] = {
    # what is said: what a subject is called by, the attribute of the owner, he or she
    **{w: ("mother", "mother", "f") for w in ("mother", "mum", "mom", "mam", "mama", "mummy")},
    **{w: ("father", "father", "m") for w in ("father", "dad", "daddy", "papa")},
    **{w: (w, "parents", "") for w in ("parents", "parent")},
    **{w: (w, w, "f") for w in (
        "sister", "aunt", "niece", "grandmother", "granddaughter", "landlady", "stepmother",
        "stepdaughter", "half-sister", "great-aunt", "bridesmaid", "stepsister", "godmother",
        "sister-in-law", "mother-in-law", "daughter-in-law")},
    **{w: (w, w, "m") for w in (
        "brother", "uncle", "nephew", "grandfather", "grandson", "landlord", "stepfather",
        "stepson", "half-brother", "great-uncle", "stepbrother", "godfather", "brother-in-law",
        "father-in-law", "son-in-law")},
    **{w: ("grandmother", "grandmother", "f") for w in ("grandma", "granny", "gran", "nan")},
    **{w: ("grandfather", "grandfather", "m") for w in ("grandpa", "grandad", "granddad")},
    **{w: (w, "children", "f") for w in ("daughter",)}, "son": ("son", "children", "m"),
    **{w: ("child", "children", "") for w in (
        "child", "kid", "children", "kids", "youngest", "eldest", "oldest", "firstborn",
        "toddler")},
    "wife": ("wife", "spouse", "f"), "husband": ("husband", "spouse", "m"),
    "spouse": ("spouse", "spouse", ""), "partner": ("partner", "partner", ""),
    "girlfriend": ("girlfriend", "partner", "f"), "boyfriend": ("boyfriend", "partner", "m"),
    "fiancé": ("fiance", "partner", "m"), "fiancée": ("fiancee", "partner", "f"),
    "fiance": ("fiance", "partner", ""), "fiancee": ("fiancee", "partner", "f"),
    **{w: ("manager", "manager", "") for w in ("boss", "manager", "supervisor", "line manager")},
    **{w: ("roommate", "roommate", "") for w in ("roommate", "flatmate", "housemate")},
    **{w: ("colleague", "colleague", "") for w in ("colleague", "coworker", "co-worker")},
    **{w: ("neighbour", "neighbour", "") for w in ("neighbour", "neighbor")},
    **{w: (w, w, "") for w in (
        "cousin", "friend", "dentist", "doctor", "gp", "therapist", "physiotherapist",
        "accountant", "lawyer", "solicitor", "mechanic", "plumber", "electrician", "teacher",
        "coach", "tutor", "nanny", "babysitter", "cleaner", "tenant", "subtenant", "assistant",
        "hairdresser", "barber", "ex", "ex-wife", "ex-husband", "twin", "godchild", "mentor",
        "trainer", "architect", "agent", "notary", "vet", "optician", "midwife", "editor",
        "classmate", "lodger", "au pair", "childminder", "pen pal", "penpal", "sibling",
        "gardener", "builder", "osteopath", "psychologist", "counsellor", "paediatrician",
        "pediatrician", "orthodontist", "dermatologist", "cardiologist", "gynaecologist",
        "nutritionist", "chiropractor", "dog walker", "dog sitter", "piano teacher",
        "estate agent", "tax adviser", "godson", "goddaughter", "apprentice", "bandmate",
        "teammate", "training partner", "running partner",
        "business partner", "best friend", "carer", "guardian")},
    **{w: (w, "pets", "p") for w in (
        "dog", "cat", "puppy", "kitten", "parrot", "rabbit", "hamster", "guinea pig", "horse",
        "pony", "tortoise", "turtle", "budgie", "canary", "goldfish", "ferret", "snake", "gecko",
        "pet", "greyhound", "collie", "retriever", "labradoodle", "husky", "whippet", "corgi",
        "pug", "bulldog", "mongrel", "tabby", "hen", "chicken", "goat", "donkey", "lizard",
        "iguana", "rat", "guinea-pig", "cockatiel", "cockatoo", "axolotl", "hedgehog", "chihuahua",
        "shepherd", "labrador", "terrier", "poodle", "spaniel", "beagle", "dachshund")},
}
TIES = frozenset(_RELATIONS) | {attribute for _, attribute, _ in _RELATIONS.values()}
"""What people are to each other: who it is, is read with the people, not with other attributes."""
# fmt: on
RELATION = "(?:" + "|".join(sorted(map(re.escape, _RELATIONS), key=len, reverse=True)) + ")"
_ADJECTIVE = (
    r"(?:(?:big|little|older|elder|younger|youngest|eldest|oldest|twin|half|late|new|old|dear|own|"
    r"other|first|second|middle|current|\w+-year-old|good) )?"
)
_WORD = r"[A-ZÀ-ÖØ-ÞŁŚŻĆŠČŽĐ][\w'’-]*\w|[A-Z]"
NAME = (
    rf"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(?:{_WORD})(?: (?:(?:de|van|von|der|den|da|dos|du|la|le|el|"
    rf"al|bin|ibn|of) )*(?:{_WORD}))*"
)
"""A name of one or more words, "Ines Duarte", "Dr Amari"; matched with regard to case."""
RELATED = re.compile(
    rf"(?P<rel>(?i:{_ADJECTIVE}(?P<word>{RELATION}s?)))(?![\w-])"
    rf"(?:,? (?:(?:is |who is |who's |'s )?(?:called|named) )?(?P<name>(?!I(?![\w-]))"
    rf"(?:{_WORD})(?: (?:{_WORD}))*))?"
)
_NOT_NAMES = words(
    "i i'm i've i'll i'd monday tuesday wednesday thursday friday saturday sunday january february "
    "march april may june july august september october november december english french german "
    "spanish dutch no yes ok okay hi hello hey oh well please sorry thanks the a an it my our your "
    "his her their we he she they this that these those there here what where when who why how "
    "which if in on at for from by to and but so not also just only until since after before "
    "remember note forget both all some any every each one two perfect good great lovely right "
    "wait actually as with of up do does did is are was were can could will would should may might "
    "don't never always keep use send call write text mail please bad quick fine sure "
    "nothing"
)


@dataclass(frozen=True, slots=True)
class Tie:
    """A relation of an owner that gives somebody's name: ``owner.attribute = name``."""

    owner: str
    attribute: str
    name: str
    start: int
    end: int


@dataclass(slots=True)
class People:
    """Who has been named so far in a conversation, the latest last."""

    speaker: str
    known: Known
    named: list[tuple[str, str]] = field(default_factory=list)
    """Subjects with "f" or "m" for she or he, "p" for a pet, "" where that is not known."""

    @classmethod
    def of(cls, episode: Episode, known: Known) -> People:
        """Those of the turns before."""
        people = cls(speaker(episode), known)
        names = people._names(known.before())
        for turn in known.before():
            if turn.episode.message.structured is not None:
                continue
            before = len(people.named)
            people._note(turn.episode.text, names)
            others = [r.subject for r in turn.facts if r.subject and r.subject != people.speaker]
            for subject in others if len(people.named) == before else ():
                people.name(subject)
        return people

    def name(self, subject: str, gender: str = "") -> None:
        """Note that somebody has been named."""
        known = gender or next((g for s, g in reversed(self.named) if s == subject and g), "")
        self.named.append((subject, known))

    def last(self, pronoun: str) -> str | None:
        """Whom he, she or they is: the one last named of whom that can be said."""
        wanted = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f", "hers": "f"}
        gender = wanted.get(pronoun.lower(), "")
        people = [s for s, g in self.named if g != "p" and (not g or not gender or g == gender)]
        found = people or [s for s, g in self.named if g == "p"]
        return found[-1] if found else None

    def relative(self, owner: str, word: str, name: str | None) -> str:
        """Who a relative is: by name, by the name that is known, else by the relation."""
        called, attribute, gender = relation(word)
        if name:
            self.name(fold(name), gender)
            return fold(name)
        subjects = self.known.facts(subject=owner)
        for wanted in dict.fromkeys((called, attribute, fold(word))):
            if wanted in ("children", "pets", "parents"):
                continue
            values = [r.value for r in subjects if r.attribute and fold(r.attribute) == wanted]
            if len(values) == 1 and isinstance(values[0], str):
                self.name(fold(values[0]), gender)
                return fold(values[0])
        self.name(f"{owner}_{fold(called)}", gender)
        return f"{owner}_{fold(called)}"

    def note(self, text: str) -> None:
        """Those that a part of this text names."""
        self._note(text, self._names(self.known.before()))

    def _names(self, before: Sequence[Turn]) -> dict[str, str]:
        """What people are called that the text may name: as written, folded, to their subjects."""
        found = {subject: subject for subject in self.known.subjects()}
        for turn in before:
            for record in turn.facts:
                if isinstance(record.value, str) and re.fullmatch(NAME, record.value):
                    found[fold(record.value)] = fold(record.value)
        for record in self.known.facts(subject=self.speaker):
            tied = record.attribute and fold(record.attribute) in TIES
            if tied and isinstance(record.value, str) and re.fullmatch(NAME, record.value):
                found[fold(record.value)] = fold(record.value)
        found.pop(self.speaker, None)
        return found

    def _note(self, text: str, names: Mapping[str, str]) -> None:
        """Those that a text names, in their order."""
        spots: list[tuple[int, str, str]] = []
        for one in re.finditer(rf"\b(?:[Mm]y|[Oo]ur) (?:{RELATED.pattern})", text):
            called, _, gender = relation(one["word"])
            who = fold(one["name"]) if one["name"] else f"{self.speaker}_{fold(called)}"
            known = self.known.facts(subject=self.speaker)
            if not one["name"]:
                tie = relation(one["word"])[1]
                values = [r.value for r in known if r.attribute == tie]
                who = fold(str(values[0])) if len(values) == 1 else who
            spots.append((one.start(), who, gender))
        for one in re.finditer(NAME, text):
            who = names.get(fold(one[0])) or names.get(fold(one[0].removesuffix("'s")), "")
            if who:
                spots.append((one.start(), who, ""))
        for _, who, gender in sorted(spots):
            self.name(who, gender)


TIES = frozenset(attribute for _, attribute, _ in _RELATIONS.values()) | {
    "owner",
    "wife",
    "husband",
}
"""Attributes whose values are people, or pets."""


def relation(word: str) -> tuple[str, str, str]:
    """Of a relation as it is said: how it is called, the owner's attribute, he or she."""
    plain = re.sub(r"\s+", " ", word.lower())
    found = _RELATIONS.get(plain) or _RELATIONS.get(plain.removesuffix("s")) or (plain, plain, "")
    return found[0], fold(found[1]), found[2]


def is_name(words: str) -> bool:
    """Whether words can be the name of somebody."""
    first = words.split(" ")[0].lower()
    return bool(re.fullmatch(NAME, words)) and first not in _NOT_NAMES
