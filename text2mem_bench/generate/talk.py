"""Conversations whose request leaves out what was said: sameness, correction, answers.

In the first two the turn before has been carried out, so its program is part of what fills the
store. In the third nothing has: the assistant has asked back.
"""

from __future__ import annotations

from dataclasses import replace

from text2mem_bench.generate.marks import Marker
from text2mem_bench.generate.model import Slot, Step
from text2mem_bench.generate.perturb import perturbed
from text2mem_bench.generate.targets import Draw, draw_topic
from text2mem_bench.generate.telling import Teller, Telling

_ALIKE = frozenset({
    "label.add", "label.status", "promote.priority", "promote.delta", "promote.remind",
    "demote.archive", "demote.priority", "demote.delta", "delete.soft", "delete.hard",
    "lock.closed", "lock.append", "expire.ttl", "expire.until", "summarize",
})  # fmt: skip
"""Seeds of which one can say "the same for …"."""
CORRECTED = {
    "expire.ttl": "span", "expire.until": "lasting", "promote.remind": "often",
    "promote.priority": "level", "label.status": "status", "update.place": "place",
    "update.time": "when",
}  # fmt: skip
"""The slot of a seed that a next turn can put right."""


def same(teller: Teller, step: Step, draw: Draw) -> Telling | None:
    """The step's program has just been carried out for other memories; the request names these."""
    if step.seed not in _ALIKE or step.target is None or step.target.condition:
        return None
    other = draw_topic(draw, 0, apart_from=step.target.ids)
    frame, done, direct = teller.frame("same"), teller.frame("done"), teller.frame("direct")
    if other is None or frame is None or done is None or direct is None:
        return None
    before = {**step.instance, "target": other.selector}
    clause = teller.clause(replace(step, target=other))
    if clause is None:
        return None
    now = replace(clause, step=step, template=frame, same=True)

    def write(marker: Marker) -> list[str]:
        first = direct.filled({"clause": clause.told(teller.words, marker)[0]})[0]
        return [first, done.turns[0], now.told(teller.words, marker)[0]]

    reads = step.instance["op"] in ("Retrieve", "Summarize")
    return Telling((frame, direct, clause.template), False, write, setup=() if reads else (before,))


def correction(teller: Teller, step: Step, draw: Draw) -> Telling | None:
    """The step has just been carried out with another value; the request gives the right one."""
    name = CORRECTED.get(step.seed)
    if name is None or step.extra is not None or step.target is None:
        return None
    wrong = perturbed(step.seed, draw, plain=True, target=step.target)
    if wrong is None or wrong.instance == step.instance:
        return None
    frame, done, direct = teller.frame("correction"), teller.frame("done"), teller.frame("direct")
    clause = teller.clause(wrong)
    if frame is None or done is None or direct is None or clause is None:
        return None
    if f"{{{name}}}" not in clause.template.turns[0]:
        return None

    def write(marker: Marker) -> list[str]:
        first = direct.filled({"clause": clause.told(teller.words, marker)[0]})[0]
        return [first, done.turns[0], frame.filled({"value": marker(step.slots[name])})[0]]

    return Telling((frame, direct, clause.template), False, write, setup=(wrong.instance,))


def answer(teller: Teller, telling: Telling, hidden: Slot) -> Telling | None:
    """The request was told vaguely, the assistant asked back, and this is the answer."""
    question = teller.book.pick(f"questions/{hidden.kind}", teller.split, teller.rng)
    frame = teller.frame("clarified")
    if question is None or frame is None:
        return None

    def write(marker: Marker) -> list[str]:
        vaguely = Marker(frozenset({hidden.name}), marker.written)
        turns = telling.write(vaguely)
        return [*turns, question.turns[0], frame.filled({"value": marker(hidden)})[0]]

    return Telling((frame, question, *telling.templates), telling.indirect, write, telling.setup)
