"""Who changes what: every path that writes, by actor and by memory.

What an actor may not write stays as it was, and a refusal tells nothing of what he may not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.safety.secret_store import ACTORS, BEGUN, COMMON, LATER, OTHERS, PAST, PUBLIC, Secret
from tests.safety.shelves import RENAME, Store, attempted, cells, in_sight, leaks, of_others, probed
from tests.store.programs import Step, encode, fact, on, read
from text2mem import Memory
from text2mem.errors import ConfigurationError, Text2MemError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.times.temporal import format_instant
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import Message
from text2mem.ledger.writing import commit, store

Write = Callable[[str, str], list[Step]]
"""Steps that would change a memory (its id, its word); ``$1`` is a memory of the caller's own."""
WRITES: dict[str, Write] = {
    "update the text": lambda id_, word: [on("Update", [id_], set={"text": "taken over"})],
    "replace words": lambda id_, word: [on("Update", [id_], replace={"old": COMMON, "new": "x"})],
    "take the rights": lambda id_, word: [
        on("Update", [id_], set={**PUBLIC, "read_blacklist": ["olga"], "write_blacklist": ["olga"]})
    ],
    "set a value": lambda id_, word: [on("Update", [id_], set={"value": "another"})],
    "bring back": lambda id_, word: [on("Update", [id_], set={"deleted": False})],
    "remind": lambda id_, word: [on("Update", [id_], set={"remind": {"rrule": "FREQ=DAILY"}})],
    "add a label": lambda id_, word: [on("Label", [id_], tags=["x"], facets={"secret": "x"})],
    "replace labels": lambda id_, word: [on("Label", [id_], tags=["x"], mode="replace")],
    "promote": lambda id_, word: [on("Promote", [id_], weight=0.9)],
    "demote": lambda id_, word: [on("Demote", [id_], archive=True)],
    "merge into one's own": lambda id_, word: [
        encode("mine"),
        on("Merge", ["$1", id_], strategy="merge_into_primary", primary_id="$1"),
    ],
    "merge one's own into it": lambda id_, word: [
        encode("mine"),
        on("Merge", [id_, "$1"], strategy="merge_into_primary", primary_id=id_),
    ],
    "split": lambda id_, word: [on("Split", [id_], strategy="by_sentences")],
    "delete": lambda id_, word: [on("Delete", [id_])],
    "erase": lambda id_, word: [on("Delete", [id_], soft=False)],
    "erase with all": lambda id_, word: [on("Delete", [id_], soft=False, cascade=True)],
    "lock": lambda id_, word: [on("Lock", [id_], mode="read_only", policy={"reviewers": ["sten"]})],
    "unlock": lambda id_, word: [on("Lock", [id_], mode="none")],
    "expire": lambda id_, word: [on("Expire", [id_], ttl="P1D", on_expire="anonymize")],
    "descend": lambda id_, word: [encode("mine", lineage_parents=[id_])],
    "read, then write": lambda id_, word: [
        read({"filter": {"has_tags": [f"{word}tag"]}}),
        on("Label", ["$1"], tags=["x"]),
        on("Label", [id_], tags=["x"]),
    ],
    "by a tag": lambda id_, word: [
        on("Label", {"filter": {"has_tags": [f"{word}tag"], "include": ["archived", "deleted"]}},
           tags=["x"])
    ],
    "by words": lambda id_, word: [
        on("Delete", {"search": {"intent": {"query": f"{word}text"}, "limit": 5}}, soft=False)
    ],
    "by words into one's own": lambda id_, word: [
        encode("mine"),
        on("Merge", {"search": {"intent": {"query": f"mine {word}text"}, "limit": 5}},
           strategy="merge_into_primary", primary_id="$1"),
    ],
}  # fmt: skip
LOCKING = ("lock", "unlock")
MAY_LOCK: Mapping[str, frozenset[str]] = {"locked public": frozenset({"rita"})}
"""Beside the owner: who reviews a memory that he may read."""


@cells(*OTHERS)
@pytest.mark.parametrize("write", WRITES)
def test_a_write_changes_what_may_be_written_and_tells_of_what_may_be_read(
    write: str, actor: str, shelf: Store
) -> None:
    """Of what the actor may write, the dry run; of the rest, the run itself."""
    hidden = shelf.built.hidden(actor)
    real, dry = shelf.memory(actor), shelf.memory(actor, dry=True)
    elsewhere = ACTORS[actor].get("tenant", "default") != "default"
    leaked, taken = [], []
    for key in shelf.built.secrets if write == "update the text" else probed(shelf):
        secret = shelf.built.secrets[key]
        steps = WRITES[write](secret.id, secret.word)
        may = actor in secret.writers
        if write in LOCKING:
            may = actor in MAY_LOCK.get(key, ())
        memory = dry if may or elsewhere else real
        result = attempted(lambda m=memory, s=steps: m.execute(s))  # type: ignore[misc]
        asked = f"{secret.word}text {secret.word}tag"
        if leaks(result, hidden, asked):
            leaked.append(key)
        by_id = not write.startswith("by ")
        if not may and not elsewhere and by_id and not isinstance(result, Text2MemError):
            code = None if result.error is None else result.error.code
            if actor not in secret.readers:
                wanted = {"not-found"}
            else:
                wanted = {"not-writable", "locked", "not-found"}
            if code not in wanted:
                taken.append(f"{key}: {code or 'done'}")
    assert (leaked, taken, shelf.unchanged(actor)) == ([], [], [])
    assert in_sight(shelf, actor, hidden) == set()


def _contradicted(memory: Memory, subject: str) -> Any:
    """A turn that takes back a city, and says yes and no to what waits."""
    [episode], _ = store(memory.ledger, [Message(text="No.")])
    said = [
        Candidate(subject=subject, attribute="city", value=None, kind="retract"),
        Candidate(subject=subject, attribute="medication", value=None, kind="confirm"),
        Candidate(subject=subject, attribute="medication", value=None, kind="reject"),
    ]
    return commit(memory.ledger, episode, said)


Other = Callable[[Memory, Secret], Any]
OTHER_WRITES: dict[str, Other] = {
    "undo": lambda memory, secret: [memory.undo(trace) for trace in secret.traces],
    "undo by force": lambda memory, secret: [
        memory.undo(trace, force=True) for trace in reversed(secret.traces)
    ],
    "approve": lambda memory, secret: memory.approve(secret.id),
    "reject": lambda memory, secret: memory.reject(secret.id),
    "forget a subject": lambda memory, secret: memory.forget(subject=f"{secret.word}subject"),
    "forget all of a subject": lambda memory, secret: memory.forget(
        subject=f"{secret.word}subject", thorough=True
    ),
    "forget an episode": lambda memory, secret: memory.forget(episode=secret.id),
    "write in groups": lambda memory, secret: list(
        memory.execute_many([[encode("mine")], [on("Label", [secret.id], tags=["x"])]])
    ),
    "state the same fact": lambda memory, secret: memory.execute(
        [fact(f"{secret.word}subject", "city", "Bergen", valid_from=format_instant(BEGUN))]
    ),
    "observe": lambda memory, secret: memory.observe(
        f"{secret.word}subject lives in Bergen, no longer in {secret.word}value.", extract=True
    ),
    "contradict": lambda memory, secret: _contradicted(memory, f"{secret.word}subject"),
}  # fmt: skip


@cells(*OTHERS)
@pytest.mark.parametrize("write", OTHER_WRITES)
def test_other_ways_of_writing_change_nothing_of_others(
    write: str, actor: str, shelf: Store
) -> None:
    hidden = shelf.built.hidden(actor)
    memory = shelf.memory(actor)
    leaked = []
    for key in shelf.built.secrets if write.startswith("undo") else probed(shelf):
        secret = shelf.built.secrets[key]
        if actor in secret.writers or actor in MAY_LOCK.get(key, ()):
            continue
        result = attempted(lambda s=secret: OTHER_WRITES[write](memory, s))  # type: ignore[misc]
        asked = f"{secret.word}subject {secret.word}value"
        if write == "state the same fact" and isinstance(result, Text2MemError):
            leaked.append(f"{key}: {result}")
        if leaks(result, hidden, asked):
            leaked.append(key)
    assert (leaked, shelf.unchanged(actor)) == ([], [])


@cells("will", "sten", "bert")
@pytest.mark.parametrize("force", [False, True])
def test_an_undo_by_whoever_may_write_brings_no_hidden_past_to_light(
    force: bool, actor: str, shelf: Store
) -> None:
    hidden = shelf.built.hidden(actor)
    for key in PAST:
        shelf.fresh()
        memory = shelf.memory(actor)
        secret = shelf.built.secrets[key]
        for trace in reversed(secret.traces):
            undone = memory.undo(trace, force=force)
            assert leaks(undone, hidden) == set(), (key, trace)
            assert leaks((memory.show(secret.id), memory.undo(trace)), hidden) == set()
        assert in_sight(shelf, actor, hidden) == set(), key


@cells(*OTHERS)
def test_a_tick_carries_out_what_is_due_and_tells_each_of_his_own(actor: str, shelf: Store) -> None:
    hidden = shelf.built.hidden(actor)
    ticked = shelf.memory(actor, LATER).tick()
    of_others(ticked, shelf, actor)
    assert leaks(ticked, hidden) == set()
    public = {
        key: shelf.built.secrets[f"{key} public"] for key in ("ending", "demoted", "reminded")
    }
    if actor in public["ending"].readers:
        assert public["ending"].id in ticked.expired
        assert public["demoted"].id in ticked.resumed
        assert [fired.memory["id"] for fired in ticked.fired] == [public["reminded"].id]
        shown = {change.id for change in ticked.changes}
        assert shown >= {public["ending"].id, public["demoted"].id}
    assert in_sight(shelf, actor, hidden, LATER) == set()
    if ACTORS[actor].get("tenant") is None:  # what is another's has been carried out as well
        owner = shelf.memory("olga", LATER)
        ended = owner.show(shelf.built.secrets["ending"].id)
        faded = owner.show(shelf.built.secrets["fading"].id)
        assert ended is not None and ended.deleted and faded is not None and faded.text == ""
        fired = [each.memory["id"] for each in owner.tick().fired]
        assert shelf.built.secrets["reminded"].id in fired


@cells(*OTHERS)
def test_a_worker_reads_what_its_actor_may_read(actor: str, shelf: Store) -> None:
    hidden = shelf.built.hidden(actor)
    worked = shelf.memory(actor).work()
    assert leaks(worked, hidden) == set()
    secrets = shelf.built.secrets
    public = secrets["episode public"]
    assert [each.episode for each in worked] == ([public.id] if actor in public.readers else [])
    left = {task.episode for task in shelf.memory("local").adapter.queue.tasks(dead=False)}
    assert secrets["episode"].id in left


@cells("rita", "will", "sten", "tara")
def test_the_registry_is_not_everybodys(actor: str, shelf: Store) -> None:
    memory = shelf.memory(actor)
    held = memory.registry
    newer = replace(held, version=held.version + 1)

    def set_it() -> None:
        memory.registry = newer

    assert isinstance(attempted(set_it), Text2MemError)
    evolved = attempted(lambda: memory.evolve(RENAME))
    assert isinstance(evolved, Text2MemError) or not evolved.ok
    assert memory.registry == held
    assert shelf.unchanged(actor) == []


def test_where_an_actor_is_required_one_erases_with_all_that_holds_the_content() -> None:
    asked = ExecutionContext(actor="ann", require_actor=True)
    with Memory("memory:", embedder="none", context=asked) as memory:
        steps = [encode("One. Two."), on("Split", ["$1"], strategy="by_sentences")]
        assert memory.execute(steps).ok
        erased = memory.execute([on("Delete", ["1"], soft=False, cascade=True)], confirmed=True)
        assert erased.ok and memory.list() == []


def test_nobody_is_an_actor_without_a_name() -> None:
    with pytest.raises(ConfigurationError, match="without a name"):
        ExecutionContext(actor="")
