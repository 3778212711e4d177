"""Playing a case of ``fixtures/exec`` on a backend, step by step (see its ``case.schema.json``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from tests import postgres
from tests.conformance.toys import Toys, toys
from text2mem.adapters.base import Adapter, Env, Scope
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.executor import Basis, execute, tick, undo
from text2mem.ir.context import ExecutionContext
from text2mem.ir.dialect import canonicalise
from text2mem.ir.ops import ByIds
from text2mem.ir.registry import Registry
from text2mem.parser.parser import parse
from text2mem.pipeline import validate
from text2mem_bench.oracle.adapter import PlainAdapter

Case = dict[str, Any]
Outcome = dict[str, Any]
Memories = dict[str, dict[str, Any]]
Opener = Callable[[str | Path, str], Adapter]
"""Opens a store (``:memory:``, or a file) as a tenant."""

BACKENDS: dict[str, Opener] = {
    "plain": lambda path, tenant: PlainAdapter(tenant),
    "sqlite": lambda path, tenant: SqliteAdapter(path, tenant=tenant),
    "postgres": postgres.Opener("played"),
}

KINDS = ("program", "undo", "tick", "registry")
LAST_ID = 60


@dataclass(frozen=True, slots=True)
class Seen:
    """What a step gave, and every memory of its tenant afterwards, by id."""

    outcome: Outcome
    memories: Memories


@dataclass(slots=True)
class Stage:
    """A store that the steps of one case are played on, with a connection a tenant."""

    case: Case
    open: Opener
    path: str | Path
    stack: ExitStack
    toys: Toys
    stores: dict[str, Adapter] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)
    dry: dict[str, Outcome] = field(default_factory=dict)
    played: int = 0

    def store(self, tenant: str) -> Adapter:
        """The tenant's adapter, opened when it is first asked for."""
        if tenant not in self.stores:
            self.stores[tenant] = self.stack.enter_context(closing(self.open(self.path, tenant)))
        return self.stores[tenant]

    def play(self, step: Any, **otherwise: Any) -> Seen:
        """One step; ``otherwise`` holds options that count where the step does not say."""
        self.played += 1
        if isinstance(step, list) or "op" in step:
            step = {"program": step}
        step = {"now": self.case["now"], "trace": f"step-{self.played}", **otherwise, **step}
        context = context_of(step)
        store = self.store(context.tenant)
        self.toys.outage.down = frozenset(step.get("down", ()))
        (kind,) = (each for each in KINDS if each in step)
        outcome: Outcome = getattr(self, f"_{kind}")(step, store, context)
        return Seen(outcome, memories(store, context))

    def _program(self, step: Mapping[str, Any], store: Adapter, context: ExecutionContext) -> Any:
        now, document = context.clock.now(), step["program"]
        found = [d for d in validate(document, now=now, tz=context.tz) if d.severity == "error"]
        assert not found, found
        ops = parse(canonicalise(document).instances, now=now, tz=context.tz)
        basis = Basis.read(self.bases[step["basis"]]) if "basis" in step else None
        result = execute(ops, store, context, prepared=self.toys.prepared, basis=basis)
        outcome = result.as_dict()
        if result.basis is not None:
            self.bases[step["trace"]], self.dry[step["trace"]] = result.basis, outcome
        return outcome

    def _undo(self, step: Mapping[str, Any], store: Adapter, context: ExecutionContext) -> Any:
        force = step.get("force", False)
        prepared = self.toys.prepared
        return undo(step["undo"], store, context, force=force, prepared=prepared).as_dict()

    def _tick(self, step: Mapping[str, Any], store: Adapter, context: ExecutionContext) -> Any:
        return tick(store, context).as_dict()

    def _registry(self, step: Mapping[str, Any], store: Adapter, context: ExecutionContext) -> Any:
        env = Env(context, context.clock.now(), self.toys.prepared)
        with store.transaction():
            store.set_registry(Registry.load(step["registry"]), env)
        return {}


@contextmanager
def staged(case: Case, open_: Opener) -> Iterator[Stage]:
    """A stage for one case. Several tenants meet in one file, which is gone afterwards."""
    steps = [step for step in [*case["setup"], case["input"], *case.get("then", [])]]
    several = any(isinstance(step, dict) and "tenant" in step for step in steps)
    with ExitStack() as stack:
        path: str | Path = ":memory:"
        if several:
            path = Path(stack.enter_context(TemporaryDirectory())) / "store.db"
        yield Stage(case, open_, path, stack, toys(case.get("services", {})))


def context_of(step: Mapping[str, Any]) -> ExecutionContext:
    """Who plays a step, and when."""
    return ExecutionContext(
        tenant=step.get("tenant", "default"),
        actor=step.get("actor"),
        roles=frozenset(step.get("roles", ())),
        clock=FixedClock(instant(step["now"])),
        tz=ZoneInfo(step["zone"]) if "zone" in step else UTC,
        confirmed=step.get("confirmed", False),
        dry_run=step.get("dry_run", False),
        trace_id=step["trace"],
    )


def memories(store: Adapter, context: ExecutionContext) -> Memories:
    """Every memory of the tenant by id with all of its fields, deleted ones too."""
    local = ExecutionContext(tenant=context.tenant, clock=context.clock)
    scope = Scope(context=local, now=context.clock.now(), deleted=True, archived=True)
    ids = tuple(str(number) for number in range(1, LAST_ID))
    return {row.id: row.as_dict() for row in store.resolve(ByIds(ids), scope).rows}


def instant(text: str) -> datetime:
    """An instant in the stored form."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
