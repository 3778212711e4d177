"""Adversarial cases: a store, a request or a program that must not do harm, and what is right.

``fixtures/adversarial/case.schema.json`` and ``fixtures/absent/case.schema.json`` say how they are
written; the latter name a store of the file ``stores.json`` beside them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from text2mem.clock import FixedClock
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import READS
from text2mem_bench.lines import read
from text2mem_bench.running import Step, instant

KINDS = (
    "malformed", "near-miss", "contradictory", "injection", "wide", "absent", "present",
    "impersonation", "locked",
)  # fmt: skip
SETS: Mapping[str, tuple[str, ...]] = {
    "absent": ("absent", "present"), "injection": ("injection",), "all": KINDS,
}  # fmt: skip
"""What can be asked for together: requests for what is not there with their controls, or orders in
stored text."""
_STORES = "stores.json"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a program may do at most: with which ops, to which memories, to how many of them.

    ``ops`` None is any op. ``rows`` are ids, those of another tenant as ``tenant/id``. ``creates``
    new memories at most.
    """

    ops: frozenset[str] | None
    rows: frozenset[str] = frozenset()
    at_most: int | None = None
    creates: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """Which ends are right; at least one. ``hidden`` are ids that no read may return.

    ``codes`` are the code and pointer of every fault of a refused given program, where they are
    told. ``limited`` and ``harmless`` are bounds within which a program may run; what is harmless
    changes no memory that there was. ``exactly``: it has to touch each of those memories, and no
    other, and to return each of ``returns``.
    """

    refused: bool = False
    codes: frozenset[tuple[str, str]] | None = None
    asks: bool = False
    limited: Bounds | None = None
    harmless: Bounds | None = None
    exactly: Bounds | None = None
    returns: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class AdversarialCase:
    """One case: an utterance to compile, a program that is given, or both."""

    id: str
    lang: str
    kind: str
    now: datetime
    caller: Step
    setup: tuple[Step, ...]
    context: tuple[str, ...] = ()
    utterance: str | None = None
    program: Any = None
    expected: Expected

    @property
    def execution_context(self) -> ExecutionContext:
        """Who asks: nobody has confirmed anything, and no document is trusted."""
        return ExecutionContext(
            tenant=self.caller.tenant, actor=self.caller.actor, roles=self.caller.roles,
            clock=FixedClock(self.now),
        )  # fmt: skip

    @property
    def tenants(self) -> tuple[str, ...]:
        """Whose memories the store holds, the caller's tenant first."""
        return tuple(dict.fromkeys([self.caller.tenant, *(step.tenant for step in self.setup)]))


def read_cases(path: str | Path, limit: int | None = None) -> list[AdversarialCase]:
    """The cases of a file, the first ``limit`` of them.

    Raises ConfigurationError, with the line, where one is not in the format.
    """
    stores = _stores(Path(path).with_name(_STORES))
    return read(
        path, limit, lambda row: _about(row, stores) if "store" in row else _case(row),
        what="an adversarial case",
        hint="fixtures/adversarial/case.schema.json says what a case is",
    )  # fmt: skip


def _case(row: Any) -> AdversarialCase:
    """Raises KeyError, TypeError, ValueError or AttributeError where it is not in the format."""
    if row["kind"] not in KINDS:
        raise ValueError(f"there is no kind '{row['kind']}'")
    if "utterance" not in row and "program" not in row:
        raise ValueError("it has neither an utterance nor a program")
    return AdversarialCase(
        id=str(row["id"]), lang=str(row["lang"]), kind=row["kind"], now=instant(row["now"]),
        caller=Step.read({"program": None, **row.get("caller", {})}),
        setup=tuple(map(Step.read, row["setup"])), context=tuple(row.get("context", ())),
        utterance=row.get("utterance"), program=row.get("program"),
        expected=_expected(row["expected"]),
    )  # fmt: skip


def _stores(path: Path) -> Mapping[str, Any]:
    """The stores that rows beside this file can name; none where there is no such file."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from error
    return found if isinstance(found, dict) else {}


def _about(row: Any, stores: Mapping[str, Any]) -> AdversarialCase:
    """A request about a named store, and what it changes there: nothing, or some memories.

    Raises KeyError, TypeError, ValueError or AttributeError where it is not in the format.
    """
    if row["store"] not in stores:
        raise ValueError(f"there is no store '{row['store']}' in {_STORES}")
    if row["kind"] not in SETS["absent"]:
        raise ValueError(f"the kind '{row['kind']}' names no store")
    store, told = stores[row["store"]], row["expected"]
    memories = [{"stage": "ENC", "op": "Encode", "args": args} for args in store["memories"]]
    if row["kind"] == "absent":
        expected = Expected(refused=True, asks=True, harmless=Bounds(None))
    else:
        ops = READS | {row["op"]}
        bounds = Bounds(ops, frozenset(told["touches"]), creates=told.get("creates", 0))
        expected = Expected(exactly=bounds, returns=frozenset(told.get("returns", ())))
    return AdversarialCase(
        id=str(row["id"]), lang=str(row["lang"]), kind=row["kind"], now=instant(store["now"]),
        caller=Step.read({"program": None}), setup=(Step(program=memories),),
        utterance=row["utterance"], program=row.get("program"), expected=expected,
    )  # fmt: skip


def _expected(raw: Any) -> Expected:
    if not isinstance(raw, dict) or not {"refused", "asks", "limited", "harmless"} & set(raw):
        raise ValueError("it does not say what is right")
    codes = None
    if "codes" in raw.get("refused", {}):
        codes = frozenset((each["code"], each["pointer"]) for each in raw["refused"]["codes"])
    return Expected(
        refused="refused" in raw, codes=codes, asks="asks" in raw,
        limited=_bounds(raw.get("limited")), harmless=_bounds(raw.get("harmless")),
        hidden=frozenset(raw.get("hidden", ())),
    )  # fmt: skip


def _bounds(raw: Any) -> Bounds | None:
    if raw is None:
        return None
    return Bounds(
        frozenset(raw["ops"]), frozenset(raw.get("rows", ())), raw.get("at_most"),
        raw.get("creates", 0),
    )  # fmt: skip
