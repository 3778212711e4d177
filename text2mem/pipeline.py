"""The way from an utterance to a program: provider, planner, validator and parser put together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from threading import Thread
from typing import Any

from text2mem.clock import SystemClock
from text2mem.compiled import Clarification, Compiled, Nothing, Option, Undo
from text2mem.errors import Text2MemError, UnusableUtterance
from text2mem.ir.arguments import as_kind, as_several, as_words
from text2mem.ir.context import ExecutionContext
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.dialect import canonicalise
from text2mem.ir.json_values import half_a_character, is_unicode
from text2mem.ir.ops import Op
from text2mem.ir.ports import Clock, Embedder, Preview, StoreView
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
