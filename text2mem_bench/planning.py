"""The planning layer: what a predictor makes of an utterance, run and scored as one row.

Every case begins with an empty store that its prerequisites fill; the predictor sees the utterance,
the turns before it and that store, with the clock where the case has it. A model is one predictor;
the floors are others, and go through the very same scoring.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from text2mem.compiled import Clarification
from text2mem.errors import (
    ConfigurationError,
    ParseError,
    ServiceError,
    StoreError,
    Text2MemError,
    ValidationError,
)
from text2mem.ir.dialect import canonicalise
from text2mem.pipeline import compile
from text2mem.planner import Attempt, Budget
from text2mem.program import Program
from text2mem.providers.base import Provider, Usage
from text2mem_bench.adjudicator import Verdict, adjudicate
from text2mem_bench.invention import invented, said_of
from text2mem_bench.metrics import (
    CHARACTERS,
    key_values,
    op_f1,
    ops_of,
    ran,
    share,
    slot_accuracy,
    sma_cos,
    sma_lev,
)
from text2mem_bench.replay import Outcome, run_case, run_planned
from text2mem_bench.running import Scene, Stores, spent
from text2mem_bench.scores import ASKED, UNSCORED, Row

if TYPE_CHECKING:
    from text2mem.ir.diagnostic import Diagnostic
    from text2mem.ir.ports import Embedder
    from text2mem_bench.corpus import Case

Status = Literal["executed", "refused", "illegal", "asked", "no-program", "service"]
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a predictor answered: a program, a question, or the error why there is neither.

    ``drafts`` are the attempts in order, the last one included; ``seconds`` what it took.
    """

    program: Program | Sequence[Any] | None = None
    question: Clarification | None = None
    error: Text2MemError | None = None
    drafts: tuple[Attempt, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


Predict = Callable[["Case", Scene], Prediction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPredictor:
    """A model as it plans in the product.

    An ``embedder`` lets grounding search the store by meaning; its memories then need vectors.
    """

    provider: Provider
    embedder: Embedder | None = None
    seed: int = 0
    attempts: int = 3

    def __call__(self, case: Case, scene: Scene) -> Prediction:
        """The model's program, or its question.

        Raises ConfigurationError: then every case would fail alike.
        """
        begun = time.perf_counter()
        try:
            compiled = compile(
                case.utterance, model=self.provider, context=case.context, clock=case.clock,
                store=scene.view, preview=scene.preview, embedder=self.embedder,
                seed=self.seed, budget=Budget(attempts=self.attempts),
            )  # fmt: skip
        except (ConfigurationError, StoreError):
            raise
        except Text2MemError as error:
            drafts = tuple(a for a in getattr(error, "attempts", ()) if isinstance(a, Attempt))
            return Prediction(
                error=error, drafts=drafts, usage=spent(error),
                seconds=time.perf_counter() - begun,
            )  # fmt: skip
        trace = compiled.trace
        return Prediction(
            program=compiled if isinstance(compiled, Program) else None,
            question=compiled if isinstance(compiled, Clarification) else None,
            drafts=tuple(trace.attempts) if trace else (),
            usage=trace.usage if trace else Usage(), seconds=time.perf_counter() - begun,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Played:
    """One case with its prediction, what became of it and of the gold program.

    ``verdict`` is what a judge says, where one was asked.
    """

    case: Case
    prediction: Prediction
    outcome: Outcome
    gold: Outcome
    verdict: Verdict | None = None


def play(
    case: Case,
    predict: Predict,
    stores: Stores,
    judge: Provider | None = None,
    *,
    seed: int = 0,
    embedder: Embedder | None = None,
) -> Played | None:
    """Ask for a program and run it; None where the prerequisites do not run: nothing can be said.

    An ``embedder`` gives the memories that the predictor meets their vectors. Raises what the
    predictor raises, and what ``adjudicate`` does.
    """
    gold = run_case(case, case.gold, stores)
    if any(fault.part == "prerequisites" for fault in gold.faults):
        return None
    prediction = Prediction()

    def plan(scene: Scene) -> Any:
        nonlocal prediction
        prediction = predict(case, scene)
        return prediction.program

    outcome = run_planned(case, plan, stores, embedder)
    verdict = None
    if judge is not None and not isinstance(prediction.error, ServiceError):
        programs = [canonical(program or [], case) for program in (case.gold, prediction.program)]
        verdict = adjudicate(judge, case, *programs, seed=seed)
    return Played(case, prediction, outcome, gold, verdict)


def row_of(played: Played, embedder: Embedder | None = None) -> Row:
    """The case as a row of the run. Raises what the embedder raises."""
    case, prediction, outcome = played.case, played.prediction, played.outcome
    status = _status(prediction, outcome)
    gold = canonical(case.gold, case)
    predicted = None if prediction.program is None else canonical(prediction.program, case)
    used = prediction.usage
    row: Row = {
        "id": case.id, "lang": case.lang, "instruction_type": case.instruction_type,
        "structure": case.structure, "utterance": case.utterance, "context": list(case.context),
        "gold": gold, "gold_ops": ops_of(gold),
        "predicted": predicted, "ops": ops_of(predicted or []),
        "status": status, "error": _error(prediction, outcome),
        "question": None if prediction.question is None else prediction.question.question,
        "reason": None if prediction.question is None else prediction.question.reason,
        "diagnostics": _diagnostics(prediction, outcome),
        "redrafts": max(len(prediction.drafts) - 1, 0),
        "drafts": [
            {"codes": [d.code for d in draft.diagnostics], "fault": draft.fault}
            for draft in prediction.drafts
        ],
        "usage": {
            "prompt_tokens": used.prompt, "output_tokens": used.output,
            "cached_tokens": used.cached,
        },
        "seconds": round(prediction.seconds, 4),
        "checks": _checks(played),
        "ranking": None if outcome.ranked is None else outcome.ranked.as_dict(),
        "hits": {
            side: [list(ids) for ids in ran_as.hits]
            for side, ran_as in (("gold", played.gold), ("predicted", outcome))
        },
        "sma_cos_of": CHARACTERS if embedder is None else embedder.model,
        "scores": {},
    }  # fmt: skip
    if played.verdict is not None:
        row["adjudicator"] = played.verdict.as_dict()
    if status != UNSCORED:
        row["scores"] = {
            **_likeness(gold, predicted, embedder), **_effects(row, case),
            "valid": int(status in ("executed", "refused")), "esr": int(status == "executed"),
            **({} if played.verdict is None else {"adjudicated": played.verdict.score}),
        }  # fmt: skip
    return row


def canonical(program: Program | Any, case: Case) -> list[Any]:
    """A program in the normal form of the language: spellings, times and defaults made alike.

    One that is not legal keeps what it holds, with the known spellings of keys.
    """
    if isinstance(program, Program):
        return program.to_list()
    try:
        return list(Program.load(program, now=case.clock.now()).to_list())
    except (ValidationError, ParseError):
        return canonicalise(program).instances


def _status(prediction: Prediction, outcome: Outcome) -> Status:
    if prediction.error is not None:
        return UNSCORED if isinstance(prediction.error, ServiceError) else "no-program"
    if prediction.question is not None:
        return ASKED
    if outcome.status in ("illegal", "refused"):
        return outcome.status
    return "executed"


def _likeness(
    gold: list[Any], predicted: list[Any] | None, embedder: Embedder | None
) -> dict[str, float | None]:
    """How like the gold a program is; no program is like nothing."""
    gold_ops, ops = ops_of(gold), ops_of(predicted or [])
    pairs = key_values(gold, predicted or [])
    found: dict[str, float | None] = {
        "op_exact": int(gold_ops == ops), "op_f1": op_f1(gold_ops, ops),
        "slots": slot_accuracy(gold, predicted or []),
        "kv_precision": pairs.precision, "kv_recall": pairs.recall, "kv_f1": pairs.f1,
        "sma_lev": 0.0 if predicted is None else sma_lev(gold, predicted),
        "sma_cos": 0.0 if predicted is None else sma_cos(gold, predicted, embedder),
    }  # fmt: skip
    return {name: None if v is None else round(v, _DIGITS) for name, v in found.items()}


def _effects(row: Row, case: Case) -> dict[str, float | None]:
    """EMR, effective EMR, and whether the whole row holds."""
    counts = ran(row["status"], row["predicted"])
    held = [check["held"] and counts for check in row["checks"]]
    effective = [
        ok for ok, check in zip(held, row["checks"], strict=True) if check["effective"]
    ]  # fmt: skip
    ranked = case.ranking is None or bool(row["ranking"] and row["ranking"]["held"])
    parts = {"emr": share(held), "effective": share(effective)}
    return {
        **{name: None if v is None else round(v, _DIGITS) for name, v in parts.items()},
        "row": int(counts and all(held) and ranked),
    }


def _checks(played: Played) -> list[dict[str, Any]]:
    """The assertions after the prediction; effective by what the gold program does to them."""
    return [
        {
            "name": check.assertion.name, "sql": check.assertion.sql,
            "params": dict(check.assertion.params), "compare": check.assertion.compare,
            "value": check.assertion.value, "before": check.before, "after": check.after,
            "held": check.held, "effective": gold.effective, "error": check.error,
            "invented": invented(check.assertion, said_of(played.case)),
        }
        for check, gold in zip(played.outcome.checks, played.gold.checks, strict=True)
    ]  # fmt: skip


def _error(prediction: Prediction, outcome: Outcome) -> dict[str, str] | None:
    if prediction.error is not None:
        return {"type": type(prediction.error).__name__, "message": prediction.error.message}
    if prediction.question is not None or not outcome.faults:
        return None
    first = outcome.faults[0]
    kind = "ValidationError" if outcome.status == "illegal" else "ExecutionError"
    return {"type": kind, "code": first.code, "message": first.message}


def _diagnostics(prediction: Prediction, outcome: Outcome) -> list[dict[str, str]]:
    """What was wrong at the end; of a plan that was given up, with its last draft."""
    if prediction.error is not None:
        found: Sequence[Diagnostic] = next(
            (draft.diagnostics for draft in reversed(prediction.drafts) if draft.diagnostics), ()
        )
        return [
            {"code": d.code, "pointer": d.pointer, "message": d.message, "hint": d.hint}
            for d in found
        ]
    if prediction.question is not None:
        return []
    return [
        {"code": f.code, "pointer": f.pointer, "message": f.message, "hint": ""}
        for f in outcome.faults
    ]
