"""Words exchanged within what a memory holds (docs/language.md, "Ops", Update ``replace``)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from text2mem.errors import ExecutionError
from text2mem.ir.content import CONTENTS
from text2mem.ir.ops import Edits, Exchange, Update
from text2mem.ir.record import Record

# Of an alphabet: Chinese and Japanese are written without gaps between words.
_LETTER = "0-9A-Za-z\u00aa-\u02af\u0370-\u052f"
_MARK = "[.,:/：]"
"""What joins figures to one number."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_FACT = frozenset({"subject", "attribute", "value"})
_CLOSING = " .,;:!?)"


def edits_in(record: Record, op: Update, at: str = "") -> Edits:
    """What an Update comes to in one memory; ``at`` is the pointer of its args.

    A fact says its value: a structured content of the same fact is a new value, and its subject
    may be another one in both places. Raises
    ExecutionError "fact-content" for another content of a fact, and what ``edits_of`` does.
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
            return op.edits  # the same of another subject
    raise ExecutionError(
        "fact-content", f"memory {record.id} is a fact, and says its value",
        pointer=f"{at}/set" if at else "",
        hint="set `value`; of another subject or attribute, encode another fact",
    )  # fmt: skip


def _names(structured: Mapping[str, Any]) -> tuple[Any, Any]:
    return structured.get("subject"), structured.get("attribute")


def edits_of(record: Record, words: Exchange, at: str = "") -> Edits:
    """The edits that an exchange comes to in one memory; ``at`` is the pointer of the exchange.

    A fact's value takes the words, else the string values of a structured payload, else the text.
    Raises ExecutionError "words-not-found", or "nothing-left".
    """
    if record.is_fact:
        value = _in_value(record.value, words)
        _check(record, words, value, at)
        return {"value": value}
    structured = record.payload.get("structured")
    if isinstance(structured, Mapping):
        held = _in_value(structured, words)
        _check(record, words, held, at)
        return {"structured": held}
    text = exchanged(record.text, words)
    _check(record, words, text, at)
    assert text is not None
    url = record.payload.get("url")
    if url is None:
        return {"text": text}
    if url == record.text and _URL.fullmatch(text):
        return {"url": text}
    # The text behind a url is no longer what is found there; where it came from stays known.
    return {"text": text, "source": record.source or url}


def exchanged(text: str, words: Exchange) -> str | None:
    """The text with the new words in every place of the old ones; None where it has no such place.

    Words that are removed take the blank with them that would be left over.
    """
    found = places(text, words.old)
    if not found:
        return None
    out, last = "", 0
    for start, end in found:
        out += text[last:start]
        if not words.new:
            if out.endswith(" ") and (end == len(text) or text[end] in _CLOSING):
                out = out[:-1]
            elif (not out or out.endswith("\n")) and text[end : end + 1] == " ":
                end += 1
        out, last = out + words.new, end
    return out + text[last:]


def places(text: str, words: str) -> list[tuple[int, int]]:
    """Where words stand in a text, between two places each: on their own; where they never do, as a
    part of a time, a date or another number with a mark in it; else within a word or number."""
    inner = re.escape(words)
    first, last = words[:1], words[-1:]
    before = f"(?<![{_LETTER}])" if re.match(f"[{_LETTER}]", first) else ""
    after = f"(?![{_LETTER}])" if re.match(f"[{_LETTER}]", last) else ""
    apart = rf"(?<!\d{_MARK})" if first.isdecimal() else ""
    ended = rf"(?!{_MARK}\d)" if last.isdecimal() else ""
    forms = (f"{apart}{before}{inner}{after}{ended}", f"{before}{inner}{after}", inner)
    found = ([place.span() for place in re.finditer(form, text)] for form in forms if words)
    return next(filter(None, found), [])


def _in_value(value: Any, words: Exchange) -> Any:
    """A JSON value with the words exchanged in its strings and numbers, keys as they are; None
    where it does not hold the words."""
    if isinstance(value, Mapping | list):
        items = dict(value.items() if isinstance(value, Mapping) else enumerate(value))
        new = {key: _in_value(item, words) for key, item in items.items()}
        if not any(item is not None for item in new.values()):
            return None
        out = {key: item if new[key] is None else new[key] for key, item in items.items()}
        return out if isinstance(value, Mapping) else list(out.values())
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return exchanged(value, words)
    found = exchanged(json.dumps(value), words)
    return None if found is None else _number(found)


def _number(text: str) -> Any:
    """A number where the text is one, else the text."""
    try:
        found = json.loads(text, parse_constant=lambda name: name)
    except ValueError:
        return text
    number = isinstance(found, int | float) and not isinstance(found, bool)
    return found if number and math.isfinite(found) else text


def _check(record: Record, words: Exchange, after: Any, at: str) -> None:
    """Refuses an exchange that finds no words, or that leaves none."""
    if after is None:
        raise ExecutionError(
            "words-not-found", f"memory {record.id} does not hold the words {words.old!r}",
            pointer=f"{at}/old" if at else "",
            hint="give words as they stand in its text, letter for letter",
        )  # fmt: skip
    if isinstance(after, str) and not after.strip():
        raise ExecutionError(
            "nothing-left", f"without these words nothing would be left of memory {record.id}",
            pointer=f"{at}/new" if at else "",
            hint="Delete removes a memory; replace takes words out of one",
        )  # fmt: skip
