"""Who sees what: every path that reads, by actor and by memory.

Each memory holds a word of its own in its text, tags, facets and names. A word that an actor may
not read must not occur in anything that a path gives back to that actor, errors and warnings
included; and what the actor may read is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.planning import ABLE, SMALL, draft
from tests.safety.secret_store import ACTORS, ALL, COMMON, FIELDS, LATER, PROBED, Secret
from tests.safety.shelves import (
    RENAME,
    Seen,
    Store,
    attempted,
    cells,
    of_others,
    past_words,
    words_in,
)
from tests.store.programs import NOW, encode, find, read
from text2mem import Memory
from text2mem.ir.ops import ByFilter
from text2mem.ir.times.temporal import format_instant
from text2mem.ledger.working import standing
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider

Path_ = Callable[[Memory, Store, str], Iterator[Seen]]
READS: dict[str, Path_] = {}


def reading(path: Path_) -> Path_:
    READS[path.__name__.lstrip("_").replace("_", " ")] = path
    return path


@reading
def _show(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    for secret in store.built.secrets.values():
        yield Seen(memory.show(secret.id), [secret])


@reading
def _history(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    for secret in store.built.secrets.values():
        yield Seen(memory.history(secret.id), [secret])


@reading
def _lineage(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    for secret in store.built.secrets.values():
        yield Seen(memory.lineage(secret.id), [secret])


@reading
def _log(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    logged = memory.log(limit=1000)
    traces = {each.trace_id for each in logged}
    for secret in store.built.secrets.values():
        if actor not in secret.readers:
            assert traces.isdisjoint(secret.traces), f"{secret.key} is in the log"
        else:
            assert not secret.traces or secret.traces[-1] in traces
    yield Seen([(each, each.as_dict()) for each in logged])


@reading
def _undo_dry(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    for secret in store.built.secrets.values():
        for trace in secret.traces:
            for force in (False, True):
                yield Seen(memory.undo(trace, force=force))
    yield Seen(attempted(memory.undo_last))


@reading
def _retrieve_by_ids(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    for secret in store.built.secrets.values():
        result = memory.execute([read([secret.id], include=FIELDS)])
        gone = store.built.state[secret.key] == "deleted"
        yield Seen(result, () if gone else [secret])
        if actor not in secret.readers and actor in ALL and secret.key != "elsewhere":
            assert result.error is not None and result.error.code == "not-found"
            absent = memory.execute([read(["4711"])]).error
            assert absent is not None
            assert result.error.message.replace(secret.id, "4711") == absent.message
        yield Seen(memory.execute([read([secret.id], include_deleted=True)]), [secret])


@reading
def _retrieve_by_filter(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    common = {"filter": {"has_tags": [COMMON], "include": ["archived", "deleted"], "limit": 500}}
    some: dict[str, Any] = {"include": FIELDS}
    options: dict[str, Any]
    for options in ({}, some):
        yield Seen(
            memory.execute([read(common, **options)]),
            [s for s in _tagged(store, actor) if "include" in options],
        )
    for number, secret in enumerate(store.built.secrets.values()):
        selectors = list(_selectors(secret.word))
        wanted_of = selectors if secret.key in PROBED else [selectors[number % len(selectors)]]
        for wanted in wanted_of:
            target = {"filter": {**wanted, "include": ["archived", "deleted"]}}
            result = memory.execute([read(target)])
            asked = " ".join(_words_of(wanted))
            yield Seen(result, asked=asked)
            if actor not in secret.readers:
                assert result.results[0].matched == 0


@reading
def _retrieve_by_search(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    wide: dict[str, Any] = {"include_archived": True, "include_deleted": True}
    result = memory.execute([read(find(COMMON, limit=500), **wide)])
    yield Seen(result, [s for s in _tagged(store, actor) if "episode" not in s.key])
    for secret in store.built.secrets.values():
        for word in (f"{secret.word}text", *past_words(store, secret, "text")):
            result = memory.execute([read(find(word), include=FIELDS, **wide)])
            yield Seen(result, asked=word)
            if actor not in secret.readers or word.startswith(secret.past):
                assert result.results[0].matched == 0


@reading
def _retrieve_all(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    result = memory.execute([read({"all": True}, include=FIELDS)])
    active = store.built.readable(actor, "active")
    assert result.results[0].matched >= len(active)
    yield Seen(result, active if result.results[0].matched <= 20 else ())
    yield Seen(memory.execute([read({"all": True}, include_archived=True, include_deleted=True)]))


@reading
def _retrieve_as_of_the_past(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    target: dict[str, Any] = {
        "filter": {"has_tags": [COMMON], "limit": 500, "include": ["archived", "deleted"]}
    }
    for instant in store.built.instants[::7]:
        for name in ("known_at", "as_of"):
            at = {name: format_instant(instant)}
            yield Seen(memory.execute([read(target, include=FIELDS, **at)]))
    published = store.built.secrets["published fact"]
    city: dict[str, Any] = {"filter": {"attribute": "city", "limit": 50}}
    for instant in store.built.instants[-9:]:
        at = {"known_at": format_instant(instant)}
        for asked_for in ({"ids": [published.id]}, city):
            yield Seen(memory.execute([read(asked_for, include=FIELDS, **at)]))


@reading
def _summarize(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    tagged = {"filter": {"has_tags": [COMMON], "limit": 500}}
    targets: list[Any] = [{"all": True}, tagged, find(COMMON, limit=500)]
    for target in targets:
        for options in ({}, {"focus": COMMON, "max_tokens": 5000}):
            summed = memory.execute([read(target, op="Summarize", **options)])
            yield Seen(summed)
    for secret in store.built.secrets.values():
        shows = store.built.state[secret.key] != "deleted"
        summed = memory.execute([read([secret.id], op="Summarize")])
        yield Seen(summed, [secret] if shows else ())


@reading
def _stats_and_queue(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    yield Seen(memory.stats())
    yield Seen(standing(memory.ledger))
    for dead in (False, True):
        yield Seen(memory.adapter.queue.tasks(dead=dead))


@reading
def _work_dry(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    yield Seen(memory.work())


@reading
def _export(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    for secret in store.built.secrets.values():
        subject = f"{secret.word}subject"
        told_of = memory.show(secret.id) if actor in secret.readers else None
        named = told_of is not None and told_of.subject == subject
        yield Seen(memory.export(subject), [secret] if named else (), asked=subject)
        for past in past_words(store, secret, "subject"):
            yield Seen(memory.export(past), asked=past)
    yield Seen(memory.export("olga"))


@reading
def _pending(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    yield Seen(memory.pending(), store.built.readable(actor, "waiting"))


@reading
def _recall(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    yield Seen(memory.recall(f"What is the {COMMON} code?", budget=6000))
    yield Seen(memory.recall("Who lives in which city?", answer=True))
    for secret in store.built.secrets.values():
        subject = f"{secret.word}subject"
        shows = [secret] if secret.key in ("fact", "fact public", "published fact") else ()
        yield Seen(memory.recall(subject=subject, attribute="city"), shows, asked=subject)
        if secret.key in ("private", "public", "published", "fact", "waiting", "episode"):
            asked = f"What city does {subject} live in?"
            yield Seen(memory.recall(asked, answer=True), asked=subject)
    fact_ = store.built.secrets["published fact"]
    for instant in store.built.instants[-8:]:
        for word in (fact_.past, fact_.word):
            subject = f"{word}subject"
            held = memory.recall(subject=subject, attribute="city", known_at=instant)
            yield Seen(held, asked=subject)


@reading
def _view(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    view = memory.view()
    active = [s for s in store.built.readable(actor, "active") if not s.key.startswith("fact")]
    yield Seen(view.recent(limit=500), active)
    tagged = [s for s in active if s.key not in ("withdrawn",)]
    yield Seen(view.tags(limit=500), tagged)
    for include in ((), ("archived", "deleted")):
        yield Seen(view.vocabulary(500, include=include), tagged)
    ids = [secret.id for secret in store.built.secrets.values()]
    yield Seen(view.find(ids), store.built.readable(actor))
    yield Seen(view.vectors(ids))
    hidden: Any = ("archived", "deleted")
    yield Seen(view.search(COMMON, limit=500, include=hidden))
    yield Seen(view.select(ByFilter(has_tags=(COMMON,), include=hidden)).rows)
    for secret in store.built.secrets.values():
        word = f"{secret.word}text"
        hits = view.search(word, include=hidden)
        assert hits == [] or actor in secret.readers
        yield Seen(hits, asked=word)
        for past in past_words(store, secret, "text"):
            assert view.search(past, include=hidden) == []


@reading
def _compile(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    delete: Any = ("Delete", {"about": f"{COMMON} code"})
    update: Any = ("Update", {"about": COMMON, "content": "the new code"})
    for profile, asks in ((ABLE, (delete, update)), (SMALL, (delete,))):
        for op, slots in asks:
            shown: list[Request] = []

            def answer(
                request: Request, op: str = op, slots: Any = slots, shown: Any = shown
            ) -> Any:
                shown.append(request)
                return draft(op, **slots)

            model = FunctionProvider(answer, profile=profile)
            planner = Memory(memory.adapter, context=memory.context, model=model, embedder="none")
            said = f"{op.lower()} the {COMMON} code"
            compiled = attempted(lambda p=planner, s=said: p.compile(s))  # type: ignore[misc]
            yield Seen((compiled, shown))


@reading
def _tick_dry(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    for at in (NOW, LATER):
        ticked = store.memory(actor, at, dry=True).tick()
        yield Seen(ticked)
        of_others(ticked, store, actor)


@reading
def _reads_when_much_is_due(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    late = store.memory(actor, LATER)
    yield Seen(late.execute([read({"all": True}, include=FIELDS)]))
    yield Seen(store.memory(actor, LATER, dry=True).execute([encode("mine")]))
    yield Seen((late.stats(), late.log(limit=500), late.pending()))
    for key in ("ending", "fading", "demoted", "reminded"):
        for name in (key, f"{key} public"):
            id_ = store.built.secrets[name].id
            yield Seen((late.show(id_), late.history(id_), late.lineage(id_)))
    yield Seen((late.view().recent(limit=500), late.view().tags(500), late.view().vocabulary()))


@reading
def _forget_and_evolve_dry(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    for secret in store.built.secrets.values():
        subject = f"{secret.word}subject"
        thorough = secret.key in PROBED
        yield Seen(memory.forget(subject=subject, thorough=thorough), asked=subject)
        if thorough:
            yield Seen(memory.forget(episode=secret.id))
    yield Seen(attempted(lambda: memory.evolve(RENAME, dry_run=True)))


@reading
def _observe_dry(memory: Memory, store: Store, actor: str) -> Iterator[Seen]:
    for name in ("fact", "fact public", "waiting"):
        subject = f"{store.built.secrets[name].word}subject"
        said = {"role": "event", "structured": {"subject": subject, "attribute": "city",
                                                "value": "Bergen"}}  # fmt: skip
        yield Seen(memory.observe(said, extract=True), asked=subject)
        yield Seen(memory.observe(f"{subject} lives in Bergen now.", extract=True), asked=subject)


def _tagged(store: Store, actor: str) -> list[Secret]:
    """What an actor may read, but for what waits and what holds no tag."""
    return store.built.readable(actor, "active", "archived", "deleted")


def _selectors(word: str) -> Iterator[dict[str, Any]]:
    yield {"has_tags": [f"{word}tag"]}
    yield {"facets": {"secret": f"{word}facet"}}
    for name in ("subject", "location", "topic", "type"):
        yield {name: f"{word}{name}"}


def _words_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _words_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from _words_of(part)


@cells(*ACTORS)
@pytest.mark.parametrize("path", READS)
def test_a_read_tells_of_what_may_be_read_and_of_nothing_else(
    path: str, actor: str, kept: Store
) -> None:
    dry = path.endswith("dry")
    hidden = kept.built.hidden(actor)
    leaked, missing = set(), set()
    for seen in READS[path](kept.memory(actor, dry=dry), kept, actor):
        said = words_in(seen)
        leaked |= said & hidden
        missing |= {s.key for s in seen.shows if actor in s.readers and s.word not in said}
    told_of = {
        f"{s.key}{'’s past' if s.past in leaked else ''}"
        for s in kept.built.secrets.values()
        if leaked & {s.word, s.past}
    }
    assert (sorted(told_of), sorted(missing)) == ([], [])
    assert kept.snapshot() == kept.before
