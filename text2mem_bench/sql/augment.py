"""More tasks from a seed, the query first.

A column is exchanged for another one of its table and kind, a number for another, an order turned,
a limit moved; what does not run, finds nothing or finds the same as before is thrown away. Then the
phrases that are linked to what was changed are said anew, so that the words cannot drift from it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from text2mem_bench.sql.database import Database, Refused, execute
from text2mem_bench.sql.tasks import Part, Phase, Seed

_NUMBER = re.compile(r"(?<![\w.'-])\d+(?:\.\d+)?(?![\w'-])")
_TRIES = 4
_UP, _DOWN = " ASC", " DESC"
_MOST_ROWS = 30


@dataclass(frozen=True, slots=True)
class Change:
    """A part with what it becomes."""

    what: str
    before: Part
    after: Part


def variants(seed: Seed, database: Database, many: int, *, random_seed: int) -> list[Seed]:
    """At most ``many`` others, each by one or two changes; the same for the same seed."""
    chance = random.Random(f"{random_seed}/{seed.id}")
    found: list[Seed] = []
    known = {seed.sql}
    first = _outcome(seed, database)
    if first is None:
        return []
    for _ in range(many * _TRIES):
        if len(found) == many:
            break
        made = _changed(seed, database, chance)
        if made is None or made.sql in known or _outcome(made, database) in (None, first):
            continue
        known.add(made.sql)
        found.append(made.model_copy(update={"id": f"{seed.id}.{len(found) + 1}"}))
    return found


def _changed(seed: Seed, database: Database, chance: random.Random) -> Seed | None:
    changes = [
        change
        for part in seed.parts
        if (possible := [*_changes(part, database, chance)])
        for change in (chance.choice(possible),)
    ]
    if not changes:
        return None
    taken = chance.sample(changes, k=min(len(changes), chance.choice((1, 1, 2))))
    made = seed
    for change in taken:
        then = made.then.model_copy(update=_with(made.then, change))
        made = made.model_copy(update={**_with(made, change), "then": then})
    return made


def _changes(part: Part, database: Database, chance: random.Random) -> Iterator[Change]:
    for make, what in ((_other_column, "column"), (_turned, "order"), (_other_number, "number")):
        after = make(part, database, chance)
        if after is not None:
            yield Change(what, part, after)


def _other_column(part: Part, database: Database, chance: random.Random) -> Part | None:
    if part.column is None:
        return None
    table, name = part.column.split(".")
    here = next(c for c in database.columns if (c.table, c.name) == (table, name))
    others = [
        c
        for c in database.columns
        if c.table == table and c.kind == here.kind and not c.key and c.name != name
    ]
    if here.key or not others or here.spoken not in part.says:
        return None
    other = chance.choice(others)
    return part.model_copy(
        update={
            "sql": re.sub(rf"\b{re.escape(name)}$", other.name, part.sql),
            "says": part.says.replace(here.spoken, other.spoken),
            "column": f"{table}.{other.name}",
            "answer": part.answer and part.answer.replace(here.spoken, other.spoken),
        }
    )


def _turned(part: Part, _: Database, __: random.Random) -> Part | None:
    if part.turned is None or part.vague is not None:
        return None
    here, there = (_UP, _DOWN) if _UP in part.sql else (_DOWN, _UP)
    sql = part.sql.replace(here, there)
    return part.model_copy(update={"sql": sql, "says": part.turned, "turned": part.says})


def _other_number(part: Part, _: Database, chance: random.Random) -> Part | None:
    numbers = _NUMBER.findall(part.sql)
    said = [part.says, *([part.answer] if part.answer else [])]
    # A term of the house means what it means.
    if len(numbers) != 1 or part.type == "knowledge-linking":
        return None
    if any(_NUMBER.findall(text) != numbers for text in said):
        return None
    before = numbers[0]
    if "." in before:
        after = f"{float(before) * chance.choice((0.5, 0.8, 1.2, 1.5, 2)):g}"
    else:
        span = max(2, int(before) // 2)
        after = str(max(1, int(before) + chance.choice([*range(-span, 0), *range(1, span + 1)])))
    if after == before:
        return None
    fields = {"sql": part.sql, "says": part.says, "answer": part.answer}
    return part.model_copy(
        update={k: v and _NUMBER.sub(after, v, count=1) for k, v in fields.items()}
    )


def _with(phase: Phase, change: Change) -> Mapping[str, Any]:
    """A change wherever a phase's query has the fragment, and its request the part."""
    parts = tuple(change.after if part == change.before else part for part in phase.parts)
    return {"sql": phase.sql.replace(change.before.sql, change.after.sql), "parts": parts}


def _outcome(seed: Seed, database: Database) -> Sequence[object] | None:
    """What its first phase does; None where one of both does not run, does nothing, or too much."""
    seen: list[object] = []
    with database.opened() as connection:
        for phase in (seed, seed.then):
            before = database.contents(connection)
            try:
                rows = execute(connection, phase.sql)
            except Refused:
                return None
            after = database.contents(connection)
            read = phase.kind == "READ"
            if not (0 < len(rows) <= _MOST_ROWS if read else after != before):
                return None
            seen.append(rows if read else after)
    return seen[:1]
