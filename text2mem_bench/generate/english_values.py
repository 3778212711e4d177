"""How values are said in English: precisely, and vaguely where one can."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from text2mem.ir.times.duration import Duration
from text2mem.ir.times.numerals import ordinal_ending
from text2mem.ir.times.temporal import read_duration
from text2mem_bench.generate.literals import DAYS, MONTHS, clock, number
from text2mem_bench.generate.periods import ENDS, NAMED, fitting, names_instant, names_range, recent

_UNITS = {"D": "day", "W": "week", "M": "month", "Y": "year"}
_RULE_DAYS = dict(zip(("MO", "TU", "WE", "TH", "FR", "SA", "SU"), DAYS["en"], strict=True))
_OPENERS = ("The ", "A ", "An ", "We ", "My ", "Our ", "No ", "They ", "Swimming ")
_TAGGED = ("tagged", "tagged", "labelled", "filed under")
_LEVELS = {"high": ("high",), "urgent": ("top", "the highest"), "low": ("low", "the lowest")}
_ATTRIBUTES = {
    "phone": "phone number",
    "email": "email address",
    "birthday": "birthday",
    "city": "home town",
}


def say(name: str, value: Any, *, now: datetime, rng: random.Random) -> tuple[str, str]:
    """A value of the slot ``name``, precisely, and vaguely or not at all."""
    if name in _TIMED:
        return _TIMED[name](value, now, rng)
    return _PLAIN[name](value, rng)


def _topic(topic: Any, rng: random.Random) -> tuple[str, str]:
    return topic.name, rng.choice((topic.loose,) * 4 + ("that thing", "you know what"))


def _labels(tags: Sequence[str], rng: random.Random) -> tuple[str, str]:
    word = "tag" if len(tags) == 1 else "tags"
    vague = ("the usual tag", "a fitting tag", "the right tag") if len(tags) == 1 else (
        "the usual tags", "the right tags",
    )  # fmt: skip
    return f"the {word} {listed(tags)}", rng.choice(vague)


def _that(text: str) -> str:
    """A sentence as a clause."""
    body = text.removesuffix(".")
    return body[0].lower() + body[1:] if body.startswith(_OPENERS) else body


def _pieces(params: Mapping[str, int], rng: random.Random) -> tuple[str, str]:
    vague = rng.choice(("smaller pieces", "a few shorter notes", "handier pieces"))
    if "chunk_size" in params:
        size = params["chunk_size"]
        return rng.choice(
            (f"pieces of at most {size} characters", f"{size}-character pieces")
        ), vague
    count = params["max_sentences"]
    if count == 1:
        return rng.choice(
            ("single sentences", "pieces of one sentence", "one note a sentence")
        ), vague
    return rng.choice(
        (
            f"pieces of {number(count, 'en')} sentences",
            f"notes of {number(count, 'en')} sentences each",
        )
    ), vague


def _delta(delta: float, rng: random.Random) -> tuple[str, str]:
    size = abs(delta)
    vague = ("a little", "a bit", "slightly") if size <= 0.2 else ("a good deal", "quite a bit")
    return f"by {size:g}", rng.choice(vague)


def _length(tokens: int, rng: random.Random) -> tuple[str, str]:
    precise = (f"in at most {tokens} tokens", f"in no more than {tokens} tokens")
    return rng.choice(precise), rng.choice(("briefly", "in short", "in a few words"))


def _count(count: int, rng: random.Random) -> tuple[str, str]:
    latest = rng.choice(("latest", "newest", "most recent"))
    if count == 1:
        return latest, ""
    return f"{number(count, 'en')} {latest}", f"{latest} few"


def _fact(fact: Mapping[str, str], _: random.Random) -> tuple[str, str]:
    return f"{fact['subject']}'s {_ATTRIBUTES[fact['attribute']]} is {fact['value']}", ""


_PLAIN: Mapping[str, Callable[[Any, random.Random], tuple[str, str]]] = {
    "topic": _topic,
    "query": lambda topic, _: (topic.name, ""),
    "about": lambda about, _: (about, ""),
    "tagged": lambda tags, rng: (_tagged(tags, rng), ""),
    "tagged_any": lambda tags, rng: (f"{rng.choice(_TAGGED)} {listed(tags, 'or')}", ""),
    "marked": lambda tags, rng: (listed(tags), ""),
    "not_tagged": lambda tags, rng: (listed(tags), ""),
    "subject": lambda who, _: (who, ""),
    "location": lambda place, _: (place, ""),
    "in_status": lambda status, _: (f'"{status}"', ""),
    "type": lambda kind, _: (f"{kind}s", ""),
    "all": lambda _, rng: (rng.choice(("everything I have", "all my notes", "all there is")), ""),
    "count": _count,
    "tags": lambda tags, _: (listed(tags), ""),
    "labels": _labels,
    "held_labels": lambda tags, rng: (
        _labels(tags, rng)[0],
        rng.choice(("that tag", "the old tag", "the tag from before")),
    ),
    "text": lambda text, _: (text, ""),
    "quote": lambda text, _: (text.removesuffix("."), ""),
    "that": lambda text, _: (_that(text), ""),
    "literal": lambda text, _: (text, ""),
    "kind": lambda kind, _: (f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}", ""),
    "status": lambda status, _: (f'"{status}"', ""),
    "place": lambda place, _: (place, ""),
    "reviewer": lambda who, _: (who, ""),
    "level": lambda level, rng: (rng.choice(_LEVELS[level]), ""),
    "delta": _delta,
    "pieces": _pieces,
    "length": _length,
    "focus": lambda focus, _: (focus, ""),
    "k": lambda k, _: (number(k, "en"), ""),
    "fact": _fact,
    "asked": lambda fact, _: (f"{fact['subject']}'s {_ATTRIBUTES[fact['attribute']]}", ""),
    "value": lambda fact, _: (fact["value"], ""),
}


def listed(items: Sequence[str], joint: str = "and") -> str:
    """Quoted items as a list in words."""
    quoted = [f'"{item}"' for item in items]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {joint} {quoted[-1]}"


def _tagged(tags: Sequence[str], rng: random.Random) -> str:
    word = rng.choice(_TAGGED)
    return f"{word} {'both ' if len(tags) > 1 else ''}{listed(tags)}"


# --- times ---------------------------------------------------------------------------------


def _range(value: dict[str, Any], now: datetime, rng: random.Random) -> tuple[str, str]:
    if "relative" in value:
        amount, unit = value["amount"], value["unit"].removesuffix("s")
        many = f"{number(amount, 'en')} {unit}s"
        said = [f"the past {unit}"] if amount == 1 else [f"the last {many}", f"the past {many}"]
    else:
        month = datetime.fromisoformat(value["start"])
        said = [*NAMED, f"{MONTHS[month.month - 1]} {month.year}", f"{month.year}"]
    vague = ("the other day", "these past days", "a short while ago") if recent(value, now) else (
        "a while back", "some time ago", "way back",
    )  # fmt: skip
    return fitting(said, lambda phrase: names_range(phrase, value, now), rng), rng.choice(vague)


def _ends(instant: str, now: datetime) -> Iterator[str]:
    yield from ENDS
    day = datetime.fromisoformat(instant)
    yield f"{DAYS['en'][day.weekday()]}"
    yield f"{day.day} {MONTHS[day.month - 1]}" + (f" {day.year}" if day.year != now.year else "")


def _until(instant: str, now: datetime, rng: random.Random) -> tuple[str, str]:
    said = fitting(
        _ends(instant, now), lambda phrase: names_instant(f"until {phrase}", instant, now), rng
    )
    return said, ""


def _lasting(instant: str, now: datetime, rng: random.Random) -> tuple[str, str]:
    said, _ = _until(instant, now, rng)
    near = datetime.fromisoformat(instant) - now < timedelta(days=12)
    vague = ("for a few days", "for a bit") if near else ("for now", "for the time being")
    return said and f"until {said}", rng.choice((*vague, "for a while"))


def _span(iso: str, _: datetime, rng: random.Random) -> tuple[str, str]:
    amount, unit = int(iso[1:-1]), _UNITS[iso[-1]]
    said = [f"{number(amount, 'en')} {unit}{'s' if amount > 1 else ''}", f"{amount} {unit}s"]
    if amount == 1:
        said = [f"a {unit}", f"one {unit}"]
    said += {"P6M": ["half a year"], "P2W": ["a fortnight"]}.get(iso, [])
    return _meaning(said, iso, rng), rng.choice(("a while", "some time", "a little while"))


def _older(iso: str, now: datetime, rng: random.Random) -> tuple[str, str]:
    said, _ = _span(iso, now, rng)
    return f"older than {said}", rng.choice(("really old", "ancient", "from way back"))


def _meaning(said: Sequence[str], iso: str, rng: random.Random) -> str:
    return fitting(said, lambda phrase: read_duration(phrase) == Duration.parse(iso), rng)


def _when(instant: str, now: datetime, rng: random.Random) -> tuple[str, str]:
    day = datetime.fromisoformat(instant)
    weekday = DAYS["en"][day.weekday()]
    said = ["yesterday", "the day before yesterday", f"last {weekday}", f"this {weekday}"]
    return fitting(said, lambda phrase: names_instant(phrase, instant, now), rng), ""


def _often(rule: str, _: datetime, rng: random.Random) -> tuple[str, str]:
    parts = dict(piece.split("=") for piece in rule.split(";"))
    at = f"at {clock(int(parts['BYHOUR']), int(parts['BYMINUTE']), 'en')}"
    days = [_RULE_DAYS[day] for day in parts.get("BYDAY", "").split(",") if day]
    vague = rng.choice(("regularly", "from time to time", "every so often", "now and then"))
    if parts["FREQ"] == "DAILY":
        return f"every day {at}", vague
    if parts["FREQ"] == "WEEKLY":
        every = "every other" if "INTERVAL" in parts else "every"
        return f"{every} {' and '.join(days)} {at}", vague
    day = _ordinal(int(parts["BYMONTHDAY"]))
    if parts["FREQ"] == "MONTHLY":
        return f"on the {day} of every month {at}", vague
    return f"every year on {parts['BYMONTHDAY']} {MONTHS[int(parts['BYMONTH']) - 1]} {at}", vague


def _ordinal(day: int) -> str:
    return f"{day}{ordinal_ending(day)}"


_TIMED: Mapping[str, Callable[[Any, datetime, random.Random], tuple[str, str]]] = {
    "range": _range, "until": _until, "lasting": _lasting, "span": _span, "older": _older,
    "when": _when, "often": _often,
}  # fmt: skip
