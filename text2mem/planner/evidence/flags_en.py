"""English flags: what is meant and how, locks, and who may lift them."""

from __future__ import annotations

import re

from text2mem.planner.evidence.rows import Row, Words, constant
from text2mem.planner.evidence.text import english, phrase

THINGS = r"(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?|items?|facts|data|things|content)"
_NARROWED = (
    "(?! ?,? ?(?:about|on|tagged|labell?ed|marked|filed|from|with|without|that|which|"
    "of|in|at|concerning|"
    "regarding|relating|related|older|newer|created|written|saved|stored|made|since|"
    "before|after|named|for|"
    "called|mentioning|containing|whose|where|dated|not|under|between|by|about|to do|"
    "around|during|i|we|having|"
    r"aren't|were|more than|less than|at least|at most|beyond|"
    r"dealing|referring|belonging|except|but|over|who|there was)(?![a-z]))"
)
_REMOVING = (
    "(?:delete|erase|remove|forget|wipe|purge|destroy|drop|get rid of|throw away|bin|"
    "clear|discard|gone|go away)"
)
_IT = r"(?:it|them|this|that|these|those|him|her|everything|all of (?:it|them))"
_NAME = r"[a-z][\w'-]{0,30}(?:\s{1,3}[a-z][\w'-]{1,30})?"
_LIFT = r"(?:lift|unlock|release|undo|remove|change|open|approve|edit|break)"


def _proper(words: str) -> str | None:
    """The leading words that are written as a name is."""
    parts = words.split()
    if not parts or not parts[0][:1].isupper() or parts[0] in ("I", "The", "Only"):
        return None
    named = len(parts) > 1 and parts[1][:1].isupper()
    return words if named else parts[0].removesuffix("'s")


def _flag(value: str, source: str) -> Row:
    return Row("flag", english(source), constant(value))


def _unlocked(found: re.Match[str]) -> str | None:
    """None where it is said of who may do it: "only Elias can unlock it"."""
    said = found.string[max(0, found.start() - 48) : found.start()]
    return None if _ALLOWED.search(said) is not None else "none"


_ALLOWED = phrase(
    "(?:(?:only|but|except|unless|let|allow) [^.,;]{1,30}|who (?:may|can|should)|"
    r"(?<!you)(?<!we)(?<!\si) (?:may|can)|"
    r"allowed to|able to|as the one to|be) ?$"
)

ENGLISH_FLAGS = (
    # what is meant
    _flag(
        "everything",
        (
            f"(?:(?:all (?:of )?(?:my|our|the|your) {THINGS}|all {THINGS}|all there is|"
            "(?:absolutely )?everything(?: (?:i|we|you) have(?: (?:stored|saved|noted|"
            "recorded))?| there is| in (?:here|the store|(?:my|your) memory))?|(?:my|the|"
            "your) (?:entire|whole) (?:memory|store|archive|history|collection)|"
            "every (?:single )?(?:note|memory|entry|record)(?: (?:i|we) have)?|"
            f"all (?:that )?(?:i|you) (?:have|know)))(?![a-z'-]){_NARROWED}"
        ),
    ),
    # how
    _flag(
        "permanent",
        (
            "(?:for good|permanently|irrevocably|irreversibly|irretrievably|beyond recovery|"
            r"without (?:a )?trace|no trace|not a trace|hard[- ]delet\w{1,3}|(?:never|not|"
            r"nobody|no one|nothing)[^.;!?\n]{0,60} (?:recover(?:ed)?|restored?|brought back|"
            "get (?:it|them) back)|unrecoverabl[ey]|once and for all|for ever and ever|"
            "never to return|shred|obliterate|wipe (?:out )?(?:it|them|every trace|all traces)|"
            "really (?:gone|erased?|deleted?)|physically)"
        ).replace("[- ]", r"[\s-]"),
    ),
    _flag("permanent", rf"{_REMOVING} [^.;!?\n]{{0,80}}?(?P<said>forever)"),
    _flag(
        "keep-original",
        (
            "(?:(?:keep|leave|preserve|retain)(?:s|ing)? (?:the |its |their |"
            "my )?(?:originals?|parents?|source|other notes|others?|rest|old ones?|"
            "old note)(?: (?:as it is|as they are|alone|in place|there|untouched|intact|around|"
            "too|as well))?|without (?:deleting|removing|losing|touching|changing|archiving|"
            "hiding) (?:the )?(?:others?|originals?|rest|old ones?|source|either|any|them)|"
            "(?:don't|do not|but not) (?:delete|remove|touch|change|archive|"
            "lose) (?:the )?(?:others?|originals?|rest|old ones?)|originals? (?:stays?|"
            "remains?|kept|should stay|untouched)|the (?:others?|originals?|rest) (?:stays?|"
            "remains?|should (?:stay|remain)|too stay))"
        ),
    ),
    _flag(
        "include-archived",
        (
            r"(?:(?:including|include|incl\.?|also|even|plus|together with|as well as|counting|"
            "with|and) (?:the |those |any |my )?(?:archived|ones in the archive|"
            "those in the archive)(?: (?:ones|notes|entries|memories|too))?|"
            "(?:the )?archive(?:d(?: ones| notes| entries)?)? (?:included|too|as well|also)|"
            "(?:including|include|plus) (?:the |my )archive|"
            "(?:search|look) (?:in |through )?the archive|(?:from|in|through) (?:my |"
            "the )archive(?! (?:of|and (?:give|set|raise)))|archived or not|"
            "whether (?:or not )?archived)"
        ),
    ),
    _flag(
        "include-deleted",
        (
            r"(?:(?:including|include|incl\.?|also|even|plus|together with|as well as|counting|"
            "and) (?:the |those |any |my )?(?:deleted|removed|forgotten|erased|"
            "binned)(?: (?:ones|notes|entries|memories|too))?|(?:the )?deleted (?:ones|notes|"
            "entries|memories) (?:included|too|as well|also)|deleted or not|(?:in|from|"
            "out of) the (?:bin|trash))"
        ),
    ),
    _flag(
        "restore",
        (
            "(?:restor(?:e|ed|ing)|undelet(?:e|ed|ing)|un-?archiv(?:e|ed|ing)|bring back|"
            "undo (?:the |that |its |their )?(?:deletion|delete|archiving|removal)|"
            "(?:reactivate|reinstate|revive|recover)(?! password)|(?:out of|"
            "off) the (?:archive|bin|trash)|un-?hide|should not have (?:been )?deleted)"
        ),
    ),
    _flag(
        "restore",
        (
            r"(?:bring|get) [^.;!?\n]{1,100}? (?P<said>back)(?! (?:on|every|at|in|next|"
            "tomorrow)(?![a-z]))"
        ),
    ),
    _flag(
        "cancel-expiry",
        (
            "(?:(?:cancel|remove|drop|lift|undo|clear|switch off|turn off|delete|forget|"
            "take off) (?:the |its |their |any )?(?:expiry|expiration|expire|end)(?: date|"
            " time)?|never expires?|no longer expires?|without (?:an |any )?(?:end|expiry|"
            "expiration)(?: date)?|(?:don't|do not|not|n't|shouldn't|"
            rf"mustn't)(?: let)?(?: {_IT}| [^.;!?\n]{{1,60}}?)? (?:to )?(?:expire|lapse|"
            "run out)(?: (?:after all|any ?more|any longer|at all))?|keep (?:(?!until|only|"
            rf"then)[^.,;!?\n]){{1,80}}? (?:forever|indefinitely|for ever|for good|after all|"
            "permanently|without end)|stays? (?:after all|forever|for good|indefinitely)|"
            "no (?:more )?(?:expiry|expiration|end date|end))"
        ),
    ),
    _flag(
        "cancel-reminder",
        (
            "(?:(?:cancel|stop|switch off|turn off|remove|drop|delete|disable|silence|clear|"
            "end|mute|kill|get rid of) (?:the |all |my |any |its |their |that |those |"
            "these )?(?:[a-z-]{1,12} )?(?:reminders?|reminding|notifications?|alerts?)|"
            "(?:switch|turn) (?:the |all |its |their )?reminders? off|stop reminding|(?:don't|"
            "do not|no longer|never|needn't|not|n't)(?: need to| have to|"
            " want you to)? (?:remind|be reminded|need (?:a |the |any )?reminders?|want (?:a |"
            "the |any )?reminders?)(?! me (?:to|that|when|if))|no (?:more |longer )?reminders?|"
            "without (?:a |any )?reminders?|reminders? off)"
        ),
    ),
    _flag(
        "anonymise",
        (
            "(?:anonymi[sz]e[sd]?|anonymi[sz]ing|de-identify|depersonali[sz]e|pseudonymi[sz]e|"
            "(?:strip|remove|take out|scrub|redact|clear|delete|drop|wipe|"
            r"erase) [^.;!?\n]{0,60}?(?:personal (?:data|details|content|information|info)|"
            "names and details|anything personal|everything personal|all that is personal|"
            "what is personal))"
        ),
    ),
    _flag(
        "archive",
        (
            r"(?<!un)(?<!out\x20of\x20the\x20)(?<!in\x20the\x20)(?<!from\x20the\x20)"
            "(?:archive(?! (?:included|too|as well|of))|archiving|(?:to|into|"
            "in) the archive(?! (?:included|too|as well))|put (?:it|them|those|these|this|"
            "that) away|mothball|shelve)"
        ),
    ),
    # locks
    Row(
        "lock_mode",
        english(
            "(?:un-?lock(?:ed|ing)?|(?:remove|lift|release|undo|drop|take off|take|open|cancel|"
            "end) (?:the |its |their |that |any )?(?:locks?|protection|freeze|"
            "write protection)|un-?freeze|un-?protect|thaw|(?:editable|changeable|writable|"
            r"can be (?:edited|changed)) (?:again|once more)|make [^.;!?\n]{1,80}? (?:editable|"
            "writable)|free (?:it|them) (?:again|for editing))"
        ),
        _unlocked,
    ),
    Row(
        "lock_mode",
        english(
            (
                "(?:append[- ]only|add[- ]only|only (?:additions|adding|appending|append)|(?:only|"
                "just) (?:be )?(?:added to|appended|extended|add to)|nothing but additions|(?:may|"
                "can|should) only (?:be (?:added to|extended|appended to)|grow))"
            ).replace("[- ]", r"[\s-]")
        ),
        constant("append_only"),
    ),
    Row(
        "lock_mode",
        english(
            (
                "(?:read[- ]only|write[- ]protect(?:ed)?|immutable|unchangeable|(?:nobody|no one|"
                r"no-one|none|nothing|not anyone|never)[^.;!?\n]{0,60}? (?:edit(?:s|ed)?|chang(?:e|"
                "es|ed)|touch(?:es|ed)?|modif(?:y|ies|ied)|alter(?:s|ed)?|overwrit(?:e|es|ten)|"
                r"tamper\w{0,4})|(?:can't|cannot|can not|must not|mustn't|may not|shouldn't|"
                r"doesn't|"
                "don't|won't)(?: be| get)? (?:edited|changed|modified|altered|touched|overwritten|"
                "tampered with)|(?:prevent|avoid|against|from|stop|forbid|no|without)(?: any| all|"
                " further| more| accidental| unauthori[sz]ed| unwanted){0,2} (?:changes|edits|"
                "modifications?|editing|alterations?|tampering))"
            ).replace("[- ]", r"[\s-]")
        ),
        constant("read_only"),
    ),
    Row(
        "lock_mode",
        english(
            r"(?<!the\x20)(?<!a\x20)(?<!its\x20)(?<!their\x20)(?<!any\x20)(?<!that\x20)"
            "(?:lock(?! (?:out|screen))|locking|(?:be|are|is|get|stay|keep (?:it|them)) locked|"
            "freeze|froze|frozen|protect(?! (?:against|my))|protected|protect my|"
            "secure(?! (?:code|the))|seal)"
        ),
        constant("read_only"),
    ),
    # who may lift a lock
    Row(
        "reviewer",
        phrase(
            f"(?<![a-z])only (?P<said>{_NAME}) (?:may|can|should|is allowed to|is able to|will|"
            f"has the right to|gets to|must)(?: be (?:allowed|able) to)? {_LIFT}"
        ),
        Words(_proper),
    ),
    Row(
        "reviewer",
        phrase(
            f"(?<![a-z])with (?P<said>{_NAME}) as (?:the )?(?:only )?(?:one|person|somebody|"
            "someone|reviewer|unlocker|approver|keeper|lifter)"
        ),
        Words(_proper),
    ),
    Row(
        "reviewer",
        phrase(
            "(?<![a-z])(?:reviewers?|approver|approved by|reviewed by|unlocked (?:only )?by|"
            "lifted (?:only )?by|released (?:only )?by|unless)(?: is| are|:| =|"
            f" only)? (?P<said>{_NAME})"
        ),
        Words(_proper),
    ),
    Row(
        "reviewer",
        phrase(
            f"(?<![a-z])(?:let|allow) (?:only )?(?P<said>{_NAME}) (?:to )?(?:{_LIFT}) (?:it|"
            "them|that|this|the lock)"
        ),
        Words(_proper),
    ),
    Row(
        "reviewer",
        phrase(
            f"(?:^|[,;.] |and )(?P<said>{_NAME}) (?:may|can|should be able to|"
            "is allowed to) (?:lift|unlock|release) (?:it|them|that|this|the lock)"
        ),
        Words(_proper),
    ),
    Row(
        "reviewer",
        phrase(
            f"(?<![a-z])(?:except|other than|but) (?:for )?(?P<said>{_NAME})(?= (?:may|can|"
            rf"should|edits|changes|touches)|\s{{0,3}}(?:[,.;!?]|$))"
        ),
        Words(_proper),
        re.compile(r"lock|protect|freeze|nobody|no one|edit|chang"),
    ),
)
