"""Who runs the programs of a history, and the toy services that they run with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from tests.conformance.toys import AtSemicolons, Joined, Outage, Pages, WordVectors
from text2mem.clock import FixedClock
from text2mem.executor import Prepared
from text2mem.ir.context import ExecutionContext

ZONES: Mapping[str, tzinfo] = {"UTC": UTC, "Shanghai": ZoneInfo("Asia/Shanghai")}
_PAGES = Pages({"https://example.org/rent": "The rent is due. Bring tea!"}, Outage())
_VECTORS = {
    "milk": (1, 0, 0, 0), "tea": (0, 1, 0, 0), "茶": (0, 1, 0, 0), "rent": (0, 0, 1, 0),
    "房租": (0, 0, 1, 0), "rome": (0, 1, 1, 0),
}  # fmt: skip


def _vectors(model: str = "toy:words", *, down: bool = False) -> WordVectors:
    outage = Outage(frozenset({"embedder"} if down else ()))
    return WordVectors(_VECTORS, (0, 0, 0, 1), threshold=0.57123, outage=outage, model=model)


EMBEDDERS: Mapping[str, WordVectors | None] = {
    "none": None,
    "toy": _vectors(),
    "silent": _vectors(down=True),
    "other": _vectors("toy:other"),
}


def services(embedder: str = "none") -> Prepared:
    """Toy services, the embedder one of ``EMBEDDERS``."""
    return Prepared(Joined(), AtSemicolons(), EMBEDDERS[embedder], _PAGES)


@dataclass(frozen=True)
class Caller:
    """Who runs a program, and with which embedder."""

    actor: str | None = None
    roles: tuple[str, ...] = ()
    zone: str = "UTC"
    confirmed: bool = True
    dry: bool = False
    embedder: str = "none"

    def context(self, now: datetime, trace_id: str | None = None) -> ExecutionContext:
        """The context of a program of this caller."""
        return ExecutionContext(
            actor=self.actor, roles=frozenset(self.roles), tz=ZONES[self.zone],
            confirmed=self.confirmed, dry_run=self.dry, clock=FixedClock(now), trace_id=trace_id,
        )  # fmt: skip


LOCAL = Caller()
