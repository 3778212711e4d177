"""Topics in English clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from text2mem.planner.grounding.words import content_words, singular
from text2mem.planner.topics.model import MASK, Topic

_MEMORY = "notes?|memor(?:y|ies)|entr(?:y|ies)|records?|items?|memos?|ones?"
_KIND = "reports?|ideas?|decisions?|tasks?|events?|facts?|minutes|lists?|plans?|drafts?|recipes?"
"""What a memory may be called by what it holds, where it is said about what it is."""
_ANY = "everything|anything|something|things|stuff|whatever|what|all"
"""What stands for memories where it is said about what they are."""
_SPEAKS = (
    r"(?:(?:do|did|does|have|has|had|is|are|was|were|that|which|who|i|we|you|my|there|ever|already|"
    r"say|says|said|tell|tells|told|made|make|took|take|wrote|write|written|save|saved|keep|kept|"
    r"note|noted|know|record|recorded|store|stored|got|me|us|down|here|so far|anything|all)\s+)"
)
_ABOUT = (
    r"(?:about|on(?! (?:hold|top|ice)\b)|regarding|concerning|covering|mentioning|mentions?|"
    r"containing|"
    r"(?:in |with )?(?:regard|regards|relation|respect|reference) to|relat(?:ed|ing) to|to do with|"
    r"deal(?:s|ing)? with|around|of|for|from|with|in|at|where|saying|called|titled|named)"
)
_SURE = re.compile(
    r"(?:about|on|regarding|concerning|mention|cover|.* to$|"
    r".* with$)",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"([\w'’&/+-]+)\s+$")
_DETERMINERS = frozenset(
    [
        "the",
        "my",
        "our",
        "your",
        "his",
        "her",
        "their",
        "all",
        "any",
        "some",
        "those",
        "these",
        "this",
        "that",
        "every",
        "each",
        "both",
        "either",
        "no",
        "a",
        "an",
        "two",
        "three",
        "four",
        "five",
        "several",
        "few",
        "many",
        "most",
        "other",
    ]
)
_FUNCTION = _DETERMINERS | frozenset(
    [
        "of",
        "to",
        "from",
        "in",
        "on",
        "for",
        "with",
        "about",
        "and",
        "or",
        "into",
        "as",
        "by",
        "at",
        "than",
        "but",
        "is",
        "are",
        "be",
        "was",
        "were",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "if",
        "what",
        "which",
        "where",
        "when",
        "how",
        "why",
        "you",
        "i",
        "we",
        "it",
        "them",
        "that",
        "me",
        "us",
        "please",
        "also",
        "just",
        "only",
        "not",
        "able",
        "change",
        "see",
        "find",
        "show",
        "get",
        "give",
        "so",
        "then",
        "there",
    ]
)
"""Words that no name of a memory reaches across."""
_LONGEST = 4
_MADE = re.compile(
    rf"\b(?:in|to|as|of|make|makes|made|become|becomes)\s+(?:(?:a|an|one|two|three|\d+|several|"
    rf"many|single|"
    rf"separate|short|shorter|small|smaller|individual|new|few|some)\b\s*|[{MASK}\s]+)+$|"
    rf"\binto\s+(?!(?:the|my|this|that|your|our)\b)[^.,;:!?]{{0,40}}$",
    re.IGNORECASE,
)
"""Notes that are made, not meant: "split it into notes of two sentences"."""
_UNCOUNTED = frozenset(("what", "whatever", "something", "stuff"))
_PLURAL = frozenset(
    [
        "all",
        "any",
        "some",
        "those",
        "these",
        "every",
        "each",
        "both",
        "two",
        "three",
        "four",
        "five",
        "several",
        "few",
        "many",
        "most",
    ]
)
_END = re.compile(
    r"[.;:?!,\n\"]|\s(?:"
    r"(?:is|are|was|were|has|have|had|will|would|should|shall|must|can|cannot|could|may|might|"
    r"needs?|"
    r"ought|does|do|don['’]t|doesn['’]t|isn['’]t|aren['’]t|won['’]t|can['’]t|shouldn['’]t|becomes?|"
    r"expires?|stays?|"
    r"remains?|matters?|belongs?|goes|go|no longer|not)\b"
    r"|(?:that|which|who)\s+(?:is|are|was|were|has|have|had|isn['’]t|aren['’]t|i|we|you|don['’]t|"
    r"do|does|can|"
    r"should|must|will|need)\b"
    r"|(?:so|because|since|unless|until|till|if|but|except|before|after|whenever|when|while|now|"
    r"then|please|"
    r"together|apart|again|permanently|automatically|instead|first|yet|too|either|as well|"
    r"any ?more|"
    r"any longer|in case|for good|for later|for now|for me|at all)\b"
    r"|(?:into|onto|out of|as|by|up|down|away|off|back|read[- ]only|append[- ]only)\b"
    r"|to (?:the |my )?(?:archives?|top|bottom|front|highest|lowest|high|low|normal|read|append|"
    r"say|be|expire|"
    r"lapse|run|one|a single)\b"
    r"|from (?:being|any|further|changes?|edits?|deletion|the archive)\b"
    r"|(?:and|or) (?:then|also|make|ensure|mark|tag|label|keep|leave|put|archive|lock|delete|"
    r"remove|set|give|"
    r"show|let|move|raise|lower|merge|split|summari[sz]e|tell|send|nothing|not|them|it)\b"
    r"|with (?:an? |the )?(?:focus|emphasis|tags?|labels?|status|high|low|top|eye|accent)\b"
    r"|at (?:once|the top|the bottom|most|high|low|top)\b)",
    re.IGNORECASE,
)
_NOT_TO = (
    "related relating due according access response respect next regard regards relation reference"
)
_PURPOSE = re.compile(
    r"(?:,|\s)\s*(?:(?:in order )?"
    + "".join(rf"(?<!{word} )" for word in _NOT_TO.split())
    + r"to (?!(?:the|my|our|a|an|this|that|do|read|review|outdated|old|new)\b)(?-i:[a-z])[a-z]*\b"
    r"|into (?!(?:the|my|our|this|that)\b)|so (?:that|it|they|we|no|nobody|i)\b|because\b|"
    r"since (?:it|they|we|he|she|this|that)\b"
    r"|as (?:it|they|we|this|that|i|you)\b|for (?:(?:quick|quicker|easy|easier|better|future|later|"
    r"further|now|"
    r"historical|immediate|good|my|your)\b|[a-z]*(?:reference|tracking|review|analysis|follow-up|"
    r"clarity|"
    r"visibility|access)\b)|and (?:make sure|ensure)\b|ensuring\b|making sure\b|which\b|but\b|"
    r"until further\b"
    r"|if (?:it|they|any|some)\b|especially\b|particularly\b|next time\b|from now on\b|unless\b|"
    r"now that\b"
    r"|then\b|please\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_ASKING = re.compile(
    r"\b(?:read[- ]only|append[- ]only|locked|unlocked|protected|secured?|frozen|expir\w+|lapse\w*|"
    r"run out|"
    r"archived?|prioriti[sz]ed?|deprioriti[sz]ed?|highlighted|emphasi[sz]ed|marked|tagged|"
    r"label?led|flagged|"
    r"classified|(?:the )?(?:priority|importance|urgency|weight|visibility|level) (?:of|to|for)|"
    r"(?:a |the )?(?:top|high|higher|highest|low|lower|lowest|urgent|normal|medium) (?:priority|"
    r"importance)|"
    r"(?:more|less|very|most) (?:important|urgent)|"
    r"as (?:being |a |an )?(?:urgent|critical|important|done|completed)|(?:in|to) the archives?|"
    r"down|up|away|"
    r"back|sure|from (?:being )?(?:edits?|edited|changes?|changed|deletion|deleted|modification|"
    r"modified)|"
    r"with the tags?|the tags?|the labels?|summary|overview|gist|recap|digest|main points|"
    r"key points|"
    r"main decisions|together|into one|one note|duplicates?|i (?:don'?t|no longer) need|any ?more|"
    r"any longer|"
    r"no longer|can go|should be|must be|is to be|are to be)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:(?:^|\s+)(?:as|with|under|and|or|is|are|to|into|in|by|for|from|of|on|at|its|their|lower|"
    r"that|which))+$",
    re.IGNORECASE,
)

_LEADING = re.compile(
    r"^(?:(?:the|an?|its|their)\s+(?=(?:for|of|from|to|in|on|with|about)\b)|(?:for|of|from|to|in|"
    r"on|with|about|and|that)\s+)+",
    re.IGNORECASE,
)


def called(text: str, types: Sequence[str]) -> tuple[Topic, ...]:
    """The memories that a clause calls by name: "the report on the garden", "all choir notes"."""
    found: list[Topic] = []
    for noun in _nouns(tuple(types)).finditer(text):
        if found and noun.start() < found[-1].end:
            continue
        one = _called(text, noun)
        if one is not None:
            if found and found[-1].end > one.start:
                continue
            found.append(one)
    return tuple(found)


@cache
def _nouns(types: tuple[str, ...]) -> re.Pattern[str]:
    own = {
        re.escape(singular(word.casefold())) for word in types if re.fullmatch(r"[A-Za-z-]+", word)
    }
    kinds = "|".join(
        rf"{word}(?:s|es)?" if word[-1] != "y" else rf"{word[:-1]}(?:y|ies)" for word in sorted(own)
    )
    typed = rf"(?P<type>{kinds})|" if kinds else "(?P<type>(?!))|"
    source = rf"{typed}(?P<memory>{_MEMORY})|(?P<kind>{_KIND})|(?P<any>{_ANY})"
    return re.compile(rf"(?<![\w'’-])(?:{source})(?![\w'’-])", re.IGNORECASE)


_HAS = re.compile(
    rf"(?:\s+(?:that|which|are|is|were|was|aren['’]t|isn['’]t|not|have|has|having|with|without|the|"
    rf"an?|no|under|as|"
    rf"tagged|labell?ed|marked|filed|flagged|classified|carrying|bearing|both|either|tags?|"
    rf"labels?|status|state))*\s*{MASK}",
    re.IGNORECASE,
)
"""What follows a noun whose memories are told by what they have."""
_POST = re.compile(rf"(?P<gap>[\s{MASK}]+{_SPEAKS}{{0,5}}){_ABOUT}\s+", re.IGNORECASE)
_ABOUT_WORD = re.compile(rf"{_ABOUT}\s+$", re.IGNORECASE)


def _called(text: str, noun: re.Match[str]) -> Topic | None:
    before = text[max(0, noun.start() - 80) : noun.start()]
    if _MADE.search(before):
        return None
    pre, determiner = _modifiers(text, noun.start())
    start = noun.start() - len(pre)
    post = _POST.match(text, noun.end())
    about = post[0][len(post["gap"]) :].strip().lower() if post else ""
    masked = bool(_HAS.match(text, noun.end()))
    if noun["any"] and not (post and _SURE.match(about)):
        return None
    if noun["kind"] and not (post and _SURE.match(about)) and not masked:
        return None
    if noun["memory"] and noun[0].lower().startswith("one") and not (post or masked):
        return None
    typed = noun["type"] and noun.end() < len(text.rstrip()) and not post and not masked
    if typed and not _END.match(text, noun.end()):
        return None
    words, end = "", noun.end()
    if post:
        words, end = _about(text, post.end())
    plural = noun[0].lower() != singular(noun[0].lower()) or bool(noun["any"])
    many: bool | None = plural or determiner in _PLURAL
    if noun["any"] and noun[0].lower() in _UNCOUNTED:
        many = None
    pre = _ASKING.sub(" ", "" if noun["any"] else pre)
    within = _WITHIN.search(text[:start])
    held = left(text[: within.start()]) if within else ""
    if any(not word.weak for word in content_words(held)):
        pre = f"{held} {pre}"
    return Topic(_clean(f"{pre} {words}"), noun[0].lower(), many, start, max(end, noun.end()))


_WITHIN = re.compile(
    r"\b(?:from|in|within|inside)\s+(?:the|my|our|all|these|"
    r"those)?\s*$",
    re.IGNORECASE,
)
"""What is looked for inside of notes: "the budget from the meeting notes"."""


def _modifiers(text: str, end: int) -> tuple[str, str]:
    """The words right before a noun that tell what memories it means, and its determiner."""
    start, determiner = end, ""
    for _ in range(_LONGEST):
        word = _WORD_BEFORE.search(text, max(0, start - 48), start)
        if word is None:
            break
        if word[1].lower() in _FUNCTION:
            determiner = word[1].lower()
            break
        start = word.start()
    return text[start:end], determiner


def _about(text: str, start: int) -> tuple[str, int]:
    """The words after "about", and where they end."""
    stop = _END.search(text, start)
    end = stop.start() if stop else len(text)
    further = re.compile(
        rf"\s(?:to|into|in|with|and|or|from)\s+(?:the|my|our|this|"
        rf"that)\s+(?:{_MEMORY})\b",
        re.I,
    )
    other = further.search(text, start, end)
    end = other.start() if other else end
    return _trimmed(text[start:end]), end


def number(words: str) -> bool | None:
    """Whether words such as "the recipe for plum cake" mean several things; None where untold."""
    if re.search(r"\band\b", words, re.IGNORECASE):
        return True
    found = _HEAD.match(words.strip())
    if found is None:
        return None
    noun = found["noun"].lower()
    return noun != singular(noun)


_HEAD = re.compile(
    r"(?:the|my|our|this|that|his|her|their)\s+(?:[\w'’&-]+\s+){0,3}?(?P<noun>[\w'’-]+)"
    r"(?=\s+(?:for|of|with|on|about|to|in|at|from|by|regarding|that|which)\b|$)",
    re.IGNORECASE,
)


def left(text: str) -> str:
    """What is left of a clause without the words for what is asked, what for and how."""
    plain = " ".join(text.replace(MASK, " ").split())
    return _trimmed(plain)


def _trimmed(words: str) -> str:
    said = _PURPOSE.sub("", words) or words
    return _clean(_ASKING.sub(" ", said))


def _clean(words: str) -> str:
    kept = " ".join(words.replace(MASK, " ").split()).strip(" .,;:!?")
    return _DANGLING.sub("", _LEADING.sub("", kept))
