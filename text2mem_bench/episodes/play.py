"""One dialogue, played to its end: the row of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from text2mem.errors import ServiceError
from text2mem.ledger.recall import recall
from text2mem.memory import Memory
from text2mem_bench.episodes.asking import Asking
from text2mem_bench.episodes.cases import Case
from text2mem_bench.episodes.comparing import Comparison
from text2mem_bench.episodes.counting import CountingProvider
from text2mem_bench.episodes.effects import Effects
from text2mem_bench.episodes.extraction import Reading
from text2mem_bench.episodes.forgetting import Forgetting, keep_retention
from text2mem_bench.episodes.isolation import Isolation
from text2mem_bench.episodes.state import Past, State
from text2mem_bench.episodes.system import (
    GoldListener,
    Heard,
    Listener,
    ModelListener,
    Stores,
    opened,
)
from text2mem_bench.episodes.tally import Tally
from text2mem_bench.runs import Run
from text2mem_bench.scores import UNSCORED

if TYPE_CHECKING:
    from text2mem.ir.ports import Embedder
    from text2mem.providers.base import Provider

PLAYED = "played"
Listening = Callable[[Case], Listener]


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """Who reads and who answers. ``model`` None is code alone; ``gold`` hands gold candidates over.

    ``answer`` lets the model answer the questions, or code where there is none. ``thorough`` is how
    subjects are forgotten. ``store`` is as in ``system.opened``; ``listening`` makes another reader
    for a dialogue.
    """

    model: Provider | None = None
    gold: bool = False
    answer: bool = False
    thorough: bool = False
    embedder: Embedder | None = None
    store: str | None = None
    listening: Listening | None = None

    def listener(self, case: Case, counted: CountingProvider | None) -> Listener:
        """Who hears a dialogue."""
        if self.listening is not None:
            return self.listening(case)
        return GoldListener(case) if self.gold else ModelListener(counted)


def replay(
    cases: Sequence[Case], players: Players, run: Run
) -> Generator[dict[str, Any], None, None]:
    """A row a dialogue that the run has not; ``play`` says what is in it.

    A model that gives no answer ends a dialogue, which is then played again when the run goes on.
    """
    for case in cases:
        if case.id not in run.done:
            row = play(case, players)
            run.append(row)
            yield row


def play(case: Case, players: Players) -> dict[str, Any]:
    """Play a dialogue: its turns, looks, questions and deletions, and time going on.

    ``{"id", "status": "played" | "service", "language", "split", "turns", "shares": {figure:
    [held, of]}, "times": {what: [ms]}, "tokens", "misses": [{"figure", "where", "expected",
    "found"}]}``.
    """
    tally = Tally()
    about = {
        "id": case.id, "language": case.language, "split": case.split, "turns": len(case.turns)
    }  # fmt: skip
    counted = None if players.model is None else CountingProvider(players.model)
    reading = None if players.gold else counted
    try:
        with opened(case, model=reading, embedder=players.embedder, store=players.store) as stores:
            listener = players.listener(case, counted)
            _play(case, stores, listener, tally, counted, players)
    except ServiceError as error:
        return {**about, "status": UNSCORED, "error": str(error)}
    return {**about, "status": PLAYED, **tally.as_dict()}


def _play(
    case: Case, stores: Stores, listener: Listener, tally: Tally,
    counted: CountingProvider | None, players: Players,
) -> None:  # fmt: skip
    compare = Comparison(case)
    episodes: dict[str, str] = {}
    pasts = {tenant: Past(compare) for tenant in case.tenants}
    reading = Reading(case, compare, tally)
    effects = {t: Effects(case, compare, tally, episodes) for t in case.tenants}
    for tenant, memory in stores.memories.items():
        pasts[tenant].add(State.of(memory.adapter, tenant, stores.clock.at))
    for session, turn in case.turns:
        tenant, stores.clock.at = session.tenant, turn.at
        memory = stores.memories[tenant]
        before = State(turn.at, pasts[tenant].last.records)
        begun = time.perf_counter()
        heard = listener.hear(memory, session, turn, tally)
        _visible(memory, heard, tally, begun)
        episodes[turn.episode] = heard.episode
        if counted is not None:
            tally.asked("turn", counted.take(), refused=heard.refused)
        after = pasts[tenant].add(State.of(memory.adapter, tenant, turn.at))
        pairs, wrong = reading.score(turn, heard, after)
        effects[tenant].turn(turn, pairs, wrong, before, after)
        for look in case.ledger:
            if look.after == turn.episode:
                effects[look.tenant].look(look, pasts[look.tenant].last)
    stores.clock.at = case.now
    for tenant, memory in stores.memories.items():
        pasts[tenant].add(State.of(memory.adapter, tenant, case.now))
    asking = Asking(case, compare, tally, episodes, (counted or True) if players.answer else None)
    for question in case.asked():
        ledger = stores.memories[question.tenant].ledger
        asking.ask(question, ledger, pasts[question.tenant])
    ledgers = {tenant: memory.ledger for tenant, memory in stores.memories.items()}
    states = {tenant: past.last for tenant, past in pasts.items()}
    Isolation(case, compare, tally).look(ledgers, states)
    forgetting = Forgetting(case, compare, tally, episodes, players.thorough)
    for order in case.forget:
        forgetting.forget(order, stores)
    keep_retention(case, stores, tally)


def _visible(memory: Memory, heard: Heard, tally: Tally, begun: float) -> None:
    """How long it took from the episode to its first fact being read back."""
    for outcome in heard.outcomes:
        said = outcome.candidate
        if outcome.became in ("new", "supersede", "correct"):
            if recall(memory.ledger, subject=said.subject, attribute=said.attribute).facts:
                tally.took("freshness lag", begun)
            return
