"""What the model learns: prompts and answers, with the requests over one view of a store together.

A view begins every prompt over it. So its requests are trained as a *tree*: the prefix is read
once, and each branch sees the prefix and itself. Each pass over the data has its own views: of a
whole store or of a part, in another order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from text2mem.editing.edit import exchange, removed
from text2mem.ir.turn import Turn
from text2mem.ir.words.segment import HAN
from text2mem.planner.draft import NAMED, Draft, Step
from text2mem.planner.picture import View, listed
from text2mem.planner.reader import tuned_prompt
from training.rows import Row, Store, record

_MAY_HIDE = ("Delete", "Expire", "Demote", "Merge")
_MISLEADING = ("hard", "hardneg", "negated", "changed", "chat", "indirect")
_LOOKS_LIKE, _ASKED, _ELSE = 0.6, 0.5, 0.1
"""How often the second reading asks about an op that is not asked for: where the request sounds
like one, where another op hides something, and elsewhere."""
_WHICH = frozenset({"about", "many", "tags", "from", "except", "which", "count"})
_BESIDE_IDS = ("about", "except")
"""The keys of these that stay beside ids."""
_MOST_IDS = 12
_PARTLY, _ORDERED, _SMALLER = 0.2, 0.4, 0.3
"""How often a view is a part of its store, is in the order of the data, is of a smaller store."""
_WITHOUT, _MISSED = 0.35, 2
"""How often a whole view lacks memories that requests mean, and how many, so that something similar
is not taken for what is not stored."""
_ANSWERED = 0.5
"""How often an earlier turn is shown with its memories."""
_LOOSE, _ABSENT = 0.5, 0.15
"""How often a request without a store of its own is read over a store about other things: if it
means no memory, and if it means one, which is then not stored."""
_ALL = 0.5
"""The share of such requests in a pass."""
_AFTER = 0.25
"""How often an unrelated request precedes a request. When only requests that lean on the last turn
had one, readers took "what do I have?" for what that turn meant."""
_STRANGE, _OTHER = 0.3, 100_000
"""How often texts that give orders stand in a store, since stored texts are no requests; and their
first id."""
_FRAMES = (
    "{}", "{}", "“{}”", "Request: {}", "System: {}", "IMPORTANT: {}", "Note to the assistant: {}",
    "From: helpdesk. {}", "Request: {} Draft: {{\"steps\":[", "系统：{}", "给助手：{}", "重要：{}",
)  # fmt: skip
_FEW, _TOGETHER = 30, 20
"""Over how many stores of a language such requests are read, and how many at once."""
_LOWER, _BARE = 0.06, 0.14


@dataclass(frozen=True, slots=True)
class Branch:
    """One prompt, without the prefix of its tree, and the answer that the model is to write."""

    prompt: str
    answer: str


@dataclass(frozen=True, slots=True)
class Tree:
    """The prefix of several prompts, and the rest of each."""

    prefix: str
    branches: tuple[Branch, ...]
    author: str


def over(
    store: Store, rng: random.Random, orders: Sequence[str] = (), *, plain: bool = False
) -> Iterator[Tree]:
    """The requests over a store, on a view of it in which some of ``orders`` may stand as texts.
    ``plain``: the store as it is, and every request once."""
    view = View(store.memories, len(store.memories)) if plain else _view(store, rng, orders)
    moved = [r.id for r in view.records] != sorted((r.id for r in view.records), key=int)
    branches: list[Branch] = []
    for row in store.rows:
        if moved and any(s.values.get("which") in ("latest", "oldest") for s in row.draft.steps):
            continue
        found = _seen(row if plain else typed(row, rng), view, store)
        if found is None:
            continue
        came = () if plain else _came_of(row, store, view, rng)
        if not plain and _independent(found) and rng.random() < _AFTER:
            found, came = _after(found, store, view, rng)
        branches += asked(found, view, rng, came)
    yield Tree(listed(view), tuple(branches), store.author)


def _seen(row: Row, view: View, store: Store) -> Row | None:
    """The request with ids of the view for what it means; None if it means something that is not
    shown, without words for it."""
    shown = {record.id for record in view.records}
    texts = {record.id: record.text for record in store.memories}
    steps = []
    for number, (step, ids) in enumerate(zip(row.draft.steps, row.hits, strict=True)):
        step = _spelt(step, [texts[id_] for id_ in ids], row.utterance)
        of_earlier = number > 0 and step.values.get("which") == "step"
        made = of_earlier and row.draft.steps[number - 1].traits.makes
        missed = set(ids) - shown if view.whole else set()
        if missed and (step.op == "Update" or missed != set(ids)):
            return None
        if made or not ids or len(ids) > _MOST_IDS:
            steps.append(step)
        elif set(ids) <= shown and (view.whole or not _sweeping(step)):
            steps.append(pointed(step, sorted(ids, key=int)))
        elif "about" in step.values or _sweeping(step):
            steps.append(_blind(step, row))
        else:
            return None
    return replace(row, draft=replace(row.draft, steps=tuple(steps)))


def pointed(step: Step, ids: Sequence[str]) -> Step:
    """The step with ids in place of its other keys that say which memories; words for these, and
    for what is left out, stay before them."""
    kept = {key: value for key, value in step.values.items() if key not in _WHICH}
    words = {key: step.words(key) for key in _BESIDE_IDS if step.words(key)}
    return Step(step.op, {**words, "ids": list(ids), **kept})


def _sweeping(step: Step) -> bool:
    """Whether a step may mean memories beyond those that are shown."""
    broad = {"many", "tags", "from", "except"} & set(step.values)
    return bool(broad) or step.values.get("which") in ("all", "latest", "oldest")


def _spelt(step: Step, texts: Sequence[str], said: str) -> Step:
    """An Update with its old words as the memory writes them, where its author left them to
    code."""
    old, new = step.words("old"), step.words("new")
    if step.op != "Update" or len(texts) != 1 or (not new and not old):
        return step
    if {"plus", "minus"} & set(step.values):
        return step
    item, put = removed(texts[0], old, new)
    if old and not put:
        # Only the item that is taken off a list; code handles the commas.
        return Step(
            step.op, {k: item if k == "old" else v for k, v in step.values.items() if k != "new"}
        )
    found = exchange(texts[0], old, new, said)
    if found is None or texts[0].count(found.old) != 1:
        return step
    words = {"old": found.old, **({"new": found.new} if found.new else {})}
    others = {key: value for key, value in step.values.items() if key not in ("old", "new")}
    return Step(step.op, {**others, **words})


def _blind(step: Step, row: Row) -> Step:
    """The step if what it means is not shown: without old words that only the memory says."""
    old = step.words("old")
    said = " ".join((row.utterance, *row.before)).casefold()
    unknown = {"old"} if old and old.casefold() not in said else set()
    return Step(step.op, {k: v for k, v in step.values.items() if k not in unknown})


def _came_of(row: Row, store: Store, view: View, rng: random.Random) -> tuple[str, ...]:
    """The memories of the last turn: those that the request refers to, or those that this turn
    means as a request over the store."""
    if not row.before or rng.random() >= _ANSWERED:
        return ()
    leans = [
        ids
        for step, ids in zip(row.draft.steps, row.hits, strict=True)
        if step.values.get("which") == "earlier"
    ]
    told = [other.hits for other in store.rows if other.utterance == row.before[-1]]
    return leans[0] if leans else _shown(told[0] if told else (), view)


def _after(row: Row, store: Store, view: View, rng: random.Random) -> tuple[Row, tuple[str, ...]]:
    """The request after an unrelated one over the store, and the memories of that one."""
    other = rng.choice(store.rows)
    came = _shown(other.hits, view) if rng.random() < _ANSWERED else ()
    return replace(row, before=(other.utterance,)), came


def _shown(hits: Sequence[Sequence[str]], view: View) -> tuple[str, ...]:
    """The ids of these steps that are shown."""
    shown = {record.id for record in view.records}
    return tuple(id_ for ids in hits for id_ in ids if id_ in shown)


def _view(store: Store, rng: random.Random, orders: Sequence[str]) -> View:
    """A random view of a store."""
    records = list(store.memories)
    if orders and rng.random() < _STRANGE:
        said = rng.sample(orders, min(len(orders), rng.randint(1, 3)))
        records += [
            record({"id": str(_OTHER + n), "text": rng.choice(_FRAMES).format(text)})
            for n, text in enumerate(said)
        ]
    if rng.random() > _ORDERED:
        rng.shuffle(records)
    if rng.random() < _PARTLY:
        total = rng.choice((rng.randint(len(records) + 10, 90), rng.randint(90, 2_000)))
        return View(tuple(records[: rng.randint(6, 12)]), total)
    if rng.random() < _SMALLER:
        meant = {id_ for row in store.rows for ids in row.hits for id_ in ids}
        unmeant = [each for each in records if each.id not in meant]
        left = {each.id for each in rng.sample(unmeant, rng.randint(0, len(unmeant)))}
        records = [each for each in records if each.id not in left]
    if rng.random() < _WITHOUT:
        missed = set(rng.sample([each.id for each in records], min(_MISSED, len(records) - 1)))
        records = [each for each in records if each.id not in missed]
    return View(tuple(records), len(records))


def asked(
    row: Row, view: View | None, rng: random.Random, ids: tuple[str, ...] = ()
) -> Iterator[Branch]:
    """The prompts of a request: its draft, and second readings of ops that hide memories. ``ids``
    are the memories of the last turn."""
    turns = [Turn(text) for text in row.before]
    if turns and ids:
        turns[-1] = Turn(turns[-1].text, ids)
    prompt = tuned_prompt(view, row.utterance, turns, row.once)
    yield _branch(prompt, view, tuned_answer(row.draft, view))
    wanted = [op for op in _MAY_HIDE if op in row.ops]
    others = [op for op in _MAY_HIDE if op not in row.ops]
    likely = _LOOKS_LIKE if row.register in _MISLEADING else _ASKED if wanted else _ELSE
    if others and rng.random() < likely:
        wanted.append("Delete" if "Delete" in others else rng.choice(others))
    for op in wanted:
        prompt = tuned_prompt(view, row.utterance, turns, row.once, asks_for=op)
        yield _branch(prompt, view, "true" if op in row.ops else "false")


def tuned_answer(draft: Draft, view: View | None) -> str:
    """A draft as the compact JSON that the tuned model writes, with names for the memories that it
    sees."""
    names = view.names if view is not None else {}
    held = draft.as_dict()
    for step in held.get("steps", ()):
        if set(step.get("ids", ())) & set(names):
            named = {NAMED if k == "ids" else k: v for k, v in step.items()}
            named[NAMED] = [names[id_] for id_ in step["ids"] if id_ in names]
            step.clear()
            step.update(named)
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))


def _branch(prompt: str, view: View | None, answer: str) -> Branch:
    return Branch(prompt.removeprefix(listed(view)) if view is not None else prompt, answer)


def loose(
    rows: Sequence[Row], over: Sequence[Store], rng: random.Random, orders: Sequence[str] = ()
) -> Iterator[Tree]:
    """A random part of the requests without a store: over none, or over one about other things.
    Those over one store are in one tree."""
    by_language: dict[bool, list[Store]] = {True: [], False: []}
    for store in over:
        by_language[bool(HAN.search(store.memories[0].text))].append(store)
    told = {
        chinese: rng.sample(held, min(_FEW, len(held))) for chinese, held in by_language.items()
    }
    grouped: dict[str, list[Row]] = {}
    before: Row | None = None
    for row in rng.sample(rows, round(_ALL * len(rows))):
        row = _unseen(typed(row, rng))
        if before is not None and _independent(row) and rng.random() < _AFTER:
            row = replace(row, before=(before.utterance,))
        before = row if row.draft.steps else None
        means = any(step.op != "Encode" for step in row.draft.steps)
        if rng.random() > (_ABSENT if means else _LOOSE):
            yield Tree("", tuple(asked(row, None, rng)), row.author)
            continue
        store = rng.choice(told[bool(HAN.search(row.utterance))])
        grouped.setdefault(store.name, []).append(row)
    for store in (*told[True], *told[False]):
        group = grouped.get(store.name, ())
        view = _view(store, rng, orders)
        for begin in range(0, len(group), _TOGETHER):
            part = group[begin : begin + _TOGETHER]
            branches = [branch for row in part for branch in asked(row, view, rng)]
            yield Tree(listed(view), tuple(branches), store.author)


def _independent(row: Row) -> bool:
    """Whether an unrelated request may precede this one."""
    leans = any(step.values.get("which") == "earlier" for step in row.draft.steps)
    return not (row.before or row.draft.undo or row.draft.ask or leans or row.once)


def _unseen(row: Row) -> Row:
    """The request without old words that only a memory says."""
    return replace(
        row, draft=replace(row.draft, steps=tuple(_blind(step, row) for step in row.draft.steps))
    )


def typed(row: Row, rng: random.Random) -> Row:
    """The row as someone else might have typed it: now and then in lower case, or without its final
    mark.

    Copied words change with the request, so they still are copies.
    """
    draw = rng.random()
    if draw < _LOWER:
        return _lowered(row)
    if draw < _BARE:
        return replace(row, utterance=row.utterance.rstrip(".!?。！？"))
    return row


def _lowered(row: Row) -> Row:
    copied = {"about", "from", "except", "date", "until", "remind", "when", "new", "as_of", "text"}

    def lower(key: str, value: Any) -> Any:
        return value.lower() if key in copied and isinstance(value, str) else value

    steps = tuple(
        replace(step, values={k: lower(k, v) for k, v in step.values.items()})
        for step in row.draft.steps
    )
    return replace(row, utterance=row.utterance.lower(), draft=replace(row.draft, steps=steps))
