"""The methods of ``Memory`` for typed facts: observe messages, and recall what holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from text2mem.ir.arguments import as_count, as_id

if TYPE_CHECKING:
    from text2mem.ir.record import Record
    from text2mem.ir.result import ProgramResult
    from text2mem.ledger.candidate import Observation
    from text2mem.ledger.episode import Message
    from text2mem.ledger.evolution import Evolved
    from text2mem.ledger.ledger import Ledger
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
        """The model that reads messages and answers questions; None if there is none."""

    # --- writing ---------------------------------------------------------------------------

    def observe(
        self,
        messages: str | Mapping[str, Any] | Message | Sequence[str | Mapping[str, Any] | Message],
        *,
        session: str | None = None,
        extract: bool | None = None,
    ) -> tuple[Observation, ...]:
        """Store what was said, or what a tool or an event reported: one observation a message.

        ``extract`` says whether messages are read at once; None leaves it to the policy. What is
        not waits for ``work`` or ``text2mem worker``, as does a text that no model reads. Raise
        ConfigurationError for an invalid message, and ExecutionError if the store refuses.
        """
        from text2mem.ledger.episode import Message
        from text2mem.ledger.working import Worker

        is_single = isinstance(messages, str | bytes) or not isinstance(messages, Sequence)
        given: Any = [messages] if is_single else messages
        checked = [Message.of(message) for message in given]
        worker = Worker(self.ledger, self.reader())
        return worker.observe(checked, session=session, at_once=extract)

    def work(self, *, limit: int | None = None) -> tuple[Worked, ...]:
        """Read the episodes that wait in the queue and are due, at most ``limit``."""
        from text2mem.ledger.working import Worker

        most = None if limit is None else as_count("limit", limit)
        return tuple(Worker(self.ledger, self.reader()).run(limit=most))

    def pending(self) -> Sequence[Record]:
        """The facts that wait for a yes or for more evidence, the latest first, at most 256."""
        return self.ledger.waiting()

    def approve(self, id: str) -> ProgramResult:
        """Let a pending fact count. Raise NothingWaits if there is none with this id."""
        from text2mem.ledger.pending import approve

        return approve(self.ledger, as_id(id))

    def reject(self, id: str) -> ProgramResult:
        """Delete a pending fact. Raise NothingWaits if there is none with this id."""
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
        """What holds now, or held at an instant: the smallest cited context within a budget of
        tokens.

        Ask in words, or for an attribute of a subject, which take precedence over the words. Of
        several attributes, all but the last are relations that lead to the subject. ``answer`` asks
        the model to answer from that context alone; without a model, code answers.
        """
        from text2mem.ledger.recall import recall

        return recall(
            self.ledger, question, subject=subject, attribute=attribute, as_of=as_of,
            known_at=known_at, budget=budget, answer=(self.reader() or True) if answer else None,
        )  # fmt: skip

    def export(self, subject: str) -> dict[str, Any]:
        """Everything that is held on a subject, as JSON."""
        from text2mem.ledger.export import export

        return export(self.ledger, subject)

    def stats(self) -> dict[str, Any]:
        """Statistics of the store, for its operator."""
        from text2mem.ledger.stats import stats
        from text2mem.ledger.working import standing

        return stats(self.ledger, standing(self.ledger))

    # --- maintenance -----------------------------------------------------------------------

    def evolve(self, document: Mapping[str, Any], *, dry_run: bool = False) -> Evolved:
        """Carry the facts over to another schema: renames, splits, merges, changes of type."""
        from text2mem.ledger.evolution import evolve

        return evolve(self.ledger, document, dry_run=dry_run)
