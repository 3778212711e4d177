"""How values are said in Chinese: precisely, and vaguely where one can."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from text2mem.ir.times.duration import Duration
from text2mem.ir.times.temporal import read_duration
from text2mem_bench.generate.literals import DAYS, clock, day_of_month, number
from text2mem_bench.generate.periods import fitting, names_instant, names_range, recent

_RULE_DAYS = dict(zip(("MO", "TU", "WE", "TH", "FR", "SA", "SU"), DAYS["zh"], strict=True))
_UNITS = {"D": "天", "W": "周", "M": "个月", "Y": "年"}
_RANGE_UNITS = {"days": "天", "weeks": "周", "months": "个月"}
_NAMED = ("昨天", "本周", "这周", "上周", "这个月", "本月", "上个月", "今年", "去年")
_ENDS = ("明天", "下周一", "下周五", "本周日", "月底", "这个月底", "下个月底", "年底", "今年年底")
_KINDS = {"任务": "一项任务", "想法": "一个想法", "日程": "一条日程", "决定": "一个决定"}
_LEVELS = {"high": ("高优先级",), "urgent": ("最高优先级",), "low": ("低优先级", "最低优先级")}
_TAGGED = ("带{}标签", "带{}标签", "标了{}", "归在{}下面")


def say(name: str, value: Any, *, now: datetime, rng: random.Random) -> tuple[str, str]:
    """A value of the slot ``name``, precisely, and vaguely or not at all."""
    if name in _TIMED:
        return _TIMED[name](value, now, rng)
    return _PLAIN[name](value, rng)


def listed(items: Sequence[str], joint: str = "和") -> str:
    """Quoted items as a list in words."""
    quoted = [f"“{item}”" for item in items]
    return quoted[0] if len(quoted) == 1 else f"{'、'.join(quoted[:-1])}{joint}{quoted[-1]}"


def _topic(topic: Any, rng: random.Random) -> tuple[str, str]:
    return topic.name, rng.choice((topic.loose,) * 4 + ("那件事", "那个事"))


def _pieces(params: Mapping[str, int], rng: random.Random) -> tuple[str, str]:
    vague = rng.choice(("小段", "几条短一点的", "更小的几块"))
    if "chunk_size" in params:
        size = params["chunk_size"]
        return rng.choice((f"每条最多{size}个字的短笔记", f"{size}个字一条的短笔记")), vague
    count = number(params["max_sentences"], "zh")
    return rng.choice((f"{count}句话一条的笔记", f"每条{count}句话的笔记")), vague


def _delta(delta: float, rng: random.Random) -> tuple[str, str]:
    size = abs(delta)
    return f"{size:g}", rng.choice(("一点", "一些", "一点点") if size <= 0.2 else ("不少", "很多"))


def _length(tokens: int, rng: random.Random) -> tuple[str, str]:
    precise = (f"控制在{tokens}个token以内", f"不超过{tokens}个token")
    return rng.choice(precise), rng.choice(("简短些", "几句话就行", "长话短说"))


def _count(count: int, rng: random.Random) -> tuple[str, str]:
    latest = rng.choice(("最近的", "最新的"))
    return f"{latest}{number(count, 'zh')}条", f"{latest}几条" if count > 1 else ""


_PLAIN: Mapping[str, Callable[[Any, random.Random], tuple[str, str]]] = {
    "topic": _topic,
    "query": lambda topic, _: (topic.name, ""),
    "about": lambda about, _: (about, ""),
    "tagged": lambda tags, rng: (rng.choice(_TAGGED).format(listed(tags)), ""),
    "tagged_any": lambda tags, rng: (rng.choice(_TAGGED).format(listed(tags, "或")), ""),
    "marked": lambda tags, _: (listed(tags), ""),
    "not_tagged": lambda tags, _: (listed(tags), ""),
    "subject": lambda who, _: (who, ""),
    "location": lambda place, _: (place, ""),
    "in_status": lambda status, _: (f"“{status}”", ""),
    "type": lambda kind, _: (kind, ""),
    "all": lambda _, rng: (rng.choice(("全部笔记", "所有内容", "我存的所有东西")), ""),
    "count": _count,
    "tags": lambda tags, _: (listed(tags), ""),
    "labels": lambda tags, rng: (
        f"{listed(tags)}标签", rng.choice(("常用的标签", "合适的标签", "老规矩的标签")),
    ),
    "held_labels": lambda tags, rng: (
        f"{listed(tags)}标签", rng.choice(("那个标签", "原来的标签", "旧标签")),
    ),
    "text": lambda text, _: (text, ""),
    "quote": lambda text, _: (text.removesuffix("。"), ""),
    "that": lambda text, _: (text.removesuffix("。"), ""),
    "literal": lambda text, _: (text, ""),
    "kind": lambda kind, _: (_KINDS[kind], ""),
    "status": lambda status, _: (f"“{status}”", ""),
    "place": lambda place, _: (place, ""),
    "reviewer": lambda who, _: (who, ""),
    "level": lambda level, rng: (rng.choice(_LEVELS[level]), ""),
    "delta": _delta,
    "pieces": _pieces,
    "length": _length,
    "focus": lambda focus, _: (focus, ""),
    "k": lambda k, _: (f"{number(k, 'zh')}条", ""),
    "fact": lambda fact, _: (f"{fact['subject']}的{fact['attribute']}是{fact['value']}", ""),
    "asked": lambda fact, _: (f"{fact['subject']}的{fact['attribute']}", ""),
    "value": lambda fact, _: (fact["value"], ""),
}  # fmt: skip
# --- times ---------------------------------------------------------------------------------


def _range(value: dict[str, Any], now: datetime, rng: random.Random) -> tuple[str, str]:
    if "relative" in value:
        length = f"{number(value['amount'], 'zh')}{_RANGE_UNITS[value['unit']]}"
        said = [f"最近{length}", f"过去{length}"]
        if value["unit"] == "months" and value["amount"] == 6:
            said.append("最近半年")
    else:
        start = datetime.fromisoformat(value["start"])
        said = [*_NAMED, f"{start.year}年{start.month}月", f"{start.year}年"]
    vague = (
        ("前几天", "这些天", "不久前") if recent(value, now) else ("前阵子", "早些时候", "很早之前")
    )
    return fitting(said, lambda phrase: names_range(phrase, value, now), rng), rng.choice(vague)


def _ends(instant: str, now: datetime) -> Iterator[str]:
    yield from _ENDS
    day = datetime.fromisoformat(instant)
    yield DAYS["zh"][day.weekday()]
    year = f"{day.year}年" if day.year != now.year else ""
    yield year + day_of_month(day.month, day.day, "zh")


def _until(instant: str, now: datetime, rng: random.Random) -> tuple[str, str]:
    said = fitting(
        _ends(instant, now), lambda phrase: names_instant(f"到{phrase}为止", instant, now), rng
    )
    return said, ""


def _lasting(instant: str, now: datetime, rng: random.Random) -> tuple[str, str]:
    said, _ = _until(instant, now, rng)
    near = datetime.fromisoformat(instant) - now < timedelta(days=12)
    vague = ("几天", "一小段时间") if near else ("一阵子", "一段时间")
    return said and f"到{said}为止", rng.choice(vague)


def _span(iso: str, _: datetime, rng: random.Random) -> tuple[str, str]:
    amount, unit = int(iso[1:-1]), _UNITS[iso[-1]]
    said = [f"{number(amount, 'zh')}{unit}", f"{amount}{unit}"] if amount > 2 else [
        f"{number(amount, 'zh')}{unit}",
    ]  # fmt: skip
    said += ["半年"] if iso == "P6M" else []
    return _meaning(said, iso, rng), rng.choice(("一阵子", "一段时间", "些日子"))


def _older(iso: str, now: datetime, rng: random.Random) -> tuple[str, str]:
    said, _ = _span(iso, now, rng)
    return f"{said}以前", rng.choice(("很久以前", "老早以前", "早就过去"))


def _meaning(said: Sequence[str], iso: str, rng: random.Random) -> str:
    return fitting(said, lambda phrase: read_duration(phrase) == Duration.parse(iso), rng)


def _when(instant: str, now: datetime, rng: random.Random) -> tuple[str, str]:
    day = datetime.fromisoformat(instant)
    weekday = DAYS["zh"][day.weekday()]
    said = ["昨天", "前天", "大前天", f"上{weekday}", f"这{weekday}"]
    return fitting(said, lambda phrase: names_instant(phrase, instant, now), rng), ""


def _often(rule: str, _: datetime, rng: random.Random) -> tuple[str, str]:
    parts = dict(piece.split("=") for piece in rule.split(";"))
    at = clock(int(parts["BYHOUR"]), int(parts["BYMINUTE"]), "zh")
    vague = rng.choice(("定期", "时不时", "隔三差五", "隔段时间"))
    if parts["FREQ"] == "DAILY":
        return f"每天{at}", vague
    if parts["FREQ"] == "WEEKLY":
        days = [_RULE_DAYS[day] for day in parts["BYDAY"].split(",")]
        return f"{'每隔一周的' if 'INTERVAL' in parts else '每'}{'和'.join(days)}{at}", vague
    if parts["FREQ"] == "MONTHLY":
        return f"每月{parts['BYMONTHDAY']}号{at}", vague
    return f"每年{parts['BYMONTH']}月{parts['BYMONTHDAY']}日{at}", vague


_TIMED: Mapping[str, Callable[[Any, datetime, random.Random], tuple[str, str]]] = {
    "range": _range, "until": _until, "lasting": _lasting, "span": _span, "older": _older,
    "when": _when, "often": _often,
}  # fmt: skip
