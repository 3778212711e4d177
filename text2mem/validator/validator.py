"""The validator: yield every violation of a program as a diagnostic.

Its pointers address the document as it was written, before the dialect step.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, tzinfo
from itertools import chain

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.dialect import Canonical
from text2mem.ir.json_values import flaws
from text2mem.validator.invariants import check_invariants
from text2mem.validator.structure import check_structure


def validate(program: Canonical, *, now: datetime, tz: tzinfo) -> Iterator[Diagnostic]:
    """Yield every violation of a program that the dialect step has rewritten. ``now`` is aware,
    ``tz`` the zone of times without an offset."""
    with suppress(RecursionError):
        if not program.too_deep:
            yield from _validate(program, now, tz)
            return
    yield Diagnostic("too-deep", "", "the document is nested too deeply", "flatten it")


def _validate(program: Canonical, now: datetime, tz: tzinfo) -> Iterator[Diagnostic]:
    """Yield the violations of a program, each code once per pointer. May raise RecursionError."""
    original = program.original
    if not program.instances:
        said, hint = "the program is empty", "at least one instance"
        yield Diagnostic("not-a-program", original(""), said, hint)
    broken = list(flaws(program.instances))
    yield from (replace(flaw, pointer=original(flaw.pointer)) for flaw in broken)
    if any(flaw.code in ("too-deep", "out-of-range") for flaw in broken):
        return  # the checks below, or printing a diagnostic, would fail
    for index, instance in enumerate(program.instances):
        at = f"/{index}"
        structure = check_structure(instance, at)
        invariants = check_invariants(instance, at, step=index + 1, now=now, tz=tz)
        seen: set[tuple[str, str]] = set()
        for found in chain(structure, invariants):
            if (found.code, found.pointer) not in seen:
                seen.add((found.code, found.pointer))
                yield replace(found, pointer=original(found.pointer))
