"""Every backend does the same with the same programs, whatever they are and in whatever order."""

from __future__ import annotations

from datetime import timedelta
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.properties import small_world as small
from tests.properties.profile import examples
from tests.properties.worlds import Caller, SideBySide

CALLERS = st.builds(
    Caller,
    actor=st.sampled_from(small.ACTORS),
    roles=st.sampled_from(((), ("team",), ("maintainer",), ("team", "maintainer"))),
    zone=st.sampled_from(("UTC", "UTC", "Shanghai")),
    confirmed=st.sampled_from((True, True, True, False)),
    dry=st.sampled_from((False, False, False, True)),
    embedder=st.sampled_from(("none", "none", "toy", "toy", "toy", "silent", "other")),
)
LEAPS = st.sampled_from((
    timedelta(), timedelta(seconds=1), timedelta(microseconds=400_000), timedelta(hours=6),
    timedelta(days=1), timedelta(days=40), timedelta(hours=-3), timedelta(seconds=-1),
))  # fmt: skip


class Histories(RuleBasedStateMachine):
    """Two stores, a clock, and all that may be done to a store."""

    def __init__(self) -> None:
        super().__init__()
        self.stores = SideBySide(small.BEGIN)

    def glimpse(self) -> small.Glimpse:
        return small.Glimpse(self.stores.now, self.stores.last_id)

    @rule(data=st.data(), caller=CALLERS)
    def run(self, data: st.DataObject, caller: Caller) -> None:
        self.stores.run(data.draw(small.programs(self.glimpse())), caller)

    @rule(data=st.data())
    def run_freely(self, data: st.DataObject) -> None:
        self.stores.run(data.draw(small.programs(self.glimpse())))

    @rule(data=st.data(), caller=CALLERS)
    def read(self, data: st.DataObject, caller: Caller) -> None:
        self.stores.run([data.draw(small.reads(self.glimpse()))], caller)

    @rule(data=st.data(), caller=CALLERS, force=st.booleans())
    def undo(self, data: st.DataObject, caller: Caller, force: bool) -> None:
        latest = self.stores.traces[-4:][::-1]
        self.stores.undo(data.draw(st.sampled_from([*latest, "none"])), caller, force=force)

    @rule(caller=CALLERS)
    def tick(self, caller: Caller) -> None:
        self.stores.tick(caller)

    @rule(leap=LEAPS)
    def wait(self, leap: timedelta) -> None:
        self.stores.now += leap

    @rule(data=st.data(), newer=st.sampled_from((0, 1, 1, 1)))
    def register(self, data: st.DataObject, newer: int) -> None:
        version = self.stores.stores["memory"].registry().version + newer
        self.stores.register(data.draw(small.registries(version)))

    @rule(embedder=st.sampled_from(("none", "toy", "other")), afresh=st.booleans())
    def reindex(self, embedder: str, afresh: bool) -> None:
        self.stores.reindex(embedder, afresh=afresh)

    @invariant()
    def they_are_alike(self) -> None:
        self.stores.compare()

    def teardown(self) -> None:
        self.stores.ask("toy")
        self.stores.close()


TestBackends = Histories.TestCase
TestBackends.settings = examples(60, steps=12)
