"""Every backend does the same with the same programs, whatever they are and in whatever order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.properties import small_world as small
from tests.properties.callers import Caller
from tests.properties.contents import facts
from tests.properties.profile import examples
from tests.properties.vocabulary import ACTORS, BEGIN
from tests.properties.worlds import SideBySide, TakingTurns
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.ir.ops import Op
from text2mem_bench.oracle.adapter import PlainAdapter

EMBEDDERS = st.sampled_from(("none", "toy"))
CALLERS = st.builds(
    Caller,
    actor=st.sampled_from(ACTORS),
    roles=st.sampled_from(((), ("team",), ("maintainer",), ("team", "maintainer"))),
    zone=st.sampled_from(("UTC", "UTC", "Shanghai")),
    confirmed=st.sampled_from((True, True, True, False)),
    dry=st.sampled_from((False, False, False, True)),
    embedder=st.sampled_from((*["none"] * 4, *["toy"] * 4, "silent", "other")),
)
LEAPS = st.sampled_from((
    timedelta(seconds=1), timedelta(microseconds=400_000), timedelta(hours=6), timedelta(days=1),
    timedelta(days=40), timedelta(hours=-3), timedelta(seconds=-1),
))  # fmt: skip


class Histories(RuleBasedStateMachine):
    """Stores side by side, a clock, and all that may be done to a store.

    One rule for all of it, since Hypothesis would leave most of many rules out of every example.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stores = SideBySide(BEGIN)
        self.alike = False

    @initialize(ops=small.beginnings(BEGIN), embedder=EMBEDDERS)
    def begin(self, ops: Sequence[Op], embedder: str) -> None:
        for op in ops:
            self.stores.run([op], Caller(embedder=embedder))

    @rule(
        data=st.data(),
        what=st.sampled_from((
            "program", "program", "write", "write", "write", "fact", "update", "read", "undo",
            "tick", "wait", "wait", "register", "reindex",
        )),
    )  # fmt: skip
    def step(self, data: st.DataObject, what: str) -> None:
        self.alike = False
        getattr(self, f"do_{what}")(data)

    @invariant()
    def they_are_alike(self) -> None:
        self.alike = False
        self.stores.compare()
        self.alike = True

    def teardown(self) -> None:
        if self.alike:
            self.stores.ask("toy")
        self.stores.close()

    # --- what may be done ------------------------------------------------------------------

    def do_program(self, data: st.DataObject) -> None:
        self.stores.run(data.draw(small.programs(self.stores.glimpse())), data.draw(CALLERS))

    def do_write(self, data: st.DataObject) -> None:
        op = data.draw(small.writes(self.stores.glimpse()))
        self.stores.run([op], Caller(embedder=data.draw(EMBEDDERS)))

    def do_fact(self, data: st.DataObject) -> None:
        self.stores.run([data.draw(facts(self.stores.now))])

    def do_update(self, data: st.DataObject) -> None:
        op = data.draw(small.updates(self.stores.glimpse(), 0))
        self.stores.run([op], Caller(embedder=data.draw(EMBEDDERS)))

    def do_read(self, data: st.DataObject) -> None:
        self.stores.run([data.draw(small.reads(self.stores.glimpse()))], data.draw(CALLERS))

    def do_undo(self, data: st.DataObject) -> None:
        trace = data.draw(st.sampled_from([*self.stores.traces[-4:][::-1], "none"]))
        self.stores.undo(trace, data.draw(CALLERS), force=data.draw(st.booleans()))

    def do_tick(self, data: st.DataObject) -> None:
        self.stores.tick(data.draw(CALLERS))

    def do_wait(self, data: st.DataObject) -> None:
        self.stores.now += data.draw(LEAPS)

    def do_register(self, data: st.DataObject) -> None:
        newer = data.draw(st.sampled_from((1, 1, 1, 0)))
        version = self.stores.stores["plain"].registry().version + newer
        self.stores.register(data.draw(small.registries(version)))

    def do_reindex(self, data: st.DataObject) -> None:
        embedder = data.draw(st.sampled_from(("none", "toy", "other")))
        self.stores.reindex(embedder, afresh=data.draw(st.booleans()))


class Connections(Histories):
    """Two connections to one file take turns, beside a store of one connection."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        path = Path(self.folder.name) / "store.db"
        self.stores.close()
        plain = PlainAdapter()
        self.stores = TakingTurns(
            BEGIN,
            {"plain": plain, "sqlite": SqliteAdapter(path)},
            waiting={"plain": plain, "sqlite": SqliteAdapter(path)},
        )

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


TestBackends = Histories.TestCase
TestBackends.settings = examples(60, steps=12)
TestConnections = Connections.TestCase
TestConnections.settings = examples(20, steps=12)
