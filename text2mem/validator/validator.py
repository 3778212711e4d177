"""The validator: a canonical program in, every diagnostic out, addressed as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.dialect import Canonical, canonicalise
from text2mem.validator.invariants import check_invariants
from text2mem.validator.structure import check_structure


def validate(document: Any, *, now: datetime, tz: tzinfo) -> Iterator[Diagnostic]:
    """Every violation of a program in any spelling. ``now`` is aware; ``tz`` reads naive times."""
    yield from validate_canonical(canonicalise(document), now=now, tz=tz)


def validate_canonical(program: Canonical, *, now: datetime, tz: tzinfo) -> Iterator[Diagnostic]:
    """The same for a program that the dialect step has already rewritten."""
    if not program.instances:
        yield Diagnostic("not-a-program", "", "the program is empty", "at least one instance")
    for index, instance in enumerate(program.instances):
        at = f"/{index}"
        seen: set[tuple[str, str]] = set()
        for source in (
            check_structure(instance, at),
            check_invariants(instance, at, step=index + 1, now=now, tz=tz),
        ):
            for found in source:
                if (found.code, found.pointer) in seen:
                    continue
                seen.add((found.code, found.pointer))
                yield Diagnostic(
                    found.code,
                    program.pointers.original(found.pointer),
                    found.message,
                    found.hint,
                    found.severity,
                )
