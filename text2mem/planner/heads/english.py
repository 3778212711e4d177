"""Heads in English.

What stands in front is taken off (greetings, politeness, if-parts). Then the verb decides, with
what its object makes of it; without an imperative, what a statement or question amounts to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.planner.evidence.text import HIDDEN
from text2mem.planner.heads.english_openers import assured, main_parts, opened
from text2mem.planner.heads.english_statements import QUESTIONS, STATEMENTS
from text2mem.planner.heads.english_verbs import FRAMES, IRREGULAR, OPEN, PLAIN
from text2mem.planner.heads.model import NONE, QUOTED, Head, Rule

_BY_WORD = {word: (op,) for op, words in PLAIN.items() for word in words.split()} | {
    word: tuple(ops.split()) for word, ops in OPEN.items()
}
_VERBS = frozenset(_BY_WORD).union(*(one.verbs for one in FRAMES))
_WORD = re.compile(r"[a-z][a-z-]*")
_SENTENCE = re.compile(r"[.;!?](?=\s|$)")
_OWN = re.compile(
    r"\s(?:(?:up|down|out|rid of|away|over|through|together)\b|(?:me|us|for me)\b|(?:at|for|into)\b"
    r"(?= (?:the|all|my|any|every|notes|memories|entries)\b)|(?:of|about)\b(?= (?:the|all|my)\b))"
)
_WITH_TAGS = re.compile(
    r"\b(?:(?:with|without|having|carrying|bearing|under) (?:the |an? |any )?(?:tags?|labels?|"
    r"status|state)"
    r"|(?<!be )(?<!is )(?<!are )(?<!get )(?<!been )(?<!to )(?:tagged|labell?ed|filed|marked|"
    r"listed)(?: as| "
    rf"under| with| in)?)(?: {QUOTED}(?:(?:,| and| or|, and|, or) {QUOTED})*)"
)
_NO_TOPIC = (
    r"(?!(?:should|must|may|might|can|could|will|would|is|are|was|were|has|have|had|isn't|aren't|"
    r"don't|"
    r"doesn't|needs?|ought|to be|that|which|who|from|with|without|tagged|labell?ed|filed|until|"
    r"till|"
    r"any ?more|again|belongs?|matters?|deserves?|too|in|for|back|than|boils?|comes?|amounts?|"
    r"reads?|"
    r"every|each|now|either|all|as|and|before|after|only|by|on|at|into|not|gets?|counts?|of|says?|"
    r"goes|"
    r"go|gone|archived|deleted|locked)\b)"
)
_TOPIC = re.compile(
    r"\b(?:about|regarding|concerning) "
    rf"(?P<topic>{_NO_TOPIC}[\w'-]+(?: {_NO_TOPIC}[\w'-]+){{0,7}})"
)
_LEADING = re.compile(
    r"(?:every|each|once an?|twice an?|on the|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    r"on \d|in "
    r"(?:\d|an?|one|two|three|four|five|six|ten|a few)|after (?:\d|an?|one|two|three|four|five|six|"
    r"ten)|"
    r"until|till|from (?:now|tomorrow|next)|by|tomorrow|next (?:week|month|year)|at the end of)"
    r"[^,.;:?!]{0,60}, "
)
_REMEMBER_TO = re.compile(
    r"(?:please )?(?:remember|don't forget|do not forget|never forget) to (.*)"
)
_STORED = re.compile(
    r"\b(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?|tags?|tagged|labell?ed|it|them|those|these|"
    r"everything)\b"
)
_REMEMBER_THAT = re.compile(
    r"(?:please )?(?:(?:don't|do not|never|let's not) (?:let me )?forget(?! to\b)|"
    r"remember(?= (?:that|this|:|,)))(?: that| this)?"
)
_DONE_TO = re.compile(
    r"\b(?:should|must|can|could|may|might|shall|will|would|needs? to|has to|have to|ought to|"
    r"(?:is|are|ready|better|like|want|wish|prefer|love) to|to)(?: (?:now|also|all|please|just|"
    r"best|"
    r"better|really|only|simply|both|probably|then|finally|again|at last|still|well))*"
    r" (?:be|get)(?: (?:now|also|all|only|both|simply|permanently|completely|finally|then|fully))* "
    r"(?P<verb>[a-z]+)"
)
_ASKED_WHETHER = re.compile(
    r"(?:can|could|may|might|should|would|will|must|shall)\b.{3,160}?\b(?:be|get) (?P<verb>[a-z]+)"
)
_IS_DONE = re.compile(
    r"\b(?:is|are|be|gets?|stays?|remains?|has been|have been)(?: (?:all|now|also|only|always|"
    r"then))* "
    r"(?P<verb>[a-z]+)"
)
_CAUSED = re.compile(
    r"(?:(?:and )?i(?:'d| would| do| really| also)* (?:want|need|like|love|prefer|have|get)|have|"
    r"get|"
    r"let's (?:have|get)|let me have) .{2,200}"
)
_AFTER_DONE = re.compile(
    r"(?=[,.;!?]|$| (?:to|by|as|until|till|for|from|under|into|in|every|each|automatically|"
    r"permanently|"
    r"again|after|away|out|up|down|together|forever|with|off|back|please|so|now)\b)"
)
_SUBJECT = re.compile(r"[^,.;!?]{0,120}? (?:would|will|takes?|is|are|seems?|means|costs?)\b")
"""After a gerund that is not asked for: "reading all that takes too long"."""
_DESCRIBES = frozenset(
    [
        "save",
        "store",
        "record",
        "note",
        "write",
        "mention",
        "find",
        "see",
        "keep",
        "tell",
        "know",
        "remember",
    ]
)
"""Verbs whose participles say which memories are meant ("the notes saved in May")."""
_NAMES = frozenset(["tag", "label", "file", "mark", "flag", "classify", "categorise", "categorize"])
"""Verbs whose participles do so where a name follows ("the notes tagged 'x'")."""
_STANDS_AFTER = re.compile(
    r"(?:^|(?<=[.;!,])\s)\s?(?:please |and |so |now |can you |could you ){0,2}(?P<said>(?:store|"
    r"save|remember|"
    r"note|record|memori[sz]e|log|keep) (?:that|this|it)(?: down)?)"
    r"(?= (?:for|with|as|under|please|too|in|among)\b|[ ,]{0,2}(?:please)?\s?[.!,;]|\s?$)"
)


def find(text: str) -> Head:
    """The head of a folded clause whose quotations are masked."""
    return _found(text, 0, 0)


def _found(text: str, start: int, depth: int) -> Head:
    place = opened(text, start)
    if depth < 3:
        # "If some are tagged …, lock them": the if-part asks for nothing.
        mains = [_found(text, main, depth + 1) for main in main_parts(text, place)[:6]]
        told = [one for one in mains if one.end] or [one for one in mains if one.ops]
        if told:
            return told[0]
    leading = _LEADING.match(text, place)
    lead = leading.group() if leading else ""
    after = opened(text, leading.end()) if leading else place
    if assured(text, after) > after and (head := _said(text, after)).ops:
        return head
    return (
        _stored(text, place)
        or _imperative(text, after, lead)
        or _negated(text, place)
        or _said(text, place)
    )


# --- imperatives ---------------------------------------------------------------------------


def _stored(text: str, place: int) -> Head | None:
    """What is to be kept in mind: "don't forget that …", "remember to call Bob"."""
    if found := _REMEMBER_THAT.match(text, place):
        return Head(("Encode",), place, found.end(), first=True)
    chore = _REMEMBER_TO.match(text, place)
    if not chore:
        return None
    asked = _imperative(text, chore.start(1), "") if _STORED.search(chore.group(1)) else None
    return asked or Head(("Encode",), place, chore.start(1), first=True)


def _imperative(text: str, place: int, lead: str) -> Head | None:
    word = _WORD.match(text, place)
    if not word:
        return None
    after = text[word.end() :]
    if word.group().endswith("ing") and _SUBJECT.match(after):
        return None
    for verb in _bases(word.group()):
        ops, own = _meant(verb, after, lead)
        if ops:
            return Head(ops, place, word.end() + own, first=True)
    return None


def _meant(verb: str, after: str, lead: str = "") -> tuple[tuple[str, ...], int]:
    """What a verb asks for with what follows it; and how much of that only asks, too."""
    sentence = _SENTENCE.search(after)
    said = after[: sentence.start()] if sentence else after
    rest = _WITH_TAGS.sub(lambda found: HIDDEN * len(found.group()), said).strip(" ,:")
    if lead:
        rest = f"{rest} {lead.rstrip(' ,')}"
    for one in FRAMES:
        if verb in one.verbs and (found := one.pattern.search(rest)):
            if one.ops == ("Encode",) and found.start() == 0:
                return one.ops, len(after) - len(after.lstrip(" ,:")) + found.end()
            return one.ops, _own(after)
    return _BY_WORD.get(verb, ()), _own(after)


def _own(after: str) -> int:
    place = 0
    while found := _OWN.match(after, place):
        place = found.end()
    return place


def _bases(word: str) -> Iterator[str]:
    """The verbs that a word can be a form of: itself, without -ing, -ed or -s."""
    if word in _VERBS:
        yield word
    yield from _stems(word, "ing")
    if word.endswith("s") and word[:-1] in _VERBS:
        yield word[:-1]


def _participle(word: str) -> str | None:
    """The verb of a past participle."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    return next(_stems(word, "ed"), None)


def _stems(word: str, ending: str) -> Iterator[str]:
    if not word.endswith(ending) or len(word) < len(ending) + 2:
        return
    stem = word[: -len(ending)]
    forms = [stem, f"{stem}e"]
    if stem[-1:] == stem[-2:-1]:
        forms.append(stem[:-1])
    if stem.endswith("i"):
        forms.append(f"{stem[:-1]}y")
    yield from (form for form in forms if form in _VERBS)


# --- statements and questions --------------------------------------------------------------

_NO = re.compile(r"(?:don't|do not|never|no|nobody|no one|stop)\b")


def _negated(text: str, place: int) -> Head | None:
    """What is not to be done ("don't let anybody edit it") reads as a statement."""
    if not _NO.match(text, place):
        return None
    ops = _by_rules(text[place:], STATEMENTS)
    return Head(ops) if ops else None


def _said(text: str, place: int) -> Head:
    """What a statement or a question amounts to; what stands after it may say what for."""
    if after := _STANDS_AFTER.search(text, place):
        return Head(("Encode",), *after.span("said"))
    said = _plain(text[place:])
    if ops := _caused(text[place:]):
        return Head(ops)
    if ops := _by_rules(said, QUESTIONS):
        return Head(ops)
    sure = assured(text, place)
    patterns = (_IS_DONE, _DONE_TO) if sure > place else (_DONE_TO,)
    if ops := _by_rules(_plain(text[sure:]), STATEMENTS[:5]):
        return Head(ops)
    for pattern in patterns:
        for found in pattern.finditer(said):
            verb = _participle(found["verb"])
            if verb and (ops := _meant(verb, said[found.end() :])[0]):
                return Head(ops)
    if asked := _ASKED_WHETHER.match(said):
        verb = _participle(asked["verb"])
        if verb and (ops := _meant(verb, said[asked.end() :])[0]):
            return Head(ops)
    if ops := _by_rules(said, STATEMENTS):
        return Head(ops)
    return _in_later_sentence(text, place)


def _caused(said: str) -> tuple[str, ...]:
    """ "I want them archived": the last participle that does not say which are meant."""
    found = _CAUSED.match(said)
    if not found:
        return ()
    sentence = _SENTENCE.search(said)
    words = list(_WORD.finditer(said, 0, sentence.start() if sentence else len(said)))
    for word in reversed(words):
        verb = _participle(word.group())
        after = said[word.end() :]
        if verb is None or verb in _DESCRIBES or not _AFTER_DONE.match(after):
            continue
        if verb in _NAMES and not after.startswith(" as "):
            continue
        ops, _ = _meant(verb, after)
        if ops:
            return ops
    return ()


def _in_later_sentence(text: str, place: int) -> Head:
    """ "In the library. Save it with the location": what a later sentence asks for."""
    for end in _SENTENCE.finditer(text, place):
        start = end.end() + 1
        if start < len(text) and (head := _imperative(text, opened(text, start), "")):
            return head
    return NONE


def _by_rules(said: str, rules: tuple[Rule, ...]) -> tuple[str, ...]:
    return next((one.ops for one in rules if one.pattern.search(said)), ())


def _plain(said: str) -> str:
    """Without the names of tags and topics, which ask for nothing."""
    said = _WITH_TAGS.sub(lambda found: HIDDEN * len(found.group()), said)
    return _TOPIC.sub(_hidden, said)


def _hidden(found: re.Match[str]) -> str:
    return found.group().replace(found["topic"], HIDDEN * len(found["topic"]))
