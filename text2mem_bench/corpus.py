"""The published corpora: JSONL, a row an utterance, its gold program and what that brings about.

A row holds ``id``; ``class`` (``instruction_type``, ``structure``, ``lang``); ``nl``, one utterance
under whatever key; ``prerequisites``, instances that fill an empty store; ``schema_list``, the gold
program; ``expected`` with ``assertions``, ``ranking`` and ``meta.eval_time_utc``, where the clock
stands; and, where there are any, ``context``: the turns before the utterance, and ``meta.split``.
Other keys are notes of its authors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from text2mem.clock import FixedClock
from text2mem_bench.assertions import COMPARISONS, Assertion, Ranking
from text2mem_bench.lines import read

T = TypeVar("T")
_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row. Programs are JSON as it was written: whether they are legal is for others to say.

    ``part`` is the split that a generated row is marked with: train, dev or test.
    """

    id: str
    lang: str
    instruction_type: str
    structure: str
    utterance: str
    prerequisites: tuple[Any, ...]
    gold: Any
    assertions: tuple[Assertion, ...]
    ranking: Ranking | None
    clock: FixedClock
    context: tuple[str, ...] = ()
    part: str = ""


def read_corpus(path: str | Path, limit: int | None = None) -> list[Case]:
    """The cases of a file, the first ``limit`` of them.

    Raises ConfigurationError, with the line, where a row is not in the format. What a row expects
    in a way that cannot be checked becomes an assertion that never holds and says why.
    """
    hint = "a row has id, class, nl, prerequisites, schema_list, expected"
    return read(path, limit, _case, what="a row of the corpus", hint=hint)


def _case(row: Any) -> Case:
    """Raises KeyError, TypeError or ValueError where the row is not in the format."""
    kind, expected = _typed(row, "class", dict), _typed(row, "expected", dict)
    if row.get("init_db"):
        raise ValueError("'init_db' is set, and a replay begins with an empty store")
    lang = _typed(kind, "lang", str)
    return Case(
        id=_typed(row, "id", str),
        lang=lang,
        instruction_type=_typed(kind, "instruction_type", str),
        structure=_typed(kind, "structure", str),
        utterance=_utterance(_typed(row, "nl", dict), lang),
        prerequisites=tuple(_typed(row, "prerequisites", list)),
        gold=_typed(row, "schema_list", list),
        assertions=tuple(_expectations(expected)),
        ranking=None if expected.get("ranking") is None else _ranking(expected["ranking"]),
        clock=_clock(_typed(_typed(expected, "meta", dict), "eval_time_utc", str)),
        context=_turns(row.get("context") or []),
        part=_part(row.get("meta")),
    )


def _part(notes: Any) -> str:
    found = notes.get("split") if isinstance(notes, dict) else None
    return found if isinstance(found, str) else ""


def _turns(raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(turn, str) for turn in raw):
        raise TypeError("'context' is not a list of texts")
    return tuple(raw)


def _utterance(said: dict[str, Any], lang: str) -> str:
    """The one utterance; where there are several, that of the row's language."""
    if not said:
        raise ValueError("'nl' holds no utterance")
    return _typed(said, lang if lang in said else next(iter(said)), str)


def _expectations(expected: dict[str, Any]) -> Iterator[Assertion]:
    for raw in _typed(expected, "assertions", list):
        yield _assertion(raw)
    if expected.get("triggers"):
        yield Assertion("triggers", unreadable="a replay fires no triggers")


def _assertion(raw: Any) -> Assertion:
    """An assertion, or one that cannot be checked and says so: the rest of the row still can."""
    name = str(raw.get("name", "unnamed")) if isinstance(raw, dict) else "unnamed"
    try:
        select, expect = _typed(raw, "select", dict), _typed(raw, "expect", dict)
        where, compare, value = select.get("where") or [], expect["op"], expect["value"]
        if select["from"] != "memory" or select.get("agg", "count") != "count":
            raise ValueError("it does not count rows of memory")
        if not isinstance(where, list) or not all(isinstance(part, str) for part in where):
            raise TypeError("'where' is not a list of conditions")
        if compare not in COMPARISONS or isinstance(value, bool):
            raise ValueError(f"it compares with {compare!r} {value!r}")
        if not isinstance(value, int | float):
            raise TypeError(f"it compares with {value!r}")
        params = raw.get("params") or {}
        if not isinstance(params, dict):
            raise TypeError("'params' is not an object")
        return Assertion(name, tuple(where), compare, value, params)
    except KeyError as error:
        return Assertion(name, unreadable=f"'{error.args[0]}' is missing")
    except (TypeError, ValueError) as error:
        return Assertion(name, unreadable=str(error))


def _ranking(raw: Any) -> Ranking:
    gold = tuple(str(id_) for id_ in _typed(raw, "gold_ids", list))
    return Ranking(
        gold,
        int(raw.get("min_hits", len(gold))),
        bool(raw.get("allow_extra", True)),
        int(raw.get("k", len(gold))),
    )


def _clock(text: str) -> FixedClock:
    instant = datetime.fromisoformat(text)
    return FixedClock(instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant)


def _typed(owner: Any, key: str, kind: type[T]) -> T:
    """The value of a key that has to be there. Raises KeyError, TypeError."""
    value = owner[key] if isinstance(owner, dict) else None
    if not isinstance(value, kind):
        raise TypeError(f"'{key}' is not {_NAMES[kind]}")
    return value
