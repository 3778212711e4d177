"""Programs of several steps: about the same memories, or only in the same request."""

from __future__ import annotations

from text2mem_bench.generate.model import Step
from text2mem_bench.generate.perturb import following, perturbed
from text2mem_bench.generate.targets import Draw

CHAINS: tuple[tuple[str, ...], ...] = (
    ("retrieve.filter", "label.add"),
    ("retrieve.filter", "demote.archive"),
    ("retrieve.filter", "lock.closed"),
    ("retrieve.filter", "promote.remind"),
    ("retrieve.filter", "merge.found"),
    ("retrieve.filter", "delete.soft"),
    ("retrieve.filter", "expire.ttl"),
    ("retrieve.latest", "promote.priority"),
    ("summarize", "demote.archive"),
    ("summarize", "delete.soft"),
    ("summarize", "label.add"),
    ("encode.note", "promote.remind"),
    ("encode.note", "promote.priority"),
    ("encode.note", "lock.closed"),
    ("encode.note", "expire.until"),
    ("encode.fact", "lock.closed"),
    ("encode.dated", "label.add"),
    ("split", "label.add"),
    ("split", "promote.delta"),
    ("update.text", "lock.closed"),
    ("update.text", "label.add"),
    ("update.text", "promote.remind"),
    ("update.restore", "label.add"),
    ("update.unarchive", "promote.priority"),
    ("merge.topic", "label.add"),
    ("merge.pair", "lock.closed"),
    ("label.add", "lock.closed"),
    ("label.add", "promote.priority"),
    ("label.add", "demote.archive"),
    ("label.status", "demote.archive"),
    ("label.remove", "demote.priority"),
    ("label.replace", "expire.until"),
    ("promote.delta", "promote.remind"),
    ("promote.priority", "lock.append"),
    ("lock.open", "label.add"),
    ("lock.open", "delete.soft"),
    ("expire.ttl", "demote.priority"),
    ("retrieve.filter", "label.add", "lock.closed"),
    ("retrieve.filter", "label.add", "promote.priority"),
    ("summarize", "label.add", "demote.archive"),
    ("label.add", "promote.delta", "lock.closed"),
    ("update.text", "label.add", "lock.closed"),
    ("update.restore", "label.add", "promote.remind"),
    ("encode.note", "promote.priority", "lock.closed"),
    ("split", "label.add", "lock.append"),
    ("lock.open", "label.replace", "lock.closed"),
    ("retrieve.filter", "merge.found", "label.add"),
    ("retrieve.filter", "label.add", "promote.priority", "lock.closed"),
    ("summarize", "label.add", "demote.priority", "expire.ttl"),
    ("lock.open", "label.add", "promote.remind", "lock.closed"),
)
"""Chains of seeds: every step after the first is about what that one ended with."""
_MIDDLE = frozenset({
    "label.add", "label.status", "promote.delta", "promote.priority", "promote.remind",
})  # fmt: skip
"""Steps that do not mind in which order they stand."""
_LOOSE = (
    "encode.note", "encode.fact", "label.add", "label.status", "promote.priority", "promote.remind",
    "demote.archive", "demote.delta", "delete.soft", "delete.old", "lock.closed", "lock.append",
    "expire.ttl", "expire.until", "update.text", "retrieve.filter", "retrieve.search", "summarize",
    "merge.pair", "split",
)  # fmt: skip


def chain(draw: Draw, seeds: tuple[str, ...], *, conditional: bool = False) -> list[Step] | None:
    """The steps of a chain, its middle in any order; None where the draw came to naught."""
    first = perturbed(seeds[0], draw, conditional=conditional, plain=True)
    if first is None or (first.target is not None and not first.target.ids):
        return None
    steps = [first]
    for index, name in enumerate(_shuffled(draw, seeds[1:]), 1):
        step = following(name, draw, index, first)
        if step is None:
            return None
        steps.append(step)
    return steps


def loose(draw: Draw) -> list[Step] | None:
    """Two or three steps about different memories; None where the draw came to naught."""
    names = draw.rng.sample(_LOOSE, draw.rng.choice((2, 2, 3)))
    steps: list[Step] = []
    taken: set[str] = set()
    for index, name in enumerate(names):
        step = perturbed(name, draw, index, plain=True)
        if step is None or step.setup or taken & set(step.ids or ()):
            return None
        taken |= set(step.ids or ())
        steps.append(step)
    return steps


def _shuffled(draw: Draw, seeds: tuple[str, ...]) -> list[str]:
    middle = [name for name in seeds if name in _MIDDLE]
    draw.rng.shuffle(middle)
    return [middle.pop() if name in _MIDDLE else name for name in seeds]
