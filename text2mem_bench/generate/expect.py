"""What a program brings about, as assertions over the view ``memory``, and as a ranking.

They come from the difference of the store before and after: each is false before, true after.
For most changes there are two: that the memories meant have changed, and that no others have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from text2mem_bench.assertions import Assertion
from text2mem_bench.generate.stage import Row, Tried

_THESE = "id IN (SELECT value FROM json_each(:ids))"
_HAS_TAG = "EXISTS (SELECT 1 FROM json_each(tags) WHERE value = :tag)"
_DAYS = ("time", "expire_at", "lock_expires")
_PLAIN = ("deleted", "type", "subject", "location", "topic", "source", "expire_action", "lock_mode")
COUNTED = -1
"""In place of a number that the store has to count after the program."""
MOST = 16
"""How many assertions a case has at most."""


def assertions(tried: Tried, must: Sequence[str]) -> list[Assertion]:
    """Candidates from the difference; ``must`` are words to be kept of a new text.

    Whether each is false before and true after is for the store to say, and where the number is
    COUNTED, that number, too.
    """
    found: dict[tuple[str, str], Assertion] = {}
    for asked in (*_gone(tried), *_changed(tried, must), *_new(tried, must)):
        found.setdefault((asked.sql, json.dumps(dict(asked.params), sort_keys=True)), asked)
    return list(found.values())


def as_row(asked: Assertion) -> dict[str, Any]:
    """An assertion in the published format."""
    return {
        "name": asked.name,
        "select": {"from": "memory", "where": list(asked.where)},
        "expect": {"op": asked.compare, "value": asked.value},
        "params": dict(asked.params),
    }


def ranking(ids: Sequence[str], *, ordered: bool) -> dict[str, Any]:
    """What a read has to return: exactly these, or, of a search, these before all others."""
    if ordered:
        return {"gold_ids": list(ids), "min_hits": len(ids), "allow_extra": True, "k": len(ids)}
    return {"gold_ids": list(ids), "min_hits": len(ids), "allow_extra": False, "k": 20}


# --- differences ---------------------------------------------------------------------------


def _gone(tried: Tried) -> Iterator[Assertion]:
    ids = [id_ for id_ in tried.before if id_ not in tried.after]
    if ids:
        yield Assertion("erased", (_THESE,), "==", 0, _ids(ids))
        yield Assertion("nothing_else_erased", (), "==", len(tried.after))


def _changed(tried: Tried, must: Sequence[str]) -> Iterator[Assertion]:
    groups: dict[tuple[str, str], list[str]] = {}
    for id_, row in tried.after.items():
        old = tried.before.get(id_)
        for column in row if old is not None else ():
            if old is not None and old[column] != row[column]:
                for value in _values(column, old, row, must):
                    key = json.dumps(value, ensure_ascii=False, sort_keys=True)
                    groups.setdefault((column, key), []).append(id_)
    for (column, key), ids in groups.items():
        yield from _group(column, json.loads(key), ids)


def _values(column: str, old: Row, new: Row, must: Sequence[str]) -> Iterator[Any]:
    """What has become of a column, as far as it is worth asserting."""
    if column in _PLAIN or column == "weight":
        yield new[column]
    elif column in _DAYS:
        yield new[column] and new[column][:10]
    elif column == "tags":
        before, after = json.loads(old["tags"]), json.loads(new["tags"])
        yield from ({"on": tag} for tag in after if tag not in before)
        yield from ({"off": tag} for tag in before if tag not in after)
    elif column == "facets":
        before, after = json.loads(old["facets"]), json.loads(new["facets"])
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                yield {"facet": name, "is": after.get(name)}
    elif column == "lock_policy":
        for who in json.loads(new[column]).get("reviewers", ()):
            yield {"reviewer": who}
    elif column == "auto_frequency":
        yield None if new[column] is None else new[column].split(";BYHOUR")[0]
    elif column == "text" and new["text"]:
        kept = must or [part for part in new["text"].split("\n\n") if part not in old["text"]]
        yield from (word for word in kept if word not in old["text"] and word in new["text"])


def _group(column: str, value: Any, ids: list[str]) -> Iterator[Assertion]:
    """That these memories have changed so, and no other."""
    name, condition, params = _condition(column, value)
    if isinstance(value, dict) and "off" in value:
        yield Assertion(name, (_THESE, condition), "==", 0, {**_ids(ids), **params})
        return
    yield Assertion(name, (_THESE, condition), "==", len(ids), {**_ids(ids), **params})
    yield Assertion(f"nothing_else_{name}", (condition,), "==", COUNTED, params)


def _condition(column: str, value: Any) -> tuple[str, str, dict[str, Any]]:
    """The name, the condition and the parameters for what has become of a column."""
    if isinstance(value, dict):
        (kind, what), *rest = value.items()
        if kind in ("on", "off"):
            return f"tag_{kind}", _HAS_TAG, {"tag": what}
        if kind == "reviewer":
            return "reviewer", (
                "EXISTS (SELECT 1 FROM json_each(lock_policy, '$.reviewers') WHERE value = :who)"
            ), {"who": what}  # fmt: skip
        path = f'$."{what}"'
        return "facet", "json_extract(facets, :path) IS :is", {"path": path, "is": rest[0][1]}
    if value is None:
        return f"{column}_lifted", f"{column} IS NULL", {}
    if column == "weight":
        return "weight", "abs(weight - :weight) < 0.005", {"weight": value}
    if column in _DAYS:
        return column, f"substr({column}, 1, 10) = :day", {"day": value}
    if column == "text":
        return "text", "text LIKE '%' || :words || '%'", {"words": value}
    if column == "auto_frequency":
        return "reminder", "auto_frequency LIKE :rule || '%'", {"rule": value}
    return column, f"{column} = :value", {"value": value}


def _new(tried: Tried, must: Sequence[str]) -> Iterator[Assertion]:
    made = [row for id_, row in tried.after.items() if id_ not in tried.before]
    parents = {row["lineage_parents"] for row in made}
    if parents and parents != {"[]"}:
        for parent in sorted({id_ for each in parents for id_ in json.loads(each)}):
            condition = "EXISTS (SELECT 1 FROM json_each(lineage_parents) WHERE value = :parent)"
            children = sum(parent in json.loads(row["lineage_parents"]) for row in made)
            yield Assertion("parts", ("deleted = 0", condition), "==", children, {"parent": parent})
        return
    for row in made:
        said = [word for word in must if word in row["text"]]
        if not said:
            continue
        stored = ("deleted = 0", "text LIKE '%' || :words || '%'")
        yield from _made(row, stored, {"words": said[0]})
        for word in said[1:]:
            yield Assertion("kept", stored, ">=", 1, {"words": word})


def _made(row: Row, stored: tuple[str, ...], params: Mapping[str, Any]) -> Iterator[Assertion]:
    yield Assertion("stored", stored, "==", 1, params)
    for tag in json.loads(row["tags"]):
        yield Assertion("stored_tag", (*stored, _HAS_TAG), "==", 1, {**params, "tag": tag})
    for column in ("type", "location", "time", "expire_at", "subject"):
        if row[column] is not None:
            name, condition, more = _condition(
                column, row[column][:10] if column in _DAYS else row[column]
            )
            yield Assertion(f"stored_{name}", (*stored, condition), "==", 1, {**params, **more})


def _ids(ids: Sequence[str]) -> dict[str, Any]:
    return {"ids": json.dumps(sorted(ids, key=int))}
