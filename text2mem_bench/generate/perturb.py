"""From a seed program to a step of a case: another target, other values, other arguments."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from text2mem.ir.surface import STAGES
from text2mem_bench.generate import periods
from text2mem_bench.generate.holes import HOLES, slots_of
from text2mem_bench.generate.model import Extra, Refers, Slot, Step, Target
from text2mem_bench.generate.seeds import SEEDS, Seed
from text2mem_bench.generate.targets import (
    Draw,
    draw_all,
    draw_latest,
    draw_many,
    draw_one,
    draw_report,
    draw_search,
    draw_topic,
)

_OPTIONAL = 0.4
"""How often an optional argument is asked for."""
_EVERYTHING = 0.03
"""How often a read, or a change of importance, is about all of the store."""
_FOR_ALL = ("promote.delta", "demote.delta", "retrieve.filter", "summarize", "label.add")


def perturbed(
    name: str,
    draw: Draw,
    index: int = 0,
    *,
    conditional: bool = False,
    plain: bool = False,
    target: Target | None = None,
) -> Step | None:
    """A step from a seed; None where the draw came to naught.

    ``conditional`` asks for a target with a condition, ``plain`` for no optional argument,
    ``target`` is one to keep.
    """
    seed = SEEDS[name]
    instance: dict[str, Any] = {"stage": STAGES[seed.op], "op": seed.op}
    named: dict[str, Target] = {}
    slots: dict[str, Slot] = {}
    args = copy.deepcopy(dict(seed.args))
    if seed.target != "nothing":
        if seed.target in ("pair", "group"):
            found = _merging(seed, draw, index, args)
            if found is None:
                return None
            target, named, slots = found
        elif target is None:
            target = _aim(name, seed, draw, index, conditional=conditional)
        if target is None:
            return None
        instance["target"] = _seeing(target.selector, seed.include)
    if args or seed.op not in ("Retrieve", "Summarize"):
        instance["args"] = args
    needed = set()
    must: tuple[str, ...] = ()
    for pointer, kind in seed.holes.items():
        drawn = HOLES[kind](draw, target)
        if drawn is None:
            return None
        put(instance, pointer, drawn.value)
        slots |= slots_of(draw, drawn, f"/{index}{pointer}")
        needed.add(f"/{index}{pointer}")
        must += drawn.must
    extra = None
    if seed.optional and not plain and draw.rng.random() < _OPTIONAL:
        hole = draw.rng.choice(list(seed.optional))
        pointer, kind = seed.optional[hole]
        drawn = HOLES[kind](draw, target)
        if drawn is not None:
            put(instance, pointer, drawn.value)
            slots |= slots_of(draw, drawn, f"/{index}{pointer}")
            extra = Extra(hole, drawn.key, f"/{index}{pointer}")
            needed.add(extra.pointer)
    if target is not None:
        needed |= {slot.pointer for slot in target.parts.values()}
    if any(not slot.said for slot in (*slots.values(), *(target.parts.values() if target else ()))):
        return None
    return Step(
        seed=name, wording=seed.wording or name, instance=instance, slots=slots,
        needed=frozenset(needed), target=target, ids=_meant(instance, target, draw), extra=extra,
        setup=_setup(seed, target), must=must, named=named,
    )  # fmt: skip


def following(name: str, draw: Draw, index: int, first: Step) -> Step | None:
    """A step about what the first one ended with, said with a pronoun."""
    single = first.instance["op"] == "Encode" or (first.target is not None and first.target.single)
    ids = ("1",) if first.ids is None else first.ids
    reference = Target({"ids": ["$1"]}, ids, {}, "", single=single)
    step = perturbed(name, draw, index, target=reference)
    if step is None or step.setup:
        return None
    refers: Refers = (
        "parts" if first.instance["op"] == "Split" else "memory" if single else "memories"
    )
    known = None if first.instance["op"] in ("Encode", "Split") else ids
    if name == "merge.found":
        step.instance["args"]["primary_id"] = "$1"
    return Step(
        seed=step.seed, wording=step.wording, instance=step.instance, slots=step.slots,
        needed=step.needed, target=reference, ids=known, refers=refers, extra=step.extra,
        must=step.must,
    )  # fmt: skip


def put(instance: dict[str, Any], pointer: str, value: Any) -> None:
    """Set the value at a JSON Pointer, making the objects on its way."""
    *path, last = pointer.removeprefix("/").split("/")
    place = instance
    for key in path:
        place = place.setdefault(key, {})
    place[last] = value


def _aim(name: str, seed: Seed, draw: Draw, index: int, *, conditional: bool) -> Target | None:
    if seed.target == "one":
        return draw_one(draw, index)[0]
    if seed.target == "report":
        return draw_report(draw, index)
    if seed.target == "latest":
        return draw_latest(draw, index)
    if seed.target == "search":
        return draw_search(draw, index)
    if seed.target in ("topic", "archived"):
        return draw_topic(draw, index)
    if not conditional and name in _FOR_ALL and draw.rng.random() < _EVERYTHING:
        return draw_all(draw, index)
    return draw_many(draw, index, conditional=conditional)


def _merging(
    seed: Seed, draw: Draw, index: int, args: dict[str, Any]
) -> tuple[Target, dict[str, Target], dict[str, Slot]] | None:
    """The target of a Merge, with the memory that stays as its primary."""
    if seed.target == "group":
        group = draw_topic(draw, index)
        if group is None or len(group.ids) < 2:
            return None
        short = [m for m in map(draw.world.memory, group.ids) if m.about != m.topic.name]
        if not short:
            return None
        main, memory = draw_one(draw, index, among=short)
        args["primary_id"] = memory.id
        slot = Slot("main", f"/{index}/args/primary_id", main.parts["about"].said)
        return group, {"main": main}, {"main": slot}
    pair = [draw_one(draw, index), draw_one(draw, index)]
    ids = tuple(memory.id for _, memory in pair)
    if len(set(ids)) < 2 or pair[0][1].topic is not pair[1][1].topic:
        return None
    args["primary_id"] = ids[1]
    named = {"first": pair[0][0], "second": pair[1][0]}
    slots = {
        name: Slot(name, f"/{index}/{where}", target.parts["about"].said)
        for (name, target), where in zip(
            named.items(), ("target/ids/0", "args/primary_id"), strict=True
        )
    }
    return Target({"ids": list(ids)}, ids, {}, ""), named, slots


def _meant(
    instance: Mapping[str, Any], target: Target | None, draw: Draw
) -> tuple[str, ...] | None:
    """The ids that a step is about: the target's, less those that its arguments leave out."""
    if target is None:
        return None
    age = instance.get("args", {}).get("older_than")
    if age is None:
        return target.ids
    before = periods.back(draw.now, age)
    return tuple(id_ for id_ in target.ids if draw.world.memory(id_).time < before)


def _seeing(selector: Mapping[str, Any], include: str) -> dict[str, Any]:
    """The selector, which also sees deleted or archived memories."""
    seen = copy.deepcopy(dict(selector))
    if include:
        seen["filter"]["include"] = [include]
    return seen


def _setup(seed: Seed, target: Target | None) -> tuple[Mapping[str, Any], ...]:
    before: dict[str, Any] | None = dict(seed.setup) if seed.setup else None
    if seed.target == "archived" and target is not None:
        before = {"op": "Demote", "args": {"archive": True}}
    if before is None or target is None:
        return ()
    ids = list(target.ids[:1] if seed.target == "archived" else target.ids)
    return ({"stage": STAGES[before["op"]], "op": before["op"], "target": {"ids": ids},
             "args": before["args"]},)  # fmt: skip
