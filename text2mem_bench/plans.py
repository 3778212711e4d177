"""How Postgres carries out what a program asks for: the plan of every statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar

from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem.adapters.postgres.connections import Address
from text2mem.adapters.postgres.store import PostgresStore, translated
from text2mem.adapters.sql.damage import guarded
from text2mem.adapters.sql.database import Cursor
from text2mem.executor import Prepared, execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import Op

_READ = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) "
_WRITTEN = "EXPLAIN (COSTS OFF) "
_WIDTH = 200  # of a line on a page; vectors are longer


@dataclass(frozen=True, slots=True)
class Plan:
    """A statement, and how it was carried out, as EXPLAIN shows it."""

    sql: str
    text: str


class _Explained(PostgresStore):
    def __init__(self, where: Address, tenant: str) -> None:
        self.plans: list[Plan] = []
        super().__init__(where, tenant)

    def execute(self, sql: str, **parameters: object) -> Cursor:
        self._explain(sql, {"tenant": self.tenant, **parameters})
        return super().execute(sql, **parameters)

    def _explain(self, sql: str, values: Mapping[str, object]) -> None:
        """What writes is not carried out twice: its plan is without what came of it."""
        how = _READ if sql.lstrip().startswith("SELECT") else _WRITTEN
        with self._transacting() as connection:
            rows = connection.execute(how + translated(sql), values)
            self.plans.append(Plan(" ".join(sql.split()), "\n".join(row[0] for row in rows)))


@guarded
class ExplainedAdapter(PostgresAdapter):
    """A store that keeps the plan of every statement."""

    opens: ClassVar[type[PostgresStore]] = _Explained
    _store: _Explained

    def plans(self) -> list[Plan]:
        """Those since the last call."""
        found, self._store.plans = self._store.plans, []
        return found


def explained(
    url: str, op: Op, context: ExecutionContext, *, prepared: Prepared | None = None,
    index: bool = False,
) -> Sequence[Plan]:  # fmt: skip
    """The plans of a step, which is carried out. Raises StoreError, ConfigurationError."""
    least = 1 if index else 1 << 62
    adapter = ExplainedAdapter(url, tenant=context.tenant, vector_index_from=least)
    with closing(adapter):
        adapter.plans()
        result = execute([op], adapter, context, prepared=prepared)
        assert result.ok, result.error
        return adapter.plans()


def as_page(title: str, found: Iterable[tuple[str, Sequence[Plan]]]) -> str:
    """Plans as a page of Markdown: every statement once, below the read that first needs it."""
    parts, known = [f"# Plans of `{title}`"], set()

    def short(plan: Plan) -> str:
        lines = (
            f"{line[:_WIDTH]}…" if len(line) > _WIDTH else line for line in plan.text.split("\n")
        )
        return "\n".join(lines)

    for what, plans in found:
        new = [plan for plan in plans if plan.sql not in known]
        known |= {plan.sql for plan in new}
        parts += [f"## {what}", *(f"```\n{plan.sql}\n\n{short(plan)}\n```" for plan in new)]
    return "\n\n".join(parts) + "\n"
