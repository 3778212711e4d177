"""Typed memory, for an agent: observe what is said, recall what is so."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from text2mem.ir.record import as_count, as_id

if TYPE_CHECKING:
    from text2mem.ir.record import Record
    from text2mem.ir.result import ProgramResult
    from text2mem.ledger.episode import Message
    from text2mem.ledger.evolution import Evolved
    from text2mem.ledger.ledger import Ledger
    from text2mem.ledger.outcome import Observation
    from text2mem.ledger.recall import Recalled
    from text2mem.ledger.working import Worked
    from text2mem.providers.base import Provider


class TypedMemory(ABC):
    """The write path and the read path of typed facts (docs/typed-memory.md)."""

    @property
    @abstractmethod
    def ledger(self) -> Ledger:
        """The tenant's facts and episodes, as the caller's actor may read and write them."""

    @abstractmethod
    def reader(self) -> Provider | None:
        """The model that reads and answers; None where there is none."""

    # --- writing ---------------------------------------------------------------------------

    def observe(
        self,
        messages: str | Mapping[str, Any] | Message | Sequence[str | Mapping[str, Any] | Message],
        *,
        session: str | None = None,
        extract: bool | None = None,
    ) -> tuple[Observation, ...]:
        """Store what was said, or what a tool or an event reported; one observation a message.

        ``extract`` says whether it is read at once; None leaves it to the policy. What
        is not read at once is read by ``work`` or by ``text2mem worker``, and so is a text that no
        model reads. Raises ConfigurationError for what is no message, ExecutionError where the
        store refuses.
        """
        from text2mem.ledger.episode import Message
        from text2mem.ledger.observing import observe

        alone = isinstance(messages, str | bytes) or not isinstance(messages, Sequence)
        several: Any = [messages] if alone else messages
        said = [Message.of(each) for each in several]
        return observe(self.ledger, said, self.reader(), session=session, at_once=extract)

    def work(self, *, limit: int | None = None) -> tuple[Worked, ...]:
        """Read the episodes that wait in the queue and are due, at most ``limit``."""
        from text2mem.ledger.working import Worker

        most = None if limit is None else as_count("limit", limit)
        return tuple(Worker(self.ledger, self.reader()).run(limit=most))

    def pending(self) -> Sequence[Record]:
        """Facts that wait for a yes or for more evidence, the latest first."""
        return self.ledger.waiting()

    def approve(self, id: str) -> ProgramResult:
        """Let a fact count that waits. Raises NothingWaits."""
        from text2mem.ledger.pending import approve

        return approve(self.ledger, as_id(id))

    def reject(self, id: str) -> ProgramResult:
        """Delete a fact that waits. Raises NothingWaits."""
        from text2mem.ledger.pending import reject

        return reject(self.ledger, as_id(id))

    # --- reading ---------------------------------------------------------------------------

    def recall(
        self,
        question: str | None = None,
        *,
        subject: str | None = None,
        attribute: str | Sequence[str] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        budget: int = 600,
        answer: bool = False,
    ) -> Recalled:
        """What is so, or was at an instant: the smallest cited context within a budget of tokens.

        Ask in words, or for an attribute of a subject; what is named wins over what the words say.
        Of several attributes all but the last are relations to go along. ``answer`` lets the model
        answer from that context alone, or code where there is no model.
        """
        from text2mem.ledger.recall import recall

        return recall(
            self.ledger, question, subject=subject, attribute=attribute, as_of=as_of,
            known_at=known_at, budget=budget, answer=(self.reader() or True) if answer else None,
        )  # fmt: skip

    def export(self, subject: str) -> dict[str, Any]:
        """All that is held on a subject, as JSON."""
        from text2mem.ledger.export import export

        return export(self.ledger, subject)

    def stats(self) -> dict[str, Any]:
        """Counters and ages, for whoever runs the store."""
        from text2mem.ledger.stats import stats
        from text2mem.ledger.working import standing

        return stats(self.ledger, standing(self.ledger))

    # --- keeping house ---------------------------------------------------------------------

    def evolve(self, document: Mapping[str, Any], *, dry_run: bool = False) -> Evolved:
        """Carry the facts over to another schema: renames, splits, merges, changes of type."""
        from text2mem.ledger.evolution import evolve

        return evolve(self.ledger, document, dry_run=dry_run)
