"""Topics in English clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from text2mem.planner.evidence.text import HIDDEN
from text2mem.planner.grounding.words import content_words, singular
from text2mem.planner.topics import english_words as words_of
from text2mem.planner.topics.model import Topic

_POST = re.compile(
    rf"(?P<gap>[\s{HIDDEN}]+{words_of.SPEAKS}{{0,5}}){words_of.ABOUT}\s+", re.IGNORECASE
)
_WORD_BEFORE = re.compile(r"([\w'’&/+-]+)\s+$")
_SAYS = re.compile(r"(?:that |which )?(?:say|read|stat)", re.IGNORECASE)
_SENTENCE = re.compile(r"[.;:?!\n\"]")
_LONGEST = 4
"""How many words before a noun may tell what memories it means."""


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
    source = (
        rf"{typed}(?P<memory>{words_of.MEMORY})|(?P<kind>{words_of.KIND})|(?P<any>{words_of.ANY})"
    )
    return re.compile(rf"(?<![\w'’-])(?:{source})(?![\w'’-])", re.IGNORECASE)


def _called(text: str, noun: re.Match[str]) -> Topic | None:
    before = text[max(0, noun.start() - 80) : noun.start()]
    if words_of.MADE.search(before):
        return None
    pre, determiner = _modifiers(text, noun.start())
    start = noun.start() - len(pre)
    post = _POST.match(text, noun.end())
    about = post[0][len(post["gap"]) :].strip().lower() if post else ""
    masked = bool(words_of.HAS.match(text, noun.end()))
    sure = bool(post and words_of.SURE.match(about))
    counted = masked and noun[0].lower() in words_of.COUNTED
    if (noun["any"] and not (sure or counted)) or (noun["kind"] and not (sure or masked)):
        return None
    if noun["memory"] and noun[0].lower().startswith("one") and not (post or masked):
        return None
    typed = noun["type"] and noun.end() < len(text.rstrip()) and not post and not masked
    if typed and not words_of.END.match(text, noun.end()):
        return None
    words, end = "", noun.end()
    if post:
        words, end = _about(text, post.end(), whole=bool(_SAYS.match(about)))
    plural = noun[0].lower() != singular(noun[0].lower()) or bool(noun["any"])
    many: bool | None = plural or determiner in words_of.PLURAL
    if noun["any"] and noun[0].lower() in words_of.UNCOUNTED:
        many = None
    pre = words_of.ASKING.sub(" ", "" if noun["any"] else pre)
    within = words_of.WITHIN.search(text[:start])
    held = left(text[: within.start()]) if within else ""
    if any(not word.weak for word in content_words(held)):
        pre = f"{held} {pre}"
    return Topic(_clean(f"{pre} {words}"), noun[0].lower(), many, start, max(end, noun.end()))


def _modifiers(text: str, end: int) -> tuple[str, str]:
    """The words right before a noun that tell what memories it means, and its determiner."""
    start, determiner = end, ""
    for _ in range(_LONGEST):
        word = _WORD_BEFORE.search(text, max(0, start - 48), start)
        if word is None:
            break
        if word[1].lower() in words_of.FUNCTION:
            determiner = word[1].lower()
            break
        start = word.start()
    return text[start:end], determiner


def _about(text: str, start: int, *, whole: bool) -> tuple[str, int]:
    """The words after "about", and where they end; a ``whole`` sentence after "that says"."""
    stop = (_SENTENCE if whole else words_of.END).search(text, start)
    end = stop.start() if stop else len(text)
    other = words_of.OTHER.search(text, start, end)
    end = other.start() if other else end
    return _trimmed(text[start:end]), end


def number(words: str) -> bool | None:
    """Whether words such as "the recipe for plum cake" mean several things; None where untold."""
    if re.search(r"\band\b", words, re.IGNORECASE):
        return True
    found = words_of.HEAD.match(words.strip())
    if found is None:
        return None
    noun = found["noun"].lower()
    return noun != singular(noun)


def left(text: str) -> str:
    """What is left of a clause without the words for what is asked, what for and how."""
    return _trimmed(" ".join(text.split()))


def _trimmed(words: str) -> str:
    said = words_of.PURPOSE.sub("", words) or words
    return _clean(words_of.ASKING.sub(" ", said))


def _clean(words: str) -> str:
    kept = " ".join(words.replace(HIDDEN, " ").split()).strip(" .,;:!?")
    return words_of.DANGLING.sub("", words_of.LEADING.sub("", kept))
