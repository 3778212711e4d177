"""The dialogues played with their episodes in the store: facts cite ids, not the turns' names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.episodes import Json, Play, at, registry, turns
from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.ledger.candidate import Candidate, labelling
from text2mem.ledger.episode import Episode, Message, encoding
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.policy import Policy


def ledger_of(memory: Memory, **context: Any) -> Ledger:
    """The ledger of an open store, for its caller or for another one."""
    asked = ExecutionContext(
        **{"tenant": memory.context.tenant, "clock": memory.context.clock,
           "tz": memory.context.tz, "confirmed": memory.context.confirmed, **context}
    )  # fmt: skip
    return Ledger(memory.adapter, asked, memory._prepared, Policy.load("assistant"))


@dataclass
class Dialogue:
    """A case that has been played to its last turn, and the ids of its episodes."""

    case: Json
    clock: SetClock
    stores: dict[str, Memory]
    episodes: dict[str, dict[str, str]] = field(default_factory=dict)

    def ledger(self, tenant: str) -> Ledger:
        """A tenant's, with wide writes confirmed."""
        return ledger_of(self.stores[tenant])

    def named(self, tenant: str, id_: str) -> str:
        """What the case calls an episode."""
        return next(name for name, id_of in self.episodes[tenant].items() if id_of == id_)


@contextmanager
def played_with_episodes(case: Json, path: Path | None) -> Iterator[Dialogue]:
    """Play the gold candidates of a case on a file, or in memory."""
    with ExitStack() as stack:
        clock, zone = SetClock(at(turns(case)[0]["at"])), ZoneInfo(case["zone"])
        stores = {
            tenant: stack.enter_context(
                Memory(
                    "memory:" if path is None else str(path),
                    context=ExecutionContext(tenant=tenant, clock=clock, tz=zone, confirmed=True),
                )
            )
            for tenant in case["tenants"]
        }
        for store in stores.values():
            store.registry = registry(case)
        dialogue = Dialogue(case, clock, stores, {tenant: {} for tenant in stores})
        play = Play(case, clock, stores, {tenant: [] for tenant in stores})
        for turn in turns(case):
            clock.at = at(turn["at"])
            _take(turn, play, dialogue)
        yield dialogue


def _take(turn: Json, play: Play, dialogue: Dialogue) -> None:
    tenant, ids = turn["tenant"], dialogue.episodes[turn["tenant"]]
    told = at(turn["at"])
    message = Message(
        text=turn.get("text", ""), structured=turn.get("structured"), role=turn["role"],
        speaker=turn.get("speaker"), at=told,
    )  # fmt: skip
    stored = play.run(tenant, encoding(message, session=None, at=told))
    (id_,) = stored.created
    ids[turn["episode"]] = id_
    gold = [each for each in turn.get("gold", ()) if "optional" not in each]
    for each in gold:
        concerns = {"concerns": ids[each["concerns"]]} if "concerns" in each else {}
        play.take({**turn, "episode": id_}, {**each, **concerns})
    tz = dialogue.stores[tenant].context.tz
    episode = Episode(id=id_, message=message, session=None, at=told, tz=tz)
    read = [Candidate(**{k: e[k] for k in ("subject", "attribute", "value")}) for e in gold]
    label = labelling(episode, [(each, False) for each in read])
    if label is not None:
        play.run(tenant, dict(label))
