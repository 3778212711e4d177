"""An English text as its readers see it: sentences, clauses, and what is quoted in them.

Every version of a text is as long as the text, so that a place in one is the place in all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

HIDDEN = "\ue003"
"""What stands for a character that no reader is to see."""
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "`": "`", "´": "'", "\u00a0": " "})
_QUOTED = re.compile(
    "\"[^\"\\n]{1,400}\"|“[^”\\n]{1,400}”|«[^»\\n]{1,400}»|(?<![\\w'])'[^'\\n]{2,200}'(?![\\w'])"
    "|(?<![\\w'])'[^\\n]{2,200}?'(?![\\w'])"
)
_SAID = re.compile(
    r"(?:sa(?:id|ys|ying)|wrote|writes|reads?|quote|sings?|sang|goes|told|tells|asked|shout\w*|"
    r"begins?|opens? with|ends?|line|motto|slogan|title|joke|song|sign|poster|headline|claims?)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?…]+[\"”')\]]*(?=\s|$)|\n+|(?<=\))\.(?=\s|$)")
_SHORT = re.compile(
    r"(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|no|e\.g|i\.e|etc|vs|approx|jan|feb|mar|apr|jun|jul|aug|"
    r"sept?|oct|nov|dec|[A-Za-z])\.$",
    re.IGNORECASE,
)
_NAME = r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)?"
VERB = (
    r"(?:am|is|are|was|were|has|have|had|'m|'s|'re|'ve|lives?|lived|works?|worked|speaks?|owns?|"
    r"likes?|loves?|hates?|dislikes?|prefers?|uses?|used|runs?|can't|cannot|don't|doesn't|takes?|"
    r"plays?|moved|moves|got|gets|started|joined|stud(?:y|ies)|leads?|maintains?|eats?|drinks?|"
    r"drives?|goes|go|edits?|needs?|must|should|does|do|wants?|says?|said|keeps?|changed|became|"
    r"left|quit|listens?|deploys?|enjoys?|adores?|stopped|just|still|now|no longer|also|never|"
    r"really|both|currently|turned|holds?|will|would|can|could|may|might|leaves?|arrives?|"
    r"returns?|flies|fly)"
)
_START = (
    r"(?:(?:I|we|he|she|they|it|that|this|there|you|nobody|everyone|let's|please|mine|ours|"
    r"hers)(?![\w-])|"
    rf"(?:my|our|his|her|its|their|the|a|an|your) [\w' @.-]{{1,40}}? {VERB}(?![\w-])|"
    rf"{_NAME}(?: {VERB}|'s [\w ]{{1,30}} {VERB})(?![\w-]))"
)
_BARE = (
    r"(?:lives?|works?|speaks?|owns?|likes?|loves?|hates?|prefers?|uses?|takes?|plays?|moved|"
    r"joined|started|am|keeps?|eats?|drinks?|drives?|have|has|can't|don't|doesn't|is|are|stud(?:y|"
    r"ies)|edits?|leads?|maintains?|gets?|come|comes|fly|flies|leave|leaves|return|returns|"
    r"arrives?|joins|left|quit|"
    r"bought|adopted|enjoys?|format|lint|build|call|write|ring|text|use|send|tests?|deploys?|"
    r"type-?check)"
)
_CUT = re.compile(
    r"\s*;\s*|,?\s+(?=who(?:'s| (?:is|lives|works|has|was|speaks|can't|plays|just|moved|turned|"
    r"studies|teaches|goes|loves|hates|runs|drives|started|joined|also|now|will|takes|keeps|leads|"
    r"used)\b))|\s+[—–-]{1,2}\s+|:\s+(?![A-Z][\w'-]+(?:, [A-Z][\w'-]+)* and [A-Z])|\s*\(\s*|"
    r"\s*\)\s*,?\s*"
    r"|,?\s+(?:and so|so that|and|but|so|because|while|whereas|as|though|although|plus|yet|"
    r"given(?: that)?|since|now that|considering(?: that)?|seeing(?: that)?)\s+"
    rf"(?={_START}|by the way\b|if\b)"
    r"|,?\s+(?:so|and|but)\s+(?=(?:which|what|how|where|when|why|can|could|do|does|should|would|"
    r"will|is there|are there|any)\b)"
    rf"|,?\s+(?:and|but)\s+(?:also |then |now )?(?={_BARE}(?![\w-]))"
    r"|\s+(?=(?:I'd|I would) (?:much |far )?(?:rather|prefer)\b)|,\s*(?=(?:keep|remember|note|save|"
    r"don't) (?:that|it|this)\b)"
    rf"|,\s*(?=now {_START})|,\s*(?={_START}|by the way\b|btw\b|fyi\b|if\b|not\b|please\b|thanks|"
    rf"what\b|how\b|where\b|"
    r"which\b|when\b|who\b|why\b|(?:can|could|do|does|is|are|would|will|should|may) (?:you|i|we|it|"
    r"he|she|they|"
    r"there|that|this|the|my|our)\b)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: from where to where, and with which mark it ends."""

    start: int
    end: int
    asks: bool


def plain(text: str) -> str:
    """The text with plain apostrophes, and quotations of what somebody says hidden."""
    folded = text.translate(_APOSTROPHES)
    out, last = [], 0
    for quoted in _QUOTED.finditer(folded):
        words = quoted[0][1:-1].split()
        before = folded[max(0, quoted.start() - 40) : quoted.start()]
        if len(words) <= 3 and not _SAID.search(before) and not before.rstrip().endswith(":"):
            continue  # a name in quotation marks: the dog "Rex"
        out += [folded[last : quoted.start()], HIDDEN * (quoted.end() - quoted.start())]
        last = quoted.end()
    return "".join((*out, folded[last:]))


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text, blanks around them left out."""
    start = 0
    for end in _END.finditer(text):
        if end[0] == "." and _SHORT.search(text[start : end.end()]) and end.end() < len(text):
            continue
        yield from _sentence(text, start, end.end(), "?" in end[0])
        start = end.end()
    yield from _sentence(text, start, len(text), False)


def _sentence(text: str, start: int, end: int, asks: bool) -> Iterator[Sentence]:
    words = text[start:end]
    begin = start + len(words) - len(words.lstrip())
    if words.strip():
        yield Sentence(begin, begin + len(words.strip()), asks)


def clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """From where to where the clauses of a sentence go."""
    place = start
    for cut in _CUT.finditer(text, start, end):
        if cut.start() > place:
            yield place, cut.start()
        place = max(place, cut.end())
    if place < end:
        yield place, end


def words(listed: str) -> frozenset[str]:
    """The words of a text that lists them."""
    return frozenset(listed.split())
