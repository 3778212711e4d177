"""Lists: find the one item of a list that words name, and take out or add an item."""

from __future__ import annotations

import re

from text2mem.editing.kinds import MOMENTS, spans
from text2mem.ir.words.joining import AFTER, ARTICLE, BEFORE, LINE, SEPARATOR, next_mark
from text2mem.ir.words.segment import GRAMMATICAL, HAN, index_terms, query_terms

_HEADED = re.compile(r"(?P<head>[^:：,，、;；.。]{1,40})[:：](?!\d)\s*(?P<rest>.+)", re.DOTALL)
_BETWEEN = re.compile(r"[,，、;；\n]")
_BEGUN = re.compile(r"(?:^|[:：.。!！?？\n(（])\s*$")
"""What precedes an item that is no part of a longer one."""
_ENDED = re.compile(r"[ \t]*\n|\s*(?:$|[^\w\s])")
_MARKS = re.compile(r"[.。!！?？]+\s*")
_BEGINS_ONE = re.compile(r"(?:^|[.。!！?？\n])\s*$")
"""The end of a sentence, and what precedes the beginning of one."""
_IN_A_ROW = re.compile(r"(?<![^\s,，;；:：、。])(?P<number>\d{1,2})[.)）、．](?!\d)\s*")
_JOINED = re.compile(r"[\s,，;；、.。]*")
_JOINED_AT_END = re.compile(r"[\s,，;；、]+$")
_ITS_OWN = re.compile(r"(?:\s*(?:[(（][^)）]*[)）]|[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]))+")
"""What follows an item and belongs to it: brackets, or a pictograph."""
_BRACKETS = re.compile(r"\s*(?:[(（][^)）]*[)）]|[.,;，。；、])*\s*")
_WORD = re.compile(r"\s*([^\W\d_]+)")
_LEAST = 3
_WORDS, _CHARACTERS = 4, 8
"""The most words, or Chinese characters, of an item. Anything longer describes something."""


def item_of(text: str, words: str) -> str | None:
    """The item of a list that words name, and nothing else of it, as the text writes it.

    None if the text is no list, or if the words name more or less than one item. If the first part
    after the head is longer than an item, the rest describes it: "Gift: the blue plate, wrapped, in
    the cupboard of my office" is no list, and whoever names the plate means the memory.
    """
    found = _HEADED.match(text)
    if found is None:
        return None
    items = [each.strip(" \t.。") for each in _BETWEEN.split(found["rest"])]
    terms = set(query_terms(words))
    if len(items) < _LEAST or not terms or not terms.isdisjoint(index_terms(found["head"])):
        return None
    named = [each for each in items if terms <= set(index_terms(each))]
    if len(named) != 1 or not _short(named[0]) or text.count(named[0]) != 1:
        return None
    return named[0] if named[0] != items[0] or all(map(_short, items)) else None


def _short(item: str) -> bool:
    """Whether words are short enough to be an item."""
    return len(item) <= _CHARACTERS if HAN.search(item) else len(item.split()) <= _WORDS


def open_ended(text: str) -> str:
    """A list of short items on one line without the full stop behind the last, which another one
    may follow; any other text as it is."""
    found, body = _HEADED.fullmatch(text), text.rstrip(".。")
    if found is None or len(text) - len(body) != 1 or re.search(r"[.。!！?？\n]", body):
        return text
    items = _BETWEEN.split(body[found.start("rest") :])
    return body if len(items) >= _LEAST and all(map(_short, items)) else text


Gone = tuple[int, int, str]
"""The start and end of the part of a text that goes, and what replaces it."""


def without(text: str, start: int, end: int) -> Gone | None:
    """What is taken out of a text together with an item: its line, or what joined it to the others.
    None if it cannot be told whether it is an item by itself."""
    line = _line(text, start, end) or _of_row(text, start, end)
    if line is not None:
        return line
    if text[:start].endswith(("(", "（")) and text[end:].startswith((")", "）")):
        start, end = start - 1, end + 1
    if alone(text, start, end) or BEFORE.search(text[:start]):
        own = _ITS_OWN.match(text, end)
        if own is not None and (AFTER.match(text, own.end()) or complete(text[own.end() :])):
            end = own.end()
    first = _with_article(text, start, end)
    left, right = BEFORE.search(text[:first]), AFTER.match(text[end:])
    before, bracketed = text[:first], text[start] in "(（"
    if left is None or bracketed:
        if bracketed or (right and not right["mark"] and any(spans(text[first:end], MOMENTS))):
            right = None
        if (right and _within(before)) or (right is None and _numbered(text, start)):
            return None
        if right is not None:
            return first, end + right.end(), ""
        sentence = _MARKS.match(text, end) if _BEGINS_ONE.search(before) else None
        if sentence is not None:
            return first, sentence.end(), ""
        blank = re.search(r"\s+$", before)
        if not bracketed and blank is not None and _dangling(before) and complete(text[end:]):
            return None
        after = re.match(r"\s*", text[end:])
        more = after.end() if after is not None and blank is None else 0
        return (blank.start() if blank else first), end + more, ""
    if right is None and not complete(text[end:]):
        return None  # it may begin a longer item: "brown" of "milk, brown bread"
    if right is not None and right["mark"] and _rank(right["mark"]) < _rank(left[0]):
        return first, end + len(right["mark"]), ""
    return left.start(), end, ""


def _rank(separator: str) -> int:
    """How far a separator separates: 、 least, then a word, a comma, and most a semicolon."""
    mark = separator.strip()[:1]
    return {"、": 0, ",": 2, "，": 2, ";": 3, "；": 3}.get(mark, 1)


def alone(text: str, start: int, end: int) -> bool:
    """Whether a place in a text holds a whole item."""
    before, after = text[:start], text[end:]
    mark = LINE.match(text, text.rfind("\n", 0, start) + 1)
    begun = (mark is not None and mark.end() == start) or BEFORE.search(before)
    return bool((begun or _BEGUN.search(before)) and (AFTER.match(after) or _ENDED.match(after)))


def with_line(text: str, words: str) -> str | None:
    """A text of one line an item, with one more; None if the text is not of that form."""
    lines = [line for line in text.split("\n") if line.strip()]
    if (row := _row(text)) and text[-1] not in ".。!！?？":
        number, before = row[-1]["number"], text[: row[-1].start()]
        joined = _JOINED_AT_END.search(before)
        new = row[-1][0].replace(number, str(int(number) + 1), 1)
        return f"{text}{joined[0] if joined else ' '}{new}{words}"
    mark = LINE.match(lines[-1])
    if mark is None:
        bare = len(lines) >= _LEAST and all(_short(each) for each in (*lines, words))
        return f"{text}\n{words}" if bare and not re.search(r"[^\w\s-]", text) else None
    if mark.end() == len(lines[-1]) or (mark["number"] and len(lines) == 1):
        return None
    own = LINE.match(words)
    return f"{text}\n{next_mark(mark[0])}{words[own.end() if own else 0 :]}"


def _line(text: str, start: int, end: int) -> Gone | None:
    """The line that holds this item alone, with the numbers of the next lines decreased."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    mark = LINE.match(text, first, last)
    if mark is None or "\n" not in text or text[mark.end() : start].strip():
        return None
    if not _BRACKETS.fullmatch(text[end:last]):
        return None
    lines, number = [], int(mark["number"] or 0)
    reached = last
    for line in text[last + 1 :].split("\n") if mark["number"] else ():
        own = LINE.match(line)
        if own is None or own["number"] != str(number + 1):
            break
        lines.append(line[: own.start("number")] + str(number) + line[own.end("number") :])
        number += 1
        reached += len(line) + 1
    if not lines:
        return (first - 1, last, "") if first else (first, last + 1, "")
    return first, reached, "\n".join(lines)


def _row(text: str) -> list[re.Match[str]]:
    """The marks of a list on one line, with or without a head: "To do: 1) milk 2) eggs"."""
    found: list[re.Match[str]] = []
    for mark in _IN_A_ROW.finditer(text) if "\n" not in text else ():
        if int(mark["number"]) == len(found) + 1:
            found.append(mark)
    headed = found and re.search(r"(?:^|[:：])\s*$", text[: found[0].start()])
    return found if headed and len(found) > 1 else []


def _of_row(text: str, start: int, end: int) -> Gone | None:
    """The item of a list on one line, with its number and those of the next ones decreased."""
    marks = _row(text)
    at = next((n for n, mark in enumerate(marks) if mark.end() == start), None)
    if at is None:
        return None
    own, later = marks[at], marks[at + 1 :]
    if _JOINED.fullmatch(text, end, later[0].start() if later else len(text)) is None:
        return None
    if not later:
        return len(_JOINED_AT_END.sub("", text[: own.start()])), len(text), ""
    ends = [*(mark.start("number") for mark in later[1:]), len(text)]
    left = (
        f"{number}{text[mark.end('number') : last]}"
        for number, (mark, last) in enumerate(zip(later, ends, strict=True), at + 1)
    )
    return own.start("number"), len(text), "".join(left)


def _with_article(text: str, start: int, end: int) -> int:
    """Where an item begins, including its article if the neighbouring item has one, too."""
    found = [each for each in ARTICLE.finditer(text, 0, start) if each.end() == start]
    if not found:
        return start
    right = AFTER.match(text, end)
    both = right is not None and ARTICLE.match(text, right.end())
    return found[0].start() if both or BEFORE.search(text[: found[0].start()]) else start


def _within(before: str) -> bool:
    """Whether what follows may continue an item: "my brother" in "Ann, Ben my brother, Cem"."""
    so_far = re.split(r"[:：.。!！?？\n]", before)[-1]
    return not _BEGUN.search(before) and re.search(SEPARATOR, so_far) is not None


def _numbered(text: str, start: int) -> bool:
    """Whether taking out an item would leave its number alone, in a numbered list on one line."""
    own = re.search(r"(?<!\d)(\d{1,2})[.)、．]\s*$", text[:start])
    beside = (int(own[1]) - 1, int(own[1]) + 1) if own is not None else ()
    return any(re.search(rf"(?<!\d){each}[.)、．](?!\d)", text) for each in beside)


def _dangling(before: str) -> bool:
    """Whether a text ends with a grammatical word that leads on to another one."""
    words = before.split()
    return bool(words) and words[-1].casefold() in GRAMMATICAL and words[-1].isascii()


def complete(after: str) -> bool:
    """Whether an item ends before ``after``: a mark, a time, or a grammatical word follows."""
    if _ENDED.match(after):
        return True
    blank = len(after) - len(after.lstrip())
    word = _WORD.match(after)
    leads = word is not None and (word[1].casefold() in GRAMMATICAL or word[1][0] in GRAMMATICAL)
    return leads or any(first == blank for first, _ in spans(after, MOMENTS))
