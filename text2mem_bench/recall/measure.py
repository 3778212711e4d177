"""Evidence recall: how much of what holds an answer is among the first k memories found."""

from __future__ import annotations

import statistics
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from text2mem.clock import FixedClock
from text2mem.executor import Prepared, execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import BySearch, Retrieve
from text2mem.ledger.episode import Message
from text2mem.memory import Memory
from text2mem_bench.episodes.tally import percentiles
from text2mem_bench.ranking import recall_at
from text2mem_bench.recall.locomo import CATEGORIES, Asked, Sample

if TYPE_CHECKING:
    from text2mem.ir.ports import Embedder

LEXICAL, VECTOR, HYBRID = "lexical", "vector", "hybrid"
_WEIGHTS = {LEXICAL: 0.0, VECTOR: 1.0, HYBRID: None}
"""The share of the vectors in a search; None is the store's own."""
_APART = timedelta(seconds=30)
"""Between two turns of a session."""


@dataclass(frozen=True, slots=True)
class Searched:
    """One question by one kind of search: the turns found, best first, and how long it took."""

    sample: str
    asked: Asked
    how: str
    found: tuple[str, ...]
    milliseconds: float

    def as_dict(self, depths: Sequence[int]) -> dict[str, Any]:
        """The row of a question."""
        return {
            "sample": self.sample, "question": self.asked.question,
            "category": self.asked.category, "search": self.how,
            "evidence": list(self.asked.evidence), "found": list(self.found),
            "recall": {str(k): recall_at(self.found, self.asked.evidence, k) for k in depths},
            "milliseconds": round(self.milliseconds, 3),
        }  # fmt: skip


def measure(
    samples: Iterable[Sample], *, depth: int, embedder: Embedder | None = None
) -> Generator[Searched, None, None]:
    """Observe each conversation and ask its questions that have evidence, by every search there is.

    A conversation has a store of its own; nothing is extracted. Without an embedder only the
    lexical search is there. That by vectors ranks every turn; hybrid is the store's own search,
    for which a vector too far from the question's is no hit.
    """
    for sample in samples:
        last = max(session.at for session in sample.sessions)
        context = ExecutionContext(clock=FixedClock(last + timedelta(days=1)))
        with Memory("sqlite::memory:", context=context, embedder=embedder) as memory:
            ids = dict(_observed(memory, sample))
            for asked in sample.questions:
                if asked.evidence:
                    for how in searches(embedder):
                        vectors = _Ranking(embedder) if embedder and how == VECTOR else embedder
                        found, took = _search(memory, asked.question, how, depth, vectors)
                        turns = tuple(ids[id_] for id_ in found)
                        yield Searched(sample.id, asked, how, turns, took)


def searches(embedder: Embedder | None) -> tuple[str, ...]:
    """The kinds of search."""
    return (LEXICAL,) if embedder is None else (LEXICAL, VECTOR, HYBRID)


def _observed(memory: Memory, sample: Sample) -> Iterator[tuple[str, str]]:
    """Store the turns; the memory of each with the turn's id."""
    for number, session in enumerate(sample.sessions, 1):
        turns = [said for said in session.turns if said.text.strip()]
        messages = [
            Message(text=said.text, speaker=said.speaker, at=session.at + place * _APART)
            for place, said in enumerate(turns)
        ]
        seen = memory.observe(messages, session=f"session_{number}", extract=False)
        for observed, said in zip(seen, turns, strict=True):
            yield observed.episode, said.id


def _search(
    memory: Memory, question: str, how: str, depth: int, embedder: Embedder | None
) -> tuple[list[str], float]:
    """The ids found, best first, and the milliseconds, those of the question's vector with them."""
    services = Prepared(embedder=None if how == LEXICAL else embedder)
    op = Retrieve(
        target=BySearch(query=question, alpha=_WEIGHTS[how], limit=depth), include=("id",)
    )
    begun = time.perf_counter()
    done = execute([op], memory.adapter, memory.context, prepared=services)
    took = (time.perf_counter() - begun) * 1000
    if done.error is not None:
        raise AssertionError(f"the search for {question!r} failed: {done.error}")
    return [str(row["id"]) for row in done.results[0].rows], took


@dataclass(frozen=True, slots=True)
class _Ranking:
    """An embedder whose vectors rank everything: no similarity is too small for a hit."""

    within: Embedder
    threshold: float = -1.0

    @property
    def model(self) -> str:
        return self.within.model

    @property
    def dimension(self) -> int | None:
        return self.within.dimension

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        return self.within.embed(texts, kind=kind)


def summarise(
    samples: Sequence[Sample], searched: Iterable[Searched], depths: Sequence[int]
) -> dict[str, Any]:
    """``{"samples", "turns", "questions", "without_evidence", "unknown_evidence": ["sample: id"],
    "recall": {search: {category or "all": {"n", "1": …, "20": …}}}, "times": {search: …}}``.

    Recall is the mean over questions of the share of their evidence.
    """
    rows = list(searched)
    asked = [question for sample in samples for question in sample.questions]
    told: dict[str, Any] = {}
    for how in dict.fromkeys(row.how for row in rows):
        of = [row for row in rows if row.how == how]
        groups = {"all": of} | {
            name: [row for row in of if row.asked.category == name] for name in CATEGORIES.values()
        }
        told[how] = {name: _cell(part, depths) for name, part in groups.items() if part}
    return {
        "samples": len(samples),
        "turns": sum(len(each.turns) for sample in samples for each in sample.sessions),
        "questions": len(asked),
        "without_evidence": sum(not question.evidence for question in asked),
        "unknown_evidence": [
            f"{sample.id}: {id_}"
            for sample in samples
            for question in sample.questions
            for id_ in question.unknown
        ],
        "recall": told,
        "times": {
            how: percentiles([row.milliseconds for row in rows if row.how == how])
            for how in told
        },
    }  # fmt: skip


def _cell(rows: Sequence[Searched], depths: Sequence[int]) -> dict[str, Any]:
    scores = {
        str(k): statistics.fmean(recall_at(row.found, row.asked.evidence, k) for row in rows)
        for k in depths
    }
    return {"n": len(rows), **scores}


def markdown(summary: dict[str, Any], depths: Sequence[int]) -> str:
    """The figures as a table."""
    head = " | ".join(f"recall@{k}" for k in depths)
    lines = [
        f"{summary['samples']} conversations, {summary['turns']} turns, {summary['questions']} "
        f"questions, {summary['without_evidence']} of them without evidence"
    ]
    if summary["unknown_evidence"]:
        lines.append(f"evidence that is no turn: {', '.join(summary['unknown_evidence'])}")
    lines += [
        "", f"| search | category | questions | {head} |",
        f"| --- | --- | --- |{' --- |' * len(depths)}",
    ]  # fmt: skip
    for how, groups in summary["recall"].items():
        for name, cell in groups.items():
            scores = " | ".join(f"{cell[str(k)]:.3f}" for k in depths)
            lines.append(f"| {how} | {name} | {cell['n']} | {scores} |")
    lines += ["", "| search | p50 ms | p95 ms |", "| --- | --- | --- |"]
    lines += [
        f"| {how} | {cell['p50']:.2f} | {cell['p95']:.2f} |"
        for how, cell in summary["times"].items()
    ]
    return "\n".join(lines)
