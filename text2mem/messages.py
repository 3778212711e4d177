"""Messages: the texts of ``prompts/messages.toml``, in the language of a request."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cache
from typing import TYPE_CHECKING

from text2mem import resources
from text2mem.ir.times.temporal import format_local
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import HAN

if TYPE_CHECKING:
    from text2mem.errors import Text2MemError
    from text2mem.ir.result import Failure

_WORD = re.compile("[a-z]{2}[!-~]*", re.IGNORECASE)
"""An English word; so is an address or a path, which belongs to no language."""


@cache
def _catalogue() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.read_text("prompts", "messages.toml"))


class Told(str):
    """A message in English that can be told in other languages: it carries its name and values."""

    name: str
    values: Mapping[str, object]


def told(name: str, **values: object) -> str:
    """The message ``name`` as Told. A value that is a tuple of ids, names or messages is listed."""
    text = Told(message(name, "", **values))
    text.name, text.values = name, values
    return text


def in_words(text: str, utterance: str) -> str:
    """A text in the language of ``utterance``, if it is Told; else as it is."""
    return message(text.name, utterance, **text.values) if isinstance(text, Told) else text


def message(name: str, utterance: str, **values: object) -> str:
    """The message ``name`` in the language and script of ``utterance``, its fields filled in."""
    shown = {key: _shown(key, value, utterance) for key, value in values.items()}
    return _catalogue()[name][_language(utterance)].format(**shown)


def is_message(text: str, name: str) -> bool:
    """Whether a text is the message ``name``, which takes no field, in any language."""
    return _plain(text) in map(_plain, _catalogue()[name].values())


def _plain(text: str) -> str:
    return fold(text).strip().rstrip(".。")


def _shown(key: str, value: object, utterance: str) -> object:
    if isinstance(value, tuple):
        if key == "fields":
            value = [field_name(name, utterance) for name in value]
        mark = "told-next" if any(isinstance(each, Told) for each in value) else "listed"
        return message(mark, utterance).join(in_words(each, utterance) for each in value)
    if isinstance(value, str):
        codes = ("op", "mode", "kind")
        return name_of(value, utterance) if key in codes else in_words(value, utterance)
    return value


def complaint(error: Text2MemError | Failure, utterance: str) -> tuple[str, str]:
    """The message of an error in the language of ``utterance``, and its hint. A hint is English: it
    is left out beside another language, except with an error that is told or quoted in English."""
    if _language(utterance) == "en":
        return error.message, error.hint
    if isinstance(error.message, Told):
        return in_words(error.message, utterance), ""
    for kind in (f"error-{each.__name__}" for each in type(error).__mro__):
        if kind in _catalogue():
            number = getattr(error, "number", "")
            why = message(kind, utterance, words=error.message, number=number)
            return why, error.hint if error.message in why else ""
    return error.message, error.hint


def field_name(name: str, utterance: str) -> str:
    """The name of a field of a memory. In English it is that of programs."""
    found = _catalogue().get(f"field-{name}")
    return name if found is None else {**found, "en": name}[_language(utterance)]


def name_of(code: str, utterance: str) -> str:
    """The name of an op, or of a value that the language defines; any other code as it is."""
    codes, names = (message("names", said).split() for said in ("", utterance))
    return dict(zip(codes, names, strict=True)).get(code, code)


def listed(values: Sequence[str], words: str) -> str:
    """The values as a list in the language of ``words``: "a, b and c"."""
    if len(values) == 1:
        return values[0]
    first = message("listed", words).join(values[:-1])
    return message("listed-last", words, first=first, last=values[-1])


def moment(at: datetime, utterance: str, tz: tzinfo) -> str:
    """An instant by the clocks of ``tz``: "Fri 2026-12-18 09:00"; at midnight, only the date."""
    shown = format_local(at, tz)
    if " " not in shown:
        return shown
    day = message("weekdays", utterance).split()[at.astimezone(tz).weekday()]
    return f"{day} {shown}"


def _language(utterance: str) -> str:
    """English if it begins so and has more than two words to a Chinese character, as where one is
    named in passing; traditional if Big5 has more of these than GB 2312."""
    said, opening = "".join(HAN.findall(utterance)), HAN.split(utterance, maxsplit=1)[0]
    if not said or (_WORD.search(opening) and len(_WORD.findall(utterance)) > 2 * len(said)):
        return "en"
    simplified, traditional = (
        len(said.encode(charset, "ignore")) for charset in ("gb2312", "big5hkscs")
    )
    return "hant" if traditional > simplified else "zh"
