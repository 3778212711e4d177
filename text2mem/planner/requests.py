"""Requests: an utterance as its steps, each with its head and what it says.

A step without a head of its own ("those with the label "knee" too", "by 0.4, I'd say") goes on with
what was asked for in an earlier turn: it takes the op of that, and what it does not say itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from text2mem.ir.turn import Turn
from text2mem.planner.evidence import Clause, Evidence, Kind, Mention, read_evidence
from text2mem.planner.evidence.text import HIDDEN, masked
from text2mem.planner.evidence.text import Span as Stretch
from text2mem.planner.heads import Head
from text2mem.planner.parting import pieces
from text2mem.planner.turns import asks_back, ellipsis, requests

Span = tuple[int, int]
_FURTHEST = 8
"""How many turns back a step can go on with."""


@dataclass(frozen=True, slots=True)
class Step:
    """One clause of a request: its head, and the evidence of the whole utterance.

    ``earlier`` is the step of an earlier turn that this one may go on with or point to. A step that
    ``answers`` says what the earlier one left open, when it was asked back for.
    """

    clause: Clause
    head: Head
    evidence: Evidence
    earlier: Step | None = None
    answers: bool = False

    @property
    def words(self) -> str:
        """The clause as it was said."""
        return self.clause.words

    @property
    def request(self) -> Span:
        """Where the words stand that only ask ("please save"), in the utterance."""
        return self.clause.start + self.head.start, self.clause.start + self.head.end

    def of(self, *kinds: Kind) -> tuple[Mention, ...]:
        """What the clause says of these kinds; else, without a head, what the earlier one did."""
        own = self.own(*kinds)
        if own or self.earlier is None or self.head.ops:
            return own
        return self.earlier.of(*kinds)

    def own(self, *kinds: Kind) -> tuple[Mention, ...]:
        """What the clause itself says of these kinds."""
        return self.evidence.of(*kinds, within=self.clause)

    def flagged(self, *names: str) -> bool:
        """Whether one of these flags is there."""
        return any(mention.value in names for mention in self.of("flag"))

    def rest(self, spans: Sequence[Span]) -> str:
        """The clause without its asking words and without some stretches of the utterance."""
        return " ".join(self.masked([self.request, *spans], " ").split())

    def masked(self, spans: Iterable[Span], mark: str = HIDDEN) -> str:
        """The clause with every character of some stretches of the utterance replaced."""
        start, end = self.clause.start, self.clause.end
        inside = (Stretch(first - start, min(last, end) - start) for first, last in spans)
        return masked(self.words, inside, mark)


def read_steps(
    utterance: str, context: Sequence[Turn], *, now: datetime, tz: tzinfo
) -> tuple[Step, ...]:
    """The steps of an utterance, in order; at least one."""
    return _steps(utterance, tuple(context)[-_FURTHEST:], now, tz)


def _steps(utterance: str, context: Sequence[Turn], now: datetime, tz: tzinfo) -> tuple[Step, ...]:
    evidence = read_evidence(utterance, now=now, tz=tz)
    parts = [piece for clause in evidence.clauses for piece in pieces(clause)]
    steps = _joined([Step(part.clause, part.head, evidence) for part in parts])
    earlier = _earlier(context, now, tz)
    if earlier:
        steps[0] = _going_on(steps[0], earlier, answers=asks_back(context[-1]))
    return tuple(steps)


# --- the steps of one utterance ------------------------------------------------------------


def _joined(steps: Sequence[Step]) -> list[Step]:
    """Pieces without a head as parts of their neighbours, and what is said twice as one step."""
    out: list[Step] = []
    for step in steps:
        if out and step.head.ops and _only_checks(out[-1], step):
            # "Look at my notes; if some are old, archive them": looking is no step of its own.
            out[-1] = _one(replace(out[-1], head=Head()), step)
        elif out and (not (out[-1].head.ops and step.head.ops) or _repeats(out[-1], step)):
            out[-1] = _one(out[-1], step)
        else:
            out.append(step)
    return out


def _only_checks(first: Step, second: Step) -> bool:
    """Whether a step only says where to look for what the next one is about."""
    between = first.evidence.utterance[first.clause.end : second.clause.start]
    if _WHETHER.match(first.words + between) and _THEN.search(f"{between}{second.words}"):
        return True
    if not _CHECKS.match(first.words):
        return False
    if _ENDS_IF.search(first.words):
        return True
    only_reads = first.head.ops in ((), ("Retrieve",))
    return only_reads and bool(_IF_SO.search(second.words) or _FOR_ANY.search(first.words))


def _one(first: Step, second: Step) -> Step:
    start, end = first.clause.start, second.clause.end
    words = first.evidence.utterance[start:end]
    head_ = first.head
    if not head_.ops:
        shift = second.clause.start - start
        head_ = second.head
        if head_.end:
            head_ = replace(head_, start=head_.start + shift, end=head_.end + shift)
    return Step(Clause(start, end, words), head_, first.evidence)


_CHECKS = re.compile(
    r"(?:\W*(?:please|could you|can you|would you|first|now|ok|okay|just|and|"
    r"then)\b[ ,]*)*(?:check|have a (?:quick )?look|take a (?:quick )?look|look (?:at|through|"
    r"over)|go (?:over|through)|see (?:if|whether|which|what)|review|inspect)\b|\W*(?:请你?|帮我|"
    r"麻烦你?|先|去|能不能|可以)*(?:检查|看看|找找看?|看有没有|看一?下|查看|查一?下|翻一?翻|"
    r"过一遍|瞧瞧|核对|检视)",
    re.IGNORECASE,
)
_IF_SO = re.compile(
    r"^\W*(?:(?:and|but|then|please)\b ?)*(?:if|where|when|whenever|should|in case|provided)\b|"
    r"\bif (?:so|any|there|you (?:find|see|come))\b|\b(?:whichever|whatever)\b|\b(?:those|"
    r"the ones|any|all|each one|every one)(?: of (?:them|those|these))? (?:that|which|with|"
    r"without|tagged|from|whose|older|mention\w*|marked|filed)\b|^\W*(?:然后|就|那就)?(?:如果|"
    r"要是|假如|若|倘若|万一|遇到|碰到|碰上|凡是|只要|一旦|有的话|有就|如有|是的话|"
    r"有[^，。；]{0,24}的|把?其中|状态[^，。；]{0,12}的话)|的话[，,]",
    re.IGNORECASE,
)
_FOR_ANY = re.compile(
    r"\b(?:whether|if|for (?:any\w*|the tags?|those|ones)|which (?:of|notes|ones))\b|有没有|是否|"
    r"有无|哪[些几]条?",
    re.IGNORECASE,
)
_ENDS_IF = re.compile(
    r"[.;,]\s(?:and |but )?(?:if|where|when|whenever|should|in case)\b[^.;,]*$|"
    r"[，,。；]\s?(?:如果|要是|假如|若|倘若|万一|遇到|碰到|凡是|只要|一旦)[^，,。；]*$",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"\W*(?:is|are|was|were|do|does|did|has|have|isn't|aren't|don't|didn't|haven't) [^?]*\?|"
    r"[^？?]*(?:有没有|是否有|有无|[有是][^？?]*吗)[^？?]*[？?]",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"^\W*(?:then|if so|in that case|if they do|if there (?:is|are)|那就?|有的话|是的话|就)", re.I
)
_BARE = 2
"""How many words name nothing: "a summary"."""
_SAID_TWICE = frozenset(
    ("Encode", "Delete", "Demote", "Lock", "Merge", "Split", "Retrieve", "Summarize")
)
"""Ops that a person asks for once more to say how: "archive them and lower their priority"."""
_EXACT: tuple[Kind, ...] = ("weight", "weight_delta", "recurrence", "reviewer")
_NAMING: tuple[Kind, ...] = ("tag", "facet", "id", "quote", "window", "latest")


def _repeats(first: Step, second: Step) -> bool:
    """Whether a step asks for the same as the one before it, of the same memories, at once."""
    if first.head.ops != second.head.ops or not set(second.head.ops) <= _SAID_TWICE:
        return False
    between = first.evidence.utterance[first.clause.end : second.clause.start]
    if any(sign in between.lower() for sign in _IN_TURN) or second.own(*_EXACT, *_NAMING):
        return False
    return bool(_SAME_THINGS.search(second.words)) or len(second.rest(()).split()) <= _BARE


_SAME_THINGS = re.compile(
    r"\b(?:its?|them|they|theirs?|those|these|this|that)\b|它|其", re.IGNORECASE
)
_IN_TURN = (
    "then", "after", "next", "final", "last", "second", "third", ".", ";",
    "然后", "接着", "之后", "最后", "再", "随后", "其次", "第", "。", "；",
)  # fmt: skip
"""What says that one thing is to be done after another."""


# --- turns before --------------------------------------------------------------------------


def _going_on(step: Step, earlier: Sequence[Step], *, answers: bool) -> Step:
    """A first step with the step of an earlier turn that it goes on with or may point to."""
    end = ellipsis(step.words, step.head, answers=answers)
    if end is None:
        return replace(step, earlier=_named(earlier))
    asked = [one for one in earlier if one.head.ops]
    if not asked:
        return replace(step, earlier=_named(earlier))
    return replace(step, head=Head((), 0, end), earlier=asked[-1], answers=answers)


def _named(earlier: Sequence[Step]) -> Step:
    """The step of a turn that names what it means; others of it only point to that."""
    naming = [one for one in earlier if not one.own("pronoun")]
    return (naming or list(earlier))[-1]


def _earlier(context: Sequence[Turn], now: datetime, tz: tzinfo) -> tuple[Step, ...]:
    """The steps of the last turn in which the person said something."""
    for place in requests(context):
        steps = _steps(context[place].text, context[:place], now, tz)
        return tuple(
            replace(step, head=replace(step.head, ops=step.earlier.head.ops))
            if step.earlier is not None and not step.head.ops
            else step
            for step in steps
        )
    return ()
