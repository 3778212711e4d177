"""A case played on backends, and what it scores on each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from text2mem.errors import ParseError, ValidationError
from text2mem.ir.ops import READS
from text2mem.ir.ports import Embedder
from text2mem.ir.result import ProgramResult
from text2mem.program import Program
from text2mem_bench.consistency import Account, differences
from text2mem_bench.execution import triggers
from text2mem_bench.execution.cases import ExecutionCase, Relevance
from text2mem_bench.execution.edits import EditScore, compare, edits_between, stated_edits
from text2mem_bench.execution.playing import Played, play
from text2mem_bench.execution.shift import Shifted, against_statement, directions
from text2mem_bench.ranking import ndcg_at, recall_at, reciprocal_rank
from text2mem_bench.running import Fault, Opener, Stopped, illegal

ORACLE = "plain"
"""The backend whose edits stand in for those that a case does not state."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """How well a read returned what is relevant; each 0 to 1. ``held``: as much as is asked."""

    recall: float
    ndcg: float
    reciprocal_rank: float
    k: int
    held: bool
    returned: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The scores as JSON."""
        return {
            "recall": round(self.recall, 4), "ndcg": round(self.ndcg, 4),
            "reciprocal_rank": round(self.reciprocal_rank, 4), "k": self.k,
            "held": self.held, "returned": list(self.returned),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One case on one backend. ``edits`` None: nothing says what was to change.

    ``unprobed`` counts memories whose weight moved and that no search finds.
    ``differences`` are those from the first backend, in words.
    """

    id: str
    lang: str
    ops: tuple[str, ...]
    backend: str
    status: str
    faults: tuple[Fault, ...] = ()
    edits: EditScore | None = None
    shifts: tuple[Shifted, ...] = ()
    unprobed: int = 0
    checks: tuple[triggers.Check, ...] = ()
    retrieved: Retrieved | None = None
    differences: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Whether the program ran and did all that is known of it, as on the first backend."""
        return (
            self.status == "done"
            and (self.edits is None or self.edits.exact)
            and all(shift.right for shift in self.shifts)
            and all(check.held for check in self.checks)
            and (self.retrieved is None or self.retrieved.held)
            and not self.differences
        )

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        return {
            "id": self.id, "lang": self.lang, "ops": list(self.ops), "backend": self.backend,
            "status": self.status, "right": self.right,
            "faults": [fault.as_dict() for fault in self.faults],
            "edits": None if self.edits is None else self.edits.as_dict(),
            "shifts": [shift.as_dict() for shift in self.shifts], "unprobed": self.unprobed,
            "triggers": [check.as_dict() for check in self.checks],
            "retrieval": None if self.retrieved is None else self.retrieved.as_dict(),
            "differences": list(self.differences), "seconds": round(self.seconds, 4),
        }  # fmt: skip


def measure(
    cases: Iterable[ExecutionCase],
    openers: Mapping[str, Opener],
    names: Sequence[str],
    embedder: Embedder | None = None,
) -> Iterator[Scored]:
    """Every case on every named backend; ``openers`` has the oracle besides.

    Differences are told from the first name.
    """
    for case in cases:
        try:
            program = Program.load(case.program, now=case.now, tz=case.tz)
        except (ValidationError, ParseError) as error:
            for name in names:
                yield Scored(
                    id=case.id, lang=case.lang, ops=(), backend=name, **_ending(illegal(error))
                )
            continue
        ops = tuple(op.name for op in program.ops)
        wanted = list(names)
        if case.expected.changes is None and ORACLE not in wanted:
            wanted.append(ORACLE)
        played = {name: play(case, program, openers[name], embedder) for name in wanted}
        for name in names:
            mine, first = played[name], played[names[0]]
            shifts, unprobed = _shifts(case, mine)
            yield Scored(
                id=case.id, lang=case.lang, ops=ops, backend=name,
                edits=_edits(case, name, mine, played.get(ORACLE)),
                shifts=shifts, unprobed=unprobed, checks=mine.checks,
                retrieved=_retrieved(case.expected.relevance, mine.account),
                differences=tuple(differences(names[0], first.account, name, mine.account)),
                seconds=mine.seconds, **_ending(mine.account.outcome),
            )  # fmt: skip


def _ending(outcome: ProgramResult | Stopped) -> dict[str, Any]:
    if isinstance(outcome, Stopped):
        return {"status": outcome.status, "faults": outcome.faults}
    return {"status": "done"}


# --- one score each ------------------------------------------------------------------------


def _edits(
    case: ExecutionCase, name: str, played: Played, oracle: Played | None
) -> EditScore | None:
    if isinstance(played.account.outcome, Stopped):
        return None
    actual = edits_between(played.before, played.account.memories)
    if case.expected.changes is not None:
        return compare(stated_edits(case.expected.changes), actual)
    if name == ORACLE or oracle is None:
        return None
    return compare(edits_between(oracle.before, oracle.account.memories), actual)


def _shifts(case: ExecutionCase, played: Played) -> tuple[tuple[Shifted, ...], int]:
    """The shifts, and how many memories moved that no search finds."""
    account = played.account
    if isinstance(account.outcome, Stopped):
        return (), 0
    if not case.derive:
        moved = directions(played.before, account.memories)
        hits = zip(played.hits_before.values(), played.hits_after.values(), strict=True)
        stated = zip(case.expected.shifts, hits, strict=True)
        return tuple(
            against_statement(shift, before, after, moved.get(shift.id, 0))
            for shift, (before, after) in stated
        ), 0
    return tuple(played.probed.shifts.values()), played.probed.missed


def _retrieved(wanted: Relevance | None, account: Account) -> Retrieved | None:
    if wanted is None or isinstance(account.outcome, Stopped):
        return None
    steps = account.outcome.results
    if wanted.step is not None:
        steps = steps[wanted.step - 1 : wanted.step]
    relevant = {id_ for id_, gain in wanted.gains.items() if gain > 0}
    scored = [
        Retrieved(
            recall=recall_at(ids, relevant, wanted.k),
            ndcg=ndcg_at(ids, wanted.gains, wanted.k),
            reciprocal_rank=reciprocal_rank(ids, relevant),
            k=wanted.k,
            held=len(relevant & set(ids[: wanted.k])) >= wanted.hits,
            returned=ids,
        )
        for ids in [step.affected for step in steps if step.op in READS] or [()]
    ]
    return max(scored, key=lambda each: (each.ndcg, each.recall))
