"""Exchange words in the content of a memory (docs/language.md, "Ops", ``replace`` of Update)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from text2mem.errors import ExecutionError
from text2mem.ir.ops import CONTENTS, Edits, Exchange, Update
from text2mem.ir.record import Record
from text2mem.ir.times.numerals import HAN_CHARS
from text2mem.ir.words.naming import name_key

_LETTER = "0-9A-Za-z\u00aa-\u02af\u0370-\u052f"
"""Digits and letters of scripts with blanks between words, as a range of a pattern."""
_MARK = "[.,:/：]"
"""The marks that join digits into one number, date or time."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_FACT = frozenset({"subject", "attribute", "value"})
_CLOSING = " .,;:!?)"


def edits_in(record: Record, op: Update, at: str = "") -> Edits:
    """Return the edits that an Update makes to one memory. ``at`` is the pointer of its args.

    Of a fact, a structured content with its own subject and attribute is a new value, and one that
    differs in the subject an edit of that, if ``subject`` says the same. Raises ExecutionError
    "fact-content" for any other content of a fact, and whatever ``edits_of`` raises.
    """
    if op.replace is not None:
        return edits_of(record, op.replace, f"{at}/replace" if at else "")
    if not record.is_fact or "value" in op.edits or op.edits.keys().isdisjoint(CONTENTS):
        return op.edits
    stated = op.edits.get("structured", {})
    if stated.keys() == _FACT:
        held = record.payload.get("structured", {})
        if _names(stated) == _names(held):
            edits = op.edits.copy()
            del edits["structured"]
            return {**edits, "value": stated["value"]}
        if stated == {**held, "subject": op.edits.get("subject")}:
            return op.edits  # an edit of the subject
    why = f"memory {record.id} is a fact, and says its value"
    hint = "set `value`; of another subject or attribute, encode another fact"
    raise ExecutionError("fact-content", why, pointer=at and f"{at}/set", hint=hint)


def _names(structured: Mapping[str, Any]) -> tuple[str, str]:
    return name_key(str(structured.get("subject"))), name_key(str(structured.get("attribute")))


def edits_of(record: Record, words: Exchange, at: str = "") -> Edits:
    """Return the edits that an exchange of words makes to one memory: in the value of a fact, in
    the values of another structured payload, and otherwise in the text. ``at`` is its pointer.
    Raises ExecutionError "words-not-found" or "nothing-left"."""
    if record.is_fact:
        return {"value": _checked(_in_value(record.value, words), record, words, at)}
    structured = record.payload.get("structured")
    if isinstance(structured, Mapping):
        return {"structured": _checked(_in_value(structured, words), record, words, at)}
    text = _checked(exchanged(record.text, words), record, words, at)
    url = record.payload.get("url")
    if url is None:
        return {"text": text}
    if url == record.text and _URL.fullmatch(text):
        return {"url": text}
    # The text fetched from the url has changed: the url becomes the source.
    return {"text": text, "source": record.source or url}


def exchanged(text: str, words: Exchange) -> str | None:
    """The text with the old words replaced by the new ones in every place (``places``); None if
    there is none. If the new words are empty, a blank that would be left over goes, too."""
    found = places(text, words.old)
    if not found:
        return None
    pieces: list[str] = []
    last = 0
    for start, end in found:
        if last < start:
            pieces.append(text[last:start])
        before = pieces[-1] if pieces else ""
        if words.new:
            pieces.append(words.new)
        elif before.endswith(" ") and (end == len(text) or text[end] in _CLOSING):
            pieces[-1:] = filter(None, [before[:-1]])
        elif (not before or before.endswith("\n")) and text[end : end + 1] == " ":
            end += 1
        last = end
    return "".join(pieces) + text[last:]


def places(text: str, words: str) -> list[tuple[int, int]]:
    """The (start, end) of every place in a text where words occur: as whole words and numbers, else
    as parts of a number, date or time that marks join ("10" in "10:30"), else anywhere."""
    inner = re.escape(words)
    first, last = words[:1], words[-1:]
    kinds = (_LETTER, HAN_CHARS)  # 六千 is no part of 六千六
    before = "".join(f"(?<![{kind}])" for kind in kinds if re.match(f"[{kind}]", first))
    after = "".join(f"(?![{kind}])" for kind in kinds if re.match(f"[{kind}]", last))
    apart = rf"(?<!\d{_MARK})" if first.isdecimal() else ""
    ended = rf"(?!{_MARK}\d)" if last.isdecimal() else ""
    forms = (f"{apart}{before}{inner}{after}{ended}", f"{before}{inner}{after}", inner)
    found = ([place.span() for place in re.finditer(form, text)] for form in forms if words)
    return next(filter(None, found), [])


def shares(part: tuple[int, int], of: tuple[int, int]) -> bool:
    """Whether two places overlap."""
    return part[0] < of[1] and of[0] < part[1]


def _in_value(value: Any, words: Exchange) -> Any:
    """A JSON value with the words exchanged in its strings and numbers; None without the words."""
    if isinstance(value, Mapping | list):
        items = dict(value.items() if isinstance(value, Mapping) else enumerate(value))
        new = {key: _in_value(item, words) for key, item in items.items()}
        if not any(item is not None for item in new.values()):
            return None
        out = {key: item if new[key] is None else new[key] for key, item in items.items()}
        return out if isinstance(value, Mapping) else list(out.values())
    if isinstance(value, bool | None):
        return None
    if isinstance(value, str):
        return exchanged(value, words)
    found = exchanged(json.dumps(value), words)
    return None if found is None else _number(found)


def _number(text: str) -> Any:
    """The finite number that a text is in JSON, else the text."""
    try:
        found = json.loads(text, parse_constant=lambda name: name)
    except ValueError:
        return text
    number = isinstance(found, int | float) and not isinstance(found, bool)
    return found if number and math.isfinite(found) else text


def _checked(after: Any, record: Record, words: Exchange, at: str) -> Any:
    """The result of an exchange. Raises ExecutionError without one, or for a blank text."""
    if after is None:
        why = f"memory {record.id} does not hold the words {words.old!r}"
        hint = "give words as they stand in its text, letter for letter"
        raise ExecutionError("words-not-found", why, pointer=at and f"{at}/old", hint=hint)
    if isinstance(after, str) and not after.strip():
        why = f"without these words nothing would be left of memory {record.id}"
        hint = "Delete removes a memory; replace takes words out of one"
        raise ExecutionError("nothing-left", why, pointer=at and f"{at}/new", hint=hint)
    return after
