"""Compose the stages: compile an utterance, and execute programs with the services they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from threading import Thread
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.adapters.registry import open_adapter
from text2mem.clock import SystemClock
from text2mem.compiled import Clarification, Compiled, Nothing, Option, Undo
from text2mem.errors import ConfigurationError, Text2MemError, UnusableUtterance, ValidationError
from text2mem.executor import Prepared, execute_many
from text2mem.executor import execute as run
from text2mem.executor.basis import Basis
from text2mem.ir.arguments import as_kind, as_several, as_words
from text2mem.ir.context import ExecutionContext
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.dialect import canonicalise
from text2mem.ir.json_values import half_a_character, is_unicode
from text2mem.ir.ops import Op
from text2mem.ir.ports import Clock, Embedder, Fetcher, Preview, Splitter, StoreView, Summariser
from text2mem.ir.result import ProgramResult
from text2mem.ir.turn import Turn
from text2mem.parser import parse as parse_instances
from text2mem.planner import Ask, Budget, Example, Language, Trace, adrive, drive, plan
from text2mem.planner.asking import ClarifyingQuestion
from text2mem.planner.picture import View, whole
from text2mem.planner.reader import beginning
from text2mem.planner.sight import Sight
from text2mem.planner.steps import Steps
from text2mem.program import Program, instant_of
from text2mem.providers.base import Provider, Sampling
from text2mem.providers.caching import ANSWERS
from text2mem.providers.registry import opened_provider
from text2mem.services.extractive import ExtractiveSummariser, SentenceSplitter
from text2mem.validator import validate as validate_program

_MAX_UTTERANCE = 8_000


def validate(document: Any, *, now: datetime | None = None, tz: tzinfo = UTC) -> list[Diagnostic]:
    """Every violation of a program in any spelling; empty if it is legal."""
    return list(validate_program(canonicalise(document), now=instant_of(now, tz), tz=tz))


def compile(
    text: str, *, model: str | Provider | None = None, context: Sequence[str | Turn] = (),
    store: StoreView | None = None, preview: Preview | None = None,
    embedder: Embedder | None = None, clock: Clock | None = None, tz: tzinfo = UTC,
    budget: Budget | None = None, seed: int = 0, once: Example | None = None,
) -> Compiled:  # fmt: skip
    """The program that an utterance asks for, checked and typed but not run; or a question back.

    ``Nothing`` if it asks for nothing, ``Undo`` if the last program is to be taken back.

    ``model`` is ``provider:model`` or a provider; ``context`` holds the earlier turns. ``store``
    lets the planner see what the store holds, ``embedder`` search it by meaning, and ``preview``
    try programs on it. Phrases of time become instants by ``clock`` and ``tz``. ``once`` is an
    earlier request of the same person that this one may be like, with what it meant. Raises
    PlannerError and its kinds, ServiceError, ConfigurationError.
    """
    provider = opened_provider(model)
    compiling = _compiling(
        text, provider, context, store, preview, embedder, clock, tz, budget, seed, once
    )
    return drive(compiling, provider, ANSWERS)


async def acompile(
    text: str, *, model: str | Provider | None = None, context: Sequence[str | Turn] = (),
    store: StoreView | None = None, preview: Preview | None = None,
    embedder: Embedder | None = None, clock: Clock | None = None, tz: tzinfo = UTC,
    budget: Budget | None = None, seed: int = 0, once: Example | None = None,
) -> Compiled:  # fmt: skip
    """``compile`` without blocking."""
    provider = opened_provider(model)
    compiling = _compiling(
        text, provider, context, store, preview, embedder, clock, tz, budget, seed, once
    )
    return await adrive(compiling, provider, ANSWERS)


def warm(store: StoreView, model: str | Provider | None = None) -> Thread | None:
    """Load the model of this process and let it read a store, in a background thread, so that the
    next request is answered sooner. Its errors are left to that request.

    Return the thread; None if no tuned local model is used.
    """
    with suppress(Text2MemError):
        provider = opened_provider(model)
        provider = getattr(
            provider, "wrapped", provider
        )  # the thread does not hold the store's lock
        profile = provider.profile
        if not (profile.tuned and provider.name.startswith("local:")):
            return None
        request = beginning(whole(Sight(store), profile.picture) or View(), profile)

        def ask() -> None:
            with suppress(Text2MemError):
                provider.complete(request)

        thread = Thread(target=ask, daemon=True)
        thread.start()
        return thread
    return None


def execute(
    program: Program | Any,
    store: str | Path | Adapter,
    *,
    context: ExecutionContext | None = None,
    summariser: Summariser | None = None,
    splitter: Splitter | None = None,
    embedder: Embedder | None = None,
    fetcher: Fetcher | None = None,
    basis: str | None = None,
) -> ProgramResult:
    """Run a program on a store: every step or none.

    ``program`` is a Program or JSON in any spelling. ``store`` is a path, ``memory:`` or an
    adapter, which stays open. Only ``context`` decides what the program may do. Without a
    ``summariser``, digests are extractive. A custom Split needs a ``splitter``; an ``embedder``
    gives memories vectors; a ``fetcher`` fetches what a url leads to. ``basis`` is that of a dry
    run whose effect this run must have.
    """
    context = as_kind(
        context or ExecutionContext(), ExecutionContext, "context", "give an ExecutionContext"
    )
    prepared = services(summariser, splitter, embedder, fetcher)
    if isinstance(store, Adapter):
        return run_program(program, store, context, prepared, basis=basis)
    with closing(open_adapter(store, tenant=context.tenant)) as adapter:
        return run_program(program, adapter, context, prepared, basis=basis)


# --- the stages put together ---------------------------------------------------------------


def _compiling(
    text: str, provider: Provider, context: Sequence[str | Turn], store: StoreView | None,
    preview: Preview | None, embedder: Embedder | None, clock: Clock | None, tz: tzinfo,
    budget: Budget | None, seed: int, once: Example | None,
) -> Steps[Compiled]:  # fmt: skip
    """The steps of ``compile`` and ``acompile``: check the arguments, plan, and type the result."""
    usable(text)
    as_kind(seed, int, "seed", "give a whole number")
    budget = as_kind(budget or Budget(), Budget, "budget", "give a Budget")
    now = ExecutionContext(clock=clock or SystemClock(), tz=tz).clock.now().replace(microsecond=0)
    given = as_several("context", context, str | Turn, "earlier turns, the last one last")
    turns = tuple(map(Turn.of, given))
    if not all(is_unicode(turn.text) for turn in turns):
        raise half_a_character()
    ask = Ask(text.strip(), now, turns, store, preview, embedder, tz, once)
    trace = Trace()
    profile = provider.profile
    sampling = Sampling(seed=seed, max_tokens=profile.max_output)

    def check(document: list[Any]) -> list[Diagnostic]:
        return validate(document, now=now, tz=tz) if document else []

    def parsed(document: list[Any]) -> tuple[Op, ...]:
        return parse_instances(canonicalise(document).instances, now=now, tz=tz)

    language = Language(check, parsed)
    planned = yield from plan(ask, profile, sampling, language, budget, trace)
    if isinstance(planned, ClarifyingQuestion):
        # Only legal programs are offered.
        options = tuple(
            Option(
                choice.label,
                Program(parsed(choice.instances), (), text, trace),
                choice.effect,
                choice.keeps,
            )
            for choice in planned.options
            if choice.instances and not language.errors(choice.instances)
        )
        return Clarification(planned.text, planned.reason, options, planned.candidates, text, trace)
    if planned.undo:
        return Undo(text, trace)
    if not planned.instances:
        return Nothing(text, trace, planned.missing)
    return Program(parsed(planned.instances), (), text, trace)


def run_program(
    program: Program | Any,
    adapter: Adapter,
    context: ExecutionContext,
    prepared: Prepared,
    *,
    basis: str | None = None,
) -> ProgramResult:
    """Run a Program, or JSON in any spelling, on an open store with given services."""
    program = loaded(program, context, read_at(context, basis))
    context = context_of(program, context)
    return run(program.ops, adapter, context, prepared=prepared, basis=basis)


def loaded(program: Program | Any, context: ExecutionContext, now: datetime) -> Program:
    """The Program itself, or JSON in any spelling as one. Raises ValidationError."""
    if isinstance(program, Program):
        return program
    return Program.load(program, now=now, tz=context.tz)


def read_at(context: ExecutionContext, basis: str | None) -> datetime:
    """The instant at which a document's times are read; with a basis, that of its dry run."""
    return context.clock.now() if basis is None else Basis.read(str(basis)).now


def run_programs(
    programs: Sequence[Program], adapter: Adapter, context: ExecutionContext, prepared: Prepared
) -> Iterator[ProgramResult]:
    """Run programs in order, many in one transaction; each is kept whole or not at all, and its
    result is yielded once it is kept.

    Raises ValidationError, before anything runs, if a document names another actor. What else is
    raised is about the program after the last one that was yielded.
    """
    pairs = [(context_of(program, context), program.ops) for program in programs]
    for each, group in groupby(pairs, key=itemgetter(0)):
        yield from execute_many([ops for _, ops in group], adapter, each, prepared=prepared)


def services(
    summariser: Summariser | None = None,
    splitter: Splitter | None = None,
    embedder: Embedder | None = None,
    fetcher: Fetcher | None = None,
) -> Prepared:
    """The services of a run; without a summariser, the extractive one. Raises ConfigurationError
    for an object that lacks the method of its service."""
    parts = {"summarise": summariser, "split": splitter, "embed": embedder, "fetch": fetcher}
    for does, given in parts.items():
        if given is not None and (isinstance(given, str) or not callable(getattr(given, does, 0))):
            raise ConfigurationError(
                f"{given!r:.80} is no service that can {does}", hint=f"give one with {does}()"
            )
    return Prepared(summariser or ExtractiveSummariser(), splitter, embedder, fetcher)


def previewing(
    adapter: Adapter, context: ExecutionContext, embedder: Embedder | None = None
) -> Preview:
    """Dry runs for a planner. No service can be down: nothing is fetched, digests are extractive, a
    split is one by sentences, and a run goes on without an embedder that fails."""
    prepared = services(None, SentenceSplitter(), embedder)
    dry = context.dry()
    return lambda ops: run(ops, adapter, dry, prepared=prepared)


def usable(utterance: object) -> str:
    """The utterance, if it can be compiled. Raises UnusableUtterance, ConfigurationError."""
    text = as_words("the utterance", utterance)
    if not text.strip():
        raise UnusableUtterance("there is nothing to compile: the utterance is empty")
    if len(text) > _MAX_UTTERANCE:
        raise UnusableUtterance(
            f"the utterance has {len(text)} characters, more than {_MAX_UTTERANCE}",
            hint="say one request at a time; Memory.add or `text2mem exec` keeps a long text",
        )
    if not is_unicode(text):
        raise half_a_character()
    return text


def context_of(program: Program, context: ExecutionContext) -> ExecutionContext:
    """The caller's context with the words of the request, and what a document may add to it: one
    dry step makes all of them dry. Raises ValidationError if it names another actor."""
    strangers = [
        Diagnostic(
            "actor-mismatch",
            f"{at}/actor",
            f"the document says actor {meta['actor']!r}, the caller is {context.actor!r}",
            "a document cannot choose who it runs as",
        )
        for at, meta in program.meta
        if "actor" in meta and meta["actor"] != context.actor
    ]
    if strangers:
        raise ValidationError(strangers)
    metas = [meta for _, meta in program.meta]
    named = next((meta["trace_id"] for meta in metas if meta.get("trace_id")), None)
    agreed = context.trust_meta and metas and all(meta.get("confirmation") for meta in metas)
    return replace(
        context,
        said=program.utterance,
        dry_run=context.dry_run or any(meta.get("dry_run") for meta in metas),
        trace_id=named if context.trace_id is None else context.trace_id,
        confirmed=bool(context.confirmed or agreed),
    )
