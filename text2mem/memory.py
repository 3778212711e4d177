"""A store and a model together, for an agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from text2mem.adapters.base import Adapter, Env
from text2mem.adapters.registry import open_adapter
from text2mem.adapters.transactions import unit
from text2mem.compiled import Clarification, Compiled, Undo
from text2mem.errors import ClarificationNeeded, ConfigurationError, ExecutionError, MissingExtra
from text2mem.executor import Basis, Prepared, TickResult, encode_many, refused, tick, undo
from text2mem.executor.history import programs
from text2mem.executor.undo import last_program
from text2mem.experience.bank import Bank, bank_of
from text2mem.ir.arguments import as_kind, as_several
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import Encode
from text2mem.ir.ports import Embedder, Fetcher, Splitter, Summariser
from text2mem.ir.registry import Registry
from text2mem.ir.result import ProgramResult
from text2mem.ir.turn import Turn
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.policy import Policy
from text2mem.ledger.screening import screened
from text2mem.ledger.typed_memory import TypedMemory
from text2mem.opening import opened_embedder, opened_splitter, opened_summariser
from text2mem.pipeline import compile, warm
from text2mem.plain_memory import PlainMemory, log_warnings
from text2mem.planner import Budget
from text2mem.program import Program
from text2mem.providers.base import Provider
from text2mem.providers.registry import named, opened_provider
from text2mem.running import loaded, previewing, run_program, run_programs
from text2mem.settings import CODE, Settings

if TYPE_CHECKING:
    from text2mem.ledger.forgetting import Forgotten

_A_BANK = "write True, or give a Bank"


class Memory(PlainMemory, TypedMemory):
    """A store and a model: say something, see the program, see what changed, take it back.

    ``store`` is a path, ``memory:`` or an adapter. ``embedder`` is ``provider:model`` or an
    embedder; by default that of the settings. ``summariser`` is ``extractive``, ``provider:model``
    or a service; by default the model that plans. ``policy`` says what may be remembered of
    conversations: the name of a profile, a file or a document. ``reader`` is the model that reads
    conversations, ``none`` for no model. By default it is the ``model``, or that of the settings if
    its packages are installed. With ``experience``, what a person's words turned out to mean is
    kept beside the store and shown to the planner (docs/experience.md). A model is loaded when it
    is first asked. Use it as a context manager, or close it.
    """

    def __init__(
        self,
        store: str | Path | Adapter = "memory:",
        *,
        model: str | Provider | None = None,
        context: ExecutionContext | None = None,
        summariser: Summariser | str | None = None,
        splitter: Splitter | None = None,
        embedder: Embedder | str | None = None,
        fetcher: Fetcher | None = None,
        policy: Policy | str | Path | Mapping[str, Any] | None = None,
        reader: str | Provider | None = None,
        experience: Bank | bool = False,
    ) -> None:
        self.context = ExecutionContext() if context is None else context
        as_kind(experience, bool | Bank | None, "bank of experience", _A_BANK)
        for each in (model, reader):
            if isinstance(each, str) and each != CODE:
                named(each)
        self._model = model
        self._reader = model if reader is None else reader
        self._named = self._reads_added = self._reader is not None
        """Whether a model was named; and whether new memories are read for the facts that they
        state, which they are if one was named, or if a door sets it."""
        # These are opened first, so that a wrong name leaves no open store.
        named_policy = Settings.from_environment().policy or None
        self._policy = Policy.load(named_policy if policy in (None, "") else policy)
        self._embedder = opened_embedder(embedder)
        # Kept as long as the store is open: a run reuses what its preview prepared.
        self._prepared = Prepared.of(
            opened_summariser(summariser, model),
            opened_splitter(splitter, model, self._embedder), self._embedder, fetcher,
        )  # fmt: skip
        self.adapter = (
            store if isinstance(store, Adapter) else open_adapter(store, tenant=self.context.tenant)
        )
        if experience is True:
            experience = bank_of(store, self.context, self._embedder)
        self._bank = experience or None
        if self._bank is not None:
            self.adapter.bank = self._bank.adapter

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def context(self) -> ExecutionContext:
        """Who calls, and by which clock. It may be set."""
        return self._context

    @context.setter
    def context(self, context: ExecutionContext) -> None:
        hint = "give an ExecutionContext"
        self._context = as_kind(context, ExecutionContext, "context", hint)

    @property
    def ledger(self) -> Ledger:
        """The typed facts and episodes of this store, under its policy."""
        return Ledger(self.adapter, self.context, self._prepared, self._policy)

    @property
    def experience(self) -> Bank | None:
        """What the words of the caller's actor turned out to mean; None if that is not kept."""
        return None if self._bank is None else self._bank.of(self.context.actor)

    @experience.setter
    def experience(self, bank: Bank | None) -> None:
        self._bank = as_kind(bank, Bank | None, "bank of experience", _A_BANK)
        self.adapter.bank = None if bank is None else bank.adapter

    def reader(self) -> Provider | None:
        """The model that reads and answers; None if there is none. Raises ConfigurationError for an
        unknown name, MissingExtra if a model that was named lacks packages."""
        if not self._may_read:
            return None
        try:
            provider = opened_provider(self._reader)
            _ = provider.profile  # a provider that is opened late raises here
        except MissingExtra:
            if self._named:
                raise
            return None
        return provider

    def _ask_through(self, wrap: Callable[[str | Provider | None], Provider]) -> None:
        """Ask the models that plan and read through what ``wrap`` makes of each."""
        self._model = wrap(self._model)
        if self._may_read:
            self._reader = wrap(self._reader)

    @property
    def _may_read(self) -> bool:
        """Whether a model is to read what is told."""
        reader = Settings.from_environment().model if self._reader is None else self._reader
        return reader != CODE

    # --- programs --------------------------------------------------------------------------

    def compile(
        self,
        text: str,
        *,
        context: Sequence[str | Turn] = (),
        budget: Budget | None = None,
        seed: int = 0,
    ) -> Compiled:
        """The program for an utterance, or a question back, planned with a view of this store;
        ``Nothing`` if it asks for nothing, ``Undo`` if the last program is to be taken back."""
        from text2mem.ledger.remembering import carried_over

        bank = self.experience
        like = bank.like(text) if bank is not None else None
        compiled = compile(
            text, model=self._model, context=context, store=self.view(),
            preview=previewing(self.adapter, self.context, self._embedder),
            embedder=self._embedder, budget=budget, seed=seed, clock=self.context.clock,
            tz=self.context.tz, once=like.example if like is not None else None,
        )  # fmt: skip
        return carried_over(compiled, self.ledger, self.reader())

    def warm(self) -> None:
        """Let a model in this process read the store in the background, and return at once. The
        next request is answered sooner."""
        warm(self.view(), self._model)

    def with_facts(self, program: Program) -> Program:
        """The program with its consequences for facts (docs/typed-memory.md, "One memory"), as
        ``add``, ``update`` and ``delete`` run theirs: a new memory brings the facts that it states,
        an Update and a Delete those that rest on it. New memories are read for facts if a ``model``
        or a ``reader`` was named. Nothing is run."""
        from text2mem.ledger.remembering import carried_over

        return carried_over(program, self.ledger, self.reader() if self._reads_added else None)

    def execute(
        self, program: Program | Any, *, basis: str | None = None, confirmed: bool = False
    ) -> ProgramResult:
        """Run a program on this store; with the ``basis`` of a preview, exactly as shown.

        ``confirmed``: the caller agrees to wide or destructive writes, in this call only. A program
        is refused ("denied") if the policy denies a fact that it keeps of a conversation.
        """
        return self._execute(program, self._agreed(confirmed), Basis.read(basis))

    def _agreed(self, confirmed: bool) -> ExecutionContext:
        """The context of one call, with the caller's agreement if that is given."""
        return replace(self.context, confirmed=True) if confirmed else self.context

    def execute_many(self, programs: Sequence[Program | Any]) -> Sequence[ProgramResult]:
        """Run programs in order, many in one transaction; each is kept whole or not at all.

        A program that is refused, also by the policy, does not affect the others. Raises before
        anything runs if a document is no legal program. If a service fails, the programs before are
        kept (``execute_each`` says which).
        """
        return tuple(self.execute_each(programs))

    def execute_each(self, programs: Sequence[Program | Any]) -> Iterator[ProgramResult]:
        """Like ``execute_many``, but yield each result once its program is kept. Nothing runs
        before the first one is asked for."""
        context = self.context.still()
        waiting: list[Program] = []
        given = as_several("programs", programs, object, "programs")
        for program in [loaded(each, context) for each in given]:
            try:
                waiting.append(screened(program, self.ledger))
            except ExecutionError as denied:
                yield from run_programs(waiting, self.adapter, self.context, self._prepared)
                waiting = []
                yield refused(program.ops, denied, self.context)
        yield from run_programs(waiting, self.adapter, self.context, self._prepared)

    def encode_many(self, ops: Sequence[Encode]) -> Sequence[str]:
        """Encode many memories as one program; return their ids, and log the warnings.

        Raises ExecutionError if the program is refused, "denied" by the policy.
        """
        given = as_several("ops", ops, Encode, "Encode")
        allowed: list[Any] = [*screened(Program(given), self.ledger).ops]
        _, effect = encode_many(allowed, self.adapter, self.context, prepared=self._prepared)
        log_warnings(effect.warnings)
        return list(effect.affected)

    def preview(self, program: Program | Any) -> ProgramResult:
        """What the program would do; nothing is kept."""
        return self._execute(program, self.context.dry())

    def _execute(
        self, program: Program | Any, context: ExecutionContext, basis: Basis | None = None
    ) -> ProgramResult:
        program = loaded(program, context, basis)
        try:
            program = screened(program, self.ledger)
        except ExecutionError as denied:
            return refused(program.ops, denied, context)
        return run_program(program, self.adapter, context, self._prepared, basis=basis)

    def forget(
        self, *, subject: str | None = None, episode: str | None = None, taken_back: bool = False,
        thorough: bool = False, confirmed: bool = False,
    ) -> Forgotten:  # fmt: skip
        """Erase a subject or an episode, with everything that was derived from it; if ``thorough``,
        also every turn that names the subject, or that the subject has said. Or erase what an undo
        has ``taken_back``. ``confirmed``: the caller agrees, in this call only."""
        from text2mem.ledger.forgetting import forget

        ledger = replace(self.ledger, context=self._agreed(confirmed))
        return forget(
            ledger, subject=subject, episode=episode, taken_back=taken_back, thorough=thorough
        )

    def run(
        self, text: str, *, context: Sequence[str | Turn] = ()
    ) -> tuple[Program, ProgramResult]:
        """Compile and execute, or undo. If nothing is asked for, the program is empty.

        Raises ClarificationNeeded if the planner asks back.
        """
        compiled = self.compile(text, context=context)
        if isinstance(compiled, Clarification):
            raise ClarificationNeeded(compiled)
        if isinstance(compiled, Program):
            return compiled, self.execute(compiled)
        program = Program((), (), text, compiled.trace)
        if isinstance(compiled, Undo):
            return program, self.undo_last()
        return program, ProgramResult(ok=True, trace_id="")

    # --- the past --------------------------------------------------------------------------

    def undo(
        self, trace_id: str, *, force: bool = False, dry_run: bool = False, confirmed: bool = False
    ) -> ProgramResult:  # fmt: skip
        """Put back what the program with this trace changed. ``dry_run`` only shows that.
        ``confirmed``: the caller agrees that an end that erases comes back."""
        context = self.context.dry() if dry_run else self._agreed(confirmed)
        return undo(trace_id, self.adapter, context, force=force, prepared=self._prepared)

    def undo_last(self, *, force: bool = False, confirmed: bool = False) -> ProgramResult:
        """Take back the last program of the caller's actor that is not taken back yet."""
        last = last_program(programs(self.adapter, self.context, own=True))
        return self.undo(last or "", force=force, confirmed=confirmed)

    def tick(self) -> TickResult:
        """Carry out what is due, and fire reminders."""
        return tick(self.adapter, self.context)

    # --- the store -------------------------------------------------------------------------

    @property
    def registry(self) -> Registry:
        """The known attributes and memory types."""
        return self.adapter.registry()

    @registry.setter
    def registry(self, registry: Registry) -> None:
        as_kind(registry, Registry, "registry", "Registry.load makes one")
        self.context.require_local(
            "a registry is about everybody's facts, and an actor may not set it"
        )
        with unit(self.adapter, keep=not self.context.dry_run):
            now = self.context.clock.now()
            self.adapter.set_registry(registry, Env(self.context, now, self._prepared))

    def reindex(self, *, afresh: bool = False) -> int:
        """Rebuild the word index and make missing vectors, or all of them if ``afresh``. Return how
        many. Raises ConfigurationError in a dry run."""
        if self.context.dry_run:
            raise ConfigurationError(
                "a dry run keeps no index that it makes", hint="reindex with dry_run=False"
            )
        from text2mem.executor.reindex import reindex

        return max(reindex(self.adapter, self._embedder, afresh=afresh), default=0)

    def close(self) -> None:
        """Release the store."""
        self.adapter.close()
        if self.experience is not None:
            self.experience.close()
