"""A store whose memories each hold a word of their own, and who may read and write which.

Who may is written down here by hand, and not asked of ``text2mem.ir.rights``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, get_args

from tests.store.programs import NOW, Step, encode, fact, on
from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.ir.surface_target import ReadField
from text2mem.ir.times.temporal import format_instant
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import Message
from text2mem.ledger.writing import commit, store

BACKENDS = ("plain", "sqlite")
BEGUN = NOW - timedelta(days=2)
LATER = NOW + timedelta(days=2)
"""When everything that will be due is."""
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
    [episode], _ = store(memory.ledger, [message])
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
