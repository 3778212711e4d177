"""Messages: the texts of ``prompts/messages.toml``, in the language of the request."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from datetime import datetime, time, tzinfo
from functools import cache

from text2mem import resources
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.segment import HAN


@cache
def _catalogue() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.read_text("prompts", "messages.toml"))


def message(name: str, utterance: str, **values: object) -> str:
    """The message ``name`` in the language and script of ``utterance``, its fields filled in."""
    return _catalogue()[name][_language(utterance)].format(**values)


def listed(values: Sequence[str], words: str) -> str:
    """The values as a list in the language of ``words``: "a, b and c"."""
    if len(values) == 1:
        return values[0]
    first = message("listed", words).join(values[:-1])
    return message("listed-last", words, first=first, last=values[-1])


def moment(at: datetime, utterance: str, tz: tzinfo) -> str:
    """An instant by the clocks of ``tz``: "Fri 2026-12-18 09:00"; at midnight, only the date."""
    try:
        local = at.astimezone(tz)
    except OverflowError:  # outside the calendar
        return format_instant(at)
    if local.time() == time():
        return f"{local:%Y-%m-%d}"
    day = message("weekdays", utterance).split()[local.weekday()]
    return f"{day} {local:%Y-%m-%d %H:%M}"


def _language(utterance: str) -> str:
    """English without Chinese characters; traditional if Big5 has more of them than GB 2312."""
    said = "".join(HAN.findall(utterance))
    if not said:
        return "en"
    simplified, traditional = (
        len(said.encode(charset, "ignore")) for charset in ("gb2312", "big5hkscs")
    )
    return "hant" if traditional > simplified else "zh"
