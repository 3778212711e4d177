"""Requests: an utterance as its steps, each with its head and what it says.

A step without a head of its own ("those with the label "knee" too") takes the op of what was said
before it, and what it does not say is looked for there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from text2mem.ir.turn import Turn
from text2mem.planner.evidence import Clause, Evidence, Kind, Mention, read_evidence
from text2mem.planner.heads import Head, head

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Step:
    """One clause of a request: its head, and the evidence of the whole utterance.

    ``earlier`` is the step of an earlier turn that this one goes on with.
    """

    clause: Clause
    head: Head
    evidence: Evidence
    earlier: Step | None = None

    @property
    def words(self) -> str:
        """The clause as it was said."""
        return self.clause.words

    @property
    def request(self) -> Span:
        """Where the words stand that only ask ("please save"), in the utterance."""
        return self.clause.start + self.head.start, self.clause.start + self.head.end

    def of(self, *kinds: Kind) -> tuple[Mention, ...]:
        """What the clause says of these kinds; where it says nothing, what the earlier one did."""
        own = self.evidence.of(*kinds, within=self.clause)
        return own or (self.earlier.of(*kinds) if self.earlier else ())

    def own(self, *kinds: Kind) -> tuple[Mention, ...]:
        """What the clause itself says of these kinds."""
        return self.evidence.of(*kinds, within=self.clause)

    def flagged(self, *names: str) -> bool:
        """Whether one of these flags is there."""
        return any(mention.value in names for mention in self.of("flag"))

    def rest(self, spans: Sequence[Span]) -> str:
        """The clause without its asking words and without some stretches of the utterance."""
        start, end = self.clause.start, self.clause.end
        keep = [True] * (end - start)
        for first, last in (self.request, *spans):
            for place in range(max(first, start), min(last, end)):
                keep[place - start] = False
        said = "".join(c if kept else " " for c, kept in zip(self.words, keep, strict=True))
        return " ".join(said.split())


def read_steps(
    utterance: str, context: Sequence[Turn], *, now: datetime, tz: tzinfo
) -> tuple[Step, ...]:
    """The steps of an utterance, in order; at least one."""
    evidence = read_evidence(utterance, now=now, tz=tz)
    steps = [Step(clause, head(clause.words), evidence) for clause in evidence.clauses]
    if len(steps) > 1:
        # A piece without a head of its own belongs to the step in front of it.
        steps = _joined(steps)
    if context and (len(steps) == 1 or not steps[0].head.ops):
        earlier = _earlier(context, now, tz)
        steps[0] = Step(steps[0].clause, steps[0].head, evidence, earlier)
    return tuple(steps)


def _joined(steps: Sequence[Step]) -> list[Step]:
    out: list[Step] = []
    for step in steps:
        if out and not step.head.ops:
            last = out[-1]
            words = step.evidence.utterance[last.clause.start : step.clause.end]
            clause = Clause(last.clause.start, step.clause.end, words)
            out[-1] = Step(clause, head(words), step.evidence)
        else:
            out.append(step)
    return out


def _earlier(context: Sequence[Turn], now: datetime, tz: tzinfo) -> Step | None:
    """The last step that somebody asked for before; answers and questions back are no requests."""
    for turn in reversed(context):
        evidence = read_evidence(turn.text, now=now, tz=tz)
        for clause in reversed(evidence.clauses):
            found = head(clause.words)
            if found.ops and not turn.question and not _answers(turn.text):
                return Step(clause, found, evidence)
    return None


_REPLIES = (
    "here you are", "here they are", "this is what", "i found", "found", "done", "all right", "okay",
    "which one", "what exactly", "when does", "how long", "until when", "what do you mean", "what should",
    "what is", "to what", "which", "who may", "how small", "how fine",
    "好的", "都在这里", "找到了", "这些是", "在这里", "已经", "什么意思", "哪", "拆到", "多久", "到什么时候", "你说的",
    "具体", "什么时候", "谁", "是什么", "改成什么",
)  # fmt: skip


def _answers(text: str) -> bool:
    """Whether a turn reads as the answer of an assistant rather than as a request."""
    said = text.strip().lower()
    return said.startswith(_REPLIES)
