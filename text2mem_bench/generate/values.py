"""How values are said: precisely, and vaguely where one can. The words are in ``values/``.

Each function takes the language, the value, the instant of the store where it
matters, and the random numbers; it gives the value said precisely and vaguely, empty where it
cannot be said so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from text2mem.ir.times.duration import Duration
from text2mem.ir.times.numerals import ordinal_ending
from text2mem.ir.times.temporal import read_duration
from text2mem_bench.generate.language import Language
from text2mem_bench.generate.literals import DAYS, MONTHS, clock, day_of_month, number
from text2mem_bench.generate.periods import RULE_DAYS, fitting, names_instant, names_range, recent

Said = tuple[str, str]


def say(w: Language, name: str, value: Any, *, now: datetime, rng: Random) -> Said:
    """A value of the slot ``name``."""
    return _TIMED[name](w, value, now, rng) if name in _TIMED else _PLAIN[name](w, value, rng)


def _topic(w: Language, topic: Any, rng: Random) -> Said:
    return topic.name, rng.choice((topic.loose,) * 4 + tuple(w.vague("topic")))


def _tagged(w: Language, tags: Sequence[str], rng: Random) -> Said:
    both = w["both"] if len(tags) > 1 else ""
    return rng.choice(w["tagged"]).format(f"{both}{w.listed(tags)}"), ""


def _count(w: Language, count: int, rng: Random) -> Said:
    latest = rng.choice(w["latest"])
    if count == 1:
        return w["count"]["one"].format(n=number(1, w.lang), latest=latest), ""
    precise = w["count"]["several"].format(n=number(count, w.lang), latest=latest)
    return precise, w["count"]["few"].format(latest=latest)


def _labels(w: Language, tags: Sequence[str], rng: Random) -> Said:
    many = "one" if len(tags) == 1 else "several"
    return w["labels"][many].format(w.listed(tags)), rng.choice(w.vague("labels")[many])


def _held_labels(w: Language, tags: Sequence[str], rng: Random) -> Said:
    # In Chinese one number less is drawn; else every later case of a seed would be another one.
    said, _ = _labels(w, tags, rng if w.lang == "en" else Random(0))
    return said, rng.choice(w["held_labels"])


def _quote(w: Language, text: str) -> str:
    return text.removesuffix(w["stop"])


def _that(w: Language, text: str) -> str:
    """A sentence as a clause."""
    body = _quote(w, text)
    return body[0].lower() + body[1:] if body.startswith(tuple(w["openers"])) else body


def _delta(w: Language, delta: float, rng: Random) -> Said:
    size = abs(delta)
    vague = w.vague("delta")["small" if size <= 0.2 else "large"]
    return w["delta"].format(size), rng.choice(vague)


def _pieces(w: Language, params: Mapping[str, int], rng: Random) -> Said:
    vague = rng.choice(w.vague("pieces"))
    if "chunk_size" in params:
        return rng.choice(w["pieces"]["of_size"]).format(params["chunk_size"]), vague
    count = params["max_sentences"]
    precise = rng.choice(w["pieces"]["of_one" if count == 1 else "of_several"])
    return precise.format(number(count, w.lang)), vague


def _length(w: Language, tokens: int, rng: Random) -> Said:
    return rng.choice(w["length"]).format(tokens), rng.choice(w.vague("length"))


def _fact(w: Language, form: str, fact: Mapping[str, str]) -> str:
    attribute = w["attributes"].get(fact["attribute"], fact["attribute"])
    return str(w[form].format(**{**fact, "attribute": attribute}))


_PLAIN: Mapping[str, Callable[[Language, Any, Random], Said]] = {
    **dict.fromkeys(
        ("about", "subject", "location", "text", "literal", "place", "reviewer", "focus"),
        lambda _, value, __: (value, ""),
    ),
    **dict.fromkeys(
        ("marked", "not_tagged", "tags"), lambda w, tags, _: (w.listed(tags), "")
    ),
    **dict.fromkeys(
        ("in_status", "status"), lambda w, status, _: (w["quoted"].format(status), "")
    ),
    "topic": _topic,
    "query": lambda _, topic, __: (topic.name, ""),
    "tagged": _tagged,
    "tagged_any": lambda w, tags, rng: (rng.choice(w["tagged"]).format(w.listed(tags, "or")), ""),
    "type": lambda w, kind, _: (w["type"].format(kind), ""),
    "all": lambda w, _, rng: (rng.choice(w["all"]), ""),
    "count": _count,
    "labels": _labels,
    "held_labels": _held_labels,
    "quote": lambda w, text, _: (_quote(w, text), ""),
    "that": lambda w, text, _: (_that(w, text), ""),
    "kind": lambda w, kind, _: (w["kinds"][kind], ""),
    "level": lambda w, level, rng: (rng.choice(w["levels"][level]), ""),
    "delta": _delta,
    "pieces": _pieces,
    "length": _length,
    "k": lambda w, k, _: (w["k"].format(number(k, w.lang)), ""),
    "fact": lambda w, fact, _: (_fact(w, "fact", fact), ""),
    "asked": lambda w, fact, _: (_fact(w, "asked", fact), ""),
    "value": lambda _, fact, __: (fact["value"], ""),
}  # fmt: skip


# --- times ---------------------------------------------------------------------------------


def _range(w: Language, value: dict[str, Any], now: datetime, rng: Random) -> Said:
    if "relative" in value:
        amount, forms = value["amount"], w.times("range")
        named = {"n": number(amount, w.lang), "unit": w.times("range_units")[value["unit"]]}
        said = [form.format(**named) for form in forms["one" if amount == 1 else "several"]]
        said += forms["half_year"] if (amount, value["unit"]) == (6, "months") else []
    else:
        start = datetime.fromisoformat(value["start"])
        month = {"name": MONTHS[start.month - 1], "month": start.month, "year": start.year}
        said = [*w.times("named"), *(w.times(each).format(**month) for each in ("month", "year"))]
    vague = w.vague("range")["recent" if recent(value, now) else "older"]
    return fitting(said, lambda phrase: names_range(phrase, value, now), rng), rng.choice(vague)


def _ends(w: Language, instant: str, now: datetime) -> Iterator[str]:
    yield from w.times("ends")
    day = datetime.fromisoformat(instant)
    yield DAYS[w.lang][day.weekday()]
    date = day_of_month(day.month, day.day, w.lang)
    yield date if day.year == now.year else w.times("date").format(date=date, year=day.year)


def _until(w: Language, instant: str, now: datetime, rng: Random) -> Said:
    def means(phrase: str) -> bool:
        return names_instant(w.times("until").format(phrase), instant, now)

    return fitting(_ends(w, instant, now), means, rng), ""


def _lasting(w: Language, instant: str, now: datetime, rng: Random) -> Said:
    said, _ = _until(w, instant, now, rng)
    near = datetime.fromisoformat(instant) - now < timedelta(days=12)
    vague = rng.choice(w.vague("lasting")["near" if near else "far"])
    return said and w.times("until").format(said), vague


def _span(w: Language, iso: str, _: datetime, rng: Random) -> Said:
    amount = int(iso[1:-1])
    named = {"n": number(amount, w.lang), "amount": amount, "unit": w.times("units")[iso[-1]]}
    said = [form.format(**named) for form in w.times("span")[min(amount, 3) - 1]]
    said += w.times("special").get(iso, [])
    meant = Duration.parse(iso)
    precise = fitting(said, lambda phrase: read_duration(phrase) == meant, rng)
    return precise, rng.choice(w.vague("span"))


def _older(w: Language, iso: str, now: datetime, rng: Random) -> Said:
    said, _ = _span(w, iso, now, rng)
    return w.times("older").format(said), rng.choice(w.vague("older"))


def _when(w: Language, instant: str, now: datetime, rng: Random) -> Said:
    weekday = DAYS[w.lang][datetime.fromisoformat(instant).weekday()]
    said = [form.format(weekday) for form in w.times("when")]
    return fitting(said, lambda phrase: names_instant(phrase, instant, now), rng), ""


def _often(w: Language, rule: str, _: datetime, rng: Random) -> Said:
    parts = dict(piece.split("=") for piece in rule.split(";"))
    at = clock(int(parts["BYHOUR"]), int(parts["BYMINUTE"]), w.lang)
    named = {"at": w.times("at").format(at)}
    if "BYDAY" in parts:
        days = [DAYS[w.lang][RULE_DAYS.index(day)] for day in parts["BYDAY"].split(",")]
        named["days"] = w["and"].join(days)
    if "BYMONTHDAY" in parts:
        day, month = int(parts["BYMONTHDAY"]), int(parts.get("BYMONTH", 1))
        named |= {"day": str(day), "ordinal": f"{day}{ordinal_ending(day)}"}
        named["date"] = day_of_month(month, day, w.lang)
    form = "FORTNIGHTLY" if "INTERVAL" in parts else parts["FREQ"]
    return w.times(form).format(**named), rng.choice(w.vague("often"))


_TIMED: Mapping[str, Callable[[Language, Any, datetime, Random], Said]] = {
    "range": _range, "until": _until, "lasting": _lasting, "span": _span, "older": _older,
    "when": _when, "often": _often,
}  # fmt: skip
