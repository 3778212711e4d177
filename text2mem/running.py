"""Run programs on a store, with the services they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.adapters.registry import open_adapter
from text2mem.errors import ValidationError
from text2mem.executor import Basis, Prepared, execute_many
from text2mem.executor import execute as run
from text2mem.ir.arguments import as_kind
from text2mem.ir.context import ExecutionContext
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ports import Embedder, Fetcher, Preview, Splitter, Summariser
from text2mem.ir.result import ProgramResult
from text2mem.program import Program
from text2mem.services.extractive import SentenceSplitter


def execute(
    program: Program | Any, store: str | Path | Adapter, *, context: ExecutionContext | None = None,
    summariser: Summariser | None = None, splitter: Splitter | None = None,
    embedder: Embedder | None = None, fetcher: Fetcher | None = None, basis: str | None = None,
) -> ProgramResult:  # fmt: skip
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
    prepared = Prepared.of(summariser, splitter, embedder, fetcher)
    shown = Basis.read(basis)
    if isinstance(store, Adapter):
        return run_program(program, store, context, prepared, basis=shown)
    with closing(open_adapter(store, tenant=context.tenant)) as adapter:
        return run_program(program, adapter, context, prepared, basis=shown)


def run_program(
    program: Program | Any, adapter: Adapter, context: ExecutionContext, prepared: Prepared, *,
    basis: Basis | None = None,
) -> ProgramResult:  # fmt: skip
    """Run a Program, or JSON in any spelling, on an open store with given services."""
    program = loaded(program, context, basis)
    context = context_of(program, context)
    return run(program.ops, adapter, context, prepared=prepared, basis=basis)


def loaded(
    program: Program | Any, context: ExecutionContext, basis: Basis | None = None
) -> Program:
    """The Program itself, or JSON in any spelling as one, its times read at the present instant, or
    at that of the dry run. Raises ValidationError."""
    if isinstance(program, Program):
        return program
    now = context.clock.now() if basis is None else basis.now
    return Program.load(program, now=now, tz=context.tz)


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


def previewing(
    adapter: Adapter, context: ExecutionContext, embedder: Embedder | None = None
) -> Preview:
    """Dry runs for a planner. No service can be down: nothing is fetched, digests are extractive, a
    split is one by sentences, and a run goes on without an embedder that fails."""
    prepared = Prepared.of(None, SentenceSplitter(), embedder)
    dry = context.dry()
    return lambda ops: run(ops, adapter, dry, prepared=prepared)
