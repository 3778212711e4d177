"""The parser: typed ops from every spelling, and the way back."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings

import text2mem.ir
import text2mem.parser
import text2mem.validator
from tests.fixtures import case_id, cases
from tests.strategies import NOW, mutations, ops, programs
from text2mem.errors import ParseError
from text2mem.ir.dialect import canonicalise
from text2mem.ir.ops import ByIds, Encode, Expire, Op, Promote, RelativeRange, Retrieve, StepRef
from text2mem.ir.times.duration import Duration
from text2mem.parser import dump, parse
from text2mem.pipeline import validate

VALID = list(cases("ir/valid"))
SHANGHAI = ZoneInfo("Asia/Shanghai")
TARGET = {"ids": ["1"]}


def program_of(document: Any, now: datetime, tz: tzinfo) -> list[dict[str, Any]]:
    return [dump(op) for op in parse(canonicalise(document).instances, now=now, tz=tz)]


def parsed(op: str, args: dict[str, Any], *, tz: tzinfo = UTC, stage: str = "STO") -> Op:
    raw = {"stage": stage, "op": op, "target": TARGET, "args": args}
    if op == "Encode":
        del raw["target"]
    return parse([raw], now=NOW, tz=tz)[0]


# --- fixtures ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", VALID, ids=case_id)
def test_every_spelling_becomes_its_canonical_program(case: dict[str, Any]) -> None:
    now, tz = datetime.fromisoformat(case["now"]), ZoneInfo(case["tz"])
    assert program_of(case["input"], now, tz) == case["expected"]["program"]


@pytest.mark.parametrize("case", VALID, ids=case_id)
def test_a_canonical_program_stays_as_it_is_at_any_time_in_any_zone(case: dict[str, Any]) -> None:
    program = case["expected"]["program"]
    for now in (datetime(1971, 1, 1, tzinfo=UTC), datetime(2971, 1, 1, tzinfo=UTC)):
        assert program_of(program, now, ZoneInfo("America/New_York")) == program


# --- the way back --------------------------------------------------------------------------


@settings(max_examples=300)
@given(ops())
def test_what_is_printed_is_read_as_the_same_op(op: Op) -> None:
    assert parse([dump(op)], now=NOW, tz=SHANGHAI) == (op,)


@settings(max_examples=40)
@given(programs())
def test_what_is_printed_is_read_as_the_same_program(program: Sequence[Op]) -> None:
    printed = [dump(op) for op in program]
    assert canonicalise(printed).instances == printed
    assert parse(printed, now=NOW, tz=UTC) == tuple(program)


@settings(max_examples=400)
@given(mutations([case["input"] for case in VALID]))
def test_whatever_the_validator_passes_is_read_and_printed(document: Any) -> None:
    if any(validate(document, now=NOW, tz=SHANGHAI)):
        return
    program = parse(canonicalise(document).instances, now=NOW, tz=SHANGHAI)
    printed = [dump(op) for op in program]
    assert list(validate(printed, now=NOW, tz=SHANGHAI)) == []
    assert repr(parse(printed, now=NOW, tz=UTC)) == repr(program)


# --- times ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("UTC", datetime(2026, 7, 1, 9, tzinfo=UTC)),
        ("Asia/Shanghai", datetime(2026, 7, 1, 1, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 7, 1, 13, tzinfo=UTC)),
    ],
)
def test_a_naive_time_is_read_in_the_zone_given(zone: str, expected: datetime) -> None:
    for text in ("2026-07-01T09:00:00", "2026-07-01 09:00"):
        op = parsed("Expire", {"until": text}, tz=ZoneInfo(zone))
        assert isinstance(op, Expire)
        assert op.until == expected
        assert op.until.tzinfo is UTC


def test_a_time_with_an_offset_keeps_its_instant() -> None:
    op = parsed("Expire", {"until": "2026-07-01T09:00:00+02:00"}, tz=SHANGHAI)
    assert isinstance(op, Expire)
    assert op.until == datetime(2026, 7, 1, 7, tzinfo=UTC)


@pytest.mark.parametrize("year", [1971, 2026, 2971])
def test_phrases_count_from_the_instant_given(year: int) -> None:
    now = datetime(year, 5, 10, 8, 0, 0, tzinfo=UTC)
    raw = {"stage": "STO", "op": "Expire", "target": TARGET, "args": {"until": "三天后"}}
    (op,) = parse([raw], now=now, tz=UTC)
    assert isinstance(op, Expire)
    assert op.until == now + timedelta(days=3)


class _NoWallClock(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, datetime)


class Stopped(datetime, metaclass=_NoWallClock):
    """A datetime that refuses to say what time it is."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> NoReturn:
        raise AssertionError("read the wall clock")

    @classmethod
    def utcnow(cls) -> NoReturn:
        raise AssertionError("read the wall clock")

    @classmethod
    def today(cls) -> NoReturn:
        raise AssertionError("read the wall clock")


def test_the_wall_clock_is_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in (text2mem.ir, text2mem.validator, text2mem.parser):
        for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(info.name)
            if getattr(module, "datetime", None) is datetime:
                monkeypatch.setattr(module, "datetime", Stopped)
    for case in VALID:
        now, tz = datetime.fromisoformat(case["now"]), ZoneInfo(case["tz"])
        assert list(validate(case["input"], now=now, tz=tz)) == []
        assert program_of(case["input"], now, tz) == case["expected"]["program"]


def test_a_length_and_a_relative_range_wait_for_the_run() -> None:
    expire = parsed("Expire", {"ttl": "half a year"})
    assert isinstance(expire, Expire)
    assert expire.ttl == Duration(months=6)
    raw = {"relative": "next", "amount": 2, "unit": "weeks"}
    retrieve = {"stage": "RET", "op": "Retrieve", "target": {"filter": {"time_range": raw}}}
    (read,) = parse([retrieve], now=NOW, tz=UTC)
    assert isinstance(read, Retrieve)
    assert getattr(read.target, "time_range", None) == RelativeRange("next", 2, "weeks")


# --- values --------------------------------------------------------------------------------


def test_tags_are_trimmed_and_deduplicated_and_keep_their_case() -> None:
    op = parsed(
        "Encode", {"payload": {"text": "x"}, "tags": [" B", "a", "b", "B ", "a"]}, stage="ENC"
    )
    assert isinstance(op, Encode)
    assert op.attributes["tags"] == ("B", "a", "b")


def test_ids_and_references_are_kept_once_in_order() -> None:
    raw = {"stage": "STO", "op": "Delete", "target": {"ids": ["$2", "7", "$2", "7"]}}
    (op,) = parse([raw], now=NOW, tz=UTC)
    assert getattr(op, "target", None) == ByIds((StepRef(2), "7"))


@pytest.mark.parametrize(
    ("priority", "weight"),
    [("low", 0.2), ("Normal", 0.5), ("HIGH", 0.8), ("urgent", 1.0), ("top", 1.0), ("P0", 1.0),
     ("最优先", 1.0), ("高", 0.8), ("低优先级", 0.2),
     ("緊急", 1.0), ("最優先", 1.0), ("ｕｒｇｅｎｔ", 1.0)],
)  # fmt: skip
def test_a_priority_becomes_its_weight(priority: str, weight: float) -> None:
    op = parsed("Promote", {"priority": priority})
    assert isinstance(op, Promote)
    assert op.weight == weight


@pytest.mark.parametrize(
    ("op", "args", "pointer"),
    [
        ("Expire", {"until": "whenever"}, "/args/until"),
        ("Expire", {"ttl": "a while"}, "/args/ttl"),
        ("Promote", {"priority": "gigantic"}, "/args/priority"),
        ("Update", {"set": {"valid_from": "then"}}, "/args/set/valid_from"),
        ("Promote", {"remind": {"rrule": "FREQ=DAILY", "until": "then"}}, "/args/remind/until"),
        ("Lock", {"mode": "read_only", "policy": {"expires": "one day"}}, "/args/policy/expires"),
        ("Delete", {"time_range": {"start": "back then"}}, "/args/time_range/start"),
    ],
)
def test_an_unreadable_value_is_addressed(op: str, args: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ParseError) as refused:
        parsed(op, args)
    assert refused.value.pointer == f"/0{pointer}"
