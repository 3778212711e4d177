"""What the failed rows of a planning run are made of: one cause a row, read off the row alone.

Causes exclude one another and are tried in order: a row whose ops are wrong is not looked at for
its target, and one whose target is wrong not for its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from text2mem.ir.ops import READS
from text2mem_bench.assertions import Assertion
from text2mem_bench.invention import invented, said_of
from text2mem_bench.metrics import aligned, slots, step_pairs
from text2mem_bench.report.failures import failed
from text2mem_bench.scores import UNSCORED, Row

if TYPE_CHECKING:
    from text2mem_bench.corpus import Case

CAUSES: Mapping[str, str] = {
    "asked": "asked back",
    "no-program": "no program came",
    "illegal": "the program is not legal",
    "refused": "the store refuses it",
    "cut": "steps are missing",
    "extra": "steps too many",
    "order": "the right ops in another order",
    "ops": "wrong ops",
    "invented": "the gold has words in a text that nobody said",
    "tags": "the gold has tags that nobody said",
    "none": "the target hits nothing",
    "few": "the target hits too few",
    "many": "the target hits too many",
    "others": "the target hits others",
    "target": "another target, and what it hit is not known",
    "ranking": "a read does not return what it should",
    "args": "other arguments",
    "gold": "the gold program fails as well",
    "other": "none of these",
}
"""Every cause and its title."""
_COLUMNS = {
    "payload": "text", "weight_delta": "weight", "priority": "weight", "mode": "lock_mode",
    "policy": "lock_policy", "ttl": "expire_at", "until": "expire_at", "on_expire": "expire_action",
}  # fmt: skip
"""Under which name of the view ``memory`` an argument is found, where it is another one."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed row: ``cause`` is one of CAUSES, ``detail`` what sets it apart from its like.

    ``missed``: the store or a ranking is not as expected; else only the ops are others.
    """

    id: str
    cause: str
    detail: str
    missed: bool


def causes(rows: Iterable[Row], cases: Mapping[str, Case] | None = None) -> list[Failed]:
    """Why each failed row failed, in the order of the rows; what got no answer is left out.

    ``cases`` tell of rows of older runs, which do not say so, what the gold invented.
    """
    known = cases or {}
    return [
        Failed(str(row["id"]), *_cause(row, known.get(str(row["id"]))),
               missed=row["scores"].get("row") != 1)
        for row in rows
        if row["status"] != UNSCORED and failed(row)
    ]  # fmt: skip


def table(found: Sequence[Failed]) -> list[dict[str, Any]]:
    """The causes with their rows, the commonest first, and the same within each by detail.

    ``[{"cause", "title", "rows", "missed", "details": [{"detail", "rows", "missed", "ids"}]}]``
    """
    told = []
    for cause, title in CAUSES.items():
        of_it = [one for one in found if one.cause == cause]
        details = [
            _counted({"detail": detail}, [one for one in of_it if one.detail == detail], ids=True)
            for detail in dict.fromkeys(one.detail for one in of_it)
        ]
        if of_it:
            details.sort(key=lambda each: -each["rows"])
            told.append({**_counted({"cause": cause, "title": title}, of_it), "details": details})
    return sorted(told, key=lambda each: -each["rows"])


def _counted(facts: dict[str, Any], found: Sequence[Failed], *, ids: bool = False) -> Any:
    counts = {"rows": len(found), "missed": sum(one.missed for one in found)}
    return {**facts, **counts, **({"ids": [one.id for one in found]} if ids else {})}


def _cause(row: Row, case: Case | None) -> tuple[str, str]:
    status = row["status"]
    if status in ("asked", "no-program", "illegal", "refused"):
        return status, _why(row)
    return (
        _of_ops(row["gold_ops"], row["ops"])
        or _invented(row, case)
        or _of_targets(row)
        or _of_ranking(row)
        or _of_args(row)
        or _left(row)
    )


def _why(row: Row) -> str:
    """The code of a row that came to no effect; of a question, its reason."""
    if row.get("reason"):
        return str(row["reason"])
    codes = [one["code"] for one in row.get("diagnostics") or () if one.get("code")]
    error = row.get("error") or {}
    named = [error["type"]] if row["status"] == "no-program" and error.get("type") else []
    return ": ".join([*named, ", ".join(dict.fromkeys(codes))]).strip(": ") or "no reason given"


# --- ops -----------------------------------------------------------------------------------


def _of_ops(gold: Sequence[str], ops: Sequence[str]) -> tuple[str, str] | None:
    if list(gold) == list(ops):
        return None
    if sorted(gold) == sorted(ops):
        return "order", f"{_listed(ops)} for {_listed(gold)}"
    missing: list[str] = []
    extra: list[str] = []
    taken: list[str] = []
    for left, right in step_pairs(gold, ops):
        if right is None:
            missing += [] if left is None else [gold[left]]
        elif left is None:
            extra.append(ops[right])
        elif gold[left] != ops[right]:
            taken.append(f"{ops[right]} for {gold[left]}")
    if taken:
        more = [*(f"no {op}" for op in missing), *(f"{op} besides" for op in extra)]
        return "ops", ", ".join([*taken, *more])
    return ("cut", _listed(missing)) if missing else ("extra", _listed(extra))


def _listed(ops: Sequence[str]) -> str:
    """Ops in their order; those that stand there several times in a row with how often."""
    runs = [(op, len(list(same))) for op, same in groupby(ops)]
    return ", ".join(op if many == 1 else f"{op} ×{many}" for op, many in runs)


# --- right ops -----------------------------------------------------------------------------


def _invented(row: Row, case: Case | None) -> tuple[str, str] | None:
    """A missed assertion that no planner could know of; a text goes before tags."""
    found = {_invention(check, case) for check in row["checks"] if not check["held"]}
    if "text" in found:
        return "invented", _listed(row["gold_ops"])
    return ("tags", _listed(row["gold_ops"])) if "tags" in found else None


def _invention(check: Mapping[str, Any], case: Case | None) -> str | None:
    if "invented" in check:
        return check["invented"] and str(check["invented"])
    if case is None:
        return None
    asked = next((one for one in case.assertions if _is(one, check)), None)
    return None if asked is None else invented(asked, said_of(case))


def _is(assertion: Assertion, check: Mapping[str, Any]) -> bool:
    return (assertion.name, assertion.sql) == (check["name"], check["sql"])


def _of_targets(row: Row) -> tuple[str, str] | None:
    """The first write whose target is not the gold's."""
    hits = row.get("hits") or {}
    for place, (gold, given) in enumerate(zip(row["gold"], row["predicted"], strict=False)):
        op = str(gold.get("op"))
        if op in READS or not gold.get("target"):
            continue
        asked, got = (_at(hits.get(key), place) for key in ("gold", "predicted"))
        if asked is None or got is None:
            if _parts(gold, "/target") != _parts(given, "/target"):
                return "target", op
        elif asked != got:
            return _compared(asked, got), op
    return None


def _at(hits: Sequence[Sequence[str]] | None, place: int) -> frozenset[str] | None:
    return None if hits is None or place >= len(hits) else frozenset(hits[place])


def _compared(asked: frozenset[str], got: frozenset[str]) -> str:
    if not got:
        return "none"
    if got < asked:
        return "few"
    return "many" if got > asked else "others"


def _of_ranking(row: Row) -> tuple[str, str] | None:
    ranking = row.get("ranking")
    if ranking is None or ranking["held"]:
        return None
    if not any(ranking["returned"]):
        return "ranking", "nothing is returned"
    if int(ranking["hits"]) >= int(ranking["min_hits"]):
        return "ranking", "others are returned besides"
    return "ranking", "none of them is among the first" if not ranking["hits"] else "too few are"


def _of_args(row: Row) -> tuple[str, str] | None:
    """The arguments of the aligned steps that are not alike; of those, what a missed check names.

    A set of fields is told apart by field, and what has parts, such as a payload, is not.
    """
    differ = [
        (str(row["gold"][left].get("op")), name)
        for left, right in aligned(row["gold_ops"], row["ops"])
        if left is not None and right is not None
        for name in _differing(row["gold"][left], row["predicted"][right])
    ]
    named = " ".join(check["sql"] for check in row["checks"] if not check["held"])
    blamed = [each for each in differ if _COLUMNS.get(each[1], each[1]) in named] or differ
    words: dict[str, list[str]] = {}
    for op, name in dict.fromkeys(blamed):
        words.setdefault(op, []).append(name)
    told = "; ".join(f"{op} {', '.join(names)}" for op, names in words.items())
    return ("args", told) if told else None


def _differing(gold: Any, given: Any) -> Iterator[str]:
    """The arguments that are not filled alike, by the first step of their paths."""
    asked, got = _parts(gold, "/args"), _parts(given, "/args")
    for path in dict.fromkeys([*asked, *got]):
        if asked.get(path) != got.get(path):
            yield path.removeprefix("/args/").removeprefix("set/").partition("/")[0]


def _parts(step: Any, root: str) -> dict[str, Any]:
    return {path: value for path, value in slots(step).items() if path.startswith(root)}


def _left(row: Row) -> tuple[str, str]:
    missed = [check for check in row["checks"] if not check["held"]]
    if missed and not any(check["effective"] for check in missed):
        return "gold", _listed(row["gold_ops"])
    return "other", _listed(row["gold_ops"])
