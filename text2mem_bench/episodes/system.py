"""The memory that is measured: stores for the tenants of a dialogue, and what hears its turns."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from text2mem.clock import SetClock
from text2mem.ir.context import ExecutionContext
from text2mem.ledger.episode import Episode, Message
from text2mem.ledger.policy import Policy
from text2mem.ledger.writing import commit
from text2mem.memory import Memory
from text2mem.settings import CODE
from text2mem_bench.episodes.cases import Case, Session, Turn
from text2mem_bench.episodes.counting import CountingProvider
from text2mem_bench.episodes.gold import GoldReader
from text2mem_bench.episodes.tally import Tally

if TYPE_CHECKING:
    from text2mem.ir.ports import Embedder
    from text2mem.ledger.candidate import Outcome

IN_PROCESS = "memory:"


@dataclass(frozen=True, slots=True)
class Heard:
    """What a memory made of a turn: the id of the episode, and what became of each candidate.

    ``refused`` is how many of a model's answers the reading itself refused.
    """

    episode: str
    outcomes: tuple[Outcome, ...] = ()
    refused: int = 0


class Listener(Protocol):
    """What hears a turn."""

    def hear(self, memory: Memory, session: Session, turn: Turn, tally: Tally) -> Heard:
        """Take a turn in, background work and all."""
        ...


@dataclass(slots=True)
class Stores:
    """The memories of a dialogue's tenants; two of them share one database file."""

    case: Case
    clock: SetClock
    memories: Mapping[str, Memory]
    path: Path | None = None

    def files(self) -> list[Path]:
        """The files of the database: its log and shared memory, too."""
        return [] if self.path is None else sorted(self.path.parent.glob(f"{self.path.name}*"))


@contextmanager
def opened(
    case: Case,
    *,
    model: CountingProvider | None = None,
    embedder: Embedder | None = None,
    store: str | None = None,
) -> Iterator[Stores]:
    """Empty memories for a dialogue, with its registry, policy, zone and a clock of its own.

    ``store`` None is a file that is gone at the end, ``memory:`` the process, else a folder, where
    the file of an earlier run of the dialogue is replaced.
    """
    with ExitStack() as stack:
        path = None
        if store is None:
            path = Path(stack.enter_context(TemporaryDirectory())) / "store.db"
        elif store != IN_PROCESS:
            folder = Path(store) / case.id
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            path = folder / "store.db"
        clock = SetClock(case.turns[0][1].at)
        draw = Random(case.id)  # digits that a deleted value looks like come every time, or never

        def random_hex(count: int) -> str:
            return draw.randbytes(count).hex()

        memories = {}
        for tenant in case.tenants:
            context = ExecutionContext(
                tenant=tenant, clock=clock, tz=case.tz, confirmed=True, random_hex=random_hex
            )
            memory = Memory(
                IN_PROCESS if path is None else path, model=model, context=context,
                reader=CODE if model is None else None, embedder=embedder,
                policy=Policy.load(dict(case.policy)),
            )  # fmt: skip
            memories[tenant] = stack.enter_context(memory)
            memory.registry = case.declared
        yield Stores(case, clock, memories, path)


def message(turn: Turn) -> Message:
    """A turn as a message."""
    return Message(
        text=turn.text, structured=turn.structured, role=turn.role, speaker=turn.speaker, at=turn.at
    )


@dataclass(slots=True)
class GoldListener:
    """Stores a turn and commits its gold candidates."""

    case: Case
    _reader: GoldReader = field(init=False)

    def __post_init__(self) -> None:
        self._reader = GoldReader(self.case)

    def hear(self, memory: Memory, session: Session, turn: Turn, tally: Tally) -> Heard:
        """Store the turn, and commit what it should be read as."""
        begun = time.perf_counter()
        with tally.timed("store an episode"):
            (observed,) = memory.observe([message(turn)], session=session.id, extract=False)
        ledger = memory.ledger
        episode = Episode.of(ledger.find([observed.episode])[observed.episode], self.case.tz)
        outcomes = commit(ledger, episode, self._reader.read(turn))
        tally.took("write", begun)
        return Heard(episode.id, outcomes)


@dataclass(slots=True)
class ModelListener:
    """Observes a turn, and finishes whatever work it has left. Without a model texts wait."""

    model: CountingProvider | None

    def hear(self, memory: Memory, session: Session, turn: Turn, tally: Tally) -> Heard:
        """Take a turn in. Raises ServiceError where the model gave no answer."""
        read = turn.role != "assistant" and (self.model is not None or turn.text == "")
        with tally.timed("write" if read else "store an episode"):
            (observed,) = memory.observe([message(turn)], session=session.id, extract=read)
        if self.model is not None:
            self.model.require_service()
        if observed.error is not None:
            tally.count("readings that ended", False, turn.episode, found=observed.error)
        elif read:
            tally.count("readings that ended", True, turn.episode)
        counts = (observed.reading and observed.reading.counts) or {}
        return Heard(observed.episode, tuple(observed.outcomes), counts.get("invalid", 0))
