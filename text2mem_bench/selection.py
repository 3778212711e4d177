"""Which cases of a corpus a run takes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal

from text2mem.errors import ConfigurationError
from text2mem_bench.corpus import Case
from text2mem_bench.metrics import ops_of

Split = Literal["even", "odd"]
WORKFLOW = "workflow"
_NOTE = "#"


def select(
    cases: Sequence[Case],
    *,
    split: Split | None = None,
    parts: Sequence[str] = (),
    ids: Sequence[str] | None = None,
    sample: int | None = None,
    seed: int = 0,
    limit: int | None = None,
) -> list[Case]:
    """The cases of a split, of those the named ones, of those a sample, of those the first.

    ``parts`` are those that generated rows are marked with; without any, every row counts. They
    stay in the order of the file. Raises ConfigurationError for an id that no case has.
    """
    chosen = [case for case in cases if split is None or split_of(case.id) == split]
    chosen = [case for case in chosen if not parts or case.part in parts]
    if ids is not None:
        known = {case.id for case in chosen}
        strangers = [id_ for id_ in ids if id_ not in known]
        if strangers:
            raise ConfigurationError(
                f"there is no case {strangers[0]!r}" + f" (nor {len(strangers) - 1} more)"
                * (len(strangers) > 1)
            )  # fmt: skip
        wanted = set(ids)
        chosen = [case for case in chosen if case.id in wanted]
    if sample is not None:
        chosen = stratified(chosen, sample, seed)
    return chosen[:limit]


def split_of(id_: str) -> Split:
    """The half that an id belongs to: whether the SHA-256 of it, as a number, is even or odd."""
    return "odd" if sha256(id_.encode()).digest()[-1] % 2 else "even"


def stratified(cases: Sequence[Case], size: int, seed: int) -> list[Case]:
    """A random sample in which each op has its share of the cases, and workflows have theirs.

    Shares are rounded by the largest remainder. The same cases, size and seed give the same sample.
    """
    if size >= len(cases):
        return list(cases)
    strata: dict[str, list[Case]] = {}
    for case in cases:
        strata.setdefault(stratum(case), []).append(case)
    exact = {name: size * len(group) / len(cases) for name, group in strata.items()}
    quota = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (quota[name] - exact[name], name))
    for name in by_remainder[: size - sum(quota.values())]:
        quota[name] += 1
    taken = {
        case.id
        for name, group in strata.items()
        for case in random.Random(f"{seed}:{name}").sample(
            sorted(group, key=lambda one: one.id), quota[name]
        )
    }
    return [case for case in cases if case.id in taken]


def stratum(case: Case) -> str:
    """The op of a program of one step; every other program is a workflow."""
    ops = ops_of(case.gold)
    return ops[0] if len(ops) == 1 else WORKFLOW


def written(cases: Sequence[Case], *notes: str) -> str:
    """The ids of cases as a file of them, below some notes."""
    return "".join([*(f"{_NOTE} {note}\n" for note in notes), *(f"{case.id}\n" for case in cases)])


def read_ids(path: str | Path) -> list[str]:
    """The ids in a file, one a line; a line that begins with # is a note."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from error
    ids = (line.strip() for line in lines if not line.startswith(_NOTE))
    return list(dict.fromkeys(id_ for id_ in ids if id_))
