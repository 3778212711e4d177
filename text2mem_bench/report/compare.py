"""Two runs of the same data: what got better and worse, case by case and on average."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from text2mem.errors import ConfigurationError
from text2mem_bench.report.bootstrap import LEVEL, RESAMPLES, interval
from text2mem_bench.report.run import ReportedRun
from text2mem_bench.report.wording import SCORES, WILD
from text2mem_bench.scores import ASKED, Row

Direction = Literal["better", "worse", "mixed"]
DECIDING = ("esr", "op_exact", "effective", "emr", "row", "right", "unharmed", "unhidden")
"""The scores by which a case is better or worse; the others say how like one gold program it is."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One score in both runs over the cases where both have it.

    Means, their difference (B less A) and the ends of its interval; how many cases have more in B,
    less, and the same.
    """

    score: str
    n: int
    a: float
    b: float
    difference: float
    low: float
    high: float
    better: int
    worse: int
    same: int


@dataclass(frozen=True, slots=True)
class Change:
    """A case whose deciding scores changed; ``before`` and ``after`` hold those that did.

    ``ops`` are the gold's; of a wild case, which has none, what kind it is of.
    """

    id: str
    lang: str
    ops: tuple[str, ...]
    direction: Direction
    statuses: tuple[str, str]
    before: Mapping[str, float | None]
    after: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs held against each other; ``common`` cases are in both and scored in both.

    ``asked`` is in how many of them each run asked back.
    """

    a: str
    b: str
    common: int
    only_a: int
    only_b: int
    asked: tuple[int, int]
    seed: int
    warnings: tuple[str, ...]
    differences: tuple[Difference, ...]
    changes: tuple[Change, ...]

    def of(self, direction: Direction) -> tuple[Change, ...]:
        """The changes in one direction."""
        return tuple(change for change in self.changes if change.direction == direction)

    def as_dict(self) -> dict[str, Any]:
        """The comparison as JSON."""
        return {
            "a": self.a, "b": self.b, "common": self.common, "only_a": self.only_a,
            "only_b": self.only_b, "asked": {"a": self.asked[0], "b": self.asked[1]},
            "warnings": list(self.warnings),
            "bootstrap": {"seed": self.seed, "resamples": RESAMPLES, "level": LEVEL},
            "scores": [_rounded(one) for one in self.differences],
            "better": [_told(one) for one in self.of("better")],
            "worse": [_told(one) for one in self.of("worse")],
            "mixed": [_told(one) for one in self.of("mixed")],
        }  # fmt: skip


def compare(a: ReportedRun, b: ReportedRun, *, seed: int = 0) -> Comparison:
    """Hold run B against run A. ``seed`` is that of the resampling.

    Raises ConfigurationError where they are of different kinds.
    """
    if a.kind != b.kind:
        raise ConfigurationError(
            f"{a.label} is a run of kind '{a.kind}', {b.label} of kind '{b.kind}'",
            hint="compare two runs of the same bench",
        )
    before, after = ({str(row["id"]): row for row in run.scored} for run in (a, b))
    pairs = [(row, after[id_]) for id_, row in before.items() if id_ in after]
    return Comparison(
        a=a.label, b=b.label, common=len(pairs), only_a=len(before) - len(pairs),
        only_b=len(after) - len(pairs),
        asked=(
            sum(one["status"] == ASKED for one, _ in pairs),
            sum(other["status"] == ASKED for _, other in pairs),
        ),
        seed=seed,
        warnings=tuple(_warnings(a, b, pairs)),
        differences=tuple(_differences(pairs, seed)),
        changes=tuple(_changes(pairs)),
    )  # fmt: skip


def _warnings(a: ReportedRun, b: ReportedRun, pairs: Sequence[tuple[Row, Row]]) -> Iterator[str]:
    if a.sha256 != b.sha256:
        yield f"the runs are of different data: {_data(a)}, and {_data(b)}"
    if not len(a.rows) == len(b.rows) == len(pairs):
        yield (
            f"only the cases that have scores in both are compared: {len(pairs)} of "
            f"{len(a.rows)} in {a.label} and {len(b.rows)} in {b.label}"
        )
    for key in ("utterance", "gold", "meant", "acceptable"):
        other = sum(one.get(key) != two.get(key) for one, two in pairs)
        if other:
            yield f"cases of the same id with another {key}: {other}"
    yield from (caution for run in (a, b) for caution in run.cautions)


def _data(run: ReportedRun) -> str:
    return f"{run.data.get('name', 'unknown')} (sha256 {run.sha256[:12] or 'unknown'})"


def _differences(pairs: Sequence[tuple[Row, Row]], seed: int) -> Iterator[Difference]:
    for score in (*SCORES, *WILD):
        both = [(_score(one, score), _score(other, score)) for one, other in pairs]
        known = [(x, y) for x, y in both if x is not None and y is not None]
        if not known:
            continue
        by = [y - x for x, y in known]
        n = len(known)
        low, high = interval(by, seed=seed)
        yield Difference(
            score, n, sum(x for x, _ in known) / n, sum(y for _, y in known) / n, sum(by) / n,
            low, high, sum(d > 0 for d in by), sum(d < 0 for d in by), sum(d == 0 for d in by),
        )  # fmt: skip


def _changes(pairs: Sequence[tuple[Row, Row]]) -> Iterator[Change]:
    for one, other in pairs:
        before, after = ({s: _score(row, s) for s in DECIDING} for row in (one, other))
        moved = [s for s in DECIDING if before[s] != after[s]]
        if not moved:
            continue
        up = sum((after[s] or 0.0) > (before[s] or 0.0) for s in moved)
        direction: Direction = "better" if up == len(moved) else "mixed" if up else "worse"
        yield Change(
            str(one["id"]), str(one["lang"]), _ops(one), direction,
            (str(one["status"]), str(other["status"])),
            {s: before[s] for s in moved}, {s: after[s] for s in moved},
        )  # fmt: skip


def _ops(row: Row) -> tuple[str, ...]:
    return tuple(row["gold_ops"]) if "gold_ops" in row else (str(row.get("kind")),)


def _score(row: Row, score: str) -> float | None:
    value = (row.get("scores") or {}).get(score)
    return None if value is None else float(value)


def _told(change: Change) -> dict[str, Any]:
    return {
        "id": change.id, "lang": change.lang, "ops": list(change.ops),
        "statuses": list(change.statuses), "before": dict(change.before),
        "after": dict(change.after),
    }  # fmt: skip


def _rounded(one: Difference) -> dict[str, Any]:
    return {
        key: round(value, 4) if isinstance(value, float) else value
        for key, value in asdict(one).items()
    }
