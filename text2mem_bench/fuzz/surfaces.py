"""What is fuzzed: each surface makes an input at random, and runs it under a meter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from text2mem_bench.fuzz.meter import Meter
from text2mem_bench.fuzz.texts import Invoke


@dataclass(frozen=True, slots=True)
class Surface:
    """One surface. What ``make`` makes is JSON, bytes in it apart; ``run`` takes any such value.

    What ``run`` raises is a finding: whatever is not a Text2MemError, ``Broken`` and ``TooSlow``.
    """

    name: str
    make: Callable[[Random], Any]
    run: Callable[[Any, Meter], None]


def shipped(invoke: Invoke) -> tuple[Surface, ...]:
    """The surfaces of the package, in the order in which cases take turns.

    ``invoke`` runs a command line in this process.
    """
    from text2mem_bench.fuzz import conversations, drafts, grammar, programs, stores, texts

    return (
        Surface("program", grammar.document, programs.run),
        Surface("plain", stores.make, stores.run_on("plain:")),
        Surface("cli", texts.make, texts.run_with(invoke)),
        Surface("draft", drafts.make_draft, drafts.run_draft),
        Surface("sqlite", stores.make, stores.run_on("memory:")),
        Surface("planner", drafts.make_plan, drafts.run_plan),
        Surface("observe", conversations.make, conversations.run),
    )
