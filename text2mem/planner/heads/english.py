"""Heads in English.

What stands in front is taken off (greetings, politeness, if-parts). Then the verb decides, with
what its object makes of it; without an imperative, what a statement or question amounts to.
"""

from __future__ import annotations

import re
from dataclasses import replace

from text2mem.planner.evidence.text import HIDDEN, OPENING
from text2mem.planner.heads.english_claims import CLAIMS, ENDS
from text2mem.planner.heads.english_imperatives import (
    SENTENCE,
    VERBS,
    WORD,
    imperative,
    meant,
    participle,
    stored,
)
from text2mem.planner.heads.english_masks import plain
from text2mem.planner.heads.english_openers import assured, main_parts, opened
from text2mem.planner.heads.english_wishes import QUESTIONS, WISHES
from text2mem.planner.heads.model import NONE, QUOTED, Head, Rule, words

_STATEMENTS = (*CLAIMS, *ENDS, *WISHES)
_LEADING = re.compile(
    r"(?:every|each|once an?|twice an?|on the|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    r"on \d|in (?:\d|an?|one|two|three|four|five|six|ten|a few)|after (?:\d|an?|one|two|three|"
    r"four|five|six|ten)|until|till|from (?:now|tomorrow|next)|by|tomorrow|next (?:week|month|"
    r"year)|at the end of|in (?:my|the|that|this) (?:note|memory|entry))[^,.;:?!]{0,60}?(?:, |"
    r" (?=(?:i|please|show|remind|bring|give|keep|delete)\b))"
)
_DONE_TO = re.compile(
    r"\b(?:should|must|can|could|may|might|shall|will|would|needs? to|has to|have to|ought to|"
    r"(?:is|are|ready|better|like|want|wish|prefer|love) to|to)(?: (?:now|also|all|please|just|"
    r"best|better|really|only|simply|both|probably|then|finally|again|at last|still|"
    r"well))* (?:be|get)(?: (?:now|also|all|only|both|simply|permanently|completely|finally|then|"
    r"fully))* (?P<verb>[a-z]+)"
)
_ASKED_WHETHER = re.compile(
    r"(?:can|could|may|might|should|would|will|must|shall|let)\b.{3,160}?\b(?:be|"
    r"get) (?:\w+ly )?(?P<verb>[a-z]+)"
)
_IS_DONE = re.compile(
    r"\b(?:is|are|be|gets?|stays?|remains?|has been|have been)(?: (?:all|now|also|only|always|"
    r"then))* (?P<verb>[a-z]+)"
)
_CAUSED = re.compile(
    r"(?:(?:and )?i(?:'d| would| do| really| also)* (?:want|need|like|love|prefer|have|get)|have|"
    r"get|let's (?:have|get)|let me have) .{2,200}"
)
_NAMED = re.compile(rf"(?:(?:,| as| with| under| and| or)* {QUOTED})+(?=[.,;!?]|$)")
_LOOKS = re.compile(r"^i need\b|\b(?:look|copy|list)\b")
_AFTER_DONE = re.compile(
    rf"(?=[,.;!?]|$| {OPENING}| (?:to|by|as|until|till|for|from|under|into|in|every|each|"
    rf"automatically|permanently|"
    r"again|after|away|out|up|down|together|forever|with|off|back|please|so|now)\b)"
)
_DEEPEST, _MOST_PARTS = 2, 4
"""How many if-parts may stand in each other, and after how many commas a main part may start."""
_DESCRIBES = words("save store record note write mention find see keep tell know remember")
"""Verbs whose participles say which memories are meant ("the notes saved in May")."""
_NAMES = words("tag label file mark flag classify categorise categorize")
_SPLICE = re.compile(
    r",\s(?:so |please |just |then |and |now ){0,2}(?P<verb>[a-z]+) "
    r"(?:it|them|these|those|this|that|all of|me)\b"
)
_MODAL = re.compile(r"(?:can|could|may|might|should|would|will|must|shall|let)\b")
_RELATIVE = re.compile(
    r"(?:what|whatever)(?:'s| is| was)? (?:i|we|you|tagged|filed|labell?ed|marked|stored|under|"
    r"in|on|about|"
    rf"{HIDDEN})[^?]*$"
)
"""What names the memories that something is said of: "what I noted about it is urgent"."""
_STANDS_AFTER = re.compile(
    r"(?:^|(?<=[.;!,])\s)\s?(?:please |and |so |now |can you |could you ){0,2}(?P<said>(?:store|"
    r"save|remember|note|record|memori[sz]e|log|keep) (?:that|this|it)(?: down)?)(?= (?:for|with|"
    r"as|under|please|too|in|among)\b|[ ,]{0,2}(?:please)?\s?[.!,;]|\s?$)"
)


def find(text: str) -> Head:
    """The head of a folded clause whose quotations are masked."""
    return _found(text, 0, 0)


def _found(text: str, start: int, depth: int) -> Head:
    place = opened(text, start)
    if depth < _DEEPEST:
        # "If some are tagged …, lock them": the if-part asks for nothing.
        mains = [_found(text, main, depth + 1) for main in main_parts(text, place)[:_MOST_PARTS]]
        if told := [one for one in mains if one.first] or [one for one in mains if one.ops]:
            return told[0]
    leading = _LEADING.match(text, place)
    lead = leading.group() if leading else ""
    after = opened(text, leading.end()) if leading else place
    sure = _said(text, start, after) if assured(text, after) > after else NONE
    if sure.ops:
        return sure
    begin = leading.end() if leading else start
    if asked := stored(text, place) or imperative(text, after, lead):
        return replace(asked, start=begin)
    return _negated(text, place) or _said(text, start, place)


# --- statements and questions --------------------------------------------------------------

_NO = re.compile(r"(?:don't|do not|never|no|nobody|no one|stop)\b")


def _negated(text: str, place: int) -> Head | None:
    """What is not to be done ("don't let anybody edit it") reads as a statement."""
    if not _NO.match(text, place):
        return None
    ops = _by_rules(text[place:], _STATEMENTS)
    return Head(ops) if ops else None


def _said(text: str, start: int, place: int) -> Head:
    """What a statement or a question amounts to; what stands after it may say what for."""
    if after := _STANDS_AFTER.search(text, place):
        return Head(("Encode",), *after.span("said"))
    if spliced := _spliced(text, place):
        return spliced
    said, sure = plain(text[place:]), assured(text, place)
    ops = (
        _caused(text[place:])
        or (() if _RELATIVE.match(said) else _by_rules(said, QUESTIONS))
        or _by_rules(plain(text[sure:]), CLAIMS)
        or _passive(said, told=sure > place)
        or _by_rules(said, _STATEMENTS)
    )
    if ops:
        return Head(ops)
    if later := _in_later_sentence(text, place):
        return later
    asks = text.rstrip().endswith("?") and place == start and not _MODAL.match(said)
    return Head(("Retrieve",)) if asks else NONE


def _passive(said: str, *, told: bool) -> tuple[str, ...]:
    """ "They should be archived", "can they be archived?", and "they are" where that is told."""
    for pattern in (_IS_DONE, _DONE_TO) if told else (_DONE_TO,):
        for found in pattern.finditer(said):
            verb = participle(found["verb"])
            ops = meant(verb, said[found.end() :])[0] if verb else ()
            if ops and ops != ("Encode",):
                return ops
    asked = _ASKED_WHETHER.match(said)
    verb = participle(asked["verb"]) if asked else None
    return meant(verb, said[asked.end() :])[0] if asked and verb else ()


def _caused(said: str) -> tuple[str, ...]:
    """ "I want them archived": the last participle that does not say which are meant."""
    found = _CAUSED.match(said)
    if not found:
        return ()
    sentence = SENTENCE.search(said)
    end = sentence.start() if sentence else len(said)
    for word in reversed(list(WORD.finditer(said, 0, end))):
        verb = participle(word.group())
        after = said[word.end() :]
        if verb is None or verb in _DESCRIBES or not _AFTER_DONE.match(after):
            continue
        if verb in _NAMES and not after.startswith(" as ") and not said.startswith(("have", "get")):
            named = _NAMED.match(after) and not _LOOKS.search(said)
            return ("Retrieve", "Label") if named else ()
        ops, _ = meant(verb, after)
        if ops:
            return ops
    return ()


def _spliced(text: str, place: int) -> Head | None:
    """ "I am done with the diet, delete them": an imperative of its own after a comma."""
    for found in _SPLICE.finditer(text, place):
        if found["verb"] in VERBS and (head := imperative(text, found.start("verb"), "")):
            return head
    return None


def _in_later_sentence(text: str, place: int) -> Head | None:
    """ "In the library. Save it with the location": what a later sentence asks for."""
    for end in SENTENCE.finditer(text, place):
        start = end.end() + 1
        asked = imperative(text, opened(text, start), "") if start < len(text) else None
        if asked:
            return asked
    return None


def _by_rules(said: str, rules: tuple[Rule, ...]) -> tuple[str, ...]:
    return next((one.ops for one in rules if one.pattern.search(said)), ())
