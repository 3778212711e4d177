"""Play the drafts that authors meant: ``python -m training.meant AUTHOR …`` prints what code makes
of a perfect reading.

Each request over a store is answered with its author's draft, in the form and with the names that
the tuned reader writes, as if the reader were certain of every token. What is asked about then, or
hits other memories than the author's, is a matter of code and its limits, not of the reader. No
model is run.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from text2mem.adapters.registry import open_adapter
from text2mem.clock import FixedClock
from text2mem.compiled import Clarification
from text2mem.errors import Text2MemError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import READS
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.ir.words.segment import HAN
from text2mem.memory import Memory
from text2mem.planner.draft import Draft
from text2mem.planner.picture import View
from text2mem.program import Program
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import TUNED
from training.rows import DATA, Row, Store, stores
from training.seen import pointed, tuned_answer
from training.stores import embedder

_SHOWN = "Memories: "
_NOW = datetime(2026, 5, 6, 8, 20, tzinfo=UTC)
_REMIND = {"rrule": "FREQ=MONTHLY;BYMONTHDAY=28"}
_UNTIL = "2027-03-01T00:00:00Z"


@dataclass
class Author:
    """Answers each question as the author of ``row`` would."""

    view: View
    row: Row | None = None
    provider: FunctionProvider = field(init=False)

    def __post_init__(self) -> None:
        self.provider = FunctionProvider(self._answer, profile=TUNED)

    def _answer(self, request: Request) -> Any:
        assert self.row is not None
        if not request.prompt:
            return {}  # how a memory is cut, or a digest: code does without
        said, _, op = request.prompt.splitlines()[-1].partition("Asks for ")
        if op and not said:
            return op.removesuffix(": ") in self.row.ops
        if not request.prompt.startswith(_SHOWN):
            return self.row.draft.as_dict()
        meant = tuned_answer(pointing(self.row), self.view)
        may_ask = "ask" in f"{request.schema} {request.grammar}"
        return json.loads(meant) if may_ask or not self.row.draft.ask else {"steps": []}


def pointing(row: Row) -> Draft:
    """The draft of a row with names of memories in place of the words that say which."""
    steps = tuple(
        pointed(step, ids) if ids and step.values.get("which") != "step" else step
        for step, ids in zip(row.draft.steps, row.hits, strict=True)
    )
    return replace(row.draft, steps=steps)


def filled(memory: Memory, store: Store) -> None:
    """Fill an empty store with the memories of a row's store, under their ids."""
    for record in store.memories:
        result = memory.execute(Program.load([*_ops(record)], now=_NOW))
        assert result.ok and result.results[0].created == (record.id,), (store.name, record.id)


def _ops(record: Record) -> Iterator[Mapping[str, Any]]:
    made: dict[str, Any] = {"payload": {"text": record.text}, "tags": list(record.tags)}
    if record.remind_rrule is not None:
        made["remind"] = _REMIND
    yield {"stage": "ENC", "op": "Encode", "args": made}
    then = {
        "Expire": record.expire_at and {"until": _UNTIL, "on_expire": "soft_delete"},
        "Demote": record.archived and {"archive": True},
        "Lock": record.lock_mode and {"mode": record.lock_mode},
    }
    for op, args in then.items():
        if args:
            yield {"stage": "STO", "op": op, "target": {"ids": ["$1"]}, "args": args}


def outcomes(store: Store) -> Iterator[tuple[str, Row, str]]:
    """What becomes of each request that stands alone: a word for it, the request, and more."""
    zone = ZoneInfo("Asia/Shanghai" if HAN.search(store.memories[0].text) else "Europe/London")
    context = ExecutionContext(clock=FixedClock(_NOW), tz=zone, confirmed=True)
    shown = tuple(r for r in store.memories if not r.deleted)
    author = Author(View(shown, len(shown)))
    with closing(open_adapter("memory:")) as adapter:
        filled(Memory(adapter, context=context, embedder=embedder()), store)
        memory = Memory(adapter, model=author.provider, context=context, embedder=embedder())
        for row in store.rows:
            if row.before or row.draft.undo:
                continue
            author.row = row
            try:
                yield _outcome(memory, row)
            except Text2MemError as error:
                yield "error", row, f"{type(error).__name__}: {error}"


def _outcome(memory: Memory, row: Row) -> tuple[str, Row, str]:
    answer = memory.compile(row.utterance)
    if isinstance(answer, Clarification):
        asked = "asked, as meant" if row.draft.ask else f"asked: {answer.reason}"
        return asked, row, answer.question
    result = memory.preview(answer) if isinstance(answer, Program) else None
    wrote, read = _hit(result, reads=False), _hit(result, reads=True)
    writes = [ids for step, ids in _meant(row) if step not in READS]
    reads = [ids for step, ids in _meant(row) if step in READS]
    if wrote != {id_ for ids in writes for id_ in ids}:
        return "other memories", row, f"{sorted(wrote, key=int)}"
    if not {id_ for ids in reads for id_ in ids} <= read:
        return "not read", row, f"{sorted(read, key=int)}"
    return "right", row, ""


def _meant(row: Row) -> Sequence[tuple[str, Sequence[str]]]:
    return [(step.op, ids) for step, ids in zip(row.draft.steps, row.hits, strict=True)]


def _hit(result: ProgramResult | None, *, reads: bool) -> set[str]:
    """The memories that the reads of a program found, or that its other steps changed."""
    done = result.results if result is not None else ()
    if reads:
        return {id_ for step in done if step.op in READS for id_ in step.affected}
    made = {id_ for step in done for id_ in step.created}
    return {change.id for step in done for change in step.changes} - made


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("authors", nargs="+", help=f"file names of {DATA.name}, without .jsonl")
    parser.add_argument("--list", action="store_true", help="print what is not right")
    args = parser.parse_args()
    counted: Counter[str] = Counter()
    for store in stores(authors=args.authors):
        for outcome, row, more in outcomes(store):
            counted[outcome] += 1
            if args.list and outcome not in ("right", "asked, as meant"):
                print(f"{outcome} | {store.name} | {row.utterance} | {row.draft.dump()} | "
                      f"{list(row.hits)} | {more}")  # fmt: skip
    for outcome, many in counted.most_common():
        print(f"{many:6} {outcome}")


if __name__ == "__main__":
    main()
