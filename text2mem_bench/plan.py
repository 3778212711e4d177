"""A run of the planning layer: the cases that are not done yet, each played, scored and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from text2mem.errors import ServiceError
from text2mem_bench.parallel import each
from text2mem_bench.planning import Played, Predict, play, row_of
from text2mem_bench.running import temporary_stores
from text2mem_bench.runs import Run
from text2mem_bench.scores import UNSCORED, Row

if TYPE_CHECKING:
    from text2mem.ir.ports import Embedder
    from text2mem.providers.base import Provider
    from text2mem_bench.corpus import Case

_PATIENCE = 3
"""After so many cases in a row without an answer, a service counts as down and the run stops."""


@dataclass(frozen=True, slots=True)
class Judges:
    """Who else looks at a prediction: an embedder for SMA-cos, a model as the adjudicator."""

    embedder: Embedder | None = None
    adjudicator: Provider | None = None
    seed: int = 0


def pending(cases: Sequence[Case], run: Run) -> list[Case]:
    """The cases that have no row yet."""
    return [case for case in cases if case.id not in run.done]


def run_plan(
    cases: Sequence[Case],
    predict: Predict,
    run: Run,
    judges: Judges,
    *,
    threads: int = 1,
    embedder: Embedder | None = None,
) -> Iterator[Row]:
    """Play every pending case, and give out its row once it is kept; note the end of the run.

    An ``embedder`` gives the stored memories vectors, for grounding. Cases whose prerequisites do
    not run are left out, and named in the config. Raises the
    ServiceError of a service that stays down, ConfigurationError, and what is a bug of a provider.
    """
    left_out: list[str] = []
    silent = 0
    with temporary_stores() as stores:

        def work(case: Case) -> Played | str:
            judge = judges.adjudicator
            return (
                play(case, predict, stores, judge, seed=judges.seed, embedder=embedder) or case.id
            )

        for played in each(pending(cases, run), work, threads):
            if isinstance(played, str):
                left_out.append(played)
                continue
            row = row_of(played, judges.embedder)
            run.append(row)
            yield row
            silent = silent + 1 if row["status"] == UNSCORED else 0
            if silent == _PATIENCE and isinstance(played.prediction.error, ServiceError):
                raise played.prediction.error
    run.finish(left_out=sorted(left_out))
