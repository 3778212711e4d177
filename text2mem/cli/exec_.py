"""``text2mem exec``: run programs on a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from text2mem.cli import options, show
from text2mem.cli.inputs import Document, NoProgram, begun, groups, program_of
from text2mem.cli.lasting import lasting
from text2mem.cli.options import Caller
from text2mem.cli.services import EXEC_SUMMARISER, ServiceOptions, service_options
from text2mem.compiled import NOTHING
from text2mem.errors import ENDING, Text2MemError, UnsupportedOperation
from text2mem.ir.json_values import half_a_character, is_unicode
from text2mem.program import Program

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter
    from text2mem.executor import Basis, Prepared
    from text2mem.ir.context import ExecutionContext
    from text2mem.ir.result import ProgramResult


@click.command("exec")
@click.argument("source", metavar="[FILE]", required=False)
@options.caller_options(dry_run=True, yes=True)
@service_options(EXEC_SUMMARISER)
@click.option("--basis", help="Do what a dry run with this basis showed, or be refused.")
@options.output_options
@lasting
def command(source: str | None, caller: Caller, services: ServiceOptions, basis: str | None) -> int:
    """Run the program of FILE, or of stdin: JSON, or with --jsonl a program or a row a line.

    A row is what `text2mem compile --jsonl` prints; one that failed there is passed on as failed.
    Rows that are there to be read are run together, each wholly or not at all. What a program
    changed, `text2mem undo` takes back by its trace_id.
    """
    from text2mem.executor import Basis

    if basis is not None and show.form() == "jsonl":
        raise click.UsageError("a --basis belongs to one program, and --jsonl reads many")
    shown = Basis.read(basis)  # before anything is opened
    prepared = services.prepared()
    given = begun(groups(source, lines=show.form() == "jsonl"))
    if basis is not None:
        everything = [*given]
        given = iter(everything)
        if sum(map(len, everything)) != 1:
            raise click.UsageError("a --basis belongs to one program, and here are several")
    failed = 0
    with caller.adapter() as adapter:
        run = _Run(adapter, caller.context, prepared, shown)
        for group in given:
            failed += sum(not went_well for went_well in run.execute(group))
    return 1 if failed else 0


@dataclass(frozen=True, slots=True)
class _Run:
    """The programs of one command on an open store."""

    adapter: Adapter
    context: ExecutionContext
    prepared: Prepared
    basis: Basis | None

    def execute(self, group: Sequence[Document]) -> Iterator[bool]:
        """Run documents, and print their outcomes in order. Yield for each whether it succeeded."""
        rows = [(_known(each.value), self._read(each.value)) for each in group]
        results = self._results([r for _, r in rows if not isinstance(r, Exception | None)])
        for known, read in rows:
            about = known.get("utterance", "")
            if read is None:
                if not show.for_people():
                    show.emit({**known, "status": NOTHING, "ok": True, "results": []})
                yield True
                continue
            outcome = read if isinstance(read, Exception) else next(results)
            if isinstance(outcome, Exception):
                show.show_error(about, outcome, **known, ok=False)
                yield False
            else:
                show.result(outcome, self.context.tz, about=about, basis=True, **known)
                yield outcome.ok

    def _read(self, value: Any) -> Program | Text2MemError | None:
        """The program of a document, or why it has none; None if it asked nothing of the memory."""
        if isinstance(value, dict) and value.get("status") == NOTHING:
            return None
        from text2mem.running import context_of, loaded

        known = _known(value)
        try:
            if isinstance(value, ValueError):
                raise NoProgram({"type": "NotJSON", "message": f"not JSON: {value}", "hint": ""})
            if not is_unicode(known.get("utterance", "")):
                raise half_a_character()
            program = loaded(program_of(value), self.context, self.basis)
            context_of(program, self.context)
        except Text2MemError as error:
            return error
        return replace(program, **known)

    def _results(self, programs: Sequence[Program]) -> Iterator[ProgramResult | Text2MemError]:
        """Yield a result or an error for each program. After an error, the next ones still run."""
        from text2mem.running import run_program, run_programs

        if self.basis is not None:
            for program in programs:
                yield run_program(
                    program, self.adapter, self.context, self.prepared, basis=self.basis
                )
            return
        done = 0
        while done < len(programs):
            try:
                for result in run_programs(
                    programs[done:], self.adapter, self.context, self.prepared
                ):
                    done += 1
                    yield result
            except (*ENDING, UnsupportedOperation):
                raise
            except Text2MemError as error:
                done += 1
                yield error


def _known(value: Any) -> dict[str, Any]:
    """The keys of a row that its output repeats: the utterance, if it has one."""
    said = value.get("utterance") if isinstance(value, dict) else None
    return {"utterance": said} if isinstance(said, str) else {}
