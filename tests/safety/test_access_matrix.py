"""Who sees what, and who changes what: every path of the library, by actor and by memory.

Each memory holds a word of its own in its text, tags, facets and names. A word that an actor may
not read must not occur in anything that a path gives back to that actor, errors and warnings
included; what the actor may read is there; and what the actor may not write stays as it was. Who
may is written down here by hand, and not asked of ``text2mem.ir.rights``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.planning import ABLE, SMALL, draft
from tests.store.programs import LONG, NOW, Step, encode, fact, find, on, read
from text2mem import ExecutionContext, FixedClock, Memory
from text2mem.adapters.base import Scope
from text2mem.adapters.memory import MemoryAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import SetClock
from text2mem.errors import Text2MemError
from text2mem.ir.ops import ByFilter, ByIds
from text2mem.ir.record import as_image
from text2mem.ir.surface_target import ReadField
from text2mem.ir.temporal import format_instant
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import Message
from text2mem.ledger.working import standing
from text2mem.ledger.writing import commit, store
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider

BACKENDS = ("memory", "sqlite")
BEGUN = NOW - timedelta(days=2)
LATER = NOW + timedelta(days=2)
"""When everything that will be due is."""
POLICY = {"confirm": ["medication"]}
_WORD = re.compile("zq[a-z]{2}[vw]")
COMMON = "lantern"
"""A word and a tag of every memory."""
FIELDS = [name for name in get_args(ReadField) if name != "score"]
"""Everything that a Retrieve can be asked for."""

ACTORS: Mapping[str, Mapping[str, Any]] = {
    "local": {},
    "olga": {"actor": "olga"},
    "rita": {"actor": "rita"},
    "will": {"actor": "will"},
    "sten": {"actor": "sten"},
    "bert": {"actor": "bert", "roles": frozenset({"team", "maintainer"})},
    "tara": {"actor": "tara", "roles": frozenset({"team"})},
    "mona": {"actor": "mona", "roles": frozenset({"team", "maintainer"})},
    "next door": {"tenant": "other"},
    "namesake": {"tenant": "other", "actor": "olga", "roles": frozenset({"team", "maintainer"})},
}
"""The owner is olga. Rita reads by white list, will writes by white list, bert is on the black one.

Sten has no rights of his own. Tara and mona are of the team, mona maintains. The last two are of
another tenant.
"""
OWN = frozenset({"local", "olga"})
ALL = frozenset(ACTORS) - {"next door", "namesake"}
OTHERS = tuple(name for name in ACTORS if name not in OWN)
TENANTS = ("default", "other")


# --- the store -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Secret:
    """A memory, who may read it, who may write it (with its lock as it is), who may lock it.

    ``past`` is the word of what it held while only its owner could read it. ``traces`` are the
    programs that touched it.
    """

    key: str
    id: str
    word: str
    readers: frozenset[str]
    writers: frozenset[str]
    past: str
    traces: tuple[str, ...] = ()


@dataclass
class Built:
    """What a store holds, by name."""

    secrets: dict[str, Secret] = field(default_factory=dict)
    state: dict[str, str] = field(default_factory=dict)
    instants: list[datetime] = field(default_factory=list)

    def hidden(self, actor: str) -> set[str]:
        """The words that an actor may not be shown."""
        words = {s.word for s in self.secrets.values() if actor not in s.readers}
        return words | {s.past for s in self.secrets.values() if actor not in OWN}

    def readable(self, actor: str, *states: str) -> list[Secret]:
        """What an actor may read, of these states or of all."""
        return [
            secret
            for key, secret in self.secrets.items()
            if actor in secret.readers and (not states or self.state[key] in states)
        ]


PAST = ("published", "to the team", "to some", "at a stroke", "interlude", "published fact")
"""The memories that held something else while nobody but their owner could read them."""
PROBED = (
    "private", "team", "public", "to read", "custom", "both lists", "nobody's", "published",
    "interlude", "withdrawn", "deleted", "deleted public", "archived public", "locked",
    "locked public", "fact", "fact public", "episode", "waiting", "parent", "child", "elsewhere",
)  # fmt: skip
"""One memory of each kind, for what would take too long with all of them."""


class Builder:
    """Fills a store, a minute between programs."""

    def __init__(self, open_: Callable[[ExecutionContext], Memory]) -> None:
        self.clock = SetClock(BEGUN)
        self.built = Built()
        self.open = open_
        self.traces: list[str] = []

    def memory(self, actor: str = "olga") -> Memory:
        return self.open(context_of(actor, clock=self.clock))

    def run(self, *steps: Step, actor: str = "olga") -> Any:
        self.clock.at += timedelta(minutes=1)
        self.built.instants.append(self.clock.at)
        result = self.memory(actor).execute(list(steps))
        assert result.ok, result.error
        self.traces.append(result.trace_id)
        return result.results

    def edit(self, id_: str, **fields: Any) -> None:
        self.run(on("Update", [id_], set=fields))

    def words(self) -> tuple[str, str]:
        """The word of the next memory, and the one of its past."""
        number = len(self.built.secrets)
        letters = f"{chr(97 + number // 26)}{chr(97 + number % 26)}"
        return f"zq{letters}w", f"zq{letters}v"

    def note(
        self, key: str, *, readers: Iterable[str] = OWN, writers: Iterable[str] = OWN,
        state: str = "active", actor: str = "olga", **args: Any,
    ) -> str:  # fmt: skip
        """A memory that holds its word everywhere; its id."""
        word, _ = self.words()
        self.traces = []
        id_ = self.run(_note(word, **args), actor=actor)[0].created[0]
        self.keep(key, id_, readers, writers, state)
        return str(id_)

    def keep(
        self, key: str, id_: str, readers: Iterable[str] = OWN, writers: Iterable[str] = OWN,
        state: str = "active",
    ) -> None:  # fmt: skip
        word, past = self.words()
        self.built.secrets[key] = Secret(
            key, id_, word, frozenset(readers), frozenset(writers), past
        )
        self.built.state[key] = state

    def traced(self, key: str) -> None:
        """The programs since the memory was begun are its own."""
        old = self.built.secrets[key]
        self.built.secrets[key] = Secret(
            old.key, old.id, old.word, old.readers, old.writers, old.past, tuple(self.traces)
        )


def _note(word: str, **args: Any) -> Step:
    named = {
        "tags": [COMMON, f"{word}tag"], "facets": {"secret": f"{word}facet", f"{word}key": 1},
        "subject": f"{word}subject", "location": f"{word}location", "topic": f"{word}topic",
        "source": f"{word}source", "type": f"{word}type",
    }  # fmt: skip
    return encode(f"{word}text is the {COMMON} code. {word}more is below.", **{**named, **args})


def _all_of(word: str) -> dict[str, Any]:
    """The edit that puts another word in the place of a memory's."""
    args = dict(_note(word)["args"])
    return {"text": args.pop("payload")["text"], **args}


PUBLIC = {"read_perm_level": "public", "write_perm_level": "open"}


def build(open_: Callable[[ExecutionContext], Memory], *, tenants: bool) -> Built:
    """Memories of each level, state and past."""
    b = Builder(open_)
    # Levels and lists.
    b.note("private")
    b.note("team", readers=OWN | {"tara", "mona"}, writers=OWN | {"mona"},
           read_perm_level="team", write_perm_level="maintainer",
           read_blacklist=["bert"])  # fmt: skip
    b.note("public", readers=ALL - {"bert"}, writers=ALL - {"bert", "tara"},
           read_blacklist=["bert"], write_blacklist=["tara"], **PUBLIC)  # fmt: skip
    b.note("to read", readers=ALL, read_perm_level="public")
    b.note("custom", readers=OWN | {"rita", "will"}, writers=OWN | {"will"},
           read_perm_level="custom", write_perm_level="custom",
           read_whitelist=["rita", "will"], write_whitelist=["will", "sten"])  # fmt: skip
    b.note("both lists", readers=OWN | {"rita"}, read_whitelist=["rita", "bert"],
           read_blacklist=["bert"], write_perm_level="open", write_blacklist=["rita"])  # fmt: skip
    b.note("nobody's", actor="local", readers={"local"}, writers={"local"})
    # What was private once.
    for key, readers, writers, rights in (
        ("published", ALL, ALL, PUBLIC),
        ("to the team", OWN | {"bert", "tara", "mona"}, OWN,  {"read_perm_level": "team"}),
        ("to some", OWN | {"rita", "will"}, OWN | {"will"},
         {"read_whitelist": ["rita", "will"], "write_whitelist": ["will"]}),
    ):  # fmt: skip
        word, past = b.words()
        id_ = b.note(key, readers=readers, writers=writers)
        b.edit(id_, **_all_of(past))
        b.edit(id_, **_all_of(word))
        b.edit(id_, **rights)
        b.run(on("Label", [id_], tags=[f"{word}after"]))
        b.traced(key)
    word, past = b.words()
    id_ = b.note("at a stroke", readers=ALL, writers=ALL)
    b.edit(id_, **_all_of(past))
    b.edit(id_, **_all_of(word), **PUBLIC)
    b.run(on("Label", [id_], tags=[f"{word}after"]))
    b.traced("at a stroke")
    word, past = b.words()
    id_ = b.note("interlude", readers=ALL, writers=ALL, **PUBLIC)
    b.edit(id_, read_perm_level="private")
    b.edit(id_, **_all_of(past))
    b.edit(id_, **_all_of(word))
    b.edit(id_, read_perm_level="public")
    b.run(on("Label", [id_], tags=[f"{word}after"]))
    b.traced("interlude")
    word, past = b.words()
    id_ = b.note("withdrawn", **PUBLIC)
    b.edit(id_, read_perm_level="private", write_perm_level="owner_only")
    b.traced("withdrawn")
    # States.
    for key, rights, who in (("", {}, OWN), (" public", PUBLIC, ALL)):
        id_ = b.note(f"deleted{key}", readers=who, writers=who, state="deleted", **rights)
        b.run(on("Delete", [id_]))
        b.traced(f"deleted{key}")
        id_ = b.note(f"archived{key}", readers=who, writers=who, state="archived", **rights)
        b.run(on("Demote", [id_], archive=True))
        b.traced(f"archived{key}")
        word, _ = b.words()
        id_ = b.note(f"locked{key}", readers=who, writers=(), **rights)
        b.run(on("Lock", [id_], mode="read_only", reason=f"{word}reason",
                 policy={"reviewers": ["rita"]}))  # fmt: skip
        b.traced(f"locked{key}")
        id_ = b.note(f"ending{key}", readers=who, writers=who,
                     expire_at=format_instant(LATER), **rights)  # fmt: skip
        id_ = b.note(f"fading{key}", readers=who, writers=who, **rights)
        b.run(on("Expire", [id_], until=format_instant(LATER), on_expire="anonymize"))
        b.traced(f"fading{key}")
        id_ = b.note(f"reminded{key}", readers=who, writers=who,
                     remind={"rrule": "FREQ=DAILY"}, **rights)  # fmt: skip
        id_ = b.note(f"demoted{key}", readers=who, writers=who, state="archived", **rights)
        b.run(on("Demote", [id_], archive=True, until=format_instant(LATER)))
        b.traced(f"demoted{key}")
        word, _ = b.words()
        b.traces = []
        stated = fact(f"{word}subject", "city", f"{word}value", tags=[COMMON, f"{word}tag"],
                      facets={"secret": f"{word}facet"}, **rights)  # fmt: skip
        id_ = b.run(stated)[0].created[0]
        b.keep(f"fact{key}", id_, who, who)
        b.traced(f"fact{key}")
        _episode(b, key, who, rights)
        _waiting(b, key, who, rights)
    word, past = b.words()
    b.traces = []
    id_ = b.run(fact(f"{past}subject", "city", f"{word}value", tags=[COMMON]))[0].created[0]
    stated = {"subject": f"{word}subject", "attribute": "city", "value": f"{word}value"}
    b.edit(id_, subject=f"{word}subject", structured=stated, tags=[COMMON, f"{word}tag"])
    b.edit(id_, **PUBLIC)
    b.run(on("Label", [id_], tags=[f"{word}after"]))
    b.keep("published fact", id_, ALL, ALL)
    b.traced("published fact")
    # A family of both.
    parent = b.note("parent")
    child = b.note("child", readers=ALL, writers=ALL, lineage_parents=[parent], **PUBLIC)
    b.note("grandchild", lineage_parents=[child])
    if tenants:
        b.note("elsewhere", actor="namesake", readers={"next door", "namesake"},
               writers={"next door", "namesake"}, **PUBLIC)  # fmt: skip
    return b.built


def _episode(b: Builder, key: str, who: Iterable[str], rights: Mapping[str, Any]) -> None:
    word, _ = b.words()
    b.traces = []
    b.clock.at += timedelta(minutes=1)
    memory = b.memory()
    said = f"{word}text is the {COMMON} code."
    [seen] = memory.observe({"text": said, "speaker": f"{word}who"}, session=f"{word}s",
                            extract=False)  # fmt: skip
    b.run(on("Label", [seen.episode], tags=[COMMON, f"{word}tag"]))
    if rights:
        b.edit(seen.episode, **rights)
        b.run(on("Label", [seen.episode], tags=[f"{word}after"]))
    b.keep(f"episode{key}", seen.episode, who, who)
    b.traced(f"episode{key}")


def _waiting(b: Builder, key: str, who: Iterable[str], rights: Mapping[str, Any]) -> None:
    word, _ = b.words()
    b.traces = []
    b.clock.at += timedelta(minutes=1)
    memory = b.memory()
    message = Message(text=f"{word}text, said she.", speaker=f"{word}who")
    [episode] = store(memory.ledger, [message]).episodes
    memory.adapter.queue.done(episode.id)
    if rights:
        b.edit(episode.id, **rights)
    said = Candidate(subject=f"{word}subject", attribute="medication", value=f"{word}value")
    [outcome] = commit(memory.ledger, episode, [said])
    assert outcome.became == "pending"
    b.keep(f"waiting{key}", outcome.ids[0], who, who, "waiting")
    b.traces.append(outcome.trace_id or "")
    b.traced(f"waiting{key}")


def context_of(actor: str, **options: Any) -> ExecutionContext:
    return ExecutionContext(**{"confirmed": True, **ACTORS[actor], **options})


class Store:
    """A store that is there again as it was built, as often as it is wanted."""

    def __init__(self, backend: str, folder: Path) -> None:
        self.backend = backend
        self._template, self._path = folder / "template.db", folder / "store.db"
        self._adapters: dict[str, Any] = {}
        self.built = Built()
        if backend == "memory":
            self._adapters = {tenant: MemoryAdapter(tenant) for tenant in TENANTS[:1]}
            self.built = build(self._memory, tenants=False)
            self._kept = self._adapters["default"]._state.copy()
        else:
            self._path = self._template
            self.built = build(self._memory, tenants=True)
            self._close()
            self._path = folder / "store.db"
        self.fresh()
        self.before = self.snapshot()

    def fresh(self) -> None:
        """Everything as it was built."""
        self.touched = False
        if self.backend == "memory":
            self._adapters["default"]._state = self._kept.copy()
            return
        self._close()
        for file in self._path.parent.glob("store.db*"):
            file.unlink()
        shutil.copy(self._template, self._path)

    def _close(self) -> None:
        for adapter in self._adapters.values():
            adapter.close()
        if self.backend == "sqlite":
            self._adapters = {}

    def _memory(self, context: ExecutionContext, **options: Any) -> Memory:
        if context.tenant not in self._adapters:
            self._adapters[context.tenant] = SqliteAdapter(self._path, tenant=context.tenant)
        return Memory(self._adapters[context.tenant], context=context, summariser="extractive",
                      embedder="none",
                      policy=POLICY, reader="none", **options)  # fmt: skip

    def memory(
        self, actor: str, at: datetime = NOW, *, dry: bool = False, **options: Any
    ) -> Memory:
        """The store as an actor has it."""
        context = context_of(actor, clock=FixedClock(at), dry_run=dry)
        return self._memory(context, **options)

    def snapshot(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Every memory of every tenant, and what waits in the queue, by tenant and id."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        tenants = TENANTS if self.backend == "sqlite" else TENANTS[:1]
        for tenant in tenants:
            context = ExecutionContext(tenant=tenant, clock=FixedClock(NOW))
            adapter = self._memory(context).adapter
            scope = Scope(context=context, now=NOW, archived=True, deleted=True)
            ids = tuple(str(n) for n in range(1, len(self.built.secrets) + 60))
            for record in adapter.resolve(ByIds(ids), scope).rows:
                found[tenant, record.id] = as_image(record)
            tasks = adapter.queue.tasks(dead=False, limit=500)
            found[tenant, "queue"] = {task.episode: repr(task) for task in tasks}
            found[tenant, "registry"] = {"version": adapter.registry().version}
        return found

    def unchanged(self, actor: str) -> list[str]:
        """The memories that an actor may not write, and that are not as they were."""
        after = self.snapshot()
        tenant = ACTORS[actor].get("tenant", "default")
        owned = {
            ("other" if key == "elsewhere" else "default", secret.id): (key, secret.writers)
            for key, secret in self.built.secrets.items()
        }
        wrong = []
        for at, was in self.before.items():
            if after.get(at) == was:
                continue
            key, writers = owned.get(at, (f"{at[0]}/{at[1]}", OWN))
            if actor not in writers or at[0] != tenant:
                now = after.get(at) or {}
                if at[1] == "queue":  # what is new there is the actor's own
                    now = {name: task for name, task in now.items() if name in was}
                    if now == was:
                        continue
                fields = [name for name in {**was, **now} if was.get(name) != now.get(name)]
                wrong.append(f"{actor} changed {', '.join(sorted(fields))} of {key}")
        return wrong


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Store]:
    """Built once, by backend."""
    return {name: Store(name, tmp_path_factory.mktemp(name)) for name in BACKENDS}


@pytest.fixture
def kept(stores: Mapping[str, Store], request: pytest.FixtureRequest) -> Store:
    """For a test that reads: one that changes something fails."""
    store = stores[request.param]
    if store.touched:
        store.fresh()
    return store


@pytest.fixture
def shelf(kept: Store) -> Store:
    """As it was built, for a test that changes it."""
    kept.fresh()
    kept.touched = True
    return kept


def cells(*actors: str) -> pytest.MarkDecorator:
    """Each actor on each backend, as far as there is such a thing.

    Without the long tests some actors are on one backend only, whose rights differ little.
    """
    pairs = [
        (backend, actor)
        for backend in BACKENDS
        for actor in actors
        if backend == "sqlite"
        or ("tenant" not in ACTORS[actor] and (LONG or actor in ("local", "will", "sten", "bert")))
    ]
    return pytest.mark.parametrize(("kept", "actor"), pairs, indirect=["kept"])


# --- what is seen --------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """What a path gave, the memories that it tells of where they may be read, and a word it echoes.

    ``asked`` are words that the caller has said, and that may be said back.
    """

    value: Any
    shows: Sequence[Secret] = ()
    asked: str = ""


Path_ = Callable[[Memory, Store, str], Iterator[Seen]]
READS: dict[str, Path_] = {}


def reading(path: Path_) -> Path_:
    READS[path.__name__.lstrip("_").replace("_", " ")] = path
    return path


def told(value: Any) -> str:
    """All that a value says, however it is printed."""
    if isinstance(value, BaseException):
        cause = value.__cause__
        more = "" if cause is None else told(cause)
        return f"{value!r} {value} {value.args} {vars(value)} {more}"
    as_dict = getattr(value, "as_dict", None)
    return f"{value!r} {as_dict() if callable(as_dict) else ''}"


def attempted(action: Callable[[], Any]) -> Any:
    """What an action returns, or the error that it is refused with."""
    try:
        return action()
    except Text2MemError as error:
        return error


def words_in(seen: Seen) -> set[str]:
    """The words of memories that something tells of, but for those that it was asked for."""
    said = told(seen.value).casefold()
    for word in seen.asked.split():
        said = said.replace(word, "")
    return set(_WORD.findall(said))


def leaks(value: Any, hidden: set[str], asked: str = "") -> set[str]:
    """The hidden words that something tells of."""
    return words_in(Seen(value, asked=asked)) & hidden


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
        for word in (f"{secret.word}text", *_past_words(store, secret, "text")):
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
        for past in _past_words(store, secret, "subject"):
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
    yield Seen(view.search(COMMON, limit=500, include=hidden, floor=False))
    yield Seen(view.select(ByFilter(has_tags=(COMMON,), include=hidden)))
    for secret in store.built.secrets.values():
        word = f"{secret.word}text"
        hits = view.search(word, include=hidden, floor=False)
        assert hits == [] or actor in secret.readers
        yield Seen(hits, asked=word)
        for past in _past_words(store, secret, "text"):
            assert view.search(past, include=hidden, floor=False) == []


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
        _of_others(ticked, store, actor)


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


def _past_words(store: Store, secret: Secret, name: str) -> list[str]:
    """The words that stood in a memory before it was anybody else's, where there were such."""
    return [f"{secret.past}{name}"] if secret.key in PAST else []


RENAME = {"version": 99, "steps": [{"op": "rename", "from": "city", "to": "town"}]}


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


def _of_others(ticked: Any, store: Store, actor: str) -> None:
    """Nothing that a tick tells of is a memory that its caller may not read."""
    tenant = ACTORS[actor].get("tenant", "default")
    named = {*ticked.expired, *ticked.resumed, *(change.id for change in ticked.changes)}
    named |= {str(fired.memory["id"]) for fired in ticked.fired}
    strange = sorted(
        secret.key
        for secret in store.built.secrets.values()
        if secret.id in named and actor not in secret.readers
        if (secret.key == "elsewhere") == (tenant == "other")
    )
    assert not strange, f"the tick of {actor} tells of {strange}"


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


# --- what is changed -----------------------------------------------------------------------

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
    for key in shelf.built.secrets if write == "update the text" else _probed(shelf):
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
    assert _in_sight(shelf, actor, hidden) == set()


def _probed(store: Store) -> list[str]:
    return [key for key in PROBED if key in store.built.secrets]


def _in_sight(store: Store, actor: str, hidden: set[str], at: datetime = NOW) -> set[str]:
    """The hidden words in anything that an actor may read by now, with its past."""
    memory = store.memory(actor, at)
    ids = [str(number) for number in range(1, len(store.built.secrets) + 90)]
    found: set[str] = leaks([memory.history(id_) for id_ in ids], hidden)
    view = memory.view()
    found |= leaks((view.find(ids), view.tags(500), view.vocabulary(500)), hidden)
    return found | leaks(memory.log(limit=500), hidden)


def _contradicted(memory: Memory, subject: str) -> Any:
    """A turn that takes back a city, and says yes and no to what waits."""
    episode = store(memory.ledger, [Message(text="No.")]).episodes[0]
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
    for key in shelf.built.secrets if write.startswith("undo") else _probed(shelf):
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
        assert _in_sight(shelf, actor, hidden) == set(), key


@cells(*OTHERS)
def test_a_tick_carries_out_what_is_due_and_tells_each_of_his_own(actor: str, shelf: Store) -> None:
    hidden = shelf.built.hidden(actor)
    ticked = shelf.memory(actor, LATER).tick()
    _of_others(ticked, shelf, actor)
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
    assert _in_sight(shelf, actor, hidden, LATER) == set()
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


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_may_be_appended_to_is_not_written_over(backend: str, tmp_path: Path) -> None:
    with _small(backend, tmp_path, "olga") as olga, _small(backend, tmp_path, "sten", olga) as sten:
        made = olga.execute([encode("a list", tags=["a"], facets={"k": "v"}, **PUBLIC)])
        assert made.ok
        assert olga.execute([on("Lock", ["1"], mode="append_only")]).ok
        held = olga.show("1")
        labels: list[dict[str, Any]] = [
            {"facets": {"k": "w"}}, {"facets": {"k": None}}, {"facets": {"k": "w", "n": 1}},
            {"tags": ["b"], "mode": "replace"}, {"tags": ["a"], "mode": "remove"},
        ]  # fmt: skip
        for args in labels:
            for memory in (sten, olga):
                label = on("Label", ["1"], **args)
                refused = attempted(partial(memory.execute, [label]))
                if not isinstance(refused, Text2MemError):
                    assert refused.error is not None and refused.error.code == "locked", args
                assert olga.show("1") == held
        assert sten.execute([on("Label", ["1"], tags=["b"], facets={"n": 1})]).ok
        row = olga.show("1")
        assert row is not None and (row.tags, row.facets) == (("a", "b"), {"k": "v", "n": 1})


@pytest.mark.parametrize("backend", BACKENDS)
def test_whoever_may_write_a_memory_may_not_lock_it(backend: str, tmp_path: Path) -> None:
    with _small(backend, tmp_path, "olga") as olga, _small(backend, tmp_path, "sten", olga) as sten:
        assert olga.execute([encode("a list", **PUBLIC)]).ok
        held = olga.show("1")
        policies: list[Any] = [
            {},
            {"policy": {"reviewers": ["sten"]}},
            {"policy": {"deny": ["Label"]}},
        ]
        for mode in ("read_only", "append_only"):
            for policy in policies:
                refused = sten.execute([on("Lock", ["1"], mode=mode, **policy)])
                assert refused.error is not None, (mode, policy)
                assert olga.show("1") == held
        hers = {"reviewers": ["sten"]}
        assert olga.execute([on("Lock", ["1"], mode="read_only", policy=hers)]).ok
        assert sten.execute([on("Lock", ["1"], mode="none")]).ok
        assert sten.execute([on("Lock", ["1"], mode="read_only")]).error is not None


@contextmanager
def _small(
    backend: str, folder: Path, actor: str, beside: Memory | None = None
) -> Iterator[Memory]:
    """An empty store as an actor has it, or the one of another actor."""
    context = context_of(actor, clock=FixedClock(NOW))
    adapter: Any = beside.adapter if beside is not None else None
    if adapter is None:
        adapter = MemoryAdapter() if backend == "memory" else SqliteAdapter(folder / "s.db")
    with Memory(adapter, context=context, embedder="none") as memory:
        yield memory
